"""The optimal loss changes with a coefficient as the loss at fixed allocation does: re-optimising adds nothing at first order."""

from __future__ import annotations

from sympy import Add

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import sensitivities
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """For A, B, beta, gamma: the total derivative of L*(C), the partial one of L at (N*, D*), and the closed form."""
    envelope, law = derive(), PARAMS_TOKENS.loss
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    closed = sensitivities(envelope)
    scale = {sym.A: sym.A, sym.B: sym.B}
    steps = []
    for x, value in closed.items():
        factor = scale.get(x, 1)
        by = f"log {x}" if x in scale else str(x)
        if x == sym.E:  # L* = E + R* and R* is free of E: nothing to prove
            continue
        steps.append(
            Claim(
                f"partial_{x}",
                factor * law.diff(x).subs(optimum),
                "==",
                value,
                f"dL/d{by} with N and D held at the optimum.",
            )
        )
        steps.append(
            Claim(
                f"total_{x}",
                factor * law.subs(optimum).diff(x),
                "==",
                value,
                f"dL*/d{by} with the optimum moving along: the same.",
            )
        )
    steps.append(
        Claim(
            "common_rescaling",
            Add(*(closed[x] for x in scale)),
            "==",
            envelope.loss - sym.E,
            "Scaling A and B together scales R*: the two sensitivities add up to R*.",
        )
    )
    return Derivation(
        name="sensitivities_by_the_envelope_theorem",
        title="Sensitivities of the optimal loss",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=(
            r"\frac{dL^*}{dE} = 1,\quad \frac{dL^*}{d\log A} = w_N R^*,\quad \frac{dL^*}{d\log B} = w_D R^*,\quad "
            r"\frac{dL^*}{d\beta} = -w_N R^* \log N^*,\quad \frac{dL^*}{d\gamma} = -w_D R^* \log D^*"
        ),
        steps=tuple(steps),
        source="The envelope theorem of constrained optimisation.",
        follows="The gradients that the delta method needs for L*(C).",
    )
