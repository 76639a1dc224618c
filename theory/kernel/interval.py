"""Rigorous evaluation of an expression at a rational point, in interval arithmetic of any
precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from operator import add, mul
from typing import Any

from mpmath.ctx_iv import MPIntervalContext
from sympy import Abs, Expr, Rational, Symbol, cosh, exp, log, sinh, tanh

from .deadline import check
from .steps import Step, Stepwise, Undefined

__all__ = [
    "IntervalEvaluator",
    "Undefined",
    "certainly_nonnegative",
    "certainly_nonzero",
    "certainly_positive",
]

#: Of exp: the argument's bits before the point cost as many bits of precision.
LARGEST_EXPONENT = 2**1_000
Point = Mapping[Symbol, Any]


class IntervalEvaluator(Stepwise):
    """Enclosures at `digits` decimal digits; the context is private, so no global precision
    changes.
    """

    def __init__(self, digits: int = 50) -> None:
        super().__init__()
        self.context = MPIntervalContext()
        self.context.dps = digits

    def rational(self, value: Rational) -> Any:
        return self.context.mpf(int(value.p)) / self.context.mpf(int(value.q))

    def evaluate(self, expression: Expr, point: Point) -> Any:
        """An interval that contains the expression's value at the point.

        Raises
        ------
        Undefined
            Where a logarithm, a non-integer power or a quotient leaves the reals or cannot be
            enclosed.
        """
        return self._value(expression, point)

    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        if e.is_Symbol:
            return (lambda _, point: self._at(e, point)), ()
        if e.is_Rational:
            if not e.is_finite:
                raise Undefined(f"{e} is not a number")
            constant = self.rational(e)
            return (lambda values, point: constant), ()
        if e is exp(1):
            return (lambda values, point: self.context.exp(1)), ()
        if isinstance(e, (sinh, cosh, tanh)) or hasattr(e, "definition"):
            meaning = e.definition() if hasattr(e, "definition") else e.rewrite(exp)
            needs = self._indices([*e.args, meaning])
            return (lambda values, point: values[needs[-1]]), needs
        if e.is_Pow and e.exp.is_Integer:
            needs, n = self._indices([e.base]), int(e.exp)
            return (lambda values, point: self._whole_power(values[needs[0]], n)), needs
        needs = self._indices(e.args)
        if e.is_Add or e.is_Mul:
            operation = add if e.is_Add else mul
            return (lambda values, _: reduce(operation, (values[i] for i in needs))), needs
        functions = {exp: self._exp, log: self._log, Abs: abs}
        if e.is_Pow:
            return (lambda values, _: self._power(*(values[i] for i in needs))), needs
        if e.func not in functions:
            raise Undefined(f"{e.func.__name__} has no interval evaluation")
        function = functions[e.func]
        return (lambda values, point: function(values[needs[0]])), needs

    def _at(self, symbol: Symbol, point: Point) -> Any:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        return self.rational(point[symbol])

    def _log(self, argument: Any) -> Any:
        check()
        if not argument.a > 0:
            raise Undefined("the logarithm of a value that is not certainly positive")
        return self.context.log(argument)

    def _exp(self, argument: Any) -> Any:
        check()
        if not (-LARGEST_EXPONENT < argument.a <= argument.b < LARGEST_EXPONENT):
            raise Undefined("an exponential too large to enclose")
        return self.context.exp(argument)

    def _whole_power(self, base: Any, n: int) -> Any:
        if n < 0 and base.a <= 0 <= base.b:
            raise Undefined("division by a value that is not certainly different from zero")
        return base**n

    def _power(self, base: Any, exponent: Any) -> Any:
        return self._exp(exponent * self._log(base))


def enclosed(
    lhs: Expr,
    rhs: Expr,
    assume: Sequence[Expr],
    drawn: Iterable[dict[Symbol, Rational]],
    digits: int,
) -> Iterator[tuple[dict[Symbol, Rational], Any, Any]]:
    """Those of some points where all holds that is assumed, each with enclosures of both sides."""
    evaluator = IntervalEvaluator(digits)
    for point in drawn:
        with suppress(Undefined):
            if all(evaluator.evaluate(a, point).a > 0 for a in assume):
                yield point, evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)


def certainly_positive(value: Any) -> bool:
    return bool(value.a > 0)


def certainly_nonnegative(value: Any) -> bool:
    return bool(value.a >= 0)


def certainly_nonzero(value: Any) -> bool:
    return bool(value.a > 0 or value.b < 0)


def certainly_fails(relation: str, lowest: Any, highest: Any) -> bool:
    """Whether a difference lhs - rhs between these bounds breaks the relation ==, >=, <=, > or <."""
    return bool(
        {
            "==": lowest > 0 or highest < 0,
            ">=": highest < 0,
            "<=": lowest > 0,
            ">": highest <= 0,
            "<": lowest >= 0,
        }[relation]
    )
