"""The envelope's exponent is half the harmonic mean of the two exponents, and so lies below both."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """1/alpha = 1/beta + 1/gamma from the loss at the optimum; its bounds; what one exponent alone can do."""
    envelope = derive()
    alpha, b, g = envelope.exponent, sym.BETA, sym.GAMMA
    at_optimum = PARAMS_TOKENS.reducible.subs([(sym.N, envelope.params), (sym.D, envelope.tokens)])
    gap = Symbol("h", positive=True)
    steps = (
        Claim(
            "power_law",
            at_optimum / at_optimum.subs(sym.C, 1),
            "==",
            sym.C**-alpha,
            "R at the optimum falls as C^-alpha exactly.",
        ),
        Claim(
            "reciprocals",
            -at_optimum / (sym.C * at_optimum.diff(sym.C)),
            "==",
            1 / b + 1 / g,
            "The reciprocal of the slope -dlog R*/dlog C is the sum of the reciprocal exponents.",
        ),
        Claim(
            "harmonic_mean",
            2 * alpha,
            "==",
            2 / (1 / b + 1 / g),
            "Twice alpha is the harmonic mean of beta and gamma.",
        ),
        Claim(
            "below_the_mean",
            alpha,
            "<=",
            (b + g) / 4,
            "The harmonic mean is at most the arithmetic one.",
            ByPositiveTerms(form=(b - g) ** 2 / (4 * (b + g))),
        ),
        Claim(
            "below_beta",
            alpha,
            "<",
            b,
            "alpha = beta w_N with w_N < 1.",
            ByPositiveTerms(form=b * envelope.shares[1]),
        ),
        Claim(
            "below_gamma",
            alpha,
            "<",
            g,
            "alpha = gamma w_D with w_D < 1.",
            ByPositiveTerms(form=g * envelope.shares[0]),
        ),
        Claim(
            "above_half_the_smaller",
            alpha.subs(b, g + gap),
            ">",
            g / 2,
            "For beta = gamma + h with h > 0, alpha exceeds gamma/2; the other order is the same with the names swapped.",
            ByPositiveTerms(form=g * gap / (2 * (2 * g + gap))),
        ),
        Claim(
            "grows_in_beta",
            alpha.diff(b),
            "==",
            envelope.shares[0] ** 2,
            "dalpha/dbeta is the squared share of the params term.",
        ),
        Claim(
            "grows_in_gamma",
            alpha.diff(g),
            "==",
            envelope.shares[1] ** 2,
            "dalpha/dgamma is the squared share of the tokens term.",
        ),
    )
    return Derivation(
        name="envelope_exponent",
        title="The envelope's exponent",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=r"\frac1\alpha = \frac1\beta + \frac1\gamma,\qquad \tfrac12\min(\beta,\gamma) \le \alpha \le "
        r"\tfrac14(\beta+\gamma)",
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; the bounds are those of the harmonic mean.",
        follows="alpha is limited by the smaller exponent: however large gamma, alpha stays below beta.",
    )
