"""The second opinion on a claim that is to be called proved: its two sides at random points, with the
quantities of the law worked out from their definitions. What is proved although it fails at a point is
a mistake of the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import mpmath
from sympy import Expr, Rational, Symbol, oo

from ..budget import Budget
from ..reader.building import Domain
from .definitions import LawByDefinition, NoValue, Point

#: Figures of a value, and of one on the way to a limit, where terms cancel.
DIGITS, DIGITS_OF_A_LIMIT = 120, 260
POINTS, FEWEST, POINTS_OF_A_LIMIT, TRIES = 16, 4, 4, 400
#: How far from 1 letters are drawn, as powers of e, one try after the other.
SPREADS = (1, 1, 2, 2, 1, 1, 4, 4) * 8 + (12, 12, 40, 40)
#: Powers of ten on the way to a limit, and the share of the error that may be left after the last
#: step.
STEPS, LEFT = (10, 20, 40), (99, 100)
#: The signs that lhs - rhs may have at a point; strict bounds may come near to equality, and are not
#: equalities throughout.
AGREES = {"==": (0,), "<=": (-1, 0), "<": (-1, 0), ">=": (0, 1), ">": (0, 1), "!=": (-1, 0, 1)}
STRICT = ("<", ">", "!=")
INSIDE = -1
NO_VALUE = (NoValue, OverflowError, ZeroDivisionError)


@dataclass(frozen=True)
class Finding:
    """At how many points the claim was tried, and the one at which it fails; a reason where there
    are too few.
    """

    points: int
    reason: str = ""
    fails_at: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return f"not checked: {self.reason}" if self.reason else f"checked at {self.points} points"


@dataclass
class Trial:
    """A claim as it was read, with no closed forms in it, tried point by point.

    Attributes
    ----------
    lhs, rhs : sympy.Expr
    relation : str
    domain : Domain
        Where it is claimed.
    limit : tuple of Symbol and str, or None
    moving : tuple of Symbol
        What a proportion lets move.
    letters : mapping of str to Symbol
        Those of the law, by canonical name.
    budget : Budget
    seed : int
    """

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    limit: tuple[Symbol, str] | None
    moving: tuple[Symbol, ...]
    letters: Mapping[str, Symbol]
    budget: Budget
    seed: int = 0

    def __post_init__(self) -> None:
        self.is_limit = self.relation in ("->", "~")
        self.random = Random(self.seed)
        digits = DIGITS_OF_A_LIMIT if self.is_limit else DIGITS
        self.law = LawByDefinition(self.letters, self.budget, digits)
        known = (self.lhs, self.rhs, *(e for group in self.domain.groups for e in group))
        own = {*self.moving, *(self.limit or ())[:1]}.union(*(e.free_symbols for e in known))
        self.own = sorted(own, key=str)
        #: What may be 0, but need not.
        self.edges = [*self.domain.nonnegative, *(x for x in self.own if x.is_zero is None)]

    def outcome(self) -> Finding:
        """The first point at which the claim fails, or how many there are at which it does not."""
        if self.is_limit and self.limit is None:
            return Finding(0, "no limit is said")
        if not (self.is_limit or self.relation in (*AGREES, "propto")):
            return Finding(0, f"{self.relation} is of one law")
        tried: Counter[int] = Counter()
        equal: Counter[int] = Counter()
        most = POINTS_OF_A_LIMIT if self.is_limit else POINTS
        for place, point in self.points():
            try:
                if self.is_limit:
                    agrees: bool | None = self.tends(point)
                elif self.relation == "propto":
                    agrees = self.is_proportional(point)
                else:
                    sign = self.sign(point)
                    agrees = sign in AGREES[self.relation]
                    equal[place] += sign == 0
            except NO_VALUE:
                continue
            if agrees is None:
                continue
            tried[place] += 1
            if agrees and tried.total() < most:
                continue
            always = {at for at, n in tried.items() if n > 1 and equal[at] == n}
            if not agrees or (self.relation in STRICT and always):
                shown = {str(x): mpmath.nstr(point[x], 8) for x in self.own}
                return Finding(tried.total(), fails_at=shown)
            break
        enough = tried.total() >= min(FEWEST, most)
        return Finding(tried.total(), "" if enough else "too few points are found")

    # -- points ----------------------------------------------------------------------------------------

    def points(self) -> Iterator[tuple[int, Point]]:
        """Points at which all holds that is assumed, every second one on an edge; each with the number
        of its edge.
        """
        of_law = {*self.letters.values(), *self.budget.compute().free_symbols}
        letters, edges = sorted({*self.own, *of_law}, key=str), self.edges
        for i in range(TRIES):
            point = {x: self.drawn(x, SPREADS[i % len(SPREADS)]) for x in letters}
            place = i // 2 % len(edges) if edges and i % 2 else INSIDE
            try:
                if place != INSIDE:
                    point = self.on_edge(edges[place], point)
            except (*NO_VALUE, ValueError):
                continue
            if self.holds(point):
                yield place, point

    def drawn(self, letter: Symbol, spread: int) -> Any:
        """A value of a sign that the letter may have."""
        mp, most = self.law.mp, 1000 * spread
        signs = [
            sign for sign, no in ((1, letter.is_nonpositive), (-1, letter.is_nonnegative)) if not no
        ]
        size = mp.exp(mp.mpf(self.random.randint(-most, most)) / 1000)
        return size * (self.random.choice(signs) if signs else 0)

    def on_edge(self, edge: Expr, point: Point) -> Point:
        """The point with one letter changed so that the expression is 0: by the secant method."""
        tends = set() if self.limit is None else {self.limit[0]}
        free = sorted(edge.free_symbols - tends, key=str)
        if not free:
            raise NoValue("nothing is free")
        letter = self.random.choice(free)

        def value(x: Any) -> Any:
            return self.law.value(edge, {**point, letter: x})[0]

        start = point[letter]
        root = 0 * start if edge == letter else self.law.mp.findroot(value, (start, start * 9 / 8))
        if (letter.is_positive and root <= 0) or (letter.is_nonnegative and root < 0):
            raise NoValue("it has not this sign")
        return {**point, letter: root}

    def holds(self, point: Point) -> bool:
        """Whether all that is assumed holds, as far as it can be told."""
        try:
            for relation, group in zip((">", "!=", ">="), self.domain.groups, strict=True):
                for e in group:
                    value, size = self.law.value(e, point)
                    sign = 0 if abs(value) <= self.law.near(e) * size else 1 if value > 0 else -1
                    if sign not in {">": (1,), "!=": (-1, 1), ">=": (0, 1)}[relation]:
                        return False
        except NO_VALUE:
            return False
        return True

    # -- relations -------------------------------------------------------------------------------------

    def sign(self, point: Point) -> int:
        """Of lhs - rhs, as far as it can be told."""
        sides = self.lhs, self.rhs
        (left, of_left), (right, of_right) = (self.law.value(e, point) for e in sides)
        if abs(left - right) <= self.law.near(*sides) * (of_left + of_right):
            return 0
        return 1 if left > right else -1

    def tends(self, point: Point) -> bool:
        """Whether the error of a limit becomes less, at a number other than 0 from both sides."""
        assert self.limit is not None
        end = self.limit[1]
        ten = self.law.mp.mpf(10)
        if end in ("0", "oo"):
            return self.falls(point, [ten ** (step if end == "oo" else -step) for step in STEPS])
        at = self.law.value(Rational(end), {})[0]
        return all(
            self.falls(point, [at + sign * ten**-step for step in STEPS]) for sign in (1, -1)
        )

    def falls(self, point: Point, places: Sequence[Any]) -> bool:
        """Whether the error becomes less from place to place of the letter that tends to a limit."""
        assert self.limit is not None
        lhs, rhs = self.lhs, self.rhs
        letter = self.limit[0]
        near, errors = self.law.near(lhs, rhs), []
        for place in places:
            at = {**point, letter: place}
            left, of_left = self.law.value(lhs, at)
            if rhs in (oo, -oo):
                if (left < 0) == (rhs == oo):
                    return False
                errors.append((1 / abs(left), 0))
                continue
            right, of_right = self.law.value(rhs, at)
            scale = self.law.mp.one
            if self.relation == "~":
                scale = abs(right)
            errors.append((abs(left - right) / scale, near * (of_left + of_right) / scale))
        (before, _), (last, told) = errors[-2:]
        share, of = LEFT
        return bool(last <= told or last * of < before * share)

    def is_proportional(self, point: Point) -> bool | None:
        """Whether the quotient is the same at another value of what moves; None where there is no
        such point.
        """
        sides = self.lhs, self.rhs
        for spread in SPREADS:
            other = {**point, **{x: self.drawn(x, spread) for x in self.moving}}
            if self.holds(other):
                (left, of_left), (right, of_right) = (self.law.value(e, point) for e in sides)
                (there, of_there), (under, of_under) = (self.law.value(e, other) for e in sides)
                sizes = of_left * of_under + of_right * of_there
                return bool(abs(left * under - right * there) <= self.law.near(*sides) * sizes)
        return None
