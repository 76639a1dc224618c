r"""The params+tokens law with one exponent, fitted: the over-training law of Gadre et al.

.. math:: L = E + A N^{-\beta} + B D^{-\beta}.

With C = 6 N D and M = D/N it is E + (a M^eta + b M^-eta) C^-eta, eta = beta/2 (derivation
`overtraining_law`), the form of Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.models import PARAMS_TOKENS, Design, PowerTerms, in_coordinates
from ..fit.newton import Problems
from ..fit.optimality import Solution
from ..fit.path import follow
from ..fit.result import Fit
from ..fit.scan import FLATTEST, STEEPEST, nonnegative, peaks
from ..fit.separable import Centred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.objective import Objective
    from ..law import Law

    Floats = NDArray[np.float64]

__all__ = ["ONE_EXPONENT", "Tied", "TiedFit", "fit_tied", "values_of"]

#: Exponents on the grid, and how many of its best points are followed to a minimum.
EXPONENTS, MOST_STARTS = 60, 6
#: Columns of the Jacobian, of unit length, that are this close to dependent leave their
#: coefficients undetermined. Minima whose objectives differ by less than a share are one.
DEPENDENT, SAME = 1e-6, 1e-7


@dataclass(frozen=True)
class OneExponent(PowerTerms):
    """E + A N^-beta + B D^-beta."""

    def at(self, runs: Runs, centres: Floats) -> Tied:  # type: ignore[override]
        """The model at runs."""
        return Tied(super().at(runs, centres))

    def law(self, coefficients: Mapping[str, float], name: str = "fit", source: str = "") -> Law:
        """The law with these coefficients."""
        whole = {**coefficients, "gamma": coefficients["beta"]}
        law: Any = PARAMS_TOKENS.law(whole, name, source)
        return law

    def __str__(self) -> str:
        return "E + A N^-beta + B D^-beta"


ONE_EXPONENT = OneExponent("one-exponent", ("params", "tokens"), ("A", "B"), ("beta",))


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


@dataclass(frozen=True, kw_only=True)
class TiedDesign(Design):
    """The law at the runs: theta = (E, log T_N, log T_D, beta), the terms at their centres."""

    @property
    def to_coordinates(self) -> Floats:
        """The matrix (4, 4) that takes theta to (E, log A, log B, beta)."""
        matrix = np.eye(4)
        matrix[1:3, 3] = self.centres
        return matrix

    def runaway(self, theta: Floats) -> tuple[str, ...]:
        """All coefficients where one went to a limit of the search; E = 0 is a value."""
        return self.terms.coefficients if {*self.at_bound(theta)} - {"E"} else ()

    def solve(
        self,
        observed: Floats,
        weights: Floats | None,
        objective: Objective,
        start: Mapping[str, float] | None = None,
        *,
        seed: int = 0,
    ) -> Solution:
        """The best minimum that a scan of beta leads to."""
        own = np.ones_like(observed) if weights is None else weights
        squares = own / observed**2 if objective.in_logs else own
        problems = Problems.of(self.model, observed, weights, objective)
        starts = _starts(self.model, observed, squares, self.lower, self.upper)
        ends = follow(problems, objective, starts, self.lower, self.upper)
        order = np.argsort(ends.value, kind="stable")
        best = int(order[0])
        value, rounding = float(ends.value[best]), float(problems.rounding[0])
        close = ends.value <= value * (1.0 + SAME) + rounding
        return Solution(
            ends.theta[best],
            value,
            bool(ends.done[best]),
            max(float(ends.decrement[best]) - rounding, 0.0) / max(value, 1e-300),
            len(starts),
            int(close.sum()),
            ends.theta[[i for i in order if not close[i]]],
        )


@dataclass(frozen=True, eq=False)
class TiedFit(Fit):
    """The law fitted."""

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """All coefficients where the runs leave a combination of them undetermined or one at a
        limit of the search.
        """
        if self.design.runaway(self.theta):
            return self.names
        values, jacobian = self.design.model.evaluate(self.theta[None])
        columns = (jacobian[0] / values[0] if self.objective.in_logs else jacobian[0])[self.free]
        size = np.linalg.svd(columns / np.linalg.norm(columns, axis=1)[:, None], compute_uv=False)
        return self.names if len(size) < len(columns) or size[-1] < DEPENDENT * size[0] else ()


def fit_tied(runs: Runs, objective: Objective) -> TiedFit:
    """The law closest to the runs, E >= 0 and positive prefactors.

    Raises
    ------
    ValueError
        Where the runs are fewer than the four coefficients, or all alike.
    """
    count = len(ONE_EXPONENT.coefficients)
    if len(runs) < count:
        raise ValueError(
            f"{len(runs)} runs: must be at least {count} for the coefficients of {ONE_EXPONENT}"
        )
    design = TiedDesign.of(ONE_EXPONENT, runs)
    solution = design.solve(np.asarray(runs.loss), runs.weight, objective)
    return TiedFit(
        model=ONE_EXPONENT, objective=objective, runs=runs, design=design, solution=solution
    )


def values_of(coefficients: Floats, params: Floats, tokens: Floats) -> Floats:
    """E + A N^-beta + B D^-beta (K, m) for coefficients (K, 4) with positive A and B."""
    logs = np.log(np.stack([params, tokens]))
    return Centred(logs).evaluate(in_coordinates(PARAMS_TOKENS, _untied(coefficients)))[0]


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
