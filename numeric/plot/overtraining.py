"""The laws of over-training with their runs: loss against compute by the ratio of tokens to params,
and error against loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from .panels import COLUMN, DIM, PAGE, POINTS, _axes, _figure, _literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..accuracy.overtraining import Overtraining

    Floats = NDArray[np.float64]

__all__ = ["plot_error", "plot_loss", "plot_overtraining"]

#: Ratios within this factor of their neighbour are one line; of more lines than this some ratios
#: are drawn, evenly in log M.
SAME, MOST_LINES = 1.15, 8
#: Axes reach beyond the runs by this factor of compute, and by this share of the range of losses.
BEYOND, MARGIN = 1.5, 0.08
FITTED: Any = {"marker": "o", "markersize": 3.6, "linestyle": "none", "markeredgewidth": 0.0}
OTHER: Any = {
    "marker": "o",
    "markersize": 4.2,
    "linestyle": "none",
    "markerfacecolor": "none",
    "markeredgewidth": 0.9,
}


def plot_loss(found: Overtraining, ax: Axes | None = None) -> Axes:
    """Loss against compute, coloured by M = D/N, with the law at each M; runs that it was not
    fitted to are open.

    Parameters
    ----------
    found : Overtraining
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    from matplotlib import colormaps

    shown = [run for run in found.runs if run.loss.measured is not None]
    ratios = np.array([each.tokens_per_param for each in shown])
    lines = _lines(ratios)
    low, high = np.log(lines[0]), np.log(lines[-1])

    def colour(ratio: float) -> Any:
        return colormaps["viridis"](
            0.9 * (np.log(ratio) - low) / (high - low) if high > low else 0.4
        )

    compute = np.array([each.compute for each in shown])
    path = np.geomspace(compute.min() / BEYOND, compute.max() * BEYOND, POINTS)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        for ratio in lines:
            at = {"compute": path, "tokens_per_param": ratio}
            values = found.loss(formulas.ray_params(**at), formulas.ray_tokens(**at))
            ax.plot(path, values, color=colour(ratio), linewidth=1.0, label=f"M = {ratio:.3g}")
        losses = np.array([run.loss.measured for run in shown], dtype=np.float64)
        for run, loss in zip(shown, losses, strict=True):
            ratio = float(np.clip(run.tokens_per_param, lines[0], lines[-1]))
            ax.plot(
                run.compute,
                loss,
                color=colour(ratio),
                zorder=3,
                **(FITTED if run.loss.is_fitted else OTHER),
            )
        _explained(ax, [run.loss.is_fitted for run in shown])
        ax.set_xscale("log")
        ax.set_xlim(path[0], path[-1])
        room = MARGIN * (float(np.ptp(losses)) or 1.0)
        ax.set_ylim(losses.min() - room, losses.max() + room)
        ax.set_xlabel(r"training compute $C$ (FLOP)")
        ax.set_ylabel(f"loss: {_literal(found.loss_name)}")
        ax.legend(fontsize=6.0)
    return ax


def plot_error(found: Overtraining, ax: Axes | None = None) -> Axes:
    """Error against measured loss with its law; runs that it was not fitted to are open.

    Parameters
    ----------
    found : Overtraining
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Where there is no law of error.
    """
    if found.error_fit is None:
        raise ValueError("found: no benchmarks were asked for, so there is no law of error to draw")
    shown = [
        run
        for run in found.runs
        if run.loss.measured is not None and run.error.measured is not None
    ]
    losses = np.array([run.loss.measured for run in shown], dtype=np.float64)
    room = MARGIN * (float(np.ptp(losses)) or 1.0)
    path = np.linspace(losses.min() - room, losses.max() + room, POINTS)
    curve = found.error(path)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        ax.plot(path, curve, color="#0072B2", label=r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$")
        errors = np.array([run.error.measured for run in shown], dtype=np.float64)
        for run, loss, error in zip(shown, losses, errors, strict=True):
            ax.plot(loss, error, color=DIM, zorder=3, **(FITTED if run.error.is_fitted else OTHER))
        _explained(ax, [run.error.is_fitted for run in shown])
        tall = MARGIN * (float(np.ptp(errors)) or 0.1)
        ax.set_xlim(path[0], path[-1])
        ax.set_ylim(errors.min() - tall, errors.max() + tall)
        ax.set_xlabel(f"loss: {_literal(found.loss_name)}")
        ax.set_ylabel(f"mean error on {_benchmarks(found.benchmarks)}")
        ax.legend(fontsize=6.5)
    return ax


def plot_overtraining(found: Overtraining) -> Any:
    """A page: loss against compute and, with a law of error, error against loss.

    Returns
    -------
    ndarray of Axes
    """
    panels = 1 if found.error_fit is None else 2
    with _figure((PAGE if panels == 2 else COLUMN, 3.0)) as figure:
        axes = figure.subplots(1, panels, squeeze=False)
        plot_loss(found, axes[0, 0])
        if panels == 2:
            plot_error(found, axes[0, 1])
    return axes


def _lines(ratios: Floats) -> list[float]:
    """The ratios at which the law is drawn: those of the runs, neighbours taken together, or some
    between the extremes.
    """
    ordered = np.sort(ratios)
    parts = np.split(ordered, np.flatnonzero(ordered[1:] > SAME * ordered[:-1]) + 1)
    if len(parts) > MOST_LINES:
        return [float(each) for each in np.geomspace(ordered[0], ordered[-1], MOST_LINES - 2)]
    return [float(np.exp(np.log(part).mean())) for part in parts]


def _explained(ax: Axes, fitted: Sequence[bool]) -> None:
    """What filled and open marks stand for, where there are such."""
    for there, style, label in (
        (any(fitted), FITTED, "fitted"),
        (not all(fitted), OTHER, "not fitted"),
    ):
        if there:
            ax.plot([], [], color=DIM, label=label, **style)


def _benchmarks(names: Sequence[str]) -> str:
    return _literal(names[0]) if len(names) == 1 else f"{len(names)} benchmarks"
