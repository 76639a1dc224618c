"""Figures of laws: what stands where."""

import numpy as np
import pytest

from isoflop.numeric.passk.laws import Data, fit_passk
from isoflop.numeric.plot.passk_laws import LIMIT, least_neg_log
from isoflop.numeric.simulate.counts import Adaptive, grid, law_truth, simulate

pytest.importorskip("matplotlib")

K = (1, 64)
SIZES, TOKENS = (1e8, 4e8, 1.6e9, 6.4e9), (1e9, 4e9, 1.6e10, 6.4e10)


@pytest.fixture(scope="module")
def laws():
    """Laws of models some of which have no success, and some problems of fewer than 64 samples."""
    design = grid(SIZES, TOKENS)
    law = {"E0": 0.1, "C0": 12.0 * float(design.compute.min()) ** 0.35, "alpha": 0.35}
    truth = law_truth(design, "compute", law, k=1, concentration=20.0, scatter=0.1, rng=3)
    counts = simulate(design, truth, problems=24, sampling=Adaptive(32, 1, 128), rng=4).counts()
    data = Data(counts, K)
    return {name: fit_passk(data, law=name, resamples=12) for name in ("compute", "params-tokens")}


def lines(ax, marker):
    """Those that are no key."""
    return [line for line in ax.lines if line.get_marker() == marker and len(line.get_xdata())]


def test_models_stand_where_their_counts_have_them(laws):
    from isoflop.numeric.plot.passk_laws import plot_laws

    compute = laws["compute"]
    data, solved = compute.data, compute.data.solved
    assert solved.any()
    assert not solved.all()
    ax = plot_laws(compute, k=[64])
    complete, by_likelihood = lines(ax, "o")
    at = data.curve.complete[:, 1] & solved
    assert complete.get_ydata() == pytest.approx(data.curve.neg_log[at, 1])
    rest = solved & data.failing & ~data.curve.complete[:, 1]
    assert rest.any()
    assert by_likelihood.get_ydata() == pytest.approx(np.exp(data.evidence[1].moments()[0][rest]))
    (limits,) = lines(ax, "^")
    wanted = [least_neg_log(data.counts.per_group(g)[0], 64) for g in np.flatnonzero(~solved)]
    assert limits.get_ydata() == pytest.approx(wanted)
    assert limits.get_xdata() == pytest.approx(compute.covariates["compute"][~solved])


def test_both_laws_have_models_at_the_same_height(laws):
    from isoflop.numeric.plot.passk_laws import plot_laws

    heights = [
        [line.get_ydata() for line in lines(plot_laws(each, k=[1]), "o")] for each in laws.values()
    ]
    for one, other in zip(*heights, strict=True):
        assert one == pytest.approx(other)


def test_observed_against_predicted(laws):
    from isoflop.numeric.plot.passk_laws import plot_laws

    joint = laws["params-tokens"]
    ax = plot_laws(joint, k=[1])
    points, diagonal = lines(ax, "o")[0], ax.lines[-1]
    assert diagonal.get_xdata() == pytest.approx(diagonal.get_ydata())
    assert ax.get_xlim() == pytest.approx(diagonal.get_xdata())
    own = {name: joint.covariates[name] for name in joint.kind.covariates}
    at = joint.data.curve.complete[:, 0] & joint.data.solved
    assert points.get_xdata() == pytest.approx(joint.at(1).predict(own)[at])


def test_a_wide_band_runs_out_of_the_axis(laws):
    from isoflop.numeric.plot.passk_laws import WIDEST_BAND, plot_coefficient

    joint = laws["params-tokens"]
    ax = plot_coefficient([joint, joint], ["beta", "gamma"], log=True)
    values = np.concatenate([joint.values("beta"), joint.values("gamma")])
    bottom, top = ax.get_ylim()
    assert values.min() / WIDEST_BAND <= bottom * (1.0 + 1e-9)
    assert bottom < values.min()
    assert values.max() < top
    assert all("10^" not in label.get_text() for label in ax.get_yticklabels())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("names", [("compute",), ("compute", "params-tokens")])
def test_a_page_has_no_empty_panel(laws, names):
    from isoflop.numeric.passk.study import study_passk
    from isoflop.numeric.plot.passk_laws import plot_study

    study = study_passk(laws["compute"].data, laws=names, resamples=6)
    axes = plot_study(study)
    assert len(axes) == len(names) + 2
    assert all(ax.lines and ax.get_title() for ax in axes)
    assert list(axes[0].figure.axes) == list(axes)
    axes[0].figure.draw_without_rendering()
    told = {text.get_text() for text in axes[0].figure.legends[0].get_texts()}
    assert "by the likelihood: fewer than k samples" in told


# -- models without a success ----------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 5, 40, 1000])
def test_direct_search(k):
    """Of all rates that leave a chance of 1 - level of no success, none has a greater pass@k."""
    from scipy.optimize import minimize

    n = np.array([3.0, 8.0, 8.0, 40.0, 700.0])
    budget = -np.log(1.0 - LIMIT)

    def fail(x):
        return float(np.mean(np.exp(-k * x)))

    best = min(
        minimize(
            fail,
            start / (start @ n) * budget,
            jac=lambda x: -k * np.exp(-k * x) / len(n),
            bounds=[(0.0, None)] * len(n),
            constraints={"type": "ineq", "fun": lambda x: budget - x @ n, "jac": lambda x: -n},
            options={"ftol": 1e-14, "maxiter": 500},
        ).fun
        for start in (1.0 / n, np.ones(5), np.array([1.0, 1e-3, 1e-3, 1e-3, 1e-3]))
    )
    found = np.exp(-least_neg_log(n, k))
    assert found == pytest.approx(1.0 - best, rel=1e-5)


def test_no_rates_are_excluded_too_often():
    """Whatever the rates, of models whose -log pass@k lies below the limit at most a share of 1 -
    level has no success.
    """
    random = np.random.default_rng(1)
    n, k = np.array([4, 4, 16, 64]), 10
    limit = least_neg_log(n, k)
    rates = random.beta(0.3, 3.0, size=(4000, 4))
    below = -np.log(np.mean(1.0 - (1.0 - rates) ** k, axis=1)) < limit
    assert below.sum() > 500
    none = np.prod((1.0 - rates[below]) ** n, axis=1)
    assert none.max() <= (1.0 - LIMIT) * (1.0 + 1e-9)
