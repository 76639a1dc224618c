"""Figures: the style, the shared panels, and the figures of a law.

A function draws on the Axes that it is given, or on new ones, and returns them. New Axes belong to a
plain Figure that pyplot does not know, so that nothing stays open and no window system is needed.
Show a figure in a notebook with ``ax.figure``, write it with :func:`save`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Shortest
from .. import _files
from ..errors import POSITIVE, ArgumentError, outside, positive_number
from ..words import one_line

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..law import Law
    from ..results import Band

#: The widths of a column and of a page of two-column journals, in inches.
COLUMN, PAGE = 3.5, 7.2
#: Colours that people with any colour vision tell apart (Okabe and Ito 2008), darkest contrasts
#: first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
PALE, DIM = "#BBBBBB", "#555555"
#: The opacity of a band.
BAND_ALPHA = 0.2
STYLE: Any = {"font.size": 8.0, "axes.titlesize": 7.0, "legend.fontsize": 7.5}
STYLE |= {"legend.frameon": False, "axes.linewidth": 0.7, "lines.linewidth": 1.3}
FORMATS = (".png", ".pdf", ".svg")
POINTS = 401
#: More laws than this have their legend beside the axes.
MOST_INSIDE = 6
LONGEST_LABEL = 60
#: The range of an axis of ratios, which extends by this factor beyond marked points; an axis of
#: penalties is logarithmic beyond this penalty.
RATIOS, MARGIN, TALLEST = (0.01, 100.0), 1.25, 10.0
MARKERS = "osD^vP*X"


def plot_penalty(
    laws: Sequence[Law],
    ax: Axes | None = None,
    *,
    within: float | None = None,
    points: Sequence[Sequence[float]] = (),
    names: Sequence[str] = (),
    optimal_tokens_per_param: float | None = None,
) -> Axes:
    """The loss penalty P = (L - E)/(L* - E) against the overtraining ratio rho = (D/N)/(D*/N*), at
    equal compute.

    Parameters
    ----------
    laws : sequence of Law
    ax : Axes, optional
    within : float, optional
        Shade the ratios at which the penalty is at most 1 + within; > 0.
    points : a sequence of float for each law, optional
        Ratios to mark on its curve, > 0.
    names : sequence of str, optional
        The names of the points, the same for every law: each has a mark of its own.
    optimal_tokens_per_param : float, optional
        D*/N* of the one budget of all points: a second axis has D/N.

    Raises
    ------
    ValueError
        If there is no law, or an argument is outside its domain.
    """
    import numpy as np

    if not laws:
        raise outside("laws", laws, "a sequence of at least one law")
    ratios = [positive_number("points", ratio) for entry in points for ratio in entry]
    left = min([RATIOS[0], *(ratio / MARGIN for ratio in ratios)])
    right = max([RATIOS[1], *(ratio * MARGIN for ratio in ratios)])
    path = np.geomspace(left, right, POINTS)
    with _axes(ax, (COLUMN, 2.6)) as ax:
        for index, law in enumerate(laws):
            colour, dashes = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
            curve = law.penalty(path).loss_penalty
            ax.plot(path, curve, color=colour, linestyle=dashes, label=_literal(law.name))
            if curve.max() > TALLEST:
                ax.set_yscale("log")
            if within is not None:
                low, high = law.tolerance(within).ratio
                span = rf"within {within * 100:.4g} %: $\rho$ = {low:.3g} to {high:.3g}"
                ax.axvspan(low, high, color=colour, alpha=0.15, linewidth=0, label=span)
            for number, ratio in enumerate(points[index] if points else ()):
                marker = MARKERS[number % len(MARKERS)] if names else MARKERS[0]
                height = law.penalty(ratio).loss_penalty
                ax.plot(ratio, height, marker, color=colour, markersize=4, zorder=3, clip_on=False)
        for marker, name in zip(cycle(MARKERS), names, strict=False):
            ax.plot([], [], marker, color=DIM, markersize=4, label=_literal(name))
        ax.set(xscale="log", xlim=(left, right))
        ax.set_xlabel(r"overtraining ratio $\rho = (D/N)\,/\,(D^{*}/N^{*})$")
        ax.set_ylabel(r"loss penalty $P = (L-E)\,/\,(L^{*}-E)$")
        if optimal_tokens_per_param is not None:
            best: Any = optimal_tokens_per_param
            top = ax.secondary_xaxis("top", (lambda rho: rho * best, lambda ratio: ratio / best))
            top.set_xlabel("tokens per param $D/N$")
            top.tick_params(which="both", labelsize=7.0, width=0.6)
        beside: Any = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
        ax.legend(**({} if len(laws) <= MOST_INSIDE else beside))
    return ax


def plot_isoflop(
    law: Law,
    computes: Sequence[float],
    ax: Axes | None = None,
    *,
    size_ratios: tuple[float, float] = (0.1, 10.0),
) -> Axes:
    """Loss against model size at fixed compute, a profile for each budget, with the path of the optima.

    Parameters
    ----------
    law : Law
        A law with A and B; without E the reducible loss is drawn.
    computes : sequence of float
        The budgets; FLOP, > 0.
    ax : Axes, optional
    size_ratios : (float, float)
        The range of N/N* of each profile, > 0.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the law has no A and B.
    """
    import numpy as np
    from matplotlib import colormaps

    budgets = np.array(sorted(positive_number("computes", compute) for compute in computes))
    if not budgets.size:
        raise outside("computes", computes, f"at least one budget, each {POSITIVE}")
    low, high = (positive_number("size_ratios", ratio) for ratio in size_ratios)
    loss = law.reducible_loss if law.E is None else law.loss

    def profile(compute: Any, size_ratio: Any = 1.0) -> tuple[Any, Any]:
        params = size_ratio * law.N_opt(compute)
        return params, loss(params, law.evaluate("tokens_given_params", compute, params))

    path, sizes = np.geomspace(budgets[0], budgets[-1], POINTS), np.geomspace(low, high, POINTS)
    shades = colormaps["viridis"](np.linspace(0.0, 0.85, len(budgets)))
    optimum: Any = {"color": DIM, "markersize": 3.5, "linewidth": 1.0}
    with _axes(ax, (COLUMN, 2.8)) as ax:
        for compute, shade in zip(budgets.tolist(), shades, strict=True):
            ax.plot(
                *profile(compute, sizes), color=shade, label=f"{Shortest(3).latex(compute)} FLOP"
            )
        ax.plot(*profile(path), "--", zorder=3, **optimum)
        ax.plot(*profile(budgets), "o", zorder=3, **optimum)
        ax.plot([], [], "o--", label="optimum", **optimum)
        ax.set(xscale="log", xlabel="params $N$")
        ax.set_ylabel("reducible loss $L-E$" if law.E is None else "loss $L$")
        ax.legend()
    return ax


# -- shared panels -------------------------------------------------------------------------------


def curve_with_band(ax: Axes, x: Any, band: Band, **line: Any) -> None:
    """Draw a curve (m,) over the band of its interval in one colour, or the curve alone without ends.
    `line`: arguments of `Axes.plot`, among them `color`.
    """
    if band.low is not None:
        ax.fill_between(x, *band.ends, color=line["color"], alpha=BAND_ALPHA, linewidth=0, zorder=2)
    ax.plot(x, band.value, **{"zorder": 4, **line})


def plain_logs(axis: Any, leading: tuple[float, ...] = (1.0, 2.0, 5.0)) -> None:
    """Label a logarithmic axis with the numbers 0.1, 0.2, 0.5, 1, ... that have these leading digits."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=leading))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


# -- files ---------------------------------------------------------------------------------------


def save(drawing: Any, path: str | PathLike[str]) -> None:
    """Write the whole figure of a Figure or Axes in the format of the suffix of the file: .png, .pdf or
    .svg; a ValueError for another suffix, or if the file cannot be written.
    """
    from matplotlib import rc_context

    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        complaint = "must end in .png, .pdf or .svg"
        raise ArgumentError("path", str(path), complaint=complaint)
    dated = {".pdf": "CreationDate", ".svg": "Date"}.get(suffix)
    content = BytesIO()
    # TrueType fonts, as publishers ask for; no date and no random names, so that equal figures are
    # equal files.
    kind: Any = {"format": suffix[1:], "dpi": 300, "metadata": {dated: None} if dated else None}
    try:
        with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "isoflop"}):
            figure_of(drawing).savefig(content, **kind)
    except (OSError, RuntimeError) as error:  # text.usetex without a complete TeX
        complaint = f"cannot be written ({one_line(error)})"
        raise ArgumentError("path", str(path), complaint=complaint) from None
    _files.save(path, content.getvalue())


def figure_of(drawing: Any) -> Figure:
    """The top figure, also of Axes that lie in a subfigure."""
    found: Figure = getattr(drawing, "figure", drawing).canvas.figure
    return found


@contextmanager
def _figure(size: tuple[float, float]) -> Iterator[Figure]:
    """A new figure in the package's style, outside pyplot."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        for ax in figure.axes:
            ax.spines[["top", "right"]].set_visible(False)
            # Ticks are made when the figure is drawn, after the style has ended.
            ax.tick_params(which="both", labelsize=7.0, width=0.6)


@contextmanager
def _axes(ax: Axes | None, size: tuple[float, float]) -> Iterator[Axes]:
    """The given Axes, or new ones in the package's style."""
    if ax is not None:
        yield ax
        return
    with _figure(size) as figure:
        yield figure.subplots()


def _literal(label: str) -> str:
    """A label that Matplotlib prints as it is, on one line, cut to `LONGEST_LABEL`."""
    printable = "".join(character if character.isprintable() else " " for character in label)
    return printable.replace("$", r"\$")[:LONGEST_LABEL]
