"""Compute -> gold likelihood -> pass@k at every k: what the way round says of the compute law, on the same models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.bootstrap import refit
from .composition import compare, compose, fit_gold_of_compute
from .laws import fit_passk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .composition import Comparison
    from .laws import PassLaws

    Floats = NDArray[np.float64]

POINTS = 5
#: Fewer draws have no interval.
LEAST_DRAWS = 2


def by_way_of_gold(laws: PassLaws, *, level: float = 0.9) -> list[Comparison]:
    """The gold law composed with the compute law of the gold likelihood, beside a compute law fitted to the same models.

    Parameters
    ----------
    laws : PassLaws
        Gold laws of models whose compute is known.
    level : float
        Of the intervals, where the laws have resamples; all three laws are refitted to the same.

    Returns
    -------
    list of Comparison
        One a k; see `isoflop.numeric.passk.composition.compare`.

    Raises
    ------
    ValueError
        Where the laws are no gold laws, the compute of a model is unknown, or the gold likelihood has no law in it.
    """
    if laws.kind.name != "gold":
        raise ValueError(f"law={laws.kind.name!r}: must be 'gold'")
    compute = laws.covariates.get("compute")
    if compute is None or not np.isfinite(compute).all():
        raise ValueError(f"{laws.data.counts.source}: no compute of some models that have gold")
    gold = fit_gold_of_compute(compute, laws.covariates["gold"], objective="least-squares-log")
    drawn = refit(gold, weights=laws.weights) if laws.resamples else None
    direct = fit_passk(
        laws.data, law="compute", method=laws.method, resamples=laws.resamples, seed=laws.seed, cluster=laws.cluster
    )
    found = []
    for fit in laws.fits:
        if fit.k not in direct.ks:
            continue
        draws: dict[str, Any] = {}
        if drawn is not None and fit.spare > 0:
            good = np.isfinite(fit.draws).all(axis=1) & drawn.converged
            if good.sum() >= LEAST_DRAWS:
                limit = fit.interval(fit.kind.floor, level)[1] if fit.is_limited(level) else 0.0
                draws = {"gold_draws": fit.draws[good], "compute_draws": drawn.coefficients[good], "xi0_limit": limit}
        both = compose(fit.coefficients, tuple(gold.coefficients.values()), **draws)
        other = tuple(direct.at(fit.k).coefficients.values())
        points = np.geomspace(compute.min(), compute.max(), POINTS)
        found.append(compare(both, other, points, k=fit.k, level=level))
    return found
