"""The optimal tokens per parameter move with compute as C^((beta-gamma)/(beta+gamma)): constant only for equal exponents."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive, log_slope
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Exponents of N*, D* and D*/N* in the compute; the sign of the drift; the case of equal exponents."""
    envelope = derive()
    ratio, b, g = envelope.tokens_per_param, sym.BETA, sym.GAMMA
    w_n, w_d = envelope.shares
    drift = log_slope(ratio)
    along = [(sym.N, sym.N), (sym.D, ratio * sym.N)]
    slopes = sym.N * PARAMS_TOKENS.loss.diff(sym.N) - sym.D * PARAMS_TOKENS.loss.diff(sym.D)
    steps = (
        Claim(
            "definition",
            envelope.tokens / envelope.params,
            "==",
            ratio,
            "D*/N* is a single power of the compute.",
        ),
        Claim(
            "stationary",
            slopes.subs(along).subs(sym.N, envelope.params),
            "==",
            Integer(0),
            "A run with that ratio and N*(C) params balances the law.",
        ),
        Claim(
            "exponents_add_up",
            log_slope(envelope.params) + log_slope(envelope.tokens),
            "==",
            Integer(1),
            "Compute is split between the two: the growth exponents add up to 1.",
        ),
        Claim(
            "exponent",
            drift,
            "==",
            w_d - w_n,
            "The drift is the difference of the two growth exponents, (beta - gamma)/(beta + gamma).",
        ),
        Claim(
            "rises",
            drift,
            ">",
            Integer(0),
            "For beta > gamma larger budgets want more tokens per parameter.",
            ByPositiveTerms(),
            assume=(b - g,),
        ),
        Claim(
            "falls",
            drift,
            "<",
            Integer(0),
            "For beta < gamma they want fewer.",
            ByPositiveTerms(),
            assume=(g - b,),
        ),
        Claim(
            "constant",
            (envelope.tokens / envelope.params).subs(g, b),
            "==",
            (PARAMS_TOKENS.terms[1].coefficient / PARAMS_TOKENS.terms[0].coefficient) ** (1 / b),
            "For beta = gamma it is (B/A)^(1/beta) at every compute.",
        ),
    )
    return Derivation(
        name="tokens_per_param",
        title="Tokens per parameter at the optimum",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=r"\frac{D^*}{N^*} = G^{-2}\,(C/6)^{(\beta-\gamma)/(\beta+\gamma)}",
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="A rule of thumb such as 20 tokens per parameter is exact at one compute only, unless the exponents are equal.",
    )
