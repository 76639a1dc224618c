"""What one law says at some points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = ["outside_range", "predicted"]

#: Beyond 0 and 1 by more than rounding.
ROUNDING = 1e-12


def predicted(kind: Kind, coefficients: Floats, at: Points, baseline: float) -> Floats:
    """Raw accuracy (m,) of the law with these coefficients (p,)."""
    return np.asarray(kind.accuracy(coefficients[None], at, np.array([baseline]))[0])


def outside_range(accuracies: Floats) -> int:
    """How many of these are no accuracy: below 0 or above 1."""
    return int(np.count_nonzero((accuracies < -ROUNDING) | (accuracies > 1.0 + ROUNDING)))
