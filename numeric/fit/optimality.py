"""Where a solver ended, and whether it is a minimum in its box, by tests that change with no unit
of measurement.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .newton import ROUNDINGS, Problems, expand

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: What a further Newton step may still promise, as a share of the objective.
SMALLEST_DECREASE = 1e-12
#: Length of the projection of the residuals on the tangent plane, as a share of their length.
SMALLEST_OFFSET = 1e-6
#: How far a further Newton step may move a coefficient, as a share of it; or no further than
#: rounding errors move it.
SMALLEST_MOVE = 1e-5
#: Negative curvature up to this share of the greatest is rounding.
ROUNDED_CURVATURE = 1e-12
FLATTEST = 1e-14


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
    names : tuple of str
        Of the parameters, where these are the coefficients themselves.
    """

    theta: Floats
    value: float
    converged: bool
    certificate: float
    starts: int
    agreeing: int
    others: Floats = field(default_factory=lambda: np.empty((0, 0)))
    reason: str = ""
    names: tuple[str, ...] = ()

    @property
    def coefficients(self) -> dict[str, float]:
        """The parameters by name."""
        return dict(zip(self.names, map(float, self.theta), strict=True))


@dataclass(frozen=True, kw_only=True)
class Optimality:
    """The tests and their outcome; all figures are free of units.

    Attributes
    ----------
    decrement : float
        The decrease that a further Newton step promises, relative to the objective.
    offset : float
        Cosine of the angle between the residuals, through psi, and the tangent plane of the model;
        0 at a stationary point.
    move : float
        The largest relative change of a coefficient in that step.
    least_curvature : float
        Smallest eigenvalue of the Hessian on the free coefficients, scaled by the columns of the
        Jacobian, over the largest.
    condition : float
        Of the Jacobian with columns of unit length, free coefficients; infinite where runs cannot
        tell them apart.
    held : tuple of int
        Positions of the parameters at a bound that the objective pushes against.
    reasons : tuple of str
        What speaks against a minimum; none at a minimum.
    """

    decrement: float
    offset: float
    move: float
    least_curvature: float
    condition: float
    held: tuple[int, ...]
    reasons: tuple[str, ...]

    @property
    def satisfied(self) -> bool:
        """Whether the point is a minimum within the box."""
        return not self.reasons


def _reached(bound: Floats, u: Floats) -> NDArray[np.bool_]:
    """Where a parameter is at its bound, but for the rounding of one that was sought by its
    logarithm.
    """
    return np.isfinite(bound) & (np.abs(u - bound) <= ROUNDED_BOUND * np.abs(bound))


def optimality(problems: Problems, u: Floats, lower: Floats, upper: Floats) -> Optimality:
    """Test parameters u (q,) of one smooth problem in a box."""
    at = expand(problems, u[None])
    if not np.isfinite(at.value[0]) or not np.isfinite(at.hessian).all():
        return Optimality(
            decrement=np.inf,
            offset=np.inf,
            move=np.inf,
            least_curvature=np.nan,
            condition=np.inf,
            held=(),
            reasons=(NOT_FINITE,),
        )
    value, gradient = float(at.value[0]), at.gradient[0]
    held = (_reached(lower, u) & (gradient >= 0.0)) | (_reached(upper, u) & (gradient <= 0.0))
    tangent, psi, noise = _tangent(problems, u)
    tangent = tangent[:, ~held]
    scale = np.linalg.norm(tangent, axis=0)
    scale[scale == 0.0] = 1.0
    offset, rounding, condition = _offset(tangent / scale, psi, noise)
    free = np.flatnonzero(~held)
    values, vectors = (
        np.linalg.eigh(at.hessian[0][np.ix_(free, free)] / np.outer(scale, scale))
        if free.size
        else (np.ones(1), np.ones((1, 1)))
    )
    largest = float(np.abs(values).max()) or 1.0
    along = vectors.T @ (gradient[free] / scale) if free.size else np.zeros(1)
    size = np.maximum(np.abs(values), FLATTEST * largest)
    decrease = float(np.sum(along**2 / size)) / 2.0
    step = np.abs(vectors @ (along / size))[: free.size] / scale
    blurred = (
        noise
        * np.sqrt(float(np.max(problems.clip.slope)) * np.sum(vectors**2 / size, axis=1))[
            : free.size
        ]
        / scale
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        moves = np.where(step == 0.0, 0.0, step / np.abs(u[free]))
    settled = (moves <= SMALLEST_MOVE) | (step <= blurred)
    tests = {
        NOT_STATIONARY: offset <= SMALLEST_OFFSET + rounding,
        STILL_FALLING: decrease <= SMALLEST_DECREASE * value + _slack(problems, rounding, psi),
        STILL_MOVING: bool(settled.all()),
        FLAT: bool(np.isfinite(condition)),
        NOT_CONVEX: bool(values.min() >= -ROUNDED_CURVATURE * largest),
    }
    return Optimality(
        decrement=decrease / value if value > 0.0 else 0.0,
        offset=offset,
        move=float(moves.max(initial=0.0)),
        least_curvature=float(values.min()) / largest,
        condition=condition,
        held=tuple(map(int, np.flatnonzero(held))),
        reasons=tuple(reason for reason, passed in tests.items() if not passed),
    )


#: Relative: exp(log(x)) is within 700 eps/2 of x.
ROUNDED_BOUND = 1e-13
NOT_FINITE = "the law is not finite there"
NOT_STATIONARY = "the gradient is not zero"
STILL_FALLING = "a further step would lower the objective"
STILL_MOVING = "a further step would move a coefficient; it may have no finite optimum"
FLAT = "some coefficients cannot be told apart: the objective is flat in a direction"
NOT_CONVEX = "the objective curves downwards in some direction"


def _tangent(problems: Problems, u: Floats) -> tuple[Floats, Floats, float]:
    """Jacobian of the weighted residuals (n, q), their psi (n,), and the length of the rounding
    errors in the residuals.
    """
    with np.errstate(all="ignore"):
        values, jacobian = problems.model.evaluate(u[None])
        values, jacobian = values[0], jacobian[0]
        if problems.in_logs:
            size = 1.0 + np.abs(problems.observed)
            residuals, jacobian = np.log(values) - problems.observed, jacobian / values
        else:
            size = np.abs(values) + np.abs(problems.observed)
            residuals = values - problems.observed
    psi = problems.clip.psi(residuals) / problems.clip.slope
    root = np.ones(len(psi)) if problems.weights is None else np.sqrt(problems.weights)
    rounding = ROUNDINGS * np.finfo(np.float64).eps * float(np.linalg.norm(root * size))
    return jacobian.T * root[:, None], root * psi, rounding


def _offset(unit: Floats, psi: Floats, noise: float) -> tuple[float, float, float]:
    """Share of psi in the span of the columns, the share that rounding makes, and the condition
    number of the columns.
    """
    length = float(np.linalg.norm(psi))
    if not unit.shape[1]:
        return 0.0, 0.0, 1.0
    vectors, sizes, _ = np.linalg.svd(unit, full_matrices=False)
    kept = sizes > np.finfo(np.float64).eps * max(unit.shape) * sizes[0]
    condition = float(sizes[0] / sizes[-1]) if kept.all() else np.inf
    if length == 0.0:
        return 0.0, 0.0, condition
    return float(np.linalg.norm(vectors[:, kept].T @ psi)) / length, noise / length, condition


def _slack(problems: Problems, rounding: float, psi: Floats) -> Any:
    """The decrease that rounding errors of the residuals can feign."""
    slope = float(np.max(problems.clip.slope))
    return slope * (rounding * float(np.linalg.norm(psi))) ** 2
