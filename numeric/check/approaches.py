r"""Three approaches to a compute law that need no params+tokens law: the frontier of the runs,
isoFLOP minima, and runs at a fixed ratio D/N.

Each has a known bias, and one remedy serves them all: the losses are first moved along the fitted
params+tokens law from where the runs are to where the theory speaks. If the law holds, moved losses
scatter about the predicted curve; if not, their residuals, which moving keeps, follow another.

* The frontier (approach 1 of Hoffmann et al. 2022, arXiv 2203.15556) consists of the runs that no
  run of the same or less compute beats. Each is moved to the optimum of its compute: L L*(C)/L(N, D).
* IsoFLOP minima (approach 2) are vertices of parabolas in log N, one for each budget. They miss the
  optimum where beta and gamma differ, or the sizes are not centred on it (arXiv 2603.22339). The
  vertices through the law's own losses at the same runs miss it by as much, which is subtracted.
* On the ray D = t N the law is a sum of two powers of compute: the theory predicts the compute law
  through the law's own losses on the ray.

Params and tokens are N' and D' of `RunsBudget` throughout, so that C = 6 N' D'.
"""

from __future__ import annotations

from math import ceil, exp, log
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..errors import ArgumentError
from ..fit.objective import Objective
from ..fit.power import COMPUTE
from ..fit.solution import Solution, refit
from ..law.form import PARAMS_TOKENS, power
from ..law.scaling_law import DrawnLaw, Law
from ..words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]
    #: The points of an approach: losses where the theory speaks, their weights, log N*; (K, m) each.
    Points = tuple[Floats, Floats, Floats]

#: Computes whose logarithms differ by no more than this count as equal.
SAME_COMPUTE = 0.01
#: Columns of estimates: the coefficients of compute laws, and the line of log N* on log C.
LAW, PREDICTED = ["E", "log_C0", "alpha"], ["E_predicted", "log_C0_predicted", "alpha_predicted"]
LINE = ["exponent", "level"]
#: Compute laws are fitted by least squares, on a ray by the objective of the params+tokens law.
LEAST_SQUARES, HUBER = Objective(name="least-squares-log"), Objective(name="huber-log")
#: Runs share a budget, or a ratio D/N, if the largest exceeds the smallest by at most this share
#: (and what rounding may add to its logarithm).
TOGETHER, ROUNDING = 0.1, 1e-9
#: The fewest points of a compute law, the fewest runs of a frontier, and the least ratio of the
#: largest compute to the smallest.
LEAST_BUDGETS, LEAST_FRONTIER, LEAST_SPAN = 4, 6, 10.0
#: The sizes of runs are compared within this factor of compute; a frontier with a larger share of
#: runs at the edge of these sizes has no N*.
NEAR, MOST_AT_EDGE = 2.0, 0.5
#: The fewest sizes of a parabola, which has three coefficients, and the least ratio of the largest to
#: the smallest.
LEAST_SIZES, LEAST_SIZES_SPAN = 5, 2.0
#: The fewest runs of a ray, and values of compute on it; a ratio that a smaller share of the runs has
#: is taken for a coincidence.
LEAST_RUNS, LEAST_SHARE = 5, 0.1
#: Singular values below this share of the largest count as 0.
SINGULAR = 1e-6


class RunsBudget(NamedTuple):
    """The compute of training, C = kappa N^a D^d.

    With N' = kappa/6 N^a and D' = D^d it is C = 6 N' D', and a law E + A N^-beta + B D^-gamma has the
    same form in N' and D'. So all that is known for 6ND holds for N' and D'.
    """

    kappa: float = 6.0
    a: float = 1.0
    d: float = 1.0

    @classmethod
    def of(cls, params: Floats, tokens: Floats, compute: Floats) -> RunsBudget:
        """6ND if it gives the compute of the runs to 1 %, else the power law through their compute,
        or kappa N D if the runs do not determine its exponents. A ValueError where the compute falls
        with params or tokens.
        """
        logs = np.log(compute / formulas.compute(params, tokens))
        if np.abs(logs).max() < SAME_COMPUTE:
            return cls()
        n, d = np.log(params), np.log(tokens)
        design = np.stack([np.ones_like(n), n - n.mean(), d - d.mean()], axis=1)
        found, _, rank, _ = np.linalg.lstsq(design, logs, rcond=SINGULAR)
        level, a, b = found if rank == 3 else (logs.mean(), 0.0, 0.0)
        if min(a, b) <= -1.0:
            raise ArgumentError("compute", complaint="must grow with both params and tokens")
        return cls(6.0 * float(np.exp(level - a * n.mean() - b * d.mean())), 1.0 + a, 1.0 + b)

    def scaled(self, params: Any, tokens: Any) -> tuple[Any, Any]:
        """N' and D'."""
        return self.kappa / 6.0 * params**self.a, tokens**self.d

    def unscaled(self, params: Any, tokens: Any) -> tuple[Any, Any]:
        """N and D from N' and D'."""
        return (6.0 / self.kappa * params) ** (1.0 / self.a), tokens ** (1.0 / self.d)

    def law(self, E: Any, A: Any, B: Any, beta: Any, gamma: Any) -> Law:
        """The law in N' and D'; the coefficients are numbers, or arrays (K, 1) of K laws."""
        A = A * (self.kappa / 6.0) ** (beta / self.a)
        own = {"E": E, "A": A, "B": B, "beta": beta / self.a, "gamma": gamma / self.d}
        return Law(**own) if isinstance(E, float) else DrawnLaw(PARAMS_TOKENS, own)

    def __str__(self) -> str:
        return f"C = {self.kappa:.3g} N^{self.a:.3f} D^{self.d:.3f}"


SIX_ND = RunsBudget()


class Rows(NamedTuple):
    """The n runs: N', D', the compute that was spent, and losses."""

    params: Floats
    tokens: Floats
    compute: Floats
    loss: Floats


class Approach(NamedTuple):
    """A way to take a compute law from the runs: the first entries of its row in the table, with the
    `reason` why the runs do not allow it, empty if they do; the compute (m,) of its points, FLOP; and
    for a fixed ratio N' and D' of its runs, moved onto the ray.

    `points` maps the losses (K, n) of all runs and K params+tokens laws, or one, to `Points`; log N*
    is NaN where the approach finds none.
    """

    approach: str
    name: str
    n_runs: int
    reason: str
    compute: Any = None
    points: Any = None
    ray: tuple[Floats, Floats] | None = None
    tokens_per_param: float | None = None

    def estimate(self, losses: Floats, law: Law) -> DataFrame:
        """The compute laws through the points of losses (K, n), and those that K laws, or one,
        predict: the envelope, or the compute law through the law's own losses on the ray.

        Returns
        -------
        DataFrame
            K rows: the coefficients `LAW` and `PREDICTED`; exponent and level, the slope and the
            intercept of log N* on log C; share, the exponent by the law; valid, whether both compute
            laws converged and the first has enough points.
        """
        from pandas import DataFrame

        moved, weights, log_params = self.points(losses, law)
        objective, best = LEAST_SQUARES if self.ray is None else HUBER, law.envelope
        found, valid = fit_compute_laws(self.compute, moved, weights, objective)
        valid = valid & (np.count_nonzero(weights, axis=1) >= LEAST_BUDGETS)
        if self.ray is None:
            parts = np.broadcast_arrays(law.E, np.log(best.coefficient), best.exponent)
            predicted = np.stack(parts, axis=-1).reshape(-1, 3)
        else:
            own = np.atleast_2d(law.loss(*self.ray))
            predicted, known = fit_compute_laws(self.compute, own, objective=objective)
            valid = valid & known
        line = np.stack(lines(np.log(self.compute), log_params, weights), axis=1)
        table = DataFrame(np.hstack([found, predicted, line]), columns=[*LAW, *PREDICTED, *LINE])
        share = np.broadcast_to(np.ravel(best.params_share), len(losses))
        return table.assign(share=share, valid=valid)


def losses_at(compute: Floats, laws: Floats) -> Floats:
    """The losses (K, n) at compute (n,) of K compute laws, given as rows of E, log C0 and alpha."""
    E, log_C0, alpha = laws.T[:, :, None]
    return np.asarray(E + power(compute, log_C0, alpha))


def fit_compute_laws(
    compute: Floats, losses: Floats, weights: Any = 1.0, objective: Objective = LEAST_SQUARES
) -> tuple[Floats, Flags]:
    """The best compute laws E + C0 C^-alpha with E >= 0 through K sets of losses (K, n) at the same
    compute (n,), FLOP; weights, >= 0, broadcast to (K, n).

    Returns
    -------
    laws, converged : ndarray
        (K, 3): E, log C0 and alpha; (K,): False, with a law of NaN, where fewer than three budgets
        have a positive weight.
    """
    weights = np.broadcast_to(weights, losses.shape)
    known = np.array([len(np.unique(compute[row > 0.0])) >= 3 for row in weights], dtype=bool)
    laws, converged = np.full((len(losses), 3), np.nan), known.copy()
    if known.any():
        losses, weights = losses[known], weights[known]
        rows: Any = SimpleNamespace(compute=compute, loss=losses[0])
        one = Solution.of(COMPUTE.posed(rows), rows, objective, weights=weights[0])
        ends = refit(one.problem._replace(target=np.log(losses), weights=weights), one)
        laws[known], converged[known] = ends.theta @ one.model.to_coordinates.T, ends.done
    return laws, converged


def lines(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The slopes and intercepts of weighted least-squares lines along the last axis of arrays that
    broadcast; NaN where fewer than two x have a weight.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=-1)
        centre_x, centre_y = (weights * x).sum(axis=-1) / total, (weights * y).sum(axis=-1) / total
        from_x, from_y = x - centre_x[..., None], y - centre_y[..., None]
        slope = (weights * from_x * from_y).sum(axis=-1) / (weights * from_x**2).sum(axis=-1)
    return slope, centre_y - slope * centre_x


# -- the frontier ----------------------------------------------------------------------------------


def find_frontier(rows: Rows) -> Approach:
    """Approach 1: the runs that none beats, at least six over a factor 10 of compute."""
    on = frontier(rows.compute, rows.loss)
    chosen, is_edge = rows.compute[on], at_the_edge(rows.params, rows.compute)
    span, reason = float(chosen.max() / chosen.min()), ""
    if len(chosen) < LEAST_FRONTIER or span < LEAST_SPAN:
        reason = (
            f"{counted(len(chosen), 'run')} on the frontier over a factor {span:.3g} of compute; "
            f"the curve needs at least {LEAST_FRONTIER} over a factor {LEAST_SPAN:g}"
        )

    log_params = np.log(rows.params)
    if is_edge[on].mean() > MOST_AT_EDGE:
        log_params = np.full_like(log_params, np.nan)

    def points(losses: Floats, law: Law) -> Points:
        """The runs on the frontier of these losses, moved to the envelope."""
        weights = frontier(rows.compute, losses).astype(float)
        moved = losses * law.L_opt(rows.compute) / law.loss(rows.params, rows.tokens)
        return moved, weights, np.broadcast_to(log_params, losses.shape)

    return Approach("frontier", "frontier", len(chosen), reason, rows.compute, points)


def at_the_edge(params: Floats, compute: Floats) -> Flags:
    """The mask of the runs (n,) that are the smallest or the largest of those with a compute within
    `NEAR` of theirs. A size beyond theirs may be better, so they do not determine N*.
    """
    near = np.abs(np.log(compute[:, None] / compute)) <= np.log(NEAR)
    smaller = (near & (params < params[:, None])).any(axis=1)
    return np.asarray(~(smaller & (near & (params > params[:, None])).any(axis=1)))


def frontier(compute: Floats, losses: Floats) -> Flags:
    """The mask of the runs whose loss (..., n) is below that of every cheaper run and not above that
    of any run with the same compute (n,).
    """
    _, level = np.unique(np.round(np.log(compute) / SAME_COMPUTE), return_inverse=True)
    best = np.full((*losses.shape[:-1], level.max() + 1), np.inf)
    places: Any = (..., level)
    np.minimum.at(best, places, losses)
    lower = np.diff(np.minimum.accumulate(best, axis=-1), axis=-1, prepend=np.inf) < 0.0
    return np.asarray((losses == best[..., level]) & lower[..., level])


# -- isoFLOP minima --------------------------------------------------------------------------------


class Profiles(NamedTuple):
    """IsoFLOP profiles of J budgets: the indices of their runs, and their compute (J,), FLOP."""

    rows: Rows
    members: list[Indices]
    compute: Floats

    def minima(self, losses: Floats) -> Floats:
        """log N* and the loss there by the parabolas through losses (K, n): (2, K, J), NaN where a
        parabola has no minimum within the sizes.
        """
        found = np.full((2, len(losses), len(self.members)), np.nan)
        for j, own in enumerate(self.members):
            found[:, :, j] = vertices(np.log(self.rows.params[own]), losses[:, own])
        return found

    def corrected(self, losses: Floats, law: Law) -> tuple[Floats, Floats]:
        """log N* and L* (K, J) without the bias of the parabolas, by which those through the losses
        of K laws, or of one, miss the optima of these laws.
        """
        log_params, loss = self.minima(losses)
        own = np.atleast_2d(law.loss(self.rows.params, self.rows.tokens))
        own_params, own_loss = self.minima(own)
        log_params = log_params - (own_params - np.log(law.N_opt(self.compute)))
        return log_params, loss / (own_loss / law.L_opt(self.compute))

    def points(self, losses: Floats, law: Law) -> Points:
        """The corrected minima; a budget without one has no weight, and any positive loss."""
        log_params, loss = self.corrected(losses, law)
        known = np.isfinite(loss)
        return np.where(known, loss, 1.0), known.astype(float), np.where(known, log_params, 0.0)

    def table(self, law: Law, budget: RunsBudget) -> DataFrame:
        """The optimum of every budget by its profile, in N and D; see `Check.budgets`."""
        from pandas import DataFrame

        log_params, loss = (part[0] for part in self.corrected(self.rows.loss[None], law))
        best = np.exp(log_params)
        params, tokens = budget.unscaled(best, self.compute / (6.0 * best))
        sizes = [budget.unscaled(self.rows.params[own], 1.0)[0] for own in self.members]
        return DataFrame(
            {
                "compute": self.compute,
                "n_runs": [len(own) for own in sizes],
                "params_lo": [own.min() for own in sizes],
                "params_hi": [own.max() for own in sizes],
                "corrected_params": params,
                "corrected_tokens": tokens,
                "corrected_loss": loss,
            }
        )


def find_profiles(rows: Rows) -> Profiles:
    """The profiles of the budgets, to 10 %, at which at least five sizes over a factor of two were
    trained.
    """
    members = [
        own
        for own in clusters(rows.compute, TOGETHER, LEAST_SIZES)
        if len(np.unique(rows.params[own])) >= LEAST_SIZES
        and rows.params[own].max() >= LEAST_SIZES_SPAN * rows.params[own].min()
    ]
    compute = np.array([np.exp(np.log(rows.compute[own]).mean()) for own in members])
    return Profiles(rows, members, compute)


def find_minima(profiles: Profiles, law: Law) -> Approach:
    """Approach 2: the budgets whose profile has a minimum, at least four over a factor 10."""
    found = np.isfinite(profiles.corrected(profiles.rows.loss[None], law)[1][0])
    members = [own for own, has_one in zip(profiles.members, found, strict=True) if has_one]
    usable, reason = Profiles(profiles.rows, members, profiles.compute[found]), ""
    if len(members) < LEAST_BUDGETS or usable.compute[-1] < LEAST_SPAN * usable.compute[0]:
        reason = (
            f"{len(members)} of {counted(len(profiles.members), 'budget')} with five sizes over a factor "
            f"2 have a minimum between their sizes; the curve needs {LEAST_BUDGETS} over a factor "
            f"{LEAST_SPAN:g} of compute"
        )
    n_runs = sum(map(len, members))
    return Approach("isoflop", "isoFLOP minima", n_runs, reason, usable.compute, usable.points)


def vertices(x: Floats, y: Floats) -> Floats:
    """The position and height (2, K) of the vertices of parabolas through the points x (n,), y (K, n)
    by least squares; NaN for one that does not open upwards, or is not lowest between the x and
    above 0.
    """
    centre, scale = x.mean(), float(np.ptp(x)) / 2.0
    # Differences from the mean keep the digits that determine the shape of a flat profile.
    mean = y.mean(axis=1)
    curvature, slope, constant = np.polyfit((x - centre) / scale, (y - mean[:, None]).T, 2)
    with np.errstate(all="ignore"):
        at = -slope / (2.0 * curvature)
        position, height = centre + scale * at, constant + slope * at / 2.0 + mean
        valid = (curvature > 0.0) & (position >= x.min()) & (position <= x.max()) & (height > 0.0)
    return np.where(valid, [position, height], np.nan)


# -- fixed ratios ----------------------------------------------------------------------------------


def find_ray(rows: Rows, budget: RunsBudget, law: Law) -> Approach:
    """Approach 3: the runs within 10 % of one D/N, moved onto the ray at their own compute. Of the
    ratios that a tenth of the runs share, at five or more values of compute over a factor 10, it is
    the one nearest D*/N*.
    """
    params, tokens = budget.unscaled(rows.params, rows.tokens)
    least = max(LEAST_RUNS, ceil(LEAST_SHARE * len(params)))
    rays = [
        own
        for own in clusters(tokens / params, TOGETHER, least)
        if len(np.unique(rows.compute[own])) >= LEAST_RUNS
        and rows.compute[own].max() >= LEAST_SPAN * rows.compute[own].min()
    ]
    if not rays:
        over = f"at {LEAST_RUNS} or more values of compute over a factor {LEAST_SPAN:g}"
        reason = f"no {least} runs with D/N within {100 * TOGETHER:g} % of one another, {over}"
        return Approach("fixed-ratio", "fixed D/N", 0, reason)
    centre = exp(np.log(rows.compute).mean())
    best_params, best_tokens = budget.unscaled(law.N_opt(centre), law.D_opt(centre))
    ratios = [exp(np.log(tokens[own] / params[own]).mean()) for own in rays]
    ratio = min(ratios, key=lambda ratio: abs(log(ratio * best_params / best_tokens)))
    own = rays[ratios.index(ratio)]
    compute, (kappa, a, d) = rows.compute[own], budget
    sizes = (compute / (kappa * ratio**d)) ** (1.0 / (a + d))
    ray = budget.scaled(sizes, ratio * sizes)

    def points(losses: Floats, law: Law) -> Points:
        """The runs of the ratio, moved onto the ray."""
        moved = losses[:, own] * law.loss(*ray) / law.loss(rows.params[own], rows.tokens[own])
        return moved, np.ones(moved.shape), np.full(moved.shape, np.nan)

    name = f"D/N = {ratio:.3g}"
    return Approach("fixed-ratio", name, len(own), "", compute, points, ray, ratio)


# -- runs that share a value -----------------------------------------------------------------------


def clusters(values: Floats, tolerance: float, least: int) -> list[Indices]:
    """Disjoint sets of at least `least` runs, in each of which the largest value is at most (1 +
    tolerance) times the smallest, by increasing value. The window that holds the most runs is taken
    first (of several the narrowest), then the next among the rest, so that a planned design is found
    as it was planned.
    """
    logs, width = np.log(values), np.log1p(tolerance) + ROUNDING
    left, found = np.argsort(values, kind="stable"), list[Any]()
    while len(left):
        # A window never straddles one that was taken: whatever lies on both sides of it is further
        # apart than a window.
        own = logs[left]
        ends = np.searchsorted(own, own + width, side="right")
        counts = ends - np.arange(len(left))
        start = np.lexsort((own[ends - 1] - own, -counts))[0]
        if counts[start] < least:
            break
        found.append(np.sort(left[start : ends[start]]))
        left = np.delete(left, np.s_[start : ends[start]])
    return sorted(found, key=lambda members: float(logs[members].mean()))
