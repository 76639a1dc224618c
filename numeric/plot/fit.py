"""Figures of fits: loss against compute, residuals, intervals side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from .panels import COLOURS, COLUMN, DIM, PAGE, PALE, POINTS, _axes, _figure, _literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ..fit.result import Fit
    from ..fit.sensitivity import Sensitivity

__all__ = ["plot_fit", "plot_fit_page", "plot_intervals", "plot_residuals", "plot_sensitivity"]

MARKER: Any = {"s": 9.0, "linewidths": 0.0}
#: Colours of model sizes, from small to large, without the palest end of the map.
SHADES, PALEST = "viridis", 0.88
#: Intervals stand this far apart, in inches.
ROW_HEIGHT = 0.22


def plot_fit(fit: Fit, ax: Axes | None = None) -> Axes:
    """The runs and the law: loss against compute, or where there is no compute, fitted against
    observed loss.

    Runs of a params+tokens law are coloured by size, and a line goes from each to the law's loss;
    the dashed curve is the derived envelope. The line of a compute law is the law.

    Parameters
    ----------
    fit : Fit
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    with _axes(ax, (COLUMN, 2.7)) as ax:
        _draw_fit(fit, ax)
        _colour_bar(fit, ax)
    return ax


def plot_residuals(fit: Fit, ax: Axes | None = None) -> Axes:
    """Residuals, observed less law, against compute (against the fitted loss where there is none),
    coloured by size.

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
    with _figure((PAGE, 2.8)) as figure:
        axes = figure.subplots(1, 2)
        _draw_fit(fit, axes[0])
        _draw_residuals(fit, axes[1])
        _colour_bar(fit, axes[1])
    return axes


def plot_intervals(
    intervals: Sequence[tuple[str, float, float | None, float | None]],
    ax: Axes | None = None,
    *,
    quantity: str = "",
    reference: float | None = None,
) -> Axes:
    """Estimates with their intervals under each other.

    Parameters
    ----------
    intervals : sequence of (label, value, low, high)
        From the top; None for an end that the data do not bound.
    ax : Axes, optional
    quantity : str
        What is estimated, for the axis.
    reference : float, optional
        A value to compare with, drawn as a line.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For no intervals, or a value that is not finite.
    """
    rows = [(_literal(str(label)), value, low, high) for label, value, low, high in intervals]
    if not rows:
        raise outside(
            "intervals", intervals, "a sequence of at least one (label, value, low, high)"
        )
    for _, *numbers in rows:
        for number in numbers:
            if number is not None and not np.isfinite(number):
                raise outside("intervals", number, "finite numbers, or None for an end")
    known = [number for _, *numbers in rows for number in numbers if number is not None]
    known += [] if reference is None else [reference]
    margin = 0.06 * (max(known) - min(known)) or 0.1 * abs(known[0]) or 1.0
    left, right = min(known) - margin, max(known) + margin
    with _axes(ax, (COLUMN, 0.65 + ROW_HEIGHT * len(rows))) as ax:
        if reference is not None:
            ax.axvline(reference, color=PALE, linewidth=1.0, zorder=1)
        for height, (_, value, low, high) in enumerate(rows):
            colour = COLOURS[0]
            ax.plot(
                [left if low is None else low, right if high is None else high],
                [height, height],
                color=colour,
                zorder=2,
            )
            for end, edge, mark in ((low, left, "<"), (high, right, ">")):
                place, shape = (edge, mark) if end is None else (end, "|")
                ax.plot(
                    [place], [height], shape, color=colour, markersize=4, zorder=2, clip_on=False
                )
            ax.plot([value], [height], "o", color=colour, markersize=4, zorder=3)
        ax.set_yticks(range(len(rows)), [label for label, *_ in rows])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xlim(left, right)
        ax.set_xlabel(_literal(quantity))
    return ax


def plot_sensitivity(
    result: Sensitivity, ax: Axes | None = None, *, quantity: str = "alpha"
) -> Axes:
    """A quantity of the same law under every objective, with its intervals; the line is that of the
    reference.

    Parameters
    ----------
    result : Sensitivity
    ax : Axes, optional
    quantity : str
        A coefficient, or for a params+tokens law alpha, C0 or params_share.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where the law has no such quantity.
    """
    if quantity not in result.names:
        raise outside("quantity", quantity, f"one of {', '.join(result.names)}")
    rows = [
        (item.label, item.estimates[quantity])
        for item in result.variants
        if quantity in item.estimates
    ]
    intervals = [
        (label, each.value, each.value, each.value)
        if each.low is None
        else (label, each.value, each.low, each.high)
        for label, each in rows
    ]
    return plot_intervals(
        intervals, ax, quantity=quantity, reference=result.reference.estimates[quantity].value
    )


# -- parts -------------------------------------------------------------------------------------------------------------


def _draw_fit(fit: Fit, ax: Axes) -> None:
    runs = fit.runs
    observed = np.asarray(runs.loss)
    outcome = _outcome(fit)
    if runs.compute is None or fit.model.is_expression:
        ends = [min(observed.min(), fit.fitted.min()), max(observed.max(), fit.fitted.max())]
        ax.plot(ends, ends, color=PALE, linewidth=1.0, zorder=1)
        _scatter(fit, ax, observed, fit.fitted)
        ax.set_xlabel(f"observed {outcome}")
        ax.set_ylabel("fitted")
        return
    compute = np.asarray(runs.compute)
    path = np.geomspace(compute.min(), compute.max(), POINTS)
    if fit.model.name == "compute":
        law: Any = fit.law_of(fit.coefficients)
        ax.plot(path, law.loss(path), color=COLOURS[1], zorder=3, label=r"$E + C_0\,C^{-\alpha}$")
    else:
        ax.vlines(
            compute,
            observed,
            fit.fitted,
            color=PALE,
            linewidth=0.7,
            zorder=1,
            label="from a run to the law"
            if runs.metric == "loss"
            else "from a run to the law's $L$",
        )
        _draw_envelope(fit, ax, path)
    _scatter(fit, ax, compute, observed, label="runs")
    ax.set_xscale("log")
    ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel(outcome)
    ax.legend()


def _outcome(fit: Fit) -> str:
    """What L is, for an axis."""
    if fit.runs.metric == "loss":
        return r"loss $L$"
    baseline = fit.runs.random_baseline
    return (
        rf"$L = -\log\,\frac{{Q - {baseline:g}}}{{1 - {baseline:g}}}$"
        if baseline
        else r"$L = -\log\,Q$"
    )


def _draw_envelope(fit: Fit, ax: Axes, path: Any) -> None:
    """Where the fitted law has an envelope that a float can hold."""
    try:
        law: Any = fit.law
        best = law.envelope.loss(path)
    except ValueError:
        return
    ax.plot(path, best, "--", color=COLOURS[1], zorder=3, label="derived envelope")


def _draw_residuals(fit: Fit, ax: Axes) -> None:
    ax.axhline(0.0, color=DIM, linewidth=0.7, zorder=1)
    if fit.runs.compute is None:
        _scatter(fit, ax, fit.fitted, fit.residuals)
        ax.set_xlabel(f"fitted {_outcome(fit)}")
    else:
        _scatter(fit, ax, np.asarray(fit.runs.compute), fit.residuals)
        ax.set_xscale("log")
        ax.set_xlabel(r"compute $C$ (FLOP)")
    ax.set_ylabel(r"$\log$ observed $-\,\log$ law" if fit.objective.in_logs else "observed $-$ law")


def _scatter(fit: Fit, ax: Axes, x: Any, y: Any, label: str = "") -> None:
    shades = _shades(fit)
    colours: Any = (
        {"color": COLOURS[0]}
        if shades is None
        else {"c": fit.runs.params, "norm": shades.norm, "cmap": shades.cmap}
    )
    ax.scatter(x, y, zorder=2, label=label or "_runs", **MARKER, **colours)


def _shades(fit: Fit) -> Any:
    """From size to colour; None where the runs have no sizes, or one."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, LogNorm

    params = fit.runs.params
    if params is None or not params.min() < params.max():
        return None
    shades = ListedColormap(colormaps[SHADES](np.linspace(0.0, PALEST, 256)))
    return ScalarMappable(norm=LogNorm(params.min(), params.max()), cmap=shades)


def _colour_bar(fit: Fit, ax: Axes) -> None:
    shades = _shades(fit)
    if shades is None:
        return
    bar = ax.figure.colorbar(shades, ax=ax, pad=0.02, aspect=30)
    bar.set_label(r"params $N$")
    bar.ax.tick_params(which="both", labelsize=7.0, width=0.6)
    bar.outline.set_visible(False)
