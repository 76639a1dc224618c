"""A chain of claims, `a == b <= c`, from its text to the verdict on each link: it is read, decided by
the kernel, and what is proved is tried at points before it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from sympy import Expr, Symbol, log

from ..budget import SIX_ND, Budget
from ..data.notation import Notation
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Decision, undecided
from ..kernel.deadline import OutOfTime, within
from ..kernel.functions import Partial
from ..reader.parse import read, refuse_units
from ..reader.tokens import ParseError, Token
from .at_law import Coefficients, at_numbers, is_rounded, unit_alone
from .checker import Finding, Trial
from .definitions import LETTERS, by_definition, without_formula
from .given import Given
from .question import MOVING, Question, decided
from .spelling import PLAIN, Spelling, as_read, value_text
from .typed import sources, split
from .vocabulary import Vocabulary, by_name, vocabulary

#: For what would be right in place of a refuted claim.
SECONDS_TO_CORRECT = 3
DISAGREES = "the independent check disagrees, please report"


@dataclass(frozen=True)
class Settings:
    """What holds for every claim; as in `prove`.

    Attributes
    ----------
    numbers : Coefficients or None
        Of the letters, where they are known: those of a law, or of a document.
    """

    notation: str | Notation = "schaeffer"
    budget: Budget | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None
    seed: int = 0
    numbers: Coefficients | None = None

    @property
    def words(self) -> Vocabulary:
        """The names and what they mean."""
        return vocabulary(self.notation, self.budget or SIX_ND)


@dataclass(frozen=True)
class ChainLink:
    """One link `lhs relation rhs` of a chain, as typed and as decided.

    Attributes
    ----------
    text : str
        As typed.
    lhs, rhs : sympy.Expr
    relation : str
    decision : Decision
    definitions : tuple of str
        What letters mean beside each other, where it is proved for that: `C == 6*N*D`.
    spelling : Spelling
        How the answer spells its expressions: as the claim does.
    check : str
        Where it is proved: at how many points it was tried by definition, or why at none.
    corrector : callable or None
        Where it is refuted: what looks for the right claim, once it is asked for.
    """

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    definitions: tuple[str, ...] = ()
    spelling: Spelling = PLAIN
    check: str = ""
    corrector: Callable[[], Iterator[str]] | None = field(default=None, compare=False, repr=False)

    @property
    def derived(self) -> str:
        """Where it is refuted: the closed form of what it speaks of, `alpha = beta gamma/(beta +
        gamma)`.
        """
        return self._right[0]

    @property
    def correction(self) -> str:
        """Where it is refuted: the claim with a small change under which it is proved."""
        return self._right[1]

    @cached_property
    def _right(self) -> list[str]:
        found = []
        if self.corrector is not None:
            with suppress(OutOfTime), within(SECONDS_TO_CORRECT):
                for text in self.corrector():
                    found.append(text)
        return [*found, "", ""]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Where a proof holds: `beta - gamma != 0`."""
        found = self.decision.conditions
        return tuple(f"{self.spelling(c.expression)} {c.relation} 0" for c in found)

    @property
    def point(self) -> dict[str, str]:
        """The point of the witness."""
        witness = self.decision.witness
        point = () if witness is None else witness.point
        return {self.spelling.name(letter): value_text(value) for letter, value in point}

    @property
    def counterexample(self) -> str:
        """The witness: `beta = 1, gamma = 7: lhs = 0.875, rhs = 0.125`."""
        witness = self.decision.witness
        if witness is None:
            return ""
        where = ", ".join(f"{name} = {value}" for name, value in self.point.items())
        sides = f"lhs = {witness.lhs}, rhs = {witness.rhs}"
        return f"{where}: {sides}" if where else sides

    def __str__(self) -> str:
        decision = self.decision
        parts = [f"{decision.answer.value}: {decision.reason}"]
        parts += [f"where {', '.join(self.conditions)}"] if decision.conditions else []
        parts += [f"witness {self.counterexample}"] if decision.witness is not None else []
        parts += [f"by definition {', '.join(self.definitions)}"] if self.definitions else []
        return "; ".join(parts)

    def lines(self, *, named: bool) -> list[str]:
        """The link, behind its claim where it is one of several, and what would be right."""
        lines = [f"{self.text}: {self}" if named else str(self)]
        lines += [f"the tool derives {self.derived}"] if self.derived else []
        return lines + ([f"right {self.correction}"] if self.correction else [])

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        decision = self.decision
        witness = decision.witness
        return {
            "claim": self.text,
            "relation": self.relation,
            "lhs": str(self.lhs),
            "rhs": str(self.rhs),
            "answer": decision.answer.value,
            "reason": decision.reason,
            "check": self.check or None,
            "conditions": list(self.conditions),
            "definitions": list(self.definitions),
            "derived": self.derived or None,
            "correction": self.correction or None,
            "witness": witness and {"point": self.point, "lhs": witness.lhs, "rhs": witness.rhs},
        }


class Chain:
    """A chain as it is read under some settings.

    Raises
    ------
    ParseError
        Naming what cannot be read.
    """

    def __init__(self, text: str, settings: Settings, latex: bool) -> None:
        self.text, self.settings = text, settings
        self.words, self.spelling = settings.words, Spelling(latex)
        self.parts, self.relations = split(text, self.words, latex=latex)
        for relation in self.relations:
            if relation.text in ("->", "~") and settings.limit is None:
                said = f"{relation.text} needs its limit, as in r -> 0 or r -> oo"
                raise ParseError(said, text=text)
        self.sources = sources(text, self.relations)
        try:
            with within(settings.seconds):
                self.given, self.sides = self._read(self.words)
                self.words = self.given.words
                towards = settings.limit
                self.limit = None if towards is None else self.given.limit(towards)
                domain = self.given.domain_of(text)
        except OutOfTime as error:
            raise ParseError(f"not read within {error.seconds:g} seconds", text=text) from None
        letters = frozenset(x for x in self.words.names.values() if isinstance(x, Symbol)) - MOVING
        self.questions = [
            Question(left, relation.text, right, domain, self.limit, settings.seed, letters)
            for relation, (left, right) in zip(self.relations, pairwise(self.sides), strict=True)
        ]

    def _read(self, words: Vocabulary) -> tuple[Given, list[Expr]]:
        """The sides with some meanings of the names, and what is assumed in these."""
        given = Given(words, self.settings.assume, self.settings.let)
        signs = ["==", *(relation.text for relation in self.relations)]
        pairs = zip(self.parts, signs, strict=True)
        return given, [given.at(given.read(self.text, *pair), self.text) for pair in pairs]

    # -- one link ----------------------------------------------------------------------------------

    def link(self, i: int) -> ChainLink:
        """One link, decided within some time."""
        question, relation = self.questions[i], self.relations[i]
        try:
            with within(self.settings.seconds):
                decision, definitions, check = self._answer(i)
        except OutOfTime as error:
            decision, definitions, check = undecided(str(error)), (), ""
        return ChainLink(
            f"{self.sources[i]} {relation.text} {self.sources[i + 1]}",
            question.lhs,
            relation.text,
            question.rhs,
            decision,
            definitions,
            self.spelling,
            check,
        )

    def _answer(self, i: int) -> tuple[Decision, tuple[str, ...], str]:
        """The decision for every law, and where that is none, for the one whose numbers are given;
        what letters mean at one run; and the check of what is proved.
        """
        question, numbers = self.questions[i], self.settings.numbers
        decision, meanings = decided(question, self.words, self.given)
        if decision.holds:
            return self._checked(i, decision, meanings)
        if (unknown := self._unknown(i)) is not None:
            said = f"{unknown} is unknown: --let '{unknown} := ...' says what it is"
            return undecided(said), (), ""
        k, is_near = self._worked_out(i), question.relation == "approx"
        typed, question = [self.parts[k], self.parts[i + 1]], replace(question, lhs=self.sides[k])
        has_letters = bool(question.lhs.free_symbols | question.rhs.free_symbols)
        if (numbers is not None if has_letters else is_near) or is_rounded(question, typed):
            if numbers is not None:
                for part in typed:
                    refuse_units(self.text, part)
            return at_numbers(question, typed, self.value, numbers), (), ""
        if is_near:
            said = "whether the two sides are near each other hangs on a law: name one with --law"
            return undecided(f"{said} NAME"), (), ""
        return decision, meanings, ""

    def _worked_out(self, i: int) -> int:
        """The left side of a link; in `x == 0.1449 approx 0.145 approx 0.15` the last number is that
        of x, and not of the number before it.
        """
        k, is_near = i, self.relations[i].text == "approx"
        while is_near and k > 0 and self.relations[k - 1].text in ("==", "approx"):
            if unit_alone(self.parts[k], "approx") is None:
                break
            k -= 1
        return k

    def _unknown(self, i: int) -> str | None:
        """The name without a meaning that is one side alone, of which nothing else is said."""
        given, sides = self.given, self.sides
        said = [*given.replaced, *given.replaced.values()]
        said += [e for group in given.domain.groups for e in group]
        own = {*given.free.values()} - self.words.of_a_run
        for one in (i, i + 1) if self.relations[i].text not in BOUNDS else ():
            others = [other for k, other in enumerate(sides) if k != one]
            is_said = any(sides[one] in e.free_symbols for e in (*others, *said))
            if sides[one] in own and not is_said and str(sides[one]) not in self.words.signs:
                return str(sides[one])
        return None

    def value(self, tokens: list[Token], letters: Mapping[str, Symbol] | None = None) -> Expr:
        """An expression of the claim, where some names may stand for these letters."""
        table = {**self.given.table, **(letters or {})}
        return self.given.at(read(self.text, tokens, table), self.text)

    def free(self, links: Sequence[ChainLink]) -> tuple[str, ...]:
        """The names that stand for letters of their own: not those of a derivative, and of a run."""
        definitions = self.words.definitions.items()
        told = {
            str(x) for x, said in definitions if any(said in link.definitions for link in links)
        }
        used = set().union(*(side.free_symbols for side in self.sides))
        free = self.given.free.items()
        return tuple(name for name, x in free if x in used and name not in told)

    # -- the second opinion ------------------------------------------------------------------------

    def _checked(
        self, i: int, decision: Decision, meanings: tuple[str, ...]
    ) -> tuple[Decision, tuple[str, ...], str]:
        """What is proved of a link where the check does not find otherwise, and what it found."""
        try:
            found = self._check(i, decision, meanings)
        except ParseError as error:
            found = Finding(0, f"not read without closed forms: {error}")
        if found.fails_at is None:
            return decision, meanings, str(found)
        where = ", ".join(f"{name} = {value}" for name, value in found.fails_at.items())
        said = f"{DISAGREES}: at {where}" if where else DISAGREES
        return undecided(said), (), said

    def _check(self, i: int, decision: Decision, meanings: Sequence[str]) -> Finding:
        """The link with no closed forms in it, tried at points where all holds that is assumed."""
        (given, sides), question, limit = self._by_definition, self.questions[i], self.limit
        held = {sym.N, sym.D} if limit is not None and limit[0] in (sym.N, sym.D) else set()
        run = {
            x: e if isinstance(e, log) else without_formula(f"{x} of the run", e)
            for x, e in self.words.run.items()
            if meanings and x not in held
        }
        domain = given.typed.map(lambda e: given.at(e, self.text))
        domain.add(given.domain)
        for condition in decision.conditions:
            group = domain.groups[(">", "!=", ">=").index(condition.relation)]
            group.append(condition.expression)
        spelt, names = self.words.notation.names(), self.words.names
        letters = {x: names[spelt.get(x, x)] for x in LETTERS}
        return Trial(
            sides[i].xreplace(run),
            question.relation,
            sides[i + 1].xreplace(run),
            domain.map(lambda e: e.xreplace(run)),
            limit,
            question.moving if question.relation == "propto" else (),
            {name: x for name, x in letters.items() if isinstance(x, Symbol)},
            self.settings.budget or SIX_ND,
            self.settings.seed,
        ).outcome()

    @cached_property
    def _by_definition(self) -> tuple[Given, list[Expr]]:
        """The chain where the names of the law have no formula."""
        names = by_definition(self.words.names, self.words.notation.names())
        return self._read(replace(self.words, names=names))

    # -- by names ----------------------------------------------------------------------------------

    @cached_property
    def reading(self) -> str:
        """The chain as it was read, quantities of the law by their names where that is possible."""
        first, *others = (as_read(self.in_names(i)) for i in range(len(self.parts)))
        links = (f"{r.text} {side}" for r, side in zip(self.relations, others, strict=True))
        line, limit = " ".join([first, *links]), self.limit
        return line if limit is None else f"{line}, as {limit[0]} -> {limit[1]}"

    @cached_property
    def _named(self) -> Given:
        """The names of the law as names."""
        words = replace(self.words, names=by_name(self.words.names))
        return Given(words, let=self.settings.let)

    def in_names(self, i: int, tokens: list[Token] | None = None) -> Expr:
        """A side, or what its tokens were changed to, with the quantities of the law by their names
        where that is possible.
        """
        relation = self.relations[i - 1].text if i else "=="
        try:
            for self._named.kept in (True, False):  # a derivative as it is taken
                side = self._named.read(self.text, tokens or self.parts[i], relation)
                if not side.has(Partial):
                    break
            return side
        except (ParseError, ValueError):
            return self.sides[i] if tokens is None else self.value(tokens)
