"""Where the law of compute and k holds: C_x by hand, its interval from the refits, runs on the
wrong side, open signs.
"""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.bilinear import BILINEAR
from isoflop.numeric.accuracy.crossing import crossing_of
from isoflop.numeric.accuracy.fitting import fit_law, resampled
from isoflop.numeric.accuracy.power import POWER_KINDS
from isoflop.numeric.data.sample import Points, Sample
from isoflop.numeric.fit.bilinear import BilinearFit

KS = (1.0, 4.0, 16.0, 64.0)
#: log A, a, b, d: the curves cross at exp(0.9/0.0195) = 1.1e20 FLOP, among the runs.
AMONG = np.array([5.5, -0.12, 0.9, -0.0195])


def pairs(truth=AMONG, noise=0.0, seed=0, n=12) -> Sample:
    """Pairs whose runs, not pairs, scatter."""
    compute, k = (
        each.ravel() for each in np.meshgrid(np.geomspace(1e19, 1e22, n), KS, indexing="ij")
    )
    log_y = (
        truth[0]
        + truth[1] * np.log(compute)
        + truth[2] * np.log(k)
        + truth[3] * np.log(compute) * np.log(k)
    )
    random = np.random.default_rng(seed)
    log_y += noise * np.repeat(
        random.standard_normal(n), len(KS)
    ) + 0.1 * noise * random.standard_normal(len(k))
    index = np.repeat(np.arange(n), len(KS))
    return Sample(
        benchmark="code",
        accuracy=np.exp(-np.exp(log_y)),
        baseline=0.0,
        at=Points(compute=compute, k=k),
        index=index,
    )


NONE = np.zeros(12 * len(KS), bool)


def found(sample, held=NONE, resamples=0, level=0.9) -> tuple[Any, Any]:
    fit = resampled(fit_law(sample.subset(~held), BILINEAR_ALL), Baseline(0.0), resamples, 0)
    return fit, crossing_of(fit, sample.subset(held), level)


#: Fitted to all runs above guessing.
BILINEAR_ALL = type(BILINEAR)(margin=0.0)


def test_the_crossing_and_the_runs_below_it() -> None:
    sample = pairs()
    held = sample.at.compute > 3e21
    _, crossing = found(sample, held)
    C_x = np.exp(0.9 / 0.0195)
    assert crossing.compute == pytest.approx(C_x, rel=1e-6)
    assert (crossing.holds, crossing.open, crossing.low) == ("above", (), None)
    runs = np.unique(sample.at.compute)
    assert (crossing.n_fitted, crossing.n_held_out) == (
        int((runs <= 3e21).sum()),
        int((runs > 3e21).sum()),
    )
    assert (crossing.fitted_beyond, crossing.held_out_beyond) == (int((runs < C_x).sum()), 0)
    assert f"{crossing.fitted_beyond} of {crossing.n_fitted} fitted and 0 of" in crossing.text(0.9)
    assert "more samples solve fewer problems" in crossing.text(0.9)


def test_predictions_below_it_are_counted() -> None:
    sample = pairs()
    _, crossing = found(sample, sample.at.compute < 5e19)
    assert crossing.held_out_beyond == crossing.n_held_out == 3


def test_a_law_that_holds_below() -> None:
    _, crossing = found(pairs(np.array([4.5, -0.1, -0.9, 0.0195])))
    assert crossing.holds == "below"
    assert crossing.fitted_beyond == 8


def test_the_interval_is_that_of_the_refits() -> None:
    fit, crossing = found(pairs(noise=0.02), resamples=60, level=0.8)
    drawn = np.exp(-fit.refitted[:, 2] / fit.refitted[:, 3])
    assert crossing.low < crossing.compute < crossing.high
    # Percentiles of C_x are those of its logarithm, but for what lies between two draws.
    inside = np.mean((drawn >= crossing.low) & (drawn <= crossing.high))
    assert inside == pytest.approx(0.8, abs=0.03)
    assert f"80 % interval {crossing.low:.2e}"[:18] in crossing.text(0.8).replace("e19", "e+19")


def test_signs_that_the_runs_leave_open() -> None:
    """Slopes in k that are as likely to flatten as to steepen."""
    flat = np.array([1.0, -0.03, -0.2, -0.0001])
    sample = pairs(flat)
    tilts = 0.05 * np.random.default_rng(1).standard_normal(12)[sample.index]
    from dataclasses import replace

    tilted = np.exp(np.log(sample.accuracy) * sample.at.k**tilts)
    fit, crossing = found(replace(sample, accuracy=tilted), resamples=60)
    assert "d" in crossing.open
    assert not crossing.is_determined
    assert (crossing.low, crossing.high) == (None, None)
    assert "not determined" in crossing.text(0.9)
    low, high = np.quantile(fit.refitted[:, 3], [0.05, 0.95])
    assert low < 0.0 < high
    assert "d" in fit.undetermined  # without refits too


def test_the_signs_are_judged_by_leaving_out_each_run() -> None:
    """Errors of the fit against a jackknife of lstsq, run by run."""
    sample = pairs(noise=0.05, seed=3)
    design = np.column_stack(
        [
            np.ones(len(sample)),
            np.log(sample.at.compute),
            np.log(sample.at.k),
            np.log(sample.at.compute) * np.log(sample.at.k),
        ]
    )
    outcome = np.log(-np.log(sample.accuracy))
    left = np.array(
        [
            np.linalg.lstsq(design[sample.index != i], outcome[sample.index != i])[0]
            for i in range(12)
        ]
    )
    errors = np.sqrt(11.0 / 12.0 * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    full = np.linalg.lstsq(design, outcome)[0]
    expected = {
        name for name, at in (("a", 1), ("d", 3)) if abs(full[at]) <= 1.6448536 * errors[at]
    }
    (plane,) = BILINEAR.fit(sample).parts
    assert set(plane.undetermined) == expected
    assert isinstance(plane, BilinearFit)
    assert plane._errors == pytest.approx(errors, rel=1e-5)


def test_a_plane_that_hangs_on_one_run_has_no_sure_sign() -> None:
    sample = pairs(n=12)
    few = sample.subset(np.isin(sample.index, [0, 11]))
    assert set(BILINEAR.fit(few).undetermined) == {"a", "d"}


def test_other_laws_have_none() -> None:
    sample = pairs()
    plain = sample.subset(sample.at.k == 1.0)
    fit = fit_law(plain, POWER_KINDS["compute"])
    assert crossing_of(fit, plain, 0.9) is None


def test_where_it_does_not_hold() -> None:
    at = Points(compute=[1e19, 1e20, 2e20], k=[1.0, 4.0, 1.0])
    assert BILINEAR.beyond(AMONG, at).tolist() == [True, True, False]
    assert BILINEAR.beyond(AMONG * [1, 1, -1, -1], at).tolist() == [False, False, True]
