r"""Logistic regression of success on one variable, by Newton's method, for many weightings of the
points at once.

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-(a + b x)}}, \qquad x_{50} = -a/b.

A finite maximum of the likelihood exists only where failures and successes overlap: where a point
separates them the likelihood grows for ever with b, and all that is known is that x50 lies between
the two (Albert and Anderson 1984, Biometrika 71, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["MEANINGS", "Logistic", "Midpoints", "fit_logistic", "midpoints"]

FITTED, SEPARATED, FALLING, REVERSED, ALL, NONE, UNKNOWN = (
    "fitted",
    "separated",
    "falling",
    "reversed",
    "all",
    "none",
    "unknown",
)
#: What is known of x50 in each case.
MEANINGS = {
    FITTED: "a finite maximum of the likelihood",
    SEPARATED: "every failure lies below every success: x50 lies between them, the slope has no "
    "finite estimate",
    FALLING: "success does not get likelier with x: there is no x50 above which it is the rule",
    REVERSED: "every success lies below every failure: there is no x50 above which success is the "
    "rule",
    ALL: "all succeed: x50 lies at or below the least x",
    NONE: "none succeeds: x50 lies at or above the greatest x",
    UNKNOWN: "failures and successes at a single x: nothing is known of x50",
}
STEPS, HALVINGS = 200, 60
#: Newton's decrement per point, twice what the log-likelihood may still gain; from there one more
#: step reaches the maximum to rounding: the steps converge quadratically.
NEAR = 1e-13


@dataclass(frozen=True, kw_only=True)
class Logistic:
    """A logistic regression on one variable.

    Attributes
    ----------
    outcome : str
        "fitted", or why there is no finite fit with a rising curve: a key of `MEANINGS`.
    intercept, slope : float or None
        a and b; None where the likelihood has no finite maximum.
    low, high : float
        x50 lies between these; equal where it is fitted, infinite where there is no bound.
    log_likelihood : float or None
    n, n_success : int
    """

    outcome: str
    intercept: float | None
    slope: float | None
    low: float
    high: float
    log_likelihood: float | None
    n: int
    n_success: int

    @property
    def midpoint(self) -> float | None:
        """x50, or None where it is not a number."""
        return self.low if self.low == self.high else None

    def probability(self, x: Any) -> Any:
        """P(success) at x, an array; ValueError where there is no finite fit."""
        if self.intercept is None or self.slope is None:
            raise ValueError(
                f"outcome={self.outcome!r}: there is no finite fit; {MEANINGS[self.outcome]}"
            )
        return np.exp(
            -np.logaddexp(0.0, -(self.intercept + self.slope * np.asarray(x, dtype=np.float64)))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Midpoints:
    """Logistic regressions of the same points under K weightings.

    Attributes
    ----------
    outcome : ndarray of str
        (K,), keys of `MEANINGS`.
    coefficients : ndarray
        (K, 2): intercept and slope, NaN where there is no finite fit.
    low, high : ndarray
        (K,): x50 lies between these.
    log_likelihood : ndarray
        (K,), NaN where there is no finite fit.
    """

    outcome: Any
    coefficients: Floats
    low: Floats
    high: Floats
    log_likelihood: Floats


def fit_logistic(x: Any, success: Any) -> Logistic:
    """The logistic regression of success on x.

    Parameters
    ----------
    x : array_like
        (n,), finite.
    success : array_like of bool
        (n,).

    Returns
    -------
    Logistic
        Where failures and successes do not overlap, bounds of x50 rather than an infinite fit.

    Raises
    ------
    ValueError
        Where there is no point, a shape differs, or an x is not finite.

    Examples
    --------
    >>> found = fit_logistic([1.0, 2.0, 3.0, 4.0], [False, True, False, True])
    >>> round(found.midpoint, 9), found.slope > 0.0
    (2.5, True)
    >>> fit_logistic([1.0, 2.0, 3.0, 4.0], [False, False, True, True]).outcome
    'separated'
    """
    places, won = _points(x, success)
    found = midpoints(places, won, np.ones((1, len(places))))
    finite = bool(np.isfinite(found.coefficients).all())
    intercept, slope = (float(value) if finite else None for value in found.coefficients[0])
    return Logistic(
        outcome=str(found.outcome[0]),
        intercept=intercept,
        slope=slope,
        low=float(found.low[0]),
        high=float(found.high[0]),
        log_likelihood=float(found.log_likelihood[0]) if finite else None,
        n=len(places),
        n_success=int(won.sum()),
    )


def midpoints(x: Any, success: Any, weights: Any) -> Midpoints:
    """The regression under each of K weightings: how often each point is drawn.

    Parameters
    ----------
    x : array_like
        (n,), finite.
    success : array_like of bool
        (n,).
    weights : array_like
        (K, n), >= 0, each with at least one point above 0.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.
    """
    places, won = _points(x, success)
    drawn = np.asarray(weights, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != len(places):
        raise outside("weights", f"an array of shape {drawn.shape}", f"of shape (K, {len(places)})")
    if not (np.isfinite(drawn).all() and (drawn >= 0.0).all() and (drawn > 0.0).any(axis=1).all()):
        raise ValueError("weights: must be finite, at least 0, and not all 0")
    failures, successes = _ends(places, drawn, ~won), _ends(places, drawn, won)
    outcome, low, high = _without_overlap(failures, successes)
    overlap = outcome == FITTED
    coefficients, likelihood = np.full((len(drawn), 2), np.nan), np.full(len(drawn), np.nan)
    if overlap.any():
        coefficients[overlap], likelihood[overlap] = _maximum(places, won, drawn[overlap])
        rising = coefficients[:, 1] > 0.0
        outcome[overlap & ~rising] = FALLING
        fitted = overlap & rising
        low[fitted] = high[fitted] = -coefficients[fitted, 0] / coefficients[fitted, 1]
    return Midpoints(
        outcome=outcome, coefficients=coefficients, low=low, high=high, log_likelihood=likelihood
    )


# -- where there is a maximum ------------------------------------------------------------------------------------------


def _ends(x: Floats, weights: Floats, chosen: Mask) -> tuple[Floats, Floats]:
    """Least and greatest x (K,) of the chosen points that are drawn; inf and -inf where none is."""
    drawn = (weights > 0.0) & chosen
    return np.where(drawn, x, np.inf).min(axis=1), np.where(drawn, x, -np.inf).max(axis=1)


def _without_overlap(
    failures: tuple[Floats, Floats], successes: tuple[Floats, Floats]
) -> tuple[Any, Floats, Floats]:
    """The outcome and the bounds of x50 as far as they follow from the extremes; "fitted" where the
    two overlap.
    """
    (fail_min, fail_max), (won_min, won_max) = failures, successes
    unbounded = np.full(len(fail_min), np.inf)
    none, every = np.isinf(won_min), np.isinf(fail_min)
    single = (fail_min == won_max) & (fail_max == won_min)
    conditions = [none, every, single, fail_max <= won_min, won_max <= fail_min]
    outcome = np.select(conditions, [NONE, ALL, UNKNOWN, SEPARATED, REVERSED], FITTED).astype(
        object
    )
    low = np.select(
        conditions, [fail_max, -unbounded, -unbounded, fail_max, -unbounded], -unbounded
    )
    high = np.select(conditions, [unbounded, won_min, unbounded, won_min, unbounded], unbounded)
    return outcome, low, high


# -- Newton ------------------------------------------------------------------------------------------------------------


def _maximum(x: Floats, won: Mask, weights: Floats) -> tuple[Floats, Floats]:
    """Coefficients (K, 2) and log-likelihoods (K,); the likelihood is strictly concave where
    failures and successes overlap.
    """
    centre, scale = x.mean(), x.std()
    z = (x - centre) / scale
    theta, target = np.zeros((len(weights), 2)), np.where(won, 1.0, 0.0)

    def likelihood(at: Floats, of: Floats) -> Floats:
        eta = at[:, :1] + at[:, 1:] * z
        return np.asarray((of * (target * eta - np.logaddexp(0.0, eta))).sum(axis=1))

    value, open_ = likelihood(theta, weights), np.arange(len(weights))
    for _ in range(STEPS):
        at, of = theta[open_], weights[open_]
        step, decrement = _step(at, of, z, target)
        last = decrement <= NEAR * of.sum(axis=1)
        theta[open_[last]] += step[last]
        open_, at, of, step = open_[~last], at[~last], of[~last], step[~last]
        if not len(open_):
            break
        share = np.ones((len(open_), 1))
        for _ in range(HALVINGS):
            worse = likelihood(at + share * step, of) < value[open_]
            if not worse.any():
                break
            share[worse] *= 0.5
        theta[open_] = at + share * step
        value[open_] = likelihood(theta[open_], of)
    else:
        raise RuntimeError(
            f"logistic regression: {len(open_)} fits have not settled in {STEPS} steps"
        )
    slope = theta[:, 1] / scale
    return np.column_stack([theta[:, 0] - slope * centre, slope]), likelihood(theta, weights)


def _step(theta: Floats, weights: Floats, z: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Newton's step (K, 2) and decrement (K,)."""
    p = np.exp(-np.logaddexp(0.0, -(theta[:, :1] + theta[:, 1:] * z)))
    rest, curve = weights * (target - p), weights * p * (1.0 - p)
    g0, g1 = rest.sum(axis=1), (rest * z).sum(axis=1)
    h00, h01, h11 = curve.sum(axis=1), (curve * z).sum(axis=1), (curve * z * z).sum(axis=1)
    determinant = h00 * h11 - h01 * h01
    step = np.column_stack(
        [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant]
    )
    return step, step[:, 0] * g0 + step[:, 1] * g1


def _points(x: Any, success: Any) -> tuple[Floats, Mask]:
    places, won = np.asarray(x, dtype=np.float64), np.asarray(success)
    if places.ndim != 1 or not len(places):
        raise outside(
            "x", f"an array of shape {places.shape}", "at least one number, in one dimension"
        )
    if not np.isfinite(places).all():
        raise outside("x", float(places[~np.isfinite(places)][0]), "finite")
    if won.shape != places.shape or won.dtype != np.bool_:
        raise outside(
            "success",
            f"{won.dtype} of shape {won.shape}",
            f"true or false for each of {len(places)} points",
        )
    return places, won
