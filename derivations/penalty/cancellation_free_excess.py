"""The excess P - 1 is a sum of two positive terms, so it can be computed near r = 1 without loss of digits."""

from __future__ import annotations

from sympy import Integer, Subs, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import phi2
from isoflop.theory.penalty import PENALTY, misallocation, penalty_along_budget
from isoflop.theory.proof.arguments import ByConvexity, BySameDifference
from isoflop.theory.theorem import Derivation, Partial, partial, say, step


def derivation() -> Derivation:
    """Why orders 0 and 1 cancel, the form with phi2(x) = (e^x - 1 - x)/x^2, and that both of its terms are positive."""
    m = misallocation()
    s, x, penalty = sym.LOG_SIZE_RATIO, Symbol("x", real=True), PENALTY(exp(sym.LOG_SIZE_RATIO))
    b, g, alpha, (w_n, w_d) = (
        sym.BETA,
        sym.GAMMA,
        m.named.envelope.exponent,
        m.named.envelope.shares,
    )
    tangent = ByConvexity(exp(x), x, x, Integer(0))
    steps = (
        penalty_along_budget(m),
        step(
            "order_zero",
            (w_n + w_d, "=", 1),
            "The shares sum to one, so that the constants cancel:",
        ),
        step(
            "order_one",
            (Subs(Partial(penalty, s), s, 0), "=", -w_n * b + w_d * g, "=", 0),
            say("So do the terms of the first order, for {}:", (w_n * b, "=", w_d * g, "=", alpha)),
        ),
        step(
            "excess",
            (penalty - 1, "=", s**2 * alpha * (b * phi2(-b * s) + g * phi2(g * s))),
            say(
                "What is left of both exponentials is {}, at {} and at {}:",
                x**2 * phi2(x),
                (x, "=", -b * s),
                (x, "=", g * s),
            ),
        ),
        step(
            "exponential",
            (exp(x), ">", 1 + x),
            say("The exponential is strictly convex, and {} is its tangent at zero:", 1 + x),
            tangent,
            assume=(x**2,),
        ),
        step(
            "remainder",
            (phi2(x) * x**2, ">", 0),
            say("So {} is positive, and both terms of the excess are:", phi2(x)),
            BySameDifference(exp(x), 1 + x, tangent),
            assume=(x**2,),
        ),
        step(
            "second_order",
            (Subs(partial(penalty, s, 2), s, 0) / 2, "=", alpha * (b + g) * phi2(Integer(0))),
            say("At {} the two functions are one half, with no quotient of zeros:", (s, "=", 0)),
        ),
    )
    return Derivation(
        name="cancellation_free_excess",
        title="The excess penalty without cancellation",
        assumptions=(
            *m.envelope.assumptions,
            say(
                "Let {} and {} be real, and {}, with the value {} at zero.",
                s,
                x,
                (phi2(x), "=", (exp(x) - 1 - x) / x**2),
                phi2(Integer(0)),
            ),
        ),
        definitions=m.definitions,
        statement=say(
            "A run with {} times the optimal size at its compute has the penalty {penalty}. "
            "It exceeds one by {excess}, where both terms are positive, {remainder}.",
            exp(s),
        ),
        steps=steps,
        source="The second function of the exponential integrators; the rewriting is elementary.",
        follows="The excess keeps its digits for the smallest distances from the optimum.",
    )
