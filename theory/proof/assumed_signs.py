"""Signs that follow from assumed ones: of a product whose factors are those of what is assumed, and of
a quotient of what is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sympy import (
    Add,
    Dummy,
    Expr,
    Poly,
    Pow,
    Rational,
    Symbol,
    exp,
    expand_power_exp,
    factor,
    factor_list,
    fraction,
    ilcm,
    reduced,
    together,
)
from sympy.polys.polyerrors import PolynomialError


def powers_as_letters(expressions: Sequence[Expr]) -> tuple[Expr, ...]:
    """The expressions with positive letters in place of powers whose exponents are no integers: what
    holds for all values of these holds for the powers.
    """
    split = [expand_power_exp(e) for e in expressions]
    powers: dict[tuple[Expr, Expr], dict[Expr, Expr]] = {}
    for part in set().union(*(e.atoms(Pow, exp) for e in split)):
        base, exponent = part.as_base_exp()
        if part.is_positive and not exponent.is_Integer:
            multiple, kind = exponent.as_coeff_Mul(rational=True)
            powers.setdefault((base, kind), {})[part] = multiple
    instead: dict[Expr, Expr] = {}
    for number, (_, parts) in enumerate(sorted(powers.items(), key=str)):
        letter = Dummy(f"t_{number}", positive=True)
        unit = ilcm(1, *(multiple.q for multiple in parts.values()))
        instead |= {part: letter ** (multiple * unit) for part, multiple in parts.items()}
    return tuple(e.xreplace(instead) for e in split)


#: More terms than these, and higher powers, are not divided and factored: SymPy's polynomials are
#: dense in one letter.
MOST_TERMS = 100
MOST_DEGREE = 100


def largest_exponent(expressions: Iterable[Expr]) -> int:
    """The largest numerator or denominator of the numbers in exponents: SymPy writes 2^(10^40) out,
    and x^(10^6) as a dense polynomial.
    """
    powers = set[Expr]().union(*(e.atoms(Pow) for e in expressions))
    numbers = set[Rational]().union(*(part.exp.atoms(Rational) for part in powers))
    return max((max(abs(int(number.p)), int(number.q)) for number in numbers), default=0)


class Factors(NamedTuple):
    """The sign of a product by its irreducible factors."""

    negative: bool
    """Whether the product of all factors has to be turned round."""
    odd: frozenset[Expr]
    """Factors of uncertain sign to an odd power."""
    even: frozenset[Expr]
    """And to an even one."""


def factors_of(e: Expr) -> Factors | None:
    """The factors over the rationals, None where there are no polynomials; a sum and its negative are
    one factor.
    """
    above, below = fraction(together(e))
    negative, odd, even = False, set[Expr](), set[Expr]()
    for part in (above, below):
        try:
            coefficient, found = factor_list(part)
        except PolynomialError:
            return None
        if not coefficient.is_Rational or coefficient == 0:
            return None
        negative ^= bool(coefficient < 0)
        for base, power in found:
            turned = base.could_extract_minus_sign()
            base = -base if turned else base
            if power % 2:
                negative ^= turned
            if base.is_positive:
                continue
            if power % 2:
                odd ^= {base}
                even |= {base} - odd
            else:
                even.add(base)
    return Factors(negative, frozenset(odd), frozenset(even))


def follows_by_factors(e: Expr, assume: Sequence[Expr], strict: bool) -> bool:
    """Whether `e > 0`, or `e >= 0` where not strict, since e is a product of some of what is assumed
    positive, of squares and of positive factors.
    """
    wanted = factors_of(e)
    if wanted is None or not assume:
        return False
    known = [found for found in map(factors_of, assume) if found is not None]
    never_zero = frozenset().union(*(found.odd | found.even for found in known))
    if strict and not (wanted.odd | wanted.even) <= never_zero:
        return False
    return _in_span((wanted.negative, wanted.odd), [(one.negative, one.odd) for one in known])


def _in_span(
    wanted: tuple[bool, frozenset[Expr]], known: list[tuple[bool, frozenset[Expr]]]
) -> bool:
    """Whether a product of some known ones is the wanted one up to squares, by elimination."""
    pivots: list[tuple[Expr, bool, frozenset[Expr]]] = []

    def less_known(negative: bool, odd: frozenset[Expr]) -> tuple[bool, frozenset[Expr]]:
        for pivot, turned, others in pivots:
            if pivot in odd:
                negative, odd = negative ^ turned, odd ^ others
        return negative, odd

    for one in known:
        negative, odd = less_known(*one)
        if odd:
            pivots.append((min(odd, key=str), negative, odd))
    return less_known(*wanted) == (False, frozenset())


def quotients(e: Expr, assume: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """`(m, rest)` with `m e + rest` one of the assumed expressions and m not zero: where m is positive
    and rest is never positive, e is positive.
    """
    for assumed in assume:
        whole, part = assumed.expand(), e.expand()
        if len(Add.make_args(whole)) > MOST_TERMS or len(Add.make_args(part)) > MOST_TERMS:
            continue
        try:
            (multiple,), rest = reduced(whole, [part])
        except (PolynomialError, ZeroDivisionError):  # no polynomials, or part is zero as one
            continue
        if multiple != 0 and len(Add.make_args(rest)) <= MOST_TERMS:
            yield factor(multiple), rest


def collected(e: Expr) -> Iterator[list[Expr]]:
    """The terms of an expression as a polynomial in each of its letters, with factored coefficients."""
    for x in sorted(e.free_symbols, key=lambda x: x.name):
        terms = _in_powers_of(e, x)
        if terms is not None and len(terms) > 1:
            yield terms


def _in_powers_of(e: Expr, x: Symbol) -> list[Expr] | None:
    try:
        polynomial = Poly(e, x)
    except PolynomialError:
        return None
    if any(coefficient.has(x) for coefficient in polynomial.coeffs()):
        return None
    return [factor(c) * x**n for (n,), c in polynomial.terms()]
