"""A misallocated run is worth the share P^(-1/alpha) of its compute; the same loss at fixed r needs P^(1/alpha) times as much."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import overtrained_effective_compute, undertrained_effective_compute
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import ByLeadingTerm, ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Equality of the two losses, the multiplier, the bound by 1, and both tails."""
    m = misallocation()
    envelope, r, y = m.envelope, sym.SIZE_RATIO, Symbol("y", positive=True)
    alpha, (w_n, w_d) = envelope.exponent, envelope.shares
    run = PARAMS_TOKENS.loss.subs([(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)])
    share = m.effective_compute
    terms = ByWeightedAmGm((w_n * r**-sym.BETA, w_d * r**sym.GAMMA), (w_n, w_d))
    steps = (
        Claim(
            "same_loss",
            envelope.loss.subs(sym.C, sym.C * share),
            "==",
            run,
            "The envelope at C P^(-1/alpha) has the loss of the run at C.",
        ),
        Claim(
            "multiplier",
            run.subs(sym.C, sym.C / share),
            "==",
            envelope.loss,
            "With P^(1/alpha) times the compute at the same r the run reaches L*(C).",
        ),
        Claim(
            "no_gain",
            share,
            "<=",
            Integer(1),
            "P >= 1 by weighted AM-GM and y^(-1/alpha) falls in y.",
            ByMonotone(y ** (-1 / alpha), y, m.penalty, Integer(1), False, terms),
        ),
        Claim(
            "penalty_back",
            share**-alpha,
            "==",
            (run - sym.E) / envelope.reducible,
            "The penalty is the share to the power -alpha.",
        ),
        Claim(
            "overtrained_tail",
            share**-alpha,
            "~",
            overtrained_effective_compute(m) ** -alpha,
            "For r -> 0 the share falls as w_N^(-1/alpha) r^((beta+gamma)/gamma); stated for its power -alpha.",
            ByLeadingTerm(r, "0"),
        ),
        Claim(
            "undertrained_tail",
            share**-alpha,
            "~",
            undertrained_effective_compute(m) ** -alpha,
            "For r -> infinity it falls as w_D^(-1/alpha) r^(-(beta+gamma)/beta).",
            ByLeadingTerm(r, "oo"),
        ),
    )
    return Derivation(
        name="effective_compute",
        title="Effective compute",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "N = r N*(C) at the same compute C",
        ),
        statement=r"L(r N^*, D^*/r) = L^*(f\,C),\qquad f = P^{-1/\alpha} \le 1",
        steps=steps,
        source="Inversion of the compute law; Schaeffer et al. 2025, arXiv 2509.24012, for the penalty.",
        follows="1 - f is the share of the budget that misallocation wastes.",
    )
