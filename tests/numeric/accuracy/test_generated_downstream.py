"""The generated functions of downstream accuracy against the displayed formulas with 60 digits, and at the ends."""

import inspect
import math
import random
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Symbol

from isoflop.numeric._generated import downstream as generated
from isoflop.theory.algebra import decide
from isoflop.theory.algebra.functions import defined, expm1, log1p
from isoflop.theory.code.codegen import arguments_of
from isoflop.theory.code.formulas import argument_name
from isoflop.theory.code.formulas_accuracy import downstream_formulas

MP = mpmath.mp.clone()
MP.dps = 60
POINTS = 25
ULPS = 8
EPS = 2.0**-52
FIRST = ("c", "x", "f")

DRAWN = {
    "reducible": (1e-6, 30.0),
    "excess_penalty": (1e-12, 30.0),
    "E": (1e-3, 3.0),
    "random_baseline": (1e-3, 0.9),
    "C0": (1e2, 1e8),
    "alpha": (0.1, 0.5),
    "tokens_per_param": (1.0, 1e3),
    "A": (1e2, 1e8),
    "B": (1e2, 1e8),
    "b": (1e-3, 1e8),
    "d1": (1e15, 1e24),
    "beta": (0.3, 0.8),
    "gamma": (0.1, 0.29),
}


@cache
def registry():
    return {formula.name: formula for formula in downstream_formulas()}


def shown(formula):
    return formula.shown if formula.shown is not None else formula.expression


FUNCTIONS = {
    sympy.exp: MP.exp,
    sympy.log: MP.log,
    expm1: lambda x: MP.exp(x) - 1,
    log1p: lambda x: MP.log(1 + x),
}


def exact(e, point):
    """The expression at a point, by walking its tree."""
    if e.is_Symbol:
        return MP.mpf(point[argument_name(e)])
    if e.is_Rational:
        return MP.mpf(int(e.p)) / int(e.q)
    if e is sympy.E:
        return MP.e
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
    assume = (1 - positive[baseline],) if (baseline := Symbol("random_baseline", nonnegative=True)) in positive else ()
    decision = decide(evaluated, displayed, assume=assume)
    assert decision.proved, str(decision)


def test_every_docstring_states_formula_arguments_and_source():
    for name, formula in registry().items():
        text = inspect.getdoc(getattr(generated, name)) or ""
        assert f"\n    {name} = " in text
        assert all(f"\n{argument_name(symbol)} : array_like\n" in text for symbol in arguments_of(formula))
        assert "Source: " in text
        assert "xponent of N in the budget" not in text


@pytest.mark.parametrize("excess", [1e-300, 1e-17, 1e-8, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("reducible", [1e-12, 0.3, 1.0, 50.0])
def test_the_accuracy_lost_keeps_its_digits(excess, reducible):
    with MP.workdps(400):
        r, x = MP.mpf(reducible), MP.mpf(excess)
        reference = MP.mpf("0.75") * (MP.exp(-r) - MP.exp(-(1 + x) * r))
        found = generated.accuracy_lost(reducible=reducible, excess_penalty=excess, E=0.0, random_baseline=0.25)
        assert abs(found - reference) <= 8 * EPS * reference * (1 + r) + 5e-324


def test_the_greatest_loss_is_that_of_a_search_over_reducibles():
    for excess in (1e-6, 0.01, 0.3, 2.0, 40.0):
        found = generated.greatest_accuracy_lost(excess_penalty=excess, E=0.2, random_baseline=0.1)
        at = generated.reducible_at_greatest_lost(excess_penalty=excess)
        tried = np.concatenate([at * np.linspace(0.5, 2.0, 3001), np.geomspace(1e-6, 50.0, 3001)])
        lost = generated.accuracy_lost(reducible=tried, excess_penalty=excess, E=0.2, random_baseline=0.1)
        assert lost.max() <= found * (1.0 + 1e-14)
        assert lost.max() == pytest.approx(found, rel=1e-6)
        assert found <= 0.9 * math.exp(-1.2) * excess
        assert 1.0 / (1.0 + excess) < at < 1.0


def test_the_loss_is_the_difference_of_the_two_accuracies():
    reducible = np.geomspace(1e-2, 10.0, 40)
    best = generated.accuracy_at(reducible=reducible, E=0.1, random_baseline=0.25)
    off = generated.accuracy_off_optimum(reducible=reducible, excess_penalty=0.3, E=0.1, random_baseline=0.25)
    lost = generated.accuracy_lost(reducible=reducible, excess_penalty=0.3, E=0.1, random_baseline=0.25)
    assert np.allclose(best - off, lost, rtol=0.0, atol=4 * EPS)
    assert generated.ceiling(E=0.1, random_baseline=0.25) == pytest.approx(0.25 + 0.75 * math.exp(-0.1), rel=1e-15)


def test_no_penalty_loses_nothing():
    assert generated.accuracy_lost(reducible=1.0, excess_penalty=0.0, E=0.0, random_baseline=0.0) == 0.0


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("accuracy_at", {"reducible": -1.0, "E": 0.0, "random_baseline": 0.25}, "reducible=-1.0: must be a positive"),
        ("accuracy_lost", {"reducible": 1.0, "excess_penalty": -0.1, "E": 0.0, "random_baseline": 0.0}, "excess_penalty=-0.1"),
        ("accuracy_lost", {"reducible": 1.0, "excess_penalty": 0.1, "E": -1.0, "random_baseline": 0.0}, "E=-1.0"),
        ("accuracy_lost", {"reducible": 1.0, "excess_penalty": 0.1, "E": 0.0, "random_baseline": 1.0}, "must be"),
        ("ceiling", {"E": 0.0, "random_baseline": 1.5}, "must be"),
        ("greatest_accuracy_lost", {"excess_penalty": 0.0, "E": 0.0, "random_baseline": 0.0}, "excess_penalty=0.0"),
    ],
)
def test_outside_the_domain(name, arguments, said):
    with pytest.raises(ValueError, match=said):
        getattr(generated, name)(**arguments)


# The parts of a broken law


def log_factor(c, x, f):
    return -c * f * MP.log1p(MP.exp(x / f))


def derivative(order, at):
    """In c, x and log f: order says how often each."""
    c, x, f = map(MP.mpf, at)
    return MP.diff(lambda c, x, phi: log_factor(c, x, MP.exp(phi)), (c, x, MP.log(f)), order)


@pytest.mark.parametrize("c", [-2.0, 0.3])
@pytest.mark.parametrize("x", [-9.0, -0.4, 0.0, 1.3, 12.0])
@pytest.mark.parametrize("f", [0.2, 1.0, 4.0])
def test_parts_of_a_break_by_numerical_differentiation(c, x, f):
    parts = generated.break_parts(c, x, f)
    with MP.workdps(80):
        assert close(parts.value, log_factor(MP.mpf(c), MP.mpf(x), MP.mpf(f)))
        for name in ("c", "x", "f", "cx", "cf", "xx", "xf", "ff"):
            reference = derivative(tuple(name.count(letter) for letter in FIRST), (c, x, f))
            scale = max(abs(reference), MP.mpf(10) ** -40)
            assert abs(MP.mpf(float(getattr(parts, name))) - reference) <= 1e-12 * scale, name


@pytest.mark.parametrize("x", [-1e5, 1e5])
def test_parts_far_from_the_break_are_finite(x):
    with np.errstate(all="raise", under="ignore"):
        parts = generated.break_parts(np.array(0.7), np.array(x), np.array(0.01))
    assert np.isfinite(parts).all()
    assert float(parts.x) == (0.0 if x < 0 else -0.7)
