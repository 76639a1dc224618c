"""The accuracy lost by training off the optimum, from the penalty in -log of accuracy.

Safe forms hold log(1 - Q_r) in place of 1 - Q_r, so that Q_r >= 1 has no value instead of a wrong
one.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, exp

from .kernel.functions import expm1, log1p


@dataclass(frozen=True)
class AccuracyPenaltyForm:
    """Accuracy Q = Q_r + (1 - Q_r) exp(-E - R) at the optimum, where R is least, and with P R in
    its place.

    Attributes
    ----------
    reducible : Expr
        R > 0, the reducible part of -log Q', Q' = (Q - Q_r)/(1 - Q_r), at the optimum of the
        budget.
    excess : Expr
        x = P - 1 > 0, the excess of the penalty.
    irreducible : Expr
        E >= 0: Q' tends to exp(-E) for unlimited compute.
    baseline : Expr
        Q_r, the accuracy of guessing; in [0, 1).
    """

    reducible: Expr
    excess: Expr
    irreducible: Expr
    baseline: Expr

    @property
    def penalty(self) -> Expr:
        """P = 1 + x."""
        return 1 + self.excess

    def safe_accuracy_at(self, reducible: Expr) -> Expr:
        """Q_r + (1 - Q_r) exp(-E - R), with log(1 - Q_r)."""
        return self.baseline + exp(log1p(-self.baseline) - self.irreducible - reducible)

    @property
    def ceiling(self) -> Expr:
        """Accuracy for unlimited compute, Q_r + (1 - Q_r) exp(-E)."""
        return self.baseline + (1 - self.baseline) * exp(-self.irreducible)

    @property
    def lost(self) -> Expr:
        """(1 - Q_r) exp(-E) (exp(-R) - exp(-P R))."""
        return self._span * (exp(-self.reducible) - exp(-self.penalty * self.reducible))

    @property
    def safe_lost(self) -> Expr:
        """The accuracy lost, without the difference of two accuracies."""
        return -exp(log1p(-self.baseline) - self.irreducible - self.reducible) * expm1(
            -self.excess * self.reducible
        )

    @property
    def greatest_lost(self) -> Expr:
        """The greatest loss over all budgets, (1 - Q_r) exp(-E) (P - 1) P^(-P/(P - 1))."""
        return self._span * self.excess * self.penalty ** (-self.penalty / self.excess)

    @property
    def safe_greatest_lost(self) -> Expr:
        """The greatest loss, from the logarithm of every factor."""
        power = self.penalty * log1p(self.excess) / self.excess
        return self.excess * exp(log1p(-self.baseline) - self.irreducible - power)

    @property
    def _span(self) -> Expr:
        """The range of accuracy between guessing and unlimited compute."""
        return (1 - self.baseline) * exp(-self.irreducible)
