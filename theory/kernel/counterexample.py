"""Counterexamples: points at which enclosures of both sides show that a claim fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sympy import Expr, Symbol

from .answer import DIGITS, Answer, Decision, Witness, witness_at
from .evaluate import Enclosed, certainly_nonzero, enclosed
from .points import corners
from .sample import points

POINTS_TO_REFUTE, POINTS_AT_HIGH_PRECISION = 64, 2
LARGEST_DRAW = 600


def counterexample(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    """The refutation of `lhs == rhs`, `>=` or `<=`, None if no point refutes it.

    It looks at sampled points, with more digits where the sides are close; for a bound also at
    points reached from those by descent, and at points far from 1.
    """
    for place, digits in _places(lhs, relation, rhs, assume, seed):
        if place.fails(relation):
            equal = relation == "=="
            reason = "the two sides differ" if equal else f"lhs {relation} rhs fails"
            witness = witness_at(*place, digits)
            return Decision(Answer.REFUTED, f"{reason} at a point", witness=witness)
    return None


def _places(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Iterator[tuple[Enclosed, int]]:
    """The points at which a claim may fail, each with the digits of its enclosures."""
    drawn: list[Enclosed] = []
    for place in _drawn(lhs, rhs, assume, seed):
        drawn.append(place)
        yield place, DIGITS[0]
    close = [place.point for place in drawn if not certainly_nonzero(place.difference)]
    for digits in DIGITS:
        for place in enclosed(lhs, rhs, (), close[:POINTS_AT_HIGH_PRECISION], digits):
            yield place, digits
    if relation != "==":
        reached = corners(lhs, relation, rhs, assume, [place.point for place in drawn], seed)
        for place in enclosed(lhs, rhs, assume, reached, DIGITS[0]):
            yield place, DIGITS[0]


def any_point(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Witness | None:
    """A point at which two equal sides are defined."""
    for point, value, _ in _drawn(lhs, rhs, assume, seed):
        witness = witness_at(point, value, -abs(value) - 1)  # ten digits: there is no difference
        return replace(witness, rhs=witness.lhs)
    return None


def _drawn(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Iterator[Enclosed]:
    """Sampled points where the assumptions hold, each with the enclosures of both sides."""
    symbols = set[Symbol]().union(*(e.free_symbols for e in (lhs, rhs, *assume)))
    drawn = islice(points(symbols, seed), LARGEST_DRAW if symbols else 1)
    return islice(enclosed(lhs, rhs, assume, drawn, DIGITS[0]), POINTS_TO_REFUTE)
