"""Double-double arithmetic against exact rationals, its logarithm and exponential against mpmath."""

import math
import random
import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isoflop.numeric import _wide, _wide_array, _wide_table
from isoflop.numeric._wide import Wide, ratio, two_product, two_sum, wide
from isoflop.theory.code import wide_table

MP = mpmath.mp.clone()
MP.dps = 60

POINTS = 2000  # of each family
UNIT = Fraction(1, 2**106)  # half an ulp, squared: the rounding unit of a pair
LOG_ERROR = 1e-30  # of max(1, |ln x|): a hundred times the rounding unit; 3.3e-31 is the worst seen
LOG_RELATIVE = 1e-28  # worst where |ln x| is about 1/512, the widest reach of one table entry: 3.4e-29 seen
EXP_BLUR = 2.0**-67  # relative error of exp before the last rounding, which squares and higher powers leave
EXP_ULPS = 0.501  # half for the last rounding, and the blur
TIE = 2.0**-60  # this far, relatively, from half way between two floats exp rounds to the right side
SUBNORMAL_TIE = 2.0**-52  # and this far between two subnormal numbers
EXPM1_ULPS = 0.76  # half, and a quarter where |x| is about 1e-16 and the low part is rounded before
SMALLEST, LARGEST = 5e-324, math.nextafter(math.inf, 0.0)


def exact(x: Wide | float) -> mpmath.mpf:
    return MP.mpf(x.hi) + MP.mpf(x.lo) if isinstance(x, Wide) else MP.mpf(x)


def fraction(x: Wide | float) -> Fraction:
    return Fraction(x.hi) + Fraction(x.lo) if isinstance(x, Wide) else Fraction(x)


def is_normalised(x: Wide) -> bool:
    return abs(x.lo) <= math.ulp(x.hi) / 2


def ulps(value: float, reference: mpmath.mpf) -> float:
    return float(abs(exact(value) - reference) / math.ulp(value))


# Points


def any_float(rng: random.Random) -> float:
    """A positive finite float, every exponent as likely as another."""
    bits = rng.randrange(1, struct.unpack("<Q", struct.pack("<d", math.inf))[0])
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def near_one(rng: random.Random) -> float:
    return 1.0 + rng.choice([-1, 1]) * 10 ** rng.uniform(-16, -0.5)


def subnormal(rng: random.Random) -> float:
    return SMALLEST * rng.randrange(1, 2 ** rng.randint(1, 52))


def table_boundary(rng: random.Random) -> float:
    """A float at, or next to, a point where one table entry, or one binade, follows on another."""
    halves = rng.randint(2 * _wide_table.LOG_FIRST, 2 * (_wide_table.LOG_FIRST + len(_wide_table.LOG)))
    edge = rng.choice([halves / (2 * _wide_table.LOG_STEPS), 1.0, math.sqrt(0.5)])
    return math.ldexp(math.nextafter(edge, rng.choice([0.0, edge, 2.0])), rng.choice([0, rng.randint(-1000, 1000)]))


def refined(rng: random.Random) -> Wide:
    x = any_float(rng)
    return Wide(*two_sum(x, x * rng.uniform(-1, 1) * 2.0**-53))


def refined_one(rng: random.Random) -> Wide:
    return Wide(*two_sum(1.0, rng.choice([-1, 1]) * 10 ** rng.uniform(-40, -2)))


FAMILIES = [any_float, near_one, subnormal, table_boundary, refined, refined_one]


def points(family, seed: int = 0) -> Iterator:
    rng = random.Random(f"{family.__name__} {seed}")
    return (family(rng) for _ in range(POINTS))


def exponents(low: float, high: float, seed: int = 0) -> Iterator[Wide]:
    rng = random.Random(f"{low} {high} {seed}")
    for _ in range(POINTS):
        hi = rng.uniform(low, high)
        yield Wide(*two_sum(hi, math.ulp(hi) * rng.uniform(-0.5, 0.5)))


def small_exponents(seed: int = 0) -> Iterator[Wide]:
    rng = random.Random(seed)
    for _ in range(POINTS):
        hi = rng.choice([-1, 1]) * 10 ** rng.uniform(-30, 0)
        yield Wide(*two_sum(hi, math.ulp(hi) * rng.uniform(-0.5, 0.5)))


# The table


def test_table_is_what_the_theory_prints() -> None:
    assert Path(_wide_table.__file__).read_text(encoding="utf-8") == wide_table.source()


def test_table_covers_one_octave_around_one() -> None:
    first, last = _wide_table.LOG_FIRST, _wide_table.LOG_FIRST + len(_wide_table.LOG) - 1
    assert (first - 0.5) / _wide_table.LOG_STEPS < math.sqrt(0.5)
    assert (last + 0.5) / _wide_table.LOG_STEPS > math.sqrt(2)
    assert _wide_table.LOG[_wide_table.LOG_STEPS - first] == (0.0, 0.0)
    assert len(_wide_table.EXP) == _wide_table.EXP_STEPS
    assert all(is_normalised(Wide(*row)) for row in (*_wide_table.LOG, *_wide_table.EXP))


def test_leading_terms_of_ln2_multiply_exactly() -> None:
    for term in (_wide_table.LN2_HI, _wide_table.LN2_MID):
        numerator, _ = term.as_integer_ratio()
        assert numerator.bit_length() <= 53 - 17
        assert 746 * _wide.STEPS_PER_NAT < 2**17


# Error-free transformations and arithmetic, against exact rationals

finite = st.floats(allow_nan=False, allow_infinity=False)
addends = finite.filter(lambda x: abs(x) < 1e307)  # the sum does not overflow
factors = addends.filter(lambda x: x == 0 or 1e-145 < abs(x) < 1e145)  # nor the product, either way


@st.composite
def wides(draw: st.DrawFn) -> Wide:
    hi = draw(factors)
    lo = draw(st.integers(-(2**53), 2**53)) * 2.0**-53  # no subnormal rest
    return Wide(*two_sum(hi, hi * lo * 2.0**-53))


@given(addends, addends)
def test_two_sum_is_exact(a: float, b: float) -> None:
    s, e = two_sum(a, b)
    assert s == a + b
    assert Fraction(s) + Fraction(e) == Fraction(a) + Fraction(b)


@given(addends, addends)
def test_fast_two_sum_is_exact_for_ordered_arguments(a: float, b: float) -> None:
    assert _wide.fast_two_sum(*sorted([a, b], key=abs, reverse=True)) == two_sum(a, b)


@given(factors, factors)
def test_two_product_is_exact(a: float, b: float) -> None:
    p, e = two_product(a, b)
    assert p == a * b
    assert Fraction(p) + Fraction(e) == Fraction(a) * Fraction(b)


def test_two_product_is_exact_to_the_ends_of_its_domain() -> None:
    for a, b in [(math.nextafter(2.0**996, 0.0), 0.7), (1.0 + 2.0**-52, 2.0**-968 * (2.0 - 2.0**-52))]:
        p, e = two_product(a, b)
        assert Fraction(p) + Fraction(e) == Fraction(a) * Fraction(b)


OPERATIONS = {
    "add": (lambda a, b: a + b, 3),
    "sub": (lambda a, b: a - b, 3),
    "mul": (lambda a, b: a * b, 7),
    "truediv": (lambda a, b: a / b, 15),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=wides() | factors, b=wides() | factors | st.integers(-(2**60), 2**60))
def test_operators_are_good_to_a_few_units(name: str, a: Wide | float, b: Wide | float) -> None:
    operation, units = OPERATIONS[name]
    assume(name != "truediv" or fraction(b) != 0)
    for result in (operation(wide(a), b), operation(a, wide(b))):
        reference = operation(fraction(a), fraction(b))
        assert abs(fraction(result) - reference) <= units * (1 + UNIT**0.25) * UNIT * abs(reference)
        assert is_normalised(result)


@given(wides(), st.floats(-1, 1))
def test_sums_keep_their_precision_through_cancellation(a: Wide, nudge: float) -> None:
    b = Wide(*two_sum(-a.hi, -a.lo + nudge * a.lo))
    reference = fraction(a) + fraction(b)
    assert abs(fraction(a + b) - reference) <= 4 * UNIT * abs(reference)


@given(wides())
def test_negation_and_powers_of_two_are_exact(a: Wide) -> None:
    assert fraction(-a) == -fraction(a)
    assert fraction(a * 2) == fraction(2 * a) == 2 * fraction(a)
    assert fraction(a / 2) == fraction(a) / 2


@given(st.integers(), st.integers().filter(bool))
def test_ratio_is_good_to_one_unit(p: int, q: int) -> None:
    assert abs(fraction(ratio(p, q)) - Fraction(p, q)) <= UNIT * abs(Fraction(p, q))


@given(st.integers(-(2**106), 2**106))
def test_integers_are_exact(n: int) -> None:
    assert fraction(wide(n)) == n


def test_third_is_a_third() -> None:
    third = ratio(1, 3)
    assert (third.hi, third.lo) == (_wide.THIRD_HI, _wide.THIRD_LO)


def test_wide_prints_and_converts() -> None:
    assert repr(Wide(1.0, 1e-20)) == "Wide(1.0, 1e-20)"
    assert float(ratio(1, 3)) == 1 / 3


# Logarithm


@pytest.mark.parametrize("family", FAMILIES)
def test_log_against_mpmath(family) -> None:
    for x in points(family):
        result, reference = _wide.log(x), MP.log(exact(x))
        error = abs(exact(result) - reference)
        assert error <= LOG_ERROR * max(1, abs(reference)), x
        assert error <= LOG_RELATIVE * abs(reference), x
        assert is_normalised(result), x


def test_log_of_powers_of_two_and_of_one() -> None:
    assert (_wide.log(1).hi, _wide.log(1).lo) == (0.0, 0.0)
    for k in (-1074, -1022, -1, 1, 1023):
        assert abs(exact(_wide.log(math.ldexp(1.0, k))) - k * MP.ln2) <= 1e-31 * abs(k)


def test_log_of_integers_is_that_of_all_their_digits() -> None:
    n = 2**80 + 12345
    assert abs(exact(_wide.log(n)) - MP.log(n)) <= LOG_ERROR * 60


@pytest.mark.parametrize("low", [-300, -30])
def test_log1p_against_mpmath(low: int) -> None:
    rng = random.Random(low)
    for _ in range(POINTS):
        x = rng.choice([-1, 1]) * 10 ** rng.uniform(low, -0.01)
        # ln(1 + x) = x - x^2/2 + ... : the digits of 1 + x need not be held
        reference = MP.log1p(x)
        assert abs(exact(_wide.log1p(x)) - reference) <= LOG_RELATIVE * abs(reference), x


def test_large_logarithms_cancel_to_a_small_one() -> None:
    """ln x + ln y for y next to 1/x: of size 1e-16, from terms of up to 700."""
    for x in points(any_float, seed=1):
        if not 1e-307 < x < 1e307:
            continue
        for y in (1 / x, math.nextafter(1 / x, 0.0), math.nextafter(1 / x, math.inf)):
            reference = MP.log(MP.mpf(x) * MP.mpf(y))
            total = _wide.log(x) + _wide.log(y)
            assert abs(exact(total) - reference) <= 2 * LOG_ERROR * max(1, abs(math.log(x)))


# Exponential


@pytest.mark.parametrize(("low", "high"), [(-708.39, 709.78), (-1, 1), (-745.13, -708), (-746, -744)])
def test_exp_against_mpmath(low: float, high: float) -> None:
    for x in exponents(low, high):
        result = _wide.exp(x)
        assert ulps(result, MP.exp(exact(x))) <= EXP_ULPS, x


def test_exp_of_small_arguments_against_mpmath() -> None:
    for x in small_exponents():
        assert ulps(_wide.exp(x), MP.exp(exact(x))) <= EXP_ULPS, x


def test_exp_before_the_last_rounding() -> None:
    for x in exponents(-745, 709, seed=1):
        hi, lo, e = _wide._scaled_exp(x.hi, x.lo)
        reference = MP.ldexp(MP.exp(exact(x)), -e)
        assert abs(exact(Wide(hi, lo)) - reference) <= EXP_BLUR * reference, x


def test_exp_at_the_ends_of_its_range() -> None:
    last = math.log(LARGEST)
    assert ulps(_wide.exp(last), MP.exp(last)) <= EXP_ULPS
    assert _wide.exp(_wide.log(LARGEST)) == LARGEST
    assert _wide.exp(_wide.log(SMALLEST)) == SMALLEST
    # below half the smallest subnormal number is 0, above it is not
    half = _wide.log(SMALLEST) - _wide.log(2)
    assert (_wide.exp(half - SUBNORMAL_TIE), _wide.exp(half + SUBNORMAL_TIE)) == (0.0, SMALLEST)
    assert _wide.exp(-math.inf) == 0.0 == _wide.exp(-1e300)
    # half way from the largest float to the next is where rounding turns to infinity
    limit = 1024 * _wide.log(2) + _wide.log1p(-(2.0**-54))
    assert _wide.exp(limit - TIE) == LARGEST
    for x in (
        limit + TIE,
        math.nextafter(last, math.inf),
        711.0,
        1e300,
        math.inf,
        Wide(math.inf, math.nan),
    ):
        for function in (_wide.exp, _wide.expm1):
            with pytest.raises(OverflowError, match=r"x = .* must be at most 709\.78"):
                function(x)


@pytest.mark.parametrize(("low", "high"), [(-50, 50), (-1, 1), (0, 709.78)])
def test_expm1_against_mpmath(low: float, high: float) -> None:
    for x in exponents(low, high):
        assert ulps(_wide.expm1(x), MP.expm1(exact(x))) <= EXPM1_ULPS, x


def test_expm1_of_small_arguments_against_mpmath() -> None:
    for x in small_exponents():
        assert ulps(_wide.expm1(x), MP.expm1(exact(x))) <= EXPM1_ULPS, x
    for tiny in (0.0, SMALLEST, -SMALLEST, 1e-300, -1e-300):
        assert _wide.expm1(tiny) == tiny
    assert _wide.expm1(-math.inf) == -1.0 == _wide.expm1(-1e300)


@given(finite.filter(lambda x: x > 0))
def test_exp_undoes_log(x: float) -> None:
    assert _wide.exp(_wide.log(x)) == x


def test_power_products_are_rounded_once() -> None:
    """prod x_i^e_i with terms e_i ln x_i of up to 700 in size, and results of any size."""
    rng = random.Random(5)
    seen = 0
    while seen < POINTS:
        bases = [any_float(rng) for _ in range(4)]
        powers = [rng.uniform(-1, 1) for _ in bases]
        reference = MP.exp(MP.fsum(MP.mpf(e) * MP.log(x) for x, e in zip(bases, powers, strict=True)))
        if not SMALLEST < reference < LARGEST:
            continue
        exponent = sum((e * _wide.log(x) for x, e in zip(bases, powers, strict=True)), wide(0))
        assert ulps(_wide.exp(exponent), reference) <= EXP_ULPS, (bases, powers)
        seen += 1


# Arrays


def columns(values: Sequence[Wide | float]) -> Wide:
    parts = [_wide.pair(value) for value in values]
    return Wide(np.array([hi for hi, _ in parts]), np.array([lo for _, lo in parts]))


def assert_same(result: Wide, expected: list[Wide]) -> None:
    np.testing.assert_array_equal(result.hi, [value.hi for value in expected])
    np.testing.assert_array_equal(result.lo, [value.lo for value in expected])


@pytest.mark.parametrize("family", FAMILIES)
def test_array_log_agrees_bit_for_bit(family) -> None:
    x = list(points(family, seed=2))
    assert_same(_wide_array.log(columns(x)), [_wide.log(value) for value in x])


def test_array_log1p_agrees_bit_for_bit() -> None:
    x = [*np.linspace(-0.999, 5, POINTS), 1e-300, -1e-20, 0.0, 1e300]
    assert_same(_wide_array.log1p(x), [_wide.log1p(float(value)) for value in x])


@pytest.mark.parametrize("name", ["exp", "expm1"])
def test_array_exponentials_agree_bit_for_bit(name: str) -> None:
    scalar, array = getattr(_wide, name), getattr(_wide_array, name)
    ranges = [(-747, 709.78), (-1, 1), (-746, -707), (-41, -36)]
    x = [value for low, high in ranges for value in exponents(low, high, seed=2)]
    x += [*small_exponents(seed=2), Wide(-math.inf, math.nan), Wide(-1e300), Wide(0.0)]
    np.testing.assert_array_equal(array(columns(x)), [scalar(value) for value in x])


@pytest.mark.parametrize("function", [_wide_array.exp, _wide_array.expm1])
def test_array_exponentials_overflow_to_infinity(function) -> None:
    x = np.array([709.79, 1e300, math.inf, 1.0])
    assert np.isinf(function(x)).tolist() == [True, True, True, False]
    assert np.isinf(function(Wide(np.array([math.inf]), np.array([math.nan])))).all()


def test_arrays_keep_their_shape() -> None:
    size = 2 * _wide_array.BLOCK + 6
    x = np.linspace(1.0, 9.0, size)
    flat = _wide_array.log(x)
    for view in (x.reshape(2, -1), x.reshape(-1, 2).T, x[::-3], x[:0], x[5]):
        result = _wide_array.log(view)
        assert result.hi.shape == result.lo.shape == _wide_array.exp(result).shape == view.shape
    np.testing.assert_array_equal(_wide_array.log(x.reshape(-1, 2).T).lo, flat.lo.reshape(-1, 2).T)
    np.testing.assert_array_equal(_wide_array.exp(flat), x)


def test_operators_broadcast_like_numpy() -> None:
    rng = np.random.default_rng(6)
    a = _wide_array.log(rng.uniform(0.1, 10, (3, 1)))
    b = _wide_array.log(rng.uniform(0.1, 10, 4))
    for operation, _ in OPERATIONS.values():
        result = operation(a, b)
        assert result.hi.shape == result.lo.shape == (3, 4)
        for i in range(3):
            for j in range(4):
                one = operation(Wide(float(a.hi[i, 0]), float(a.lo[i, 0])), Wide(float(b.hi[j]), float(b.lo[j])))
                assert (result.hi[i, j], result.lo[i, j]) == (one.hi, one.lo)


@pytest.mark.parametrize("left", [np.array([0.3, 7.0]), np.float64(0.3), 3, 0.3])
def test_arrays_and_numbers_stand_on_either_side(left) -> None:
    w = ratio(2, 3)
    for operation, _ in OPERATIONS.values():
        for one, other in ((left, w), (w, left)):
            result = operation(one, other)
            expected = operation(wide(one), wide(other))
            assert isinstance(result, Wide)
            np.testing.assert_array_equal([result.hi, result.lo], [expected.hi, expected.lo])


# Errors


@pytest.mark.parametrize("bad", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
def test_log_names_what_it_refuses(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"x = {bad!r} must be positive and finite"):
        _wide.log(bad)
    with pytest.raises(ValueError, match=rf"x = {bad!r} must be positive and finite"):
        _wide_array.log([[1.0, 2.0], [bad, -7.0]])


@pytest.mark.parametrize("bad", [-1.0, -2.0, math.nan, math.inf])
def test_log1p_names_what_it_refuses(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"x = {bad!r} must be finite and greater than -1"):
        _wide.log1p(bad)
    with pytest.raises(ValueError, match=rf"x = {bad!r} must be finite and greater than -1"):
        _wide_array.log1p([0.5, bad, -7.0])


@pytest.mark.parametrize("bad", [Wide(math.nan), Wide(1.0, math.nan)])
def test_no_function_answers_nan_with_nan(bad: Wide) -> None:
    for function in (_wide.log, _wide.exp, _wide.expm1, _wide_array.log, _wide_array.exp, _wide_array.expm1):
        with pytest.raises(ValueError, match=r"x = .* must be"):
            function(bad)


@pytest.mark.parametrize("bad", ["1", None, 1j, np.ones(2, np.float32), np.int64(1)])
def test_operators_name_what_they_refuse(bad) -> None:
    for function in (wide, lambda x: wide(1) + x, lambda x: x * wide(1)):
        with pytest.raises(TypeError, match="must be a Wide, float, int or float64 array"):
            function(bad)


def test_ratio_and_wide_name_what_they_refuse() -> None:
    with pytest.raises(ValueError, match=r"q = 0 must be a nonzero integer \(the denominator of 3/0\)"):
        ratio(3, 0)
    with pytest.raises(ValueError, match="x has 1329 bits and must be in the range of a float"):
        wide(10**400)
