"""Allocation, penalties and the cost of loss-optimal training for a report, each with the interval that the refits give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.bootstrap import percentile
from .bounds import upper_bound
from .planning import AccuracyLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law
    from .fitting import LawFit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Estimate", "Planning", "laws_of", "planned", "planning_law"]

#: Laws of params and tokens, the first that is there is planned with.
PLANNING = ("params-tokens", "params-tokens-ceiling")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its interval; no ends without refits.

    `at_most`: the interval is one-sided, from the least that the figure can be to the quantile of the refits at the level.
    `low_bound`, `high_bound`: whether that end is of a refit with a coefficient on a bound of the search, so that it is no end.
    """

    value: float
    low: float | None
    high: float | None
    at_most: bool = False
    low_bound: bool = False
    high_bound: bool = False


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
    tokens_per_param : tuple of float
        The least and the largest D/N of the fitted runs.
    n_refits, n_at_bound : int
        Refits, and those with a coefficient on a bound of the search.
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
        """What speaks against the intervals, "" where nothing does: none, or more refits on a bound than a tail holds."""
        low, high = (f"{each:.3g}" for each in self.tokens_per_param)
        if not self.n_refits:
            return f"without refits nothing says how well runs at D/N of {low} to {high} tell N from D"
        if self.n_at_bound > 0.5 * (1.0 - level) * self.n_refits:
            return (
                f"in {self.n_at_bound} of {self.n_refits} refits a coefficient is at a bound of the search: runs at D/N of "
                f"{low} to {high} hardly tell N from D, and the allocation is not determined"
            )
        return ""


def planning_law(fits: Sequence[LawFit]) -> tuple[LawFit | None, str]:
    """The fit to plan with, or why there is none."""
    for name in PLANNING:
        for fit in fits:
            if fit.name != name:
                continue
            if not fit.found.converged:
                return None, f"the fit of {name} is no certified minimum"
            if fit.alike:
                return None, f"{name}: {fit.alike}"
            if fit.found.undetermined:
                return None, f"{name} leaves {', '.join(fit.found.undetermined)} open; runs of other params or tokens would tell"
            return fit, ""
    return None, f"need a fit of {' or '.join(PLANNING)}"


def planned(fit: LawFit, budgets: Floats, ratios: Floats, loss_laws: Sequence[Law], level: float) -> Planning:
    """Every figure by the law and by its refits."""
    law, refits, on_bound = laws_of(fit)
    ratios_of_runs = fit.sample.at.column("tokens") / fit.sample.at.column("params")

    def estimates(figure: Callable[[AccuracyLaw], Any]) -> list[Estimate]:
        return _estimates(figure, law, refits, on_bound, level)

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
        loss_optimal=tuple(row for each in loss_laws for row in _loss_optimal(law, refits, on_bound, level, each, budgets)),
        n_failed=len(fit.draws) - len(refits),
        tokens_per_param=(float(ratios_of_runs.min()), float(ratios_of_runs.max())),
        n_refits=len(refits),
        n_at_bound=int(on_bound.sum()),
    )


def laws_of(fit: LawFit) -> tuple[AccuracyLaw, list[AccuracyLaw], Mask]:
    """The law, those of its refits that are laws with an envelope, and which of these have a coefficient on a bound."""
    names = fit.kind.coefficients
    law = AccuracyLaw.from_coefficients(names, fit.found.coefficients, fit.sample.baseline, fit.sample.benchmark)
    refits, kept = [], np.zeros(len(fit.draws), dtype=bool)
    for i, (coefficients, baseline) in enumerate(zip(fit.draws, fit.baselines, strict=True)):
        with suppress(ValueError):
            refits.append(AccuracyLaw.from_coefficients(names, coefficients, float(baseline)))
            kept[i] = True
    lower, upper = fit.found.at_limits(fit.draws)
    on_bound = np.asarray((lower | upper).any(axis=1))
    return law, refits, on_bound[kept]


def _estimates(
    figure: Callable[[AccuracyLaw], Any], law: AccuracyLaw, refits: Sequence[AccuracyLaw], on_bound: Mask, level: float
) -> list[Estimate]:
    """The entries of a figure, each with its percentiles over the refits; no ends where a float does not hold one of them."""
    values, table = _drawn(figure, law, refits)
    found = []
    for value, column in zip(values, table.T, strict=True):
        if len(column) < 2 or not np.isfinite(column).all():
            found.append(Estimate(value=float(value), low=None, high=None))
            continue
        low, high = percentile(column, level)
        is_no_end = [_is_of_bound(column, on_bound, 0.5 * (1.0 + sign * level)) for sign in (-1.0, 1.0)]
        found.append(Estimate(value=float(value), low=low, high=high, low_bound=is_no_end[0], high_bound=is_no_end[1]))
    return found


def _is_of_bound(column: Floats, on_bound: Mask, share: float) -> bool:
    """Whether a refit next to this quantile has a coefficient on a bound of the search."""
    order, place = np.argsort(column, kind="stable"), share * (len(column) - 1)
    return bool(on_bound[order[[math.floor(place), math.ceil(place)]]].any())


def _costs(
    figure: Callable[[AccuracyLaw], Any],
    law: AccuracyLaw,
    refits: Sequence[AccuracyLaw],
    on_bound: Mask,
    level: float,
    ratios: Sequence[Estimate],
    least: float,
) -> list[Estimate]:
    """What is least where a ratio is 1: bounded from above alone where the interval of the ratio holds 1."""
    _, table = _drawn(figure, law, refits)
    found = []
    for each, ratio, column in zip(_estimates(figure, law, refits, on_bound, level), ratios, table.T, strict=True):
        if ratio.low is None or ratio.high is None or not ratio.low <= 1.0 <= ratio.high:
            found.append(each)
            continue
        # A refit may cost more than a float holds; the quantile below it is none the less one.
        low, high = upper_bound(np.where(np.isfinite(column), column, np.finfo(np.float64).max), level, least)
        held = bool(np.isfinite(np.sort(column)[: math.ceil(level * (len(column) - 1)) + 1]).all())
        is_no_end = _is_of_bound(column, on_bound, level)
        found.append(Estimate(value=each.value, low=low, high=high if held else None, at_most=True, high_bound=is_no_end))
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
    law: AccuracyLaw, refits: Sequence[AccuracyLaw], on_bound: Mask, level: float, loss_law: Law, budgets: Floats
) -> list[dict[str, Any]]:
    if not len(budgets):
        return []

    def figure(name: str) -> Callable[[AccuracyLaw], Any]:
        return lambda each: getattr(each.loss_optimal(loss_law, budgets), name)

    ratios = _estimates(figure("ratio"), law, refits, on_bound, level)
    columns = {"ratio": ratios}
    columns |= {name: _costs(figure(name), law, refits, on_bound, level, ratios, least) for name, least in COSTS.items()}
    return [
        {"law": loss_law.name, "compute": float(C)} | {name: entries[i] for name, entries in columns.items()}
        for i, C in enumerate(budgets)
    ]
