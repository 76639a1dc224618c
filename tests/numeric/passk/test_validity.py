"""Crossings of laws across k against brute-force grids with 40 digits."""

import math
import random
from itertools import combinations

import mpmath
import numpy as np
import pytest

from isoflop.numeric.compute_law import ComputeLaw
from isoflop.numeric.formulas import crossing_compute
from isoflop.numeric.law import Law
from isoflop.numeric.passk.validity import as_compute_law, log_crossings, validity, validity_floor, violations_at

MP = mpmath.mp.clone()
MP.dps = 40
GRID = 1500  # points over the whole range of log C


def neg_log(law, log_compute):
    """y with 40 digits."""
    E, C0, alpha = map(MP.mpf, law)
    return E + C0 * MP.exp(-alpha * log_compute)


def difference(first, second, log_compute):
    """y_k1 - y_k2."""
    return neg_log(first, log_compute) - neg_log(second, log_compute)


def drawn(rng, *, floors):
    floor = rng.choice([0.0, rng.uniform(0, 1)]) if floors else 0.0
    return floor, 10 ** rng.uniform(-2, 8), rng.uniform(0.05, 0.5)


def on_a_grid(first, second):
    """Intervals of log C between neighbouring grid points at which the order changes, and whether it is wrong at the ends."""
    grid = [MP.mpf(x) for x in np.linspace(-690.0, 690.0, GRID)]
    signs = [difference(first, second, x) < 0 for x in grid]
    changes = [(grid[i], grid[i + 1]) for i in range(GRID - 1) if signs[i] != signs[i + 1]]
    return changes, signs[0], signs[-1]


@pytest.mark.parametrize("floors", [True, False])
@pytest.mark.parametrize("seed", range(15))
def test_crossings_on_a_grid(seed, floors):
    rng = random.Random(f"{seed} {floors}")
    first, second = drawn(rng, floors=floors), drawn(rng, floors=floors)
    found = log_crossings(first, second)
    roots = sorted(x for x in found.roots.tolist() if not math.isnan(x))
    changes, wrong_below, wrong_above = on_a_grid(first, second)
    assert bool(found.wrong_below) == wrong_below
    assert bool(found.wrong_above) == wrong_above
    assert len(roots) - len(changes) in (0, 2)  # two roots between neighbouring grid points leave no trace
    if len(roots) == len(changes):
        assert all(low <= root <= high for root, (low, high) in zip(roots, changes, strict=True))
    for root in roots:
        below, above = (difference(first, second, MP.mpf(root) + step) for step in (-1e-6, 1e-6))
        assert below * above < 0


def test_two_crossings_close_together_are_found():
    # The difference has its maximum at the turning point; raise the second law until that is just above 0.
    first, second = (0.0, 1e3, 0.1), (0.0, 1e6, 0.25)
    turn = MP.log(MP.mpf(1e6) * MP.mpf(0.25) / (MP.mpf(1e3) * MP.mpf(0.1))) / (MP.mpf(0.25) - MP.mpf(0.1))
    top = difference(first, second, turn)
    roots = log_crossings(first, (float(top - MP.mpf("1e-9")), 1e6, 0.25)).roots
    assert not np.isnan(roots).any()
    assert roots[0] < turn < roots[1]
    assert roots[1] - roots[0] < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_without_floors_it_is_the_closed_form(seed):
    rng = random.Random(seed)
    (_, c1, a1), (_, c2, a2) = (drawn(rng, floors=False) for _ in range(2))
    (a1, a2), (c1, c2) = sorted((a1, a2)), sorted((c1, c2))
    expected = crossing_compute(C0_1=c1, alpha_1=a1, C0_2=c2, alpha_2=a2)
    found = validity({1: (0.0, c1, a1), 4: (0.0, c2, a2)})
    assert found.floor == pytest.approx(expected, rel=1e-13)
    assert found.wrong == ((0.0, found.floor),)
    same_floor = validity({1: (0.7, c1, a1), 4: (0.7, c2, a2)})  # floors that cancel change nothing
    assert same_floor.floor == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_all_pairs_on_a_grid_of_compute(seed):
    rng = random.Random(100 + seed)
    floors, coefficients = (
        sorted((rng.uniform(0, 0.5) for _ in range(4)), reverse=seed < 4),
        [10 ** rng.uniform(1, 6) for _ in range(4)],
    )
    alphas = sorted(rng.uniform(0.1, 0.4) for _ in range(4))
    laws = dict(zip((1, 2, 8, 100), zip(floors, coefficients, alphas, strict=True), strict=True))
    found = validity(laws)
    computes = 10.0 ** np.linspace(-20, 60, 161)
    for compute in computes:
        values = [neg_log(law, MP.log(MP.mpf(compute))) for law in laws.values()]
        assert found.holds(compute) == all(late <= early for early, late in combinations(values, 2)), compute
    held = found.holds(computes)
    assert (held == [found.holds(c) for c in computes]).all()
    assert held[computes > found.floor].all()
    if 1e-20 < found.floor < 1e60:
        assert not found.holds(found.floor * (1 - 1e-6))
        assert found.binding is not None


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
    ],
)
def test_special_cases(first, second, floor):
    assert validity({1: first, 2: second}).floor == pytest.approx(floor, rel=1e-9)
    stacked = [np.array([x, y]) for x, y in zip(first, second, strict=True)]
    assert validity_floor(*stacked) == pytest.approx(floor, rel=1e-9)


def test_many_sets_at_once():
    rng = np.random.default_rng(5)
    E, C0, alpha = rng.uniform(0, 0.3, (7, 4)), 10 ** rng.uniform(1, 6, (7, 4)), rng.uniform(0.1, 0.4, (7, 4))
    floors = validity_floor(E, C0, alpha)
    assert floors.shape == (7,)
    for row, floor in enumerate(floors):
        laws = {k + 1: (E[row, k], C0[row, k], alpha[row, k]) for k in range(4)}
        assert validity(laws).floor == pytest.approx(floor, rel=1e-12)
    assert validity_floor([0.1], [1.0], [0.2]) == 0.0


def test_laws_in_any_spelling_and_the_envelope():
    law = ComputeLaw(E=0.1, C0=100.0, alpha=0.2)
    assert as_compute_law(law) == as_compute_law((0.1, 100.0, 0.2)) == as_compute_law({"E": 0.1, "C0": 100.0, "alpha": 0.2})
    pair = Law(E=0.1, A=100.0, B=200.0, beta=0.3, gamma=0.4)
    assert as_compute_law(pair).alpha == pair.envelope.exponent
    laws = {1: Law(E=0.2, A=40.0, B=90.0, beta=0.2, gamma=0.2), 16: Law(E=0.1, A=400.0, B=900.0, beta=0.3, gamma=0.35)}
    found = validity(laws)
    computes = 10.0 ** np.linspace(8, 26, 37)
    worse = laws[16].envelope.loss(computes) > laws[1].envelope.loss(computes)
    assert (found.holds(computes) == ~worse).all()
    assert 0 < worse.sum() < len(worse)


def test_within_and_require():
    found = validity({1: (0.0, 1e3, 0.15), 10: (0.0, 1e5, 0.25)})
    assert found.within(1e18, 1e22) == ((1e18, found.floor),)
    assert found.floor == pytest.approx(1e20)
    assert found.within(1e21, 1e22) == ()
    found.require([2e20, 1e25])
    with pytest.raises(ValueError, match=r"compute=1e\+19: the laws at k=1 and k=10 contradict .* hold together for C > 1e\+20"):
        found.require([1e21, 1e19])
    with pytest.raises(ValueError, match="must be above low=2"):
        found.within(2.0, 1.0)
    assert "contradict for" in str(found)
    assert found.as_dict()["pairs"][0]["k"] == [1.0, 10.0]
    assert validity({1: (0.0, 1.0, 0.1)}).floor == 0.0
    never = validity({1: (0.0, 1.0, 0.1), 2: (0.5, 2.0, 0.1)})
    assert never.floor == math.inf
    assert never.as_dict()["floor"] is None
    assert "no compute" in str(never)


def test_violations_at_runs_by_hand():
    one, many = Law(E=0.0, A=100.0, B=100.0, beta=0.3, gamma=0.3), Law(E=0.0, A=400.0, B=400.0, beta=0.4, gamma=0.4)
    params, tokens = np.array([1e3, 1e9]), np.array([1e3, 1e10])
    found = violations_at({1: one, 8: many}, params=params, tokens=tokens)
    assert [(v.point, v.k) for v in found] == [(0, (1.0, 8.0))]
    assert found[0].excess == pytest.approx(800 * 1e3**-0.4 - 200 * 1e3**-0.3)
    laws = {1: (0.0, 1e3, 0.15), 10: (0.0, 1e5, 0.25), 100: (0.0, 1e6, 0.3)}
    at = violations_at(laws, compute=[1e19, 1e30])
    assert {v.point for v in at} == {0}
    assert [v.excess for v in at] == sorted((v.excess for v in at), reverse=True)
    assert violations_at(laws, compute=1e30) == ()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: validity({}), "at least one law"),
        (lambda: validity({0: (0.0, 1.0, 0.1)}), "k=0.0: must be a number of at least 1"),
        (lambda: validity({1: (0.0, -1.0, 0.1)}), "C0=-1.0"),
        (lambda: validity({1: (0.0, 1.0)}), "E, C0 and alpha"),
        (lambda: validity({1: {"E": 0.0}}), "missing: C0, alpha"),
        (lambda: validity({1: ComputeLaw(C0=1.0, alpha=0.1)}), "E=None"),
        (lambda: validity({1: (0.0, 1.0, 0.1)}).holds(-1.0), "compute=-1.0"),
        (lambda: validity_floor(np.nan, 1.0, 1.0), "E=nan"),
        (lambda: validity_floor(0.0, 1.0, 1.0), "one value for every k"),
        (lambda: violations_at({1: (0.0, 1.0, 0.1)}), "must be compute, or params and tokens"),
        (lambda: violations_at({1: (0.0, 1.0, 0.1)}, params=1.0, tokens=1.0), "a params.tokens law"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
