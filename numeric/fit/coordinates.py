"""The coefficients that a fit may move, as written or by the logarithm of their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .expression import ExpressionModel

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinates:
    """A model in u: its free coefficients, or the logarithms of their sizes where `signs` is not 0.

    Attributes
    ----------
    model : ExpressionModel
        In all coefficients.
    base : ndarray
        (p,): all coefficients; the fixed ones keep these values.
    free : ndarray
        (q,): positions of the others.
    signs : ndarray
        (q,): 0 for a coefficient as written, else the sign that it keeps.
    """

    model: ExpressionModel
    base: Floats
    free: NDArray[np.intp]
    signs: Floats

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.model.size

    def part(self, runs: slice) -> Coordinates:
        """The model at some of the runs."""
        return Coordinates(self.model.part(runs), self.base, self.free, self.signs)

    def coefficients(self, u: Floats) -> Floats:
        """All coefficients (K, p) for u (K, q)."""
        theta = np.tile(self.base, (len(u), 1))
        with np.errstate(all="ignore"):
            theta[:, self.free] = np.where(self.signs == 0.0, u, self.signs * np.exp(u))
        return theta

    def parameters(self, theta: Floats) -> Floats:
        """u (q,) for all coefficients (p,)."""
        moved = theta[self.free]
        with np.errstate(divide="ignore"):
            return np.where(self.signs == 0.0, moved, np.log(np.abs(moved)))

    def box(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Bounds on u from bounds on all coefficients (p,)."""
        low, high = lower[self.free], upper[self.free]
        positive, negative = self.signs > 0.0, self.signs < 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs_low, logs_high = np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
            down_low, down_high = np.log(np.maximum(-high, 0.0)), np.log(np.maximum(-low, 0.0))
        return (
            np.where(positive, logs_low, np.where(negative, down_low, low)),
            np.where(positive, logs_high, np.where(negative, down_high, high)),
        )

    def evaluate(self, u: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, q, n) in u."""
        theta = self.coefficients(u)
        values, jacobian = self.model.evaluate(theta)
        with np.errstate(all="ignore"):
            return values, jacobian[:, self.free] * self._slopes(theta)[:, :, None]

    def curvature(
        self, u: Floats, factors: Floats, jacobian: Floats, gradient: Floats, divisor: Floats | None
    ) -> Floats:
        """The sum over the runs of factors (K, n), over the divisor if there is one, times the
        second derivatives: (K, q, q).
        """
        theta = self.coefficients(u)
        slopes = self._slopes(theta)
        with np.errstate(all="ignore"):
            whole = self.model.curvature(theta, factors, jacobian, gradient, divisor)
            found = (
                whole[:, self.free[:, None], self.free] * slopes[:, :, None] * slopes[:, None, :]
            )
            diagonal = np.arange(len(self.free))
            found[:, diagonal, diagonal] += np.where(
                self.signs == 0.0, 0.0, gradient
            )  # d2 theta/du2 = d theta/du
        return np.asarray(found)

    def _slopes(self, theta: Floats) -> Floats:
        """d theta/du (K, q)."""
        return np.where(self.signs == 0.0, 1.0, theta[:, self.free])
