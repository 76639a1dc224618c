"""The formulas of downstream accuracy that numbers are computed from; `codegen` prints them as
functions of arrays.

Accuracy is Q = Q_r + (1 - Q_r) exp(-E - R): R is the reducible part of -log of normalised accuracy,
E its irreducible part, Q_r the accuracy of guessing. Off the optimum of a budget R becomes P R; the
excess penalty is P - 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol, log

from ..accuracy import AccuracyPenaltyForm
from ..algebra import symbols as sym
from ..broken import CABALLERO, BreakInLogs, broken_power_law
from ..passk import KRAJEWSKI
from ..ray import ray
from .formulas import GeneratedFormula

ACCURACY = "accuracy, 0 to 1"


def accuracy_formulas() -> tuple[GeneratedFormula, ...]:
    """Every formula of downstream accuracy that is printed as a function of arrays."""
    return (*_of_penalty(), *_of_ceiling(), *_of_rays())


def _symbols() -> tuple[Symbol, Symbol, Symbol, Symbol]:
    reducible, baseline = (
        Symbol("reducible", positive=True),
        Symbol("random_baseline", nonnegative=True),
    )
    return reducible, Symbol("excess_penalty", nonnegative=True), sym.E, baseline


def _of_penalty() -> Iterator[GeneratedFormula]:
    reducible, excess, irreducible, baseline = _symbols()
    positive_excess = Symbol("excess_penalty", positive=True)
    law = AccuracyPenaltyForm(reducible, excess, irreducible, baseline)
    worst = AccuracyPenaltyForm(reducible, positive_excess, irreducible, baseline)
    at, source = (reducible, excess), "isoflop.derivations.accuracy.accuracy_penalty"
    yield GeneratedFormula(
        "accuracy_lost",
        law.safe_lost,
        at,
        "Accuracy at the optimum of a budget minus accuracy off it; 0.01 is one point.",
        ACCURACY,
        source,
        law.lost,
    )
    yield GeneratedFormula(
        "greatest_accuracy_lost",
        worst.safe_greatest_lost,
        (positive_excess,),
        "Accuracy lost off the optimum, at the budget where it is greatest.",
        ACCURACY,
        source,
        worst.greatest_lost,
    )


def _of_ceiling() -> Iterator[GeneratedFormula]:
    reducible, excess, irreducible, baseline = _symbols()
    law = AccuracyPenaltyForm(reducible, excess, irreducible, baseline)
    source = f"{KRAJEWSKI}, equation 10; isoflop.derivations.accuracy.accuracy_ceiling"
    yield GeneratedFormula(
        "ceiling",
        law.safe_accuracy_at(reducible).subs(reducible, 0),
        (),
        "Accuracy for unlimited compute.",
        ACCURACY,
        source,
        law.ceiling,
    )


def _of_rays() -> Iterator[GeneratedFormula]:
    line = ray()
    back = broken_power_law(line)
    backward = f"{CABALLERO}; isoflop.derivations.data.ray_is_a_broken_power_law"
    t = sym.TOKENS_PER_PARAM
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
            "1",
            backward,
        )
    tokens = line.envelope.form.terms[1].expression.subs(sym.D, line.tokens).subs(sym.C, 1)
    yield GeneratedFormula(
        "log_b_of_ray_from_tokens",
        log(tokens),
        (t,),
        "Logarithm of the coefficient b of the broken law of a ray, for gamma above beta.",
        "1",
        backward,
    )
    yield GeneratedFormula(
        "log_b_of_ray",
        log(back.b),
        (t,),
        "Logarithm of the coefficient b of the broken law of a ray.",
        "1",
        backward,
    )
    yield GeneratedFormula(
        "log_break_of_ray",
        log(back.d1),
        (t,),
        "Logarithm of the break d1 of the broken law of a ray.",
        "1",
        backward,
    )


def break_parts() -> dict[str, Expr]:
    """log of a break's factor and its derivatives, by name, in change c, distance x = log C - log d
    and width f.
    """
    change, distance, width = (
        Symbol("change", real=True),
        Symbol("distance", real=True),
        Symbol("width", positive=True),
    )
    part = BreakInLogs(change, distance, width)
    first = dict(zip(("c", "x", "f"), part.first, strict=True))
    return {"value": part.value, **first, **part.second}
