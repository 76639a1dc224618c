"""The estimator 1 - C(n - c, k)/C(n, k) of pass@k has no bias: its mean is 1 - (1 - p)^k for every p."""

from __future__ import annotations

from math import comb

from sympy import Add, Derivative, Integer, symbols

from isoflop.theory.algebra.factorials import factorial_of
from isoflop.theory.passk import (
    CHEN,
    CORRECT,
    DRAWS,
    FAIL_AT,
    PASS_AT,
    SAMPLES,
    SOLVE,
    binomial,
    falling,
)
from isoflop.theory.theorem import Definition, Derivation, function, say, step


def derivation() -> Derivation:
    """The failures F = n - c are a sum of n independent indicators: derive their probability generating function k times."""
    n, c, k, p = SAMPLES, CORRECT, DRAWS, SOLVE

    q, z, odds, failures, choices = symbols("q z u F y", positive=True)
    generating = function("g")
    derivative = falling(n, k) * q**k * (p + q * z) ** (n - k)
    return Derivation(
        name="pass_at_k_estimator_is_unbiased",
        title=say("The estimator of {} is unbiased", PASS_AT(k)),
        assumptions=(
            say(
                "Of {} independent samples {} are correct and {} fail. A sample is correct with "
                "probability {} strictly between 0 and 1, written through its odds {}, and fails "
                "with probability {}. The numbers {} and {} are integers, and {}.",
                n,
                c,
                (failures, "=", n - c),
                p,
                (odds, ">", 0),
                q,
                n,
                k,
                (1, "<=", k, "<=", n),
            ),
            say(
                "The probability generating function {} of the failures is the mean of {}. The "
                "product of the {} factors {}, {} and so on is {}, and {} is the number of ways to "
                "choose {} of the {} samples.",
                generating(z),
                z**failures,
                k,
                n,
                n - 1,
                falling(n, k),
                choices,
                k,
                n,
            ),
        ),
        definitions=(
            Definition(p, odds / (1 + odds)),
            Definition(q, 1 / (1 + odds)),
            Definition(choices, binomial(n, k)),
            Definition(generating(z), (p + q * z) ** n),
        ),
        statement=say(
            "The number of ways to choose {} of the failures, times {}, has the mean "
            "{factorial_moment}. Divided by that of all samples, the mean is {unbiased}: the "
            "share of the choices of {} samples that all fail estimates {} without bias, and "
            "so 1 less this share estimates {}.",
            k,
            factorial_of(k),
            k,
            FAIL_AT(k),
            PASS_AT(k),
        ),
        steps=(
            step(
                "first_derivative",
                (Derivative(generating(z), z), "=", n * q * (p + q * z) ** (n - 1)),
                say(
                    "The generating function is the product of {} equal factors {}, one for each "
                    "sample:",
                    n,
                    p + q * z,
                ),
            ),
            step(
                "induction_on_k",
                (
                    Derivative(derivative, z),
                    "=",
                    falling(n, k + 1) * q ** (k + 1) * (p + q * z) ** (n - k - 1),
                ),
                say(
                    "By induction the derivative of order {} is {}, for this holds at {} by "
                    "{first_derivative}, and one more derivative replaces {} by {}:",
                    k,
                    derivative,
                    (k, "=", 1),
                    k,
                    k + 1,
                ),
                assume=(n - k,),
            ),
            step(
                "factorial_moment",
                (falling(n, k) * q**k * (p + q) ** (n - k), "=", factorial_of(k) * choices * q**k),
                say(
                    "At {} this derivative is the mean of the product of {} factors {}, {} and so "
                    "on, which is {} times the number of ways to choose {} of the failures:",
                    (z, "=", 1),
                    k,
                    failures,
                    failures - 1,
                    factorial_of(k),
                    k,
                ),
            ),
            step(
                "unbiased",
                (falling(n, k) * q**k / (factorial_of(k) * choices), "=", q**k),
                say(
                    "Divide this mean by {}, which is {}:", factorial_of(k) * choices, falling(n, k)
                ),
            ),
            step(
                "seven_samples_three_draws",
                (
                    Add(
                        *(
                            Integer(comb(7, x) * comb(7 - x, 3)) / comb(7, 3) * p**x * q ** (7 - x)
                            for x in range(8)
                        )
                    ),
                    "=",
                    q**3,
                ),
                say(
                    "One case written out, with {} and {}: the mean over the binomial distribution "
                    "of the correct samples:",
                    (n, "=", 7),
                    (k, "=", 3),
                ),
            ),
        ),
        source=f"{CHEN}, equation 1, for the estimator.",
        follows="The number of correct samples is a complete sufficient statistic, so this estimator "
        "has the least variance, by Lehmann and Scheffe 1950.",
    )
