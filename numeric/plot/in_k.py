"""The law of pass@k in compute and k over its pairs: a curve for every k, and C_x, where they
cross.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.laws import beyond, crossing_of
from ..data.sample import Points
from ..data.scale import neg_log_accuracy
from ..errors import outside
from .panels import COLUMN, DIM, PALE, _axes, _literal, plain_logs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..accuracy.law import LawFit
    from ..data.sample import Sample
    from ..results import Estimate

__all__ = ["plot_in_k"]

COMPUTE = r"training compute $C$ (FLOP)"
#: The axis of compute reaches beyond the pairs by this factor, and to C_x with its interval where
#: that is at most so far away.
EDGE, FARTHEST = 1.7, 100.0
POINTS = 161
#: From the smallest k to the largest, in this part of the map of colours, which is dark and light
#: enough on paper.
COLOURS, DARKEST, LIGHTEST = "viridis", 0.0, 0.85


def plot_in_k(
    fit: LawFit, held_out: Sample | None = None, ax: Axes | None = None, *, level: float = 0.9
) -> Axes:
    """-log pass@k against compute at every k, where the law's curves are lines, and the compute C_x
    at which they cross.

    Held-out pairs are open. Beyond C_x, where the law says that more samples solve fewer problems,
    its lines are dotted and the axes shaded; the bar at C_x is its interval. As in Figure 3 of
    Krajewski et al. 2025, arXiv 2512.08894.

    Parameters
    ----------
    fit : LawFit
        Of the law in compute and k.
    held_out : Sample, optional
        Pairs that were not fitted.
    ax : Axes, optional
    level : float
        Of the interval of C_x.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the law is not one of compute and k.
    """
    if "k" not in fit.kind.asks:
        raise outside("fit", fit.name, "of a law of compute and k")
    from matplotlib import colormaps
    from matplotlib.lines import Line2D

    part = fit.sample
    ahead = part.subset(np.zeros(len(part), bool)) if held_out is None else held_out
    crossing = crossing_of(fit, level)
    ks = np.unique(np.concatenate([part.at.k, ahead.at.k]))
    shades = colormaps[COLOURS](np.linspace(DARKEST, LIGHTEST, len(ks)))
    path = _path(np.concatenate([part.at.compute, ahead.at.compute]), crossing)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        handles: list[Any] = []
        for k, shade in zip(ks, shades, strict=True):
            at = Points(compute=path, k=np.full(len(path), k))
            curve = _neg_log(fit.accuracy(at), part)
            off: Any = beyond(fit, at)
            holds, fails = np.where(off, np.nan, curve), np.where(off, curve, np.nan)
            ax.plot(path, holds, color=shade, linewidth=1.0, zorder=2)
            ax.plot(path, fails, ":", color=shade, linewidth=0.8, zorder=2)
            filled = {"color": shade, "linewidths": 0.0, "s": 4.0}
            hollow = {"facecolors": "none", "edgecolors": shade, "linewidths": 0.6, "s": 8.0}
            for some, face in ((part, filled), (ahead, hollow)):
                own = some.at.k == k
                y = _neg_log(some.accuracy[own], part)
                ax.scatter(some.at.compute[own], y, zorder=3, **face)
            label = f"$k={k:g}$"
            handles.append(Line2D([], [], color=shade, marker="o", markersize=2.5, label=label))
        if len(ahead):
            open_mark: Any = {"marker": "o", "markersize": 3.5, "fillstyle": "none"}
            handles.append(Line2D([], [], color=DIM, linestyle="", label="held out", **open_mark))
        handles += _draw_crossing(crossing, fit.coefficients["d"] < 0.0, path, ax, level)
        ax.set_xscale("log")
        ax.set_yscale("log")
        plain_logs(ax.yaxis)
        ax.set_xlim(path[0], path[-1])
        ax.set_xlabel(COMPUTE)
        ax.set_ylabel(rf"$-\log$ pass@k on {_literal(part.benchmark)}")
        keys: Any = {"fontsize": 6.0, "ncols": 2, "handlelength": 1.4, "columnspacing": 0.8}
        ax.legend(handles=handles, loc="lower left", **keys)
    return ax


def _neg_log(values: Any, sample: Sample) -> Any:
    return neg_log_accuracy(values, sample.baseline)


def _path(compute: Any, crossing: Any) -> Any:
    low, high = compute.min() / EDGE, compute.max() * EDGE
    ends = () if crossing is None else (crossing.value, crossing.low, crossing.high)
    near = [end for end in ends if end is not None and low / FARTHEST <= end <= high * FARTHEST]
    return np.geomspace(
        min([low, *(end / EDGE for end in near)]),
        max([high, *(end * EDGE for end in near)]),
        POINTS,
    )


def _draw_crossing(
    crossing: Estimate | None, holds_above: bool, path: Any, ax: Axes, level: float
) -> list[Any]:
    """C_x, its interval, and the part in which the law does not hold; what stands for them in a
    legend.
    """
    if crossing is None or not path[0] <= crossing.value <= path[-1]:
        return []
    sides = (path[0], crossing.value) if holds_above else (crossing.value, path[-1])
    ax.axvspan(*sides, color=PALE, alpha=0.35, linewidth=0, zorder=0)
    handles: list[Any] = [
        ax.axvline(crossing.value, color="black", linewidth=0.7, zorder=1, label="$C_x$")
    ]
    if crossing.has_interval:
        label = f"{100.0 * level:g} % interval of $C_x$"
        ends: Any = (crossing.low, crossing.high)
        handles.append(ax.axvspan(*ends, color="black", alpha=0.15, linewidth=0, label=label))
    return handles
