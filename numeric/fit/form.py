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

from ..errors import ArgumentError, outside
from .newton import EVERYWHERE, Box

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Ends = tuple[float | None, float | None]
    Bounds = Mapping[str, Ends]

#: A parameter this close to its bound is on it.
AT_BOUND = 1e-9


@dataclass(frozen=True, kw_only=True)
class Form(ABC):
    """A law to be fitted, with the limits of its parameters once it is posed at runs.

    Attributes
    ----------
    name : str
        The name on the command line.
    irreducible : str
        The name of E, which is at least 0; "" for a law without it, or an expression.
    prefactors, exponents : tuple of str
        The names of a and b of its power terms; none for an expression.
    box : Box
        The limits in the solver's parameters.
    fixed, bounds : mapping
        Coefficient to its value, or to its least and greatest value, as the caller gave them.
    centres : ndarray
        (m,): the mean log of each term's variable; 0 where its prefactor is bounded or fixed.
    """

    name: str
    irreducible: str = ""
    prefactors: tuple[str, ...] = ()
    exponents: tuple[str, ...] = ()
    box: Box = field(default=EVERYWHERE, compare=False, repr=False)
    fixed: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)
    bounds: Bounds = field(default_factory=dict, compare=False, repr=False)
    centres: Any = field(default=0.0, compare=False, repr=False)

    is_expression = False

    @property
    @abstractmethod
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of the parameters."""

    @abstractmethod
    def at(self, rows: Any, held: set[str] | None = None) -> Self:
        """The law at n rows that have its variables. Where `held` is given its terms are centred
        anew, except those whose prefactors are held.
        """

    @abstractmethod
    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n) at parameters (K, p)."""

    @abstractmethod
    def limits(self, losses: Floats, held: set[str]) -> dict[str, tuple[float, float]]:
        """The limits of the search by coefficient, in the solver's parameters."""

    @abstractmethod
    def checked(self, what: str, value: Any, name: str, *, lower: bool = False) -> float:
        """A value of a coefficient, or its lower bound; a ValueError outside its domain."""

    def posed(
        self,
        runs: Any,
        *,
        bounds: Bounds | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> Self:
        """The law at runs, within its limits; a ValueError where a bound or a fixed value is outside
        its domain.
        """
        fixed, bounds = self._given("fixed", fixed), self._given("bounds", bounds)
        if both := {*bounds} & {*fixed}:
            raise ArgumentError(f"coefficient {min(both)}", complaint="is both bounded and fixed")
        held = {name: (value, value) for name, value in fixed.items()} | bounds
        limits = self.limits(np.asarray(runs.loss), {*held})
        for name, ends in held.items():
            usual = zip(ends, limits[name], strict=True)
            low, high = (x if end is None else self._inside(name, end) for end, x in usual)
            if low > high:
                below, above = limits[name]
                domain = f"a pair; a side of None is {below:g} below, {above:g} above"
                raise outside(f"bounds of {name}", ends, domain)
            limits[name] = low, high
        box = Box(*np.array([limits[name] for name in self.coefficients]).T)
        return replace(self.at(runs, {*held}), box=box, fixed=fixed, bounds=bounds)

    def _inside(self, name: str, value: float) -> float:
        """The solver's parameter for a value of a coefficient."""
        if name not in self.prefactors:
            return value
        return log(value) if value > 0.0 else -inf

    def _given(self, argument: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The bounds, or the fixed values, of coefficients, checked."""
        if not isinstance(given or {}, Mapping):
            raise outside(argument, given, "a mapping of the names of coefficients")
        found: dict[str, Any] = {}
        for name, value in (given or {}).items():
            if name not in self.coefficients:
                complaint = f"the law {self} has {', '.join(self.coefficients)}"
                raise ArgumentError(f"coefficient {name}", complaint=complaint)
            if argument == "fixed":
                found[name] = self.checked(f"fixed {name}", value, name)
                continue
            domain = "a pair (low, high) with low < high; None for no bound"
            if not isinstance(value, tuple | list) or len(value) != 2:
                raise outside(f"bounds of {name}", value, domain)
            low, high = (
                None
                if end in (None, inf, -inf)
                else self.checked(f"{side} bound of {name}", end, name, lower=side == "lower")
                for side, end in zip(("lower", "upper"), value, strict=True)
            )
            if low is not None and high is not None and not low < high:
                raise outside(f"bounds of {name}", value, domain)
            found[name] = low, high
        return found

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
        names, found = self.coefficients, np.asarray(theta @ self.to_coordinates.T)
        with np.errstate(over="ignore", under="ignore"):
            found[..., self.logged] = np.exp(found[..., self.logged])
        # Given values and ends of bounds do not pass through a logarithm, which would round.
        for name, value in self.fixed.items():
            found[..., names.index(name)] = value
        for name, (low, high) in self.bounds.items():
            ends = -inf if low is None else low, inf if high is None else high
            found[..., names.index(name)] = np.clip(found[..., names.index(name)], *ends)
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
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        return np.asarray((theta - self.box.lower <= near) | (self.box.upper - theta <= near))

    def runaway(self, theta: Floats) -> Mask:
        """Which of the parameters (..., p) went to a limit of the search that the caller did not
        set, so that their values mean nothing: an exponent at its limit, or a term that vanishes or
        outgrows all data, with its exponent. E = 0 is a value like any other.
        """
        names = self.coefficients
        on = self.on_bound(theta) & ~np.isin(names, [self.irreducible, *self.bounds, *self.fixed])
        for a, b in zip(self.prefactors, self.exponents, strict=True):
            term = [names.index(a), names.index(b)]
            on[..., term] |= on[..., term].any(axis=-1, keepdims=True)
        return np.asarray(on & ~np.isin(names, list(self.fixed)))
