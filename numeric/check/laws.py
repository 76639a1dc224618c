"""Many laws at once, arrays of one row a law: what K params+tokens laws imply, and compute laws
E + C0 C^-alpha through K sets of losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..fit.newton import Problem, follow
from ..fit.objective import Objective
from ..fit.power import PowerSum
from ..law import Law
from ..law.compute import power
from ..law.form import COMPUTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["LEAST_SQUARES", "ComputeLaws", "Laws", "RunsBudget", "fit_compute_laws"]

#: A law whose optimum lies further than exp of this from its terms' balance at one FLOP has lost a
#: term.
FARTHEST = 300.0
#: Computes this near each other, in logs, are one.
SAME_COMPUTE = 0.01
#: Singular values below this share of the largest are none.
SINGULAR = 1e-6
LEAST_SQUARES = Objective(name="least-squares-log")
#: Exponents that are tried for a start, and between which every fit stays.
EXPONENTS = np.geomspace(0.004, 4.0, 61)
LEAST_EXPONENT, LARGEST_EXPONENT = 1e-3, 10.0
LARGEST_LOG_TERM = 100.0


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

    @property
    def is_6nd(self) -> bool:
        """Whether it is the usual one."""
        return self == (6.0, 1.0, 1.0)

    def __str__(self) -> str:
        if self.is_6nd:
            return "C = 6 N D"
        return f"C = {self.kappa:.3g} N^{self.a:.3f} D^{self.d:.3f}"


SIX_ND = RunsBudget()


@dataclass(frozen=True)
class Laws:
    """Coefficients of K laws E + A N^-beta + B D^-gamma, each (K,), and the budget.

    With N' = kappa/6 N^a and D' = D^d the budget is C = 6 N' D', and each law has the same form
    with A' = A (kappa/6)^(beta/a), beta' = beta/a and gamma' = gamma/d: the formulas for 6ND hold of
    the primed quantities.
    """

    E: Floats
    A: Floats
    B: Floats
    beta: Floats
    gamma: Floats
    budget: RunsBudget = SIX_ND

    @classmethod
    def of(cls, coefficients: Any, budget: RunsBudget = SIX_ND) -> Laws:
        """From rows E, A, B, beta, gamma."""
        E, A, B, beta, gamma = np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T
        return cls(E, A, B, beta, gamma, budget)

    @classmethod
    def joined(cls, parts: Sequence[Laws]) -> Laws:
        """The laws of all parts, which have one budget."""
        return cls.of(np.concatenate([part.rows for part in parts]), parts[0].budget)

    @property
    def rows(self) -> Floats:
        """(K, 5)."""
        return np.stack([self.E, self.A, self.B, self.beta, self.gamma], axis=1)

    def __len__(self) -> int:
        return int(self.E.size)

    def some(self, chosen: Any) -> Laws:
        """The chosen ones."""
        return Laws.of(self.rows[chosen], self.budget)

    @property
    def sound(self) -> NDArray[np.bool_]:
        """Whether neither term has vanished, so that there is an optimum to speak of; (K,)."""
        with np.errstate(all="ignore"):
            far = np.abs(np.log(self.A) - np.log(self.B)) / (self.beta + self.gamma)
            return np.asarray(np.isfinite(self.rows).all(axis=1) & (far < FARTHEST))

    def losses(self, params: Floats, tokens: Floats) -> Floats:
        """L(N, D) at n runs; (K, n)."""
        terms = {name: getattr(self, name)[:, None] for name in ("A", "B", "beta", "gamma")}
        return formulas.loss(params, tokens, self.E[:, None], **terms)

    def moved(self, losses: Floats, params: Floats, tokens: Floats, there: Floats) -> Floats:
        """Losses (K, n) moved along each law from the runs to where it has the losses `there`: L
        there/L(N, D).
        """
        return losses * there / self.losses(params, tokens)

    @property
    def _primed(self) -> dict[str, Floats]:
        """A', B', beta' and gamma', each (K, 1)."""
        kappa, a, d = self.budget
        columns = {
            "A": self.A * (kappa / 6.0) ** (self.beta / a),
            "B": self.B,
            "beta": self.beta / a,
            "gamma": self.gamma / d,
        }
        return {name: column[:, None] for name, column in columns.items()}

    def envelope(self, compute: Floats) -> Floats:
        """L*(C) at n budgets; (K, n)."""
        return formulas.optimal_loss(compute, self.E[:, None], **self._primed)

    def params(self, compute: Floats) -> Floats:
        """N*(C); (K, n)."""
        kappa, a, _ = self.budget
        return np.asarray(
            (6.0 / kappa * formulas.optimal_params(compute, **self._primed)) ** (1 / a)
        )

    def tokens(self, compute: Floats) -> Floats:
        """D*(C); (K, n)."""
        return np.asarray(formulas.optimal_tokens(compute, **self._primed) ** (1 / self.budget.d))

    def ray(self, compute: Floats, tokens_per_param: float) -> Floats:
        """L(C) at n budgets on the ray D = t N, where C = kappa t^d N^(a+d); (K, n)."""
        kappa, a, d = self.budget
        params = (compute / (kappa * tokens_per_param**d)) ** (1.0 / (a + d))
        return self.losses(params, tokens_per_param * params)

    @property
    def envelopes(self) -> ComputeLaws:
        """The envelopes."""
        primed = {name: column[:, 0] for name, column in self._primed.items()}
        alpha = formulas.exponent(primed["beta"], primed["gamma"])
        yes = np.ones(len(self), dtype=bool)
        return ComputeLaws(self.E, np.log(formulas.coefficient(**primed)), alpha, yes, ~yes)

    @property
    def shares(self) -> Floats:
        """The exponents of N*(C) and D*(C), w_N/a and w_D/d; (K, 2)."""
        _, a, d = self.budget
        beta, gamma = (self._primed[name][:, 0] for name in ("beta", "gamma"))
        shares = formulas.params_share(beta, gamma) / a, formulas.tokens_share(beta, gamma) / d
        return np.stack(shares, axis=-1)


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

    def law(self, index: int = 0, name: str = "custom") -> Law:
        """One of them."""
        return Law(
            form=COMPUTE,
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
    model = PowerSum((logs - centre)[None, :])
    theta = _starts(model.logs[0], losses, given)
    known = np.isfinite(theta).all(axis=1) & (_budgets(compute, given) >= 3)
    theta[~known] = (1.0, 0.0, 0.1)
    lower = np.array([0.0, -LARGEST_LOG_TERM, LEAST_EXPONENT])
    upper = np.array([np.inf, LARGEST_LOG_TERM, LARGEST_EXPONENT])
    found = follow(Problem.of(model, losses, given, objective), theta, lower, upper)
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
