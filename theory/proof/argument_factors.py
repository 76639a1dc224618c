"""The sign of a product from the signs of its factors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sympy import Expr, Integer, Mul

from ..algebra.decide import Answer, Condition, Decision, decide
from .argument import (
    BOUNDS,
    PROVED,
    STRICT,
    Argument,
    ByPositiveTerms,
    differ,
    implied,
    larger_and_smaller,
    premise,
    weakest,
)

if TYPE_CHECKING:
    from .claim import Claim

ZERO = Integer(0)


@dataclass(frozen=True)
class ByFactors:
    """lhs - rhs (for >=; rhs - lhs for <=) is a product of factors, none of which is negative.

    That it is the product is decided by normal form. A factor is an even power, an assumption of
    the claim, or a sum of positive terms. For > and < every factor must be certainly positive, and
    an even power have a base that is certainly not 0: by an assumption, by positive terms, or as
    `base` proves it positive.
    """

    factors: tuple[Expr, ...]
    base: Argument = field(default_factory=ByPositiveTerms)
    label: ClassVar[str] = "signs of factors"

    @property
    def strength(self) -> str:
        return weakest((PROVED, self.base.strength))

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in BOUNDS:
            return Decision(Answer.UNDECIDED, "the signs of factors prove bounds only")
        larger, smaller = larger_and_smaller(claim)
        strict = claim.relation in STRICT
        same = decide(larger - smaller, Mul(*self.factors), assume=claim.assume)
        if not same.proved:
            return Decision(
                Answer.UNDECIDED, f"the difference is not the product of the factors: {same}"
            )
        conditions: list[Condition] = list(same.conditions)
        if strict and not all(implied(condition, claim.assume) for condition in conditions):
            return Decision(
                Answer.UNDECIDED, f"the difference is the product only on conditions: {same}"
            )
        for factor in self.factors:
            if factor in claim.assume or (
                _is_even_power(factor) and (not strict or self._never_zero(factor.base, claim))
            ):
                continue
            positive = ByPositiveTerms().establish(premise(claim, factor, ZERO, strict=strict))
            if not positive.proved:
                return Decision(Answer.UNDECIDED, f"the factor {factor}: {positive.reason}")
            conditions.extend(positive.conditions)
        reason = (
            "every factor of the difference is positive"
            if strict
            else "no factor of the difference is negative"
        )
        return Decision(Answer.PROVED, reason, tuple(dict.fromkeys(conditions)))

    def _never_zero(self, base: Expr, claim: Claim) -> bool:
        return (
            differ(claim, base, ZERO)
            or self.base.establish(premise(claim, base, ZERO, strict=True)).proved
        )


def _is_even_power(factor: Expr) -> bool:
    """A positive even integer power; its base is real where the symbols are, which `decide` sees
    to.
    """
    return bool(factor.is_Pow and factor.exp.is_Integer and factor.exp > 0 and factor.exp % 2 == 0)
