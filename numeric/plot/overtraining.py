"""The laws of over-training with their runs: loss against compute by the ratio of tokens to params,
and error against loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from .panels import DIM, PAGE, POINTS, _figure, _literal

if TYPE_CHECKING:
    from ..accuracy.overtraining import Overtraining

__all__ = ["plot_overtraining"]

#: Lines of the law of loss; they reach beyond the runs by this factor of compute, and that of error
#: by this share of the range of losses.
MOST_LINES, BEYOND, MARGIN = 6, 1.5, 0.08


def plot_overtraining(laws: Overtraining) -> Any:
    """Loss against compute, coloured by M = D/N, with the law at some M, and error against measured
    loss with its law. Runs that a law was not fitted to are open.
    """
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm

    runs = laws.runs[laws.runs["loss"].notna()]
    ratios, compute = runs["tokens_per_param"].to_numpy(), runs["compute"].to_numpy()
    lines = np.unique(np.quantile(ratios, np.linspace(0.0, 1.0, MOST_LINES), method="nearest"))
    scale = LogNorm(lines[0], max(lines[-1], 1.001 * lines[0]), clip=True)
    path = np.geomspace(compute.min() / BEYOND, compute.max() * BEYOND, POINTS)
    room = MARGIN * (np.ptp(runs["loss"]) or 0.1)
    losses = np.linspace(runs["loss"].min() - room, runs["loss"].max() + room, POINTS)
    with _figure((PAGE, 3.0)) as figure:
        axes = figure.subplots(1, 2, squeeze=False)
        first, second = axes.flat
        for ratio in lines:
            curve = laws.loss(formulas.ray_params(path, ratio), formulas.ray_tokens(path, ratio))
            colour = colormaps["viridis"](0.9 * scale(ratio))
            first.plot(path, curve, color=colour, linewidth=1.0, label=f"M = {ratio:.3g}")
        law = r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
        second.plot(losses, laws.error(losses), color="#0072B2", label=law)
        for fitted, label in ((True, "fitted"), (False, "not fitted")):
            own = runs[runs["in_loss_fit"] == fitted]
            edges: Any = colormaps["viridis"](0.9 * scale(own["tokens_per_param"].to_numpy()))
            marks: Any = {"s": 13.0, "zorder": 3, "label": label}
            faces = {} if fitted else {"facecolors": "none"}
            first.scatter(
                own["compute"],
                own["loss"],
                edgecolors=edges,
                c=edges if fitted else None,
                **faces,
                **marks,
            )
            own = runs[(runs["in_error_fit"] == fitted) & runs["error"].notna()]
            second.scatter(
                own["loss"],
                own["error"],
                edgecolors=DIM,
                **({"color": DIM} if fitted else faces),
                **marks,
            )
        names = laws.benchmarks
        of = _literal(names[0]) if len(names) == 1 else f"{len(names)} benchmarks"
        first.set(
            xscale="log", xlim=(path[0], path[-1]), ylabel=f"loss: {_literal(laws.loss_name)}"
        )
        first.set_xlabel(r"training compute $C$ (FLOP)")
        second.set(xlim=(losses[0], losses[-1]), ylabel=f"mean error on {of}")
        second.set_xlabel(f"loss: {_literal(laws.loss_name)}")
        for ax in axes.flat:
            ax.legend(fontsize=6.0)
    return figure
