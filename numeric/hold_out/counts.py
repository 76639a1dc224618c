"""Models with counts of samples and of correct ones: the laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..data.rows import names_in_conditions
from ..fit.resample import case_weights
from ..passk.fit_at_k import METHODS, Models, fit_at_k
from ..passk.kinds import KINDS, kind_of
from ..passk.laws import AUTO, clusters
from ..results import Band, coverage_factor
from .judge import Observed, Task, Trained
from .splits import held_out, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from ..results import Estimate
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
    counts, size = data.counts, len(data.counts)
    held = None
    if rule.hold_out is not None:
        labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
        others = {name: np.array(column, dtype=object) for name, column in labels}
        own = names_in_conditions(counts.covariates, others)
        held = held_out(rule.hold_out, own, counts.source)
    tasks = []
    for index, k in enumerate(data.ks):
        observed = _observed(data, index)
        of_k = Models(counts, (k,), (data.evidence[index],))
        rows = Chosen(of_k, observed.measured, np.ones(size, dtype=bool))
        for name in laws or KINDS:
            needs, width = KINDS[name].covariates, len(KINDS[name].coefficients)
            if missing := [need for need in needs if need not in counts.covariates]:
                if laws is None:
                    continue
                raise without(name, missing, needs, counts.source)
            values = [counts.covariates[need] for need in needs]
            known = np.all([np.isfinite(one) for one in values], axis=0)
            learner = PassLaw(name, k, level, seed)
            tasks.append(
                Task(
                    subject=k,
                    law=name,
                    learner=learner,
                    rows=rows,
                    names=counts.names,
                    noun="model",
                    observed=observed,
                    covariates=counts.covariates,
                    trainable=known,
                    predictable=known,
                    n_coefficients=width,
                    least=width + 1,
                    held=held,
                )
            )
    return tasks


def _observed(data: Models, index: int) -> Observed:
    """-log pass@k of every model: the unbiased estimate where every problem has k samples, elsewhere
    the mean under the likelihood of its counts.

    Either depends on the model's own counts alone, so that it is the same for all cutoffs and laws.
    """
    mean, error = data.evidence[index].moments()
    with np.errstate(divide="ignore"):
        estimate = np.log(data.curve.neg_log[:, index])
    how = tuple(_how(data, g, index) for g in range(len(data.counts)))
    log_y = np.where([way == ESTIMATE for way in how], estimate, mean)
    seen = np.array([way in (ESTIMATE, LIKELIHOOD) for way in how])
    return Observed(np.where(seen, np.exp(log_y), np.nan), np.where(seen, error, 0.0), how)


def _how(data: Models, g: int, index: int) -> str:
    if not data.solved[g]:
        return NO_SUCCESS
    if not data.failing[g]:
        return NO_FAILURE
    passed, missed = data.curve.pass_at_k[g, index], data.curve.neg_log[g, index]
    is_estimated = data.curve.complete[g, index] and passed > 0.0 and missed > 0.0
    return ESTIMATE if is_estimated else LIKELIHOOD


@dataclass(frozen=True, eq=False)
class Chosen:
    """Some of the models at one k: their counts, the standard error of the observation of each in the
    logarithm (G,), and which models these are (G,).
    """

    data: Models
    measured: Floats
    chosen: Mask

    def subset(self, chosen: Mask) -> Chosen:
        """Some of all models."""
        return replace(self, chosen=chosen)


@dataclass(frozen=True)
class PassLaw:
    """A law of -log pass@k to be fitted to `Chosen` models; prediction intervals hold at `level`."""

    name: str
    k: int
    level: float
    seed: int

    def fit(self, rows: Chosen, resamples: int) -> FittedPass:
        """The law fitted to models; resamples draw together the models that belong together."""
        part = rows.data.some(rows.chosen)
        size = len(part.counts)
        group, weights = None, np.empty((0, size))
        if resamples:
            _, group = clusters(part.counts, AUTO)
            weights = case_weights(group, size, resamples, np.random.default_rng(self.seed))
        try:
            fit = fit_at_k(part, kind_of(self.name), 0, METHOD, weights)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"k={self.k}: ")) from None
        return FittedPass(replace(fit, clusters=group), self.level)


class FittedPass(Trained):
    """A law of -log pass@k that was fitted."""

    fit: PassFit

    def final(self, name: str) -> Estimate | None:
        """A coefficient with its interval; None for fewer than 20 certified resamples."""
        return super().final(name) if len(self.fit.drawn) >= LEAST_DRAWS else None

    def predict(self, rows: Chosen) -> Band:
        """The law at models, with intervals by Student's t in the logarithm: the errors of the law,
        its scatter, and the models' own measurement.
        """
        covariates = rows.data.counts.covariates
        at = {name: covariates[name][rows.chosen] for name in self.fit.kind.covariates}
        log_y, error = self.fit.prediction(at)
        spread = np.sqrt(error**2 + self.fit.scatter**2 + rows.measured[rows.chosen] ** 2)
        half = coverage_factor(self.level, self.fit.degrees_of_freedom) * spread
        with np.errstate(over="ignore"):
            return Band(np.exp(log_y), np.exp(log_y - half), np.exp(log_y + half), self.level)
