"""Values of expressions at a point: as multiprecision numbers, or enclosed by intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, reduce
from operator import add, mul
from typing import Any, NamedTuple

import mpmath
from mpmath.ctx_iv import MPIntervalContext
from sympy import Abs, Expr, Rational, Symbol, exp, log

from .deadline import check
from .functions import meaning

#: The largest argument of exp: the bits of its integer part cost as many bits of precision.
LARGEST_EXPONENT = 2**1_000
Point = Mapping[Symbol, Any]


class Undefined(ValueError):
    """The expression has no real value at the point, or the enclosure is too wide to tell."""


class Evaluator:
    """The evaluation of expressions in a private mpmath context: no global precision changes."""

    def __init__(self, context: Any, digits: int) -> None:
        self.context = context
        self.context.dps = digits
        self._largest = self.context.mpf(LARGEST_EXPONENT)
        self._functions = {exp: self._exp, log: self._log, Abs: abs}
        self._point: Point | None = None
        self._values: dict[Expr, Any] = {}

    @staticmethod
    def ends(value: Any) -> tuple[Any, Any]:
        """Lower and upper bound of the value."""
        return value, value

    def rational(self, value: Rational) -> Any:
        numerator = self.context.mpf(int(value.p))
        return numerator if value.q == 1 else numerator / self.context.mpf(int(value.q))

    def evaluate(self, expression: Expr, point: Point, known: dict[Expr, Any] | None = None) -> Any:
        """The value at the point. `known` holds the values found at that point so far; by default
        those of the last calls, if the point is the same.

        Raises
        ------
        Undefined
            Where a logarithm, a non-integer power or a quotient leaves the reals or cannot be
            enclosed.
        """
        check()
        if known is None:
            if self._point != point:
                self._point, self._values = dict(point), {}
            known = self._values

        def value(e: Expr) -> Any:
            if e not in known:
                known[e] = self._at(e, point) if e.is_Symbol else self._of_parts(e, value)
            return known[e]

        return value(expression)

    def _at(self, symbol: Symbol, point: Point) -> Any:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        value = point[symbol]
        is_exact = isinstance(value, (Rational, tuple))
        return self.rational(value) if is_exact else self.context.mpf(value)

    def _of_parts(self, e: Expr, value: Callable[[Expr], Any]) -> Any:
        """The value of an expression from those of its parts."""
        if e.is_Rational and e.is_finite:
            return self.rational(e)
        if e is exp(1):
            return self.context.exp(1)
        if e.is_Add or e.is_Mul:
            return reduce(add if e.is_Add else mul, map(value, e.args))
        if e.is_Pow:
            base = value(e.base)
            return (
                self._whole_power(base, int(e.exp))
                if e.exp.is_Integer
                else self._exp(value(e.exp) * self._log(base))
            )
        if e.func in self._functions:
            return self._functions[e.func](value(e.args[0]))
        if (meant := meaning(e)) is not None:
            return [value(part) for part in (*e.args, meant)][-1]
        raise Undefined(f"{e.func.__name__} has no value at a point")

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


class PointEvaluator(Evaluator):
    """Values to so many decimal digits, up to rounding."""

    def __init__(self, digits: int) -> None:
        super().__init__(mpmath.mp.clone(), digits)


@cache
def _interval_context(digits: int) -> MPIntervalContext:
    """The interval arithmetic of so many digits; a context is slow to make."""
    return MPIntervalContext()


class IntervalEvaluator(Evaluator):
    """Rigorous enclosures, computed with so many decimal digits."""

    def __init__(self, digits: int = 50) -> None:
        super().__init__(_interval_context(digits), digits)

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
