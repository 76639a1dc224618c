"""Laws that are linear in all but their exponents: E + sum_k a_k x_k^-b_k.

Two terms make the params+tokens law, one the compute law; terms that share an exponent make the
over-training law. The parameters are theta = (E, log T_1, ..., log T_m, b_1, ..., b_q), with terms T_k
at the centre of the runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import LETTERS
from ..errors import ArgumentError
from .form import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .form import Held
    from .newton import Box

    Floats = NDArray[np.float64]

#: Exponents are tried from where a term changes by a few percent over the runs to where it vanishes
#: within a small part of them; the number tried for each, with one, two or more exponents.
FLATTEST, STEEPEST, TRIED = 0.05, 25.0, (48, 12, 7)
#: The most minima on the grid that are starts.
MOST_STARTS = 6


@dataclass(frozen=True, kw_only=True)
class PowerTerms(Form):
    """E + sum_k a_k x_k^-b_k, or the same without E; terms may share an exponent."""

    variables: tuple[str, ...]  # columns of the runs, one for each term
    irreducible: str = "E"  # the name of E; empty for a law without it
    #: (m, n): the logarithm of each variable at the runs less its centre.
    logs: Any = field(default=None, compare=False, repr=False)

    names = ()

    @property
    def requires(self) -> tuple[str, ...]:
        """Columns that the runs must have besides the loss."""
        return self.variables

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """E, the prefactors, the exponents."""
        exponents = dict.fromkeys(self.exponents)
        return (*filter(None, [self.irreducible]), *self.prefactors, *exponents)

    @property
    def first(self) -> int:
        """The place of the first term among the parameters."""
        return int(bool(self.irreducible))

    @property
    def linear(self) -> NDArray[np.intp]:
        """Places of the coefficients in which the law is linear: E and the terms at the centre."""
        return np.arange(self.first + len(self.prefactors))

    @property
    def size(self) -> int:
        """Number of runs."""
        return int(self.logs.shape[1])

    def at(self, rows: Any, held: Held | None = None) -> PowerTerms:
        """The law at n rows that have its variables; see `Form.at`."""
        logs = np.stack([np.log(values) for values in self.columns_of(rows)])
        centres = self.centres
        if held is not None:
            centres = np.where([x in held for x in self.prefactors], 0.0, logs.mean(axis=1))
        return replace(self, logs=logs - np.reshape(centres, (-1, 1)), centres=centres)

    def columns_of(self, rows: Any) -> list[Any]:
        """The variable x of each term at the rows."""
        return [getattr(rows, name) for name in self.variables]

    def part(self, runs: Any) -> PowerTerms:
        """The law at some of the runs."""
        return replace(self, logs=self.logs[:, runs])

    def law(self, coefficients: Mapping[str, float], name: str = "fit", **other: Any) -> Any:
        """The `Law` with these coefficients; `other` are further arguments of it."""
        from ..law import Law, form

        if len(self.variables) > 2:
            complaint = "is no Law, which has one or two power terms"
            raise ArgumentError("model", str(self), complaint=complaint)
        values = [coefficients[name] for name in (*self.prefactors, *self.exponents)]
        is_pair = len(self.variables) > 1
        names = ("A", "B", "beta", "gamma") if is_pair else ("C0", "alpha")
        numbers: dict[str, Any] = dict(zip(names, values, strict=True))
        numbers["E"] = coefficients.get(self.irreducible, 0.0)
        law_form = form.PARAMS_TOKENS if is_pair else form.COMPUTE
        return Law(form=law_form, name=name, **numbers, **other)

    def __str__(self) -> str:
        letters = {name: letter for letter, name in LETTERS.items()}
        terms = [
            f"{a} {letters.get(x, x)}^-{b}"
            for a, x, b in zip(self.prefactors, self.variables, self.exponents, strict=True)
        ]
        return " + ".join([*filter(None, [self.irreducible]), *terms])

    # -- values and derivatives --------------------------------------------------------------------

    def _places(self, k: int) -> tuple[int, int]:
        """The places of log T and of the exponent of a term among the parameters."""
        return self.first + k, len(self.linear) + (0 if self.is_shared else k)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n) at parameters (K, p)."""
        jacobian = np.zeros((*theta.shape, self.size))
        values = np.zeros((len(theta), self.size))
        if self.irreducible:
            jacobian[:, 0] = 1.0
            values += theta[:, :1]
        for k, logs in enumerate(self.logs):
            at, exponent = self._places(k)
            term = jacobian[:, at]
            np.multiply(theta[:, exponent, None], -logs, out=term)
            term += theta[:, at, None]
            np.exp(term, out=term)
            values += term
            jacobian[:, exponent] -= term * logs
        return values, jacobian

    def curvature(self, theta: Floats, jacobian: Floats, factors: Floats) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives, which are T, -z T and
        z^2 T for every term: (K, p, p).
        """
        found = np.zeros((*theta.shape, theta.shape[1]))
        for k, logs in enumerate(self.logs):
            at, exponent = self._places(k)
            weighted = factors * jacobian[:, at]
            sums = weighted @ np.stack([np.ones_like(logs), -logs, logs * logs], axis=1)
            found[:, at, at] = sums[:, 0]
            found[:, at, exponent] = found[:, exponent, at] = sums[:, 1]
            found[:, exponent, exponent] += sums[:, 2]
        return found

    # -- variable projection -----------------------------------------------------------------------

    def linear_part(self, theta: Floats, free: Any) -> tuple[Floats, Floats]:
        """As for every form, without the derivatives by the exponents, which take half of the time."""
        first, last = self.first, len(self.linear)
        columns = np.ones((len(theta), last, self.size))
        terms = columns[:, first:]
        np.multiply(theta[:, last:, None], -self.logs, out=terms)
        terms += theta[:, first:last, None]
        np.exp(terms, out=terms)
        values = terms.sum(axis=1) + theta[:, :first].sum(axis=1, keepdims=True)
        return values, columns if len(free) == last else columns[:, free]

    def starts(
        self, observed: Floats, weights: Floats, box: Box, judge: Any = None, seed: int = 0
    ) -> Floats:
        """Parameters next to the local minima of the weighted squares that `project` leaves on a
        grid of the exponents (Golub and Pereyra 1973, The differentiation of pseudo-inverses and
        nonlinear least squares problems), the best first, and next to those of another objective
        `judge` of parameters (K, p).
        """
        grids = self._grids(box)
        shape, exponents = tuple(map(len, grids)), np.array(list(product(*grids)))
        theta = np.concatenate([np.zeros((len(exponents), len(self.linear))), exponents], axis=1)
        theta, squares = self.project(theta, observed, weights, box)
        chosen = [local_maxima(-squares.reshape(shape))[:MOST_STARTS]]
        if judge is not None:
            chosen.append(local_maxima(-judge(theta).reshape(shape))[:MOST_STARTS])
        return np.asarray(theta[list(dict.fromkeys(np.concatenate(chosen)))])

    def _grids(self, box: Box) -> list[Floats]:
        """The values that are tried for each exponent."""
        spreads = np.ptp(self.logs, axis=1)
        spreads = np.maximum([spreads.max()] if self.is_shared else spreads, 1e-3)
        tried = TRIED[min(len(spreads), len(TRIED)) - 1]
        ends = zip(spreads, *(end[len(self.linear) :] for end in box), strict=True)
        wide = ((*np.clip([FLATTEST / x, STEEPEST / x], low, high),) for x, low, high in ends)
        return [np.geomspace(low, high, tried if low < high else 1) for low, high in wide]


PARAMS_TOKENS = PowerTerms(
    name="params-tokens",
    variables=("params", "tokens"),
    prefactors=("A", "B"),
    exponents=("beta", "gamma"),
)
COMPUTE = PowerTerms(
    name="compute", variables=("compute",), prefactors=("C0",), exponents=("alpha",)
)
#: The over-training law of Gadre et al. 2024, arXiv 2403.08540: with C = 6 N D and M = D/N it is
#: E + (a M^eta + b M^-eta) C^-eta, eta = beta/2 (derivation `overtraining_law`).
ONE_EXPONENT = replace(PARAMS_TOKENS, name="one-exponent", exponents=("beta", "beta"))


def local_maxima(values: Floats) -> NDArray[np.intp]:
    """Flat indices of the points of a grid that no neighbour exceeds, the highest first.

    >>> local_maxima(np.array([1.0, 3.0, 2.0, 5.0]))
    array([3, 1])
    """
    values = np.where(np.isfinite(values), values, -np.inf)
    padded = np.pad(values, 1, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3,) * values.ndim)
    highest = windows.max(axis=tuple(range(values.ndim, 2 * values.ndim)))
    found = np.flatnonzero(values >= highest)
    return found[np.argsort(-values.ravel()[found], kind="stable")]
