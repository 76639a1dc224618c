"""The formulas of pass@k and of downstream accuracy that numbers are computed from; `codegen` prints
them as functions of arrays.

Coefficients have the names that fits give them: E, C0, alpha of a compute law; A, B, beta, gamma of
a params+tokens law; xi0, K0, kappa of the law in the gold reference's negative log likelihood g =
Eg + Gg C^-ag. Laws at two k carry the indices 1 and 2.

Accuracy is Q = Q_r + (1 - Q_r) exp(-E - R): R is the reducible part of -log of normalised accuracy,
E its irreducible part, Q_r the accuracy of guessing. Off the optimum of a budget R becomes P R; the
excess penalty is P - 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol, exp, log

from ..accuracy import AccuracyPenaltyForm
from ..algebra import symbols as sym
from ..broken import BreakInLogs, broken_power_law
from ..passk import (
    DRAWS,
    BilinearForm,
    GoldComposition,
    cross_allocation,
    local_exponent,
    turning_compute,
)
from ..ray import ray
from .formulas import GeneratedFormula


def passk_formulas() -> tuple[GeneratedFormula, ...]:
    """Every formula of pass@k that is printed."""
    c1, alpha1, c2, alpha2 = _positive("C0_1 alpha_1 C0_2 alpha_2")
    return (
        GeneratedFormula(
            "local_exponent",
            local_exponent(sym.E, sym.C0, sym.ALPHA),
            (sym.C,),
            "Local exponent -dlog y/dlog C = alpha (1 - E/y) of y = E + C0 C^-alpha.",
        ),
        GeneratedFormula(
            "log_turning_compute",
            log(turning_compute((c1, alpha1), (c2, alpha2))),
            (),
            "Compute at which the difference of two laws, each with a floor or without, turns: "
            "its logarithm.",
        ),
        *_of_bilinear_law(),
        *_of_composition(),
        GeneratedFormula(
            "log_size_ratio_across",
            log(cross_allocation().size_ratio),
            (sym.C,),
            "Logarithm of N*_1(C)/N*_2(C).",
        ),
    )


def _positive(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())


def _of_bilinear_law() -> Iterator[GeneratedFormula]:
    log_A, a, b, d = (Symbol(name, real=True) for name in ("log_A", "a", "b", "d"))
    law = BilinearForm(exp(log_A), a, b, d)
    for name, value, at, summary in (
        ("log_value", law.log_value, (sym.C, DRAWS), "log(-log pass@k)."),
        (
            "compute_exponent",
            law.compute_exponent,
            (DRAWS,),
            "the exponent of compute at fixed k.",
        ),
        ("draws_exponent", law.draws_exponent, (sym.C,), "the exponent of k at fixed compute."),
        (
            "log_crossing",
            log(law.crossing),
            (),
            "logarithm of the compute at which the curves of all k cross.",
        ),
    ):
        yield GeneratedFormula(f"bilinear_{name}", value, at, f"Bilinear law: {summary}")


def _of_composition() -> Iterator[GeneratedFormula]:
    k0, kappa, gg, ag, positive_floor = _positive("K0 kappa Gg ag Eg")
    xi, any_floor = (Symbol(name, nonnegative=True) for name in ("xi0", "Eg"))
    either = GoldComposition(xi, k0, kappa, any_floor, gg, ag)
    floored = GoldComposition(xi, k0, kappa, positive_floor, gg, ag)
    _, bare_coefficient, bare_exponent = either.without_gold_floor
    limit, slope, _ = floored.with_gold_floor
    for name, value, at, summary in (
        ("gold", either.gold, (sym.C,), "Negative log likelihood g of the gold reference."),
        (
            "composed",
            either.value,
            (sym.C,),
            "-log pass@k by way of the gold reference's likelihood.",
        ),
        (
            "composed_coefficient_without_floor",
            bare_coefficient,
            (),
            "C0 of the composed law for Eg = 0.",
        ),
        (
            "composed_exponent_without_floor",
            bare_exponent,
            (),
            "Exponent of the composed law for Eg = 0.",
        ),
        ("composed_floor", limit, (), "E0 of the composed law for Eg > 0."),
        (
            "composed_coefficient",
            slope,
            (),
            "C0 of the composed law for Eg > 0, to leading order.",
        ),
    ):
        yield GeneratedFormula(name, value, at, summary)
    ahead = 1 + floored.above_floor
    yield GeneratedFormula(
        "composed_reducible",
        floored.reducible,
        (sym.C,),
        "-log pass@k - E0 of the composed law for Eg > 0.",
        k0 * positive_floor**kappa * (ahead**kappa - 1),
    )
    yield GeneratedFormula(
        "composed_local_exponent",
        floored.local_exponent,
        (sym.C,),
        "Local exponent -dlog(y - E0)/dlog C of the composed law y for Eg > 0.",
        kappa * ag * (1 - 1 / ahead) / (1 - ahead**-kappa),
    )


def accuracy_formulas() -> tuple[GeneratedFormula, ...]:
    """Every formula of downstream accuracy that is printed as a function of arrays."""
    reducible, positive_excess = _positive("reducible excess_penalty")
    excess, baseline = (
        Symbol(name, nonnegative=True) for name in ("excess_penalty", "random_baseline")
    )
    law = AccuracyPenaltyForm(reducible, excess, sym.E, baseline)
    worst = AccuracyPenaltyForm(reducible, positive_excess, sym.E, baseline)
    return (
        GeneratedFormula(
            "accuracy_lost",
            law.safe_lost,
            (reducible, excess),
            "Accuracy at the optimum of a budget minus accuracy off it; 0.01 is one point.",
            law.lost,
        ),
        GeneratedFormula(
            "greatest_accuracy_lost",
            worst.safe_greatest_lost,
            (positive_excess,),
            "Accuracy lost off the optimum, at the budget where it is greatest.",
            worst.greatest_lost,
        ),
        GeneratedFormula(
            "ceiling",
            law.safe_accuracy_at(reducible).subs(reducible, 0),
            (),
            "Accuracy for unlimited compute.",
            law.ceiling,
        ),
        *_of_rays(),
    )


def _of_rays() -> Iterator[GeneratedFormula]:
    line, t = ray(), sym.TOKENS_PER_PARAM
    back = broken_power_law(line)
    for letter, value, what in (
        ("c0", back.c0, "exponent c0"),
        ("c1", back.c1, "change of exponent c1"),
        ("f1", back.f1, "width f1"),
    ):
        yield GeneratedFormula(
            f"{letter}_of_ray",
            value,
            (),
            f"The {what} of the broken law of a ray, for beta above gamma.",
        )
    tokens = line.envelope.form.terms[1].expression.subs(sym.D, line.tokens).subs(sym.C, 1)
    for name, value, what in (
        (
            "log_b_of_ray_from_tokens",
            tokens,
            "coefficient b of the broken law of a ray, for gamma above beta",
        ),
        ("log_b_of_ray", back.b, "coefficient b of the broken law of a ray"),
        ("log_break_of_ray", back.d1, "break d1 of the broken law of a ray"),
    ):
        yield GeneratedFormula(name, log(value), (t,), f"Logarithm of the {what}.")


def break_parts() -> dict[str, Expr]:
    """log of a break's factor and its derivatives, by name, in change c, distance x = log C - log d
    and width f.
    """
    change, distance = (Symbol(name, real=True) for name in ("change", "distance"))
    part = BreakInLogs(change, distance, Symbol("width", positive=True))
    first = dict(zip(("c", "x", "f"), part.first, strict=True))
    return {"value": part.value, **first, **part.second}
