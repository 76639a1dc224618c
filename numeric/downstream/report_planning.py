"""Allocation, penalties and the cost of loss-optimal training for a report, each with the interval that the refits give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.downstream.bounds import upper_bound
from isoflop.numeric.downstream.planning import AccuracyLaw
from isoflop.numeric.fit.bootstrap import percentile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.downstream.fitting import LawFit
    from isoflop.numeric.law import Law

    Floats = NDArray[np.float64]

__all__ = ["Estimate", "Planning", "laws_of", "planned", "planning_law"]

#: Laws of params and tokens, the first that is there is planned with.
PLANNING = ("params-tokens", "params-tokens-ceiling")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its interval; no ends without refits.

    `at_most`: the interval is one-sided, from the least that the figure can be to the quantile of the refits at the level.
    """

    value: float
    low: float | None
    high: float | None
    at_most: bool = False


@dataclass(frozen=True, kw_only=True)
class Planning:
    """What a law of params and tokens says of allocations.

    Attributes
    ----------
    law : str
    exponent, coefficient, params_share, ceiling : Estimate
        alpha and C0 of the envelope -log Q' = E + C0 C^-alpha, w_N of N*(C) = n C^w_N, and the highest accuracy.
    allocations : tuple of dict
        compute, and as estimates params, tokens, tokens_per_param, accuracy of the best allocation.
    penalties : tuple of dict
        ratio, and as estimates loss_penalty, effective_compute, greatest_loss, and lost_accuracy at each of the `allocations`.
    loss_optimal : tuple of dict
        law, compute, and as estimates ratio, loss_penalty, lost_accuracy, compute_overhead. Where the interval of the ratio holds
        1, at which the other three are least, these are bounded from above alone.
    n_failed : int
        Refits whose coefficients are no law with an envelope, which the intervals leave out.
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


def planning_law(fits: Sequence[LawFit]) -> tuple[LawFit | None, str]:
    """The fit to plan with, or why there is none."""
    for name in PLANNING:
        for fit in fits:
            if fit.name != name:
                continue
            if not fit.found.converged:
                return None, f"the fit of {name} is no certified minimum"
            if fit.found.undetermined:
                return None, f"{name} leaves {', '.join(fit.found.undetermined)} open; runs of other params or tokens would tell"
            return fit, ""
    return None, f"need a fit of {' or '.join(PLANNING)}"


def planned(fit: LawFit, budgets: Floats, ratios: Floats, loss_laws: Sequence[Law], level: float) -> Planning:
    """Every figure by the law and by its refits."""
    law, refits, n_failed = laws_of(fit)

    def estimates(figure: Callable[[AccuracyLaw], Any]) -> list[Estimate]:
        return _estimates(figure, law, refits, level)

    (exponent,) = estimates(lambda each: [each.law.envelope.exponent])
    (coefficient,) = estimates(lambda each: [each.law.envelope.coefficient])
    (share,) = estimates(lambda each: [each.law.envelope.params_share])
    (ceiling,) = estimates(lambda each: [each.ceiling])
    return Planning(
        law=fit.name,
        exponent=exponent,
        coefficient=coefficient,
        params_share=share,
        ceiling=ceiling,
        allocations=_allocations(estimates, budgets),
        penalties=_penalties(estimates, ratios, budgets),
        loss_optimal=tuple(row for each in loss_laws for row in _loss_optimal(law, refits, level, each, budgets)),
        n_failed=n_failed,
    )


def laws_of(fit: LawFit) -> tuple[AccuracyLaw, list[AccuracyLaw], int]:
    """The law, its refits, and how many of these are no law with an envelope."""
    names = fit.kind.coefficients
    law = AccuracyLaw.from_coefficients(names, fit.found.coefficients, fit.sample.baseline, fit.sample.benchmark)
    refits, n_failed = [], 0
    for coefficients, baseline in zip(fit.draws, fit.baselines, strict=True):
        try:
            refits.append(AccuracyLaw.from_coefficients(names, coefficients, float(baseline)))
        except ValueError:
            n_failed += 1
    return law, refits, n_failed


def _estimates(
    figure: Callable[[AccuracyLaw], Any], law: AccuracyLaw, refits: Sequence[AccuracyLaw], level: float
) -> list[Estimate]:
    """The entries of a figure, each with its percentiles over the refits; no ends where a float does not hold one of them."""
    values, table = _drawn(figure, law, refits)
    found = []
    for value, column in zip(values, table.T, strict=True):
        low = high = None
        if len(column) > 1 and np.isfinite(column).all():
            low, high = percentile(column, level)
        found.append(Estimate(value=float(value), low=low, high=high))
    return found


def _costs(
    figure: Callable[[AccuracyLaw], Any],
    law: AccuracyLaw,
    refits: Sequence[AccuracyLaw],
    level: float,
    ratios: Sequence[Estimate],
    least: float,
) -> list[Estimate]:
    """What is least where a ratio is 1: bounded from above alone where the interval of the ratio holds 1."""
    _, table = _drawn(figure, law, refits)
    found = []
    for each, ratio, column in zip(_estimates(figure, law, refits, level), ratios, table.T, strict=True):
        if each.low is None or ratio.low is None or ratio.high is None or not ratio.low <= 1.0 <= ratio.high:
            found.append(each)
            continue
        low, high = upper_bound(column, level, least)
        found.append(Estimate(value=each.value, low=low, high=high, at_most=True))
    return found


def _drawn(figure: Callable[[AccuracyLaw], Any], law: AccuracyLaw, refits: Sequence[AccuracyLaw]) -> tuple[Floats, Floats]:
    """The entries (m,) of a figure by the law, and (K, m) by the refits; NaN where a float does not hold them."""
    values = np.asarray(figure(law), dtype=np.float64)
    drawn = []
    for each in refits:
        try:
            drawn.append(np.asarray(figure(each), dtype=np.float64))
        except ValueError:  # beyond the range of a float
            drawn.append(np.full(len(values), np.nan))
    return values, np.array(drawn).reshape(len(drawn), len(values))


def _allocations(estimates: Any, budgets: Floats) -> tuple[dict[str, Any], ...]:
    if not len(budgets):
        return ()
    columns = {
        name: estimates(lambda each, name=name: getattr(each.plan(budgets), name))
        for name in ("params", "tokens", "tokens_per_param", "accuracy")
    }
    return tuple({"compute": float(C)} | {name: entries[i] for name, entries in columns.items()} for i, C in enumerate(budgets))


def _penalties(estimates: Any, ratios: Floats, budgets: Floats) -> tuple[dict[str, Any], ...]:
    columns = {
        name: estimates(lambda each, name=name: getattr(each.penalty(ratios), name))
        for name in ("loss_penalty", "effective_compute", "greatest_loss")
    }
    lost = [estimates(lambda each, C=C: each.penalty(ratios, C).lost_accuracy) for C in budgets]
    return tuple(
        {"ratio": float(ratio)}
        | {name: entries[i] for name, entries in columns.items()}
        | {"lost_accuracy": [{"compute": float(C), "lost": each[i]} for C, each in zip(budgets, lost, strict=True)]}
        for i, ratio in enumerate(ratios)
    )


#: What training for the least loss costs, by the least that each can be, at the ratio 1.
COSTS = {"loss_penalty": 1.0, "lost_accuracy": 0.0, "compute_overhead": 0.0}


def _loss_optimal(
    law: AccuracyLaw, refits: Sequence[AccuracyLaw], level: float, loss_law: Law, budgets: Floats
) -> list[dict[str, Any]]:
    if not len(budgets):
        return []

    def figure(name: str) -> Callable[[AccuracyLaw], Any]:
        return lambda each: getattr(each.loss_optimal(loss_law, budgets), name)

    ratios = _estimates(figure("ratio"), law, refits, level)
    columns = {"ratio": ratios}
    columns |= {name: _costs(figure(name), law, refits, level, ratios, least) for name, least in COSTS.items()}
    return [
        {"law": loss_law.name, "compute": float(C)} | {name: entries[i] for name, entries in columns.items()}
        for i, C in enumerate(budgets)
    ]
