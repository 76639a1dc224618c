"""Seeded rational points in the domain of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from sympy import Rational, Symbol

Point = dict[Symbol, Rational]
DENOMINATOR = 60


def draw(symbols: Iterable[Symbol], generator: Random) -> Point:
    """One point: magnitudes log-uniform in [1/8, 8] as fractions, both signs where a symbol may be negative."""
    point: Point = {}
    for symbol in symbols:
        magnitude = 8 ** generator.uniform(-1, 1)
        value = Rational(max(1, round(DENOMINATOR * magnitude)), DENOMINATOR)
        negative_allowed = not (symbol.is_positive or symbol.is_nonnegative)
        point[symbol] = -value if negative_allowed and generator.random() < 1 / 2 else value
    return point


def points(symbols: Iterable[Symbol], seed: int) -> Iterator[Point]:
    """An endless stream of points; the same seed gives the same stream."""
    ordered = sorted(set(symbols), key=lambda symbol: symbol.name)
    generator = Random(seed)
    while True:
        yield draw(ordered, generator)
