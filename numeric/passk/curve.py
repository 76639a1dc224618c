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
REFUSED = ("out", "solved")
#: So many problems of a group whose samples end with the last of a fixed number of successes are no
#: chance.
LEAST_STOPPED = 5
#: What a mean is: an estimate with an error; 0, with -log pass@k = inf; 1, with -log pass@k = 0; or
#: of no problem.
STATUSES = ESTIMATE, NO_SUCCESS, ALL_SOLVED, REFUSAL = (
    "estimate",
    "no success",
    "all solved",
    "refused",
)


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
        which are not in the mean.
    refused : {"out", "solved"}
        What was done with problems with n < k.
    """

    counts: Counts
    ks: Any
    pass_at_k: Any
    se: Any
    neg_log: Any
    n_problems: Any
    n_unsolved: Any
    n_refused: Any
    refused: str = "out"

    @cached_property
    def se_sampling(self) -> Any:
        """Standard error of sampling alone, with the problems fixed; computed when it is first
        asked for, (G, K).

        The root of the summed variances of the estimates over P. Each is estimated without bias
        where 2k <= n; where n < 2k no unbiased estimate exists, and it is the exact variance at p =
        c/n. Both are 0 for c = 0 and c = n, where the samples show no variance.
        """
        n, c, index = self.counts.pairs()
        sums = _sums(self.counts, index, _variances(n, c, self.ks))
        return np.sqrt(sums) / _or_nan(self.n_problems)

    @property
    def status(self) -> Any:
        """What the value is, (G, K): one of `STATUSES`."""
        found = np.full(self.pass_at_k.shape, ESTIMATE, dtype=object)
        found[self.pass_at_k == 0.0] = NO_SUCCESS
        found[self.neg_log == 0.0] = ALL_SOLVED
        found[self.n_problems == 0] = REFUSAL
        return found

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
        columns, status = (
            ("pass_at_k", "se", "neg_log", "n_problems", "n_unsolved", "n_refused"),
            self.status,
        )
        return [
            dict(zip(self.counts.by, label, strict=True))
            | {"k": int(k)}
            | {name: getattr(self, name)[g, i].item() for name in columns}
            | {"status": status[g, i]}
            for g, label in enumerate(self.counts.labels)
            for i, k in enumerate(self.ks)
        ]

    def __repr__(self) -> str:
        return f"<Curve of {len(self.counts)} groups at {len(self.ks)} k from {self.counts.source}>"


def curve(counts: Counts, ks: Iterable[int], *, refused: str = "out") -> Curve:
    """pass@k of each group at each k.

    Parameters
    ----------
    counts : Counts
    ks : iterable of int
        At least 1 each, in any order, without repetitions.
    refused : {"out", "solved"}
        No unbiased estimate exists where a problem has n < k samples. ``"out"``: such problems are
        left out of the mean and counted. ``"solved"``: they count as solved, pass@k = 1, as some
        published tables do. That is a convention to compare such tables with, never to fit: among
        problems that were sampled little because they looked hopeless it is far off.

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
    if refused not in REFUSED:
        raise outside("refused", refused, f"one of {', '.join(REFUSED)}")
    draws = checked_ks(ks)
    n, c, index = counts.pairs()
    log_f = np.zeros((len(n), len(draws)))
    short = n[:, None] < draws
    at = np.nonzero(~short)
    log_f[at] = log_fail(n[at[0]], c[at[0]], draws[at[1]])
    used = ~short | (refused == "solved")
    log_f[short] = -np.inf
    size = _sums(counts, index, used).astype(np.int64)
    share, missed = (np.where(used, x, 0.0) for x in (-np.expm1(log_f), np.exp(log_f)))
    passed, failed = (_sums(counts, index, part) / _or_nan(size) for part in (share, missed))
    certain = (passed == 0.0) | (failed == 0.0)
    squares = _squares(counts, index, share, used, passed)
    error = np.sqrt(squares / np.where(size > 1, size - 1, np.nan) / _or_nan(size))
    unsolved = (c == 0)[:, None] & ~short
    return Curve(
        counts=counts,
        ks=draws,
        pass_at_k=passed,
        se=np.where(certain, np.nan, error),
        neg_log=_neg_log(passed, failed),
        n_problems=size,
        n_unsolved=_sums(counts, index, unsolved).astype(np.int64),
        n_refused=_sums(counts, index, short).astype(np.int64),
        refused=refused,
    )


def checked_ks(ks: Iterable[int]) -> NDArray[np.int64]:
    """The list of k as an array, or a ValueError."""
    draws = np.asarray(list(ks))
    if draws.ndim != 1 or not len(draws) or draws.dtype.kind not in "iuf":
        raise outside("ks", draws.tolist(), "a list of whole numbers of at least 1")
    whole = whole_numbers("k", draws, 1).astype(np.int64)
    if len(np.unique(whole)) < len(whole):
        raise outside("ks", whole.tolist(), "different numbers")
    return whole


def _sums(counts: Counts, index: Any, values: Any) -> Floats:
    """Sums over the problems of each group (G, K), of values (U, K) at the pairs of counts."""
    columns = (column[index].astype(np.float64) for column in values.T)
    return np.stack([np.bincount(counts.group, column, len(counts)) for column in columns], axis=1)


def _squares(counts: Counts, index: Any, values: Floats, used: Any, mean: Floats) -> Floats:
    """Sums of squares about the mean of each group (G, K), not of squares less a square."""
    found = []
    for x, is_used, middle in zip(values.T, used.T, mean.T, strict=True):
        away = np.where(is_used[index], x[index] - middle[counts.group], 0.0)
        found.append(np.bincount(counts.group, away**2, len(counts)))
    return np.stack(found, axis=1)


def _or_nan(size: Any) -> Floats:
    return np.where(size > 0, size, np.nan)


def _neg_log(passed: Floats, failed: Floats) -> Floats:
    """-log of the mean, from the smaller of the two means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(passed < 0.5, -np.log(passed), -np.log1p(-failed)) + 0.0


def _variances(n: Any, c: Any, draws: Any) -> Floats:
    """Variance of the estimate of one problem (U, K): estimated without bias where 2k <= n, at p =
    c/n up to n, 0 beyond.
    """
    n, c, k = np.broadcast_arrays(n[:, None], c[:, None], draws)
    result = np.zeros(n.shape)
    varied = (c > 0) & (c < n) & (k <= n)
    known = varied & (2 * k <= n)
    plugged = varied & ~known
    result[known] = estimated_covariance(n[known], c[known], k[known], k[known])
    result[plugged] = covariance(n[plugged], c[plugged] / n[plugged], k[plugged], k[plugged])
    return result


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
