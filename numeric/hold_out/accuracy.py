"""Evaluations of runs: the laws of accuracy on every benchmark.

Source: Krajewski et al. 2025, arXiv 2512.08894, Sections 3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..accuracy.law import fit_law, resampled
from ..accuracy.laws import LAWS, law_named
from ..data.sample import above_guessing
from ..errors import ArgumentError, outside
from .splits import require_a_part
from .task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..accuracy.baselines import Baseline
    from ..accuracy.law import Law, LawFit
    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from ..results import Band
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


def tasks_of_evaluations(
    evaluations: Evaluations,
    laws: Sequence[str] | None,
    rule: Rule,
    *,
    benchmarks: Sequence[str],
    baselines: Mapping[str, Baseline],
    proxy: str | None = None,
    seed: int,
) -> tuple[list[Task], list[str]]:
    """Every law on every benchmark, and notes on the runs that have no part; see `backtest`.

    A law is fitted to the runs that exceed guessing by more than its own margin and, if it needs the
    proxy, have it. All laws of a benchmark are judged on the runs that exceed guessing by more than
    the strictest of their margins.
    """
    chosen = _chosen(laws, evaluations, proxy)
    proxy = _proxy(evaluations, proxy, chosen)
    for name in benchmarks:
        evaluations.require(name)
        if proxy is not None and evaluations.proxy(proxy) is evaluations.scores[name]:
            complaint = "is the benchmark itself, whose accuracy is to be predicted"
            raise ArgumentError("proxy", proxy, complaint=complaint)
        if name not in baselines:
            have = ", ".join(baselines)
            raise ArgumentError("baselines", complaint=f"have none of {name!r}, but of {have}")
    tasks: list[Task] = []
    notes: list[str] = []
    for name in benchmarks:
        in_k = len(evaluations.family(name)) > 1
        own = [law_named(law, baselines[name]) for law in chosen if law != IN_K or in_k]
        if not own:
            complaint = f"needs pass@k at several k; {name} has none"
            raise ArgumentError("law", IN_K, complaint=complaint)
        made, left = _of_benchmark(evaluations, name, baselines[name], own, proxy, rule, seed)
        tasks += made
        notes += left
    if rule.hold_out:
        every = np.concatenate([task.held for task in tasks if task.held is not None])
        require_a_part(rule.hold_out, every, evaluations.source)
    return tasks, notes


def _of_benchmark(
    evaluations: Evaluations,
    name: str,
    baseline: Baseline,
    laws: Sequence[Law],
    proxy: str | None,
    rule: Rule,
    seed: int,
) -> tuple[list[Task], list[str]]:
    """The laws on one benchmark, and a note on the runs that none is judged on."""
    margin = max((law.margin for law in laws if law.margin is not None), default=0.0)
    runs = evaluations.sample(name, baseline.value)
    known = np.ones(len(runs), dtype=bool)
    if proxy is not None:  # NaN at runs without it
        runs = replace(runs, at=replace(runs.at, proxy=evaluations.proxy(proxy)[runs.index]))
        known = np.isfinite(runs.at.proxy)
    clear = above_guessing(runs.accuracy, runs.baseline, margin)
    by_proxy = any("proxy" in law.requires for law in laws)
    grid = None if rule.hold_out is not None else clear & known if by_proxy else clear
    least = max(LEAST, 1 + max(len(law.coefficients) for law in laws))
    tasks = []
    for law in laws:
        in_k = law.name == IN_K
        sample = evaluations.pairs(name, baseline.value) if in_k else runs
        has_all = known if "proxy" in law.requires else np.ones(len(sample), dtype=bool)
        lacks = "" if has_all.any() else "no run has a score and the proxy"
        if in_k and rule.hold_out is None:
            lacks = "is of several k, and cutoffs are for laws at k = 1"
        covariates = {each: getattr(sample.at, each) for each in ("compute", "params", "tokens")}
        tasks.append(
            Task(
                subject=name,
                law=law.name,
                rows=sample,
                fit=partial(_fitted, law, sample, baseline, seed),
                predict=partial(_predicted, sample),
                names=[str(evaluations.run[i]) for i in sample.index],
                observed=sample.accuracy,
                covariates={k: values for k, values in covariates.items() if values is not None},
                trainable=has_all & above_guessing(sample.accuracy, sample.baseline, law.margin),
                predictable=has_all & above_guessing(sample.accuracy, sample.baseline, margin),
                least=least,
                held=_held(evaluations, sample, rule),
                grid=None if in_k else grid,
                lacks=lacks,
                counts_open=True,
            )
        )
    why = f"accuracy within {margin:g} of guessing, below it, or 1"
    low = f"{name}: no law is judged on {(~clear).sum()} of {len(runs)} runs: {why}"
    return tasks, [] if clear.all() else [low]


def _held(evaluations: Evaluations, sample: Sample, rule: Rule) -> Mask | None:
    """The rows that the condition holds out; None where cutoffs do.

    A condition on k concerns the pairs alone: runs without k are those at k = 1.
    """
    if not rule.hold_out:
        return None if rule.hold_out is None else np.zeros(len(sample), dtype=bool)
    if sample.at.k is None:
        sample = replace(sample, at=replace(sample.at, k=np.ones(len(sample))))
    return evaluations.held_out(sample, rule.hold_out)


def _fitted(
    law: Law, sample: Sample, baseline: Baseline, seed: int, chosen: Mask, resamples: int
) -> LawFit:
    """The law fitted to some of the rows; resamples redraw what guessing scores."""
    fit = fit_law(sample.subset(chosen), law)
    return resampled(fit, baseline, resamples, seed) if resamples else fit


def _predicted(sample: Sample, fit: LawFit, chosen: Mask, level: float) -> Band:
    """Accuracy at some of the rows; with resamples the interval of a new run's."""
    return fit.new_run(sample.at.subset(chosen), level)


# -- what is asked for -----------------------------------------------------------------------------


def _chosen(
    laws: Sequence[str] | None, evaluations: Evaluations, proxy: str | None
) -> tuple[str, ...]:
    """The laws that are asked for, or those for which there are columns."""
    if laws is not None:
        for name in laws:
            law_named(name)  # or the error that says which there are
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
    """The proxy that is asked for, or the only one, if a law needs it."""
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
