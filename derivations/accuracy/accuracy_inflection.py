"""The accuracy curve exp(-A C^-alpha) is S-shaped on a logarithmic axis; on a linear axis it is concave from near its foot."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.passk import KRAJEWSKI, AccuracyCurve
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """Second derivatives of Q in C and in log C, in u = -log Q."""
    curve = AccuracyCurve(sym.A, sym.ALPHA)
    a, c, q = sym.ALPHA, sym.C, curve.accuracy
    v, x = Symbol("v", positive=True), Symbol("x", real=True)
    in_log = c * (c * q.diff(c)).diff(c)
    linear, logarithmic = curve.compute_inflection, curve.log_inflection
    return Derivation(
        name="accuracy_inflection",
        title="Inflection of the accuracy curve",
        assumptions=(
            "-log Q = u = A C^-alpha; with an irreducible term E the curve is e^-E times this one",
        ),
        statement=(
            r"\frac{C^2 Q''}{Q} = \alpha u(\alpha u - \alpha - 1), \qquad"
            r"\frac{1}{Q}\frac{d^2 Q}{d(\log C)^2} = \alpha^2 u (u - 1)"
        ),
        steps=(
            Claim(
                "linear_axis",
                c**2 * q.diff(c).diff(c) / q,
                "==",
                curve.compute_curvature,
                "Differentiate twice in C.",
            ),
            Claim(
                "log_axis", in_log / q, "==", curve.log_curvature, "Differentiate twice in log C."
            ),
            Claim(
                "linear_inflection",
                q.diff(c, 2).subs(c, curve.compute_where(linear)),
                "==",
                Integer(0),
                "On a linear axis the curvature vanishes at u = 1 + 1/alpha, that is at Q = exp(-(1 + 1/alpha)).",
            ),
            Claim(
                "convex_before",
                (c**2 * q.diff(c, 2)).subs(c, curve.compute_where(linear * (1 + v))),
                ">",
                Integer(0),
                "Below that compute Q is convex,",
                ByPositiveTerms(form=a * linear * (1 + v) * (1 + a) * v * exp(-linear * (1 + v))),
            ),
            Claim(
                "concave_after",
                (c**2 * q.diff(c, 2)).subs(c, curve.compute_where(linear / (1 + v))),
                "<",
                Integer(0),
                "above it concave.",
                ByPositiveTerms(
                    form=a * linear / (1 + v) * (1 + a) * v / (1 + v) * exp(-linear / (1 + v))
                ),
            ),
            Claim(
                "log_slope_grows_before",
                in_log.subs(c, curve.compute_where(logarithmic * (1 + v))),
                ">",
                Integer(0),
                "On a logarithmic axis the slope grows while u > 1,",
                ByPositiveTerms(form=a**2 * (1 + v) * v * exp(-(1 + v))),
            ),
            Claim(
                "log_slope_falls_after",
                in_log.subs(c, curve.compute_where(logarithmic / (1 + v))),
                "<",
                Integer(0),
                "and falls when u < 1: the inflection is at u = 1, Q = 1/e, C = A^(1/alpha).",
                ByPositiveTerms(form=a**2 * v / (1 + v) ** 2 * exp(-1 / (1 + v))),
            ),
            Claim(
                "steepest",
                curve.steepest / (c * q.diff(c)) * curve.neg_log,
                ">=",
                curve.neg_log,
                "There the slope dQ/dlog C = alpha u e^-u has its maximum alpha/e: e^(u - 1) lies above its tangent u at u = 1.",
                ByConvexity(exp(x), x, curve.neg_log - 1, Integer(0)),
            ),
        ),
        source=f"{KRAJEWSKI}, equation 2, for the curve; elementary calculus.",
        follows="For alpha = 0.18 the inflection in C is at Q = 0.0014: the visible S belongs to the logarithmic axis.",
    )
