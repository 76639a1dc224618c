"""The generated module: it is what the theory prints, it computes the proved formulas, and that is
proved.
"""

import ast
import math
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from sympy import Expr, Integer, Piecewise, Rational, Symbol, exp, oo
from tests.theory.laws import GENERAL
from tests.theory.values import MP, value

from isoflop.numeric import formulas
from isoflop.numeric.law.custom import compiled_law
from isoflop.theory.budget import Budget
from isoflop.theory.code import formulas as theory
from isoflop.theory.code.codegen import arguments_of, default_formulas, default_module
from isoflop.theory.code.formulas import GeneratedFormula, argument_name
from isoflop.theory.code.formulas_downstream import accuracy_formulas, passk_formulas
from isoflop.theory.envelope import derive
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.functions import defined, expm1, expm1_pair, log1p, phi2
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation

POINTS = 24
#: Plain float64 errs by the rounding of a few logarithms: eps times 1 + |ln x| of the result, or of
#: a factor that cancels.
ULPS = 24
EPS = sys.float_info.epsilon
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max


@cache
def registry() -> dict[str, GeneratedFormula]:
    printed = (*default_formulas(), *passk_formulas(), *accuracy_formulas())
    return {formula.name: formula for formula in printed}


def test_the_module_is_what_the_theory_prints() -> None:
    """And no float is typed in it but the integers of ratios."""
    text = Path(formulas.__file__).read_text()
    assert text == default_module(), "run python -m isoflop.theory.code.codegen"
    constants = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    assert not [node for node in constants if isinstance(node.value, float)]


# -- the functions against their formulas in 60 digits ---------------------------------------------

#: Where arguments are drawn, evenly in their logarithm if they are positive; by default (0.1, 3).
DRAWN = {
    "params": (1e6, 1e13),
    "tokens": (1e8, 1e15),
    "compute": (1e15, 1e26),
    "E": (0.01, 3.0),
    "A": (1e-1, 1e8),
    "B": (1e-1, 1e8),
    "beta": (0.1, 1.5),
    "gamma": (0.1, 1.5),
    "reducible_loss": (1e-3, 1e3),
    "tolerance": (1e-6, 1e2),
    "tokens_per_param": (1e-2, 1e4),
    "max_params": (1e6, 1e13),
    "max_tokens": (1e8, 1e15),
    "log_size_ratio": (-3.0, 3.0),
    "size_ratio": (1e-2, 1e2),
    "ratio": (1e-4, 1e4),
    "C0_1": (1.0, 1e3),
    "alpha_1": (0.1, 0.2),
    "C0_2": (1e3, 1e8),
    "alpha_2": (0.3, 0.4),
    "k": (1.0, 1e4),
    "d": (0.5, 0.9),  # d/b above a
    "b": (0.2, 0.5),
    "a": (0.1, 0.8),
    "reducible": (1e-6, 30.0),
    "excess_penalty": (1e-12, 30.0),
    "random_baseline": (1e-3, 0.9),
}


def drawn_number(name: str, rng: random.Random) -> float:
    low, high = DRAWN.get(name, (0.1, 3.0))
    if low < 0:
        return rng.uniform(low, high)
    return math.exp(rng.uniform(math.log(low), math.log(high)))


class Point(NamedTuple):
    """Arguments of a generated function, and its exact value there: None where the formula has no
    real one.
    """

    arguments: dict[str, float]
    exact: Any


def shown(formula: GeneratedFormula) -> Expr:
    return formula.shown if formula.shown is not None else formula.expression


def points(formula: GeneratedFormula) -> Iterator[Point]:
    rng = random.Random(formula.name)
    for _ in range(POINTS):
        drawn = {x: drawn_number(argument_name(x), rng) for x in arguments_of(formula)}
        point: dict[Symbol, Any] = dict(drawn)
        if sym.LOG_SIZE_RATIO in point:
            point[sym.SIZE_RATIO] = MP.exp(point[sym.LOG_SIZE_RATIO])
        exact = value(shown(formula), point)
        arguments = {argument_name(symbol): number for symbol, number in drawn.items()}
        if isinstance(exact, MP.mpc) or not MP.isfinite(exact):
            yield Point(arguments, None)
        elif SMALLEST <= abs(exact) <= LARGEST:
            yield Point(arguments, exact)


def is_close(name: str, got: Any, exact: Any) -> bool:
    """To a relative error; of a logarithm to an absolute one, which is the relative one of its
    argument.
    """
    relative = abs(exact) * (1 + abs(MP.log(abs(exact))))
    return abs(MP.mpf(float(got)) - exact) <= ULPS * EPS * (relative + name.startswith("log_"))


def check(formula: GeneratedFormula, module: ModuleType) -> None:
    """On floats and on arrays against the displayed formula; where that has no real value, inf or a
    ValueError.
    """
    function, drawn = getattr(module, formula.name), list(points(formula))
    reached = [point for point in drawn if point.exact is not None]
    assert len(reached) > POINTS // 4
    columns = {
        name: np.array([point.arguments[name] for point in reached])
        for name in reached[0].arguments
    }
    vector = np.broadcast_to(function(**columns), len(reached))
    for found, point in zip(vector, reached, strict=True):
        for number in (found, function(**point.arguments)):
            assert is_close(formula.name, number, point.exact), (formula.name, point)
    for arguments, exact in drawn:
        if exact is None:
            assert is_refused(function, arguments), (formula.name, arguments)
            assert is_refused(function, {key: np.array([x]) for key, x in arguments.items()})


def is_refused(function: Callable[..., Any], arguments: dict[str, Any]) -> bool:
    try:
        return bool(function(**arguments) == math.inf)
    except ValueError as error:
        return "not defined" in str(error)


@pytest.mark.parametrize("name", registry())
def test_the_function_computes_the_displayed_formula(name: str) -> None:
    check(registry()[name], formulas)


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


@pytest.mark.parametrize("title", OTHERS)
def test_another_law_goes_through_the_same_generator(title: str) -> None:
    envelope = derive(*OTHERS[title])
    module = compiled_law(envelope)
    for formula in theory.formulas(envelope):
        check(formula, module)


# -- what is evaluated is proved equal to what is displayed ----------------------------------------


def branches(e: Expr) -> list[Expr]:
    """The finite values of a piecewise expression; the expression itself if it has no cases."""
    return [part for part, _ in e.args if part is not oo] if isinstance(e, Piecewise) else [e]


def assumptions(name: str) -> tuple[Expr, ...]:
    """What has to be positive for the formula to have a value."""
    if name in ("compute_overhead", "tokens_factor"):
        envelope = misallocation().envelope
        exponent = envelope.form.terms[0].exponent
        return (1 - envelope.shares[0] * exp(-exponent * sym.LOG_SIZE_RATIO),)
    is_accuracy = name in {formula.name for formula in accuracy_formulas()}
    return (1 - Symbol("random_baseline", positive=True),) if is_accuracy else ()


SAFE = [name for name, formula in registry().items() if formula.shown is not None]
IN_SHARES = {"excess", "lost_compute", "compute_overhead", "tokens_factor", "effective_compute"}


@pytest.mark.parametrize("name", SAFE)
def test_the_evaluated_form_is_proved_equal_to_the_displayed_one(name: str) -> None:
    """The proof can fail: with the exponents exchanged in the evaluated form it is refuted."""
    formula = registry()[name]
    displayed = shown(formula).subs(sym.SIZE_RATIO, exp(sym.LOG_SIZE_RATIO))
    for part in branches(formula.expression):
        evaluated = defined(part)
        if sym.LOG_SIZE_RATIO not in evaluated.free_symbols:
            positive = {x: Symbol(x.name, positive=True) for x in evaluated.free_symbols}
            evaluated, displayed = evaluated.xreplace(positive), displayed.xreplace(positive)
        decision = decide(evaluated, displayed, assume=assumptions(name))
        assert decision.proved, (part, str(decision))
        if name in IN_SHARES:
            exchanged = evaluated.xreplace({sym.BETA: sym.GAMMA, sym.GAMMA: sym.BETA})
            assert decide(exchanged, displayed, assume=assumptions(name)).refuted


def test_a_form_without_proof_is_the_displayed_one() -> None:
    """A formula that is not displayed in another form holds no function that only a safe form has."""
    for formula in default_formulas():
        if formula.name not in SAFE:
            assert not formula.expression.has(expm1, log1p, phi2, expm1_pair, Piecewise)
