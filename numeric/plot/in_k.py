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

__all__ = ["plot_in_k"]

#: The axis of compute reaches beyond the pairs by this factor, and to C_x with its interval where
#: that is at most so far away.
EDGE, FARTHEST = 1.7, 100.0
POINTS = 161


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
    compute = np.concatenate([part.at.compute, ahead.at.compute])
    low, high = compute.min() / EDGE, compute.max() * EDGE
    ends = () if crossing is None else (crossing.value, crossing.low, crossing.high)
    near = [end for end in ends if end is not None and low / FARTHEST <= end <= high * FARTHEST]
    low, high = min([low, *(x / EDGE for x in near)]), max([high, *(x * EDGE for x in near)])
    path, handles = np.geomspace(low, high, POINTS), list[Any]()
    shades = colormaps["viridis"](np.linspace(0.0, 0.85, len(ks)))
    with _axes(ax, (COLUMN, 2.8)) as ax:
        for k, shade in zip(ks, shades, strict=True):
            at = Points(compute=path, k=np.full(len(path), k))
            curve, off = neg_log_accuracy(fit.accuracy(at), part.baseline), beyond(fit, at)
            style: Any = {"color": shade, "zorder": 2}
            ax.plot(path, np.where(off, np.nan, curve), linewidth=1.0, **style)
            ax.plot(path, np.where(off, curve, np.nan), ":", linewidth=0.8, **style)
            filled = {"color": shade, "linewidths": 0.0, "s": 4.0}
            hollow = {"facecolors": "none", "edgecolors": shade, "linewidths": 0.6, "s": 8.0}
            for some, face in ((part, filled), (ahead, hollow)):
                own = some.at.k == k
                y = neg_log_accuracy(some.accuracy[own], part.baseline)
                ax.scatter(some.at.compute[own], y, zorder=3, **face)
            label = f"$k={k:g}$"
            handles.append(Line2D([], [], color=shade, marker="o", markersize=2.5, label=label))
        if len(ahead):
            mark: Any = {"marker": "o", "markersize": 3.5, "fillstyle": "none", "linestyle": ""}
            handles.append(Line2D([], [], color=DIM, label="held out", **mark))
        if crossing is not None and low <= crossing.value <= high:
            holds_above = fit.coefficients["d"] < 0.0
            sides = (low, crossing.value) if holds_above else (crossing.value, high)
            ax.axvspan(*sides, color=PALE, alpha=0.35, linewidth=0, zorder=0)
            line: Any = {"color": "black", "linewidth": 0.7, "zorder": 1, "label": "$C_x$"}
            handles.append(ax.axvline(crossing.value, **line))
            if crossing.low is not None and crossing.high is not None:
                bar: Any = {"color": "black", "alpha": 0.15, "linewidth": 0}
                label = f"{100.0 * level:g} % interval of $C_x$"
                handles.append(ax.axvspan(crossing.low, crossing.high, label=label, **bar))
        ax.set_xscale("log")
        ax.set_yscale("log")
        plain_logs(ax.yaxis)
        ax.set_xlim(low, high)
        ax.set_xlabel(r"training compute $C$ (FLOP)")
        ax.set_ylabel(rf"$-\log$ pass@k on {_literal(part.benchmark)}")
        # Below the axes: curves, pairs and shading run anywhere within.
        keys: Any = {"fontsize": 6.0, "ncols": 3, "handlelength": 1.4, "columnspacing": 0.8}
        ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.2), **keys)
    return ax
