r"""Broken neural scaling laws of accuracy, fitted: scan, least squares, then the objective itself
by way of smoother ones. The local exponent -dlog|y - a|/dlog C is c_0 well below the first break
and changes by c_i across the break d_i, from a tenth to nine tenths of that over 2 f_i log 9 of log
C.

.. math:: Q = a + b\,C^{-c_0} \prod_{i=1}^n \left(1 + (C/d_i)^{1/f_i}\right)^{-c_i f_i}.

Sources: Caballero et al. 2023, arXiv 2210.14891, for the form; Krajewski et al. 2025, arXiv
2512.08894, equation 1 and Appendix M, which fits it to all runs above guessing, with Huber's
function of width 1e-3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import erf, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.fitted import Solved
from ..fit.newton import MOST_STEPS, Ends, Problem, best_of, median_residuals, minimise
from ..fit.objective import Objective
from ..fit.resample import Refits
from ..fit.solve import Solution
from ..fit.uncertainty import MEDIAN_DEVIATION, classical
from ..words import counted
from .broken_model import (
    AHEAD,
    PER_BREAK,
    BrokenModel,
    broken_values,
    starts,
    to_coefficients,
    with_lines,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.resample import Draws

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["HUBER", "BrokenFit", "fit_broken", "names_of"]

#: Exponents of accuracy against compute are far within these; C^8 is still a float.
STEEPEST, LARGEST_CHANGE = 8.0, 16.0
LARGEST_HEIGHT = 1e12
#: A break may lie this share of the range of log C outside the runs, and be as wide as this many
#: ranges.
OUTSIDE, WIDEST = 0.25, 4.0
#: The share passed of a break goes from a tenth to nine tenths over this many f: no more is asked
#: for than a gap between runs.
TRANSITION = 2.0 * log(9.0)
#: Points of the grid that are polished by least squares, for so many steps, and how many of their
#: distinct minima are followed, by the number of breaks.
SCANNED, POLISHING, FOLLOWED = 100, 12, (8, 12)
DISTINCT, ROUGHLY = 1e-3, 1e-6
#: A residual beyond so many medians is an outlier that may have led squares astray.
OUTLYING = 12.0
#: How many other minima are kept as starts of refits, and what counts as one minimum.
MOST_OTHERS, SAME = 2, 1e-7
#: Newton stops where it promises less than this share of the objective: less is lost in the
#: rounding of small residuals.
ENOUGH = 1e-12
#: Steps of a refit, which ends earlier. Few runs leave valleys in which it creeps: it counts where
#: Newton promises less than the last of these shares of the objective, a small part of what the
#: next resample changes.
AGAIN, ENOUGH_AGAIN, CLOSE = 100, 1e-8, 1e-3
AT_BOUND = 1e-6
#: The first width of Huber's function in median absolute residuals, each width as a share of the
#: one before, and how many steps each is worth.
WIDE, NARROWING, ON_THE_WAY = 4.0, 0.4, 5
#: So many points around the best minimum are followed, at distances from the first to the second of
#: these multiples of what moves the curve by a tenth or so, in at most so many rounds.
STIRRED, STIRRING_SCALES, ROUNDS, STIRRING_SEED = 16, (0.1, 2.0), 3, 0
#: A break is seen where its change exceeds this many standard errors: its place was searched for,
#: so two would often be chance. It is placed where log d is known to within this share of the range
#: of log C, and its width where log f is to within that; an asymptote is known to within this share
#: of the range of the values.
SEEN, PLACED, SIZED, KNOWN = 3.0, 0.25, 1.5, 1.0


@dataclass(frozen=True, kw_only=True)
class Huber(Objective):
    """Huber's function of the residuals of values that may have any sign."""

    in_logs = False


HUBER = Huber(name="huber-log", delta=1e-3)
SQUARES = Objective(name="least-squares")


def names_of(breaks: int) -> tuple[str, ...]:
    """a, b, c0, c1, d1, f1, ..."""
    return ("a", "b", "c0", *(f"{letter}{i}" for i in range(1, breaks + 1) for letter in "cdf"))


@dataclass(frozen=True, eq=False, kw_only=True)
class BrokenFit(Solved):
    """A fitted broken law with what a refit needs.

    Attributes
    ----------
    model : BrokenModel
    observed : ndarray
        (n,).
    lower, upper : ndarray
        (p,), of the parameters.
    solution : Solution
        In the parameters a, B, c0, c1, log d1, log f1, ...
    draws : Draws or None
    """

    model: BrokenModel
    observed: Floats
    lower: Floats
    upper: Floats
    solution: Solution
    draws: Draws | None = None

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By name, in the letters of the source."""
        written = to_coefficients(self.theta[None], self.model.centre)[0]
        return dict(zip(names_of(self.model.breaks), written.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.model.size

    def predict(self, rows: Any) -> Floats:
        """y (m,) at rows with compute."""
        return np.asarray(broken_values(self.values[None], rows.compute)[0])

    @cached_property
    def at_bound(self) -> Mask:
        """(p,): parameters on a bound."""
        near = AT_BOUND * (1.0 + np.abs(self.theta))
        return np.asarray((self.theta - self.lower <= near) | (self.upper - self.theta <= near))

    @cached_property
    def covariance(self) -> Floats:
        """(p, p) of the parameters: that of least squares with the scale of the middle of the
        residuals; 0 on a bound.

        Infinite where the runs leave a direction open. Huber's function of a small width acts as
        the absolute deviation does, whose variance is pi/2 times that of squares.
        """
        problem = Problem(self.model, self.observed, 1.0, HUBER)
        residuals, jacobian = (part[0] for part in problem.residuals(self.theta[None])[:2])
        free = ~self.at_bound
        spare = max(self.model.size - int(free.sum()), 1)
        middle = float(np.median(np.abs(residuals)))
        scale = middle / MEDIAN_DEVIATION * sqrt(self.model.size / spare)
        # From the variance of the mean, for errors far below the width, to that of the median, for
        # errors far above it.
        within = erf(HUBER.width / (sqrt(2.0) * scale)) if scale > 0.0 else 1.0
        variance = scale**2 * (within + (1.0 - within) * np.pi / 2.0)
        found = np.zeros((len(free), len(free)))
        found[np.ix_(free, free)] = classical(jacobian[free], variance)
        return found

    @property
    def standard_errors(self) -> Floats:
        """(p,), of the parameters (a, B, c0, c1, log d1, log f1, ...)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave open, in the order of the coefficients."""
        errors, held = self.standard_errors, self.at_bound
        spread = float(np.ptp(self.model.logs))
        names, found = names_of(self.model.breaks), set[str]()
        if held[0] or errors[0] > KNOWN * float(np.ptp(self.observed)):
            found |= {"a"}
        if held[1] or held[2] or errors[1] > abs(self.theta[1]) or errors[2] > STEEPEST:
            found |= {"b", "c0"}
        # Coefficients are listed in the order of d, parameters are not.
        order = np.argsort(self.theta[AHEAD + 1 :: PER_BREAK], kind="stable")
        for shown, i in enumerate(order, start=1):
            change, place, width = (AHEAD + PER_BREAK * int(i) + k for k in range(PER_BREAK))
            c, d, f = (f"{letter}{shown}" for letter in "cdf")
            away = not self.model.logs.min() <= self.theta[place] <= self.model.logs.max()
            if held[change] or SEEN * errors[change] > abs(self.theta[change]):
                found |= {c, d, f}
            if held[place] or away or errors[place] > PLACED * spread:
                found |= {d}
            if held[width] or errors[width] > SIZED:
                found |= {f}
        return tuple(name for name in names if name in found)

    def refit(self, *, weights: Floats) -> Refits:
        """The fits to resamples: weights (K, n). A refit counts where it is close to a minimum."""
        problems = Problem(self.model, self.observed, weights, HUBER)
        begun = [
            np.repeat(start[None], len(weights), axis=0)
            for start in (self.theta, *self.solution.others)
        ]
        # Once without the detour: at the weights of the fit itself that is where it ended.
        with np.errstate(all="ignore"):
            ends = [
                minimise(
                    problems,
                    begun[0],
                    self.lower,
                    self.upper,
                    enough=ENOUGH_AGAIN,
                    steps=AGAIN,
                )
            ]
        ends += [
            _descend(problems, start, self.lower, self.upper, ENOUGH_AGAIN, AGAIN)
            for start in begun
        ]
        theta, value, done, decrement = best_of(ends)
        done = done | (decrement <= CLOSE * value)
        enough = np.array(
            [len(np.unique(self.model.logs[row > 0.0])) >= self.model.width for row in weights]
        )
        return Refits(to_coefficients(theta, self.model.centre), done & enough)


def fit_broken(
    compute: Floats,
    values: Floats,
    *,
    breaks: int = 1,
    asymptote: tuple[float, float] = (-np.inf, np.inf),
) -> BrokenFit:
    """The broken law closest to any values: the best minimum that a scan of its breaks leads to.

    Parameters
    ----------
    compute, values : ndarray
        (n,).
    breaks : int
    asymptote : tuple of float
        Least and greatest a: without limits a law that is close to a line in log C has no best a.

    Raises
    ------
    ValueError
        Where compute takes fewer values than the law has coefficients, or the values are all alike.
    """
    count, distinct = len(names_of(breaks)), len(np.unique(compute))
    if distinct < count:
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {count} for the {count} "
            f"coefficients of a law with {counted(breaks, 'break')}"
        )
    if np.ptp(values) == 0.0:
        raise ValueError(
            f"values={float(values[0])!r} at every run; a broken law needs values that differ"
        )
    logs = np.log(compute)
    model = BrokenModel(logs, float(logs.mean()), breaks)
    lower, upper = _box(logs, breaks, asymptote)
    problems = Problem(model, values, 1.0, HUBER)
    found = _descend(problems, _begun(problems, lower, upper), lower, upper)
    theta, value, done = found.theta, found.value, found.done
    random, best = np.random.default_rng(STIRRING_SEED), int(np.argmin(value))
    for _ in range(ROUNDS if value[best] > problems.floor() else 0):
        # Look around the best, and again from a better one: where errors reach the width there are
        # many minima.
        around = np.clip(_stirred(model, theta[best], random), lower, upper)
        around = with_lines(model, around, values, None, lower, upper)
        again = _descend(problems, around, lower, upper)
        theta = np.concatenate([theta, again.theta])
        value, done = np.concatenate([value, again.value]), np.concatenate([done, again.done])
        before, best = best, int(np.argmin(value))
        if value[best] > (1.0 - SAME) * value[before]:
            break
    best = int(np.argsort(value, kind="stable")[0])
    others = _distinct(theta, value, 1 + MOST_OTHERS)[1:]
    return BrokenFit(
        model=model,
        observed=values,
        lower=lower,
        upper=upper,
        solution=Solution(theta[best], float(value[best]), bool(done[best]), others=others),
    )


def _begun(problems: Problem, lower: Floats, upper: Floats) -> Floats:
    """What is followed: distinct minima of least squares, those with the weights of an absolute
    deviation too where some runs lie far off, and the best by the objective itself of all that the
    scans saw.
    """
    assert isinstance(problems.model, BrokenModel)
    most = FOLLOWED[min(problems.model.breaks, len(FOLLOWED)) - 1]
    scanned, ends = _polished(problems, np.ones(problems.model.size), lower, upper)
    chosen, seen = [_distinct(ends.theta, ends.value, most)], [scanned, ends.theta]
    size = np.abs(problems.residuals(chosen[0][:1])[0])[0]
    middle = float(median_residuals(problems, chosen[0][:1])[0, 0])
    if float(size.max()) > OUTLYING * middle:
        robust = middle / np.maximum(size, 0.1 * middle)
        scanned, ends = _polished(problems, robust, lower, upper)
        chosen.append(_distinct(ends.theta, ends.value, most))
        seen += [scanned, ends.theta]
    every = np.concatenate(seen)
    chosen.append(_distinct(every, problems.values(every), most // 2))
    return np.concatenate(chosen)


def _polished(
    problems: Problem, weights: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Ends]:
    """Points of a scan with weights (n,), and where least squares leads from there in a few steps."""
    assert isinstance(problems.model, BrokenModel)
    scanned = starts(problems.model, problems.target, weights, lower, upper, most=SCANNED)
    squares = Problem(problems.model, problems.target, weights, SQUARES)
    return scanned, minimise(squares, scanned, lower, upper, enough=ROUGHLY, steps=POLISHING)


def _descend(
    problems: Problem,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    enough: float = ENOUGH,
    most_steps: int = MOST_STEPS,
) -> Ends:
    """Local minima of K problems from starts (K, p), by way of objectives that are curved over a
    wider range of residuals.

    Every step is one that lowers the objective: where a break is sharp or an exponent large, a step
    on trust leads far astray.
    """
    with np.errstate(all="ignore"):
        width = np.maximum(WIDE * median_residuals(problems, theta), HUBER.width)
        while (width > HUBER.width).any():
            wide = problems._replace(width=width)
            theta = minimise(
                wide, theta, lower, upper, enough=ROUGHLY, steps=ON_THE_WAY, damping=0.0
            ).theta
            width = np.maximum(width * NARROWING, HUBER.width)
        return minimise(problems, theta, lower, upper, enough=enough, steps=most_steps, damping=0.0)


def _stirred(model: BrokenModel, theta: Floats, random: np.random.Generator) -> Floats:
    """Points (K, p) with exponents, places and widths drawn near those of a minimum."""
    spread = float(np.ptp(model.logs))
    sizes = np.array([0.3 / spread, *[1.0 / spread, 0.05 * spread, 0.4] * model.breaks])
    found = np.repeat(theta[None], STIRRED, axis=0)
    found[:, AHEAD - 1 :] += (
        random.normal(size=(STIRRED, len(sizes)))
        * sizes
        * np.geomspace(*STIRRING_SCALES, STIRRED)[:, None]
    )
    return found


def _box(logs: Floats, breaks: int, asymptote: tuple[float, float]) -> tuple[Floats, Floats]:
    low, high = float(logs.min()), float(logs.max())
    spread, gap = high - low, (high - low) / (len(np.unique(logs)) - 1)
    least = [-LARGEST_CHANGE, low - OUTSIDE * spread, log(gap / TRANSITION)]
    most = [LARGEST_CHANGE, high + OUTSIDE * spread, log(WIDEST * spread)]
    return (
        np.array([asymptote[0], -LARGEST_HEIGHT, -STEEPEST, *least * breaks]),
        np.array([asymptote[1], LARGEST_HEIGHT, STEEPEST, *most * breaks]),
    )


def _distinct(theta: Floats, values: Floats, most: int) -> Floats:
    """The best parameter vectors whose objectives differ."""
    chosen: list[int] = []
    for index in np.argsort(values, kind="stable"):
        if np.isfinite(values[index]) and (
            not chosen or values[index] > (1.0 + DISTINCT) * values[chosen[-1]]
        ):
            chosen.append(int(index))
    return np.asarray(theta[chosen[:most]])
