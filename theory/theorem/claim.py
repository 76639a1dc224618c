"""Steps and theorems as data: what is stated, why it holds, and how it is checked.

A step is checked on two independent paths: its exact argument, and 64 seeded random points at 50
digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
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
from .words import Definition, Formula, Sentence, condition, names_in, needed, own_names, unfolded

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
class Claim:
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
    def read(cls, name: str, formula: Formula, reason: str | Sentence, **more: Any) -> Claim:
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
    def unfolded(self) -> Claim:
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

    claim: Claim
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
        argument = self.claim.argument
        goes_through = self.exact.proved or isinstance(argument, Cited)
        return argument.strength if self.pointwise.passed and goes_through else FAILED


# -- a theorem -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Derivation:
    """A theorem: title, assumptions, definitions, statement, steps, source, what follows.

    The statement is a sentence about steps: `{name}` in it is the claim of that step, so that
    nothing can be stated as a formula that no step proves. A step may use the names that are
    defined; every other letter has to be introduced by an assumption, the statement's domain, or
    the reasons. Definitions that nothing uses are left out. `short` names the steps that a paper
    prints as the proof; by default they are those of the statement.
    """

    name: str
    title: str | Sentence
    assumptions: tuple[str | Sentence, ...]
    statement: Sentence
    steps: tuple[Claim, ...]
    source: str
    follows: str | Sentence = ""
    definitions: tuple[Definition, ...] = ()
    short: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.definitions:
            bare = tuple(replace(step, where=()) for step in self.steps)
            used = needed(self.definitions, bare, self.statement, self.follows, self.assumptions)
            object.__setattr__(self, "definitions", used)
            object.__setattr__(self, "steps", tuple(replace(s, where=used) for s in bare))

    @property
    def short_proof(self) -> tuple[str, ...]:
        """The names of the steps that a paper prints as the proof."""
        return self.short or tuple(dict.fromkeys(self.statement.steps))

    @property
    def stated(self) -> dict[str, Formula]:
        """The claims as the statement prints them: with the conditions that it, or an assumption,
        does not say.
        """
        sentences = [t for t in (self.statement, *self.assumptions) if isinstance(t, Sentence)]
        said = [formula for sentence in sentences for formula in sentence.formulas]

        def unsaid(step: Claim) -> tuple[Formula, ...]:
            return tuple(w for w in step.stated.where if not any(f.says(w) for f in said))

        return {step.name: replace(step.stated, where=unsaid(step)) for step in self.steps}

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> tuple[Verdict, ...]:
        """What the paths say of every step."""
        return tuple(step.verify(points=points, digits=digits, seed=seed) for step in self.steps)

    def refuse_mistakes(self) -> None:
        """Refuse what is certainly a mistake.

        Raises
        ------
        ValueError
            Where there is no step, a step says nothing or grants what is to be proved, two steps
            have one name, the statement holds a formula that is no step's or names no step, or a
            letter is used that nothing introduces.
        """
        for mistake in chain(self._empty(), self._unproved(), self._not_introduced()):
            raise ValueError(mistake)

    def _empty(self) -> Iterator[str]:
        """What says nothing, says it twice, or grants what is to be proved."""
        names = [step.name for step in self.steps]
        if not self.steps:
            yield "steps: there must be at least one"
        for step in self.steps:
            if step.lhs == step.rhs:
                both = str(step.lhs)[:60]
                yield f"step {step.name!r}: lhs and rhs are both {both}, which says nothing"
            if names.count(step.name) > 1:
                yield f"steps: {step.name!r} is the name of more than one; a step needs its own"
            if isinstance(step.argument, UnderLemma):
                lemma, *conclusions = (
                    " ".join(str(text).split()).rstrip(".").casefold()
                    for text in (step.argument.lemma, self.statement, step.reason)
                )
                if not lemma or lemma in conclusions:
                    yield f"step {step.name!r}: its lemma is what is to be proved, {lemma[:60]!r}"

    def _unproved(self) -> Iterator[str]:
        """What the statement says and no step proves: its own formulas are letters and domains."""
        names, said = [step.name for step in self.steps], self.statement
        reasons = [step.reason.steps for step in self.steps if isinstance(step.reason, Sentence)]
        for name in chain(said.steps, self.short, *reasons):
            if name not in names:
                yield f"{said.text!r}: {name!r} is no step; they are {', '.join(names)}"
        if not said.steps:
            yield f"statement={said.text!r}: must name the steps that prove it"
        for formula in said.formulas:
            if formula.signs and not formula.is_domain:
                yield (
                    f"statement={said.text!r}: states {formula}, which no step proves; name the "
                    f"step that does"
                )

    def _not_introduced(self) -> Iterator[str]:
        """Letters of a definition or a step that nothing before it introduces."""
        sentences = (a for a in (*self.assumptions, self.statement) if isinstance(a, Sentence))
        known: frozenset[Expr] = frozenset().union(*(sentence.names for sentence in sentences))
        used: list[tuple[str, frozenset[Expr]]] = []
        for d in self.definitions:
            own = names_in(d.value) - frozenset(d.name.free_symbols)
            used.append((f"definition of {d.name}", own - known))
            known |= own_names(d)
        for step in self.steps:
            known |= step.reason.names if isinstance(step.reason, Sentence) else frozenset()
            used.append((f"step {step.name!r}", step.formula.names - known))
        for where, unknown in used:
            for name in sorted(unknown, key=str):
                yield f"{where}: {name} is introduced by no assumption, definition or reason"
