r"""Planning for a benchmark whose -log Q' is a law of params and tokens: every theorem on losses
holds.

.. math:: y = -\log Q' = E + A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) e^{-y}.

Q falls with y, so what is optimal for y is optimal for the accuracy, and what an allocation costs
in y - E is the law's penalty. No budget exceeds the ceiling Q'_max = exp(-E). `planned` repeats
this with every refit of a fitted law, for intervals.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Shortest
from ...theory.typeset.table import Column, Table
from .. import formulas
from ..arrays import is_number, positive_values
from ..data.scale import accuracy
from ..errors import positive_array
from ..law import Law
from ..law.across import AllocationAcross, allocation_across
from ..law.penalty import Penalty
from ..results import Band, Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .fitting import LawFit

    Floats = NDArray[np.float64]
    #: Something that follows from a law: a number, or (m,).
    Quantity = Callable[["AccuracyLaw"], Any]

__all__ = [
    "AccuracyLaw",
    "AccuracyPenalty",
    "LossOptimal",
    "Plan",
    "Planning",
    "Refitted",
    "planned",
    "planning_law",
]

#: Laws of params and tokens; the first that was fitted is planned with.
PLANNING = ("params-tokens", "params-tokens-ceiling")
#: What a penalty is in accuracy.
IN_ACCURACY = ("accuracy", "optimal_accuracy", "lost_accuracy", "greatest_loss")
#: What training for the least loss costs, by the least that each cost can be, at the ratio 1.
COSTS = {"loss_penalty": 1.0, "lost_accuracy": 0.0, "compute_overhead": 0.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The best allocation for a benchmark, arrays with a value for every budget.

    Attributes
    ----------
    compute, params, tokens, tokens_per_param : ndarray
        C = 6 N D in FLOP, N, D and D/N.
    accuracy : ndarray
        Raw accuracy Q.
    """

    compute: Floats
    params: Floats
    tokens: Floats
    tokens_per_param: Floats
    accuracy: Floats


@dataclass(frozen=True, kw_only=True, repr=False)
class AccuracyPenalty(Penalty):
    """What an allocation costs in -log Q', and in accuracy at a budget.

    Attributes
    ----------
    loss_penalty, excess : float or ndarray
        P = (y - E)/(y* - E), and P - 1; the other figures of a `Penalty` likewise.
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
        return self.benchmark._greatest_loss(self.excess)

    @cached_property
    def optimal_accuracy(self) -> Any:
        """Q*."""
        return None if self.budget is None else self.benchmark.optimal_accuracy(self.budget)

    @cached_property
    def lost_accuracy(self) -> Any:
        """Q* - Q."""
        if self.budget is None:
            return None
        return self.benchmark._lost(self.law.envelope.reducible_loss(self.budget), self.excess)

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
                log_size_ratio=cost.log_size_ratio,
                given=cost.given,
                benchmark=self.benchmark,
                budget=None if budgets is None else budgets[index],
            )

    def tables(self) -> tuple[Table, ...]:
        """The penalties, and what they are in accuracy."""
        return (*super().tables(), accuracy_table(list(self.rows())))


def accuracy_table(costs: Sequence[AccuracyPenalty]) -> Table:
    """Penalties in accuracy points."""
    points = Shortest(3)
    return Table(
        [
            Column("ratio", format=Shortest(4)),
            Column("budget", "compute", format=Shortest(4), keys=("compute", "", "")),
            Column("accuracy", format=Shortest(4)),
            Column("optimal_accuracy", "optimal\naccuracy", format=Shortest(4)),
            Column("lost_accuracy", "points\nlost", format=points, of=_points("lost_accuracy")),
            Column(
                "greatest_loss",
                "most\nat\nany\ncompute",
                format=points,
                of=_points("greatest_loss"),
            ),
        ],
        costs,
    )


def _points(figure: str) -> Callable[[AccuracyPenalty], float | None]:
    def points(cost: AccuracyPenalty) -> float | None:
        lost = getattr(cost, figure)
        return None if lost is None else 100.0 * float(lost)

    return points


@dataclass(frozen=True, kw_only=True, eq=False)
class LossOptimal(AllocationAcross):
    """What training for the least loss costs on a benchmark: the allocation that is optimal for a
    law of loss, judged by the benchmark's own; a value for every budget.

    Attributes
    ----------
    law : str
        The law of loss that allocates.
    ratio : ndarray
        (D/N)/(D*/N*): above 1 the loss asks for fewer params and more tokens than the benchmark.
    compute_overhead : ndarray
        C/C_eff - 1.
    accuracy, optimal_accuracy, lost_accuracy : ndarray
        Q, Q* and Q* - Q.
    """

    law: str
    ratio: Floats
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
    >>> plan = piqa.plan(1e22)
    >>> round(float(plan.accuracy[0]), 4)
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
        return float(formulas.ceiling(**self._constants))

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
            accuracy=np.asarray(accuracy(best.loss, self.random_baseline)),
        )

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
        s, budget, given = cost.log_size_ratio, None, dict(cost.given)
        if cost.run is not None:
            budget = cost.run.compute
        elif compute is not None:
            s, budget = _together(s, positive_values("compute", compute))
            given = {name: _together(value, budget)[0] for name, value in given.items()}
        return AccuracyPenalty(
            law=self.law,
            log_size_ratio=s,
            given=tuple(given.items()),
            benchmark=self,
            budget=budget,
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
        optimal = np.asarray(self.optimal_accuracy(across.compute))
        lost_accuracy = self._lost(across.optimal_reducible, across.excess)
        effective, lost = across.effective_compute, across.lost_compute
        # Infinite where the best allocation needs less than a float holds of C.
        overhead = np.full_like(effective, np.inf)
        np.divide(lost, effective, out=overhead, where=effective > 0.0)
        return LossOptimal(
            **vars(across),
            law=loss_law.name,
            ratio=formulas.ratio_at_log(across.log_size_ratio),
            compute_overhead=overhead,
            accuracy=optimal - lost_accuracy,
            optimal_accuracy=optimal,
            lost_accuracy=lost_accuracy,
        )

    @property
    def _constants(self) -> dict[str, float]:
        return {"E": self.law.needed("E")["E"], "random_baseline": self.random_baseline}

    def _lost(self, best: Any, excess: Any) -> Any:
        """Q* - Q where y* - E and P - 1 are known."""
        return formulas.accuracy_lost(best, excess, **self._constants) + 0.0  # no negative zero

    def _greatest_loss(self, excess: Any) -> Any:
        """The most of Q* - Q over all budgets at this P - 1; at the optimum nothing."""
        most = np.zeros(np.shape(excess))
        off = np.greater(excess, 0.0)
        if off.any():
            most[off] = formulas.greatest_accuracy_lost(np.asarray(excess)[off], **self._constants)
        return most[()]


def _together(ratio: Any, compute: Any) -> tuple[Any, Any]:
    """Both of one shape."""
    if is_number(ratio) and is_number(compute):
        return ratio, compute
    first, second = np.broadcast_arrays(ratio, compute)
    return first, second


def _budgets(compute: Any) -> Floats:
    return np.atleast_1d(positive_array("compute", compute)).ravel()


# -- a fitted law and its refits -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Refitted:
    """A fitted law of accuracy with those of its refits that have an envelope.

    Attributes
    ----------
    law : AccuracyLaw
    refits : tuple of AccuracyLaw
    on_limit : ndarray of bool
        Which of the refits have a coefficient at a limit of the search.
    level : float
        Nominal coverage of intervals.
    """

    law: AccuracyLaw
    refits: tuple[AccuracyLaw, ...]
    on_limit: NDArray[np.bool_]
    level: float

    @classmethod
    def of(cls, fit: LawFit, level: float) -> Refitted:
        """Of a fit by params and tokens."""
        law = AccuracyLaw.from_coefficients(fit.coefficients, fit.sample.baseline)
        refits, kept = [], np.zeros(len(fit.refitted), dtype=bool)
        for i, (draw, baseline) in enumerate(
            zip(fit.refitted, fit.baselines.tolist(), strict=True)
        ):
            coefficients = dict(zip(fit.names, draw.tolist(), strict=True))
            with suppress(ValueError):
                refits.append(AccuracyLaw.from_coefficients(coefficients, baseline))
                kept[i] = True
        on_limit = np.asarray(fit.on_limit(fit.refitted).any(axis=1))[kept]
        return cls(law=law, refits=tuple(refits), on_limit=on_limit, level=level)

    def band(self, curve: Quantity) -> Band:
        """A curve (m,) with its pointwise interval over the refits."""
        return Band.of_draws(*self._drawn(curve), self.level)

    def estimates(self, quantity: Quantity, least: Any = None) -> list[Estimate]:
        """The entries of a quantity (m,), each with its interval over the refits.

        Where a refit takes an entry beyond the floats there is no interval. `least`: for each entry
        None, or the least that this cost can be, from which its interval then reaches up.
        """
        values, draws = self._drawn(quantity)
        ends = [None] * len(values) if least is None else least
        return [
            self._estimate(float(value), *each)
            for value, *each in zip(values, draws.T, ends, strict=True)
        ]

    def _drawn(self, quantity: Quantity) -> tuple[Floats, Floats]:
        """A quantity by the law, (m,), and by the refits, (K, m); NaN beyond the floats."""
        values = np.atleast_1d(np.asarray(quantity(self.law), dtype=np.float64))
        draws = np.full((len(self.refits), len(values)), np.nan)
        for draw, refit in zip(draws, self.refits, strict=True):
            with suppress(ValueError):
                draw[:] = quantity(refit)
        return values, draws

    def _estimate(self, value: float, draws: Floats, least: float | None) -> Estimate:
        if least is None and not np.isfinite(draws).all():
            return Estimate(value, level=self.level)
        dear = np.where(np.isnan(draws), np.inf, draws)
        return Estimate.of_draws(value, dear, self.level, least=least, on_limit=self.on_limit)


@dataclass(frozen=True, kw_only=True)
class Planning:
    """What a law of params and tokens says of allocations, every figure an estimate.

    Attributes
    ----------
    law : str
    exponent, coefficient, params_share, ceiling : Estimate
        alpha and C0 of the envelope -log Q' = E + C0 C^-alpha, w_N of N*(C) = n C^w_N, and the
        highest accuracy.
    allocations : tuple of dict
        compute; params, tokens, tokens_per_param and accuracy of the best allocation.
    penalties : tuple of dict
        ratio; loss_penalty, effective_compute, greatest_loss, and lost_accuracy at each budget.
    loss_optimal : tuple of dict
        law, compute; ratio, loss_penalty, lost_accuracy, compute_overhead. Where the interval of
        the ratio holds 1, at which the other three are least, these are bounded from above alone.
    n_failed : int
        Refits that are no law with an envelope; the intervals leave them out.
    tokens_per_param : tuple of float
        The least and the largest D/N of the fitted runs.
    n_refits, n_at_bound : int
        Refits, and those with a coefficient at a limit of the search.
    """

    law: str
    exponent: Estimate
    coefficient: Estimate
    params_share: Estimate
    ceiling: Estimate
    allocations: tuple[dict[str, Any], ...]
    penalties: tuple[dict[str, Any], ...]
    loss_optimal: tuple[dict[str, Any], ...]
    n_failed: int
    tokens_per_param: tuple[float, float]
    n_refits: int
    n_at_bound: int

    def doubt(self, level: float) -> str:
        """What speaks against the intervals: none, or more refits at a limit than a tail holds."""
        low, high = (f"{ratio:.3g}" for ratio in self.tokens_per_param)
        if not self.n_refits:
            return (
                f"without refits nothing says how well runs at D/N of {low} to {high} tell N from D"
            )
        if self.n_at_bound > 0.5 * (1.0 - level) * self.n_refits:
            return (
                f"in {self.n_at_bound} of {self.n_refits} refits a coefficient is at a limit of "
                f"the search: runs at "
                f"D/N of {low} to {high} hardly tell N from D, and the allocation is undetermined"
            )
        return ""


def planning_law(fits: Iterable[LawFit]) -> tuple[LawFit | None, str]:
    """The fit to plan with, or why there is none."""
    by_name = {fit.name: fit for fit in fits}
    name = next((name for name in PLANNING if name in by_name), None)
    if name is None:
        return None, f"need a fit of {' or '.join(PLANNING)}"
    fit = by_name[name]
    if not fit.converged:
        return None, f"the fit of {name} is no certified minimum"
    if fit.alike:
        return None, f"{name}: {fit.alike}"
    if fit.undetermined:
        return (
            None,
            f"{name} leaves {', '.join(fit.undetermined)} undetermined; runs of other params or "
            f"tokens would tell",
        )
    return fit, ""


def planned(
    fit: LawFit, budgets: Floats, ratios: Floats, loss_laws: Sequence[Law], level: float
) -> Planning:
    """Every quantity by the law and by its refits."""
    refitted = Refitted.of(fit, level)
    tokens_per_param = fit.sample.at.column("tokens") / fit.sample.at.column("params")
    envelope: dict[str, Quantity] = {
        "exponent": lambda law: law.law.envelope.exponent,
        "coefficient": lambda law: law.law.envelope.coefficient,
        "params_share": lambda law: law.law.envelope.params_share,
        "ceiling": lambda law: law.ceiling,
    }
    return Planning(
        law=fit.name,
        **{name: refitted.estimates(quantity)[0] for name, quantity in envelope.items()},
        allocations=_allocations(refitted, budgets),
        penalties=_penalties(refitted, ratios, budgets),
        loss_optimal=tuple(
            row for law in loss_laws for row in _loss_optimal(refitted, law, budgets)
        ),
        n_failed=len(fit.refitted) - len(refitted.refits),
        tokens_per_param=(float(tokens_per_param.min()), float(tokens_per_param.max())),
        n_refits=len(refitted.refits),
        n_at_bound=int(refitted.on_limit.sum()),
    )


def _allocations(refitted: Refitted, budgets: Floats) -> tuple[dict[str, Any], ...]:
    if not len(budgets):
        return ()
    columns: dict[str, Any] = {"compute": budgets.tolist()}
    for name in ("params", "tokens", "tokens_per_param", "accuracy"):
        columns[name] = refitted.estimates(_entry(lambda law: law.plan(budgets), name))
    return _rows(columns)


def _penalties(refitted: Refitted, ratios: Floats, budgets: Floats) -> tuple[dict[str, Any], ...]:
    """A row a ratio, each with the accuracy lost at every budget."""
    columns: dict[str, Any] = {"ratio": ratios.tolist()}
    for name in ("loss_penalty", "effective_compute", "greatest_loss"):
        columns[name] = refitted.estimates(_entry(lambda law: law.penalty(ratios), name))
    lost: list[Estimate] = []
    if len(budgets):
        lost = refitted.estimates(
            lambda law: law.penalty(ratios[:, None], budgets).lost_accuracy.ravel()
        )
    by_ratio = [lost[i * len(budgets) : (i + 1) * len(budgets)] for i in range(len(ratios))]
    columns["lost_accuracy"] = [
        list(_rows({"compute": budgets.tolist(), "lost": at_ratio})) for at_ratio in by_ratio
    ]
    return _rows(columns)


def _loss_optimal(refitted: Refitted, loss_law: Law, budgets: Floats) -> tuple[dict[str, Any], ...]:
    """A row a budget. A cost is least where the ratio is 1: if that may be, it is bounded from
    above alone.
    """
    if not len(budgets):
        return ()

    def estimates(name: str, least: Any = None) -> list[Estimate]:
        return refitted.estimates(
            _entry(lambda law: law.loss_optimal(loss_law, budgets), name), least
        )

    ratios = estimates("ratio")
    may_be_one = [ratio.has_interval and not ratio.excludes(1.0) for ratio in ratios]
    costs = {
        name: estimates(name, [least if one else None for one in may_be_one])
        for name, least in COSTS.items()
    }
    laws = [loss_law.name] * len(budgets)
    return _rows({"law": laws, "compute": budgets.tolist(), "ratio": ratios, **costs})


def _entry(record: Quantity, name: str) -> Quantity:
    """One array of a record."""
    return lambda law: getattr(record(law), name)


def _rows(columns: Mapping[str, Sequence[Any]]) -> tuple[dict[str, Any], ...]:
    rows = zip(*columns.values(), strict=True)
    return tuple(dict(zip(columns, row, strict=True)) for row in rows)
