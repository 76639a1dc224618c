"""A power law through points by a line through their logarithms."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...theory.data.notation import Frozen
from ..errors import outside, positive_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["PowerLaw", "fit_power_law"]


class PowerLaw(Frozen):
    """y = coefficient x^exponent, as ordinary least squares of log y on log x gives it.

    Attributes
    ----------
    exponent, log_coefficient : float
        Slope and intercept of the line.
    variance_exponent, variance_log_coefficient, covariance : float
        Of the two, from the scatter about the line with n - 2 degrees of freedom; NaN for two
        points, which leave none.
    residual_deviation : float
        Standard deviation about the line in log y; NaN for two points.
    r_squared : float
        Share of the variance of log y that the line explains; NaN where log y does not vary.
    n : int
        Number of points.
    """

    __slots__ = (
        "covariance",
        "exponent",
        "log_coefficient",
        "n",
        "r_squared",
        "residual_deviation",
        "variance_exponent",
        "variance_log_coefficient",
    )

    exponent: float
    log_coefficient: float
    variance_exponent: float
    variance_log_coefficient: float
    covariance: float
    residual_deviation: float
    r_squared: float
    n: int

    @property
    def coefficient(self) -> float:
        """The value at x = 1."""
        return math.exp(self.log_coefficient)

    @property
    def exponent_se(self) -> float:
        """Standard error of the exponent."""
        return math.sqrt(self.variance_exponent)

    @property
    def log_coefficient_se(self) -> float:
        """Standard error of the logarithm of the coefficient."""
        return math.sqrt(self.variance_log_coefficient)

    def __call__(self, x: Any) -> Any:
        """Coefficient x^exponent; ``x``: > 0, a number or an array."""
        y = np.exp(self.log_coefficient + self.exponent * np.log(positive_array("x", x)))
        return float(y) if np.ndim(y) == 0 else y

    def as_dict(self) -> dict[str, Any]:
        """Plain data; what two points cannot tell is None."""
        return {
            "coefficient": self.coefficient,
            "exponent": self.exponent,
            "exponent_se": _known(self.exponent_se),
            "log_coefficient_se": _known(self.log_coefficient_se),
            "r_squared": _known(self.r_squared),
            "n": self.n,
        }

    def __repr__(self) -> str:
        return f"PowerLaw(coefficient={self.coefficient!r}, exponent={self.exponent!r}, n={self.n})"

    def __str__(self) -> str:
        error = (
            "" if math.isnan(self.variance_exponent) else f" (exponent +- {self.exponent_se:.2g})"
        )
        return f"y = {self.coefficient:.6g} x^{self.exponent:.6g}{error}"


def fit_power_law(x: Any, y: Any, weights: Any = None) -> PowerLaw:
    """The least-squares line of log y on log x.

    Parameters
    ----------
    x, y : array_like
        At least two points, > 0; x not all equal.
    weights : array_like, optional
        Of the squared residuals of log y, >= 0; by default all 1. Taken as inverse variances up to
        a common factor.

    Returns
    -------
    PowerLaw

    Raises
    ------
    ValueError
        Where a value is outside its domain, the lengths differ, or all x are equal.

    Examples
    --------
    >>> law = fit_power_law([1e18, 1e20, 1e22], [2e8, 2e9, 2e10])
    >>> round(law.exponent, 12)
    0.5
    """
    u, v = np.log(positive_array("x", x)), np.log(positive_array("y", y))
    if u.ndim != 1 or u.shape != v.shape:
        raise outside(
            "y",
            f"{v.shape} values for x of shape {u.shape}",
            "one value for every x, in one dimension",
        )
    w = np.ones_like(u) if weights is None else _weights(weights, u.shape)
    counted = w > 0.0
    n = int(counted.sum())
    if n < 2 or np.ptp(u[counted]) == 0.0:
        raise outside("x", f"{n} points", "at least two points that differ in x")
    line = lines(u, v, w)
    residuals = v - line.centre_y - line.slope * (u - line.centre_x)
    scatter = w @ residuals**2
    variance = scatter / (n - 2) if n > 2 else math.nan
    along = w @ (v - line.centre_y) ** 2
    return PowerLaw(
        exponent=float(line.slope),
        log_coefficient=float(line.intercept),
        variance_exponent=float(variance / line.spread),
        variance_log_coefficient=float(variance * (1.0 / w.sum() + line.centre_x**2 / line.spread)),
        covariance=float(-variance * line.centre_x / line.spread),
        residual_deviation=float(math.sqrt(variance)),
        r_squared=float(1.0 - scatter / along) if along > 0.0 else math.nan,
        n=n,
    )


class Lines(NamedTuple):
    """Weighted least-squares lines: slope, the weighted means that each passes through, and the
    weighted spread of x.
    """

    slope: Any
    centre_x: Any
    centre_y: Any
    spread: Any

    @property
    def intercept(self) -> Any:
        """Height at x = 0."""
        return self.centre_y - self.slope * self.centre_x


def lines(x: Floats, y: Floats, weights: Floats) -> Lines:
    """Least-squares lines along the last axis of arrays that broadcast; NaN where fewer than two x
    count.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        total = weights.sum(axis=-1)
        centre_x, centre_y = (weights * x).sum(axis=-1) / total, (weights * y).sum(axis=-1) / total
        from_x, from_y = x - centre_x[..., None], y - centre_y[..., None]
        spread = (weights * from_x**2).sum(axis=-1)
        slope = (weights * from_x * from_y).sum(axis=-1) / spread
    return Lines(slope, centre_x, centre_y, spread)


def _weights(values: Any, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise outside("weights", values, "finite numbers of at least 0") from None
    if array.shape != shape:
        raise outside("weights", f"shape {array.shape}", f"one for every point, of shape {shape}")
    wrong = ~(np.isfinite(array) & (array >= 0.0))
    if wrong.any():
        raise outside("weights", float(array[wrong][0]), "finite numbers of at least 0")
    return array


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
