"""What is fitted and what is predicted: cutoffs in what makes a model expensive, or a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.where import holds
from ..errors import ArgumentError, outside, positive_number
from ..fit.hold_out import Split, up_to
from ..words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .subject import Subject

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Where more of it makes a model cheaper: -log of the probability of the gold reference solution.
FALLING = ("gold",)
ALL = "all"
TARGETS = "all, a whole number of at least 1, or a share above 0 and below 1"
CUTOFFS = "a whole number of at least 1, or a list of values of the axis"


@dataclass(frozen=True, eq=False)
class Cutoffs:
    """What one law is fitted to, and what it predicts.

    Attributes
    ----------
    values : ndarray
        (G,): the axis; NaN where a model cannot take part.
    falls : bool
        Whether expensive models have less of it.
    trainable, targets : ndarray of bool
        (G,): what may be trained on, and what is to be predicted.
    at : tuple of float
        The cutoffs from cheap to expensive; empty where a condition holds out the targets.
    """

    values: Floats
    falls: bool
    trainable: Mask
    targets: Mask
    at: tuple[float, ...]

    @property
    def position(self) -> Floats:
        """(G,): log10 of the axis, with the sign that makes expensive models the greater ones."""
        return np.log10(self.values) * (-1.0 if self.falls else 1.0)

    def splits(self) -> tuple[Split, ...]:
        """From the last cutoff, whose fit is the final one, to the first."""
        if not self.at:
            return (Split("held out", self.trainable, self.targets),)
        train, test = self.trainable, self.targets
        return up_to(self.values, self.at[::-1], train=train, test=test, falls=self.falls)

    def decades(self, cutoff: float | None) -> Floats:
        """(G,): how far the models lie beyond a cutoff; without one beyond the most expensive model
        that is fitted.
        """
        position = self.position
        if cutoff is None:
            return position - position[self.trainable].max()
        return position - np.log10(cutoff) * (-1.0 if self.falls else 1.0)


def cutoffs_of(
    subject: Subject, law: str, axis: str, targets: Any, cutoffs: Any, hold_out: str | None = None
) -> Cutoffs:
    """What one law is fitted to and predicts.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or there is no cutoff with enough models up to it
        and one to predict beyond.
    """
    needs, coefficients = subject.forms[law]
    columns = dict.fromkeys((axis, *needs))
    usable: Mask = np.all([np.isfinite(subject.covariates[name]) for name in columns], axis=0)
    values = np.where(usable, subject.covariates[axis], np.nan)
    place = -values if axis in FALLING else values
    if hold_out is None:
        wanted = _targets(targets, place)
    else:
        wanted = usable & _held_out(subject, hold_out)
    trainable = usable if isinstance(targets, str) and targets == ALL else usable & ~wanted
    least = len(coefficients) + 1
    cheapest = np.sort(place[trainable])
    enough = len(cheapest) >= least and bool(wanted.any())
    if hold_out is None:
        enough = enough and bool((place[wanted] > cheapest[least - 1]).any())
    if not enough:
        complaint = (
            f"{counted(int(usable.sum()), subject.noun)} with {', '.join(columns)}, "
            f"{int(wanted.sum())} to be predicted; must leave at least {least} cheaper ones for "
            f"the {least - 1} coefficients"
        )
        raise ArgumentError("law", law, complaint=complaint)
    at: tuple[float, ...] = ()
    if hold_out is None:
        # The last cutoff is the most expensive model that may be trained on, be there a target
        # beyond it or not: its fit is what coefficients are compared with.
        distinct = tuple(np.abs(np.unique(cheapest[least - 1 :])).tolist())
        at = _chosen(cutoffs, distinct, axis)
    return Cutoffs(values, axis in FALLING, trainable, wanted, at)


def _held_out(subject: Subject, condition: str) -> Mask:
    """Which models satisfy the condition."""
    size = len(subject.names)
    truth = holds(condition, *subject.condition_columns, size, subject.source, "hold_out")
    if truth.empty.any():
        first = subject.names[int(np.argmax(truth.empty))]
        complaint = f"names a column that is empty ({first}); must be true or false for each row"
        raise ArgumentError("hold_out", condition, complaint=complaint)
    for held, what in ((truth.true, "none"), (~truth.true, "all")):
        if not held.any():
            complaint = f"holds out {what} of the rows of {subject.source}"
            raise ArgumentError("hold_out", condition, complaint=complaint)
    return np.asarray(truth.true)


def _targets(targets: Any, place: Floats) -> Mask:
    usable = np.isfinite(place)
    if isinstance(targets, str) and targets == ALL:
        return usable
    if isinstance(targets, (int, np.integer)) and not isinstance(targets, bool) and targets >= 1:
        return usable & np.isin(place, np.unique(place[usable])[-int(targets) :])
    if isinstance(targets, (float, np.floating)) and 0.0 < targets < 1.0:
        count = max(1, round(float(targets) * int(usable.sum())))
        return usable & (place >= np.sort(place[usable])[-count]) if usable.any() else usable
    raise outside("targets", targets, TARGETS)


def _chosen(cutoffs: Any, distinct: tuple[float, ...], axis: str) -> tuple[float, ...]:
    """Those asked for, from cheap to expensive: all, so many, or given values of the axis."""
    if cutoffs is None:
        return distinct
    if isinstance(cutoffs, (int, np.integer)) and not isinstance(cutoffs, bool):
        if cutoffs < 1:
            raise outside("cutoffs", cutoffs, CUTOFFS)
        logs = np.log10(distinct)
        wanted = np.linspace(logs[-1], logs[0], int(cutoffs))
        return tuple(
            distinct[i] for i in sorted({int(np.abs(logs - at).argmin()) for at in wanted})
        )
    if isinstance(cutoffs, (str, bool)) or not np.iterable(cutoffs):
        raise outside("cutoffs", cutoffs, CUTOFFS)
    low, high = sorted((distinct[0], distinct[-1]))
    given = {positive_number("cutoffs", value) for value in cutoffs}
    if not given:
        raise outside("cutoffs", cutoffs, "at least one value")
    for value in sorted(given):
        if not low <= value <= high:
            domain = f"from {low:.4g} to {high:.4g} in {axis}, so that there is enough to train on"
            raise outside("cutoffs", value, domain)
    return tuple(sorted(given, reverse=distinct[0] > distinct[-1]))
