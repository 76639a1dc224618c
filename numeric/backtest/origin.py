"""A rolling origin: laws of accuracy fitted to the runs up to a compute predict the next ones.

Krajewski et al. 2025, arXiv 2512.08894, Section 4.3: laws that fit the training runs better can
predict worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, Column, Table
from ..accuracy.predicting import outside_range
from ..data.sample import above_guessing
from ..errors import whole_number
from ..fit.hold_out import HeldOut, hold_out, rolling
from ..words import counted
from .accuracies import AccuracyLaw, distinct_laws, strictest_margin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..accuracy.kind import Kind
    from ..data.sample import Sample
    from ..fit.hold_out import Judged

    Floats = NDArray[np.float64]

__all__ = ["RollingOrigin", "rolling_origin"]

#: Cutoffs, and the least runs up to the first one.
CUTOFFS, LEAST = 6, 6


@dataclass(frozen=True, eq=False)
class RollingOrigin(Shown):
    """Laws by how well they extrapolate within the runs of a benchmark.

    Attributes
    ----------
    benchmark : str
    n : int
        Runs that all laws use.
    margin : float
        They exceed guessing by more than this, the strictest margin of the laws.
    left_out : int
        Runs within the margin, or of accuracy 1.
    compute : ndarray
        (n,): of the runs; FLOP.
    held : HeldOut
        Every law at every cutoff in compute.
    """

    benchmark: str
    n: int
    margin: float
    left_out: int
    compute: Floats
    held: HeldOut

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came before the last fit."""
        return self.held.interrupted

    @property
    def laws(self) -> tuple[str, ...]:
        """Those that predict the runs beyond some cutoff."""
        return tuple(dict.fromkeys(each.model for each in self.held.judged if not each.failed))

    def errors(self, *laws: str) -> dict[str, Floats]:
        """Absolute errors of these laws over the cutoffs that all of them predict from."""
        found = {law: {each.split.at: each for each in self._of(law)} for law in laws}
        shared = [at for at in self.cutoffs if all(at in splits for splits in found.values())]
        if not shared:
            return {}
        return {
            law: np.concatenate([np.abs(splits[at].error) for at in shared])
            for law, splits in found.items()
        }

    @property
    def best(self) -> str | None:
        """The law with the least mean error over the cutoffs that all laws have."""
        means = {law: float(errors.mean()) for law, errors in self.errors(*self.laws).items()}
        return min(means, key=means.__getitem__) if means else None

    @property
    def outside(self) -> dict[str, tuple[int, int]]:
        """By law how many of its predictions lie outside [0, 1], of how many."""
        return {
            law: (
                sum(outside_range(each.predicted) for each in self._of(law)),
                sum(len(each.predicted) for each in self._of(law)),
            )
            for law in self.laws
        }

    @property
    def cutoffs(self) -> tuple[float, ...]:
        """In FLOP."""
        return tuple(dict.fromkeys(float(each.split.at or 0.0) for each in self.held.judged))

    @property
    def folds(self) -> list[dict[str, Any]]:
        """By cutoff: cut, until, n_train, n_next, and by law outside, failed, errors, medians."""
        return [self._fold(cut) for cut in self.cutoffs]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        errors = self.errors(*self.laws)
        return {
            "benchmark": self.benchmark,
            "n": self.n,
            "margin": self.margin,
            "left_out": self.left_out,
            "folds": self.folds,
            "extrapolation": {law: float(off.mean()) for law, off in errors.items()},
            "extrapolation_median": {law: float(np.median(off)) for law, off in errors.items()},
            "predictions_outside": {
                law: {"n": n, "of": total} for law, (n, total) in self.outside.items()
            },
            "best_extrapolation": self.best,
            "interrupted": self.interrupted,
        }

    def tables(self) -> tuple[Table, ...]:
        """Mean errors of every law, cutoff by cutoff."""
        columns = [
            Column("cut", "cutoff", unit="FLOP", format=Significant(3)),
            Column("until", format=Significant(3)),
            Column("n_train", "fitted"),
            Column("n_next", "predicted"),
            *(_mean_error(law) for law in self.laws),
        ]
        rows: list[Any] = list(self.folds)
        errors = self.errors(*self.laws)
        if errors:
            means = {law: float(off.mean()) for law, off in errors.items()}
            unknown = dict.fromkeys(("cut", "until", "n_train"))
            rows += [RULE, unknown | {"n_next": len(next(iter(errors.values()))), "errors": means}]
        title = (
            f"{self.benchmark}: mean |error| of accuracy on the runs up to the next cutoff, of "
            f"{counted(self.n, 'run')} above guessing by more than {self.margin:g}"
        )
        return (Table(columns, rows, title=title, notes=list(self._notes())),)

    def _notes(self) -> Iterator[str]:
        if self.best is not None:
            yield f"extrapolates best: {self.best}"
        if self.left_out:
            yield f"note: {counted(self.left_out, 'run')} left out, within the margin or of accuracy 1"
        for law, (n, total) in self.outside.items():
            if n:
                yield (
                    f"warning: {law}: {n} of {counted(total, 'prediction')} lie outside [0, 1], "
                    "where no accuracy is; they count as they are"
                )
        for each in self.held.failures:
            at = Significant(3).text(each.split.at)
            yield f"note: {each.model}: no prediction from the runs up to {at} FLOP: {each.failed}"
        if not self.held.judged:
            yield "note: too few runs of different compute for an extrapolation"
        if self.interrupted:
            yield "note: interrupted: cutoffs that were not reached are left out"

    def _of(self, law: str) -> list[Judged]:
        return [each for each in self.held.judged if each.model == law and not each.failed]

    def _fold(self, cut: float) -> dict[str, Any]:
        fits = [each for each in self.held.judged if each.split.at == cut]
        sound = {each.model: each for each in fits if not each.failed}
        size = {law: np.abs(each.error) for law, each in sound.items()}
        return {
            "cut": cut,
            "until": float(self.compute[fits[0].split.test].max()),
            "n_train": fits[0].n_train,
            "n_next": len(fits[0].observed),
            "outside": {law: outside_range(each.predicted) for law, each in sound.items()},
            "failed": {each.model: each.failed for each in fits if each.failed},
            "errors": {law: float(off.mean()) for law, off in size.items()},
            "medians": {law: float(np.median(off)) for law, off in size.items()},
        }


def _mean_error(law: str) -> Column:
    heading = "\n".join(law.split("-"))
    return Column(law, heading, of=lambda fold: fold["errors"].get(law), format=Significant(3))


def rolling_origin(
    sample: Sample,
    kinds: Sequence[Kind],
    *,
    margin: float | None = None,
    cutoffs: int = CUTOFFS,
    least_train: int | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> RollingOrigin:
    """Each law fitted up to a cutoff in compute predicts the runs up to the next one.

    Parameters
    ----------
    sample : Sample
        Give training runs alone: what is to be forecast should not choose the law.
    kinds : sequence of Kind
        Laws of different names.
    margin : float, optional
        Runs are used whose accuracy exceeds guessing by more than this; by default the strictest
        margin of the laws.
    cutoffs : int
        At most so many, spread evenly over the distinct computes.
    least_train : int, optional
        Least runs up to a cutoff; by default one more than the law with most coefficients has, and
        at least six.
    jobs, progress
        As in `isoflop.numeric.fit.hold_out.hold_out`.

    Raises
    ------
    ValueError
        For no laws, two of one name, or no run above the margin.
    """
    distinct_laws(kinds)
    strictest = strictest_margin(kinds) if margin is None else float(margin)
    used = sample.subset(above_guessing(sample.accuracy, sample.baseline, strictest))
    if not len(used):
        guessing = f"guessing ({sample.baseline:g})"
        raise ValueError(
            f"{sample.benchmark}: no run exceeds {guessing} by more than {strictest:g}"
        )
    if least_train is None:
        least = max(LEAST, 1 + max(len(kind.coefficients) for kind in kinds))
    else:
        least = whole_number("least_train", least_train, 1)
    compute = used.at.column("compute")
    splits = rolling(compute, whole_number("cutoffs", cutoffs, 1), least=least)
    laws = [AccuracyLaw(kind) for kind in kinds]
    held = HeldOut(())
    if splits:
        held = hold_out(used, laws, splits, used.accuracy, jobs=jobs, progress=progress)
    left_out = len(sample) - len(used)
    return RollingOrigin(sample.benchmark, len(used), strictest, left_out, compute, held)
