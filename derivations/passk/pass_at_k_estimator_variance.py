"""Exact variance of the pass@k estimator, and the covariance of its values at two k from the same samples."""

from __future__ import annotations

from math import comb

from sympy import Add, Integer, Symbol

from isoflop.theory.passk import (
    SAMPLES,
    SOLVE,
    binomial,
    factorial_of,
    falling,
    overlap_weight,
    product_coefficient,
)
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Write the product of two estimators in estimators, whose means are known."""
    n, p = SAMPLES, SOLVE
    m, k, j, x, below = (Symbol(name, positive=True) for name in ("m", "k", "j", "F", "u"))
    q = 1 - p
    second_moment = Add(
        *(
            Integer(comb(5, c))
            * Integer(comb(5 - c, 2)) ** 2
            / comb(5, 2) ** 2
            * p**c
            * q ** (5 - c)
            for c in range(6)
        )
    )
    shared = Add(
        *(Integer(comb(2, i) * comb(3, 2 - i)) / comb(5, 2) * q ** (4 - i) for i in range(3))
    )
    return Derivation(
        name="pass_at_k_estimator_variance",
        title="Variance of the pass@k estimator, and covariance across k",
        assumptions=(
            "n independent samples, F of them failing, each correct with probability p",
            "integers 1 <= m, k <= n",
        ),
        statement=(
            r"\operatorname{Cov} = \sum_{j = \max(0, m + k - n)}^{\min(m, k)} \frac{\binom{m}{j}\binom{n-m}{k-j}}{\binom{n}{k}}"
            r" (1-p)^{m+k-j} - (1-p)^{m+k},\qquad m = k \text{ for the variance}"
        ),
        steps=(
            Claim(
                "falling_factorial_step",
                falling(x, below) * (x - k),
                "==",
                falling(x, below + 1) + (below - k) * falling(x, below),
                "One more factor F - k = (F - u) + (u - k) on the falling factorial F (F - 1)...(F - u + 1) lengthens or keeps "
                "it.",
            ),
            Claim(
                "product_by_induction",
                product_coefficient(m, k, j) + (m - j + 1) * product_coefficient(m, k, j - 1),
                "==",
                product_coefficient(m, k + 1, j),
                "Induction on k: the product of the falling factorials of lengths m and k is a sum over those of length m + k - "
                "j; with "
                "that factor the coefficients of j and of j - 1, where u = m + k - j + 1, make that of j for k + 1.",
                assume=(k + 1 - j, m + 1 - j),
            ),
            Claim(
                "product_for_one",
                product_coefficient(m, Integer(1), Integer(1)) * falling(x, m) + falling(x, m + 1),
                "==",
                falling(x, m) * x,
                "The induction starts at k = 1.",
            ),
            Claim(
                "weights",
                product_coefficient(m, k, j)
                * factorial_of(m + k - j)
                * binomial(n, m + k - j)
                / (factorial_of(m) * binomial(n, m) * factorial_of(k) * binomial(n, k)),
                "==",
                overlap_weight(n, m, k, j),
                "Normalise both estimators and take means: the estimator is unbiased for u = m + k - j draws too, so (1 - p)^u "
                "has the weight of j shared samples. For u = m + k - j > n the falling factorial of F <= n is 0, and so is the "
                "binomial of n - m and k - j > n - m: the sum has no such j.",
                assume=(n + 1 + j - m - k, m + 1 - j, k + 1 - j),
            ),
            Claim(
                "five_samples_two_draws",
                second_moment,
                "==",
                shared,
                "One case written out, n = 5 and m = k = 2: the mean square over the binomial distribution of c.",
            ),
        ),
        source="Hoeffding 1948, Ann. Math. Statist. 19, 293-325, for U-statistics.",
        follows="Estimates at several k from the same samples are correlated; a joint fit needs this covariance.",
    )
