"""Backtests of the loss of runs."""

from typing import Any

import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.hold_out import backtest


def runs_table(noise=1e-3, seed=0):
    """36 runs of a params+tokens law with lognormal noise."""
    return grid_runs(6, 6, tokens=(2e9, 2e11), noise=noise, seed=seed)


def test_runs_are_predicted():
    """Runs off the frontier follow the params+tokens law, and no compute law."""
    found = backtest(runs_table(), targets=3, resamples=30, cutoffs=5)
    assert found.laws == ("compute", "params-tokens")
    near = {row["law"]: row for row in found.errors() if row["decades_hi"] == 1.0}
    medians = {law: row["median_error"] for law, row in near.items()}
    assert medians["params-tokens"] < 0.005 < medians["compute"]
    overall = {row["law"]: row for row in found.errors(by_decades=False)}
    assert overall["params-tokens"]["coverage"] > 0.6
    assert "k" not in found.rows()[0]


def test_a_formula_is_a_law():
    """The same law as a formula predicts the same, with the same errors."""
    formula = "E + A*N^-beta + B*D^-gamma"
    found = backtest(runs_table(), laws=["params-tokens", formula], targets=3, cutoffs=2)
    named, written = ([row for row in found.rows() if row["law"] == law] for law in found.laws)
    for one, other in zip(named, written, strict=True):
        assert one["predicted"] == pytest.approx(other["predicted"], rel=1e-6)
    with pytest.raises(ValueError, match="model='best': names no column of the runs"):
        backtest(runs_table(), laws="best")


def test_prediction_intervals_hold_as_often_as_they_say():
    inside = []
    for seed in range(12):
        table = runs_table(3e-3, seed)
        found = backtest(table, laws="params-tokens", targets=4, cutoffs=[6e20], resamples=0)
        inside += [row["inside"] for row in found.rows()]
    assert 0.75 < np.mean(inside) <= 1.0


def test_a_condition_holds_out_what_it_names():
    """One fit a law, to all other runs; those of the condition may be cheap ones."""
    table = runs_table()
    table["source"] = np.where(np.arange(36) % 4, "a", "b")
    found = backtest(table, hold_out="source == 'b'", resamples=0)
    rows = [row for row in found.rows() if row["law"] == "params-tokens"]
    assert len(found) == 2
    assert {row["target"] for row in rows} == {f"row {i + 1}" for i in range(0, 36, 4)}
    assert {row["n_train"] for row in rows} == {27}
    assert max(abs(row["relative_error"]) for row in rows) < 0.01
    with pytest.raises(ValueError, match="holds out none"):
        backtest(table, hold_out="source == 'c'")


def test_processes_change_nothing():
    pytest.importorskip("joblib")
    options: dict[str, Any] = {"laws": ["compute", "params-tokens"], "cutoffs": 3, "resamples": 10}
    one, two = (backtest(runs_table(), jobs=jobs, **options) for jobs in (1, 2))
    assert one.as_dict() == two.as_dict()
