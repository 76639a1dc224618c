"""Any law that a user writes: values and exact derivatives from generated code, and starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.columns import BUDGET, LETTERS
from ..errors import ArgumentError
from .form import Form
from .newton import Problem, minimise
from .objective import Objective

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from sympy import Expr

    from .form import Held
    from .newton import Box

    Floats = NDArray[np.float64]

#: Functions that text may hold besides those of the package's grammar.
MORE_FUNCTIONS = {
    **{
        name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
    },
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan"},
}
#: SymPy's functions that NumPy has; whole numbers and fractions of larger parts are floats.
KNOWN, LARGEST_EXACT = {"exp", "log", "Abs", *MORE_FUNCTIONS.values()}, 1000
#: Draws for each coefficient that is drawn, and the most in all; how many of the best go downhill,
#: by how many steps and how closely, and how many of their ends become starts.
DRAWS, MOST_DRAWS, REFINED, DOWNHILL, ROUGHLY, STARTS = 1_024, 8_192, 256, 20, 1e-6, 8
SQUARES = Objective(name="least-squares")
#: Numbers in one pass.
BLOCK = 65_536
#: The range of log10 of pure numbers; how far beyond the range of a variable a scale may lie.
PURE_NUMBERS, MARGIN = (-3.0, 1.0), 1.0
#: Share of positive draws where both signs are allowed; starts whose logarithms of sizes differ by
#: less are the same.
POSITIVE, APART = 0.75, 0.2


@dataclass(frozen=True, kw_only=True)
class Expression(Form):
    """A law as its user wrote it, such as `E + (a*M**eta + b*M**-eta)*C**-eta`.

    Text is read by the package's grammar, never evaluated: a ValueError where it cannot be read or
    differentiated. N, D and C stand for the columns params, tokens and compute, `extra` are names of
    other columns; every other name is a coefficient.

    Examples
    --------
    >>> law = Expression("E + A*C^-alpha").at({"compute": [1e18, 1e20, 1e22]})
    >>> law.coefficients
    ('E', 'A', 'alpha')
    >>> values, jacobian = law.evaluate(np.array([[1.7, 1e3, 0.15]]))
    >>> values.round(3).tolist(), jacobian.shape
    ([[3.695, 2.7, 2.201]], (1, 3, 3))
    """

    expression: str = field(kw_only=False)
    name: str = "general"
    extra: tuple[str, ...] = field(default=(), repr=False)
    #: The n numbers of each variable.
    columns: Mapping[str, Floats] = field(default_factory=dict, compare=False, repr=False)

    is_expression = True

    # -- the declaration ---------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in it, in order; a run of letters such as ND counts as each of them where they
        are variables.
        """
        found = _names(self.expression)
        products = [text for text in found if {*text} <= {*LETTERS}]
        return tuple(dict.fromkeys([*found, *"".join(products)]))

    @property
    def requires(self) -> tuple[str, ...]:
        """The columns among params, tokens and compute that the runs must have."""
        named = [LETTERS.get(name, name) for name in self.names]
        return tuple(dict.fromkeys(name for name in named if name in BUDGET))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names in the expression that stand for columns of the runs."""
        known = {"N", "D", "C", *BUDGET, *self.extra}
        return tuple(name for name in self.names if name in known)

    @property
    def code(self) -> Compiled:
        """The law as functions."""
        return compiled(self.expression, self.variables)

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """All names that do not stand for columns."""
        return self.code.coefficients

    @property
    def linear(self) -> NDArray[np.intp]:
        """Places of the coefficients in which the law is linear."""
        return self.code.linear

    def on(self, runs: Any) -> Expression:
        """The law with the columns of these runs as variables; a ValueError where it names none of
        them, or has no coefficients.
        """
        law = replace(self, extra=tuple(map(str, runs.extra)))
        if not law.variables:
            complaint = (
                f"names no column of the runs, which have {', '.join(['N', 'D', 'C', *law.extra])}"
            )
            raise ArgumentError("model", str(self), complaint=complaint)
        if not law.coefficients:
            raise ArgumentError("model", str(self), complaint="has no coefficients")
        return law

    def law(self, coefficients: Mapping[str, float], name: str = "fit", **_: Any) -> Any:
        """The law with its derived envelope, where there is one in closed form."""
        from ..law.custom import law_from_expression

        if {*self.variables} != {"N", "D"}:
            raise ValueError(f"law: {self} is no law in N and D; an envelope needs both")
        return law_from_expression(self.expression, dict(coefficients), name=name)

    def __str__(self) -> str:
        return self.expression

    # -- at runs -----------------------------------------------------------------------------------

    def at(self, rows: Any, held: Held | None = None) -> Expression:
        """The law at rows, which are runs or a mapping of the names of columns to numbers (n,)."""
        known = rows
        if not isinstance(rows, dict):
            known = {name: getattr(rows, name, None) for name in LETTERS.values()}
            known |= getattr(rows, "extra", {})
        given = {
            name: known.get(LETTERS.get(name, name), known.get(name)) for name in self.variables
        }
        if missing := [LETTERS.get(name, name) for name, x in given.items() if x is None]:
            raise ValueError(f"variables: the runs have no column {missing[0]!r}")
        columns = {name: np.asarray(x, dtype=float) for name, x in given.items()}
        return replace(self, columns=columns)

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(next(iter(self.columns.values())))

    def part(self, runs: Any) -> Expression:
        """The law at some of the runs."""
        return replace(self, columns={name: x[runs] for name, x in self.columns.items()})

    def _arguments(self, theta: Floats) -> tuple[Floats, ...]:
        return (*self.columns.values(), *(column[:, None] for column in theta.T))

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Values (K, n) and first derivatives (K, p, n); not finite where the law is not."""
        with np.errstate(all="ignore"):
            found = self.code.first(*self._arguments(theta))
        shape = len(theta), self.size
        values, *first = (np.broadcast_to(x, shape).astype(np.float64) for x in found)
        return values, np.stack(first, axis=1)

    def curvature(self, theta: Floats, jacobian: Floats, factors: Floats) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: (K, p, p)."""
        found = np.zeros((*theta.shape, theta.shape[1]))
        with np.errstate(all="ignore"):
            second = self.code.second(*self._arguments(theta))
            for (i, j), derivative in zip(self.code.pairs, second, strict=True):
                found[:, i, j] = found[:, j, i] = np.sum(factors * derivative, axis=-1)
        return found

    # -- starts ------------------------------------------------------------------------------------

    def starts(
        self, observed: Floats, weights: Floats, box: Box, judge: Any = None, seed: int = 0
    ) -> Floats:
        """Coefficients (K, p) next to minima of the weighted squares, the best first.

        The coefficients in which the law is not linear are drawn from a Latin hypercube over the
        usual sizes: pure numbers, the scale of a variable or of its reciprocal, both signs. The
        others follow by least squares. The draws that fit best move downhill, and their ends are
        the starts. So many draws cover the basins of every objective that `judge` is not used.
        """
        drawn = self._drawn(box)
        count = min(MOST_DRAWS, DRAWS * len(drawn)) if len(drawn) else 1
        theta = np.tile(box.inside(0.0), (count, 1))
        if len(drawn):
            random, ranges = np.random.default_rng(seed), self._ranges()
            cells = [random.permutation(count) for _ in range(2 * len(drawn))]
            points = ((np.stack(cells, axis=1) + random.random((count, len(cells)))) / count).T
            for which, sign, i in zip(points[::2], points[1::2], drawn, strict=True):
                theta[:, i] = _sizes(which, sign, ranges, box.lower[i], box.upper[i])
        scores, rows = np.empty(count), max(1, BLOCK // self.size)
        for first in range(0, count, rows):
            block = slice(first, first + rows)
            theta[block], scores[block] = self.project(theta[block], observed, weights, box)
        kept = np.argsort(scores, kind="stable")[:REFINED]
        kept = kept[np.isfinite(scores[kept])]
        if not kept.size:
            return theta[kept]
        squares = Problem(self, observed, weights, SQUARES, box)
        ends = minimise(squares, theta[kept], enough=ROUGHLY, steps=DOWNHILL)
        theta, scores = ends.theta, ends.value
        with np.errstate(divide="ignore"):
            logs, signs = np.log(np.abs(theta[:, drawn])), np.sign(theta[:, drawn])
        chosen: list[int] = []
        for i in np.argsort(scores, kind="stable"):
            if len(chosen) == STARTS or not np.isfinite(scores[i]):
                break
            same = (np.abs(logs[chosen] - logs[i]) < APART) & (signs[chosen] == signs[i])
            if not chosen or (len(drawn) and not same.all(axis=1).any()):
                chosen.append(int(i))
        return theta[chosen]

    def _drawn(self, box: Box) -> NDArray[np.intp]:
        """Positions of the free coefficients that are drawn, in which the law is not linear."""
        return np.setdiff1d(np.flatnonzero(box.lower < box.upper), self.linear)

    def _ranges(self) -> list[tuple[float, float]]:
        """Ranges of log10 of the size of a coefficient: pure numbers as often as scales."""
        scales = []
        for array in self.columns.values():
            sizes = np.log10(np.abs(array[array != 0.0]))
            if sizes.size:
                low, high = sizes.min() - MARGIN, sizes.max() + MARGIN
                scales += [(low, high), (-high, -low)]
        return [PURE_NUMBERS] * max(1, len(scales)) + scales


def _sizes(
    which: Floats, sign: Floats, ranges: Sequence[tuple[float, float]], low: float, high: float
) -> Floats:
    """Numbers between the bounds: even between two bounds, else by size and sign."""
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * which
    position = which * len(ranges)
    chosen = np.minimum(position.astype(int), len(ranges) - 1)
    lows, highs = np.array(ranges).T
    sizes = 10.0 ** (lows[chosen] + (highs - lows)[chosen] * (position - chosen))
    is_positive = (low >= 0.0) | ((sign < POSITIVE) & (high > 0.0))
    return np.clip(np.where(is_positive, sizes, -sizes), low, high)


# -- reading and compiling -------------------------------------------------------------------------


class Compiled(NamedTuple):
    """A law as functions of its variables and coefficients: itself with its first derivatives, and
    the second derivatives that do not vanish, of these pairs; the coefficients in which it is linear.
    """

    coefficients: tuple[str, ...]
    first: Callable[..., Any]
    second: Callable[..., Any]
    pairs: tuple[tuple[int, int], ...]
    linear: NDArray[np.intp]


@lru_cache(maxsize=64)
def compiled(law: str, variables: tuple[str, ...]) -> Compiled:
    """A law in which every name but the variables is a coefficient, with its exact derivatives."""
    import sympy

    exact = _read(law, variables)
    if unknown := {x.func.__name__ for x in exact.atoms(sympy.Function)} - KNOWN:
        raise ValueError(f"law: no derivatives through {', '.join(sorted(unknown))}")
    found = {symbol.name for symbol in exact.free_symbols} - {*variables}
    names = tuple(dict.fromkeys(name for name in _names(law) if name in found))
    # Dummies print as names of their own, whatever the heading of a column; SymPy would take powers
    # of long numbers exactly.
    real = {name: sympy.Dummy(real=True) for name in (*variables, *names)}
    exact = exact.xreplace({symbol: real[symbol.name] for symbol in exact.free_symbols})
    long = [x for x in exact.atoms(sympy.Rational) if max(abs(x.p), x.q) > LARGEST_EXACT]
    exact = exact.xreplace({x: sympy.Float(x, 17) for x in long})

    def slope(e: Expr, i: int) -> Expr:  # at a kink that beside it
        return e.diff(real[names[i]]).replace(sympy.DiracDelta, lambda *_: sympy.S.Zero).doit()

    places = range(len(names))
    gradient = [slope(exact, i) for i in places]
    second = {(i, j): slope(gradient[i], j) for i in places for j in places[i:]}
    second = {pair: e for pair, e in second.items() if e != 0}
    linear: list[int] = []
    for i in places:
        if not any((j, i) in second for j in [*linear, i]):
            linear.append(i)
    made = [
        sympy.lambdify([*real.values()], formulas, "numpy", cse=True)
        for formulas in ([exact, *gradient], [*second.values()])
    ]
    return Compiled(names, made[0], made[1], tuple(second), np.array(linear, dtype=np.intp))


def _names(text: str) -> list[str]:
    from ...theory.reader.tokens import tokenize

    return [token.text for token in tokenize(text) if token.kind == "name"]


def _read(text: str, variables: tuple[str, ...]) -> Expr:
    """The expression of a text, in which a name of variables alone, such as ND, is their product."""
    import sympy

    from ...theory.reader.building import FUNCTIONS, NamedFunction
    from ...theory.reader.parse import read
    from ...theory.reader.tokens import tokenize

    x, tokens = sympy.Symbol("x", real=True), tokenize(text)
    known: dict[str, Any] = {
        name: NamedFunction((x,), getattr(sympy, of)(x)) for name, of in MORE_FUNCTIONS.items()
    }
    known["pi"] = sympy.pi
    named = {*FUNCTIONS, *known, *variables}
    for name, after in pairwise(tokens):
        is_call = after.text == "(" and after.position == name.position + len(name.text)
        if is_call and name.kind == "name" and name.text not in named:
            hint = f"{name.text}*(...) is a product"
            complaint = f"{name.text}(...): {name.text} is not a function; {hint}"
            raise ArgumentError("model", text, complaint=complaint)
    others = [name for name in _names(text) if name not in named and {*name} - {*variables}]
    known |= {name: sympy.Symbol(name, real=True) for name in (*variables, *others)}
    return read(text, tokens, known)
