"""Runs at a fixed size ratio r to the optimum follow a compute law with the same exponent and C0 P(r) in front."""

from __future__ import annotations

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.proof.arguments import ByWeightedAmGm
from isoflop.theory.theorem import Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """The law along N = r N*(C), its exponent and coefficient, and the compute that makes up for r."""
    m = misallocation()
    names, r, C = m.named, sym.SIZE_RATIO, sym.C
    envelope, law = names.envelope, function("R")
    alpha, c0, (w_n, w_d) = envelope.exponent, envelope.coefficient, envelope.shares
    n_star, d_star = envelope.allocation
    along, penalty = law(r * n_star, d_star / r), PENALTY(r)
    more = {x: x.subs(C, C * penalty ** (1 / alpha)) for x in (n_star, d_star)}
    steps = (
        step(
            "compute_law",
            (along, "=", penalty * c0 * C**-alpha),
            say("Each term is its share of the least reducible loss, times the power of {}:", r),
        ),
        step(
            "exponent",
            (-Partial(log(along), log(C)), "=", alpha),
            say("The only factor that depends on {} is {}:", C, C**-alpha),
        ),
        m.named_steps["shares_cancel"],
        step(
            "coefficient",
            (penalty * c0, ">=", c0),
            say(
                "Weighted AM-GM with the weights {} and {}; by {shares_cancel} the powers of {} "
                "cancel in the geometric mean:",
                w_n,
                w_d,
                r,
            ),
            ByWeightedAmGm(
                tuple(c0 * t for t in (w_n * r**-sym.BETA, w_d * r**sym.GAMMA)), (w_n, w_d)
            ),
        ),
        step(
            "catches_up",
            (law(r * more[n_star], more[d_star] / r), "=", law(n_star, d_star)),
            say("With {} times the compute the penalty is made up for:", penalty ** (1 / alpha)),
        ),
        step(
            "constant_penalty",
            (Partial(along / law(n_star, d_star), C), "=", 0),
            "The penalty does not change along the family:",
        ),
    )
    return Derivation(
        name="fixed_size_ratio_keeps_the_exponent",
        title="Runs at a fixed size ratio",
        assumptions=(*m.envelope.assumptions, say("Let {} be fixed.", (r, ">", 0))),
        definitions=m.definitions,
        statement=say(
            "Runs with {} times the optimal size at every compute follow the law "
            "{compute_law}, with the exponent of the envelope, {exponent}, and a coefficient "
            "that is no smaller, {coefficient}. More compute makes up for it by the same "
            "factor at every scale, {catches_up}.",
            r,
        ),
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="A family that is off by a constant factor shows the right exponent: the exponent alone does not reveal "
        "optimality.",
    )
