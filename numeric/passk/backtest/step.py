"""One fit of a backtest: trained up to a cutoff, with what it predicts of the models beyond; kept as a line of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ...fit.intervals import normal_quantile
from ..fit_at_k import Prediction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Beyond this half width of a logarithm an interval has no end.
WIDEST_LOG = 700.0


@dataclass(frozen=True)
class Task:
    """A fit to be made.

    Attributes
    ----------
    law : str
    k : int
        0 for runs.
    cutoff : float
        Of the axis: models as cheap as this, or cheaper, are trained on.
    final : bool
        Whether it is the fit on all training models, whose coefficients get the intervals that stability is measured by.
    """

    law: str
    k: int
    cutoff: float
    final: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """A fit, and what it predicts.

    Attributes
    ----------
    task : Task
    n_train : int
        Models up to the cutoff that have what the law depends on.
    failed : str
        Why there is no fit; "" where there is one.
    coefficients : dict of str to float
    errors : dict of str to float
        Standard errors: of the irreducible part as it is, of prefactors and exponents in the logarithm; inf where it is unknown.
    intervals : dict of str to (float, float)
        By resamples of the models, for the final fit; empty for others, and where the models leave a coefficient open.
    scatter : float
        Standard deviation of models about the law in the log of what is fitted.
    degrees_of_freedom : float
    converged : bool
    undetermined : tuple of str
        Coefficients that the models leave open.
    targets : ndarray of int
        (T,): the models predicted, as indices into the names of the backtest.
    log_y, standard_error : ndarray
        (T,): the log of the law there, and its error from those of the coefficients; inf where it is unknown.
    """

    task: Task
    n_train: int
    failed: str = ""
    coefficients: dict[str, float]
    errors: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    scatter: float
    degrees_of_freedom: float
    converged: bool
    undetermined: tuple[str, ...]
    targets: Any
    log_y: Floats
    standard_error: Floats

    @classmethod
    def failure(cls, task: Task, n_train: int, why: str) -> Step:
        """No fit."""
        none = np.empty(0)
        return cls(
            task=task,
            n_train=n_train,
            failed=why,
            coefficients={},
            errors={},
            intervals={},
            scatter=inf,
            degrees_of_freedom=1.0,
            converged=False,
            undetermined=(),
            targets=np.empty(0, dtype=np.int64),
            log_y=none,
            standard_error=none,
        )

    @property
    def prediction(self) -> Prediction:
        """Of the targets."""
        return Prediction(self.log_y, self.standard_error, self.scatter, self.degrees_of_freedom)

    def own_interval(self, name: str, level: float) -> tuple[float, float]:
        """Of a coefficient, by the fit's own standard error: estimate -+ t se, in the logarithm but for the irreducible part."""
        value, error = self.coefficients[name], self.errors[name]
        half = normal_quantile(level, max(1, int(self.degrees_of_freedom))) * error
        if name == next(iter(self.coefficients)):
            return max(0.0, value - half), value + half
        return (value * exp(-half), value * exp(half)) if half < WIDEST_LOG else (0.0, inf)

    def final_interval(self, name: str, level: float) -> tuple[float, float] | None:
        """By resamples where there are any, else the fit's own; None where the coefficient is open."""
        if name in self.undetermined:
            return None
        return self.intervals.get(name) or (self.own_interval(name, level) if isfinite(self.errors[name]) else None)

    # -- as a line of JSON ---------------------------------------------------------------------------------------------

    def as_record(self) -> dict[str, Any]:
        """Plain data; None for what is infinite."""
        task = self.task
        record: dict[str, Any] = {
            "law": task.law,
            "k": task.k,
            "cutoff": task.cutoff,
            "final": task.final,
            "n_train": self.n_train,
        }
        if self.failed:
            return record | {"failed": self.failed}
        return record | {
            "coefficients": self.coefficients,
            "errors": {name: _finite(value) for name, value in self.errors.items()},
            "intervals": {name: [low, _finite(high)] for name, (low, high) in self.intervals.items()},
            "scatter": _finite(self.scatter),
            "degrees_of_freedom": self.degrees_of_freedom,
            "converged": self.converged,
            "undetermined": list(self.undetermined),
            "targets": self.targets.tolist(),
            "log_y": self.log_y.tolist(),
            "standard_error": [_finite(value) for value in self.standard_error.tolist()],
        }

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Step:
        """The same, read."""
        task = Task(record["law"], record["k"], record["cutoff"], record["final"])
        if "failed" in record:
            return cls.failure(task, record["n_train"], record["failed"])
        return cls(
            task=task,
            n_train=record["n_train"],
            coefficients=record["coefficients"],
            errors={name: _or_infinite(value) for name, value in record["errors"].items()},
            intervals={name: (low, _or_infinite(high)) for name, (low, high) in record["intervals"].items()},
            scatter=_or_infinite(record["scatter"]),
            degrees_of_freedom=record["degrees_of_freedom"],
            converged=record["converged"],
            undetermined=tuple(record["undetermined"]),
            targets=np.array(record["targets"], dtype=np.int64),
            log_y=np.array(record["log_y"], dtype=np.float64),
            standard_error=np.array([_or_infinite(value) for value in record["standard_error"]], dtype=np.float64),
        )


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _or_infinite(value: float | None) -> float:
    return inf if value is None else value
