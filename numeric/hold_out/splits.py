"""Which rows are fitted and which are predicted: by a condition, or by cutoffs in what makes a row
expensive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.where import holds
from ..errors import ArgumentError, outside, positive_number
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .judge import Task

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["ALL", "NEXT", "Rule", "Split", "held_out", "require_some", "splits_of", "without"]

#: Every row beyond the cutoff is predicted, or every row up to the next cutoff.
ALL, NEXT = "all", "next"
#: Of these an expensive row has less: -log of the probability of the gold reference solution.
FALLING = ("gold",)
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
    is_final : bool
        Whether its coefficients are what those of the other splits are compared with.
    """

    train: Mask
    test: Mask
    at: float | None = None
    lacks: str = ""
    is_final: bool = True

    def __post_init__(self) -> None:
        if self.train.shape != self.test.shape:
            raise ValueError(f"split: masks of shapes {self.train.shape} and {self.test.shape}")
        if (both := self.train & self.test).any():
            raise ValueError(f"split: row {int(np.argmax(both))} is both fitted and held out")


@dataclass(frozen=True)
class Rule:
    """How rows are held out.

    Attributes
    ----------
    axis : str
        What makes a row expensive: compute, params, tokens, or gold.
    targets : int or str
        What is predicted: rows at so many of the highest values of the axis, never trained on; "all"
        rows beyond each cutoff; or those up to the "next" one.
    cutoffs : int, tuple of float, or None
        So many, evenly spread over the logarithm of the axis; these; or every possible one.
    hold_out : str or None
        A condition on the rows that are predicted, in place of cutoffs.
    """

    axis: str = "compute"
    targets: int | str = 1
    cutoffs: int | tuple[float, ...] | None = None
    hold_out: str | None = None

    def __post_init__(self) -> None:
        given = self.targets
        is_count = isinstance(given, int) and not isinstance(given, bool) and given >= 1
        if not (is_count or given in (ALL, NEXT)):
            raise outside("targets", given, TARGETS)
        if isinstance(self.cutoffs, int):
            if isinstance(self.cutoffs, bool) or self.cutoffs < 1:
                raise outside("cutoffs", self.cutoffs, CUTOFFS)
        elif self.cutoffs is not None:
            if isinstance(self.cutoffs, str) or not np.iterable(self.cutoffs):
                raise outside("cutoffs", self.cutoffs, CUTOFFS)
            values = tuple(sorted({positive_number("cutoffs", one) for one in self.cutoffs}))
            if not values:
                raise outside("cutoffs", self.cutoffs, "at least one value")
            object.__setattr__(self, "cutoffs", values)

    @property
    def sign(self) -> float:
        """-1 where an expensive row has less of the axis."""
        return -1.0 if self.axis in FALLING else 1.0

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
        fitted = place[split.train]
        return place - (fitted.max() if len(fitted) else np.nan)


def splits_of(task: Task, rule: Rule) -> tuple[Split, ...]:
    """The splits of a task, the final one first: where a condition holds out the rows the only one,
    or else that of the most expensive cutoff, then from it down.

    A split that leaves too few rows to fit says so.
    """
    if task.held is not None:
        train, test = task.trainable & ~task.held, task.predictable & task.held
        return (Split(train, test, lacks=task.lacks),)
    place = rule.place(task)
    known = np.isfinite(place)
    trainable, wanted = task.trainable & known, task.predictable & known
    if isinstance(rule.targets, int):
        dearest = known & np.isin(place, np.unique(place[known])[-rule.targets :])
        wanted, trainable = wanted & dearest, trainable & ~dearest
    grid = np.sort(place[trainable if task.grid is None else trainable & task.grid])
    nothing = np.zeros(len(place), dtype=bool)
    if task.lacks or len(grid) < task.least or not (place[wanted] > grid[task.least - 1]).any():
        lacks = task.lacks or (
            f"{counted(int(known.sum()), task.noun)} with {rule.axis}, {int(wanted.sum())} to be "
            f"predicted; must leave at least {task.least} cheaper ones for the "
            f"{task.n_coefficients} coefficients"
        )
        return (Split(nothing, nothing, lacks=lacks),)
    cuts = _cutoffs(rule, np.unique(grid[task.least - 1 :]))
    splits = []
    for index, cut in enumerate(cuts):
        beyond = wanted & (place > cut)
        if rule.targets == NEXT and index + 1 < len(cuts):
            beyond &= place <= cuts[index + 1]
        train = trainable & (place <= cut)
        lacks = ""
        if train.sum() < task.least:
            lacks = f"fewer than {task.least} {task.noun}s up to the cutoff"
        is_final = index == len(cuts) - 1
        splits.append(Split(train, beyond, float(10.0 ** (rule.sign * cut)), lacks, is_final))
    return tuple(splits[::-1])


def _cutoffs(rule: Rule, distinct: Floats) -> list[float]:
    """Places of the cutoffs from cheap to expensive: all, so many, or those that are given.

    The last cutoff is the most expensive row that may be trained on, whether or not there is a row
    to predict beyond it: its fit is what coefficients are compared with.
    """
    if rule.cutoffs is None:
        return list(distinct.tolist())
    if isinstance(rule.cutoffs, int):
        wanted = np.linspace(distinct[-1], distinct[0], rule.cutoffs)
        return [float(distinct[i]) for i in sorted({_nearest(distinct, at) for at in wanted})]
    return sorted(float(rule.sign * np.log10(at)) for at in rule.cutoffs)


def _nearest(values: Floats, at: Any) -> int:
    return int(np.abs(values - at).argmin())


def require_some(splits: list[tuple[Split, ...]], tasks: list[Task], rule: Rule) -> None:
    """ValueError where no split of any task leaves enough rows to fit."""
    every = [(task, split) for task, own in zip(tasks, splits, strict=True) for split in own]
    if any(not split.lacks for _, split in every):
        return
    task, split = every[0]
    if isinstance(rule.cutoffs, tuple) and split.at is not None:
        place = np.sort(rule.place(task)[task.trainable])
        low, high = sorted(
            float(10.0 ** (rule.sign * at)) for at in (place[task.least - 1], place[-1])
        )
        domain = f"from {low:.4g} to {high:.4g} in {rule.axis}, so that there is enough to train on"
        raise outside("cutoffs", rule.cutoffs[0], domain)
    raise ArgumentError("law", task.law, complaint=split.lacks)


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
    for held, what in ((chosen, "none"), (~chosen, "all")):
        if not held.any():
            complaint = f"holds out {what} of the rows of {source}"
            raise ArgumentError("hold_out", condition, complaint=complaint)


def without(law: str, missing: Sequence[str], needs: Sequence[str], source: str) -> ArgumentError:
    """The error for a law whose covariates are not known."""
    has = f"{source} has no {' and no '.join(missing)}"
    return ArgumentError("laws", law, complaint=f"{has}; the law needs {', '.join(needs)}")
