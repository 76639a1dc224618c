"""Above the compute C_D at which D* reaches D_max the data cap binds: all of D_max is used, the rest of C goes into params."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import capped_shadow_price
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The threshold, the loss at the wall, that using less data is worse, the price of data, and the floor it leaves."""
    m = misallocation()
    envelope, cap = m.envelope, sym.D_MAX
    b, g, (w_n, w_d) = sym.BETA, sym.GAMMA, envelope.shares
    x, near, far = (
        Symbol("x", positive=True),
        Symbol("s", positive=True),
        Symbol("u", positive=True),
    )
    on_budget = PARAMS_TOKENS.reducible.subs(sym.N, m.remaining(sym.D))
    at_wall = m.capped_reducible(sym.D, cap)
    in_log = w_n * exp(-b * x) + w_d * exp(g * x)
    slope = in_log.diff(x)
    rising = ByMonotone(slope, x, x, Integer(0))
    scarce = envelope.tokens * exp(-near)
    steps = (
        Claim(
            "threshold",
            envelope.tokens.subs(sym.C, m.data_wall),
            "==",
            cap,
            "C_D = 6 (G D_max)^((beta+gamma)/beta) is the compute at which D* = D_max.",
        ),
        Claim(
            "scarcity",
            on_budget.subs(sym.D, scarce) / envelope.reducible,
            "==",
            in_log.subs(x, near),
            "With D = D* e^-s the rest of the budget buys N* e^s params.",
        ),
        Claim(
            "less_data_is_worse",
            on_budget.subs(sym.D, scarce * exp(-far)) / envelope.reducible,
            ">",
            in_log.subs(x, near),
            "For D < D* the loss rises as D falls: its slope in s is alpha (e^(gamma s) - e^(-beta s)), itself rising from 0. "
            "So D = D_max is best.",
            ByMonotone(in_log, x, near + far, near, slope=rising),
        ),
        Claim(
            "at_threshold",
            at_wall.subs(sym.C, m.data_wall),
            "==",
            envelope.reducible.subs(sym.C, m.data_wall),
            "At C_D the capped loss leaves the envelope ...",
        ),
        Claim(
            "smooth_departure",
            at_wall.diff(sym.C).subs(sym.C, m.data_wall),
            "==",
            envelope.reducible.diff(sym.C).subs(sym.C, m.data_wall),
            "... with the same slope.",
        ),
        Claim(
            "price_of_data",
            cap * at_wall.diff(cap),
            "==",
            capped_shadow_price(m, sym.D).subs(sym.D, cap),
            "dL/dlog D_max = beta T_N - gamma T_D at fixed compute.",
        ),
        Claim(
            "free_at_threshold",
            capped_shadow_price(m, sym.D).subs(sym.D, envelope.tokens),
            "==",
            Integer(0),
            "At the threshold data has no price.",
        ),
        Claim(
            "price_is_negative",
            capped_shadow_price(m, sym.D).subs(sym.D, scarce) / envelope.reducible,
            "<",
            Integer(0),
            "Beyond it more data always lowers the loss.",
            ByMonotone(-slope, x, near, Integer(0), False, slope=ByPositiveTerms()),
        ),
        Claim(
            "floor",
            at_wall,
            "->",
            PARAMS_TOKENS.terms[1].expression.subs(sym.D, cap),
            "With compute without end the loss stops at E + B D_max^-gamma.",
            ByLeadingTerm(sym.C, "oo"),
        ),
    )
    return Derivation(
        name="data_wall",
        title="The data wall",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "6 N D = C, D <= D_max, C > C_D",
        ),
        statement=r"C_D = 6\,(G D_{\max})^{(\beta+\gamma)/\beta};\quad C > C_D:\; D = D_{\max},\; N = \frac{C}{6 D_{\max}},\; "
        r"\frac{\partial L}{\partial \log D_{\max}} = \beta T_N - \gamma T_D < 0",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="Beyond the wall the loss falls with exponent beta towards a floor, no longer with alpha towards E.",
    )
