"""Figures of backtests."""

import numpy as np
import pytest

from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.plot.backtest import SMALLEST_ERROR, plot_errors, plot_successes


@pytest.fixture(scope="module")
def result():
    compute = np.geomspace(1e18, 1e23, 20)
    noise = np.exp(3e-3 * np.random.default_rng(0).standard_normal(20))
    table = {"compute": compute, "loss": (1.7 + 2e3 * compute**-0.16) * noise}
    return backtest(table, targets=3, resamples=50)


def test_errors_are_drawn_at_the_decades_held_out(result):
    ax = plot_errors(result)
    drawn = np.asarray(ax.collections[0].get_offsets())
    rows = [row for row in result.rows() if row["converged"]]
    np.testing.assert_allclose(
        np.sort(drawn[:, 0]), np.sort([row["decades_held_out"] for row in rows])
    )
    assert ax.get_yscale() == "log"
    assert "relative error of the loss" in ax.get_ylabel()


def test_errors_too_small_for_the_axis_are_marked_as_such():
    compute = np.geomspace(1e18, 1e23, 30)
    found = backtest(
        {"compute": compute, "loss": 1.7 + 2e3 * compute**-0.16},
        targets="all",
        laws="compute",
        resamples=0,
    )
    ax = plot_errors(found)
    values = np.abs([row["relative_error"] for row in found.rows() if row["converged"]])
    heights = [np.asarray(part.get_offsets())[:, 1] for part in ax.collections]
    (marked,) = (y for y in heights if len(y) and (y == SMALLEST_ERROR).all())
    assert len(marked) == (values < SMALLEST_ERROR).sum() > 0
    assert ax.get_ylim()[0] == SMALLEST_ERROR
    assert "below 0.1 %" in ax.get_legend_handles_labels()[1]


def test_of_a_sweep_the_successes_are_drawn_with_their_threshold():
    compute = np.geomspace(1e20, 1e23, 40)
    rows: dict[str, list] = {"compute": [], "benchmark": [], "metric_type": [], "score": []}
    for i, kink in enumerate((3e20, 8e20, 2e21, 6e21)):
        x = np.log(compute / kink)
        y = 0.3 - np.where(x > 0.0, 0.5, 0.1) * x
        y = y + 0.01 * np.random.default_rng(i).standard_normal(len(compute))
        rows["compute"] += compute.tolist()
        rows["benchmark"] += [f"b{i}"] * len(compute)
        rows["metric_type"] += ["pass@1"] * len(compute)
        rows["score"] += np.exp(-np.exp(y)).tolist()
    found = backtest(Evaluations.read(rows), laws="compute", targets="all")
    (one,) = found.thresholds()
    (ax,) = plot_successes(found)
    assert one["outcome"] == "fitted"
    assert f"{one['T50']:.3g}".replace("e+", "e") in ax.get_title()
    (dashed,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert np.asarray(dashed.get_xdata())[0] == one["T50"]
