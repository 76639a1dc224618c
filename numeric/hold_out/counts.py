"""Models with counts of samples and of correct ones: the laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..data.rows import names_in_conditions
from ..fit.resample import case_weights
from ..passk.fit_at_k import METHODS, Models, fit_at_k
from ..passk.kinds import KINDS, kind_of
from ..passk.laws import AUTO, clusters
from ..results import Band, coverage_factor
from .judge import Task
from .splits import held_out, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from .splits import Rule

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["METHOD", "tasks_of_counts"]

#: How the laws are fitted.
METHOD = METHODS[0]
#: How a model was observed: by the unbiased estimate, or where some problem has fewer than k samples
#: by the likelihood of its counts.
ESTIMATE, LIKELIHOOD = "estimate", "likelihood"
#: Why it was not.
NO_SUCCESS, NO_FAILURE = "no success", "no failure"
#: A coefficient's interval takes at least so many certified resamples.
LEAST_DRAWS = 20


def tasks_of_counts(
    data: Models, laws: Sequence[str] | None, rule: Rule, *, level: float, seed: int
) -> list[Task]:
    """Every law at every k, by default those whose covariates the models have."""
    counts = data.counts
    held = None
    if rule.hold_out is not None:
        labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
        others = {name: np.array(column, dtype=object) for name, column in labels}
        named = names_in_conditions(counts.covariates, others)
        held = held_out(rule.hold_out, named, counts.source)
    tasks = []
    for index, k in enumerate(data.ks):
        observed, measured, how = _observed(data, index)
        own = Models(counts, (k,), (data.evidence[index],))
        for name in laws or KINDS:
            needs, width = KINDS[name].covariates, len(KINDS[name].coefficients)
            if missing := [need for need in needs if need not in counts.covariates]:
                if laws is None:
                    continue
                raise without(name, missing, needs, counts.source)
            values = [counts.covariates[need] for need in needs]
            known = np.all([np.isfinite(one) for one in values], axis=0)
            tasks.append(
                Task(
                    subject=k,
                    law=name,
                    rows=counts,
                    fit=partial(_fitted, own, name, seed),
                    predict=partial(_predicted, own, measured, level),
                    names=counts.names,
                    noun="model",
                    observed=observed,
                    measured=measured,
                    how=how,
                    level=level,
                    least_draws=LEAST_DRAWS,
                    covariates=counts.covariates,
                    trainable=known,
                    predictable=known,
                    n_coefficients=width,
                    least=width + 1,
                    held=held,
                )
            )
    return tasks


def _observed(data: Models, index: int) -> tuple[Floats, Floats, tuple[str, ...]]:
    """-log pass@k of every model, the standard error of its logarithm, and how it was observed: by
    the unbiased estimate where every problem has k samples, elsewhere by the mean under the
    likelihood of its counts.

    Either depends on the model's own counts alone, so that it is the same for all cutoffs and laws.
    """
    mean, error = data.evidence[index].moments()
    with np.errstate(divide="ignore"):
        estimate = np.log(data.curve.neg_log[:, index])
    how = tuple(_how(data, g, index) for g in range(len(data.counts)))
    log_y = np.where([way == ESTIMATE for way in how], estimate, mean)
    seen = np.array([way in (ESTIMATE, LIKELIHOOD) for way in how])
    return np.where(seen, np.exp(log_y), np.nan), np.where(seen, error, 0.0), how


def _how(data: Models, g: int, index: int) -> str:
    if not data.solved[g]:
        return NO_SUCCESS
    if not data.failing[g]:
        return NO_FAILURE
    passed, missed = data.curve.pass_at_k[g, index], data.curve.neg_log[g, index]
    is_estimated = data.curve.complete[g, index] and passed > 0.0 and missed > 0.0
    return ESTIMATE if is_estimated else LIKELIHOOD


def _fitted(data: Models, name: str, seed: int, chosen: Mask, resamples: int) -> PassFit:
    """The law fitted to some of the models; resamples draw together those that belong together."""
    part = data.some(chosen)
    size = len(part.counts)
    group, weights = None, np.empty((0, size))
    if resamples:
        _, group = clusters(part.counts, AUTO)
        weights = case_weights(group, size, resamples, np.random.default_rng(seed))
    try:
        fit = fit_at_k(part, kind_of(name), 0, METHOD, weights)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f"k={data.ks[0]}: ")) from None
    return replace(fit, clusters=group)


def _predicted(data: Models, measured: Floats, level: float, fit: PassFit, chosen: Mask) -> Band:
    """The law at some of the models, with intervals by Student's t in the logarithm: the errors of
    the law, its scatter, and the models' own measurement.
    """
    at = {name: data.counts.covariates[name][chosen] for name in fit.kind.covariates}
    log_y, error = fit.prediction(at)
    spread = np.sqrt(error**2 + fit.scatter**2 + measured[chosen] ** 2)
    half = coverage_factor(level, fit.degrees_of_freedom) * spread
    with np.errstate(over="ignore"):
        return Band(np.exp(log_y), np.exp(log_y - half), np.exp(log_y + half), level)
