"""The estimator 1 - C(n - c, k)/C(n, k) of pass@k has no bias: its mean is 1 - (1 - p)^k for every p."""

from __future__ import annotations

from math import comb

from sympy import Add, Integer, Symbol

from isoflop.theory.passk import CHEN, DRAWS, SAMPLES, SOLVE, binomial, factorial_of, falling
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The failures F = n - c are a sum of n independent indicators: derive their probability generating function k times."""
    n, k, p = SAMPLES, DRAWS, SOLVE
    q, z = Symbol("q", positive=True), Symbol("z", positive=True)
    generating = (p + q * z) ** n
    factorial_moment = falling(n, k) * q**k
    derivative = factorial_moment * (p + q * z) ** (n - k)
    next_derivative = falling(n, k + 1) * q ** (k + 1) * (p + q * z) ** (n - k - 1)
    return Derivation(
        name="pass_at_k_estimator_is_unbiased",
        title="The pass@k estimator is unbiased",
        assumptions=(
            "n independent samples, c of them correct, each with probability p = 1 - q",
            "integers 1 <= k <= n",
        ),
        statement=r"\mathbb{E}\left[1 - \binom{n-c}{k}\Big/\binom{n}{k}\right] = 1 - (1-p)^k",
        steps=(
            Claim(
                "first_derivative",
                generating.diff(z),
                "==",
                falling(n, Integer(1)) * q * (p + q * z) ** (n - 1),
                "The mean of z^F is the product of n equal factors p + q z; this is its first derivative.",
            ),
            Claim(
                "induction_on_k",
                derivative.diff(z),
                "==",
                next_derivative,
                "If the k-th derivative has the form n (n - 1)...(n - k + 1) q^k (p + q z)^(n - k), so "
                "has the next one with k + 1.",
                assume=(n - k,),
            ),
            Claim(
                "factorial_moment",
                derivative.subs(z, 1).subs(p, 1 - q),
                "==",
                factorial_of(k) * binomial(n, k) * q**k,
                "At z = 1, with p + q = 1, it is the mean of F (F - 1)...(F - k + 1), that is k! times the mean of F choose k.",
            ),
            Claim(
                "unbiased",
                derivative.subs(z, 1).subs(q, 1 - p) / (factorial_of(k) * binomial(n, k)),
                "==",
                (1 - p) ** k,
                "Divide by k! times n choose k: the mean of the estimator of fail@k is fail@k.",
                assume=(1 - p,),
            ),
            Claim(
                "seven_samples_three_draws",
                Add(
                    *(
                        Integer(comb(7, c) * comb(7 - c, 3))
                        / comb(7, 3)
                        * p**c
                        * (1 - p) ** (7 - c)
                        for c in range(8)
                    )
                ),
                "==",
                (1 - p) ** 3,
                "One case written out, n = 7 and k = 3: the mean over the binomial distribution of c.",
            ),
        ),
        source=f"{CHEN}, equation 1, for the estimator.",
        follows="c is a complete sufficient statistic, so this estimator has the least variance (Lehmann and Scheffe 1950).",
    )
