"""No number of tokens reaches L*(C) with w_N^(1/beta) N* params or fewer, and no model with w_D^(1/gamma) D* tokens or fewer."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The two walls, that the loss beyond them is out of reach, and that they are approached by the other factor alone."""
    m = misallocation()
    envelope, best = m.envelope, m.envelope.reducible
    params, tokens = PARAMS_TOKENS.terms
    n_wall, d_wall = (
        m.critical_size_ratio * envelope.params,
        m.critical_tokens_ratio * envelope.tokens,
    )
    law, u, x = PARAMS_TOKENS.reducible, Symbol("u", positive=True), Symbol("x", positive=True)
    smaller = n_wall / (1 + u)
    steps = (
        Claim(
            "size",
            m.smallest_params.subs(sym.REDUCIBLE, best),
            "==",
            n_wall,
            "N_min = (A/R)^(1/beta) at R = R*(C) is w_N^(1/beta) N*(C).",
        ),
        Claim(
            "tokens",
            m.smallest_tokens.subs(sym.REDUCIBLE, best),
            "==",
            d_wall,
            "D_min = (B/R)^(1/gamma) at R = R*(C) is w_D^(1/gamma) D*(C).",
        ),
        Claim(
            "size_out_of_reach",
            law.subs(sym.N, n_wall),
            ">",
            best,
            "At the critical size the params term alone is R*; the tokens term comes on top.",
            ByPositiveTerms(form=tokens.expression),
        ),
        Claim(
            "tokens_out_of_reach",
            law.subs(sym.D, d_wall),
            ">",
            best,
            "The same for the tokens.",
            ByPositiveTerms(form=params.expression),
        ),
        Claim(
            "smaller_is_worse",
            law.subs(sym.N, smaller),
            ">",
            law.subs(sym.N, n_wall),
            "The loss falls in N, so any smaller model is further away.",
            ByMonotone(
                law.subs(sym.N, x),
                x,
                smaller,
                n_wall,
                False,
                ByPositiveTerms(form=n_wall * u / (1 + u)),
            ),
        ),
        Claim(
            "just_unreached",
            law.subs(sym.N, n_wall),
            "->",
            best,
            "With tokens without end the loss comes down to L*(C) but not below.",
            ByLeadingTerm(sym.D, "oo"),
        ),
        Claim(
            "tokens_just_unreached",
            law.subs(sym.D, d_wall),
            "->",
            best,
            "With params without end likewise.",
            ByLeadingTerm(sym.N, "oo"),
        ),
    )
    return Derivation(
        name="critical_sizes",
        title="Critical sizes",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "target L*(C), any compute",
        ),
        statement=r"N \le w_N^{1/\beta} N^*(C) \implies L(N, D) > L^*(C) \text{ for all } D;\qquad D \le w_D^{1/\gamma} "
        r"D^*(C) \text{ likewise}",
        steps=steps,
        source="H. de Vries 2023, Go smol or go home, for the overhead that diverges there.",
        follows="The two walls depend on the exponents alone, as the penalty does.",
    )
