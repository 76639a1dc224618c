"""Logistic regression against its equations, and T50 of a sweep."""

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.hold_out.threshold import logistic


@pytest.mark.parametrize("slope", [2.0, -1.0])
def test_both_derivatives_of_the_concave_likelihood_vanish(slope):
    random = np.random.default_rng(3)
    x = random.uniform(19.0, 23.0, size=80)
    won = random.random(80) < 1.0 / (1.0 + np.exp(-slope * (x - 21.0)))
    found = logistic(x, won)
    off = won - 1.0 / (1.0 + np.exp(-(found.intercept + found.slope * x)))
    assert np.abs([off.sum(), off @ (x - 21.0)]).max() < 1e-7
    assert found.outcome == ("fitted" if slope > 0.0 else "not rising")
    if slope > 0.0:
        assert found.low == found.high == pytest.approx(-found.intercept / found.slope)


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
    return backtest(Evaluations.read(pd.concat(rows)), laws="compute", sweep=True, **how)


def test_a_kink_gives_a_threshold():
    """A law fitted below a break of the power law fails; that far above it succeeds."""
    found = swept((3e20, 8e20, 2e21, 6e21), n=40)
    (row,) = found.thresholds.to_dict("records")
    assert row["outcome"] == "fitted"
    assert row["at_least"] == row["T50"] == row["at_most"]
    assert 3e20 < row["T50"] < 5e22
    assert "T50" in str(found)
    for cell in found.successes.head(12).itertuples():
        own = found.table.query("subject == @cell.subject and cutoff == @cell.cutoff")
        off = np.abs(own["predicted"] / own["observed"] - 1.0)
        assert (cell.n, cell.success) == (len(off), off.mean() < 0.1)


def test_exact_runs_succeed_everywhere():
    (row,) = swept([1e20] * 4, n=20, noise=0.0, cutoffs=4).thresholds.to_dict("records")
    assert (row["outcome"], np.isnan(row["T50"]), row["at_least"]) == ("all succeed", True, 0.0)
    assert row["n_success"] == row["n_fits"] > 0
