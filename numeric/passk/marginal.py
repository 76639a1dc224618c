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

    mass Phi(z),  E[t] = -sqrt(v) h,  E[t^2] = v (1 - z h),  E[t^4] = v^2 (3 - (z^3 + 3 z) h).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..fit.newton import ENOUGH, Problem, minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.solution import Design
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

HALF_LOG_TWO_PI = 0.9189385332046727
#: Of a node, in spacings: a sum of normals so wide is smooth to 1e-5. `BLEND`: the power in which
#: it gives way to a larger tau.
WIDTH, BLEND = 0.8, 8.0
#: Numbers in one pass: problems times models times nodes.
BLOCK = 262_144
#: The scatter of models about the law is sought between these.
LEAST_TAU, MOST_TAU, FIRST_TAU = 1e-3, 5.0, 0.2
#: Rounds of the law and the scatter in turn, and the change of log tau that ends them.
ROUNDS, SETTLED = 60, 1e-7
#: Until log tau moves less than `NEARLY` a law is minimised roughly: until a step promises less
#: than this share of the objective.
NEARLY, ROUGHLY = 1e-2, 1e-7
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
        rho, mean, square, _ = measure.moments(residuals)
        precision = 1.0 / measure.variance
        return rho, mean * precision, (1.0 - (square - mean**2) * precision) * precision

    @property
    def variance(self) -> Floats:
        """v (K, G) or (1, G): of t about a node."""
        tau = np.atleast_2d(self.tau)
        found: Floats = np.square(tau) * (1.0 + (WIDTH * self.evidence.spacing / tau) ** BLEND) ** (
            2.0 / BLEND
        )
        return found

    @property
    def share_of_tau(self) -> Floats:
        """d log v/d log tau^2, (K, G) or (1, G)."""
        return np.asarray(
            1.0 / (1.0 + (WIDTH * self.evidence.spacing / np.atleast_2d(self.tau)) ** BLEND)
        )

    def moments(self, mu: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """rho, E[t], E[t^2] and E[t^4], (K, G) each."""
        mu = np.atleast_2d(mu)
        found = np.empty((4, *mu.shape))
        variance = np.broadcast_to(self.variance, mu.shape)
        rows = max(1, BLOCK // self.evidence.nodes.size)
        for first in range(0, len(mu), rows):
            block = slice(first, first + rows)
            found[:, block] = self._moments(mu[block], variance[block])
        return found[0], found[1], found[2], found[3]

    def _moments(self, mu: Floats, variance: Floats) -> tuple[Floats, ...]:
        t = mu[:, :, None] - self.evidence.nodes
        square = t * t
        share = square * (-0.5 / variance)[:, :, None]
        share += self.evidence.log_weights
        highest = share.max(axis=2)
        tail = self._tail(mu, variance)
        if tail is not None:
            np.maximum(highest, tail[0], out=highest)
        share -= highest[:, :, None]
        np.exp(share, out=share)
        sums = [
            share.sum(axis=2),
            np.einsum("kgj,kgj->kg", share, t),
            np.einsum("kgj,kgj->kg", share, square),
            np.einsum("kgj,kgj,kgj->kg", share, square, square),
        ]
        if tail is not None:
            mass = np.exp(tail[0] - highest)
            for total, moment in zip(sums, (1.0, *tail[1:]), strict=True):
                total += mass * moment
        rho = 0.5 * np.log(variance) + HALF_LOG_TWO_PI - highest - np.log(sums[0])
        return rho, sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]

    def _tail(self, mu: Floats, variance: Floats) -> tuple[Floats, ...] | None:
        """Of the flat parts: log mass as nodes have it, -inf where there is none, and E[t], E[t^2],
        E[t^4] there; (K, G) each.
        """
        from scipy.special import log_ndtr

        flat = np.flatnonzero(self.evidence.flat)
        if not flat.size:
            return None
        found = tuple(np.full(mu.shape, start) for start in (-np.inf, 0.0, 0.0, 0.0))
        spacing = self.evidence.spacing[flat]
        v, edge = variance[:, flat], self.evidence.nodes[flat, -1] + 0.5 * spacing
        z = (mu[:, flat] - edge) / np.sqrt(v)
        log_mass = log_ndtr(z)
        hazard = np.exp(-0.5 * z * z - HALF_LOG_TWO_PI - log_mass)
        level = self.evidence.log_weights[flat, -1] - np.log(spacing)
        moments = (
            log_mass + level + 0.5 * np.log(v) + HALF_LOG_TWO_PI,
            -np.sqrt(v) * hazard,
            v * (1.0 - z * hazard),
            v * v * (3.0 - (z**3 + 3.0 * z) * hazard),
        )
        for whole, part in zip(found, moments, strict=True):
            whole[:, flat] = part
        return found


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
    tau: Any = FIRST_TAU,
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
    log_tau = np.broadcast_to(
        np.log(np.asarray(tau, dtype=np.float64)).reshape(-1, 1), (count, 1)
    ).copy()
    slope, moved = np.full((count, 1), np.nan), np.ones((count, 1))
    on, settled = np.arange(count), np.zeros(count, dtype=bool)
    free = int(np.count_nonzero(design.box.lower < design.box.upper))
    enough = ROUGHLY
    for _ in range(ROUNDS):
        measure = Marginal(evidence, np.exp(log_tau[on]))
        problem = Problem(design.model, np.zeros(size), each[on], measure, design.box, measure.tau)
        ends = minimise(problem, theta[on], damping=0.0, enough=enough)
        theta[on], value[on], done[on] = ends.theta, ends.value, ends.done
        here, alone = _scatter_slope(
            measure, np.log(design.model.evaluate(ends.theta)[0]), each[on], free
        )
        with np.errstate(all="ignore"):
            seen = (here - slope[on]) / moved[on]
        along = np.where((seen > LEAST_SECANT * alone) & (seen < MOST_SECANT * alone), seen, alone)
        step = np.clip(-here / along, -1.0, 1.0)
        reached = np.clip(log_tau[on] + step, np.log(LEAST_TAU), np.log(MOST_TAU))
        slope[on], moved[on] = here, reached - log_tau[on]
        settled[on] = (np.abs(moved[on])[:, 0] < SETTLED) & (enough == ENOUGH)
        enough = ENOUGH if np.abs(moved[on]).min() < NEARLY else ROUGHLY
        log_tau[on] = reached
        on = np.flatnonzero(~settled)
        if not on.size:
            break
    return MarginalFits(theta, np.exp(log_tau[:, 0]), value, done & settled)


def _scatter_slope(
    measure: Marginal, mu: Floats, weights: Floats, free: int
) -> tuple[Floats, Floats]:
    """Slope in log tau (K, 1), which vanishes at the scatter sought, and its own slope with the law
    held.
    """
    _, mean, square, fourth = measure.moments(mu)
    v = measure.variance
    told = np.clip(1.0 - (square - mean**2) / v, 1e-12, 1.0)
    informed = (weights * told).sum(axis=1, keepdims=True)
    kept = 1.0 - told * np.minimum(free / informed, 0.9)
    ratio, part = square / v, measure.share_of_tau
    slope = (weights * part * (kept - ratio)).sum(axis=1, keepdims=True)
    spread = (fourth - square**2) / (2.0 * v**2)  # d E[t^2]/dv
    # Without the slope of part itself: where tau is below what nodes resolve all vanishes with it,
    # and tau goes to its bound.
    curved = 2.0 * (weights * part**2 * (ratio - spread)).sum(axis=1, keepdims=True)
    expected = 2.0 * (weights * (part * told) ** 2).sum(axis=1, keepdims=True)
    return slope, np.where(curved > 0.1 * expected, curved, expected)
