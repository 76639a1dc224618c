"""N* and D* solve the Lagrange conditions of min L under 6 N D = C, and their bordered Hessian is that of a minimum."""

from __future__ import annotations

from sympy import Expr, Subs, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.economics import shadow_price
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

MULTIPLIER = Symbol("lambda", positive=True)


def derivation() -> Derivation:
    """Stationarity of L + lambda (6 N D - C) in N, D and lambda, elimination of lambda, and the second-order test."""
    n, d, C = sym.N, sym.D, sym.C
    envelope = derive()
    names, spent = envelope.named, SIX_ND.compute()
    loss = function("L")(n, d)
    at_optimum = dict(zip((n, d), names.allocation, strict=True))
    params, tokens = PARAMS_TOKENS.terms
    pull, push = params.exponent * params.expression, tokens.exponent * tokens.expression
    balance = pull / push.subs(d, misallocation().remaining(n))

    def there(expression: Expr) -> Expr:
        return Subs(expression, (n, d), tuple(at_optimum.values()))

    border = (
        spent.diff(n) ** 2 * Partial(Partial(loss, d), d)
        + spent.diff(d) ** 2 * Partial(Partial(loss, n), n)
        - 2 * spent.diff(n) * spent.diff(d) * MULTIPLIER * spent.diff(n, d)
    )
    steps = (
        step(
            "stationary_in_params",
            (there(Partial(loss, n)) + MULTIPLIER * spent.diff(n).subs(at_optimum), "=", 0),
            say("The Lagrangian is stationary in {}:", n),
        ),
        step(
            "stationary_in_tokens",
            (there(Partial(loss, d)) + MULTIPLIER * spent.diff(d).subs(at_optimum), "=", 0),
            say("And in {}, with the same multiplier:", d),
        ),
        step(
            "on_the_budget",
            (spent.subs(at_optimum), "=", C),
            "Its derivative in the multiplier is the budget:",
        ),
        step(
            "balance_at_the_optimum",
            (balance.subs(n, names.params), "=", 1),
            say(
                "Without {} what is left is the balance of the two terms along the budget:",
                MULTIPLIER,
            ),
        ),
        step(
            "balance_holds_once",
            (Partial(balance, n), "<", 0),
            say("Their quotient falls in {} throughout, so that no other size is stationary:", n),
            ByPositiveTerms(),
        ),
        step(
            "bordered_hessian",
            (there(border), "=", 36 * params.exponent * tokens.exponent * names.reducible),
            "Minus the bordered Hessian determinant is positive, so that the point is a minimum:",
        ),
    )
    return Derivation(
        name="optimum_by_lagrange",
        title="The compute-optimal allocation by Lagrange multipliers",
        assumptions=envelope.assumptions,
        definitions=(*envelope.definitions, Definition(MULTIPLIER, shadow_price(names))),
        statement=say(
            "The loss has one stationary point on the budget, {} and {}, ", *names.allocation
        )
        + say(
            "with the multiplier {}: {stationary_in_params}, {stationary_in_tokens} and "
            "{on_the_budget}. It is a minimum, {bordered_hessian}, and the only one, "
            "{balance_holds_once}.",
            MULTIPLIER,
        ),
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="The multiplier is the shadow price of compute.",
    )
