"""Simultaneous bands from resampled curves, and what a band says about a tolerance."""

from __future__ import annotations

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


def reason(band: Band, compute: Floats, tolerance: float) -> str:
    """Why a band is inconsistent with the tolerance, or cannot tell; empty where it is consistent."""
    judged, place = verdict(band, tolerance), farthest(band)
    within = f"the tolerance of {round_percent(tolerance)}"
    if judged == CONSISTENT:
        return ""
    if judged == INCONSISTENT:
        worst = difference_at(float(compute[place]), band[place])
        return f"the difference is {worst}, outside {within}"
    low, high = band.ends
    reach = np.maximum(-low, high)
    place = int(reach.argmax())
    return f"the band reaches {SHARE.text(reach[place])} at {flop(compute[place])}, beyond {within}"


def difference_at(compute: float, difference: Estimate) -> str:
    """A relative difference with its interval, and where."""
    ends = Interval(SIGNED).text(difference.low, difference.high)
    return f"{SIGNED.text(difference.value)} {ends} at {flop(compute)}"
