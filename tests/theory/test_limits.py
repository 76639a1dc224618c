"""Limits, right and wrong; the values at a witness are recomputed with mpmath."""

import mpmath
import pytest
from sympy import exp, log, oo, sqrt, symbols, sympify

from isoflop.theory.envelope import derive
from isoflop.theory.limits import decide_limit
from isoflop.theory.penalty import misallocation

MP = mpmath.mp.clone()
MP.dps = 900
beta, gamma, r, x, y, C, E = symbols("beta gamma r x y C E", positive=True)
ENVELOPE = derive()
P = misallocation(ENVELOPE).penalty
W_N, W_D = ENVELOPE.shares

RIGHT = [
    (P, "~", W_N * r**-beta, r, "0"),
    (P, "~", W_D * r**gamma, r, "oo"),
    (P, "->", oo, r, "0"),
    (P, "->", oo, r, "oo"),
    (ENVELOPE.loss, "->", E, C, "oo"),
    (ENVELOPE.loss, "->", oo, C, "0"),
    (ENVELOPE.reducible, "->", 0, C, "oo"),
    (x**2 + x, "~", x**2, x, "oo"),
    (x**2 + x, "~", x, x, "0"),
    (1 / x, "->", 0, x, "oo"),
    (y + x, "->", y, x, "0"),
    (x**beta, "->", 0, x, "0"),
    (x, "->", oo, x, "oo"),
]
WRONG = [
    (P, "~", W_D * r**-beta, r, "0"),
    (P, "~", W_N * r**gamma, r, "oo"),
    (P, "->", 1, r, "0"),
    (P, "->", 0, r, "oo"),
    (1 / P, "->", oo, r, "0"),
    (-P, "->", oo, r, "0"),
    (ENVELOPE.loss, "->", 0, C, "oo"),
    (ENVELOPE.loss, "->", oo, C, "oo"),
    (x**2 + x, "~", x, x, "oo"),
    (x**2 + x, "~", 2 * x**2, x, "oo"),
    (x**2 + x, "->", x**2, x, "oo"),
    (y + x, "->", 0, x, "0"),
    (x ** (beta - gamma), "->", 0, x, "0"),
    (x**-beta, "->", 0, x, "0"),
    (exp(-1 / x) + 1, "->", 0, x, "oo"),
    (log(x), "->", 0, x, "oo"),
    (x, "->", 1, y, "oo"),
]
#: True, and beyond the argument from powers: never refuted, however slowly they settle or cancel.
SLOW = [
    (10 / log(x), "->", 0, x, "oo"),
    (1 / sqrt(log(x)), "->", 0, x, "oo"),
    (log(x + 1), "~", log(x), x, "oo"),
    (log(x) / x, "->", 0, x, "oo"),
    (sqrt(x**2 + 1) - x, "->", 0, x, "oo"),
    (sqrt(x**4 + x) - x**2, "->", 0, x, "oo"),
    ((1 + x) ** beta, "->", 1, x, "0"),
    (exp(x), "->", 1, x, "0"),
    (log(x), "->", oo, x, "oo"),
    ((1 + 1 / x) ** x, "->", exp(1), x, "oo"),
    (x / (1 + x), "->", 1, x, "oo"),
]


def value(e, point):
    if not e.args:
        return point[e.name] if e.is_Symbol else MP.mpf(int(e.p)) / int(e.q)
    values = [value(argument, point) for argument in e.args]
    if e.is_Add:
        return MP.fsum(values)
    if e.is_Mul:
        return MP.fprod(values)
    if e.is_Pow:
        return MP.power(*values)
    return {exp: MP.exp, log: MP.log}[e.func](*values)


def decided(lhs, relation, rhs, variable, limit, **options):
    return decide_limit(sympify(lhs, strict=True), relation, sympify(rhs, strict=True), variable, limit, **options)


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_right_limits_are_proved(case) -> None:
    assert decided(*case).proved


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_wrong_limits_are_refuted_with_a_witness(case) -> None:
    lhs, relation, rhs, variable, limit = case
    decision = decided(*case)
    assert decision.refuted, decision
    witness = decision.witness
    assert witness is not None
    point = {symbol.name: value(known, {}) for symbol, known in witness.point}
    assert (point[variable.name] < 1e-300) if limit == "0" else (point[variable.name] > 1e300)
    left = value(sympify(lhs, strict=True), point)
    assert abs(left - MP.mpf(witness.lhs)) <= 1e-8 * abs(left)
    if rhs is oo:
        assert witness.rhs == "oo"
        return
    right = value(sympify(rhs, strict=True), point)
    assert abs(right - MP.mpf(witness.rhs)) <= 1e-8 * abs(right)
    assert abs(left / right - 1 if relation == "~" else left - right) > 1e-3


@pytest.mark.parametrize("case", SLOW, ids=str)
def test_slow_limits_are_never_refuted(case) -> None:
    assert not decided(*case).refuted


def test_assumptions_decide_the_sign_of_an_exponent() -> None:
    power = x ** (beta - gamma)
    assert decided(power, "->", 0, x, "0", assume=(beta - gamma,)).proved
    assert decided(power, "->", 0, x, "0", assume=(gamma - beta,)).refuted
    assert decided(power, "->", 0, x, "oo", assume=(gamma - beta,)).proved


def test_nothing_is_asymptotically_zero() -> None:
    assert decided(x, "~", 0, x, "0").answer.value == "undecided"
