r"""What the counts of a model say about pass@k, for any k: the likelihood of u = log(-log pass@k).

The success rates of a model's problems are taken to be Beta(a, b). At a given pass@k and shape a the other parameter b is
fixed, so that the counts have a likelihood, and the shape is averaged over:

    l(u) = log sum_a w(a | u) prod_i BetaBinomial(c_i | n_i, a, b(u, a; k)).

Where every problem has k samples, shapes matter little, and all between `LEAST_SHAPE` and `MOST_SHAPE` weigh the same. Beyond
that pass@k is a matter of the shape, and what shapes are usual is learnt from the models together: log a is normal about
m0 + m1 u + m2 e^u, four numbers of greatest likelihood (empirical Bayes). So l(u) needs no problem to have k samples, has a value
where no sample is correct (it is flat towards pass@k = 0), and does not depend on when sampling stopped: a rule that looks at the
outcomes so far multiplies the likelihood by a factor without a or b in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .beta import log_beta_fail, log_rising, neg_log_pass

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
#: Fewer models with a success and a failure do not tell what shapes are usual; the least standard deviation of log a.
LEAST_MODELS, LEAST_DEVIATION = 6, 0.2
#: With more problems than this the grid of shapes is finer: the error of the interpolation goes with problems times step^4.
FEW_PROBLEMS = 128.0
#: Shapes learn from values interpolated between those of the grid, at steps that many problems tell apart: sqrt(problems)/this.
#: And no coarser than so many of the least deviations: a sum over a normal's values at such steps is its integral to 1e-4.
COARSE, COARSEST = 6.0, 1.4
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

    def log_density(self, log_a: Floats, u: Floats) -> Floats:
        """Log of the density of log a (G, J, P), or (P,), between those of the least and the most shape, at u (G, J)."""
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
        return -0.5 * away * away - (mass + 0.5 * np.log(2.0 * np.pi * self.deviation**2))[..., None]


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
    fewest : ndarray of int
        (G,): samples of each model's least sampled problem; up to the fewest of all models this k all shapes weigh the same.
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
        """The likelihood of u for one k; `learn`: whether to learn, for k beyond the samples, what shapes are usual."""
        from .relearnt import AtK

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


def cubic(table: Floats, position: Floats) -> Floats:
    """Cubic through the four nearest of equally spaced values (..., B), at positions (..., J) in steps."""
    size = table.shape[-1]
    whole = np.clip(np.floor(position).astype(np.intp), 1, size - 3)
    rows, flat = np.arange(table.size // size).reshape(*table.shape[:-1], 1) * size, np.ascontiguousarray(table).ravel()
    below, at, above, beyond = (flat.take(rows + (whole + step)) for step in (-1, 0, 1, 2))
    first, second, third, fourth = weights_of_four(position - whole)
    return np.asarray(first * below + second * at + third * above + fourth * beyond)


def weights_of_four(t: Floats) -> tuple[Floats, ...]:
    """Lagrange's weights of the values at -1, 0, 1 and 2 for the cubic through them, at t."""
    low, high = t * (t - 1.0), (t + 1.0) * (t - 2.0)
    return -low * (t - 2.0) / 6.0, high * (t - 1.0) / 2.0, -high * t / 2.0, low * (t + 1.0) / 6.0
