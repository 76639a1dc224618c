"""The fit of the bilinear law against the normal equations in exact rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from isoflop.numeric.accuracy.bilinear import fit_bilinear

#: log A, a, b, d of HumanEval in the paper.
HUMANEVAL = (math.log(6884), -0.1728, 1.2399, -0.0287)


def table(noise):
    rng = np.random.default_rng(2)
    compute, k = (x.ravel() for x in np.meshgrid(10.0 ** np.arange(19, 24), [1.0, 4.0, 16.0, 64.0]))
    log_A, a, b, d = HUMANEVAL
    log_y = log_A + a * np.log(compute) + b * np.log(k) + d * np.log(compute) * np.log(k)
    return compute, k, np.exp(log_y + noise * rng.standard_normal(compute.size))


def test_against_the_normal_equations_in_exact_rationals():
    compute, k, y = table(0.1)
    x, z, v = ([Fraction(float(t)) for t in np.log(column)] for column in (compute, k, y))
    rows = sympy.Matrix(
        [
            [1, sympy.Rational(a), sympy.Rational(b), sympy.Rational(a * b)]
            for a, b in zip(x, z, strict=True)
        ]
    )
    target = sympy.Matrix([sympy.Rational(t) for t in v])
    gram = rows.T * rows
    solution = gram.LUsolve(rows.T * target)
    found = fit_bilinear(compute, k, y)
    for name, exact in zip(("log_A", "a", "b", "d"), solution, strict=True):
        assert found.coefficients[name] == pytest.approx(float(exact), rel=1e-9)


def test_four_points_leave_no_error():
    found = fit_bilinear([1e20, 1e20, 1e22, 1e22], [1, 8, 1, 8], [2.0, 1.0, 1.5, 0.5])
    x, z = np.log([1e22, 8.0])
    log_y = np.array([1.0, x, z, x * z]) @ [*found.coefficients.values()]
    assert np.exp(log_y) == pytest.approx(0.5)
    assert found.objective_value < 1e-28
    assert found.undetermined == ("a", "d")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1e20] * 4, [1, 2, 4, 8], [1.0] * 4), "enough for four coefficients"),
        (([1e20, 1e21, 1e22], [1, 2, 4], [1.0] * 3), "3 points"),
        (([1e20, 1e21, 1e22, 1e23], [1, 10, 100, 1000], [1.0] * 4), "enough for four coefficients"),
        (([1e20, 1e21], [1, 2, 4], [1.0] * 3), "one value for every point"),
        (([1e20] * 4, [0.5, 2, 4, 8], [1.0] * 4), "k=0.5: must be numbers of at least 1"),
        (([1e20] * 4, [1, 2, 4, 8], [1.0, 0.0, 1.0, 1.0]), "neg_log=0.0"),
        (([1e20] * 4, [1, 2, 4, 8], [1.0, math.inf, 1.0, 1.0]), "neg_log=inf"),
    ],
)
def test_bad_tables(arguments, said):
    with pytest.raises(ValueError, match=said):
        fit_bilinear(*arguments)
