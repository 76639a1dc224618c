"""Seeded rational points in the domain of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from sympy import Rational, Symbol

Point = dict[Symbol, Rational]
DENOMINATOR = 60


def draw(symbols: Iterable[Symbol], generator: Random) -> Point:
    """One point: magnitudes log-uniform in [1/8, 8] as fractions, each sign that the symbol may have."""
    point: Point = {}
    for symbol in symbols:
        magnitude = 8 ** generator.uniform(-1, 1)
        value = Rational(max(1, round(DENOMINATOR * magnitude)), DENOMINATOR)
        point[symbol] = generator.choice(_possible_signs(symbol)) * value
    return point


def _possible_signs(symbol: Symbol) -> list[int]:
    """What the symbol's assumptions leave open; 0 where it is neither positive nor negative."""
    excluded = {1: symbol.is_extended_positive is False, -1: symbol.is_extended_negative is False}
    return [sign for sign in (1, -1) if not excluded[sign]] or [0]


def points(symbols: Iterable[Symbol], seed: int) -> Iterator[Point]:
    """An endless stream of points; the same seed gives the same stream."""
    ordered = sorted(set(symbols), key=lambda symbol: symbol.name)
    generator = Random(seed)
    while True:
        yield draw(ordered, generator)
