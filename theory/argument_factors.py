"""The sign of a product from the signs of its factors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Mul

from isoflop.theory.argument import PROVED, ByPositiveTerms
from isoflop.theory.normalform.decide import Answer, Condition, Decision, decide

if TYPE_CHECKING:
    from isoflop.theory.claim import Claim


@dataclass(frozen=True)
class ByFactors:
    """lhs - rhs (for >=; rhs - lhs for <=) is a product of factors, none of which is negative.

    That it is the product is decided by normal form. A factor is an even power, an assumption of the claim, or a sum of positive
    terms.
    """

    factors: tuple[Expr, ...]
    label: str = "signs of factors"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in (">=", "<="):
            return Decision(Answer.UNDECIDED, "the signs of factors prove bounds only")
        difference = claim.lhs - claim.rhs if claim.relation == ">=" else claim.rhs - claim.lhs
        same = decide(difference, Mul(*self.factors), assume=claim.assume)
        if not same.proved:
            return Decision(Answer.UNDECIDED, f"the difference is not the product of the factors: {same}")
        conditions: list[Condition] = list(same.conditions)
        for factor in self.factors:
            if factor in claim.assume or _is_even_power(factor):
                continue
            known = tuple(a for a in claim.assume if a.free_symbols <= factor.free_symbols)
            positive = ByPositiveTerms().establish(replace(claim, lhs=factor, relation=">=", rhs=Integer(0), assume=known))
            if not positive.proved:
                return Decision(Answer.UNDECIDED, f"the factor {factor}: {positive.reason}")
            conditions.extend(positive.conditions)
        return Decision(Answer.PROVED, "no factor of the difference is negative", tuple(dict.fromkeys(conditions)))


def _is_even_power(factor: Expr) -> bool:
    """A positive even integer power; its base is real where the symbols are, which `decide` sees to."""
    return bool(factor.is_Pow and factor.exp.is_Integer and factor.exp > 0 and factor.exp % 2 == 0)
