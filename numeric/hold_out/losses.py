"""Runs with a loss: the laws of the loss, by name or by formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..data.columns import BUDGET
from ..fit.fit import fit_form
from ..fit.models import MODELS, form_of
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS
from ..results import Band, coverage_factor, percentiles
from .judge import Observed, Task, Trained
from .splits import held_out, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..data.runs import Runs
    from ..fit.fit import Fit
    from ..fit.models import Expression, PowerTerms
    from .splits import Rule

__all__ = ["METHOD", "tasks_of_runs"]

#: How laws are fitted where nothing is said: prediction intervals take the scatter about a law to be
#: normal in the logarithm.
METHOD = "least-squares-log"
#: The laws with a name, those that need least first.
NAMED = tuple(sorted(MODELS, key=lambda name: len(MODELS[name].requires)))


def tasks_of_runs(
    runs: Runs,
    laws: Sequence[str] | None,
    rule: Rule,
    *,
    method: str | None = None,
    level: float,
    seed: int,
) -> list[Task]:
    """Every law of the loss, by default those with a name whose covariates the runs have."""
    objective = Objective(name=method or METHOD)
    known = {name: values for name in BUDGET if (values := getattr(runs, name)) is not None}
    held = None
    if rule.hold_out is not None:
        held = held_out(rule.hold_out, runs.named(), runs.source)
    names = tuple(f"row {row}" for row in runs.row)
    observed = Observed(runs.loss, np.zeros(len(runs)), ("measured",) * len(runs))
    every = np.ones(len(runs), dtype=bool)
    forms = {name: form_of(name).on(runs) for name in laws or NAMED}
    missing = {
        name: [need for need in form.requires if need not in known] for name, form in forms.items()
    }
    for name in laws or ():
        if missing[name]:
            raise without(name, missing[name], forms[name].requires, runs.source)
    return [
        Task(
            subject="",
            law=name,
            learner=LossLaw(form, objective, level, seed),
            rows=runs,
            names=names,
            noun="run",
            observed=observed,
            covariates=known,
            trainable=every,
            predictable=every,
            n_coefficients=len(form.coefficients),
            least=len(form.coefficients) + 1,
            held=held,
        )
        for name, form in forms.items()
        if not missing[name]
    ]


@dataclass(frozen=True)
class LossLaw:
    """A law of the loss to be fitted to `Runs`; prediction intervals hold at `level`."""

    form: PowerTerms | Expression
    objective: Objective
    level: float
    seed: int

    def fit(self, rows: Runs, resamples: int) -> FittedLoss:
        """The law fitted to runs."""
        fit = fit_form(rows, self.form, self.objective, seed=self.seed)
        groups = rows.group
        enough = groups is None or len(np.unique(groups.astype(str))) >= LEAST_GROUPS
        if resamples and fit.is_sound and enough:
            fit = fit.resampled(resamples, seed=self.seed)
        return FittedLoss(fit, self.level)


class FittedLoss(Trained):
    """A law of the loss that was fitted."""

    fit: Fit

    def predict(self, rows: Runs) -> Band:
        """The law at runs, with the interval of a new run.

        Its ends are apart from the law by the percentiles of the draws of the law and, as an
        independent error, by Student's t times the scatter of the fitted runs, in the logarithm.
        Without draws there are none.
        """
        fit = self.fit
        law = np.asarray(fit.predict(rows), dtype=np.float64)
        if fit.interval_kind == "none":
            return Band(law, level=self.level)
        spare = max(1, fit.spare)
        off = np.log(fit.fitted) - np.log(fit.observed)
        scatter = coverage_factor(self.level, spare) * np.sqrt((off**2).sum() / spare)
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = percentiles(np.log(fit.predicted_by_draws(rows)), self.level)
            below = np.hypot(np.log(law) - low, scatter)
            above = np.hypot(high - np.log(law), scatter)
        return Band(law, law * np.exp(-below), law * np.exp(above), self.level)
