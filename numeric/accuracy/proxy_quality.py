r"""How well a proxy metric of a run tells its accuracy: a logistic curve through the runs, and a
rank correlation.

.. math:: Q = \frac{1}{1 + e^{-a L + b}}

by least squares of accuracy (Krajewski et al. 2025, arXiv 2512.08894, Section 4.2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..errors import ArgumentError
from ..words import counted
from .links import UNIT_LOGISTIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = ["ProxyQuality", "ProxyTable", "proxy_quality"]

COLUMNS = (
    Column("benchmark", align="left"),
    Column("proxy", align="left"),
    Column("n", "runs"),
    Column("spearman", "rank\ncorr.", r"$\rho_S$"),
    Column("r2", "R2", "$R^2$"),
    Column("rmse", "RMSE"),
    Column("a"),
    Column("b"),
)


@dataclass(frozen=True, kw_only=True)
class ProxyQuality:
    """One proxy for one benchmark; None for what the runs cannot tell, which `note` explains.

    Attributes
    ----------
    benchmark, proxy : str
    n : int
        Runs with both.
    spearman : float or None
        Rank correlation of proxy and accuracy: near -1 for a good loss.
    r2, rmse : float or None
        Of the logistic curve: 1 - (sum of squares about the curve)/(about the mean), and the root
        of the mean square.
    a, b : float or None
        Its coefficients.
    note : str
    """

    benchmark: str
    proxy: str
    n: int
    spearman: float | None = None
    r2: float | None = None
    rmse: float | None = None
    a: float | None = None
    b: float | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class ProxyTable(Shown):
    """The proxies of each benchmark, the best R2 first.

    Attributes
    ----------
    rows : tuple of ProxyQuality
    source : str
        Where the evaluations come from.
    """

    rows: tuple[ProxyQuality, ...]
    source: str

    def tables(self) -> tuple[Table, ...]:
        """A row for each proxy and benchmark."""
        notes = [f"{row.benchmark}, {row.proxy}: {row.note}" for row in self.rows if row.note]
        title = f"accuracy by proxy, Q = 1/(1 + exp(-a L + b)), least squares; {self.source}"
        return (Table(COLUMNS, self.rows, title=title, notes=notes),)


def proxy_quality(
    evaluations: Evaluations | Any,
    benchmarks: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
) -> ProxyTable:
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
    ProxyTable

    Raises
    ------
    ValueError
        Where a name is unknown, or there is no proxy or no benchmark.
    """
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
        others = [
            _quality(benchmark, proxy, read.scores[benchmark], read.proxy(proxy))
            for proxy in names["proxies"]
            if proxy not in (benchmark, read.columns.get(benchmark))
        ]
        rows += sorted(others, key=lambda row: (row.r2 is None, -(row.r2 or 0.0), row.proxy))
    if not rows:
        domain = "others than the benchmark: it is no proxy of itself"
        raise ArgumentError("proxies", names["proxies"], domain)
    return ProxyTable(rows=tuple(rows), source=read.source)


def _quality(benchmark: str, proxy: str, scores: Floats, values: Floats) -> ProxyQuality:
    from scipy.stats import spearmanr

    both = np.isfinite(values) & np.isfinite(scores)
    x, q = values[both], scores[both]
    named: dict[str, Any] = {"benchmark": benchmark, "proxy": proxy, "n": len(q)}
    distinct = len(np.unique(x))
    if distinct < UNIT_LOGISTIC.least:
        return ProxyQuality(**named, note=f"the proxy takes {counted(distinct, 'value')}")
    about = float(((q - q.mean()) ** 2).sum())
    if not about > 0.0:
        return ProxyQuality(**named, note="accuracy is constant")
    named["spearman"] = float(spearmanr(x, q).statistic)
    curve = UNIT_LOGISTIC.fit(x, q)
    if not (curve.converged and np.isfinite(curve.values).all()):
        return ProxyQuality(**named, note="no certified minimum")
    squares = max(curve.objective_value, 0.0)
    return ProxyQuality(
        **named,
        r2=1.0 - squares / about,
        rmse=float(np.sqrt(squares / len(q))),
        a=curve.coefficients["a"],
        b=curve.coefficients["b"],
    )
