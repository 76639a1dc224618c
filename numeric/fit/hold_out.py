"""Models fitted to some rows and judged on others: one long table, whatever the rule by which rows
are held out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import outside, whole_number
from ..repeat import repeat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "HeldOut",
    "Judged",
    "Learner",
    "Split",
    "Trained",
    "Trial",
    "hold_out",
    "judge",
    "rolling",
]

NOT_FINITE = "its prediction is not finite"


# -- which rows are held out -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit and rows to predict.

    Attributes
    ----------
    name : str
    train, test : ndarray of bool
        (n,): never both. Rows may be in neither, and either may be empty: nothing is fitted, or
        nothing judged.
    at : float or None
        The cutoff or threshold behind it.
    """

    name: str
    train: Mask
    test: Mask
    at: float | None = None

    def __post_init__(self) -> None:
        train, test = (np.asarray(mask, dtype=bool) for mask in (self.train, self.test))
        if train.ndim != 1 or train.shape != test.shape:
            raise ValueError(
                f"split {self.name!r}: masks of shapes {train.shape} and {test.shape}: must be one "
                f"shape (n,)"
            )
        if (train & test).any():
            raise ValueError(
                f"split {self.name!r}: row {int(np.argmax(train & test))} is both fitted and held "
                f"out"
            )
        object.__setattr__(self, "train", train)
        object.__setattr__(self, "test", test)


def rolling(
    values: ArrayLike, cutoffs: int | ArrayLike = 6, *, least: int = 6, next_only: bool = True
) -> tuple[Split, ...]:
    """Rows up to a cutoff predict those beyond, cutoff by cutoff.

    Parameters
    ----------
    values : array_like of shape (n,)
        What the cutoffs are in, such as compute.
    cutoffs : int or array_like
        At most so many of the distinct values, evenly spread over them; or the cutoffs themselves.
    least : int
        The least rows up to the first cutoff.
    next_only : bool
        Predict the rows up to the next cutoff; or else all rows beyond.

    Returns
    -------
    tuple of Split
        Empty where there are too few rows.
    """
    column = np.asarray(values, dtype=np.float64)
    if isinstance(cutoffs, (int, np.integer)):
        count = whole_number("cutoffs", cutoffs, 1)
        cuts = [
            float(value)
            for value in np.unique(column)[:-1]
            if np.count_nonzero(column <= value) >= least
        ]
        if len(cuts) > count:
            cuts = [
                cuts[i] for i in np.unique(np.linspace(0, len(cuts) - 1, count).round().astype(int))
            ]
    else:
        cuts = sorted(np.asarray(cutoffs, dtype=np.float64).tolist())
    last = float(column.max())
    ends = [*cuts[1:], last][: len(cuts)] if next_only else [last] * len(cuts)
    return tuple(
        Split(f"up to {cut:.6g}", column <= cut, (column > cut) & (column <= end), cut)
        for cut, end in zip(cuts, ends, strict=True)
    )


# -- what is judged ----------------------------------------------------------------------------------------------------


class Trained(Protocol):
    """A model that was fitted. It may also have `converged` and `undetermined`, which the table
    states.
    """

    def predict(self, rows: Any) -> Any:
        """Predictions (m,) of rows; or an object with such arrays as `value`, `low` and `high`."""


class Learner(Protocol):
    """A model that can be fitted."""

    @property
    def name(self) -> str:
        """As in the table."""

    def fit(self, rows: Any) -> Trained:
        """The model fitted to rows; ValueError with the reason where that is impossible."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A model to be judged on a split of rows.

    Attributes
    ----------
    model : Learner
    rows : Any
        A table of n rows with a method `subset(mask)`, or one that is indexed by a mask, such as a
        pandas frame.
    split : Split
    observed : ndarray
        (n,): what is predicted.
    subject : str or int
        What the rows are of, such as a benchmark.
    """

    model: Learner
    rows: Any
    split: Split
    observed: Floats
    subject: str | int = ""


@dataclass(frozen=True, eq=False)
class Judged:
    """One model on one split.

    Attributes
    ----------
    split : Split
    model : str
    fitted : Trained or None
        None where the model could not be fitted.
    observed, predicted : ndarray
        (m,): at the held-out rows. A prediction is NaN where there is none.
    low, high : ndarray or None
        (m,): the ends of prediction intervals, where the model makes some.
    failed : str
        Why some or all predictions are missing; "" where none is.
    subject : str or int
        What the rows are of.
    """

    split: Split
    model: str
    fitted: Any
    observed: Floats
    predicted: Floats
    low: Floats | None = None
    high: Floats | None = None
    failed: str = ""
    subject: str | int = ""

    @property
    def n_train(self) -> int:
        """How many rows are fitted."""
        return int(self.split.train.sum())

    @property
    def rows(self) -> NDArray[np.intp]:
        """(m,): which rows are held out."""
        return np.flatnonzero(self.split.test)

    @property
    def error(self) -> Floats:
        """(m,): predicted less observed."""
        return self.predicted - self.observed

    @property
    def converged(self) -> bool:
        """Whether the model was fitted, and is certified where it says so."""
        return self.fitted is not None and bool(getattr(self.fitted, "converged", True))

    @property
    def is_sound(self) -> bool:
        """Whether the fit is certified as a minimum and leaves no coefficient open; of one that does,
        the certificate hangs on the rounding.
        """
        return self.converged and not self.undetermined

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The coefficients that the fitted rows leave undetermined."""
        return tuple(getattr(self.fitted, "undetermined", ()))

    def records(self) -> Iterator[dict[str, Any]]:
        """A record a held-out row."""
        shared = {
            "subject": self.subject,
            "split": self.split.name,
            "at": self.split.at,
            "model": self.model,
            "n_train": self.n_train,
            "converged": self.converged,
        }
        ends = {
            name: getattr(self, name) for name in ("low", "high") if getattr(self, name) is not None
        }
        for place, row in enumerate(self.rows.tolist()):
            yield (
                shared
                | {
                    "row": row,
                    "observed": float(self.observed[place]),
                    "predicted": float(self.predicted[place]),
                }
                | {"error": float(self.error[place])}
                | {name: float(values[place]) for name, values in ends.items()}
                | {"failed": "" if np.isfinite(self.predicted[place]) else self.failed}
            )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Models judged on rows that they were not fitted to.

    Attributes
    ----------
    judged : tuple of Judged
        Split by split, and in each model by model.
    interrupted : bool
        Whether Ctrl-C came before all were done.
    """

    judged: tuple[Judged, ...]
    interrupted: bool = False

    def __len__(self) -> int:
        return sum(len(one.observed) for one in self.judged)

    @property
    def failures(self) -> tuple[Judged, ...]:
        """Where predictions are missing, each with its reason."""
        return tuple(one for one in self.judged if one.failed)

    def records(self) -> list[dict[str, Any]]:
        """The long table: a record a held-out row, model and split."""
        return [record for one in self.judged for record in one.records()]

    def to_frame(self) -> DataFrame:
        """The long table as a pandas frame."""
        from pandas import DataFrame

        return DataFrame(self.records())


def hold_out(
    rows: Any,
    models: Sequence[Learner],
    splits: Sequence[Split],
    observed: str | ArrayLike,
    *,
    jobs: int = 1,
    progress: bool = False,
    then: Callable[[Judged], Any] | None = None,
) -> HeldOut:
    """Fit every model on every split, and predict the rows that are held out.

    Parameters
    ----------
    rows : Any
        A table of n rows with a method `subset(mask)`, or one that is indexed by a mask, such as a
        pandas frame.
    models : sequence of Learner
        Each with its own name.
    splits : sequence of Split
        Of `rolling`, or the caller's own.
    observed : str or array_like of shape (n,)
        What is predicted; or the name of the column, or attribute, of the rows.
    jobs, progress, then
        As in `isoflop.numeric.repeat.repeat`; an item is a model on a split.

    Returns
    -------
    HeldOut
        A model that cannot be fitted, or whose predictions are not finite, is in it with the
        reason.

    Raises
    ------
    ValueError
        Where there is no model or no split, names of models repeat, or a split is not of n rows.
    """
    values = np.asarray(
        _column(rows, observed) if isinstance(observed, str) else observed, dtype=np.float64
    )
    names = [model.name for model in models]
    if not names or len({*names}) < len(names):
        raise outside("models", names, "at least one model, each name once")
    if not splits:
        raise ValueError("splits: there is none; must be at least one")
    for split in splits:
        if split.train.shape != values.shape:
            raise ValueError(
                f"split {split.name!r}: is of {len(split.train)} rows; must be of {len(values)}"
            )
    trials = [Trial(model, rows, split, values) for split in splits for model in models]
    return judge(trials, jobs=jobs, progress=progress, then=then)


def judge(
    trials: Iterable[Trial],
    *,
    jobs: int = 1,
    progress: bool = False,
    total: int | None = None,
    then: Callable[[Judged], Any] | None = None,
) -> HeldOut:
    """Fit and judge trials, which may be of several tables; see `hold_out`.

    Parameters
    ----------
    trials : iterable of Trial
        They are taken one by one.
    jobs, progress, total, then
        As in `isoflop.numeric.repeat.repeat`.
    """
    items = ((trial,) for trial in trials)
    count = len(trials) if total is None and isinstance(trials, Sized) else total
    done = repeat(
        _judged,
        items,
        jobs=jobs,
        progress=progress,
        what="held out",
        unit="fit",
        total=count,
        then=then,
    )
    return HeldOut(done.values, done.interrupted)


def _judged(trial: Trial) -> Judged:
    split, name, subject = trial.split, trial.model.name, trial.subject
    observed = trial.observed[split.test]
    nothing = np.full(len(observed), np.nan)
    fitted: Any = None
    try:
        fitted = trial.model.fit(_subset(trial.rows, split.train))
        foretold = fitted.predict(_subset(trial.rows, split.test)) if len(observed) else nothing
    except ValueError as error:
        failed = str(error) or type(error).__name__
        return Judged(split, name, fitted, observed, nothing, failed=failed, subject=subject)
    predicted, low, high = _parts(foretold)
    finite = np.isfinite(predicted)
    failed = "" if finite.all() else NOT_FINITE
    kept = np.where(finite, predicted, np.nan)
    return Judged(split, name, fitted, observed, kept, low, high, failed, subject)


def _parts(foretold: Any) -> tuple[Floats, Floats | None, Floats | None]:
    """Predictions and the ends of their intervals."""
    if not hasattr(foretold, "value"):
        return np.asarray(foretold, dtype=np.float64), None, None
    low, high = (
        None if end is None else np.asarray(end, dtype=np.float64)
        for end in (foretold.low, foretold.high)
    )
    return np.asarray(foretold.value, dtype=np.float64), low, high


def _subset(rows: Any, mask: Mask) -> Any:
    return rows.subset(mask) if hasattr(rows, "subset") else rows[mask]


def _column(rows: Any, name: str) -> Any:
    """A column of a frame or mapping, or an attribute."""
    if isinstance(rows, Mapping) or hasattr(rows, "loc"):
        return rows[name]
    return getattr(rows, name)
