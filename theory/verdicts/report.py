"""What the equations of a document come to: each proved, refuted or undecided, or recognised as what
it is: a definition, a condition, or a name that the document uses for something else.

A formula in a paper is not always a claim. `X = ...` with a new name defines it; `D = 20 N` and
`E = 1.69` fix what is free; `\\partial L/\\partial N = 0` holds at the optimum and nowhere else. So
what fails as a claim about independent letters is tried as what else it may say, and is refuted only
where it has no other reading: a wrong reading is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Symbol

from ..algebra import symbols as sym
from ..algebra.answer import Answer
from ..algebra.parse import FUNCTIONS, MORE_FUNCTIONS, OF_TWO, PRIME, NamedFunction, ParseError
from ..budget import Budget
from ..data.notation import NOTATIONS
from .defined import (
    COLON_EQUALS,
    DEFINES,
    Definition,
    Scope,
    Settings,
    Sides,
    bound,
    environments,
    lagrangian_apart,
    name_alone,
    plain,
    renamed,
    restored,
)
from .letters import Letters
from .other_budget import OtherBudget, other_budgets
from .paper import LIMIT, RELATION, SECTION, PrintedEquation
from .prove import ChainLink
from .said import Said
from .second_reading import (
    CONDITION,
    CONFLICT,
    DEFINITION,
    PROVED,
    REFUTED,
    UNDECIDED,
    Failure,
    Trial,
)
from .sign_formulas import POSITIVE
from .source import Place, Source
from .supposed import (
    DROPS,
    end_of_item,
    limit_before,
    qualified,
    stated_before,
    stated_for_good,
    turns_away,
)

UNREADABLE = "unreadable"
#: The worst comes first.
ANSWERS = (REFUTED, UNREADABLE, CONFLICT, UNDECIDED, PROVED, DEFINITION, CONDITION)
EXPECTATION = re.compile(
    r"\\mathbb\s*\{?\s*[EPV]\s*\}?|\\(?:Pr|Var|Cov|E)(?![A-Za-z])|\\operatorname\*?\{(?:Var|Cov|E|P|Pr)\}"
)
NUMBER = re.compile(r"[\s{}]*[-+]?[0-9.]+[\s{}]*")
#: The loss by itself and as a function of params and tokens.
LAW = tuple((name, of) for name in ("L", "L_hat") for of in ((), ("N", "D")))
ONLY_NAMES = re.compile(r"(?:[\s,]|\\[,;:! ]|\\?[A-Za-z]+(?:_\{?\w+\}?)?)*")


@dataclass(frozen=True)
class Entry:
    """One link of an equation with what became of it.

    Attributes
    ----------
    answer : str
        One of `ANSWERS`.
    claim, reason : str
    place : Place
    display : tuple of int
        Where in the document the display stands.
    reading : str
        How it had to be read so that it holds: "at the optimum".
    uses : tuple of Definition
        Definitions of the document on which the answer rests.
    link : ChainLink or None
        The decision; None where the equation was not read.
    """

    answer: str
    claim: str
    reason: str
    place: Place
    display: tuple[int, int]
    number: str | None = None
    label: str | None = None
    stated: tuple[str, ...] = ()
    reading: str = ""
    uses: tuple[Definition, ...] = ()
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    link: ChainLink | None = None
    column: int | None = None
    is_inline: bool = False


def report(
    source: Source, printed: Sequence[PrintedEquation], settings: Settings
) -> Iterator[tuple[PrintedEquation, list[Entry]]]:
    """The entries of each equation, as they are decided.

    Parameters
    ----------
    source : Source
    printed : sequence of PrintedEquation
        In the order of the document.
    settings : Settings
        A budget that a theorem states for itself holds in it, unless the settings have one.
    """
    own = _Document(source, printed, settings)
    others = {
        stated: _Document(source, printed, replace(settings, budget=stated.budget))
        for stated in own.budgets
    }

    def reading(equation: PrintedEquation) -> StatedBudget | None:
        return next((stated for stated in others if stated.holds(equation.start)), None)

    parts = [
        (equation, document, stated)
        for stated, document in ((None, own), *others.items())
        for equation in document.printed
        if reading(equation) == stated
    ]
    for equation, document, stated in sorted(parts, key=lambda part: part[0].display[0]):
        entries = document.entries(equation)
        yield equation, entries if stated is None else [stated.told(entry) for entry in entries]


@dataclass(frozen=True)
class Supposition:
    """`gamma == beta` in a part of the document."""

    text: str
    scope: Scope
    is_doubtful: bool = False
    """Whether more is said of it than is understood: "be false", "or"."""

    def holds(self, at: int) -> bool:
        return self.scope.since(at) is not None


@dataclass(frozen=True)
class StatedBudget:
    """The budget that a theorem states for itself, in which line and where it holds."""

    budget: Budget
    line: int
    scope: Scope

    def holds(self, at: int) -> bool:
        return self.scope.since(at) is not None

    def told(self, entry: Entry) -> Entry:
        """The entry, which says whose budget it is about."""
        if entry.answer not in (PROVED, REFUTED):
            return entry
        reading = f"with the budget of line {self.line}"
        return replace(entry, reading=f"{entry.reading}, {reading}" if entry.reading else reading)


@dataclass(frozen=True)
class OtherUse:
    """Names that a part of the document uses for something else than the law, and why."""

    names: frozenset[str]
    reason: str
    scope: Scope

    def holds(self, at: int) -> bool:
        return self.scope.since(at) is not None


class _Document:
    """The equations of a document with the definitions that hold at each."""

    def __init__(
        self, source: Source, printed: Sequence[PrintedEquation], settings: Settings
    ) -> None:
        self.source, self.settings = source, settings
        self.words = settings.words
        self.renamed = frozenset(
            name for text in settings.let for name in [renamed(text)] if name is not None
        )
        self.printed = self._with_premises(
            equation for one in lagrangian_apart(printed) for equation in self._separated(one)
        )
        self.environments = environments(source.text)
        self.letters = Letters.of(source.text, self.environments)
        self.definitions: list[Definition] = []
        self.numbers: dict[str, str] = {}
        self.supposed: list[Supposition] = []
        self.seen: set[str] = set()
        self.other_uses: list[OtherUse] = []
        self.budgets: list[StatedBudget] = []
        self.of_ratios = frozenset(
            name
            for name in ("r", "rho", "s", "R_opt")
            if name in self.words.names and name not in self.renamed
        )
        #: The names whose meaning changes with the budget.
        self.of_compute = frozenset({"C", "N_opt", "D_opt", "R_opt", "L_opt", "C0", "C_0"})
        for at, text, is_doubtful in stated_for_good(source.text):
            if self._is_supposition(text):
                self.suppose(text, at, is_doubtful)
        for named in other_budgets(source.text, self.printed, settings):
            self._note_budget(named)
        for equation in self.printed:
            self._collect(equation)
        self.definitions = [self._checked(definition) for definition in self.definitions]

    # -- definitions ---------------------------------------------------------------------------------------------------

    def _separated(self, equation: PrintedEquation) -> Iterator[PrintedEquation]:
        """The equation, and after it those of its conditions that define or claim something: "where
        a = ...".
        """
        kept = []
        apart: list[PrintedEquation] = []
        for condition in equation.conditions:
            sides = Sides.of(condition)
            named = name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
            is_equality = sides is not None and [r.text for r in sides.relations] == ["=="]
            if named is not None and is_equality and not self.is_letter(named[0]):
                at = self.source.text.find(condition.strip(), *equation.display)
                start = at if at >= 0 else equation.start
                apart.append(
                    replace(equation, text=condition, start=start, conditions=(), cue="where")
                )
            elif RELATION.search(condition) or not ONLY_NAMES.fullmatch(condition):
                kept.append(condition)
        yield replace(equation, conditions=tuple(kept))
        yield from apart

    def _with_premises(self, printed: Iterable[PrintedEquation]) -> list[PrintedEquation]:
        """`alpha = beta/2, beta = gamma`: what the last part of a display sets equal, letter to
        letter, is supposed in the parts before it.
        """
        equations = list(printed)
        for i, equation in enumerate(equations):
            sides = Sides.of(equation.text)
            named = [name_alone(side) for side in sides.tokens] if sides is not None else []
            is_equality = sides is not None and [r.text for r in sides.relations] == ["=="]
            is_letters = is_equality and all(
                name is not None and not name[1] and self.is_letter(name[0]) for name in named
            )
            if not is_letters or equation.is_inline:
                continue
            for j in range(i):
                if equations[j].display == equation.display:
                    premises = (*equations[j].premises, equation.text)
                    equations[j] = replace(equations[j], premises=premises)
        return equations

    def is_letter(self, name: str) -> bool:
        """Whether a name means a quantity that is free in the law: N, D, C, A, beta."""
        return isinstance(self.words.names.get(name), Symbol) and name not in self.renamed

    def _is_fresh(self, name: str) -> bool:
        base = name.partition(f"_{PRIME}")[0]
        is_slope = base != name and (
            isinstance(self.words.names.get(base), NamedFunction)
            or any(d.name == base for d in self.definitions)
        )
        return (
            not is_slope
            and name not in self.words.names
            and name.replace("_", "") not in self.words.names
            and name not in self.renamed
            and name not in {symbol.name for symbol in self.words.of_a_run}
            and name not in ("oo", "d", "partial", *FUNCTIONS, *MORE_FUNCTIONS, *OF_TWO)
        )

    def _is_parameter(self, name: str) -> bool:
        """Whether the name may be an argument in a definition: `f(N_opt)` is a value of f."""
        return not isinstance(self.words.names.get(name, Symbol("x")), NamedFunction)

    def _collect(self, equation: PrintedEquation) -> None:
        """Note the definition that an equation is."""
        text = plain(equation.text)
        sides = Sides.of(text)
        if sides is None:
            self._collect_unread(equation, text)
        if sides is None or not sides.relations or equation.definitions or EXPECTATION.search(text):
            return
        first, last = name_alone(sides.tokens[0]), name_alone(sides.tokens[-1])
        pairs = []
        if first is not None and sides.relations[0].text == "==":
            pairs.append((first, 0, 1))
        if last is not None and sides.relations[-1].text == "==" and not last[1]:
            pairs.append((last, -1, -2))
        for (name, arguments), own, other in pairs:
            value = frozenset(t.text for t in sides.tokens[other] if t.kind == "name")
            if (
                not self._is_fresh(name)
                or name in arguments
                or self._rests_on(value, name, equation.start)
                or name in self._names_of_premises(equation)
            ):
                continue
            if not all(map(self._is_parameter, arguments)):
                continue
            if self._is_defined(name, equation) and not (
                DEFINES.match(equation.cue) or COLON_EQUALS.search(equation.text)
            ):
                return
            text = f"{sides.sources[own].strip()} = {sides.sources[other].strip()}"
            since = equation.display[0]
            if equation.cue in ("where", "with"):
                since = self._sentence(equation)
            trouble = "it has several branches" if equation.is_branch else ""
            names = value - {name, *arguments}
            definition = Definition(
                name,
                text,
                self._place(equation),
                names,
                self._scope(equation.start, since, name),
                trouble,
            )
            self.definitions.append(definition)
            return

    def _names_of_premises(self, equation: PrintedEquation) -> set[str]:
        """What the equations have from which it is drawn in its display: none of it is new."""
        premises = (
            Sides.of(plain(one.text))
            for one in self.printed
            if one.is_premise and one.display == equation.display and one.start < equation.start
        )
        return set().union(*(sides.names for sides in premises if sides is not None))

    def _rests_on(self, names: Collection[str], name: str, at: int) -> bool:
        """Whether a name is among the names, or what they are defined by at a place."""
        reached, waiting = set(names), list(names)
        while waiting:
            met = waiting.pop()
            for definition in self.definitions:
                if definition.name == met and definition.holds(at):
                    new = definition.names - reached
                    reached |= new
                    waiting += new
        return name in reached

    def _collect_unread(self, equation: PrintedEquation, text: str) -> None:
        """Note a name whose definition has marks that cannot be read."""
        relation = RELATION.search(text)
        left = Sides.of(text[: relation.start()]) if relation is not None else None
        named = name_alone(left.tokens[0]) if left is not None else None
        if named is None or relation is None or relation.group() != "=":
            return
        if self._is_fresh(named[0]) and not self._is_defined(named[0], equation):
            self.definitions.append(
                Definition(
                    named[0],
                    text.strip(),
                    self._place(equation),
                    frozenset(),
                    self._scope(equation.start, equation.display[0], named[0]),
                    "its expression cannot be read",
                )
            )

    def _scope(self, at: int, since: int, name: str = "") -> Scope:
        """A name loses its meaning at the end of the proof that gives it one; a letter of a theorem
        at the end of the theorem and its proof, but it has it again where a theorem takes that
        setting. A letter with an index keeps it in a document whose theorems take no settings.
        """
        within = [one for one in self.environments if at in one]
        keeps = "_" in name and not any(one.settings for one in self.environments)
        ends = [one.end for one in within if one.is_proof or not keeps]
        if any(one.is_proof for one in within):
            return Scope(since, min(ends, default=None))
        again = [
            (later.start, later.end)
            for later in self.environments
            if any(one.start in later.settings for one in within)
        ]
        return Scope(since, min(ends, default=None), tuple(again))

    def suppose(self, text: str, at: int, is_doubtful: bool = False) -> None:
        """What the text supposes holds from there on: in a theorem to its end, else to the end of
        the section, and in a list to the next item.
        """
        scope = self._scope(at, at)
        document = self.source.text
        heading = SECTION.search(document, at) if scope.last is None else None
        ends = (scope.last, heading and heading.start(), end_of_item(document, at))
        last = min((end for end in ends if end is not None), default=None)
        self.supposed.append(Supposition(text, replace(scope, last=last), is_doubtful))

    def _supposed(self, equation: PrintedEquation) -> tuple[list[str], list[str]]:
        """What the text supposes where an equation stands, the last thing that it says of a letter;
        and what it may suppose.
        """
        said: dict[str, str] = {}
        holding = [one for one in self.supposed if one.holds(equation.start)]
        turned = turns_away(equation)
        doubtful = [
            one.text.strip()
            for one in holding
            if one.is_doubtful
            or turned
            or DROPS.search(self.source.text, one.scope.first, equation.start)
        ]
        own = [one.text for one in holding if one.text.strip() not in doubtful]
        stated = filter(self._is_supposition, stated_before(equation))
        for text in (*own, *stated, *equation.premises):
            sides = Sides.of(text)
            named = name_alone(sides.tokens[0]) if sides is not None else None
            is_value = sides is not None and [r.text for r in sides.relations] == ["=="]
            key = named[0] if named is not None and is_value else text
            said.pop(key, None)
            said[key] = text.strip()
        return list(said.values()), doubtful

    def _is_supposition(self, text: str) -> bool:
        """Whether prose says so much of the letters of the law that it can be assumed."""
        sides = Sides.of(text)
        named = name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
        if sides is None or not sides.relations:
            return False
        is_value = any(relation.text == "==" for relation in sides.relations)
        if is_value and NUMBER.fullmatch(sides.sources[-1]):
            return False
        if is_value and (named is None or named[1] or not self.is_letter(named[0])):
            return False
        if named is not None and self._goes_without_saying(named[0], sides):
            return False
        try:
            self.settings.prove("1 = 1", assume=[text])
        except (ParseError, ValueError):
            return False
        return True

    def _goes_without_saying(self, name: str, sides: Sides) -> bool:
        """Whether the letter is known to have the sign that is said of it: `N > 0`."""
        if len(sides.relations) > 1 or sides.sources[-1].strip() != "0":
            return False
        letter = self.words.names.get(name, Symbol(name, positive=True))
        if not isinstance(letter, Symbol):
            return False
        known = {">": letter.is_positive, ">=": letter.is_nonnegative, "!=": letter.is_nonzero}
        return known.get(sides.relations[0].text) is True

    def _sentence(self, equation: PrintedEquation) -> int:
        """Where the display begins that a "where" explains."""
        before = [
            one.display[0]
            for one in self.printed
            if not one.is_inline and one.display[1] <= equation.display[0]
        ]
        return max(before, default=equation.display[0])

    def _checked(self, definition: Definition) -> Definition:
        if definition.trouble:
            return definition
        rests_on = self._closure(definition.names, at=definition.scope.first)
        others = [d for d in rests_on if d.name != definition.name and not d.trouble]
        try:
            self.settings.prove("1 = 1", define=[d.text for d in (*others, definition)])
        except ParseError as error:
            return replace(definition, trouble=error.complaint)
        return definition

    def _closure(self, names: Collection[str], at: int) -> list[Definition]:
        """The definitions that hold at a place of the document and are needed for these names; those
        of the theorem before others.
        """
        theorem = min((one.start for one in self.environments if at in one), default=0)
        since = [(start, d) for d in self.definitions if (start := d.scope.since(at)) is not None]
        nearest = sorted(since, key=lambda pair: pair[0] >= theorem)
        holding = {definition.name: definition for _, definition in nearest}
        needed: dict[str, Definition] = {}
        open_names = [form for name in names for form in (name, name.partition(f"_{PRIME}")[0])]
        while open_names:
            name = open_names.pop()
            if name in holding and name not in needed:
                needed[name] = holding[name]
                open_names += holding[name].names
        return list(needed.values())

    # -- one equation --------------------------------------------------------------------------------------------------

    def _place(self, equation: PrintedEquation, offset: int | None = None) -> Place:
        first = len(equation.text) - len(equation.text.lstrip(" &\n\t"))
        return self.source.place(equation.start + (first if offset is None else offset))

    def entries(self, equation: PrintedEquation) -> list[Entry]:
        """What became of an equation, link by link."""
        text = plain(equation.text)
        sides = Sides.of(text)
        names = sides.names if sides is not None else frozenset[str]()
        try:
            return self._decided(equation, text, sides, names)
        except ParseError as error:
            return [self._unread(equation, text, sides, error)]
        finally:
            self.seen |= names

    def _decided(
        self,
        equation: PrintedEquation,
        text: str,
        sides: Sides | None,
        names: frozenset[str],
    ) -> list[Entry]:
        if equation.unclear:
            what = f"what the words {equation.unclear!r} make of it is not understood"
            raise ParseError(what)
        expectation = EXPECTATION.search(text)
        if expectation is not None:
            what = f"{expectation.group()!r} is an expectation or a probability, which is not read"
            raise ParseError.at(text, expectation.start(), what)
        conditions = [
            condition for condition in equation.conditions if not LIMIT.fullmatch(condition)
        ]
        stated_names = frozenset[str]().union(
            *(s.names for s in map(Sides.of, conditions) if s is not None)
        )
        place = self._place(equation)
        defines = any(definition.place == place for definition in self.definitions)
        arguments = bound(sides) if defines else frozenset[str]()
        explained = _rests_on(equation.definitions)
        uses = self._closure((names - arguments) | stated_names | explained, at=equation.start)
        own = next((d for d in uses if d.place == place), None)
        if own is not None and own.trouble:
            raise ParseError(own.trouble)
        said = self._said(
            equation, (names - arguments) | stated_names | explained.union(*(d.names for d in uses))
        )
        signs = {one.letter: one.signs for one in said if one.signs not in (None, POSITIVE)}
        trial = Trial(
            replace(self.settings, signs=signs),
            text,
            tuple(d.text for d in uses if not d.trouble) + equation.definitions,
            tuple(conditions),
            equation.limit or limit_before(equation),
        )
        proof = trial.proof
        opaque = [d for d in uses if d.trouble]
        quantified = stated_names | {one.letter for one in said if one.is_of_all}
        entries = []
        for i, link in enumerate(proof.links):
            reading, answer, reason = "", link.decision.answer.value, link.decision.reason
            if answer != PROVED:
                supposed, doubtful = self._supposed(equation)
                found = trial.elsewhere(i, self.numbers, supposed)
                if found is not None:
                    reading, link = found
                    answer, reason = PROVED, link.decision.reason
            context = Failure(self, equation, sides, i, link, proof, quantified, opaque, trial)
            if answer == REFUTED and equation.is_premise:
                answer, reason = CONDITION, "the premise of what follows"
            elif answer == REFUTED:
                answer, reason = context.verdict()
                under = trial.supposing(i, supposed) if answer == REFUTED and supposed else None
                if under is not None and under.answer is not Answer.REFUTED:
                    given = " and ".join(supposed)
                    answer = UNDECIDED
                    reason = f"it fails in general; for {given} it is not decided: {under.reason}"
                if answer == REFUTED and doubtful:
                    under = trial.supposing(i, [*supposed, *doubtful])
                    if under is not None and not under.refuted:
                        what = " and ".join(doubtful)
                        answer, reason = (
                            UNDECIDED,
                            f"it fails unless {what}, and whether the document supposes that is not understood",
                        )
            if answer == REFUTED and (where := qualified(equation)):
                answer = UNDECIDED
                reason = f"it fails in general, and what {where!r} says of where it holds is not understood"
            if answer in (PROVED, REFUTED):
                other = self._used_otherwise(equation, names) or self._not_understood(said)
                answer, reason = (UNDECIDED, other) if other else (answer, reason)
            if answer in (PROVED, REFUTED) and signs:
                of_signs = f"for {', '.join(one.shown for one in said if one.letter in signs)}"
                reading = f"{reading}, {of_signs}" if reading else of_signs
            self._note_other_use(equation, answer, context.left)
            is_own = own is not None and context.is_definition_of(own.name)
            if is_own and answer == PROVED:
                answer, reason = DEFINITION, f"defines {own.shown_name}" if own is not None else ""
            entries.append(
                Entry(
                    answer,
                    restored(link.text),
                    reason,
                    self._place(equation, link.position),
                    equation.display,
                    equation.number,
                    equation.label,
                    equation.conditions,
                    reading,
                    tuple(d for d in uses if d is not own),
                    tuple(name for name in proof.free if name not in signs),
                    proof.read_as,
                    link,
                    is_inline=equation.is_inline,
                )
            )
        return entries

    def _said(self, equation: PrintedEquation, names: Collection[str]) -> list[Said]:
        """What the document says of the signs of the letters among these names: of its own, and of
        those of the law where that is something else than the law has.
        """
        own = {
            name for name in names if self._is_fresh(name) and not self._is_defined(name, equation)
        }
        found = [
            replace(said, letter=name)
            for name in sorted(own)
            if (said := self.letters.at(name, equation) or self.letters.near(name, equation))
        ]
        for name in sorted({*names} - own):
            letter, said = self.words.names.get(name), self.letters.at(name, equation)
            is_positive = isinstance(letter, Symbol) and letter.is_positive
            if is_positive and said is not None and said.letter == name and said.may_be_else:
                found.append(replace(said, signs=None, law=f"{name} is positive in the law"))
        return found

    def _is_defined(self, name: str, equation: PrintedEquation) -> bool:
        return any(d.name == name and d.holds(equation.start) for d in self.definitions)

    def _not_understood(self, said: Iterable[Said]) -> str:
        """What keeps an answer from being one; empty where nothing does."""
        unclear = next((one for one in said if one.signs is None), None)
        if unclear is None:
            return ""
        line = self.source.place(unclear.at).line
        if unclear.law:
            return f"{unclear.law}, and line {line} has it otherwise"
        return f"what line {line} says of {unclear.letter} is not understood"

    def _note_other_use(
        self, equation: PrintedEquation, answer: str, named: tuple[str, tuple[str, ...]] | None
    ) -> None:
        """Note a name of the law that the document uses for something else, and what hangs on it."""
        if named is None:
            return
        is_law = named in LAW
        is_other = (
            answer == CONFLICT
            or (answer == CONDITION and named[0] in self.of_ratios)
            or (answer in (UNDECIDED, UNREADABLE) and is_law)
        )
        if not is_other:
            return
        line = self._place(equation).line
        scope = self._scope(equation.start, equation.display[1], named[0])
        names = {named[0]} | (self.of_compute if named[0] == "C" else frozenset())
        reason = f"{named[0]} is something else in line {line}"
        if is_law:
            names |= {"L", "L_opt", "L_hat"}
            other = self._other_notation(equation)
            if other:
                names |= self.words.names.keys()
                reason = f"line {line} has the law in the {other} notation: say --notation {other}"
        self.other_uses.append(OtherUse(frozenset(names), reason, scope))

    def _note_budget(self, named: OtherBudget) -> None:
        """Note a budget that is not that of the settings; a theorem may state one for itself."""
        line = self.source.place(named.start).line
        scope = self._scope(named.end, named.end)
        is_open = self.settings.budget is None and scope.last is not None
        if named.budget is not None and named.is_stated and is_open:
            self.budgets.append(StatedBudget(named.budget, line, scope))
        else:
            reason = f"line {line} has another budget, {named.text}: say --budget"
            self.other_uses.append(OtherUse(named.changes(self.settings), reason, scope))

    def _other_notation(self, equation: PrintedEquation) -> str:
        """The notation in which an equation is the law; empty where there is none."""
        for other in NOTATIONS:
            if other != self.settings.notation:
                try:
                    proof = replace(self.settings, notation=other).prove(plain(equation.text))
                except (ParseError, ValueError):
                    continue
                if proof.answer is Answer.PROVED:
                    return other
        return ""

    def _used_otherwise(self, equation: PrintedEquation, names: Collection[str]) -> str:
        """Why an answer would be about something else than the document means; empty where it is
        not.
        """
        return next(
            (
                other.reason
                for other in self.other_uses
                if other.names & set(names) and other.holds(equation.start)
            ),
            "",
        )

    def _unread(
        self, equation: PrintedEquation, text: str, sides: Sides | None, error: ParseError
    ) -> Entry:
        inside = error.position if error.text == text and error.position is not None else None
        place = self._place(equation, inside)
        named = name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
        answer, reason = UNREADABLE, error.complaint
        if named is not None and sides is not None and self._takes_other_arguments(*named):
            answer = CONFLICT
            reason = (
                f"{named[0]} is {self.meaning(named[0])}; the document has "
                f"{named[0]}({', '.join(named[1])}): give its formula another name"
            )
        if named in LAW:
            self._note_other_use(equation, answer, named)
        return Entry(
            answer,
            restored(" ".join(equation.text.replace("&", " ").split())),
            reason,
            place,
            equation.display,
            equation.number,
            equation.label,
            equation.conditions,
            column=place.column if inside is not None else None,
            is_inline=equation.is_inline,
        )

    def _takes_other_arguments(self, name: str, arguments: tuple[str, ...]) -> bool:
        """Whether the law has a function of this name whose arguments are others."""
        meaning = self.words.names.get(name)
        if not arguments or name in self.renamed:
            return False
        if not isinstance(meaning, NamedFunction):
            return meaning is not None
        own = [meaning, meaning.other] if meaning.other is not None else [meaning]
        return all(tuple(map(str, f.parameters)) != arguments for f in own if f is not None)

    def meaning(self, name: str) -> str:
        """What the law has under this name, in words."""
        if name in self.words.means:
            return self.words.means[name]
        canonical = {own: other for other, own in self.words.notation.names().items()}
        quantity = sym.QUANTITIES.get(canonical.get(name, name))
        return f"the {quantity.meaning}" if quantity is not None else "a quantity of the law"

    def determine(self, name: str, value: Expr, equation: PrintedEquation) -> None:
        """Note what a condition makes of a name."""
        names = frozenset(str(symbol) for symbol in value.free_symbols)
        text = f"{name} == {value}"
        since = equation.start + len(equation.text)
        self.definitions.append(
            self._checked(
                Definition(
                    name,
                    text,
                    self._place(equation),
                    names,
                    self._scope(equation.start, since, name),
                )
            )
        )


def _rests_on(definitions: Iterable[str]) -> frozenset[str]:
    """The names on which definitions rest, without those that they define."""
    used, defined = frozenset[str](), frozenset[str]()
    for sides in filter(None, map(Sides.of, definitions)):
        used |= sides.names
        named = name_alone(sides.tokens[0])
        defined |= frozenset(() if named is None else (named[0], *named[1]))
    return used - defined
