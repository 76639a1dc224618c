"""For any run of any size the loss over the optimal loss at its own compute is sum w_i r_i^-b_i, and at least 1."""

from __future__ import annotations

from sympy import Add, Integer, Mul, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.factors import factors
from isoflop.theory.penalty import penalty_of_ratios
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """R(x)/R*(C(x)) from the law for two and three factors, the bound, and the second-order form in the s_i = log r_i."""
    steps = []
    for count in (2, 3):
        form, budget = factors(count)
        envelope = derive(form, budget)
        ratios, penalty = penalty_of_ratios(envelope)
        spent = budget.compute()
        of_run = {
            r: x / best.subs(sym.C, spent)
            for r, x, best in zip(ratios, form.variables, envelope.allocation, strict=True)
        }
        powers = [budget.exponent(x) for x in form.variables]
        logs = [Symbol(f"s_{i}", real=True) for i in range(1, count)]
        last = -Add(*(c * s for c, s in zip(powers, logs, strict=False))) / powers[-1]
        kept = dict(zip(ratios, (exp(s) for s in (*logs, last)), strict=True))
        along = penalty.subs(kept)
        direction = Symbol("tau", real=True)
        moved = {
            x: best * exp(direction * s)
            for x, best, s in zip(form.variables, envelope.allocation, (*logs, last), strict=True)
        }
        line = form.reducible.subs(moved) / envelope.reducible
        quadratic = Add(
            *(
                w * t.exponent**2 * s**2
                for w, t, s in zip(envelope.shares, form.terms, (*logs, last), strict=True)
            )
        )
        weighted = tuple(
            w * r**-t.exponent
            for w, r, t in zip(envelope.shares, kept.values(), form.terms, strict=True)
        )
        steps += [
            Claim(
                f"penalty_{count}",
                form.reducible / envelope.reducible.subs(sym.C, spent),
                "==",
                penalty.subs(of_run),
                f"{count} factors: with r_i = x_i/x_i*(C(x)) every run has R/R* = sum_i w_i r_i^-b_i.",
            ),
            Claim(
                f"on_budget_{count}",
                Mul(*(of_run[r] ** c for r, c in zip(ratios, powers, strict=True))),
                "==",
                Integer(1),
                f"{count} factors: these ratios satisfy prod_i r_i^c_i = 1.",
            ),
            Claim(
                f"at_least_one_{count}",
                along,
                ">=",
                Integer(1),
                f"{count} factors: with prod_i r_i^c_i = 1 the geometric mean is 1.",
                ByWeightedAmGm(weighted, envelope.shares),
            ),
            Claim(
                f"first_order_{count}",
                line.diff(direction).subs(direction, 0),
                "==",
                Integer(0),
                f"{count} factors: no first order in the s_i.",
            ),
            Claim(
                f"second_order_{count}",
                line.diff(direction, 2).subs(direction, 0),
                "==",
                quadratic,
                f"{count} factors: P = 1 + (1/2) sum_i w_i b_i^2 s_i^2 + ...",
            ),
            Claim(
                f"definite_{count}",
                quadratic,
                ">=",
                Integer(0),
                f"{count} factors: the quadratic form is a sum of squares.",
                ByPositiveTerms(),
            ),
        ]
    return Derivation(
        name="off_budget_penalty",
        title="The penalty of any run at its own compute",
        assumptions=(
            "R = sum_i A_i x_i^-b_i with positive coefficients and exponents, m = 2, 3",
            "C(x) = kappa prod_i x_i^c_i with c_i > 0",
        ),
        statement=r"\frac{R(x)}{R^*(C(x))} = \sum_i w_i r_i^{-b_i} \ge 1,\quad r_i = \frac{x_i}{x_i^*(C(x))};\qquad P = 1 + "
        r"\tfrac12\sum_i w_i b_i^2 s_i^2 + \dots",
        steps=tuple(steps),
        source="Weighted AM-GM; Schaeffer et al. 2025, arXiv 2509.24012, for two factors.",
        follows="No common budget is needed to compare runs: each is measured at its own compute.",
    )
