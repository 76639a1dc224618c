"""A benchmark as what the hold-out engine judges laws of accuracy on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.sample import above_guessing
from ..errors import outside, whole_number
from ..fit.hold_out import Split, Trial, judge
from .baselines import Baseline
from .fitting import fit_law, resampled
from .laws import held_out_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from ..fit.hold_out import HeldOut, Judged
    from .fitting import LawFit
    from .kind import Kind

    Mask = NDArray[np.bool_]

__all__ = ["AccuracyLearner", "Benchmark", "judge_laws"]

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

    @classmethod
    def of(
        cls,
        evaluations: Evaluations,
        name: str,
        baseline: Baseline,
        kinds: Sequence[Kind],
        *,
        proxy: str | None = None,
        hold_out: str | None = None,
    ) -> Benchmark:
        """A benchmark with the runs and pairs that its laws need, and what a condition holds out."""
        runs = evaluations.sample(name, baseline.value)
        if proxy is not None:
            at_runs = evaluations.proxy(proxy)[runs.index]
            runs = replace(runs, at=replace(runs.at, proxy=at_runs))
        more: dict[str, Any] = {}
        if any("k" in kind.asks for kind in kinds) and len(evaluations.family(name)) > 1:
            pairs = evaluations.pairs(name, baseline.value)
            more = {"pairs": pairs, "held_pairs": held_out_of(evaluations, pairs, hold_out)}
        held = held_out_of(evaluations, runs, hold_out)
        return cls(runs=runs, kinds=tuple(kinds), baseline=baseline, held=held, **more)

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
        return "proxy" in kind.needs and self.runs.at.proxy is not None

    def has_proxy(self, kind: Kind) -> Mask:
        """Which of the rows of a law have the proxy, if it needs one."""
        if not self.needs_proxy(kind):
            return np.ones(len(self.rows(kind)), dtype=bool)
        return np.isfinite(self.runs.at.proxy)

    def split(self, kind: Kind) -> Split:
        """What a condition does not hold out, and what it does of the rows that are judged."""
        held, known, lacks = self.held_out(kind), self.has_proxy(kind), ""
        if "k" in kind.asks and self.pairs is None:
            lacks = "needs pass@k at several k, and there is none"
        elif "proxy" in kind.needs and self.runs.at.proxy is None:
            lacks = "needs a proxy, and none was named"
        elif not known.any():
            lacks = "no run has a score and the proxy"
        judged = self.is_judged(self.rows(kind))
        return Split("held out", known & ~held, known & held & judged, lacks=lacks)

    def is_judged(self, rows: Sample) -> Mask:
        """Which of the rows exceed guessing by more than the strictest margin."""
        return above_guessing(rows.accuracy, rows.baseline, self.margin)

    def trial(self, kind: Kind, split: Split, resamples: int = 0, seed: int = 0) -> Trial:
        """A law to be judged on a split of its rows."""
        learner = AccuracyLearner(kind, self.baseline, resamples, seed)
        rows = self.rows(kind)
        return Trial(learner, rows, split, rows.accuracy, self.name)


def judge_laws(
    data: Iterable[Benchmark],
    *,
    resamples: int = 0,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> HeldOut:
    """Every law fitted to what is not held out of its benchmark, and judged on the rest.

    Ctrl-C among the refits of a law leaves the laws after it.
    """
    repeats, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    trials = [
        each.trial(kind, each.split(kind), repeats, seed) for each in data for kind in each.kinds
    ]
    return judge(trials, jobs=jobs, progress=progress, then=_stop_if_interrupted)


def _stop_if_interrupted(judged: Judged) -> None:
    if judged.fitted is not None and judged.fitted.interrupted:
        raise StopIteration
