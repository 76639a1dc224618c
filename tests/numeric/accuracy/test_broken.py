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


def test_the_minimum_is_no_worse_than_the_truth():
    sample = sample_of(LAW, np.geomspace(1e18, 1e23, 20), noise=0.005)
    found = fit_law(sample, BNSL)
    off = [np.abs(sample.accuracy - at(law, sample.compute)) for law in (LAW, found.values)]
    truth, own = (np.where(r <= 1e-3, 0.5 * r**2, 1e-3 * (r - 0.5e-3)).sum() for r in off)
    assert found.objective_value <= truth
    assert found.objective_value == pytest.approx(own, rel=1e-9)
    assert found.converged


def test_refits():
    """With the runs as they are, with runs below a redrawn guessing, and with too few runs."""
    sample = sample_of(LAW, np.geomspace(1e18, 1e23, 30), noise=0.003)
    found, ones = fit_law(sample, BNSL), np.ones((1, 30))
    again = found.refit(weights=ones, baselines=np.zeros(1))
    assert again.converged.all()
    assert again.rows[0] == pytest.approx(found.values, rel=1e-5)
    baseline = float(np.sort(sample.accuracy)[4])
    one = found.refit(weights=ones, baselines=np.array([baseline]))
    above = (sample.accuracy > baseline)[None].astype(float)
    other = found.refit(weights=above, baselines=np.zeros(1))
    assert np.array_equal(one.rows, other.rows)
    few = np.where(np.arange(30) < 5, 6.0, 0.0)[None]
    assert not found.refit(weights=few, baselines=np.zeros(1)).converged[0]


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


@pytest.mark.parametrize(
    ("compute", "accuracy", "said"),
    [
        (np.geomspace(1e18, 1e23, 5), np.linspace(0.3, 0.7, 5), "made-up: runs at 5 values of com"),
        (np.repeat(np.geomspace(1e18, 1e23, 5), 4), np.linspace(0.3, 0.7, 20), "at least 6 for"),
        (np.geomspace(1e18, 1e23, 20), np.full(20, 0.5), "accuracy 0.5 at every run"),
    ],
)
def test_runs_that_cannot_be_fitted(compute, accuracy, said):
    runs = Points(benchmark="made-up", accuracy=accuracy, baseline=0.0, compute=compute)
    with pytest.raises(ValueError, match=said):
        fit_law(runs, BNSL)
