"""The search for a proof that an expression is positive, or never negative, under assumptions.

Each rule is sound by itself; its premises are proved by the rules again, to a small depth:

* the signs of terms, of their factors, and of logarithms, whose arguments are compared with 1;
* one term against another: powers compared factor by factor, or with one exponent divided out, or
  without roots;
* weighted AM-GM;
* an assumption of which the expression is at least a positive multiple;
* the value at one end of an interval, and the signs of the slopes along it; or the values at both
  ends of an interval on which the expression is concave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, combinations
from math import lcm
from typing import Any, NamedTuple

from sympy import (
    Add,
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    count_ops,
    exp,
    symbols,
    together,
)

from .arithmetic import Key, NormalForm, OutsideScope, linear_log
from .deadline import OutOfTime, check
from .field import Fraction
from .functions import defined
from .path import along, by_name
from .signs import UNKNOWN, Assumed, Prover, Sign
from .terms import NEVER_NEGATIVE, POSITIVE, DefinedForm, split, weights_of

#: The operations of all expressions that one search looks at, and the depth of nested premises.
MOST_OPERATIONS, DEPTH = 800, 2
MOST_TERMS = 8
#: The largest number in an exponent, the largest integer power that is compared directly, and the
#: highest root.
LARGEST_EXPONENT, LARGEST_POWER, HIGHEST_ROOT = 10**6, 24, 4
#: Expressions of more operations than LARGE plus LARGER times those of the claim are not looked at.
LARGE, LARGER = 80, 4
ZERO, ONE = Integer(0), Integer(1)
ENCLOSED = "an enclosure of the difference is positive"
EXACTLY = "weighted AM-GM, its three premises by normal form"


def largest_exponent(e: Expr) -> int:
    """The largest numerator or denominator of the numbers in exponents: SymPy writes 2^(10^40) out,
    and x^(10^6) as a dense polynomial.
    """
    numbers = set[Rational]().union(*(part.exp.atoms(Rational) for part in e.atoms(Pow)))
    return max((max(abs(int(number.p)), int(number.q)) for number in numbers), default=0)


class GivenUp(Exception):
    """The search has reached its limit of operations."""


def attempted(rule: Callable[..., str], *claim: Any) -> str:
    """The reason that a rule finds; empty if SymPy raises an error on one of its expressions."""
    try:
        return rule(*claim)
    except (GivenUp, OutOfTime):
        raise
    except Exception:  # SymPy raises errors of every kind; without an answer nothing is proved
        return ""


def why_positive(
    e: Expr,
    assume: Sequence[Expr],
    *,
    strict: bool,
    seed: int = 0,
    nonzero: Sequence[Expr] = (),
) -> str:
    """Why `e > 0`, or `e >= 0` if not strict, wherever the assumed expressions are positive; empty if
    no proof is found. Expressions in `nonzero` are known not to vanish, so terms may divide by them.
    """
    square = next((a for a in assume if a.is_Pow and a.exp == 2), None)
    if square is not None:  # its base is positive or negative
        cases = ([x if a == square else a for a in assume] for x in (square.base, -square.base))
        proofs = (why_positive(e, c, strict=strict, seed=seed, nonzero=nonzero) for c in cases)
        return next(proofs) and next(proofs)
    plain, known = defined(e), tuple(a for a in assume if not a.is_positive)
    terms_alone = Search(seed, 0)
    if not plain.free_symbols:
        sign = terms_alone.plain_sign(plain, ())
        return ENCLOSED if sign.value == 1 and (sign.strict or not strict) else ""
    reading = DefinedForm.of(plain, known, nonzero)
    if (
        reading is not None
        and terms_alone.holds_at_points(plain, known)
        and (reason := attempted(terms_alone.by_terms, reading, strict, 0))
    ):
        return reason
    for named, whole in chain((("", plain),), _in_one_variable(plain)):
        search = Search(seed, LARGE + LARGER * int(count_ops(whole)))
        with suppress(GivenUp):
            for depth in range(DEPTH + 1):  # a short proof is found before a long one is sought
                if reason := search.why(whole, known, strict, depth):
                    return named + reason
    return ""


def _in_one_variable(e: Expr) -> Iterator[tuple[str, Expr]]:
    """The expression with a positive part replaced by a variable, if its letters occur only there."""
    u = next(s for s in symbols("u v w u_0", positive=True) if s not in e.free_symbols)
    parts = {part for part in _parts(e) if not (part.is_Symbol or part == e)}
    for part in sorted(parts, key=lambda p: (-len(p.free_symbols), -count_ops(p), str(p))):
        letters = part.free_symbols
        is_reciprocal = part.is_Pow and part.exp == -1
        if (len(letters) > 1 or is_reciprocal) and part.is_positive:
            whole = e.subs(part, u)
            if not whole.free_symbols & letters:
                yield f"with {u} = {part}, ", whole
                return


class SignedTerms(NamedTuple):
    """The terms of a sum, by sign; the negative ones are given as their magnitudes."""

    positive: list[NormalForm]
    negative: list[NormalForm]
    certain: list[bool]
    """For each positive term, whether it cannot vanish."""


class Search(Prover):
    """One search, with the results found so far and the points at which it tries claims first."""

    def __init__(self, seed: int, largest: int) -> None:
        super().__init__(seed)
        self.largest, self.operations = largest, 0
        self.found: dict[tuple[Expr, Assumed, bool], tuple[int, str]] = {}

    def why(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        """The reason, empty for none; results are kept, so nothing is searched twice to the same depth."""
        sign = self.plain_sign(e, assume)
        if sign.value == 1 and (sign.strict or not strict):
            return POSITIVE if sign.strict else NEVER_NEGATIVE
        if sign.value == -1 and (sign.strict or strict):
            return ""
        key = (e, assume, strict)
        searched_depth, reason = self.found.get(key, (-1, ""))
        if reason or searched_depth >= depth:
            return reason
        check()
        size = int(count_ops(e))
        if size > self.largest or largest_exponent(e) > LARGEST_EXPONENT:
            return ""
        self.operations += size
        if self.operations > MOST_OPERATIONS:
            raise GivenUp
        self.found[key] = depth, ""  # a proof must not use itself
        reason = self._search(e, assume, strict, depth)
        self.found[key] = depth, reason
        return reason

    def _search(self, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
        if not self.holds_at_points(e, assume):
            return ""
        reading = DefinedForm.of(e, assume)
        if reading is None:
            return ""
        return (
            attempted(self.by_terms, reading, strict, depth)
            or attempted(self._by_assumption, e, assume)
            or (attempted(along, self, reading.reduced, assume, strict, depth) if depth else "")
        )

    def _by_assumption(self, e: Expr, assume: Assumed) -> str:
        """By an assumption: a positive multiple of e exceeds it by something that is not negative."""
        for a in assume:
            for x in by_name(e.free_symbols & a.free_symbols):
                multiple = a.diff(x) / e.diff(x)
                if self.plain_sign(multiple, assume) == (1, True):
                    rest = (multiple * e - a).expand()
                    if self.plain_sign(rest, assume).value == 1:
                        return "it is at least a positive multiple of what is assumed positive"
        return ""

    # -- terms -----------------------------------------------------------------------------------------------------

    def by_terms(self, reading: DefinedForm, strict: bool, depth: int) -> str:
        """By the signs of terms, where positive ones outweigh the negative, singly or by their mean."""
        for terms in self._readings(reading, depth):
            if not terms.negative:
                if any(terms.certain) or not strict:
                    return POSITIVE if any(terms.certain) else NEVER_NEGATIVE
                continue
            if len(terms.positive) + len(terms.negative) > MOST_TERMS:
                continue
            mean = self._by_mean(reading, terms, strict, depth)
            one_by_one = mean or self._one_by_one(reading, terms, strict, depth)
            if reason := one_by_one or self._without_root(reading, terms, strict, depth):
                return reason
        return ""

    def _readings(self, reading: DefinedForm, depth: int) -> Iterator[SignedTerms]:
        terms_of_form = [{key: value} for key, value in reading.form.items()]
        monomials = split(reading.form, reading.arithmetic)
        finer = [monomials] if len(monomials) > len(terms_of_form) else []
        for terms in (terms_of_form, *finer):
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
        for prime, power in key[1]:
            excess = reading.base(prime) - 1
            log_sign = self.sign(excess, reading.assume, depth) if sign.value else UNKNOWN
            if power % 2 == 0:
                log_sign = Sign(1, log_sign.strict)
            sign = sign.times(log_sign)
        return sign

    # -- one term against another ----------------------------------------------------------------------------------

    def _one_by_one(
        self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int
    ) -> str:
        """By a pair: the one negative term is at most one of the positive ones."""
        if len(terms.negative) != 1:
            return ""
        arithmetic, (smaller,) = reading.arithmetic, terms.negative
        for i, larger in enumerate(terms.positive):
            by_pair = strict and not any(terms.certain[:i] + terms.certain[i + 1 :])
            if by_pair and not terms.certain[i]:
                continue  # both may vanish
            difference = arithmetic.to_sympy(larger) - arithmetic.to_sympy(smaller)
            if self.holds_at_points(difference, reading.assume) and self._larger(
                reading, larger, smaller, by_pair, depth
            ):
                return "the negative term is outweighed by a positive one, factor by factor"
        return ""

    def _without_root(
        self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int
    ) -> str:
        """By powers of both sides without roots of sums, where one term alone is positive."""
        if depth == 0 or len(terms.positive) != 1:
            return ""
        above, *below = map(reading.arithmetic.to_sympy, (*terms.positive, *terms.negative))
        powers = set[Expr]().union(*(term.atoms(Pow) for term in (above, *below)))
        n = lcm(*(p.exp.q for p in powers if p.base.is_Add and p.exp.is_Rational))
        if not 1 < n <= HIGHEST_ROOT:
            return ""
        difference = above**n - together(Add(*below)) ** n
        reason = self.why(difference, reading.assume, strict, depth - 1)
        return reason and f"without roots, {reason}"

    def _larger(
        self,
        reading: DefinedForm,
        larger: NormalForm,
        smaller: NormalForm,
        strict: bool,
        depth: int,
    ) -> bool:
        """Whether a positive term is at least another, by the difference of their logarithms."""
        arithmetic = reading.arithmetic
        ((above, value),), ((below, other),) = larger.items(), smaller.items()
        sides: list[NormalForm] = [{(above[0], ()): value}, {(below[0], ()): other}]
        if above[1] != below[1] or not all(map(arithmetic.is_certainly_positive, sides)):
            return False
        try:
            log_above, log_below = map(arithmetic.log, sides)
            difference = arithmetic.add(log_above, arithmetic.negate(log_below))
            difference = arithmetic.canonical(difference)
        except OutsideScope:
            return False
        if arithmetic.positive or arithmetic.nonzero:
            return False  # the logarithms need side conditions
        return self._above_zero(difference, reading, strict, depth)

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
        signs = [self._sign_of_log(*power, reading.assume, depth) for power in powers]
        signs += [self.sign(Add(*rest), reading.assume, depth)] if rest else []
        if all(sign.value == 1 for sign in signs):
            return not strict or any(sign.strict for sign in signs)
        return depth > 0 and any(
            self._by_pivot(exponent, powers, rest, reading.assume, strict, depth)
            for exponent in dict.fromkeys(exponent for exponent, _ in powers)
        )

    def _sign_of_log(self, exponent: Expr, base: Expr, assume: Assumed, depth: int) -> Sign:
        """The sign of `exponent * log(base)`."""
        sign = self.sign(exponent, assume, depth)
        return sign.times(self.sign(base - 1, assume, depth)) if sign.value else UNKNOWN

    def _by_pivot(
        self,
        pivot: Expr,
        powers: Sequence[tuple[Expr, Expr]],
        rest: Sequence[Expr],
        assume: Assumed,
        strict: bool,
        depth: int,
    ) -> bool:
        """Whether sum e_i log b_i + f is at least 0, with one exponent divided out: the products of the
        remaining powers are compared directly.
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

    def _by_mean(self, reading: DefinedForm, terms: SignedTerms, strict: bool, depth: int) -> str:
        """By weighted AM-GM: the negative terms add up to the weighted geometric mean of the others."""
        if len(terms.positive) < 2:
            return ""
        negative = Add(*map(reading.arithmetic.to_sympy, terms.negative))
        positive = [reading.arithmetic.to_sympy(term) for term in terms.positive]
        for weights in weights_of(positive, negative):
            mean = Mul(*((t / w) ** w for t, w in zip(positive, weights, strict=True)))
            quotient = DefinedForm.of(mean / negative, reading.assume)
            if quotient is None or quotient.given != quotient.arithmetic.constant(
                quotient.arithmetic.field.one
            ):
                continue
            if not all(self.sign(w, reading.assume, depth) == (1, True) for w in weights):
                continue
            levels = [t / w for t, w in zip(positive, weights, strict=True)]
            if not strict or any(  # strict where two of the levels certainly differ
                self.sign(first - second, reading.assume, depth).strict
                for first, second in combinations(levels, 2)
            ):
                return EXACTLY
        return ""


def _parts(e: Expr) -> Iterator[Expr]:
    yield e
    for part in e.args:
        yield from _parts(part)
