"""The gradient of the envelope's exponent alpha in the law's parameters, and the variance that follows from it."""

from __future__ import annotations

from sympy import Matrix, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import Partial
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import THETA, gradient_claims, gradients, quadratic_form
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.proof.words import listed, say


def derivation() -> Derivation:
    """grad alpha = (0, 0, w_N^2, w_D^2): only the two exponents matter, each by its squared share."""
    envelope = derive()
    closed = gradients(envelope.named)
    alpha, b, g = envelope.named.exponent, sym.BETA, sym.GAMMA
    covariance = Matrix(4, 4, lambda i, j: Symbol(f"V_{min(i, j)}{max(i, j)}", real=True))
    theta = tuple(THETA.values())
    slopes = tuple(Partial(alpha, variable) for variable in theta)
    steps = (
        *gradient_claims(
            "alpha",
            alpha,
            closed.exponent,
            lambda variable: say("Differentiate the closed form of {} in {}:", alpha, variable),
        )[2:],
        Claim(
            "variance",
            quadratic_form(slopes, covariance),
            "==",
            closed.variance_of_exponent(covariance[2, 2], covariance[3, 3], covariance[2, 3]),
            say("The covariances with {} and {} drop out, whatever they are:", *theta[:2]),
        ),
        Claim(
            "homogeneous",
            b * Partial(alpha, b) + g * Partial(alpha, g),
            "==",
            alpha,
            say("The exponent is homogeneous of degree 1 in {} and {} (Euler):", b, g),
        ),
    )
    return Derivation(
        name="delta_method_exponent",
        title="Delta method for the exponent of the compute law",
        assumptions=(
            *envelope.assumptions,
            "Let "
            + listed(tuple(dict.fromkeys(covariance)))
            + " be the covariances of the estimates of "
            + listed(theta)
            + ", numbered from 0.",
        ),
        definitions=envelope.definitions,
        statement=say("The exponent {} depends on {} and {} alone, with ", alpha, b, g)
        + "{alpha_in_beta} and {alpha_in_gamma}. To leading order its variance is {variance}, and "
        "{homogeneous}.",
        steps=steps,
        source="Differentiation of the closed form; the delta method for the variance, to leading order.",
        follows="For equal exponents both weights are 1/16, so that errors of one variance that are not "
        "correlated leave the exponent an eighth of that variance.",
    )
