"""What a backtest is of, and a law fitted to its cheap rows with what it says of expensive ones.

All in the logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import Band, Estimate, coverage_factor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ..fit.hold_out import Learner

    Floats = NDArray[np.float64]

__all__ = ["Extrapolation", "Observed", "Subject", "standard_estimates"]


@dataclass(frozen=True, eq=False)
class Observed:
    """What is known of the models.

    Attributes
    ----------
    value : ndarray
        (G,): a loss, or -log pass@k; NaN where nothing is observed.
    measured : ndarray
        (G,): standard error of its logarithm.
    how : tuple of str
        (G,): how each was observed, or why it was not.
    """

    value: Floats
    measured: Floats
    how: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """What a backtest is of: models with counts at one or several k, or runs with a loss.

    Attributes
    ----------
    what : {"counts", "runs"}
    source : str
        Where they come from.
    names : tuple of str
        (G,): of the models or runs.
    covariates : dict of str to ndarray
        params, tokens, compute, gold as far as there are any, (G,) each, NaN where one has none.
    condition_columns : (dict, dict)
        What plain names and names in backticks mean in a condition on the models or runs.
    method : str
        How laws are fitted.
    ks : tuple of int
        The k of pass@k; (0,) for runs.
    forms : dict of str to (tuple of str, tuple of str)
        By law: the covariates that it depends on, and its coefficients.
    rows : callable
        k -> the table that the laws are fitted to, with `subset`, and what was observed.
    learner : callable
        law, k, level, resamples, seed -> the law to be fitted; resamples of the fitted rows give
        the intervals of its coefficients.
    """

    what: str
    source: str
    names: tuple[str, ...]
    covariates: Mapping[str, Any]
    condition_columns: tuple[Mapping[str, Any], Mapping[str, Any]]
    method: str
    ks: tuple[int, ...]
    forms: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    rows: Callable[[int], tuple[Any, Observed]]
    learner: Callable[[str, int, float, int, int], Learner]

    @property
    def noun(self) -> str:
        """What one of its rows is called."""
        return "model" if self.what == "counts" else "run"


@dataclass(frozen=True, eq=False, kw_only=True)
class Extrapolation:
    """A fitted law whose rows scatter about it in the logarithm.

    Attributes
    ----------
    logs : callable
        Rows -> the log of the law there (T,), its standard error from those of the coefficients
        (T,), inf where that is unknown, and the standard error of the measurement at these rows,
        (T,) or a number.
    estimates : dict of str to Estimate
        The coefficients with intervals by their standard errors; without one where it is unknown.
    scatter : float
        Standard deviation of rows about the law in the logarithm.
    degrees_of_freedom : float
    converged : bool
    undetermined : tuple of str
    level : float
        Nominal coverage of intervals.
    resampled : dict of str to Estimate
        Coefficients with intervals by resamples; empty without these.
    """

    logs: Callable[[Any], tuple[Floats, Floats, Any]]
    estimates: Mapping[str, Estimate]
    scatter: float
    degrees_of_freedom: float
    converged: bool
    undetermined: tuple[str, ...]
    level: float
    resampled: Mapping[str, Estimate] = field(default_factory=dict)

    def predict(self, rows: Any) -> Band:
        """New rows by Student's t in the logarithm: the errors of the law, its scatter, and their
        own measurement.

        The ends are 0 and infinite where the error of the law is unknown.
        """
        log_y, error, measured = self.logs(rows)
        half = coverage_factor(self.level, self.degrees_of_freedom) * np.sqrt(
            error**2 + self.scatter**2 + np.square(measured)
        )
        with np.errstate(over="ignore"):
            return Band(np.exp(log_y), np.exp(log_y - half), np.exp(log_y + half), self.level)

    @property
    def coefficients(self) -> dict[str, float]:
        """By name."""
        return {name: estimate.value for name, estimate in self.estimates.items()}

    def final(self, name: str) -> Estimate | None:
        """By resamples where there are any, else by the standard error; None where the rows leave
        the coefficient undetermined, or it lies on a bound, where its standard error is none.
        """
        if name in self.undetermined:
            return None
        if name in self.resampled:
            return self.resampled[name]
        estimate = self.estimates[name]
        return estimate if estimate.standard_error else None


def standard_estimates(
    coefficients: Mapping[str, float], errors: Mapping[str, float], level: float, spare: float
) -> dict[str, Estimate]:
    """Coefficients of power terms with intervals by Student's t: of the irreducible part, the
    first, as it is and at least 0, of prefactors and exponents in the logarithm. Infinite where the
    standard error (of the others in the logarithm) is.
    """
    free, floor = max(1, int(spare)), next(iter(coefficients))

    def estimate(name: str, value: float) -> Estimate:
        error = errors[name]
        if not isfinite(error):
            return Estimate(value, 0.0, inf, level=level)
        if name == floor:
            return Estimate.of_standard_error(value, error, level, free).clipped(0.0)
        return Estimate.of_standard_error(value, value * error, level, free, within=(0.0, inf))

    return {name: estimate(name, value) for name, value in coefficients.items()}
