"""Starts for a broken law: for a given asymptote, log|y - a| is linear in log B, c0 and every c once d and f are given.

So a grid over asymptotes, places and widths of the breaks sees every basin, with a small linear least squares problem at each
of its points (variable projection, Golub and Pereyra 1973). Squares of log|y - a| are weighted by (y - a)^2, which makes them
squares of y to first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..fit.scan import _local_maxima
from ..formulas import break_value
from .bnsl_model import AHEAD, PER_BREAK, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .bnsl_model import BrokenModel

    Floats = NDArray[np.float64]

__all__ = ["starts"]

#: Distances of the asymptote from the nearest value, in ranges of the values; a little inside too, for runs that scatter.
DISTANCES = (-0.02, 0.003, 0.02, 0.08, 0.3, 1.0, 4.0)
#: Places and widths of a break that are tried, by the number of breaks; widths from a share of the range of log C to another.
PLACES, WIDTHS = (15, 14), (5, 5)
NARROWEST, WIDEST = 0.01, 0.4
#: Share of the diagonal that is added: columns of breaks at one place are equal.
RIDGE = 1e-9
#: Of each asymptote, this many of the best points of the grid that are no neighbours of a better one.
EACH = 6


@dataclass(frozen=True)
class _Grid:
    """Breaks on a grid: log d (S,), log f (S,) and the derivative of log|y - a| in their c (S, n)."""

    places: Floats
    log_widths: Floats
    columns: Floats
    widths: int

    @classmethod
    def of(cls, model: BrokenModel, lower: Floats, upper: Floats) -> _Grid:
        count = min(model.breaks, len(PLACES)) - 1
        low, high = model.logs.min(), model.logs.max()
        inner = (high - low) / (2 * PLACES[count])
        places = np.linspace(low + inner, high - inner, PLACES[count])
        widths = np.log((high - low) * np.geomspace(NARROWEST, WIDEST, WIDTHS[count]))
        places = np.unique(np.clip(places, lower[AHEAD + 1], upper[AHEAD + 1]))
        widths = np.unique(np.clip(widths, lower[AHEAD + 2], upper[AHEAD + 2]))
        d, log_f = (grid.ravel() for grid in np.meshgrid(places, widths, indexing="ij"))
        return cls(d, log_f, break_value(1.0, model.logs - d[:, None], np.exp(log_f)[:, None]), len(widths))


def starts(model: BrokenModel, observed: Floats, weights: Floats | None, lower: Floats, upper: Floats, *, most: int) -> Floats:
    """Up to `most` parameter vectors (K, p), those of the least squares first.

    Parameters
    ----------
    model : BrokenModel
    observed : ndarray
        (n,).
    weights : ndarray or None
        (n,).
    lower, upper : ndarray
        (p,), of the parameters.
    most : int
    """
    grid = _Grid.of(model, lower, upper)
    own = np.ones_like(observed) if weights is None else weights
    points = [
        point
        for asymptote, above in _asymptotes(observed, lower[0], upper[0])
        for point in _at(model, grid, observed, own, asymptote, above)
    ]
    theta = with_lines(model, np.clip(np.array(points), lower, upper), observed, weights, lower, upper)
    residuals = theta[:, :1] + theta[:, 1:2] * model.curve(theta) - observed
    with np.errstate(over="ignore"):
        order = np.argsort((own * residuals**2).sum(axis=1), kind="stable")
    return theta[order[:most]]


def with_lines(
    model: BrokenModel, theta: Floats, observed: Floats, weights: Floats | None, lower: Floats, upper: Floats
) -> Floats:
    """The parameters with the a and B of least squares: for given c, d, f the law is a line over its curve."""
    with np.errstate(all="ignore"):
        slope, intercept = lines(model.curve(theta), observed, weights)
        inside = np.isfinite(slope) & (np.abs(slope) <= upper[1]) & (intercept >= lower[0]) & (intercept <= upper[0])
    found = theta.copy()
    found[inside, 0], found[inside, 1] = intercept[inside], slope[inside]
    return found


def _peaks(gain: Floats, widths: int, breaks: int) -> NDArray[np.intp]:
    """Flat indices of the best points: of all widths the best, of all places those that no neighbour exceeds."""
    shape = gain.shape
    places = shape[0] // widths
    split = gain.reshape((places, widths) * breaks)
    by_place = np.moveaxis(split, tuple(range(1, 2 * breaks, 2)), tuple(range(breaks, 2 * breaks)))
    by_place = by_place.reshape((places,) * breaks + (-1,))
    best = by_place.argmax(axis=-1)
    peaks = _local_maxima(np.take_along_axis(by_place, best[..., None], axis=-1)[..., 0])[:EACH]
    where = np.unravel_index(peaks, (places,) * breaks)
    which = np.unravel_index(best.ravel()[peaks], (widths,) * breaks)
    whole = [place * widths + width for place, width in zip(where, which, strict=True)]
    return np.ravel_multi_index(whole, shape)


def _asymptotes(observed: Floats, lowest: float, highest: float) -> Iterator[tuple[float, bool]]:
    """Values of a, and whether the runs lie above it."""
    low, high = float(observed.min()), float(observed.max())
    below = {max(low - share * (high - low), lowest) for share in DISTANCES}
    above = {min(high + share * (high - low), highest) for share in DISTANCES}
    yield from ((a, True) for a in sorted(below) if a < high)
    yield from ((a, False) for a in sorted(above) if a > low)


def _at(model: BrokenModel, grid: _Grid, observed: Floats, weights: Floats, asymptote: float, above: bool) -> Floats:
    """The best points (k, p) of the grid for one asymptote, on one side of the runs."""
    gap = observed - asymptote if above else asymptote - observed
    usable = gap > 0.0
    weight = np.where(usable, weights * gap**2, 0.0)
    target = np.log(np.where(usable, gap, 1.0))
    fixed = np.stack([np.ones_like(model.logs), model.centre - model.logs])
    breaks = model.breaks
    choice = np.stack(np.unravel_index(np.arange(len(grid.places) ** breaks), (len(grid.places),) * breaks), axis=1)
    if breaks > 1:
        choice = choice[(np.diff(grid.places[choice], axis=1) > 0.0).all(axis=1)]
    every = np.concatenate([fixed, grid.columns])
    gram = (every * weight) @ every.T
    moment = every @ (weight * target)
    ahead = len(fixed)
    index = np.concatenate([np.tile(np.arange(ahead), (len(choice), 1)), ahead + choice], axis=1)
    normal = gram[index[:, :, None], index[:, None, :]]
    moments = moment[index]
    diagonal = np.arange(index.shape[1])
    normal[:, diagonal, diagonal] *= 1.0 + RIDGE
    normal[:, diagonal, diagonal] += 1e-300
    found = np.linalg.solve(normal, moments[:, :, None])[:, :, 0]
    gain = np.full((len(grid.places),) * breaks, -np.inf)
    gain[tuple(choice.T)] = (found * moments).sum(axis=1)
    rank = np.full(gain.shape, -1)
    rank[tuple(choice.T)] = np.arange(len(choice))
    best = rank.ravel()[_peaks(gain, grid.widths, breaks)]
    theta = np.empty((len(best), model.width))
    theta[:, 0] = asymptote
    theta[:, 1] = np.exp(found[best, 0]) * (1.0 if above else -1.0)
    theta[:, 2] = found[best, 1]
    for i in range(breaks):
        first = AHEAD + PER_BREAK * i
        theta[:, first] = found[best, ahead + i]
        theta[:, first + 1] = grid.places[choice[best, i]]
        theta[:, first + 2] = grid.log_widths[choice[best, i]]
    return theta
