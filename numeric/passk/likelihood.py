r"""The likelihood of u = log(-log pass@k) given the counts of a model, for any k; and the likelihood
of a law about which models scatter.

The success rates of a model's problems are taken to be Beta(a, b), so that
(isoflop.derivations.passk.pass_at_k_of_beta_problems)

    log fail@k = log B(a, b + k)/B(a, b) = -sum_{j < k} f(b + j),   f(x) = log(1 + a/x).

At a given pass@k and shape a the other parameter b is fixed, so that the counts have a likelihood,
and the shape is averaged over, with log a even between `LEAST_SHAPE` and `MOST_SHAPE`:

    l(u) = log mean_a prod_i BetaBinomial(c_i | n_i, a, b(u, a; k)).

So l(u) needs no problem to have k samples, though beyond them pass@k is the tail of the Beta
distribution; it has a value where no sample is correct (it is flat towards pass@k = 0), and it does
not depend on when sampling stopped: a rule that looks at the outcomes so far multiplies the
likelihood by a factor without a or b in it. Dropping problems by their success is not harmless.

The u of models is that of the law, mu, plus tau times a normal: it costs a model

    rho(mu) = -log int exp(l(u)) N(u; mu, tau^2) du,
    rho' = E[t]/v,   rho'' = (1 - Var[t]/v)/v,   t = mu - u,

with mean and variance given the counts and the law, and v = tau^2. The integral is a sum over nodes,
exact to 1e-5 as long as tau is at least w = `WIDTH` spacings; for a smaller tau each node stands for
a normal of that width: v = (tau^p + w^p)^(2/p) with p = `BLEND`. Where the likelihood goes on flat
beyond its last node, half a spacing from there on the integral is that of the normal: with z = (mu -
edge)/sqrt(v) and the hazard h = phi(z)/Phi(z),

    mass Phi(z),  E[t] = -sqrt(v) h,  E[t^2] = v (1 - z h).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..fit.newton import Problem, minimise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..data.counts import Counts
    from ..fit.power import PowerTerms

    Floats = NDArray[np.float64]

LOG_2 = 0.6931471805599453
#: From `FEW` on sums are integrals, and from `LARGE` on log Gamma is Stirling's series.
FEW, LARGE = 20, 100.0
#: Coefficients of Euler and Maclaurin's derivatives of order 1, 3 and 5, times (order - 1)!.
TERMS = {1: -1.0 / 24.0, 3: 2.0 * 7.0 / 5760.0, 5: -24.0 * 31.0 / 967_680.0}
#: Gauss and Legendre's rule on (-1, 1).
RULE = np.polynomial.legendre.leggauss(30)
#: Shapes of the distribution of success rates, from nearly all-or-nothing to nearly one rate for all
#: problems. With more than `FEW_PROBLEMS` their grid is finer: the error of the interpolation goes
#: with problems times step^4. The average takes `PLACES` shapes among those that are not negligible.
LEAST_SHAPE, MOST_SHAPE, SHAPES, FEW_PROBLEMS, PLACES = 1e-3, 20.0, 50, 128.0, 50
#: The grids of log b, which ends where pass@k is about e^-150, and of u = log(-log pass@k).
LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B = -20.0, 150.0, 0.12
LEAST_U, MOST_U, STEP_U = -14.0, 5.0, 0.03
#: The likelihood is kept where it is at least e^-DEPTH of its maximum, at `NODES` nodes, whose range
#: is narrowed `LOOKS` times.
DEPTH, NODES, LOOKS = 18.0, 48, 3
#: Log likelihoods this close to the greatest are as good; and where no sample is correct it counts as
#: flat once it is this close to its limit at pass@k = 0.
NEAR, FLAT = 0.5, 1e-5
HALF_LOG_TWO_PI = 0.9189385332046727
#: The width of a node, in spacings, at which a sum of normals is smooth to 1e-5; and the power in
#: which it gives way to a larger tau.
WIDTH, BLEND = 0.8, 8.0
#: The scatter of models about the law is sought between these, from the third; law and scatter in so
#: many rounds, until log tau changes by less than `SETTLED`.
LEAST_TAU, MOST_TAU, FIRST_TAU, ROUNDS, SETTLED = 1e-3, 5.0, 0.2, 60, 1e-11
#: At a minimum a step promises a decrease by less than this share, so small that a vanishing term
#: goes on to its limit. The slope in log tau of two rounds is used between these shares of the
#: expected one.
ENOUGH, LEAST_SECANT, MOST_SECANT = 1e-18, 0.01, 10.0


# -- Beta success rates ----------------------------------------------------------------------------


def log_beta_fail(a: ArrayLike, b: ArrayLike, k: ArrayLike) -> Floats:
    """log fail@k where p is Beta(a, b), for a, b > 0 and any real k >= 0; to a relative error of
    1e-11, where the logarithms of SciPy's Beta function cancel for a large b or a small a.

    For x >= `FEW` the sum is taken for an integral, by Euler and Maclaurin,

        sum_{j < k} f(x + j) = int f - [f']/24 + 7 [f''']/5760 - 31 [f^(5)]/967680,

    between x - 1/2 and x + k - 1/2, whose integrand is smooth in log x. A smaller b is raised step
    by step: b + 1 for b leaves log(1 + a k/(b (a + b + k))) of the sum.
    """
    shape, other, draws = (np.asarray(x, dtype=np.float64) for x in (a, b, k))
    below = np.where(other < FEW, 1.0, 0.0)
    total = sum(
        below * np.log1p(shape / (other + j) * (draws / (shape + other + j + draws)))
        for j in range(FEW)
    )
    start = other + FEW * below - 0.5
    end, steps = start + draws, np.log1p(draws / start)
    for place, share in zip(*RULE, strict=True):
        x = start * np.exp(0.5 * (place + 1.0) * steps)
        total = total + 0.5 * share * steps * x * np.log1p(shape / x)
    for order, coefficient in TERMS.items():
        first, last = (
            x ** float(-order) * np.expm1(-order * np.log1p(shape / x)) for x in (start, end)
        )
        total = total + coefficient * (last - first)
    return -np.asarray(total)


def log_rising(x: ArrayLike, m: ArrayLike) -> Floats:
    """log Gamma(x + m)/Gamma(x) for x > 0, real m >= 0; to rounding errors of m log(x + m)."""
    from scipy.special import gammaln

    start, steps = np.asarray(x, dtype=np.float64), np.asarray(m, dtype=np.float64)
    low = np.maximum(start, LARGE)
    high = low + steps
    stirling = (low - 0.5) * np.log1p(steps / low) + steps * (np.log(high) - 1.0)
    stirling = stirling + (1.0 / high - 1.0 / low) / 12.0 - (high**-3.0 - low**-3.0) / 360.0
    return np.where(start < LARGE, gammaln(start + steps) - gammaln(start), stirling)


def neg_log_pass(log_fail: ArrayLike) -> Floats:
    """-log pass@k from log fail@k, without cancellation at either end; inf for log fail@k = 0."""
    s = np.asarray(log_fail, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.where(
            s > -LOG_2,
            -np.log(-np.expm1(np.maximum(s, -LOG_2))),
            -np.log1p(-np.exp(np.minimum(s, -LOG_2))),
        )


def beta_neg_log_pass(a: ArrayLike, b: ArrayLike, k: ArrayLike) -> Floats:
    """-log pass@k in nats where p is Beta(a, b)."""
    return neg_log_pass(log_beta_fail(a, b, k))


# -- the likelihood of counts ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Evidence:
    """The likelihood of u = log(-log pass@k) of every model, for one k: equally spaced nodes (G, J)
    in u, the log likelihood (G, J) there, 0 at its maximum, and whether (G,) it goes on flat for all
    greater u, as for a model without a success.
    """

    nodes: Floats
    log_likelihood: Floats
    flat: NDArray[np.bool_]

    @property
    def spacing(self) -> Floats:
        """The distance between the nodes of each model, (G,)."""
        return self.nodes[:, 1] - self.nodes[:, 0]

    def some(self, chosen: Any) -> Evidence:
        """The evidence of some of the models; that of a model depends on no other."""
        return Evidence(self.nodes[chosen], self.log_likelihood[chosen], self.flat[chosen])

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation (G,) of u by the counts alone, over the nodes."""
        share = np.exp(self.log_likelihood)
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * self.nodes).sum(axis=1)
        return mean, np.sqrt((share * (self.nodes - mean[:, None]) ** 2).sum(axis=1))

    @property
    def least_likely_pass(self) -> Floats:
        """The first node within `NEAR` of the maximum, where a flat part begins, (G,)."""
        return self.nodes[np.arange(len(self.nodes)), (self.log_likelihood >= -NEAR).argmax(axis=1)]


def evidence_of(counts: Counts, ks: Iterable[int]) -> dict[int, Evidence]:
    """The likelihood of u given the counts of every model, by k."""
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
        """The surface for (n, c) of every model's problems."""
        most = max((len(n) for n, _ in counts), default=1)
        parts = max(1, int(np.ceil((most / FEW_PROBLEMS) ** 0.4)))
        shapes = np.geomspace(LEAST_SHAPE, MOST_SHAPE, parts * (SHAPES - 1) + 1)
        log_b = np.arange(LEAST_LOG_B, MOST_LOG_B, STEP_LOG_B)
        b = np.exp(log_b)
        found = np.empty((len(counts), len(shapes), len(log_b)))
        for values, (n, c) in zip(found, counts, strict=True):
            correct, wrong, samples = (np.unique(x, return_counts=True) for x in (c, n - c, n))
            values[:] = (log_rising(shapes[:, None], correct[0]) @ correct[1])[:, None]
            values += log_rising(b[:, None], wrong[0]) @ wrong[1]
            for m, times in zip(*samples, strict=True):
                values -= times * log_rising(shapes[:, None] + b, m)
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
            found = np.log(neg_log_pass(log_fail))
        return np.stack([np.interp(u, row, fine) for row in found])

    def _averaged(self, log_b_of_u: Floats, nodes: Floats) -> Floats:
        """The log likelihood (G, J) at nodes of u, averaged over the shapes that are not negligible."""
        from scipy.special import logsumexp

        tables = np.empty((*nodes.shape, len(self.shapes)))
        for g, position in enumerate((nodes - LEAST_U) / STEP_U):
            log_b = _cubic(log_b_of_u, np.broadcast_to(position, (len(self.shapes), len(position))))
            tables[g] = _cubic(self.values[g], (log_b - LEAST_LOG_B) / STEP_LOG_B).T
        first, last = _kept(tables)
        place = first[..., None] + (last - first)[..., None] * np.linspace(0.0, 1.0, PLACES)
        found = _cubic(tables, place)
        weights = np.where(np.isin(np.arange(PLACES), [0, PLACES - 1]), 0.5, 1.0)
        total = logsumexp(found, axis=2, b=weights)
        return np.asarray(total + np.log(place[..., 1] - place[..., 0]))


def _kept(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places just before and just after the values along the last axis that are not negligible."""
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


# -- models about a law ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Marginal:
    """Minus the log likelihood of a law mu at every model, as an objective of
    `isoflop.numeric.fit.newton`; `tau`, the scatter of models about the law in u, is a number, or
    (K, 1) for K problems.
    """

    evidence: Evidence
    tau: Any

    in_logs = True

    def rounding(self, size: Floats, width: Any = None) -> Floats:
        """-1, below every value, so that derivatives alone certify a minimum."""
        del width
        return np.full_like(size, -1.0)

    def measure(self, residuals: Floats, width: Any = None) -> tuple[Floats, Floats, Floats]:
        """rho, rho' and rho'' (K, G); a width is taken for tau."""
        measure = self if width is None else replace(self, tau=width)
        rho, mean, square = measure.moments(residuals)
        precision = 1.0 / measure.variance
        return rho, mean * precision, (1.0 - (square - mean**2) * precision) * precision

    @property
    def share_of_tau(self) -> Floats:
        """d log v/d log tau^2, (K, G) or (1, G)."""
        width = WIDTH * self.evidence.spacing
        return np.asarray(1.0 / (1.0 + (width / np.atleast_2d(self.tau)) ** BLEND))

    @property
    def variance(self) -> Floats:
        """The variance v of t about a node, (K, G) or (1, G)."""
        found: Floats = np.atleast_2d(self.tau) ** 2 * self.share_of_tau ** (-2.0 / BLEND)
        return found

    def moments(self, mu: Floats) -> tuple[Floats, Floats, Floats]:
        """rho, E[t] and E[t^2], (K, G) each."""
        from scipy.special import log_ndtr

        evidence, v = self.evidence, np.broadcast_to(self.variance, mu.shape)
        edge, root = evidence.nodes[:, -1] + 0.5 * evidence.spacing, np.sqrt(v)
        level = np.log(evidence.spacing)[:, None] + evidence.log_likelihood
        t = mu[:, :, None] - evidence.nodes
        share = level - t * t * (0.5 / v)[:, :, None]
        z = (mu - edge) / root
        tail = log_ndtr(z) + evidence.log_likelihood[:, -1] + np.log(root) + HALF_LOG_TWO_PI
        tail = np.where(evidence.flat, tail, -np.inf)
        highest = np.maximum(share.max(axis=2), tail)
        share, mass = np.exp(share - highest[:, :, None]), np.exp(tail - highest)
        hazard = np.exp(-0.5 * z * z - HALF_LOG_TWO_PI - log_ndtr(z))
        total = share.sum(axis=2) + mass
        mean = np.einsum("kgj,kgj->kg", share, t) - mass * root * hazard
        square = np.einsum("kgj,kgj,kgj->kg", share, t, t) + mass * v * (1.0 - z * hazard)
        rho = np.log(root) + HALF_LOG_TWO_PI - highest - np.log(total)
        return rho, mean / total, square / total


class MarginalFits(NamedTuple):
    """Laws fitted to evidence: parameters (K, p), scatter, minus log likelihood, whether certified."""

    theta: Floats
    tau: Floats
    value: Floats
    done: NDArray[np.bool_]


def fit_marginal(
    model: PowerTerms,
    evidence: Evidence,
    theta: Floats,
    weights: Floats | None = None,
    tau: float = FIRST_TAU,
) -> MarginalFits:
    """Laws and scatter of greatest likelihood, from parameters (K, p) on; weights (K, G) say how
    often each model counts.

    Law and scatter are improved in turn, each by Newton's method. The scatter is that of as many
    degrees of freedom as the free parameters leave, which each model loses in proportion to what
    its counts tell.
    """
    count, size = len(theta), len(evidence.nodes)
    each = np.ones((count, size)) if weights is None else weights
    theta, value, done = theta.copy(), np.full(count, np.inf), np.zeros(count, dtype=bool)
    log_tau = np.full((count, 1), np.log(tau))
    slope, moved = np.full((count, 1), np.nan), np.ones((count, 1))
    on = np.arange(count)
    free = int(np.count_nonzero(model.box.lower < model.box.upper))
    for _ in range(ROUNDS):
        measure = Marginal(evidence, np.exp(log_tau[on]))
        problem = Problem(model, np.zeros(size), each[on], measure, model.box, measure.tau)
        ends = minimise(problem, theta[on], damping=0.0, enough=ENOUGH)
        theta[on], value[on], done[on] = ends.theta, ends.value, ends.done
        mu = np.log(model.evaluate(ends.theta)[0])
        here, alone = _scatter_slope(measure, mu, each[on], free)
        with np.errstate(all="ignore"):
            seen = (here - slope[on]) / moved[on]
        along = np.where((seen > LEAST_SECANT * alone) & (seen < MOST_SECANT * alone), seen, alone)
        reached = log_tau[on] + np.clip(-here / along, -1.0, 1.0)
        reached = np.clip(reached, np.log(LEAST_TAU), np.log(MOST_TAU))
        slope[on], moved[on] = here, reached - log_tau[on]
        log_tau[on] = reached
        on = on[np.abs(moved[on])[:, 0] >= SETTLED]
        if not on.size:
            break
    done[on] = False
    return MarginalFits(theta, np.exp(log_tau[:, 0]), value, done)


def _scatter_slope(
    measure: Marginal, mu: Floats, weights: Floats, free: int
) -> tuple[Floats, Floats]:
    """The slope in log tau (K, 1), which vanishes at the best scatter, and the expected slope of it."""
    _, mean, square = measure.moments(mu)
    v, part = measure.variance, measure.share_of_tau
    information = np.clip(1.0 - (square - mean**2) / v, 1e-12, 1.0)
    total = (weights * information).sum(axis=1, keepdims=True)
    kept = 1.0 - information * np.minimum(free / total, 0.9)
    slope = (weights * part * (kept - square / v)).sum(axis=1, keepdims=True)
    return slope, 2.0 * (weights * (part * information) ** 2).sum(axis=1, keepdims=True)
