"""Scaling params and tokens together lowers R with elasticity beta v + gamma (1 - v), 2 alpha at the optimum."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.economics import scale_elasticity
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The elasticity from the law, its value at the optimum, its bounds and its limits under joint scaling."""
    envelope, law, scale = derive(), PARAMS_TOKENS.reducible, Symbol("lambda", positive=True)
    params, tokens = PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    scaled = law.subs([(sym.N, scale * sym.N), (sym.D, scale * sym.D)], simultaneous=True)
    local = scale_elasticity()
    gap = Symbol("h", positive=True)
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    steps = (
        Claim(
            "elasticity",
            (-scaled.diff(scale) / scaled).subs(scale, 1),
            "==",
            local,
            "-dlog R/dlog lambda at lambda = 1 is the mean of the exponents, weighted by the terms' shares.",
        ),
        Claim(
            "at_the_optimum",
            local.subs(optimum),
            "==",
            2 * envelope.exponent,
            "At the optimum it is 2 alpha: doubling both costs four times the compute.",
        ),
        Claim(
            "above_the_smaller",
            local.subs(b, g + gap),
            ">",
            g,
            "For beta = gamma + h it lies above gamma ...",
            ByPositiveTerms(form=(gap * params.expression / law).subs(b, g + gap)),
        ),
        Claim(
            "below_the_larger",
            local.subs(b, g + gap),
            "<",
            g + gap,
            "... and below beta; the other order is the same with the names swapped.",
            ByPositiveTerms(form=(gap * tokens.expression / law).subs(b, g + gap)),
        ),
        Claim(
            "in_the_end",
            scaled.subs(b, g + gap),
            "~",
            tokens.expression.subs(sym.D, scale * sym.D),
            "Scaled without end the term with the smaller exponent is left.",
            ByLeadingTerm(scale, "oo"),
        ),
    )
    return Derivation(
        name="returns_to_scale",
        title="Returns to scale",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N and D scaled by the same factor",
        ),
        statement=r"-\frac{\partial\log R(\lambda N, \lambda D)}{\partial\log\lambda}\Big|_{\lambda=1} = \beta v + "
        r"\gamma(1-v),\quad v = T_N/R,\qquad = 2\alpha \text{ at the optimum}",
        steps=steps,
        source="Elasticity of scale; the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="Equal scaling of both is optimal only where the exponents are equal.",
    )
