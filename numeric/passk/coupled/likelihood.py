r"""The likelihood of the coupled model: success rates are Beta(a, b) in each model, log a and log b
polynomials in logs.

With the design matrix X (G, q) of the models, standardised, and coefficients alpha, beta (q,),

    log a = X alpha,   log b = X beta,   l = sum over problems of log E[p^c (1 - p)^(n - c)],

with a share pi0 of problems at p = 0 where the model has an atom. Theta is (alpha, beta[, logit
pi0]).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from ..beta import Expansion, log_likelihood_expansion, with_atom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Rows", "Terms", "expand"]

#: log a and log b beyond this have no likelihood in floats.
FARTHEST = 300.0


@dataclass(frozen=True, eq=False)
class Terms:
    """The polynomial's terms: 1, x_1, ..., x_m and for degree 2 the products, x_j = (log
    covariate_j - centre_j)/scale_j.

    Attributes
    ----------
    covariates : tuple of str
    degree : {1, 2}
    centre, scale : ndarray
        (m,): mean and standard deviation of the logs at the models of the fit.
    """

    covariates: tuple[str, ...]
    degree: int
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, covariates: tuple[str, ...], degree: int, logs: Floats) -> Terms:
        """Standardised at the logs (G, m) of the models."""
        spread = logs.std(axis=0)
        return cls(covariates, degree, logs.mean(axis=0), np.where(spread > 0.0, spread, 1.0))

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the covariates that each term multiplies."""
        each = range(len(self.covariates))
        return tuple(
            term
            for order in range(self.degree + 1)
            for term in combinations_with_replacement(each, order)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """ "1", "log C", "(log C)^2", "log N log D", ...; the logs are from their centre."""
        letters = [
            {"compute": "log C", "params": "log N", "tokens": "log D"}[name]
            for name in self.covariates
        ]

        def spelled(term: tuple[int, ...]) -> str:
            if len(term) == 2 and term[0] == term[1]:
                return f"({letters[term[0]]})^2"
            return " ".join(letters[j] for j in term) or "1"

        return tuple(spelled(term) for term in self.products)

    @property
    def units(self) -> Floats:
        """(q,): what a coefficient is to be divided by, to be one of products of logs."""
        return np.array([np.prod([self.scale[j] for j in term]) for term in self.products])

    def matrix(self, logs: Floats) -> Floats:
        """The terms (..., q) at logs (..., m)."""
        x = (logs - self.centre) / self.scale
        return np.stack([np.prod(x[..., list(term)], axis=-1) for term in self.products], axis=-1)


@dataclass(frozen=True, eq=False)
class Rows:
    """Counts by model, equal ones once; sorted by model.

    Attributes
    ----------
    group : ndarray of int
        (R,).
    n, c, times : ndarray of float
        (R,): samples, correct ones, how many problems.
    groups : int
    """

    group: Any
    n: Floats
    c: Floats
    times: Floats
    groups: int

    @classmethod
    def of(cls, group: Any, n: Any, c: Any, groups: int) -> Rows:
        """From a row a problem."""
        pairs, times = np.unique(np.stack([group, n, c]), axis=1, return_counts=True)
        return cls(
            pairs[0],
            pairs[1].astype(np.float64),
            pairs[2].astype(np.float64),
            times.astype(np.float64),
            groups,
        )

    def sums(self, values: Floats) -> Floats:
        """Sums over the problems of each model: (..., G) from (..., R)."""
        flat = (values * self.times).reshape(-1, len(self.group))
        found: Floats = np.stack(
            [np.bincount(self.group, weights=row, minlength=self.groups) for row in flat]
        ).astype(np.float64)
        return found.reshape(*values.shape[:-1], self.groups)

    def at(self, log_a: Floats, log_b: Floats, logit: float | None) -> Expansion:
        """Log likelihood of each model (G,) and its derivatives in (log a, log b[, logit pi0]), at
        (G,) values of these.
        """
        rows = log_likelihood_expansion(
            self.n, self.c, np.exp(log_a)[self.group], np.exp(log_b)[self.group]
        )
        if logit is not None:
            rows = with_atom(rows, self.c == 0.0, logit)
        return Expansion(*(self.sums(part) for part in rows))


def expand(rows: Rows, matrix: Floats, theta: Floats, weights: Floats | None = None) -> Expansion:
    """Log likelihood and its exact first (p,) and second (p, p) derivatives in theta; models
    counted `weights` times (G,).
    """
    q = matrix.shape[1]
    log_a, log_b = matrix @ theta[:q], matrix @ theta[q : 2 * q]
    p = len(theta)
    if (
        max(
            np.abs(log_a).max(), np.abs(log_b).max(), float(np.abs(theta[2 * q :]).max(initial=0.0))
        )
        > FARTHEST
    ):
        return Expansion(np.array(-np.inf), np.zeros(p), np.zeros((p, p)))
    models = rows.at(log_a, log_b, float(theta[-1]) if p > 2 * q else None)
    if weights is not None:
        models = Expansion(*(part * weights for part in models))
    gradient = scores(models, matrix).sum(axis=0)
    return Expansion(models.value.sum(), gradient, _hessian(models, matrix))


def scores(models: Expansion, matrix: Floats) -> Floats:
    """First derivatives in theta of each model's log likelihood, (G, p)."""
    parts: Sequence[Floats] = [part[:, None] * matrix for part in models.gradient[:2]]
    return np.concatenate([*parts, *(part[:, None] for part in models.gradient[2:])], axis=1)


def _hessian(models: Expansion, matrix: Floats) -> Floats:
    sides = [matrix, matrix, *([np.ones((len(matrix), 1))] if len(models.gradient) > 2 else [])]
    return np.block(
        [
            [(left * entry[:, None]).T @ right for entry, right in zip(row, sides, strict=True)]
            for row, left in zip(models.hessian, sides, strict=True)
        ]
    )
