"""Under C = kappa N^a D^d the exponent is beta gamma/(a gamma + d beta), and everything else follows as under 6 N D."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.economics import shadow_price
from isoflop.theory.envelope import derive, product_of_powers
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

MULTIPLIER = Symbol("lambda", positive=True)


def derivation() -> Derivation:
    """Lagrange conditions, the closed forms, the global bound, the penalty, and the case a = d = 1, kappa = 6."""
    envelope = derive(budget=GENERAL)
    m, names, claims = misallocation(envelope), envelope.named, envelope.named_steps
    n, d, r, C = sym.N, sym.D, sym.SIZE_RATIO, sym.C
    b, g, first, second, kappa = sym.BETA, sym.GAMMA, sym.BUDGET_A, sym.BUDGET_D, sym.KAPPA
    spent, total = GENERAL.compute(), first * g + second * b
    n_star, d_star = names.allocation
    at_optimum = {n: n_star, d: d_star}
    loss, reducible = function("L")(n, d), function("R")
    moved = (r * n_star, r ** (-first / second) * d_star)
    params = PARAMS_TOKENS.terms[0]

    def there(expression: Expr) -> Expr:
        return Subs(expression, (n, d), (n_star, d_star))

    usual = ((first, second, kappa), tuple(map(Integer, (1, 1, 6))))
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
        claims["budget"],
        step(
            "exponent",
            (-Partial(log(reducible(n_star, d_star)), log(C)), "=", b * g / total),
            say("Both terms fall with the same power of {}:", C),
        ),
        step(
            "params_grow",
            (Partial(log(n_star), log(C)), "=", g / total),
            say("The optimal params are a power of {}:", C),
        ),
        step(
            "tokens_grow",
            (Partial(log(d_star), log(C)), "=", b / total),
            "And so are the optimal tokens:",
        ),
        step(
            "params_share",
            (params.expression.subs(n, n_star) / reducible(n_star, d_star), "=", names.shares[0]),
            say("The term of {} has the same share of the loss at every compute:", n),
        ),
        claims["shares_sum"],
        claims["power_N"],
        claims["power_D"],
        claims["global_minimum"],
        claims["envelope"],
        step(
            "budget_kept",
            (product_of_powers((kappa, *moved), (Integer(1), first, second)), "=", C),
            say("With {} times the params the budget leaves {} tokens:", r, moved[1]),
        ),
        step(
            "penalty",
            (reducible(*moved) / reducible(n_star, d_star), "=", PENALTY(r)),
            say("Each term is its share of the optimal loss times a power of {}:", r),
        ),
        step(
            "usual_exponent",
            (Subs(1 / names.exponent, usual[0][:2], usual[1][:2]), "=", 1 / b + 1 / g),
            say(
                "The usual budget is the case {}, {}, {}:",
                (first, "=", 1),
                (second, "=", 1),
                (kappa, "=", 6),
            ),
        ),
        step(
            "usual_loss",
            (Subs(names.reducible, *usual), "=", derive().reducible),
            "And its compute law:",
        ),
    )
    return Derivation(
        name="two_factors_under_a_general_budget",
        title="Two factors under a general monomial budget",
        assumptions=envelope.assumptions,
        definitions=(*m.definitions, Definition(MULTIPLIER, shadow_price(names))),
        statement=say(
            "At every compute {} the loss on the budget is least at {} and {}: {budget}, "
            "{envelope}, and for all positive {} and {}, {global_minimum}. There the "
            "Lagrange conditions hold with the multiplier {}, {stationary_in_params} and "
            "{stationary_in_tokens}. The optimum grows with {params_grow} and {tokens_grow}, "
            "the exponent of the compute law is {exponent}, and the share of the term of the "
            "params in it is {params_share}. A run with {} times the optimal params, {}, "
            "keeps the budget with {} tokens, {budget_kept}, at the penalty {penalty}.",
            C,
            n_star,
            d_star,
            n,
            d,
            MULTIPLIER,
            r,
            (r, ">", 0),
            moved[1],
        ),
        steps=steps,
        source="Duffin, Peterson and Zener 1967, Geometric Programming, for two terms.",
        follows="Budgets in which attention or repetition bends the cost of a factor keep the same closed forms.",
    )
