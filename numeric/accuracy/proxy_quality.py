r"""How well a proxy metric of a run tells its accuracy: a logistic curve through the runs, and a
rank correlation.

.. math:: Q = \frac{1}{1 + e^{-a L + b}}

by least squares of accuracy (Krajewski et al. 2025, arXiv 2512.08894, Section 4.2.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = ["proxy_quality"]

COLUMNS = ("benchmark", "proxy", "n", "spearman", "r2", "rmse", "a", "b", "note")
#: Starts of the search, for a proxy from -1 to 1: steepnesses of either sign, and arguments at the
#: middle of the range; so many of the best are followed.
STEEPNESSES, MIDDLES, FOLLOWED = np.geomspace(0.1, 100.0, 24), np.linspace(-1.0, 1.0, 31), 4


def proxy_quality(
    evaluations: Evaluations | Any,
    benchmarks: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
) -> DataFrame:
    """How well each proxy tells the accuracy on each benchmark.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
        Read by `Evaluations.read` where they are none yet.
    benchmarks : sequence of str, optional
        By default all.
    proxies : sequence of str, optional
        Losses and other metrics, any other column of numbers, or benchmarks, whose accuracy is then
        the proxy. By default every metric of the evaluations that is no accuracy. A benchmark is no
        proxy of itself.

    Returns
    -------
    pandas.DataFrame
        A row for each proxy and benchmark, the best R2 of a benchmark first: benchmark, proxy, n
        (runs with both), spearman (rank correlation of proxy and accuracy: near -1 for a good
        loss), r2, rmse, a and b of the logistic curve; NaN for what the runs cannot tell, which
        `note` explains.

    Raises
    ------
    ValueError
        Where a name is unknown, or there is no proxy or no benchmark.
    """
    from pandas import DataFrame

    from ..data.evaluations import Evaluations

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    names = {
        "benchmarks": tuple(read.benchmarks if benchmarks is None else benchmarks),
        "proxies": tuple(read.proxies if proxies is None else proxies),
    }
    for argument, given in names.items():
        if not given:
            raise ArgumentError(argument, given, f"at least one of those in {read.source}")
    rows = []
    for benchmark in names["benchmarks"]:
        read.require(benchmark)
        rows += [
            {"benchmark": benchmark, "proxy": proxy, "note": ""}
            | _quality(read.scores[benchmark], read.proxy(proxy))
            for proxy in names["proxies"]
            if proxy not in (benchmark, read.columns.get(benchmark))
        ]
    if not rows:
        domain = "others than the benchmark: it is no proxy of itself"
        raise ArgumentError("proxies", names["proxies"], domain)
    frame = DataFrame(rows, columns=COLUMNS)
    order = {name: place for place, name in enumerate(names["benchmarks"])}
    frame = frame.sort_values(["r2", "proxy"], ascending=[False, True])
    return frame.sort_values("benchmark", key=lambda column: column.map(order), kind="stable")


def _quality(scores: Floats, values: Floats) -> dict[str, Any]:
    """What one proxy tells of one benchmark."""
    from scipy.stats import spearmanr

    both = np.isfinite(values) & np.isfinite(scores)
    x, Q = values[both], scores[both]
    if (distinct := len(np.unique(x))) < 2:
        return {"n": len(Q), "note": f"the proxy takes {counted(distinct, 'value')}"}
    about = float(((Q - Q.mean()) ** 2).sum())
    if not about > 0.0:
        return {"n": len(Q), "note": "accuracy is constant"}
    a, b, squares = _logistic(x, Q)
    return {
        "n": len(Q),
        "spearman": float(spearmanr(x, Q).statistic),
        "r2": 1.0 - squares / about,
        "rmse": float(np.sqrt(squares / len(Q))),
        "a": a,
        "b": b,
    }


def _logistic(x: Floats, Q: Floats) -> tuple[float, float, float]:
    """a, b and the sum of squares of the closest curve, from the best points of a grid."""
    from scipy.optimize import least_squares
    from scipy.special import expit

    centre, scale = 0.5 * (x.min() + x.max()), 0.5 * np.ptp(x)
    z = (x - centre) / scale
    slopes = np.concatenate([-STEEPNESSES, [0.0], STEEPNESSES])
    grid = np.array([(m * (8.0 + abs(s)), s) for s in slopes for m in MIDDLES])
    squares = ((expit(grid[:, :1] + grid[:, 1:] * z) - Q) ** 2).sum(axis=1)

    def slope(p: Floats) -> Floats:
        phi = expit(p[0] + p[1] * z)
        return np.asarray((phi * (1.0 - phi))[:, None] * np.column_stack([np.ones_like(z), z]))

    ends = [
        least_squares(
            lambda p: expit(p[0] + p[1] * z) - Q, start, slope, xtol=1e-14, ftol=1e-14, gtol=1e-14
        )
        for start in grid[np.argsort(squares, kind="stable")[:FOLLOWED]]
    ]
    best = min(ends, key=lambda end: end.cost)
    c, s = best.x
    return float(s / scale), float(s * centre / scale - c), float(2.0 * best.cost)
