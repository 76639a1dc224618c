"""From n samples no function of the outcomes estimates pass@k without bias for k > n."""

from __future__ import annotations

from sympy import symbols

from isoflop.theory.passk import CHEN, CORRECT, DRAWS, FAIL_AT, PASS_AT, SAMPLES, SOLVE
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """In the odds x = p/(1 - p), and divided by (1 - p)^n, means of statistics are polynomials and fail@k is none."""
    n, c, k, p = SAMPLES, CORRECT, DRAWS, SOLVE
    x, q, y, beyond = symbols("x q y m", positive=True)
    divided = (1 + x) ** -beyond
    return Derivation(
        name="pass_at_k_has_no_unbiased_estimator_beyond_n",
        title=say("No unbiased estimator of {} beyond {} samples", PASS_AT(k), n),
        assumptions=(
            say(
                "Of {} independent samples {} are correct. Each is correct with the same unknown "
                "probability {} strictly between 0 and 1, written through its odds {}, and fails "
                "with probability {}. The number of draws {} exceeds {} by an integer {}, and {} "
                "is {}. Let {} be {}.",
                n,
                c,
                p,
                (x, ">", 0),
                q,
                k,
                n,
                (beyond, ">=", 1),
                FAIL_AT(k),
                q**k,
                y,
                1 + x,
            ),
        ),
        definitions=(
            Definition(p, x / (1 + x)),
            Definition(q, 1 / (1 + x)),
            Definition(k, n + beyond),
        ),
        statement=say(
            "No function of the outcomes has the mean {} at every {}. For {} correct samples "
            "in a given order have the probability {statistics_are_polynomials}, so that the "
            "mean of a function of the outcomes is {} times a polynomial in the odds. As "
            "{one_is_a_polynomial}, the chance to fail would be of this form too. It is "
            "{fail_is_another_power}, but {} is no polynomial: it vanishes in the limit, "
            "{vanishes_at_infinity}, as no polynomial but 0 does, and it is not 0, "
            "{is_not_zero}.",
            1 - q**k,
            p,
            c,
            q**n,
            divided,
        ),
        steps=(
            step(
                "statistics_are_polynomials",
                (p**c * q ** (n - c), "=", q**n * x**c),
                say(
                    "A correct sample brings the factor {} and a failed one the factor {}, and {}:",
                    p,
                    q,
                    (p, "=", q * x),
                ),
            ),
            step(
                "fail_is_another_power",
                (q**k, "=", q**n * divided),
                say("Take the factor {} out:", q**n),
            ),
            step(
                "one_is_a_polynomial",
                (q**n * (1 + x) ** n, "=", 1),
                say("By the definition of {}:", q),
            ),
            step(
                "vanishes_at_infinity",
                (y**-beyond, "->", 0),
                "A polynomial that vanishes in this limit is the constant 0:",
                ByLeadingTerm(y, "oo"),
            ),
            step(
                "is_not_zero",
                (divided, ">", 0),
                "A power of a positive number is positive, and so the polynomial cannot be the "
                "constant 0:",
                ByPositiveTerms(form=divided),
            ),
        ),
        source=f"The degree argument is classical; {CHEN}, for the estimator with no more draws than samples.",
        follows=say(
            "{} beyond the number of samples needs a model of how {} varies, such as a Beta mixture.",
            PASS_AT(k),
            p,
        ),
    )
