"""Allocations across k against direct minimisation of the two laws with 60 digits."""

import math

import mpmath
import numpy as np
import pytest

from isoflop.numeric.law import Law
from isoflop.numeric.law.across import allocation_across
from isoflop.numeric.passk.allocation import allocation_matrix

MP = mpmath.mp.clone()
MP.dps = 60
CLOSE = 1e-13  # a few roundings, at log r of a few units

LAWS = {
    1: Law(E=0.21, A=40.0, B=90.0, beta=0.2, gamma=0.22),
    10: Law(E=0.0, A=400.0, B=411.0, beta=0.34, gamma=0.28),
    100: Law(A=900.0, B=7000.0, beta=0.4, gamma=0.4),
    "loss": Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658),
}


def reducible(law, log_params, compute):
    A, B, beta, gamma = (MP.mpf(x) for x in (law.A, law.B, law.beta, law.gamma))
    return A * MP.exp(-beta * log_params) + B * MP.exp(
        -gamma * (MP.log(MP.mpf(compute) / 6) - log_params)
    )


def best(law, compute):
    """log N of the least reducible value, from a root of the derivative along the budget."""
    start = math.log(float(law.envelope.params(compute)))  # a start only: the root is found anew
    return MP.findroot(lambda x: MP.diff(lambda w: reducible(law, w, compute), x), start + 0.01)


@pytest.mark.parametrize("compute", [1e16, 1e20, 3e25])
@pytest.mark.parametrize("chosen", LAWS)
@pytest.mark.parametrize("judged", LAWS)
def test_against_minimisation(chosen, judged, compute):
    first, second = LAWS[chosen], LAWS[judged]
    found = allocation_across(first, second, compute)
    here, there = best(first, compute), best(second, compute)
    assert found.params[0] == pytest.approx(float(MP.exp(here)), rel=CLOSE)
    assert found.optimal_params[0] == pytest.approx(float(MP.exp(there)), rel=CLOSE)
    least, got = reducible(second, there, compute), reducible(second, here, compute)
    assert found.optimal_reducible[0] == pytest.approx(float(least), rel=CLOSE)
    if chosen == judged:
        assert found.excess[0] == found.lost_compute[0] == found.log_size_ratio[0] == 0.0
        return
    assert found.log_size_ratio[0] == pytest.approx(float(here - there), rel=CLOSE)
    assert found.excess[0] == pytest.approx(float(got / least - 1), rel=1e-12)
    exponent = 1 / (1 / MP.mpf(second.beta) + 1 / MP.mpf(second.gamma))
    assert found.lost_compute[0] == pytest.approx(
        float(1 - (got / least) ** (-1 / exponent)), rel=1e-12
    )


def test_nearly_equal_laws_keep_their_digits():
    one, two = (
        Law(A=400.0, B=411.0, beta=0.34, gamma=0.28),
        Law(A=400.0000001, B=411.0, beta=0.34, gamma=0.28),
    )
    found = allocation_across(one, two, 1e21)
    s = MP.log(MP.mpf(one.A) / MP.mpf(two.A)) / (MP.mpf(one.beta) + MP.mpf(one.gamma))
    assert found.log_size_ratio[0] == pytest.approx(float(s), rel=1e-14)
    beta, gamma = MP.mpf(one.beta), MP.mpf(one.gamma)
    excess = (gamma * MP.exp(-beta * s) + beta * MP.exp(gamma * s)) / (beta + gamma) - 1
    assert found.excess[0] == pytest.approx(float(excess), rel=1e-12)


def test_the_matrix_holds_the_pairs():
    computes = [1e18, 1e21]
    found = allocation_matrix(LAWS, computes)
    assert found.excess.shape == (4, 4, 2)
    assert (np.diagonal(found.excess) == 0.0).all()
    for i, one in enumerate(LAWS):
        for j, two in enumerate(LAWS):
            pair = allocation_across(LAWS[one], LAWS[two], computes)
            assert found.excess[i, j] == pytest.approx(pair.excess, rel=1e-12)
            assert found.lost_compute[i, j] == pytest.approx(pair.lost_compute, rel=1e-12)
    assert len(found.rows()) == 24
    assert str(found).splitlines()[1].split() == [
        "optimal",
        "for",
        "pass@1",
        "pass@10",
        "pass@100",
        "loss",
    ]
    assert found.as_dict()["labels"] == [1, 10, 100, "loss"]


#: Two laws whose order reverses at small compute: y_10 > y_1 where N and D are small.
CROSSING = {
    1: Law(E=0.0, A=20.0, B=30.0, beta=0.1, gamma=0.1),
    10: Law(E=0.0, A=600.0, B=900.0, beta=0.3, gamma=0.3),
}


def test_no_cost_where_laws_contradict_each_other():
    """Each budget on its own: the second law lies above the first at an allocation of either, by
    direct evaluation.
    """
    budgets = np.geomspace(1e6, 1e24, 37)
    found = allocation_matrix(CROSSING, budgets)
    told = []
    for budget in budgets:
        own = [law.envelope for law in CROSSING.values()]
        at = [(float(each.params(budget)), float(each.tokens(budget))) for each in own]
        told.append(any(CROSSING[10].loss(*point) > CROSSING[1].loss(*point) for point in at))
    assert [worst is not None for worst in found.contradictions] == told
    assert 0 < sum(told) < len(told)
    assert [row["contradicted_by"] for row in found.rows()][:2] == [[1.0, 10.0]] * 2
    assert found.rows()[-1]["contradicted_by"] is None
    refused = found.refusals()
    assert list(refused) == [
        float(budget) for budget, wrong in zip(budgets, told, strict=True) if wrong
    ]
    text = str(allocation_matrix(CROSSING, [1e6, 1e24]))
    assert "compute=1e+06: the params+tokens laws at k=1 and k=10 contradict each" in text
    assert text.count("Compute lost at") == 1
    assert max(map(len, text.splitlines())) <= 100


def test_an_allocation_for_loss_is_judged_as_well():
    """A law of loss has no place in the order of k, but models trained for it may lie where two k
    contradict each other.
    """
    budget = 1e16
    assert allocation_matrix(CROSSING, budget).contradictions == (None,)
    lopsided = Law(A=1e-4, B=1e9, beta=0.3, gamma=0.3)  # nearly all of the compute into tokens
    (found,) = allocation_matrix({"loss": lopsided, **CROSSING}, budget).contradictions
    assert found == (0, 1.0, 10.0)
    assert allocation_matrix({"loss": lopsided, 1: CROSSING[1]}, budget).contradictions == (None,)


def test_many_columns_are_printed_below_each_other():
    text = str(allocation_matrix(dict.fromkeys(range(1, 21), LAWS[10]), 1e20))
    assert max(map(len, text.splitlines())) <= 100
    assert (
        sum(line.count("pass@20") for line in text.splitlines()) == 4
    )  # three rows and one heading


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: allocation_across(LAWS[1], LAWS[10], 0.0), "compute=0.0: must be positive"),
        (lambda: allocation_across(LAWS[1], LAWS[10], [[1e20]]), "a number or a list of numbers"),
        (lambda: allocation_across(LAWS[1], LAWS[10], "much"), "compute='much'"),
        (lambda: allocation_across(Law(beta=0.3, gamma=0.3), LAWS[10], 1e20), "A, B=None"),
        (lambda: allocation_matrix({}, 1e20), "at least one law"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
