"""Which rows are fitted and which are predicted: by a condition, or by cutoffs in what makes a row
expensive.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.where import holds
from ..errors import ArgumentError, outside, positive_number
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from .task import Task

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["ALL", "AXES", "NEXT", "Rule", "Split", "held_out", "require_a_part", "splits_of"]

#: What makes a row expensive. Of gold, -log of the probability of the gold reference solution, an
#: expensive row has less.
AXES = ("compute", "params", "tokens", "gold")
#: Every row beyond the cutoff is predicted, or every row up to the next cutoff.
ALL, NEXT = "all", "next"
TARGETS = "all, next, or a whole number of at least 1"
CUTOFFS = "a whole number of at least 1, or a list of values of the axis"


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit and rows to predict.

    Attributes
    ----------
    train, test : ndarray of bool
        (n,): never both. Rows may be in neither, and `test` may be empty.
    at : float or None
        The cutoff behind it; None where a condition holds out the rows.
    lacks : str
        Why nothing is to be fitted, such as too few rows; "" where something is.
    """

    train: Mask
    test: Mask
    at: float | None = None
    lacks: str = ""

    def __post_init__(self) -> None:
        if (both := self.train & self.test).any():
            raise ValueError(f"split: row {int(np.argmax(both))} is both fitted and held out")


@dataclass(frozen=True)
class Rule:
    """How rows are held out.

    Attributes
    ----------
    axis : str
        One of `AXES`.
    targets : int or str
        What is predicted: rows at so many of the highest values of the axis, never trained on; "all"
        rows beyond each cutoff; or those up to the "next" one.
    cutoffs : int, sequence of float, or None
        So many, evenly spread over the logarithm of the axis; these; or every possible one.
    hold_out : str or None
        A condition on the rows that are predicted, in place of cutoffs.
    """

    axis: str = "compute"
    targets: int | str = 1
    cutoffs: Any = None
    hold_out: str | None = None

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise outside("axis", self.axis, f"one of {', '.join(AXES)}")
        if self.targets not in (ALL, NEXT) and not _is_count(self.targets):
            raise outside("targets", self.targets, TARGETS)
        if self.cutoffs is None or _is_count(self.cutoffs):
            return
        is_list = np.iterable(self.cutoffs) and not isinstance(self.cutoffs, str)
        given = list(self.cutoffs) if is_list else []
        if not given:
            raise outside("cutoffs", self.cutoffs, CUTOFFS)
        values = tuple(sorted({positive_number("cutoffs", one) for one in given}))
        object.__setattr__(self, "cutoffs", values)

    @property
    def sign(self) -> float:
        """-1 where an expensive row has less of the axis."""
        return -1.0 if self.axis == "gold" else 1.0

    def place(self, task: Task) -> Floats:
        """(n,): log10 of the axis, with the sign that makes an expensive row the greater one; NaN
        where it is not known.
        """
        values = task.covariates.get(self.axis)
        if values is None:
            return np.full(len(task.observed), np.nan)
        return self.sign * np.log10(values)

    def decades(self, task: Task, split: Split) -> Floats:
        """(n,): how far the rows lie beyond the cutoff, or without one beyond the most expensive row
        that is fitted.
        """
        place = self.place(task)
        if split.at is not None:
            return place - self.sign * np.log10(split.at)
        return place - place[split.train].max(initial=-np.inf)


def splits_of(task: Task, rule: Rule) -> Iterator[Split]:
    """The splits of a task, the final one first: where a condition holds out the rows the only one,
    or else that of the most expensive cutoff, then from it down.

    The final cutoff is the most expensive row that may be trained on, whether or not there is a row
    to predict beyond it: its fit is what coefficients are compared with. A split that leaves too few
    rows to fit says so.
    """
    if task.held is not None:
        train, test = task.trainable & ~task.held, task.predictable & task.held
        yield Split(train, test, lacks=task.lacks)
        return
    place = rule.place(task)
    known = np.isfinite(place)
    trainable, wanted = task.trainable & known, task.predictable & known
    if rule.targets not in (ALL, NEXT):
        dearest = known & np.isin(place, np.unique(place[known])[-int(rule.targets) :])
        wanted, trainable = wanted & dearest, trainable & ~dearest
    grid = np.sort(place[trainable if task.grid is None else trainable & task.grid])
    if task.lacks or len(grid) < task.least or not (place[wanted] > grid[task.least - 1]).any():
        nothing = np.zeros(len(place), dtype=bool)
        few = f"{counted(int(known.sum()), 'row')} with {rule.axis}, {int(wanted.sum())} to be "
        few += f"predicted; must leave at least {task.least} cheaper ones to be fitted"
        yield Split(nothing, nothing, lacks=task.lacks or few)
        return
    cuts = [*_cutoffs(rule, np.unique(grid[task.least - 1 :])), np.inf]
    for cut, following in reversed([*pairwise(cuts)]):
        train = trainable & (place <= cut)
        beyond = wanted & (place > cut)
        if rule.targets == NEXT:
            beyond &= place <= following
        lacks = ""
        if train.sum() < task.least:
            lacks = f"fewer than {task.least} rows up to the cutoff"
        yield Split(train, beyond, float(10.0 ** (rule.sign * cut)), lacks)


def _cutoffs(rule: Rule, distinct: Floats) -> list[float]:
    """Places of the cutoffs from cheap to expensive: all, so many, or those that are given."""
    if rule.cutoffs is None:
        return list(distinct.tolist())
    if _is_count(rule.cutoffs):
        wanted = np.linspace(distinct[-1], distinct[0], rule.cutoffs)
        nearest = {int(np.abs(distinct - at).argmin()) for at in wanted}
        return [float(distinct[i]) for i in sorted(nearest)]
    return sorted(float(rule.sign * np.log10(at)) for at in rule.cutoffs)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def held_out(condition: str, columns: Mapping[str, Any], source: str) -> Mask:
    """Which of the rows satisfy a condition, (n,).

    Raises
    ------
    ValueError
        Where it cannot be read, names a column that is empty at some row, or holds for none or all.
    """
    chosen: Mask = holds(condition, columns, source, "hold_out", everywhere=True)
    require_a_part(condition, chosen, source)
    return chosen


def require_a_part(condition: str, chosen: Mask, source: str) -> None:
    """ValueError where a condition holds for none of the rows or for all."""
    if chosen.all() or not chosen.any():
        complaint = f"holds out {'all' if chosen.all() else 'none'} of the rows of {source}"
        raise ArgumentError("hold_out", condition, complaint=complaint)
