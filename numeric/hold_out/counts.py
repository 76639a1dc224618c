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
from .splits import held_out
from .task import Task, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from .splits import Rule

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["tasks_of_counts"]


def tasks_of_counts(
    data: Models, laws: Sequence[str] | None, rule: Rule, *, seed: int
) -> list[Task]:
    """Every law at every k, by default those whose covariates the models have."""
    counts, held, tasks = data.counts, None, []
    if rule.hold_out:
        labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
        others = {name: np.array(column, dtype=object) for name, column in labels}
        named = names_in_conditions(counts.covariates, others)
        held = held_out(rule.hold_out, named, counts.source)
    for index, k in enumerate(data.ks):
        why = _unobserved(data, index)
        observed = np.where([reason == "" for reason in why], data.curve.neg_log[:, index], np.nan)
        error = data.evidence[index].moments()[1]
        own = Models(counts, (k,), (data.evidence[index],))
        for name in laws or KINDS:
            needs = kind_of(name).covariates
            if missing := [need for need in needs if need not in counts.covariates]:
                if laws is None:
                    continue
                raise without(name, missing, needs, counts.source)
            known = np.all([np.isfinite(counts.covariates[need]) for need in needs], axis=0)
            tasks.append(
                Task(
                    subject=k,
                    law=name,
                    rows=counts,
                    fit=partial(_fitted, own, name, seed),
                    predict=partial(_predicted, own, error),
                    names=counts.names,
                    observed=observed,
                    unobserved=why,
                    covariates=counts.covariates,
                    trainable=known,
                    predictable=known,
                    least=len(KINDS[name].coefficients) + 1,
                    held=held,
                )
            )
    return tasks


def _unobserved(data: Models, index: int) -> list[str]:
    """Why -log pass@k of a model has no unbiased estimate; "" where it has one."""
    few = f"fewer than {data.ks[index]} samples of some problem"
    why = np.select(
        [~data.solved, ~data.failing, ~data.curve.complete[:, index]],
        ["no success", "no failure", few],
        np.where(data.curve.neg_log[:, index] > 0.0, "", "every pass@k is 1"),
    )
    return list(why.tolist())


def _fitted(data: Models, name: str, seed: int, chosen: Mask, resamples: int) -> PassFit:
    """The law fitted to some of the models; resamples draw together those that belong together."""
    part = data.some(chosen)
    size = len(part.counts)
    group, weights = None, np.empty((0, size))
    if resamples:
        _, group = clusters(part.counts, AUTO)
        weights = case_weights(group, size, resamples, np.random.default_rng(seed))
    fit = fit_at_k(part, kind_of(name), 0, METHODS[0], weights)
    return replace(fit, clusters=group)


def _predicted(data: Models, measured: Floats, fit: PassFit, chosen: Mask, level: float) -> Band:
    """The law at some of the models, with intervals by Student's t in the logarithm: the errors of
    the law, its scatter, and the models' own measurement.
    """
    at = {name: data.counts.covariates[name][chosen] for name in fit.kind.covariates}
    log_y, error = fit.prediction(at)
    spread = np.sqrt(error**2 + fit.scatter**2 + measured[chosen] ** 2)
    half = coverage_factor(level, fit.degrees_of_freedom) * spread
    with np.errstate(over="ignore"):
        return Band(np.exp(log_y), np.exp(log_y - half), np.exp(log_y + half), level)
