"""Runs at one model size (or one data set) determine the other variable's term and a constant: rank three."""

from __future__ import annotations

from sympy import Integer, Mul, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import Design, step_falls, three_point_minor
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument_factors import ByFactors
from isoflop.theory.proof.claim import Claim, Derivation

SHIFT = Symbol("h", positive=True)


def derivation() -> Derivation:
    """N fixed, D = C/(6N): the columns of log A and beta are multiples of that of E; the same with N and D exchanged."""
    n, d = sym.N, sym.D
    at_size, at_data = Design(n, sym.C / (6 * n)), Design(sym.C / (6 * d), d)
    form = PARAMS_TOKENS
    factors = three_point_minor(at_size.terms[1], sym.GAMMA, Integer(1))
    mirrored = three_point_minor(at_data.terms[0], sym.BETA, Integer(1))
    minor, other = at_size.minor("E", "log B", "gamma"), at_data.minor("E", "log A", "beta")
    constant = form.terms[0].expression
    steps = (
        Claim(
            "constant_against_E",
            at_size.at(form.loss).subs(
                [(sym.E, sym.E + (1 - SHIFT) * constant), (sym.A, SHIFT * sym.A)], simultaneous=True
            ),
            "==",
            at_size.at(form.loss),
            "First dependency: at one size what A N^-beta loses E can gain, and no run notices.",
        ),
        Claim(
            "exponent_against_A",
            at_size.at(form.loss).subs(
                [(sym.A, sym.A * n**SHIFT), (sym.BETA, sym.BETA + SHIFT)], simultaneous=True
            ),
            "==",
            at_size.at(form.loss),
            "Second dependency: a larger beta is made good by a larger A.",
        ),
        Claim(
            "minor",
            minor,
            "==",
            -Mul(*factors),
            "The minor of (E, log B, gamma) at C, C e^z, C e^2z in closed form.",
        ),
        Claim(
            "minor_sign",
            minor,
            "<",
            Integer(0),
            "No factor of the closed form vanishes for z > 0: the rank is 3.",
            ByFactors(factors, base=step_falls(sym.GAMMA, Integer(1))),
        ),
        Claim(
            "minor_at_fixed_data",
            other,
            "==",
            -Mul(*mirrored),
            "The same with the two variables exchanged: (E, log A, beta) at fixed D.",
        ),
        Claim(
            "sign_at_fixed_data",
            other,
            "<",
            Integer(0),
            "Rank 3 at fixed D as well.",
            ByFactors(mirrored, base=step_falls(sym.BETA, Integer(1))),
        ),
        Claim(
            "exponent_against_B",
            at_data.at(form.loss).subs(
                [(sym.B, sym.B * d**SHIFT), (sym.GAMMA, sym.GAMMA + SHIFT)], simultaneous=True
            ),
            "==",
            at_data.at(form.loss),
            "At one data set gamma and B trade off in the same way.",
        ),
    )
    return Derivation(
        name="rank_at_fixed_size",
        title="What runs at one size can tell",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "N is the same in all runs, 3 or more C equally spaced in log C",
        ),
        statement=r"\operatorname{rank}\frac{\partial L}{\partial(E, \log A, \log B, \beta, \gamma)} = 3 \text{ at fixed } N",
        steps=steps,
        source="Two linear dependencies among five columns, and a 3 x 3 minor that is not zero.",
        follows="One size gives B, gamma and E + A N^-beta; one data set gives A, beta and E + B D^-gamma.",
    )
