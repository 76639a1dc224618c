"""Extrapolation by a rolling origin: each law, fitted to the runs up to a compute, predicts the next ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._parallel import in_order
from .._progress import progress_bar
from ..errors import process_count, whole_number
from .predicting import outside_range, predicted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = ["Fold", "rolling_origin"]

#: Cuts, and the least runs below the first one.
FOLDS, LEAST_TRAIN = 6, 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Fold:
    """The runs up to a cut predict the next ones.

    Attributes
    ----------
    cut, until : float
        Fitted at C <= cut, predicted at cut < C <= until; FLOP.
    n_train, n_next : int
    errors, medians : dict
        Law -> mean and median absolute error of accuracy on the next runs.
    outside : dict
        Law -> how many of its predictions are below 0 or above 1, which no accuracy is; they are not changed.
    off : dict
        Law -> (n_next,) its absolute errors.
    failed : dict
        Law -> why it has no error here.
    """

    cut: float
    until: float
    n_train: int
    n_next: int
    off: dict[str, Floats]
    outside: dict[str, int]
    failed: dict[str, str]

    @property
    def errors(self) -> dict[str, float]:
        """Means."""
        return {law: float(np.mean(off)) for law, off in self.off.items()}

    @property
    def medians(self) -> dict[str, float]:
        """Medians."""
        return {law: float(np.median(off)) for law, off in self.off.items()}

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "off"}
        return plain | {"errors": self.errors, "medians": self.medians}


def rolling_origin(
    sample: Sample,
    kinds: Sequence[Kind],
    *,
    folds: int = FOLDS,
    least_train: int | None = None,
    jobs: int = 1,
    progress: bool = False,
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
    jobs : int
        Processes; more than one needs joblib.
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
        tasks = ((sample, kinds, cut, until) for cut, until in zip(cuts, ends, strict=True))
        for fold in in_order(_fold, tasks, process_count(jobs)):
            done.append(fold)
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
    off: dict[str, Floats] = {}
    outside: dict[str, int] = {}
    failed: dict[str, str] = {}
    for kind in kinds:
        try:
            law = predicted(kind, kind.fit(train).coefficients, following.at, sample.baseline)
        except ValueError as reason:
            failed[kind.name] = str(reason)
            continue
        if np.isfinite(law).all():
            off[kind.name], outside[kind.name] = np.abs(law - following.accuracy), outside_range(law)
        else:
            failed[kind.name] = "its prediction is not finite"
    return Fold(cut=cut, until=until, n_train=len(train), n_next=len(following), off=off, outside=outside, failed=failed)
