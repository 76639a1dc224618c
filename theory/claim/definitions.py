"""The quantities of the law by their definitions, and the values of expressions in them.

It shares the reader of formulas with the proofs, and none of their algebra, closed forms or points:
the names of the law are read as functions without a formula (`by_definition`), and evaluated here
by minimising A N^-beta + B D^-gamma along the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

import mpmath
from sympy import Abs, Expr, Function, Symbol, exp, log, pi
from sympy import E as EULER

from ..budget import Budget
from ..kernel.functions import Partial
from ..reader.building import NamedFunction

LARGEST_EXPONENT_BITS = 200
#: Of Newton's method, first with few figures.
NEWTON_STEPS, FIRST_DIGITS = 2_000, 15
#: The names that are worked out; L and R of one argument are the least ones.
DEFINED = ("N_opt", "D_opt", "L_opt", "R_opt", "alpha", "C0", "w_N", "w_D", "G", "P")
LEAST = {"L": "L_opt", "L_hat": "L_opt", "R": "R_opt"}
LETTERS = ("A", "B", "E", "beta", "gamma", "C", "r")


class NoValue(ValueError):
    """What has no real value at a point, or none that can be told."""


class Unevaluated(Function):
    """A quantity of the law in its letters, or a derivative of it, without a formula."""

    meaning: str
    letters: tuple[Symbol, ...]
    by: tuple[int, ...]

    def fdiff(self, argindex: int = 1) -> Expr:
        return _quantity(self.meaning, self.letters, (*self.by, argindex - 1))(*self.args)

    def _eval_is_positive(self) -> bool | None:
        return None if self.by else True

    def _eval_is_extended_real(self) -> bool:
        return True


@cache
def _quantity(meaning: str, letters: tuple[Symbol, ...], by: tuple[int, ...] = ()) -> Any:
    name = "_".join([meaning, *(str(letters[i]) for i in by)])
    kind: Any = type(Unevaluated)
    return kind(name, (Unevaluated,), {"meaning": meaning, "letters": letters, "by": by})


def without_formula(meaning: str, body: Expr) -> Expr:
    """The quantity in place of the closed form that it is said to have."""
    letters = tuple(sorted(body.free_symbols, key=str))
    return _quantity(meaning, letters)(*letters)


def by_definition(
    names: Mapping[str, Any], spelt: Mapping[str, str]
) -> dict[str, Expr | NamedFunction]:
    """The names with no closed form among their meanings; `spelt` maps canonical names to those of
    the notation.
    """
    canonical = {own: name for name, own in spelt.items()}

    def meant(own: str, value: Expr | NamedFunction) -> Expr | NamedFunction:
        name = canonical.get(own, own)
        if isinstance(value, Symbol):
            return value
        if name in LEAST and isinstance(value, NamedFunction) and value.other is not None:
            least = without_formula(LEAST[name], value.other.body)
            return replace(value, other=replace(value.other, body=least))
        if name not in DEFINED:
            return value
        if isinstance(value, NamedFunction):
            return replace(value, body=without_formula(name, value.body))
        return without_formula(name, value)

    return {own: meant(own, value) for own, value in names.items()}


Point = dict[Symbol, Any]


@dataclass
class LawByDefinition:
    """The two-term law under a budget; `letters` are its own by their canonical names."""

    letters: Mapping[str, Symbol]
    budget: Budget
    digits: int
    found: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mp = mpmath.mp.clone()
        self.mp.dps = self.digits
        self.step = self.mp.mpf(10) ** (-(self.digits // 6))

    # -- the definitions ---------------------------------------------------------------------------

    def constants(self, point: Point) -> tuple[Any, ...]:
        """A, B, beta, gamma, kappa, a and d."""
        of_budget = (self.budget.coefficient, *(power for _, power in self.budget.powers))
        of_law = (point[self.letters[name]] for name in ("A", "B", "beta", "gamma"))
        return (*of_law, *(self.value(e, point)[0] for e in of_budget))

    def optimum(self, constants: tuple[Any, ...], compute: Any) -> tuple[Any, Any]:
        """N and D on the budget where the loss is least: Newton's method in ln N."""
        key = (constants, compute)
        if key not in self.found:
            with self.mp.workdps(FIRST_DIGITS):
                start = self._least(constants, compute, self.mp.zero)
            size = self.mp.exp(self._least(constants, compute, start))
            self.found[key] = size, self.remaining(constants, compute, size)
        return self.found[key]

    def _least(self, constants: tuple[Any, ...], compute: Any, x: Any) -> Any:
        """Where A e^(-beta x) + B D^(-gamma) is least, with ln D = (ln(C/kappa) - a x)/d."""
        A, B, beta, gamma, kappa, a, d = constants
        mp, falls, rises = self.mp, beta, gamma * a / d
        log_params, log_tokens = mp.log(A), mp.log(B) - gamma * mp.log(compute / kappa) / d
        for _ in range(NEWTON_STEPS):
            first, second = mp.exp(log_params - falls * x), mp.exp(log_tokens + rises * x)
            slope, bend = rises * second - falls * first, rises**2 * second + falls**2 * first
            x -= slope / bend
            if abs(slope / bend) <= mp.eps * 1024 * (1 + abs(x)):
                return x
        raise NoValue("the optimum is not found")

    def remaining(self, constants: tuple[Any, ...], compute: Any, size: Any) -> Any:
        """The tokens that the budget leaves to a model of some size."""
        *_, kappa, a, d = constants
        return (compute / (kappa * size**a)) ** (1 / d)

    def reducible(self, constants: tuple[Any, ...], size: Any, tokens: Any) -> Any:
        A, B, beta, gamma, *_ = constants
        return A * size**-beta + B * tokens**-gamma

    def quantity(self, meaning: str, point: Point) -> Any:
        """What the quantity is by definition."""
        known = self.constants(point)
        A, B, beta, gamma, kappa, a, d = known
        compute, ratio = point[self.letters["C"]], point[self.letters["r"]]
        size, tokens = self.optimum(known, compute)
        least = self.reducible(known, size, tokens)
        params = ratio * size
        of_run = self.remaining(known, compute, params)
        match meaning:
            case "N_opt" | "D_opt":
                return size if meaning == "N_opt" else tokens
            case "R_opt" | "L_opt":
                return least + (point[self.letters["E"]] if meaning == "L_opt" else 0)
            case "alpha":
                more, less = (compute * self.mp.exp(h) for h in (self.step, -self.step))
                losses = [self.reducible(known, *self.optimum(known, c)) for c in (more, less)]
                return -self.mp.log(losses[0] / losses[1]) / (2 * self.step)
            case "C0":
                return self.reducible(known, *self.optimum(known, self.mp.one))
            case "G":
                return self.optimum(known, kappa)[0]
            case "w_N" | "w_D":
                term = A * size**-beta if meaning == "w_N" else B * tokens**-gamma
                return term / least
            case "P":
                return self.reducible(known, params, of_run) / least
            case "N of the run" | "D of the run":
                return params if meaning[0] == "N" else of_run
            case "rho of the run":
                return (of_run / params) / (tokens / size)
            case "C_eff of the run":
                return self._effective(known, self.reducible(known, params, of_run), compute)
            case "N_crit of the run":
                return (A / least) ** (1 / beta)
            case "D_crit of the run":
                return (B / least) ** (1 / gamma)
            case "k_D of the run" | "Delta_C of the run":
                left = least - A * params**-beta
                if left <= 0:
                    raise NoValue("the least loss is out of reach")
                needed = (B / left) ** (1 / gamma)
                return (
                    needed / tokens
                    if meaning[0] == "k"
                    else kappa * params**a * needed**d - compute
                )
        raise NoValue(f"{meaning} has no definition here")

    def _effective(self, known: tuple[Any, ...], loss: Any, compute: Any) -> Any:
        """The compute whose least reducible loss this is: the secant method in logarithms."""

        def excess(x: Any) -> Any:
            return self.mp.log(self.reducible(known, *self.optimum(known, self.mp.exp(x))) / loss)

        start = self.mp.log(compute)
        return self.mp.exp(self.mp.findroot(excess, (start, start - 1)))

    # -- values ------------------------------------------------------------------------------------

    def value(self, e: Expr, point: Point) -> tuple[Any, Any]:
        """The value of an expression, and the size of the terms that it is what is left of."""
        mp = self.mp
        if e.is_Symbol:
            return point[e], abs(point[e])
        if e.is_Rational:
            number = mp.mpf(int(e.p)) / int(e.q)
            return number, abs(number)
        if e in (EULER, pi):
            return (mp.e, mp.e) if e == EULER else (mp.pi, mp.pi)
        if isinstance(e, Partial):
            return self.value(e.doit(), point)
        if hasattr(e, "definition"):
            return self.value(e.definition(), point)
        values = [self.value(argument, point) for argument in e.args]
        if isinstance(e, Unevaluated):
            return self._of_the_law(type(e), [value for value, _ in values], point)
        if e.is_Add:
            return mp.fsum(v for v, _ in values), mp.fsum(size for _, size in values)
        if e.is_Mul:
            return mp.fprod(v for v, _ in values), mp.fprod(size for _, size in values)
        if isinstance(e, exp) or e.is_Pow:
            return self._power(*((mp.e, mp.e), *values)[-2:])
        (value, size), *_ = values
        if isinstance(e, log):
            if value <= 0:
                raise NoValue("a logarithm")
            return mp.log(value), abs(mp.log(value)) + size / value
        if isinstance(e, Abs):
            return abs(value), size
        raise NoValue(f"{type(e).__name__} is not evaluated")

    def _power(self, base: tuple[Any, Any], exponent: tuple[Any, Any]) -> tuple[Any, Any]:
        (b, of_base), (p, of_exponent) = base, exponent
        whole = self.mp.isint(p)
        if (b < 0 and not whole) or (b == 0 and p <= 0):
            raise NoValue("a power")
        if b == 0:
            return b, of_base**p
        bits = p * self.mp.log(abs(b))
        if self.mp.mag(bits) > LARGEST_EXPONENT_BITS:
            raise NoValue("a tower of powers")
        value = b ** int(p) if whole and abs(p) < 1000 else b**p
        return value, abs(value) * (
            1 + of_exponent * abs(self.mp.log(abs(b))) + abs(p) * of_base / abs(b)
        )

    def _of_the_law(self, kind: Any, given: Sequence[Any], point: Point) -> tuple[Any, Any]:
        """The quantity at these values of its letters; a derivative from values beside them."""
        if any(value <= 0 for value in given):
            raise NoValue(f"{kind.meaning} is of what is positive")
        if not kind.by:
            value = self.quantity(
                kind.meaning, {**point, **dict(zip(kind.letters, given, strict=True))}
            )
            return value, abs(value)
        *by, last = kind.by
        below = _quantity(kind.meaning, kind.letters, tuple(by))
        beside = (
            [x * self.mp.exp(h) if i == last else x for i, x in enumerate(given)]
            for h in (self.step, -self.step)
        )
        (more, size), (less, _) = (self._of_the_law(below, values, point) for values in beside)
        return (more - less) / (2 * self.step * given[last]), size / given[last]

    def near(self, *expressions: Expr) -> Any:
        """The share of the size of its terms below which a value cannot be told from 0."""
        figures = self.digits // 4 if any(map(_by_differences, expressions)) else self.digits - 40
        return self.mp.mpf(10) ** -figures


@lru_cache(maxsize=1000)
def _by_differences(e: Expr) -> bool:
    """Whether a quantity in the expression is evaluated from values beside each other."""
    return any(q.by or q.meaning == "alpha" for q in e.atoms(Unevaluated))
