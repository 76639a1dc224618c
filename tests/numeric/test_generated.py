"""The generated modules: they are what the theory prints today, they compute what their docstrings say, and that is proved."""

import ast
import inspect
import math
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Expr, Integer, Piecewise, Rational, Symbol, exp

from isoflop.numeric import _generated
from isoflop.numeric._generated import array, scalar
from isoflop.numeric._wide import Wide
from isoflop.theory import symbols as sym
from isoflop.theory.algebra import decide
from isoflop.theory.algebra.functions import defined, expm1, log1p, phi2
from isoflop.theory.budget import GENERAL, Budget
from isoflop.theory.code.codegen import arguments_of, array_module, default_formulas, generated_files, scalar_module
from isoflop.theory.code.formulas import ABOVE_CRITICAL, Formula, InLogRatio, argument_name, formulas
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation

FOLDER = Path(_generated.__file__).parent
MODULES = {"scalar": scalar, "array": array}
POINTS = 40
DIGITS = 60  # of the reference: cancellation near r = 1 may take 20
SCALAR_ULPS = 4  # times eps (1 + |ln x|); the bound of test_accuracy
ARRAY_ULPS = 40  # plain float64 in blocks, at points where a change of s by eps |s| changes the result by up to 10 eps
EPS = sys.float_info.epsilon
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max


@cache
def registry() -> dict[str, Formula]:
    return {formula.name: formula for formula in default_formulas()}


# What the theory prints


@pytest.mark.parametrize("name", sorted(generated_files()))
def test_the_module_is_what_the_theory_prints(name: str) -> None:
    assert (FOLDER / name).read_bytes() == generated_files()[name].encode(), "run python -m isoflop.theory.code.codegen"


def test_nothing_else_lies_in_the_folder() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == {*generated_files(), "__init__.py"}


@pytest.mark.parametrize("name", MODULES)
def test_every_formula_is_there_and_nothing_else(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    defined_here = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [function for function in defined_here if not function.startswith("_")] == list(registry())


@pytest.mark.parametrize("name", MODULES)
def test_no_float_is_typed(name: str) -> None:
    """Constants are integers, or ratios of integers: no rounded decimal can hide in the printed source.

    The exception is the exact 1.0 of a reciprocal on arrays.
    """
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    floats = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert set(floats) <= {1.0}


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", registry())
def test_docstring(name: str, module: str) -> None:
    function = getattr(MODULES[module], name)
    text = inspect.getdoc(function)
    assert text is not None
    summary, formula, rest = text.split("\n\n", 2)
    assert summary.endswith(".")
    assert formula.strip().startswith(f"{name} = ")
    sections = [line for line, under in zip(rest.splitlines(), rest.splitlines()[1:], strict=False) if set(under) == {"-"}]
    assert sections == ["Parameters", "Returns", "Raises", "Notes"]
    parameters = rest.partition("Returns\n")[0]
    for argument in inspect.signature(inspect.unwrap(function)).parameters:
        assert f"\n{argument} : " in parameters
    assert "Unit: " in rest
    assert "ValueError" in rest
    assert "Source: " in rest
    assert not any(safe in text for safe in ("expm1(", "log1p(", "phi2(", "Piecewise("))


@pytest.mark.parametrize("name", registry())
def test_the_formula_in_the_docstring_is_the_one_of_the_theory(name: str) -> None:
    formula = registry()[name]
    shown = formula.shown if formula.shown is not None else formula.expression
    symbols = {argument_name(symbol): symbol for symbol in shown.free_symbols}
    text = inspect.getdoc(getattr(scalar, name)) or ""
    printed = text.split("\n\n")[1].replace(" ", "").replace("\n", "").partition("=")[2]
    read = sympy.parse_expr(printed, local_dict=symbols)
    assert decide(read, shown).proved


# An evaluator that shares nothing with the code generator


MP = mpmath.mp.clone()
MP.dps = DIGITS
FUNCTIONS: dict[Any, Callable[[Any], Any]] = {
    exp: MP.exp,
    sympy.log: MP.log,
    expm1: lambda x: MP.exp(x) - 1,
    log1p: lambda x: MP.log(1 + x),
    phi2: lambda x: (MP.exp(x) - 1 - x) / x**2,
}


def value(e: Expr, point: dict[Symbol, Any]) -> Any:
    """The expression at a point, by walking its tree; complex where a negative number is raised to a power."""
    if e.is_Symbol:
        return point[e]
    if e.is_Rational:
        return MP.mpf(int(e.p)) / int(e.q)
    if e is sympy.oo:
        return MP.inf
    parts = [value(part, point) for part in e.args]
    if e.is_Add:
        return MP.fsum(parts)
    if e.is_Mul:
        return MP.fprod(parts)
    if e.is_Pow:
        return MP.power(*parts)
    return FUNCTIONS[e.func](*parts)


# Points

Drawer = Callable[[random.Random], float]


def log_uniform(low: float, high: float) -> Drawer:
    return lambda rng: math.exp(rng.uniform(math.log(low), math.log(high)))


def uniform(low: float, high: float) -> Drawer:
    return lambda rng: rng.uniform(low, high)


DRAWN: dict[Symbol, Drawer] = {
    sym.N: log_uniform(1e6, 1e13),
    sym.D: log_uniform(1e8, 1e15),
    sym.C: log_uniform(1e15, 1e30),
    sym.E: uniform(0, 3),
    sym.A: log_uniform(1e-1, 1e8),
    sym.B: log_uniform(1e-1, 1e8),
    sym.BETA: uniform(0.1, 1.5),
    sym.GAMMA: uniform(0.1, 1.5),
    sym.REDUCIBLE: log_uniform(1e-3, 1e3),
    sym.TOLERANCE: log_uniform(1e-6, 1e2),
    sym.TOKENS_PER_PARAM: log_uniform(1e-2, 1e4),
    sym.N_MAX: log_uniform(1e6, 1e13),
    sym.D_MAX: log_uniform(1e8, 1e15),
    sym.LOG_SIZE_RATIO: uniform(-3, 3),
    sym.SIZE_RATIO: log_uniform(1e-2, 1e2),
    sym.RATIO: log_uniform(1e-4, 1e4),
}


class Point(NamedTuple):
    """Arguments of a generated function, and its exact value there: None where the formula has no real one."""

    arguments: dict[str, float]
    exact: Any


def points(formula: Formula, count: int = POINTS) -> Iterator[Point]:
    rng = random.Random(formula.name)
    shown = formula.shown if formula.shown is not None else formula.expression
    for _ in range(count):
        drawn = {symbol: DRAWN.get(symbol, log_uniform(0.1, 10.0))(rng) for symbol in arguments_of(formula)}
        point = {symbol: MP.mpf(number) for symbol, number in drawn.items()}
        if isinstance(formula, InLogRatio):
            point[sym.LOG_SIZE_RATIO] = value(formula.log_ratio, point)
            point[sym.SIZE_RATIO] = MP.exp(point[sym.LOG_SIZE_RATIO])
        exact = value(shown, point)
        arguments = {argument_name(symbol): number for symbol, number in drawn.items()}
        if isinstance(exact, MP.mpc) or not MP.isfinite(exact):
            yield Point(arguments, None)
        elif SMALLEST <= abs(exact) <= LARGEST:
            yield Point(arguments, exact)


def is_close(got: Any, exact: Any, ulps: float) -> bool:
    found = MP.mpf(got.hi) + MP.mpf(got.lo) if isinstance(got, Wide) else MP.mpf(float(got))
    return abs(found - exact) <= ulps * EPS * abs(exact) * (1 + abs(MP.log(abs(exact))))


def check(formula: Formula, scalars: ModuleType, arrays: ModuleType) -> None:
    """Both functions at random points against the displayed formula; where that has no real value, inf or a ValueError."""
    in_scalars, in_arrays = getattr(scalars, formula.name), getattr(arrays, formula.name)
    reached = [point for point in points(formula) if point.exact is not None]
    assert len(reached) > POINTS // 4
    names = list(reached[0].arguments)
    columns = {name: np.array([point.arguments[name] for point in reached]) for name in names}
    vector = np.asarray(in_arrays(**columns))
    for i, point in enumerate(reached):
        got = in_scalars(**point.arguments)
        assert is_close(got, point.exact, SCALAR_ULPS), (formula.name, point, got)
        assert is_close(vector.ravel()[i if vector.size > 1 else 0], point.exact, ARRAY_ULPS), (formula.name, point)
    for point in points(formula):
        if point.exact is None:
            assert is_refused(in_scalars, point.arguments), (formula.name, point)
            assert is_refused(in_arrays, {key: np.array([x]) for key, x in point.arguments.items()})


def is_refused(function: Callable[..., Any], arguments: dict[str, Any]) -> bool:
    try:
        return bool(function(**arguments) == math.inf)
    except ValueError as error:
        return "out of reach" in str(error)


@pytest.mark.parametrize("name", registry())
def test_the_function_computes_the_displayed_formula(name: str) -> None:
    check(registry()[name], scalar, array)


# Other laws and budgets go through the same generator

b, q = Symbol("b", positive=True), Symbol("q", positive=True)
THIRD = Symbol("M", positive=True)
OTHERS = {
    "any monomial budget": (derive().form, GENERAL),
    "rational exponents": (
        LawForm((Term(sym.A, sym.N, Rational(17, 50)), Term(sym.B, sym.D, Rational(7, 25)))),
        Budget(Integer(6), ((sym.N, Integer(1)), (sym.D, Rational(3, 2)))),
    ),
    "three factors": (
        LawForm((Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA), Term(q, THIRD, b))),
        Budget(Integer(2), ((sym.N, Integer(1)), (sym.D, Integer(1)), (THIRD, Rational(1, 2)))),
    ),
}


def compiled(envelope: Envelope) -> tuple[ModuleType, ModuleType]:
    scalars, arrays = ModuleType("scalars"), ModuleType("arrays")
    scalars.__dict__["__package__"] = arrays.__dict__["__package__"] = _generated.__name__
    exec(scalar_module(envelope), scalars.__dict__)
    arrays.__dict__["scalar"] = scalars
    exec(array_module(envelope), arrays.__dict__)
    return scalars, arrays


@pytest.mark.parametrize("title", OTHERS)
def test_another_law_goes_through_the_same_generator(title: str) -> None:
    envelope = derive(*OTHERS[title])
    scalars, arrays = compiled(envelope)
    for formula in formulas(envelope):
        check(formula, scalars, arrays)


# Proofs


def branches(e: Expr) -> list[Expr]:
    """The values of a piecewise expression but for the infinite one; the expression itself if it has no cases."""
    return [part for part, _ in e.args if part is not sympy.oo] if isinstance(e, Piecewise) else [e]


def assumptions(name: str) -> tuple[Expr, ...]:
    """What has to be positive for the formula to have a value: the size is above the critical one, or the target in reach."""
    m = misallocation()
    first, second = m.envelope.form.terms
    if name.startswith(("compute_overhead", "tokens_factor")):
        share = m.envelope.shares[0]
        return (1 - share * exp(-first.exponent * sym.LOG_SIZE_RATIO),)
    if name == "tokens_for_reducible_loss":
        return (sym.REDUCIBLE - first.expression,)
    if name == "params_for_reducible_loss":
        return (sym.REDUCIBLE - second.expression,)
    return ()


SAFE = [name for name, formula in registry().items() if formula.shown is not None]


@pytest.mark.parametrize("name", SAFE)
def test_the_evaluated_form_is_proved_equal_to_the_displayed_one(name: str) -> None:
    formula = registry()[name]
    assert formula.shown is not None
    shown = formula.shown.subs(sym.SIZE_RATIO, exp(sym.LOG_SIZE_RATIO)) if isinstance(formula, InLogRatio) else formula.shown
    evaluated = branches(formula.expression)
    if isinstance(formula, InLogRatio):
        distance = {ABOVE_CRITICAL: sym.LOG_SIZE_RATIO - formula.log_critical}
        evaluated += [part.subs(distance) for part in branches(formula.blocks)]
    for part in dict.fromkeys(evaluated):
        decision = decide(defined(part), shown, assume=assumptions(name))
        assert decision.proved, (part, str(decision))


def test_a_form_without_proof_is_the_displayed_one() -> None:
    """A formula that is not displayed in another form holds no function that only a safe form has."""
    for name, formula in registry().items():
        if name not in SAFE:
            assert not formula.expression.has(expm1, log1p, phi2, Piecewise), name


@pytest.mark.parametrize("name", ["excess", "lost_compute", "compute_overhead", "tokens_factor", "effective_compute"])
def test_a_wrong_safe_form_is_not_proved(name: str) -> None:
    """The proof can fail: swap the exponents in the evaluated form, and it is refuted."""
    formula = registry()[name]
    assert formula.shown is not None
    shown = formula.shown.subs(sym.SIZE_RATIO, exp(sym.LOG_SIZE_RATIO))
    for part in branches(formula.expression):
        swapped = part.xreplace({sym.BETA: sym.GAMMA, sym.GAMMA: sym.BETA})
        assert decide(defined(swapped), shown, assume=assumptions(name)).refuted
