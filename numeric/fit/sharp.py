"""The minimum of a sum of absolute residuals: a linear programme a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .newton import Ends, Problem, median_residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 60
#: A programme that promises less than these shares of the objective certifies a minimum, or ends the
#: search.
ENOUGH, EXACT = 1e-10, 1e-14
#: Half widths of the box of a step, in units that change the residuals by their median: the first,
#: that of the certificate, the least.
FIRST, CERTIFYING, LEAST = 1.0, 1e-2, 1e-12


def sharpen(problem: Problem, theta: Floats) -> Ends:
    """The minimum near parameters (p,).

    Residuals are linearised and the step bounded by a box that follows how well the programme
    predicted the last decrease.
    """
    value, radius = problem.values(theta[None])[0], FIRST
    for _ in range(MOST_STEPS):
        step, promised = linear_step(problem, theta, radius)
        if promised <= EXACT * value or radius < LEAST:
            break
        straight = problem.box.inside(theta + step)
        bent = problem.retract(theta[None], step[None])[0]
        trials = np.array([straight, bent])
        values = problem.values(trials)
        gain = (value - values.min()) / promised
        if gain > 0.0:
            theta, value = trials[values.argmin()], values.min()
        radius *= 2.0 if gain > 0.5 else 1.0 if gain > 0.1 else 0.25
    _, promised = linear_step(problem, theta, CERTIFYING)
    done = np.array([promised <= ENOUGH * value or value <= float(problem.floor())])
    return Ends(theta[None], np.array([value]), done)


def linear_step(problem: Problem, theta: Floats, radius: float) -> tuple[Floats, float]:
    """The best step (p,) for the linearised residuals in a box, and the decrease that it promises.

    min sum w |r + J'd| over low <= d <= high is, by duality, the programme in the slopes l of the
    absolute values: max l r - high s- + low s+ over J l = s+ - s-, |l| <= w; d are its multipliers.
    """
    from scipy.optimize import linprog

    r, jacobian, _, _ = (part[0] for part in problem.residuals(theta[None]))
    weights = np.broadcast_to(problem.weights, r.shape)
    unit = median_residuals(problem, theta[None])[0, 0]
    scale = np.maximum(np.linalg.norm(jacobian, axis=1) / np.sqrt(len(r)), 1e-100) / unit
    low = np.maximum(-radius, (problem.box.lower - theta) * scale)
    high = np.minimum(radius, (problem.box.upper - theta) * scale)
    one = np.eye(len(theta))
    free = np.zeros(2 * len(theta))
    solved = linprog(
        np.concatenate([-r / unit, -low, high]),
        A_eq=np.hstack([jacobian / scale[:, None] / unit, -one, one]),
        b_eq=np.zeros(len(theta)),
        bounds=np.stack(
            [np.concatenate([-weights, free]), np.concatenate([weights, free + np.inf])], axis=1
        ),
        method="highs-ds",
    )
    if solved.status != 0:
        return np.zeros(len(theta)), np.inf
    before = float(np.sum(weights * np.abs(r)))
    return solved.eqlin.marginals / scale, max(before + solved.fun * unit, 0.0)
