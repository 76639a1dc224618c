"""Counterexamples: points at which enclosures of both sides show that a claim fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from sympy import Expr, Symbol

from .answer import DIGITS, Answer, Decision, Witness, witness_at
from .evaluate import certainly_fails, certainly_nonzero, enclosed
from .points import corners
from .sample import Point, points

POINTS_TO_REFUTE, POINTS_AT_HIGH_PRECISION = 64, 2
LARGEST_DRAW = 600


def counterexample(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    """The refutation of `lhs == rhs`, `>=` or `<=`, None if no point refutes it.

    It looks at sampled points, with more digits where the sides are close; for a bound also at
    points reached from those by descent, and at points far from 1.
    """
    drawn: list[Point] = []
    close: list[Point] = []  # where more digits are needed to tell the sides apart
    for point, left, right in _drawn(lhs, rhs, assume, seed):
        if _fails(left - right, relation):
            return _refutation(relation, point, left, right, DIGITS[0])
        drawn.append(point)
        if not certainly_nonzero(left - right):
            close.append(point)
    for digits in DIGITS:
        for point, left, right in enclosed(lhs, rhs, (), close[:POINTS_AT_HIGH_PRECISION], digits):
            if _fails(left - right, relation):
                return _refutation(relation, point, left, right, digits)
    reached = corners(lhs, relation, rhs, assume, drawn, seed) if relation != "==" else ()
    for point, left, right in enclosed(lhs, rhs, assume, reached, DIGITS[0]):
        if _fails(left - right, relation):
            return _refutation(relation, point, left, right, DIGITS[0])
    return None


def any_point(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Witness | None:
    """A point at which two equal sides are defined."""
    for point, value, _ in _drawn(lhs, rhs, assume, seed):
        witness = witness_at(point, value, -abs(value) - 1)  # ten digits: there is no difference
        return replace(witness, rhs=witness.lhs)
    return None


def _drawn(
    lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Iterator[tuple[Point, Any, Any]]:
    """Sampled points where the assumptions hold, each with the enclosures of both sides."""
    symbols = set[Symbol]().union(*(e.free_symbols for e in (lhs, rhs, *assume)))
    drawn = islice(points(symbols, seed), LARGEST_DRAW if symbols else 1)
    return islice(enclosed(lhs, rhs, assume, drawn, DIGITS[0]), POINTS_TO_REFUTE)


def _fails(difference: Any, relation: str) -> bool:
    return certainly_fails(relation, difference.a, difference.b)


def _refutation(relation: str, point: Point, left: Any, right: Any, digits: int) -> Decision:
    witness = witness_at(point, left, right, digits)
    equal = relation == "=="
    reason = "the two sides differ" if equal else f"lhs {relation} rhs fails"
    return Decision(Answer.REFUTED, f"{reason} at a point", witness=witness)
