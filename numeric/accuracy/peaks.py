"""The best points of a grid, for many problems at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["peaks"]


def peaks(values: Floats, most: int) -> NDArray[np.intp]:
    """Flat positions (K, most) of the highest points of grids (K, G, H) that no neighbour exceeds.

    Where a grid has fewer of them the highest is repeated.

    Examples
    --------
    >>> peaks(np.array([[[1.0, 3.0, 2.0, 0.0, 5.0]]]), 3)
    array([[4, 1, 4]])
    """
    count, rows, columns = values.shape
    padded = np.full((count, rows + 2, columns + 2), -np.inf)
    padded[:, 1:-1, 1:-1] = values
    peak = np.isfinite(values)
    for i in range(3):
        for j in range(3):
            peak &= values >= padded[:, i : i + rows, j : j + columns]
    heights = np.where(peak, values, -np.inf).reshape(count, -1)
    most = min(most, heights.shape[1])
    order = np.argsort(-heights, axis=1, kind="stable")[:, :most]
    return np.where(np.isfinite(np.take_along_axis(heights, order, axis=1)), order, order[:, :1])
