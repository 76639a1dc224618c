r"""The average of benchmarks as a benchmark, the mean of normalised accuracies (Q - Q_r)/(1 - Q_r);
and the rank correlation of proxy metrics with accuracy.

Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix K and Section 4.2.1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.evaluations import Evaluations
from ..errors import ArgumentError, TableError
from ..words import counted
from .law import MARGIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pandas import DataFrame

    from .baselines import Baseline

__all__ = ["AVERAGE", "averaged", "rank_proxies"]

#: The name of the average among the benchmarks.
AVERAGE = "average"


def averaged(
    evaluations: Evaluations,
    baselines: Mapping[str, Baseline],
    *,
    benchmarks: Sequence[str] | None = None,
) -> Evaluations:
    r"""The evaluations with one more benchmark, "average", the mean of others, at the runs where each
    of these exceeds guessing by more than `MARGIN`; a warning says how many do not.

    .. math:: \bar Q = \frac{1}{m} \sum_{j=1}^{m} \frac{Q_j - Q_{r,j}}{1 - Q_{r,j}}

    Parameters
    ----------
    evaluations : Evaluations
    baselines : mapping
        Benchmark -> accuracy of guessing, as :func:`isoflop.numeric.accuracy.baselines.resolve`
        gives it. It counts as known; that of the average is 0.
    benchmarks : sequence of str, optional
        The benchmarks to average; by default all except pass@k with k > 1.

    Raises
    ------
    ValueError
        Where a benchmark or its baseline is unknown, or no run has an average.
    """
    names = list(evaluations.benchmarks if benchmarks is None else benchmarks)
    if len(names) < 2 or len({*names}) < len(names):
        raise ArgumentError("benchmarks", names, "at least 2 different benchmarks to average")
    if AVERAGE in (*evaluations.scores, *evaluations.proxies):
        raise ArgumentError("evaluations", complaint=f"have a column {AVERAGE!r} already")
    for key in names:
        evaluations.require(key)
        if key not in baselines:
            complaint = f"has none for {key!r}; must have one for every benchmark of the average"
            raise ArgumentError("baselines", complaint=complaint)
    guessing = np.array([[baselines[key].value] for key in names])
    accuracy = np.stack([evaluations.scores[key] for key in names])
    missing = np.isnan(accuracy).any(axis=0)
    low = ~missing & (accuracy <= guessing + MARGIN).any(axis=0)
    kept = ~(missing | low)
    summary = (
        f"{AVERAGE!r}, the mean of {len(names)} benchmarks, is of {kept.sum()} of "
        f"{counted(len(evaluations), 'run')}: {missing.sum()} lack a score, {low.sum()} are not "
        f"above guessing + {MARGIN:g} on all"
    )
    if not kept.any():
        raise TableError(evaluations.source, summary)
    normalised = (accuracy - guessing) / (1.0 - guessing)
    return replace(
        evaluations,
        frame=evaluations.frame.assign(
            **{AVERAGE: np.where(kept, normalised.mean(axis=0), np.nan)}
        ),
        metric_types={**evaluations.metric_types, AVERAGE: None},
        table_baselines={**evaluations.table_baselines, AVERAGE: 0.0},
        warnings=(*evaluations.warnings, summary),
    )


def rank_proxies(
    evaluations: Evaluations | Any,
    benchmarks: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
) -> DataFrame:
    """The rank correlation of each proxy with the accuracy on each benchmark.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
    benchmarks : sequence of str, optional
        By default all.
    proxies : sequence of str, optional
        Losses and other metrics, any other column of numbers, or benchmarks, whose accuracy is then
        the proxy. By default every metric of the evaluations other than accuracies. A benchmark is
        not a proxy of itself.

    Returns
    -------
    pandas.DataFrame
        A row for each benchmark and proxy, the closest proxy of a benchmark first: benchmark, proxy,
        n (runs with both), spearman (near -1 for a good loss; NaN where the proxy or the accuracy is
        constant).

    Raises
    ------
    ValueError
        Where a name is unknown, or there is no proxy or no benchmark.

    Examples
    --------
    >>> runs = {"N": [1e8, 1e9, 1e10], "D": [1e10] * 3, "c4": [3.0, 2.7, 2.4]}
    >>> table = {**runs, "benchmark": ["arc"] * 3, "score": [0.3, 0.4, 0.6]}
    >>> rank_proxies(table, proxies=["c4"]).to_dict("list")
    {'benchmark': ['arc'], 'proxy': ['c4'], 'n': [3], 'spearman': [-1.0]}
    """
    from pandas import DataFrame

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    rows = []
    for place, benchmark in enumerate(read.benchmarks if benchmarks is None else benchmarks):
        read.require(benchmark)
        for proxy in read.proxies if proxies is None else proxies:
            if proxy != benchmark:
                both = DataFrame({"x": read.proxy(proxy), "Q": read.scores[benchmark]}).dropna()
                rank = both["x"].rank().corr(both["Q"].rank()) if len(both) > 1 else float("nan")
                rows.append((place, -abs(rank), benchmark, proxy, len(both), rank))
    if not rows:
        complaint = f"there is none in {read.source} that is not the benchmark itself"
        raise ArgumentError("proxies", complaint=complaint)
    names = ["place", "size", "benchmark", "proxy", "n", "spearman"]
    found = DataFrame(rows, columns=names).sort_values(["place", "size"], kind="stable")
    return found.drop(columns=["place", "size"]).reset_index(drop=True)
