"""What a report's params+tokens law says of allocations: the envelope, params and tokens, what other ratios cost; with bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.planning import AccuracyLaw
from ..accuracy.report_planning import laws_of, planning_law
from ..errors import outside
from .panels import COLOURS, DASHES, DIM, PALE, _literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..accuracy.report import Report

    Floats = NDArray[np.float64]

__all__ = ["plot_planning"]

COMPUTE = r"compute $C$ (FLOP)"
#: Points of a curve, and the factor by which the axis of compute reaches beyond runs and budgets.
POINTS, EDGE = 61, 1.7
#: Overtraining ratios that are drawn.
RATIOS = (0.03, 30.0)
#: Budgets whose costs are drawn, and refits that bands are made of.
MOST_BUDGETS, MOST_REFITS = 2, 200


def plot_planning(report: Report, figure: Any) -> list[Any]:
    """Three panels in a figure: accuracy of the best allocation, its params and tokens, and points lost at other ratios.

    Bands are pointwise percentiles of the refits; marks are the budgets of the report.

    Raises
    ------
    ValueError
        Where the report plans nothing.
    """
    fit, _ = planning_law(report.fits)
    if fit is None or report.planning is None:
        raise outside("report", report.benchmark, "one with a law of params and tokens that the runs determine")
    law, refits, _ = laws_of(fit)
    bands = _Bands(law, refits[:MOST_REFITS], report.level)
    budgets = np.array([row["compute"] for row in report.planning.allocations])
    known = fit.sample.at.column("compute")
    every = np.concatenate([known, budgets])
    path = np.geomspace(every.min() / EDGE, every.max() * EDGE, POINTS)
    first, second, third = figure.subplots(1, 3)
    _envelope(report, bands, path, budgets, first)
    _allocation(bands, path, budgets, second)
    _costs(bands, budgets[:MOST_BUDGETS], third)
    figure.suptitle(_literal(f"best allocation for this benchmark by {report.planning.law}"), fontsize=7.5)
    return [first, second, third]


class _Bands:
    """A curve by a law with the percentiles of its refits."""

    def __init__(self, law: AccuracyLaw, refits: Sequence[AccuracyLaw], level: float) -> None:
        self.law, self.refits, self.level = law, refits, level

    def draw(self, ax: Any, x: Floats, curve: Callable[[AccuracyLaw], Any], colour: str, dashes: str, label: str) -> None:
        if len(self.refits) > 1:
            drawn = np.array([np.asarray(curve(each), dtype=np.float64) for each in self.refits])
            low, high = np.quantile(drawn, [(1.0 - self.level) / 2.0, (1.0 + self.level) / 2.0], axis=0)
            ax.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0, zorder=1)
        ax.plot(x, curve(self.law), dashes, color=colour, label=label, zorder=2)


def _envelope(report: Report, bands: _Bands, path: Floats, budgets: Floats, ax: Any) -> None:
    bands.draw(ax, path, lambda each: each.plan(path).accuracy, COLOURS[0], "-", "best allocation")
    ax.plot(budgets, bands.law.plan(budgets).accuracy, "D", color=COLOURS[0], markersize=3.5, zorder=4)
    if report.baseline.value > 0.0:
        ax.axhline(report.baseline.value, color=PALE, linewidth=0.9, zorder=0)
    ax.set_xscale("log")
    ax.set_xlabel(COMPUTE)
    ax.set_ylabel(r"accuracy at best, $Q^*$")


def _allocation(bands: _Bands, path: Floats, budgets: Floats, ax: Any) -> None:
    for index, (name, label) in enumerate((("params", "$N^*$"), ("tokens", "$D^*$"))):

        def best(each: AccuracyLaw, name: str = name) -> Any:
            return getattr(each.plan(path), name)

        bands.draw(ax, path, best, COLOURS[index], DASHES[index], label)
        ax.plot(budgets, getattr(bands.law.plan(budgets), name), "D", color=COLOURS[index], markersize=3.5, zorder=4)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(COMPUTE)
    ax.set_ylabel("params and tokens at best")
    ax.legend(fontsize=6.5)


def _costs(bands: _Bands, budgets: Floats, ax: Any) -> None:
    """Points lost at each budget; at any budget, the most."""
    ratios = np.geomspace(*RATIOS, POINTS)

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
