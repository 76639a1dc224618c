"""The order of terms and factors in a paper, and what stands in a fraction, for every printer.

SymPy sorts terms and factors by its own rules. Papers write E before A N^-beta before B D^-gamma
and coefficients before variables, and keep negative symbolic powers on the line. `Conventional` is
this layout as a mixin of the printers of plain text and of LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sympy import Add, Derivative, Expr, Function, Integer, Mul, Pow, Rational, Subs
from sympy.core.alphabets import greeks
from sympy.core.function import AppliedUndef

from ..kernel import symbols as sym
from ..kernel.factorials import Factorial, Gamma

S = sym.LOG_SIZE_RATIO
OPTIMAL = "_opt"
#: The end of the name of a function of the number of draws, such as pass@k.
AT = "@"
HALF = Rational(1, 2)
LARGEST_FRACTION, LARGEST_NUMERATOR = 10, 100
#: The `_kind` of a power of a number, which stands before names.
NUMERAL = 1

_IN_ORDER = (
    "E w a d alpha alpha_C beta gamma delta kappa A B C0 epsilon "
    "R L r rho k_D N D t N_max D_max C s"
)
#: The order of names within a product.
FACTOR_ORDER = tuple(_IN_ORDER.split())
EXPONENTS = ("alpha", "beta", "gamma")
COEFFICIENTS = frozenset(["w", "a", "d", "delta", "alpha_C", "epsilon", *EXPONENTS])


def _role(name: str) -> str:
    """The name in FACTOR_ORDER beside which a symbol is sorted: delta for other small letters."""
    stem, _, index = name.partition("_")
    if index == "opt":
        return stem if stem in FACTOR_ORDER else "D"
    if stem in ("w", "k") and index:
        return "w" if stem == "w" else "k_D"
    return "delta" if name not in FACTOR_ORDER and (stem in greeks or stem.islower()) else name


def _place(name: str) -> int:
    return FACTOR_ORDER.index(name) if name in FACTOR_ORDER else len(FACTOR_ORDER)


def _rank(name: str) -> tuple[int, str]:
    """A sort key of a name, by its role and then by its index: w_N before w_D, as N before D."""
    index = name.partition("_")[2]
    return _place(_role(name)), f"{_place(index):03}" if index in FACTOR_ORDER else name


def _names(expression: Expr) -> list[str]:
    if isinstance(expression, Factorial | Gamma):
        return [str(expression)]
    functions = [str(f.func) for f in expression.atoms(AppliedUndef)]
    return sorted([s.name for s in expression.free_symbols] + functions, key=_rank)


def _is_symbolic_power(factor: Expr) -> bool:
    return isinstance(factor, Pow) and not factor.exp.is_Rational


def _is_function(factor: Expr) -> bool:
    base = factor.as_base_exp()[0] if isinstance(factor, Pow) else factor
    if isinstance(base, Factorial | Gamma):
        return False
    if isinstance(base, AppliedUndef):
        return str(base.func).endswith(AT)
    return isinstance(base, Function)


def _is_optimum(factor: Expr) -> bool:
    return isinstance(factor, AppliedUndef) and str(factor.func).endswith(OPTIMAL)


def _kind(factor: Expr) -> int:
    """The rank of a factor: numbers, their powers, plain names, their powers, powers of longer
    bases, sums, functions.
    """
    if factor.is_Rational:
        return 0
    if _is_function(factor):
        return 6
    base = factor.base if isinstance(factor, Pow) else factor
    if base.is_Rational:
        return NUMERAL
    if not _is_symbolic_power(factor):
        return 5 if isinstance(base, Add) else 2
    return 3 if base.is_Symbol or _is_optimum(base) else 4


@lru_cache(maxsize=4096)
def _factor_key(factor: Expr) -> tuple[Any, ...]:
    base, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, Integer(1))
    degree = power if power.is_Rational else Integer(1)
    ranks = [_rank(name) for name in _names(base)]
    return (_kind(factor), ranks, degree if S in base.free_symbols else -degree, str(factor))


def ordered_factors(product: Expr) -> list[Expr]:
    """The factors of a product, sorted: numbers, coefficients, variables, sums, functions."""
    return sorted(Mul.make_args(product), key=_factor_key)


def ordered_terms(total: Expr) -> list[Expr]:
    """The terms of a sum, sorted, with a positive one in front if there is one."""
    terms = sorted(Add.make_args(total), key=_term_key)
    first = next((i for i, term in enumerate(terms) if not is_negative(term)), 0)
    return terms[first:] + terms[:first]


def is_negative(term: Expr) -> bool:
    """Whether the term is written with a minus sign."""
    return bool(term.as_coeff_Mul()[0].is_negative)


@lru_cache(maxsize=4096)
def _term_key(term: Expr) -> tuple[Any, ...]:
    """A sort key of a term: by degree in s, constants before powers, and powers by their exponent,
    A N^-beta before B D^-gamma.
    """
    factors = ordered_factors(term)
    degree = next((f.as_base_exp()[1] for f in factors if f.as_base_exp()[0] == S), Integer(0))
    powers = [f for f in factors if _is_symbolic_power(f) or (_is_function(f) and f.free_symbols)]
    names = {name for power in powers for name in _power_names(power)}
    leading = min(
        (EXPONENTS.index(name) for name in names if name in EXPONENTS), default=len(EXPONENTS)
    )
    rest = [_factor_key(f) for f in factors if not f.is_Rational]
    return (degree, bool(powers), leading, [(rank, power, text) for _, rank, power, text in rest])


def _power_names(factor: Expr) -> list[str]:
    if _is_symbolic_power(factor) and not _is_function(factor):
        return _names(factor.exp)
    return _names(Add(*factor.args) if not isinstance(factor, Pow) else factor)


class Quotient(NamedTuple):
    """A product as it is set: sign, numerator, denominator, and the factors behind the fraction."""

    negative: bool
    numerator: list[Expr]
    denominator: list[Expr]
    tail: list[Expr]


def quotient(product: Expr) -> Quotient:
    """Split a product as it is set: coefficients in the fraction, powers and longer sums behind."""
    number, rest = _into_root(*product.as_coeff_Mul())
    over, under = abs(number).as_numer_denom()
    if is_decimal(abs(number)):
        over, under = abs(number), Integer(1)
    above = [over] if over != 1 else []
    below = [under] if under != 1 else []
    inline: list[Expr] = []
    rates: list[Expr] = []
    for factor in _joined_roots(ordered_factors(rest)):
        base, power = factor.as_base_exp() if isinstance(factor, Pow) else (factor, Integer(1))
        if isinstance(factor, Derivative | Subs):
            rates.append(factor)
        elif power.is_Integer and power.is_negative:
            below.append(Pow(base, -power))
        elif not power.is_Integer or _is_function(factor):
            inline.append(factor)
        elif factor != 1:
            above.append(factor)
    if below:
        above, tail = _above_and_behind(above, below, inline)
        tail += rates
    else:
        above, tail = sorted(above + inline + rates, key=lambda f: _kind(f) > NUMERAL), []
    return Quotient(bool(number.is_negative), above or [Integer(1)], below, tail)


def _above_and_behind(
    above: list[Expr], below: list[Expr], inline: list[Expr]
) -> tuple[list[Expr], list[Expr]]:
    """The numerator, and the factors behind the fraction."""
    sums = [f for f in above if isinstance(f, Add) and not _is_coefficient(f)]
    plain = [f for f in above if f not in sums]
    variables = [f for f in plain if not _is_coefficient(f)]
    coefficients = [f for f in plain if _is_coefficient(f)]
    if all(map(_is_coefficient, below)) and any(f.free_symbols for f in coefficients):
        return coefficients, variables + inline + sums
    if plain:
        return plain, inline + sums
    powers = [f for f in inline if not isinstance(f.as_base_exp()[0], Add)]
    if powers:
        return powers, [f for f in inline if f not in powers] + sums
    return sums, inline


def _is_coefficient(factor: Expr) -> bool:
    return all(_role(name) in COEFFICIENTS for name in _names(factor))


def _joined_roots(factors: list[Expr]) -> list[Expr]:
    """The factors with their square roots joined under one sign."""
    roots = [f for f in factors if isinstance(f, Pow) and f.exp.is_Rational and f.exp.q == 2]
    if len(roots) < 2:
        return factors
    inside = Mul(*(f**2 for f in roots))
    return [*(f for f in factors if f not in roots), Pow(inside, HALF, evaluate=False)]


def _into_root(number: Rational, rest: Expr) -> tuple[Rational, Expr]:
    """A number and a product with the number moved into a root where that is simpler: sqrt(C/6)
    rather than sqrt(6) sqrt(C)/6.
    """
    roots = [f for f in Mul.make_args(rest) if isinstance(f, Pow) and f.exp == HALF]
    integer = next((f.base for f in roots if f.base.is_Integer), None)
    if integer is None or len(roots) < 2 or abs(number) * integer != 1:
        return number, rest
    joined = Pow(Mul(*(f.base for f in roots)) * number**2, HALF, evaluate=False)
    others = [f for f in Mul.make_args(rest) if f not in roots]
    return number * integer, Mul(*others, joined, evaluate=False)


def is_decimal(number: Rational) -> bool:
    """Whether a fraction reads better as a finite decimal: 0.3478 rather than 1739/5000."""
    if not number.is_Rational or number.q == 1:
        return False
    if number.q <= LARGEST_FRACTION and abs(number.p) <= LARGEST_NUMERATOR:
        return False
    rest = int(number.q)
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal_text(number: Rational) -> str:
    """The decimal expansion of a fraction that has a finite one."""
    digits = next(k for k in range(1, int(number.q) + 1) if 10**k % number.q == 0)
    whole = str(abs(int(number.p)) * 10**digits // int(number.q)).rjust(digits + 1, "0")
    return f"{'-' if number.is_negative else ''}{whole[:-digits]}.{whole[-digits:]}"


class Conventional:
    """A mixin that prints sums, products and powers in the order of a paper, with the marks of
    plain text; a subclass may override these.
    """

    _print: Callable[..., str]

    def bracket(self, text: str) -> str:
        return f"({text})"

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        over = self._operand(above[0]) if len(above) == 1 else self.product(above)
        under = self._operand(below[0]) if len(below) == 1 else self.bracket(self.product(below))
        return f"{over}/{under}" if alone else f"({over}/{under})"

    def _operand(self, factor: Expr) -> str:
        text = self._print(factor)
        return self.bracket(text) if isinstance(factor, Add | Mul) else text

    def raised(self, base: str, exponent: Expr) -> str:
        text = self._print(exponent)
        return f"{base}^{text}" if re.fullmatch(r"-?[\w.]+", text) else f"{base}^({text})"

    def root(self, inside: Expr) -> str:
        return f"sqrt({self._print(inside)})"

    def separator(self, left: str, right: str) -> str:
        """The text between two factors."""
        return "*" if right[0].isdigit() else " "

    def needs_bracket(self, base: Expr) -> bool:
        """Whether a base needs brackets under an exponent."""
        return not (base.is_Symbol or base.is_Integer or _is_optimum(base))

    def _print_Add(self, expression: Expr, order: str | None = None) -> str:
        first, *rest = ordered_terms(expression)
        text = self._print(first)
        for term in rest:
            negative = is_negative(term)
            text += f" {'-' if negative else '+'} {self._print(-term if negative else term)}"
        return text

    def _print_Mul(self, expression: Expr) -> str:
        parts = quotient(expression)
        pieces = [self.factor(f) for f in parts.tail or parts.numerator]
        if parts.denominator:
            alone = not parts.tail
            text = self.fraction(parts.numerator, parts.denominator, alone=alone)
            pieces = [text] if alone else [text, *pieces]
        return ("-" if parts.negative else "") + self.joined(pieces)

    def joined(self, pieces: Sequence[str]) -> str:
        """The product of printed factors."""
        text = pieces[0]
        for piece in pieces[1:]:
            text += self.separator(text, piece) + piece
        return text

    def product(self, factors: list[Expr]) -> str:
        """The text of a numerator or a denominator."""
        if len(factors) == 1:
            return self._print(factors[0])
        return self.joined([self.factor(f) for f in factors])

    def factor(self, factor: Expr) -> str:
        """The text of a factor of a product; a sum is in brackets."""
        text = self._print(factor)
        return self.bracket(text) if isinstance(factor, Add) else text

    def _print_Pow(self, expression: Expr, *_: Any, **__: Any) -> str:
        base, exponent = expression.base, expression.exp
        if exponent == HALF:
            return self.root(base)
        if exponent == -1:
            return self.fraction([Integer(1)], [base], alone=True)
        text = self._print(base)
        return self.raised(self.bracket(text) if self.needs_bracket(base) else text, exponent)
