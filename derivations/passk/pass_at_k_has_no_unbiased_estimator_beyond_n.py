"""From n samples no function of the outcomes estimates pass@k without bias for k > n."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory.passk import CHEN, CORRECT, SAMPLES, SOLVE
from isoflop.theory.proof.claim import ByLeadingTerm, ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """In the odds x = p/(1 - p), and divided by (1 - p)^n, means of statistics are polynomials and fail@k is none."""
    n, c, p = SAMPLES, CORRECT, SOLVE
    x, y, beyond = (Symbol(name, positive=True) for name in ("x", "y", "m"))
    from_odds = x / (1 + x)
    k = n + beyond
    return Derivation(
        name="pass_at_k_has_no_unbiased_estimator_beyond_n",
        title="No unbiased estimator of pass@k for k > n",
        assumptions=(
            "n independent samples, each correct with the same unknown 0 < p < 1",
            "k = n + m with m >= 1",
        ),
        statement=r"\nexists\, T:\quad \mathbb{E}_p\, T = 1 - (1-p)^k \text{ for all } p, \qquad k > n",
        steps=(
            Claim(
                "statistics_are_polynomials",
                (p**c * (1 - p) ** (n - c) / (1 - p) ** n).subs(p, from_odds),
                "==",
                x**c,
                "c is sufficient; divided by (1 - p)^n the mean of any function of c is a polynomial in x, a sum of multiples of "
                "x^c.",
            ),
            Claim(
                "fail_is_another_power",
                ((1 - p) ** k / (1 - p) ** n).subs(p, from_odds),
                "==",
                (1 + x) ** -beyond,
                "Divided by the same factor fail@k becomes (1 + x)^-m, which an unbiased estimator would make a polynomial in x.",
            ),
            Claim(
                "one_is_a_polynomial",
                (1 / (1 - p) ** n).subs(p, from_odds),
                "==",
                (1 + x) ** n,
                "The 1 of 1 - fail@k becomes the polynomial (1 + x)^n and decides nothing.",
            ),
            Claim(
                "vanishes_at_infinity",
                y**-beyond,
                "->",
                Integer(0),
                "With y = 1 + x: it vanishes for x -> infinity, and the only polynomial that does is 0.",
                ByLeadingTerm(y, "oo"),
            ),
            Claim(
                "is_not_zero",
                ((1 - p) ** k / (1 - p) ** n).subs(p, from_odds),
                ">",
                Integer(0),
                "But it is positive at every x > 0: a contradiction.",
                ByPositiveTerms(form=(1 + x) ** -beyond),
            ),
        ),
        source=f"The degree argument is classical; {CHEN}, for the estimator with k <= n.",
        follows="pass@k beyond the number of samples needs a model of how p varies, such as a Beta mixture.",
    )
