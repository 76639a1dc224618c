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


def neg_log(law, log_compute):
    E, C0, alpha = map(MP.mpf, law)
    return E + C0 * MP.exp(-alpha * log_compute)


@pytest.mark.parametrize("seed", range(12))
def test_above_the_crossing_no_law_rises_with_k(seed):
    rng = random.Random(100 + seed)
    floors = sorted((rng.uniform(0, 0.5) * rng.choice([0, 1]) for _ in range(4)), reverse=seed < 9)
    prefactors = [10 ** rng.uniform(1, 6) for _ in range(4)]
    exponents = [rng.uniform(0.1, 0.4) for _ in range(4)]
    exponents = sorted(exponents) if seed % 2 else exponents
    laws = list(zip(floors, prefactors, exponents, strict=True))
    last = 0.0
    for log10 in np.linspace(-20, 60, 161):
        values = [neg_log(law, MP.log(10) * MP.mpf(log10)) for law in laws]
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
        ((0.1, 10.0, 0.1), (0.2, 1.0, 0.1), math.inf),  # the floor grows with k
        ((0.0, 1e300, 1.0), (0.0, 1e303, 1.1), 1e30),
        ((0.7, 1e3, 0.15), (0.7, 1e5, 0.25), 1e20),  # floors that cancel change nothing
    ],
)
def test_special_crossings(first, second, floor):
    columns = np.array([first, second]).T
    assert last_crossings(*columns) == pytest.approx([floor], rel=1e-9)
    many = np.repeat(columns[:, None], 3, axis=1)
    assert last_crossings(*many) == pytest.approx(np.full((3, 1), floor), rel=1e-9)


def test_what_an_allocation_for_another_k_loses():
    laws = {
        1: Law(E=0.5, A=40.0, B=90.0, beta=0.2, gamma=0.2),
        100: Law(E=0.1, A=400.0, B=900.0, beta=0.3, gamma=0.35),
    }
    rows = lost_compute(laws, 1e22)
    assert [(row["chosen"], row["judged"]) for row in rows] == [(1, 100), (100, 1)]
    for row in rows:
        one, other = laws[row["chosen"]], laws[row["judged"]]
        n, d = one.envelope.params(1e22), one.envelope.tokens(1e22)
        penalty = other.A * n**-other.beta + other.B * d**-other.gamma
        penalty /= other.envelope.reducible_loss(1e22)
        assert row["size_ratio"] == pytest.approx(n / other.envelope.params(1e22), rel=1e-10)
        assert row["loss_penalty"] == pytest.approx(penalty, rel=1e-10)
        saved = 1.0 - penalty ** (-1.0 / other.envelope.exponent)
        assert row["lost_compute"] == pytest.approx(saved, rel=1e-8)
    higher = {k: Law(**{**law.numbers, "E": 0.01 * k}) for k, law in laws.items()}
    with pytest.raises(
        ValueError, match=r"^compute=1e\+22 .*: the laws at k=1 and k=100 contradict"
    ):
        lost_compute(higher, 1e22)
