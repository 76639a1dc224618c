"""Figures of backtests."""

import numpy as np
import pytest

from isoflop.numeric.passk.backtest import backtest
from isoflop.numeric.passk.plot_backtest import plot_backtest, plot_coefficient, plot_errors
from isoflop.numeric.plot import save


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
    np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort([row["decades_held_out"] for row in rows]))
    assert ax.get_yscale() == "log"
    assert "relative error of the loss" in ax.get_ylabel()


def test_a_coefficient_is_drawn_against_the_cutoff_with_its_final_band(result):
    from matplotlib.patches import Rectangle

    ax = plot_coefficient(result, "compute", "alpha")
    low, high = result.at("compute")[-1].final_interval("alpha", result.level)
    (band,) = ax.patches
    assert isinstance(band, Rectangle)
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((low, high))
    drawn = {float(np.asarray(line.get_xdata())[0]) for line in ax.lines if line.get_marker() in ("o", "^", "v")}
    assert drawn == {step.task.cutoff for step in result.steps if not step.failed}


def test_axes_that_are_given_are_used(result):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert plot_errors(result, ax) is ax
    assert plot_coefficient(result, "compute", "E", ax) is ax


def test_the_page_is_written(result, tmp_path):
    axes = plot_backtest(result)
    assert len(axes) == 1 + 3
    save(axes, tmp_path / "page.svg")
    text = (tmp_path / "page.svg").read_text()
    assert "<svg" in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("power", "alpha"), "law='power': must be one of compute"),
        (("compute", "gamma"), "coefficient='gamma': the law compute has E, C0, alpha"),
    ],
)
def test_unknown_names(result, given, message):
    with pytest.raises(ValueError, match=message):
        plot_coefficient(result, *given)


def test_unknown_k(result):
    with pytest.raises(ValueError, match="k=7: must be one of 0"):
        plot_errors(result, k=7)
