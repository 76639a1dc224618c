"""The three answers to a claim, each with what supports it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from mpmath.libmp import to_str
from sympy import Expr, Rational, Symbol

from .evaluate import IntervalEvaluator, certainly_nonzero
from .sample import Point

#: Decimal digits of enclosures, raised step by step until they separate two values.
DIGITS = (50, 100, 200, 400, 800, 1600, 2000)
#: The relations of order, and the strict ones among them.
BOUNDS, STRICT = (">=", "<=", ">", "<"), (">", "<")
CERTAINLY: dict[str, Callable[[Any], bool]] = {
    ">": lambda value: bool(value.a > 0),
    ">=": lambda value: bool(value.a >= 0),
    "!=": certainly_nonzero,
}


class Answer(Enum):
    PROVED = "proved"
    BY_SYMPY = "by SymPy's limit, not proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Condition:
    """A side condition: `expression > 0`, `expression >= 0` or `expression != 0`."""

    expression: Expr
    relation: str

    def __str__(self) -> str:
        return f"{self.expression} {self.relation} 0"

    def holds(self, evaluator: IntervalEvaluator, point: Point) -> bool:
        return CERTAINLY[self.relation](evaluator.evaluate(self.expression, point))


@dataclass(frozen=True)
class Witness:
    """A point where the two sides differ, with both values (decimal strings) and the digits used."""

    point: tuple[tuple[Symbol, Rational], ...]
    lhs: str
    rhs: str
    digits: int

    def __str__(self) -> str:
        where = ", ".join(f"{symbol} = {value}" for symbol, value in self.point) or "no free symbol"
        return f"{where}: lhs = {self.lhs}, rhs = {self.rhs}"


@dataclass(frozen=True)
class Decision:
    """The answer with what supports it: conditions for a proof, a witness for a refutation, a
    reason otherwise.
    """

    answer: Answer
    reason: str
    conditions: tuple[Condition, ...] = ()
    witness: Witness | None = None

    @property
    def proved(self) -> bool:
        return self.answer is Answer.PROVED

    @property
    def holds(self) -> bool:
        """Whether the claim is proved, or rests on SymPy's limit."""
        return self.answer in (Answer.PROVED, Answer.BY_SYMPY)

    @property
    def refuted(self) -> bool:
        return self.answer is Answer.REFUTED

    def in_terms_of(
        self, new: Symbol, old: Symbol, put_in: Callable[[Expr], Expr], sign: int = 1
    ) -> Decision:
        """The decision with a symbol replaced: old = sign * new, put into conditions by `put_in`."""
        conditions = tuple(replace(c, expression=put_in(c.expression)) for c in self.conditions)
        witness = self.witness
        if witness is not None:
            point = ((new, sign * v) if x == old else (x, v) for x, v in witness.point)
            witness = replace(witness, point=tuple(point))
        return replace(self, conditions=conditions, witness=witness)

    def __str__(self) -> str:
        parts = [f"{self.answer.value}: {self.reason}"]
        if self.conditions:
            parts.append("where " + ", ".join(str(condition) for condition in self.conditions))
        if self.witness is not None:
            parts.append(f"witness {self.witness}")
        return "; ".join(parts)


def witness_at(point: Point, left: Any, right: Any, digits: int = DIGITS[0]) -> Witness:
    """The witness at a point, from the enclosures of both sides there."""
    ordered = tuple(sorted(point.items(), key=lambda item: item[0].name))
    return Witness(ordered, _decimal(left, left - right), _decimal(right, left - right), digits)


def _decimal(value: Any, difference: Any) -> str:
    """The value in enough digits to separate it from the other side, at least 10."""
    scale = abs(value.mid)
    digits = 10
    while digits < DIGITS[-1] and abs(difference.mid) * 10 ** (digits - 3) < scale:
        digits += 1
    return str(to_str(value.mid._mpi_[0], digits))


def undecided(reason: str, conditions: tuple[Condition, ...] = ()) -> Decision:
    """The undecided answer, with its reason."""
    return Decision(Answer.UNDECIDED, reason, conditions)


def weaker(first: Decision, second: Decision) -> Decision:
    """The weaker of two decisions that must both hold: refuted where either one is."""
    order = (Answer.REFUTED, Answer.UNDECIDED, Answer.BY_SYMPY, Answer.PROVED)
    return min(first, second, key=lambda decision: order.index(decision.answer))
