"""A fit repeated on resamples of its rows: the bootstrap of every law. The resamples are the same for
a seed whatever the number of jobs: batch i has the random numbers of ``SeedSequence(seed,
spawn_key=(i,))``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import whole_number
from ..repeat import repeat
from ..results import LEAST_DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Draws", "case_weights", "resample"]

#: Resamples in one batch.
BATCH = 100
#: Noise that the rows of a group share shows only in the scatter of groups: fewer groups than the
#: first cannot show it (two groups have three resamples, three have ten), fewer than the second
#: show it roughly.
LEAST_GROUPS, FEW_GROUPS = 4, 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Draws:
    """Coefficients of a law, refitted to K resamples or drawn from a covariance."""

    rows: Floats  # (K, p): the coefficients of every draw, also where no minimum was reached
    converged: NDArray[np.bool_]  # (K,): whether each refit reached a certified minimum
    values: Any = None  # (K,): the objectives of the refits, where they are known
    requested: int = 0
    interrupted: bool = False  # whether Ctrl-C came before all were made
    kind: str = "cases"  # or "groups" of rows, or "covariance"
    seed: int = 0

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficients of the draws that reached a certified minimum, (k, p)."""
        return self.rows[self.converged]

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def done(self) -> int:
        """The number of draws that were made, failed ones included."""
        return len(self.rows)

    @property
    def failed(self) -> int:
        """The number of refits that reached no certified minimum."""
        return self.done - len(self)


def resample(
    refit: Callable[..., Draws],
    size: int,
    n: int = 1000,
    *,
    by: ArrayLike | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> Draws:
    """Draw the rows of a fit anew, refit, repeat n times.

    `refit` takes weights (K, size), how often each row is drawn. Rows with the same entry of `by`
    are a group, and groups are drawn whole; there must be at least four. Ctrl-C keeps the
    resamples that are done.
    """
    n, seed = whole_number("n", n, LEAST_DRAWS), whole_number("seed", seed, 0)
    groups = None if by is None else np.asarray(by)
    if groups is not None and (count := len(np.unique(groups.astype(str)))) < LEAST_GROUPS:
        needs = f"resampling whole groups needs at least {LEAST_GROUPS}"
        raise ValueError(f"by: has {count} groups; {needs}")

    def batches() -> Iterator[tuple[Any, Floats]]:
        for index, first in enumerate(range(0, n, BATCH)):
            random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
            yield refit, case_weights(groups, size, min(BATCH, n - first), random)

    how: dict[str, Any] = {"jobs": jobs, "progress": progress, "what": "bootstrap", "unit": "fit"}
    made = repeat(_refitted, batches(), size=lambda draws: draws.done, total=n, **how)
    return Draws(
        rows=np.concatenate([draws.rows for draws in made.values]),
        converged=np.concatenate([draws.converged for draws in made.values]),
        requested=n,
        interrupted=made.interrupted,
        kind="cases" if groups is None else "groups",
        seed=seed,
    )


def _refitted(refit: Callable[..., Draws], weights: Floats) -> Draws:
    return refit(weights=weights)


def case_weights(by: Any, rows: int, size: int, random: np.random.Generator) -> Floats:
    """How often each row is drawn, (size, rows): rows one by one, or whole groups of rows with the
    same entry of `by`.
    """
    names, member = np.arange(rows), np.arange(rows)
    if by is not None:
        names, member = np.unique(np.asarray(by).astype(str), return_inverse=True)
    even = np.full(len(names), 1.0 / len(names))
    drawn = random.multinomial(len(names), even, size=size)
    return drawn[:, member].astype(np.float64)
