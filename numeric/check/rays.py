r"""Runs at a fixed ratio D/N: the compute law through them is that of a ray, not of the envelope.

On the ray D = t N the params+tokens law is a sum of two powers of compute (`ray_reducible_loss`), so unless beta = gamma no
compute law E + C0 C^-alpha exactly: one that is fitted to it has a larger E and an exponent between beta/2 and gamma/2. What
theory predicts for the compute law through the runs is therefore the compute law through the law's own losses on the ray, and
the difference of the two is the law's misfit alone. Runs are first moved along the law onto the exact ray,
L L(C on the ray)/L(N, D).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p
from typing import TYPE_CHECKING

import numpy as np

from .clusters import clusters, geometric_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .laws import Laws

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["Ray", "at_ratio", "find_rays", "moved_to_ray", "preferred"]


@dataclass(frozen=True)
class Ray:
    """Runs near one ratio."""

    tokens_per_param: float
    members: Indices


def find_rays(
    params: Floats,
    tokens: Floats,
    compute: Floats,
    *,
    tolerance: float,
    least_budgets: int,
    least_runs: int,
    least_span: float,
) -> list[Ray]:
    """The ratios D/N at which enough runs over enough compute were trained.

    Parameters
    ----------
    params, tokens, compute : ndarray
        Of the runs; (n,), > 0.
    tolerance : float
        The largest ratio of a ray's runs exceeds the smallest by at most this share; > 0.
    least_budgets, least_runs : int
        A ray has at least so many different values of compute, and so many runs.
    least_span : float
        The largest compute over the smallest, at least.

    Returns
    -------
    list of Ray
        By increasing ratio.
    """
    return [
        Ray(geometric_mean(tokens[entry] / params[entry]), entry)
        for entry in clusters(tokens / params, tolerance, least_runs)
        if len(np.unique(compute[entry])) >= least_budgets and compute[entry].max() >= least_span * compute[entry].min()
    ]


def preferred(rays: Sequence[Ray], optimum: float, most: int) -> list[Ray]:
    """So many of the rays, around and above the optimum.

    First the ray nearest the optimum, then those above that one, then those below it; above and below alike those with the most
    runs first, and of as many runs the nearest to the optimum.

    Parameters
    ----------
    rays : sequence of Ray
    optimum : float
        D*/N*; > 0.
    most : int

    Returns
    -------
    list of Ray
        By increasing ratio.
    """

    def distance(ray: Ray) -> float:
        return abs(log(ray.tokens_per_param) - log(optimum))

    if not rays:
        return []
    nearest = min(rays, key=distance)
    ordered = sorted(rays, key=lambda ray: (ray.tokens_per_param < nearest.tokens_per_param, -len(ray.members), distance(ray)))
    ordered = [nearest, *(ray for ray in ordered if ray is not nearest)]
    return sorted(ordered[:most], key=lambda ray: ray.tokens_per_param)


def at_ratio(rays: Sequence[Ray], ratio: float, tolerance: float) -> Ray | None:
    """The ray nearest a ratio, None where it differs from the ratio by more than the tolerance."""
    near = min(rays, key=lambda ray: abs(log(ray.tokens_per_param / ratio)), default=None)
    if near is None or abs(log(near.tokens_per_param / ratio)) > log1p(tolerance):
        return None
    return near


def moved_to_ray(losses: Floats, params: Floats, tokens: Floats, compute: Floats, ratio: float, laws: Laws) -> Floats:
    """Losses (K, n) moved along each law to the ray at the run's compute: L L(C on the ray)/L(N, D)."""
    return losses * laws.ray(compute, ratio) / laws.losses(params, tokens)
