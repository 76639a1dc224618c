"""The three roads from runs to a compute law, each as one estimator that takes many resamples at once.

Every approach has a known bias, and one remedy serves them all: with the fitted params+tokens law at hand, the losses are first
moved along it from where the runs are to where the theory speaks (the envelope, the ray). If the law holds, moved losses
scatter about the predicted curve; if it does not, their residuals, which moving keeps, follow another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from .compute_fit import LEAST_SQUARES, ComputeLaws, fit_compute_laws
from .frontier import frontier, moved_to_envelope
from .rays import Ray, moved_to_ray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.objective import Objective
    from .isoflop import IsoflopDesign
    from .laws import Laws

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_BUDGETS", "LEAST_SPAN", "Approach", "Estimates", "FixedRatio", "Frontier", "Isoflop", "envelopes"]

#: A compute law has three coefficients.
LEAST_BUDGETS = 4
#: The largest compute over the smallest, at least.
LEAST_SPAN = 10.0


class Estimates(NamedTuple):
    """Of K resamples: the compute law through the losses as they are, through the moved losses, and what theory predicts."""

    raw: ComputeLaws
    moved: ComputeLaws
    predicted: ComputeLaws
    valid: Flags


class Approach(Protocol):
    """What the check needs of an approach."""

    @property
    def name(self) -> str:
        """frontier, isoflop or fixed-ratio."""

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest compute at which it has something to say."""

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """From losses (K, n), weights (n,) and K joint laws."""


def envelopes(laws: Laws) -> ComputeLaws:
    """The envelopes of K laws."""
    yes = np.ones(len(laws), dtype=bool)
    return ComputeLaws(laws.E, laws.log_C0, laws.alpha, yes, ~yes)


@dataclass(frozen=True)
class Isoflop:
    """Approach 2: compute laws through the minima of isoFLOP profiles, by least squares of log loss."""

    design: IsoflopDesign

    name = "isoflop"

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest budget."""
        return float(self.design.compute.min()), float(self.design.compute.max())

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """A budget without a minimum has no weight."""
        raw = self.design.minima(losses, weights)
        moved = self.design.corrected(raw, self.design.biases(laws, weights))

        def law(heights: Floats, valid: Flags) -> ComputeLaws:
            filled = np.where(valid, heights, 1.0)  # of no weight: any positive number
            return fit_compute_laws(self.design.compute, filled, valid.astype(np.float64), LEAST_SQUARES)

        through_raw, through_moved = law(raw.loss, raw.valid), law(moved.loss, moved.valid)
        enough = moved.valid.sum(axis=1) >= LEAST_BUDGETS
        return Estimates(through_raw, through_moved, envelopes(laws), through_moved.converged & enough)


@dataclass(frozen=True)
class Frontier:
    """Approach 1: compute laws through the undominated runs, by least squares of log loss."""

    params: Floats
    tokens: Floats
    compute: Floats

    name = "frontier"

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest compute of the runs."""
        return float(self.compute.min()), float(self.compute.max())

    def chosen(self, losses: Floats) -> Flags:
        """The frontier."""
        return frontier(self.compute, losses)

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """The frontier is that of the losses as they are; its runs are then moved to the envelope."""
        chosen = self.chosen(losses).astype(np.float64)
        weighted = chosen if weights is None else chosen * weights
        raw = fit_compute_laws(self.compute, losses, weighted, LEAST_SQUARES)
        moved_losses = moved_to_envelope(losses, self.params, self.tokens, self.compute, laws)
        moved = fit_compute_laws(self.compute, moved_losses, weighted, LEAST_SQUARES)
        return Estimates(raw, moved, envelopes(laws), moved.converged & (chosen.sum(axis=1) >= LEAST_BUDGETS))


@dataclass(frozen=True)
class FixedRatio:
    """Compute laws through runs near one D/N, with the objective of the joint fit, for they are some of its runs."""

    ray: Ray
    params: Floats
    tokens: Floats
    compute: Floats
    objective: Objective

    name = "fixed-ratio"

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest compute of the ray's runs."""
        compute = self.compute[self.ray.members]
        return float(compute.min()), float(compute.max())

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """The prediction is the compute law through the law's own losses on the ray."""
        members, ratio = self.ray.members, self.ray.tokens_per_param
        params, tokens, compute = self.params[members], self.tokens[members], self.compute[members]
        own = np.atleast_2d(losses)[:, members]
        counted = None if weights is None else weights[members]

        def law(values: Floats) -> ComputeLaws:
            return fit_compute_laws(compute, values, counted, self.objective)

        moved = law(moved_to_ray(own, params, tokens, compute, ratio, laws))
        predicted = law(laws.ray(compute, ratio))
        return Estimates(law(own), moved, predicted, moved.converged & predicted.converged)
