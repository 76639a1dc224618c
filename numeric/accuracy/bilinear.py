"""The law bilinear in log C and log k: log y = log A + a log C + b log k + d log C log k for y =
-log pass@k (Krajewski et al. 2025, arXiv 2512.08894, equation 5). More samples solve more problems
above C_x = exp(-b/d) for d < 0, below it for d > 0.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside, positive_array
from ..fit.resample import Refits
from .law import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["COEFFICIENTS", "fit_bilinear"]

COEFFICIENTS = ("log_A", "a", "b", "d")
#: The sign of a and d is what the law says; it is open where the interval of this coverage holds 0.
SIGNED, SIGN_LEVEL = ("a", "d"), 0.9


def fit_bilinear(compute: Any, k: Any, neg_log: Any, run: Any = None) -> Part:
    """The least-squares plane of log y over log C, log k and their product.

    Parameters
    ----------
    compute, k, neg_log : array_like
        (n,), at least four points: FLOP > 0, k >= 1, y = -log pass@k > 0 in nats.
    run : array_like, optional
        Which run each point is of; by default each is of its own.

    Returns
    -------
    Part
        Of a and d those are undetermined whose sign is open: the interval of 90 % by the jackknife
        over runs, whose points are not independent, holds 0; both where a plane hangs on one run.

    Raises
    ------
    ValueError
        Where a value is outside its domain (y = 0 or inf has no logarithm: leave such points out),
        or the points do not determine the four coefficients.
    """
    given = {"compute": compute, "k": k, "neg_log": neg_log}
    compute, k, neg_log = (positive_array(name, values) for name, values in given.items())
    if (k < 1.0).any():
        raise outside("k", float(k[k < 1.0][0]), "numbers of at least 1")
    if neg_log.ndim != 1 or not compute.shape == k.shape == neg_log.shape:
        shapes = f"shape {neg_log.shape} for compute {compute.shape} and k {k.shape}"
        raise outside("neg_log", shapes, "one value for every point, in one dimension")
    logs = np.log(compute), np.log(k)

    def refit(*, weights: Floats, observed: Floats = neg_log) -> Refits:
        """NaN and not certified where what is drawn does not determine a plane."""
        values = np.broadcast_to(np.log(observed), weights.shape)
        each = zip(values, weights, strict=True)
        planes = np.array([_plane(*logs, y, weight) for y, weight in each])
        return Refits(planes, np.asarray(np.isfinite(planes).all(axis=1)))

    plane = _plane(*logs, np.log(neg_log), np.ones(len(k)))
    if not np.isfinite(plane).all():
        domain = "points at two or more compute and two or more k, enough for four coefficients"
        raise outside("compute", f"{len(k)} points", domain)
    of = np.arange(len(k)) if run is None else np.asarray(run)
    runs = np.unique(of)
    without = refit(weights=(of != runs[:, None]).astype(np.float64)).coefficients
    errors = np.sqrt((len(runs) - 1.0) * without.var(axis=0))
    is_known = np.abs(plane) > NormalDist().inv_cdf(0.5 + SIGN_LEVEL / 2.0) * errors
    known = dict(zip(COEFFICIENTS, is_known, strict=True))
    off = np.log(neg_log) - _columns(*logs) @ plane
    return Part(
        coefficients=dict(zip(COEFFICIENTS, plane.tolist(), strict=True)),
        objective_value=float(off @ off),
        converged=True,
        refit=refit,
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
