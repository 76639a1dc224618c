"""Rigorous evaluation of an expression at a rational point, in interval arithmetic of any
precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpmath.ctx_iv import MPIntervalContext
from sympy import Abs, Expr, Rational, Symbol, cosh, exp, log, sinh, tanh

from .deadline import check

LARGEST_EXPONENT = (
    2**1_000
)  # of exp: the argument's bits before the point cost as many bits of precision


class Undefined(ValueError):
    """The expression has no real value at the point, or the enclosure is too wide to tell."""


class IntervalEvaluator:
    """Enclosures at `digits` decimal digits; the context is private, so no global precision
    changes.
    """

    def __init__(self, digits: int = 50) -> None:
        self.context = MPIntervalContext()
        self.context.dps = digits

    def rational(self, value: Rational) -> Any:
        return self.context.mpf(int(value.p)) / self.context.mpf(int(value.q))

    def evaluate(self, expression: Expr, point: Mapping[Symbol, Rational]) -> Any:
        """An interval that contains the expression's value at the point.

        Raises
        ------
        Undefined
            Where a logarithm, a non-integer power or a quotient leaves the reals or cannot be
            enclosed.
        """
        return self._evaluate(expression, point, {})

    def _evaluate(self, e: Expr, point: Mapping[Symbol, Rational], seen: dict[Expr, Any]) -> Any:
        if e in seen:
            return seen[e]
        check()
        value = seen[e] = self._compute(e, point, seen)
        return value

    def _compute(self, e: Expr, point: Mapping[Symbol, Rational], seen: dict[Expr, Any]) -> Any:
        if e.is_Symbol:
            if e not in point:
                raise Undefined(f"{e} is bound by a sum, an integral or the like")
            return self.rational(point[e])
        if e.is_Rational:
            if not e.is_finite:
                raise Undefined(f"{e} is not a number")
            return self.rational(e)
        arguments = [self._evaluate(argument, point, seen) for argument in e.args]
        if e.is_Add:
            return sum(arguments[1:], arguments[0])
        if e.is_Mul:
            product = arguments[0]
            for argument in arguments[1:]:
                product = product * argument
            return product
        if e is exp(1):
            return self.context.exp(1)
        if isinstance(e, exp):
            return self._exp(arguments[0])
        if e.is_Pow:
            return self._power(arguments[0], arguments[1], e.exp)
        if isinstance(e, log):
            return self._log(arguments[0])
        if isinstance(e, Abs):
            return abs(arguments[0])
        if isinstance(e, (sinh, cosh, tanh)):
            return self._evaluate(e.rewrite(exp), point, seen)
        if hasattr(e, "definition"):
            return self._evaluate(e.definition(), point, seen)
        raise Undefined(f"{e.func.__name__} has no interval evaluation")

    def _log(self, argument: Any) -> Any:
        if not argument.a > 0:
            raise Undefined("the logarithm of a value that is not certainly positive")
        return self.context.log(argument)

    def _exp(self, argument: Any) -> Any:
        if not -LARGEST_EXPONENT < argument.a <= argument.b < LARGEST_EXPONENT:
            raise Undefined("an exponential too large to enclose")
        return self.context.exp(argument)

    def _power(self, base: Any, exponent: Any, symbolic: Expr) -> Any:
        if symbolic.is_Integer:
            n = int(symbolic)
            if n < 0 and base.a <= 0 <= base.b:
                raise Undefined("division by a value that is not certainly different from zero")
            return base**n
        return self._exp(exponent * self._log(base))


def certainly_positive(value: Any) -> bool:
    return bool(value.a > 0)


def certainly_nonnegative(value: Any) -> bool:
    return bool(value.a >= 0)


def certainly_nonzero(value: Any) -> bool:
    return bool(value.a > 0 or value.b < 0)
