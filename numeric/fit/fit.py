"""Fit a law to runs: the front door, and the class of what comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT
from ..data.budget import LOSSES
from ..data.runs import Runs
from ..errors import whole_number
from ..results import Estimate
from .fitted import DEFAULT_LEVEL, Fitted
from .models import LARGEST_EXPONENT, SMALLEST_EXPONENT, Design, form_of
from .newton import Problem
from .objective import DEFAULT_DELTA, Objective
from .quantities import quantity_of
from .resample import Draws, Refits, resample
from .solve import Solution
from .uncertainty import refit, sandwich

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Self

    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from ...theory.typeset.table import Table
    from .models import Bounds, Expression, PowerTerms
    from .page import Page

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["DEFAULT_LEVEL", "Fit", "fit", "fit_form"]

#: Laws that are drawn from a covariance, and the largest number that one of them may have.
DRAWS, LARGEST_DRAW = 1000, 1e300


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Fitted):
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

    # -- the optimum -------------------------------------------------------------------------------

    @property
    def theta(self) -> Floats:
        """The solver's parameters."""
        return self.solution.theta

    @property
    def objective_value(self) -> float:
        """The objective at the optimum: the plain, weighted sum over the runs."""
        return self.solution.value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum."""
        return bool(self.solution.converged)

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """The coefficients by name: E, A, B, beta, gamma, or E, C0, alpha."""
        found = self.design.coefficients(self.theta)
        return dict(zip(self.model.coefficients, map(float, found), strict=True))

    @cached_property
    def at_bound(self) -> tuple[str, ...]:
        """Coefficients, fixed ones apart, that lie on a bound."""
        on = zip(self.names, self.design.on_bound(self.theta), strict=True)
        return tuple(name for name, held in on if held and name not in self.design.given)

    @cached_property
    def free(self) -> Mask:
        """(p,): coefficients that are neither fixed nor on a bound."""
        return ~np.isin(self.names, [*self.at_bound, *self.design.given])

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients whose values are no result: left open by the runs, or at a limit of the
        search; empty for a sound fit.
        """
        from .identify import undetermined

        return undetermined(self)

    @cached_property
    def open_directions(self) -> tuple[dict[str, float], ...]:
        """Combined changes of the coefficients that no run notices; see
        `isoflop.numeric.fit.identify.open_directions`.
        """
        from .identify import open_directions

        return open_directions(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients."""
        return tuple(self.model.coefficients)

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.runs)

    @property
    def spare(self) -> int:
        """How many more runs there are than free coefficients."""
        return self.size - int(self.free.sum())

    @property
    def observed(self) -> Floats:
        """The losses of the runs, (n,)."""
        return np.asarray(self.runs.loss)

    @property
    def problem(self) -> Problem:
        """What the solver minimised."""
        weights = 1.0 if self.runs.weight is None else np.asarray(self.runs.weight)
        weights = np.broadcast_to(weights, self.size)
        return Problem.of(self.design.model, self.observed, weights, self.objective)

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

    def predicted_by_draws(self, rows: Runs) -> Floats:
        """What the law says of other runs with every draw of its coefficients, (K, m)."""
        thetas = self.design.thetas(self.drawn.coefficients)
        return np.asarray(self.design.at(rows).evaluate(thetas)[0])

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """A law of this form with other coefficients."""
        return self.model.law(coefficients, "fit", self.source)

    @property
    def source(self) -> str:
        """What was fitted to what."""
        runs = f"{self.size} runs of {self.runs.source}"
        return f"{self.model} fitted to {runs} by {self.objective.name}"

    # -- uncertainty -------------------------------------------------------------------------------

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
        """The fit repeated K times: with weights (K, n) that say how often each run is drawn, or to
        other observed values (K, n).
        """
        many = self.problem
        if weights is not None:
            many = many._replace(weights=many.weights * weights)
        if observed is not None:
            many = many._replace(target=np.log(observed) if many.objective.in_logs else observed)
        box = self.design.lower, self.design.upper
        ends = refit(many, self.solution, *box, exact=not self.model.is_expression)
        return Refits(self.design.coefficients(ends.theta), ends.done, ends.value)

    def on_limit(self, coefficients: Floats) -> Mask:
        """Which of the coefficients (K, p) ran to a limit of the search that the caller did not
        set, (K, p).
        """
        return self.design.runaway(self.design.thetas(coefficients))

    @property
    def limits(self) -> Floats:
        """(p, 2): the limits that the search sets to exponents; the others have none."""
        found = super().limits
        found[np.isin(self.names, self.model.exponents)] = SMALLEST_EXPONENT, LARGEST_EXPONENT
        return found

    @cached_property
    def covariance(self) -> Floats:
        """Covariance (p, p) of E, the logarithms of the prefactors and the exponents; of an
        expression of its coefficients. 0 for what is fixed or on a bound.

        The sandwich with HC3, by group CR3; see `isoflop.numeric.fit.uncertainty`.

        Raises
        ------
        ValueError
            Where the runs do not tell the coefficients apart, one run or group determines one
            alone, or E came out as 0: nothing that moves with it is normal there.
        """
        if "E" in self.at_bound and self.coefficients["E"] == 0.0 and self.free.any():
            raise ValueError(
                "covariance: E is 0, the least it can be, and all other coefficients move with it; "
                "a bootstrap (--bootstrap) has intervals, and so has a law without E (--fix E=0)"
            )
        turn = self.design.to_coordinates
        found = turn @ sandwich(self.problem, self.theta, self.free, self.runs.group) @ turn.T
        return 0.5 * (found + found.T)

    @property
    def correlation(self) -> Floats:
        """Correlation (p, p) of the same; 0 for what is fixed or on a bound."""
        errors = np.sqrt(np.diag(self.covariance))
        scale = np.where(errors > 0.0, errors, 1.0)
        return self.covariance / np.outer(scale, scale)

    @cached_property
    def standard_errors(self) -> dict[str, float]:
        """By coefficient, from the covariance; 0 for those that are fixed or on a bound."""
        roots = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        scale = np.where(np.isin(self.names, self.model.prefactors), self.values, 1.0)
        return dict(zip(self.names, (roots * scale).tolist(), strict=True))

    @property
    def degrees_of_freedom(self) -> int:
        """Of the t distribution that intervals take: runs less free coefficients, by group groups
        less one; at least 1.
        """
        group = self.runs.group
        return max(self.spare if group is None else len({*group.tolist()}) - 1, 1)

    @property
    def drawn(self) -> Draws:
        """Draws of the coefficients, from which every interval comes: the resamples, or without any
        1,000 of the covariance by Student's t.

        Raises
        ------
        ValueError
            Where there is no covariance.
        """
        return self._of_covariance if self.draws is None else self.draws

    def drawn_laws(self) -> Draws | None:
        """The same; None where the fit tells no intervals."""
        return None if self.interval_kind == "none" else self.drawn

    @cached_property
    def _of_covariance(self) -> Draws:
        """Symmetric in E and in the logarithms of the other coefficients of power terms, in the
        coefficients of an expression; exponents stay within the limits of the search.
        """
        random, freedom, values = np.random.default_rng(0), self.degrees_of_freedom, self.values
        is_exponent = np.isin(self.names, self.model.exponents)
        size = np.where(is_exponent, values, 1.0)
        steps = random.multivariate_normal(
            np.zeros(len(values)),
            self.covariance / np.outer(size, size),
            DRAWS,
            check_valid="ignore",
            method="eigh",
        )
        steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        is_positive = is_exponent | np.isin(self.names, self.model.prefactors)
        with np.errstate(over="ignore"):
            drawn = np.where(is_positive, values * np.exp(steps), values + steps)
        drawn = np.clip(np.clip(drawn, *self.limits.T), -LARGEST_DRAW, LARGEST_DRAW)
        if not self.model.is_expression and "E" in self.names:
            drawn[:, 0] = np.maximum(drawn[:, 0], 0.0)
        return Draws(drawn, np.arange(DRAWS), DRAWS, kind="covariance")

    @cached_property
    def no_covariance(self) -> str:
        """Why there are no standard errors; "" where there are some, or resamples instead."""
        if self.draws is not None:
            return ""
        try:
            found = self.covariance
        except ValueError as error:
            return str(error).removeprefix("covariance: ")
        if not np.isfinite(found).all():
            return "the covariance exceeds the largest float"
        return "" if self.converged else "they are those of an optimum"

    @property
    def interval_kind(self) -> str:
        """Where intervals come from: "bootstrap", "sandwich" or "none"."""
        if not self.converged or self.no_covariance:
            return "none"
        return "sandwich" if self.draws is None else "bootstrap"

    def estimate(
        self,
        quantity: str | Callable[[Mapping[str, Floats]], ArrayLike],
        level: float = DEFAULT_LEVEL,
        *,
        compute: float | None = None,
        ratio: float | None = None,
    ) -> Estimate:
        """A coefficient, or what follows from the law, with its interval: percentiles of the draws.

        Parameters
        ----------
        quantity : str or callable
            A coefficient; of a params+tokens law "alpha", "C0", "params_share" and "tokens_share"
            (the exponents of N* and D*), at a compute "N_star", "D_star", "tokens_per_param",
            "L_star" and "R_star", at an overtraining ratio "penalty"; of a compute law at a compute
            "loss". Or a function that takes arrays (K,) of the coefficients by name to an array
            (K,).
        level : float
            Nominal coverage, 0 < level < 1.
        compute, ratio : float, optional
            FLOP, > 0; and 1, > 0.

        Raises
        ------
        ValueError
            Where there is no such quantity.

        Notes
        -----
        Without resamples a coefficient has the standard error of the covariance, one on a bound no
        interval. What follows from a law of which the runs leave a coefficient undetermined is
        undetermined.
        """
        if not (callable(quantity) or quantity in self.names):
            quantity = quantity_of(self.model, quantity, compute, ratio).function
        found, name = super().estimate(quantity, level), quantity
        is_open = bool(self.undetermined) if callable(name) else name in self.undetermined
        if is_open or (self.draws is None and name in self.at_bound):
            return Estimate(found.value, undetermined=is_open, level=level)
        if self.draws is None and found.has_interval and not callable(name):
            return replace(found, standard_error=self.standard_errors[name])
        return found

    def resampled(self, n: int = 1000, **options: Any) -> Self:
        """The same fit with `n` resamples of the runs, or of whole groups where they have a group,
        from which its intervals then come.

        Parameters
        ----------
        n : int
        **options
            seed, jobs, progress: see `isoflop.numeric.fit.resample.resample`.

        Returns
        -------
        Fit
            With the resamples that were done where Ctrl-C interrupts it.

        Raises
        ------
        ValueError
            Where an argument is outside its domain, there are fewer than four groups, or the fit
            leaves coefficients undetermined: its resamples would tell about the search, not about
            the runs.
        """
        if self.undetermined:
            left = ", ".join(self.undetermined)
            raise ValueError(f"bootstrap: the runs leave {left} undetermined")
        draws = resample(self, n, by=self.runs.group, **options)
        if not len(draws):
            raise ValueError(
                f"bootstrap: none of {draws.failed} refits reached a minimum; the runs do not "
                f"determine the law"
            )
        return self.with_draws(draws)

    def influence(self) -> DataFrame:
        """What every run does to the fit; see `isoflop.numeric.fit.influence.influence`."""
        from .influence import influence

        return influence(self)

    # -- output ------------------------------------------------------------------------------------

    def page(
        self,
        *,
        level: float = DEFAULT_LEVEL,
        compute: ArrayLike | None = None,
        ratio: ArrayLike | None = None,
    ) -> Page:
        """What the fit says, for every output.

        Parameters
        ----------
        level : float
            Nominal coverage of the intervals; 0 < level < 1.
        compute : float or sequence of float, optional
            Adds the optimum at each compute, or for a compute law the loss; FLOP, > 0.
        ratio : float or sequence of float, optional
            Adds the penalty at each overtraining ratio; 1, > 0.

        Raises
        ------
        ValueError
            Where an argument is outside its domain, or nothing of the law could be for it.
        """
        from .page import page

        return page(self, level, compute, ratio)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the fit, a sentence each."""
        return self.page().warnings

    def as_dict(self, *, name: str = "", **options: Any) -> dict[str, Any]:
        """Plain data; see `isoflop.numeric.fit.page.Page.as_dict` for its keys."""
        return self.page(**options).as_dict(name)

    def to_frame(self, **options: Any) -> DataFrame:
        """A pandas frame, a row a number: kind (coefficient or derived), value, lo, hi, se, note; NaN
        for what is undetermined. The options are those of `page`.
        """
        return self.page(**options).table().to_frame().set_index("name")

    def to_latex(
        self,
        caption: str = "",
        label: str = "",
        *,
        notation: str | Notation = DEFAULT,
        **options: Any,
    ) -> str:
        """A booktabs table; with a caption or a label it floats."""
        return self.page(**options).to_latex(notation, caption, label)

    def tables(self) -> tuple[Table, ...]:
        """The coefficients and what follows from them."""
        return (self.page().table(),)

    def plot(self) -> Any:
        """The runs with the law, and the residuals; see `isoflop.numeric.plot.fit.plot_fit`."""
        from ..plot.fit import plot_fit

        return plot_fit(self)

    def save(self, path: str | PathLike[str], **options: Any) -> None:
        """Write the plain data with the draws: a law file of the file's name, for every command and
        for `isoflop.law`.

        Raises
        ------
        ValueError
            Where the file cannot be written.
        """
        self.page(**options).save(path)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.coefficients.items())
        ended = f"{self.objective.name} {self.objective_value!r}; {self.size} runs"
        return f"Fit({numbers}; {ended}; converged={self.converged})"

    def __str__(self) -> str:
        return str(self.page())

    def _repr_html_(self) -> str:
        return self.page().html()


def fit(
    runs: Runs | str | PathLike[str] | Any,
    *,
    model: str = "params-tokens",
    objective: str | Objective = "huber-log",
    delta: float = DEFAULT_DELTA,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    random_baseline: float | None = None,
    seed: int = 0,
) -> Fit:
    r"""The law of a given form that comes closest to the runs: the global minimum of the objective,
    without start values.

    Parameters
    ----------
    runs : Runs, path, or anything that `pandas.DataFrame` accepts
        Read by `Runs.read` where they are no `Runs` yet.
    model : str or sympy.Expr
        "params-tokens": L = E + A N^-beta + B D^-gamma. "compute": L = E + C0 C^-alpha. Or an
        expression in N, D, C and the names of other columns, for example "E + (a*M^eta +
        b*M^-eta)*C^-eta": every other name is a coefficient.
    objective : str or Objective
        "huber-log" (sum of Huber's function of the log residuals; r^2/2 for \|r\| <= delta),
        "absolute-log", "least-squares-log", "least-squares".
    delta : float
        Of Huber's function; > 0.
    bounds : mapping of str to (float or None, float or None), optional
        Coefficient to its least and greatest value.
    fixed : mapping of str to float, optional
        Coefficient to its value, such as {"E": 0} for a law without irreducible loss.
    columns : mapping of str to str, optional
        Quantity, or name in the expression, to the column of the table that holds it, as in
        {"params": "Model Size"}.
    where : str, optional
        Condition on the rows, as in "loss < 4.5 and source == 'c4'".
    random_baseline : float, optional
        Accuracy of guessing, where the table has an accuracy and no loss: then -log of the
        normalised accuracy is fitted.
    seed : int
        Of the starts of a general law; the named models need no random numbers.

    Returns
    -------
    Fit
        With `converged` True only where the minimum is certified.

    Raises
    ------
    ValueError
        Where an argument is outside its domain or the runs are too few.

    Notes
    -----
    The objective of Hoffmann et al. 2022 (arXiv 2203.15556) is "huber-log" with delta 1e-3. For
    given exponents the other coefficients are a linear problem (variable projection); a grid over
    the exponents finds every basin, Newton's method with the exact Hessian the minimum in it.

    Examples
    --------
    >>> import numpy as np
    >>> n, d = (x.ravel() for x in np.meshgrid([1e8, 1e9, 1e10], [1e9, 1e10, 1e11]))
    >>> found = fit({"params": n, "tokens": d, "loss": 1.7 + 400 * n**-0.34 + 410 * d**-0.28})
    >>> found.converged, round(found.coefficients["beta"], 6)
    (True, 0.34)
    """
    if not isinstance(objective, Objective):
        objective = Objective(name=objective, delta=delta)
    seed, form = whole_number("seed", seed, 0), form_of(model)
    table = Runs.read(
        runs,
        columns=columns,
        where=where,
        random_baseline=random_baseline,
        require=(*form.requires, "loss"),
        names=form.names,
    )
    form = form.on(table)
    least, most = LOSSES
    if (wrong := ~((table.loss >= least) & (table.loss <= most))).any():
        at = int(np.argmax(wrong))
        place = f"row {table.row[at]} of {table.source}"
        raise ValueError(
            f"loss={float(table.loss[at])!r} ({place}): must be between {least:g} and {most:g}; "
            f"is it in another unit? A loss here is in nats per token"
        )
    count, given = len(form.coefficients), len({*(fixed or {})} & {*form.coefficients})
    table.require(count - given, f"the {count} coefficients of {form}")
    return fit_form(table, form, objective, bounds=bounds, fixed=fixed, seed=seed)


def fit_form(
    runs: Runs,
    form: PowerTerms | Expression,
    objective: Objective,
    *,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Fit:
    """The fit of a form to runs that have all it needs."""
    design = Design.of(form, runs, bounds=bounds, fixed=fixed)
    solution = design.solve(np.asarray(runs.loss), runs.weight, objective, seed=seed)
    found = Fit(model=form, objective=objective, runs=runs, design=design, solution=solution)
    for name, value in found.coefficients.items():
        if not np.isfinite(value):
            raise ValueError(f"coefficient {name!r}: exceeds the largest float at the optimum")
    return found
