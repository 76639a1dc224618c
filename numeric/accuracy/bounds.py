"""Intervals of costs: of what is least at a known value and never below it, such as accuracy lost
or an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results import checked_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["upper_bound"]


def upper_bound(draws: Floats, level: float, least: float = 0.0) -> tuple[float, float]:
    """From the least value to the quantile of the draws at `level`: the cost is at most so much.

    A cost is curved upwards about its minimum, so that refits, which scatter about the estimate,
    cost more than it on average: near the minimum the central percentiles can lie above the
    estimate altogether, and say that a cost of nothing is excluded.
    """
    return least, float(np.quantile(draws, checked_level(level)))
