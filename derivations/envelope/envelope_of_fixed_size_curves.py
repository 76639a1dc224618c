"""The compute law is the envelope, in the sense of geometry, of the curves L(C) of single model sizes."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Each curve L_N(C) lies above L*(C), touches it where N = N*(C), and has its slope there."""
    envelope, n = derive(), sym.N
    params, _ = PARAMS_TOKENS.terms
    curve = PARAMS_TOKENS.loss.subs(sym.D, misallocation().remaining(n))
    reducible = curve - sym.E
    touch = envelope.compute_where(n, n)
    steps = (
        Claim(
            "family",
            curve.diff(n).subs(n, envelope.params),
            "==",
            Integer(0),
            "N*(C) solves dL_N(C)/dN = 0, the equation of the envelope of the family.",
        ),
        Claim(
            "envelope",
            curve.subs(n, envelope.params),
            "==",
            envelope.loss,
            "With N eliminated the envelope is E + C0 C^-alpha.",
        ),
        Claim(
            "touches",
            curve.subs(sym.C, touch),
            "==",
            envelope.loss.subs(sym.C, touch),
            "The curve of size N meets the envelope at the compute where N is optimal.",
        ),
        Claim(
            "common_tangent",
            curve.diff(sym.C).subs(sym.C, touch),
            "==",
            envelope.loss.diff(sym.C).subs(sym.C, touch),
            "There both have the same slope.",
        ),
        Claim(
            "above",
            reducible,
            ">=",
            envelope.reducible,
            "Elsewhere the curve lies above the envelope.",
            ByWeightedAmGm((params.expression, reducible - params.expression), envelope.shares),
        ),
        Claim(
            "levels_off",
            reducible,
            "->",
            params.expression,
            "With more compute a single size levels off at E + A N^-beta.",
            ByLeadingTerm(sym.C, "oo"),
        ),
    )
    return Derivation(
        name="envelope_of_fixed_size_curves",
        title="The compute law is the envelope of the training curves of single sizes",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "one curve for each N > 0",
        ),
        statement=r"L_N(C) = E + A N^{-\beta} + B\,(6N/C)^{\gamma} \ge L^*(C) = E + C_0 C^{-\alpha},\quad \text{with a common "
        r"tangent where } N = N^*(C)",
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; the envelope of a family of curves is classical.",
        follows="A compute law is read off the lower hull of training curves, not off one of them.",
    )
