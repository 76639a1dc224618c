"""The negative log of an unbiased estimate of pass@k is biased up, by its variance over 2 pass@k^2 to leading order."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory.argument_calculus import ByConvexity, ByMonotone
from isoflop.theory.claim import ByPositiveTerms, Claim, Derivation
from isoflop.theory.passk import CHEN


def derivation() -> Derivation:
    """-log lies above its tangent at the mean; bounds of second order on the gap."""
    x, mean, shift = (Symbol(name, positive=True) for name in ("x", "mu", "h"))
    excess_above = x**2 / 2 - (x - log(1 + x))
    shortfall_above = x - log(1 + x) - x**2 / 2 + x**3 / 3
    excess_below = log(1 + x) - x / (1 + x) - (x / (1 + x)) ** 2 / 2
    return Derivation(
        name="pass_at_k_log_is_biased_up",
        title="-log of an estimated pass@k is biased up",
        assumptions=(
            "x, an unbiased estimate of pass@k > 0, its mean",
            "x > 0 (without a correct sample -log x is infinite)",
        ),
        statement=(
            r"\mathbb{E}[-\log x] \ge -\log \mu, \qquad"
            r"\mathbb{E}[-\log x] + \log \mu \approx \frac{\operatorname{Var} x}{2\mu^2}"
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
                "at_most_half_the_square_above",
                excess_above.subs(x, shift),
                ">=",
                Integer(0),
                "With x = 1 + u times its mean, the gap to the tangent is u - log(1 + u): at most u^2/2 for u > 0,",
                ByMonotone(excess_above, x, shift, Integer(0), slope=ByPositiveTerms(form=x**2 / (1 + x))),
            ),
            Claim(
                "next_order",
                shortfall_above.subs(x, shift),
                ">=",
                Integer(0),
                "and at least u^2/2 - u^3/3: the leading order is u^2/2, whose mean is the relative variance of x over 2.",
                ByMonotone(shortfall_above, x, shift, Integer(0), slope=ByPositiveTerms(form=x**3 / (1 + x))),
            ),
            Claim(
                "at_least_half_the_square_below",
                excess_below.subs(x, shift),
                ">=",
                Integer(0),
                "For u = -h/(1 + h) < 0 the gap is at least u^2/2: estimates that are too low weigh more.",
                ByMonotone(excess_below, x, shift, Integer(0), slope=ByPositiveTerms(form=x**2 / (1 + x) ** 3)),
            ),
        ),
        source=f"Jensen's inequality and the delta method; {CHEN}, for the estimator.",
        follows="Fit counts by a binomial likelihood; clipping zeros or dropping them in silence biases -log pass@k.",
    )
