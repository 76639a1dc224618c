"""Models with counts as what a backtest is of: the three laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..data.rows import names_in_conditions
from ..fit.resample import case_weights
from ..passk.kinds import KINDS, kind_of
from ..passk.laws import AUTO, METHODS, Data, clusters, fit_at_k
from ..passk.likelihood import Surface
from ..results import Estimate
from .subject import Extrapolation, Observed, Subject, standard_estimates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from ..passk.likelihood import Evidence

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: How the laws are fitted.
METHOD = METHODS[0]
#: How a model was observed: by the unbiased estimate, or where some problem has fewer than k
#: samples by the likelihood.
ESTIMATE, LIKELIHOOD = "estimate", "likelihood"
#: Why it was not.
NO_SUCCESS, NO_FAILURE = "no success", "no failure"
#: A coefficient's interval takes at least so many certified resamples.
LEAST_DRAWS = 20


def of_counts(data: Data) -> Subject:
    """Counts at one or several k."""
    counts = data.counts
    labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
    others = {name: np.array(column, dtype=object) for name, column in labels}

    @cache
    def surface() -> Surface:
        return Surface.of([counts.per_group(g) for g in range(len(counts))])

    def rows(k: int) -> tuple[Models, Observed]:
        evidence = surface().at(k)
        observed = _observed(data, k, evidence)
        every = np.ones(len(counts), dtype=bool)
        return Models(Data(counts, (k,), (evidence,)), observed.measured, every), observed

    return Subject(
        what="counts",
        source=counts.source,
        names=counts.names,
        covariates=counts.covariates,
        condition_columns=names_in_conditions(counts.covariates, {}, others),
        method=METHOD,
        ks=data.ks,
        forms={name: (kind.covariates, kind.coefficients) for name, kind in KINDS.items()},
        rows=rows,
        learner=PassLaw,
    )


def _observed(data: Data, k: int, evidence: Evidence) -> Observed:
    """What was observed at one k.

    That is the unbiased estimate where every problem has k samples, elsewhere the mean under the
    likelihood of the counts. Either depends on the model's own counts alone, so that it is the same
    for all cutoffs and laws.
    """
    index = data.ks.index(k)
    mean, error = evidence.moments()
    with np.errstate(divide="ignore"):
        estimate = np.log(data.curve.neg_log[:, index])
    how = [_how(data, g, index) for g in range(len(data.counts))]
    log_y = np.where([way == ESTIMATE for way in how], estimate, mean)
    is_observed = np.array([way in (ESTIMATE, LIKELIHOOD) for way in how])
    return Observed(
        np.where(is_observed, np.exp(log_y), np.nan),
        np.where(is_observed, error, 0.0),
        tuple(how),
    )


def _how(data: Data, g: int, index: int) -> str:
    if not data.solved[g]:
        return NO_SUCCESS
    if not data.failing[g]:
        return NO_FAILURE
    passed, missed = data.curve.pass_at_k[g, index], data.curve.neg_log[g, index]
    is_estimated = data.curve.complete[g, index] and passed > 0.0 and missed > 0.0
    return ESTIMATE if is_estimated else LIKELIHOOD


@dataclass(frozen=True, eq=False)
class Models:
    """Some of the models, at one k.

    Attributes
    ----------
    data : Data
        The counts of all models at this k.
    measured : ndarray
        (G,): standard error of the observation of each in the logarithm.
    chosen : ndarray of bool
        (G,): which models these are.
    """

    data: Data
    measured: Floats
    chosen: Mask

    def subset(self, chosen: Mask) -> Models:
        """Some of all models."""
        return replace(self, chosen=chosen)


@dataclass(frozen=True)
class PassLaw:
    """A law of -log pass@k to be fitted to `Models`."""

    name: str
    k: int
    level: float
    resamples: int
    seed: int

    def fit(self, rows: Models) -> Extrapolation:
        """The law fitted to models."""
        part = rows.data.some(rows.chosen)
        size = len(part.counts)
        group, weights = None, np.empty((0, size))
        if self.resamples:
            _, group = clusters(part.counts, AUTO)
            weights = case_weights(group, size, self.resamples, np.random.default_rng(self.seed))
        try:
            fit = fit_at_k(part, kind_of(self.name), 0, METHOD, weights)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"k={self.k}: ")) from None
        fit = replace(fit, clusters=group)
        return Extrapolation(
            logs=partial(_logs, fit),
            estimates=standard_estimates(
                fit.coefficients, _errors(fit), self.level, fit.degrees_of_freedom
            ),
            scatter=fit.scatter,
            degrees_of_freedom=fit.degrees_of_freedom,
            converged=fit.converged,
            undetermined=fit.undetermined,
            level=self.level,
            resampled=_resampled(fit, self.level),
        )


def _logs(fit: PassFit, rows: Models) -> tuple[Floats, Floats, Floats]:
    """log of the law (T,) at models, its standard error, and that of their measurement."""
    covariates = rows.data.counts.covariates
    held = {name: covariates[name][rows.chosen] for name in fit.kind.covariates}
    return (*fit.prediction(held), rows.measured[rows.chosen])


def _errors(fit: PassFit) -> dict[str, float]:
    """Standard errors: of the irreducible part as it is, of prefactors and exponents in the
    logarithm; 0 on a bound.
    """
    turn = fit.fit.design.to_coordinates
    roots = np.sqrt(np.maximum(np.diag(turn @ fit.covariance @ turn.T), 0.0))
    terms = fit.kind.terms
    return {
        name: float(root / fit.coefficients[name] if own in terms.exponents else root)
        for name, own, root in zip(fit.kind.coefficients, terms.coefficients, roots, strict=True)
    }


def _resampled(fit: PassFit, level: float) -> dict[str, Estimate]:
    """The coefficients with intervals by resamples; none is negative, and an end that resamples do
    not reach is infinite.
    """
    if len(fit.drawn) < LEAST_DRAWS:
        return {}
    estimates = {}
    for name, one in fit.estimates(level).items():
        if one.low is not None and one.high is not None:
            low = 0.0 if "low" in one.at_limit else one.low
            high = inf if "high" in one.at_limit else one.high
            estimates[name] = Estimate(one.value, low, high, level=level)
    return estimates
