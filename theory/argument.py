"""Exact arguments: how a claim is established without numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sympy import Add, Expr, Integer, Mul, Symbol

from isoflop.theory.normalform.arithmetic import Arithmetic, Key, NormalForm, OutsideScope
from isoflop.theory.normalform.convert import normal_form
from isoflop.theory.normalform.decide import Answer, Condition, Decision, decide
from isoflop.theory.normalform.field import CoefficientField, Fraction

if TYPE_CHECKING:
    from isoflop.theory.claim import Claim

#: How strong an argument is; a derivation is as strong as its weakest step.
PROVED = "proved"
UNDER_LEMMA = "proved under a stated lemma"
NUMERICAL = "checked numerically"
CITED = "cited"
STRENGTHS = (PROVED, UNDER_LEMMA, NUMERICAL, CITED)


class Argument(Protocol):
    """An argument: what it is called, how strong it is, and what it says of a claim."""

    @property
    def label(self) -> str: ...

    @property
    def strength(self) -> str: ...

    def establish(self, claim: Claim) -> Decision: ...


@dataclass(frozen=True)
class ByNormalForm:
    """Both sides have the same power-law normal form."""

    label: str = "normal form"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation != "==":
            return Decision(Answer.UNDECIDED, "the normal form decides equalities only")
        return decide(claim.lhs, claim.rhs, assume=claim.assume)


@dataclass(frozen=True)
class ByWeightedAmGm:
    """sum T_i >= product (T_i/w_i)^w_i for T_i, w_i > 0 with sum w_i = 1; equality iff all T_i/w_i agree."""

    terms: tuple[Expr, ...]
    weights: tuple[Expr, ...]
    label: str = "weighted AM-GM"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation != ">=" or len(self.terms) != len(self.weights):
            return Decision(Answer.UNDECIDED, "weighted AM-GM bounds a sum from below, one weight for each term")
        for value in (*self.terms, *self.weights):
            if value.is_positive is not True:
                return Decision(Answer.UNDECIDED, f"{value} is not certified positive")
        geometric = Mul(*((t / w) ** w for t, w in zip(self.terms, self.weights, strict=True)))
        conditions: list[Condition] = []
        for what, left, right in (
            ("the weights sum to 1", Add(*self.weights), Integer(1)),
            ("the left side is the sum of the terms", claim.lhs, Add(*self.terms)),
            ("the right side is the weighted geometric mean", claim.rhs, geometric),
        ):
            decision = decide(left, right, assume=claim.assume)
            if not decision.proved:
                return Decision(Answer.UNDECIDED, f"{what}: {decision}")
            conditions.extend(decision.conditions)
        return Decision(Answer.PROVED, "weighted AM-GM, its three premises by normal form", tuple(conditions))


@dataclass(frozen=True)
class ByPositiveTerms:
    """lhs - rhs (for >=; rhs - lhs for <=) is a sum of terms that are each certainly positive, or zero.

    `form` may give the difference in a form whose terms are visibly positive; that it is the difference is decided first.
    """

    form: Expr | None = None
    label: str = "positive terms"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in (">=", "<="):
            return Decision(Answer.UNDECIDED, "positive terms prove bounds only")
        difference = claim.lhs - claim.rhs if claim.relation == ">=" else claim.rhs - claim.lhs
        conditions: tuple[Condition, ...] = ()
        if self.form is not None:
            same = decide(difference, self.form, assume=claim.assume)
            if not same.proved:
                return Decision(Answer.UNDECIDED, f"the difference is not the given form: {same}")
            conditions, difference = same.conditions, self.form
        arithmetic = _arithmetic(claim, difference)
        try:
            for assumption in claim.assume:
                arithmetic.assume_positive(normal_form(assumption, arithmetic))
            for term in Add.make_args(difference):
                if not _never_negative(arithmetic.canonical(normal_form(term, arithmetic)), arithmetic):
                    return Decision(Answer.UNDECIDED, f"the term {term} may be negative")
        except OutsideScope as error:
            return Decision(Answer.UNDECIDED, str(error))
        conditions += tuple(Condition(e, ">") for e in (*claim.assume, *arithmetic.positive))
        conditions += tuple(Condition(e, "!=") for e in arithmetic.nonzero)
        return Decision(Answer.PROVED, "the difference is a sum of positive terms", tuple(dict.fromkeys(conditions)))


def _arithmetic(claim: Claim, *others: Expr) -> Arithmetic:
    """Arithmetic in the symbols of a claim, its assumptions and other expressions."""
    return Arithmetic(CoefficientField(claim.symbols.union(*(e.free_symbols for e in (*claim.assume, *others)))))


def _never_negative(form: NormalForm, arithmetic: Arithmetic) -> bool:
    return all(arithmetic.is_nonnegative(key, value) for key, value in form.items())


@dataclass(frozen=True)
class ByLeadingTerm:
    """lhs/rhs - 1 (for ~) or lhs - rhs (for ->) is a sum of powers of the variable that all vanish in the limit."""

    variable: Symbol
    limit: str  # "0" or "oo"
    label: str = "leading term"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in ("~", "->"):
            return Decision(Answer.UNDECIDED, "the leading-term argument decides limits only")
        remainder = claim.lhs / claim.rhs - 1 if claim.relation == "~" else claim.lhs - claim.rhs
        if claim.relation == "->" and claim.rhs.has(self.variable):
            return Decision(Answer.UNDECIDED, f"the limit itself depends on {self.variable}")
        arithmetic = _arithmetic(claim)
        try:
            for assumption in claim.assume:
                arithmetic.assume_positive(normal_form(assumption, arithmetic))
            terms = arithmetic.canonical(normal_form(remainder, arithmetic))
            orders = [self._order(key, value, arithmetic) for key, value in terms.items()]
        except OutsideScope as error:
            return Decision(Answer.UNDECIDED, str(error))
        for order in orders:
            if not _certainly_positive(order if self.limit == "0" else -order, claim.assume):
                return Decision(Answer.UNDECIDED, f"a remainder term of order {self.variable}^({order}) is left")
        if arithmetic.positive or arithmetic.nonzero:
            return Decision(Answer.UNDECIDED, "the remainder needs side conditions")
        return Decision(Answer.PROVED, "every term of the remainder vanishes in the limit")

    def _order(self, key: Key, value: Fraction, arithmetic: Arithmetic) -> Expr:
        """The total exponent of the variable in one term, or OutsideScope where the term is no pure power of it."""
        expression = arithmetic.to_sympy({key: value})
        order = (self.variable * expression.diff(self.variable) / expression).cancel()
        if order.has(self.variable):
            raise OutsideScope(f"a remainder term is no pure power of {self.variable}: {expression}")
        return order


def _certainly_positive(expression: Expr, assume: tuple[Expr, ...]) -> bool:
    arithmetic = Arithmetic(CoefficientField(expression.free_symbols.union(*(a.free_symbols for a in assume))))
    for assumption in assume:
        arithmetic.assume_positive(normal_form(assumption, arithmetic))
    form = normal_form(expression, arithmetic)
    return bool(form) and all(arithmetic.sign_of_term(key, value) == 1 for key, value in form.items())


@dataclass(frozen=True)
class ByCases:
    """The claim at each of finitely many values of some symbols, each decided exactly; it says nothing of other values."""

    cases: tuple[tuple[tuple[Symbol, Expr], ...], ...]
    label: str = "exact cases"
    strength: str = NUMERICAL

    def establish(self, claim: Claim) -> Decision:
        conditions: list[Condition] = []
        for case in self.cases:
            left, right = (side.subs(list(case)).doit() for side in (claim.lhs, claim.rhs))
            decision = decide(left, right, assume=tuple(a.subs(list(case)) for a in claim.assume))
            if not decision.proved:
                where = ", ".join(f"{symbol} = {value}" for symbol, value in case)
                return Decision(Answer.UNDECIDED, f"at {where}: {decision}")
            conditions.extend(decision.conditions)
        return Decision(Answer.PROVED, f"decided in {len(self.cases)} cases", tuple(dict.fromkeys(conditions)))


@dataclass(frozen=True)
class UnderLemma:
    """What follows by another argument once a lemma is granted; the lemma is stated, with its source, and not proved here."""

    lemma: str
    source: str
    argument: Argument
    strength: str = UNDER_LEMMA

    @property
    def label(self) -> str:
        return f"{self.argument.label}, given the lemma"

    def establish(self, claim: Claim) -> Decision:
        return self.argument.establish(claim)


@dataclass(frozen=True)
class Numerically:
    """No exact argument: the claim rests on its numerical checks alone, and its status says so."""

    label: str = "numerical check"
    strength: str = NUMERICAL

    def establish(self, claim: Claim) -> Decision:
        return Decision(Answer.UNDECIDED, "no exact argument is given")


@dataclass(frozen=True)
class Cited:
    """Taken from the literature; numerical checks apply where both sides can be evaluated."""

    source: str
    label: str = "cited"
    strength: str = CITED

    def establish(self, claim: Claim) -> Decision:
        return Decision(Answer.UNDECIDED, f"cited from {self.source}")
