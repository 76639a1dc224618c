"""A benchmark as what the hold-out engine judges laws of accuracy on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.baselines import Baseline
from ..accuracy.fitting import fit_law, resampled
from ..data.sample import above_guessing
from ..errors import outside
from ..fit.hold_out import Trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..accuracy.fitting import LawFit
    from ..accuracy.kind import Kind
    from ..data.sample import Sample
    from ..fit.hold_out import Split

    Mask = NDArray[np.bool_]

__all__ = ["AccuracyLearner", "Benchmark"]

#: Where nothing is resampled, what guessing scores is that of the runs.
EXACT = Baseline(0.0)


@dataclass(frozen=True)
class AccuracyLearner:
    """A law of accuracy to be fitted to a `Sample`.

    Attributes
    ----------
    kind : Kind
    baseline : Baseline
        What guessing scores; for resamples alone.
    resamples, seed : int
        Refits to resamples of the runs, each with a redrawn baseline.
    """

    kind: Kind
    baseline: Baseline
    resamples: int = 0
    seed: int = 0

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    def fit(self, rows: Sample) -> LawFit:
        """The law fitted to those of the runs that exceed its margin."""
        try:
            fit = fit_law(rows, self.kind)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{rows.benchmark}: ")) from None
        return resampled(fit, self.baseline, self.resamples, self.seed) if self.resamples else fit


@dataclass(frozen=True, eq=False, kw_only=True)
class Benchmark:
    """Accuracy on one benchmark: its runs, and the laws that are judged on them.

    Attributes
    ----------
    runs : Sample
        All runs with a score, at k = 1; where there is a proxy, it is NaN at runs without one.
    kinds : tuple of Kind
        Laws of different names.
    baseline : Baseline
        What guessing scores; of use to resamples alone.
    held : ndarray of bool
        (n,): which of the runs a condition holds out.
    pairs : Sample or None
        The pairs of run and k, for laws in k.
    held_pairs : ndarray of bool
        Which of these are held out.
    """

    runs: Sample
    kinds: tuple[Kind, ...]
    baseline: Baseline = EXACT
    held: Any = None
    pairs: Sample | None = None
    held_pairs: Any = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        names = [kind.name for kind in self.kinds]
        if not names or len({*names}) < len(names):
            raise outside("kinds", names, "at least one law, each of another name")

    @property
    def name(self) -> str:
        """Of the benchmark."""
        return self.runs.benchmark

    @property
    def margin(self) -> float:
        """The strictest margin of the laws: all are judged on the runs that exceed it."""
        return max((kind.margin for kind in self.kinds if kind.margin is not None), default=0.0)

    def rows(self, kind: Kind) -> Sample:
        """What a law is fitted to and judged on: the runs, or pairs of run and k."""
        return self.pairs if "k" in kind.asks and self.pairs is not None else self.runs

    def held_out(self, kind: Kind) -> Mask:
        """Which of the rows of a law are held out."""
        return np.asarray(self.held if self.rows(kind) is self.runs else self.held_pairs)

    def needs_proxy(self, kind: Kind) -> bool:
        """Whether a law is fitted to the runs with a proxy alone."""
        return "proxy" in kind.requires and self.runs.at.proxy is not None

    def has_proxy(self, kind: Kind) -> Mask:
        """Which of the rows of a law have the proxy, if it needs one."""
        if not self.needs_proxy(kind):
            return np.ones(len(self.rows(kind)), dtype=bool)
        return np.isfinite(self.runs.at.proxy)

    def is_judged(self, rows: Sample) -> Mask:
        """Which of the rows exceed guessing by more than the strictest margin."""
        return above_guessing(rows.accuracy, rows.baseline, self.margin)

    def trial(self, kind: Kind, split: Split, resamples: int = 0, seed: int = 0) -> Trial:
        """A law to be judged on a split of its rows."""
        learner = AccuracyLearner(kind, self.baseline, resamples, seed)
        rows = self.rows(kind)
        return Trial(learner, rows, split, rows.accuracy, self.name)
