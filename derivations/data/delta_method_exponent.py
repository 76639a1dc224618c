"""The gradient of the envelope's exponent alpha in the law's parameters, and the variance that follows from it."""

from __future__ import annotations

from sympy import Matrix, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradient_claims, gradients, quadratic_form
from isoflop.theory.theorem import Derivation, Partial, say, step


def derivation() -> Derivation:
    """grad alpha = (0, 0, w_N^2, w_D^2): only the two exponents matter, each by its squared share."""
    envelope = derive()
    closed = gradients(envelope.named)
    alpha, b, g = envelope.named.exponent, sym.BETA, sym.GAMMA
    v_b, v_g, v_bg = symbols("V_11 V_22 V_12", real=True)
    steps = (
        *gradient_claims(
            "alpha",
            alpha,
            closed.exponent,
            lambda variable: say("Differentiate the closed form of {} in {}:", alpha, variable),
        )[2:],
        step(
            "variance",
            (
                quadratic_form(
                    (Partial(alpha, b), Partial(alpha, g)), Matrix([[v_b, v_bg], [v_bg, v_g]])
                ),
                "=",
                closed.variance_of_exponent(v_b, v_g, v_bg),
            ),
            "Weigh the variances and the covariance with the two derivatives:",
        ),
        step(
            "homogeneous",
            (b * Partial(alpha, b) + g * Partial(alpha, g), "=", alpha),
            say("The exponent is homogeneous of degree 1 in {} and {} (Euler):", b, g),
        ),
    )
    return Derivation(
        name="delta_method_exponent",
        title="Delta method for the exponent of the compute law",
        assumptions=(
            *envelope.assumptions,
            say(
                "Let {} and {} be the variances of the estimates of {} and {}, and {} their "
                "covariance.",
                v_b,
                v_g,
                b,
                g,
                v_bg,
            ),
        ),
        definitions=envelope.definitions,
        statement=say(
            "The exponent {} depends on {} and {} alone, with {alpha_in_beta} and "
            "{alpha_in_gamma}. To leading order its variance is {variance}, and "
            "{homogeneous}.",
            alpha,
            b,
            g,
        ),
        steps=steps,
        source="Differentiation of the closed form; the delta method for the variance, to leading order.",
        follows="For equal exponents both weights are 1/16, so that errors of one variance that are not "
        "correlated leave the exponent an eighth of that variance.",
    )
