"""What a law must offer to be fitted, and what a fit offers: the two protocols behind every law here.

A law at its rows is a `Model`. The Newton solver (`isoflop.numeric.fit.newton`) minimises an objective of its residuals from its
starts; whatever the law, the result is a `Fitted`, on which `isoflop.numeric.fit.resample`, `profile` and `hold_out` work.

Shapes: K parameter vectors at once, p parameters, n rows. The batch of K is what makes resamples fast: write every method for
arrays with K in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from . import newton, resample

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ..results import Estimate

    Floats = NDArray[np.float64]

__all__ = ["Fitted", "Model"]


class Model(newton.Model, Protocol):
    """A law at n rows, in the parameters theta (p,) that the solver moves.

    theta need not be the coefficients that a reader sees: a good choice is nearly uncorrelated, without sharp valleys, such as
    the logarithm of a term at the mean of the rows in place of its prefactor. `written` turns it back.

    From `newton.Model` it has `size` (n), `part(rows)`, `evaluate(theta)`, that is values (K, n) and their first derivatives
    (K, p, n), and `curvature`, the second derivatives summed over rows. Where a law leaves its domain, values are NaN or
    infinite: the solver takes them for infinitely bad.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p coefficients as they are written: ("E", "A", "B", "beta", "gamma")."""

    @property
    def lower(self) -> Floats:
        """(p,): the least theta, -inf where there is no limit; equal to `upper` where a parameter is fixed."""

    @property
    def upper(self) -> Floats:
        """(p,): the greatest theta."""

    def starts(self, observed: Floats, weights: Floats | None) -> Floats:
        """Where the search begins, (K, p): as a rule the best of a grid in what enters nonlinearly, the rest by least squares.

        Parameters
        ----------
        observed : ndarray
            (n,).
        weights : ndarray or None
            (n,); None where all are 1.
        """

    def written(self, theta: Floats) -> Floats:
        """The coefficients (K, p) in the order of `names` that the parameters (K, p) stand for."""


class Fitted(resample.Refittable, Protocol):
    """A model that was fitted to rows.

    From `resample.Refittable` it has `names`, `coefficients` (by name), `size` (n), `refit` and `redrawn`.
    """

    @property
    def objective_value(self) -> float:
        """What was minimised, at the minimum."""

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum. If it is not, the coefficients are no result."""

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the rows leave undetermined, or that lie at a limit of the search; empty for a sound fit."""

    def on_limit(self, coefficients: Floats) -> NDArray[np.bool_]:
        """Which of the coefficients (K, p) lie at a limit of the search, (K, p). A value that the law may take, such as E = 0, is
        none."""

    def predict(self, rows: Any) -> Floats:
        """What the law says of other rows, (m,)."""

    def estimates(self, level: float = 0.9) -> Mapping[str, Estimate]:
        """The coefficients with their intervals by the cheapest way that there is, such as standard errors."""
