"""Figures of backtests: the errors, the laws of accuracy over the runs, the successes of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.sample import Points
from ..errors import outside
from .panels import (
    COLOURS,
    COLUMN,
    DASHES,
    DIM,
    PAGE,
    PALE,
    POINTS,
    _axes,
    _figure,
    _literal,
    curve_with_band,
    figure_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from ..accuracy.law import LawFit
    from ..hold_out import Backtest

__all__ = ["plot_accuracy", "plot_backtest", "plot_errors", "plot_success"]

#: The marks of runs that were fitted, left out of the fit, and held out; the colour of their part.
MARKS: Any = {
    "fitted": {"marker": "o", "s": 4.8, "color": DIM, "linewidths": 0.0},
    "not fitted": {"marker": "x", "s": 5.4, "color": DIM, "linewidths": 0.6},
    "held out": {
        "marker": "o",
        "s": 7.8,
        "facecolors": "none",
        "edgecolors": "black",
        "linewidths": 0.8,
    },
}
SHADE = "#F2EFE6"
#: A line goes through the medians of bins of this many decades with at least this many predictions.
BIN, LEAST_IN_BIN = 0.5, 5
#: The vertical spread of successes at one height; the factor by which an axis of compute extends
#: beyond the runs.
SPREAD, EDGE = 0.035, 1.7
#: The most panels in a row; the inches of a row, and of the space above and below all panels.
ACROSS, ROW, FRAME = 4, 1.7, 0.95


def plot_backtest(result: Backtest) -> Any:
    """The main figure of a backtest: for evaluations a panel for each benchmark with its laws over the
    runs (`plot_accuracy`), or in a sweep a panel for each law with its successes (`plot_success`);
    else the errors (`plot_errors`).
    """
    if result.what != "evaluations":
        return figure_of(plot_errors(result))
    draw: Any = plot_success if len(result.thresholds) else plot_accuracy
    names = list(result.thresholds["law"] if len(result.thresholds) else result.points)
    across = min(ACROSS, len(names))
    rows = -(-len(names) // across)
    with _figure((PAGE if across > 1 else COLUMN, ROW * rows + FRAME)) as figure:
        panels, shown = figure.subplots(rows, across, squeeze=False).flat, dict[str, Any]()
        for ax in panels[len(names) :]:
            ax.set_axis_off()
        for name, ax in zip(names, panels, strict=False):
            draw(result, name, ax)
            handles, labels = ax.get_legend_handles_labels()
            shown = dict(zip(labels, handles, strict=True)) | shown
        legend: Any = {"loc": "outside upper center", "ncols": across, "fontsize": 7.0}
        figure.legend(list(shown.values()), list(shown), **legend)
    return figure


def plot_errors(result: Backtest, ax: Axes | None = None) -> Axes:
    """The absolute relative error of every usable prediction by law, against the decades from the
    cutoff to the target, or against the size of the target if a condition holds it out.

    Of pass@k the first k is drawn. Lines go through the medians of half decades with at least five
    predictions.
    """
    at = next(iter(result.points))
    is_rolling, table = result.hold_out is None, result.table[result.table["usable"]]
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for law, own in table[table["subject"] == at].groupby("law", sort=False):
            index = result.laws.index(str(law))
            x = own["decades_held_out"] if is_rolling else np.log10(own["size"])
            y, style = own["relative_error"].abs(), dict[str, Any](color=COLOURS[index])
            medians = _medians(x.to_numpy(), y.to_numpy())
            ax.scatter(x, y, s=4.0, alpha=0.4, linewidths=0.0, **style)
            ax.plot(*medians, DASHES[index % len(DASHES)], label=law, **style)
        response = f"$-\\log$ pass@{at}" if result.what == "counts" else "the loss"
        held_out = f"decades of {result.axis} held out"
        label = held_out if is_rolling else rf"$\log_{{10}}$ {result.axis} of held-out rows"
        ax.set(xlabel=label, ylabel=f"relative error of {response}", yscale="log")
        if len(table):
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        else:
            ax.text(0.5, 0.5, "no usable prediction", ha="center", transform=ax.transAxes)
    return ax


def _medians(x: Any, y: Any) -> Any:
    """The medians (2, B) of x and y in the bins that hold enough predictions."""
    bins = np.floor(np.round(x / BIN, 4)).astype(int)
    kinds, counts = np.unique(bins, return_counts=True)
    filled = kinds[counts >= LEAST_IN_BIN]
    return np.array([[np.median(values[bins == one]) for one in filled] for values in (x, y)])


def plot_success(result: Backtest, law: str, ax: Axes | None = None) -> Axes:
    """The successes of a law against the threshold, with the logistic curve and T50.
    Without a finite fit of the regression there is no curve.

    Raises
    ------
    ValueError
        If the backtest is not a sweep of cutoffs in compute, or has no such law.
    """
    found = next((row for row in result.thresholds.to_dict("records") if row["law"] == law), None)
    if found is None:
        raise outside("law", law, "one that a sweep of cutoffs in compute has a threshold of")
    cells, names = result.successes.query("law == @law"), list(result.points)
    left, right = cells["cutoff"].min() / 1.15, cells["cutoff"].max() * 1.15
    colour = COLOURS[result.laws.index(law) % len(COLOURS)]
    with _axes(ax, (COLUMN, 2.4)) as ax:
        row = np.array([names.index(name) for name in cells["subject"]])
        heights = cells["success"] + SPREAD * (2.0 * (row + 0.5) / len(names) - 1.0)
        style: Any = {"color": DIM, "markersize": 1.8, "markeredgewidth": 0.0, "alpha": 0.6}
        ax.plot(cells["cutoff"], heights, "o", label="a fit on a benchmark", **style)
        path = np.geomspace(left, right, POINTS)
        curve = np.exp(-np.logaddexp(0.0, -(found["intercept"] + found["slope"] * np.log10(path))))
        ax.plot(path, curve, color=colour)
        if left <= found["T50"] <= right:
            ax.axvline(found["T50"], color=colour, linestyle="--", linewidth=0.9)
        shown = f"{found['T50']:.3g}".replace("e+", "e").replace("nan", found["outcome"])
        ax.set_title(f"{_literal(law)}\n$T_{{50}}$: {shown}")
        ax.set(xlabel="threshold $T$ (FLOP)", ylabel="success of the extrapolation", xscale="log")
        ax.set(xlim=(left, right), ylim=(-0.1, 1.1), yticks=[0.0, 0.5, 1.0])
    return ax


def plot_accuracy(result: Backtest, benchmark: str, ax: Axes | None = None) -> Axes:
    """Every law over the runs of a benchmark, without a legend.

    Held-out runs are open, and if all of them have more compute than the fitted ones their part is
    shaded. Laws of params and tokens are drawn at the median D/N of the runs, a law of compute and k
    at k = 1. Bands are pointwise percentiles of refits to resamples.

    Raises
    ------
    ValueError
        If the backtest does not have the benchmark.
    """
    if benchmark not in result.points:
        raise outside("benchmark", benchmark, f"one of {', '.join(map(str, result.points))}")
    points, finals = result.points[benchmark], result.finals.query("subject == @benchmark")
    compute, Q = points["compute"].to_numpy(), points["observed"].to_numpy()
    trained, held = np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    for fit, split in zip(finals["fit"], finals["split"], strict=True):
        if len(split.train) == len(points):
            trained |= split.train & (fit is not None)
            held |= split.test
    path = np.geomspace(compute.min() / EDGE, compute.max() * EDGE, POINTS)
    guessing = result.baselines[benchmark].value
    with _axes(ax, (COLUMN, 2.6)) as ax:
        if held.any() and not held.all() and compute[held].min() > compute[~held].max():
            start = np.sqrt(compute[held].min()) * np.sqrt(compute[~held].max())
            ax.axvspan(start, 10.0 * compute.max(), color=SHADE, linewidth=0, zorder=0)
        for label, chosen in zip(MARKS, (trained & ~held, ~trained & ~held, held), strict=True):
            if chosen.any():
                ax.scatter(compute[chosen], Q[chosen], label=label, zorder=3, **MARKS[label])
        ax.axhline(guessing, color=PALE, linewidth=0.8, zorder=1, label="guessing")
        for fit in finals["fit"].dropna():
            index, asks = result.laws.index(fit.name), {*fit.kind.asks}
            at_ratio = " at median $D/N$" if {"params", "tokens"} & asks else ""
            label = f"{fit.name}{at_ratio}{' at $k=1$' if 'k' in asks else ''}"
            line: Any = {"color": COLOURS[index % len(COLOURS)], "linewidth": 1.1, "zorder": 2}
            line |= {"linestyle": DASHES[index % len(DASHES)], "label": label}
            curve_with_band(ax, path, fit.band(along(fit, path, points), result.level), **line)
        ax.set(
            xscale="log",
            xlabel="training compute (FLOP)",
            ylabel="accuracy",
            title=_literal(benchmark),
        )
        room = 0.12 * (max(Q.max(), guessing) - min(Q.min(), guessing))
        ax.set(xlim=(path[0], path[-1]), ylim=(min(Q.min(), guessing) - room, Q.max() + room))
    return ax


def along(fit: LawFit, path: Any, points: DataFrame) -> Points:
    """The points over a path of compute at which a law is drawn: at the median D/N of the runs, and
    at k = 1.
    """
    at = {"compute": path, "k": np.ones(len(path))}
    if {"params", "tokens"} & {*fit.kind.asks}:
        ratio = float(np.median(points["tokens"] / points["params"]))
        at |= {"params": formulas.ray_params(path, ratio)}
        at |= {"tokens": formulas.ray_tokens(path, ratio)}
    return Points(**at)
