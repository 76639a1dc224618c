"""No number of tokens reaches L*(C) with w_N^(1/beta) N* params or fewer, and no model with w_D^(1/gamma) D* tokens or fewer."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.penalty_claims import critical
from isoflop.theory.proof.arguments import ByLeadingTerm, ByMonotone, ByPositiveTerms
from isoflop.theory.theorem import Derivation, say, step


def derivation() -> Derivation:
    """The two walls, that the loss beyond them is out of reach, and that they are approached by the other factor alone."""
    m = misallocation()
    best = m.named.envelope.reducible
    params, tokens = PARAMS_TOKENS.terms
    law, u, x = PARAMS_TOKENS.reducible, Symbol("u", positive=True), Symbol("x", positive=True)
    n_wall, d_wall = critical(sym.N), critical(sym.D)
    smaller = n_wall / (1 + u)
    steps = (
        step(
            "size",
            (m.smallest_params.subs(sym.REDUCIBLE, best), "=", n_wall),
            say("The size whose term alone is the least reducible loss at {}:", sym.C),
        ),
        step(
            "tokens",
            (m.smallest_tokens.subs(sym.REDUCIBLE, best), "=", d_wall),
            "And the tokens whose term alone is:",
        ),
        step(
            "size_out_of_reach",
            (law.subs(sym.N, n_wall), ">", best),
            say("At the critical size the term of {} comes on top:", sym.D),
            ByPositiveTerms(form=tokens.expression),
        ),
        step(
            "tokens_out_of_reach",
            (law.subs(sym.D, d_wall), ">", best),
            say("At the critical tokens that of {}:", sym.N),
            ByPositiveTerms(form=params.expression),
        ),
        step(
            "smaller_is_worse",
            (law.subs(sym.N, smaller), ">", law.subs(sym.N, n_wall)),
            say(
                "The loss falls in {}, so that any smaller model, with {}, is further away:",
                sym.N,
                (u, ">", 0),
            ),
            ByMonotone(
                law.subs(sym.N, x),
                x,
                smaller,
                n_wall,
                False,
                ByPositiveTerms(form=n_wall * u / (1 + u)),
            ),
        ),
        step(
            "just_unreached",
            (law.subs(sym.N, n_wall), "->", best),
            "With tokens without end the loss of the critical size comes down to the optimal one:",
            ByLeadingTerm(sym.D, "oo"),
        ),
        step(
            "tokens_just_unreached",
            (law.subs(sym.D, d_wall), "->", best),
            "And with params without end that of the critical tokens:",
            ByLeadingTerm(sym.N, "oo"),
        ),
    )
    return Derivation(
        name="critical_sizes",
        title="Critical sizes",
        assumptions=m.envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "With {} params or fewer no number of tokens reaches the optimal loss of compute "
            "{}: for all {} {size_out_of_reach}, and for {} {smaller_is_worse}. With {} "
            "tokens no model does, {tokens_out_of_reach}.",
            n_wall,
            sym.C,
            (sym.D, ">", 0),
            (u, ">", 0),
            d_wall,
        ),
        steps=steps,
        source="H. de Vries 2023, Go smol or go home, for the overhead that diverges there.",
        follows="The two walls, relative to the optimum, depend on the exponents alone, as the penalty does.",
    )
