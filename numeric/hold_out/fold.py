"""A law fitted to some rows of a table, and the frame of what it predicts of the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._progress import progress_bar
from ..accuracy.laws import crossing_of
from ..results import Band, prediction_errors
from .splits import splits_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..results import Estimate
    from .splits import Rule, Split
    from .task import Task

    Floats = NDArray[np.float64]

__all__ = ["Fold", "fold_all", "predictions"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Fold:
    """One law on one split of its rows.

    Attributes
    ----------
    task : Task
    split : Split
    is_final : bool
        Whether its coefficients are what those of the task's other splits are compared with.
    level : float
        Nominal coverage of intervals.
    fit : Fit, PassFit, LawFit or None
        None where the law could not be fitted.
    predicted : Band
        At the held-out rows.
    train : dict
        The errors on the fitted rows that may be predicted; see `prediction_errors`.
    failed : str
        Why there is no fit, or no prediction; "" where there are both.
    """

    task: Task
    split: Split
    is_final: bool
    level: float
    fit: Any
    predicted: Band
    train: dict[str, float | None]
    failed: str = ""

    @property
    def place(self) -> str:
        """The subject and the law, for a reader."""
        return f"{self.task.subject} {self.task.law}".strip()

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
    def doubt(self) -> str:
        """Why the predictions do not count; "" where they do."""
        if self.failed:
            return self.failed
        if self.undetermined and not self.task.counts_open:
            return f"the fitted rows leave {', '.join(self.undetermined)} open"
        return "" if self.converged else "the fit is not certified as a minimum"

    @property
    def remarks(self) -> list[str]:
        """What a reader of the coefficients of a law of accuracy must know."""
        if self.fit is None or not self.task.counts_open:
            return []
        found = [f"the runs leave {', '.join(self.undetermined)} open"] if self.undetermined else []
        found += self.fit.remarks
        crossing = crossing_of(self.fit, self.level)
        if crossing is not None:
            side = "above" if self.fit.coefficients["d"] < 0.0 else "below"
            found.append(f"the curves of all k cross at C_x = {crossing:.3g}; it holds {side}")
        return found

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The coefficients, each with an interval where there is one; none without a fit."""
        return {} if self.fit is None else dict(self.fit.estimates(self.level))

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the coefficients with their intervals where there are some, the errors on the
        fitted rows, and doubts.
        """
        return {
            "subject": self.task.subject,
            "law": self.task.law,
            "cutoff": self.split.at,
            "n_train": self.n_train,
            "final": self.is_final,
            "failed": self.failed,
            "coefficients": {
                name: estimate.as_dict("value", "lo", "hi")
                for name, estimate in self.estimates.items()
            },
            "train": self.train,
            "converged": self.converged,
            "undetermined": list(self.undetermined),
            "remarks": self.remarks,
        }


def fold_all(
    tasks: Sequence[Task], rule: Rule, *, level: float, resamples: int, progress: bool
) -> tuple[Fold, ...]:
    """Every law fitted to the rows of each split and judged on the rows held out, of each task the
    final split first, whose fit alone is resampled.
    """
    splits = [(task, split) for task in tasks for split in splits_of(task, rule)]
    bar = progress_bar(len(splits), progress, what="held out", unit="fit")
    folds: list[Fold] = []
    for task, split in splits:
        is_final = not folds or folds[-1].task is not task
        folds.append(_folded(task, split, is_final, level, resamples if is_final else 0))
        bar.update(1)
    bar.close()
    return tuple(folds)


def _folded(task: Task, split: Split, is_final: bool, level: float, resamples: int) -> Fold:
    predicted = Band(np.full(int(split.test.sum()), np.nan), level=level)
    fit, failed, train = None, split.lacks, prediction_errors(np.empty(0), np.empty(0))
    if not failed:
        try:
            fit = task.fit(split.train, resamples)
            shown = split.train & task.predictable & np.isfinite(task.observed)
            if shown.any():
                own = task.predict(fit, shown, level).value
                train = prediction_errors(own, task.observed[shown])
            if split.test.any():
                predicted = task.predict(fit, split.test, level)
                if not np.isfinite(predicted.value).all():
                    failed = "its prediction is not finite"
        except ValueError as error:
            failed = str(error)
    return Fold(
        task=task,
        split=split,
        is_final=is_final,
        level=level,
        fit=fit,
        predicted=predicted,
        train=train,
        failed=failed,
    )


def predictions(folds: Sequence[Fold], rule: Rule) -> DataFrame:
    """A row a prediction of a law that was fitted.

    subject, law, cutoff, n_train, target, size (its value on the axis), decades_held_out, observed,
    predicted, lo, hi, error (predicted less observed), relative_error, inside (of the interval; NA
    where there is none), converged, undetermined (names), usable (whether both numbers exist and
    the fit is certified, and of losses and counts leaves no coefficient open), left_out (why not).
    """
    import pandas as pd

    every = [_frame(fold, rule) for fold in folds]
    found = [frame for fold, frame in zip(folds, every, strict=True) if fold.fit is not None]
    filled = [frame for frame in found if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else every[0].iloc[:0]


def _frame(fold: Fold, rule: Rule) -> DataFrame:
    from pandas import DataFrame, array

    task, split = fold.task, fold.split
    rows: Any = np.flatnonzero(split.test)
    unknown = np.full(len(task.observed), np.nan)
    observed, predicted = task.observed[rows], fold.predicted.value
    low, high = (
        unknown[rows] if end is None else end for end in (fold.predicted.low, fold.predicted.high)
    )
    seen = np.isfinite(observed)
    usable = seen & np.isfinite(predicted) & (not fold.doubt)
    inside = array((low <= observed) & (observed <= high), dtype="boolean")
    inside[~(usable & np.isfinite(high))] = None
    why = [
        fold.doubt if known else f"target not observed: {task.unobserved[i]}"
        for i, known in zip(rows, seen, strict=True)
    ]
    frame = DataFrame(
        {
            "subject": task.subject,
            "law": task.law,
            "cutoff": np.nan if split.at is None else split.at,
            "n_train": fold.n_train,
            "target": [task.names[i] for i in rows],
            "size": task.covariates.get(rule.axis, unknown)[rows],
            "decades_held_out": rule.decades(task, split)[rows],
            "observed": observed,
            "predicted": predicted,
            "lo": low,
            "hi": high,
            "error": predicted - observed,
            "relative_error": predicted / observed - 1.0,
            "inside": inside,
            "converged": fold.converged,
            "undetermined": " ".join(fold.undetermined),
            "usable": usable,
            "left_out": why,
        }
    )
    return frame.sort_values("decades_held_out", kind="stable")
