"""Accuracy Q = exp(-R) and its variants are maximal at the optimum of R, and lose P(r) - 1 times -log Q* by misallocation."""

from __future__ import annotations

from sympy import Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.proof.arguments import ByMonotone, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, function, say, step


def derivation() -> Derivation:
    """Bounds for exp(-R), with a ceiling Q_max = e^-E, and for the increasing h = E + R^p of supervised transfer."""
    m = misallocation()
    names, law, r = m.named.envelope, function("R"), sym.SIZE_RATIO
    params, tokens = PARAMS_TOKENS.terms
    y, power = Symbol("y", positive=True), Symbol("p", positive=True)
    accuracy, here = function("Q"), law(sym.N, sym.D)
    (n_star, d_star), spent = names.allocation, names.reducible.subs(sym.C, SIX_ND.compute())
    order = ByWeightedAmGm((params.expression, tokens.expression), names.shares)
    moved, best = (r * n_star, d_star / r), (n_star, d_star)
    steps = (
        step(
            "bound",
            (here, ">=", spent),
            say("Weighted AM-GM with the weights {} and {}:", *names.shares),
            order,
        ),
        step(
            "maximum",
            (accuracy(sym.N, sym.D), "<=", exp(-sym.E - spent)),
            say("By {bound}, for {} decreases in {}:", exp(-sym.E - y), y),
            ByMonotone(exp(-sym.E - y), y, here, spent, False, order),
        ),
        step(
            "minimum_of_transfer",
            (sym.E + here**power, ">=", sym.E + spent**power),
            say("By {bound}, for {} increases in {}:", sym.E + y**power, y),
            ByMonotone(sym.E + y**power, y, here, spent, True, order),
        ),
        step(
            "on_the_envelope",
            (accuracy(*best), "=", exp(-sym.E - names.coefficient * sym.C**-names.exponent)),
            say("At the optimum the reducible loss is {}:", names.reducible),
        ),
        step(
            "loss_of_accuracy",
            (
                log(exp(sym.E) * accuracy(*moved)) / log(exp(sym.E) * accuracy(*best)),
                "=",
                PENALTY(r),
            ),
            say(
                "The logarithm of the accuracy over its ceiling {} is minus the reducible loss:",
                exp(-sym.E),
            ),
        ),
        step(
            "transfer_penalty",
            (law(*moved) ** power / law(*best) ** power, "=", PENALTY(r) ** power),
            say("And the power {} of the reducible loss has that power of the penalty:", power),
        ),
    )
    return Derivation(
        name="accuracy_form",
        title="Accuracy as a function of the reducible loss",
        assumptions=(
            *m.envelope.assumptions,
            say(
                "Let {} be the accuracy, {} and {}.",
                (accuracy(sym.N, sym.D), "=", exp(-sym.E - here)),
                (r, ">", 0),
                (power, ">", 0),
            ),
        ),
        definitions=(*m.definitions, Definition(accuracy(sym.N, sym.D), exp(-sym.E - here))),
        statement=say(
            "The accuracy is at most that of the optimum at its compute, {maximum}, which is "
            "{on_the_envelope}. A run with {} times the optimal size loses the penalty in "
            "the logarithm of accuracy over its ceiling, {loss_of_accuracy}. A loss that is "
            "a power of the reducible part keeps the optimum as well, {minimum_of_transfer} "
            "and {transfer_penalty}.",
            r,
        ),
        steps=steps,
        source="Krajewski et al. 2025, arXiv 2512.08894, for the accuracy form; wrapper theorem.",
        follows="Downstream accuracy asks for the same allocation as the law of its own negative logarithm.",
    )
