"""Two factors act as one with their own envelope as its term: the step by which the m-factor law holds for every m."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.budget import Budget
from isoflop.theory.envelope import derive
from isoflop.theory.factors import factors, merged
from isoflop.theory.law import LawForm, Term
from isoflop.theory.proof.arguments import BySameDifference, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, function, say, step


def derivation() -> Derivation:
    """Inner minimum, outer law, equality of the two closed forms, and that all other factors count as one."""
    form, budget = factors(3)
    whole = derive(form, budget)
    law, outer_budget, pair = merged(form, budget)
    outer = derive(law, outer_budget)
    (first, second, third), C, y = form.terms, sym.C, law.variables[0]
    product = pair.budget.compute()
    inner = ByWeightedAmGm((first.expression, second.expression), pair.shares)
    p, q = (budget.exponent(t.variable) / t.exponent for t in (second, third))
    constant = (second.coefficient / p) ** p * (third.coefficient / q) ** q
    others = Term((p + q) * constant ** (1 / (p + q)), third.variable, 1 / (p + q))
    two = derive(
        LawForm((first, others)),
        Budget(sym.KAPPA, (budget.powers[0], (third.variable, Integer(1)))),
    )
    single, single_budget = factors(1)
    (only,), ((_, power),) = single.terms, single_budget.powers
    term, best, of_merged, of_two, of_one = (
        function(name) for name in ("M", "S_3", "S_2", "U", "S_1")
    )
    size, split = function("Y")(C), function("X")
    steps = (
        step(
            "one_factor",
            (single.reducible.subs(only.variable, (C / sym.KAPPA) ** (1 / power)), "=", of_one(C)),
            "With one factor the budget fixes it, and the least loss is its term there:",
        ),
        step(
            "inner_minimum",
            (first.expression + second.expression, ">=", term(product)),
            say("Weighted AM-GM of two factors of which the product {} is given:", product),
            inner,
        ),
        step(
            "outer_law",
            (form.reducible, ">=", term(product) + third.expression),
            "So a law of three factors is bounded by one of two:",
            BySameDifference(
                first.expression + second.expression, pair.reducible.subs(C, product), inner
            ),
        ),
        step(
            "same_minimum",
            (of_merged(C), "=", best(C)),
            "The least loss of the merged law is that of the law itself:",
        ),
        step(
            "same_allocation",
            (split(size), "=", whole.allocation[0]),
            "Splitting the merged optimum between the two factors gives the optimum of the law:",
        ),
        step(
            "merged_share",
            (outer.shares[0], "=", whole.shares[0] + whole.shares[1]),
            "The share of the merged factor is the sum of the two shares:",
        ),
        step(
            "others_count_as_one",
            (of_two(C), "=", best(C)),
            "And so the second and the third factor together count as one:",
        ),
    )
    return Derivation(
        name="merging_two_factors",
        title="Merging two factors",
        assumptions=(
            *whole.assumptions,
            say("Let {} be the product of two factors, {}.", y, (y, ">", 0)),
        ),
        definitions=(
            Definition(term(y), pair.reducible.subs(C, y)),
            Definition(best(C), whole.reducible),
            Definition(of_merged(C), outer.reducible),
            Definition(of_two(C), two.reducible),
            Definition(of_one(C), derive(single, single_budget).reducible),
            Definition(split(y), pair.allocation[0].subs(C, y)),
            Definition(size, outer.optimum(y)),
        ),
        statement=say(
            "Two factors of a given product come down to one term, and no further, "
            "{inner_minimum}, so that a law of three factors is bounded by one of two, "
            "{outer_law}. The least losses by the formula for both agree, {same_minimum}, as "
            "do the optima, {same_allocation}, and shares, {merged_share}; any number of "
            "further factors counts as one, {others_count_as_one}; and for one factor the "
            "formula holds, {one_factor}."
        ),
        steps=steps,
        source="Nested minimisation; the closed form of Duffin, Peterson and Zener 1967, Geometric Programming.",
        follows="By induction the law of any number of factors holds.",
    )
