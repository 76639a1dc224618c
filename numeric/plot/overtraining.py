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
#: Lines reach beyond the runs by this factor of compute, and by this share of the range of losses.
BEYOND, MARGIN = 1.5, 0.08


def plot_loss(laws: Overtraining, ax: Axes | None = None) -> Axes:
    """Loss against compute, coloured by M = D/N, with the law at each M; runs that it was not
    fitted to are open.
    """
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    runs = laws.runs[laws.runs["loss"].notna()]
    ratios, compute = runs["tokens_per_param"].to_numpy(), runs["compute"].to_numpy()
    lines = _lines(ratios)
    scale = LogNorm(lines[0], max(lines[-1], 1.001 * lines[0]), clip=True)

    def colour(ratio: float) -> Any:
        return colormaps["viridis"](0.9 * scale(ratio))

    path = np.geomspace(compute.min() / BEYOND, compute.max() * BEYOND, POINTS)
    with _axes(ax, (COLUMN, 2.8)) as ax:
        for ratio in lines:
            values = laws.loss(formulas.ray_params(path, ratio), formulas.ray_tokens(path, ratio))
            ax.plot(path, values, color=colour(ratio), linewidth=1.0, label=f"M = {ratio:.3g}")
        _mark(ax, runs["compute"], runs["loss"], runs["in_loss_fit"], [*map(colour, ratios)])
        ax.set(xscale="log", xlim=(path[0], path[-1]))
        ax.set_xlabel(r"training compute $C$ (FLOP)")
        ax.set_ylabel(f"loss: {_literal(laws.loss_name)}")
        ax.legend(fontsize=6.0)
    return ax


def plot_error(laws: Overtraining, ax: Axes | None = None) -> Axes:
    """Error against measured loss with its law; runs that it was not fitted to are open."""
    runs = laws.runs[laws.runs["loss"].notna() & laws.runs["error"].notna()]
    room = MARGIN * (np.ptp(runs["loss"]) or 0.1)
    path = np.linspace(runs["loss"].min() - room, runs["loss"].max() + room, POINTS)
    names = laws.benchmarks
    of = _literal(names[0]) if len(names) == 1 else f"{len(names)} benchmarks"
    with _axes(ax, (COLUMN, 2.8)) as ax:
        law = r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
        ax.plot(path, laws.error(path), color="#0072B2", label=law)
        _mark(ax, runs["loss"], runs["error"], runs["in_error_fit"], [DIM] * len(runs))
        ax.set(xlim=(path[0], path[-1]))
        ax.set_xlabel(f"loss: {_literal(laws.loss_name)}")
        ax.set_ylabel(f"mean error on {of}")
        ax.legend(fontsize=6.5)
    return ax


def plot_overtraining(laws: Overtraining) -> Any:
    """Loss against compute and error against loss, side by side: an array of axes."""
    with _figure((PAGE, 3.0)) as figure:
        axes = figure.subplots(1, 2, squeeze=False)
        plot_loss(laws, axes[0, 0])
        plot_error(laws, axes[0, 1])
    return axes


def _lines(ratios: Floats) -> list[float]:
    """The ratios at which the law is drawn: those of the runs, neighbours taken together, or some
    between the extremes.
    """
    ordered = np.sort(ratios)
    parts = np.split(ordered, np.flatnonzero(ordered[1:] > SAME * ordered[:-1]) + 1)
    if len(parts) > MOST_LINES:
        return [float(x) for x in np.geomspace(ordered[0], ordered[-1], MOST_LINES - 2)]
    return [float(np.exp(np.log(part).mean())) for part in parts]


def _mark(ax: Axes, x: Any, y: Any, fitted: Any, colours: Sequence[Any]) -> None:
    """Runs, those that a law was fitted to filled and the others open."""
    for chosen, filled, label in ((fitted, True, "fitted"), (~fitted, False, "not fitted")):
        if chosen.any():
            own = [colour for colour, one in zip(colours, chosen, strict=True) if one]
            faces = own if filled else "none"
            shape: Any = {"s": 13.0, "facecolors": faces, "edgecolors": own, "zorder": 3}
            ax.scatter(x[chosen], y[chosen], label=label, **shape)
