r"""Profile intervals: the values of a quantity for which the best fit that has this value is not much worse than the best fit.

    {psi : statistic(min_{q(theta) = psi} f(theta)) <= t^2_{n - p, level}}

with Student's t for the n - p runs beyond the free coefficients. For least squares the statistic is (n - p) (f/f_min - 1), the F
ratio for normal errors of one variance. For Huber's function it is 2 (1 - p/n) (f - f_min) sum w rho''/sum (w psi)^2, which has
the same limit for independent errors of one distribution (Ronchetti 1982); rho'' is averaged over a bandwidth as in the sandwich.

The quantity is held by elimination: one parameter follows from the others, so that what is left is minimised by the solver of
every fit, from where the last value ended. `end_of` then finds where the statistic is critical.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from .covariance import bandwidth, require_determined
from .intervals import Interval, checked_level, normal_quantile
from .newton import Problems, expand, minimise

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .derived import Quantity
    from .result import Fit

    Floats = NDArray[np.float64]

LEAST_SQUARES_NOTE = "F ratio for independent normal errors of one variance"
HUBER_NOTE = "likelihood ratio calibrated for independent errors of one distribution"
GROUPS_NOTE = "runs of one group are taken for independent, so it is too narrow where they share an error"
MOST_STEPS = 50
#: The first bracket, in half widths by the quadratic approximation; the factor of each further one; and how many there are.
FIRST, GROWTH, MOST_BRACKETS = 0.5, 1.5, 30
#: An end is found to this share of the half width.
CLOSE = 1e-9
#: The parameter that follows from the others is settled where it moves by less, relative to 1 or to its size.
SETTLED = 1e-12
#: Step of the differences that give the second derivatives of a quantity, in standard errors of the coordinates.
DIFFERENCE = 1e-3


def profile(
    fit: Fit,
    quantity: str | Quantity,
    *,
    level: float = 0.9,
    compute: float | None = None,
    ratio: float | None = None,
) -> Interval:
    """The profile interval of a coefficient or of a derived quantity.

    Parameters
    ----------
    fit : Fit
        By least squares or by Huber's function.
    quantity : str or Quantity
        A coefficient ("E", "A", "beta", ...), or the name of a derived quantity ("alpha", "C0", "N_star", "L_star", "penalty",
        ...) of a params+tokens law.
    level : float
    compute, ratio : float, optional
        What quantities at a compute, and at an overtraining ratio, are for.

    Returns
    -------
    Interval
        An end is None where no value of the quantity on that side is worse enough.

    Raises
    ------
    ValueError
        For a sharp objective, an unknown quantity, a fit that did not converge or meets all runs exactly, or runs that do not
        tell the coefficients apart.
    """
    level = checked_level(level)
    if fit.objective.is_sharp:
        raise ValueError(
            f"objective={fit.objective.name!r}: has no profile interval; must be least squares or huber-log; or use the bootstrap"
        )
    if not fit.converged:
        raise ValueError("profile: the fit did not converge")
    require_determined(fit)
    target = _target(fit, quantity, compute, ratio)
    problem = _Rise.of(fit)
    ends, notes = [], [LEAST_SQUARES_NOTE if fit.objective.is_square else HUBER_NOTE]
    if fit.runs.group is not None:
        notes.append(GROUPS_NOTE)
    for side in (-1.0, 1.0):
        try:
            ends.append(_end(fit, problem, target, problem.critical(level), side))
        except _Unfound:
            ends.append(None)
            notes.append(
                f"{target.name}: the search for its {'lower' if side < 0.0 else 'upper'} end did not succeed; it may exist"
            )
    (low, high), note = ends, "; ".join(notes)
    return Interval(
        name=target.name,
        value=target.shown(float(target.at(fit.theta[None])[0])),
        low=low,
        high=high,
        level=level,
        kind="profile",
        note=note,
    )


class _Unfound(Exception):
    """The search for an end stopped short of it."""


@dataclass(frozen=True)
class _Target:
    """A function q of the solver's parameters, with the gradient of q or of its logarithm at several of them at once.

    Both are nan where q is not defined: a step may leave the box that the law is sought in.
    """

    name: str
    at: Callable[[Floats], Floats]
    gradients: Callable[[Floats], Floats]
    in_logs: bool

    def shown(self, value: float) -> float:
        """The quantity itself where `value` is its logarithm."""
        with np.errstate(over="ignore"):
            return float(np.exp(value)) if self.in_logs else value


def _target(fit: Fit, quantity: str | Quantity, compute: float | None, ratio: float | None) -> _Target:
    names = fit.model.coefficients
    turn = fit.design.to_coordinates
    if isinstance(quantity, str) and quantity in names:
        index = names.index(quantity)
        if not fit.free[index]:
            raise ValueError(f"quantity={quantity!r}: is fixed or on a bound; it has no profile")
        row, is_log = turn[index], fit.model.coordinates[index] != quantity
        return _Target(
            quantity,
            lambda theta: theta @ row,
            lambda theta: np.repeat(row[None], len(theta), axis=0),
            is_log,
        )
    from .derived import Quantity, default_quantities

    if fit.model.name != "params-tokens":
        raise outside("quantity", quantity, f"one of {', '.join(names)}")
    if isinstance(quantity, Quantity):
        chosen = quantity
    else:
        known = {each.name: each for each in default_quantities(compute, ratio)}
        if quantity not in known:
            more = "" if compute is not None and ratio is not None else " (more with compute and ratio)"
            raise outside("quantity", quantity, f"one of {', '.join((*names, *known))}{more}")
        chosen = known[quantity]

    def given(theta: Floats) -> dict[str, Any]:
        found = fit.design.coefficients(theta)
        return {"E": np.zeros(found.shape[:-1]), **dict(zip(names, np.moveaxis(found, -1, 0), strict=True))}

    columns = [fit.model.coordinates.index(name) if name in fit.model.coordinates else None for name in _COORDINATES]

    def at(theta: Floats) -> Floats:
        try:
            values = chosen.values(**given(theta))
        except ValueError:
            return np.full(len(theta), np.nan)
        return np.log(values) if chosen.by_log else values

    def gradients(theta: Floats) -> Floats:
        found = np.zeros((len(theta), len(names)))
        try:
            wide = chosen.gradients(**given(theta))
            if chosen.by_log:
                wide /= chosen.values(**given(theta))[:, None]
        except ValueError:
            return np.full_like(found, np.nan)
        for source, column in enumerate(columns):
            if column is not None:
                found[:, column] = wide[:, source]
        return found @ turn

    return _Target(chosen.name, at, gradients, chosen.by_log)


_COORDINATES = ("E", "log A", "log B", "beta", "gamma")


@dataclass(frozen=True)
class _Rise:
    """How much worse than the best fit a point is, in the units of t^2, with derivatives."""

    problems: Problems
    smooth: Problems
    least: float
    runs: int
    spare: int
    factor: float  # of f - f_min; 0 where the rise is n log(f/f_min)

    @classmethod
    def of(cls, fit: Fit) -> _Rise:
        observed = np.asarray(fit.runs.loss)
        problems = Problems.of(fit.design.model, observed, fit.runs.weight, fit.objective)
        if fit.objective_value <= float(problems.rounding[0]):
            raise ValueError("profile: the law meets the runs exactly; no residuals tell how sure it is")
        spare = len(fit.runs) - int(fit.free.sum())
        if fit.objective.is_square:
            return cls(problems, problems, fit.objective_value, len(fit.runs), spare, 0.0)
        clip = fit.objective.clip(bandwidth(fit, fit.residuals))
        psi = clip.psi(fit.residuals)
        weights = np.ones_like(psi) if fit.runs.weight is None else fit.runs.weight
        factor = (
            2.0
            * (spare / len(psi))
            * float(np.sum(weights * clip.curvature(psi)) / np.sum((weights * fit.objective.clip().psi(fit.residuals)) ** 2))
        )
        return cls(problems, problems.with_clip(clip), fit.objective_value, len(fit.runs), spare, factor)

    def critical(self, level: float) -> float:
        """The rise at the ends of an interval."""
        square = normal_quantile(level, self.spare) ** 2
        return square if self.factor else self.runs * log1p(square / self.spare)

    def of_value(self, value: float) -> float:
        """The rise of an objective."""
        return self.factor * (value - self.least) if self.factor else self.runs * log(value / self.least)

    def at(self, theta: Floats) -> tuple[float, Floats, Floats, Floats]:
        """The rise, its gradient and Hessian, and the lengths of the columns of the Jacobian."""
        exact = expand(self.problems, theta[None])
        around = exact if self.smooth is self.problems else expand(self.smooth, theta[None])
        value, gradient = float(exact.value[0]), exact.gradient[0]
        if self.factor:
            return self.factor * (value - self.least), self.factor * gradient, self.factor * around.hessian[0], exact.lengths[0]
        slope = self.runs / value
        hessian = slope * (exact.hessian[0] - np.outer(gradient, gradient) / value)
        return self.runs * log(value / self.least), slope * gradient, hessian, exact.lengths[0]


def _end(fit: Fit, rise: _Rise, target: _Target, most: float, side: float) -> float | None:
    """One end; None where no value on that side is worse enough."""
    slope = target.gradients(fit.theta[None])[0]
    _, _, hessian, _ = rise.at(fit.theta)
    free = np.flatnonzero(fit.free)
    across = np.linalg.solve(hessian[np.ix_(free, free)], slope[free])
    step = float(np.sqrt(2.0 * most * (slope[free] @ across)))
    if not isfinite(step):
        raise _Unfound
    held = _Held.of(fit, rise, target)
    start = float(target.at(fit.theta[None])[0])
    limit = held.limits[0 if side < 0.0 else 1]
    end = end_of(held.rise, start, side * step, most, limit)
    return None if end is None else target.shown(end)


def end_of(rise: Callable[[float], float], start: float, step: float, most: float, limit: float) -> float | None:
    """Where a rise that is 0 at the start first exceeds `most`: brackets in growing steps, then Brent's method.

    Parameters
    ----------
    rise : callable
    start, step : float
        Of the first bracket; the sign of the step is that of the side.
    most : float
    limit : float
        The value beyond which there is none, may be infinite.

    Returns
    -------
    float or None
        The limit where the rise is no more than `most` as far as there; None where it never exceeds it.
    """
    from scipy.optimize import brentq

    inside, outside, known = start, start + FIRST * step, {start: -most}
    for _ in range(MOST_BRACKETS):
        if (outside - limit) * step >= 0.0:
            outside = limit
        known[outside] = rise(outside) - most
        if known[outside] > 0.0:
            ends = sorted((inside, outside))
            return float(
                brentq(
                    lambda value: known[value] if value in known else rise(value) - most,
                    *ends,
                    xtol=CLOSE * abs(step),
                    rtol=1e-15,
                )
            )
        if outside == limit:
            return limit
        inside, outside = outside, start + GROWTH * (outside - start)
    return None


@dataclass
class _Held:
    """A law with a quantity held: parameter `index` follows from the others. It is a model for the Newton solver.

    Along it dtheta_j = -(q_i/q_j) dtheta_i; its second derivatives are those of the law on the tangent Z, less those of q times
    the law's derivative in theta_j over q_j: Z' (C - (f_j/q_j) Q) Z.
    """

    model: Any
    target: _Target
    index: int
    theta: Floats  # where the last search ended
    size_of_step: Floats
    held: float = 0.0
    problems: Any = None
    rises: Any = None
    lower: Any = None
    upper: Any = None
    last: Any = None  # the value held, the others, and all of them

    @classmethod
    def of(cls, fit: Fit, rise: _Rise, target: _Target) -> _Held:
        """By the parameter on which the quantity depends most; E, which has a bound, only where it must be."""
        _, _, hessian, _ = rise.at(fit.theta)
        unit = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(hessian)), 1e-300))
        share = np.abs(target.gradients(fit.theta[None])[0]) * unit * fit.free
        if fit.model.coefficients[0] == "E" and (share[1:] > 0.0).any():
            share[0] = 0.0
        model = cls(fit.design.model, target, int(np.argmax(share)), fit.theta.copy(), DIFFERENCE * unit)
        model.rises, model.lower, model.upper = rise, fit.design.lower, fit.design.upper
        model.problems = replace(rise.problems, model=model)
        return model

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value: those of the parameter itself, where the quantity is one."""
        slope = self.target.gradients(self.theta[None])[0]
        if np.count_nonzero(slope) > 1:
            return -np.inf, np.inf
        ends = (slope[self.index] * self.lower[self.index], slope[self.index] * self.upper[self.index])
        return min(ends), max(ends)

    def rise(self, value: float) -> float:
        """How much worse the best law with this value is, in the units of t^2."""
        self.held = value
        others = np.arange(len(self.theta)) != self.index
        found = minimise(self.problems, self.theta[None, others], self.lower[others], self.upper[others])
        theta = self._whole(found.theta)[0]
        inside = self.lower[self.index] <= theta[self.index] <= self.upper[self.index]
        if not (found.done[0] and inside):
            raise _Unfound
        self.theta = theta
        return self.rises.of_value(float(found.value[0]))

    @property
    def size(self) -> int:
        """Number of runs."""
        return int(self.model.size)

    def part(self, runs: Any) -> _Held:
        """At some of the runs."""
        return replace(self, model=self.model.part(runs))

    def _whole(self, others: Floats) -> Floats:
        """All parameters (K, p), with the one that follows; NaN where it does not."""
        if self.last is not None and self.last[0] == self.held and np.array_equal(self.last[1], others):
            return np.array(self.last[2])
        theta = np.insert(others, self.index, self.theta[self.index], axis=1)
        with np.errstate(all="ignore"):
            for _ in range(MOST_STEPS):
                change = (self.held - self.target.at(theta)) / self.target.gradients(theta)[:, self.index]
                theta[:, self.index] += change
                if (np.abs(change) <= SETTLED * np.maximum(1.0, np.abs(theta[:, self.index]))).all():
                    break
            else:
                theta[:, self.index] = np.nan
        self.last = self.held, np.array(others), np.array(theta)
        return theta

    def _tangent(self, theta: Floats) -> Floats:
        """Z (K, p, p - 1)."""
        slope = self.target.gradients(theta)
        others = np.delete(slope, self.index, axis=1) / slope[:, self.index, None]
        return np.insert(np.repeat(np.eye(others.shape[1])[None], len(theta), axis=0), self.index, -others, axis=1)

    def evaluate(self, others: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p - 1, n)."""
        theta = self._whole(others)
        values, jacobian = self.model.evaluate(theta)
        return values, np.matmul(self._tangent(theta).transpose(0, 2, 1), jacobian)

    def curvature(self, others: Floats, factors: Floats, jacobian: Floats, gradient: Floats, divisor: Floats | None) -> Floats:
        """(K, p - 1, p - 1); see `newton.Model`."""
        theta = self._whole(others)
        _, whole = self.model.evaluate(theta)
        if divisor is not None:
            whole /= divisor[:, None, :]
        pulls = np.matmul(whole, factors[:, :, None])[:, :, 0]
        curved = self.model.curvature(theta, factors, whole, pulls, divisor)
        slope, tangent = self.target.gradients(theta)[:, self.index], self._tangent(theta)
        bent = np.stack([_second(self.target, row, self.size_of_step) for row in theta])
        curved = curved - (pulls[:, self.index] / slope)[:, None, None] * bent
        return np.asarray(tangent.transpose(0, 2, 1) @ curved @ tangent)


def _second(target: _Target, theta: Floats, sizes: Floats) -> Floats:
    """Second derivatives of q, by central differences of its exact gradient."""
    around = target.gradients(np.concatenate([theta + np.diag(sizes), theta - np.diag(sizes)]))
    rows = (around[: len(theta)] - around[len(theta) :]) / (2.0 * sizes[:, None])
    return np.asarray(0.5 * (rows + rows.T))
