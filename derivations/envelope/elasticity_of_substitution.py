"""Params and tokens are complements: their elasticity of substitution is below 1, and 2/(2+beta+gamma) at the optimum."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.economics import (
    elasticity_of_substitution,
    optimal_elasticity_of_substitution,
    substitution_along,
)
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """From the definition on the explicit contour; its value at the optimum; the bound; the CES case."""
    m = misallocation()
    envelope, b, g = m.envelope, sym.BETA, sym.GAMMA
    params, tokens = PARAMS_TOKENS.terms
    t_n, t_d = params.expression, tokens.expression
    sigma = elasticity_of_substitution()
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    scale = Symbol("lambda", positive=True)
    output = PARAMS_TOKENS.reducible.subs(g, b) ** (-1 / b)
    steps = (
        Claim(
            "on_the_contour",
            substitution_along(m.iso_loss_tokens, sym.N),
            "==",
            sigma.subs(sym.D, m.iso_loss_tokens),
            "dlog(D/N)/dlog(-dD/dN) along D(N) = (B/(R - A N^-beta))^(1/gamma).",
            assume=(sym.REDUCIBLE - t_n,),
        ),
        Claim(
            "at_the_optimum",
            sigma.subs(optimum),
            "==",
            optimal_elasticity_of_substitution(),
            "With beta T_N = gamma T_D it is 2/(2 + beta + gamma).",
        ),
        Claim(
            "complements",
            sigma,
            "<",
            Integer(1),
            "It is below 1 everywhere.",
            ByPositiveTerms(form=b * g * (t_n + t_d) / ((1 + b) * g * t_d + (1 + g) * b * t_n)),
        ),
        Claim(
            "equal_exponents",
            sigma.subs(g, b),
            "==",
            1 / (1 + b),
            "For beta = gamma it is the constant 1/(1 + beta).",
        ),
        Claim(
            "ces_output",
            output.subs([(sym.N, scale * sym.N), (sym.D, scale * sym.D)], simultaneous=True),
            "==",
            scale * output,
            "Then (L - E)^(-1/beta) is a CES output with constant returns: twice the inputs, twice the output.",
        ),
    )
    return Derivation(
        name="elasticity_of_substitution",
        title="Elasticity of substitution between params and tokens",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "along an iso-loss contour",
        ),
        statement=r"\sigma = \frac{\beta T_N + \gamma T_D}{(1+\beta)\gamma T_D + (1+\gamma)\beta T_N} < 1,\qquad \sigma^* = "
        r"\frac{2}{2+\beta+\gamma}",
        steps=steps,
        source="Definition of Hicks; Arrow, Chenery, Minhas and Solow 1961 for CES.",
        follows="A shortage of data is hard to buy off with params, and the other way round.",
    )
