"""Models with counts as what a backtest is of: the three laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...fit.resample import case_weights as resampled
from ..cautions import AUTO, cluster_of
from ..kinds import kind_of
from ..laws import METHODS, Data, clusters, fit_at_k
from ..likelihood import AtK, Surface
from .step import Step, Task
from .subject import Observed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from ..fit_at_k import PassFit
    from ..likelihood import Evidence

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: How a model was observed: by the unbiased estimate, or where some problem has fewer than k samples by the likelihood.
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
    known: dict[int, Observed] = field(default_factory=dict)

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

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""
        return kind_of(law).covariates

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""
        return kind_of(law).coefficients

    def identity(self) -> Iterator[bytes]:
        """All that the fits depend on."""
        counts = self.data.counts
        yield f"counts {self.method} {self.cluster} {counts.labels!r}".encode()
        for array in (counts.group, counts.n, counts.c):
            yield np.ascontiguousarray(array).tobytes()
        for name in sorted(counts.covariates):
            yield name.encode() + np.ascontiguousarray(counts.covariates[name]).tobytes()

    @cached_property
    def surface(self) -> Surface:
        """The likelihoods of the counts over shapes; of one model they depend on no other."""
        counts = self.data.counts
        return Surface.of([counts.per_group(g) for g in range(len(counts))])

    def observed(self, k: int) -> Observed:
        """The unbiased estimate where every problem has k samples, elsewhere the mean under the likelihood of the counts.

        The estimate depends on the model's own counts alone. The likelihood beyond the samples also takes from the counts of all
        models what shapes of the distribution of success rates are usual at a pass@k, but nothing from any law, and nothing of
        what makes a model expensive. It is the same for all cutoffs and laws.
        """
        if k not in self.known:
            self.at(k)
        return self.known[k]

    def _observed(self, k: int, evidence: Evidence) -> Observed:
        index = self.data.ks.index(k)
        mean, error = evidence.moments()
        with np.errstate(divide="ignore"):
            estimate = np.log(self.data.curve.neg_log[:, index])
        how = [self._how(g, index) for g in range(len(self.names))]
        log_y = np.where([way == ESTIMATE for way in how], estimate, mean)
        return Observed(np.where([way in (ESTIMATE, LIKELIHOOD) for way in how], log_y, np.nan), error, tuple(how))

    def _how(self, g: int, index: int) -> str:
        n, c = self.data.counts.per_group(g)
        if not c.any():
            return NO_SUCCESS
        if (c == n).all():
            return NO_FAILURE
        passed, missed = self.data.curve.pass_at_k[g, index], self.data.curve.neg_log[g, index]
        return ESTIMATE if self.data.curve.complete[g, index] and passed > 0.0 and missed > 0.0 else LIKELIHOOD

    def at(self, k: int) -> CountsAtK:
        """The counts with their likelihoods at one k."""
        likelihoods = AtK.of(self.surface, k)
        self.known[k] = self._observed(k, likelihoods.evidence())
        return CountsAtK(
            Data(self.data.counts, (k,)), self.method, likelihoods if self.method == METHODS[0] else None, self.cluster
        )


@dataclass(frozen=True, eq=False)
class CountsAtK:
    """Counts at one k; see `Fitter`. What counts say of training models is learnt from these alone, once for all laws."""

    data: Data
    method: str
    likelihoods: AtK | None
    cluster: str | None = AUTO
    learnt: dict[bytes, Evidence] = field(default_factory=dict)

    def part(self, training: Mask) -> Data:
        """The training models as if there were no others."""
        found = Data(self.data.counts.subset(np.flatnonzero(training)), self.data.ks)
        if self.likelihoods is not None:
            key = np.packbits(training).tobytes()
            if key not in self.learnt:
                self.learnt[key] = self.likelihoods.evidence(training)
            found.__dict__["evidence"] = (self.learnt[key],)
        return found

    def step(self, task: Task, training: Mask, targets: Any, resamples: int, seed: int, level: float) -> Step:
        """A law fitted to some of the models, with its predictions of others."""
        part = self.part(training)
        size = len(part.counts)
        group = clusters(part.counts, cluster_of(part.counts, self.cluster)) if resamples else None
        weights = resampled(group, size, resamples, np.random.default_rng(seed)) if resamples else np.empty((0, size))
        fit = replace(fit_at_k(part, kind_of(task.law), 0, self.method, weights), clusters=group)
        covariates = {name: self.data.counts.covariates[name][targets] for name in fit.kind.covariates}
        prediction = fit.predict(covariates) if len(targets) else None
        return Step(
            task=task,
            n_train=size,
            coefficients=fit.coefficients,
            errors=errors(fit),
            intervals=_intervals(fit, level),
            scatter=fit.scatter,
            degrees_of_freedom=fit.degrees_of_freedom,
            converged=fit.converged,
            undetermined=fit.undetermined,
            targets=np.asarray(targets, dtype=np.int64),
            log_y=prediction.log_y if prediction else np.empty(0),
            standard_error=prediction.standard_error if prediction else np.empty(0),
        )


def errors(fit: PassFit) -> dict[str, float]:
    """Standard errors: of the irreducible part as it is, of prefactors and exponents in the logarithm; 0 on a bound."""
    turn = fit.fit.design.to_coordinates
    roots = np.sqrt(np.maximum(np.diag(turn @ fit.covariance @ turn.T), 0.0))
    terms = fit.kind.terms
    found = {}
    for name, own, root in zip(fit.kind.coefficients, terms.coefficients, roots, strict=True):
        found[name] = float(root / fit.coefficients[name] if own in terms.exponents else root)
    return found


def _intervals(fit: PassFit, level: float) -> dict[str, tuple[float, float]]:
    """By the resamples, for coefficients that are not negative; an end that resamples do not reach is none."""
    if len(fit.certified_draws) < LEAST_DRAWS:
        return {}
    found = {}
    for name, one in fit.estimates(level).items():
        if one.low is not None and one.high is not None:
            found[name] = (0.0 if "low" in one.at_limit else one.low, inf if "high" in one.at_limit else one.high)
    return found
