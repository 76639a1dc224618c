"""Simultaneous bands from resampled curves, and what a band says about a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results import Band

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["CANNOT_TELL", "CONSISTENT", "INCONSISTENT", "farthest", "simultaneous_band", "verdict"]

CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"
#: A band is at least so wide, relative to the curve.
ROUNDING = 1e-12


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
        curve +- q s, where s is the quantile `level` of \\|deviation\\| at each point and q that of the largest
        \\|deviation\\|/s of each resample: no point counts more than another, however its tails are.
    """
    size = np.abs(deviations)
    spread = np.quantile(size, level, axis=0)
    spread = np.maximum(spread, ROUNDING * max(1.0, float(np.abs(curve).max())))
    largest = np.max(size / spread, axis=1)
    half = float(np.quantile(largest, level)) * spread
    return Band(curve, curve - half, curve + half, level)


def verdict(band: Band, tolerance: float) -> str:
    """Consistent where the band lies within the tolerance of 0 throughout, inconsistent where it leaves it anywhere."""
    low, high = band.ends
    if ((low > tolerance) | (high < -tolerance)).any():
        return INCONSISTENT
    if ((low >= -tolerance) & (high <= tolerance)).all():
        return CONSISTENT
    return CANNOT_TELL


def farthest(band: Band) -> int:
    """Where on the grid the band lies farthest from 0, or, where it holds 0 throughout, comes nearest to leaving it."""
    low, high = band.ends
    return int(np.maximum(low, -high).argmax())
