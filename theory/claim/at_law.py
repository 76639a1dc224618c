"""Claims with numbers in them, decided at the coefficients of a law.

A number that is typed with a decimal point stands for all that rounds to it: 0.178 for what lies
between 0.1775 and 0.1785. Both sides are enclosed; a claim holds where the enclosures meet, and fails
where they do not. Beside `approx` a whole number is rounded as well, and the answer says how far
apart the sides are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any, Protocol

from mpmath.libmp import round_nearest, to_int, to_str
from sympy import Add, Expr, Integer, Mul, Rational, Symbol, expand_mul, expand_power_base

from ..data.notation import Notation
from ..kernel.answer import BOUNDS, Answer, Decision, undecided, witness_at
from ..kernel.interval import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..reader.tokens import Token
from .question import Question

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

    @property
    def at(self) -> str:
        """Where the numbers hold, for an answer."""
        return f" at {self.name}" if self.name else ""

    @classmethod
    def of(
        cls, law: HasCoefficients, notation: Notation, letters: Mapping[str, Any]
    ) -> Coefficients:
        """Of a law whose numbers are the decimals that they print as."""
        numbers = law.coefficients(notation).items()
        values = {letters[name]: Rational(repr(x)) for name, x in numbers if x is not None}
        return cls(law.name, values)


# -- numbers as they are typed ---------------------------------------------------------------------


@dataclass(frozen=True)
class TypedSide:
    """One side as it is typed.

    Attributes
    ----------
    expression : sympy.Expr
        With a letter for every number that is rounded.
    ranges : mapping of Symbol to pair of Rational
        What rounds to these numbers.
    unit : Rational or None
        Of the last digit, where the side is a number alone; 0 where that is exact.
    """

    expression: Expr
    ranges: Mapping[Symbol, Range]
    unit: Rational | None = None


def typed_side(tokens: Sequence[Token], relation: str, read: Callable[..., Expr]) -> TypedSide:
    """The side that the tokens spell; `read(tokens, letters)` makes an expression of them."""
    unit = unit_alone(tokens, relation)
    if unit:
        value, letter = read(list(tokens), {}), Symbol("the number", real=True)
        return TypedSide(letter, {letter: (value - unit / 2, value + unit / 2)}, unit)
    ranges: dict[Symbol, Range] = {}
    instead = list(tokens)
    for i, token in enumerate(tokens):
        half = _unit_within(token, tokens[max(0, i - 2) : i], relation) / 2
        if half:
            value, letter = Fraction(token.text), Symbol(f"number {i}", positive=True)
            ranges[letter] = (_rational(value - half), _rational(value + half))
            instead[i] = Token("name", letter.name, token.position)
    return TypedSide(read(instead, {letter.name: letter for letter in ranges}), ranges, unit)


def unit_alone(tokens: Sequence[Token], relation: str) -> Rational | None:
    """The unit of a number alone, `-0.178` or `1.4*10^12`; None where it is more. A whole number is
    exact in an equality, but for a power of ten; beside `approx` its last digit is the one typed:
    20 stands for what lies between 19.5 and 20.5.
    """
    texts = [token.text for token in tokens if token.text not in ("(", ")")]
    texts = texts[1:] if texts[:1] == ["-"] else texts
    if not texts or not re.fullmatch(r"[0-9._]+(?:[eE][+-]?[0-9]+)?", texts[0]):
        return None
    power = "".join(texts[1:]).replace("**", "^")
    scaled = re.fullmatch(r"\*?10(?:\^([+-]?[0-9]{1,3}))?", power)
    if power and scaled is None:
        return None
    scale = Fraction(10) ** int(scaled[1] or 1) if scaled is not None else Fraction(1)
    is_whole = not scaled and re.fullmatch("[0-9_]+", texts[0]) is not None
    return Integer(0) if is_whole and relation != "approx" else _rational(_unit(texts[0]) * scale)


def _unit(text: str) -> Fraction:
    """Of the last digit of a number."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2].replace("_", ""))
    return Fraction(10) ** (int(exponent or 0) - decimals)


def _unit_within(token: Token, before: Sequence[Token], relation: str) -> Fraction:
    """Of a number inside a side: rounded where it has a decimal point, and beside `approx` where it
    has two digits and is no exponent and no power of ten; 0 where it is exact.
    """
    if token.kind != "number":
        return Fraction(0)
    if "." in token.text:
        return _unit(token.text)
    is_exponent = bool(before) and (
        before[-1].kind == "power" or (before[-1].text == "(" and before[0].kind == "power")
    )
    is_long = token.text.isdigit() and len(token.text) > 1 and token.text.rstrip("0") != "1"
    return Fraction(int(relation == "approx" and is_long and not is_exponent))


def _rational(value: Fraction) -> Rational:
    return Rational(value.numerator, value.denominator)


# -- the decision ----------------------------------------------------------------------------------


class _Enclosures(IntervalEvaluator):
    """Enclosures at points some of whose values are ranges."""

    def rational(self, value: Any) -> Any:
        if isinstance(value, tuple):
            low, high = (super(_Enclosures, self).rational(end) for end in value)
            return self.context.mpf([low.a, high.b])
        return super().rational(value)


def compared(
    question: Question, typed: tuple[TypedSide, TypedSide] | None, law: Coefficients | None
) -> Decision:
    """The decision at the coefficients of a law, or for numbers alone; `typed` are the sides of an
    equality or of `approx` as they are typed, None where the claim is a bound or a limit.
    """
    law = law or Coefficients("", {})
    try:
        if (failing := _failing_assumption(question, law)) is not None:
            return undecided(f"what is assumed does not hold{law.at}: {failing}")
        if typed is None:
            return _bound(question, law)
        if question.relation != "!=":
            return _equal(question, typed, law)
        equal = _equal(replace(question, relation="=="), typed, law)
        if equal.refuted:
            return Decision(Answer.PROVED, equal.reason.replace("fails", "holds", 1))
        said = f"the two sides are equal{law.at} to the digits typed"
        return undecided(said) if equal.proved else equal
    except Undefined as error:
        return undecided(f"a side has no value{law.at}: {error}")


def _failing_assumption(question: Question, law: Coefficients) -> str | None:
    for condition in question.domain.conditions:
        e, relation = condition.expression, condition.relation
        if relation != "!=" and e.free_symbols <= law.values.keys():
            value = IntervalEvaluator().evaluate(e, law.values)
            if certainly_fails(relation, value.a, value.b):
                return f"{e} is {_shown(value)}"
    return None


def _equal(question: Question, typed: tuple[TypedSide, TypedSide], law: Coefficients) -> Decision:
    """Whether the sides meet, each with all that rounds to its numbers."""
    if moving := _left_open(question, law):
        return _term_by_term(question, typed, law, moving)
    evaluator = _Enclosures()
    left, right = question.values_at(law.values, evaluator)
    near, all_near = (
        [
            evaluator.evaluate(side.expression, {**law.values, **more, **side.ranges})
            for side in typed
        ]
        for more in ({}, law.ranges)
    )
    is_near, is_rounded = question.relation == "approx", any(side.ranges for side in typed)
    apart = ""
    if is_near and certainly_nonzero(right):
        apart = f", {_shown(abs(left / right - 1) * 100, 2)} % apart"
    if is_near and any(
        s.unit and not certainly_nonzero(x) for s, x in zip(typed, (left, right), strict=True)
    ):
        return undecided(
            f"how near {_shown(left)}{law.at} is to 0 needs something to compare it with"
        )
    if not certainly_nonzero(near[0] - near[1]):
        if not is_rounded:
            return undecided(f"the two sides are both {_shown(left, 10)}{law.at} as far as seen")
        shown = f"{_shown(left)} against {_shown(right)}"
        number, value, unit = next(
            (
                (x, y, s.unit)
                for s, x, y in zip(typed[::-1], (right, left), (left, right), strict=True)
                if s.unit
            ),
            (None, None, None),
        )
        if number is None or number.mid == 0:
            return Decision(Answer.PROVED, f"holds{law.at} to the digits typed: {shown}{apart}")
        digits = len(
            str(to_int(abs(number / evaluator.rational(unit)).mid._mpi_[0], round_nearest))
        )
        to = f"to {digits} digit{'' if digits == 1 else 's'}"
        shown = _shown(value, max(DIGITS_SHOWN, digits + 1))
        return Decision(Answer.PROVED, f"holds {to}{law.at}: {shown}{apart}")
    if is_near and not is_rounded:
        shown = f"{_shown(left)} against {_shown(right)}{law.at}{apart}"
        return undecided(f"{shown}; how near is meant is not said")
    fails = _fails(question, law, left, right)
    if not certainly_nonzero(all_near[0] - all_near[1]):
        return undecided(f"{fails.reason}; not so for all that rounds to these")
    return replace(fails, reason=f"{fails.reason}{apart}")


def _left_open(question: Question, law: Coefficients) -> tuple[Symbol, ...]:
    """The letters that the law does not fix."""
    letters = question.lhs.free_symbols | question.rhs.free_symbols
    return tuple(sorted(letters - law.values.keys(), key=str))


def _fails(
    question: Question,
    law: Coefficients,
    left: Any,
    right: Any,
    point: Mapping[Symbol, Rational] | None = None,
) -> Decision:
    digits = DIGITS_SHOWN
    while digits < 12 and _shown(left, digits) == _shown(right, digits):
        digits += 1
    letters = question.lhs.free_symbols | question.rhs.free_symbols
    values = {**law.values, **(point or {})}
    whole = {x: value for x, value in values.items() if x in letters}
    witness = witness_at(whole, *question.values_at(whole, IntervalEvaluator()))
    reason = f"fails{law.at}: {_shown(left, digits)} against {_shown(right, digits)}"
    return Decision(Answer.REFUTED, reason, witness=witness)


def _bound(question: Question, law: Coefficients) -> Decision:
    """An order or a limit: by the values where the law fixes all letters, else for every law whose
    exponents are ordered as here.
    """
    moving = _left_open(question, law)
    if not moving and question.relation in BOUNDS:
        left, right = question.values_at(law.values, IntervalEvaluator())
        if certainly_fails(question.relation, (left - right).a, (left - right).b):
            return _fails(question, law, left, right)
        opposite = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}[question.relation]
        if certainly_fails(opposite, (left - right).a, (left - right).b):
            shown = f"{_shown(left)} against {_shown(right)}"
            return Decision(Answer.PROVED, f"holds{law.at}: {shown}")
        return undecided(f"the two sides are both {_shown(left, 10)}{law.at} as far as seen")
    exponents = {x: e for x, e in law.values.items() if str(x) in ("alpha", "beta", "gamma")}
    ordered = [x - y for x, y in product(exponents, repeat=2) if exponents[x] > exponents[y]]
    domain = replace(question.domain, positive=[*question.domain.positive, *ordered])
    decision = replace(question, domain=domain).decide()
    if decision.proved:
        others = tuple(c for c in decision.conditions if c.expression not in ordered)
        return Decision(Answer.PROVED, f"{decision.reason}{law.at}", others)
    return undecided(f"{', '.join(map(str, moving))} is not fixed{law.at}: {decision.reason}")


# -- term by term ----------------------------------------------------------------------------------


def _term_by_term(
    question: Question,
    typed: tuple[TypedSide, TypedSide],
    law: Coefficients,
    moving: tuple[Symbol, ...],
) -> Decision:
    """Sums of powers of the letters that are not fixed agree where their terms do: `N_opt approx
    0.6*C^0.45`.
    """
    names = " and ".join(map(str, moving))
    if any(side.unit is not None for side in typed):
        fix = f"--assume '{moving[0]} == ...' fixes it"
        return undecided(f"it hangs on {names}, which the law leaves open; {fix}")
    if not any(side.ranges for side in typed):
        return undecided(f"no number is rounded, and {names} is left open{law.at}")
    evaluator, sides = _Enclosures(), []
    for side in typed:
        terms = _terms(side.expression, moving)
        if terms is None:
            return undecided(f"the sides are no sums of powers of {names}")
        at = {**law.values, **side.ranges}
        sides.append([[evaluator.evaluate(e, at) for e in term] for term in terms])
    left, right = sides
    if len(left) == len(right) and any(
        all(map(_meet, left, order)) for order in permutations(right)
    ):
        return Decision(Answer.PROVED, f"every term agrees to the digits typed{law.at}")
    pairs = ((x, y) for terms in sides for i, x in enumerate(terms) for y in terms[:i])
    if any(_meet(x[1:], y[1:]) for x, y in pairs):
        return undecided(f"the terms do not agree one by one{law.at}")
    point = {x: USUAL.get(str(x), Integer(10) ** 3) for x in moving}
    for one, other in product(left, right):
        if _meet(one[1:], other[1:]) and not _meet(one, other):
            return _fails(question, law, one[0], other[0], point)
    fails = _fails(question, law, left[0][0], right[0][0], point)
    return replace(fails, reason=f"the powers of {names} differ{law.at}")


def _terms(e: Expr, moving: Sequence[Symbol]) -> list[tuple[Expr, ...]] | None:
    """Each term as its coefficient and its exponents of the letters; None where one is no such
    product.
    """
    found = []
    for term in Add.make_args(expand_mul(e)):
        exponents = dict.fromkeys(moving, Integer(0))
        coefficient = Integer(1)
        for factor in Mul.make_args(expand_power_base(term, force=True)):
            base, power = factor.as_base_exp()
            if not factor.has(*moving):
                coefficient *= factor
            elif base in exponents and not power.has(*moving):
                exponents[base] += power
            else:
                return None
        found.append((coefficient, *exponents.values()))
    return found if len(found) <= MOST_TERMS else None


def _meet(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two tuples of enclosures may be the same."""
    return not any(certainly_nonzero(x - y) for x, y in zip(one, other, strict=True))


def _shown(value: Any, digits: int = DIGITS_SHOWN) -> str:
    return str(to_str(value.mid._mpi_[0], digits))
