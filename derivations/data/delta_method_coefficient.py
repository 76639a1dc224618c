"""The gradient of log C0, the coefficient of the compute law."""

from __future__ import annotations

from sympy import Integer, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import THETA, gradient_claims, gradients
from isoflop.theory.theorem import Derivation, Partial, say, step


def derivation() -> Derivation:
    """grad log C0 = (w_N, w_D, w_N (w_N log 6 - log G), w_D (w_D log 6 + log G)) with G = N*(6)."""
    names = derive().named
    closed = gradients(names)
    coefficient = names.coefficient
    steps = gradient_claims(
        "C0",
        log(coefficient),
        closed.log_coefficient,
        lambda variable: say("Differentiate the closed form of {} in {}:", coefficient, variable),
    )
    reducible = names.reducible.subs(sym.C, Integer(1))
    steps += tuple(
        step(
            f"at_unit_compute_{parameter}",
            (Partial(log(reducible), variable), "=", form.subs(sym.C, Integer(1))),
            say("The same from the optimum at {}, in {}:", (sym.C, "=", 1), variable),
        )
        for (parameter, variable), form in zip(THETA.items(), closed.log_reducible, strict=True)
        if form.has(sym.C)
    )
    return Derivation(
        name="delta_method_coefficient",
        title="Delta method for the coefficient of the compute law",
        assumptions=derive().assumptions,
        definitions=derive().definitions,
        statement=say(
            "The gradient of the logarithm of {} is {C0_in_log_A}, {C0_in_log_B}, "
            "{C0_in_beta} and {C0_in_gamma}.",
            coefficient,
        ),
        steps=steps,
        source="Differentiation of the closed form.",
        follows="The coefficient is the reducible loss at one FLOP, far outside any data: report the "
        "loss at a compute within the data instead.",
    )
