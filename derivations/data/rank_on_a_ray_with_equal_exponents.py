"""At a fixed number of tokens per parameter and with equal exponents, the Jacobian of the loss has rank three."""

from __future__ import annotations

from sympy import Expr, Mul, Subs, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import (
    RAY_GROWTH,
    SPACING,
    DesignForm,
    minor_beside_one,
    step_falls,
    three_point_minor,
)
from isoflop.theory.proof.arguments import ByFactors
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """D = t N and gamma = beta: the columns lie in span{1, R, R log C}."""
    line, t, C, n, d = ray(), sym.TOKENS_PER_PARAM, sym.C, sym.N, sym.D
    law, at, equal = function("L"), (PARAMS(C), TOKENS(C)), sym.BETA
    in_a, in_b, in_beta, in_gamma = (function(name) for name in ("f", "g", "u", "v"))
    ratio, minor = Symbol("p", positive=True), function("m")(C)
    factors = three_point_minor(DesignForm(line.params, line.tokens).terms[0], sym.BETA, RAY_GROWTH)

    def column(parameter: Expr) -> Expr:
        """The derivative of the loss of a run, its size and data held, at equal exponents."""
        return Subs(Partial(law(n, d), parameter), (sym.GAMMA, n, d), (equal, *at))

    steps = (
        step(
            "one_power",
            (
                sym.A * PARAMS(C) ** -equal + sym.B * TOKENS(C) ** -equal,
                "=",
                (sym.A + sym.B * t**-equal) * PARAMS(C) ** -equal,
            ),
            "Both terms fall with the same power of compute:",
        ),
        step(
            "column_log_B",
            (in_b(C), "=", ratio * in_a(C)),
            "First dependency: the terms are proportional:",
        ),
        step(
            "column_gamma",
            (in_gamma(C), "=", ratio * (in_beta(C) - log(t) * in_a(C))),
            say("Second dependency: the two logarithms differ by {}:", log(t)),
        ),
        step(
            "minor",
            (minor, "=", -Mul(*factors)),
            say(
                "The determinant at three compute levels, with the derivative in {}, which is one:",
                sym.E,
            ),
        ),
        step(
            "minor_sign",
            (minor, "<", 0),
            "No factor of it vanishes, so that the rank is three:",
            ByFactors(factors, base=step_falls(sym.BETA, RAY_GROWTH)),
        ),
    )
    return Derivation(
        name="rank_on_a_ray_with_equal_exponents",
        title="What runs at one ratio can tell, equal exponents",
        assumptions=(
            *line.assumptions,
            say(
                "The logarithms of compute of three runs are apart by {}, and the exponents are equal.",
                (SPACING, ">", 0),
            ),
        ),
        definitions=(
            *line.definitions,
            Definition(in_a(C), column(log(sym.A))),
            Definition(in_b(C), column(log(sym.B))),
            Definition(in_beta(C), column(sym.BETA)),
            Definition(in_gamma(C), column(sym.GAMMA)),
            Definition(ratio, sym.B / sym.A * t**-equal),
            Definition(minor, minor_beside_one(in_a, in_beta)),
        ),
        statement=say(
            "With equal exponents the reducible loss of the runs is one power of {}, "
            "{one_power}. The derivatives in the five parameters have rank three: "
            "{column_log_B} and {column_gamma}, but those in three of them are independent, "
            "{minor_sign}.",
            C,
        ),
        steps=steps,
        source="Two linear dependencies among five columns, and a minor of three rows that is not zero.",
        follows="The two coefficients enter through one sum alone: how the loss splits between size and data stays open.",
    )
