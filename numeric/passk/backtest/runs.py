"""Runs with a loss as what a backtest is of: the compute law and the params+tokens law."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.columns import BUDGET
from ...fit.bootstrap import bootstrap
from ...fit.fitting import fit_terms
from ...fit.models import MODELS
from ...fit.resample import LEAST_GROUPS
from ...fit.separable import Centred
from .step import Step, Task
from .subject import Observed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from ...data.runs import Runs
    from ...fit.objective import Objective
    from ...fit.result import Fit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

MEASURED = "measured"


@dataclass(frozen=True, eq=False)
class OfRuns:
    """Runs with the objective of the fits; see `isoflop.numeric.passk.backtest.subject.Subject`."""

    runs: Runs
    objective: Objective
    what: str = "runs"

    @property
    def source(self) -> str:
        """Where they come from."""
        return self.runs.source

    @property
    def names(self) -> tuple[str, ...]:
        """Rows of the source."""
        return tuple(f"row {row}" for row in self.runs.row)

    @property
    def covariates(self) -> Mapping[str, Any]:
        """params, tokens and compute as far as there are any."""
        held = {name: getattr(self.runs, name) for name in BUDGET}
        return {name: values for name, values in held.items() if values is not None}

    @property
    def method(self) -> str:
        """The objective."""
        return self.objective.name

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""
        return MODELS[law].variables

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""
        return MODELS[law].coefficients

    def identity(self) -> Iterator[bytes]:
        """All that the fits depend on."""
        yield f"runs {self.objective!r}".encode()
        for name, values in {**self.covariates, "loss": self.runs.loss, "weight": self.runs.weight}.items():
            if values is not None:
                yield name.encode() + np.ascontiguousarray(values).tobytes()
        if self.runs.group is not None:
            yield repr(self.runs.group.tolist()).encode()

    def observed(self, k: int) -> Observed:
        """The losses; their own errors are part of the scatter about the law."""
        size = len(self.runs)
        return Observed(np.log(self.runs.loss), np.zeros(size), (MEASURED,) * size)

    def at(self, k: int) -> OfRuns:
        """The same."""
        return self

    def step(self, task: Task, training: Mask, targets: Any, resamples: int, seed: int, level: float) -> Step:
        """A law fitted to some of the runs, with its predictions of others."""
        part = self.runs.subset(training)
        fit = fit_terms(part, MODELS[task.law], self.objective)
        free = int(fit.free.sum())
        spare = float(max(1, len(part) - free))
        residuals = np.log(fit.fitted) - np.log(part.loss)
        covariance = _covariance(fit)
        log_y, error = _predicted(fit, covariance, {name: self.covariates[name][targets] for name in self.needs(task.law)})
        return Step(
            task=task,
            n_train=len(part),
            coefficients=fit.coefficients,
            errors=_errors(fit, covariance),
            intervals=_intervals(fit, resamples, seed, level),
            scatter=float(np.sqrt((residuals**2).sum() / spare)),
            degrees_of_freedom=spare,
            converged=fit.converged,
            undetermined=fit.undetermined,
            targets=np.asarray(targets, dtype=np.int64),
            log_y=log_y,
            standard_error=error,
        )


def _covariance(fit: Fit) -> Floats | None:
    """Of E, the logs of the prefactors and the exponents; None where the runs leave it open."""
    try:
        return fit.covariance("classical" if fit.objective.name == "least-squares-log" and fit.runs.group is None else "sandwich")
    except ValueError:
        return None


def _predicted(fit: Fit, covariance: Floats | None, at: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """log of the law (T,) at covariates, and its standard error by the delta method."""
    design = fit.design
    logs = np.stack([np.log(at[name]) for name in fit.model.variables])
    values, jacobian = Centred(logs - design.centres[:, None], fit.model.irreducible).evaluate(fit.theta[None])  # type: ignore[union-attr]
    if covariance is None:
        return np.log(values[0]), np.full(len(values[0]), inf)
    slope = np.linalg.solve(design.to_coordinates.T, jacobian[0] / values[0])
    return np.log(values[0]), np.sqrt(np.maximum(np.einsum("pt,pq,qt->t", slope, covariance, slope), 0.0))


def _errors(fit: Fit, covariance: Floats | None) -> dict[str, float]:
    """Standard errors: of E as it is, of prefactors and exponents in the logarithm."""
    if covariance is None:
        return dict.fromkeys(fit.model.coefficients, inf)
    roots = dict(zip(fit.model.coefficients, np.sqrt(np.maximum(np.diag(covariance), 0.0)), strict=True))
    return {name: float(root / fit.coefficients[name] if name in fit.model.exponents else root) for name, root in roots.items()}


def _intervals(fit: Fit, resamples: int, seed: int, level: float) -> dict[str, tuple[float, float]]:
    """Percentile intervals, where the runs determine the coefficients."""
    if not resamples or not fit.converged or fit.undetermined:
        return {}
    groups = fit.runs.group
    if groups is not None and len(np.unique(groups.astype(str))) < LEAST_GROUPS:
        return {}
    drawn = bootstrap(fit, resamples, seed=seed).estimates(level)
    return {name: (estimate.low, estimate.high) for name, estimate in drawn.items()}
