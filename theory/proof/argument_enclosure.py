"""A relation between two numbers, by interval arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..algebra.decide import Answer, Decision
from ..algebra.interval import IntervalEvaluator, Undefined
from .argument import BOUNDS, PROVED, larger_and_smaller

if TYPE_CHECKING:
    from .claim import Claim


@dataclass(frozen=True)
class ByEnclosure:
    """Both sides are numbers, and an enclosure of their difference lies strictly on the right side
    of zero.
    """

    digits: int = 50
    label: ClassVar[str] = "interval enclosure"
    strength: ClassVar[str] = PROVED

    def establish(self, claim: Claim) -> Decision:
        if claim.relation not in BOUNDS or claim.symbols:
            return Decision(Answer.UNDECIDED, "an enclosure proves bounds between numbers only")
        evaluator = IntervalEvaluator(self.digits)
        try:
            larger, smaller = (evaluator.evaluate(side, {}) for side in larger_and_smaller(claim))
        except Undefined as error:
            return Decision(Answer.UNDECIDED, str(error))
        if not (larger - smaller).a > 0:
            return Decision(Answer.UNDECIDED, "the enclosure does not exclude the other side")
        return Decision(Answer.PROVED, f"the difference is enclosed with {self.digits} digits")
