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
from .estimator import covariance, estimated_covariance, log_fail, whole_numbers

__all__ = ["Curve", "curve"]

Floats = NDArray[np.float64]
REFUSED = ("out", "solved")
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
        sums = _Means(self.counts, index, n[:, None] >= self.ks).total(_variances(n, c, self.ks))
        return np.sqrt(sums) / np.where(self.n_problems > 0, self.n_problems, np.nan)

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
    means = _Means(counts, index, ~short | (refused == "solved"))
    log_f[short] = -np.inf
    passed, failed = means(-np.expm1(log_f)), means(np.exp(log_f))
    unsolved = (c == 0)[:, None] & ~short
    return Curve(
        counts=counts,
        ks=draws,
        pass_at_k=passed,
        se=np.where(
            (passed == 0.0) | (failed == 0.0),
            np.nan,
            means.standard_error(-np.expm1(log_f), passed),
        ),
        neg_log=_neg_log(passed, failed),
        n_problems=means.size,
        n_unsolved=means.total(unsolved).astype(np.int64),
        n_refused=means.total(short).astype(np.int64),
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


class _Means:
    """Sums and means over the problems of each group, of what is known for each pair (n, c) and k."""

    def __init__(self, counts: Counts, index: Any, used: Any) -> None:
        self.counts, self.index, self.used = counts, index, used
        self.size = self.total(used).astype(np.int64)
        self.size_or_nan = np.where(self.size > 0, self.size, np.nan)

    def total(self, values: Any) -> Floats:
        """Sums over the problems of each group, of values (U, K): (G, K)."""
        return self._summed(column[self.index] for column in np.asarray(values, dtype=np.float64).T)

    def _summed(self, columns: Iterable[Floats]) -> Floats:
        group, n_groups = self.counts.group, len(self.counts)
        return np.stack([np.bincount(group, column, n_groups) for column in columns], axis=1)

    def __call__(self, values: Any) -> Floats:
        return self.total(np.where(self.used, values, 0.0)) / self.size_or_nan

    def standard_error(self, values: Any, mean: Floats) -> Floats:
        """sd/sqrt(P) with the sum of squares about the mean, not of squares less a square."""
        squares = self._summed(
            np.where(used[self.index], column[self.index] - middle[self.counts.group], 0.0) ** 2
            for used, column, middle in zip(self.used.T, values.T, mean.T, strict=True)
        )
        freedom = np.where(self.size > 1, self.size - 1, np.nan)
        return np.sqrt(squares / freedom / self.size_or_nan)


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
