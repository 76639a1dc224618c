"""Models with counts as what a backtest is of: the three laws of -log pass@k at every k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.fit.bootstrap import counts as resampled
from isoflop.numeric.fit.bootstrap import percentile
from isoflop.numeric.passk.backtest.step import Step, Task
from isoflop.numeric.passk.backtest.subject import Observed
from isoflop.numeric.passk.kinds import kind_of
from isoflop.numeric.passk.laws import Data, fit_at_k, some_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from isoflop.numeric.passk.fit_at_k import PassFit

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
    """Counts with the fits' method; see `Subject`."""

    data: Data
    method: str
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

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""
        return kind_of(law).covariates

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""
        return kind_of(law).coefficients

    def identity(self) -> Iterator[bytes]:
        """All that the fits depend on."""
        counts = self.data.counts
        yield f"counts {self.method} {counts.labels!r}".encode()
        for array in (counts.group, counts.n, counts.c):
            yield np.ascontiguousarray(array).tobytes()
        for name in sorted(counts.covariates):
            yield name.encode() + np.ascontiguousarray(counts.covariates[name]).tobytes()

    def observed(self, k: int) -> Observed:
        """The unbiased estimate where every problem has k samples, elsewhere the mean under the likelihood of the counts."""
        index = self.data.ks.index(k)
        mean, error = self.data.evidence[index].moments()
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

    def at(self, k: int) -> OfCounts:
        """The counts with what is known of them at one k."""
        index = self.data.ks.index(k)
        part = Data(self.data.counts, (k,))
        if self.method == "likelihood":
            part.__dict__["evidence"] = (self.data.evidence[index],)
        return OfCounts(part, self.method)

    def step(self, task: Task, training: Mask, targets: Any, resamples: int, seed: int, level: float) -> Step:
        """A law fitted to some of the models, with its predictions of others."""
        part = some_models(self.data, training)
        size = len(part.counts)
        weights = resampled(None, size, resamples, np.random.default_rng(seed)) if resamples else np.empty((0, size))
        fit = fit_at_k(part, kind_of(task.law), part.ks.index(task.k), self.method, weights)
        covariates = {name: self.covariates[name][targets] for name in fit.kind.covariates}
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
    draws = fit.certified_draws
    if len(draws) < LEAST_DRAWS:
        return {}
    return {name: percentile(column, level) for name, column in zip(fit.kind.coefficients, draws.T, strict=True)}
