"""Backtests of laws of the loss."""

import pytest
from tests.data import grid_runs

from isoflop import Runs, backtest


@pytest.mark.parametrize("how", [{"hold_out": "compute > 1e21"}, {"cutoffs": 2}])
def test_fits_know_nothing_of_what_they_predict(how):
    """Held-out losses may be anything: predictions stay, of the largest runs at each cutoff."""
    runs = grid_runs()
    runs["compute"] = 6.0 * runs["params"] * runs["tokens"]
    found = backtest(Runs.read(runs), **how).table
    is_held = runs["compute"] >= found["size"].max() if "cutoffs" in how else runs["compute"] > 1e21
    changed = {**runs, "loss": runs["loss"] * (1.0 + 0.5 * is_held)}
    other = backtest(Runs.read(changed), **how).table
    cheapest = found["cutoff"] == found["cutoff"].min() if "cutoffs" in how else slice(None)
    assert found["predicted"][cheapest].to_numpy() == pytest.approx(
        other["predicted"][cheapest].to_numpy(), rel=1e-12
    )
    assert (other["observed"][cheapest] != found["observed"][cheapest]).any()
