"""Fits of a law that the user writes: its columns and coefficients told apart, then the general solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..errors import ArgumentError, outside
from .expression import COLUMNS, ExpressionModel
from .general import solve
from .models import AT_BOUND
from .result import Fit
from .solver import Solution

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sympy import Expr

    from ..custom import CustomLaw
    from .models import Bounds
    from .objective import Objective

    Floats = NDArray[np.float64]

BUDGET = tuple(name for name in COLUMNS.values() if name != "loss")


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

    def law(self, coefficients: Mapping[str, float], name: str = "fit") -> CustomLaw:
        """The law with its derived envelope, where it is of the class that has one in closed form."""
        from ..custom import law_from_expression

        if set(self.variables) != {"N", "D"}:
            raise ValueError(f"law: {self.expression} is no law in N and D; an envelope needs both")
        return law_from_expression(self.expression, dict(coefficients), name=name)

    def __str__(self) -> str:
        return str(self.expression)


@dataclass(frozen=True)
class GeneralDesign:
    """A general law at the runs; the solver's parameters are its coefficients."""

    terms: GeneralLaw
    model: ExpressionModel
    lower: Floats
    upper: Floats
    given: Mapping[str, float]

    @property
    def to_coordinates(self) -> Floats:
        """The identity."""
        return np.eye(len(self.terms.coefficients))

    def coefficients(self, theta: Floats) -> Floats:
        """The parameters."""
        return theta

    def thetas(self, coefficients: Floats) -> Floats:
        """The parameters."""
        return coefficients

    def runaway(self, theta: Floats) -> tuple[str, ...]:
        """None: the only limits are the caller's own."""
        return ()

    def at_bound(self, theta: Floats) -> tuple[str, ...]:
        """The coefficients, fixed ones apart, that lie on a bound."""
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        on = (theta - self.lower <= near) | (self.upper - theta <= near)
        return tuple(name for name, held in zip(self.terms.coefficients, on, strict=True) if held and name not in self.given)


def fit_general(
    runs: Any,
    expression: Expr | str,
    objective: Objective,
    *,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    reading: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Fit:
    """The fit of a law that is given as an expression; see `fitting.fit`. `reading` holds options of `Runs.read`.

    Raises
    ------
    ValueError
        Where the law cannot be read, names no column of the runs or has no coefficients.
    """
    for argument, mapping in (("bounds", bounds or {}), ("fixed", fixed or {})):
        if not isinstance(mapping, Mapping):
            raise outside(argument, mapping, "a mapping of the names of coefficients")
    for name, pair in (bounds or {}).items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise outside(f"bounds of {name}", pair, "a pair (low, high); None for no bound")
    names = names_of(expression)
    table = Runs.read(runs, require=(*required(expression), "loss"), names=names, **(reading or {}))
    from .fitting import require_possible_losses

    variables = tuple(name for name in names if COLUMNS.get(name) in BUDGET or name in BUDGET or name in table.extra)
    if not variables:
        known = ", ".join([*(name for name, column in COLUMNS.items() if column in BUDGET), *map(str, table.extra)])
        complaint = f"names no column of the runs, which have {known}"
        raise ArgumentError("model", str(expression), complaint=complaint)
    model = ExpressionModel.on_runs(expression, table, variables=variables)
    if not model.names:
        raise ArgumentError("model", str(expression), complaint="has no coefficients")
    table.require(model.width - len(fixed or {}), f"the {model.width} coefficients of {expression}")
    require_possible_losses(table)
    found = solve(model, np.asarray(table.loss), table.weight, objective, bounds=bounds, fixed=fixed, seed=seed)
    given = dict(fixed or {})
    boxes = {**dict(bounds or {}), **{name: (value, value) for name, value in given.items()}}
    ends = [boxes.get(name, (None, None)) for name in model.names]
    design = GeneralDesign(
        GeneralLaw(expression, variables, model.names),
        model,
        np.array([-np.inf if low is None else low for low, _ in ends]),
        np.array([np.inf if high is None else high for _, high in ends]),
        given,
    )
    certificate = found.offset if objective.is_sharp else found.decrement
    solution = Solution(
        found.theta,
        found.value,
        found.converged,
        certificate,
        found.starts,
        found.agreeing,
        np.empty((0, model.width)),
        found.reason,
    )
    return Fit(model=design.terms, objective=objective, runs=table, design=design, solution=solution)


def required(expression: Expr | str) -> tuple[str, ...]:
    """Which of params, tokens and compute an expression needs, by the letters N, D and C or by their names.

    Raises
    ------
    ValueError
        Where text cannot be read.
    """
    named = {**COLUMNS, **{name: name for name in BUDGET}}
    return tuple(dict.fromkeys(named[name] for name in names_of(expression) if named.get(name) in BUDGET))


def names_of(expression: Expr | str) -> list[str]:
    """The names of the expression, in order; a run of letters such as ND counts as each of them where they are variables."""
    if not isinstance(expression, str):
        from sympy import Expr

        if not isinstance(expression, Expr):
            raise outside("model", expression, "a name, a formula or a SymPy expression")
        return sorted(symbol.name for symbol in expression.free_symbols)
    from ...theory.algebra.parse import tokenize

    found = dict.fromkeys(token.text for token in tokenize(expression) if token.kind == "name")
    letters = [letter for text in found if all(each in COLUMNS for each in text) for letter in text]
    return list(dict.fromkeys([*found, *letters]))
