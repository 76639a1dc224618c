"""The composed law's exponent between its limits: kappa a_g where the gold likelihood is far above its floor, a_g near it."""

from __future__ import annotations

from sympy import Integer, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import PASS_AT, SCHAEFFER, GoldComposition
from isoflop.theory.proof.arguments import ByMonotone, ByPositiveTerms, BySameDifference
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)


def derivation() -> Derivation:
    """With u = (g - Eg)/Eg the reducible part is K0 Eg^p ((1 + u)^p - 1); its elasticity in u."""
    letters = symbols("xi_0 K_0 p E_g G_g a_g", positive=True)
    xi, k0, power, eg, gg, ag = letters
    v, m, x, k, error = symbols("v m x k epsilon", positive=True)
    C, more = sym.C, 1 + m
    gold, law, above, bare, place = (function(name) for name in ("g", "y", "u", "f", "K"))
    composed = GoldComposition(xi, k0, power, eg, gg, ag)
    floor, coefficient, _ = composed.with_gold_floor
    convex = (1 + v) ** more - 1
    limit = composed.compute_where(1 / ((1 + error) ** (1 / power) - 1))
    steps = (
        step(
            "reducible",
            (law(C) - floor, "=", k0 * eg**power * ((1 + above(C)) ** power - 1)),
            say("What lies above the limit {}:", floor),
        ),
        step(
            "local_exponent",
            (
                -Partial(log(law(C) - floor), log(C)),
                "=",
                power * ag * (1 - eg / gold(C)) / (1 - (eg / gold(C)) ** power),
            ),
            "Differentiate:",
        ),
        step(
            "compute_of_u",
            (above(place(v)), "=", v),
            say("Every value {} belongs to one compute, and {} falls with compute:", v, above(C)),
        ),
        step(
            "leading_ratio",
            (
                (law(place(v)) - floor) / (coefficient * place(v) ** -ag),
                "=",
                ((1 + v) ** power - 1) / (power * v),
            ),
            say("What the leading order misses depends on {} and {} alone:", v, power),
        ),
        step(
            "at_least_the_smaller",
            (more * v * (1 + v) ** m, ">=", convex),
            say("For a power {} the elasticity of {} in {} is at least one:", more, convex, v),
            BySameDifference(
                more * v * (1 + v) ** m - convex,
                Integer(0),
                ByMonotone(
                    more * x * (1 + x) ** m - (1 + x) ** more + 1,
                    x,
                    v,
                    Integer(0),
                    slope=ByPositiveTerms(form=more * m * x * (1 + x) ** (m - 1)),
                ),
            ),
        ),
        step(
            "at_most_the_larger",
            (convex, ">=", v * (1 + v) ** m),
            say("And at most the power, for {} is at least one:", (1 + v) ** m),
            BySameDifference((1 + v) ** m, Integer(1), ByMonotone((1 + x) ** m, x, v, Integer(0))),
        ),
        step(
            "bare_ratio",
            ((law(place(v)) - xi) / bare(place(v)), "=", (1 + 1 / v) ** power),
            say("The law without {} misses a factor that falls to one for large {}:", eg, v),
        ),
        step(
            "bare_limit",
            (law(limit) - xi, "=", (1 + error) * bare(limit)),
            say("At this compute the factor is {}:", 1 + error),
            assume=((1 + error) ** (1 / power) - 1,),
        ),
    )
    return Derivation(
        name="gold_law_local_exponent",
        title="Local exponent of the composed gold law",
        assumptions=(
            say(
                "Let {} be the negative log likelihood of the gold reference. Let {} be the law "
                "of {} in it. Let {} be what lies above {} where {} is zero. Let {}. Let ",
                (gold(C), "=", eg + gg * C**-ag),
                (law(C), "=", xi + k0 * gold(C) ** power),
                -log(PASS_AT(k)),
                (bare(C), "=", k0 * (gg * C**-ag) ** power),
                xi,
                eg,
                (above(C), "=", (gold(C) - eg) / eg),
            )
            + all_positive((C, v, m, error, *letters))
            + ".",
        ),
        definitions=(
            Definition(gold(C), eg + gg * C**-ag),
            Definition(law(C), xi + k0 * gold(C) ** power),
            Definition(bare(C), k0 * (gg * C**-ag) ** power),
            Definition(above(C), (gold(C) - eg) / eg),
            Definition(place(v), composed.compute_where(v)),
        ),
        statement=say(
            "Above its floor the law is {reducible}, and its local exponent is "
            "{local_exponent}. At {} it is that elasticity times {}, which for a power above "
            "one lies between one and the power, {at_least_the_smaller} and "
            "{at_most_the_larger}. The leading order at large compute misses the factor "
            "{leading_ratio}, and the law without the floor {bare_ratio}.",
            place(v),
            ag,
        ),
        steps=steps,
        source=f"{SCHAEFFER}, for the gold reference law; differentiation.",
        follows="An exponent fitted over a finite range lies between the two; for a power above one it is too steep beyond that "
        "range.",
    )
