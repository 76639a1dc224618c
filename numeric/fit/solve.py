"""The best minimum of one fit: starts are followed to their minima, compared, and certified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .newton import (
    ULPS,
    Ends,
    Problem,
    follow,
    joined,
    median_residuals,
    stirred,
)
from .sharp import sharpen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Minima whose objectives differ by less than the first share count as one minimum; by less than the
#: second, as equally good.
SAME, EQUAL = 1e-7, 1e-12
#: With so few runs an objective with a bend has many minima: starts are sought by that objective as
#: well, smoothed over this many median residuals, and points around the best minimum are followed.
FEW, NARROW = 128, 0.5
#: The first width, in median residuals, from points around a minimum, so that each stays in its own
#: basin.
AROUND = 1.0
#: A residual beyond so many medians may have misled the squares.
OUTLYING = 12.0
#: For an objective with a kink the best few minima of a smoother one are followed to the end: those
#: that differ by the first share and lie above the best by no more than the second.
MOST_SHARPENED, DISTINCT, HOPEFUL = 5, 1e-3, 0.1
#: The number of points close to the best of them that are followed where it is not certified.
CLOSE = 6
LEAST, MOST = 1e-100, 1e100
EPSILON = float(np.finfo(float).eps)
#: How far a further step may move a parameter, as a share of it.
SMALLEST_MOVE = 1e-5
NOWHERE_FINITE = (
    "runs: the law and its errors are finite numbers at no start; is a quantity in an impossible "
    "unit, or an exponent too large?"
)


@dataclass(frozen=True)
class Minimum:
    """The end of a solver: parameters (p,), the objective, whether the point is certified to be a
    local minimum in the box, and other minima (K, p) that were found, best first.
    """

    theta: Floats
    value: float
    converged: bool
    others: Floats = field(default_factory=lambda: np.empty((0, 0)))


def solve(problem: Problem, *, seed: int = 0, limited: bool = True) -> Minimum:
    """The best minimum of one problem, without the runs of weight 0; `seed` is for drawn starts.

    Unless the box keeps the parameters from running away (`limited`), a minimum counts only where
    `is_settled`. A ValueError where the law is finite at no start, or the squares of the observed
    values overflow.
    """
    problem = problem.alone()
    observed = problem.observed
    if np.abs(observed).max() >= MOST or (problem.objective.in_logs and observed.min() <= LEAST):
        raise ValueError(NOWHERE_FINITE)
    with np.errstate(all="ignore"):
        ends = _minima(problem, seed)
        if problem.objective.width == 0.0:  # sharpen only those that may be the best
            near = _hopeful(ends.theta, problem.values(ends.theta))
            ends = joined([sharpen(problem, theta) for theta in near])
            lowest = int(ends.value.argmin())
            if not ends.done[lowest]:  # stuck between kinks: again from close by
                again = stirred(problem, ends.theta[lowest])[:CLOSE]
                ends = joined([ends, *(sharpen(problem, theta) for theta in again)])
        floor = float(problem.floor())
    order = np.argsort(ends.value, kind="stable")
    equal = ends.value <= ends.value[order[0]] * (1.0 + EQUAL) + floor
    equal &= ends.done | ~ends.done[equal].any()
    # A law may have a twin, as E + A/(1 + x^b) is (E + A) - A/(1 + x^-b): the one with fewer signs.
    signs = np.zeros(len(order)) if limited else (ends.theta < 0.0).sum(axis=1)
    best = int(np.lexsort((ends.value, signs, ~equal))[0])
    close = ends.value <= ends.value[best] * (1.0 + SAME) + floor
    converged = bool(ends.done[best]) and (limited or is_settled(problem, ends.theta[best]))
    return Minimum(
        theta=ends.theta[best],
        value=float(ends.value[best]),
        converged=converged,
        others=ends.theta[order[~close[order]]],
    )


def is_settled(problem: Problem, theta: Floats) -> bool:
    """Whether a further step leaves the parameters (p,) where they are, and the runs tell apart those
    that no bound holds: a law without limits may have no finite optimum.
    """
    at = problem.expand(theta[None])
    gradient, lengths = at.gradient[0], at.lengths[0]
    low, high = theta <= problem.box.lower, theta >= problem.box.upper
    held = (low & (gradient >= 0.0)) | (high & (gradient <= 0.0))
    free = np.flatnonzero(~held)
    with np.errstate(all="ignore"):
        _, jacobian, _, law = problem.residuals(theta[None])
    scale = np.where(lengths[free] > 0.0, lengths[free], 1.0)
    hessian = at.hessian[0][np.ix_(free, free)] / scale / scale[:, None]
    tangent = np.sqrt(problem.weights) * jacobian[0, free] / scale[:, None]
    if not (np.isfinite(hessian).all() and np.isfinite(tangent).all()):
        return False
    singular = np.linalg.svd(tangent, compute_uv=False)
    sizes, axes = np.linalg.eigh(hessian)
    sizes = np.maximum(np.abs(sizes), 1e-14 * np.abs(sizes).max(initial=1e-300))
    step = np.abs(axes @ (axes.T @ (gradient[free] / scale) / sizes)) / scale
    size = (1.0 if problem.objective.in_logs else np.abs(law[0])) + np.abs(problem.target)
    noise = ULPS * EPSILON * float(np.linalg.norm(np.sqrt(problem.weights) * size))
    steepest = problem.objective.measure(np.zeros(1), problem.width)[2][0]
    blurred = noise * np.sqrt(steepest * np.sum(axes**2 / sizes, axis=1)) / scale
    distinct = singular.size and singular[-1] > EPSILON * max(tangent.shape) * singular[0]
    rests = (step <= SMALLEST_MOVE * np.abs(theta[free])) | (step <= blurred)
    return bool(distinct and (rests.all() or problem.objective.width == 0.0))


def _minima(problem: Problem, seed: int) -> Ends:
    """The minima of the smooth objective that the starts lead to."""
    model, objective, box = problem.model, problem.objective, problem.box
    observed = problem.observed
    squares = problem.weights / observed**2 if objective.in_logs else problem.weights
    begun = model.starts(observed, squares, box, seed=seed)
    is_square = objective.width == np.inf
    few = (objective.width == 0.0 or model.size <= FEW) and not is_square
    if not is_square and len(begun):
        size = np.abs(problem.residuals(begun[:1])[0])[0]
        middle = float(median_residuals(problem, begun[:1])[0, 0])
        if few or size.max() > OUTLYING * middle:
            # With the weights of absolute deviations, which outliers do not lead astray.
            robust = squares / np.maximum(size, 0.1 * middle)
            smooth = problem._replace(width=max(NARROW * middle, objective.width))
            judge = smooth.values if few else None
            more = model.starts(observed, robust, box, judge, seed=seed)
            begun = np.concatenate([begun, more]) if few else more
    if not np.isfinite(problem.values(begun)).any():
        raise ValueError(NOWHERE_FINITE)
    ends = follow(problem, begun)
    if few:
        around = stirred(problem, ends.theta[ends.value.argmin()])
        ends = joined([ends, follow(problem, around, widest=AROUND)])
    return ends


def _hopeful(theta: Floats, values: Floats) -> Floats:
    """The few best parameters with different objectives that are not far above the best."""
    chosen: list[int] = []
    for index in np.argsort(values, kind="stable"):
        apart = not chosen or values[index] > (1.0 + DISTINCT) * values[chosen[-1]]
        if apart and (not chosen or values[index] <= (1.0 + HOPEFUL) * values[chosen[0]]):
            chosen.append(int(index))
    return theta[chosen[:MOST_SHARPENED]]
