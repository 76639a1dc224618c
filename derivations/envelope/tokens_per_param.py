"""The optimal tokens per parameter move with compute as C^((beta-gamma)/(beta+gamma)): constant only for equal exponents."""

from __future__ import annotations

from dataclasses import replace

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Derivation, Partial, say, step


def derivation() -> Derivation:
    """Exponents of N*, D* and D*/N* in the compute; the sign of the drift; the case of equal exponents."""
    envelope = derive()
    names, b, g, C = envelope.named, sym.BETA, sym.GAMMA, sym.C
    n_star, d_star = names.allocation
    w_n, w_d = names.shares
    drift = Partial(log(d_star / n_star), log(C))
    params, tokens = PARAMS_TOKENS.terms
    equal = {g: b}
    steps = (
        replace(envelope.named_steps["tokens_per_param"], name="definition"),
        step(
            "balance",
            (
                params.exponent * params.expression.subs(sym.N, n_star),
                "=",
                tokens.exponent * tokens.expression.subs(sym.D, d_star),
            ),
            say(
                "At the optimum a percent of {} and a percent of {} are worth the same:",
                sym.N,
                sym.D,
            ),
        ),
        step(
            "exponents_add_up",
            (Partial(log(n_star), log(C)) + Partial(log(d_star), log(C)), "=", 1),
            "Compute is split between the two, so that their growth exponents add up to 1:",
        ),
        step(
            "exponent",
            (drift, "=", w_d - w_n),
            "The drift of the ratio is the difference of the two growth exponents:",
        ),
        step(
            "rises",
            (drift, ">", 0),
            say("For {} larger budgets want more tokens per parameter:", (b, ">", g)),
            ByPositiveTerms(),
            assume=(b - g,),
        ),
        step(
            "falls",
            (drift, "<", 0),
            say("For {} they want fewer:", (b, "<", g)),
            ByPositiveTerms(),
            assume=(g - b,),
        ),
        step(
            "constant",
            (
                (envelope.tokens / envelope.params).subs(equal),
                "=",
                (tokens.coefficient / params.coefficient) ** (1 / b),
            ),
            say("For {} the ratio is the same at every compute:", (b, "=", g)),
        ),
    )
    return Derivation(
        name="tokens_per_param",
        title="Tokens per parameter at the optimum",
        assumptions=envelope.assumptions,
        definitions=envelope.definitions,
        statement=say(
            "The optimal number of tokens per parameter is a power of {}, {definition}, with "
            "{exponent}; it rises or falls by which exponent is the larger, {rises} and "
            "{falls}.",
            C,
        ),
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="A rule of thumb such as 20 tokens per parameter is exact at one compute only, unless the exponents are equal.",
    )
