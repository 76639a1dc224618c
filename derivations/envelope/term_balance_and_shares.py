"""At every compute the optimum balances beta T_N = gamma T_D, so the two terms split R* as gamma : beta."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The curve of balance D(N), free of the compute, and the shares of the two terms along it."""
    envelope = derive()
    params, tokens = PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    w_n, w_d = envelope.shares
    factor = Symbol("lambda", positive=True)
    path = (g * tokens.coefficient / (b * params.coefficient * sym.N**-b)) ** (1 / g)
    on_path = PARAMS_TOKENS.reducible.subs(sym.D, path)
    at_optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    steps = (
        Claim(
            "path_holds_the_optima",
            path.subs(sym.N, envelope.params),
            "==",
            envelope.tokens,
            "Every compute-optimal run lies on the curve D(N) = (gamma B N^beta/(beta A))^(1/gamma), where a percent of N and "
            "a percent of D are worth the same.",
        ),
        Claim(
            "params_share",
            params.expression / on_path,
            "==",
            w_n,
            "On the curve the params term holds gamma/(beta+gamma) of R.",
        ),
        Claim(
            "tokens_share",
            tokens.expression.subs(sym.D, path) / on_path,
            "==",
            w_d,
            "The tokens term holds beta/(beta+gamma).",
        ),
        Claim(
            "split",
            (params.expression / tokens.expression).subs(at_optimum),
            "==",
            g / b,
            "T_N : T_D = gamma : beta at every compute.",
        ),
        Claim(
            "share_is_growth_of_params",
            envelope.params.subs(sym.C, factor * sym.C) / envelope.params,
            "==",
            factor**w_n,
            "The share of the params term is also the growth exponent of N*: lambda times the compute takes lambda^(w_N) "
            "times the params.",
        ),
        Claim(
            "share_is_growth_of_tokens",
            envelope.tokens.subs(sym.C, factor * sym.C) / envelope.tokens,
            "==",
            factor**w_d,
            "And the share of the tokens term is the growth exponent of D*.",
        ),
    )
    return Derivation(
        name="term_balance_and_shares",
        title="Balance of the two terms",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=r"\beta\,A N^{*-\beta} = \gamma\,B D^{*-\gamma} = \alpha R^*,\qquad T_N^* = w_N R^*,\quad T_D^* = w_D R^*",
        steps=steps,
        source="Stationarity of the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="The steeper term is the smaller one at the optimum.",
    )
