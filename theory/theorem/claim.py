"""Claims and derivations as data: what is stated, why it holds, and how it is checked.

A claim is checked on independent paths: an exact argument (the normal form, weighted AM-GM, the
order of a remainder) and 64 seeded random points at 50 digits; a bound is also checked by interval
arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sympy import Expr, Symbol, latex, oo

from ..kernel.answer import BOUNDS, undecided
from ..kernel.arithmetic import Arithmetic, OutsideScope
from ..kernel.convert import normal_form
from ..kernel.decide import Condition, Decision, decide
from ..kernel.factorials import Factorial, Gamma
from ..kernel.field import CoefficientField
from ..kernel.functions import Partial
from ..kernel.points import PointCheck, check_at_points, enclose_bound
from ..kernel.rules import (
    CITED,
    FAILED,
    NUMERICAL,
    Argument,
    ByApplying,
    ByLeadingTerm,
    ByNormalForm,
    implied,
    weakest,
)
from ..kernel.search import why_positive
from .argument import (
    Cited,
    Numerically,
    UnderLemma,
    described,
    is_of_the_package,
    require_text,
    with_those_within,
)
from .words import Definition, Formula, Sentence, condition, names_in, needed, own_names, unfolded

#: What is written out before a claim is judged, beside the names that it uses.
TO_UNFOLD = (Partial, Factorial, Gamma)
RELATIONS = {"==": "=", ">=": r"\ge", "<=": r"\le", ">": ">", "<": "<", "~": r"\sim", "->": r"\to"}


@dataclass(frozen=True)
class Claim:
    """One statement `lhs relation rhs` with its reason and its exact argument.

    Parameters
    ----------
    name : str
        Short name, unique within a derivation.
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
        Names that the sides use, of the derivation that the claim is a step of.
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

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(self.lhs.free_symbols | self.rhs.free_symbols)

    @property
    def unfolded(self) -> Claim:
        """The claim with every defined name written out and every derivative taken."""
        if not self.where and not any(s.has(*TO_UNFOLD) for s in (self.lhs, self.rhs)):
            return self
        names = ("lhs", "rhs", "argument", "assume", "through")
        moving = self.limit[0] if self.limit is not None else None
        plain = {name: unfolded(getattr(self, name), self.where, moving) for name in names}
        return replace(self, **plain, where=())

    @property
    def formula(self) -> Formula:
        """The claim as it is read."""
        first = "=" if self.relation == "==" else self.relation
        return Formula((self.lhs, *self.through, self.rhs), (first, *("=" for _ in self.through)))

    @property
    def stated(self) -> Formula:
        """The claim without the way to its right side, with its conditions and its limit."""
        where = [condition(assumption) for assumption in self.assume]
        if self.limit is not None:
            variable, end = self.limit
            where.append(Formula.of(variable, "->", oo if end == "oo" else 0))
        return replace(replace(self, through=()).formula, where=tuple(where))

    @property
    def limit(self) -> tuple[Symbol, str] | None:
        """The variable and where it tends, for an asymptotic statement."""
        argument = (
            self.argument.argument if isinstance(self.argument, UnderLemma) else self.argument
        )
        return (argument.variable, argument.limit) if isinstance(argument, ByLeadingTerm) else None

    def prove(self) -> Decision:
        """The exact path alone; a proof on conditions that the claim neither assumes nor needs to
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
        return undecided(
            f"the argument holds only where {foreign}, which is not assumed", decision.conditions
        )

    def _foreign(self, conditions: Iterable[Condition]) -> Condition | None:
        """A condition that is neither assumed nor one under which the two sides are defined."""
        left = [
            c
            for c in dict.fromkeys(conditions)
            if c.relation == ">" and not implied(c, self.assume)
        ]
        if not left:
            return None
        own = self._own_conditions()
        left = [c for c in left if c.expression not in own]
        known = (*self.assume, *own)
        return next((c for c in left if not self._follows(c.expression, known)), None)

    def _follows(self, expression: Expr, known: tuple[Expr, ...]) -> bool:
        """Whether the expression is certainly positive where the known ones are."""
        return bool(why_positive(expression, known, strict=True))

    def _own_conditions(self) -> tuple[Expr, ...]:
        """What must be positive for the two sides to be defined."""
        arithmetic = Arithmetic(
            CoefficientField(self.symbols.union(*(a.free_symbols for a in self.assume)))
        )
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
        """The claim with every name written out; without the function that it applies to both sides."""
        plain = self.unfolded
        outer = (
            plain.argument.argument if isinstance(plain.argument, UnderLemma) else plain.argument
        )
        inside = outer.inside(plain) if isinstance(outer, ByApplying) else None
        if inside is None or not isinstance(outer, ByApplying):
            return plain
        return replace(
            plain,
            lhs=inside.lhs,
            rhs=inside.rhs,
            assume=inside.assume,
            argument=outer.argument,
        )

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> Verdict:
        """All paths: exact, pointwise, and intervals for a bound."""
        plain = self._in_numbers
        pointwise = check_at_points(
            plain.lhs,
            plain.relation,
            plain.rhs,
            assume=plain.assume,
            limit=plain.limit,
            points=points,
            digits=digits,
            seed=seed,
        )
        interval = None
        if self.relation in BOUNDS:
            interval = enclose_bound(
                plain.lhs, plain.relation, plain.rhs, assume=plain.assume, points=points, seed=seed
            )
        return Verdict(self, self.prove(), pointwise, interval)

    def to_latex(self) -> str:
        return f"{latex(self.lhs)} {RELATIONS[self.relation]} {latex(self.rhs)}"


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
        """The strength of the argument, or "failed" where a path objects or an exact argument does
        not go through.
        """
        if not self.pointwise.passed or (self.interval is not None and not self.interval.passed):
            return FAILED
        return earned(self.claim.argument, self.exact)

    @property
    def how(self) -> str:
        parts = [described(self.claim.argument), f"{self.pointwise.points} points"]
        if self.interval is not None:
            parts.append(f"{self.interval.points} enclosures")
        return ", ".join(parts)


@dataclass(frozen=True)
class Derivation:
    """A theorem as data: title, assumptions, definitions, statement, steps, source, what follows.

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

    def refuse_mistakes(self) -> None:
        """Refuse what is certainly a mistake.

        Raises
        ------
        ValueError
            Where the source, or a step's name or reason is empty, two steps have one name, the two
            sides of a step are one and the same, a lemma is the conclusion itself, the statement
            holds a formula that is no step's, it or `short` names what is no step, a letter is used
            that nothing introduces, or a text without formulas holds a reference to a step, which
            only a `Sentence` prints.
        """
        require_text("source", self.source)
        references = [f"{{{step.name}}}" for step in self.steps]
        for text in (self.follows, *(step.reason for step in self.steps)):
            if isinstance(text, str) and any(reference in text for reference in references):
                raise ValueError(f"{text!r}: refers to a step; write it as a Sentence")
        for step in self.steps:
            _refuse_what_says_nothing(step, self.statement)
        repeated = [
            name for name, count in Counter(step.name for step in self.steps).items() if count > 1
        ]
        if repeated:
            raise ValueError(
                f"steps: {repeated[0]!r} is the name of more than one; a step needs a name of its "
                f"own"
            )
        self._refuse_unproved_statement(self.statement)
        self._refuse_unknown_steps(Sentence(" ".join(f"{{{name}}}" for name in self.short)))
        self._refuse_unknown_letters()

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
        return {
            step.name: replace(
                step.stated,
                where=tuple(w for w in step.stated.where if not any(f.says(w) for f in said)),
            )
            for step in self.steps
        }

    def _refuse_unproved_statement(self, statement: Sentence) -> None:
        """The statement names steps, at least one; its own formulas are letters and their domains."""
        self._refuse_unknown_steps(statement)
        if not statement.steps:
            raise ValueError(f"statement={statement.text!r}: must name the steps that prove it")
        for formula in statement.formulas:
            if formula.signs and not formula.is_domain:
                raise ValueError(
                    f"statement={statement.text!r}: states {Sentence('{}', (formula,))}, which no "
                    f"step proves; name the step that does"
                )

    def _refuse_unknown_letters(self) -> None:
        """Every letter of a definition or a step is introduced before."""
        known = frozenset().union(
            *(a.names for a in (*self.assumptions, self.statement) if isinstance(a, Sentence))
        )
        for definition in self.definitions:
            arguments = frozenset(definition.name.free_symbols)
            where = f"definition of {definition.name}"
            self._refuse_unknown(definition.value, known | arguments, where)
            known |= own_names(definition)
        for step in self.steps:
            if isinstance(step.reason, Sentence):
                known |= step.reason.names
                self._refuse_unknown_steps(step.reason)
            for side in step.formula.sides:
                self._refuse_unknown(side, known, f"step {step.name!r}")

    def _refuse_unknown_steps(self, sentence: Sentence) -> None:
        steps = [step.name for step in self.steps]
        unknown = next((name for name in sentence.steps if name not in steps), None)
        if unknown is not None:
            raise ValueError(
                f"{sentence.text!r}: {unknown!r} is no step; they are {', '.join(steps)}"
            )

    def _refuse_unknown(self, expression: Expr, known: frozenset[Expr], where: str) -> None:
        unknown = sorted(names_in(expression) - known, key=str)
        if unknown:
            raise ValueError(
                f"{where}: {unknown[0]} is introduced by no assumption, definition or reason"
            )

    def prove(self) -> tuple[Decision, ...]:
        return tuple(step.prove() for step in self.steps)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> tuple[Verdict, ...]:
        return tuple(step.verify(points=points, digits=digits, seed=seed) for step in self.steps)

    @property
    def status(self) -> str:
        """As strong as the weakest step, "failed" where one fails; computed from the steps, never
        typed.
        """
        return weakest(verdict.strength for verdict in self.verify())


def earned(argument: Argument, exact: Decision) -> str:
    """The argument's strength where it goes through; without a proof no more than numbers, or a
    citation, can give.

    What an argument that is not the package's calls proved is its author's word, and no more than
    its numerical checks.
    """
    if exact.proved:
        return (
            argument.strength
            if is_of_the_package(argument)
            else weakest((argument.strength, NUMERICAL))
        )
    without_proof = (
        CITED
        if isinstance(argument, Cited)
        else NUMERICAL
        if isinstance(argument, Numerically)
        else FAILED
    )
    return weakest((argument.strength, without_proof))


def words_of(text: str | Sentence) -> str:
    return text.text if isinstance(text, Sentence) else text


def _refuse_what_says_nothing(step: Claim, statement: Sentence) -> None:
    """Refuse a step that is certainly a mistake."""
    for what in ("name", "reason"):
        require_text(f"step {step.name!r}: {what}", words_of(getattr(step, what)))
    for side in ("lhs", "rhs"):
        value = getattr(step, side)
        if not isinstance(value, Expr):
            raise ValueError(f"step {step.name!r}: {side}={value!r}: must be a SymPy expression")
    if step.lhs == step.rhs:
        raise ValueError(
            f"step {step.name!r}: lhs and rhs are both {str(step.lhs)[:60]}, which says nothing"
        )
    conclusions = {_words(str(text)) for text in (statement, step.reason)}
    for argument in with_those_within(step.argument):
        if isinstance(argument, UnderLemma) and _words(str(argument.lemma)) in conclusions:
            raise ValueError(
                f"step {step.name!r}: its lemma is what is to be proved, {str(argument.lemma)[:60]!r}"
            )


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()
