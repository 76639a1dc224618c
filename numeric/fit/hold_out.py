"""Laws fitted to some rows and judged on others: one long table, whatever the rule that holds out
rows.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...theory.typeset.shown import Shown
from ...theory.typeset.table import WIDTH
from ..errors import whole_number
from ..repeat import repeat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    "errors",
    "judge",
    "rolling",
    "up_to",
]

NOT_FINITE = "its prediction is not finite"


# -- which rows are held out -----------------------------------------------------------------------


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
    lacks : str
        Why nothing is to be fitted to it, such as too few rows; "" where something is.
    """

    name: str
    train: Mask
    test: Mask
    at: float | None = None
    lacks: str = ""

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


def up_to(
    values: ArrayLike,
    cutoffs: Sequence[float],
    *,
    train: Any = True,
    test: Any = True,
    falls: bool = False,
    next_only: bool = False,
) -> tuple[Split, ...]:
    """Rows up to each cutoff predict those beyond it.

    Parameters
    ----------
    values : array_like of shape (n,)
        What the cutoffs are in, such as compute; a row where it is NaN has no part.
    cutoffs : sequence of float
        In the order of the splits.
    train, test : array_like of bool
        (n,), or True for all: which rows may be fitted and which predicted.
    falls : bool
        Rows beyond a cutoff are those with less of it.
    next_only : bool
        Predict the rows up to the next cutoff; or else all rows beyond.
    """
    sign = -1.0 if falls else 1.0
    column, places = sign * np.asarray(values, dtype=np.float64), [sign * cut for cut in cutoffs]
    ends = [*places[1:], np.inf][: len(places)] if next_only else [np.inf] * len(places)
    return tuple(
        Split(
            f"up to {cut:.6g}",
            train & (column <= place),
            test & (column > place) & (column <= end),
            cut,
        )
        for cut, place, end in zip(cutoffs, places, ends, strict=True)
    )


def rolling(
    values: ArrayLike, cutoffs: int | ArrayLike = 6, *, least: int = 6
) -> tuple[Split, ...]:
    """Rows up to a cutoff predict those up to the next one, cutoff by cutoff.

    Parameters
    ----------
    values : array_like of shape (n,)
        What the cutoffs are in, such as compute.
    cutoffs : int or array_like
        At most so many of the distinct values, evenly spread over them; or the cutoffs themselves.
    least : int
        The least rows up to the first cutoff.

    Returns
    -------
    tuple of Split
        Empty where there are too few rows.
    """
    column = np.asarray(values, dtype=np.float64)
    if isinstance(cutoffs, (int, np.integer)):
        count = whole_number("cutoffs", cutoffs, 1)
        distinct, rows = np.unique(column, return_counts=True)
        cuts = distinct[:-1][np.cumsum(rows)[:-1] >= least]
        if len(cuts) > count:
            cuts = cuts[np.unique(np.linspace(0, len(cuts) - 1, count).round().astype(int))]
    else:
        cuts = np.sort(np.asarray(cutoffs, dtype=np.float64))
    return up_to(column, cuts.tolist(), next_only=True)


# -- what is judged --------------------------------------------------------------------------------


class Trained(Protocol):
    """A law that was fitted. It may also have `converged` and `undetermined`, which the table
    states.
    """

    def predict(self, rows: Any) -> Any:
        """Predictions (m,) of rows; or an object with such arrays as `value`, `low` and `high`."""


class Learner(Protocol):
    """A law that can be fitted."""

    @property
    def name(self) -> str:
        """As in the table."""

    def fit(self, rows: Any) -> Trained:
        """The law fitted to rows; ValueError with the reason where that is impossible."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A law to be judged on a split of rows.

    Attributes
    ----------
    law : Learner
    rows : Any
        A table of n rows with a method `subset(mask)`, or one that is indexed by a mask, such as a
        pandas frame.
    split : Split
    observed : ndarray
        (n,): what is predicted.
    subject : str or int
        What the rows are of, such as a benchmark.
    """

    law: Learner
    rows: Any
    split: Split
    observed: Floats
    subject: str | int = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """One law on one split.

    Attributes
    ----------
    subject : str or int
        What the rows are of.
    law : str
    split : Split
    fitted : Trained or None
        None where the law could not be fitted.
    observed, predicted : ndarray
        (m,): at the held-out rows. A prediction is NaN where there is none.
    low, high : ndarray or None
        (m,): the ends of prediction intervals, where the law makes some.
    failed : str
        Why some or all predictions are missing; "" where none is.
    """

    subject: str | int = ""
    law: str
    split: Split
    fitted: Any
    observed: Floats
    predicted: Floats
    low: Floats | None = None
    high: Floats | None = None
    failed: str = ""

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
    def errors(self) -> dict[str, float | None]:
        """n, mae, mre, rmse and r2 over the held-out rows; None for what is not known, as where
        predictions are missing.
        """
        if self.failed:
            return errors(np.empty(0), np.empty(0)) | {"n": len(self.observed)}
        return errors(self.predicted, self.observed)

    @property
    def converged(self) -> bool:
        """Whether the law was fitted, and is certified where it says so."""
        return self.fitted is not None and bool(getattr(self.fitted, "converged", True))

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The coefficients that the fitted rows leave undetermined."""
        return tuple(getattr(self.fitted, "undetermined", ()))

    @property
    def is_sound(self) -> bool:
        """Whether the fit is certified as a minimum and leaves no coefficient open; of one that
        does, the certificate hangs on the rounding.
        """
        return self.converged and not self.undetermined

    @property
    def doubt(self) -> str:
        """Why the predictions are not to be relied on; "" where they are."""
        if self.undetermined:
            return f"the models leave {', '.join(self.undetermined)} open"
        if self.fitted is not None and not self.converged:
            return "the fit is not certified as a minimum"
        return self.failed

    def frame(self) -> DataFrame:
        """A row a held-out row; see `HeldOut.table`."""
        from pandas import DataFrame

        nothing = np.full(len(self.observed), np.nan)
        low, high = (nothing if end is None else end for end in (self.low, self.high))
        usable = np.isfinite(self.observed) & np.isfinite(self.predicted) & self.is_sound
        inside = (low <= self.observed) & (self.observed <= high)
        return DataFrame(
            {
                "subject": self.subject,
                "law": self.law,
                "split": self.split.name,
                "at": self.split.at,
                "n_train": self.n_train,
                "row": self.rows,
                "observed": self.observed,
                "predicted": self.predicted,
                "low": low,
                "high": high,
                "error": self.error,
                "relative_error": self.predicted / self.observed - 1.0,
                "inside": np.where(usable & np.isfinite(high), inside, np.array(None)),
                "converged": self.converged,
                "undetermined": " ".join(self.undetermined),
                "usable": usable,
                "failed": np.where(np.isfinite(self.predicted), "", self.failed),
            }
        )


def errors(predicted: Floats, observed: Floats) -> dict[str, float | None]:
    """n, and MAE, MRE, RMSE and R2 of predictions; None for what does not exist."""
    if not len(observed):
        return {"n": 0, "mae": None, "mre": None, "rmse": None, "r2": None}
    off = predicted - observed
    spread = float(np.sum((observed - observed.mean()) ** 2))
    return {
        "n": len(observed),
        "mae": float(np.mean(np.abs(off))),
        "mre": float(np.mean(np.abs(off) / observed)) if (observed > 0.0).all() else None,
        "rmse": float(np.sqrt(np.mean(off**2))),
        "r2": 1.0 - float(np.sum(off**2)) / spread if spread > 0.0 else None,
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldOut(Shown):
    """Laws judged on rows that they were not fitted to.

    A subclass says which rule split the rows, and sums up what came of it.

    Attributes
    ----------
    judged : tuple of Judged
        In the order in which they were made.
    interrupted : bool
        Whether Ctrl-C came before all were done.
    """

    judged: tuple[Judged, ...]
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.judged)

    @property
    def laws(self) -> tuple[str, ...]:
        """Those that were judged."""
        return tuple(dict.fromkeys(one.law for one in self.judged))

    @property
    def subjects(self) -> tuple[Any, ...]:
        """What they were judged on."""
        return tuple(dict.fromkeys(one.subject for one in self.judged))

    @property
    def failed(self) -> tuple[Judged, ...]:
        """Where predictions are missing, each with its reason."""
        return tuple(one for one in self.judged if one.failed)

    def of(self, subject: Any = None, law: str | None = None) -> tuple[Judged, ...]:
        """Those on one subject, of one law, or both."""
        return tuple(
            one
            for one in self.judged
            if (subject is None or one.subject == subject) and law in (None, one.law)
        )

    @cached_property
    def table(self) -> DataFrame:
        """The long table, a row a held-out row, law and split.

        subject, law, split, at, n_train, row, observed, predicted, low and high (NaN without an
        interval), error (predicted less observed), relative_error, inside (of the interval; None
        where there is none, or the fit is not sound), converged, undetermined (names), usable
        (whether both numbers exist and the fit is sound) and failed.
        """
        from pandas import DataFrame, concat

        frames = [one.frame() for one in self.judged if len(one.observed)]
        return concat(frames, ignore_index=True) if frames else DataFrame()

    def to_frame(self) -> DataFrame:
        """The long table as a pandas frame."""
        return self.table

    # -- page --------------------------------------------------------------------------------------

    def head(self) -> Iterable[str]:
        """What was done, above the tables."""
        return ()

    def tail(self) -> Iterable[str]:
        """What to be careful of, below the tables."""
        return ()

    def __str__(self) -> str:
        parts = [_wrapped(self.head()), *(table.text() for table in self.tables())]
        return "\n\n".join(part for part in (*parts, _wrapped(self.tail())) if part)


def _wrapped(lines: Iterable[str]) -> str:
    """Lines of at most the width of a page; what goes on is indented by two more."""
    parts = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        parts += wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(parts)


def judge(
    trials: Iterable[Trial],
    *,
    jobs: int = 1,
    progress: bool = False,
    total: int | None = None,
    then: Callable[[Judged], Any] | None = None,
) -> HeldOut:
    """Fit laws to some rows of tables and predict the rows that are held out.

    Parameters
    ----------
    trials : iterable of Trial
        They are taken one by one.
    jobs, progress, total, then
        As in `isoflop.numeric.repeat.repeat`; an item is a trial.

    Returns
    -------
    HeldOut
        A law that cannot be fitted, or whose predictions are not finite, is in it with the reason.
    """
    count = len(trials) if total is None and isinstance(trials, Sized) else total
    done = repeat(
        _judged,
        ((trial,) for trial in trials),
        jobs=jobs,
        progress=progress,
        what="held out",
        unit="fit",
        total=count,
        then=then,
    )
    return HeldOut(judged=done.values, interrupted=done.interrupted)


def _judged(trial: Trial) -> Judged:
    rows, split, observed = trial.rows, trial.split, trial.observed[trial.split.test]
    fitted: Any = None
    foretold: Any = np.full(len(observed), np.nan)
    failed = split.lacks
    if not failed:
        try:
            fitted = trial.law.fit(_subset(rows, split.train))
            if len(observed):
                foretold = fitted.predict(_subset(rows, split.test))
        except ValueError as error:
            failed = str(error) or type(error).__name__
    low, high = (_array(getattr(foretold, end, None)) for end in ("low", "high"))
    predicted = np.asarray(getattr(foretold, "value", foretold), dtype=np.float64)
    finite = np.isfinite(predicted)
    return Judged(
        subject=trial.subject,
        law=trial.law.name,
        split=split,
        fitted=fitted,
        observed=observed,
        predicted=np.where(finite, predicted, np.nan),
        low=low,
        high=high,
        failed=failed or ("" if finite.all() else NOT_FINITE),
    )


def _array(values: Any) -> Floats | None:
    return None if values is None else np.asarray(values, dtype=np.float64)


def _subset(rows: Any, mask: Mask) -> Any:
    return rows.subset(mask) if hasattr(rows, "subset") else rows[mask]
