"""The best minimum of a law posed at rows: starts are followed to their minima, compared, certified;
and the same fit repeated on resamples, all at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .form import EXPONENTS
from .newton import Ends, Problem, best_of, follow, joined, median_residuals, minimise, stirred
from .objective import Objective
from .resample import Draws
from .sharp import sharpen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .form import Form

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Minima whose objectives differ by less than the first share count as one minimum; by less than the
#: second, as equally good.
SAME, EQUAL = 1e-7, 1e-12
#: With so few runs an objective with a bend has many minima: starts are sought by that objective as
#: well, smoothed over this many median residuals, and points around the best minimum are followed,
#: from this first width, in median residuals, so that each stays in its own basin.
FEW, NARROW, AROUND = 128, 0.5, 1.0
#: The most runs at which starts are sought.
MOST_RUNS = 1_000
#: A residual beyond so many medians may have misled the squares.
OUTLYING = 12.0
#: For an objective with a kink the best few minima of a smoother one are followed to the end: those
#: that differ by the first share and lie above the best by no more than the second.
MOST_SHARPENED, DISTINCT, HOPEFUL = 5, 1e-3, 0.1
#: The number of points close to the best of them that are followed where it is not certified.
CLOSE = 6
#: The runs do not tell the coefficients of an expression apart where a singular value of its Jacobian
#: is below this share of the largest.
SINGULAR = 1e-13
#: Other minima from which every refit starts as well.
MOST_OTHERS = 2
#: Laws that are drawn from a covariance, and the largest number that one of them may have.
DRAWS, LARGEST_DRAW = 1000, 1e300
NOWHERE_FINITE = (
    "runs: the law and its errors are finite numbers at no start; is a quantity in an impossible "
    "unit, or an exponent too large?"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A law posed at rows, and the minimum that was found."""

    problem: Problem  # the law at the rows with its box, and the objective
    theta: Floats  # the parameters of the solver, (p,)
    value: float  # the objective
    converged: bool  # whether the point is certified to be a local minimum in the box
    others: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (K, p), best first

    @classmethod
    def of(
        cls, model: Form, rows: Any, objective: Objective, seed: int = 0, weights: Any = None
    ) -> Solution:
        """The best minimum of a law posed at rows, for their losses (n,), each with its weight."""
        observed = np.asarray(rows.loss)
        return solve(Problem.of(model, observed, weights, objective, model.box), seed=seed)

    @property
    def model(self) -> Any:
        """The form of the law, posed at the rows."""
        return self.problem.model

    @property
    def objective(self) -> Any:
        """The objective that was minimised."""
        return self.problem.objective

    @property
    def observed(self) -> Floats:
        """The losses, (n,)."""
        return self.problem.observed

    @cached_property
    def values(self) -> Floats:
        """The coefficients, (p,)."""
        return np.asarray(self.model.read(self.theta))

    @cached_property
    def fitted(self) -> Floats:
        """The law at the rows, (n,)."""
        return np.asarray(self.model.evaluate(self.theta[None])[0][0])

    @cached_property
    def residuals(self) -> Floats:
        """log(observed) - log(law), or observed - law for "least-squares", (n,)."""
        return -self.problem.errors(self.fitted)

    @cached_property
    def at_bound(self) -> tuple[str, ...]:
        """Coefficients that lie on a bound; fixed ones do not count."""
        on = zip(self.model.coefficients, self.model.on_bound(self.theta), strict=True)
        return tuple(name for name, held in on if held and name not in self.model.fixed)

    @cached_property
    def free(self) -> Mask:
        """Which coefficients are neither fixed nor on a bound, (p,)."""
        return ~np.asarray(self.model.on_bound(self.theta))

    @property
    def spare(self) -> int:
        """The number of rows less that of free coefficients."""
        return len(self.fitted) - int(self.free.sum())

    def drawn(self, covariance: Floats, freedom: int) -> Draws:
        """1,000 draws of a covariance of the solver's parameters by Student's t.

        They are symmetric in E, in the logarithms of the terms at the centre of the runs and in
        those of the exponents; of an expression in the coefficients. A prefactor follows from its
        term and its exponent: drawn beside the exponent it would move the term, which the runs
        determine far better than either. Exponents stay within the limits of the search.
        """
        form, theta, random = self.model, self.theta, np.random.default_rng(0)
        is_exponent = np.isin(form.coefficients, form.exponents)
        scale = np.where(is_exponent, theta, 1.0)
        variances, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
        root = axes * np.sqrt(np.maximum(variances, 0.0)) @ axes.T  # whatever the signs of the axes
        steps = random.standard_normal((DRAWS, len(theta))) @ root
        steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        with np.errstate(over="ignore"):
            drawn = np.where(is_exponent, theta * np.exp(steps), theta + steps)
        least, most = np.where(is_exponent, np.reshape(EXPONENTS, (2, 1)), [[-inf], [inf]])
        drawn = np.clip(drawn, least, most)
        if form.irreducible:
            drawn[:, 0] = np.maximum(drawn[:, 0], 0.0)
        coefficients = np.clip(form.read(drawn), -LARGEST_DRAW, LARGEST_DRAW)
        is_drawn = np.full(DRAWS, True)
        return Draws(rows=coefficients, converged=is_drawn, requested=DRAWS, kind="covariance")

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Draws:
        """The fit repeated K times: with weights (K, n), how often each row is drawn, or to other
        observed values (K, n).
        """
        many = self.problem
        if weights is not None:
            many = many._replace(weights=many.weights * weights)
        if observed is not None:
            many = many._replace(target=np.log(observed) if many.objective.in_logs else observed)
        ends = refit(many, self)
        return Draws(rows=self.model.read(ends.theta), converged=ends.done, values=ends.value)


# -- one fit ---------------------------------------------------------------------------------------


def solve(problem: Problem, *, seed: int = 0) -> Solution:
    """The best minimum of one problem, without the runs of weight 0; `seed` is for drawn starts.

    That of an expression, which may have no finite optimum, counts only where the runs tell its free
    coefficients apart. A ValueError where the law is finite at no start.
    """
    posed, problem = problem, problem.alone()
    with np.errstate(all="ignore"):
        ends = _minima(problem, seed)
        if problem.objective.width == 0.0:  # sharpen only those that may be the best
            near = _hopeful(ends.theta, problem.values(ends.theta))
            ends = joined([sharpen(problem, theta) for theta in near])
            lowest = int(ends.value.argmin())
            if not ends.done[lowest]:  # stuck between kinks: again from close by
                again = stirred(problem, ends.theta[lowest])[:CLOSE]
                ends = joined([ends, *(sharpen(problem, theta) for theta in again)])
        floor = float(problem.floor())
    order = np.argsort(ends.value, kind="stable")
    equal = ends.value <= ends.value[order[0]] * (1.0 + EQUAL) + floor
    equal &= ends.done | ~ends.done[equal].any()
    # A law may have a twin, as E + A/(1 + x^b) is (E + A) - A/(1 + x^-b): the one with fewer signs.
    is_expression = problem.model.is_expression
    signs = (ends.theta < 0.0).sum(axis=1) if is_expression else np.zeros(len(order))
    best = int(np.lexsort((ends.value, signs, ~equal))[0])
    close = ends.value <= ends.value[best] * (1.0 + SAME) + floor
    theta, box = ends.theta[best], problem.box
    theta = np.where(box.on_lower(theta), box.lower, theta)
    theta = np.where(box.on_upper(theta), box.upper, theta)
    converged = bool(ends.done[best])
    return Solution(
        problem=posed,
        theta=theta,
        value=float(problem.values(theta[None])[0]),
        converged=converged and not (is_expression and is_singular(problem, theta)),
        others=ends.theta[order[~close[order]]],
    )


def is_singular(problem: Problem, theta: Floats) -> bool:
    """Whether the Jacobian at parameters (p,) does not tell those within their bounds apart."""
    with np.errstate(all="ignore"):
        jacobian = problem.residuals(theta[None])[1][0] * np.sqrt(problem.weights)
        columns = jacobian[(theta > problem.box.lower) & (theta < problem.box.upper)]
        columns /= np.linalg.norm(columns, axis=1, keepdims=True)
    if not np.isfinite(columns).all():
        return True
    sizes = np.linalg.svd(columns, compute_uv=False)
    return bool(sizes.size) and bool(sizes[-1] <= SINGULAR * sizes[0])


def _minima(problem: Problem, seed: int) -> Ends:
    """The minima of the smooth objective that the starts lead to."""
    posed, objective, box = problem, problem.objective, problem.box
    if problem.model.size > MOST_RUNS:  # starts are sought at some of the runs
        problem = problem.part(np.linspace(0, problem.model.size - 1, MOST_RUNS).astype(int))
    model, observed = problem.model, problem.observed
    squares = problem.weights / observed**2 if objective.in_logs else problem.weights
    begun = model.starts(observed, squares, box, seed=seed)
    is_square = objective.width == inf
    few = (objective.width == 0.0 or model.size <= FEW) and not is_square
    if not is_square and len(begun):
        size = np.abs(problem.residuals(begun[:1])[0])[0]
        middle = float(median_residuals(problem, begun[:1])[0, 0])
        if few or size.max() > OUTLYING * middle:
            # With the weights of absolute deviations, which outliers do not lead astray.
            robust = squares / np.maximum(size, 0.1 * middle)
            smooth = problem._replace(width=max(NARROW * middle, objective.width))
            judge = smooth.values if few else None
            more = model.starts(observed, robust, box, judge, seed=seed)
            begun = np.concatenate([begun, more]) if few else more
    if not np.isfinite(posed.values(begun)).any():
        raise ValueError(NOWHERE_FINITE)
    ends = follow(posed, begun)
    if few:
        around = stirred(posed, ends.theta[ends.value.argmin()])
        ends = joined([ends, follow(posed, around, widest=AROUND)])
    return ends


def _hopeful(theta: Floats, values: Floats) -> Floats:
    """The few best parameters with different objectives that are not far above the best."""
    order = np.argsort(values, kind="stable")
    value = values[order]
    apart = np.diff(value, prepend=-inf) > DISTINCT * value
    return theta[order[apart & (value <= (1.0 + HOPEFUL) * value[0])]][:MOST_SHARPENED]


# -- refits ----------------------------------------------------------------------------------------


def refit(problem: Problem, near: Solution) -> Ends:
    """Solve K problems that differ from a solved one in their weights (K, n) or observed values
    (K, n).

    All start from the fit, its other minima, and the least squares fit, which is near the minimum
    where a resample draws outliers often. A problem that ends at no certified minimum is solved
    again by itself, and one with a kink is followed from its smooth minimum to the exact one.
    """
    count = max(len(np.atleast_2d(problem.weights)), len(np.atleast_2d(problem.target)))
    begun = [near.theta, *near.others[:MOST_OTHERS]]
    is_sharp = problem.objective.width == 0.0
    if problem.objective.width != inf:
        name = "least-squares-log" if problem.objective.in_logs else "least-squares"
        held = {"target": problem.target, "weights": problem.weights}
        mean = {x: v.mean(axis=0) for x, v in held.items() if np.ndim(v) == 2}
        squares = problem._replace(objective=Objective(name=name), **mean)
        begun.append(minimise(squares, near.theta[None]).theta[0])
    ends = best_of(follow(problem, np.tile(start, (count, 1))) for start in begun)
    for index in range(count) if is_sharp else np.flatnonzero(~ends.done):
        one = problem.some(slice(index, index + 1))
        if is_sharp:
            end = sharpen(one.alone(), ends.theta[index])
            ends.theta[index], ends.value[index] = end.theta[0], end.value[0]
            ends.done[index] = end.done[0]
        if not ends.done[index]:
            try:
                again = solve(one)
            except ValueError:
                continue
            if again.converged or again.value < ends.value[index]:
                ends.theta[index], ends.value[index] = again.theta, again.value
                ends.done[index] = again.converged
    return ends
