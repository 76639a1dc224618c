"""Figures of studies of downstream accuracy: laws side by side, and errors and successes over
thresholds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backtest.sweep import FEW_BENCHMARKS, UNSURE
from ..errors import outside
from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, PALE, POINTS, _axes, _figure, _literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ..backtest.sweep import Sweep, Threshold

__all__ = ["plot_errors", "plot_success", "plot_thresholds"]

FIGURES = {"mre": "mean relative error (%)", "mae": "mean absolute error (points)"}
#: An axis of errors ends at so many times the error that is a success, or at so many points.
MOST_SUCCESSES, MOST_POINTS = 5.0, 50.0
SPREAD, MARKER = 0.035, 2.4
COMPUTE = r"threshold $T$ (FLOP)"
SHORT = {"mre": "relative error (%)", "mae": "error (points)"}
#: Panels in a row, and entries in a line of the legend.
COLUMNS, MOST_ENTRIES = 4, 4
#: A bound that is a threshold comes back from its logarithm to this.
ROUNDING = 1e-9
#: An axis of compute reaches beyond the runs by this factor, and by the second below the first that
#: is clearly above guessing.
EDGE, BEFORE, CLEAR = 2.0, 8.0, 0.05


def plot_errors(
    sweep: Sweep,
    benchmark: str,
    ax: Axes | None = None,
    *,
    figure: str = "mre",
    laws: Sequence[str] | None = None,
) -> Axes:
    """Error on the runs above the threshold, against the threshold, a line a law.

    The axis ends at five times the error that is a success, or at 50 points; what is beyond is a
    triangle at its top.

    Parameters
    ----------
    sweep : Sweep
    benchmark : str
    ax : Axes, optional
    figure : {"mre", "mae"}
        In per cent, or in accuracy points.
    laws : sequence of str, optional
        By default all.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the sweep has no such benchmark, figure or law.
    """
    from matplotlib.ticker import StrMethodFormatter

    if figure not in FIGURES:
        raise outside("figure", figure, f"one of {', '.join(FIGURES)}")
    if benchmark not in sweep.benchmarks:
        raise outside("benchmark", benchmark, f"one of {', '.join(sweep.benchmarks)}")
    top = MOST_SUCCESSES * 100.0 * sweep.success if figure == "mre" else MOST_POINTS
    highest = 100.0 * sweep.success if figure == "mre" else 0.0
    with _axes(ax, (COLUMN, 2.5)) as ax:
        for law in sweep.laws if laws is None else laws:
            sweep.of(law)
            index = sweep.laws.index(law)
            curve = sweep.curve(benchmark, law)
            thresholds = np.array([cell.threshold for cell in curve])
            errors = np.array([100.0 * float(getattr(cell, figure)) for cell in curve])
            colour = COLOURS[index % len(COLOURS)]
            ax.plot(
                thresholds,
                errors,
                DASHES[index % len(DASHES)],
                color=colour,
                marker="o",
                markersize=MARKER,
                label=law,
            )
            beyond = thresholds[errors > top]
            if len(beyond):
                ax.plot(
                    beyond,
                    np.full(len(beyond), top),
                    "^",
                    color=colour,
                    markersize=1.6 * MARKER,
                    clip_on=False,
                )
            highest = max([highest, *errors[errors <= top], *(top for _ in beyond)])
        if figure == "mre":
            ax.axhline(
                100.0 * sweep.success,
                color=PALE,
                linewidth=1.0,
                zorder=1,
                label=f"{100.0 * sweep.success:g} %",
            )
        ax.set_xscale("log")
        ax.set_xlim(*_span(sweep))
        ax.set_ylim(0.0, top if highest == top else 1.05 * highest)
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel(FIGURES[figure])
        ax.legend()
    return ax


def plot_success(sweep: Sweep, law: str, ax: Axes | None = None) -> Axes:
    """Successes and failures of a law over thresholds, the logistic curve, and T50 with its
    interval.

    Where the regression has no finite fit, the range in which T50 lies is shaded and there is no
    curve.

    Parameters
    ----------
    sweep : Sweep
    law : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the sweep has no such law.
    """
    found = sweep.of(law)
    colour = COLOURS[sweep.laws.index(law) % len(COLOURS)]
    left, right = _span(sweep)
    with _axes(ax, (COLUMN, 2.3)) as ax:
        for row, benchmark in enumerate(sweep.benchmarks):
            shift = SPREAD * ((row + 0.5) / len(sweep.benchmarks) - 0.5) * 2.0
            curve = sweep.curve(benchmark, law)
            places = [cell.threshold for cell in curve]
            ax.plot(
                places,
                [float(bool(cell.success)) + shift for cell in curve],
                "o",
                color=DIM,
                markersize=1.8,
                markeredgewidth=0.0,
                alpha=0.6,
            )
        ends = [end for end in (found.low, found.high) if end is not None]
        if ends and not found.without_interval:
            low = left if found.low is None else max(left, found.low)
            high = right if found.high is None else min(right, found.high)
            if low < high:
                shown = "\n".join(
                    filter(None, (f"{100.0 * sweep.level:g} % interval", _doubt(found)))
                )
                ax.axvspan(low, high, color=colour, alpha=0.12, linewidth=0, label=shown)
        if found.regression is not None and found.regression.intercept is not None:
            path = np.geomspace(left, right, POINTS)
            ax.plot(
                path,
                found.regression.probability(np.log10(path)),
                color=colour,
                label="logistic regression",
            )
        if found.T50 is not None and left <= found.T50 <= right:
            ax.axvline(
                found.T50,
                color=colour,
                linestyle="--",
                linewidth=0.9,
                label=rf"$T_{{50}}$ = {_power(found.T50)}",
            )
        ax.set_xscale("log")
        ax.set_xlim(left, right)
        ax.set_ylim(-0.1, 1.1)
        ax.set_yticks([0.0, 0.5, 1.0])
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel(f"error below {100.0 * sweep.success:g} %")
        ax.set_title(_literal(law))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=6.0, loc="center left" if _is_low_first(found) else "best")
    return ax


def plot_thresholds(sweep: Sweep, *, figure: str = "mre") -> Any:
    """A page: the errors of every benchmark, then the successes of every law.

    Parameters
    ----------
    sweep : Sweep
    figure : {"mre", "mae"}
        The errors: in per cent, or in accuracy points.

    Returns
    -------
    ndarray of Axes
        (benchmarks + laws,).

    Raises
    ------
    ValueError
        Where no curve was reached, or there is no such figure.
    """
    if not sweep.benchmarks:
        raise outside("sweep", "no curve", "a sweep with at least one")
    if figure not in FIGURES:
        raise outside("figure", figure, f"one of {', '.join(FIGURES)}")
    counts = (len(sweep.benchmarks), len(sweep.laws))
    columns = [_columns(count) for count in counts]
    lines = [-(-count // width) for count, width in zip(counts, columns, strict=True)]
    with _figure((PAGE, 1.55 * lines[0] + 1.7 * lines[1] + 0.6)) as page:
        grid = page.add_gridspec(sum(lines), math.lcm(*columns))
        above = _panels(page, grid, 0, counts[0], columns[0])
        below = _panels(page, grid, lines[0], counts[1], columns[1])
        for index, (benchmark, ax) in enumerate(zip(sweep.benchmarks, above, strict=True)):
            plot_errors(sweep, benchmark, ax, figure=figure)
            ax.get_legend().remove()
            ax.set_title(_literal(benchmark))
            ax.set_xlabel("")
            ax.set_ylabel("" if index % columns[0] else SHORT[figure])
        for index, (law, ax) in enumerate(zip(sweep.laws, below, strict=True)):
            plot_success(sweep, law, ax)
            if ax.get_legend() is not None:
                ax.get_legend().remove()
            ax.set_xlabel("")
            ax.set_ylabel("" if index % columns[1] else f"MRE below {100.0 * sweep.success:g} %")
            ax.set_title("\n".join([_literal(law), *_told(sweep, law)]))
        page.supxlabel("\n".join([COMPUTE, *_caption(sweep)]), fontsize=8.0)
        handles = above[0].get_legend_handles_labels()
        entries = len(handles[1])
        page.legend(
            *handles, loc="outside upper center", ncols=-(-entries // -(-entries // MOST_ENTRIES))
        )
    return np.array([*above, *below])


def _caption(sweep: Sweep) -> list[str]:
    """What is shaded, and how far it is to be trusted; nothing where nothing is."""
    shaded = [
        each
        for each in sweep.found
        if not each.without_interval and (each.low is not None or each.high is not None)
    ]
    notes = dict.fromkeys(_doubt(each) for each in shaded)
    return [
        f"shaded: {100.0 * sweep.level:g} % interval of $T_{{50}}$ {note}".rstrip()
        for note in notes
    ]


def _doubt(found: Threshold) -> str:
    """That intervals from few benchmarks are too narrow."""
    return f"({UNSURE})" if found.n_benchmarks < FEW_BENCHMARKS else ""


def _columns(count: int) -> int:
    """Panels in a row: the number, of those that fill the page, that leaves the fewest places
    empty.
    """
    if count <= COLUMNS:
        return count
    return min((COLUMNS, COLUMNS - 1), key=lambda width: -count % width)


def _panels(page: Any, grid: Any, first: int, count: int, columns: int) -> list[Any]:
    """Axes in rows of a grid, from row `first` on."""
    wide = grid.ncols // columns
    places = [divmod(index, columns) for index in range(count)]
    return [
        page.add_subplot(grid[first + row, wide * column : wide * (column + 1)])
        for row, column in places
    ]


def _span(sweep: Sweep) -> tuple[float, float]:
    low, high = sweep.thresholds[0], sweep.thresholds[-1]
    return low / 1.15, high * 1.15


def _told(sweep: Sweep, law: str) -> list[str]:
    """T50, for a title; where it lies beyond the thresholds, on which side; nothing where the data
    do not tell.
    """
    found = sweep.of(law)
    first, last = sweep.thresholds[0], sweep.thresholds[-1]
    low, high = (found.T50, found.T50) if found.T50 is not None else found.bounds
    if high is not None and high <= first * (1.0 + ROUNDING):
        return [rf"$T_{{50}} <$ {_power(first)}"]
    if low is not None and low >= last * (1.0 - ROUNDING):
        return [rf"$T_{{50}} >$ {_power(last)}"]
    if low is None or high is None:
        return [r"no $T_{50}$"]
    return (
        [rf"$T_{{50}} =$ {_power(low)}"]
        if low == high
        else [rf"{_power(low)} $< T_{{50}} <$ {_power(high)}"]
    )


def _is_low_first(found: Any) -> bool:
    return (
        found.regression is not None
        and found.regression.slope is not None
        and found.regression.slope > 0.0
    )


def _power(value: float) -> str:
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return rf"${mantissa}\times10^{{{int(exponent)}}}$"
