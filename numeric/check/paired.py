r"""Paired resamples of runs: in each, the joint law and every empirical law are refitted to the
same losses.

A resample keeps the design; its losses are the fitted law's with noise drawn anew.

IsoFLOP profiles and frontiers hang on few runs that somebody placed. Drawing runs with replacement
leaves out a third of them: a profile of seven sizes keeps four or five, and its vertex scatters
several times more than over repetitions of the experiment; and a minimum over drawn runs says
nothing about how low the minimum over all lies. With the design kept and noise drawn, bands have
the width that repetitions show.

Noise is larger in some places than in others, and where the law misfits its residuals lean to one
side. So a run's noise is its residual minus the median residual of the runs nearest in (log N, log
D), and each run draws from the noise of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..fit.power_law import Lines, lines
from ..repeat import repeat
from .isoflop import Isoflop
from .laws import Laws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from ..fit.fit import Fit
    from .approaches import Approach
    from .laws import RunsBudget

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]

__all__ = [
    "BATCH",
    "CurveDraws",
    "Noise",
    "PairedDraws",
    "draw_paired",
    "lines_of",
    "nothing_drawn",
]

#: Resamples that are taken together, fewer where there are so many runs that they would exceed so
#: many numbers.
BATCH, LARGEST_BATCH = 50, 2_000_000
#: Near are an eighth of the runs, but at least and at most so many: few enough to see a misfit that
#: turns over a decade or so.
NEAR_SHARE, NEAR_LEAST, NEAR_MOST = 0.125, 8, 20


class Noise(NamedTuple):
    """What scatters the losses about the law.

    Attributes
    ----------
    predicted : ndarray
        (n,): the law's losses.
    noise : ndarray
        (n,): in log loss.
    near : ndarray
        (n, k): the runs nearest to each, itself among them.
    pools : tuple of ndarray or None
        The runs of each group, where runs have groups.
    """

    predicted: Floats
    noise: Floats
    near: Indices
    pools: tuple[Indices, ...] | None

    @classmethod
    def of(
        cls,
        losses: Floats,
        predicted: Floats,
        params: Floats,
        tokens: Floats,
        group: Any,
        spare: int,
    ) -> Noise:
        """From the observed losses and those of a law that left `spare` degrees of freedom."""
        from scipy.spatial import cKDTree

        n = len(losses)
        count = min(n, max(NEAR_LEAST, min(NEAR_MOST, round(NEAR_SHARE * n))))
        places = np.log(np.stack([params, tokens], axis=1))
        near = cKDTree(places).query(places, k=count)[1].reshape(n, count)
        residuals = np.log(losses / predicted)
        noise = residuals - np.median(residuals[near], axis=1)
        noise *= np.sqrt(n / max(1, spare) * count / max(1, count - 1))
        pools = None
        if group is not None:
            pools = tuple(np.flatnonzero(group == name) for name in dict.fromkeys(group.tolist()))
        return cls(predicted, noise, near, pools)

    def draw(self, rng: Generator, count: int) -> Floats:
        """Losses of `count` repetitions: (count, n). The runs of a group take their noise from one
        drawn group.
        """
        n, near = self.near.shape
        if self.pools is None:
            donors = self.near[np.arange(n), rng.integers(near, size=(count, n))]
        else:
            donors = np.empty((count, n), dtype=np.intp)
            for row in donors:
                drawn = rng.integers(len(self.pools), size=len(self.pools))
                for members, which in zip(self.pools, drawn, strict=True):
                    row[members] = rng.choice(self.pools[which], size=len(members))
        return np.asarray(self.predicted * np.exp(self.noise[donors]))


class CurveDraws(NamedTuple):
    """Of one approach, over the K resamples that gave a compute law.

    Attributes
    ----------
    difference : ndarray
        (K, G): relative difference of the empirical from the predicted curve on the grid.
    empirical, predicted : ndarray
        (K, 3): E, log C0, alpha.
    """

    difference: Floats
    empirical: Floats
    predicted: Floats


class PairedDraws(NamedTuple):
    """All that the resamples gave: draws of each approach, the joint laws, the exponents of N* and D*
    through the isoFLOP minima (K, 2), and the counts.
    """

    curves: tuple[CurveDraws, ...]
    laws: Laws
    exponents: Floats
    done: int
    lost: int


def draw_paired(
    fitted: Fit,
    budget: RunsBudget,
    noise: Noise,
    approaches: Sequence[Approach],
    count: int,
    seed: int,
    *,
    progress: bool,
) -> PairedDraws:
    """Refit everything to `count` resamples; what is done by then where a KeyboardInterrupt comes."""

    def batches() -> Iterator[tuple[Any, ...]]:
        random = np.random.default_rng(seed)
        size = max(1, min(BATCH, LARGEST_BATCH // len(noise.predicted)))
        for first in range(0, count, size):
            yield fitted, budget, approaches, noise.draw(random, min(size, count - first))

    parts = repeat(
        _paired,
        batches(),
        progress=progress,
        what="resamples",
        total=count,
        size=lambda part: part.done,
    ).at_least_one()
    curves, laws, exponents, done, lost = zip(*parts.values, strict=True)

    def joined(kind: Any, parts: Any) -> Any:
        return kind(*map(np.concatenate, zip(*parts, strict=True)))

    return PairedDraws(
        tuple(joined(CurveDraws, draws) for draws in zip(*curves, strict=True)),
        Laws.joined(laws),
        np.concatenate(exponents),
        sum(done),
        sum(lost),
    )


def nothing_drawn(laws: Laws) -> PairedDraws:
    """What no resample gives."""
    return PairedDraws((), laws.some(slice(0)), np.empty((0, 2)), 0, 0)


def _paired(
    fitted: Fit, budget: RunsBudget, approaches: Sequence[Approach], losses: Floats
) -> PairedDraws:
    """One batch; a resample whose joint fit did not converge to a law with an optimum is left out."""
    found = fitted.refit(observed=losses)
    laws = Laws.of(found.coefficients, budget)
    good = np.asarray(found.converged) & laws.sound
    kept, weights, laws = losses[good], fitted.runs.weight, laws.some(good)
    curves = tuple(_curve(approach, kept, weights, laws) for approach in approaches)
    exponents = np.empty((len(laws), 2))
    for approach in approaches:
        if isinstance(approach, Isoflop):
            exponents = np.stack(
                [each.slope for each in lines_of(approach, kept, weights, laws)], 1
            )
    return PairedDraws(curves, laws, exponents, len(losses), int((~good).sum()))


def _curve(approach: Approach, losses: Floats, weights: Floats | None, laws: Laws) -> CurveDraws:
    estimates = approach.estimate(losses, weights, laws)
    valid = estimates.valid
    return CurveDraws(
        estimates.difference(approach.grid)[valid],
        estimates.moved.table()[valid],
        estimates.predicted.table()[valid],
    )


def lines_of(
    approach: Approach, losses: Floats, weights: Floats | None, laws: Laws
) -> tuple[Lines, ...]:
    """The lines of log N* and log D* on log C through the points of an approach, for losses (K, n);
    none where it says nothing of the allocation.
    """
    sizes = approach.sizes(losses, weights, laws)
    if sizes is None:
        return ()
    *both, counted = sizes
    return tuple(lines(np.log(approach.compute), y, counted) for y in both)
