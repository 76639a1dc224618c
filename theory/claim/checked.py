"""What is proved, read once more without closed forms, and tried at points before it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr, Symbol, log

from ..budget import SIX_ND, Budget
from ..kernel import symbols as sym
from ..kernel.answer import Decision, undecided
from ..reader.building import Domain
from ..reader.tokens import ParseError, Token
from .checker import Finding, Reading, check
from .definitions import LETTERS, by_definition, without_formula
from .typed import Claims, Given
from .vocabulary import Vocabulary

DISAGREES = "the independent check disagrees, please report"


@dataclass(frozen=True)
class SecondReading:
    """The sides of a chain, and what is assumed, where the names of the law have no formula."""

    text: str
    parts: Sequence[list[Token]]
    relations: Sequence[Token]
    words: Vocabulary
    latex: bool
    given: tuple[Sequence[str], Sequence[str], Sequence[str]]
    """What is assumed, defined and let."""
    limit: str | None
    budget: Budget | None
    seed: int

    def checked(
        self, i: int, decision: Decision, meanings: Sequence[str], moving: tuple[Symbol, ...]
    ) -> tuple[Decision, str]:
        """What is proved of a link where the check does not find otherwise, and what it found."""
        found = self._check(i, decision, meanings, moving)
        if found.fails_at is None:
            return decision, str(found)
        where = ", ".join(f"{name} = {value}" for name, value in found.fails_at.items())
        said = f"{DISAGREES}: at {where}" if where else DISAGREES
        return undecided(said), said

    def _check(
        self, i: int, decision: Decision, meanings: Sequence[str], moving: tuple[Symbol, ...]
    ) -> Finding:
        try:
            sides, domain, limit = self._read
        except ParseError as error:
            return Finding(0, f"not read without closed forms: {error}")
        held = {sym.N, sym.D} if limit is not None and limit[0] in (sym.N, sym.D) else set()
        run = {x: e for x, e in self._run.items() if meanings and x not in held}
        positive, nonzero, nonnegative = domain.groups
        conditions = {
            relation: [c.expression for c in decision.conditions if c.relation == relation]
            for relation in (">", "!=", ">=")
        }
        known = Domain(
            [*positive, *conditions[">"]],
            [*nonzero, *conditions["!="]],
            [*nonnegative, *conditions[">="]],
        )
        reading = Reading(
            sides[i].xreplace(run),
            self.relations[i].text,
            sides[i + 1].xreplace(run),
            known.map(lambda e: e.xreplace(run)),
            limit,
            moving,
        )
        return check(reading, self._letters, self.budget or SIX_ND, self.seed)

    @cached_property
    def _read(self) -> tuple[list[Expr], Domain, tuple[Symbol, str] | None]:
        names = by_definition(self.words.names, self.words.notation.names())
        words = replace(self.words, names=names)
        assume, define, let = self.given
        given = Given(words, assume, define, let)
        reader = Claims(given.table, words, self.latex, given.named)
        sides = [
            given.at(reader.side(self.text, part, relation), self.text)
            for part, relation in zip(self.parts, [None, *self.relations], strict=True)
        ]
        typed = reader.domain.map(lambda e: given.at(e, self.text))
        pairs = zip(given.domain.groups, typed.groups, strict=True)
        limit = None if self.limit is None else given.limit(self.limit)
        return sides, Domain(*([*known, *also] for known, also in pairs)), limit

    @property
    def _letters(self) -> dict[str, Symbol]:
        """Those of the law, by canonical name."""
        spelt = self.words.notation.names()
        meant = {name: self.words.names[spelt.get(name, name)] for name in LETTERS}
        return {name: x for name, x in meant.items() if isinstance(x, Symbol)}

    @property
    def _run(self) -> dict[Symbol, Expr]:
        """The quantities of one run, in C and r."""
        return {
            x: e if isinstance(e, log) else without_formula(f"{x} of the run", e)
            for x, e in self.words.run.items()
        }
