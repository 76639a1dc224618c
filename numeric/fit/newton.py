"""Damped Newton in a box for many problems at once, and the path of smoother objectives to a start.

K problems share a model and its runs; each has its own parameters, weights and observed values. The
Hessian is exact. A model is a law at n runs as a function of parameters theta (K, p), with

    size, part(runs)                            number of runs; the law at some of them
    evaluate(theta)                             values (K, n) and first derivatives (K, p, n)
    curvature(theta, jacobian, factors)         sum over the runs of factors (K, n) times the second
                                                derivatives: (K, p, p)
    project(theta, target, weights, box)        theta with the coefficients in which the law is linear
                                                solved for by least squares, and the squares left
    starts(observed, weights, box, judge,       parameters next to minima of the weighted squares, the
           seed)                                best first, and next to those of another objective
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Numbers in one pass, problems times runs, that fit into the cache.
BLOCK = 16_384
#: A parameter this close to its bound is on it.
AT_BOUND = 1e-9
MOST_STEPS = 200
#: At a minimum a step promises a decrease by less than this share of the objective.
ENOUGH = 1e-15
#: Eigenvalues of the scaled Hessian count as at least this share of the largest.
FLATTEST = 1e-12
#: Rounding errors: of an objective as a share of it, of a residual in units of the last place.
ROUNDING, ULPS = 1e-13, 16.0
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-8, 1e12
#: A step that gains less than this share of what it promised is tried again, in these shares.
POOR, SHARES = 0.25, (1.0, 0.5, 0.2, 0.06, 0.02)
#: The path of widths, in median residuals: the first, the one below which few residuals are curved,
#: the last for an objective with a kink; the longest step (root mean square); and each width as a
#: share of the one before.
WIDEST, NARROW, NARROWEST, LONGEST, NARROWING = 4.0, 0.2, 0.02, 3.0, 0.4
#: Steps at widths below `NARROW`, and the share of the objective at which they end; the same for
#: the first minimum.
NARROW_STEPS, CLOSELY, SETTLING, ROUGHLY = 15, 1e-7, 4, 1e-3
#: Points around a minimum, and their distances in multiples of the parameters' own spread.
STIRRED, SPREADS = 24, (0.3, 5.0)


class Box(NamedTuple):
    """The bounds (p,) that parameters keep to; they may be infinite."""

    lower: Any = -np.inf
    upper: Any = np.inf

    def inside(self, theta: Any) -> Floats:
        """The nearest parameters in the box."""
        return np.clip(theta, self.lower, self.upper)

    def on_lower(self, theta: Floats) -> Mask:
        """Which parameters (..., p) lie on their lower bounds."""
        return np.asarray(theta - self.lower <= AT_BOUND * np.maximum(1.0, np.abs(theta)))

    def on_upper(self, theta: Floats) -> Mask:
        """Which parameters (..., p) lie on their upper bounds."""
        return np.asarray(self.upper - theta <= AT_BOUND * np.maximum(1.0, np.abs(theta)))


EVERYWHERE = Box()


class Expansion(NamedTuple):
    """Objective (K,), gradient (K, p), Hessian (K, p, p), lengths of the Jacobian's columns (K, p)."""

    value: Floats
    gradient: Floats
    hessian: Floats
    lengths: Floats

    def put(self, which: Any, other: Expansion, chosen: Any = slice(None)) -> None:
        """Overwrite some of the problems."""
        for old, new in zip(self, other, strict=True):
            old[which] = new[chosen]


class Ends(NamedTuple):
    """The ends of K descents: parameters (K, p), objectives (K,), whether each is a minimum (K,)."""

    theta: Floats
    value: Floats
    done: Mask


class Problem(NamedTuple):
    """Observed values, their weights, and the objective."""

    model: Any
    target: Floats  # (n,) or (K, n): logarithms where residuals are those of logarithms
    weights: Any  # (n,) or (K, n), or one number for all
    objective: Any  # with in_logs, width, measure and rounding
    box: Box = EVERYWHERE
    width: Any = None  # a number or (K, 1), in place of the objective's own width

    @classmethod
    def of(
        cls, model: Any, observed: Floats, weights: Any, objective: Any, box: Box = EVERYWHERE
    ) -> Problem:
        """The problem for observed values, not logarithms; weights of None are 1."""
        target = np.log(observed) if objective.in_logs else observed
        return cls(model, target, 1.0 if weights is None else weights, objective, box)

    def some(self, which: Any) -> Problem:
        """Some of the problems."""

        parts = {"target": self.target, "weights": self.weights, "width": self.width}
        chosen = {name: part[which] for name, part in parts.items() if np.ndim(part) == 2}
        return self._replace(**chosen)

    def part(self, runs: Any) -> Problem:
        """One problem at some of its runs."""
        shape = (1, self.model.size)
        target, weights = (np.broadcast_to(x, shape)[0] for x in (self.target, self.weights))
        return self._replace(
            model=self.model.part(runs), target=target[runs], weights=weights[runs]
        )

    def alone(self) -> Problem:
        """One problem by itself, at the runs that have a weight."""
        return self.part(np.flatnonzero(np.broadcast_to(self.weights, (1, self.model.size))[0]))

    @property
    def observed(self) -> Floats:
        """The observed values, not their logarithms."""
        return np.exp(self.target) if self.objective.in_logs else self.target

    def errors(self, law: Floats) -> Floats:
        """The law (K, n) less the observed values, or the same in logarithms."""
        return np.asarray((np.log(law) if self.objective.in_logs else law) - self.target)

    def residuals(self, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The errors (K, n), their derivatives (K, p, n), the derivatives of the law, the law (K, n)."""
        law, slopes = self.model.evaluate(theta)
        jacobian = slopes / law[:, None] if self.objective.in_logs else slopes
        return self.errors(law), jacobian, slopes, law

    def floor(self) -> Floats:
        """The objective where all residuals are rounding errors, (K,) or one number."""
        size = ULPS * np.finfo(float).eps * (np.abs(self.target) + self.objective.in_logs)
        return np.sum(self.weights * self.objective.rounding(size, self.width), axis=-1)

    def values(self, theta: Floats) -> Floats:
        """The objectives (K,) alone; infinite where the law is not finite."""
        found = np.empty(len(theta))
        with np.errstate(all="ignore"):
            for block in self._blocks(len(theta)):
                some = self.some(block)
                errors = some.errors(self.model.evaluate(theta[block])[0])
                rho = self.objective.measure(errors, some.width)[0]
                found[block] = np.sum(some.weights * rho, axis=1)
        return np.where(np.isfinite(found), found, np.inf)

    def expand(self, theta: Floats) -> Expansion:
        """The objectives and their derivatives."""
        with np.errstate(all="ignore"):
            blocks = self._blocks(len(theta))
            parts = [self.some(block)._sums(theta[block]) for block in blocks]
        found = Expansion(*map(np.concatenate, zip(*parts, strict=True)))
        found.value[~np.isfinite(found.value)] = np.inf
        return found

    def _blocks(self, count: int) -> list[slice]:
        """Slices of problems that are evaluated together."""
        rows = max(1, BLOCK // self.model.size)
        return [slice(first, first + rows) for first in range(0, count, rows)]

    def _sums(self, theta: Floats) -> Expansion:
        r, jacobian, slopes, law = self.residuals(theta)
        rho, psi, bend = self.objective.measure(r, self.width)
        if np.ndim(self.weights):
            rho, psi, bend = rho * self.weights, psi * self.weights, bend * self.weights
        in_logs = self.objective.in_logs
        hessian = self.model.curvature(theta, slopes, psi / law if in_logs else psi)
        if in_logs:  # d2 log M = d2 M/M - (dM/M)(dM/M)'
            bend = bend - psi
        hessian += (jacobian * bend[:, None]) @ jacobian.transpose(0, 2, 1)
        gradient = (jacobian @ psi[:, :, None])[:, :, 0]
        lengths = np.sqrt(np.einsum("kpn,kpn->kp", jacobian, jacobian))
        return Expansion(rho.sum(axis=1), gradient, hessian, lengths)

    def retract(self, theta: Floats, step: Floats) -> Floats:
        """The ends of steps (K, p) along the curve of the model: the coefficients in which the law is
        linear follow the others, so that it has the values that a step predicts.

        Where an exponent is small its term is nearly a constant plus a line, and E, the coefficient
        and the exponent move together along a curve.
        """
        with np.errstate(all="ignore"):
            law, slopes = self.model.evaluate(theta)
            weights = law**-2.0 if self.objective.in_logs else np.ones_like(law)
            straight = self.box.inside(theta + step)
            predicted = law + (step[:, None] @ slopes)[:, 0]
        bent, squares = self.model.project(straight, predicted, weights, self.box)
        return np.where(np.isfinite(squares)[:, None], bent, straight)

    def shorter(self, at: Floats, promised: Floats, theta: Floats, step: Floats) -> Floats:
        """The best points along steps (K, p), on the model's curve or straight, which are shortened
        until each gains its part of the decrease that is promised of the objectives `at`.
        """
        best, lowest = theta.copy(), at.copy()
        for share in SHARES:
            part = share * step
            for points in (self.retract(theta, part), self.box.inside(theta + part)):
                values = self.values(points)
                better = values < lowest
                best[better], lowest[better] = points[better], values[better]
            if (at - lowest >= POOR * share * promised).all():
                break
        return best


def newton_step(
    at: Expansion, theta: Floats, damping: Floats, box: Box
) -> tuple[Floats, Floats, Floats, Mask]:
    """The step (K, p) of the parameters that no bound holds, the decrease that it promises, the
    decrease that an undamped step without bounds promises, and whether the Hessian of the free
    parameters is semidefinite, (K,) each.

    Negative curvature changes its sign; flat directions are damped, as a share of the steepest. A
    parameter that would cross a bound goes to it, and the others follow; where rounding leaves that
    no gain, the step is cut at the bound.
    """
    low, high = theta <= box.lower, theta >= box.upper
    held = (low & (at.gradient >= 0.0)) | (high & (at.gradient <= 0.0))
    scale = np.maximum(at.lengths, 1e-100)
    gradient, hessian = at.gradient / scale, at.hessian / (scale[:, :, None] * scale[:, None])
    if not np.isfinite(hessian).all():
        hessian[~np.isfinite(hessian)] = 0.0
    move, decrement, convex = _free_step(gradient, hessian, held, damping)
    while (outward := (low & (move < 0.0)) | (high & (move > 0.0))).any():
        held |= outward
        move, decrement, convex = _free_step(gradient, hessian, held, damping)
    beyond = theta + move / scale
    over = (beyond < box.lower) | (beyond > box.upper)
    promised = _promised(gradient, hessian, move)
    if over.any():
        room = (box.inside(beyond) - theta) * scale
        share = np.where(over, room / np.where(over, move, 1.0), 1.0).min(axis=1)
        cut, to_bound = share[:, None] * move, np.where(over, room, 0.0)
        pull = (hessian @ to_bound[:, :, None])[:, :, 0]
        move = to_bound + _free_step(gradient + pull, hessian, held | over, damping)[0]
        promised = _promised(gradient, hessian, move)
        if (astray := promised <= 0.0).any():
            move = np.where(astray[:, None], cut, move)
            promised = np.where(astray, _promised(gradient, hessian, cut), promised)
    return move / scale, promised, decrement, convex


def _promised(gradient: Floats, hessian: Floats, move: Floats) -> Floats:
    """The decrease of the quadratic, (K,); -inf for a move so long that it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        slope = gradient + 0.5 * (hessian @ move[:, :, None])[:, :, 0]
        promised = -(slope * move).sum(axis=1)
    return np.where(np.isfinite(promised), promised, -np.inf)


def _free_step(
    gradient: Floats, hessian: Floats, held: Mask, damping: Floats
) -> tuple[Floats, Floats, Mask]:
    """The step of the parameters that are not held, the decrease that an undamped step promises, and
    whether the Hessian is semidefinite there.
    """
    if held.any():
        gradient = np.where(held, 0.0, gradient)
        hessian = np.where(held[:, :, None] | held[:, None], 0.0, hessian)
    sizes, axes = np.linalg.eigh(hessian)
    largest = np.abs(sizes[:, [0, -1]]).max(axis=1, keepdims=True)
    curved = np.maximum(np.abs(sizes), FLATTEST * largest + 1e-300)
    along = (gradient[:, None] @ axes)[:, 0]
    move = -(axes @ (along / (curved + damping[:, None] * largest))[:, :, None])[:, :, 0]
    decrement = 0.5 * (along**2 / curved).sum(axis=1)
    return np.where(held, 0.0, move), decrement, sizes[:, 0] >= -FLATTEST * largest[:, 0]


def minimise(
    problem: Problem,
    theta: Floats,
    *,
    enough: float = ENOUGH,
    steps: int = MOST_STEPS,
    damping: float = FIRST_DAMPING,
) -> Ends:
    """Local minima of K problems in a box, from parameters (K, p), in at most `steps` steps, the
    first damped by a share of the greatest curvature.

    `Ends.done` says where a step promised less than the share `enough` of the objective, or than a
    rounding error, and the Hessian is semidefinite on the parameters that no bound holds; or where
    the objective itself is a rounding error.
    """
    theta = problem.box.inside(theta)
    floor = np.broadcast_to(problem.floor(), len(theta))
    at = problem.expand(theta)
    value, done = at.value.copy(), np.zeros(len(theta), dtype=bool)
    left, damped = np.flatnonzero(np.isfinite(value)), np.full(len(theta), damping)
    at = Expansion(*(part[left] for part in at))
    for _ in range(steps):
        if not left.size:
            break
        here, least = theta[left], np.maximum(floor[left], 0.0)
        step, promised, decrement, convex = newton_step(at, here, damped[left], problem.box)
        finished = (decrement <= np.maximum(enough * at.value, least)) & convex
        done[left[finished]] = True
        # The last step is worth its digits, though not an evaluation.
        theta[left[finished]] = problem.box.inside(here + step)[finished]
        going = ~finished & (damped[left] < MOST_DAMPING)
        if not going.all():
            left, here, step, least = left[going], here[going], step[going], least[going]
            promised, at = promised[going], Expansion(*(part[going] for part in at))
            if not left.size:
                break
        some = problem.some(left)
        trial = problem.box.inside(here + step)
        there = some.expand(trial)
        gain = (at.value - there.value) / np.maximum(promised, 1e-300)
        # Errors d of residuals r change the sum of squares by up to 2 |r| |d|.
        blur = ROUNDING * at.value + 2.0 * np.sqrt(np.maximum(at.value, 0.0) * least)
        poor = (gain < POOR) & (promised > blur)
        if poor.any():  # a kink or a bend on the way
            on = some.some(poor)
            trial[poor] = on.shorter(at.value[poor], promised[poor], here[poor], step[poor])
            there.put(poor, on.expand(trial[poor]))
        good = there.value <= at.value + np.where(promised <= blur, blur, -1e-6 * promised)
        theta[left[good]], value[left[good]] = trial[good], there.value[good]
        at.put(good, there, good)
        factor = np.where(gain > 0.75, 0.1, np.where(gain > POOR, 0.5, 2.0))
        eased = np.where(good, factor * damped[left], 8.0 * np.maximum(damped[left], LEAST_DAMPING))
        damped[left] = np.where(eased < LEAST_DAMPING, 0.0, eased)
    return Ends(theta, value, done | (value <= floor))


def follow(problem: Problem, theta: Floats, *, widest: float = WIDEST) -> Ends:
    """Local minima from starts (K, p) by way of smoother objectives, which have fewer: the first is
    curved over `widest` median residuals (Madsen and Nielsen 1993, A finite smoothing algorithm for
    linear l1 estimation). One with a kink is left smooth over a small width.

    A Newton step at each width keeps to the path of the minima; where few residuals are in the
    curved part, several do. The first minimum takes few steps.
    """
    if problem.objective.width == np.inf:
        return minimise(problem, theta, damping=0.0)
    scale = median_residuals(problem, theta)
    last = np.broadcast_to(problem.objective.width or NARROWEST * scale, scale.shape)
    width = np.maximum(widest * scale, last)
    wide = problem._replace(width=width)
    theta = minimise(wide, theta, enough=ROUGHLY, steps=SETTLING, damping=0.0).theta
    scale = median_residuals(problem, theta)
    width = np.maximum(np.minimum(widest * scale, width), last)
    longest = LONGEST * np.sqrt(problem.model.size) * scale
    while (width > last).any():
        width = np.maximum(NARROWING * width, last)
        narrower = problem._replace(width=width)
        if (width < NARROW * scale).any():
            theta = minimise(narrower, theta, enough=CLOSELY, steps=NARROW_STEPS, damping=0.0).theta
            continue
        at = narrower.expand(theta)
        step, *_ = newton_step(at, theta, np.zeros(len(theta)), problem.box)
        length = np.abs(step * at.lengths).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, longest / np.maximum(length, 1e-300))
        theta = problem.box.inside(theta + step)
    return minimise(problem._replace(width=last), theta, damping=0.0)


def median_residuals(problem: Problem, theta: Floats) -> Floats:
    """Median absolute residual of every problem, (K, 1), over the runs that have a weight."""
    with np.errstate(all="ignore"):
        size = np.abs(problem.errors(problem.model.evaluate(theta)[0]))
    if np.all(problem.weights > 0.0):
        middle = size.shape[1] // 2  # the upper one of two: a scale, and faster than np.median
        found = np.partition(size, middle, axis=1)[:, middle : middle + 1]
    else:
        size[np.broadcast_to(problem.weights, size.shape) == 0.0] = np.nan
        found = np.nanmedian(size, axis=1, keepdims=True)
    return np.where(np.isfinite(found), found, 1.0) + 1e-300


def stirred(problem: Problem, theta: Floats) -> Floats:
    """Random points around a minimum (p,), as far away as the residuals let the parameters vary:
    next to one minimum of an objective with a bend there may be a deeper one.
    """
    jacobian = problem.residuals(theta[None])[1][0]
    lengths = np.maximum(np.linalg.norm(jacobian, axis=1), 1e-100)
    axes, sizes, _ = np.linalg.svd(jacobian / lengths[:, None], full_matrices=False)
    spread = median_residuals(problem, theta[None])[0] / np.maximum(sizes, 1e-3 * sizes[0])
    drawn = np.random.default_rng(0).normal(size=(STIRRED, len(sizes)))
    drawn *= np.geomspace(*SPREADS, STIRRED)[:, None] * spread
    return problem.retract(np.tile(theta, (STIRRED, 1)), drawn @ axes.T / lengths)


def joined(ends: Iterable[Ends]) -> Ends:
    """All ends in one."""
    return Ends(*map(np.concatenate, zip(*ends, strict=True)))


def best_of(ends: Iterable[Ends]) -> Ends:
    """The lowest of several ends of each of K problems."""
    candidates = list(ends)
    which = np.argmin([end.value for end in candidates], axis=0)
    each = np.arange(len(which))
    return Ends(*(np.stack(parts)[which, each] for parts in zip(*candidates, strict=True)))
