"""What counts say of pass@k at one k, with the usual shapes learnt from any of the models.

The likelihood of a model's counts over u and shapes depends on no other model. Only what shapes are usual does. So likelihoods
are tabulated once, and evidence of some of the models is learnt from these alone: others, which a prediction must not know of,
leave no trace in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .learning import Cells, greatest
from .likelihood import (
    DEPTH,
    FLAT,
    LEAST_DEVIATION,
    LEAST_MODELS,
    LEAST_U,
    LOOKS,
    MOST_U,
    NODES,
    PLACES,
    STEP_U,
    Evidence,
    Shapes,
    cubic,
    weights_of_four,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .likelihood import Surface

    Floats = NDArray[np.float64]

#: Steps of the table for one between nodes.
FINER = 4
#: What there is one of for every model.
OF_MODELS = ("origin", "step", "table", "nodes", "telling", "fewest")


@dataclass(frozen=True, eq=False)
class AtK:
    """Log likelihoods of the counts over u = log(-log pass@k) and shapes, for one k.

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
        lowest, highest = (np.full(len(surface.values), end) for end in (LEAST_U + 2 * STEP_U, MOST_U - 2 * STEP_U))
        nodes = _narrowed(lambda u: _averaged(surface.looked(log_b_of_u, u), log_a, u, Shapes()), _spaced(lowest, highest), LOOKS)
        low, high = _widest(nodes, surface.telling)[:, [0, -1]].T
        inner = FINER * (NODES - 1)
        step = (high - low) / inner
        places = (low - step)[:, None] + step[:, None] * np.arange(inner + 3)
        table = surface.looked(log_b_of_u, places)
        return cls(k, log_a, low - step, step, table, nodes, surface.telling, surface.fewest, surface.finer)

    def some(self, models: Any) -> AtK:
        """Of some of the models."""
        return replace(self, **{name: getattr(self, name)[models] for name in OF_MODELS})

    def evidence(self, models: Any = slice(None), *, learn: bool = True) -> Evidence:
        """The likelihood of u for some of the models.

        `learn`: whether to learn from these, for k beyond their samples, what shapes are usual; where too few of them tell, all
        shapes weigh the same.
        """
        part, told = self.some(models), np.flatnonzero(self.telling & self._mask(models))
        nodes, usual = part.nodes, Shapes()
        if learn and len(part.fewest) and self.k > part.fewest.min() and len(told) >= LEAST_MODELS:
            usual = self._learnt(told)
            nodes = _narrowed(lambda u: part.averaged(u, usual), _widest(nodes, part.telling), LOOKS - 1)
        values = part.averaged(nodes, usual)
        values -= values.max(axis=1, keepdims=True)
        return Evidence(self.k, nodes, values + np.log(nodes[:, 1] - nodes[:, 0])[:, None], _flat(values), usual)

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

    # -- learning ------------------------------------------------------------------------------------------------------

    def _mask(self, models: Any) -> NDArray[np.bool_]:
        found = np.zeros(len(self.nodes), dtype=bool)
        found[models] = True
        return found

    @cached_property
    def _cells(self) -> tuple[Cells, Floats]:
        """The cells that shapes are learnt from, of every telling model, and the likeliest u of each."""
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
    """Log likelihoods (G, J, A) at nodes (G, J), averaged over the shapes where they are not negligible."""
    first, last = _kept(tables + usual.log_density(log_a, nodes), axis=2)
    place = first[..., None] + (last - first)[..., None] * np.linspace(0.0, 1.0, PLACES)
    found = cubic(tables, place)
    found += usual.log_density(log_a[0] + (log_a[1] - log_a[0]) * place, nodes)
    highest = found.max(axis=2)
    share = np.exp(found - highest[..., None])
    trapezoids = share.sum(axis=2) - 0.5 * (share[..., 0] + share[..., -1])
    return np.asarray(highest + np.log(trapezoids * (place[..., 1] - place[..., 0])))


def _narrowed(averaged: Callable[[Floats], Floats], nodes: Floats, looks: int) -> Floats:
    """Equally spaced u (G, J) between those where each model's likelihood is not negligible, after so many looks."""
    each = np.arange(len(nodes))
    for _ in range(looks):
        values = averaged(nodes)
        first, last = _kept(values, axis=1)
        last = np.where(_flat(values), np.clip(_level_from(values), first + 1, last), last)
        nodes = _spaced(nodes[each, first], nodes[each, last])
    return nodes


def _widest(nodes: Floats, telling: NDArray[np.bool_]) -> Floats:
    """Nodes up to where u is looked at for models that do not tell: where their likelihood becomes flat is a matter of shapes."""
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
