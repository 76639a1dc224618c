"""One claim with what is assumed of its letters, decided: for independent letters, and where they
belong to one run also for what they mean there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from sympy import Expr, Integer, Pow, Rational, Symbol, nan, zoo

from ..kernel import symbols as sym
from ..kernel.answer import (
    Answer,
    Condition,
    Decision,
    Witness,
    undecided,
    weaker,
    witness_at,
)
from ..kernel.bounds import decide_bound
from ..kernel.decide import decide, is_zero
from ..kernel.factorials import Factorial, Gamma, in_values
from ..kernel.interval import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..kernel.limits import decide_limit
from ..kernel.sample import Point
from ..reader.building import Domain
from .typed import Given
from .vocabulary import RUN_SYMBOLS, Vocabulary

BOUNDS = ("<=", ">=", "<", ">")
#: Letters that move in `N_opt propto C^a`; the coefficients and exponents beside them are held.
MOVING = frozenset(
    (sym.N, sym.D, sym.C, sym.N_MAX, sym.D_MAX, sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO)
).union(RUN_SYMBOLS)
#: Values that are easily put in by hand.
FRACTIONS = tuple(Rational(1, n) for n in (2, 3, 4))
WHOLE = tuple(map(Integer, (2, 3, 5, 7, 11, 13, 4, 6, 8, 9)))
SIMPLE = (Integer(1), *WHOLE[:4], *FRACTIONS)
EXPONENTS = frozenset((sym.ALPHA, sym.BETA, sym.GAMMA))
SIMPLE_POINTS = 60
#: What is not 0 and may have either sign: so much of it is tried case by case.
MOST_CASES = 2
RECURRENCE = "(x + 1)! = (x + 1) x!"
#: Two sides that differ by this share of the larger are seen to differ.
PLAINLY = Rational(1, 100)


@dataclass(frozen=True)
class Question:
    """One claim with what is assumed of its letters."""

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    limit: tuple[Symbol, str] | None
    seed: int
    parameters: frozenset[Symbol] = frozenset()
    """The letters of the law and the budget, which are held where a proportion is claimed."""

    def decide(self) -> Decision:
        """The decision; a bound between sides that are equal where something is 0 also by the two
        cases that this is positive or negative.
        """
        known = (e for group in self.domain.groups for e in group)
        if any(e.has(Factorial, Gamma) for e in (self.lhs, self.rhs, *known)):
            return self._by_recurrence()
        decision = self._decide()
        if decision.witness is not None and any(
            _vanishes(e, decision.witness) for e in self.domain.nonzero
        ):
            reason = "it fails only at points where " + " or ".join(
                f"{e} is 0" for e in self.domain.nonzero
            )
            decision = undecided(reason)
        if decision.answer is Answer.UNDECIDED and self.relation in (*BOUNDS, "!="):
            decision = self._by_cases() or decision
        if decision.witness is not None:
            return replace(decision, witness=self._simpler(decision.witness))
        if not decision.holds:
            return decision
        needed = tuple(Condition(e, "!=") for e in self.domain.nonzero)
        conditions = tuple(dict.fromkeys((*decision.conditions, *needed)))
        reason = decision.reason
        if any(c.relation == ">=" for c in conditions):
            reason = reason.replace("of positive terms", "of terms that are not negative")
        return replace(decision, reason=reason, conditions=conditions)

    def _by_cases(self) -> Decision | None:
        """Proved for each sign of what is not 0; None where that is no proof."""
        if len(self.domain.nonzero) > MOST_CASES:
            return None
        for e in self.domain.nonzero:
            rest = [other for other in self.domain.nonzero if other != e]
            proofs = []
            for side in (e, -e):
                domain = replace(self.domain, positive=[*self.domain.positive, side], nonzero=rest)
                proofs.append(replace(self, domain=domain).decide())
                if not proofs[-1].proved:
                    break
            else:
                reasons = "; ".join(
                    f"where {e} {sign} 0: {proof.reason}"
                    for sign, proof in zip("><", proofs, strict=True)
                )
                conditions = dict.fromkeys(
                    c for p in proofs for c in p.conditions if c.expression not in (e, -e)
                )
                return Decision(Answer.PROVED, reasons, tuple(conditions))
        return None

    def _decide(self) -> Decision:
        if self.limit is not None and self.limit[1] not in ("0", "oo"):
            return self._from_both_sides(*self.limit)
        if self.limit is not None and self.relation in ("->", "~"):
            return decide_limit(self.lhs, self.relation, self.rhs, *self.limit, **self._known())
        if self.relation in BOUNDS:
            decision = decide_bound(self.lhs, self.relation, self.rhs, **self._known())
            is_open = self.relation in ("<", ">") and decision.answer is Answer.UNDECIDED
            return (is_open and self._equal_at_a_point()) or decision
        if self.relation == "!=":
            return self._never_equal()
        if self.relation == "propto":
            return self._proportional()
        return decide(self.lhs, self.rhs, **self._known())

    def _from_both_sides(self, variable: Symbol, point: str) -> Decision:
        """The limit at a number: x = a + t and x = a - t, as t falls to 0."""
        t, a = Symbol("t'", positive=True), Rational(point)
        both = f"from both sides, {variable} = {a + t} and {variable} = {a - t}"
        decisions = []
        for shifted in (a + t, a - t):
            decision = replace(self.at({variable: shifted}), limit=(t, "0")).decide()
            if not decision.holds:
                side = f"with {variable} = {shifted} as {t} -> 0: {decision.reason}"
                return replace(decision, reason=side)
            decisions.append(decision)
        reason = "; ".join(dict.fromkeys(decision.reason for decision in decisions))
        conditions = dict.fromkeys(
            c for d in decisions for c in d.conditions if t not in c.expression.free_symbols
        )
        answer = weaker(*decisions).answer
        return Decision(answer, f"{both}: {reason}", tuple(conditions))

    def _by_recurrence(self) -> Decision:
        """With factorials: proved where it follows from their recurrence."""
        factorials = self.lhs.atoms(Factorial, Gamma) | self.rhs.atoms(Factorial, Gamma)
        if self.limit is not None and any(self.limit[0] in f.free_symbols for f in factorials):
            return undecided("limits of factorials and of the Gamma function are not decided")
        decision = replace(
            self,
            lhs=in_values(self.lhs),
            rhs=in_values(self.rhs),
            domain=self.domain.map(in_values),
        ).decide()
        if decision.proved:
            return replace(decision, reason=f"{decision.reason}, by {RECURRENCE}")
        reason = f"it does not follow from {RECURRENCE} alone"
        return undecided(reason)

    def _is_refuted_by(self, left: Any, right: Any) -> bool:
        """Whether the relation certainly fails between two enclosed values."""
        difference = left - right
        is_known = self.relation in ("==", *BOUNDS)
        return is_known and certainly_fails(self.relation, difference.a, difference.b)

    def _known(self) -> dict[str, Any]:
        strict = [e for e in self.domain.nonnegative if self._is_apart(e)]
        strict += [
            x for x in self.letters if x.is_nonnegative and not x.is_positive and self._is_apart(x)
        ]
        weak = [e for e in self.domain.nonnegative if e not in strict]
        return {
            "assume": [*self.domain.positive, *strict],
            "assume_nonnegative": weak,
            "seed": self.seed,
        }

    def _is_apart(self, e: Expr) -> bool:
        """Whether the expression cannot be 0 where the claim has a meaning."""
        return any(is_zero(e - other) or is_zero(e + other) for other in self.domain.nonzero)

    def at(self, values: Mapping[Symbol, Expr]) -> Question:
        """The question with its letters replaced, all at once."""
        lhs, rhs = (side.xreplace(values) for side in (self.lhs, self.rhs))
        return replace(self, lhs=lhs, rhs=rhs, domain=self.domain.map(lambda e: e.xreplace(values)))

    @property
    def letters(self) -> set[Symbol]:
        known = (*self.domain.positive, *self.domain.nonzero, *self.domain.nonnegative)
        moving = {self.limit[0]} if self.limit is not None else set()
        return moving.union(*(e.free_symbols for e in (self.lhs, self.rhs, *known)))

    @property
    def has_a_meaning(self) -> bool:
        """Whether both sides have values somewhere."""
        return not any(side.has(zoo, nan) for side in (self.lhs, self.rhs)) and not any(
            map(is_zero, self.domain.nonzero)
        )

    # -- proportions and inequations -----------------------------------------------------------------------------------

    @property
    def moving(self) -> tuple[Symbol, ...]:
        """The letters of the right side that a proportion lets move: the quantities of a run and
        the letters of the user's own, else those letters of the law that are no exponents.
        """
        exponents = set().union(*(power.exp.free_symbols for power in self.rhs.atoms(Pow)))
        letters = self.rhs.free_symbols
        bases = letters - exponents
        moving = (letters & MOVING) | (bases - self.parameters - MOVING) or bases
        return tuple(sorted(moving, key=str))

    def _proportional(self) -> Decision:
        """Whether lhs/rhs is the same at any two values of the letters that move."""
        moving = self.moving
        if not moving:
            return undecided("the right side has no letter that moves")
        if is_zero(self.lhs) or is_zero(self.rhs):
            return undecided("nothing is proportional to 0")
        others = {x: Symbol(f"{x}'", **x.assumptions0) for x in moving}
        quotient = self.lhs / self.rhs
        elsewhere = replace(
            self,
            lhs=quotient,
            relation="==",
            rhs=quotient.xreplace(others),
            domain=Domain(
                *(
                    [*dict.fromkeys((*group, *(e.xreplace(others) for e in group)))]
                    for group in (
                        self.domain.positive,
                        [*self.domain.nonzero, self.rhs],
                        self.domain.nonnegative,
                    )
                )
            ),
        )
        decision = elsewhere.decide()
        names = " and ".join(map(str, moving))
        held = sorted(map(str, (self.lhs.free_symbols | self.rhs.free_symbols) - {*moving}))
        beside = f", with {', '.join(held)} held" if held else ""
        if decision.proved:
            primed = frozenset(others.values())
            conditions = tuple(
                c
                for c in decision.conditions
                if not c.expression.free_symbols & primed and c.expression != self.rhs
            )
            return Decision(
                Answer.PROVED,
                f"the quotient of the two sides does not depend on {names}{beside}",
                conditions,
            )
        if decision.refuted:
            reason = f"the quotient of the two sides, at two values of {names}{beside}, differs"
            return replace(decision, reason=reason)
        return decision

    def _never_equal(self) -> Decision:
        """`!=`: by a strict bound; it fails where the two sides are equal at a point."""
        for relation in (">", "<"):
            bound = replace(self, relation=relation)._decide()
            if bound.proved:
                reason = f"the left side is always {'larger' if relation == '>' else 'smaller'}"
                return Decision(Answer.PROVED, f"{reason}: {bound.reason}", bound.conditions)
        reason = (
            "neither a bound that keeps the sides apart nor a point where they are equal is found"
        )
        return self._equal_at_a_point() or undecided(reason)

    def _equal_at_a_point(self) -> Decision | None:
        """The refutation of what says that the sides are never equal."""
        for point in self._simple_points():
            if decide(*(side.xreplace(dict(point)) for side in (self.lhs, self.rhs))).proved:
                value = IntervalEvaluator().evaluate(self.lhs, point)
                witness = witness_at(point, value, -abs(value) - 1)
                return Decision(
                    Answer.REFUTED,
                    "the two sides are equal at a point",
                    witness=replace(witness, rhs=witness.lhs),
                )
        return None

    # -- witnesses -----------------------------------------------------------------------------------------------------

    def _simple_points(self) -> Iterator[Point]:
        """Points of simple values at which all is certain to hold that is assumed."""
        letters = sorted(self.letters, key=str)
        draws = Random(self.seed)
        small, large = iter(FRACTIONS), iter(WHOLE)
        first = [next(small if x in EXPONENTS else large, Integer(1)) for x in letters]
        pool = [
            first,
            *([draws.choice(SIMPLE) for _ in letters] for _ in range(SIMPLE_POINTS)),
            *(
                [Integer(1) if x == one else value for x, value in zip(letters, first, strict=True)]
                for one in letters
            ),
            [Integer(1)] * len(letters),
        ]
        evaluator = IntervalEvaluator()
        for values in pool[: None if letters else 1]:
            point = dict(zip(letters, values, strict=True))
            try:
                if self.holds_at(point, evaluator):
                    yield point
            except Undefined:
                continue

    def holds_at(self, point: Point, evaluator: IntervalEvaluator) -> bool:
        """Whether all that is assumed certainly holds at a point."""
        return all(condition.holds(evaluator, point) for condition in self.domain.conditions)

    def values_at(
        self, point: Mapping[Symbol, Any], evaluator: IntervalEvaluator
    ) -> tuple[Any, Any]:
        """Both sides, enclosed."""
        return evaluator.evaluate(self.lhs, point), evaluator.evaluate(self.rhs, point)

    def _simpler(self, witness: Witness) -> Witness:
        """Another witness of simple values, at which the two sides are seen to differ; the same
        where none is found.
        """
        if self.relation not in ("==", *BOUNDS) or witness.lhs == witness.rhs:
            return witness
        evaluator = IntervalEvaluator()
        for point in islice(self._simple_points(), SIMPLE_POINTS):
            try:
                left, right = self.values_at(point, evaluator)
            except Undefined:
                continue
            largest = max(abs(left).b, abs(right).b)
            plainly = abs(left - right).a * PLAINLY.q > largest * PLAINLY.p
            if plainly and self._is_refuted_by(left, right):
                return witness_at(point, left, right)
        return witness


# -- at one run -------------------------------------------------------------------------------------


def decided(
    question: Question, words: Vocabulary, given: Given
) -> tuple[Decision, tuple[str, ...]]:
    """The decision for independent letters where that is a proof, else for what they mean at one
    run, with those meanings. One letter of a run does not fix another.
    """
    decision, meanings = _decided(question, words, given)
    if decision.refuted and question.relation == "propto":
        left, right = (e.free_symbols & words.of_a_run for e in (question.lhs, question.rhs))
        if len(right) == 1 and left - right and (left | right) - {sym.N, sym.D}:
            names = ", ".join(sorted(map(str, left | right)))
            reason = f"{names} belong to one run, and which of them stays fixed is not said"
            return undecided(reason), ()
    return decision, meanings


def _decided(claim: Question, words: Vocabulary, given: Given) -> tuple[Decision, tuple[str, ...]]:
    independent = claim.decide()
    fixed = {
        x: e
        for x, e in given.replaced.items()
        if ({x} | e.free_symbols) & words.of_a_run and not given.is_budget(x)
    }
    together = claim.letters & words.of_a_run
    own = together - {sym.C, sym.SIZE_RATIO}
    if independent.holds or not words.depend(
        together.union(fixed, *(e.free_symbols for e in fixed.values()))
    ):
        return independent, ()
    if claim.limit is not None and claim.limit[0] in (sym.N, sym.D):
        of_compute = {x: words.run[x] for x in own - {sym.N, sym.D}}
        at_compute = claim.at(of_compute)
        if not any(sym.SIZE_RATIO in e.free_symbols for e in of_compute.values()):
            decision = at_compute.decide()
            if decision.holds:
                return decision, words.meanings(of_compute)
    moving = claim.limit is None or (
        claim.limit[0] in (sym.C, sym.SIZE_RATIO) and not own & {sym.N, sym.D}
    )
    tied = any(
        words.depend(e.free_symbols - words.named_for_a_run)
        for e in (*given.domain.positive, *given.domain.nonnegative)
    )
    if fixed or tied or not moving:
        if not independent.refuted:
            return independent, ()
        meant = ", ".join(words.meanings(together.union(fixed)))
        reason = f"it fails for independent letters; what they mean at one run ({meant}) is not decided beside what is assumed"
        return undecided(reason), ()
    question = claim.at({symbol: words.run[symbol] for symbol in own})
    if not question.has_a_meaning:
        return independent, ()
    at_run = question.decide()
    meanings = words.meanings(together)
    if at_run.answer is not Answer.UNDECIDED:
        return at_run, meanings
    if at_run.answer is Answer.UNDECIDED and independent.refuted:
        reason = f"it fails for independent letters, and by definition {', '.join(meanings)}: {at_run.reason}"
        return undecided(reason, at_run.conditions), ()
    return independent, ()


def _vanishes(e: Expr, witness: Witness) -> bool:
    """Whether the expression is 0, or has no value, at the point of a witness."""
    point = dict(witness.point)
    if all(value.is_Rational for value in point.values()):
        try:
            if certainly_nonzero(IntervalEvaluator().evaluate(e, point)):
                return False
        except Undefined:
            pass  # what has no enclosure may still be seen to have no value
    value = e.xreplace(point)
    return bool(value.has(zoo, nan)) or is_zero(value)
