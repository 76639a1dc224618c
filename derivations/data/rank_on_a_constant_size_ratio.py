"""Runs on the envelope, or at a constant multiple of N*(C), determine three combinations of the five parameters."""

from __future__ import annotations

from sympy import Integer, Mul, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import Design, step_falls, three_point_minor
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_factors import ByFactors
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The five columns of the Jacobian lie in span{1, R, R log C}; one 3 x 3 minor is not zero."""
    envelope, r = derive(), sym.SIZE_RATIO
    design = Design(r * envelope.params, envelope.tokens / r)
    t_n, t_d = design.terms
    columns, (w_n, w_d) = design.columns, envelope.shares
    ratio = w_d / w_n * r ** (sym.BETA + sym.GAMMA)
    offset = sym.BETA * log(r * envelope.params) - sym.GAMMA * log(envelope.tokens / r)
    factors = three_point_minor(t_n, sym.BETA, envelope.exponent / sym.BETA)
    minor = design.minor("E", "log A", "beta")
    steps = (
        Claim(
            "budget",
            sym.C / (6 * design.params),
            "==",
            design.tokens,
            "The runs spend C: beside r N* params the budget leaves D*/r tokens.",
        ),
        Claim(
            "terms", t_d / t_n, "==", ratio, "The two terms have a constant ratio along the design."
        ),
        Claim(
            "reducible",
            t_n + t_d,
            "==",
            misallocation().penalty * envelope.reducible,
            "The loss is E + P(r) R*(C): it depends on E, P C0 and alpha alone.",
        ),
        Claim(
            "column_log_B",
            columns["log B"],
            "==",
            ratio * columns["log A"],
            "First dependency: the two term columns are proportional.",
        ),
        Claim(
            "offset",
            offset,
            "==",
            offset.subs(sym.C, Integer(1)),
            "beta log N - gamma log D does not change along the design.",
        ),
        Claim(
            "column_gamma",
            columns["gamma"],
            "==",
            ratio / sym.GAMMA * (sym.BETA * columns["beta"] + offset * columns["log A"]),
            "Second dependency: the column of gamma is a fixed combination of those of beta and log A.",
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
            ByFactors(factors, base=step_falls(sym.BETA, envelope.exponent / sym.BETA)),
        ),
    )
    return Derivation(
        name="rank_on_a_constant_size_ratio",
        title="What runs on the envelope can tell",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "N = r N*(C) with one r for all runs, 3 or more C equally spaced in log C",
        ),
        statement=r"\operatorname{rank}\frac{\partial L(C_1), \ldots, \partial L(C_n)}{\partial(E, \log A, \log B, \beta, "
        r"\gamma)} = 3",
        steps=steps,
        source="Two linear dependencies among five columns, and a 3 x 3 minor that is not zero.",
        follows="Such runs give E, P(r) C0 and alpha: neither the two exponents nor r. Runs off the path are needed for the "
        "allocation.",
    )
