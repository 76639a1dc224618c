"""An unbiased estimate, from counts alone, of the covariance of the pass@k estimators at two k from the same samples."""

from __future__ import annotations

from math import comb

from sympy import Add, Integer, Symbol

from isoflop.theory.passk import (
    CORRECT,
    SAMPLES,
    SOLVE,
    binomial,
    covariance_estimate,
    fail_estimator,
    falling,
    overlap_weight,
    product_coefficient,
)
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The mean of the product of two estimators is their covariance plus fail@(k1 + k2), which has an estimator of its own."""
    n, c, p = SAMPLES, CORRECT, SOLVE
    k1, k2 = (Symbol(name, positive=True) for name in ("k_1", "k_2"))
    q = 1 - p
    failed = n - c

    def chance(x: int) -> Integer:
        return Integer(comb(5, x)) * p**x * q ** (5 - x)

    def estimate(x: int, k: int) -> Integer:
        return Integer(comb(5 - x, k)) / comb(5, k)

    written_out = Add(
        *(chance(x) * (estimate(x, 2) * estimate(x, 1) - estimate(x, 3)) for x in range(6))
    )
    covariance = Add(*(chance(x) * estimate(x, 2) * estimate(x, 1) for x in range(6))) - q**3
    shared = (
        Add(*(Integer(comb(2, j) * comb(3, 1 - j)) / 5 * q ** (3 - j) for j in range(2))) - q**3
    )
    known = (n - k1 - k2 + 1, failed - k1 - k2 + 1)
    return Derivation(
        name="pass_at_k_covariance_estimate",
        title="Unbiased estimate of the covariance across k",
        assumptions=(
            "n independent samples, c of them correct, each with probability p",
            "f_k the unbiased estimator of fail@k from these counts; k_1 = k_2 gives the variance",
            "integers k_1, k_2 >= 1 with k_1 + k_2 <= n: else fail@(k_1 + k_2) has no unbiased estimator",
        ),
        statement=(
            r"\mathbb{E}\left[f_{k_1} f_{k_2} - f_{k_1 + k_2}\right] = \operatorname{Cov}(f_{k_1}, f_{k_2}), \qquad"
            r" f_k = \binom{n-c}{k}\Big/\binom{n}{k}"
        ),
        steps=(
            Claim(
                "in_falling_factorials",
                fail_estimator(n, c, k1) * fail_estimator(n, c, k2),
                "==",
                falling(failed, k1) * falling(failed, k2) / (falling(n, k1) * falling(n, k2)),
                "Each estimator is a quotient of falling factorials, of the failures n - c and of n.",
                assume=known,
            ),
            Claim(
                "third_estimator",
                fail_estimator(n, c, k1) * fail_estimator(n, c, k2)
                - covariance_estimate(n, c, k1, k2),
                "==",
                falling(failed, k1 + k2) / falling(n, k1 + k2),
                "What is taken off is the estimator at k_1 + k_2 draws; its mean is (1 - p)^k_1 (1 - p)^k_2, the product of the "
                "two means (pass_at_k_estimator_is_unbiased), for every p.",
                assume=known,
            ),
            Claim(
                "disjoint_draws",
                overlap_weight(n, k1, k2, Integer(0)),
                "==",
                binomial(n - k1, k2) / binomial(n, k2),
                "Why this works: f_k1 f_k2 is the share of all pairs of draws in which both fail; of all pairs this share is "
                "disjoint.",
                assume=known,
            ),
            Claim(
                "disjoint_draws_are_one_draw",
                product_coefficient(k1, k2, Integer(0))
                * falling(failed, k1 + k2)
                / (falling(n, k1) * falling(n, k2))
                / overlap_weight(n, k1, k2, Integer(0)),
                "==",
                fail_estimator(n, c, k1 + k2),
                "Among disjoint pairs the share in which both fail is the estimator at k_1 + k_2: what is left is due to shared "
                "samples.",
                assume=known,
            ),
            Claim(
                "five_samples_two_and_one_draws",
                written_out,
                "==",
                covariance,
                "One case written out, n = 5, k_1 = 2, k_2 = 1: the mean over the binomial distribution of c is the covariance.",
            ),
            Claim(
                "the_same_by_overlaps",
                written_out,
                "==",
                shared,
                "And that is the sum over shared samples (pass_at_k_estimator_variance).",
            ),
        ),
        source="Hoeffding 1948, Ann. Math. Statist. 19, 293-325, for U-statistics; the mean is linear.",
        follows="Standard errors and covariances across k need no plug-in of c/n.",
    )
