"""Putting c/n for p into 1 - (1 - p)^k gives too low a pass@k: in every sample, and therefore on average."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory.passk import CHEN, CORRECT, SAMPLES, fail_estimator_factor, falling
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """Compare the plug-in with the unbiased estimator factor by factor, and with the truth by convexity."""
    n, c = SAMPLES, CORRECT
    i, failing, q, x, mean, more = (
        Symbol(name, positive=True) for name in ("i", "m", "q", "x", "mu", "j")
    )
    first_moment, second_moment = falling(n, Integer(1)) * q, falling(n, Integer(2)) * q**2
    return Derivation(
        name="pass_at_k_plug_in_underestimates",
        title="The plug-in estimate of pass@k is too low",
        assumptions=(
            "n independent samples, c of them correct, each with probability p = 1 - q",
            "2 <= k <= n",
        ),
        statement=r"1 - \left(1 - \frac{c}{n}\right)^k \le 1 - \binom{n-c}{k}\Big/\binom{n}{k}",
        steps=(
            Claim(
                "factor_by_factor",
                fail_estimator_factor(c + failing + i, c, Integer(0)),
                ">=",
                fail_estimator_factor(c + failing + i, c, i),
                "With n = c + m + i: every factor 1 - c/(n - i) of the unbiased estimate of fail@k is at most 1 - c/n, so their "
                "product is at most the plug-in (1 - c/n)^k; where a factor is 0 so is the product.",
                ByPositiveTerms(form=c * i / ((c + failing) * (c + failing + i))),
            ),
            Claim(
                "by_convexity",
                x ** (1 + more),
                ">=",
                mean ** (1 + more) + (1 + more) * mean**more * (x - mean),
                "The same on average, for k = 1 + j: x^k lies above its tangent at the mean of x = 1 - c/n, and the mean of the "
                "tangent is fail@k (Jensen).",
                ByConvexity(x ** (1 + more), x, x, mean),
            ),
            Claim(
                "bias_for_two_draws",
                (second_moment + first_moment) / n**2 - q**2,
                "==",
                q * (1 - q) / n,
                "For k = 2 the bias of the plug-in fail@2 is the variance of c/n: F^2 = F(F - 1) + F.",
            ),
        ),
        source=f"{CHEN}, section 2.1, for the warning; the inequality factor by factor is elementary.",
        follows="The plug-in needs no k <= n, and pays with a bias of order 1/n.",
    )
