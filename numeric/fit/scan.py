"""Starts for a law that is linear in all but its exponents: the linear part is solved exactly on a grid of exponents.

Variable projection (Golub and Pereyra 1973): for given exponents the best E >= 0 and coefficients a_k >= 0 are a small linear
least squares problem, so that a grid over the exponents alone sees every basin.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isoflop.numeric.fit.separable import Centred

    Floats = NDArray[np.float64]

#: Exponents are tried from where a term changes by a few percent over the design to where it dies within a small part of it.
FLATTEST, STEEPEST = 0.05, 25.0
POINTS = 16
#: Equal columns make the Gram matrix singular; this share of its diagonal is added.
RIDGE = 1e-12


def starts(
    model: Centred,
    observed: Floats,
    weights: Floats,
    lower: Floats,
    upper: Floats,
    *,
    most: int,
    judge: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """Up to `most` parameter vectors (K, p), best first: the local minima of the projected least squares on the grid.

    Parameters
    ----------
    model : Centred
    observed : ndarray
        (n,); values, not logarithms.
    weights : ndarray
        (n,); of the squares of the differences of values.
    lower, upper : ndarray
        (p,); the grid keeps to the bounds of the exponents.
    most : int
    judge : callable, optional
        Another objective (K,) of parameters (K, p), by which the points of the grid are compared as well.
    """
    first, terms = int(model.irreducible), model.terms
    grids = [_grid(logs, lower[first + terms + k], upper[first + terms + k]) for k, logs in enumerate(model.logs)]
    powers = [np.exp(-grid[:, None] * logs) for grid, logs in zip(grids, model.logs, strict=True)]
    shape = tuple(map(len, grids))
    gram, moments = _normal_equations(powers, observed, weights, irreducible=model.irreducible)
    coefficients, gain = _nonnegative(gram, moments)
    with np.errstate(divide="ignore"):
        logs = np.log(coefficients[:, first:])
    exponents = np.stack([axis.ravel() for axis in np.meshgrid(*grids, indexing="ij")], axis=1)
    points = np.clip(np.concatenate([coefficients[:, :first], logs, exponents], axis=1), lower, upper)
    # The sum of squares is a constant minus the gain.
    chosen = _local_maxima(gain.reshape(shape))[:most]
    if judge is not None:
        chosen = np.unique(np.concatenate([chosen, _local_maxima(-judge(points).reshape(shape))[:most]]))
    return np.asarray(points[chosen])


def _grid(logs: Floats, lower: float, upper: float) -> Floats:
    spread = max(float(logs.max() - logs.min()), 1e-3)
    low, high = max(FLATTEST / spread, lower), min(STEEPEST / spread, upper)
    if low >= high:
        return np.array([np.clip(FLATTEST / spread, lower, upper)])
    return np.geomspace(low, high, POINTS)


def _normal_equations(
    powers: list[Floats], observed: Floats, weights: Floats, *, irreducible: bool
) -> tuple[Floats, Floats]:
    """Gram matrices (G, s, s) and moments (G, s) of [1, x_1^-b_1, ...] over the grid of all exponents."""
    shape = tuple(map(len, powers))
    columns = ([np.ones((1, len(observed)))] if irreducible else []) + powers
    axes = ([None] if irreducible else []) + list(range(len(powers)))
    size = len(columns)
    gram = np.empty((*shape, size, size))
    moments = np.empty((*shape, size))
    for i, (left, axis) in enumerate(zip(columns, axes, strict=True)):
        weighted = left * weights
        moments[..., i] = _spread(weighted @ observed, (axis,), shape)
        for j in range(i, size):
            if axis == axes[j]:
                entry = _spread(np.einsum("gn,gn->g", weighted, left), (axis,), shape)
            else:
                entry = _spread(weighted @ columns[j].T, (axis, axes[j]), shape)
            gram[..., i, j] = gram[..., j, i] = entry
    return gram.reshape(-1, size, size), moments.reshape(-1, size)


def _spread(entry: Floats, axes: tuple[int | None, ...], shape: tuple[int, ...]) -> Floats:
    """An array over some of the axes, broadcast over all of them."""
    where = [axis for axis in axes if axis is not None]
    wide = [1] * len(shape)
    for axis in where:
        wide[axis] = shape[axis]
    return np.broadcast_to(entry.reshape(wide), shape)


@cache
def _supports(size: int) -> tuple[tuple[int, ...], ...]:
    """All nonempty sets of columns, the largest first."""
    return tuple(chain.from_iterable(combinations(range(size), n) for n in range(size, 0, -1)))


def _nonnegative(gram: Floats, moments: Floats) -> tuple[Floats, Floats]:
    """Nonnegative least squares for every pair: coefficients, and how much they lower the sum of squares."""
    size = moments.shape[-1]
    best = np.zeros_like(moments)
    gain = np.full(len(moments), -np.inf)
    open_ = np.arange(len(moments))
    for support in _supports(size):
        chosen = np.ix_(open_, support, support)
        part = gram[chosen]
        diagonal = np.arange(len(support))
        part[:, diagonal, diagonal] *= 1.0 + RIDGE
        target = moments[open_][:, support]
        found = np.linalg.solve(part, target[:, :, None])[:, :, 0]
        # The gain at the exact solution; with the ridge it differs by as little as that.
        reached = np.where((found >= 0.0).all(axis=1), np.einsum("gs,gs->g", found, target), -np.inf)
        better = reached > gain[open_]
        rows = open_[better]
        gain[rows] = reached[better]
        best[rows] = 0.0
        best[np.ix_(rows, support)] = found[better]
        if len(support) == size:  # where all are positive no part of them does better
            open_ = open_[~better]
            if not open_.size:
                break
    return best, gain


def _local_maxima(values: Floats) -> NDArray[np.intp]:
    """Flat indices of the points that no neighbour exceeds, the highest first."""
    padded = np.pad(values, 1, constant_values=-np.inf)
    peak = np.ones(values.shape, dtype=bool)
    for shift in product((0, 1, 2), repeat=values.ndim):
        if all(step == 1 for step in shift):
            continue
        neighbour = padded[tuple(slice(step, step + length) for step, length in zip(shift, values.shape, strict=True))]
        peak &= values >= neighbour
    found = np.flatnonzero(peak)
    return found[np.argsort(-values.ravel()[found], kind="stable")]
