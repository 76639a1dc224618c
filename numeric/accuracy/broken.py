r"""Broken neural scaling laws of accuracy: the law at the runs with exact derivatives, its starts, and
what the runs leave open.

.. math:: Q = a + b\,C^{-c_0} \prod_{i=1}^n \left(1 + (C/d_i)^{1/f_i}\right)^{-c_i f_i}.

The local exponent -dlog|Q - a|/dlog C is c_0 well below the first break and changes by c_i across
the break d_i, from a tenth to nine tenths of that over 2 f_i log 9 of log C.

Starts: for a given asymptote log|Q - a| is linear in log B, c_0 and every c_i once d and f are given,
so that a grid over asymptotes, places and widths sees every basin with a small linear problem at
each of its points (variable projection, Golub and Pereyra 1973). Squares of log|Q - a| are weighted
by (Q - a)^2, which makes them squares of Q to first order. A few runs hardly determine six
coefficients, so that the best minimum depends on the box that `fit_broken` states.

Sources: Caballero et al. 2023, arXiv 2210.14891, for the form; Krajewski et al. 2025, arXiv
2512.08894, equation 1 and Appendix M: Huber's function of width 1e-3, all runs above guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import erf, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.newton import Box, Problem, best_of, follow, minimise
from ..fit.objective import Objective
from ..fit.power import local_maxima
from ..fit.resample import Refits
from ..fit.solve import solve
from ..fit.uncertainty import MEDIAN_DEVIATION, classical
from ..formulas import break_parts, break_slopes, break_value
from ..words import counted
from .law import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..fit.solve import Minimum

    Floats = NDArray[np.float64]

__all__ = ["BrokenModel", "broken_values", "fit_broken", "names_of"]

#: Exponents of accuracy against compute are far within these; C^8 is still a float.
STEEPEST, LARGEST_CHANGE = 8.0, 16.0
LARGEST_HEIGHT = 1e12
#: A break may lie this share of the range of log C outside the runs, and be as wide as this many
#: ranges.
OUTSIDE, WIDEST = 0.25, 4.0
#: The share passed of a break goes from a tenth to nine tenths over this many f: no more is asked
#: for than a gap between runs.
TRANSITION = 2.0 * log(9.0)
#: Distances of the asymptote from the nearest value that are tried, in ranges of the values; a
#: little inside too, for runs that scatter.
DISTANCES = (-0.02, 0.003, 0.02, 0.08, 0.3, 1.0, 4.0)
#: Places of a break that are tried, for one break and for more, and widths in ranges of log C.
PLACES, WIDTHS = (15, 14), np.geomspace(0.01, 0.4, 5)
#: Share of the diagonal that is added: columns of breaks at one place are equal.
RIDGE = 1e-9
#: Of each asymptote so many points of the grid; of all so many are polished by so many steps of
#: least squares, and so many of their distinct minima are starts, for one break and for more.
EACH, SCANNED, POLISHING, STARTS = 6, 100, 12, (8, 12)
DISTINCT, ROUGHLY, AT_BOUND = 1e-3, 1e-6, 1e-6
#: Other minima that refits start from as well, the steps of a refit, where it ends as a share of the
#: objective, and what Newton may promise beyond, a small part of what the next resample changes.
MOST_OTHERS, AGAIN, ENOUGH, CLOSE = 2, 100, 1e-8, 1e-3
#: A break is seen where its change exceeds this many standard errors: its place was searched for,
#: so two would often be chance. It is placed where log d is known to within this share of the range
#: of log C, and its width where log f is to within that; an asymptote is known to within this share
#: of the range of the values.
SEEN, PLACED, SIZED, KNOWN = 3.0, 0.25, 1.5, 1.0


@dataclass(frozen=True, kw_only=True)
class _OfValues(Objective):
    """Huber's function of the residuals of values that may have any sign."""

    in_logs = False


HUBER, SQUARES = _OfValues(name="huber-log", delta=1e-3), Objective(name="least-squares")


def names_of(breaks: int) -> tuple[str, ...]:
    """a, b, c0, c1, d1, f1, ..."""
    return ("a", "b", "c0", *(f"{letter}{i}" for i in range(1, breaks + 1) for letter in "cdf"))


@dataclass(frozen=True)
class BrokenModel:
    """The law at n runs, in theta = (a, B, c0, c1, log d1, log f1, ...) with B = b exp(-c0 centre),
    which is far less correlated with c0 than b is.

    Attributes
    ----------
    logs : ndarray
        (n,): log C.
    centre : float
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
        return 3 + 3 * self.breaks

    def part(self, runs: Any) -> BrokenModel:
        """The law at some of the runs."""
        return BrokenModel(self.logs[runs], self.centre, self.breaks)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n)."""
        curve, slopes, _ = self._expanded(theta, break_slopes)
        scaled = theta[:, 1, None] * curve
        jacobian = np.empty((len(theta), self.width, self.size))
        jacobian[:, 0], jacobian[:, 1] = 1.0, curve
        np.multiply(slopes, scaled[:, None], out=jacobian[:, 2:])
        return theta[:, :1] + scaled, jacobian

    def curvature(self, theta: Floats, jacobian: Floats, factors: Floats) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: (K, p, p).

        With l the logarithm of the curve, d2 y/dB dq = curve dl/dq and d2 y/dq dr = B curve (dl/dq
        dl/dr + d2 l/dq dr).
        """
        del jacobian
        curve, slopes, breaks = self._expanded(theta, break_parts)
        weight = curve * factors
        weighted = slopes * weight[:, None]
        inner = weighted @ slopes.transpose(0, 2, 1)
        for i, (*_, cx, cf, xx, xf, ff) in enumerate(breaks):
            c, d, f = 1 + 3 * i, 2 + 3 * i, 3 + 3 * i
            # x = log C - log d: a derivative in log d is minus that in x.
            seconds = {(c, d): -cx, (c, f): cf, (d, d): xx, (d, f): -xf, (f, f): ff}
            for (row, column), second in seconds.items():
                inner[:, row, column] += np.einsum("kn,kn->k", weight, second)
                inner[:, column, row] = inner[:, row, column]
        found = np.zeros((len(theta), self.width, self.width))
        found[:, 1, 2:] = found[:, 2:, 1] = weighted.sum(axis=2)
        found[:, 2:, 2:] = inner * theta[:, 1, None, None]
        return found

    def retract(
        self,
        theta: Floats,
        step: Floats,
        values: Floats,
        jacobian: Floats,
        weights: Floats,
        box: Box,
    ) -> Floats:
        """The c, d, f that steps (K, p) lead to, and the a and B that follow the foretold values
        best: where exponents are small the law is nearly a line in log C, and a, B and c0 move
        together along a curve that a straight step leaves.
        """
        del weights
        foretold = values + np.einsum("kp,kpn->kn", step, jacobian)
        trial = box.inside(theta + step)
        curve = self.curve(trial)
        height, asymptote = _lines(curve, foretold)
        held = (step[:, 0] == 0.0) | (asymptote < box.lower[0]) | (asymptote > box.upper[0])
        a = np.where(held, trial[:, 0], asymptote)
        through = (curve * (foretold - a[:, None])).sum(axis=1) / (curve * curve).sum(axis=1)
        found = trial.copy()
        found[:, 0], found[:, 1] = a, np.where(held, through, height)
        usable = np.isfinite(found).all(axis=1, keepdims=True)
        return np.where(usable, box.inside(found), trial)

    def starts(
        self, observed: Floats, weights: Floats, box: Box, judge: Any = None, seed: int = 0
    ) -> Floats:
        """Parameters (K, p) next to minima of the weighted squares, and next to those of another
        objective `judge`.
        """
        del seed
        scanned = np.concatenate([*self._scanned(observed, weights, box)])
        scanned = box.inside(scanned)
        height, asymptote = _lines(self.curve(scanned), observed, weights)
        inside = np.isfinite(height) & (np.abs(height) <= box.upper[1])
        inside &= (asymptote >= box.lower[0]) & (asymptote <= box.upper[0])
        scanned[inside, 0], scanned[inside, 1] = asymptote[inside], height[inside]
        squares = Problem(self, observed, weights, SQUARES, box)
        order = np.argsort(squares.values(scanned), kind="stable")
        scanned = scanned[order[:SCANNED]]
        ends = minimise(squares, scanned, enough=ROUGHLY, steps=POLISHING)
        most = STARTS[min(self.breaks, len(STARTS)) - 1]
        chosen = [_distinct(ends.theta, ends.value, most)]
        if judge is not None:
            every = np.concatenate([scanned, ends.theta])
            chosen.append(_distinct(every, judge(every), most // 2))
        return np.concatenate(chosen)

    def curve(self, theta: Floats) -> Floats:
        """(y - a)/B, (K, n)."""
        height = -theta[:, 2, None] * (self.logs - self.centre)
        return np.asarray(np.exp(sum((break_value(*each) for each in self._breaks(theta)), height)))

    def _expanded(self, theta: Floats, of_break: Any) -> tuple[Floats, Floats, list[Any]]:
        """The curve (K, n), the derivatives (K, p - 2, n) of its logarithm in c0, c1, log d1, log
        f1, ..., and the breaks.
        """
        breaks = [of_break(*each) for each in self._breaks(theta)]
        slopes = np.empty((len(theta), self.width - 2, self.size))
        slopes[:, 0] = self.centre - self.logs
        height = theta[:, 2, None] * slopes[:, 0]
        for i, (value, by_change, by_distance, by_width, *_) in enumerate(breaks):
            height += value
            slopes[:, 1 + 3 * i], slopes[:, 2 + 3 * i] = by_change, -by_distance
            slopes[:, 3 + 3 * i] = by_width
        return np.exp(height), slopes, breaks

    def _breaks(self, theta: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Change (K, 1), distance (K, n) and width (K, 1) of every break."""
        for first in range(3, self.width, 3):
            change, place, log_width = (theta[:, first + k, None] for k in range(3))
            yield change, self.logs - place, np.exp(log_width)

    def _scanned(self, observed: Floats, weights: Floats, box: Box) -> Iterator[Floats]:
        """Of each asymptote, below the values and above, the best points (k, p) of a grid of places
        and widths, with the height and the exponents of least squares.
        """
        low, high = float(self.logs.min()), float(self.logs.max())
        count, breaks = PLACES[min(self.breaks, len(PLACES)) - 1], self.breaks
        inner = (high - low) / (2 * count)
        places = np.linspace(low + inner, high - inner, count)
        widths = np.log((high - low) * WIDTHS)
        places, widths = (
            np.unique(np.clip(tried, box.lower[at], box.upper[at]))
            for tried, at in ((places, 4), (widths, 5))
        )
        shape = (len(places),) * breaks, (len(widths),) * breaks
        of_place, of_width = np.split(np.indices((*shape[0], *shape[1])).reshape(2 * breaks, -1), 2)
        rising = (np.diff(of_place, axis=0) > 0).all(axis=0)
        distances = (self.logs - places[:, None])[:, None]
        columns = break_value(1.0, distances, np.exp(widths)[:, None]).reshape(-1, self.size)
        every = np.concatenate([[np.ones(self.size), self.centre - self.logs], columns])
        index = np.zeros((int(rising.sum()), 2 + breaks), dtype=np.intp)
        index[:, 1] = 1
        index[:, 2:] = 2 + (of_place * len(widths) + of_width).T[rising]
        for asymptote, sign in _asymptotes(observed, box.lower[0], box.upper[0]):
            gap = sign * (observed - asymptote)
            weight = np.where(gap > 0.0, weights * gap**2, 0.0)
            target = np.log(np.where(gap > 0.0, gap, 1.0))
            normal = ((every * weight) @ every.T)[index[:, :, None], index[:, None]]
            diagonal = np.arange(2 + breaks)
            normal[:, diagonal, diagonal] = normal[:, diagonal, diagonal] * (1.0 + RIDGE) + 1e-300
            moments = (every @ (weight * target))[index]
            solved = np.linalg.solve(normal, moments[:, :, None])[:, :, 0]
            gain = np.full(rising.shape, -np.inf)
            gain[rising] = (solved * moments).sum(axis=1)
            by_place = gain.reshape(*shape[0], -1)  # of all widths the best
            best = local_maxima(by_place.max(axis=-1))[:EACH]
            flat = best * by_place.shape[-1] + by_place.argmax(axis=-1).ravel()[best]
            found = solved[(np.cumsum(rising) - 1)[flat]]
            theta = np.empty((len(flat), self.width))
            theta[:, 0], theta[:, 1], theta[:, 2] = (
                asymptote,
                sign * np.exp(found[:, 0]),
                found[:, 1],
            )
            theta[:, 3::3], theta[:, 4::3] = found[:, 2:], places[of_place[:, flat]].T
            theta[:, 5::3] = widths[of_width[:, flat]].T
            yield theta


def _lines(curve: Floats, values: Floats, weights: Any = 1.0) -> tuple[Floats, Floats]:
    """Slope and intercept (K,) of the least squares lines through values (n,) or (K, n) over curves
    (K, n); no numbers where a curve is flat.
    """
    with np.errstate(all="ignore"):
        share = np.broadcast_to(weights, curve.shape)
        share = share / share.sum(axis=1, keepdims=True)
        mean_x, mean_y = (curve * share).sum(axis=1), (values * share).sum(axis=1)
        x = curve - mean_x[:, None]
        slope = (x * share * (values - mean_y[:, None])).sum(axis=1) / (x * x * share).sum(axis=1)
        return slope, mean_y - slope * mean_x


def _asymptotes(observed: Floats, lowest: float, highest: float) -> Iterator[tuple[float, float]]:
    """Values of a, and 1 where the values lie above it, -1 where below."""
    low, high = float(observed.min()), float(observed.max())
    below = {max(low - share * (high - low), lowest) for share in DISTANCES}
    above = {min(high + share * (high - low), highest) for share in DISTANCES}
    yield from ((a, 1.0) for a in sorted(below) if a < high)
    yield from ((a, -1.0) for a in sorted(above) if a > low)


def _distinct(theta: Floats, values: Floats, most: int) -> Floats:
    """The best parameter vectors whose objectives differ."""
    chosen: list[int] = []
    for index in np.argsort(values, kind="stable"):
        apart = not chosen or values[index] > (1.0 + DISTINCT) * values[chosen[-1]]
        if np.isfinite(values[index]) and apart:
            chosen.append(int(index))
    return theta[chosen[:most]]


def _coefficients(theta: Floats, centre: float) -> Floats:
    """(K, p) in the letters of the source: a, b, c0, c1, d1, f1, ..., the breaks in the order of d."""
    found = np.array(theta)
    found[:, 1] *= np.exp(found[:, 2] * centre)
    breaks = found[:, 3:].reshape(len(found), -1, 3)
    order = np.argsort(breaks[:, :, 1], axis=1, kind="stable")
    breaks = np.take_along_axis(breaks, order[:, :, None], axis=1)
    breaks[:, :, 1:] = np.exp(breaks[:, :, 1:])
    found[:, 3:] = breaks.reshape(len(found), -1)
    return found


def broken_values(coefficients: Floats, compute: Floats) -> Floats:
    """Q (K, m) at compute (m,), of coefficients (K, p) in the letters of the source; b = 0 is a
    constant.
    """
    logs, a, b = np.log(compute), coefficients[:, :1], coefficients[:, 1:2]
    with np.errstate(divide="ignore"):
        log_height = np.log(np.abs(b)) - coefficients[:, 2:3] * logs
    for first in range(3, coefficients.shape[1], 3):
        change, place, width = (coefficients[:, first + k, None] for k in range(3))
        log_height += break_value(change, logs - np.log(place), width)
    return np.asarray(a + np.sign(b) * np.exp(log_height))


def fit_broken(compute: Floats, values: Floats, *, breaks: int = 1) -> Part:
    """The broken law closest to accuracies: the best minimum of Huber's function that is found in
    the box

    0 <= a <= 1, |b C^-c0| <= 1e12 at the mean log C, |c0| <= 8, |c_i| <= 16, breaks within the runs
    and a quarter of their range of log C beside, widths f from a gap between runs to four ranges.

    Parameters
    ----------
    compute, values : ndarray
        (n,).
    breaks : int

    Raises
    ------
    ValueError
        Where compute takes fewer values than the law has coefficients, or the values are all alike.
    """
    names, distinct = names_of(breaks), len(np.unique(compute))
    if distinct < len(names):
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {len(names)} for the "
            f"{len(names)} coefficients of a law with {counted(breaks, 'break')}"
        )
    if np.ptp(values) == 0.0:
        raise ValueError(
            f"values={float(values[0])!r} at every run; a broken law needs values that differ"
        )
    logs = np.log(compute)
    low, high = float(logs.min()), float(logs.max())
    spread, gap = high - low, (high - low) / (distinct - 1)
    least = [-LARGEST_CHANGE, low - OUTSIDE * spread, log(gap / TRANSITION)]
    most = [LARGEST_CHANGE, high + OUTSIDE * spread, log(WIDEST * spread)]
    lower = np.array([0.0, -LARGEST_HEIGHT, -STEEPEST, *least * breaks])
    upper = np.array([1.0, LARGEST_HEIGHT, STEEPEST, *most * breaks])
    model = BrokenModel(logs, float(logs.mean()), breaks)
    problem = Problem(model, values, 1.0, HUBER, Box(lower, upper))
    solution = solve(model, values, None, HUBER, problem.box)
    written = _coefficients(solution.theta[None], problem.model.centre)[0]
    return Part(
        coefficients=dict(zip(names, written.tolist(), strict=True)),
        objective_value=solution.value,
        converged=solution.converged,
        undetermined=_undetermined(problem, solution.theta),
        refit=partial(_refit, problem, solution),
    )


def _refit(problem: Problem, solution: Minimum, *, weights: Floats) -> Refits:
    """The fits to resamples, weights (K, n), from the fit and its other minima.

    Few runs leave valleys in which Newton creeps: a refit counts where little more is promised.
    """
    logs, many = problem.model.logs, problem._replace(weights=weights)
    begun = [
        np.tile(start, (len(weights), 1))
        for start in (solution.theta, *solution.others[:MOST_OTHERS])
    ]
    # Once without the detour: at the weights of the fit itself that is where it ended.
    ends = best_of(
        [
            minimise(many, begun[0], enough=ENOUGH, steps=AGAIN),
            *(follow(many, start) for start in begun),
        ]
    )
    enough = [len(np.unique(logs[row > 0.0])) >= problem.model.width for row in weights]
    done = ends.done | (ends.decrement <= CLOSE * ends.value)
    return Refits(_coefficients(ends.theta, problem.model.centre), done & np.array(enough))


def _undetermined(problem: Problem, theta: Floats) -> tuple[str, ...]:
    """Coefficients that the runs leave open.

    Standard errors are those of least squares with the scale of the middle of the residuals, 0 on a
    bound and infinite along an open direction. Huber's function of a small width acts as the
    absolute deviation does, whose variance is pi/2 times that of squares: between the two by the
    share of errors within the width.
    """
    logs, breaks = problem.model.logs, problem.model.breaks
    near = AT_BOUND * (1.0 + np.abs(theta))
    held = (theta - problem.box.lower <= near) | (problem.box.upper - theta <= near)
    residuals, jacobian = (part[0] for part in problem.residuals(theta[None])[:2])
    spare = max(len(logs) - int((~held).sum()), 1)
    scale = float(np.median(np.abs(residuals))) / MEDIAN_DEVIATION * sqrt(len(logs) / spare)
    within = erf(HUBER.width / (sqrt(2.0) * scale)) if scale > 0.0 else 1.0
    variance = scale**2 * (within + (1.0 - within) * np.pi / 2.0)
    errors, spread = np.zeros(len(theta)), float(np.ptp(logs))
    errors[~held] = np.sqrt(np.maximum(np.diag(classical(jacobian[~held], variance)), 0.0))
    found = set()
    if held[0] or errors[0] > KNOWN * float(np.ptp(problem.target)):
        found |= {"a"}
    if held[1] or held[2] or errors[1] > abs(theta[1]) or errors[2] > STEEPEST:
        found |= {"b", "c0"}
    # Coefficients are listed in the order of d, parameters are not.
    for shown, i in enumerate(np.argsort(theta[4::3], kind="stable").tolist(), start=1):
        change, place, width = 3 + 3 * i, 4 + 3 * i, 5 + 3 * i
        away = not logs.min() <= theta[place] <= logs.max()
        # Before the first run only the sum with the exponent there is seen, behind the last nothing.
        if held[change] or away or SEEN * errors[change] > abs(theta[change]):
            found |= {f"c{shown}", f"d{shown}", f"f{shown}"}
        if held[place] or errors[place] > PLACED * spread:
            found |= {f"d{shown}"}
        if held[width] or errors[width] > SIZED:
            found |= {f"f{shown}"}
    return tuple(name for name in names_of(breaks) if name in found)
