"""Figures of backtests: errors against decades held out, and coefficients against the cutoff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, PALE, _axes, _figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ..backtest.result import Backtest
    from ..fit.hold_out import Judged
    from ..results import Estimate

__all__ = ["plot_backtest", "plot_coefficient", "plot_errors"]

#: Width of the bins of decades that a line goes through the medians of.
BIN = 0.5
#: The line goes through bins of at least so many predictions.
LEAST_IN_BIN = 5
#: Relative errors of less are drawn here, as triangles.
SMALLEST_ERROR = 1e-3
QUANTITY = "$-\\log$ pass@"
#: So many k have room beside each other.
MOST_K = 4
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
    """Absolute relative error of every prediction against decades from the cutoff to the target, by
    law.

    Lines go through the medians of half decades with at least five predictions; certified fits
    alone. Triangles at the lower edge are errors below 0.1 %.

    Parameters
    ----------
    result : Backtest
    ax : Axes, optional
    k : int, optional
        By default the first.
    """
    at = _chosen(result, k)
    table = result.predictions
    fits = np.array([(result.laws.index(fit.model), fit.subject) for fit in result.judged]).reshape(
        -1, 2
    )[table.fit]
    below = False
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for index, law in enumerate(result.laws):
            part = table.usable & (fits[:, 0] == index) & (fits[:, 1] == at)
            if not part.any():
                continue
            x, y = table.decades_held_out[part], np.abs(table.relative_error[part])
            colour, few, small = COLOURS[index], len(x) < 300, y < SMALLEST_ERROR
            ax.scatter(
                x[~small],
                y[~small],
                s=5.0 if few else 1.5,
                color=colour,
                alpha=0.5 if few else 0.15,
                linewidths=0.0,
            )
            if small.any():
                lowest = np.full(small.sum(), SMALLEST_ERROR)
                ax.scatter(
                    x[small],
                    lowest,
                    s=7.0,
                    marker="v",
                    color=colour,
                    alpha=0.6,
                    linewidths=0.0,
                    clip_on=False,
                    zorder=3,
                )
            below = below or small.any()
            ax.plot(*_medians(x, y), DASHES[index], color=colour, label=law)
        ax.set_yscale("log")
        if below:
            ax.set_ylim(bottom=SMALLEST_ERROR)
            label = f"below {100 * SMALLEST_ERROR:g} %"
            ax.plot([], [], "v", color=DIM, markersize=2.6, linestyle="none", label=label)
        from matplotlib.ticker import FuncFormatter, NullFormatter

        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(left=0.0)
        ax.set_xlabel(f"decades of {result.axis} held out")
        ax.set_ylabel(_outcome(result, at))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="lower right")
    return ax


def plot_coefficient(
    result: Backtest, law: str, coefficient: str, ax: Axes | None = None, *, k: int | None = None
) -> Axes:
    """Estimates of a coefficient against the cutoff, each with its own interval, and the interval
    of the final fit as a band.

    Hollow: the models leave it open, or the fit is not certified. Estimates far from the final one
    are triangles at the edge. A final interval without an upper end goes on to the edge.

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
    fits = [fit for fit in result.at(law, at) if fit.fitted is not None]
    if fits and coefficient not in fits[0].fitted.coefficients:
        raise ValueError(
            f"coefficient={coefficient!r}: the law {law} has "
            f"{', '.join(fits[0].fitted.coefficients)}"
        )
    with _axes(ax, (COLUMN, 2.0)) as ax:
        last = result.final(law, at)
        final = None if last is None or last.fitted is None else last.fitted.final(coefficient)
        _scaled(ax, fits, final, coefficient)
        colour = COLOURS[result.laws.index(law)]
        low, high = ax.get_ylim()
        if final is not None:
            ax.axhspan(*_within(final, low, high), color=PALE, alpha=0.5, linewidth=0)
            ax.axhline(final.value, color=DIM, linewidth=0.6, zorder=1)
            ax.set_ylim(low, high)
        for fit in fits:
            cutoff, estimate = float(fit.split.at or 0.0), fit.fitted.estimate(coefficient)
            value, sound = estimate.value, fit.converged and coefficient not in fit.undetermined
            if sound and low <= value <= high:
                ends = np.clip([estimate.low, estimate.high], low, high)
                ax.plot([cutoff, cutoff], ends, color=colour, linewidth=0.6, alpha=0.5)
            mark = "^" if value > high else "v" if value < low else "o"
            ax.plot(
                [cutoff],
                [min(max(value, low), high)],
                mark,
                color=colour,
                markerfacecolor=colour if sound else "white",
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


def plot_backtest(result: Backtest, *, k: int | Sequence[int] | None = None) -> Any:
    """A page of errors against decades held out, and below them coefficients against the cutoff; an
    array of Axes.

    Parameters
    ----------
    result : Backtest
    k : int or sequence of int, optional
        One (by default the first): a column a law. Up to four: a column each, the laws'
        coefficients below each other.

    Raises
    ------
    ValueError
        Where there is no such k, or there are too many.
    """
    ks = (
        [_chosen(result, k)]
        if k is None or isinstance(k, (int, np.integer))
        else [_chosen(result, each) for each in k]
    )
    if not 1 <= len(ks) <= MOST_K:
        raise ValueError(f"k={ks}: must be one to {MOST_K} values to be drawn beside each other")
    return _page_of(result, ks[0]) if len(ks) == 1 else _page_of_several(result, ks)


def _coefficients(result: Backtest, law: str, k: int) -> list[str]:
    return next(
        (list(fit.fitted.coefficients) for fit in result.at(law, k) if fit.fitted is not None), []
    )


def _page_of_several(result: Backtest, ks: Sequence[int]) -> Any:
    """A column a k: its errors, and every law's coefficients."""
    named = [
        (law, name)
        for law in result.laws
        for name in max((_coefficients(result, law, at) for at in ks), key=len)
    ]
    with _figure((PAGE, 2.6 + 1.1 * len(named))) as figure:
        heights = [2.0, *(1.0 for _ in named)]
        grid = figure.subplots(len(heights), len(ks), squeeze=False, height_ratios=heights)
        for column, at in enumerate(ks):
            top = plot_errors(result, grid[0, column], k=at)
            top.set_title(f"$k={at}$", loc="left", color=DIM)
            for row, (law, name) in enumerate(named, start=1):
                ax = grid[row, column]
                if name in _coefficients(result, law, at):
                    plot_coefficient(result, law, name, ax, k=at)
                else:
                    ax.set_axis_off()
                if row < len(named):
                    ax.set_xlabel("")
                    ax.tick_params(labelbottom=False)
                if column:
                    ax.set_ylabel("")
                else:
                    ax.set_ylabel(f"{SYMBOLS.get(name, name)} ({law})", fontsize=6.0)
            top.set_ylabel("" if column else f"relative error of {QUANTITY}k")
            if column and (legend := top.get_legend()) is not None:
                legend.remove()
        _alike(grid[0], "y")
        for column in range(len(ks)):
            _alike(grid[1:, column], "x")
    return grid


def _alike(axes: Any, name: str) -> None:
    """Equal limits of some Axes that have data."""
    drawn = [ax for ax in axes if ax.axison]
    ends = np.array([getattr(ax, f"get_{name}lim")() for ax in drawn])
    inverted = ends[:, 0] > ends[:, 1]
    limits = (ends.min(), ends.max()) if not inverted.any() else (ends.max(), ends.min())
    for ax in drawn:
        getattr(ax, f"set_{name}lim")(limits)


def _page_of(result: Backtest, at: int) -> Any:
    names = {law: _coefficients(result, law, at) for law in result.laws}
    rows = max((len(own) for own in names.values()), default=0)
    with _figure((PAGE, 2.6 + 1.35 * rows)) as figure:
        upper, *lower = figure.subfigures(
            2 if rows else 1, 1, height_ratios=[2.6, 1.35 * rows] if rows else None, squeeze=False
        ).ravel()
        axes = [upper.subplots()]
        plot_errors(result, axes[0], k=at)
        title = f"$k={at}$, " if result.what == "counts" else ""
        axes[0].set_title(
            f"{title}bands below: {100 * result.level:g} % intervals of the final fit",
            loc="left",
            color=DIM,
        )
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
    return (
        f"relative error of {QUANTITY}{k}"
        if result.what == "counts"
        else "relative error of the loss"
    )


def _medians(x: Any, y: Any) -> tuple[Any, Any]:
    """Medians of the bins that hold enough."""
    bins = np.floor(x / BIN).astype(int)
    kinds, counts = np.unique(bins, return_counts=True)
    found = kinds[counts >= LEAST_IN_BIN]
    return [float(np.median(x[bins == each])) for each in found], [
        float(np.median(y[bins == each])) for each in found
    ]


def _within(estimate: Estimate, low: float, high: float) -> tuple[float, float]:
    """An interval whose ends are none where they are 0 or infinite on an axis that has no such
    place.
    """
    below, above = estimate.low or 0.0, np.inf if estimate.high is None else estimate.high
    return (below if below > 0.0 or low <= 0.0 else low), (above if np.isfinite(above) else high)


def _scaled(ax: Axes, fits: Sequence[Judged], final: Estimate | None, name: str) -> None:
    """Limits that show the final interval and what lies near it; prefactors on a logarithmic axis."""
    every = [fit.fitted.coefficients[name] for fit in fits]
    values = [
        value
        for fit, value in zip(fits, every, strict=True)
        if fit.converged and name not in fit.undetermined
    ]
    values = [value for value in values if np.isfinite(value)] or every or [1.0]
    floor = final is not None and name == next(iter(fits[0].fitted.coefficients))
    band = () if final is None else (final.low, final.high)
    ends = [end for end in band if end is not None and np.isfinite(end) and (floor or end > 0.0)]
    held = [*values, *ends]
    if floor or min(held) <= 0.0:
        top = min(max(held), FAR * max(ends)) if ends and max(ends) > 0.0 else max(held)
        ax.set_yscale("linear")
        ax.set_ylim(-0.05 * (top or 1.0), 1.05 * (top or 1.0))
        return
    ax.set_yscale("log")
    low, high = min(held), max(held)
    if ends:
        low, high = max(low, min(ends) / FAR**2), min(high, max(ends) * FAR**2)
    ax.set_ylim(low / 1.2, high * 1.2)
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.yaxis.set_minor_formatter(NullFormatter())
    if high / low < NARROW:
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
