"""Putting c/n for p into 1 - (1 - p)^k gives too low a pass@k: in every sample, and therefore on average."""

from __future__ import annotations

from sympy import Integer, symbols

from isoflop.theory.passk import (
    CHEN,
    CORRECT,
    DRAWS,
    FAIL_AT,
    PASS_AT,
    SAMPLES,
    fail_estimator_factor,
    falling,
)
from isoflop.theory.proof.arguments import ByConvexity, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, all_positive, say, step


def derivation() -> Derivation:
    """Compare the plug-in with the unbiased estimator factor by factor, and with the truth by convexity."""
    n, c, k = SAMPLES, CORRECT, DRAWS
    i, failing, q, x, mean, more, failures = symbols("i m q x mu j F", positive=True)
    first_moment, second_moment = falling(n, Integer(1)) * q, falling(n, Integer(2)) * q**2
    return Derivation(
        name="pass_at_k_plug_in_underestimates",
        title=say("The plug-in estimate of {} is too low", PASS_AT(k)),
        assumptions=(
            say(
                "Of {} independent samples {} are correct and {} fail; each fails with "
                "probability {}. The plug-in estimate of {} is {}; the unbiased one is the "
                "product of {} over the integers {} from 0 to {}. Let {}. Let ",
                n,
                c,
                (failures, "=", n - c),
                q,
                FAIL_AT(k),
                (1 - c / n) ** k,
                1 - c / (n - i),
                i,
                k - 1,
                (2, "<=", k, "<=", n),
            )
            + all_positive((c, failing, i, more, x, mean))
            + say(
                ", where {} of the failures are left after {} failed draws, and {} is {}.",
                failing,
                i,
                k,
                1 + more,
            ),
        ),
        definitions=(Definition(n, c + failing + i),),
        statement=say(
            "After the first, every factor of the unbiased estimate of {} is below that of "
            "the plug-in, {factor_by_factor}; where no failure is left it is 0. So wherever "
            "{} the plug-in estimate of {} is the larger, and that of {} the smaller. On "
            "average it is so for every {}, because powers are convex, {by_convexity}. At "
            "two draws the plug-in estimate of the chance to fail has the bias "
            "{bias_for_two_draws}.",
            FAIL_AT(k),
            (0, "<", c, "<", n),
            FAIL_AT(k),
            PASS_AT(k),
            (k, ">=", 2),
        ),
        steps=(
            step(
                "factor_by_factor",
                (fail_estimator_factor(n, c, Integer(0)), ">", fail_estimator_factor(n, c, i)),
                say(
                    "The difference of the two sides is {}, a quotient of positive numbers:",
                    c * i / (n * (n - i)),
                ),
                ByPositiveTerms(form=c * i / ((c + failing) * (c + failing + i))),
            ),
            step(
                "by_convexity",
                (x ** (1 + more), ">=", mean ** (1 + more) + (1 + more) * mean**more * (x - mean)),
                say(
                    "The power lies above its tangent at the mean {} of {}; the mean of the tangent "
                    "is its value there, the true chance to fail (Jensen):",
                    mean,
                    (x, "=", 1 - c / n),
                ),
                ByConvexity(x ** (1 + more), x, x, mean),
            ),
            step(
                "bias_for_two_draws",
                ((second_moment + first_moment) / n**2 - q**2, "=", q * (1 - q) / n),
                say(
                    "The mean of {} is {} and that of {} is {}; their sum is the mean of {}, and the "
                    "bias is the variance of {}:",
                    failures * (failures - 1),
                    second_moment,
                    failures,
                    first_moment,
                    failures**2,
                    failures / n,
                ),
            ),
        ),
        source=f"{CHEN}, section 2.1, for the warning; the inequality factor by factor is elementary.",
        follows=say(
            "The plug-in needs no {}, and pays with a bias that falls as {}.", (k, "<=", n), 1 / n
        ),
    )
