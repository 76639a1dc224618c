"""Figures of a fit: the runs with the law, and the residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .panels import COLOURS, COLUMN, DIM, PAGE, PALE, POINTS, _axes, _figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..fit.fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["plot_fit", "plot_fit_page", "plot_residuals"]

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


def plot_fit(fit: Fit, ax: Axes | None = None) -> Axes:
    """The runs and the law.

    Of a params+tokens law: loss against params, where the runs are coloured by compute, the curves
    are the isoFLOP profiles of the law and the dashed curve is the derived envelope. Of a compute
    law: loss against compute. Of an expression: fitted against observed loss. Runs beyond the range
    that nearly all of them need are triangles at its edge.

    Parameters
    ----------
    fit : Fit
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    with _axes(ax, (COLUMN, 2.8)) as ax:
        _draw_fit(fit, ax)
        _colour_bar(fit, ax)
    return ax


def plot_residuals(fit: Fit, ax: Axes | None = None) -> Axes:
    """Residuals, observed less law, against params (compute, or the fitted loss), coloured by
    compute.

    Parameters
    ----------
    fit : Fit
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    with _axes(ax, (COLUMN, 2.4)) as ax:
        _draw_residuals(fit, ax)
        _colour_bar(fit, ax)
    return ax


def plot_fit_page(fit: Fit) -> Any:
    """The runs with the law, and the residuals, side by side; an array of the two Axes."""
    with _figure((PAGE, 2.9)) as figure:
        axes = figure.subplots(1, 2)
        _draw_fit(fit, axes[0])
        _draw_residuals(fit, axes[1])
        _colour_bar(fit, axes[1])
    return axes


# -- the law ---------------------------------------------------------------------------------------


def _draw_fit(fit: Fit, ax: Axes) -> None:
    observed = fit.observed
    if fit.model.is_expression:
        ends = [min(observed.min(), fit.fitted.min()), max(observed.max(), fit.fitted.max())]
        ax.plot(ends, ends, color=PALE, linewidth=1.0, zorder=1)
        _mark_runs(fit, ax, observed, fit.fitted)
        ax.set_xlabel(f"observed {_outcome(fit)}")
        ax.set_ylabel("fitted")
        return
    if fit.model.name == "compute":
        compute = np.asarray(fit.runs.compute)
        path = np.geomspace(compute.min(), compute.max(), POINTS)
        curve = fit.law_of(fit.coefficients).loss(path)
        ax.plot(path, curve, color=COLOURS[1], zorder=2, label=r"$E + C_0\,C^{-\alpha}$")
        _mark_runs(fit, ax, compute, observed, label="runs")
    else:
        _draw_profiles(fit, ax)
        _mark_runs(fit, ax, np.asarray(fit.runs.params), observed, label="runs")
    ax.set_xscale("log")
    ax.set_xlabel(_variable(fit))
    ax.set_ylabel(_outcome(fit))
    ax.legend()


def _draw_profiles(fit: Fit, ax: Axes) -> None:
    """IsoFLOP profiles of the law as far as there are runs near, and its envelope."""
    params, compute = np.asarray(fit.runs.params), _computes(fit)
    shades = _shades(fit)
    try:
        law: Any = fit.law_of(fit.coefficients)
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
    starts = np.flatnonzero(np.diff(logs[order]) > np.log(ONE_BUDGET)) + 1
    levels = np.split(order, starts)
    if len(levels) <= MOST_BUDGETS and all(len(level) >= LEAST_RUNS for level in levels):
        return [(float(np.exp(logs[level].mean())), level) for level in levels]
    edges = np.linspace(logs.min(), logs.max(), PROFILES + 1)
    places = np.clip(np.searchsorted(edges, logs, side="right") - 1, 0, PROFILES - 1)
    middles = np.exp(0.5 * (edges[1:] + edges[:-1]))
    return [
        (float(middle), places == place)
        for place, middle in enumerate(middles)
        if np.count_nonzero(places == place) >= LEAST_RUNS
    ]


def _outcome(fit: Fit) -> str:
    """What L is, for an axis."""
    if fit.runs.metric == "loss":
        return r"loss $L$"
    baseline = fit.runs.random_baseline
    if baseline:
        return rf"$L = -\log\,\frac{{Q - {baseline:g}}}{{1 - {baseline:g}}}$"
    return r"$L = -\log\,Q$"


# -- the residuals ---------------------------------------------------------------------------------


def _draw_residuals(fit: Fit, ax: Axes) -> None:
    ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
    held = fit.runs.params if fit.model.name == "params-tokens" else fit.runs.compute
    x = fit.fitted if held is None else np.asarray(held)
    _mark_runs(fit, ax, x, fit.residuals)
    if held is not None:
        ax.set_xscale("log")
    ax.set_xlabel(_variable(fit))
    ax.set_ylabel(r"$\log$ observed $-\,\log$ law" if fit.objective.in_logs else "observed $-$ law")


def _variable(fit: Fit) -> str:
    """What the runs are drawn against."""
    if fit.model.name == "params-tokens":
        return r"params $N$"
    return f"fitted {_outcome(fit)}" if fit.runs.compute is None else r"compute $C$ (FLOP)"


# -- the runs --------------------------------------------------------------------------------------


def _mark_runs(fit: Fit, ax: Axes, x: Floats, y: Floats, label: str = "_runs") -> None:
    """The runs, those beyond the range that nearly all need as triangles at its edge."""
    middle = float(np.median(y))
    ends = np.quantile(y, [1.0 - SHOWN, SHOWN])
    reach = 2.0 * max(float(ends[1]) - middle, middle - float(ends[0]))
    low, high = max(float(y.min()), middle - reach), min(float(y.max()), middle + reach)
    room = ROOM * (high - low) or 1.0
    bottom, top = low - room, high + room
    shades = _shades(fit)
    colours = None if shades is None else shades.to_rgba(_computes(fit))
    at_edge = np.clip(y, bottom + 0.2 * room, top - 0.2 * room)
    inside = (y >= low) & (y <= high)
    for chosen, mark in ((y > high, "^"), (y < low, "v"), (inside, "o")):
        if chosen.any():
            ax.scatter(
                x[chosen],
                at_edge[chosen] if mark != "o" else y[chosen],
                marker=mark,
                color=COLOURS[0] if colours is None else colours[chosen],
                label=label if mark == "o" else "_beyond",
                **MARKER,
            )
    ax.set_ylim(bottom, top)


def _computes(fit: Fit) -> Floats:
    """(n,): the compute of the runs, by C = 6ND where they have none of their own."""
    runs = fit.runs
    if runs.compute is not None:
        return np.asarray(runs.compute)
    return 6.0 * np.asarray(runs.params) * np.asarray(runs.tokens)


def _shades(fit: Fit) -> Any:
    """From compute to colour; None but for a params+tokens law with runs of several computes."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, LogNorm

    if fit.model.name != "params-tokens":
        return None
    compute = _computes(fit)
    if not compute.min() < compute.max():
        return None
    shades = ListedColormap(colormaps[SHADES](np.linspace(0.0, PALEST, 256)))
    return ScalarMappable(norm=LogNorm(compute.min(), compute.max()), cmap=shades)


def _colour_bar(fit: Fit, ax: Axes) -> None:
    shades = _shades(fit)
    if shades is None:
        return
    bar = ax.figure.colorbar(shades, ax=ax, pad=0.02, aspect=30)
    bar.set_label(r"compute $C$ (FLOP)")
    bar.ax.tick_params(which="both", labelsize=7.0, width=0.6)
    bar.outline.set_visible(False)
