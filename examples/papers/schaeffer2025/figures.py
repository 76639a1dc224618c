"""The figures: laws, errors of predictions, the model for all k."""

from pathlib import Path

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.rules import FEW

from isoflop.numeric.plot.backtest import plot_errors
from isoflop.numeric.plot.panels import COLOURS, save
from isoflop.numeric.plot.passk_laws import plot_study


def draw(b: Benchmark, output: Path) -> dict[str, str]:
    """Laws, errors of the backtest, the coupled model."""
    names = {what: f"{b.title.lower()}_{what}.png" for what in ("laws", "backtest", "coupled")}
    save(plot_study(b.study)[0], output / names["laws"])
    save(draw_errors(b), output / names["backtest"])
    save(draw_coupled(b), output / names["coupled"])
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


def draw_coupled(b: Benchmark):
    """pass@k against k of models at the most tokens: counts, the coupled model, and the laws fitted
    at every k apart.
    """
    ax = figure(5.0, 3.4).subplots()
    compute, tokens, laws = (
        b.counts.covariates["compute"],
        b.counts.covariates["tokens"],
        b.study.laws["compute"],
    )
    last = np.flatnonzero(b.data.solved & (tokens == tokens.max()))
    last = last[np.argsort(compute[last])]
    ks = np.array(b.ks)
    for g, colour in zip(last[np.linspace(0, len(last) - 1, 4).astype(int)], COLOURS, strict=False):
        at = b.data.curve.complete[g] & (b.data.curve.pass_at_k[g] > 0.0)
        passed, error = b.data.curve.pass_at_k[g], b.data.curve.se[g]
        ax.errorbar(
            ks[at], passed[at], error[at], fmt="o", markersize=3, elinewidth=0.6, color=colour
        )
        by_likelihood = np.array([np.exp(-np.exp(b.log_y(k)[g])) for k in ks[~at]])
        ax.plot(
            ks[~at],
            by_likelihood,
            "o",
            markersize=3,
            markerfacecolor="none",
            markeredgewidth=0.6,
            color=colour,
        )
        ax.plot(
            ks,
            b.coupled.pass_at_k(compute[g], ks),
            color=colour,
            linewidth=1.3,
            label=f"{compute[g]:.1e} FLOP",
        )
        here = {"compute": compute[g : g + 1]}
        ax.plot(
            ks,
            [np.exp(-fit.predict(here)[0]) for fit in laws.fits],
            "--",
            color=colour,
            linewidth=0.9,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("k")
    ax.set_ylabel("pass@k")
    ax.set_title(
        f"{b.title}: one model for all k (lines), laws fitted at each k (dashes)", fontsize=8
    )
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=7, frameon=False)
    return ax
