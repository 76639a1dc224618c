"""Where laws across k hold together, against grids of compute with 40 digits."""

import math
import random
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from isoflop.numeric.passk.validity import rises, validity, validity_floor

MP = mpmath.mp.clone()
MP.dps = 40


def neg_log(law, log_compute):
    E, C0, alpha = map(MP.mpf, law)
    return E + C0 * MP.exp(-alpha * log_compute)


@pytest.mark.parametrize("seed", range(12))
def test_on_a_grid_of_compute(seed):
    """The intervals are those at whose inner points y rises from some k to the next; the floor is
    the last end.
    """
    rng = random.Random(100 + seed)
    floors = sorted((rng.uniform(0, 0.5) * rng.choice([0, 1]) for _ in range(4)), reverse=seed < 9)
    prefactors = [10 ** rng.uniform(1, 6) for _ in range(4)]
    exponents = [rng.uniform(0.1, 0.4) for _ in range(4)]
    exponents = sorted(exponents) if seed % 2 else exponents
    laws = dict(zip((1, 2, 8, 100), zip(floors, prefactors, exponents, strict=True), strict=True))
    found = validity(laws)
    for log10 in np.linspace(-20, 60, 161):
        values = [neg_log(law, MP.log(10) * MP.mpf(log10)) for law in laws.values()]
        wrong = any(low < 10.0**log10 < high for low, high in found.wrong)
        assert wrong == any(late > early for early, late in pairwise(values)), log10
    assert found.floor == max((high for _, high in found.wrong), default=0.0)
    if 0.0 < found.floor < math.inf:
        assert found.binding is not None
        one, two = (laws[int(k)] for k in found.binding)
        away = [
            neg_log(one, x) - neg_log(two, x)
            for x in (MP.log(found.floor) - 1e-6, MP.log(found.floor) + 1e-6)
        ]
        assert away[0] < 0 < away[1]


def test_two_crossings_close_together_are_found():
    """The difference is greatest at the turning point; the second law is raised until that is just
    above 0.
    """
    first, second = (0.0, 1e3, 0.1), (0.0, 1e6, 0.25)
    turn = MP.log(MP.mpf(1e6) * MP.mpf(0.25) / (MP.mpf(1e3) * MP.mpf(0.1))) / (
        MP.mpf(0.25) - MP.mpf(0.1)
    )
    top = neg_log(first, turn) - neg_log(second, turn)
    found = validity({1: first, 2: (float(top - MP.mpf("1e-9")), 1e6, 0.25)})
    (_, low), (high, _) = found.wrong
    assert MP.log(low) < turn < MP.log(high)
    assert math.log(high / low) < 0.01


@pytest.mark.parametrize(
    ("first", "second", "floor"),
    [
        ((0.3, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # the same but for a lower floor
        ((0.1, 10.0, 0.1), (0.3, 10.0, 0.1), math.inf),  # the wrong way everywhere
        ((0.1, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # equal laws do not contradict each other
        ((0.0, 10.0, 0.1), (0.0, 20.0, 0.1), math.inf),
        ((0.0, 10.0, 0.2), (0.0, 20.0, 0.1), math.inf),  # the exponent falls with k
        ((0.1, 10.0, 0.1), (0.2, 1.0, 0.1), math.inf),  # the floor grows with k
        ((0.0, 1e300, 1.0), (0.0, 1e303, 1.1), 1e30),
        ((0.7, 1e3, 0.15), (0.7, 1e5, 0.25), 1e20),  # floors that cancel change nothing
    ],
)
def test_special_cases(first, second, floor):
    found = validity({1: first, 2: second})
    assert found.floor == pytest.approx(floor, rel=1e-9)
    assert found.as_dict()["floor"] == (
        None if floor == math.inf else pytest.approx(floor, rel=1e-9)
    )
    stacked = [np.array([x, y]) for x, y in zip(first, second, strict=True)]
    assert validity_floor(*stacked) == pytest.approx(floor, rel=1e-9)


def test_many_sets_at_once():
    rng = np.random.default_rng(5)
    E, C0, alpha = (
        rng.uniform(0, 0.3, (7, 4)),
        10 ** rng.uniform(1, 6, (7, 4)),
        rng.uniform(0.1, 0.4, (7, 4)),
    )
    for row, floor in enumerate(validity_floor(E, C0, alpha)):
        laws = {k + 1: (E[row, k], C0[row, k], alpha[row, k]) for k in range(4)}
        assert validity(laws).floor == pytest.approx(floor, rel=1e-12)
    assert validity_floor([0.1], [1.0], [0.2]) == 0.0


def test_rises_beyond_rounding():
    assert rises(np.array([[1.0, 1.0, 1.0], [1.0 + 1e-13, 0.5, 2.0]])).tolist() == [
        [False, False, True]
    ]
