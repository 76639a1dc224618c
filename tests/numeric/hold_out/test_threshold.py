"""Logistic regression against its equations at 50 digits, and T50 of a sweep."""

import mpmath
import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.hold_out.threshold import logistic

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


@pytest.mark.parametrize(
    ("x", "text", "weights", "outcome"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "001011", [1, 1, 1, 1, 1, 1], "fitted"),
        ([20.0, 20.5, 21.0, 21.5, 22.0], "01011", [3, 1, 2, 2, 4], "fitted"),
        ([0.0, 1.0, 2.0, 3.0], "1101", [1, 2, 3, 1], "not rising"),
    ],
)
def test_the_maximum_of_the_likelihood(x, text, weights, outcome):
    won = [each == "1" for each in text]
    intercept, slope = maximum(x, won, weights)
    found = logistic(x, won, weights)
    assert found.outcome == outcome
    assert found[3:] == pytest.approx((float(intercept), float(slope)), rel=1e-7)
    if outcome == "fitted":
        assert found.low == found.high == pytest.approx(float(-intercept / slope), rel=1e-9)


@pytest.mark.parametrize(
    ("x", "won", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], "0011", ("separated", 2.0, 3.0)),
        ([1.0, 2.0, 3.0, 4.0], "1100", ("not rising", -np.inf, np.inf)),
        ([1.0, 2.0, 3.0, 4.0], "1111", ("all succeed", -np.inf, 1.0)),
        ([1.0, 2.0, 3.0, 4.0], "0000", ("none succeeds", 4.0, np.inf)),
        ([1.0, 2.0, 2.0, 3.0], "0011", ("separated", 2.0, 2.0)),
        ([2.0, 2.0], "01", ("not rising", -np.inf, np.inf)),
    ],
)
def test_without_a_finite_fit_there_are_bounds(x, won, expected):
    found = logistic(x, [each == "1" for each in won])
    assert found[:3] == expected
    assert np.isnan(found[3:]).all()


# -- a sweep ---------------------------------------------------------------------------------------


def swept(kinks, *, n=60, noise=0.01, **how):
    """Every run beyond each cutoff, of benchmarks whose power law in compute breaks at a kink."""
    rows = []
    for i, kink in enumerate(kinks):
        compute = np.geomspace(1e20, 1e23, n)
        x = np.log(compute / kink)
        y = 0.3 - np.where(x > 0.0, 0.5, 0.1) * x
        y += noise * np.random.default_rng(i).standard_normal(n)
        columns = {"compute": compute, "benchmark": f"b{i}", "metric_type": "acc"}
        rows.append(pd.DataFrame(columns | {"score": np.exp(-np.exp(y)), "random_baseline": 0.0}))
    data = Evaluations.read(pd.concat(rows))
    return data, backtest(data, laws="compute", targets="all", **how)


def test_errors_of_a_cell_by_hand():
    """Least squares of log(-log Q) by NumPy's own solver."""
    data, found = swept([1e21], cutoffs=[T := 1.1e21])
    C, Q = data.compute, data.scores["b0"]
    train, after = (C <= T) & (Q > 0.05), (C > T) & (Q > 0.05)
    slope, intercept = np.polyfit(np.log(C[train]), np.log(-np.log(Q[train])), 1)
    predicted = np.exp(-np.exp(intercept + slope * np.log(C[after])))
    (cell,) = found.successes.to_dict("records")
    assert cell["n"] == after.sum()
    assert cell["mre"] == pytest.approx(np.mean(np.abs(predicted / Q[after] - 1.0)), rel=1e-8)


def test_a_kink_gives_a_threshold():
    """A law fitted below a break of the power law fails; that far above it succeeds."""
    _, found = swept((3e20, 8e20, 2e21, 6e21, 1e21, 4e20), seed=5)
    (one,) = found.thresholds.to_dict("records")
    assert one["outcome"] == "fitted"
    assert one["lo"] < one["T50"] < one["hi"]
    assert 3e20 < one["T50"] < 5e22
    assert "T50" in str(found)


@pytest.mark.parametrize("count", [3, 4])
def test_few_benchmarks_have_no_interval(count):
    _, found = swept([1e21] * count, cutoffs=8)
    assert found.thresholds["lo"].isna().all() == (count < 4)


def test_exact_runs_succeed_everywhere():
    (one,) = swept([1e20] * 4, noise=0.0, cutoffs=8)[1].thresholds.to_dict("records")
    assert (one["outcome"], np.isnan(one["T50"]), one["lo"]) == ("all succeed", True, 0.0)
    assert one["n_success"] == one["n_fits"] > 0
