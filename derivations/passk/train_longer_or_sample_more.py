"""The cheapest mix of training compute and samples for a target fail@k spends a constant share on sampling."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, TrainAgainstSample
from isoflop.theory.proof.claim import ByPositiveTerms, ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Least C + u C^a k with c C^-d k^-b = F, for d/b = a + s."""
    names = ("c", "b", "F", "u", "a", "s", "v")
    c0, b, target, price, growth, slope, v = (Symbol(name, positive=True) for name in names)
    problem = TrainAgainstSample(c0, b * (growth + slope), b, target, price, growth)
    at_target = problem.cost.subs(DRAWS, problem.draws)
    best = {sym.C: problem.compute, DRAWS: problem.draws.subs(sym.C, problem.compute)}
    sampling = at_target - sym.C
    weights = (slope / (1 + slope), 1 / (1 + slope))
    steep = TrainAgainstSample(c0, b * growth, b, target, price, growth + v)
    level = TrainAgainstSample(c0, b * growth, b, target, price, growth)
    level_cost = level.cost.subs(DRAWS, level.draws)
    return Derivation(
        name="train_longer_or_sample_more",
        title="Training longer against sampling more",
        assumptions=(
            "a law of fail@k, c C^-d k^-b, and a target F",
            "cost C + u C^a k, as a draw costs in proportion to the model, which grows as C^a",
            "s = d/b - a > 0 and an optimal k of at least 1; the steps on corners say what is best elsewhere",
        ),
        statement=(
            r"C^* = \left[u (c/F)^{1/b} (d/b - a)\right]^{1/(1 + d/b - a)}, \qquad"
            r"\frac{u (C^*)^a k^*}{C^*} = \frac{1}{d/b - a}"
        ),
        steps=(
            Claim(
                "target",
                problem.fail.subs(DRAWS, problem.draws),
                "==",
                target,
                "This many draws reach the target at compute C.",
            ),
            Claim(
                "target_at_the_optimum",
                problem.fail.subs(best, simultaneous=True),
                "==",
                target,
                "So do they at the optimum.",
            ),
            Claim(
                "stationary",
                sampling.diff(sym.C).subs(sym.C, problem.compute),
                "==",
                Integer(-1),
                "Along the target sampling costs a constant times C^-s; at the optimum one more unit of training saves one of "
                "sampling.",
            ),
            Claim(
                "constant_share",
                (sampling / sym.C).subs(sym.C, problem.compute),
                "==",
                problem.share,
                "Sampling costs 1/s times as much as training, at every target and price.",
            ),
            Claim(
                "global_minimum",
                sym.C + sampling.expand(),
                ">=",
                at_target.subs(sym.C, problem.compute),
                "Weighted AM-GM with the shares s/(1 + s) and 1/(1 + s): powers of C cancel.",
                ByWeightedAmGm((sym.C, sampling.expand()), weights),
            ),
            Claim(
                "corner_of_many_draws",
                steep.cost.subs(DRAWS, steep.draws).diff(sym.C),
                ">",
                Integer(1),
                "For d/b = a - v below a, one unit of training less saves more than itself: k grows as far as the law is "
                "trusted.",
                ByPositiveTerms(form=v * price * (c0 / target) ** (1 / b) * sym.C ** (v - 1)),
            ),
            Claim(
                "corner_at_equality",
                level_cost.subs(sym.C, sym.C * (1 + v)),
                ">",
                level_cost,
                "For d/b = a, sampling costs the same at every C, and more training costs more: k grows as far as the law is "
                "trusted there too.",
                ByPositiveTerms(form=v * sym.C),
            ),
            Claim(
                "corner_of_one_draw",
                problem.draws.subs(sym.C, problem.single_draw),
                "==",
                Integer(1),
                "Where the optimal k falls below 1, a single draw reaches the target at C = (c/F)^(1/d).",
            ),
        ),
        source="A geometric programme of degree of difficulty 0 (Duffin, Peterson and Zener 1967, Geometric Programming).",
        follows="The split between training and sampling is a property of the three exponents alone.",
    )
