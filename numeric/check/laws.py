"""What training the runs costs, and compute laws E + C0 C^-alpha through many sets of losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..errors import ArgumentError
from ..fit.newton import Box, Problem, follow
from ..fit.objective import Objective
from ..fit.power import PowerSum
from ..law import Law
from ..law.compute import power
from ..law.form import PARAMS_TOKENS
from ..law.scaling_law import DrawnLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_SQUARES", "SAME_COMPUTE", "SIX_ND", "RunsBudget", "fit_compute_laws", "losses_at"]

#: Computes this near each other, in logs, are one.
SAME_COMPUTE = 0.01
#: Singular values below this share of the largest are none.
SINGULAR = 1e-6
LEAST_SQUARES = Objective(name="least-squares-log")
#: Exponents that are tried for a start, and the bounds of E, log C0 at the centre and alpha.
EXPONENTS = np.geomspace(0.004, 4.0, 61)
BOX = Box(np.array([0.0, -100.0, 1e-3]), np.array([np.inf, 100.0, 10.0]))


class RunsBudget(NamedTuple):
    """What training costs: C = kappa N^a D^d.

    With N' = kappa/6 N^a and D' = D^d it is C = 6 N' D', and a law E + A N^-beta + B D^-gamma has the
    same form in N' and D'. So whatever is known for 6ND holds of these.
    """

    kappa: float = 6.0
    a: float = 1.0
    d: float = 1.0

    @classmethod
    def of(cls, params: Floats, tokens: Floats, compute: Floats) -> RunsBudget:
        """6ND where it gives the compute of the runs to 1 %, else the power law through it; where
        the runs do not tell its exponents, kappa N D. A ValueError where it falls with one of them.
        """
        logs = np.log(compute / formulas.compute(params, tokens))
        if np.abs(logs).max() < SAME_COMPUTE:
            return cls()
        n, d = np.log(params), np.log(tokens)
        design = np.stack([np.ones_like(n), n - n.mean(), d - d.mean()], axis=1)
        found, _, rank, _ = np.linalg.lstsq(design, logs, rcond=SINGULAR)
        level, a, b = found if rank == 3 else (logs.mean(), 0.0, 0.0)
        if min(a, b) <= -1.0:
            raise ArgumentError("compute", complaint="must grow with both params and tokens")
        return cls(6.0 * float(np.exp(level - a * n.mean() - b * d.mean())), 1.0 + a, 1.0 + b)

    def scaled(self, params: Any, tokens: Any) -> tuple[Any, Any]:
        """N' and D'."""
        return self.kappa / 6.0 * params**self.a, tokens**self.d

    def unscaled(self, params: Any, tokens: Any) -> tuple[Any, Any]:
        """N and D from N' and D'."""
        return (6.0 / self.kappa * params) ** (1.0 / self.a), tokens ** (1.0 / self.d)

    def law(self, E: Any, A: Any, B: Any, beta: Any, gamma: Any) -> Law:
        """The law in N' and D'; the coefficients are numbers, or arrays (K, 1) of K laws."""
        kappa, a, d = self
        scaled = {"E": E, "A": A * (kappa / 6.0) ** (beta / a), "B": B}
        scaled |= {"beta": beta / a, "gamma": gamma / d}
        return DrawnLaw(PARAMS_TOKENS, scaled) if np.ndim(E) else Law(**scaled)

    def __str__(self) -> str:
        return f"C = {self.kappa:.3g} N^{self.a:.3f} D^{self.d:.3f}"


SIX_ND = RunsBudget()


def losses_at(compute: Floats, laws: Floats) -> Floats:
    """Losses (K, n) at compute (n,) by K compute laws, rows of E, log C0 and alpha."""
    E, log_C0, alpha = laws.T[:, :, None]
    return np.asarray(E + power(compute, log_C0, alpha))


def fit_compute_laws(
    compute: Floats, losses: Floats, weights: Any = 1.0, objective: Objective = LEAST_SQUARES
) -> tuple[Floats, Flags]:
    """The best compute laws E + C0 C^-alpha with E >= 0 through K sets of losses at the same compute.

    Parameters
    ----------
    compute, losses, weights : ndarray
        (n,), FLOP; (K, n); broadcast to (K, n), >= 0.
    objective : Objective
        Of the log residuals.

    Returns
    -------
    laws, converged : ndarray
        (K, 3): E, log C0 and alpha; (K,), False where fewer than three budgets have a weight.

    Notes
    -----
    For every trial exponent E and C0 are those of a weighted line, and the best of them is the
    start; Newton's method with the exact Hessian finishes.
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
    laws = np.stack([E, log_term + alpha * centre, alpha], axis=1)
    return laws, found.done & (gains > 0.0) & known
