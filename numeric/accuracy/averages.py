r"""The average of benchmarks as a benchmark of its own: the mean of normalised accuracies (Q -
Q_r)/(1 - Q_r).

Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix K.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TableError, number, outside
from ..words import counted

if TYPE_CHECKING:
    from ..data.evaluations import Evaluations
    from .baselines import Baseline

__all__ = ["AVERAGE", "averaged"]

#: What an average of the benchmarks beside it is called.
AVERAGE = "average"
#: How many benchmarks a reason names, those that cost most runs first.
MOST_NAMED = 3
MARGIN = "a number of at least 0 and below 1"


def averaged(
    evaluations: Evaluations,
    baselines: Mapping[str, Baseline | float],
    *,
    benchmarks: Sequence[str] | None = None,
    margin: float = 0.05,
) -> Evaluations:
    r"""The evaluations with one more benchmark, "average": the mean of others.

    .. math:: \bar Q = \frac{1}{m} \sum_{j=1}^{m} \frac{Q_j - Q_{r,j}}{1 - Q_{r,j}}

    Parameters
    ----------
    evaluations : Evaluations
    baselines : mapping
        Benchmark -> accuracy of guessing, as :func:`isoflop.numeric.accuracy.baselines.resolve`
        gives it.
    benchmarks : sequence of str, optional
        Those to average; by default all, but for pass@k with k > 1.
    margin : float
        Runs count where every one of the benchmarks exceeds guessing by more than this; in [0, 1).

    Returns
    -------
    Evaluations
        With a warning that says how many runs have no average, and why; and, where what guessing
        scores is an estimate, what its standard error would be on the average, for which it counts
        as known. The accuracy of guessing of the average is 0.

    Raises
    ------
    ValueError
        Where a benchmark or its baseline is unknown, or no run has an average.
    """
    names = _names(evaluations, benchmarks)
    margin = number("margin", margin, MARGIN)
    if not 0.0 <= margin < 1.0:
        raise outside("margin", margin, MARGIN)
    guessing, errors = (np.array(part) for part in zip(*_baselines(baselines, names), strict=True))
    accuracy = np.stack([evaluations.scores[key] for key in names])
    missing, low = np.isnan(accuracy), accuracy <= (guessing + margin)[:, None]
    normalised = (accuracy - guessing[:, None]) / (1.0 - guessing[:, None])
    kept = ~(missing | low).any(axis=0)
    summary = f"{AVERAGE!r}, the mean of {len(names)} benchmarks, is of {kept.sum()} of {counted(len(evaluations), 'run')}"
    if reasons := "; ".join(_reasons(names, missing, low, margin)):
        summary += f"; left out: {reasons}"
    if not kept.any():
        raise TableError(evaluations.source, summary)
    if errors.any():
        # dQ'/dQ_r = (Q' - 1)/(1 - Q_r), for each benchmark and run.
        shifts = (1.0 - normalised[:, kept]) * (errors / (1.0 - guessing))[:, None]
        shift = float(np.sqrt((shifts**2).sum(axis=0)).mean()) / len(names)
        summary += f"; what guessing scores is taken as exact, its standard errors are {shift:.2g} of the average"
    average = np.where(kept, normalised.mean(axis=0), np.nan)
    return replace(
        evaluations,
        scores={**evaluations.scores, AVERAGE: average},
        metric_types={**evaluations.metric_types, AVERAGE: "mean of normalised accuracy"},
        table_baselines={**evaluations.table_baselines, AVERAGE: 0.0},
        warnings=(*evaluations.warnings, summary),
    )


def _names(evaluations: Evaluations, benchmarks: Sequence[str] | None) -> list[str]:
    names = list(evaluations.benchmarks if benchmarks is None else benchmarks)
    if isinstance(benchmarks, str) or len(names) < 2 or len(set(names)) < len(names):
        raise ArgumentError("benchmarks", names, "at least 2 different benchmarks to average")
    for key in names:
        evaluations.require(key)
    if AVERAGE in (*evaluations.scores, *evaluations.proxies):
        raise ArgumentError("evaluations", complaint=f"have a column {AVERAGE!r} already")
    return names


def _baselines(
    baselines: Mapping[str, Baseline | float], names: Sequence[str]
) -> Iterator[tuple[float, float]]:
    """Value and standard error of every benchmark."""
    for key in names:
        if key not in baselines:
            complaint = f"has none for {key!r}; must have one for every benchmark of the average"
            raise ArgumentError("baselines", complaint=complaint)
        given: Any = baselines[key]
        yield float(getattr(given, "value", given)), float(getattr(given, "standard_error", 0.0))


def _reasons(names: Sequence[str], missing: Any, low: Any, margin: float) -> Iterator[str]:
    """How many runs have no average, each counted once, by its first reason; and which benchmarks
    it is for how often.
    """
    lacks = missing.any(axis=0)
    above = f"guessing + {margin:g}" if margin else "guessing"
    beneath = ~lacks & low.any(axis=0)
    for runs, cells, what in (
        (lacks, missing, "without"),
        (beneath, low, f"not above {above} on"),
    ):
        if runs.any():
            counts = cells[:, runs].sum(axis=1)
            order = [i for i in np.argsort(-counts, kind="stable") if counts[i]]
            named = ", ".join(f"{names[i]} ({counts[i]})" for i in order[:MOST_NAMED])
            rest = f" and {len(order) - MOST_NAMED} more" if len(order) > MOST_NAMED else ""
            yield f"{counted(int(runs.sum()), 'run')} {what} {named}{rest}"
