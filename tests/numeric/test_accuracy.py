"""The generated penalties against direct minimisation with 60 digits, over hundreds of random laws;
optima and contours: law/test_allocation.

Every argument is a float and is taken as the exact number that it is.
"""

import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from isoflop.numeric import formulas

LAWS, EVERY = (
    320,
    4,
)  # what follows from the optimum by further root finding is compared for every fourth law
DIGITS = 13.5  # inside the range that users meet
EPS = sys.float_info.epsilon
ULPS = 24  # everywhere: 24 eps (1 + |ln x|) for a result x, as rounded exponents and factors cancel
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max

# Infinite where a loss is just out of reach: the rounding of the argument counts there, multiplied
# by the slope of ln x.
STEEP = ("compute_overhead", "tokens_factor")
# Of a share that may be 1e-300 only the bound in terms of |ln x| can hold in plain float64.
TINY = ("effective_compute",)
NAMES = ("penalty", "excess", "effective_compute", "lost_compute", *STEEP)


class Case(NamedTuple):
    """One call, and the number that it should return."""

    arguments: tuple[float, ...]
    exact: Any
    slope: float = 0.0  # |dln x/dln r| |ln r|, or of the distance to the smallest size


def collect(reference: Any) -> dict[str, list[Case]]:
    """The calls of generated functions for random laws, by name."""
    rng, found = random.Random(1), defaultdict[str, list[Case]](list)

    def log_uniform(low: float, high: float) -> float:
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    for i in range(LAWS):
        A, B = log_uniform(1e-1, 1e8), log_uniform(1e-1, 1e8)
        beta, gamma = rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5)
        s, distance = rng.choice((-1, 1)) * log_uniform(1e-8, 100.0), log_uniform(1e-12, 1.0)
        exact, sizes = reference(log_uniform(1e15, 1e30), A, B, beta, gamma), [s]
        if i % EVERY == 0:  # also just beside the critical size
            critical = exact.log_critical_size_ratio
            sizes.append(float(critical * (1 - distance * math.copysign(1, s))))
        for size in sizes:
            for name, case in off_the_optimum(size, beta, gamma, exact, further=i % EVERY == 0):
                found[name].append(case)
    return found


def off_the_optimum(
    size: float, beta: float, gamma: float, exact: Any, *, further: bool
) -> Iterator[tuple[str, Case]]:
    mp, s, arguments = exact.mp, exact.mp.mpf(size), (size, beta, gamma)
    penalty = exact.penalty(s)
    yield "penalty", Case(arguments, penalty)
    yield "excess", Case(arguments, penalty - 1)
    if not further:
        return
    effective = exact.effective_compute(s)
    yield "effective_compute", Case(arguments, effective)
    yield "lost_compute", Case(arguments, 1 - effective)
    step = s * mp.mpf(10) ** -20
    tokens, beyond = exact.log_tokens_factor(s), exact.log_tokens_factor(s + step)
    for name, value, moved in (
        ("tokens_factor", mp.exp(tokens), mp.exp(beyond)),
        ("compute_overhead", mp.expm1(tokens + s), mp.expm1(beyond + s + step)),
    ):
        slope = 0.0 if value == mp.inf else abs(float((moved / value - 1) * 10**20))
        yield name, Case(arguments, value, slope)


@pytest.fixture(scope="module")
def inner(reference: Any) -> dict[str, list[Case]]:
    return collect(reference)


# -- measuring -------------------------------------------------------------------------------------


def by_floats(name: str, cases: list[Case]) -> list[float]:
    function = getattr(formulas, name)
    return [function(*case.arguments) for case in cases]


def by_arrays(name: str, cases: list[Case]) -> list[float]:
    """All in one call, every argument an array."""
    columns = [np.array(column) for column in zip(*(case.arguments for case in cases), strict=True)]
    return getattr(formulas, name)(*columns).tolist()


def measure(name: str, results: list[float], cases: list[Case], mp: Any) -> tuple[float, float]:
    """The digits of the worst relative error, and the worst error in units of eps (1 + |ln x|)."""
    worst, ulps, steep = 1e-17, 0.0, name in STEEP
    for got, case in zip(results, cases, strict=True):
        if case.exact == mp.inf or got == math.inf:
            # Within rounding of the critical size an array may see the wall on the other side.
            assert got == case.exact or (steep and case.slope > 0.01 / EPS), case
            continue
        relative = abs(float((mp.mpf(got) - case.exact) / case.exact))
        unit = EPS * (1 + abs(float(mp.log(abs(case.exact)))) + (case.slope if steep else 0.0))
        worst, ulps = max(worst, relative), max(ulps, relative / unit)
    return -math.log10(worst), ulps


@pytest.mark.parametrize("name", NAMES)
def test_against_direct_minimisation(name: str, inner: Any, reference: Any) -> None:
    """To 13.5 digits, or to the rounding of the exponents."""
    mp = reference.mp
    cases = [x for x in inner[name] if x.exact == mp.inf or SMALLEST <= abs(x.exact) <= LARGEST]
    assert len(cases) >= LAWS // EVERY
    for evaluate in (by_floats, by_arrays):
        digits, ulps = measure(name, evaluate(name, cases), cases, mp)
        assert ulps <= ULPS
        assert name in (*STEEP, *TINY) or digits >= DIGITS


@pytest.mark.parametrize("name", ["excess", "lost_compute", "compute_overhead"])
def test_next_to_the_optimum(name: str, inner: Any, reference: Any) -> None:
    """Where a difference from 1 would lose every digit."""
    near = [case for case in inner[name] if abs(case.arguments[0]) < 1e-4]
    assert len(near) > LAWS // EVERY // 4
    assert measure(name, by_floats(name, near), near, reference.mp)[0] >= DIGITS
