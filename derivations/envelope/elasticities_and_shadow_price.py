"""At the optimum one percent of params, of tokens or of compute each lower the reducible loss by alpha percent."""

from __future__ import annotations

from sympy import Expr, Subs, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.economics import marginal_cost
from isoflop.theory.envelope import derive, optimum
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

BEST_REDUCIBLE, BEST_LOSS = optimum(sym.REDUCIBLE), optimum(sym.L)
TARGET = Symbol("R_0", positive=True)
COST = function("C_opt")(TARGET)


def derivation() -> Derivation:
    """Elasticities of the law at the optimum, the shadow price of compute, the marginal cost of loss, the slope of L itself."""
    n, d, C = sym.N, sym.D, sym.C
    envelope, spent = derive(), SIX_ND.compute()
    names = envelope.named
    alpha, allocation = names.exponent, names.allocation
    reducible, loss = (function(name)(n, d) for name in ("R", "L"))

    def there(expression: Expr) -> Expr:
        return Subs(expression, (n, d), allocation)

    def flop(x: Symbol) -> Expr:
        """What one more of x costs at the optimum."""
        return spent.diff(x).subs(dict(zip((n, d), allocation, strict=True)))

    price = alpha * BEST_REDUCIBLE / C
    steps = (
        step(
            "in_params",
            (-there(Partial(log(reducible), log(n))), "=", alpha),
            say("At fixed {} the elasticity is {} times the share {} of its term:", d, *_parts(0)),
        ),
        step(
            "in_tokens",
            (-there(Partial(log(reducible), log(d))), "=", alpha),
            say("At fixed {} it is {} times the share {}:", n, *_parts(1)),
        ),
        step(
            "compute_law",
            (BEST_REDUCIBLE, "=", names.reducible),
            "Substitute the optimum in the law:",
        ),
        step(
            "in_compute",
            (-Partial(log(BEST_REDUCIBLE), log(C)), "=", alpha),
            say("By {compute_law} the reducible loss of the optimum is a power of {}:", C),
        ),
        step(
            "shadow_price",
            (-Partial(BEST_LOSS, C), "=", price),
            say("Differentiate {compute_law} in {}; the irreducible loss drops out:", C),
        ),
        step(
            "price_by_params",
            (-there(Partial(loss, n)), "=", flop(n) * price),
            say("At fixed {} one more param costs {} FLOP:", d, spent.diff(n)),
        ),
        step(
            "price_by_tokens",
            (-there(Partial(loss, d)), "=", flop(d) * price),
            say("At fixed {} one more token costs {} FLOP:", n, spent.diff(d)),
        ),
        step(
            "inverse",
            (BEST_REDUCIBLE.subs(C, COST), "=", TARGET),
            say("The function {} inverts the compute law:", COST),
        ),
        step(
            "marginal_cost",
            (
                Partial(COST, TARGET),
                "=",
                marginal_cost(names)
                .subs(names.compute_for_reducible, COST)
                .subs(sym.REDUCIBLE, TARGET),
            ),
            say("Differentiate a power of {}:", TARGET),
        ),
        step(
            "reciprocal",
            (Subs(Partial(BEST_LOSS, C), C, COST) * Partial(COST, TARGET), "=", 1),
            say("It is the reciprocal of the slope of the compute law at {}:", COST),
        ),
        step(
            "slope_of_the_loss",
            (-Partial(log(BEST_LOSS), log(C)), "=", alpha * (1 - sym.E / BEST_LOSS)),
            say("Of the whole loss only the part above {} falls:", sym.E),
        ),
    )
    return Derivation(
        name="elasticities_and_shadow_price",
        title="Elasticities and the shadow price of compute",
        assumptions=(
            *envelope.assumptions,
            say("Let {} be a reducible loss to be reached.", (TARGET, ">", 0)),
        ),
        definitions=(
            *envelope.definitions,
            Definition(BEST_REDUCIBLE, function("R")(*allocation)),
            Definition(BEST_LOSS, function("L")(*allocation)),
            Definition(COST, names.compute_for_reducible.subs(sym.REDUCIBLE, TARGET)),
        ),
        statement=say(
            "At the optimum one percent more of {}, of {} or of {} lowers the reducible loss "
            "by {} percent, to first order: {in_params}, {in_tokens} and {in_compute}. One "
            "more FLOP lowers the optimal loss by the shadow price, {shadow_price}, and it "
            "may as well be spent on params alone or on tokens alone: one more param costs "
            "{} FLOP, one more token {}, and {price_by_params} and {price_by_tokens}. The "
            "optimum reaches the reducible loss {} at compute {}, {inverse}, with the "
            "marginal cost {marginal_cost}, negative because a lower loss costs more. On "
            "logarithmic axes the whole loss has the slope {slope_of_the_loss}.",
            n,
            d,
            C,
            alpha,
            flop(n),
            flop(d),
            TARGET,
            COST,
        ),
        steps=steps,
        source="Envelope theorem; the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows=say(
            "A log-log plot of the loss with {} left in it understates {}.", (sym.E, ">", 0), alpha
        ),
    )


def _parts(i: int) -> tuple[Expr, Expr]:
    """The exponent of a term and its share at the optimum."""
    envelope = derive()
    return envelope.form.terms[i].exponent, envelope.named.shares[i]
