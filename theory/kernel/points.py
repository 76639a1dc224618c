"""Points at which a claim is checked, and points that refute it; no code is shared with the normal
form.

An equality is checked in multiprecision arithmetic, a bound by enclosures, a limit at a sequence of
points that approaches it. A counterexample is a point at which enclosures show that a claim fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

from mpmath import inf, mpf, nstr
from sympy import Expr, Integer, Rational, Symbol, oo

from .answer import BOUNDS, DIGITS, STRICT, Answer, Decision, Witness, witness_at
from .evaluate import Enclosed, PointEvaluator, Undefined, certainly_nonzero, enclosed
from .sample import Point, far_points, not_real
from .sample import points as sampled_points

INFINITE = (oo, -oo)
LARGEST_DRAW = 5_000
#: The points drawn and used to refute a claim, and those of them that get more digits.
DRAWN_TO_REFUTE, POINTS_TO_REFUTE, POINTS_AT_HIGH_PRECISION = 600, 64, 2
#: The powers of ten that the variable of a limit takes, and further ones while the distance is large.
STEPS, FARTHER, SMALL = (15, 30, 60, 120), (10**4, 10**6, 5 * 10**7), 10**3
#: The digits of a distance beyond rounding, the digits that may cancel for each power of ten, and the
#: share (its reciprocal) by which a distance must shrink in a step.
ROUNDING, CANCELLED, SHARE = 100, 5, 10**6
DIGITS_OF_LIMITS = ROUNDING + CANCELLED * STEPS[-1]


@dataclass(frozen=True)
class PointCheck:
    """Whether the relation held at every point, how many points were used, and the first failure."""

    passed: bool
    points: int
    detail: str
    witness: tuple[tuple[Symbol, Rational], ...] = ()


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

    * The sides of an equality are evaluated with four times `digits` digits and must agree to twice
      `digits`: neither cancellation nor two different small numbers can mislead.
    * A bound fails if an enclosure excludes it, at the points, where all letters are 1, or far from 1.
      At one point at least an enclosure must confirm it strictly; a weak bound also passes if the sides
      agree at all points to all but the last 10 of `digits` digits.
    * An asymptotic equality lhs ~ rhs or a limit lhs -> rhs is followed on the way to the limit.
    """
    symbols = _symbols(lhs, rhs, *assume)
    if complaint := not_real(symbols):
        return PointCheck(False, 0, complaint)
    drawn = islice(sampled_points(symbols, seed), LARGEST_DRAW if symbols else 1)
    wanted = points if symbols else 1
    if relation in BOUNDS:
        far = far_points(symbols, seed)
        return _check_bound(lhs, relation, rhs, assume, drawn, wanted, digits, far)
    if relation == "==":
        failure = _difference(lhs, rhs, digits)
    elif limit is None:
        raise ValueError("limit=None: an asymptotic statement needs its variable and its limit")
    else:
        failure = Way(lhs, relation, rhs, *limit).failure
    evaluator, held = PointEvaluator(digits), 0
    for point in drawn:
        with suppress(Undefined):
            if any(evaluator.evaluate(a, point) <= 0 for a in assume):
                continue
            failed = failure(point)
            held += 1
            if failed:
                return PointCheck(False, held, failed, _ordered(point))
        if held == wanted:
            return PointCheck(True, held, f"holds at {held} points with {digits} digits")
    return PointCheck(False, held, f"only {held} of {points} points lie in the domain")


def _symbols(*expressions: Expr) -> set[Symbol]:
    return set[Symbol]().union(*(e.free_symbols for e in expressions))


def _difference(lhs: Expr, rhs: Expr, digits: int) -> Callable[[Point], str]:
    """A function of a point that describes how the two sides differ there; empty if they agree."""
    evaluator = PointEvaluator(4 * digits)
    tolerance = evaluator.context.mpf(10) ** (-2 * digits)

    def difference(point: Point) -> str:
        left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
        if abs(left - right) <= tolerance * max(1, abs(left), abs(right)):
            return ""
        return f"lhs = {nstr(left, 20)} == rhs = {nstr(right, 20)} fails"

    return difference


def _ordered(point: Point) -> tuple[tuple[Symbol, Rational], ...]:
    return tuple(sorted(point.items(), key=lambda item: item[0].name))


# -- limits ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """Both sides of a limit on the way to it; no code is shared with the search for the limit."""

    lhs: Expr
    relation: str
    rhs: Expr
    x: Symbol
    limit: str

    @cached_property
    def evaluators(self) -> dict[int, PointEvaluator]:
        """The evaluator of each step: farther on more digits cancel."""
        return {
            step: PointEvaluator(ROUNDING + CANCELLED * step) for step in STEPS
        } | dict.fromkeys(FARTHER, PointEvaluator(DIGITS_OF_LIMITS))

    def at(self, step: int, point: Point) -> Point:
        """The point with the variable at 10 to the step, or to minus the step for the limit 0."""
        ten = self.evaluators[step].context.mpf(10)
        return {**point, self.x: ten ** (step if self.limit == "oo" else -step)}

    def are_positive(self, assume: Sequence[Expr], point: Point) -> bool:
        """Whether all assumptions hold at the last two steps."""
        try:
            return all(
                self.evaluators[step].evaluate(a, self.at(step, point)) > 0
                for step in STEPS[-2:]
                for a in assume
            )
        except Undefined:
            return False

    def values(self, point: Point, steps: Iterable[int]) -> Iterator[tuple[int, Any, Any]]:
        """The steps at which both sides have values, with these values; an infinite side counts as 0."""
        rhs = Integer(0) if self.rhs in INFINITE else self.rhs
        for step in steps:
            with suppress(Undefined):
                place, evaluator = self.at(step, point), self.evaluators[step]
                left, right = (evaluator.evaluate(side, place) for side in (self.lhs, rhs))
                if self.relation == "->" or right:
                    yield step, left, right

    def failure(self, point: Point) -> str:
        """The distances, as a message, if they do not keep shrinking; empty if they do."""
        distances = self._distances(point, STEPS)
        for step in FARTHER:
            if not self._shrink(distances) or distances[-1] * SMALL <= 1:
                break
            distances += self._distances(point, [step])
        if self._shrink(distances):
            return ""
        if len(distances) < 2:
            return "the sides have no values there"
        shown = ", ".join(nstr(distance, 5) for distance in distances)
        return f"the distances {shown} towards {self.x} -> {self.limit}"

    def _shrink(self, distances: Sequence[Any]) -> bool:
        """Whether the last distance is smaller than the one before, or no more than rounding."""
        if len(distances) < 2:
            return False
        before, last = distances[-2:]
        return bool(last <= mpf(10) ** -ROUNDING or last * SHARE < before * (SHARE - 1))

    def _distances(self, point: Point, steps: Iterable[int]) -> list[Any]:
        return [self._distance(left, right) for _, left, right in self.values(point, steps)]

    def _distance(self, left: Any, right: Any) -> Any:
        if self.rhs in INFINITE:
            toward = left if self.rhs == oo else -left
            return 1 / toward if toward > 0 else inf
        return abs(left / right - 1) if self.relation == "~" else abs(left - right)


# -- bounds ------------------------------------------------------------------------------------------


def _check_bound(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    assume: Sequence[Expr],
    drawn: Iterable[Point],
    wanted: int,
    digits: int,
    far: Iterable[Point],
) -> PointCheck:
    """See `check_at_points`."""
    found = list(islice(enclosed(lhs, rhs, assume, drawn, digits), wanted))
    for place in chain(found, enclosed(lhs, rhs, assume, far, digits)):
        if place.fails(relation):
            witness = witness_at(*place, digits)
            failed = f"lhs = {witness.lhs} {relation} rhs = {witness.rhs} fails"
            return PointCheck(False, len(found), failed, witness.point)
    if len(found) < wanted:
        return PointCheck(
            False, len(found), f"only {len(found)} of {wanted} points lie in the domain"
        )
    gaps = [p.difference if relation[0] == ">" else -p.difference for p in found]
    if confirmed := sum(bool(gap.a > 0) for gap in gaps):
        detail = f"{confirmed} of {len(found)} enclosures confirm the bound strictly"
        return PointCheck(True, len(found), detail)
    least = mpf(10) ** (10 - digits)
    equal = all(
        abs(gap).b <= least * max(abs(left).b, abs(right).b)
        for gap, (_, left, right) in zip(gaps, found, strict=True)
    )
    if equal and relation not in STRICT:
        return PointCheck(True, len(found), f"equality at {len(found)} points with {digits} digits")
    detail = f"no enclosure at {len(found)} points confirms the bound strictly"
    return PointCheck(False, len(found), detail, _ordered(found[0][0]) if equal else ())


# -- counterexamples ---------------------------------------------------------------------------------


def counterexample(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    """The refutation of `lhs == rhs`, `>=` or `<=`, None if no point refutes it.

    It looks at sampled points, with more digits where the sides are close; for a bound also where all
    letters are 1, and far from 1.
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
        far = far_points(_symbols(lhs, rhs, *assume), seed)
        for place in enclosed(lhs, rhs, assume, far, DIGITS[0]):
            yield place, DIGITS[0]


def any_point(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Witness | None:
    """A point at which two equal sides are defined."""
    for point, value, _ in _drawn(lhs, rhs, assume, seed):
        witness = witness_at(point, value, -abs(value) - 1)  # ten digits: there is no difference
        return replace(witness, rhs=witness.lhs)
    return None


def _drawn(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Iterator[Enclosed]:
    """Sampled points where the assumptions hold, each with the enclosures of both sides."""
    symbols = _symbols(lhs, rhs, *assume)
    drawn = islice(sampled_points(symbols, seed), DRAWN_TO_REFUTE if symbols else 1)
    return islice(enclosed(lhs, rhs, assume, drawn, DIGITS[0]), POINTS_TO_REFUTE)
