"""Claims and derivations as data: what is stated, why it holds, and how it is checked.

A claim is checked on independent paths: an exact argument (the normal form, weighted AM-GM, the order of a remainder) and 64
seeded random points at 50 digits; a bound is also checked by interval arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sympy import Add, Expr, Integer, Mul, Symbol, latex

from isoflop.theory.normalform.arithmetic import Arithmetic, Key, OutsideScope
from isoflop.theory.normalform.convert import normal_form
from isoflop.theory.normalform.decide import Answer, Condition, Decision, decide
from isoflop.theory.normalform.field import CoefficientField, Fraction
from isoflop.theory.pointwise import PointCheck, check_at_points, enclose_bound

RELATIONS = {"==": "=", ">=": r"\ge", "<=": r"\le", "~": r"\sim"}


class Argument(Protocol):
    """An exact argument: what it is called, and what it says of a claim."""

    @property
    def label(self) -> str: ...

    def establish(self, claim: Claim) -> Decision: ...


@dataclass(frozen=True)
class ByNormalForm:
    """Both sides have the same power-law normal form."""

    label: str = "normal form"

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
class ByLeadingTerm:
    """lhs/rhs - 1 is a sum of powers of the variable that all vanish in the limit (0 or infinity)."""

    variable: Symbol
    limit: str  # "0" or "oo"
    label: str = "leading term"

    def establish(self, claim: Claim) -> Decision:
        if claim.relation != "~":
            return Decision(Answer.UNDECIDED, "the leading-term argument decides asymptotic equalities only")
        arithmetic = Arithmetic(CoefficientField(claim.symbols))
        try:
            remainder = arithmetic.canonical(normal_form(claim.lhs / claim.rhs - 1, arithmetic))
            orders = [self._order(key, value, arithmetic) for key, value in remainder.items()]
        except OutsideScope as error:
            return Decision(Answer.UNDECIDED, str(error))
        wanted = 1 if self.limit == "0" else -1
        for order in orders:
            if (order if wanted > 0 else -order).is_positive is not True:
                return Decision(Answer.UNDECIDED, f"a remainder term of order {self.variable}^({order}) is left")
        if arithmetic.positive or arithmetic.nonzero:
            return Decision(Answer.UNDECIDED, "the remainder needs side conditions")
        return Decision(Answer.PROVED, "every term of lhs/rhs - 1 vanishes in the limit")

    def _order(self, key: Key, value: Fraction, arithmetic: Arithmetic) -> Expr:
        """The total exponent of the variable in one term, or OutsideScope where the term is no pure power of it."""
        expression = arithmetic.to_sympy({key: value})
        order = (self.variable * expression.diff(self.variable) / expression).cancel()
        if order.has(self.variable):
            raise OutsideScope(f"a remainder term is no pure power of {self.variable}: {expression}")
        return order


@dataclass(frozen=True)
class Claim:
    """One statement `lhs relation rhs` with its reason and its exact argument.

    Parameters
    ----------
    name : str
        Short name, unique within a derivation.
    lhs, rhs : sympy.Expr
    relation : {"==", ">=", "<=", "~"}
        `~` is asymptotic equality; the argument says in which limit.
    reason : str
        Why it holds, one sentence.
    argument : Argument
        The exact argument; the normal form by default.
    assume : tuple of sympy.Expr
        Expressions assumed positive.
    statement : str
        LaTeX of the statement as it should be read, where the two sides themselves are not what a reader wants.
    """

    name: str
    lhs: Expr
    relation: str
    rhs: Expr
    reason: str
    argument: Argument = field(default_factory=ByNormalForm)
    assume: tuple[Expr, ...] = ()
    statement: str = ""

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation={self.relation!r}: must be one of {', '.join(RELATIONS)}")

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(self.lhs.free_symbols | self.rhs.free_symbols)

    def prove(self) -> Decision:
        """The exact path alone."""
        return self.argument.establish(self)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> Verdict:
        """All paths: exact, pointwise, and intervals for a bound."""
        limit = self.argument if isinstance(self.argument, ByLeadingTerm) else None
        pointwise = check_at_points(
            self.lhs,
            self.relation,
            self.rhs,
            assume=self.assume,
            limit=(limit.variable, limit.limit) if limit else None,
            points=points,
            digits=digits,
            seed=seed,
        )
        interval = None
        if self.relation in (">=", "<="):
            interval = enclose_bound(self.lhs, self.relation, self.rhs, assume=self.assume, points=points, seed=seed)
        return Verdict(self, self.prove(), pointwise, interval)

    def to_latex(self) -> str:
        return self.statement or f"{latex(self.lhs)} {RELATIONS[self.relation]} {latex(self.rhs)}"


@dataclass(frozen=True)
class Verdict:
    """What the paths say of one claim."""

    claim: Claim
    exact: Decision
    pointwise: PointCheck
    interval: PointCheck | None = None

    @property
    def holds(self) -> bool:
        return self.exact.proved and self.pointwise.passed and (self.interval is None or self.interval.passed)

    @property
    def how(self) -> str:
        parts = [self.claim.argument.label, f"{self.pointwise.points} points"]
        if self.interval is not None:
            parts.append(f"{self.interval.points} enclosures")
        return ", ".join(parts)


@dataclass(frozen=True)
class Derivation:
    """A theorem as data: title, assumptions, statement, steps, source, what follows."""

    name: str
    title: str
    assumptions: tuple[str, ...]
    statement: str
    steps: tuple[Claim, ...]
    source: str
    follows: str = ""

    def prove(self) -> tuple[Decision, ...]:
        return tuple(step.prove() for step in self.steps)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> tuple[Verdict, ...]:
        return tuple(step.verify(points=points, digits=digits, seed=seed) for step in self.steps)

    @property
    def status(self) -> str:
        """Computed from the steps, never typed."""
        return "proved" if all(decision.proved for decision in self.prove()) else "not proved"


def first_failure(verdicts: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in verdicts if not verdict.holds), None)
