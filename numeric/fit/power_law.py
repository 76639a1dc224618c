"""A power law through points by a line through their logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import outside, positive_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["PowerLaw", "fit_power_law", "lines"]


@dataclass(frozen=True)
class PowerLaw:
    """y = coefficient x^exponent, as ordinary least squares of log y on log x gives it.

    Attributes
    ----------
    exponent, log_coefficient : float
        Slope and intercept of the line.
    exponent_se, log_coefficient_se : float
        Standard errors from the scatter about the line with n - 2 degrees of freedom; NaN for two
        points, which leave none.
    r_squared : float
        Share of the variance of log y that the line explains; NaN where log y does not vary.
    n : int
        Number of points.
    """

    exponent: float
    log_coefficient: float
    exponent_se: float
    log_coefficient_se: float
    r_squared: float
    n: int

    @property
    def coefficient(self) -> float:
        """The value at x = 1."""
        return math.exp(self.log_coefficient)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; what two points cannot tell is None."""
        names = ("coefficient", "exponent", "exponent_se", "log_coefficient_se", "r_squared")
        numbers = {name: getattr(self, name) for name in names}
        known = {name: None if math.isnan(x) else x for name, x in numbers.items()}
        return {**known, "n": self.n}


def fit_power_law(x: Any, y: Any) -> PowerLaw:
    """The least-squares line of log y on log x.

    Parameters
    ----------
    x, y : array_like
        At least two points, > 0; x not all equal.

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
    n = len(u)
    if n < 2 or np.ptp(u) == 0.0:
        raise outside("x", f"{n} points", "at least two points that differ in x")
    line = lines(u, v, np.ones(n))
    scatter = float(np.sum((v - line.centre_y - line.slope * (u - line.centre_x)) ** 2))
    along = float(np.sum((v - line.centre_y) ** 2))
    deviation = math.sqrt(scatter / (n - 2)) if n > 2 else math.nan
    return PowerLaw(
        exponent=float(line.slope),
        log_coefficient=float(line.intercept),
        exponent_se=deviation / math.sqrt(line.spread),
        log_coefficient_se=deviation * math.sqrt(1.0 / n + line.centre_x**2 / line.spread),
        r_squared=1.0 - scatter / along if along > 0.0 else math.nan,
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
