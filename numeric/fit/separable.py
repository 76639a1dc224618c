"""Laws that are linear in all coefficients but their exponents: E + sum_k a_k x_k^-b_k.

Two terms make the params+tokens law, one the compute law. Inside, every term is centred: its
coefficient is the term at the geometric mean of the design, which is far less correlated with its
exponent than the value at x = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


#: Exponents tried for each term, and minima on their grid that are starts.
EXPONENTS, MOST_STARTS = 12, 6
#: Exponents tried for terms that share one.
SHARED_EXPONENTS = 60
#: A step across the bound of E is shortened so often at most, and ends on the bound where it comes
#: this close to it.
SHORTENINGS, REACHED = 3, 1e-3


@dataclass(frozen=True)
class Centred:
    """The law at n runs, in theta = (E, log T_1, ..., log T_m, b_1, ..., b_m), where T_k is term k
    at its centre.

    Attributes
    ----------
    logs : ndarray
        (m, n): log(x_k) minus its value at the centre.
    irreducible : bool
        Whether there is an E.
    """

    logs: Floats
    irreducible: bool = True

    @property
    def size(self) -> int:
        """Number of runs."""
        return int(self.logs.shape[1])

    @property
    def terms(self) -> int:
        """Number of power terms m."""
        return len(self.logs)

    @property
    def width(self) -> int:
        """Number of parameters."""
        return 2 * self.terms + self.irreducible

    def part(self, runs: slice | NDArray[np.intp]) -> Centred:
        """The law at some of the runs."""
        return Centred(self.logs[:, runs], self.irreducible)

    def starts(
        self,
        observed: Floats,
        weights: Floats,
        lower: Floats,
        upper: Floats,
        *,
        judge: Callable[[Floats], Floats] | None = None,
        seed: int = 0,
    ) -> Floats:
        """Parameters (K, p) next to minima of the weighted squares, the best first; see `Scan`."""
        from .scan import Scan

        del seed  # nothing is drawn
        grid = Scan.of(self, lower, upper, EXPONENTS)
        return grid.starts(observed, weights, most=MOST_STARTS, judge=judge)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n)."""
        first, terms = int(self.irreducible), self.terms
        jacobian = np.empty((len(theta), self.width, self.size))
        if first:
            jacobian[:, 0] = 1.0
        values = np.zeros((len(theta), self.size))
        for k, logs in enumerate(self.logs):
            term = jacobian[:, first + k]
            slope = jacobian[:, first + terms + k]
            np.multiply(-theta[:, first + terms + k, None], logs, out=term)
            term += theta[:, first + k, None]
            np.exp(term, out=term)
            values += term
            np.multiply(term, -logs, out=slope)
        if first:
            values += theta[:, :1]
        return values, jacobian

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives T, -z T and z^2 T of
        every term.

        The first two are the term's own first derivatives, so that their sums are in the gradient.
        """
        first, terms = int(self.irreducible), self.terms
        found = np.zeros((len(theta), self.width, self.width))
        for k, logs in enumerate(self.logs):
            i, j = first + k, first + terms + k
            found[:, i, i] = gradient[:, i]
            found[:, i, j] = found[:, j, i] = gradient[:, j]
            found[:, j, j] = -np.einsum("kn,kn,n->k", factors, jacobian[:, j], logs)
        return found

    def retract(
        self,
        theta: Floats,
        move: Floats,
        values: Floats,
        jacobian: Floats,
        lower: Floats,
        upper: Floats,
    ) -> Floats:
        """The point that a step (K, p) is meant to reach: new exponents, and the linear
        coefficients that follow the step best.

        Where an exponent is small its term is nearly a constant plus a line, and E, the coefficient
        and the exponent move together along a curve. A straight step leaves that curve; the
        coefficients found here, by least squares of the relative differences from the values that
        the step foretells to first order, stay on it. They differ from the step's own to second
        order. A step that leads E below its bound is shortened, to end there or before.
        """
        linear, exponents, usable = self._followed(theta, move, values, jacobian, lower, upper)
        if self.irreducible:
            floor = np.broadcast_to(lower, theta.shape)[:, 0]
            for _ in range(SHORTENINGS):
                below = usable & (linear[:, 0] < floor)
                if not below.any():
                    break
                share = (theta[:, 0] - floor) / np.where(below, theta[:, 0] - linear[:, 0], 1.0)
                move = np.where(below[:, None], move * share[:, None], move)
                linear, exponents, usable = self._followed(
                    theta, move, values, jacobian, lower, upper
                )
            near = usable & (linear[:, 0] < floor + REACHED * np.abs(theta[:, 0] - floor))
            linear[near, 0] = floor[near]
        first = int(self.irreducible)
        with np.errstate(all="ignore"):
            inside = np.concatenate(
                [linear[:, :first], np.log(linear[:, first:]), exponents], axis=1
            )
        return np.clip(np.where(usable[:, None], inside, theta + move), lower, upper)

    def _followed(
        self,
        theta: Floats,
        move: Floats,
        values: Floats,
        jacobian: Floats,
        lower: Floats,
        upper: Floats,
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """E and the terms at the centre (K, c), the exponents (K, m) after a step, and whether
        these are usable (K,).
        """
        first, terms = int(self.irreducible), self.terms
        foretold = values + np.einsum("kp,kpn->kn", move, jacobian)
        straight = np.clip(theta + move, lower, upper)
        with np.errstate(all="ignore"):
            powers = np.exp(-straight[:, first + terms :, None] * self.logs)
            columns = (
                np.concatenate([np.ones_like(powers[:, :first]), powers], axis=1)
                / values[:, None, :]
            )
            linear = np.concatenate(
                [straight[:, :first], np.exp(straight[:, first : first + terms])], axis=1
            )
            missing = foretold / values - np.einsum("kc,kcn->kn", linear, columns)
            found = linear + _least_squares(columns, missing, move[:, : first + terms] == 0.0)
        usable: NDArray[np.bool_] = np.asarray(
            np.isfinite(found).all(axis=1) & (found[:, first:] > 0.0).all(axis=1)
        )
        return found, straight[:, first + terms :], usable


@dataclass(frozen=True)
class OneExponent:
    """A law with an E whose terms share one exponent, in theta = (E, log T_1, ..., log T_m, b).

    Attributes
    ----------
    whole : Centred
        The law with an exponent for every term.
    """

    whole: Centred

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.whole.size

    def part(self, runs: slice | NDArray[np.intp]) -> OneExponent:
        """The law at some of the runs."""
        return OneExponent(self.whole.part(runs))

    def starts(
        self, observed: Floats, weights: Floats, lower: Floats, upper: Floats, **options: object
    ) -> Floats:
        """The local minima over the exponent of the weighted squares that the best other
        coefficients, all of at least 0, leave, best first: (K, p).
        """
        from .scan import FLATTEST, STEEPEST, nonnegative, peaks

        del options
        logs = self.whole.logs
        spread = max(float(np.ptp(logs, axis=1).max()), 1e-3)
        exponents = np.geomspace(FLATTEST / spread, STEEPEST / spread, SHARED_EXPONENTS)
        exponents = exponents.clip(lower[-1], upper[-1])
        powers = np.exp(-exponents[:, None, None] * logs)
        columns = np.concatenate([np.ones_like(powers[:, :1]), powers], axis=1)
        gram = np.einsum("gan,gbn,n->gab", columns, columns, weights)
        linear, gain = nonnegative(gram, np.einsum("gan,n,n->ga", columns, weights, observed))
        with np.errstate(divide="ignore"):
            theta = np.concatenate(
                [linear[:, :1], np.log(linear[:, 1:]), exponents[:, None]], axis=1
            )
        return np.clip(theta[peaks(gain[None, :, None], MOST_STARTS)[0]], lower, upper)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n)."""
        values, jacobian = self.whole.evaluate(self._apart(theta))
        return values, np.add.reduceat(jacobian, self._kept, axis=1)

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: those of the whole
        law, the exponents joined.
        """
        apart = self._apart(theta)
        _, first = self.whole.evaluate(apart)
        if divisor is not None:
            first /= divisor[:, None, :]
        sums = np.einsum("kpn,kn->kp", first, factors)
        found = self.whole.curvature(apart, factors, first, sums, divisor)
        joined = np.add.reduceat(found, self._kept, axis=1)
        return np.asarray(np.add.reduceat(joined, self._kept, axis=2))

    @property
    def _kept(self) -> NDArray[np.intp]:
        """Where each parameter begins among those of the whole law."""
        return np.arange(self.whole.terms + 2)

    def _apart(self, theta: Floats) -> Floats:
        """The parameters of the whole law."""
        return np.concatenate([theta, *[theta[:, -1:]] * (self.whole.terms - 1)], axis=1)


def _least_squares(columns: Floats, target: Floats, held: NDArray[np.bool_]) -> Floats:
    """Coefficients (K, c) of the columns (K, c, n) that come closest to the target (K, n); 0 where
    held.
    """
    gram = np.matmul(columns, columns.transpose(0, 2, 1))
    moments = np.matmul(columns, target[:, :, None])[:, :, 0]
    moments[held] = 0.0
    gram[held[:, :, None] | held[:, None, :]] = 0.0
    diagonal = np.arange(gram.shape[1])
    gram[:, diagonal, diagonal] = np.where(
        held, 1.0, gram[:, diagonal, diagonal] * (1.0 + 1e-13) + 1e-300
    )
    gram[~np.isfinite(gram).all(axis=(1, 2))] = np.eye(gram.shape[1])
    return np.linalg.solve(gram, moments[:, :, None])[:, :, 0]
