"""Above the compute C_N at which N* reaches N_max the size cap binds: N_max params, and the rest of C goes into tokens."""

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
    """The threshold, the loss under the cap, that a smaller model is worse, the price of size, and the floor it leaves."""
    m = misallocation()
    envelope, cap = m.envelope, sym.N_MAX
    b, g, (w_n, w_d) = sym.BETA, sym.GAMMA, envelope.shares
    x, near, far = (
        Symbol("x", positive=True),
        Symbol("s", positive=True),
        Symbol("u", positive=True),
    )
    on_budget = PARAMS_TOKENS.reducible.subs(sym.D, m.remaining(sym.N))
    at_cap = m.capped_reducible(sym.N, cap)
    in_log = w_n * exp(b * x) + w_d * exp(-g * x)
    slope = in_log.diff(x)
    rising = ByMonotone(slope, x, x, Integer(0))
    small = envelope.params * exp(-near)
    steps = (
        Claim(
            "threshold",
            envelope.params.subs(sym.C, m.size_cap),
            "==",
            cap,
            "C_N = 6 (N_max/G)^((beta+gamma)/gamma) is the compute at which N* = N_max.",
        ),
        Claim(
            "smallness",
            on_budget.subs(sym.N, small) / envelope.reducible,
            "==",
            in_log.subs(x, near),
            "With N = N* e^-s the rest of the budget buys D* e^s tokens.",
        ),
        Claim(
            "smaller_is_worse",
            on_budget.subs(sym.N, small * exp(-far)) / envelope.reducible,
            ">",
            in_log.subs(x, near),
            "For N < N* the loss rises as N falls: its slope in s is alpha (e^(beta s) - e^(-gamma s)), itself rising from 0. "
            "So N = N_max is best.",
            ByMonotone(in_log, x, near + far, near, slope=rising),
        ),
        Claim(
            "at_threshold",
            at_cap.subs(sym.C, m.size_cap),
            "==",
            envelope.reducible.subs(sym.C, m.size_cap),
            "At C_N the capped loss leaves the envelope ...",
        ),
        Claim(
            "smooth_departure",
            at_cap.diff(sym.C).subs(sym.C, m.size_cap),
            "==",
            envelope.reducible.diff(sym.C).subs(sym.C, m.size_cap),
            "... with the same slope.",
        ),
        Claim(
            "price_of_size",
            cap * at_cap.diff(cap),
            "==",
            capped_shadow_price(m, sym.N).subs(sym.N, cap),
            "dL/dlog N_max = gamma T_D - beta T_N at fixed compute.",
        ),
        Claim(
            "free_at_threshold",
            capped_shadow_price(m, sym.N).subs(sym.N, envelope.params),
            "==",
            Integer(0),
            "At the threshold size has no price.",
        ),
        Claim(
            "price_is_negative",
            capped_shadow_price(m, sym.N).subs(sym.N, small) / envelope.reducible,
            "<",
            Integer(0),
            "Beyond it a larger model always lowers the loss.",
            ByMonotone(-slope, x, near, Integer(0), False, slope=ByPositiveTerms()),
        ),
        Claim(
            "floor",
            at_cap,
            "->",
            PARAMS_TOKENS.terms[0].expression.subs(sym.N, cap),
            "With compute without end the loss stops at E + A N_max^-beta.",
            ByLeadingTerm(sym.C, "oo"),
        ),
    )
    return Derivation(
        name="size_cap",
        title="The size cap",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "6 N D = C, N <= N_max, C > C_N",
        ),
        statement=r"C_N = 6\,(N_{\max}/G)^{(\beta+\gamma)/\gamma};\quad C > C_N:\; N = N_{\max},\; D = \frac{C}{6 "
        r"N_{\max}},\; \frac{\partial L}{\partial \log N_{\max}} = \gamma T_D - \beta T_N < 0",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="A model capped by serving cost is overtrained: its loss falls with exponent gamma towards a floor.",
    )
