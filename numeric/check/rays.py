r"""Runs at a fixed ratio D/N: the compute law through them is that of a ray, not of the envelope.

On the ray D = t N the params+tokens law is a sum of two powers of compute (`ray_reducible_loss`),
so unless beta = gamma no compute law E + C0 C^-alpha exactly: one that is fitted to it has a larger
E and an exponent between beta/2 and gamma/2. What theory predicts for the compute law through the
runs is therefore the compute law through the law's own losses on the ray, and the difference of the
two is the law's misfit alone. Runs are first moved along the law onto the exact ray, L L(C on the
ray)/L(N, D).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, outside, positive_array
from .approaches import LEAST_SPAN, Approach, Points
from .band import round_percent
from .clusters import clusters, geometric_mean
from .compute_fit import ComputeLaws, fit_compute_laws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..fit.objective import Objective
    from .laws import Laws

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["FixedRatio", "Ray", "chosen_rays", "find_rays", "preferred"]

#: So many rays where none are chosen: those around and above the optimum.
MOST_RAYS = 3
#: Runs of a ray, and as many values of compute.
LEAST_RUNS = 5
#: A ratio that fewer of the runs share is one by chance.
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Ray:
    """Runs near one ratio."""

    tokens_per_param: float
    members: Indices


class FixedRatio(Approach):
    """Compute laws through runs near one D/N, with the objective of the joint fit, for they are
    some of its runs.
    """

    name = "fixed-ratio"
    more_runs = "more at this ratio"

    def __init__(
        self, ray: Ray, params: Floats, tokens: Floats, compute: Floats, objective: Objective
    ) -> None:
        self.ray, self.objective = ray, objective
        columns = (params, tokens, compute)
        self.params, self.tokens, self.compute = (column[ray.members] for column in columns)

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The runs of the ray, moved onto it at their own compute."""
        raw = losses[:, self.ray.members]
        own = 1.0 if weights is None else weights[self.ray.members]
        counted = np.broadcast_to(own, raw.shape)
        on_ray = laws.ray(self.compute, self.ray.tokens_per_param)
        return Points(raw, laws.moved(raw, self.params, self.tokens, on_ray), counted, counted)

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
) -> list[Ray]:
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
    list of Ray
        By increasing ratio.
    """
    return [
        Ray(geometric_mean(tokens[members] / params[members]), members)
        for members in clusters(tokens / params, tolerance, least_runs)
        if len(np.unique(compute[members])) >= LEAST_RUNS
        and compute[members].max() >= LEAST_SPAN * compute[members].min()
    ]


def preferred(rays: Sequence[Ray], optimum: float, most: int = MOST_RAYS) -> list[Ray]:
    """So many of the rays, around and above the optimum D*/N*, by increasing ratio.

    First the ray nearest the optimum, then those above that one, then those below it; above and
    below alike those with the most runs first, and of as many runs the nearest to the optimum.
    """

    def distance(ray: Ray) -> float:
        return abs(log(ray.tokens_per_param / optimum))

    def rank(ray: Ray) -> tuple[bool, bool, int, float]:
        below = ray.tokens_per_param < nearest.tokens_per_param
        return ray is not nearest, below, -len(ray.members), distance(ray)

    if not rays:
        return []
    nearest = min(rays, key=distance)
    return sorted(sorted(rays, key=rank)[:most], key=lambda ray: ray.tokens_per_param)


def chosen_rays(
    params: Floats,
    tokens: Floats,
    compute: Floats,
    optimum: float,
    tolerance: float,
    ratios: Sequence[float] | None,
) -> tuple[list[Ray], tuple[float, ...], str]:
    """The rays to compare, the ratios of those that are left out, and why there is none; empty
    where there is one.

    Raises
    ------
    ValueError
        Where a chosen ratio has no ray.
    """
    rays = find_rays(params, tokens, compute, tolerance)
    least_runs = max(LEAST_RUNS, ceil(LEAST_SHARE * len(params)))
    usual = [ray for ray in rays if len(ray.members) >= least_runs]
    if ratios is None:
        compared = preferred(usual, optimum)
    else:
        wanted = np.atleast_1d(positive_array("ratios", ratios)).tolist()
        if not wanted:
            raise outside("ratios", ratios, "at least one positive finite number, or None")
        chosen = [_at_ratio(rays, ratio, tolerance) for ratio in wanted]
        compared = [ray for ray in rays if any(ray is one for one in chosen)]
    left_out = [ray for ray in usual if not any(ray is one for one in compared)]
    reason = (
        f"no {least_runs} runs with D/N within {round_percent(tolerance)} of one another, at "
        f"{LEAST_RUNS} or more values of compute over a factor {LEAST_SPAN:g}"
    )
    ratios_left_out = tuple(ray.tokens_per_param for ray in left_out)
    return compared, ratios_left_out, "" if compared else reason


def _at_ratio(rays: Sequence[Ray], ratio: float, tolerance: float) -> Ray:
    """The ray nearest a ratio, within the tolerance."""

    def distance(ray: Ray) -> float:
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
