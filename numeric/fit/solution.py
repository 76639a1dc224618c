"""A form at the runs, in the parameters of the solver, and where the solver ended.

Of power terms the parameters are theta = (E, log T_1, ..., b_1, ...), where log T_k = log a_k - b_k
centre_k is the logarithm of a term at the geometric mean of the runs; of an expression they are its
coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, outside
from .models import LARGEST_EXPONENT, SMALLEST_EXPONENT, PowerTerms, in_coordinates
from .newton import Box, Problem
from .resample import Draws, Refits
from .solve import Minimum, solve
from .uncertainty import refit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.runs import Runs
    from .models import Bounds, Expression
    from .objective import Objective

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: A parameter this close to its bound is on it.
AT_BOUND = 1e-9
#: Laws that are drawn from a covariance, and the largest number that one of them may have.
DRAWS, LARGEST_DRAW = 1000, 1e300


@dataclass(frozen=True, kw_only=True)
class Design:
    """A form at the runs, and the box that its parameters keep to."""

    form: Any  # PowerTerms or Expression
    model: Any  # PowerSum or ExpressionModel
    box: Box
    fixed: Mapping[str, float] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=dict)  # those of the caller
    #: (m,): the mean log of the variable, or 0 where the prefactor itself is bounded or fixed.
    centres: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(
        cls,
        form: PowerTerms | Expression,
        runs: Runs,
        *,
        bounds: Bounds | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> Design:
        """The design of some runs; a ValueError where a bound or a fixed value is outside its domain."""
        fixed, bounds = _checked(form, "fixed", fixed), _checked(form, "bounds", bounds)
        if both := {*bounds} & {*fixed}:
            raise ArgumentError(f"coefficient {min(both)}", complaint="is both bounded and fixed")
        held, centres = fixed | bounds, np.empty(0)
        if isinstance(form, PowerTerms):
            is_held = [name in held for name in form.prefactors]
            centres = np.where(is_held, 0.0, form.logs(runs).mean(axis=1))
        limits = form.limits(np.asarray(runs.loss), {*held})
        for name, ends in held.items():
            inside = _log if name in form.prefactors else float
            usual = zip(ends, limits[name], strict=True)
            low, high = (limit if end is None else inside(end) for end, limit in usual)
            if low > high:
                below, above = limits[name]
                domain = f"a pair; a side of None is {below:g} below, {above:g} above"
                raise outside(f"bounds of {name}", ends, domain)
            limits[name] = low, high
        return cls(
            form=form,
            model=form.at(runs, centres),
            box=Box(*np.array([limits[name] for name in form.coefficients]).T),
            fixed={name: value for name, (value, _) in fixed.items()},
            bounds=bounds,
            centres=centres,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p coefficients."""
        return tuple(self.form.coefficients)

    @property
    def to_coordinates(self) -> Floats:
        """The matrix (p, p) that takes theta to E, the logarithms of the prefactors and the
        exponents, of which covariances are.
        """
        matrix = np.eye(len(self.names))
        for a, b, centre in zip(
            self.form.prefactors, self.form.exponents, self.centres, strict=True
        ):
            matrix[self.names.index(a), self.names.index(b)] = centre
        return matrix

    def coefficients(self, theta: Floats) -> Floats:
        """The coefficients (..., p) as they are written."""
        names, found = self.names, np.asarray(theta @ self.to_coordinates.T)
        logged = np.isin(names, self.form.prefactors)
        with np.errstate(over="ignore", under="ignore"):
            found[..., logged] = np.exp(found[..., logged])
        # Not by way of a logarithm, which would round: what is given, and the ends of bounds.
        for name, value in self.fixed.items():
            found[..., names.index(name)] = value
        for name, (low, high) in self.bounds.items():
            ends = -inf if low is None else low, inf if high is None else high
            found[..., names.index(name)] = np.clip(found[..., names.index(name)], *ends)
        return found

    def thetas(self, coefficients: Floats) -> Floats:
        """The solver's parameters (..., p) for rows of coefficients."""
        logs = in_coordinates(self.form, coefficients)
        return np.asarray(np.linalg.solve(self.to_coordinates, logs.T).T)

    def at(self, rows: Any) -> Any:
        """The model at other rows with the variables."""
        return self.form.at(rows, self.centres)

    def on_bound(self, theta: Floats) -> Mask:
        """Which of the parameters (..., p) lie on a bound, fixed ones among them."""
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        return np.asarray((theta - self.box.lower <= near) | (self.box.upper - theta <= near))

    def runaway(self, theta: Floats) -> Mask:
        """Which of the parameters (..., p) went to a limit of the search that the caller did not
        set, so that their values mean nothing: an exponent at its limit, or a term that vanishes or
        outgrows all data, with its exponent. E = 0 is a value as any other.
        """
        on = self.on_bound(theta) & ~np.isin(self.names, ["E", *self.bounds, *self.fixed])
        for a, b in zip(self.form.prefactors, self.form.exponents, strict=True):
            term = [self.names.index(a), self.names.index(b)]
            on[..., term] |= on[..., term].any(axis=-1, keepdims=True)
        return np.asarray(on & ~np.isin(self.names, list(self.fixed)))

    def on_limit(self, coefficients: Floats) -> Mask:
        """The same of rows of coefficients (K, p)."""
        return self.runaway(self.thetas(coefficients))


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """What was minimised, for values (n,), not logarithms, and where the solver ended."""

    design: Design
    objective: Objective
    observed: Floats
    weights: Floats
    minimum: Minimum

    @classmethod
    def of(cls, design: Design, runs: Runs, objective: Objective, seed: int = 0) -> Solution:
        """The best minimum for the losses of runs."""
        observed = np.asarray(runs.loss)
        weights = 1.0 if runs.weight is None else np.asarray(runs.weight)
        weights = np.broadcast_to(weights, len(observed))
        limited = not design.form.is_expression
        posed = design.model, observed, weights, objective, design.box
        minimum = solve(*posed, seed=seed, limited=limited)
        return cls(
            design=design, objective=objective, observed=observed, weights=weights, minimum=minimum
        )

    @property
    def theta(self) -> Floats:
        """(p,): the parameters."""
        return self.minimum.theta

    @cached_property
    def problem(self) -> Problem:
        """What the solver minimised."""
        posed = self.design.model, self.observed, self.weights, self.objective
        return Problem.of(*posed, self.design.box)

    @cached_property
    def values(self) -> Floats:
        """(p,): the coefficients."""
        return self.design.coefficients(self.theta)

    @cached_property
    def fitted(self) -> Floats:
        """(n,): the law at the runs."""
        return self.design.model.evaluate(self.theta[None])[0][0]

    @cached_property
    def residuals(self) -> Floats:
        """(n,): log(observed) - log(law), or observed - law for "least-squares"."""
        return -self.objective.residuals(self.fitted, self.observed)

    @cached_property
    def at_bound(self) -> tuple[str, ...]:
        """Coefficients, fixed ones apart, that lie on a bound."""
        on = zip(self.design.names, self.design.on_bound(self.theta), strict=True)
        return tuple(name for name, held in on if held and name not in self.design.fixed)

    @cached_property
    def free(self) -> Mask:
        """(p,): coefficients that are neither fixed nor on a bound."""
        return ~np.isin(self.design.names, [*self.at_bound, *self.design.fixed])

    @property
    def spare(self) -> int:
        """How many more runs there are than free coefficients."""
        return len(self.observed) - int(self.free.sum())

    def drawn(self, covariance: Floats, freedom: int) -> Draws:
        """1,000 draws of a covariance by Student's t: symmetric in E and in the logarithms of the
        other coefficients of power terms, in the coefficients of an expression; exponents stay
        within the limits of the search.
        """
        form, names, values = self.design.form, self.design.names, self.values
        random = np.random.default_rng(0)
        is_exponent = np.isin(names, form.exponents)
        size = np.where(is_exponent, values, 1.0)
        steps = random.multivariate_normal(
            np.zeros(len(values)),
            covariance / np.outer(size, size),
            DRAWS,
            check_valid="ignore",
            method="eigh",
        )
        steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        is_positive = is_exponent | np.isin(names, form.prefactors)
        with np.errstate(over="ignore"):
            drawn = np.where(is_positive, values * np.exp(steps), values + steps)
        drawn = np.clip(drawn, -LARGEST_DRAW, LARGEST_DRAW)
        ends = np.where(is_exponent, [[SMALLEST_EXPONENT], [LARGEST_EXPONENT]], [[-inf], [inf]])
        drawn = np.clip(drawn, *ends)
        if not form.is_expression and "E" in names:
            drawn[:, 0] = np.maximum(drawn[:, 0], 0.0)
        return Draws(drawn, np.arange(DRAWS), DRAWS, kind="covariance")

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
        """The fit repeated K times: with weights (K, n) that say how often each run is drawn, or to
        other observed values (K, n).
        """
        many = self.problem
        if weights is not None:
            many = many._replace(weights=many.weights * weights)
        if observed is not None:
            many = many._replace(target=np.log(observed) if self.objective.in_logs else observed)
        ends = refit(many, self.minimum, exact=not self.design.form.is_expression)
        return Refits(self.design.coefficients(ends.theta), ends.done, ends.value)


def _log(value: float) -> float:
    return log(value) if value > 0.0 else -inf


def _checked(form: Any, argument: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The ends of the bounds, or of the fixed values, of coefficients; or a ValueError."""
    if not isinstance(given or {}, Mapping):
        raise outside(argument, given, "a mapping of the names of coefficients")
    found: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if name not in form.coefficients:
            complaint = f"the law {form} has {', '.join(form.coefficients)}"
            raise ArgumentError(f"coefficient {name}", complaint=complaint)
        if argument == "fixed":
            found[name] = (form.checked(f"fixed {name}", value, name),) * 2
            continue
        domain = "a pair (low, high) with low < high; None for no bound"
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise outside(f"bounds of {name}", value, domain)
        low, high = (None if x in (None, inf, -inf) else x for x in value)
        if low is not None:
            low = form.checked(f"lower bound of {name}", low, name, lower=True)
        if high is not None:
            high = form.checked(f"upper bound of {name}", high, name)
        if low is not None and high is not None and not low < high:
            raise outside(f"bounds of {name}", value, domain)
        found[name] = low, high
    return found
