"""Along a fixed ratio the local exponent falls with compute, from half the larger exponent to half the smaller one."""

from __future__ import annotations

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """-dlog R/dlog C = (beta v + gamma (1 - v))/2 with v = T_N/R: its slope, its bounds and its limits."""
    line, C, b, g = ray(), sym.C, sym.BETA, sym.GAMMA
    reducible = function("R")(PARAMS(C), TOKENS(C))
    local, v, odds = (function(name)(C) for name in ("q", "v", "w"))
    params, tokens = sym.A * PARAMS(C) ** -b, sym.B * TOKENS(C) ** -g
    larger, gap = (g - b,), (g - b) / 2
    steps = (
        step(
            "mean",
            (local, "=", (b * v + g * (1 - v)) / 2),
            say("The mean of {} and {}, weighted by the shares of the two terms:", b / 2, g / 2),
        ),
        step(
            "slope",
            (Partial(local, log(C)), "=", -((b - g) ** 2) * v * (1 - v) / 4),
            "Minus the variance of the two exponents under these shares:",
        ),
        step(
            "falls",
            (Partial(local, log(C)), "<=", 0),
            "A variance is not negative:",
            ByPositiveTerms(form=(b - g) ** 2 * params * tokens / (4 * (params + tokens) ** 2)),
        ),
        step(
            "above_half_the_smaller",
            (local, ">", b / 2),
            "The share of the other term is positive:",
            ByPositiveTerms(form=gap * odds / (1 + odds)),
            assume=larger,
        ),
        step(
            "below_half_the_larger",
            (local, "<", g / 2),
            "And so is that of this one:",
            ByPositiveTerms(form=gap / (1 + odds)),
            assume=larger,
        ),
        step(
            "close_above",
            (local - b / 2, "<", gap * odds),
            say("The distance to {} is at most this multiple of {}:", b / 2, odds),
            ByPositiveTerms(form=gap * odds**2 / (1 + odds)),
            assume=larger,
        ),
        step(
            "large_compute",
            (odds, "->", 0),
            "The term with the larger exponent vanishes first:",
            ByLeadingTerm(C, "oo"),
            assume=larger,
        ),
        step(
            "close_below",
            (g / 2 - local, "<", gap / odds),
            say("The distance to {} is at most this multiple of {}:", g / 2, 1 / odds),
            ByPositiveTerms(form=gap / (odds * (1 + odds))),
            assume=larger,
        ),
        step(
            "small_compute",
            (1 / odds, "->", 0),
            "At little compute the other term vanishes beside it:",
            ByLeadingTerm(C, "0"),
            assume=larger,
        ),
    )
    return Derivation(
        name="ray_local_exponent",
        title="The local exponent on a ray",
        assumptions=line.assumptions,
        definitions=(
            *line.definitions,
            Definition(local, -Partial(log(reducible), log(C))),
            Definition(v, params / reducible),
            Definition(odds, tokens / params),
        ),
        statement=say(
            "The local exponent of the runs is {}: {mean}. It falls with compute, {slope} "
            "and {falls}, from half the larger exponent to half the smaller one: "
            "{below_half_the_larger} and {above_half_the_smaller}, where {close_below}, "
            "{close_above}, {small_compute} and {large_compute}.",
            local,
        ),
        steps=steps,
        source="Differentiation of a sum of two powers.",
        follows="A ray is no power law of compute unless the exponents are equal; the further out, the slower it falls.",
    )
