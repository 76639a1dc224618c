"""The gradients of log R* and L* at a given compute: by the envelope theorem the shares and the logs of the optimum."""

from __future__ import annotations

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradient_claims, gradients
from isoflop.theory.theorem import Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """grad log R* = (w_N, w_D, -w_N log N*, -w_D log D*), by differentiating C0 C^-alpha itself."""
    names = derive().named
    closed = gradients(names)
    loss = function("L")(*names.allocation)
    of_log = gradient_claims(
        "R*",
        log(names.reducible),
        closed.log_reducible,
        lambda variable: say("Differentiate the logarithm of {} in {}:", names.reducible, variable),
    )
    of_loss = gradient_claims(
        "L*",
        loss,
        closed.loss,
        lambda variable: say(
            "In {} the loss at the optimum moves as the law itself does: that the optimum moves "
            "has no effect to first order:",
            variable,
        ),
    )
    shift = step(
        "L*_with_E",
        (Partial(loss, sym.E), "=", 1),
        say("The irreducible loss {} is added, and the optimum does not depend on it:", sym.E),
    )
    return Derivation(
        name="delta_method_envelope",
        title="Delta method for the loss on the envelope",
        assumptions=derive().assumptions,
        definitions=derive().definitions,
        statement=say(
            "At a fixed compute {} the gradient of the least reducible loss is "
            "{R*_in_log_A}, {R*_in_log_B}, {R*_in_beta} and {R*_in_gamma}. The gradient of "
            "the least loss is {L*_in_log_A}, {L*_in_log_B}, {L*_in_beta}, {L*_in_gamma} and "
            "{L*_with_E}.",
            sym.C,
        ),
        steps=(*of_log, *of_loss, shift),
        source="Differentiation of the closed form; the envelope theorem.",
        follows="An interval for the loss on the envelope by the delta method, and the direction in "
        "which coefficient and exponent trade off: the logarithm of the optimum sets it.",
    )
