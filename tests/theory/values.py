"""Values of SymPy expressions at a point, by mpmath alone: no code is shared with what is tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import sympy
from sympy import Abs, Add, Expr, Mul, Pow, Symbol, cosh, exp, log, sinh, sympify, tanh

from isoflop.theory.kernel.functions import expm1, expm1_pair, log1p, phi2

MP = mpmath.mp.clone()
MP.dps = 60
#: For values that agree in hundreds of digits.
FINE = mpmath.mp.clone()
FINE.dps = 900
CONSTANTS = {sympy.E: "e", sympy.pi: "pi"}
FUNCTIONS = {Pow: "power", exp: "exp", log: "log", sinh: "sinh", cosh: "cosh", tanh: "tanh"}
DEFINED: dict[Any, Callable[..., Any]] = {
    expm1: lambda mp, x: mp.exp(x) - 1,
    log1p: lambda mp, x: mp.log(1 + x),
    phi2: lambda mp, x: (mp.exp(x) - 1 - x) / x**2,
    expm1_pair: lambda mp, b, g, s: mp.expm1(-b * s) / b + mp.expm1(g * s) / g,
}


def value(expression: Any, point: Mapping[Any, Any], mp: Any = MP) -> Any:
    """The value where the point gives a number for each symbol, or for its name.

    It is complex where a negative number is raised to a power or has a logarithm.
    """
    e = sympify(expression)
    if e.is_Symbol:
        number = point[e] if e in point else point[e.name]
        return value(number, {}, mp) if isinstance(number, Expr) else mp.mpf(number)
    if e.is_Rational:
        return mp.mpf(int(e.p)) / int(e.q)
    if e in CONSTANTS:
        return +getattr(mp, CONSTANTS[e])
    parts = [value(part, point, mp) for part in e.args]
    if isinstance(e, (Add, Mul)):
        return (mp.fsum if isinstance(e, Add) else mp.fprod)(parts)
    if isinstance(e, Abs):
        return abs(parts[0])
    if e.func in DEFINED:
        return DEFINED[e.func](mp, *parts)
    if e.func not in FUNCTIONS:
        raise ValueError(f"{e}: has no value")
    return getattr(mp, FUNCTIONS[e.func])(*parts)


def fine(expression: Any, point: Mapping[Any, Any]) -> Any:
    """The value with 900 digits."""
    return value(expression, point, FINE)


def holds(lhs: Expr, relation: str, rhs: Expr, point: Mapping[Symbol, Any]) -> bool:
    """Whether a bound holds at the point, beyond rounding in 900 digits."""
    left, right = fine(lhs, point), fine(rhs, point)
    gap = left - right if relation[0] == ">" else right - left
    rounding = FINE.mpf(10) ** -850 * max(1, abs(left))
    return bool(gap >= -rounding if relation.endswith("=") else gap > rounding)


def close(found: Any, wanted: Any, tolerance: Any = 1e-40) -> bool:
    """To a relative error."""
    return bool(abs(found - wanted) <= tolerance * abs(wanted))
