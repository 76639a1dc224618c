"""What was minimised, where the solver ended, and what follows for the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .newton import Problem
from .power import LARGEST_EXPONENT, SMALLEST_EXPONENT
from .resample import Draws, Refits
from .solve import Minimum, solve
from .uncertainty import refit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.runs import Runs
    from .form import Form
    from .objective import Objective

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Laws that are drawn from a covariance, and the largest number that one of them may have.
DRAWS, LARGEST_DRAW = 1000, 1e300


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """A law that is posed at runs, in the parameters of the solver, and where the solver ended."""

    problem: Problem
    minimum: Minimum

    @classmethod
    def of(
        cls, model: Form, runs: Runs, objective: Objective, seed: int = 0, weights: Any = None
    ) -> Solution:
        """The best minimum for the losses of runs, (n,), each with its weight, of a law that is posed at
        them.
        """
        losses = np.asarray(runs.loss)
        problem = Problem.of(model, losses, weights, objective, model.box)
        return cls(
            problem=problem, minimum=solve(problem, seed=seed, limited=not model.is_expression)
        )

    @property
    def model(self) -> Any:
        """The law."""
        return self.problem.model

    @property
    def objective(self) -> Any:
        """What was minimised."""
        return self.problem.objective

    @property
    def theta(self) -> Floats:
        """(p,): the parameters."""
        return self.minimum.theta

    @cached_property
    def values(self) -> Floats:
        """(p,): the coefficients."""
        return np.asarray(self.model.read(self.theta))

    @property
    def observed(self) -> Floats:
        """(n,): the losses."""
        return self.problem.observed

    @cached_property
    def fitted(self) -> Floats:
        """(n,): the law at the runs."""
        return np.asarray(self.model.evaluate(self.theta[None])[0][0])

    @cached_property
    def residuals(self) -> Floats:
        """(n,): log(observed) - log(law), or observed - law for "least-squares"."""
        return -self.problem.errors(self.fitted)

    @cached_property
    def at_bound(self) -> tuple[str, ...]:
        """Coefficients, fixed ones apart, that lie on a bound."""
        on = zip(self.model.coefficients, self.model.on_bound(self.theta), strict=True)
        return tuple(name for name, held in on if held and name not in self.model.fixed)

    @cached_property
    def free(self) -> Mask:
        """(p,): coefficients that are neither fixed nor on a bound."""
        return ~np.isin(self.model.coefficients, [*self.at_bound, *self.model.fixed])

    @property
    def spare(self) -> int:
        """How many more runs there are than free coefficients."""
        return len(self.fitted) - int(self.free.sum())

    def drawn(self, covariance: Floats, freedom: int) -> Draws:
        """1,000 draws of a covariance by Student's t: symmetric in E and in the logarithms of the
        other coefficients of power terms, in the coefficients of an expression; exponents stay
        within the limits of the search.
        """
        form, values, random = self.model, self.values, np.random.default_rng(0)
        is_exponent = np.isin(form.coefficients, form.exponents)
        size = np.where(is_exponent, values, 1.0)
        steps = random.multivariate_normal(
            np.zeros(len(values)),
            covariance / np.outer(size, size),
            DRAWS,
            check_valid="ignore",
            method="eigh",
        )
        steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        with np.errstate(over="ignore"):
            drawn = np.where(is_exponent | form.logged, values * np.exp(steps), values + steps)
        drawn = np.clip(drawn, -LARGEST_DRAW, LARGEST_DRAW)
        ends = np.where(is_exponent, [[SMALLEST_EXPONENT], [LARGEST_EXPONENT]], [[-inf], [inf]])
        drawn = np.clip(drawn, *ends)
        if not form.is_expression and "E" in form.coefficients:
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
            many = many._replace(target=np.log(observed) if many.objective.in_logs else observed)
        ends = refit(many, self.minimum, exact=not self.model.is_expression)
        return Refits(self.model.read(ends.theta), ends.done, ends.value)
