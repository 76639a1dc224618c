"""Any law that a user writes, as a model to fit: values and exact derivatives from generated code."""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from ..law.custom import executed
from .starts import refined, solve_linear, starts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from sympy import Expr

    from ...theory.code.model_code import ModelCode

    Floats = NDArray[np.float64]

#: Functions that text may hold besides those of the package's grammar.
MORE_FUNCTIONS = {
    **{
        name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
    },
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan"},
}
#: Of a law with so many coefficients the derivatives take seconds.
MOST_COEFFICIENTS = 20
#: Starts that are sought for a law.
STARTS = 16
#: The columns of a table of runs by the letters that laws are written in.
COLUMNS = {"N": "params", "D": "tokens", "C": "compute", "L": "loss"}
BUDGET = tuple(name for name in COLUMNS.values() if name != "loss")


class ExpressionModel:
    """A law in its coefficients at n runs.

    Parameters
    ----------
    law : sympy.Expr or str
        E.g. `E + (a*M**eta + b*M**-eta)*C**-eta`. Text is read by the package's grammar, never
        evaluated.
    variables : mapping of str to array_like
        The numbers that each variable of the law takes, (n,) each.
    coefficients : sequence of str, optional
        By default every name of the law that is no variable, in the order of appearance in text, by
        name in an expression.
    code : isoflop.theory.code.model_code.ModelCode, optional
        What was generated for the law before, with these variables.

    Attributes
    ----------
    names : tuple of str
        The coefficients: the entries of theta.
    code : isoflop.theory.code.model_code.ModelCode
        The generated source.

    Raises
    ------
    ValueError
        Where the law cannot be read or differentiated, or a variable is missing, not finite or of
        another length.

    Examples
    --------
    >>> model = ExpressionModel("E + A*C^-alpha", {"C": [1e18, 1e20, 1e22]})
    >>> model.names
    ('E', 'A', 'alpha')
    >>> values, jacobian = model.evaluate(np.array([[1.7, 1e3, 0.15]]))
    >>> values.round(3).tolist(), jacobian.shape
    ([[3.695, 2.7, 2.201]], (1, 3, 3))
    """

    def __init__(
        self,
        law: Expr | str,
        variables: Mapping[str, Any],
        coefficients: Sequence[str] | None = None,
        *,
        code: ModelCode | None = None,
    ) -> None:
        self.variables = _arrays(variables)
        self.code: ModelCode = (
            _generated(law, tuple(variables), coefficients) if code is None else code
        )
        self.names = self.code.coefficients

    @classmethod
    def on_runs(
        cls,
        law: Expr | str,
        runs: Any,
        *,
        variables: Sequence[str] = ("N", "D"),
        coefficients: Sequence[str] | None = None,
    ) -> ExpressionModel:
        """The law at a table of runs.

        Parameters
        ----------
        law : sympy.Expr or str
        runs : Runs
        variables : sequence of str
            N, D and C stand for the columns params, tokens and compute; other names for the columns
            of that name.
        coefficients : sequence of str, optional
        """
        return cls(law, {name: _column(runs, name) for name in variables}, coefficients)

    def on(self, runs: Any) -> ExpressionModel:
        """The same law at other runs."""
        return ExpressionModel(
            "", {name: _column(runs, name) for name in self.variables}, code=self.code
        )

    @property
    def size(self) -> int:
        """Number of runs."""
        return int(np.broadcast_shapes(*(array.shape for array in self.variables.values()))[0])

    @property
    def width(self) -> int:
        """Number of coefficients."""
        return len(self.names)

    @property
    def linear(self) -> tuple[int, ...]:
        """Positions of coefficients in which, all together, the law is linear."""
        return self.code.linear

    @cached_property
    def functions(self) -> ModuleType:
        """The generated functions."""
        return _module(self.code.source)

    def part(self, runs: Any) -> ExpressionModel:
        """The law at some of the runs."""
        chosen = {name: array[runs] for name, array in self.variables.items()}
        return ExpressionModel(self.code.law, chosen, code=self.code)

    def _arguments(self, theta: Floats) -> tuple[Floats, ...]:
        return (*self.variables.values(), *(column[:, None] for column in theta.T))

    def values(self, theta: Floats) -> Floats:
        """Values (K, n) for coefficients (K, p); not finite where the law is not."""
        with np.errstate(all="ignore"):
            found = self.functions.value(*self._arguments(theta))
        return np.array(np.broadcast_to(found, (len(theta), self.size)), dtype=np.float64)

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n); not finite where the law is not."""
        shape = (len(theta), self.size)
        jacobian = np.empty((len(theta), self.width, self.size))
        with np.errstate(all="ignore"):
            values, first = self.functions.first(*self._arguments(theta))
        for i, derivative in enumerate(first):
            jacobian[:, i] = derivative
        return np.array(np.broadcast_to(values, shape), dtype=np.float64), jacobian

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n), over the divisor if there is one, times the
        second derivatives: (K, p, p).

        The generated second derivatives need neither the first ones nor their sums.
        """
        found = np.zeros((len(theta), self.width, self.width))
        with np.errstate(all="ignore"):
            each = factors if divisor is None else factors / divisor
            second = self.functions.second(*self._arguments(theta))
            for (i, j), derivative in zip(self.code.second, second, strict=True):
                found[:, i, j] = found[:, j, i] = np.sum(each * derivative, axis=-1)
        return found

    def retract(
        self,
        theta: Floats,
        move: Floats,
        values: Floats,
        jacobian: Floats,
        lower: Floats,
        upper: Floats,
    ) -> Floats:
        """The point that a step (K, p) is meant to reach: the coefficients in which the law is
        linear follow the others, by least squares to the values that the step foretells.
        """
        straight = np.clip(theta + move, lower, upper)
        linear = np.array(self.linear, dtype=np.intp)
        if not linear.size:
            return straight
        foretold = values + np.einsum("kp,kpn->kn", move, jacobian)
        bent = straight.copy()
        with np.errstate(all="ignore"):
            weights = np.ones(self.size)
            scores = solve_linear(self, foretold, weights, bent, linear, lower, upper)
        return np.where(np.isfinite(scores)[:, None], bent, straight)

    def starts(
        self,
        observed: Floats,
        weights: Floats,
        lower: Floats,
        upper: Floats,
        *,
        judge: Callable[[Floats], Floats] | None = None,
        seed: int = 0,
    ) -> Floats:
        """Coefficients (K, p) next to minima of the weighted squares, the best first."""
        del judge  # many draws see the basins of other objectives as well
        return starts(self, observed, weights, lower, upper, count=STARTS, seed=seed)

    def refined(
        self, near: Floats, observed: Floats, weights: Floats, lower: Floats, upper: Floats
    ) -> Floats:
        """Starts (2 K, p) that are the caller's (K, p), as they are and further downhill."""
        return refined(self, observed, weights, near, lower, upper)

    def __repr__(self) -> str:
        return f"ExpressionModel({self.code.law}; {', '.join(self.names)}; {self.size} runs)"


def _arrays(variables: Mapping[str, Any]) -> dict[str, Floats]:
    arrays = {}
    for name, given in variables.items():
        try:
            array = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: must hold numbers") from None
        if array.ndim != 1 or not array.size:
            raise ValueError(f"{name}: must be a row of numbers, not of shape {array.shape}")
        if not np.isfinite(array).all():
            raise outside(name, float(array[~np.isfinite(array)][0]), "finite throughout")
        arrays[name] = array
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        found = ", ".join(f"{name} {length}" for name, length in lengths.items()) or "none"
        raise ValueError(f"variables: must be at least one, of the same length; {found}")
    return arrays


def _column(runs: Any, name: str) -> Any:
    column = COLUMNS.get(name, name)
    found = (
        getattr(runs, column, None)
        if column in COLUMNS.values()
        else getattr(runs, "extra", {}).get(column)
    )
    if found is None:
        raise ValueError(f"variables: the runs have no column {column!r}")
    return found


# -- reading and compiling ---------------------------------------------------------------------------------------------


def _generated(
    law: Expr | str, variables: tuple[str, ...], coefficients: Sequence[str] | None
) -> ModelCode:
    from sympy import sympify

    if isinstance(law, str):
        return _from_text(law, variables, None if coefficients is None else tuple(coefficients))
    exact = sympify(law, strict=True)
    if coefficients is None:
        coefficients = sorted({symbol.name for symbol in exact.free_symbols} - set(variables))
    return _from_expression(exact, variables, tuple(coefficients))


@lru_cache(maxsize=64)
def _from_expression(
    law: Expr, variables: tuple[str, ...], coefficients: tuple[str, ...]
) -> ModelCode:
    from ...theory.code.model_code import model_code

    if len(coefficients) > MOST_COEFFICIENTS:
        raise ValueError(
            f"law: has {len(coefficients)} coefficients ({', '.join(coefficients[:3])}, ...); must "
            f"have at most "
            f"{MOST_COEFFICIENTS}: its second derivatives grow with their square"
        )
    return model_code(law, variables, coefficients)


@lru_cache(maxsize=64)
def _from_text(
    law: str, variables: tuple[str, ...], coefficients: tuple[str, ...] | None
) -> ModelCode:
    import sympy

    from ...theory.reader.building import NamedFunction
    from ...theory.reader.parse import read
    from ...theory.reader.tokens import tokenize

    x = sympy.Symbol("x", real=True)
    functions = {
        text: NamedFunction((x,), getattr(sympy, name)(x)) for text, name in MORE_FUNCTIONS.items()
    }
    known: dict[str, Any] = {"pi": sympy.pi, **functions}
    tokens = tokenize(law)
    if coefficients is None:
        coefficients = tuple(
            dict.fromkeys(
                token.text for token in tokens if _is_coefficient(token, variables, known)
            )
        )
    known |= {name: sympy.Symbol(name, real=True) for name in (*variables, *coefficients)}
    return _from_expression(read(law, tokens, known), variables, coefficients)


def _is_coefficient(token: Any, variables: tuple[str, ...], known: Mapping[str, Any]) -> bool:
    """Whether a name stands for neither a variable, a product of variables, a function nor a
    constant.
    """
    from ...theory.reader.building import FUNCTIONS

    if token.kind != "name" or token.text in FUNCTIONS or token.text in known:
        return False
    return token.text not in variables and not all(letter in variables for letter in token.text)


@lru_cache(maxsize=64)
def _module(source: str) -> ModuleType:
    return executed("model", source)


def coefficients_of(law: Expr | str, variables: tuple[str, ...]) -> tuple[str, ...]:
    """Every name of a law that is none of its variables."""
    return _generated(law, variables, None).coefficients


# -- names of an expression --------------------------------------------------------------------------------------------


def required(expression: Expr | str) -> tuple[str, ...]:
    """Which of params, tokens and compute an expression needs, by the letters N, D and C or by
    their names.

    Raises
    ------
    ValueError
        Where text cannot be read.
    """
    named = {**COLUMNS, **{name: name for name in BUDGET}}
    return tuple(
        dict.fromkeys(named[name] for name in names_of(expression) if named.get(name) in BUDGET)
    )


def names_of(expression: Expr | str) -> list[str]:
    """The names of the expression, in order; a run of letters such as ND counts as each of them
    where they are variables.
    """
    if not isinstance(expression, str):
        from sympy import Expr

        if not isinstance(expression, Expr):
            raise outside("model", expression, "a name, a formula or a SymPy expression")
        return sorted(symbol.name for symbol in expression.free_symbols)
    from ...theory.reader.tokens import tokenize

    found = dict.fromkeys(token.text for token in tokenize(expression) if token.kind == "name")
    letters = [letter for text in found if all(each in COLUMNS for each in text) for letter in text]
    return list(dict.fromkeys([*found, *letters]))
