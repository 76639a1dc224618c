"""Models with counts of samples and of correct ones: the laws of -log pass@k at every k."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..data.rows import names_in_conditions
from ..fit.resample import case_weights
from ..passk.curve import curve
from ..passk.fit_at_k import KINDS, fit_at_k, kind_of
from ..passk.laws import clusters
from ..passk.likelihood import evidence_of
from .splits import held_out
from .task import Task, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from ..passk.fit_at_k import PassFit, PassKind
    from ..passk.likelihood import Evidence
    from ..results import Band
    from .splits import Rule

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["tasks_of_counts"]


def tasks_of_counts(
    counts: Counts, ks: Sequence[int], laws: Sequence[str] | None, rule: Rule, *, seed: int
) -> list[Task]:
    """Every law at every k, by default those whose covariates the models have."""
    held, tasks = None, []
    if rule.hold_out:
        labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
        others = {name: np.array(column, dtype=object) for name, column in labels}
        named = names_in_conditions(counts.covariates, others)
        held = held_out(rule.hold_out, named, counts.source)
    for k, evidence in evidence_of(counts, ks).items():
        observed, why = _observed(counts, k)
        for name in laws or KINDS:
            kind = kind_of(name)
            if missing := [need for need in kind.covariates if need not in counts.covariates]:
                if laws is None:
                    continue
                raise without(name, missing, kind.covariates, counts.source)
            known = np.all([np.isfinite(counts.covariates[x]) for x in kind.covariates], axis=0)
            tasks.append(
                Task(
                    subject=k,
                    law=name,
                    rows=counts,
                    fit=partial(_fitted, counts, kind, k, evidence, seed),
                    predict=partial(_predicted, counts, evidence.moments()[1]),
                    names=counts.names,
                    observed=observed,
                    unobserved=why,
                    covariates=counts.covariates,
                    trainable=known,
                    predictable=known,
                    least=len(kind.coefficients) + 1,
                    held=held,
                )
            )
    return tasks


def _observed(counts: Counts, k: int) -> tuple[Floats, list[str]]:
    """The unbiased estimate of -log pass@k of every model, NaN where it has none, and why."""
    once, found = curve(counts, [1]), curve(counts, [k])
    few = f"fewer than {k} samples of some problem"
    why = np.select(
        [once.pass_at_k == 0.0, once.neg_log == 0.0, found.n_refused > 0, found.neg_log == 0.0],
        ["no success", "no failure", few, "every pass@k is 1"],
        "",
    )
    return np.where(why == "", found.neg_log, np.nan), list(why.tolist())


def _fitted(
    counts: Counts,
    kind: PassKind,
    k: int,
    evidence: Evidence,
    seed: int,
    chosen: Mask,
    resamples: int,
) -> PassFit:
    """The law fitted to some of the models; resamples draw together those that belong together."""
    part, group, weights = counts.subset(chosen), None, None
    if resamples:
        _, group = clusters(part)
        weights = case_weights(group, len(part), resamples, np.random.default_rng(seed))
    return fit_at_k(part, kind, k, evidence.some(chosen), weights, group)


def _predicted(counts: Counts, measured: Floats, fit: PassFit, chosen: Mask, level: float) -> Band:
    """The law at some of the models, with the models' own measurement in the intervals."""
    at = {name: counts.covariates[name][chosen] for name in fit.kind.covariates}
    return fit.predict(at, level, measured[chosen])
