"""Figures of backtests: errors against decades held out, laws of accuracy over their runs, successes
over thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, POINTS, _axes, _figure, _literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from ..hold_out import Backtest

__all__ = ["plot_backtest", "plot_errors", "plot_successes"]

#: A line goes through the medians of bins of so many decades with at least so many predictions.
BIN, LEAST_IN_BIN = 0.5, 5
#: Smaller relative errors are drawn here, as triangles.
SMALLEST_ERROR = 1e-3
AXES = {
    "compute": "training compute (FLOP)",
    "params": "params",
    "tokens": "training tokens",
    "gold": "gold $-\\log$ probability (nats)",
}
SPREAD = 0.035
#: Panels in a row.
COLUMNS = 4


def plot_backtest(result: Backtest) -> Any:
    """The figure that says most: of evaluations the laws over the runs (`plot_laws_of_accuracy`), or
    of a sweep their successes (`plot_successes`); else the errors (`plot_errors`).
    """
    if result.what != "evaluations":
        return plot_errors(result)
    if result.thresholds():
        return plot_successes(result)
    from .compare import plot_laws_of_accuracy

    return plot_laws_of_accuracy(result)


def plot_errors(result: Backtest, ax: Axes | None = None, *, k: int | None = None) -> Axes:
    """Absolute relative error of every prediction against decades from the cutoff to the target, by
    law; against the size of the target where a condition holds it out.

    Lines go through the medians of half decades with at least five predictions; certified fits
    alone. Triangles at the lower edge are errors below 0.1 %.

    Parameters
    ----------
    result : Backtest
    ax : Axes, optional
    k : int, optional
        By default the first.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    at = result.subjects[0] if k is None else k
    result.of(at)  # or the error that says which there are
    condition = result.rule is not None and result.rule.hold_out
    table = result.table[result.table["usable"] & (result.table["subject"] == at)]
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for index, law in enumerate(result.laws):
            own = table[table["law"] == law]
            decades = np.log10(own["size"]) if condition else own["decades_held_out"]
            x, y = decades.to_numpy(), own["relative_error"].abs().to_numpy()
            size, alpha = (5.0, 0.5) if len(x) < 300 else (1.5, 0.15)
            style: Any = {"color": COLOURS[index], "linewidths": 0.0}
            small = y < SMALLEST_ERROR
            ax.scatter(x[~small], y[~small], s=size, alpha=alpha, **style)
            if small.any():
                lowest = np.full(small.sum(), SMALLEST_ERROR)
                on_edge: Any = {"marker": "v", "clip_on": False, "zorder": 3}
                ax.scatter(x[small], lowest, s=7.0, alpha=0.6, **on_edge, **style)
            if len(x):
                ax.plot(*_medians(x, y), DASHES[index], color=COLOURS[index], label=law)
        ax.set_yscale("log")
        if (table["relative_error"].abs() < SMALLEST_ERROR).any():
            ax.set_ylim(bottom=SMALLEST_ERROR)
            label = f"below {100 * SMALLEST_ERROR:g} %"
            ax.plot([], [], "v", color=DIM, markersize=2.6, linestyle="none", label=label)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        of = f"$-\\log$ pass@{at}" if result.what == "counts" else "the loss"
        ax.set_ylabel(f"relative error of {of}")
        if condition:
            ax.set_xlabel(f"$\\log_{{10}}$ of {AXES[result.axis]}, held-out rows")
        else:
            ax.set_xlim(left=0.0)
            ax.set_xlabel(f"decades of {result.axis} held out")
        if ax.get_legend_handles_labels()[0]:
            outside_axes: Any = {"bbox_to_anchor": (1.0, 1.0), "ncols": 4} if condition else {}
            ax.legend(loc="lower right", **outside_axes)
    return ax


def _medians(x: Any, y: Any) -> tuple[list[float], list[float]]:
    """Medians of the bins that hold enough."""
    bins = np.floor(np.round(x / BIN, 4)).astype(int)
    kinds, counts = np.unique(bins, return_counts=True)
    filled = kinds[counts >= LEAST_IN_BIN]
    median_x, median_y = (
        [float(np.median(values[bins == one])) for one in filled] for values in (x, y)
    )
    return median_x, median_y


def plot_successes(result: Backtest) -> Any:
    """The successes of every law over the threshold with the logistic curve, T50 and its interval;
    where the regression has no finite fit, there is no curve.

    Parameters
    ----------
    result : Backtest
        Where each cutoff in compute predicted all rows beyond it.

    Returns
    -------
    ndarray of Axes
        One a law.

    Raises
    ------
    ValueError
        Where there is no such cutoff.
    """
    found = result.thresholds()
    if not found:
        raise outside("result", "no threshold", "a sweep of cutoffs in compute")
    cells = result.successes()
    across = min(COLUMNS, len(found))
    rows = -(-len(found) // across)
    with _figure((PAGE, 1.7 * rows + 0.3)) as page:
        panels = page.subplots(rows, across, squeeze=False)
        for index, (one, ax) in enumerate(zip(found, panels.flat, strict=False)):
            _draw_successes(one, cells, COLOURS[index % len(COLOURS)], ax)
        for ax in panels.flat[len(found) :]:
            ax.set_axis_off()
        page.supylabel("success of the extrapolation", fontsize=8.0)
        shaded = f"shaded: {100.0 * result.level:g} % interval of $T_{{50}}$"
        page.supxlabel(f"threshold $T$ (FLOP)\n{shaded}", fontsize=8.0)
    return panels.flat[: len(found)]


def _draw_successes(one: dict[str, Any], cells: DataFrame, colour: str, ax: Axes) -> None:
    """Successes and failures of a law, the logistic curve, and T50 with its interval."""
    left, right = cells["cutoff"].min() / 1.15, cells["cutoff"].max() * 1.15
    names = list(dict.fromkeys(cells["subject"]))
    for row, name in enumerate(names):
        shift = SPREAD * ((row + 0.5) / len(names) - 0.5) * 2.0
        own = cells[(cells["subject"] == name) & (cells["law"] == one["law"])]
        style: Any = {"color": DIM, "markersize": 1.8, "markeredgewidth": 0.0, "alpha": 0.6}
        ax.plot(own["cutoff"], own["success"].astype(float) + shift, "o", **style)
    low, high = max(left, one["T50_low"] or 0.0), min(right, one["T50_high"] or np.inf)
    if not one["without_interval"] and left < high and low < high and (low, high) != (left, right):
        ax.axvspan(low, high, color=colour, alpha=0.12, linewidth=0)
    if one["slope"] is not None:
        path = np.geomspace(left, right, POINTS)
        curve = np.exp(-np.logaddexp(0.0, -(one["intercept"] + one["slope"] * np.log10(path))))
        ax.plot(path, curve, color=colour)
    T50 = one["T50"]
    if T50 is not None and left <= T50 <= right:
        ax.axvline(T50, color=colour, linestyle="--", linewidth=0.9)
    shown = "none" if T50 is None else f"{T50:.3g}".replace("e+", "e")
    ax.set_title(f"{_literal(one['law'])}\n$T_{{50}}$: {shown}")
    ax.set_xscale("log")
    ax.set_xlim(left, right)
    ax.set_ylim(-0.1, 1.1)
    ax.set_yticks([0.0, 0.5, 1.0])
