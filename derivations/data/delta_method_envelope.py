"""The gradients of log R* and L* at a given compute: by the envelope theorem the shares and the logs of the optimum."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import gradient, gradients
from isoflop.theory.proof.claim import Claim, Derivation

PARAMETERS = ("log A", "log B", "beta", "gamma")
SCALE = Symbol("q", positive=True)


def derivation() -> Derivation:
    """grad log R* = (w_N, w_D, -w_N log N*, -w_D log D*), by differentiating C0 C^-alpha itself."""
    closed = gradients()
    envelope = closed.envelope
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    direct = [part.subs(optimum, simultaneous=True) for part in gradient(envelope.form.reducible)]
    scaled = tuple(
        Claim(
            f"R*_in_log_{coefficient}",
            envelope.reducible.subs(coefficient, SCALE * coefficient) / envelope.reducible,
            "==",
            SCALE**formula,
            f"Scaling {coefficient} by q scales R* by a power of q: that power is the derivative in log {coefficient}.",
        )
        for coefficient, formula in zip((sym.A, sym.B), closed.log_reducible[:2], strict=True)
    )
    of_log = tuple(
        Claim(
            f"R*_in_{exponent}",
            derivative,
            "==",
            formula,
            f"Differentiate log C0 - alpha log C in {exponent}.",
        )
        for exponent, derivative, formula in zip(
            (sym.BETA, sym.GAMMA),
            gradient(log(envelope.coefficient) - envelope.exponent * log(sym.C))[2:],
            closed.log_reducible[2:],
            strict=True,
        )
    )
    of_loss = tuple(
        Claim(
            f"L*_in_{parameter}",
            derivative,
            "==",
            formula,
            f"The law's own derivative in {parameter} at the optimum: that the optimum moves has no effect to first order.",
        )
        for parameter, derivative, formula in zip(PARAMETERS, direct, closed.loss, strict=True)
    )
    shift = Claim(
        "L*_with_E",
        envelope.loss
        - envelope.reducible.subs(sym.C, Integer(6)) * (6 / sym.C) ** envelope.exponent,
        "==",
        sym.E,
        "E is added to R*, so its derivative is 1 and it stands in no other.",
    )
    return Derivation(
        name="delta_method_envelope",
        title="Delta method for the loss on the envelope",
        assumptions=("L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive", "C is fixed"),
        statement=r"\nabla\log R^* = (w_N, w_D, -w_N \log N^*, -w_D \log D^*),\qquad \nabla L^* = R^*\,\nabla\log R^*,"
        r"\quad \partial L^*/\partial E = 1",
        steps=(*scaled, *of_log, *of_loss, shift),
        source="Differentiation of the closed form; the envelope theorem.",
        follows="An interval for L*(C) by the delta method, and the direction in which log A and beta trade off: N* sets it.",
    )
