"""The gradients of log N*, log D* and log D*/N* at a given compute."""

from __future__ import annotations

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradient_claims, gradients
from isoflop.theory.theorem import Derivation, say

REASONS = {
    "log": "Scaling a coefficient scales the optimum by a power of the scale, in {} by:",
    "exponent": "Differentiate the closed form at fixed compute in {}:",
}


def derivation() -> Derivation:
    """grad log N* = (1, -1, 1/beta - log N*, log D* - 1/gamma)/(beta + gamma)."""
    names = derive().named
    closed = gradients(names)
    n_star, d_star = names.allocation
    quantities = (
        ("N*", n_star, closed.log_params),
        ("D*", d_star, closed.log_tokens),
        ("D*/N*", d_star / n_star, closed.log_tokens_per_param),
    )
    steps = tuple(
        step
        for name, quantity, gradient in quantities
        for step in gradient_claims(
            name,
            log(quantity),
            gradient,
            lambda variable: say(REASONS["log" if variable.func is log else "exponent"], variable),
        )
    )
    return Derivation(
        name="delta_method_allocation",
        title="Delta method for the optimal allocation",
        assumptions=derive().assumptions,
        definitions=derive().definitions,
        statement=say(
            "At a fixed compute {} the gradient of the optimal size is {N*_in_log_A}, "
            "{N*_in_log_B}, {N*_in_beta} and {N*_in_gamma}; that of the optimal tokens is "
            "its opposite, {D*_in_log_A}, {D*_in_log_B}, {D*_in_beta} and {D*_in_gamma}.",
            sym.C,
        ),
        steps=steps,
        source="Differentiation of the closed forms.",
        follows=(
            "The gradient grows with the logarithm of the optimum: errors of the exponents count "
            "about twenty times as much as those of the logarithms of the coefficients, and the "
            "correlation of the four must be kept."
        ),
    )
