r"""Planning for a benchmark whose -log Q' is a law of params and tokens: every theorem on losses
holds.

.. math:: y = -\log Q' = E + A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) e^{-y}.

Q falls with y, so what is optimal for y is optimal for the accuracy, and what an allocation costs
in y - E is the law's penalty. No budget exceeds the ceiling Q'_max = exp(-E).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..arrays import positive_values
from ..data.scale import accuracy
from ..law import Law

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AccuracyLaw"]


@dataclass(frozen=True, kw_only=True)
class AccuracyLaw:
    """A benchmark whose -log Q' follows a params+tokens law.

    Attributes
    ----------
    law : Law
        The law of y = -log Q', with A and B; E = -log Q'max, 0 where the accuracy goes to 1. It
        answers all questions on y: `law.allocate`, `law.envelope`, `law.tolerance`.
    random_baseline : float
        Accuracy of guessing Q_r, in [0, 1).

    Raises
    ------
    ValueError
        Where the law has no E, A or B, or the accuracy of guessing is outside its domain.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> piqa = AccuracyLaw(law=Law(E=0.0, A=40.0, B=300.0, beta=0.25, gamma=0.27), random_baseline=0.5)
    >>> print(round(piqa.optimal_accuracy(1e22), 4))
    0.8452
    """

    law: Law
    random_baseline: float

    def __post_init__(self) -> None:
        self.law.needed("E", "A", "B")
        accuracy(0.0, self.random_baseline)

    @property
    def ceiling(self) -> float:
        """The accuracy that no budget exceeds: Q_r + (1 - Q_r) exp(-E)."""
        return float(formulas.ceiling(**self._constants))

    def accuracy(self, params: Any, tokens: Any) -> Any:
        """Raw accuracy of a run; numbers or arrays that broadcast."""
        return accuracy(self.law.loss(params, tokens), self.random_baseline)

    def optimal_accuracy(self, compute: Any) -> Any:
        """The envelope: the highest accuracy for a budget; a number or an array."""
        return accuracy(self.law.envelope.loss(compute), self.random_baseline)

    def penalty(self, ratio: Any = None, compute: Any = None, **allocation: Any) -> pd.DataFrame:
        """The cost of allocations in accuracy.

        Parameters
        ----------
        ratio : float or array_like, optional
            (D/N)/(D*/N*) at equal compute, > 0.
        compute : float or array_like, optional
            Budgets in FLOP, to be broadcast with the ratios.
        **allocation : float or array_like
            In place of a ratio: the other arguments of `Law.penalty`.

        Returns
        -------
        DataFrame
            A row for each allocation and budget: ratio; excess, (y - E)/(y* - E) - 1; greatest_loss,
            the most accuracy that the ratio costs at any budget, in units of accuracy; and of a run,
            or at the budgets, compute, accuracy Q, optimal_accuracy Q* and lost_accuracy Q* - Q.
        """
        import pandas as pd

        on_ray = "tokens_per_param" in allocation
        cost = self.law.penalty(ratio, **allocation, compute=compute if on_ray else None)
        excess = np.asarray(cost.excess)
        most, off = np.zeros(excess.shape), excess > 0.0
        if off.any():
            most[off] = formulas.greatest_accuracy_lost(excess[off], **self._constants)
        figures = {"ratio": cost.ratio, "excess": excess, "greatest_loss": most}
        if compute is not None or cost.is_run:
            budget = cost.compute if cost.is_run else positive_values("compute", compute)
            best, optimal = self.law.envelope.reducible_loss(budget), self.optimal_accuracy(budget)
            lost = formulas.accuracy_lost(best, cost.excess, **self._constants) + 0.0  # no -0
            figures |= {"compute": budget, "accuracy": optimal - lost}
            figures |= {"optimal_accuracy": optimal, "lost_accuracy": lost}
        rows = np.broadcast_arrays(*figures.values())
        return pd.DataFrame(dict(zip(figures, map(np.ravel, rows), strict=True)))

    @property
    def _constants(self) -> dict[str, float]:
        """E and the accuracy of guessing."""
        return {"E": self.law.needed("E")["E"], "random_baseline": self.random_baseline}
