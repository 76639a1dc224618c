r"""What the counts of a model say about pass@k, for any k: the likelihood of u = log(-log pass@k).

The success rates of a model's problems are taken to be Beta(a, b). At a given pass@k and shape a
the other parameter b is fixed, so that the counts have a likelihood, and the shape is averaged
over, with log a even between `LEAST_SHAPE` and `MOST_SHAPE`:

    l(u) = log mean_a prod_i BetaBinomial(c_i | n_i, a, b(u, a; k)).

So l(u) needs no problem to have k samples, though beyond them pass@k is the tail of the Beta
distribution; it has a value where no sample is correct (it is flat towards pass@k = 0), and it does
not depend on when sampling stopped: a rule that looks at the outcomes so far multiplies the
likelihood by a factor without a or b in it. What an estimator is on average does depend on that
rule. Not harmless for the likelihood is to drop problems or rows by what tells about their success.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .beta import log_beta_fail, log_rising, neg_log_pass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ..data.counts import Counts

    Floats = NDArray[np.float64]

#: Shapes of the distribution of success rates: from nearly all-or-nothing to nearly one rate for
#: all problems.
LEAST_SHAPE, MOST_SHAPE, SHAPES = 1e-3, 20.0, 50
#: The grid of log b: up to where pass@k is e^-(its end), and finer where counts tell.
LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B = -20.0, 150.0, 0.12
#: u = log(-log pass@k) is looked at between these.
LEAST_U, MOST_U, STEP_U = -14.0, 5.0, 0.03
#: The likelihood is kept where it is at least e^-DEPTH of its maximum, at so many nodes, which are
#: found after so many looks.
DEPTH, NODES, LOOKS = 18.0, 48, 3
#: Of log likelihoods that are practically the greatest.
NEAR = 0.5
#: Where no sample is correct the likelihood is taken for flat once it is within this of its limit
#: at pass@k = 0.
FLAT = 1e-5
#: With more problems than this the grid of shapes is finer: the error of the interpolation goes
#: with problems times step^4.
FEW_PROBLEMS = 128.0
#: The average over shapes looks at so many, between those where the likelihood is not negligible.
PLACES = 50


@dataclass(frozen=True, eq=False)
class Evidence:
    """The likelihood of u = log(-log pass@k) of every model, for one k.

    Attributes
    ----------
    nodes : ndarray
        (G, J): values of u, equally spaced.
    log_likelihood : ndarray
        (G, J): there; 0 at its maximum.
    flat : ndarray of bool
        (G,): whether it goes on as at the last node for all greater u, as it does for a model
        without a success.
    """

    nodes: Floats
    log_likelihood: Floats
    flat: NDArray[np.bool_]

    @property
    def spacing(self) -> Floats:
        """(G,): between the nodes of a model."""
        return self.nodes[:, 1] - self.nodes[:, 0]

    def some(self, chosen: Any) -> Evidence:
        """Of some of the models: that of a model depends on no other."""
        return Evidence(self.nodes[chosen], self.log_likelihood[chosen], self.flat[chosen])

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation (G,) of u where nothing but the counts is known; of a flat
        likelihood, over its nodes.
        """
        share = np.exp(self.log_likelihood)
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * self.nodes).sum(axis=1)
        return mean, np.sqrt((share * (self.nodes - mean[:, None]) ** 2).sum(axis=1))

    @property
    def least_likely_pass(self) -> Floats:
        """(G,): the first node within `NEAR` of the maximum; a flat part of the likelihood, towards
        pass@k = 0, begins there.
        """
        return self.nodes[np.arange(len(self.nodes)), (self.log_likelihood >= -NEAR).argmax(axis=1)]


def evidence_of(counts: Counts, ks: Iterable[int]) -> dict[int, Evidence]:
    """What the counts of every model say of u, by k."""
    surface = Surface.of([counts.per_group(g) for g in range(len(counts))])
    return {k: surface.at(k) for k in ks}


class Surface(NamedTuple):
    """Log likelihood (G, A, B) of the counts of every model over a grid of shapes a (A,), equally
    spaced in the logarithm, and of log b (B,), equally spaced.
    """

    shapes: Floats
    log_b: Floats
    values: Floats

    @classmethod
    def of(cls, counts: Sequence[tuple[Any, Any]]) -> Surface:
        """From (n, c) of every model's problems."""
        most = max((len(n) for n, _ in counts), default=1)
        parts = max(1, int(np.ceil((most / FEW_PROBLEMS) ** 0.4)))
        shapes = np.geomspace(LEAST_SHAPE, MOST_SHAPE, parts * (SHAPES - 1) + 1)
        log_b = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B)
        b = np.exp(log_b)
        found = np.empty((len(counts), len(shapes), len(log_b)))
        for own, (n, c) in zip(found, counts, strict=True):
            correct, wrong, samples = (np.unique(x, return_counts=True) for x in (c, n - c, n))
            own[:] = (log_rising(shapes[:, None], correct[0]) @ correct[1])[:, None]
            own += log_rising(b[:, None], wrong[0]) @ wrong[1]
            for m, times in zip(*samples, strict=True):
                own -= times * log_rising(shapes[:, None] + b, m)
        return cls(shapes, log_b, found)

    def at(self, k: int) -> Evidence:
        """The likelihood of u for one k, at nodes where it is not negligible; where it is flat
        towards pass@k = 0, up to where that begins.
        """
        log_b_of_u, models = self._inverse(k), np.arange(len(self.values))
        first, last = np.full(len(models), LEAST_U), np.full(len(models), MOST_U)
        first, last = first + 2 * STEP_U, last - 2 * STEP_U
        for look in range(LOOKS + 1):
            nodes = first[:, None] + (last - first)[:, None] * np.linspace(0.0, 1.0, NODES)
            values = self._averaged(log_b_of_u, nodes)
            flat = values[:, -1] >= values.max(axis=1) - FLAT
            if look == LOOKS:
                break
            low, high = _kept(values)
            away = np.abs(values - values[:, -1:]) > FLAT
            level = np.where(away.any(axis=1), NODES - away[:, ::-1].argmax(axis=1), 0)
            high = np.where(flat, np.clip(level, low + 1, high), high)
            first, last = nodes[models, low], nodes[models, high]
        return Evidence(nodes, values - values.max(axis=1, keepdims=True), flat)

    def _inverse(self, k: int) -> Floats:
        """log b at which pass@k is exp(-e^u), (A, U) over the grid of u."""
        u = np.arange(LEAST_U, MOST_U, STEP_U)
        fine = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B / 4)
        log_fail = log_beta_fail(self.shapes[:, None], np.exp(fine), k)
        with np.errstate(divide="ignore"):
            there = np.log(neg_log_pass(log_fail))
        return np.stack([np.interp(u, row, fine) for row in there])

    def _averaged(self, log_b_of_u: Floats, nodes: Floats) -> Floats:
        """The log likelihood (G, J) at nodes of u, averaged over the shapes where it is not
        negligible.
        """
        tables = np.empty((*nodes.shape, len(self.shapes)))
        for g, position in enumerate((nodes - LEAST_U) / STEP_U):
            log_b = _cubic(log_b_of_u, np.broadcast_to(position, (len(self.shapes), len(position))))
            tables[g] = _cubic(self.values[g], (log_b - LEAST_LOG_B) / STEP_LOG_B).T
        first, last = _kept(tables)
        place = first[..., None] + (last - first)[..., None] * np.linspace(0.0, 1.0, PLACES)
        found = _cubic(tables, place)
        highest = found.max(axis=2)
        share = np.exp(found - highest[..., None])
        trapezoids = share.sum(axis=2) - 0.5 * (share[..., 0] + share[..., -1])
        return np.asarray(highest + np.log(trapezoids * (place[..., 1] - place[..., 0])))


def _kept(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The last before and the first after those along the last axis that are not negligible."""
    kept, size = values >= values.max(axis=-1, keepdims=True) - DEPTH, values.shape[-1]
    first, last = kept.argmax(axis=-1), size - 1 - kept[..., ::-1].argmax(axis=-1)
    return np.maximum(first - 1, 0), np.minimum(last + 1, size - 1)


def _cubic(table: Floats, position: Floats) -> Floats:
    """Lagrange's cubic through the four nearest of equally spaced values (..., B), at positions
    (..., J) in steps.
    """
    whole = np.clip(np.floor(position).astype(np.intp), 1, table.shape[-1] - 3)
    t = position - whole
    low, high = t * (t - 1.0), (t + 1.0) * (t - 2.0)
    weights = -low * (t - 2.0) / 6.0, high * (t - 1.0) / 2.0, -high * t / 2.0, low * (t + 1.0) / 6.0
    near = (np.take_along_axis(table, whole + step, axis=-1) for step in (-1, 0, 1, 2))
    return np.asarray(sum(weight * value for weight, value in zip(weights, near, strict=True)))
