"""Runs that share a value up to a relative tolerance: the budgets of isoFLOP profiles, the ratios
D/N of rays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

#: Two values that differ by rounding alone count as equal.
ROUNDING = 1e-9


def clusters(values: Floats, tolerance: float, least: int) -> list[Indices]:
    """Disjoint sets of runs whose largest value is at most (1 + tolerance) times the smallest.

    The window that holds the most runs is taken first, of several the narrowest, then the next
    among the rest: a planned design is found as it was planned, and a cloud of runs gives its dense
    places.

    Parameters
    ----------
    values : ndarray
        (n,), > 0.
    tolerance : float
        > 0.
    least : int
        Smaller sets are left out.

    Returns
    -------
    list of ndarray
        Indices of the runs of each set, the sets by increasing value.
    """
    order = np.argsort(values, kind="stable")
    logs = np.log(values[order])
    width = np.log1p(tolerance) + ROUNDING
    left = np.ones(len(logs), dtype=bool)
    found: list[tuple[float, Indices]] = []
    while int(left.sum()) >= least:
        rest = np.flatnonzero(left)
        # A window never straddles one that was taken: whatever lies on both sides of it is further
        # apart than a window.
        ends = np.searchsorted(logs[rest], logs[rest] + width, side="right")
        counts = ends - np.arange(len(rest))
        most = int(counts.max())
        if most < least:
            break
        starts = np.flatnonzero(counts == most)
        spans = logs[rest[ends[starts] - 1]] - logs[rest[starts]]
        start = int(starts[int(spans.argmin())])
        members = rest[start : start + most]
        left[members] = False
        found.append((float(logs[members].mean()), order[members]))
    return [np.sort(members) for _, members in sorted(found, key=lambda entry: entry[0])]


def geometric_mean(values: Floats) -> float:
    """Exp of the mean log."""
    return float(np.exp(np.log(values).mean()))
