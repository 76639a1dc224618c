"""Above the compute C_N at which N* reaches N_max the size cap binds: N_max params, and the rest of C goes into tokens."""

from __future__ import annotations

from sympy import Symbol

from isoflop.derivations.corners import Cap
from isoflop.theory import symbols as sym
from isoflop.theory.theorem import Derivation, say

CAPPED = Symbol("C_N", positive=True)
STEPS = {
    "threshold": "At compute {} the optimal size is the largest allowed one:",
    "beyond": "It is a rising power of compute, so that for {} it is larger:",
    "budget_kept": "Fewer params leave the budget to the other factor:",
    "smallness": "At the optimum the terms are {} and {}; each changes by a factor:",
    "smaller_is_worse": "The derivative of {} in {} is {}, which rises in {} from 0 and is positive:",
    "at_threshold": "At {} the loss under the cap is that of the optimum:",
    "smooth_departure": "It leaves the compute law with the same slope:",
    "price_of_size": "Differentiate the loss under the cap in the logarithm of {} at fixed compute:",
    "free_at_threshold": "At the threshold the two parts of the price cancel, as at the optimum:",
    "price_beyond": "Beyond it the part of the tokens falls as a power of compute:",
    "price_is_negative": "By {price_beyond} this falls in {} from 0 at {}:",
    "floor": "With compute without end the term of {} vanishes:",
}


def derivation() -> Derivation:
    """The threshold, the loss under the cap, that a smaller model is worse, the price of size, and the floor it leaves."""
    cap = sym.N_MAX
    return Cap(sym.N, cap, CAPPED).theorem(
        title="The size cap",
        assumption=say(
            "No model may have more than {} params, {}: a run has {}.",
            cap,
            (cap, ">", 0),
            (sym.N, "<=", cap),
        ),
        steps=STEPS,
        statement=(
            "Beyond the compute {} the optimum needs more params than are allowed: "
            "{threshold}, and for every {} also {beyond}. At compute {} a run with {} "
            "params, {}, has {} tokens, {budget_kept}. Its reducible loss is {}, and that of "
            "a smaller model is larger, {smaller_is_worse}; so the best run beyond {} has {} "
            "params and {} tokens, with the reducible loss {}. A larger model would always "
            "lower it: {price_of_size} and {price_is_negative}. It leaves the compute law "
            "smoothly, {at_threshold} and {smooth_departure}, and does not vanish with "
            "growing compute, {floor}."
        ),
        follows=say(
            "A model capped by the cost of serving it is overtrained: its loss falls with the exponent "
            "{} towards a floor.",
            sym.GAMMA,
        ),
    )
