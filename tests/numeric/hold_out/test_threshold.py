"""Logistic regression against its equations at 50 digits, and T50 of a sweep."""

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


def maximum(x, won, weights):
    """Where both derivatives of the concave likelihood vanish, at 50 digits."""
    places = [MP.mpf(place) for place in x]
    middle = sum(places) / len(places)

    def scores(a, b):
        off = [
            weight * (success - 1 / (1 + MP.exp(-(a + b * (place - middle)))))
            for place, success, weight in zip(places, won, weights, strict=True)
        ]
        return [sum(off), sum(each * (at - middle) for each, at in zip(off, places, strict=True))]

    a, b = MP.findroot(scores, (MP.mpf(0), MP.mpf(0)))
    return a - b * middle, b


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
    assert found.coefficients[0] == pytest.approx(expected, rel=1e-12)
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
    one: Any = found.thresholds[0]
    assert one["outcome"] == "fitted"
    assert one["T50_low"] < one["T50"] < one["T50_high"]
    assert 3e20 < one["T50"] < 5e22
    assert "T50" in str(found)


@pytest.mark.parametrize(("count", "why"), [(3, "fewer than 4 benchmarks"), (4, "")])
def test_few_benchmarks_have_no_interval(count, why):
    found = backtest(table_of([1e21] * count), laws="compute", targets="all", cutoffs=8)
    assert found.thresholds[0]["without_interval"].startswith(why)


def test_exact_runs_succeed_everywhere():
    data = table_of([1e20] * 4, noise=0.0)
    one: Any = backtest(data, laws="compute", targets="all", cutoffs=8).thresholds[0]
    assert (one["outcome"], one["T50"], one["T50_low"]) == ("all", None, None)
    assert one["n_success"] == one["n_cells"] > 0
