"""The figures of a check: of runs (isoFLOP profiles, loss against compute, differences), and of the
published tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..results import Band
from .panels import COLOURS, DASHES, DIM, PAGE, PALE, POINTS, STYLE, _figure, curve_with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..check.published import PublishedCheck
    from ..check.result import Check

    Floats = NDArray[np.float64]

__all__ = ["plot_check", "plot_check_runs"]

#: The axis of losses shows the runs up to this multiple of its upper quartile above the lowest.
TALLEST = 2.5
#: Runs and curves reach so far beyond the compute of the runs.
WIDER = 1.3
MINIMUM: Any = {"marker": "D", "markersize": 4.0, "mec": "w", "mew": 0.5, "linestyle": ""}
#: Below the axes, where no run and no curve can lie.
BELOW: Any = {"loc": "upper center", "ncols": 2, "fontsize": 6.5}


def plot_check_runs(result: Check) -> Any:
    """Runs and isoFLOP profiles; loss against compute; relative difference of each empirical law
    with its band.

    Parameters
    ----------
    result : Check

    Returns
    -------
    Figure
        The profiles to the left, the curves above the differences to the right.
    """
    runs = result.fit.runs
    compute = formulas.compute(runs.params, runs.tokens) if runs.compute is None else runs.compute
    with _figure((PAGE, 4.5)) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.08), height_ratios=(1.35, 1.0))
        profiles = figure.add_subplot(grid[:, 0])
        curves = figure.add_subplot(grid[0, 1])
        differences = figure.add_subplot(grid[1, 1], sharex=curves)
        _profiles(result, compute, profiles)
        _curves(result, compute, curves)
        _differences(result, differences)
        curves.tick_params(labelbottom=False)
        curves.set_xlabel("")
    return figure


def _profiles(result: Check, compute: Floats, ax: Axes) -> None:
    """Loss against params: runs, the law's profile and the parabola at each budget, and where they
    are lowest, all dark for little compute.
    """
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm

    runs, laws = result.fit.runs, result.laws
    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.88, 256)))
    norm = LogNorm(compute.min(), compute.max() * (1.0 + 1e-9))
    marks: Any = {"s": 7, "linewidths": 0, "alpha": 0.8, "zorder": 2}
    points = ax.scatter(runs.params, runs.loss, c=compute, cmap=shades, norm=norm, **marks)
    drawn = [_losses(runs.loss)]
    for budget in result.budgets.itertuples():
        sizes = np.geomspace(budget.params_lo, budget.params_hi, POINTS)
        line: Any = {"color": shades(norm(budget.compute)), "linewidth": 0.8}
        profile = laws.losses(sizes, laws.budget.tokens(budget.compute, sizes))[0]
        ax.plot(sizes, profile, **line)
        drawn.append(profile)
        if not budget.reason:
            parabola = budget.loss + budget.curvature * np.log(sizes / budget.params) ** 2
            ax.plot(sizes, parabola, "--", **line)
            lowest = budget.corrected_params, budget.corrected_loss
            ax.plot(*lowest, color=line["color"], zorder=5, **MINIMUM)
            drawn.append(parabola)
    optima, _, lowest = result.optimum(_path(compute))
    shown = (optima > runs.params.min()) & (optima < runs.params.max())
    best: Any = {"color": DIM, "linewidth": 1.1, "label": "optimum of the law", "zorder": 3}
    ax.plot(optima[shown], lowest[shown], **best)
    if len(result.budgets):
        ax.plot([], [], color=DIM, linewidth=0.6, label="law at a budget")
        ax.plot([], [], "--", color=DIM, linewidth=0.6, label="parabola")
        ax.plot([], [], color=DIM, label="its minimum without bias", **MINIMUM)
    ax.set_xscale("log")
    ax.set_ylim(*_holding([*drawn, lowest[shown]]))
    ax.set_xlabel(r"params $N$")
    ax.set_ylabel("loss $L$")
    ax.legend(bbox_to_anchor=(0.5, -0.13), **BELOW)
    colours: Any = ax.figure.colorbar(points, ax=ax, location="right", aspect=45, pad=0.02)
    colours.solids.set_alpha(1.0)
    colours.set_label(r"compute $C$ (FLOP)", fontsize=7.0)


def _curves(result: Check, compute: Floats, ax: Axes) -> None:
    """Loss against compute: runs, envelope, rays, and each empirical law over its own compute."""
    runs, path = result.fit.runs, _path(compute)
    _, _, envelope = result.optimum(path)
    ax.scatter(compute, runs.loss, s=5, color=PALE, linewidths=0, zorder=1)
    ax.plot(path, envelope, color="black", linewidth=1.0, label="derived envelope", zorder=3)
    drawn = [_losses(runs.loss), envelope]
    for check, line in _with_curves(result):
        predicted = check.predicted_law.loss(check.compute)
        if check.tokens_per_param is not None:
            ax.plot(check.compute, predicted, ":", color=line["color"], linewidth=1.0, zorder=3)
        parts = (check.band.value, *check.band.ends)
        band = Band(*(predicted * (1.0 + part) for part in parts))
        curve_with_band(ax, check.compute, band, label=check.name, **line)
        drawn += band.ends
    minima = result.budgets[result.budgets.reason == ""]
    style = {**MINIMUM, "markersize": 3.0}
    ax.plot(minima.compute, minima.corrected_loss, color=COLOURS[1], zorder=5, **style)
    ax.set_xscale("log")
    ax.set_ylim(*_holding(drawn))
    ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel("loss $L$")
    ax.legend(fontsize=6.5)


def _differences(result: Check, ax: Axes) -> None:
    """Relative difference of each empirical from its predicted curve, with its band and the
    tolerance.
    """
    from matplotlib.ticker import PercentFormatter

    tolerance, checks = result.tolerance, _with_curves(result)
    key = f"tolerance, {100.0 * tolerance:.3g} %"
    ax.axhspan(-tolerance, tolerance, color=PALE, alpha=0.35, linewidth=0, zorder=0, label=key)
    ax.axhline(0.0, color="black", linewidth=0.7, zorder=1)
    for check, line in checks:
        label = f"{check.name}: {check.verdict}"
        curve_with_band(ax, check.compute, check.band, label=label, **line)
    if not checks:
        nothing: Any = {"ha": "center", "fontsize": 7.0, "color": DIM}
        ax.text(0.5, 0.75, "no empirical compute law", transform=ax.transAxes, **nothing)
    ax.set_xscale("log")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1, symbol=" %"))
    ax.margins(y=0.12)
    ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel("relative difference")
    ax.legend(bbox_to_anchor=(0.5, -0.3), **BELOW)


def _with_curves(result: Check) -> list[tuple[Any, dict[str, Any]]]:
    """The approaches that have a curve, each with its colour and its dashes."""
    checks = [check for check in result.empirical if check.compute is not None]
    return [
        (check, {"color": COLOURS[i % 6], "linestyle": DASHES[1:][(i + i // 6) % 3]})
        for i, check in enumerate(checks)
    ]


def _path(compute: Floats) -> Floats:
    return np.geomspace(compute.min() / WIDER, compute.max() * WIDER, POINTS)


def _losses(loss: Floats) -> Floats:
    """The range of the losses, so that a few high ones do not flatten the rest."""
    least, upper = float(loss.min()), float(np.quantile(loss, 0.75))
    return np.array([least, min(float(loss.max()), least + TALLEST * (upper - least))])


def _holding(drawn: list[Floats]) -> tuple[float, float]:
    """An axis that cuts none of the curves."""
    heights = np.concatenate(drawn)
    margin = 0.03 * float(np.ptp(heights))
    return float(heights.min()) - margin, float(heights.max()) + margin


def plot_check(result: PublishedCheck) -> Any:
    """Accuracy against compute, a panel a benchmark: compute law, ray and envelope.

    Parameters
    ----------
    result : PublishedCheck

    Returns
    -------
    Figure
        Its panels in rows of four.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    compute = np.geomspace(*result.compute_range, POINTS)
    ray = rf"ray, $D/N={result.tokens_per_param:g}$ ($\Delta$: ray $-$ fitted)"
    with _figure((PAGE, 5.45)) as figure:
        axes = figure.subplots(3, 4, sharex=True)
        panels = list(axes.flat)
        for row, ax in zip(result.rows, panels, strict=True):
            fitted: Any = {"color": PALE, "linewidth": 3.5, "label": "fitted compute law"}
            envelope: Any = {"color": COLOURS[1], "label": "derived envelope"}
            ax.plot(compute, row.fitted(compute), **fitted)
            ax.plot(compute, row.ray(compute), color=COLOURS[0], label=ray)
            ax.plot(compute, row.envelope(compute), "--", **envelope)
            ax.set_xscale("log")
            ax.set_xlim(*result.compute_range)
            title = f"{row.name}\n{row.verdict}, max |$\\Delta$| = {row.max_abs_difference:.4f}"
            ax.set_title(title, fontweight="bold" if row.verdict == "differs" else "normal")
        axis = panels[0].xaxis  # of every panel: they share it
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_minor_locator(LogLocator(numticks=99))
        axis.set_minor_formatter(NullFormatter())
        figure.supxlabel(r"training compute $C$ (FLOP)", fontsize=STYLE["font.size"])
        figure.supylabel("accuracy", fontsize=STYLE["font.size"])
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
