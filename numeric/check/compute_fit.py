"""Compute laws E + C0 C^-alpha through many sets of losses at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fit.newton import Problems
from ..fit.objective import Objective
from ..fit.path import follow, freed_each
from ..fit.separable import Centred
from ..law.compute import ComputeLaw, power

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_SQUARES", "ComputeLaws", "fit_compute_laws"]

LEAST_SQUARES = Objective(name="least-squares-log")
#: Exponents that are tried for a start, and between which every fit stays.
EXPONENTS = np.geomspace(0.004, 4.0, 61)
LEAST_EXPONENT, LARGEST_EXPONENT = 1e-3, 10.0
LARGEST_LOG_TERM = 100.0


class ComputeLaws(NamedTuple):
    """K compute laws: E, log C0, alpha, whether each fit converged, and whether it ended at a
    bound.
    """

    E: Floats
    log_C0: Floats
    alpha: Floats
    converged: Flags
    at_bound: Flags

    def losses(self, compute: Floats) -> Floats:
        """(K, n) at compute (n,) or (K, n)."""
        return self.E[:, None] + power(compute, self.log_C0[:, None], self.alpha[:, None])

    def table(self) -> Floats:
        """Rows E, log C0, alpha; (K, 3)."""
        return np.stack([self.E, self.log_C0, self.alpha], axis=1)

    def law(self, index: int = 0, name: str = "custom") -> ComputeLaw:
        """One of them."""
        return ComputeLaw(
            E=float(self.E[index]),
            C0=float(np.exp(self.log_C0[index])),
            alpha=float(self.alpha[index]),
            name=name,
        )


def fit_compute_laws(
    compute: Floats,
    losses: Floats,
    weights: Floats | None = None,
    objective: Objective = LEAST_SQUARES,
) -> ComputeLaws:
    """The best compute law for each of K sets of losses at the same compute.

    Parameters
    ----------
    compute : ndarray
        (n,); FLOP, > 0.
    losses : ndarray
        (n,) or (K, n), > 0.
    weights : ndarray, optional
        (n,) or (K, n), >= 0; by default all 1.
    objective : Objective
        Of the log residuals; by default least squares.

    Returns
    -------
    ComputeLaws
        E >= 0. Not converged where fewer than three different budgets have a weight.

    Notes
    -----
    The coefficients enter linearly: for every trial exponent they are those of a weighted line,
    which gives the start; Newton's method with the exact Hessian finishes. Absolute deviations are
    smoothed over a small share of their median.
    """
    losses = np.atleast_2d(losses)
    given = np.ones_like(losses) if weights is None else np.atleast_2d(weights)
    losses, given = np.broadcast_arrays(losses, given)
    logs = np.log(compute)
    centre = float(logs.mean())
    model = Centred((logs - centre)[None, :])
    theta = _starts(model.logs[0], losses, given)
    known = np.isfinite(theta).all(axis=1) & (_budgets(compute, given) >= 3)
    theta[~known] = (1.0, 0.0, 0.1)
    lower = np.array([0.0, -LARGEST_LOG_TERM, LEAST_EXPONENT])
    upper = np.array([np.inf, LARGEST_LOG_TERM, LARGEST_EXPONENT])
    problems = Problems.of(model, losses, given, objective)
    found = freed_each(
        problems, objective, follow(problems, objective, theta, lower, upper), lower, upper
    )
    E, log_term, alpha = found.theta.T
    at_bound = (E <= 0.0) | (alpha <= LEAST_EXPONENT) | (alpha >= LARGEST_EXPONENT)
    return ComputeLaws(E, log_term + alpha * centre, alpha, found.done & known, at_bound & known)


def _budgets(compute: Floats, weights: Floats) -> NDArray[np.intp]:
    """How many different budgets have a weight."""
    _, which = np.unique(compute, return_inverse=True)
    if which.max() + 1 == len(compute):
        return np.count_nonzero(weights > 0.0, axis=1)
    member = np.zeros((len(compute), int(which.max()) + 1))
    member[np.arange(len(compute)), which] = 1.0
    return np.count_nonzero(np.matmul(weights > 0.0, member) > 0.0, axis=1)


def _starts(z: Floats, losses: Floats, weights: Floats) -> Floats:
    """(K, 3): E, log of the term at the centre and alpha of the best trial exponent, in relative
    deviations of the loss.
    """
    w = weights / losses**2
    best = np.full(len(losses), np.inf)
    theta = np.full((len(losses), 3), np.nan)
    s0, sy, syy = w.sum(axis=1), (w * losses).sum(axis=1), weights.sum(axis=1)
    with np.errstate(all="ignore"):
        for alpha in EXPONENTS:
            term = np.exp(-alpha * z)
            s1, s2, s1y = w @ term, w @ term**2, (w * losses) @ term
            E = (s2 * sy - s1 * s1y) / (s0 * s2 - s1**2)
            E = np.where(np.isfinite(E), np.maximum(E, 0.0), 0.0)
            T = (s1y - E * s1) / s2
            rest = syy - E * sy - T * s1y
            rest = np.where(E > 0.0, rest, syy - T * s1y)
            better = (T > 0.0) & (rest < best)
            best[better] = rest[better]
            theta[better] = np.stack([E, np.log(T), np.full_like(E, alpha)], axis=1)[better]
    return theta
