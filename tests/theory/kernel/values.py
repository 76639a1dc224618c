"""The value of an expression at a point, by mpmath alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
from sympy import Abs, Add, Expr, Mul, Pow, Symbol, exp, log, sympify

MP = mpmath.mp.clone()
MP.dps = 900
FUNCTIONS = {
    Add: lambda *terms: MP.fsum(terms),
    Mul: lambda *factors: MP.fprod(factors),
    Pow: MP.power,
    exp: MP.exp,
    log: MP.log,
    Abs: abs,
}


def value(expression: Expr, point: Mapping[Symbol, Any]) -> Any:
    """To 900 digits; what the point does not say is a number."""
    e = sympify(expression)
    if e.is_Symbol:
        return value(point[e], {})
    if e.is_Rational:
        return MP.mpf(int(e.p)) / int(e.q)
    return FUNCTIONS[e.func](*(value(argument, point) for argument in e.args))


def holds(lhs: Expr, relation: str, rhs: Expr, point: Mapping[Symbol, Any]) -> bool:
    """Whether a bound holds at the point, beyond rounding."""
    left, right = value(lhs, point), value(rhs, point)
    gap = left - right if relation[0] == ">" else right - left
    rounding = MP.mpf(10) ** -850 * max(1, abs(left))
    return bool(gap >= -rounding if relation.endswith("=") else gap > rounding)
