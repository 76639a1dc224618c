"""Cutoffs in what makes a model expensive: what is trained on at each, and what is predicted from
there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside, positive_number
from ..fit.hold_out import Split
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .extrapolation import Subject

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Where more of it makes a model cheaper: -log of the probability of the gold reference solution.
FALLING = ("gold",)
ALL = "all"
TARGETS = "all, a whole number of at least 1, a share above 0 and below 1, or a list of names"


@dataclass(frozen=True, eq=False)
class Cutoffs:
    """The cutoffs of one law, with their training sets and targets.

    Attributes
    ----------
    law : str
    values : ndarray
        (G,): the axis.
    position : ndarray
        (G,): log10 of it, with the sign that makes expensive models the greater ones; NaN where a
        model cannot take part.
    trainable, targets : ndarray of bool
        (G,): what may be trained on, and what is to be predicted.
    at : tuple of float
        The cutoffs from cheap to expensive.
    """

    law: str
    values: Floats
    position: Floats
    trainable: Mask
    targets: Mask
    at: tuple[float, ...]

    def splits(self) -> list[Split]:
        """From the last cutoff, whose fit is the final one, to the first."""
        return [
            Split(
                f"up to {cutoff:.6g}",
                self.training(cutoff),
                self.targets & (self.position > self.place(cutoff)),
                cutoff,
            )
            for cutoff in self.at[::-1]
        ]

    def training(self, cutoff: float) -> Mask:
        """(G,): the models up to a cutoff."""
        return self.trainable & (self.position <= self.place(cutoff))

    def place(self, cutoff: float) -> float:
        """The position of a cutoff; of a value of the axis exactly that of its models."""
        found = np.flatnonzero((self.values == cutoff) & np.isfinite(self.position))
        return float(self.position[found[0]]) if len(found) else float(np.log10(cutoff)) * self.sign

    @property
    def sign(self) -> float:
        """-1 where more of the axis makes a model cheaper."""
        some = np.flatnonzero(np.isfinite(self.position))
        return -1.0 if self.position[some] @ np.log10(self.values[some]) < 0.0 else 1.0


def cutoffs_of(subject: Subject, law: str, axis: str, targets: Any, cutoffs: Any) -> Cutoffs:
    """The cutoffs for one law.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or there is no cutoff with enough models up to it
        and one to predict beyond.
    """
    usable: Mask = np.all(
        [np.isfinite(subject.covariates[name]) for name in {axis, *subject.needs(law)}], axis=0
    )
    values = np.where(usable, subject.covariates[axis], np.nan)
    place = -np.log10(values) if axis in FALLING else np.log10(values)
    wanted = _targets(subject, targets, place)
    trainable = usable if isinstance(targets, str) and targets == ALL else usable & ~wanted
    least = len(subject.coefficients(law)) + 1
    first, last = _range(place, trainable, wanted, least)
    noun = "model" if subject.what == "counts" else "run"
    if not first <= last:
        raise ValueError(
            f"law={law!r}: {counted(int(usable.sum()), noun)} with "
            f"{', '.join(dict.fromkeys((axis, *subject.needs(law))))}, "
            f"{int(wanted.sum())} to be predicted; must leave at least {least} cheaper ones for "
            f"the {least - 1} coefficients"
        )
    order = np.argsort(place, kind="stable")
    inside = [g for g in order if trainable[g] and first <= place[g] <= last]
    distinct = tuple(dict.fromkeys(float(values[g]) for g in inside))
    return Cutoffs(law, values, place, trainable, wanted, _chosen(cutoffs, distinct, axis))


def _range(place: Floats, trainable: Mask, wanted: Mask, least: int) -> tuple[float, float]:
    """Positions of the first cutoff that leaves enough models, and of the last one; inf and -inf
    where there is none.

    The last is the most expensive model that may be trained on, be there a target beyond it or not:
    its fit is what coefficients are compared with.
    """
    sorted_places = np.sort(place[trainable])
    if len(sorted_places) < least or not wanted.any():
        return np.inf, -np.inf
    first = sorted_places[least - 1]
    if not (place[wanted] > first).any():
        return np.inf, -np.inf
    return float(first), float(sorted_places[-1])


def _targets(subject: Subject, targets: Any, place: Floats) -> Mask:
    usable = np.isfinite(place)
    if isinstance(targets, str):
        if targets != ALL:
            raise outside("targets", targets, TARGETS)
        return usable
    if isinstance(targets, (bool, np.bool_)) or targets is None:
        raise outside("targets", targets, TARGETS)
    if isinstance(targets, (int, np.integer)):
        if targets < 1:
            raise outside("targets", targets, TARGETS)
        return usable & np.isin(place, np.unique(place[usable])[-int(targets) :])
    if isinstance(targets, (float, np.floating)):
        if not 0.0 < targets < 1.0:
            raise outside("targets", targets, TARGETS)
        count = max(1, round(float(targets) * int(usable.sum())))
        return usable & (place >= np.sort(place[usable])[-count]) if usable.any() else usable
    return _named(subject, targets) & usable


def _named(subject: Subject, targets: Sequence[str]) -> Mask:
    try:
        names = [str(name) for name in targets]
    except TypeError:
        raise outside("targets", targets, TARGETS) from None
    for name in names:
        if name not in subject.names:
            raise ValueError(
                f"targets={name!r}: is no model of {subject.source}; they are "
                f"{', '.join(subject.names[:3])}, ..."
            )
    if not names:
        raise outside("targets", targets, TARGETS)
    return np.isin(np.array(subject.names, dtype=object), names)


def _chosen(cutoffs: Any, distinct: tuple[float, ...], axis: str) -> tuple[float, ...]:
    """Those asked for, from cheap to expensive: all, so many, or given values of the axis."""
    if cutoffs is None:
        return distinct
    if isinstance(cutoffs, (int, np.integer)) and not isinstance(cutoffs, bool):
        if cutoffs < 1:
            raise outside(
                "cutoffs", cutoffs, "a whole number of at least 1, or a list of values of the axis"
            )
        logs = np.log10(distinct)
        wanted = np.linspace(logs[-1], logs[0], int(cutoffs))
        chosen = sorted({int(np.abs(logs - at).argmin()) for at in wanted})
        return tuple(distinct[index] for index in chosen)
    try:
        given = list(cutoffs)
    except TypeError:
        raise outside(
            "cutoffs", cutoffs, "a whole number of at least 1, or a list of values of the axis"
        ) from None
    low, high = sorted((distinct[0], distinct[-1]))
    found = sorted(
        {positive_number("cutoffs", value) for value in given}, reverse=distinct[0] > distinct[-1]
    )
    for value in found:
        if not low <= value <= high:
            raise outside(
                "cutoffs",
                value,
                f"from {low:.4g} to {high:.4g} in {axis}, so that there is enough to train on",
            )
    if not found:
        raise outside("cutoffs", cutoffs, "at least one value")
    return tuple(found)
