"""Whether two estimates of the same quantity agree, by the interval of their difference."""

from __future__ import annotations

from ..results import Estimate

__all__ = ["TOLERANCE", "verdict"]

#: Share of an exponent up to which a difference counts as none.
TOLERANCE = 0.1


def verdict(difference: Estimate, tolerance: float) -> str:
    """What the interval of a difference says.

    Parameters
    ----------
    difference : Estimate
    tolerance : float
        The largest difference, without its sign, that counts as agreement; > 0.

    Returns
    -------
    str
        "agree" where the whole interval lies within the tolerance of 0, else "differ" where it
        excludes 0, else "cannot tell": an interval that merely holds 0 excludes no difference. "no
        resamples" without an interval.

    Examples
    --------
    >>> [
    ...     verdict(Estimate(0.0, *ends), 0.02)
    ...     for ends in ((-0.01, 0.015), (0.01, 0.05), (-0.3, 0.1), ())
    ... ]
    ['agree', 'differ', 'cannot tell', 'no resamples']
    """
    if difference.low is None or difference.high is None:
        return "no resamples"
    if -tolerance <= difference.low and difference.high <= tolerance:
        return "agree"
    return "differ" if difference.excludes(0.0) else "cannot tell"
