"""The best minimum of one fit of a separable law: scan, follow, compare, certify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isoflop.numeric.fit.newton import Minima, Problems, minimise, newton_step, values
from isoflop.numeric.fit.nonsmooth import sharpen
from isoflop.numeric.fit.path import NARROWEST, follow, median_residuals
from isoflop.numeric.fit.scan import starts as scanned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.fit.models import Design
    from isoflop.numeric.fit.objective import Objective

    Floats = NDArray[np.float64]

MOST_STARTS = 6
#: Minima whose objectives differ by less than this share are one.
SAME = 1e-7
#: With as few runs, and for a sharp objective, the points of the grid are compared by the objective itself as well, which then
#: has many minima, smooth over this many median absolute residuals.
FEW, NARROW = 128, 0.5
#: Of a sharp objective, this many of the best smooth minima are followed to the end.
MOST_SHARPENED = 3
#: More runs than this are first fitted on a sample of them.
LARGE, SAMPLE = 20_000, 4_096


@dataclass(frozen=True)
class Solution:
    """Where the solver ended.

    Attributes
    ----------
    theta : ndarray
        (p,): the parameters of the design.
    value : float
        The objective.
    converged : bool
        Whether the point is certified to be a local minimum in the box.
    certificate : float
        What certifies it: the decrease that Newton's method still promises as a share of the objective; for a sharp objective the
        relative norm of the subgradient.
    condition : float
        Of the Hessian with unit columns, on the parameters that are not on a bound (of the interpolation, for a sharp one).
    starts, agreeing : int
        How many starts were followed to a minimum, and how many of these ended at the best.
    others : ndarray
        (K, p): the other minima, best first.
    """

    theta: Floats
    value: float
    converged: bool
    certificate: float
    starts: int
    agreeing: int
    others: Floats


def solve(design: Design, observed: Floats, weights: Floats | None, objective: Objective) -> Solution:
    """The best minimum that the scan leads to."""
    if design.model.size > LARGE:
        return _solve_large(design, observed, weights, objective)
    found, starts = _minima(design, observed, weights, objective)
    return _best(design, _problems(design, observed, weights, objective), objective, found, starts)


def _problems(design: Design, observed: Floats, weights: Floats | None, objective: Objective) -> Problems:
    target = np.log(observed) if objective.in_logs else observed
    return Problems(design.model, target, weights, objective.clip(), objective.in_logs)


def _minima(
    design: Design, observed: Floats, weights: Floats | None, objective: Objective
) -> tuple[Minima, int]:
    problems = _problems(design, observed, weights, objective)
    squares = np.ones_like(observed) if weights is None else weights
    if objective.in_logs:
        squares = squares / observed**2
    begun = scanned(design.model, observed, squares, design.lower, design.upper, most=MOST_STARTS)
    if not objective.is_square:
        # Once more with the weights of an absolute deviation, which outliers do not lead astray.
        size = np.abs(problems.residuals(begun[:1]))[0]
        middle = median_residuals(problems, begun[:1])
        robust = squares / np.maximum(size, 0.1 * middle[0])
        few = objective.is_sharp or len(observed) <= FEW

        def judge(points: Floats) -> Floats:
            return values(problems.with_clip(objective.clip(NARROW * float(middle[0, 0]))), points)

        more = scanned(
            design.model, observed, robust, design.lower, design.upper, most=MOST_STARTS, judge=judge if few else None
        )
        begun = np.concatenate([begun, more])
    return follow(problems, objective, begun, design.lower, design.upper), len(begun)


def _solve_large(design: Design, observed: Floats, weights: Floats | None, objective: Objective) -> Solution:
    """Starts from a sample of the runs, spread evenly over their order of loss; the minimum over all of them."""
    sample = np.argsort(observed, kind="stable")[:: max(1, len(observed) // SAMPLE)]
    part = type(design)(
        design.terms, type(design.model)(design.model.logs[:, sample], design.model.irreducible), design.centres,
        design.lower, design.upper, design.given,
    )
    found, starts = _minima(part, observed[sample], None if weights is None else weights[sample], objective)
    order = np.argsort(found.value, kind="stable")
    distinct = [index for rank, index in enumerate(order) if rank == 0 or found.value[index] > (1 + SAME) * found.value[order[0]]]
    problems = _problems(design, observed, weights, objective)
    begun = found.theta[distinct[:2]]
    if objective.is_sharp:
        clip = objective.clip(NARROWEST * median_residuals(problems, begun[:1]))
        refined = minimise(problems.with_clip(clip), begun, design.lower, design.upper)
    else:
        refined = minimise(problems, begun, design.lower, design.upper)
    return _best(design, problems, objective, refined, starts)


def _best(design: Design, problems: Problems, objective: Objective, found: Minima, starts: int) -> Solution:
    order = np.argsort(found.value, kind="stable")
    best = int(order[0])
    value = float(found.value[best])
    close = found.value <= value + SAME * abs(value)
    theta, converged = found.theta[best], bool(found.done[best])
    at = found.expansion.some([best])
    step = newton_step(at, theta[None], np.zeros(1), np.atleast_2d(design.lower), np.atleast_2d(design.upper))
    certificate = float(step.promised[0] / max(value, 1e-300))
    if objective.is_sharp:
        ends = [sharpen(problems, objective, found.theta[index], design.lower, design.upper) for index in order[:MOST_SHARPENED]]
        sharp = min(ends, key=lambda end: end.value)
        theta, value, converged, certificate = sharp.theta, sharp.value, sharp.certified, sharp.subgradient
    others = found.theta[[index for index in order if not close[index]]]
    return Solution(theta, value, converged, certificate, starts, int(close.sum()), others)
