"""Each term of the estimator's mean is (1 - p)^k times a binomial probability for n - k samples; those add up to one."""

from __future__ import annotations

from sympy import symbols

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
    fail_estimator,
    falling,
    in_factorials,
)
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """A second proof that the estimator is unbiased, by C(n, c) C(n - c, k)/C(n, k) = C(n - k, c)."""
    n, c, k, p = SAMPLES, CORRECT, DRAWS, SOLVE
    q, m, odds, estimate = symbols("q m u f", positive=True)
    without_last = falling(m, c) / factorial_of(c)
    with_last = falling(m, c - 1) / factorial_of(c - 1)
    return Derivation(
        name="pass_at_k_estimator_term_by_term",
        title=say("The estimator of {} is unbiased, term by term", PASS_AT(k)),
        assumptions=(
            say(
                "Of {} independent samples {} are correct. A sample is correct with probability "
                "{} strictly between 0 and 1, written through its odds {}, and fails with "
                "probability {}. The numbers {}, {} and {} are integers, and {}. Binomial "
                "coefficients are written in factorials: {} samples are chosen from {} in {} "
                "ways, and from those that fail in {} ways. The quotient of the two is the "
                "estimator {}. There are {} ways for {} samples to be correct.",
                n,
                c,
                p,
                (odds, ">", 0),
                q,
                n,
                k,
                m,
                (1, "<=", k, "<=", n),
                k,
                n,
                binomial(n, k),
                binomial(n - c, k),
                estimate,
                binomial(n, c),
                c,
            ),
        ),
        definitions=(
            Definition(p, odds / (1 + odds)),
            Definition(q, 1 / (1 + odds)),
            Definition(estimate, in_factorials(fail_estimator())),
        ),
        statement=say(
            "With at most {} correct samples the estimator satisfies {hypergeometric_ratio}; "
            "with more correct samples it is 0. So its mean over {} has the terms {term}, "
            "each of them {} times the probability of {} correct samples among {}. By "
            "{pascal} the terms for one more sample are {one_more_sample}, so that those "
            "probabilities add up to 1, and the mean is {}.",
            n - k,
            c,
            q**k,
            c,
            n - k,
            q**k,
        ),
        steps=(
            step(
                "hypergeometric_ratio",
                (binomial(n, c) * estimate, "=", binomial(n - k, c)),
                say(
                    "To choose {} correct samples and {} of the others, or those {} first and the {} "
                    "then, is the same count:",
                    c,
                    k,
                    k,
                    c,
                ),
            ),
            step(
                "term",
                (
                    estimate * binomial(n, c) * p**c * q ** (n - c),
                    "=",
                    q**k * binomial(n - k, c) * p**c * q ** (n - k - c),
                ),
                say(
                    "By {hypergeometric_ratio}, the estimator times the probability of {} correct "
                    "samples is:",
                    c,
                ),
            ),
            step(
                "pascal",
                (without_last + with_last, "=", falling(m + 1, c) / factorial_of(c)),
                say(
                    "Pascal's rule, for {}: of {} samples the last is not among the {} chosen ones, "
                    "in {} ways, or it is, in {} ways:",
                    (1, "<=", c, "<=", m),
                    m + 1,
                    c,
                    without_last,
                    with_last,
                ),
                assume=(m + 1 - c,),
            ),
            step(
                "one_more_sample",
                (
                    p**c * q ** (m + 1 - c) * without_last + p**c * q ** (m + 1 - c) * with_last,
                    "=",
                    falling(m + 1, c) / factorial_of(c) * p**c * q ** (m + 1 - c),
                ),
                say(
                    "The last of {} samples fails or is correct. Summed over {}, the total for {} is "
                    "{}, that is 1, times that for {}; without a sample it is 1, and so it is for "
                    "any number, by induction:",
                    m + 1,
                    c,
                    m + 1,
                    q + p,
                    m,
                ),
                assume=(m + 1 - c,),
            ),
        ),
        source=f"{CHEN}, equation 1, for the estimator.",
        follows=say(
            "The estimate of {} in its stable form uses the symmetry of the same quotient in {} and {}.",
            FAIL_AT(k),
            c,
            k,
        ),
    )
