r"""The broken law at the runs, for `isoflop.numeric.fit.newton`: values and exact derivatives.

.. math:: y = a + B \exp\Big(-c_0 (z - \bar z) + \sum_i \log F_i(z)\Big), \qquad z = \log C,

with the parameters (a, B, c_0, c_1, \log d_1, \log f_1, ...). B = b exp(-c_0 zbar) is taken at the
centre of the runs, where it is far less correlated with c_0 than b is.

Starts for a broken law: for a given asymptote, log|y - a| is linear in log B, c0 and every c once d
and f are given.

So a grid over asymptotes, places and widths of the breaks sees every basin, with a small linear
least squares problem at each of its points (variable projection, Golub and Pereyra 1973). Squares
of log|y - a| are weighted by (y - a)^2, which makes them squares of y to first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.power import local_maxima
from ..formulas import break_parts, break_slopes, break_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "AHEAD",
    "PER_BREAK",
    "BrokenModel",
    "broken_values",
    "starts",
    "to_coefficients",
    "with_lines",
]

#: Coefficients a, b, c0 before those of the breaks, and how many each break has: c, d, f.
AHEAD, PER_BREAK = 3, 3
#: Distances of the asymptote from the nearest value, in ranges of the values; a little inside too,
#: for runs that scatter.
DISTANCES = (-0.02, 0.003, 0.02, 0.08, 0.3, 1.0, 4.0)
#: Places and widths of a break that are tried, by the number of breaks; widths from a share of the
#: range of log C to another.
PLACES, WIDTHS = (15, 14), (5, 5)
NARROWEST, WIDEST = 0.01, 0.4
#: Share of the diagonal that is added: columns of breaks at one place are equal.
RIDGE = 1e-9
#: Of each asymptote, this many of the best points of the grid that are no neighbours of a better
#: one.
EACH = 6


@dataclass(frozen=True)
class BrokenModel:
    """The law at n runs, in theta = (a, B, c0, c1, log d1, log f1, ...).

    Attributes
    ----------
    logs : ndarray
        (n,): log C.
    centre : float
        Where B is taken.
    breaks : int
    """

    logs: Floats
    centre: float
    breaks: int

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.logs)

    @property
    def width(self) -> int:
        """Number of parameters."""
        return AHEAD + PER_BREAK * self.breaks

    def part(self, runs: slice) -> BrokenModel:
        """The law at some of the runs."""
        return BrokenModel(self.logs[runs], self.centre, self.breaks)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n)."""
        curve, slopes, _ = self._expanded(theta, break_slopes)
        jacobian = np.empty((len(theta), self.width, self.size))
        jacobian[:, 0], jacobian[:, 1] = 1.0, curve
        scaled = theta[:, 1, None] * curve
        np.multiply(slopes, scaled[:, None, :], out=jacobian[:, 2:])
        scaled += theta[:, :1]
        return scaled, jacobian

    def curvature(self, theta: Floats, jacobian: Floats, factors: Floats) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: (K, p, p).

        With l the logarithm of the curve, d2 y/dB dq = curve dl/dq and d2 y/dq dr = B curve (dl/dq
        dl/dr + d2 l/dq dr).
        """
        curve, slopes, parts = self._expanded(theta, break_parts)
        weight = curve * factors
        found = np.zeros((len(theta), self.width, self.width))
        weighted = slopes * weight[:, None, :]
        found[:, 1, 2:] = found[:, 2:, 1] = weighted.sum(axis=2)
        inner = np.matmul(weighted, slopes.transpose(0, 2, 1))
        for i, part in enumerate(parts):
            c, d, f = (1 + PER_BREAK * i + k for k in range(PER_BREAK))
            # x = log C - log d: a derivative in log d is minus that in x.
            _, _, _, _, cx, cf, xx, xf, ff = part
            for row, column, second in (
                (c, d, -cx),
                (c, f, cf),
                (d, d, xx),
                (d, f, -xf),
                (f, f, ff),
            ):
                total = np.einsum("kn,kn->k", weight, second)
                inner[:, row, column] += total
                if row != column:
                    inner[:, column, row] += total
        inner *= theta[:, 1, None, None]
        found[:, 2:, 2:] = inner
        return found

    def retract(
        self,
        theta: Floats,
        move: Floats,
        values: Floats,
        jacobian: Floats,
        weights: Floats,
        lower: Floats,
        upper: Floats,
    ) -> Floats:
        """The point that a step (K, p) is meant to reach: its c, d, f, and the a and B that follow
        the foretold values best.

        Where the exponents are small the law is nearly a straight line in log C, and a, B and c0
        move together along a curve that a straight step leaves.
        """
        foretold = values + np.einsum("kp,kpn->kn", move, jacobian)
        trial = np.clip(theta + move, lower, upper)
        with np.errstate(all="ignore"):
            curve = self.curve(trial)
            height, asymptote = lines(curve, foretold, None)
            held: Any = (move[:, 0] == 0.0) | (
                asymptote < np.broadcast_to(lower, theta.shape)[:, 0]
            )
            held |= asymptote > np.broadcast_to(upper, theta.shape)[:, 0]
            a = np.where(held, trial[:, 0], asymptote)
            through = np.einsum("kn,kn->k", curve, foretold - a[:, None]) / np.einsum(
                "kn,kn->k", curve, curve
            )
        found = trial.copy()
        found[:, 0], found[:, 1] = a, np.where(held, through, height)
        usable: Any = np.isfinite(found).all(axis=1)
        return np.where(usable[:, None], np.clip(found, lower, upper), trial)

    def curve(self, theta: Floats) -> Floats:
        """(y - a)/B, (K, n)."""
        height = -theta[:, 2, None] * (self.logs - self.centre)
        for arguments in self._breaks(theta):
            height += break_value(*arguments)
        return np.asarray(np.exp(height, out=height))

    def _expanded(
        self, theta: Floats, of_break: Callable[..., Any]
    ) -> tuple[Floats, Floats, list[Any]]:
        """The curve (K, n), the derivatives (K, p - 2, n) of its logarithm in c0, c1, log d1, log
        f1, ..., and the breaks.
        """
        slopes = np.empty((len(theta), self.width - 2, self.size))
        slopes[:, 0] = self.centre - self.logs
        height = theta[:, 2, None] * slopes[:, 0]
        parts = [of_break(*arguments) for arguments in self._breaks(theta)]
        for first, (value, by_change, by_distance, by_width, *_) in zip(
            range(1, self.width - 2, PER_BREAK), parts, strict=True
        ):
            height += value
            slopes[:, first] = by_change
            np.negative(by_distance, out=slopes[:, first + 1])
            slopes[:, first + 2] = by_width
        return np.exp(height, out=height), slopes, parts

    def _breaks(self, theta: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Change (K, 1), distance (K, n) and width (K, 1) of every break."""
        for first in range(AHEAD, self.width, PER_BREAK):
            change, place, log_width = (theta[:, first + k, None] for k in range(PER_BREAK))
            yield change, self.logs - place, np.exp(log_width)


def lines(curve: Floats, values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Slope and intercept (K,) of the least squares lines through values (K, n) over the curves (K,
    n).
    """
    share = (
        np.full(curve.shape[-1], 1.0 / curve.shape[-1])
        if weights is None
        else weights / weights.sum(axis=-1, keepdims=True)
    )
    mean_x, mean_y = (curve * share).sum(axis=-1), (values * share).sum(axis=-1)
    x = curve - mean_x[..., None]
    slope = (x * share * (values - mean_y[..., None])).sum(axis=-1) / (x * x * share).sum(axis=-1)
    return slope, mean_y - slope * mean_x


def to_coefficients(theta: Floats, centre: float) -> Floats:
    """(K, p) in the letters of the source: a, b, c0, c1, d1, f1, ..., the breaks in the order of d."""
    found = np.array(theta, dtype=np.float64)
    found[:, 1] *= np.exp(found[:, 2] * centre)
    breaks = found[:, AHEAD:].reshape(len(found), -1, PER_BREAK)
    order = np.argsort(breaks[:, :, 1], axis=1, kind="stable")
    breaks = np.take_along_axis(breaks, order[:, :, None], axis=1)
    breaks[:, :, 1:] = np.exp(breaks[:, :, 1:])
    found[:, AHEAD:] = breaks.reshape(len(found), -1)
    return found


def broken_values(coefficients: Floats, compute: Floats) -> Floats:
    """y (K, m) at compute (m,), of coefficients (K, p) in the letters of the source; b = 0 is a
    constant.
    """
    logs, a, b = np.log(compute), coefficients[:, :1], coefficients[:, 1:2]
    with np.errstate(divide="ignore"):
        log_height = np.log(np.abs(b)) - coefficients[:, 2:AHEAD] * logs
    for first in range(AHEAD, coefficients.shape[1], PER_BREAK):
        change, place, width = (coefficients[:, first + k, None] for k in range(PER_BREAK))
        log_height += break_value(change, logs - np.log(place), width)
    return np.asarray(a + np.sign(b) * np.exp(log_height))


# -- starts ----------------------------------------------------------------------------------------------------------


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
        return cls(
            d, log_f, break_value(1.0, model.logs - d[:, None], np.exp(log_f)[:, None]), len(widths)
        )


def starts(
    model: BrokenModel,
    observed: Floats,
    weights: Floats | None,
    lower: Floats,
    upper: Floats,
    *,
    most: int,
) -> Floats:
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
    theta = with_lines(
        model, np.clip(np.array(points), lower, upper), observed, weights, lower, upper
    )
    residuals = theta[:, :1] + theta[:, 1:2] * model.curve(theta) - observed
    with np.errstate(over="ignore"):
        order = np.argsort((own * residuals**2).sum(axis=1), kind="stable")
    return theta[order[:most]]


def with_lines(
    model: BrokenModel,
    theta: Floats,
    observed: Floats,
    weights: Floats | None,
    lower: Floats,
    upper: Floats,
) -> Floats:
    """The parameters with the a and B of least squares: for given c, d, f the law is a line over
    its curve.
    """
    with np.errstate(all="ignore"):
        slope, intercept = lines(model.curve(theta), observed, weights)
        inside = (
            np.isfinite(slope)
            & (np.abs(slope) <= upper[1])
            & (intercept >= lower[0])
            & (intercept <= upper[0])
        )
    found = theta.copy()
    found[inside, 0], found[inside, 1] = intercept[inside], slope[inside]
    return found


def _peaks(gain: Floats, widths: int, breaks: int) -> NDArray[np.intp]:
    """Flat indices of the best points: of all widths the best, of all places those that no
    neighbour exceeds.
    """
    shape = gain.shape
    places = shape[0] // widths
    split = gain.reshape((places, widths) * breaks)
    by_place = np.moveaxis(split, tuple(range(1, 2 * breaks, 2)), tuple(range(breaks, 2 * breaks)))
    by_place = by_place.reshape((places,) * breaks + (-1,))
    best = by_place.argmax(axis=-1)
    peaks = local_maxima(np.take_along_axis(by_place, best[..., None], axis=-1)[..., 0])[:EACH]
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


def _at(
    model: BrokenModel,
    grid: _Grid,
    observed: Floats,
    weights: Floats,
    asymptote: float,
    above: bool,
) -> Floats:
    """The best points (k, p) of the grid for one asymptote, on one side of the runs."""
    gap = observed - asymptote if above else asymptote - observed
    usable = gap > 0.0
    weight = np.where(usable, weights * gap**2, 0.0)
    target = np.log(np.where(usable, gap, 1.0))
    fixed = np.stack([np.ones_like(model.logs), model.centre - model.logs])
    breaks = model.breaks
    choice = np.stack(
        np.unravel_index(np.arange(len(grid.places) ** breaks), (len(grid.places),) * breaks),
        axis=1,
    )
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
