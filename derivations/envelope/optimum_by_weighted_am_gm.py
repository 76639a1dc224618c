"""Weighted AM-GM gives the optimum, its loss and its uniqueness without a derivative of the loss."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The bound R >= C0 (6 N D)^-alpha for all N and D, its equality case, and that one point of the budget has it."""
    envelope = derive()
    params, tokens = PARAMS_TOKENS.terms
    w_n, w_d = envelope.shares
    level = Symbol("tau", positive=True)
    equality = {
        sym.N: (params.coefficient / (w_n * level)) ** (1 / params.exponent),
        sym.D: (tokens.coefficient / (w_d * level)) ** (1 / tokens.exponent),
    }
    spent = SIX_ND.compute(equality)
    steps = (
        Claim(
            "bound",
            PARAMS_TOKENS.reducible,
            ">=",
            envelope.reducible.subs(sym.C, SIX_ND.compute()),
            "Weighted AM-GM with w_N = gamma/(beta+gamma): then N and D enter the geometric mean through N D alone.",
            ByWeightedAmGm((params.expression, tokens.expression), envelope.shares),
        ),
        Claim(
            "equality_case",
            PARAMS_TOKENS.reducible.subs(equality),
            "==",
            level,
            "Equality holds where T_N/w_N = T_D/w_D = tau; solved for N and D, the loss is tau itself.",
        ),
        Claim(
            "compute_at_equality",
            spent.subs(level, envelope.reducible),
            "==",
            sym.C,
            "The level tau = C0 C^-alpha spends exactly C.",
        ),
        Claim(
            "one_level_for_each_budget",
            spent.diff(level),
            "<",
            Integer(0),
            "The compute at equality falls in tau throughout, so each budget has one point of equality.",
            ByPositiveTerms(),
        ),
        Claim(
            "params",
            equality[sym.N].subs(level, envelope.reducible),
            "==",
            envelope.params,
            "N at that level is N*(C).",
        ),
        Claim(
            "tokens",
            equality[sym.D].subs(level, envelope.reducible),
            "==",
            envelope.tokens,
            "D at that level is D*(C).",
        ),
    )
    return Derivation(
        name="optimum_by_weighted_am_gm",
        title="The compute-optimal allocation by weighted AM-GM",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D with N, D positive reals",
        ),
        statement=r"A N^{-\beta} + B D^{-\gamma} \ge C_0\,(6ND)^{-\alpha} \text{ for all } N, D > 0,\quad \text{equality iff "
        r"} T_N/w_N = T_D/w_D",
        steps=steps,
        source="Weighted AM-GM; Duffin, Peterson and Zener 1967, Geometric Programming (the dual programme).",
        follows="The minimum is global and unique; the compute law is a bound that no allocation beats.",
    )
