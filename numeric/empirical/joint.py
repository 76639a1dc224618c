"""The params+tokens law refitted to many resamples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isoflop.numeric.empirical.laws import Laws
from isoflop.numeric.fit.models import PARAMS_TOKENS, Design
from isoflop.numeric.fit.newton import Problems
from isoflop.numeric.fit.path import follow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isoflop.numeric.fit.objective import Objective
    from isoflop.numeric.runs import Runs

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["JointLaw"]

#: |log N*| of a law beyond this, at any budget of a thousand FLOP or more, is degenerate: a term has vanished.
FARTHEST = 300.0


@dataclass(frozen=True)
class JointLaw:
    """The fit of the params+tokens law to the runs, and how to repeat it from there."""

    design: Design
    objective: Objective
    observed: Floats
    weights: Floats | None
    theta: Floats

    @classmethod
    def of(cls, runs: Runs, objective: Objective, coefficients: Mapping[str, float]) -> JointLaw:
        """From the runs, and the coefficients of their fit."""
        design = Design.of(PARAMS_TOKENS, runs)
        return cls(design, objective, runs.loss, runs.weight, design.theta(coefficients))

    @property
    def laws(self) -> Laws:
        """The fitted law."""
        return Laws.of(self.design.coefficients(self.theta))

    def refit(self, *, counts: Floats | None = None, losses: Floats | None = None) -> tuple[Laws, Flags]:
        """The law fitted to K resamples: runs counted (K, n) times, or with other losses (K, n).

        Returns
        -------
        Laws, ndarray of bool
            The flags tell which fits converged to a law with an optimum.
        """
        observed = self.observed if losses is None else losses
        own = np.ones_like(self.observed) if self.weights is None else self.weights
        weights = own if counts is None else counts * own
        count = len(losses if losses is not None else weights)
        target = np.log(observed) if self.objective.in_logs else observed
        problems = Problems(self.design.model, target, weights, self.objective.clip(), self.objective.in_logs)
        start = np.repeat(self.theta[None], count, axis=0)
        found = follow(problems, self.objective, start, self.design.lower, self.design.upper)
        laws = Laws.of(self.design.coefficients(found.theta))
        return laws, found.done & _sound(laws)


def _sound(laws: Laws) -> Flags:
    """Whether neither term has vanished, so that there is an optimum to speak of."""
    with np.errstate(all="ignore"):
        far = np.abs(np.log(laws.A) - np.log(laws.B)) / (laws.beta + laws.gamma)
        return np.isfinite(np.stack(laws)).all(axis=0) & (far < FARTHEST)
