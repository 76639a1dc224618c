"""One approach: its empirical law beside the predicted one, with what the resamples say of their difference."""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import Estimate, percentiles
from .advice import advice
from .band import CANNOT_TELL, INCONSISTENT, farthest, simultaneous_band, verdict
from .paired import grid, relative_difference, table
from .phrases import flop, in_percent, round_percent
from .runs_result import CurveCheck

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..results import Band
    from .approaches import Approach, Estimates
    from .paired import CurveSample

    Floats = NDArray[np.float64]

__all__ = ["Comparison", "about", "beyond_chance"]

#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2


class Comparison:
    """The empirical law of one approach beside the predicted one."""

    def __init__(self, approach: Approach, estimates: Estimates, sample: CurveSample, level: float) -> None:
        self.approach, self.estimates, self.sample, self.level = approach, estimates, sample, level

    def check(self, band_level: float, tolerance: float, described: dict[str, Any]) -> CurveCheck:
        """The verdict with everything it rests on."""
        name, sample, estimates = self.approach.name, self.sample, self.estimates
        if not estimates.valid[0]:
            return CurveCheck.refused(name, "the compute law through its points did not converge", **described)
        needed = ceil(LEAST_BEYOND / (1.0 - band_level))
        if len(sample) < needed:
            reason = f"too few resamples gave a compute law, {len(sample)}: a band at {round_percent(band_level)} takes {needed}"
            return CurveCheck.refused(name, reason, **described)

        compute = grid(self.approach)
        centre = np.median(sample.difference, axis=0)
        difference = relative_difference(estimates, compute)[0] - centre
        band = simultaneous_band(difference, sample.difference - centre, band_level)
        worst = int(np.abs(difference).argmax())
        found = verdict(band, tolerance)
        # Against the resamples' own laws, of which each has another alpha: what selection does to the coefficients.
        empirical, predicted = table(estimates.moved)[0], table(estimates.predicted)[0]
        differences = sample.empirical - sample.predicted
        shift = np.median(differences, axis=0)
        E, log_C0, alpha = (about(empirical[k] - shift[k], sample.empirical[:, k], self.level) for k in range(3))
        return CurveCheck(
            approach=name,
            law=estimates.moved.law(name=name),
            raw_law=estimates.raw.law(name=f"{name}, raw"),
            predicted_law=estimates.predicted.law(name=f"{name}, predicted"),
            alpha=alpha,
            C0=log_C0.mapped(exp),
            E=E.clipped(least=0.0),
            alpha_predicted=float(predicted[2]),
            alpha_difference=beyond_chance(empirical[2] - predicted[2], differences[:, 2], self.level),
            compute_range=self.approach.span,
            compute=compute,
            difference=band.value,
            lo=band.low,
            hi=band.high,
            raw_difference=estimates.raw.losses(compute)[0] / estimates.predicted.losses(compute)[0] - 1.0,
            max_relative_difference=float(abs(difference[worst])),
            compute_at_max=float(compute[worst]),
            differs=any(band[place].excludes(0.0) for place in range(len(band))),
            verdict=found,
            reason=self._reason(found, band, compute, tolerance),
            share_at_bound=float(sample.at_bound.mean()),
            **described,
        )

    def _reason(self, found: str, band: Band, compute: Floats, tolerance: float) -> str:
        if found == CANNOT_TELL:
            return advice(self.approach.name, band, compute, tolerance)
        if found == INCONSISTENT:
            place = farthest(band)
            return (
                f"the difference is {in_percent(band[place])} at {flop(compute[place])} FLOP, where the band lies farthest "
                f"outside the tolerance of {round_percent(tolerance)}"
            )
        return ""


def about(value: float, resampled: Floats, level: float) -> Estimate:
    """The value with the quantiles of the deviations of the resamples from their median."""
    low, high = (end - np.median(resampled) for end in percentiles(resampled, level))
    return Estimate(float(value), float(value + low), float(value + high), level=level)


def beyond_chance(difference: float, resampled: Floats, level: float) -> Estimate:
    """How far a difference goes beyond what the resamples, in which the law holds, bring about by chance.

    The interval excludes 0 just where the difference is outside the central `level` of the resampled ones; their median is
    taken off the value.
    """
    low, high = percentiles(resampled, level)
    excess = float(difference - np.median(resampled))
    return Estimate(excess, float(difference - high), float(difference - low), level=level)
