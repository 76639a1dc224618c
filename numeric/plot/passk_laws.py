"""Figures of laws of -log pass@k: models and laws at several k, coefficients against k, derived
beside direct exponents.

Models are drawn as the counts alone have them, so that one stands at the same height in all panels:
the unbiased estimate with its standard error; where a problem has fewer than k samples the mean of
log(-log pass@k) and its standard deviation under the likelihood of the counts; without a success
the least -log pass@k that the samples leave possible, a triangle that points up.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from ..results import Band
from .panels import (
    COLOURS,
    COLUMN,
    DASHES,
    DIM,
    PAGE,
    POINTS,
    _axes,
    _figure,
    curve_with_band,
    plain_logs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from ..passk.laws import PassLaws
    from ..passk.study import PassStudy

    Floats = NDArray[np.float64]

__all__ = ["plot_coefficient", "plot_envelope_exponents", "plot_laws", "plot_study"]

#: So many k are drawn where none are chosen, spread evenly over log k.
SHOWN = 5
MARGIN = 1.6
#: Panels in each row of a page of so many, so that none is empty.
ROWS = {3: (3,), 4: (2, 2), 5: (3, 2), 6: (3, 3)}
#: Of an axis, that is added above the curves for every line of a legend.
HEADROOM = 0.13
#: Bands are drawn up to this factor beyond the curves of a logarithmic axis; wider ones run out of
#: it.
WIDEST_BAND = 2.5
#: Predictions are drawn up to so many times the greatest observation.
FAR_ABOVE = 30.0
#: Confidence of the limit where a model stands that has no success.
LIMIT = 0.9
LABELS = {
    "E0": r"$E_0(k)$",
    "C0": r"$C_0(k)$",
    "N0": r"$N_0(k)$",
    "D0": r"$D_0(k)$",
    "K0": r"$K_0(k)$",
    "xi0": r"$\xi_0(k)$",
    "alpha": r"$\alpha(k)$",
    "beta": r"$\beta(k)$",
    "gamma": r"$\gamma(k)$",
    "kappa": r"$\kappa(k)$",
}
PREDICTED, OBSERVED = r"law at the model's $N$ and $D$ (nats)", r"$-\log\,\mathrm{pass@}k$ (nats)"
#: What stands for an end of a band that has none.
FARTHEST = 1e30
AXES = {"compute": "training compute $C$ (FLOP)", "gold": "gold solution, $-$log prob. $g$ (nats)"}
EXPONENT_OF = {
    "derived": r"$\beta\gamma/(\beta+\gamma)$, derived",
    "fitted": r"$\alpha$, fitted to compute",
}
SHADES, DARKEST, PALEST = "viridis", 0.0, 0.85
#: Marks of models, of limits of models and of irreducible parts, and the keys of a panel.
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
    failure are not drawn. Predictions far
    above all that was observed, which no model bounds, stand at the right edge.
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
            _models(ax, laws, fit, _predicted(laws, fit) if joint else x, shade)
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


def _predicted(laws: PassLaws, fit: PassFit) -> Floats:
    """-log pass@k of the models by the law, up to `FAR_ABOVE` times the greatest that was observed
    at any k.
    """
    greatest = max(float(np.nanmax(np.exp(_observed(laws, each)[0]))) for each in laws.fits)
    held = {name: laws.covariates[name] for name in laws.kind.covariates}
    return np.minimum(fit.predict(held), FAR_ABOVE * greatest)


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
    """Coefficients against k with the bands of their resamples.

    Parameters
    ----------
    laws : sequence of PassLaws
    names : sequence of str
        A coefficient of each.
    ax : Axes, optional
    level : float
        Of the pointwise bands.
    log : bool
        Whether the axis of the coefficient is logarithmic.

    Returns
    -------
    Axes

    Notes
    -----
    An irreducible part that is fitted as 0, the bound of the search, is drawn as the upper end of
    its band: a hollow triangle that points down; one that the models do not bound from above is one
    on the upper edge that points up. Bands wider than `WIDEST_BAND` times the curves run out of a
    logarithmic axis.
    """
    if len(laws) != len(names):
        raise outside("names", list(names), f"one for each of the {len(laws)} laws")
    with _axes(ax, (COLUMN, 2.4)) as ax:
        shown = []
        for index, (each, name) in enumerate(zip(laws, names, strict=True)):
            colour, dashes = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
            label, ks = f"{LABELS[name]} ({each.kind.name})", np.asarray(each.ks)
            values = each.values(name)
            shown.append(values)
            ax.plot(ks, values, dashes, marker="o", color=colour, label=label, markersize=2.2)
            if not each.resamples:
                continue
            ends = [
                fit.interval(name, level) if fit.has_intervals else (np.nan, np.nan)
                for fit in each.fits
            ]
            low, high = np.nan_to_num(np.array(ends), nan=np.nan, posinf=FARTHEST).T
            ax.fill_between(ks, low, high, color=colour, alpha=0.15, linewidth=0)
            bounded = high < FARTHEST
            marked = (values == 0.0) & (name == each.kind.floor) & bounded
            ax.plot(ks[marked], high[marked], "v", color=colour, **BOUND)
            if not log and not bounded.all():
                shown.append(high[bounded])
                above = ks[~bounded & ~np.isnan(high)]
                edge: Any = {"transform": ax.get_xaxis_transform(), "clip_on": False}
                ax.plot(above, np.ones(len(above)), "^", color=colour, **edge, **BOUND)
        ax.set_xscale("log")
        ax.set_xlabel("$k$")
        values = np.concatenate(shown)
        bottom, top = ax.dataLim.intervaly
        if log:
            ax.set_yscale("log")
            plain_logs(ax.yaxis)
            bottom = max(bottom, values.min() / WIDEST_BAND)
            ax.set_ylim(bottom, min(top, values.max() * WIDEST_BAND))
            bottom, top = ax.get_ylim()  # room for the legend above the curves
            ax.set_ylim(bottom, top * (top / bottom) ** (HEADROOM * len(laws)))
        elif top >= FARTHEST:  # bands without an end run out of the axis
            top = float(np.nanmax(values))
            ax.set_ylim(-0.05 * top, 1.3 * top or 1.0)
        ax.legend(fontsize=6.5, loc="upper left" if log else "best")
    return ax


def plot_envelope_exponents(study: PassStudy, ax: Axes | None = None) -> Axes:
    """The exponent of compute at every k: derived from the params+tokens law, and fitted directly.

    Raises
    ------
    ValueError
        Where the study lacks one of the two laws.
    """
    found = study.envelopes
    if not found:
        raise outside("study", list(study.laws), "of the laws compute and params-tokens")
    ks = [item.k for item in found]
    with _axes(ax, (COLUMN, 2.4)) as ax:
        for index, (name, label) in enumerate(EXPONENT_OF.items()):
            colour = COLOURS[index]
            exponents = [getattr(item, name)["alpha"] for item in found]
            sure = all(one.has_interval for one in exponents)
            ends = np.array([(one.low, one.high) for one in exponents]).T if sure else (None, None)
            band = Band(np.array([one.value for one in exponents]), *ends)
            style = {"linestyle": DASHES[index], "marker": "o", "markersize": 2.2, "label": label}
            curve_with_band(ax, ks, band, color=colour, **style)
        ax.set_xscale("log")
        ax.set_xlabel("$k$")
        ax.set_ylabel(r"$\alpha(k)$")
        ax.legend(fontsize=6.5)
    return ax


def plot_study(study: PassStudy) -> Any:
    """A page: a panel of models a law, irreducible parts and exponents against k, and derived
    beside direct exponents.

    Returns
    -------
    ndarray of Axes
    """
    laws, level = list(study.laws.values()), study.level
    both = bool(study.envelopes)
    rows = ROWS[len(laws) + 2 + both]
    with _figure((PAGE, 2.55 * len(rows) + 0.2)) as figure:
        grid = figure.add_gridspec(len(rows), lcm(*rows))
        axes = []
        for row, count in enumerate(rows):
            wide = grid.ncols // count
            axes += [figure.add_subplot(grid[row, wide * i : wide * (i + 1)]) for i in range(count)]
        for each, ax in zip(laws, axes, strict=False):
            plot_laws(each, ax).set_title(f"{each.kind.name}: {each.fits[0].n_models} models")
        floors, exponents, *rest = axes[len(laws) :]
        plot_coefficient(laws, [each.kind.floor for each in laws], floors, level=level)
        floors.set_title(f"irreducible part, {100 * level:g} % bands")
        own = [each for each in laws for _ in each.kind.exponents]
        names = [name for each in laws for name in each.kind.exponents]
        plot_coefficient(own, names, exponents, level=level, log=True)
        exponents.set_title(f"exponents, {100 * level:g} % bands")
        if both:
            plot_envelope_exponents(study, rest[0]).set_title("envelope beside compute law")
        _explained(figure, laws)
    return np.array(axes, dtype=object)


def _explained(figure: Any, laws: Sequence[PassLaws]) -> None:
    """What the marks of models stand for, where there are such, below all panels."""
    from matplotlib.lines import Line2D

    by_likelihood = any(each.method == "likelihood" for each in laws)
    complete = all(each.data.curve.complete.all() for each in laws)
    solved = all(each.data.solved.all() for each in laws)
    bound = any(each.resamples and (each.values(each.kind.floor) == 0.0).any() for each in laws)
    hollow = "by the likelihood: fewer than k samples"
    marks = (
        ("o", DIM, "model, unbiased estimate", True),
        ("o", "none", hollow, by_likelihood and not complete),
        ("^", "none", f"no success: above, {100 * LIMIT:g} %", not solved),
        ("v", "none", "fitted as 0: its upper end", bound),
    )
    style: Any = {"linestyle": "none", "color": DIM, "markersize": 3.2}
    handles = [
        Line2D([], [], marker=mark, markerfacecolor=face, label=text, **style)
        for mark, face, text, there in marks
        if there
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=6.5)


def _chosen(laws: PassLaws, k: Sequence[int] | None) -> list[Any]:
    if k is not None:
        return [laws.at(value) for value in k]
    logs = np.log(np.asarray(laws.ks, dtype=np.float64))
    even = np.linspace(logs[0], logs[-1], SHOWN)
    return [laws.fits[index] for index in np.unique(np.abs(logs - even[:, None]).argmin(axis=1))]
