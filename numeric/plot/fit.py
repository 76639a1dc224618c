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

#: IsoFLOP profiles: one for each budget up to this many budgets, else this many; each for at least
#: this many runs, and beyond their sizes by this factor.
MOST_BUDGETS, PROFILES, LEAST_RUNS, BEYOND = 10, 7, 3, 1.4
#: The share of the runs on either side that sets the range of the y axis, and the room around it.
SHOWN, ROOM = 0.97, 0.12


def plot_fit(fit: Fit) -> Any:
    """The runs with the law, and the residuals, side by side."""
    with _figure((PAGE, 2.9)) as figure:
        axes = figure.subplots(1, 2)
        draw_law(fit, axes[0])
        marks = draw_residuals(fit, axes[1])
        if fit.solution.model.name == "params-tokens":
            bar = figure.colorbar(marks, ax=axes[1], pad=0.02, aspect=30)
            bar.set_label(r"compute $C$ (FLOP)")
            bar.ax.tick_params(which="both", labelsize=7.0, width=0.6)
            bar.outline.set_visible(False)
    return figure


def draw_law(fit: Fit, ax: Axes) -> None:
    """The runs and the law.

    For a params+tokens law, loss against params: the runs are coloured by compute, the curves are
    the isoFLOP profiles of the law, the dashed curve is the derived envelope. For a compute law,
    loss against compute. For an expression, fitted against observed loss.
    """
    observed, fitted, outcome = fit.solution.observed, fit.solution.fitted, _outcome(fit)
    if fit.solution.model.is_expression:
        ends = [min(observed.min(), fitted.min()), max(observed.max(), fitted.max())]
        ax.plot(ends, ends, color=PALE, linewidth=1.0, zorder=1)
        _mark_runs(fit, ax, observed, fitted)
        ax.set_xlabel(f"observed {outcome}")
        ax.set_ylabel("fitted")
        return
    x, label = _size(fit)
    marks = _mark_runs(fit, ax, x, observed)
    if fit.solution.model.name == "compute":
        path = np.geomspace(x.min(), x.max(), POINTS)
        curve = fit.solution.model.law(fit.coefficients).loss(path)
        ax.plot(path, curve, color=COLOURS[1], zorder=2, label=r"$E + C_0\,C^{-\alpha}$")
    else:
        _draw_profiles(fit, ax, x, marks)
    ax.set_xscale("log")
    ax.set_xlabel(label)
    ax.set_ylabel(outcome)
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


def draw_residuals(fit: Fit, ax: Axes) -> Any:
    """Draw the residuals, observed less law, against params (compute, or the fitted loss), and return
    their marks.
    """
    x, label = _size(fit)
    ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
    marks = _mark_runs(fit, ax, x, fit.residuals)
    ax.set_xscale("linear" if x is fit.solution.fitted else "log")
    ax.set_xlabel(label)
    ax.set_ylabel(
        r"$\log$ observed $-\,\log$ law" if fit.solution.objective.in_logs else "observed $-$ law"
    )
    return marks


def _draw_profiles(fit: Fit, ax: Axes, params: Floats, marks: Any) -> None:
    """Draw the isoFLOP profiles of the law near the runs, and its envelope."""
    compute = _computes(fit)
    logs, budgets = np.log(compute), np.unique(np.round(np.log(compute), 1))
    if len(budgets) > MOST_BUDGETS:
        budgets = np.linspace(logs.min(), logs.max(), 2 * PROFILES + 1)[1::2]
    nearest = np.abs(logs[:, None] - budgets).argmin(axis=1)
    try:
        law, label = fit.solution.model.law(fit.coefficients), "fitted law at one compute"
        for place in range(len(budgets)):
            near = nearest == place
            if np.count_nonzero(near) < LEAST_RUNS:
                continue
            path = np.geomspace(params[near].min() / BEYOND, params[near].max() * BEYOND, POINTS)
            budget = np.exp(logs[near].mean())
            curve = law.loss(path, budget / (6.0 * path))
            ax.plot(path, curve, color=marks.to_rgba(budget), linewidth=0.9, label=label)
            label = "_profile"
        path = np.geomspace(compute.min(), compute.max(), POINTS)
        best, loss = law.envelope.params(path), law.envelope.loss(path)
    except ValueError:  # no float can hold the law or its envelope
        return
    inside = (best > params.min() / BEYOND) & (best < params.max() * BEYOND)
    ax.plot(best[inside], loss[inside], "--", color="black", zorder=4, label="derived envelope")


def _mark_runs(fit: Fit, ax: Axes, x: Floats, y: Floats) -> Any:
    """Draw the runs in the range that nearly all of them need, with the number of those beyond it, and
    return their marks.
    """
    from matplotlib.colors import LogNorm

    shades: Any = {"color": COLOURS[0]}
    if fit.solution.model.name == "params-tokens":
        shades = {"c": _computes(fit), "cmap": "viridis", "norm": LogNorm()}
    marks = ax.scatter(x, y, s=9.0, linewidths=0.0, zorder=3, label="runs", **shades)
    middle, ends = float(np.median(y)), np.quantile(y, [1.0 - SHOWN, SHOWN])
    reach = 2.0 * max(float(ends[1]) - middle, middle - float(ends[0]))
    low, high = max(float(y.min()), middle - reach), min(float(y.max()), middle + reach)
    room = ROOM * (high - low) or 1.0
    ax.set_ylim(low - room, high + room)
    if outside := int(np.sum((y < low) | (y > high))):
        text = f"{outside} of {len(y)} runs beyond this range"
        ax.text(0.98, 0.98, text, transform=ax.transAxes, ha="right", va="top", fontsize="small")
    return marks


def _size(fit: Fit) -> tuple[Floats, str]:
    """The quantity on the x axis and its label: params, compute, or the fitted loss."""
    if fit.solution.model.name == "params-tokens":
        return np.asarray(fit.runs.params), r"params $N$"
    if fit.runs.compute is not None:
        return np.asarray(fit.runs.compute), r"compute $C$ (FLOP)"
    return fit.solution.fitted, f"fitted {_outcome(fit)}"


def _computes(fit: Fit) -> Floats:
    """The compute of the runs, (n,), by C = 6ND if the table has none."""
    runs = fit.runs
    return np.asarray(6.0 * runs.params * runs.tokens if runs.compute is None else runs.compute)


def _outcome(fit: Fit) -> str:
    """The label of an axis of L."""
    if fit.runs.metric == "loss":
        return r"loss $L$"
    guessing = fit.runs.random_baseline
    quality = rf"\frac{{Q - {guessing:g}}}{{1 - {guessing:g}}}" if guessing else "Q"
    return rf"$L = -\log\,{quality}$"
