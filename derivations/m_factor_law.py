"""A law of m power terms under a monomial budget has a compute-optimal envelope in closed form: here for m = 2, 3 and 4."""

from __future__ import annotations

from sympy import Add

from isoflop.theory import symbols as sym
from isoflop.theory.argument import ByWeightedAmGm
from isoflop.theory.claim import Claim, Derivation
from isoflop.theory.envelope import derive
from isoflop.theory.factors import factors


def derivation() -> Derivation:
    """For each m: the exponent, the allocation from equal T_i/w_i, its compute, the balance, and the global bound."""
    steps = []
    for count in (2, 3, 4):
        form, budget = factors(count)
        envelope = derive(form, budget)
        best, alpha = envelope.reducible, envelope.exponent
        equal_terms = {t.variable: (t.coefficient / (w * best)) ** (1 / t.exponent) for t, w in zip(form.terms, envelope.shares, strict=True)}
        last = form.terms[-1]
        x, c = last.variable, budget.exponent(last.variable)
        steps += [
            Claim(f"exponent_{count}", 1 / alpha, "==", Add(*(budget.exponent(t.variable) / t.exponent for t in form.terms)), f"m = {count}: the reciprocal exponents add up, weighted by the powers in the budget."),
            Claim(f"compute_{count}", budget.compute(equal_terms), "==", sym.C, f"m = {count}: x_i = (A_i/(w_i R*))^(1/b_i) spends exactly C."),
            Claim(f"allocation_{count}", equal_terms[x], "==", envelope.optimum(x), f"m = {count}: these x_i solve the balance equations, which are linear in the logarithms."),
            Claim(f"loss_{count}", form.reducible.subs(equal_terms), "==", best, f"m = {count}: the terms are w_i R* and the shares add up to 1."),
            Claim(f"balance_{count}", last.exponent * last.expression.subs(x, envelope.optimum(x)) / c, "==", alpha * best, f"m = {count}: b_i T_i/c_i = alpha R*, shown for the last factor; the factors enter alike."),
            Claim(f"growth_{count}", envelope.optimum(x) / envelope.optimum(x).subs(sym.C, 1), "==", sym.C ** (alpha / last.exponent), f"m = {count}: x_i* grows as C^(alpha/b_i)."),
            Claim(
                f"global_minimum_{count}",
                form.reducible,
                ">=",
                best.subs(sym.C, budget.compute()),
                f"m = {count}: weighted AM-GM with the weights w_i; equality iff all T_i/w_i agree.",
                ByWeightedAmGm(tuple(t.expression for t in form.terms), envelope.shares),
            ),
        ]
    return Derivation(
        name="m_factor_law",
        title="Laws of m factors",
        assumptions=("L = E + sum_i A_i x_i^-b_i with positive coefficients and exponents, m = 2, 3, 4", "C = kappa prod_i x_i^c_i with c_i > 0"),
        statement=r"\frac1\alpha = \sum_i \frac{c_i}{b_i},\quad w_i = \frac{\alpha c_i}{b_i},\quad R^* = \Bigl(\frac{\kappa}{C}\Bigr)^{\alpha}\prod_i\Bigl(\frac{A_i}{w_i}\Bigr)^{w_i},\quad x_i^* = \Bigl(\frac{A_i}{w_i R^*}\Bigr)^{1/b_i}",
        steps=tuple(steps),
        source="Duffin, Peterson and Zener 1967, Geometric Programming: degree of difficulty 0.",
        follows="The step from m to m + 1 is the merging of two factors.",
    )
