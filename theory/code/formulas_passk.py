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
from ..envelope import derive
from ..passk import (
    DRAWS,
    KRAJEWSKI,
    SCHAEFFER,
    BilinearLaw,
    GoldComposition,
    TrainAgainstSample,
    cross_allocation,
    crossing_compute,
    floor_across,
    floor_of_unsolvable,
    local_exponent,
    safe_floor_across,
    safe_floor_of_unsolvable,
    share_of_unsolvable,
    turning_compute,
)
from ..penalty import misallocation
from .formulas import Formula

COMPOSITION = f"{SCHAEFFER}; isoflop.derivations.passk.gold_law_composition"
NATS = "nats"


def passk_formulas() -> tuple[Formula, ...]:
    """Every formula of pass@k that is printed."""
    return (
        *_of_floors(),
        *_of_crossings(),
        *_of_bilinear_law(),
        *_of_composition(),
        *_of_allocation(),
        *_of_sampling(),
    )


def _positive(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())


def _of_floors() -> Iterator[Formula]:
    share, times = _positive("share m")
    yield Formula(
        "floor_of_unsolvable",
        safe_floor_of_unsolvable(share),
        (),
        "Limit of -log pass@k for k -> infinity where a share of the problems is never solved.",
        NATS,
        f"{SCHAEFFER}; isoflop.derivations.passk.pass_at_k_floor_of_unsolvable_problems",
        floor_of_unsolvable(share),
    )
    yield Formula(
        "share_of_unsolvable",
        share_of_unsolvable(sym.E),
        (),
        "Share of the problems that are never solved, from the limit of -log pass@k.",
        "1",
        f"{SCHAEFFER}; isoflop.derivations.passk.pass_at_k_floor_of_unsolvable_problems",
        1 - exp(-sym.E),
    )
    yield Formula(
        "floor_across",
        safe_floor_across(sym.E, times),
        (),
        "What the limit of -log pass@(m k) is at least, from that of -log pass@k.",
        NATS,
        f"{SCHAEFFER}; isoflop.derivations.passk.irreducible_floor_across_k",
        floor_across(sym.E, times),
    )
    yield Formula(
        "local_exponent",
        local_exponent(sym.E, sym.C0, sym.ALPHA),
        (sym.C,),
        "Local exponent -dlog y/dlog C = alpha (1 - E/y) of y = E + C0 C^-alpha.",
        "1",
        "differentiation; isoflop.derivations.passk.laws_with_floors_cross_at_most_twice",
    )


def _of_crossings() -> Iterator[Formula]:
    c1, alpha1, c2, alpha2 = _positive("C0_1 alpha_1 C0_2 alpha_2")
    laws = (c1, alpha1), (c2, alpha2)
    for name, value, summary, derivation in (
        (
            "crossing",
            crossing_compute(*laws),
            "Compute at which two power laws of -log pass@k cross",
            "crossing_of_two_k",
        ),
        (
            "turning",
            turning_compute(*laws),
            "Compute at which the difference of two laws, each with a floor or without, turns",
            "laws_with_floors_cross_at_most_twice",
        ),
    ):
        source = f"{SCHAEFFER}, for exponents that depend on k; isoflop.derivations.{derivation}"
        yield Formula(f"{name}_compute", value, (), f"{summary}.", "FLOP", source)
        yield Formula(
            f"log_{name}_compute", log(value), (), f"{summary}: its logarithm.", "1", source
        )


def _of_bilinear_law() -> Iterator[Formula]:
    names = ("log_A", "a", "b", "d")
    log_A, a, b, d = (Symbol(name, real=True) for name in names)
    law = BilinearLaw(exp(log_A), a, b, d)
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
            "crossing",
            law.crossing,
            (),
            "Bilinear law: the compute at which the curves of all k cross.",
        ),
        (
            "log_crossing",
            log(law.crossing),
            (),
            "Bilinear law: logarithm of the compute at which the curves of all k cross.",
        ),
        (
            "log_value_at_crossing",
            log(law.value_at_crossing),
            (),
            "Bilinear law: log(-log pass@k) where the curves cross.",
        ),
    ):
        unit = "FLOP" if name == "crossing" else "1"
        yield Formula(f"bilinear_{name}", value, at, summary, unit, source)


def _of_composition() -> Iterator[Formula]:
    k0, kappa, gg, ag, positive_floor, u, error = _positive("K0 kappa Gg ag Eg u error")
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
        (
            "composed_correction",
            floored.correction * sym.C**-ag,
            (sym.C,),
            "Next order of the composed law, relative to the leading one.",
            "1",
        ),
        ("gold_above_floor", floored.above_floor, (sym.C,), "u = (g - Eg)/Eg.", "1"),
        (
            "gold_compute",
            floored.compute_where(u),
            (u,),
            "Compute at which (g - Eg)/Eg has a given value.",
            "FLOP",
        ),
    ):
        yield Formula(name, value, at, summary, unit, COMPOSITION)
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
        (
            "composed_leading_ratio",
            floored.leading_ratio(u),
            (u,),
            "(y - E0)/(C0 C^-ag) of the composed law y for Eg > 0.",
            "1",
            ((1 + u) ** kappa - 1) / (kappa * u),
        ),
        (
            "composed_bare_limit",
            floored.bare_limit(error),
            (error,),
            "Compute up to which y - xi0 exceeds K0 (Gg C^-ag)^kappa by at most a given share.",
            "FLOP",
            (gg / positive_floor * ((1 + error) ** (1 / kappa) - 1)) ** (1 / ag),
        ),
    ):
        yield Formula(name, value, at, summary, unit, source, shown)


def _of_allocation() -> Iterator[Formula]:
    pair = cross_allocation()
    for name, value, at, summary, unit, derivation in (
        (
            "log_size_ratio_across",
            log(pair.size_ratio),
            (sym.C,),
            "Logarithm of N*_1(C)/N*_2(C).",
            "1",
            "allocation_across_k",
        ),
        (
            "leading_excess",
            misallocation(derive()).series(2).coeff(sym.LOG_SIZE_RATIO, 2) * sym.LOG_SIZE_RATIO**2,
            (sym.LOG_SIZE_RATIO,),
            "Excess penalty P - 1 to leading order in the logarithm of the size ratio.",
            "1",
            "allocation_across_k_expansion",
        ),
        (
            "log_compute_of_agreement",
            log(pair.agreement),
            (),
            "Logarithm of the compute at which two laws allocate alike, where their exponents of "
            "N*(C) differ.",
            "1",
            "allocation_across_k_expansion",
        ),
    ):
        yield Formula(
            name, value, at, summary, unit, f"{SCHAEFFER}; isoflop.derivations.{derivation}"
        )


def _of_sampling() -> Iterator[Formula]:
    c0, d, b, target, price, a = _positive("c0 d b fail nu a")
    problem = TrainAgainstSample(c0, d, b, target, price, a)
    source = "isoflop.derivations.passk.train_longer_or_sample_more"
    for name, value, at, summary, unit in (
        (
            "compute",
            problem.compute,
            (target,),
            "Training compute of least C + nu C^a k at a given fail@k.",
            "FLOP",
        ),
        (
            "draws",
            problem.draws,
            (target, sym.C),
            "Number of samples k that reach a given fail@k at compute C.",
            "1",
        ),
        ("share", problem.share, (), "Cost of sampling over cost of training at the optimum.", "1"),
        (
            "single_draw",
            problem.single_draw,
            (target,),
            "Training compute that reaches a given fail@k with one sample.",
            "FLOP",
        ),
    ):
        yield Formula(f"train_or_sample_{name}", value, at, summary, unit, source)
