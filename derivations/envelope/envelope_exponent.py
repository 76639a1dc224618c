"""The envelope's exponent is half the harmonic mean of the two exponents, and so lies below both."""

from __future__ import annotations

from dataclasses import replace

from sympy import Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradient_claims, gradients
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """1/alpha = 1/beta + 1/gamma from the loss at the optimum; its bounds; what one exponent alone can do."""
    envelope = derive()
    names, b, g = envelope.named, sym.BETA, sym.GAMMA
    alpha, (w_n, w_d) = names.exponent, names.shares
    best = function("R")(*names.allocation)
    gap = Symbol("h", positive=True)
    steps = (
        step(
            "power_law",
            (best, "=", names.reducible),
            "The reducible loss at the optimum is a power of compute:",
        ),
        step("slope", (-Partial(log(best), log(sym.C)), "=", alpha), "Its slope in logarithms:"),
        step(
            "reciprocals",
            (1 / alpha, "=", 1 / b + 1 / g),
            say(
                "The reciprocals of the exponents add up, so that twice {} is the harmonic mean of {} and {}:",
                alpha,
                b,
                g,
            ),
        ),
        step(
            "below_the_mean",
            (alpha, "<=", (b + g) / 4),
            say(
                "The harmonic mean is at most the arithmetic one; the difference is {}:",
                (b - g) ** 2 / (4 * (b + g)),
            ),
            ByPositiveTerms(form=(b - g) ** 2 / (4 * (b + g))),
        ),
        step(
            "below_beta",
            (alpha, "<", b),
            say("It is {} with a share below 1:", b * w_n),
            ByPositiveTerms(form=b * w_d),
        ),
        step(
            "below_gamma",
            (alpha, "<", g),
            say("And so it is {}:", g * w_d),
            ByPositiveTerms(form=g * w_n),
        ),
        step(
            "above_half_the_smaller",
            ((b * g / (b + g)).subs(b, g + gap), ">", g / 2),
            say(
                "Let {} with {}; the other order is the same with the names exchanged. It exceeds "
                "half the smaller exponent:",
                (b, "=", g + gap),
                (gap, ">", 0),
            ),
            ByPositiveTerms(form=g * gap / (2 * (2 * g + gap))),
        ),
        *(
            replace(step, name=f"grows_in_{name}")
            for name, step in zip(
                ("beta", "gamma"),
                gradient_claims(
                    "alpha",
                    alpha,
                    gradients(names).exponent,
                    lambda x: say("Differentiate the closed form in {}:", x),
                )[2:],
                strict=True,
            )
        ),
    )
    return Derivation(
        name="envelope_exponent",
        title="The envelope's exponent",
        assumptions=envelope.assumptions,
        definitions=envelope.definitions,
        statement=say(
            "The reducible loss on the envelope falls as {}, {power_law}, with "
            "{reciprocals}. The exponent is smaller than either of the law's, {below_beta} "
            "and {below_gamma}, and at most half their mean, {below_the_mean}; it exceeds "
            "half the smaller one, {above_half_the_smaller}, and grows with both, "
            "{grows_in_beta} and {grows_in_gamma}.",
            sym.C**-alpha,
        ),
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; the bounds are those of the harmonic mean.",
        follows="The smaller exponent limits the envelope's: however large one of them, it stays below the other.",
    )
