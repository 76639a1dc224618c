"""Power laws through points: exact rationals and published fits."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.check.approaches import lines


@given(seed=st.integers(0, 10**6), n=st.integers(3, 12))
def test_against_rationals(seed, n):
    """To what differences of logarithms of magnitude 50 leave of 16 digits."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(30, 50, n), random.uniform(15, 25, (2, n))
    weights = random.integers(0, 3, n).astype(float)
    weights[:2] = 1.0
    found = np.array(lines(x, y, weights))
    u, w = ([Fraction(float(each)) for each in values] for values in (x, weights))
    s = [sum(w[i] * u[i] ** k for i in range(n)) for k in range(3)]
    spread = float(s[2] - s[1] ** 2 / s[0])
    for k in range(2):
        v = [Fraction(float(each)) for each in y[k]]
        t = [sum(w[i] * v[i] * u[i] ** j for i in range(n)) for j in range(2)]
        det = s[0] * s[2] - s[1] ** 2
        slope, intercept = (s[0] * t[1] - s[1] * t[0]) / det, (s[2] * t[0] - s[1] * t[1]) / det
        scale = 1e-11 * (1.0 + abs(float(slope))) / min(1.0, spread)  # sums of nearly equal x
        assert found[0, k] == pytest.approx(float(slope), abs=scale)
        assert found[1, k] == pytest.approx(float(intercept), abs=50 * scale)
    assert np.isnan(lines(np.full(3, 2.0), np.arange(3.0), np.ones(3))[0])


def test_the_14_fits_of_porian_et_al(public_runs):
    """Porian et al. 2024, arXiv 2406.19146: N* = n_coef C^n_exponent and D* = t_coef C^t_exponent."""
    keys = ("file", "dataset", "hparams", "warmup", "decay", "param_count", "val")
    folder = public_runs / "porian2024"
    points, fits = (
        list(csv.DictReader((folder / f"compute_optimal_{name}.csv").read_text().splitlines()))
        for name in ("points", "fits")
    )
    assert len(fits) == 14
    for row in fits:
        own = [point for point in points if all(point[key] == row[key] for key in keys)]
        for column in ("n", "t"):
            known = [(float(p["flops"]), float(p[column])) for p in own if p[column]]
            compute, optimal = np.log(known).T
            slope, intercept = lines(compute, optimal, np.ones(len(known)))
            assert slope == pytest.approx(float(row[f"{column}_exponent"]), rel=1e-12)
            assert np.exp(intercept) == pytest.approx(float(row[f"{column}_coef"]), rel=1e-12)
