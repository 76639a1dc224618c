"""A number with its interval, and a curve with its band: the answer of every fit and resample.

An end is None where no interval is known, and infinite where the data bound the quantity on that
side at no value. An estimate is *undetermined* where the data do not identify the quantity at all.
A part of it is *at a limit of the search* where a coefficient behind it stopped at a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from .errors import UNIT_INTERVAL, number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]

__all__ = ["DEFAULT_LEVEL", "Band", "Estimate", "percentiles", "prediction_errors", "records"]

#: The nominal coverage of intervals, unless another one is asked for.
DEFAULT_LEVEL = 0.9
#: Fewer draws have no interval and no standard error.
LEAST_DRAWS = 2
#: The distance between these two quantiles of a normal distribution, in standard deviations.
CENTRAL, NORMAL_WIDTH = (0.05, 0.95), 3.2897072539
#: A standard deviation larger than that of the central draws by this factor comes from a few draws.
HEAVY = 2.0


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes
    ----------
    value : float
        Only where the search stopped, if the estimate is `undetermined`.
    low, high : float or None
        Ends of the interval, of nominal coverage `level`.
    standard_error : float or None
        None where there is none, or where a few resamples would make it.
    at_limit : tuple of str
        Which of "low" and "high" lie at a limit of the search. Such an end bounds nothing.
    at_most : bool
        Whether the interval is one-sided: `low` is the least value the quantity can have, `high` an
        upper limit.

    Examples
    --------
    >>> alpha = Estimate(0.1523, 0.1418, 0.1631, level=0.9)
    >>> print(f"{alpha:.3f}", alpha.excludes(0.0))
    0.152 [0.142, 0.163] True
    >>> alpha.as_dict(low="lo", high="hi")
    {'value': 0.1523, 'lo': 0.1418, 'hi': 0.1631}
    """

    value: float
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    undetermined: bool = False
    at_limit: tuple[str, ...] = ()
    level: float | None = None
    at_most: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value))
        for end in ("low", "high"):
            known = getattr(self, end)
            known = None if known is None or isnan(known) else float(known)
            object.__setattr__(self, end, known)

    @classmethod
    def of_draws(
        cls,
        value: float,
        draws: ArrayLike,
        level: float,
        *,
        least: float | None = None,
        on_limit: ArrayLike | None = None,
        undetermined: bool = False,
    ) -> Estimate:
        """The estimate with the central interval that holds a share `level` of the draws.

        Parameters
        ----------
        draws : array_like
            (R,): the quantity in every resample. With fewer than two of them, or where one is NaN
            (the quantity does not exist in that resample), there is no interval: draws are never
            left out. An end is infinite where as many draws are.
        least : float, optional
            Makes the interval one-sided, from this least possible value to the quantile of the
            draws at `level`: a cost that is least at the estimate is larger in every resample, and
            central percentiles would exclude the estimate itself.
        on_limit : array_like of bool, optional
            (R,): the draws in which a coefficient stopped at a limit of the search. An end next to
            such a draw is in `at_limit`.
        """
        import numpy as np

        drawn, level = np.asarray(draws, dtype=np.float64), checked_level(level)
        bare = cls(value, undetermined=undetermined, level=level, at_most=least is not None)
        if len(drawn) < LEAST_DRAWS or np.isnan(drawn).any():
            return bare
        shares = {"low": 0.5 * (1.0 - level), "high": 0.5 * (1.0 + level)}
        if least is not None:
            shares = {"high": level}
        ends = {"low": least} | {end: _quantile(drawn, x, end) for end, x in shares.items()}
        at_limit: tuple[str, ...] = ()
        if on_limit is not None:
            stopped = np.asarray(on_limit)[np.argsort(drawn, kind="stable")]
            places = {end: share * (len(drawn) - 1) for end, share in shares.items()}
            at_limit = tuple(x for x, p in places.items() if stopped[[int(p), -int(-p // 1)]].any())
        return replace(bare, **ends, standard_error=_spread(drawn), at_limit=at_limit)

    @property
    def has_interval(self) -> bool:
        """Whether both ends are known, be they infinite."""
        return self.low is not None and self.high is not None

    def excludes(self, number: float) -> bool:
        """Whether the number lies outside the interval; never where there is no interval."""
        below = self.low is not None and self.low > number
        return below or (self.high is not None and self.high < number)

    def __format__(self, spec: str) -> str:
        """Value and interval, each by the format: f"{alpha:.3f}" is "0.152 [0.142, 0.163]"."""
        value = f"{self.value:{spec}}"
        if self.undetermined:
            return f"{value} (undetermined)"
        if self.low is None or self.high is None:
            return f"{value} (no interval)"
        if self.at_most:
            return f"{value} (at most {self.high:{spec}})"
        return f"{value} [{self.low:{spec}}, {self.high:{spec}}]"

    def __str__(self) -> str:
        return f"{self:.4g}"

    def as_dict(self, value: str = "value", low: str = "low", high: str = "high") -> dict[str, Any]:
        """Plain data for JSON under the keys that the arguments name. An empty key leaves its entry
        out, and a number that is not finite becomes None.
        """
        parts = {value: self.value, low: self.low, high: self.high}
        return {
            key: number if number is not None and isfinite(number) else None
            for key, number in parts.items()
            if key
        }


@dataclass(frozen=True, eq=False)
class Band:
    """A curve with the ends of its interval at every point of a grid, None without draws. The level
    is of every point by itself or, where the maker says so, of the whole curve.
    """

    value: Floats
    low: Floats | None = None
    high: Floats | None = None
    level: float | None = None

    @classmethod
    def of_draws(cls, value: Floats, draws: Floats, level: float) -> Band:
        """The curve (m,) with the pointwise percentiles of the draws (K, m); no ends for fewer than
        two, NaN where a draw is.
        """
        low, high = percentiles(draws, level) if len(draws) >= LEAST_DRAWS else (None, None)
        return cls(value, low, high, level)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Both ends; a ValueError where there are none."""
        if self.low is None or self.high is None:
            raise ValueError("band without ends: fewer than two resamples have it")
        return self.low, self.high


# -- statistics of draws ---------------------------------------------------------------------------


def percentiles(draws: Floats, level: float) -> tuple[Any, Any]:
    """Ends of the central interval that holds a share `level` of the draws, along their first axis."""
    share = checked_level(level)
    low, high = 0.5 * (1.0 - share), 0.5 * (1.0 + share)
    return _quantile(draws, low, "low"), _quantile(draws, high, "high")


def _quantile(draws: Floats, share: float, end: str) -> Any:
    """A quantile along the first axis, as the low or the high end of an interval.

    Finite draws are interpolated as NumPy does. Between a number and infinity nothing can be
    interpolated: at a point with infinite draws the quantile is the next draw outwards.
    """
    import numpy as np

    finite = np.isfinite(draws).all(axis=0)
    with np.errstate(invalid="ignore"):  # inf - inf, at the points that are replaced
        found = np.quantile(draws, share, axis=0)
    if finite.all():
        return found
    method: Any = f"{end}er"
    return np.where(finite, found, np.quantile(draws, share, axis=0, method=method))


def _spread(draws: Floats) -> float | None:
    """The standard deviation of the draws; None where some are infinite, or it comes from a few."""
    import numpy as np

    largest = float(np.abs(draws).max())
    if largest == 0.0 or not isfinite(largest):
        return 0.0 if largest == 0.0 else None
    deviation = largest * float(np.std(draws / largest, ddof=1))
    low, high = np.quantile(draws, CENTRAL)
    return deviation if deviation <= HEAVY * float(high - low) / NORMAL_WIDTH else None


def coverage_factor(level: float, degrees_of_freedom: float | None = None) -> float:
    """Half the width, in standard errors, of a central interval: normal, or Student's t."""
    from scipy.special import ndtri, stdtrit

    share = 0.5 * (1.0 + checked_level(level))
    if degrees_of_freedom is None:
        return float(ndtri(share))
    return float(stdtrit(degrees_of_freedom, share))


def checked_level(level: float) -> float:
    """The level, or a ValueError where it does not lie between 0 and 1."""
    return number("level", level, UNIT_INTERVAL)


def prediction_errors(predicted: Floats, observed: Floats) -> dict[str, float | None]:
    """n, MAE, MRE, RMSE and R2 of predictions; None where one is not defined."""
    import numpy as np

    if not len(observed):
        return {"n": 0, "mae": None, "mre": None, "rmse": None, "r2": None}
    off = predicted - observed
    spread = float(np.sum((observed - observed.mean()) ** 2))
    return {
        "n": len(observed),
        "mae": float(np.mean(np.abs(off))),
        "mre": float(np.mean(np.abs(off) / observed)) if (observed > 0.0).all() else None,
        "rmse": float(np.sqrt(np.mean(off**2))),
        "r2": 1.0 - float(np.sum(off**2)) / spread if spread > 0.0 else None,
    }


def records(frame: DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain data, with None for missing values."""
    return list(frame.astype(object).where(frame.notna(), None).to_dict("records"))
