"""Figures of laws of -log pass@k: what stands where."""

import numpy as np
import pytest
from tests.data import law_truth

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk import curve, fit_passk
from isoflop.numeric.plot.passk_laws import plot_laws
from isoflop.numeric.simulate.counts import grid, simulate

SIZES, TOKENS = (1e8, 4e8, 1.6e9, 6.4e9), (1e9, 4e9, 1.6e10, 6.4e10)


@pytest.fixture(scope="module")
def found():
    """Laws of models some of which have no success, and some problems of fewer than 64 samples."""
    design = grid(SIZES, TOKENS)
    law = {"E0": 0.1, "C0": 12.0 * float(design.compute.min()) ** 0.35, "alpha": 0.35}
    truth = law_truth(design, "compute", law, k=1, concentration=20.0, scatter=0.1, rng=3)
    counts = Counts.read(simulate(truth, problems=24, samples=128, batch=32, rng=4))
    return fit_passk(counts, laws=["compute", "params-tokens"], k=(1, 64), resamples=0)


def lines(ax, marker):
    """Those that are no key."""
    return [line for line in ax.lines if line.get_marker() == marker and len(line.get_xdata())]


def test_models_stand_where_their_counts_have_them(found):
    counts, evidence = found.counts["compute"], found.at(64, "compute").evidence
    ax, estimates = plot_laws(found, "compute", k=[64]), curve(counts, [64])
    once, complete = curve(counts, [1]), (estimates.n_refused == 0).to_numpy()
    solved = (once.pass_at_k > 0).to_numpy()
    by_estimate, by_likelihood = lines(ax, "o")
    rest = solved & (once.neg_log > 0).to_numpy() & ~complete
    assert 0 < rest.sum() < solved.sum() < len(solved)
    assert by_estimate.get_ydata() == pytest.approx(estimates.neg_log[complete & solved])
    assert by_likelihood.get_ydata() == pytest.approx(np.exp(evidence.moments()[0][rest]))
    (limits,) = lines(ax, "^")
    assert limits.get_ydata() == pytest.approx(np.exp(evidence.least_likely_pass[~solved]))
    assert limits.get_xdata() == pytest.approx(counts.covariates["compute"][~solved])
