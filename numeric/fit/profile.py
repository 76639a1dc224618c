r"""Profile intervals: the values of a quantity for which the best fit that has this value is not
much worse than the best fit.

    {psi : statistic(min_{q(theta) = psi} f(theta)) <= t^2_{n - p, level}}

with Student's t for the n - p runs beyond the free coefficients. For least squares the statistic is
(n - p) (f/f_min - 1), the F ratio for normal errors of one variance. For Huber's function it is 2
(1 - p/n) (f - f_min) sum w rho''/sum (w psi)^2, which has the same limit for independent errors of
one distribution (Ronchetti 1982); rho'' is averaged over a bandwidth as in the sandwich. The ends
are where q is extreme on {f = f_crit}: Newton's method on lambda grad f = grad q, f = f_crit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, outside
from ..results import Estimate, checked_level, coverage_factor
from .covariance import bandwidth, require_determined
from .newton import Problems, expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .derived import Quantity
    from .result import Fit

    Floats = NDArray[np.float64]

LEAST_SQUARES_NOTE = "F ratio for independent normal errors of one variance"
HUBER_NOTE = "likelihood ratio calibrated for independent errors of one distribution"
GROUPS_NOTE = (
    "runs of one group are taken for independent, so it is too narrow where they share an error"
)
MOST_STEPS = 40
#: Shares of the critical rise that are taken in turn where the whole one is not reached at once.
LADDER = (0.02, 0.08, 0.2, 0.4, 0.65, 1.0)
#: The search ends where the rise is critical to this share and the step is shorter than this share
#: of the ellipsoid.
CLOSE, SHORT = 1e-9, 1e-7
#: No step is longer than so many half axes of the ellipsoid.
MOST_ELLIPSOIDS = 2.0
#: Step of the differences that give the second derivatives of a quantity, in standard errors of the
#: coordinates.
DIFFERENCE = 1e-3


def profile(
    fit: Fit,
    quantity: str | Quantity,
    *,
    level: float = 0.9,
    compute: float | None = None,
    ratio: float | None = None,
) -> Estimate:
    """The profile interval of a coefficient or of a derived quantity.

    Parameters
    ----------
    fit : Fit
        By least squares or by Huber's function.
    quantity : str or Quantity
        A coefficient ("E", "A", "beta", ...), or the name of a derived quantity ("alpha", "C0",
        "N_star", "L_star", "penalty", ...) of a params+tokens law.
    level : float
    compute, ratio : float, optional
        What quantities at a compute, and at an overtraining ratio, are for.

    Returns
    -------
    Estimate
        An end is infinite where no value of the quantity on that side is worse enough, and None
        where the search for it did not succeed: it may exist.

    Raises
    ------
    ValueError
        For a sharp objective, an unknown quantity, a fit that did not converge or meets all runs
        exactly, or runs that do not tell the coefficients apart.
    """
    level = checked_level(level)
    if fit.objective.is_sharp:
        complaint = (
            "has no profile interval; must be least squares or huber-log; or use the bootstrap"
        )
        raise ArgumentError("objective", fit.objective.name, complaint=complaint)
    if not fit.converged:
        raise ValueError("profile: the fit did not converge")
    require_determined(fit)
    target = _target(fit, quantity, compute, ratio)
    problem = _Rise.of(fit)

    def end(side: float) -> float | None:
        try:
            found = _end(fit, problem, target, problem.critical(level), side)
        except _Unfound:
            return None
        return side * inf if found is None else found

    return Estimate(target.value(fit.theta), end(-1.0), end(1.0), level=level)


def basis(fit: Fit) -> str:
    """What profile intervals of a fit rest on."""
    note = LEAST_SQUARES_NOTE if fit.objective.is_square else HUBER_NOTE
    return note if fit.runs.group is None else f"{note}; {GROUPS_NOTE}"


def profile_end(
    rise: Callable[[float], float],
    allowed: float,
    best: float,
    limit: float,
    *,
    first: float | None = None,
    precision: float = 1e-10,
) -> float | None:
    """One end of a profile interval, for any objective.

    Parameters
    ----------
    rise : callable
        Value -> how much worse the best fit with this value held is than the best of all, in any
        units; it may begin where the last refit ended.
    allowed : float
        The rise at the end.
    best : float
        The value of the best fit.
    limit : float
        How far the end is sought.
    first : float, optional
        The first value that is tried, each further one being twice the last; by default the limit.
    precision : float
        Relative.

    Returns
    -------
    float or None
        None where no value up to the limit is worse than is allowed.
    """
    from scipy.optimize import brentq

    # Each value once: sought from elsewhere, the minimum that is found need not be the same.
    known = {best: -allowed}

    def excess(value: float) -> float:
        if value not in known:
            known[value] = rise(value) - allowed
        return known[value]

    inside, outside = best, limit if first is None else first
    while not excess(outside) > 0.0:
        if first is None or 2.0 * outside > limit:
            return None
        inside, outside = outside, 2.0 * outside
    closest = precision * max(abs(inside), abs(outside))
    return float(brentq(excess, inside, outside, xtol=closest, rtol=precision))


class _Unfound(Exception):
    """The search for an end stopped short of it."""


@dataclass(frozen=True)
class _Target:
    """A function q of the solver's parameters, with the gradient of q or of its logarithm at
    several of them at once.

    Both are nan where q is not defined: a step may leave the box that the law is sought in.
    """

    name: str
    value: Callable[[Floats], float]
    gradients: Callable[[Floats], Floats]
    in_logs: bool


def _target(
    fit: Fit, quantity: str | Quantity, compute: float | None, ratio: float | None
) -> _Target:
    names = fit.model.coefficients
    turn = fit.design.to_coordinates
    if isinstance(quantity, str) and quantity in names:
        index = names.index(quantity)
        if not fit.free[index]:
            raise ValueError(f"quantity={quantity!r}: is fixed or on a bound; it has no profile")
        row, is_log = turn[index], fit.model.coordinates[index] != quantity
        return _Target(
            quantity,
            lambda theta: float(np.exp(row @ theta) if is_log else row @ theta),
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
            more = (
                ""
                if compute is not None and ratio is not None
                else " (more with compute and ratio)"
            )
            raise outside("quantity", quantity, f"one of {', '.join((*names, *known))}{more}")
        chosen = known[quantity]

    def given(theta: Floats) -> dict[str, Any]:
        found = fit.design.coefficients(theta)
        return {
            "E": np.zeros(found.shape[:-1]),
            **dict(zip(names, np.moveaxis(found, -1, 0), strict=True)),
        }

    columns = [
        fit.model.coordinates.index(name) if name in fit.model.coordinates else None
        for name in _COORDINATES
    ]

    def value(theta: Floats) -> float:
        try:
            return float(chosen.values(**given(theta[None]))[0])
        except ValueError:
            return float("nan")

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

    return _Target(chosen.name, value, gradients, chosen.by_log)


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
            raise ValueError(
                "profile: the law meets the runs exactly; no residuals tell how sure it is"
            )
        spare = len(fit.runs) - int(fit.free.sum())
        if fit.objective.is_square:
            return cls(problems, problems, fit.objective_value, len(fit.runs), spare, 0.0)
        clip = fit.objective.clip(bandwidth(fit, fit.residuals))
        psi = clip.psi(fit.residuals)
        weights = np.ones_like(psi) if fit.runs.weight is None else fit.runs.weight
        factor = (
            2.0
            * (spare / len(psi))
            * float(
                np.sum(weights * clip.curvature(psi))
                / np.sum((weights * fit.objective.clip().psi(fit.residuals)) ** 2)
            )
        )
        return cls(
            problems, problems.with_clip(clip), fit.objective_value, len(fit.runs), spare, factor
        )

    def critical(self, level: float) -> float:
        """The rise at the ends of an interval."""
        square = coverage_factor(level, self.spare) ** 2
        return square if self.factor else self.runs * log1p(square / self.spare)

    def at(self, theta: Floats) -> tuple[float, Floats, Floats, Floats]:
        """The rise, its gradient and Hessian, and the lengths of the columns of the Jacobian."""
        exact = expand(self.problems, theta[None])
        around = exact if self.smooth is self.problems else expand(self.smooth, theta[None])
        value, gradient = float(exact.value[0]), exact.gradient[0]
        if self.factor:
            return (
                self.factor * (value - self.least),
                self.factor * gradient,
                self.factor * around.hessian[0],
                exact.lengths[0],
            )
        slope = self.runs / value
        hessian = slope * (exact.hessian[0] - np.outer(gradient, gradient) / value)
        return self.runs * log(value / self.least), slope * gradient, hessian, exact.lengths[0]


def _end(fit: Fit, rise: _Rise, target: _Target, most: float, side: float) -> float | None:
    free = fit.free.copy()
    theta = fit.theta.copy()
    for _ in range(1 + len(theta)):
        found = _extreme(rise, target, theta, free, most, side, fit.design.lower, fit.design.upper)
        if found is None:
            return None
        end, crossed = found
        if crossed is None:
            return _finite(target.value(end))
        # On from the bound that is met, along it.
        theta, free = end, free.copy()
        free[crossed] = False
        if not free.any() or not np.abs(target.gradients(theta[None])[0][free]).any():
            return _finite(target.value(theta))
    return None


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _extreme(
    rise: _Rise,
    target: _Target,
    start: Floats,
    free: Any,
    most: float,
    side: float,
    lower: Floats,
    upper: Floats,
) -> tuple[Floats, int | None] | None:
    """Where q is extreme at the critical rise; with the parameter that meets its bound on the way,
    if one does.
    """
    for ladder in ((1.0,), LADDER):
        theta, multiplier = start, None
        for share in ladder:
            found = _newton(rise, target, theta, multiplier, free, share * most, side)
            if found is None:
                break
            last, (theta, multiplier) = theta, found
            outside_box = free & ((theta < lower) | (theta > upper))
            if outside_box.any():
                if ladder is not LADDER:
                    break
                return _stopped(last, theta, lower, upper, outside_box)
        else:
            return theta, None
    end = _searched(rise, target, start, free, most, side, lower, upper)
    return None if end is None else (end, None)


def _searched(
    rise: _Rise,
    target: _Target,
    start: Floats,
    free: Any,
    most: float,
    side: float,
    lower: Floats,
    upper: Floats,
) -> Floats | None:
    """The same by sequential quadratic programming, which needs no second derivatives: Huber's
    function has them in pieces.
    """
    from scipy.optimize import minimize

    _, _, hessian, _ = rise.at(start)
    unit = 1.0 / np.sqrt(np.maximum(np.diag(hessian)[free], 1e-300))

    def full(x: Floats) -> Floats:
        theta = start.copy()
        theta[free] = np.clip(start[free] + x * unit, lower[free], upper[free])
        return theta

    def size(theta: Floats) -> float:
        value = target.value(theta)
        return log(max(value, 1e-300)) if target.in_logs else value

    scale = float(np.linalg.norm(target.gradients(start[None])[0][free] * unit))
    with np.errstate(all="ignore"):
        found = minimize(
            lambda x: -side * size(full(x)) / scale,
            np.zeros(int(free.sum())),
            jac=lambda x: -side * target.gradients(full(x)[None])[0][free] * unit / scale,
            method="SLSQP",
            constraints={
                "type": "ineq",
                "fun": lambda x: most - rise.at(full(x))[0],
                "jac": lambda x: -rise.at(full(x))[1][free] * unit,
            },
            bounds=list(
                zip(
                    (lower[free] - start[free]) / unit,
                    (upper[free] - start[free]) / unit,
                    strict=True,
                )
            ),
            options={"maxiter": 500, "ftol": 1e-9},
        )
    end = full(found.x)
    risen = rise.at(end)[0]
    if abs(risen - most) <= 1e-4 * most:
        return end
    # Short of the critical rise there is no end where the search went as far as the box lets it.
    if not (found.success and risen < most):
        raise _Unfound
    return None


def _stopped(
    last: Floats, theta: Floats, lower: Floats, upper: Floats, crossed: Any
) -> tuple[Floats, int]:
    with np.errstate(all="ignore"):
        share = np.where(
            crossed, np.where(theta < lower, lower - last, upper - last) / (theta - last), np.inf
        )
    first = int(np.argmin(share))
    at = last + float(np.clip(share[first], 0.0, 1.0)) * (theta - last)
    at[first] = lower[first] if theta[first] < lower[first] else upper[first]
    return np.clip(at, lower, upper), first


def _newton(
    rise: _Rise,
    target: _Target,
    theta: Floats,
    multiplier: float | None,
    free: Any,
    level: float,
    side: float,
) -> tuple[Floats, float] | None:
    """Newton's method on lambda grad rise = side grad q, rise = level, from below: theta and
    lambda; None where it fails.

    Steps are in units in which the columns of the Jacobian have length 1.
    """
    with np.errstate(all="ignore"):
        value, slope, hessian, lengths = rise.at(theta)
        unit = np.where(lengths > 0.0, lengths, 1.0)[free]
        shifts = DIFFERENCE / np.sqrt(np.maximum(np.abs(np.diag(hessian)), 1e-300))
        for _ in range(MOST_STEPS):
            g = slope[free] / unit
            h = hessian[np.ix_(free, free)] / unit[:, None] / unit
            q = side * target.gradients(theta[None])[0][free] / unit
            settled = False
            try:
                if multiplier is None:
                    move, multiplier = _to_ellipsoid(h, q, level - value)
                else:
                    bent = side * _second(target, theta, shifts, free) / unit[:, None] / unit
                    move, change, settled = _lagrange_step(
                        g, h, q, bent, multiplier, level - value, level
                    )
                    multiplier += change
            except np.linalg.LinAlgError:
                return None
            theta = theta.copy()
            theta[free] += move / unit
            if settled:
                return (theta, multiplier) if multiplier > 0.0 else None
            value, slope, hessian, lengths = rise.at(theta)
            if not (np.isfinite(value) and np.isfinite(hessian).all()):
                return None
    return None


def _to_ellipsoid(h: Floats, q: Floats, room: float) -> tuple[Floats, float]:
    """The step to the extreme of a linear q where the quadratic m'hm/2 reaches `room`, and the
    multiplier there.
    """
    toward = np.linalg.solve(h, q)
    size = float(q @ toward)
    if not (size > 0.0 and room > 0.0):
        raise np.linalg.LinAlgError
    length = float(np.sqrt(2.0 * room / size))
    return np.asarray(length * toward), 1.0 / length


def _lagrange_step(
    g: Floats, h: Floats, q: Floats, bent: Floats, multiplier: float, room: float, level: float
) -> tuple[Floats, float, bool]:
    """A Newton step of theta and of the multiplier, and whether it is the last.

    It goes no farther than twice the ellipsoid that the quadratic approximation gives.
    """
    size = len(g)
    matrix = np.zeros((size + 1, size + 1))
    matrix[:size, :size] = multiplier * h - bent
    matrix[:size, size] = matrix[size, :size] = g
    step = np.linalg.solve(matrix, np.concatenate([q - multiplier * g, [room]]))
    if not np.isfinite(step).all():
        raise np.linalg.LinAlgError
    longest, diagonal = float(np.abs(step[:size]).max()), np.abs(np.diag(h))
    farthest = np.sqrt(2.0 * level / max(diagonal.min(), 1e-300))
    share = min(1.0, MOST_ELLIPSOIDS * farthest / longest) if longest > 0.0 else 1.0
    short = longest <= SHORT * np.sqrt(2.0 * level / max(diagonal.max(), 1e-300))
    return (
        share * step[:size],
        share * float(step[size]),
        share == 1.0 and abs(room) <= CLOSE * level and bool(short),
    )


def _second(target: _Target, theta: Floats, sizes: Floats, free: Any) -> Floats:
    """Second derivatives of q on the free parameters, by central differences of its exact gradient."""
    index = np.flatnonzero(free)
    shifts = np.zeros((len(index), len(theta)))
    shifts[np.arange(len(index)), index] = sizes[index]
    around = target.gradients(np.concatenate([theta + shifts, theta - shifts]))
    rows = (around[: len(index)] - around[len(index) :])[:, index] / (2.0 * sizes[index][:, None])
    return np.asarray(0.5 * (rows + rows.T))
