"""With caps on params and tokens the lower threshold binds first, and from C = 6 N_max D_max on the budget is slack."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The order of C_D, C_N and 6 N_max D_max; the loss at both caps; that nothing inside the caps is better."""
    m = misallocation()
    envelope = m.envelope
    w_n, w_d = envelope.shares
    both = SIX_ND.compute({sym.N: sym.N_MAX, sym.D: sym.D_MAX})
    corner = PARAMS_TOKENS.reducible.subs([(sym.N, sym.N_MAX), (sym.D, sym.D_MAX)])
    x, y, u, v = (Symbol(name, positive=True) for name in "xyuv")
    smaller, fewer = sym.N_MAX / (1 + u), sym.D_MAX / (1 + v)
    scarce = envelope.tokens.subs(sym.C, m.size_cap) / (1 + u)
    mean = m.size_cap**w_n * m.data_wall**w_d
    larger = Symbol("h", positive=True)
    steps = (
        Claim(
            "weighted_mean",
            mean,
            "==",
            both,
            "6 N_max D_max is the geometric mean of C_N and C_D with weights w_N and w_D, so it lies between them.",
        ),
        Claim(
            "above_the_lower",
            x**w_n * (x * (1 + larger)) ** w_d,
            ">",
            x,
            "A weighted geometric mean exceeds the smaller of two numbers x and x (1 + h).",
            ByMonotone(x * y**w_d, y, 1 + larger, Integer(1), order=ByPositiveTerms(form=larger)),
        ),
        Claim(
            "below_the_higher",
            x**w_n * (x * (1 + larger)) ** w_d,
            "<",
            x * (1 + larger),
            "And is below the larger.",
            ByMonotone(
                x * (1 + larger) ** w_d * y**w_n,
                y,
                Integer(1),
                1 + larger,
                order=ByPositiveTerms(form=larger),
            ),
        ),
        Claim(
            "data_first",
            m.capped_reducible(sym.D, sym.D_MAX).subs(sym.C, mean),
            "==",
            corner,
            "On the data wall N = C/(6 D_max) reaches N_max at C = 6 N_max D_max.",
        ),
        Claim(
            "size_first",
            m.capped_reducible(sym.N, sym.N_MAX).subs(sym.C, mean),
            "==",
            corner,
            "Under the size cap D = C/(6 N_max) reaches D_max at the same compute.",
        ),
        Claim(
            "data_cap_is_lower",
            m.data_wall.subs(sym.D_MAX, scarce),
            "==",
            m.size_cap / (1 + u) ** (1 / w_d),
            "D_max below the optimal tokens of N_max means C_D < C_N: the data cap binds first.",
        ),
        Claim(
            "smaller_is_worse",
            PARAMS_TOKENS.reducible.subs([(sym.N, smaller), (sym.D, fewer)]),
            ">",
            PARAMS_TOKENS.reducible.subs([(sym.N, sym.N_MAX), (sym.D, fewer)]),
            "The loss falls in N ...",
            ByMonotone(
                PARAMS_TOKENS.reducible.subs([(sym.N, x), (sym.D, fewer)]),
                x,
                smaller,
                sym.N_MAX,
                False,
                ByPositiveTerms(form=sym.N_MAX * u / (1 + u)),
            ),
        ),
        Claim(
            "fewer_is_worse",
            PARAMS_TOKENS.reducible.subs([(sym.N, sym.N_MAX), (sym.D, fewer)]),
            ">",
            corner,
            "... and in D, so inside the caps nothing beats (N_max, D_max), whatever the compute.",
            ByMonotone(
                PARAMS_TOKENS.reducible.subs([(sym.N, sym.N_MAX), (sym.D, y)]),
                y,
                fewer,
                sym.D_MAX,
                False,
                ByPositiveTerms(form=sym.D_MAX * v / (1 + v)),
            ),
        ),
    )
    return Derivation(
        name="both_caps",
        title="Caps on params and tokens together",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "6 N D <= C, N <= N_max, D <= D_max",
        ),
        statement=r"\min(C_D, C_N) \le 6 N_{\max} D_{\max} = C_N^{w_N} C_D^{w_D} \le \max(C_D, C_N);\quad C \ge 6 N_{\max} "
        r"D_{\max}:\; L = E + A N_{\max}^{-\beta} + B D_{\max}^{-\gamma}",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="Three regimes in compute: the envelope, one cap with the budget spent, both caps with the budget slack.",
    )
