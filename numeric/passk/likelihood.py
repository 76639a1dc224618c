r"""What the counts of a model say about pass@k, for any k: the likelihood of u = log(-log pass@k).

The success rates of a model's problems are taken to be Beta(a, b). At a given pass@k and shape a the other parameter b is
fixed, so that the counts have a likelihood, and the shape is averaged over:

    l(u) = log sum_a w(a | u) prod_i BetaBinomial(c_i | n_i, a, b(u, a; k)).

Where every problem has k samples, shapes matter little, and all between `LEAST_SHAPE` and `MOST_SHAPE` weigh the same. Beyond
that pass@k is a matter of the shape, and what shapes are usual is learnt from all models together: log a is normal about
m0 + m1 u + m2 e^u, four numbers of greatest likelihood (empirical Bayes). So l(u) needs no problem to have k samples, has a value
where no sample is correct (it is flat towards pass@k = 0), and does not depend on when sampling stopped: a rule that looks at the
outcomes so far multiplies the likelihood by a factor without a or b in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.passk.beta import log_beta_fail, log_rising, neg_log_pass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Shapes of the distribution of success rates: from nearly all-or-nothing to nearly one rate for all problems.
LEAST_SHAPE, MOST_SHAPE, SHAPES = 1e-3, 20.0, 50
#: The grid of log b: up to where pass@k is e^-(its end), and finer where counts tell.
LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B = -20.0, 150.0, 0.12
#: u = log(-log pass@k) is looked at between these.
LEAST_U, MOST_U, STEP_U = -14.0, 5.0, 0.03
#: The likelihood is kept where it is at least e^-DEPTH of its maximum, at so many nodes.
DEPTH, NODES, LOOKS = 18.0, 48, 3
#: Of log likelihoods that are practically the greatest.
NEAR = 0.5
#: Where no sample is correct the likelihood is taken for flat once it is within this of its limit at pass@k = 0.
FLAT = 1e-5
#: Fewer models with a success and a failure do not tell what shapes are usual; the least standard deviation of log a, a step of
#: the grid: sharper weights would fall between its shapes.
LEAST_MODELS, LEAST_DEVIATION = 6, 0.2
#: Rounds of learning, and the change in log a that ends them.
ROUNDS, SETTLED = 200, 3e-4
#: Directions of m0, m1, m2 that the models tell less about than this share of the best are left alone.
TOLD_APART = 1e-7
#: With more problems than this the grid of shapes is finer: the error of the interpolation goes with problems times step^4.
FEW_PROBLEMS = 128.0
#: Shapes learn from values interpolated between those of the grid, at steps that many problems tell apart: sqrt(problems)/this.
COARSE = 6.0
#: The average over shapes looks at so many, between those where the likelihood is not negligible.
PLACES = 50


@dataclass(frozen=True)
class Shapes:
    """How usual shapes are at a u: log a is normal about m0 + m1 u + m2 e^u; all weigh the same for an infinite deviation.

    The line in u holds where shapes change slowly with -log pass@k, the term in e^u = -log pass@k where a + b is the same for all
    models. Beyond the models that it is learnt from, the mean stays as at the last of them.

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

    def log_weights(self, shapes: Floats, u: Floats) -> Floats:
        """Log of the weights of shapes (A,) at u (..., J), which sum to 1: (..., A, J)."""
        away = (np.log(shapes)[:, None] - self.centre(u)[..., None, :]) / self.deviation
        found = -0.5 * away * away
        found -= found.max(axis=-2, keepdims=True)
        return found - np.log(np.exp(found).sum(axis=-2, keepdims=True))

    def log_density(self, log_a: Floats, u: Floats) -> Floats:
        """Log of the density of log a (G, P, J) between those of the least and the most shape, at u (G, J)."""
        from scipy.special import log_ndtr

        low, high = np.log(LEAST_SHAPE), np.log(MOST_SHAPE)
        if not np.isfinite(self.deviation):
            return np.full(np.shape(log_a), -np.log(high - low))
        mean = self.centre(u)
        ends = (low - mean) / self.deviation, (high - mean) / self.deviation
        flipped = ends[0] > 0.0  # both in the upper tail: their mirror images keep their digits
        below, above = np.where(flipped, -ends[1], ends[0]), np.where(flipped, -ends[0], ends[1])
        mass = log_ndtr(above) + np.log1p(-np.exp(log_ndtr(below) - log_ndtr(above)))
        away = (log_a - mean[:, None]) / self.deviation
        return -0.5 * away * away - (mass + 0.5 * np.log(2.0 * np.pi * self.deviation**2))[:, None]

    def learnt(self, shapes: Floats, nodes: Floats, values: Floats) -> Shapes:
        """The greatest likelihood from log likelihoods (G, A, J) at nodes (G, J) of u, by the EM algorithm from here on."""
        log_a = np.log(shapes)
        likeliest = np.take_along_axis(nodes, values.max(axis=1).argmax(axis=1)[:, None], axis=1)
        span = float(likeliest.min()), float(likeliest.max())
        begun = self.deviation if np.isfinite(self.deviation) else float(np.ptp(log_a)) / 2.0
        found = Shapes(self.mean, begun, span)
        terms = found.terms(nodes)
        for _ in range(ROUNDS):
            share = values + found.log_weights(shapes, nodes)
            share = np.exp(share - share.max(axis=(1, 2), keepdims=True))
            share /= share.sum(axis=(1, 2), keepdims=True)
            at, along = share.sum(axis=1), np.einsum("gaj,a->gj", share, log_a)
            gram = np.einsum("xgj,ygj,gj->xy", terms, terms, at)
            moments = np.einsum("xgj,gj->x", terms, along)
            mean = np.linalg.lstsq(gram, moments, rcond=TOLD_APART)[0]
            square = float(np.einsum("gaj,a->", share, log_a**2)) - 2.0 * mean @ moments + mean @ gram @ mean
            deviation = max(LEAST_DEVIATION, float(np.sqrt(max(square, 0.0) / len(nodes))))
            last, found = found, Shapes((float(mean[0]), float(mean[1]), float(mean[2])), deviation, span)
            moved = np.abs(found.centre(nodes) - last.centre(nodes)).max()
            if max(float(moved), abs(np.log(found.deviation / last.deviation))) < SETTLED:
                break
        return found


@dataclass(frozen=True, eq=False)
class Evidence:
    """The likelihood of u = log(-log pass@k) of every model, for one k.

    Attributes
    ----------
    k : int
    nodes : ndarray
        (G, J): values of u, equally spaced.
    log_weights : ndarray
        (G, J): log likelihood there, at most 0 and 0 at its maximum, plus the log of the spacing.
    flat : ndarray of bool
        (G,): whether it goes on as at the last node for all greater u, as it does for a model without a success.
    usual : Shapes
        What shapes of the distribution of success rates it took for usual.
    """

    k: int
    nodes: Floats
    log_weights: Floats
    flat: NDArray[np.bool_]
    usual: Shapes = Shapes()

    @property
    def spacing(self) -> Floats:
        """(G,): between the nodes of a model."""
        return self.nodes[:, 1] - self.nodes[:, 0]

    @property
    def log_likelihood(self) -> Floats:
        """(G, J): log likelihood at the nodes, 0 at its maximum."""
        return self.log_weights - np.log(self.spacing)[:, None]

    def some(self, chosen: Any) -> Evidence:
        """Of some of the models."""
        return Evidence(self.k, self.nodes[chosen], self.log_weights[chosen], self.flat[chosen], self.usual)

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation (G,) of u where nothing but the counts is known; of a flat likelihood, over its nodes."""
        share = np.exp(self.log_likelihood)
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * self.nodes).sum(axis=1)
        return mean, np.sqrt((share * (self.nodes - mean[:, None]) ** 2).sum(axis=1))

    @property
    def least_likely_pass(self) -> Floats:
        """(G,): the first node within `NEAR` of the maximum; a flat part of the likelihood, towards pass@k = 0, begins there."""
        return self.nodes[np.arange(len(self.nodes)), (self.log_likelihood >= -NEAR).argmax(axis=1)]

    @property
    def most_likely(self) -> Floats:
        """(G,): the node of the greatest likelihood."""
        return self.nodes[np.arange(len(self.nodes)), self.log_weights.argmax(axis=1)]


@dataclass(frozen=True, eq=False)
class Surface:
    """Log likelihood of the counts of every model over a grid of shapes a and log b.

    Attributes
    ----------
    shapes : ndarray
        (A,).
    log_b : ndarray
        (B,), equally spaced.
    values : ndarray
        (G, A, B).
    telling : ndarray of bool
        (G,): the models with a success and a failure, from which the usual shapes are learnt.
    fewest : int
        Samples of the least sampled problem: up to this k all shapes weigh the same.
    finer : int
        Steps between two shapes of the grid at which the likelihood is looked at.
    """

    shapes: Floats
    log_b: Floats
    values: Floats
    telling: NDArray[np.bool_]
    fewest: int
    finer: int

    @classmethod
    def of(cls, counts: Sequence[tuple[Any, Any]]) -> Surface:
        """From (n, c) of every model's problems."""
        most = max((len(n) for n, _ in counts), default=1)
        parts = max(1, int(np.ceil((most / FEW_PROBLEMS) ** 0.4)))
        shapes = np.geomspace(LEAST_SHAPE, MOST_SHAPE, parts * (SHAPES - 1) + 1)
        log_b = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B)
        b = np.exp(log_b)
        found = np.empty((len(counts), len(shapes), len(log_b)))
        for g, (n, c) in enumerate(counts):
            correct, of_correct = np.unique(np.asarray(c), return_counts=True)
            wrong, of_wrong = np.unique(np.asarray(n) - np.asarray(c), return_counts=True)
            samples, of_samples = np.unique(np.asarray(n), return_counts=True)
            found[g] = (log_rising(shapes[:, None], correct) @ of_correct)[:, None]
            found[g] += log_rising(b[:, None], wrong) @ of_wrong
            for m, times in zip(samples, of_samples, strict=True):
                found[g] -= times * log_rising(shapes[:, None] + b, m)
        telling = np.array([0 < int(np.sum(c)) < int(np.sum(n)) for n, c in counts], dtype=bool)
        fewest = min((int(np.min(n)) for n, _ in counts), default=0)
        return cls(shapes, log_b, found, telling, fewest, max(1, int(np.ceil(np.sqrt(most) / COARSE / parts))))

    def at(self, k: int, *, learn: bool = True) -> Evidence:
        """The likelihood of u for one k; `learn`: whether to learn, for k beyond the samples, what shapes are usual."""
        log_b_of_u, shapes, count = self._inverse(k), Shapes(), len(self.values)
        lowest, highest = LEAST_U + 2 * STEP_U, MOST_U - 2 * STEP_U
        nodes = self._narrowed(log_b_of_u, _spaced(np.full(count, lowest), np.full(count, highest)), shapes, LOOKS)
        if learn and k > self.fewest and self.telling.sum() >= LEAST_MODELS:
            some = nodes[self.telling]
            values = self._looked(log_b_of_u, some, np.flatnonzero(self.telling))
            place = np.linspace(0.0, len(self.shapes) - 1.0, self.finer * (len(self.shapes) - 1) + 1)
            fine = np.exp(np.interp(place, np.arange(len(self.shapes)), np.log(self.shapes)))
            across = np.broadcast_to(place, (some.shape[1], len(place)))
            shapes = shapes.learnt(fine, some, np.stack([_cubic(table.T, across).T for table in values]))
            # Where it becomes flat is a matter of shapes.
            nodes = _spaced(nodes[:, 0], np.where(self.telling, nodes[:, -1], highest))
            nodes = self._narrowed(log_b_of_u, nodes, shapes, LOOKS - 1)
        values = self._averaged(log_b_of_u, nodes, shapes)
        values -= values.max(axis=1, keepdims=True)
        return Evidence(k, nodes, values + np.log(nodes[:, 1] - nodes[:, 0])[:, None], _flat(values), shapes)

    def _narrowed(self, log_b_of_u: Floats, nodes: Floats, usual: Shapes, looks: int) -> Floats:
        """Equally spaced u (G, J) between those where each model's likelihood is not negligible, after so many looks."""
        each = np.arange(len(nodes))
        for _ in range(looks):
            values = self._averaged(log_b_of_u, nodes, usual)
            first, last = _kept(values, axis=1)
            last = np.where(_flat(values), np.clip(_level_from(values), first + 1, last), last)
            nodes = _spaced(nodes[each, first], nodes[each, last])
        return nodes

    def _inverse(self, k: int) -> Floats:
        """log b at which pass@k is exp(-e^u), (A, U) over the grid of u."""
        u = np.arange(LEAST_U, MOST_U, STEP_U)
        fine = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B / 4)
        log_fail = log_beta_fail(self.shapes[:, None], np.exp(fine), k)
        with np.errstate(divide="ignore"):
            there = np.log(neg_log_pass(log_fail))
        return np.stack([np.interp(u, row, fine) for row in there])

    def _looked(self, log_b_of_u: Floats, nodes: Floats, models: Any = slice(None)) -> Floats:
        """The log likelihood of some models at nodes (M, J) of u and every shape: (M, A, J)."""
        tables = self.values[models]
        found = np.empty((len(nodes), len(self.shapes), nodes.shape[1]))
        for g, position in enumerate((nodes - LEAST_U) / STEP_U):
            log_b = _cubic(log_b_of_u, np.broadcast_to(position, found.shape[1:]))
            found[g] = _cubic(tables[g], (log_b - LEAST_LOG_B) / STEP_LOG_B)
        return found

    def _averaged(self, log_b_of_u: Floats, nodes: Floats, usual: Shapes) -> Floats:
        """The log likelihood (G, J) at nodes of u, averaged over shapes: over those where it is not negligible at that node."""
        tables = self._looked(log_b_of_u, nodes).transpose(0, 2, 1)
        first, last = np.zeros(nodes.shape), np.full(nodes.shape, len(self.shapes) - 1.0)
        origin, step = np.log(self.shapes[0]), np.log(self.shapes[1] / self.shapes[0])
        for look in range(LOOKS):
            along = np.linspace(0.0, 1.0, PLACES if look else len(self.shapes))
            place = first[..., None] + (last - first)[..., None] * along
            found = _cubic(tables.reshape(-1, len(self.shapes)), place.reshape(-1, len(along))).reshape(place.shape)
            found += usual.log_density((origin + step * place).transpose(0, 2, 1), nodes).transpose(0, 2, 1)
            if look < LOOKS - 1:
                low, high = _kept(found, axis=2)
                first, last = first + (last - first) * along[low], first + (last - first) * along[high]
        highest = found.max(axis=2)
        share = np.exp(found - highest[..., None])
        trapezoids = share.sum(axis=2) - 0.5 * (share[..., 0] + share[..., -1])
        return highest + np.log(trapezoids * (place[..., 1] - place[..., 0]))


def _kept(values: Floats, axis: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The last before and the first after those along an axis that are not negligible."""
    kept, size = values >= values.max(axis=axis, keepdims=True) - DEPTH, values.shape[axis]
    first, last = kept.argmax(axis=axis), size - 1 - np.flip(kept, axis=axis).argmax(axis=axis)
    return np.maximum(first - 1, 0), np.minimum(last + 1, size - 1)


def _flat(values: Floats) -> NDArray[np.bool_]:
    """(G,): whether log likelihoods (G, J) end at their maximum."""
    return np.asarray(values[:, -1] >= values.max(axis=1) - FLAT)


def _level_from(values: Floats) -> NDArray[np.intp]:
    """(G,): the first node from which on log likelihoods (G, J) stay within `FLAT` of the last."""
    away = np.abs(values - values[:, -1:]) > FLAT
    return np.where(away.any(axis=1), values.shape[1] - np.flip(away, axis=1).argmax(axis=1), 0)


def _spaced(low: Floats, high: Floats) -> Floats:
    return low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, NODES)


def _cubic(table: Floats, position: Floats) -> Floats:
    """Cubic through the four nearest of equally spaced values (A, B), at positions (A, J) in steps."""
    whole = np.clip(np.floor(position).astype(np.intp), 1, table.shape[1] - 3)
    t = position - whole
    below, at, above, beyond = (np.take_along_axis(table, whole + step, axis=1) for step in (-1, 0, 1, 2))
    return (
        at
        + t * (above - below / 3.0 - at / 2.0 - beyond / 6.0)
        + t**2 * ((below + above) / 2.0 - at)
        + t**3 * ((beyond - below) / 6.0 + (at - above) / 2.0)
    )
