"""Weighted AM-GM gives the optimum, its loss and its uniqueness without a derivative of the loss."""

from __future__ import annotations

from dataclasses import replace

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Derivation, Partial, say, step


def derivation() -> Derivation:
    """The bound R >= C0 (6 N D)^-alpha for all N and D, its equality case, and that one point of the budget has it."""
    envelope = derive()
    names = envelope.named
    params, tokens = PARAMS_TOKENS.terms
    w_n, w_d = names.shares
    level = Symbol("tau", positive=True)
    equality = {
        sym.N: (params.coefficient / (w_n * level)) ** (1 / params.exponent),
        sym.D: (tokens.coefficient / (w_d * level)) ** (1 / tokens.exponent),
    }
    spent = SIX_ND.compute(equality)
    steps = (
        envelope.named_steps["shares_sum"],
        envelope.named_steps["power_N"],
        envelope.named_steps["power_D"],
        replace(envelope.named_steps["global_minimum"], name="bound"),
        step(
            "equality_case",
            (PARAMS_TOKENS.reducible.subs(equality), "=", level),
            say(
                "Equality holds where the terms over their weights have one value {}; solved for "
                "{} and {}, that value is the reducible loss:",
                level,
                sym.N,
                sym.D,
            ),
        ),
        step(
            "compute_at_equality",
            (spent.subs(level, names.reducible), "=", sym.C),
            say("The value {} spends exactly {}:", names.reducible, sym.C),
        ),
        step(
            "one_level_for_each_budget",
            (Partial(spent, level), "<", 0),
            say(
                "The compute at equality falls in {}, so that each budget has one point of equality:",
                level,
            ),
            ByPositiveTerms(),
        ),
        step(
            "params",
            (equality[sym.N].subs(level, names.reducible), "=", names.params),
            "Its size is the optimal one:",
        ),
        step(
            "tokens",
            (equality[sym.D].subs(level, names.reducible), "=", names.tokens),
            "And so are its tokens:",
        ),
    )
    return Derivation(
        name="optimum_by_weighted_am_gm",
        title="The compute-optimal allocation by weighted AM-GM",
        assumptions=envelope.assumptions,
        definitions=envelope.definitions,
        statement=say(
            "For all positive {} and {} {bound}. For each {} equality holds at one point of "
            "the budget, {params} and {tokens}, and there alone.",
            sym.N,
            sym.D,
            sym.C,
        ),
        steps=steps,
        source="Weighted AM-GM; Duffin, Peterson and Zener 1967, Geometric Programming (the dual programme).",
        follows="The minimum is global and unique; the compute law is a bound that no allocation beats.",
    )
