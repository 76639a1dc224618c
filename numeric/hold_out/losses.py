"""Runs with a loss: the laws of the loss, by name or by formula."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import BUDGET
from ..fit.fit import fit_form
from ..fit.models import MODELS, form_of
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS
from ..results import Band, coverage_factor, percentiles
from .splits import held_out
from .task import Task, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.fit import Fit
    from .splits import Rule

    Mask = NDArray[np.bool_]

__all__ = ["tasks_of_runs"]

#: How laws are fitted: prediction intervals take the scatter about a law to be normal in the
#: logarithm.
SQUARES = Objective(name="least-squares-log")
#: The laws with a name, those that need least first.
NAMED = tuple(sorted(MODELS, key=lambda name: len(MODELS[name].requires)))


def tasks_of_runs(runs: Runs, laws: Sequence[str] | None, rule: Rule, *, seed: int) -> list[Task]:
    """Every law of the loss, by default those with a name whose covariates the runs have."""
    known = {name: values for name in BUDGET if (values := getattr(runs, name)) is not None}
    held = held_out(rule.hold_out, runs.named(), runs.source) if rule.hold_out else None
    every, tasks = np.ones(len(runs), dtype=bool), []
    for name in laws or NAMED:
        form = form_of(name).on(runs)
        if missing := [need for need in form.requires if need not in known]:
            if laws is None:
                continue
            raise without(name, missing, form.requires, runs.source)
        tasks.append(
            Task(
                subject="",
                law=name,
                rows=runs,
                fit=partial(_fitted, runs, form, seed),
                predict=partial(_predicted, runs),
                names=[f"row {row}" for row in runs.row],
                observed=np.asarray(runs.loss),
                covariates=known,
                trainable=every,
                predictable=every,
                least=len(form.coefficients) + 1,
                held=held,
            )
        )
    return tasks


def _fitted(runs: Runs, form: Any, seed: int, chosen: Mask, resamples: int) -> Fit:
    """The law fitted to some of the runs."""
    rows = runs.subset(chosen)
    fit = fit_form(rows, form, SQUARES, seed=seed)
    enough = rows.group is None or len(np.unique(rows.group.astype(str))) >= LEAST_GROUPS
    return fit.resampled(resamples, seed=seed) if resamples and fit.is_sound and enough else fit


def _predicted(runs: Runs, fit: Fit, chosen: Mask, level: float) -> Band:
    """The law at some of the runs, with the interval of a new run.

    Its ends are apart from the law by the percentiles of the draws of the law and, as an
    independent error, by Student's t times the scatter of the fitted runs, in the logarithm.
    Without draws there are none.
    """
    rows = runs.subset(chosen)
    law = np.asarray(fit.predict(rows), dtype=np.float64)
    if fit.drawn is None:
        return Band(law, level=level)
    solution, spare = fit.solution, max(1, fit.solution.spare)
    off = np.log(solution.fitted) - np.log(solution.observed)
    thetas = solution.design.thetas(fit.drawn.coefficients)
    scatter = coverage_factor(level, spare) * np.sqrt((off**2).sum() / spare)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentiles(np.log(solution.design.at(rows).evaluate(thetas)[0]), level)
        below = np.hypot(np.log(law) - low, scatter)
        above = np.hypot(high - np.log(law), scatter)
    return Band(law, law * np.exp(-below), law * np.exp(above), level)
