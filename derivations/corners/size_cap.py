"""Above the compute C_N at which N* reaches N_max the size cap binds: N_max params, and the rest of C goes into tokens."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import capped_shadow_price
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, ByMonotone, ByPositiveTerms
from isoflop.theory.proof.theorem import Definition, Derivation, Partial, function, say, step

CAPPED = Symbol("C_N", positive=True)
#: The reducible loss at the largest size, that of a model smaller than the optimal one, and the price of size.
AT_CAP, SMALL, PRICE = function("W"), function("f"), function("p")


def derivation() -> Derivation:
    """The threshold, the loss under the cap, that a smaller model is worse, the price of size, and the floor it leaves."""
    m = misallocation()
    names, cap, C = m.named.envelope, sym.N_MAX, sym.C
    (w_n, w_d), (n_star, d_star) = names.shares, names.allocation
    params, tokens = PARAMS_TOKENS.terms
    b, g, best = params.exponent, tokens.exponent, names.reducible
    u, v, x = (Symbol(name, positive=True) for name in "uvx")
    beyond = CAPPED * (1 + u)
    at_cap = AT_CAP(C, cap)
    price = capped_shadow_price(m, sym.N).subs(sym.N, cap)
    floor = params.expression.subs(sym.N, cap)
    in_shares = best * (w_n * exp(b * x) + w_d * exp(-g * x))

    def at_threshold(expression: Expr) -> Expr:
        return Subs(expression, C, CAPPED)

    steps = (
        step(
            "threshold",
            (n_star.subs(C, CAPPED), "=", cap),
            say("At compute {} the optimal size is the largest allowed one:", CAPPED),
        ),
        step(
            "beyond",
            (n_star.subs(C, beyond), ">", cap),
            say("It is a rising power of compute, so that for {} it is larger:", (u, ">", 0)),
            ByMonotone(cap * x**w_n, x, 1 + u, Integer(1), order=ByPositiveTerms(form=u)),
        ),
        step(
            "budget_kept",
            (
                product_of_powers(
                    (m.envelope.budget.coefficient, n_star * exp(-v), d_star * exp(v)),
                    (Integer(1),) * 3,
                ),
                "=",
                C,
            ),
            "Fewer params leave the budget to the other factor:",
        ),
        step(
            "smallness",
            (SMALL(v), "=", in_shares.subs(x, v)),
            say(
                "At the optimum the terms are {} and {}; each changes by a factor:",
                w_n * best,
                w_d * best,
            ),
        ),
        step(
            "smaller_is_worse",
            (SMALL(v + u), ">", SMALL(v)),
            say(
                "The derivative of {} in {} is {}, which rises in {} from 0 and is positive:",
                SMALL(v),
                v,
                names.exponent * best * (exp(b * v) - exp(-g * v)),
                v,
            ),
            ByMonotone(
                in_shares, x, v + u, v, slope=ByMonotone(in_shares.diff(x), x, x, Integer(0))
            ),
        ),
        step(
            "at_threshold",
            (at_cap.subs(C, CAPPED), "=", best.subs(C, CAPPED)),
            say("At {} the loss under the cap is that of the optimum:", CAPPED),
        ),
        step(
            "smooth_departure",
            (
                at_threshold(Partial(at_cap, C)),
                "=",
                -names.exponent * names.coefficient * CAPPED ** (-names.exponent - 1),
            ),
            "It leaves the compute law with the same slope:",
        ),
        step(
            "price_of_size",
            (Partial(at_cap, log(cap)), "=", PRICE(C)),
            say(
                "Differentiate the loss under the cap in the logarithm of {} at fixed compute:", cap
            ),
        ),
        step(
            "free_at_threshold",
            (PRICE(CAPPED), "=", 0),
            "At the threshold the two parts of the price cancel, as at the optimum:",
        ),
        step(
            "price_beyond",
            (PRICE(beyond), "=", b * floor * ((1 + u) ** -g - 1)),
            "Beyond it the part of the tokens falls as a power of compute:",
        ),
        step(
            "price_is_negative",
            (PRICE(beyond), "<", 0),
            say("By {price_beyond} this falls in {} from 0 at {}:", u, (u, "=", 0)),
            ByMonotone(b * floor * ((1 + x) ** -g - 1), x, u, Integer(0), increasing=False),
        ),
        step(
            "floor",
            (at_cap, "->", floor),
            say("With compute without end the term of {} vanishes:", sym.D),
            ByLeadingTerm(C, "oo"),
        ),
    )
    return Derivation(
        name="size_cap",
        title="The size cap",
        assumptions=(
            *m.envelope.assumptions,
            say(
                "No model may have more than {} params, {}: a run has {}.",
                cap,
                (cap, ">", 0),
                (sym.N, "<=", cap),
            ),
        ),
        definitions=(
            *m.envelope.definitions,
            Definition(CAPPED, m.size_cap),
            Definition(at_cap, m.capped_reducible(sym.N, cap)),
            Definition(SMALL(v), function("R")(n_star * exp(-v), d_star * exp(v))),
            Definition(PRICE(C), price),
        ),
        statement=say(
            "Beyond the compute {} the optimum needs more params than are allowed: "
            "{threshold}, and for every {} also {beyond}. At compute {} a run with {} "
            "params, {}, has {} tokens, {budget_kept}. Its reducible loss is {}, and that of "
            "a smaller model is larger, {smaller_is_worse}; so the best run beyond {} has {} "
            "params and {} tokens, with the reducible loss {}. A larger model would always "
            "lower it: {price_of_size} and {price_is_negative}. It leaves the compute law "
            "smoothly, {at_threshold} and {smooth_departure}, and does not vanish with "
            "growing compute, {floor}.",
            CAPPED,
            (u, ">", 0),
            C,
            n_star * exp(-v),
            (v, ">", 0),
            d_star * exp(v),
            SMALL(v),
            CAPPED,
            cap,
            C / (6 * cap),
            at_cap,
        ),
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows=say(
            "A model capped by the cost of serving it is overtrained: its loss falls with the exponent "
            "{} towards a floor.",
            g,
        ),
    )
