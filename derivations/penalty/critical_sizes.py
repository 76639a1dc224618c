"""No number of tokens reaches L*(C) with w_N^(1/beta) N* params or fewer, and no model with w_D^(1/gamma) D* tokens or fewer."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.penalty_claims import critical
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.proof.words import say


def derivation() -> Derivation:
    """The two walls, that the loss beyond them is out of reach, and that they are approached by the other factor alone."""
    m = misallocation()
    best = m.named.envelope.reducible
    params, tokens = PARAMS_TOKENS.terms
    law, u, x = PARAMS_TOKENS.reducible, Symbol("u", positive=True), Symbol("x", positive=True)
    n_wall, d_wall = critical(sym.N), critical(sym.D)
    smaller = n_wall / (1 + u)
    steps = (
        Claim(
            "size",
            m.smallest_params.subs(sym.REDUCIBLE, best),
            "==",
            n_wall,
            say("The size whose term alone is the least reducible loss at {}:", sym.C),
        ),
        Claim(
            "tokens",
            m.smallest_tokens.subs(sym.REDUCIBLE, best),
            "==",
            d_wall,
            say("And the tokens whose term alone is:"),
        ),
        Claim(
            "size_out_of_reach",
            law.subs(sym.N, n_wall),
            ">",
            best,
            say("At the critical size the term of {} comes on top:", sym.D),
            ByPositiveTerms(form=tokens.expression),
        ),
        Claim(
            "tokens_out_of_reach",
            law.subs(sym.D, d_wall),
            ">",
            best,
            say("At the critical tokens that of {}:", sym.N),
            ByPositiveTerms(form=params.expression),
        ),
        Claim(
            "smaller_is_worse",
            law.subs(sym.N, smaller),
            ">",
            law.subs(sym.N, n_wall),
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
        Claim(
            "just_unreached",
            law.subs(sym.N, n_wall),
            "->",
            best,
            say(
                "With tokens without end the loss of the critical size comes down to the optimal one:"
            ),
            ByLeadingTerm(sym.D, "oo"),
        ),
        Claim(
            "tokens_just_unreached",
            law.subs(sym.D, d_wall),
            "->",
            best,
            say("And with params without end that of the critical tokens:"),
            ByLeadingTerm(sym.N, "oo"),
        ),
    )
    return Derivation(
        name="critical_sizes",
        title="Critical sizes",
        assumptions=m.envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "With {} params or fewer no number of tokens reaches the optimal loss of ", n_wall
        )
        + say("compute {}: for all {} ", sym.C, (sym.D, ">", 0))
        + "{size_out_of_reach}, and for "
        + say("{} ", (u, ">", 0))
        + "{smaller_is_worse}. With "
        + say("{} tokens no model does, ", d_wall)
        + "{tokens_out_of_reach}.",
        steps=steps,
        source="H. de Vries 2023, Go smol or go home, for the overhead that diverges there.",
        follows="The two walls, relative to the optimum, depend on the exponents alone, as the penalty does.",
    )
