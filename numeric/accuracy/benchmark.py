"""A benchmark as what the hold-out engine judges laws of accuracy on, and a law that was judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.sample import above_guessing
from ..errors import outside, whole_number
from ..fit.hold_out import Judged, Split, Trial, errors, judge
from .baselines import Baseline
from .law import fit_law, resampled
from .laws import beyond, crossing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from ..fit.hold_out import HeldOut
    from ..results import Estimate
    from .law import Law, LawFit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["AccuracyLearner", "Benchmark", "JudgedLaw", "best_law", "candidates", "judge_laws"]

#: Errors of accuracy that differ by less than this are one.
SAME = 5e-5
#: Beyond 0 and 1 by more than rounding.
ROUNDING = 1e-12
#: Where nothing is resampled, what guessing scores is that of the runs.
EXACT = Baseline(0.0)


@dataclass(frozen=True)
class AccuracyLearner:
    """A law of accuracy to be fitted to a `Sample`.

    Attributes
    ----------
    kind : Law
    baseline : Baseline
        What guessing scores; for resamples alone.
    resamples, seed : int
        Refits to resamples of the runs, each with a redrawn baseline.
    """

    kind: Law
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
    kinds : tuple of Law
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
    kinds: tuple[Law, ...]
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
        kinds: Sequence[Law],
        *,
        proxy: str | None = None,
        hold_out: str | None = None,
    ) -> Benchmark:
        """A benchmark with the runs and pairs that laws need, and what a condition holds out."""
        runs = evaluations.sample(name, baseline.value)
        if proxy is not None:
            at_runs = evaluations.proxy(proxy)[runs.index]
            runs = replace(runs, at=replace(runs.at, proxy=at_runs))
        more: dict[str, Any] = {}
        if any("k" in kind.asks for kind in kinds) and len(evaluations.family(name)) > 1:
            pairs = evaluations.pairs(name, baseline.value)
            more = {"pairs": pairs, "held_pairs": _held_out(evaluations, pairs, hold_out)}
        held = _held_out(evaluations, runs, hold_out)
        return cls(runs=runs, kinds=tuple(kinds), baseline=baseline, held=held, **more)

    @property
    def name(self) -> str:
        """Of the benchmark."""
        return self.runs.benchmark

    def kind(self, law: str) -> Law:
        """A law by its name."""
        return next(kind for kind in self.kinds if kind.name == law)

    @property
    def margin(self) -> float:
        """The strictest margin of the laws: all are judged on the runs that exceed it."""
        return max((kind.margin for kind in self.kinds if kind.margin is not None), default=0.0)

    def rows(self, kind: Law) -> Sample:
        """What a law is fitted to and judged on: the runs, or pairs of run and k."""
        return self.pairs if "k" in kind.asks and self.pairs is not None else self.runs

    def held_out(self, kind: Law) -> Mask:
        """Which of the rows of a law are held out."""
        return np.asarray(self.held if self.rows(kind) is self.runs else self.held_pairs)

    def needs_proxy(self, kind: Law) -> bool:
        """Whether a law is fitted to the runs with a proxy alone."""
        return "proxy" in kind.requires and self.runs.at.proxy is not None

    def has_proxy(self, kind: Law) -> Mask:
        """Which of the rows of a law have the proxy, if it needs one."""
        if not self.needs_proxy(kind):
            return np.ones(len(self.rows(kind)), dtype=bool)
        return np.isfinite(self.runs.at.proxy)

    def split(self, kind: Law) -> Split:
        """What a condition does not hold out, and what it does of the rows that are judged."""
        held, known, lacks = self.held_out(kind), self.has_proxy(kind), ""
        if "k" in kind.asks and self.pairs is None:
            lacks = "needs pass@k at several k, and there is none"
        elif "proxy" in kind.requires and self.runs.at.proxy is None:
            lacks = "needs a proxy, and none was named"
        elif not known.any():
            lacks = "no run has a score and the proxy"
        judged = self.is_judged(self.rows(kind))
        return Split("held out", known & ~held, known & held & judged, lacks=lacks)

    def is_judged(self, rows: Sample) -> Mask:
        """Which of the rows exceed guessing by more than the strictest margin."""
        return above_guessing(rows.accuracy, rows.baseline, self.margin)

    def trial(self, kind: Law, split: Split, resamples: int = 0, seed: int = 0) -> Trial:
        """A law to be judged on a split of its rows."""
        learner = AccuracyLearner(kind, self.baseline, resamples, seed)
        rows = self.rows(kind)
        return Trial(learner, rows, split, rows.accuracy, self.name)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedLaw(Judged):
    """A law of accuracy on a benchmark, its `subject`.

    Attributes
    ----------
    behind, ahead : Sample
        The fitted and the held-out runs that it is judged on. They are the same for all laws of a
        benchmark: those that exceed guessing by more than the strictest margin of the laws.
    level : float
        Nominal coverage of intervals.
    """

    behind: Sample
    ahead: Sample
    level: float

    @classmethod
    def of(cls, one: Judged, data: Benchmark, level: float) -> JudgedLaw:
        """A law that was judged, on the rows of its benchmark that exceed guessing by the margin of
        the benchmark's laws.
        """
        rows = data.rows(data.kind(one.law))
        behind = rows.subset(one.split.train & data.is_judged(rows))
        return cls(**vars(one), behind=behind, ahead=rows.subset(one.split.test), level=level)

    @property
    def benchmark(self) -> str:
        """That it is judged on."""
        return str(self.subject)

    @property
    def fit(self) -> Any:
        """A `LawFit`; None where the law could not be fitted."""
        return self.fitted

    @cached_property
    def train(self) -> dict[str, float | None]:
        """n, mae, mre, rmse and r2 of accuracy on the fitted runs, and at how many of them the law
        lies outside [0, 1]; nothing without a fit.
        """
        if self.fit is None:
            return {}
        law = self.fit.predict(self.behind) if len(self.behind) else np.empty(0)
        return errors(law, self.behind.accuracy) | {"outside": outside_range(law)}

    @cached_property
    def held_out(self) -> dict[str, float | None]:
        """The same on the held-out runs."""
        return {} if self.fit is None else self.errors | {"outside": outside_range(self.predicted)}

    @cached_property
    def _off(self) -> Floats:
        """(K, m): by how much every refit is off at the held-out runs."""
        if self.fit is None or not len(self.ahead) or len(self.fit.refitted) < 2:
            return np.empty((0, len(self.ahead)))
        return np.abs(self.fit.drawn(self.ahead.at) - self.ahead.accuracy)

    @property
    def mae_draws(self) -> Floats:
        """(K,): mae on the held-out runs by every refit."""
        return self._off.mean(axis=1) if len(self._off) else np.empty(0)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Of mae and mre on the held-out runs, from 0 to the quantile at the level over resamples
        of the fitted runs, for refits err more than the law on average; empty without resamples.
        """
        if not len(self._off):
            return {}
        relative = (self._off / self.ahead.accuracy).mean(axis=1)
        return {
            name: (0.0, float(np.quantile(values, self.level)))
            for name, values in (("mae", self.mae_draws), ("mre", relative))
        }

    @cached_property
    def crossing(self) -> Estimate | None:
        """Of a law in compute and k: where the curves of all k cross."""
        return None if self.fit is None else crossing_of(self.fit, self.level)

    @property
    def weak(self) -> str:
        """Why the law is no candidate for the best one; "" where it is: see `LawFit.weak`."""
        return "" if self.fit is None else self.fit.weak

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of coefficients and errors must know: limits of the search, predictions
        that are no accuracies.
        """
        if self.fit is None:
            return ()
        said = list(self.fit.remarks)
        at = ", ".join(
            f"{name} in {count} of {len(self.fit.refitted)} refits"
            for name, count in self.fit.at_limit.items()
        )
        said += [f"at a bound of the search: {at}"] if at else []
        if self.crossing is not None:
            said.append(self._where_it_holds(self.crossing))
        for runs, figures in (("fitted", self.train), ("held-out", self.held_out)):
            if figures.get("outside"):
                said.append(
                    f"at {figures['outside']} of {figures['n']} {runs} runs it lies outside [0, "
                    f"1], where no accuracy is"
                )
        return tuple(said)

    def _where_it_holds(self, crossing: Estimate) -> str:
        """C_x of the law in k, and how many of the held-out pairs lie where it does not hold."""
        side = "above" if self.fit.coefficients["d"] < 0.0 else "below"
        away = int(beyond(self.fit, self.ahead.at).sum())
        return (
            f"the curves of all k cross at C_x = {crossing:.3g} FLOP; the law holds {side} it: "
            f"{away} of {len(self.ahead)} held-out pairs lie on the other side, where it says "
            f"that more samples solve fewer problems"
        )

    @property
    def open(self) -> str:
        """What is wrong with the fit: no certified minimum, or coefficients that the runs leave
        open; "" for a sound one.
        """
        if self.fit is None:
            return self.failed
        if not self.fit.converged:
            return self.fit.reason or "no certified minimum"
        at_limit = self.fit.on_limit(self.fit.values)  # of these the remarks tell
        loose = [
            name
            for name, is_told in zip(self.fit.names, at_limit, strict=True)
            if name in self.undetermined and not is_told
        ]
        return f"open: {', '.join(loose)}" if loose else self.failed

    def predictions(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """What the law says of the held-out runs beside what these measured, a record a run;
        `names`: of all runs of the evaluations. `low` and `high` are the ends of the interval of a
        new run, None without refits.
        """
        runs = self.ahead
        if not len(runs):
            return []
        law, ends = self.fit.accuracy(runs.at), self.fit.new_run(runs.at, self.level)
        known = [
            name
            for name in ("compute", "params", "tokens", "k")
            if getattr(runs.at, name) is not None
        ]
        return [
            {"run": names[int(runs.index[i])] if names and runs.index is not None else None}
            | {name: float(getattr(runs.at, name)[i]) for name in known}
            | {"accuracy": float(runs.accuracy[i]), "predicted": float(law[i])}
            | {
                end: None if ends is None else float(ends[i, place])
                for place, end in enumerate(("low", "high"))
            }
            for i in range(len(runs))
        ]

    @cached_property
    def coefficients(self) -> list[dict[str, Any]]:
        """name, value, low, high of each coefficient; open: whether the runs leave it so, and then
        it has no ends; at_most: whether high is the limit of an E that is 0; at_limit: which of
        value, low and high are at a limit of the search; refits_at_limit: how many refits are.
        """
        if self.fit is None:
            return []
        return [
            {
                "name": name,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "open": estimate.undetermined,
                "at_most": estimate.at_most,
                "at_limit": list(estimate.at_limit),
                "refits_at_limit": self.fit.at_limit.get(name, 0),
            }
            for name, estimate in self.fit.estimates(self.level).items()
        ]


def _held_out(evaluations: Evaluations, sample: Sample, condition: str | None) -> Mask:
    """The runs of a sample that a condition holds out (n,); none without one.

    A condition on k concerns the pairs alone: runs without k are those at k = 1.
    """
    if condition is None:
        return np.zeros(len(sample), bool)
    if sample.at.k is None:
        sample = replace(sample, at=replace(sample.at, k=np.ones(len(sample))))
    return evaluations.held_out(sample, condition)


def outside_range(accuracies: Floats) -> int:
    """How many of these are no accuracy: below 0 or above 1."""
    return int(np.count_nonzero((accuracies < -ROUNDING) | (accuracies > 1.0 + ROUNDING)))


def candidates(laws: Iterable[JudgedLaw]) -> dict[str, JudgedLaw]:
    """The laws that may be best, by name: those that the runs tell enough of (`LawFit.weak`), but
    for laws in k, which are judged on other data.
    """
    fitted = (each for each in laws if each.fit is not None and "k" not in each.fit.kind.asks)
    return {each.law: each for each in fitted if not each.weak}


def best_law(laws: Iterable[JudgedLaw], part: str = "held_out", figure: str = "mae") -> str | None:
    """The candidate with the least error on the held-out or on the fitted runs ("train"); of those
    whose errors differ by less than 5e-5 that with the fewest coefficients. None if there is none.
    """
    several = candidates(laws)
    known = {
        law: error
        for law, each in several.items()
        if (error := getattr(each, part)[figure]) is not None
    }
    width = {law: len(each.fit.kind.coefficients) for law, each in several.items()}
    close = [law for law in known if known[law] < min(known.values()) + SAME]
    return min(close, key=lambda law: (width[law], known[law]), default=None)


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
