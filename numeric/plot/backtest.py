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
    mark_runs,
    plain_logs,
    shade_held_out,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..accuracy.law import LawFit
    from ..data.sample import Sample
    from ..hold_out import Backtest

__all__ = ["plot_accuracy", "plot_backtest", "plot_errors", "plot_success"]

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
#: Of successes that lie above each other; of the axis of compute beyond the runs, as a factor; of
#: that of accuracy beyond them, as a share.
SPREAD, EDGE, HEADROOM = 0.035, 1.7, 0.12
#: Panels in a row, and inches of a row and of what is above and below them all.
ACROSS, ROW, FRAME = 4, 1.7, 0.95


def plot_backtest(result: Backtest) -> Any:
    """The figure that says most: of evaluations a panel a benchmark with its laws over the runs
    (`plot_accuracy`), or of a sweep a panel a law with its successes (`plot_success`); else the
    errors (`plot_errors`).
    """
    if result.what != "evaluations":
        return figure_of(plot_errors(result))
    is_sweep = bool(result.thresholds)
    names: Any = result.laws if is_sweep else result.subjects
    across = min(ACROSS, len(names))
    rows = -(-len(names) // across)
    with _figure((PAGE if across > 1 else COLUMN, ROW * rows + FRAME)) as figure:
        panels = figure.subplots(rows, across, squeeze=False).flat
        shown: dict[str, Any] = {}
        for name, ax in zip(names, panels, strict=False):
            (plot_success if is_sweep else plot_accuracy)(result, name, ax)
            handles, labels = ax.get_legend_handles_labels()
            shown = dict(zip(labels, handles, strict=True)) | shown
            ax.set(xlabel="", ylabel="")
        for ax in panels[len(names) :]:
            ax.set_axis_off()
        figure.supxlabel("threshold $T$ (FLOP)" if is_sweep else AXES["compute"], fontsize=8.0)
        figure.supylabel("success of the extrapolation" if is_sweep else "accuracy", fontsize=8.0)
        legend: Any = {"loc": "outside upper center", "ncols": across, "fontsize": 7.0}
        figure.legend(list(shown.values()), list(shown), **legend)
    return figure


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
    from matplotlib.ticker import FuncFormatter

    at = result.subjects[0] if k is None else k
    result.of(at)  # or the error that says which there are
    condition, axis = result.rule.hold_out, result.rule.axis
    table = result.table[result.table["usable"] & (result.table["subject"] == at)]
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for index, law in enumerate(result.laws):
            own = table[table["law"] == law]
            x = own["size" if condition else "decades_held_out"].to_numpy()
            y, style = own["relative_error"].abs().to_numpy(), dict[str, Any](color=COLOURS[index])
            size, alpha = (5.0, 0.5) if len(x) < 300 else (1.5, 0.15)
            small = y < SMALLEST_ERROR
            ax.scatter(x[~small], y[~small], s=size, alpha=alpha, linewidths=0.0, **style)
            if small.any():
                lowest = np.full(small.sum(), SMALLEST_ERROR)
                on_edge: Any = {"marker": "v", "clip_on": False, "zorder": 3, "linewidths": 0.0}
                ax.scatter(x[small], lowest, s=7.0, alpha=0.6, **on_edge, **style)
            if len(x):
                places, medians = _medians(np.log10(x) if condition else x, y)
                ax.plot(10.0**places if condition else places, medians, DASHES[index], **style)
                key: Any = {"marker": "o", "markersize": 2.5, "linestyle": DASHES[index]}
                ax.plot([], [], label=law, **key, **style)
        ax.set_yscale("log")
        if (table["relative_error"].abs() < SMALLEST_ERROR).any():
            ax.set_ylim(bottom=SMALLEST_ERROR)
            label = f"below {100 * SMALLEST_ERROR:g} %"
            ax.plot([], [], "v", color=DIM, markersize=2.6, linestyle="none", label=label)
        plain_logs(ax.yaxis)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        of = f"$-\\log$ pass@{at}" if result.what == "counts" else "the loss"
        ax.set_ylabel(f"relative error of {of}")
        if condition:
            ax.set_xscale("log")
            ax.set_xlabel(f"{AXES[axis]} of held-out rows")
        else:
            ax.set_xlim(left=0.0)
            ax.set_xlabel(f"decades of {axis} held out")
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def _medians(x: Any, y: Any) -> Any:
    """Medians (2, B) of x and y in the bins that hold enough."""
    bins = np.floor(np.round(x / BIN, 4)).astype(int)
    kinds, counts = np.unique(bins, return_counts=True)
    filled = kinds[counts >= LEAST_IN_BIN]
    return np.array([[np.median(values[bins == one]) for one in filled] for values in (x, y)])


def plot_success(result: Backtest, law: str, ax: Axes | None = None) -> Axes:
    """The successes of a law over the threshold with the logistic curve, T50 and its interval; where
    the regression has no finite fit, there is no curve.

    Raises
    ------
    ValueError
        Where the backtest is no sweep of cutoffs in compute, or has no such law.
    """
    one = next((row for row in result.thresholds if row["law"] == law), None)
    if one is None:
        raise outside("law", law, "one that a sweep of cutoffs in compute has a threshold of")
    cells = result.successes
    left, right = cells["cutoff"].min() / 1.15, cells["cutoff"].max() * 1.15
    colour = COLOURS[result.laws.index(law) % len(COLOURS)]
    with _axes(ax, (COLUMN, 2.4)) as ax:
        style: Any = {"color": DIM, "markersize": 1.8, "markeredgewidth": 0.0, "alpha": 0.6}
        for row, name in enumerate(result.subjects):
            shift = SPREAD * (2.0 * (row + 0.5) / len(result.subjects) - 1.0)
            own = cells[(cells["subject"] == name) & (cells["law"] == law)]
            heights = own["success"].astype(float) + shift
            ax.plot(own["cutoff"], heights, "o", label="a fit on a benchmark", **style)
        low, high = max(left, one["T50_low"] or 0.0), min(right, one["T50_high"] or np.inf)
        if not one["without_interval"] and low < high and (low, high) != (left, right):
            label = f"{100.0 * result.level:g} % interval of $T_{{50}}$"
            ax.axvspan(low, high, color=PALE, alpha=0.5, linewidth=0, label=label)
        if one["slope"] is not None:
            path = np.geomspace(left, right, POINTS)
            curve = np.exp(-np.logaddexp(0.0, -(one["intercept"] + one["slope"] * np.log10(path))))
            ax.plot(path, curve, color=colour)
        T50 = one["T50"]
        if T50 is not None and left <= T50 <= right:
            ax.axvline(T50, color=colour, linestyle="--", linewidth=0.9)
        shown = "none" if T50 is None else f"{T50:.3g}".replace("e+", "e")
        ax.set_title(f"{_literal(law)}\n$T_{{50}}$: {shown}")
        ax.set(xlabel="threshold $T$ (FLOP)", ylabel="success of the extrapolation", xscale="log")
        ax.set(xlim=(left, right), ylim=(-0.1, 1.1), yticks=[0.0, 0.5, 1.0])
    return ax


def plot_accuracy(result: Backtest, benchmark: str, ax: Axes | None = None) -> Axes:
    """Every law over the runs of a benchmark, without a legend.

    Held-out runs are open, and where they all have more compute than the fitted ones their part is
    shaded. Laws of params and tokens are drawn at the median D/N of the runs, a law of compute and k
    at k = 1. Bands are pointwise percentiles of refits to resamples.

    Raises
    ------
    ValueError
        Where the benchmark was not compared on, or the compute of its runs is not known.
    """
    finals = [fold for fold in result.of(benchmark) if fold.is_final]
    task = next((one.task for one in finals if one.task.rows.at.k is None), finals[0].task)
    sample: Sample = task.rows
    compute, trained = sample.at.column("compute"), np.zeros(len(sample), dtype=bool)
    fits: list[LawFit] = [fold.fit for fold in finals if fold.fit is not None]
    for fit in fits:
        trained |= np.isin(sample.index, fit.sample.index)
    held = ~trained & task.predictable if task.held is None else task.held
    path = np.geomspace(compute.min() / EDGE, compute.max() * EDGE, POINTS)
    with _axes(ax, (COLUMN, 2.6)) as ax:
        shade_held_out(ax, compute, held)
        mark_runs(ax, compute, sample.accuracy, held, trained, size=0.6)
        ax.axhline(sample.baseline, color=PALE, linewidth=0.8, zorder=1, label="guessing")
        for fit in fits:
            at = along(fit, path, sample)
            if at is not None:
                index, asks = result.laws.index(fit.name), {*fit.kind.asks}
                at_ratio = " at median $D/N$" if {"params", "tokens"} & asks else ""
                label = f"{fit.name}{at_ratio}{' at $k=1$' if 'k' in asks else ''}"
                line: Any = {"color": COLOURS[index % len(COLOURS)], "linewidth": 1.1, "zorder": 2}
                line |= {"linestyle": DASHES[index % len(DASHES)], "label": label}
                curve_with_band(ax, path, fit.band(at, result.level), **line)
        low, high = min(sample.accuracy.min(), sample.baseline), sample.accuracy.max()
        room = HEADROOM * ((high - low) or 1.0)
        ax.set(xscale="log", xlabel=AXES["compute"], ylabel="accuracy", title=_literal(benchmark))
        ax.set(xlim=(path[0], path[-1]), ylim=(max(low - room, -0.02), min(high + room, 1.02)))
        _sparse(ax)
    return ax


def along(fit: LawFit, path: Any, sample: Sample) -> Points | None:
    """Where a law is drawn over compute: at the median D/N of the runs, and at k = 1; None where it
    asks for what is not known.
    """
    at = {"compute": path, "k": np.ones(len(path))}
    if sample.at.params is not None and sample.at.tokens is not None:
        ratio = float(np.median(sample.at.tokens / sample.at.params))
        at |= {"params": formulas.ray_params(path, ratio)}
        at |= {"tokens": formulas.ray_tokens(path, ratio)}
    return Points(**at) if {*fit.kind.asks} <= {*at} else None


def _sparse(ax: Axes) -> None:
    """Decades far enough apart for a narrow panel."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_minor_locator(LogLocator(numticks=99))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_locator(MaxNLocator(4))
