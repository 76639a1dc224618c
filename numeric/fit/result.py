"""A fit: the coefficients, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT
from ..errors import outside
from ..results import Estimate
from .fitted import DEFAULT_LEVEL, FREE, Solved
from .models import LARGEST_EXPONENT, SMALLEST_EXPONENT
from .newton import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Self

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from ...theory.typeset.table import Table
    from ..data.runs import Runs
    from .derived import Quantity
    from .identifiability import Identifiability
    from .models import Design
    from .objective import Objective
    from .optimality import Solution
    from .resample import Draws, Refits
    from .summary import Summary

    Floats = NDArray[np.float64]

__all__ = ["DEFAULT_LEVEL", "Fit"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Solved):
    """A law fitted to runs.

    Attributes
    ----------
    model : PowerTerms or Expression
        The form.
    objective : Objective
        What was minimised.
    runs : Runs
        What it was fitted to.
    design : Design
        The form at the runs, in the parameters of the solver.
    solution : Solution
        Where the solver ended, and how that is certified.
    draws : Draws or None
        Refits to resamples, as `resampled` makes them: standard errors and intervals are theirs.
    """

    model: Any
    objective: Objective
    runs: Runs
    design: Design
    solution: Solution
    draws: Draws | None = None

    # -- the optimum -----------------------------------------------------------------------------------------------

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """The coefficients by name: E, A, B, beta, gamma, or E, C0, alpha."""
        return dict(
            zip(
                self.model.coefficients,
                map(float, self.design.coefficients(self.theta)),
                strict=True,
            )
        )

    @property
    def limits(self) -> Floats:
        """(p, 2): the limits that the search sets to exponents; the others have none."""
        box = SMALLEST_EXPONENT, LARGEST_EXPONENT
        return np.array([box if name in self.model.exponents else FREE for name in self.names])

    @cached_property
    def at_bound(self) -> tuple[str, ...]:
        """Coefficients that lie on a bound."""
        return self.design.at_bound(self.theta)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """(p,): coefficients that are neither fixed nor on a bound."""
        held = {*self.at_bound, *self.design.given}
        return np.array([name not in held for name in self.model.coefficients])

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients whose values are no result: left open by the runs, or at a limit of the
        search; empty for a sound fit.
        """
        from .identifiability import open_coefficients

        return open_coefficients(self)

    # -- once more ----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients."""
        return tuple(self.model.coefficients)

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.runs)

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
        """The fit repeated with other weights, or to other observed values; see `bootstrap.refit`."""
        from .bootstrap import refit

        return refit(self, weights, observed)

    def redrawn(self, count: int, random: np.random.Generator) -> Floats:
        """Observed values (count, n) with residuals drawn from the fit's own; see
        `bootstrap.resampled_values`.
        """
        from .bootstrap import resampled_values

        return resampled_values(self, count, random)

    def on_limit(self, coefficients: Floats) -> NDArray[np.bool_]:
        """Which of the coefficients (K, p) ran to a limit of the search that the caller did not
        set, (K, p).
        """
        runaway = [self.design.runaway(theta) for theta in self.design.thetas(coefficients)]
        return np.array(
            [[name in names for name in self.names] for names in runaway], dtype=bool
        ).reshape(-1, len(self.names))

    # -- residuals -------------------------------------------------------------------------------------------------

    @property
    def observed(self) -> Floats:
        """The losses of the runs, (n,)."""
        return np.asarray(self.runs.loss)

    @property
    def weights(self) -> Floats:
        """The weights of the runs, (n,): 1 where they have none."""
        return np.ones(self.size) if self.runs.weight is None else np.asarray(self.runs.weight)

    @property
    def problems(self) -> Problems:
        """What the solver minimised."""
        return Problems.of(self.design.model, self.observed, self.runs.weight, self.objective)

    @cached_property
    def fitted(self) -> Floats:
        """The law at the runs, (n,)."""
        return self.design.model.evaluate(self.theta[None])[0][0]

    @cached_property
    def residuals(self) -> Floats:
        """(n,): log(observed) - log(law), or observed - law for "least-squares"."""
        return -self.objective.residuals(self.fitted, self.observed)

    def predict(self, rows: Runs) -> Floats:
        """What the law says of other runs, (m,)."""
        return self.design.at(rows).evaluate(self.theta[None])[0][0]

    def linearised(self) -> tuple[Floats, Floats, Floats]:
        """What the objective sums rho of, law less observed (n,), the derivatives of that (p, n) in
        the solver's parameters, and the fitted values (n,).
        """
        return self.problems.linearised(self.theta)

    # -- the law ---------------------------------------------------------------------------------------------------

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """A law of this form with other coefficients."""
        return self.model.law(coefficients, self.name, self.source)

    @property
    def name(self) -> str:
        """The law's name: "fit"."""
        return "fit"

    @property
    def source(self) -> str:
        """What was fitted to what."""
        return f"{self.model} fitted to {len(self.runs)} runs of {self.runs.source} by {self.objective.name}"

    # -- uncertainty -----------------------------------------------------------------------------------------------

    def covariance(self, kind: str = "sandwich") -> Floats:
        """Covariance (p, p) of E, the logs of the prefactors and the exponents; see
        `covariance.covariance`.
        """
        from .covariance import covariance

        return self._sandwich.copy() if kind == "sandwich" else covariance(self, kind)

    @cached_property
    def _sandwich(self) -> Floats:
        from .covariance import covariance

        return covariance(self, "sandwich")

    @cached_property
    def standard_errors(self) -> dict[str, float]:
        """By coefficient, from the sandwich; 0 for those that are fixed or on a bound."""
        roots = np.sqrt(np.maximum(np.diag(self.covariance()), 0.0))
        logs = {name for name in self.model.coordinates if name.startswith("log ")}
        return {
            name: float(root) * (self.coefficients[name] if f"log {name}" in logs else 1.0)
            for name, root in zip(self.model.coefficients, roots, strict=True)
        }

    @property
    def spare(self) -> int:
        """How many more runs there are than free coefficients."""
        return self.size - int(self.free.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """Of the t distribution that intervals take: runs less free coefficients, by group groups
        less one; at least 1.
        """
        spare = self.spare
        if self.runs.group is not None:
            spare = len(set(self.runs.group.tolist())) - 1
        return max(spare, 1)

    def standard_estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """The coefficients with Wald intervals: of prefactors and exponents symmetric in the
        logarithm, of E cut at 0.
        """
        return {
            name: replace(estimate, undetermined=name in self.undetermined)
            for name, estimate in self.wald(level).items()
        }

    def wald(self, level: float) -> dict[str, Estimate]:
        """`standard_estimates` without a word on what is undetermined, which is judged by them."""
        exponents = getattr(self.model, "exponents", ())
        estimates = {}
        for name, coordinate in zip(self.names, self.model.coordinates, strict=True):
            is_positive = coordinate == f"log {name}" or name in exponents
            estimate = Estimate.of_standard_error(
                self.coefficients[name],
                self.standard_errors[name],
                level,
                self.degrees_of_freedom,
                within=(0.0 if is_positive else -inf, inf),
            )
            estimates[name] = estimate.clipped(0.0) if exponents else estimate
        return estimates

    def bootstrap(
        self,
        repeats: int = 1000,
        *,
        seed: int = 0,
        kind: str = "auto",
        progress: bool = False,
        jobs: int = 1,
    ) -> Draws:
        """The fit of resampled runs, `repeats` times; see
        `isoflop.numeric.fit.bootstrap.bootstrap`.
        """
        from .bootstrap import bootstrap

        return bootstrap(self, repeats, seed=seed, kind=kind, progress=progress, jobs=jobs)

    def resampled(self, n: int = 1000, **options: Any) -> Self:
        """The same fit with the draws of `bootstrap`, from which its estimates then come."""
        return self.with_draws(self.bootstrap(n, **options))

    def derived(
        self,
        *,
        compute: float | None = None,
        ratio: float | None = None,
        level: float = DEFAULT_LEVEL,
    ) -> dict[str, Estimate]:
        """What follows from a params+tokens fit, by name, with errors by the delta method.

        alpha, C0, params_share and tokens_share (the exponents of N* and D*); at a compute N_star,
        D_star, tokens_per_param, L_star, R_star; at an overtraining ratio the penalty. Resamples
        give intervals as well: `Draws.estimate` takes each `quantity`.
        """
        from .derived import default_quantities, derived

        quantities = default_quantities(compute, ratio)
        estimates = derived(
            self.law,
            self.covariance(),
            self.model.coordinates,
            quantities,
            level,
            self.degrees_of_freedom,
        )
        return {item.name: number for item, number in zip(quantities, estimates, strict=True)}

    def quantity(
        self, name: Any, *, compute: float | None = None, ratio: float | None = None
    ) -> Quantity:
        """What follows from a params+tokens law, by its name (see `derived`): for `Draws.estimate`
        and `profile`.

        Raises
        ------
        ValueError
            Where there is no such quantity; those at a compute or a ratio need it.
        """
        from .derived import default_quantities

        known = (
            {each.name: each for each in default_quantities(compute, ratio)}
            if self.model.name == "params-tokens"
            else {}
        )
        if name not in known:
            more = (
                ""
                if not known or (compute is not None and ratio is not None)
                else " (more with compute and ratio)"
            )
            raise outside("quantity", name, f"one of {', '.join((*self.names, *known))}{more}")
        return known[name]

    # -- diagnostics -----------------------------------------------------------------------------------------------

    def identifiability(self) -> Identifiability:
        """Which coefficients the design tells apart; see
        `isoflop.numeric.fit.identifiability.identifiability`.
        """
        return self._identifiability

    @cached_property
    def _identifiability(self) -> Identifiability:
        from .identifiability import identifiability

        return identifiability(self)

    def influence(self) -> DataFrame:
        """What every run does to the fit; see `isoflop.numeric.fit.influence.influence`."""
        from .influence import influence

        return influence(self)

    # -- output ------------------------------------------------------------------------------------

    def summary(self, **options: Any) -> Summary:
        """What the fit says, for every output; the options are level, compute and ratio (see
        `isoflop.numeric.fit.summary.summarise`).
        """
        from .summary import summarise

        return summarise(self, **options)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the fit, a sentence each: as the text and `as_dict` say it."""
        return self.summary().warnings

    def as_dict(self, *, name: str = "", **options: Any) -> dict[str, Any]:
        """Plain data; see `isoflop.numeric.fit.summary.Summary.as_dict` for its keys."""
        return self.summary(**options).as_dict(name)

    def to_frame(self, **options: Any) -> DataFrame:
        """A pandas frame, a row a number."""
        return self.summary(**options).to_frame()

    def to_latex(
        self,
        caption: str = "",
        label: str = "",
        *,
        notation: str | Notation = DEFAULT,
        **options: Any,
    ) -> str:
        """A booktabs table; with a caption or a label it floats."""
        return self.summary(**options).latex(notation, caption, label)

    def tables(self, **options: Any) -> tuple[Table, ...]:
        """The coefficients, and what follows from them."""
        return self.summary(**options).tables()

    def plot(self) -> Any:
        """A page of figures; see `isoflop.numeric.plot.fit.plot_fit_page`."""
        from ..plot.fit import plot_fit_page

        return plot_fit_page(self)

    def to_text(self, **options: Any) -> str:
        """The law, the runs, the objective, the tables, how sure they are, and every warning."""
        return str(self.summary(**options))

    def save(self, path: str | PathLike[str], **options: Any) -> None:
        """Write the plain data with the draws or the covariance: a law file of the file's name, for
        every command and for `Law.load`.

        Raises
        ------
        ValueError
            Where the file cannot be written.
        """
        from .summary import draws_of, law_name, write

        write(self.as_dict(name=law_name(path), **options) | draws_of(self), path)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.coefficients.items())
        ended = f"{self.objective.name} {self.objective_value!r}; {len(self.runs)} runs"
        return f"Fit({numbers}; {ended}; converged={self.converged})"

    def __str__(self) -> str:
        return self.to_text()
