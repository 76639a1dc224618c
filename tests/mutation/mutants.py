"""Mutants of claims: small changes that mostly make a claim false, to see whether each path alone
objects.

Whether a mutant is false is found by a route that no path shares: decimal arithmetic to 100 digits
at points from another generator, for a bound followed downhill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    Underflow,
)
from functools import reduce
from itertools import chain, combinations, islice
from random import Random
from typing import Any

from pandas import DataFrame
from sympy import Abs, Add, E, Expr, Mul, Pow, Rational, Symbol, exp, log, nan, oo, zoo
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from isoflop.theory.kernel.answer import STRICT
from isoflop.theory.kernel.functions import defined
from isoflop.theory.kernel.points import PointCheck, check_at_points, enclose_bound
from isoflop.theory.theorem.claim import Cited, Claim, Derivation, Numerically, UnderLemma
from isoflop.theory.verification import load, spelled

FALSE, TRUE, UNDEFINED = "false", "true", "undefined"
EXACT, POINTS, INTERVALS = PATHS = ("exact", "points", "intervals")

DIGITS, MOST_DIGITS, SEARCH_DIGITS = 100, 400, 40
#: Two values agree where they differ by less than this share, or by less than this in all.
SHARE, SMALLEST = Decimal("1e-60"), Decimal("1e-200")
POINTS_TO_AGREE, POINTS_IN_A_LIMIT, LARGEST_DRAW = 24, 12, 600
DRAWS_BEFORE_WIDENING, FIRST_SIZE, SIZE_FACTOR, LARGEST_SIZE = 60, 30, 12, 10**8
#: A bound is followed downhill from so many of its points, so often.
DESCENTS, ROUNDS = 2, 4
STRIDES = tuple(Rational(*pair) for pair in ((1, 16), (1, 3), (9, 10), (10, 9), (3, 1), (16, 1)))
#: The variable of a limit is taken to 10 to these powers, or to minus these.
DECADES = (60, 600, 6_000)
NEAR = Decimal("1e-3")
SHOWN_DIGITS = 15

Place = tuple[int, ...]
Point = dict[Symbol, Rational]


class NoValue(ValueError):
    """The expression has no real value at the point."""


# -- places in an expression --------------------------------------------------------------------------------------


def places(expression: Expr) -> Iterator[tuple[Place, Expr]]:
    """Every part of the expression with the way that leads to it."""
    yield (), expression
    for index, part in enumerate(expression.args):
        for place, inner in places(part):
            yield (index, *place), inner


def replaced(expression: Expr, place: Place, part: Expr) -> Expr:
    """The expression with another part at one place."""
    if not place:
        return part
    first, *rest = place
    parts = list(expression.args)
    parts[first] = replaced(parts[first], tuple(rest), part)
    return expression.func(*parts)


def _shuffled(items: Iterable[Any], generator: Random) -> list[Any]:
    found = list(items)
    generator.shuffle(found)
    return found


# -- kinds of mutants ---------------------------------------------------------------------------------------------
# Each maps one side to changed sides, in random order; `others` are the symbols of the claim.


def swap_symbols(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """Two symbols change places."""
    pairs = combinations(sorted(side.free_symbols, key=str), 2)
    for first, second in _shuffled(pairs, generator):
        yield side.xreplace({first: second, second: first})


def flip_exponent(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """An exponent changes its sign."""
    for place, part in _shuffled(places(side), generator):
        if isinstance(part, Pow):
            yield replaced(side, place, part.base**-part.exp)
        elif isinstance(part, exp):
            yield replaced(side, place, exp(-part.args[0]))


def drop_factor(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """A factor of a product is left out."""
    products = [(place, part) for place, part in places(side) if isinstance(part, Mul)]
    for place, part in _shuffled(products, generator):
        kept = list(part.args)
        kept.pop(generator.randrange(len(kept)))
        yield replaced(side, place, Mul(*kept))


def add_factor(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """A term, or the whole side, has one factor too many."""
    for symbol in _shuffled(others, generator):
        terms = list(Add.make_args(side))
        index = generator.randrange(len(terms))
        yield Add(*terms[:index], symbol * terms[index], *terms[index + 1 :])


def off_by_one(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """A number or an exponent is one too large or too small."""
    numbers = [(place, part) for place, part in places(side) if part.is_Rational]
    exponents = [
        ((*place, 1), part.exp)
        for place, part in places(side)
        if isinstance(part, Pow) and not part.exp.is_Rational
    ]
    for place, part in _shuffled(numbers + exponents, generator):
        yield replaced(side, place, part + generator.choice((1, -1)))


def scale_term(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """A term of a sum, or the whole side, is doubled."""
    sums = [(place, part) for place, part in places(side) if isinstance(part, Add)]
    for place, part in _shuffled(sums, generator):
        terms = list(part.args)
        index = generator.randrange(len(terms))
        terms[index] *= 2
        yield replaced(side, place, Add(*terms))
    yield 2 * side


KINDS: dict[str, Callable[[Expr, Sequence[Symbol], Random], Iterator[Expr]]] = {
    "symbols swapped": swap_symbols,
    "exponent's sign": flip_exponent,
    "factor dropped": drop_factor,
    "factor added": add_factor,
    "off by one": off_by_one,
    "term doubled": scale_term,
}
DIRECTION = "direction"
OPPOSITE = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}


@dataclass(frozen=True)
class Mutant:
    """A changed claim: which step it comes from and how it was changed."""

    derivation: str
    step: str
    kind: str
    claim: Claim


def mutants(
    derivation: Derivation, *, seed: int = 0, per_claim: int | None = None
) -> Iterator[Mutant]:
    """One mutant of each kind for every step, where the kind applies; at most `per_claim`, drawn at
    random.

    A step is changed with its names written out, so that every path reads the same two sides.
    """
    for step in derivation.steps:
        generator = Random(f"{seed} {derivation.name} {step.name}")
        found = list(_of_claim(replace(step.unfolded, through=()), generator))
        if per_claim is not None and per_claim < len(found):
            found = generator.sample(found, per_claim)
        for kind, claim in found:
            yield Mutant(derivation.name, step.name, kind, claim)


def _of_claim(claim: Claim, generator: Random) -> Iterator[tuple[str, Claim]]:
    seen = {(claim.lhs, claim.relation, claim.rhs)}
    others = sorted(claim.symbols, key=str)
    if claim.relation in OPPOSITE:
        yield DIRECTION, replace(claim, relation=OPPOSITE[claim.relation])
    for kind, change in KINDS.items():
        for name in generator.sample(("lhs", "rhs"), 2):
            side = getattr(claim, name)
            fitting = (
                new
                for new in change(side, others, generator)
                if new != side and not new.has(nan, oo, zoo, -oo)
            )
            changed = next((replace(claim, **{name: new}) for new in fitting), None)
            if changed is not None and (changed.lhs, changed.relation, changed.rhs) not in seen:
                seen.add((changed.lhs, changed.relation, changed.rhs))
                yield kind, changed
                break


# -- the truth about a mutant -------------------------------------------------------------------------------------


class DecimalEvaluator:
    """Values of expressions in decimal arithmetic, of so many digits and of practically unlimited
    range.
    """

    def __init__(self, digits: int) -> None:
        self.context = Context(
            digits,
            Emin=MIN_EMIN,
            Emax=MAX_EMAX,
            traps=[InvalidOperation, DivisionByZero, Overflow, Underflow],
        )

    def evaluate(self, expression: Expr, point: Point) -> Decimal:
        """The value at the point.

        Raises
        ------
        NoValue
            Where it is not a real number.
        """
        try:
            return self._evaluate(expression, point, {})
        except ArithmeticError as error:
            raise NoValue(type(error).__name__) from None

    def _evaluate(self, e: Expr, point: Point, known: dict[Expr, Decimal]) -> Decimal:
        if e not in known:
            found = self._compute(e, point, known)
            if not found.is_finite():  # 0 to a negative power signals nothing
                raise NoValue("a value is infinite")
            known[e] = found
        return known[e]

    def _compute(self, e: Expr, point: Point, known: dict[Expr, Decimal]) -> Decimal:
        context = self.context
        number = point[e] if e.is_Symbol else e
        if number.is_Rational:
            return context.divide(Decimal(int(number.p)), Decimal(int(number.q)))
        if e is E:
            return context.exp(Decimal(1))
        parts = [self._evaluate(part, point, known) for part in e.args]
        if e.is_Add:
            return reduce(context.add, parts)
        if e.is_Mul:
            return reduce(context.multiply, parts)
        if e.is_Pow:
            if parts[0] < 0 and not e.exp.is_Integer:
                raise NoValue("a power of a negative number")
            return context.power(*parts)
        if isinstance(e, exp):
            return context.exp(parts[0])
        if isinstance(e, log):
            return context.ln(parts[0])
        if isinstance(e, Abs):
            return parts[0].copy_abs()
        if isinstance(e, HyperbolicFunction):
            return self._evaluate(e.rewrite(exp), point, known)
        raise NoValue(f"{e.func.__name__} has no decimal evaluation")


def fresh_points(symbols: Iterable[Symbol], seed: str) -> Iterator[Point]:
    """Points of quotients of random integers, in ever wider ranges; every symbol has a sign that it
    may have.
    """
    ordered = sorted(symbols, key=lambda symbol: symbol.name)
    generator = Random(seed)
    for index in range(LARGEST_DRAW):
        size = min(FIRST_SIZE * SIZE_FACTOR ** (index // DRAWS_BEFORE_WIDENING), LARGEST_SIZE)
        signs = [
            -1 if s.is_negative or (s.is_positive is None and generator.getrandbits(1)) else 1
            for s in ordered
        ]
        yield {
            s: sign * Rational(generator.randint(1, size), generator.randint(1, size))
            for s, sign in zip(ordered, signs, strict=True)
        }


@dataclass(frozen=True)
class Truth:
    """Whether a claim is true, and the evidence: a witness, or how it was found to hold."""

    answer: str
    evidence: str


@dataclass(frozen=True)
class Values:
    """Both sides at a point, and how far the claim is from failing there, as a share of the sides;
    below 0 it fails.
    """

    point: Point
    lhs: Decimal
    rhs: Decimal
    slack: Decimal

    def __str__(self) -> str:
        left, right = (format(side, f".{SHOWN_DIGITS}g") for side in (self.lhs, self.rhs))
        return f"{_at(self.point)}: lhs = {left}, rhs = {right}"


class _Sides:
    """A claim's sides without safe-form functions, and where it is stated."""

    def __init__(self, claim: Claim) -> None:
        self.relation = claim.relation
        self.lhs, self.rhs = defined(claim.lhs), defined(claim.rhs)
        self.assume = tuple(map(defined, claim.assume))
        self.symbols = claim.symbols.union(*(a.free_symbols for a in claim.assume))
        self.coarse, self.evaluator, self.finer = map(
            DecimalEvaluator, (SEARCH_DIGITS, DIGITS, MOST_DIGITS)
        )

    def at(self, point: Point, evaluator: DecimalEvaluator) -> tuple[Decimal, Decimal]:
        if any(evaluator.evaluate(a, point) <= 0 for a in self.assume):
            raise NoValue("an assumption does not hold")
        return evaluator.evaluate(self.lhs, point), evaluator.evaluate(self.rhs, point)

    def values(self, point: Point, evaluator: DecimalEvaluator) -> Values:
        """A failure is seen again with many more digits, lest it be rounding."""
        left, right = self.at(point, evaluator)
        slack = self._slack(left, right)
        if slack < 0:
            left, right = self.at(point, self.finer)
            slack = self._slack(left, right)
        elif 0 in (left, right) and slack > 0:
            slack = evaluator.context.divide(
                evaluator.context.subtract(left, right).copy_abs(), self._size(point, evaluator)
            )
        return Values(point, left, right, slack)

    def _slack(self, left: Decimal, right: Decimal) -> Decimal:
        arithmetic = self.finer.context
        gap = arithmetic.subtract(left, right)
        size = arithmetic.add(left.copy_abs(), right.copy_abs())
        if gap.copy_abs() <= arithmetic.multiply(SHARE, size) or gap.copy_abs() < SMALLEST:
            return Decimal(0)
        upwards = {">=": gap, ">": gap, "<=": gap.copy_negate(), "<": gap.copy_negate()}
        signed = upwards.get(self.relation, gap.copy_abs().copy_negate())
        return arithmetic.divide(signed, size)

    def _size(self, point: Point, evaluator: DecimalEvaluator) -> Decimal:
        """The larger side of a bound by zero, every term of its sums counted as positive, so that
        its slack can be compared.
        """
        context = evaluator.context

        def size(e: Expr) -> Decimal:
            if e.is_Add or e.is_Mul:
                return reduce(context.add if e.is_Add else context.multiply, map(size, e.args))
            return evaluator.evaluate(e, point).copy_abs()

        return max(size(self.lhs), size(self.rhs))

    def everywhere(self, seed: str) -> Iterator[Values]:
        for point in fresh_points(self.symbols, seed) if self.symbols else ({},):
            with suppress(NoValue):
                yield self.values(point, self.evaluator)

    def downhill(self, best: Values) -> Iterator[Values]:
        """Towards less slack, one coordinate after the other."""
        for _ in range(ROUNDS):
            before = best
            for symbol in sorted(self.symbols, key=str):
                near = [best]
                for stride in STRIDES:
                    with suppress(NoValue):
                        near.append(
                            self.values(
                                {**best.point, symbol: best.point[symbol] * stride}, self.coarse
                            )
                        )
                best = min(near, key=lambda values: values.slack)
                yield best
            if best is before:
                break


def truth(claim: Claim, *, seed: int = 0, accused: Iterable[Point] = ()) -> Truth:
    """Whether the claim holds: at 24 fresh points, for a bound also where its slack is least
    nearby, for a limit far out.

    The points `accused`, at which somebody says that the claim fails, are tried first, as evidence
    to be tested like any other.
    """
    sides, start = _Sides(claim), f"truth {seed} {claim.name}"
    if claim.limit is not None:
        return _truth_in_the_limit(
            sides,
            chain(accused, fresh_points(sides.symbols - {claim.limit[0]}, start)),
            *claim.limit,
        )
    for point in accused:
        with suppress(NoValue):
            values = sides.values(point, sides.evaluator)
            if values.slack < 0:
                return Truth(FALSE, str(values))
    found = []
    for values in islice(sides.everywhere(start), POINTS_TO_AGREE):
        if values.slack < 0:
            return Truth(FALSE, str(values))
        found.append(values)
    if not found:
        return Truth(UNDEFINED, "the sides have no real values together")
    if claim.relation in STRICT and not any(values.slack for values in found):
        return Truth(FALSE, f"{found[0]}: the sides agree at {len(found)} fresh points")
    if claim.relation != "==":
        for worst in sorted(found, key=lambda values: values.slack)[:DESCENTS]:
            for values in sides.downhill(worst):
                if values.slack < 0:
                    return Truth(FALSE, str(values))
    return Truth(TRUE, f"holds at {len(found)} fresh points to {DIGITS} digits")


def _truth_in_the_limit(
    sides: _Sides, candidates: Iterable[Point], variable: Symbol, target: str
) -> Truth:
    used = 0
    for point in candidates:
        try:
            far = [
                {**point, variable: Rational(10) ** (-power if target == "0" else power)}
                for power in DECADES
            ]
            gaps = [_distance(sides, *sides.at(end, sides.evaluator)) for end in far]
        except NoValue:
            continue
        used += 1
        if gaps[-1] >= NEAR or (gaps[-1] >= gaps[0] >= SHARE):
            return Truth(
                FALSE,
                f"{_at(point)}: the distances are {', '.join(format(gap, '.5g') for gap in gaps)}",
            )
        if used == POINTS_IN_A_LIMIT or not point:
            break
    if not used:
        return Truth(UNDEFINED, "the sides have no real values together")
    return Truth(TRUE, f"the distance vanishes at {used} fresh points")


def _distance(sides: _Sides, left: Decimal, right: Decimal) -> Decimal:
    arithmetic = sides.evaluator.context
    if sides.relation == "->":
        return arithmetic.subtract(left, right).copy_abs()
    if right == 0:
        raise NoValue("a quotient by zero")
    return arithmetic.subtract(arithmetic.divide(left, right), Decimal(1)).copy_abs()


def _at(point: Point) -> str:
    return (
        ", ".join(f"{symbol} = {number}" for symbol, number in sorted(point.items(), key=str))
        or "no free symbol"
    )


# -- each path alone ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Objection:
    """Whether a path objects, its words, and the point that it names, if any."""

    made: bool
    words: str
    point: tuple[tuple[Symbol, Rational], ...] = ()


def refuted_by(claim: Claim, *, seed: int = 0) -> dict[str, Objection]:
    """For each path that applies, alone: whether it objects, and its words.

    The exact path objects where it fails to prove; the others where they name a point at which the
    claim fails.
    """
    found: dict[str, Objection] = {}
    argument = claim.argument.argument if isinstance(claim.argument, UnderLemma) else claim.argument
    if not isinstance(argument, (Numerically, Cited)):
        decision = claim.prove()
        found[EXACT] = Objection(not decision.proved, str(decision))
    sides = (claim.lhs, claim.relation, claim.rhs)
    points = check_at_points(*sides, assume=claim.assume, limit=claim.limit, seed=seed)
    found[POINTS] = _objection(points, claim)
    if claim.relation in OPPOSITE:
        enclosures = enclose_bound(*sides, assume=claim.assume, seed=seed)
        found[INTERVALS] = _objection(enclosures, claim)
    return found


def _objection(check: PointCheck, claim: Claim) -> Objection:
    """A numerical path objects where it names a point, or has none to name; to see too few points
    is no objection.
    """
    return Objection(
        not check.passed and bool(check.witness or not claim.symbols), check.detail, check.witness
    )


@dataclass(frozen=True)
class Score:
    """One mutant: the truth about it, and which of the paths that apply object; plain data.

    `claim` spells the mutant where it is of interest: where it is not false, or some path lets it
    pass.
    """

    derivation: str
    step: str
    kind: str
    relation: str
    claim: str
    truth: str
    evidence: str
    objects: dict[str, bool]
    words: dict[str, str]

    @classmethod
    def of(cls, mutant: Mutant, found: Truth, paths: dict[str, Objection]) -> Score:
        claim = mutant.claim
        objects = {path: objection.made for path, objection in paths.items()}
        words = {path: objection.words for path, objection in paths.items()}
        refuted = found.answer == FALSE and all(objects.values())
        told = (found.answer, found.evidence, objects, words)
        return cls(
            mutant.derivation,
            mutant.step,
            mutant.kind,
            claim.relation,
            "" if refuted else spelled(claim),
            *told,
        )

    @property
    def survived(self) -> tuple[str, ...]:
        """The paths that let a false mutant pass."""
        return (
            tuple(path for path, objects in self.objects.items() if not objects)
            if self.truth == FALSE
            else ()
        )

    @property
    def wronged(self) -> tuple[str, ...]:
        """The paths that name a point against a true mutant; the exact path may fail to prove one."""
        return (
            tuple(p for p, objects in self.objects.items() if objects and p != EXACT)
            if self.truth == TRUE
            else ()
        )


def score(mutant: Mutant, *, seed: int = 0) -> Score:
    """Each path alone, and the truth; a point that a path names is tried in the arithmetic of the
    truth.
    """
    paths = refuted_by(mutant.claim, seed=seed)
    accused = [dict(objection.point) for objection in paths.values() if objection.point]
    return Score.of(mutant, truth(mutant.claim, seed=seed, accused=accused), paths)


def score_derivation(
    derivation: Derivation, *, seed: int = 0, per_claim: int | None = None
) -> tuple[Score, ...]:
    return tuple(
        score(mutant, seed=seed) for mutant in mutants(derivation, seed=seed, per_claim=per_claim)
    )


def score_named(name: str, *, seed: int = 0, per_claim: int | None = None) -> tuple[Score, ...]:
    """The mutants of a derivation of the package."""
    return score_derivation(load(name), seed=seed, per_claim=per_claim)


def table(scores: Iterable[Score]) -> DataFrame:
    """A row for each mutant and path: whether the path objects."""
    return DataFrame(
        [
            {
                "derivation": s.derivation,
                "mutant": i,
                "kind": s.kind,
                "truth": s.truth,
                "path": path,
                "objects": objects,
            }
            for i, s in enumerate(scores)
            for path, objects in s.objects.items()
        ]
    )
