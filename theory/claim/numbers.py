"""Claims with numbers in them, decided at the coefficients of a law.

A number with a decimal point stands for all that rounds to it, 0.178 for the values between 0.1775
and 0.1785, and so does a whole number alone beside `approx`; only an argument, `P(0.1)`, is exact. A
claim is proved where one side, its numbers as they are typed, rounds to the number alone on the
other; it is refuted where it fails for all values that round to the numbers of both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mpmath.libmp import to_str
from sympy import Add, Expr, Integer, Rational, Symbol, expand_log, log

from ..kernel.answer import BOUNDS, Answer, Decision, undecided, weaker, witness_at
from ..kernel.decide import is_zero
from ..kernel.evaluate import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..reader.tokens import CLOSING, Token
from .question import Question
from .vocabulary import Vocabulary

OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
DIGITS_SHOWN, MOST_DIGITS = 4, 30
Range = tuple[Rational, Rational]


class HasCoefficients(Protocol):
    """A law, as `isoflop.law` gives it."""

    @property
    def name(self) -> str: ...
    def coefficients(self, notation: Any = ..., /) -> Mapping[str, float | None]: ...


@dataclass(frozen=True)
class Coefficients:
    """The numbers of a law in the letters of a notation, with the ranges that round to those of a
    document.
    """

    name: str
    values: Mapping[Symbol, Rational]
    ranges: Mapping[Symbol, Range] = field(default_factory=dict)

    @property
    def at(self) -> str:
        """The law at which the numbers hold, for an answer: ` at besiroglu2024`."""
        return f" at {self.name}" if self.name else ""

    @classmethod
    def of(cls, law: HasCoefficients, words: Vocabulary) -> Coefficients:
        """The coefficients of a law, each the decimal that it prints as."""
        numbers = law.coefficients(words.notation).items()
        letters = {x: value for x, value in words.names.items() if isinstance(value, Symbol)}
        values = {letters[name]: Rational(repr(x)) for name, x in numbers if x is not None}
        return cls(law.name, values)


# -- numbers as they are typed ---------------------------------------------------------------------


@dataclass(frozen=True)
class NumericSide:
    """One side with its numbers as they are typed, and with a letter for each that is rounded."""

    typed: Expr
    rounded: Expr
    ranges: Mapping[Symbol, Range]

    @property
    def width(self) -> Rational | None:
        """The width of the range that rounds to it, if it is a number alone."""
        low, high = self.ranges.get(self.rounded, (Integer(0), -Integer(1)))
        return None if high < low else high - low


def unit_alone(tokens: Sequence[Token], relation: str) -> Rational | None:
    """The unit in the last place of a number alone, `-0.178` or `1.4*10^12`; None where the side is
    more. A whole number without a power of ten is exact in an equality; beside `approx` 20 stands
    for the values between 19.5 and 20.5.
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
    """The unit in the last place of a number as typed."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2].replace("_", ""))
    return Rational(10) ** (int(exponent or 0) - decimals)


def _side(
    tokens: Sequence[Token],
    relation: str,
    read: Callable[..., Expr],
    functions: Collection[str],
) -> NumericSide:
    """The side that the tokens spell; `read(tokens, letters)` makes an expression of them."""
    typed = read(list(tokens), {})
    if (unit := unit_alone(tokens, relation)) is not None:
        letter = Symbol("the number", real=True)
        return NumericSide(typed, letter, {letter: (typed - unit / 2, typed + unit / 2)})
    ranges: dict[Symbol, Range] = {}
    instead, is_argument = list(tokens), [False]
    for i, token in enumerate(tokens):
        if token.text in CLOSING:
            is_call = i > 0 and tokens[i - 1].text in functions
            is_argument.append(is_argument[-1] or is_call)
        elif token.text in CLOSING.values():
            is_argument.pop()
        elif token.kind == "number" and "." in token.text and not is_argument[-1]:
            value, letter = Rational(token.text), Symbol(f"number {i}", positive=True)
            half = _unit(token.text) / 2
            ranges[letter] = (value - half, value + half)
            instead[i] = Token("name", letter.name, token.position)
    return NumericSide(typed, read(instead, {letter.name: letter for letter in ranges}), ranges)


# -- the decision ----------------------------------------------------------------------------------


class _Enclosures(IntervalEvaluator):
    """Enclosures of expressions at points with ranges among their values."""

    def rational(self, value: Any) -> Any:
        if isinstance(value, tuple):
            low, high = (super(_Enclosures, self).rational(end) for end in value)
            return self.context.mpf([low.a, high.b])
        return super().rational(value)


def at_numbers(
    question: Question,
    parts: Sequence[Sequence[Token]],
    read: Callable[..., Expr],
    law: Coefficients | None,
    functions: Collection[str],
) -> Decision:
    """The decision on a link at the coefficients of a law, or on numbers alone; `read(tokens, letters)`
    makes an expression of tokens, and `functions` are the names that have arguments.
    """
    law = law or Coefficients("", {})
    relation, letters = question.relation, question.lhs.free_symbols | question.rhs.free_symbols
    moving = sorted(letters - law.values.keys(), key=str)
    try:
        for c in question.domain.conditions:
            if c.relation != "!=" and c.expression.free_symbols <= law.values.keys():
                value = IntervalEvaluator().evaluate(c.expression, law.values)
                if certainly_fails(c.relation, value.a, value.b):
                    fails = f"{c.expression} is {_digits(value)}"
                    return undecided(f"an assumption does not hold{law.at}: {fails}")
        if relation in BOUNDS and not moving:
            return _bound(question, law)
        sides = [_side(part, relation, read, functions) for part in parts]
        if relation in ("==", "!=", "approx") and not moving:
            found = _compared(sides, relation, law)
        elif len(moving) == 1 and relation in ("==", "approx", "propto"):
            found = _of_powers(sides, relation, law, moving[0])
        else:
            names = ", ".join(map(str, moving)) or "the limit"
            hint = "" if law.values else ": name a law with --law NAME"
            verb = "are" if len(moving) > 1 else "is"
            found = undecided(f"{names} {verb} not fixed{law.at}{hint}")
    except Undefined as error:
        return undecided(f"a side has no value{law.at}: {error}")
    if found.refuted and not moving:
        own = {x: value for x, value in law.values.items() if x in letters}
        witness = witness_at(own, *question.values_at(own, IntervalEvaluator()))
        found = replace(found, witness=witness)
    if relation == "!=" and found.refuted:
        return Decision(Answer.PROVED, found.reason.replace("fails", "holds", 1))
    if relation == "!=" and found.proved:
        return undecided(f"the two sides are equal{law.at} to the digits typed")
    return found


def _compared(sides: Sequence[NumericSide], relation: str, law: Coefficients) -> Decision:
    """Whether two sides that the law fixes are equal to the digits typed."""
    evaluator = _Enclosures()

    def enclosed(
        side: NumericSide, *, rounded: bool, more: Mapping[Symbol, Range] | None = None
    ) -> Any:
        e = side.rounded if rounded else side.typed
        return evaluator.evaluate(e, {**law.values, **(more or {}), **side.ranges})

    left, right = (enclosed(side, rounded=False) for side in sides)
    shown = _distinct_digits(left, right)
    if relation == "approx":
        if not certainly_nonzero(right):
            return undecided(f"how near {_digits(left)}{law.at} is to 0 needs a scale")
        shown += f", {_digits(abs(left / right - 1) * 100, 2)} % apart"
    alone = [side for side in sides if side.width is not None]
    near = max(alone, key=lambda side: side.width or 0) if alone else None
    claimed = [enclosed(side, rounded=near is None or side is near) for side in sides]
    is_exact = not any(side.ranges for side in sides)
    if is_exact and is_zero(sides[0].typed - sides[1].typed):
        return Decision(Answer.PROVED, "the two sides are equal")
    if not certainly_nonzero(claimed[0] - claimed[1]):
        if is_exact:
            return undecided(f"the two sides are both {_digits(left, 10)}{law.at} as far as seen")
        return Decision(Answer.PROVED, f"holds{law.at} to the digits typed: {shown}")
    if is_exact and relation == "approx":
        return undecided(f"{shown}{law.at}; what counts as near is not stated")
    widest = [enclosed(side, rounded=True, more=law.ranges) for side in sides]
    fails = f"fails{law.at}: {shown}"
    if not certainly_nonzero(widest[0] - widest[1]):
        return undecided(f"{fails}; not so for all that rounds to these")
    return Decision(Answer.REFUTED, fails)


def _of_powers(
    sides: Sequence[NumericSide], relation: str, law: Coefficients, letter: Symbol
) -> Decision:
    """The decision on two powers of a letter that is not fixed, `N_opt approx 0.048*C^0.51`: by their
    exponents and, if it is no proportion, their coefficients.
    """
    if any(side.width is not None for side in sides):
        fix = f"--assume '{letter} == ...' fixes it"
        return undecided(f"it hangs on {letter}, which the law leaves open; {fix}")
    pairs: list[list[NumericSide]] = [[], []]
    for side in sides:
        constants = {x: law.values[x] for x in Add.make_args(side.typed) if x in law.values}
        typed = _power(side.typed.xreplace(constants), letter)  # L_opt - 1.69 at E = 1.69
        if typed is None:
            return undecided(f"a side is no power of {letter}, which is not fixed{law.at}")
        rounded = _power(side.rounded, letter) or typed
        for pair, one, other in zip(pairs, typed, rounded, strict=True):
            ranges = {x: r for x, r in side.ranges.items() if other.has(x)}
            pair.append(NumericSide(one, other, ranges))
    coefficients, exponents = pairs
    found = _compared(exponents, relation.replace("propto", "=="), law)
    found = replace(found, reason=f"the powers of {letter}: {found.reason}")
    if relation == "propto":
        return found
    return weaker(found, _compared(coefficients, relation, law))


def _power(e: Expr, letter: Symbol) -> tuple[Expr, Expr] | None:
    """The coefficient and the exponent of a power of the letter; None for another expression."""
    exponent = (letter * expand_log(log(e), force=True).diff(letter)).cancel()
    return None if exponent.has(letter) else (e.subs(letter, 1), exponent)


def _bound(question: Question, law: Coefficients) -> Decision:
    """The decision on an order of two values."""
    left, right = question.values_at(law.values, IntervalEvaluator())
    gap, shown = left - right, _distinct_digits(left, right)
    if certainly_fails(question.relation, gap.a, gap.b):
        return Decision(Answer.REFUTED, f"fails{law.at}: {shown}")
    if certainly_fails(OPPOSITE[question.relation], gap.a, gap.b):
        return Decision(Answer.PROVED, f"holds{law.at}: {shown}")
    return undecided(f"the two sides are both {_digits(left, 10)}{law.at} as far as seen")


def _distinct_digits(left: Any, right: Any) -> str:
    """Both values with the number of digits from which they differ."""
    digits = DIGITS_SHOWN
    while digits < MOST_DIGITS and _digits(left, digits) == _digits(right, digits):
        digits += 1
    return f"{_digits(left, digits)} against {_digits(right, digits)}"


def _digits(value: Any, digits: int = DIGITS_SHOWN) -> str:
    """The middle of an enclosure with some digits."""
    return str(to_str(value.mid._mpi_[0], digits))
