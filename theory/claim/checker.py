"""The independent check of a claim before it is called proved: its two sides as they were read are
evaluated at random points. A proof that fails at a point is a mistake of the package.

The check shares the reader of formulas with the proofs, and none of their algebra, closed forms or
points: `N_opt(C)` is found by minimising A N^-beta + B D^-gamma along the budget, a derivative from
two values near by, a limit at shrinking distances.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import mpmath
from sympy import Abs, Expr, Rational, Subs, Symbol, exp, log, oo, pi
from sympy import E as EULER
from sympy.core.function import AppliedUndef

from ..budget import Budget
from ..kernel.functions import Partial
from ..reader.building import Domain

#: Digits of a value, and steps of Newton's method.
DIGITS, NEWTON_STEPS = 200, 100
#: Digits to which equal sides agree; fewer where a value is a difference of values near by.
SAME, ROUGHLY_SAME = 120, 45
LARGEST_EXPONENT_BITS = 200
#: The number of points for an equality, for a bound, which may fail in a small region, and for a limit;
#: and the number of draws.
POINTS, OF_BOUNDS, FEWEST, TRIES = 16, 48, 4, 400
#: The powers of e up to which letters are drawn around 1, one draw after the other.
SPREADS = (1, 1, 2, 2, 1, 1, 4, 4) * 8 + (12, 12, 40, 40)
#: Powers of ten on the way to a limit, and the share of the error that may remain at the last.
STEPS, LEFT = (20, 40), Rational(9, 10)
#: The signs that lhs - rhs may have at a point. Far from 1 a strict bound may be equal to all digits.
AGREES = {
    **dict.fromkeys(("==", "approx", "propto"), (0,)),
    **{"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0), "!=": (-1, 1)},
}
ORDERS, STRICT, NEAR = ("<", "<=", ">", ">="), ("<", ">", "!="), 2
#: The letters of the law by their canonical names, and the quantities that are differences.
LETTERS, BY_DIFFERENCES = ("A", "B", "E", "beta", "gamma", "C", "r"), {"alpha", "C_opt"}
NO_VALUE = (ValueError, OverflowError, ZeroDivisionError)
Point = dict[Symbol, Any]


@dataclass
class LawByDefinition:
    """The two-term law under a budget, from its definitions: its letters by their canonical names, and the
    canonical name of each quantity.
    """

    letters: Mapping[str, Symbol]
    quantities: Mapping[str, str]
    budget: Budget
    found: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mp = mpmath.mp.clone()
        self.mp.dps = DIGITS
        self.step = self.mp.mpf(10) ** (-(DIGITS // 6))

    def nearness(self, *expressions: Expr) -> Any:
        """The relative difference up to which values of these expressions count as equal."""
        used = set[Expr]().union(*(e.atoms(Symbol, AppliedUndef, Partial) for e in expressions))
        names = {self.quantities.get(getattr(e, "name", "")) for e in used}
        is_rough = any(isinstance(e, Partial) for e in used) or names & BY_DIFFERENCES
        return self.mp.mpf(10) ** -(ROUGHLY_SAME if is_rough else SAME)

    # -- the law -----------------------------------------------------------------------------------

    def quantity(self, name: str, given: Collection[Any], point: Point) -> Any:
        """The value of a quantity by its definition, at its arguments if it has any."""
        if any(value <= 0 for value in given):
            raise ValueError(f"{name} has positive arguments")
        A, B, E, beta, gamma, C = (point[self.letters[x]] for x in LETTERS[:6])
        of_budget = (self.budget.coefficient, *(power for _, power in self.budget.powers))
        kappa, a, d = (self.value(e, point) for e in of_budget)
        law = (A, B, beta, gamma, kappa, a, d)

        def reducible(N: Any, D: Any) -> Any:
            return A * N**-beta + B * D**-gamma

        def least(compute: Any) -> Any:
            return reducible(*self.optimum(law, compute))

        floor = E if name[0] == "L" else 0
        match name, *given:
            case "T_N" | "T_D", x:
                return A * x**-beta if name == "T_N" else B * x**-gamma
            case "L" | "L_hat" | "R", N, D:
                return floor + reducible(N, D)
            case "L" | "L_hat" | "R" | "L_opt" | "R_opt", compute:
                return floor + least(compute)
            case "N_opt" | "D_opt", compute:
                return self.optimum(law, compute)[name == "D_opt"]
            case ("G",):
                return self.optimum(law, kappa)[0]
            case ("C0",):
                return least(self.mp.one)
            case ("alpha",):
                more, less = (least(C * self.mp.exp(h)) for h in (self.step, -self.step))
                return -self.mp.log(more / less) / (2 * self.step)
            case "C_opt", loss:
                return (least(self.mp.one) / (loss - E)) ** (1 / self.quantity("alpha", (), point))
            case ("w_N" | "w_D",):
                N, D = self.optimum(law, C)
                return (A * N**-beta if name == "w_N" else B * D**-gamma) / reducible(N, D)
            case "P", ratio:
                return reducible(*self.run(ratio, point)) / least(C)
        raise ValueError(f"{name} has no definition here")

    def run(self, ratio: Any, point: Point) -> tuple[Any, Any]:
        """N and D of the run whose params are `ratio` times the optimum at the same compute."""
        params = self.budget.variables[0]
        N = ratio * self.quantity("N_opt", (point[self.letters["C"]],), point)
        return N, self.value(self.budget.remaining(params), {**point, params: N})

    def optimum(self, law: tuple[Any, ...], compute: Any) -> tuple[Any, Any]:
        """N and D of the least loss on the budget, by Newton's method in ln N."""
        *_, kappa, a, d = law
        key = (law, compute)
        if key not in self.found:
            size = self.mp.exp(self._least(law, compute))
            self.found[key] = size, (compute / (kappa * size**a)) ** (1 / d)
        return self.found[key]

    def _least(self, law: tuple[Any, ...], compute: Any) -> Any:
        """The minimum of A e^(-beta x) + B D^(-gamma) in x, with ln D = (ln(C/kappa) - a x)/d, from where
        the slopes of the two terms have the same size.
        """
        A, B, beta, gamma, kappa, a, d = law
        mp, falls, rises = self.mp, beta, gamma * a / d
        log_params, log_tokens = mp.log(A), mp.log(B) - gamma * mp.log(compute / kappa) / d
        x = (log_params - log_tokens + mp.log(falls / rises)) / (falls + rises)
        for _ in range(NEWTON_STEPS):
            first, second = mp.exp(log_params - falls * x), mp.exp(log_tokens + rises * x)
            slope, bend = rises * second - falls * first, rises**2 * second + falls**2 * first
            x -= slope / bend
            if abs(slope / bend) <= mp.eps * 1024 * (1 + abs(x)):
                return x
        raise ValueError("the optimum is not found")

    # -- expressions -------------------------------------------------------------------------------

    def value(self, e: Expr, point: Point) -> Any:
        """The value of an expression; ValueError where it has none, or it is too large."""
        mp = self.mp
        if e.is_Symbol:
            known = self.quantities.get(e.name)
            return point[e] if known is None else self.quantity(known, (), point)
        if e.is_Rational:
            return mp.mpf(int(e.p)) / int(e.q)
        if e in (EULER, pi):
            return mp.e * 1 if e == EULER else mp.pi * 1
        if isinstance(e, Partial):
            return self._slope(e.args[0], e.args[1], point)
        if isinstance(e, Subs):
            of, letters, places = e.args
            there = zip(letters, (self.value(place, point) for place in places), strict=True)
            return self.value(of, {**point, **dict(there)})
        values = [self.value(argument, point) for argument in e.args]
        if isinstance(e, AppliedUndef):
            return self.quantity(self.quantities[e.func.__name__], values, point)
        if e.is_Add:
            return mp.fsum(values)
        if e.is_Mul:
            return mp.fprod(values)
        if isinstance(e, exp) or e.is_Pow:
            return self._power(*(mp.e * 1, *values)[-2:])
        if isinstance(e, log) and values[0] > 0:
            return mp.log(values[0])
        if isinstance(e, Abs):
            return abs(values[0])
        raise ValueError(f"{e} has no value")

    def _slope(self, of: Expr, variable: Expr, point: Point) -> Any:
        """The derivative by a letter, or by its logarithm, from two values near by."""
        letter = variable.args[0] if isinstance(variable, log) else variable
        x, h = point[letter], self.step
        more, less = (self.value(of, {**point, letter: x * self.mp.exp(step)}) for step in (h, -h))
        return (more - less) / (2 * h * (1 if isinstance(variable, log) else x))

    def _power(self, base: Any, exponent: Any) -> Any:
        whole = self.mp.isint(exponent)
        if (base < 0 and not whole) or (base == 0 and exponent <= 0):
            raise ValueError("a power has no value")
        if base and self.mp.mag(exponent * self.mp.log(abs(base))) > LARGEST_EXPONENT_BITS:
            raise ValueError("a tower of powers")
        return base ** int(exponent) if whole and abs(exponent) < 1000 else base**exponent


# -- points and relations --------------------------------------------------------------------------


@dataclass
class Trial:
    """A claim as it was read, without closed forms, tried at points of its domain. Letters that are
    `replaced` have the values that are assumed to equal them; N, D, rho and s, if they belong to a
    `run`, have those that C and r determine; the `moving` letters move in a proportion.
    """

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    replaced: Mapping[Symbol, Expr]
    run: tuple[Symbol, ...]
    limit: tuple[Symbol, str] | None
    moving: tuple[Symbol, ...]
    law: LawByDefinition
    seed: int = 0

    def outcome(self) -> tuple[str, str | None]:
        """The number of points at which the claim was tried, or why at none, and a point at which it fails
        (None where it fails at none).
        """
        most, tried = POINTS if self.relation in AGREES else FEWEST, 0
        most = OF_BOUNDS if self.relation in ORDERS else most
        self.random, self.own = Random(self.seed), self._letters()
        self.near = self.law.nearness(self.lhs, self.rhs)
        for spread, point in self._points():
            try:
                agrees = self._agrees(point, is_near=spread <= NEAR)
            except NO_VALUE:
                continue
            tried += 1
            if not agrees:
                shown = (f"{x} = {mpmath.nstr(point[x], 8)}" for x in self.own)
                return f"checked at {tried} points", ", ".join(shown)
            if tried == most:
                break
        few = "not checked: too few points are found"
        return few if tried < FEWEST else f"checked at {tried} points", None

    def _letters(self) -> list[Symbol]:
        """The letters of the claim that are drawn."""
        of_run = {self.law.letters["C"], self.law.letters["r"]} if self.run else set()
        known = [self.lhs, self.rhs, *self.replaced.values()]
        known += [e for group in self.domain.groups for e in group]
        own = {*self.moving, *(self.limit or ())[:1], *of_run}.union(
            *(e.free_symbols for e in known)
        )
        found = {*self.run, *self.replaced} - of_run
        return sorted((x for x in own - found if x.name not in self.law.quantities), key=str)

    def _points(self) -> Iterator[tuple[int, Point]]:
        """Points at which the assumptions hold, each with its spread; at every second one an expression
        that may be 0 is 0.
        """
        edges = [*self.domain.nonnegative, *(x for x in self.own if x.is_zero is None)]
        of_law = {*self.law.letters.values(), *self.law.budget.compute().free_symbols}
        letters = sorted({*self.own, *of_law}, key=str)
        for i in range(TRIES):
            spread = SPREADS[i % len(SPREADS)]
            point = {x: self._drawn(x, spread) for x in letters}
            try:
                point = self._completed(point)
                if edges and i % 2:
                    point = self._on_edge(edges[i // 2 % len(edges)], point)
                if self._holds(point):
                    yield spread, point
            except NO_VALUE:
                continue

    def _on_edge(self, edge: Expr, point: Point) -> Point:
        """The point with one letter changed so that the expression is 0, by the secant method."""
        tends = set() if self.limit is None else {self.limit[0]}
        free = sorted((edge.free_symbols - tends) & {*self.own}, key=str)
        if not free:
            return point
        letter = self.random.choice(free)

        def value(x: Any) -> Any:
            return self.law.value(edge, self._completed({**point, letter: x}))

        start = point[letter]
        root = 0 * start if edge == letter else self.law.mp.findroot(value, (start, start * 9 / 8))
        if (letter.is_positive and root <= 0) or (letter.is_nonnegative and root < 0):
            raise ValueError("the root has a sign that the letter may not have")
        return self._completed({**point, letter: root})

    def _drawn(self, letter: Symbol, spread: int) -> Any:
        """A random value with a sign that the letter may have."""
        mp, most = self.law.mp, 1000 * spread
        no = {1: letter.is_nonpositive, -1: letter.is_nonnegative}
        signs = [sign for sign in no if not no[sign]] or [0]
        size = mp.exp(mp.mpf(self.random.randint(-most, most)) / 1000)
        return size * self.random.choice(signs)

    def _completed(self, point: Point) -> Point:
        """The point with the values of the letters that others determine, those of the law first."""
        found, letters = dict(point), self.law.letters
        of_run = {*self.run, letters["C"], letters["r"]} if self.run else set()
        order = sorted(self.replaced.keys() - of_run, key=lambda x: x not in letters.values())
        for letter in order:
            found[letter] = self.law.value(self.replaced[letter], found)
        if self.run:
            (N, D, rho, s), ratio = self.run, point[letters["r"]]
            best, size = (self.law.run(x, found) for x in (self.law.mp.one, ratio))
            found |= dict(zip((N, D), size, strict=True))
            found |= {rho: size[1] / size[0] / (best[1] / best[0]), s: self.law.mp.log(ratio)}
        return found

    def _holds(self, point: Point) -> bool:
        """Whether the assumptions hold at a point, to the digits that agree."""
        values = ((c, self.law.value(c.expression, point)) for c in self.domain.conditions)
        return all(self._sign(value, 1) in AGREES[c.relation] for c, value in values)

    def _sign(self, difference: Any, size: Any) -> int:
        """The sign of a difference of values of this size: 0 where they agree to the digits."""
        is_zero = abs(difference) <= self.near * max(size, 1)
        return 0 if is_zero else 1 if difference > 0 else -1

    def _agrees(self, point: Point, *, is_near: bool) -> bool:
        """Whether the claim holds at a point."""
        if self.relation == "propto":
            return self._is_proportional(point)
        if self.relation in AGREES:
            left, right = (self.law.value(e, point) for e in (self.lhs, self.rhs))
            sign = self._sign(left - right, max(abs(left), abs(right)))
            is_far_equality = sign == 0 and self.relation in STRICT and not is_near
            return is_far_equality or sign in AGREES[self.relation]
        assert self.limit is not None
        x, end = self.limit
        ten, at = self.law.mp.mpf(10), 0 if end == "oo" else self.law.value(Rational(end), {})
        if end == "oo":
            ways = [[ten**step for step in STEPS]]
        else:
            signs = (sign for sign in (1, -1) if at or not (sign * x).is_nonpositive)
            ways = [[at + sign * ten**-step for step in STEPS] for sign in signs]
        return all(self._falls(point, *places) for places in ways)

    def _falls(self, point: Point, *places: Any) -> bool:
        """Whether the error falls from one place of the letter to the next, nearer to the limit; the error
        of an infinite limit is the inverse of the value.
        """
        assert self.limit is not None
        errors = []
        for place in places:
            at = self._completed({**point, self.limit[0]: place})
            left, end = self.law.value(self.lhs, at), self.rhs
            if end in (oo, -oo):
                if (left < 0) == (end == oo):
                    return False
                errors.append(1 / abs(left))
                continue
            right = self.law.value(self.rhs, at)
            errors.append(abs(left - right) / (abs(right) if self.relation == "~" else 1))
        before, last = errors
        return self._sign(last, 0) == 0 or bool(last * LEFT.q < before * LEFT.p)

    def _is_proportional(self, point: Point) -> bool:
        """Whether the quotient is the same at other values of the letters that move."""
        for spread in SPREADS:
            moved = {x: self._drawn(x, spread) for x in self.moving}
            other = self._completed({**point, **moved})
            if self._holds(other):
                left, right, there, under = (
                    self.law.value(e, at) for at in (point, other) for e in (self.lhs, self.rhs)
                )
                one, two = left * under, right * there
                return self._sign(one - two, max(abs(one), abs(two))) == 0
        raise ValueError("nothing moves")
