"""Broken laws: derivatives against many digits, refits, and what runs leave open. How often drawn
truths are recovered: tests/studies/test_bnsl_recovery.py.
"""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.broken_model import BrokenModel, broken_values, to_coefficients
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.data.sample import Points, Sample

DECADE = np.log(10.0)
BNSL = LAWS["bnsl"]
MP = mpmath.mp.clone()
MP.dps = 50
#: Standard deviation of the noise of every other problem, in accuracy.
SMALL = 2e-4
#: a, b, c0, c1, d1, f1.
LAW = (0.9, -60.0, 0.105, 0.25, 3e20, 0.5)


@pytest.mark.parametrize("breaks", [1, 2, 3])
def test_derivatives_of_the_model(breaks):
    random = np.random.default_rng(breaks)
    logs = np.linspace(40.0, 52.0, 9)
    model = BrokenModel(logs, 46.0, breaks)
    theta = np.array(
        [[0.8, -0.3, 0.1, *[0.2, 44.0, -0.5], *[-0.3, 47.0, 0.4], *[0.1, 50.0, 1.0]][: model.width]]
    )
    factors = random.normal(size=(1, 9))

    def value(i, point):
        a, height, c0, *rest = point
        log_value = -c0 * (MP.mpf(logs[i]) - 46)
        for first in range(0, len(rest), 3):
            c, place, log_f = rest[first : first + 3]
            f = MP.exp(log_f)
            log_value -= c * f * MP.log1p(MP.exp((MP.mpf(logs[i]) - place) / f))
        return a + height * MP.exp(log_value)

    values, jacobian = model.evaluate(theta)
    hessian = model.curvature(theta, jacobian, factors)[0]
    point = [MP.mpf(x) for x in theta[0]]
    weights = factors[0]
    for i in range(9):
        assert values[0, i] == pytest.approx(float(value(i, point)), rel=1e-13)
    for p in range(model.width):
        for i in (0, 4, 8):
            order = tuple(int(p == j) for j in range(model.width))
            reference = MP.diff(lambda *x, i=i: value(i, x), tuple(point), order)
            assert jacobian[0, p, i] == pytest.approx(float(reference), rel=1e-10, abs=1e-14)
        for q in range(p, model.width):
            order = tuple(int(p == j) + int(q == j) for j in range(model.width))
            total = sum(
                w * float(MP.diff(lambda *x, i=i: value(i, x), tuple(point), order))
                for i, w in enumerate(weights)
            )
            assert hessian[p, q] == pytest.approx(total, rel=1e-8, abs=1e-10)
            assert hessian[p, q] == pytest.approx(hessian[q, p], rel=1e-12)


def test_the_breaks_of_coefficients_are_in_order():
    theta = np.array([[0.8, -0.3, 0.1, 0.2, 44.0, -0.5, -0.3, 47.0, 0.4]])
    exchanged = theta[:, [0, 1, 2, 6, 7, 8, 3, 4, 5]]
    found = to_coefficients(theta, 46.0)
    assert np.array_equal(to_coefficients(exchanged, 46.0), found)
    logs = np.array([43.0, 45.0, 49.0])
    values, _ = BrokenModel(logs, 46.0, 2).evaluate(theta)
    assert broken_values(found, np.exp(logs)) == pytest.approx(values, rel=1e-12)


def direct(logs, a, height, c0, breaks):
    """The law at log C, written out: `breaks` are (c, log d, f)."""
    log_value = -c0 * logs
    for c, place, f in breaks:
        log_value = log_value - c * f * np.logaddexp(0.0, (logs - place) / f)
    return a + height * np.exp(log_value)


def at(law, compute):
    """Accuracy by its definition."""
    a, b, c0, *rest = law
    breaks = [(c, np.log(d), f) for c, d, f in np.reshape(rest, (-1, 3))]
    return direct(np.log(compute), a, b, c0, breaks)


def sample_of(law, compute, *, noise=0.0, seed=0, baseline=0.0):
    accuracy = at(law, compute) + noise * np.random.default_rng(seed).normal(size=len(compute))
    return Sample(
        benchmark="made-up", accuracy=accuracy, baseline=baseline, at=Points(compute=compute)
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_three_breaks_are_recovered(seed):
    random = np.random.default_rng(seed)
    logs = np.sort(random.uniform(17.0, 23.0, 80)) * DECADE
    places, exponents = np.array([18.5, 20.0, 21.5]) * DECADE, np.array([0.1, 0.5, 0.15, 0.55])
    parts = [
        (c, place - logs.mean(), 0.25) for c, place in zip(np.diff(exponents), places, strict=True)
    ]
    shape = direct(logs - logs.mean(), 0.0, 1.0, exponents[0], parts)
    accuracy = 0.95 - 0.7 * shape / shape.max() + SMALL * seed * random.normal(size=80)
    kind = LAWS["bnsl-3"]
    found = kind.fit(
        Sample(benchmark="drawn", accuracy=accuracy, baseline=0.0, at=Points(compute=np.exp(logs)))
    )
    assert found.converged
    assert np.abs(np.log(found.values[4::3]) - places).max() <= 0.1 * DECADE


def test_the_minimum_is_no_worse_than_the_truth():
    for seed in range(4):
        sample = sample_of(LAW, np.geomspace(1e18, 1e23, 50), noise=0.005, seed=seed)
        found = BNSL.fit(sample)
        residuals = np.abs(sample.accuracy - at(LAW, sample.at.compute))
        huber = np.where(residuals <= 1e-3, 0.5 * residuals**2, 1e-3 * (residuals - 0.5e-3)).sum()
        assert found.converged
        assert found.objective_value <= huber


def test_refits_with_the_runs_as_they_are_repeat_the_fit():
    sample = sample_of(LAW, np.geomspace(1e18, 1e23, 60), noise=0.003)
    found = BNSL.fit(sample)
    again = found.refit(weights=np.ones((2, 60)), baselines=np.zeros(2))
    assert again.converged.all()
    assert again.coefficients == pytest.approx(np.stack([found.values] * 2), rel=1e-5)


def test_runs_at_or_below_a_redrawn_guessing_accuracy_do_not_count():
    sample = sample_of(LAW, np.geomspace(1e18, 1e23, 60), noise=0.002)
    found = BNSL.fit(sample)
    baseline = float(np.sort(sample.accuracy)[9])
    one = found.refit(weights=np.ones((1, 60)), baselines=np.array([baseline]))
    other = found.refit(
        weights=(sample.accuracy > baseline)[None].astype(float), baselines=np.array([0.0])
    )
    assert np.array_equal(one.coefficients, other.coefficients)


def test_a_resample_with_too_few_runs_is_not_certified():
    sample = sample_of(LAW, np.geomspace(1e18, 1e23, 40), noise=0.002)
    weights = np.zeros((1, 40))
    weights[0, :5] = 8.0
    assert not BNSL.fit(sample).refit(weights=weights, baselines=np.zeros(1)).converged[0]


# What runs leave open


def test_without_a_break_its_coefficients_are_open():
    compute = np.geomspace(1e18, 1e23, 60)
    straight = LAW[:3]
    found = [BNSL.fit(sample_of(straight, compute, noise=0.003, seed=seed)) for seed in range(10)]
    assert sum({"c1", "d1", "f1"} <= set(each.undetermined) for each in found) >= 7


def test_a_break_beyond_the_runs_is_open():
    compute = np.geomspace(1e18, 1e20, 50)
    found = BNSL.fit(sample_of(LAW, compute, noise=0.001))
    assert "d1" in found.undetermined


def test_a_break_sharper_than_the_runs_resolve_has_an_open_width():
    compute = np.geomspace(1e18, 1e23, 40)
    sharp = (*LAW[:5], 0.005)
    assert "f1" in BNSL.fit(sample_of(sharp, compute, noise=1e-4)).undetermined


@pytest.mark.parametrize(
    ("compute", "accuracy", "said"),
    [
        (
            np.geomspace(1e18, 1e23, 5),
            np.linspace(0.3, 0.7, 5),
            "made-up: runs at 5 values of compute; must be at least 6",
        ),
        (np.repeat(np.geomspace(1e18, 1e23, 5), 4), np.linspace(0.3, 0.7, 20), "runs at 5 values"),
        (np.geomspace(1e18, 1e23, 20), np.full(20, 0.5), "values=0.5 at every run"),
    ],
)
def test_runs_that_cannot_be_fitted(compute, accuracy, said):
    with pytest.raises(ValueError, match=said):
        BNSL.fit(
            Sample(benchmark="made-up", accuracy=accuracy, baseline=0.0, at=Points(compute=compute))
        )
