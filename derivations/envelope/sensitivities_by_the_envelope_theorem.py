"""The optimal loss changes with a coefficient as the loss at fixed allocation does: re-optimising adds nothing at first order."""

from __future__ import annotations

from sympy import Subs, log

from isoflop.theory import symbols as sym
from isoflop.theory.economics import sensitivities
from isoflop.theory.envelope import derive
from isoflop.theory.theorem import Claim, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """For A, B, beta, gamma: the total derivative of L*(C), the partial one of L at (N*, D*), and the closed form."""
    envelope = derive()
    names, C = envelope.named, sym.C
    n, d = names.allocation
    closed = sensitivities(names)
    variables = {x: log(x) if x in (sym.A, sym.B) else x for x in closed if x != sym.E}
    law = function("L")
    steps: list[Claim] = []
    for x, variable in variables.items():
        steps += [
            step(
                f"partial_{x}",
                (
                    Subs(Partial(law(sym.N, sym.D), variable), (sym.N, sym.D), (n, d)),
                    "=",
                    closed[x],
                ),
                say("With {} and {} held, at the optimum:", sym.N, sym.D),
            ),
            step(
                f"total_{x}",
                (Partial(law(n, d), variable), "=", closed[x]),
                "With the optimum moving along the same:",
            ),
        ]
    steps += [
        step(
            "total_E",
            (Partial(law(n, d), sym.E), "=", 1),
            say("The irreducible loss {} is added, and does not move the optimum:", sym.E),
        ),
        step(
            "common_rescaling",
            (
                Partial(law(n, d), log(sym.A)) + Partial(law(n, d), log(sym.B)),
                "=",
                law(n, d) - sym.E,
            ),
            say("Scaling {} and {} together scales the least reducible loss:", sym.A, sym.B),
        ),
    ]
    return Derivation(
        name="sensitivities_by_the_envelope_theorem",
        title="Sensitivities of the optimal loss",
        assumptions=envelope.assumptions,
        definitions=envelope.definitions,
        statement=say(
            "At a fixed compute {} the least loss moves with the constants of the law by "
            "{total_A}, {total_B}, {total_beta}, {total_gamma} and {total_E}, which is the "
            "same as for the law itself at the optimum, {partial_A}, {partial_B}, "
            "{partial_beta} and {partial_gamma}.",
            C,
        ),
        steps=tuple(steps),
        source="The envelope theorem of constrained optimisation.",
        follows="The gradients that the delta method needs for the loss on the envelope.",
    )
