"""The law is the upper envelope of Cobb-Douglas functions; the one in N D alone is the compute law."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.economics import WEIGHT, cobb_douglas_minorant
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """For every weight w = 1/(1+u) in (0, 1): the bound, where it is tight, and which member depends on N D alone."""
    envelope, law = derive(), PARAMS_TOKENS.reducible
    params, tokens = PARAMS_TOKENS.terms
    u = Symbol("u", positive=True)
    weight, other = 1 / (1 + u), u / (1 + u)
    minorant = cobb_douglas_minorant(weight)
    tight = (tokens.coefficient / (u * params.expression)) ** (1 / tokens.exponent)
    unit = {sym.N: 1, sym.D: 1}
    elasticities = [
        (x * log(cobb_douglas_minorant()).expand(force=True).diff(x)).cancel()
        for x in (sym.N, sym.D)
    ]
    steps = (
        Claim(
            "minorant",
            law,
            ">=",
            minorant,
            "Weighted AM-GM with weights w and 1 - w.",
            ByWeightedAmGm((params.expression, tokens.expression), (weight, other)),
        ),
        Claim(
            "tight",
            law.subs(sym.D, tight),
            "==",
            minorant.subs(sym.D, tight),
            "It is tight where T_D = u T_N, that is where T_N/R = w.",
        ),
        Claim(
            "share_there",
            (params.expression / law).subs(sym.D, tight),
            "==",
            weight,
            "There the params term holds the share w.",
        ),
        Claim(
            "upper_envelope",
            minorant.subs(unit).subs(u, tokens.coefficient / params.coefficient),
            "==",
            law.subs(unit),
            "With the run's own share as weight the minorant is R, so R is the maximum over w; in units of the run's own N "
            "and D, where A and B are its two terms.",
        ),
        Claim(
            "best_weight",
            log(minorant).diff(u).subs(u, tokens.expression / params.expression),
            "==",
            Integer(0),
            "The own share is the stationary weight.",
        ),
        Claim(
            "in_compute_alone",
            (elasticities[0] - elasticities[1]).subs(WEIGHT, envelope.shares[0]),
            "==",
            Integer(0),
            "N and D have the same exponent where w beta = (1 - w) gamma, that is for w = w_N.",
        ),
        Claim(
            "is_compute_law",
            cobb_douglas_minorant(envelope.shares[0]),
            "==",
            envelope.reducible.subs(sym.C, SIX_ND.compute()),
            "That member is C0 (6 N D)^-alpha.",
        ),
    )
    return Derivation(
        name="cobb_douglas_minorants",
        title="Cobb-Douglas minorants",
        assumptions=(
            "R = A N^-beta + B D^-gamma with positive coefficients and exponents",
            "0 < w < 1",
        ),
        statement=r"R \ge \Bigl(\frac{A N^{-\beta}}{w}\Bigr)^{w}\Bigl(\frac{B D^{-\gamma}}{1-w}\Bigr)^{1-w},\quad \text{tight "
        r"iff } T_N/R = w",
        steps=steps,
        source="Weighted AM-GM; Duffin, Peterson and Zener 1967, Geometric Programming.",
        follows="The compute law is the best bound that knows only N D.",
    )
