"""At a fixed number of tokens per parameter and with different exponents all five parameters are determined locally."""

from __future__ import annotations

from sympy import Integer, Mul

from isoflop.theory import symbols as sym
from isoflop.theory.argument_factors import ByFactors
from isoflop.theory.claim import Claim, Derivation
from isoflop.theory.ray import ray
from isoflop.theory.statistics import RAY_GROWTH, SPACING, Design, five_point_minor


def derivation() -> Derivation:
    """D = t N with beta != gamma: the full 5 x 5 minor is a confluent Vandermonde determinant."""
    line = ray()
    design = Design(line.params, line.tokens)
    factors = five_point_minor(design.terms, (sym.BETA, sym.GAMMA), RAY_GROWTH)
    minor = design.minor("E", "log A", "log B", "beta", "gamma")
    steps = (
        Claim("minor", minor, "==", -Mul(*factors), "The determinant at C e^(i z), i = 0..4, in closed form."),
        Claim(
            "minor_sign",
            minor,
            "<=",
            Integer(0),
            "It vanishes only where two of 1, e^(-beta z/2), e^(-gamma z/2) agree, so for z > 0 only at beta = gamma.",
            ByFactors(factors),
        ),
        Claim(
            "equal_exponents",
            minor.subs(sym.GAMMA, sym.BETA) + SPACING,
            "==",
            SPACING,
            "At beta = gamma it is zero: there the rank drops.",
        ),
    )
    return Derivation(
        name="rank_on_a_ray",
        title="What runs at one ratio can tell, different exponents",
        assumptions=("L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive", "beta != gamma", "D = t N, 5 or more C"),
        statement=r"\operatorname{rank}\frac{\partial L}{\partial(E, \log A, \log B, \beta, \gamma)} = 5 \text{ on } D = tN,\ \beta \ne \gamma",
        steps=steps,
        source="The confluent Vandermonde determinant of the functions 1, p^i, i p^i, s^i, i s^i.",
        follows="The rank is local: the two exponents can still be exchanged (swap_symmetry_on_a_ray), and near beta = gamma the "
        "determinant falls with the fourth power of their difference.",
    )
