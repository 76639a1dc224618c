"""Limits of sums of power-law terms in one variable."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Symbol

from isoflop.theory.argument import ByLeadingTerm
from isoflop.theory.claim import Claim
from isoflop.theory.normalform.decide import Answer, Decision
from isoflop.theory.pointwise import check_at_points

REFUTING_POINTS = 8


def decide_limit(
    lhs: Expr, relation: str, rhs: Expr, variable: Symbol, limit: str, *, assume: Sequence[Expr] = (), seed: int = 0
) -> Decision:
    """Decide `lhs ~ rhs` (the ratio tends to 1) or `lhs -> rhs` (the difference tends to 0) as the variable tends to 0+ or oo.

    *proved* where every term of the remainder is a power of the variable that vanishes; *refuted* where along a sequence of
    points towards the limit, at 50 digits, the remainder does not shrink; *undecided* otherwise.
    """
    claim = Claim("limit", lhs, relation, rhs, "", ByLeadingTerm(variable, limit), tuple(assume))
    exact = claim.prove()
    if exact.proved:
        return exact
    check = check_at_points(lhs, relation, rhs, assume=assume, limit=(variable, limit), points=REFUTING_POINTS, seed=seed)
    if not check.passed and check.witness:
        where = ", ".join(f"{symbol} = {value}" for symbol, value in check.witness if symbol != variable)
        return Decision(Answer.REFUTED, f"{check.detail}" + (f" at {where}" if where else ""))
    return exact
