"""The figures: laws and errors of predictions."""

from pathlib import Path

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.rules import FEW

from isoflop.numeric.plot.backtest import plot_errors
from isoflop.numeric.plot.panels import save
from isoflop.numeric.plot.passk_laws import plot_study


def draw(b: Benchmark, output: Path) -> dict[str, str]:
    """Laws, errors of the backtest."""
    names = {what: f"{b.title.lower()}_{what}.png" for what in ("laws", "backtest")}
    save(plot_study(b.study)[0], output / names["laws"])
    save(draw_errors(b), output / names["backtest"])
    return names


def figure(width: float, height: float):
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def draw_errors(b: Benchmark):
    axes = figure(9.0, 3.0).subplots(1, len(FEW))
    for k, ax in zip(FEW, axes, strict=True):
        plot_errors(b.backtest, ax, k=k)
        ax.set_title(f"{b.title}, k = {k:,}", fontsize=8)
        ax.set_ylabel("relative error of $-$log pass@k" if ax is axes[0] else "")
        ax.spines[["top", "right"]].set_visible(False)
        ax.get_legend().set_frame_on(False)
    ends = np.array([ax.get_ylim() for ax in axes])
    for ax in axes:
        ax.set_ylim(ends.min(), ends.max())
        ax.tick_params(labelleft=ax is axes[0])
    return axes[0]
