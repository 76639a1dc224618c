"""Seeded rational points in the domain of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random

from sympy import Integer, Rational, Symbol

Point = dict[Symbol, Rational]
DENOMINATOR = 60
DRAWS_BEFORE_WIDENING = 100
WIDEST = 8
FAR, FAR_POINTS = (2, 4, 8), 64
ZERO_ONE_IN = 4  # of a nonnegative symbol


def draw(symbols: Iterable[Symbol], generator: Random, width: int = 1) -> Point:
    """One point: magnitudes log-uniform in [8^-width, 8^width] as fractions, with a sign that the
    symbol may have.

    A symbol declared nonnegative is sometimes 0.
    """
    point: Point = {}
    for symbol in symbols:
        if (
            symbol.is_nonnegative
            and not symbol.is_positive
            and generator.randrange(ZERO_ONE_IN) == 0
        ):
            point[symbol] = Integer(0)
            continue
        logarithm = width * generator.uniform(-1, 1)
        value = Rational(round(DENOMINATOR * 8 ** abs(logarithm)), DENOMINATOR)
        size = value if logarithm > 0 else 1 / value
        point[symbol] = generator.choice(_possible_signs(symbol)) * size
    return point


def _possible_signs(symbol: Symbol) -> list[int]:
    """The signs that the symbol's assumptions allow; 0 if it is neither positive nor negative."""
    excluded = {1: symbol.is_extended_positive is False, -1: symbol.is_extended_negative is False}
    return [sign for sign in (1, -1) if not excluded[sign]] or [0]


def points(symbols: Iterable[Symbol], seed: int) -> Iterator[Point]:
    """An endless stream of points, the same for the same seed; its range widens, to reach domains
    far from 1.
    """
    ordered = sorted(set(symbols), key=lambda symbol: symbol.name)
    generator = Random(seed)
    for index in count():
        yield draw(ordered, generator, min(2 ** (index // DRAWS_BEFORE_WIDENING), WIDEST))


def far_points(symbols: Iterable[Symbol], seed: int) -> Iterator[Point]:
    """The point where all are 1, at which many bounds are tight, and points over many magnitudes, for
    claims that fail only far from 1: within 8^2, 8^4 and 8^8 in turn.
    """
    ordered = sorted(set(symbols), key=lambda symbol: symbol.name)
    generator = Random(f"far {seed}")
    yield {x: Integer(_possible_signs(x)[0]) for x in ordered}
    for index in range(FAR_POINTS if ordered else 0):
        yield draw(ordered, generator, FAR[index % len(FAR)])


def not_real(symbols: Iterable[Symbol]) -> str:
    """A complaint about a symbol that is not declared real; empty if all are."""
    other = min((symbol.name for symbol in symbols if symbol.is_real is not True), default=None)
    return (
        ""
        if other is None
        else f"{other} is not declared real or positive, and claims are about real numbers only"
    )
