"""The formulas of downstream accuracy that numbers are computed from; `codegen` prints them as
functions of arrays.

Accuracy is Q = Q_r + (1 - Q_r) exp(-E - R): R is the reducible part of -log of normalised accuracy,
E its irreducible part, Q_r the accuracy of guessing. Off the optimum of a budget R becomes P R; the
excess penalty is P - 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol, log

from ..accuracy import AccuracyCeiling, AccuracyPenalty
from ..algebra import symbols as sym
from ..broken import CABALLERO, BreakInLogs, OneBreak, broken_power_law, two_terms
from ..passk import KRAJEWSKI
from ..ray import ray
from .formulas import Formula
from .formulas_passk import NATS

ACCURACY = "accuracy, 0 to 1"


def accuracy_formulas() -> tuple[Formula, ...]:
    """Every formula of downstream accuracy that is printed as a function of arrays."""
    return (*_of_penalty(), *_of_ceiling(), *_of_rays())


def _symbols() -> tuple[Symbol, Symbol, Symbol, Symbol]:
    reducible, baseline = (
        Symbol("reducible", positive=True),
        Symbol("random_baseline", nonnegative=True),
    )
    return reducible, Symbol("excess_penalty", nonnegative=True), sym.E, baseline


def _of_penalty() -> Iterator[Formula]:
    reducible, excess, irreducible, baseline = _symbols()
    positive_excess = Symbol("excess_penalty", positive=True)
    law = AccuracyPenalty(reducible, excess, irreducible, baseline)
    worst = AccuracyPenalty(reducible, positive_excess, irreducible, baseline)
    at, source = (reducible, excess), "isoflop.derivations.accuracy.accuracy_penalty"
    yield Formula(
        "accuracy_at",
        law.safe_accuracy_at(reducible),
        (reducible,),
        "Accuracy where the reducible part of -log of normalised accuracy is R.",
        ACCURACY,
        f"{KRAJEWSKI}, equations 3 and 10",
        law.optimal,
    )
    yield Formula(
        "accuracy_off_optimum",
        law.safe_accuracy_at(law.penalty * reducible),
        at,
        "Accuracy off the optimum of a budget, where R becomes P R.",
        ACCURACY,
        source,
        law.off_optimum,
    )
    yield Formula(
        "accuracy_lost",
        law.safe_lost,
        at,
        "Accuracy at the optimum of a budget minus accuracy off it; 0.01 is one point.",
        ACCURACY,
        source,
        law.lost,
    )
    yield Formula(
        "greatest_accuracy_lost",
        worst.safe_greatest_lost,
        (positive_excess,),
        "Accuracy lost off the optimum, at the budget where it is greatest.",
        ACCURACY,
        source,
        worst.greatest_lost,
    )
    yield Formula(
        "reducible_at_greatest_lost",
        worst.safe_worst_reducible,
        (positive_excess,),
        "R at the optimum of the budget where the accuracy lost is greatest; tends to 1 as P does.",
        NATS,
        source,
        worst.worst_reducible,
    )


def _of_ceiling() -> Iterator[Formula]:
    reducible, excess, irreducible, baseline = _symbols()
    curve = AccuracyCeiling(irreducible, sym.C0, sym.ALPHA, baseline)
    law = AccuracyPenalty(reducible, excess, irreducible, baseline)
    source = f"{KRAJEWSKI}, equation 10; isoflop.derivations.accuracy.accuracy_ceiling"
    yield Formula(
        "ceiling",
        law.safe_accuracy_at(reducible).subs(reducible, 0),
        (),
        "Accuracy for unlimited compute.",
        ACCURACY,
        source,
        law.ceiling,
    )
    inflection = f"{KRAJEWSKI}, equation 10; isoflop.derivations.accuracy.accuracy_inflection"
    yield Formula(
        "inflection_compute",
        curve.inflection,
        (),
        "Compute at which accuracy grows fastest in log C.",
        "FLOP",
        inflection,
    )
    yield Formula(
        "log_inflection_compute",
        log(curve.inflection),
        (),
        "Compute at which accuracy grows fastest in log C: its logarithm.",
        "1",
        inflection,
    )
    yield Formula(
        "accuracy_at_inflection",
        law.safe_accuracy_at(reducible).subs(reducible, 1),
        (),
        "Accuracy where it grows fastest in log C.",
        ACCURACY,
        inflection,
        curve.at_inflection,
    )
    yield Formula(
        "steepest_slope",
        curve.safe_steepest,
        (),
        "dQ/dlog C where it is greatest: accuracy per e-fold of compute.",
        "1",
        inflection,
        curve.steepest,
    )


def _of_rays() -> Iterator[Formula]:
    b, p, q, d1 = (Symbol(name, positive=True) for name in ("b", "p", "q", "d1"))
    line = ray()
    terms, back = two_terms(line, b, d1, p, q), broken_power_law(line)
    forward = f"{CABALLERO}; isoflop.derivations.data.broken_power_law_as_a_ray"
    backward = f"{CABALLERO}; isoflop.derivations.data.ray_is_a_broken_power_law"
    t = sym.TOKENS_PER_PARAM
    yield Formula(
        "log_A_of_ray",
        log(terms.A),
        (t,),
        "log A of the two-term law behind a broken law.",
        "1",
        forward,
    )
    yield Formula(
        "log_B_of_ray",
        log(terms.B),
        (t,),
        "log B of the two-term law behind a broken law.",
        "1",
        forward,
    )
    yield Formula(
        "beta_of_ray",
        terms.beta,
        (),
        "Exponent beta of the two-term law behind a broken law.",
        "1",
        forward,
    )
    yield Formula(
        "gamma_of_ray",
        terms.gamma,
        (),
        "Exponent gamma of the two-term law behind a broken law.",
        "1",
        forward,
    )
    for letter, value, what in (
        ("c0", back.c0, "exponent c0"),
        ("c1", back.c1, "change of exponent c1"),
        ("f1", back.f1, "width f1"),
    ):
        yield Formula(
            f"{letter}_of_ray",
            value,
            (),
            f"The {what} of the broken law of a ray, for beta above gamma.",
            "1",
            backward,
        )
    tokens = line.envelope.form.terms[1].expression.subs(sym.D, line.tokens).subs(sym.C, 1)
    yield Formula(
        "log_b_of_ray_from_tokens",
        log(tokens),
        (t,),
        "Logarithm of the coefficient b of the broken law of a ray, for gamma above beta.",
        "1",
        backward,
    )
    law = OneBreak(a=sym.E, b=b, c0=p, c1=q - p, d1=d1, f1=1 / (p - q)).law
    yield Formula(
        "log_b_reversed",
        log(law.last_coefficient),
        (),
        "Logarithm of the coefficient of a one-break law well above its break.",
        "1",
        f"{CABALLERO}; isoflop.derivations.data.broken_power_law_with_several_breaks",
    )
    yield Formula(
        "log_b_of_ray",
        log(back.b),
        (t,),
        "Logarithm of the coefficient b of the broken law of a ray.",
        "1",
        backward,
    )
    yield Formula(
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
