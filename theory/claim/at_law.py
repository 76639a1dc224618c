"""Claims with numbers in them, decided at the coefficients of a law.

A number that is typed with a decimal point stands for all that rounds to it: 0.178 for what lies
between 0.1775 and 0.1785. Both sides are enclosed; a claim holds where the enclosures meet, and fails
where they do not. Beside `approx` a whole number alone on its side is rounded as well, and the
answer says how far apart the sides are.

Beside a number alone the other side is worked out: the claim holds only where its value with all
numbers exactly as typed rounds to the number alone (of two numbers alone, to the one with fewer
digits). In a side with letters of the law, all fixed, an argument is always exact (`P(0.1)`), and
beside a number alone so are factors, bases and exponents (`w_N*0.1^-beta`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import Any, Protocol

from mpmath.libmp import to_str
from sympy import (
    Add,
    Expr,
    Integer,
    Mul,
    Rational,
    Symbol,
    expand_log,
    expand_mul,
    expand_power_base,
    log,
)

from ..kernel.answer import BOUNDS, Answer, Decision, undecided, witness_at
from ..kernel.evaluate import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..reader.tokens import CLOSING, Token
from .question import Question
from .vocabulary import Vocabulary

#: Relations beside which a number may be rounded.
ROUNDED = ("==", "approx", "!=")
OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
#: Where letters that the law does not fix are put for a witness.
USUAL = {"C": Integer(10) ** 21, "N": Integer(10) ** 9, "D": Integer(10) ** 11}
MOST_TERMS, DIGITS_SHOWN, MOST_DIGITS = 5, 4, 30
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
    def of(cls, law: HasCoefficients, words: Vocabulary) -> Coefficients:
        """Of a law whose numbers are the decimals that they print as."""
        numbers = law.coefficients(words.notation).items()
        letters = {x: value for x, value in words.names.items() if isinstance(value, Symbol)}
        values = {letters[name]: Rational(repr(x)) for name, x in numbers if x is not None}
        return cls(law.name, values)


# -- numbers as they are typed ---------------------------------------------------------------------


@dataclass(frozen=True)
class TypedSide:
    """One side as it is typed: with a letter for every number that is rounded, and what rounds to
    these; `unit` of the last digit, where the side is a number alone, and 0 where that is exact.
    """

    expression: Expr
    ranges: Mapping[Symbol, Range]
    unit: Rational | None = None


def typed_side(
    tokens: Sequence[Token],
    relation: str,
    read: Callable[..., Expr],
    *,
    is_open: bool = False,
    exact: Collection[int] = (),
) -> TypedSide:
    """The side that the tokens spell; `read(tokens, letters)` makes an expression of them. Beside
    `approx` a side `is_open` where letters are, so that its whole numbers are coefficients. The
    numbers at the places `exact` are not rounded.
    """
    unit = unit_alone(tokens, relation)
    if unit:
        value, letter = read(list(tokens), {}), Symbol("the number", real=True)
        return TypedSide(letter, {letter: (value - unit / 2, value + unit / 2)}, unit)
    ranges: dict[Symbol, Range] = {}
    instead = list(tokens)
    for i, token in enumerate(tokens):
        is_coefficient = is_open and relation == "approx" and _is_coefficient(tokens, i)
        is_rounded = "." in token.text or is_coefficient
        if token.kind == "number" and is_rounded and i not in exact:
            value, letter = Rational(token.text), Symbol(f"number {i}", positive=True)
            half = _unit(token.text) / 2
            ranges[letter] = (value - half, value + half)
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
    is_whole = not scaled and re.fullmatch("[0-9_]+", texts[0]) is not None
    scale = Rational(10) ** int(scaled[1] or 1) if scaled is not None else Integer(1)
    return Integer(0) if is_whole and relation != "approx" else _unit(texts[0]) * scale


def _unit(text: str) -> Rational:
    """Of the last digit of a number."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2].replace("_", ""))
    return Rational(10) ** (int(exponent or 0) - decimals)


def _is_coefficient(tokens: Sequence[Token], i: int) -> bool:
    """Whether a whole number has two digits, and is no exponent and no power of ten."""
    token, before = tokens[i], tokens[max(0, i - 2) : i]
    is_exponent = bool(before) and (
        before[-1].kind == "power" or (before[-1].text == "(" and before[0].kind == "power")
    )
    is_long = token.text.isdigit() and len(token.text) > 1 and token.text.rstrip("0") != "1"
    return is_long and not is_exponent


def _exact(tokens: Sequence[Token], *, is_worked_out: bool) -> set[int]:
    """The places of the numbers that are exact in a side with letters of the law: arguments, and
    in a side that `is_worked_out`, factors, bases and exponents.
    """
    found: set[int] = set()
    is_call = [False]
    for i, token in enumerate(tokens):
        before, after = tokens[max(0, i - 1) : i], tokens[i + 1 : i + 2]
        if token.text in CLOSING:
            is_call.append(is_call[-1] or any(x.kind == "name" for x in before))
        elif token.text in CLOSING.values():
            is_call.pop()
        elif token.kind == "number":
            is_factor = any(x.kind == "power" or x.text in ("*", "/") for x in [*before, *after])
            is_factor |= any(x.kind == "name" or x.text in CLOSING for x in after)
            if is_call[-1] or (is_worked_out and is_factor):
                found.add(i)
    return found


# -- the decision ----------------------------------------------------------------------------------


class _Enclosures(IntervalEvaluator):
    """Enclosures at points some of whose values are ranges."""

    def rational(self, value: Any) -> Any:
        if isinstance(value, tuple):
            low, high = (super(_Enclosures, self).rational(end) for end in value)
            return self.context.mpf([low.a, high.b])
        return super().rational(value)


def at_numbers(
    question: Question,
    parts: Sequence[list[Token]],
    read: Callable[..., Expr],
    law: Coefficients | None,
) -> Decision:
    """A link at the coefficients of a law, or for numbers alone, its numbers as they are typed;
    `read(tokens, letters)` makes an expression of tokens.
    """
    law = law or Coefficients("", {})
    constants = {x: law.values[x] for x in Add.make_args(question.lhs) if x in law.values}
    less = replace(question, lhs=question.lhs.xreplace(constants))  # L - 1.69 where E is 1.69
    power = _power(less, parts[1]) if question.relation == "propto" else None
    if power is not None:
        exponent, tokens = power
        question = replace(question, lhs=exponent, relation="==", rhs=read(tokens))
    letters = question.lhs.free_symbols | question.rhs.free_symbols
    moving = tuple(sorted(letters - law.values.keys(), key=str))
    try:
        for c in question.domain.conditions:
            if c.relation != "!=" and c.expression.free_symbols <= law.values.keys():
                value = IntervalEvaluator().evaluate(c.expression, law.values)
                if certainly_fails(c.relation, value.a, value.b):
                    fails = f"{c.expression} is {_shown(value)}"
                    return undecided(f"what is assumed does not hold{law.at}: {fails}")
        if question.relation not in ROUNDED:
            return _bound(question, law, moving)
        sides: list[TypedSide] = []
        is_beside = any(unit_alone(x, question.relation) is not None for x in parts)
        for part, side in zip(parts, (question.lhs, question.rhs), strict=True):
            is_of_law = bool(side.free_symbols) and not moving
            exact = _exact(part, is_worked_out=is_beside) if is_of_law else ()
            typed = typed_side(part, question.relation, read, is_open=bool(moving), exact=exact)
            sides.append(typed)
        left, right = sides
        if power is not None:
            left, right = TypedSide(exponent, {}), typed_side(tokens, "==", read)
        if moving:
            equal = _term_by_term(question, (left, right), law, moving)
        else:
            equal = _equal(question, (left, right), law)
    except Undefined as error:
        return undecided(f"a side has no value{law.at}: {error}")
    if question.relation == "!=" and equal.refuted:
        return Decision(Answer.PROVED, equal.reason.replace("fails", "holds", 1))
    if question.relation == "!=" and equal.proved:
        return undecided(f"the two sides are equal{law.at} to the digits typed")
    return equal


def is_rounded(question: Question, parts: Sequence[Sequence[Token]]) -> bool:
    """Whether a link is an equality of two numbers, one of them worked out, that has decimals; or a
    proportion whose exponent is such a number: `D^2 propto C^1.1` where D is C^(6/11).
    """
    if question.relation == "propto" and (power := _power(question, parts[1])) is not None:
        exponent, typed = power
        return bool(exponent.is_number and exponent != 0) and any("." in t.text for t in typed)
    is_numbers = question.relation == "==" and question.lhs.is_number and question.rhs.is_number
    has_decimals = any("." in token.text for part in parts for token in part)
    return bool(is_numbers and has_decimals and any(len(part) > 1 for part in parts))


def _power(question: Question, part: Sequence[Token]) -> tuple[Expr, list[Token]] | None:
    """Of `N_opt propto C^0.51`, the exponent of the left side in C and the number that is typed;
    None where the right side is no power of a letter, or the left one no such power.
    """
    typed = [token for token in part if token.text not in "()"]
    letter, *more = sorted(question.rhs.free_symbols, key=str) or [None]
    kinds = [token.kind for token in typed if token.text != "-"]
    if kinds != ["name", "power", "number"] or letter is None or more:
        return None
    logarithm = expand_log(log(question.lhs), force=True)
    exponent = (letter * logarithm.diff(letter)).cancel()
    return None if exponent.has(letter) else (exponent, typed[2:])


def _equal(question: Question, typed: tuple[TypedSide, TypedSide], law: Coefficients) -> Decision:
    """Whether the sides meet, each with all that rounds to its numbers."""
    evaluator, is_near = _Enclosures(), question.relation == "approx"
    left, right = question.values_at(law.values, evaluator)
    apart = ""
    if is_near and certainly_nonzero(right):
        apart = f", {_shown(abs(left / right - 1) * 100, 2)} % apart"
    elif is_near and (typed[0].unit or typed[1].unit):
        near_0 = f"how near {_shown(left)}{law.at} is to 0"
        return undecided(f"{near_0} needs something to compare it with")
    shown = f"{_shown(left)} against {_shown(right)}"
    is_rounded = any(side.ranges for side in typed)
    claimed = _worked_out(question, typed)
    if _meets(claimed, law.values, evaluator):
        if not is_rounded:
            return undecided(f"the two sides are both {_shown(left, 10)}{law.at} as far as seen")
        for side, value in ((claimed[1], left), (claimed[0], right)):
            low, high = side.ranges.get(side.expression, (0, 0))
            if side.unit and low + high != 0:
                digits = len(str(abs(low + high) / (2 * side.unit)))
                shown = _shown(value, max(DIGITS_SHOWN, digits + 1))
                to = f"{digits} digit{'' if digits == 1 else 's'}"
                return Decision(Answer.PROVED, f"holds to {to}{law.at}: {shown}{apart}")
        return Decision(Answer.PROVED, f"holds{law.at} to the digits typed: {shown}{apart}")
    if is_near and not is_rounded:
        return undecided(f"{shown}{law.at}{apart}; how near is meant is not said")
    fails = _fails(question, law, left, right)
    if _meets(typed, {**law.values, **law.ranges}, evaluator):
        return undecided(f"{fails.reason}; not so for all that rounds to these")
    return replace(fails, reason=f"{fails.reason}{apart}")


def _worked_out(
    question: Question, typed: tuple[TypedSide, TypedSide]
) -> tuple[TypedSide, TypedSide]:
    """The sides where the one beside a number alone has its numbers as they are typed; of two
    numbers alone, that with more digits has.
    """
    left, right = typed
    if left.unit is None and right.unit is None:
        return typed
    if right.unit is None or (left.unit is not None and left.unit > right.unit):
        return left, TypedSide(question.rhs, {})
    return TypedSide(question.lhs, {}), right


def _meets(
    typed: Sequence[TypedSide], values: Mapping[Symbol, Any], evaluator: IntervalEvaluator
) -> bool:
    """Whether the sides, with all that rounds to their numbers, may be the same."""
    left, right = (evaluator.evaluate(s.expression, {**values, **s.ranges}) for s in typed)
    return not certainly_nonzero(left - right)


def _fails(
    question: Question,
    law: Coefficients,
    left: Any,
    right: Any,
    point: Mapping[Symbol, Rational] | None = None,
) -> Decision:
    letters = question.lhs.free_symbols | question.rhs.free_symbols
    values = {**law.values, **(point or {})}
    whole = {x: value for x, value in values.items() if x in letters}
    witness = witness_at(whole, *question.values_at(whole, IntervalEvaluator()))
    reason = f"fails{law.at}: {_told_apart(left, right)}"
    return Decision(Answer.REFUTED, reason, witness=witness)


def _bound(question: Question, law: Coefficients, moving: tuple[Symbol, ...]) -> Decision:
    """An order: by the values where the law fixes all letters."""
    if not moving and question.relation in BOUNDS:
        left, right = question.values_at(law.values, IntervalEvaluator())
        gap = left - right
        if certainly_fails(question.relation, gap.a, gap.b):
            return _fails(question, law, left, right)
        if certainly_fails(OPPOSITE[question.relation], gap.a, gap.b):
            return Decision(Answer.PROVED, f"holds{law.at}: {_told_apart(left, right)}")
        return undecided(f"the two sides are both {_shown(left, 10)}{law.at} as far as seen")
    names = ", ".join(map(str, moving)) or "the limit"
    return undecided(f"{names} is not fixed{law.at}")


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
        all(map(_are_near, left, order)) for order in permutations(right)
    ):
        return Decision(Answer.PROVED, f"every term agrees to the digits typed{law.at}")
    pairs = ((x, y) for terms in sides for i, x in enumerate(terms) for y in terms[:i])
    if any(_are_near(x[1:], y[1:]) for x, y in pairs):
        return undecided(f"the terms do not agree one by one{law.at}")
    point = {x: USUAL.get(str(x), Integer(10) ** 3) for x in moving}
    for one, other in product(left, right):
        if _are_near(one[1:], other[1:]) and not _are_near(one, other):
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


def _are_near(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two tuples of enclosures may be the same."""
    return not any(certainly_nonzero(x - y) for x, y in zip(one, other, strict=True))


def _told_apart(left: Any, right: Any) -> str:
    """Both values, with as many digits as tell them apart."""
    digits = DIGITS_SHOWN
    while digits < MOST_DIGITS and _shown(left, digits) == _shown(right, digits):
        digits += 1
    return f"{_shown(left, digits)} against {_shown(right, digits)}"


def _shown(value: Any, digits: int = DIGITS_SHOWN) -> str:
    return str(to_str(value.mid._mpi_[0], digits))
