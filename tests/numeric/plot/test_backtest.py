"""Figures of backtests."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from isoflop.numeric.hold_out import backtest
from isoflop.numeric.hold_out.counts import FittedPass
from isoflop.numeric.plot.backtest import (
    SMALLEST_ERROR,
    plot_coefficient,
    plot_errors,
)
from isoflop.numeric.results import Estimate
from isoflop.numeric.simulate.counts import Fixed, grid, law_truth, simulate


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


def test_a_coefficient_is_drawn_against_the_cutoff_with_its_final_band(result):
    ax = plot_coefficient(result, "compute", "alpha")
    final = result.final("compute").fitted.final("alpha")
    (band,) = ax.patches
    assert isinstance(band, Rectangle)
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx(
        (final.low, final.high)
    )
    drawn = {
        float(np.asarray(line.get_xdata())[0])
        for line in ax.lines
        if line.get_marker() in ("o", "^", "v")
    }
    assert drawn == {fit.split.at for fit in result.judged if fit.fitted is not None}


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


@pytest.fixture(scope="module")
def of_counts():
    design = grid((1e8, 4e8, 1.6e9), (2e9, 1.3e10, 7e10, 5e11))
    truth = law_truth(design, "compute", {"E0": 0.3, "C0": 2e3, "alpha": 0.16}, concentration=200.0)
    made = simulate(design, truth, problems=40, sampling=Fixed(200), rng=1).counts()
    return backtest(made, laws=["compute", "params-tokens"], k=[1, 8, 16], cutoffs=3, resamples=0)


@pytest.mark.parametrize("ends", [(0.2, np.inf), (0.0, 0.4), (0.0, np.inf)])
def test_an_interval_without_an_end_reaches_the_edge(of_counts, ends, monkeypatch):
    monkeypatch.setattr(FittedPass, "final", lambda *_: Estimate(0.3, *ends))
    ax = plot_coefficient(of_counts, "compute", "alpha", k=1)
    (band,) = ax.patches
    assert isinstance(band, Rectangle)
    low, high = ax.get_ylim()
    assert band.get_y() == pytest.approx(ends[0] if ends[0] > 0.0 else low)
    assert band.get_y() + band.get_height() == pytest.approx(
        ends[1] if np.isfinite(ends[1]) else high
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("power", "alpha"), "law='power': must be one of compute"),
        (("compute", "gamma"), "coefficient='gamma': must be one of E, C0, alpha"),
    ],
)
def test_unknown_names(result, given, message):
    with pytest.raises(ValueError, match=message):
        plot_coefficient(result, *given)
