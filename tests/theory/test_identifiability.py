"""Gradients, ranks and biases against direct numerical optimisation at 50 digits."""

import mpmath
import pytest
from sympy import Matrix, Mul, Rational, Symbol, sqrt

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradients
from isoflop.theory.identifiability import (
    DesignForm,
    confluent_vandermonde,
    minor_of_pair,
    minor_of_pairs,
    swapped,
)
from isoflop.theory.proof.points import PointEvaluator
from isoflop.theory.ray import ray

mp = mpmath.mp.clone()
mp.dps = 50
THETA = {
    "A": mp.mpf("482.01"),
    "B": mp.mpf("2085.43"),
    "beta": mp.mpf("0.3478"),
    "gamma": mp.mpf("0.3658"),
}
COMPUTE = mp.mpf("5.76e23")


def value(expression, **numbers):
    at = {symbol: numbers[symbol.name] for symbol in expression.free_symbols}
    return PointEvaluator(50).evaluate(expression, at)


def optimum(log_a, log_b, beta, gamma):
    """log N*, log D*, log R* by root finding on the slope along the budget."""

    def slope(x):
        return -beta * mp.exp(log_a - beta * x) + gamma * mp.exp(
            log_b - gamma * (mp.log(COMPUTE / 6) - x)
        )

    x = mp.findroot(slope, 25)
    y = mp.log(COMPUTE / 6) - x
    return x, y, mp.log(mp.exp(log_a - beta * x) + mp.exp(log_b - gamma * y))


@pytest.mark.parametrize(
    ("name", "index"), [("log_params", 0), ("log_tokens", 1), ("log_reducible", 2)]
)
def test_gradients_are_the_differences_of_the_numerical_optimum(name, index):
    theta = [mp.log(THETA["A"]), mp.log(THETA["B"]), THETA["beta"], THETA["gamma"]]
    step = mp.mpf(10) ** -15
    for i, formula in enumerate(getattr(gradients(), name)):
        up, down = ([x + sign * step * (j == i) for j, x in enumerate(theta)] for sign in (1, -1))
        difference = (optimum(*up)[index] - optimum(*down)[index]) / (2 * step)
        assert value(formula, C=COMPUTE, **THETA) == pytest.approx(difference, rel=1e-20)


def test_gradients_are_of_one_budget_only():
    with pytest.raises(ValueError, match="needs"):
        gradients(derive(budget=GENERAL))


def rank(design, numbers, count=8):
    rows = []
    for i in range(count):
        at = {**numbers, "C": mp.mpf(10) ** (18 + i)}
        rows.append([value(column, **at) for column in design.columns.values()])
    lengths = [mp.sqrt(sum(row[j] ** 2 for row in rows)) for j in range(5)]
    scaled = mp.matrix([[row[j] / lengths[j] for j in range(5)] for row in rows])
    return sum(s > mp.mpf(10) ** -30 for s in mp.svd_r(scaled, compute_uv=False))


def test_ranks_are_those_of_the_numerical_jacobian():
    envelope, line, r = derive(), ray(), sym.SIZE_RATIO
    equal = {**THETA, "gamma": THETA["beta"]}
    assert (
        rank(DesignForm(r * envelope.params, envelope.tokens / r), {**THETA, "r": mp.mpf(3)}) == 3
    )
    assert rank(DesignForm(line.params, line.tokens), {**equal, "t": mp.mpf(20)}) == 3
    assert rank(DesignForm(line.params, line.tokens), {**THETA, "t": mp.mpf(20)}) == 5
    assert rank(DesignForm(sym.N, sym.C / (6 * sym.N)), {**THETA, "N": mp.mpf(10) ** 9}) == 3


def test_one_isoflop_more_than_the_ray_lifts_the_symmetry():
    t = Symbol("t", positive=True)
    other = {
        key.name: value(expression, t=mp.mpf(20), **THETA) for key, expression in swapped(t).items()
    }

    def loss(theta, n, d):
        return theta["A"] * n ** -theta["beta"] + theta["B"] * d ** -theta["gamma"]

    n = mp.mpf(10) ** 9
    assert loss(other, n, 20 * n) == pytest.approx(loss(THETA, n, 20 * n), rel=1e-40)
    assert abs(loss(other, n, 80 * n) / loss(THETA, n, 80 * n) - 1) > 1e-4


def test_design_takes_any_path():
    assert DesignForm(sqrt(sym.C / 6), sqrt(sym.C / 6)).columns["E"] == 1


def test_laplace_by_pairs_is_the_determinant_of_five_rows():
    p, q = Rational(2, 3), Rational(3, 7)
    rows = Matrix([[1, p**i, i * p**i, q**i, i * q**i] for i in range(5)])
    pairs = (
        lambda i, j, b=b: minor_of_pair(lambda k: b**k, lambda k: k * b**k, i, j) for b in (p, q)
    )
    assert rows.det() == minor_of_pairs(*pairs) == Mul(*confluent_vandermonde(p, q))
