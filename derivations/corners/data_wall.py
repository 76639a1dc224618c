"""Above the compute C_D at which D* reaches D_max the data cap binds: all of D_max is used, the rest of C goes into params."""

from __future__ import annotations

from sympy import Symbol

from isoflop.derivations.corners import Cap
from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.theorem import Derivation, say

WALL = Symbol("C_D", positive=True)
STEPS = {
    "threshold": "At compute {} the optimal tokens are all there are:",
    "beyond": "They are a rising power of compute, so that for {} they are more:",
    "budget_kept": "Fewer tokens leave the budget to the other factor:",
    "scarcity": "At the optimum the terms are {} and {}; each changes by a factor:",
    "less_data_is_worse": "The derivative of {} in {} is {}, which rises in {} from 0 and is positive:",
    "at_threshold": "At {} the loss at the wall is that of the optimum:",
    "smooth_departure": "It leaves the compute law with the same slope:",
    "price_of_data": "Differentiate the loss at the wall in the logarithm of {} at fixed compute:",
    "free_at_threshold": "At the threshold the two parts of the price cancel, as at the optimum:",
    "price_beyond": "Beyond it the part of the params falls as a power of compute:",
    "price_is_negative": "By {price_beyond} this falls in {} from 0 at {}:",
    "floor": "With compute without end the term of {} vanishes:",
}


def derivation() -> Derivation:
    """The threshold, the loss at the wall, that using less data is worse, the price of data, and the floor it leaves."""
    cap = sym.D_MAX
    return Cap(sym.D, cap, WALL).theorem(
        title="The data wall",
        assumption=say(
            "There are {} tokens, {}: a run has {}.", cap, (cap, ">", 0), (sym.D, "<=", cap)
        ),
        steps=STEPS,
        statement=(
            "Beyond the compute {} the optimum needs more tokens than there are: "
            "{threshold}, and for every {} also {beyond}. At compute {} a run with {} "
            "tokens, {}, has {} params, {budget_kept}. Its reducible loss is {}, and that "
            "with fewer tokens is larger, {less_data_is_worse}; so the best run beyond {} "
            "has all {} tokens and {} params, with the reducible loss {}. More data would "
            "always lower it: {price_of_data} and {price_is_negative}. It leaves the compute "
            "law smoothly, {at_threshold} and {smooth_departure}, and does not vanish with "
            "growing compute, {floor}."
        ),
        follows=say(
            "Beyond the wall the loss falls with the exponent {} towards a floor, no longer with "
            "{} towards {}.",
            sym.BETA,
            derive().named.exponent,
            sym.E,
        ),
    )
