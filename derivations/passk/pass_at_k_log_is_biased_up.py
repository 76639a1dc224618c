"""The negative log of an unbiased estimate of pass@k is biased up, by its variance over 2 pass@k^2 to leading order."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory.passk import CHEN
from isoflop.theory.proof.argument_calculus import ByConvexity, ByMonotone
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """-log lies above its tangent at the mean; bounds of second order on the gap."""
    x, mean, shift = (Symbol(name, positive=True) for name in ("x", "mu", "h"))
    u = Symbol("u", real=True)
    excess_at_most = x**2 / 2 - (log(1 + x) - x / (1 + x))
    excess_above = x**2 / 2 - (x - log(1 + x))
    shortfall_above = x - log(1 + x) - x**2 / 2 + x**3 / 3
    excess_below = log(1 + x) - x / (1 + x) - (x / (1 + x)) ** 2 / 2
    return Derivation(
        name="pass_at_k_log_is_biased_up",
        title="-log of an estimated pass@k is biased up",
        assumptions=(
            "x, an estimate of pass@k, random and always positive, and mu, its mean",
            "an unbiased estimate from samples is 0 where none is correct, and -log x has then no finite mean; given x > 0 its "
            "mean mu exceeds pass@k",
        ),
        statement=(
            r"\mathbb{E}[-\log x] \ge -\log \mu, \qquad"
            r"\mathbb{E}[-\log x] + \log \mu = \mathbb{E}[u - \log(1 + u)], \quad u = x/\mu - 1, \qquad"
            r"\tfrac12 u^2 - \tfrac13 u^3 \le u - \log(1 + u) \le \tfrac12 u^2 \ (u > 0), \qquad"
            r"\tfrac12 u^2 \le u - \log(1 + u) \le \tfrac12 u^2/(1 + u)^2 \ (u < 0)"
        ),
        steps=(
            Claim(
                "tangent",
                -log(x),
                ">=",
                -log(mean) - (x - mean) / mean,
                "-log is convex, so it lies above its tangent at the mean of x; the mean of the tangent is its value there.",
                ByConvexity(-log(x), x, x, mean),
            ),
            Claim(
                "gap",
                (-log(x) + log(mean) + (x - mean) / mean).subs(x, mean * (1 + u)),
                "==",
                u - log(1 + u),
                "With x = 1 + u times its mean, the gap to the tangent is u - log(1 + u), and its mean the bias,",
                assume=(1 + u,),
            ),
            Claim(
                "at_most_half_the_square_above",
                excess_above.subs(x, shift),
                ">=",
                Integer(0),
                "at most u^2/2 for u > 0, here h,",
                ByMonotone(
                    excess_above, x, shift, Integer(0), slope=ByPositiveTerms(form=x**2 / (1 + x))
                ),
            ),
            Claim(
                "next_order",
                shortfall_above.subs(x, shift),
                ">=",
                Integer(0),
                "and at least u^2/2 - u^3/3.",
                ByMonotone(
                    shortfall_above,
                    x,
                    shift,
                    Integer(0),
                    slope=ByPositiveTerms(form=x**3 / (1 + x)),
                ),
            ),
            Claim(
                "at_least_half_the_square_below",
                excess_below.subs(x, shift),
                ">=",
                Integer(0),
                "For u = -h/(1 + h) < 0 it is at least u^2/2: estimates that are too low weigh more,",
                ByMonotone(
                    excess_below,
                    x,
                    shift,
                    Integer(0),
                    slope=ByPositiveTerms(form=x**2 / (1 + x) ** 3),
                ),
            ),
            Claim(
                "at_most_below",
                excess_at_most.subs(x, shift),
                ">=",
                Integer(0),
                "and at most h^2/2, that is u^2/2 over (1 + u)^2: on both sides the leading order is u^2/2, whose mean is the "
                "variance of x over 2 mu^2.",
                ByMonotone(
                    excess_at_most,
                    x,
                    shift,
                    Integer(0),
                    slope=ByPositiveTerms(form=x**2 * (2 + x) / (1 + x) ** 2),
                ),
            ),
        ),
        source=f"Jensen's inequality and the delta method; {CHEN}, for the estimator.",
        follows="Fit counts by a binomial likelihood; clipping zeros or dropping them in silence biases -log pass@k.",
    )
