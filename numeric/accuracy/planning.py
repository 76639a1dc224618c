r"""Planning for a benchmark whose -log Q' is a law of params and tokens: every theorem on losses
holds.

.. math:: y = -\log Q' = E + A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) e^{-y}.

Q falls with y, so what is optimal for y is optimal for the accuracy, and what an allocation costs
in y - E is the law's penalty. No budget exceeds the ceiling Q'_max = exp(-E).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Shortest
from ...theory.typeset.table import Column, Table
from .. import formulas
from ..arrays import is_number, positive_values
from ..data.scale import accuracy
from ..law import Law
from ..law.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["AccuracyLaw", "AccuracyPenalty", "accuracy_table"]

#: What a penalty is in accuracy.
IN_ACCURACY = ("accuracy", "optimal_accuracy", "lost_accuracy", "greatest_loss")


@dataclass(frozen=True, kw_only=True, repr=False)
class AccuracyPenalty(Result):
    """What an allocation costs in -log Q', and in accuracy at a budget.

    Attributes
    ----------
    loss_penalty, excess : float or ndarray
        P = (y - E)/(y* - E), and P - 1; the other figures of a `Result` likewise.
    greatest_loss : float or ndarray
        The most accuracy that the allocation costs at any budget, in units of accuracy.
    budget : float, ndarray or None
        Compute at which the accuracies are: that of the run, or as given.
    accuracy, optimal_accuracy, lost_accuracy : float, ndarray or None
        At that compute: Q, Q* and Q* - Q; None where none was given.
    """

    benchmark: AccuracyLaw
    budget: Any

    @cached_property
    def greatest_loss(self) -> Any:
        """The most of Q* - Q over all budgets; at the optimum nothing."""
        most, off = np.zeros(np.shape(self.excess)), np.greater(self.excess, 0.0)
        if off.any():
            excess = np.asarray(self.excess)[off]
            most[off] = formulas.greatest_accuracy_lost(excess, **self.benchmark.constants)
        return most[()]

    @cached_property
    def optimal_accuracy(self) -> Any:
        """Q*."""
        return None if self.budget is None else self.benchmark.optimal_accuracy(self.budget)

    @cached_property
    def lost_accuracy(self) -> Any:
        """Q* - Q."""
        if self.budget is None:
            return None
        best = self.law.envelope.reducible_loss(self.budget)
        lost = formulas.accuracy_lost(best, self.excess, **self.benchmark.constants)
        return lost + 0.0  # no negative zero

    @cached_property
    def accuracy(self) -> Any:
        """Q."""
        return None if self.budget is None else self.optimal_accuracy - self.lost_accuracy

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return super().as_dict() | {name: getattr(self, name) for name in IN_ACCURACY}

    def rows(self) -> Iterator[AccuracyPenalty]:
        """The penalties of the single allocations, each at its budget."""
        budgets = None if self.budget is None else np.ravel(self.budget).tolist()
        for index, cost in enumerate(super().rows()):
            yield AccuracyPenalty(
                law=self.law,
                given=cost.given,
                variables=cost.variables,
                benchmark=self.benchmark,
                budget=None if budgets is None else budgets[index],
            )

    def tables(self) -> tuple[Table, ...]:
        """The penalties, and what they are in accuracy."""
        return (*super().tables(), accuracy_table(list(self.rows())))


def accuracy_table(costs: Sequence[AccuracyPenalty]) -> Table:
    """Penalties in accuracy points."""

    def points(cost: AccuracyPenalty, figure: str) -> float | None:
        lost = getattr(cost, figure)
        return None if lost is None else 100.0 * float(lost)

    three, four = Shortest(3), Shortest(4)
    columns = [
        Column("ratio", format=four),
        Column("budget", "compute", format=four, keys=("compute", "", "")),
        Column("accuracy", format=four),
        Column("optimal_accuracy", "optimal\naccuracy", format=four),
    ]
    for figure, header in (
        ("lost_accuracy", "points\nlost"),
        ("greatest_loss", "most\nat\nany\ncompute"),
    ):
        columns.append(Column(figure, header, format=three, of=partial(points, figure=figure)))
    return Table(columns, costs)


@dataclass(frozen=True, kw_only=True)
class AccuracyLaw:
    """A benchmark whose -log Q' follows a params+tokens law.

    Attributes
    ----------
    law : Law
        Of y = -log Q', with A and B; E = -log Q'max, 0 where the accuracy goes to 1. What follows
        for y, follows from it: `law.allocate`, `law.envelope`, `law.tolerance`.
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
    >>> round(piqa.optimal_accuracy(1e22), 4)
    0.8452
    """

    law: Law
    random_baseline: float

    def __post_init__(self) -> None:
        self.law.needed("E", "A", "B")
        accuracy(0.0, self.random_baseline)

    @classmethod
    def from_coefficients(cls, coefficients: Mapping[str, float], baseline: float) -> AccuracyLaw:
        """The law of a fit; without E the accuracy goes to 1."""
        named: dict[str, Any] = {"E": 0.0, **coefficients}
        return cls(law=Law(**named, name="accuracy"), random_baseline=baseline)

    @property
    def ceiling(self) -> float:
        """The accuracy that no budget exceeds: Q_r + (1 - Q_r) exp(-E)."""
        return float(formulas.ceiling(**self.constants))

    def accuracy(self, params: Any, tokens: Any) -> Any:
        """Raw accuracy of a run; numbers or arrays that broadcast."""
        return accuracy(self.law.loss(params, tokens), self.random_baseline)

    def optimal_accuracy(self, compute: Any) -> Any:
        """The envelope: the highest accuracy for a budget; a number or an array."""
        return accuracy(self.law.envelope.loss(compute), self.random_baseline)

    def penalty(self, ratio: Any = None, compute: Any = None, **allocation: Any) -> AccuracyPenalty:
        """What an allocation costs; of a run, and of a ratio at a budget, in accuracy too.

        Parameters
        ----------
        ratio : float or array_like, optional
            (D/N)/(D*/N*) at equal compute, > 0.
        compute : float or array_like, optional
            Budgets in FLOP, of the shape of the ratios or to be broadcast with them.
        **allocation : float or array_like
            In place of a ratio: the other arguments of `Law.penalty`.
        """
        on_ray = "tokens_per_param" in allocation
        cost = self.law.penalty(ratio, **allocation, compute=compute if on_ray else None)
        s, budget, given = cost.log_size_ratio, None, cost.given
        if cost.is_run:
            budget = cost.compute
        elif compute is not None:
            budget = positive_values("compute", compute)
            if not (is_number(s) and is_number(budget)):
                s, budget = np.broadcast_arrays(s, budget)
                given = {name: np.broadcast_to(value, s.shape) for name, value in given.items()}
        return AccuracyPenalty(
            law=self.law,
            given=given,
            variables=given if cost.is_run else None,
            benchmark=self,
            budget=budget,
        )

    @property
    def constants(self) -> dict[str, float]:
        """E and the accuracy of guessing."""
        return {"E": self.law.needed("E")["E"], "random_baseline": self.random_baseline}
