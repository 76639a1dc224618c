"""The figures of a check: of runs (isoFLOP profiles, loss against compute, differences), and of the
published tables.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from ..results import Band
from .panels import COLOURS, DIM, PAGE, PALE, POINTS, STYLE, _figure, curve_with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..check.published import AccuracyCurves, BenchmarkCheck, PublishedCheck
    from ..check.result import CurveCheck, RunsCheck

    Floats = NDArray[np.float64]

__all__ = ["plot_check", "plot_check_runs"]

LARGEST_DRAWN_COMPUTE = 1e100
TITLES = {"frontier": "frontier", "isoflop": "isoFLOP minima"}
#: The axis of losses shows the runs up to this multiple of its upper quartile above the lowest.
TALLEST = 2.5
#: With more budgets than this the profiles are drawn fainter and thinner, with more approaches than
#: that their bands by the ends alone.
MANY_BUDGETS, MANY_BANDS = 10, 2
SMALL = 6.5
#: A minimum as it is: a ring around the corrected one, which is drawn within it where they agree.
RING: Any = {"marker": "o", "markersize": 6.8, "mfc": "none", "mew": 0.8, "linestyle": ""}
CORRECTED: Any = {"marker": "D", "markersize": 4.0, "mec": "w", "mew": 0.5, "linestyle": ""}
#: Of the curves at fixed ratios, where the colours are used up the next.
RAY_DASHES = ((0, (4.0, 1.0, 1.0, 1.0, 1.0, 1.0)), (0, (1.0, 1.0)), (0, (6.0, 2.0)))


def plot_check_runs(result: RunsCheck) -> Any:
    """Runs and isoFLOP profiles; loss against compute; relative difference of each empirical law
    with its band.

    Parameters
    ----------
    result : RunsCheck

    Returns
    -------
    ndarray of Axes
        The profiles to the left, the curves above the differences to the right.
    """
    with _figure((PAGE, 4.5)) as figure:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.08), height_ratios=(1.35, 1.0))
        profiles = figure.add_subplot(grid[:, 0])
        curves = figure.add_subplot(grid[0, 1])
        differences = figure.add_subplot(grid[1, 1], sharex=curves)
        shades = _Shades(result)
        _profiles(result, profiles, shades)
        _curves(result, curves, shades.compute)
        _differences(result, differences)
        curves.tick_params(labelbottom=False)
        curves.set_xlabel("")
    return np.array([profiles, curves, differences], dtype=object)


class _Shades:
    """A colour for every compute, dark for little."""

    def __init__(self, result: RunsCheck) -> None:
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap, LogNorm

        runs = result.fit.runs
        compute = runs.compute
        if compute is None:
            compute = result.law.compute(runs.params, runs.tokens)
        self.compute = np.asarray(compute)
        self.map = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.88, 256)))
        self.norm = LogNorm(self.compute.min(), self.compute.max() * (1.0 + 1e-9))

    def of(self, compute: float) -> Any:
        return self.map(self.norm(compute))


def _profiles(result: RunsCheck, ax: Axes, shades: _Shades) -> None:
    """Loss against params: runs, the law's profile and the parabola at each budget, and where they
    are lowest.
    """
    runs, law = result.fit.runs, result.law
    points = ax.scatter(
        runs.params,
        runs.loss,
        c=shades.compute,
        cmap=shades.map,
        norm=shades.norm,
        s=7,
        linewidths=0,
        alpha=0.8,
        zorder=2,
    )
    many = len(result.budgets) > MANY_BUDGETS
    width, faint = (0.6, 0.55) if many else (0.9, 1.0)
    drawn = [_losses(runs.loss)]
    for budget in result.budgets:
        sizes = np.geomspace(budget.params_lo, budget.params_hi, POINTS)
        line: Any = {"color": shades.of(budget.compute), "linewidth": width, "alpha": faint}
        profile = law.loss(sizes, result.laws.budget.tokens(budget.compute, sizes))
        ax.plot(sizes, profile, **line)
        drawn.append(profile)
        if budget.reason:
            continue
        parabola = budget.loss + budget.curvature * np.log(sizes / budget.params) ** 2
        ax.plot(sizes, parabola, "--", **line)
        drawn.append(parabola)
        ax.plot(budget.params, budget.loss, color=line["color"], zorder=4, **RING)
        moved = budget.corrected_params, budget.corrected_loss
        ax.plot(*moved, color=line["color"], zorder=5, **CORRECTED)
    path = np.geomspace(*_widened(shades.compute), POINTS)
    optima, _, lowest = result.optimum(path)
    shown = (optima > runs.params.min()) & (optima < runs.params.max())
    if shown.any():
        best: Any = {"color": DIM, "linewidth": 1.1, "label": "optimum of the law", "zorder": 3}
        ax.plot(optima[shown], lowest[shown], **best)
        drawn.append(lowest[shown])
    if result.budgets:
        ax.plot([], [], color=DIM, linewidth=0.6, label="law at a budget")
        ax.plot([], [], "--", color=DIM, linewidth=0.6, label="parabola")
        ax.plot([], [], color=DIM, label="minimum of the parabola", **RING)
        ax.plot([], [], color=DIM, label="minimum, bias taken off", **CORRECTED)
    ax.set_xscale("log")
    ax.set_ylim(*_holding(drawn))
    ax.set_xlabel(r"params $N$")
    ax.set_ylabel("loss $L$")
    # Below the axes, where no run can lie.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, fontsize=SMALL)
    colours: Any = ax.figure.colorbar(points, ax=ax, location="right", aspect=45, pad=0.02)
    colours.solids.set_alpha(1.0)
    colours.set_label(r"compute $C$ (FLOP)", fontsize=7.0)
    colours.ax.tick_params(labelsize=7.0, width=0.6)
    colours.outline.set_linewidth(0.5)


def _curves(result: RunsCheck, ax: Axes, compute: Floats) -> None:
    """Loss against compute: runs, envelope, rays, and each empirical law over its own compute."""
    runs = result.fit.runs
    ax.scatter(compute, runs.loss, s=5, color=PALE, linewidths=0, zorder=1)
    path = np.geomspace(*_widened(compute), POINTS)
    _, _, envelope = result.optimum(path)
    ax.plot(path, envelope, color="black", linewidth=1.0, label="derived envelope", zorder=3)
    drawn = [_losses(runs.loss), envelope]
    for check, line in _with_curves(result):
        predicted = check.predicted_law.loss(check.compute)
        if check.tokens_per_param is not None:
            ax.plot(check.compute, predicted, ":", color=line["color"], linewidth=1.0, zorder=3)
        parts = (check.band.value, *check.band.ends)
        band = Band(*(predicted * (1.0 + part) for part in parts))
        curve_with_band(ax, check.compute, band, label=_name(check), **line)
        drawn += band.ends
    minima = [budget for budget in result.budgets if not budget.reason]
    lowest = [budget.corrected_loss for budget in minima]
    style = {**CORRECTED, "markersize": 3.0}
    ax.plot([budget.compute for budget in minima], lowest, color=COLOURS[1], zorder=5, **style)
    ax.set_xscale("log")
    ax.set_ylim(*_holding(drawn))
    ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel("loss $L$")
    ax.legend(loc="best", fontsize=SMALL)


def _differences(result: RunsCheck, ax: Axes) -> None:
    """Relative difference of each empirical from its predicted curve, with its band and the
    tolerance.
    """
    from matplotlib.ticker import PercentFormatter

    tolerance, checks = result.tolerance, _with_curves(result)
    key = f"tolerance, {100.0 * tolerance:.3g} %"
    ax.axhspan(-tolerance, tolerance, color=PALE, alpha=0.35, linewidth=0, zorder=0, label=key)
    ax.axhline(0.0, color="black", linewidth=0.7, zorder=1)
    for check, line in checks:
        label = f"{_name(check)}: {check.verdict}"
        if len(checks) <= MANY_BANDS:
            curve_with_band(ax, check.compute, check.band, label=label, **line)
            continue
        ax.plot(check.compute, check.band.value, label=label, zorder=4, **line)
        for end in check.band.ends:
            ax.plot(check.compute, end, color=line["color"], linewidth=0.6, zorder=3)
    ax.set_xscale("log")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1, symbol=" %"))
    ax.margins(y=0.12)
    ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel("relative difference")
    if len(checks) > MANY_BANDS:
        ax.plot([], [], color=DIM, linewidth=0.6, label="ends of the bands")
    # Below the axes, where no curve can lie.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=2, fontsize=SMALL)
    if not checks:
        nothing: Any = {"ha": "center", "fontsize": 7.0, "color": DIM}
        ax.text(0.5, 0.75, "no empirical compute law", transform=ax.transAxes, **nothing)


def _with_curves(result: RunsCheck) -> list[tuple[Any, dict[str, Any]]]:
    """The approaches that have a curve, each with its colour and its dashes."""
    rays = ((dashes, colour) for dashes in cycle(RAY_DASHES) for colour in COLOURS[2:6])
    lines: dict[str, Any] = {"frontier": ("--", COLOURS[0]), "isoflop": ("-.", COLOURS[1])}
    return [
        (
            check,
            dict(zip(("linestyle", "color"), lines.get(check.approach) or next(rays), strict=True)),
        )
        for check in result.empirical
        if check.compute is not None
    ]


def _name(check: CurveCheck) -> str:
    return TITLES.get(check.approach) or f"runs at $D/N={check.tokens_per_param:.3g}$"


def _widened(compute: Floats) -> tuple[float, float]:
    return float(compute.min()) / 1.3, float(compute.max()) * 1.3


def _losses(loss: Floats) -> Floats:
    """The range of the losses, so that a few high ones do not flatten the rest."""
    least, upper = float(loss.min()), float(np.quantile(loss, 0.75))
    return np.array([least, min(float(loss.max()), least + TALLEST * (upper - least))])


def _holding(drawn: list[Floats]) -> tuple[float, float]:
    """An axis that cuts none of the curves."""
    least, top = min(float(part.min()) for part in drawn), max(float(part.max()) for part in drawn)
    margin = 0.03 * (top - least)
    return least - margin, top + margin


# -- the published tables ----------------------------------------------------------------------------------------------


def plot_check(result: PublishedCheck) -> Any:
    """Accuracy against compute, a panel a benchmark: compute law, ray and envelope.

    Parameters
    ----------
    result : PublishedCheck

    Returns
    -------
    ndarray of Axes
        In rows of four.

    Raises
    ------
    ValueError
        Where the range of compute cannot be drawn.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    lo, hi = result.compute_range
    if lo < 1.0 or hi > LARGEST_DRAWN_COMPUTE:
        domain = f"from 1 to {LARGEST_DRAWN_COMPUTE:g} FLOP to be drawn"
        raise outside("compute_range", result.compute_range, domain)
    columns = 4
    lines = -(-len(result.rows) // columns)
    with _figure((PAGE, 1.6 * lines + 0.65)) as figure:
        axes = figure.subplots(lines, columns, sharex=True, squeeze=False)
        panels = list(axes.flat)
        for row, panel in zip(result.rows, panels, strict=False):
            _draw_panel(row, result.curves(row.name), result.compute_range, panel)
        for panel in panels[len(result.rows) :]:
            panel.set_axis_off()
        axis = panels[0].xaxis  # of every panel: they share it
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_minor_locator(LogLocator(numticks=99))
        axis.set_minor_formatter(NullFormatter())
        figure.supxlabel(r"training compute $C$ (FLOP)", fontsize=STYLE["font.size"])
        figure.supylabel("accuracy", fontsize=STYLE["font.size"])
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return axes


def _draw_panel(
    row: BenchmarkCheck, curves: AccuracyCurves, span: tuple[float, float], ax: Axes
) -> None:
    compute = np.geomspace(*span, POINTS)
    ray = rf"ray, $D/N={curves.tokens_per_param:g}$ ($\Delta$: ray $-$ fitted)"
    ax.plot(compute, curves.fitted(compute), color=PALE, linewidth=3.5, label="fitted compute law")
    ax.plot(compute, curves.ray(compute), color=COLOURS[0], label=ray)
    ax.plot(
        compute,
        curves.envelope(compute),
        color=COLOURS[1],
        linestyle="--",
        label="derived envelope",
    )
    ax.set_xscale("log")
    ax.set_xlim(*span)
    ax.set_title(
        f"{row.name}\n{row.verdict}, max |$\\Delta$| = {row.max_abs_difference:.4f}",
        fontweight="bold" if row.verdict == "differs" else "normal",
    )
