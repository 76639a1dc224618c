"""The end of a profile interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def profile_end(
    rise: Callable[[float], float],
    allowed: float,
    best: float,
    limit: float,
    *,
    first: float | None = None,
    precision: float = 1e-10,
) -> float | None:
    """One end of a profile interval, for any objective.

    Parameters
    ----------
    rise : callable
        Value -> how much worse the best fit with this value held is than the best of all, in any
        units; it may begin where the last refit ended.
    allowed : float
        The rise at the end.
    best : float
        The value of the best fit.
    limit : float
        How far the end is sought.
    first : float, optional
        The first value that is tried, each further one being twice the last; by default the limit.
    precision : float
        Relative.

    Returns
    -------
    float or None
        None where no value up to the limit is worse than is allowed.
    """
    from scipy.optimize import brentq

    # Each value once: sought from elsewhere, the minimum that is found need not be the same.
    known = {best: -allowed}

    def excess(value: float) -> float:
        if value not in known:
            known[value] = rise(value) - allowed
        return known[value]

    inside, outside = best, limit if first is None else first
    while not excess(outside) > 0.0:
        if first is None or 2.0 * outside > limit:
            return None
        inside, outside = outside, 2.0 * outside
    closest = precision * max(abs(inside), abs(outside))
    return float(brentq(excess, inside, outside, xtol=closest, rtol=precision))
