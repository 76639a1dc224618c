"""The search for a proof that an expression is positive, or never negative, where assumptions hold.

Each rule is sound by itself, and what it needs is proved by the rules again, to a small depth:

* signs of factors, of terms, and of the logarithm of what is compared with 1;
* products of powers compared factor by factor, term against term;
* weighted AM-GM, with room to spare or none, and Hölder's inequality;
* what is assumed: a product of assumed signs, or a quotient of an assumed expression;
* a value at one end of an interval, and the sign of the slope along it, where the expression may be
  multiplied by something positive first;
* absolute values by cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations, islice, permutations, product
from typing import Any, NamedTuple

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Integer,
    Mul,
    Rational,
    Symbol,
    count_ops,
    exp,
    log,
    symbols,
)

from ..algebra.arithmetic import Key, NormalForm, OutsideScope, linear_log
from ..algebra.boundary import put_in, solved
from ..algebra.deadline import OutOfTime, check
from ..algebra.field import Fraction
from ..algebra.functions import defined
from ..algebra.interval import Undefined
from ..algebra.sample import Point, points
from .assumed_signs import (
    MOST_DEGREE,
    collected,
    follows_by_factors,
    largest_exponent,
    powers_as_letters,
    quotients,
)
from .holder import is_holder
from .path import LARGEST_POWER, along, by_name, direction_of
from .points import PointEvaluator
from .terms import NEVER_NEGATIVE, POSITIVE, READINGS, DefinedForm, weights_of

Assumed = tuple[Expr, ...]

#: How many operations the expressions have together that one search looks at, how deep it goes, and at
#: how many points each expression is tried first.
MOST_OPERATIONS, DEPTH, POINTS = 800, 2, 8
LARGEST_DRAW, DIGITS, NOISE = 400, 30, 10**-18
MOST_TERMS = 8
MOST_MEANS, MOST_CHOICES = 4, 64
#: Of numbers in exponents.
LARGEST_EXPONENT = 10**6
#: An expression of more operations, or of more times as many as there were at first, is not looked at.
LARGE, LARGER = 80, 4
ZERO, ONE = Integer(0), Integer(1)
EXACTLY = "weighted AM-GM, its three premises by normal form"
AM_GM = "weighted AM-GM of the positive terms"


class GivenUp(Exception):
    """The search has looked at as much as it may."""


def attempted(rule: Callable[..., str], *claim: Any) -> str:
    """The reason that a rule finds; none where SymPy stumbles over one of its expressions."""
    try:
        return rule(*claim)
    except (GivenUp, OutOfTime):
        raise
    except Exception:  # SymPy raises of every kind; a rule without an answer has proved nothing
        return ""


def why_positive(
    e: Expr,
    assume: Sequence[Expr],
    *,
    strict: bool,
    seed: int = 0,
    nonzero: Sequence[Expr] = (),
) -> str:
    """Why `e > 0`, or `e >= 0` where not strict, wherever the assumed expressions are positive; empty
    where no proof is found. What is known not to be 0 may be divided by in its terms.
    """
    plain, *known = _as_positive_letters(defined(e), *assume)
    if reason := _by_terms_alone(plain, tuple(known), strict, seed, nonzero):
        return reason
    for named, whole in (*_in_one_variable(plain), ("", plain)):
        search = Search(seed, LARGE + LARGER * int(count_ops(whole)))
        with suppress(GivenUp):
            for depth in range(DEPTH + 1):  # a short proof is found before a long one is sought
                if reason := search.why(whole, tuple(known), strict, depth):
                    return named + reason
    return ""


def _by_terms_alone(
    e: Expr, assume: Assumed, strict: bool, seed: int, nonzero: Sequence[Expr]
) -> str:
    """Positive terms, or negative ones under a mean of positive ones, as they are."""
    reading = DefinedForm.of(e, assume, nonzero)
    search = Search(seed, 0)
    if reading is None or not search.holds_at_points(e, assume):
        return ""
    return search.by_terms(reading, strict, 0)


def _as_positive_letters(e: Expr, *assume: Expr) -> tuple[Expr, ...]:
    """The expression and what is assumed, with letters that are assumed positive as positive ones."""
    names = {x.name for x in e.free_symbols if x.is_positive}
    letters = [a for a in assume if a.is_Symbol and not a.is_positive and a.name not in names]
    instead = {x: Symbol(x.name, positive=True) for x in letters}
    return tuple(part.xreplace(instead) for part in (e, *assume) if part not in letters)


def _in_one_variable(e: Expr) -> Iterator[tuple[str, Expr]]:
    """The expression with a positive part as a variable, where its letters occur nowhere else."""
    u = next(s for s in symbols("u v w u_0", positive=True) if s not in e.free_symbols)
    parts = {part for part in _parts(e) if part.is_positive and not (part.is_Symbol or part == e)}
    for part in sorted(parts, key=lambda part: (-count_ops(part), str(part))):
        letters = part.free_symbols
        is_reciprocal = part.is_Pow and part.exp == -1
        if (len(letters) > 1 or is_reciprocal) and letters & e.free_symbols:
            whole = e.subs(part, u)
            if not whole.free_symbols & letters:
                yield f"with {u} = {part}, ", whole
                return


class Sign(NamedTuple):
    """1 or -1, and whether zero is excluded; 0 where the sign is not certain."""

    value: int
    strict: bool


UNKNOWN = Sign(0, False)


class SignedTerms(NamedTuple):
    """The terms of a sum by their signs."""

    positive: list[NormalForm]
    negative: list[NormalForm]
    certain: list[bool]
    """Which of the positive ones cannot vanish."""

    def leave_something(self, chosen: Sequence[int]) -> bool:
        """Whether a positive term that cannot vanish is not among the chosen ones."""
        return any(certain for i, certain in enumerate(self.certain) if i not in chosen)


class _Place:
    """A point, with the values found there."""

    def __init__(self, point: Point) -> None:
        self.point = point
        self.seen: list[Any] = []


class Search:
    """One search: what it has found, and the points at which it tries things out."""

    def __init__(self, seed: int, largest: int) -> None:
        self.seed, self.largest = seed, largest
        self.operations = 0
        self.found: dict[tuple[Expr, Assumed, bool], tuple[int, str]] = {}
        self.drawn: dict[tuple[frozenset[Symbol], Assumed], list[_Place]] = {}

    @cached_property
    def evaluator(self) -> PointEvaluator:
        return PointEvaluator(DIGITS)

    def why(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        """The reason, empty for none; what was found, or sought as deep as now, is not sought again."""
        sign = self.plain_sign(e, assume)
        if sign.value == 1 and (sign.strict or not strict):
            return POSITIVE if sign.strict else NEVER_NEGATIVE
        if sign.value == -1 and (sign.strict or strict):
            return ""
        key = (e, assume, strict)
        sought, reason = self.found.get(key, (-1, ""))
        if reason or sought >= depth:
            return reason
        check()
        size = int(count_ops(e))
        if size > self.largest or largest_exponent([e]) > LARGEST_EXPONENT:
            return ""
        self.operations += size
        if self.operations > MOST_OPERATIONS:
            raise GivenUp
        self.found[key] = depth, ""  # a proof that needs itself is none
        reason = self._sought(e, assume, strict, depth)
        self.found[key] = depth, reason
        return reason

    def _sought(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        if not self.holds_at_points(e, assume):
            return ""
        if e.has(Abs):
            return attempted(self._by_cases, e, assume, strict, depth)
        if reason := attempted(self._by_factors, e, assume, strict, depth):
            return reason
        reading = DefinedForm.of(e, assume)
        if reading is None:
            return ""
        given, e = e, reading.reduced
        return (
            attempted(self.by_terms, reading, strict, depth)
            or attempted(self._by_logarithms, reading, strict, depth)
            or attempted(self._by_excess, e, assume, strict)
            or attempted(self._by_what_is_assumed, given, assume, strict, depth)
            or attempted(self._by_holder, given, assume, strict)
            or (attempted(along, self, e, assume, strict, depth) if depth else "")
        )

    # -- points ----------------------------------------------------------------------------------------------------

    def points_where(self, symbols: Iterable[Symbol], assume: Assumed) -> list[_Place]:
        """Points where the assumptions hold."""
        key = frozenset(symbols).union(*(a.free_symbols for a in assume)), assume
        if key not in self.drawn:
            places = (_Place(point) for point in islice(points(key[0], self.seed), LARGEST_DRAW))
            inside = (p for p in places if all(self.sign_at(a, p, lost=-1) > 0 for a in assume))
            self.drawn[key] = list(islice(inside, POINTS))
        return self.drawn[key]

    def sign_at(self, e: Expr, place: _Place, *, lost: int) -> int:
        """The sign of the value, 0 where it is lost in rounding, `lost` where there is none."""
        try:
            terms = [
                self.evaluator.evaluate(term, place.point, place.seen) for term in Add.make_args(e)
            ]
        except Undefined:
            return lost
        value, size = sum(terms), max(map(abs, terms), default=0)
        return 0 if abs(value) <= NOISE * size else (1 if value > 0 else -1)

    def holds_at_points(self, e: Expr, assume: Assumed) -> bool:
        """Whether the expression is negative at none of some points, of which there are some."""
        near = self.points_where(e.free_symbols, assume)
        return bool(near) and all(self.sign_at(e, point, lost=0) >= 0 for point in near)

    # -- signs of factors ------------------------------------------------------------------------------------------

    def plain_sign(self, e: Expr, assume: Assumed) -> Sign:
        """The sign that one sees."""
        if e.is_positive or e in assume:
            return Sign(1, True)
        if e.is_negative or -e in assume:
            return Sign(-1, True)
        if e.is_nonnegative or isinstance(e, Abs):
            return Sign(1, False)
        if e.is_Pow and e.exp.is_Integer and e.exp.is_even and e.base.is_real:
            return Sign(1, self.plain_sign(e.base, assume).strict)
        if e.is_Pow and not e.exp.is_Integer:
            base = self.plain_sign(e.base, assume)
            return base if base.value == 1 else UNKNOWN
        if e.is_Mul:
            value, strict = 1, True
            for factor in e.args:
                sign = self.plain_sign(factor, assume)
                value, strict = value * sign.value, strict and sign.strict
            return Sign(value, strict and value != 0)
        if e.is_Add:
            signs = [self.plain_sign(term, assume) for term in e.args]
            if len({sign.value for sign in signs}) == 1:
                return Sign(signs[0].value, any(sign.strict for sign in signs))
        return UNKNOWN

    def sign(self, e: Expr, assume: Assumed, depth: int) -> Sign:
        """The sign that is seen or proved."""
        sign = self.plain_sign(e, assume)
        if sign.value:
            return sign
        for value in (1, -1):
            for strict in (True, False):
                if self.why(value * e, assume, strict, max(depth - 1, 0)):
                    return Sign(value, strict)
        return UNKNOWN

    def _by_factors(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        factors = [factor for factor in Mul.make_args(e) if not factor.is_positive]
        if len(factors) < 2:
            return ""
        value, certain = 1, True
        for factor in factors:
            sign = self.sign(factor, assume, depth)
            value, certain = value * sign.value, certain and sign.strict
        return "every factor has a known sign" if value == 1 and (certain or not strict) else ""

    def _by_what_is_assumed(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        """A product of assumed expressions; or `(a - rest)/m` with an assumed a, positive m and a rest
        that is never positive.
        """
        if not assume:
            return ""
        e, *known = powers_as_letters((e, *assume))
        assume = tuple(known)
        if largest_exponent([e, *assume]) > MOST_DEGREE:
            return ""
        if follows_by_factors(e, assume, strict):
            return "its factors are those of what is assumed positive, and squares"
        if self._by_collecting(e, assume, strict):
            return NEVER_NEGATIVE
        for multiple, rest in quotients(e, assume) if depth else ():
            if self.sign(multiple, assume, depth) == (1, True) and (
                self._by_collecting(-rest, assume, False)
                or self.why(-rest, assume, False, depth - 1)
            ):
                return "a positive multiple is at least what is assumed positive"
        return ""

    def _by_collecting(self, e: Expr, assume: Assumed, strict: bool) -> bool:
        """Whether no coefficient of the powers of some letter is negative, and one is positive where
        strict.
        """

        def sign(term: Expr) -> Sign:
            seen = self.plain_sign(term, assume)
            follows = not seen.value and follows_by_factors(term, assume, False)
            return Sign(1, follows_by_factors(term, assume, True)) if follows else seen

        return any(
            all(sign.value == 1 for sign in signs)
            and (not strict or any(sign.strict for sign in signs))
            for signs in (list(map(sign, terms)) for terms in collected(e))
        )

    def _by_holder(self, e: Expr, assume: Assumed, strict: bool) -> str:
        """Positive terms together against the negative ones."""
        if strict or not e.is_Add:
            return ""
        signs = [self.plain_sign(term, assume).value for term in e.args]
        if not all(signs) or set(signs) != {1, -1}:
            return ""
        larger, smaller = (
            Add(*(sign * term for term, one in zip(e.args, signs, strict=True) if one == sign))
            for sign in (1, -1)
        )
        if is_holder(larger, smaller, lambda part: self.plain_sign(part, assume) == (1, True)):
            return "Hölder's inequality"
        return ""

    def _log_sign(self, base: Expr, assume: Assumed, depth: int) -> Sign:
        """The sign of log(base) for a positive base."""
        return self.sign(base - 1, assume, depth)

    # -- terms -----------------------------------------------------------------------------------------------------

    def by_terms(self, reading: DefinedForm, strict: bool, depth: int) -> str:
        """Positive terms; negative ones that positive ones outweigh, one by one or by their mean."""
        for terms in self._readings(reading, depth):
            if not terms.negative:
                if any(terms.certain) or not strict:
                    return POSITIVE if any(terms.certain) else NEVER_NEGATIVE
                continue
            if len(terms.positive) + len(terms.negative) > MOST_TERMS:
                continue
            reason = (
                self._by_mean_of_all(reading, terms, strict, depth)
                or self._one_by_one(reading, terms, strict, depth)
                or self._by_mean(reading, terms, strict, depth)
                or self._by_means(reading, terms, strict)
                or self._by_roots(reading, terms, strict, depth)
            )
            if reason:
                return reason
        return ""

    def _readings(self, reading: DefinedForm, depth: int) -> Iterator[SignedTerms]:
        seen: list[int] = []
        for read in READINGS:
            try:
                terms = read(reading.form, reading.arithmetic)
            except OutsideScope:
                continue
            if len(terms) in seen:
                continue
            seen.append(len(terms))
            by_sign = self._by_sign(terms, reading, depth)
            if by_sign is not None:
                yield by_sign

    def _by_sign(
        self, terms: Sequence[NormalForm], reading: DefinedForm, depth: int
    ) -> SignedTerms | None:
        positive: list[NormalForm] = []
        negative: list[NormalForm] = []
        certain: list[bool] = []
        for term in terms:
            ((key, value),) = term.items()
            sign = self._sign_of_term(key, value, reading, depth)
            if not sign.value:
                return None
            if sign.value > 0:
                positive.append(term)
                certain.append(sign.strict)
            else:
                negative.append(reading.arithmetic.negate(term))
        return SignedTerms(positive, negative, certain)

    def _sign_of_term(self, key: Key, value: Fraction, reading: DefinedForm, depth: int) -> Sign:
        arithmetic, powers = reading.arithmetic, (key[0], ())
        sign = Sign(arithmetic.sign_of_term(powers, value), True)
        if not sign.value:
            if arithmetic.is_nonnegative(powers, value):
                sign = Sign(1, False)
            elif arithmetic.is_nonnegative(powers, -value):
                sign = Sign(-1, False)
            else:
                sign = self._sign_of_coefficient(value, reading, depth)
        for prime, power in key[1]:
            base = reading.base(prime)
            of_log = self._log_sign(base, reading.assume, depth) if sign.value else UNKNOWN
            if power % 2 == 0:
                of_log = Sign(1, of_log.strict)
            sign = Sign(sign.value * of_log.value, sign.strict and of_log.strict)
        return sign

    def _sign_of_coefficient(self, value: Fraction, reading: DefinedForm, depth: int) -> Sign:
        """By the signs of its irreducible factors, each proved."""
        field = reading.arithmetic.field
        sign, unknown = field.sign_of(value)
        proved = Sign(sign, not set(field.unknown_primes(value)) - set(unknown))
        for prime in unknown:
            of_prime = self.sign(field.to_sympy(field.prime_fraction(prime)), reading.assume, depth)
            proved = Sign(proved.value * of_prime.value, proved.strict and of_prime.strict)
        return proved

    # -- one term against another ----------------------------------------------------------------------------------

    def _one_by_one(
        self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int
    ) -> str:
        """Each negative term is at most a positive one of its own."""
        if len(terms.negative) > len(terms.positive) or len(terms.negative) > 3:
            return ""
        for chosen in islice(permutations(range(len(terms.positive)), len(terms.negative)), 24):
            pairs = [
                (terms.positive[i], term) for i, term in zip(chosen, terms.negative, strict=True)
            ]
            if not all(self._may_be_larger(reading, *pair) for pair in pairs):
                continue
            certain = terms.leave_something(chosen)
            for larger, smaller in pairs:
                if strict and not certain and self._larger(reading, larger, smaller, True, depth):
                    certain = True
                elif not self._larger(reading, larger, smaller, False, depth):
                    break
            else:
                if certain or not strict:
                    return "each negative term is outweighed by a positive one, factor by factor"
        return ""

    def _may_be_larger(self, reading: DefinedForm, larger: NormalForm, smaller: NormalForm) -> bool:
        """Whether it is so at some points."""
        arithmetic = reading.arithmetic
        return self.holds_at_points(
            arithmetic.to_sympy(larger) - arithmetic.to_sympy(smaller), reading.assume
        )

    def _larger(
        self,
        reading: DefinedForm,
        larger: NormalForm,
        smaller: NormalForm,
        strict: bool,
        depth: int,
    ) -> bool:
        """Whether one positive term is at least another: by the logarithm of their quotient."""
        ((above, value),), ((below, other),) = larger.items(), smaller.items()
        arithmetic = reading.arithmetic
        powers = ((above[0], ()), value), ((below[0], ()), other)
        if above[1] != below[1] or any(arithmetic.sign_of_term(*term) != 1 for term in powers):
            return False
        one, another = ({key: coefficient} for key, coefficient in powers)
        return self._larger_logarithm(reading, one, another, strict, depth)

    def _larger_logarithm(
        self,
        reading: DefinedForm,
        larger: NormalForm,
        smaller: NormalForm,
        strict: bool,
        depth: int,
    ) -> bool:
        """Whether one positive form is at least another: by the difference of their logarithms."""
        arithmetic = reading.arithmetic

        def logarithm(form: NormalForm) -> NormalForm:
            """With what the first term has of powers taken out."""
            exponent = dict(next(iter(form))[0])
            inverse = arithmetic.exp(arithmetic.negate(exponent))
            return arithmetic.add(exponent, arithmetic.log(arithmetic.multiply(form, inverse)))

        try:
            above, below = logarithm(larger), logarithm(smaller)
            difference = arithmetic.canonical(arithmetic.add(above, arithmetic.negate(below)))
        except OutsideScope:
            return False
        if arithmetic.positive or arithmetic.nonzero:
            return False  # they have logarithms only under conditions
        return self._above_zero(difference, reading, strict, depth)

    def _by_roots(self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int) -> str:
        """Positive terms together against the negative ones, both to the power that removes roots."""
        if depth == 0 or not (terms.certain and all(terms.certain)):
            return ""
        primes = reading.arithmetic.field.primes
        has_roots = any(
            (prime := linear_log(key)) is not None
            and primes[prime].kind == "sum"
            and value.numer.is_ground
            and value.denom.is_ground
            for term in (*terms.positive, *terms.negative)
            for exponent, _ in term
            for key, value in exponent
        )
        larger, smaller = ({k: v for t in side for k, v in t.items()} for side in terms[:2])
        if has_roots and self._larger_logarithm(reading, larger, smaller, strict, depth):
            return "a power of the one side is at least that of the other"
        return ""

    def _above_one(self, form: NormalForm, reading: DefinedForm, strict: bool, depth: int) -> bool:
        """Whether a product of powers is at least 1, by its logarithm."""
        arithmetic = reading.arithmetic
        logarithm = arithmetic.canonical(arithmetic.log(form))
        if arithmetic.positive or arithmetic.nonzero:
            return False  # it has a logarithm only under conditions
        return self._above_zero(logarithm, reading, strict, depth)

    def _by_logarithms(self, reading: DefinedForm, strict: bool, depth: int) -> str:
        """A sum of logarithms, as the logarithm of one product."""
        logs = sum(linear_log(key) is not None for key in reading.form)
        if logs and self._above_zero(reading.form, reading, strict, depth):
            return "the logarithms together are that of a product of at least 1"
        return ""

    def _above_zero(
        self, logarithm: NormalForm, reading: DefinedForm, strict: bool, depth: int
    ) -> bool:
        """Whether sum e_i log b_i + f is at least 0."""
        arithmetic = reading.arithmetic
        powers: list[tuple[Expr, Expr]] = []
        rest: list[Expr] = []
        for key, value in logarithm.items():
            prime = linear_log(key)
            if prime is None:
                rest.append(arithmetic.to_sympy({key: value}))
            else:
                powers.append((arithmetic.field.to_sympy(value), reading.base(prime)))
        if not (powers or rest):
            return not strict
        certain = False
        open_powers: list[tuple[Expr, list[tuple[int, Expr]]]] = []
        for exponent, bases in _by_exponent(powers):
            sign = self._sign_of_log(exponent, bases, reading.assume, depth)
            if sign.value != 1:
                open_powers.append((exponent, bases))
            certain |= sign.value == 1 and sign.strict
        signs = [self.sign(part, reading.assume, depth) for part in rest]
        if not open_powers and all(sign.value == 1 for sign in signs):
            return certain or not strict or any(sign.strict for sign in signs)
        return depth > 0 and any(
            self._by_pivot(exponent, powers, rest, reading.assume, strict, depth)
            for exponent, _ in _by_exponent(powers)
        )

    def _sign_of_log(
        self, exponent: Expr, bases: list[tuple[int, Expr]], assume: Assumed, depth: int
    ) -> Sign:
        """The sign of `exponent * log(product of whole powers)`."""
        of_exponent = self.sign(exponent, assume, depth)
        if not of_exponent.value:
            return UNKNOWN
        above = Mul(*(base**n for n, base in bases if n > 0))
        below = Mul(*(base**-n for n, base in bases if n < 0))
        of_log = self.sign(above - below, assume, depth)
        return Sign(of_exponent.value * of_log.value, of_exponent.strict and of_log.strict)

    def _by_pivot(
        self,
        pivot: Expr,
        powers: Sequence[tuple[Expr, Expr]],
        rest: Sequence[Expr],
        assume: Assumed,
        strict: bool,
        depth: int,
    ) -> bool:
        """The same with one exponent divided out: the products above and below are compared as they
        are.
        """
        sign = self.sign(pivot, assume, depth)
        if not sign.value or not sign.strict:
            return False
        above, below = ONE, ONE
        for exponent, base in powers:
            power = (exponent / pivot).cancel()
            if power.is_Rational and max(abs(power.p), power.q) > LARGEST_POWER:
                return False
            if self.plain_sign(power, assume).value < 0:
                below *= base**-power
            else:
                above *= base**power
        above *= exp((Add(*rest) / pivot).cancel()) if rest else ONE
        return bool(self.why(sign.value * (above - below), assume, strict, depth - 1))

    # -- means -----------------------------------------------------------------------------------------------------

    def _by_mean_of_all(
        self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int
    ) -> str:
        """One negative term that is the weighted geometric mean of all positive ones."""
        if strict or len(terms.negative) != 1 or len(terms.positive) < 2:
            return ""
        (negative,) = map(reading.arithmetic.to_sympy, terms.negative)
        positive = [reading.arithmetic.to_sympy(term) for term in terms.positive]
        for weights in weights_of(positive, negative):
            mean = Mul(*((t / w) ** w for t, w in zip(positive, weights, strict=True)))
            quotient = DefinedForm.of(mean / negative, reading.assume)
            if quotient is None or not _is_one(quotient):
                continue
            if all(self.sign(w, reading.assume, depth) == (1, True) for w in weights):
                return EXACTLY
        return ""

    def _by_mean(self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int) -> str:
        """One negative term, or several that are multiples of each other, against the weighted
        geometric mean of some positive ones.
        """
        if not 1 <= len(terms.negative) <= MOST_MEANS:
            return ""
        arithmetic = reading.arithmetic
        negative, *others = map(arithmetic.to_sympy, terms.negative)
        positive = [arithmetic.to_sympy(term) for term in terms.positive]
        for size in (2, 3):
            for places in combinations(range(len(positive)), size):
                chosen = [positive[i] for i in places]
                spare = terms.leave_something(places)
                for weights in weights_of(chosen, negative):
                    if all(self.sign(w, reading.assume, depth) == (1, True) for w in weights):
                        mean = Mul(*((t / w) ** w for t, w in zip(chosen, weights, strict=True)))
                        if others:
                            left = DefinedForm.of(mean - Add(negative, *others), reading.assume)
                            if left is not None and not left.given and (spare or not strict):
                                return AM_GM
                            continue
                        quotient = DefinedForm.of(mean / negative, reading.assume)
                        if (
                            quotient is not None
                            and len(quotient.given) == 1
                            and self._above_one(
                                quotient.given, quotient, strict and not spare, depth
                            )
                        ):
                            return EXACTLY if _is_one(quotient) else AM_GM
        return ""

    def _by_means(self, reading: DefinedForm, terms: SignedTerms, strict: bool) -> str:
        """Several negative terms, each a multiple of a mean of positive ones that together take no
        more of them than there is: as in x^2 + y^2 + z^2 >= x y + y z + z x.
        """
        if not 2 <= len(terms.negative) <= MOST_MEANS:
            return ""
        choices = [list(self._shares(reading, terms, term)) for term in terms.negative]
        for chosen in islice(product(*choices), MOST_CHOICES):
            taken = [sum(shares) for shares in zip(*chosen, strict=True)]
            spare = any(
                certain and share < 1 for certain, share in zip(terms.certain, taken, strict=True)
            )
            if max(taken) <= 1 and (spare or not strict):
                return "each negative term is a weighted geometric mean of parts of positive ones"
        return ""

    def _shares(
        self, reading: DefinedForm, terms: SignedTerms, negative: NormalForm
    ) -> Iterator[tuple[Rational, ...]]:
        """Shares of the positive terms whose sum is at least the negative term, by AM-GM."""
        arithmetic = reading.arithmetic
        below = arithmetic.to_sympy(negative)
        above = [arithmetic.to_sympy(term) for term in terms.positive]
        for size in (2, 3):
            for places in combinations(range(len(above)), size):
                chosen = [above[i] for i in places]
                for weights in weights_of(chosen, below):
                    if not all(w.is_Rational and w.is_positive for w in weights):
                        continue
                    mean = Mul(*(term**w for term, w in zip(chosen, weights, strict=True)))
                    quotient = DefinedForm.of(mean / below, reading.assume)
                    number = quotient.to_sympy() if quotient is not None else None
                    if number is not None and number.is_Rational:
                        shares = dict(zip(places, weights, strict=True))
                        yield tuple(shares.get(i, ZERO) / number for i in range(len(above)))

    # -- beyond bounds -----------------------------------------------------------------------------------------------

    def _by_excess(self, e: Expr, assume: Assumed, strict: bool) -> str:
        """x = c + u for x > c, and x = c/(1 + u) for 0 < x < c: terms in u > 0."""
        replaced: list[str] = []
        while (bounded := _bounded(e, assume)) is not None:
            assumption, x, bound, direction = bounded
            u = Dummy("u", positive=True)
            value = bound + u if direction > 0 else bound / (1 + u)
            assume = tuple(put_in(a, {x: value}) for a in assume if a != assumption)
            reading = DefinedForm.of(put_in(e, {x: value}), assume)
            if reading is None:
                return ""
            e = reading.to_sympy()
            replaced.append(f"{x} is beyond {bound}")
            if self.by_terms(reading, strict, 0):
                return f"{POSITIVE} in what {' and '.join(replaced)}"
        return ""

    # -- absolute values -------------------------------------------------------------------------------------------

    def _by_cases(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        """|u| is u or -u: each case with its sign as an assumption.

        Where u is zero the claim follows from a case that does not need its assumption; or, where it
        is not strict, as a limit: what is analytic and not zero throughout has no zeros but limits of
        points where it is not zero.
        """
        inner = next(part for part in e.atoms(Abs) if not part.args[0].has(Abs))
        u = inner.args[0]
        if sign := self.sign(u, assume, depth).value:
            return self.why(e.xreplace({inner: sign * u}), assume, strict, depth)
        if not _is_analytic(u):
            return ""
        branches = [e.xreplace({inner: sign * u}) for sign in (1, -1)]
        free = [self.why(branch, assume, strict, depth) for branch in branches]
        if all(free):
            return f"in both cases of {inner}, {free[0]}"
        reasons = [
            reason or self.why(branch, (*assume, sign * u), strict, depth)
            for reason, branch, sign in zip(free, branches, (1, -1), strict=True)
        ]
        at_zero = not strict or any(free)
        return f"in both cases of {inner}, {reasons[0]}" if all(reasons) and at_zero else ""


def _is_one(quotient: DefinedForm) -> bool:
    return quotient.given == quotient.arithmetic.constant(quotient.arithmetic.field.one)


def _by_exponent(
    powers: Sequence[tuple[Expr, Expr]],
) -> list[tuple[Expr, list[tuple[int, Expr]]]]:
    """Powers whose exponents are whole multiples of each other, together."""
    classes: list[tuple[Expr, list[tuple[Expr, Expr]]]] = []
    for exponent, base in powers:
        for pivot, members in classes:
            ratio = (exponent / pivot).cancel()
            if ratio.is_Rational and max(abs(ratio.p), ratio.q) <= LARGEST_POWER:
                members.append((ratio, base))
                break
        else:
            classes.append((exponent, [(ONE, base)]))
    whole = []
    for pivot, members in classes:
        scale = 1
        for ratio, _ in members:
            scale = scale * int(ratio.q) // _gcd(scale, int(ratio.q))
        whole.append((pivot / scale, [(int(ratio * scale), base) for ratio, base in members]))
    return whole


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def _bounded(e: Expr, assume: Assumed) -> tuple[Expr, Symbol, Expr, int] | None:
    """An assumption that is a positive bound of a symbol, with the symbol, the bound, and 1 where x
    lies above it.
    """
    for assumption in assume:
        for x in by_name(assumption.free_symbols & e.free_symbols):
            direction = direction_of(assumption, x)
            bound = solved(assumption, x) if direction and x.is_positive else None
            if bound is not None and bound.is_positive:
                return assumption, x, bound, direction
    return None


def _is_analytic(u: Expr) -> bool:
    """Whether the expression is analytic for all values that its symbols may have."""
    return all(
        part.is_Rational
        or (part.is_Symbol and part.is_real)
        or part.is_Add
        or part.is_Mul
        or isinstance(part, exp)
        or (isinstance(part, log) and part.args[0].is_positive)
        or (part.is_Pow and (part.base.is_positive or (part.exp.is_Integer and part.exp > 0)))
        for part in _parts(u)
    )


def _parts(e: Expr) -> Iterator[Expr]:
    yield e
    for part in e.args:
        yield from _parts(part)
