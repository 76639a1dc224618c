"""From a start to a minimum of an objective with a narrow or sharp bend: smooth it first, then
narrow it step by step.

The objective that is curved over a wide half width is close to least squares and has few minima; as
the width shrinks to its own, one Newton step at every width keeps to the minimum. Where no run lies
in the curved part of a narrow objective, Newton's method is stuck short of a minimum: it begins
again from points around, as far as the residuals let the parameters vary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .newton import MOST_STEPS, Ends, Problems, Quadratic, expand, minimise, newton_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Objective

    Floats = NDArray[np.float64]

#: The first width, in median absolute residuals.
WIDEST = 4.0
#: Each width as a share of the one before.
NARROWING = 0.4
#: A sharp objective is followed down to this share of the median absolute residual.
NARROWEST = 0.02
#: A step on the path may change the residuals by at most this many median absolute residuals, in
#: the root mean square.
LONGEST = 3.0
#: Below this width, in median absolute residuals, few runs are where the objective is curved: one
#: step is not enough.
NARROW = 0.2
NARROW_STEPS = 15
ROUGHLY, CLOSELY = 1e-3, 1e-7
#: Points around a minimum; their distances, in multiples of the parameters' own spread; how often
#: it begins again at most.
STIRRED, STIRRING_SEED, SCALES, ROUNDS = 16, 0, (0.003, 1.0), 3
FLATTEST = 1e-3


def follow(
    problems: Problems,
    objective: Objective,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    *,
    settle: int = 2,
    damping: float = 0.0,
) -> Ends:
    """Local minima of K problems from starts (K, p), by way of smoother objectives.

    A sharp objective is left smooth over a small width: see `nonsmooth`. The first minimum takes at
    most `settle` steps from starts that are close to it; from others more, damped.
    """
    if objective.is_square:
        most = max(settle, MOST_STEPS)
        square = problems.with_clip(objective.clip())
        return minimise(square, theta, lower, upper, most_steps=most, damping=damping)
    scale = median_residuals(problems, theta)
    least = np.maximum(objective.width, NARROWEST * scale if objective.is_sharp else 0.0)
    width = np.maximum(WIDEST * scale, least)
    wide = minimise(
        problems.with_clip(objective.clip(width)),
        theta,
        lower,
        upper,
        enough=ROUGHLY,
        most_steps=settle,
        damping=damping,
    )
    theta = wide.theta
    scale = median_residuals(problems, theta)
    width = np.maximum(np.minimum(WIDEST * scale, width), least)
    width = np.where(np.isfinite(width), width, least)  # a law that is not finite has no scale
    longest = LONGEST * np.sqrt(problems.model.size) * scale
    while (width > least).any():
        width = np.maximum(width * NARROWING, least)
        narrower = problems.with_clip(objective.clip(width))
        if (width < NARROW * scale).any():
            theta = minimise(
                narrower, theta, lower, upper, enough=CLOSELY, most_steps=NARROW_STEPS, damping=0.0
            ).theta
            continue
        at = expand(narrower, theta)
        step = newton_step(at, theta, np.zeros(len(theta)), lower, upper)
        length = np.abs(step.move * at.lengths).max(axis=1, keepdims=True)
        theta = np.clip(
            theta + step.move * np.minimum(1.0, longest / np.maximum(length, 1e-300)), lower, upper
        )
    return minimise(problems.with_clip(objective.clip(least)), theta, lower, upper, damping=0.0)


def median_residuals(problems: Problems, theta: Floats) -> Floats:
    """Median absolute residual of every problem (K, 1), over the runs that count."""
    size = np.abs(problems.residuals(theta))
    if problems.weights is not None and not np.all(problems.weights > 0.0):
        size = np.where(problems.weights > 0.0, size, np.nan)
        return np.nanmedian(size, axis=1, keepdims=True) + 1e-300
    middle = size.shape[1] // 2  # the upper one of two: a scale, and faster than np.median
    return np.partition(size, middle, axis=1)[:, middle : middle + 1] + 1e-300


def freed(
    problem: Problems, objective: Objective, found: Ends, lower: Floats, upper: Floats
) -> Ends:
    """Ends of several starts of one problem where the best is a minimum; else, for a smooth
    objective, more from around it.
    """
    for _ in range(0 if objective.is_sharp or objective.is_square else ROUNDS):
        best = int(np.argmin(found.value))
        if found.done[best]:
            break
        around = stirred(problem, found.theta[best], lower, upper, SCALES)
        found = joined(found, minimise(problem, around, lower, upper))
    return found


def freed_each(
    problems: Problems, objective: Objective, found: Ends, lower: Floats, upper: Floats
) -> Ends:
    """The same for one end of each of K problems: the best end of each."""
    for index in map(int, np.flatnonzero(~found.done & np.isfinite(found.value))):
        ends = freed(problems.some(index), objective, found.some([index]), lower, upper)
        best = int(np.argmin(ends.value))
        found.theta[index], found.done[index], found.decrement[index] = (
            ends.theta[best],
            ends.done[best],
            ends.decrement[best],
        )
        found.expansion.put(index, ends.expansion, best)
    return found


def stirred(
    problem: Problems, theta: Floats, lower: Floats, upper: Floats, scales: tuple[float, float]
) -> Floats:
    """Points around a minimum, as far as the residuals let the parameters vary: next to it others
    may be deeper.
    """
    _, jacobian, _ = problem.linearised(theta)
    lengths = np.linalg.norm(jacobian, axis=1)
    lengths[lengths == 0.0] = 1.0
    left, size, _ = np.linalg.svd(jacobian / lengths[:, None], full_matrices=False)
    spread = float(median_residuals(problem, theta[None])[0, 0]) / np.maximum(
        size, FLATTEST * size[0]
    )
    drawn = np.random.default_rng(STIRRING_SEED).normal(size=(STIRRED, len(size)))
    drawn *= np.geomspace(*scales, STIRRED)[:, None]
    return np.clip(theta + (drawn * spread) @ left.T / lengths, lower, upper)


def joined(one: Ends, other: Ends) -> Ends:
    """The ends of both."""
    parts = [
        np.concatenate([getattr(one.expansion, name), getattr(other.expansion, name)])
        for name in ("value", "gradient", "hessian", "lengths")
    ]
    return Ends(
        np.concatenate([one.theta, other.theta]),
        Quadratic(*parts),
        np.concatenate([one.done, other.done]),
        np.concatenate([one.decrement, other.decrement]),
        max(one.steps, other.steps),
    )
