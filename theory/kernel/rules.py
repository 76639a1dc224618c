"""The exact arguments by which a step is proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Protocol

from sympy import Add, Expr, Integer, Mul, Symbol

from .answer import Answer, Condition, Decision, undecided
from .decide import decide
from .functions import defined
from .limits import decide_limit
from .search import why_positive

#: The strengths of an argument; a derivation is as strong as its weakest step.
PROVED = "proved"
UNDER_LEMMA = "proved under a stated lemma"
CITED = "cited"
STRENGTHS = (PROVED, UNDER_LEMMA, CITED)
FAILED = "failed"


class Stated(Protocol):
    """A relation between two expressions wherever the assumed ones are positive."""

    @property
    def lhs(self) -> Expr: ...

    @property
    def relation(self) -> str: ...

    @property
    def rhs(self) -> Expr: ...

    @property
    def assume(self) -> tuple[Expr, ...]: ...


class Argument(Protocol):
    """An argument: its label, its strength, and its decision on a claim.

    Label and strength belong to the class: the user of an argument cannot choose them.
    """

    @property
    def label(self) -> str: ...

    @property
    def strength(self) -> str: ...

    def establish(self, claim: Stated) -> Decision: ...


def weakest(strengths: Iterable[str]) -> str:
    """The weakest of the strengths; "failed" is weaker than all others, and is that of no step."""
    order = (*STRENGTHS, FAILED)
    return max(strengths, key=order.index, default=FAILED)


@dataclass(frozen=True)
class ByNormalForm:
    """The argument that both sides have the same power-law normal form."""

    label: ClassVar[str] = "normal form"
    strength: ClassVar[str] = PROVED

    def establish(self, claim: Stated) -> Decision:
        if claim.relation != "==":
            return undecided("the normal form decides equalities only")
        return decide(claim.lhs, claim.rhs, assume=claim.assume)


@dataclass(frozen=True)
class ByWeightedAmGm:
    """Weighted AM-GM: sum T_i >= product (T_i/w_i)^w_i for T_i, w_i > 0 with sum w_i = 1, with
    equality if and only if all T_i/w_i agree.

    A strict bound needs two T_i/w_i that certainly differ.
    """

    terms: tuple[Expr, ...]
    weights: tuple[Expr, ...]
    label: ClassVar[str] = "weighted AM-GM"
    strength: ClassVar[str] = PROVED

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in (">=", ">") or len(self.terms) != len(self.weights):
            return undecided("weighted AM-GM bounds a sum from below, one weight for each term")
        for value in (*self.terms, *self.weights):
            if defined(value).is_positive is not True and value not in claim.assume:
                return undecided(f"{value} is not certified positive")
        geometric = Mul(*((t / w) ** w for t, w in zip(self.terms, self.weights, strict=True)))
        conditions: list[Condition] = []
        for what, left, right in (
            ("the weights sum to 1", Add(*self.weights), Integer(1)),
            ("the left side is the sum of the terms", claim.lhs, Add(*self.terms)),
            ("the right side is the weighted geometric mean", claim.rhs, geometric),
        ):
            decision = decide(left, right, assume=claim.assume)
            if not decision.proved:
                return undecided(f"{what}: {decision}")
            conditions.extend(decision.conditions)
        if claim.relation == ">" and not self._apart(claim.assume):
            return undecided(
                "weighted AM-GM is strict off equality, and all terms may agree with their weights"
            )
        return Decision(
            Answer.PROVED, "weighted AM-GM, its three premises by normal form", tuple(conditions)
        )

    def _apart(self, assume: tuple[Expr, ...]) -> bool:
        """Whether two of the T_i/w_i certainly differ."""
        levels = [term / weight for term, weight in zip(self.terms, self.weights, strict=True)]
        return any(
            implied(Condition(one - other, "!="), assume)
            or why_positive(one - other, assume, strict=True)
            or why_positive(other - one, assume, strict=True)
            for one, other in combinations(levels, 2)
        )


def implied(condition: Condition, assume: Sequence[Expr]) -> bool:
    """Whether a side condition is one of the assumptions, or follows from one directly."""
    e = condition.expression
    return e in assume or (
        condition.relation == "!=" and any(part in assume for part in (-e, e**2, (-e) ** 2))
    )


@dataclass(frozen=True)
class ByLeadingTerm:
    """The limit of lhs/rhs is 1 (for ~), or that of lhs is rhs (for ->), by leading terms or continuity."""

    variable: Symbol
    limit: str  # "0" or "oo"
    label: ClassVar[str] = "leading term"
    strength: ClassVar[str] = PROVED

    def __post_init__(self) -> None:
        if self.limit not in ("0", "oo"):
            raise ValueError(f"limit={self.limit!r}: must be '0' or 'oo'")

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in ("~", "->"):
            return undecided("the leading-term argument decides limits only")
        if claim.relation == "->" and claim.rhs.has(self.variable):
            return undecided(f"the limit itself depends on {self.variable}")
        sides = claim.lhs, claim.relation, claim.rhs
        found = decide_limit(*sides, self.variable, self.limit, assume=claim.assume)
        if found.answer is Answer.BY_SYMPY:
            return undecided(f"{found.reason} by SymPy's limit alone, which is no proof")
        unmet = (c for c in found.conditions if c.relation != ">" and not implied(c, claim.assume))
        if found.proved and (condition := next(unmet, None)) is not None:
            return undecided(f"it holds only where {condition}, which is not assumed")
        return found
