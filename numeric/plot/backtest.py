"""Figures of backtests: errors against decades held out, coefficients against the cutoff, laws of
accuracy over their runs, successes over thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    plain_logs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from pandas import DataFrame

    from ..hold_out import Backtest
    from ..hold_out.judge import Judged
    from ..hold_out.threshold import Threshold
    from ..results import Estimate

__all__ = ["plot_backtest", "plot_coefficient", "plot_errors", "plot_successes"]

#: A line goes through the medians of bins of so many decades with at least so many predictions.
BIN, LEAST_IN_BIN = 0.5, 5
#: Smaller relative errors are drawn here, as triangles.
SMALLEST_ERROR = 1e-3
#: Values beyond this factor of the final one, and its interval, are left to arrows at the edge.
FAR = 30.0
#: A logarithmic axis over less than this factor has labels within a decade.
NARROW = 50.0
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

    at = _chosen(result, k)
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
        if not condition:
            ax.set_xlim(left=0.0)
            ax.set_xlabel(f"decades of {result.axis} held out")
        else:
            ax.set_xlabel(f"$\\log_{{10}}$ of {AXES[result.axis]}, held-out rows")
        ax.set_ylabel(
            f"relative error of $-\\log$ pass@{at}"
            if result.what == "counts"
            else "relative error of the loss"
        )
        if ax.get_legend_handles_labels()[0]:
            if not condition:
                ax.legend(loc="lower right")
            else:
                ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4)
    return ax


def plot_coefficient(
    result: Backtest, law: str, coefficient: str, ax: Axes | None = None, *, k: int | None = None
) -> Axes:
    """Estimates of a coefficient against the cutoff, each with its own interval, and the interval
    of the final fit as a band.

    Hollow: the models leave it undetermined, or the fit is not certified. Estimates far from the
    final one are triangles at the edge. A final interval without an upper end goes on to the edge.

    Parameters
    ----------
    result : Backtest
    law : str
    coefficient : str
    ax : Axes, optional
    k : int, optional
        By default the first.

    Raises
    ------
    ValueError
        Where there is no such law, coefficient or k.
    """
    at = _chosen(result, k)
    fits = [fit for fit in result.of(at, law) if fit.fitted is not None][::-1]
    names = _coefficients(result, law, at)
    if fits and coefficient not in names:
        raise outside("coefficient", coefficient, f"one of {', '.join(names)}, those of {law}")
    with _axes(ax, (COLUMN, 2.0)) as ax:
        last = result.final(law, at)
        final = None if last is None or last.fitted is None else last.fitted.final(coefficient)
        _scale(ax, fits, final, coefficient)
        colour = COLOURS[result.laws.index(law)]
        low, high = ax.get_ylim()
        if final is not None:
            ax.axhspan(*_within(final, low, high), color=PALE, alpha=0.5, linewidth=0)
            ax.axhline(final.value, color=DIM, linewidth=0.6, zorder=1)
            ax.set_ylim(low, high)
        for fit in fits:
            cutoff, estimate = float(fit.split.at or 0.0), fit.fitted.estimates[coefficient]
            value, sound = estimate.value, _is_sound(fit, coefficient)
            if sound and estimate.has_interval and low <= value <= high:
                ends = np.clip([estimate.low, estimate.high], low, high)
                ax.plot([cutoff, cutoff], ends, color=colour, linewidth=0.6, alpha=0.5)
            mark = "^" if value > high else "v" if value < low else "o"
            fill: Any = {"markerfacecolor": colour if sound else "white", "markeredgewidth": 0.6}
            place = [cutoff], [min(max(value, low), high)]
            ax.plot(*place, mark, color=colour, markersize=2.6, clip_on=False, **fill)
        ax.set_xscale("log")
        if result.axis == "gold" and not ax.xaxis_inverted():
            ax.invert_xaxis()
        ax.set_xlabel(f"cutoff: {AXES[result.axis]}")
        ax.set_ylabel(coefficient)
    return ax


def _chosen(result: Backtest, k: int | None) -> Any:
    at = result.subjects[0] if k is None else k
    result.of(at)
    return at


def _coefficients(result: Backtest, law: str, k: Any) -> list[str]:
    fitted = (fit.fitted for fit in result.of(k, law) if fit.fitted is not None)
    return next((list(law.estimates) for law in fitted), [])


def _medians(x: Any, y: Any) -> tuple[list[float], list[float]]:
    """Medians of the bins that hold enough."""
    bins = np.floor(np.round(x / BIN, 4)).astype(int)
    kinds, counts = np.unique(bins, return_counts=True)
    filled = kinds[counts >= LEAST_IN_BIN]
    median_x, median_y = (
        [float(np.median(values[bins == one])) for one in filled] for values in (x, y)
    )
    return median_x, median_y


def _within(estimate: Estimate, low: float, high: float) -> tuple[float, float]:
    """An interval whose ends are none where they are 0 or infinite on an axis that has no such
    place.
    """
    below, above = estimate.low or 0.0, np.inf if estimate.high is None else estimate.high
    return (below if below > 0.0 or low <= 0.0 else low), (above if np.isfinite(above) else high)


def _scale(ax: Axes, fits: Sequence[Judged], final: Estimate | None, name: str) -> None:
    """Limits that show the final interval and what lies near; prefactors on a logarithmic axis."""
    known = [fit.fitted.estimates[name].value for fit in fits if fit.converged]
    sound = [fit.fitted.estimates[name].value for fit in fits if _is_sound(fit, name)]
    is_floor = final is not None and name == next(iter(fits[0].fitted.estimates))
    ends = [] if final is None else [end for end in (final.low, final.high) if end is not None]
    ends = [end for end in ends if np.isfinite(end) and (is_floor or end > 0.0)]
    shown = [*(sound or known or [1.0]), *ends]
    low, high = min(shown), max(shown)
    if ends and max(ends) > 0.0:
        high = min(high, FAR * max(ends))
    if is_floor or low <= 0.0:
        ax.set_ylim(-0.05 * (high or 1.0), 1.05 * (high or 1.0))
        return
    low = max(low, min(ends) / FAR) if ends else low
    ax.set_yscale("log")
    ax.set_ylim(low / 1.2, high * 1.2)
    if high / low < NARROW:
        plain_logs(ax.yaxis)


def _is_sound(fit: Judged, name: str) -> bool:
    """Whether a fit is certified and determines the coefficient."""
    is_known = fit.converged and name not in fit.undetermined
    return is_known and bool(np.isfinite(fit.fitted.estimates[name].value))


# -- a sweep of thresholds -------------------------------------------------------------------------


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
    ends = cells["cutoff"].min() / 1.15, cells["cutoff"].max() * 1.15
    with _figure((PAGE, 1.7 * rows + 0.3)) as page:
        panels = page.subplots(rows, across, squeeze=False)
        for index, (one, ax) in enumerate(zip(found, panels.flat, strict=False)):
            _draw_successes(one, cells, COLOURS[index % len(COLOURS)], ends, ax)
        for ax in panels.flat[len(found) :]:
            ax.set_axis_off()
        page.supylabel("success of the extrapolation", fontsize=8.0)
        page.supxlabel(
            "\n".join(["threshold $T$ (FLOP)", *_caption(found, result.level)]), fontsize=8.0
        )
    return panels.flat[: len(found)]


def _draw_successes(
    one: Threshold, cells: DataFrame, colour: str, ends: tuple[float, float], ax: Axes
) -> None:
    """Successes and failures of a law, the logistic curve, and T50 with its interval."""
    left, right = ends
    names = list(dict.fromkeys(cells["subject"]))
    for row, name in enumerate(names):
        shift = SPREAD * ((row + 0.5) / len(names) - 0.5) * 2.0
        own = cells[(cells["subject"] == name) & (cells["law"] == one.law)]
        style: Any = {"color": DIM, "markersize": 1.8, "markeredgewidth": 0.0, "alpha": 0.6}
        ax.plot(own["cutoff"], own["success"].astype(float) + shift, "o", **style)
    if _is_shaded(one):
        low = left if one.low is None else max(left, one.low)
        high = right if one.high is None else min(right, one.high)
        if low < high:
            ax.axvspan(low, high, color=colour, alpha=0.12, linewidth=0)
    if one.regression is not None and one.outcome in ("fitted", "falling"):
        path = np.geomspace(left, right, POINTS)
        ax.plot(path, one.regression.probability(np.log10(path)), color=colour)
    if one.T50 is not None and left <= one.T50 <= right:
        ax.axvline(one.T50, color=colour, linestyle="--", linewidth=0.9)
    T50 = "none" if one.T50 is None else f"{one.T50:.3g}".replace("e+", "e")
    ax.set_title(f"{_literal(one.law)}\n$T_{{50}}$: {T50}")
    ax.set_xscale("log")
    ax.set_xlim(left, right)
    ax.set_ylim(-0.1, 1.1)
    ax.set_yticks([0.0, 0.5, 1.0])


def _is_shaded(one: Threshold) -> bool:
    return not one.without_interval and any(end is not None for end in (one.low, one.high))


def _caption(found: Sequence[Threshold], level: float) -> list[str]:
    """What is shaded, and how far it is to be trusted."""
    cautions = dict.fromkeys(one.caution for one in found if _is_shaded(one))
    shaded = f"shaded: {100.0 * level:g} % interval of $T_{{50}}$"
    return [f"{shaded} ({caution})" if caution else shaded for caution in cautions]
