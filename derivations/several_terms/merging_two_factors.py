"""Two factors act as one with their own envelope as its term: the step by which the m-factor law holds for every m."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.budget import Budget
from isoflop.theory.envelope import derive
from isoflop.theory.factors import factors, merged
from isoflop.theory.law import LawForm, Term
from isoflop.theory.proof.argument import ByWeightedAmGm
from isoflop.theory.proof.argument_calculus import BySameDifference
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Inner minimum, outer law, equality of the two closed forms, and that all other factors count as one."""
    form, budget = factors(3)
    whole = derive(form, budget)
    law, outer_budget, pair = merged(form, budget)
    outer = derive(law, outer_budget)
    (first, second, third), y = form.terms, law.variables[0]
    product = pair.budget.compute()
    inner = ByWeightedAmGm((first.expression, second.expression), pair.shares)
    at_pair = pair.allocation[0].subs(sym.C, outer.optimum(y))
    p, q = (budget.exponent(t.variable) / t.exponent for t in (second, third))
    constant = (second.coefficient / p) ** p * (third.coefficient / q) ** q
    others = Term((p + q) * constant ** (1 / (p + q)), third.variable, 1 / (p + q))
    two = derive(
        LawForm((first, others)),
        Budget(sym.KAPPA, (budget.powers[0], (third.variable, Integer(1)))),
    )
    single, single_budget = factors(1)
    (only,), ((_, power),) = single.terms, single_budget.powers
    steps = (
        Claim(
            "one_factor",
            single.reducible.subs(only.variable, (sym.C / sym.KAPPA) ** (1 / power)),
            "==",
            derive(single, single_budget).reducible,
            "Start: with one factor the budget fixes x = (C/kappa)^(1/c), and R* is its term there.",
        ),
        Claim(
            "inner_minimum",
            first.expression + second.expression,
            ">=",
            pair.reducible.subs(sym.C, product),
            "For given y = x_1^c_1 x_2^c_2 two factors bring their terms down to C0' y^-alpha' and no further.",
            inner,
        ),
        Claim(
            "outer_law",
            form.reducible,
            ">=",
            law.reducible.subs(y, product),
            "So the law is bounded by a law of one factor fewer, in y and the others.",
            BySameDifference(
                first.expression + second.expression, pair.reducible.subs(sym.C, product), inner
            ),
        ),
        Claim(
            "same_minimum",
            whole.reducible,
            "==",
            outer.reducible,
            "The formula for the smaller law gives the R*(C) of the larger one, with 1/alpha' = c_1/b_1 + c_2/b_2.",
        ),
        Claim(
            "same_allocation",
            at_pair,
            "==",
            whole.allocation[0],
            "Splitting y* between the two factors gives the allocation of the larger law.",
        ),
        Claim(
            "merged_share",
            outer.shares[0],
            "==",
            whole.shares[0] + whole.shares[1],
            "The share of the merged factor is the sum of the two shares.",
        ),
        Claim(
            "others_count_as_one",
            whole.reducible,
            "==",
            two.reducible,
            "The other factors enter R* through sum_i c_i/b_i and prod_i (A_i b_i/c_i)^(c_i/b_i) alone, as one factor does; so "
            "the third stands for any number of others.",
        ),
    )
    return Derivation(
        name="merging_two_factors",
        title="Merging two factors",
        assumptions=(
            "R = sum_i A_i x_i^-b_i with positive coefficients and exponents, any number of factors",
            "C = kappa prod_i x_i^c_i with c_i > 0",
        ),
        statement=r"\min_{x_1^{c_1}x_2^{c_2} = y} \bigl(A_1 x_1^{-b_1} + A_2 x_2^{-b_2}\bigr) = C_0'\,y^{-\alpha'},\quad "
        r"\frac{1}{\alpha'} = \frac{c_1}{b_1} + \frac{c_2}{b_2},\quad R^*_m = R^*_{m-1} \text{ of the merged law}",
        steps=steps,
        source="Nested minimisation; the closed form of Duffin, Peterson and Zener 1967, Geometric Programming.",
        follows="By induction the m-factor law holds for every m.",
    )
