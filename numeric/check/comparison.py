"""One approach: its empirical law beside the predicted one, with what the resamples say of their
difference.
"""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING

import numpy as np

from ..results import Estimate, percentiles
from .band import reason, round_percent, simultaneous_band, verdict
from .runs_result import CurveCheck

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .approaches import Approach
    from .laws import Laws
    from .paired import CurveDraws

    Floats = NDArray[np.float64]

__all__ = ["about", "beyond_chance", "compared"]

#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2


def compared(
    approach: Approach,
    losses: Floats,
    weights: Floats | None,
    laws: Laws,
    draws: CurveDraws,
    *,
    level: float,
    band_level: float,
    tolerance: float,
) -> CurveCheck:
    """The verdict on one approach with everything it rests on, from the losses (n,) and the draws."""
    described = {"approach": approach.name, **approach.described(losses)}
    estimates = approach.estimate(losses[None], weights, laws)
    if not estimates.valid[0]:
        return CurveCheck(reason="the compute law through its points did not converge", **described)
    usable, needed = len(draws.difference), ceil(LEAST_BEYOND / (1.0 - band_level))
    if usable < needed:
        few = f"too few resamples gave a compute law, {usable}: a band at {round_percent(band_level)} takes {needed}"
        return CurveCheck(reason=few, **described)
    compute, centre = approach.grid, np.median(draws.difference, axis=0)
    curve = estimates.difference(compute)[0] - centre
    band = simultaneous_band(curve, draws.difference - centre, band_level)
    # Every resample has its own law: what is common to all is what selection does.
    empirical, predicted = estimates.moved.table()[0], estimates.predicted.table()[0]
    differences = draws.empirical - draws.predicted
    unbiased = empirical - np.median(differences, axis=0)
    E, log_C0, alpha = map(about, unbiased, draws.empirical.T, 3 * [level])
    raw = estimates.raw.losses(compute)[0] / estimates.predicted.losses(compute)[0] - 1.0
    return CurveCheck(
        verdict=verdict(band, tolerance),
        reason=reason(band, compute, tolerance, approach.more_runs),
        law=estimates.moved.law(name=approach.name),
        raw_law=estimates.raw.law(name=f"{approach.name}, raw"),
        predicted_law=estimates.predicted.law(name=f"{approach.name}, predicted"),
        alpha=alpha,
        C0=log_C0.mapped(exp),
        E=E.clipped(least=0.0),
        alpha_difference=beyond_chance(empirical[2] - predicted[2], differences[:, 2], level),
        compute=compute,
        band=band,
        raw_difference=raw,
        share_at_bound=float(draws.at_bound.mean()),
        **described,
    )


def about(value: float, resampled: Floats, level: float) -> Estimate:
    """The value with the quantiles of the deviations of the resamples from their median."""
    low, high = percentiles(resampled - np.median(resampled), level)
    return Estimate(float(value), float(value + low), float(value + high), level=level)


def beyond_chance(difference: float, resampled: Floats, level: float) -> Estimate:
    """How far a difference goes beyond what the resamples, in which the law holds, bring about by
    chance.

    The interval excludes 0 just where the difference is outside the central `level` of the
    resampled ones; their median is taken off the value.
    """
    low, high = percentiles(resampled, level)
    excess = float(difference - np.median(resampled))
    return Estimate(excess, float(difference - high), float(difference - low), level=level)
