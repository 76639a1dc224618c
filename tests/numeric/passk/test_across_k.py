"""What follows from laws at several k: against grids of compute with 40 digits and sums."""

import math
import random
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from isoflop.numeric.law import Law
from isoflop.numeric.passk import last_crossings, lost_compute

MP = mpmath.mp.clone()
MP.dps = 40


@pytest.mark.parametrize("seed", range(4, 12, 2))
def test_above_the_crossing_no_law_rises_with_k(seed):
    rng = random.Random(100 + seed)
    floors = sorted((rng.uniform(0, 0.5) * rng.choice([0, 1]) for _ in range(4)), reverse=seed < 9)
    prefactors = [10 ** rng.uniform(1, 6) for _ in range(4)]
    exponents = [rng.uniform(0.1, 0.4) for _ in range(4)]
    exponents = sorted(exponents) if seed % 2 else exponents
    laws, last = list(zip(floors, prefactors, exponents, strict=True)), 0.0
    for log10 in np.linspace(-20, 60, 161):
        values = [E + C0 * MP.power(10, -alpha * MP.mpf(log10)) for E, C0, alpha in laws]
        if any(late > early for early, late in pairwise(values)):
            last = 10.0**log10
    floor = last_crossings(floors, prefactors, exponents).max()
    assert last <= floor
    assert floor <= last * 10**0.5 or floor > 1e60


@pytest.mark.parametrize(
    ("first", "second", "floor"),
    [
        ((0.3, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # the same but for a lower floor
        ((0.1, 10.0, 0.1), (0.3, 10.0, 0.1), math.inf),  # the wrong way everywhere
        ((0.1, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # equal laws do not contradict each other
        ((0.0, 10.0, 0.2), (0.0, 20.0, 0.1), math.inf),  # the exponent falls with k
        ((0.0, 1e300, 1.0), (0.0, 1e303, 1.1), 1e30),
        ((0.7, 1e3, 0.15), (0.7, 1e5, 0.25), 1e20),  # floors that cancel change nothing
    ],
)
def test_special_crossings(first, second, floor):
    many = np.repeat(np.array([first, second]).T[:, None], 3, axis=1)
    assert last_crossings(*many) == pytest.approx(np.full((3, 1), floor), rel=1e-9)


def test_what_an_allocation_for_another_k_loses():
    laws = {
        1: Law(E=0.5, A=40.0, B=90.0, beta=0.2, gamma=0.2),
        100: Law(E=0.1, A=400.0, B=900.0, beta=0.3, gamma=0.35),
    }
    for row, (one, other) in zip(lost_compute(laws, 1e22), ((1, 100), (100, 1)), strict=True):
        assert (row["chosen"], row["judged"]) == (one, other)
        n, d = laws[one].envelope.params(1e22), laws[one].envelope.tokens(1e22)
        judge, best = laws[other], laws[other].envelope
        penalty = (judge.A * n**-judge.beta + judge.B * d**-judge.gamma) / best.reducible_loss(1e22)
        assert row["size_ratio"] == pytest.approx(n / best.params(1e22), rel=1e-10)
        assert row["loss_penalty"] == pytest.approx(penalty, rel=1e-10)
        assert row["lost_compute"] == pytest.approx(
            1.0 - penalty ** (-1.0 / best.exponent), rel=1e-8
        )
