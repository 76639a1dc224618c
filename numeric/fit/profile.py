r"""Profile intervals: the values of a quantity for which the best fit that has this value is not
much worse than the best fit.

    {psi : statistic(min_{q(theta) = psi} f(theta)) <= t^2_{n - p, level}}

with Student's t for the n - p runs beyond the free coefficients. For least squares the statistic is
(n - p) (f/f_min - 1), the F ratio for normal errors of one variance. For Huber's function it is 2
(1 - p/n) (f - f_min) sum w rho''/sum (w psi)^2, which has the same limit for independent errors of
one distribution (Ronchetti 1982); rho'' is averaged over a bandwidth as in the sandwich. The ends
are where q is extreme on {f <= f_crit} in the box of the search: sequential quadratic programming
in coordinates in which f is a unit sphere to second order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, log, log1p, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from ..results import Estimate, checked_level, coverage_factor
from .covariance import bandwidth, require_determined
from .derived import COORDINATES, Quantity
from .newton import FLATTEST, SNAPPED, Problems, expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

LEAST_SQUARES_NOTE = "F ratio for independent normal errors of one variance"
HUBER_NOTE = "likelihood ratio calibrated for independent errors of one distribution"
GROUPS_NOTE = (
    "runs of one group are taken for independent, so it is too narrow where they share an error"
)
#: Steps of the search; the share of the critical rise, and of the half width of the interval, that
#: it is exact to, and the share to which a point is taken for the end.
MOST_STEPS, EXACT, REACHED = 300, 1e-14, 1e-6
#: Shares of the critical rise that are taken in turn where the whole one is not reached at once.
LADDER = (0.02, 0.08, 0.2, 0.4, 0.65, 1.0)


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
    value, gradient, in_logs = _target(fit, quantity, compute, ratio)
    rise = _Rise.of(fit)
    end = partial(_end, fit, rise, value, gradient, in_logs, rise.critical(level))
    return Estimate(value(fit.theta), end(-1.0), end(1.0), level=level)


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


def _target(
    fit: Fit, quantity: str | Quantity, compute: float | None, ratio: float | None
) -> tuple[Callable[[Floats], float], Callable[[Floats], Floats], bool]:
    """A function q of the solver's parameters (p,), the gradient (p,) of q or of its logarithm, and
    whether it is of the logarithm. Both are nan where q is not defined.
    """
    names, turn = fit.names, fit.design.to_coordinates
    if isinstance(quantity, str) and quantity in names:
        index = names.index(quantity)
        if not fit.free[index]:
            raise ValueError(f"quantity={quantity!r}: is fixed or on a bound; it has no profile")
        row, is_log = turn[index], fit.model.coordinates[index] != quantity

        def coefficient(theta: Floats) -> float:
            return float(np.exp(row @ theta) if is_log else row @ theta)

        return coefficient, lambda theta: row, is_log
    is_one = isinstance(quantity, Quantity) and fit.model.name == "params-tokens"
    chosen: Any = quantity if is_one else fit.quantity(quantity, compute=compute, ratio=ratio)
    columns = [at for at, name in enumerate(COORDINATES) if name in fit.model.coordinates]

    def given(theta: Floats) -> dict[str, Any]:
        found = fit.design.coefficients(theta[None]).T
        return {"E": np.zeros(1), **dict(zip(names, found, strict=True))}

    def value(theta: Floats) -> float:
        try:
            return float(chosen.values(**given(theta))[0])
        except ValueError:
            return nan

    def gradient(theta: Floats) -> Floats:
        try:
            found = chosen.gradients(**given(theta))[0, columns]
        except ValueError:
            return np.full(len(names), nan)
        return np.asarray((found / value(theta) if chosen.by_log else found) @ turn)

    return value, gradient, chosen.by_log


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
        problems, least = fit.problems, fit.objective_value
        if least <= float(problems.rounding[0]):
            raise ValueError(
                "profile: the law meets the runs exactly; no residuals tell how sure it is"
            )
        if fit.objective.is_square:
            return cls(problems, problems, least, fit.size, fit.spare, 0.0)
        clip = fit.objective.clip(bandwidth(fit, fit.residuals))
        psi = clip.psi(fit.residuals)
        bend = np.sum(fit.weights * clip.curvature(psi))
        pull = np.sum((fit.weights * fit.objective.clip().psi(fit.residuals)) ** 2)
        factor = 2.0 * (fit.spare / fit.size) * float(bend / pull)
        smooth = problems.with_clip(clip)
        return cls(problems, smooth, least, fit.size, fit.spare, factor)

    def critical(self, level: float) -> float:
        """The rise at the ends of an interval."""
        square = coverage_factor(level, self.spare) ** 2
        return square if self.factor else self.runs * log1p(square / self.spare)

    def at(self, theta: Floats) -> tuple[float, Floats]:
        """The rise and its gradient."""
        exact = expand(self.problems, theta[None])
        value, gradient = float(exact.value[0]), exact.gradient[0]
        if self.factor:
            return self.factor * (value - self.least), self.factor * gradient
        return self.runs * log(value / self.least), self.runs / value * gradient

    def hessian(self, theta: Floats) -> Floats:
        """Its second derivatives at the best fit."""
        slope = self.factor or self.runs / self.least
        return np.asarray(slope * expand(self.smooth, theta[None]).hessian[0])


def _end(
    fit: Fit,
    rise: _Rise,
    value: Callable[[Floats], float],
    gradient: Callable[[Floats], Floats],
    in_logs: bool,
    most: float,
    side: float,
) -> float | None:
    """The end of the interval on one side, which is a bound where no value within it is worse
    enough; infinite where the search went as far as the box lets it without one, None where it
    stopped short of that.
    """
    from scipy.optimize import minimize

    free, start = fit.free, fit.theta
    lower, upper = fit.design.lower[free], fit.design.upper[free]
    root = _sphere(rise.hessian(start)[np.ix_(free, free)])

    def full(x: Floats) -> Floats:
        theta = start.copy()
        theta[free] = np.clip(start[free] + root @ x, lower, upper)
        return theta

    def size(theta: Floats) -> float:
        here = value(theta)
        return log(max(here, 1e-300)) if in_logs else here

    def slope(theta: Floats) -> Floats:
        return np.asarray(gradient(theta)[free] @ root)

    def room(x: Floats, allowed: float) -> float:
        return 1.0 - rise.at(full(x))[0] / allowed

    def tightening(x: Floats, allowed: float) -> Floats:
        return np.asarray(-rise.at(full(x))[1][free] @ root / allowed)

    walls = np.concatenate([root, -root])
    distances = np.concatenate([start[free] - lower, upper - start[free]])
    known = np.isfinite(distances)
    lengths = np.linalg.norm(walls[known], axis=1)
    walls, distances = walls[known] / lengths[:, None], distances[known] / lengths
    best, unit = size(start), float(np.linalg.norm(slope(start)))

    def search(x: Floats, allowed: float) -> Any:
        inside = {"type": "ineq", "fun": room, "jac": tightening, "args": (allowed,)}
        box = {"type": "ineq", "fun": lambda x: walls @ x + distances, "jac": lambda x: walls}
        return minimize(
            lambda x: -side * (size(full(x)) - best) / unit,
            x,
            jac=lambda x: -side * slope(full(x)) / unit,
            method="SLSQP",
            constraints=[inside, box] if len(walls) else [inside],
            options={"maxiter": MOST_STEPS, "ftol": EXACT},
        )

    with np.errstate(all="ignore"):
        for shares in ((1.0,), LADDER):
            x = np.zeros(len(root))
            for share in shares:
                found = search(x, share * most)
                left, x = room(found.x, share * most), found.x
                is_end = abs(left) <= REACHED
                if not (is_end or (found.success and left > 0.0)):
                    break
            else:
                break
        else:
            return None
    theta = full(x)
    inner = theta[free]
    near = SNAPPED * np.maximum(1.0, np.abs(inner))
    low, high = inner - lower <= near, upper - inner <= near
    theta[free] = np.where(low, lower, np.where(high, upper, inner))
    is_end |= not gradient(theta)[free][~(low | high)].any()
    end = value(theta)
    return end if is_end and isfinite(end) else side * inf


def _sphere(hessian: Floats) -> Floats:
    """The matrix (q, q) that takes a unit sphere to where a quadratic form is 1."""
    lengths = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    sizes, axes = np.linalg.eigh(hessian / lengths / lengths[:, None])
    sizes = np.maximum(np.abs(sizes), FLATTEST * np.abs(sizes).max())
    return np.asarray(axes / np.sqrt(sizes) / lengths[:, None])
