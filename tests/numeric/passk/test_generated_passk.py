"""The generated functions of pass@k against the displayed formulas with 60 digits, at random points and at the ends."""

import inspect
import math
import random
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Symbol

from isoflop.numeric._generated import passk as generated
from isoflop.theory.algebra import decide
from isoflop.theory.algebra.functions import defined, expm1, log1p
from isoflop.theory.code.codegen import arguments_of
from isoflop.theory.code.formulas import argument_name
from isoflop.theory.code.formulas_passk import passk_formulas
from isoflop.theory.passk import log1mexp

MP = mpmath.mp.clone()
MP.dps = 60
POINTS = 25
ULPS = 8  # a logarithm and an exponential in plain float64 on the way, times the condition of the last exponential
EPS = 2.0**-52

DRAWN = {
    "compute": (1e15, 1e26),
    "share": (1e-9, 0.9),
    "E": (1e-2, 30.0),
    "C0_1": (1.0, 1e3),
    "alpha_1": (0.1, 0.2),
    "C0_2": (1e3, 1e8),
    "alpha_2": (0.3, 0.4),
    "C0": (1.0, 1e8),
    "Eg": (1e-3, 1.0),
    "Gg": (10.0, 1e4),
    "ag": (0.05, 0.4),
    "u": (1e-9, 1e9),
    "error": (1e-6, 10.0),
    "k": (1.0, 1e4),
    "m": (1.0, 10.0),
    "fail": (1e-6, 0.5),
    "d": (0.5, 0.9),  # d/b above a
    "b": (0.2, 0.5),
    "a": (0.1, 0.8),
}


@cache
def registry():
    return {formula.name: formula for formula in passk_formulas()}


def shown(formula):
    return formula.shown if formula.shown is not None else formula.expression


FUNCTIONS = {
    sympy.exp: MP.exp,
    sympy.log: MP.log,
    expm1: lambda x: MP.exp(x) - 1,
    log1p: lambda x: MP.log(1 + x),
    log1mexp: lambda x: MP.log(1 - MP.exp(x)),
}


def exact(e, point):
    """The expression at a point, by walking its tree."""
    if e.is_Symbol:
        return MP.mpf(point[argument_name(e)])
    if e.is_Rational:
        return MP.mpf(int(e.p)) / int(e.q)
    parts = [exact(part, point) for part in e.args]
    if e.is_Add:
        return MP.fsum(parts)
    if e.is_Mul:
        return MP.fprod(parts)
    return MP.power(*parts) if e.is_Pow else FUNCTIONS[e.func](*parts)


def points(formula):
    rng = random.Random(formula.name)
    for _ in range(POINTS):
        yield {
            argument_name(symbol): math.exp(rng.uniform(*map(math.log, DRAWN.get(argument_name(symbol), (0.1, 3.0)))))
            for symbol in arguments_of(formula)
        }


def close(found, reference, ulps=ULPS):
    return abs(MP.mpf(float(found)) - reference) <= ulps * EPS * abs(reference) * (1 + abs(MP.log(abs(reference))))


@pytest.mark.parametrize("name", registry())
def test_the_function_computes_the_displayed_formula(name):
    formula = registry()[name]
    drawn = list(points(formula))
    columns = {key: np.array([point[key] for point in drawn]) for key in drawn[0]}
    vector = getattr(generated, name)(**columns)
    assert vector.shape == (POINTS,)
    for found, point in zip(vector, drawn, strict=True):
        reference = exact(shown(formula), point)
        assert close(found, reference), point
        assert close(getattr(generated, name)(**point), reference)


@pytest.mark.parametrize("name", [name for name, formula in registry().items() if formula.shown is not None])
def test_the_evaluated_form_is_proved_equal_to_the_displayed_one(name):
    formula = registry()[name]
    positive = {symbol: Symbol(symbol.name, positive=True) for symbol in formula.expression.free_symbols}
    evaluated, displayed = defined(formula.expression).xreplace(positive), formula.shown.xreplace(positive)
    share, E, error, kappa, m = (Symbol(x, positive=True) for x in ("share", "E", "error", "kappa", "m"))
    assume = {
        "floor_of_unsolvable": (1 - share,),
        "floor_across": (1 - sympy.exp(-E), 1 - (1 - sympy.exp(-E)) ** m),
        "composed_bare_limit": ((1 + error) ** (1 / kappa) - 1,),
    }
    decision = decide(evaluated, displayed, assume=assume.get(name, ()))
    assert decision.proved, str(decision)


def test_every_docstring_states_formula_arguments_and_source():
    for name, formula in registry().items():
        text = inspect.getdoc(getattr(generated, name)) or ""
        assert f"\n    {name} = " in text
        assert all(f"\n{argument_name(symbol)} : array_like\n" in text for symbol in arguments_of(formula))
        assert "Source: " in text
        assert "xponent of N in the budget" not in text


def test_logarithms_survive_huge_coefficients():
    found = generated.log_crossing_compute(C0_1=1.0, alpha_1=0.1, C0_2=1e300, alpha_2=0.1001)
    assert found == pytest.approx(300 * math.log(10) / (0.1001 - 0.1), rel=1e-12)
    assert generated.crossing_compute(C0_1=1e290, alpha_1=0.5, C0_2=1e300, alpha_2=1.0) == pytest.approx(1e20, rel=1e-12)
    assert generated.local_exponent(compute=1e-3, E=1.0, C0=1e300, alpha=0.5) == pytest.approx(0.5, rel=1e-14)


@pytest.mark.parametrize("floor", [1e-300, 1e-12, 1e-3, 1.0, 40.0, 300.0, 700.0])
@pytest.mark.parametrize("times", [1.0, 2.0, 64.0, 1e4])
def test_floor_across_keeps_its_digits(floor, times):
    with MP.workdps(700):
        reference = -MP.log1p(-MP.exp(times * MP.log1p(-MP.exp(-MP.mpf(floor)))))
        found = generated.floor_across(E=floor, m=times)
        if reference < 1e-300:
            assert 0.0 <= found <= 1e-299
        else:
            assert abs(found - reference) <= 40 * times * EPS * reference  # (1 - e^-E)^m amplifies an error of log(1 - e^-E)


def test_floor_across_of_no_floor_is_none():
    assert generated.floor_across(E=0.0, m=10.0) == 0.0
    assert generated.share_of_unsolvable(E=0.0) == 0.0


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("crossing_compute", {"C0_1": 0.0, "alpha_1": 0.1, "C0_2": 1.0, "alpha_2": 0.2}, "C0_1=0.0: must be a positive"),
        ("crossing_compute", {"C0_1": 1.0, "alpha_1": 0.2, "C0_2": 2.0, "alpha_2": 0.2}, "must be a number"),
        ("floor_of_unsolvable", {"share": 1.0}, "must be positive"),
        ("composed", {"compute": 1e20, "xi0": -1.0, "K0": 1.0, "kappa": 1.0, "Eg": 0.0, "Gg": 1.0, "ag": 0.1}, "xi0=-1.0"),
        ("bilinear_crossing", {"b": math.nan, "d": 1.0}, "b=nan"),
        ("train_or_sample_compute", {"fail": 0.1, "a": 2.0, "b": 1.0, "c0": 1.0, "d": 1.0, "nu": 1.0}, "must be positive"),
    ],
)
def test_outside_the_domain(name, arguments, said):
    with pytest.raises(ValueError, match=said):
        getattr(generated, name)(**arguments)
