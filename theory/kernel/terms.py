"""Expressions as sums of terms, and the weights of a geometric mean of terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from sympy import Expr, Integer, Matrix, Symbol
from sympy.polys.matrices import DomainMatrix
from sympy.polys.polyerrors import PolynomialError

from .arithmetic import Arithmetic, NormalForm, OutsideScope
from .convert import normal_forms

ZERO = Integer(0)
POSITIVE = "the difference is a sum of positive terms"
NEVER_NEGATIVE = "the difference is a sum of terms that are never negative"


def split(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    """The form as single terms: each monomial of a numerator over its denominator."""
    field = arithmetic.field
    return [
        {key: field.field(field.ring.from_dict({monomial: coefficient})) / field.field(value.denom)}
        for key, value in form.items()
        for monomial, coefficient in value.numer.terms()
    ]


def weights_of(terms: Sequence[Expr], bound: Expr) -> Iterator[tuple[Expr, ...]]:
    """Candidate weights w_i: they sum to 1 and match the exponents of some symbols or numbers."""
    usable = [row for row in _exponents((*terms, bound)) if len(set(row[:-1])) > 1]
    for chosen in combinations(usable, len(terms) - 1):
        rows = [[1] * (len(terms) + 1), *chosen]
        system = DomainMatrix.from_Matrix(
            Matrix(rows)
        ).to_field()  # of rational functions: nothing is left to simplify
        matrix, right = system[:, :-1], system[:, -1:]
        if matrix.det() != system.domain.zero:
            yield tuple(matrix.lu_solve(right).to_Matrix())


def _exponents(terms: Sequence[Expr]) -> Iterator[list[Expr]]:
    """Rows of exponents in all terms: for each symbol that occurs only as a factor, then for e and
    each integer prime.
    """
    arithmetic, forms = normal_forms(terms)
    forms = [arithmetic.canonical(form) for form in forms]
    if any(len(form) != 1 for form in forms):
        return
    symbols = set().union(*(term.free_symbols for term in terms))
    for symbol in sorted(symbols, key=lambda symbol: symbol.name):
        exponents = [exponent_of(form, symbol, arithmetic) for form in forms]
        row = [exponent for exponent in exponents if exponent is not None]
        if len(row) == len(forms):
            yield row
    numbers = [arithmetic.exponents_of_numbers(form) for form in forms]
    for kind in dict.fromkeys(kind for exponents in numbers for kind in exponents):
        yield [exponents.get(kind, ZERO) for exponents in numbers]


def exponent_of(form: NormalForm, symbol: Symbol, arithmetic: Arithmetic) -> Expr | None:
    """The exponent of the symbol in a form of one term, None if that is not a monomial in it."""
    if symbol not in arithmetic.field.symbols:
        return ZERO
    exponent, rest = arithmetic.split_power(form, symbol)
    return None if exponent.has(symbol) or arithmetic.to_sympy(rest).has(symbol) else exponent


class DefinedForm:
    """The normal form of an expression that is defined wherever the assumptions hold."""

    def __init__(self, arithmetic: Arithmetic, given: NormalForm, assume: tuple[Expr, ...]) -> None:
        self.arithmetic, self.given, self.assume = arithmetic, given, assume
        self.form = self._lightened(given)

    @classmethod
    def of(
        cls, e: Expr, assume: tuple[Expr, ...], nonzero: Sequence[Expr] = ()
    ) -> DefinedForm | None:
        """The normal form; None if the expression needs conditions that are neither assumed nor known."""
        try:
            arithmetic, (form,) = normal_forms((e,), assume)
            form = arithmetic.canonical(form)
            if arithmetic.positive or not {*arithmetic.nonzero} <= {*nonzero}:
                return None
            return cls(arithmetic, form, assume)
        except (OutsideScope, PolynomialError):
            return None

    def _lightened(self, form: NormalForm) -> NormalForm:
        """The form without common denominators and common factors of certain sign."""
        field = self.arithmetic.field
        if not form:
            return form
        (first, _), *_ = sorted(form.items(), key=lambda item: len(item[0][0]))
        if len(form) > 1 and not first[1] and first[0] and not self.arithmetic.has_open_sum(first):
            inverse = {key: -value for key, value in first[0]}
            try:
                form = self.arithmetic.multiply(form, self.arithmetic.exp(dict(inverse)))
            except OutsideScope:
                return form
        common = field.one
        for value in form.values():
            below = field.field(value.denom)
            quotient = field.field(below / common)
            common = common * field.field(quotient.numer)
        if field.sign_of(common) == (1, []) and not field.unknown_primes(common):
            form = {key: value * common for key, value in form.items()}
        return form

    @cached_property
    def reduced(self) -> Expr:
        return self.arithmetic.to_sympy(self.form)

    def to_sympy(self) -> Expr:
        """The given expression in its normal form."""
        return self.arithmetic.to_sympy(self.given)

    def base(self, prime: int) -> Expr:
        one = self.arithmetic.field.one
        return self.arithmetic.to_sympy({(frozenset(), ((prime, 1),)): one}).args[0]
