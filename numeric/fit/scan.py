"""Starts for a law that is linear in all but its exponents: the linear part is solved exactly on a
grid of exponents.

Variable projection (Golub and Pereyra 1973): for given exponents the best E >= 0 and coefficients
a_k >= 0 are a small linear least squares problem, so that a grid over the exponents alone sees
every basin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .separable import Centred

    Floats = NDArray[np.float64]

#: Exponents are tried from where a term changes by a few percent over the design to where it dies
#: within a small part of it.
FLATTEST, STEEPEST = 0.05, 25.0
#: Equal columns make the Gram matrix singular; this share of its diagonal is added.
RIDGE = 1e-12


@dataclass(frozen=True)
class Scan:
    """The grid of exponents for one model, and the powers there.

    Attributes
    ----------
    model : Centred
    lower, upper : ndarray
        (p,); the grid keeps to the bounds of the exponents.
    grids : tuple of ndarray
        The exponents that are tried for each term.
    powers : tuple of ndarray
        x^-b for these, (G, n) each.
    """

    model: Centred
    lower: Floats
    upper: Floats
    grids: tuple[Floats, ...]
    powers: tuple[Floats, ...]

    @classmethod
    def of(cls, model: Centred, lower: Floats, upper: Floats, points: int) -> Scan:
        """The grid with so many exponents for every term."""
        first = int(model.irreducible) + model.terms
        grids = tuple(
            _grid(float(np.ptp(logs)), lower[first + k], upper[first + k], points)
            for k, logs in enumerate(model.logs)
        )
        return cls(
            model,
            lower,
            upper,
            grids,
            tuple(
                np.exp(np.outer(-grid, logs)) for grid, logs in zip(grids, model.logs, strict=True)
            ),
        )

    def starts(
        self,
        observed: Floats,
        weights: Floats,
        *,
        most: int,
        judge: Callable[[Floats], Floats] | None = None,
    ) -> Floats:
        """Up to `most` parameter vectors (K, p), best first: the local minima of the projected
        least squares on the grid.

        Parameters
        ----------
        observed : ndarray
            (n,); values, not logarithms.
        weights : ndarray
            (n,); of the squares of the differences of values.
        most : int
        judge : callable, optional
            Another objective (K,) of parameters (K, p), whose local minima on the grid are added.
        """
        gram, moments = self._normal_equations(observed, weights)
        coefficients, gain = nonnegative(gram, moments)
        shape = tuple(map(len, self.grids))
        # The sum of squares is a constant minus the gain.
        chosen = local_maxima(gain.reshape(shape))[:most]
        if judge is not None:
            judged = local_maxima(-judge(self._points(coefficients)).reshape(shape))[:most]
            chosen = np.array(list(dict.fromkeys([*chosen, *judged])))
        return self._points(coefficients, chosen)

    def _points(self, coefficients: Floats, chosen: NDArray[np.intp] | None = None) -> Floats:
        """Parameters at points of the grid, all or some."""
        index = np.arange(len(coefficients)) if chosen is None else chosen
        first = int(self.model.irreducible)
        found = np.empty((len(index), self.model.width))
        found[:, :first] = coefficients[index, :first]
        with np.errstate(divide="ignore"):
            np.log(coefficients[index, first:], out=found[:, first : first + self.model.terms])
        for k, where in enumerate(np.unravel_index(index, tuple(map(len, self.grids)))):
            found[:, first + self.model.terms + k] = self.grids[k][where]
        return np.clip(found, self.lower, self.upper)

    def _normal_equations(self, observed: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Gram matrices (G, s, s) and moments (G, s) of [1, x_1^-b_1, ...] over the grid of all
        exponents.
        """
        shape = tuple(map(len, self.grids))
        first, size = int(self.model.irreducible), int(self.model.irreducible) + self.model.terms
        gram = np.empty((*shape, size, size))
        moments = np.empty((*shape, size))
        target = weights * observed
        if first:
            gram[..., 0, 0] = weights.sum()
            moments[..., 0] = target.sum()
        for k, power in enumerate(self.powers):
            i = first + k
            moments[..., i] = self._spread(power @ target, k)
            weighted = power * weights
            gram[..., i, i] = self._spread(np.einsum("gn,gn->g", weighted, power), k)
            if first:
                gram[..., 0, i] = gram[..., i, 0] = self._spread(weighted.sum(axis=1), k)
            for other in range(k + 1, self.model.terms):
                j = first + other
                cross = self._spread(weighted @ self.powers[other].T, k, other)
                gram[..., i, j] = gram[..., j, i] = cross
        return gram.reshape(-1, size, size), moments.reshape(-1, size)

    def _spread(self, entry: Floats, *axes: int) -> Floats:
        """An array over some of the axes of the grid, to be broadcast over all."""
        return entry.reshape(
            [len(grid) if axis in axes else 1 for axis, grid in enumerate(self.grids)]
        )


def _grid(spread: float, lower: float, upper: float, points: int) -> Floats:
    spread = max(spread, 1e-3)
    low, high = max(FLATTEST / spread, float(lower)), min(STEEPEST / spread, float(upper))
    if low >= high:
        return np.array([min(max(FLATTEST / spread, float(lower)), float(upper))])
    ratio = log(high / low) / (points - 1)
    return np.array([low * exp(ratio * index) for index in range(points)])


def nonnegative(gram: Floats, moments: Floats) -> tuple[Floats, Floats]:
    """Nonnegative least squares in up to three columns for every pair: coefficients, and how much
    they lower the sum of squares.

    Where the solution in all columns is not positive, the best one in fewer is a solution in one or
    in two.
    """
    size = moments.shape[-1]
    gram = gram.copy()
    diagonal = np.arange(size)
    gram[:, diagonal, diagonal] *= 1.0 + RIDGE
    best: Any = np.linalg.solve(gram, moments[:, :, None])[:, :, 0]
    gain: Floats = (best * moments).sum(axis=1)
    left = np.flatnonzero((best < 0.0).any(axis=1))
    if left.size:
        best[left], gain[left] = _in_fewer(gram[left], moments[left])
    return best, gain


def _in_fewer(gram: Floats, moments: Floats) -> tuple[Floats, Floats]:
    size = moments.shape[-1]
    one = np.arange(size)
    alone = moments / gram[:, one, one]
    first, second = np.triu_indices(size, 1)
    a, b, c = gram[:, first, first], gram[:, first, second], gram[:, second, second]
    x = c * moments[:, first] - b * moments[:, second]
    y = a * moments[:, second] - b * moments[:, first]
    determinant = a * c - b * b
    x, y = x / determinant, y / determinant
    together = np.where(
        (x >= 0.0) & (y >= 0.0), x * moments[:, first] + y * moments[:, second], -np.inf
    )
    gains = np.concatenate([np.where(alone >= 0.0, alone * moments, -np.inf), together], axis=1)
    choice = gains.argmax(axis=1)
    rows = np.arange(len(choice))
    found = np.zeros_like(moments)
    single = choice < size
    found[rows[single], choice[single]] = alone[rows[single], choice[single]]
    pairs, which = rows[~single], choice[~single] - size
    found[pairs, first[which]] = x[pairs, which]
    found[pairs, second[which]] = y[pairs, which]
    return found, gains[rows, choice]


@cache
def _neighbours(dimensions: int) -> tuple[tuple[slice, ...], ...]:
    """Slices of an array with a border that are the array moved by one step, in every direction."""
    ends = {0: slice(None, -2), 1: slice(1, -1), 2: slice(2, None)}
    return tuple(
        tuple(ends[step] for step in shift)
        for shift in product((0, 1, 2), repeat=dimensions)
        if any(step != 1 for step in shift)
    )


def local_maxima(values: Floats) -> NDArray[np.intp]:
    """Flat indices of the points that no neighbour exceeds, the highest first."""
    padded = np.full([length + 2 for length in values.shape], -np.inf)
    padded[(slice(1, -1),) * values.ndim] = values
    peak = np.ones(values.shape, dtype=bool)
    for moved in _neighbours(values.ndim):
        peak &= values >= padded[moved]
    found = np.flatnonzero(peak)
    return found[np.argsort(-values.ravel()[found], kind="stable")]


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
