"""A monotone function of the reducible loss has the same optimal allocation, size ratio and order of runs."""

from __future__ import annotations

from sympy import Expr, Subs, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.proof.arguments import ByApplying, BySameDifference, ByWeightedAmGm, UnderLemma
from isoflop.theory.theorem import (
    Derivation,
    Partial,
    all_positive,
    function,
    in_paper_order,
    say,
    step,
)

Y = Symbol("y", positive=True)
OUTER = function("h")
MEAN_VALUE = say(
    "A differentiable function whose derivative is positive on an interval increases there, and "
    "one whose derivative is negative decreases."
)


def derivation() -> Derivation:
    """Stationarity, the bound for increasing and decreasing h by the mean value theorem, and the loss on the envelope."""
    m = misallocation()
    names, n, d, r, C = m.named.envelope, sym.N, sym.D, sym.SIZE_RATIO, sym.C
    params, tokens = PARAMS_TOKENS.terms
    n_star, d_star = names.allocation
    reducible, slope = function("R"), Symbol("H", real=True)
    inner, best = reducible(n, d), names.reducible.subs(C, SIX_ND.compute())
    bound = ByWeightedAmGm((params.expression, tokens.expression), names.shares)
    rises = Partial(OUTER(Y), Y)

    def there(expression: Expr) -> Expr:
        return Subs(expression, (n, d), (n_star, d_star))

    steps = (
        step(
            "stationary",
            (slope * there(n * Partial(inner, n) - d * Partial(inner, d)), "=", 0),
            say(
                "By the chain rule the derivative of {} along the budget is that of {} times the "
                "value {} of the derivative of {} there; that of the reducible loss vanishes:",
                OUTER(inner),
                inner,
                slope,
                OUTER(Y),
            ),
        ),
        step(
            "increasing",
            (OUTER(inner), ">=", OUTER(best)),
            say(
                "By weighted AM-GM with the weights {} and {} the reducible loss is at least {}, and "
                "an increasing function keeps the order:",
                *names.shares,
                best,
            ),
            UnderLemma(MEAN_VALUE, "mean value theorem of Lagrange", ByApplying(bound)),
            assume=(rises,),
        ),
        step(
            "decreasing",
            (OUTER(inner), "<=", OUTER(best)),
            "A decreasing function turns it around:",
            UnderLemma(
                MEAN_VALUE,
                "mean value theorem of Lagrange",
                ByApplying(BySameDifference(inner, best, bound)),
            ),
            assume=(-rises,),
        ),
        step(
            "inner_optimum",
            (reducible(n_star, d_star), "=", names.reducible),
            "At the optimum of the reducible loss:",
        ),
        step(
            "envelope",
            (OUTER(reducible(n_star, d_star)), "=", OUTER(names.reducible)),
            say("Apply the function to both sides of {inner_optimum}:"),
            ByApplying(),
        ),
        step(
            "inner_penalty",
            (reducible(r * n_star, d_star / r), "=", PENALTY(r) * names.reducible),
            say("With {} times the optimal params at the same compute:", r),
        ),
        step(
            "penalty",
            (OUTER(reducible(r * n_star, d_star / r)), "=", OUTER(PENALTY(r) * names.reducible)),
            say("Apply the function to both sides of {inner_penalty}:"),
            ByApplying(),
        ),
    )
    constants = PARAMS_TOKENS.reducible.free_symbols - {n, d}
    _, budget = m.envelope.assumptions
    return Derivation(
        name="wrapper_theorem",
        title=say("Laws of the form {}", OUTER(PARAMS_TOKENS.reducible)),
        assumptions=(
            say(
                "A model with {} params trained on {} tokens, {}, {}, has the loss {}, where {} "
                "and ",
                n,
                d,
                n,
                (d, ">", 0),
                OUTER(inner),
                (inner, "=", PARAMS_TOKENS.reducible),
            )
            + all_positive(in_paper_order(constants))
            + ".",
            say(
                "The function {} is differentiable for {}, and its derivative has one sign "
                "throughout.",
                OUTER(Y),
                (Y, ">", 0),
            ),
            budget,
        ),
        definitions=m.definitions,
        statement=say(
            "Of all runs on the budget at compute {} that with {} and {} has the least loss "
            "where {} increases, and the largest where it decreases: {increasing} and "
            "{decreasing}. The bound is attained there, {envelope}. A run with {} times the "
            "optimal params, {}, has the loss of the optimum with the reducible loss "
            "multiplied by the same penalty, {penalty}.",
            C,
            n_star,
            d_star,
            OUTER(Y),
            r,
            (r, ">", 0),
        ),
        steps=steps,
        source="Monotone transformations keep the order; mean value theorem.",
        follows=say(
            "Kaplan's form, an accuracy {} and the whole loss {} are instances.",
            exp(-inner),
            sym.E + inner,
        ),
    )
