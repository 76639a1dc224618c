"""A law fitted to cheap models or runs, and what it says of expensive ones, in the logarithm."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..results import Band, Estimate, coverage_factor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ..fit.hold_out import Learner

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Extrapolation", "Observed", "Subject"]


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


class Subject(Protocol):
    """What a backtest is of: models with counts, or runs with a loss."""

    @property
    def what(self) -> str:
        """Either "counts" or "runs"."""

    @property
    def source(self) -> str:
        """Where they come from."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models or runs, G of them."""

    @property
    def covariates(self) -> Mapping[str, Any]:
        """params, tokens, compute, gold as far as there are any, (G,) each, NaN where one has none."""

    @property
    def condition_columns(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What plain names and names in backticks mean in a condition on the models or runs."""

    @property
    def method(self) -> str:
        """How laws are fitted."""

    @property
    def ks(self) -> tuple[int, ...]:
        """The k of pass@k; (0,) for runs."""

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""

    def rows(self, k: int) -> tuple[Any, Observed]:
        """The table that the laws are fitted to at one k, with `subset`, and what was observed."""

    def learner(self, law: str, k: int, level: float, resamples: int, seed: int) -> Learner:
        """The law to be fitted; resamples of the training rows give the intervals of its
        coefficients.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class Extrapolation:
    """A fitted law whose rows scatter about it in the logarithm.

    Attributes
    ----------
    logs : callable
        Rows -> the log of the law there (T,), its standard error from those of the coefficients
        (T,), inf where that is unknown, and the standard error of the measurement at these rows,
        (T,) or a number.
    coefficients : dict of str to float
    errors : dict of str to float
        Standard errors: of the irreducible part as it is, of prefactors and exponents in the
        logarithm; inf where unknown.
    scatter : float
        Standard deviation of rows about the law in the logarithm.
    degrees_of_freedom : float
    converged : bool
    undetermined : tuple of str
    level : float
        Nominal coverage of intervals.
    resampled : dict of str to Estimate
        Coefficients with intervals by resamples; empty without these.
    is_expression : bool
        Whether the law is its user's own: its coefficients have any sign, and errors as written.
    """

    logs: Callable[[Any], tuple[Floats, Floats, Any]]
    coefficients: Mapping[str, float]
    errors: Mapping[str, float]
    scatter: float
    degrees_of_freedom: float
    converged: bool
    undetermined: tuple[str, ...]
    level: float
    resampled: Mapping[str, Estimate] = field(default_factory=dict)
    is_expression: bool = False

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

    def estimate(self, name: str) -> Estimate:
        """A coefficient with the interval of its standard error; of a power law in the logarithm
        but for the irreducible part.
        """
        value, error, free = (
            self.coefficients[name],
            self.errors[name],
            max(1, int(self.degrees_of_freedom)),
        )
        if not isfinite(error):
            return Estimate(value, -inf if self.is_expression else 0.0, inf, level=self.level)
        if self.is_expression:
            return Estimate.of_standard_error(value, error, self.level, free)
        if name == next(iter(self.coefficients)):
            return Estimate.of_standard_error(value, error, self.level, free).clipped(0.0)
        return Estimate.of_standard_error(value, value * error, self.level, free, within=(0.0, inf))

    def final(self, name: str) -> Estimate | None:
        """By resamples where there are any, else as `estimate`; None where the rows leave the
        coefficient undetermined.
        """
        if name in self.undetermined:
            return None
        if name in self.resampled:
            return self.resampled[name]
        return self.estimate(name) if isfinite(self.errors[name]) else None
