"""Centring the coefficients at a reference size is a reparametrisation: same law, same fit, better conditioned."""

from __future__ import annotations

from sympy import Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import centred
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.claim import Claim, Derivation

N0, D0 = Symbol("N_0", positive=True), Symbol("D_0", positive=True)
LOG_T = Symbol("tau_N", real=True), Symbol("tau_D", real=True)


def derivation() -> Derivation:
    """tau_N = log A - beta log N_0 and tau_D = log B - gamma log D_0 against log A and log B."""
    params, tokens = PARAMS_TOKENS.terms
    centre = {params.variable: N0, tokens.variable: D0}
    tau = tuple(centred(term, centre[term.variable]) for term in PARAMS_TOKENS.terms)
    back = {sym.A: exp(LOG_T[0] + sym.BETA * log(N0)), sym.B: exp(LOG_T[1] + sym.GAMMA * log(D0))}
    in_tau = exp(LOG_T[0] - sym.BETA * log(sym.N / N0)) + exp(
        LOG_T[1] - sym.GAMMA * log(sym.D / D0)
    )
    coupled = PARAMS_TOKENS.reducible.diff(sym.BETA) + log(
        N0
    ) * sym.A * PARAMS_TOKENS.reducible.diff(sym.A)
    steps = (
        Claim(
            "meaning",
            exp(tau[0]),
            "==",
            params.expression.subs(sym.N, N0),
            "exp(tau_N) is the params term at N_0.",
        ),
        Claim(
            "meaning_tokens",
            exp(tau[1]),
            "==",
            tokens.expression.subs(sym.D, D0),
            "exp(tau_D) is the tokens term at D_0.",
        ),
        Claim(
            "same_law",
            PARAMS_TOKENS.reducible.subs(back),
            "==",
            in_tau,
            "log A = tau_N + beta log N_0 and log B = tau_D + gamma log D_0 invert the change; substitute them.",
        ),
        Claim(
            "chain_rule",
            in_tau.diff(sym.BETA),
            "==",
            coupled.subs(back),
            "At fixed tau_N a change of beta moves log A by log N_0: the column of beta gains log N_0 times that of log A.",
        ),
        Claim(
            "column",
            in_tau.diff(sym.BETA),
            "==",
            -log(sym.N / N0) * exp(LOG_T[0]) * (sym.N / N0) ** -sym.BETA,
            "The column of beta now has the factor log(N/N_0), which changes sign within the data, in place of log N.",
        ),
    )
    return Derivation(
        name="centred_parameters",
        title="Centred parameters",
        assumptions=(
            "N_0 and D_0 are fixed positive numbers, such as the geometric means of the runs",
        ),
        statement=r"\tau_N = \log A - \beta\log N_0,\quad \tau_D = \log B - \gamma\log D_0,\quad"
        r" L = E + e^{\tau_N}(N/N_0)^{-\beta} + e^{\tau_D}(D/D_0)^{-\gamma}",
        steps=steps,
        source="Change of variables.",
        follows="Every fit and every profile is the same in both; the columns of tau and of its exponent are far less collinear.",
    )
