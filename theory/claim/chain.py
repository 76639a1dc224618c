"""A chain of claims, `a == b <= c`, from its text to the verdict on each link: it is read, decided by
the kernel, and what is proved is tried at points before it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Symbol, expand_log, log

from ..budget import SIX_ND, Budget
from ..data.notation import Notation
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Decision, undecided
from ..kernel.deadline import OutOfTime, within
from ..kernel.functions import Partial
from ..reader.parse import read
from ..reader.tokens import ParseError, Token
from .at_law import ROUNDED, Coefficients, HasCoefficients, TypedSide, compared, typed_side
from .checker import Finding, Reading, check
from .correction import Corrector, Side
from .definitions import LETTERS, by_definition, without_formula
from .given import ClaimReader, Given, defined
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
    signs : mapping of str to frozenset of int
        Of letters of its own that are not just positive.
    given : Coefficients or None
        Numbers for letters, in place of those of a law.
    """

    notation: str | Notation = "schaeffer"
    budget: Budget | None = None
    law: HasCoefficients | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    define: Sequence[str] = ()
    seed: int = 0
    given: Coefficients | None = None

    @property
    def words(self) -> Vocabulary:
        """The names and what they mean."""
        words = vocabulary(self.notation, self.budget or SIX_ND)
        return replace(words, signs=self.signs) if self.signs else words

    @property
    def numbers(self) -> Coefficients | None:
        """The numbers of the letters, where they are known."""
        if self.law is None:
            return self.given
        return Coefficients.of(self.law, self.words.notation, self.words.names)


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
    position : int
        Of the relation in the text.
    definitions : tuple of str
        What letters mean beside each other, where it is proved for that: `C == 6*N*D`.
    spelling : Spelling
        How the answer spells its expressions: as the claim does.
    check : str
        Where it is proved: at how many points it was tried by definition, or why at none.
    corrector : Corrector or None
        Where it is refuted: what looks for the right claim, once it is asked for.
    """

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    position: int = 0
    definitions: tuple[str, ...] = ()
    spelling: Spelling = PLAIN
    check: str = ""
    corrector: Corrector | None = field(default=None, compare=False, repr=False)

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
    def _right(self) -> tuple[str, str]:
        derived = correction = ""
        if self.corrector is not None:
            with suppress(OutOfTime), within(SECONDS_TO_CORRECT):
                derived = self.corrector.derived()
                correction = self.corrector.correction()
        return derived, correction

    @property
    def conditions(self) -> tuple[str, ...]:
        """Where a proof holds: `beta - gamma != 0`."""
        return tuple(
            f"{self.spelling(condition.expression)} {condition.relation} 0"
            for condition in self.decision.conditions
        )

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
        if decision.conditions:
            parts.append("where " + ", ".join(self.conditions))
        if decision.witness is not None:
            parts.append(f"witness {self.counterexample}")
        if self.definitions:
            parts.append("by definition " + ", ".join(self.definitions))
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


@dataclass(frozen=True)
class _Read:
    """The sides as they are read with some meanings of the names, and what is assumed with these."""

    given: Given
    reader: ClaimReader
    sides: list[Expr]


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
        try:
            with within(settings.seconds):
                found = self._read(self.words)
                self.given, self.reader, self.sides = found.given, found.reader, found.sides
                self.domain = self.given.domain_of(self.reader.domain, text)
        except OutOfTime as error:
            raise ParseError(f"not read within {error.seconds:g} seconds", text=text) from None
        self.limit = self._limit(found)

    def _read(self, words: Vocabulary) -> _Read:
        settings = self.settings
        given = Given(words, settings.assume, settings.define, settings.let)
        reader = ClaimReader(given.table, words)
        pairs = zip(self.parts, ["==", *(r.text for r in self.relations)], strict=True)
        sides = [given.at(reader.side(self.text, *pair), self.text) for pair in pairs]
        return _Read(given, reader, sides)

    def _limit(self, found: _Read) -> tuple[Symbol, str] | None:
        limit = self.settings.limit
        return None if limit is None else found.given.limit(limit, found.reader.table)

    # -- one link ----------------------------------------------------------------------------------

    def link(self, i: int) -> ChainLink:
        """One link, decided within some time."""
        question = self.question(i)
        try:
            with within(self.settings.seconds):
                decision, definitions, check = self.answer(i)
        except OutOfTime as error:
            decision, definitions, check = undecided(str(error)), (), ""
        shown, relation = sources(self.text, self.relations), self.relations[i]
        return ChainLink(
            f"{shown[i]} {relation.text} {shown[i + 1]}",
            question.lhs,
            relation.text,
            question.rhs,
            decision,
            relation.position,
            definitions,
            self.spelling,
            check,
            self.corrector(i) if decision.refuted and self.settings.numbers is None else None,
        )

    def question(self, i: int) -> Question:
        """The link as a question about its letters."""
        letters = {x for x in self.words.names.values() if isinstance(x, Symbol)}
        return Question(
            self.sides[i],
            self.relations[i].text,
            self.sides[i + 1],
            self.domain,
            self.limit,
            self.settings.seed,
            frozenset(letters - MOVING),
        )

    def answer(self, i: int) -> tuple[Decision, tuple[str, ...], str]:
        """The decision for every law, and where that is none, for the one whose numbers are given;
        what letters mean at one run; and the check of what is proved.
        """
        question = self.question(i)
        decision, meanings = decided(question, self.words, self.given)
        if decision.holds:
            return self.checked(i, decision, meanings)
        if (unknown := self.unknown(i)) is not None:
            said = f"{unknown} is unknown: --let '{unknown} := ...' says what it is"
            return undecided(said), (), ""
        has_letters = bool(question.lhs.free_symbols | question.rhs.free_symbols)
        is_near = question.relation == "approx"
        if (self.settings.numbers is not None if has_letters else is_near) or self.is_rounded(i):
            return self.at_numbers(i), (), ""
        if is_near:
            said = "whether the two sides are near each other hangs on a law: name one with --law"
            return undecided(f"{said} NAME"), (), ""
        return decision, meanings, ""

    def unknown(self, i: int) -> str | None:
        """The name without a meaning that is one side alone, of which nothing else is said."""
        if self.relations[i].text in BOUNDS:
            return None
        given = self.given
        said = [*given.replaced, *given.replaced.values()]
        said += [e for group in given.domain.groups for e in group]
        for one in (i, i + 1):
            side = self.sides[one]
            others = [other for k, other in enumerate(self.sides) if k != one]
            is_free = side in self.reader.free.values() and side not in self.words.of_a_run
            is_said = any(side in e.free_symbols for e in (*others, *said))
            if is_free and not is_said and str(side) not in self.words.signs:
                return str(side)
        return None

    # -- the second opinion ------------------------------------------------------------------------

    def checked(
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
        read, question = self._by_definition, self.question(i)
        limit = self._limit(read)
        held = {sym.N, sym.D} if limit is not None and limit[0] in (sym.N, sym.D) else set()
        run = {x: e for x, e in self._run.items() if meanings and x not in held}
        domain = read.reader.domain.map(lambda e: read.given.at(e, self.text))
        domain.add(read.given.domain)
        for condition in decision.conditions:
            group = domain.groups[(">", "!=", ">=").index(condition.relation)]
            group.append(condition.expression)
        reading = Reading(
            read.sides[i].xreplace(run),
            question.relation,
            read.sides[i + 1].xreplace(run),
            domain.map(lambda e: e.xreplace(run)),
            limit,
            question.moving if question.relation == "propto" else (),
        )
        spelt = self.words.notation.names()
        meant = {name: self.words.names[spelt.get(name, name)] for name in LETTERS}
        letters = {name: x for name, x in meant.items() if isinstance(x, Symbol)}
        return check(reading, letters, self.settings.budget or SIX_ND, self.settings.seed)

    @cached_property
    def _by_definition(self) -> _Read:
        """The chain where the names of the law have no formula."""
        names = by_definition(self.words.names, self.words.notation.names())
        return self._read(replace(self.words, names=names))

    @property
    def _run(self) -> dict[Symbol, Expr]:
        """The quantities of one run, in C and r."""
        return {
            x: e if isinstance(e, log) else without_formula(f"{x} of the run", e)
            for x, e in self.words.run.items()
        }

    # -- how it is read ----------------------------------------------------------------------------

    @cached_property
    def reading(self) -> str:
        """The chain as it was read, quantities of the law by their names where that is possible."""
        first, *others = (as_read(self.in_names(i)) for i in range(len(self.sides)))
        links = (f"{r.text} {side}" for r, side in zip(self.relations, others, strict=True))
        line = " ".join([first, *links])
        return line if self.limit is None else f"{line}, as {self.limit[0]} -> {self.limit[1]}"

    @cached_property
    def _named(self) -> ClaimReader:
        """Reads the names of the law as names."""
        words = replace(self.words, names=by_name(self.words.names))
        own = defined(self.settings.let, self.settings.define, words)
        return ClaimReader({**words.names, **own}, words)

    def in_names(self, i: int, tokens: list[Token] | None = None) -> Expr:
        """A side, or what its tokens were changed to, with the quantities of the law by their names
        where that is possible.
        """
        relation = self.relations[i - 1].text if i else "=="
        try:
            for self._named.kept in (True, False):  # a derivative as it is taken
                side = self._named.side(self.text, tokens or self.parts[i], relation)
                if not side.has(Partial):
                    break
            return side
        except (ParseError, ValueError):
            return self.sides[i] if tokens is None else self.value(tokens)

    def value(self, tokens: list[Token], letters: Mapping[str, Symbol] | None = None) -> Expr:
        """An expression of the claim, where some names may stand for these letters."""
        table = {**self.reader.table, **(letters or {})}
        return self.given.at(read(self.text, tokens, table), self.text)

    def free(self, links: Sequence[ChainLink]) -> tuple[str, ...]:
        """The names that stand for letters of their own: not those of a derivative, and of a run."""
        definitions = self.words.definitions.items()
        told = {
            str(x) for x, said in definitions if any(said in link.definitions for link in links)
        }
        d = self.reader.free.get("d")
        if d is None or not any(side.has(d) for side in self.sides):
            told.add("d")
        return tuple(name for name in self.reader.free if name not in told)

    # -- at numbers --------------------------------------------------------------------------------

    def is_rounded(self, i: int) -> bool:
        """Whether the link is an equality of two numbers, one of them worked out, that has decimals;
        or a proportion whose exponent is such a number: `D^2 propto C^1.1` where D is C^(6/11).
        """
        parts, sides = self.parts[i : i + 2], self.sides[i : i + 2]
        power = self.power(i) if self.relations[i].text == "propto" else None
        if power is not None:
            exponent, typed = power
            is_number = exponent.is_number and exponent != 0
            return bool(is_number) and any("." in token.text for token in typed)
        is_numbers = self.relations[i].text == "==" and all(side.is_number for side in sides)
        has_decimals = any("." in token.text for part in parts for token in part)
        return is_numbers and has_decimals and any(len(part) > 1 for part in parts)

    def at_numbers(self, i: int) -> Decision:
        """The link at the coefficients of the law."""
        question, sides = self.question(i), None
        power = self.power(i) if question.relation == "propto" else None
        if power is not None:
            exponent, tokens = power
            sides = TypedSide(exponent, {}), typed_side(tokens, "==", self.value)
            question = replace(question, lhs=exponent, relation="==", rhs=self.value(tokens))
        elif question.relation in ROUNDED:
            left, right = self.parts[i : i + 2]
            sides = (
                typed_side(left, question.relation, self.value),
                typed_side(right, question.relation, self.value),
            )
        return compared(question, sides, self.settings.numbers)

    def power(self, i: int) -> tuple[Expr, list[Token]] | None:
        """Of `N_opt propto C^0.51`, the exponent of the left side in C and the number that is typed;
        None where the right side is no power of a letter, or the left one no such power.
        """
        part = [token for token in self.parts[i + 1] if token.text not in "()"]
        kinds = [token.kind for token in part if token.text != "-"]
        if kinds != ["name", "power", "number"]:
            return None
        letter = self.reader.table.get(part[0].text)
        if not isinstance(letter, Symbol):
            return None
        logarithm = expand_log(log(self.sides[i]), force=True)
        exponent = (letter * logarithm.diff(letter)).cancel()
        return None if exponent.has(letter) else (exponent, part[2:])

    def corrector(self, i: int) -> Corrector:
        """What looks for the right claim in place of the link."""
        texts = sources(self.text, self.relations)
        left, right = (
            Side(texts[k], tuple(self.parts[k]), self.sides[k], self.in_names(k))
            for k in (i, i + 1)
        )
        return Corrector(
            self.question(i),
            left,
            right,
            self.words,
            self.spelling,
            lambda tokens: (self.value(tokens), self.in_names(i, tokens)),
            lambda question: decided(question, self.words, self.given)[0],
        )
