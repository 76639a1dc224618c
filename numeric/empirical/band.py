"""Simultaneous bands from resampled curves, and what a band says about a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["CANNOT_TELL", "CONSISTENT", "INCONSISTENT", "Band", "simultaneous_band", "verdict"]

CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"
#: The quantiles one normal standard deviation from the median.
ONE_SIGMA = (0.15865525393145707, 0.8413447460685429)


class Band(NamedTuple):
    """Curve and its lower and upper limit at the points of a grid."""

    curve: Floats
    lo: Floats
    hi: Floats


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
        curve +- q s, where s is half the spread between the quantiles one sigma from the median at each point, which a few
        wild resamples leave alone, and q the quantile `level` of the largest \\|deviation\\|/s of each resample.
    """
    low, high = np.quantile(deviations, ONE_SIGMA, axis=0)
    spread = (high - low) / 2.0
    spread = np.maximum(spread, 1e-12 * max(1.0, float(np.abs(curve).max())))
    largest = np.max(np.abs(deviations) / spread, axis=1)
    half = float(np.quantile(largest, level)) * spread
    return Band(curve, curve - half, curve + half)


def verdict(band: Band, tolerance: float) -> str:
    """Consistent where the band lies within the tolerance of 0 throughout, inconsistent where it leaves it anywhere."""
    if ((band.lo > tolerance) | (band.hi < -tolerance)).any():
        return INCONSISTENT
    if ((band.lo >= -tolerance) & (band.hi <= tolerance)).all():
        return CONSISTENT
    return CANNOT_TELL
