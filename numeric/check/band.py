"""Simultaneous bands from resampled curves, what a band says about a tolerance, and what would
settle the matter.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ..results import Band
from .phrases import flop, in_percent, percent, round_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "CANNOT_TELL",
    "CONSISTENT",
    "INCONSISTENT",
    "advice",
    "farthest",
    "simultaneous_band",
    "verdict",
]

CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"
#: A band is at least so wide, relative to the curve.
ROUNDING = 1e-12
#: More runs than so many times as many are no advice.
MOST_TIMES = 10
#: A difference of less than so many tolerances is near the tolerance.
NEAR = 1.5


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
        the largest \\|deviation\\|/s of each resample: no point counts more than another, however
        its tails are.
    """
    size = np.abs(deviations)
    spread = np.quantile(size, level, axis=0)
    spread = np.maximum(spread, ROUNDING * max(1.0, float(np.abs(curve).max())))
    largest = np.max(size / spread, axis=1)
    half = float(np.quantile(largest, level)) * spread
    return Band(curve, curve - half, curve + half, level)


def verdict(band: Band, tolerance: float) -> str:
    """Consistent where the band lies within the tolerance of 0 throughout, inconsistent where it
    leaves it anywhere.
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


def advice(band: Band, compute: Floats, tolerance: float, more_runs: str) -> str:
    """One sentence about a band that neither keeps to the tolerance nor leaves it.

    A band narrows as the square root of the number of runs. Where the difference is within the
    tolerance throughout, the runs that settle the matter are those that bring the whole band
    within; where it is not, those that take the band out somewhere.
    """
    low, high = band.ends
    half = (high - low) / 2.0
    beyond = np.abs(band.value) - tolerance
    within = round_percent(tolerance)
    with np.errstate(divide="ignore"):
        times = (half / beyond) ** 2
    if (beyond < 0.0).all():
        reach = np.maximum(np.abs(low), np.abs(high))
        place = int(reach.argmax())
        stands = f"the band reaches {percent(reach[place])} at {flop(compute[place])} FLOP, beyond the tolerance of {within}"
        needed = float(times.max())
    else:
        times = np.where(beyond > 0.0, times, np.inf)
        place = int(times.argmin()) if np.isfinite(times).any() else int(beyond.argmax())
        stands = f"the difference is {in_percent(band[place])} at {flop(compute[place])} FLOP, {_beyond(band, place, tolerance)}"
        needed = float(times[place])
    if needed > MOST_TIMES:
        return (
            f"{stands}; more precise losses (repeated seeds) or a wider tolerance would settle it"
        )
    return f"{stands}; about {max(2, ceil(needed))} times as many runs would settle it: {more_runs}, there above all"


def _beyond(band: Band, place: int, tolerance: float) -> str:
    within = round_percent(tolerance)
    if abs(band.value[place]) <= NEAR * tolerance:
        return f"near the tolerance of {within}"
    if band[place].excludes(0.0):
        return f"larger than the tolerance of {within} and beyond chance, but the band reaches into the tolerance"
    return f"larger than the tolerance of {within}, but no more than chance brings about: the band holds 0 as well"
