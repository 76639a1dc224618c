r"""How well a proxy metric of a run tells its accuracy: a logistic curve through the runs, and a
rank correlation.

.. math:: Q = \frac{1}{1 + e^{-a L + b}}, \qquad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b.

The first is that of Krajewski et al. 2025 (arXiv 2512.08894, Section 4.2.1), the second has a floor
and a ceiling of its own. Both by least squares of accuracy, the global minimum; R2 = 1 - (sum of
squares about the curve)/(about the mean), RMSE over n.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.escapes import clean, latex_escaped
from ...theory.typeset.table import Column, Table, Words
from .links import LOGISTIC, MOST_STARTS, UNIT_LOGISTIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = ["ProxyQuality", "ProxyTable", "proxy_quality", "rank_correlation"]

LONGEST_NAME = 21


def _short(name: str) -> str:
    plain = clean(name)
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 3]}..."


COLUMNS = (
    Column("benchmark", of=lambda row: _short(row.benchmark), align="left"),
    Column("proxy", of=lambda row: _short(row.proxy), align="left"),
    Column("n", "runs"),
    Column("spearman", "rank\ncorr.", r"$\rho_S$"),
    Column("r2", "R2", "$R^2$"),
    Column("rmse", "RMSE"),
    Column("r2_four", "R2, four\ncoeff.", "$R^2_4$"),
    Column("rmse_four", "RMSE, four\ncoeff.", "RMSE$_4$"),
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
        Of the logistic curve from 0 to 1.
    a, b : float or None
        Its coefficients.
    r2_four, rmse_four : float or None
        Of the logistic curve with four coefficients.
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
    r2_four: float | None = None
    rmse_four: float | None = None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ProxyTable:
    """The proxies of each benchmark, the best R2 first.

    Attributes
    ----------
    rows : tuple of ProxyQuality
    source : str
        Where the evaluations come from.
    """

    rows: tuple[ProxyQuality, ...]
    source: str

    def of(self, benchmark: str) -> tuple[ProxyQuality, ...]:
        """The rows of a benchmark."""
        return tuple(row for row in self.rows if row.benchmark == benchmark)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"source": self.source, "proxies": [row.as_dict() for row in self.rows]}

    @property
    def table(self) -> Table:
        """A row for each proxy and benchmark."""
        notes = [f"{row.benchmark}, {row.proxy}: {row.note}" for row in self.rows if row.note]
        title = Words(
            f"accuracy by proxy, Q = 1/(1 + exp(-a L + b)), least squares; {self.source}",
            rf"Accuracy by proxy, $Q = 1/(1 + e^{{-a L + b}})$, least squares; "
            rf"{latex_escaped(self.source)}",
        )
        return Table(COLUMNS, self.rows, title=title, notes=notes)

    def __str__(self) -> str:
        return self.table.text()


def proxy_quality(
    evaluations: Evaluations | Any,
    benchmarks: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
    where: str | None = None,
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
    where : str, optional
        Condition on the runs, as in ``"compute <= 6e21"``.

    Returns
    -------
    ProxyTable

    Raises
    ------
    ValueError
        Where a name is unknown, or there is no proxy, no benchmark or no run.
    """
    from ..data.evaluations import Evaluations

    found = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    if where is not None:
        mask = found.mask(where)
        if not mask.any():
            raise ValueError(f"where={where!r}: leaves none of {len(found)} runs of {found.source}")
        found = found.subset(mask)
    asked = _names("benchmarks", benchmarks, found.benchmarks, "the evaluations have none")
    told = _names(
        "proxies",
        proxies,
        tuple(found.proxies),
        "the evaluations have no metric but accuracies; name those to compare",
    )
    for name in asked:
        found.require(name)
    scores = np.stack([found.scores[name] for name in asked])
    rows = []
    for proxy in told:
        others = [i for i, name in enumerate(asked) if proxy not in (name, found.columns.get(name))]
        values = found.proxy(proxy)
        if others:
            rows += _of_proxy(proxy, values, tuple(asked[i] for i in others), scores[others])
    if not rows:
        raise ValueError(f"proxies={list(told)!r}: a benchmark is no proxy of itself; name another")
    place = {name: i for i, name in enumerate(asked)}
    rows.sort(
        key=lambda row: (place[row.benchmark], -2.0 if row.r2 is None else -row.r2, row.proxy)
    )
    rows.sort(key=lambda row: (place[row.benchmark], row.r2 is None))
    return ProxyTable(rows=tuple(rows), source=found.source)


def rank_correlation(x: Any, y: Any) -> float | None:
    """Spearman's: the correlation of the ranks, equal values at their mean rank; None where either
    is constant.

    Examples
    --------
    >>> rank_correlation([1.0, 2.0, 3.0], [0.3, 0.2, 0.1])
    -1.0
    """
    a, b = _ranks(np.asarray(x, dtype=np.float64)), _ranks(np.asarray(y, dtype=np.float64))
    a, b = a - a.mean(), b - b.mean()
    size = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0.0 else None


def _ranks(values: Floats) -> Floats:
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - 0.5 * (counts - 1))[which])


def _names(
    argument: str, given: Sequence[str] | None, default: tuple[str, ...], empty: str
) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ValueError(f"{argument}={given!r}: must be a sequence of names")
    names = tuple(dict.fromkeys(default if given is None else given))
    if not names:
        raise ValueError(
            f"{argument}: {empty}" if given is None else f"{argument}: must name at least one"
        )
    return names


def _of_proxy(
    proxy: str, values: Floats, benchmarks: tuple[str, ...], scores: Floats
) -> list[ProxyQuality]:
    """The rows of one proxy: all benchmarks are fitted at once, each with the runs that it has."""
    finite = np.isfinite(values)
    values, scores = values[finite], scores[:, finite]
    has = np.isfinite(scores)
    rows = [
        ProxyQuality(benchmark=name, proxy=proxy, n=int(row.sum()))
        for name, row in zip(benchmarks, has, strict=True)
    ]
    distinct = [len(np.unique(values[row])) for row in has]
    if len(np.unique(values)) < 2:
        return [
            _noted(row, f"the proxy takes {count} value{'s' * (count != 1)}")
            for row, count in zip(rows, distinct, strict=True)
        ]
    observed, drawn = np.where(has, scores, 0.0), has.astype(np.float64)
    two, four = (
        link.refit(values, observed, drawn, most=MOST_STARTS) for link in (UNIT_LOGISTIC, LOGISTIC)
    )
    of_two, of_four = np.asarray(two.values), np.asarray(four.values)
    done = []
    for i, row in enumerate(rows):
        x, q = values[has[i]], scores[i][has[i]]
        if distinct[i] < UNIT_LOGISTIC.least:
            done.append(
                _noted(row, f"the proxy takes {distinct[i]} value{'s' * (distinct[i] != 1)}")
            )
            continue
        about = float(((q - q.mean()) ** 2).sum())
        notes = [] if about > 0.0 else ["accuracy is constant"]
        found: dict[str, Any] = {"spearman": rank_correlation(x, q)}
        if two.converged[i]:
            found |= _goodness("", of_two[i], about, len(q)) | dict(
                zip("ab", map(float, two.coefficients[i]), strict=True)
            )
        else:
            notes.append("no certified minimum")
        if four.converged[i]:
            found |= _goodness("_four", of_four[i], about, len(q))
        else:
            few = distinct[i] < LOGISTIC.least
            notes.append(
                f"four coefficients: {f'{distinct[i]} values' if few else 'no certified minimum'}"
            )
        done.append(
            ProxyQuality(
                benchmark=row.benchmark, proxy=proxy, n=row.n, **found, note="; ".join(notes)
            )
        )
    return done


def _goodness(suffix: str, squares: Any, about: float, n: int) -> dict[str, float | None]:
    left = max(float(squares), 0.0)
    return {
        f"r2{suffix}": 1.0 - left / about if about > 0.0 else None,
        f"rmse{suffix}": sqrt(left / n),
    }


def _noted(row: ProxyQuality, note: str) -> ProxyQuality:
    return ProxyQuality(benchmark=row.benchmark, proxy=row.proxy, n=row.n, note=note)
