"""The check of the published tables, against routes that use none of the package's formulas."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.check.published import check_published
from isoflop.numeric.errors import ArgumentError
from isoflop.theory.data.published import compute_counterparts

PAIRS = {law.label: (law, fitted) for law, fitted in compute_counterparts()}
LOW, HIGH = "1.00e18", "3.77e22"
CHECK = check_published()
ROWS: dict[str, Any] = {row.name: row for row in CHECK.table.itertuples()}

mp = mpmath.mp.clone()
mp.dps = 50


def printed(label):
    """The digits of Table 12, and those of Table 11."""
    return ({name: mp.mpf(digits) for name, digits in law.printed.items()} for law in PAIRS[label])


def neg_log(label, params, tokens):
    """-log Q' = A/N^alpha + B/D^beta, in the letters of Table 12."""
    c, _ = printed(label)
    return c["A"] / params ** c["alpha"] + c["B"] / tokens ** c["beta"]


def least_neg_log(label, compute):
    """Minimum over the size of the model at 6 N D = C, where the derivative by log N is 0."""

    def at(log_params):
        params = mp.exp(log_params)
        return neg_log(label, params, compute / (6 * params))

    return at(mp.findroot(lambda x: mp.diff(at, x), mp.log(compute / 120) / 2))


def on_ray(label, compute):
    params = mp.sqrt(compute / 120)
    return neg_log(label, params, 20 * params)


def log_slope(function, compute):
    """-d log f/d log C by a central difference: 50 digits leave 1e-18 for a step of 1e-10."""
    step = mp.mpf("1e-10")
    above, below = (mp.log(function(compute * mp.exp(sign * step))) for sign in (1, -1))
    return float(-(above - below) / (2 * step))


def raw(label, y):
    baseline = mp.mpf(PAIRS[label][0].random_baseline)
    return baseline + (1 - baseline) * mp.exp(-y)


def by_compute_law(label, compute):
    """Table 11 as it is decoded: alpha = -ln(column A), ln C0 = column alpha."""
    _, c = printed(label)
    return mp.exp(c["alpha"]) * compute ** mp.log(c["A"])


@pytest.mark.parametrize("label", PAIRS)
def test_exponents_and_differences(label) -> None:
    row, curves, low, high = ROWS[label], CHECK.curves[label], mp.mpf(LOW), mp.mpf(HIGH)
    first, second = least_neg_log(label, mp.mpf("1e19")), least_neg_log(label, mp.mpf("1e24"))
    assert row.alpha_derived == pytest.approx(float(mp.log10(first / second) / 5), rel=1e-14)
    slope = log_slope(lambda C: on_ray(label, C), mp.sqrt(low * high))
    assert row.alpha_ray == pytest.approx(slope, rel=1e-13)
    fitted = log_slope(lambda C: by_compute_law(label, C), low)
    assert row.alpha_empirical == pytest.approx(fitted, rel=1e-14)

    def away(y, compute):
        return abs(raw(label, y(label, compute)) - raw(label, by_compute_law(label, compute)))

    # 1e-13 is the rounding of log C, about 50, in the exponent of an accuracy.
    at_largest = away(on_ray, mp.mpf(row.compute_at_max))
    assert row.max_abs_difference == pytest.approx(float(at_largest), abs=1e-13)
    grid = [low * (high / low) ** (mp.mpf(i) / 60) for i in range(61)]
    largest = float(max(away(on_ray, compute) for compute in grid))
    assert largest - 1e-15 <= row.max_abs_difference <= 1.01 * largest + 1e-5
    largest = float(max(away(least_neg_log, compute) for compute in grid[::6]))
    assert largest - 1e-15 <= row.max_abs_difference_envelope <= 1.1 * largest + 2e-4
    for compute in (1e18, 1e21, 1e25):
        ray, by_law = (raw(label, y(label, compute)) for y in (on_ray, by_compute_law))
        assert curves.ray(compute) == pytest.approx(float(ray), abs=1e-14)
        assert curves.fitted(compute) == pytest.approx(float(by_law), abs=1e-13)
    budgets = np.geomspace(1e12, 1e30, 500)
    assert np.all(curves.envelope(budgets) >= curves.ray(budgets) - 1e-15)


def test_the_verdict_is_about_the_ray_and_its_tolerance() -> None:
    """Eleven of twelve agree; LAMBADA's envelope is beyond the tolerance, its ray is not."""
    assert list(ROWS) == list(PAIRS)
    assert [name for name, row in ROWS.items() if row.verdict == "differs"] == ["LBPP"]
    lambada, difference = ROWS["LAMBADA"], ROWS["ARC-E"].max_abs_difference
    assert lambada.max_abs_difference <= 0.02 < lambada.max_abs_difference_envelope
    for tolerance, verdict in (
        (difference, "agrees"),
        (math.nextafter(difference, 0.0), "differs"),
    ):
        assert check_published(tolerance=tolerance).table.verdict[0] == verdict


@pytest.mark.parametrize("value", [0.0, "1", math.inf])
def test_bad_tolerances(value) -> None:
    with pytest.raises(ArgumentError, match="positive finite number"):
        check_published(tolerance=value)
