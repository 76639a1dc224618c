"""The law is the upper envelope of Cobb-Douglas functions; the one in N D alone is the compute law."""

from __future__ import annotations

from sympy import Expr, Subs, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.economics import WEIGHT, cobb_douglas_minorant
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

MINORANT, TIGHT, SHARE = function("M"), function("D_e"), function("v")


def derivation() -> Derivation:
    """For every weight w in (0, 1): the bound, where it is tight, and which member depends on N D alone."""
    n, d, w = sym.N, sym.D, WEIGHT
    inside = (1 - w,)
    envelope, reducible = derive(), function("R")
    names = envelope.named
    params, tokens = PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    w_n, _ = names.shares
    both = (params.expression, tokens.expression)
    share = SHARE(n, d)

    def minorant(weight: Expr) -> Expr:
        return MINORANT(weight, n, d)

    def where_tight(expression: Expr) -> Expr:
        return expression.subs(d, TIGHT(w, n))

    steps = (
        step(
            "minorant",
            (reducible(n, d), ">=", minorant(w)),
            say("Weighted AM-GM on the two terms with the weights {} and {}:", w, 1 - w),
            ByWeightedAmGm(both, (w, 1 - w)),
            assume=inside,
        ),
        step(
            "tight",
            (reducible(n, TIGHT(w, n)), "=", where_tight(minorant(w))),
            say("At {} tokens the two terms over their weights agree:", TIGHT(w, n)),
            assume=inside,
        ),
        step(
            "share_there",
            (where_tight(share), "=", w),
            "There the params term over its weight is the whole reducible loss:",
            assume=inside,
        ),
        step(
            "above_elsewhere",
            (Partial(log(reducible(n, d)) - log(minorant(w)), log(d)), "=", g * (share - w)),
            say(
                "The share {} increases strictly in {}. So the quotient of the reducible loss and "
                "its bound falls as long as the share is below {}, and rises after:",
                share,
                d,
                w,
            ),
            assume=inside,
        ),
        step(
            "upper_envelope",
            (TIGHT(share, n), "=", d),
            say(
                "Each run attains one of the bounds: with its own share {} as weight the tokens of "
                "equality are its own:",
                share,
            ),
        ),
        step(
            "best_weight",
            (Subs(Partial(log(minorant(w)), w), w, share), "=", 0),
            say("As a function of {} the bound is stationary at the run's own share:", w),
        ),
        step(
            "in_compute_alone",
            (
                Partial(log(minorant(w)), log(d)) - Partial(log(minorant(w)), log(n)),
                "=",
                (b + g) * (w - w_n),
            ),
            say("The powers of {} and {} agree for one weight alone:", n, d),
            assume=inside,
        ),
        step(
            "is_compute_law",
            (minorant(w_n), "=", names.reducible.subs(sym.C, SIX_ND.compute())),
            say("With this weight both powers are {}:", -names.exponent),
        ),
    )
    return Derivation(
        name="cobb_douglas_minorants",
        title="Cobb-Douglas minorants",
        assumptions=(
            *envelope.assumptions,
            say("Let {} be a weight, with {} and {}.", w, (w, ">", 0), (w, "<", 1)),
        ),
        definitions=(
            *envelope.definitions,
            Definition(share, params.expression / reducible(n, d)),
            Definition(MINORANT(w, n, d), cobb_douglas_minorant()),
            Definition(
                TIGHT(w, n), (w * tokens.coefficient / ((1 - w) * params.expression)) ** (1 / g)
            ),
        ),
        statement=say(
            "For every weight {} the Cobb-Douglas function {} bounds the reducible loss from "
            "below, {minorant}, with equality at {} tokens, {tight}, where the share {} of "
            "the params term is the weight, {share_there}. At any other number of tokens the "
            "reducible loss lies strictly above the bound, for in {} their quotient falls, "
            "then rises: {above_elsewhere}. The reducible loss is the largest of its bounds, "
            "because every run attains the one of its own share, {upper_envelope}. The "
            "powers of {} and {} in the bound agree for the weight {} alone, "
            "{in_compute_alone}, and this bound is the compute law, {is_compute_law}.",
            w,
            minorant(w),
            TIGHT(w, n),
            share,
            d,
            n,
            d,
            w_n,
        ),
        steps=steps,
        source="Weighted AM-GM; Duffin, Peterson and Zener 1967, Geometric Programming.",
        follows=say("The compute law is the best bound that knows only {}.", n * d),
    )
