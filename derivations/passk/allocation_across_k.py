"""What it costs at pass@k_2 to allocate a budget optimally for pass@k_1: a size ratio that is a power of compute."""

from __future__ import annotations

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.passk import (
    BEST_PARAMS,
    BEST_TOKENS,
    CHOSEN_PARAMS,
    CHOSEN_TOKENS,
    JUDGED,
    OFF_BY,
    PENALTY_ACROSS,
    SCHAEFFER,
    SIZE,
    cross_allocation,
)
from isoflop.theory.proof.arguments import ByWeightedAmGm
from isoflop.theory.theorem import Derivation, say, step


def derivation() -> Derivation:
    """Two laws -log pass@k_i = E_i + A_i N^-beta_i + B_i D^-gamma_i under C = 6 N D."""
    pair = cross_allocation()
    C = sym.C
    (b, g), (w_n, w_d) = (t.exponent for t in pair.judged.form.terms), pair.judged.shares
    best = JUDGED(BEST_PARAMS(C), BEST_TOKENS(C))
    steps = (
        step(
            "size_ratio",
            (CHOSEN_PARAMS(C) / BEST_PARAMS(C), "=", OFF_BY(C)),
            "Both optimal sizes are powers of compute, and so is their quotient:",
        ),
        step(
            "tokens_ratio",
            (CHOSEN_TOKENS(C) / BEST_TOKENS(C), "=", 1 / OFF_BY(C)),
            "At the same compute the tokens change by the reciprocal:",
        ),
        step(
            "penalty",
            (JUDGED(CHOSEN_PARAMS(C), CHOSEN_TOKENS(C)) / best, "=", PENALTY_ACROSS(OFF_BY(C))),
            say(
                "Each term is its share of the least reducible loss, times the power of {}:",
                OFF_BY(C),
            ),
        ),
        step(
            "at_least_one",
            (
                PENALTY_ACROSS(SIZE),
                ">=",
                product_of_powers([SIZE**-b, SIZE**g], [w_n, w_d]),
                "=",
                1,
            ),
            say(
                "Weighted AM-GM with the weights {} and {}; their products with the exponents "
                "agree, so that the powers of {} cancel:",
                w_n,
                w_d,
                SIZE,
            ),
            ByWeightedAmGm((w_n * SIZE**-b, w_d * SIZE**g), (w_n, w_d)),
        ),
    )
    return Derivation(
        name="allocation_across_k",
        title="Penalty for allocating at one number of samples and evaluating at another",
        assumptions=(*pair.assumptions, say("Let {}.", (SIZE, ">", 0))),
        definitions=pair.definitions,
        statement=say(
            "The run that is optimal for the first law has {} times the optimal size of the "
            "second, {size_ratio} and {tokens_ratio}, and under the second law the penalty "
            "of that ratio, {penalty}, which is at least one, {at_least_one}.",
            OFF_BY(C),
        ),
        steps=steps,
        source=f"{SCHAEFFER}, for laws whose coefficients depend on the number of samples; the quotient is elementary.",
        follows="If the optimal shares differ between the two numbers of samples, the penalty grows as a power of compute.",
    )
