"""Runs with a loss as what a backtest is of: every form that fits them, by name or formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..data.columns import BUDGET
from ..data.rows import names_in_conditions
from ..fit.bootstrap import bootstrap
from ..fit.fitting import fit_form
from ..fit.resample import LEAST_GROUPS
from ..results import Estimate
from .subject import Extrapolation, Observed, Subject, standard_estimates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.models import Expression, PowerTerms
    from ..fit.objective import Objective
    from ..fit.result import Fit

    Floats = NDArray[np.float64]

MEASURED = "measured"


def of_runs(
    runs: Runs, forms: Mapping[str, PowerTerms | Expression], objective: Objective
) -> Subject:
    """Runs with the forms of the laws by name; the errors of losses are part of the scatter about a
    law.
    """
    size = len(runs)
    covariates = {name: values for name in BUDGET if (values := getattr(runs, name)) is not None}

    def rows(k: int) -> tuple[Runs, Observed]:
        return runs, Observed(runs.loss, np.zeros(size), (MEASURED,) * size)

    def learner(law: str, k: int, level: float, resamples: int, seed: int) -> LossLaw:
        return LossLaw(law, forms[law], objective, level, resamples, seed)

    return Subject(
        what="runs",
        source=runs.source,
        names=tuple(f"row {row}" for row in runs.row),
        covariates=covariates,
        condition_columns=names_in_conditions(
            covariates | {"loss": runs.loss}, runs.columns, runs.extra
        ),
        method=objective.name,
        ks=(0,),
        forms={name: (form.requires, form.coefficients) for name, form in forms.items()},
        rows=rows,
        learner=learner,
    )


@dataclass(frozen=True)
class LossLaw:
    """A law of the loss to be fitted to `Runs`."""

    name: str
    form: PowerTerms | Expression
    objective: Objective
    level: float
    resamples: int
    seed: int

    def fit(self, rows: Runs) -> Extrapolation:
        """The law fitted to runs."""
        fit = fit_form(rows, self.form, self.objective, seed=self.seed)
        spare = float(max(1, len(rows) - int(fit.free.sum())))
        residuals = np.log(fit.fitted) - np.log(rows.loss)
        covariance = _covariance(fit)
        return Extrapolation(
            logs=partial(_logs, fit, covariance),
            estimates=_estimates(fit, covariance, self.level, spare),
            scatter=float(np.sqrt((residuals**2).sum() / spare)),
            degrees_of_freedom=spare,
            converged=fit.converged,
            undetermined=fit.undetermined,
            level=self.level,
            resampled=_resampled(fit, self.resamples, self.seed, self.level),
        )


def _covariance(fit: Fit) -> Floats | None:
    """Of E, the logs of the prefactors and the exponents; None where the runs leave it
    undetermined.
    """
    try:
        return fit.covariance(
            "classical"
            if fit.objective.name == "least-squares-log" and fit.runs.group is None
            else "sandwich"
        )
    except ValueError:
        return None


def _logs(fit: Fit, covariance: Floats | None, rows: Runs) -> tuple[Floats, Floats, float]:
    """log of the law (T,) at runs, NaN where it is no loss, and its standard error by the delta
    method.
    """
    design = fit.design
    values, jacobian = design.at(rows).evaluate(fit.theta[None])
    logs = np.log(np.where(values[0] > 0.0, values[0], np.nan))
    if covariance is None:
        return logs, np.full(len(logs), inf), 0.0
    slope = np.linalg.solve(design.to_coordinates.T, jacobian[0] / values[0])
    variance = np.einsum("pt,pq,qt->t", slope, covariance, slope)
    return logs, np.sqrt(np.maximum(variance, 0.0)), 0.0


def _estimates(
    fit: Fit, covariance: Floats | None, level: float, spare: float
) -> dict[str, Estimate]:
    """The coefficients with intervals by their standard errors; those of an expression may have
    either sign.
    """
    names, values = fit.model.coefficients, fit.coefficients
    roots = np.full(len(names), inf)
    if covariance is not None:
        roots = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    errors = dict(zip(names, roots.tolist(), strict=True))
    if fit.model.is_expression:
        if covariance is None:
            return {name: Estimate(values[name], -inf, inf, level=level) for name in names}
        free = max(1, int(spare))
        return {
            name: Estimate.of_standard_error(values[name], errors[name], level, free)
            for name in names
        }
    relative = {
        name: error / values[name] if name in fit.model.exponents else error
        for name, error in errors.items()
    }
    return standard_estimates(values, relative, level, spare)


def _resampled(fit: Fit, resamples: int, seed: int, level: float) -> Mapping[str, Estimate]:
    """The coefficients with percentile intervals, where the runs determine them."""
    if not resamples or not fit.converged or fit.undetermined:
        return {}
    groups = fit.runs.group
    if groups is not None and len(np.unique(groups.astype(str))) < LEAST_GROUPS:
        return {}
    return bootstrap(fit, resamples, seed=seed).estimates(level)
