"""Where p is Beta(a, b) over the problems, fail@k falls as k^-a, with a correction of relative order 1/k."""

from __future__ import annotations

from sympy import Symbol, log

from isoflop.theory.passk import (
    DRAWS,
    SHAPE_A,
    SHAPE_B,
    TRICOMI,
    beta_fail_ratio,
    beta_tail,
    beta_tail_correction,
    gamma_of,
    gamma_ratio,
)
from isoflop.theory.proof.claim import ByLeadingTerm, Claim, Derivation, UnderLemma

LEMMA = "Gamma(k + x)/Gamma(k + y) = k^(x - y) (1 + (x - y)(x + y - 1)/(2k) + O(k^-2)) for k -> infinity and fixed x, y > 0"


def derivation() -> Derivation:
    """The tail from the expansion of a quotient of Gamma values; its exponent and correction also from the recurrence."""
    a, b, k = SHAPE_A, SHAPE_B, DRAWS
    x = Symbol("x", positive=True)
    expansion = gamma_of(a + b) / gamma_of(b) * gamma_ratio(b, a + b)
    corrections = [log(beta_tail_correction(k=at).cancel()) for at in (1 + 1 / x, 1 / x)]
    tail_step = -a * log(1 + x) + corrections[0] - corrections[1]
    step = log(beta_fail_ratio(k=1 / x).cancel())
    decrement = k * (1 - beta_fail_ratio())
    return Derivation(
        name="pass_at_k_beta_tail",
        title="The tail of fail@k of Beta distributed problems",
        assumptions=("p distributed over the problems as Beta with shapes a and b",),
        statement=r"\mathrm{fail}@k \sim \frac{\Gamma(a+b)}{\Gamma(b)} k^{-a}\left(1 - \frac{a(a+2b-1)}{2k} + O(k^{-2})\right)",
        steps=(
            Claim(
                "leading_term",
                expansion,
                "~",
                beta_tail(),
                "fail@k is a constant times a quotient of the lemma's form with x = b and y = a + b.",
                UnderLemma(LEMMA, TRICOMI, ByLeadingTerm(k, "oo")),
            ),
            Claim(
                "relative_decrement",
                decrement.subs(k, 1 / x - a - b).cancel(),
                "->",
                a,
                "Independently, from the recurrence: k times the share of fail@k that one more draw solves tends to the shape, "
                "with x = 1/(a + b + k).",
                ByLeadingTerm(x, "0"),
            ),
            Claim(
                "step_at_second_order",
                tail_step.diff(x, 2).subs(x, 0),
                "==",
                step.diff(x, 2).subs(x, 0),
                "In powers of x = 1/k the step of log fail@k to the next k is the same for tail and recurrence at second order, "
                "which fixes the coefficient of the correction.",
            ),
        ),
        source=f"{TRICOMI}, for the expansion; Levi 2024 (arXiv 2410.16377) for Beta distributed problems.",
        follows="The exponent in k of the tail is the shape a of p near 0: the tail theorem in one family.",
    )
