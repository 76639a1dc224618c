"""A relation between two numbers, by interval arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isoflop.theory.argument import PROVED
from isoflop.theory.normalform.decide import Answer, Decision
from isoflop.theory.normalform.interval import IntervalEvaluator, Undefined

if TYPE_CHECKING:
    from isoflop.theory.claim import Claim


@dataclass(frozen=True)
class ByEnclosure:
    """Both sides are numbers, and an enclosure of their difference lies strictly on the right side of zero."""

    digits: int = 50
    label: str = "interval enclosure"
    strength: str = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in (">=", "<=") or claim.symbols:
            return Decision(Answer.UNDECIDED, "an enclosure proves bounds between numbers only")
        evaluator = IntervalEvaluator(self.digits)
        try:
            difference = evaluator.evaluate(claim.lhs, {}) - evaluator.evaluate(claim.rhs, {})
        except Undefined as error:
            return Decision(Answer.UNDECIDED, str(error))
        if not (difference.a > 0 if claim.relation == ">=" else difference.b < 0):
            return Decision(Answer.UNDECIDED, "the enclosure does not exclude the other side")
        return Decision(Answer.PROVED, f"the difference is enclosed with {self.digits} digits")
