"""Damped Newton in a box, for many problems at once.

One problem is a vector of parameters, observed values, weights and what a residual costs, as a rule
the three numbers of a `Clip`. All share the model, that is the runs at which it is evaluated. The
Hessian is exact. Runs are taken in blocks that stay in the cache, problems as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .objective import Objective

    Floats = NDArray[np.float64]

#: Numbers in one pass: problems times runs.
BLOCK = 16_384
MOST_STEPS = 150
#: The decrease that a step promises, as a share of the objective, below which there is nothing left
#: to gain.
ENOUGH = 1e-15
#: Share of the promised decrease that a step must bring.
SUFFICIENT = 1e-4
#: Differences of objectives that are a smaller share of them than this are rounding.
ROUNDING = 1e-13
#: Eigenvalues of the scaled Hessian are taken for at least this share of the largest; a negative
#: one within it is rounding.
FLATTEST = 1e-10
#: A step that brings a smaller share of the decrease it promised shows that the valley is curved;
#: one along the model's own curve that does so, that the curve is not the valley's.
STRAIGHT = 0.5
#: Rounding errors of a residual, in units of the last place of what it is the difference of.
ROUNDINGS = 16.0
#: A start this close to a bound, relative to 1 or to its size, is on it.
SNAPPED = 1e-9
#: A column of the Jacobian that is 0 is taken to be this long: its square is still a number.
TINY = 1e-100
FIRST_DAMPING, LEAST_DAMPING, HARDEST_DAMPING = 1e-2, 1e-8, 1e12


class ResidualCost(Protocol):
    """What a residual costs: a `Clip`, or anything else with two derivatives."""

    def value(self, residuals: Floats) -> Floats:
        """The function of residuals (K, n)."""

    def rounding(self, size: Floats) -> Floats:
        """What rounding errors of a size cost where they are all the residuals: broadcasts with (K,
        n).
        """

    def measure(self, residuals: Floats) -> tuple[Floats, Floats, Any]:
        """The function of residuals (K, n) and its two derivatives; the first two are the caller's
        to overwrite.
        """

    def some(self, of: Callable[[Any], Any]) -> Any:
        """For some of the problems, which `of` takes out of an array of one row a problem."""


class Model(Protocol):
    """What can be fitted: a function of the runs with parameters theta."""

    @property
    def size(self) -> int:
        """Number of runs."""

    def part(self, runs: slice) -> Model:
        """The model at some of the runs."""

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n) for parameters (K, p); both are the
        caller's to overwrite.
        """

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n), over the divisor if there is one, times the
        second derivatives: (K, p, p).

        `jacobian` holds the first derivatives over the divisor, `gradient` their sum times the
        factors.
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
    clip : ResidualCost
        A `Clip` whose entries are numbers or (K, 1), or another measure of residuals.
    in_logs : bool
        Whether residuals are those of the logarithms.
    """

    model: Model
    observed: Floats
    weights: Floats | None
    clip: Any
    in_logs: bool

    @classmethod
    def of(
        cls, model: Model, observed: Floats, weights: Floats | None, objective: Objective
    ) -> Problems:
        """The problems of an objective: `observed` holds values, not logarithms."""
        target = np.log(observed) if objective.in_logs else observed
        return cls(model, target, weights, objective.clip(), objective.in_logs)

    def some(self, chosen: Any) -> Problems:
        """The chosen ones of the problems; of one index that problem, for any number of parameters."""

        def of(array: Any) -> Any:
            return array[chosen] if array is not None and np.ndim(array) == 2 else array

        return Problems(
            self.model, of(self.observed), of(self.weights), self.clip.some(of), self.in_logs
        )

    def with_clip(self, clip: ResidualCost) -> Problems:
        """The same problems with another objective."""
        return Problems(self.model, self.observed, self.weights, clip, self.in_logs)

    def residuals(self, theta: Floats) -> Floats:
        """(K, n)."""
        values, _ = self.model.evaluate(theta)
        return (np.log(values) if self.in_logs else values) - self.observed

    def linearised(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Of one problem at parameters (p,): the residuals (n,), law less observed, their
        derivatives (p, n), and the values of the law (n,).
        """
        values, jacobian = self.model.evaluate(theta[None])
        if self.in_logs:
            jacobian /= values[:, None, :]
        law = np.log(values[0]) if self.in_logs else values[0]
        return law - self.observed.reshape(-1), jacobian[0], values[0]

    @property
    def rounding(self) -> Floats:
        """The objective where rounding errors are all the residuals: (K,), or (1,) for all
        problems.
        """
        size = np.abs(np.atleast_2d(self.observed)) + self.in_logs
        size *= ROUNDINGS * np.finfo(np.float64).eps
        rho = self.clip.rounding(size)
        found: Floats = (rho if self.weights is None else rho * self.weights).sum(axis=1)
        return found


@dataclass
class Quadratic:
    """Objective (K,), gradient (K, p), Hessian (K, p, p) and the lengths of the Jacobian's columns
    (K, p).
    """

    value: Floats
    gradient: Floats
    hessian: Floats
    lengths: Floats

    def put(self, chosen: Any, other: Quadratic, which: Any) -> None:
        """Overwrite the chosen problems."""
        self.value[chosen] = other.value[which]
        self.gradient[chosen] = other.gradient[which]
        self.hessian[chosen] = other.hessian[which]
        self.lengths[chosen] = other.lengths[which]

    def some(self, chosen: Any) -> Quadratic:
        """At the chosen ones of the problems."""
        return Quadratic(
            self.value[chosen], self.gradient[chosen], self.hessian[chosen], self.lengths[chosen]
        )


@dataclass
class Ends:
    """Where Newton stopped: parameters, expansion there, whether it was a minimum, and what the
    last step still promised.
    """

    theta: Floats
    expansion: Quadratic
    done: NDArray[np.bool_]
    decrement: Floats
    steps: int

    @property
    def value(self) -> Floats:
        """The objectives (K,)."""
        return self.expansion.value

    def some(self, chosen: Any) -> Ends:
        """The chosen ones."""
        return Ends(
            self.theta[chosen],
            self.expansion.some(chosen),
            self.done[chosen],
            self.decrement[chosen],
            self.steps,
        )


def best_of(ends: Sequence[Ends]) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
    """Of several ends of each of K problems the lowest: parameters (K, p), objectives (K,), whether
    it is a minimum, and what the last step still promised.
    """
    which = np.argmin([end.value for end in ends], axis=0)
    each = np.arange(len(which))
    parts = zip(*((end.theta, end.value, end.done, end.decrement) for end in ends), strict=True)
    theta, value, done, decrement = (np.stack(part)[which, each] for part in parts)
    return theta, value, done, decrement


def expand(problems: Problems, theta: Floats) -> Quadratic:
    """Objective and its derivatives at parameters (K, p); infinite where the model leaves its
    domain.
    """
    size, count = problems.model.size, len(theta)
    with np.errstate(all="ignore"):
        found = _sums(problems, theta) if size * count <= BLOCK else _in_blocks(problems, theta)
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
            rho = some.clip.value(residuals)
            found[block] = (rho if some.weights is None else rho * some.weights).sum(axis=1)
    return np.where(np.isfinite(found), found, np.inf)


def _in_blocks(problems: Problems, theta: Floats) -> Quadratic:
    size, (count, width) = problems.model.size, theta.shape
    total = Quadratic(
        np.zeros(count),
        np.zeros((count, width)),
        np.zeros((count, width, width)),
        np.zeros((count, width)),
    )
    rows = max(1, BLOCK // size)
    for first in range(0, count, rows):
        block = slice(first, first + rows)
        chosen = problems.some(block)
        for start in range(0, size, BLOCK):
            piece = _sums(
                chosen if size <= BLOCK else _part(chosen, slice(start, start + BLOCK)),
                theta[block],
            )
            total.value[block] += piece.value
            total.gradient[block] += piece.gradient
            total.hessian[block] += piece.hessian
            total.lengths[block] += piece.lengths
    return total


def _part(problems: Problems, runs: slice) -> Problems:
    weights = None if problems.weights is None else problems.weights[..., runs]
    return Problems(
        problems.model.part(runs),
        problems.observed[..., runs],
        weights,
        problems.clip,
        problems.in_logs,
    )


def _sums(problems: Problems, theta: Floats) -> Quadratic:
    """Sums over the runs; the lengths are still squared."""
    values, jacobian = problems.model.evaluate(theta)
    if problems.in_logs:
        residuals = np.log(values)
        residuals -= problems.observed
        jacobian /= values[:, None, :]
    else:
        residuals = values - problems.observed
    rho, psi, second = problems.clip.measure(residuals)
    if problems.weights is not None:
        rho *= problems.weights
        psi *= problems.weights
        second = second * problems.weights
    gradient = np.matmul(jacobian, psi[:, :, None])[:, :, 0]
    # d2 log M = d2 M/M - (dM/M)(dM/M)'
    inner = second - psi if problems.in_logs else np.broadcast_to(second, psi.shape)
    hessian = np.matmul(jacobian * inner[:, None, :], jacobian.transpose(0, 2, 1))
    hessian += problems.model.curvature(
        theta, psi, jacobian, gradient, values if problems.in_logs else None
    )
    return Quadratic(
        rho.sum(axis=1), gradient, hessian, np.einsum("kpn,kpn->kp", jacobian, jacobian)
    )


@dataclass(frozen=True)
class NewtonStep:
    """Newton's step (K, p), the decrease that the quadratic promises for it (K,), whether the
    Hessian is semidefinite (K,).

    `decrement` is what the undamped step would promise if no bound shortened it.
    """

    move: Floats
    promised: Floats
    decrement: Floats
    convex: NDArray[np.bool_]


def newton_step(
    at: Quadratic, theta: Floats, damping: Floats, lower: Floats, upper: Floats
) -> NewtonStep:
    """The step on the parameters that no bound holds; negative curvature is turned round, flat
    directions are damped.

    It ends at the first bound that it meets.
    """
    low, high = theta <= lower, theta >= upper
    held = (low & (at.gradient >= 0.0)) | (high & (at.gradient <= 0.0))
    step = _step_of_free(at, damping, held)
    while ((low & (step.move < 0.0)) | (high & (step.move > 0.0))).any():
        held |= (low & (step.move < 0.0)) | (high & (step.move > 0.0))
        step = _step_of_free(at, damping, held)
    trial = theta + step.move
    if ((trial >= lower) & (trial <= upper)).all():
        return step
    with np.errstate(all="ignore"):
        room = np.where(step.move < 0.0, lower - theta, upper - theta) / step.move
    share = np.fmin(np.where(step.move == 0.0, np.inf, room).min(axis=1), 1.0)
    return NewtonStep(
        step.move * share[:, None],
        step.promised * share * (2.0 - share),
        step.decrement,
        step.convex,
    )


def _step_of_free(at: Quadratic, damping: Floats, held: NDArray[np.bool_]) -> NewtonStep:
    scale = np.maximum(at.lengths, TINY)
    gradient = at.gradient / scale
    hessian = at.hessian / (scale[:, :, None] * scale[:, None, :])
    some_held = held.any()
    if some_held:
        gradient[held] = 0.0
        hessian[held[:, :, None] | held[:, None, :]] = 0.0
    if not np.isfinite(hessian).all():
        hessian[~np.isfinite(hessian)] = 0.0
    values, vectors = np.linalg.eigh(hessian)
    size = np.abs(values)
    largest = np.maximum(size[:, :1], size[:, -1:])
    np.maximum(size, FLATTEST * largest + 1e-300, out=size)
    along = np.matmul(gradient[:, None, :], vectors)[:, 0, :]
    move = along / (size + damping[:, None] * largest)
    promised = (move * (along - 0.5 * size * move)).sum(axis=1)
    decrement = (0.5 * along * along / size).sum(axis=1)
    taken = np.matmul(vectors, -move[:, :, None])[:, :, 0] / scale
    if some_held:
        taken[held] = 0.0
    return NewtonStep(taken, promised, decrement, values[:, 0] >= -FLATTEST * largest[:, 0])


def minimise(
    problems: Problems,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    *,
    enough: float = ENOUGH,
    most_steps: int = MOST_STEPS,
    damping: float = FIRST_DAMPING,
) -> Ends:
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
    Ends
        `done` tells where the step promised less than `enough` times the objective, or than
        rounding errors make of 0, and the Hessian is positive semidefinite on the free parameters;
        or the objective itself is what rounding errors make of 0.
    """
    near = SNAPPED * (1.0 + np.abs(theta))
    theta = np.where(theta - lower <= near, lower, np.where(upper - theta <= near, upper, theta))
    lower, upper = np.broadcast_to(lower, theta.shape), np.broadcast_to(upper, theta.shape)
    at = expand(problems, theta)
    ends, last, done = theta.copy(), at, np.zeros(len(theta), dtype=bool)
    decrement = np.full(len(theta), np.inf)
    # From here on only the problems that go on; `index` says which these are.
    index, whole, x = np.arange(len(theta)), problems, theta
    damped, curved = np.full(len(theta), damping), np.zeros(len(theta), dtype=bool)
    on = np.isfinite(at.value)
    floor = np.broadcast_to(problems.rounding, on.shape)
    noise = np.maximum(floor, 0.0)
    steps = 0
    while steps < most_steps and on.any():
        if not on.all():
            index, x, at, damped, curved, noise = (
                index[on],
                x[on],
                at.some(on),
                damped[on],
                curved[on],
                noise[on],
            )
            lower, upper, whole, on = lower[on], upper[on], problems.some(index), on[on]
        steps += 1
        step = newton_step(at, x, damped, lower, upper)
        decrement[index] = step.decrement
        finished = (step.decrement <= np.maximum(enough * at.value, noise)) & step.convex
        on = ~(finished | (damped > HARDEST_DAMPING))
        if not on.all():
            done[index] = finished
            # The last step is worth its digits, though not an evaluation.
            x = np.where(finished[:, None], np.clip(x + step.move, lower, upper), x)
            _record(ends, last, index, x, at)
            continue
        trial = _reached(whole.model, x, step.move, curved, lower, upper)
        there = expand(whole, trial)
        gain = (at.value - there.value) / np.maximum(step.promised, 1e-300)
        # Errors d of residuals r change the sum of squares by up to 2 |r| |d|.
        blur = ROUNDING * at.value + 2.0 * np.sqrt(at.value * noise)
        accepted = (gain > SUFFICIENT) | (
            (step.promised <= blur) & (there.value <= at.value + blur)
        )
        if accepted.all():
            x, at = trial, there
        elif accepted.any():
            x = np.where(accepted[:, None], trial, x)
            at = at.some(slice(None))
            at.put(accepted, there, accepted)
        curved ^= gain < STRAIGHT
        damped = _damping(damped, gain, accepted)
    _record(ends, last, index, x, at)
    return Ends(ends, last, done | (last.value <= floor), decrement, steps)


def _record(
    ends: Floats, last: Quadratic, index: NDArray[np.intp], theta: Floats, at: Quadratic
) -> None:
    """Where the problems that go on are now."""
    ends[index] = theta
    if at is not last:
        last.put(index, at, slice(None))


def _reached(
    model: Model,
    theta: Floats,
    move: Floats,
    curved: NDArray[np.bool_],
    lower: Floats,
    upper: Floats,
) -> Floats:
    """Where the steps lead: straight on, or along the model's own curve where the last straight
    step has disappointed.
    """
    trial = theta + move
    # A bound that the step just meets is met exactly.
    gap = 1e-12 * (np.abs(theta) + np.abs(move))
    if ((trial - lower <= gap) | (upper - trial <= gap)).any():
        trial = np.where((move < 0.0) & (trial - lower <= gap), lower, trial)
        trial = np.where((move > 0.0) & (upper - trial <= gap), upper, trial)
        trial = np.clip(trial, lower, upper)
    if curved.any() and hasattr(model, "retract"):
        size = max(1, BLOCK // model.size)
        which = np.flatnonzero(curved)
        for first in range(0, len(which), size):
            rows = which[first : first + size]
            values, jacobian = model.evaluate(theta[rows])
            trial[rows] = model.retract(
                theta[rows], move[rows], values, jacobian, lower[rows], upper[rows]
            )
    return trial


def _damping(damping: Floats, gain: Floats, accepted: NDArray[np.bool_]) -> Floats:
    """Less where the quadratic foretold the decrease, more where it did not."""
    eased = damping * np.where(gain > 0.75, 0.1, np.where(gain > 0.25, 0.5, 3.0))
    eased[eased < LEAST_DAMPING] = 0.0
    return np.where(accepted, eased, 8.0 * np.maximum(damping, LEAST_DAMPING))
