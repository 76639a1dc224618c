r"""Two approaches to a compute law: the frontier of the runs, and runs at a fixed ratio D/N. A third,
the isoFLOP minima, has a module of its own.

Every approach takes losses of runs to points on one curve of loss against compute, and those to a
compute law. Each has a known bias, and one remedy serves them all: with the fitted params+tokens law
at hand, the losses are first moved along it from where the runs are to where the theory speaks (the
envelope, the ray). If the law holds, moved losses scatter about the predicted curve; if it does
not, their residuals, which moving keeps, follow another.

The frontier (approach 1 of Hoffmann et al. 2022, arXiv 2203.15556) is of the runs that no run of the
same or less compute beats. Hoffmann et al. take the lowest of the training curves at every FLOP
count; final losses alone leave the undominated runs, the lower left staircase of loss against
compute. No run sits exactly at the optimum of its budget, so the staircase lies above the envelope:
every run is moved along the law to the optimum of its own compute, L L*(C)/L(N, D). And the least of
many noisy losses is too low; the moved staircase keeps that bias, which only a simulation of the
noise can tell.

On the ray D = t N the params+tokens law is a sum of two powers of compute (`ray_reducible_loss`), so
unless beta = gamma no compute law E + C0 C^-alpha exactly: one that is fitted to it has a larger E
and an exponent between beta/2 and gamma/2. What theory predicts for the compute law through the runs
is therefore the compute law through the law's own losses on the ray, and the difference of the two
is the law's misfit alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, log1p
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..errors import ArgumentError, outside, positive_array
from .band import round_percent
from .laws import LEAST_SQUARES, SAME_COMPUTE, ComputeLaws, Laws, fit_compute_laws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.objective import Objective

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]

__all__ = ["LEAST_BUDGETS", "LEAST_SPAN", "Approach", "FixedRatio", "Frontier", "chosen_rays"]

#: A compute law has three coefficients.
LEAST_BUDGETS = 4
#: The largest compute over the smallest, at least.
LEAST_SPAN = 10.0
#: Points of compute at which curves are compared.
GRID = 33
#: Runs of a ray, and as many values of compute.
LEAST_RUNS = 5
#: A ratio that fewer of the runs share is one by chance.
LEAST_SHARE = 0.1
#: Two values that differ by rounding alone count as equal.
ROUNDING = 1e-9


class CurvePoints(NamedTuple):
    """The points of an approach for K sets of losses, each (K, m): as they are, moved along the
    law, and their weights.
    """

    raw: Floats
    moved: Floats
    weights: Floats

    def largest_correction(self, compute: Floats) -> tuple[float, float]:
        """By which share of the loss the first set is moved most, and at which compute."""
        shares = np.where(self.weights[0] > 0.0, self.moved[0] / self.raw[0] - 1.0, 0.0)
        place = int(np.abs(shares).argmax())
        return float(shares[place]), float(compute[place])


class CurveEstimates(NamedTuple):
    """K compute laws: through the moved points, what theory predicts; which are valid."""

    moved: ComputeLaws
    predicted: ComputeLaws
    valid: Flags

    def difference(self, compute: Floats) -> Floats:
        """Relative difference in loss of the empirical from the predicted curve; (K, G)."""
        return self.moved.losses(compute) / self.predicted.losses(compute) - 1.0


class Approach:
    """One road to a compute law. A subclass says which points it takes, and what theory predicts
    for them.

    Attributes
    ----------
    name : {"frontier", "isoflop", "fixed-ratio"}
    objective : Objective
        Of the compute law; least squares of the log loss unless the subclass has another.
    compute : ndarray
        (m,): of its points, FLOP.
    """

    name: ClassVar[str]
    objective: Objective = LEAST_SQUARES
    compute: Floats

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> CurvePoints:
        """The points for losses (K, n) of the n runs with weights (n,), moved along K laws."""
        raise NotImplementedError

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """What K params+tokens laws predict for the compute law through the moved points: their
        envelopes.
        """
        return laws.envelopes

    def described(self, losses: Floats) -> dict[str, Any]:
        """What a report says of the approach whatever comes out, from the losses (n,)."""
        raise NotImplementedError

    def sizes(
        self, losses: Floats, weights: Floats | None, laws: Laws
    ) -> tuple[Floats, Floats, Floats] | None:
        """Log N* and log D* that the approach finds at its points, each (K, m), with their weights;
        None where it says nothing of the allocation.
        """
        return None

    @property
    def grid(self) -> Floats:
        """Compute at which the curves are compared, from the lowest to the highest of its points."""
        return np.geomspace(float(self.compute.min()), float(self.compute.max()), GRID)

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> CurveEstimates:
        """The compute laws through the points; valid where both fits converged to enough points."""
        points, predicted = self.points(losses, weights, laws), self.predicted(weights, laws)
        moved = fit_compute_laws(self.compute, points.moved, points.weights, self.objective)
        enough = np.count_nonzero(points.weights, axis=1) >= LEAST_BUDGETS
        return CurveEstimates(moved, predicted, moved.converged & predicted.converged & enough)


# -- runs that share a value -----------------------------------------------------------------------


def clusters(values: Floats, tolerance: float, least: int) -> list[Indices]:
    """Disjoint sets of runs whose largest value is at most (1 + tolerance) times the smallest.

    The window that holds the most runs is taken first, of several the narrowest, then the next
    among the rest: a planned design is found as it was planned, and a cloud of runs gives its dense
    places.

    Parameters
    ----------
    values : ndarray
        (n,), > 0.
    tolerance : float
        > 0.
    least : int
        Smaller sets are left out.

    Returns
    -------
    list of ndarray
        Indices of the runs of each set, the sets by increasing value.
    """
    order = np.argsort(values, kind="stable")
    logs = np.log(values[order])
    width = np.log1p(tolerance) + ROUNDING
    left = np.ones(len(logs), dtype=bool)
    found: list[tuple[float, Indices]] = []
    while int(left.sum()) >= least:
        rest = np.flatnonzero(left)
        # A window never straddles one that was taken: whatever lies on both sides of it is further
        # apart than a window.
        ends = np.searchsorted(logs[rest], logs[rest] + width, side="right")
        counts = ends - np.arange(len(rest))
        most = int(counts.max())
        if most < least:
            break
        starts = np.flatnonzero(counts == most)
        spans = logs[rest[ends[starts] - 1]] - logs[rest[starts]]
        start = int(starts[int(spans.argmin())])
        members = rest[start : start + most]
        left[members] = False
        found.append((float(logs[members].mean()), order[members]))
    return [np.sort(members) for _, members in sorted(found, key=lambda entry: entry[0])]


def geometric_mean(values: Floats) -> float:
    """Exp of the mean log."""
    return float(np.exp(np.log(values).mean()))


# -- the frontier ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Frontier(Approach):
    """Approach 1: compute laws through the undominated runs, moved to the optimum of their own
    compute.
    """

    params: Floats
    tokens: Floats
    compute: Floats

    name = "frontier"

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> CurvePoints:
        """The frontier is that of the losses as they are; its runs are then moved to the envelope."""
        chosen = frontier(self.compute, losses).astype(np.float64)
        if weights is not None:
            chosen *= weights
        moved = laws.moved(losses, self.params, self.tokens, laws.envelope(self.compute))
        return CurvePoints(losses, moved, chosen)

    def sizes(
        self, losses: Floats, weights: Floats | None, laws: Laws
    ) -> tuple[Floats, Floats, Floats]:
        """Those of the undominated runs."""
        chosen = self.points(losses, weights, laws).weights
        n, d = (np.broadcast_to(np.log(x), chosen.shape) for x in (self.params, self.tokens))
        return n, d, chosen

    def described(self, losses: Floats) -> dict[str, Any]:
        """The number of runs on the frontier."""
        return {"n_runs": int(frontier(self.compute, losses).sum())}


def frontier(compute: Floats, losses: Floats) -> Flags:
    """The runs whose loss is below that of every cheaper run and not above that of any run with the
    same compute, which a hundredth of its logarithm tells apart.

    Parameters
    ----------
    compute : ndarray
        (n,).
    losses : ndarray
        (n,) or (K, n).

    Returns
    -------
    ndarray of bool
        Of the shape of `losses`.

    Examples
    --------
    >>> frontier(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 2.0, 2.5, 1.5]))
    array([ True,  True, False,  True])
    """
    rows = np.atleast_2d(losses)
    spent = np.round(np.log(compute) / SAME_COMPUTE)
    order = np.argsort(spent, kind="stable")
    _, starts, which = np.unique(spent[order], return_index=True, return_inverse=True)
    sorted_rows = rows[:, order]
    best = np.minimum.reduceat(sorted_rows, starts, axis=1)
    before = np.full_like(best, np.inf)
    before[:, 1:] = np.minimum.accumulate(best, axis=1)[:, :-1]
    found = np.empty(rows.shape, dtype=bool)
    found[:, order] = (sorted_rows == best[:, which]) & (sorted_rows < before[:, which])
    return found.reshape(np.shape(losses))


# -- fixed ratios ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunsOnRay:
    """Runs near one ratio."""

    tokens_per_param: float
    members: Indices


class FixedRatio(Approach):
    """Compute laws through runs near one D/N, with the objective of the joint fit, for they are
    some of its runs.
    """

    name = "fixed-ratio"

    def __init__(
        self, ray: RunsOnRay, params: Floats, tokens: Floats, compute: Floats, objective: Objective
    ) -> None:
        self.ray, self.objective = ray, objective
        columns = (params, tokens, compute)
        self.params, self.tokens, self.compute = (column[ray.members] for column in columns)

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> CurvePoints:
        """The runs of the ray, moved onto it at their own compute."""
        raw = losses[:, self.ray.members]
        own = 1.0 if weights is None else weights[self.ray.members]
        counted = np.broadcast_to(own, raw.shape)
        on_ray = laws.ray(self.compute, self.ray.tokens_per_param)
        return CurvePoints(raw, laws.moved(raw, self.params, self.tokens, on_ray), counted)

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """The compute law through the laws' own losses on the ray."""
        counted = None if weights is None else weights[self.ray.members]
        on_ray = laws.ray(self.compute, self.ray.tokens_per_param)
        return fit_compute_laws(self.compute, on_ray, counted, self.objective)

    def described(self, losses: Floats) -> dict[str, Any]:
        """The number of runs and their ratio."""
        return {"n_runs": len(self.ray.members), "tokens_per_param": self.ray.tokens_per_param}


def find_rays(
    params: Floats, tokens: Floats, compute: Floats, tolerance: float, least_runs: int = LEAST_RUNS
) -> list[RunsOnRay]:
    """The ratios D/N at which enough runs over a factor 10 of compute were trained.

    Parameters
    ----------
    params, tokens, compute : ndarray
        Of the runs; (n,), > 0.
    tolerance : float
        The largest ratio of a ray's runs exceeds the smallest by at most this share; > 0.
    least_runs : int

    Returns
    -------
    list of RunsOnRay
        By increasing ratio.
    """
    return [
        RunsOnRay(geometric_mean(tokens[members] / params[members]), members)
        for members in clusters(tokens / params, tolerance, least_runs)
        if len(np.unique(compute[members])) >= LEAST_RUNS
        and compute[members].max() >= LEAST_SPAN * compute[members].min()
    ]


def chosen_rays(
    params: Floats,
    tokens: Floats,
    compute: Floats,
    optimum: float,
    tolerance: float,
    ratios: Sequence[float] | None,
) -> tuple[list[RunsOnRay], str]:
    """The rays to compare, and why there is none; empty where there is one.

    Without chosen ratios it is the one nearest the optimum D*/N* of those that a tenth of the runs
    share.

    Raises
    ------
    ValueError
        Where a chosen ratio has no ray.
    """
    rays = find_rays(params, tokens, compute, tolerance)
    if ratios is not None:
        wanted = np.atleast_1d(positive_array("ratios", ratios)).tolist()
        if not wanted:
            raise outside("ratios", ratios, "at least one positive finite number, or None")
        chosen = [_at_ratio(rays, ratio, tolerance) for ratio in wanted]
        return [ray for ray in rays if any(ray is one for one in chosen)], ""
    least_runs = max(LEAST_RUNS, ceil(LEAST_SHARE * len(params)))
    usual = [ray for ray in rays if len(ray.members) >= least_runs]
    if usual:
        return [min(usual, key=lambda ray: abs(log(ray.tokens_per_param / optimum)))], ""
    return [], (
        f"no {least_runs} runs with D/N within {round_percent(tolerance)} of one another, at "
        f"{LEAST_RUNS} or more values of compute over a factor {LEAST_SPAN:g}"
    )


def _at_ratio(rays: Sequence[RunsOnRay], ratio: float, tolerance: float) -> RunsOnRay:
    """The ray nearest a ratio, within the tolerance."""

    def distance(ray: RunsOnRay) -> float:
        return abs(log(ray.tokens_per_param / ratio))

    nearest = min(rays, key=distance, default=None)
    if nearest is not None and distance(nearest) <= log1p(tolerance):
        return nearest
    complaint = (
        f"must be the D/N, within {round_percent(tolerance)}, of at least {LEAST_RUNS} runs at as "
        f"many values of compute over a factor {LEAST_SPAN:g}: "
    )
    known = ", ".join(f"{ray.tokens_per_param:.3g}" for ray in rays)
    raise ArgumentError("ratios", ratio, complaint=complaint + (known or "there is none"))
