"""A law posed at rows, its objective, and the minimum that the solver found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .newton import Problem
from .power import LARGEST_EXPONENT, SMALLEST_EXPONENT
from .resample import Draws
from .solve import Minimum, solve
from .uncertainty import refit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .form import Form
    from .objective import Objective

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Laws that are drawn from a covariance, and the largest number that one of them may have.
DRAWS, LARGEST_DRAW = 1000, 1e300


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A law posed at rows, in the parameters of the solver, and the minimum that was found."""

    problem: Problem
    minimum: Minimum

    @classmethod
    def of(
        cls, model: Form, rows: Any, objective: Objective, seed: int = 0, weights: Any = None
    ) -> Solution:
        """The best minimum of a law posed at rows, for their losses (n,), each with its weight."""
        observed = np.asarray(rows.loss)
        problem = Problem.of(model, observed, weights, objective, model.box)
        minimum = solve(problem, seed=seed, limited=not model.is_expression)
        return cls(problem=problem, minimum=minimum)

    @property
    def model(self) -> Any:
        """The form of the law, posed at the rows."""
        return self.problem.model

    @property
    def objective(self) -> Any:
        """The objective that was minimised."""
        return self.problem.objective

    @property
    def theta(self) -> Floats:
        """The parameters of the solver at the minimum, (p,)."""
        return self.minimum.theta

    @cached_property
    def values(self) -> Floats:
        """The coefficients, (p,)."""
        return np.asarray(self.model.read(self.theta))

    @property
    def observed(self) -> Floats:
        """The losses, (n,)."""
        return self.problem.observed

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
        return ~np.isin(self.model.coefficients, [*self.at_bound, *self.model.fixed])

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
        steps = random.multivariate_normal(
            np.zeros(len(theta)),
            covariance / np.outer(scale, scale),
            DRAWS,
            check_valid="ignore",
            method="eigh",
        )
        steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        with np.errstate(over="ignore"):
            drawn = np.where(is_exponent, theta * np.exp(steps), theta + steps)
        ends = np.where(is_exponent, [[SMALLEST_EXPONENT], [LARGEST_EXPONENT]], [[-inf], [inf]])
        drawn = np.clip(drawn, *ends)
        if form.irreducible:
            drawn[:, 0] = np.maximum(drawn[:, 0], 0.0)
        coefficients = np.clip(form.read(drawn), -LARGEST_DRAW, LARGEST_DRAW)
        return Draws(
            rows=coefficients,
            converged=np.full(DRAWS, True),
            requested=DRAWS,
            kind="covariance",
        )

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Draws:
        """The fit repeated K times: with weights (K, n), how often each row is drawn, or to other
        observed values (K, n).
        """
        many = self.problem
        if weights is not None:
            many = many._replace(weights=many.weights * weights)
        if observed is not None:
            many = many._replace(target=np.log(observed) if many.objective.in_logs else observed)
        ends = refit(many, self.minimum, exact=not self.model.is_expression)
        return Draws(rows=self.model.read(ends.theta), converged=ends.done, values=ends.value)
