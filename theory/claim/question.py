"""The decision on one claim under its assumptions: for independent letters, and for letters that belong
to one run also for their meanings at that run.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, repeat
from typing import Any

from sympy import Expr, Integer, Pow, Rational, Symbol, nan, zoo

from ..kernel import symbols as sym
from ..kernel.answer import (
    BOUNDS,
    STRICT,
    Answer,
    Condition,
    Decision,
    undecided,
    weaker,
    witness_at,
)
from ..kernel.bounds import decide_bound
from ..kernel.decide import decide, is_zero
from ..kernel.evaluate import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..kernel.limits import decide_limit
from ..reader.building import Domain
from .context import Context
from .vocabulary import RATIOS_OF_A_RUN, Vocabulary

#: Letters that move in `N_opt propto C^a`; the coefficients and exponents beside them are held.
MOVING = frozenset((*sym.ON_BUDGET, sym.N_MAX, sym.D_MAX, *RATIOS_OF_A_RUN))
#: So many expressions that are not 0 are tried with either sign, case by case.
MOST_CASES = 2


@dataclass(frozen=True)
class Question:
    """One relation between two sides on a domain, perhaps in a limit; the `parameters` of the law and
    the budget are held where it is a proportion.
    """

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    limit: tuple[Symbol, str] | None
    seed: int
    parameters: frozenset[Symbol] = frozenset()

    @property
    def letters(self) -> set[Symbol]:
        known = (self.lhs, self.rhs, *(e for group in self.domain.groups for e in group))
        moving = {self.limit[0]} if self.limit is not None else set()
        return moving.union(*(e.free_symbols for e in known))

    def at(self, values: Mapping[Symbol, Expr]) -> Question:
        """The question with its letters replaced, all at once."""
        lhs, rhs = (side.xreplace(values) for side in (self.lhs, self.rhs))
        return replace(self, lhs=lhs, rhs=rhs, domain=self.domain.map(lambda e: e.xreplace(values)))

    def decide(self) -> Decision:
        """The decision with the conditions under which both sides exist, and with the simplest witness
        that is found.
        """
        simple = self._at_a_simple_point() if self.limit is None else None
        if simple is not None and self.relation != "==":
            return simple
        nonzero, is_strict = self.domain.nonzero, self.relation in (*STRICT, "!=")
        decision = (self._by_cases() if is_strict else None) or self._by_kernel()
        if decision.witness is not None and not self._exists_at(dict(decision.witness.point)):
            where = " or ".join(f"{e} is 0" for e in nonzero)
            decision = undecided(f"it is seen to fail only where {where}")
        if decision.answer is Answer.UNDECIDED and self.relation in BOUNDS and not is_strict:
            decision = self._by_cases() or decision
        if decision.refuted and simple is not None:
            return replace(decision, witness=simple.witness)
        if not decision.holds:
            return simple or decision
        needed = tuple(Condition(e, "!=") for e in nonzero)
        conditions = tuple(dict.fromkeys((*decision.conditions, *needed)))
        return replace(decision, conditions=conditions)

    def _by_kernel(self) -> Decision:
        """The decision of the kernel."""
        weak = [*self.domain.nonnegative]
        weak += [x for x in self.letters if x.is_nonnegative and not x.is_positive]
        apart = self.domain.nonzero
        strict = [e for e in weak if any(is_zero(e - x) or is_zero(e + x) for x in apart)]
        known: dict[str, Any] = {
            "assume": [*self.domain.positive, *strict],
            "assume_nonnegative": [e for e in self.domain.nonnegative if e not in strict],
            "seed": self.seed,
        }
        if self.limit is not None and self.limit[1] not in ("0", "oo"):
            return self._from_both_sides(*self.limit)
        if self.limit is not None and self.relation in ("->", "~"):
            return decide_limit(self.lhs, self.relation, self.rhs, *self.limit, **known)
        if self.relation in BOUNDS:
            return decide_bound(self.lhs, self.relation, self.rhs, **known)
        if self.relation == "!=":
            return self._never_equal()
        if self.relation == "propto":
            return self._proportional()
        return decide(self.lhs, self.rhs, **known)

    def _by_cases(self) -> Decision | None:
        """The proof by either sign of an expression that is not 0; None where that proves nothing."""
        nonzero = self.domain.nonzero
        for e in nonzero if len(nonzero) <= MOST_CASES else ():
            others = [x for x in nonzero if x != e]
            cases = (
                replace(
                    self,
                    domain=replace(
                        self.domain, positive=[*self.domain.positive, side], nonzero=others
                    ),
                ).decide()
                for side in (e, -e)
            )
            if (above := next(cases)).proved and (below := next(cases)).proved:
                of_both = dict.fromkeys((*above.conditions, *below.conditions))
                needed = tuple(c for c in of_both if c.expression not in (e, -e))
                reason = f"where {e} > 0: {above.reason}; where {e} < 0: {below.reason}"
                return Decision(Answer.PROVED, reason, needed)
        return None

    def _from_both_sides(self, variable: Symbol, point: str) -> Decision:
        """The decision on a limit at a number: for x = a + t and x = a - t as t falls to 0."""
        t, a = Symbol("t'", positive=True), Rational(point)
        decisions = []
        for shifted in (a + t, a - t):
            decision = replace(self.at({variable: shifted}), limit=(t, "0")).decide()
            if not decision.holds:
                side = f"with {variable} = {shifted} as {t} -> 0: {decision.reason}"
                return replace(decision, reason=side)
            decisions.append(decision)
        reasons = "; ".join(dict.fromkeys(decision.reason for decision in decisions))
        reason = f"from both sides, {variable} = {a + t} and {variable} = {a - t}: {reasons}"
        conditions = dict.fromkeys(c for d in decisions for c in d.conditions)
        of_others = tuple(c for c in conditions if t not in c.expression.free_symbols)
        return Decision(weaker(*decisions).answer, reason, of_others)

    @property
    def moving(self) -> tuple[Symbol, ...]:
        """The letters of the right side that move in a proportion: the quantities of a run and letters
        of the user's own, else the letters of the law that are no exponents.
        """
        factors = bases(self.rhs)
        moving = (self.rhs.free_symbols & MOVING) | (factors - self.parameters - MOVING) or factors
        return tuple(sorted(moving, key=str))

    def _proportional(self) -> Decision:
        """The decision whether lhs/rhs is the same at any two values of the letters that move."""
        moving = self.moving
        if not moving:
            return undecided("the right side has no letter that moves")
        if is_zero(self.lhs) or is_zero(self.rhs):
            return undecided("nothing is proportional to 0")
        others = {x: Symbol(f"{x}'", **x.assumptions0) for x in moving}
        quotient = self.lhs / self.rhs
        domain = replace(self.domain, nonzero=[*self.domain.nonzero, self.rhs])
        domain.add(domain.map(lambda e: e.xreplace(others)))
        there = quotient.xreplace(others)
        decision = replace(self, lhs=quotient, relation="==", rhs=there, domain=domain).decide()
        names = " and ".join(map(str, moving))
        held = sorted(map(str, (self.lhs.free_symbols | self.rhs.free_symbols) - {*moving}))
        beside = f", with {', '.join(held)} held" if held else ""
        reason = {
            Answer.PROVED: f"the quotient of the two sides does not depend on {names}{beside}",
            Answer.REFUTED: f"the quotient of the two sides, at two values of {names}{beside}, differs",
        }.get(decision.answer, decision.reason)
        primed = {*others.values()}
        own = (c for c in decision.conditions if not c.expression.free_symbols & primed)
        return replace(
            decision, reason=reason, conditions=tuple(c for c in own if c.expression != self.rhs)
        )

    def _never_equal(self) -> Decision:
        """The decision on `!=` by a strict bound."""
        for relation, word in ((">", "larger"), ("<", "smaller")):
            bound = replace(self, relation=relation)._by_kernel()
            if bound.proved:
                return replace(bound, reason=f"the left side is always {word}: {bound.reason}")
        apart = "neither a bound that keeps the sides apart nor a point where they are equal"
        return undecided(f"{apart} is found")

    # -- points ------------------------------------------------------------------------------------

    def values_at(
        self, point: Mapping[Symbol, Any], evaluator: IntervalEvaluator
    ) -> tuple[Any, Any]:
        """Enclosures of both sides at a point."""
        return evaluator.evaluate(self.lhs, point), evaluator.evaluate(self.rhs, point)

    def _at_a_simple_point(self) -> Decision | None:
        """A refutation at the point where the letters are all 1, or 0 where they may be, or 2, 3, 4, ...;
        a strict bound and `!=` fail also where the two sides are equal.
        """
        letters, evaluator = sorted(self.letters, key=str), IntervalEvaluator()
        series = (repeat(1), repeat(0), count(2))
        for values in series if self.relation in ("==", "!=", *BOUNDS) else ():
            point = {x: _near(value, x) for x, value in zip(letters, values, strict=False)}
            with suppress(Undefined):
                if not all(c.holds(evaluator, point) for c in self.domain.conditions):
                    continue
                left, right = self.values_at(point, evaluator)
                gap = left - right
                if self.relation != "!=" and certainly_fails(self.relation, gap.a, gap.b):
                    witness = witness_at(point, left, right)
                    reason = f"lhs {self.relation} rhs fails at a point"
                    return Decision(Answer.REFUTED, reason, witness=witness)
                sides = [e.xreplace(point) for e in (self.lhs, self.rhs)]
                if self.relation in (*STRICT, "!=") and decide(*sides).proved:
                    witness = witness_at(point, left, right)
                    value = witness.rhs if sides[1].is_Rational else witness.lhs
                    same = replace(witness, lhs=value, rhs=value)
                    equal = "the two sides are equal at a point"
                    return Decision(Answer.REFUTED, equal, witness=same)
        return None

    def _exists_at(self, point: Mapping[Symbol, Any]) -> bool:
        """Whether every expression that must not be 0 differs from 0 at a point."""
        values = [e.xreplace(point) for e in self.domain.nonzero]
        with suppress(Undefined):
            numbers = [e for e in values if not e.free_symbols]
            return all(certainly_nonzero(IntervalEvaluator().evaluate(e, {})) for e in numbers)
        return False


def bases(e: Expr) -> set[Symbol]:
    """The letters of an expression that are in no exponent."""
    exponents = set[Symbol]().union(*(power.exp.free_symbols for power in e.atoms(Pow)))
    letters: set[Symbol] = e.free_symbols
    return letters - exponents


def _near(value: int, letter: Symbol) -> Integer:
    """The value, or one near it with a sign that the letter may have."""
    sign = -1 if letter.is_nonpositive else 1
    return Integer(sign * (value or int(letter.is_zero is False)))


def decided(
    question: Question, words: Vocabulary, context: Context
) -> tuple[Decision, tuple[str, ...]]:
    """The decision for independent letters where that is a proof, else for their meanings at one run,
    in C and r, with these meanings. One letter of a run does not fix another.
    """
    independent, together = question.decide(), question.letters & words.of_a_run
    tied = context.ties(words.of_a_run)
    if independent.refuted and question.relation == "propto":
        left, right = (e.free_symbols & words.of_a_run for e in (question.lhs, question.rhs))
        if len(right) == 1 and left - right and (left | right) - {sym.N, sym.D}:
            names = ", ".join(sorted(map(str, left | right)))
            reason = f"{names} belong to one run, and which of them stays fixed is not stated"
            independent = undecided(reason)
    budget = (sym.C - words.budget).xreplace(context.replaced)
    is_on_budget = together | tied <= sym.ON_BUDGET and bool(tied) and is_zero(budget)
    if independent.holds or is_on_budget or not words.depend(together | tied):
        return independent, ()
    meanings = tuple(meaning for x, meaning in words.definitions.items() if x in together)
    reason = (
        f"it fails for independent letters; at one run ({', '.join(meanings)}) it is not decided"
    )
    other = independent if not independent.refuted else undecided(reason)
    tends = None if question.limit is None else question.limit[0]
    is_held = tends is not None and (
        tends not in (sym.C, sym.SIZE_RATIO) or bool(together & {sym.N, sym.D})
    )
    bounds = (*context.domain.positive, *context.domain.nonnegative)
    if tied or is_held or any(words.depend(e.free_symbols) for e in bounds):
        return other, ()
    own = together - {sym.C, sym.SIZE_RATIO}
    at_run = question.at({symbol: words.run[symbol] for symbol in own})
    if at_run.lhs.has(zoo, nan) or any(map(is_zero, at_run.domain.nonzero)):
        return other, ()
    decision = at_run.decide()
    return (other, ()) if decision.answer is Answer.UNDECIDED else (decision, meanings)
