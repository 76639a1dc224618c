"""Many laws at once, arrays of one row a law: what K params+tokens laws imply under a budget, and
compute laws E + C0 C^-alpha through K sets of losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..fit.newton import Box, Problem, follow
from ..fit.objective import Objective
from ..fit.power import PowerSum
from ..law.compute import power

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = [
    "LEAST_SQUARES",
    "SAME_COMPUTE",
    "SIX_ND",
    "ComputeLaws",
    "Laws",
    "RunsBudget",
    "fit_compute_laws",
]

#: A law whose optimum lies further than exp of this from its terms' balance at one FLOP has lost a
#: term.
FARTHEST = 300.0
#: Computes this near each other, in logs, are one.
SAME_COMPUTE = 0.01
#: Singular values below this share of the largest are none.
SINGULAR = 1e-6
LEAST_SQUARES = Objective(name="least-squares-log")
#: Exponents that are tried for a start, and the bounds of E, log C0 at the centre and alpha.
EXPONENTS = np.geomspace(0.004, 4.0, 61)
BOX = Box(np.array([0.0, -100.0, 1e-3]), np.array([np.inf, 100.0, 10.0]))


class RunsBudget(NamedTuple):
    """What training costs: C = kappa N^a D^d."""

    kappa: float = 6.0
    a: float = 1.0
    d: float = 1.0

    @classmethod
    def of(cls, params: Floats, tokens: Floats, compute: Floats) -> RunsBudget:
        """6ND where it gives the compute of the runs to 1 %, else the power law through it; where
        the runs do not tell its exponents, kappa N D.
        """
        logs = np.log(compute / formulas.compute(params, tokens))
        if np.abs(logs).max() < SAME_COMPUTE:
            return cls()
        n, d = np.log(params), np.log(tokens)
        design = np.stack([np.ones_like(n), n - n.mean(), d - d.mean()], axis=1)
        found, _, rank, _ = np.linalg.lstsq(design, logs, rcond=SINGULAR)
        level, a, b = found if rank == 3 else (logs.mean(), 0.0, 0.0)
        return cls(6.0 * float(np.exp(level - a * n.mean() - b * d.mean())), 1.0 + a, 1.0 + b)

    def tokens(self, compute: Any, params: Any) -> Any:
        """D with which these params spend the compute."""
        return (compute / (self.kappa * params**self.a)) ** (1.0 / self.d)

    def __str__(self) -> str:
        return f"C = {self.kappa:.3g} N^{self.a:.3f} D^{self.d:.3f}"


SIX_ND = RunsBudget()


@dataclass(frozen=True)
class Laws:
    """K laws E + A N^-beta + B D^-gamma and the budget of their runs.

    With N' = kappa/6 N^a and D' = D^d the budget is C = 6 N' D', and each law has the same form
    with A' = A (kappa/6)^(beta/a), beta' = beta/a and gamma' = gamma/d: the formulas for 6ND hold of
    the primed quantities.

    Attributes
    ----------
    coefficients : ndarray
        (K, 5): E, A, B, beta, gamma.
    budget : RunsBudget
    """

    coefficients: Floats
    budget: RunsBudget = SIX_ND

    def __len__(self) -> int:
        return len(self.coefficients)

    def __getitem__(self, chosen: Any) -> Laws:
        return Laws(self.coefficients[chosen], self.budget)

    @property
    def E(self) -> Floats:
        """(K, 1)."""
        return self.coefficients[:, :1]

    @property
    def terms(self) -> dict[str, Floats]:
        """A, B, beta and gamma, each (K, 1)."""
        names = ("A", "B", "beta", "gamma")
        return {name: self.coefficients[:, k : k + 1] for k, name in enumerate(names, 1)}

    @property
    def primed(self) -> dict[str, Floats]:
        """A', B', beta' and gamma', each (K, 1)."""
        kappa, a, d = self.budget
        A, B, beta, gamma = self.terms.values()
        return {
            "A": A * (kappa / 6.0) ** (beta / a),
            "B": B,
            "beta": beta / a,
            "gamma": gamma / d,
        }

    @property
    def sound(self) -> Flags:
        """Whether neither term has vanished, so that there is an optimum to speak of; (K,)."""
        A, B, beta, gamma = self.terms.values()
        with np.errstate(all="ignore"):
            far = np.abs(np.log(A) - np.log(B)) / (beta + gamma)
            return np.asarray(np.isfinite(self.coefficients).all(axis=1) & (far[:, 0] < FARTHEST))

    def losses(self, params: Floats, tokens: Floats) -> Floats:
        """L(N, D) at n runs; (K, n)."""
        return formulas.loss(params, tokens, self.E, **self.terms)

    def envelope(self, compute: Floats) -> Floats:
        """L*(C) at n budgets; (K, n)."""
        return formulas.optimal_loss(compute, self.E, **self.primed)

    def params(self, compute: Floats) -> Floats:
        """N*(C); (K, n)."""
        kappa, a, _ = self.budget
        optimal = formulas.optimal_params(compute, **self.primed)
        return np.asarray((6.0 / kappa * optimal) ** (1.0 / a))

    def tokens(self, compute: Floats) -> Floats:
        """D*(C); (K, n)."""
        return np.asarray(formulas.optimal_tokens(compute, **self.primed) ** (1.0 / self.budget.d))

    def ray(self, compute: Floats, tokens_per_param: float) -> Floats:
        """L(C) at n budgets on the ray D = t N, where C = kappa t^d N^(a+d); (K, n)."""
        kappa, a, d = self.budget
        params = (compute / (kappa * tokens_per_param**d)) ** (1.0 / (a + d))
        return self.losses(params, tokens_per_param * params)

    @property
    def envelopes(self) -> ComputeLaws:
        """The envelopes as compute laws."""
        primed = self.primed
        log_C0 = np.log(formulas.coefficient(**primed))
        alpha = formulas.exponent(primed["beta"], primed["gamma"])
        rows = np.concatenate([self.E, log_C0, alpha], axis=1)
        return ComputeLaws(rows, np.ones(len(self), dtype=bool))

    @property
    def shares(self) -> Floats:
        """The exponents of N*(C) and D*(C), w_N/a and w_D/d; (K, 2)."""
        _, a, d = self.budget
        beta, gamma = self.primed["beta"], self.primed["gamma"]
        shares = formulas.params_share(beta, gamma) / a, formulas.tokens_share(beta, gamma) / d
        return np.concatenate(shares, axis=1)


class ComputeLaws(NamedTuple):
    """K compute laws: rows E, log C0, alpha (K, 3), and whether each fit converged (K,)."""

    coefficients: Floats
    converged: Flags

    def losses(self, compute: Floats) -> Floats:
        """(K, n) at compute (n,)."""
        E, log_C0, alpha = (self.coefficients[:, k : k + 1] for k in range(3))
        return E + power(compute, log_C0, alpha)


def fit_compute_laws(
    compute: Floats, losses: Floats, weights: Any = 1.0, objective: Objective = LEAST_SQUARES
) -> ComputeLaws:
    """The best compute law with E >= 0 for each of K sets of losses at the same compute.

    Parameters
    ----------
    compute : ndarray
        (n,); FLOP, > 0.
    losses : ndarray
        (K, n), > 0.
    weights : ndarray or float
        Broadcast to (K, n), >= 0.
    objective : Objective
        Of the log residuals; by default least squares.

    Returns
    -------
    ComputeLaws
        Not converged where fewer than three different budgets have a weight.

    Notes
    -----
    For every trial exponent E and C0 are those of a weighted line, and the best of them is the
    start; Newton's method with the exact Hessian finishes. Absolute deviations are smoothed over a
    small share of their median.
    """
    weights = np.broadcast_to(weights, losses.shape)
    known = np.array([len(np.unique(compute[row > 0.0])) >= 3 for row in weights])
    weights = np.where(known[:, None], weights, 1.0)
    logs = np.log(compute)
    centre = float(logs.mean())
    model = PowerSum((logs - centre)[None, :])
    gains, theta = np.zeros(len(losses)), np.tile([1.0, 0.0, 0.1], (len(losses), 1))
    for alpha in EXPONENTS:
        terms = np.exp(-alpha * model.logs)
        powers = np.broadcast_to(terms, (len(losses), *terms.shape))
        linear, gain = model.project(powers, losses, weights / losses**2, BOX)
        better = (linear[:, 1] > 0.0) & (gain > gains)
        gains[better], theta[better, 0] = gain[better], linear[better, 0]
        theta[better, 1], theta[better, 2] = np.log(linear[better, 1]), alpha
    found = follow(Problem.of(model, losses, weights, objective, BOX), theta)
    E, log_term, alpha = found.theta.T
    rows = np.stack([E, log_term + alpha * centre, alpha], axis=1)
    return ComputeLaws(rows, found.done & (gains > 0.0) & known)
