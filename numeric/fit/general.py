"""Fits of any law: least squares from many starts, then Newton to the objective's own minimum, then
the tests.

SciPy's least_squares descends with the exact Jacobian, once in the coefficients as written and once
in the logarithms of their sizes. A law is infinitely bad where it is not finite, or not positive
under an objective of its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import REAL, number, outside
from .coordinates import Coordinates
from .newton import ROUNDINGS, Problems, expand, newton_step
from .nonsmooth import SharpMinimum, sharpen
from .objective import Objective
from .optimality import FLAT, Optimality, Solution, optimality
from .path import NARROWEST, follow, median_residuals
from .starts import solve_linear
from .starts import starts as scanned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .expression import ExpressionModel

    Floats = NDArray[np.float64]

STARTS = 16
#: More runs than this are first fitted on a sample; so many of its minima are then followed on all.
LARGE, SAMPLE, FEW = 20_000, 4_096, 2
#: So many of the best rough descents are continued.
CONTINUED = 4
#: And so many minima of squares are followed to the objective's own.
FINISHED, SHARPENED = 8, 4
#: The last Newton steps, where a step promises no more than this share of the objective.
POLISHING, CLOSE = 8, 1e-4
#: Minima whose objectives differ by less than this share are one.
SAME, EQUAL = 1e-8, 1e-10
#: A coefficient this close to a bound, relative to its size or to the box, is on it.
AT_BOUND = 1e-7
NO_SUBGRADIENT = "zero is not certified as a subgradient"


class Effort(NamedTuple):
    """Relative changes at which a descent stops, its evaluations at most, and whether it is made in
    both coordinates.
    """

    tolerance: float
    evaluations: int
    twice: bool


#: From the caller's starts; from those that were sought; and at first from these.
THOROUGH = Effort(1e-15, 5_000, True)
CLOSE_BY = Effort(1e-15, 300, True)
ROUGH = Effort(1e-9, 100, False)


def solve(
    model: ExpressionModel,
    observed: Any,
    weights: Any = None,
    objective: Objective | str = "least-squares",
    *,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    fixed: Mapping[str, float] | None = None,
    starts: Sequence[Mapping[str, float]] | None = None,
    seed: int = 0,
    n_starts: int | None = None,
) -> Solution:
    """Fit a law to observations.

    Parameters
    ----------
    model : ExpressionModel
    observed : array_like
        (n,): the values that the law should have; > 0 under an objective of the logarithm.
    weights : array_like, optional
        (n,), >= 0; by default 1.
    objective : Objective or str
    bounds : mapping of str to (lower, upper), optional
        Bounds on coefficients as written; None for no bound.
    fixed : mapping of str to float, optional
        Coefficients that keep a value.
    starts : sequence of mappings, optional
        A value for every coefficient that is not fixed. Without any, starts are sought.
    seed : int
        Of the starts that are sought; the same seed gives the same fit.
    n_starts : int, optional
        How many starts are sought; by default 16, or none where the caller gives starts.

    Returns
    -------
    Solution
        The smallest objective that was found; `converged` tells whether it is a minimum.

    Raises
    ------
    ValueError
        For arguments outside their domain, fewer runs than free coefficients, or a law that is
        finite (and, under an objective of the logarithm, positive) at no start.

    Examples
    --------
    >>> from isoflop.numeric.fit.expression import ExpressionModel
    >>> x = np.linspace(1.0, 9.0, 9)
    >>> fit = solve(ExpressionModel("a*exp(-b*x)", {"x": x}), 3.0 * np.exp(-0.25 * x))
    >>> {name: round(value, 9) for name, value in fit.coefficients.items()}, fit.converged
    ({'a': 3.0, 'b': 0.25}, True)
    """
    fit = _Fit.of(model, observed, weights, objective, bounds or {}, fixed or {})
    given = [fit.start(start) for start in starts or ()]
    sought = (0 if given else STARTS) if n_starts is None else n_starts
    ends = [end for start in given if (end := fit.best(fit.descents(start))) is not None]
    ends += fit.multistart(seed, sought)
    if sought and not fit.objective.is_square and (best := fit.best(ends)) is not None:
        ends += fit.multistart(seed, sought, fit.robust_weights(best))
    if not ends or not np.isfinite(fit.values(np.array(ends))).any():
        where = "finite and positive" if fit.objective.in_logs else "finite"
        raise ValueError(f"law={model.code.law}: {where} at no start that was tried")
    return fit.solution(ends)


@dataclass(frozen=True)
class _Fit:
    """One fit: everything but where to begin. Without fixed coefficients and weights `model` and
    `weights` are the caller's.
    """

    model: ExpressionModel
    observed: Floats
    weights: Floats | None
    objective: Objective
    lower: Floats
    upper: Floats
    base: Floats
    free: NDArray[np.intp]

    @classmethod
    def of(
        cls, model: Any, observed: Any, weights: Any, objective: Any, bounds: Any, fixed: Any
    ) -> _Fit:
        """The checked arguments; runs of weight 0 are left out."""
        objective = Objective(name=objective) if isinstance(objective, str) else objective
        observed = _row("observed", observed, model.size)
        if weights is not None:
            weights = _row("weights", weights, model.size)
            if (weights < 0.0).any() or not weights.any():
                raise ValueError("weights: must be at least 0, and not all 0")
            if not weights.all():
                counted = np.flatnonzero(weights)
                model, observed, weights = model.part(counted), observed[counted], weights[counted]
        if objective.in_logs and (observed <= 0.0).any():
            raise outside(
                "observed", float(observed[observed <= 0.0][0]), f"positive for {objective.name}"
            )
        _check_names(model.names, bounds=bounds, fixed=fixed)
        lower, upper = _box(model.names, bounds)
        free = np.array(
            [i for i, name in enumerate(model.names) if name not in fixed], dtype=np.intp
        )
        base = np.clip(np.zeros(len(model.names)), lower, upper)
        for name, value in fixed.items():
            base[model.names.index(name)] = number(name, value)
        if not free.size:
            raise ValueError("fixed: leaves no coefficient free")
        if model.size < free.size:
            raise ValueError(
                f"observed: {model.size} runs for {free.size} free coefficients; must be at least "
                f"as many"
            )
        return cls(model, observed, weights, objective, lower, upper, base, free)

    def start(self, given: Mapping[str, float]) -> Floats:
        """All coefficients (p,) from a mapping."""
        _check_names(self.model.names, starts=given)
        names = [self.model.names[i] for i in self.free]
        if missing := [name for name in names if name not in given]:
            raise ValueError(f"starts: {', '.join(missing)} missing")
        theta = self.base.copy()
        theta[self.free] = [number(name, given[name]) for name in names]
        if ((theta < self.lower) | (theta > self.upper))[self.free].any():
            raise ValueError(f"starts: {dict(given)} must lie within the bounds")
        return theta

    def values(self, theta: Floats) -> Floats:
        """Objectives (K,) at coefficients (K, p); infinite where the law leaves its domain."""
        with np.errstate(all="ignore"):
            residuals = [
                self.objective.residuals(values, self.observed)
                for values in self.model.values(theta)
            ]
            found = np.array([self.objective.value(each, self.weights) for each in residuals])
        return np.where(np.isfinite(found), found, np.inf)

    @property
    def rounding(self) -> float:
        """The objective where rounding errors are all the residuals."""
        size = (
            1.0 + np.abs(np.log(self.observed)) if self.objective.in_logs else np.abs(self.observed)
        )
        return self.objective.value(ROUNDINGS * np.finfo(np.float64).eps * size, self.weights)

    def best(self, ends: Sequence[Floats]) -> Floats | None:
        """The one with the least objective."""
        return ends[int(np.argmin(self.values(np.array(ends))))] if ends else None

    # -- least squares from a start ------------------------------------------------------------------------------------

    def descents(self, theta: Floats) -> list[Floats]:
        """The ends of descents from a start, and from what it becomes where the linear coefficients
        are solved for.
        """
        ends = (
            self.descend(start, self.weights, THOROUGH) for start in (theta, self.projected(theta))
        )
        return [end for end in ends if end is not None]

    def projected(self, theta: Floats) -> Floats:
        """The coefficients (p,) with the best values of those in which the law is linear."""
        linear = np.array([i for i in self.model.linear if i in self.free], dtype=np.intp)
        best = theta[None].copy()
        score = solve_linear(
            self.model,
            self.observed,
            self.squares(self.weights),
            best,
            linear,
            self.lower,
            self.upper,
        )
        return best[0] if np.isfinite(score[0]) else theta

    def squares(self, weights: Floats | None) -> Floats:
        """Weights (n,) of squared differences that stand for the squared residuals."""
        weights = np.ones(self.model.size) if weights is None else weights
        return _relative(weights, self.observed) if self.objective.in_logs else weights

    def descend(self, theta: Floats, weights: Floats | None, effort: Effort) -> Floats | None:
        """The better end of two descents to least squares: logarithms of the coefficients' sizes,
        and as written.
        """
        in_sizes, as_written = np.sign(theta[self.free]), np.zeros(self.free.size)
        ends = [
            end
            for signs in ((in_sizes, as_written) if effort.twice else (in_sizes,))
            if (
                end := self._descend(
                    Coordinates(self.model, theta, self.free, signs), weights, effort
                )
            )
            is not None
        ]
        return min(ends, key=lambda end: end[0])[1] if ends else None

    def _descend(
        self, coordinates: Coordinates, weights: Floats | None, effort: Effort
    ) -> tuple[float, Floats] | None:
        """Half the sum of squares, and the coefficients; nothing where the law is not finite at the
        start.
        """
        from scipy.optimize import least_squares

        lower, upper = coordinates.box(self.lower, self.upper)
        start = np.clip(coordinates.parameters(coordinates.base), lower, upper)
        residuals = _Residuals(coordinates, self.observed, weights, self.objective.in_logs)
        if self.objective.in_logs and not residuals.finite_at(
            start
        ):  # relative differences lead to where the law is positive
            residuals = _Residuals(
                coordinates, self.observed, _relative(weights, self.observed), False
            )
        if not residuals.finite_at(start):
            return None
        boxed = bool(np.isfinite(lower).any() or np.isfinite(upper).any())
        try:
            with np.errstate(all="ignore"):
                found = least_squares(
                    residuals,
                    start,
                    residuals.jacobian,
                    bounds=(lower, upper),
                    method="trf" if boxed else "lm",
                    x_scale="jac",
                    ftol=effort.tolerance,
                    xtol=effort.tolerance,
                    gtol=effort.tolerance,
                    max_nfev=effort.evaluations,
                )
        except (ValueError, np.linalg.LinAlgError):  # SciPy gives up where a decomposition fails
            return None
        return float(found.cost), np.clip(
            coordinates.coefficients(found.x[None])[0], self.lower, self.upper
        )

    def multistart(self, seed: int, count: int, weights: Floats | None = None) -> list[Floats]:
        """The ends of descents from starts that are sought, the best of them followed closely."""
        weights = self.weights if weights is None else weights
        if self.model.size > LARGE:
            return self._multistart_on_sample(seed, count, weights)
        begun = scanned(
            self.model,
            self.observed,
            self.squares(weights),
            lower=self.lower,
            upper=self.upper,
            base=self.base,
            free=self.free,
            seed=seed,
            count=count,
        )
        ends = [end for start in begun if (end := self.descend(start, weights, ROUGH)) is not None]
        if not ends:
            return ends
        for i in np.argsort(self.values(np.array(ends)), kind="stable")[:CONTINUED]:
            closer = self.descend(ends[i], weights, CLOSE_BY)
            ends[i] = ends[i] if closer is None else closer
        return ends

    def _multistart_on_sample(self, seed: int, count: int, weights: Floats | None) -> list[Floats]:
        """The same where there are many runs: the descents see runs spread evenly over the order of
        what is observed.
        """
        chosen = np.argsort(self.observed, kind="stable")[:: max(1, self.model.size // SAMPLE)]

        def of(array: Floats | None) -> Floats | None:
            return None if array is None else array[chosen]

        sample = replace(
            self,
            model=self.model.part(chosen),
            observed=self.observed[chosen],
            weights=of(self.weights),
        )
        ends = sample.multistart(seed, count, of(weights))
        if not ends:
            return ends
        distinct, counts = sample._groups(np.array(ends))
        closer = [
            (self.descend(end, weights, CLOSE_BY), many)
            for end, many in zip(distinct[:FEW], counts, strict=False)
        ]
        return [end for end, many in closer if end is not None for _ in range(many)]

    def robust_weights(self, theta: Floats) -> Floats:
        """Weights of squares that make the residuals count by their size, as far as theta tells."""
        with np.errstate(all="ignore"):
            size = np.abs(
                self.objective.residuals(self.model.values(theta[None])[0], self.observed)
            )
        size = np.where(np.isfinite(size), size, np.inf)
        typical = float(np.median(size))
        scale = np.maximum(size, 0.1 * typical) if 0.0 < typical < np.inf else np.ones_like(size)
        return (1.0 if self.weights is None else self.weights) / scale

    # -- to the minimum of the objective -------------------------------------------------------------------------------

    def solution(self, ends: Sequence[Floats]) -> Solution:
        """The best minimum next to the ends of the descents, tested."""
        distinct, counts = self._groups(np.array(ends))
        plain = Coordinates(self.model, self.base, self.free, np.zeros(self.free.size))
        low, high = self.lower[self.free], self.upper[self.free]
        problems = self._problems(plain)
        begun = distinct[:, self.free]
        with np.errstate(all="ignore"):
            minima = follow(problems, self.objective, self._on_bounds(begun), low, high).theta
            if self.objective.is_sharp:
                nearest = np.argsort(self.values(plain.coefficients(minima)), kind="stable")[
                    :SHARPENED
                ]
                sharp = {
                    int(i): sharpen(problems, self.objective, minima[i], low, high) for i in nearest
                }
                for i, found in sharp.items():
                    minima[i] = found.theta
        theta = plain.coefficients(np.concatenate([minima, begun]))
        values = self.values(theta)
        best = _plainest(theta, values, values.min() * (1.0 + EQUAL) + self.rounding)
        agreeing = int(
            counts[values[: len(counts)] <= values[best] * (1.0 + SAME) + self.rounding].sum()
        )
        u = minima[best] if best < len(minima) else begun[best - len(minima)]
        if self.objective.is_sharp:
            return self._reported(
                plain, u, self._sharp_tests(problems, u, sharp.get(best)), len(ends), agreeing
            )
        with np.errstate(all="ignore"):
            u = _polished(problems, u, low, high)
        return self._reported(plain, u, optimality(problems, u, low, high), len(ends), agreeing)

    def _sharp_tests(self, problems: Problems, u: Floats, found: SharpMinimum | None) -> Optimality:
        """The certificate of a sharp minimum among the figures of the smooth objective next to it."""
        width = NARROWEST * float(median_residuals(problems, u[None])[0, 0])
        smooth = problems.with_clip(self.objective.clip(width))
        tests = optimality(smooth, u, self.lower[self.free], self.upper[self.free])
        flat = tuple(reason for reason in tests.reasons if reason == FLAT)
        if found is None or not found.certified:
            return replace(
                tests,
                offset=np.inf if found is None else found.subgradient,
                reasons=(NO_SUBGRADIENT, *flat),
            )
        return replace(tests, offset=found.subgradient, decrement=0.0, move=0.0, reasons=flat)

    def _problems(self, coordinates: Coordinates) -> Problems:
        return Problems.of(coordinates, self.observed, self.weights, self.objective)

    def _groups(self, ends: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The best ends with different objectives, and how many ends share each."""
        values = self.values(ends)
        order = np.argsort(values, kind="stable")
        distinct: list[int] = []
        counts: list[int] = []
        for i in order[np.isfinite(values[order])]:
            if distinct and values[i] <= values[distinct[-1]] * (1.0 + SAME) + self.rounding:
                counts[-1] += 1
            elif len(distinct) < FINISHED:
                distinct.append(int(i))
                counts.append(1)
        return ends[distinct], np.array(counts)

    def _on_bounds(self, u: Floats) -> Floats:
        """Coefficients next to a bound on the bound: the method for boxes stays inside."""
        for bound in (self.lower[self.free], self.upper[self.free]):
            with np.errstate(invalid="ignore"):
                near = np.abs(u - bound) <= AT_BOUND * np.maximum(
                    np.abs(bound), np.median(np.abs(u), axis=0)
                )
            u = np.where(np.isfinite(bound) & near, bound, u)
        return u

    def _reported(
        self, plain: Coordinates, u: Floats, tests: Optimality, starts: int, agreeing: int
    ) -> Solution:
        theta = plain.coefficients(u[None])[0]
        return Solution(
            theta,
            float(self.values(theta[None])[0]),
            tests.satisfied,
            tests.offset if self.objective.is_sharp else tests.decrement,
            starts,
            agreeing,
            reason="; ".join(tests.reasons),
            names=self.model.names,
        )


def _plainest(theta: Floats, values: Floats, least: float) -> int:
    """Position of a least value; among equals, which redundant coefficients make, of the sizes
    closest to 1.
    """
    with np.errstate(divide="ignore"):
        sizes = np.sum(np.log(np.where(theta == 0.0, 1.0, np.abs(theta))) ** 2, axis=1)
    return int(np.argmin(np.where(values <= least, sizes, np.inf)))


def _polished(problems: Problems, u: Floats, lower: Floats, upper: Floats) -> Floats:
    """Newton steps as long as each promises less than the one before: the objective itself is too
    coarse to judge them.
    """
    best, least = u, np.inf
    for _ in range(POLISHING):
        at = expand(problems, u[None])
        step = newton_step(at, u[None], np.zeros(1), np.atleast_2d(lower), np.atleast_2d(upper))
        if not (step.convex[0] and step.promised[0] < min(least, CLOSE * at.value[0])):
            break
        best, least = u, float(step.promised[0])
        u = np.clip(u + step.move[0], lower, upper)
    return best


class _Residuals:
    """Weighted residuals and their Jacobian for SciPy: NaN, so that a step is refused, where either
    is not finite.
    """

    def __init__(
        self, coordinates: Coordinates, observed: Floats, weights: Floats | None, in_logs: bool
    ) -> None:
        self.coordinates, self.in_logs = coordinates, in_logs
        self.observed = np.log(observed) if in_logs else observed
        self.root = None if weights is None else np.sqrt(weights)
        self.at: Floats | None = None

    def __call__(self, u: Floats) -> Floats:
        if self.at is None or not np.array_equal(u, self.at):
            self.at = u.copy()
            self.found = self._evaluate(u)
        return self.found[0]

    def jacobian(self, u: Floats) -> Floats:
        """(n, q)."""
        self(u)
        return self.found[1]

    def finite_at(self, u: Floats) -> bool:
        """Whether a descent can begin there."""
        return bool(np.isfinite(u).all() and np.isfinite(self(u)).all())

    def _evaluate(self, u: Floats) -> tuple[Floats, Floats]:
        with np.errstate(all="ignore"):
            values, jacobian = self.coordinates.evaluate(u[None])
            residuals, slopes = values[0], jacobian[0].T
            if self.in_logs:
                residuals, slopes = np.log(residuals), slopes / residuals[:, None]
            residuals = residuals - self.observed
            if self.root is not None:
                residuals, slopes = residuals * self.root, slopes * self.root[:, None]
            if not (np.isfinite(residuals @ residuals) and np.isfinite(slopes).all()):
                residuals = np.full_like(residuals, np.nan)
        return residuals, slopes


# -- arguments ---------------------------------------------------------------------------------------------------------


def _relative(weights: Floats | None, observed: Floats) -> Floats:
    return np.asarray((1.0 if weights is None else weights) / observed**2)


def _row(name: str, given: Any, size: int) -> Floats:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must hold numbers") from None
    if array.shape != (size,):
        raise ValueError(f"{name}: of shape {array.shape}; must be ({size},) as the variables are")
    if not np.isfinite(array).all():
        raise outside(name, float(array[~np.isfinite(array)][0]), "finite throughout")
    return array


def _check_names(names: Sequence[str], **given: Any) -> None:
    for argument, mapping in given.items():
        if unknown := [name for name in mapping if name not in names]:
            wrong, right = ", ".join(map(str, unknown)), ", ".join(names)
            raise ValueError(f"{argument}: {wrong} is no coefficient of the law, which has {right}")


def _box(
    names: Sequence[str], bounds: Mapping[str, tuple[float | None, float | None]]
) -> tuple[Floats, Floats]:
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, (low, high) in bounds.items():
        i = names.index(name)
        lower[i] = -np.inf if low is None else _bound(name, low)
        upper[i] = np.inf if high is None else _bound(name, high)
        if not lower[i] < upper[i]:
            raise ValueError(
                f"bounds: {name} must have its lower bound {lower[i]:g} below its upper bound "
                f"{upper[i]:g}"
            )
    return lower, upper


def _bound(name: str, value: Any) -> float:
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and value in (np.inf, -np.inf)
    ):
        return float(value)
    return number(name, value, REAL)
