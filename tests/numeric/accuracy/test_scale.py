"""The generated functions against direct minimisation with 60 digits, over thousands of random laws.

Every argument is a float and is taken as the exact number that it is. `pytest -s` prints what was measured.
"""

import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from isoflop.numeric import _array, _scalar, _wide, _wide_array
from isoflop.numeric._generated import array, scalar
from isoflop.numeric._wide import Wide

LAWS = 3000
WIDE_LAWS = 1200
EVERY = 4  # what follows from the optimum by further root finding is compared for every fourth law
DIGITS = 13.5  # inside the range that users meet
EPS = sys.float_info.epsilon
ULPS = 4  # outside it: 4 eps (1 + |ln x|) for a result x, what rounding a logarithm once costs
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max

# The sizes at which L* is just out of reach make these infinite: an array evaluates them in plain float64, so
# rounding s = ln r counts there, multiplied by the slope of ln x.
STEEP = ("compute_overhead", "tokens_factor")
# Of a share that may be 1e-300 only the bound in terms of |ln x| can hold in plain float64.
TINY = ("effective_compute",)
FAMILIES = ("penalty", "excess", "effective_compute", "lost_compute", *STEEP)
ARGUMENTS = ("", "_at_size_ratio", "_at_ratio")


class Case(NamedTuple):
    """One call, and the number that it should return."""

    arguments: tuple[float, ...]
    exact: Any
    slope: float = 0.0  # |dln x/dln r| |ln r|


class Range(NamedTuple):
    """From which laws and sizes are drawn; all but the exponents of the inner range log-uniformly."""

    exponent: tuple[float, float]
    coefficient: tuple[float, float]
    compute: tuple[float, float]
    log_size_ratio: tuple[float, float]


INNER = Range((0.1, 1.5), (1e-1, 1e8), (1e15, 1e30), (1e-8, 100.0))
OUTER = Range((1e-3, 20.0), (1e-100, 1e100), (1e-10, 1e250), (1e-8, 1e4))


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
    for suffix, value, s in log_size_ratios(law, exact, further=further):
        penalty = exact.penalty(s)
        arguments = (value, law.beta, law.gamma)
        yield f"penalty{suffix}", Case(arguments, penalty)
        yield f"excess{suffix}", Case(arguments, penalty - 1)
        if further:
            yield from compute_cases(suffix, arguments, s, exact)
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


def log_size_ratios(law: Draw, exact: Any, *, further: bool) -> Iterator[tuple[str, float, Any]]:
    """s itself, r = e^s and rho = e^(-2s), each rounded to a float, with the exact s; and s just beside the critical size."""
    mp = exact.mp
    yield "", law.s, mp.mpf(law.s)
    for suffix, power in (("_at_size_ratio", 1), ("_at_ratio", -2)):
        if -700 < power * law.s < 700 and math.exp(power * law.s) != 1.0:
            value = math.exp(power * law.s)
            yield suffix, value, mp.log(mp.mpf(value)) / power
    if further:
        beside = float(exact.log_critical_size_ratio * (1 - law.distance * math.copysign(1, law.s)))
        yield "", beside, mp.mpf(beside)


def compute_cases(suffix: str, arguments: tuple[float, ...], s: Any, exact: Any) -> Iterator[tuple[str, Case]]:
    mp = exact.mp
    effective = exact.effective_compute(s)
    yield f"effective_compute{suffix}", Case(arguments, effective)
    yield f"lost_compute{suffix}", Case(arguments, 1 - effective)
    step = s * mp.mpf(10) ** -20
    tokens, beyond = exact.log_tokens_factor(s), exact.log_tokens_factor(s + step)
    for name, value, moved in (
        ("tokens_factor", mp.exp(tokens), mp.exp(beyond)),
        ("compute_overhead", mp.expm1(tokens + s), mp.expm1(beyond + s + step)),
    ):
        slope = 0.0 if value == mp.inf else abs(float((moved / value - 1) * 10**20))
        yield name + suffix, Case(arguments, value, slope)


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
            yield "tokens_for_reducible_loss", Case((reducible, params, A, B, b, g), mp.exp(found))
    smallest = mp.exp(exact.log_where(exact.B, exact.gamma, mp.mpf(reducible)))
    if SMALLEST < smallest < LARGEST / 4:
        yield "smallest_tokens", Case((reducible, B, g), smallest)
        tokens = float(smallest) * (1 + law.distance)
        found = exact.log_params_for(mp.mpf(reducible), mp.log(mp.mpf(tokens)))
        if found is not None:
            yield "params_for_reducible_loss", Case((reducible, tokens, A, B, b, g), mp.exp(found))


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


class Measured(NamedTuple):
    """The worst of many calls of one function."""

    calls: int
    error: float  # relative
    ulps: float  # that error in units of eps (1 + |ln x|), with x the result
    input_ulps: float  # the same with x the first argument
    worst: Case


def representable(case: Case, mp: Any) -> bool:
    return case.exact == mp.inf or SMALLEST <= abs(case.exact) <= LARGEST


def by_scalars(name: str, cases: list[Case]) -> list[float]:
    function = getattr(scalar, name)
    return [function(*case.arguments) for case in cases]


def by_arrays(name: str, cases: list[Case]) -> list[float]:
    """All in one call, every argument an array."""
    columns = [np.array(column) for column in zip(*(case.arguments for case in cases), strict=True)]
    return getattr(array, name)(*columns).tolist()


def by_short_arrays(name: str, cases: list[Case]) -> list[float]:
    """One call each where evaluation goes in blocks: an intermediate overflow sends its neighbours to the scalar function."""
    if not name.endswith(ARGUMENTS[1:]) and name not in FAMILIES:
        return by_arrays(name, cases)
    function = getattr(array, name)
    return [float(function(np.array([first]), *rest)[0]) for first, *rest in (case.arguments for case in cases)]


def measure(results: list[float], cases: list[Case], mp: Any, *, steep: bool = False) -> Measured:
    error, ulps, input_ulps, worst = 0.0, 0.0, 0.0, cases[0]
    for got, case in zip(results, cases, strict=True):
        if case.exact == mp.inf or got == math.inf:
            # within rounding of the critical size an array may see the wall on the other side
            assert got == case.exact or (steep and case.slope > 0.01 / EPS), case
            continue
        relative = abs(float((mp.mpf(got) - case.exact) / case.exact))
        unit = EPS * (1 + abs(float(mp.log(abs(case.exact)))) + (case.slope if steep else 0.0))
        if relative / unit >= ulps:
            ulps, worst = relative / unit, case
        first = abs(case.arguments[0])
        input_ulps = max(input_ulps, relative / (EPS * (1 + (first if first < 1 else abs(math.log(first))))))
        error = max(error, relative)
    return Measured(len(cases), error, ulps, input_ulps, worst)


def digits(error: float) -> float:
    return -math.log10(max(error, 1e-17))


def report(title: str, name: str, found: Measured) -> None:
    print(
        f"{title:>16} {name:35} {found.calls:5} calls: {digits(found.error):5.2f} digits, "
        f"{found.ulps:5.2f} eps (1 + |ln result|), {found.input_ulps:9.2f} eps (1 + |ln argument|)"
    )


def is_steep(name: str, module: ModuleType) -> bool:
    return module is array and name.startswith(STEEP)


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
    "tokens_for_reducible_loss",
    "params_for_reducible_loss",
    *(name + suffix for name in FAMILIES for suffix in ARGUMENTS),
]


@pytest.mark.parametrize("name", NAMES)
def test_inside_the_usual_range(name: str, inner: dict[str, list[Case]], reference: Any) -> None:
    cases = [case for case in inner[name] if representable(case, reference.mp)]
    assert len(cases) >= LAWS // EVERY
    for module, evaluate in ((scalar, by_scalars), (array, by_arrays)):
        steep = is_steep(name, module)
        found = measure(evaluate(name, cases), cases, reference.mp, steep=steep)
        report(f"inner {module.__name__.rpartition('.')[2]}", name, found)
        assert found.ulps <= ULPS, found.worst
        if not steep and not (module is array and name.startswith(TINY)):
            assert digits(found.error) >= DIGITS, found.worst


@pytest.mark.parametrize("name", NAMES)
def test_outside_the_usual_range(name: str, outer: dict[str, list[Case]], reference: Any) -> None:
    cases = [case for case in outer[name] if representable(case, reference.mp)]
    assert len(cases) > WIDE_LAWS // EVERY // 3
    for module, evaluate in ((scalar, by_scalars), (array, by_short_arrays)):
        found = measure(evaluate(name, cases), cases, reference.mp, steep=is_steep(name, module))
        report(f"outer {module.__name__.rpartition('.')[2]}", name, found)
        assert found.ulps <= ULPS, found.worst


@pytest.mark.parametrize("name", NAMES)
def test_what_no_float_holds(name: str, outer: dict[str, list[Case]], reference: Any) -> None:
    """Too large is refused by name; too small comes out as what is left of it."""
    for case in outer[name]:
        if case.exact != reference.mp.inf and abs(case.exact) > LARGEST * (1 + EPS):
            first, *rest = case.arguments
            with pytest.raises(ValueError, match="exceeds the largest float"):
                getattr(scalar, name)(first, *rest)
            with pytest.raises(ValueError, match="exceeds the largest float"):
                getattr(array, name)(np.array([first]), *rest)
        elif abs(case.exact) < SMALLEST:
            assert abs(getattr(scalar, name)(*case.arguments)) <= SMALLEST
            assert abs(getattr(array, name)(np.array([case.arguments[0]]), *case.arguments[1:])[0]) <= SMALLEST


NAIVE = {
    "excess": lambda *case: scalar.penalty(*case) - 1.0,
    "lost_compute": lambda *case: 1.0 - scalar.effective_compute(*case),
    "compute_overhead": lambda s, *exponents: math.exp(s) * scalar.tokens_factor(s, *exponents) - 1.0,
}


@pytest.mark.parametrize("name", NAIVE)
def test_a_difference_at_the_end_would_lose_every_digit(name: str, inner: dict[str, list[Case]], reference: Any) -> None:
    near = [case for case in inner[name] if abs(case.arguments[0]) < 1e-4]
    assert len(near) > LAWS // EVERY // 4
    naive = [NAIVE[name](*case.arguments) for case in near]
    assert digits(measure(naive, near, reference.mp).error) < 1
    assert digits(measure(by_scalars(name, near), near, reference.mp).error) >= DIGITS


# What the safe forms run on


def exponents(count: int, seed: int) -> list[Wide]:
    """Double-double numbers of either size, also close to 0."""
    rng = random.Random(seed)
    drawn = (-math.exp(rng.uniform(math.log(1e-300), math.log(740.0))) for _ in range(count))
    return [Wide(x, x * rng.uniform(-1, 1) * EPS / 4) for x in drawn]


def test_the_unrounded_exponential(reference: Any) -> None:
    mp, error = reference.mp, 0.0
    points = [x for y in exponents(1000, 1) for x in (y, -y) if x.hi < 700]
    for x in points:
        got, exact = _wide.wide_exp(x), mp.exp(mp.mpf(x.hi) + mp.mpf(x.lo))
        if exact > 1e-290:  # below, the low part is subnormal
            error = max(error, float(abs(mp.mpf(got.hi) + mp.mpf(got.lo) - exact) / exact))
    print(f"wide_exp: relative error {error:.2e} = 2^{math.log2(error):.1f}")
    assert error <= 2.0**-66
    vector = _wide_array.wide_exp(Wide(np.array([x.hi for x in points]), np.array([x.lo for x in points])))
    single = [_wide.wide_exp(x) for x in points]
    assert vector.hi.tolist() == [x.hi for x in single]
    assert vector.lo.tolist() == [x.lo for x in single]
    with pytest.raises(OverflowError):
        _wide.wide_exp(710.0)
    assert _wide.wide_exp(-1e5).hi == 0.0


def test_the_logarithm_of_one_minus_an_exponential(reference: Any) -> None:
    """Its relative error stays small at both ends, in double-double and in blocks."""
    mp, error, block_error = reference.mp, 0.0, 0.0

    def exactly(x: Any) -> Any:
        return mp.log(-mp.expm1(x)) if x > -1 else mp.log1p(-mp.exp(x))

    points = exponents(2000, 2)
    floats = np.array([x.hi for x in points])
    block = _array.log1mexp_block(floats, np.empty_like(floats), np.empty_like(floats))
    for x, plain in zip(points, block.tolist(), strict=True):
        exact = exactly(mp.mpf(x.hi) + mp.mpf(x.lo))
        got = _scalar.log1mexp(x)
        if abs(exact) > 1e-290:
            error = max(error, abs(float((mp.mpf(got.hi) + mp.mpf(got.lo) - exact) / exact)))
            exact = exactly(mp.mpf(x.hi))
            # the argument's own rounding counts where 1 - exp is as steep as that
            block_error = max(block_error, abs(float((mp.mpf(plain) - exact) / exact)) / (1 + abs(x.hi)))
    print(f"log1mexp: relative error {error:.2e}, in blocks {block_error:.2e} (1 + |x|)")
    assert error <= EPS / 2  # of 1 - exp(x) = 1 - tiny, one float holds the tiny part
    assert block_error <= 4 * EPS
    vector = _array.log1mexp(Wide(floats, np.array([x.lo for x in points])))
    assert vector.hi.tolist() == [_scalar.log1mexp(x).hi for x in points]
    for unreachable in (0.0, 1e-300, 5.0, math.inf):
        with pytest.raises(ValueError, match="out of reach"):
            _scalar.log1mexp(unreachable)
        with pytest.raises(ValueError, match="out of reach"):
            _array.log1mexp(np.array([-1.0, unreachable]))


@pytest.mark.parametrize("largest", [1e-3, 0.1, 1 / 8, 0.2, 1.0, 30.0])
def test_phi2(largest: float, reference: Any) -> None:
    """On either side of the radius of its series."""
    mp, rng = reference.mp, random.Random(str(largest))
    points = np.array([0.0, *(rng.uniform(-largest, largest) for _ in range(1000))])
    block = _array.phi2_block(points, np.empty_like(points), np.empty_like(points))
    for x, plain in zip(points.tolist(), block.tolist(), strict=True):
        exact = (mp.expm1(mp.mpf(x)) - mp.mpf(x)) / mp.mpf(x) ** 2 if x else mp.mpf(1) / 2
        assert abs(_scalar.phi2(x) - exact) <= 3 * EPS * exact
        assert abs(plain - exact) <= 20 * EPS * exact
    same = points.copy()
    assert _array.phi2_block(same, np.empty_like(points), same) is same
    assert same.tolist() == block.tolist()
