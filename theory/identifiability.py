"""Runs of a ray, and the other law that fits them as well."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Rational, Symbol, exp

from .kernel import symbols as sym

#: Distance of neighbouring points of a design in log C.
SPACING = Symbol("z", positive=True)


def at_runs(column: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """A function of compute at C e^(i z), as one of i."""
    return lambda i: column(sym.C * exp(i * SPACING))


def swapped(tokens_per_param: Expr) -> dict[Symbol, Expr]:
    """The law with its exponents exchanged that agrees on the ray D = t N: A' = B t^-gamma, B' = A
    t^beta.
    """
    return {
        sym.A: sym.B * tokens_per_param**-sym.GAMMA,
        sym.B: sym.A * tokens_per_param**sym.BETA,
        sym.BETA: sym.GAMMA,
        sym.GAMMA: sym.BETA,
    }


#: Growth of N and D with compute on a ray under C = kappa N D.
RAY_GROWTH = Rational(1, 2)
