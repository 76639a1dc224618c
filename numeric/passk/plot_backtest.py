"""Figures of backtests: errors against decades held out, and coefficients against the cutoff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.plot import COLOURS, COLUMN, DASHES, DIM, PAGE, PALE, _axes, _figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isoflop.numeric.passk.backtest.result import Backtest
    from isoflop.numeric.passk.backtest.step import Step

__all__ = ["plot_backtest", "plot_coefficient", "plot_errors"]

#: Width of the bins of decades that a line goes through the medians of.
BIN = 0.5
#: Relative errors of less are drawn here.
SMALLEST_ERROR = 1e-3
#: Values beyond this factor of the final one, and its interval, are left to arrows at the edge.
FAR = 30.0
#: A logarithmic axis over less than this factor has labels within a decade.
NARROW = 50.0
AXES = {
    "compute": "training compute (FLOP)",
    "params": "params",
    "tokens": "training tokens",
    "gold": "gold $-\\log$ probability (nats)",
}
SYMBOLS = {
    "E0": "$E_0$",
    **{name: f"${name}$" for name in "EAB"},
    "C0": "$C_0$",
    "N0": "$N_0$",
    "D0": "$D_0$",
    "xi0": r"$\xi_0$",
    "K0": "$K_0$",
    **{name: rf"$\{name}$" for name in ("alpha", "beta", "gamma", "kappa")},
}


def plot_errors(result: Backtest, ax: Axes | None = None, *, k: int | None = None) -> Axes:
    """Absolute relative error of every prediction against decades from the cutoff to the target, by law.

    Lines go through the medians of half decades; certified fits alone.

    Parameters
    ----------
    result : Backtest
    ax : Axes, optional
    k : int, optional
        By default the first.
    """
    at = _chosen(result, k)
    table = result.table
    steps = np.array([(result.laws.index(step.task.law), step.task.k) for step in result.steps]).reshape(-1, 2)[table.step]
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for index, law in enumerate(result.laws):
            part = table.usable & (steps[:, 0] == index) & (steps[:, 1] == at)
            if not part.any():
                continue
            x, y = table.decades_held_out[part], np.maximum(np.abs(table.relative_error[part]), SMALLEST_ERROR)
            colour = COLOURS[index]
            ax.scatter(x, y, s=5.0 if len(x) < 300 else 1.5, color=colour, alpha=0.5 if len(x) < 300 else 0.15, linewidths=0.0)
            ax.plot(*_medians(x, y), DASHES[index], color=colour, label=law)
        ax.set_yscale("log")
        from matplotlib.ticker import FuncFormatter, NullFormatter

        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(left=0.0)
        ax.set_xlabel(f"decades of {result.axis} held out")
        ax.set_ylabel(_outcome(result, at))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="lower right")
    return ax


def plot_coefficient(result: Backtest, law: str, coefficient: str, ax: Axes | None = None, *, k: int | None = None) -> Axes:
    """Estimates of a coefficient against the cutoff, each with its own interval, and the interval of the final fit as a band.

    Hollow: the models leave it open, or the fit is not certified. Estimates far from the final one are triangles at the edge.

    Parameters
    ----------
    result : Backtest
    law : str
    coefficient : str
    ax : Axes, optional
    k : int, optional
        By default the first.

    Raises
    ------
    ValueError
        Where there is no such law, coefficient or k.
    """
    at = _chosen(result, k)
    steps = [step for step in result.at(law, at) if not step.failed]
    if steps and coefficient not in steps[0].coefficients:
        raise ValueError(f"coefficient={coefficient!r}: the law {law} has {', '.join(steps[0].coefficients)}")
    with _axes(ax, (COLUMN, 2.0)) as ax:
        final = next((step for step in steps if step.task.final), None)
        band = None if final is None else final.final_interval(coefficient, result.level)
        if band is not None:
            ax.axhspan(*band, color=PALE, alpha=0.5, linewidth=0)
            ax.axhline(final.coefficients[coefficient], color=PALE, linewidth=0.8, zorder=1)  # type: ignore[union-attr]
        _scaled(ax, steps, final, band, coefficient)
        colour = COLOURS[result.laws.index(law)]
        low, high = ax.get_ylim()
        for step in steps:
            value = step.coefficients[coefficient]
            sound = step.converged and coefficient not in step.undetermined
            ends = step.own_interval(coefficient, result.level)
            if sound and low <= value <= high:
                ax.plot([step.task.cutoff] * 2, np.clip(ends, low, high), color=colour, linewidth=0.6, alpha=0.5)
            mark = "^" if value > high else "v" if value < low else "o"
            face = colour if sound else "white"
            ax.plot(
                [step.task.cutoff],
                [min(max(value, low), high)],
                mark,
                color=colour,
                markerfacecolor=face,
                markersize=2.6,
                markeredgewidth=0.6,
                clip_on=False,
            )
        ax.set_xscale("log")
        if result.axis == "gold" and not ax.xaxis_inverted():
            ax.invert_xaxis()
        ax.set_xlabel(f"cutoff: {AXES[result.axis]}")
        ax.set_ylabel(SYMBOLS.get(coefficient, coefficient))
    return ax


def plot_backtest(result: Backtest, *, k: int | None = None) -> Any:
    """A page for one k: errors of all laws, and below, a column a law, its coefficients against the cutoff; an array of Axes."""
    at = _chosen(result, k)
    names = {law: next((list(step.coefficients) for step in result.at(law, at) if not step.failed), []) for law in result.laws}
    rows = max((len(own) for own in names.values()), default=0)
    with _figure((PAGE, 2.6 + 1.35 * rows)) as figure:
        upper, *lower = figure.subfigures(
            2 if rows else 1, 1, height_ratios=[2.6, 1.35 * rows] if rows else None, squeeze=False
        ).ravel()
        axes = [upper.subplots()]
        plot_errors(result, axes[0], k=at)
        title = f"$k={at}$, " if result.what == "counts" else ""
        axes[0].set_title(f"{title}bands below: {100 * result.level:g} % intervals of the final fit", loc="left", color=DIM)
        if rows:
            grid = lower[0].subplots(rows, len(result.laws), squeeze=False, sharex="col")
            for column, (law, own) in enumerate(names.items()):
                grid[0, column].set_title(law)
                for row, ax in enumerate(grid[:, column]):
                    if row >= len(own):
                        ax.set_axis_off()
                        continue
                    plot_coefficient(result, law, own[row], ax, k=at)
                    last = row == len(own) - 1
                    ax.tick_params(labelbottom=last)
                    if not last:
                        ax.set_xlabel("")
                    axes.append(ax)
    return np.array(axes, dtype=object)


def _chosen(result: Backtest, k: int | None) -> int:
    at = result.ks[0] if k is None else k
    result.at(result.laws[0], at)
    return at


def _outcome(result: Backtest, k: int) -> str:
    return f"relative error of $-\\log$ pass@{k}" if result.what == "counts" else "relative error of the loss"


def _medians(x: Any, y: Any) -> tuple[Any, Any]:
    """Middles and medians of the bins that hold something."""
    bins = np.floor(x / BIN).astype(int)
    found = np.unique(bins)
    return [float(np.median(x[bins == each])) for each in found], [float(np.median(y[bins == each])) for each in found]


def _scaled(ax: Axes, steps: list[Step], final: Step | None, band: tuple[float, float] | None, name: str) -> None:
    """Limits that show the final interval and what lies near it; prefactors on a logarithmic axis."""
    values = [step.coefficients[name] for step in steps if step.converged and name not in step.undetermined]
    values = [value for value in values if np.isfinite(value)] or [step.coefficients[name] for step in steps] or [1.0]
    held = [*values, *(band or ())]
    floor = final is not None and name == next(iter(final.coefficients))
    if floor or min(held) <= 0.0:
        top = min(max(held), FAR * max(band)) if band is not None and max(band) > 0.0 else max(held)
        ax.set_yscale("linear")
        ax.set_ylim(-0.05 * (top or 1.0), 1.05 * (top or 1.0))
        return
    ax.set_yscale("log")
    low, high = min(held), max(held)
    if band is not None:
        low, high = max(low, band[0] / FAR**2), min(high, band[1] * FAR**2)
    ax.set_ylim(low / 1.2, high * 1.2)
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.yaxis.set_minor_formatter(NullFormatter())
    if high / low < NARROW:
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
