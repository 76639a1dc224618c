"""At a fixed number of tokens per parameter and with equal exponents, the Jacobian of the loss has rank three."""

from __future__ import annotations

from sympy import Integer, Mul, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import RAY_GROWTH, Design, step_falls, three_point_minor
from isoflop.theory.proof.argument_factors import ByFactors
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """D = t N and gamma = beta: the columns lie in span{1, R, R log C}."""
    line, t, equal = ray(), sym.TOKENS_PER_PARAM, {sym.GAMMA: sym.BETA}
    design = Design(line.params, line.tokens)
    columns = {name: column.subs(equal) for name, column in design.columns.items()}
    t_n = design.terms[0]
    ratio = sym.B / sym.A * t**-sym.BETA
    factors = three_point_minor(t_n, sym.BETA, RAY_GROWTH)
    minor = design.minor("E", "log A", "beta")
    steps = (
        Claim(
            "one_power",
            line.reducible.subs(equal),
            "==",
            (sym.A + sym.B * t**-sym.BETA) * line.params**-sym.BETA,
            "Both terms fall with the same power of compute: the ray is itself a compute law with exponent beta/2.",
        ),
        Claim(
            "column_log_B",
            columns["log B"],
            "==",
            ratio * columns["log A"],
            "First dependency: the terms are proportional.",
        ),
        Claim(
            "column_gamma",
            columns["gamma"],
            "==",
            ratio * (columns["beta"] - log(t) * columns["log A"]),
            "Second dependency: log D is log N plus a constant.",
        ),
        Claim(
            "minor",
            minor,
            "==",
            -Mul(*factors),
            "The minor of (E, log A, beta) at C, C e^z, C e^2z in closed form.",
        ),
        Claim(
            "minor_sign",
            minor,
            "<",
            Integer(0),
            "No factor of the closed form vanishes for z > 0: the rank is 3.",
            ByFactors(factors, base=step_falls(sym.BETA, RAY_GROWTH)),
        ),
    )
    return Derivation(
        name="rank_on_a_ray_with_equal_exponents",
        title="What runs at one ratio can tell, equal exponents",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "gamma = beta",
            "D = t N, 3 or more C equally spaced in log C",
        ),
        statement=r"\operatorname{rank}\frac{\partial L}{\partial(E, \log A, \log B, \beta, \gamma)} = 3 \text{ on } D = tN",
        steps=steps,
        source="Two linear dependencies among five columns, and a 3 x 3 minor that is not zero.",
        follows="A and B enter through A + B t^-beta alone: how the loss splits between size and data stays open.",
    )
