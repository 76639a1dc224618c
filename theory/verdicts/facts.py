"""What a document says, each fact with where it holds: names that it defines, what it supposes, the
signs of its letters, budgets, and names of the law that it uses for something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Symbol

from ..algebra import symbols as sym
from ..algebra.answer import Answer
from ..budget import Budget
from ..data.notation import NOTATIONS
from ..reader.building import FUNCTIONS, MORE_FUNCTIONS, OF_TWO, NamedFunction
from ..reader.tokens import PRIME, ParseError
from .defined import (
    APART,
    COLON_EQUALS,
    DEFINES,
    Sides,
    lagrangian_apart,
    name_alone,
    plain,
    renamed,
    restored,
)
from .document import Scope, inline_formulas
from .paper import RELATION, PrintedEquation
from .prove import Settings
from .said import Letters, Said
from .source import Place, TexSource
from .supposed import DROPS, is_conditional, stated_before, stated_for_good, turns_away

EXPECTATION = re.compile(
    r"\\mathbb\s*\{?\s*[EPV]\s*\}?|\\(?:Pr|Var|Cov|E)(?![A-Za-z])|\\operatorname\*?\{(?:Var|Cov|E|P|Pr)\}"
)
NUMBER = re.compile(r"[\s{}]*[-+]?[0-9.]+[\s{}]*")
#: The loss by itself and as a function of params and tokens.
LAW = tuple((name, of) for name in ("L", "L_hat") for of in ((), ("N", "D")))
ONLY_NAMES = re.compile(r"(?:[\s,]|\\[,;:! ]|\\?[A-Za-z]+(?:_\{?\w+\}?)?)*")
RATIOS = ("r", "rho", "s", "R_opt")
#: "The compute is", before the budget that a theorem states for itself.
STATES = re.compile(r"(?:compute|budget|cost)(?![A-Za-z])[^.\0]{0,20}\bis\s+\Z", re.IGNORECASE)
#: The compute, alone on a side.
COMPUTE = {("C", ()), ("C", ("N", "D"))}
#: What the law has apart from any budget.
WITHOUT_BUDGET = frozenset(["L", "L_hat", "R", "T_N", "T_D", "phi2"])
#: The names whose meaning changes with the budget.
OF_COMPUTE = frozenset({"C", "N_opt", "D_opt", "R_opt", "L_opt", "C0", "C_0"})


@dataclass(frozen=True)
class Fact:
    """What holds in a part of the document."""

    scope: Scope

    def holds(self, at: int) -> bool:
        """Whether it holds at a place of the document."""
        return self.scope.since(at) is not None


@dataclass(frozen=True)
class DefinedName(Fact):
    """A name that the document gives a meaning.

    Attributes
    ----------
    name : str
    text : str
        `name = expression`, in LaTeX; `name == expression` where a condition determines the name.
    place : Place
    names : frozenset of str
        What the expression is made of.
    trouble : str
        Why the expression cannot be read; the name has no meaning then.
    """

    name: str
    text: str
    place: Place
    names: frozenset[str]
    trouble: str = ""

    @property
    def shown(self) -> str:
        """On one line."""
        return restored(" ".join(self.text.replace("&", " ").split()))

    @property
    def shown_name(self) -> str:
        """The name as a reader of the document knows it."""
        return self.name if self.name != APART.removeprefix("\\") else r"\mathcal{L}"


@dataclass(frozen=True)
class Supposition(Fact):
    """`gamma == beta`, and whether more is said of it than is understood: "be false", "or"."""

    text: str
    is_doubtful: bool = False


@dataclass(frozen=True)
class StatedBudget(Fact):
    """The budget that a theorem states for itself, and in which line."""

    budget: Budget
    line: int


@dataclass(frozen=True)
class OtherUse(Fact):
    """Names that the document uses for something else than the law, and why."""

    names: frozenset[str]
    reason: str


class Facts:
    """The facts of a document; some are noted while its equations are decided, in their order.

    Attributes
    ----------
    printed : list of PrintedEquation
        The equations, each with its premises; those of their conditions that define something are
        equations of their own.
    numbers : dict of str to str
        Coefficients of the law that the document gives.
    seen : set of str
        The names of the equations that are decided already.
    """

    def __init__(
        self, source: TexSource, printed: Sequence[PrintedEquation], settings: Settings
    ) -> None:
        self.source, self.settings, self.layout = source, settings, source.layout
        self.words = settings.words
        self.renamed = frozenset(filter(None, map(renamed, settings.let)))
        self.printed = self._with_premises(
            equation for one in lagrangian_apart(printed) for equation in self._separated(one)
        )
        self.letters = Letters.of(self.layout)
        self.definitions: list[DefinedName] = []
        self.supposed: list[Supposition] = []
        self.other_uses: list[OtherUse] = []
        self.budgets: list[StatedBudget] = []
        self.numbers: dict[str, str] = {}
        self.seen: set[str] = set()
        self.of_ratios = {name for name in RATIOS if name in self.words.names} - self.renamed
        for at, text, is_doubtful in stated_for_good(self.layout):
            if self._is_supposition(text):
                self.suppose(text, at, is_doubtful)
        self._note_budgets()
        for equation in self.printed:
            self._collect(equation)
        self.definitions = [self._checked(definition) for definition in self.definitions]

    # -- the law -------------------------------------------------------------------------------------------------------

    def is_letter(self, name: str) -> bool:
        """Whether a name means a quantity that is free in the law: N, D, C, A, beta."""
        return isinstance(self.words.names.get(name), Symbol) and name not in self.renamed

    def is_fresh(self, name: str) -> bool:
        """Whether a name means nothing yet."""
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

    def is_defined(self, name: str, equation: PrintedEquation) -> bool:
        return any(d.name == name and d.holds(equation.start) for d in self.definitions)

    def meaning(self, name: str) -> str:
        """What the law has under this name, in words."""
        if name in self.words.means:
            return self.words.means[name]
        canonical = {own: other for other, own in self.words.notation.names().items()}
        quantity = sym.QUANTITIES.get(canonical.get(name, name))
        return f"the {quantity.meaning}" if quantity is not None else "a quantity of the law"

    def takes_other_arguments(self, name: str, arguments: tuple[str, ...]) -> bool:
        """Whether the law has a function of this name whose arguments are others."""
        meaning = self.words.names.get(name)
        if not arguments or name in self.renamed:
            return False
        if not isinstance(meaning, NamedFunction):
            return meaning is not None
        own = [meaning, meaning.other] if meaning.other is not None else [meaning]
        return all(tuple(map(str, f.parameters)) != arguments for f in own if f is not None)

    def place(self, equation: PrintedEquation, offset: int | None = None) -> Place:
        return self.source.place(equation.first if offset is None else equation.start + offset)

    # -- equations -----------------------------------------------------------------------------------------------------

    def _separated(self, equation: PrintedEquation) -> Iterator[PrintedEquation]:
        """The equation, and after it those of its conditions that define or claim something: "where
        a = ...".
        """
        kept = []
        apart: list[PrintedEquation] = []
        for condition in equation.conditions:
            sides = Sides.of(condition)
            named = sides.first if sides is not None and sides.is_equality else None
            if named is not None and not self.is_letter(named[0]):
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
            if equation.is_inline or sides is None or not sides.is_equality:
                continue
            named = [name_alone(side) for side in sides.tokens]
            if not all(name and not name[1] and self.is_letter(name[0]) for name in named):
                continue
            for j in range(i):
                if equations[j].display == equation.display:
                    premises = (*equations[j].premises, equation.text)
                    equations[j] = replace(equations[j], premises=premises)
        return equations

    # -- definitions ---------------------------------------------------------------------------------------------------

    def _collect(self, equation: PrintedEquation) -> None:
        """Note the definition that an equation is."""
        text = plain(equation.text)
        sides = Sides.of(text)
        if sides is None:
            self._collect_unread(equation, text)
        if sides is None or not sides.relations or equation.definitions or EXPECTATION.search(text):
            return
        pairs = []
        if sides.first is not None and sides.relations[0].text == "==":
            pairs.append((sides.first, 0, 1))
        last = name_alone(sides.tokens[-1])
        if last is not None and sides.relations[-1].text == "==" and not last[1]:
            pairs.append((last, -1, -2))
        for (name, arguments), own, other in pairs:
            value = frozenset(t.text for t in sides.tokens[other] if t.kind == "name")
            is_new = (
                self.is_fresh(name)
                and name not in arguments
                and not self._rests_on(value, name, equation.start)
                and name not in self._names_of_premises(equation)
                and all(map(self._is_parameter, arguments))
            )
            if not is_new:
                continue
            is_explicit = DEFINES.match(equation.cue) or COLON_EQUALS.search(equation.text)
            if not is_explicit and self.is_defined(name, equation):
                return
            self._define(
                equation,
                name,
                f"{sides.sources[own].strip()} = {sides.sources[other].strip()}",
                value - {name, *arguments},
                since=self._explained_by(equation),
                trouble="it has several branches" if equation.is_branch else "",
            )
            return

    def _is_parameter(self, name: str) -> bool:
        """Whether the name may be an argument in a definition: `f(N_opt)` is a value of f."""
        return not isinstance(self.words.names.get(name, Symbol("x")), NamedFunction)

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
        if self.is_fresh(named[0]) and not self.is_defined(named[0], equation):
            trouble = "its expression cannot be read"
            since = equation.display[0]
            self._define(
                equation, named[0], text.strip(), frozenset(), since=since, trouble=trouble
            )

    def _define(
        self,
        equation: PrintedEquation,
        name: str,
        text: str,
        names: frozenset[str],
        *,
        since: int,
        trouble: str = "",
    ) -> None:
        scope = self.layout.scope(equation.start, since, name)
        place = self.place(equation)
        self.definitions.append(DefinedName(scope, name, text, place, names, trouble))

    def determine(self, name: str, value: Expr, equation: PrintedEquation) -> None:
        """Note what a condition makes of a name."""
        names = frozenset(str(symbol) for symbol in value.free_symbols)
        since = equation.start + len(equation.text)
        self._define(equation, name, f"{name} == {value}", names, since=since)
        self.definitions[-1] = self._checked(self.definitions[-1])

    def _explained_by(self, equation: PrintedEquation) -> int:
        """From where on a definition holds: from the display that a "where" explains."""
        start = equation.display[0]
        if equation.cue not in ("where", "with"):
            return start
        before = [
            one.display[0] for one in self.printed if not one.is_inline and one.display[1] <= start
        ]
        return max(before, default=start)

    def _checked(self, definition: DefinedName) -> DefinedName:
        if definition.trouble:
            return definition
        rests_on = self.closure(definition.names, at=definition.scope.first)
        others = [d for d in rests_on if d.name != definition.name and not d.trouble]
        try:
            self.settings.prove("1 = 1", define=[d.text for d in (*others, definition)])
        except ParseError as error:
            return replace(definition, trouble=error.complaint)
        return definition

    def closure(self, names: Collection[str], at: int) -> list[DefinedName]:
        """The definitions that hold at a place of the document and are needed for these names; those
        of the theorem before others.
        """
        theorem = self.layout.theorem(at)
        since = [(start, d) for d in self.definitions if (start := d.scope.since(at)) is not None]
        nearest = sorted(since, key=lambda pair: pair[0] >= theorem)
        holding = {definition.name: definition for _, definition in nearest}
        needed: dict[str, DefinedName] = {}
        open_names = [
            form for name in sorted(names) for form in (name, name.partition(f"_{PRIME}")[0])
        ]
        while open_names:
            name = open_names.pop()
            if name in holding and name not in needed:
                needed[name] = holding[name]
                open_names += sorted(holding[name].names)
        return list(needed.values())

    # -- suppositions --------------------------------------------------------------------------------------------------

    def suppose(self, text: str, at: int, is_doubtful: bool = False) -> None:
        """Note what the text supposes from a place on."""
        scope = self.layout.scope_of_supposition(at)
        self.supposed.append(Supposition(scope, text, is_doubtful))

    def supposed_at(self, equation: PrintedEquation) -> tuple[list[str], list[str]]:
        """What the text supposes where an equation stands, the last thing that it says of a letter;
        and what it may suppose.
        """
        said: dict[str, str] = {}
        holding = [one for one in self.supposed if one.holds(equation.first)]
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
            named = sides.first if sides is not None and sides.is_equality else None
            key = named[0] if named is not None else text
            said.pop(key, None)
            said[key] = text.strip()
        return list(said.values()), doubtful

    def _is_supposition(self, text: str) -> bool:
        """Whether prose says so much of the letters of the law that it can be assumed."""
        sides = Sides.of(text)
        if sides is None or not sides.relations:
            return False
        named = sides.first
        if any(relation.text == "==" for relation in sides.relations) and (
            NUMBER.fullmatch(sides.sources[-1])
            or named is None
            or named[1]
            or not self.is_letter(named[0])
        ):
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

    # -- signs ---------------------------------------------------------------------------------------------------------

    def signs_at(self, equation: PrintedEquation, names: Collection[str]) -> list[Said]:
        """What the document says of the signs of the letters among these names: of its own, and of
        those of the law where that is something else than the law has.
        """
        own = {
            name for name in names if self.is_fresh(name) and not self.is_defined(name, equation)
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

    # -- other uses of the names of the law ----------------------------------------------------------------------------

    def _note_budgets(self) -> None:
        """Note budgets in the prose and in displays that are not that of the settings, as in "we count
        $C = 8 N D$"; a theorem may state one for itself.
        """
        formulas = [(one.text, one.start, one.end) for one in inline_formulas(self.source.text)]
        formulas += [
            (plain(equation.text), equation.start, equation.display[1])
            for equation in self.printed
            if not equation.is_inline
        ]
        for formula, start, end in formulas:
            value = _compute_in(formula)
            if value is None or self._is_own_budget(value):
                continue
            budget, before = self._budget(value), self.layout.before(start)
            line, scope = self.source.place(start).line, self.layout.scope(end, end)
            is_stated = STATES.search(before.text) is not None and not is_conditional(before)
            is_open = self.settings.budget is None and scope.last is not None
            if budget is not None and is_stated and is_open:
                self.budgets.append(StatedBudget(scope, budget, line))
            else:
                reason = f"line {line} has another budget, C = {value}: say --budget"
                self.other_uses.append(OtherUse(scope, self._changed_by(budget), reason))

    def _is_own_budget(self, value: str) -> bool:
        try:
            return self.settings.prove(f"C = {value}").answer is Answer.PROVED
        except (ParseError, ValueError):
            return False

    def _budget(self, value: str) -> Budget | None:
        """None where it is none that the notation can say."""
        sides = Sides.of(f"C = {value}")
        if sides is None:
            return None
        try:
            budget = Budget.parse(" ".join(token.text for token in sides.tokens[-1]))
            return budget if replace(self.settings, budget=budget).words else None
        except ValueError:
            return None

    def _changed_by(self, budget: Budget | None) -> frozenset[str]:
        """The names that mean something else under a budget; all that rest on one, where it is not
        understood.
        """
        own = self.words.names
        if budget is None:
            changed = {name for name, meaning in own.items() if not isinstance(meaning, Symbol)}
        else:
            other = replace(self.settings, budget=budget).words.names
            changed = {name for name, meaning in own.items() if other.get(name) != meaning}
        return frozenset({"C", *changed}) - WITHOUT_BUDGET

    def note_other_use(self, equation: PrintedEquation, named: tuple[str, tuple[str, ...]]) -> None:
        """Note a name of the law that the document uses for something else, and what hangs on it."""
        line = self.place(equation).line
        names = {named[0]} | (OF_COMPUTE if named[0] == "C" else frozenset())
        reason = f"{named[0]} is something else in line {line}"
        if named in LAW:
            names |= {"L", "L_opt", "L_hat"}
            other = self._other_notation(equation)
            if other:
                names |= self.words.names.keys()
                reason = f"line {line} has the law in the {other} notation: say --notation {other}"
        scope = self.layout.scope(equation.start, equation.display[1], named[0])
        self.other_uses.append(OtherUse(scope, frozenset(names), reason))

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

    def used_otherwise(self, equation: PrintedEquation, names: frozenset[str]) -> str:
        """Why an answer would be about something else than the document means; empty where it is
        not.
        """
        holding = (one for one in self.other_uses if one.holds(equation.start))
        return next((one.reason for one in holding if one.names & names), "")


def _compute_in(formula: str) -> str | None:
    """What a formula has for C in N and D: `6 N D` of `C \\approx 6 N D`."""
    sides = Sides.of(formula)
    if sides is None or not COMPUTE & {name_alone(part) for part in sides.tokens}:
        return None
    values = (
        source
        for part, source in zip(sides.tokens, sides.sources, strict=True)
        if {"N", "D"} <= {token.text for token in part} and name_alone(part) not in COMPUTE
    )
    is_equality = {relation.text for relation in sides.relations} <= {"==", "approx"}
    return next(values, "").strip() or None if is_equality else None
