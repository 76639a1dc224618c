"""Allocation, penalties and the cost of loss-optimal training for a report, each with the interval that the refits give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.downstream.planning import AccuracyLaw
from isoflop.numeric.fit.bootstrap import percentile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.downstream.fitting import LawFit
    from isoflop.numeric.law import Law

    Floats = NDArray[np.float64]

__all__ = ["Estimate", "Planning", "planned", "planning_law"]

#: Laws of params and tokens, the first that is there is planned with.
PLANNING = ("params-tokens", "params-tokens-ceiling")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its interval; no ends without refits."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Planning:
    """What a law of params and tokens says of allocations.

    Attributes
    ----------
    law : str
    exponent, params_share, ceiling : Estimate
        alpha of the envelope -log Q' = E + C0 C^-alpha, w_N of N*(C) = n C^w_N, and the highest accuracy.
    allocations : tuple of dict
        compute, and as estimates params, tokens, tokens_per_param, accuracy of the best allocation.
    penalties : tuple of dict
        ratio, and as estimates loss_penalty, effective_compute, greatest_loss, and lost_accuracy at each of the `allocations`.
    loss_optimal : tuple of dict
        law, compute, and as estimates ratio, loss_penalty, lost_accuracy, compute_overhead.
    n_failed : int
        Refits whose coefficients are no law with an envelope, which the intervals leave out.
    """

    law: str
    exponent: Estimate
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
    names = fit.kind.coefficients
    law = AccuracyLaw.from_coefficients(names, fit.found.coefficients, fit.sample.baseline, fit.sample.benchmark)
    refits, n_failed = [], 0
    for coefficients, baseline in zip(fit.draws, fit.baselines, strict=True):
        try:
            refits.append(AccuracyLaw.from_coefficients(names, coefficients, float(baseline)))
        except ValueError:
            n_failed += 1

    def estimates(figure: Callable[[AccuracyLaw], Any]) -> list[Estimate]:
        return _estimates(figure, law, refits, level)

    (exponent,) = estimates(lambda each: [each.law.envelope.exponent])
    (share,) = estimates(lambda each: [each.law.envelope.params_share])
    (ceiling,) = estimates(lambda each: [each.ceiling])
    return Planning(
        law=fit.name,
        exponent=exponent,
        params_share=share,
        ceiling=ceiling,
        allocations=_allocations(estimates, budgets),
        penalties=_penalties(estimates, ratios, budgets),
        loss_optimal=tuple(row for each in loss_laws for row in _loss_optimal(estimates, each, budgets)),
        n_failed=n_failed,
    )


def _estimates(
    figure: Callable[[AccuracyLaw], Any], law: AccuracyLaw, refits: Sequence[AccuracyLaw], level: float
) -> list[Estimate]:
    """The entries of a figure, each with its percentiles over the refits; no ends where a float does not hold one of them."""
    values = np.asarray(figure(law), dtype=np.float64)
    drawn = []
    for each in refits:
        try:
            drawn.append(np.asarray(figure(each), dtype=np.float64))
        except ValueError:  # beyond the range of a float
            drawn.append(np.full(len(values), np.nan))
    table = np.array(drawn).reshape(len(drawn), len(values))
    found = []
    for value, column in zip(values, table.T, strict=True):
        low = high = None
        if len(column) > 1 and np.isfinite(column).all():
            low, high = percentile(column, level)
        found.append(Estimate(value=float(value), low=low, high=high))
    return found


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


def _loss_optimal(estimates: Any, loss_law: Law, budgets: Floats) -> list[dict[str, Any]]:
    if not len(budgets):
        return []
    columns = {
        name: estimates(lambda each, name=name: getattr(each.loss_optimal(loss_law, budgets), name))
        for name in ("ratio", "loss_penalty", "lost_accuracy", "compute_overhead")
    }
    return [
        {"law": loss_law.name, "compute": float(C)} | {name: entries[i] for name, entries in columns.items()}
        for i, C in enumerate(budgets)
    ]
