r"""The profile likelihood of the midpoint of a rising logistic regression.

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-b (x - c)}}, \; b \ge 0, \qquad
    \{c : 2 [\ell_{\max} - \max_{b \ge 0} \ell(c, b)] \le \chi^2_{1; q}\}.

The likelihood is concave in (-b c, b), so that what it does not rule out is an interval. As c goes to -inf with b c fixed, every
x has one probability of at least 1/2: where that is not ruled out, the interval has no lower end; above likewise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .logistic import midpoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["profile", "profile_interval"]

HALVINGS, DOUBLINGS = 45, 200
#: Newton's steps; an error of the slope moves the greatest likelihood by its square alone.
STEPS, CLOSE = 100, 1e-7
#: At a slope that moves the nearest x this far the likelihood has reached its limit.
STEEP = 50.0


def profile_interval(x: Any, success: Any, weights: Any, level: float) -> tuple[float, float]:
    """Ends of the interval of the midpoint c, infinite where the points do not bound it.

    Parameters
    ----------
    x : array_like
        (n,), finite.
    success : array_like of bool
        (n,).
    weights : array_like
        (n,), > 0: what each point counts.
    level : float
        Nominal coverage; half of the rest lies beyond each end.

    Examples
    --------
    >>> profile_interval([1.0, 2.0, 3.0, 4.0], [True] * 4, [1.0] * 4, 0.9)[0]
    -inf
    """
    from scipy.stats import chi2

    places, won, counts = np.asarray(x, dtype=np.float64), np.asarray(success), np.asarray(weights, dtype=np.float64)
    share = float(counts[won].sum() / counts.sum())
    total = float(counts.sum())
    at_ends = (total * _bernoulli(share, max(share, 0.5)), total * _bernoulli(share, min(share, 0.5)))
    best, middle = _best(places, won, counts)
    least = max(best, *at_ends) - 0.5 * float(chi2.ppf(level, 1))

    def held(c: float) -> bool:
        return profile(places, won, counts, c) >= least

    open_below, open_above = (value >= least for value in at_ends)
    if open_below and open_above:
        return -np.inf, np.inf
    width = float(np.ptp(places)) or 1.0
    inside = middle
    if open_below:
        inside = next(c for c in _outward(float(places.min()), -width) if held(c))
    elif open_above:
        inside = next(c for c in _outward(float(places.max()), width) if held(c))
    low = -np.inf if open_below else _edge(held, inside, -width)
    high = np.inf if open_above else _edge(held, inside, width)
    return low, high


def profile(x: Floats, won: Any, weights: Floats, c: float) -> float:
    """The greatest log-likelihood over slopes b >= 0 for the midpoint c, in which it is concave."""
    z = x - c
    away = np.abs(z[z != 0.0])
    if not len(away):
        return float(weights.sum() * np.log(0.5))
    target = np.where(won, 1.0, 0.0)

    def value(b: float) -> float:
        return float((weights * (target * b * z - np.logaddexp(0.0, b * z))).sum())

    def slopes(b: float) -> tuple[float, float]:
        p = np.exp(-np.logaddexp(0.0, -b * z))
        return float((weights * z * (target - p)).sum()), -float((weights * z * z * p * (1.0 - p)).sum())

    steepest = STEEP / float(away.min())
    if slopes(0.0)[0] <= 0.0:
        return value(0.0)
    if slopes(steepest)[0] >= 0.0:
        return value(steepest)
    return value(_root(slopes, steepest))


def _root(slopes: Any, high: float) -> float:
    """Where the first of the two, the slope of a concave function that rises at 0, vanishes: Newton between bounds."""
    low, b = 0.0, 0.0
    for _ in range(STEPS):
        first, second = slopes(b)
        low, high = (b, high) if first > 0.0 else (low, b)
        step = b - first / second if second else np.inf
        last, b = b, step if low <= step <= high else 0.5 * (low + high)
        if abs(b - last) <= CLOSE * b:
            break
    return b


def _best(x: Floats, won: Any, weights: Floats) -> tuple[float, float]:
    """The greatest log-likelihood at a finite midpoint with a rising curve, and that midpoint; -inf where there is none."""
    found = midpoints(x, won, weights[None])
    low, high = float(found.low[0]), float(found.high[0])
    if not (np.isfinite(low) and np.isfinite(high)):
        return -np.inf, float("nan")
    middle = 0.5 * (low + high)
    return profile(x, won, weights, middle), middle


def _bernoulli(share: float, p: float) -> float:
    """Mean log-likelihood of a share of successes under the probability p."""
    return (share * float(np.log(p)) if share else 0.0) + ((1.0 - share) * float(np.log1p(-p)) if share < 1.0 else 0.0)


def _outward(start: float, step: float) -> Any:
    return (start + step * 2.0**i for i in range(DOUBLINGS))


def _edge(held: Any, inside: float, step: float) -> float:
    """Where what is held ends, from a place inside on."""
    outside = next(c for c in _outward(inside, step) if not held(c))
    for _ in range(HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if held(middle) else (inside, middle)
    return inside
