"""Figures of laws of -log pass@k: models and laws at several k, coefficients against k, derived beside direct exponents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric._domain import outside
from isoflop.numeric.plot import COLOURS, COLUMN, DASHES, PAGE, POINTS, _axes, _figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from isoflop.numeric.passk.laws import PassLaws
    from isoflop.numeric.passk.study import PassStudy

__all__ = ["plot_coefficient", "plot_envelope_exponents", "plot_laws", "plot_study"]

#: So many k are drawn where none are chosen, spread evenly over log k.
SHOWN = 5
MARGIN = 1.6
#: Of a logarithmic axis that is added above the curves.
HEADROOM = 0.35
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
AXES = {"compute": "training compute $C$ (FLOP)", "gold": "gold solution, $-$log prob. $g$ (nats)"}
EXPONENT_OF = {"derived": r"$\beta\gamma/(\beta+\gamma)$, derived", "fitted": r"$\alpha$, fitted to compute"}
SHADES, DARKEST, PALEST = "viridis", 0.0, 0.85


def plot_laws(laws: PassLaws, ax: Axes | None = None, *, k: Sequence[int] | None = None) -> Axes:
    """Models and the law against compute or gold likelihood at several k; for params+tokens the envelope of each k.

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
    Circles are what is known of a model: its estimate, or under the likelihood its expected log(-log pass@k) given counts and
    law; open ones have no correct sample.
    """
    from matplotlib import colormaps
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    chosen = _chosen(laws, k)
    axis = laws.kind.axis
    x = laws.covariates.get(axis)
    if x is None:
        raise outside("laws", laws.kind.name, "of models whose compute is known")
    shades = colormaps[SHADES](np.linspace(DARKEST, PALEST, len(chosen)))
    with _axes(ax, (COLUMN, 2.9)) as ax:
        grid = np.geomspace(x.min() / MARGIN, x.max() * MARGIN, POINTS)
        for fit, shade in zip(chosen, shades, strict=True):
            y = np.asarray(fit.fit.runs.loss)
            solved = laws.solved[fit.used]
            ax.plot(x[fit.used][solved], y[solved], "o", color=shade, markersize=2.2, markeredgewidth=0.0)
            ax.plot(
                x[fit.used][~solved], y[~solved], "o", color=shade, markersize=3.0, markerfacecolor="none", markeredgewidth=0.5
            )
            if laws.kind.name == "params-tokens":
                values = fit.fit.law_of(fit.fit.coefficients).envelope.loss(grid)
            else:
                values = fit.neg_log({axis: grid})
            ax.plot(grid, values, color=shade, label=f"{fit.k:,}", linewidth=1.1)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if axis == "gold":
            ax.invert_xaxis()
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel(AXES[axis])
        ax.set_ylabel(r"$-\log\,\mathrm{pass@}k$ (nats)")
        what = "envelope at k" if laws.kind.name == "params-tokens" else "k"
        ax.legend(title=what, loc="best", title_fontsize=7.0, fontsize=6.5)
    return ax


def plot_coefficient(
    laws: Sequence[PassLaws], names: Sequence[str], ax: Axes | None = None, *, level: float = 0.9, log: bool = False
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
    """
    if len(laws) != len(names):
        raise outside("names", list(names), f"one for each of the {len(laws)} laws")
    with _axes(ax, (COLUMN, 2.4)) as ax:
        for index, (each, name) in enumerate(zip(laws, names, strict=True)):
            colour = COLOURS[index % len(COLOURS)]
            label = f"{LABELS[name]} ({each.kind.name})"
            ax.plot(
                each.ks, each.values(name), DASHES[index % len(DASHES)], color=colour, marker="o", markersize=2.2, label=label
            )
            if each.resamples:
                low, high = each.intervals(name, level).T
                ax.fill_between(each.ks, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.set_xscale("log")
        if log:
            ax.set_yscale("log")
        ax.set_xlabel("$k$")
        if log:  # room for the legend above the curves
            bottom, top = ax.get_ylim()
            ax.set_ylim(bottom, top * (top / bottom) ** HEADROOM)
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
            values = [getattr(item, name)["alpha"] for item in found]
            ax.plot(ks, values, DASHES[index], color=colour, marker="o", markersize=2.2, label=label)
            between = [getattr(item, f"{name}_intervals").get("alpha") for item in found]
            if all(pair is not None for pair in between):
                low, high = np.array(between).T
                ax.fill_between(ks, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.set_xscale("log")
        ax.set_xlabel("$k$")
        ax.set_ylabel(r"$\alpha(k)$")
        ax.legend(fontsize=6.5)
    return ax


def plot_study(study: PassStudy) -> Any:
    """A page: a panel of models a law, irreducible parts and exponents against k, and derived beside direct exponents.

    Returns
    -------
    ndarray of Axes
    """
    laws = list(study.laws.values())
    both = bool(study.envelopes)
    panels = len(laws) + 2 + both
    columns = 2 if panels <= 4 else 3
    rows = -(-panels // columns)
    with _figure((PAGE, 2.55 * rows)) as figure:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for each, ax in zip(laws, axes, strict=False):
            plot_laws(each, ax)
            ax.set_title(f"{each.kind.name}: {each.fits[0].n_models} models")
        place = iter(axes[len(laws) :])
        floors = plot_coefficient(laws, [each.kind.floor for each in laws], next(place), level=study.level)
        floors.set_title(f"irreducible part, {100 * study.level:g} % bands")
        pairs = [(each, name) for each in laws for name in each.kind.exponents]
        place_of = next(place)
        exponents = plot_coefficient([e for e, _ in pairs], [n for _, n in pairs], place_of, level=study.level, log=True)
        exponents.set_title(f"exponents, {100 * study.level:g} % bands")
        if both:
            plot_envelope_exponents(study, next(place)).set_title("envelope beside compute law")
        for ax in place:
            ax.remove()
    return axes


def _chosen(laws: PassLaws, k: Sequence[int] | None) -> list[Any]:
    if k is not None:
        return [laws.at(value) for value in k]
    logs = np.log(np.asarray(laws.ks, dtype=np.float64))
    even = np.linspace(logs[0], logs[-1], SHOWN)
    return [laws.fits[index] for index in np.unique(np.abs(logs - even[:, None]).argmin(axis=1))]
