"""Each term of the estimator's mean is (1 - p)^k times a binomial probability for n - k samples; those add up to one."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory.passk import CHEN, CORRECT, DRAWS, SAMPLES, SOLVE, binomial, fail_estimator
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """A second proof that the estimator is unbiased, by C(n, c) C(n - c, k)/C(n, k) = C(n - k, c)."""
    n, c, k, p = SAMPLES, CORRECT, DRAWS, SOLVE
    q, m = Symbol("q", positive=True), Symbol("m", positive=True)
    return Derivation(
        name="pass_at_k_estimator_term_by_term",
        title="The pass@k estimator is unbiased, term by term",
        assumptions=(
            "n independent samples, c of them correct, each with probability p = 1 - q",
            "integers 1 <= k <= n",
        ),
        statement=(
            r"\sum_c \binom{n}{c} p^c q^{n-c} \binom{n-c}{k}\Big/\binom{n}{k}"
            r"= q^k \sum_c \binom{n-k}{c} p^c q^{n-k-c} = q^k"
        ),
        steps=(
            Claim(
                "hypergeometric_ratio",
                binomial(n, c) * fail_estimator(),
                "==",
                binomial(n - k, c),
                "Choosing c correct samples and k of the others, or the k first and then the c: the same count.",
            ),
            Claim(
                "term",
                fail_estimator() * binomial(n, c) * p**c * q ** (n - c),
                "==",
                q**k * binomial(n - k, c) * p**c * q ** (n - k - c),
                "So every term holds q^k times the probability of c correct among n - k samples.",
            ),
            Claim(
                "pascal",
                binomial(m, c) + binomial(m, c - 1),
                "==",
                binomial(m + 1, c),
                "Pascal's rule, for 1 <= c <= m.",
                assume=(m + 1 - c,),
            ),
            Claim(
                "one_more_sample",
                q * binomial(m, c) * p**c * q ** (m - c)
                + p * binomial(m, c - 1) * p ** (c - 1) * q ** (m - c + 1),
                "==",
                binomial(m + 1, c) * p**c * q ** (m + 1 - c),
                "The last of m + 1 samples fails or is correct. Summed over c, the total for m + 1 "
                "is q + p = 1 times that for m; without a sample it is 1, so by induction it always is, and the mean is q^k.",
                assume=(m + 1 - c,),
            ),
        ),
        source=f"{CHEN}, equation 1, for the estimator.",
        follows="The stable form of the estimator uses the symmetry of the same ratio in c and k.",
    )
