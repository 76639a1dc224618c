"""A claim about letters that need not be positive, decided sign by sign: with x > 0, with x = 0 and
with x = -y for a positive y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Symbol, nan, zoo

from ..algebra.answer import Answer, Condition, Decision, Witness, undecided
from ..algebra.building import Domain, plainly_positive
from ..algebra.decide import is_zero

if TYPE_CHECKING:
    from .question import Question

#: Four letters of any sign.
MOST = 81
SHOWN = {-1: "<", 0: "=", 1: ">"}


@dataclass(frozen=True)
class Case:
    """The letters with one sign each."""

    signs: Mapping[Symbol, int]

    @property
    def values(self) -> dict[Symbol, Expr]:
        """The letters in terms of their sizes, which are positive."""
        return {x: sign * _size(x) for x, sign in self.signs.items()}

    def of(self, question: Question) -> Question:
        """The question in sizes, without what is plain of these."""
        asked = question.at(self.values)
        groups = ([e for e in group if not plainly_positive(e)] for group in asked.domain.groups)
        asked = replace(asked, domain=Domain(*groups))
        if question.limit is None or question.limit[0] not in self.signs:
            return asked
        variable, end = question.limit
        return replace(asked, limit=(_size(variable), end))

    def in_letters(self, e: Expr) -> Expr:
        """An expression in sizes, in the letters again."""
        return e.xreplace({_size(x): sign * x for x, sign in self.signs.items()})

    def witness(self, found: Witness) -> Witness:
        """A witness in sizes, in the letters again."""
        sizes = dict(found.point)
        point = {x: value for x, value in found.point if x not in map(_size, self.signs)}
        point |= {x: sign * sizes.get(_size(x), Integer(1)) for x, sign in self.signs.items()}
        return replace(found, point=tuple(sorted(point.items(), key=lambda pair: str(pair[0]))))

    def __str__(self) -> str:
        return ", ".join(f"{x} {SHOWN[sign]} 0" for x, sign in self.signs.items())


def decided_by_signs(
    question: Question, letters: Sequence[Symbol], decide: Callable[[Question], Decision]
) -> Decision:
    """Proved where it is in every case in which both sides have values, refuted where it is in one."""
    cases = list(_cases(question, letters))
    if len(cases) > MOST:
        names = ", ".join(map(str, letters))
        return undecided(f"too many letters may have either sign: {names}")
    conditions: list[Condition] = []
    proofs: list[Decision] = []
    open_ones: list[str] = []
    for case in cases:
        outside = _outside(question, case)
        if outside is not None:
            conditions += outside
            continue
        decision = decide(case.of(question))
        if decision.witness is not None:
            return replace(decision, conditions=(), witness=case.witness(decision.witness))
        if decision.refuted:
            return Decision(Answer.REFUTED, f"where {case}: {decision.reason}")
        if decision.proved:
            proofs.append(decision)
            conditions += [
                Condition(case.in_letters(c.expression), c.relation)
                for c in decision.conditions
                if not plainly_positive(c.expression)
            ]
        else:
            open_ones.append(f"where {case}: {decision.reason}")
    if open_ones:
        return undecided(open_ones[0])
    if not proofs:
        return undecided("for no signs of its letters have both sides values")
    names = " and ".join(map(str, letters))
    reason = f"for each sign of {names}" if len(proofs) > 1 else proofs[0].reason
    return Decision(Answer.PROVED, reason, tuple(dict.fromkeys(conditions)))


def _cases(question: Question, letters: Sequence[Symbol]) -> Iterator[Case]:
    variable, end = question.limit or (None, "")
    for signs in product(*map(_possible, letters)):
        case = Case(dict(zip(letters, signs, strict=True)))
        of_limit = case.signs.get(variable, 1) if variable is not None else 1
        if of_limit == 1 or (of_limit == -1 and end == "0"):
            yield case


def _possible(letter: Symbol) -> list[int]:
    """The signs that a letter may have."""
    excluded = {1: letter.is_nonpositive, 0: letter.is_nonzero, -1: letter.is_nonnegative}
    return [sign for sign, never in excluded.items() if never is not True]


def _outside(question: Question, case: Case) -> list[Condition] | None:
    """What the sides or the assumptions need and the case does not have; None where it has all."""
    values = case.values
    needed = [
        _condition(c.expression, c.relation)
        for c in question.domain.conditions
        if _fails(c.expression.xreplace(values), c.relation)
    ]
    sides = [side.xreplace(values) for side in (question.lhs, question.rhs)]
    return needed if needed or any(side.has(zoo, nan) for side in sides) else None


def _fails(e: Expr, relation: str) -> bool:
    if e.has(zoo, nan):
        return True
    if relation == "!=":
        return is_zero(e)
    return bool(e.is_nonpositive if relation == ">" else e.is_negative)


def _condition(e: Expr, relation: str) -> Condition:
    """`x^2 > 0` says that x is not 0."""
    is_square = relation == ">" and e.is_Pow and e.exp.is_even
    return Condition(e.base, "!=") if is_square else Condition(e, relation)


def _size(x: Symbol) -> Symbol:
    return Symbol(f"|{x}|", positive=True)
