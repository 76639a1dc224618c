"""The figure of a report: runs and laws with the held-out part and the forecast, and residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.planning import Refitted, planning_law
from ..data.sample import Points
from ..errors import outside
from ..results import Band
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
    POINTS,
    _axes,
    _figure,
    _literal,
    shade_held_out,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..accuracy.fitting import LawFit
    from ..accuracy.planning import AccuracyLaw
    from ..accuracy.report import LawOfReport, Report

    Floats = NDArray[np.float64]

__all__ = [
    "along",
    "plot_accuracy",
    "plot_planning",
    "plot_report",
    "plot_report_residuals",
]

COMPUTE = r"training compute $C$ (FLOP)"
#: The axis reaches beyond the runs and the forecasts by this factor.
MARGIN, BEFORE = 1.6, 8.0
#: Panels of residuals.
MOST_PANELS, LEGEND_COLUMNS = 4, 4
#: Of the panels of what follows: points of a curve, the factor by which the axis of compute reaches
#: beyond runs and budgets, the overtraining ratios, budgets whose costs are drawn, and refits that
#: bands are made of.
BUDGET, PATH, EDGE, RATIOS = r"compute $C$ (FLOP)", 61, 1.7, (0.03, 30.0)
MOST_BUDGETS, MOST_REFITS = 2, 200
#: Inches of the parts of a page, points of the type of its tables, and inches of a line of these.
TOP, MIDDLE, IN_K, TYPE, LINE = 3.3, 2.2, 2.6, 6.0, 0.102


def plot_accuracy(report: Report, ax: Axes | None = None) -> Axes:
    """Accuracy against compute: runs, laws, what was held out, and the interval of a new run by the
    law of the forecast.

    Laws of params and tokens are drawn at `Report.tokens_per_param`. Where every held-out run has
    more compute than the fitted ones, that part is shaded. Band and forecasts belong to the law
    that is best on the held-out runs, else to the one closest to the runs. Runs far below the
    fitted ones lie off the axis; the legend counts them.

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
        shade_held_out(ax, _compute(report), report.is_held_out)
        best = _best(report)
        for index, fit in enumerate(report.fits):
            at = along(fit, path, report.tokens_per_param)
            if at is None:
                continue
            colour = _colour(index)
            if fit is best and (band := fit.new_run(at, report.level)) is not None:
                label = f"{100.0 * report.level:g} % of new runs by {fit.name}"
                ax.fill_between(
                    path, *band.T, color=colour, alpha=0.18, linewidth=0, zorder=1, label=label
                )
            ax.plot(
                path,
                fit.accuracy(at),
                DASHES[index % len(DASHES)],
                color=colour,
                zorder=2,
                label=fit.name,
            )
        used = np.isin(np.arange(len(report.sample)), _used(report))
        held = report.is_held_out
        off = int(np.count_nonzero(compute < path[0]))
        near = "near guessing, not fitted" + (f" ({off} off the axis)" if off else "")
        shown = (
            (used & ~held, FITTED, "fitted"),
            (~used & ~held, NOT_FITTED, near),
            (held, HELD_OUT, "held out"),
        )
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
        shade_held_out(ax, _compute(report), report.is_held_out)
        ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
        residuals = 100.0 * (fit.sample.accuracy - fit.accuracy(fit.sample.at))
        ax.scatter(
            fit.sample.at.column("compute"),
            residuals,
            marker="o",
            s=6.0,
            color=colour,
            linewidths=0.0,
            zorder=2,
        )
        judged = (
            report.pairs_ahead if "k" in fit.kind.asks else report.sample.subset(report.is_judged)
        )
        if judged is not None and len(judged):
            ahead = 100.0 * (judged.accuracy - fit.accuracy(judged.at))
            ax.scatter(
                judged.at.column("compute"), ahead, **HELD_OUT | {"edgecolors": colour, "s": 10.0}
            )
        ax.set_xscale("log")
        ax.set_xlim(path[0], path[-1])
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel("observed $-$ law (points)")
        ax.set_title(_literal(law))
    return ax


def plot_report(report: Report) -> Any:
    """A page: accuracy with laws and forecast, residuals, what follows from the params+tokens law,
    every k, and tables.

    Below accuracy and residuals (at most four laws) stand, where there is a law to plan with, its
    envelope, the allocation and the points that other ratios cost, each with its band
    (`plot_planning`); for a law in k `plot_in_k`; and the coefficients, errors and forecasts with
    their intervals.

    Returns
    -------
    ndarray of Axes
        That of the accuracy first.
    """
    in_k = next((fit for fit in report.fits if "k" in fit.kind.asks), None)
    tables = [table.text().splitlines() for table in report.tables()]
    least = int(np.ceil(IN_K / LINE)) if in_k is not None else 0
    tables[0] += [""] * (
        least - len(tables[0])
    )  # the panel of all k stands beside the coefficients
    lines = [line for table in tables for line in (*table, "")]
    heights = [TOP, *([MIDDLE] if report.planning is not None else []), LINE * len(lines)]
    with _figure((PAGE, sum(heights))) as figure:
        rows = iter(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
        found = _draw_top(report, next(rows))
        if report.planning is not None:
            found += plot_planning(report, next(rows))
        below = next(rows)
        text = below.text(
            0.02,
            1.0,
            "\n".join(lines),
            family="monospace",
            fontsize=TYPE,
            va="top",
            linespacing=1.2,
        )
        text.set_parse_math(False)
        if in_k is not None:
            found.append(_draw_in_k(report, in_k, below, len(lines)))
    return np.array(found, dtype=object)


def _draw_in_k(report: Report, fit: LawFit, figure: Any, lines: int) -> Axes:
    """The law in k at every k, on the right of the first of so many lines."""
    from .in_k import plot_in_k

    share = IN_K / (LINE * lines)
    ax = figure.add_axes((0.56, 1.0 - 0.83 * share, 0.42, 0.80 * share))
    return plot_in_k(fit, report.pairs_ahead, ax, level=report.level)


def _draw_top(report: Report, figure: Any) -> list[Any]:
    """Accuracy on the left, residuals on the right, the legend below."""
    shown = _shown(report)
    grid = figure.add_gridspec(len(shown), 2, width_ratios=(1.5, 1.0))
    left = plot_accuracy(report, figure.add_subplot(grid[:, 0]))
    right: list[Any] = []
    for row, law in enumerate(shown):
        ax = figure.add_subplot(
            grid[row, 1], sharex=right[0] if right else None, sharey=right[0] if right else None
        )
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
    highest = (
        max(compute.max(), *(each.compute for each in report.forecasts))
        if report.forecasts
        else compute.max()
    )
    return np.geomspace(compute[_used(report)].min() / BEFORE, highest * MARGIN, POINTS)


def _draw_forecasts(report: Report, fit: LawFit, ax: Axes) -> None:
    """The forecasts of a law with the interval of a new run."""
    for number, each in enumerate(
        [each for each in report.forecasts if each.law == fit.name and each.k in (None, 1.0)]
    ):
        colour = _colour(report.fits.index(fit))
        if each.new_run.has_interval:
            ends = np.array([each.new_run.low, each.new_run.high], dtype=np.float64)
            ax.plot([each.compute] * 2, ends, color=colour, linewidth=1.0, zorder=4)
        label = "forecast" if not number else "_more"
        ax.plot(
            [each.compute],
            [each.accuracy.value],
            "D",
            color=colour,
            markersize=4.0,
            zorder=5,
            label=label,
        )


def _shown(report: Report) -> list[str]:
    """The laws whose residuals have a panel: the best, in the order of the report."""
    best = sorted(report.laws, key=_error)[
        :MOST_PANELS
    ]  # one in k stands at the end, for it is judged on other data
    return [law.name for law in report.laws if law in best]


def along(fit: LawFit, path: Any, ratio: float | None) -> Points | None:
    """Where a law is drawn over compute: at this D/N, and at k = 1; None where it asks for what is
    not known.
    """
    from .. import formulas

    budget = (
        {}
        if ratio is None
        else {
            "params": formulas.ray_params(path, ratio),
            "tokens": formulas.ray_tokens(path, ratio),
        }
    )
    at = Points(compute=path, k=np.ones(len(path)), **budget)
    return None if any(getattr(at, name) is None for name in fit.kind.asks) else at


def _used(report: Report) -> Any:
    """Which runs some law was fitted to."""
    index = report.sample.index
    own = np.arange(len(report.sample)) if index is None else np.asarray(index)
    taken = [fit.sample.index for fit in report.fits if fit.sample.index is not None]
    return (
        np.flatnonzero(np.isin(own, np.concatenate(taken)))
        if taken
        else np.arange(len(report.sample))
    )


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


# -- what follows from the law of params and tokens ----------------------------------------------------------------------


def plot_planning(report: Report, figure: Any) -> list[Any]:
    """Three panels in a figure: accuracy of the best allocation, its params and tokens, and points
    lost at other ratios.

    Bands are pointwise percentiles of the refits; marks are the budgets of the report.

    Raises
    ------
    ValueError
        Where the report plans nothing.
    """
    fit, _ = planning_law(report.fits)
    if fit is None or report.planning is None:
        raise outside(
            "report",
            report.benchmark,
            "one with a law of params and tokens that the runs determine",
        )
    refitted = Refitted.of(fit, report.level)
    bands = _Bands(refitted.law, refitted.refits[:MOST_REFITS], report.level)
    budgets = np.array([row["compute"] for row in report.planning.allocations])
    known = fit.sample.at.column("compute")
    every = np.concatenate([known, budgets])
    path = np.geomspace(every.min() / EDGE, every.max() * EDGE, PATH)
    first, second, third = figure.subplots(1, 3)
    _envelope(report, bands, path, budgets, first)
    _allocation(bands, path, budgets, second)
    _costs(bands, budgets[:MOST_BUDGETS], third)
    figure.suptitle(
        _literal(f"best allocation for this benchmark by {report.planning.law}"), fontsize=7.5
    )
    return [first, second, third]


class _Bands:
    """A curve by a law with the percentiles of its refits."""

    def __init__(self, law: AccuracyLaw, refits: Sequence[AccuracyLaw], level: float) -> None:
        self.law, self.refits, self.level = law, refits, level

    def draw(
        self,
        ax: Any,
        x: Floats,
        curve: Callable[[AccuracyLaw], Any],
        colour: str,
        dashes: str,
        label: str,
    ) -> None:
        if len(self.refits) > 1:
            band = Band.of_draws(
                curve(self.law), [curve(refit) for refit in self.refits], self.level
            )
            ax.fill_between(x, band.low, band.high, color=colour, alpha=0.18, linewidth=0, zorder=1)
        ax.plot(x, curve(self.law), dashes, color=colour, label=label, zorder=2)


def _envelope(report: Report, bands: _Bands, path: Floats, budgets: Floats, ax: Any) -> None:
    bands.draw(ax, path, lambda each: each.plan(path).accuracy, COLOURS[0], "-", "best allocation")
    ax.plot(
        budgets, bands.law.plan(budgets).accuracy, "D", color=COLOURS[0], markersize=3.5, zorder=4
    )
    if report.baseline.value > 0.0:
        ax.axhline(report.baseline.value, color=PALE, linewidth=0.9, zorder=0)
    ax.set_xscale("log")
    ax.set_xlabel(BUDGET)
    ax.set_ylabel(r"accuracy at best, $Q^*$")


def _allocation(bands: _Bands, path: Floats, budgets: Floats, ax: Any) -> None:
    for index, (name, label) in enumerate((("params", "$N^*$"), ("tokens", "$D^*$"))):

        def best(each: AccuracyLaw, name: str = name) -> Any:
            return getattr(each.plan(path), name)

        bands.draw(ax, path, best, COLOURS[index], DASHES[index], label)
        ax.plot(
            budgets,
            getattr(bands.law.plan(budgets), name),
            "D",
            color=COLOURS[index],
            markersize=3.5,
            zorder=4,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(BUDGET)
    ax.set_ylabel("params and tokens at best")
    ax.legend(fontsize=6.5)


def _costs(bands: _Bands, budgets: Floats, ax: Any) -> None:
    """Points lost at each budget; at any budget, the most."""
    ratios = np.geomspace(*RATIOS, PATH)

    def most(each: AccuracyLaw) -> Any:
        return 100.0 * each.penalty(ratios).greatest_loss

    for index, C in enumerate(budgets):

        def lost(each: AccuracyLaw, C: float = C) -> Any:
            return 100.0 * np.asarray(each.penalty(ratios, C).lost_accuracy)

        bands.draw(ax, ratios, lost, COLOURS[index], DASHES[index], f"at {C:.3g} FLOP")
    ax.plot(ratios, most(bands.law), ":", color=DIM, label="at any budget at most", zorder=2)
    ax.set_xscale("log")
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel(r"overtraining ratio $(D/N)/(D^*/N^*)$")
    ax.set_ylabel("points of accuracy lost")
    ax.legend(fontsize=6.0)
