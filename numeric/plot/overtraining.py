"""The figure of the laws of over-training with their runs: loss against compute by the ratio of
tokens to params, and error against loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.sample import Points
from .panels import DIM, PAGE, POINTS, _figure

if TYPE_CHECKING:
    from ..accuracy.overtraining import Overtraining

__all__ = ["plot_overtraining"]

#: The most lines of the law of loss.
MOST_LINES = 6


def plot_overtraining(laws: Overtraining) -> Any:
    """Loss against compute, coloured by M = D/N, with the law at some M; and error against measured
    loss with its law. Runs to which a law was not fitted are open.
    """
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    runs = laws.runs[laws.runs["loss"].notna()]
    ratios, compute, loss = (runs[name] for name in ("tokens_per_param", "compute", "loss"))
    lines = np.unique(np.quantile(ratios, np.linspace(0.0, 1.0, MOST_LINES), method="nearest"))
    scale = LogNorm(lines[0], max(lines[-1], 1.001 * lines[0]), clip=True)
    path = np.geomspace(compute.min() / 1.5, compute.max() * 1.5, POINTS)
    losses = np.linspace(loss.min() - 0.05, loss.max() + 0.05, POINTS)
    of_loss, of_error = laws.loss_fit.solution, laws.error_fit.solution
    with _figure((PAGE, 3.0)) as figure:
        first, second = figure.subplots(1, 2)
        for ratio in lines:
            ray = formulas.ray_params(path, ratio), formulas.ray_tokens(path, ratio)
            at = Points(params=ray[0], tokens=ray[1])
            curve = of_loss.model.values(of_loss.values[None], at)[0]
            colour = colormaps["viridis"](0.9 * scale(ratio))
            first.plot(path, curve, color=colour, linewidth=1.0, label=f"M = {ratio:.3g}")
        epsilon, k, gamma = of_error.values
        law = r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
        second.plot(losses, epsilon - k * np.exp(-gamma * losses), color="#0072B2", label=law)
        for fitted, label in ((True, "fitted"), (False, "not fitted")):
            own = runs[runs["in_loss_fit"] == fitted]
            edges: Any = colormaps["viridis"](0.9 * scale(own["tokens_per_param"].to_numpy()))
            marks: Any = {"s": 13.0, "zorder": 3, "label": label}
            faces = edges if fitted else "none"
            first.scatter(own["compute"], own["loss"], edgecolors=edges, facecolors=faces, **marks)
            own = runs[(runs["in_error_fit"] == fitted) & runs["error"].notna()]
            faces = DIM if fitted else "none"
            second.scatter(own["loss"], own["error"], edgecolors=DIM, facecolors=faces, **marks)
        first.set(xscale="log", xlabel=r"training compute $C$ (FLOP)", ylabel="loss")
        second.set(xlabel="loss", ylabel="mean error")
        for ax in (first, second):
            ax.legend(fontsize=6.0)
    return figure
