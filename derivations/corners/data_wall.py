"""Above the compute C_D at which D* reaches D_max the data cap binds: all of D_max is used, the rest of C goes into params."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import Partial
from isoflop.theory.economics import capped_shadow_price
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.proof.words import Definition, function, say

WALL = Symbol("C_D", positive=True)
#: The reducible loss with all tokens there are, that with fewer than the optimal ones, and the price of data.
AT_WALL, SCARCE, PRICE = function("W"), function("f"), function("p")


def derivation() -> Derivation:
    """The threshold, the loss at the wall, that using less data is worse, the price of data, and the floor it leaves."""
    m = misallocation()
    names, cap, C = m.named.envelope, sym.D_MAX, sym.C
    (w_n, w_d), (n_star, d_star) = names.shares, names.allocation
    params, tokens = PARAMS_TOKENS.terms
    b, g, best = params.exponent, tokens.exponent, names.reducible
    u, v, x = (Symbol(name, positive=True) for name in "uvx")
    beyond = WALL * (1 + u)
    at_wall = AT_WALL(C, cap)
    price = capped_shadow_price(m, sym.D).subs(sym.D, cap)
    floor = tokens.expression.subs(sym.D, cap)
    in_shares = best * (w_n * exp(-b * x) + w_d * exp(g * x))

    def at_threshold(expression: Expr) -> Expr:
        return Subs(expression, C, WALL)

    steps = (
        Claim(
            "threshold",
            d_star.subs(C, WALL),
            "==",
            cap,
            say("At compute {} the optimal tokens are all there are:", WALL),
        ),
        Claim(
            "beyond",
            d_star.subs(C, beyond),
            ">",
            cap,
            say("They are a rising power of compute, so that for {} they are more:", (u, ">", 0)),
            ByMonotone(cap * x**w_d, x, 1 + u, Integer(1), order=ByPositiveTerms(form=u)),
        ),
        Claim(
            "budget_kept",
            product_of_powers(
                (m.envelope.budget.coefficient, n_star * exp(v), d_star * exp(-v)),
                (Integer(1),) * 3,
            ),
            "==",
            C,
            say("Fewer tokens leave the budget to the other factor:"),
        ),
        Claim(
            "scarcity",
            SCARCE(v),
            "==",
            in_shares.subs(x, v),
            say(
                "At the optimum the terms are {} and {}; each changes by a factor:",
                w_n * best,
                w_d * best,
            ),
        ),
        Claim(
            "less_data_is_worse",
            SCARCE(v + u),
            ">",
            SCARCE(v),
            say(
                "The derivative of {} in {} is {}, which rises in {} from 0 and is positive:",
                SCARCE(v),
                v,
                names.exponent * best * (exp(g * v) - exp(-b * v)),
                v,
            ),
            ByMonotone(
                in_shares,
                x,
                v + u,
                v,
                slope=ByMonotone(in_shares.diff(x), x, x, Integer(0)),
            ),
        ),
        Claim(
            "at_threshold",
            at_wall.subs(C, WALL),
            "==",
            best.subs(C, WALL),
            say("At {} the loss at the wall is that of the optimum:", WALL),
        ),
        Claim(
            "smooth_departure",
            at_threshold(Partial(at_wall, C)),
            "==",
            -names.exponent * names.coefficient * WALL ** (-names.exponent - 1),
            say("It leaves the compute law with the same slope:"),
        ),
        Claim(
            "price_of_data",
            Partial(at_wall, log(cap)),
            "==",
            PRICE(C),
            say("Differentiate the loss at the wall in the logarithm of {} at fixed compute:", cap),
        ),
        Claim(
            "free_at_threshold",
            PRICE(WALL),
            "==",
            Integer(0),
            say("At the threshold the two parts of the price cancel, as at the optimum:"),
        ),
        Claim(
            "price_beyond",
            PRICE(beyond),
            "==",
            g * floor * ((1 + u) ** -b - 1),
            say("Beyond it the part of the params falls as a power of compute:"),
        ),
        Claim(
            "price_is_negative",
            PRICE(beyond),
            "<",
            Integer(0),
            say("By {price_beyond} this falls in {} from 0 at {}:", u, (u, "=", 0)),
            ByMonotone(g * floor * ((1 + x) ** -b - 1), x, u, Integer(0), increasing=False),
        ),
        Claim(
            "floor",
            at_wall,
            "->",
            floor,
            say("With compute without end the term of {} vanishes:", sym.N),
            ByLeadingTerm(C, "oo"),
        ),
    )
    return Derivation(
        name="data_wall",
        title="The data wall",
        assumptions=(
            *m.envelope.assumptions,
            say("There are {} tokens, {}: a run has {}.", cap, (cap, ">", 0), (sym.D, "<=", cap)),
        ),
        definitions=(
            *m.envelope.definitions,
            Definition(WALL, m.data_wall),
            Definition(at_wall, m.capped_reducible(sym.D, cap)),
            Definition(SCARCE(v), function("R")(n_star * exp(v), d_star * exp(-v))),
            Definition(PRICE(C), price),
        ),
        statement=say("Beyond the compute {} the optimum needs more tokens than there are: ", WALL)
        + "{threshold}, and "
        + say("for every {} also ", (u, ">", 0))
        + "{beyond}. At compute "
        + say("{} a run with {} tokens, {}, has ", C, d_star * exp(-v), (v, ">", 0))
        + say("{} params, ", n_star * exp(v))
        + "{budget_kept}. "
        + say("Its reducible loss is {}, and that with fewer tokens is larger, ", SCARCE(v))
        + "{less_data_is_worse}; so the best run beyond "
        + say("{} has all {} tokens and {} params, ", WALL, cap, C / (6 * cap))
        + say("with the reducible loss {}. ", at_wall)
        + "More data would always lower it: {price_of_data} and {price_is_negative}. "
        "It leaves the compute law smoothly, {at_threshold} and {smooth_departure}, and "
        "does not vanish with growing compute, {floor}.",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows=say(
            "Beyond the wall the loss falls with the exponent {} towards a floor, no longer with "
            "{} towards {}.",
            b,
            names.exponent,
            sym.E,
        ),
    )
