"""Resamples of runs: cases (or whole groups) drawn anew, or the residuals of a law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

__all__ = ["case_counts", "group_codes", "residual_losses"]


def group_codes(group: Any) -> Codes | None:
    """Groups as numbers from 0; None where every run is its own."""
    if group is None:
        return None
    names: dict[Any, int] = {}
    return np.array([names.setdefault(name, len(names)) for name in group.tolist()], dtype=np.intp)


def case_counts(rng: Generator, n: int, count: int, codes: Codes | None = None) -> Floats:
    """How often each of n runs is drawn: (count, n). Runs of a group are drawn together."""
    units = n if codes is None else int(codes.max()) + 1
    drawn = rng.multinomial(units, np.full(units, 1.0 / units), size=count).astype(np.float64)
    return drawn if codes is None else drawn[:, codes]


def residual_losses(rng: Generator, predicted: Floats, log_residuals: Floats, count: int, codes: Codes | None = None) -> Floats:
    """Predicted losses times drawn residuals: (count, n). A group takes its residuals from one drawn group."""
    n = len(predicted)
    if codes is None:
        return predicted * np.exp(log_residuals[rng.integers(n, size=(count, n))])
    pools = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
    sizes = np.array([len(pool) for pool in pools])
    donors = rng.integers(len(pools), size=(count, len(pools)))[:, codes]
    within = (rng.random((count, n)) * sizes[donors]).astype(np.intp)
    padded = np.array([np.resize(pool, sizes.max()) for pool in pools])
    return predicted * np.exp(log_residuals[padded[donors, within]])
