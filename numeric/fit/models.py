"""The forms that are fitted, by name: which columns they read, which coefficients they have.

A form, `PowerTerms` or `Expression`, knows its names, what its coefficients may be, and makes a law
of them; `isoflop.numeric.fit.solution.Design` is a form at the runs.

To add a law that has a name, add a form to `MODELS`, as in

    Expression("E + a*N^-b*D^-c + k*log(D)", "product-log")

N, D and C are the params, tokens and compute of the runs, every other name is a coefficient.
`fit --model NAME`, `backtest --law NAME` and `isoflop.fit(runs, model=NAME)` know it then. A law
that needs no name is fitted and judged as its text. Sums of power terms are better declared as
`PowerTerms`: their starts come from a grid of the exponents and their covariance is that of the
logarithms of the prefactors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import REAL, ArgumentError, nonnegative_number, number, outside, positive_number
from .expression import BUDGET, COLUMNS, ExpressionModel, model_code_of, names_of
from .power import PowerSum

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sympy import Expr

    from ..data.runs import Runs

    Floats = NDArray[np.float64]
    Ends = tuple[float | None, float | None]
    Bounds = Mapping[str, Ends]

#: Exponents are sought between these unless the caller bounds them otherwise.
SMALLEST_EXPONENT, LARGEST_EXPONENT = 1e-3, 10.0
#: A term at the centre of the design lies between these multiples of the smallest and the largest
#: observed value.
SMALLEST_TERM, LARGEST_TERM = 1e-10, 1e10
#: What tells an expression from a name.
OPERATORS = frozenset("+*^/()")


@dataclass(frozen=True)
class PowerTerms:
    """E + sum_k a_k x_k^-b_k, or the same without E; terms may have one exponent between them."""

    name: str  # what the command line calls it
    variables: tuple[str, ...]  # columns of the runs
    prefactors: tuple[str, ...]  # names of a_k, one for each term
    exponents: tuple[str, ...]  # names of b_k
    irreducible: bool = True  # whether there is an E

    is_expression, names = False, ()
    requires = property(lambda form: form.variables)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients, in the order of the parameters."""
        exponents = dict.fromkeys(self.exponents)
        return (*(("E",) if self.irreducible else ()), *self.prefactors, *exponents)

    @property
    def is_shared(self) -> bool:
        """Whether all terms have one exponent."""
        return len(self.exponents) > 1 and len({*self.exponents}) == 1

    def on(self, runs: Runs) -> PowerTerms:
        """The same: its variables do not depend on the columns."""
        return self

    def values(self, coefficients: Floats, rows: Any) -> Floats:
        """K laws (K, p) with positive prefactors at rows with the variables, (K, n)."""
        model = self.at(rows, np.zeros(len(self.variables)))
        return model.evaluate(in_coordinates(self, coefficients))[0]

    def logs(self, runs: Any) -> Floats:
        """Logarithms of the variables (m, n)."""
        return np.stack([np.log(getattr(runs, name)) for name in self.variables])

    def at(self, runs: Any, centres: Floats) -> PowerSum:
        """The model at runs."""
        return PowerSum(self.logs(runs) - centres[:, None], self.irreducible, self.is_shared)

    def limits(self, losses: Floats, pinned: set[str]) -> dict[str, tuple[float, float]]:
        """The limits of the search, in the solver's parameters, by coefficient."""
        span = log(float(losses.min()) * SMALLEST_TERM), log(float(losses.max()) * LARGEST_TERM)
        terms = {name: (-inf, inf) if name in pinned else span for name in self.prefactors}
        exponents = dict.fromkeys(self.exponents, (SMALLEST_EXPONENT, LARGEST_EXPONENT))
        return {"E": (0.0, inf), **terms, **exponents}

    def checked(self, what: str, value: Any, name: str, *, lower: bool = False) -> float:
        """A value of a coefficient, or its lower bound."""
        may_be_zero = lower or name == "E"
        return (nonnegative_number if may_be_zero else positive_number)(what, value)

    def law(self, coefficients: Mapping[str, float], name: str = "fit", **other: Any) -> Any:
        """The law with these coefficients; `other` as of `Law`."""
        from ..law import Law, form

        shared = {"gamma": coefficients["beta"]} if "beta" in coefficients else {}
        numbers: dict[str, Any] = {"E": 0.0, **shared, **coefficients}
        own = form.COMPUTE if self.name == COMPUTE.name else form.PARAMS_TOKENS
        return Law(form=own, name=name, **numbers, **other)

    def __str__(self) -> str:
        letters = {"params": "N", "tokens": "D", "compute": "C"}
        terms = [
            f"{a} {letters.get(x, x)}^-{b}"
            for a, x, b in zip(self.prefactors, self.variables, self.exponents, strict=True)
        ]
        return " + ".join([*(("E",) if self.irreducible else ()), *terms])


@dataclass(frozen=True)
class Expression:
    """A law as its user wrote it."""

    expression: Expr | str
    name: str = "general"  # what the command line calls it
    #: Columns of the runs that it may name besides params, tokens and compute.
    extra: tuple[str, ...] = field(default=(), repr=False)

    is_expression, is_shared = True, False
    prefactors = exponents = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in it."""
        return tuple(names_of(self.expression))

    @property
    def requires(self) -> tuple[str, ...]:
        """Which of params, tokens and compute the runs must have besides the loss."""
        named = [COLUMNS.get(name, name) for name in self.names]
        return tuple(dict.fromkeys(name for name in named if name in BUDGET))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Columns of the runs, by the names that the expression has for them."""
        columns = {*(name for name, column in COLUMNS.items() if column in BUDGET), *BUDGET}
        return tuple(name for name in self.names if name in columns or name in self.extra)

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """All other names."""
        return model_code_of(self.expression, self.variables).coefficients

    def on(self, runs: Runs) -> Expression:
        """The law with the columns of some runs as variables, of which it must name one."""
        law = replace(self, extra=tuple(map(str, runs.extra)))
        if not law.variables:
            letters = [name for name, column in COLUMNS.items() if column in BUDGET]
            complaint = (
                f"names no column of the runs, which have {', '.join([*letters, *law.extra])}, and "
                f"is none of the laws with a name, {', '.join(MODELS)}"
            )
            raise ArgumentError("model", str(self), complaint=complaint)
        if not law.coefficients:
            raise ArgumentError("model", str(self), complaint="has no coefficients")
        return law

    def values(self, coefficients: Floats, rows: Any) -> Floats:
        """K laws (K, p) at rows with the variables, (K, n)."""
        return self.at(rows).values(coefficients)

    def at(self, runs: Any, centres: Floats | None = None) -> ExpressionModel:
        """The model at runs: N, D and C stand for the columns params, tokens and compute, other
        variables for the columns of that name.
        """
        known = {name: getattr(runs, name, None) for name in COLUMNS.values()}
        known |= getattr(runs, "extra", {})
        values = {name: known.get(COLUMNS.get(name, name)) for name in self.variables}
        if missing := [COLUMNS.get(name, name) for name, x in values.items() if x is None]:
            raise ValueError(f"variables: the runs have no column {missing[0]!r}")
        return ExpressionModel(self.expression, values)

    def limits(self, losses: Floats, pinned: set[str]) -> dict[str, tuple[float, float]]:
        """No limits."""
        return dict.fromkeys(self.coefficients, (-inf, inf))

    def checked(self, what: str, value: Any, name: str, *, lower: bool = False) -> float:
        """A value of a coefficient, or a bound of it."""
        del name, lower
        return number(what, value, REAL)

    def law(self, coefficients: Mapping[str, float], name: str = "fit", **_: Any) -> Any:
        """The law with its derived envelope, where it is of the class that has one in closed form."""
        from ..law.custom import law_from_expression

        if {*self.variables} != {"N", "D"}:
            raise ValueError(f"law: {self} is no law in N and D; an envelope needs both")
        return law_from_expression(self.expression, dict(coefficients), name=name)

    def __str__(self) -> str:
        return str(self.expression)


PARAMS_TOKENS = PowerTerms("params-tokens", ("params", "tokens"), ("A", "B"), ("beta", "gamma"))
COMPUTE = PowerTerms("compute", ("compute",), ("C0",), ("alpha",))
#: The over-training law of Gadre et al. 2024, arXiv 2403.08540: with C = 6 N D and M = D/N it is
#: E + (a M^eta + b M^-eta) C^-eta, eta = beta/2 (derivation `overtraining_law`).
ONE_EXPONENT = replace(PARAMS_TOKENS, name="one-exponent", exponents=("beta", "beta"))
#: The forms that have a name.
MODELS: dict[str, PowerTerms | Expression] = {form.name: form for form in (PARAMS_TOKENS, COMPUTE)}


def form_of(model: Expr | str) -> PowerTerms | Expression:
    """A form by name, or of an expression; a ValueError for a name that is misspelt."""
    if not isinstance(model, str):
        return Expression(model)
    is_word = not OPERATORS.intersection(model)
    if model not in MODELS and is_word and (hint := close_matches(model, MODELS)):
        raise outside("model", model, f"one of {', '.join(MODELS)} or an expression{hint}")
    return MODELS.get(model) or Expression(model)


def in_coordinates(form: PowerTerms | Expression, coefficients: Floats) -> Floats:
    """Coefficients (..., p) of a form with the logarithms of the prefactors; log 0 is -inf."""
    logged = np.isin(form.coefficients, form.prefactors)
    with np.errstate(divide="ignore"):
        return np.where(logged, np.log(np.where(logged, coefficients, 1.0)), coefficients)
