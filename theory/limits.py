"""Limits of sums of power-law terms in one variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from sympy import Expr, Integer, Pow, Rational, Symbol, oo

from isoflop.theory.argument import ByLeadingTerm
from isoflop.theory.claim import Claim
from isoflop.theory.normalform.arithmetic import Arithmetic, OutsideScope
from isoflop.theory.normalform.convert import normal_form
from isoflop.theory.normalform.decide import Answer, Decision, Witness, witness_at
from isoflop.theory.normalform.field import CoefficientField
from isoflop.theory.normalform.interval import IntervalEvaluator, Undefined
from isoflop.theory.normalform.sample import Point, points

POINTS_TO_REFUTE = 8
LARGEST_DRAW = 200
STEPS = (50, 100, 200, 400)  # powers of ten on the way to the limit
DIGITS = (60, 500, 2_500)
#: Between the last steps the logarithm of the variable doubles. What shrinks by less than this neither vanishes as a power of the
#: variable, nor as one of its logarithm with an exponent above 1/30.
SHRINKING = Rational(49, 50)


def decide_limit(
    lhs: Expr, relation: str, rhs: Expr, variable: Symbol, limit: str, *, assume: Sequence[Expr] = (), seed: int = 0
) -> Decision:
    """Decide `lhs ~ rhs` (the ratio tends to 1) or `lhs -> rhs` (the difference tends to 0) as the variable tends to 0+ or oo.

    Functions built of powers, exponentials and logarithms are monotone near the limit, so that a remainder which does not vanish
    settles at some other value or grows.

    Returns
    -------
    Decision
        *proved* where every term of the remainder is a power of the variable that vanishes (for `lhs -> oo`: where every term is
        positive and one grows); *refuted* where enclosures of the remainder at 10^50, ..., 10^400 (or their inverses) do not
        shrink, with the last of these points as the witness; *undecided* otherwise.
    """
    if relation == "~" and rhs == 0:
        return Decision(Answer.UNDECIDED, "a ratio to zero has no limit")
    if rhs == oo:
        exact = _grows(lhs, variable, limit, assume)
    else:
        exact = Claim("limit", lhs, relation, rhs, "", ByLeadingTerm(variable, limit), tuple(assume)).prove()
    if exact.proved:
        return exact
    return _refuted(_Approach(lhs, relation, rhs, variable, limit), assume, seed) or exact


def _grows(lhs: Expr, variable: Symbol, limit: str, assume: Sequence[Expr]) -> Decision:
    """Whether all terms are positive and the order of one is certainly that of growth."""
    arithmetic = Arithmetic(CoefficientField(lhs.free_symbols.union({variable}, *(a.free_symbols for a in assume))))
    growing = False
    try:
        for assumption in assume:
            arithmetic.assume_positive(normal_form(assumption, arithmetic))
        for key, value in arithmetic.canonical(normal_form(lhs, arithmetic)).items():
            if not arithmetic.is_nonnegative(key, value):
                raise OutsideScope(f"the sign of the term {arithmetic.to_sympy({key: value})} is not certain")
            term = arithmetic.to_sympy({key: value})
            order = (variable * term.diff(variable) / term).cancel()
            grows = not order.has(variable) and (-order if limit == "0" else order).is_positive
            growing = growing or bool(grows and arithmetic.sign_of_term(key, value) == 1)
    except OutsideScope as error:
        return Decision(Answer.UNDECIDED, str(error))
    if growing and not (arithmetic.positive or arithmetic.nonzero):
        return Decision(Answer.PROVED, "no term is negative and one grows without bound")
    return Decision(Answer.UNDECIDED, "no term is certain to grow without bound")


@dataclass(frozen=True)
class _Approach:
    """The two sides on the way to the limit."""

    lhs: Expr
    relation: str
    rhs: Expr
    variable: Symbol
    limit: str

    def at(self, point: Point, step: int) -> Point:
        return {**point, self.variable: Rational(10) ** (-step if self.limit == "0" else step)}

    def remainder(self, point: Mapping[Symbol, Rational]) -> tuple[Any, Any, Any]:
        """The size of what must vanish (for oo, of what must grow, inverted), and the two sides, enclosed tightly."""
        for digits in DIGITS:
            evaluator = IntervalEvaluator(digits)
            left = evaluator.evaluate(self.lhs, point)
            if self.rhs == oo:
                if left.b <= 0:
                    return evaluator.context.mpf(1), left, None
                right, size = None, 1 / left if left.a > 0 else None
            else:
                right = evaluator.evaluate(self.rhs, point)
                if self.relation == "~" and right.a <= 0 <= right.b:
                    continue
                size = abs(left / right - 1 if self.relation == "~" else left - right)
            if size is not None and size.a > 0 and size.delta * 10_000 < size.a:
                return size, left, right
        raise Undefined("the remainder is not certainly different from zero")

    def witness(self, point: Point, left: Any, right: Any) -> Witness:
        shown = {**point, self.variable: Pow(Integer(10), -STEPS[-1] if self.limit == "0" else STEPS[-1], evaluate=False)}
        if right is None:
            bare = witness_at(shown, left, left)
            return Witness(bare.point, bare.lhs, str(oo), bare.digits)
        return witness_at(shown, left, right)


def _refuted(approach: _Approach, assume: Sequence[Expr], seed: int) -> Decision | None:
    for point in islice(_points(approach, assume, seed), POINTS_TO_REFUTE):
        try:
            remainders = [approach.remainder(approach.at(point, step)) for step in STEPS]
        except Undefined:
            continue
        if all(after[0].a * SHRINKING.q > before[0].b * SHRINKING.p for before, after in pairwise(remainders)):
            _, left, right = remainders[-1]
            reason = f"the two sides do not approach each other as {approach.variable} -> {approach.limit}"
            return Decision(Answer.REFUTED, reason, witness=approach.witness(point, left, right))
    return None


def _points(approach: _Approach, assume: Sequence[Expr], seed: int) -> Iterator[Point]:
    """Points where the assumptions hold all the way."""
    evaluator = IntervalEvaluator()
    symbols = {approach.variable} | approach.lhs.free_symbols.union(approach.rhs.free_symbols, *(a.free_symbols for a in assume))
    for point in islice(points(symbols, seed), LARGEST_DRAW):
        try:
            if all(evaluator.evaluate(a, approach.at(point, step)).a > 0 for a in assume for step in STEPS):
                yield point
        except Undefined:
            continue
