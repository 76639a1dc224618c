"""Mutants of claims: small changes that mostly make a claim false, to see whether each path alone
objects.

Whether a mutant is false is found by a route that no path shares: the sides as mpmath functions, to
100 digits, at points from another generator, for a bound followed downhill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from random import Random
from typing import Any

from mpmath import isfinite, mp, mpf, workdps
from sympy import Add, Expr, Mul, Pow, Rational, Symbol, exp, lambdify, nan, oo, zoo
from sympy.core.function import AppliedUndef

from isoflop.theory.kernel.answer import STRICT
from isoflop.theory.kernel.functions import defined
from isoflop.theory.kernel.points import PointCheck, check_at_points
from isoflop.theory.theorem.claim import Cited, Claim, Derivation, UnderLemma
from isoflop.theory.verification import load, spelled

FALSE, TRUE, UNDEFINED = "false", "true", "undefined"
EXACT, POINTS = PATHS = ("exact", "points")
DIRECTION = "direction"
OPPOSITE = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}

#: Digits of a value, of one that decides against a claim, and of one on the way downhill.
DIGITS, MOST_DIGITS, SEARCH_DIGITS = 100, 400, 40
#: Two values agree where they differ by less than this share, or by less than this in all.
SHARE, SMALLEST = mpf(10) ** -60, mpf(10) ** -200
POINTS_TO_AGREE, POINTS_IN_A_LIMIT, LARGEST_DRAW = 24, 12, 600
DRAWS_BEFORE_WIDENING, FIRST_SIZE, SIZE_FACTOR, LARGEST_SIZE = 60, 30, 12, 10**8
#: A bound is followed downhill from so many of its points, so often.
DESCENTS, ROUNDS = 2, 4
STRIDES = tuple(Rational(*pair) for pair in ((1, 16), (1, 3), (9, 10), (10, 9), (3, 1), (16, 1)))
#: The variable of a limit is taken to 10 to these powers, or to minus these.
DECADES = (60, 600, 6_000)
NEAR = mpf(10) ** -3

Place = tuple[int, ...]
Point = dict[Symbol, Rational]


# -- kinds of mutants ---------------------------------------------------------------------------------------------
# Each maps one side to changed sides, in random order; `others` are the symbols of the claim.


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


def swap_symbols(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """Two symbols change places."""
    pairs = combinations(sorted(side.free_symbols, key=str), 2)
    for first, second in _shuffled(pairs, generator):
        yield side.xreplace({first: second, second: first})


def flip_exponent(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """An exponent changes its sign."""
    for place, part in _shuffled(places(side), generator):
        if isinstance(part, Pow | exp):
            yield replaced(side, place, 1 / part)


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
        terms[generator.randrange(len(terms))] *= symbol
        yield Add(*terms)


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


def double_term(side: Expr, others: Sequence[Symbol], generator: Random) -> Iterator[Expr]:
    """A term of a sum, or the whole side, is doubled."""
    sums = [(place, part) for place, part in places(side) if isinstance(part, Add)]
    for place, part in _shuffled(sums, generator):
        terms = list(part.args)
        terms[generator.randrange(len(terms))] *= 2
        yield replaced(side, place, Add(*terms))
    yield 2 * side


KINDS: dict[str, Callable[[Expr, Sequence[Symbol], Random], Iterator[Expr]]] = {
    "symbols swapped": swap_symbols,
    "exponent's sign": flip_exponent,
    "factor dropped": drop_factor,
    "factor added": add_factor,
    "off by one": off_by_one,
    "term doubled": double_term,
}


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
    seen = {(claim.lhs, claim.rhs)}
    others = sorted(claim.symbols, key=str)
    if claim.relation in OPPOSITE:
        yield DIRECTION, replace(claim, relation=OPPOSITE[claim.relation])
    for kind, change in KINDS.items():
        for name in generator.sample(("lhs", "rhs"), 2):
            changed = next(
                (
                    replace(claim, **{name: new})
                    for new in change(getattr(claim, name), others, generator)
                    if new != getattr(claim, name) and not new.has(nan, oo, zoo, -oo)
                ),
                None,
            )
            if changed is not None and (changed.lhs, changed.rhs) not in seen:
                seen.add((changed.lhs, changed.rhs))
                yield kind, changed
                break


# -- the truth about a mutant -------------------------------------------------------------------------------------


class NoValue(ValueError):
    """The expression has no real value at the point, or an assumption does not hold there."""


@dataclass(frozen=True)
class Truth:
    """Whether a claim is true, and the evidence: a witness, or how it was found to hold."""

    answer: str
    evidence: str


def fresh_points(symbols: Iterable[Symbol], seed: str) -> Iterator[Point]:
    """Points of quotients of random integers, in ever wider ranges; every symbol has a sign that it
    may have.
    """
    ordered = sorted(symbols, key=lambda symbol: symbol.name)
    generator = Random(seed)
    for index in range(LARGEST_DRAW if ordered else 1):
        size = min(FIRST_SIZE * SIZE_FACTOR ** (index // DRAWS_BEFORE_WIDENING), LARGEST_SIZE)
        signs = [
            -1 if s.is_negative or (s.is_positive is None and generator.getrandbits(1)) else 1
            for s in ordered
        ]
        yield {
            s: sign * Rational(generator.randint(1, size), generator.randint(1, size))
            for s, sign in zip(ordered, signs, strict=True)
        }


class Sides:
    """A claim's sides as functions of a point, where its assumptions hold."""

    def __init__(self, claim: Claim) -> None:
        lhs, rhs, *assumed = map(defined, (claim.lhs, claim.rhs, *claim.assume))
        names = frozenset().union(*(e.free_symbols for e in (lhs, rhs, *assumed)))
        if any(e.has(AppliedUndef) for e in (lhs, rhs, *assumed)):
            raise NoValue("a function of which only the name is known")
        self.symbols = sorted(names, key=str)
        # A negative number has no power with a letter as exponent, though the letter be whole.
        powers = {p for e in (lhs, rhs, *assumed) for p in e.atoms(Pow) if not p.exp.is_Integer}
        bases = sorted((p.base for p in powers if not p.base.is_positive), key=str)
        terms = [Add.make_args(side) for side in (lhs, rhs)]
        self.assumed, self.bases, self.sides, self.terms = (
            lambdify(self.symbols, of, "mpmath") for of in (assumed, bases, (lhs, rhs), terms)
        )
        self.relation = claim.relation

    def _called(self, function: Callable[..., Any], point: Point) -> Any:
        try:
            return function(*(mpf(int(point[s].p)) / int(point[s].q) for s in self.symbols))
        except (ArithmeticError, ValueError) as error:
            raise NoValue(type(error).__name__) from None

    def at(self, point: Point, digits: int = DIGITS) -> tuple[mpf, mpf]:
        """The values of both sides; NoValue where one is not a real number."""
        with workdps(digits):
            assumed, bases, sides = (
                [v.real if v.imag == 0 else mp.nan for v in map(mp.mpc, self._called(of, point))]
                for of in (self.assumed, self.bases, self.sides)
            )
        if not all(map(isfinite, (*assumed, *bases, *sides))):
            raise NoValue("no real value")
        if any(value <= 0 for value in assumed) or any(base < 0 for base in bases):
            raise NoValue("an assumption fails")
        left, right = sides
        return left, right

    def slack(self, point: Point, digits: int = DIGITS) -> mpf:
        """How far the claim is from failing at a point, as a share of the sides: below 0 it fails.

        A failure is seen again with many more digits, lest it be rounding.
        """
        left, right = self.at(point, digits)
        with workdps(digits):
            gap, size = left - right, abs(left) + abs(right)
            if abs(gap) <= SHARE * size or abs(gap) < SMALLEST:
                return mpf(0)
            if not left or not right:  # a bound by zero: beside the largest term
                terms = self._called(self.terms, point)
                size = max(abs(term) for side in terms for term in side)
            signed = {">=": gap, ">": gap, "<=": -gap, "<": -gap}.get(self.relation, -abs(gap))
            slack = signed / size
        return self.slack(point, MOST_DIGITS) if slack < 0 and digits < MOST_DIGITS else slack

    def downhill(self, point: Point) -> Iterator[Point]:
        """Points of less slack, one coordinate after the other."""
        for _ in range(ROUNDS):
            start = point
            for symbol in self.symbols:
                near = [(self.slack(point, SEARCH_DIGITS), point)]
                for stride in STRIDES:
                    moved = {**point, symbol: point[symbol] * stride}
                    with suppress(NoValue):
                        near.append((self.slack(moved, SEARCH_DIGITS), moved))
                point = min(near, key=lambda pair: pair[0])[1]
                yield point
            if point is start:
                break


def truth(claim: Claim, *, seed: int = 0, accused: Iterable[Point] = ()) -> Truth:
    """Whether the claim holds: at 24 fresh points, for a bound also where its slack is least
    nearby, for a limit far out.

    The points `accused`, at which somebody says that the claim fails, are tried first, as evidence
    to be tested like any other.
    """
    try:
        sides = Sides(claim)
    except NoValue as error:
        return Truth(UNDEFINED, str(error))
    start = f"truth {seed} {claim.name}"
    if claim.limit is not None:
        variable, target = claim.limit
        fresh = fresh_points(set(sides.symbols) - {variable}, start)
        return _truth_in_the_limit(sides, chain(accused, fresh), variable, target)

    def tried(points: Iterable[Point]) -> Iterator[tuple[mpf, Point]]:
        for point in points:
            with suppress(NoValue):
                yield sides.slack(point), point

    found: list[tuple[mpf, Point]] = []
    for slack, point in chain(
        tried(accused), islice(tried(fresh_points(sides.symbols, start)), POINTS_TO_AGREE)
    ):
        if slack < 0:
            return Truth(FALSE, _at(point))
        found.append((slack, point))
    if not found:
        return Truth(UNDEFINED, "the sides have no real values together")
    if claim.relation in STRICT and not any(slack for slack, _ in found):
        return Truth(FALSE, f"the sides agree at {len(found)} fresh points")
    if claim.relation != "==":
        for _, worst in sorted(found, key=lambda pair: pair[0])[:DESCENTS]:
            for slack, point in tried(sides.downhill(worst)):
                if slack < 0:
                    return Truth(FALSE, _at(point))
    return Truth(TRUE, f"holds at {len(found)} fresh points to {DIGITS} digits")


def _truth_in_the_limit(
    sides: Sides, candidates: Iterable[Point], variable: Symbol, target: str
) -> Truth:
    used = 0
    for point in candidates:
        ends = [Rational(10) ** (-power if target == "0" else power) for power in DECADES]
        try:
            values = [sides.at({**point, variable: end}) for end in ends]
        except NoValue:
            continue
        if sides.relation == "~" and not all(right for _, right in values):
            continue
        with workdps(DIGITS):
            gaps = [abs(a - b if sides.relation == "->" else a / b - 1) for a, b in values]
        used += 1
        if gaps[-1] >= NEAR or gaps[-1] >= gaps[0] >= SHARE:
            return Truth(FALSE, f"{_at(point)}: the distance does not vanish")
        if used == POINTS_IN_A_LIMIT or not point:
            break
    if not used:
        return Truth(UNDEFINED, "the sides have no real values together")
    return Truth(TRUE, f"the distance vanishes at {used} fresh points")


def _at(point: Point) -> str:
    return ", ".join(f"{s} = {x}" for s, x in sorted(point.items(), key=str)) or "no free symbol"


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
    claim fails, or have none to name. To see too few points is no objection.
    """

    def objection(check: PointCheck) -> Objection:
        is_made = not check.passed and bool(check.witness or not claim.symbols)
        return Objection(is_made, check.detail, check.witness)

    found: dict[str, Objection] = {}
    argument = claim.argument.argument if isinstance(claim.argument, UnderLemma) else claim.argument
    if not isinstance(argument, Cited):
        decision = claim.prove()
        found[EXACT] = Objection(not decision.proved, str(decision))
    sides = (claim.lhs, claim.relation, claim.rhs)
    found[POINTS] = objection(
        check_at_points(*sides, assume=claim.assume, limit=claim.limit, seed=seed)
    )
    return found


@dataclass(frozen=True)
class Score:
    """One mutant, in plain data: the truth about it, and which of the paths that apply object."""

    derivation: str
    step: str
    kind: str
    claim: str
    truth: str
    evidence: str
    objects: dict[str, bool]
    words: dict[str, str]

    @property
    def survived(self) -> tuple[str, ...]:
        """The paths that let a false mutant pass."""
        return tuple(
            p for p, objects in self.objects.items() if self.truth == FALSE and not objects
        )

    @property
    def wronged(self) -> tuple[str, ...]:
        """The paths that name a point against a true mutant; the exact path may fail to prove one."""
        against = (path for path, objects in self.objects.items() if objects and path != EXACT)
        return tuple(against) if self.truth == TRUE else ()


def score(mutant: Mutant, *, seed: int = 0) -> Score:
    """Each path alone, and the truth; a point that a path names is tried in the arithmetic of the
    truth.
    """
    paths = refuted_by(mutant.claim, seed=seed)
    accused = [dict(objection.point) for objection in paths.values() if objection.point]
    found = truth(mutant.claim, seed=seed, accused=accused)
    return Score(
        mutant.derivation,
        mutant.step,
        mutant.kind,
        spelled(mutant.claim),
        found.answer,
        found.evidence,
        {path: objection.made for path, objection in paths.items()},
        {path: objection.words for path, objection in paths.items()},
    )


def score_named(name: str, *, seed: int = 0, per_claim: int | None = None) -> tuple[Score, ...]:
    """The mutants of a theorem of the package."""
    found = mutants(load(name), seed=seed, per_claim=per_claim)
    return tuple(score(mutant, seed=seed) for mutant in found)
