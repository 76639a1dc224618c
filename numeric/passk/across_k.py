"""Laws at several k: how the coefficients move with k, and where E0 vanishes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.power_law import lines
from ..results import Estimate, percentiles
from .fit_at_k import open_side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .laws import PassLaws

    Floats = NDArray[np.float64]

#: An irreducible part whose interval reaches below this, in nats, cannot be told from 0: pass@k
#: within 1e-6 of 1.
ZERO = 1e-6
#: Share of an exponent up to which a difference counts as none.
TOLERANCE = 0.1


def verdict(difference: Estimate, tolerance: float) -> str:
    """What the interval of a difference says.

    Parameters
    ----------
    difference : Estimate
    tolerance : float
        The largest difference, without its sign, that counts as agreement; > 0.

    Returns
    -------
    str
        "agree" where the whole interval lies within the tolerance of 0, else "differ" where it
        excludes 0, else "cannot tell": an interval that merely holds 0 excludes no difference. "no
        resamples" without an interval.

    Examples
    --------
    >>> [
    ...     verdict(Estimate(0.0, *ends), 0.02)
    ...     for ends in ((-0.01, 0.015), (0.01, 0.05), (-0.3, 0.1), ())
    ... ]
    ['agree', 'differ', 'cannot tell', 'no resamples']
    """
    if difference.low is None or difference.high is None:
        return "no resamples"
    if -tolerance <= difference.low and difference.high <= tolerance:
        return "agree"
    return "differ" if difference.excludes(0.0) else "cannot tell"


@dataclass(frozen=True)
class TrendInK:
    """How a coefficient moves with k.

    Attributes
    ----------
    name : str
    first, last : float
        Its value at the smallest and at the largest k.
    change : Estimate
        Last less first.
    slope : Estimate
        Of the least-squares line of the coefficient on log k (of its logarithm, for prefactors).
        Where at some k the interval of the coefficient is an upper limit (`limited_at`), both
        intervals hold for any value there between 0 and the limit; ends are infinite where too many
        resamples ran to a limit of the search.
    share_rising : float or None
        Share of the resamples whose slope is positive; None where there are upper limits.
    limited_at : tuple of int
        The k at which the interval of the coefficient is an upper limit.
    open_at : tuple of int
        The k at which the models leave the coefficient, or an end of its interval, open.
    """

    name: str
    first: float
    last: float
    change: Estimate
    slope: Estimate
    share_rising: float | None
    limited_at: tuple[int, ...] = ()
    open_at: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """ "rises" or "falls" where the interval of the slope says so, else "cannot tell"."""
        if not self.slope.has_interval:
            return "no resamples"
        if self.open_at or not self.slope.excludes(0.0):
            return "cannot tell"
        return "rises" if self.slope.value > 0.0 else "falls"

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return vars(self) | {
            "change": self.change.value,
            "slope": self.slope.value,
            "change_interval": _ends(self.change),
            "slope_interval": _ends(self.slope),
            "verdict": self.verdict,
        }


def _ends(estimate: Estimate) -> tuple[float | None, float | None] | None:
    return (estimate.low, estimate.high) if estimate.has_interval else None


def trend(laws: PassLaws, name: str, level: float = 0.9) -> TrendInK:
    """How a coefficient moves with k.

    Parameters
    ----------
    laws : PassLaws
        Of at least two k.
    name : str
        A coefficient, as "E0" or "alpha".
    level : float
        Of the intervals.

    Raises
    ------
    ValueError
        For an unknown name, or fewer than two k.
    """
    if len(laws) < 2:
        raise ValueError(f"k={laws.ks}: must be at least two for a trend in k")
    values, draws, (common, _) = laws.values(name), laws.draws(name), laws.paired()
    in_logs = name in laws.kind.prefactors
    logs, steps = np.log(np.asarray(laws.ks, dtype=np.float64)), np.eye(len(laws))
    limits: dict[int, float] = {}
    edge = np.zeros(len(common), dtype=bool)
    if len(common) > 1:
        for index, fit in enumerate(laws.fits):
            assert fit.draws is not None
            edge |= fit.at_edge(name)[np.searchsorted(fit.draws.index, common)]
            if name == laws.kind.floor and fit.is_limited(level):
                limits[index] = fit.interval(name, level)[1]
    taken, of_draws = (np.log(values), np.log(draws)) if in_logs else (values, draws)
    along = _slope(logs, steps)
    known = len(common) > 1 and not limits
    return TrendInK(
        name=name,
        first=float(values[0]),
        last=float(values[-1]),
        change=_moved(steps[-1] - steps[0], values, draws, edge, limits, level),
        slope=_moved(along, taken, of_draws, edge, limits, level),
        share_rising=float(np.mean(of_draws @ along > 0.0)) if known else None,
        limited_at=tuple(laws.ks[index] for index in limits),
        open_at=open_at(laws, name, level),
    )


def open_at(laws: PassLaws, name: str, level: float = 0.9) -> tuple[int, ...]:
    """The k at which the models leave a coefficient open: its estimate is no result, or an end of
    its interval is none.
    """
    return tuple(
        fit.k
        for fit in laws.fits
        if name in fit.undetermined or open_side(fit.estimate(name, level))
    )


def _moved(
    by: Floats,
    values: Floats,
    draws: Floats,
    edge: NDArray[np.bool_],
    limits: dict[int, float],
    level: float,
) -> Estimate:
    """A linear function of a coefficient at all k, from its values (K,) and draws (R, K).

    Draws at a limit of the search might be anything, so that too many of them leave no end. At the
    k with an upper limit draws tell nothing: there it may be anything from 0 to the limit.
    """
    plain = Estimate(float(by @ values), level=level)
    if len(draws) < 2:
        return plain
    weights = by.copy()
    weights[list(limits)] = 0.0
    moved = draws @ weights
    low, high = (
        percentiles(np.where(edge, far, moved), level)[side] for side, far in enumerate((-inf, inf))
    )
    ends = [by[index] * most for index, most in limits.items()]
    low += sum(min(0.0, end) for end in ends)
    return replace(plain, low=low, high=high + sum(max(0.0, end) for end in ends))


def _slope(x: Floats, y: Floats) -> Any:
    return lines(x, np.asarray(y), np.ones_like(x)).slope


def vanishes_at(laws: PassLaws, level: float = 0.9) -> int | None:
    """The smallest k from which on the irreducible part cannot be told from 0, or None where it can
    at the largest k.

    Its interval then begins at 0 (below `ZERO` nats) at that k and at every larger one; at smaller
    ones it may as well, which `not_told_from_0` tells.
    """
    alike = not_told_from_0(laws, level)
    tail = [k for k in laws.ks if all(later in alike for later in laws.ks if later >= k)]
    return tail[0] if tail else None


def not_told_from_0(laws: PassLaws, level: float = 0.9) -> tuple[int, ...]:
    """Every k at which the interval of the irreducible part begins at 0 (below `ZERO` nats)."""
    return tuple(
        k
        for k, (low, _) in zip(laws.ks, laws.intervals(laws.kind.floor, level), strict=True)
        if low <= ZERO
    )
