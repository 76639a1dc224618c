"""Figures of backtests: points, laws, bands and thresholds are where the result has them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.data import accuracies, at_ratios, evaluations

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.plot.backtest import (
    along,
    plot_accuracy,
    plot_backtest,
    plot_errors,
    plot_success,
)

GUESS = 0.2
PARAMS, TOKENS = at_ratios(np.geomspace(1e19, 1e23, 8), (5.0, 20.0, 100.0))


def test_errors_are_drawn_at_the_decades_held_out():
    compute = np.geomspace(1e18, 1e23, 30)
    noise = np.exp(3e-3 * np.random.default_rng(0).standard_normal(30))
    runs = {"compute": compute, "loss": (1.7 + 2e3 * compute**-0.16) * noise}
    table = Runs.read(runs, require=("loss",))
    found = backtest(table, sweep=True, laws="compute", resamples=0, cutoffs=6)
    ax, rows = plot_errors(found), found.table[found.table["usable"]]
    (points,) = (np.asarray(part.get_offsets()) for part in ax.collections)
    wanted = rows[["decades_held_out", "relative_error"]].abs().to_numpy()
    np.testing.assert_allclose(points, wanted)
    assert ax.get_yscale() == "log"
    nothing = plot_errors(backtest(table, laws="compute", cutoffs=[1.0]))
    assert [text.get_text() for text in nothing.texts] == ["no usable prediction"]


def test_the_successes_of_a_sweep_are_drawn_with_their_threshold():
    compute, rows = np.geomspace(1e20, 1e23, 40), []
    for i, kink in enumerate((3e20, 8e20, 2e21)):
        x = np.log(compute / kink)
        y = 0.3 - np.where(x > 0.0, 0.5, 0.1) * x + 0.01 * np.random.default_rng(i).normal(size=40)
        columns = {"compute": compute, "benchmark": f"b{i}", "metric_type": "pass@1"}
        rows.append(pd.DataFrame(columns | {"score": np.exp(-np.exp(y))}))
    found = backtest(Evaluations.read(pd.concat(rows)), laws="compute", sweep=True, cutoffs=12)
    (row,) = found.thresholds.to_dict("records")
    ax = plot_success(found, "compute")
    assert row["outcome"] == "fitted"
    assert f"{row['T50']:.3g}".replace("e+", "e") in ax.get_title()
    (dashed,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert np.asarray(dashed.get_xdata())[0] == row["T50"]
    assert [panel.get_title() for panel in plot_backtest(found).axes] == [ax.get_title()]


# -- laws of accuracy ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared():
    """Runs with a params+tokens law, of which the smallest are within 0.05 of guessing."""
    law = {"A": 270.0, "B": 1800.0, "beta": 0.27, "gamma": 0.3}
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(0)}
    scores = {("task", "acc"): accuracies(PARAMS, TOKENS, baseline=GUESS, law=law, **noisy)}
    options: Any = {"hold_out": "compute > 1e22", "baselines": {"task": Baseline(GUESS)}}
    table = Evaluations.read(evaluations(PARAMS, TOKENS, scores))
    return backtest(table, laws=("compute", "params-tokens"), resamples=10, **options)


def test_runs_are_where_they_were_measured_and_held_out_ones_open(compared) -> None:
    ax, points = plot_accuracy(compared, "task"), compared.points["task"]
    held = (points.compute > 1e22).to_numpy()  # all of them above guessing
    clear = (points.observed > GUESS + 0.05).to_numpy()
    places = points[["compute", "observed"]].to_numpy()
    marks: list[Any] = list(ax.collections)
    parts = [part for part in marks if len(part.get_offsets()) > 1]
    for part, chosen in zip(parts, (~held & clear, ~held & ~clear, held), strict=True):
        assert chosen.any()
        assert np.asarray(part.get_offsets()) == pytest.approx(places[chosen])
    assert [len(part.get_facecolors()) for part in parts] == [1, 1, 0]
    ends = points.compute[~held].max(), points.compute[held].min()
    shade: Any = ax.patches[0]
    assert shade.get_x() == pytest.approx(np.sqrt(ends[0]) * np.sqrt(ends[1]))


def test_laws_are_drawn_by_their_coefficients_with_their_bands(compared) -> None:
    """Laws of params and tokens at the median D/N."""
    ax = plot_accuracy(compared, "task")
    curves = {str(line.get_label()): np.asarray(line.get_xydata()) for line in ax.lines}
    A, B, beta, gamma = compared.fit("params-tokens", "task").values
    x, y = curves["params-tokens at median $D/N$"].T
    law = A * np.sqrt(x / 120.0) ** -beta + B * (20.0 * np.sqrt(x / 120.0)) ** -gamma
    assert y == pytest.approx(GUESS + (1.0 - GUESS) * np.exp(-law), rel=1e-9)
    fit, points = compared.fit("compute", "task"), compared.points["task"]
    x, y = curves["compute"].T
    C0, alpha = fit.values
    assert y == pytest.approx(GUESS + (1.0 - GUESS) * np.exp(-C0 * x**-alpha), rel=1e-9)
    edges = np.asarray(ax.collections[-2].get_paths()[0].vertices)
    band = fit.band(along(fit, x[[40, 320]], points), 0.9)
    for at, low, high in zip(x[[40, 320]], *band.ends, strict=True):
        heights = edges[np.isclose(edges[:, 0], at, rtol=1e-12), 1]
        assert (heights.min(), heights.max()) == pytest.approx((low, high), rel=1e-9)


def test_only_what_was_judged_is_drawn(compared) -> None:
    with pytest.raises(ValueError, match="benchmark='tusk': must be one of task"):
        plot_accuracy(compared, "tusk")
