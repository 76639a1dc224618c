"""Exact variance of the pass@k estimator, and the covariance of its values at two k from the same samples."""

from __future__ import annotations

from math import comb

from sympy import Add, Expr, Integer, symbols

from isoflop.theory.passk import (
    DRAWS,
    FAIL_AT,
    PASS_AT,
    SAMPLES,
    SOLVE,
    binomial,
    falling,
    in_factorials,
    overlap_weight,
    product_coefficient,
)
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """Write the product of two estimators in estimators, whose means are known."""
    n, p, k = SAMPLES, SOLVE, DRAWS

    m, j, failed, length, odds, q, weight, kept = symbols("m j F u x q w v", positive=True)

    def ways(above: Expr, below: Expr) -> Expr:
        return in_factorials(binomial(above, below))

    def coefficient(second: Expr, common: Expr) -> Expr:
        return in_factorials(product_coefficient(m, second, common))

    second_moment = Add(
        *(
            Integer(comb(5, c) * comb(5 - c, 2) ** 2) / comb(5, 2) ** 2 * p**c * q ** (5 - c)
            for c in range(6)
        )
    )
    shared = Add(
        *(Integer(comb(2, i) * comb(3, 2 - i)) / comb(5, 2) * q ** (4 - i) for i in range(3))
    )
    return Derivation(
        name="pass_at_k_estimator_variance",
        title=say("Variance of the estimator of {}, and covariance across {}", PASS_AT(k), k),
        assumptions=(
            say(
                "Of {} independent samples {} fail. A sample is correct with probability {} "
                "strictly between 0 and 1, written through its odds {}, and fails with "
                "probability {}. The numbers of draws {} and {} are integers from 1 to {}. The "
                "falling factorial of {} with {} factors is {}, and so for other numbers. The "
                "estimators of {} and {} are its quotients {} and {}. Of the {} choices of {} "
                "samples {} share {} samples with a given choice of {}; this is the share {}.",
                n,
                failed,
                p,
                (odds, ">", 0),
                q,
                m,
                k,
                n,
                failed,
                length,
                falling(failed, length),
                FAIL_AT(m),
                FAIL_AT(k),
                falling(failed, m) / falling(n, m),
                falling(failed, k) / falling(n, k),
                ways(n, k),
                k,
                ways(m, j) * ways(n - m, k - j),
                j,
                m,
                weight,
            ),
        ),
        definitions=(
            Definition(p, odds / (1 + odds)),
            Definition(q, 1 / (1 + odds)),
            Definition(kept, coefficient(k, j)),
            Definition(weight, in_factorials(overlap_weight(n, m, k, j))),
        ),
        statement=say(
            "The covariance of the two estimators is the sum of {} over all {} from the "
            "larger of 0 and {} to the smaller of {} and {}, less {}; for {} draws in both "
            "it is the variance. For one more factor gives {falling_factorial_step}, so that "
            "a product of two falling factorials is a sum of them, with coefficients {} that "
            "satisfy {product_by_induction}, beginning with {product_for_one}; and in the "
            "mean these become the weights {weights}. For five samples and two draws the "
            "mean square is {five_samples_two_draws}.",
            weight * q ** (m + k - j),
            j,
            m + k - n,
            m,
            k,
            q ** (m + k),
            k,
            kept,
        ),
        steps=(
            step(
                "falling_factorial_step",
                (
                    falling(failed, length) * (failed - k),
                    "=",
                    falling(failed, length + 1) + (length - k) * falling(failed, length),
                ),
                say(
                    "One more factor {} on the falling factorial with {} factors lengthens it or "
                    "keeps it, for it is the sum of {} and {}:",
                    failed - k,
                    length,
                    failed - length,
                    length - k,
                ),
            ),
            step(
                "product_by_induction",
                (kept + (m - j + 1) * coefficient(k, j - 1), "=", coefficient(k + 1, j)),
                say(
                    "By induction over {}, the product of the falling factorials with {} and {} "
                    "factors is a sum over {} of those with {} factors, with the coefficients {}. "
                    "By {falling_factorial_step} at {} that of {} draws is made of two of them:",
                    k,
                    m,
                    k,
                    j,
                    m + k - j,
                    kept,
                    (length, "=", m + k - j + 1),
                    k + 1,
                ),
                assume=(k + 1 - j,),
            ),
            step(
                "product_for_one",
                (m * falling(failed, m) + falling(failed, m + 1), "=", falling(failed, m) * failed),
                say("The induction starts at {}:", (k, "=", 1)),
            ),
            step(
                "weights",
                (kept * falling(n, m + k - j) / (falling(n, m) * falling(n, k)), "=", weight),
                say(
                    "Divide by the falling factorials of {} and take means. The estimator is "
                    "unbiased for {} draws too, so the mean of that term is {} times its "
                    "coefficient times {}; where {} it is 0:",
                    n,
                    m + k - j,
                    q ** (m + k - j),
                    falling(n, m + k - j),
                    (m + k - j, ">", n),
                ),
            ),
            step(
                "five_samples_two_draws",
                (second_moment, "=", shared),
                say(
                    "One case written out, with {} and {}: the mean square over the binomial "
                    "distribution of the failures, for {}:",
                    (n, "=", 5),
                    (m, "=", 2),
                    (k, "=", 2),
                ),
            ),
        ),
        source="Hoeffding 1948, Ann. Math. Statist. 19, 293-325, for U-statistics.",
        follows=say(
            "Estimates at several {} from the same samples are correlated; a joint fit needs this covariance.",
            k,
        ),
    )
