"""Where p is Beta distributed over the problems, fail@k is a quotient of Gamma values."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory.passk import DRAWS, SHAPE_A, SHAPE_B, beta_fail, beta_fail_ratio
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Integrate by parts to step from k to k + 1; the Gamma values take the same step."""
    a, b, k = SHAPE_A, SHAPE_B, DRAWS
    q = Symbol("q", positive=True)
    p = 1 - q
    weight = q ** (b + k - 1) * p ** (a - 1)
    return Derivation(
        name="pass_at_k_of_beta_problems",
        title="fail@k of Beta distributed problems",
        assumptions=(
            "p = 1 - q with a density over the problems proportional to p^(a - 1) q^(b - 1)",
            "integer k >= 0",
        ),
        statement=r"\mathrm{fail}@k = \frac{\Gamma(a+b)\,\Gamma(b+k)}{\Gamma(b)\,\Gamma(a+b+k)}",
        steps=(
            Claim(
                "by_parts",
                (q ** (b + k) * p**a).diff(q),
                "==",
                (b + k) * weight - (a + b + k) * q * weight,
                "The left side vanishes at q = 0 and q = 1, so its integral is 0: the integrals of q^(b + k - 1) p^(a - 1) "
                "for k + 1 and k have the quotient (b + k)/(a + b + k).",
                assume=(p,),
            ),
            Claim(
                "one_more_draw",
                beta_fail(a, b, k) - beta_fail(a, b, k + 1),
                "==",
                (1 - beta_fail_ratio()) * beta_fail(a, b, k),
                "The quotient of Gamma values takes the same step, by the recurrence of the Gamma function.",
            ),
            Claim(
                "one_draw",
                1 - beta_fail(a, b, Integer(1)),
                "==",
                a / (a + b),
                "It is 1 at k = 0, and 1 less the mean of p at k = 1; by induction it is fail@k for every k.",
            ),
            Claim(
                "two_draws",
                beta_fail(a, b, Integer(2)) - beta_fail(a, b, Integer(1)) ** 2,
                "==",
                a * b / ((a + b) ** 2 * (a + b + 1)),
                "For k = 2, less the square for k = 1, it is the variance of p.",
            ),
        ),
        source="Classical moments of the Beta distribution; Levi 2024 (arXiv 2410.16377) for Beta distributed problems.",
        follows="Two functions of compute, a(C) and b(C), give a law for every k with all constraints across k built in.",
    )
