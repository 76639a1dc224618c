"""The gradient of the exponents w_N and w_D with which the optimal params and tokens grow."""

from __future__ import annotations

from sympy import Integer, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import gradient, gradients
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """grad w_N = (0, 0, -w_N, w_D)/(beta + gamma), from the growth of N*(C) and D*(C)."""
    closed = gradients()
    of_params, of_tokens = (
        tuple(sym.C * part.diff(sym.C) for part in gradient(log(optimum)))
        for optimum in closed.envelope.allocation
    )
    steps = tuple(
        Claim(
            f"{name}_in_{parameter}",
            found[i],
            "==",
            sign * closed.params_share[i],
            f"Differentiate log {variable}*(C) in {parameter} and then in log C: the order does not matter.",
        )
        for name, variable, found, sign in (("w_N", "N", of_params, 1), ("w_D", "D", of_tokens, -1))
        for i, parameter in ((2, "beta"), (3, "gamma"))
    )
    steps += (
        Claim(
            "scale_free",
            sym.BETA * of_params[2] + sym.GAMMA * of_params[3],
            "==",
            Integer(0),
            "Scaling both exponents together leaves the growth of N* as it is (Euler, degree 0).",
        ),
    )
    return Derivation(
        name="delta_method_allocation_exponents",
        title="Delta method for the exponents of the allocation",
        assumptions=("L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",),
        statement=r"\nabla w_N = \left(0, 0, -\tfrac{w_N}{\beta+\gamma}, \tfrac{w_D}{\beta+\gamma}\right) = -\nabla w_D",
        steps=steps,
        source="Differentiation of the closed form.",
        follows="The error of w_N is that of the ratio beta/gamma alone.",
    )
