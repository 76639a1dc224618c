"""Along the budget the loss is strictly convex in log N, so N*(C) is its only stationary point and its global minimum."""

from __future__ import annotations

from sympy import Integer, exp

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """First and second derivative of R(N* e^s, D* e^-s) in s, from the law."""
    envelope, s = derive(), sym.LOG_SIZE_RATIO
    params, tokens = PARAMS_TOKENS.terms
    b, g, best = params.exponent, tokens.exponent, envelope.reducible
    w_n, w_d = envelope.shares
    along = PARAMS_TOKENS.reducible.subs(
        [(sym.N, envelope.params * exp(s)), (sym.D, envelope.tokens * exp(-s))]
    )
    in_shares = best * (w_n * exp(-b * s) + w_d * exp(g * s))
    lost = envelope.exponent * best
    above = lost * (
        w_d * (b + envelope.exponent) * exp(-b * s) + w_n * (g + envelope.exponent) * exp(g * s)
    )
    steps = (
        Claim(
            "along_the_budget",
            along,
            "==",
            in_shares,
            "With N = N* e^s and D = D* e^-s the loss is a sum of two exponentials in s.",
        ),
        Claim(
            "stationary",
            along.diff(s).subs(s, 0),
            "==",
            Integer(0),
            "s = 0 is stationary: the two slopes cancel.",
        ),
        Claim(
            "curvature",
            along.diff(s, 2).subs(s, 0),
            "==",
            b * g * best,
            "The second derivative in log N at the optimum is beta gamma (L* - E).",
        ),
        Claim(
            "convex",
            in_shares.diff(s, 2),
            ">",
            Integer(0),
            "The second derivative is a sum of positive terms at every s.",
            ByPositiveTerms(),
        ),
        Claim(
            "minimum",
            along,
            ">=",
            best,
            "A convex function lies above its tangent, which is horizontal at s = 0.",
            ByConvexity(in_shares, s, s, Integer(0)),
        ),
        Claim(
            "curvature_bound",
            in_shares.diff(s, 2),
            ">=",
            envelope.exponent**2 * in_shares,
            "The curvature is at least alpha^2 R, since alpha is below both exponents: the valley has no flat stretch.",
            ByPositiveTerms(form=above),
        ),
    )
    return Derivation(
        name="unique_minimum_along_the_budget",
        title="One minimum along the budget",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = N* e^s, D = D* e^-s at the same compute",
        ),
        statement=r"\frac{d^2 L}{d(\log N)^2} > 0 \text{ along } 6ND = C,\qquad \frac{d^2 L}{d(\log N)^2}\Big|_{*} = "
        r"\beta\gamma\,(L^* - E)",
        steps=steps,
        source="Calculus; the form of the isoFLOP profile of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="There is no interior maximum; beta gamma (L* - E) is the curvature that an isoFLOP profile measures.",
    )
