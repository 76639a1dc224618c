"""Params and tokens are complements: their elasticity of substitution is below 1, and 2/(2+beta+gamma) at the optimum."""

from __future__ import annotations

from sympy import Subs, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.economics import (
    contour_point,
    elasticity_of_substitution,
    optimal_elasticity_of_substitution,
)
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

SUBSTITUTION, OUTPUT, RATE = (function(name) for name in ("sigma", "Y", "m"))
CONTOUR = function("N_c"), function("D_c")
TARGET, ODDS, SCALE = symbols("R_0 x k", positive=True)


def derivation() -> Derivation:
    """From the definition on the explicit contour; its value at the optimum; the bound; the CES case."""
    n, d, b, g, x = sym.N, sym.D, sym.BETA, sym.GAMMA, ODDS
    envelope = derive()
    params, tokens = PARAMS_TOKENS.terms
    t_n, t_d = params.expression, tokens.expression
    (n_c, d_c), point = (variable(x) for variable in CONTOUR), contour_point(x)
    steps = (
        step(
            "contour",
            (function("R")(n_c, d_c), "=", TARGET),
            say("The two terms are {} and {}:", x / (1 + x) * TARGET, TARGET / (1 + x)),
        ),
        step(
            "rate",
            (Partial(d_c, x), "=", -RATE(n_c, d_c) * Partial(n_c, x)),
            say("Differentiate both coordinates in {}; minus the quotient is the rate:", x),
        ),
        step(
            "on_the_contour",
            (
                Partial(log(d_c / n_c), x),
                "=",
                SUBSTITUTION(n_c, d_c) * Partial(log(RATE(n_c, d_c)), x),
            ),
            say("Differentiate the logarithms of {} and {}:", d_c / n_c, RATE(n_c, d_c)),
        ),
        step(
            "at_the_optimum",
            (SUBSTITUTION(*envelope.named.allocation), "=", optimal_elasticity_of_substitution()),
            say("At the optimum {} and {} agree:", b * t_n, g * t_d),
        ),
        step(
            "complements",
            (SUBSTITUTION(n, d), "<", 1),
            say("The denominator exceeds the numerator by {}:", b * g * function("R")(n, d)),
            ByPositiveTerms(form=b * g * (t_n + t_d) / ((1 + b) * g * t_d + (1 + g) * b * t_n)),
        ),
        step(
            "equal_exponents",
            (Subs(SUBSTITUTION(n, d), g, b), "=", 1 / (1 + b)),
            say(
                "Both the numerator and the denominator are then multiples of {}:",
                t_n + t_d.subs(g, b),
            ),
        ),
        step(
            "output",
            (Subs(function("R")(n, d), g, b), "=", OUTPUT(n, d) ** -b),
            "The output is a power of the reducible loss:",
        ),
        step(
            "ces_output",
            (OUTPUT(SCALE * n, SCALE * d), "=", SCALE * OUTPUT(n, d)),
            say("Both terms of the reducible loss are multiplied by {}:", SCALE**-b),
        ),
    )
    return Derivation(
        name="elasticity_of_substitution",
        title="Elasticity of substitution between params and tokens",
        assumptions=(
            *envelope.assumptions,
            say(
                "On the contour of the reducible loss {} let {} be the quotient of the two terms, "
                "{} over {}.",
                (TARGET, ">", 0),
                (x, ">", 0),
                t_n,
                t_d,
            ),
        ),
        definitions=(
            *envelope.definitions,
            Definition(n_c, point[0].subs(sym.REDUCIBLE, TARGET)),
            Definition(d_c, point[1].subs(sym.REDUCIBLE, TARGET)),
            Definition(RATE(n, d), b * t_n * d / (g * t_d * n)),
            Definition(SUBSTITUTION(n, d), elasticity_of_substitution()),
            Definition(OUTPUT(n, d), PARAMS_TOKENS.reducible.subs(g, b) ** (-1 / b)),
        ),
        statement=say(
            "The contour runs through {} params and {} tokens, {contour}. Along it one more "
            "param makes up for {} tokens, {rate}, and the elasticity of substitution {} is "
            "the percentage by which {} rises where this rate rises by one percent, "
            "{on_the_contour}. Params and tokens are complements, {complements}, and at the "
            "optimum {at_the_optimum}. With equal exponents the elasticity is constant, "
            "{equal_exponents}, and the reducible loss is a power of the output {}, "
            "{output}, which grows with its inputs in proportion: for every factor {}, "
            "{ces_output}.",
            n_c,
            d_c,
            RATE(n, d),
            SUBSTITUTION(n, d),
            d / n,
            OUTPUT(n, d),
            (SCALE, ">", 0),
        ),
        steps=steps,
        source="Definition of Hicks; Arrow, Chenery, Minhas and Solow 1961 for CES.",
        follows="A shortage of data is hard to buy off with params, and the other way round.",
    )
