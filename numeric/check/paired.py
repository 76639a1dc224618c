"""Paired resamples: in each, the joint law and every empirical law are refitted to the same losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fit.bootstrap import refit
from ..fit.power_law import lines
from .approaches import Isoflop
from .laws import Laws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..fit.result import Fit
    from .approaches import Approach, Estimates
    from .compute_fit import ComputeLaws
    from .isoflop import IsoflopDesign
    from .resamples import Noise

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = [
    "CurveSample",
    "PairedSamples",
    "allocation_exponents",
    "draw_paired",
    "grid",
    "nothing_drawn",
    "relative_difference",
    "table",
]

#: Resamples that are taken together, fewer where there are so many runs that they would exceed so many numbers.
CHUNK, LARGEST_CHUNK = 50, 2_000_000
#: Points of compute at which curves are compared.
POINTS = 33
#: A law whose optimum lies further than exp of this from its terms' balance at one FLOP has lost a term.
FARTHEST = 300.0


@dataclass(frozen=True)
class CurveSample:
    """Of one approach, over the resamples that gave a compute law.

    Attributes
    ----------
    difference : ndarray
        (K, G): relative difference of the empirical from the predicted curve on the grid.
    empirical, predicted : ndarray
        (K, 3): E, log C0, alpha.
    at_bound : ndarray of bool
        (K,): whether the empirical law ended at a bound.
    """

    difference: Floats
    empirical: Floats
    predicted: Floats
    at_bound: Flags

    def __len__(self) -> int:
        return len(self.difference)


class PairedSamples(NamedTuple):
    """All that the resamples gave: a sample an approach, the joint laws, exponents of N* and D* (K, 2), and the counts."""

    curves: list[CurveSample]
    laws: Laws
    exponents: Floats
    done: int
    lost: int


def draw_paired(
    fitted: Fit, noise: Noise, approaches: Sequence[Approach], count: int, seed: int, *, progress: bool
) -> PairedSamples:
    """Refit everything to `count` resamples; what is done by then where a KeyboardInterrupt comes."""
    rng = np.random.default_rng(seed)
    design = next((approach.design for approach in approaches if isinstance(approach, Isoflop)), None)
    parts: list[tuple[list[CurveSample], Floats, Floats]] = []
    done = lost = 0
    try:
        for size in _chunks(count, len(noise.predicted), progress=progress):
            losses = noise.draw(rng, size)
            laws, good = refitted(fitted, losses)
            laws, losses = laws.some(good), losses[good]
            curves = [_sample(approach, losses, fitted.runs.weight, laws) for approach in approaches]
            exponents = allocation_exponents(design, losses, fitted.runs.weight, laws)
            parts.append((curves, laws.table(), exponents))
            done, lost = done + size, lost + int((~good).sum())
    except KeyboardInterrupt:
        if not parts:
            raise
    columns = [_joined([curves[index] for curves, _, _ in parts]) for index in range(len(approaches))]
    laws = Laws.of(np.concatenate([table for _, table, _ in parts]))
    return PairedSamples(columns, laws, np.concatenate([exponents for _, _, exponents in parts]), done, lost)


def nothing_drawn(laws: Laws) -> PairedSamples:
    """What no resample gives."""
    return PairedSamples([], laws.some(slice(0)), np.empty((0, 2)), 0, 0)


def refitted(fitted: Fit, losses: Floats) -> tuple[Laws, Flags]:
    """The joint law fitted to K sets of losses, and whether each fit converged to a law with an optimum."""
    found = refit(fitted, observed=losses)
    laws = Laws.of(found.coefficients)
    return laws, np.asarray(found.converged) & sound(laws)


def sound(laws: Laws) -> Flags:
    """Whether neither term has vanished, so that there is an optimum to speak of."""
    with np.errstate(all="ignore"):
        far = np.abs(np.log(laws.A) - np.log(laws.B)) / (laws.beta + laws.gamma)
        return np.asarray(np.isfinite(laws.table()).all(axis=1) & (far < FARTHEST))


def allocation_exponents(design: IsoflopDesign | None, losses: Floats, weights: Floats | None, laws: Laws) -> Floats:
    """Exponents of N*(C) and D*(C) by a line through the corrected minima: (K, 2), NaN where there are too few."""
    if design is None:
        return np.empty((len(laws), 2))
    found = design.corrected(design.minima(losses, weights), design.biases(laws, weights))
    counted = found.valid.astype(np.float64)
    x = np.log(design.compute)
    slopes = [lines(x, np.where(found.valid, y, 0.0), counted).slope for y in (found.log_params, found.log_tokens)]
    return np.stack(slopes, axis=1)


def relative_difference(estimates: Estimates, compute: Floats) -> Floats:
    """Of the empirical from the predicted curve; (K, G)."""
    return estimates.moved.losses(compute) / estimates.predicted.losses(compute) - 1.0


def table(laws: ComputeLaws) -> Floats:
    """Rows E, log C0, alpha; (K, 3)."""
    return np.stack([laws.E, laws.log_C0, laws.alpha], axis=1)


def grid(approach: Approach) -> Floats:
    """Compute at which the curves of an approach are compared."""
    return np.geomspace(*approach.span, POINTS)


def _sample(approach: Approach, losses: Floats, weights: Floats | None, laws: Laws) -> CurveSample:
    estimates = approach.estimate(losses, weights, laws)
    valid = estimates.valid
    return CurveSample(
        relative_difference(estimates, grid(approach))[valid],
        table(estimates.moved)[valid],
        table(estimates.predicted)[valid],
        estimates.moved.at_bound[valid],
    )


def _joined(samples: list[CurveSample]) -> CurveSample:
    return CurveSample(
        np.concatenate([sample.difference for sample in samples]),
        np.concatenate([sample.empirical for sample in samples]),
        np.concatenate([sample.predicted for sample in samples]),
        np.concatenate([sample.at_bound for sample in samples]),
    )


def _chunks(count: int, runs: int, *, progress: bool) -> Iterator[int]:
    chunk = max(1, min(CHUNK, LARGEST_CHUNK // runs))
    sizes = [min(chunk, count - first) for first in range(0, count, chunk)]
    if not progress:
        yield from sizes
        return
    from tqdm import tqdm

    with tqdm(total=count, desc="resamples", unit="", leave=False) as bar:
        for size in sizes:
            yield size
            bar.update(size)
