"""Runs at one model size (or one data set) determine the other variable's term and a constant: rank three."""

from __future__ import annotations

from sympy import Integer, Mul, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive, product_of_powers
from isoflop.theory.identifiability import (
    SPACING,
    DesignForm,
    minor_beside_one,
    step_falls,
    three_point_minor,
)
from isoflop.theory.proof.arguments import ByFactors
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

SHIFT = Symbol("h", positive=True)


def derivation() -> Derivation:
    """N fixed, D = C/(6N): the columns of log A and beta are multiples of that of E; the same with N and D exchanged."""
    n, d, C, law = sym.N, sym.D, sym.C, function("L")
    at_size, at_data = DesignForm(n, C / (6 * n)), DesignForm(C / (6 * d), d)
    factors = three_point_minor(at_size.terms[1], sym.GAMMA, Integer(1))
    mirrored = three_point_minor(at_data.terms[0], sym.BETA, Integer(1))
    constant, tokens = sym.A * n**-sym.BETA, sym.B * d**-sym.GAMMA
    f, g, u, v = (function(name) for name in ("f", "g", "u", "v"))
    minor, other = function("m")(C), function("k")(C)
    steps = (
        step(
            "constant_against_E",
            (sym.E + (1 - SHIFT) * constant + SHIFT * constant + tokens, "=", law(n, d)),
            say(
                "First dependency: at one size what the term of {} loses {} can gain, and no run notices:",
                n,
                sym.E,
            ),
        ),
        step(
            "exponent_against_A",
            (
                product_of_powers([sym.A, n, n], [Integer(1), SHIFT, -(sym.BETA + SHIFT)]),
                "=",
                constant,
            ),
            say("Second dependency: a larger {} is made good by a larger {}:", sym.BETA, sym.A),
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
            ByFactors(factors, base=step_falls(sym.GAMMA, Integer(1))),
        ),
        step(
            "exponent_against_B",
            (
                product_of_powers([sym.B, d, d], [Integer(1), SHIFT, -(sym.GAMMA + SHIFT)]),
                "=",
                tokens,
            ),
            say("At one data set {} and {} trade off in the same way:", sym.GAMMA, sym.B),
        ),
        step(
            "minor_at_fixed_data",
            (other, "=", -Mul(*mirrored)),
            "The determinant with the two variables exchanged:",
        ),
        step(
            "sign_at_fixed_data",
            (other, "<", 0),
            "The rank is three there as well:",
            ByFactors(mirrored, base=step_falls(sym.BETA, Integer(1))),
        ),
    )
    return Derivation(
        name="rank_at_fixed_size",
        title="What runs at one size can tell",
        assumptions=(
            *derive().assumptions,
            say(
                "The logarithms of compute of three runs are apart by {}; the runs share their "
                "size, or their data. Let {}.",
                (SPACING, ">", 0),
                (0, "<", SHIFT, "<", 1),
            ),
        ),
        definitions=(
            *derive().definitions,
            Definition(f(C), Partial(law(n, C / (6 * n)), log(sym.B))),
            Definition(g(C), Partial(law(n, C / (6 * n)), sym.GAMMA)),
            Definition(minor, minor_beside_one(f, g)),
            Definition(u(C), Partial(law(C / (6 * d), d), log(sym.A))),
            Definition(v(C), Partial(law(C / (6 * d), d), sym.BETA)),
            Definition(other, minor_beside_one(u, v)),
        ),
        statement=say(
            "At one size the loss does not determine {}, {} and {}, {constant_against_E} and "
            "{exponent_against_A}; the derivatives in the three other parameters are "
            "independent, {minor_sign}. At one data set it does not determine {} and {}, "
            "{exponent_against_B}, but {sign_at_fixed_data}.",
            sym.E,
            sym.A,
            sym.BETA,
            sym.B,
            sym.GAMMA,
        ),
        steps=steps,
        source="Two linear dependencies among five columns, and a minor of three rows that is not zero.",
        follows="One size gives the exponent and the coefficient of tokens and a constant; one data set those of params and a "
        "constant.",
    )
