r"""What the counts of a model say about pass@k, for any k: the likelihood of u = log(-log pass@k).

The success rates of a model's problems are taken to be Beta(a, b). At a given pass@k and shape a
the other parameter b is fixed, so that the counts have a likelihood, and the shape is averaged
over:

    l(u) = log sum_a w(a | u) prod_i BetaBinomial(c_i | n_i, a, b(u, a; k)).

Where every problem has k samples, shapes matter little, and all between `LEAST_SHAPE` and
`MOST_SHAPE` weigh the same. Beyond that pass@k is a matter of the shape, and what shapes are usual
is learnt from the models together: log a is normal about m0 + m1 u + m2 e^u, four numbers of
greatest likelihood (empirical Bayes). So l(u) needs no problem to have k samples, has a value where
no sample is correct (it is flat towards pass@k = 0), and does not depend on when sampling stopped:
a rule that looks at the outcomes so far multiplies the likelihood by a factor without a or b in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .beta import log_beta_fail, log_rising, neg_log_pass
from .shapes import EVEN, LEAST_SHAPE, MOST_SHAPE, Cells, Shapes, greatest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Shapes in the grid.
SHAPES = 50
#: The grid of log b: up to where pass@k is e^-(its end), and finer where counts tell.
LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B = -20.0, 150.0, 0.12
#: u = log(-log pass@k) is looked at between these.
LEAST_U, MOST_U, STEP_U = -14.0, 5.0, 0.03
#: The likelihood is kept where it is at least e^-DEPTH of its maximum, at so many nodes.
DEPTH, NODES, LOOKS = 18.0, 48, 3
#: Of log likelihoods that are practically the greatest.
NEAR = 0.5
#: Where no sample is correct the likelihood is taken for flat once it is within this of its limit
#: at pass@k = 0.
FLAT = 1e-5
#: Fewer models with a success and a failure do not tell what shapes are usual; the least standard
#: deviation of log a.
LEAST_MODELS, LEAST_DEVIATION = 6, 0.2
#: With more problems than this the grid of shapes is finer: the error of the interpolation goes
#: with problems times step^4.
FEW_PROBLEMS = 128.0
#: Shapes learn from values interpolated between those of the grid, at steps that many problems tell
#: apart: sqrt(problems)/this. And no coarser than so many of the least deviations: a sum over a
#: normal's values at such steps is its integral to 1e-4.
COARSE, COARSEST = 6.0, 1.4
#: Steps of the table for one between nodes.
FINER = 4
#: What there is one of for every model.
OF_MODELS = ("origin", "step", "table", "nodes", "telling", "fewest")
#: The average over shapes looks at so many, between those where the likelihood is not negligible.
PLACES = 50


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
        (G,): whether it goes on as at the last node for all greater u, as it does for a model
        without a success.
    usual : Shapes
        What shapes of the distribution of success rates it took for usual.
    """

    k: int
    nodes: Floats
    log_weights: Floats
    flat: NDArray[np.bool_]
    usual: Shapes = EVEN

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
        return Evidence(
            self.k, self.nodes[chosen], self.log_weights[chosen], self.flat[chosen], self.usual
        )

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
    fewest : ndarray of int
        (G,): samples of each model's least sampled problem; up to the fewest of all models this k
        all shapes weigh the same.
    finer : int
        Steps between two shapes of the grid at which the likelihood is looked at.
    """

    shapes: Floats
    log_b: Floats
    values: Floats
    telling: NDArray[np.bool_]
    fewest: NDArray[np.int64]
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
        fewest = np.array([int(np.min(n)) for n, _ in counts], dtype=np.int64)
        step = float(np.log(shapes[1] / shapes[0]))
        finer = max(np.sqrt(most) / COARSE / parts, step / (COARSEST * LEAST_DEVIATION))
        return cls(shapes, log_b, found, telling, fewest, max(1, int(np.ceil(finer))))

    def at(self, k: int, *, learn: bool = True) -> Evidence:
        """The likelihood of u for one k; `learn`: whether to learn, for k beyond the samples, what
        shapes are usual.
        """
        return AtK.of(self, k).evidence(learn=learn)

    def inverse(self, k: int) -> Floats:
        """log b at which pass@k is exp(-e^u), (A, U) over the grid of u."""
        u = np.arange(LEAST_U, MOST_U, STEP_U)
        fine = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B / 4)
        log_fail = log_beta_fail(self.shapes[:, None], np.exp(fine), k)
        with np.errstate(divide="ignore"):
            there = np.log(neg_log_pass(log_fail))
        return np.stack([np.interp(u, row, fine) for row in there])

    def looked(self, log_b_of_u: Floats, nodes: Floats) -> Floats:
        """The log likelihood at nodes (G, J) of u and every shape: (G, J, A)."""
        found = np.empty((*nodes.shape, len(self.shapes)))
        for g, position in enumerate((nodes - LEAST_U) / STEP_U):
            log_b = cubic(log_b_of_u, np.broadcast_to(position, (len(self.shapes), len(position))))
            found[g] = cubic(self.values[g], (log_b - LEAST_LOG_B) / STEP_LOG_B).T
        return found


@dataclass(frozen=True, eq=False)
class AtK:
    """Log likelihoods of the counts over u = log(-log pass@k) and shapes, for one k.

    That of a model's counts depends on no other model; only what shapes are usual does. So these
    are tabulated once, and evidence of some of the models is learnt from these alone: others, which
    a prediction must not know of, leave no trace in it.

    Attributes
    ----------
    k : int
    log_a : ndarray
        (A,), equally spaced.
    origin, step : ndarray
        (G,): of the values of u in the table.
    table : ndarray
        (G, V, A).
    nodes : ndarray
        (G, J): u where the likelihood is not negligible as long as all shapes weigh the same.
    telling : ndarray of bool
        (G,): the models that shapes are learnt from.
    fewest : ndarray of int
        (G,): samples of each model's least sampled problem.
    finer : int
        Steps between two shapes of the table that shapes are learnt at.
    """

    k: int
    log_a: Floats
    origin: Floats
    step: Floats
    table: Floats
    nodes: Floats
    telling: NDArray[np.bool_]
    fewest: NDArray[np.int64]
    finer: int

    @classmethod
    def of(cls, surface: Surface, k: int) -> AtK:
        """What a surface over shapes and b comes to for this k."""
        log_b_of_u, log_a = surface.inverse(k), np.log(surface.shapes)
        lowest, highest = (
            np.full(len(surface.values), end) for end in (LEAST_U + 2 * STEP_U, MOST_U - 2 * STEP_U)
        )
        nodes = _narrowed(
            lambda u: _averaged(surface.looked(log_b_of_u, u), log_a, u, EVEN),
            _spaced(lowest, highest),
            LOOKS,
        )
        low, high = _widest(nodes, surface.telling)[:, [0, -1]].T
        inner = FINER * (NODES - 1)
        step = (high - low) / inner
        places = (low - step)[:, None] + step[:, None] * np.arange(inner + 3)
        table = surface.looked(log_b_of_u, places)
        return cls(
            k, log_a, low - step, step, table, nodes, surface.telling, surface.fewest, surface.finer
        )

    def some(self, models: Any) -> AtK:
        """Of some of the models."""
        return replace(self, **{name: getattr(self, name)[models] for name in OF_MODELS})

    def evidence(self, models: Any = slice(None), *, learn: bool = True) -> Evidence:
        """The likelihood of u for some of the models.

        `learn`: whether to learn from these, for k beyond their samples, what shapes are usual;
        where too few of them tell, all shapes weigh the same.
        """
        part, told = self.some(models), np.flatnonzero(self.telling & self._mask(models))
        nodes, usual = part.nodes, EVEN
        if learn and len(part.fewest) and self.k > part.fewest.min() and len(told) >= LEAST_MODELS:
            usual = self._learnt(told)
            nodes = _narrowed(
                lambda u: part.averaged(u, usual), _widest(nodes, part.telling), LOOKS - 1
            )
        values = part.averaged(nodes, usual)
        values -= values.max(axis=1, keepdims=True)
        return Evidence(
            self.k, nodes, values + np.log(nodes[:, 1] - nodes[:, 0])[:, None], _flat(values), usual
        )

    def averaged(self, nodes: Floats, usual: Shapes) -> Floats:
        """The log likelihood (G, J) at nodes of u, averaged over shapes."""
        return _averaged(self.looked(nodes), self.log_a, nodes, usual)

    def looked(self, nodes: Floats) -> Floats:
        """The log likelihood at nodes (G, J) of u and every shape of the table: (G, J, A)."""
        position = (nodes - self.origin[:, None]) / self.step[:, None]
        whole = np.clip(np.floor(position).astype(np.intp), 1, self.table.shape[1] - 3)
        each, found = np.arange(len(nodes))[:, None], np.zeros((*nodes.shape, len(self.log_a)))
        for offset, weight in zip((-1, 0, 1, 2), weights_of_four(position - whole), strict=True):
            found += weight[..., None] * self.table[each, whole + offset]
        return found

    # -- learning ----------------------------------------------------------------------------------

    def _mask(self, models: Any) -> NDArray[np.bool_]:
        found = np.zeros(len(self.nodes), dtype=bool)
        found[models] = True
        return found

    @cached_property
    def _cells(self) -> tuple[Cells, Floats]:
        """The cells that shapes are learnt from, of every telling model, and the likeliest u of
        each.
        """
        told = np.flatnonzero(self.telling)
        place = np.linspace(0.0, len(self.log_a) - 1.0, self.finer * (len(self.log_a) - 1) + 1)
        values = self.some(told).looked(self.nodes[told])
        values = cubic(values, np.broadcast_to(place, (*values.shape[:2], len(place))))
        likeliest = self.nodes[told, values.max(axis=2).argmax(axis=1)]
        return Cells.of(np.interp(place, np.arange(len(self.log_a)), self.log_a), values), likeliest

    def _learnt(self, told: NDArray[np.intp]) -> Shapes:
        """The shapes of greatest likelihood for these of the telling models."""
        cells, likeliest = self._cells
        chosen = np.isin(np.flatnonzero(self.telling), told)
        span = float(likeliest[chosen].min()), float(likeliest[chosen].max())
        terms = Shapes(span=span).terms(self.nodes[told]).reshape(3, -1)
        mean, deviation = greatest(cells.some(chosen[cells.model]), terms, LEAST_DEVIATION)
        return Shapes((float(mean[0]), float(mean[1]), float(mean[2])), deviation, span)


def _averaged(tables: Floats, log_a: Floats, nodes: Floats, usual: Shapes) -> Floats:
    """Log likelihoods (G, J, A) at nodes (G, J), averaged over the shapes where they are not
    negligible.
    """
    first, last = _kept(tables + usual.log_density(log_a, nodes), axis=2)
    place = first[..., None] + (last - first)[..., None] * np.linspace(0.0, 1.0, PLACES)
    found = cubic(tables, place)
    found += usual.log_density(log_a[0] + (log_a[1] - log_a[0]) * place, nodes)
    highest = found.max(axis=2)
    share = np.exp(found - highest[..., None])
    trapezoids = share.sum(axis=2) - 0.5 * (share[..., 0] + share[..., -1])
    return np.asarray(highest + np.log(trapezoids * (place[..., 1] - place[..., 0])))


def _narrowed(averaged: Callable[[Floats], Floats], nodes: Floats, looks: int) -> Floats:
    """Equally spaced u (G, J) between those where each model's likelihood is not negligible, after
    so many looks.
    """
    each = np.arange(len(nodes))
    for _ in range(looks):
        values = averaged(nodes)
        first, last = _kept(values, axis=1)
        last = np.where(_flat(values), np.clip(_level_from(values), first + 1, last), last)
        nodes = _spaced(nodes[each, first], nodes[each, last])
    return nodes


def _widest(nodes: Floats, telling: NDArray[np.bool_]) -> Floats:
    """Nodes up to where u is looked at for models that do not tell: where their likelihood becomes
    flat is a matter of shapes.
    """
    return _spaced(nodes[:, 0], np.where(telling, nodes[:, -1], MOST_U - 2 * STEP_U))


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


def cubic(table: Floats, position: Floats) -> Floats:
    """Cubic through the four nearest of equally spaced values (..., B), at positions (..., J) in
    steps.
    """
    size = table.shape[-1]
    whole = np.clip(np.floor(position).astype(np.intp), 1, size - 3)
    rows, flat = (
        np.arange(table.size // size).reshape(*table.shape[:-1], 1) * size,
        np.ascontiguousarray(table).ravel(),
    )
    below, at, above, beyond = (flat.take(rows + (whole + step)) for step in (-1, 0, 1, 2))
    first, second, third, fourth = weights_of_four(position - whole)
    return np.asarray(first * below + second * at + third * above + fourth * beyond)


def weights_of_four(t: Floats) -> tuple[Floats, ...]:
    """Lagrange's weights of the values at -1, 0, 1 and 2 for the cubic through them, at t."""
    low, high = t * (t - 1.0), (t + 1.0) * (t - 2.0)
    return -low * (t - 2.0) / 6.0, high * (t - 1.0) / 2.0, -high * t / 2.0, low * (t + 1.0) / 6.0
