"""The generated functions against direct minimisation with 60 digits, over hundreds of random
laws.

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

EVERY = 4  # what follows from the optimum by further root finding is compared for every fourth law
DIGITS = 13.5  # inside the range that users meet
EPS = sys.float_info.epsilon
ULPS = 24  # everywhere: 24 eps (1 + |ln x|) for a result x, as rounded exponents and factors cancel
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max

# Infinite where a loss is just out of reach: the rounding of the argument counts there, multiplied
# by the slope of ln x.
STEEP = (
    *("compute_overhead", "tokens_factor"),
    *("tokens_for_reducible_loss", "params_for_reducible_loss"),
)
# Of a share that may be 1e-300 only the bound in terms of |ln x| can hold in plain float64.
TINY = ("effective_compute",)
NAMES = (
    *("optimal_params", "optimal_tokens", "optimal_tokens_per_param", "optimal_reducible_loss"),
    *("optimal_loss", "params_share", "critical_size_ratio", "critical_tokens_ratio"),
    *("smallest_params", "smallest_tokens", "penalty", "excess", "effective_compute"),
    *("lost_compute", *STEEP),
)


class Case(NamedTuple):
    """One call, and the number that it should return."""

    arguments: tuple[float, ...]
    exact: Any
    slope: float = 0.0  # |dln x/dln r| |ln r|, or of the distance to the smallest size


class Range(NamedTuple):
    """The range of laws and sizes: all log-uniform but the exponents."""

    laws: int
    exponent: tuple[float, float]
    coefficient: tuple[float, float]
    compute: tuple[float, float]
    log_size_ratio: tuple[float, float]


INNER = Range(320, (0.1, 1.5), (1e-1, 1e8), (1e15, 1e30), (1e-8, 100.0))


def collect(span: Range, seed: int, reference: Any) -> dict[str, list[Case]]:
    """The calls of generated functions for random laws, by name."""
    rng, found = random.Random(seed), defaultdict[str, list[Case]](list)

    def log_uniform(ends: tuple[float, float]) -> float:
        return math.exp(rng.uniform(*map(math.log, ends)))

    for i in range(span.laws):
        A, B = log_uniform(span.coefficient), log_uniform(span.coefficient)
        beta, gamma = rng.uniform(*span.exponent), rng.uniform(*span.exponent)
        C, s = log_uniform(span.compute), rng.choice((-1, 1)) * log_uniform(span.log_size_ratio)
        E, distance = rng.uniform(0, 3), log_uniform((1e-12, 1.0))
        law, exact = (A, B, beta, gamma), reference(C, A, B, beta, gamma)
        for name, case in at_the_optimum(C, E, law, exact):
            found[name].append(case)
        sizes = [s]
        if i % EVERY == 0:  # also just beside the critical size
            critical = exact.log_critical_size_ratio
            sizes.append(float(critical * (1 - distance * math.copysign(1, s))))
        for size in sizes:
            for name, case in off_the_optimum(size, beta, gamma, exact, further=i % EVERY == 0):
                found[name].append(case)
        if i % EVERY == 0:
            for name, case in on_the_contour(law, distance, exact):
                found[name].append(case)
    return found


def at_the_optimum(C: float, E: float, law: Any, exact: Any) -> Iterator[tuple[str, Case]]:
    yield "optimal_params", Case((C, *law), exact.params)
    yield "optimal_tokens", Case((C, *law), exact.tokens)
    yield "optimal_tokens_per_param", Case((C, *law), exact.tokens / exact.params)
    yield "optimal_reducible_loss", Case((C, *law), exact.reducible)
    yield "optimal_loss", Case((C, E, *law), E + exact.reducible)
    first, _ = exact.terms(exact.log_params, exact.log_tokens)
    yield "params_share", Case(law[2:], first / exact.reducible)


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


def on_the_contour(law: Any, distance: float, exact: Any) -> Iterator[tuple[str, Case]]:
    """The critical ratios, and the iso-loss contour from just above the smallest size on."""
    mp, (A, B, beta, gamma) = exact.mp, law
    sizes = exact.log_critical_size_ratio, exact.log_critical_tokens_ratio
    for name, log_ratio in zip(("size", "tokens"), sizes, strict=True):
        yield f"critical_{name}_ratio", Case((beta, gamma), mp.exp(log_ratio))
    if not SMALLEST < exact.reducible < LARGEST:
        return
    reducible = float(exact.reducible)
    for own, other, a, b, c, left in (
        ("params", "tokens", A, beta, gamma, exact.log_tokens_for),
        ("tokens", "params", B, gamma, beta, exact.log_params_for),
    ):
        smallest = mp.exp(exact.log_where(mp.mpf(a), mp.mpf(b), mp.mpf(reducible)))
        if not SMALLEST < smallest < LARGEST / 4:
            continue
        yield f"smallest_{own}", Case((reducible, a, b), smallest)
        size = float(smallest) * (1 + distance)
        found = left(mp.mpf(reducible), mp.log(mp.mpf(size)))
        if found is not None:
            slope = -1 / (c * math.expm1(-b * math.log1p(distance)))
            yield f"{other}_for_reducible_loss", Case((reducible, size, *law), mp.exp(found), slope)


@pytest.fixture(scope="module")
def inner(reference: Any) -> dict[str, list[Case]]:
    return collect(INNER, 1, reference)


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
    assert len(cases) >= INNER.laws // EVERY
    for evaluate in (by_floats, by_arrays):
        digits, ulps = measure(name, evaluate(name, cases), cases, mp)
        assert ulps <= ULPS
        assert name in (*STEEP, *TINY) or digits >= DIGITS


@pytest.mark.parametrize("name", ["excess", "lost_compute", "compute_overhead"])
def test_next_to_the_optimum(name: str, inner: Any, reference: Any) -> None:
    """Where a difference from 1 would lose every digit."""
    near = [case for case in inner[name] if abs(case.arguments[0]) < 1e-4]
    assert len(near) > INNER.laws // EVERY // 4
    assert measure(name, by_floats(name, near), near, reference.mp)[0] >= DIGITS
