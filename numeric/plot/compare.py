"""Figures of laws side by side: accuracy against compute, runs and laws, a panel a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import outside
from .in_k import plot_in_k
from .panels import (
    COLOURS,
    COLUMN,
    DASHES,
    DIM,
    FITTED,
    HELD_OUT,
    NOT_FITTED,
    PAGE,
    PALE,
    _figure,
    _literal,
    shade_held_out,
)
from .report import along

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ..accuracy.fitting import LawFit
    from ..backtest.comparison import Comparison, JudgedLaw
    from ..data.sample import Sample

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["plot_comparison"]

#: Panels in a row, and inches of a row and of what is above and below them all.
ACROSS, ROW, FRAME = 4, 1.62, 0.95
#: The same of panels at every k.
ACROSS_IN_K, ROW_IN_K = 2, 2.7
AT_OWN = r"at the held-out run's own $N$, $D$"
COMPUTE = r"training compute $C$ (FLOP)"
POINTS = 161
#: The axis of compute reaches beyond the runs by this factor; that of accuracy by this share of
#: what the runs span.
EDGE, HEADROOM = 1.7, 0.12
#: Where resamples were drawn, more laws than this would hide each other's bands: only the best has
#: one.
MOST_BANDS = 2
#: Runs to fit lie under the laws, which are many and close; held-out ones above them.
UNDER: Any = {"color": "#888888", "zorder": 1.5}
OWN: Any = {"marker": "+", "markersize": 3.2, "markeredgewidth": 0.6, "linestyle": "", "zorder": 5}
RUNS_OF = {
    "fitted": FITTED | UNDER,
    "not fitted by every law": NOT_FITTED | UNDER,
    "held out": HELD_OUT,
}


def plot_comparison(comparison: Comparison, benchmarks: Sequence[str] | None = None) -> Figure:
    """Every law over the runs, a panel a benchmark, titled with the law that has the least MAE on
    the held-out runs.

    Held-out runs are open, and where they all have more compute than the fitted ones their part is
    shaded. Laws of params and tokens are drawn as a line at the median D/N of the runs in the
    panel, and as crosses at what each held-out run itself had. Bands are pointwise percentiles of
    refits to resamples: of every law where there are at most two, else of the law that is best on
    the held-out runs (on the fitted runs where none are held out). Of a law of compute and k, drawn
    at k = 1, panels of `plot_in_k` follow, which show it at every k. Twelve panels fit a page.

    Parameters
    ----------
    comparison : Comparison
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
    names = list(comparison.benchmarks if benchmarks is None else benchmarks)
    if not names:
        raise outside("benchmarks", names, "at least one benchmark")
    in_k = [
        each
        for name in names
        for each in comparison.of(name)
        if each.fit is not None and "k" in each.fit.kind.asks
    ]
    columns = min(ACROSS, len(names))
    rows, rows_in_k = -(-len(names) // columns), -(-len(in_k) // ACROSS_IN_K)
    height = ROW * rows + FRAME + (0.5 if rows == 1 else 0.0)
    with _figure((PAGE if columns > 1 or in_k else COLUMN, height + ROW_IN_K * rows_in_k)) as whole:
        figure: Any = whole
        if in_k:
            parts: Any = whole.subfigures(2, 1, height_ratios=(height, ROW_IN_K * rows_in_k))
            figure, below = parts
            _draw_in_k(comparison, in_k, below.subplots(rows_in_k, ACROSS_IN_K, squeeze=False).flat)
        axes = figure.subplots(rows, columns, squeeze=False)
        shown: dict[str, Any] = {}
        for name, ax in zip(names, axes.flat, strict=False):
            shown |= _draw(comparison, name, ax)
            best = comparison.best(name)
            ax.set_title(_literal(name) + (f"\nbest: {best}" if best else ""))
        for ax in axes.flat[len(names) :]:
            ax.set_axis_off()
        figure.supxlabel(COMPUTE, fontsize=8.0)
        figure.supylabel("accuracy", fontsize=8.0)
        order = [label for label in _labels(comparison) if label in shown]
        handles = [shown[label] for label in order]
        figure.legend(
            handles,
            order,
            loc="outside upper center",
            ncols=4 if columns > 1 or in_k else 2,
            fontsize=7.0,
        )
    return whole


def _draw_in_k(comparison: Comparison, entries: Sequence[JudgedLaw], axes: Iterable[Axes]) -> None:
    """A panel at every k for each of the laws in k; what is left of the row is empty."""
    axes = list(axes)
    for each, ax in zip(entries, axes, strict=False):
        assert each.fit is not None
        plot_in_k(each.fit, each.ahead, ax, level=comparison.level)
        ax.set_title(f"{_literal(each.benchmark)}: {each.law}")
    for ax in axes[len(entries) :]:
        ax.set_axis_off()


# -- parts -------------------------------------------------------------------------------------------------------------


def _labels(comparison: Comparison) -> list[str]:
    """All that a legend may hold, in its order."""
    return [
        *RUNS_OF,
        "guessing",
        *(_label(comparison, law) for law in comparison.laws),
        AT_OWN,
        _band(comparison),
    ]


def _label(comparison: Comparison, law: str) -> str:
    asked = {
        name
        for each in comparison.judged
        if each.law == law and each.fit is not None
        for name in each.fit.kind.asks
    }
    return law + (
        " at median $D/N$" if {"params", "tokens"} & asked else " at $k=1$" if "k" in asked else ""
    )


def _band(comparison: Comparison) -> str:
    whose = "" if len(comparison.laws) <= MOST_BANDS else " of the best law"
    return f"{100.0 * comparison.level:g} % band{whose}"


def _draw(comparison: Comparison, benchmark: str, ax: Axes) -> dict[str, Any]:
    """One panel; label -> what stands for it in a legend."""
    if benchmark not in comparison.benchmarks:
        known = ", ".join(comparison.benchmarks)
        raise outside(
            "benchmark",
            benchmark,
            f"one of {known}{close_matches(benchmark, comparison.benchmarks)}",
        )
    data = comparison.data[benchmark]
    sample, held = data.runs, data.held
    if sample.at.compute is None:
        raise outside("comparison", benchmark, "of runs whose compute is known, to be drawn")
    compute = sample.at.column("compute")
    fits = [each.fit for each in comparison.of(benchmark) if each.fit is not None]
    path = np.geomspace(compute.min() / EDGE, compute.max() * EDGE, POINTS)
    ratio = _median_ratio(sample)
    shade_held_out(ax, compute, held)
    shown: dict[str, Any] = {}
    for fit in fits:
        at = along(fit, path, ratio)
        if at is None:
            continue
        index = comparison.laws.index(fit.name)
        colour = COLOURS[index % len(COLOURS)]
        if (
            _has_band(comparison, benchmark, fit)
            and (band := fit.interval(at, comparison.level)) is not None
        ):
            ax.fill_between(path, *band.T, color=colour, alpha=0.18, linewidth=0, zorder=1)
            shown[_band(comparison)] = ax.fill_between([], [], color=PALE, linewidth=0)
        style: Any = {"color": colour, "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.1}
        (shown[_label(comparison, fit.name)],) = ax.plot(path, fit.accuracy(at), zorder=2, **style)
        if {"params", "tokens"} & {*fit.kind.asks} and held.any():
            own = sample.at.subset(held)
            ax.plot(own.compute, fit.accuracy(own), color=colour, **OWN)
            (shown[AT_OWN],) = ax.plot([], [], color=DIM, **OWN)
    fitted = ~held & _by_every(fits, sample)
    for (label, style), chosen in zip(
        RUNS_OF.items(), (fitted, ~held & ~fitted, held), strict=True
    ):
        if chosen.any():
            shown[label] = ax.scatter(
                compute[chosen],
                sample.accuracy[chosen],
                label=label,
                **style | {"s": 0.6 * style["s"]},
            )
    shown["guessing"] = ax.axhline(sample.baseline, color=PALE, linewidth=0.8, zorder=1)
    ax.set_xscale("log")
    ax.set_xlim(path[0], path[-1])
    ax.set_ylim(*_heights(sample))
    _sparse(ax)
    return shown


def _median_ratio(sample: Sample) -> float | None:
    """D/N of the middle run."""
    if sample.at.params is None or sample.at.tokens is None:
        return None
    return float(np.median(sample.at.tokens / sample.at.params))


def _by_every(fits: Sequence[LawFit], sample: Sample) -> Mask:
    """Which runs every law was fitted to, of those that are fitted at k = 1."""
    used = np.full(len(sample), bool(fits))
    for fit in fits:
        own = fit.sample if fit.sample.at.k is None else fit.sample.subset(fit.sample.at.k == 1.0)
        used &= np.isin(sample.index, own.index)
    return used


def _has_band(comparison: Comparison, benchmark: str, fit: LawFit) -> bool:
    best = comparison.best(benchmark) or comparison.best(benchmark, "train", "rmse")
    return len(comparison.laws) <= MOST_BANDS or fit.name == best


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
