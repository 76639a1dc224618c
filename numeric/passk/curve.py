"""pass@k of each group of counts at any list of k: the mean over its problems, how sure it is, and
what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.counts import Counts
from ..errors import outside
from ..words import counted
from .estimator import covariance, estimated_covariance, log_fail, whole_numbers

__all__ = ["Curve", "curve", "stopped"]

Floats = NDArray[np.float64]
#: So many problems of a group whose samples end with the last of a fixed number of successes are no
#: chance.
LEAST_STOPPED = 5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curve:
    """pass@k by group and k; every array but ``ks`` has the shape (G, K).

    Attributes
    ----------
    counts : Counts
    ks : ndarray of int64, (K,)
    pass_at_k : ndarray of float64
        Mean over the problems with n >= k; NaN where there is none.
    se : ndarray of float64
        Standard error with the problems as a sample from a larger set, sd/sqrt(P) over P problems.
        It contains the error of sampling within problems. NaN for fewer than two, and where the
        estimates are all 0 or all 1: that they do not scatter does not make the mean certain.
    neg_log : ndarray of float64
        -log of the mean pass@k, in nats; inf where it is 0, NaN where there is none.
    n_problems, n_unsolved, n_refused : ndarray of int64
        Problems in the mean, those without a correct sample among them, and problems with n < k,
        for which there is no unbiased estimate: they are not in the mean.
    """

    counts: Counts
    ks: Any
    pass_at_k: Any
    se: Any
    neg_log: Any
    n_problems: Any
    n_unsolved: Any
    n_refused: Any

    @cached_property
    def se_sampling(self) -> Any:
        """Standard error of sampling alone, with the problems fixed, (G, K).

        The root of the summed variances of the estimates over P. Each is estimated without bias
        where 2k <= n; where n < 2k no unbiased estimate exists, and it is the exact variance at p =
        c/n. Both are 0 for c = 0 and c = n, where the samples show no variance.
        """
        n, c, pair = self.counts.pairs()
        n, c, k = np.broadcast_arrays(n[:, None], c[:, None], self.ks)
        varied, known = (c > 0) & (c < n) & (k <= n), 2 * k <= n
        variance = np.zeros(n.shape)
        unbiased, at_rate = varied & known, varied & ~known
        variance[unbiased] = estimated_covariance(*(x[unbiased] for x in (n, c, k, k)))
        n, c, k = n[at_rate], c[at_rate], k[at_rate]
        variance[at_rate] = covariance(n, c / n, k, k)
        return np.sqrt(_totals(self.counts, variance[pair])) / _or_nan(self.n_problems)

    @property
    def status(self) -> Any:
        """What each value is, (G, K): "estimate", "no success" (pass@k = 0, -log pass@k = inf),
        "all solved" (pass@k = 1), or "refused" where no problem has k samples.
        """
        cases = [self.n_problems == 0, self.neg_log == 0.0, self.pass_at_k == 0.0]
        return np.select(cases, ["refused", "all solved", "no success"], "estimate").astype(object)

    @property
    def complete(self) -> Any:
        """Where no problem was refused: elsewhere the mean is over fewer, possibly other problems;
        bool (G, K).
        """
        return self.n_refused == 0

    def rows(self) -> list[dict[str, Any]]:
        """A row a group and k: columns of ``counts.by``, k, pass_at_k, se, neg_log, n_problems,
        n_unsolved, n_refused, status.
        """
        names = ("pass_at_k", "se", "neg_log", "n_problems", "n_unsolved", "n_refused", "status")
        columns = {name: getattr(self, name).tolist() for name in names}
        return [
            dict(zip(self.counts.by, label, strict=True))
            | {"k": k}
            | {name: values[g][i] for name, values in columns.items()}
            for g, label in enumerate(self.counts.labels)
            for i, k in enumerate(self.ks.tolist())
        ]

    def __repr__(self) -> str:
        return f"<Curve of {len(self.counts)} groups at {len(self.ks)} k from {self.counts.source}>"


def curve(counts: Counts, ks: Iterable[int]) -> Curve:
    """pass@k of each group at each k.

    Parameters
    ----------
    counts : Counts
    ks : iterable of int
        At least 1 each, in any order, without repetitions.

    Returns
    -------
    Curve
        Problems without a correct sample stay, with pass@k = 0.

    Raises
    ------
    ValueError
        Where a k is no whole number of at least 1 or comes twice.

    Examples
    --------
    >>> from isoflop.numeric.data.counts import Counts
    >>> counts = Counts.read({"model": ["a", "a"], "problem": [1, 2], "n": [2, 4], "c": [0, 2]})
    >>> found = curve(counts, [1, 2, 4])
    >>> found.pass_at_k.round(4).tolist(), found.n_refused.tolist()
    ([[0.25, 0.4167, 1.0]], [[0, 0, 1]])
    """
    draws = np.asarray(list(ks))
    if draws.ndim != 1 or not len(draws) or draws.dtype.kind not in "iuf":
        raise outside("ks", draws.tolist(), "a list of whole numbers of at least 1")
    draws = whole_numbers("k", draws, 1).astype(np.int64)
    if len(np.unique(draws)) < len(draws):
        raise outside("ks", draws.tolist(), "different numbers")
    n, c, pair = counts.pairs()
    used = n[:, None] >= draws
    solved, missed = np.zeros(used.shape), np.zeros(used.shape)
    row, column = np.nonzero(used)
    log_f = log_fail(n[row], c[row], draws[column])
    solved[used], missed[used] = -np.expm1(log_f), np.exp(log_f)
    size = _totals(counts, used[pair])
    passed, failed = (_totals(counts, part[pair]) / _or_nan(size) for part in (solved, missed))
    away = np.where(used[pair], solved[pair] - passed[counts.group], 0.0)
    error = np.sqrt(_totals(counts, away**2) / np.where(size > 1, size - 1, np.nan) / _or_nan(size))
    with np.errstate(divide="ignore", invalid="ignore"):  # from the smaller of the two means
        neg_log = np.where(passed < 0.5, -np.log(passed), -np.log1p(-failed)) + 0.0
    return Curve(
        counts=counts,
        ks=draws,
        pass_at_k=passed,
        se=np.where((passed == 0.0) | (failed == 0.0), np.nan, error),
        neg_log=neg_log,
        n_problems=size.astype(np.int64),
        n_unsolved=_totals(counts, (used & (c == 0)[:, None])[pair]).astype(np.int64),
        n_refused=_totals(counts, ~used[pair]).astype(np.int64),
    )


def _totals(counts: Counts, values: Any) -> Floats:
    """Sums (G, K) over the problems of each group, of values (R, K)."""
    sums = [np.bincount(counts.group, column, len(counts)) for column in values.T]
    return np.stack(sums, axis=1)


def _or_nan(size: Any) -> Floats:
    return np.where(size > 0, size, np.nan)


def stopped(counts: Counts) -> list[str]:
    """That sampling stopped at the first success, or at another, a sentence for each such number.

    Within a group all problems with fewer samples than the most then have as many correct ones, and
    none has more. Estimates take the number of samples as fixed beforehand, and are too high.
    """
    found: dict[int, int] = {}
    for g in range(len(counts)):
        n, c = counts.per_group(g)
        short, last = n < n.max(), int(c.max())
        is_one = last and short.sum() >= LEAST_STOPPED and (c[short] == last).all()
        if is_one and len(np.unique(n[short])) > 1:
            found[last] = found.get(last, 0) + 1
    return [
        f"sampling stopped at {'the first success' if last == 1 else f'{last} successes'} in "
        f"{counted(groups, 'group')}"
        for last, groups in sorted(found.items())
    ]
