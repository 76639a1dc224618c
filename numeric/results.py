"""A number with its interval: what every fit, resample and profile returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

#: Fewer draws have no interval and no standard error.
LEAST_DRAWS = 2
#: The distance between these quantiles of normal draws is so many standard deviations.
CENTRAL, NORMAL_WIDTH = (0.05, 0.95), 3.2897072539
#: A standard deviation that exceeds the one of the central draws by this factor is made by a few draws, and says nothing.
HEAVY = 2.0


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes
    ----------
    value : float
    low, high : float or None
        None: no interval is known. Infinite: the data do not bound the quantity on that side.
    standard_error : float or None
    undetermined : bool
    at_limit : tuple of str
        Which of "value", "low" and "high" lie at a limit of the search.
    level : float or None
    """

    value: float
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    undetermined: bool = False
    at_limit: tuple[str, ...] = ()
    level: float | None = None

    @classmethod
    def of_draws(
        cls,
        value: float,
        draws: ArrayLike,
        level: float,
        *,
        on_limit: ArrayLike | None = None,
        undetermined: bool = False,
    ) -> Estimate:
        """The estimate with the central interval that holds a share `level` of the draws."""
        drawn = np.asarray(draws, dtype=np.float64)
        checked_level(level)
        if len(drawn) < LEAST_DRAWS or bool(np.isnan(drawn).any()):
            return cls(value, undetermined=undetermined, level=level)
        low, high = percentiles(drawn, level)
        return cls(value, float(low), float(high), spread(drawn), undetermined, level=level)


def checked_level(level: float) -> float:
    """The level, or a ValueError where it does not lie between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level}: must lie between 0 and 1")
    return level


def percentiles(draws: Floats, level: float) -> tuple[Any, Any]:
    """Ends of the central interval that holds a share `level` of the draws, along their first axis."""
    shares = [0.5 * (1.0 - checked_level(level)), 0.5 * (1.0 + level)]
    if np.isfinite(draws).all():
        low, high = np.quantile(draws, shares, axis=0)
    else:
        low = np.quantile(draws, shares[0], axis=0, method="lower")
        high = np.quantile(draws, shares[1], axis=0, method="higher")
    return low, high


def spread(draws: Floats) -> float | None:
    """The standard deviation of the draws; None where some are infinite, or where a few of them make it."""
    if len(draws) < LEAST_DRAWS or not np.isfinite(draws).all():
        return None
    largest = float(np.abs(draws).max())
    if largest == 0.0:
        return 0.0
    deviation = largest * float(np.std(draws / largest, ddof=1))
    low, high = np.quantile(draws, CENTRAL)
    return deviation if deviation <= HEAVY * float(high - low) / NORMAL_WIDTH else None


@dataclass(frozen=True, eq=False)
class Band:
    """A curve with the ends of its interval at every point; the ends are None without draws."""

    value: Floats
    low: Floats | None = None
    high: Floats | None = None
    level: float | None = None

    @classmethod
    def of_draws(cls, value: ArrayLike, draws: ArrayLike, level: float) -> Band:
        """The curve with the pointwise percentiles of the draws (R, ...)."""
        curve, drawn = np.asarray(value, dtype=np.float64), np.asarray(draws, dtype=np.float64)
        checked_level(level)
        if len(drawn) < LEAST_DRAWS:
            return cls(curve, level=level)
        return cls(curve, *percentiles(drawn, level), level)
