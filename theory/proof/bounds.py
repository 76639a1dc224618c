"""Bounds between sums of power-law terms: proved by positive terms or weighted AM-GM, refuted by an
enclosure, or undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Abs, Dummy, Expr, Symbol, sympify

from ..algebra.answer import Answer, Condition, Decision
from ..algebra.arithmetic import OutsideScope
from ..algebra.boundary import put_in, with_boundary
from ..algebra.convert import arithmetic_for, normal_form
from ..algebra.decide import (
    POINTS_TO_PROVE,
    decide,
    few_points,
    points_where,
)
from .argument import BOUNDS, PROVED
from .claim import Claim
from .counterexample import any_point, counterexample, counterexample_downhill
from .search import why_positive
from .terms import POSITIVE, by_terms

EQUAL = "the two sides are equal"


def decide_bound(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs >= rhs` or `lhs <= rhs` for all values of the symbols where the assumptions hold,
    or the same with `>`, `<`.

    Returns
    -------
    Decision
        *proved* where the two sides are equal, where the difference is a sum of positive terms, or
        where its one negative term is at most the weighted geometric mean of the positive ones;
        *refuted* at a point where an enclosure of the difference lies on the wrong side;
        *undecided* otherwise. A strict bound is proved by positive terms alone, and refuted where
        the two sides are one and the same.
    """
    if relation not in ("<=", ">=", "<", ">"):
        raise ValueError(f"relation={relation!r}: must be <=, >=, < or >")
    sides, strict, weak = (
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    )

    def judged(sides: tuple[Expr, ...], assume: tuple[Expr, ...]) -> Decision:
        return _with_points(sides[0], relation, sides[1], assume, seed)

    return with_boundary(judged, sides, strict, weak)


def decide_equality(
    lhs: Expr,
    rhs: Expr,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs == rhs` by normal forms; with absolute values, where those are silent, as a bound
    from either side.
    """
    decision = decide(lhs, rhs, assume=assume, assume_nonnegative=assume_nonnegative, seed=seed)
    if decision.answer is not Answer.UNDECIDED or not (lhs.has(Abs) or rhs.has(Abs)):
        return decision
    conditions: list[Condition] = []
    for relation in ("<=", ">="):
        bound = decide_bound(
            lhs, relation, rhs, assume=assume, assume_nonnegative=assume_nonnegative, seed=seed
        )
        if not bound.proved:
            return decision
        conditions += bound.conditions
    reason = "neither side exceeds the other, in every case of the absolute values"
    return Decision(Answer.PROVED, reason, tuple(dict.fromkeys(conditions)))


def _with_points(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision:
    """The decision, proved only where sampled points satisfy its conditions."""
    decision = _decide(lhs, relation, rhs, assume, seed)
    if decision.proved:
        conditions = tuple(
            dict.fromkeys((*(Condition(a, ">") for a in assume), *decision.conditions))
        )
        symbols = lhs.free_symbols.union(
            rhs.free_symbols, *(c.expression.free_symbols for c in conditions)
        )
        found = len(points_where(conditions, symbols, seed, POINTS_TO_PROVE))
        if found < POINTS_TO_PROVE:
            reason = few_points("the bound holds on its conditions", found)
            return Decision(Answer.UNDECIDED, reason, conditions)
    return decision


def _decide(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    strict = relation in ("<", ">")
    known = _strict if strict else _weak
    decision = known(lhs, relation, rhs, assume, seed)
    if decision.answer is not Answer.UNDECIDED:
        return decision
    larger, smaller = (lhs, rhs) if relation[0] == ">" else (rhs, lhs)
    return (
        _sought(larger, smaller, assume, strict=strict, seed=seed)
        or counterexample_downhill(lhs, relation, rhs, assume, seed)
        or decision
    )


def _sought(
    larger: Expr, smaller: Expr, assume: Sequence[Expr], *, strict: bool, seed: int
) -> Decision | None:
    """A proof by search, where both sides are defined; none where a strict bound needs more than is
    assumed.
    """
    try:
        arithmetic = arithmetic_for((larger, smaller), assume)
        for side in (larger, smaller):
            normal_form(_without_bars(side), arithmetic)
    except OutsideScope:
        return None
    needed = tuple(e for e in arithmetic.positive if e not in assume)
    if strict and (needed or arithmetic.nonzero):
        return None
    reason = why_positive(larger - smaller, (*assume, *needed), strict=strict, seed=seed)
    conditions = tuple(Condition(e, ">") for e in (*assume, *needed)) + tuple(
        Condition(e, "!=") for e in arithmetic.nonzero
    )
    return Decision(Answer.PROVED, reason, conditions) if reason else None


def _without_bars(e: Expr) -> Expr:
    """What has to be defined for the expression to be: |u| is where u is, in sums and products."""
    if e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer and e.exp > 0):
        return e.func(*(_without_bars(part) for part in e.args), evaluate=False)
    return _without_bars(e.args[0]) if isinstance(e, Abs) else e


def _weak(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    larger, smaller = (lhs, rhs) if relation == ">=" else (rhs, lhs)
    refuted = counterexample(lhs, relation, rhs, assume, seed)
    if refuted is not None:
        return refuted
    equal = decide(larger, smaller, assume=assume, seed=seed)
    if equal.proved:
        return Decision(Answer.PROVED, EQUAL, equal.conditions)
    inside = _inside(assume)
    kept = tuple(
        a
        for a in (a.subs([(x, value) for x, value, _ in inside]) for a in assume)
        if a.is_positive is not True
    )
    for x, value, _ in inside:
        larger, smaller = (put_in(side, {x: value}) for side in (larger, smaller))
    try:
        decision = by_terms(larger, smaller, kept)
    except OutsideScope as error:
        return Decision(Answer.UNDECIDED, str(error))
    if decision.proved:
        back = [excess for _, _, excess in reversed(inside)]
        conditions = [Condition(c.expression.subs(back), c.relation) for c in decision.conditions]
        return Decision(
            Answer.PROVED,
            decision.reason,
            tuple(dict.fromkeys((*(Condition(a, ">") for a in assume), *conditions))),
        )
    return decision


def _strict(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    weak = _weak(lhs, f"{relation}=", rhs, assume, seed)
    if not weak.proved:
        return weak
    needed = [c for c in weak.conditions if c.relation != ">" or c.expression not in assume]
    if weak.reason == POSITIVE and not needed:
        return weak
    if weak.reason == POSITIVE:
        shown = ", ".join(map(str, needed))
        return Decision(
            Answer.UNDECIDED,
            f"it is proved only where {shown}, which is not assumed",
            weak.conditions,
        )
    if weak.reason == EQUAL and (witness := any_point(lhs, rhs, assume, seed)) is not None:
        return Decision(Answer.REFUTED, EQUAL, witness=witness)
    return Decision(
        Answer.UNDECIDED,
        f"{relation}= is proved ({weak.reason}); whether the two sides are ever equal is not "
        f"decided",
    )


def _inside(assume: Sequence[Expr]) -> list[tuple[Symbol, Expr, tuple[Symbol, Expr]]]:
    """What builds bounds of the form x > e and x < e in: x = e + u, x = e/(1 + u) with u > 0, and
    what u is.
    """
    replacements: list[tuple[Symbol, Expr, tuple[Symbol, Expr]]] = []
    for assumption in assume:
        current = assumption.subs([(x, value) for x, value, _ in replacements])
        for x in sorted(current.free_symbols, key=lambda symbol: symbol.name):
            bound = x - current if current.coeff(x, 1) == 1 else x + current
            if (
                x in bound.free_symbols
                or bound.is_positive is not True
                or any(x == old for old, _, _ in replacements)
            ):
                continue
            if current.coeff(x, 1) != 1 and x.is_positive is not True:
                continue  # below a bound x may be negative
            excess = Dummy("u", positive=True)
            if current.coeff(x, 1) == 1:
                replacements.append((x, bound + excess, (excess, x - bound)))
            else:
                replacements.append((x, bound / (1 + excess), (excess, bound / x - 1)))
            break
    return replacements


@dataclass(frozen=True)
class ByBound:
    """Whatever the automatic decision of bounds finds: positive terms, a mean, or a search."""

    label: ClassVar[str] = "automatic bound"
    strength: ClassVar[str] = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in BOUNDS:
            return Decision(Answer.UNDECIDED, "the automatic decision of bounds serves bounds only")
        return decide_bound(claim.lhs, claim.relation, claim.rhs, assume=claim.assume)
