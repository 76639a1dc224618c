"""Rigorous evaluation, and the points at which it happens."""

from itertools import islice
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Expr, Integer, Pow, Rational, Symbol, cosh, exp, log, sinh, sqrt, tanh
from tests.theory import rewriting, values

from isoflop.theory.kernel.evaluate import IntervalEvaluator, Undefined
from isoflop.theory.kernel.functions import phi2
from isoflop.theory.kernel.sample import DRAWS_BEFORE_WIDENING, WIDEST, points

N, b = Symbol("N", positive=True), Symbol("b", positive=True)
x = Symbol("x", real=True)


def ends(value: Any) -> tuple[Any, Any]:
    """The end points as numbers of 60 digits."""
    low, high = value._mpi_
    return rewriting.MP.make_mpf(low), rewriting.MP.make_mpf(high)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_enclosure_contains_the_value(seed: int) -> None:
    """Random expressions at random rational points, against 60 digits of ordinary arithmetic."""
    rewriter = rewriting.Rewriter(seed)
    text = rewriter.rewritten(rewriter.expression(), 2)
    names = sorted(rewriting.names_of(text))
    at = {Symbol(x, positive=True): Rational(rewriter.random.randint(10, 90), 30) for x in names}
    value = rewriting.evaluate(text, {x.name: values.value(q, {}) for x, q in at.items()})
    as_written = sympy.sympify(text, {x.name: x for x in at}, evaluate=False)
    low, high = ends(IntervalEvaluator(30).evaluate(as_written, at))
    assert low <= value <= high
    assert high - low < rewriting.MP.mpf(10) ** -15 * (1 + abs(value))


@pytest.mark.parametrize(
    "expression",
    [
        *(Abs(x), x**3, x**-2, sinh(x), cosh(x), tanh(x), phi2(x), exp(1), exp(1) ** x),
        *(sqrt(2) ** 3, log(Integer(3))),
    ],
    ids=str,
)
def test_functions(expression: Expr) -> None:
    at = {x: Rational(-3, 2)}
    low, high = ends(IntervalEvaluator(20).evaluate(expression, at))
    assert low - 1e-14 <= values.value(expression, at) <= high + 1e-14
    assert high - low < 1e-15


@pytest.mark.parametrize(
    "expression",
    [
        log(Integer(0), evaluate=False),
        log(x),
        sqrt(x),
        x**b,
        1 / (x + Rational(3, 2)),
        (x + Rational(3, 2)) ** b,
        sympy.oo,
        sympy.pi,
        sympy.Float(0.5),
        sympy.gamma(N),
        Pow(Integer(-8), Rational(1, 3), evaluate=False),
        exp(exp(exp(Integer(20)))),
    ],
    ids=str,
)
def test_undefined(expression: Expr) -> None:
    with pytest.raises(Undefined):
        IntervalEvaluator(30).evaluate(
            expression, {x: Rational(-3, 2), N: Integer(2), b: Rational(1, 2)}
        )


def first(count: int, symbols: Any, seed: int = 0) -> list[dict[Symbol, Rational]]:
    return list(islice(points(symbols, seed), count))


def test_points_are_seeded_and_reach_out_for_a_domain_far_away() -> None:
    """R > 400 N^-0.34 has no point near one."""
    assert first(20, [N, b, x]) == first(20, [N, b, x])
    assert first(20, [N, b, x]) != first(20, [N, b, x], seed=1)
    drawn = first(5 * DRAWS_BEFORE_WIDENING, [N, b])
    assert all(number <= 8**WIDEST for point in drawn for number in point.values())
    assert sum(bool(point[b] > 400 * point[N] ** -0.34) for point in drawn) > 20


@pytest.mark.parametrize(
    ("assumptions", "signs"),
    [
        ({"positive": True}, {1}),
        ({"nonnegative": True}, {0, 1}),
        ({"negative": True}, {-1}),
        ({"real": True}, {1, -1}),
        ({"nonzero": True}, {1, -1}),
        ({"zero": True}, {0}),
    ],
    ids=str,
)
def test_points_respect_what_is_declared(assumptions: dict[str, bool], signs: set[int]) -> None:
    symbol = Symbol("s", **assumptions)
    values = [point[symbol] for point in first(60, [symbol])]
    assert {int(sympy.sign(value)) for value in values} == signs
