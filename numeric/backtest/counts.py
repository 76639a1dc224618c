"""Models with counts as what a backtest is of: the three laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.rows import names_in_conditions
from ..fit.resample import case_weights
from ..passk.cautions import AUTO, clusters
from ..passk.kinds import kind_of
from ..passk.laws import METHODS, Data, fit_at_k
from ..passk.likelihood import AtK, Surface
from ..results import Estimate
from .extrapolation import Extrapolation, Observed, standard_estimates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..passk.fit_at_k import PassFit
    from ..passk.likelihood import Evidence

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: How a model was observed: by the unbiased estimate, or where some problem has fewer than k
#: samples by the likelihood.
ESTIMATE, LIKELIHOOD = "estimate", "likelihood"
#: Why it was not.
NO_SUCCESS, NO_FAILURE = "no success", "no failure"
#: A coefficient's interval takes at least so many certified resamples.
LEAST_DRAWS = 20


@dataclass(frozen=True, eq=False)
class OfCounts:
    """Counts with the fits' method, and what their models are drawn together by; see `Subject`."""

    data: Data
    method: str
    cluster: str | None = AUTO
    what: str = "counts"

    @property
    def source(self) -> str:
        """Where they come from."""
        return self.data.counts.source

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models."""
        return self.data.counts.names

    @property
    def covariates(self) -> Mapping[str, Any]:
        """By model."""
        return self.data.counts.covariates

    @property
    def condition_columns(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The covariates of the models and the columns that name them."""
        counts = self.data.counts
        labels = zip(counts.by, zip(*counts.labels, strict=True), strict=True)
        others = {name: np.array(column, dtype=object) for name, column in labels}
        return names_in_conditions(counts.covariates, {}, others)

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""
        return kind_of(law).covariates

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""
        return kind_of(law).coefficients

    @cached_property
    def surface(self) -> Surface:
        """The likelihoods of the counts over shapes; of one model they depend on no other."""
        counts = self.data.counts
        return Surface.of([counts.per_group(g) for g in range(len(counts))])

    @property
    def ks(self) -> tuple[int, ...]:
        """The k that are fitted."""
        return self.data.ks

    def rows(self, k: int) -> tuple[Models, Observed]:
        """The models with their likelihoods at one k, and what was observed.

        That is the unbiased estimate where every problem has k samples, elsewhere the mean under
        the likelihood of the counts. The estimate depends on the model's own counts alone. The
        likelihood beyond the samples also takes from the counts of all models what shapes of the
        distribution of success rates are usual at a pass@k, but nothing from any law, and nothing
        of what makes a model expensive. It is the same for all cutoffs and laws.
        """
        likelihoods = AtK.of(self.surface, k)
        observed = self._observed(k, likelihoods.evidence())
        at_k = AtOneK(
            Data(self.data.counts, (k,)),
            self.method,
            likelihoods if self.method == METHODS[0] else None,
            self.cluster,
        )
        return Models(at_k, observed.measured, np.ones(len(self.names), dtype=bool)), observed

    def learner(self, law: str, k: int, level: float, resamples: int, seed: int) -> PassLaw:
        """The law to be fitted."""
        return PassLaw(law, k, level, resamples, seed)

    def _observed(self, k: int, evidence: Evidence) -> Observed:
        index = self.data.ks.index(k)
        mean, error = evidence.moments()
        with np.errstate(divide="ignore"):
            estimate = np.log(self.data.curve.neg_log[:, index])
        how = [self._how(g, index) for g in range(len(self.names))]
        log_y = np.where([way == ESTIMATE for way in how], estimate, mean)
        is_observed = np.array([way in (ESTIMATE, LIKELIHOOD) for way in how])
        return Observed(
            np.where(is_observed, np.exp(log_y), np.nan),
            np.where(is_observed, error, 0.0),
            tuple(how),
        )

    def _how(self, g: int, index: int) -> str:
        n, c = self.data.counts.per_group(g)
        if not c.any():
            return NO_SUCCESS
        if (c == n).all():
            return NO_FAILURE
        passed, missed = self.data.curve.pass_at_k[g, index], self.data.curve.neg_log[g, index]
        return (
            ESTIMATE
            if self.data.curve.complete[g, index] and passed > 0.0 and missed > 0.0
            else LIKELIHOOD
        )


@dataclass(frozen=True, eq=False)
class AtOneK:
    """Counts at one k. What those of some models say is learnt from these alone, once for all laws."""

    data: Data
    method: str
    likelihoods: AtK | None
    cluster: str | None = AUTO
    learnt: dict[bytes, Evidence] = field(default_factory=dict)

    def part(self, chosen: Mask) -> Data:
        """Some of the models, as if there were no others."""
        counts, known = self.data.counts.subset(np.flatnonzero(chosen)), None
        if self.likelihoods is not None:
            key = np.packbits(chosen).tobytes()
            if key not in self.learnt:
                self.learnt[key] = self.likelihoods.evidence(chosen)
            known = (self.learnt[key],)
        return Data(counts, self.data.ks, known)


@dataclass(frozen=True, eq=False)
class Models:
    """Some of the models, at one k.

    Attributes
    ----------
    at_k : AtOneK
        Of all models.
    measured : ndarray
        (G,): standard error of the observation of each in the logarithm.
    chosen : ndarray of bool
        (G,): which models these are.
    """

    at_k: AtOneK
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
        part = rows.at_k.part(rows.chosen)
        size = len(part.counts)
        group, weights = None, np.empty((0, size))
        if self.resamples:
            _, group = clusters(part.counts, rows.at_k.cluster)
            weights = case_weights(group, size, self.resamples, np.random.default_rng(self.seed))
        try:
            fit = fit_at_k(part, kind_of(self.name), 0, rows.at_k.method, weights)
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
    covariates = rows.at_k.data.counts.covariates
    prediction = fit.prediction(
        {name: covariates[name][rows.chosen] for name in fit.kind.covariates}
    )
    return prediction.log_y, prediction.standard_error, rows.measured[rows.chosen]


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
