"""Rigorous evaluation of an expression at a rational point, in interval arithmetic of any
precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpmath.ctx_iv import MPIntervalContext
from mpmath.libmp import (
    fone,
    from_int,
    fzero,
    mpf_ge,
    mpf_gt,
    mpf_le,
    mpf_lt,
    mpi_abs,
    mpi_add,
    mpi_div,
    mpi_exp,
    mpi_log,
    mpi_mul,
    mpi_pow_int,
)
from sympy import Abs, Expr, Rational, Symbol, cosh, exp, log, sinh, tanh

from .deadline import check
from .steps import Step, Stepwise, Undefined, Values

__all__ = [
    "IntervalEvaluator",
    "Undefined",
    "certainly_nonnegative",
    "certainly_nonzero",
    "certainly_positive",
]

LARGEST_EXPONENT = (
    2**1_000
)  # of exp: the argument's bits before the point cost as many bits of precision
LEAST, MOST = from_int(-LARGEST_EXPONENT), from_int(LARGEST_EXPONENT)
Point = Mapping[Symbol, Any]
#: Both ends of an interval, as mpmath's own functions take them.
Ends = tuple[Any, Any]


class IntervalEvaluator(Stepwise):
    """Enclosures at `digits` decimal digits; the context is private, so no global precision
    changes.
    """

    def __init__(self, digits: int = 50) -> None:
        super().__init__()
        self.context = MPIntervalContext()
        self.context.dps = digits
        self.precision = self.context.prec

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
        return self.context.make_mpf(self._value(expression, point))

    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        precision = self.precision
        if e.is_Symbol:
            return (lambda _, point: self._at(e, point)), ()
        if e.is_Rational:
            if not e.is_finite:
                raise Undefined(f"{e} is not a number")
            number = (from_int(int(e.p)),) * 2, (from_int(int(e.q)),) * 2
            constant = mpi_div(*number, precision)
            return (lambda values, point: constant), ()
        if isinstance(e, (sinh, cosh, tanh)) or hasattr(e, "definition"):
            needs = self._indices(
                [*e.args, e.definition() if hasattr(e, "definition") else e.rewrite(exp)]
            )
            return (lambda values, point, i=needs[-1]: values[i]), needs
        if e is exp(1):
            return (lambda values, point: mpi_exp((fone, fone), precision)), ()
        if e.is_Pow and e.exp.is_Integer:
            i = self._index_of(e.base)
            return (lambda values, point, n=int(e.exp): self._whole_power(values[i], n)), (i,)
        needs = self._indices(e.args)
        if e.is_Add:
            return (lambda values, point: _folded(mpi_add, values, needs, precision)), needs
        if e.is_Mul:
            return (lambda values, point: _folded(mpi_mul, values, needs, precision)), needs
        first = needs[0] if needs else 0
        if isinstance(e, exp):
            return (lambda values, point: self._exp(values[first])), needs
        if e.is_Pow:
            second = needs[1]
            return (lambda values, point: self._power(values[first], values[second])), needs
        if isinstance(e, log):
            return (lambda values, point: self._log(values[first])), needs
        if isinstance(e, Abs):
            return (lambda values, point: mpi_abs(values[first], precision)), needs
        raise Undefined(f"{e.func.__name__} has no interval evaluation")

    def _at(self, symbol: Symbol, point: Point) -> Ends:
        if symbol not in point:
            raise Undefined(f"{symbol} is bound by a sum, an integral or the like")
        ends: Ends = self.rational(point[symbol])._mpi_
        return ends

    def _log(self, argument: Ends) -> Ends:
        check()
        if not mpf_gt(argument[0], fzero):
            raise Undefined("the logarithm of a value that is not certainly positive")
        ends: Ends = mpi_log(argument, self.precision)
        return ends

    def _exp(self, argument: Ends) -> Ends:
        check()
        low, high = argument
        if not (mpf_lt(LEAST, low) and mpf_le(low, high) and mpf_lt(high, MOST)):
            raise Undefined("an exponential too large to enclose")
        ends: Ends = mpi_exp(argument, self.precision)
        return ends

    def _whole_power(self, base: Ends, n: int) -> Ends:
        if n < 0 and mpf_le(base[0], fzero) and mpf_ge(base[1], fzero):
            raise Undefined("division by a value that is not certainly different from zero")
        ends: Ends = mpi_pow_int(base, n, self.precision)
        return ends

    def _power(self, base: Ends, exponent: Ends) -> Ends:
        return self._exp(mpi_mul(exponent, self._log(base), self.precision))


def _folded(operation: Any, values: Values, needs: Sequence[int], precision: int) -> Ends:
    result: Ends = values[needs[0]]
    for i in needs[1:]:
        result = operation(result, values[i], precision)
    return result


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
