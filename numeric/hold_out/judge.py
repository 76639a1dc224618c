"""A law fitted to some rows of a table and judged on others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..repeat import repeat
from ..results import prediction_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ..accuracy.baselines import Baseline
    from ..repeat import Repeated
    from ..results import Band, Estimate
    from .splits import Split

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Judged", "Task", "judge"]

NOT_FINITE = "its prediction is not finite"


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """A law to be fitted to some rows of a table and judged on others.

    Attributes
    ----------
    subject : str or int
        What the rows are of: a benchmark, or k of pass@k; "" for losses.
    law : str
    rows : Runs, Counts or Sample
        The table.
    fit : callable
        Rows to be fitted (n,), resamples -> the law fitted to them; ValueError with the reason
        where that is impossible.
    predict : callable
        A fit, rows (n,) -> `Band`: predictions (m,), with the ends of the intervals of new rows.
    names : tuple of str
        (n,): of the rows.
    noun : str
        What a row is: a "run" or a "model".
    observed, measured : ndarray
        (n,): a loss, -log pass@k, or an accuracy, NaN where nothing is observed; and the standard
        error of its logarithm.
    how : tuple of str
        (n,): how each was observed, or why it was not.
    covariates : dict of str to ndarray
        (n,) each: what cutoffs may be in.
    trainable, predictable : ndarray of bool
        (n,): which rows may be fitted, and which may be predicted.
    n_coefficients, least : int
        Of the law; and the fewest rows it is fitted to.
    level : float
        Nominal coverage of intervals.
    held, grid : ndarray of bool or None
        (n,): the rows that a condition holds out; those whose values may be cutoffs, where these
        are to be the same for several laws.
    lacks : str
        Why the law cannot be fitted at all.
    counts_open : bool
        Whether the predictions of a fit count that leaves coefficients open.
    least_draws : int
        With fewer certified resamples a coefficient has no final interval.
    baseline : Baseline or None
        Of accuracies.
    """

    subject: str | int
    law: str
    rows: Any
    fit: Callable[[Mask, int], Any]
    predict: Callable[[Any, Mask], Band]
    names: tuple[str, ...]
    noun: str
    observed: Floats
    covariates: Mapping[str, Floats]
    trainable: Mask
    predictable: Mask
    n_coefficients: int
    least: int
    level: float
    measured: Floats | None = None
    how: tuple[str, ...] = ()
    held: Mask | None = None
    grid: Mask | None = None
    lacks: str = ""
    counts_open: bool = False
    least_draws: int = 0
    baseline: Baseline | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """One law on one split of its rows.

    Attributes
    ----------
    task : int
        Which of the tasks.
    subject : str or int
    law : str
    split : Split
    level : float
    fit : Fit, LawFit or PassFit or None
        None where the law could not be fitted.
    predicted, low, high : ndarray
        (m,): at the held-out rows; NaN where there is none.
    train : dict
        The errors on the fitted rows that may be predicted; see `prediction_errors`.
    failed : str
        Why some or all predictions are missing; "" where none is.
    """

    task: int
    subject: str | int
    law: str
    split: Split
    level: float
    fit: Any
    predicted: Floats
    low: Floats
    high: Floats
    train: dict[str, float | None]
    failed: str = ""

    @property
    def n_train(self) -> int:
        """How many rows are fitted."""
        return int(self.split.train.sum())

    @property
    def converged(self) -> bool:
        """Whether the law was fitted and is certified."""
        return self.fit is not None and bool(self.fit.converged)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The coefficients that the fitted rows leave open."""
        return () if self.fit is None else tuple(self.fit.undetermined)

    @property
    def is_sound(self) -> bool:
        """Whether the fit is certified and leaves no coefficient open."""
        return self.converged and not self.undetermined

    @property
    def doubt(self) -> str:
        """Why the predictions are not to be relied on; "" where they are."""
        if self.failed or self.is_sound:
            return self.failed
        if self.undetermined:
            return f"the fitted rows leave {', '.join(self.undetermined)} open"
        return "the fit is not certified as a minimum"

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The coefficients, each with an interval where there is one; none without a fit."""
        return {} if self.fit is None else dict(self.fit.estimates(self.level))


def judge(
    tasks: list[Task],
    splits: list[tuple[Split, ...]],
    *,
    resamples: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> Repeated[Judged]:
    """Fit every law to the rows of each of its splits and predict the rows held out.

    Parameters
    ----------
    tasks : list of Task
    splits : list of tuple of Split
        Of every task.
    resamples : int
        Behind the intervals of the final fits.
    jobs, progress
        As in `isoflop.numeric.repeat.repeat`.
    """
    items = (
        (index, task, split, resamples if split.is_final else 0)
        for index, (task, own) in enumerate(zip(tasks, splits, strict=True))
        for split in own
    )
    total = sum(map(len, splits))
    more: dict[str, Any] = {"what": "held out", "unit": "fit", "total": total}
    return repeat(_judged, items, jobs=jobs, progress=progress, **more)


def _judged(index: int, task: Task, split: Split, resamples: int) -> Judged:
    predicted = low = high = np.full(int(split.test.sum()), np.nan)
    fit, failed, train = None, split.lacks, prediction_errors(np.empty(0), np.empty(0))
    if not failed:
        try:
            fit = task.fit(split.train, resamples)
            shown = split.train & task.predictable
            if shown.any():
                train = prediction_errors(task.predict(fit, shown).value, task.observed[shown])
            if split.test.any():
                band = task.predict(fit, split.test)
                predicted, low, high = (
                    predicted if part is None else np.asarray(part)
                    for part in (band.value, band.low, band.high)
                )
        except ValueError as error:
            failed = str(error) or type(error).__name__
    finite = np.isfinite(predicted)
    return Judged(
        task=index,
        subject=task.subject,
        law=task.law,
        split=split,
        level=task.level,
        fit=fit,
        predicted=np.where(finite, predicted, np.nan),
        low=low,
        high=high,
        train=train,
        failed=failed or ("" if finite.all() else NOT_FINITE),
    )
