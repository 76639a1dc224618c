"""Points at which a bound between two expressions fails: drawn ones, and where none of them tells,
those that are reached from them downhill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from mpmath import inf, mpf, nstr
from sympy import Add, Expr, Rational, Symbol

from .answer import Answer, Decision, Witness
from .decide import DIGITS, POINTS_AT_HIGH_PRECISION, witness_at
from .interval import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from .sample import Point, points

POINTS_TO_REFUTE = 64
LARGEST_DRAW = 600
#: From how many of the drawn points the way downhill is taken, by what the letters are multiplied,
#: and how often at most.
STARTS, LONGEST_WAY = 3, 60
FACTORS = tuple(1 + Rational(1, n) for n in (Rational(1, 7), 1, 4, 16, 64))
SHOWN_DIGITS = 6


def counterexample(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    """The refutation of `lhs >= rhs` or `lhs <= rhs` by one of the points that are drawn."""
    evaluator = IntervalEvaluator()
    close: list[Point] = []  # where more digits are needed to tell the sides apart
    for point, left, right in _drawn(lhs, rhs, assume, seed, evaluator):
        if _fails(left - right, relation):
            return _refutation(relation, point, left, right, evaluator)
        if not certainly_nonzero(left - right):
            close.append(point)
    for digits in DIGITS:
        finer = IntervalEvaluator(digits)
        for point in close[:POINTS_AT_HIGH_PRECISION]:
            left, right = finer.evaluate(lhs, point), finer.evaluate(rhs, point)
            if _fails(left - right, relation):
                return _refutation(relation, point, left, right, finer)
    return None


def counterexample_downhill(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    """The refutation by a point that is reached from those that are drawn: letter by letter to
    where the difference is the least share of its terms.
    """
    difference = lhs - rhs if relation[0] == ">" else rhs - lhs
    terms = Add.make_args(difference)
    evaluator = IntervalEvaluator()

    def share(point: Point) -> mpf:
        """Between -1 and 1; negative where the bound fails, infinite where it has no meaning."""
        try:
            if any(not evaluator.evaluate(a, point).a > 0 for a in assume):
                return inf
            values = [evaluator.evaluate(term, point).mid for term in terms]
        except Undefined:
            return inf
        size = sum(map(abs, values))
        return sum(values) / size if size else inf

    drawn = [point for point, _, _ in _drawn(lhs, rhs, assume, seed, evaluator)]
    for start in sorted(drawn, key=share)[:STARTS]:
        point = _descended(share, start)
        if share(point) < 0:
            point = _rounded(share, point)
            left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
            if _fails(left - right, relation):
                return _refutation(relation, point, left, right, evaluator)
    return None


def any_point(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Witness | None:
    """A point at which two equal sides are defined."""
    for point, value, _ in _drawn(lhs, lhs, assume, seed, IntervalEvaluator(), rhs):
        witness = witness_at(point, value, -abs(value) - 1)  # ten digits: there is no difference
        return replace(witness, rhs=witness.lhs)
    return None


def _drawn(
    lhs: Expr,
    rhs: Expr,
    assume: Sequence[Expr],
    seed: int,
    evaluator: IntervalEvaluator,
    *others: Expr,
) -> Iterator[tuple[Point, Any, Any]]:
    """Points where all holds that is assumed, each with both sides; a few of many that are tried."""
    symbols = set[Symbol]().union(*(e.free_symbols for e in (lhs, rhs, *assume, *others)))
    used = 0
    for point in islice(points(symbols, seed), LARGEST_DRAW):
        try:
            if any(not evaluator.evaluate(a, point).a > 0 for a in assume):
                continue
            left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
        except Undefined:
            continue
        used += 1
        yield point, left, right
        if used == POINTS_TO_REFUTE or not symbols:
            return


def _fails(difference: Any, relation: str) -> bool:
    return certainly_fails(f"{relation[0]}=", difference.a, difference.b)


def _refutation(
    relation: str, point: Point, left: Any, right: Any, evaluator: IntervalEvaluator
) -> Decision:
    witness = witness_at(point, left, right, evaluator.context.dps)
    return Decision(Answer.REFUTED, f"lhs {relation} rhs fails at a point", witness=witness)


def _descended(share: Callable[[Point], mpf], point: Point) -> Point:
    """Where no letter alone lowers the share any more, or it is negative."""
    least = share(point)
    moving = [x for x in sorted(point, key=str) if not x.is_integer and point[x]]
    for factor in FACTORS:
        for _ in range(LONGEST_WAY):
            before = least
            for x in moving:
                for ratio in (factor, 1 / factor):
                    moved = {**point, x: _digits(point[x] * ratio, SHOWN_DIGITS)}
                    if (value := share(moved)) < least:
                        point, least = moved, value
            if least < 0:
                return point
            if least == before:
                break
    return point


def _rounded(share: Callable[[Point], mpf], point: Point) -> Point:
    """The point with as few digits as keep the share negative."""
    for digits in range(1, SHOWN_DIGITS):
        shorter = {x: _digits(value, digits) for x, value in point.items()}
        if share(shorter) < 0:
            return shorter
    return point


def _digits(value: Rational, digits: int) -> Rational:
    return value if value.is_integer else Rational(nstr(mpf(value.p) / value.q, digits))
