"""The product and logarithmic forms in which the pass@k estimator is computed equal its definition."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, exp, log

from isoflop.theory.algebra.factorials import factorial_of
from isoflop.theory.algebra.functions import log1p
from isoflop.theory.passk import (
    CHEN,
    CORRECT,
    DRAWS,
    FAIL_AT,
    PASS_AT,
    SAMPLES,
    fail_estimator,
    fail_estimator_factor,
    in_factorials,
    neg_log_pass_near_one,
    neg_log_pass_near_zero,
)
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """C(n - c, k)/C(n, k) is a product of k factors, or of c: take the shorter, in logarithms."""
    n, c, k = SAMPLES, CORRECT, DRAWS
    i, t = Symbol("i", positive=True), Symbol("t", positive=True)
    counts = n, n - c, n - k, n - c - k
    fails, estimate = n - c - k, Symbol("f", positive=True)

    def share(correct: Expr, draws: Expr) -> Expr:
        """The share of the choices of so many samples that all fail."""
        return in_factorials(fail_estimator(n, correct, draws))

    steps = (
        step(
            "one_draw",
            (share(c, Integer(1)), "=", fail_estimator_factor(n, c, Integer(0))),
            "For one draw the estimate is a single factor:",
        ),
        step(
            "one_more_draw",
            (share(c, k + 1) / estimate, "=", fail_estimator_factor(n, c, k)),
            "A further draw multiplies the estimate by a factor:",
            assume=(fails,),
        ),
        step(
            "symmetry",
            (estimate, "=", share(k, c)),
            say("The factorials are the same where {} and {} change places:", c, k),
        ),
        step(
            "logarithm_of_a_factor",
            (log1p(-c / i), "=", log(fail_estimator_factor(i + k, c, k))),
            say("The logarithm of a factor, computed without cancellation for a large {}:", i),
            assume=(i - c,),
        ),
        step(
            "near_zero",
            (neg_log_pass_near_zero(-t), "=", -log(1 - exp(-t))),
            say("The form for a large {}:", t),
        ),
        step(
            "near_one",
            (neg_log_pass_near_one(-t), "=", neg_log_pass_near_zero(-t)),
            say("The form for a small {} has the same value:", t),
        ),
    )
    return Derivation(
        name="pass_at_k_stable_form",
        title=say("Stable forms of the {} estimator", PASS_AT(k)),
        assumptions=(
            say(
                "Of {} samples {} are correct, and {} of them are drawn; the numbers are "
                "integers with {} and {}. For more correct samples the estimate of {} is 0, and "
                "without any it is 1.",
                n,
                c,
                k,
                (1, "<=", c),
                (1, "<=", k, "<=", n - c),
                FAIL_AT(k),
            ),
            say(
                "The factorials of {}, {}, {} and {} are {}, {}, {} and {}.",
                *counts,
                *map(factorial_of, counts),
            ),
        ),
        definitions=(Definition(estimate, share(c, k)),),
        statement=say(
            "The estimate {} of {}, the share of the choices of {} samples that all fail, is "
            "a product: {one_draw} for one draw, and {one_more_draw} for one more. By "
            "induction it is the product of the factors {} over the integers {} from {} to "
            "{}. Since {symmetry}, it is also that of the factors {} from {} on, and the "
            "shorter product will do. The logarithm of the estimate is the sum of "
            "{logarithm_of_a_factor}. Where it is {}, {} is estimated in either form, "
            "{near_zero} and {near_one}.",
            estimate,
            FAIL_AT(k),
            k,
            1 - c / i,
            i,
            n - k + 1,
            n,
            1 - k / i,
            n - c + 1,
            -t,
            -log(PASS_AT(k)),
        ),
        steps=steps,
        source=f"{CHEN}, for the product over the draws.",
        follows=say(
            "One loop over the smaller of {} and {}, without binomial coefficients that overflow.",
            c,
            k,
        ),
    )
