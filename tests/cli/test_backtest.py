"""isoflop backtest of counts, runs and evaluations; isoflop simulate: what it writes is what the
library draws.
"""

from pathlib import Path

import pandas as pd
import pytest

from isoflop.numeric.simulate import simulate_counts, simulate_losses

COUNTS = "backtest counts.csv --k 1 --law compute --bootstrap 0"


@pytest.fixture(autouse=True)
def _there(there) -> None:
    """Every test runs beside the tables."""


def test_a_sweep_with_its_picture(data) -> None:
    found = data(f"{COUNTS} --cutoffs 3 --sweep --plot page.png")["predictions"]
    assert len({row["target"] for row in found}) > 1
    assert all(row["decades_held_out"] > 0.0 for row in found)
    assert Path("page.png").read_bytes().startswith(b"\x89PNG")


def test_cutoffs_are_a_number_or_values(data) -> None:
    words = "backtest scores.csv --law compute --benchmark piqa --cutoffs"
    rolling = data(f"{words} 2 --rolling compute")
    assert (len(rolling["fits"]), rolling["thresholds"]) == (2, [])
    swept = data(f"{words} 1e20 1e21 3e21 --sweep")
    cutoffs = sorted(row["cutoff"] for row in swept["fits"])
    assert cutoffs == pytest.approx([1e20, 1e21, 3e21])
    assert [row["law"] for row in swept["thresholds"]] == ["compute"]


def test_the_mean_over_benchmarks(data) -> None:
    words = "backtest scores.csv --law compute --hold-out 'compute > 1e22'"
    found = data(f"{words} --average piqa 'task two' --random-baseline piqa=50% 'task two=0'")
    baselines = {name: row["value"] for name, row in found["random_baselines"].items()}
    assert baselines == {"piqa": 0.5, "task two": 0.0, "average": 0.0}
    observed = {(row["subject"], row["target"]): row["observed"] for row in found["predictions"]}
    for (name, run), value in observed.items():
        if name == "average":
            normalised = 2.0 * observed["piqa", run] - 1.0
            assert value == pytest.approx(0.5 * (normalised + observed["task two", run]))


def test_simulated_tables_are_those_of_the_library(call, tmp_path) -> None:
    counts = simulate_counts(seeds=(6, 7, 8))
    for words, expected in (("runs", simulate_losses()), ("counts --seed 2", counts)):
        place = tmp_path / "table.csv"
        assert call(f"simulate {words} --output", place) == (0, "", "")
        pd.testing.assert_frame_equal(pd.read_csv(place), expected)


def test_a_long_table_is_not_written_to_a_terminal(call, refused, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("isoflop.cli.simulate.is_terminal", lambda stream: True)
    refused(("--output is missing",), "simulate runs")
    assert call("simulate runs -o", tmp_path / "runs.csv") == (0, "", "")
