"""Values of expressions at a point: as multiprecision numbers, or enclosed by intervals.

An expression is compiled to steps once; a step that several expressions share is evaluated once at
each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from operator import add, mul
from typing import Any, NamedTuple

import mpmath
from mpmath.ctx_iv import MPIntervalContext
from sympy import Abs, Expr, Rational, Symbol, cosh, exp, log, sinh, tanh

from .deadline import check

#: The largest argument of exp: the bits of its integer part cost as many bits of precision.
LARGEST_EXPONENT = 2**1_000
Point = Mapping[Symbol, Any]
Values = list[Any]
Step = Callable[[Values, Point], Any]


class Undefined(ValueError):
    """The expression has no real value at the point, or the enclosure is too wide to tell."""


class Evaluator:
    """The evaluation of expressions in a private mpmath context: no global precision changes."""

    def __init__(self, context: Any, digits: int) -> None:
        self.context = context
        self.context.dps = digits
        self._largest = self.context.mpf(LARGEST_EXPONENT)
        self._steps: list[Step] = []
        self._needs: list[Sequence[int]] = []
        self._index: dict[Expr, int] = {}
        self._orders: dict[Expr, Sequence[int]] = {}
        self._point: Point | None = None
        self._values: Values = []

    @staticmethod
    def ends(value: Any) -> tuple[Any, Any]:
        """Lower and upper bound of the value."""
        return value, value

    def rational(self, value: Rational) -> Any:
        return self.context.mpf(int(value.p)) / self.context.mpf(int(value.q))

    def evaluate(self, expression: Expr, point: Point, known: Values | None = None) -> Any:
        """The value at the point. `known` holds the values of the steps found at that point so far;
        by default those of the last call, if the point is the same.

        Raises
        ------
        Undefined
            Where a logarithm, a non-integer power or a quotient leaves the reals or cannot be
            enclosed.
        """
        check()
        order = self._orders.get(expression)
        if order is None:
            order = self._orders[expression] = self._order(self._index_of(expression))
        if known is None:
            if self._point != point:
                self._point, self._values = dict(point), []
            known = self._values
        known += [None] * (len(self._steps) - len(known))
        for i in order:
            if known[i] is None:
                known[i] = self._steps[i](known, point)
        return known[order[-1]]

    def _index_of(self, e: Expr) -> int:
        if e not in self._index:
            step, needs = self._step(e)
            self._index[e] = len(self._steps)
            self._steps.append(step)
            self._needs.append(needs)
        return self._index[e]

    def _order(self, last: int) -> Sequence[int]:
        """All steps that a step depends on, in order of evaluation, with itself as the last."""
        needed, open_steps = {last}, [last]
        while open_steps:
            fresh = set(self._needs[open_steps.pop()]) - needed
            needed |= fresh
            open_steps += fresh
        return sorted(needed)

    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        """A function that computes the expression from the values of earlier steps, and those steps."""
        if e.is_Symbol:
            return (lambda _, point: self._at(e, point)), ()
        if (e.is_Rational and e.is_finite) or e is exp(1):
            constant = self.rational(e) if e.is_Rational else self.context.exp(1)
            return (lambda values, point: constant), ()
        if isinstance(e, (sinh, cosh, tanh)) or hasattr(e, "definition"):
            meaning = e.definition() if hasattr(e, "definition") else e.rewrite(exp)
            needs = [self._index_of(part) for part in (*e.args, meaning)]
            return (lambda values, point: values[needs[-1]]), needs
        if e.is_Pow and e.exp.is_Integer:
            base, n = self._index_of(e.base), int(e.exp)
            return (lambda values, point: self._whole_power(values[base], n)), [base]
        needs = [self._index_of(part) for part in e.args]
        if e.is_Add or e.is_Mul:
            operation = add if e.is_Add else mul
            return (lambda values, _: reduce(operation, (values[i] for i in needs))), needs
        functions = {exp: self._exp, log: self._log, Abs: abs}
        if e.is_Pow:
            return (lambda values, _: self._power(*(values[i] for i in needs))), needs
        if e.func not in functions:
            raise Undefined(f"{e.func.__name__} has no value at a point")
        function = functions[e.func]
        return (lambda values, point: function(values[needs[0]])), needs

    def _at(self, symbol: Symbol, point: Point) -> Any:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        value = point[symbol]
        return (
            self.rational(value)
            if isinstance(value, (Rational, tuple))
            else self.context.mpf(value)
        )

    def _log(self, argument: Any) -> Any:
        check()
        if not self.ends(argument)[0] > 0:
            raise Undefined("the logarithm of a value that is not certainly positive")
        return self.context.log(argument)

    def _exp(self, argument: Any) -> Any:
        check()
        low, high = self.ends(argument)
        if not (-self._largest < low and high < self._largest):
            raise Undefined("an exponential too large to evaluate")
        return self.context.exp(argument)

    def _whole_power(self, base: Any, n: int) -> Any:
        low, high = self.ends(base)
        if n < 0 and low <= 0 <= high:
            raise Undefined("division by a value that is not certainly different from zero")
        return base**n

    def _power(self, base: Any, exponent: Any) -> Any:
        return self._exp(exponent * self._log(base))


class PointEvaluator(Evaluator):
    """Values to so many decimal digits, up to rounding."""

    def __init__(self, digits: int) -> None:
        super().__init__(mpmath.mp.clone(), digits)


class IntervalEvaluator(Evaluator):
    """Rigorous enclosures, computed with so many decimal digits."""

    def __init__(self, digits: int = 50) -> None:
        super().__init__(MPIntervalContext(), digits)

    @staticmethod
    def ends(value: Any) -> tuple[Any, Any]:
        return value.a, value.b


class Enclosed(NamedTuple):
    """A point with the enclosures of both sides of a claim."""

    point: dict[Symbol, Rational]
    left: Any
    right: Any

    @property
    def difference(self) -> Any:
        return self.left - self.right

    def fails(self, relation: str) -> bool:
        """Whether the relation certainly fails at the point."""
        return certainly_fails(relation, self.difference.a, self.difference.b)


def enclosed(
    lhs: Expr,
    rhs: Expr,
    assume: Sequence[Expr],
    drawn: Iterable[dict[Symbol, Rational]],
    digits: int,
) -> Iterator[Enclosed]:
    """The points at which the assumptions hold, each with the enclosures of both sides."""
    evaluator = IntervalEvaluator(digits)
    for point in drawn:
        with suppress(Undefined):
            if all(evaluator.evaluate(a, point).a > 0 for a in assume):
                values = (evaluator.evaluate(side, point) for side in (lhs, rhs))
                yield Enclosed(point, *values)


def certainly_nonzero(value: Any) -> bool:
    """Whether an enclosure excludes zero."""
    return bool(value.a > 0 or value.b < 0)


def certainly_fails(relation: str, lowest: Any, highest: Any) -> bool:
    """Whether the relation fails for every difference lhs - rhs between the two bounds."""
    return bool(
        {
            "==": lowest > 0 or highest < 0,
            ">=": highest < 0,
            "<=": lowest > 0,
            ">": highest <= 0,
            "<": lowest >= 0,
        }[relation]
    )
