"""Runs on the envelope, or at a constant multiple of N*(C), determine three combinations of the five parameters."""

from __future__ import annotations

from sympy import Expr, Mul, Subs, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import (
    SPACING,
    DesignForm,
    minor_beside_one,
    step_falls,
    three_point_minor,
)
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.proof.arguments import ByFactors
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """The five columns of the Jacobian lie in span{1, R, R log C}; one 3 x 3 minor is not zero."""
    m = misallocation()
    envelope, names = m.envelope, m.named.envelope
    r, C, n, d = sym.SIZE_RATIO, sym.C, sym.N, sym.D
    design = DesignForm(r * envelope.params, envelope.tokens / r)
    n_star, d_star = names.allocation
    law, at = function("L"), (r * n_star, d_star / r)
    in_a, in_b, in_beta, in_gamma, offset = (function(name) for name in ("f", "g", "u", "v", "q"))
    ratio, minor = Symbol("p", positive=True), function("m")(C)
    factors = three_point_minor(design.terms[0], sym.BETA, envelope.exponent / sym.BETA)

    def column(parameter: Expr) -> Expr:
        """The derivative of the loss of a run, its size and data held."""
        return Subs(Partial(law(n, d), parameter), (n, d), at)

    steps = (
        step(
            "budget",
            (6 * at[0] * at[1], "=", C),
            say("The runs spend {}, as the powers of {} cancel:", C, r),
        ),
        step(
            "reducible",
            (function("R")(*at), "=", PENALTY(r) * names.reducible),
            say(
                "The loss depends on {}, the product {} and {} alone:",
                sym.E,
                PENALTY(r) * names.coefficient,
                names.exponent,
            ),
        ),
        step(
            "column_log_B",
            (in_b(C), "=", ratio * in_a(C)),
            "First dependency: the two terms have a constant ratio:",
        ),
        step(
            "offset",
            (Partial(offset(C), C), "=", 0),
            "The sum of both logarithms times their exponents does not change along the runs:",
        ),
        step(
            "column_gamma",
            (in_gamma(C), "=", ratio / sym.GAMMA * (sym.BETA * in_beta(C) + offset(C) * in_a(C))),
            "Second dependency: a fixed combination of two others:",
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
            ByFactors(factors, base=step_falls(sym.BETA, envelope.exponent / sym.BETA)),
        ),
    )
    return Derivation(
        name="rank_on_a_constant_size_ratio",
        title="What runs on the envelope can tell",
        assumptions=(
            *envelope.assumptions,
            say(
                "The logarithms of compute of three runs are apart by {}; each has {} times the "
                "optimal size at its compute, {}.",
                (SPACING, ">", 0),
                r,
                (r, ">", 0),
            ),
        ),
        definitions=(
            *m.definitions,
            Definition(in_a(C), column(log(sym.A))),
            Definition(in_b(C), column(log(sym.B))),
            Definition(in_beta(C), column(sym.BETA)),
            Definition(in_gamma(C), column(sym.GAMMA)),
            Definition(ratio, names.shares[1] / names.shares[0] * r ** (sym.BETA + sym.GAMMA)),
            Definition(offset(C), sym.BETA * log(r * n_star) - sym.GAMMA * log(d_star / r)),
            Definition(minor, minor_beside_one(in_a, in_beta)),
        ),
        statement=say(
            "The loss of the runs is a compute law, {reducible}. The derivatives of the loss "
            "in the five parameters have rank three: {column_log_B} and {column_gamma}, "
            "where {offset}, but those in three of them are independent, {minor_sign}."
        ),
        steps=steps,
        source="Two linear dependencies among five columns, and a minor of three rows that is not zero.",
        follows="To first order such runs tell three combinations alone, and neither the two exponents nor "
        "the size ratio. Runs off the path are needed for the allocation.",
    )
