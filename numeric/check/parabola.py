"""Least-squares parabolas through many sets of losses at once, and where they are lowest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: A design whose Gram determinant is smaller than this share of its scale has fewer than three different sizes.
SINGULAR = 1e-10


class Vertices(NamedTuple):
    """Of K parabolas y = height + curvature (x - position)^2; NaN where fewer than three x differ."""

    position: Floats
    height: Floats
    curvature: Floats

    def inside(self, lo: float, hi: float) -> NDArray[np.bool_]:
        """Whether the parabola opens upwards and is lowest between two x."""
        with np.errstate(invalid="ignore"):
            return (self.curvature > 0.0) & (self.position >= lo) & (self.position <= hi)


def vertices(x: Floats, y: Floats, weights: Floats | None = None) -> Vertices:
    """Vertices of the parabolas through the points by weighted least squares.

    Parameters
    ----------
    x : ndarray
        (n,).
    y : ndarray
        (n,) or (K, n).
    weights : ndarray, optional
        (n,) or (K, n), >= 0; by default all 1.

    Returns
    -------
    Vertices
        Of K numbers each.
    """
    y = np.atleast_2d(y)
    w = np.ones((1, len(x))) if weights is None else np.atleast_2d(weights)
    centre, scale = x.mean(), max(float(np.ptp(x)) / 2.0, np.finfo(float).tiny)
    z = (x - centre) / scale
    powers = np.stack([z**k for k in range(5)])
    # Differences from the mean keep the digits that tell a flat profile's shape.
    level = y.mean(axis=1)
    right = np.matmul(w * (y - level[:, None]), powers[:3].T)
    gram = np.matmul(w, powers.T)[:, np.add.outer(np.arange(3), np.arange(3))]
    gram = np.broadcast_to(gram, (len(right), 3, 3))
    constant, slope, curvature = _solve(gram, right).T
    with np.errstate(all="ignore"):
        at = -slope / (2.0 * curvature)
        height = constant + slope * at / 2.0
    return Vertices(centre + scale * at, height + level, curvature / scale**2)


def _solve(gram: Floats, right: Floats) -> Floats:
    """Solutions of K symmetric systems; NaN where one is singular."""
    scales = np.sqrt(np.einsum("kii->ki", gram))
    scales[scales == 0.0] = 1.0
    scaled = gram / (scales[:, :, None] * scales[:, None, :])
    regular = np.linalg.det(scaled) > SINGULAR
    solved = np.full(right.shape, np.nan)
    solved[regular] = np.linalg.solve(gram[regular], right[regular][:, :, None])[:, :, 0]
    return solved
