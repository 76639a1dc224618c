"""At a fixed number of tokens per parameter and with different exponents all five parameters are determined locally."""

from __future__ import annotations

from sympy import Integer, Matrix, Mul, Symbol, diag, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import (
    RAY_GROWTH,
    SPACING,
    Design,
    confluent_rows,
    confluent_vandermonde,
    step_falls,
)
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.argument_factors import ByFactors
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation
from isoflop.theory.ray import ray

STEP, P, S = Symbol("i", positive=True), Symbol("p", positive=True), Symbol("q", positive=True)
GAP, X = Symbol("h", positive=True), Symbol("x", positive=True)


def derivation() -> Derivation:
    """D = t N with beta != gamma: the full 5 x 5 minor is, up to a factor, a confluent Vandermonde determinant."""
    line = ray()
    design = Design(line.params, line.tokens)
    t_n, t_d = design.terms
    step = RAY_GROWTH * SPACING
    p, s = exp(-sym.BETA * step), exp(-sym.GAMMA * step)
    at_i = {
        name: column.subs(sym.C, sym.C * exp(STEP * SPACING))
        for name, column in design.columns.items()
    }
    log_n, log_d = log(line.params), log(line.tokens)
    change = diag(
        1,
        Matrix([[t_n, -t_n * log_n], [0, -t_n * step]]),
        Matrix([[t_d, -t_d * log_d], [0, -t_d * step]]),
    )
    factors, distinct = confluent_vandermonde(P, S), ((1 - P) ** 2, (1 - S) ** 2, (P - S) ** 2)
    determinant = confluent_rows(P, S).det()
    steps = (
        Claim(
            "column_log_A",
            at_i["log A"],
            "==",
            change[1, 1] * p**STEP,
            "The params term at C e^(i z).",
        ),
        Claim(
            "column_beta",
            at_i["beta"],
            "==",
            change[1, 2] * p**STEP + change[2, 2] * STEP * p**STEP,
            "Its derivative in beta: a combination of p^i and i p^i.",
        ),
        Claim(
            "column_log_B",
            at_i["log B"],
            "==",
            change[3, 3] * s**STEP,
            "The tokens term at C e^(i z), with q = e^(-gamma z/2).",
        ),
        Claim(
            "column_gamma",
            at_i["gamma"],
            "==",
            change[3, 4] * s**STEP + change[4, 4] * STEP * s**STEP,
            "Its derivative in gamma: a combination of q^i and i q^i.",
        ),
        Claim(
            "change_of_basis",
            change.det(),
            ">",
            Integer(0),
            "The change from these columns to (1, p^i, i p^i, q^i, i q^i) is triangular, and its determinant is not zero.",
            ByPositiveTerms(form=(t_n * t_d * step) ** 2),
        ),
        Claim(
            "minor",
            determinant,
            "==",
            Mul(*factors),
            "The determinant of the rows (1, p^i, i p^i, q^i, i q^i), i = 0..4.",
        ),
        Claim(
            "minor_sign",
            determinant,
            ">",
            Integer(0),
            "It vanishes only where two of 1, p, q agree,",
            ByFactors(factors),
            assume=distinct,
        ),
        Claim(
            "below_one",
            1 - p,
            ">",
            Integer(0),
            "but p < 1 for z > 0, as q < 1,",
            step_falls(sym.BETA, RAY_GROWTH),
        ),
        Claim(
            "apart",
            p.subs(sym.BETA, sym.BETA + GAP),
            "<",
            p,
            "and the larger exponent has the smaller factor: p and q agree only at beta = gamma.",
            ByMonotone(
                exp(-X * step),
                X,
                sym.BETA + GAP,
                sym.BETA,
                increasing=False,
                order=ByPositiveTerms(form=GAP),
            ),
        ),
    )
    return Derivation(
        name="rank_on_a_ray",
        title="What runs at one ratio can tell, different exponents",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "beta != gamma",
            "D = t N, 5 or more C equally spaced in log C",
        ),
        statement=r"\operatorname{rank}\frac{\partial L}{\partial(E, \log A, \log B, \beta, \gamma)} = 5 \text{ on } D = tN,\ "
        r"\beta \ne \gamma",
        steps=steps,
        source="The confluent Vandermonde determinant of the functions 1, p^i, i p^i, q^i, i q^i.",
        follows="The rank is local: the two exponents can still be exchanged (swap_symmetry_on_a_ray), and near beta = gamma the "
        "determinant falls with the fourth power of their difference.",
    )
