"""Many laws at once, arrays of one row a law: what K params+tokens laws imply, and compute laws
E + C0 C^-alpha through K sets of losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..fit.newton import Problems
from ..fit.objective import Objective
from ..fit.path import follow, freed_each
from ..fit.separable import Centred
from ..law.compute import ComputeLaw, power

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_SQUARES", "ComputeLaws", "Laws", "fit_compute_laws"]

#: A law whose optimum lies further than exp of this from its terms' balance at one FLOP has lost a
#: term.
FARTHEST = 300.0
LEAST_SQUARES = Objective(name="least-squares-log")
#: Exponents that are tried for a start, and between which every fit stays.
EXPONENTS = np.geomspace(0.004, 4.0, 61)
LEAST_EXPONENT, LARGEST_EXPONENT = 1e-3, 10.0
LARGEST_LOG_TERM = 100.0


class Laws(NamedTuple):
    """Coefficients of K laws E + A N^-beta + B D^-gamma, each (K,)."""

    E: Floats
    A: Floats
    B: Floats
    beta: Floats
    gamma: Floats

    @classmethod
    def of(cls, coefficients: Any) -> Laws:
        """From rows E, A, B, beta, gamma."""
        return cls(*np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T)

    def __len__(self) -> int:
        return int(self.E.size)

    def some(self, chosen: Any) -> Laws:
        """The chosen ones."""
        return Laws(*(column[chosen] for column in self))

    @property
    def sound(self) -> NDArray[np.bool_]:
        """Whether neither term has vanished, so that there is an optimum to speak of; (K,)."""
        with np.errstate(all="ignore"):
            far = np.abs(np.log(self.A) - np.log(self.B)) / (self.beta + self.gamma)
            return np.asarray(np.isfinite(np.stack(self)).all(axis=0) & (far < FARTHEST))

    @property
    def terms(self) -> dict[str, Floats]:
        """The columns that broadcast against rows of runs."""
        return {name: getattr(self, name)[:, None] for name in ("A", "B", "beta", "gamma")}

    def losses(self, params: Floats, tokens: Floats) -> Floats:
        """L(N, D) at n runs; (K, n)."""
        return formulas.loss(params, tokens, self.E[:, None], **self.terms)

    def moved(self, losses: Floats, params: Floats, tokens: Floats, there: Floats) -> Floats:
        """Losses (K, n) moved along each law from the runs to where it has the losses `there`: L
        there/L(N, D).
        """
        return losses * there / self.losses(params, tokens)

    def envelope(self, compute: Floats) -> Floats:
        """L*(C) at n budgets; (K, n)."""
        return formulas.optimal_loss(compute, self.E[:, None], **self.terms)

    def ray(self, compute: Floats, tokens_per_param: float) -> Floats:
        """L(C) at n budgets on the ray D = t N; (K, n)."""
        reducible = formulas.ray_reducible_loss(compute, tokens_per_param, **self.terms)
        return formulas.loss_at(reducible, self.E[:, None])

    def params(self, compute: Floats) -> Floats:
        """N*(C); (K, n)."""
        return formulas.optimal_params(compute, **self.terms)

    def tokens(self, compute: Floats) -> Floats:
        """D*(C); (K, n)."""
        return formulas.optimal_tokens(compute, **self.terms)

    @property
    def envelopes(self) -> ComputeLaws:
        """The envelopes."""
        yes = np.ones(len(self), dtype=bool)
        return ComputeLaws(self.E, self.log_C0, self.alpha, yes, ~yes)

    @property
    def alpha(self) -> Floats:
        """Exponent of the envelope; (K,)."""
        return formulas.exponent(self.beta, self.gamma)

    @property
    def log_C0(self) -> Floats:
        """Log coefficient of the envelope; (K,)."""
        return np.log(formulas.coefficient(self.A, self.B, self.beta, self.gamma))

    @property
    def shares(self) -> Floats:
        """w_N and w_D, the exponents of N*(C) and D*(C); (K, 2)."""
        both = (formulas.params_share, formulas.tokens_share)
        return np.stack([share(self.beta, self.gamma) for share in both], axis=-1)


# -- compute laws ---------------------------------------------------------------------------------


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
    return np.array([len(np.unique(compute[row > 0.0])) for row in weights])


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
