"""Laws and budgets of any number of factors with general symbols, and the merging of two factors
into one.
"""

from __future__ import annotations

from sympy import Add, Integer, Symbol

from . import symbols as sym
from .budget import Budget
from .envelope import Envelope, derive
from .law import LawForm, Term
from .proof.argument import ByWeightedAmGm
from .proof.claim import Claim, Derivation


def factors(count: int) -> tuple[LawForm, Budget]:
    """R = sum_i A_i x_i^-b_i and C = kappa prod_i x_i^c_i for i = 1 .. count, with symbols for
    every constant.

    Raises
    ------
    ValueError
        Where `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count={count}: must be at least 1")
    numbered = [
        [Symbol(f"{name}_{i}", positive=True) for name in ("A", "x", "b", "c")]
        for i in range(1, count + 1)
    ]
    form = LawForm(tuple(Term(a, x, b) for a, x, b, _ in numbered), name=f"law of {count} factors")
    return form, Budget(sym.KAPPA, tuple((x, c) for _, x, _, c in numbered))


def merged(form: LawForm, budget: Budget) -> tuple[LawForm, Budget, Envelope]:
    """The first two factors replaced by y = x_1^c_1 x_2^c_2, whose term is their own envelope C0'
    y^-alpha'.

    Returns the law and budget in y and the other factors, and the envelope of the two that were
    merged.
    """
    first, second, *rest = form.terms
    pair = derive(LawForm((first, second)), Budget(Integer(1), budget.powers[:2]))
    y = Symbol("y", positive=True)
    law = LawForm((Term(pair.coefficient, y, pair.exponent), *rest))
    return law, Budget(budget.coefficient, ((y, Integer(1)), *budget.powers[2:])), pair


def factor_law(count: int, name: str) -> Derivation:
    """The compute-optimal envelope of a law of `count` factors, its steps proved from the condition
    that all T_i/w_i agree.
    """
    form, budget = factors(count)
    envelope = derive(form, budget)
    best, alpha = envelope.reducible, envelope.exponent
    equal_terms = {
        t.variable: (t.coefficient / (w * best)) ** (1 / t.exponent)
        for t, w in zip(form.terms, envelope.shares, strict=True)
    }
    last = form.terms[-1]
    x, c = last.variable, budget.exponent(last.variable)
    steps = (
        Claim(
            "exponent",
            1 / alpha,
            "==",
            Add(*(budget.exponent(t.variable) / t.exponent for t in form.terms)),
            "The reciprocal exponents add up, weighted by the powers in the budget.",
        ),
        Claim(
            "compute",
            budget.compute(equal_terms),
            "==",
            sym.C,
            "x_i = (A_i/(w_i R*))^(1/b_i) spends exactly C.",
        ),
        *(
            Claim(
                f"allocation_{i}",
                equal_terms[t.variable],
                "==",
                envelope.optimum(t.variable),
                f"x_{i} solves the balance equations, which are linear in the logarithms.",
            )
            for i, t in enumerate(form.terms, 1)
        ),
        Claim(
            "loss",
            form.reducible.subs(equal_terms),
            "==",
            best,
            "The terms are w_i R* and the shares add up to 1.",
        ),
        Claim(
            "balance",
            last.exponent * last.expression.subs(x, envelope.optimum(x)) / c,
            "==",
            alpha * best,
            "b_i T_i/c_i = alpha R*, shown for the last factor; all factors enter alike.",
        ),
        Claim(
            "growth",
            envelope.optimum(x) / envelope.optimum(x).subs(sym.C, 1),
            "==",
            sym.C ** (alpha / last.exponent),
            "x_i* grows as C^(alpha/b_i).",
        ),
        Claim(
            "global_minimum",
            form.reducible,
            ">=",
            best.subs(sym.C, budget.compute()),
            "Weighted AM-GM with the weights w_i; equality iff all T_i/w_i agree.",
            ByWeightedAmGm(tuple(t.expression for t in form.terms), envelope.shares),
        ),
    )
    return Derivation(
        name=name,
        title=f"Laws of {count} factors",
        assumptions=(
            f"R = sum_i T_i, T_i = A_i x_i^-b_i with positive coefficients and exponents, i = 1 .. "
            f"{count}",
            "C = kappa prod_i x_i^c_i with kappa, c_i > 0",
        ),
        statement=(
            r"\frac1\alpha = \sum_i \frac{c_i}{b_i},\quad w_i = \frac{\alpha c_i}{b_i},\quad "
            r"R^* = \Bigl(\frac{\kappa}{C}\Bigr)^{\alpha}\prod_i\Bigl(\frac{A_i}{w_i}\Bigr)^{w_i},\quad "
            r"x_i^* = \Bigl(\frac{A_i}{w_i R^*}\Bigr)^{1/b_i}"
        ),
        steps=steps,
        source="Duffin, Peterson and Zener 1967, Geometric Programming: degree of difficulty 0.",
        follows="The step from m to m + 1 is the merging of two factors.",
    )
