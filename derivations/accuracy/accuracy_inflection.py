"""The accuracy curve exp(-A C^-alpha) is S-shaped on a logarithmic axis; on a linear axis it is concave from near its foot."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import KRAJEWSKI, AccuracyCurve
from isoflop.theory.proof.arguments import ByConvexity, ByPositiveTerms
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    partial,
    say,
    step,
)


def derivation() -> Derivation:
    """Second derivatives of Q in C and in log C, in u = -log Q."""
    exponent = Symbol("a", positive=True)
    curve = AccuracyCurve(sym.A, exponent)
    a, c, q, u = exponent, sym.C, function("Q")(sym.C), function("u")(sym.C)
    foot, v, x = Symbol("w", positive=True), Symbol("v", positive=True), Symbol("x", real=True)

    def at(neg_log: Expr) -> Expr:
        """The compute where -log Q has this value."""
        return curve.compute_where(neg_log)

    def curvature(neg_log: Expr) -> Expr:
        return Subs(partial(q, c, 2), c, at(neg_log))

    def logarithmic(neg_log: Expr) -> Expr:
        return Subs(partial(q, log(c), 2), c, at(neg_log))

    steps = (
        step(
            "linear_axis",
            (c**2 * partial(q, c, 2), "=", a * u * (a * u - a - 1) * q),
            say("Differentiate twice in {}:", c),
        ),
        step(
            "log_axis",
            (partial(q, log(c), 2), "=", a**2 * u * (u - 1) * q),
            say("Differentiate twice in {}:", log(c)),
        ),
        step(
            "linear_inflection",
            (curvature(foot), "=", 0),
            say("The last factor of {linear_axis} vanishes where {} is {}:", u, foot),
        ),
        step(
            "convex_before",
            (curvature(foot * (1 + v)), ">", 0),
            say("At less compute {} is larger, and the curvature positive:", u),
            ByPositiveTerms(
                form=a
                * foot
                * (1 + v)
                * (1 + a)
                * v
                * exp(-foot * (1 + v))
                * at(foot * (1 + v)) ** -2
            ),
        ),
        step(
            "concave_after",
            (curvature(foot / (1 + v)), "<", 0),
            "At more compute it is smaller, and the curvature negative:",
            ByPositiveTerms(
                form=a
                * foot
                / (1 + v)
                * (1 + a)
                * v
                / (1 + v)
                * exp(-foot / (1 + v))
                * at(foot / (1 + v)) ** -2
            ),
        ),
        step(
            "log_slope_grows_before",
            (logarithmic(1 + v), ">", 0),
            say("On the logarithmic axis the slope grows while {} is above one:", u),
            ByPositiveTerms(form=a**2 * (1 + v) * v * exp(-(1 + v))),
        ),
        step(
            "log_slope_falls_after",
            (logarithmic(1 / (1 + v)), "<", 0),
            "And it falls after that:",
            ByPositiveTerms(form=a**2 * v / (1 + v) ** 2 * exp(-1 / (1 + v))),
        ),
        step("slope", (Partial(q, log(c)), "=", a * u * exp(-u)), "The slope itself:"),
        step(
            "steepest",
            (exp(u - 1), ">=", u),
            say(
                "By {slope} it is at most {}, for the exponential lies above its tangent:",
                a * exp(-1),
            ),
            ByConvexity(exp(x), x, u - 1, Integer(0)),
        ),
    )
    return Derivation(
        name="accuracy_inflection",
        title="Inflection of the accuracy curve",
        assumptions=(
            say("Let {} and {}, with ", (u, "=", sym.A * c**-a), (q, "=", exp(-u)))
            + all_positive((sym.A, a, c, v))
            + ". An irreducible term would multiply the curve by a constant.",
        ),
        definitions=(
            Definition(u, sym.A * c**-a),
            Definition(q, exp(-u)),
            Definition(foot, curve.compute_inflection),
        ),
        statement=say(
            "On a linear axis of compute {linear_axis}: the accuracy is convex while {} is "
            "above {} and concave after that, {convex_before} and {concave_after}. On a "
            "logarithmic axis {log_axis}: it is steepest where {} is one, since {slope} and "
            "{steepest}.",
            u,
            foot,
            u,
        ),
        steps=steps,
        source=f"{KRAJEWSKI}, equation 2, for the curve; elementary calculus.",
        follows="For the exponent 0.18 the inflection in compute is at an accuracy of 0.0014: the S shape that is seen "
        "belongs to the "
        "logarithmic axis.",
    )
