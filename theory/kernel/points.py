"""Numerical checks of a claim at seeded random points; no code is shared with the normal form.

Values come from ordinary multiprecision arithmetic here (a private mpmath context), from interval
arithmetic for the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import islice, pairwise, product
from math import prod
from typing import Any

import mpmath
from mpmath.libmp import (
    from_rational,
    fzero,
    mpf_abs,
    mpf_cosh_sinh,
    mpf_e,
    mpf_exp,
    mpf_gt,
    mpf_log,
    mpf_lt,
    mpf_mul,
    mpf_pow_int,
    mpf_sum,
    mpf_tanh,
    to_int,
)
from sympy import Abs, Expr, Pow, Rational, Symbol, cosh, exp, log, sinh, tanh

from .answer import BOUNDS, STRICT
from .interval import IntervalEvaluator, Undefined
from .sample import Point, not_real
from .sample import points as sampled_points
from .steps import Step, Stepwise, Values

SMALLEST_LIMIT_STEP = 3
#: Of a power that is written out for an exact comparison, in absolute value.
LARGEST_LOGARITHM = 10_000
#: The logarithms to which the variable of a limit is taken, and where a distance that shrinks is
#: not yet small.
LOGARITHMS, FARTHER = (100, 200, 400, 800, 1_600), (10**4, 10**6, 10**8)
#: Of the argument of exp before the point; they cost as many bits of precision.
LARGEST_EXPONENT_BITS = 1_000
LARGEST_DRAW = 2_000
#: A bound that fails in a corner may hold at the first points: it is looked at where it is tightest
#: of so many more.
FURTHER_POINTS = 192
#: A bound is followed downhill from the tightest of its first points: from how many, of how many,
#: how often, by which factors; more often where many letters leave a corner to be missed.
DESCENTS, FIRST_POINTS, ROUNDS = 2, 16, 3
STRIDES = tuple(Rational(*pair) for pair in ((1, 8), (1, 2), (9, 10), (10, 9), (2, 1), (8, 1)))
MANY_LETTERS = 10
MORE_DESCENTS, MORE_POINTS, MORE_ROUNDS = 6, 64, 10
MORE_STRIDES = (*STRIDES, Rational(39, 40), Rational(40, 39))


class OutOfReach(ValueError):
    """A distance shrinks towards a limit and is not small at the last step."""


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
        self.rounding = self.context.prec, "n"
        self.functions: dict[Any, Callable[[Any], Any]] = {
            exp: self._exp,
            log: self._log,
            Abs: mpf_abs,
            sinh: lambda x: mpf_cosh_sinh(x, *self.rounding)[1],
            cosh: lambda x: mpf_cosh_sinh(x, *self.rounding)[0],
            tanh: lambda x: mpf_tanh(x, *self.rounding),
        }

    def evaluate(self, e: Expr, point: Mapping[Symbol, Any], known: Values | None = None) -> Any:
        """The value at a point; a caller that comes back to the point keeps what is known there."""
        return self.context.make_mpf(self._value(e, point, known))

    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        rounding = self.rounding
        if e.is_Symbol:
            return (lambda _, point: self._at(e, point)), ()
        if e.is_Rational:
            constant = from_rational(int(e.p), int(e.q), *rounding)
            return (lambda values, point: constant), ()
        if hasattr(e, "definition"):
            needs = self._indices([e.definition()])
            return (lambda values, point: values[needs[0]]), needs
        if e is exp(1):
            return (lambda values, point: mpf_e(*rounding)), ()
        needs = self._indices(e.args)
        if e.is_Add:
            return (lambda values, point: mpf_sum([values[i] for i in needs], *rounding)), needs
        if e.is_Mul:
            return (
                lambda values, point: reduce(
                    lambda x, y: mpf_mul(x, y, *rounding), [values[i] for i in needs]
                )
            ), needs
        if e.is_Pow:
            base, exponent = needs
            whole = e.exp.is_Integer
            return (
                lambda values, point: self._power(values[base], values[exponent], whole=whole)
            ), needs
        if e.func not in self.functions:
            raise Undefined(f"{e.func.__name__} has no pointwise evaluation")
        function, argument = self.functions[e.func], needs[0]
        return (lambda values, point: function(values[argument])), needs

    def _at(self, symbol: Symbol, point: Mapping[Symbol, Any]) -> Any:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        value = point[symbol]
        if isinstance(value, Rational):
            return from_rational(int(value.p), int(value.q), *self.rounding)
        return self.context.mpf(value)._mpf_

    def _exp(self, argument: Any) -> Any:
        _, mantissa, exponent, bits = argument
        if (exponent and not mantissa) or exponent + bits > LARGEST_EXPONENT_BITS:
            raise Undefined("an exponential too large to evaluate")
        return mpf_exp(argument, *self.rounding)

    def _log(self, argument: Any) -> Any:
        if not mpf_gt(argument, fzero):
            raise Undefined(f"log({self._shown(argument)})")
        return mpf_log(argument, *self.rounding)

    def _power(self, base: Any, exponent: Any, *, whole: bool) -> Any:
        """A negative number has powers with a whole number as exponent, not with a symbol that
        happens to be whole.
        """
        if (mpf_lt(base, fzero) and not whole) or (base == fzero and mpf_lt(exponent, fzero)):
            raise Undefined(f"{self._shown(base)}**{self._shown(exponent)}")
        if exponent == fzero or (exponent[1] and exponent[2] >= 0):
            return mpf_pow_int(base, to_int(exponent), *self.rounding)
        if base == fzero:
            return fzero
        return self._exp(mpf_mul(exponent, self._log(base), *self.rounding))

    def _shown(self, value: Any) -> Any:
        return self.context.nstr(self.context.make_mpf(value))


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

    Both sides must agree to all but the last 10 of `digits` digits, or, evaluated with four times
    the digits, to an absolute 10^(-2 digits): so cancellation is not mistaken for a failure, nor
    two different small numbers for equal ones. An asymptotic equality lhs ~ rhs is followed into
    the limit, where |lhs/rhs - 1| must shrink at every step, and a limit lhs -> rhs likewise with
    |lhs - rhs|; a distance that shrinks all the way without becoming small is no objection, and the
    detail says so. A bound must also hold where its slack becomes least nearby. A strict bound
    fails where the sides are equal as numbers, and points at which they merely agree in all digits
    do not count.
    """
    symbols = set(lhs.free_symbols | rhs.free_symbols).union(*(a.free_symbols for a in assume))
    if complaint := not_real(symbols):
        return PointCheck(False, 0, complaint)
    evaluator, finer = PointEvaluator(digits), PointEvaluator(4 * digits)

    def fails(point: Point) -> str:
        """What fails at the point, if anything; a failure is seen again with more digits."""
        if any(evaluator.evaluate(a, point) <= 0 for a in assume):
            raise Undefined("an assumption does not hold")
        failure = _failure(evaluator, lhs, relation, rhs, point, limit, digits, floor=0)
        failure = failure and _failure(
            finer, lhs, relation, rhs, point, limit, 2 * digits + 10, floor=1
        )
        return failure or (
            _not_apart(evaluator, finer, lhs, rhs, point, digits) if relation in STRICT else ""
        )

    slack = _Bound(evaluator, lhs, relation, rhs, assume).slack
    held: list[Point] = []
    out_of_reach = 0
    drawn = sampled_points(symbols, seed)
    for point in islice(drawn, LARGEST_DRAW):
        try:
            failure = fails(point)
        except Undefined:
            continue
        except OutOfReach:
            failure, out_of_reach = "", out_of_reach + 1
        if failure:
            return PointCheck(False, len(held) + 1, failure, _ordered(point))
        held.append(point)
        if len(held) == points or not symbols:
            break
    used = len(held)
    if used < min(points, 1 if not symbols else points):
        return PointCheck(False, used, f"only {used} of {points} points lie in the domain")
    further = islice(drawn, FURTHER_POINTS if symbols else 0)
    corners = (*_lowest(further, slack), *_tightest(held, slack)) if relation in BOUNDS else ()
    for point in corners:
        try:
            failure = fails(point)
        except Undefined:
            continue
        if failure:
            return PointCheck(False, used, failure, _ordered(point))
    if out_of_reach:
        detail = f"the distance shrinks at {used} points, but at {out_of_reach} of them the limit is out of reach"
        return PointCheck(True, used, detail)
    return PointCheck(True, used, f"holds at {used} points with {digits} digits")


def _ordered(point: Point) -> tuple[tuple[Symbol, Rational], ...]:
    return tuple(sorted(point.items(), key=lambda item: item[0].name))


@dataclass(frozen=True)
class _Bound:
    """A bound with what its values are worked out by: numbers, or enclosures."""

    evaluator: PointEvaluator | IntervalEvaluator
    lhs: Expr
    relation: str
    rhs: Expr
    assume: Sequence[Expr]

    def gap(self, point: Point) -> tuple[Any, Any]:
        """The difference of the sides, positive where the bound holds, and their size."""
        if any(not -_highest(-self._at(a, point)) > 0 for a in self.assume):
            raise Undefined("an assumption is not certain")
        left, right = (self._at(side, point) for side in (self.lhs, self.rhs))
        sizes = [_highest(abs(left)), _highest(abs(right))]
        if 0 in (self.lhs, self.rhs):
            sizes = [
                _size(side, lambda part: _highest(abs(self._at(part, point))))
                for side in (self.lhs, self.rhs)
            ]
        return (left - right if self.relation in (">=", ">") else right - left), max(sizes)

    def slack(self, point: Point) -> Any:
        """The gap as a share of the sides."""
        gap, size = self.gap(point)
        return _highest(gap) / size if size else _highest(gap)

    def _at(self, e: Expr, point: Point) -> Any:
        return self.evaluator.evaluate(e, point)


def _highest(value: Any) -> Any:
    """The end of an enclosure; a number is its own."""
    return getattr(value, "b", value)


def _size(side: Expr, absolute: Callable[[Expr], Any]) -> Any:
    """The side with every term of its sums counted as positive, so that a side of zero leaves
    something to compare with.
    """
    if side.is_Add:
        return sum(_size(term, absolute) for term in side.args)
    if side.is_Mul:
        return prod(_size(factor, absolute) for factor in side.args)
    return absolute(side)


def _lowest(points: Iterable[Point], slack: Callable[[Point], Any]) -> list[Point]:
    """The point of least slack, where there is one."""
    found: list[tuple[Any, Point]] = []
    for point in points:
        with suppress(Undefined):
            found.append((slack(point), point))
    return [min(found, key=lambda pair: pair[0])[1]] if found else []


def _tightest(held: Sequence[Point], slack: Callable[[Point], Any]) -> list[Point]:
    """Where one arrives from the points of least slack by going towards less, one coordinate after
    the other.
    """
    many = bool(held) and len(held[0]) > MANY_LETTERS
    first, descents = (MORE_POINTS, MORE_DESCENTS) if many else (FIRST_POINTS, DESCENTS)
    rounds, strides = (MORE_ROUNDS, MORE_STRIDES) if many else (ROUNDS, STRIDES)
    starts = sorted(
        ((slack(point), index) for index, point in enumerate(held[:first])),
        key=lambda start: start[0],
    )
    return [
        _downhill(held[index], least, slack, rounds, strides) for least, index in starts[:descents]
    ]


def _downhill(
    best: Point,
    least: Any,
    slack: Callable[[Point], Any],
    rounds: int,
    strides: Sequence[Rational],
) -> Point:
    for _ in range(rounds):
        before = best
        for symbol, factor in product(best, strides):
            near = {**best, symbol: best[symbol] * factor}
            try:
                found = slack(near)
            except Undefined:
                continue
            if found < least:
                best, least = near, found
        if best is before:
            break
    return best


def _failure(
    evaluator: PointEvaluator,
    lhs: Expr,
    relation: str,
    rhs: Expr,
    point: Point,
    limit: tuple[Symbol, str] | None,
    digits: int,
    *,
    floor: int,
) -> str:
    """What fails at the point, if anything, to all but the last 10 of `digits` digits of max(floor,
    |lhs|, |rhs|).
    """
    mp = evaluator.context
    if relation in ("~", "->"):
        return _limit_failure(evaluator, lhs, relation, rhs, point, limit, digits)
    left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
    tolerance = mp.mpf(10) ** (10 - digits) * max(floor, abs(left), abs(right))
    if relation == "==" and abs(left - right) > tolerance:
        return f"lhs = {mp.nstr(left, 20)}, rhs = {mp.nstr(right, 20)}"
    too_small = relation in (">=", ">") and left < right - tolerance
    if too_small or (relation in ("<=", "<") and left > right + tolerance):
        return f"lhs = {mp.nstr(left, 20)} {relation} rhs = {mp.nstr(right, 20)} fails"
    return ""


def _not_apart(
    evaluator: PointEvaluator,
    finer: PointEvaluator,
    lhs: Expr,
    rhs: Expr,
    point: Point,
    digits: int,
) -> str:
    """Whether both sides are one number at the point; Undefined where they agree in every digit and
    are not seen to be one.
    """
    for values, seen in ((evaluator, digits), (finer, 4 * digits)):
        left, right = values.evaluate(lhs, point), values.evaluate(rhs, point)
        if abs(left - right) > values.context.mpf(10) ** (10 - seen) * max(abs(left), abs(right)):
            return ""
    mp, difference = evaluator.context, lhs - rhs
    powers = [abs(evaluator.evaluate(power, point)) for power in difference.atoms(Pow)]
    can_be_written = all(value and abs(mp.log(value)) < LARGEST_LOGARITHM for value in powers)
    if can_be_written and difference.xreplace(dict(point)) == 0:
        return f"both sides are {mp.nstr(left, 20)}"
    raise Undefined("the sides agree in every digit")


def _limit_failure(
    evaluator: PointEvaluator,
    lhs: Expr,
    relation: str,
    rhs: Expr,
    point: Point,
    limit: tuple[Symbol, str] | None,
    digits: int,
) -> str:
    if limit is None:
        raise ValueError("limit=None: an asymptotic statement needs its variable and its limit")
    mp = evaluator.context
    variable, target = limit
    sign = -1 if target == "0" else 1
    floor, small = mp.mpf(10) ** (10 - digits), mp.mpf(10) ** -SMALLEST_LIMIT_STEP

    def distance(logarithm: int) -> Any:
        at = {**point, variable: mp.exp(sign * logarithm)}
        left, right = evaluator.evaluate(lhs, at), evaluator.evaluate(rhs, at)
        if relation == "~" and not right:
            raise Undefined("a quotient by zero")
        return abs(left / right - 1) if relation == "~" else abs(left - right)

    distances = [distance(logarithm) for logarithm in LOGARITHMS]
    for logarithm in FARTHER:
        if distances[-1] <= small or not _shrinking(distances, floor):
            break
        with suppress(Undefined):
            distances.append(distance(logarithm))
    if not _shrinking(distances, floor):
        what = "lhs/rhs - 1" if relation == "~" else "lhs - rhs"
        return (
            f"{what} = {', '.join(mp.nstr(x, 5) for x in distances)} towards {variable} -> {target}"
        )
    if distances[-1] > small:
        raise OutOfReach
    return ""


def _shrinking(distances: Sequence[Any], floor: Any) -> bool:
    return all(after < before or after <= floor for before, after in pairwise(distances))


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
    evaluator, strict = IntervalEvaluator(digits), relation in STRICT
    symbols = set(lhs.free_symbols | rhs.free_symbols).union(*(a.free_symbols for a in assume))
    if complaint := not_real(symbols):
        return PointCheck(False, 0, complaint)

    def excluded(difference: Any) -> bool:
        return bool(difference.b < 0 or (strict and difference.b == 0))

    bound = _Bound(evaluator, lhs, relation, rhs, assume)
    held: list[Point] = []
    confirmed = equal = 0
    for point in islice(sampled_points(symbols, seed + 1), LARGEST_DRAW):
        try:
            difference, size = bound.gap(point)
        except Undefined:
            continue
        held.append(point)
        if excluded(difference):
            return PointCheck(False, len(held), "an enclosure excludes the bound", _ordered(point))
        confirmed += bool(difference.a > 0)
        equal += bool(abs(difference).b < size * evaluator.context.mpf(10) ** (10 - digits))
        if len(held) == points or not symbols:
            break
    if held and equal == len(held) and not strict:
        return PointCheck(True, len(held), f"equality at {len(held)} points with {digits} digits")
    if not confirmed:
        return PointCheck(
            False, len(held), f"no enclosure at {len(held)} points confirms the bound strictly"
        )
    for point in _tightest(held, bound.slack):
        if excluded(bound.gap(point)[0]):
            return PointCheck(False, len(held), "an enclosure excludes the bound", _ordered(point))
    return PointCheck(
        True, len(held), f"{confirmed} of {len(held)} enclosures confirm the bound strictly"
    )
