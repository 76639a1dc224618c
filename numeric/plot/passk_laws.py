"""Figures of laws of -log pass@k: models and laws at several k, and coefficients against k.

Models are drawn as the counts alone have them, so that one stands at the same height in all panels:
the unbiased estimate with its standard error; where a problem has fewer than k samples the mean of
log(-log pass@k) and its standard deviation under the likelihood of the counts; without a success
the least -log pass@k that the counts leave likely, a triangle that points up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from .panels import COLOURS, COLUMN, DASHES, DIM, PAGE, POINTS, _axes, _figure, plain_logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from ..passk.laws import PassLaw, PassLaws

    Floats = NDArray[np.float64]

__all__ = ["plot_coefficient", "plot_laws", "plot_passk"]

#: So many k are drawn where none are chosen, spread evenly over log k.
SHOWN = 5
MARGIN = 1.6
#: Bands are drawn up to this factor beyond the curves of a logarithmic axis; wider ones run out of
#: it.
WIDEST_BAND = 2.5
SYMBOLS = {"E0": "E_0", "xi0": r"\xi_0", "C0": "C_0", "N0": "N_0", "D0": "D_0", "K0": "K_0"}
PREDICTED, OBSERVED = r"law at the model's $N$ and $D$ (nats)", r"$-\log\,\mathrm{pass@}k$ (nats)"
AXES = {"compute": "training compute $C$ (FLOP)", "gold": "gold solution, $-$log prob. $g$ (nats)"}
#: Marks of models and of models without a success, and the keys of a panel.
MODEL: Any = {"fmt": "o", "markersize": 2.4, "markeredgewidth": 0.5, "elinewidth": 0.4}
UNSOLVED: Any = {"markersize": 3.2, "markerfacecolor": "none", "markeredgewidth": 0.6}
KEYS: Any = {"fontsize": 6.0, "title_fontsize": 6.5, "handlelength": 1.2, "labelspacing": 0.25}
MARKS = (
    ("o", DIM, "model, unbiased estimate"),
    ("o", "none", "by the likelihood: fewer than k samples"),
    ("^", "none", "no success: at or above, by the likelihood"),
)


def plot_laws(law: PassLaw, ax: Axes | None = None, *, k: Sequence[int] | None = None) -> Axes:
    """Models and the law against compute or gold likelihood at several k; for params+tokens
    observed against predicted.

    Parameters
    ----------
    law : PassLaw
    ax : Axes, optional
    k : sequence of int, optional
        By default five of those that were fitted.

    Returns
    -------
    Axes

    Notes
    -----
    Filled: unbiased estimates with their standard errors. Hollow: models with problems of fewer
    than k samples, and triangles: models without a success, by the likelihood of the counts; least
    squares leaves these out. Models without a failure are not drawn.
    """
    from matplotlib import colormaps

    logs, joint = np.log(np.asarray(law.ks, dtype=np.float64)), len(law.kind.covariates) > 1
    even = np.abs(logs - np.linspace(logs[0], logs[-1], SHOWN)[:, None]).argmin(axis=1)
    chosen = [law.at(value) for value in (np.array(law.ks)[np.unique(even)] if k is None else k)]
    held, axis = law.models.counts.covariates, law.kind.axis
    shades = colormaps["viridis"](np.linspace(0.0, 0.85, len(chosen)))
    with _axes(ax, (COLUMN, 2.9)) as ax:
        for fit, shade in zip(chosen, shades, strict=True):
            _models(ax, law, fit, fit.predict(held) if joint else held[axis], shade)
            style: Any = {"color": shade, "label": f"{fit.k:,}", "linewidth": 1.1}
            if joint:  # a key for every k, be there an unbiased estimate or not
                ax.plot([], [], "o", markersize=2.4, **style)
                continue
            ends = held[axis].min() / MARGIN, held[axis].max() * MARGIN
            grid = np.geomspace(*ends, POINTS)
            ax.plot(grid, fit.predict({axis: grid}), **style)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if joint:
            ends = ax.get_xlim()
            ax.plot(ends, ends, color="black", linewidth=0.8, zorder=1)
            ax.set_xlim(*ends)
        if axis == "gold":
            ax.invert_xaxis()
        if joint or axis == "gold":
            plain_logs(ax.xaxis)
        plain_logs(ax.yaxis)
        ax.set_xlabel(PREDICTED if joint else AXES[axis])
        ax.set_ylabel(OBSERVED)
        ax.legend(title="k", loc="best", **KEYS)
    return ax


def _models(ax: Axes, law: PassLaw, fit: PassFit, x: Floats, shade: Any) -> None:
    """Every model at one k as its counts have it, above these x."""
    models = law.models
    index, inside = models.ks.index(fit.k), models.solved & models.failing
    passed, y, se = (
        getattr(models.curve, name)[:, index] for name in ("pass_at_k", "neg_log", "se")
    )
    complete = models.curve.complete[:, index] & (passed > 0.0) & (y > 0.0)
    with np.errstate(all="ignore"):  # of models that are not drawn so
        parts = [(complete, np.log(y), np.nan_to_num(se / (passed * y)), shade)]
    if fit.evidence is not None:
        parts.append((inside & ~complete, *models.evidence[index].moments(), "none"))
        above = np.exp(models.evidence[index].least_likely_pass)
        ax.plot(x[~models.solved], above[~models.solved], "^", color=shade, **UNSOLVED)
    for chosen, u, error, face in parts:
        if chosen.any():
            height, s = np.exp(u[chosen]), error[chosen]
            ends = (-height * np.expm1(-s), height * np.expm1(s))
            ax.errorbar(x[chosen], height, ends, markerfacecolor=face, color=shade, **MODEL)


def plot_coefficient(
    laws: Sequence[PassLaw],
    names: Sequence[str],
    ax: Axes | None = None,
    *,
    level: float = 0.9,
    log: bool = False,
) -> Axes:
    """Coefficients against k with their intervals.

    Parameters
    ----------
    laws : sequence of PassLaw
    names : sequence of str
        A coefficient of each.
    ax : Axes, optional
    level : float
        Of the pointwise bands.
    log : bool
        Whether the axis of the coefficient is logarithmic; bands wider than `WIDEST_BAND` times the
        curves then run out of it.

    Returns
    -------
    Axes
    """
    if len(laws) != len(names):
        raise outside("names", list(names), f"one for each of the {len(laws)} laws")
    values = []
    with _axes(ax, (COLUMN, 2.4)) as ax:
        for index, (law, name) in enumerate(zip(laws, names, strict=True)):
            colour, dashes = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
            found = [fit.estimate(name, level) for fit in law.fits]
            values += [one.value for one in found]
            label = rf"${SYMBOLS.get(name, chr(92) + name)}(k)$ ({law.kind.name})"
            style: Any = {"marker": "o", "markersize": 2.2, "color": colour, "label": label}
            ax.plot(law.ks, [one.value for one in found], dashes, **style)
            if all(one.has_interval for one in found):
                ends = np.array([(one.low, one.high) for one in found], dtype=np.float64)
                low, high = np.where(np.isinf(ends), np.nan, ends).T
                ax.fill_between(law.ks, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.set_xscale("log")
        ax.set_xlabel("$k$")
        if log:
            ax.set_yscale("log")
            plain_logs(ax.yaxis)
            bottom, top = ax.get_ylim()
            ax.set_ylim(max(bottom, min(values) / WIDEST_BAND), min(top, max(values) * WIDEST_BAND))
        # Below the axes: bands run anywhere within.
        ax.legend(fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.2))
    return ax


def plot_passk(found: PassLaws) -> Any:
    """A page: a panel of models a law, the irreducible parts and the exponents against k."""
    from matplotlib.lines import Line2D

    laws, bands = list(found.laws.values()), f"{100 * found.level:g} % bands"
    count = len(laws) + 2
    columns = 2 if count == 4 else 3
    rows = -(-count // columns)
    with _figure((PAGE, 2.7 * rows + 0.2)) as figure:
        axes = [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
        for law, ax in zip(laws, axes, strict=False):
            plot_laws(law, ax).set_title(f"{law.kind.name}: {law.fits[0].size} models")
        floors, exponents = axes[len(laws) :]
        plot_coefficient(laws, [law.kind.floor for law in laws], floors, level=found.level)
        floors.set_title(f"irreducible part, {bands}")
        own = [law for law in laws for _ in law.kind.exponents]
        names = [name for law in laws for name in law.kind.exponents]
        plot_coefficient(own, names, exponents, level=found.level, log=True)
        exponents.set_title(f"exponents, {bands}")
        style: Any = {"linestyle": "none", "color": DIM, "markersize": 3.2}
        handles = [
            Line2D([], [], marker=mark, markerfacecolor=face, label=text, **style)
            for mark, face, text in MARKS
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=6.5)
    return figure
