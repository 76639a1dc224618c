"""Where a solver ended, and what speaks against a minimum there, by tests that change with no unit
of measurement.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .newton import ROUNDINGS, Problems, expand, newton_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: How far a further Newton step may move a coefficient, as a share of it; or no further than
#: rounding errors move it.
SMALLEST_MOVE = 1e-5
FLATTEST = 1e-14
NOT_FINITE = "the law is not finite there"
NOT_STATIONARY = "a further step would lower the objective"
STILL_MOVING = "a further step would move a coefficient; it may have no finite optimum"
FLAT = "some coefficients cannot be told apart: the objective is flat in a direction"
NOT_CONVEX = "the objective curves downwards in some direction"
NO_SUBGRADIENT = "zero is not certified as a subgradient"


@dataclass(frozen=True)
class Solution:
    """Where a solver ended.

    Attributes
    ----------
    theta : ndarray
        (p,): the solver's parameters; of an expression its coefficients, the fixed ones too.
    value : float
        The objective.
    converged : bool
        Whether the point is certified to be a local minimum in the box.
    certificate : float
        What certifies it: the decrease that Newton's method still promises as a share of the
        objective; for a sharp objective the relative norm of the subgradient.
    starts, agreeing : int
        From how many starts a minimum was sought, and how many of these ended at the best (for a
        sharp objective: of those that were followed to the end).
    others : ndarray
        (K, p): other minima that were found, best first.
    reason : str
        What speaks against a minimum, where the solver says more than that the certificate is
        missing.
    """

    theta: Floats
    value: float
    converged: bool
    certificate: float = 0.0
    starts: int = 1
    agreeing: int = 1
    others: Floats = field(default_factory=lambda: np.empty((0, 0)))
    reason: str = ""


def objections(
    problems: Problems, theta: Floats, lower: Floats, upper: Floats, *, done: bool, flat: bool
) -> tuple[str, ...]:
    """What speaks against a minimum at parameters (p,) of one smooth problem in a box; nothing at a
    minimum.

    Parameters
    ----------
    problems : Problems
    theta, lower, upper : ndarray
        (p,).
    done : bool
        Whether Newton's method is: its step promises nothing, and the Hessian is semidefinite.
    flat : bool
        Whether coefficients that the runs cannot tell apart, or that have no finite optimum, speak
        against it.
    """
    if done and not flat:
        return ()
    at = expand(problems, theta[None])
    if not np.isfinite(at.value[0]) or not np.isfinite(at.hessian).all():
        return (NOT_FINITE,)
    step = newton_step(at, theta[None], np.zeros(1), lower[None], upper[None])
    tests = {NOT_CONVEX: bool(step.convex[0]), NOT_STATIONARY: done or not step.convex[0]}
    if flat:
        gradient = at.gradient[0]
        held = ((theta <= lower) & (gradient >= 0.0)) | ((theta >= upper) & (gradient <= 0.0))
        tests |= _flatness(problems, theta, gradient[~held], at.hessian[0], np.flatnonzero(~held))
    return tuple(reason for reason, passed in tests.items() if not passed)


def _flatness(
    problems: Problems, theta: Floats, gradient: Floats, hessian: Floats, free: NDArray[np.intp]
) -> dict[str, bool]:
    """Whether the free parameters can be told apart, and whether a further step leaves them where
    they are.
    """
    if not free.size:
        return {}
    tangent, noise = _tangent(problems, theta, free)
    scale = np.linalg.norm(tangent, axis=0)
    scale[scale == 0.0] = 1.0
    sizes = np.linalg.svd(tangent / scale, compute_uv=False)
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)] / np.outer(scale, scale))
    size = np.maximum(np.abs(values), FLATTEST * (float(np.abs(values).max()) or 1.0))
    step = np.abs(vectors @ (vectors.T @ (gradient / scale) / size)) / scale
    slope = float(np.max(problems.clip.slope))
    blurred = noise * np.sqrt(slope * np.sum(vectors**2 / size, axis=1)) / scale
    settled = (step <= SMALLEST_MOVE * np.abs(theta[free])) | (step <= blurred)
    told_apart = sizes[-1] > np.finfo(np.float64).eps * max(tangent.shape) * sizes[0]
    return {STILL_MOVING: bool(settled.all()), FLAT: bool(told_apart)}


def _tangent(problems: Problems, theta: Floats, free: NDArray[np.intp]) -> tuple[Floats, float]:
    """Jacobian of the weighted residuals (n, q), and the length of their rounding errors."""
    with np.errstate(all="ignore"):
        _, jacobian, values = problems.linearised(theta)
    size = (1.0 if problems.in_logs else np.abs(values)) + np.abs(problems.observed)
    root = np.ones(len(size)) if problems.weights is None else np.sqrt(problems.weights)
    rounding = ROUNDINGS * np.finfo(np.float64).eps * float(np.linalg.norm(root * size))
    return jacobian[free].T * root[:, None], rounding
