r"""Resamples of runs that keep the design: the fitted law's losses with noise drawn anew.

IsoFLOP profiles and frontiers hang on few runs that somebody placed. Drawing runs with replacement leaves out a third of them: a
profile of seven sizes keeps four or five, and its vertex scatters several times more than over repetitions of the experiment;
and a minimum over drawn runs says nothing about how low the minimum over all lies. With the design kept and noise drawn, bands
have the width that repetitions show.

Noise is larger in some places than in others, and where the law misfits its residuals lean to one side. So a run's noise is its
residual minus the median residual of the runs nearest in (log N, log D), and each run draws from the noise of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

__all__ = ["Noise"]

#: Near are an eighth of the runs, but at least and at most so many: few enough to see a misfit that turns over a decade or so.
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
    def of(cls, losses: Floats, predicted: Floats, params: Floats, tokens: Floats, group: Any, spare: int) -> Noise:
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
            names: dict[Any, list[int]] = {}
            for index, name in enumerate(group.tolist()):
                names.setdefault(name, []).append(index)
            pools = tuple(np.array(members, dtype=np.intp) for members in names.values())
        return cls(predicted, noise, near, pools)

    def draw(self, rng: Generator, count: int) -> Floats:
        """Losses of `count` repetitions: (count, n). The runs of a group take their noise from one drawn group."""
        n, near = self.near.shape
        if self.pools is None:
            donors = self.near[np.arange(n), rng.integers(near, size=(count, n))]
        else:
            donors = np.empty((count, n), dtype=np.intp)
            for row in donors:
                for members, which in zip(self.pools, rng.integers(len(self.pools), size=len(self.pools)), strict=True):
                    row[members] = rng.choice(self.pools[which], size=len(members))
        return np.asarray(self.predicted * np.exp(self.noise[donors]))
