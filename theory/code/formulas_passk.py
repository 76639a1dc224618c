"""The formulas of pass@k that numbers are computed from; `codegen` prints them as functions of
arrays.

Coefficients have the names that fits give them: E, C0, alpha of a compute law; A, B, beta, gamma of
a params+tokens law; xi0, K0, kappa of the law in the gold reference's negative log likelihood g =
Eg + Gg C^-ag. Laws at two k carry the indices 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Symbol, exp, log

from ..algebra import symbols as sym
from ..passk import (
    DRAWS,
    KRAJEWSKI,
    SCHAEFFER,
    BilinearForm,
    GoldComposition,
    cross_allocation,
    local_exponent,
    turning_compute,
)
from .formulas import GeneratedFormula

COMPOSITION = f"{SCHAEFFER}; isoflop.derivations.passk.gold_law_composition"
NATS = "nats"


def passk_formulas() -> tuple[GeneratedFormula, ...]:
    """Every formula of pass@k that is printed."""
    return (
        *_of_floors(),
        *_of_crossings(),
        *_of_bilinear_law(),
        *_of_composition(),
        *_of_allocation(),
    )


def _positive(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())


def _of_floors() -> Iterator[GeneratedFormula]:
    yield GeneratedFormula(
        "local_exponent",
        local_exponent(sym.E, sym.C0, sym.ALPHA),
        (sym.C,),
        "Local exponent -dlog y/dlog C = alpha (1 - E/y) of y = E + C0 C^-alpha.",
        "1",
        "differentiation; isoflop.derivations.passk.laws_with_floors_cross_at_most_twice",
    )


def _of_crossings() -> Iterator[GeneratedFormula]:
    c1, alpha1, c2, alpha2 = _positive("C0_1 alpha_1 C0_2 alpha_2")
    yield GeneratedFormula(
        "log_turning_compute",
        log(turning_compute((c1, alpha1), (c2, alpha2))),
        (),
        "Compute at which the difference of two laws, each with a floor or without, turns: "
        "its logarithm.",
        "1",
        f"{SCHAEFFER}, for exponents that depend on k; "
        "isoflop.derivations.laws_with_floors_cross_at_most_twice",
    )


def _of_bilinear_law() -> Iterator[GeneratedFormula]:
    names = ("log_A", "a", "b", "d")
    log_A, a, b, d = (Symbol(name, real=True) for name in names)
    law = BilinearForm(exp(log_A), a, b, d)
    source = f"{KRAJEWSKI}, equation 5; isoflop.derivations.passk.bilinear_law_crosses_once"
    for name, value, at, summary in (
        ("log_value", law.log_value, (sym.C, DRAWS), "Bilinear law: log(-log pass@k)."),
        (
            "compute_exponent",
            law.compute_exponent,
            (DRAWS,),
            "Bilinear law: the exponent of compute at fixed k.",
        ),
        (
            "draws_exponent",
            law.draws_exponent,
            (sym.C,),
            "Bilinear law: the exponent of k at fixed compute.",
        ),
        (
            "log_crossing",
            log(law.crossing),
            (),
            "Bilinear law: logarithm of the compute at which the curves of all k cross.",
        ),
    ):
        yield GeneratedFormula(f"bilinear_{name}", value, at, summary, "1", source)


def _of_composition() -> Iterator[GeneratedFormula]:
    k0, kappa, gg, ag, positive_floor = _positive("K0 kappa Gg ag Eg")
    xi, any_floor = (Symbol(name, nonnegative=True) for name in ("xi0", "Eg"))
    either = GoldComposition(xi, k0, kappa, any_floor, gg, ag)
    floored = GoldComposition(xi, k0, kappa, positive_floor, gg, ag)
    _, bare_coefficient, bare_exponent = either.without_gold_floor
    limit, slope, _ = floored.with_gold_floor
    for name, value, at, summary, unit in (
        ("gold", either.gold, (sym.C,), "Negative log likelihood g of the gold reference.", NATS),
        (
            "composed",
            either.value,
            (sym.C,),
            "-log pass@k by way of the gold reference's likelihood.",
            NATS,
        ),
        (
            "composed_coefficient_without_floor",
            bare_coefficient,
            (),
            "C0 of the composed law for Eg = 0.",
            NATS,
        ),
        (
            "composed_exponent_without_floor",
            bare_exponent,
            (),
            "Exponent of the composed law for Eg = 0.",
            "1",
        ),
        ("composed_floor", limit, (), "E0 of the composed law for Eg > 0.", NATS),
        (
            "composed_coefficient",
            slope,
            (),
            "C0 of the composed law for Eg > 0, to leading order.",
            NATS,
        ),
    ):
        yield GeneratedFormula(name, value, at, summary, unit, COMPOSITION)
    ahead = 1 + floored.above_floor
    source = f"{SCHAEFFER}; isoflop.derivations.passk.gold_law_local_exponent"
    for name, value, at, summary, unit, shown in (
        (
            "composed_reducible",
            floored.reducible,
            (sym.C,),
            "-log pass@k - E0 of the composed law for Eg > 0.",
            NATS,
            k0 * positive_floor**kappa * (ahead**kappa - 1),
        ),
        (
            "composed_local_exponent",
            floored.local_exponent,
            (sym.C,),
            "Local exponent -dlog(y - E0)/dlog C of the composed law y for Eg > 0.",
            "1",
            kappa * ag * (1 - 1 / ahead) / (1 - ahead**-kappa),
        ),
    ):
        yield GeneratedFormula(name, value, at, summary, unit, source, shown)


def _of_allocation() -> Iterator[GeneratedFormula]:
    yield GeneratedFormula(
        "log_size_ratio_across",
        log(cross_allocation().size_ratio),
        (sym.C,),
        "Logarithm of N*_1(C)/N*_2(C).",
        "1",
        f"{SCHAEFFER}; isoflop.derivations.allocation_across_k",
    )
