"""The gradient of log C0, the coefficient of the compute law."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import gradient, gradients
from isoflop.theory.proof.claim import Claim, Derivation

PARAMETERS = ("log A", "log B", "beta", "gamma")
SCALE = Symbol("q", positive=True)


def derivation() -> Derivation:
    """grad log C0 = (w_N, w_D, w_N (w_N log 6 - log G), w_D (w_D log 6 + log G)) with G = N*(6)."""
    closed = gradients()
    envelope = closed.envelope
    steps = tuple(
        Claim(
            f"C0_in_log_{coefficient}",
            envelope.coefficient.subs(coefficient, SCALE * coefficient) / envelope.coefficient,
            "==",
            SCALE**formula,
            f"Scaling {coefficient} by q scales C0 by a power of q: that power is the derivative in log {coefficient}.",
        )
        for coefficient, formula in zip((sym.A, sym.B), closed.log_coefficient[:2], strict=True)
    )
    steps += tuple(
        Claim(
            f"C0_in_{exponent}",
            derivative,
            "==",
            formula,
            f"Differentiate the closed form of log C0 in {exponent}.",
        )
        for exponent, derivative, formula in zip(
            (sym.BETA, sym.GAMMA),
            gradient(log(envelope.coefficient))[2:],
            closed.log_coefficient[2:],
            strict=True,
        )
    )
    steps += tuple(
        Claim(
            f"at_unit_compute_{parameter}",
            at_compute.subs(sym.C, Integer(1)),
            "==",
            formula,
            f"C0 is R* at C = 1: the gradient of log R* there, in {parameter}.",
        )
        for parameter, at_compute, formula in zip(
            PARAMETERS, closed.log_reducible, closed.log_coefficient, strict=True
        )
        if at_compute.has(sym.C)
    )
    return Derivation(
        name="delta_method_coefficient",
        title="Delta method for the coefficient of the compute law",
        assumptions=("L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",),
        statement=(
            r"\nabla\log C_0 = \left(w_N, w_D, w_N(w_N\log 6 - \log G), w_D(w_D\log 6 + \log G)\right),\qquad"
            r" G = \left(\tfrac{\beta A}{\gamma B}\right)^{1/(\beta+\gamma)}"
        ),
        steps=steps,
        source="Differentiation of the closed form.",
        follows="C0 is the loss at one FLOP, far outside any data: report R* at a compute within the data instead.",
    )
