r"""Broken neural scaling laws of accuracy: the law, its starts, and its undetermined coefficients.

.. math:: Q = a + b\,C^{-c_0} \left(1 + (C/d_1)^{1/f_1}\right)^{-c_1 f_1}.

The local exponent -dlog|Q - a|/dlog C is c_0 well below the break and changes by c_1 across it, from
a tenth to nine tenths of that over 2 f_1 log 9 of log C.

Starts: for a given asymptote and a break at a given place, log|Q - a| is linear in log B, c_0 and
c_1, so that a grid over asymptotes, places and widths sees every basin with a small linear problem
at each of its points (variable projection, Golub and Pereyra 1973). Squares of log|Q - a| are
weighted by (Q - a)^2, which makes them squares of Q to first order. A few runs hardly determine six
coefficients, so that the best minimum depends on the box that `fit_broken` states.

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
from ..fit.uncertainty import MEDIAN_DEVIATION, unit_columns
from .law import Part, as_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points

    Floats = NDArray[np.float64]

__all__ = ["OF_BREAK", "broken_values", "fit_broken"]

#: The coefficients in the letters of the source.
OF_BREAK = ("a", "b", "c0", "c1", "d1", "f1")

#: Exponents of accuracy against compute are far within these; C^8 is still a float.
STEEPEST, LARGEST_CHANGE, LARGEST_HEIGHT = 8.0, 16.0, 1e12
#: A break may lie outside the runs by this share of their range of log C; its width is between these
#: shares: below the first the derivatives overflow.
OUTSIDE, SHARPEST, WIDEST = 0.25, 0.002, 4.0
#: A break goes from a tenth to nine tenths over this many f, which is at least a gap between runs.
TRANSITION = 2.0 * log(9.0)
#: Distances of the asymptote from the nearest value that are tried, in ranges of the values, one of
#: them inside, as runs scatter. Places of a break, and widths in ranges of log C.
DISTANCES = np.array([-0.02, 0.003, 0.02, 0.08, 0.3, 1.0, 4.0])
PLACES, WIDTHS = 15, np.geomspace(0.01, 0.4, 5)
#: Share of the diagonal that is added, as a break at an end of the runs is nearly a straight line; a
#: direction is open where its singular value is below the second share of the largest.
RIDGE, FLAT = 1e-9, 1e-12
#: Points kept of each grid; points in all that are polished, the steps of least squares for each, and
#: the most distinct minima that become starts.
EACH, SCANNED, POLISHING, STARTS = 6, 100, 12, 8
DISTINCT, ROUGHLY, AT_BOUND = 1e-3, 1e-6, 1e-6
#: A break is seen where its change exceeds `SEEN` standard errors: its place was searched for, so two
#: would often be chance. Its place is determined where the error of log d is below `PLACED` ranges of
#: log C, its width where that of log f is below `SIZED`, an asymptote where its error is below
#: `KNOWN` ranges of the values.
SEEN, PLACED, SIZED, KNOWN = 3.0, 0.25, 1.5, 1.0


def break_value(change: Any, distance: Any, width: Any) -> Any:
    """log of the factor of a break, -c f log(1 + e^(x/f)) at x = log C - log d."""
    return -change * width * np.logaddexp(0.0, distance / width)


@dataclass(frozen=True, kw_only=True)
class _OfValues(Objective):
    """Huber's function of the residuals of the values, which may have any sign."""

    in_logs = False


HUBER, SQUARES = _OfValues(name="huber-log", delta=1e-3), Objective(name="least-squares")


class BrokenForm(Expression):
    """The law in theta = (a, B, c0, c1, p, g), with starts from a grid."""

    def starts(
        self, observed: Floats, weights: Floats, box: Box, judge: Any = None, seed: int = 0
    ) -> Floats:
        """Parameters (K, 6) next to minima of the weighted squares, and next to those of another
        objective `judge`.
        """
        scanned = box.inside(self._scanned(observed, weights, box))
        scanned, values = self.project(scanned, observed, weights, box)
        scanned = scanned[np.argsort(values, kind="stable")[:SCANNED]]
        squares = Problem(self, observed, weights, SQUARES, box)
        ends = minimise(squares, scanned, enough=ROUGHLY, steps=POLISHING)
        chosen = [_distinct(ends.theta, ends.value, STARTS)]
        if judge is not None:
            every = np.concatenate([scanned, ends.theta])
            chosen.append(_distinct(every, judge(every), STARTS // 2))
        return np.concatenate(chosen)

    def _scanned(self, observed: Floats, weights: Floats, box: Box) -> Floats:
        """The best points (K, 6) of a grid of places and widths of the break for each asymptote,
        with height and exponents by least squares.
        """
        x = self.columns["x"]
        low, high = float(x.min()), float(x.max())
        inner = 0.5 * (high - low) / PLACES
        places = np.linspace(low + inner, high - inner, PLACES)
        widths = np.unique(np.clip(np.log((high - low) * WIDTHS), box.lower[5], box.upper[5]))
        grid = np.stack(np.meshgrid(places, widths, indexing="ij"), axis=-1)
        columns = np.empty((*grid.shape[:2], 3, self.size))
        columns[:, :, 0], columns[:, :, 1] = 1.0, -x
        columns[:, :, 2] = break_value(1.0, x - grid[:, :, :1], np.exp(grid[:, :, 1:]))
        found = []
        for a, sign in _asymptotes(observed, box):
            gap = sign * (observed - a)
            weight = np.where(gap > 0.0, weights * gap**2, 0.0)
            normal = (columns * weight) @ columns.swapaxes(2, 3)
            normal = normal * (1.0 + RIDGE * np.eye(3)) + 1e-300 * np.eye(3)
            moments = columns @ (weight * np.log(np.where(gap > 0.0, gap, 1.0)))
            solved = np.linalg.solve(normal, moments[..., None])[..., 0]
            gain = (solved * moments).sum(axis=2)
            best = local_maxima(gain.max(axis=1))[:EACH]  # the best of all widths
            at = best, gain.argmax(axis=1)[best]
            log_B, c0, c1 = solved[at].T
            asymptote = np.full(len(best), a)
            law = np.stack([asymptote, sign * np.exp(log_B), c0, c1], axis=1)
            found.append(np.concatenate([law, grid[at]], axis=1))
        return np.concatenate(found)


#: The law in x = log C less its middle m: B = b exp(-c0 m), which is far less correlated with c0 than
#: b is, p = log d1 - m and g = log f1; f log(1 + exp(u/f)) = u/2 + f log(2 cosh(u/2f)).
FORM = BrokenForm(
    "a + B*exp(-c0*x - c1*((x - p)/2 + exp(g)*log(2*cosh((x - p)*exp(-g)/2))))", extra=("x",)
)


def _asymptotes(observed: Floats, box: Box) -> Floats:
    """Asymptotes with the sign of B, (K, 2): 1 below the values, -1 above."""
    low, high, reach = observed.min(), observed.max(), np.ptp(observed) * DISTANCES
    below = np.unique(np.maximum(low - reach, box.lower[0]))
    above = np.unique(np.minimum(high + reach, box.upper[0]))
    signs = np.repeat([1.0, -1.0], [len(below), len(above)])
    return np.stack([np.append(below, above), signs], axis=1)


def _distinct(theta: Floats, values: Floats, most: int) -> Floats:
    """The best parameter vectors whose objectives differ."""
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(values[order])]
    apart = np.diff(values[order], prepend=-np.inf) > DISTINCT * values[order]
    return theta[order[apart][:most]]


# -- the fit ---------------------------------------------------------------------------------------


def broken_values(coefficients: Floats, compute: Floats) -> Floats:
    """Q (K, m) at compute (m,) for coefficients (K, p) in the letters of the source; constant where
    b = 0.
    """
    a, b, c0, c1, d1, f1 = coefficients.T[:, :, None]
    logs = np.log(compute)
    with np.errstate(divide="ignore"):
        log_height = np.log(np.abs(b)) - c0 * logs + break_value(c1, logs - np.log(d1), f1)
    return np.asarray(a + np.sign(b) * np.exp(log_height))


def fit_broken(sample: Points) -> Part:
    """The broken law closest to accuracies: the best minimum of Huber's function that is found in
    the box

    0 <= a <= 1, |b C^-c0| <= 1e12 at the mean log C, |c0| <= 8, |c1| <= 16, the break within the runs
    and a quarter of their range of log C beside, its width f1 from a gap between runs, and a 500th of
    their range, to four ranges. ValueError where compute takes fewer values than the law has
    coefficients, or the accuracies are all alike.
    """
    logs, Q, least = np.log(sample.compute), sample.accuracy, len(OF_BREAK)
    distinct, middle = len(np.unique(logs)), float(logs.mean())
    if distinct < least:
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {least} for the {least} "
            f"coefficients of a law with 1 break"
        )
    if np.ptp(Q) == 0.0:
        raise ValueError(f"accuracy {Q[0]:g} at every run; a broken law needs values that differ")
    spread, outside = np.ptp(logs), OUTSIDE * np.ptp(logs)
    narrowest = max(spread / (distinct - 1) / TRANSITION, SHARPEST * spread)
    bounds = {
        "a": (0.0, 1.0),
        "B": (-LARGEST_HEIGHT, LARGEST_HEIGHT),
        "c0": (-STEEPEST, STEEPEST),
        "c1": (-LARGEST_CHANGE, LARGEST_CHANGE),
        "p": (logs.min() - middle - outside, logs.max() - middle + outside),
        "g": (log(narrowest), log(WIDEST * spread)),
    }
    fit = fit_form(as_runs(sample, Q, x=logs - middle), FORM, HUBER, bounds=bounds)
    is_open = _is_open(fit.solution.problem, fit.solution.theta)
    return Part(fit, tuple(compress(OF_BREAK, is_open)), partial(_coefficients, middle))


def _coefficients(middle: float, theta: Floats) -> Floats:
    """The coefficients (K, 6) in the letters of the source."""
    a, B, c0, c1, p, g = theta.T
    return np.stack([a, B * np.exp(c0 * middle), c0, c1, np.exp(p + middle), np.exp(g)], axis=1)


def _is_open(problem: Problem, theta: Floats) -> Any:
    """Which coefficients the runs leave open, (6,).

    Standard errors are those of least squares with the scale of the median residual, infinite on a
    bound and along an open direction, times sqrt(pi/2) as for absolute deviations, which Huber's
    function of a small width approaches.
    """
    x = problem.model.columns["x"]
    near = AT_BOUND * (1.0 + np.abs(theta))
    free = (theta - problem.box.lower > near) & (problem.box.upper - theta > near)
    residuals, jacobian = (part[0] for part in problem.residuals(theta[None])[:2])
    spare = max(len(x) - int(free.sum()), 1)
    scale = float(np.median(np.abs(residuals))) / MEDIAN_DEVIATION * sqrt(len(x) / spare)
    variance = scale**2 * np.pi / 2.0
    errors = np.full(len(theta), np.inf)
    unit, lengths = unit_columns(jacobian[free])
    axes, sizes, _ = np.linalg.svd(unit, full_matrices=False)
    sizes = np.where(sizes > FLAT * sizes[0], sizes, 1e-150)
    errors[free] = sqrt(variance) * np.linalg.norm(axes / sizes, axis=1) / lengths
    change = abs(theta[3]) / SEEN
    of_values = KNOWN * np.ptp(problem.target), abs(theta[1]), STEEPEST
    is_open = errors > [*of_values, change, PLACED * np.ptp(x), SIZED]
    is_open[1:3] = is_open[1:3].any()
    # Before the first run only the sum with c0 is seen, behind the last nothing.
    if is_open[3] or not x.min() <= theta[4] <= x.max():
        is_open[3:] = True
    return is_open
