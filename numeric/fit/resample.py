"""A fit repeated on resamples of its rows: the bootstrap of every law.

A fit takes part by one function, which makes many refits at once. What is drawn is the same for a
seed whatever the number of jobs: batch i has the random numbers of ``SeedSequence(seed,
spawn_key=(i,))``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import whole_number
from ..repeat import repeat
from ..results import LEAST_DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Draws", "Refits", "case_weights", "refits_of", "resample", "together"]

#: Resamples in one batch.
BATCH = 100
#: Noise that the rows of a group share shows in the scatter of groups alone: fewer than the first
#: cannot tell it (two groups have three resamples, three have ten), fewer than the second tell it
#: roughly.
LEAST_GROUPS, FEW_GROUPS = 4, 10


class Refits(NamedTuple):
    """K refits: coefficients (K, p), whether each reached a certified minimum (K,), and the
    objectives (K,) where a fit tells them.
    """

    coefficients: Floats
    converged: NDArray[np.bool_]
    values: Any = None


def together(refits: Iterable[Refits]) -> Refits:
    """Refits of several laws to the same resamples as those of one law with all the coefficients."""
    coefficients, converged, _ = zip(*refits, strict=True)
    return Refits(np.concatenate(coefficients, axis=1), np.logical_and.reduce(converged))


@dataclass(frozen=True, eq=False)
class Draws:
    """Coefficients of a law, drawn many times."""

    coefficients: Floats  # (K, p): of the refits that reached a certified minimum
    index: NDArray[np.intp]  # (K,): which of the resamples each is of
    requested: int
    failed: int = 0  # refits that reached no certified minimum, which are left out
    interrupted: bool = False  # whether Ctrl-C came before all were done
    kind: str = "cases"  # or "groups" of rows; "covariance" where the coefficients were drawn
    seed: int = 0

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def done(self) -> int:
        """How many refits were made, those that failed among them."""
        return len(self) + self.failed


def resample(
    refit: Callable[..., Refits],
    size: int,
    n: int = 1000,
    *,
    by: ArrayLike | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> Draws:
    """Draw the rows of a fit anew, refit, repeat: `refit` takes weights (K, size) that say how often
    each row is drawn. Rows with the same entry of `by` are a group, of which there are four or more,
    and groups are drawn whole. Where Ctrl-C comes the resamples that were done stay.
    """
    n, seed = whole_number("n", n, LEAST_DRAWS), whole_number("seed", seed, 0)
    groups = None if by is None else np.asarray(by)
    if groups is not None and (count := len(np.unique(groups.astype(str)))) < LEAST_GROUPS:
        needs = f"resampling whole groups needs at least {LEAST_GROUPS}"
        raise ValueError(f"by: has {count} groups; {needs}")

    def samples() -> Iterator[dict[str, Any]]:
        for index, first in enumerate(range(0, n, BATCH)):
            random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
            yield {"weights": case_weights(groups, size, min(BATCH, n - first), random)}

    kind = "cases" if groups is None else "groups"
    return refits_of(refit, samples(), n, kind=kind, seed=seed, jobs=jobs, progress=progress)


def refits_of(
    refit: Callable[..., Refits],
    samples: Iterable[Mapping[str, Any]],
    n: int,
    *,
    kind: str = "cases",
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
    what: str = "bootstrap",
) -> Draws:
    """Refits to resamples that the caller draws: `samples` are the arguments of `refit`, a mapping a
    batch, of n resamples in all. The rest is for the record, or as in `isoflop.numeric.repeat.repeat`.
    """
    batches = ((refit, sample) for sample in samples)
    size = {"size": lambda refits: len(refits.converged), "total": n}
    how: dict[str, Any] = {"jobs": jobs, "progress": progress, "what": what, "unit": "fit", **size}
    done = repeat(_refitted, batches, **how)
    coefficients = np.concatenate([refits.coefficients for refits in done.values])
    converged = np.concatenate([refits.converged for refits in done.values])
    failed, index = int((~converged).sum()), np.flatnonzero(converged)
    return Draws(coefficients[converged], index, n, failed, done.interrupted, kind, seed)


def _refitted(refit: Callable[..., Refits], sample: Mapping[str, Any]) -> Refits:
    return refit(**sample)


def case_weights(by: Any, rows: int, size: int, random: np.random.Generator) -> Floats:
    """How often each of the rows is drawn, (size, rows): rows one by one, or whole groups of those
    that agree in `by`.
    """
    names, member = np.arange(rows), np.arange(rows)
    if by is not None:
        names, member = np.unique(np.asarray(by).astype(str), return_inverse=True)
    even = np.full(len(names), 1.0 / len(names))
    drawn = random.multinomial(len(names), even, size=size)
    return drawn[:, member].astype(np.float64)
