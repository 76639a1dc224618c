"""The difference of a bound, read in terms: all of them positive, or a negative one under the weighted
geometric mean of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from sympy import Add, Expr, Integer, Matrix, Symbol
from sympy.polys.matrices import DomainMatrix
from sympy.polys.polyerrors import PolynomialError

from ..algebra.answer import Answer, Condition, Decision
from ..algebra.arithmetic import Arithmetic, NormalForm, OutsideScope
from ..algebra.convert import arithmetic_for, normal_form
from .argument import ByWeightedAmGm
from .claim import Claim

MOST_POSITIVE_TERMS = 4
ZERO = Integer(0)
POSITIVE = "the difference is a sum of positive terms"
NEVER_NEGATIVE = "the difference is a sum of terms that are never negative"


def by_terms(larger: Expr, smaller: Expr, assume: Sequence[Expr]) -> Decision:
    """Positive terms, or one negative term under a weighted geometric mean, in the difference as it
    is and expanded.
    """
    arithmetic = arithmetic_for((larger, smaller), assume)
    difference = arithmetic.add(
        normal_form(larger, arithmetic), arithmetic.negate(normal_form(smaller, arithmetic))
    )
    difference = arithmetic.canonical(difference)
    conditions = tuple(Condition(e, ">") for e in arithmetic.positive) + tuple(
        Condition(e, "!=") for e in arithmetic.nonzero
    )
    decisions = []
    for read in READINGS:
        try:
            terms = read(difference, arithmetic)
            decision = _from_signs(
                *_by_sign(terms, arithmetic), assume, strictly=_has_positive(terms, arithmetic)
            )
        except OutsideScope as error:
            decision = Decision(Answer.UNDECIDED, str(error))
        if decision.proved:
            return Decision(
                Answer.PROVED,
                decision.reason,
                tuple(dict.fromkeys((*conditions, *decision.conditions))),
            )
        decisions.append(decision)
    return decisions[-1]


def whole(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    return [{key: value} for key, value in form.items()]


def expanded(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    """The form times its denominators, which must be positive, one monomial at a time."""
    field = arithmetic.field
    denominators = dict.fromkeys(field.field(value.denom) for value in form.values())
    common = field.one
    for denominator in denominators:
        if field.sign_of(denominator) != (1, []):
            raise OutsideScope(
                f"the sign of the denominator {field.to_sympy(denominator)} is not certain"
            )
        common *= denominator
    return split({key: value * common for key, value in form.items()}, arithmetic)


def split(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    """One monomial of a numerator at a time, over its denominator."""
    field = arithmetic.field
    return [
        {key: field.field(field.ring.from_dict({monomial: coefficient})) / field.field(value.denom)}
        for key, value in form.items()
        for monomial, coefficient in value.numer.terms()
    ]


READINGS = (whole, split, expanded)


def _by_sign(terms: Sequence[NormalForm], arithmetic: Arithmetic) -> tuple[list[Expr], list[Expr]]:
    """The terms that are never negative, and the others with their sign turned; OutsideScope where
    a sign is not certain.
    """
    positive: list[Expr] = []
    negative: list[Expr] = []
    for term in terms:
        ((key, value),) = term.items()
        expression = arithmetic.to_sympy(term)
        if arithmetic.is_nonnegative(key, value):
            positive.append(expression)
        elif arithmetic.is_nonnegative(key, -value):
            negative.append(-expression)
        else:
            raise OutsideScope(f"the sign of the term {expression} is not certain")
    return positive, negative


def _has_positive(terms: Sequence[NormalForm], arithmetic: Arithmetic) -> bool:
    """Whether some term cannot vanish."""
    return any(
        arithmetic.sign_of_term(key, value) == 1 for term in terms for key, value in term.items()
    )


def _from_signs(
    positive: Sequence[Expr], negative: Sequence[Expr], assume: Sequence[Expr], *, strictly: bool
) -> Decision:
    if not negative:
        return Decision(Answer.PROVED, POSITIVE if strictly else NEVER_NEGATIVE)
    if len(negative) != 1 or not 2 <= len(positive) <= MOST_POSITIVE_TERMS:
        return Decision(
            Answer.UNDECIDED,
            f"the difference has {len(positive)} positive and {len(negative)} negative terms; "
            f"weighted AM-GM is tried on one "
            f"negative term against 2 to {MOST_POSITIVE_TERMS} positive ones",
        )
    for weights in weights_of(positive, negative[0]):
        claim = Claim("bound", Add(*positive), ">=", negative[0], "", assume=tuple(assume))
        decision = ByWeightedAmGm(tuple(positive), weights).establish(claim)
        if decision.proved:
            return decision
    return Decision(
        Answer.UNDECIDED,
        "no weights make the negative term the weighted geometric mean of the positive ones",
    )


def weights_of(terms: Sequence[Expr], bound: Expr) -> Iterator[tuple[Expr, ...]]:
    """Candidate weights: solutions of sum w_i = 1 with some exponents matched, of symbols and of e."""
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
    """The exponents of a symbol in all terms, for each that is a factor of monomials only; then those
    of e, for each kind of exponent that some exponential has.
    """
    arithmetic = arithmetic_for(terms)
    forms = [arithmetic.canonical(normal_form(term, arithmetic)) for term in terms]
    if any(len(form) != 1 for form in forms):
        return
    symbols = set().union(*(term.free_symbols for term in terms))
    for symbol in sorted(symbols, key=lambda symbol: symbol.name):
        exponents = [_exponent(form, symbol, arithmetic) for form in forms]
        row = [exponent for exponent in exponents if exponent is not None]
        if len(row) == len(forms):
            yield row
    of_e = [arithmetic.exponents_of_e(form) for form in forms]
    for kind in dict.fromkeys(kind for exponents in of_e for kind in exponents):
        yield [exponents.get(kind, ZERO) for exponents in of_e]


def _exponent(form: NormalForm, symbol: Symbol, arithmetic: Arithmetic) -> Expr | None:
    """The exponent of the symbol in a form of one term, None where that is no monomial in it."""
    if symbol not in arithmetic.field.symbols:
        return ZERO
    exponent, rest = arithmetic.split_power(form, symbol)
    return None if exponent.has(symbol) or arithmetic.to_sympy(rest).has(symbol) else exponent


class Reading:
    """An expression as a normal form, where it is defined throughout."""

    def __init__(self, arithmetic: Arithmetic, given: NormalForm, assume: tuple[Expr, ...]) -> None:
        self.arithmetic, self.given, self.assume = arithmetic, given, assume
        self.form = self._lightened(given)

    @classmethod
    def of(cls, e: Expr, assume: tuple[Expr, ...]) -> Reading | None:
        try:
            arithmetic = arithmetic_for((e,), assume)
            form = arithmetic.canonical(normal_form(e, arithmetic))
            if arithmetic.positive or arithmetic.nonzero:
                return None
            return cls(arithmetic, form, assume)
        except (OutsideScope, PolynomialError):
            return None

    def _lightened(self, form: NormalForm) -> NormalForm:
        """Without common denominators and common factors of certain sign."""
        field = self.arithmetic.field
        if not form:
            return form
        (first, _), *_ = sorted(form.items(), key=lambda item: len(item[0][0]))
        if len(form) > 1 and not first[1] and first[0]:
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
        shared = None
        for value in form.values():
            shared = value.numer if shared is None else shared.gcd(value.numer)
        factor = field.field(shared)
        sign, unknown = field.sign_of(factor)
        if unknown or field.unknown_primes(factor):
            return form
        factor = factor if sign > 0 else -factor
        return {key: value / factor for key, value in form.items()}

    @cached_property
    def reduced(self) -> Expr:
        return self.arithmetic.to_sympy(self.form)

    def to_sympy(self) -> Expr:
        """The expression itself, sorted."""
        return self.arithmetic.to_sympy(self.given)

    def base(self, prime: int) -> Expr:
        one = self.arithmetic.field.one
        return self.arithmetic.to_sympy({(frozenset(), ((prime, 1),)): one}).args[0]
