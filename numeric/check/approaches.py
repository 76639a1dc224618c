r"""Three approaches to a compute law that need no params+tokens law: the frontier of the runs,
isoFLOP minima, and runs at a fixed ratio D/N.

Every approach takes losses of runs to points on one curve of loss against compute, and those to a
compute law. Each has a known bias, and one remedy serves them all: with the fitted params+tokens law
at hand, the losses are first moved along it from where the runs are to where the theory speaks (the
envelope, the ray). If the law holds, moved losses scatter about the predicted curve; if it does
not, their residuals, which moving keeps, follow another.

The frontier (approach 1 of Hoffmann et al. 2022, arXiv 2203.15556) is of the runs that no run of the
same or less compute beats, the lower left staircase of loss against compute. No run sits exactly at
the optimum of its budget, so the staircase lies above the envelope: every run is moved along the law
to the optimum of its own compute, L L*(C)/L(N, D). And the least of many noisy losses is too low; the
moved staircase keeps that bias, which only a simulation of the noise can tell.

IsoFLOP minima (approach 2): at every budget a parabola through the losses over log N, by least
squares: its vertex is N*, its height there L*. The same over log D gives D*. An isoFLOP profile is
close to a parabola only near its minimum, and even about it only where beta = gamma: on a wide grid,
or one whose middle is off the optimum, the vertex is off as well (arXiv 2603.22339). The same
parabolas through the law's own losses at the very same runs miss the law's true optimum by that much,
which is taken off, as factors of N*, D* and L*. This also accounts for runs whose compute is not
exactly the budget, or is not 6ND.

On the ray D = t N the params+tokens law is a sum of two powers of compute, so unless beta = gamma no
compute law E + C0 C^-alpha exactly: one that is fitted to it has a larger E and an exponent between
beta/2 and gamma/2. What theory predicts for the compute law through the runs is therefore the compute
law through the law's own losses on the ray.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, exp, log
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..words import counted
from .laws import LEAST_SQUARES, SAME_COMPUTE, ComputeLaws, Laws, fit_compute_laws

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..fit.objective import Objective

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]

#: Runs share a budget, or a ratio D/N, where the largest exceeds the smallest by at most this share.
TOGETHER = 0.1
#: A compute law has three coefficients; a frontier of fewer runs has too little beyond them to be
#: judged.
LEAST_BUDGETS, LEAST_FRONTIER = 4, 6
#: The largest compute over the smallest, at least.
LEAST_SPAN = 10.0
#: Points of compute at which curves are compared.
GRID = 33
#: Runs of a ray, and as many values of compute; a ratio that a smaller share of the runs has is one
#: by chance.
LEAST_RUNS, LEAST_SHARE = 5, 0.1
#: A parabola has three coefficients: with five sizes two are left to judge it. The largest size over
#: the smallest, at least.
LEAST_SIZES, LEAST_SIZES_SPAN = 5, 2.0
#: Two values that differ by rounding alone count as equal.
ROUNDING = 1e-9
#: A design whose smallest singular value is a smaller share of the largest has fewer than three
#: different sizes.
SINGULAR = 1e-6
NO_MINIMUM = "no minimum of the parabola within the sizes"
BIASED_AWAY = "no minimum within the sizes of the parabola through the fitted law's own losses"


class Points(NamedTuple):
    """The points of an approach for K sets of losses, each (K, m): losses moved along the law to
    where the theory speaks, their weights, and log N* and log D* where the approach finds them.
    """

    losses: Floats
    weights: Floats
    sizes: tuple[Floats, Floats] | None = None


class Estimates(NamedTuple):
    """What an approach gives for K sets of losses.

    Attributes
    ----------
    empirical, predicted : ndarray
        (K, 3): E, log C0 and alpha through the moved points, and what theory predicts.
    difference : ndarray
        (K, G): relative difference in loss of the empirical from the predicted curve on the grid.
    exponents, intercepts : ndarray
        (K, 2): of log N* and log D* on log C; NaN where the approach says nothing of them.
    valid : ndarray of bool
        (K,): whether both fits converged, the empirical one to enough points.
    """

    empirical: Floats
    predicted: Floats
    difference: Floats
    exponents: Floats
    intercepts: Floats
    valid: Flags


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
    lacks : str
        Why the runs do not allow it; "" where they do.
    """

    name: ClassVar[str]
    objective: Objective = LEAST_SQUARES
    compute: Floats
    lacks: str

    @property
    def n_runs(self) -> int:
        """How many runs it uses."""
        raise NotImplementedError

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The points for losses (K, n) of the n runs with weights (n,), moved along K laws."""
        raise NotImplementedError

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """What K params+tokens laws predict for the compute law through the moved points: their
        envelopes.
        """
        return laws.envelopes

    @property
    def grid(self) -> Floats:
        """Compute at which the curves are compared, from the lowest to the highest of its points."""
        return np.geomspace(float(self.compute.min()), float(self.compute.max()), GRID)

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """The compute laws through the points of losses (K, n), beside the predicted ones."""
        points, predicted = self.points(losses, weights, laws), self.predicted(weights, laws)
        found = fit_compute_laws(self.compute, points.losses, points.weights, self.objective)
        enough = np.count_nonzero(points.weights, axis=1) >= LEAST_BUDGETS
        exponents = intercepts = np.full((len(losses), 2), np.nan)
        if points.sizes is not None:
            logs = np.log(self.compute)
            both = [lines(logs, sizes, points.weights) for sizes in points.sizes]
            exponents, intercepts = (np.stack(part, axis=1) for part in zip(*both, strict=True))
        return Estimates(
            found.coefficients,
            predicted.coefficients,
            found.losses(self.grid) / predicted.losses(self.grid) - 1.0,
            exponents,
            intercepts,
            found.converged & predicted.converged & enough,
        )


def lines(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Slopes and intercepts of weighted least-squares lines along the last axis of arrays that
    broadcast; NaN where fewer than two x count.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=-1)
        centre_x, centre_y = (weights * x).sum(axis=-1) / total, (weights * y).sum(axis=-1) / total
        from_x, from_y = x - centre_x[..., None], y - centre_y[..., None]
        slope = (weights * from_x * from_y).sum(axis=-1) / (weights * from_x**2).sum(axis=-1)
    return slope, centre_y - slope * centre_x


# -- the frontier ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Frontier(Approach):
    """Approach 1: compute laws through the undominated runs, moved to the optimum of their own
    compute.
    """

    params: Floats
    tokens: Floats
    compute: Floats
    on_frontier: int
    lacks: str = ""

    name = "frontier"

    @property
    def n_runs(self) -> int:
        """Runs on the frontier."""
        return self.on_frontier

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The frontier is that of the losses as they are; its runs are then moved to the envelope."""
        chosen = frontier(self.compute, losses) * np.float64(1.0 if weights is None else weights)
        moved = losses * laws.envelope(self.compute) / laws.losses(self.params, self.tokens)
        n, d = (np.broadcast_to(np.log(x), chosen.shape) for x in (self.params, self.tokens))
        return Points(moved, chosen, (n, d))


def find_frontier(runs: Any, compute: Floats) -> Frontier:
    """The frontier of runs; at least six over a factor 10 of compute."""
    chosen = compute[frontier(compute, runs.loss)]
    span, lacks = float(chosen.max() / chosen.min()), ""
    if len(chosen) < LEAST_FRONTIER or span < LEAST_SPAN:
        over = f" over a factor {span:.3g} of compute" if len(chosen) > 1 else ""
        lacks = (
            f"{counted(len(chosen), 'run')} on the frontier{over}; takes at least {LEAST_FRONTIER} "
            f"over a factor {LEAST_SPAN:g} of compute"
        )
    return Frontier(runs.params, runs.tokens, compute, len(chosen), lacks)


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
    best = np.minimum.reduceat(rows[:, order], starts, axis=1)
    before = np.full_like(best, np.inf)
    before[:, 1:] = np.minimum.accumulate(best, axis=1)[:, :-1]
    found = np.empty(rows.shape, dtype=bool)
    found[:, order] = (rows[:, order] == best[:, which]) & (best < before)[:, which]
    return found.reshape(np.shape(losses))


# -- isoFLOP minima --------------------------------------------------------------------------------


class Minima(NamedTuple):
    """Vertices for K sets of losses at J budgets: arrays (K, J)."""

    log_params: Floats
    log_tokens: Floats
    loss: Floats
    curvature: Floats
    valid: Flags


@dataclass(frozen=True, eq=False)
class Isoflop(Approach):
    """Approach 2: compute laws through the minima of the isoFLOP profiles of J budgets.

    Attributes
    ----------
    params, tokens : ndarray
        Of all runs, (n,).
    members : tuple of ndarray
        Indices of the runs of each budget.
    compute : ndarray
        (J,): the budgets, FLOP.
    """

    params: Floats
    tokens: Floats
    members: tuple[Indices, ...]
    compute: Floats
    lacks: str = ""

    name = "isoflop"

    @property
    def n_runs(self) -> int:
        """Runs of all budgets."""
        return sum(map(len, self.members))

    def usable(self, losses: Floats, weights: Floats | None, laws: Laws) -> Isoflop:
        """The budgets whose profile of these losses (n,) has a minimum; at least four over a factor
        10 of compute.
        """
        chosen = self.corrected(losses[None], weights, laws).valid[0]
        members = tuple(entry for entry, keep in zip(self.members, chosen, strict=True) if keep)
        compute, lacks = self.compute[chosen], ""
        if len(members) < LEAST_BUDGETS or compute[-1] < LEAST_SPAN * compute[0]:
            lacks = (
                f"{counted(len(self.members), 'budget')} with five sizes or more over a factor 2, "
                f"{len(members)} with a minimum within the sizes; takes at least {LEAST_BUDGETS} "
                f"with one, over a factor {LEAST_SPAN:g} of compute"
            )
        return replace(self, members=members, compute=compute, lacks=lacks)

    def minima(self, losses: Floats, weights: Floats | None = None) -> Minima:
        """The vertices for losses (K, n) with weights (n,).

        Valid where the parabolas over log N and over log D both open upwards and are lowest between
        the least and the largest of the sizes.
        """
        shape = len(losses), len(self.members)
        log_n, log_d, heights, curvatures = np.empty((4, *shape))
        valid = np.empty(shape, dtype=bool)
        for j, members in enumerate(self.members):
            given, own = None if weights is None else weights[members], losses[:, members]
            n, d = np.log(self.params[members]), np.log(self.tokens[members])
            log_n[:, j], heights[:, j], curvatures[:, j], over_n = vertices(n, own, given)
            log_d[:, j], _, _, over_d = vertices(d, own, given)
            valid[:, j] = over_n & over_d
        return Minima(log_n, log_d, heights, curvatures, valid)

    def corrected(self, losses: Floats, weights: Floats | None, laws: Laws) -> Minima:
        """The minima for losses (K, n) without the bias of the parabolas: how far those through the
        losses of K laws, or of one, miss the optima of these. Valid where both are.
        """
        raw = self.minima(losses, weights)
        own = self.minima(laws.losses(self.params, self.tokens), weights)
        return Minima(
            raw.log_params - (own.log_params - np.log(laws.params(self.compute))),
            raw.log_tokens - (own.log_tokens - np.log(laws.tokens(self.compute))),
            raw.loss / (own.loss / laws.envelope(self.compute)),
            raw.curvature,
            raw.valid & own.valid,
        )

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The corrected minima; a budget without one has no weight."""
        found = self.corrected(losses, weights, laws)
        n, d = (np.where(found.valid, x, 0.0) for x in (found.log_params, found.log_tokens))
        # Of no weight: any positive number.
        return Points(np.where(found.valid, found.loss, 1.0), found.valid.astype(float), (n, d))

    def frame(self, losses: Floats, weights: Floats | None, laws: Laws) -> DataFrame:
        """What every budget says about its optimum, of losses (n,) and one law.

        Returns
        -------
        DataFrame
            A row a budget: compute (geometric mean of the runs', FLOP); n_runs, n_sizes; params_lo,
            params_hi (range of the sizes); params, tokens, loss (the vertex over log N, over log D,
            the height of the former) and curvature: loss + curvature (log N - log params)^2 is the
            parabola; corrected_params, corrected_tokens, corrected_loss; NaN where there is none;
            reason: why the budget is left out, empty where it counts.
        """
        from pandas import DataFrame

        raw, moved = self.minima(losses[None], weights), self.corrected(losses[None], weights, laws)
        own = [self.params[members] for members in self.members]
        named = {
            "": ("params", "tokens", "loss", "curvature"),
            "corrected_": ("params", "tokens", "loss"),
        }
        frame = DataFrame(
            {
                "compute": self.compute,
                "n_runs": [len(sizes) for sizes in own],
                "n_sizes": [len(np.unique(sizes)) for sizes in own],
                "params_lo": [sizes.min() for sizes in own],
                "params_hi": [sizes.max() for sizes in own],
            }
        )
        for (prefix, names), found in zip(named.items(), (raw, moved), strict=True):
            for name, values in zip(names, found, strict=False):
                known = np.where(found.valid, values, np.nan)[0]
                frame[f"{prefix}{name}"] = np.exp(known) if name in ("params", "tokens") else known
        reasons = np.where(raw.valid[0], BIASED_AWAY, NO_MINIMUM)
        return frame.assign(reason=np.where(moved.valid[0], "", reasons))


def find_budgets(params: Floats, tokens: Floats, compute: Floats) -> Isoflop:
    """The budgets, by increasing compute, at which at least five sizes that span a factor of two were
    trained; the largest compute of a budget's runs exceeds the smallest by at most 10 %.
    """
    members = [
        entry
        for entry in clusters(compute, TOGETHER, LEAST_SIZES)
        if len(np.unique(params[entry])) >= LEAST_SIZES
        and params[entry].max() >= LEAST_SIZES_SPAN * params[entry].min()
    ]
    budgets = np.array([np.exp(np.log(compute[entry]).mean()) for entry in members])
    return Isoflop(params, tokens, tuple(members), budgets)


def vertices(
    x: Floats, y: Floats, weights: Floats | None = None
) -> tuple[Floats, Floats, Floats, Flags]:
    """Parabolas y = height + curvature (x - position)^2 through the points x (n,), y (K, n) by least
    squares with weights (n,), >= 0.

    Returns
    -------
    position, height, curvature, valid : ndarray
        (K,) each, NaN where fewer than three x differ; valid where the parabola opens upwards and is
        lowest between the least and the largest x, above 0.
    """
    root = np.ones(len(x)) if weights is None else np.sqrt(weights)
    centre, scale = x.mean(), max(float(np.ptp(x)) / 2.0, np.finfo(float).tiny)
    design = np.vander((x - centre) / scale, 3, increasing=True) * root[:, None]
    # Differences from the mean keep the digits that tell a flat profile's shape.
    level = y.mean(axis=1)
    solved, _, rank, _ = np.linalg.lstsq(design, ((y - level[:, None]) * root).T, rcond=SINGULAR)
    constant, slope, curvature = solved if rank == 3 else np.full((3, len(y)), np.nan)
    with np.errstate(all="ignore"):
        at = -slope / (2.0 * curvature)
        position, height = centre + scale * at, constant + slope * at / 2.0 + level
        valid = (curvature > 0.0) & (position >= x.min()) & (position <= x.max()) & (height > 0.0)
    return position, height, curvature / scale**2, valid


# -- fixed ratios ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FixedRatio(Approach):
    """Compute laws through runs near one D/N, moved onto the ray at their own compute, with the
    objective of the joint fit, for they are some of its runs.
    """

    params: Floats
    tokens: Floats
    compute: Floats
    members: Indices
    objective: Objective
    lacks: str = ""

    name = "fixed-ratio"

    @property
    def n_runs(self) -> int:
        """Runs of the ray."""
        return len(self.members)

    @property
    def tokens_per_param(self) -> float:
        """Geometric mean of the runs'."""
        return float(np.exp(np.log(self.tokens / self.params).mean()))

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The runs of the ray."""
        own = losses[:, self.members]
        on_ray = laws.ray(self.compute, self.tokens_per_param)
        moved = own * on_ray / laws.losses(self.params, self.tokens)
        counted = 1.0 if weights is None else weights[self.members]
        return Points(moved, np.broadcast_to(counted, own.shape))

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """The compute law through the laws' own losses on the ray."""
        on_ray = laws.ray(self.compute, self.tokens_per_param)
        counted = 1.0 if weights is None else weights[self.members]
        return fit_compute_laws(self.compute, on_ray, counted, self.objective)


def find_ray(runs: Any, compute: Floats, laws: Laws, objective: Objective) -> FixedRatio:
    """The runs near one D/N, those within 10 % of one another: of the ratios that a tenth of the runs
    share, at five values of compute or more over a factor 10, the one nearest D*/N* at the mean
    compute.
    """
    params, tokens = runs.params, runs.tokens
    least = max(LEAST_RUNS, ceil(LEAST_SHARE * len(params)))
    rays = [
        FixedRatio(params[own], tokens[own], compute[own], own, objective)
        for own in clusters(tokens / params, TOGETHER, LEAST_RUNS)
        if len(own) >= least
        and len(np.unique(compute[own])) >= LEAST_RUNS
        and compute[own].max() >= LEAST_SPAN * compute[own].min()
    ]
    if not rays:
        over = f"at {LEAST_RUNS} or more values of compute over a factor {LEAST_SPAN:g}"
        lacks = f"no {least} runs with D/N within {100 * TOGETHER:g} % of one another, {over}"
        none = np.empty(0, dtype=np.intp)
        return FixedRatio(params[none], tokens[none], compute[none], none, objective, lacks)
    centre = np.array([exp(np.log(compute).mean())])
    optimum = float(laws.tokens(centre)[0, 0] / laws.params(centre)[0, 0])
    return min(rays, key=lambda ray: abs(log(ray.tokens_per_param / optimum)))


# -- runs that share a value -----------------------------------------------------------------------


def clusters(values: Floats, tolerance: float, least: int) -> list[Indices]:
    """Disjoint sets of at least so many runs whose largest value is at most (1 + tolerance) times the
    smallest, by increasing value.

    The window that holds the most runs is taken first, of several the narrowest, then the next
    among the rest: a planned design is found as it was planned, and a cloud of runs gives its dense
    places.
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
