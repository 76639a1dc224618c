"""Logistic regression against an independent maximisation at 50 digits, and T50 of a sweep."""

from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.hold_out.threshold import fit_logistic, successes

MP = mpmath.mp.clone()
MP.dps = 50


def likelihood(x, won, weights, a, b):
    """The log-likelihood from its definition."""
    total = MP.mpf(0)
    for place, success, weight in zip(x, won, weights, strict=True):
        p = 1 / (1 + MP.exp(-(a + b * MP.mpf(place))))
        total += weight * MP.log(p if success else 1 - p)
    return total


def golden(function, low, high, width):
    """Where a concave function is greatest."""
    ratio = (MP.sqrt(5) - 1) / 2
    low, high = MP.mpf(low), MP.mpf(high)
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > width:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2


def maximum(x, won, weights):
    """Nested golden sections: no derivative, no step of Newton's."""
    middle, fine, coarse = sum(map(MP.mpf, x)) / len(x), MP.mpf(10) ** -14, MP.mpf(10) ** -8

    def at(a, b):
        """With the intercept at the middle, where it hangs less on the slope."""
        return likelihood(x, won, weights, a - b * middle, b)

    def intercept(b):
        return golden(lambda a: at(a, b), -20, 20, fine)

    slope = golden(lambda b: at(intercept(b), b), -20, 20, coarse)
    middling = intercept(slope)
    return middling - slope * middle, slope


CASES = [
    ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "001011", [1, 1, 1, 1, 1, 1], "fitted"),
    ([20.0, 20.5, 21.0, 21.5, 22.0], "01011", [3, 1, 2, 2, 4], "fitted"),
    ([0.0, 1.0, 2.0, 3.0], "1101", [1, 2, 3, 1], "falling"),
]


@pytest.mark.parametrize(("x", "text", "weights", "outcome"), CASES)
def test_the_maximum_of_the_likelihood(x, text, weights, outcome):
    won = [each == "1" for each in text]
    intercept, slope = maximum(x, won, weights)
    found = fit_logistic(x, won, [weights])
    expected = (float(intercept), float(slope))
    assert found.coefficients[0] == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert found.outcome[0] == outcome
    if outcome == "fitted":
        assert found.low[0] == found.high[0] == pytest.approx(float(-intercept / slope), rel=1e-6)


def test_gradients_vanish_for_many_weightings():
    random = np.random.default_rng(3)
    x = random.uniform(19.0, 23.0, size=80)
    won = random.random(80) < 1.0 / (1.0 + np.exp(-2.0 * (x - 21.0)))
    weights = random.multinomial(80, np.full(80, 1 / 80), size=200).astype(float)
    found = fit_logistic(x, won, weights)
    assert (found.outcome == "fitted").all()
    p = 1.0 / (1.0 + np.exp(-(found.coefficients[:, :1] + found.coefficients[:, 1:] * x)))
    for column in (np.ones(80), x - x.mean()):
        assert np.abs((weights * (won - p) * column).sum(axis=1)).max() < 1e-10


@pytest.mark.parametrize(
    ("x", "won", "outcome", "low", "high"),
    [
        ([1.0, 2.0, 3.0, 4.0], "0011", "separated", 2.0, 3.0),
        ([1.0, 2.0, 3.0, 4.0], "1100", "reversed", -np.inf, np.inf),
        ([1.0, 2.0, 3.0, 4.0], "1111", "all", -np.inf, 1.0),
        ([1.0, 2.0, 3.0, 4.0], "0000", "none", 4.0, np.inf),
        ([1.0, 2.0, 2.0, 3.0], "0011", "separated", 2.0, 2.0),
        ([2.0, 2.0], "01", "unknown", -np.inf, np.inf),
    ],
)
def test_without_a_finite_fit_there_are_bounds(x, won, outcome, low, high):
    found = fit_logistic(x, [each == "1" for each in won])
    assert (found.outcome[0], found.low[0], found.high[0]) == (outcome, low, high)
    assert np.isnan(found.coefficients).all()


# -- a sweep ---------------------------------------------------------------------------------------


def table_of(kinks, n=60, noise=0.01):
    """Runs of one benchmark each, whose power law in compute breaks at a kink."""
    rows = []
    for i, kink in enumerate(kinks):
        compute = np.geomspace(1e20, 1e23, n)
        x = np.log(compute / kink)
        y = 0.3 - np.where(x > 0.0, 0.5, 0.1) * x
        y += noise * np.random.default_rng(i).standard_normal(n)
        columns = {"compute": compute, "benchmark": f"b{i}", "metric_type": "acc"}
        rows.append(pd.DataFrame(columns | {"score": np.exp(-np.exp(y)), "random_baseline": 0.0}))
    return Evaluations.read(pd.concat(rows))


def test_errors_of_a_cell_by_hand():
    """Least squares of log(-log Q) by NumPy's own solver."""
    data, T = table_of([1e21]), 1.1e21
    found = backtest(data, laws="compute", targets="all", cutoffs=[T])
    C, Q = data.compute, data.scores["b0"]
    train, after = (C <= T) & (Q > 0.05), (C > T) & (Q > 0.05)
    slope, intercept = np.polyfit(np.log(C[train]), np.log(-np.log(Q[train])), 1)
    predicted = np.exp(-np.exp(intercept + slope * np.log(C[after])))
    (cell,) = successes(found.table).to_dict("records")
    assert cell["n"] == after.sum()
    assert cell["mre"] == pytest.approx(np.mean(np.abs(predicted / Q[after] - 1.0)), rel=1e-8)


def test_a_kink_gives_a_threshold():
    """A law fitted below a break of the power law fails; that far above it succeeds."""
    data = table_of((3e20, 8e20, 2e21, 6e21, 1e21, 4e20))
    found = backtest(data, laws="compute", targets="all", seed=5)
    one: Any = found.thresholds()[0]
    assert one["outcome"] == "fitted"
    assert one["T50_low"] < one["T50"] < one["T50_high"]
    assert 3e20 < one["T50"] < 5e22
    assert sum(one["resampled"].values()) == 2000
    assert "T50" in str(found)


@pytest.mark.parametrize(("count", "why"), [(3, "fewer than 4 benchmarks"), (4, "")])
def test_few_benchmarks_have_no_interval(count, why):
    found = backtest(table_of([1e21] * count), laws="compute", targets="all", cutoffs=8)
    assert found.thresholds()[0]["without_interval"].startswith(why)


def test_exact_runs_succeed_everywhere():
    data = table_of([1e20] * 4, noise=0.0)
    one: Any = backtest(data, laws="compute", targets="all", cutoffs=8).thresholds()[0]
    told = (one["outcome"], one["T50"], one["T50_low"], one["resampled"])
    assert told == ("all", None, None, {"all": 2000})
    assert one["n_success"] == one["n_cells"] > 0
