"""The figure of a fit: the runs with the law, and the residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .panels import COLOURS, DIM, PAGE, PALE, POINTS, _figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..fit.fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["draw_law", "draw_residuals", "plot_fit"]

MARKER: Any = {"s": 9.0, "linewidths": 0.0, "zorder": 3}
#: Colours of computes, from small to large, without the palest end of the map.
SHADES, PALEST = "viridis", 0.88
#: Runs of one budget agree to this factor; a set of runs has budgets where there are at most so
#: many, each of at least so many runs. Other sets have so many profiles.
ONE_BUDGET, MOST_BUDGETS, LEAST_RUNS, PROFILES = 1.1, 10, 3, 7
#: A profile goes beyond the runs of its compute by this factor.
BEYOND = 1.4
#: Of the y axis: the share of the runs that set its range, and the room around it.
SHOWN, ROOM = 0.97, 0.12


def plot_fit(fit: Fit) -> Any:
    """The runs with the law, and the residuals, side by side."""
    with _figure((PAGE, 2.9)) as figure:
        axes = figure.subplots(1, 2)
        draw_law(fit, axes[0])
        draw_residuals(fit, axes[1])
        if (shades := _shades(fit)) is not None:
            bar = figure.colorbar(shades, ax=axes[1], pad=0.02, aspect=30)
            bar.set_label(r"compute $C$ (FLOP)")
            bar.ax.tick_params(which="both", labelsize=7.0, width=0.6)
            bar.outline.set_visible(False)
    return figure


def draw_law(fit: Fit, ax: Axes) -> None:
    """The runs and the law.

    Of a params+tokens law: loss against params, where the runs are coloured by compute, the curves
    are the isoFLOP profiles of the law and the dashed curve is the derived envelope. Of a compute
    law: loss against compute. Of an expression: fitted against observed loss.
    """
    from matplotlib.lines import Line2D

    observed, outcome = fit.solution.observed, _outcome(fit)
    ax.set_ylabel(outcome)
    if fit.model.is_expression:
        ends = [
            min(observed.min(), fit.solution.fitted.min()),
            max(observed.max(), fit.solution.fitted.max()),
        ]
        ax.plot(ends, ends, color=PALE, linewidth=1.0, zorder=1)
        _mark_runs(fit, ax, observed, fit.solution.fitted)
        ax.set_xlabel(f"observed {outcome}")
        ax.set_ylabel("fitted")
        return
    if fit.model.name == "compute":
        x = np.asarray(fit.runs.compute)
        path = np.geomspace(x.min(), x.max(), POINTS)
        curve = fit.model.law(fit.coefficients).loss(path)
        ax.plot(path, curve, color=COLOURS[1], zorder=2, label=r"$E + C_0\,C^{-\alpha}$")
        ax.set_xlabel(r"compute $C$ (FLOP)")
    else:
        x = np.asarray(fit.runs.params)
        _draw_profiles(fit, ax, x)
        ax.set_xlabel(r"params $N$")
    _mark_runs(fit, ax, x, observed)
    ax.set_xscale("log")
    runs = Line2D([], [], marker="o", linestyle="", markersize=3.5, color=DIM, label="runs")
    handles = [*ax.get_legend_handles_labels()[0], runs]
    above: Any = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 3}
    ax.legend(handles=handles, fontsize="small", **above)


def draw_residuals(fit: Fit, ax: Axes) -> None:
    """Residuals, observed less law, against params (compute, or the fitted loss)."""
    x, label = fit.solution.fitted, f"fitted {_outcome(fit)}"
    if fit.model.name == "params-tokens":
        x, label = np.asarray(fit.runs.params), r"params $N$"
    elif fit.runs.compute is not None:
        x, label = np.asarray(fit.runs.compute), r"compute $C$ (FLOP)"
    ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
    _mark_runs(fit, ax, x, fit.residuals)
    ax.set_xscale("linear" if x is fit.solution.fitted else "log")
    ax.set_xlabel(label)
    ax.set_ylabel(r"$\log$ observed $-\,\log$ law" if fit.objective.in_logs else "observed $-$ law")


def _draw_profiles(fit: Fit, ax: Axes, params: Floats) -> None:
    """IsoFLOP profiles of the law as far as there are runs near, and its envelope."""
    compute, shades = _computes(fit), _shades(fit)
    try:
        law = fit.model.law(fit.coefficients)
        for number, (budget, near) in enumerate(_budgets(compute)):
            path = np.geomspace(params[near].min() / BEYOND, params[near].max() * BEYOND, POINTS)
            colour = DIM if shades is None else shades.to_rgba(budget)
            label = "_profile" if number else "fitted law at one compute"
            loss = law.loss(path, budget / (6.0 * path))
            ax.plot(path, loss, color=colour, linewidth=0.9, zorder=2, label=label)
        path = np.geomspace(compute.min(), compute.max(), POINTS)
        best, loss = law.envelope.params(path), law.envelope.loss(path)
    except ValueError:  # no float can hold the law or its envelope
        return
    inside = (best > params.min() / BEYOND) & (best < params.max() * BEYOND)
    ax.plot(best[inside], loss[inside], "--", color="black", zorder=4, label="derived envelope")


def _budgets(compute: Floats) -> list[tuple[float, Any]]:
    """The computes of profiles, each with the runs near it."""
    logs, order = np.log(compute), np.argsort(compute)
    levels = np.split(order, np.flatnonzero(np.diff(logs[order]) > np.log(ONE_BUDGET)) + 1)
    if len(levels) <= MOST_BUDGETS and all(len(level) >= LEAST_RUNS for level in levels):
        return [(float(np.exp(logs[level].mean())), level) for level in levels]
    edges = np.linspace(logs.min(), logs.max(), PROFILES + 1)
    places = np.clip(np.searchsorted(edges, logs, side="right") - 1, 0, PROFILES - 1)
    middles = np.exp(0.5 * (edges[1:] + edges[:-1]))
    near = [places == place for place in range(PROFILES)]
    pairs = zip(middles.tolist(), near, strict=True)
    return [(middle, own) for middle, own in pairs if np.count_nonzero(own) >= LEAST_RUNS]


def _mark_runs(fit: Fit, ax: Axes, x: Floats, y: Floats) -> None:
    """The runs, those beyond the range that nearly all need as triangles at its edge."""
    middle, ends = float(np.median(y)), np.quantile(y, [1.0 - SHOWN, SHOWN])
    reach = 2.0 * max(float(ends[1]) - middle, middle - float(ends[0]))
    low, high = max(float(y.min()), middle - reach), min(float(y.max()), middle + reach)
    room, shades = ROOM * (high - low) or 1.0, _shades(fit)
    colours = None if shades is None else shades.to_rgba(_computes(fit))
    at_edge = np.clip(y, low - 0.8 * room, high + 0.8 * room)
    inside = (y >= low) & (y <= high)
    for chosen, mark in ((y > high, "^"), (y < low, "v"), (inside, "o")):
        if chosen.any():
            own = y if mark == "o" else at_edge
            colour = COLOURS[0] if colours is None else colours[chosen]
            ax.scatter(x[chosen], own[chosen], marker=mark, color=colour, **MARKER)
    ax.set_ylim(low - room, high + room)


def _outcome(fit: Fit) -> str:
    """What L is, for an axis."""
    if fit.runs.metric == "loss":
        return r"loss $L$"
    guessing = fit.runs.random_baseline
    quality = rf"\frac{{Q - {guessing:g}}}{{1 - {guessing:g}}}" if guessing else "Q"
    return rf"$L = -\log\,{quality}$"


def _computes(fit: Fit) -> Floats:
    """(n,): the compute of the runs, by C = 6ND where they have none of their own."""
    runs = fit.runs
    given = 6.0 * runs.params * runs.tokens if runs.compute is None else runs.compute
    return np.asarray(given)


def _shades(fit: Fit) -> Any:
    """From compute to colour; None but for a params+tokens law with runs of several computes."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, LogNorm

    if fit.model.name != "params-tokens" or not np.ptp(_computes(fit)) > 0.0:
        return None
    ends = _computes(fit).min(), _computes(fit).max()
    shades = ListedColormap(colormaps[SHADES](np.linspace(0.0, PALEST, 256)))
    return ScalarMappable(norm=LogNorm(*ends), cmap=shades)
