"""Which law for the runs at hand: how close each is to the runs beside how well it extrapolates, which need not agree.

Krajewski et al. 2025, arXiv 2512.08894, Section 4.3: laws that fit the training runs better can predict worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._parallel import in_order
from .._progress import progress_bar
from ..data.sample import above_guessing
from ..errors import outside, process_count
from .criteria import Criteria, criteria
from .rolling import FOLDS, Fold, rolling_origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = ["Choice", "Reversal", "choose"]


@dataclass(frozen=True, kw_only=True)
class Reversal:
    """A law that is closer to the runs than another and predicts worse.

    Attributes
    ----------
    closer, farther : str
        Laws: the first has the smaller root mean squared error on the runs, and the larger error of extrapolation.
    rmse : tuple of float
        On the runs, of the closer and of the farther.
    error, median : tuple of float
        Mean and median absolute errors of extrapolation over the folds that both have.
    n_predicted : int
    """

    closer: str
    farther: str
    rmse: tuple[float, float]
    error: tuple[float, float]
    median: tuple[float, float]
    n_predicted: int

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "rmse": list(self.rmse),
            "error": list(self.error),
            "median": list(self.median),
        }


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Laws by how well they fit and by how well they extrapolate.

    Attributes
    ----------
    benchmark : str
    n : int
        Runs that all laws use.
    margin : float
        They exceed guessing by more than this, the strictest margin of the laws.
    left_out : int
        Runs within the margin, or of accuracy 1.
    criteria : tuple of Criteria
    folds : tuple of Fold
    interrupted : bool
    """

    benchmark: str
    n: int
    margin: float
    left_out: int
    criteria: tuple[Criteria, ...]
    folds: tuple[Fold, ...]
    interrupted: bool = False

    def extrapolation(self, *laws: str) -> dict[str, float]:
        """Mean absolute error over the runs predicted in the folds that all these laws have; {} where there is none."""
        return {law: float(np.mean(off)) for law, off in self._off(laws).items()}

    def typical(self, *laws: str) -> dict[str, float]:
        """The median in place of the mean: one prediction far outside [0, 1] does not move it."""
        return {law: float(np.median(off)) for law, off in self._off(laws).items()}

    @property
    def outside(self) -> dict[str, tuple[int, int]]:
        """Law -> how many of its predictions in the folds are below 0 or above 1, of how many."""
        folds = {law: [fold for fold in self.folds if law in fold.outside] for law in self.laws}
        return {law: (sum(one.outside[law] for one in own), sum(one.n_next for one in own)) for law, own in folds.items()}

    def _off(self, laws: Sequence[str]) -> dict[str, Floats]:
        """Absolute errors in the folds that all these laws have."""
        shared = [fold for fold in self.folds if all(law in fold.off for law in laws)]
        return {law: np.concatenate([fold.off[law] for fold in shared]) for law in laws} if shared else {}

    @property
    def laws(self) -> tuple[str, ...]:
        """Those that have a fit and an error of extrapolation in some fold."""
        fitted = [each.law for each in self.criteria if each.own_rmse is not None]
        return tuple(law for law in fitted if any(law in fold.off for fold in self.folds))

    @property
    def closest(self) -> str | None:
        """The law whose own fit has the least root mean squared error on the runs."""
        return self._least("own_rmse")

    @property
    def best_aicc(self) -> str | None:
        """The law with the least AICc."""
        return self._least("aicc")

    @property
    def best_bic(self) -> str | None:
        """The law with the least BIC."""
        return self._least("bic")

    @property
    def best_extrapolation(self) -> str | None:
        """The law with the least error of extrapolation over the folds that all laws have."""
        errors = self.extrapolation(*self.laws) if self.laws else {}
        return min(errors, key=errors.__getitem__) if errors else None

    @property
    def reversals(self) -> tuple[Reversal, ...]:
        """Every pair of laws of which the one closer to the runs extrapolates worse, by the mean and by the median error."""
        own = {each.law: each.own_rmse for each in self.criteria if each.own_rmse is not None}
        found = []
        for closer in self.laws:
            for farther in self.laws:
                errors, middle = self.extrapolation(closer, farther), self.typical(closer, farther)
                worse = bool(errors) and errors[closer] > errors[farther] and middle[closer] > middle[farther]
                if worse and own[closer] < own[farther]:
                    shared = sum(fold.n_next for fold in self.folds if {closer, farther} <= fold.off.keys())
                    pair = (closer, farther)
                    found.append(
                        Reversal(
                            closer=closer,
                            farther=farther,
                            rmse=(own[closer], own[farther]),
                            error=(errors[pair[0]], errors[pair[1]]),
                            median=(middle[pair[0]], middle[pair[1]]),
                            n_predicted=shared,
                        )
                    )
        return tuple(found)

    def _least(self, figure: str) -> str | None:
        values = {each.law: getattr(each, figure) for each in self.criteria if getattr(each, figure) is not None}
        return min(values, key=values.__getitem__) if values else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "benchmark": self.benchmark,
            "response": "raw accuracy, Gaussian residuals of one variance",
            "n": self.n,
            "margin": self.margin,
            "left_out": self.left_out,
            "criteria": [each.as_dict() for each in self.criteria],
            "folds": [each.as_dict() for each in self.folds],
            "extrapolation": self.extrapolation(*self.laws) if self.laws else {},
            "extrapolation_median": self.typical(*self.laws) if self.laws else {},
            "predictions_outside": {law: {"n": n, "of": total} for law, (n, total) in self.outside.items()},
            "closest": self.closest,
            "best_aicc": self.best_aicc,
            "best_bic": self.best_bic,
            "best_extrapolation": self.best_extrapolation,
            "reversals": [each.as_dict() for each in self.reversals],
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        from .choice_text import choice_text

        return choice_text(self)


def choose(
    sample: Sample,
    kinds: Sequence[Kind],
    *,
    margin: float | None = None,
    folds: int = FOLDS,
    least_train: int | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> Choice:
    """Information criteria and rolling extrapolation of laws on the same runs of a benchmark.

    Parameters
    ----------
    sample : Sample
        Give training runs alone: what is to be forecast should not choose the law.
    kinds : sequence of Kind
        Laws of different names.
    margin : float, optional
        Runs are used whose accuracy exceeds guessing by more than this; by default the strictest margin of the laws.
    folds, least_train, jobs, progress
        See `rolling_origin`.

    Returns
    -------
    Choice

    Raises
    ------
    ValueError
        For no laws, two of one name, or no run above the margin.
    """
    names = [kind.name for kind in kinds]
    if not names or len({*names}) < len(names):
        raise outside("kinds", names, "at least one law, each of another name")
    own = [kind.margin for kind in kinds if kind.margin is not None]
    strictest = max(own, default=0.0) if margin is None else float(margin)
    used = sample.subset(above_guessing(sample.accuracy, sample.baseline, strictest))
    if not len(used):
        raise ValueError(f"{sample.benchmark}: no run exceeds guessing ({sample.baseline:g}) by more than {strictest:g}")
    done: list[Criteria] = []
    bar = progress_bar(len(kinds), progress, what="criteria", unit="law")
    try:
        for each in in_order(criteria, ((used, kind) for kind in kinds), process_count(jobs)):
            done.append(each)
            bar.update(1)
    except KeyboardInterrupt:
        rolled: list[Fold] = []
        interrupted = True
    else:
        rolled, interrupted = rolling_origin(used, kinds, folds=folds, least_train=least_train, jobs=jobs, progress=progress)
    finally:
        bar.close()
    return Choice(
        benchmark=sample.benchmark,
        n=len(used),
        margin=strictest,
        left_out=len(sample) - len(used),
        criteria=tuple(done),
        folds=tuple(rolled),
        interrupted=interrupted,
    )
