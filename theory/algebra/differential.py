"""Derivatives of formulas as they are typed: `dL/dN`, `d log N_opt/d log C`."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Abs, Derivative, Expr, Subs, Symbol

from .functions import defined


class NoDerivative(ValueError):
    """Why an expression has no derivative here."""


def derivative(bodies: Sequence[Expr], variables: Sequence[tuple[Symbol, bool]]) -> Expr:
    """The derivative by each variable in turn, or by its logarithm, with every other letter held.

    Parameters
    ----------
    bodies : sequence of sympy.Expr
        What may be meant: the first that holds every variable is (dL/dN is of L(N, D), and dL/dC of
        L(C)).
    variables : sequence of (sympy.Symbol, bool)
        Each with whether its logarithm is meant: df/dlog x = x df/dx.

    Raises
    ------
    NoDerivative
        Where no body holds the variables, so that the derivative would be 0 by a mere choice of
        letters, or where it is of an absolute value.
    """
    wanted = {variable for variable, _ in variables}
    meant = next((body for body in bodies if wanted <= body.free_symbols), None)
    if meant is None:
        missing = ", ".join(sorted(map(str, wanted - bodies[0].free_symbols)))
        raise NoDerivative(f"{bodies[0]} does not depend on {missing}")
    found = defined(meant)
    if found.has(Abs):
        raise NoDerivative(f"{meant} has an absolute value")
    for variable, logarithmic in variables:
        found = found.diff(variable) * (variable if logarithmic else 1)
    if found.has(Derivative, Subs):
        raise NoDerivative(f"{meant} is differentiated no further")
    return found
