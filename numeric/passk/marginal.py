r"""The likelihood of a law where models scatter about it: their u = log(-log pass@k) is that of the
law plus tau times a normal.

With the likelihood l of u from a model's counts, a law that says mu costs that model

    rho(mu) = -log int exp(l(u)) N(u; mu, tau^2) du,
    rho' = E[t]/v,   rho'' = (1 - Var[t]/v)/v,   t = mu - u,

where mean and variance are those given the counts and the law, and v is tau^2. For counts that pin
u down it is the square of a residual; for a model without a success it is nearly 0 wherever the law
puts pass@k low enough. The integral is a sum over nodes, which is exact to 1e-5 as long as tau is
at least w = `WIDTH` spacings; for a smaller tau each node stands for a normal of that width: v =
(tau^p + w^p)^(2/p) with p = `BLEND`. Where the likelihood goes on flat beyond its last node, half a
spacing from there on the integral is that of the normal: with z = (mu - edge)/sqrt(v) and the
hazard h = phi(z)/Phi(z),

    mass Phi(z),  E[t] = -sqrt(v) h,  E[t^2] = v (1 - z h).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..fit.newton import Problem, minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.solution import Design
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

HALF_LOG_TWO_PI = 0.9189385332046727
#: Of a node, in spacings: a sum of normals so wide is smooth to 1e-5. `BLEND`: the power in which
#: it gives way to a larger tau.
WIDTH, BLEND = 0.8, 8.0
#: The scatter of models about the law is sought between these.
LEAST_TAU, MOST_TAU, FIRST_TAU = 1e-3, 5.0, 0.2
#: Rounds of the law and the scatter in turn, and the change of log tau that ends them.
ROUNDS, SETTLED = 60, 1e-11
#: A minimum: a step promises a decrease by less than this share; a term that vanishes goes on to
#: its limit.
ENOUGH = 1e-18
#: The slope in log tau as two rounds show it, in units of that with the law held, is believed
#: between these.
LEAST_SECANT, MOST_SECANT = 0.01, 10.0


@dataclass(frozen=True, eq=False)
class Marginal:
    """What a law costs at every model: the measure of residuals mu that
    `isoflop.numeric.fit.newton` takes.

    Attributes
    ----------
    evidence : Evidence
        Of G models.
    tau : ndarray or float
        Standard deviation of models about the law in u; a number, or (K, 1) for K problems.
    """

    evidence: Evidence
    tau: Any

    in_logs = True

    def rounding(self, size: Floats, width: Any = None) -> Floats:
        """Below every value: a minimum is to be certified by its derivatives."""
        del width
        return np.full_like(size, -1.0)

    def measure(self, residuals: Floats, width: Any = None) -> tuple[Floats, Floats, Floats]:
        """rho, rho' and rho'' (K, G); a width stands for tau."""
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
        """v (K, G) or (1, G): of t about a node."""
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
    """Laws fitted to evidence: parameters (K, p), scatter (K,), minus log likelihood (K,), whether
    each is certified (K,).
    """

    theta: Floats
    tau: Floats
    value: Floats
    done: NDArray[np.bool_]


def fit_marginal(
    design: Design,
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
    free = int(np.count_nonzero(design.box.lower < design.box.upper))
    for _ in range(ROUNDS):
        measure = Marginal(evidence, np.exp(log_tau[on]))
        problem = Problem(design.model, np.zeros(size), each[on], measure, design.box, measure.tau)
        ends = minimise(problem, theta[on], damping=0.0, enough=ENOUGH)
        theta[on], value[on], done[on] = ends.theta, ends.value, ends.done
        mu = np.log(design.model.evaluate(ends.theta)[0])
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
    """Slope in log tau (K, 1), which vanishes at the scatter sought, and what its own slope is
    expected to be with the law held.
    """
    _, mean, square = measure.moments(mu)
    v, part = measure.variance, measure.share_of_tau
    told = np.clip(1.0 - (square - mean**2) / v, 1e-12, 1.0)
    informed = (weights * told).sum(axis=1, keepdims=True)
    kept = 1.0 - told * np.minimum(free / informed, 0.9)
    slope = (weights * part * (kept - square / v)).sum(axis=1, keepdims=True)
    return slope, 2.0 * (weights * (part * told) ** 2).sum(axis=1, keepdims=True)
