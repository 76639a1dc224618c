"""Figures of laws of -log pass@k: models and laws at several k, and coefficients against k.

Models are drawn as the counts alone have them, so that one stands at the same height in all panels:
the unbiased estimate with its standard error; where a problem has fewer than k samples the mean of
log(-log pass@k) and its standard deviation under the likelihood of the counts; without a success
the least -log pass@k that the samples leave possible, a triangle that points up.
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
    from ..passk.laws import PassLaws
    from ..passk.study import PassStudy

    Floats = NDArray[np.float64]

__all__ = ["plot_coefficient", "plot_laws", "plot_study"]

#: So many k are drawn where none are chosen, spread evenly over log k.
SHOWN = 5
MARGIN = 1.6
#: Bands are drawn up to this factor beyond the curves of a logarithmic axis; wider ones run out of
#: it.
WIDEST_BAND = 2.5
#: Confidence of the limit where a model stands that has no success.
LIMIT = 0.9
LABELS = {
    "E0": r"$E_0(k)$",
    "xi0": r"$\xi_0(k)$",
    "C0": r"$C_0(k)$",
    "N0": r"$N_0(k)$",
    "D0": r"$D_0(k)$",
    "K0": r"$K_0(k)$",
    "alpha": r"$\alpha(k)$",
    "beta": r"$\beta(k)$",
    "gamma": r"$\gamma(k)$",
    "kappa": r"$\kappa(k)$",
}
PREDICTED, OBSERVED = r"law at the model's $N$ and $D$ (nats)", r"$-\log\,\mathrm{pass@}k$ (nats)"
AXES = {"compute": "training compute $C$ (FLOP)", "gold": "gold solution, $-$log prob. $g$ (nats)"}
SHADES, DARKEST, PALEST = "viridis", 0.0, 0.85
#: Marks of models and of limits of models, and the keys of a panel.
MODEL: Any = {"fmt": "o", "markersize": 2.4, "markeredgewidth": 0.5, "elinewidth": 0.4}
BOUND: Any = {"markersize": 3.2, "markerfacecolor": "none", "markeredgewidth": 0.6}
KEYS: Any = {"fontsize": 6.0, "title_fontsize": 6.5, "handlelength": 1.2, "labelspacing": 0.25}


def plot_laws(laws: PassLaws, ax: Axes | None = None, *, k: Sequence[int] | None = None) -> Axes:
    """Models and the law against compute or gold likelihood at several k; for params+tokens
    observed against predicted.

    Parameters
    ----------
    laws : PassLaws
    ax : Axes, optional
    k : sequence of int, optional
        By default five of those that were fitted.

    Returns
    -------
    Axes

    Notes
    -----
    Filled: unbiased estimates with their standard errors. Hollow: models with problems of fewer
    than k samples, by the likelihood of the counts (absent for least squares, which leaves them
    out). Triangles: models without a success lie above, at 90 % confidence. Models without a
    failure are not drawn.
    """
    from matplotlib import colormaps

    chosen = _chosen(laws, k)
    joint, axis = len(laws.kind.covariates) > 1, laws.kind.axis
    x = laws.covariates.get(axis)
    if x is None:
        raise outside("laws", laws.kind.name, "of models whose compute is known")
    shades = colormaps[SHADES](np.linspace(DARKEST, PALEST, len(chosen)))
    with _axes(ax, (COLUMN, 2.9)) as ax:
        grid = np.geomspace(x.min() / MARGIN, x.max() * MARGIN, POINTS)
        for fit, shade in zip(chosen, shades, strict=True):
            at = fit.predict(laws.covariates) if joint else x
            _models(ax, laws, fit, np.asarray(at), shade)
            if joint:  # a key for every k, be there an unbiased estimate or not
                ax.plot([], [], "o", color=shade, markersize=2.4, label=f"{fit.k:,}")
            else:
                curve = fit.predict({axis: grid})
                ax.plot(grid, curve, color=shade, label=f"{fit.k:,}", linewidth=1.1)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if joint:
            ends = ax.get_xlim()
            ax.plot(ends, ends, color="black", linewidth=0.8, zorder=1)
            ax.set_xlim(*ends)
        if axis == "gold":
            ax.invert_xaxis()
            plain_logs(ax.xaxis)
        ax.set_xlabel(PREDICTED if joint else AXES[axis])
        ax.set_ylabel(OBSERVED)
        ax.legend(title="k", loc="best", **KEYS)
    return ax


def _models(ax: Axes, laws: PassLaws, fit: PassFit, x: Floats, shade: Any) -> None:
    """Every model at one k as its counts have it."""
    log_y, error, complete = _observed(laws, fit)
    for part, face in ((complete, shade), (~complete, "none")):
        part = part & np.isfinite(log_y)
        y, s = np.exp(log_y[part]), error[part]
        if part.any():
            ends = (-y * np.expm1(-s), y * np.expm1(s))
            ax.errorbar(x[part], y, yerr=ends, markerfacecolor=face, color=shade, **MODEL)
    counts, unsolved = laws.data.counts, np.flatnonzero(~laws.data.solved)
    limits = [least_neg_log(counts.per_group(int(g))[0], fit.k) for g in unsolved]
    ax.plot(x[unsolved], limits, "^", color=shade, **BOUND)


def least_neg_log(n: Any, k: int) -> float:
    """The limit of -log pass@k at the confidence `LIMIT` for problems with n samples each, none of
    them correct, whatever the success rates.

    No success has the chance exp(-sum_i n_i x_i) with x = -log(1 - p). Among the rates for which
    that is 1 - LIMIT, the mean of 1 - e^(-k x_i) is greatest where k x_i = max(0, t - log n_i).
    """
    samples = np.sort(np.asarray(n, dtype=np.float64))
    logs = np.log(samples / samples[0])  # t less log n_1: digits are kept where n is large
    heights = (np.cumsum(samples * logs) - k * np.log1p(-LIMIT)) / np.cumsum(samples)
    height = heights[np.flatnonzero(heights > logs)[-1]]
    return float(-np.log(np.mean(-np.expm1(-np.maximum(height - logs, 0.0)))))


def _observed(laws: PassLaws, fit: PassFit) -> tuple[Floats, Floats, Any]:
    """log(-log pass@k) of every model by its counts, its standard error, and whether every problem
    has k samples; NaN: none.
    """
    data = laws.data
    index, inside = data.ks.index(fit.k), data.solved & data.failing
    passed, y = data.curve.pass_at_k[:, index], data.curve.neg_log[:, index]
    complete = data.curve.complete[:, index] & (passed > 0.0) & (y > 0.0)
    log_y, error = np.full(len(passed), np.nan), np.zeros(len(passed))
    log_y[complete] = np.log(y[complete])
    error[complete] = data.curve.se[complete, index] / (passed[complete] * y[complete])
    if fit.evidence is not None:
        rest = inside & ~complete
        mean, deviation = data.evidence[index].moments()
        log_y[rest], error[rest] = mean[rest], deviation[rest]
    return log_y, np.where(np.isfinite(error), error, 0.0), complete


def plot_coefficient(
    laws: Sequence[PassLaws],
    names: Sequence[str],
    ax: Axes | None = None,
    *,
    level: float = 0.9,
    log: bool = False,
) -> Axes:
    """Coefficients against k with their intervals.

    Parameters
    ----------
    laws : sequence of PassLaws
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
    with _axes(ax, (COLUMN, 2.4)) as ax:
        for index, (each, name) in enumerate(zip(laws, names, strict=True)):
            colour, dashes = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
            label, ks = f"{LABELS[name]} ({each.kind.name})", np.asarray(each.ks)
            style: Any = {"marker": "o", "markersize": 2.2, "color": colour, "label": label}
            ax.plot(ks, each.values(name), dashes, **style)
            found = [fit.estimate(name, level) for fit in each.fits]
            if all(one.has_interval for one in found):
                ends = np.array([(one.low, one.high) for one in found], dtype=np.float64)
                low, high = np.where(np.isinf(ends), np.nan, ends).T
                ax.fill_between(ks, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.set_xscale("log")
        ax.set_xlabel("$k$")
        if log:
            ax.set_yscale("log")
            plain_logs(ax.yaxis)
            values = np.concatenate(
                [one.values(name) for one, name in zip(laws, names, strict=True)]
            )
            bottom, top = ax.get_ylim()
            least, most = values.min() / WIDEST_BAND, values.max() * WIDEST_BAND
            ax.set_ylim(max(bottom, least), min(top, most))
        ax.legend(fontsize=6.5)
    return ax


def plot_study(study: PassStudy) -> Any:
    """A page: a panel of models a law, the irreducible parts and the exponents against k.

    Returns
    -------
    ndarray of Axes
    """
    laws, level = list(study.laws.values()), study.level
    count = len(laws) + 2
    rows = -(-count // 3)
    with _figure((PAGE, 2.55 * rows + 0.2)) as figure:
        axes = [figure.add_subplot(rows, min(count, 3), i + 1) for i in range(count)]
        for each, ax in zip(laws, axes, strict=False):
            plot_laws(each, ax).set_title(f"{each.kind.name}: {each.fits[0].size} models")
        floors, exponents = axes[len(laws) :]
        plot_coefficient(laws, [each.kind.floor for each in laws], floors, level=level)
        floors.set_title(f"irreducible part, {100 * level:g} % bands")
        own = [each for each in laws for _ in each.kind.exponents]
        names = [name for each in laws for name in each.kind.exponents]
        plot_coefficient(own, names, exponents, level=level, log=True)
        exponents.set_title(f"exponents, {100 * level:g} % bands")
        _explained(figure)
    return np.array(axes, dtype=object)


def _explained(figure: Any) -> None:
    """What the marks of models stand for, below all panels."""
    from matplotlib.lines import Line2D

    marks = (
        ("o", DIM, "model, unbiased estimate"),
        ("o", "none", "by the likelihood: fewer than k samples"),
        ("^", "none", f"no success: above, {100 * LIMIT:g} %"),
    )
    style: Any = {"linestyle": "none", "color": DIM, "markersize": 3.2}
    handles = [
        Line2D([], [], marker=mark, markerfacecolor=face, label=text, **style)
        for mark, face, text in marks
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=6.5)


def _chosen(laws: PassLaws, k: Sequence[int] | None) -> list[Any]:
    if k is not None:
        return [laws.at(value) for value in k]
    logs = np.log(np.asarray(laws.ks, dtype=np.float64))
    even = np.linspace(logs[0], logs[-1], SHOWN)
    return [laws.fits[index] for index in np.unique(np.abs(logs - even[:, None]).argmin(axis=1))]
