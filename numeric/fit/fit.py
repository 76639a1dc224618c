"""Fit a law to runs: the front door, and the class of what comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT, close_matches
from ...theory.typeset.shown import Shown
from .._files import save
from ..data.runs import Runs
from ..errors import outside, whole_number
from ..results import Estimate
from .expression import Expression
from .fitted import Fitted
from .identify import open_directions
from .objective import DEFAULT_DELTA, Objective
from .page import as_dict, file_text, run_ranges, source, table, warnings_of
from .power import COMPUTE, PARAMS_TOKENS, PowerTerms
from .resample import Draws, resample
from .solution import Solution
from .uncertainty import influence, sandwich

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Self

    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from ...theory.typeset.table import Table
    from .form import Held

    Floats = NDArray[np.float64]

__all__ = ["MODELS", "Fit", "fit", "fit_form", "form_of"]

#: The laws that have a name. To add one, add a form, such as `Expression("E + a*N^-b*D^-c",
#: name="product")`: `fit --model NAME`, `backtest --law NAME` and `isoflop.fit(runs, model=NAME)`
#: know it then. Sums of power terms are better declared as `PowerTerms`, whose starts come from a
#: grid of the exponents.
MODELS: dict[str, PowerTerms | Expression] = {form.name: form for form in (PARAMS_TOKENS, COMPUTE)}
#: Characters that tell an expression from a name.
OPERATORS = frozenset("+*^/()")
#: Losses outside these are in no usual unit.
LOSSES = (1e-15, 1e15)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Fitted, Shown):
    """A law fitted to runs."""

    runs: Runs

    @property
    def residuals(self) -> Floats:
        """log(observed) - log(law), or observed - law for "least-squares", (n,)."""
        return self.solution.residuals

    @property
    def open_directions(self) -> tuple[dict[str, float], ...]:
        """Combined changes of the coefficients that no run notices; see
        `isoflop.numeric.fit.identify.open_directions`.
        """
        return open_directions(self.solution)

    def _described(self) -> dict[str, Any]:
        columns = None if self.drawn is None else self.drawn.coefficients.T.tolist()
        draws = columns and dict(zip(self.names, columns, strict=True))
        return {"draws": draws, "source": source(self), "ranges": run_ranges(self.runs)}

    def predict(self, rows: Runs) -> Floats:
        """The law at other runs, (m,)."""
        solution = self.solution
        return np.asarray(solution.model.at(rows).evaluate(solution.theta[None])[0][0])

    # -- uncertainty -------------------------------------------------------------------------------

    @property
    def is_at_zero(self) -> bool:
        """Whether E came out as 0, the least that it can be."""
        return "E" in self.solution.at_bound and self.coefficients["E"] == 0.0

    @cached_property
    def _sandwich(self) -> Floats:
        """The covariance (p, p) of the solver's parameters; ValueError as of `covariance`."""
        solution = self.solution
        if self.is_at_zero and solution.free.any():
            raise ValueError(
                "covariance: E is 0, the least it can be, and all other coefficients move with it; "
                "a bootstrap (--bootstrap) has intervals, and so has a law without E (--fix E=0)"
            )
        return sandwich(solution.problem, solution.theta, solution.free, self.runs.group)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance (p, p) of E, the logarithms of the prefactors and the exponents; for an
        expression, of its coefficients. 0 for what is fixed or on a bound.

        The sandwich with HC3, by group CR3; see `isoflop.numeric.fit.uncertainty`. A ValueError where
        the runs do not tell the coefficients apart, one run or group determines one alone, or E
        came out as 0: nothing that moves with it is normal there.
        """
        turn = self.solution.model.to_coordinates
        found = turn @ self._sandwich @ turn.T
        return np.asarray(0.5 * (found + found.T))

    @property
    def correlation(self) -> Floats:
        """The correlation (p, p) of the same; 0 for what is fixed or on a bound."""
        errors = np.sqrt(np.diag(self.covariance))
        scale = np.where(errors > 0.0, errors, 1.0)
        return self.covariance / np.outer(scale, scale)

    @cached_property
    def drawn_or_why(self) -> Draws | str:
        """The resamples, or without any 1,000 draws of the covariance by Student's t; the reason where
        there are neither.
        """
        if self.draws is not None:
            return self.draws
        if not self.converged:
            return "no optimum was reached"
        try:
            covariance = self._sandwich
        except ValueError as error:
            return str(error).removeprefix("covariance: ")
        if not np.isfinite(covariance).all():
            return "the covariance exceeds the largest float"
        group, spare = self.runs.group, self.solution.spare
        freedom = spare if group is None else len({*group.tolist()}) - 1
        return self.solution.drawn(covariance, max(freedom, 1))

    @property
    def drawn(self) -> Draws | None:
        """The draws from which every interval comes; None where there are none."""
        return None if isinstance(self.drawn_or_why, str) else self.drawn_or_why

    def _refined(self, name: str, found: Estimate, level: float) -> Estimate:
        """Without resamples a coefficient has the standard error of the covariance, and one on a
        bound no interval.
        """
        if self.draws is not None:
            return found
        if name in self.solution.at_bound:
            return Estimate(found.value, level=level)
        place = self.names.index(name)
        scale = found.value if name in self.solution.model.prefactors else 1.0
        error = float(np.sqrt(max(self.covariance[place, place], 0.0))) * scale
        return replace(found, standard_error=error)

    def resampled(self, n: int = 1000, **options: Any) -> Self:
        """The same fit with n resamples of the runs, or of whole groups where the runs have them;
        its intervals come from these. The options are seed, jobs and progress of
        `isoflop.numeric.fit.resample.resample`. A ValueError where the fit leaves coefficients
        undetermined: its resamples would show the search, not the runs.
        """
        if self.undetermined:
            left = ", ".join(self.undetermined)
            raise ValueError(f"bootstrap: the runs leave {left} undetermined")
        runs = self.runs
        draws = resample(self.solution.refit, len(runs), n, by=runs.group, **options)
        if not len(draws):
            raise ValueError(
                f"bootstrap: none of {draws.failed} refits reached a minimum; the runs do not "
                f"determine the law"
            )
        return replace(self, draws=draws)

    def influence(self) -> DataFrame:
        """A row a run, indexed by its row in the table: `residual`; `leverage`, the diagonal of the
        projection on the columns of the Jacobian, whose sum is the number of free coefficients; and
        `distance`, Cook's distance, the squared change of the coefficients without the run in units
        of their covariance. ValueError where there is none.
        """
        from pandas import DataFrame, Index

        solution = self.solution
        leverage, distance = influence(
            solution.problem, solution.theta, solution.free, self._sandwich
        )
        columns = {"residual": self.residuals, "leverage": leverage, "distance": distance}
        return DataFrame(columns, index=Index(self.runs.row, name="row"))

    # -- output; the options are compute and ratio of `isoflop.numeric.fit.page.table` -------------

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that say what speaks against the fit."""
        return tuple(warnings_of(self))

    def tables(self, **options: Any) -> tuple[Table, ...]:
        """The table of the coefficients and of what follows from them."""
        return (table(self, **options),)

    def as_dict(self, name: str = "", **options: Any) -> dict[str, Any]:
        """The plain data of the saved file."""
        return as_dict(self, name, **options)

    def to_frame(self, **options: Any) -> DataFrame:
        """A row a number: kind (coefficient or derived), value, lo, hi, se, note."""
        return table(self, **options).to_frame().set_index("name")

    def to_latex(self, *, notation: str | Notation = DEFAULT, **options: Any) -> str:
        """The table in LaTeX, for booktabs."""
        return table(self, notation, **options).latex()

    def plot(self) -> Figure:
        """The figure of the runs with the law, and the residuals."""
        from ..plot.fit import plot_fit

        return plot_fit(self)

    def save(self, path: str | PathLike[str], **options: Any) -> None:
        """Write the plain data with the draws: a law file for every command and `isoflop.law`."""
        save(path, file_text(self, path, **options).encode())


def fit(
    runs: Runs | str | PathLike[str] | Any,
    *,
    model: str = "params-tokens",
    objective: str | Objective = "huber-log",
    delta: float = DEFAULT_DELTA,
    fixed: Mapping[str, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    seed: int = 0,
) -> Fit:
    """The law of a given form that comes closest to the runs: the global minimum of the objective,
    without start values.

    Parameters
    ----------
    runs : Runs, path, or anything that `pandas.DataFrame` accepts
        Read by `Runs.read` unless they are `Runs` already.
    model : str
        "params-tokens": L = E + A N^-beta + B D^-gamma. "compute": L = E + C0 C^-alpha. Or an
        expression in N, D, C and the names of other columns, for example "E + (a*M^eta +
        b*M^-eta)*C^-eta": every other name is a coefficient.
    objective, delta : str or Objective, float
        "huber-log", "absolute-log", "least-squares-log" or "least-squares", see `Objective`; and the
        width of Huber's function.
    fixed : mapping of str to float, optional
        Coefficient to its value, such as {"E": 0} for a law without irreducible loss.
    columns, where
        Of `Runs.read`: columns by quantity, or by name in the expression; a condition on the rows.
    seed : int
        Seed of the starts of an expression; the named models need no random numbers.

    Returns
    -------
    Fit
        With `converged` True only where the minimum is certified.

    Notes
    -----
    For given exponents the other coefficients are a linear problem (variable projection); a grid over
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
    named = {"require": form.requires, "names": form.names}
    table = Runs.read(runs, columns=columns, where=where, **named)
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
    return fit_form(table, form, objective, fixed=fixed, seed=seed)


def fit_form(
    runs: Runs,
    form: PowerTerms | Expression,
    objective: Objective,
    *,
    bounds: Held | None = None,
    fixed: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Fit:
    """The fit of a form to runs that have everything it needs, within bounds of its coefficients."""
    model = form.posed(runs, bounds=bounds, fixed=fixed)
    found = Fit(runs=runs, solution=Solution.of(model, runs, objective, seed))
    for name, value in found.coefficients.items():
        if not np.isfinite(value):
            raise ValueError(f"coefficient {name!r}: exceeds the largest float at the optimum")
    return found


def form_of(model: str) -> PowerTerms | Expression:
    """The form with this name, or of this expression; a ValueError for a misspelt name."""
    if not isinstance(model, str):
        raise outside("model", model, "a name or a formula")
    is_word = not OPERATORS.intersection(model)
    if model not in MODELS and is_word and (hint := close_matches(model, MODELS)):
        raise outside("model", model, f"one of {', '.join(MODELS)} or an expression{hint}")
    return MODELS.get(model) or Expression(model)
