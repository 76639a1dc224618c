"""N* and D* solve the Lagrange conditions of min L under 6 N D = C, and their bordered Hessian is that of a minimum."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import shadow_price
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Stationarity of L + lambda (6 N D - C) in N, D and lambda, elimination of lambda, and the second-order test."""
    n, d, loss, spent = sym.N, sym.D, PARAMS_TOKENS.loss, SIX_ND.compute()
    envelope = derive()
    multiplier = shadow_price(envelope)
    optimum = [(n, envelope.params), (d, envelope.tokens)]
    on_budget = misallocation().remaining(n)
    params, tokens = PARAMS_TOKENS.terms
    pull, push = params.exponent * params.expression, tokens.exponent * tokens.expression
    balance = (pull / push).subs(d, on_budget)
    border = spent.diff(n) ** 2 * loss.diff(d, 2) + spent.diff(d) ** 2 * loss.diff(n, 2)
    mixed = 2 * spent.diff(n) * spent.diff(d) * multiplier * spent.diff(n, d)
    steps = (
        Claim(
            "stationary_in_params",
            loss.diff(n).subs(optimum),
            "==",
            -(multiplier * spent.diff(n)).subs(optimum),
            "dL/dN + lambda dC/dN = 0 at (N*, D*).",
        ),
        Claim(
            "stationary_in_tokens",
            loss.diff(d).subs(optimum),
            "==",
            -(multiplier * spent.diff(d)).subs(optimum),
            "dL/dD + lambda dC/dD = 0 with the same lambda = alpha R*/C.",
        ),
        Claim(
            "on_the_budget",
            spent.subs(optimum),
            "==",
            sym.C,
            "The third condition, dLambda/dlambda = 0 for Lambda = L + lambda (6 N D - C), is the budget.",
        ),
        Claim(
            "balance_at_the_optimum",
            balance.subs(n, envelope.params),
            "==",
            Integer(1),
            "N dL/dN = D dL/dD, what is left without lambda, holds at N*(C) with D = C/(6N).",
        ),
        Claim(
            "balance_holds_once",
            balance.diff(n),
            "<",
            Integer(0),
            "Along the budget beta T_N/(gamma T_D) falls in N throughout, so no other N is stationary.",
            ByPositiveTerms(),
        ),
        Claim(
            "bordered_hessian",
            (border - mixed).subs(optimum),
            "==",
            36 * params.exponent * tokens.exponent * envelope.reducible,
            "Minus the bordered Hessian determinant is 36 beta gamma R* > 0, so the stationary point is a minimum.",
        ),
    )
    return Derivation(
        name="optimum_by_lagrange",
        title="The compute-optimal allocation by Lagrange multipliers",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D with N, D positive reals",
        ),
        statement=r"N^* = G\,(C/6)^{\gamma/(\beta+\gamma)},\quad D^* = G^{-1}(C/6)^{\beta/(\beta+\gamma)},\quad G = (\beta "
        r"A/(\gamma B))^{1/(\beta+\gamma)}",
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="The multiplier is the shadow price of compute, alpha R*/C.",
    )
