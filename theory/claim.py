"""Claims and derivations as data: what is stated, why it holds, and how it is checked.

A claim is checked on independent paths: an exact argument (the normal form, weighted AM-GM, the order of a remainder) and 64
seeded random points at 50 digits; a bound is also checked by interval arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sympy import Expr, Symbol, latex

from isoflop.theory.argument import (
    STRENGTHS,
    Argument,
    ByCases,
    ByLeadingTerm,
    ByNormalForm,
    ByPositiveTerms,
    ByWeightedAmGm,
    Cited,
    Numerically,
    UnderLemma,
)
from isoflop.theory.normalform.decide import Decision
from isoflop.theory.pointwise import PointCheck, check_at_points, enclose_bound

__all__ = [
    "RELATIONS",
    "Argument",
    "ByCases",
    "ByLeadingTerm",
    "ByNormalForm",
    "ByPositiveTerms",
    "ByWeightedAmGm",
    "Cited",
    "Claim",
    "Derivation",
    "Numerically",
    "UnderLemma",
    "Verdict",
    "first_failure",
]

FAILED = "failed"

RELATIONS = {"==": "=", ">=": r"\ge", "<=": r"\le", "~": r"\sim", "->": r"\to"}


@dataclass(frozen=True)
class Claim:
    """One statement `lhs relation rhs` with its reason and its exact argument.

    Parameters
    ----------
    name : str
        Short name, unique within a derivation.
    lhs, rhs : sympy.Expr
    relation : {"==", ">=", "<=", "~", "->"}
        `~` is asymptotic equality and `->` a limit; the argument says in which limit.
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

    @property
    def limit(self) -> tuple[Symbol, str] | None:
        """The variable and where it tends, for an asymptotic statement."""
        argument = self.argument.argument if isinstance(self.argument, UnderLemma) else self.argument
        return (argument.variable, argument.limit) if isinstance(argument, ByLeadingTerm) else None

    def prove(self) -> Decision:
        """The exact path alone."""
        return self.argument.establish(self)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> Verdict:
        """All paths: exact, pointwise, and intervals for a bound."""
        limit = self.limit
        pointwise = check_at_points(
            self.lhs,
            self.relation,
            self.rhs,
            assume=self.assume,
            limit=limit,
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
        """Whether no path objects and the exact one proves what it is there to prove."""
        return self.strength != FAILED

    @property
    def strength(self) -> str:
        """The strength of the argument, or "failed" where a path objects or an exact argument does not go through."""
        if not self.pointwise.passed or (self.interval is not None and not self.interval.passed):
            return FAILED
        promised = self.claim.argument.strength
        return promised if self.exact.proved or isinstance(self.claim.argument, (Numerically, Cited)) else FAILED

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
        """As strong as the weakest step, "failed" where one fails; computed from the steps, never typed."""
        return weakest(verdict.strength for verdict in self.verify())

    def _repr_latex_(self) -> str:
        """The statement, for a notebook."""
        return f"$\\displaystyle {self.statement}$"


def weakest(strengths: Iterable[str]) -> str:
    """The weakest of some strengths; "failed" is the weakest of all."""
    order = (*STRENGTHS, FAILED)
    return max(strengths, key=order.index, default=FAILED)


def first_failure(verdicts: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in verdicts if not verdict.holds), None)
