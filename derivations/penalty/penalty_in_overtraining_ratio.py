"""As a function of the overtraining ratio rho at fixed compute the penalty has half the exponents."""

from __future__ import annotations

from sympy import Integer, exp, sqrt

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The run with ratio rho at compute C, its loss, and the first coefficients in log rho."""
    m = misallocation()
    envelope, rho, s = m.envelope, sym.RATIO, sym.LOG_SIZE_RATIO
    run = {sym.N: envelope.params / sqrt(rho), sym.D: envelope.tokens * sqrt(rho)}
    ratio = PARAMS_TOKENS.reducible.subs(run) / envelope.reducible
    w_n, w_d = envelope.shares
    in_log = ratio.subs(rho, exp(s))
    quadratic = m.series_in_ratio(2).subs(rho, exp(s))
    steps = (
        Claim(
            "ratio",
            run[sym.D] / run[sym.N] / envelope.tokens_per_param,
            "==",
            rho,
            "N*/sqrt(rho) params and D* sqrt(rho) tokens are rho times as many tokens per parameter.",
        ),
        Claim("same_compute", SIX_ND.compute(run), "==", sym.C, "They cost the same compute."),
        Claim("penalty", ratio, "==", m.penalty_in_ratio, "The law at that run, divided by R*."),
        Claim(
            "at_least_one",
            ratio,
            ">=",
            Integer(1),
            "Weighted AM-GM: the powers of rho cancel.",
            ByWeightedAmGm(
                (w_n * rho ** (sym.BETA / 2), w_d * rho ** (-sym.GAMMA / 2)), (w_n, w_d)
            ),
        ),
        Claim(
            "no_first_order",
            in_log.diff(s).subs(s, 0),
            "==",
            Integer(0),
            "There is no term of first order in log rho.",
        ),
        Claim(
            "second_order",
            in_log.diff(s, 2).subs(s, 0),
            "==",
            quadratic.diff(s, 2),
            "The second-order coefficient is a quarter of that in log r: P = 1 + (beta gamma/8)(log rho)^2 + ...",
        ),
        Claim(
            "above_params_tail",
            ratio,
            ">=",
            w_n * rho ** (sym.BETA / 2),
            "The params term alone bounds the cost of overtraining from below.",
            ByPositiveTerms(form=w_d * rho ** (-sym.GAMMA / 2)),
        ),
    )
    return Derivation(
        name="penalty_in_overtraining_ratio",
        title="The penalty in the overtraining ratio",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "D/N = rho D*/N* at the same compute C: N = N* rho^(-1/2)",
        ),
        statement=r"P(\rho) = w_N\,\rho^{\beta/2} + w_D\,\rho^{-\gamma/2} = 1 + \tfrac{\beta\gamma}{8}(\log\rho)^2 + \dots",
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; substitution r = rho^(-1/2).",
        follows="rho > 1 is overtrained, rho < 1 undertrained; the costs of both differ at third order only.",
    )
