"""The bilinear law: its fit against the normal equations in exact rationals, its floor, its
exponents.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from isoflop.numeric.accuracy.bilinear import BilinearLaw, fit_bilinear

HUMANEVAL = BilinearLaw(log_A=math.log(6884), a=-0.1728, b=1.2399, d=-0.0287)


def table(law, noise=0.0):
    rng = np.random.default_rng(2)
    compute, k = (x.ravel() for x in np.meshgrid(10.0 ** np.arange(19, 24), [1.0, 4.0, 16.0, 64.0]))
    return compute, k, law.neg_log(compute, k) * np.exp(noise * rng.standard_normal(compute.size))


def test_against_the_normal_equations_in_exact_rationals():
    compute, k, y = table(HUMANEVAL, noise=0.1)
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


def test_the_curves_of_all_k_cross_once():
    """Equal there; below it more samples solve less."""
    assert 5.4e18 < HUMANEVAL.crossing < 6.3e18
    at = [HUMANEVAL.neg_log(HUMANEVAL.crossing, k) for k in (1.0, 7.0, 900.0)]
    assert at == pytest.approx([at[0]] * 3, rel=1e-12)
    below = HUMANEVAL.neg_log(1e18, np.array([1.0, 2.0]))
    assert below[1] > below[0]
    assert HUMANEVAL.draws_exponent(1e18) < 0.0 < HUMANEVAL.draws_exponent(1e19)


def test_four_points_leave_no_error():
    found = fit_bilinear([1e20, 1e20, 1e22, 1e22], [1, 8, 1, 8], [2.0, 1.0, 1.5, 0.5])
    assert BilinearLaw(**found.coefficients).neg_log(1e22, 8.0) == pytest.approx(0.5)
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
