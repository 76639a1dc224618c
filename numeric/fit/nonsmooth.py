r"""The exact minimum of a sharp objective: sum w_i rho(r_i) with rho(r) = high r for r > 0 and low
r for r < 0.

At a minimum some residuals are exactly 0. A linear programme finds which (the residuals linearised,
the step bounded); with these as constraints the rest of the objective is smooth, and Newton's
method on

    sum_{r_i != 0} w_i rho'(r_i) grad r_i + sum_{r_i = 0} w_i lambda_i grad r_i = 0,    r_i = 0

ends at the minimum. Multipliers low <= lambda_i <= high certify it: 0 is a subgradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .newton import Problems
from .optimality import Solution

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Objective

    Floats = NDArray[np.float64]

MOST_STEPS = 40
MOST_PROGRAMMES = 60
#: Runs with the smallest residuals, whose sign a step may change.
UNDECIDED = 600
#: The typical residual is at least this share of the mean.
SMALL = 0.1
#: Residuals that should be 0 are, to this share of the median absolute residual.
ZERO = 1e-9
#: The norm of the subgradient, over that of the sum of the absolute terms.
STATIONARY = 1e-9
ROUNDING = 1e-9
#: The first bound on a step: what it changes in the residuals, in median absolute residuals.
FIRST_RADIUS = 1.0
LEAST_RADIUS = 1e-13
#: Derivatives beyond it have no squares.
LARGE = 1e150


def sharpen(
    problems: Problems, objective: Objective, theta: Floats, lower: Floats, upper: Floats
) -> Solution:
    """The sharp minimum next to `theta` (p,), itself close to one: certified by a
    subgradient that is 0, relative to the terms that it sums, where the objective does not fall to
    second order along the runs that the law meets.
    """
    low, high = objective.bounds
    theta = np.clip(theta, lower, upper)
    problems = _merged(problems, theta)
    best = _end(problems, low, high, theta)
    radius, rounding = FIRST_RADIUS, float(problems.with_clip(objective.clip()).rounding[0])
    for _ in range(MOST_PROGRAMMES):
        if best.value <= rounding:
            # Runs that the law meets exactly: no objective is below 0.
            return Solution(best.theta, best.value, True)
        with np.errstate(all="ignore"):
            here = _local(problems, best.theta)
        if not here.is_tame:
            return best
        step = _linear_step(problems, here, low, high, best.theta, lower, upper, radius)
        if step is None:
            return best
        reached = [
            _end(problems, low, high, end)
            for end in _ends(problems, best.theta, step.move, lower, upper)
        ]
        trial = min(reached, key=lambda end: end.value)
        for begun in (trial.theta, best.theta):
            found = _interpolate(problems, low, high, begun, step, lower, upper)
            if (
                found is not None
                and found.converged
                and found.value <= min(best.value, trial.value) * (1.0 + 1e-12)
            ):
                return found
        gained = best.value - trial.value
        if gained > 0.1 * step.promised:
            radius *= 2.0
        elif gained < 0.01 * step.promised or step.promised <= 0.0:
            radius *= 0.25
        if gained > 0.0:
            best = trial
        if radius < LEAST_RADIUS:
            break
    return best


def _merged(problems: Problems, theta: Floats) -> Problems:
    """Equal runs as one with the sum of their weights: one constraint, not several that depend on
    each other.
    """
    with np.errstate(all="ignore"):
        here = _local(problems, theta)
    observed = problems.observed.reshape(-1)
    rows = np.vstack([observed, here.values, here.jacobian])
    key = np.zeros(len(observed))
    for place, row in enumerate(rows):
        key += row * (1.0 + place) ** 0.5
    _, first, member = np.unique(key, return_index=True, return_inverse=True)
    if len(first) == len(observed) or not np.array_equal(
        rows, rows[:, first][:, member], equal_nan=True
    ):
        return problems
    model: Any = problems.model
    weights = np.bincount(member, weights=_weights(problems)).astype(np.float64)
    return Problems(model.part(first), observed[first], weights, problems.clip, problems.in_logs)


def _ends(
    problems: Problems, theta: Floats, move: Floats, lower: Floats, upper: Floats
) -> list[Floats]:
    """Where a step leads: straight on, and along the model's own curve."""
    ends = [np.clip(theta + move, lower, upper)]
    model: Any = problems.model
    if hasattr(model, "retract"):
        values, jacobian = model.evaluate(theta[None])
        ends.append(
            model.retract(theta[None], move[None], values, jacobian, lower[None], upper[None])[0]
        )
    return ends


@dataclass(frozen=True)
class _LinearStep:
    """The best step for linearised residuals, which of these it makes 0, with what multipliers, and
    the decrease.
    """

    move: Floats
    zero: NDArray[np.bool_]
    multipliers: Floats
    promised: float


def _linear_step(
    problems: Problems,
    here: _Local,
    low: float,
    high: float,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    radius: float,
) -> _LinearStep | None:
    from scipy.optimize import linprog

    r, weights = here.residuals, _weights(problems)
    size = np.abs(r)
    scale = np.linalg.norm(here.jacobian, axis=1) / np.sqrt(len(r))
    scale[scale == 0.0] = 1.0
    unit = _typical(size, weights)
    # In units of the median residual: columns of the Jacobian have unit mean square.
    jacobian = here.jacobian / scale[:, None]
    near = weights > 0.0
    if near.sum() > UNDECIDED:
        near &= size <= np.partition(size[near], UNDECIDED)[UNDECIDED]
    slopes = np.where(r > 0.0, high, low)
    slopes[near] = 0.0
    p, k = len(theta), int(near.sum())
    cost = np.concatenate(
        [jacobian @ (weights * slopes), high * weights[near], -low * weights[near]]
    )
    equal = np.hstack([jacobian[:, near].T, -np.eye(k), np.eye(k)])
    with np.errstate(invalid="ignore"):
        box = np.stack(
            [
                np.maximum(-radius, (lower - theta) * scale / unit),
                np.minimum(radius, (upper - theta) * scale / unit),
            ]
        )
    bounds = [*box.T, *[(0.0, np.inf)] * (2 * k)]
    if not (np.isfinite(cost).all() and np.isfinite(equal).all()):
        return None
    solved = linprog(cost, A_eq=equal, b_eq=-r[near] / unit, bounds=bounds, method="highs-ds")
    if solved.status != 0:
        return None
    # At a residual of 0 the multiplier is what the objective gains as the residual is let go.
    gap = solved.x[p : p + k] + solved.x[p + k :]
    zero = np.zeros(len(r), dtype=bool)
    zero[np.flatnonzero(near)[gap <= 1e-12]] = True
    multipliers = -solved.eqlin.marginals[gap <= 1e-12] / weights[zero]
    before = float(np.sum(weights[near] * np.where(r[near] > 0.0, high, low) * r[near]) / unit)
    return _LinearStep(
        solved.x[:p] * unit / scale,
        zero,
        np.clip(multipliers, low, high),
        (before - float(solved.fun)) * unit,
    )


def _weights(problems: Problems) -> Floats:
    return (
        np.ones(problems.model.size) if problems.weights is None else problems.weights.reshape(-1)
    )


def _typical(size: Floats, weights: Floats) -> float:
    """The median of sizes of residuals; not 0 where as many are 0 as there are coefficients, and
    these are half of the runs.
    """
    counted = size[weights > 0.0]
    return max(float(np.median(counted)), SMALL * float(np.mean(counted))) + 1e-300


def _end(
    problem: Problems,
    low: float,
    high: float,
    theta: Floats,
    certificate: float = np.inf,
    converged: bool = False,
) -> Solution:
    with np.errstate(all="ignore"):
        residuals = problem.residuals(theta[None])[0]
    value = float(np.sum(_weights(problem) * np.where(residuals > 0.0, high, low) * residuals))
    return Solution(theta, value if np.isfinite(value) else np.inf, converged, certificate)


@dataclass(frozen=True)
class _Local:
    """Residuals, their Jacobian (p, n) and what is needed for second derivatives."""

    residuals: Floats
    jacobian: Floats
    values: Floats

    @property
    def is_tame(self) -> bool:
        """Whether all are numbers whose squares are."""
        return bool(
            np.isfinite(self.residuals).all()
            and np.isfinite(self.jacobian).all()
            and np.abs(self.jacobian).max() < LARGE
        )


def _local(problem: Problems, theta: Floats) -> _Local:
    return _Local(*problem.linearised(theta))


def _interpolate(
    problem: Problems,
    low: float,
    high: float,
    theta: Floats,
    step: _LinearStep,
    lower: Floats,
    upper: Floats,
) -> Solution | None:
    """Newton's method from `theta` with the residuals that are 0 after the step held there."""
    with np.errstate(all="ignore"):
        here, weights = _local(problem, theta), _weights(problem)
        zero, multipliers = step.zero, step.multipliers
        free = (theta > lower) & (theta < upper)
        if zero.sum() > free.sum():
            return None
        slopes = np.where(here.residuals > 0.0, high, low)
        scale = _typical(np.abs(here.residuals), weights)
        for _ in range(MOST_STEPS):
            slopes[zero] = multipliers
            slopes[~zero] = np.where(here.residuals[~zero] > 0.0, high, low)
            factors = weights * slopes
            gradient = here.jacobian @ factors
            hessian = (
                -(here.jacobian * factors) @ here.jacobian.T
                if problem.in_logs
                else np.zeros((len(theta),) * 2)
            )
            hessian = (
                hessian
                + problem.model.curvature(
                    theta[None],
                    factors[None],
                    here.jacobian[None],
                    gradient[None],
                    here.values[None] if problem.in_logs else None,
                )[0]
            )
            if not (here.is_tame and np.isfinite(hessian).all()):
                return None
            system = _Saddle.of(
                hessian, here.jacobian[:, zero] * weights[zero], here.jacobian, free
            )
            move, change = system.solve(gradient, here.residuals[zero] * weights[zero])
            if not (np.isfinite(move).all() and np.isfinite(change).all()):
                return None
            theta = theta + move
            multipliers = multipliers + change
            if ((theta < lower) | (theta > upper)).any():
                return None
            here = _local(problem, theta)
            if not np.isfinite(here.residuals).all():
                return None
            size = np.abs(move * system.scale).max()
            if size <= 1e-13 * max(1.0, scale) * np.sqrt(len(weights)) or size <= 1e-15:
                break
        slopes = np.where(here.residuals > 0.0, high, low)
        slopes[zero] = multipliers
        factors = weights * slopes
        gradient = here.jacobian @ factors
        total = np.abs(here.jacobian) @ np.abs(factors) + 1e-300
        # A bound holds a parameter where the gradient pushes it outward.
        outward = ((theta <= lower) & (gradient >= 0.0)) | ((theta >= upper) & (gradient <= 0.0))
        subgradient = float(np.abs(np.where(outward, 0.0, gradient) / total).max())
        flat = bool(np.all(np.abs(here.residuals[zero]) <= ZERO * scale))
        inside = bool(np.all((multipliers >= low - ROUNDING) & (multipliers <= high + ROUNDING)))
        certified = flat and inside and subgradient <= STATIONARY and system.convex
    return _end(problem, low, high, theta, subgradient, certified)


@dataclass(frozen=True)
class _Saddle:
    """[[H, J], [J', 0]] on the free parameters, with the parameters scaled to unit columns of the
    Jacobian.
    """

    matrix: Floats
    free: NDArray[np.bool_]
    scale: Floats
    convex: bool

    @classmethod
    def of(
        cls, hessian: Floats, constraints: Floats, jacobian: Floats, free: NDArray[np.bool_]
    ) -> _Saddle:
        scale = np.linalg.norm(jacobian, axis=1)
        scale[scale == 0.0] = 1.0
        h = (hessian / scale[:, None] / scale)[np.ix_(free, free)]
        j = (constraints / scale[:, None])[free]
        rows, columns = j.shape
        matrix = np.zeros((rows + columns, rows + columns))
        matrix[:rows, :rows], matrix[:rows, rows:], matrix[rows:, :rows] = h, j, j.T
        null = np.linalg.svd(j, full_matrices=True)[0][:, columns:]
        reduced = np.linalg.eigvalsh(null.T @ h @ null) if null.size else np.zeros(0)
        largest = np.abs(h).max() if h.size else 0.0
        return cls(matrix, free, scale, bool((reduced >= -1e-9 * largest).all()))

    def solve(self, gradient: Floats, residuals: Floats) -> tuple[Floats, Floats]:
        """The Newton step in the parameters, and in the multipliers."""
        right = -np.concatenate([(gradient / self.scale)[self.free], residuals])
        try:
            solution: Any = np.linalg.solve(self.matrix, right)
        except np.linalg.LinAlgError:
            solution = np.full(len(right), np.nan)
        move = np.zeros(len(self.free))
        count = int(self.free.sum())
        move[self.free] = solution[:count] / self.scale[self.free]
        return move, solution[count:]
