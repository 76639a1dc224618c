"""Limits of sums of power-law terms in one variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from sympy import Expr, Integer, Pow, Rational, Symbol, exp, log, oo, sympify

from ..algebra.answer import Answer, Condition, Decision, Witness
from ..algebra.arithmetic import Arithmetic, Key, NormalForm, OutsideScope, log_key
from ..algebra.boundary import with_boundary
from ..algebra.convert import arithmetic_for, normal_form
from ..algebra.decide import POINTS_TO_PROVE, witness_at
from ..algebra.field import Fraction
from ..algebra.interval import IntervalEvaluator, Undefined
from ..algebra.sample import Point, points
from .argument import ByLeadingTerm, certainly_positive
from .claim import Claim

POINTS_TO_REFUTE = 8
LARGEST_DRAW = 200
STEPS = (50, 100, 200, 400)  # powers of ten on the way to the limit
DIGITS = (60, 500, 2_500)
#: Between the last steps the logarithm of the variable doubles. What shrinks by less than this
#: neither vanishes as a power of the variable, nor as one of its logarithm with an exponent above
#: 1/30.
SHRINKING = Rational(49, 50)
FARTHEST, LARGEST_ROOT = 10**40, 100


def decide_limit(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    variable: Symbol,
    limit: str,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs ~ rhs` (the ratio tends to 1) or `lhs -> rhs` (the difference tends to 0) as the
    variable tends to 0+ or oo.

    Functions built of powers, exponentials and logarithms are monotone near the limit, so that a
    remainder which does not vanish settles at some other value or grows. What is assumed of the
    variable has to hold all the way to the limit.

    Returns
    -------
    Decision
        *proved* where every term of the remainder is a power of the variable that vanishes (for
        `lhs -> oo`: where every term is positive and one grows); *refuted* where enclosures of the
        remainder at 10^50, ..., 10^400 (or their inverses) do not shrink, with the last of these
        points as the witness; *undecided* otherwise.
    """
    if relation == "~" and rhs == 0:
        return Decision(Answer.UNDECIDED, "a ratio to zero has no limit")
    if not variable.is_positive:
        return Decision(
            Answer.UNDECIDED, f"the variable {variable} of a limit must be declared positive"
        )
    sides, strict, weak = (
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    )
    # Zero all the way to the limit only where it is not certain to be positive.
    moving = tuple(e for e in weak if e.has(variable))
    fixed = tuple(e for e in weak if not e.has(variable))
    if relation == "~":
        sides += (
            Pow(sides[1], -1, evaluate=False),
        )  # without a value where the right side is zero

    def judged(sides: tuple[Expr, ...], assume: tuple[Expr, ...]) -> Decision:
        return _decide(_Approach(sides[0], relation, sides[1], variable, limit), assume, seed)

    return with_boundary(judged, sides, (*strict, *moving), fixed)


def _decide(approach: _Approach, assume: Sequence[Expr], seed: int) -> Decision:
    """Only assumptions that are certain to hold all the way to the limit are used in a proof."""
    variable, limit = approach.variable, approach.limit
    fixed = tuple(a for a in assume if not a.has(variable))
    signs = {a: _sign_in_the_limit(a, variable, limit, fixed) for a in assume if a.has(variable)}
    for a, sign in signs.items():
        if sign < 0:
            where = f"{variable} -> {limit}"
            return Decision(
                Answer.UNDECIDED,
                f"the assumption {a} > 0 does not hold all the way to the limit {where}",
            )
    exact = _exact(approach, (*fixed, *(a for a, sign in signs.items() if sign > 0)))
    if not exact.proved:
        return _refuted(approach, assume, seed) or exact
    found = (
        len(list(islice(_points(approach, assume, seed), POINTS_TO_PROVE)))
        if assume
        else POINTS_TO_PROVE
    )
    if found < POINTS_TO_PROVE:
        reason = f"only {found} sampled points satisfy the assumptions all the way to the limit"
        return Decision(Answer.UNDECIDED, reason)
    return replace(exact, conditions=tuple(Condition(a, ">") for a in fixed))


def _exact(approach: _Approach, assume: tuple[Expr, ...]) -> Decision:
    lhs, relation, rhs, variable, limit = (
        approach.lhs,
        approach.relation,
        approach.rhs,
        approach.variable,
        approach.limit,
    )
    arithmetic = arithmetic_for((lhs, variable, *([] if rhs == oo else [rhs])), assume)
    try:
        for side in (
            lhs,
            *([] if rhs == oo else [rhs]),
        ):  # the remainder may have lost a part without a value
            normal_form(side, arithmetic)
    except OutsideScope as error:
        return Decision(Answer.UNDECIDED, str(error))
    if arithmetic.positive or arithmetic.nonzero:
        return Decision(Answer.UNDECIDED, "the two sides need side conditions")
    if rhs == oo:
        return _grows(lhs, variable, limit, assume)
    return Claim("limit", lhs, relation, rhs, "", ByLeadingTerm(variable, limit), assume).prove()


def _grows(lhs: Expr, variable: Symbol, limit: str, assume: Sequence[Expr]) -> Decision:
    """Whether all terms are positive and the order of one is certainly that of growth."""
    growing = False
    try:
        arithmetic = arithmetic_for((lhs, variable), assume)
        for key, value in arithmetic.canonical(normal_form(lhs, arithmetic)).items():
            if not arithmetic.is_nonnegative(key, value):
                raise OutsideScope(
                    f"the sign of the term {arithmetic.to_sympy({key: value})} is not certain"
                )
            if arithmetic.sign_of_term(key, value) == 1:
                order = _leading(key, value, variable, limit, arithmetic)[0]
                growing = growing or certainly_positive(
                    -order if limit == "0" else order, tuple(assume)
                )
    except OutsideScope as error:
        return Decision(Answer.UNDECIDED, str(error))
    if growing and not (arithmetic.positive or arithmetic.nonzero):
        return Decision(Answer.PROVED, "no term is negative and one grows without bound")
    return Decision(Answer.UNDECIDED, "no term is certain to grow without bound")


def _sign_in_the_limit(e: Expr, variable: Symbol, limit: str, assume: tuple[Expr, ...]) -> int:
    """The sign of the expression all the way to the limit, that of its leading term; 0 where it is
    not certain.
    """
    try:
        arithmetic = arithmetic_for((e, variable), assume)
        terms = arithmetic.canonical(normal_form(e, arithmetic))
        leading = [
            _leading(key, value, variable, limit, arithmetic) for key, value in terms.items()
        ]
        if arithmetic.positive or arithmetic.nonzero:
            return 0
        for first, _ in leading:
            ahead = [
                (order - first if limit == "0" else first - order).cancel() for order, _ in leading
            ]
            if all(gap == 0 or certainly_positive(gap, assume) for gap in ahead):
                tied = [term for (_, term), gap in zip(leading, ahead, strict=True) if gap == 0]
                signs = {
                    arithmetic.sign_of_term(key, value)
                    for term in tied
                    for key, value in term.items()
                }
                return signs.pop() if len(signs) == 1 else 0
    except OutsideScope:
        return 0
    return 0


def _leading(
    key: Key, value: Fraction, variable: Symbol, limit: str, arithmetic: Arithmetic
) -> tuple[Expr, NormalForm]:
    """The exponent of the variable that one term of a normal form has in the limit, and its
    coefficient there.

    Raises
    ------
    OutsideScope
        Where the variable occurs other than as a power.
    """
    field = arithmetic.field
    column = field.symbols.index(variable)
    ((prime, _),) = field.factor(field.generator[variable])[1]
    powers = dict(key[0])
    exponent = powers.pop(log_key(prime), field.zero)
    rest: Key = (frozenset(powers.items()), key[1])
    if arithmetic.to_sympy({rest: field.one}).has(variable) or field.to_sympy(exponent).has(
        variable
    ):
        raise OutsideScope(
            f"the term {arithmetic.to_sympy({key: value})} is no power of {variable}"
        )
    coefficient, order = field.one, exponent
    for polynomial, sign in ((value.numer, 1), (value.denom, -1)):
        degree = (min if limit == "0" else max)(monomial[column] for monomial in polynomial)
        kept = {
            tuple(0 if i == column else n for i, n in enumerate(monomial)): c
            for monomial, c in polynomial.terms()
            if monomial[column] == degree
        }
        coefficient *= field.field(field.ring.from_dict(kept)) ** sign
        order += field.rational(sign * degree)
    return field.to_sympy(order), {rest: coefficient}


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
        """The size of what must vanish (for oo, of what must grow, inverted), and the two sides,
        enclosed tightly.
        """
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
        shown = {
            **point,
            self.variable: Pow(
                Integer(10), -STEPS[-1] if self.limit == "0" else STEPS[-1], evaluate=False
            ),
        }
        if right is None:
            bare = witness_at(shown, left, 0 * left)
            return Witness(bare.point, bare.lhs, str(oo), bare.digits)
        return witness_at(shown, left, right)


def _is_slow(approach: _Approach) -> bool:
    """Whether 10^400 may be too near to tell: with logarithms, exponentials, numbers beyond 10^40
    or roots beyond 1/100.
    """
    for side in (approach.lhs, approach.rhs):
        moving = [part for part in side.atoms(log, exp) if part.has(approach.variable)]
        numbers = side.atoms(Rational)
        if moving or any(max(abs(n.p), n.q) > FARTHEST for n in numbers):
            return True
        if any(n.q > LARGEST_ROOT for power in side.atoms(Pow) for n in power.exp.atoms(Rational)):
            return True
    return False


def _refuted(approach: _Approach, assume: Sequence[Expr], seed: int) -> Decision | None:
    if _is_slow(approach):
        return None
    for point in islice(_points(approach, assume, seed), POINTS_TO_REFUTE):
        try:
            remainders = [approach.remainder(approach.at(point, step)) for step in STEPS]
        except Undefined:
            continue
        if all(
            after[0].a * SHRINKING.q > before[0].b * SHRINKING.p
            for before, after in pairwise(remainders)
        ):
            _, left, right = remainders[-1]
            reason = f"the two sides do not approach each other as {approach.variable} -> {approach.limit}"
            return Decision(Answer.REFUTED, reason, witness=approach.witness(point, left, right))
    return None


def _points(approach: _Approach, assume: Sequence[Expr], seed: int) -> Iterator[Point]:
    """Points where the assumptions hold all the way."""
    evaluator = IntervalEvaluator()
    symbols = {approach.variable} | approach.lhs.free_symbols.union(
        approach.rhs.free_symbols, *(a.free_symbols for a in assume)
    )
    for point in islice(points(symbols, seed), LARGEST_DRAW):
        try:
            if all(
                evaluator.evaluate(a, approach.at(point, step)).a > 0
                for a in assume
                for step in STEPS
            ):
                yield point
        except Undefined:
            continue
