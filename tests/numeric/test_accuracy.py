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

LAWS = 600
WIDE_LAWS = 300
EVERY = 4  # what follows from the optimum by further root finding is compared for every fourth law
DIGITS = 13.5  # inside the range that users meet
EPS = sys.float_info.epsilon
ULPS = 24  # everywhere: 24 eps (1 + |ln x|) for a result x, what rounding exponents and factors that cancel costs
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max

# Infinite where a loss is just out of reach: rounding the argument counts there, multiplied by the
# slope of ln x.
STEEP = (
    "compute_overhead",
    "tokens_factor",
    "tokens_for_reducible_loss",
    "params_for_reducible_loss",
)
# Of a share that may be 1e-300 only the bound in terms of |ln x| can hold in plain float64.
TINY = ("effective_compute",)
FAMILIES = ("penalty", "excess", "effective_compute", "lost_compute", *STEEP)


class Case(NamedTuple):
    """One call, and the number that it should return."""

    arguments: tuple[float, ...]
    exact: Any
    slope: float = 0.0  # |dln x/dln r| |ln r|, or of the distance to the smallest size


class Range(NamedTuple):
    """From which laws and sizes are drawn; all but the exponents of the inner range log-uniformly."""

    exponent: tuple[float, float]
    coefficient: tuple[float, float]
    compute: tuple[float, float]
    log_size_ratio: tuple[float, float]


INNER = Range((0.1, 1.5), (1e-1, 1e8), (1e15, 1e30), (1e-8, 100.0))
OUTER = Range((0.03, 10.0), (1e-3, 1e15), (1e5, 1e50), (1e-8, 300.0))


class Draw(NamedTuple):
    """A law, a compute, ln r, a loss and a small distance, all floats."""

    A: float
    B: float
    beta: float
    gamma: float
    compute: float
    s: float
    E: float
    distance: float


def draws(span: Range, count: int, seed: int) -> Iterator[Draw]:
    rng = random.Random(seed)

    def log_uniform(low: float, high: float) -> float:
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    def exponent() -> float:
        return rng.uniform(*span.exponent) if span is INNER else log_uniform(*span.exponent)

    for _ in range(count):
        yield Draw(
            A=log_uniform(*span.coefficient),
            B=log_uniform(*span.coefficient),
            beta=exponent(),
            gamma=exponent(),
            compute=log_uniform(*span.compute),
            s=rng.choice((-1, 1)) * log_uniform(*span.log_size_ratio),
            E=rng.uniform(0, 3),
            distance=log_uniform(1e-12, 1.0),
        )


def cases_of(law: Draw, exact: Any, *, further: bool) -> Iterator[tuple[str, Case]]:
    """Calls of generated functions for one law, with their exact results."""
    yield from optimum_cases(law, exact)
    for s in log_size_ratios(law, exact, further=further):
        penalty = exact.penalty(exact.mp.mpf(s))
        arguments = (s, law.beta, law.gamma)
        yield "penalty", Case(arguments, penalty)
        yield "excess", Case(arguments, penalty - 1)
        if further:
            yield from compute_cases(arguments, exact.mp.mpf(s), exact)
    if further:
        yield from critical_cases(law, exact)
        yield from contour_cases(law, exact)


def optimum_cases(law: Draw, exact: Any) -> Iterator[tuple[str, Case]]:
    A, B, b, g, C = law.A, law.B, law.beta, law.gamma, law.compute
    yield "optimal_params", Case((C, A, B, b, g), exact.params)
    yield "optimal_tokens", Case((C, A, B, b, g), exact.tokens)
    yield "optimal_tokens_per_param", Case((C, A, B, b, g), exact.tokens / exact.params)
    yield "optimal_reducible_loss", Case((C, A, B, b, g), exact.reducible)
    yield "optimal_loss", Case((C, law.E, A, B, b, g), law.E + exact.reducible)
    first, _ = exact.terms(exact.log_params, exact.log_tokens)
    yield "params_share", Case((b, g), first / exact.reducible)


def log_size_ratios(law: Draw, exact: Any, *, further: bool) -> Iterator[float]:
    """s itself, and s just beside the critical size."""
    yield law.s
    if further:
        yield float(exact.log_critical_size_ratio * (1 - law.distance * math.copysign(1, law.s)))


def compute_cases(arguments: tuple[float, ...], s: Any, exact: Any) -> Iterator[tuple[str, Case]]:
    mp = exact.mp
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


def critical_cases(law: Draw, exact: Any) -> Iterator[tuple[str, Case]]:
    exponents = (law.beta, law.gamma)
    yield "critical_size_ratio", Case(exponents, exact.mp.exp(exact.log_critical_size_ratio))
    yield "critical_tokens_ratio", Case(exponents, exact.mp.exp(exact.log_critical_tokens_ratio))


def contour_cases(law: Draw, exact: Any) -> Iterator[tuple[str, Case]]:
    """The iso-loss contour, from just above the smallest size on."""
    mp, (A, B, b, g) = exact.mp, (law.A, law.B, law.beta, law.gamma)
    if not SMALLEST < exact.reducible < LARGEST:
        return
    reducible = float(exact.reducible)
    smallest = mp.exp(exact.log_where(exact.A, exact.beta, mp.mpf(reducible)))
    if SMALLEST < smallest < LARGEST / 4:
        yield "smallest_params", Case((reducible, A, b), smallest)
        params = float(smallest) * (1 + law.distance)
        found = exact.log_tokens_for(mp.mpf(reducible), mp.log(mp.mpf(params)))
        if found is not None:
            slope = -1 / (g * math.expm1(-b * math.log1p(law.distance)))
            yield (
                "tokens_for_reducible_loss",
                Case((reducible, params, A, B, b, g), mp.exp(found), slope),
            )
    smallest = mp.exp(exact.log_where(exact.B, exact.gamma, mp.mpf(reducible)))
    if SMALLEST < smallest < LARGEST / 4:
        yield "smallest_tokens", Case((reducible, B, g), smallest)
        tokens = float(smallest) * (1 + law.distance)
        found = exact.log_params_for(mp.mpf(reducible), mp.log(mp.mpf(tokens)))
        if found is not None:
            slope = -1 / (b * math.expm1(-g * math.log1p(law.distance)))
            yield (
                "params_for_reducible_loss",
                Case((reducible, tokens, A, B, b, g), mp.exp(found), slope),
            )


def collect(span: Range, count: int, seed: int, reference: Any) -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = defaultdict(list)
    for i, law in enumerate(draws(span, count, seed)):
        exact = reference(law.compute, law.A, law.B, law.beta, law.gamma)
        for name, case in cases_of(law, exact, further=i % EVERY == 0):
            cases[name].append(case)
    return cases


@pytest.fixture(scope="module")
def inner(reference: Any) -> dict[str, list[Case]]:
    return collect(INNER, LAWS, 1, reference)


@pytest.fixture(scope="module")
def outer(reference: Any) -> dict[str, list[Case]]:
    return collect(OUTER, WIDE_LAWS, 2, reference)


# Measuring


def representable(case: Case, mp: Any) -> bool:
    return case.exact == mp.inf or SMALLEST <= abs(case.exact) <= LARGEST


def by_floats(name: str, cases: list[Case]) -> list[float]:
    function = getattr(formulas, name)
    return [function(*case.arguments) for case in cases]


def by_arrays(name: str, cases: list[Case]) -> list[float]:
    """All in one call, every argument an array."""
    columns = [np.array(column) for column in zip(*(case.arguments for case in cases), strict=True)]
    return getattr(formulas, name)(*columns).tolist()


def measure(
    results: list[float], cases: list[Case], mp: Any, *, steep: bool = False
) -> tuple[float, float, Case]:
    """The worst relative error, the worst in units of eps (1 + |ln x|), x the result, and where."""
    error, ulps, worst = 0.0, 0.0, cases[0]
    for got, case in zip(results, cases, strict=True):
        if case.exact == mp.inf or got == math.inf:
            # within rounding of the critical size an array may see the wall on the other side
            assert got == case.exact or (steep and case.slope > 0.01 / EPS), case
            continue
        relative = abs(float((mp.mpf(got) - case.exact) / case.exact))
        unit = EPS * (1 + abs(float(mp.log(abs(case.exact)))) + (case.slope if steep else 0.0))
        if relative / unit >= ulps:
            ulps, worst = relative / unit, case
        error = max(error, relative)
    return error, ulps, worst


def digits(error: float) -> float:
    return -math.log10(max(error, 1e-17))


NAMES = [
    "optimal_params",
    "optimal_tokens",
    "optimal_tokens_per_param",
    "optimal_reducible_loss",
    "optimal_loss",
    "params_share",
    "critical_size_ratio",
    "critical_tokens_ratio",
    "smallest_params",
    "smallest_tokens",
    *FAMILIES,
]


@pytest.mark.parametrize("name", NAMES)
def test_against_direct_minimisation(
    name: str, inner: dict[str, list[Case]], outer: dict[str, list[Case]], reference: Any
) -> None:
    """In the range that users meet to 13.5 digits, everywhere to the rounding of the exponents."""
    for found, least in ((inner, LAWS // EVERY), (outer, WIDE_LAWS // EVERY // 3)):
        cases = [case for case in found[name] if representable(case, reference.mp)]
        assert len(cases) >= least
        for evaluate in (by_floats, by_arrays):
            error, ulps, worst = measure(
                evaluate(name, cases), cases, reference.mp, steep=name in STEEP
            )
            assert ulps <= ULPS, worst
            if found is inner and name not in (*STEEP, *TINY):
                assert digits(error) >= DIGITS, worst


@pytest.mark.parametrize("name", ["excess", "lost_compute", "compute_overhead"])
def test_next_to_the_optimum(name: str, inner: dict[str, list[Case]], reference: Any) -> None:
    """Where a difference from 1 would lose every digit."""
    near = [case for case in inner[name] if abs(case.arguments[0]) < 1e-4]
    assert len(near) > LAWS // EVERY // 4
    assert digits(measure(by_floats(name, near), near, reference.mp)[0]) >= DIGITS
