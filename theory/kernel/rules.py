"""The exact arguments by which a step is proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from sympy import Expr, Symbol

from .answer import Answer, Condition, Decision, undecided
from .decide import decide
from .limits import decide_limit

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


def implied(condition: Condition, assume: Sequence[Expr]) -> bool:
    """Whether a side condition is one of the assumptions, or follows from one directly."""
    e = condition.expression
    return e in assume or (
        condition.relation == "!=" and any(part in assume for part in (-e, e**2, (-e) ** 2))
    )


@dataclass(frozen=True)
class ByLeadingTerm:
    """The limit of lhs/rhs is 1 (for ~), or that of lhs is rhs (for ->), by leading terms."""

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
