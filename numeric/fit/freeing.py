"""Out of the corners of a narrow objective: where no run lies in its curved part, Newton's method is stuck short of a minimum.

It begins again from points around, as far as the residuals let the parameters vary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .newton import Expansion, Minima, minimise
from .path import median_residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .newton import Problems
    from .objective import Objective

    Floats = NDArray[np.float64]

__all__ = ["freed", "freed_each", "joined", "stirred"]

#: So many points around.
STIRRED, STIRRING_SEED = 16, 0
#: Their distances, in multiples of the parameters' own spread, and how often it begins again at most.
SCALES, ROUNDS = (0.003, 1.0), 3
FLATTEST = 1e-3


def freed(problem: Problems, objective: Objective, found: Minima, lower: Floats, upper: Floats) -> Minima:
    """Ends of several starts of one problem where the best is a minimum; else, for a smooth objective, more from around it."""
    for _ in range(0 if objective.is_sharp or objective.is_square else ROUNDS):
        best = int(np.argmin(found.value))
        if found.done[best]:
            break
        around = stirred(problem, found.theta[best], lower, upper, SCALES)
        found = joined(found, minimise(problem, around, lower, upper))
    return found


def freed_each(problems: Problems, objective: Objective, found: Minima, lower: Floats, upper: Floats) -> Minima:
    """The same for one end of each of K problems: the best end of each."""
    for index in map(int, np.flatnonzero(~found.done & np.isfinite(found.value))):
        ends = freed(problems.some(index), objective, found.some([index]), lower, upper)
        best = int(np.argmin(ends.value))
        found.theta[index], found.done[index], found.decrement[index] = ends.theta[best], ends.done[best], ends.decrement[best]
        found.expansion.put(index, ends.expansion, best)
    return found


def stirred(problem: Problems, theta: Floats, lower: Floats, upper: Floats, scales: tuple[float, float]) -> Floats:
    """Points around a minimum, as far as the residuals let the parameters vary: next to it others may be deeper."""
    values, jacobian = problem.model.evaluate(theta[None])
    scaled = jacobian[0] / (values if problem.in_logs else 1.0)
    lengths = np.linalg.norm(scaled, axis=1)
    lengths[lengths == 0.0] = 1.0
    left, size, _ = np.linalg.svd(scaled / lengths[:, None], full_matrices=False)
    spread = float(median_residuals(problem, theta[None])[0, 0]) / np.maximum(size, FLATTEST * size[0])
    drawn = np.random.default_rng(STIRRING_SEED).normal(size=(STIRRED, len(size)))
    drawn *= np.geomspace(*scales, STIRRED)[:, None]
    return np.clip(theta + (drawn * spread) @ left.T / lengths, lower, upper)


def joined(one: Minima, other: Minima) -> Minima:
    """The ends of both."""
    parts = [
        np.concatenate([getattr(one.expansion, name), getattr(other.expansion, name)])
        for name in ("value", "gradient", "hessian", "lengths")
    ]
    return Minima(
        np.concatenate([one.theta, other.theta]),
        Expansion(*parts),
        np.concatenate([one.done, other.done]),
        np.concatenate([one.decrement, other.decrement]),
        max(one.steps, other.steps),
    )
