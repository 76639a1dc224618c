"""The cost function log C*(R; a, d) is concave in the budget's powers, and its gradient is (log N*, log D*)."""

from __future__ import annotations

from sympy import Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.economics import log_cost
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByMonotone, ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

TARGET = Symbol("y", positive=True)
#: The least compute that reaches a reducible loss, and its logarithm as a function of the budget's powers too.
COST, LOG_COST = function("C_opt"), function("K")


def derivation() -> Derivation:
    """The cost function, that it is a minimum over the contour, its gradient in (a, d) and its Hessian."""
    envelope, a, d, y = derive(budget=GENERAL), sym.BUDGET_A, sym.BUDGET_D, TARGET
    names, x = envelope.named, Symbol("x", positive=True)
    params, tokens = PARAMS_TOKENS.terms
    spent, reducible = GENERAL.compute(), function("R")(sym.N, sym.D)
    n_star, d_star = (optimum.subs(sym.C, COST(y)) for optimum in names.allocation)
    least = names.compute_for_reducible.subs(sym.REDUCIBLE, y)
    cost = LOG_COST(y, a, d)
    curvature = names.shares[1] / (params.exponent * a)
    in_a, in_d = Partial(cost, a), Partial(cost, d)
    steps = (
        step(
            "cost_function",
            (log(COST(y)), "=", cost),
            say(
                "Take the logarithm of {}; {} is the sum of {} and {}:",
                least,
                1 / names.exponent,
                a / params.exponent,
                d / tokens.exponent,
            ),
        ),
        step(
            "least_on_the_contour",
            (COST(reducible), "<=", spent),
            say(
                "By weighted AM-GM with the weights {} and {} the reducible loss is at least {}, "
                "and {} falls in {}:",
                *names.shares,
                names.reducible.subs(sym.C, spent),
                COST(y),
                y,
            ),
            ByMonotone(
                least.subs(y, x),
                x,
                reducible,
                names.reducible.subs(sym.C, spent),
                False,
                ByWeightedAmGm((params.expression, tokens.expression), names.shares),
            ),
        ),
        step(
            "attained",
            (function("R")(n_star, d_star), "=", y),
            "The optimum at that compute reaches it:",
        ),
        step(
            "gradient_a",
            (in_a, "=", log(n_star)),
            "The derivatives of the weights cancel, as the weights sum to 1:",
        ),
        step("gradient_d", (in_d, "=", log(d_star)), say("And so for {}:", d)),
        step(
            "homogeneous",
            (a * in_a + d * in_d, "=", cost - log(sym.KAPPA)),
            say(
                "The budget in logarithms, which is Euler's relation for {}:", cost - log(sym.KAPPA)
            ),
        ),
        step(
            "second_a",
            (Partial(in_a, a), "=", -curvature),
            say("Differentiate {gradient_a} once more in {}:", a),
        ),
        step(
            "concave_in_a",
            (Partial(in_a, a), "<", 0),
            "So the second derivative is negative:",
            ByPositiveTerms(form=curvature),
        ),
        step(
            "degenerate",
            (Partial(in_a, a) * Partial(in_d, d), "=", Partial(in_a, d) ** 2),
            say(
                "By {homogeneous} the Hessian has determinant 0; with {concave_in_a} it is negative "
                "semidefinite:"
            ),
        ),
        step(
            "in_target",
            (Partial(cost, log(y)), "=", -1 / names.exponent),
            say("The target enters as {} alone:", -log(y) / names.exponent),
        ),
    )
    return Derivation(
        name="log_shephard",
        title="Shephard's lemma in logarithms",
        assumptions=(
            *envelope.assumptions,
            say("The reducible loss {} is to be reached, {}.", y, (y, ">", 0)),
        ),
        definitions=(
            *envelope.definitions,
            Definition(COST(y), least),
            Definition(cost, log_cost(names).subs(sym.REDUCIBLE, y)),
        ),
        statement=say(
            "No run that reaches {} costs less than {}: for all positive {} and {}, "
            "{least_on_the_contour}, and the optimum at that compute reaches it, {attained}. "
            "The derivatives of the logarithm of this cost, {cost_function}, in the powers "
            "of the budget are the logarithms of the optimal inputs, {gradient_a} and "
            "{gradient_d}. The logarithm of the cost is concave in {} and {} together, "
            "{concave_in_a} and {degenerate}. A percent less of the reducible loss costs {} "
            "percent more compute, {in_target}.",
            y,
            COST(y),
            sym.N,
            sym.D,
            a,
            d,
            1 / names.exponent,
        ),
        steps=steps,
        source="Shephard's lemma; duality of cost functions, in log space.",
        follows="How the optimum moves when the price structure changes is read off one function.",
    )
