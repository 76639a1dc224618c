r"""Broken neural scaling laws of accuracy: the law, its starts, and what the runs leave open.

.. math:: Q = a + b\,C^{-c_0} \prod_{i=1}^n \left(1 + (C/d_i)^{1/f_i}\right)^{-c_i f_i}.

The local exponent -dlog|Q - a|/dlog C is c_0 well below the first break and changes by c_i across
the break d_i, from a tenth to nine tenths of that over 2 f_i log 9 of log C.

Starts: for a given asymptote and a break at a given place, log|Q - a| is linear in log B, c_0 and
c_1, so that a grid over asymptotes, places and widths sees every basin with a small linear problem
at each of its points (variable projection, Golub and Pereyra 1973). Squares of log|Q - a| are
weighted by (Q - a)^2, which makes them squares of Q to first order. A law of more breaks starts from
those of one break less, by a grid of its own. A few runs hardly determine six coefficients, so that
the best minimum depends on the box that `fit_broken` states.

Sources: Caballero et al. 2023, arXiv 2210.14891, for the form; Krajewski et al. 2025, arXiv
2512.08894, equation 1 and Appendix M: Huber's function of width 1e-3, all runs above guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import compress
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.newton import Box, Problem, minimise
from ..fit.objective import Objective
from ..fit.power import local_maxima
from ..fit.uncertainty import MEDIAN_DEVIATION, classical
from ..words import counted
from .law import Part, as_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..data.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["broken_values", "fit_broken", "names_of"]

#: Exponents of accuracy against compute are far within these; C^8 is still a float.
STEEPEST, LARGEST_CHANGE, LARGEST_HEIGHT = 8.0, 16.0, 1e12
#: A break may lie this share of the range of log C outside the runs; its width is within these
#: shares: beyond the first the derivatives leave the floats.
OUTSIDE, SHARPEST, WIDEST = 0.25, 0.002, 4.0
#: The share passed of a break goes from a tenth to nine tenths over this many f: no more is asked
#: for than a gap between runs.
TRANSITION = 2.0 * log(9.0)
#: Distances of the asymptote from the nearest value that are tried, in ranges of the values; a
#: little inside too, for runs that scatter. Places of a break, and widths in ranges of log C.
DISTANCES = np.array([-0.02, 0.003, 0.02, 0.08, 0.3, 1.0, 4.0])
PLACES, WIDTHS = 15, np.geomspace(0.01, 0.4, 5)
#: Share of the diagonal that is added: columns of breaks at one place are equal.
RIDGE = 1e-9
#: Of each grid so many points; of all so many are polished by so many steps of least squares, and so
#: many of their distinct minima are starts.
EACH, SCANNED, POLISHING, STARTS = 6, 100, 12, 8
DISTINCT, ROUGHLY, AT_BOUND = 1e-3, 1e-6, 1e-6
#: A break is seen where its change exceeds this many standard errors: its place was searched for,
#: so two would often be chance. It is placed where log d is known to within this share of the range
#: of log C, and its width where log f is to within that; an asymptote is known to within this share
#: of the range of the values.
SEEN, PLACED, SIZED, KNOWN = 3.0, 0.25, 1.5, 1.0


def break_value(change: Any, distance: Any, width: Any) -> Any:
    """log of the factor of a break, -c f log(1 + e^(x/f)) at x = log C - log d."""
    return -change * width * np.logaddexp(0.0, distance / width)


@dataclass(frozen=True, kw_only=True)
class _OfValues(Objective):
    """Huber's function of the residuals of values that may have any sign."""

    in_logs = False


HUBER, SQUARES = _OfValues(name="huber-log", delta=1e-3), Objective(name="least-squares")


def names_of(breaks: int) -> tuple[str, ...]:
    """a, b, c0, c1, d1, f1, ..."""
    return ("a", "b", "c0", *(f"{letter}{i}" for i in range(1, breaks + 1) for letter in "cdf"))


def broken_form(breaks: int) -> BrokenForm:
    """The law in x = log C less its middle m: B = b exp(-c0 m), which is far less correlated with c0
    than b is, p_i = log d_i - m and g_i = log f_i; f log(1 + exp(u/f)) = u/2 + f log(2 cosh(u/2f)).
    """
    factors = "".join(
        f" - c{i}*((x - p{i})/2 + exp(g{i})*log(2*cosh((x - p{i})*exp(-g{i})/2)))"
        for i in range(1, breaks + 1)
    )
    return BrokenForm(f"a + B*exp(-c0*x{factors})", extra=("x",))


class BrokenForm(Expression):
    """The law in theta = (a, B, c0, c1, p1, g1, ...), with starts of its own."""

    def starts(
        self, observed: Floats, weights: Floats, box: Box, judge: Any = None, seed: int = 0
    ) -> Floats:
        """Parameters (K, p) next to minima of the weighted squares, and next to those of another
        objective `judge`.
        """
        breaks = self.width // 3 - 1
        if breaks > 1:
            fewer = broken_form(breaks - 1).at(self.columns)
            base = fewer.starts(observed, weights, Box(box.lower[:-3], box.upper[:-3]), seed=seed)
        else:
            base = _asymptotes(observed, box)
        scanned = box.inside(np.concatenate([*self._scanned(base, observed, weights, box)]))
        scanned, values = self.project(scanned, observed, weights, box)
        scanned = scanned[np.argsort(values, kind="stable")[:SCANNED]]
        squares = Problem(self, observed, weights, SQUARES, box)
        ends = minimise(squares, scanned, enough=ROUGHLY, steps=POLISHING)
        chosen = [_distinct(ends.theta, ends.value, STARTS)]
        if judge is not None:
            every = np.concatenate([scanned, ends.theta])
            chosen.append(_distinct(every, judge(every), STARTS // 2))
        return np.concatenate(chosen)

    def _scanned(
        self, base: Floats, observed: Floats, weights: Floats, box: Box
    ) -> Iterator[Floats]:
        """Of each law with a break less (K, p - 3) the best points (k, p) of a grid of places and
        widths of one more: its asymptote and breaks, with the height and the exponents of least
        squares.
        """
        x, size = self.columns["x"], self.width // 3 + 1
        low, high = float(x.min()), float(x.max())
        inner = 0.5 * (high - low) / PLACES
        places = np.linspace(low + inner, high - inner, PLACES)
        widths = np.unique(np.clip(np.log((high - low) * WIDTHS), box.lower[5], box.upper[5]))
        grid = np.stack(np.meshgrid(places, widths, indexing="ij"), axis=-1)
        columns = np.empty((*grid.shape[:2], size, self.size))
        columns[:, :, 0], columns[:, :, 1] = 1.0, -x
        columns[:, :, -1] = break_value(1.0, x - grid[:, :, :1], np.exp(grid[:, :, 1:]))
        for law in base:
            for i, (place, log_width) in enumerate(law[3:].reshape(-1, 3)[:, 1:]):
                columns[:, :, 2 + i] = break_value(1.0, x - place, np.exp(log_width))
            gap = np.sign(law[1]) * (observed - law[0])
            weight = np.where(gap > 0.0, weights * gap**2, 0.0)
            normal = (columns * weight) @ columns.swapaxes(2, 3)
            normal = normal * (1.0 + RIDGE * np.eye(size)) + 1e-300 * np.eye(size)
            moments = columns @ (weight * np.log(np.where(gap > 0.0, gap, 1.0)))
            solved = np.linalg.solve(normal, moments[..., None])[..., 0]
            gain = (solved * moments).sum(axis=2)
            best = local_maxima(gain.max(axis=1))[:EACH]  # of all widths the best
            at = best, gain.argmax(axis=1)[best]
            found = np.tile(np.append(law, np.zeros(3)), (len(best), 1))
            found[:, 1] = np.sign(law[1]) * np.exp(solved[at][:, 0])
            found[:, 2], found[:, 3::3] = solved[at][:, 1], solved[at][:, 2:]
            found[:, -2:] = grid[at]
            yield found


def _asymptotes(observed: Floats, box: Box) -> Floats:
    """Laws without a break (K, 3), B = 1 below the values, -1 above."""
    low, high, reach = observed.min(), observed.max(), np.ptp(observed) * DISTANCES
    below = np.unique(np.maximum(low - reach, box.lower[0]))
    above = np.unique(np.minimum(high + reach, box.upper[0]))
    signs = np.repeat([1.0, -1.0], [len(below), len(above)])
    return np.stack([np.append(below, above), signs, np.zeros(len(signs))], axis=1)


def _distinct(theta: Floats, values: Floats, most: int) -> Floats:
    """The best parameter vectors whose objectives differ."""
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(values[order])]
    apart = np.diff(values[order], prepend=-np.inf) > DISTINCT * values[order]
    return theta[order[apart][:most]]


# -- the fit ---------------------------------------------------------------------------------------


def broken_values(coefficients: Floats, compute: Floats) -> Floats:
    """Q (K, m) at compute (m,), of coefficients (K, p) in the letters of the source; b = 0 is a
    constant.
    """
    logs, a, b = np.log(compute), coefficients[:, :1], coefficients[:, 1:2]
    with np.errstate(divide="ignore"):
        log_height = np.log(np.abs(b)) - coefficients[:, 2:3] * logs
    for first in range(3, coefficients.shape[1], 3):
        change, place, width = coefficients[:, first : first + 3].T[:, :, None]
        log_height += break_value(change, logs - np.log(place), width)
    return np.asarray(a + np.sign(b) * np.exp(log_height))


def fit_broken(sample: Sample, breaks: int = 1) -> Part:
    """The broken law closest to accuracies: the best minimum of Huber's function that is found in
    the box

    0 <= a <= 1, |b C^-c0| <= 1e12 at the mean log C, |c0| <= 8, |c_i| <= 16, breaks within the runs
    and a quarter of their range of log C beside, widths f from a gap between runs, and a 500th of
    their range, to four ranges. ValueError where compute takes fewer values than the law has
    coefficients, or the accuracies are all alike.
    """
    logs, Q, names = np.log(sample.at.compute), sample.accuracy, names_of(breaks)
    distinct, middle = len(np.unique(logs)), float(logs.mean())
    if distinct < len(names):
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {len(names)} for the "
            f"{len(names)} coefficients of a law with {counted(breaks, 'break')}"
        )
    if np.ptp(Q) == 0.0:
        raise ValueError(f"accuracy {Q[0]:g} at every run; a broken law needs values that differ")
    spread, outside = np.ptp(logs), OUTSIDE * np.ptp(logs)
    narrowest = max(spread / (distinct - 1) / TRANSITION, SHARPEST * spread)
    bounds = {"a": (0.0, 1.0), "B": (-LARGEST_HEIGHT, LARGEST_HEIGHT), "c0": (-STEEPEST, STEEPEST)}
    for i in range(1, breaks + 1):
        bounds[f"c{i}"] = -LARGEST_CHANGE, LARGEST_CHANGE
        bounds[f"p{i}"] = logs.min() - middle - outside, logs.max() - middle + outside
        bounds[f"g{i}"] = log(narrowest), log(WIDEST * spread)
    fit = fit_form(as_runs(sample, Q, x=logs - middle), broken_form(breaks), HUBER, bounds=bounds)
    is_open = _is_open(fit.solution.problem, fit.solution.theta)
    return Part(fit, tuple(compress(names, is_open)), partial(_coefficients, middle))


def _coefficients(middle: float, theta: Floats) -> Floats:
    """(K, p) in the letters of the source: a, b, c0, c1, d1, f1, ..., the breaks in the order of d."""
    found = np.array(theta)
    found[:, 1] *= np.exp(found[:, 2] * middle)
    breaks = found[:, 3:].reshape(len(found), -1, 3)
    order = np.argsort(breaks[:, :, 1], axis=1, kind="stable")
    breaks = np.take_along_axis(breaks, order[:, :, None], axis=1)
    breaks[:, :, 1:] = np.exp(breaks[:, :, 1:] + [middle, 0.0])
    found[:, 3:] = breaks.reshape(len(found), -1)
    return found


def _is_open(problem: Problem, theta: Floats) -> Any:
    """Which coefficients the runs leave open, (p,), in the order of the letters of the source.

    Standard errors are those of least squares with the scale of the middle of the residuals,
    infinite on a bound and along an open direction, times the sqrt(pi/2) of absolute deviations:
    that is how Huber's function of a small width acts.
    """
    x, places = problem.model.columns["x"], theta[4::3]
    near = AT_BOUND * (1.0 + np.abs(theta))
    free = (theta - problem.box.lower > near) & (problem.box.upper - theta > near)
    residuals, jacobian = (part[0] for part in problem.residuals(theta[None])[:2])
    spare = max(len(x) - int(free.sum()), 1)
    scale = float(np.median(np.abs(residuals))) / MEDIAN_DEVIATION * sqrt(len(x) / spare)
    variance = scale**2 * np.pi / 2.0
    errors = np.full(len(theta), np.inf)
    errors[free] = np.sqrt(np.maximum(np.diag(classical(jacobian[free], variance)), 0.0))
    known = np.abs(theta) / SEEN
    known[:3] = KNOWN * np.ptp(problem.target), abs(theta[1]), STEEPEST
    known[4::3], known[5::3] = PLACED * np.ptp(x), SIZED
    is_open = errors > known
    is_open[1:3] = is_open[1:3].any()
    breaks = is_open[3:].reshape(-1, 3)
    # Before the first run only the sum with the exponent there is seen, behind the last nothing.
    breaks[(places < x.min()) | (places > x.max()) | breaks[:, 0]] = True
    is_open[3:] = breaks[np.argsort(places, kind="stable")].ravel()
    return is_open
