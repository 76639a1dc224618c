r"""The params+tokens law with one exponent, fitted: the over-training law of Gadre et al.

.. math:: L = E + A N^{-\beta} + B D^{-\beta}.

With C = 6 N D and M = D/N it is E + (a M^eta + b M^-eta) C^-eta, eta = beta/2 (derivation
`overtraining_law`), the form of Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np

from ..fit.models import (
    LARGEST_EXPONENT,
    LARGEST_TERM,
    PARAMS_TOKENS,
    SMALLEST_EXPONENT,
    SMALLEST_TERM,
)
from ..fit.newton import Problems
from ..fit.path import follow
from ..fit.resample import Refits
from ..fit.scan import FLATTEST, STEEPEST, nonnegative, peaks
from ..fit.separable import Centred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.objective import Objective

    Floats = NDArray[np.float64]

__all__ = ["COEFFICIENTS", "FORMULA", "Tied", "TiedFit", "fit_tied"]

COEFFICIENTS, FORMULA = ("E", "A", "B", "beta"), "E + A N^-beta + B D^-beta"
#: Exponents on the grid, and how many of its best points are followed to a minimum.
EXPONENTS, MOST_STARTS, MOST_OTHERS = 60, 6, 2
#: Columns of the Jacobian, of unit length, that are this close to dependent leave their
#: coefficients open.
DEPENDENT, AT_BOUND, SAME = 1e-6, 1e-9, 1e-7


@dataclass(frozen=True)
class Tied:
    """The law at n runs for `isoflop.numeric.fit.newton`, in theta = (E, log T_N, log T_D, beta)
    with the terms at the centre.

    Attributes
    ----------
    whole : Centred
        The law with two exponents.
    """

    whole: Centred

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.whole.size

    def part(self, runs: slice) -> Tied:
        """The law at some of the runs."""
        return Tied(self.whole.part(runs))

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, 4, n)."""
        values, jacobian = self.whole.evaluate(_untied(theta))
        jacobian[:, 3] += jacobian[:, 4]
        return values, jacobian[:, :4]

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: those of the whole
        law, the exponents joined.
        """
        _, first = self.whole.evaluate(_untied(theta))
        if divisor is not None:
            first /= divisor[:, None, :]
        found = self.whole.curvature(
            _untied(theta), factors, first, np.einsum("kpn,kn->kp", first, factors), divisor
        )
        found[:, 3] += found[:, 4]
        found[:, :, 3] += found[:, :, 4]
        return np.asarray(found[:, :4, :4])


@dataclass(frozen=True, eq=False, kw_only=True)
class TiedFit:
    """The law fitted.

    Attributes
    ----------
    model : Tied
    centres : ndarray
        (2,): mean logarithms of params and tokens.
    observed : ndarray
        (n,).
    objective : Objective
    lower, upper : ndarray
        (4,): the box of theta.
    starts : ndarray
        (S, 4): the minimum, then the other minima; refits begin there.
    value : float
        The objective.
    converged : bool
    """

    model: Tied
    centres: Floats
    observed: Floats
    objective: Objective
    lower: Floats
    upper: Floats
    starts: Floats
    value: float
    converged: bool

    @property
    def coefficients(self) -> Floats:
        """(4,): E, A, B, beta."""
        return self._written(self.starts[:1])[0]

    @property
    def fitted(self) -> Floats:
        """The law at the runs."""
        return self.model.evaluate(self.starts[:1])[0][0]

    @property
    def undetermined(self) -> tuple[str, ...]:
        """All coefficients where the runs leave a combination of them open or one at a limit of the
        search; E = 0 is a value.
        """
        theta = self.starts[0]
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        on = (theta - self.lower <= near) | (self.upper - theta <= near)
        if on[1:].any():
            return COEFFICIENTS
        values, jacobian = self.model.evaluate(theta[None])
        columns = (jacobian[0] / values[0] if self.objective.in_logs else jacobian[0])[~on]
        size = np.linalg.svd(columns / np.linalg.norm(columns, axis=1)[:, None], compute_uv=False)
        return COEFFICIENTS if len(size) < len(columns) or size[-1] < DEPENDENT * size[0] else ()

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
        """Coefficients (K, 4) of the fit repeated with weights (K, n), or to other values (K, n),
        and the certificates.
        """
        if weights is None:
            assert observed is not None
            weights = np.ones_like(observed)
        problems = Problems.of(
            self.model, self.observed if observed is None else observed, weights, self.objective
        )
        ends = [
            follow(
                problems,
                self.objective,
                np.repeat(start[None], len(weights), axis=0),
                self.lower,
                self.upper,
            )
            for start in self.starts
        ]
        best, each = np.argmin([end.value for end in ends], axis=0), np.arange(len(weights))
        theta, done = (
            np.stack(parts)[best, each]
            for parts in zip(*((end.theta, end.done) for end in ends), strict=True)
        )
        return Refits(self._written(theta), done)

    def _written(self, theta: Floats) -> Floats:
        with np.errstate(over="ignore"):
            prefactors = np.exp(theta[:, 1:3] + theta[:, 3:] * self.centres)
        return np.concatenate([theta[:, :1], prefactors, theta[:, 3:]], axis=1)


def fit_tied(params: Floats, tokens: Floats, observed: Floats, objective: Objective) -> TiedFit:
    """The law closest to positive values (n,), E >= 0 and positive prefactors: the best minimum
    that a scan of beta leads to.

    Raises
    ------
    ValueError
        Where the runs are fewer than the four coefficients.
    """
    if len(observed) < len(COEFFICIENTS):
        raise ValueError(
            f"{len(observed)} runs: must be at least {len(COEFFICIENTS)} for the coefficients of "
            f"{FORMULA}"
        )
    logs = np.log(np.stack([params, tokens]))
    centres = logs.mean(axis=1)
    model = Tied(Centred(logs - centres[:, None]))
    low, high = (
        log(float(observed.min()) * SMALLEST_TERM),
        log(float(observed.max()) * LARGEST_TERM),
    )
    lower, upper = (
        np.array([0.0, low, low, SMALLEST_EXPONENT]),
        np.array([inf, high, high, LARGEST_EXPONENT]),
    )
    squares = 1.0 / observed**2 if objective.in_logs else np.ones_like(observed)
    problems = Problems.of(model, observed, None, objective)
    found = follow(
        problems, objective, _starts(model, observed, squares, lower, upper), lower, upper
    )
    order = np.argsort(found.value, kind="stable")
    best = int(order[0])
    value = float(found.value[best])
    others = [
        i for i in order if found.value[i] > value * (1.0 + SAME) + float(problems.rounding[0])
    ]
    return TiedFit(
        model=model,
        centres=centres,
        observed=observed,
        objective=objective,
        lower=lower,
        upper=upper,
        starts=found.theta[[best, *others[:MOST_OTHERS]]],
        value=value,
        converged=bool(found.done[best]),
    )


def terms_of(coefficients: Floats, params: Floats, tokens: Floats) -> Floats:
    """A N^-beta + B D^-beta (K, m) for coefficients (K, 4) with positive A and B."""
    logs = np.log(np.stack([params, tokens]))
    with np.errstate(divide="ignore"):
        theta = np.concatenate(
            [np.zeros((len(coefficients), 1)), np.log(coefficients[:, 1:3]), coefficients[:, 3:]],
            axis=1,
        )
    return Tied(Centred(logs)).evaluate(theta)[0]


def _untied(theta: Floats) -> Floats:
    return np.concatenate([theta, theta[:, 3:]], axis=1)


def _starts(model: Tied, observed: Floats, weights: Floats, lower: Floats, upper: Floats) -> Floats:
    """The local minima over the exponent of the squares that the best E, A, B >= 0 leave, best
    first.
    """
    logs = model.whole.logs
    spread = float(np.ptp(logs, axis=1).max())
    if spread == 0.0:
        raise ValueError(
            "all runs have the same params and tokens; a law of them needs runs that differ"
        )
    exponents = np.geomspace(FLATTEST / spread, STEEPEST / spread, EXPONENTS).clip(
        lower[3], upper[3]
    )
    powers = np.exp(-exponents[:, None, None] * logs)
    columns = np.concatenate([np.ones_like(powers[:, :1]), powers], axis=1)
    gram = np.einsum("gan,gbn,n->gab", columns, columns, weights)
    linear, gain = nonnegative(gram, np.einsum("gan,n,n->ga", columns, weights, observed))
    chosen = peaks(gain[None, :, None], MOST_STARTS)[0]
    with np.errstate(divide="ignore"):
        theta = np.concatenate([linear[:, :1], np.log(linear[:, 1:]), exponents[:, None]], axis=1)[
            chosen
        ]
    return np.clip(theta, lower, upper)


VARIABLES = PARAMS_TOKENS.variables
