"""Claims with numbers in them, decided at the coefficients of a law.

A number that is typed with a decimal point is rounded: 0.178 stands for what lies between 0.1775
and 0.1785. A claim holds where some numbers that round to the typed ones make both sides equal;
beside a number alone, all others are exact. Beside `approx` every number is judged by its own
digits, half a unit of the last one typed, also where it has no decimal point; the answer says how
far apart the sides are. Values are enclosed by interval arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from typing import Any, Protocol

from mpmath.libmp import round_nearest, to_int, to_str
from sympy import Add, Expr, Integer, Mul, Rational, Symbol, expand_mul, expand_power_base

from ..data.notation import Notation
from ..kernel.answer import Answer, Decision, Witness, undecided, witness_at
from ..kernel.interval import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..reader.tokens import Token
from .question import BOUNDS, Question

#: Relations beside which a number may be rounded.
ROUNDED = ("==", "approx", "!=")
#: Where letters that the law does not fix are put for a witness.
USUAL = {"C": Integer(10) ** 21, "N": Integer(10) ** 9, "D": Integer(10) ** 11}
MOST_TERMS = 5
DIGITS_SHOWN = 4
Range = tuple[Rational, Rational]


class HasCoefficients(Protocol):
    """A law, as `isoflop.law` gives it."""

    @property
    def name(self) -> str: ...

    def coefficients(self, notation: Any = ..., /) -> Mapping[str, float | None]: ...


@dataclass(frozen=True)
class Coefficients:
    """The numbers of a law in the letters of a notation, and of a document what rounds to them."""

    name: str
    values: Mapping[Symbol, Rational]
    ranges: Mapping[Symbol, Range] = field(default_factory=dict)

    @classmethod
    def of(
        cls, law: HasCoefficients, notation: Notation, letters: Mapping[str, Any]
    ) -> Coefficients:
        """Of a law whose numbers are the decimals that they print as."""
        return cls(
            law.name,
            {
                letters[name]: Rational(repr(value))
                for name, value in law.coefficients(notation).items()
                if value is not None
            },
        )


@dataclass(frozen=True)
class TypedSide:
    """One side as it is typed.

    Attributes
    ----------
    expression : sympy.Expr
        With a letter for every number that has a decimal point.
    ranges : mapping of Symbol to pair of Rational
        What rounds to these numbers.
    unit : Rational or None
        Of the last digit, where the side is a number alone; 0 where that is exact.
    """

    expression: Expr
    ranges: Mapping[Symbol, Range]
    unit: Rational | None


def typed_side(tokens: Sequence[Token], relation: str, read: Callable[..., Expr]) -> TypedSide:
    """The side that the tokens spell; `read(tokens, letters)` makes an expression of them."""
    ranges: dict[Symbol, Range] = {}
    instead: list[Token] = []
    for i, token in enumerate(tokens):
        unit = _unit_within(token, tokens[max(0, i - 2) : i], relation)
        if unit is not None:
            value, half = Fraction(token.text), unit / 2
            letter = Symbol(f"{token.text} at {token.position}", positive=True)
            ranges[letter] = (_rational(value - half), _rational(value + half))
            token = Token("name", letter.name, token.position)
        instead.append(token)
    letters = {letter.name: letter for letter in ranges}
    return TypedSide(read(instead, letters), ranges, unit_alone(tokens, relation))


def _unit(text: str) -> Fraction:
    """Of the last digit of a number with a decimal point."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2].replace("_", ""))
    return Fraction(10) ** (int(exponent or 0) - decimals)


def _unit_within(token: Token, before: Sequence[Token], relation: str) -> Fraction | None:
    """Of a number inside a side: rounded where it has a decimal point, and beside `approx` where it
    has two digits and is no exponent and no power of ten.
    """
    if token.kind != "number":
        return None
    if "." in token.text:
        return _unit(token.text)
    exponent = before[-1:] and (
        before[-1].kind == "power" or (before[-1].text == "(" and before[0].kind == "power")
    )
    digits = token.text.rstrip("0")
    if (
        relation != "approx"
        or exponent
        or not token.text.isdigit()
        or len(token.text) < 2
        or digits == "1"
    ):
        return None
    return Fraction(1)


def unit_alone(tokens: Sequence[Token], relation: str) -> Rational | None:
    """Of a number alone, `-0.178` or `1.4*10^12`. A whole number is exact in an equality; beside
    `approx` its last digit is the one typed: 20 stands for what lies between 19.5 and 20.5.
    """
    texts = [token.text for token in tokens if token.text not in ("(", ")")]
    texts = texts[1:] if texts[:1] == ["-"] else texts
    if not texts or not re.fullmatch(r"[0-9._]+(?:[eE][+-]?[0-9]+)?", texts[0]):
        return None
    scale = Fraction(1)
    if len(texts) > 1:
        power = "".join(texts[1:]).replace("**", "^")
        match = re.fullmatch(r"\*?10(?:\^([+-]?[0-9]{1,3}))?", power)
        if match is None:
            return None
        scale = Fraction(10) ** int(match[1] or 1)
    mantissa, _, exponent = texts[0].lower().partition("e")
    if "." in mantissa:
        return _rational(_unit(texts[0]) * scale)
    if relation != "approx":
        return (
            Integer(0)
            if len(texts) == 1 and not exponent
            else _rational(scale * Fraction(10) ** int(exponent or 0))
        )
    return _rational(Fraction(10) ** int(exponent or 0) * scale)


def _rational(value: Fraction) -> Rational:
    return Rational(value.numerator, value.denominator)


class _Enclosures(IntervalEvaluator):
    """Enclosures at points some of whose values are ranges."""

    def rational(self, value: Any) -> Any:
        if isinstance(value, tuple):
            low, high = (super(_Enclosures, self).rational(end) for end in value)
            return self.context.mpf([low.a, high.b])
        return super().rational(value)


@dataclass(frozen=True)
class ComparisonAtLaw:
    """Two sides at the coefficients of a law, each exact and as typed."""

    question: Question
    typed: tuple[TypedSide, TypedSide] | None
    """The sides of an equality or of `approx`."""
    law: Coefficients | None

    @property
    def where(self) -> str:
        return "" if self.law is None else f" at {self.law.name}"

    @property
    def values(self) -> Mapping[Symbol, Rational]:
        return {} if self.law is None else self.law.values

    @property
    def left_over(self) -> tuple[Symbol, ...]:
        """The letters that the law does not fix."""
        letters = self.question.lhs.free_symbols | self.question.rhs.free_symbols
        return tuple(sorted(letters - self.values.keys(), key=str))

    def decide(self) -> Decision:
        """The decision; what fails at rounded numbers is refuted where it fails at all that round to
        them.
        """
        decision = self._decide()
        law = self.law
        if not decision.refuted or law is None or not law.ranges:
            return decision
        if self.typed is None or not self._fails_throughout(law, self.typed):
            return undecided(f"{decision.reason}; not so for all that rounds to these")
        return decision

    def _fails_throughout(self, law: Coefficients, sides: tuple[TypedSide, TypedSide]) -> bool:
        evaluator = _Enclosures()
        left, right = (
            evaluator.evaluate(side.expression, {**law.values, **law.ranges, **side.ranges})
            for side in sides
        )
        unit = next((side.unit for side in sides if side.unit is not None), Integer(0))
        return bool((abs(left - right) - evaluator.rational(unit) / 2).a > 0)

    def _decide(self) -> Decision:
        try:
            failing = self._failing_assumption()
            if failing is not None:
                return undecided(f"what is assumed does not hold{self.where}: {failing}")
            if self.typed is None:
                return self._bound()
            if self.question.relation == "!=":
                return self._apart(self.typed)
            if self.left_over:
                return self._term_by_term(self.typed)
            return self._at_a_point(self.typed)
        except Undefined as error:
            return undecided(f"a side has no value{self.where}: {error}")

    def _apart(self, sides: tuple[TypedSide, TypedSide]) -> Decision:
        """`!=` is what the equality to the digits typed is not."""
        equal = replace(self, question=replace(self.question, relation="=="))
        decision = equal._term_by_term(sides) if self.left_over else equal._at_a_point(sides)
        if decision.refuted:
            reason = decision.reason.replace("fails", "holds", 1)
            return Decision(Answer.PROVED, reason)
        if decision.proved:
            return undecided(f"the two sides are equal{self.where} to the digits typed")
        return decision

    def _failing_assumption(self) -> str | None:
        for condition in self.question.domain.conditions:
            e, relation = condition.expression, condition.relation
            if relation != "!=" and e.free_symbols <= self.values.keys():
                value = IntervalEvaluator().evaluate(e, self.values)
                if certainly_fails(relation, value.a, value.b):
                    return f"{e} is {_shown(value)}"
        return None

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _at_a_point(self, sides: tuple[TypedSide, TypedSide]) -> Decision:
        evaluator = _Enclosures()
        left, right = self.question.values_at(self.values, evaluator)
        for (one, other), typed in zip(((right, left), (left, right)), sides[::-1], strict=True):
            if typed.unit is not None:
                unit = evaluator.rational(typed.unit)
                return self._rounded(other, one, unit, self.question.relation)
        if any(typed.ranges for typed in sides):
            low, high = (
                evaluator.evaluate(side.expression, {**self.values, **side.ranges})
                for side in sides
            )
            if certainly_nonzero(low - high):
                return self._fails(left, right)
            shown = f"{_shown(left)} against {_shown(right)}"
            return Decision(Answer.PROVED, f"holds{self.where} to the digits typed: {shown}")
        if certainly_nonzero(left - right) and self.question.relation == "==":
            return self._fails(left, right)
        if self.question.relation == "==":
            return undecided(
                f"the two sides are both {_shown(left, 10)}{self.where} as far as seen"
            )
        apart = abs(left / right - 1) * 100
        reason = f"{_shown(left)} against {_shown(right)}{self.where}, {_shown(apart, 2)} % apart; how near is meant is not said"
        return undecided(reason)

    def _rounded(self, value: Any, number: Any, unit: Any, relation: str) -> Decision:
        """Whether a value rounds to a number of this unit."""
        if relation == "approx" and not certainly_nonzero(number):
            reason = (
                f"how near {_shown(value)}{self.where} is to 0 needs something to compare it with"
            )
            return undecided(reason)
        distance = abs(value - number)
        digits = _digits(number, unit)
        if (distance - unit / 2).b <= 0:
            return self._holds(value, number, digits)
        if (distance - unit / 2).a > 0:
            return self._fails(value, number)
        return undecided(
            f"{_shown(value)}{self.where} lies on the edge of what rounds to {_shown(number)}"
        )

    def _holds(self, value: Any, number: Any, digits: int | None) -> Decision:
        to = f" to {digits} digit{'' if digits == 1 else 's'}" if digits else ""
        shown = _shown(value, max(DIGITS_SHOWN, (digits or 0) + 1))
        return Decision(
            Answer.PROVED, f"holds{to}{self.where}: {shown}{self._apart_by(value, number)}"
        )

    def _apart_by(self, value: Any, number: Any) -> str:
        """Beside `approx`, how far the sides are apart."""
        if self.question.relation != "approx" or not certainly_nonzero(number):
            return ""
        return f", {_shown(abs(value / number - 1) * 100, 2)} % apart"

    def _fails(
        self, left: Any, right: Any, point: Mapping[Symbol, Rational] | None = None
    ) -> Decision:
        digits = DIGITS_SHOWN
        while digits < 12 and _shown(left, digits) == _shown(right, digits):
            digits += 1
        reason = f"fails{self.where}: {_shown(left, digits)} against {_shown(right, digits)}"
        reason += self._apart_by(left, right)
        return Decision(Answer.REFUTED, reason, witness=self._witness(point or {}))

    def _witness(self, point: Mapping[Symbol, Rational]) -> Witness:
        letters = self.question.lhs.free_symbols | self.question.rhs.free_symbols
        whole = {x: value for x, value in {**self.values, **point}.items() if x in letters}
        evaluator = IntervalEvaluator()
        return witness_at(
            whole,
            *self.question.values_at(whole, evaluator),
        )

    # -- bounds --------------------------------------------------------------------------------------------------------

    def _bound(self) -> Decision:
        """An order or a limit: by the values where the law fixes all letters, else for every law
        whose exponents are ordered as here.
        """
        question = self.question
        if not self.left_over and question.relation in (*BOUNDS, "!="):
            evaluator = IntervalEvaluator()
            left, right = question.values_at(self.values, evaluator)
            distance = left - right
            positive, negative = bool(distance.a > 0), bool(distance.b < 0)
            holds = {">": positive, ">=": positive, "<": negative, "<=": negative}.get(
                question.relation, positive or negative
            )
            if holds:
                return Decision(
                    Answer.PROVED, f"holds{self.where}: {_shown(left)} against {_shown(right)}"
                )
            if positive or negative:
                return self._fails(left, right)
            return undecided(
                f"the two sides are both {_shown(left, 10)}{self.where} as far as seen"
            )
        ordered = [
            x - y
            for x, value in self.values.items()
            for y, other in self.values.items()
            if value > other and {str(x), str(y)} <= {"alpha", "beta", "gamma"}
        ]
        domain = replace(question.domain, positive=[*question.domain.positive, *ordered])
        decision = replace(question, domain=domain).decide()
        if decision.proved:
            others = tuple(c for c in decision.conditions if c.expression not in ordered)
            return Decision(Answer.PROVED, f"{decision.reason}{self.where}", others)
        names = ", ".join(map(str, self.left_over))
        return undecided(f"{names} is not fixed{self.where}: {decision.reason}")

    # -- terms ---------------------------------------------------------------------------------------------------------

    def _term_by_term(self, sides: tuple[TypedSide, TypedSide]) -> Decision:
        """Sums of powers of the letters that are not fixed agree where their terms do."""
        moving = self.left_over
        names = " and ".join(map(str, moving))
        if any(typed.unit is not None for typed in sides) and len(moving):
            fix = f"--assume '{moving[0]} == ...' fixes it"
            return undecided(f"it hangs on {names}, which the law leaves open; {fix}")
        if not any(typed.ranges for typed in sides):
            return undecided(f"no number is rounded, and {names} is left open{self.where}")
        evaluator = _Enclosures()
        ranges = {**self.values, **sides[0].ranges, **sides[1].ranges}
        both = [_terms(typed.expression, moving) for typed in sides]
        left, right = (
            None
            if terms is None
            else [tuple(evaluator.evaluate(e, ranges) for e in term) for term in terms]
            for terms in both
        )
        if left is None or right is None:
            return undecided(f"the sides are no sums of powers of {names}")
        if len(left) == len(right) and any(
            all(_meet(one, other) for one, other in zip(left, order, strict=True))
            for order in permutations(right)
        ):
            return Decision(Answer.PROVED, f"every term agrees to the digits typed{self.where}")
        if not (_all_apart(left) and _all_apart(right)):
            return undecided(f"the terms do not agree one by one{self.where}")
        point = {x: USUAL.get(str(x), Integer(10) ** 3) for x in moving}
        pair = next(
            (
                (one, other)
                for one in left
                for other in right
                if _meet(one[1:], other[1:]) and not _meet(one, other)
            ),
            None,
        )
        if pair is not None:
            return self._fails(pair[0][0], pair[1][0], point)
        reason = f"the powers of {names} differ{self.where}"
        return Decision(Answer.REFUTED, reason, witness=self._witness(point))


def _terms(e: Expr, moving: Sequence[Symbol]) -> list[tuple[Expr, ...]] | None:
    """Each term as its coefficient and its exponents of the letters; None where one is no such
    product.
    """
    found = []
    for term in Add.make_args(expand_mul(e)):
        factors = Mul.make_args(expand_power_base(term, force=True))
        exponents = dict.fromkeys(moving, Integer(0))
        coefficient = Integer(1)
        for factor in factors:
            base, power = factor.as_base_exp()
            if not factor.has(*moving):
                coefficient *= factor
            elif base in exponents and not power.has(*moving):
                exponents[base] += power
            else:
                return None
        found.append((coefficient, *exponents.values()))
    return found if len(found) <= MOST_TERMS else None


def _apart(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two enclosed tuples certainly differ."""
    return any(certainly_nonzero(x - y) for x, y in zip(one, other, strict=True))


def _meet(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return not _apart(one, other)


def _all_apart(terms: Sequence[Sequence[Any]]) -> bool:
    """Whether no two terms have the same exponents."""
    return all(_apart(x[1:], y[1:]) for i, x in enumerate(terms) for y in terms[:i])


def _digits(number: Any, unit: Any) -> int | None:
    """How many digits of the number are certain."""
    if unit.mid == 0 or number.mid == 0:
        return None
    return len(str(to_int(abs(number / unit).mid._mpi_[0], round_nearest)))


def _shown(value: Any, digits: int = DIGITS_SHOWN) -> str:
    return str(to_str(value.mid._mpi_[0], digits))
