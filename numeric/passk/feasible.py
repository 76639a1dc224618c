"""Whether any distribution of success rates can produce a table of pass@k: the nearest one that can, by linear programming.

The named inequalities of `isoflop.numeric.passk.inequalities` follow from complete monotonicity and are easy to read; they do not
exhaust it. pass@k over a list of k is a mean of the points (1 - (1 - p)^k1, ..., 1 - (1 - p)^kK) over the problems, so a table is
possible if and only if it lies in the convex hull of that curve. Its distance from the hull is a linear programme over the shares
of the success rates, and the dual solution is a linear inequality between the entries that every possible table obeys and this
one breaks most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import outside
from .curve import checked_ks

__all__ = ["Nearest", "nearest"]

Floats = NDArray[np.float64]

#: Success rates as l = -log(1 - p): from far below 1/k to where (1 - p)^k vanishes.
LEAST, MOST = 1e-6, 45.0
START, SCAN = 120, 4000
#: What the solver can tell from 0.
RESOLUTION = 1e-9
ROUNDS = 60
TOLERANCES, METHODS = (1e-10, 1e-8), ("highs", "highs-ds", "highs-ipm")


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest table that some distribution of success rates produces.

    Attributes
    ----------
    distance : float
        Largest difference in pass@k, in units of `scale`; about 1e-9 is what can be told from 0.
    lower : float
        A distance that is certain: the dual solution proves it.
    pass_at_k : ndarray of float64
        The nearest possible table.
    p, share : ndarray of float64
        A distribution of success rates that produces it: at most as many as there are k, and one.
    weights : ndarray of float64
        Every possible table has ``weights @ pass_at_k <= most``; for this one it exceeds by `distance`.
    most : float
    """

    distance: float
    lower: float
    pass_at_k: Any
    p: Any
    share: Any
    weights: Any
    most: float

    @property
    def feasible(self) -> bool:
        """Whether the table is possible, as far as can be told."""
        return self.lower <= RESOLUTION


def nearest(ks: Sequence[int], pass_at_k: ArrayLike, *, scale: ArrayLike | None = None) -> Nearest:
    """The possible table that is nearest to this one in its worst entry.

    Parameters
    ----------
    ks : sequence of int
        At least 1, different.
    pass_at_k : array_like
        An entry for each k.
    scale : array_like, optional
        What one unit of distance is at each k, > 0: the standard errors, say. By default 1.

    Returns
    -------
    Nearest

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> nearest([1, 2, 4], [0.1, 0.19, 0.3439]).feasible  # one success rate, 0.1
    True
    >>> round(nearest([1, 2], [0.1, 0.25]).distance, 4)  # both move until pass@2 = 2 pass@1 - pass@1^2
    0.0216
    """
    draws = checked_ks(ks).astype(np.float64)
    values = _entries("pass_at_k", pass_at_k, len(draws))
    unit = np.ones(len(draws)) if scale is None else _entries("scale", scale, len(draws))
    if not (unit > 0.0).all():
        raise outside("scale", unit.tolist(), "positive")
    scan = np.concatenate([[0.0], np.geomspace(LEAST / draws.max(), MOST, SCAN), [np.inf]])
    rates = scan[:: SCAN // START]
    lower, solution, weights, most = -np.inf, None, np.zeros(len(draws)), 0.0
    for _ in range(ROUNDS):
        curve = _curve(rates, draws)
        rows = np.concatenate([curve, -curve])
        solution = _solved(
            np.append(np.zeros(len(rates)), 1.0),
            A_ub=np.column_stack([rows, -np.tile(unit, 2)]),
            b_ub=np.concatenate([values, -values]),
            A_eq=np.append(np.ones(len(rates)), 0.0)[None, :],
            b_eq=[1.0],
        )
        slopes = solution.ineqlin.marginals
        weights = slopes[: len(draws)] - slopes[len(draws) :]
        heights = weights @ _curve(scan, draws)
        peaks = _refined(scan, heights, weights, draws)
        most = float((weights @ _curve(peaks, draws)).max())
        lower = max(lower, float(weights @ values) - most)
        if solution.fun - lower <= RESOLUTION:
            break
        rates = np.unique(np.concatenate([rates, peaks]))
    assert solution is not None
    shares = solution.x[:-1]
    used = shares > 0.0
    return Nearest(
        distance=max(float(solution.fun), 0.0),
        lower=max(lower, 0.0),
        pass_at_k=_curve(rates, draws) @ shares,
        p=-np.expm1(-rates[used]),
        share=shares[used],
        weights=weights,
        most=most,
    )


def _solved(cost: Floats, **constraints: Any) -> Any:
    """The solution of a linear programme; where the solver gives up, by another method or to less digits."""
    from scipy.optimize import linprog

    for tolerance in TOLERANCES:
        for method in METHODS:
            options = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            solution = linprog(cost, **constraints, method=method, options=options)
            if solution.status == 0:
                return solution
    raise ArithmeticError(f"linear programme: {solution.message}")


def _curve(rates: Floats, draws: Floats) -> Floats:
    """1 - (1 - p)^k, (K, P)."""
    return -np.expm1(-draws[:, None] * rates)


def _refined(scan: Floats, heights: Floats, weights: Floats, draws: Floats) -> Floats:
    """Where weights @ curve is highest: the local maxima of the scan, each searched between its neighbours."""
    inner = np.flatnonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:])) + 1
    inner = inner[(inner > 1) & (inner < len(scan) - 2)]
    low, high = np.log(scan[inner - 1]), np.log(scan[inner + 1])
    for _ in range(6):
        points = np.linspace(low, high, 17)
        best = np.argmax(np.tensordot(weights, -np.expm1(-draws[:, None, None] * np.exp(points)), 1), axis=0)
        low, high = (points[np.clip(best + step, 0, 16), np.arange(len(inner))] for step in (-1, 1))
    ends = scan[[0, 1, -2, -1]]
    return np.unique(np.concatenate([ends, np.exp((low + high) / 2.0)]))


def _entries(name: str, values: ArrayLike, n: int) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (n,) or not np.isfinite(found).all():
        raise outside(name, found.tolist(), f"{n} finite numbers, as there are k")
    return found
