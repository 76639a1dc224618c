"""Directions in which the coefficients move and the fitted losses hardly do: singular vectors of the Jacobian."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .models import Design

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

#: Singular values below this share of the largest are zero.
RANK = 1e-10
#: And below this they are small.
WEAK = 1e-2
#: A column this small beside the largest, all being derivatives by logarithms and exponents, is rounding.
ZERO_COLUMN = 1e-13
#: Derivatives beyond it have no squares.
LARGE = 1e150
#: Bases whose condition exceeds the least by this factor are not used to write directions.
LARGEST_CONDITION = 100.0
#: So many bases are tried for the one with the most zeros.
MOST_CHOICES = 5_000
#: Entries of a direction below this share of its largest are left out.
SHOWN = 1e-4
#: Median absolute deviation to standard deviation of normal residuals.
NORMAL_MAD = 1.482602218505602


@dataclass(frozen=True)
class Direction:
    """A combined change of the coefficients to which the runs are blind, or nearly.

    Attributes
    ----------
    change : dict of str to float
        Coordinate (E, the logarithm of a prefactor, an exponent) -> change, scaled so that the largest relative one is 1.
    singular_value : float
        Relative to the largest; 0 for a direction that the design leaves open.
    effect : float
        Root mean square change of the residuals to first order.
    standard_error : float
        How far along it the fit is uncertain, in multiples of the change: above 1 it is not told in practice. Infinite
        where it is left open.
    """

    change: dict[str, float]
    singular_value: float
    effect: float
    standard_error: float

    @property
    def is_open(self) -> bool:
        """Whether the design leaves the direction undetermined altogether."""
        return self.singular_value == 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for an infinite standard error."""
        return {
            "change": dict(self.change),
            "singular_value": self.singular_value,
            "effect": self.effect,
            "standard_error": None if self.standard_error == inf else self.standard_error,
        }

    def __str__(self) -> str:
        moves = ", ".join(f"{name} {value:+.3g}" for name, value in self.change.items())
        if self.is_open:
            return f"{moves}: no run notices"
        return f"{moves}: residuals change by {self.effect:.2g} (rms), uncertain by {self.standard_error:.2g} of this change"


@dataclass(frozen=True, eq=False)
class Linearised:
    """The Jacobian of a fit in the coordinates that are not given, plain and centred.

    Attributes
    ----------
    names : tuple of str
        The coordinates without a given value.
    plain : ndarray
        (k, n): derivatives of the residuals by the coordinates, times the root of the weight.
    centring : ndarray
        (k, k): takes centred coordinates to the plain ones.
    size : ndarray
        (k,): by how much each coordinate changes where its coefficient changes by its own size.
    scale : float
        Of the residuals, from their median absolute deviation.
    floor : float
        Columns whose norm is below this share of the largest are zero.
    """

    names: tuple[str, ...]
    plain: Floats
    centring: Floats
    size: Floats
    scale: float
    floor: float

    @classmethod
    def of(cls, fit: Fit) -> Linearised:
        """The linearisation at the fit's optimum."""
        free = np.array([name not in fit.design.given for name in fit.model.coefficients])
        residuals, jacobian, _ = fit.linearised()
        weights = np.ones(len(residuals)) if fit.runs.weight is None else np.asarray(fit.runs.weight)
        coordinates = np.linalg.solve(fit.design.to_coordinates.T, jacobian)[free] * np.sqrt(weights)
        names = tuple(name for name, is_free in zip(fit.model.coordinates, free, strict=True) if is_free)
        values = np.array([fit.coefficients[name] for name in fit.model.coefficients])[free]
        size = np.array(
            [1.0 if name.startswith("log ") else abs(value) or 1.0 for name, value in zip(names, values, strict=True)]
        )
        centring = _centring(fit, fit.design)[np.ix_(free, free)] if isinstance(fit.design, Design) else np.eye(len(names))
        scale = NORMAL_MAD * float(np.median(np.abs(residuals - np.median(residuals))))
        return cls(names, coordinates, centring, size, scale, ZERO_COLUMN if isinstance(fit.design, Design) else 0.0)

    @property
    def is_tame(self) -> bool:
        """Whether the derivatives are numbers that can be squared."""
        return bool(np.isfinite(self.centred).all() and np.abs(self.centred).max(initial=0.0) < LARGE)

    @cached_property
    def centred(self) -> Floats:
        """(k, n): derivatives by the centred coordinates."""
        return np.asarray(self.centring.T @ self.plain)

    @cached_property
    def norms(self) -> Floats:
        """(k,): norms of the centred columns, 1 for those that are zero."""
        return _norms(self.centred, self.floor)

    @cached_property
    def _decomposition(self) -> tuple[Floats, Floats]:
        unit = _unit(self.centred, self.floor)
        vectors, values, _ = np.linalg.svd(unit, full_matrices=len(unit) > unit.shape[1])
        return np.concatenate([values, np.zeros(len(self.names) - len(values))]), vectors

    @property
    def singular_values(self) -> Floats:
        """(k,): of the centred columns of unit length, falling."""
        return self._decomposition[0]

    @property
    def rank(self) -> int:
        """How many singular values exceed 1e-10 of the largest."""
        values = self.singular_values
        return int(np.sum(values > RANK * values[0])) if len(values) else 0

    def condition(self, *, centred: bool = True) -> float:
        """Condition number of J'J with unit columns: the squared ratio of the extreme singular values; inf where singular."""
        columns = self.centred if centred else self.plain
        if not len(columns):
            return 1.0
        values = np.linalg.svd(_unit(columns, self.floor), compute_uv=False)
        if len(columns) > columns.shape[1] or values[-1] <= RANK * values[0]:
            return inf
        return float((values[0] / values[-1]) ** 2)

    def correlation(self) -> Floats | None:
        """(k, k): of the coordinates, from (J'J)^-1; None where the design leaves some undetermined."""
        if self.rank < len(self.names):
            return None
        values, vectors = self._decomposition
        root = (self.centring / self.norms) @ (vectors / values)
        root /= np.linalg.norm(root, axis=1)[:, None]
        return np.asarray(root @ root.T)

    def open_directions(self, rank: int) -> tuple[Direction, ...]:
        """A sparse basis of the directions beyond so many determined ones."""
        if rank >= len(self.names):
            return ()
        rows = self._sparse_basis(rank)
        return tuple(self._direction(row, 0.0) for row in rows)

    def weak_directions(self, rank: int) -> tuple[Direction, ...]:
        """The determined directions whose singular value is below 1e-2 of the largest."""
        values, vectors = self._decomposition
        return tuple(
            self._direction(self._plain(vectors[:, k]), float(values[k] / values[0]))
            for k in range(rank)
            if values[k] < WEAK * values[0]
        )

    def null_basis(self, rank: int) -> Floats:
        """(k - rank, k): the directions of the smallest singular values, in the coordinates."""
        return np.stack([self._plain(vector) for vector in self._decomposition[1].T[rank:]])

    def moves(self, gradient: Floats, rank: int) -> float:
        """The most that a quantity with this gradient changes, to first order, along an open direction."""
        if rank >= len(self.names):
            return 0.0
        along = self._sparse_basis(rank)
        along /= np.abs(along / self.size).max(axis=1, keepdims=True)
        return float(np.abs(along @ gradient).max())

    def _sparse_basis(self, rank: int) -> Floats:
        alone = 1.0 / _norms(self.plain, self.floor)  # changes that, made alone, move the residuals equally
        basis = self.null_basis(rank)
        with np.errstate(all="ignore"):
            scaled = basis / alone
        scaled /= np.abs(scaled).max(axis=1, keepdims=True)
        return _sparsest(scaled) * alone if np.isfinite(scaled).all() else basis

    def _plain(self, vector: Floats) -> Floats:
        return np.asarray(self.centring @ (vector / self.norms))

    def _direction(self, move: Floats, singular_value: float) -> Direction:
        relative = move / self.size
        largest = relative[np.argmax(np.abs(relative))]
        move, relative = move / largest, relative / largest
        effect = float(np.linalg.norm(move @ self.plain))
        change = {name: float(value) for name, value, part in zip(self.names, move, relative, strict=True) if abs(part) >= SHOWN}
        error = inf if singular_value == 0.0 or effect == 0.0 else self.scale / effect
        return Direction(change, singular_value, effect / np.sqrt(self.plain.shape[1]), error)


def _centring(fit: Fit, design: Design) -> Floats:
    """Takes coordinates centred at the geometric means, where prefactor and exponent are both free, to the plain ones."""
    free = {name: name not in fit.design.given for name in fit.model.coefficients}
    means = [float(np.log(getattr(fit.runs, name)).mean()) for name in fit.model.variables]
    pairs = zip(fit.model.prefactors, fit.model.exponents, means, design.centres, strict=True)
    centres = np.array([mean if free[a] and free[b] else centre for a, b, mean, centre in pairs])
    return replace(design, centres=centres).to_coordinates


def _norms(columns: Floats, floor: float) -> Floats:
    norms = _lengths(columns)
    small = norms <= floor * norms.max(initial=0.0)
    return np.where(small, 1.0, norms)


def _lengths(columns: Floats) -> Floats:
    """Norms of the rows, as long as these themselves are floats."""
    largest = np.abs(columns).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    return np.asarray(scale * np.linalg.norm(columns / scale[:, None], axis=1))


def _unit(columns: Floats, floor: float) -> Floats:
    """The columns with unit length; zero where they are zero."""
    norms = _lengths(columns)
    small = norms <= floor * norms.max(initial=0.0)
    return np.where(small[:, None], 0.0, columns / np.where(small, 1.0, norms)[:, None])


def _sparsest(basis: Floats) -> Floats:
    """The reduced basis (m, k) of the same space with the most zeros; of equals, the best conditioned one."""
    basis = np.linalg.qr(basis.T)[0].T
    if comb(basis.shape[1], len(basis)) > MOST_CHOICES:  # too many to try: well-conditioned pivots, one after the other
        from scipy.linalg import qr

        return _reduced(basis, np.sort(qr(basis, mode="r", pivoting=True)[1][: len(basis)]))[0]
    best: tuple[tuple[int, float], Floats] | None = None
    choices = list(combinations(range(basis.shape[1]), len(basis)))
    least = min(float(np.linalg.cond(basis[:, list(pivots)])) for pivots in choices)
    for pivots in choices:
        square = basis[:, list(pivots)]
        condition = float(np.linalg.cond(square))
        if not condition <= LARGEST_CONDITION * least:
            continue
        reduced, entries = _reduced(basis, pivots)
        score = (entries, condition)
        if best is None or score < best[0]:
            best = (score, reduced)
    return basis if best is None else best[1]


def _reduced(basis: Floats, pivots: Any) -> tuple[Floats, int]:
    """The basis that is the identity at the pivots, without what is small beside its rows, and how many entries are left."""
    reduced = np.linalg.solve(basis[:, list(pivots)], basis)
    entries = np.abs(reduced) > SHOWN * np.abs(reduced).max(axis=1, keepdims=True)
    return np.where(entries, reduced, 0.0), int(entries.sum())
