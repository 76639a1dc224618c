"""Figures of laws side by side: accuracy against compute, runs and laws, a panel a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from .. import formulas
from ..data.sample import Points
from ..errors import outside
from .panels import (
    COLOURS,
    COLUMN,
    DASHES,
    PAGE,
    PALE,
    _figure,
    _literal,
    mark_runs,
    shade_held_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..accuracy.law import LawFit
    from ..data.sample import Sample
    from ..hold_out import Backtest
    from ..hold_out.judge import Task

__all__ = ["plot_laws_of_accuracy"]

#: Panels in a row, and inches of a row and of what is above and below them all.
ACROSS, ROW, FRAME = 4, 1.62, 0.95
POINTS = 161
#: The axis of compute reaches beyond the runs by this factor; that of accuracy by this share of
#: what the runs span.
EDGE, HEADROOM = 1.7, 0.12
#: Where resamples were drawn, more laws than this would hide each other's bands: only the best has
#: one.
MOST_BANDS = 2


def plot_laws_of_accuracy(result: Backtest, benchmarks: Sequence[str] | None = None) -> Figure:
    """Every law over the runs, a panel a benchmark, titled with the law that has the least MAE on
    the held-out runs.

    Held-out runs are open, and where they all have more compute than the fitted ones their part is
    shaded. Laws of params and tokens are drawn at the median D/N of the runs in the panel, a law of
    compute and k at k = 1. Bands are pointwise percentiles of refits to resamples: of every law
    where there are at most two, else of the law that is best on the held-out runs. Twelve panels
    fit a page.

    Parameters
    ----------
    result : Backtest
        Of evaluations.
    benchmarks : sequence of str, optional
        By default all.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        Where one of the benchmarks was not compared on, there is none, or the compute of the runs
        is not known.
    """
    names = list(result.subjects if benchmarks is None else benchmarks)
    known = result.subjects
    if not names:
        raise outside("benchmarks", names, "at least one benchmark")
    for name in names:
        if name not in known:
            domain = f"one of {', '.join(known)}{close_matches(name, known)}"
            raise outside("benchmark", name, domain)
        if _task(result, name).rows.at.compute is None:
            raise outside("result", name, "of runs whose compute is known, to be drawn")
    columns = min(ACROSS, len(names))
    rows = -(-len(names) // columns)
    height = ROW * rows + FRAME + (0.5 if rows == 1 else 0.0)
    with _figure((PAGE if columns > 1 else COLUMN, height)) as figure:
        axes = figure.subplots(rows, columns, squeeze=False)
        shown: dict[str, Any] = {}
        for name, ax in zip(names, axes.flat, strict=False):
            _draw(result, name, ax)
            handles, labels = ax.get_legend_handles_labels()
            shown = dict(zip(labels, handles, strict=True)) | shown
        for ax in axes.flat[len(names) :]:
            ax.set_axis_off()
        figure.supxlabel(r"training compute $C$ (FLOP)", fontsize=8.0)
        figure.supylabel("accuracy", fontsize=8.0)
        ncols = 4 if columns > 1 else 2
        legend: Any = {"loc": "outside upper center", "ncols": ncols, "fontsize": 7.0}
        figure.legend(list(shown.values()), list(shown), **legend)
    return figure


def _draw(result: Backtest, benchmark: str, ax: Axes) -> None:
    """One panel."""
    task = _task(result, benchmark)
    sample, held = task.rows, _held(result, benchmark)
    compute = sample.at.column("compute")
    finals = (one for one in result.of(benchmark) if one.split.is_final)
    fits = [one.fit for one in finals if one.fit is not None]
    path = np.geomspace(compute.min() / EDGE, compute.max() * EDGE, POINTS)
    ratio = None
    if sample.at.params is not None and sample.at.tokens is not None:
        ratio = float(np.median(sample.at.tokens / sample.at.params))
    best = result.best(benchmark)
    has_all = len(result.laws) <= MOST_BANDS
    band = f"{100.0 * result.level:g} % band{'' if has_all else ' of the best law'}"
    shade_held_out(ax, compute, held)
    mark_runs(ax, compute, sample.accuracy, held, _fitted_by_some(fits, sample), size=0.6)
    ax.axhline(sample.baseline, color=PALE, linewidth=0.8, zorder=1, label="guessing")
    for fit in fits:
        at, index = along(fit, path, ratio), result.laws.index(fit.name)
        if at is None:
            continue
        asks = {*fit.kind.asks}
        at_ratio = bool({"params", "tokens"} & asks)
        where = " at median $D/N$" if at_ratio else " at $k=1$" if "k" in asks else ""
        colour, dashes = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
        label = f"{fit.name}{where}"
        ax.plot(path, fit.accuracy(at), dashes, color=colour, linewidth=1.1, zorder=2, label=label)
        ends = fit.interval(at, result.level) if has_all or fit.name == best else None
        if ends is not None:
            shaded: Any = {"color": colour, "alpha": 0.18, "linewidth": 0, "zorder": 1}
            ax.fill_between(path, *ends.T, label=band, **shaded)
    ax.set_xscale("log")
    ax.set_xlim(path[0], path[-1])
    ax.set_ylim(*_heights(sample))
    ax.set_title(_literal(benchmark) + (f"\nbest: {best}" if best else ""))
    _sparse(ax)


def _task(result: Backtest, benchmark: str) -> Task:
    """One whose rows are the runs themselves, at k = 1 if there is one."""
    own = [task for task in result.tasks if task.subject == benchmark]
    return next((task for task in own if task.rows.at.k is None), own[0])


def _held(result: Backtest, benchmark: str) -> Any:
    """(n,): which runs are held out from the fits that are drawn."""
    task = _task(result, benchmark)
    if task.held is not None:
        return task.held
    finals = (one.split for one in result.of(benchmark) if one.split.is_final)
    trained = [split.train for split in finals if not split.lacks]
    return ~np.any(trained, axis=0) & task.predictable if trained else task.predictable


def along(fit: LawFit, path: Any, ratio: float | None) -> Points | None:
    """Where a law is drawn over compute: at this D/N, and at k = 1; None where it asks for what is
    not known.
    """
    params = None if ratio is None else formulas.ray_params(path, ratio)
    tokens = None if ratio is None else formulas.ray_tokens(path, ratio)
    at = Points(compute=path, k=np.ones(len(path)), params=params, tokens=tokens)
    return None if any(getattr(at, name) is None for name in fit.kind.asks) else at


def _fitted_by_some(fits: Sequence[LawFit], sample: Sample) -> Any:
    """Which runs some law was fitted to: (n,) of bool."""
    taken = [fit.sample.index for fit in fits if fit.sample.index is not None]
    if sample.index is None:
        return np.ones(len(sample), dtype=bool)
    return np.isin(sample.index, np.concatenate(taken) if taken else [])


def _heights(sample: Sample) -> tuple[float, float]:
    """Of the axis: the runs and guessing, with room; a law may leave it."""
    low, high = min(float(sample.accuracy.min()), sample.baseline), float(sample.accuracy.max())
    room = HEADROOM * ((high - low) or 1.0)
    return max(low - room, -0.02), min(high + room, 1.02)


def _sparse(ax: Axes) -> None:
    """Decades far enough apart for a narrow panel."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_minor_locator(LogLocator(numticks=99))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_locator(MaxNLocator(4))
