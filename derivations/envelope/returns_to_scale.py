"""Scaling params and tokens together lowers R with elasticity beta v + gamma (1 - v), 2 alpha at the optimum."""

from __future__ import annotations

from sympy import Integer, Subs, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.economics import scale_elasticity
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

ELASTICITY, SCALED = function("eta"), function("S")


def derivation() -> Derivation:
    """The elasticity from the law, its value at the optimum, its bounds and its limits under joint scaling."""
    envelope, law, scale = derive(), PARAMS_TOKENS.reducible, Symbol("x", positive=True)
    names, n, d = envelope.named, sym.N, sym.D
    params, tokens = PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    local, scaled = ELASTICITY(n, d), SCALED(scale)
    bounds = []
    for ending, (larger, smaller) in (("", (params, tokens)), ("_exchanged", (tokens, params))):
        gap = larger.exponent - smaller.exponent
        order = (larger.exponent, ">", smaller.exponent)
        bounds += [
            step(
                f"above_the_smaller{ending}",
                (local, ">", smaller.exponent),
                say(
                    "For {} the difference is {} times the share of the {} term:",
                    order,
                    gap,
                    larger.variable,
                ),
                ByPositiveTerms(form=gap * larger.expression / law),
                assume=(gap,),
            ),
            step(
                f"below_the_larger{ending}",
                (local, "<", larger.exponent),
                say("And here it is {} times the share of the {} term:", gap, smaller.variable),
                ByPositiveTerms(form=gap * smaller.expression / law),
                assume=(gap,),
            ),
            step(
                f"in_the_end{ending}",
                (scaled, "~", smaller.expression * scale**-smaller.exponent),
                "The term with the smaller exponent is left:",
                ByLeadingTerm(scale, "oo"),
                assume=(gap,),
            ),
        ]
    steps = (
        step(
            "scaled",
            (scaled, "=", params.expression * scale**-b + tokens.expression * scale**-g),
            say("Each term is multiplied by a power of {}:", scale),
        ),
        step(
            "elasticity",
            (-Subs(Partial(log(scaled), log(scale)), scale, Integer(1)), "=", local),
            say(
                "Differentiate in the logarithm of {}: the exponents are weighted by the shares of "
                "their terms:",
                scale,
            ),
        ),
        step(
            "at_the_optimum",
            (ELASTICITY(*names.allocation), "=", 2 * names.exponent),
            say(
                "There the shares are {} and {}, and {} and {} are both {}:",
                *names.shares,
                b * names.shares[0],
                g * names.shares[1],
                names.exponent,
            ),
        ),
        *bounds,
    )
    return Derivation(
        name="returns_to_scale",
        title="Returns to scale",
        assumptions=envelope.assumptions,
        definitions=(
            *envelope.definitions,
            Definition(local, scale_elasticity()),
            Definition(scaled, function("R")(scale * n, scale * d)),
        ),
        statement=say(
            "Multiply the params and the tokens of a run by {}, and let {} be its reducible "
            "loss. The elasticity of scale of the run, {}, is {elasticity}; at the optimum "
            "{at_the_optimum}. Where the exponents differ, it is larger than the smaller "
            "one, {above_the_smaller} or {above_the_smaller_exchanged}, and smaller than the "
            "larger, {below_the_larger} or {below_the_larger_exchanged}. Scaled without end "
            "a run keeps the term with the smaller exponent alone, {in_the_end} or "
            "{in_the_end_exchanged}.",
            (scale, ">", 0),
            scaled,
            local,
        ),
        steps=steps,
        source="Elasticity of scale; the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="Doubling both costs four times the compute, so that at the optimum the loss falls as "
        "by the compute law.",
    )
