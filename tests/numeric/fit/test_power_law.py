"""Power laws through points: exact rationals, simulation, and published fits."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.fit.power_law import fit_power_law

#: What differences of logarithms of magnitude 50 leave of 16 digits.
RELATIVE = 1e-11


def exact_line(x, y):
    """Slope, intercept and their variances by least squares in rationals."""
    x, y = ([Fraction(float(v)) for v in values] for values in (x, y))
    s = [sum(xi**k for xi in x) for k in range(3)]
    t = [sum(yi * xi**k for xi, yi in zip(x, y, strict=True)) for k in range(2)]
    det = s[0] * s[2] - s[1] ** 2
    slope, intercept = (s[0] * t[1] - s[1] * t[0]) / det, (s[2] * t[0] - s[1] * t[1]) / det
    scatter = sum((yi - intercept - slope * xi) ** 2 for xi, yi in zip(x, y, strict=True))
    variance = scatter / (len(x) - 2)
    return slope, intercept, variance * s[0] / det, variance * s[2] / det


@given(seed=st.integers(0, 10**6), n=st.integers(3, 12))
def test_against_rationals(seed, n):
    rng = np.random.default_rng(seed)
    x, y = np.exp(rng.uniform(30, 50, n)), np.exp(rng.uniform(15, 25, n))
    found = fit_power_law(x, y)
    slope, intercept, of_slope, of_intercept = map(float, exact_line(np.log(x), np.log(y)))
    scale = 1.0 + abs(slope)  # slopes near 0 are differences of larger numbers
    assert found.exponent == pytest.approx(slope, abs=RELATIVE * scale)
    assert found.log_coefficient == pytest.approx(intercept, abs=50 * RELATIVE * scale)
    assert found.exponent_se**2 == pytest.approx(of_slope, rel=1e-8)
    assert found.log_coefficient_se**2 == pytest.approx(of_intercept, rel=1e-8)


def test_standard_errors_are_those_of_repetitions():
    rng = np.random.default_rng(5)
    x = np.geomspace(1e18, 1e22, 9)
    found = [
        fit_power_law(x, 3.0 * x**0.5 * np.exp(0.1 * rng.standard_normal(9))) for _ in range(2000)
    ]
    exponents = np.array([law.exponent for law in found])
    mean_variance = np.mean([law.exponent_se**2 for law in found])
    # The variance of 2,000 draws is known to sqrt(2/2000) = 3 %: four of these.
    assert mean_variance == pytest.approx(exponents.var(), rel=0.13)
    assert exponents.mean() == pytest.approx(0.5, abs=4 * exponents.std() / np.sqrt(2000))


def test_two_points_leave_no_error():
    law = fit_power_law([1.0, 10.0], [2.0, 20.0])
    assert law.exponent == pytest.approx(1.0)
    assert law.n == 2
    assert law.as_dict()["exponent_se"] is None


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0], [1.0], "x="),
        ([2.0, 2.0, 2.0], [1.0, 2.0, 3.0], "differ in x"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "y="),
        ([1.0, -2.0], [1.0, 2.0], "x=-2.0"),
        ([1.0, 2.0], [1.0, float("nan")], "y=nan"),
        ([1.0, 2.0], [1.0, "a"], "y="),
    ],
)
def test_outside_the_domain(x, y, message):
    with pytest.raises(ValueError, match=message):
        fit_power_law(x, y)


def test_the_14_fits_of_porian_et_al(public_runs):
    """Porian et al. 2024, arXiv 2406.19146: N* = n_coef C^n_exponent and D* = t_coef C^t_exponent."""
    keys = ("file", "dataset", "hparams", "warmup", "decay", "param_count", "val")
    with (public_runs / "porian2024" / "compute_optimal_points.csv").open(encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    with (public_runs / "porian2024" / "compute_optimal_fits.csv").open(encoding="utf-8") as file:
        fits = list(csv.DictReader(file))
    assert len(fits) == 14
    for row in fits:
        own = [point for point in points if all(point[key] == row[key] for key in keys)]
        for column in ("n", "t"):
            known = [point for point in own if point[column]]
            law = fit_power_law(
                [float(p["flops"]) for p in known], [float(p[column]) for p in known]
            )
            assert law.exponent == pytest.approx(float(row[f"{column}_exponent"]), rel=1e-12)
            assert law.coefficient == pytest.approx(float(row[f"{column}_coef"]), rel=1e-12)
            assert law.r_squared == pytest.approx(float(row[f"{column}_r2"]), abs=1e-12)
