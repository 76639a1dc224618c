"""An approach: from the losses of runs to points on one curve of loss against compute, and from
those to a compute law.

Every approach has a known bias, and one remedy serves them all: with the fitted params+tokens law
at hand, the losses are first moved along it from where the runs are to where the theory speaks (the
envelope, the ray). If the law holds, moved losses scatter about the predicted curve; if it does
not, their residuals, which moving keeps, follow another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from .compute_fit import LEAST_SQUARES, ComputeLaws, fit_compute_laws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.objective import Objective
    from .laws import Laws

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_BUDGETS", "LEAST_SPAN", "Approach", "Estimates", "Points", "envelopes"]

#: A compute law has three coefficients.
LEAST_BUDGETS = 4
#: The largest compute over the smallest, at least.
LEAST_SPAN = 10.0
#: Points of compute at which curves are compared.
GRID = 33


class Points(NamedTuple):
    """The points of an approach for K sets of losses, each (K, m): as they are and moved, with
    their weights.
    """

    raw: Floats
    moved: Floats
    raw_weights: Floats
    weights: Floats


class Estimates(NamedTuple):
    """K compute laws: through the points as they are, through the moved ones, what theory predicts;
    which are valid.
    """

    raw: ComputeLaws
    moved: ComputeLaws
    predicted: ComputeLaws
    valid: Flags

    def difference(self, compute: Floats) -> Floats:
        """Relative difference in loss of the empirical from the predicted curve; (K, G)."""
        return self.moved.losses(compute) / self.predicted.losses(compute) - 1.0


class Approach:
    """One road to a compute law. A subclass says which points it takes, and what theory predicts
    for them.

    Attributes
    ----------
    name : {"frontier", "isoflop", "fixed-ratio"}
    more_runs : str
        Which further runs it would take.
    objective : Objective
        Of the compute law; least squares of the log loss unless the subclass has another.
    compute : ndarray
        (m,): of its points, FLOP.
    """

    name: ClassVar[str]
    more_runs: ClassVar[str]
    objective: Objective = LEAST_SQUARES
    compute: Floats

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The points for losses (K, n) of the n runs with weights (n,), moved along K laws."""
        raise NotImplementedError

    def predicted(self, weights: Floats | None, laws: Laws) -> ComputeLaws:
        """What K params+tokens laws predict for the compute law through the moved points: their
        envelopes.
        """
        return envelopes(laws)

    def described(self, losses: Floats) -> dict[str, Any]:
        """What a report says of the approach whatever comes out, from the losses (n,)."""
        raise NotImplementedError

    @property
    def grid(self) -> Floats:
        """Compute at which the curves are compared, from the lowest to the highest of its points."""
        return np.geomspace(float(self.compute.min()), float(self.compute.max()), GRID)

    def estimate(self, losses: Floats, weights: Floats | None, laws: Laws) -> Estimates:
        """The compute laws through the points; valid where both fits converged to enough points."""
        points, predicted = self.points(losses, weights, laws), self.predicted(weights, laws)
        raw = fit_compute_laws(self.compute, points.raw, points.raw_weights, self.objective)
        moved = fit_compute_laws(self.compute, points.moved, points.weights, self.objective)
        enough = np.count_nonzero(points.weights, axis=1) >= LEAST_BUDGETS
        return Estimates(raw, moved, predicted, moved.converged & predicted.converged & enough)


def envelopes(laws: Laws) -> ComputeLaws:
    """The envelopes of K laws."""
    yes = np.ones(len(laws), dtype=bool)
    return ComputeLaws(laws.E, laws.log_C0, laws.alpha, yes, ~yes)
