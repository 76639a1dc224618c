"""Extrapolation by a rolling origin: each law, fitted to the runs up to a compute, predicts the next ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric._domain import whole_number
from isoflop.numeric._progress import progress_bar
from isoflop.numeric.downstream.predicting import predicted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isoflop.numeric.downstream.kind import Kind
    from isoflop.numeric.downstream.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["Fold", "rolling_origin"]

#: Cuts, and the least runs below the first one.
FOLDS, LEAST_TRAIN = 6, 6


@dataclass(frozen=True, kw_only=True)
class Fold:
    """The runs up to a cut predict the next ones.

    Attributes
    ----------
    cut, until : float
        Fitted at C <= cut, predicted at cut < C <= until; FLOP.
    n_train, n_next : int
    errors : dict
        Law -> mean absolute error of accuracy on the next runs.
    failed : dict
        Law -> why it has no error here.
    """

    cut: float
    until: float
    n_train: int
    n_next: int
    errors: dict[str, float]
    failed: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def rolling_origin(
    sample: Sample, kinds: Sequence[Kind], *, folds: int = FOLDS, least_train: int | None = None, progress: bool = False
) -> tuple[list[Fold], bool]:
    """Each law fitted up to a cut in compute predicts the runs up to the next cut.

    Parameters
    ----------
    sample : Sample
        All of its runs are used; compute must be known.
    kinds : sequence of Kind
    folds : int
        At most so many cuts, spread evenly over the distinct computes.
    least_train : int, optional
        Least runs up to a cut; by default one more than the law with most coefficients has, and at least six.
    progress : bool

    Returns
    -------
    list of Fold
        Empty where the runs have too few distinct computes.
    bool
        Whether Ctrl-C ended it early.
    """
    compute = sample.at.column("compute")
    most = max(len(kind.coefficients) for kind in kinds)
    least = max(LEAST_TRAIN, most + 1) if least_train is None else whole_number("least_train", least_train, 1)
    cuts = _cuts(compute, whole_number("folds", folds, 1), least)
    ends = [*cuts[1:], float(compute.max())] if cuts else []
    done: list[Fold] = []
    bar = progress_bar(len(cuts), progress, what="extrapolation", unit="cut")
    try:
        for cut, until in zip(cuts, ends, strict=True):
            done.append(_fold(sample, kinds, cut, until))
            bar.update(1)
    except KeyboardInterrupt:
        return done, True
    finally:
        bar.close()
    return done, False


def _cuts(compute: Floats, folds: int, least: int) -> list[float]:
    """Distinct computes with enough runs up to them and at least one beyond."""
    usable = [float(value) for value in np.unique(compute)[:-1] if np.count_nonzero(compute <= value) >= least]
    if len(usable) <= folds:
        return usable
    return [usable[i] for i in np.unique(np.linspace(0, len(usable) - 1, folds).round().astype(int))]


def _fold(sample: Sample, kinds: Sequence[Kind], cut: float, until: float) -> Fold:
    compute = sample.at.column("compute")
    train, following = sample.subset(compute <= cut), sample.subset((compute > cut) & (compute <= until))
    errors: dict[str, float] = {}
    failed: dict[str, str] = {}
    for kind in kinds:
        try:
            found = kind.fit(train)
            error = float(
                np.mean(np.abs(predicted(kind, found.coefficients, following.at, sample.baseline) - following.accuracy))
            )
        except ValueError as reason:
            failed[kind.name] = str(reason)
            continue
        if np.isfinite(error):
            errors[kind.name] = error
        else:
            failed[kind.name] = "its prediction is not finite"
    return Fold(cut=cut, until=until, n_train=len(train), n_next=len(following), errors=errors, failed=failed)
