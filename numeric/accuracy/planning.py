r"""Planning for a benchmark whose -log Q' is a law of params and tokens: every theorem on losses holds for it.

.. math:: y = -\log Q' = E + A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) e^{-y}, \qquad Q'_{max} = e^{-E}.

Q falls with y, so what is optimal for y is optimal for the accuracy, and what an allocation costs in y - E is the law's penalty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..allocation_across import allocation_across
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import number, outside, positive_array

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from ..allocation import Allocation
    from ..law import Law, NumericEnvelope
    from ..penalty import Tolerance

    Floats = NDArray[np.float64]

__all__ = ["AccuracyLaw", "AccuracyPenalty", "LossOptimal", "Plan"]


class _Record:
    """A frozen record of arrays of one length, or None."""

    __dataclass_fields__: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}

    def rows(self) -> list[dict[str, Any]]:
        """A record for every entry."""
        columns = self.as_dict()
        length = max(len(value) for value in columns.values() if isinstance(value, list))
        return [{name: value[i] if isinstance(value, list) else value for name, value in columns.items()} for i in range(length)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan(_Record):
    """The best allocation for a benchmark, a value for every budget.

    Attributes
    ----------
    compute, params, tokens, tokens_per_param : ndarray
        C = 6 N D in FLOP, N, D and D/N.
    neg_log : ndarray
        y = -log Q'.
    accuracy : ndarray
        Raw accuracy Q.
    """

    compute: Floats
    params: Floats
    tokens: Floats
    tokens_per_param: Floats
    neg_log: Floats
    accuracy: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class AccuracyPenalty(_Record):
    """What an overtraining ratio costs, a value for every ratio, or for every budget at each ratio.

    Attributes
    ----------
    ratio, size_ratio : ndarray
        (D/N)/(D*/N*) and N/N* at equal compute.
    loss_penalty, excess : ndarray
        P = (y - E)/(y* - E), and P - 1.
    effective_compute : ndarray
        C_eff/C: the share of the budget with which the best allocation reaches the same accuracy.
    greatest_loss : ndarray
        The most accuracy that the ratio costs at any budget, in units of accuracy.
    compute, accuracy, optimal_accuracy, lost_accuracy : ndarray or None
        At a budget: Q, Q* and Q* - Q; None where none was given.
    """

    ratio: Floats
    size_ratio: Floats
    loss_penalty: Floats
    excess: Floats
    effective_compute: Floats
    greatest_loss: Floats
    compute: Floats | None = None
    accuracy: Floats | None = None
    optimal_accuracy: Floats | None = None
    lost_accuracy: Floats | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class LossOptimal(_Record):
    """What training for the least loss costs on a benchmark, a value for every budget.

    Attributes
    ----------
    law : str
        The law of loss that allocates.
    compute, params, tokens : ndarray
        Its allocation.
    optimal_params, optimal_tokens : ndarray
        The benchmark's own.
    ratio : ndarray
        (D/N)/(D*/N*): above 1 the loss asks for fewer params and more tokens than the benchmark.
    loss_penalty, excess : ndarray
        P = (y - E)/(y* - E), and P - 1.
    effective_compute, compute_overhead : ndarray
        C_eff/C, the share of the budget with which the best allocation reaches the same accuracy, and what is spent beyond it,
        relative to it: C/C_eff - 1.
    accuracy, optimal_accuracy, lost_accuracy : ndarray
        Q, Q* and Q* - Q.
    """

    law: str
    compute: Floats
    params: Floats
    tokens: Floats
    optimal_params: Floats
    optimal_tokens: Floats
    ratio: Floats
    loss_penalty: Floats
    excess: Floats
    effective_compute: Floats
    compute_overhead: Floats
    accuracy: Floats
    optimal_accuracy: Floats
    lost_accuracy: Floats


@dataclass(frozen=True, kw_only=True)
class AccuracyLaw:
    """A benchmark whose -log Q' follows a params+tokens law.

    Attributes
    ----------
    law : Law
        Of y = -log Q', with A and B; E = -log Q'max, 0 where the accuracy goes to 1.
    random_baseline : float
        Accuracy of guessing Q_r, in [0, 1).
    name : str
        Of the benchmark.

    Raises
    ------
    ValueError
        Where the law has no E, A or B, or the accuracy of guessing is outside its domain.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> piqa = AccuracyLaw(law=Law(E=0.0, A=40.0, B=300.0, beta=0.25, gamma=0.27), random_baseline=0.5)
    >>> plan = piqa.plan(1e22)
    >>> round(float(plan.accuracy[0]), 4), round(float(piqa.compute_for(plan.accuracy)[0] / 1e22), 9)
    (0.8452, 1.0)
    """

    law: Law
    random_baseline: float
    name: str = ""

    def __post_init__(self) -> None:
        self.law.needed("E", "A", "B")
        accuracy(0.0, self.random_baseline)

    @classmethod
    def from_coefficients(cls, names: Sequence[str], values: Any, baseline: float, name: str = "") -> AccuracyLaw:
        """The law of a fit, by the names of its coefficients; without E the accuracy goes to 1."""
        from ..law import Law

        found: dict[str, Any] = {"E": 0.0} | {key: float(value) for key, value in zip(names, values, strict=True)}
        return cls(law=Law(**found, name=name or "accuracy"), random_baseline=baseline, name=name)

    # -- the law -------------------------------------------------------------------------------------------------------

    @property
    def ceiling(self) -> float:
        """The accuracy that no budget exceeds: Q_r + (1 - Q_r) exp(-E)."""
        return float(formulas.ceiling(self._E, self.random_baseline))

    @property
    def envelope(self) -> NumericEnvelope:
        """The best -log Q' for every budget."""
        return self.law.envelope

    def loss(self, params: Any, tokens: Any) -> Any:
        """-log Q' of a run; numbers or arrays that broadcast."""
        return self.law.loss(params, tokens)

    def reducible_loss(self, params: Any, tokens: Any) -> Any:
        """-log Q' less its limit E."""
        return self.law.reducible_loss(params, tokens)

    def allocate(self, compute: Any = None, **options: Any) -> Allocation:
        """The best params and tokens for a budget or a target: see `Law.allocate`; the loss is -log Q'."""
        return self.law.allocate(compute, **options)

    def tolerance(self, within: float) -> Tolerance:
        """The allocations at which the penalty of -log Q' stays at most 1 + within."""
        return self.law.tolerance(within)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the law of -log Q' as a law file."""
        self.law.save(path)

    def accuracy(self, params: Any, tokens: Any) -> Any:
        """Raw accuracy of a run; numbers or arrays that broadcast."""
        return accuracy(self.law.loss(params, tokens), self.random_baseline)

    def optimal_accuracy(self, compute: Any) -> Any:
        """The envelope: the highest accuracy for a budget; a number or an array."""
        return accuracy(self.law.envelope.loss(compute), self.random_baseline)

    def plan(self, compute: Any) -> Plan:
        """The allocation of highest accuracy for budgets in FLOP."""
        budgets = _budgets(compute)
        best = self.law.allocate(compute=budgets)
        return Plan(
            compute=budgets,
            params=best.params,
            tokens=best.tokens,
            tokens_per_param=best.tokens_per_param,
            neg_log=best.loss,
            accuracy=np.asarray(accuracy(best.loss, self.random_baseline)),
        )

    def compute_for(self, target: Any) -> Floats:
        """The least compute in FLOP with which the law reaches an accuracy.

        Raises
        ------
        ValueError
            Where an accuracy is not between guessing and the ceiling.
        """
        domain = f"above guessing ({self.random_baseline:g}) and below the ceiling of the law ({self.ceiling:.6g})"
        values = np.atleast_1d(np.asarray(target, dtype=np.float64))
        for value in values.ravel():
            if not self.random_baseline < number("accuracy", float(value), domain) < self.ceiling:
                raise outside("accuracy", float(value), domain)
        y = neg_log_accuracy(values, self.random_baseline)
        return np.asarray(self.law.allocate(loss=y).compute)

    # -- what other allocations cost -----------------------------------------------------------------------------------

    def penalty(self, ratio: Any, compute: Any = None) -> AccuracyPenalty:
        """What overtraining ratios cost; with budgets also in accuracy at each of them.

        Parameters
        ----------
        ratio : float or array_like
            (D/N)/(D*/N*) at equal compute, > 0.
        compute : float or array_like, optional
            Budgets in FLOP; every ratio is then taken at every budget, budgets within ratios.
        """
        ratios = np.atleast_1d(positive_array("ratio", ratio))
        budgets = None if compute is None else _budgets(compute)
        if budgets is not None:
            ratios, budgets = (each.ravel() for each in np.meshgrid(ratios, budgets, indexing="ij"))
        cost = self.law.penalty(ratio=ratios)
        found = AccuracyPenalty(
            ratio=ratios,
            size_ratio=cost.size_ratio,
            loss_penalty=cost.loss_penalty,
            excess=cost.excess,
            effective_compute=cost.effective_compute,
            greatest_loss=self._greatest_loss(cost.excess),
        )
        if budgets is None:
            return found
        best = self.law.envelope.reducible_loss(budgets)
        optimal = np.asarray(self.optimal_accuracy(budgets))
        lost = self._lost(best, cost.excess)
        return AccuracyPenalty(
            **{name: getattr(found, name) for name in ("ratio", "size_ratio", "loss_penalty", "excess")},
            effective_compute=found.effective_compute,
            greatest_loss=found.greatest_loss,
            compute=budgets,
            accuracy=optimal - lost,
            optimal_accuracy=optimal,
            lost_accuracy=lost,
        )

    def loss_optimal(self, loss_law: Law, compute: Any) -> LossOptimal:
        """What the allocation of least loss costs on this benchmark.

        Parameters
        ----------
        loss_law : Law
            Of the loss, with A and B; its E does not matter.
        compute : float or array_like
            Budgets in FLOP.
        """
        across = allocation_across(loss_law, self.law, _budgets(compute))
        lost = self._lost(across.optimal_reducible, across.excess)
        optimal = np.asarray(self.optimal_accuracy(across.compute))
        return LossOptimal(
            law=loss_law.name,
            compute=across.compute,
            params=across.params,
            tokens=across.tokens,
            optimal_params=across.optimal_params,
            optimal_tokens=across.optimal_tokens,
            ratio=_ratio(across.log_size_ratio),
            loss_penalty=across.loss_penalty,
            excess=across.excess,
            effective_compute=across.effective_compute,
            compute_overhead=_overhead(across.lost_compute, across.effective_compute),
            accuracy=optimal - lost,
            optimal_accuracy=optimal,
            lost_accuracy=lost,
        )

    # -- plumbing ------------------------------------------------------------------------------------------------------

    @property
    def _E(self) -> float:
        return self.law.needed("E")["E"]

    @property
    def _constants(self) -> dict[str, float]:
        return {"E": self._E, "random_baseline": self.random_baseline}

    def _lost(self, best: Any, excess: Any) -> Floats:
        """Q* - Q where y* - E and P - 1 are known."""
        return np.asarray(formulas.accuracy_lost(best, excess, **self._constants)) + 0.0  # no negative zero

    def _greatest_loss(self, excess: Any) -> Floats:
        """The most of Q* - Q over all budgets at this P - 1; at the optimum nothing."""
        found = np.zeros(len(excess))
        off = excess > 0.0
        if off.any():
            found[off] = formulas.greatest_accuracy_lost(excess[off], **self._constants)
        return found


def _ratio(log_size_ratio: Floats) -> Floats:
    return np.asarray(formulas.ratio_at_log(log_size_ratio))


def _overhead(lost: Floats, effective: Floats) -> Floats:
    """C/C_eff - 1 from 1 - C_eff/C and C_eff/C; infinite where the best allocation needs less than a float holds of C."""
    return np.divide(lost, effective, out=np.full_like(effective, np.inf), where=effective > 0.0)


def _budgets(compute: Any) -> Floats:
    return np.atleast_1d(positive_array("compute", compute)).ravel()
