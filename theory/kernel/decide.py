"""The decision of an equality: proved, refuted with a witness, or undecided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from sympy import Expr, Symbol, sympify

from .answer import Answer, Condition, Decision, undecided
from .arithmetic import OutsideScope
from .boundary import with_boundary
from .convert import normal_forms
from .evaluate import IntervalEvaluator, Undefined, certainly_nonzero
from .points import counterexample
from .sample import Point, points

POINTS_TO_PROVE = 8
LARGEST_DRAW = 1_000


class Contradiction(AssertionError):
    """The exact path and the interval path disagree: a defect of this package."""


def decide(
    lhs: Expr,
    rhs: Expr = 0,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs == rhs` for all real values of the symbols where the side conditions hold.

    Parameters
    ----------
    lhs, rhs : sympy.Expr
        Expressions in symbols declared real (positive as a rule), rational functions, powers, exp
        and log.
    assume : sequence of sympy.Expr
        Expressions that are positive by assumption, e.g. `[r - 1]`.
    assume_nonnegative : sequence of sympy.Expr
        Expressions that are positive or zero by assumption; the claim is decided in both cases.
        Symbols declared nonnegative need not be listed.
    seed : int
        Seed of the sampled points.

    Returns
    -------
    Decision
        *proved*: the difference has normal form zero, and at least 8 sampled points satisfy every
        side condition; *refuted*: at the witness an interval enclosure of the difference excludes
        zero; *undecided*: anything else, with the reason.
    """
    sides, strict, weak = (
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    )
    _refuse_namesakes(set().union(*(e.free_symbols for e in (*sides, *strict, *weak))))
    return with_boundary(
        lambda sides, assume: _decide(sides[0], sides[1], assume, seed), sides, strict, weak
    )


def _decide(left: Expr, right: Expr, assumptions: tuple[Expr, ...], seed: int) -> Decision:
    symbols = left.free_symbols.union(right.free_symbols, *(a.free_symbols for a in assumptions))
    if any(symbol.is_real is False for symbol in symbols):
        return undecided("a symbol is declared not to be real")
    exact = _exact(left, right, assumptions)
    assumed = tuple(Condition(a, ">") for a in assumptions)
    if isinstance(exact, tuple):
        conditions = _unique([*assumed, *exact])
        found = points_where(conditions, symbols, seed, POINTS_TO_PROVE)
        if len(found) < POINTS_TO_PROVE:
            reason = few_points("equal on the side conditions", len(found))
            refutation = counterexample(left, "==", right, assumptions, seed)
            return refutation or undecided(reason, conditions)
        _cross_check(left, right, found)
        return Decision(Answer.PROVED, "both sides have the same normal form", conditions)
    return counterexample(left, "==", right, assumptions, seed) or undecided(exact)


def is_zero(expression: Expr, *, assume: Sequence[Expr] = ()) -> bool:
    """Whether `expression == 0` is proved."""
    return decide(expression, assume=assume).proved


def _refuse_namesakes(symbols: Iterable[Symbol]) -> None:
    by_name: dict[str, Symbol] = {}
    for symbol in symbols:
        if by_name.setdefault(symbol.name, symbol) != symbol:
            raise ValueError(
                f"symbol {symbol.name}: occurs twice with different assumptions; declare it once, "
                "and positive if it is a symbol of the theory"
            )


def _exact(left: Expr, right: Expr, assumptions: tuple[Expr, ...]) -> tuple[Condition, ...] | str:
    """The side conditions if the normal form of the difference is zero, else the reason why the
    normal form does not decide.
    """
    try:
        arithmetic, (lhs, rhs) = normal_forms((left, right), assumptions)
        if not arithmetic.is_zero(arithmetic.add(lhs, arithmetic.negate(rhs))):
            return "the normal forms differ, but no sampled point separates the two sides"
    except OutsideScope as error:
        return str(error)
    return tuple(
        [Condition(e, ">") for e in arithmetic.positive]
        + [Condition(e, "!=") for e in arithmetic.nonzero]
    )


def _unique(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    kept = dict.fromkeys(conditions)
    positive = {condition.expression for condition in kept if condition.relation == ">"}
    return tuple(c for c in kept if c.relation == ">" or c.expression not in positive)


def points_where(
    conditions: Sequence[Condition], symbols: Iterable[Symbol], seed: int, wanted: int
) -> list[Point]:
    """Up to `wanted` points at which interval arithmetic confirms every condition."""
    evaluator = IntervalEvaluator()
    found: list[Point] = []
    if not conditions:
        return list(islice(points(symbols, seed), wanted))
    for point in islice(points(symbols, seed), LARGEST_DRAW):
        try:
            if all(condition.holds(evaluator, point) for condition in conditions):
                found.append(point)
        except Undefined:
            continue
        if len(found) == wanted:
            break
    return found


def _cross_check(left: Expr, right: Expr, found: Sequence[Point]) -> None:
    """Raise Contradiction if an enclosure excludes zero although the normal forms are equal."""
    evaluator = IntervalEvaluator()
    for point in found[:2]:
        try:
            difference = evaluator.evaluate(left, point) - evaluator.evaluate(right, point)
        except Undefined:
            continue
        if certainly_nonzero(difference):
            raise Contradiction(f"{left} and {right} have one normal form but differ at {point}")


def few_points(claim: str, number: int) -> str:
    """The reason why a claim that holds on its conditions is not called proved."""
    if not number:
        return f"{claim}, but no point is found at which these hold: they may contradict each other"
    return f"{claim}, but only {number} sampled points satisfy them"
