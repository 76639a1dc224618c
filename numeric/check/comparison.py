"""One approach: its empirical law beside the predicted one, with what the resamples say of their
difference.
"""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING

import numpy as np

from ..results import Estimate, percentiles
from .band import CANNOT_TELL, INCONSISTENT, advice, farthest, simultaneous_band, verdict
from .phrases import flop, in_percent, round_percent
from .runs_result import CurveCheck

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..results import Band
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
    name, described = approach.name, approach.described(losses)
    estimates = approach.estimate(losses[None], weights, laws)
    if not estimates.valid[0]:
        return CurveCheck.refused(
            name, "the compute law through its points did not converge", **described
        )
    usable, needed = len(draws.difference), ceil(LEAST_BEYOND / (1.0 - band_level))
    if usable < needed:
        reason = f"too few resamples gave a compute law, {usable}: a band at {round_percent(band_level)} takes {needed}"
        return CurveCheck.refused(name, reason, **described)

    compute, centre = approach.grid, np.median(draws.difference, axis=0)
    band = simultaneous_band(
        estimates.difference(compute)[0] - centre, draws.difference - centre, band_level
    )
    # Against the resamples' own laws, of which each has another alpha: what selection does to the
    # coefficients.
    empirical, predicted = estimates.moved.table()[0], estimates.predicted.table()[0]
    differences = draws.empirical - draws.predicted
    unbiased = empirical - np.median(differences, axis=0)
    E, log_C0, alpha = map(about, unbiased, draws.empirical.T, 3 * [level])
    return CurveCheck(
        approach=name,
        verdict=(judged := verdict(band, tolerance)),
        reason=_reason(judged, band, compute, tolerance, approach.more_runs),
        law=estimates.moved.law(name=name),
        raw_law=estimates.raw.law(name=f"{name}, raw"),
        predicted_law=estimates.predicted.law(name=f"{name}, predicted"),
        alpha=alpha,
        C0=log_C0.mapped(exp),
        E=E.clipped(least=0.0),
        alpha_difference=beyond_chance(empirical[2] - predicted[2], differences[:, 2], level),
        compute=compute,
        band=band,
        raw_difference=estimates.raw.losses(compute)[0] / estimates.predicted.losses(compute)[0]
        - 1.0,
        share_at_bound=float(draws.at_bound.mean()),
        **described,
    )


def _reason(judged: str, band: Band, compute: Floats, tolerance: float, more_runs: str) -> str:
    if judged == CANNOT_TELL:
        return advice(band, compute, tolerance, more_runs)
    if judged == INCONSISTENT:
        place = farthest(band)
        return (
            f"the difference is {in_percent(band[place])} at {flop(compute[place])} FLOP, where "
            f"the band lies farthest "
            f"outside the tolerance of {round_percent(tolerance)}"
        )
    return ""


def about(value: float, resampled: Floats, level: float) -> Estimate:
    """The value with the quantiles of the deviations of the resamples from their median."""
    low, high = (end - np.median(resampled) for end in percentiles(resampled, level))
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
