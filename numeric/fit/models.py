"""The forms that are fitted: which columns they read, which coefficients they have, how these are
centred and bounded.

A form, `PowerTerms` or `GeneralLaw`, knows its names and makes a law of coefficients. A form at the
runs, `Design` or `GeneralDesign`, is what the solver sees: a model in its parameters, and the box
that these keep to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, nonnegative_number, outside, positive_number
from .separable import Centred

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sympy import Expr

    from ..compute_law import ComputeLaw
    from ..custom import CustomLaw
    from ..data.runs import Runs
    from ..law import Law
    from .expression import ExpressionModel
    from .objective import Objective
    from .optimality import Solution

    Floats = NDArray[np.float64]
    Bounds = Mapping[str, tuple[float | None, float | None]]

#: Exponents are sought between these unless the caller bounds them otherwise.
SMALLEST_EXPONENT, LARGEST_EXPONENT = 1e-3, 10.0
#: A term at the centre of the design lies between these multiples of the smallest and the largest
#: observed value.
SMALLEST_TERM, LARGEST_TERM = 1e-10, 1e10
#: A parameter this close to its bound is on it.
AT_BOUND = 1e-9


@dataclass(frozen=True)
class PowerTerms:
    """E + sum_k a_k x_k^-b_k, or the same without E.

    Attributes
    ----------
    name : str
        What the command line calls it.
    variables : tuple of str
        Columns of the runs.
    prefactors, exponents : tuple of str
        Names of a_k and of b_k.
    irreducible : bool
        Whether there is an E.
    """

    name: str
    variables: tuple[str, ...]
    prefactors: tuple[str, ...]
    exponents: tuple[str, ...]
    irreducible: bool = True

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of the parameters."""
        return (*(("E",) if self.irreducible else ()), *self.prefactors, *self.exponents)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What covariances are of: E, the logarithms of the prefactors, the exponents."""
        return tuple(
            f"log {name}" if name in self.prefactors else name for name in self.coefficients
        )

    def law(
        self, coefficients: Mapping[str, float], name: str = "fit", source: str = ""
    ) -> Law | ComputeLaw:
        """The law with these coefficients."""
        given = {"E": 0.0, **coefficients}
        if self.name == COMPUTE.name:
            from ..compute_law import ComputeLaw

            return ComputeLaw(**given, name=name, source=source)
        from ..law import Law

        return Law(name=name, source=source, **dict[str, Any](given))

    def __str__(self) -> str:
        letters = {"params": "N", "tokens": "D", "compute": "C"}
        terms = [
            f"{a} {letters.get(x, x)}^-{b}"
            for a, x, b in zip(self.prefactors, self.variables, self.exponents, strict=True)
        ]
        return " + ".join([*(("E",) if self.irreducible else ()), *terms])


PARAMS_TOKENS = PowerTerms("params-tokens", ("params", "tokens"), ("A", "B"), ("beta", "gamma"))
COMPUTE = PowerTerms("compute", ("compute",), ("C0",), ("alpha",))
MODELS = {model.name: model for model in (PARAMS_TOKENS, COMPUTE)}


@dataclass(frozen=True)
class GeneralLaw:
    """A law as its user wrote it.

    Attributes
    ----------
    expression : sympy.Expr or str
    variables : tuple of str
        Columns of the runs, by the names that the expression has for them.
    coefficients : tuple of str
    """

    expression: Expr | str
    variables: tuple[str, ...]
    coefficients: tuple[str, ...]

    name = "general"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What covariances are of: the coefficients themselves."""
        return self.coefficients

    def law(
        self, coefficients: Mapping[str, float], name: str = "fit", source: str = ""
    ) -> CustomLaw:
        """The law with its derived envelope, where it is of the class that has one in closed form."""
        from ..custom import law_from_expression

        if set(self.variables) != {"N", "D"}:
            raise ValueError(f"law: {self.expression} is no law in N and D; an envelope needs both")
        return law_from_expression(self.expression, dict(coefficients), name=name)

    def __str__(self) -> str:
        return str(self.expression)


def in_coordinates(model: Any, coefficients: Floats) -> Floats:
    """Coefficients (..., p) of a model as its coordinates: logarithms of the prefactors, the rest
    as it is; log 0 is -inf.
    """
    logged = np.array([f"log {name}" in model.coordinates for name in model.coefficients])
    with np.errstate(divide="ignore"):
        return np.where(logged, np.log(np.where(logged, coefficients, 1.0)), coefficients)


def named_model(name: str, *, irreducible: bool = True) -> PowerTerms:
    """A model by name, with or without E.

    Raises
    ------
    ValueError
        Where there is no such model.
    """
    if name not in MODELS:
        raise ArgumentError(
            "model",
            name,
            f"one of {', '.join(MODELS)}, or an expression in the columns of the runs",
        )
    chosen = MODELS[name]
    return PowerTerms(
        chosen.name, chosen.variables, chosen.prefactors, chosen.exponents, irreducible
    )


@dataclass(frozen=True, kw_only=True)
class _AtRuns:
    """A form at the runs, in the parameters theta of the solver, and the box that they keep to.

    Attributes
    ----------
    terms : PowerTerms or GeneralLaw
    model : Centred or ExpressionModel
    lower, upper : ndarray
        (p,).
    given : mapping of str to float
        Coefficients with a fixed value.
    """

    terms: Any
    model: Any
    lower: Floats
    upper: Floats
    given: Mapping[str, float]

    def at_bound(self, theta: Floats) -> tuple[str, ...]:
        """The coefficients, fixed ones apart, that lie on a bound."""
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        on = (theta - self.lower <= near) | (self.upper - theta <= near)
        return tuple(
            name
            for name, held in zip(self.terms.coefficients, on, strict=True)
            if held and name not in self.given
        )


@dataclass(frozen=True, kw_only=True)
class GeneralDesign(_AtRuns):
    """A law of the user's at the runs: the parameters are its coefficients."""

    @property
    def to_coordinates(self) -> Floats:
        """The identity."""
        return np.eye(len(self.terms.coefficients))

    def coefficients(self, theta: Floats) -> Floats:
        """The parameters."""
        return theta

    thetas = coefficients

    def runaway(self, theta: Floats) -> tuple[str, ...]:
        """None: the only limits are the caller's own."""
        return ()

    def at(self, runs: Runs) -> ExpressionModel:
        """The model at other runs."""
        return self.model.on(runs)

    def solve(
        self,
        observed: Floats,
        weights: Floats | None,
        objective: Objective,
        start: Mapping[str, float] | None = None,
    ) -> Solution:
        """The fit, from a start alone where one is given."""
        from .general import solve

        boxes = zip(self.terms.coefficients, self.lower.tolist(), self.upper.tolist(), strict=True)
        bounds = {name: (low, high) for name, low, high in boxes if name not in self.given}
        starts = None if start is None else [{name: start[name] for name in bounds}]
        return solve(
            self.model, observed, weights, objective, bounds=bounds, fixed=self.given, starts=starts
        )


@dataclass(frozen=True, kw_only=True)
class Design(_AtRuns):
    """Power terms at the runs: theta = (E, log T_1, ..., b_1, ...), where log T_k = log a_k - b_k
    centre_k.

    Attributes
    ----------
    centres : ndarray
        (m,): the mean log of the variable, or 0 where the prefactor itself is bounded or fixed.
    bounded : frozenset of str
        Coefficients with bounds of the caller's.
    """

    centres: Floats
    bounded: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        terms: PowerTerms,
        runs: Runs,
        *,
        bounds: Bounds | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> Design:
        """The design of some runs.

        Raises
        ------
        ValueError
            Where a bound or a fixed value names no coefficient or is outside its domain.
        """
        bounds, fixed = _checked(terms, bounds or {}, fixed or {})
        pinned = {*bounds, *fixed}
        logs = np.stack([np.log(getattr(runs, name)) for name in terms.variables])
        centres = np.array(
            [
                0.0 if name in pinned else float(row.mean())
                for name, row in zip(terms.prefactors, logs, strict=True)
            ]
        )
        span = [
            log(float(runs.loss.min()) * SMALLEST_TERM),
            log(float(runs.loss.max()) * LARGEST_TERM),
        ]
        boxes = {"E": (0.0, inf)}
        boxes |= {
            name: (-inf, inf) if name in pinned else (span[0], span[1]) for name in terms.prefactors
        }
        boxes |= dict.fromkeys(terms.exponents, (SMALLEST_EXPONENT, LARGEST_EXPONENT))
        for name, (low, high) in {
            **bounds,
            **{name: (value, value) for name, value in fixed.items()},
        }.items():
            inside = _log if name in terms.prefactors else float
            usual = boxes[name]
            boxes[name] = (
                usual[0] if low is None else inside(low),
                usual[1] if high is None else inside(high),
            )
            if boxes[name][0] > boxes[name][1]:
                raise outside(
                    f"bounds of {name}",
                    (low, high),
                    f"a pair; a side of None is {usual[0]:g} below, {usual[1]:g} above",
                )
        lower, upper = (
            np.array([boxes[name][side] for name in terms.coefficients]) for side in (0, 1)
        )
        return cls(
            terms=terms,
            model=Centred(logs - centres[:, None], terms.irreducible),
            lower=lower,
            upper=upper,
            given=fixed,
            centres=centres,
            bounded=frozenset(bounds),
        )

    def at(self, runs: Runs) -> Centred:
        """The model at other runs."""
        logs = np.stack([np.log(getattr(runs, name)) for name in self.terms.variables])
        return Centred(logs - self.centres[:, None], self.terms.irreducible)

    def solve(
        self,
        observed: Floats,
        weights: Floats | None,
        objective: Objective,
        start: Mapping[str, float] | None = None,
    ) -> Solution:
        """The fit, from a scan: a start is not needed."""
        from .solver import solve

        return solve(self, observed, weights, objective)

    @property
    def to_coordinates(self) -> Floats:
        """The matrix (p, p) that takes theta to (E, log a_k, b_k)."""
        first, count = int(self.terms.irreducible), len(self.centres)
        matrix = np.eye(self.model.width)
        matrix[np.arange(first, first + count), np.arange(first + count, first + 2 * count)] = (
            self.centres
        )
        return matrix

    def coordinates(self, theta: Floats) -> Floats:
        """E, the logarithms of the prefactors and the exponents: (..., p)."""
        return np.asarray(theta @ self.to_coordinates.T)

    def coefficients(self, theta: Floats) -> Floats:
        """E, prefactors and exponents: (..., p)."""
        found = self.coordinates(theta)
        first, count = int(self.terms.irreducible), len(self.centres)
        with np.errstate(over="ignore", under="ignore"):
            found[..., first : first + count] = np.exp(found[..., first : first + count])
        for name, value in self.given.items():  # not by way of its logarithm
            found[..., self.terms.coefficients.index(name)] = value
        return found

    def theta(self, coefficients: Mapping[str, float]) -> Floats:
        """The solver's parameters for coefficients."""
        values = np.array([coefficients[name] for name in self.terms.coefficients])
        return np.asarray(np.linalg.solve(self.to_coordinates, in_coordinates(self.terms, values)))

    def thetas(self, coefficients: Floats) -> Floats:
        """The solver's parameters (K, p) for rows of coefficients."""
        return np.asarray(
            np.linalg.solve(self.to_coordinates, in_coordinates(self.terms, coefficients).T).T
        )

    def runaway(self, theta: Floats) -> tuple[str, ...]:
        """Coefficients that went to a limit of the search which the caller did not set, so that
        their values mean nothing.

        An exponent at its limit, or a term that vanishes or outgrows all data, with its exponent. E
        = 0 is a value as any other.
        """
        on = set(self.at_bound(theta)) - self.bounded - {"E"}
        pairs = zip(self.terms.prefactors, self.terms.exponents, strict=True)
        return tuple(
            name for pair in pairs if on & set(pair) for name in pair if name not in self.given
        )


def _log(value: float) -> float:
    return log(value) if value > 0.0 else -inf


def _checked(
    terms: PowerTerms, bounds: Bounds, fixed: Mapping[str, float]
) -> tuple[dict[str, tuple[float | None, float | None]], dict[str, float]]:
    for argument, given in (("bounds", bounds), ("fixed", fixed)):
        if not isinstance(given, Mapping):
            raise outside(argument, given, "a mapping of the names of coefficients")
    for name in (*bounds, *fixed):
        if name not in terms.coefficients:
            complaint = f"the law {terms} has {', '.join(terms.coefficients)}"
            raise ArgumentError(f"coefficient {name}", complaint=complaint)
    if both := set(bounds) & set(fixed):
        raise ArgumentError(f"coefficient {min(both)}", complaint="is both bounded and fixed")
    values = {name: _number(f"fixed {name}", value, name) for name, value in fixed.items()}
    boxes = {}
    for name, pair in bounds.items():
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise outside(
                f"bounds of {name}", pair, "a pair (low, high); None for no bound"
            ) from None
        low = None if low is None else _number(f"lower bound of {name}", low, name, zero=True)
        high = (
            None if high is None else _number(f"upper bound of {name}", high, name, infinite=True)
        )
        if low is not None and high is not None and not low < high:
            raise outside(f"bounds of {name}", pair, "a pair with low < high")
        boxes[name] = (low, high)
    return boxes, values


def _number(
    what: str, value: Any, name: str, *, zero: bool = False, infinite: bool = False
) -> float:
    if infinite and value == inf:
        return inf
    return nonnegative_number(what, value) if zero or name == "E" else positive_number(what, value)
