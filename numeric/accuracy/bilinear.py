"""The law of pass@k in compute and k as a law of accuracy: equation 5 of Krajewski et al. 2025 with
the sign that it must have.

.. math:: \\log(-\\log Q) = \\log A + a \\log C + b \\log k + d \\log C \\log k, \\qquad C_x = e^{-b/d}.

The paper prints +alpha log C with alpha > 0, which contradicts its equation 2 at k = 1; the fitted
a is negative. Below C_x (for d < 0) the law says that more samples solve fewer problems: it holds
for C >= C_x alone, and `isoflop.numeric.accuracy.crossing` says which runs lie there. Source: arXiv
2512.08894, Section 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..data.sample import above_guessing
from ..data.scale import accuracy, neg_log_accuracy
from ..fit.bilinear import BilinearLaw, fit_bilinear
from ..fit.resample import Refits
from .kind import Found
from .power import MARGIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points, Sample

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["BILINEAR", "SIGNED", "BilinearKind", "law_of"]

#: Of these the sign is what the law says: whether compute helps at k = 1, and on which side of C_x
#: the law holds.
SIGNED = ("a", "d")
#: A sign is open where the interval of this coverage, from the law without each run in turn, holds
#: 0.
SIGN_LEVEL = 0.9


@dataclass(frozen=True)
class BilinearKind:
    """Pairs of a run and a k; see `isoflop.numeric.accuracy.kind.Kind`. Fitted by least squares, as
    in the paper.
    """

    name: str = "bilinear"
    margin: float | None = MARGIN

    formula = "log(-log Q) = log_A + a log C + b log k + d log C log k"
    fitted_by = "least squares of log(-log Q)"
    coefficients = ("log_A", "a", "b", "d")
    needs = asks = ("compute", "k")

    def fit(self, sample: Sample) -> Found:
        """The plane closest to the pairs."""
        try:
            fit = fit_bilinear(
                sample.at.column("compute"),
                sample.at.column("k"),
                neg_log_accuracy(sample.accuracy, sample.baseline),
            )
        except ValueError as error:
            raise ValueError(f"{sample.benchmark}: {error}") from None
        scatter = fit.residual_deviation
        value = scatter**2 * (fit.n - 4) if fit.n > 4 else 0.0
        found = _coefficients(fit.law)
        reach = NormalDist().inv_cdf(0.5 + SIGN_LEVEL / 2.0) * _errors(sample)
        signs = {name: at for at, name in enumerate(self.coefficients) if name in SIGNED}
        loose = tuple(name for name, at in signs.items() if not abs(found[at]) > reach[at])
        return Found(
            coefficients=found, value=value, converged=True, undetermined=loose, inside=fit
        )

    def refit(self, sample: Sample, found: Found, weights: Floats, baselines: Floats) -> Refits:
        """The planes of resamples; not certified where what was drawn does not determine one."""
        drawn = np.full((len(weights), 4), np.nan)
        for row, (weight, baseline) in enumerate(zip(weights, baselines, strict=True)):
            at = np.flatnonzero((weight > 0.0) & above_guessing(sample.accuracy, baseline, 0.0))
            pairs = np.repeat(at, np.rint(weight[at]).astype(np.int64))
            drawn[row] = _plane(sample.subset(pairs), float(baseline))
        return Refits(drawn, np.isfinite(drawn).all(axis=1))

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


def law_of(coefficients: Floats) -> BilinearLaw:
    """The law with these coefficients (4,)."""
    log_A, a, b, d = map(float, coefficients)
    return BilinearLaw(log_A=log_A, a=a, b=b, d=d)


def _plane(sample: Sample, baseline: float) -> Floats:
    """The coefficients (4,) of the plane closest to some pairs; NaN where they determine none."""
    try:
        law = fit_bilinear(
            sample.at.compute, sample.at.k, neg_log_accuracy(sample.accuracy, baseline)
        ).law
    except ValueError:
        return np.full(4, np.nan)
    return _coefficients(law)


def _coefficients(law: BilinearLaw) -> Floats:
    return np.array([law.log_A, law.a, law.b, law.d])


def _errors(sample: Sample) -> Floats:
    """Standard errors (4,) by the jackknife over runs; infinite where a plane hangs on a single
    run.

    The k of a run share its samples, so that the pairs are not independent and their scatter about
    the plane would not do.
    """
    runs = np.arange(len(sample)) if sample.index is None else np.asarray(sample.index)
    names = np.unique(runs)
    without = np.array([_plane(sample.subset(runs != name), sample.baseline) for name in names])
    if not np.isfinite(without).all():
        return np.full(4, np.inf)
    return np.asarray(np.sqrt((len(names) - 1.0) * without.var(axis=0)))


BILINEAR = BilinearKind()
