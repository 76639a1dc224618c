r"""Logistic regression of success on one variable, under many weightings of the points at once.

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-(a + b x)}}, \qquad x_{50} = -a/b.

A finite maximum of the likelihood exists only where failures and successes overlap. Where a point
separates them, all that is known is that x50 lies between the two (Albert and Anderson 1984,
Biometrika 71, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["MEANINGS", "Logistic", "fit_logistic"]

#: What is known of x50, by outcome.
MEANINGS = {
    "fitted": "a finite maximum of the likelihood",
    "separated": "every failure lies below every success: x50 lies between them, the slope has no "
    "finite estimate",
    "falling": "success does not get likelier with x: there is no x50 above which it is the rule",
    "reversed": "every success lies below every failure: there is no x50 above which success is "
    "the rule",
    "all": "all succeed: x50 lies at or below the least x",
    "none": "none succeeds: x50 lies at or above the greatest x",
    "unknown": "failures and successes at a single x: nothing is known of x50",
}
#: Newton's steps; the last but one left a decrement of less than this per point.
STEPS, NEAR = 200, 1e-13


@dataclass(frozen=True, eq=False)
class Logistic:
    """Logistic regressions of the same points under K weightings.

    Attributes
    ----------
    outcome : ndarray of str
        (K,): a key of `MEANINGS`.
    coefficients : ndarray
        (K, 2): intercept a and slope b; NaN where the likelihood has no finite maximum.
    low, high : ndarray
        (K,): x50 lies between these; equal where it is fitted, infinite where there is no bound.
    """

    outcome: Any
    coefficients: Floats
    low: Floats
    high: Floats

    def probability(self, x: ArrayLike) -> Floats:
        """P(success) at x under the first weighting; NaN where there is no finite fit."""
        intercept, slope = self.coefficients[0]
        return np.asarray(np.exp(-np.logaddexp(0.0, -(intercept + slope * np.asarray(x)))))


def fit_logistic(x: ArrayLike, success: ArrayLike, weights: ArrayLike | None = None) -> Logistic:
    """The logistic regression of success on x.

    Parameters
    ----------
    x : array_like of shape (n,)
    success : array_like of bool, of shape (n,)
    weights : array_like of shape (K, n), optional
        How often each point counts in each of K regressions; by default once, in one regression.

    Examples
    --------
    >>> fit = fit_logistic([1.0, 2.0, 3.0, 4.0], [False, True, False, True])
    >>> print(fit.outcome[0], fit.low.round(9))
    fitted [2.5]
    >>> fit_logistic([1.0, 2.0, 3.0, 4.0], [False, False, True, True]).outcome[0]
    'separated'
    """
    places, won = np.asarray(x, dtype=np.float64), np.asarray(success, dtype=bool)
    drawn = np.ones((1, len(places))) if weights is None else np.asarray(weights, dtype=np.float64)

    def ends(chosen: Any) -> tuple[Floats, Floats]:
        """Least and greatest x of the points that are drawn; inf and -inf where none is."""
        here = (drawn > 0.0) & chosen
        return np.where(here, places, np.inf).min(axis=1), np.where(here, places, -np.inf).max(
            axis=1
        )

    (fail_min, fail_max), (won_min, won_max) = ends(~won), ends(won)
    known = {
        "none": np.isinf(won_min),
        "all": np.isinf(fail_min),
        "unknown": (fail_min == won_max) & (fail_max == won_min),
        "separated": fail_max <= won_min,
        "reversed": won_max <= fail_min,
    }
    outcome = np.select([*known.values()], [*known], "fitted").astype(object)
    low = np.where(np.isin(outcome, ["none", "separated"]), fail_max, -np.inf)
    high = np.where(np.isin(outcome, ["all", "separated"]), won_min, np.inf)
    coefficients = np.full((len(drawn), 2), np.nan)
    overlap = np.flatnonzero(outcome == "fitted")
    if len(overlap):
        coefficients[overlap] = _maximum(places, won, drawn[overlap])
        intercept, slope = coefficients[overlap].T
        outcome[overlap[slope <= 0.0]] = "falling"
        rising = overlap[slope > 0.0]
        low[rising] = high[rising] = (-intercept / slope)[slope > 0.0]
    return Logistic(outcome, coefficients, low, high)


def _maximum(x: Floats, won: Any, weights: Floats) -> Floats:
    """Coefficients (K, 2) by damped Newton steps: the likelihood is strictly concave where failures
    and successes overlap.
    """
    centre, scale = x.mean(), x.std()
    design = np.stack([np.ones_like(x), (x - centre) / scale])

    def likelihood(theta: Floats) -> Floats:
        eta = theta @ design
        return np.asarray((weights * (won * eta - np.logaddexp(0.0, eta))).sum(axis=1))

    theta = np.zeros((len(weights), 2))
    for _ in range(STEPS):
        p = np.exp(-np.logaddexp(0.0, -(theta @ design)))
        slope = (weights * (won - p)) @ design.T
        curvature = np.einsum("kn,in,jn->kij", weights * p * (1.0 - p), design, design)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        decrement = (step * slope).sum(axis=1)
        value = likelihood(theta)
        settled = decrement <= NEAR * weights.sum(axis=1)
        while not settled.all() and (worse := (likelihood(theta + step) < value) & ~settled).any():
            step[worse] *= 0.5
        theta += step
        if settled.all():
            break
    else:
        raise RuntimeError(f"logistic regression: has not settled in {STEPS} steps")
    return np.column_stack([theta[:, 0] - theta[:, 1] * centre / scale, theta[:, 1] / scale])
