"""Broken laws: recovered truths, refits, and what runs leave open."""

import numpy as np
import pytest

from isoflop.numeric.accuracy.law import fit_law
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.data.sample import Points

BNSL = LAWS["bnsl"]
#: a, b, c0, c1, d1, f1.
LAW = (0.9, -60.0, 0.105, 0.25, 3e20, 0.5)


def at(law, compute):
    """Accuracy by its definition."""
    a, b, c0, c, d, f = law
    log_value = -c0 * np.log(compute) - c * f * np.logaddexp(0.0, np.log(compute / d) / f)
    return a + b * np.exp(log_value)


def sample_of(law, compute, *, noise=0.0, seed=0):
    accuracy = at(law, compute) + noise * np.random.default_rng(seed).normal(size=len(compute))
    return Points(benchmark="made-up", accuracy=accuracy, baseline=0.0, compute=compute)


@pytest.fixture(scope="module")
def fitted():
    """The law of 30 runs."""
    return fit_law(sample_of(LAW, np.geomspace(1e18, 1e23, 30), noise=0.003), BNSL)


def test_the_minimum_is_no_worse_than_the_truth(fitted):
    found, sample = fitted, fitted.sample
    off = [np.abs(sample.accuracy - at(law, sample.compute)) for law in (LAW, found.values)]
    truth, own = (np.where(r <= 1e-3, 0.5 * r**2, 1e-3 * (r - 0.5e-3)).sum() for r in off)
    assert found.objective_value <= truth
    assert found.objective_value == pytest.approx(own, rel=1e-9)
    assert found.converged


def test_refits(fitted):
    """With the runs as they are, with runs below a redrawn guessing, without these runs, and with too
    few.
    """
    Q, ones = fitted.sample.accuracy, np.ones(30)
    baseline = float(np.sort(Q)[4])
    weights = [ones, ones, (baseline < Q).astype(float), np.where(np.arange(30) < 5, 6.0, 0.0)]
    again = fitted.refit(weights=np.stack(weights), baselines=np.array([0.0, baseline, 0.0, 0.0]))
    assert again.converged.tolist() == [True, True, True, False]
    assert again.rows[0] == pytest.approx(fitted.values, rel=1e-5)
    assert np.array_equal(again.rows[1], again.rows[2])


@pytest.mark.parametrize(
    ("law", "compute", "noise", "is_open"),
    [
        ((*LAW[:3], 0.0, *LAW[4:]), np.geomspace(1e18, 1e23, 30), 0.003, {"c1", "d1", "f1"}),
        (LAW, np.geomspace(1e18, 1e20, 30), 0.001, {"d1"}),
        ((*LAW[:5], 0.005), np.geomspace(1e18, 1e23, 30), 1e-4, {"f1"}),
    ],
    ids=["no break", "a break beyond the runs", "a break sharper than the runs resolve"],
)
def test_what_runs_leave_open(law, compute, noise, is_open):
    found = fit_law(sample_of(law, compute, noise=noise), BNSL)
    assert is_open <= {*found.undetermined}
