"""The base of all laws to be fitted: p coefficients, and a box for them once posed at runs.

The solver's parameters theta (K, p) of an expression are its coefficients. Those of power terms
E + sum a x^-b are E, log T and b, where log T = log a - b centre is the logarithm of the term at the
geometric mean of the runs, which is far less correlated with the exponent than log a.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NONNEGATIVE, POSITIVE, REAL, ArgumentError, number, outside
from .newton import EVERYWHERE, Box

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    #: Coefficient to its least and its greatest value.
    Held = Mapping[str, tuple[float, float]]

#: Exponents are sought between these unless the caller bounds them otherwise; a term at the centre of
#: the runs between these multiples of the smallest and the largest observed value.
EXPONENTS, SMALLEST_TERM, LARGEST_TERM = (1e-3, 10.0), 1e-10, 1e10
#: Added to the Gram matrix, so that equal columns do not make it singular.
RIDGE, PASSES = 1e-13, 2


@dataclass(frozen=True, kw_only=True)
class Form(ABC):
    """A law to be fitted, with the limits of its parameters once it is posed at runs."""

    name: str  # on the command line
    irreducible: str = ""  # the name of E, which is at least 0; "" for a law without it
    prefactors: tuple[str, ...] = ()  # the names of a and b of its power terms
    exponents: tuple[str, ...] = ()
    #: The limits in the solver's parameters.
    box: Box = field(default=EVERYWHERE, compare=False, repr=False)
    #: The least and the greatest value that the caller gave a coefficient; twice one for a fixed one.
    held: Held = field(default_factory=dict, compare=False, repr=False)
    #: (m,): the mean log of each term's variable; 0 where its prefactor is held.
    centres: Any = field(default=0.0, compare=False, repr=False)

    is_expression = False

    @property
    @abstractmethod
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of the parameters."""

    @abstractmethod
    def at(self, rows: Any, held: Held | None = None) -> Self:
        """The law at n rows that have its variables. Where `held` is given its terms are centred
        anew, except those whose prefactors are held.
        """

    @abstractmethod
    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n) at parameters (K, p)."""

    @property
    @abstractmethod
    def linear(self) -> NDArray[np.intp]:
        """Places of the coefficients in which the law is linear, prefactors by their terms."""

    def on(self, runs: Any) -> Self:
        """The law with the columns of these runs as variables, where it may have any."""
        del runs
        return self

    @property
    def is_shared(self) -> bool:
        """Whether several terms share one exponent."""
        return len(self.exponents) > 1 and len({*self.exponents}) == 1

    # -- the box -----------------------------------------------------------------------------------

    @property
    def fixed(self) -> list[str]:
        """The coefficients that are fixed."""
        return [name for name, (low, high) in self.held.items() if low == high]

    def posed(
        self,
        runs: Any,
        *,
        bounds: Held | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> Self:
        """The law at runs, within its limits and the caller's bounds; a ValueError where a fixed value
        is outside its domain.
        """
        if not isinstance(fixed or {}, Mapping):
            raise outside("fixed", fixed, "a mapping of the names of coefficients")
        held = dict(bounds or {})
        for name, value in (fixed or {}).items():
            if name not in self.coefficients:
                complaint = f"the law {self} has {', '.join(self.coefficients)}"
                raise ArgumentError(f"coefficient {name}", complaint=complaint)
            domain = POSITIVE if name in (*self.prefactors, *self.exponents) else REAL
            domain = NONNEGATIVE if name == self.irreducible else domain
            held[name] = (number(f"fixed {name}", value, domain),) * 2
        losses, limits = np.asarray(runs.loss), dict.fromkeys(self.coefficients, (-inf, inf))
        for name in self.prefactors:  # an expression has none, and its values may be 0
            limits[name] = log(losses.min() * SMALLEST_TERM), log(losses.max() * LARGEST_TERM)
        limits |= dict.fromkeys(self.exponents, EXPONENTS)
        limits |= {self.irreducible: (0.0, inf)}
        for name, ends in held.items():
            is_logged = name in self.prefactors
            limits[name] = (log(ends[0]), log(ends[1])) if is_logged else ends
        box = Box(*np.array([limits[name] for name in self.coefficients]).T)
        return replace(self.at(runs, held), box=box, held=held)

    # -- variable projection -----------------------------------------------------------------------

    def linear_part(self, theta: Floats, free: Any) -> tuple[Floats, Floats]:
        """Values (K, n), and first derivatives (K, l, n) by those of `linear` that are free."""
        values, jacobian = self.evaluate(theta)
        return values, jacobian[:, free]

    def project(
        self, theta: Floats, target: Floats, weights: Floats, box: Box
    ) -> tuple[Floats, Floats]:
        """Replace the coefficients in which the law is linear by those of least squares in the box to
        the target (n,) or (K, n): the parameters (K, p), and the weighted squares (K,) of what is
        left, infinite where the law is not finite.
        """
        free = self.linear[box.lower[self.linear] < box.upper[self.linear]]
        logged, theta = self.logged[free], theta.copy()
        with np.errstate(all="ignore"):
            room = Box(*(np.where(logged, np.exp(end[free]), end[free]) for end in box))
            begun = np.broadcast_to(
                np.where(logged, 1.0, room.inside(0.0)), (len(theta), len(free))
            )
            theta[:, free] = np.where(logged, 0.0, begun)
            values, columns = self.linear_part(theta, free)
            missing = target - values
            weighted = columns * weights[..., None, :]
            gram = weighted @ columns.transpose(0, 2, 1)
            moments = (weighted @ missing[:, :, None])[:, :, 0]
            squares = np.sum(weights * missing**2, axis=1)
            good = np.isfinite(np.column_stack([gram.sum(axis=(1, 2)), moments, squares])).all(
                axis=1
            )
            gram[~good], moments[~good] = 0.0, 0.0
            step, held = np.zeros_like(begun), np.zeros(begun.shape, dtype=bool)
            for _ in range(PASSES if free.size else 0):  # those that a bound stops stay there
                wanted = begun + _solved(gram, moments, step, held)
                step, held = room.inside(wanted) - begun, room.inside(wanted) != wanted
                if not held.any():
                    break
            theta[:, free] = np.where(logged, np.log(begun + step), begun + step)
            squares -= np.sum(step * (2.0 * moments - (gram @ step[:, :, None])[:, :, 0]), axis=1)
        return box.inside(theta), np.where(good, squares, np.inf)

    # -- the parameters and the coefficients -------------------------------------------------------

    @property
    def to_coordinates(self) -> Floats:
        """The matrix (p, p) that takes theta to E, the logarithms of the prefactors and the
        exponents, the coordinates of covariances.
        """
        matrix, names = np.eye(len(self.coefficients)), self.coefficients
        centres = np.broadcast_to(self.centres, len(self.prefactors))
        for a, b, centre in zip(self.prefactors, self.exponents, centres, strict=True):
            matrix[names.index(a), names.index(b)] = centre
        return matrix

    @property
    def logged(self) -> Mask:
        """Which coefficients are prefactors, (p,)."""
        return np.isin(self.coefficients, self.prefactors)

    def read(self, theta: Floats) -> Floats:
        """The coefficients (..., p) for parameters."""
        found = np.asarray(theta @ self.to_coordinates.T)
        with np.errstate(over="ignore", under="ignore"):
            found[..., self.logged] = np.exp(found[..., self.logged])
        # Given values do not pass through a logarithm, which would round.
        for name, ends in self.held.items():
            place = self.coefficients.index(name)
            found[..., place] = np.clip(found[..., place], *ends)
        return found

    def write(self, coefficients: Floats) -> Floats:
        """The parameters (..., p) for coefficients; -inf for a prefactor of 0."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(self.logged, coefficients, 1.0))
        logs = np.where(self.logged, logs, coefficients)
        return np.asarray(np.linalg.solve(self.to_coordinates, logs.T).T)

    def values(self, coefficients: Floats, rows: Any) -> Floats:
        """The values (K, n) of K laws (K, p) at rows with the variables."""
        return self.at(rows).evaluate(self.write(coefficients))[0]

    def on_bound(self, theta: Floats) -> Mask:
        """Which of the parameters (..., p) lie on a bound, fixed ones among them."""
        return self.box.on_lower(theta) | self.box.on_upper(theta)

    def runaway(self, theta: Floats) -> Mask:
        """Which of the parameters (..., p) went to a limit of the search that the caller did not
        set, so that their values mean nothing: an exponent at its limit, or a term that vanishes or
        outgrows all data, with its exponent. E = 0 is a value like any other.
        """
        names = self.coefficients
        on = self.on_bound(theta) & ~np.isin(names, [self.irreducible, *self.held])
        for a, b in zip(self.prefactors, self.exponents, strict=True):
            term = [names.index(a), names.index(b)]
            on[..., term] |= on[..., term].any(axis=-1, keepdims=True)
        return np.asarray(on & ~np.isin(names, self.fixed))


def _solved(gram: Floats, moments: Floats, step: Floats, held: Mask) -> Floats:
    """The steps (K, l) of least squares from Gram matrices (K, l, l) and moments (K, l), of which some
    are held.
    """
    lengths = np.sqrt(np.diagonal(gram, axis1=1, axis2=2))
    scale = np.where((lengths > 0.0) & ~held, lengths, 1.0)
    rest = (moments - (gram @ np.where(held, step, 0.0)[:, :, None])[:, :, 0]) / scale
    unit = np.where(
        held[:, :, None] | held[:, None], 0.0, gram / (scale[:, :, None] * scale[:, None])
    )
    unit += np.eye(step.shape[1]) * (RIDGE + ((lengths == 0.0) | held))[:, :, None]
    return np.where(held, step, np.linalg.solve(unit, rest[:, :, None])[:, :, 0] / scale)
