"""Planning for a benchmark against direct minimisation at 60 digits: no closed form of an optimum
is used.
"""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.planning import AccuracyLaw
from isoflop.numeric.law import Law

E, A, B, BETA, GAMMA, GUESS = 0.03, 41.0, 310.0, 0.25, 0.29, 0.25
COMPUTE = (1e18, 3e21, 1e25)
MP = mpmath.mp.clone()
MP.dps = 60


@pytest.fixture
def task() -> AccuracyLaw:
    return AccuracyLaw(law=Law(E=E, A=A, B=B, beta=BETA, gamma=GAMMA), random_baseline=GUESS)


def raw(reducible):
    """Raw accuracy by its definition."""
    return GUESS + (1 - MP.mpf(GUESS)) * MP.exp(-MP.mpf(E) - reducible)


def test_the_best_allocation(task, reference) -> None:
    assert task.ceiling == pytest.approx(float(raw(MP.mpf(0))), rel=1e-15)
    for C in COMPUTE:
        best, plan = reference(C, A, B, BETA, GAMMA), task.law.allocate(compute=C)
        assert plan.params == pytest.approx(float(best.params), rel=1e-13)
        optimal = task.optimal_accuracy(C)
        assert optimal == pytest.approx(float(raw(best.reducible)), rel=1e-14)
        assert task.accuracy(plan.params, plan.tokens) == pytest.approx(optimal, rel=1e-14)


def test_overtraining_in_accuracy_points(task, reference) -> None:
    ratios = (0.02, 0.5, 4.0, 300.0)
    found = task.penalty(np.array(ratios)[:, None], COMPUTE)
    both = [(ratio, C) for ratio in ratios for C in COMPUTE]
    assert [*zip(found["ratio"], found["compute"], strict=True)] == both
    for row in found.itertuples():
        best = reference(row.compute, A, B, BETA, GAMMA)
        P = best.penalty(-MP.log(MP.mpf(row.ratio)) / 2)
        assert row.excess == pytest.approx(float(P - 1), rel=1e-12)
        lost = raw(best.reducible) - raw(P * best.reducible)
        assert row.lost_accuracy == pytest.approx(float(lost), rel=1e-12)
        assert row.accuracy == pytest.approx(float(raw(P * best.reducible)), rel=1e-13)


@pytest.mark.parametrize("ratio", [0.01, 0.3, 1.7, 1000.0])
def test_the_greatest_loss_over_all_budgets(task, reference, ratio) -> None:
    """Where the slope in R* is 0, which takes every value as the budget does."""
    P = reference(1e20, A, B, BETA, GAMMA).penalty(-MP.log(MP.mpf(ratio)) / 2)
    at = MP.findroot(lambda r: 1 - P * MP.exp((1 - P) * r), (MP.mpf("1e-9"), 5), solver="illinois")
    most = task.penalty(ratio)["greatest_loss"].item()
    assert most == pytest.approx(float(raw(at) - raw(P * at)), rel=1e-13)
    every = task.penalty(ratio, np.geomspace(1e10, 1e40, 61))["lost_accuracy"]
    assert 0.98 * most < every.max() <= most


def test_arguments(task) -> None:
    with pytest.raises(ValueError, match="no value of E"):
        AccuracyLaw(law=Law(A=A, B=B, beta=BETA, gamma=GAMMA), random_baseline=0.0)
    with pytest.raises(ValueError, match=r"random_baseline=1\.0"):
        AccuracyLaw(law=task.law, random_baseline=1.0)
    with pytest.raises(ValueError, match="ratio=-1"):
        task.penalty(-1)
