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
OTHER: Any = {"marker": "o", "markersize": 4.2, "linestyle": "none", "markerfacecolor": "none"}


def plot_loss(laws: Overtraining, ax: Axes | None = None) -> Axes:
    """Loss against compute, coloured by M = D/N, with the law at each M; runs that it was not
    fitted to are open.
    """
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    runs = [run for run in laws.runs if run.loss.measured is not None]
    lines = _lines(np.array([run.tokens_per_param for run in runs]))
    scale = LogNorm(lines[0], max(lines[-1], 1.001 * lines[0]), clip=True)

    def colour(ratio: float) -> Any:
        return colormaps["viridis"](0.9 * scale(ratio))

    compute = np.array([run.compute for run in runs])
    path = np.geomspace(compute.min() / BEYOND, compute.max() * BEYOND, POINTS)
    losses = np.array([run.loss.measured for run in runs], dtype=np.float64)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        for ratio in lines:
            values = laws.loss(formulas.ray_params(path, ratio), formulas.ray_tokens(path, ratio))
            ax.plot(path, values, color=colour(ratio), linewidth=1.0, label=f"M = {ratio:.3g}")
        for run, loss in zip(runs, losses, strict=True):
            style = FITTED if run.loss.is_fitted else OTHER
            ax.plot(run.compute, loss, color=colour(run.tokens_per_param), zorder=3, **style)
        _explain(ax, [run.loss.is_fitted for run in runs])
        ax.set(xscale="log", xlim=(path[0], path[-1]), ylim=_around(losses))
        ax.set_xlabel(r"training compute $C$ (FLOP)")
        ax.set_ylabel(f"loss: {_literal(laws.loss_name)}")
        ax.legend(fontsize=6.0)
    return ax


def plot_error(laws: Overtraining, ax: Axes | None = None) -> Axes:
    """Error against measured loss with its law; runs that it was not fitted to are open."""
    runs = [run for run in laws.runs if None not in (run.loss.measured, run.error.measured)]
    losses, errors = (
        np.array([getattr(run, what).measured for run in runs], dtype=np.float64)
        for what in ("loss", "error")
    )
    path = np.linspace(*_around(losses), POINTS)
    names = laws.benchmarks
    with _axes(ax, (COLUMN, 2.8)) as ax:
        law = r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
        ax.plot(path, laws.error(path), color="#0072B2", label=law)
        for run, loss, error in zip(runs, losses, errors, strict=True):
            ax.plot(loss, error, color=DIM, zorder=3, **(FITTED if run.error.is_fitted else OTHER))
        _explain(ax, [run.error.is_fitted for run in runs])
        ax.set(xlim=(path[0], path[-1]), ylim=_around(errors))
        ax.set_xlabel(f"loss: {_literal(laws.loss_name)}")
        ax.set_ylabel(
            f"mean error on {_literal(names[0]) if len(names) == 1 else f'{len(names)} benchmarks'}"
        )
        ax.legend(fontsize=6.5)
    return ax


def plot_overtraining(laws: Overtraining) -> Any:
    """Loss against compute and error against loss, side by side: an array of axes."""
    with _figure((PAGE, 3.0)) as figure:
        axes = figure.subplots(1, 2, squeeze=False)
        plot_loss(laws, axes[0, 0])
        plot_error(laws, axes[0, 1])
    return axes


def _around(values: Floats) -> tuple[float, float]:
    room = MARGIN * (float(np.ptp(values)) or 0.1)
    return float(values.min()) - room, float(values.max()) + room


def _lines(ratios: Floats) -> list[float]:
    """The ratios at which the law is drawn: those of the runs, neighbours taken together, or some
    between the extremes.
    """
    ordered = np.sort(ratios)
    parts = np.split(ordered, np.flatnonzero(ordered[1:] > SAME * ordered[:-1]) + 1)
    if len(parts) > MOST_LINES:
        return [float(x) for x in np.geomspace(ordered[0], ordered[-1], MOST_LINES - 2)]
    return [float(np.exp(np.log(part).mean())) for part in parts]


def _explain(ax: Axes, fitted: Sequence[bool]) -> None:
    """What filled and open marks stand for, where there are such."""
    for is_there, style, label in (
        (any(fitted), FITTED, "fitted"),
        (not all(fitted), OTHER, "not fitted"),
    ):
        if is_there:
            ax.plot([], [], color=DIM, label=label, **style)
