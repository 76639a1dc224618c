r"""Paired resamples of runs: in each, the joint law and every empirical law are refitted to the
same losses.

A resample keeps the design; its losses are the fitted law's with noise drawn anew. IsoFLOP profiles
and frontiers hang on few runs that somebody placed. Drawing runs with replacement leaves out a third
of them: a profile of seven sizes keeps four or five, and its vertex scatters several times more than
over repetitions of the experiment; and a minimum over drawn runs says nothing about how low the
minimum over all lies. With the design kept and noise drawn, bands have the width that repetitions
show.

Noise is larger in some places than in others, and where the law misfits its residuals lean to one
side. So a run's noise is its residual minus the median residual of the runs nearest in (log N, log
D), and each run draws from the noise of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..repeat import repeat
from .approaches import Estimates
from .laws import Laws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from ..fit import Fit
    from .approaches import Approach
    from .laws import RunsBudget

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["BATCH", "Noise", "PairedDraws", "draw_paired"]

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
    pools : list of ndarray or None
        The runs of each group, where runs have groups.
    """

    predicted: Floats
    noise: Floats
    near: Indices
    pools: list[Indices] | None

    @classmethod
    def of(cls, runs: Any, predicted: Floats, spare: int) -> Noise:
        """From runs with params, tokens, loss and group, and the losses of a law that left `spare`
        degrees of freedom.
        """
        from scipy.spatial import cKDTree

        n, group = len(predicted), runs.group
        count = min(n, max(NEAR_LEAST, min(NEAR_MOST, round(NEAR_SHARE * n))))
        places = np.log(np.stack([runs.params, runs.tokens], axis=1))
        near = cKDTree(places).query(places, k=count)[1].reshape(n, count)
        residuals = np.log(runs.loss / predicted)
        noise = residuals - np.median(residuals[near], axis=1)
        noise *= np.sqrt(n / max(1, spare) * count / max(1, count - 1))
        names = [] if group is None else dict.fromkeys(group.tolist())
        pools = [np.flatnonzero(group == name) for name in names]
        return cls(predicted, noise, near, pools or None)

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


class PairedDraws(NamedTuple):
    """What the resamples gave: the joint laws, the estimates of each approach, how many resamples
    were done and how many of them had no joint law.
    """

    laws: Laws
    estimates: tuple[Estimates, ...] = ()
    done: int = 0
    lost: int = 0


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
    laws, estimates, done, lost = zip(*parts.values, strict=True)
    return PairedDraws(
        Laws(np.concatenate([part.coefficients for part in laws]), budget),
        tuple(
            Estimates(*map(np.concatenate, zip(*of_one, strict=True)))
            for of_one in zip(*estimates, strict=True)
        ),
        sum(done),
        sum(lost),
    )


def _paired(
    fitted: Fit, budget: RunsBudget, approaches: Sequence[Approach], losses: Floats
) -> PairedDraws:
    """One batch; a resample whose joint fit did not converge to a law with an optimum is left out."""
    found = fitted.solution.refit(observed=losses)
    laws = Laws(found.coefficients, budget)
    good = np.asarray(found.converged) & laws.sound
    laws, weights = laws[good], fitted.runs.weight
    estimates = tuple(each.estimate(losses[good], weights, laws) for each in approaches)
    return PairedDraws(laws, estimates, len(losses), int((~good).sum()))
