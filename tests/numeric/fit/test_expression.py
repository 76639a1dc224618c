"""Generated values, Jacobians and Hessians against numerical differentiation with 40 digits, and
what the reader refuses.
"""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from isoflop.numeric.fit.expression import Expression
from isoflop.theory.code.model_code import model_code

mp = mpmath.mp.clone()
mp.dps = 40

N, D = [7e7, 4.1e8, 1.4e9], [2e9, 8.3e9, 3e11]
X = {"x": [0.4, 1.7, 3.1]}

#: The law as text, its variables, its coefficients, and the same law as a function of mpmath
#: numbers.
LAWS: list[tuple[str, dict[str, list[float]], dict[str, float], Callable[..., Any]]] = [
    (
        "E + A*N^-beta + B*D^-gamma",
        {"N": N, "D": D},
        {"E": 1.8, "A": 480.0, "beta": 0.35, "B": 2100.0, "gamma": 0.37},
        lambda N, D, E, A, beta, B, gamma: E + A / N**beta + B / D**gamma,
    ),
    (
        "exp(-k*(x - m)^2/2)/sqrt(1 + s^4*x) - arctan(k/x)/pi + 0.3172*s^2.5",
        X,
        {"k": 0.8, "m": 1.3, "s": 0.7},
        lambda x, k, m, s: (
            mp.exp(-k * (x - m) ** 2 / 2) / mp.sqrt(1 + s**4 * x)
            - mp.atan(k / x) / mp.pi
            + mp.mpf("0.3172") * s ** mp.mpf("2.5")
        ),
    ),
    (
        "a*sin(w*x)*tanh(x) + abs(a*x - w) + cos(2*pi*x/w)^3 + tan(a/9)*ln(w)/(1 + a)^5",
        X,
        {"a": 1.9, "w": 2.2},
        lambda x, a, w: (
            a * mp.sin(w * x) * mp.tanh(x)
            + abs(a * x - w)
            + mp.cos(2 * mp.pi * x / w) ** 3
            + mp.tan(a / 9) * mp.log(w) / (1 + a) ** 5
        ),
    ),
]


def posed(law, variables):
    return Expression(law, extra=tuple(variables)).at(variables)


@pytest.mark.parametrize(
    ("law", "variables", "coefficients", "reference"), LAWS, ids=[law[0] for law in LAWS]
)
def test_derivatives(law, variables, coefficients, reference):
    model = posed(law, variables)
    assert model.coefficients == tuple(coefficients)
    theta = np.array([list(coefficients.values())])
    values, jacobian = model.evaluate(theta)
    units = np.eye(len(coefficients), dtype=int)

    def close(found, x, orders, size):
        """In multiples of the sizes of the coefficients."""

        def scaled(*factors):
            c = (f * mp.mpf(x) for f, x in zip(factors, theta[0], strict=True))
            return reference(*x, *c)

        exact = mp.diff(scaled, (1,) * len(orders), tuple(map(int, orders)))
        assert abs(found - float(exact)) <= 1e-11 * abs(float(exact)) + 1e-14 * abs(size)

    for run in range(model.size):
        x = [mp.mpf(column[run]) for column in variables.values()]
        at_run = np.zeros((1, model.size))
        at_run[0, run] = 1.0
        hessian = model.curvature(theta, jacobian, at_run)[0] * np.outer(theta, theta)
        size = float(values[0, run])
        assert size == pytest.approx(float(reference(*x, *map(mp.mpf, theta[0]))), rel=1e-11)
        for i, one in enumerate(units):
            close(jacobian[0, i, run] * theta[0, i], x, one, size)
            for j, other in enumerate(units):
                close(hessian[i, j], x, one + other, size)


def test_names_are_found_in_order_of_appearance():
    found = posed("E + A*(6ND)^-alpha*exp(k)", {"N": N, "D": D}).coefficients
    assert found == ("E", "A", "alpha", "k")
    q, p, n = sympy.symbols("q p N")
    assert posed(q * n**p, {"N": N}).coefficients == ("p", "q")


@pytest.mark.parametrize(
    ("law", "complaint"),
    [
        ("__import__('os').system('true')", "cannot read"),
        (sympy.gamma(sympy.Symbol("a")) * sympy.Symbol("N"), "no derivatives through"),
        (sympy.I * sympy.Symbol("N"), "real and finite"),
    ],
)
def test_refuses(law, complaint):
    with pytest.raises(ValueError, match=complaint):
        _ = posed(law, {"N": [1.0]}).coefficients


# -- names that would be code ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ['x"""\nraise SystemExit\n"""', "a, b=__import__('os')", "", "x\n"]
)
def test_a_coefficient_must_have_a_name(name):
    """Generated source holds names: text that is none would be executed with it."""
    law = 1 + sympy.Symbol(name) * sympy.Symbol("N") ** -2
    with pytest.raises(ValueError, match=r"^coefficient .*: must be a name of letters, digits and"):
        model_code(law, ("N",), (name,))


def test_a_column_of_any_name_is_no_code():
    heading = 'width"""\nraise SystemExit\n"""'
    model = posed(sympy.Symbol("a") * sympy.Symbol(heading), {heading: [1.0, 2.0]})
    assert model.evaluate(np.array([[3.0]]))[0].tolist() == [[3.0, 6.0]]
