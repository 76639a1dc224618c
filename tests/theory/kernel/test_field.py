"""The coefficient field: canonical representatives of exponents, factors, certain signs."""

from fractions import Fraction as Exact
from math import prod

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Symbol

from isoflop.theory.kernel.field import CoefficientField, Fraction, integer_factors

b, g = Symbol("b", positive=True), Symbol("g", positive=True)
x, y = Symbol("x", real=True), Symbol("y", real=True)
POSITIVE, MIXED = CoefficientField([b, g]), CoefficientField([b, x, y])

small = st.integers(-6, 6)
monomials = st.tuples(small, st.integers(0, 2), st.integers(0, 2))
polynomials = st.lists(monomials, min_size=1, max_size=4)


def polynomial(field: CoefficientField, terms: list[tuple[int, int, int]]) -> Fraction:
    first, second = (field.generator[symbol] for symbol in field.symbols[:2])
    return sum((field.rational(c) * first**m * second**n for c, m, n in terms), field.zero)


@st.composite
def fractions(draw: st.DrawFn, field: CoefficientField = POSITIVE) -> Fraction:
    numerator, denominator = (polynomial(field, draw(polynomials)) for _ in range(2))
    return numerator / denominator if denominator else numerator


def value(fraction: Fraction, point: tuple[int, ...]) -> Exact | None:
    """At integers, exactly; None at a pole."""
    above, below = (
        sum(int(c) * prod(v**n for v, n in zip(point, m, strict=True)) for m, c in part.items())
        for part in (fraction.numer, fraction.denom)
    )
    return Exact(above, below) if below else None


@pytest.mark.parametrize("modulus", [1, 2])
@settings(max_examples=40)
@given(exponent=fractions(), shift=st.integers(-50, 50))
def test_integer_part_is_canonical(modulus: int, exponent: Fraction, shift: int) -> None:
    """Exponents that differ by a multiple of the modulus, and only those, share their
    representative.
    """
    part = POSITIVE.integer_part(exponent, modulus)
    rest = exponent - POSITIVE.rational(part)
    shifted = exponent + POSITIVE.rational(modulus * shift)
    assert part % modulus == 0
    assert POSITIVE.integer_part(rest, modulus) == 0
    assert POSITIVE.integer_part(shifted, modulus) == part + modulus * shift
    assert shifted - POSITIVE.rational(POSITIVE.integer_part(shifted, modulus)) == rest


@settings(max_examples=40)
@given(fraction=fractions())
def test_factors_multiply_to_the_fraction(fraction: Fraction) -> None:
    if not fraction:
        return
    sign, factors = POSITIVE.factor(fraction)
    product = POSITIVE.rational(sign)
    for prime, multiplicity in factors:
        product *= POSITIVE.prime_fraction(prime) ** multiplicity
    assert product == fraction


@settings(max_examples=40)
@given(
    fraction=fractions(MIXED),
    point=st.tuples(st.integers(1, 9), st.integers(-9, 9), st.integers(-9, 9)),
)
def test_certain_signs_are_right(fraction: Fraction, point: tuple[int, int, int]) -> None:
    """Wherever the sign is called certain, it is the sign at every point of the domain (b > 0, x
    and y real).
    """
    if not fraction:
        return
    sign, unknown = MIXED.sign_of(fraction)
    at = value(fraction, point)
    if not unknown and at:  # an even power may vanish, but not change the sign
        assert (at > 0) == (sign > 0)


@given(number=st.integers(1, 10**16))
def test_integer_factors(number: int) -> None:
    factors = integer_factors(number)
    assert prod(p**n for p, n in factors.items()) == number
    assert all(sympy.isprime(p) for p in factors)


def test_large_integers_keep_their_large_part_whole() -> None:
    """Bounded work: only primes below 10^5 are split off what is beyond 10^20."""
    large = int(sympy.nextprime(10**30) * sympy.nextprime(10**31))
    assert integer_factors(12 * large) == {2: 2, 3: 1, large: 1}
