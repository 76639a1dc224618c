r"""How far models scatter about the coupled model's curves, and what that means for the next model.

A model's (log a, log b) is the curve's plus e, normal with mean 0 and covariance Sigma (2, 2).
Sigma of greatest marginal likelihood is found with the curve held fixed: in turn, the mode and
inverse curvature V of each model's posterior of e (Laplace), then Sigma = mean of e e' + V over the
models. A model without a success keeps V near Sigma: it says little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import whole_number
from ...results import checked_level
from ..beta import beta_neg_log_pass

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .model import Coupled

    Floats = NDArray[np.float64]

__all__ = ["Scatter", "prediction", "scatter_of"]

FIRST_VARIANCE, LEAST_VARIANCE = 0.25, 1e-6
MOST_ROUNDS, CLOSE = 200, 1e-4
#: Newton steps to the modes in the first round, and in the later ones, which start near them.
FIRST_STEPS, LATER_STEPS, LONGEST = 8, 1, 1.0


@dataclass(frozen=True, eq=False)
class Scatter:
    """Models about the curves.

    Attributes
    ----------
    covariance : ndarray
        (2, 2) of e = (away in log a, away in log b).
    modes : ndarray
        (G, 2): most likely e of each model.
    converged : bool
        Whether the covariance has settled to 1e-4.
    """

    covariance: Floats
    modes: Floats
    converged: bool

    @property
    def of_log_a(self) -> float:
        """Standard deviation of log a about the curve."""
        return math.sqrt(self.covariance[0, 0])

    @property
    def of_log_odds(self) -> float:
        """Standard deviation of log(a/b), the log odds of the mean success rate, about the curve."""
        (aa, ab), (_, bb) = self.covariance
        return math.sqrt(aa - 2.0 * ab + bb)


def scatter_of(fit: Coupled) -> Scatter:
    """The scatter of the models of a fit."""
    count = len(fit.models)
    q = fit.matrix.shape[1]
    log_a, log_b = fit.matrix @ fit.theta[:q], fit.matrix @ fit.theta[q : 2 * q]
    logit = float(fit.theta[-1]) if len(fit.theta) > 2 * q else None
    covariance, e = FIRST_VARIANCE * np.eye(2), np.zeros((count, 2))
    for turn in range(MOST_ROUNDS):
        precision = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
        for _ in range(LATER_STEPS if turn else FIRST_STEPS):
            models = fit.rows.at(log_a + e[:, 0], log_b + e[:, 1], logit)
            gradient = models.gradient[:2].T - e @ precision
            curvature = _positive_definite(
                precision - models.hessian[:2, :2].transpose(2, 0, 1), precision
            )
            step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
            step *= np.minimum(
                1.0, LONGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300)
            )
            e = e + step
            if np.abs(step).max() < CLOSE:
                break
        new = (e.T @ e + np.linalg.inv(curvature).sum(axis=0)) / count + LEAST_VARIANCE * np.eye(2)
        settled = bool(np.abs(new - covariance).max() <= CLOSE * np.abs(new).max())
        covariance = new
        if settled:
            break
    return Scatter(covariance, e, settled)


def prediction(
    fit: Coupled,
    at: Any,
    k: ArrayLike,
    level: float = 0.9,
    *,
    problems: int | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Interval of -log pass@k of a model that was not fitted.

    Parameters
    ----------
    fit : Coupled
    at : float or array_like, or a pair of them
        Compute, or (params, tokens); broadcast with k.
    k : array_like
    level : float
    problems : int, optional
        pass@k is the mean over so many problems, drawn anew; by default over infinitely many.
    draws, seed : int
        Of theta (normal, the sandwich), of the scatter, and of the problems' success rates.

    Returns
    -------
    low, high : ndarray
        In nats; high is inf where too many draws have pass@k = 0.
    """
    share = checked_level(level)
    for name, value, least in (
        ("draws", draws, 2),
        ("seed", seed, 0),
        ("problems", 1 if problems is None else problems, 1),
    ):
        whole_number(name, value, least)
    random = np.random.default_rng(seed)
    theta = random.multivariate_normal(fit.theta, fit.standardised_covariance, size=draws)
    away = random.multivariate_normal(np.zeros(2), fit.scatter.covariance, size=draws)
    matrix, q = fit.matrix_at(at), fit.matrix.shape[1]
    log_a = np.moveaxis(matrix @ theta[:, :q].T, -1, 0)
    log_b = np.moveaxis(matrix @ theta[:, q : 2 * q].T, -1, 0)
    spread = (slice(None), *(None,) * (log_a.ndim - 1))
    a, b = np.exp(log_a + away[:, 0][spread]), np.exp(log_b + away[:, 1][spread])
    atom = 1.0 / (1.0 + np.exp(-theta[:, -1])) if theta.shape[1] > 2 * q else np.zeros(draws)
    k = np.asarray(k, dtype=np.float64)
    if problems is None:
        values = beta_neg_log_pass(a, b, k, atom[spread])
    else:
        values = _of_problems(a, b, k, atom[spread], problems, random)
    low, high = np.quantile(
        values, [(1.0 - share) / 2.0, (1.0 + share) / 2.0], axis=0, method="inverted_cdf"
    )
    return low, high


def _of_problems(
    a: Floats, b: Floats, k: Floats, atom: Floats, problems: int, random: np.random.Generator
) -> Floats:
    """-log of the mean of 1 - (1 - p)^k over so many problems, p from Beta(a, b) with the atom; a
    draw has its own problems.
    """
    total = np.zeros(np.broadcast_shapes(a.shape, k.shape))
    for _ in range(problems):
        rate = np.where(random.random(a.shape) < atom, 0.0, random.beta(a, b))
        with np.errstate(divide="ignore"):
            total -= np.expm1(k * np.log1p(-rate))
    with np.errstate(divide="ignore"):
        return -np.log(total / problems)


def _positive_definite(matrices: Floats, floor: Floats) -> Floats:
    """The matrices (G, 2, 2), with what is not positive definite replaced by the prior's precision."""
    (aa, ab), (_, bb) = matrices.transpose(1, 2, 0)
    good = (aa > 0.0) & (aa * bb > ab * ab)
    found: Floats = np.where(good[:, None, None], matrices, floor)
    return found
