r"""IsoFLOP minima (approach 2 of Hoffmann et al. 2022, arXiv 2203.15556).

At every budget a parabola through the losses over log N, by least squares: its vertex is N*, its
height there L*. The same over log D gives D*. Power laws through N*(C) and D*(C) and a compute law
through L*(C) follow.

An isoFLOP profile A N^-beta + B (C/6N)^-gamma is close to a parabola in log N only near its
minimum, and even about it only where beta = gamma: on a wide grid, or one whose middle is off the
optimum, the vertex is off as well (arXiv 2603.22339). With a params+tokens law at hand the error is
known: the same parabolas through the law's own losses at the very same runs miss the law's true
optimum by that much. Corrected values have it taken off, as factors of N*, D* and L*. This also
accounts for runs whose compute is not exactly the budget, or is not 6ND.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .approaches import Approach, CurvePoints, clusters, geometric_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .laws import Laws

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]

__all__ = [
    "BudgetMinima",
    "BudgetMinimum",
    "Isoflop",
    "IsoflopDesign",
    "find_budgets",
    "vertices",
]

#: A parabola has three coefficients: with five sizes two are left to judge it.
LEAST_SIZES = 5
#: The largest size over the smallest, at least.
LEAST_SPAN = 2.0
#: A design whose smallest singular value is a smaller share of the largest has fewer than three
#: different sizes.
SINGULAR = 1e-6
NO_MINIMUM = "no minimum of the parabola within the sizes"
BIASED_AWAY = "no minimum within the sizes of the parabola through the fitted law's own losses"


class BudgetMinima(NamedTuple):
    """Vertices for K sets of losses at J budgets: arrays (K, J)."""

    log_params: Floats
    log_tokens: Floats
    loss: Floats
    curvature: Floats
    valid: Flags


@dataclass(frozen=True)
class IsoflopDesign:
    """The runs of J budgets: indices of the runs, and the budget in FLOP, of each."""

    params: Floats
    tokens: Floats
    members: tuple[Indices, ...]
    compute: Floats

    def __len__(self) -> int:
        return len(self.members)

    def some(self, chosen: Flags) -> IsoflopDesign:
        """The chosen budgets."""
        members = tuple(entry for entry, keep in zip(self.members, chosen, strict=True) if keep)
        return IsoflopDesign(self.params, self.tokens, members, self.compute[chosen])

    def minima(self, losses: Floats, weights: Floats | None = None) -> BudgetMinima:
        """The vertices for losses (K, n) with weights (n,), n counting all runs.

        Valid where the parabolas over log N and over log D both open upwards and are lowest between
        the least and the largest of the sizes.
        """
        columns = [self._at(members, np.atleast_2d(losses), weights) for members in self.members]
        if not columns:
            empty = np.empty((len(np.atleast_2d(losses)), 0))
            return BudgetMinima(empty, empty, empty, empty, empty.astype(bool))
        return BudgetMinima(*(np.stack(column, axis=1) for column in zip(*columns, strict=True)))

    def _at(
        self, members: Indices, losses: Floats, weights: Floats | None
    ) -> tuple[Floats, Floats, Floats, Floats, Flags]:
        """The vertices of one budget: over log N, over log D, height, curvature, whether valid."""
        given = None if weights is None else weights[members]
        logs = [np.log(values[members]) for values in (self.params, self.tokens)]
        over_params, over_tokens = (vertices(x, losses[:, members], given) for x in logs)
        valid = over_params.within(logs[0]) & over_tokens.within(logs[1])
        valid &= (over_params.height > 0.0) & (over_tokens.height > 0.0)
        positions = over_params.position, over_tokens.position
        return *positions, over_params.height, over_params.curvature, valid

    def biases(self, laws: Laws, weights: Floats | None = None) -> BudgetMinima:
        """How far the parabolas through the laws' own losses are off: log N - log N*, log D - log
        D*, L/L*.
        """
        own = self.minima(laws.losses(self.params, self.tokens), weights)
        return BudgetMinima(
            own.log_params - np.log(laws.params(self.compute)),
            own.log_tokens - np.log(laws.tokens(self.compute)),
            own.loss / laws.envelope(self.compute),
            own.curvature,
            own.valid,
        )

    def corrected(self, minima: BudgetMinima, biases: BudgetMinima) -> BudgetMinima:
        """The minima with the biases taken off; valid where both are."""
        return BudgetMinima(
            minima.log_params - biases.log_params,
            minima.log_tokens - biases.log_tokens,
            minima.loss / biases.loss,
            minima.curvature,
            minima.valid & biases.valid,
        )

    def corrected_minima(self, losses: Floats, weights: Floats | None, laws: Laws) -> BudgetMinima:
        """The minima for losses (K, n) with the biases that K laws, or one, tell taken off."""
        return self.corrected(self.minima(losses, weights), self.biases(laws, weights))

    def described(
        self, losses: Floats, weights: Floats | None, laws: Laws
    ) -> tuple[BudgetMinimum, ...]:
        """A record a budget, of the minima for losses (n,) and the biases that one law tells."""
        raw, biases = self.minima(losses, weights), self.biases(laws, weights)
        corrected = self.corrected(raw, biases)
        records = []
        for j, members in enumerate(self.members):
            found, known = bool(raw.valid[0, j]), bool(corrected.valid[0, j])

            def at(column: Floats, valid: bool, j: int = j) -> float:
                return float(column[0, j]) if valid else float("nan")

            sizes = self.params[members]
            records.append(
                BudgetMinimum(
                    compute=float(self.compute[j]),
                    n_runs=len(members),
                    n_sizes=len(np.unique(sizes)),
                    params_lo=float(sizes.min()),
                    params_hi=float(sizes.max()),
                    params=exp(at(raw.log_params, found)),
                    tokens=exp(at(raw.log_tokens, found)),
                    loss=at(raw.loss, found),
                    curvature=at(raw.curvature, found),
                    corrected_params=exp(at(corrected.log_params, known)),
                    corrected_tokens=exp(at(corrected.log_tokens, known)),
                    corrected_loss=at(corrected.loss, known),
                    reason="" if known else BIASED_AWAY if found else NO_MINIMUM,
                )
            )
        return tuple(records)


class Isoflop(Approach):
    """Approach 2: compute laws through the minima of isoFLOP profiles."""

    name = "isoflop"

    def __init__(self, design: IsoflopDesign) -> None:
        self.design, self.compute = design, design.compute

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> CurvePoints:
        """The minima, raw and corrected; a budget without a minimum has no weight."""
        raw = self.design.minima(losses, weights)
        moved = self.design.corrected(raw, self.design.biases(laws, weights))
        # Of no weight: any positive number.
        raw_loss, loss = (np.where(moved.valid, each.loss, 1.0) for each in (raw, moved))
        return CurvePoints(raw_loss, loss, moved.valid.astype(np.float64))

    def sizes(
        self, losses: Floats, weights: Floats | None, laws: Laws
    ) -> tuple[Floats, Floats, Floats]:
        """Those of the corrected minima."""
        minima = self.design.corrected_minima(losses, weights, laws)
        n, d = (np.where(minima.valid, x, 0.0) for x in (minima.log_params, minima.log_tokens))
        return n, d, minima.valid.astype(np.float64)

    def described(self, losses: Floats) -> dict[str, Any]:
        """The numbers of runs and of budgets."""
        return {"n_runs": sum(map(len, self.design.members)), "n_budgets": len(self.design)}


@dataclass(frozen=True, kw_only=True)
class BudgetMinimum:
    """What the runs at one budget say about its optimum.

    Attributes
    ----------
    compute : float
        Geometric mean of the runs' compute, FLOP.
    n_runs, n_sizes : int
        Runs, and different sizes among them.
    params_lo, params_hi : float
        Range of the sizes.
    params, tokens, loss : float
        Raw minimum: the vertex over log N, over log D, and the height of the former. NaN where
        there is none.
    curvature : float
        Of the parabola over log N: loss = `loss` + `curvature` (log N - log `params`)^2.
    corrected_params, corrected_tokens, corrected_loss : float
        With the bias of the parabola taken off.
    reason : str
        Why the budget is left out; empty where it counts.
    """

    compute: float
    n_runs: int
    n_sizes: int
    params_lo: float
    params_hi: float
    params: float
    tokens: float
    loss: float
    curvature: float
    corrected_params: float
    corrected_tokens: float
    corrected_loss: float
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for what there is not."""
        return {key: None if value != value else value for key, value in asdict(self).items()}


def find_budgets(
    params: Floats, tokens: Floats, compute: Floats, tolerance: float
) -> IsoflopDesign:
    """The budgets at which enough different sizes were trained.

    Parameters
    ----------
    params, tokens, compute : ndarray
        Of the runs; (n,), > 0.
    tolerance : float
        The largest compute of a budget's runs exceeds the smallest by at most this share; > 0.

    Returns
    -------
    IsoflopDesign
        Budgets with at least five sizes that span a factor of at least two, by increasing compute.
    """
    members = [
        entry
        for entry in clusters(compute, tolerance, LEAST_SIZES)
        if len(np.unique(params[entry])) >= LEAST_SIZES
        and params[entry].max() >= LEAST_SPAN * params[entry].min()
    ]
    budgets = np.array([geometric_mean(compute[entry]) for entry in members])
    return IsoflopDesign(params, tokens, tuple(members), budgets)


# -- parabolas ---------------------------------------------------------------------------------------------------------


class Vertices(NamedTuple):
    """Of K parabolas y = height + curvature (x - position)^2; NaN where fewer than three x differ."""

    position: Floats
    height: Floats
    curvature: Floats

    def within(self, x: Floats) -> Flags:
        """Whether the parabola opens upwards and is lowest between the least and the largest x."""
        with np.errstate(invalid="ignore"):
            inside = (self.position >= x.min()) & (self.position <= x.max())
            return (self.curvature > 0.0) & inside


def vertices(x: Floats, y: Floats, weights: Floats | None = None) -> Vertices:
    """Vertices of the parabolas through the points by weighted least squares.

    Parameters
    ----------
    x : ndarray
        (n,).
    y : ndarray
        (n,) or (K, n).
    weights : ndarray, optional
        (n,), >= 0; by default all 1.

    Returns
    -------
    Vertices
        Of K numbers each.
    """
    y = np.atleast_2d(y)
    root = np.ones(len(x)) if weights is None else np.sqrt(weights)
    centre, scale = x.mean(), max(float(np.ptp(x)) / 2.0, np.finfo(float).tiny)
    design = np.vander((x - centre) / scale, 3, increasing=True) * root[:, None]
    # Differences from the mean keep the digits that tell a flat profile's shape.
    level = y.mean(axis=1)
    solved, _, rank, _ = np.linalg.lstsq(design, ((y - level[:, None]) * root).T, rcond=SINGULAR)
    constant, slope, curvature = solved if rank == 3 else np.full((3, len(y)), np.nan)
    with np.errstate(all="ignore"):
        at = -slope / (2.0 * curvature)
        height = constant + slope * at / 2.0
    return Vertices(centre + scale * at, height + level, curvature / scale**2)
