"""The figure of a report: runs and laws with the held-out part and the forecast, residuals, and what
to train.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..accuracy.planning import Refitted, planning_law
from ..data.sample import Points
from ..errors import outside
from .panels import (
    COLOURS,
    DASHES,
    DIM,
    PAGE,
    PALE,
    POINTS,
    _figure,
    _literal,
    _power,
    curve_with_band,
    mark_runs,
    shade_held_out,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from numpy.typing import NDArray

    from ..accuracy.benchmark import JudgedLaw
    from ..accuracy.fitting import LawFit
    from ..accuracy.report import Report
    from ..data.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["along", "plot_report"]

COMPUTE, PLANNED = r"training compute $C$ (FLOP)", r"compute $C$ (FLOP)"
#: The axis reaches beyond the runs and the forecasts by this factor, and to the left of the fitted
#: runs by that one.
AFTER, BEFORE = 1.6, 8.0
#: Panels of residuals.
MOST_PANELS = 4
#: What follows from a law: points of a curve, the factor by which the axis of compute reaches beyond
#: runs and budgets, the overtraining ratios, and the budgets whose costs are drawn.
PATH, EDGE, RATIOS, MOST_BUDGETS = 61, 1.7, (0.03, 30.0), 2
#: Inches of the rows of a page.
TOP, MIDDLE, BOTTOM = 3.3, 2.2, 2.9


def _draw_accuracy(report: Report, ax: Axes) -> None:
    """Accuracy against compute: runs, laws, what was held out, and the interval of a new run by the
    law of the forecast.

    Laws of params and tokens are drawn at `Report.tokens_per_param`. Where every held-out run has
    more compute than the fitted ones, that part is shaded. Band and forecasts belong to the law
    that is best on the held-out runs, else to the one closest to the runs. Runs far below the
    fitted ones lie off the axis; the legend counts them.
    """
    compute, path, best = _compute(report), _path(report), _best(report)
    shade_held_out(ax, compute, report.is_held_out)
    for index, fit in enumerate(report.fits):
        at = along(fit, path, report.tokens_per_param)
        if at is None:
            continue
        if fit is best and (ends := fit.new_run(at, report.level)) is not None:
            label = f"{100.0 * report.level:g} % of new runs by {fit.name}"
            ax.fill_between(
                path, *ends.T, color=_colour(index), alpha=0.18, linewidth=0, label=label
            )
        style: Any = {"color": _colour(index), "linestyle": DASHES[index % len(DASHES)]}
        ax.plot(path, fit.accuracy(at), zorder=2, label=fit.name, **style)
    mark_runs(ax, compute, report.sample.accuracy, report.is_held_out, _used(report))
    _draw_forecasts(report, best, ax)
    if report.baseline.value > 0.0:
        ax.axhline(report.baseline.value, color=PALE, linewidth=0.9, zorder=1, label="guessing")
    if off := int(np.count_nonzero(compute < path[0])):
        ax.plot([], [], " ", label=f"{off} more off the axis")
    ax.set_xscale("log")
    ax.set_xlim(path[0], path[-1])
    ax.set_xlabel(COMPUTE)
    ax.set_ylabel(f"accuracy on {_literal(report.benchmark)}")


def _draw_residuals(report: Report, fit: LawFit, ax: Axes) -> None:
    """Observed minus predicted accuracy in points, against compute; held-out runs are open."""
    compute, path = _compute(report), _path(report)
    judged = report.pairs_ahead if "k" in fit.kind.asks else report.sample.subset(report.is_judged)
    shade_held_out(ax, compute, report.is_held_out)
    ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
    ax.margins(y=0.15)
    for runs, held_out in ((fit.sample, False), (judged, True)):
        if runs is not None and len(runs):
            residuals = 100.0 * (runs.accuracy - fit.accuracy(runs.at))
            held = np.full(len(runs), held_out)
            mark_runs(ax, runs.at.column("compute"), residuals, held, size=0.75)
    ax.set_xscale("log")
    ax.set_xlim(path[0], path[-1])
    ax.set_title(_literal(fit.name))


def plot_report(report: Report) -> Any:
    """A page: accuracy with laws and forecast, residuals of at most four laws, and, where there are
    such laws, what follows from the one of params and tokens, and the one in k at every k
    (`plot_in_k`).

    Returns
    -------
    ndarray of Axes
        That of the accuracy first.

    Raises
    ------
    ValueError
        Where the compute of the runs is not known.
    """
    from .in_k import plot_in_k

    in_k = next((fit for fit in report.fits if "k" in fit.kind.asks), None)
    heights = [TOP]
    heights += [MIDDLE] if report.planning is not None else []
    heights += [BOTTOM] if in_k is not None else []
    with _figure((PAGE, sum(heights))) as figure:
        rows = iter(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
        axes = _draw_top(report, next(rows))
        if report.planning is not None:
            axes += _draw_planning(report, next(rows))
        if in_k is not None:
            axes.append(
                plot_in_k(in_k, report.pairs_ahead, next(rows).subplots(), level=report.level)
            )
    return np.array(axes, dtype=object)


def _draw_top(report: Report, figure: SubFigure) -> list[Axes]:
    """Accuracy on the left, residuals on the right, the legend below."""
    best = sorted(report.laws, key=_error)[:MOST_PANELS]
    shown = [law.fit for law in report.laws if law in best]
    grid = figure.add_gridspec(len(shown), 2, width_ratios=(1.5, 1.0))
    left = figure.add_subplot(grid[:, 0])
    _draw_accuracy(report, left)
    right: list[Axes] = []
    for row, fit in enumerate(shown):
        shared: Any = {"sharex": right[0], "sharey": right[0]} if right else {}
        ax = figure.add_subplot(grid[row, 1], **shared)
        _draw_residuals(report, fit, ax)
        ax.tick_params(labelbottom=row == len(shown) - 1)
        right.append(ax)
    right[-1].set_xlabel(COMPUTE)
    right[len(right) // 2].set_ylabel("observed $-$ law (points)")
    handles = left.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=4, fontsize=6.5)
    return [left, *right]


# -- what follows from the law of params and tokens ----------------------------------------------


def _draw_planning(report: Report, figure: Any) -> list[Axes]:
    """Three panels in a figure: accuracy of the best allocation, its params and tokens, and points
    lost at other ratios.

    Bands are pointwise percentiles of the refits; marks are the budgets of the report.
    """
    fit, _ = planning_law(report.fits)
    assert fit is not None
    assert report.planning is not None
    refitted = Refitted.of(fit, report.level)
    budgets = np.array([row["compute"] for row in report.planning.allocations])
    every = np.concatenate([fit.sample.at.column("compute"), budgets])
    path = np.geomspace(every.min() / EDGE, every.max() * EDGE, PATH)
    ratios = np.geomspace(*RATIOS, PATH)

    def draw(ax: Axes, x: Floats, curve: Any, index: int, label: str = "") -> None:
        style: Any = {"color": _colour(index), "linestyle": DASHES[index % len(DASHES)]}
        band = refitted.band(curve)
        curve_with_band(ax, x, band, label=label, **style)

    def mark(ax: Axes, curve: Any, index: int) -> None:
        ax.plot(budgets, curve, "D", color=_colour(index), markersize=3.5, zorder=5)

    best, allocated, lost = figure.subplots(1, 3)
    at_budgets = refitted.law.plan(budgets)
    draw(best, path, lambda law: law.plan(path).accuracy, 0)
    mark(best, at_budgets.accuracy, 0)
    if report.baseline.value > 0.0:
        best.axhline(report.baseline.value, color=PALE, linewidth=0.9, zorder=0)
    best.set_ylabel(r"accuracy at best, $Q^*$")
    for index, (name, label) in enumerate((("params", "$N^*$"), ("tokens", "$D^*$"))):
        draw(allocated, path, lambda law, name=name: getattr(law.plan(path), name), index, label)
        mark(allocated, getattr(at_budgets, name), index)
    allocated.set_yscale("log")
    allocated.set_ylabel("params and tokens at best")
    for index, C in enumerate(budgets[:MOST_BUDGETS]):

        def points(law: Any, C: float = C) -> Any:
            return 100.0 * law.penalty(ratios, C).lost_accuracy

        draw(lost, ratios, points, index, f"at {_power(C)} FLOP")
    most = 100.0 * refitted.law.penalty(ratios).greatest_loss
    lost.plot(ratios, most, ":", color=DIM, label="at most, at any budget", zorder=5)
    lost.set_ylim(bottom=0.0)
    lost.set_ylabel("points of accuracy lost")
    for ax in (best, allocated, lost):
        ax.set_xscale("log")
        ax.set_xlabel(PLANNED)
    lost.set_xlabel(r"overtraining ratio $(D/N)/(D^*/N^*)$")
    for ax in (allocated, lost):
        ax.legend(fontsize=6.0)
    figure.suptitle(
        _literal(f"best allocation for this benchmark by {report.planning.law}"), fontsize=7.5
    )
    return [best, allocated, lost]


# -- parts ---------------------------------------------------------------------------------------


def along(fit: LawFit, path: Any, ratio: float | None) -> Points | None:
    """Where a law is drawn over compute: at this D/N, and at k = 1; None where it asks for what is
    not known.
    """
    budget = {}
    if ratio is not None:
        budget = {
            "params": formulas.ray_params(path, ratio),
            "tokens": formulas.ray_tokens(path, ratio),
        }
    at = Points(compute=path, k=np.ones(len(path)), **budget)
    return None if any(getattr(at, name) is None for name in fit.kind.asks) else at


def _compute(report: Report) -> Floats:
    values = report.sample.at.compute
    if values is None:
        raise outside("report", report.benchmark, "of runs whose compute is known, to be drawn")
    return np.asarray(values)


def _path(report: Report) -> Floats:
    """Computes from below the first fitted run to beyond the last run and forecast."""
    compute = _compute(report)
    highest = max(compute.max(), *(forecast.compute for forecast in report.forecasts), 0.0)
    return np.geomspace(compute[_used(report)].min() / BEFORE, highest * AFTER, POINTS)


def _used(report: Report) -> Any:
    return fitted_by_some(report.fits, report.sample)


def fitted_by_some(fits: Sequence[LawFit], sample: Sample) -> Any:
    """Which runs some law was fitted to: (n,) of bool."""
    taken = [fit.sample.index for fit in fits if fit.sample.index is not None]
    if sample.index is None:
        return np.ones(len(sample), dtype=bool)
    return np.isin(sample.index, np.concatenate(taken) if taken else [])


def _draw_forecasts(report: Report, fit: LawFit, ax: Axes) -> None:
    """The forecasts of a law with the interval of a new run."""
    style: Any = {"color": _colour(report.fits.index(fit)), "zorder": 5}
    of_law = [each for each in report.forecasts if each.law == fit.name and each.k in (None, 1.0)]
    for number, forecast in enumerate(of_law):
        ends = [forecast.new_run.low, forecast.new_run.high]
        if forecast.new_run.has_interval:
            ax.plot([forecast.compute] * 2, ends, linewidth=1.0, **style)  # type: ignore[arg-type]
        label = "_more" if number else "forecast"
        ax.plot(
            forecast.compute, forecast.accuracy.value, "D", markersize=4.0, label=label, **style
        )


def _best(report: Report) -> LawFit:
    """The law of band and forecasts."""
    return report.fits[report.laws.index(min(report.laws, key=_error))]


def _error(law: JudgedLaw) -> float:
    """By what laws are ranked: on the held-out runs where there are any; one in k comes last, for it
    is judged on other data.
    """
    value = law.held_out["mae"] if law.held_out["n"] else law.train["rmse"]
    return float("inf") if value is None or law.crossing is not None else float(value)


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]
