"""Centring the coefficients at a reference size is a reparametrisation: same law, same fit, better conditioned."""

from __future__ import annotations

from sympy import Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import centred
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

N0, D0 = Symbol("N_0", positive=True), Symbol("D_0", positive=True)
LOG_T = Symbol("tau_N", real=True), Symbol("tau_D", real=True)


def derivation() -> Derivation:
    """tau_N = log A - beta log N_0 and tau_D = log B - gamma log D_0 against log A and log B."""
    params, tokens = PARAMS_TOKENS.terms
    fixed, reducible = Symbol("u", real=True), function("R")(sym.N, sym.D)
    centred_params = (sym.N / N0) ** -sym.BETA
    at_fixed = Subs(Partial(exp(fixed) * centred_params, sym.BETA), fixed, LOG_T[0])
    steps = (
        step(
            "meaning",
            (exp(LOG_T[0]), "=", sym.A * N0**-sym.BETA),
            say("{} is the logarithm of the term of {} at {}:", LOG_T[0], sym.N, N0),
        ),
        step(
            "meaning_tokens",
            (exp(LOG_T[1]), "=", sym.B * D0**-sym.GAMMA),
            say("And {} that of the term of {} at {}:", LOG_T[1], sym.D, D0),
        ),
        step(
            "same_law",
            (
                reducible,
                "=",
                exp(LOG_T[0]) * centred_params + exp(LOG_T[1]) * (sym.D / D0) ** -sym.GAMMA,
            ),
            "Both terms are powers, so that the reference drops out:",
        ),
        step(
            "chain_rule",
            (
                at_fixed,
                "=",
                Partial(reducible, sym.BETA) + log(N0) * Partial(reducible, log(sym.A)),
            ),
            say(
                "At fixed {} a change of {} moves {} by {}:",
                LOG_T[0],
                sym.BETA,
                log(sym.A),
                log(N0),
            ),
        ),
        step(
            "column",
            (at_fixed, "=", -log(sym.N / N0) * exp(LOG_T[0]) * centred_params),
            say("The derivative has the factor {} in place of {}:", log(sym.N / N0), log(sym.N)),
        ),
    )
    return Derivation(
        name="centred_parameters",
        title="Centred parameters",
        assumptions=(
            derive().assumptions[0],
            say(
                "Let {} and {} be fixed and positive, such as the geometric means of the runs, "
                "and {} real.",
                N0,
                D0,
                fixed,
            ),
        ),
        definitions=(
            *derive().definitions,
            Definition(LOG_T[0], centred(params, N0)),
            Definition(LOG_T[1], centred(tokens, D0)),
        ),
        statement=say(
            "In {} and {} in place of {} and {} the law reads ", *LOG_T, log(sym.A), log(sym.B)
        )
        + say(
            "{same_law}, and the derivative in the exponent changes to {chain_rule}, that is "
            "{column}, which changes its sign at {}.",
            N0,
        ),
        steps=steps,
        source="Change of variables.",
        follows="Every fit and every profile is the same in both; the columns of a centred parameter and of its exponent are far "
        "less collinear.",
    )
