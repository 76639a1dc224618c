"""How well a proxy metric of a run tells its accuracy: their rank correlation (Krajewski et al. 2025,
arXiv 2512.08894, Section 4.2.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.evaluations import Evaluations
from ..errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

__all__ = ["rank_proxies"]


def rank_proxies(
    evaluations: Evaluations | Any,
    benchmarks: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
) -> DataFrame:
    """How well each proxy ranks the runs of each benchmark.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
    benchmarks : sequence of str, optional
        By default all.
    proxies : sequence of str, optional
        Losses and other metrics, any other column of numbers, or benchmarks, whose accuracy is then
        the proxy. By default every metric of the evaluations that is no accuracy. A benchmark is no
        proxy of itself.

    Returns
    -------
    pandas.DataFrame
        A row for each benchmark and proxy, of a benchmark the closest first: benchmark, proxy, n
        (runs with both), spearman (near -1 for a good loss; NaN where the proxy or the accuracy is
        constant).

    Raises
    ------
    ValueError
        Where a name is unknown, or there is no proxy or no benchmark.

    Examples
    --------
    >>> runs = {"N": [1e8, 1e9, 1e10], "acc_arc": [0.3, 0.4, 0.6], "loss_c4": [3.0, 2.7, 2.4]}
    >>> rank_proxies({**runs, "D": [1e10] * 3}).to_dict("list")
    {'benchmark': ['arc'], 'proxy': ['c4'], 'n': [3], 'spearman': [-1.0]}
    """
    from pandas import DataFrame

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    rows = []
    for place, benchmark in enumerate(read.benchmarks if benchmarks is None else benchmarks):
        read.require(benchmark)
        for proxy in read.proxies if proxies is None else proxies:
            if proxy not in (benchmark, read.columns.get(benchmark)):
                both = DataFrame({"x": read.proxy(proxy), "Q": read.scores[benchmark]}).dropna()
                rank = both["x"].rank().corr(both["Q"].rank()) if len(both) > 1 else float("nan")
                rows.append((place, -abs(rank), benchmark, proxy, len(both), rank))
    if not rows:
        complaint = f"there is none in {read.source} that is not the benchmark itself"
        raise ArgumentError("proxies", complaint=complaint)
    names = ["place", "size", "benchmark", "proxy", "n", "spearman"]
    found = DataFrame(rows, columns=names).sort_values(["place", "size"], kind="stable")
    return found.drop(columns=["place", "size"]).reset_index(drop=True)
