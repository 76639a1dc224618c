"""One claim with what is assumed of its letters, decided: for independent letters, and where they
belong to one run also for what they mean there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sympy import Expr, Integer, Pow, Rational, Symbol, nan, oo, zoo

from ..kernel import symbols as sym
from ..kernel.answer import (
    BOUNDS,
    STRICT,
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
from ..kernel.evaluate import IntervalEvaluator, Undefined, certainly_fails, certainly_nonzero
from ..kernel.limits import decide_limit
from ..kernel.sample import Point
from ..reader.building import Domain
from .given import Given
from .vocabulary import RATIOS_OF_A_RUN, RUN_SYMBOLS, Vocabulary

#: Letters that move in `N_opt propto C^a`; the coefficients and exponents beside them are held.
MOVING = frozenset((sym.N, sym.D, sym.C, sym.N_MAX, sym.D_MAX, *RATIOS_OF_A_RUN, *RUN_SYMBOLS))
#: Values that are easily put in by hand: of exponents, of other letters, and of those that may be
#: negative.
FRACTIONS = tuple(Rational(1, n) for n in (2, 3, 4))
WHOLE = tuple(map(Integer, (2, 3, 5, 7, 11, 13, 4, 6, 8, 9)))
SIMPLE = (Integer(1), *WHOLE[:4], *FRACTIONS)
REAL = tuple(map(Rational, (0, 1, -1, 2, "1/2", "-1/2", -2, 3, "-1/10000000", "1/10000000")))
EXPONENTS = frozenset((sym.ALPHA, sym.BETA, sym.GAMMA))
SIMPLE_POINTS = 60
#: What is not 0 and may have either sign: so much of it is tried case by case.
MOST_CASES = 2
FAILS = "lhs {} rhs fails at a point"
#: Two sides that differ by this share of the larger are seen to differ.
PLAINLY = Rational(1, 100)


@dataclass(frozen=True)
class Question:
    """One claim with what is assumed of its letters.

    Attributes
    ----------
    lhs, rhs : sympy.Expr
    relation : str
    domain : Domain
    limit : tuple of Symbol and str, or None
    seed : int
    parameters : frozenset of Symbol
        The letters of the law and the budget, which are held where a proportion is claimed.
    """

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    limit: tuple[Symbol, str] | None
    seed: int
    parameters: frozenset[Symbol] = frozenset()

    def decide(self) -> Decision:
        """The decision with the conditions under which both sides exist; a bound that fails only
        where something is 0 that is not also by the two cases that this is positive or negative.
        """
        decision = self._by_kernel()
        if decision.witness is not None and self._has_no_value(dict(decision.witness.point)):
            where = " or ".join(f"{e} is 0" for e in self.domain.nonzero)
            decision = undecided(f"it fails only at points where {where}")
        if decision.answer is Answer.UNDECIDED and self.relation in (*BOUNDS, "!="):
            decision = self._by_cases() or decision
        if decision.answer is Answer.UNDECIDED and self.limit is None:
            decision = self._at_a_simple_point() or decision
        if decision.witness is not None:
            return replace(decision, witness=self._simpler(decision.witness))
        if not decision.holds:
            return decision
        needed = tuple(Condition(e, "!=") for e in self.domain.nonzero)
        conditions, reason = dict.fromkeys((*decision.conditions, *needed)), decision.reason
        if any(c.relation == ">=" for c in conditions):
            reason = reason.replace("of positive terms", "of terms that are not negative")
        return replace(decision, reason=reason, conditions=tuple(conditions))

    def _by_kernel(self) -> Decision:
        """What the kernel says, by the kind of the relation."""
        known = self._known()
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

    def _known(self) -> dict[str, Any]:
        """What is positive and what is not negative; both where it cannot be 0."""
        weak = [*self.domain.nonnegative]
        weak += [x for x in self.letters if x.is_nonnegative and not x.is_positive]
        apart = self.domain.nonzero
        strict = [e for e in weak if any(is_zero(e - x) or is_zero(e + x) for x in apart)]
        return {
            "assume": [*self.domain.positive, *strict],
            "assume_nonnegative": [e for e in self.domain.nonnegative if e not in strict],
            "seed": self.seed,
        }

    def at(self, values: Mapping[Symbol, Expr]) -> Question:
        """The question with its letters replaced, all at once."""
        lhs, rhs = (side.xreplace(values) for side in (self.lhs, self.rhs))
        return replace(self, lhs=lhs, rhs=rhs, domain=self.domain.map(lambda e: e.xreplace(values)))

    @property
    def _expressions(self) -> tuple[Expr, ...]:
        return (self.lhs, self.rhs, *(e for group in self.domain.groups for e in group))

    @property
    def letters(self) -> set[Symbol]:
        moving = {self.limit[0]} if self.limit is not None else set()
        return moving.union(*(e.free_symbols for e in self._expressions))

    @property
    def has_a_meaning(self) -> bool:
        """Whether both sides have values somewhere."""
        is_empty = any(side.has(zoo, nan) for side in (self.lhs, self.rhs))
        return not is_empty and not any(map(is_zero, self.domain.nonzero))

    # -- what is made of other decisions -----------------------------------------------------------

    def _by_cases(self) -> Decision | None:
        """Proved for each sign of what is not 0; None where that is no proof."""
        nonzero = self.domain.nonzero
        for e in nonzero if len(nonzero) <= MOST_CASES else ():
            others, proofs = [x for x in nonzero if x != e], list[Decision]()
            for side in (e, -e):
                positive = [*self.domain.positive, side]
                domain = replace(self.domain, positive=positive, nonzero=others)
                proofs.append(replace(self, domain=domain).decide())
                if not proofs[-1].proved:
                    break
            else:
                found = zip(("> 0", "< 0"), proofs, strict=True)
                reason = "; ".join(f"where {e} {sign}: {proof.reason}" for sign, proof in found)
                needed = (c for p in proofs for c in p.conditions if c.expression not in (e, -e))
                return Decision(Answer.PROVED, reason, tuple(dict.fromkeys(needed)))
        return None

    def _from_both_sides(self, variable: Symbol, point: str) -> Decision:
        """The limit at a number: x = a + t and x = a - t, as t falls to 0."""
        t, a = Symbol("t'", positive=True), Rational(point)
        decisions = []
        for shifted in (a + t, a - t):
            decision = replace(self.at({variable: shifted}), limit=(t, "0")).decide()
            if not decision.holds:
                side = f"with {variable} = {shifted} as {t} -> 0: {decision.reason}"
                return replace(decision, reason=side)
            decisions.append(decision)
        reason = "; ".join(dict.fromkeys(decision.reason for decision in decisions))
        reason = f"from both sides, {variable} = {a + t} and {variable} = {a - t}: {reason}"
        conditions = (c for d in decisions for c in d.conditions)
        lasting = (c for c in conditions if t not in c.expression.free_symbols)
        return Decision(weaker(*decisions).answer, reason, tuple(dict.fromkeys(lasting)))

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
        domain = replace(self.domain, nonzero=[*self.domain.nonzero, self.rhs])
        both = ([*g, *(e.xreplace(others) for e in g)] for g in domain.groups)
        decision = replace(
            self,
            lhs=quotient,
            relation="==",
            rhs=quotient.xreplace(others),
            domain=Domain(*(list(dict.fromkeys(group)) for group in both)),
        ).decide()
        names = " and ".join(map(str, moving))
        held = sorted(map(str, (self.lhs.free_symbols | self.rhs.free_symbols) - {*moving}))
        beside = f", with {', '.join(held)} held" if held else ""
        reason = {
            Answer.PROVED: f"the quotient of the two sides does not depend on {names}{beside}",
            Answer.REFUTED: f"the quotient of the two sides, at two values of {names}{beside}, differs",
        }.get(decision.answer, decision.reason)
        primed, known = frozenset(others.values()), decision.conditions
        own = (
            c for c in known if c.expression != self.rhs and not c.expression.free_symbols & primed
        )
        return replace(decision, reason=reason, conditions=tuple(own))

    def _never_equal(self) -> Decision:
        """`!=`: by a strict bound; it fails where the two sides are equal at a point."""
        for relation, word in ((">", "larger"), ("<", "smaller")):
            bound = replace(self, relation=relation)._by_kernel()
            if bound.proved:
                reason = f"the left side is always {word}: {bound.reason}"
                return Decision(Answer.PROVED, reason, bound.conditions)
        apart = "neither a bound that keeps the sides apart nor a point where they are equal"
        return undecided(f"{apart} is found")

    # -- points ------------------------------------------------------------------------------------

    def _at_points(self) -> Iterator[tuple[Point, Any, Any]]:
        """Points of simple values at which all is certain to hold that is assumed, each with both
        sides, enclosed.
        """
        letters = sorted(self.letters, key=str)
        draws, evaluator = Random(self.seed), IntervalEvaluator()
        small, large = iter(FRACTIONS), iter(WHOLE)
        first = [next(small if x in EXPONENTS else large, Integer(1)) for x in letters]
        drawn = [[draws.choice(_values(x)) for x in letters] for _ in range(SIMPLE_POINTS)]
        with_one = [[*first[:i], Integer(1), *first[i + 1 :]] for i in range(len(letters))]
        pool = [first, *drawn, *with_one, [Integer(1)] * len(letters)]
        for values in pool[: None if letters else 1]:
            point = dict(zip(letters, values, strict=True))
            try:
                if all(c.holds(evaluator, point) for c in self.domain.conditions):
                    yield point, *self.values_at(point, evaluator)
            except Undefined:
                continue

    def values_at(
        self, point: Mapping[Symbol, Any], evaluator: IntervalEvaluator
    ) -> tuple[Any, Any]:
        """Both sides, enclosed."""
        return evaluator.evaluate(self.lhs, point), evaluator.evaluate(self.rhs, point)

    def _at_a_simple_point(self) -> Decision | None:
        """The refutation of a bound that fails at one, or of what says that the sides are never
        equal.
        """
        for point, left, right in self._at_points() if self.relation in (*BOUNDS, "!=") else ():
            gap, witness = left - right, witness_at(point, left, right)
            if self.relation != "!=" and certainly_fails(self.relation, gap.a, gap.b):
                return Decision(Answer.REFUTED, FAILS.format(self.relation), witness=witness)
            is_apart = self.relation not in (*STRICT, "!=") or certainly_nonzero(gap)
            if not is_apart and decide(*(e.xreplace(point) for e in (self.lhs, self.rhs))).proved:
                witness = replace(witness_at(point, left, -abs(left) - 1), rhs=witness.lhs)
                return Decision(
                    Answer.REFUTED, "the two sides are equal at a point", witness=witness
                )
        return None

    def _simpler(self, witness: Witness) -> Witness:
        """Another witness of simple values, at which the two sides are seen to differ; the same
        where none is found.
        """
        if self.relation not in ("==", *BOUNDS) or witness.lhs == witness.rhs:
            return witness
        for point, left, right in self._at_points():
            difference, largest = left - right, max(abs(left).b, abs(right).b)
            plainly = abs(difference).a * PLAINLY.q > largest * PLAINLY.p
            if plainly and certainly_fails(self.relation, difference.a, difference.b):
                return witness_at(point, left, right)
        return witness

    def _has_no_value(self, point: Point) -> bool:
        """Whether something that must not be 0 is, or has no value, at a point."""
        for e in self.domain.nonzero:
            with suppress(Undefined):  # what has no enclosure may still be seen to have no value
                if all(value.is_Rational for value in point.values()) and certainly_nonzero(
                    IntervalEvaluator().evaluate(e, point)
                ):
                    continue
            value = e.xreplace(point)
            if value.has(zoo, nan) or is_zero(value):
                return True
        return False


def _values(letter: Symbol) -> tuple[Rational, ...]:
    """Simple values of a letter, by the sign that it may have."""
    if letter.is_positive:
        return SIMPLE
    least, most = ((0 if no else oo) for no in (letter.is_nonnegative, letter.is_nonpositive))
    kept = [x for x in REAL if -least <= x <= most and not (x == 0 and letter.is_zero is False)]
    return tuple(kept) or (Integer(0),)


# -- at one run ------------------------------------------------------------------------------------


def decided(
    question: Question, words: Vocabulary, given: Given
) -> tuple[Decision, tuple[str, ...]]:
    """The decision for independent letters where that is a proof, else for what they mean at one
    run (C and r say the rest), with those meanings. One letter of a run does not fix another.
    """
    decision, meanings = _decided(question, words, given)
    if decision.refuted and question.relation == "propto":
        left, right = (e.free_symbols & words.of_a_run for e in (question.lhs, question.rhs))
        if len(right) == 1 and left - right and (left | right) - {sym.N, sym.D}:
            names = ", ".join(sorted(map(str, left | right)))
            reason = f"{names} belong to one run, and which of them stays fixed is not said"
            return undecided(reason), ()
    return decision, meanings


def _decided(
    question: Question, words: Vocabulary, given: Given
) -> tuple[Decision, tuple[str, ...]]:
    independent = question.decide()
    together = question.letters & words.of_a_run
    own, tied = together - {sym.C, sym.SIZE_RATIO}, given.ties(words.of_a_run)
    budget = (sym.C - words.budget).xreplace(given.replaced)
    is_on_budget = together | tied <= {sym.N, sym.D, sym.C} and bool(tied) and is_zero(budget)
    if independent.holds or is_on_budget or not words.depend(together | tied):
        return independent, ()
    tends = None if question.limit is None else question.limit[0]
    if tends in (sym.N, sym.D):  # the others in terms of C, which is held
        of_compute = {x: words.run[x] for x in own - {sym.N, sym.D}}
        if not any(sym.SIZE_RATIO in e.free_symbols for e in of_compute.values()):
            decision = question.at(of_compute).decide()
            if decision.holds:
                return decision, words.meanings(of_compute)
    bounds = (*given.domain.positive, *given.domain.nonnegative)
    is_bounded = any(words.depend(e.free_symbols - {*RUN_SYMBOLS}) for e in bounds)
    is_held = tends is not None and (
        tends not in (sym.C, sym.SIZE_RATIO) or bool(own & {sym.N, sym.D})
    )
    if tied or is_bounded or is_held:
        if not independent.refuted:
            return independent, ()
        meant = ", ".join(words.meanings(together | tied))
        said = f"what they mean at one run ({meant}) is not decided beside what is assumed"
        return undecided(f"it fails for independent letters; {said}"), ()
    at_run = question.at({symbol: words.run[symbol] for symbol in own})
    if not at_run.has_a_meaning:
        return independent, ()
    decision, meanings = at_run.decide(), words.meanings(together)
    if decision.answer is not Answer.UNDECIDED:
        return decision, meanings
    if independent.refuted:
        said = f"by definition {', '.join(meanings)}: {decision.reason}"
        reason = f"it fails for independent letters, and {said}"
        return undecided(reason, decision.conditions), ()
    return independent, ()
