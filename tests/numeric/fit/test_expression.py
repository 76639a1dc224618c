"""Generated values, Jacobians and Hessians against numerical differentiation with 40 digits, and
what the reader refuses.
"""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from isoflop.numeric.fit.expression import ExpressionModel
from isoflop.theory.code.model_code import model_code

mp = mpmath.mp.clone()
mp.dps = 40

N, D, C, M = [7e7, 4.1e8, 1.4e9], [2e9, 8.3e9, 3e11], [1e18, 3.3e20, 1e23], [5.0, 20.0, 320.0]
KAPLAN = "((Nc/N)^(p/q) + Dc/D)^q"

# The law as text, its variables, its coefficients, and the same law as a function of mpmath
# numbers.
LAWS: list[tuple[str, dict[str, list[float]], dict[str, float], Callable[..., Any]]] = [
    (
        "E + A*N^-beta + B*D^-gamma",
        {"N": N, "D": D},
        {"E": 1.8, "A": 480.0, "beta": 0.35, "B": 2100.0, "gamma": 0.37},
        lambda N, D, E, A, beta, B, gamma: E + A / N**beta + B / D**gamma,
    ),
    (
        KAPLAN,
        {"N": N, "D": D},
        {"Nc": 8.8e13, "p": 0.076, "q": 0.103, "Dc": 5.4e13},
        lambda N, D, Nc, p, q, Dc: ((Nc / N) ** (p / q) + Dc / D) ** q,
    ),
    (
        "E + (a*M^eta + b*M^-eta)*C^-eta",
        {"M": M, "C": C},
        {"E": 1.84, "a": 212.0, "eta": 0.136, "b": 367.0},
        lambda M, C, E, a, eta, b: E + (a * M**eta + b * M**-eta) * C**-eta,
    ),
    (
        "exp(-k*(x - m)^2/2)/sqrt(1 + s^4*x) - arctan(k/x)/pi + 0.3172*s^2.5",
        {"x": [0.4, 1.7, 3.1]},
        {"k": 0.8, "m": 1.3, "s": 0.7},
        lambda x, k, m, s: (
            mp.exp(-k * (x - m) ** 2 / 2) / mp.sqrt(1 + s**4 * x)
            - mp.atan(k / x) / mp.pi
            + mp.mpf("0.3172") * s ** mp.mpf("2.5")
        ),
    ),
    (
        "a*sin(w*x)*tanh(x) + abs(a*x - w) + cos(2*pi*x/w)^3 + tan(a/9)*ln(w)/(1 + a)^5",
        {"x": [0.4, 1.7, 3.1]},
        {"a": 1.9, "w": 2.2},
        lambda x, a, w: (
            a * mp.sin(w * x) * mp.tanh(x)
            + abs(a * x - w)
            + mp.cos(2 * mp.pi * x / w) ** 3
            + mp.tan(a / 9) * mp.log(w) / (1 + a) ** 5
        ),
    ),
]
EACH_LAW = pytest.mark.parametrize(
    ("law", "variables", "coefficients", "reference"), LAWS, ids=[law[0] for law in LAWS]
)


def derivative(reference, x, theta, orders):
    """The mixed partial derivative in the coefficients, in multiples of their sizes."""

    def scaled(*factors):
        return reference(*x, *(factor * c for factor, c in zip(factors, theta, strict=True)))

    value = (
        mp.diff(scaled, (1,) * len(theta), tuple(orders))
        if any(orders)
        else scaled(*[1] * len(theta))
    )
    for order, c in zip(orders, theta, strict=True):
        value /= c**order
    return value


@EACH_LAW
def test_derivatives(law, variables, coefficients, reference):
    model = ExpressionModel(law, variables, tuple(coefficients))
    theta = np.array([list(coefficients.values())])
    exact_theta = [mp.mpf(c) for c in coefficients.values()]
    values, jacobian = model.evaluate(theta)
    width, size = len(coefficients), model.size
    for run in range(size):
        x = [mp.mpf(column[run]) for column in variables.values()]
        at_run = np.zeros((1, size))
        at_run[0, run] = 1.0
        hessian = model.curvature(theta, jacobian, at_run)[0]
        close(values[0, run], derivative(reference, x, exact_theta, [0] * width))
        scale = abs(float(values[0, run]))
        for i in range(width):
            orders = [int(i == k) for k in range(width)]
            close(
                jacobian[0, i, run],
                derivative(reference, x, exact_theta, orders),
                scale / abs(theta[0, i]),
            )
            for j in range(width):
                both = [order + int(j == k) for k, order in enumerate(orders)]
                size_of_entry = scale / abs(theta[0, i] * theta[0, j])
                close(hessian[i, j], derivative(reference, x, exact_theta, both), size_of_entry)


def close(found, exact, scale=0.0):
    assert abs(found - float(exact)) <= 1e-11 * abs(float(exact)) + 1e-14 * scale


def test_names_are_found_in_order_of_appearance():
    assert ExpressionModel("E + A*(6ND)^-alpha*exp(k)", {"N": N, "D": D}).names == (
        "E",
        "A",
        "alpha",
        "k",
    )
    q, p, n = sympy.symbols("q p N")
    assert ExpressionModel(q * n**p, {"N": N}).names == ("p", "q")


def test_awkward_names_and_numbers():
    lam, power, n, t = (sympy.Symbol(name) for name in ("lambda", "power", "Model Size", "t0"))
    law = (
        lam * n**-power
        + t / 3
        + 1.7e10 * sympy.Float("0.123456789") * sympy.Rational(1, 7) ** power
    )
    model = ExpressionModel(law, {"Model Size": N}, ("lambda", "power", "t0"))
    assert model.names == ("lambda", "power", "t0")
    theta = np.array([[400.0, 0.34, 3.0]])
    expected = 400.0 * np.array(N) ** -0.34 + 1.0 + 1.7e10 * 0.123456789 * (1 / 7) ** 0.34
    np.testing.assert_allclose(model.values(theta)[0], expected, rtol=1e-14)


def test_outside_the_domain_is_not_a_number_and_no_warning():
    model = ExpressionModel("(E - A)^beta*N^0.3", {"N": N})
    values, jacobian = model.evaluate(np.array([[1.0, 2.0, 0.5], [2.0, 1.0, 0.5]]))
    assert np.isnan(values[0]).all()
    assert np.isfinite(values[1]).all()
    assert np.isfinite(jacobian[1]).all()


@pytest.mark.parametrize(
    ("law", "variables", "coefficients", "complaint"),
    [
        ("E + A*N^-b", {"N": [1.0]}, ("E", "A"), "unknown name 'b'"),
        ("E + A*N^-b", {"N": [1.0]}, ("E", "A", "b", "c"), "does not depend on the coefficient c"),
        ("E + A*N^-b", {"N": [1.0]}, ("E", "A", "b", "N"), "N given twice"),
        ("__import__('os').system('true')", {"N": [1.0]}, None, "cannot read"),
        (
            sympy.gamma(sympy.Symbol("a")) * sympy.Symbol("N"),
            {"N": [1.0]},
            None,
            "no derivatives through",
        ),
        (sympy.I * sympy.Symbol("N"), {"N": [1.0]}, None, "real and finite"),
    ],
)
def test_refuses(law, variables, coefficients, complaint):
    with pytest.raises(ValueError, match=complaint):
        ExpressionModel(law, variables, coefficients)


def test_unknown_symbols_are_named():
    with pytest.raises(
        ValueError, match="x neither among the variables nor among the coefficients"
    ):
        model_code(sympy.Symbol("x") * sympy.Symbol("a"), (), ("a",))


# -- names that would be code ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ['x"""\nraise SystemExit\n"""', "a, b=__import__('os')", "a b", "", "x\n", "\\alpha"]
)
def test_a_coefficient_must_have_a_name(name):
    """Generated source holds names: text that is none would be executed with it."""
    n = sympy.Symbol("N")
    with pytest.raises(
        ValueError, match=r"^coefficient .*: must be a name of letters, digits and underscores$"
    ):
        model_code(1 + sympy.Symbol(name) * n**-2, ("N",), (name,))


def test_a_column_of_any_name_is_no_code():
    heading = 'width"""\nraise SystemExit\n"""'
    column, a = sympy.Symbol(heading), sympy.Symbol("a")
    model = ExpressionModel(a * column, {heading: np.array([1.0, 2.0])})
    assert model.evaluate(np.array([[3.0]]))[0].tolist() == [[3.0, 6.0]]
