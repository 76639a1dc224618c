"""Numerical checks of a claim at seeded random points; no code is shared with the normal form.

Values come from ordinary multiprecision arithmetic here (a private mpmath context), from interval
arithmetic for the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain, islice, product
from operator import mul
from typing import Any

import mpmath
from mpmath import inf, mpf, nstr
from sympy import (
    Abs,
    Add,
    Expr,
    Integer,
    Rational,
    Symbol,
    cosh,
    exp,
    log,
    oo,
    sinh,
    tanh,
)

from .answer import BOUNDS, STRICT
from .interval import Undefined, certainly_fails, enclosed
from .sample import Point, far_points, not_real
from .sample import points as sampled_points
from .steps import Step, Stepwise, Values

INFINITE = (oo, -oo)
#: Of the argument of exp before the point; they cost as many bits of precision.
LARGEST_EXPONENT_BITS = 1_000
LARGEST_DRAW = 5_000
#: Beyond it a power is taken by the logarithm, which costs less.
LARGEST_WHOLE_POWER = 1_000
#: A bound is followed downhill from the tightest of the drawn points: from how many, by what the
#: letters are multiplied, how often at most, and with how many digits.
STARTS, LONGEST_WAY, KEPT_DIGITS, FEW_DIGITS, LOST_DIGITS = 3, 60, 6, 30, 6
FARTHEST = 8**6  # a letter goes from there to one over it
FACTORS = tuple(1 + Rational(1, n) for n in (Rational(1, 7), 1, 4, 16, 64))
#: The powers of ten at which the variable of a limit is put, and those for what is not yet small.
STEPS, FARTHER, SMALL = (17, 35, 70, 140), (10**4, 10**6, 5 * 10**7), 10**3
#: With how many digits, for what cancels; how many of a distance are no more than rounding, and which
#: part of it has to go in a step.
DIGITS_OF_LIMITS, ROUNDING, SHARE = 900, 200, 10**6


@dataclass(frozen=True)
class PointCheck:
    """Whether the relation held at every point, how many were used, and where it failed first."""

    passed: bool
    points: int
    detail: str
    witness: tuple[tuple[Symbol, Rational], ...] = ()


class PointEvaluator(Stepwise):
    """Values of expressions at a point, to `digits` decimal digits."""

    def __init__(self, digits: int) -> None:
        super().__init__()
        self.context = mpmath.mp.clone()
        self.context.dps = digits
        self.functions: dict[Any, Callable[[Any], Any]] = {
            exp: self._exp,
            log: self._log,
            Abs: abs,
            sinh: self.context.sinh,
            cosh: self.context.cosh,
            tanh: self.context.tanh,
        }

    def evaluate(self, e: Expr, point: Mapping[Symbol, Any], known: Values | None = None) -> Any:
        """The value at a point; a caller that comes back to the point keeps what is known there."""
        return self._value(e, point, known)

    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        if e.is_Symbol:
            return (lambda _, point: self._at(e, point)), ()
        if e.is_Rational or e is exp(1):
            constant = self._number(e) if e.is_Rational else self.context.exp(1)
            return (lambda values, point: constant), ()
        needs = self._indices([e.definition()] if hasattr(e, "definition") else e.args)
        if hasattr(e, "definition"):
            return (lambda values, point: values[needs[0]]), needs
        if e.is_Add:
            return (lambda values, point: self.context.fsum(values[i] for i in needs)), needs
        if e.is_Mul:
            return (lambda values, point: reduce(mul, (values[i] for i in needs))), needs
        if e.is_Pow:
            base, power = needs
            whole = e.exp.is_Integer
            return (lambda values, _: self._power(values[base], values[power], whole=whole)), needs
        if e.func not in self.functions:
            raise Undefined(f"{e.func.__name__} has no pointwise evaluation")
        function, argument = self.functions[e.func], needs[0]
        return (lambda values, point: function(values[argument])), needs

    def _number(self, value: Rational) -> Any:
        return self.context.mpf(int(value.p)) / int(value.q)

    def _at(self, symbol: Symbol, point: Mapping[Symbol, Any]) -> Any:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        value = point[symbol]
        return self._number(value) if isinstance(value, Rational) else self.context.mpf(value)

    def _exp(self, argument: Any) -> Any:
        if self.context.mag(argument) > LARGEST_EXPONENT_BITS:
            raise Undefined("an exponential too large to evaluate")
        return self.context.exp(argument)

    def _log(self, argument: Any) -> Any:
        if not argument > 0:
            raise Undefined(f"log({self.context.nstr(argument)})")
        return self.context.log(argument)

    def _power(self, base: Any, power: Any, *, whole: bool) -> Any:
        """A negative number has powers with a whole number as exponent, not with a symbol that
        happens to be whole.
        """
        if (base < 0 and not whole) or (base == 0 and power < 0):
            raise Undefined(f"{self.context.nstr(base)}**{self.context.nstr(power)}")
        if self.context.isint(power) and (base < 0 or abs(power) <= LARGEST_WHOLE_POWER):
            return base ** int(power)
        return base if base == 0 else self._exp(power * self._log(base))


def check_at_points(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    *,
    assume: Sequence[Expr] = (),
    limit: tuple[Symbol, str] | None = None,
    points: int = 64,
    digits: int = 50,
    seed: int = 0,
) -> PointCheck:
    """Check a relation at `points` seeded points where both sides are defined and the assumptions
    hold.

    Evaluated with four times `digits` digits, both sides must agree to twice as many: so
    cancellation is not mistaken for a failure, nor two different small numbers for equal ones. For a
    strict bound a point where they agree so far does not count; that they agree at all points is a
    failure. A bound must also hold where it becomes tightest nearby. An asymptotic equality
    lhs ~ rhs, and a limit lhs -> rhs, are followed on the way to the limit.
    """
    symbols = set(lhs.free_symbols | rhs.free_symbols).union(*(a.free_symbols for a in assume))
    if complaint := not_real(symbols):
        return PointCheck(False, 0, complaint)
    if relation in ("~", "->") and limit is None:
        raise ValueError("limit=None: an asymptotic statement needs its variable and its limit")
    evaluator = PointEvaluator(4 * digits)
    tolerance = evaluator.context.mpf(10) ** (-2 * digits)
    way = None if limit is None else Way(lhs, relation, rhs, *limit)
    equal: list[Point] = []

    def failure(point: Point) -> str:
        """What fails at the point, if anything."""
        if any(evaluator.evaluate(a, point) <= 0 for a in assume):
            raise Undefined("an assumption does not hold")
        if way is not None:
            return way.failure(point)
        left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
        size = max(abs(left), abs(right))
        if relation in STRICT and abs(left - right) <= tolerance * size:
            equal.append(point)
            raise Undefined("the sides agree in every digit")
        if _excess(left - right, relation) <= tolerance * max(1, size):
            return ""
        left, right = (evaluator.context.nstr(side, 20) for side in (left, right))
        return f"lhs = {left} {relation} rhs = {right} fails"

    held: list[Point] = []
    for point in islice(sampled_points(symbols, seed), LARGEST_DRAW):
        with suppress(Undefined):
            if failed := failure(point):
                return PointCheck(False, len(held) + 1, failed, _ordered(point))
            held.append(point)
        if points in (len(held), len(equal)) or not symbols:
            break
    if equal and not held:
        detail = f"the sides agree in every digit at {len(equal)} points"
        return PointCheck(False, len(equal), detail, _ordered(equal[0]))
    if len(held) < (points if symbols else 1):
        detail = f"only {len(held)} of {points} points lie in the domain"
        return PointCheck(False, len(held), detail)
    for point in corners(lhs, relation, rhs, assume, held, seed) if relation in BOUNDS else ():
        with suppress(Undefined):
            if failed := failure(point):
                return PointCheck(False, len(held), failed, _ordered(point))
    return PointCheck(True, len(held), f"holds at {len(held)} points with {digits} digits")


def _excess(gap: Any, relation: str) -> Any:
    """By what the left side minus the right one is more, or less, than the relation allows."""
    return abs(gap) if relation == "==" else -gap if relation[0] == ">" else gap


def _ordered(point: Point) -> tuple[tuple[Symbol, Rational], ...]:
    return tuple(sorted(point.items(), key=lambda item: item[0].name))


# -- limits ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """Both sides of a limit on the way to it; no code is shared with what finds it."""

    lhs: Expr
    relation: str
    rhs: Expr
    x: Symbol
    limit: str
    evaluator: PointEvaluator = field(default_factory=lambda: PointEvaluator(DIGITS_OF_LIMITS))

    def at(self, step: int, point: Point) -> dict[Symbol, Any]:
        """The point with the variable at so many powers of ten towards the limit."""
        power = self.evaluator.context.mpf(10) ** (step if self.limit == "oo" else -step)
        return {**point, self.x: power}

    def are_positive(self, assume: Sequence[Expr], point: Point) -> bool:
        """Whether all that is assumed holds at the last steps."""
        places = [self.at(step, point) for step in STEPS[-2:]]
        try:
            return all(self.evaluator.evaluate(a, place) > 0 for place in places for a in assume)
        except Undefined:
            return False

    def values(self, point: Point, steps: Iterable[int]) -> Iterator[tuple[int, Any, Any]]:
        """The steps at which both sides have values, with these, 0 for an infinite one."""
        rhs = Integer(0) if self.rhs in INFINITE else self.rhs
        for step in steps:
            with suppress(Undefined, ZeroDivisionError):
                place = self.at(step, point)
                left, right = (self.evaluator.evaluate(side, place) for side in (self.lhs, rhs))
                if self.relation == "->" or right:
                    yield step, left, right

    def failure(self, point: Point) -> str:
        """The distances where they do not shrink to the last; empty where they do."""
        distances = self._distances(point, STEPS)
        for step in FARTHER:
            if not self._shrink(distances) or distances[-1] * SMALL <= 1:
                break
            distances += self._distances(point, [step])
        if self._shrink(distances):
            return ""
        if len(distances) < 2:
            return "the sides have no values there"
        shown = ", ".join(self.evaluator.context.nstr(distance, 5) for distance in distances)
        return f"the distances {shown} towards {self.x} -> {self.limit}"

    def _shrink(self, distances: Sequence[Any]) -> bool:
        """Whether the last distance is the smaller; one that is rounding alone is none."""
        if len(distances) < 2:
            return False
        before, last = distances[-2:]
        least = self.evaluator.context.mpf(10) ** -ROUNDING
        return bool(last <= least or last * SHARE < before * (SHARE - 1))

    def _distances(self, point: Point, steps: Iterable[int]) -> list[Any]:
        return [self._distance(left, right) for _, left, right in self.values(point, steps)]

    def _distance(self, left: Any, right: Any) -> Any:
        if self.rhs in INFINITE:
            toward = left if self.rhs == oo else -left
            return 1 / toward if toward > 0 else self.evaluator.context.inf
        return abs(left / right - 1) if self.relation == "~" else abs(left - right)


# -- bounds ------------------------------------------------------------------------------------------


def corners(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], drawn: Iterable[Point], seed: int
) -> Iterator[Point]:
    """Where a bound may fail that holds at the points that are drawn: where it is tightest nearby,
    and far from 1.
    """
    yield from tightest(lhs, relation, rhs, assume, drawn)
    yield from far_points(set[Symbol]().union(*(e.free_symbols for e in (lhs, rhs, *assume))), seed)


def tightest(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], drawn: Iterable[Point]
) -> Iterator[Point]:
    """Points that are reached from the tightest of those that are drawn: letter by letter to where
    the difference is the least share of both sides, of its terms where a side is zero.
    """
    larger, smaller = (lhs, rhs) if relation[0] == ">" else (rhs, lhs)
    terms, evaluator = Add.make_args(larger - smaller), PointEvaluator(FEW_DIGITS)
    least = evaluator.context.mpf(10) ** (LOST_DIGITS - FEW_DIGITS)

    def share(point: Point) -> Any:
        """Between -1 and 1; negative where the bound fails, infinite where it has no meaning or is
        lost in rounding.
        """
        try:
            if any(not evaluator.evaluate(a, point) > 0 for a in assume):
                return inf
            above, below, *values = (
                evaluator.evaluate(e, point) for e in (larger, smaller, *terms)
            )
        except (Undefined, ZeroDivisionError):
            return inf
        gap, size = sum(values), sum(map(abs, values))
        if abs(gap) <= least * size:
            return inf
        return gap / (abs(above) + abs(below) if above and below else size)

    for start in sorted(drawn, key=share)[:STARTS]:
        yield _descended(share, start)


def _descended(share: Callable[[Point], Any], point: Point) -> Point:
    """Where no letter alone lowers the share any more, or it is negative."""
    least = share(point)
    moving = [x for x in sorted(point, key=str) if not x.is_integer and point[x]]
    for factor in FACTORS:
        for _ in range(LONGEST_WAY):
            before = least
            for x, ratio in product(moving, (factor, 1 / factor)):
                value = mpf(point[x].p) / point[x].q * ratio.p / ratio.q
                moved = {**point, x: Rational(nstr(value, KEPT_DIGITS))}
                is_near = 1 <= FARTHEST * abs(value) <= FARTHEST**2
                if is_near and (there := share(moved)) < least:
                    point, least = moved, there
            if least < 0:
                return point
            if least == before:
                break
    return point


def enclose_bound(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    *,
    assume: Sequence[Expr] = (),
    points: int = 64,
    seed: int = 0,
    digits: int = 50,
) -> PointCheck:
    """Interval enclosures of lhs - rhs at seeded points: none may lie strictly on the wrong side of
    zero.

    Some must lie strictly on the right side, or all must be zero to all but the last 10 of `digits`
    digits; for a strict bound zero is on the wrong side.
    """
    symbols = set(lhs.free_symbols | rhs.free_symbols).union(*(a.free_symbols for a in assume))
    if complaint := not_real(symbols):
        return PointCheck(False, 0, complaint)
    drawn = islice(sampled_points(symbols, seed + 1), LARGEST_DRAW if symbols else 1)
    found = list(islice(enclosed(lhs, rhs, assume, drawn, digits), points))
    far = corners(lhs, relation, rhs, assume, [point for point, *_ in found], seed + 1)
    for point, left, right in chain(found, enclosed(lhs, rhs, assume, far, digits)):
        if certainly_fails(relation, (left - right).a, (left - right).b):
            reason = "an enclosure excludes the bound"
            return PointCheck(False, len(found), reason, _ordered(point))
    gaps = [left - right if relation[0] == ">" else right - left for _, left, right in found]
    if confirmed := sum(bool(gap.a > 0) for gap in gaps):
        detail = f"{confirmed} of {len(found)} enclosures confirm the bound strictly"
        return PointCheck(True, len(found), detail)
    least = mpf(10) ** (10 - digits)
    equal = all(
        abs(gap).b <= least * max(abs(left).b, abs(right).b)
        for gap, (_, left, right) in zip(gaps, found, strict=True)
    )
    if found and equal and relation not in STRICT:
        return PointCheck(True, len(found), f"equality at {len(found)} points with {digits} digits")
    detail = f"no enclosure at {len(found)} points confirms the bound strictly"
    return PointCheck(False, len(found), detail, _ordered(found[0][0]) if found and equal else ())
