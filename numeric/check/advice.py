"""Of a band that leaves the verdict open: how the matter stands, and what would settle it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from .phrases import flop, in_percent, percent, round_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..results import Band

    Floats = NDArray[np.float64]

__all__ = ["advice"]

#: More runs than so many times as many are no advice.
MOST_TIMES = 10
#: A difference of less than so many tolerances is near the tolerance.
NEAR = 1.5
MORE_RUNS = {
    "frontier": "more near the optimum, there above all",
    "isoflop": "more sizes about the optimum of each budget, or more budgets, there above all",
    "fixed-ratio": "more at this ratio, there above all",
}


def advice(approach: str, band: Band, compute: Floats, tolerance: float) -> str:
    """One sentence about a band that neither keeps to the tolerance nor leaves it.

    A band narrows as the square root of the number of runs. Where the difference is within the tolerance throughout, the runs
    that settle the matter are those that bring the whole band within; where it is not, those that take the band out somewhere.
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
        return f"{stands}; more precise losses (repeated seeds) or a wider tolerance would settle it"
    return f"{stands}; about {max(2, ceil(needed))} times as many runs would settle it: {MORE_RUNS[approach]}"


def _beyond(band: Band, place: int, tolerance: float) -> str:
    within = round_percent(tolerance)
    if abs(band.value[place]) <= NEAR * tolerance:
        return f"near the tolerance of {within}"
    if band[place].excludes(0.0):
        return f"larger than the tolerance of {within} and beyond chance, but the band reaches into the tolerance"
    return f"larger than the tolerance of {within}, but no more than chance brings about: the band holds 0 as well"
