"""What the prose of a document says of the sign of its letters, and where it holds.

A letter without a meaning is positive, and a claim proved for positive letters need not hold for
others: so what prose says of a letter decides for which values a claim is meant, and where that is
not understood there is no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from .defined import Environment, Scope
from .paper import SECTION, PrintedEquation
from .said import EVERY_LETTER, Said, said_in
from .sign_formulas import POSITIVE


@dataclass(frozen=True)
class Letters:
    """What a document says of its letters, in the order of the text."""

    said: tuple[Said, ...]
    headings: tuple[int, ...]
    environments: tuple[Environment, ...]
    length: int

    @classmethod
    def of(cls, text: str, environments: Sequence[Environment]) -> Letters:
        headings = tuple(match.start() for match in SECTION.finditer(text))
        return cls(tuple(said_in(text)), headings, tuple(environments), len(text))

    def at(self, letter: str, equation: PrintedEquation) -> Said | None:
        """What holds of a letter at an equation: what its own sentence says, else what was let
        before; None where nothing is. That a letter is whole is said beside what was let.
        """
        place = equation.display[0]
        near = self._near(letter, place) or self._near(EVERY_LETTER, place)
        own = [one for one in near if one.sentence[0] <= place < one.sentence[1]]
        lasting = [one for one in near if not one.is_passing and one.at <= place]
        before = [one for one in near if one.sentence[1] <= place]
        if own and before and own[-1].is_discrete:
            return own[-1].and_also(before[-1])
        return next(reversed(own or lasting), None)

    def near(self, letter: str, equation: PrintedEquation) -> Said | None:
        """What is said of a letter anywhere near an equation, of other places: it may have all the
        signs that it has there. None where it is positive.
        """
        others = [
            one
            for one in (
                *self._near(letter, equation.display[0]),
                *self._near(EVERY_LETTER, equation.display[0]),
            )
            if one.signs is None or not one.signs <= POSITIVE
        ]
        if not others:
            return None
        unclear = [one for one in others if one.signs is None]
        signs = POSITIVE.union(*(one.signs for one in others if one.signs is not None))
        return replace([*others, *unclear][-1], signs=None if unclear else signs, is_of_all=False)

    def _near(self, letter: str, place: int) -> list[Said]:
        return self._by_scope.get((letter, self._scope(place)), [])

    @cached_property
    def _by_scope(self) -> dict[tuple[str, Scope], list[Said]]:
        groups: dict[tuple[str, Scope], list[Said]] = {}
        for one in self.said:
            groups.setdefault((one.letter, self._scope(one.at)), []).append(one)
        return groups

    def _scope(self, at: int) -> Scope:
        """The theorem with its proof, or else the section, in which a place lies."""
        inside = [one for one in self.environments if at in one]
        if inside:
            widest = min(inside, key=lambda one: one.start)
            return Scope(widest.start, widest.end)
        ends = [0, *self.headings, self.length + 1]
        return next(Scope(a, b) for a, b in pairwise(ends) if a <= at < b)
