"""The cheapest mix of training compute and samples for a target fail@k spends a constant share on sampling."""

from __future__ import annotations

from sympy import Symbol, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, FAIL_AT, TrainAgainstSample
from isoflop.theory.proof.arguments import ByPositiveTerms, ByWeightedAmGm
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
    """Least C + u C^a k with c C^-d k^-b = F, for d/b = a + s."""
    c0, b, target, price, growth, slope, v = symbols("c q F u g s v", positive=True)
    problem = TrainAgainstSample(c0, b * (growth + slope), b, target, price, growth)
    C, power = sym.C, b * (growth + slope)
    best, draws, needed = Symbol("C_x", positive=True), Symbol("k_x", positive=True), function("K")
    sampling, cost = function("S"), function("T")
    weights = (slope / (1 + slope), 1 / (1 + slope))
    steep = TrainAgainstSample(c0, b * growth, b, target, price, growth + v)
    level = TrainAgainstSample(c0, b * growth, b, target, price, growth)
    steep_cost = steep.cost.subs(DRAWS, steep.draws)
    level_cost = level.cost.subs(DRAWS, level.draws)
    fail = c0 * C**-power * DRAWS**-b
    steps = (
        step(
            "target",
            (fail.subs(DRAWS, needed(C)), "=", target),
            say("So many draws reach the target at compute {}:", C),
        ),
        step(
            "cost",
            (cost(C), "=", C + sampling(C)),
            say("Sampling costs {}, a multiple of {}:", sampling(C), C**-slope),
        ),
        step(
            "global_minimum",
            (cost(C), ">=", cost(best)),
            say(
                "Weighted AM-GM with the weights {} and {}, in which the powers of {} cancel:",
                *weights,
                C,
            ),
            ByWeightedAmGm((C, (problem.cost.subs(DRAWS, problem.draws) - C).expand()), weights),
        ),
        step(
            "target_at_the_optimum",
            (fail.subs([(C, best), (DRAWS, draws)]), "=", target),
            say("At {} so many draws reach it:", best),
        ),
        step(
            "stationary",
            (Partial(sampling(C), C), "=", -slope * sampling(C) / C),
            "Sampling saves this for one unit of training:",
        ),
        step(
            "constant_share",
            (sampling(best) / best, "=", problem.share),
            say("So it saves one unit at {}, where sampling costs this share of training:", best),
        ),
        step(
            "corner_of_many_draws",
            (Partial(steep_cost, C), ">", 1),
            say(
                "Where the cost of a draw grows by {} faster, one unit of training less saves "
                "more than itself:",
                v,
            ),
            ByPositiveTerms(form=v * price * (c0 / target) ** (1 / b) * C ** (v - 1)),
        ),
        step(
            "corner_at_equality",
            (level_cost.subs(C, C * (1 + v)), ">", level_cost),
            say(
                "Where the two exponents agree, sampling costs the same at every {}, and "
                "training more costs more:",
                C,
            ),
            ByPositiveTerms(form=v * C),
        ),
        step(
            "corner_of_one_draw",
            (needed(problem.single_draw), "=", 1),
            "A single draw reaches the target at this compute:",
        ),
    )
    return Derivation(
        name="train_longer_or_sample_more",
        title="Training longer against sampling more",
        assumptions=(
            say(
                "Let {}, and let a draw cost {} after training with compute {}, as it does where "
                "the model grows as {}; the target is {}. Let ",
                (FAIL_AT(DRAWS), "=", fail),
                price * C**growth,
                C,
                C**growth,
                (FAIL_AT(DRAWS), "=", target),
            )
            + all_positive((C, DRAWS, c0, b, growth, slope, price, target, v))
            + ".",
        ),
        definitions=(
            Definition(needed(C), problem.draws),
            Definition(sampling(C), price * C**growth * needed(C)),
            Definition(cost(C), C + price * C**growth * needed(C)),
            Definition(best, problem.compute),
            Definition(draws, problem.draws.subs(C, problem.compute)),
        ),
        statement=say(
            "The target takes {} draws, {target}, and {cost} in all. This is least at "
            "compute {} with {} draws, {global_minimum} and {target_at_the_optimum}, where "
            "sampling costs a share of training that neither the target nor the price "
            "changes, {constant_share}. Where compute lowers the failures less, as few units "
            "of training as the law is trusted for are best, {corner_of_many_draws} and "
            "{corner_at_equality}; where less than one draw would be best, one draw is, "
            "{corner_of_one_draw}.",
            needed(C),
            best,
            draws,
        ),
        steps=steps,
        source="A geometric programme of degree of difficulty 0 (Duffin, Peterson and Zener 1967, Geometric Programming).",
        follows="The split between training and sampling is a property of the three exponents alone.",
    )
