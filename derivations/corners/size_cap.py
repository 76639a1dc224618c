"""Above the compute C_N at which N* reaches N_max the size cap binds: N_max params, and the rest of C goes into tokens."""

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
        Claim(
            "threshold",
            n_star.subs(C, CAPPED),
            "==",
            cap,
            say("At compute {} the optimal size is the largest allowed one:", CAPPED),
        ),
        Claim(
            "beyond",
            n_star.subs(C, beyond),
            ">",
            cap,
            say("It is a rising power of compute, so that for {} it is larger:", (u, ">", 0)),
            ByMonotone(cap * x**w_n, x, 1 + u, Integer(1), order=ByPositiveTerms(form=u)),
        ),
        Claim(
            "budget_kept",
            product_of_powers(
                (m.envelope.budget.coefficient, n_star * exp(-v), d_star * exp(v)),
                (Integer(1),) * 3,
            ),
            "==",
            C,
            say("Fewer params leave the budget to the other factor:"),
        ),
        Claim(
            "smallness",
            SMALL(v),
            "==",
            in_shares.subs(x, v),
            say(
                "At the optimum the terms are {} and {}; each changes by a factor:",
                w_n * best,
                w_d * best,
            ),
        ),
        Claim(
            "smaller_is_worse",
            SMALL(v + u),
            ">",
            SMALL(v),
            say(
                "The derivative of {} in {} is {}, which rises in {} from 0 and is positive:",
                SMALL(v),
                v,
                names.exponent * best * (exp(b * v) - exp(-g * v)),
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
            at_cap.subs(C, CAPPED),
            "==",
            best.subs(C, CAPPED),
            say("At {} the loss under the cap is that of the optimum:", CAPPED),
        ),
        Claim(
            "smooth_departure",
            at_threshold(Partial(at_cap, C)),
            "==",
            -names.exponent * names.coefficient * CAPPED ** (-names.exponent - 1),
            say("It leaves the compute law with the same slope:"),
        ),
        Claim(
            "price_of_size",
            Partial(at_cap, log(cap)),
            "==",
            PRICE(C),
            say(
                "Differentiate the loss under the cap in the logarithm of {} at fixed compute:", cap
            ),
        ),
        Claim(
            "free_at_threshold",
            PRICE(CAPPED),
            "==",
            Integer(0),
            say("At the threshold the two parts of the price cancel, as at the optimum:"),
        ),
        Claim(
            "price_beyond",
            PRICE(beyond),
            "==",
            b * floor * ((1 + u) ** -g - 1),
            say("Beyond it the part of the tokens falls as a power of compute:"),
        ),
        Claim(
            "price_is_negative",
            PRICE(beyond),
            "<",
            Integer(0),
            say("By {price_beyond} this falls in {} from 0 at {}:", u, (u, "=", 0)),
            ByMonotone(b * floor * ((1 + x) ** -g - 1), x, u, Integer(0), increasing=False),
        ),
        Claim(
            "floor",
            at_cap,
            "->",
            floor,
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
            "Beyond the compute {} the optimum needs more params than are allowed: ", CAPPED
        )
        + "{threshold}, and "
        + say("for every {} also ", (u, ">", 0))
        + "{beyond}. At compute "
        + say("{} a run with {} params, {}, has ", C, n_star * exp(-v), (v, ">", 0))
        + say("{} tokens, ", d_star * exp(v))
        + "{budget_kept}. "
        + say("Its reducible loss is {}, and that of a smaller model is larger, ", SMALL(v))
        + "{smaller_is_worse}; so the best run beyond "
        + say("{} has {} params and {} tokens, ", CAPPED, cap, C / (6 * cap))
        + say("with the reducible loss {}. ", at_cap)
        + "A larger model would always lower it: {price_of_size} and {price_is_negative}. "
        "It leaves the compute law smoothly, {at_threshold} and {smooth_departure}, and "
        "does not vanish with growing compute, {floor}.",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows=say(
            "A model capped by the cost of serving it is overtrained: its loss falls with the exponent "
            "{} towards a floor.",
            g,
        ),
    )
