"""Where p is Beta distributed over the problems, fail@k is a quotient of Gamma values."""

from __future__ import annotations

from sympy import Derivative, Integer, Symbol

from isoflop.theory.algebra.factorials import gamma_of
from isoflop.theory.passk import DRAWS, FAIL_AT, SHAPE_A, SHAPE_B, beta_fail
from isoflop.theory.theorem import Definition, Derivation, function, say, step


def derivation() -> Derivation:
    """Integrate by parts to step from k to k + 1; the Gamma values take the same step."""
    a, b, k = SHAPE_A, SHAPE_B, DRAWS
    q, formula = Symbol("q", positive=True), Symbol("u", positive=True)
    product = function("h")
    values = (gamma_of(a + b), gamma_of(b + k), gamma_of(b), gamma_of(a + b + k))
    return Derivation(
        name="pass_at_k_of_beta_problems",
        title=say("{} of Beta distributed problems", FAIL_AT(k)),
        assumptions=(
            say(
                "One draw fails a problem with probability {}, and solves it with probability "
                "{}. Over the problems the former has a density proportional to {}, where {} and "
                "{}. The number of draws {} is an integer, with {}, and {} ",
                (q, ">", 0),
                (1 - q, ">", 0),
                (1 - q) ** (a - 1) * q ** (b - 1),
                (a, ">", 0),
                (b, ">", 0),
                k,
                (k, ">=", 0),
                FAIL_AT(k),
            )
            + say(
                "is the mean of {}. The values of the Gamma function {}, {}, {} ",
                q**k,
                *values[:3],
            )
            + say("and {} obey its recurrence.", values[3]),
        ),
        definitions=(
            Definition(product(q), q ** (b + k) * (1 - q) ** a),
            Definition(formula, beta_fail(a, b, k)),
        ),
        statement=say(
            "For every {} the mean {} is {}. For it takes the step of the means, {by_parts} "
            "and {one_more_draw}, and it is 1 without draws, and the share of the problems "
            "that one draw solves is {one_draw}; the variance of that chance is {two_draws}.",
            k,
            FAIL_AT(k),
            formula,
        ),
        steps=(
            step(
                "by_parts",
                (
                    Derivative(product(q), q),
                    "=",
                    (b + k) * q ** (b + k - 1) * (1 - q) ** (a - 1)
                    - (a + b + k) * q ** (b + k) * (1 - q) ** (a - 1),
                ),
                say(
                    "The function {} vanishes at {} and {}, so that the integral of the right side "
                    "between them is 0: the mean of {} is {} times that of {}:",
                    product(q),
                    (q, "=", 0),
                    (q, "=", 1),
                    q ** (k + 1),
                    (b + k) / (a + b + k),
                    q**k,
                ),
                assume=(1 - q,),
            ),
            step(
                "one_more_draw",
                (beta_fail(a, b, k + 1), "=", (b + k) / (a + b + k) * formula),
                say("By the recurrence of the Gamma function, the quotient at {} draws is:", k + 1),
            ),
            step(
                "one_draw",
                (1 - beta_fail(a, b, Integer(1)), "=", a / (a + b)),
                say(
                    "At {} the quotient is 1, as is the mean of {}. By induction over {} the two "
                    "agree everywhere, first at {}:",
                    (k, "=", 0),
                    q**k,
                    k,
                    (k, "=", 1),
                ),
            ),
            step(
                "two_draws",
                (
                    beta_fail(a, b, Integer(2)) - beta_fail(a, b, Integer(1)) ** 2,
                    "=",
                    a * b / ((a + b) ** 2 * (a + b + 1)),
                ),
                say(
                    "The mean of {} less the square of the mean of {} is the variance of {}, and so "
                    "of {}:",
                    q**2,
                    q,
                    q,
                    1 - q,
                ),
            ),
        ),
        source="Classical moments of the Beta distribution; Levi 2024 (arXiv 2410.16377) for Beta distributed problems.",
        follows=say(
            "Two functions of compute, one for {} and one for {}, give a law for every {} with all "
            "constraints across {} built in.",
            a,
            b,
            k,
            k,
        ),
    )
