"""The law of pass@k as a law of accuracy: least squares by lstsq, refits as fits of the resample,
predictions, the crossing.
"""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.law import fit_law, resampled
from isoflop.numeric.accuracy.laws import BILINEAR, LAWS, beyond, crossing_of
from isoflop.numeric.data.sample import Points, Sample

#: log A, a, b, d: of the size of those of Krajewski et al. 2025, Section 3.4.
TRUTH = np.array([6.0, -0.13, 0.9, -0.024])
KS = (1.0, 4.0, 16.0, 64.0)


def pairs(noise=0.02, seed=0, baseline=0.0, n=9):
    compute, k = (
        each.ravel() for each in np.meshgrid(np.geomspace(1e19, 1e22, n), KS, indexing="ij")
    )
    log_y = (
        TRUTH[0]
        + TRUTH[1] * np.log(compute)
        + TRUTH[2] * np.log(k)
        + TRUTH[3] * np.log(compute) * np.log(k)
    )
    log_y = log_y + noise * np.random.default_rng(seed).standard_normal(len(k))
    accuracy = baseline + (1.0 - baseline) * np.exp(-np.exp(log_y))
    at = Points(compute=compute, k=k)
    return Sample(
        benchmark="lbpp",
        accuracy=accuracy,
        baseline=baseline,
        at=at,
        index=np.repeat(np.arange(n), len(KS)),
    )


def plane(part):
    """The four coefficients and the sum of squares by lstsq."""
    log_c, log_k = np.log(part.at.compute), np.log(part.at.k)
    design = np.column_stack([np.ones(len(part)), log_c, log_k, log_c * log_k])
    outcome = np.log(-np.log((part.accuracy - part.baseline) / (1.0 - part.baseline)))
    coefficients, squares, *_ = np.linalg.lstsq(design, outcome, rcond=None)
    return coefficients, squares


@pytest.mark.parametrize("baseline", [0.0, 0.1])
def test_the_plane_is_that_of_least_squares(baseline) -> None:
    part = pairs(baseline=baseline)
    found = BILINEAR.fit(part)
    coefficients, squares = plane(part)
    assert found.converged
    assert found.values == pytest.approx(coefficients, rel=1e-7)
    assert found.objective_value == pytest.approx(float(squares[0]), rel=1e-7)
    assert len(found.values) == len(BILINEAR.coefficients)
    assert BILINEAR.requires == BILINEAR.asks == ("compute", "k")


def test_exact_pairs_give_the_truth_and_the_crossing() -> None:
    found = BILINEAR.fit(pairs(noise=0.0))
    assert found.values == pytest.approx(TRUTH, rel=1e-8)
    crossing = crossing_of(found, 0.9)
    assert crossing is not None
    assert crossing.value == pytest.approx(np.exp(0.9 / 0.024), rel=1e-6)
    at = Points(compute=[0.9 * crossing.value, 1.1 * crossing.value], k=[1.0, 4.0])
    assert beyond(found, at).tolist() == [True, False]


def test_refits_are_fits_of_the_resamples() -> None:
    part = pairs(baseline=0.02)
    random = np.random.default_rng(4)
    weights = random.multinomial(len(part), np.full(len(part), 1.0 / len(part)), size=5).astype(
        float
    )
    baselines = np.array([0.0, 0.01, 0.02, 0.0, 0.015])
    again = BILINEAR.fit(part).refit(weights=weights, baselines=baselines)
    assert again.converged.all()
    for row, weight in enumerate(weights):
        drawn = replace(
            part.subset(np.repeat(np.arange(len(part)), weight.astype(int))),
            baseline=float(baselines[row]),
        )
        assert again.coefficients[row] == pytest.approx(plane(drawn)[0], rel=1e-6)


def test_a_resample_that_determines_no_plane_is_not_certified() -> None:
    part = pairs()
    one_k = (part.at.k == 1.0).astype(float)
    nothing = np.zeros(len(part))
    again = BILINEAR.fit(part).refit(
        weights=np.stack([one_k, nothing, np.ones(len(part))]), baselines=np.zeros(3)
    )
    assert again.converged.tolist() == [False, False, True]
    assert np.isnan(again.coefficients[:2]).all()


def test_predictions_at_50_digits() -> None:
    at = Points(compute=[3e20, 3e20, 1e25], k=[1.0, 100.0, 7.0])
    laws, baselines = np.stack([TRUTH, 1.01 * TRUTH]), np.array([0.0, 0.2])
    found = BILINEAR.accuracy(laws, at, baselines)
    assert found.shape == (2, 3)
    with mpmath.workdps(50):
        for row in range(2):
            log_A, a, b, d = map(mpmath.mpf, laws[row])
            for column in range(3):
                log_c, log_k = (
                    mpmath.log(mpmath.mpf(values[column])) for values in (at.compute, at.k)
                )
                y = mpmath.exp(log_A + a * log_c + b * log_k + d * log_c * log_k)
                guess = mpmath.mpf(baselines[row])
                assert found[row, column] == pytest.approx(
                    float(guess + (1 - guess) * mpmath.exp(-y)), rel=1e-11
                )


def test_too_few_pairs_and_no_k() -> None:
    part = pairs()
    with pytest.raises(ValueError, match=r"^lbpp: "):
        BILINEAR.fit(part.subset(np.arange(3)))
    with pytest.raises(ValueError, match="k: is not known"):
        BILINEAR.fit(replace(part, at=Points(compute=part.at.compute)))


def test_the_interval_of_the_crossing_is_that_of_the_refits() -> None:
    fit = resampled(fit_law(pairs(), BILINEAR), Baseline(0.0), 60, 0)
    crossing = crossing_of(fit, 0.8)
    assert crossing is not None
    assert crossing.low is not None
    assert crossing.high is not None
    drawn = -fit.refitted[:, 2] / fit.refitted[:, 3]
    ends = np.exp(np.quantile(drawn, [0.1, 0.9]))
    assert (crossing.low, crossing.high) == pytest.approx(tuple(ends), rel=1e-9)


def test_an_open_sign_leaves_the_crossing_open() -> None:
    """Slopes in k that are as likely to flatten as to steepen: the jackknife over runs holds 0."""
    whole = pairs(noise=0.0, n=12)
    log_y = 1.0 - 0.03 * np.log(whole.at.compute) - 0.2 * np.log(whole.at.k)
    log_y += 0.05 * np.random.default_rng(1).standard_normal(12)[whole.index] * np.log(whole.at.k)
    fit = fit_law(replace(whole, accuracy=np.exp(-np.exp(log_y))), replace(BILINEAR, margin=0.0))
    fit = resampled(fit, Baseline(0.0), 30, 0)
    assert "d" in fit.undetermined
    crossing = crossing_of(fit, 0.9)
    assert crossing is not None
    assert (crossing.undetermined, crossing.low) == (True, None)


def test_the_signs_are_judged_by_leaving_out_each_run() -> None:
    """Errors of the fit against a jackknife of lstsq, run by run."""
    part = pairs(noise=0.3, seed=3, n=12)
    left = np.array([plane(part.subset(part.index != i))[0] for i in range(12)])
    errors = np.sqrt(11.0 / 12.0 * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    full = plane(part)[0]
    expected = {
        name for name, at in (("a", 1), ("d", 3)) if abs(full[at]) <= 1.6448536 * errors[at]
    }
    assert set(BILINEAR.fit(part).undetermined) == expected
    few = part.subset(np.isin(part.index, [0, 11]))
    assert set(BILINEAR.fit(few).undetermined) == {"a", "d"}, "a plane hangs on one run"


def test_other_laws_have_no_crossing() -> None:
    part = pairs()
    assert crossing_of(fit_law(part.subset(part.at.k == 1.0), LAWS["compute"]), 0.9) is None
