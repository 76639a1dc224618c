"""The figure of a report: runs and laws with the held-out part and the forecast, and residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.sample import Points
from ..errors import outside
from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, PALE, POINTS, _axes, _figure, _literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..accuracy.fitting import LawFit
    from ..accuracy.report import LawOfReport, Report

__all__ = ["along", "plot_accuracy", "plot_report", "plot_report_residuals", "shade"]

COMPUTE = r"training compute $C$ (FLOP)"
FITTED: Any = {"marker": "o", "s": 8.0, "color": DIM, "linewidths": 0.0, "zorder": 3}
HELD_OUT: Any = {"marker": "o", "s": 13.0, "facecolors": "none", "edgecolors": "black", "linewidths": 0.8, "zorder": 4}
BELOW: Any = {"marker": "x", "s": 9.0, "color": DIM, "linewidths": 0.6, "zorder": 3}
#: The axis reaches beyond the runs and the forecasts by this factor.
MARGIN, BEFORE = 1.6, 8.0
#: Panels of residuals.
MOST_PANELS, LEGEND_COLUMNS = 4, 4
SHADE = "#F2EFE6"
#: Inches of the parts of a page, points of the type of its tables, and inches of a line of these.
TOP, MIDDLE, IN_K, TYPE, LINE = 3.3, 2.2, 2.6, 6.0, 0.102


def plot_accuracy(report: Report, ax: Axes | None = None) -> Axes:
    """Accuracy against compute: runs, laws, what was held out, and the interval of a new run by the law of the forecast.

    Laws of params and tokens are drawn at `Report.tokens_per_param`. Where every held-out run has more compute than the fitted
    ones, that part is shaded. Band and forecasts belong to the law that is best on the held-out runs, else to the one closest to
    the runs. Runs far below the fitted ones lie off the axis; the legend counts them.

    Parameters
    ----------
    report : Report
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the compute of the runs is not known.
    """
    compute, path = _compute(report), _path(report)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        shade(ax, _compute(report), report.is_held_out, path[-1])
        best = _best(report)
        for index, fit in enumerate(report.fits):
            at = along(fit, path, report.tokens_per_param)
            if at is None:
                continue
            colour = _colour(index)
            if fit is best and (band := fit.new_run(at, report.level)) is not None:
                label = f"{100.0 * report.level:g} % of new runs by {fit.name}"
                ax.fill_between(path, *band.T, color=colour, alpha=0.18, linewidth=0, zorder=1, label=label)
            ax.plot(path, fit.accuracy(at), DASHES[index % len(DASHES)], color=colour, zorder=2, label=fit.name)
        used = np.isin(np.arange(len(report.sample)), _used(report))
        held = report.is_held_out
        off = int(np.count_nonzero(compute < path[0]))
        near = "near guessing, not fitted" + (f" ({off} off the axis)" if off else "")
        shown = ((used & ~held, FITTED, "fitted"), (~used & ~held, BELOW, near), (held, HELD_OUT, "held out"))
        for chosen, style, label in shown:
            if chosen.any():
                ax.scatter(compute[chosen], report.sample.accuracy[chosen], label=label, **style)
        _draw_forecasts(report, best, ax)
        if report.baseline.value > 0.0:
            ax.axhline(report.baseline.value, color=PALE, linewidth=0.9, zorder=1, label="guessing")
        ax.set_xscale("log")
        ax.set_xlim(path[0], path[-1])
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel(f"accuracy on {_literal(report.benchmark)}")
        ax.legend(fontsize=6.5)
    return ax


def plot_report_residuals(report: Report, law: str, ax: Axes | None = None) -> Axes:
    """Observed minus predicted accuracy in points, against compute; held-out runs are open.

    Parameters
    ----------
    report : Report
    law : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the report has no such law, or the compute of the runs is not known.
    """
    _compute(report)
    names = [fit.name for fit in report.fits]
    if law not in names:
        raise outside("law", law, f"one of {', '.join(names)}")
    index = names.index(law)
    fit, colour, path = report.fits[index], _colour(index), _path(report)
    with _axes(ax, (COLUMN, 2.0)) as ax:
        shade(ax, _compute(report), report.is_held_out, path[-1])
        ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
        residuals = 100.0 * (fit.sample.accuracy - fit.accuracy(fit.sample.at))
        ax.scatter(fit.sample.at.column("compute"), residuals, marker="o", s=6.0, color=colour, linewidths=0.0, zorder=2)
        judged = report.pairs_ahead if "k" in fit.kind.asks else report.sample.subset(report.is_judged)
        if judged is not None and len(judged):
            ahead = 100.0 * (judged.accuracy - fit.accuracy(judged.at))
            ax.scatter(judged.at.column("compute"), ahead, **HELD_OUT | {"edgecolors": colour, "s": 10.0})
        ax.set_xscale("log")
        ax.set_xlim(path[0], path[-1])
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel("observed $-$ law (points)")
        ax.set_title(_literal(law))
    return ax


def plot_report(report: Report) -> Any:
    """A page: accuracy with laws and forecast, residuals, what follows from the params+tokens law, every k, and tables.

    Below accuracy and residuals (at most four laws) stand, where there is a law to plan with, its envelope, the allocation
    and the points that other ratios cost, each with its band (`plot_report_planning`); for a law in k `plot_in_k`; and the
    coefficients, errors and forecasts with their intervals.

    Returns
    -------
    ndarray of Axes
        That of the accuracy first.
    """
    from ..accuracy.report_text import report_tables
    from .report_planning import plot_planning

    in_k = next((fit for fit in report.fits if "k" in fit.kind.asks), None)
    tables = report_tables(report)
    formulas = tables[0].index("")
    least = int(np.ceil(IN_K / LINE)) if in_k is not None else 0
    tables[0] += [""] * (least + formulas - len(tables[0]))  # the panel of all k stands beside the coefficients
    lines = [line for part in tables for line in (*part, "")]
    heights = [TOP, *([MIDDLE] if report.planning is not None else []), LINE * len(lines)]
    with _figure((PAGE, sum(heights))) as figure:
        rows = iter(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
        found = _draw_top(report, next(rows))
        if report.planning is not None:
            found += plot_planning(report, next(rows))
        below = next(rows)
        text = below.text(0.02, 1.0, "\n".join(lines), family="monospace", fontsize=TYPE, va="top", linespacing=1.2)
        text.set_parse_math(False)
        if in_k is not None:
            found.append(_draw_in_k(report, in_k, below, formulas, len(lines)))
    return np.array(found, dtype=object)


def _draw_in_k(report: Report, fit: LawFit, figure: Any, above: int, lines: int) -> Axes:
    """The law in k at every k, on the right, below so many of the lines."""
    from .in_k import plot_in_k

    share = IN_K / (LINE * lines)
    bottom = 1.0 - above / lines - share
    ax = figure.add_axes((0.56, bottom + 0.17 * share, 0.42, 0.80 * share))
    return plot_in_k(fit, report.pairs_ahead, ax, level=report.level)


def _draw_top(report: Report, figure: Any) -> list[Any]:
    """Accuracy on the left, residuals on the right, the legend below."""
    shown = _shown(report)
    grid = figure.add_gridspec(len(shown), 2, width_ratios=(1.5, 1.0))
    left = plot_accuracy(report, figure.add_subplot(grid[:, 0]))
    right: list[Any] = []
    for row, law in enumerate(shown):
        ax = figure.add_subplot(grid[row, 1], sharex=right[0] if right else None, sharey=right[0] if right else None)
        right.append(plot_report_residuals(report, law, ax))
        ax.set_ylabel("")
        if row < len(shown) - 1:
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
    right[len(right) // 2].set_ylabel("observed $-$ law (points)")
    handles, labels = left.get_legend_handles_labels()
    legend: Any = left.get_legend()
    legend.remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=LEGEND_COLUMNS, fontsize=6.5)
    return [left, *right]


# -- parts -------------------------------------------------------------------------------------------------------------


def _compute(report: Report) -> Any:
    values = report.sample.at.compute
    if values is None:
        raise outside("report", report.benchmark, "of runs whose compute is known, to be drawn")
    return np.asarray(values)


def _path(report: Report) -> Any:
    """Computes from below the first fitted run to beyond the last run and forecast."""
    compute = _compute(report)
    highest = max(compute.max(), *(each.compute for each in report.forecasts)) if report.forecasts else compute.max()
    return np.geomspace(compute[_used(report)].min() / BEFORE, highest * MARGIN, POINTS)


def _draw_forecasts(report: Report, fit: LawFit, ax: Axes) -> None:
    """The forecasts of a law with the interval of a new run."""
    for number, each in enumerate([each for each in report.forecasts if each.law == fit.name and each.k in (None, 1.0)]):
        colour = _colour(report.fits.index(fit))
        if each.new_low is not None and each.new_high is not None:
            ax.plot([each.compute] * 2, [each.new_low, each.new_high], color=colour, linewidth=1.0, zorder=4)
        label = "forecast" if not number else "_more"
        ax.plot([each.compute], [each.accuracy], "D", color=colour, markersize=4.0, zorder=5, label=label)


def _shown(report: Report) -> list[str]:
    """The laws whose residuals have a panel: the best, in the order of the report."""
    best = sorted(report.laws, key=_error)[:MOST_PANELS]  # one in k stands at the end, for it is judged on other data
    return [law.name for law in report.laws if law in best]


def along(fit: LawFit, path: Any, ratio: float | None) -> Points | None:
    """Where a law is drawn over compute: at this D/N, and at k = 1; None where it asks for what is not known."""
    from .. import formulas

    budget = {} if ratio is None else {"params": formulas.ray_params(path, ratio), "tokens": formulas.ray_tokens(path, ratio)}
    at = Points(compute=path, k=np.ones(len(path)), **budget)
    return None if any(getattr(at, name) is None for name in fit.kind.asks) else at


def shade(ax: Axes, compute: Any, held: Any, right: float) -> None:
    """The part that was held out, where it lies beyond the fitted runs."""
    if held.any() and not held.all() and compute[held].min() > compute[~held].max():
        ax.axvspan(float(np.sqrt(compute[held].min() * compute[~held].max())), right, color=SHADE, linewidth=0, zorder=0)


def _used(report: Report) -> Any:
    """Which runs some law was fitted to."""
    index = report.sample.index
    own = np.arange(len(report.sample)) if index is None else np.asarray(index)
    taken = [fit.sample.index for fit in report.fits if fit.sample.index is not None]
    return np.flatnonzero(np.isin(own, np.concatenate(taken))) if taken else np.arange(len(report.sample))


def _best(report: Report) -> LawFit:
    """The law of band and forecasts."""
    return report.fits[report.laws.index(min(report.laws, key=_error))]


def _error(law: LawOfReport) -> float:
    """By what laws are ranked: on the held-out runs where there are any."""
    if law.crossing is not None:
        return float("inf")
    value = law.held_out["mae"] if law.held_out["n"] else law.train["rmse"]
    return float("inf") if value is None else float(value)


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]
