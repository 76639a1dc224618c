"""Figures of laws of -log pass@k: models and laws at several k, and coefficients against k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import DEFAULT_LEVEL as LEVEL
from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, POINTS, _axes, _figure, plain_logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ..passk.laws import PassLaws

    Floats = NDArray[np.float64]

__all__ = ["plot_coefficients", "plot_laws", "plot_passk"]

#: The number of k that are drawn by default, spread evenly over log k.
SHOWN = 5
MARGIN = 1.6
#: A logarithmic axis extends by this factor beyond the curves; wide bands are cut.
WIDEST_BAND = 2.5
#: An axis over more than this factor has labels at powers of ten alone, which do not overlap.
WIDE = 100.0
SYMBOLS = {"E0": "E_0", "xi0": r"\xi_0", "C0": "C_0", "N0": "N_0", "D0": "D_0", "K0": "K_0"}
OBSERVED = r"$-\log\,\mathrm{pass@}k$ (nats)"
AXES = {
    "compute": "training compute $C$ (FLOP)",
    "params-tokens": r"law at the model's $N$ and $D$ (nats)",
    "gold": "gold solution, $-$log prob. $g$ (nats)",
}
#: The marks of models, and the style of a legend.
MODEL: Any = {"fmt": "o", "markersize": 2.4, "markeredgewidth": 0.5, "elinewidth": 0.4}
KEYS: Any = {"fontsize": 6.0, "title_fontsize": 6.5, "handlelength": 1.2, "labelspacing": 0.25}
MARKS = (
    "filled: unbiased estimates; hollow, fewer than k samples, and triangles, no success: by the "
    "likelihood"
)


def plot_laws(
    found: PassLaws, law: str, ax: Axes | None = None, *, k: Sequence[int] | None = None
) -> Axes:
    """Models and the law at several k, by default five, against compute or gold likelihood; for a
    params+tokens law observed against predicted values.

    Filled marks are unbiased estimates with their standard errors. Hollow marks, for models with
    problems of fewer than k samples, are the mean of log(-log pass@k) and its standard deviation
    under the likelihood of the counts. Triangles, for models without a success, are the least -log
    pass@k that the counts leave likely; least squares leaves these out. Models without a failure
    are not drawn.
    """
    from matplotlib import colormaps

    fits, held = found.of(law), found.counts[law].covariates
    logs, axis = np.log(list(fits)), "gold" if law == "gold" else "compute"
    even = np.abs(logs - np.linspace(logs[0], logs[-1], SHOWN)[:, None]).argmin(axis=1)
    chosen = np.array(list(fits))[np.unique(even)].tolist() if k is None else k
    shades = colormaps["viridis"](np.linspace(0.0, 0.85, len(chosen)))
    with _axes(ax, (COLUMN, 2.9)) as ax:
        for each, shade in zip(chosen, shades, strict=True):
            fit, style = fits[each], {"color": shade, "label": f"{each:,}", "linewidth": 1.1}
            is_joint = law == "params-tokens"
            x = fit.predict(held).value if is_joint else held[axis]
            _draw_models(ax, found, law, each, x, shade)
            grid = np.geomspace(x.min() / MARGIN, x.max() * MARGIN, POINTS)
            ax.plot(grid, grid if is_joint else fit.predict({axis: grid}).value, **style)
        ax.set(xscale="log", yscale="log", xlabel=AXES[law], ylabel=OBSERVED)
        if law == "gold":
            ax.invert_xaxis()
        if law != "compute":
            low, high = sorted(ax.get_xlim())
            plain_logs(ax.xaxis, (1.0,) if high > WIDE * low else (1.0, 2.0, 5.0))
        plain_logs(ax.yaxis)
        ax.legend(title="k", loc="best", **KEYS)
    return ax


def _draw_models(ax: Axes, found: PassLaws, law: str, k: int, x: Floats, shade: Any) -> None:
    """Draw every model at one k above these x, as its counts have it."""
    evidence = found.fits[law, k].evidence
    once, own = found.observed(law, 1), found.observed(law, k)
    solved, failing = once.pass_at_k.to_numpy() > 0.0, once.neg_log.to_numpy() > 0.0
    passed, y, se = (own[name].to_numpy() for name in ("pass_at_k", "neg_log", "se"))
    complete = (own.n_refused.to_numpy() == 0) & (passed > 0.0) & (y > 0.0)
    with np.errstate(all="ignore"):  # from models that are not drawn this way
        parts = [(complete, np.log(y), np.nan_to_num(se / (passed * y)), shade)]
    if evidence is not None:
        parts.append((solved & failing & ~complete, *evidence.moments(), "none"))
        above: Any = {"markersize": 3.2, "markerfacecolor": "none", "markeredgewidth": 0.6}
        height = np.exp(evidence.least_likely_pass[~solved])
        ax.plot(x[~solved], height, "^", color=shade, **above)
    for chosen, u, error, face in parts:
        if chosen.any():
            height, s = np.exp(u[chosen]), error[chosen]
            ends = (-height * np.expm1(-s), height * np.expm1(s))
            ax.errorbar(x[chosen], height, ends, markerfacecolor=face, color=shade, **MODEL)


def plot_coefficients(
    found: PassLaws, names: Sequence[str], ax: Axes | None = None, *, log: bool = False
) -> Axes:
    """The coefficients with these names, of all laws that have them, against k with their intervals."""
    table, values = found.to_frame(), list[float]()
    with _axes(ax, (COLUMN, 2.4)) as ax:
        for law, name in ((law, name) for law in found.counts for name in names):
            if name not in next(iter(found.of(law).values())).kind.coefficients:
                continue
            place = len(ax.lines)
            colour, dashes = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
            rows = table[table.law == law].astype({f"{name}_lo": float, f"{name}_hi": float})
            values += rows[name].tolist()
            label = rf"${SYMBOLS.get(name, chr(92) + name)}(k)$ ({law})"
            style: Any = {"marker": "o", "markersize": 2.2, "color": colour, "label": label}
            ax.plot(rows.k, rows[name], dashes, **style)
            ends = rows[[f"{name}_lo", f"{name}_hi"]].replace([np.inf, -np.inf], np.nan)
            ax.fill_between(rows.k, *ends.to_numpy().T, color=colour, alpha=0.15, linewidth=0)
        ax.set(xscale="log", xlabel="$k$")
        if log:
            ax.set_yscale("log")
            plain_logs(ax.yaxis)
            ax.set_ylim(min(values) / WIDEST_BAND, max(values) * WIDEST_BAND)
        # Below the axes: bands run anywhere within.
        ax.legend(fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.2))
    return ax


def plot_passk(found: PassLaws) -> Figure:
    """A page: a panel of models a law, the irreducible parts and the exponents against k."""
    bands, count = f"{100 * LEVEL:g} % bands", len(found.counts) + 2
    columns = 2 if count == 4 else 3
    rows = -(-count // columns)
    with _figure((PAGE, 2.7 * rows + 0.2)) as figure:
        axes = [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
        for law, ax in zip(found.counts, axes, strict=False):
            most = max(fit.numbers["n_models"] for fit in found.of(law).values())
            plot_laws(found, law, ax).set_title(f"{law}: {most} models")
        plot_coefficients(found, ("E0", "xi0"), axes[-2])
        axes[-2].set_title(f"irreducible part, {bands}")
        plot_coefficients(found, ("alpha", "beta", "gamma", "kappa"), axes[-1], log=True)
        axes[-1].set_title(f"exponents, {bands}")
        figure.supxlabel(MARKS, fontsize=6.5, color=DIM)
    return figure
