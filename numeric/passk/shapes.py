r"""What shapes of the distribution of success rates are usual: a line through models known by their
likelihoods.

For model g the counts have the likelihood L_g(u, a), taken for 0 beyond the shapes that are looked
at; log a is normal with mean m.T(u) and deviation s, so that the log likelihood of m and t = log s,
with d = (log a - m.T)/s, is

    l(m, t) = sum_g log sum_{u, a} L_g(u, a) exp(-d^2/2 - t),   T = (1, u, e^u).

With each model's cells (u, a) in the shares that the summands have, its gradient is the mean score,
and its Hessian the mean of that of the summands' logarithm and the covariance of their scores
(Louis 1982, J. R. Statist. Soc. B 44, 226). Newton's method (`isoflop.numeric.passk.beta.maximise`)
needs some ten steps where the EM algorithm needs thousands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .beta import LikelihoodExpansion, maximise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Shapes of the distribution of success rates: from nearly all-or-nothing to nearly one rate for
#: all problems.
LEAST_SHAPE, MOST_SHAPE = 1e-3, 20.0
#: How often cells are chosen anew, and the change that ends it.
ROUNDS, SETTLED = 20, 1e-6
#: Cells count whose likelihood is at least e^-DEEP of the model's greatest; a maximum is sought
#: over those with a share of at least e^-SHALLOW.
DEEP, SHALLOW = 30.0, 20.0
#: Directions of m that the models tell less about than this share of the best are left alone.
TOLD_APART = 1e-7


@dataclass(frozen=True)
class Shapes:
    """How usual shapes are at a u: log a is normal about m0 + m1 u + m2 e^u; all weigh the same for
    an infinite deviation.

    The line in u holds where shapes change slowly with -log pass@k, the term in e^u = -log pass@k
    where a + b is the same for all models. Beyond the models that it is learnt from, the mean stays
    as at the last of them.

    Attributes
    ----------
    mean : tuple of float
        m0, m1, m2.
    deviation : float
    span : tuple of float
        The least and the greatest u of the models that it is learnt from.
    """

    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    deviation: float = np.inf
    span: tuple[float, float] = (-np.inf, np.inf)

    def centre(self, u: Floats) -> Floats:
        """The mean of log a at u."""
        return np.tensordot(np.array(self.mean), self.terms(u), axes=1)

    def terms(self, u: Floats) -> Floats:
        """1, u and e^u, (3, ...)."""
        within = np.clip(u, *self.span)
        return np.stack([np.ones_like(within), within, np.exp(within)])

    def log_density(self, log_a: Floats, u: Floats) -> Floats:
        """Log of the density of log a (G, J, P), or (P,), between those of the least and the most
        shape, at u (G, J).
        """
        from scipy.special import log_ndtr

        least, most = np.log(LEAST_SHAPE), np.log(MOST_SHAPE)
        if not np.isfinite(self.deviation):
            return np.full(np.shape(log_a), -np.log(most - least))
        mean = self.centre(u)
        low, high = (least - mean) / self.deviation, (most - mean) / self.deviation
        flipped = low > 0.0  # both in the upper tail: their mirror images keep their digits
        below, above = np.where(flipped, -high, low), np.where(flipped, -low, high)
        mass = log_ndtr(above) + np.log1p(-np.exp(log_ndtr(below) - log_ndtr(above)))
        away = (log_a - mean[..., None]) / self.deviation
        return (
            -0.5 * away * away - (mass + 0.5 * np.log(2.0 * np.pi * self.deviation**2))[..., None]
        )


#: All shapes weigh the same.
EVEN = Shapes()


@dataclass(frozen=True, eq=False)
class Cells:
    """Values of u and log a with their log likelihoods, model after model.

    Attributes
    ----------
    log_a, log_likelihood : ndarray
        (C,).
    place : ndarray of int
        (C,): which of the model's nodes of u.
    model : ndarray of int
        (C,), ascending.
    width : int
        Nodes of a model.
    """

    log_a: Floats
    log_likelihood: Floats
    place: NDArray[np.intp]
    model: NDArray[np.intp]
    width: int

    @classmethod
    def of(cls, log_a: Floats, values: Floats) -> Cells:
        """Of log likelihoods (G, J, A) those that are not negligible."""
        away = values - values.max(axis=(1, 2), keepdims=True)
        kept = away > -DEEP
        model, place, shape = np.nonzero(kept)
        return cls(log_a[shape], away[kept], place, model, values.shape[1])

    def some(self, chosen: NDArray[np.bool_]) -> Cells:
        """Of the cells."""
        return replace(
            self,
            log_a=self.log_a[chosen],
            log_likelihood=self.log_likelihood[chosen],
            place=self.place[chosen],
            model=self.model[chosen],
        )

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """(G,): the first cell of every model."""
        return np.flatnonzero(np.diff(self.model, prepend=-1))

    @cached_property
    def nth(self) -> NDArray[np.intp]:
        """(C,): the model of each, counted from 0."""
        return np.cumsum(np.diff(self.model, prepend=self.model[:1]) > 0)

    @cached_property
    def node(self) -> NDArray[np.intp]:
        """(C,): the node of each among those of all models."""
        return self.nth * self.width + self.place

    def shares(self, log_values: Floats) -> tuple[Floats, float]:
        """Log of each model's values over their sum, and the sum of the logs of those sums."""
        highest = np.maximum.reduceat(log_values, self.first)
        total = highest + np.log(
            np.add.reduceat(np.exp(log_values - highest[self.nth]), self.first)
        )
        return log_values - total[self.nth], float(total.sum())


@dataclass(frozen=True, eq=False)
class ShapeLine:
    """Cells with the terms (D, M) of all nodes, in directions that the models tell apart."""

    cells: Cells
    terms: Floats

    @cached_property
    def own(self) -> Floats:
        """The terms (D, C) of the cells."""
        return self.terms[:, self.cells.node]

    def begun(self) -> Floats:
        """m and t (D + 1,) by least squares where all shapes weigh the same."""
        share = np.exp(self.cells.shares(self.cells.log_likelihood)[0])
        weighted = self.own * share
        m = np.linalg.lstsq(weighted @ self.own.T, weighted @ self.cells.log_a, rcond=TOLD_APART)[0]
        variance = share @ np.square(self.cells.log_a - m @ self.own) / share.sum()
        return np.append(m, 0.5 * np.log(variance + 1e-300))

    def log_shares(self, point: Floats) -> tuple[Floats, float]:
        """Log of the cells' shares (C,), and the log likelihood."""
        away = (self.cells.log_a - point[:-1] @ self.own) / np.exp(point[-1])
        found, value = self.cells.shares(self.cells.log_likelihood - 0.5 * away * away)
        return found, value - len(self.cells.first) * float(point[-1])

    def expanded(self, point: Floats) -> LikelihoodExpansion:
        """The log likelihood, its gradient and its Hessian."""
        log_share, value = self.log_shares(point)
        share, deviation = np.exp(log_share), float(np.exp(point[-1]))
        away = (self.cells.log_a - point[:-1] @ self.own) / deviation
        scores = np.vstack([self.own * (away / deviation), away * away - 1.0])
        weighted = scores * share
        mean = np.add.reduceat(weighted, self.cells.first, axis=1)
        # Minus the Hessian of a summand's log: the products of these, (t, t) halved.
        both = np.vstack([self.own / deviation, 2.0 * away])
        curved = (both * share) @ both.T
        curved[-1, -1] *= 0.5
        hessian = weighted @ scores.T - mean @ mean.T - curved
        return LikelihoodExpansion(np.asarray(value), mean.sum(axis=1), hessian)


def greatest(cells: Cells, terms: Floats, least: float) -> tuple[Floats, float]:
    """Coefficients (D,) of terms (D, M) and the deviation s of the greatest likelihood, with s at
    least `least`.
    """
    values, vectors = np.linalg.eigh(terms @ terms.T / terms.shape[1])
    told = values > TOLD_APART * values[-1]
    basis = vectors[:, told] / np.sqrt(values[told])
    line, floor = ShapeLine(cells, basis.T @ terms), float(np.log(least))
    point = line.begun()
    point[-1] = max(point[-1], floor)
    for _ in range(ROUNDS):
        some = ShapeLine(cells.some(line.log_shares(point)[0] > -SHALLOW), line.terms)
        last, point = point, _highest(some, point, floor)
        if np.abs(point - last).max() < SETTLED:
            break
    return basis @ point[:-1], float(np.exp(point[-1]))


def _highest(line: ShapeLine, begun: Floats, floor: float) -> Floats:
    """The maximum over m and t, or over m alone where t would end below its floor."""
    point = maximise(line.expanded, begun)[0]
    if point[-1] >= floor:
        return point

    def held(m: Floats) -> LikelihoodExpansion:
        value, slope, curved = line.expanded(np.append(m, floor))
        return LikelihoodExpansion(value, slope[:-1], curved[:-1, :-1])

    return np.append(maximise(held, begun[:-1])[0], floor)
