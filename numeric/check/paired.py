r"""Paired resamples of runs: in each, the joint law and every empirical law are refitted to the
same losses; and the bands that follow from them.

A resample keeps the design, since profiles and frontiers depend on few runs that were placed on
purpose: if runs were drawn, a vertex would scatter several times more than over repetitions of the
experiment. Its losses are those of the fitted law with new noise. The size of the noise varies
over the design, and where the law misfits its residuals lean to one side. So the noise of a run is
its residual minus the median residual of the runs nearest in (log N, log D), and each run draws
from the noise of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..repeat import repeat
from .approaches import LAW, PREDICTED, losses_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..data.runs import Runs
    from ..fit import Fit
    from .approaches import Approach, RunsBudget

    Floats = NDArray[np.float64]

#: The number of resamples that are refitted together, and the most numbers in such a batch.
BATCH, LARGEST_BATCH = 50, 2_000_000
#: The nearest runs are an eighth of all, but at least and at most so many: few enough to follow a
#: misfit that turns within a decade.
NEAR_SHARE, NEAR_LEAST, NEAR_MOST = 0.125, 8, 20
#: The number of points of compute at which curves are compared; the least width of a band.
GRID, ROUNDING = 33, 1e-12
#: A law whose terms balance further than exp of this from one FLOP has lost a term.
FARTHEST = 300.0


def noise_about(runs: Runs, predicted: Floats, spare: int) -> Callable[[Generator, int], Floats]:
    """A function that draws the losses (count, n) of repetitions of runs about the losses of a law
    that left `spare` degrees of freedom. The runs of a group take their noise from one drawn group.
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

    def drawn(rng: Generator, repetitions: int) -> Floats:
        if not pools:
            donors = near[np.arange(n), rng.integers(count, size=(repetitions, n))]
            return np.asarray(predicted * np.exp(noise[donors]))
        donors = np.empty((repetitions, n), dtype=np.intp)
        for row in donors:
            which = rng.integers(len(pools), size=len(pools))
            for members, donor in zip(pools, which, strict=True):
                row[members] = rng.choice(pools[donor], size=len(members))
        return np.asarray(predicted * np.exp(noise[donors]))

    return drawn


def resample(
    fitted: Fit,
    budget: RunsBudget,
    predicted: Floats,
    approaches: Sequence[Approach],
    count: int,
    seed: int,
    *,
    progress: bool,
) -> tuple[dict[str, DataFrame], int]:
    """Refit the joint law, whose losses at the runs are `predicted`, and the laws of all approaches to
    `count` resamples: the estimates by approach, and the number of resamples that were left out, as
    their joint law has no optimum.
    """
    from pandas import concat

    drawn = noise_about(fitted.runs, predicted, fitted.solution.spare)
    random, size = np.random.default_rng(seed), max(1, min(BATCH, LARGEST_BATCH // len(predicted)))
    batches = ((drawn(random, min(size, count - first)),) for first in range(0, count, size))

    def refitted(losses: Floats) -> tuple[dict[str, DataFrame], int]:
        found = fitted.solution.refit(observed=losses)
        good = np.asarray(found.converged) & is_sound(found.rows)
        law = budget.law(*found.rows[good].T[:, :, None])
        own = {each.approach: each.estimate(losses[good], law) for each in approaches}
        return own, int((~good).sum())

    shown: dict[str, Any] = {"progress": progress, "what": "resamples", "total": count}
    repeated = repeat(refitted, batches, size=lambda _: size, **shown)
    if repeated.interrupted:
        raise KeyboardInterrupt
    estimates, lost = zip(*repeated.values, strict=True)
    return {name: concat([part[name] for part in estimates]) for name in estimates[0]}, sum(lost)


def is_sound(coefficients: Floats) -> Any:
    """The mask of the laws E, A, B, beta, gamma (K, 5) that have kept both terms, and so have an
    optimum.
    """
    _, A, B, beta, gamma = coefficients.T
    with np.errstate(all="ignore"):
        far = np.abs(np.log(A) - np.log(B)) / (beta + gamma)
    return np.isfinite(coefficients).all(axis=1) & (far < FARTHEST)


def simultaneous_band(deviations: Floats, level: float) -> Floats:
    """Half the width (G,) of a band within which a share `level` of the resampled curves (K, G) stay
    over the whole grid: q s, where s is the quantile `level` of |deviation| at each point and q that
    of the largest |deviation|/s of each resample, so that no point counts more than another.
    """
    size = np.abs(deviations)
    spread = np.maximum(np.quantile(size, level, axis=0), ROUNDING)
    return np.asarray(np.quantile(np.max(size / spread, axis=1), level) * spread)


def banded(compute: Floats, here: DataFrame, resampled: DataFrame, level: float) -> DataFrame:
    """The relative difference of an approach's curve from the predicted one over the compute of its
    points, with its band lo to hi, from its estimates for the runs and for K resamples. The law holds
    in the resamples: their median difference, an effect of selection, is subtracted.
    """
    from pandas import DataFrame

    grid = np.geomspace(float(compute.min()), float(compute.max()), GRID)
    laws, predicted = (
        [losses_at(grid, x[names].to_numpy()) for x in (here, resampled)]
        for names in (LAW, PREDICTED)
    )
    own, drawn = (law / other - 1.0 for law, other in zip(laws, predicted, strict=True))
    middle = np.median(drawn, axis=0)
    value, half = own[0] - middle, simultaneous_band(drawn - middle, level)
    curve = {"compute": grid, "predicted": predicted[0][0], "difference": value}
    return DataFrame({**curve, "lo": value - half, "hi": value + half})
