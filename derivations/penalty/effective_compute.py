"""A misallocated run is worth the share P^(-1/alpha) of its compute; the same loss at fixed r needs P^(1/alpha) times as much."""

from __future__ import annotations

from sympy import Integer, Symbol, oo

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import overtrained_effective_compute, undertrained_effective_compute
from isoflop.theory.penalty import EFFECTIVE, PENALTY, misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, ByMonotone, ByWeightedAmGm
from isoflop.theory.theorem import Derivation, function, say, step


def derivation() -> Derivation:
    """Equality of the two losses, the multiplier, the bound by 1, and both tails."""
    m = misallocation()
    envelope, names = m.envelope, m.named
    r, y, C = sym.SIZE_RATIO, Symbol("y", positive=True), sym.C
    alpha, (w_n, w_d) = names.envelope.exponent, names.envelope.shares
    n_star, d_star = names.envelope.allocation
    law, penalty = function("L"), names.penalty
    share = PENALTY(r) ** (-1 / alpha)
    terms = ByWeightedAmGm((w_n * r**-sym.BETA, w_d * r**sym.GAMMA), (w_n, w_d))
    optimum = {x: x.subs(C, EFFECTIVE) for x in (n_star, d_star)}
    longer = {x: x.subs(C, C / share) for x in (n_star, d_star)}
    steps = (
        step(
            "same_loss",
            (law(r * n_star, d_star / r), "=", law(optimum[n_star], optimum[d_star])),
            say("The optimum at compute {} has the loss of the run:", EFFECTIVE),
        ),
        step(
            "multiplier",
            (law(r * longer[n_star], longer[d_star] / r), "=", law(n_star, d_star)),
            say(
                "With {} times the compute at the same {} the run reaches the optimal loss:",
                1 / share,
                r,
            ),
        ),
        step(
            "no_gain",
            (EFFECTIVE / C, "<=", 1),
            say(
                "The penalty is at least 1 by weighted AM-GM with the weights {} and {}, and {} "
                "falls in {}:",
                w_n,
                w_d,
                y ** (-1 / alpha),
                y,
            ),
            ByMonotone(y ** (-1 / alpha), y, penalty, Integer(1), False, terms),
        ),
        step(
            "penalty_back",
            ((EFFECTIVE / C) ** -alpha, "=", PENALTY(r)),
            say("The penalty is the share to the power {}:", -alpha),
        ),
        step(
            "overtrained_tail",
            ((EFFECTIVE / C) ** -alpha, "~", overtrained_effective_compute(names) ** -alpha),
            say(
                "For {} the share falls as a power of {}; for its power {}:",
                (r, "->", 0),
                r,
                -alpha,
            ),
            ByLeadingTerm(r, "0"),
        ),
        step(
            "undertrained_tail",
            ((EFFECTIVE / C) ** -alpha, "~", undertrained_effective_compute(names) ** -alpha),
            say("And so for {}:", (r, "->", oo)),
            ByLeadingTerm(r, "oo"),
        ),
    )
    return Derivation(
        name="effective_compute",
        title="Effective compute",
        assumptions=envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "A run at compute {} with {} times the optimal size, {}, has the loss of the "
            "optimum at compute {}: {same_loss}, where {no_gain}. It reaches the optimal "
            "loss of its own compute with more of it, {multiplier}.",
            C,
            r,
            (r, ">", 0),
            EFFECTIVE,
        ),
        steps=steps,
        source="Inversion of the compute law; Schaeffer et al. 2025, arXiv 2509.24012, for the penalty.",
        follows="What the share is less than one is the part of the budget that misallocation wastes.",
    )
