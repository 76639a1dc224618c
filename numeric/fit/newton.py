"""Damped Newton in a box, for many problems at once.

One problem is a vector of parameters, observed values, weights and the three numbers of a `Clip`. All share the model, that is
the runs at which it is evaluated. The Hessian is exact. Runs are taken in blocks that stay in the cache, problems as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.fit.objective import Clip

    Floats = NDArray[np.float64]

#: Numbers in one pass: problems times runs.
BLOCK = 16_384
MOST_STEPS = 150
#: The decrease that a step promises, as a share of the objective, below which there is nothing left to gain.
ENOUGH = 1e-15
#: Share of the promised decrease that a step must bring.
SUFFICIENT = 1e-4
#: Differences of objectives that are a smaller share of them than this are rounding.
ROUNDING = 1e-13
#: Eigenvalues of the scaled Hessian are taken for at least this share of the largest; a negative one within it is rounding.
FLATTEST = 1e-10
#: A step that brings a smaller share of the decrease it promised shows that the valley is curved.
STRAIGHT = 0.5
#: A start this close to a bound, relative to 1 or to its size, is on it.
SNAPPED = 1e-9
FIRST_DAMPING, LEAST_DAMPING, HARDEST_DAMPING = 1e-2, 1e-8, 1e12


class Model(Protocol):
    """What can be fitted: a function of the runs with parameters theta."""

    @property
    def size(self) -> int:
        """Number of runs."""

    def part(self, runs: slice) -> Model:
        """The model at some of the runs."""

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n) for parameters (K, p); both are the caller's to overwrite."""

    def curvature(self, theta: Floats, factors: Floats, jacobian: Floats, gradient: Floats, divisor: Floats | None) -> Floats:
        """The sum over the runs of factors (K, n), over the divisor if there is one, times the second derivatives: (K, p, p).

        `jacobian` holds the first derivatives over the divisor, `gradient` their sum times the factors.
        """


@dataclass(frozen=True)
class Problems:
    """K problems on one model: what is observed, how it is weighted, what is minimised.

    Attributes
    ----------
    model : Model
    observed : ndarray
        (n,) or (K, n); logarithms where `in_logs`.
    weights : ndarray or None
        (n,) or (K, n); None where all are 1.
    clip : Clip
        Its entries are numbers or (K, 1).
    in_logs : bool
        Whether residuals are those of the logarithms.
    """

    model: Model
    observed: Floats
    weights: Floats | None
    clip: Clip
    in_logs: bool

    def some(self, chosen: Any) -> Problems:
        """The chosen ones of the problems."""

        def of(array: Any) -> Any:
            return array[chosen] if array is not None and np.ndim(array) == 2 else array

        return Problems(self.model, of(self.observed), of(self.weights), type(self.clip)(*map(of, self.clip)), self.in_logs)

    def with_clip(self, clip: Clip) -> Problems:
        """The same problems with another objective."""
        return Problems(self.model, self.observed, self.weights, clip, self.in_logs)

    def residuals(self, theta: Floats) -> Floats:
        """(K, n)."""
        values, _ = self.model.evaluate(theta)
        return (np.log(values) if self.in_logs else values) - self.observed


@dataclass
class Expansion:
    """Objective (K,), gradient (K, p), Hessian (K, p, p) and the lengths of the Jacobian's columns (K, p)."""

    value: Floats
    gradient: Floats
    hessian: Floats
    lengths: Floats

    def put(self, chosen: Any, other: Expansion, which: Any) -> None:
        """Overwrite the chosen problems."""
        self.value[chosen] = other.value[which]
        self.gradient[chosen] = other.gradient[which]
        self.hessian[chosen] = other.hessian[which]
        self.lengths[chosen] = other.lengths[which]

    def some(self, chosen: Any) -> Expansion:
        """At the chosen ones of the problems."""
        return Expansion(self.value[chosen], self.gradient[chosen], self.hessian[chosen], self.lengths[chosen])


@dataclass
class Minima:
    """Where Newton stopped: parameters, expansion there, and whether no step promised any further decrease."""

    theta: Floats
    expansion: Expansion
    done: NDArray[np.bool_]
    steps: int

    @property
    def value(self) -> Floats:
        """The objectives (K,)."""
        return self.expansion.value


def expand(problems: Problems, theta: Floats) -> Expansion:
    """Objective and its derivatives at parameters (K, p); infinite where the model leaves its domain."""
    size, count = problems.model.size, len(theta)
    with np.errstate(all="ignore"):
        if size * count <= BLOCK:
            found = _sums(problems, theta)
        else:
            found = _in_blocks(problems, theta)
    if not np.isfinite(found.value).all():
        found.value[~np.isfinite(found.value)] = np.inf
    np.sqrt(found.lengths, out=found.lengths)
    return found


def values(problems: Problems, theta: Floats) -> Floats:
    """The objectives (K,) alone."""
    rows = max(1, BLOCK // problems.model.size)
    found = np.empty(len(theta))
    with np.errstate(all="ignore"):
        for first in range(0, len(theta), rows):
            block = slice(first, first + rows)
            some = problems.some(block)
            residuals = some.residuals(theta[block])
            rho = some.clip.rho(residuals, some.clip.psi(residuals))
            found[block] = (rho if some.weights is None else rho * some.weights).sum(axis=1)
    return np.where(np.isfinite(found), found, np.inf)


def _in_blocks(problems: Problems, theta: Floats) -> Expansion:
    size, (count, width) = problems.model.size, theta.shape
    total = Expansion(np.zeros(count), np.zeros((count, width)), np.zeros((count, width, width)), np.zeros((count, width)))
    rows = max(1, BLOCK // size)
    for first in range(0, count, rows):
        block = slice(first, first + rows)
        chosen = problems.some(block)
        for start in range(0, size, BLOCK):
            piece = _sums(chosen if size <= BLOCK else _part(chosen, slice(start, start + BLOCK)), theta[block])
            total.value[block] += piece.value
            total.gradient[block] += piece.gradient
            total.hessian[block] += piece.hessian
            total.lengths[block] += piece.lengths
    return total


def _part(problems: Problems, runs: slice) -> Problems:
    weights = None if problems.weights is None else problems.weights[..., runs]
    return Problems(problems.model.part(runs), problems.observed[..., runs], weights, problems.clip, problems.in_logs)


def _sums(problems: Problems, theta: Floats) -> Expansion:
    """Sums over the runs; the lengths are still squared."""
    values, jacobian = problems.model.evaluate(theta)
    if problems.in_logs:
        residuals = np.log(values)
        residuals -= problems.observed
        jacobian /= values[:, None, :]
    else:
        residuals = values - problems.observed
    psi = problems.clip.psi(residuals)
    rho = problems.clip.rho(residuals, psi)
    second: Any = problems.clip.curvature(psi)
    if problems.weights is not None:
        rho *= problems.weights
        psi *= problems.weights
        second = second * problems.weights
    gradient = np.matmul(jacobian, psi[:, :, None])[:, :, 0]
    # d2 log M = d2 M/M - (dM/M)(dM/M)'
    inner = second - psi if problems.in_logs else np.broadcast_to(second, psi.shape)
    hessian = np.matmul(jacobian * inner[:, None, :], jacobian.transpose(0, 2, 1))
    hessian += problems.model.curvature(theta, psi, jacobian, gradient, values if problems.in_logs else None)
    return Expansion(rho.sum(axis=1), gradient, hessian, np.einsum("kpn,kpn->kp", jacobian, jacobian))


@dataclass(frozen=True)
class Step:
    """Newton's step (K, p), the decrease that the quadratic promises for it (K,), whether the Hessian is semidefinite (K,).

    `decrement` is what the undamped step would promise if no bound shortened it.
    """

    move: Floats
    promised: Floats
    decrement: Floats
    convex: NDArray[np.bool_]


def newton_step(at: Expansion, theta: Floats, damping: Floats, lower: Floats, upper: Floats) -> Step:
    """The step on the parameters that no bound holds; negative curvature is turned round, flat directions are damped.

    It ends at the first bound that it meets.
    """
    low, high = theta <= lower, theta >= upper
    held = (low & (at.gradient >= 0.0)) | (high & (at.gradient <= 0.0))
    step = _step_of_free(at, damping, held)
    for _ in range(theta.shape[1]):
        pushed = (low & (step.move < 0.0)) | (high & (step.move > 0.0))
        if not pushed.any():
            break
        held |= pushed
        step = _step_of_free(at, damping, held)
    with np.errstate(all="ignore"):
        room = np.where(step.move < 0.0, lower - theta, upper - theta) / step.move
    share = np.fmin(np.where(step.move == 0.0, np.inf, room).min(axis=1), 1.0)
    if (share < 1.0).any():
        return Step(step.move * share[:, None], step.promised * share * (2.0 - share), step.decrement, step.convex)
    return step


def _step_of_free(at: Expansion, damping: Floats, held: NDArray[np.bool_]) -> Step:
    scale = np.where(at.lengths > 0.0, at.lengths, 1.0)
    gradient = at.gradient / scale
    hessian = at.hessian / (scale[:, :, None] * scale[:, None, :])
    if held.any():
        gradient[held] = 0.0
        hessian[held[:, :, None] | held[:, None, :]] = 0.0
    hessian[~np.isfinite(hessian)] = 0.0
    values, vectors = np.linalg.eigh(hessian)
    largest = np.maximum(np.abs(values[:, :1]), np.abs(values[:, -1:]))
    size = np.maximum(np.abs(values), FLATTEST * largest + 1e-300)
    along = np.matmul(gradient[:, None, :], vectors)[:, 0, :]
    damped = size + damping[:, None] * largest
    move = along / damped
    promised = (move * (along - 0.5 * size * move)).sum(axis=1)
    taken = np.matmul(vectors, -move[:, :, None])[:, :, 0] / scale
    if held.any():
        taken[held] = 0.0
    decrement = 0.5 * (along * along / size).sum(axis=1)
    return Step(taken, promised, decrement, values[:, 0] >= -FLATTEST * largest[:, 0])


def minimise(
    problems: Problems,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    *,
    enough: float = ENOUGH,
    most_steps: int = MOST_STEPS,
    damping: float = FIRST_DAMPING,
) -> Minima:
    """Local minima of K problems in a box, from parameters (K, p).

    Parameters
    ----------
    problems : Problems
    theta : ndarray
        (K, p).
    lower, upper : ndarray
        (p,) or (K, p), may be infinite.
    enough : float
        Stop where a step promises less than this share of the objective.
    most_steps : int
    damping : float
        Of the first step, as a share of the greatest curvature.

    Returns
    -------
    Minima
        `done` tells where the step promised less than `enough` times the objective and the Hessian is positive semidefinite on
        the free parameters.
    """
    near = SNAPPED * (1.0 + np.abs(theta))
    theta = np.where(theta - lower <= near, lower, np.where(upper - theta <= near, upper, theta))
    lower, upper = np.broadcast_to(lower, theta.shape), np.broadcast_to(upper, theta.shape)
    here = expand(problems, theta)
    damped = np.full(len(theta), damping)
    done = np.zeros(len(theta), dtype=bool)
    curved = np.zeros(len(theta), dtype=bool)
    active = np.flatnonzero(np.isfinite(here.value))
    steps = 0
    while active.size and steps < most_steps:
        steps += 1
        everyone = active.size == len(theta)
        at, start = (here, theta) if everyone else (here.some(active), theta[active])
        step = newton_step(at, start, damped[active], lower[active], upper[active])
        finished = (step.decrement <= enough * at.value) & step.convex
        gone = finished | (damped[active] > HARDEST_DAMPING)
        if gone.any():
            ended = active[finished]
            done[ended] = True
            # The last step is worth its digits, though not an evaluation.
            theta[ended] = np.clip(theta[ended] + step.move[finished], lower[ended], upper[ended])
            active = active[~gone]
            if not active.size:
                break
            start, step = start[~gone], Step(*(part[~gone] for part in (step.move, step.promised, step.decrement, step.convex)))
            everyone = False
        trial = _reached(problems.model, start, step.move, curved[active], lower[active], upper[active])
        there = expand(problems if everyone else problems.some(active), trial)
        before = here.value[active]
        gain = (before - there.value) / np.maximum(step.promised, 1e-300)
        accepted = (gain > SUFFICIENT) | (
            (step.promised <= ROUNDING * before) & (there.value <= before * (1.0 + ROUNDING))
        )
        if everyone and accepted.all():
            theta, here = trial, there
        else:
            theta[active[accepted]] = trial[accepted]
            here.put(active[accepted], there, accepted)
        curved[active] |= gain < STRAIGHT
        damped[active] = _damping(damped[active], gain, accepted)
    return Minima(theta, here, done, steps)


def _reached(
    model: Model, theta: Floats, move: Floats, curved: NDArray[np.bool_], lower: Floats, upper: Floats
) -> Floats:
    """Where the steps lead: straight on, or along the model's own curve once a straight step has disappointed."""
    trial = np.clip(theta + move, lower, upper)
    # A bound that the step just meets is met exactly.
    gap = 1e-12 * (np.abs(theta) + np.abs(move))
    trial = np.where((move < 0.0) & (trial - lower <= gap), lower, trial)
    trial = np.where((move > 0.0) & (upper - trial <= gap), upper, trial)
    if curved.any() and hasattr(model, "retract"):
        size = max(1, BLOCK // model.size)
        which = np.flatnonzero(curved)
        for first in range(0, len(which), size):
            rows = which[first : first + size]
            values, jacobian = model.evaluate(theta[rows])
            trial[rows] = model.retract(theta[rows], move[rows], values, jacobian, lower[rows], upper[rows])
    return trial


def _damping(damping: Floats, gain: Floats, accepted: NDArray[np.bool_]) -> Floats:
    """Less where the quadratic foretold the decrease, more where it did not."""
    eased = damping * np.where(gain > 0.75, 0.1, np.where(gain > 0.25, 0.5, 3.0))
    eased[eased < LEAST_DAMPING] = 0.0
    return np.where(accepted, eased, 8.0 * np.maximum(damping, LEAST_DAMPING))
