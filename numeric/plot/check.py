"""The figure of a check: isoFLOP profiles, loss against compute, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import Band
from .panels import COLOURS, DASHES, DIM, PAGE, PALE, POINTS, _figure, curve_with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..check.runs import Check

    Floats = NDArray[np.float64]

#: The axis of losses extends above the lowest loss to this multiple of the distance of the upper
#: quartile; the envelope is drawn beyond the compute of the runs by this factor.
TALLEST, WIDER = 2.5, 1.3
MINIMUM: Any = {"marker": "D", "markersize": 4.0, "mec": "w", "mew": 0.5, "linestyle": ""}
#: A legend below the axes, where it covers no run and no curve.
BELOW: Any = {"loc": "upper center", "ncols": 2, "fontsize": 6.5}
#: The colour and the line of each approach, the same whatever other approaches the runs allow.
STYLES: Any = {
    name: {"color": COLOURS[i], "linestyle": DASHES[i + 1]}
    for i, name in enumerate(("frontier", "isoflop", "fixed-ratio"))
}


def plot_check_runs(result: Check) -> Any:
    """The runs and isoFLOP profiles on the left; on the right loss against compute, above the relative
    difference of each empirical law with its band.
    """
    path = np.geomspace(result.spent.min() / WIDER, result.spent.max() * WIDER, POINTS)
    with _figure((PAGE, 4.5)) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.08), height_ratios=(1.35, 1.0))
        profiles = figure.add_subplot(grid[:, 0])
        curves = figure.add_subplot(grid[0, 1])
        differences = figure.add_subplot(grid[1, 1], sharex=curves)
        _profiles(result, path, profiles)
        _curves(result, path, curves)
        _differences(result, differences)
        curves.tick_params(labelbottom=False)
    return figure


def _profiles(result: Check, path: Floats, ax: Axes) -> None:
    """Loss against params: the runs, and for each budget the profile of the law and the minimum of the
    parabola, darker for less compute.
    """
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm

    runs, budget, compute = result.fit.runs, result.budget, result.spent
    law = budget.law(**result.fit.coefficients)
    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.88, 256)))
    norm = LogNorm(compute.min(), compute.max() * (1.0 + 1e-9))
    marks: Any = {"s": 7, "linewidths": 0, "alpha": 0.8, "zorder": 2}
    points = ax.scatter(runs.params, runs.loss, c=compute, cmap=shades, norm=norm, **marks)
    drawn = list[Any]()
    for row in result.budgets.itertuples():
        sizes = np.geomspace(row.params_lo, row.params_hi, POINTS)
        scaled, _ = budget.scaled(sizes, 1.0)
        line: Any = {"color": shades(norm(row.compute)), "linewidth": 0.8}
        drawn.append(law.loss(scaled, row.compute / (6.0 * scaled)))
        ax.plot(sizes, drawn[-1], **line)
        lowest = row.corrected_params, row.corrected_loss
        ax.plot(*lowest, color=line["color"], zorder=5, **MINIMUM)
    optima, _, losses = result.optimum(path)
    inside = (optima > runs.params.min()) & (optima < runs.params.max())
    best: Any = {"color": DIM, "linewidth": 1.1, "label": "optimum of the law", "zorder": 3}
    ax.plot(optima[inside], losses[inside], **best)
    ax.plot([], [], "o", color=DIM, markersize=2.6, label="run")
    if len(result.budgets):
        ax.plot([], [], color=DIM, linewidth=0.6, label="law at a budget")
        ax.plot([], [], color=DIM, label="minimum without bias", **MINIMUM)
    ax.set_xlabel("params $N$")
    _finish(ax, runs.loss, [*drawn, losses[inside]])
    ax.legend(bbox_to_anchor=(0.5, -0.13), **BELOW)
    colours: Any = ax.figure.colorbar(points, ax=ax, location="right", aspect=45, pad=0.02)
    colours.solids.set_alpha(1.0)
    colours.set_label(r"compute $C$ (FLOP)", fontsize=7.0)


def _curves(result: Check, path: Floats, ax: Axes) -> None:
    """Loss against compute: the runs, the envelope, the rays, and each empirical law over its own
    compute.
    """
    envelope, loss = result.optimum(path)[2], result.fit.runs.loss
    ax.scatter(result.spent, loss, s=5, color=PALE, linewidths=0, zorder=1, label="run")
    ax.plot(path, envelope, color="black", linewidth=1.0, label="derived envelope", zorder=3)
    drawn = [envelope]
    for name, curve in result.curves.items():
        if name == "fixed-ratio":
            ray = {**STYLES[name], "linestyle": "-", "linewidth": 0.6, "label": "law on the ray"}
            ax.plot(curve.compute, curve.predicted, zorder=3, **ray)
        parts = (curve.predicted * (1.0 + curve[x]) for x in ("difference", "lo", "hi"))
        band = Band(*(part.to_numpy() for part in parts))
        label = next(row["name"] for row in result.rows if row["approach"] == name)
        curve_with_band(ax, curve.compute, band, label=label, **STYLES[name])
        drawn += band.ends
    minima: Any = {**MINIMUM, "color": STYLES["isoflop"]["color"], "zorder": 5}
    if len(result.budgets):
        minima["label"] = "minimum of a budget"
    ax.plot(result.budgets.compute, result.budgets.corrected_loss, **minima)
    _finish(ax, loss, drawn)
    ax.legend(fontsize=6.5)


def _differences(result: Check, ax: Axes) -> None:
    """The relative difference of each empirical curve from the predicted one, with its band and the
    tolerance.
    """
    from matplotlib.ticker import PercentFormatter

    tolerance, rows = result.tolerance, {row["approach"]: row for row in result.rows}
    key = f"tolerance, {100.0 * tolerance:.3g} %"
    ax.axhspan(-tolerance, tolerance, color=PALE, alpha=0.35, linewidth=0, zorder=0, label=key)
    ax.axhline(0.0, color="black", linewidth=0.7, zorder=1)
    for name, curve in result.curves.items():
        band = Band(*(curve[x].to_numpy() for x in ("difference", "lo", "hi")))
        label = f"{rows[name]['name']}: {rows[name]['verdict']}"
        curve_with_band(ax, curve.compute, band, label=label, **STYLES[name])
    if not result.curves:
        ax.text(0.5, 0.75, "no empirical compute law", ha="center", transform=ax.transAxes)
    ax.set(xscale="log", xlabel="compute $C$ (FLOP)", ylabel="relative difference")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1, symbol=" %"))
    ax.margins(y=0.12)
    ax.legend(bbox_to_anchor=(0.5, -0.3), **BELOW)


def _finish(ax: Axes, loss: Floats, drawn: list[Floats]) -> None:
    """Set axes of loss that show all curves, and in which a few high losses do not flatten the rest."""
    least, upper = float(loss.min()), float(np.quantile(loss, 0.75))
    shown = np.array([least, min(float(loss.max()), least + TALLEST * (upper - least))])
    heights = np.concatenate([shown, *drawn])
    margin = 0.03 * float(np.ptp(heights))
    ax.set(xscale="log", ylabel="loss $L$")
    ax.set_ylim(float(heights.min()) - margin, float(heights.max()) + margin)
