"""Runs at a fixed size ratio r to the optimum follow a compute law with the same exponent and C0 P(r) in front."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The law along N = r N*(C), its exponent and coefficient, and the compute that makes up for r."""
    m = misallocation()
    envelope, r = m.envelope, sym.SIZE_RATIO
    (w_n, w_d), b, g = envelope.shares, sym.BETA, sym.GAMMA
    along = PARAMS_TOKENS.reducible.subs(
        [(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)]
    )
    steps = (
        Claim(
            "compute_law",
            along,
            "==",
            m.penalty * envelope.coefficient * sym.C**-envelope.exponent,
            "Along N = r N*(C) the reducible loss is P(r) C0 C^-alpha.",
        ),
        Claim(
            "exponent",
            -sym.C * along.diff(sym.C) / along,
            "==",
            envelope.exponent,
            "Its local exponent is alpha at every compute and every r.",
        ),
        Claim(
            "coefficient",
            along.subs(sym.C, 1),
            ">=",
            envelope.coefficient,
            "Its coefficient is at least C0.",
            ByWeightedAmGm(
                tuple(envelope.coefficient * t for t in (w_n * r**-b, w_d * r**g)), (w_n, w_d)
            ),
        ),
        Claim(
            "catches_up",
            along.subs(sym.C, sym.C / m.effective_compute) / envelope.reducible,
            "==",
            Integer(1),
            "P^(1/alpha) times the compute makes up for r, at every scale.",
        ),
        Claim(
            "constant_penalty",
            (along / envelope.reducible).diff(sym.C),
            "==",
            Integer(0),
            "The penalty does not change along the family.",
        ),
    )
    return Derivation(
        name="fixed_size_ratio_keeps_the_exponent",
        title="Runs at a fixed size ratio",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = r N*(C), D = D*(C)/r with r fixed",
        ),
        statement=r"L = E + P(r)\,C_0\,C^{-\alpha}",
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="A family that is off by a constant factor shows the right exponent: the exponent alone does not reveal "
        "optimality.",
    )
