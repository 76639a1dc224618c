"""What holds where a claim of a document stands: the law and the budget, what names mean, the
numbers that are given, and what is declared in comments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from sympy import Expr, Integer, cancel

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT
from ..reader.tokens import ParseError, Token, tokenize
from .at_law import Coefficients, Range, unit_alone
from .chain import Settings
from .document import NOWHERE, Place
from .law_of import LawOfDocument, Sides
from .spelling import as_read
from .vocabulary import Vocabulary, refuse_clashes

RUN = ("N", "D", "C")
#: Whole numbers up to here are not rounded.
SMALL = 100


@dataclass(frozen=True)
class DefinedName:
    """A name that the document defines, with the names on which it rests; `trouble` says why
    nothing is known of it.
    """

    name: str
    text: str
    uses: frozenset[str]
    place: Place
    trouble: str = ""

    @classmethod
    def of(cls, sides: Sides, place: Place) -> DefinedName:
        """What the first side of an equation is."""
        text, (name, _) = f"{sides.sources[0]} = {sides.sources[1]}", sides.named(0)
        return cls(name, text, frozenset(sides.names), place)

    @classmethod
    def other(
        cls, name: str, place: Place, trouble: str = "means something else there"
    ) -> DefinedName:
        """A name of which nothing is known from a place on."""
        return cls(name, "", frozenset(), place, trouble)


@dataclass(frozen=True)
class GivenNumber:
    """The value of a letter in the document, `E = 1.69`, with what rounds to it."""

    value: Expr
    ends: Range
    place: Place


@dataclass(frozen=True)
class State:
    """What holds at a place of the document.

    Attributes
    ----------
    notation : str
        Which is declared; that of the law comes first.
    laws : tuple of LawOfDocument
        As far as they are met, the last one holding; before all of them the first one holds.
    definitions, later : mapping of str to DefinedName
        Names that are defined here, and those that the text explains somewhere.
    other_budgets : tuple of (Budget, str)
        What the document gives as `F = 12 N D`, so that F may be the compute.
    ray : tuple of str, sympy.Expr and Place, or None
        What ties D to N in the runs of which the document speaks, as `D = 20 N`, and where.
    seconds : float, optional
        For each claim.
    """

    notation: str = ""
    laws: tuple[LawOfDocument, ...] = ()
    budget: Budget | None = None
    budget_place: Place = NOWHERE
    other_budgets: tuple[tuple[Budget, str], ...] = ()
    let: tuple[str, ...] = ()
    definitions: Mapping[str, DefinedName] = field(default_factory=dict)
    later: Mapping[str, DefinedName] = field(default_factory=dict)
    given: Mapping[str, GivenNumber] = field(default_factory=dict)
    ray: tuple[str, Expr, Place] | None = None
    seconds: float | None = None

    @property
    def law(self) -> LawOfDocument:
        """The one that holds here; without any, one that says nothing."""
        return self.laws[-1] if self.laws else LawOfDocument()

    @cached_property
    def settings(self) -> Settings:
        """Of a claim that stands here."""
        law, let = self.law, (*self.law.let, *self.let)
        notation = law.notation or self.notation or DEFAULT.name
        refuse_clashes(self.budget or SIX_ND, notation)
        settings = Settings(notation, self.budget, let=let, seconds=self.seconds)
        absent = [] if law.has_constant else [f"{settings.words.notation.irreducible} == 0"]
        return replace(settings, assume=absent)

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that have a meaning without the document's definitions."""
        words, let = self.settings.words, self.settings.let
        named = (re.split(":?=", text)[0].strip().lstrip("\\") for text in let)
        return frozenset((*words.names, *(x.name for x in words.of_a_run), *named))

    @property
    def lawless(self) -> str:
        """Why nothing is said of what hangs on the law; empty where the law is known."""
        if not self.laws:
            return "" if self.notation else "the document's law is missing"
        trouble = self.law.trouble
        return f"the document's law, line {self.law.place.line}, {trouble}" if trouble else ""

    def declared(self, text: str) -> State:
        """With `notation hoffmann` and the like; ParseError where it is none."""
        word, _, rest = (part.strip() for part in text.partition(" "))
        match word:
            case "notation":
                return replace(self, notation=rest)
            case "budget":
                budget = Budget.parse(re.sub(r"(?<=\w)\s+(?=\w)", "*", rest))
                return replace(self, budget=budget, budget_place=NOWHERE)
            case "let":
                return replace(self, let=(*self.let, rest))
        known = "notation, budget, let, assume, at, along the budget, skip or `z real`"
        raise ParseError(f"`% isoflop: {word}` is not known: say {known}")

    def with_budget(self, budget: Budget, name: str, place: Place) -> State:
        """With a displayed budget, whose left side is the compute from here on."""
        let = self.let if name == "C" else (f"{name} := C", *self.let)
        return replace(self, budget=budget, budget_place=place, let=let)

    def other_budgets_of(self, names: set[str]) -> list[State]:
        """What holds where the compute of a claim is one of the other budgets: those that it names,
        and each where it names none and there is no budget. None is where C is displayed and named.
        """
        if self.budget is not None and (not self.budget_place.line or "C" in names):
            return []
        meant = [one for one in self.other_budgets if one[1] not in self.known]
        of_claim = [one for one in meant if one[1] in names]
        meant = of_claim or (meant if self.budget is None else [])
        return [self.with_budget(*one, self.budget_place) for one in meant]

    def defining(self, *own: DefinedName) -> State:
        """With names that mean this from here on."""
        return replace(self, definitions={**self.definitions, **{one.name: one for one in own}})

    # -- what the document gives -------------------------------------------------------------------

    def noting(self, name: str, value: Expr, tokens: Sequence[Token], place: Place) -> State:
        """With a number that the document gives; of N, D or C a second one is of another run."""
        is_other = name in RUN and name in self.given
        kept = {x: number for x, number in self.given.items() if not (is_other and x in RUN)}
        half = (unit_alone(tokens, "approx" if value > SMALL else "==") or Integer(0)) / 2
        number = GivenNumber(value, (value - half, value + half), place)
        return replace(self, given={**kept, name: number})

    def with_law_in_numbers(self, law: LawOfDocument) -> State:
        """With the numbers of a law in place of its letters."""
        names, state = self.settings.words.notation.names(), self
        for name, typed in law.numbers:
            value = cancel(typed)
            state = state.noting(names.get(name, name), value, tokenize(as_read(value)), law.place)
        return state

    def numbers(self, words: Vocabulary, budget: Budget, name: str) -> Coefficients | None:
        """What is given of other letters than one, and in place of that one where it is of a run,
        what the two others make of it.
        """
        given = {words.names[x]: number for x, number in self.given.items() if x != name}
        values = {letter: number.value for letter, number in given.items()}
        ranges = {letter: number.ends for letter, number in given.items()}
        others = [words.names[x] for x in RUN if x != name]
        if name in RUN and values.keys() >= {*others}:
            tied = budget.compute() if name == "C" else budget.remaining(others[0])
            ends = product(*(ranges[x] for x in others))
            corners = [tied.xreplace(dict(zip(others, corner, strict=True))) for corner in ends]
            values[words.names[name]] = tied.xreplace(values)
            ranges[words.names[name]] = (min(corners), max(corners))
        lines = ", ".join(dict.fromkeys(f"line {number.place.line}" for number in given.values()))
        return Coefficients(f"the numbers of {lines}", values, ranges) if given else None

    def used(self, names: set[str]) -> list[DefinedName]:
        """The definitions on which names rest: of those that have no other meaning, and of those
        of which nothing is known any more.
        """
        found: dict[str, DefinedName] = {}
        waiting = sorted(names)
        while waiting:
            name = waiting.pop().partition("_prime")[0]
            one = self.definitions.get(name) or self.later.get(name)
            is_known = name in self.known and not (one and one.trouble)
            if one is not None and name not in found and not is_known:
                found[name] = one
                waiting += sorted(one.uses - {name})
        return list(found.values())
