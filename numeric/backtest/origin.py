"""A rolling origin: laws of accuracy fitted to the runs up to a compute predict the next ones.

Krajewski et al. 2025, arXiv 2512.08894, Section 4.3: laws that fit the training runs better can
predict worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.table import RULE, Column, Table
from ..accuracy.benchmark import Benchmark, outside_range
from ..errors import ArgumentError
from ..fit.hold_out import HeldOut, judge, rolling
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..accuracy.law import Law
    from ..data.sample import Sample
    from ..fit.hold_out import Judged

    Floats = NDArray[np.float64]

__all__ = ["RollingOrigin", "rolling_origin"]

#: Cutoffs, and the least runs up to the first one.
CUTOFFS, LEAST = 6, 6


@dataclass(frozen=True, eq=False, kw_only=True)
class RollingOrigin(HeldOut):
    """How well laws extrapolate within the runs of a benchmark, from every cutoff in compute.

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
    """

    benchmark: str
    n: int
    margin: float
    left_out: int
    compute: Floats

    @property
    def laws(self) -> tuple[str, ...]:
        """Those that predict the runs beyond some cutoff."""
        return tuple(dict.fromkeys(one.law for one in self.judged if not one.failed))

    @property
    def cutoffs(self) -> tuple[float, ...]:
        """In FLOP."""
        return tuple(dict.fromkeys(float(one.split.at or 0.0) for one in self.judged))

    @property
    def errors(self) -> dict[str, Floats]:
        """By law its absolute errors over the cutoffs that all laws predict from."""
        folds = [self._sound(at) for at in self.cutoffs]
        shared = [fold for fold in folds if fold.keys() >= {*self.laws}]
        if not shared:
            return {}
        return {
            law: np.concatenate([np.abs(fold[law].error) for fold in shared]) for law in self.laws
        }

    @property
    def best(self) -> str | None:
        """The law with the least mean error over the cutoffs that all laws have."""
        means = {law: float(errors.mean()) for law, errors in self.errors.items()}
        return min(means, key=means.__getitem__) if means else None

    @property
    def outside(self) -> dict[str, tuple[int, int]]:
        """By law how many of its predictions lie outside [0, 1], of how many."""
        found = {}
        for law in self.laws:
            sound = [one.predicted for one in self.of(law=law) if not one.failed]
            found[law] = sum(map(outside_range, sound)), sum(map(len, sound))
        return found

    @property
    def folds(self) -> list[dict[str, Any]]:
        """By cutoff: cut, until, n_train, n_next, and by law outside, failed, errors, medians."""
        return [self._fold(cut) for cut in self.cutoffs]

    def _fold(self, cut: float) -> dict[str, Any]:
        fits, sound = [one for one in self.judged if one.split.at == cut], self._sound(cut)
        return {
            "cut": cut,
            "until": float(self.compute[fits[0].split.test].max()),
            "n_train": fits[0].n_train,
            "n_next": len(fits[0].observed),
            "outside": {law: outside_range(one.predicted) for law, one in sound.items()},
            "failed": {one.law: one.failed for one in fits if one.failed},
            "errors": {law: one.errors["mae"] for law, one in sound.items()},
            "medians": {law: float(np.median(np.abs(one.error))) for law, one in sound.items()},
        }

    def _sound(self, cut: float) -> dict[str, Judged]:
        """By law what it predicts from a cutoff."""
        return {one.law: one for one in self.judged if one.split.at == cut and not one.failed}

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        errors = self.errors
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
        three = Significant(3)
        columns = [
            Column("cut", "cutoff (FLOP)", format=three),
            Column("until", format=three),
            Column("n_train", "fitted"),
            Column("n_next", "predicted"),
            *map(_mean_error, self.laws),
        ]
        rows: list[Any] = list(self.folds)
        if self.errors:
            means = {law: float(off.mean()) for law, off in self.errors.items()}
            size = len(next(iter(self.errors.values())))
            last = {"cut": None, "until": None, "n_train": None, "n_next": size, "errors": means}
            rows += [RULE, last]
        title = (
            f"{self.benchmark}: mean |error| of accuracy on the runs up to the next cutoff, of "
            f"{counted(self.n, 'run')} above guessing by more than {self.margin:g}"
        )
        return (Table(columns, rows, title=title, notes=list(self._notes())),)

    def _notes(self) -> Iterator[str]:
        if self.best is not None:
            yield f"extrapolates best: {self.best}"
        if self.left_out:
            runs = counted(self.left_out, "run")
            yield f"note: {runs} left out, within the margin or of accuracy 1"
        for law, (n, total) in self.outside.items():
            if n:
                yield (
                    f"warning: {law}: {n} of {counted(total, 'prediction')} lie outside [0, 1], "
                    "where no accuracy is; they count as they are"
                )
        for one in self.failed:
            at = Significant(3).text(one.split.at)
            yield f"note: {one.law}: no prediction from the runs up to {at} FLOP: {one.failed}"
        if not self.judged:
            yield "note: too few runs of different compute for an extrapolation"
        if self.interrupted:
            yield "note: interrupted: cutoffs that were not reached are left out"


def _mean_error(law: str) -> Column:
    heading = "\n".join(law.split("-"))
    return Column(law, heading, of=lambda fold: fold["errors"].get(law), format=Significant(3))


def rolling_origin(
    sample: Sample,
    kinds: Sequence[Law],
    *,
    cutoffs: int | ArrayLike = CUTOFFS,
    jobs: int = 1,
    progress: bool = False,
) -> RollingOrigin:
    """Each law fitted up to a cutoff in compute predicts the runs up to the next one.

    The first cutoff has at least six runs up to it, and one more than the law with most
    coefficients has.

    Parameters
    ----------
    sample : Sample
        Give training runs alone: what is to be forecast should not choose the law.
    kinds : sequence of Law
        Laws of different names.
    cutoffs : int or array_like
        At most so many, spread evenly over the distinct computes; or these, in FLOP.
    jobs, progress
        As in `isoflop.numeric.fit.repeat.repeat`.

    Raises
    ------
    ValueError
        For no laws, two of one name, or no run above the margin.
    """
    whole = Benchmark(runs=sample, kinds=tuple(kinds))
    used = sample.subset(whole.is_judged(sample))
    if not len(used):
        complaint = f"no run exceeds guessing ({sample.baseline:g}) by more than {whole.margin:g}"
        raise ArgumentError("sample", sample.benchmark, complaint=complaint)
    compute = used.at.column("compute")
    least = max(LEAST, 1 + max(len(kind.coefficients) for kind in kinds))
    splits = [
        split
        for split in rolling(compute, cutoffs, least=least)
        if split.train.any() and split.test.any()
    ]
    data = replace(whole, runs=used)
    trials = [data.trial(kind, split) for split in splits for kind in kinds]
    held = judge(trials, jobs=jobs, progress=progress)
    return RollingOrigin(
        judged=held.judged,
        interrupted=held.interrupted,
        benchmark=sample.benchmark,
        n=len(used),
        margin=whole.margin,
        left_out=len(sample) - len(used),
        compute=compute,
    )
