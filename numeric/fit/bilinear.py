"""The law bilinear in log C and log k: log(-log pass@k) = log A + a log C + b log k + d log C log
k.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import number, outside
from .fitted import Fitted
from .resample import Refits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .resample import Draws

    Floats = NDArray[np.float64]

__all__ = ["COEFFICIENTS", "SIGNED", "BilinearFit", "BilinearLaw", "fit_bilinear"]

COEFFICIENTS = ("log_A", "a", "b", "d")
#: Of these the sign is what the law says; it is open where the interval of this coverage holds 0.
SIGNED, SIGN_LEVEL = ("a", "d"), 0.9


@dataclass(frozen=True, kw_only=True)
class BilinearLaw:
    """log y = log A + a log C + b log k + d log C log k with y = -log pass@k, C in FLOP.

    Attributes
    ----------
    log_A, a, b, d : float
        Krajewski et al. 2025 (arXiv 2512.08894), equation 5.
    """

    log_A: float
    a: float
    b: float
    d: float

    def __post_init__(self) -> None:
        for name in COEFFICIENTS:
            object.__setattr__(self, name, number(name, getattr(self, name)))

    @property
    def crossing(self) -> float:
        """C_x = exp(-b/d), where the curves of all k cross: 0 or inf where it lies beyond the range
        of a float.

        Raises
        ------
        ValueError
            Where d = 0: the curves do not cross.
        """
        if self.d == 0.0:
            raise outside("d", self.d, "different from 0 for the curves to cross")
        with np.errstate(over="ignore"):
            return float(np.exp(formulas.bilinear_log_crossing(b=self.b, d=self.d)))

    @property
    def valid(self) -> tuple[float, float]:
        """The compute at which -log pass@k falls with k: above C_x for d < 0, below it for d > 0,
        all or none for d = 0.
        """
        if self.d == 0.0:
            return (0.0, math.inf) if self.b <= 0.0 else (math.inf, math.inf)
        return (self.crossing, math.inf) if self.d < 0.0 else (0.0, self.crossing)

    def require_valid(self, compute: Any) -> None:
        """Raise a ValueError at the first compute outside `valid`."""
        values = _positive("compute", compute)
        low, high = self.valid
        wrong = (values < low) | (values > high)
        if wrong.any():
            raise ValueError(
                f"compute={float(values[wrong].flat[0]):.6g}: the law holds for {self._where}; "
                f"elsewhere it says that more "
                f"samples solve fewer problems"
            )

    @property
    def _where(self) -> str:
        low, high = self.valid
        if low == math.inf:
            return "no compute"
        parts = ([f"C >= {low:.4g}"] if low > 0.0 else []) + (
            [f"C <= {high:.4g}"] if high < math.inf else []
        )
        return " and ".join(parts) + " FLOP" if parts else "every compute"

    def neg_log(self, compute: Any, k: Any, *, beyond: bool = False) -> Any:
        """y = -log pass@k, nats; numbers or arrays that broadcast.

        Raises
        ------
        ValueError
            Where an argument is outside its domain (compute > 0, k >= 1), or the law is not valid
            and not `beyond`.
        """
        if not beyond:
            self.require_valid(compute)
        return np.exp(
            formulas.bilinear_log_value(
                compute=compute, k=_draws(k), a=self.a, b=self.b, d=self.d, log_A=self.log_A
            )
        )

    def pass_at_k(self, compute: Any, k: Any, *, beyond: bool = False) -> Any:
        """pass@k = exp(-y)."""
        return np.exp(-self.neg_log(compute, k, beyond=beyond))

    def compute_exponent(self, k: Any) -> Any:
        """-dlog y/dlog C = -(a + d log k)."""
        return formulas.bilinear_compute_exponent(k=_draws(k), a=self.a, d=self.d)

    def draws_exponent(self, compute: Any) -> Any:
        """-dlog y/dlog k = -(b + d log C)."""
        return formulas.bilinear_draws_exponent(compute=compute, b=self.b, d=self.d)

    def __str__(self) -> str:
        return f"log y = {self.log_A:.6g} + {self.a:.6g} log C + {self.b:.6g} log k + {self.d:.6g} log C log k"


@dataclass(frozen=True, kw_only=True, eq=False)
class BilinearFit(Fitted):
    """A bilinear law by ordinary least squares of log y.

    Attributes
    ----------
    compute, k, neg_log : ndarray
        (n,): the points.
    run : ndarray
        (n,): which run each point is of; the k of a run share its samples.
    plane : ndarray
        (4,): log_A, a, b, d.
    draws : Draws or None
    """

    compute: Floats
    k: Floats
    neg_log: Floats
    run: Any
    plane: Floats
    draws: Draws | None = None

    converged = True

    @property
    def coefficients(self) -> dict[str, float]:
        """log_A, a, b and d."""
        return dict(zip(COEFFICIENTS, self.plane.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.neg_log)

    @property
    def objective_value(self) -> float:
        """The sum of squares of log y about the law; 0 for four points, through which it passes."""
        if self.size == len(COEFFICIENTS):
            return 0.0
        return float(np.sum((np.log(self.neg_log) - np.log(self.predict(self))) ** 2))

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Of a and d those whose sign is open: the interval of 90 % by the jackknife over runs
        holds 0. The signs are what the law says, whether compute helps at k = 1 and on which side
        of C_x the law holds.
        """
        reach = NormalDist().inv_cdf(0.5 + SIGN_LEVEL / 2.0) * self._errors
        return tuple(
            name
            for name, value, most in zip(COEFFICIENTS, self.plane, reach, strict=True)
            if name in SIGNED and not abs(value) > most
        )

    @property
    def _errors(self) -> Floats:
        """Standard errors (4,) by the jackknife over runs; infinite where a plane hangs on a single
        run. Points of one run are not independent, so that their scatter would not do.
        """
        names = np.unique(self.run)
        without = self.refit(weights=(self.run != names[:, None]).astype(np.float64)).coefficients
        if not np.isfinite(without).all():
            return np.full(len(COEFFICIENTS), np.inf)
        return np.asarray(np.sqrt((len(names) - 1.0) * without.var(axis=0)))

    @property
    def law(self) -> BilinearLaw:
        """The fitted law, also where a sign is open."""
        return self.law_of(self.coefficients)

    def law_of(self, coefficients: Mapping[str, float]) -> BilinearLaw:
        """The law with other coefficients."""
        return BilinearLaw(**coefficients)

    def predict(self, rows: Any) -> Floats:
        """y at other rows with compute and k, also where the law does not hold."""
        return np.asarray(self.law.neg_log(rows.compute, rows.k, beyond=True))

    def refit(self, *, weights: Floats, observed: Floats | None = None) -> Refits:
        """The planes of K resamples, by whole numbers (K, n) that say how often each point is
        drawn, of its own y or of others (K, n); NaN and not certified where what is drawn does not
        determine one.
        """
        values = np.broadcast_to(self.neg_log if observed is None else observed, weights.shape)
        planes = np.full((len(weights), len(COEFFICIENTS)), np.nan)
        for row, (weight, y) in enumerate(zip(weights, values, strict=True)):
            at = np.repeat(np.arange(self.size), np.rint(weight).astype(np.int64))
            with suppress(ValueError):
                planes[row] = fit_bilinear(self.compute[at], self.k[at], y[at]).plane
        return Refits(planes, np.isfinite(planes).all(axis=1))


def fit_bilinear(compute: Any, k: Any, neg_log: Any, run: Any = None) -> BilinearFit:
    """The least-squares plane of log y over log C, log k and their product.

    Parameters
    ----------
    compute, k, neg_log : array_like
        At least four points: FLOP > 0, k >= 1, y = -log pass@k > 0 in nats.
    run : array_like, optional
        Which run each point is of; by default each is of its own.

    Returns
    -------
    BilinearFit

    Raises
    ------
    ValueError
        Where a value is outside its domain (y = 0 or inf has no logarithm: leave such points out),
        or the points do not determine the four coefficients.
    """
    points = [_positive("compute", compute), _draws(k), _positive("neg_log", neg_log)]
    x, z, y = map(np.log, points)
    if x.ndim != 1 or not x.shape == z.shape == y.shape:
        raise outside(
            "neg_log",
            f"shape {y.shape} for compute {x.shape} and k {z.shape}",
            "one value for every point, in one dimension",
        )
    x0, z0 = float(x.mean()) if x.size else 0.0, float(z.mean()) if z.size else 0.0
    # Centred, or the product is all but collinear with log k; the coefficients follow from those of
    # the centred plane.
    u, v = x - x0, z - z0
    design = np.stack([np.ones_like(u), u, v, u * v], axis=1)
    scale = np.sqrt((design**2).sum(axis=0))
    if x.size < 4 or not scale.all() or np.linalg.matrix_rank(design / scale) < 4:
        raise outside(
            "compute",
            f"{x.size} points",
            "points at two or more compute and two or more k, enough for four coefficients",
        )
    solution = np.linalg.lstsq(design / scale, y, rcond=None)[0] / scale
    back = np.array(
        [[1.0, -x0, -z0, x0 * z0], [0.0, 1.0, 0.0, -z0], [0.0, 0.0, 1.0, -x0], [0.0, 0.0, 0.0, 1.0]]
    )
    return BilinearFit(
        compute=points[0],
        k=points[1],
        neg_log=points[2],
        run=np.arange(x.size) if run is None else np.asarray(run),
        plane=back @ solution,
    )


def _positive(name: str, values: Any) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise outside(name, values, "positive finite numbers") from None
    bad = ~(np.isfinite(array) & (array > 0.0))
    if bad.any():
        raise outside(name, float(array[bad].flat[0]), "positive finite numbers")
    return array


def _draws(k: Any) -> Floats:
    array = _positive("k", k)
    if (array < 1.0).any():
        raise outside("k", float(array[array < 1.0].flat[0]), "numbers of at least 1")
    return array
