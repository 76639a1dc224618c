"""In the law bilinear in log C and log k the curves of all k meet at a single compute, C_x = exp(-b/c)."""

from __future__ import annotations

from sympy import Integer, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, KRAJEWSKI, PASS_AT, BilinearForm
from isoflop.theory.proof.arguments import ByMonotone
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """log(-log pass@k) = log A + a log C + b log k + c log C log k: the slope in log k is b + c log C."""
    a, b, c = symbols("a b c", real=True)
    crossing, v, x = symbols("C_x v x", positive=True)
    C, k = sym.C, DRAWS
    law = BilinearForm(sym.A, a, b, c)
    y, s = function("y")(C, k), function("q")
    return Derivation(
        name="bilinear_law_crosses_once",
        title=say("The bilinear law in compute and {} has one crossing point", k),
        assumptions=(
            say(
                "Let {} be the negative logarithm of {} at compute {}, with constants {} and real {}, "
                "{} and {}.",
                (y, "=", sym.A * C**a * k ** (b + c * log(C))),
                PASS_AT(k),
                (C, ">", 0),
                (sym.A, ">", 0),
                a,
                b,
                (c, "!=", 0),
            ),
        ),
        definitions=(
            Definition(y, law.value),
            Definition(crossing, law.crossing),
            Definition(s(C), b + c * log(C)),
        ),
        statement=say(
            "The curves of all {} meet at {}: {common_crossing}. At a fixed number of draws "
            "the law is a power of compute, {in_powers}, and at fixed compute a power of the "
            "number of draws, {in_powers_of_k}. The slope in the logarithm of {} is {slope}. "
            "For every {} it is {wrong_way_below} below the crossing and {right_way_above} "
            "above it, where {log_is_positive}: it changes its sign at the crossing.",
            k,
            crossing,
            k,
            (v, ">", 0),
        ),
        steps=(
            step(
                "common_crossing",
                (function("y")(crossing, k), "=", law.value_at_crossing),
                say("The terms in {} cancel:", log(k)),
            ),
            step(
                "in_powers",
                (y, "=", sym.A * C ** (-law.compute_exponent) * k**b),
                say("Gather the terms in {}:", log(C)),
            ),
            step(
                "in_powers_of_k",
                (y, "=", sym.A * C**a * k ** (-law.draws_exponent)),
                say("Gather the terms in {}:", log(k)),
            ),
            step(
                "slope",
                (k * Partial(log(y), k), "=", s(C)),
                say("The logarithm of {} is affine in {}:", y, log(k)),
            ),
            step(
                "wrong_way_below",
                (s(crossing / (1 + v)), "=", -c * log(1 + v)),
                say("Since {} vanishes at {}:", s(C), crossing),
            ),
            step(
                "right_way_above", (s(crossing * (1 + v)), "=", c * log(1 + v)), "In the same way:"
            ),
            step(
                "log_is_positive",
                (log(1 + v), ">", 0),
                say(
                    "The logarithm increases from 0 at 1. So for {} the law rises with {} below {}, "
                    "which is impossible, and falls with it above:",
                    (c, "<", 0),
                    k,
                    crossing,
                ),
                ByMonotone(log(1 + x), x, v, Integer(0)),
            ),
        ),
        source=f"{KRAJEWSKI}, equation 5, for the law; the crossing follows from it.",
        follows=say(
            "With {}, as fitted, the law is meaningful for {} only, whatever {}.",
            (c, "<", 0),
            (C, ">", crossing),
            k,
        ),
    )
