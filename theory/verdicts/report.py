"""What the equations of a document come to: each proved, refuted or undecided, or recognised as what
it is: a definition, a condition, or a name that the document uses for something else.

A formula in a paper is not always a claim. `X = ...` with a new name defines it; `D = 20 N` and
`E = 1.69` fix what is free; `\\partial L/\\partial N = 0` holds at the optimum and nowhere else. So
what fails as a claim about independent letters is tried as what else it may say, and is refuted only
where it has no other reading: a wrong reading is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..algebra.answer import Answer
from ..reader.tokens import ParseError
from .defined import Sides, bound, name_alone, plain, restored
from .facts import EXPECTATION, LAW, DefinedName, Facts, StatedBudget
from .paper import LIMIT, PrintedEquation
from .prove import ChainLink, Settings
from .said import Said
from .second_reading import (
    CONDITION,
    CONFLICT,
    DEFINITION,
    PROVED,
    REFUTED,
    UNDECIDED,
    Failure,
    TriedEquation,
)
from .sign_formulas import POSITIVE
from .source import Place, TexSource
from .supposed import limit_before, qualified

UNREADABLE = "unreadable"
#: The worst comes first.
ANSWERS = (
    REFUTED,
    UNREADABLE,
    CONFLICT,
    UNDECIDED,
    Answer.BY_SYMPY.value,
    PROVED,
    DEFINITION,
    CONDITION,
)


@dataclass(frozen=True)
class PrintedVerdict:
    """One link of an equation with what became of it.

    Attributes
    ----------
    answer : str
        One of `ANSWERS`.
    claim, reason : str
    equation : PrintedEquation
    place : Place
    reading : str
        How it had to be read so that it holds: "at the optimum".
    uses : tuple of DefinedName
        Definitions of the document on which the answer rests.
    link : ChainLink or None
        The decision; None where the equation was not read.
    """

    answer: str
    claim: str
    reason: str
    equation: PrintedEquation
    place: Place
    reading: str = ""
    uses: tuple[DefinedName, ...] = ()
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    link: ChainLink | None = None
    column: int | None = None

    @property
    def display(self) -> tuple[int, int]:
        """Where in the document the display stands."""
        return self.equation.display

    @property
    def number(self) -> str | None:
        return self.equation.number

    @property
    def label(self) -> str | None:
        return self.equation.label

    @property
    def stated(self) -> tuple[str, ...]:
        """What is said of its domain or limit beside it."""
        return self.equation.conditions

    @property
    def is_inline(self) -> bool:
        return self.equation.is_inline


def report(
    source: TexSource, printed: Sequence[PrintedEquation], settings: Settings
) -> Iterator[tuple[PrintedEquation, list[PrintedVerdict]]]:
    """The verdicts on each equation, as they are decided.

    Parameters
    ----------
    source : TexSource
    printed : sequence of PrintedEquation
        In the order of the document.
    settings : Settings
        A budget that a theorem states for itself holds in it, unless the settings have one.
    """
    own = Facts(source, printed, settings)
    others = {
        stated: Facts(source, printed, replace(settings, budget=stated.budget))
        for stated in own.budgets
    }

    def reading(equation: PrintedEquation) -> StatedBudget | None:
        return next((stated for stated in others if stated.holds(equation.start)), None)

    parts = [
        (equation, facts, stated)
        for stated, facts in ((None, own), *others.items())
        for equation in facts.printed
        if reading(equation) == stated
    ]
    for equation, facts, stated in sorted(parts, key=lambda part: part[0].display[0]):
        verdicts = verdicts_on(equation, facts)
        if stated is not None:
            verdicts = [_under(stated, verdict) for verdict in verdicts]
        yield equation, verdicts


def _under(stated: StatedBudget, verdict: PrintedVerdict) -> PrintedVerdict:
    """The verdict, which says whose budget it is about."""
    if verdict.answer not in (PROVED, REFUTED):
        return verdict
    return replace(
        verdict, reading=_joined(verdict.reading, f"with the budget of line {stated.line}")
    )


def _joined(*readings: str) -> str:
    return ", ".join(filter(None, readings))


def verdicts_on(equation: PrintedEquation, facts: Facts) -> list[PrintedVerdict]:
    """What became of an equation, link by link; what it tells is noted among the facts."""
    text = plain(equation.text)
    sides = Sides.of(text)
    names = sides.names if sides is not None else frozenset[str]()
    try:
        return _Equation(facts, equation, text, sides, names).decided()
    except ParseError as error:
        return [_unread(facts, equation, text, sides, error)]
    finally:
        facts.seen |= names


def _unread(
    facts: Facts, equation: PrintedEquation, text: str, sides: Sides | None, error: ParseError
) -> PrintedVerdict:
    inside = error.position if error.text == text and error.position is not None else None
    place = facts.place(equation, inside)
    named = sides.first if sides is not None else None
    answer, reason = UNREADABLE, error.complaint
    if named is not None and facts.takes_other_arguments(*named):
        answer = CONFLICT
        reason = (
            f"{named[0]} is {facts.meaning(named[0])}; the document has "
            f"{named[0]}({', '.join(named[1])}): give its formula another name"
        )
    if named is not None and named in LAW:
        facts.note_other_use(equation, named)
    return PrintedVerdict(
        answer,
        restored(" ".join(equation.text.replace("&", " ").split())),
        reason,
        equation,
        place,
        column=place.column if inside is not None else None,
    )


@dataclass(frozen=True)
class _Equation:
    """An equation with the facts that it is decided under."""

    facts: Facts
    equation: PrintedEquation
    text: str
    sides: Sides | None
    names: frozenset[str]

    def decided(self) -> list[PrintedVerdict]:
        facts, equation = self.facts, self.equation
        if equation.unclear:
            what = f"what the words {equation.unclear!r} make of it is not understood"
            raise ParseError(what)
        expectation = EXPECTATION.search(self.text)
        if expectation is not None:
            what = f"{expectation.group()!r} is an expectation or a probability, which is not read"
            raise ParseError.at(self.text, expectation.start(), what)
        conditions = [text for text in equation.conditions if not LIMIT.fullmatch(text)]
        stated_names = frozenset[str]().union(
            *(s.names for s in map(Sides.of, conditions) if s is not None)
        )
        place = facts.place(equation)
        defines = any(definition.place == place for definition in facts.definitions)
        arguments = bound(self.sides) if defines else frozenset[str]()
        names = (self.names - arguments) | stated_names | _rests_on(equation.definitions)
        uses = facts.closure(names, at=equation.start)
        own = next((d for d in uses if d.place == place), None)
        if own is not None and own.trouble:
            raise ParseError(own.trouble)
        said = facts.signs_at(equation, names.union(*(d.names for d in uses)))
        signs = {one.letter: one.signs for one in said if one.signs not in (None, POSITIVE)}
        trial = TriedEquation(
            replace(facts.settings, signs=signs),
            self.text,
            tuple(d.text for d in uses if not d.trouble) + equation.definitions,
            tuple(conditions),
            equation.limit or limit_before(equation),
        )
        proof = trial.proof
        quantified = stated_names | {one.letter for one in said if one.is_of_all}
        opaque = [d for d in uses if d.trouble]
        of_signs = ", ".join(one.shown for one in said if one.letter in signs)
        verdicts = []
        for i, link in enumerate(proof.links):
            failure = Failure(facts, equation, self.sides, i, link, proof, quantified, opaque)
            answer, reason, reading, link = self._judged(i, link, failure, trial)
            if answer in (PROVED, REFUTED):
                other = facts.used_otherwise(equation, self.names) or self._not_understood(said)
                answer, reason = (UNDECIDED, other) if other else (answer, reason)
            if answer in (PROVED, REFUTED) and signs:
                reading = _joined(reading, f"for {of_signs}")
            if failure.left is not None and self._is_another_use(answer, failure.left):
                facts.note_other_use(equation, failure.left)
            if own is not None and answer == PROVED and failure.is_definition_of(own.name):
                answer, reason = DEFINITION, f"defines {own.shown_name}"
            verdicts.append(
                PrintedVerdict(
                    answer,
                    restored(link.text),
                    reason,
                    equation,
                    facts.place(equation, link.position),
                    reading,
                    tuple(d for d in uses if d is not own),
                    tuple(name for name in proof.free if name not in signs),
                    proof.read_as,
                    link,
                )
            )
        return verdicts

    def _judged(
        self, i: int, link: ChainLink, failure: Failure, trial: TriedEquation
    ) -> tuple[str, str, str, ChainLink]:
        """The answer on a link, the reason, how it is read, and the link so read."""
        answer, reason = link.decision.answer.value, link.decision.reason
        if link.decision.holds:
            return answer, reason, "", link
        supposed, doubtful = self.facts.supposed_at(self.equation)
        found = trial.elsewhere(i, self.facts.numbers, supposed)
        if found is not None:
            reading, link = found
            return PROVED, link.decision.reason, reading, link
        if answer == REFUTED and self.equation.is_premise:
            return CONDITION, "the premise of what follows", "", link
        if answer == REFUTED:
            answer, reason = failure.verdict()
        if answer == REFUTED and supposed:
            under = trial.supposing(i, supposed)
            if under is not None and not under.refuted:
                given = " and ".join(supposed)
                answer = UNDECIDED
                reason = f"it fails in general; for {given} it is not decided: {under.reason}"
        if answer == REFUTED and doubtful:
            under = trial.supposing(i, [*supposed, *doubtful])
            if under is not None and not under.refuted:
                what = " and ".join(doubtful)
                answer = UNDECIDED
                reason = f"it fails unless {what}, and whether the document supposes that is not understood"
        if answer == REFUTED and (where := qualified(self.equation)):
            answer = UNDECIDED
            reason = (
                f"it fails in general, and what {where!r} says of where it holds is not understood"
            )
        return answer, reason, "", link

    def _is_another_use(self, answer: str, named: tuple[str, tuple[str, ...]]) -> bool:
        """Whether an answer says that the document uses a name of the law for something else."""
        return (
            answer == CONFLICT
            or (answer == CONDITION and named[0] in self.facts.of_ratios)
            or (answer == UNDECIDED and named in LAW)
        )

    def _not_understood(self, said: Iterable[Said]) -> str:
        """What keeps an answer from being one; empty where nothing does."""
        unclear = next((one for one in said if one.signs is None), None)
        if unclear is None:
            return ""
        line = self.facts.source.place(unclear.at).line
        if unclear.law:
            return f"{unclear.law}, and line {line} has it otherwise"
        return f"what line {line} says of {unclear.letter} is not understood"


def _rests_on(definitions: Iterable[str]) -> frozenset[str]:
    """The names on which definitions rest, without those that they define."""
    used, defined = frozenset[str](), frozenset[str]()
    for sides in filter(None, map(Sides.of, definitions)):
        used |= sides.names
        named = name_alone(sides.tokens[0])
        defined |= frozenset(() if named is None else (named[0], *named[1]))
    return used - defined
