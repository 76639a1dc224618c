"""Power laws through points: least-squares lines through their logarithms, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Lines", "lines"]


class Lines(NamedTuple):
    """Weighted least-squares lines: slope, the weighted means that each passes through, and the
    weighted spread of x.
    """

    slope: Any
    centre_x: Any
    centre_y: Any
    spread: Any

    @property
    def intercept(self) -> Any:
        """Height at x = 0."""
        return self.centre_y - self.slope * self.centre_x


def lines(x: Floats, y: Floats, weights: Floats) -> Lines:
    """Least-squares lines along the last axis of arrays that broadcast; NaN where fewer than two x
    count.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=-1)
        centre_x, centre_y = (weights * x).sum(axis=-1) / total, (weights * y).sum(axis=-1) / total
        from_x, from_y = x - centre_x[..., None], y - centre_y[..., None]
        spread = (weights * from_x**2).sum(axis=-1)
        slope = (weights * from_x * from_y).sum(axis=-1) / spread
    return Lines(slope, centre_x, centre_y, spread)
