"""An unbiased estimate, from counts alone, of the covariance of the pass@k estimators at two k from the same samples."""

from __future__ import annotations

from math import comb

from sympy import Add, Expr, Integer, symbols

from isoflop.theory.passk import (
    CORRECT,
    DRAWS,
    FAIL_AT,
    SAMPLES,
    SOLVE,
    fail_estimator,
    falling,
    in_factorials,
)
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """The mean of the product of two estimators is their covariance plus fail@(k1 + k2), which has an estimator of its own."""
    n, c, p = SAMPLES, CORRECT, SOLVE

    k1, k2, first, second, third, failed, q, odds, disjoint, estimate = symbols(
        "k_1 k_2 f_1 f_2 f_3 F q u z v", positive=True
    )

    def chance(x: int) -> Expr:
        return Integer(comb(5, x)) * p**x * q ** (5 - x)

    def estimated(x: int, k: int) -> Expr:
        return Integer(comb(5 - x, k)) / comb(5, k)

    products = Add(*(chance(x) * estimated(x, 2) * estimated(x, 1) for x in range(6)))
    estimates = Add(
        *(chance(x) * (estimated(x, 2) * estimated(x, 1) - estimated(x, 3)) for x in range(6))
    )
    shared = Add(*(Integer(comb(2, j) * comb(3, 1 - j)) / 5 * q ** (3 - j) for j in range(2)))
    draws = (k1, k2, k1 + k2)
    drawn = falling(n, k1) * falling(n, k2)
    return Derivation(
        name="pass_at_k_covariance_estimate",
        title=say("Unbiased estimate of the covariance across {}", DRAWS),
        assumptions=(
            say(
                "Of {} independent samples {} are correct and {} fail. A sample is correct with "
                "probability {} strictly between 0 and 1, written through its odds {}, and fails "
                "with probability {}. The numbers of draws {} and {} are integers, with {}, for "
                "beyond {} no estimator is unbiased; equal ones give the variance. The falling "
                "factorials of {} and of {}, with as many factors as the ",
                n,
                c,
                (failed, "=", n - c),
                p,
                (odds, ">", 0),
                q,
                (k1, ">=", 1),
                (k2, ">=", 1),
                (k1 + k2, "<=", n),
                n,
                n,
                failed,
            )
            + say("draws, are {}, {} and {} and ", *(falling(n, d) for d in draws))
            + say("{}, {} and {}, the latter 0 where ", *(falling(failed, d) for d in draws))
            + say(
                "there are fewer than so many failures. The second of {} draws avoids the {} "
                "samples of a first one with the probability {}.",
                k2,
                k1,
                disjoint,
            ),
            say(
                "The estimators of {}, {} and {} from these counts, the shares of the choices of so "
                "many samples that all fail, are {}, {} and {}.",
                FAIL_AT(k1),
                FAIL_AT(k2),
                FAIL_AT(k1 + k2),
                first,
                second,
                third,
            ),
        ),
        definitions=(
            Definition(p, odds / (1 + odds)),
            Definition(q, 1 / (1 + odds)),
            Definition(first, in_factorials(fail_estimator(n, n - failed, k1))),
            Definition(second, in_factorials(fail_estimator(n, n - failed, k2))),
            Definition(third, in_factorials(fail_estimator(n, n - failed, k1 + k2))),
            Definition(estimate, first * second - third),
            Definition(disjoint, falling(n - k1, k2) / falling(n, k2)),
        ),
        statement=say(
            "The estimators have the product {in_falling_factorials}, where {} is the "
            "estimator of the product of their means, {third_estimator}: so the mean of what "
            "is left, {}, is the covariance of {} and {}. Of all pairs of draws the share {} "
            "is disjoint, {disjoint_draws}, and of these both fail in the share "
            "{disjoint_draws_are_one_draw}: what is left is due to shared samples. For five "
            "samples, and two draws and one, the mean is {five_samples_two_and_one_draws}, "
            "which is the sum over shared samples, {the_same_by_overlaps}.",
            third,
            estimate,
            first,
            second,
            disjoint,
        ),
        steps=(
            step(
                "in_falling_factorials",
                (first * second, "=", falling(failed, k1) * falling(failed, k2) / drawn),
                "Multiply the two quotients of falling factorials:",
            ),
            step(
                "third_estimator",
                (first * second - estimate, "=", falling(failed, k1 + k2) / falling(n, k1 + k2)),
                say(
                    "What is taken off is {}. As the estimator is unbiased, its mean is {}, the "
                    "product of the means {} and {} of the other two:",
                    third,
                    q ** (k1 + k2),
                    q**k1,
                    q**k2,
                ),
            ),
            step(
                "disjoint_draws",
                (disjoint * drawn, "=", falling(n, k1 + k2)),
                say(
                    "The product {} is the share of all pairs of draws in which both fail. Those "
                    "without a common sample are {} samples in order:",
                    first * second,
                    k1 + k2,
                ),
            ),
            step(
                "disjoint_draws_are_one_draw",
                (falling(failed, k1 + k2) / (disjoint * drawn), "=", third),
                say("Two disjoint draws that fail are one failed draw of {} samples:", k1 + k2),
            ),
            step(
                "five_samples_two_and_one_draws",
                (estimates, "=", products - q**3),
                "The mean over the binomial distribution of the correct samples is that of the "
                "product less the product of the means:",
            ),
            step(
                "the_same_by_overlaps",
                (products - q**3, "=", shared - q**3),
                "Two draws and one share a sample or none, with their probabilities as weights:",
            ),
        ),
        source="Hoeffding 1948, Ann. Math. Statist. 19, 293-325, for U-statistics; the mean is linear.",
        follows="Standard errors and covariances across the numbers of draws need no plug-in of the "
        "share of correct samples.",
    )
