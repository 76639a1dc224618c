"""Simultaneous bands from resampled curves, and what a band says about a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...theory.typeset.numbers import Interval, Percent, Shortest
from ..results import Band

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["CANNOT_TELL", "CONSISTENT", "INCONSISTENT", "reason", "simultaneous_band", "verdict"]

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


def reason(band: Band, compute: Floats, tolerance: float) -> str:
    """Why a band is inconsistent with the tolerance, or cannot tell, and at which compute; empty
    where it is consistent.
    """
    judged = verdict(band, tolerance)
    if judged == CONSISTENT:
        return ""
    low, high = band.ends
    share, signed = Percent(places=2), Percent(places=2, sign=True)
    # Farthest from 0, or where the band goes farthest beyond the tolerance.
    reach = np.maximum(low, -high) if judged == INCONSISTENT else np.maximum(-low, high)
    place = int(reach.argmax())
    at, within = (
        f"{Shortest(2).text(compute[place])} FLOP",
        f"the tolerance of {100 * tolerance:.3g} %",
    )
    if judged == CANNOT_TELL:
        return f"the band reaches {share.text(reach[place])} at {at}, beyond {within}"
    ends = Interval(signed).text(low[place], high[place])
    return f"the difference is {signed.text(band.value[place])} {ends} at {at}, outside {within}"
