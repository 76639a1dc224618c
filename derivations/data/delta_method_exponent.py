"""The gradient of the envelope's exponent alpha in the law's parameters, and the variance that follows from it."""

from __future__ import annotations

from sympy import Matrix, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import gradient, gradients, quadratic_form
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """grad alpha = (0, 0, w_N^2, w_D^2): only the two exponents matter, each by its squared share."""
    closed = gradients()
    of_alpha = gradient(closed.envelope.exponent)
    names = ("log A", "log B", "beta", "gamma")
    covariance = Matrix(4, 4, lambda i, j: Symbol(f"V_{min(i, j)}{max(i, j)}", real=True))
    reasons = (
        "alpha does not depend on A.",
        "alpha does not depend on B.",
        "Differentiate beta gamma/(beta + gamma): the square of the params share is left.",
        "Differentiate beta gamma/(beta + gamma): the square of the tokens share is left.",
    )
    steps = tuple(
        Claim(f"alpha_in_{name}", derivative, "==", formula, reason)
        for name, derivative, formula, reason in zip(
            names, of_alpha, closed.exponent, reasons, strict=True
        )
        if formula != 0
    )
    steps += (
        Claim(
            "variance",
            quadratic_form(of_alpha, covariance),
            "==",
            closed.variance_of_exponent(covariance[2, 2], covariance[3, 3], covariance[2, 3]),
            "In g' V g the variances and covariances of log A and log B drop out, whatever they are.",
        ),
        Claim(
            "homogeneous",
            sym.BETA * closed.exponent[2] + sym.GAMMA * closed.exponent[3],
            "==",
            closed.envelope.exponent,
            "alpha is homogeneous of degree 1 in the exponents (Euler): the same relative error in both is that of alpha.",
        ),
    )
    return Derivation(
        name="delta_method_exponent",
        title="Delta method for the exponent of the compute law",
        assumptions=(
            "alpha = beta gamma/(beta + gamma)",
            "V is the covariance matrix of (log A, log B, beta, gamma)",
        ),
        statement=(
            r"\nabla\alpha = (0, 0, w_N^2, w_D^2),\qquad \operatorname{Var}\alpha \approx w_N^4 \operatorname{Var}\beta"
            r" + w_D^4 \operatorname{Var}\gamma + 2 w_N^2 w_D^2 \operatorname{Cov}(\beta, \gamma)"
        ),
        steps=steps,
        source="Differentiation of the closed form; the delta method for the variance, to leading order.",
        follows="For beta = gamma both weights are 1/16: alpha is better known than either exponent unless the two are tightly "
        "coupled.",
    )
