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
from math import log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from .approaches import Approach, Points
from .clusters import clusters, geometric_mean
from .compute_fit import ComputeLaws, fit_compute_laws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..fit.objective import Objective
    from .laws import Laws

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["FixedRatio", "Ray", "at_ratio", "find_rays", "preferred"]


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
        self.params, self.tokens, self.compute = (
            column[ray.members] for column in (params, tokens, compute)
        )

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The runs of the ray, moved onto it at their own compute."""
        raw = losses[:, self.ray.members]
        counted = (
            np.ones_like(raw)
            if weights is None
            else np.broadcast_to(weights[self.ray.members], raw.shape)
        )
        on_ray = laws.ray(self.compute, self.ray.tokens_per_param)
        return Points(raw, laws.moved(raw, self.params, self.tokens, on_ray), counted, counted)

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """The compute law through the laws' own losses on the ray."""
        counted = None if weights is None else weights[self.ray.members]
        return fit_compute_laws(
            self.compute, laws.ray(self.compute, self.ray.tokens_per_param), counted, self.objective
        )

    def described(self, losses: Floats) -> dict[str, Any]:
        """The number of runs and their ratio."""
        return {"n_runs": len(self.ray.members), "tokens_per_param": self.ray.tokens_per_param}


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
        if len(np.unique(compute[entry])) >= least_budgets
        and compute[entry].max() >= least_span * compute[entry].min()
    ]


def preferred(rays: Sequence[Ray], optimum: float, most: int) -> list[Ray]:
    """So many of the rays, around and above the optimum.

    First the ray nearest the optimum, then those above that one, then those below it; above and
    below alike those with the most runs first, and of as many runs the nearest to the optimum.

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
    ordered = sorted(
        rays,
        key=lambda ray: (
            ray.tokens_per_param < nearest.tokens_per_param,
            -len(ray.members),
            distance(ray),
        ),
    )
    ordered = [nearest, *(ray for ray in ordered if ray is not nearest)]
    return sorted(ordered[:most], key=lambda ray: ray.tokens_per_param)


def at_ratio(rays: Sequence[Ray], ratio: float, tolerance: float) -> Ray | None:
    """The ray nearest a ratio, None where it differs from the ratio by more than the tolerance."""
    near = min(rays, key=lambda ray: abs(log(ray.tokens_per_param / ratio)), default=None)
    if near is None or abs(log(near.tokens_per_param / ratio)) > log1p(tolerance):
        return None
    return near
