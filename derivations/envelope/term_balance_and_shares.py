"""At every compute the optimum balances beta T_N = gamma T_D, so the two terms split R* as gamma : beta."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.theorem import Definition, Derivation, function, say, step

#: The tokens at which a size is balanced.
PATH = function("D_b")


def derivation() -> Derivation:
    """The curve of balance D(N), free of the compute, and the shares of the two terms along it."""
    envelope = derive()
    names, (params, tokens) = envelope.named, PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    w_n, w_d = names.shares
    n_star, d_star = names.allocation
    factor = Symbol("lambda", positive=True)
    path = PATH(sym.N)
    on_path = PARAMS_TOKENS.reducible.subs(sym.D, path)
    steps = (
        step(
            "balance",
            (b * params.expression, "=", g * tokens.expression.subs(sym.D, path)),
            say(
                "On the curve a percent of {} and a percent of {} are worth the same:", sym.N, sym.D
            ),
        ),
        step(
            "path_holds_the_optima",
            (PATH(n_star), "=", d_star),
            "Every compute-optimal run lies on it:",
        ),
        step(
            "params_share",
            (params.expression / on_path, "=", w_n),
            say("The share of the {} term in the reducible loss there:", sym.N),
        ),
        step(
            "tokens_share",
            (tokens.expression.subs(sym.D, path) / on_path, "=", w_d),
            say("The share of the {} term:", sym.D),
        ),
        step(
            "split",
            (
                params.expression.subs(sym.N, n_star) / tokens.expression.subs(sym.D, d_star),
                "=",
                g / b,
            ),
            "So the terms of the optimum stand in one ratio at every compute:",
        ),
        step(
            "share_is_growth_of_params",
            (n_star.subs(sym.C, factor * sym.C) / n_star, "=", factor**w_n),
            say(
                "With {} times the compute the optimal size grows by a power of {}:", factor, factor
            ),
        ),
        step(
            "share_is_growth_of_tokens",
            (d_star.subs(sym.C, factor * sym.C) / d_star, "=", factor**w_d),
            "And so do the optimal tokens:",
        ),
    )
    return Derivation(
        name="term_balance_and_shares",
        title="Balance of the two terms",
        assumptions=envelope.assumptions,
        definitions=(
            *envelope.definitions,
            Definition(
                path, (g * tokens.coefficient / (b * params.coefficient * sym.N**-b)) ** (1 / g)
            ),
        ),
        statement=say(
            "The optima at all {} lie on one curve, {path_holds_the_optima}, on which "
            "{balance}, with the shares {params_share} and {tokens_share}. The shares are "
            "the exponents with which the optimum grows: for {} {share_is_growth_of_params} "
            "and {share_is_growth_of_tokens}.",
            sym.C,
            (factor, ">", 0),
        ),
        steps=steps,
        source="Stationarity of the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="The steeper term is the smaller one at the optimum.",
    )
