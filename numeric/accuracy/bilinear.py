"""The law of pass@k in compute and k as a law of accuracy: equation 5 of Krajewski et al. 2025 with
the sign that it must have.

.. math:: \\log(-\\log Q) = \\log A + a \\log C + b \\log k + d \\log C \\log k, \\qquad C_x = e^{-b/d}.

The paper prints +alpha log C with alpha > 0, which contradicts its equation 2 at k = 1; the fitted
a is negative. Below C_x (for d < 0) the law says that more samples solve fewer problems: it holds
for C >= C_x alone. Source: arXiv 2512.08894, Section 3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.scale import accuracy, neg_log_accuracy
from ..fit.bilinear import COEFFICIENTS, BilinearLaw, fit_bilinear
from ..results import Estimate
from .kind import Kind, LawFit
from .power import MARGIN, usable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.resample import Refits

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["BILINEAR", "BilinearKind", "crossing_of", "law_of"]


@dataclass(frozen=True)
class BilinearKind(Kind):
    """Pairs of a run and a k, by least squares as in the paper."""

    name: str = "bilinear"
    margin: float | None = MARGIN

    formula = "log(-log Q) = log_A + a log C + b log k + d log C log k"
    fitted_by = "least squares of log(-log Q)"
    coefficients = COEFFICIENTS
    requires = asks = ("compute", "k")

    def fit(self, sample: Sample) -> LawFit:
        """The plane closest to the pairs."""
        y = neg_log_accuracy(sample.accuracy, sample.baseline)
        try:
            plane = fit_bilinear(
                sample.at.column("compute"), sample.at.column("k"), y, sample.index
            )
        except ValueError as error:
            raise ValueError(f"{sample.benchmark}: {error}") from None
        return LawFit(kind=self, sample=sample, parts=(plane,))

    def refit(self, fit: LawFit, weights: Floats, baselines: Floats) -> Refits:
        """The planes of resamples; not certified where what was drawn does not determine one."""
        weights, neg_logs = usable(fit.sample, weights, baselines)
        return fit.parts[0].refit(weights=weights, observed=neg_logs)

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Accuracy (K, m), also where a law does not hold: `beyond` says where that is."""
        compute, k = at.column("compute"), at.column("k")
        neg_log = np.stack([law_of(row).neg_log(compute, k, beyond=True) for row in coefficients])
        return np.asarray(accuracy(neg_log, baselines[:, None]))

    def beyond(self, coefficients: Floats, at: Points) -> Mask:
        """Where the law with these coefficients (4,) does not hold: (m,), where it says that more
        samples solve less.
        """
        low, high = law_of(coefficients).valid
        compute = at.column("compute")
        return np.asarray((compute < low) | (compute > high))


def law_of(coefficients: Any) -> BilinearLaw:
    """The law with these coefficients (4,)."""
    return BilinearLaw(**dict(zip(COEFFICIENTS, coefficients, strict=True)))


def crossing_of(fit: LawFit, level: float) -> Estimate | None:
    """C_x = exp(-b/d), the compute (FLOP) at which the curves of all k cross, with its percentile
    interval over refits; no ends where the sign of d is open. None for other laws, and for d = 0.
    """
    if not isinstance(fit.kind, BilinearKind) or fit.coefficients["d"] == 0.0:
        return None
    (value,), drawn = (
        np.asarray(formulas.bilinear_log_crossing(b=rows[:, 2], d=rows[:, 3]))
        for rows in (fit.values[None], fit.refitted)
    )
    is_open = "d" in fit.undetermined
    log = Estimate.of_draws(value, () if is_open else drawn, level, undetermined=is_open)
    return log.mapped(math.exp)


BILINEAR = BilinearKind()
