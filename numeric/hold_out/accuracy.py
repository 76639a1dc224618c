"""Evaluations of runs: the laws of accuracy on every benchmark.

Source: Krajewski et al. 2025, arXiv 2512.08894, Sections 3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..accuracy.baselines import Baseline
from ..accuracy.law import fit_law, resampled
from ..accuracy.laws import LAWS, law_named
from ..data.sample import above_guessing
from ..errors import ArgumentError, number, outside
from ..results import Band
from ..words import counted
from .judge import Task
from .splits import require_a_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..accuracy.law import Law, LawFit
    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from .splits import Rule

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["tasks_of_evaluations"]

#: The law of pass@k in k as well: it is judged at every k, the others at k = 1.
IN_K = "bilinear"
#: What is compared where nothing is asked for.
USUAL = tuple(name for name in LAWS if name not in ("bnsl-2", "bnsl-3", IN_K))
#: Cutoffs leave at least so many runs to fit.
LEAST = 6
MARGIN = "a number from 0 to less than 1, or such numbers by benchmark"


def tasks_of_evaluations(
    evaluations: Evaluations,
    laws: Sequence[str] | None,
    rule: Rule | None,
    *,
    benchmarks: Sequence[str] | None = None,
    baselines: Mapping[str, Baseline] | None = None,
    proxy: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    level: float,
    seed: int,
) -> tuple[list[Task], list[str]]:
    """Every law on every benchmark, and notes on the runs that have no part; see `backtest`.

    A law is fitted to the runs that exceed guessing by more than its own margin and, if it needs the
    proxy, have it. All laws of a benchmark are judged on the runs that exceed guessing by more than
    the strictest of their margins. Without a rule no run is held out.
    """
    from ..accuracy.baselines import resolve

    chosen = _chosen(laws, evaluations, proxy)
    proxy = _proxy(evaluations, proxy, chosen)
    names = tuple(evaluations.benchmarks if benchmarks is None else benchmarks)
    if not names:
        raise outside("benchmarks", list(names), "at least one benchmark")
    for name in names:
        evaluations.require(name)
        if proxy is not None and evaluations.proxy(proxy) is evaluations.scores[name]:
            complaint = "is the benchmark itself, whose accuracy is to be predicted"
            raise ArgumentError("proxy", proxy, complaint=complaint)
    known = resolve(evaluations, benchmarks=names) if baselines is None else dict(baselines)
    if missing := [name for name in names if name not in known]:
        raise ValueError(f"baselines: {missing[0]!r} is missing; they are of {', '.join(known)}")
    margins = _margins(margin, names)
    tasks: list[Task] = []
    notes: list[str] = []
    for name in names:
        in_k = len(evaluations.family(name)) > 1
        own = [law for law in chosen if law != IN_K or in_k]
        if not own:
            complaint = f"needs pass@k at several k; {name} has none"
            raise ArgumentError("law", IN_K, complaint=complaint)
        kinds = [law_named(law, margin=margins.get(name), baseline=known[name]) for law in own]
        made = _Benchmark(evaluations, name, known[name], kinds, proxy, rule, level, seed)
        tasks += made.tasks()
        notes += made.notes()
    if rule is not None and rule.hold_out is not None:
        every = np.concatenate([task.held for task in tasks if task.held is not None])
        require_a_part(rule.hold_out, every, evaluations.source)
    return tasks, notes


@dataclass(frozen=True, eq=False)
class _Benchmark:
    """A benchmark with the laws that are judged on it."""

    evaluations: Evaluations
    name: str
    baseline: Baseline
    kinds: Sequence[Law]
    proxy: str | None
    rule: Rule | None
    level: float
    seed: int

    @property
    def margin(self) -> float:
        """The strictest margin of the laws."""
        return max((kind.margin for kind in self.kinds if kind.margin is not None), default=0.0)

    @cached_property
    def runs(self) -> Sample:
        """The runs with a score and, where there is one, the proxy, which is NaN at runs without
        it.
        """
        runs = self.evaluations.sample(self.name, self.baseline.value)
        if self.proxy is None:
            return runs
        at_runs = self.evaluations.proxy(self.proxy)[runs.index]
        return replace(runs, at=replace(runs.at, proxy=at_runs))

    @cached_property
    def pairs(self) -> Sample:
        """The pairs of run and k."""
        return self.evaluations.pairs(self.name, self.baseline.value)

    def rows(self, kind: Law) -> Sample:
        """What a law is fitted to: the runs, or pairs of run and k."""
        in_k = "k" in kind.asks and len(self.evaluations.family(self.name)) > 1
        return self.pairs if in_k else self.runs

    def tasks(self) -> Iterator[Task]:
        """One a law."""
        shared = None
        if self.rule is not None and self.rule.hold_out is None:
            plain = [kind for kind in self.kinds if "k" not in kind.asks]
            shared = np.all(
                [self._known(kind, rows := self.rows(kind)) & self._judged(rows) for kind in plain],
                axis=0,
            )
        least = max(LEAST, 1 + max(len(kind.coefficients) for kind in self.kinds))
        for kind in self.kinds:
            rows = self.rows(kind)
            known = self._known(kind, rows)
            lacks = "" if known.any() else "no run has a score and the proxy"
            by_k = "k" in kind.asks
            if by_k and shared is not None:
                lacks = "is of several k, and cutoffs are for laws at k = 1"
            at = rows.index if rows.index is not None else np.arange(len(rows))
            yield Task(
                subject=self.name,
                law=kind.name,
                rows=rows,
                fit=partial(_fitted, kind, rows, self.baseline, self.seed),
                predict=partial(_predicted, rows, self.level),
                names=tuple(str(self.evaluations.run[i]) for i in at),
                noun="run",
                observed=rows.accuracy,
                level=self.level,
                baseline=self.baseline,
                covariates={
                    name: values
                    for name in ("compute", "params", "tokens")
                    if (values := getattr(rows.at, name)) is not None
                },
                trainable=known & above_guessing(rows.accuracy, rows.baseline, kind.margin),
                predictable=known & self._judged(rows),
                n_coefficients=len(kind.coefficients),
                least=least,
                held=self._held(rows),
                grid=None if by_k else shared,
                lacks=lacks,
                counts_open=True,
            )

    def _known(self, kind: Law, rows: Sample) -> Mask:
        """Which rows have the proxy, if the law needs it."""
        if "proxy" in kind.requires and rows.at.proxy is not None:
            return np.isfinite(rows.at.proxy)
        return np.ones(len(rows), dtype=bool)

    def _judged(self, rows: Sample) -> Mask:
        """Which rows exceed guessing by more than the strictest margin."""
        return above_guessing(rows.accuracy, rows.baseline, self.margin)

    def _held(self, rows: Sample) -> Mask | None:
        """The rows that the condition holds out, none without a rule; None where cutoffs do.

        A condition on k concerns the pairs alone: runs without k are those at k = 1.
        """
        if self.rule is None:
            return np.zeros(len(rows), dtype=bool)
        if self.rule.hold_out is None:
            return None
        if rows.at.k is None:
            rows = replace(rows, at=replace(rows.at, k=np.ones(len(rows))))
        return self.evaluations.held_out(rows, self.rule.hold_out)

    def notes(self) -> Iterator[str]:
        """The runs that have no part, and why."""
        runs, total = self.rows(self.kinds[0]), len(self.evaluations)
        if "k" not in self.kinds[0].asks and len(runs) < total:
            missing = total - len(runs)
            yield f"{self.name}: {missing} of {counted(total, 'run')} have no score"
        if low := int((~self._judged(runs)).sum()):
            why = f"accuracy within {self.margin:g} of guessing, below it, or 1"
            yield f"{self.name}: no law is judged on {low} of {len(runs)} runs: {why}"


def _fitted(
    kind: Law, rows: Sample, baseline: Baseline, seed: int, chosen: Mask, resamples: int
) -> LawFit:
    """The law fitted to some of the rows; resamples redraw what guessing scores."""
    try:
        fit = fit_law(rows.subset(chosen), kind)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f"{rows.benchmark}: ")) from None
    return resampled(fit, baseline, resamples, seed) if resamples else fit


def _predicted(rows: Sample, level: float, fit: LawFit, chosen: Mask) -> Band:
    """Accuracy at some of the rows; with resamples the interval of a new run's."""
    at = rows.at.subset(chosen)
    ends = fit.new_run(at, level)
    low, high = (None, None) if ends is None else ends.T
    return Band(fit.accuracy(at), low, high, level)


# -- what is asked for -----------------------------------------------------------------------------


def _chosen(
    laws: Sequence[str] | None, evaluations: Evaluations, proxy: str | None
) -> tuple[str, ...]:
    if laws is not None:
        for name in laws:
            if name not in LAWS:
                domain = f"one of {', '.join(LAWS)}{close_matches(name, LAWS)}"
                raise ArgumentError("law", name, domain)
        if not laws or len({*laws}) < len(laws):
            raise outside("laws", list(laws), "at least one law, each once")
        return tuple(laws)
    has_proxy = proxy is not None or len(evaluations.proxies) == 1
    has_both = evaluations.params is not None and evaluations.tokens is not None
    in_k = any(len(evaluations.family(name)) > 1 for name in evaluations.benchmarks)
    usual = [
        name
        for name in USUAL
        if (has_proxy or not name.startswith("two-stage"))
        and (has_both or not name.startswith("params"))
    ]
    return (*usual, *((IN_K,) if in_k else ()))


def _proxy(evaluations: Evaluations, proxy: str | None, laws: Sequence[str]) -> str | None:
    if not any(law.startswith("two-stage") for law in laws):
        if proxy is not None:
            complaint = f"is for two-stage laws; those asked for are {', '.join(laws)}"
            raise ArgumentError("proxy", proxy, complaint=complaint)
        return None
    if proxy is None:
        if len(evaluations.proxies) == 1:
            return next(iter(evaluations.proxies))
        have = ", ".join(evaluations.proxies) or "no loss or other proxy"
        complaint = f"two-stage laws need one; {evaluations.source} has {have}"
        raise ArgumentError("proxy", complaint=complaint)
    evaluations.proxy(proxy)
    return proxy


def _margins(margin: Any, names: Sequence[str]) -> dict[str, float]:
    if margin is None:
        return {}
    given = dict(margin) if isinstance(margin, Mapping) else dict.fromkeys(names, margin)
    for name, value in given.items():
        if name not in names:
            known = f"{close_matches(name, names)}: {', '.join(names)}"
            raise ArgumentError("margin", complaint=f"{name!r} is none of the benchmarks{known}")
        if not 0.0 <= number("margin", value, MARGIN) < 1.0:
            raise outside("margin", value, MARGIN)
    return given
