"""How sure it is what allocations cost: the matrix of all pairs by the resamples of the models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.intervals import checked_level
from .allocation import COEFFICIENTS, between_all, budgets_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..law import Law
    from .fit_at_k import PassFit

    Floats = NDArray[np.float64]

__all__ = ["LostBetween", "lost_between"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LostBetween:
    """Intervals of the compute that allocations lose, for all pairs of laws.

    Attributes
    ----------
    low, high : ndarray
        (K, K, M): first the law that chooses, then the one that judges, then the compute.
    open : ndarray of bool
        (K, K): whether the ends are none, as a limit of the search kept too many resamples of either law from other coefficients.
    level : float
    """

    low: Floats
    high: Floats
    open: NDArray[np.bool_]
    level: float


def lost_between(
    fits: Sequence[PassFit], compute: Any, *, given: Mapping[str, Law] | None = None, level: float = 0.9
) -> LostBetween | None:
    """Percentile intervals of the lost compute by the resamples, in which the laws at all k are refitted together.

    Parameters
    ----------
    fits : sequence of PassFit
        Of params+tokens laws at several k, with the same resamples.
    compute : array_like
        (M,): budgets in FLOP, > 0.
    given : mapping, optional
        Names and laws that take part as they are, before those of the fits: a published law of loss.
    level : float
        Of the intervals.

    Returns
    -------
    LostBetween or None
        In the order of `given`, then `fits`; None where fewer than two resamples were certified in all fits.

    Raises
    ------
    ValueError
        Where the law is not the params+tokens law, or a level or a law outside its domain.
    """
    for fit in fits:
        if fit.kind.name != "params-tokens":
            raise ValueError(f"law={fit.kind.name!r}: must be 'params-tokens'")
    good = np.all([np.isfinite(fit.draws).all(axis=1) for fit in fits], axis=0)
    if np.sum(good) < 2 or any(fit.spare <= 0 for fit in fits):
        return None
    known = [law.needed("A", "B") for law in (given or {}).values()]
    columns = {name: _columns(name, fits, good, known) for name in COEFFICIENTS}
    lost = between_all(columns, budgets_of(compute), ("lost_compute",))["lost_compute"]
    tail = 0.5 * (1.0 - checked_level(level))
    low, high = np.quantile(lost, [tail, 1.0 - tail], axis=0)
    doubt = np.array([False] * len(known) + [_open(fit, level) for fit in fits])
    either = (doubt[:, None] | doubt[None, :]) & ~np.eye(len(doubt), dtype=bool)
    return LostBetween(low=low, high=high, open=either, level=level)


def _columns(name: str, fits: Sequence[PassFit], good: NDArray[np.bool_], known: Sequence[Mapping[str, float]]) -> Floats:
    """A coefficient (R, K) of every law in every resample."""
    drawn = [fit.draws[good][:, fit.kind.terms.coefficients.index(name)] for fit in fits]
    return np.stack([*(np.full(int(good.sum()), law[name]) for law in known), *drawn], axis=1)


def _open(fit: PassFit, level: float) -> bool:
    """Whether a limit of the search keeps too many resamples from other exponents, which an allocation hangs on."""
    edge = np.any([fit.at_edge(name) for name in fit.kind.exponents], axis=0)
    return fit.too_many(edge, level)
