"""From a start to a minimum of an objective with a narrow or sharp bend: smooth it first, then narrow it step by step.

The objective that is curved over a wide half width is close to least squares and has few minima; as the width shrinks to its
own, one Newton step at every width keeps to the minimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .newton import Problems, expand, minimise, newton_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .newton import Minima
    from .objective import Objective

    Floats = NDArray[np.float64]

#: The first width, in median absolute residuals.
WIDEST = 4.0
#: Each width as a share of the one before.
NARROWING = 0.4
#: A sharp objective is followed down to this share of the median absolute residual.
NARROWEST = 0.02
#: A step on the path may change the residuals by at most this many median absolute residuals, in the root mean square.
LONGEST = 3.0
#: Below this width, in median absolute residuals, few runs are where the objective is curved: one step is not enough.
NARROW = 0.2
MOST_STEPS = 15
ROUGHLY, CLOSELY = 1e-3, 1e-7


def follow(problems: Problems, objective: Objective, theta: Floats, lower: Floats, upper: Floats, *, settle: int = 2) -> Minima:
    """Local minima of K problems from starts (K, p), by way of smoother objectives.

    A sharp objective is left smooth over a small width: see `nonsmooth`.
    """
    if objective.is_square:
        return minimise(problems.with_clip(objective.clip()), theta, lower, upper, damping=0.0)
    scale = median_residuals(problems, theta)
    least = np.maximum(objective.width, NARROWEST * scale if objective.is_sharp else 0.0)
    width = np.maximum(WIDEST * scale, least)
    wide = minimise(
        problems.with_clip(objective.clip(width)), theta, lower, upper, enough=ROUGHLY, most_steps=settle, damping=0.0
    )
    theta = wide.theta
    scale = median_residuals(problems, theta)
    width = np.maximum(np.minimum(WIDEST * scale, width), least)
    longest = LONGEST * np.sqrt(problems.model.size) * scale
    while (width > least).any():
        width = np.maximum(width * NARROWING, least)
        narrower = problems.with_clip(objective.clip(width))
        if (width < NARROW * scale).any():
            theta = minimise(narrower, theta, lower, upper, enough=CLOSELY, most_steps=MOST_STEPS, damping=0.0).theta
            continue
        at = expand(narrower, theta)
        step = newton_step(at, theta, np.zeros(len(theta)), lower, upper)
        length = np.abs(step.move * at.lengths).max(axis=1, keepdims=True)
        theta = np.clip(theta + step.move * np.minimum(1.0, longest / np.maximum(length, 1e-300)), lower, upper)
    return minimise(problems.with_clip(objective.clip(least)), theta, lower, upper, damping=0.0)


def median_residuals(problems: Problems, theta: Floats) -> Floats:
    """Median absolute residual of every problem (K, 1), over the runs that count."""
    size = np.abs(problems.residuals(theta))
    if problems.weights is not None and not np.all(problems.weights > 0.0):
        size = np.where(problems.weights > 0.0, size, np.nan)
        return np.nanmedian(size, axis=1, keepdims=True) + 1e-300
    middle = size.shape[1] // 2  # the upper one of two: a scale, and faster than np.median
    return np.partition(size, middle, axis=1)[:, middle : middle + 1] + 1e-300
