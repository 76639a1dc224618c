"""Steps and theorems as data: what is stated, why it holds, and how it is checked.

A step is checked on independent paths: its exact argument and 64 seeded random points at 50
digits; a bound is also checked by interval arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sympy import Expr, Symbol, oo

from ..kernel.answer import BOUNDS, Condition, Decision, undecided
from ..kernel.arithmetic import Arithmetic, OutsideScope
from ..kernel.convert import normal_form
from ..kernel.decide import decide
from ..kernel.factorials import Factorial, Gamma
from ..kernel.field import CoefficientField
from ..kernel.functions import Partial
from ..kernel.points import PointCheck, check_at_points, enclose_bound
from ..kernel.rules import (
    CITED,
    FAILED,
    NUMERICAL,
    UNDER_LEMMA,
    Argument,
    ByApplying,
    ByLeadingTerm,
    ByNormalForm,
    Stated,
    implied,
    weakest,
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

    def __post_init__(self) -> None:
        for name in ("lemma", "source"):
            _require_text(name, getattr(self, name))

    @property
    def label(self) -> str:
        return f"{self.argument.label}, given the lemma"

    def establish(self, claim: Stated) -> Decision:
        return self.argument.establish(claim)


@dataclass(frozen=True)
class Numerically:
    """No exact argument: the step rests on its numerical checks alone, and its status says so."""

    label: ClassVar[str] = "numerical check"
    strength: ClassVar[str] = NUMERICAL

    def establish(self, claim: Stated) -> Decision:
        return undecided("no exact argument is given")


@dataclass(frozen=True)
class Cited:
    """Taken from the literature; numerical checks apply where both sides can be evaluated."""

    source: str
    label: ClassVar[str] = "cited"
    strength: ClassVar[str] = CITED

    def __post_init__(self) -> None:
        _require_text("source", self.source)

    def establish(self, claim: Stated) -> Decision:
        return undecided(f"cited from {self.source}")


def _require_text(name: str, text: str | Sentence) -> None:
    if not str(text).strip():
        raise ValueError(f"{name}={text!r}: must say something")


def earned(argument: Argument, exact: Decision) -> str:
    """The strength of an argument that goes through; of one without a proof what it says itself,
    where it claims none.
    """
    without_proof = isinstance(argument, (Cited, Numerically))
    return argument.strength if exact.proved or without_proof else FAILED


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
        needed = (c for c in dict.fromkeys(conditions) if c.relation == ">")
        left = [c for c in needed if not implied(c, self.assume)]
        if not left:
            return None
        known = (*self.assume, *self._own_conditions())
        return next(
            (
                c
                for c in left
                if c.expression not in known and not why_positive(c.expression, known, strict=True)
            ),
            None,
        )

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

    @property
    def _in_numbers(self) -> Claim:
        """The step with every name written out; without the function that it applies to both sides."""
        plain = self.unfolded
        outer = plain._bare_argument
        inside = outer.inside(plain) if isinstance(outer, ByApplying) else None
        if inside is None or not isinstance(outer, ByApplying):
            return plain
        sides = {"lhs": inside.lhs, "rhs": inside.rhs, "assume": inside.assume}
        return replace(plain, **sides, argument=outer.argument)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> Verdict:
        """All paths: exact, pointwise, and intervals for a bound."""
        plain = self._in_numbers
        sides = (plain.lhs, plain.relation, plain.rhs)
        drawn: dict[str, Any] = {"assume": plain.assume, "points": points, "seed": seed}
        pointwise = check_at_points(*sides, limit=plain.limit, digits=digits, **drawn)
        interval = enclose_bound(*sides, **drawn) if self.relation in BOUNDS else None
        return Verdict(self, self.prove(), pointwise, interval)

    def refuse_what_says_nothing(self, statement: Sentence) -> None:
        """Refuse a step that is certainly a mistake: ValueError."""
        for what in ("name", "reason"):
            _require_text(f"step {self.name!r}: {what}", getattr(self, what))
        if self.lhs == self.rhs:
            raise ValueError(
                f"step {self.name!r}: lhs and rhs are both {str(self.lhs)[:60]}, which says nothing"
            )
        if isinstance(self.argument, UnderLemma):
            lemma, *conclusions = (
                " ".join(str(text).split()).rstrip(".").casefold()
                for text in (self.argument.lemma, statement, self.reason)
            )
            if lemma in conclusions:
                raise ValueError(
                    f"step {self.name!r}: its lemma is what is to be proved, {lemma[:60]!r}"
                )


@dataclass(frozen=True)
class Verdict:
    """What the paths say of one step."""

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
        """The strength of the argument, or "failed" where a path objects or an exact argument does
        not go through.
        """
        if not self.pointwise.passed or (self.interval is not None and not self.interval.passed):
            return FAILED
        return earned(self.claim.argument, self.exact)


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

    @property
    def status(self) -> str:
        """As strong as the weakest step, "failed" where one fails; computed from the steps, never
        typed.
        """
        return weakest(verdict.strength for verdict in self.verify())

    def refuse_mistakes(self) -> None:
        """Refuse what is certainly a mistake.

        Raises
        ------
        ValueError
            Where there is no step or no source, a step says nothing, two steps have one name, the
            statement holds a formula that is no step's or names no step, or a letter is used that
            nothing introduces.
        """
        _require_text("source", self.source)
        if not self.steps:
            raise ValueError("steps: there must be at least one")
        for step in self.steps:
            step.refuse_what_says_nothing(self.statement)
        counted = Counter(step.name for step in self.steps)
        repeated = next((name for name, count in counted.items() if count > 1), None)
        if repeated is not None:
            raise ValueError(
                f"steps: {repeated!r} is the name of more than one; a step needs a name of its own"
            )
        self._refuse_unproved_statement()
        self._refuse_unknown_steps(Sentence(" ".join(f"{{{name}}}" for name in self.short)))
        self._refuse_unknown_letters()

    def _refuse_unproved_statement(self) -> None:
        """The statement names steps, at least one; its own formulas are letters and their domains."""
        text = self.statement.text
        self._refuse_unknown_steps(self.statement)
        if not self.statement.steps:
            raise ValueError(f"statement={text!r}: must name the steps that prove it")
        for formula in self.statement.formulas:
            if formula.signs and not formula.is_domain:
                raise ValueError(
                    f"statement={text!r}: states {formula}, which no step proves; name the step "
                    f"that does"
                )

    def _refuse_unknown_steps(self, sentence: Sentence) -> None:
        steps = [step.name for step in self.steps]
        unknown = next((name for name in sentence.steps if name not in steps), None)
        if unknown is not None:
            raise ValueError(
                f"{sentence.text!r}: {unknown!r} is no step; they are {', '.join(steps)}"
            )

    def _refuse_unknown_letters(self) -> None:
        """Every letter of a definition or a step is introduced before."""
        known: frozenset[Expr] = frozenset().union(
            *(a.names for a in (*self.assumptions, self.statement) if isinstance(a, Sentence))
        )

        def refuse_unknown(expression: Expr, known: frozenset[Expr], where: str) -> None:
            if unknown := sorted(names_in(expression) - known, key=str):
                raise ValueError(
                    f"{where}: {unknown[0]} is introduced by no assumption, definition or reason"
                )

        for definition in self.definitions:
            arguments = frozenset(definition.name.free_symbols)
            refuse_unknown(definition.value, known | arguments, f"definition of {definition.name}")
            known |= own_names(definition)
        for step in self.steps:
            if isinstance(step.reason, Sentence):
                known |= step.reason.names
                self._refuse_unknown_steps(step.reason)
            for side in step.formula.sides:
                refuse_unknown(side, known, f"step {step.name!r}")
