"""Bounds: proved by the search, refuted by an enclosure at a point, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, sympify

from .answer import BOUNDS, STRICT, Answer, Condition, Decision, undecided
from .arithmetic import OutsideScope
from .boundary import with_boundary
from .convert import normal_forms
from .decide import POINTS_TO_PROVE, decide, few_points, points_where
from .points import any_point, counterexample
from .rules import PROVED, Stated, implied
from .search import EXACTLY, why_positive

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
    """Decide a bound (`>=`, `<=`, `>` or `<`) for all values of the symbols where the assumptions
    hold.

    Returns
    -------
    Decision
        *proved* if the two sides are equal or the search finds a proof; *refuted* at a point where
        the enclosure of the difference has the wrong sign, and for a strict bound also if the sides
        are identical; *undecided* otherwise.
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
    """The decision; proved only if sampled points satisfy its conditions."""
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
    strict, weakly = relation in STRICT, f"{relation[0]}="
    larger, smaller = (lhs, rhs) if relation[0] == ">" else (rhs, lhs)
    equal = decide(larger, smaller, assume=assume, seed=seed)
    if equal.proved:
        equal = replace(equal, reason=EQUAL)
        if not strict:
            return equal
        witness = any_point(lhs, rhs, assume, seed)
        if witness is None:
            return _not_strict(weakly, equal, assume)
        return Decision(Answer.REFUTED, EQUAL, witness=witness)
    if proof := _sought(larger, smaller, assume, strict=strict, seed=seed):
        return proof
    if refuted := counterexample(lhs, weakly, rhs, assume, seed):
        return refuted
    weak = _sought(larger, smaller, assume, strict=False, seed=seed) if strict else None
    if weak is None:
        return undecided("neither a proof is found nor a point where it fails")
    return _not_strict(weakly, weak, assume)


def _not_strict(weakly: str, weak: Decision, assume: Sequence[Expr]) -> Decision:
    """The undecided answer to a strict bound whose weak form is proved, with what that needs."""
    needed = tuple(c for c in weak.conditions if c.expression not in assume)
    found = f"{weakly} is proved ({weak.reason})"
    return undecided(f"{found}; whether the two sides are ever equal is not decided", needed)


def _sought(
    larger: Expr, smaller: Expr, assume: Sequence[Expr], *, strict: bool, seed: int
) -> Decision | None:
    """A proof by search where both sides are defined; None for a strict bound that needs more than
    the assumptions.
    """
    try:
        arithmetic, _ = normal_forms((larger, smaller), assume)
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
    """The automatic decision of bounds; with `mean`, by weighted AM-GM alone."""

    mean: bool = False
    strength: ClassVar[str] = PROVED

    @property
    def label(self) -> str:
        return "weighted AM-GM" if self.mean else "automatic bound"

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in BOUNDS:
            return undecided("the automatic decision of bounds applies to bounds only")
        found = decide_bound(claim.lhs, claim.relation, claim.rhs, assume=claim.assume)
        if self.mean and found.proved and found.reason != EXACTLY:
            return undecided(f"it is proved, but not by weighted AM-GM: {found.reason}")
        return found
