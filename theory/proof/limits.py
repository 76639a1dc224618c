"""Limits, by the leading terms of both sides, in every case of the signs that they hang on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import (
    Dummy,
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    exp,
    factor,
    log,
    oo,
    powsimp,
    sympify,
)

from ..algebra.answer import Answer, Condition, Decision, Witness, undecided
from ..algebra.arithmetic import OutsideScope
from ..algebra.boundary import Sides, root_of, with_boundary
from ..algebra.convert import arithmetic_for
from ..algebra.decide import POINTS_TO_PROVE, points_where, witness_at
from ..algebra.interval import IntervalEvaluator, Undefined, certainly_nonzero
from ..algebra.sample import Point
from .asymptotics import Asymptotics, Cancelled, LeadingTerms, Tendency, Undetermined, vanishes

#: How many terms of each series are kept; more where these cancel.
DEPTHS = (2, 4, 8, 12)
#: Signs that a limit may hang on, one within the case of another.
MOST_SPLITS = 5
POINTS_TO_REFUTE = 8
DIGITS = (50, 500, 2_500)
TEN_DIGITS = 10**12
#: Powers of ten at which the sides of a refuted limit are shown; the first where both have a value.
SHOWN = (400, 50, 3)
INFINITE = {oo: 1, -oo: -1}
#: The distance between a finite value and infinity.
APART = Tendency(None, 1)
#: Why a case proves everything and counts for nothing.
NOWHERE = "the assumptions do not hold all the way to the limit"


def decide_limit(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    variable: Symbol,
    limit: str,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    assume_nonzero: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs ~ rhs` (the ratio tends to 1) or `lhs -> rhs` (the difference tends to 0) as the
    variable tends to 0 or oo; to 0 from above, and from below too where it may be negative.

    Both sides are expanded in powers, exponentials and logarithms of the variable. Where the
    expansion hangs on the sign of an expression in the other symbols, each sign is a case of its
    own. What is assumed of the variable has to hold all the way to the limit.

    Returns
    -------
    Decision
        *proved* where the limit is the claimed one in every case; *refuted* where it is another one
        in some case, with a point of that case as the witness; *undecided* otherwise.
    """
    sides, strict, weak = (
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    )
    if relation == "~" and sides[1] == 0:
        return undecided("a ratio to zero has no limit")
    if variable.is_real is not True:
        return undecided(f"the variable {variable} of a limit must be declared real")
    question = _Question(relation, variable, limit, tuple(assume_nonzero), seed)
    return _decide(question, sides, strict, weak)


def _decide(question: _Question, sides: Sides, strict: Sides, weak: Sides) -> Decision:
    """The decision from above, and from below where the variable may be negative."""
    variable = question.variable
    if variable.is_positive:
        return _from_above(question, sides, strict, weak)
    positive = Symbol(variable.name, positive=True)
    from_below = question.limit == "0" and not variable.is_nonnegative
    decisions = []
    for sign, shown in ((1, question.shown), (-1, SHOWN[-1:]))[: 2 if from_below else 1]:
        near = replace(question, variable=positive, shown=shown)
        value = {variable: sign * positive}
        groups = [tuple(e.xreplace(value) for e in group) for group in (sides, strict, weak)]
        decision = _mapped(_from_above(near, *groups), {positive: sign * variable})
        decisions.append(decision)
        if not decision.proved:
            return decision
    return decisions[0]


def decide_order(
    lhs: Expr,
    rhs: Expr,
    size: Expr,
    limit: tuple[Symbol, str] | None = None,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs == rhs + O(size)`: whether (lhs - rhs)/size stays bounded towards the limit; by
    default, where the base of the size vanishes, for s^5 as s -> 0, for (log x)^3 as x -> 1.
    """
    base = size.as_base_exp()[0].as_coeff_Mul()[1]
    values: dict[Symbol, Expr] = {}
    if limit is None and base.is_Symbol:
        limit = base, "0"
    elif limit is None and isinstance(base, log):
        x, power = base.args[0].as_base_exp()
        if x.is_Symbol and power.is_Rational:
            moving = Symbol(f"log({x})", real=True)
            values, limit = {x: exp(moving)}, (moving, "0")
    if limit is None:
        return undecided(f"where O({size}) vanishes has to be said, as in x -> 0")
    groups = [
        tuple(e.xreplace(values) for e in group)
        for group in ((lhs, rhs, size), assume, assume_nonnegative)
    ]
    return _decide(_Question("O", *limit, (), seed, SHOWN[-1:]), *groups)


def _from_above(question: _Question, sides: Sides, strict: Sides, weak: Sides) -> Decision:
    # Zero all the way to the limit only where it is not certain to be positive.
    moving = tuple(e for e in weak if e.has(question.variable))
    fixed = tuple(e for e in weak if not e.has(question.variable))
    if question.relation == "~":  # without a value where the right side is zero
        sides += (Pow(sides[1], -1, evaluate=False),)

    def judge(sides: Sides, assume: Sides) -> Decision:
        decision = question.judge(sides, assume)
        if not decision.proved:
            return decision
        known = [Condition(a, ">") for a in assume if not a.has(question.variable)]
        symbols = _symbols((*sides, *assume)) - {question.variable}
        found = len(points_where(known, symbols, question.seed, POINTS_TO_PROVE))
        if decision.reason == NOWHERE:
            where = ", ".join(f"{a} > 0" for a in assume if a.has(question.variable))
            reason = f"{where} does not hold all the way to {question.variable} -> {question.limit}"
            return undecided(f"the assumption {reason}")
        if found < POINTS_TO_PROVE:
            return undecided(f"only {found} sampled points satisfy the assumptions")
        return decision

    return with_boundary(judge, sides, (*strict, *moving), fixed)


def _mapped(decision: Decision, values: Mapping[Symbol, Expr]) -> Decision:
    """The decision in another variable."""
    conditions = tuple(
        Condition(c.expression.xreplace(values), c.relation) for c in decision.conditions
    )
    witness = decision.witness
    if witness is not None:
        point = []
        for symbol, value in witness.point:
            other = values.get(symbol, symbol)
            bare = next(iter(other.free_symbols))
            point.append((bare, value if other == bare else -value))
        witness = replace(witness, point=tuple(point))
    return replace(decision, conditions=conditions, witness=witness)


@dataclass(frozen=True)
class _Question:
    """What is asked of two sides: `lhs ~ rhs`, `lhs -> rhs` or `lhs == rhs + O(size)`, for a
    positive variable.
    """

    relation: str
    variable: Symbol
    limit: str
    nonzero: Sides
    seed: int
    shown: tuple[int, ...] = SHOWN

    def judge(self, sides: Sides, assume: Sides, splits: int = 0) -> Decision:
        """The decision where the assumptions are positive; by cases where it hangs on a sign."""
        try:
            return self._decided(sides, assume)
        except Undetermined as question:
            e = question.expression
            if splits == MOST_SPLITS or self.variable in e.free_symbols or not _splits(e):
                return undecided(f"{question}, which is open")
        except (OutsideScope, Undefined) as error:
            return undecided(str(error))

        def within(sides: Sides, assume: Sides) -> Decision:
            return self.judge(sides, assume, splits + 1)

        apart = any(vanishes(e - other) or vanishes(e + other) for other in self.nonzero)
        above = within(sides, (*assume, e)) if apart else with_boundary(within, sides, assume, (e,))
        return above if not above.proved else _both(above, within(sides, (*assume, -e)), e)

    def _decided(self, sides: Sides, assume: Sides) -> Decision:
        fixed = tuple(a for a in assume if not a.has(self.variable))
        domain = _Domain.of(fixed)
        for depth in DEPTHS:
            arithmetic = arithmetic_for(
                [domain.inside(e) for e in (*sides, *assume) if e not in INFINITE], domain.assume
            )
            calculus = Asymptotics(self.variable, self.limit, arithmetic, depth)
            try:
                for a in assume:
                    if not a.has(self.variable):
                        continue
                    if calculus.eventual_sign(calculus.expand(domain.inside(a))) <= 0:
                        return Decision(Answer.PROVED, NOWHERE)
                outcome = self._outcome(calculus, sides, domain)
            except Cancelled:
                continue
            except Undetermined as question:
                raise Undetermined(_core(domain.outside(question.expression))) from None
            if arithmetic.positive:
                raise Undetermined(_core(domain.outside(arithmetic.positive[0])))
            if outcome is None:
                needed = [Condition(a, ">") for a in fixed]
                needed += [Condition(domain.outside(e), "!=") for e in arithmetic.nonzero]
                return Decision(Answer.PROVED, self._why(sides), tuple(dict.fromkeys(needed)))
            return self._refuted(sides, fixed, outcome, calculus, domain)
        return undecided(f"the leading terms cancel to {DEPTHS[-1]} orders, and further")

    def _why(self, sides: Sides) -> str:
        if sides[1] in INFINITE:
            return f"its leading term tends to {sides[1]}"
        if self.relation == "O":
            return f"the difference of the sides over {sides[2]} stays bounded"
        return "every term of the remainder vanishes in the limit"

    def _outcome(self, calculus: Asymptotics, sides: Sides, domain: _Domain) -> _Wrong | None:
        """None where the claim is true; else what is true instead."""
        left = calculus.expand(domain.inside(sides[0]))
        if sides[1] in INFINITE:
            tendency = calculus.tendency(left)
            return None if tendency.sign == INFINITE[sides[1]] else _Wrong(tendency, APART)
        right = calculus.expand(domain.inside(sides[1]))
        if self.relation == "O":
            size = calculus.expand(domain.inside(sides[2]))
            minus = calculus.arithmetic.negate(calculus.one)
            share = calculus.multiply(
                calculus.add(left, calculus.negate(right)), calculus.power(size, minus)
            )
            return None if calculus.is_bounded(share) else _Wrong(calculus.tendency(share), APART)
        if self.relation == "~":
            one = calculus.one
            ratio = calculus.multiply(left, calculus.power(right, calculus.arithmetic.negate(one)))
            tendency = calculus.tendency(ratio)
            distance = APART
            if tendency.value is not None:
                distance = calculus.tendency(
                    calculus.add(ratio, calculus.negate(calculus.constant(one)))
                )
            return None if distance.value == {} else _Wrong(tendency, distance)
        difference = calculus.add(left, calculus.negate(right))
        if difference.errors and not difference.terms:
            typed = domain.inside(sides[0]) - domain.inside(sides[1])
            difference = LeadingTerms({}) if vanishes(typed) else difference
        distance = calculus.tendency(difference)
        if distance.value == {}:
            return None
        own = distance if self.variable in sides[1].free_symbols else calculus.tendency(left)
        return _Wrong(own, distance)

    def _refuted(
        self, sides: Sides, fixed: Sides, wrong: _Wrong, calculus: Asymptotics, domain: _Domain
    ) -> Decision:
        """Refuted at a point of the other symbols, where the true limit and the claimed one are
        certainly apart.
        """
        what = (
            "the ratio of the sides"
            if self.relation == "~"
            else f"the difference of the sides over {sides[2]}"
            if self.relation == "O"
            else "the difference of the sides"
            if self.variable in sides[1].free_symbols
            else "the left side"
        )
        evaluator = IntervalEvaluator(DIGITS[0])
        symbols = _symbols((*sides, *fixed)) - {self.variable}
        conditions = [Condition(a, ">") for a in fixed]
        for point in points_where(conditions, symbols, self.seed, POINTS_TO_REFUTE):
            try:
                distance = wrong.distance.value
                if distance is not None:
                    gap = domain.outside(calculus.arithmetic.to_sympy(distance))
                    if not certainly_nonzero(evaluator.evaluate(gap, point)):
                        continue
            except Undefined:
                continue
            tends = self._shown(wrong.tendency, calculus, domain)
            where = f"as {self.variable} -> {self.limit}"
            reason = f"the two sides do not approach each other {where}: {what} tends to {tends}"
            if self.relation == "O":
                reason = f"{what} is not bounded {where}: it tends to {tends}"
            return Decision(Answer.REFUTED, reason, witness=self._witness(sides, point))
        return undecided(
            "the true limit is another expression, and no sampled point separates the two"
        )

    def _shown(self, tendency: Tendency, calculus: Asymptotics, domain: _Domain) -> str:
        if tendency.value is None:
            return "oo" if tendency.sign > 0 else "-oo"
        return str(powsimp(domain.outside(calculus.arithmetic.to_sympy(tendency.value))))

    def _witness(self, sides: Sides, point: Point) -> Witness:
        """Both sides near the limit at a point of the other symbols."""
        for step in self.shown:
            exponent = Integer(-step if self.limit == "0" else step)
            at = {**point, self.variable: Rational(10) ** exponent}
            shown = {**point, self.variable: Pow(Integer(10), exponent, evaluate=False)}
            try:
                left = _enclosed(sides[0], at)
                right = 0 * left if sides[1] in INFINITE else _enclosed(sides[1], at)
            except Undefined:
                continue
            witness = witness_at(shown, left, right, DIGITS[0])
            return replace(witness, rhs=str(sides[1])) if sides[1] in INFINITE else witness
        ordered = tuple(sorted(point.items(), key=lambda item: item[0].name))
        return Witness(ordered, "beyond every number that is evaluated", str(sides[1]), DIGITS[0])


def _enclosed(e: Expr, point: Point) -> Any:
    """The value to at least ten digits."""
    for digits in DIGITS:
        value = IntervalEvaluator(digits).evaluate(e, point)
        if value.delta * TEN_DIGITS <= max(abs(value.a), abs(value.b)):
            return value
    raise Undefined("too much cancels")


@dataclass(frozen=True)
class _Wrong:
    """What is true where a claim is false: where the left side (or the ratio, or the difference)
    tends, and where its distance to the claim does.
    """

    tendency: Tendency
    distance: Tendency


# -- cases -----------------------------------------------------------------------------------------


def _splits(e: Expr) -> bool:
    """Whether e > 0, e < 0 and e == 0 are cases that can be put in."""
    return root_of(e) is not None


def _core(e: Expr) -> Expr:
    """What the sign hangs on: a factor of open sign, the others being positive or negative; log u
    has the sign of u - 1.
    """
    product = factor(e) if e.is_rational_function() else e
    bases = [part.as_base_exp()[0] for part in Mul.make_args(product)]
    open_base = next((base for base in bases if not (base.is_positive or base.is_negative)), e)
    return _core(open_base.args[0] - 1) if isinstance(open_base, log) else open_base


def _both(above: Decision, below: Decision, e: Expr) -> Decision:
    """The proof for all signs of e from those for e >= 0 and e < 0."""
    if not below.proved:
        return below
    if NOWHERE in (above.reason, below.reason):
        return below if above.reason == NOWHERE else above
    halves = {Condition(e, ">="), Condition(e, ">"), Condition(-e, ">")}
    conditions = [c for c in (*above.conditions, *below.conditions) if c not in halves]
    if Condition(e, ">") in above.conditions:  # no value where e is zero
        conditions.append(Condition(e, "!="))
    return replace(above, conditions=tuple(dict.fromkeys(conditions)))


@dataclass(frozen=True)
class _Domain:
    """The other symbols as functions of positive ones that run over the whole domain.

    Where a > b is assumed, a is b plus a positive symbol; what cannot be solved for a symbol stays
    an assumption.
    """

    values: tuple[tuple[Symbol, Expr], ...]
    meanings: tuple[tuple[Symbol, Expr], ...]
    assume: Sides

    @classmethod
    def of(cls, assume: Iterable[Expr]) -> _Domain:
        domain = cls((), (), ())
        for e in assume:
            inside = domain.inside(e)
            solved = _solved(inside)
            if solved is None:
                domain = replace(domain, assume=(*domain.assume, inside))
                continue
            symbol, value, free, meaning = solved
            domain = cls(
                (*domain.values, (symbol, value)),
                (*domain.meanings, (free, meaning)),
                tuple(a.xreplace({symbol: value}) for a in domain.assume),
            )
        return domain

    def inside(self, e: Expr) -> Expr:
        for symbol, value in self.values:
            e = e.xreplace({symbol: value})
        return e

    def outside(self, e: Expr) -> Expr:
        """In the symbols of the claim."""
        for symbol, meaning in reversed(self.meanings):
            e = e.xreplace({symbol: meaning})
        return e


def _solved(e: Expr) -> tuple[Symbol, Expr, Symbol, Expr] | None:
    """`(x, value, t, meaning)`: e > 0 exactly where x is the value, which holds a positive t; and
    what t means.
    """
    e = e.expand()
    free = Dummy("t", positive=True)
    for rises in (True, False):
        for x in sorted(e.free_symbols, key=lambda x: x.name):
            constant, dependent = e.as_independent(x, as_Add=True)
            slope = dependent / x
            if x in slope.free_symbols:
                continue
            if rises and slope.is_positive and (constant.is_nonpositive or not x.is_positive):
                return x, (free - constant) / slope, free, e
            if not rises and slope.is_negative and constant.is_positive and x.is_positive:
                return x, -constant / slope / (1 + free), free, -constant / slope / x - 1
    return None


def _symbols(expressions: Iterable[Expr]) -> set[Symbol]:
    return set().union(*(e.free_symbols for e in expressions))
