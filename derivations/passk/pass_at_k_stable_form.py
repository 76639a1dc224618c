"""The product and logarithmic forms in which the pass@k estimator is computed equal its definition."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory.algebra.functions import log1p
from isoflop.theory.passk import (
    CHEN,
    CORRECT,
    DRAWS,
    SAMPLES,
    fail_estimator,
    fail_estimator_factor,
    neg_log_pass_near_one,
    neg_log_pass_near_zero,
)
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """C(n - c, k)/C(n, k) is a product of k factors, or of c: take the shorter, in logarithms."""
    n, c, k = SAMPLES, CORRECT, DRAWS
    i, t = Symbol("i", positive=True), Symbol("t", positive=True)
    fails = n - c - k
    return Derivation(
        name="pass_at_k_stable_form",
        title="Stable forms of the pass@k estimator",
        assumptions=(
            "integers 1 <= k <= n and 1 <= c <= n - k (for c > n - k the estimate is 1, for c = 0 it is 0)",
        ),
        statement=(
            r"\binom{n-c}{k}\Big/\binom{n}{k} = \prod_{i=n-m+1}^{n} \left(1 - \frac{M}{i}\right),"
            r"\qquad m = \min(c, k),\ M = \max(c, k)"
        ),
        steps=(
            Claim(
                "one_draw",
                fail_estimator(n, c, Integer(1)),
                "==",
                fail_estimator_factor(n, c, Integer(0)),
                "For k = 1 the estimate of fail@k is the single factor 1 - c/n.",
            ),
            Claim(
                "one_more_draw",
                fail_estimator(n, c, k + 1) / fail_estimator(n, c, k),
                "==",
                fail_estimator_factor(n, c, k),
                "A further draw multiplies by 1 - c/(n - k): by induction the product over i = n - k + 1, ..., n of 1 - c/i.",
                assume=(fails,),
            ),
            Claim(
                "symmetry",
                fail_estimator(n, c, k),
                "==",
                fail_estimator(n, k, c),
                "(n - c)! (n - k)!/(n! (n - c - k)!) does not change when c and k change places, so the shorter product will do.",
            ),
            Claim(
                "logarithm_of_a_factor",
                log1p(-c / i),
                "==",
                log(fail_estimator_factor(i + k, c, k)),
                "The sum of log1p(-c/i) is log fail@k.",
                assume=(i - c,),
            ),
            Claim(
                "near_zero",
                neg_log_pass_near_zero(-t),
                "==",
                -log(1 - exp(-t)),
                "With log fail@k = -t: the form for small fail@k.",
            ),
            Claim(
                "near_one",
                neg_log_pass_near_one(-t),
                "==",
                neg_log_pass_near_zero(-t),
                "The form for fail@k near 1 is the same quantity.",
            ),
        ),
        source=f"{CHEN}, for the product over k factors.",
        follows="One loop of min(c, k) steps, without binomial coefficients that overflow.",
    )
