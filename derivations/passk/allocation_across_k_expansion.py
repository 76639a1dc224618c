"""The price of one allocation for two k is beta_2 gamma_2 s^2/2 to leading order, s affine in log C, and 0 at one compute."""

from __future__ import annotations

from sympy import Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import (
    BEST_PARAMS,
    BEST_TOKENS,
    JUDGED,
    OFF_BY,
    PENALTY_ACROSS,
    SCHAEFFER,
    cross_allocation,
)
from isoflop.theory.theorem import Definition, Derivation, partial, say, step


def derivation() -> Derivation:
    """Write the size ratio of allocation_across_k as e^s and expand the penalty at s = 0."""
    pair = cross_allocation()
    C, s, power = sym.C, sym.LOG_SIZE_RATIO, Symbol("v", positive=True)
    turn = pair.chosen.shares[0] - pair.judged.shares[0]
    along, meeting = PENALTY_ACROSS(exp(s)), Symbol("C_x", positive=True)
    best = BEST_PARAMS(C), BEST_TOKENS(C)
    steps = (
        step(
            "affine_in_log_compute",
            (log(OFF_BY(power * C)), "=", log(OFF_BY(C)) + turn * log(power)),
            "The ratio of the two optimal sizes is a power of compute:",
        ),
        step(
            "along_the_budget",
            (JUDGED(best[0] * exp(s), best[1] * exp(-s)) / JUDGED(*best), "=", along),
            say(
                "Each term is its share of the least reducible loss, times the power of {}:", exp(s)
            ),
        ),
        step("at_the_optimum", (PENALTY_ACROSS(1), "=", 1), "The shares sum to one:"),
        step(
            "first_order", (Subs(partial(along, s, 1), s, 0), "=", 0), "The optimum is a minimum:"
        ),
        step(
            "second_order",
            (
                Subs(partial(along, s, 2), s, 0) / 2,
                "=",
                (pair.leading_excess / log(pair.size_ratio) ** 2).cancel(),
            ),
            "The second order is that of the law that judges, whatever law chose:",
        ),
        step(
            "agreement",
            (OFF_BY(meeting), "=", 1),
            say(
                "Where the exponents of {affine_in_log_compute} differ, both allocate alike at one compute:"
            ),
        ),
    )
    return Derivation(
        name="allocation_across_k_expansion",
        title="Penalty across numbers of samples near the compute of agreement",
        assumptions=(*pair.assumptions, say("Let {} be real and {}.", s, (power, ">", 0))),
        definitions=(*pair.definitions, Definition(meeting, pair.agreement)),
        statement=say(
            "The logarithm of the ratio {} of the two optimal sizes is affine in that of "
            "compute, {affine_in_log_compute}. A run with {} times the optimal size of the "
            "second law has the penalty {along_the_budget}, which begins as "
            "{at_the_optimum}, {first_order} and {second_order}. At compute {} both allocate "
            "alike, {agreement}.",
            OFF_BY(C),
            exp(s),
            meeting,
        ),
        steps=steps,
        source=f"{SCHAEFFER}, for laws whose coefficients depend on the number of samples; Taylor's theorem.",
        follows="Away from that compute the excess grows with the square of the logarithm of compute first, then as a power.",
    )
