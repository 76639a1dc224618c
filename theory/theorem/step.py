"""A step of a theorem as data: what it states, why it holds, and how it is checked.

A step is checked on two independent paths: its exact argument, and 64 seeded random points at 50
digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sympy import Expr, Symbol, oo

from ..kernel.answer import Condition, Decision, undecided
from ..kernel.arithmetic import OutsideScope
from ..kernel.convert import normal_forms
from ..kernel.deadline import OutOfTime, within
from ..kernel.decide import decide
from ..kernel.factorials import Factorial, Gamma
from ..kernel.functions import Partial
from ..kernel.points import PointCheck, check_at_points
from ..kernel.rules import (
    CITED,
    FAILED,
    UNDER_LEMMA,
    Argument,
    ByLeadingTerm,
    ByNormalForm,
    Stated,
    implied,
)
from ..kernel.search import why_positive
from .words import Definition, Formula, Sentence, condition, names_in, unfolded

#: Parts of an expression that are written out before a step is judged, as defined names are.
TO_UNFOLD = (Partial, Factorial, Gamma)
RELATIONS = {"==": "=", ">=": r"\ge", "<=": r"\le", ">": ">", "<": "<", "~": r"\sim", "->": r"\to"}


# -- arguments of less than a proof ----------------------------------------------------------------


@dataclass(frozen=True)
class UnderLemma:
    """An argument that needs a lemma; the lemma is stated with its source, and not proved here."""

    lemma: str | Sentence
    source: str
    argument: Argument
    strength: ClassVar[str] = UNDER_LEMMA

    @property
    def label(self) -> str:
        return f"{self.argument.label}, given the lemma"

    def establish(self, claim: Stated) -> Decision:
        return self.argument.establish(claim)


@dataclass(frozen=True)
class Cited:
    """A result of the literature; points still check it where both sides can be evaluated."""

    source: str
    label: ClassVar[str] = "cited"
    strength: ClassVar[str] = CITED

    def establish(self, claim: Stated) -> Decision:
        return undecided(f"cited from {self.source}")


def follows(needed: Condition, known: Sequence[Expr]) -> bool:
    """Whether the condition holds wherever the known expressions are positive."""
    signs = (1, -1) if needed.relation == "!=" else (1,)
    return implied(needed, known) or any(
        why_positive(sign * needed.expression, known, strict=True) for sign in signs
    )


# -- a step ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One statement `lhs relation rhs` with its reason and its exact argument.

    Parameters
    ----------
    name : str
        Short name, unique within a theorem.
    lhs, rhs : sympy.Expr
    relation : {"==", ">=", "<=", ">", "<", "~", "->"}
        `~` is asymptotic equality and `->` a limit; the argument says in which limit.
    reason : str or Sentence
        Why it holds, one sentence.
    argument : Argument
        The exact argument; the normal form by default.
    assume : tuple of sympy.Expr
        Expressions assumed positive.
    through : tuple of sympy.Expr
        Forms of the right side on the way to it, each equal to it: `lhs >= through = rhs`.
    where : tuple of Definition
        The definitions of the theorem that the sides use.
    """

    name: str
    lhs: Expr
    relation: str
    rhs: Expr
    reason: str | Sentence
    argument: Argument = field(default_factory=ByNormalForm)
    assume: tuple[Expr, ...] = ()
    through: tuple[Expr, ...] = ()
    where: tuple[Definition, ...] = ()

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation={self.relation!r}: must be one of {', '.join(RELATIONS)}")

    @classmethod
    def read(cls, name: str, formula: Formula, reason: str | Sentence, **more: Any) -> Step:
        """The step that states a formula `x >= z = y`; ValueError where a later sign is not `=`."""
        if not formula.signs or any(sign != "=" for sign in formula.signs[1:]):
            raise ValueError(f"{formula}: a step states one relation, and goes on by '='")
        (lhs, *through, rhs), first = formula.sides, formula.signs[0]
        relation = "==" if first == "=" else first
        return cls(name, lhs, relation, rhs, reason, through=tuple(through), **more)

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(self.lhs.free_symbols | self.rhs.free_symbols)

    @property
    def names(self) -> frozenset[Expr]:
        """Every symbol and function in its formula and its assumptions."""
        return frozenset().union(*map(names_in, (*self.formula.sides, *self.assume)))

    @property
    def formula(self) -> Formula:
        """The step as the formula that a reader sees."""
        first = "=" if self.relation == "==" else self.relation
        return Formula((self.lhs, *self.through, self.rhs), (first, *("=" for _ in self.through)))

    @property
    def stated(self) -> Formula:
        """The claim of the step: no forms in between, but its conditions and its limit."""
        where = [condition(assumption) for assumption in self.assume]
        if self.limit is not None:
            variable, end = self.limit
            where.append(Formula.of(variable, "->", oo if end == "oo" else 0))
        return replace(replace(self, through=()).formula, where=tuple(where))

    @property
    def _bare_argument(self) -> Argument:
        """The argument without the lemma that it may need."""
        return self.argument.argument if isinstance(self.argument, UnderLemma) else self.argument

    @property
    def limit(self) -> tuple[Symbol, str] | None:
        """The variable of an asymptotic statement and where it tends; None for any other."""
        argument = self._bare_argument
        return (argument.variable, argument.limit) if isinstance(argument, ByLeadingTerm) else None

    @property
    def unfolded(self) -> Step:
        """The step with every defined name written out and every derivative taken."""
        if not self.where and not any(s.has(*TO_UNFOLD) for s in (self.lhs, self.rhs)):
            return self
        moving = self.limit[0] if self.limit is not None else None

        def plain(parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
            return tuple(unfolded(part, self.where, moving) for part in parts)

        lhs, *through, rhs = plain((self.lhs, *self.through, self.rhs))
        sides = {"lhs": lhs, "rhs": rhs, "through": tuple(through)}
        return replace(self, **sides, assume=plain(self.assume), where=())

    def prove(self) -> Decision:
        """Decide the step by its exact argument alone.

        A proof under a condition that the step does not assume, and that its sides do not need to be
        defined, counts as undecided.
        """
        plain = self.unfolded
        if plain != self:
            return plain.prove()
        first, *later = (*self.through, self.rhs)
        decision = self.argument.establish(replace(self, rhs=first, through=()))
        for form in later if decision.proved else ():
            same = decide(first, form, assume=self.assume)
            if not same.proved:
                return undecided(f"{first} is not shown to equal {form}: {same}")
            decision = replace(decision, conditions=(*decision.conditions, *same.conditions))
        missing = self._missing_condition(decision.conditions) if decision.proved else None
        if missing is None:
            return decision
        reason = f"the argument holds only where {missing}, which is not assumed"
        return undecided(reason, decision.conditions)

    def _missing_condition(self, conditions: Iterable[Condition]) -> Condition | None:
        """A condition that is neither assumed nor needed for the two sides to be defined."""
        strict = [c for c in dict.fromkeys(conditions) if c.relation == ">"]
        open_ones = [c for c in strict if not implied(c, self.assume)]
        known = (*self.assume, *self._domain()) if open_ones else ()
        return next((c for c in open_ones if not follows(c, known)), None)

    def _domain(self) -> tuple[Expr, ...]:
        """The expressions that must be positive for the two sides to be defined."""
        try:
            arithmetic, _ = normal_forms((self.lhs, self.rhs), self.assume)
        except OutsideScope:
            return ()
        return tuple(arithmetic.positive)

    def verify(self, *, points: int = 32, seconds: float | None = None) -> Verdict:
        """Check the step on both paths; it is undecided where that takes longer than `seconds`."""
        try:
            with within(seconds):
                plain = self.unfolded
                sides = (plain.lhs, plain.relation, plain.rhs)
                found = check_at_points(
                    *sides, assume=plain.assume, limit=plain.limit, points=points
                )
                return Verdict(self, plain.prove(), found)
        except OutOfTime as error:
            return Verdict(self, undecided(str(error)), PointCheck(True, 0, "not checked"))


@dataclass(frozen=True)
class Verdict:
    """The results of both paths for one step."""

    step: Step
    exact: Decision
    pointwise: PointCheck

    @property
    def holds(self) -> bool:
        """Whether the step is established at all: proved, under a lemma, or cited."""
        return self.strength != FAILED

    @property
    def strength(self) -> str:
        """The strength of the argument; "failed" where the points object or the exact argument does
        not prove the step.
        """
        argument = self.step.argument
        is_established = self.exact.proved or isinstance(argument, Cited)
        return argument.strength if self.pointwise.passed and is_established else FAILED
