"""pass@k of each group of counts at any list of k, as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import outside
from ..words import counted
from .estimator import log_fail, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

    from ..data.counts import Counts

__all__ = ["curve", "stopped"]

#: So many problems whose samples end with the same number of successes are no coincidence.
LEAST_STOPPED = 5


def curve(counts: Counts, ks: Iterable[int]) -> DataFrame:
    """pass@k of each group at each k: the mean over its problems.

    Parameters
    ----------
    counts : Counts
    ks : iterable of int
        At least 1 each, without repetitions.

    Returns
    -------
    DataFrame
        A row a group and k, both in order: the columns of ``counts.by``, k; `pass_at_k`, the mean
        over the problems with n >= k (NaN where there is none); `se`, its standard error sd/sqrt(P)
        with the P problems as a sample from a larger set, which contains the error of sampling;
        `neg_log`, -log of the mean in nats (inf where no sample is correct); `n_problems` in the
        mean, `n_unsolved` of them without a correct sample, and `n_refused`, with n < k and so
        without an unbiased estimate. `se` is NaN where it is unknown: for one problem, and where
        the estimates are all 0 or all 1.

    Raises
    ------
    ValueError
        Where a k is not a whole number of at least 1, or is given twice.

    Examples
    --------
    >>> from isoflop.numeric.data.counts import Counts
    >>> counts = Counts.read({"model": ["a", "a"], "problem": [1, 2], "n": [2, 4], "c": [0, 2]})
    >>> curve(counts, [1, 4])[["model", "k", "pass_at_k", "n_refused"]].to_numpy().tolist()
    [['a', 1, 0.25, 0], ['a', 4, 1.0, 1]]
    """
    from pandas import DataFrame

    draws = whole_numbers("k", list(ks), 1)
    if draws.ndim != 1 or not len(draws) or len(np.unique(draws)) < len(draws):
        raise outside("ks", draws.tolist(), "a list of different whole numbers")
    problems = DataFrame({"group": counts.group, "n": counts.n, "c": counts.c})
    each = problems.merge(DataFrame({"k": draws.astype(np.int64)}), how="cross")
    n, c, k = (each[name].to_numpy() for name in "nck")
    enough = n >= k
    log_f = np.full(len(each), np.nan)
    log_f[enough] = log_fail(n[enough], c[enough], k[enough])
    each["passed"], each["failed"] = -np.expm1(log_f) + 0.0, np.exp(log_f)
    each["unsolved"], each["refused"] = enough & (c == 0), ~enough
    found = each.groupby(["group", "k"], as_index=False).agg(
        pass_at_k=("passed", "mean"),
        se=("passed", "sem"),
        neg_log=("failed", "mean"),
        n_problems=("passed", "count"),
        n_unsolved=("unsolved", "sum"),
        n_refused=("refused", "sum"),
    )
    found["se"] = found.se.where((found.pass_at_k > 0.0) & (found.neg_log > 0.0))
    with np.errstate(divide="ignore"):  # the smaller of the two means keeps its digits
        logs = -np.log(found.pass_at_k), -np.log1p(-found.neg_log)
    found["neg_log"] = np.where(found.pass_at_k < 0.5, *logs) + 0.0
    labels = DataFrame(list(counts.labels), columns=list(counts.by), dtype=object)
    of_row = labels.iloc[found["group"]].reset_index(drop=True)
    return of_row.join(found.drop(columns="group"))


def stopped(counts: Counts) -> list[str]:
    """A sentence where sampling stopped at the first, or another fixed number of, successes.

    In such a group all problems with fewer than the most samples have the same number of correct
    ones, and no problem has more. Estimates take the number of samples as fixed beforehand, and are
    too high.
    """
    found = []
    for n, c in map(counts.per_group, range(len(counts))):
        short, most = c[n < n.max()], int(c.max())
        varied = len(np.unique(n)) > 2 and len(short) >= LEAST_STOPPED
        found += [most] if varied and most and (short == most).all() else []
    numbers, groups = " or ".join(map(str, sorted({*found}))), counted(len(found), "group")
    return [f"sampling stopped at success number {numbers} in {groups}"] if found else []
