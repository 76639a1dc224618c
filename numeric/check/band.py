"""Simultaneous bands from resampled curves, and what a band says about a tolerance."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ...theory.typeset.numbers import Interval, Percent, Shortest
from ..results import Band, Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "CANNOT_TELL",
    "CONSISTENT",
    "INCONSISTENT",
    "SHARE",
    "SIGNED",
    "farthest",
    "flop",
    "reason",
    "round_percent",
    "simultaneous_band",
    "verdict",
]

CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"
#: A band is at least so wide, relative to the curve.
ROUNDING = 1e-12
#: More runs than so many times as many are no advice.
MOST_TIMES = 10
#: A measured share, and a difference, which has a sign.
SHARE, SIGNED = Percent(places=2), Percent(places=2, sign=True)


def round_percent(share: float) -> str:
    """A share that somebody chose.

    >>> round_percent(0.01), round_percent(0.125)
    ('1 %', '12.5 %')
    """
    return f"{100.0 * share:.3g} %"


def flop(compute: float, digits: int = 2) -> str:
    """Compute, with its unit.

    >>> flop(1.26e20)
    '1.3e20 FLOP'
    """
    return f"{Shortest(digits).text(compute)} FLOP"


def simultaneous_band(curve: Floats, deviations: Floats, level: float) -> Band:
    """A band that a share `level` of the resampled curves keeps to over the whole grid.

    Parameters
    ----------
    curve : ndarray
        (G,): the estimate.
    deviations : ndarray
        (K, G): resampled curves minus what they estimate.
    level : float
        Between 0 and 1.

    Returns
    -------
    Band
        curve +- q s, where s is the quantile `level` of \\|deviation\\| at each point and q that of
        the largest \\|deviation\\|/s of each resample: no point counts more than another.
    """
    size = np.abs(deviations)
    spread = np.quantile(size, level, axis=0)
    spread = np.maximum(spread, ROUNDING * max(1.0, float(np.abs(curve).max())))
    half = float(np.quantile(np.max(size / spread, axis=1), level)) * spread
    return Band(curve, curve - half, curve + half, level)


def verdict(band: Band, tolerance: float) -> str:
    """Consistent where the band lies within the tolerance of 0 throughout, inconsistent where it
    lies outside anywhere.
    """
    low, high = band.ends
    if ((low > tolerance) | (high < -tolerance)).any():
        return INCONSISTENT
    if ((low >= -tolerance) & (high <= tolerance)).all():
        return CONSISTENT
    return CANNOT_TELL


def farthest(band: Band) -> int:
    """Where on the grid the band lies farthest from 0, or, where it holds 0 throughout, comes
    nearest to leaving it.
    """
    low, high = band.ends
    return int(np.maximum(low, -high).argmax())


def reason(band: Band, compute: Floats, tolerance: float, more_runs: str) -> str:
    """Why a band is inconsistent, or what would settle what it leaves undecided; empty where it is
    consistent.

    A band narrows as the square root of the number of runs. Where the difference is within the
    tolerance throughout, the runs that settle the matter are those that bring the whole band
    within; where it is not, those that take the band out somewhere.
    """
    within, judged = round_percent(tolerance), verdict(band, tolerance)
    if judged == CONSISTENT:
        return ""
    if judged == INCONSISTENT:
        place = farthest(band)
        worst = difference_at(float(compute[place]), band[place])
        return f"the difference is {worst}, where the band lies farthest outside the tolerance of {within}"
    low, high = band.ends
    beyond = np.abs(band.value) - tolerance
    with np.errstate(divide="ignore"):
        times = ((high - low) / (2.0 * beyond)) ** 2
    if (beyond < 0.0).all():
        reach, needed = np.maximum(-low, high), float(times.max())
        place = int(reach.argmax())
        stands = f"the band reaches {SHARE.text(reach[place])} at {flop(compute[place])}, beyond the tolerance of {within}"
    else:
        times[beyond <= 0.0] = np.inf
        place, needed = int(times.argmin()), float(times.min())
        largest = difference_at(float(compute[place]), band[place])
        stands = f"the difference is {largest}, and the band reaches into the tolerance of {within}"
    if needed > MOST_TIMES:
        return (
            f"{stands}; more precise losses (repeated seeds) or a wider tolerance would settle it"
        )
    return f"{stands}; about {max(2, ceil(needed))} times as many runs would settle it: {more_runs}, there above all"


def difference_at(compute: float, difference: Estimate) -> str:
    """A relative difference with its interval, and where."""
    ends = Interval(SIGNED).text(difference.low, difference.high)
    return f"{SIGNED.text(difference.value)} {ends} at {flop(compute)}"
