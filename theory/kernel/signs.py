"""Signs of expressions: evident ones, those at sampled points, and those that a search proves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from sympy import Abs, Expr, Symbol

from .answer import Condition
from .decide import points_where
from .evaluate import IntervalEvaluator, Undefined
from .sample import Point

Assumed = tuple[Expr, ...]

#: The number of points at which an expression is tried.
POINTS = 8


class Sign(NamedTuple):
    """The sign 1 or -1, and whether zero is excluded; 0 where the sign is unknown."""

    value: int
    strict: bool

    def times(self, other: Sign) -> Sign:
        """The sign of a product."""
        return Sign(self.value * other.value, self.strict and other.strict)


UNKNOWN = Sign(0, False)


#: A point with the values evaluated there so far.
Place = tuple[Point, dict[Expr, Any]]


class Prover(ABC):
    """The signs of expressions under assumptions."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.drawn: dict[tuple[frozenset[Symbol], Assumed], list[Place]] = {}

    @abstractmethod
    def why(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        """Why e is positive, or not negative if not strict; empty if no proof is found."""

    @cached_property
    def enclosing(self) -> IntervalEvaluator:
        return IntervalEvaluator()

    # -- points ----------------------------------------------------------------------------------------------------

    def points_where(self, symbols: Iterable[Symbol], assume: Assumed) -> list[Place]:
        """Sampled points where the assumptions hold."""
        key = frozenset(symbols).union(*(a.free_symbols for a in assume)), assume
        if key not in self.drawn:
            conditions = [Condition(a, ">") for a in assume]
            found = points_where(conditions, key[0], self.seed, POINTS)
            self.drawn[key] = [(point, {}) for point in found]
        return self.drawn[key]

    def sign_at(self, e: Expr, place: Place) -> int:
        """The sign of the value; 0 if it is not certain, or if there is no value."""
        with suppress(Undefined):
            value = self.enclosing.evaluate(e, *place)
            return int(value.a > 0) - int(value.b < 0)
        return 0

    def holds_at_points(self, e: Expr, assume: Assumed) -> bool:
        """Whether sampled points exist, and the expression is negative at none of them."""
        near = self.points_where(e.free_symbols, assume)
        return bool(near) and all(self.sign_at(e, place) >= 0 for place in near)

    # -- signs of factors ------------------------------------------------------------------------------------------

    def plain_sign(self, e: Expr, assume: Assumed) -> Sign:
        """The sign that follows from the form of the expression, without a search."""
        if not (e.is_Rational or e.free_symbols):
            return self._sign_of_number(e)
        if e.is_positive or e in assume:
            return Sign(1, True)
        if e.is_negative or -e in assume:
            return Sign(-1, True)
        if e.is_nonnegative or isinstance(e, Abs):
            return Sign(1, False)
        if e.is_Pow and e.exp.is_Integer and e.exp.is_even and e.base.is_real:
            return Sign(1, self.plain_sign(e.base, assume).strict)
        if e.is_Pow and e.exp.is_Integer and (base := self.plain_sign(e.base, assume)).strict:
            return base
        if e.is_Pow and not e.exp.is_Integer:
            base = self.plain_sign(e.base, assume)
            return base if base.value == 1 else UNKNOWN
        if e.is_Mul:
            sign = Sign(1, True)
            for factor in e.args:
                sign = sign.times(self.plain_sign(factor, assume))
            return sign if sign.value else UNKNOWN
        if e.is_Add:
            signs = [self.plain_sign(term, assume) for term in e.args]
            if len({sign.value for sign in signs}) == 1:
                return Sign(signs[0].value, any(sign.strict for sign in signs))
        return UNKNOWN

    def _sign_of_number(self, e: Expr) -> Sign:
        """The sign of a number, by an enclosure."""
        sign = self.sign_at(e, ({}, {}))
        return Sign(sign, True) if sign else UNKNOWN

    def sign(self, e: Expr, assume: Assumed, depth: int) -> Sign:
        """The sign, evident or proved by a search."""
        sign = self.plain_sign(e, assume)
        if sign.value:
            return sign
        for value in (1, -1):
            for strict in (True, False):
                if self.why(value * e, assume, strict, max(depth - 1, 0)):
                    return Sign(value, strict)
        return UNKNOWN
