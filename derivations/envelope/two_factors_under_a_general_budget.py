"""Under C = kappa N^a D^d the exponent is beta gamma/(a gamma + d beta), and everything else follows as under 6 N D."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import shadow_price
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Lagrange conditions, the closed forms, the global bound, the penalty, and the case a = d = 1, kappa = 6."""
    envelope = derive(budget=GENERAL)
    b, g, a, d = sym.BETA, sym.GAMMA, sym.BUDGET_A, sym.BUDGET_D
    law, spent, price = PARAMS_TOKENS.reducible, GENERAL.compute(), shadow_price(envelope)
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    params, tokens = PARAMS_TOKENS.terms
    total = a * g + d * b
    m, r = misallocation(envelope), sym.SIZE_RATIO
    moved = [(sym.N, r * envelope.params), (sym.D, r ** (-a / d) * envelope.tokens)]
    usual = {a: 1, d: 1, sym.KAPPA: 6}
    steps = (
        Claim(
            "stationary_in_params",
            law.diff(sym.N).subs(optimum),
            "==",
            -(price * spent.diff(sym.N)).subs(optimum),
            "dR/dN + lambda dC/dN = 0 with lambda = alpha R*/C.",
        ),
        Claim(
            "stationary_in_tokens",
            law.diff(sym.D).subs(optimum),
            "==",
            -(price * spent.diff(sym.D)).subs(optimum),
            "dR/dD + lambda dC/dD = 0 with the same lambda.",
        ),
        Claim("budget", spent.subs(optimum), "==", sym.C, "The allocation spends C."),
        Claim(
            "exponent",
            -sym.C * law.subs(optimum).diff(sym.C) / law.subs(optimum),
            "==",
            b * g / total,
            "alpha = beta gamma/(a gamma + d beta).",
        ),
        Claim(
            "params_grow",
            envelope.params / envelope.params.subs(sym.C, 1),
            "==",
            sym.C ** (g / total),
            "N* grows as C^(gamma/(a gamma + d beta)).",
        ),
        Claim(
            "tokens_grow",
            envelope.tokens / envelope.tokens.subs(sym.C, 1),
            "==",
            sym.C ** (b / total),
            "D* grows as C^(beta/(a gamma + d beta)).",
        ),
        Claim(
            "params_share",
            (params.expression / law).subs(optimum),
            "==",
            a * g / total,
            "The params term holds a gamma/(a gamma + d beta) of R*.",
        ),
        Claim(
            "global_minimum",
            law,
            ">=",
            envelope.reducible.subs(sym.C, spent),
            "Weighted AM-GM with these shares.",
            ByWeightedAmGm((params.expression, tokens.expression), envelope.shares),
        ),
        Claim(
            "penalty",
            law.subs(moved) / envelope.reducible,
            "==",
            m.penalty,
            "At fixed compute D/D* = r^(-a/d), so P = w_N r^-beta + w_D r^(gamma a/d).",
        ),
        Claim(
            "usual_exponent",
            1 / envelope.exponent.subs(usual),
            "==",
            Integer(1) / b + Integer(1) / g,
            "a = d = 1 is the usual case.",
        ),
        Claim(
            "usual_loss",
            envelope.loss.subs(usual),
            "==",
            PARAMS_TOKENS.loss.subs([(sym.N, derive().params), (sym.D, derive().tokens)]),
            "With kappa = 6 its loss is that at N*, D* of C = 6 N D.",
        ),
    )
    return Derivation(
        name="two_factors_under_a_general_budget",
        title="Two factors under a general monomial budget",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = kappa N^a D^d with kappa, a, d > 0",
        ),
        statement=r"\alpha = \frac{\beta\gamma}{a\gamma + d\beta},\quad N^* = \Bigl[\frac{d\beta A}{a\gamma "
        r"B}\Bigr]^{d/(a\gamma+d\beta)}\Bigl(\frac C\kappa\Bigr)^{\gamma/(a\gamma+d\beta)},\quad w_N = "
        r"\frac{a\gamma}{a\gamma+d\beta}",
        steps=steps,
        source="Duffin, Peterson and Zener 1967, Geometric Programming, for two terms.",
        follows="Budgets in which attention or repetition bends the cost of a factor keep the same closed forms.",
    )
