"""The law bilinear in log C and log k: log y = log A + a log C + b log k + d log C log k for y =
-log pass@k (Krajewski et al. 2025, arXiv 2512.08894, equation 5). More samples solve more problems
above C_x = exp(-b/d) for d < 0, below it for d > 0.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..data.scale import neg_log_accuracy
from ..errors import outside
from ..fit.resample import Refits
from .law import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["COEFFICIENTS", "fit_bilinear"]

COEFFICIENTS = ("log_A", "a", "b", "d")
#: The sign of a and d is what the law says; it is open where the interval of this coverage holds 0.
SIGNED, SIGN_LEVEL = ("a", "d"), 0.9


def fit_bilinear(sample: Sample) -> Part:
    """The least-squares plane of log y over log C, log k and their product at pairs of a run and k;
    ValueError where these do not determine its four coefficients.

    Of a and d those are undetermined whose sign is open: the interval of 90 % by the jackknife over
    runs, whose points are not independent, holds 0; both where a plane hangs on one run.
    """
    neg_log = neg_log_accuracy(sample.accuracy, sample.baseline)
    x, z, y = np.log(sample.at.compute), np.log(sample.at.k), np.log(neg_log)

    def repeat(*, weights: Floats, observed: Floats = neg_log) -> Refits:
        """NaN and not certified where what is drawn does not determine a plane."""
        each = zip(np.broadcast_to(np.log(observed), weights.shape), weights, strict=True)
        planes = np.array([_plane(x, z, own, weight) for own, weight in each])
        return Refits(planes, np.asarray(np.isfinite(planes).all(axis=1)))

    plane = _plane(x, z, y, np.ones(len(y)))
    if not np.isfinite(plane).all():
        domain = "points at two or more compute and two or more k, enough for four coefficients"
        raise outside("compute", f"{len(y)} points", domain)
    of = np.arange(len(y)) if sample.index is None else sample.index
    runs = np.unique(of)
    without = repeat(weights=(of != runs[:, None]).astype(np.float64)).coefficients
    errors = np.sqrt((len(runs) - 1.0) * without.var(axis=0))
    is_known = np.abs(plane) > NormalDist().inv_cdf(0.5 + SIGN_LEVEL / 2.0) * errors
    known = dict(zip(COEFFICIENTS, is_known, strict=True))
    off = y - _columns(x, z) @ plane
    return Part(
        coefficients=dict(zip(COEFFICIENTS, plane.tolist(), strict=True)),
        objective_value=float(off @ off),
        converged=True,
        repeat=repeat,
        undetermined=tuple(name for name in SIGNED if not known[name]),
    )


def _columns(x: Floats, z: Floats) -> Floats:
    return np.stack([np.ones_like(x), x, z, x * z], axis=1)


def _plane(x: Floats, z: Floats, y: Floats, weights: Floats) -> Floats:
    """log_A, a, b and d by weighted least squares; NaN where the points do not determine them.

    About the weighted means of log C and log k, or the product is all but collinear with log k.
    """
    x0, z0 = (np.average(of, weights=weights) if weights.any() else 0.0 for of in (x, z))
    root = np.sqrt(weights)
    design = _columns(x - x0, z - z0) * root[:, None]
    scale = np.linalg.norm(design, axis=0)
    if not scale.all() or np.linalg.matrix_rank(design / scale) < len(COEFFICIENTS):
        return np.full(len(COEFFICIENTS), np.nan)
    c, a, b, d = np.linalg.lstsq(design / scale, root * y, rcond=None)[0] / scale
    return np.array([c - a * x0 - b * z0 + d * x0 * z0, a - d * z0, b - d * x0, d])
