r"""How well laws fit the same runs, each with as many coefficients as it has: AIC, AICc, BIC.

Every law answers for the same response, the raw accuracy Q, with Gaussian residuals of one variance:

.. math:: -2 \log \hat L = n \log(2 \pi \mathrm{RSS}/n) + n, \quad \mathrm{AIC} = -2 \log \hat L + 2K, \quad
    \mathrm{AICc} = \mathrm{AIC} + \frac{2K(K+1)}{n-K-1}, \quad \mathrm{BIC} = -2 \log \hat L + K \log n.

They hold at the maximum of this likelihood, so the coefficients are refitted by least squares of Q, from the law's own fit.
K counts the variance and the coefficients that the accuracies depend on there, the rank of the Jacobian: a two-stage law has
more coefficients than its curve in compute, and a coefficient that ends at 0 or grows for ever is none.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .power import CEILING_KINDS, POWER_KINDS
from .predicting import predicted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = ["Criteria", "Maximum", "criteria", "maximum_likelihood"]

#: Singular values below this share of the largest count as 0; central differences are accurate to about 1e-10.
RANK_TOLERANCE, STEP = 1e-7, 6e-6
#: A coefficient whose doubling moves the accuracies by no more than this is 0 or infinite: they do not depend on it.
NEGLIGIBLE = 1e-9
#: Share of the squared residuals that one more step may remove from a minimum.
SETTLED = 1e-6
#: Root mean squares that agree to this share are equal: the criteria differ by at most 2 n times as much. So many starts have to.
CLOSE, LEAST_AGREEING = 1e-4, 2
#: A root mean square below this is rounding: the law passes through every run.
EXACT = 1e-12
#: A residual where the law is not defined; accuracies differ by at most 1.
UNDEFINED = 1e3
#: Of a coefficient that is 0 in the law's own fit.
SMALL = 1e-4
#: Further starts around the law's own fit, how far they scatter, and the evaluations that each may take.
STARTS, SPREAD, EVALUATIONS = 4, 0.3, 1000


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """A law on all the runs.

    Attributes
    ----------
    law : str
    n : int
    n_coefficients : int
        As in the law's formula.
    n_free : int or None
        Those that the accuracies depend on.
    own_rmse : float or None
        Root mean squared error of accuracy of the law's own fit.
    rmse : float or None
        The same by least squares of accuracy.
    log_likelihood, aic, aicc, bic : float or None
    is_attained : bool
        Whether the likelihood has its maximum at finite coefficients; else the figures are its limit.
    failed : str
        Why there is no fit, or no likelihood; "" where there is.
    """

    law: str
    n: int
    n_coefficients: int
    n_free: int | None = None
    own_rmse: float | None = None
    rmse: float | None = None
    log_likelihood: float | None = None
    aic: float | None = None
    aicc: float | None = None
    bic: float | None = None
    is_attained: bool = True
    failed: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def criteria(sample: Sample, kind: Kind) -> Criteria:
    """The information criteria of a law on all runs of the sample."""
    empty = Criteria(law=kind.name, n=len(sample), n_coefficients=len(kind.coefficients))
    try:
        own = kind.fit(sample).coefficients
    except ValueError as error:
        return replace(empty, failed=f"no fit: {error}")
    own_rmse = _rmse(_residuals(kind, own, sample))
    if not np.isfinite(own_rmse):
        return replace(empty, failed="no fit: its accuracies are not finite")
    try:
        best, rank, is_attained = maximum_likelihood(sample, kind, own)
    except ValueError as error:
        return replace(empty, own_rmse=own_rmse, failed=str(error))
    rmse = _rmse(_residuals(kind, best, sample))
    n, K = len(sample), rank + 1
    twice = n * np.log(2.0 * np.pi * rmse**2) + n
    return replace(
        empty,
        n_free=rank,
        is_attained=is_attained,
        own_rmse=own_rmse,
        rmse=rmse,
        log_likelihood=float(-0.5 * twice),
        aic=float(twice + 2 * K),
        aicc=float(twice + 2 * K + 2 * K * (K + 1) / (n - K - 1)) if n > K + 1 else None,
        bic=float(twice + K * np.log(n)),
    )


class Maximum(NamedTuple):
    """Coefficients at the maximum of the likelihood, how many the accuracies depend on, and whether it is attained there."""

    coefficients: Floats
    rank: int
    is_attained: bool


def maximum_likelihood(sample: Sample, kind: Kind, start: Floats) -> Maximum:
    """Least squares of raw accuracy from a law's coefficients.

    Where coefficients grow for ever along a valley, the likelihood has a limit and no maximum; it counts as known where several
    starts come equally close to it.

    Raises
    ------
    ValueError
        Where there are no more runs than coefficients, the law passes through every run, or starts end at different values.
    """
    if len(sample) <= len(start):
        raise ValueError(f"no likelihood: {len(sample)} runs for {len(start)} coefficients and a variance")
    found = []
    for coordinates in _coordinates(sample, kind, start):
        for origin in _origins(coordinates.origin):
            coefficients, jacobian = _least_squares(sample, kind, coordinates, origin)
            residuals = _residuals(kind, coefficients, sample)
            if np.isfinite(residuals).all() and np.isfinite(jacobian).all():
                found.append((_rmse(residuals), coefficients, *_removable(jacobian, residuals)))
    if not found:
        raise ValueError("no likelihood: least squares of accuracy leaves the law's domain")
    found.sort(key=lambda each: each[0])
    least = found[0][0]
    if least < EXACT:
        raise ValueError("no likelihood: the law passes through every run")
    near = [each for each in found if each[0] <= (1.0 + CLOSE) * least]
    certified = [each for each in near if each[3] <= SETTLED]
    if certified:
        _, coefficients, rank, _ = certified[0]
        return Maximum(coefficients, rank, True)
    if len(near) < LEAST_AGREEING:
        raise ValueError("no likelihood: least squares of accuracy does not settle, and no two starts end alike")
    _, coefficients, rank, _ = near[0]
    return Maximum(coefficients, rank, False)


def _removable(jacobian: Floats, residuals: Floats) -> tuple[int, float]:
    """The rank of the Jacobian, and the share of the squared residuals that a step along it would remove."""
    lengths = np.sqrt(np.sum(jacobian**2, axis=0))
    felt = lengths > NEGLIGIBLE * np.sqrt(len(jacobian))
    if not felt.any():
        return 0, 0.0
    left, sizes, _ = np.linalg.svd(jacobian[:, felt] / lengths[felt], full_matrices=False)
    rank = int(np.count_nonzero(sizes > RANK_TOLERANCE * sizes[0]))
    total = float(np.sum(residuals**2))
    return rank, float(np.sum((left[:, :rank].T @ residuals) ** 2)) / total if total > 0.0 else 0.0


def _coordinates(sample: Sample, kind: Kind, start: Floats) -> list[_Factors | _Shifts]:
    """Around the law's own fit; of a law with a ceiling, also around the one without, which is never closer to the runs."""
    found: list[_Factors | _Shifts] = [_Factors(start)]
    if kind.name not in POWER_KINDS:  # the coefficients of those are positive
        return [*found, _Shifts(start)]
    simpler = next((name for name, other in CEILING_KINDS.items() if other == kind.name), None)
    if simpler is not None:
        bare: Any = POWER_KINDS[simpler]
        with suppress(ValueError):  # where it has no likelihood there is nothing to compare with
            found.append(_Factors(np.array([0.0, *maximum_likelihood(sample, bare, bare.fit(sample).coefficients).coefficients])))
    return found


class _Factors:
    """Coefficients as factors exp(u) of their start, which keep its sign; 0 is approached as u falls."""

    def __init__(self, start: Floats) -> None:
        self.scale = np.where(start == 0.0, SMALL, start)
        self.origin = np.zeros(len(start))

    def coefficients(self, u: Floats) -> Floats:
        return np.asarray(self.scale * np.exp(u))


class _Shifts:
    """Coefficients as start times (1 + u), which may change sign."""

    def __init__(self, start: Floats) -> None:
        self.start = start
        self.scale = np.where(start == 0.0, SMALL, start)
        self.origin = np.zeros(len(start))

    def coefficients(self, u: Floats) -> Floats:
        return self.start + self.scale * u


def _origins(origin: Floats) -> Floats:
    """The law's own fit, and a few points around it: a minimum near a law with a vanishing term need not be the least."""
    scatter = np.random.default_rng(0).normal(scale=SPREAD, size=(STARTS, len(origin)))
    return np.vstack([origin, origin + scatter])


def _least_squares(sample: Sample, kind: Kind, coordinates: _Factors | _Shifts, origin: Floats) -> tuple[Floats, Floats]:
    """The minimum that is reached, and the Jacobian of the accuracies by the coordinates there."""
    from scipy.optimize import least_squares

    baselines = np.full(2 * len(origin), sample.baseline)

    def residuals(u: Floats) -> Floats:
        values = _residuals(kind, coordinates.coefficients(u), sample)
        return np.where(np.isfinite(values), values, UNDEFINED)

    def jacobian(u: Floats) -> Floats:
        steps = STEP * np.maximum(np.abs(u), 1.0)
        around = np.concatenate([u + np.diag(steps), u - np.diag(steps)])
        try:
            above, below = np.split(kind.accuracy(coordinates.coefficients(around), sample.at, baselines), 2)
        except ValueError:
            above, below = np.split(np.array([residuals(each) for each in around]), 2)
        return np.asarray(((above - below) / (2.0 * steps[:, None])).T)

    with np.errstate(all="ignore"):
        try:
            found = least_squares(
                residuals, origin, jacobian, method="lm", x_scale="jac", ftol=1e-14, xtol=1e-14, gtol=1e-14, max_nfev=EVALUATIONS
            )
        except ValueError:  # a start outside the domain, where derivatives are not finite
            return coordinates.coefficients(origin), np.full((len(sample), len(origin)), np.nan)
        return coordinates.coefficients(found.x), jacobian(found.x)


def _residuals(kind: Kind, coefficients: Floats, sample: Sample) -> Floats:
    """Law minus observed accuracy; NaN where the law is not defined."""
    try:
        with np.errstate(all="ignore"):
            return predicted(kind, coefficients, sample.at, sample.baseline) - sample.accuracy
    except ValueError:
        return np.full(len(sample), np.nan)


def _rmse(residuals: Floats) -> float:
    return float(np.sqrt(np.mean(residuals**2)))
