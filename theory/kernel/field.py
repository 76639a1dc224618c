"""The coefficient field Q(symbols), its primes, and their known signs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Dummy, Integer, Symbol, factorint, primerange
from sympy.polys.domains import ZZ
from sympy.polys.fields import FracElement as Fraction
from sympy.polys.fields import FracField

__all__ = ["CoefficientField", "Fraction", "Prime", "integer_factors"]

TRIAL_DIVISION_LIMIT = 10**5
FULLY_FACTORED = 10**20
LARGEST_DEGREE = 24
LARGEST_POLYNOMIAL_BITS = 5_000


def integer_factors(number: int) -> dict[int, int]:
    """Prime factors with multiplicity.

    A cofactor above 10^20 without a prime factor below 10^5 is kept as one factor. This bounds the
    time and is sound: an unfactored number can only make two equal forms look different.
    """
    factors: dict[int, int] = {}
    for prime in primerange(TRIAL_DIVISION_LIMIT):
        if prime * prime > number:
            break
        while number % prime == 0:
            number //= prime
            factors[prime] = factors.get(prime, 0) + 1
    if number >= FULLY_FACTORED:
        factors[number] = 1
    elif number > 1:
        factors |= {int(p): int(n) for p, n in factorint(number).items() if p > 1}
    return factors


def _is_large(polynomial: Any) -> bool:
    """Whether factoring would take more than about a tenth of a second."""
    bits = max(abs(int(coefficient)).bit_length() for coefficient in polynomial.values())
    degree = max(sum(monomial) for monomial in polynomial)
    return degree > LARGEST_DEGREE or len(polynomial) * bits > LARGEST_POLYNOMIAL_BITS


@dataclass(frozen=True)
class Prime:
    """A multiplicative atom: an integer prime, an irreducible polynomial, or a registered
    multi-term sum.
    """

    kind: str  # "integer" | "polynomial" | "sum" (positive) | "signed" (a sum of either sign)
    value: Any  # int, PolyElement, or a normal form


class CoefficientField:
    """Rational functions of the symbols over the integers, with a growing table of primes.

    A prime is referred to by its index. `signs[i]` is +1, -1, or 0 where it is unknown; a polynomial
    is certified positive if all its coefficients and symbols are positive, or if it was declared so.
    """

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.symbols = tuple(sorted(set(symbols), key=lambda symbol: symbol.name))
        generators = self.symbols or (Dummy("unit"),)
        self.field = FracField(generators, ZZ)
        self.ring = self.field.ring
        self.generator = dict(zip(generators, self.field.gens, strict=True))
        self.zero: Fraction = self.field.zero
        self.one: Fraction = self.field.one
        self.primes: list[Prime] = []
        self.signs: list[int] = []
        self._index: dict[Any, int] = {}
        self._factored: dict[Any, tuple[int, list[tuple[int, int]]]] = {}
        self._open_columns = [i for i, x in enumerate(self.symbols) if not x.is_positive]

    def rational(self, numerator: int, denominator: int = 1) -> Fraction:
        return self.field(numerator) / self.field(denominator)

    def prime_index(self, prime: Prime, sign: int) -> int:
        exact = prime.kind in ("integer", "polynomial")
        key = (prime.kind, prime.value) if exact else (prime.kind, len(self.primes))
        if key not in self._index:
            self._index[key] = len(self.primes)
            self.primes.append(prime)
            self.signs.append(sign)
        return self._index[key]

    def factor_polynomial(self, polynomial: Any) -> tuple[int, list[tuple[int, int]]]:
        """Sign and factors `(prime, multiplicity)` of a non-zero integer polynomial; a large
        polynomial is kept as one factor.
        """
        if polynomial not in self._factored:
            self._factored[polynomial] = self._factor_polynomial(polynomial)
        return self._factored[polynomial]

    def _factor_polynomial(self, polynomial: Any) -> tuple[int, list[tuple[int, int]]]:
        if polynomial.is_ground:
            content, factors = int(polynomial.LC), []
        elif len(polynomial) == 1:
            monomial, coefficient = polynomial.LM, polynomial.LC
            content = int(coefficient)
            factors = [(self.ring.gens[i], n) for i, n in enumerate(monomial) if n]
        elif _is_large(polynomial):
            raw, primitive = polynomial.primitive()
            content, factors = int(raw), [(primitive, 1)]
        else:
            raw, factors = polynomial.factor_list()
            content = int(raw)
        sign = 1
        found: list[tuple[int, int]] = []
        for factor, multiplicity in factors:
            if factor.LC < 0:
                factor, sign = -factor, sign * (-1) ** multiplicity
            found.append(
                (
                    self.prime_index(Prime("polynomial", factor), self._polynomial_sign(factor)),
                    multiplicity,
                )
            )
        if content < 0:
            sign, content = -sign, -content
        if content > 1:
            for base, multiplicity in integer_factors(content).items():
                found.append((self.prime_index(Prime("integer", base), 1), multiplicity))
        return sign, found

    def factor(self, fraction: Fraction) -> tuple[int, list[tuple[int, int]]]:
        """Sign and factors of a non-zero fraction; its denominator has negative multiplicities."""
        sign_above, above = self.factor_polynomial(fraction.numer)
        sign_below, below = self.factor_polynomial(fraction.denom)
        return sign_above * sign_below, above + [(index, -n) for index, n in below]

    def _polynomial_sign(self, polynomial: Any) -> int:
        can_vanish = all(any(monomial[i] for i in self._open_columns) for monomial in polynomial)
        return 0 if can_vanish or not self._has_nonnegative_terms(polynomial) else 1

    def _has_nonnegative_terms(self, polynomial: Any) -> bool:
        odd = any(monomial[i] % 2 for monomial in polynomial for i in self._open_columns)
        return not odd and all(c > 0 for c in polynomial.values())

    def is_nonnegative(self, index: int) -> bool:
        """Whether the prime is a polynomial that is certainly not negative; it may vanish."""
        prime = self.primes[index]
        return prime.kind == "polynomial" and self._has_nonnegative_terms(prime.value)

    def sign_of(self, fraction: Fraction) -> tuple[int, list[int]]:
        """The sign of a fraction, (+1 or -1, []) where it is certain; otherwise the sign of the known
        part, with the primes of unknown sign that occur to an odd power.
        """
        if fraction.denom.is_ground and fraction.numer.is_ground:
            return (1 if fraction.numer.LC * fraction.denom.LC > 0 else -1), []
        sign, factors = self.factor(fraction)
        unknown: list[int] = []
        for index, multiplicity in factors:
            if multiplicity % 2:
                if self.signs[index]:
                    sign *= self.signs[index]
                else:
                    unknown.append(index)
        return sign, unknown

    def unknown_primes(self, fraction: Fraction) -> list[int]:
        """All primes of unknown sign that divide the fraction's numerator or denominator."""
        return [index for index, _ in self.factor(fraction)[1] if not self.signs[index]]

    def declare_positive(self, fraction: Fraction) -> None:
        """Assume `fraction > 0`, which fixes the sign of a prime if only one was unknown."""
        sign, unknown = self.sign_of(fraction)
        if len(unknown) == 1:
            self.signs[unknown[0]] = sign

    def prime_fraction(self, index: int) -> Fraction:
        return self.field(self.primes[index].value)

    @staticmethod
    def integer_part(exponent: Fraction, modulus: int) -> int:
        """The multiple n of `modulus` for which `exponent - n` is the canonical representative mod
        `modulus`.

        Adding an integer m to num/den adds m*LC(den) to the coefficient that num has at the leading
        monomial of den; reducing that coefficient to [0, modulus*LC(den)) is therefore canonical.
        """
        denominator = exponent.denom
        leading = denominator.LC
        coefficient = exponent.numer.get(denominator.LM, 0)
        return int(coefficient // (modulus * leading)) * modulus

    def to_sympy(self, fraction: Fraction) -> Any:
        if not self.symbols:
            return Integer(int(fraction.numer.LC if fraction.numer else 0)) / Integer(
                int(fraction.denom.LC)
            )
        return fraction.as_expr()
