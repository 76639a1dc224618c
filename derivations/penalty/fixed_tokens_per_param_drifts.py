"""At fixed tokens per parameter the penalty drifts with compute unless the exponents are equal, and grows without bound."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import log_slope
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """The penalty on the ray D = t N through rho = t/(D*/N*), its growth for either order of the exponents, and where it is 1."""
    m = misallocation()
    envelope, line = m.envelope, ray(m.envelope)
    b, g, alpha, (w_n, w_d) = sym.BETA, sym.GAMMA, m.envelope.exponent, m.envelope.shares
    rho = sym.TOKENS_PER_PARAM / envelope.tokens_per_param
    penalty = line.reducible / envelope.reducible
    overtrained, undertrained = (
        tail.subs(sym.SIZE_RATIO, m.size_ratio).subs(sym.RATIO, rho)
        for tail in (m.overtrained_tail, m.undertrained_tail)
    )
    steps = (
        Claim(
            "penalty",
            penalty,
            "==",
            m.penalty_in_ratio.subs(sym.RATIO, rho),
            "The ray's penalty is P at rho = t N*/D*.",
        ),
        Claim(
            "at_least_one",
            penalty,
            ">=",
            Integer(1),
            "It is never below 1.",
            ByWeightedAmGm((w_n * rho ** (b / 2), w_d * rho ** (-g / 2)), (w_n, w_d)),
        ),
        Claim(
            "drift_of_ratio",
            rho.subs(sym.C, sym.C**2) / rho,
            "==",
            sym.C ** (w_n - w_d),
            "rho changes as C^((gamma-beta)/(beta+gamma)).",
        ),
        Claim(
            "touches",
            penalty.subs(sym.C, line.tangency),
            "==",
            Integer(1),
            "At C_t the ray crosses the optimal allocation.",
        ),
        Claim(
            "undertrained_in_the_end",
            penalty,
            "~",
            undertrained,
            "For beta > gamma the optimum wants ever more tokens than t: P ~ w_D rho^(-gamma/2).",
            ByLeadingTerm(sym.C, "oo"),
            assume=(b - g,),
        ),
        Claim(
            "overtrained_in_the_end",
            penalty,
            "~",
            overtrained,
            "For beta < gamma it wants fewer: P ~ w_N rho^(beta/2).",
            ByLeadingTerm(sym.C, "oo"),
            assume=(g - b,),
        ),
        Claim(
            "growth_undertrained",
            log_slope(undertrained),
            "==",
            alpha - g / 2,
            "The growth exponent is alpha - gamma/2 = gamma (beta-gamma)/(2 (beta+gamma)): the ray falls as C^(-gamma/2).",
        ),
        Claim(
            "growth_overtrained",
            log_slope(overtrained),
            "==",
            alpha - b / 2,
            "And alpha - beta/2 = beta (gamma-beta)/(2 (beta+gamma)) in the other case.",
        ),
        Claim(
            "growth_is_positive",
            alpha - g / 2,
            ">",
            Integer(0),
            "For beta > gamma it is positive: the penalty has no bound.",
            ByPositiveTerms(form=g * (b - g) / (2 * (b + g))),
            assume=(b - g,),
        ),
        Claim(
            "no_drift",
            (line.reducible.diff(sym.C) * sym.C / line.reducible).subs(g, b),
            "==",
            -alpha.subs(g, b),
            "For beta = gamma the ray keeps the exponent alpha and the penalty is constant.",
        ),
    )
    return Derivation(
        name="fixed_tokens_per_param_drifts",
        title="Runs at fixed tokens per parameter",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "D = t N with t > 0 fixed",
        ),
        statement=r"P = w_N\rho^{\beta/2} + w_D\rho^{-\gamma/2},\quad \rho = \frac{t\,N^*}{D^*} \propto "
        r"C^{(\gamma-\beta)/(\beta+\gamma)};\qquad \beta > \gamma:\; P \propto "
        r"C^{\gamma(\beta-\gamma)/(2(\beta+\gamma))}",
        steps=steps,
        source="Substitution of the ray in the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="A family at 20 tokens per parameter drifts off the optimum at a rate set by beta - gamma.",
    )
