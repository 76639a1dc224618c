"""The law bilinear in log C and log k: log(-log pass@k) = log A + a log C + b log k + d log C log
k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import number, outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["BilinearFit", "BilinearLaw", "fit_bilinear"]


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
        for name in ("log_A", "a", "b", "d"):
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
class BilinearFit:
    """A bilinear law by ordinary least squares of log y.

    Attributes
    ----------
    law : BilinearLaw
    covariance : ndarray
        (4, 4) of log_A, a, b, d, from the scatter about the law; NaN for four points. Points at
        several k from the same samples are not independent, so for these it is too small.
    residual_deviation : float
        Standard deviation of log y about the law; NaN for four points.
    r_squared : float
    n : int
        Number of points.
    """

    law: BilinearLaw
    covariance: Floats
    residual_deviation: float
    r_squared: float
    n: int

    @property
    def standard_errors(self) -> dict[str, float]:
        """By name."""
        return dict(
            zip(("log_A", "a", "b", "d"), np.sqrt(np.diag(self.covariance)).tolist(), strict=True)
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for what four points cannot tell."""

        def known(value: float) -> float | None:
            return value if math.isfinite(value) else None

        law = self.law
        return {
            "coefficients": {name: getattr(law, name) for name in ("log_A", "a", "b", "d")},
            "standard_errors": {name: known(value) for name, value in self.standard_errors.items()},
            "crossing": known(law.crossing) if law.d else None,
            "residual_deviation": known(self.residual_deviation),
            "r_squared": known(self.r_squared),
            "n": self.n,
        }

    def __str__(self) -> str:
        return f"{self.law}\n{self.n} points, R^2 {self.r_squared:.4f}; holds for {self.law._where}"


def fit_bilinear(compute: Any, k: Any, neg_log: Any) -> BilinearFit:
    """The least-squares plane of log y over log C, log k and their product.

    Parameters
    ----------
    compute, k, neg_log : array_like
        At least four points: FLOP > 0, k >= 1, y = -log pass@k > 0 in nats.

    Returns
    -------
    BilinearFit

    Raises
    ------
    ValueError
        Where a value is outside its domain (y = 0 or inf has no logarithm: leave such points out),
        or the points do not determine the four coefficients.
    """
    x, z, y = (
        np.log(_positive(name, v))
        for name, v in (("compute", compute), ("k", _draws(k)), ("neg_log", neg_log))
    )
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
    log_A, a, b, d = (float(c) for c in back @ solution)
    residuals = y - design @ solution
    scatter, along = float(residuals @ residuals), float(((y - y.mean()) ** 2).sum())
    variance = scatter / (x.size - 4) if x.size > 4 else math.nan
    inner = np.linalg.inv((design / scale).T @ (design / scale)) / np.outer(scale, scale)
    return BilinearFit(
        law=BilinearLaw(log_A=log_A, a=a, b=b, d=d),
        covariance=variance * back @ inner @ back.T,
        residual_deviation=math.sqrt(variance),
        r_squared=1.0 - scatter / along if along > 0.0 else math.nan,
        n=int(x.size),
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
