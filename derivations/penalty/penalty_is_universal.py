"""The penalty at fixed compute is one function of the exponents and the size ratio for all laws, scales and budgets."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """P from the law itself; that A, B, C and E leave it alone; two laws with the same exponents; the whole loss."""
    m = misallocation()
    envelope, r = m.envelope, sym.SIZE_RATIO
    moved = [(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)]
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    run, best = PARAMS_TOKENS.loss.subs(moved), PARAMS_TOKENS.loss.subs(optimum)
    ratio = PARAMS_TOKENS.reducible.subs(moved) / PARAMS_TOKENS.reducible.subs(optimum)
    other = {x: Symbol(f"{x}_2", positive=True) for x in (sym.A, sym.B, sym.C)}
    w_n, w_d = envelope.shares
    steps = (
        Claim(
            "penalty",
            ratio,
            "==",
            m.penalty,
            "At N = r N*, D = D*/r the law gives P times the reducible loss of the optimum.",
        ),
        *(
            Claim(
                f"free_of_{x}",
                ratio.diff(x),
                "==",
                Integer(0),
                f"The ratio does not change with {x}.",
            )
            for x in (sym.A, sym.B, sym.C)
        ),
        Claim(
            "two_laws",
            ratio,
            "==",
            ratio.subs(other),
            "Two laws and two budgets with the same exponents have the same ratio.",
        ),
        Claim(
            "at_least_one",
            ratio,
            ">=",
            Integer(1),
            "The powers of r cancel in the weighted geometric mean.",
            ByWeightedAmGm((w_n * r**-sym.BETA, w_d * r**sym.GAMMA), (w_n, w_d)),
        ),
        Claim(
            "whole_loss",
            run / best,
            "==",
            1 + (m.penalty - 1) * envelope.reducible / envelope.loss,
            "On the whole loss the excess is diluted by the share of R* in L*.",
        ),
        Claim(
            "dilution",
            envelope.reducible / envelope.loss,
            "<",
            Integer(1),
            "The share of R* is below 1 for E > 0, so the relative excess of L is below that of R.",
            ByPositiveTerms(form=sym.E / envelope.loss),
        ),
    )
    return Derivation(
        name="penalty_is_universal",
        title="The penalty depends on the exponents and the size ratio alone",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "N = r N*(C) at the same compute C",
        ),
        statement=r"\frac{L - E}{L^* - E} = \frac{\gamma r^{-\beta} + \beta r^{\gamma}}{\beta+\gamma} \quad \text{for all } "
        r"A, B, E, C",
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="One table of penalties serves every law with the same two exponents, at every scale.",
    )
