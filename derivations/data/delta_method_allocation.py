"""The gradients of log N*, log D* and log D*/N* at a given compute."""

from __future__ import annotations

from sympy import Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import gradient, gradients
from isoflop.theory.proof.claim import Claim, Derivation

COEFFICIENTS, EXPONENTS = (sym.A, sym.B), (sym.BETA, sym.GAMMA)
SCALE = Symbol("q", positive=True)


def derivation() -> Derivation:
    """grad log N* = (1, -1, 1/beta - log N*, log D* - 1/gamma)/(beta + gamma)."""
    closed = gradients()
    envelope = closed.envelope
    quantities = (
        ("N*", envelope.params, closed.log_params),
        ("D*", envelope.tokens, closed.log_tokens),
        ("D*/N*", envelope.tokens_per_param, closed.log_tokens_per_param),
    )
    steps = tuple(
        Claim(
            f"{name}_in_log_{coefficient}",
            value.subs(coefficient, SCALE * coefficient) / value,
            "==",
            SCALE**formula,
            f"Scaling {coefficient} by q scales {name} by a power of q: that power is the derivative in log {coefficient}.",
        )
        for name, value, gradient_of_log in quantities
        for coefficient, formula in zip(COEFFICIENTS, gradient_of_log[:2], strict=True)
    )
    steps += tuple(
        Claim(
            f"{name}_in_{exponent}",
            derivative,
            "==",
            formula,
            f"Differentiate log {name} at fixed C in {exponent}.",
        )
        for name, value, gradient_of_log in quantities
        for exponent, derivative, formula in zip(
            EXPONENTS, gradient(log(value))[2:], gradient_of_log[2:], strict=True
        )
    )
    steps += (
        Claim(
            "implicit",
            sym.BETA * (sym.BETA + sym.GAMMA) * closed.log_params[2],
            "==",
            1 - sym.BETA * log(envelope.params),
            "The same from the balance log(beta A) - beta log N = log(gamma B) - gamma log(C/(6 N)), differentiated in beta.",
        ),
    )
    return Derivation(
        name="delta_method_allocation",
        title="Delta method for the optimal allocation",
        assumptions=("L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive", "C is fixed"),
        statement=(
            r"\nabla\log N^* = \frac{1}{\beta+\gamma}\left(1, -1, \tfrac1\beta - \log N^*, \log D^* - \tfrac1\gamma\right)"
            r" = -\nabla\log D^* = -\tfrac12\nabla\log\tfrac{D^*}{N^*}"
        ),
        steps=steps,
        source="Differentiation of the closed forms.",
        follows=(
            "The gradient grows with log N*: errors of beta and gamma count about twenty times as much as those of log A and "
            "log B, and the correlation of the four must be kept."
        ),
    )
