"""Bounds between two expressions: proved by the search, refuted by an enclosure at a point, or
undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, sympify

from .answer import BOUNDS, Answer, Condition, Decision, undecided
from .arithmetic import OutsideScope
from .boundary import with_boundary
from .convert import arithmetic_for, normal_form
from .counterexample import any_point, counterexample, counterexample_downhill
from .decide import POINTS_TO_PROVE, decide, few_points, points_where
from .rules import PROVED, Stated, implied
from .search import why_positive
from .terms import POSITIVE

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
        *proved* where the two sides are equal or the search finds a proof; *refuted* at a point
        where an enclosure of the difference lies on the wrong side, and a strict bound also where
        the two sides are one and the same; *undecided* otherwise.
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
            return undecided(reason, conditions)
    return decision


def _decide(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    strict, weakly = relation in ("<", ">"), f"{relation[0]}="
    larger, smaller = (lhs, rhs) if relation[0] == ">" else (rhs, lhs)
    refuted = counterexample(lhs, weakly, rhs, assume, seed)
    if refuted is not None:
        return refuted
    weak = decide(larger, smaller, assume=assume, seed=seed)
    if weak.proved:
        weak = replace(weak, reason=EQUAL)
        if strict and (witness := any_point(lhs, rhs, assume, seed)) is not None:
            return Decision(Answer.REFUTED, EQUAL, witness=witness)
    elif proof := _sought(larger, smaller, assume, strict=strict, seed=seed):
        return proof
    elif refuted := counterexample_downhill(lhs, relation, rhs, assume, seed):
        return refuted
    elif strict:
        weak = _sought(larger, smaller, assume, strict=False, seed=seed) or weak
    if not weak.proved:
        return undecided("neither a proof is found nor a point where it fails")
    if not strict:
        return weak
    needed = [c for c in weak.conditions if c.relation != ">" or c.expression not in assume]
    reason = (
        f"it is proved only where {', '.join(map(str, needed))}, which is not assumed"
        if weak.reason == POSITIVE and needed
        else f"{weakly} is proved ({weak.reason}); whether the two sides are ever equal is not decided"
    )
    return undecided(reason, weak.conditions if needed else ())


def _sought(
    larger: Expr, smaller: Expr, assume: Sequence[Expr], *, strict: bool, seed: int
) -> Decision | None:
    """A proof by search, where both sides are defined; none where a strict bound needs more than is
    assumed.
    """
    try:
        arithmetic = arithmetic_for((larger, smaller), assume)
        for side in (larger, smaller):
            normal_form(side, arithmetic)
    except OutsideScope:
        return None
    needed = tuple(e for e in arithmetic.positive if e not in assume)
    nonzero = [e for e in arithmetic.nonzero if not implied(Condition(e, "!="), assume)]
    if strict and (needed or nonzero):
        return None
    reason = why_positive(
        larger - smaller,
        (*assume, *needed),
        strict=strict,
        seed=seed,
        nonzero=tuple(arithmetic.nonzero),
    )
    conditions = [Condition(e, ">") for e in (*assume, *needed)]
    conditions += [Condition(e, "!=") for e in nonzero]
    return Decision(Answer.PROVED, reason, tuple(dict.fromkeys(conditions))) if reason else None


@dataclass(frozen=True)
class ByBound:
    """Whatever the automatic decision of bounds finds: positive terms, a mean, or a search."""

    label: ClassVar[str] = "automatic bound"
    strength: ClassVar[str] = PROVED

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in BOUNDS:
            return undecided("the automatic decision of bounds serves bounds only")
        return decide_bound(claim.lhs, claim.relation, claim.rhs, assume=claim.assume)
