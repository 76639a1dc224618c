"""The formulas of pass@k and of downstream accuracy that numbers are computed from; `codegen` prints
them as functions of arrays.

Coefficients have the names of the fits: E, C0, alpha for a compute law; A, B, beta, gamma for a
params+tokens law. Laws at two k have the indices 1 and 2.

Accuracy is Q = Q_r + (1 - Q_r) exp(-E - R): R is the reducible part of -log of normalised accuracy,
E its irreducible part, Q_r the accuracy of guessing. Off the optimum of a budget R becomes P R; the
excess penalty is P - 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Symbol, exp, log

from ..accuracy import AccuracyPenaltyForm
from ..kernel import symbols as sym
from ..passk import DRAWS, BilinearForm, turning_compute
from .formulas import GeneratedFormula


def passk_formulas() -> Iterator[GeneratedFormula]:
    """The formulas of pass@k."""
    c1, alpha1, c2, alpha2 = _positive("C0_1 alpha_1 C0_2 alpha_2")
    yield GeneratedFormula(
        "log_turning_compute",
        log(turning_compute((c1, alpha1), (c2, alpha2))),
        (),
        "Compute at which the difference of two laws, each with a floor or without, turns: its "
        "logarithm.",
    )
    log_A, a, b, d = (Symbol(name, real=True) for name in ("log_A", "a", "b", "d"))
    law, C, k = BilinearForm(exp(log_A), a, b, d), sym.C, DRAWS
    crossing = "logarithm of the compute at which the curves of all k cross."
    for name, value, at, summary in (
        ("log_value", law.log_value, (C, k), "log(-log pass@k)."),
        ("log_crossing", log(law.crossing), (), crossing),
    ):
        yield GeneratedFormula(f"bilinear_{name}", value, at, f"Bilinear law: {summary}")


def _positive(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())


def accuracy_formulas() -> Iterator[GeneratedFormula]:
    """The formulas of downstream accuracy."""
    reducible, positive_excess = _positive("reducible excess_penalty")
    excess, baseline = (
        Symbol(name, nonnegative=True) for name in ("excess_penalty", "random_baseline")
    )
    law = AccuracyPenaltyForm(reducible, excess, sym.E, baseline)
    worst = AccuracyPenaltyForm(reducible, positive_excess, sym.E, baseline)
    yield GeneratedFormula(
        "accuracy_lost",
        law.safe_lost,
        (reducible, excess),
        "Accuracy at the optimum of a budget minus accuracy off it; 0.01 is one point.",
        law.lost,
    )
    yield GeneratedFormula(
        "greatest_accuracy_lost",
        worst.safe_greatest_lost,
        (positive_excess,),
        "Accuracy lost off the optimum, at the budget where it is greatest.",
        worst.greatest_lost,
    )
    ceiling = law.safe_accuracy_at(reducible).subs(reducible, 0)
    yield GeneratedFormula("ceiling", ceiling, (), "Accuracy for unlimited compute.", law.ceiling)
