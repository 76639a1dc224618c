r"""Runs at a fixed ratio D/N: the compute law through them is that of a ray, not of the envelope.

On the ray D = t N the params+tokens law is a sum of two powers of compute (`ray_reducible_loss`), so unless beta = gamma no
compute law E + C0 C^-alpha exactly: one that is fitted to it has a larger E and an exponent between beta/2 and gamma/2. What
theory predicts for the compute law through the runs is therefore the compute law through the law's own losses on the ray, and
the difference of the two is the law's misfit alone. Runs are first moved along the law onto the exact ray,
L L(C on the ray)/L(N, D).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isoflop.numeric.empirical.clusters import clusters, geometric_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.empirical.laws import Laws

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["Ray", "find_rays", "moved_to_ray"]


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
    most: int,
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
    most : int
        So many rays at most: those with the most runs.

    Returns
    -------
    list of Ray
        By increasing ratio.
    """
    found = [
        Ray(geometric_mean(tokens[entry] / params[entry]), entry)
        for entry in clusters(tokens / params, tolerance, least_runs)
        if len(np.unique(compute[entry])) >= least_budgets and compute[entry].max() >= least_span * compute[entry].min()
    ]
    largest = sorted(found, key=lambda ray: -len(ray.members))[:most]
    return sorted(largest, key=lambda ray: ray.tokens_per_param)


def moved_to_ray(losses: Floats, params: Floats, tokens: Floats, compute: Floats, ratio: float, laws: Laws) -> Floats:
    """Losses (K, n) moved along each law to the ray at the run's compute: L L(C on the ray)/L(N, D)."""
    return losses * laws.ray(compute, ratio) / laws.losses(params, tokens)
