"""Where p is Beta(a, b) over the problems, fail@k falls as k^-a, with a correction of relative order 1/k."""

from __future__ import annotations

from sympy import Derivative, Function, Subs, log, oo, symbols

from isoflop.theory.algebra.factorials import gamma_of
from isoflop.theory.passk import (
    DRAWS,
    FAIL_AT,
    SHAPE_A,
    SHAPE_B,
    SOLVE,
    TRICOMI,
    beta_fail_ratio,
    beta_tail,
    beta_tail_correction,
    gamma_ratio,
)
from isoflop.theory.proof.arguments import ByLeadingTerm, UnderLemma
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """The tail from the expansion of a quotient of Gamma values; its exponent and correction also from the recurrence."""
    a, b, k, p = SHAPE_A, SHAPE_B, DRAWS, SOLVE
    x, y, z, u, scale = symbols("x y z u c", positive=True)
    names = ("q", "v", "t", "g", "h")
    ratio, solved, tail, of_tail, of_mean = (Function(name) for name in names)
    slope = a * (a + 2 * b - 1) / 2
    lemma = say(
        "For fixed {} and {}, the quotient of the values of the Gamma function at {} and "
        "{} is {} up to a relative error of order {} as {}",
        (y, ">", 0),
        (z, ">", 0),
        k + y,
        k + z,
        gamma_ratio(y, z),
        k**-2,
        (k, "->", oo),
    )

    def at_zero(of: Function, order: int) -> Subs:
        return Subs(Derivative(of(u), (u, order)), u, 0)

    at_x = 1 / x - a - b
    return Derivation(
        name="pass_at_k_beta_tail",
        title=say("The tail of {} of Beta distributed problems", FAIL_AT(k)),
        assumptions=(
            say(
                "Over the problems the chance {} that one draw solves a problem is Beta "
                "distributed with shapes {} and {}: it has a density proportional to {}. The "
                "constant {} is the quotient of the values {} and {} of the Gamma function. One "
                "more draw multiplies {} by {}. Let {} and {}.",
                p,
                (a, ">", 0),
                (b, ">", 0),
                p ** (a - 1) * (1 - p) ** (b - 1),
                scale,
                gamma_of(a + b),
                gamma_of(b),
                FAIL_AT(k),
                ratio(k),
                (x, ">", 0),
                (u, ">", 0),
            ),
        ),
        definitions=(
            Definition(scale, beta_tail(a, b, k) * k**a),
            Definition(ratio(k), beta_fail_ratio(a, b, k)),
            Definition(solved(k), a / (a + b + k)),
            Definition(tail(k), k**-a * beta_tail_correction(a, b, k)),
            Definition(
                of_tail(u), -a * log(1 + u) + log(1 - slope * u / (1 + u)) - log(1 - slope * u)
            ),
            Definition(of_mean(u), log(1 + b * u) - log(1 + (a + b) * u)),
        ),
        statement=say(
            "For many draws the mean {} is, up to the relative error of the lemma, the left "
            "side of {leading_term}. The recurrence has the same exponent: of the problems "
            "that {} draws leave, one more solves the share {share_solved}, which times the "
            "number of draws tends to the exponent, {relative_decrement}. And it has the "
            "same correction, for the steps from one number of draws to the next agree at "
            "first and second order, {step_at_first_order} and {step_at_second_order}.",
            FAIL_AT(k),
            k,
        ),
        steps=(
            step(
                "leading_term",
                (scale * tail(k), "~", scale * k**-a),
                say(
                    "The mean {} is {} times the quotient of the values of the Gamma function at {} "
                    "and {}:",
                    FAIL_AT(k),
                    scale,
                    k + b,
                    k + a + b,
                ),
                UnderLemma(lemma, TRICOMI, ByLeadingTerm(k, "oo")),
            ),
            step(
                "share_solved",
                (1 - ratio(k), "=", solved(k)),
                say("What {} draws leave, one more leaves with the factor {}:", k, ratio(k)),
            ),
            step(
                "relative_decrement",
                (at_x * solved(at_x), "->", a),
                say(
                    "Let {} stand for {}; then the number of draws is {}, and its product with the "
                    "share is {}:",
                    x,
                    1 / (a + b + k),
                    at_x,
                    a - a * (a + b) * x,
                ),
                ByLeadingTerm(x, "0"),
            ),
            step(
                "step_at_first_order",
                (at_zero(of_tail, 1), "=", at_zero(of_mean, 1)),
                say(
                    "With {} for {}, the logarithm of the factor from {} to {} draws is {} for the "
                    "tail and {} for the mean. Both derivatives are {}:",
                    u,
                    1 / k,
                    k,
                    k + 1,
                    of_tail(u),
                    of_mean(u),
                    -a,
                ),
            ),
            step(
                "step_at_second_order",
                (at_zero(of_tail, 2), "=", at_zero(of_mean, 2)),
                say(
                    "Both second derivatives are {}, which fixes the coefficient of the correction:",
                    a * (a + 2 * b),
                ),
            ),
        ),
        source=f"{TRICOMI}, for the expansion; Levi 2024 (arXiv 2410.16377) for Beta distributed problems.",
        follows=say(
            "The exponent in {} of the tail is the shape {} of {} near 0: the tail theorem in one family.",
            k,
            a,
            p,
        ),
    )
