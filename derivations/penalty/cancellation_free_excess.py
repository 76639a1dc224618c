"""The excess P - 1 is a sum of two positive terms, so it can be computed near r = 1 without loss of digits."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import phi2
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByConvexity, BySameDifference
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Why orders 0 and 1 cancel, the form with phi2(x) = (e^x - 1 - x)/x^2, and that both of its terms are positive."""
    m = misallocation()
    envelope, s = m.envelope, sym.LOG_SIZE_RATIO
    along = (
        PARAMS_TOKENS.reducible.subs(
            [(sym.N, envelope.params * exp(s)), (sym.D, envelope.tokens * exp(-s))]
        )
        / envelope.reducible
    )
    w_n, w_d = envelope.shares
    x = Symbol("x", real=True)
    tangent = ByConvexity(exp(x), x, x, Integer(0))
    steps = (
        Claim(
            "order_zero",
            w_n + w_d,
            "==",
            Integer(1),
            "The shares add up to 1, so the constants cancel.",
        ),
        Claim(
            "order_one",
            along.diff(s).subs(s, 0),
            "==",
            Integer(0),
            "w_N beta = w_D gamma = alpha, so the terms of first order cancel.",
        ),
        Claim(
            "excess",
            along - 1,
            "==",
            m.excess,
            "What is left of both exponentials is x^2 phi2(x), at x = -beta s and x = gamma s.",
        ),
        Claim(
            "exponential",
            exp(x),
            ">",
            1 + x,
            "exp is convex and 1 + x is its tangent at 0, which touches at x = 0 alone.",
            tangent,
            assume=(x**2,),
        ),
        Claim(
            "remainder",
            phi2(x) * x**2,
            ">",
            Integer(0),
            "So x^2 phi2(x) = e^x - 1 - x is positive, but for x = 0: both terms of the excess are positive.",
            BySameDifference(exp(x), 1 + x, tangent),
            assume=(x**2,),
        ),
        Claim(
            "second_order",
            (along - 1).diff(s, 2).subs(s, 0) / 2,
            "==",
            (m.excess / s**2).subs(s, 0),
            "At s = 0, phi2 is 1/2: the excess over s^2 has the value beta gamma/2 there, with no quotient 0/0.",
        ),
    )
    return Derivation(
        name="cancellation_free_excess",
        title="The excess penalty without cancellation",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = N* e^s, D = D* e^-s at the same compute",
        ),
        statement=r"P - 1 = s^2\,\alpha\,\bigl(\beta\,\varphi_2(-\beta s) + \gamma\,\varphi_2(\gamma s)\bigr),\qquad "
        r"\varphi_2(x) = \frac{e^x - 1 - x}{x^2} > 0",
        steps=steps,
        source="phi2 is the second function of the exponential integrators; the rewriting is elementary.",
        follows="The excess keeps its digits for |log r| down to the smallest numbers.",
    )
