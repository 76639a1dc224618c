"""Steps and theorems as data: what is stated, why it holds, and how it is checked.

A step is checked on two independent paths: its exact argument, and 64 seeded random points at 50
digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sympy import Expr, Symbol, oo

from ..kernel.answer import Condition, Decision, undecided
from ..kernel.arithmetic import Arithmetic, OutsideScope
from ..kernel.convert import normal_form
from ..kernel.deadline import OutOfTime, within
from ..kernel.decide import decide
from ..kernel.factorials import Factorial, Gamma
from ..kernel.field import CoefficientField
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
from .words import Definition, Formula, Sentence, condition, unfolded

#: What is written out before a step is judged, beside the names that it uses.
TO_UNFOLD = (Partial, Factorial, Gamma)
RELATIONS = {"==": "=", ">=": r"\ge", "<=": r"\le", ">": ">", "<": "<", "~": r"\sim", "->": r"\to"}


# -- arguments of less than a proof ----------------------------------------------------------------


@dataclass(frozen=True)
class UnderLemma:
    """What follows by another argument once a lemma is granted; the lemma is stated with its
    source, and not proved here.
    """

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
    """Taken from the literature; numerical checks apply where both sides can be evaluated."""

    source: str
    label: ClassVar[str] = "cited"
    strength: ClassVar[str] = CITED

    def establish(self, claim: Stated) -> Decision:
        return undecided(f"cited from {self.source}")


def follows(needed: Condition, known: Sequence[Expr]) -> bool:
    """Whether a condition is known, or its expression has a certain sign where what is known is
    positive.
    """
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
        Names that the sides use, of the theorem that the claim is a step of.
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
        """The step of a formula `x >= z = y`; ValueError where it does not go on by `=`."""
        if not formula.signs or any(sign != "=" for sign in formula.signs[1:]):
            raise ValueError(f"{formula}: a step states one relation, and goes on by '='")
        (lhs, *through, rhs), first = formula.sides, formula.signs[0]
        relation = "==" if first == "=" else first
        return cls(name, lhs, relation, rhs, reason, through=tuple(through), **more)

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(self.lhs.free_symbols | self.rhs.free_symbols)

    @property
    def formula(self) -> Formula:
        """The step as it is read."""
        first = "=" if self.relation == "==" else self.relation
        return Formula((self.lhs, *self.through, self.rhs), (first, *("=" for _ in self.through)))

    @property
    def stated(self) -> Formula:
        """The step without the way to its right side, with its conditions and its limit."""
        where = [condition(assumption) for assumption in self.assume]
        if self.limit is not None:
            variable, end = self.limit
            where.append(Formula.of(variable, "->", oo if end == "oo" else 0))
        return replace(replace(self, through=()).formula, where=tuple(where))

    @property
    def _bare_argument(self) -> Argument:
        """The argument once a lemma is granted."""
        return self.argument.argument if isinstance(self.argument, UnderLemma) else self.argument

    @property
    def limit(self) -> tuple[Symbol, str] | None:
        """The variable and where it tends, for an asymptotic statement."""
        argument = self._bare_argument
        return (argument.variable, argument.limit) if isinstance(argument, ByLeadingTerm) else None

    @property
    def unfolded(self) -> Step:
        """The step with every defined name written out and every derivative taken."""
        if not self.where and not any(s.has(*TO_UNFOLD) for s in (self.lhs, self.rhs)):
            return self
        names = ("lhs", "rhs", "argument", "assume", "through")
        moving = self.limit[0] if self.limit is not None else None
        plain = {name: unfolded(getattr(self, name), self.where, moving) for name in names}
        return replace(self, **plain, where=())

    def prove(self) -> Decision:
        """The exact path alone; a proof on conditions that the step neither assumes nor needs to
        make sense is none.
        """
        plain = self.unfolded
        if plain != self:
            return plain.prove()
        first, *others = (*self.through, self.rhs)
        decision = self.argument.establish(replace(self, rhs=first, through=()))
        for form in others if decision.proved else ():
            same = decide(first, form, assume=self.assume)
            if not same.proved:
                return undecided(f"{first} is not {form}: {same}")
            decision = replace(decision, conditions=(*decision.conditions, *same.conditions))
        foreign = self._foreign(decision.conditions) if decision.proved else None
        if foreign is None:
            return decision
        reason = f"the argument holds only where {foreign}, which is not assumed"
        return undecided(reason, decision.conditions)

    def _foreign(self, conditions: Iterable[Condition]) -> Condition | None:
        """A condition that is neither assumed nor one under which the two sides are defined."""
        needed = [c for c in dict.fromkeys(conditions) if c.relation == ">"]
        left = [c for c in needed if not implied(c, self.assume)]
        known = (*self.assume, *self._own_conditions()) if left else ()
        return next((c for c in left if not follows(c, known)), None)

    def _own_conditions(self) -> tuple[Expr, ...]:
        """What must be positive for the two sides to be defined."""
        letters = self.symbols.union(*(a.free_symbols for a in self.assume))
        arithmetic = Arithmetic(CoefficientField(letters))
        try:
            for expression in self.assume:
                arithmetic.assume_positive(normal_form(expression, arithmetic))
            for side in (self.lhs, self.rhs):
                normal_form(side, arithmetic)
        except OutsideScope:
            pass
        return tuple(arithmetic.positive)

    def verify(
        self, *, points: int = 64, digits: int = 50, seed: int = 0, seconds: float | None = None
    ) -> Verdict:
        """Both paths, exact and pointwise; undecided where they take longer than the seconds."""
        try:
            with within(seconds):
                plain = self.unfolded
                sides = (plain.lhs, plain.relation, plain.rhs)
                options: dict[str, Any] = {"points": points, "digits": digits, "seed": seed}
                pointwise = check_at_points(
                    *sides, assume=plain.assume, limit=plain.limit, **options
                )
                return Verdict(self, self.prove(), pointwise)
        except OutOfTime as error:
            return Verdict(self, undecided(str(error)), PointCheck(True, 0, "not checked"))


@dataclass(frozen=True)
class Verdict:
    """What both paths say of one step."""

    step: Step
    exact: Decision
    pointwise: PointCheck

    @property
    def holds(self) -> bool:
        """Whether no path objects and the exact one proves what it is there to prove."""
        return self.strength != FAILED

    @property
    def strength(self) -> str:
        """The strength of the argument, or "failed" where a path objects or an exact argument does
        not go through.
        """
        argument = self.step.argument
        goes_through = self.exact.proved or isinstance(argument, Cited)
        return argument.strength if self.pointwise.passed and goes_through else FAILED
