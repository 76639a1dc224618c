"""What a backtest comes to: errors by decades held out, coverage of intervals, stability of coefficients, what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import outside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .result import Backtest
    from .step import Step

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

NOT_CONVERGED = "the fit is not certified as a minimum"
OPEN = "the models leave {names} open"
NO_INTERVAL = "the models leave no error of the prediction"


@dataclass(frozen=True, eq=False)
class Table:
    """A prediction an element.

    Attributes
    ----------
    step, target : ndarray of int
        Indices into the steps and the names of the backtest.
    decades_held_out : ndarray
        From the cutoff to the target.
    observed, measured, predicted, lo, hi : ndarray
        -log pass@k or the loss; NaN where it was not observed. `measured` is in the logarithm.
    relative_error, relative_error_pass : ndarray
        (predicted - observed)/observed, of the above and of pass@k.
    usable : ndarray of bool
        Whether the fit is certified, all its coefficients are determined, and the target is observed.
    has_interval : ndarray of bool
        Whether besides the interval has ends.
    inside : ndarray of bool
        Whether the observation lies in it.
    """

    step: Any
    target: Any
    decades_held_out: Floats
    observed: Floats
    measured: Floats
    predicted: Floats
    lo: Floats
    hi: Floats
    relative_error: Floats
    relative_error_pass: Floats
    usable: Mask
    has_interval: Mask
    inside: Mask


def tabulated(result: Backtest) -> Table:
    """Every prediction of a backtest."""
    parts = [_of_step(result, index, step) for index, step in enumerate(result.steps) if len(step.targets)]
    names = tuple(Table.__dataclass_fields__)
    if not parts:
        empty = {name: np.empty(0, dtype=bool) for name in ("usable", "has_interval", "inside")}
        empty |= {name: np.empty(0, dtype=np.int64) for name in ("step", "target")}
        return Table(**{name: empty.get(name, np.empty(0)) for name in names})
    return Table(**{name: np.concatenate([part[name] for part in parts]) for name in names})


def _of_step(result: Backtest, index: int, step: Step) -> dict[str, Any]:
    observed = result.observed[step.task.k]
    log_y, error = observed.log_y[step.targets], observed.standard_error[step.targets]
    error = np.where(np.isfinite(log_y), error, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        lo, hi = step.prediction.interval(result.level, measured=error)
        y, predicted = np.exp(log_y), np.exp(step.log_y)
        relative, relative_pass = np.expm1(step.log_y - log_y), np.expm1(y - predicted)
    plan = result.plans[step.task.law]
    place = plan.position[step.targets]
    usable = np.isfinite(log_y) & (step.converged and not step.undetermined)
    has_interval = usable & np.isfinite(step.standard_error)
    return {
        "step": np.full(len(y), index),
        "target": step.targets,
        "decades_held_out": place - plan.place(step.task.cutoff),
        "observed": y,
        "measured": error,
        "predicted": predicted,
        "lo": lo,
        "hi": hi,
        "relative_error": relative,
        "relative_error_pass": relative_pass,
        "usable": usable,
        "has_interval": has_interval,
        "inside": has_interval & (lo <= y) & (y <= hi),
    }


# -- errors ------------------------------------------------------------------------------------------------------------


def errors(result: Backtest, edges: Sequence[float] | None, *, by_decades: bool, by_observation: bool) -> list[dict[str, Any]]:
    """See `Backtest.errors`."""
    table = result.table
    bins = _bins(table, edges) if by_decades else [(0.0, inf)]
    found = []
    for law, k, chosen in _parts(result, table.usable):
        for held, those in _observed(result, chosen, by_observation):
            for low, high in bins:
                part = those & (table.decades_held_out > low) & (table.decades_held_out <= high)
                if part.any():
                    ends = {"decades_lo": low, "decades_hi": high} if by_decades else {}
                    found.append({"law": law, "k": k} | held | ends | _errors(result, part))
    return found


def _observed(result: Backtest, chosen: Mask, apart: bool) -> Iterator[tuple[dict[str, str], Mask]]:
    """The chosen predictions by how their targets were observed, or all of them."""
    if not apart:
        yield {}, chosen
        return
    how = np.array(
        [result.observed[result.steps[s].task.k].how[g] for s, g in zip(result.table.step, result.table.target, strict=True)],
        dtype=object,
    )
    for way in sorted(set(how[chosen])):
        yield {"how_observed": way}, chosen & (how == way)


def _errors(result: Backtest, part: Mask) -> dict[str, Any]:
    table = result.table
    signed = table.relative_error[part]
    row = {
        "n": int(part.sum()),
        "n_targets": len(np.unique(table.target[part])),
        "median_error": float(np.median(np.abs(signed))),
        "mean_error": float(np.mean(np.abs(signed))),
        "median_bias": float(np.median(signed)),
        "share_above": float(np.mean(signed > 0.0)),
    }
    if result.what == "counts":
        of_pass = table.relative_error_pass[part]
        row |= {"median_error_pass": float(np.median(np.abs(of_pass))), "mean_error_pass": float(np.mean(np.abs(of_pass)))}
        row |= {"median_bias_pass": float(np.median(of_pass))}
    return row


def _bins(table: Table, edges: Sequence[float] | None) -> list[tuple[float, float]]:
    if edges is None:
        most = table.decades_held_out[table.usable].max(initial=0.0)
        ends = [float(end) for end in range(ceil(most) + 1)]
    else:
        ends = [float(end) for end in edges]
        if len(ends) < 2 or not all(low < high for low, high in pairwise(ends)):
            raise outside("edges", edges, "at least two numbers, each below the next")
    return list(pairwise(ends))


def _parts(result: Backtest, chosen: Mask) -> Iterator[tuple[str, int, Mask]]:
    """The predictions of every law at every k among the chosen."""
    laws = np.array([step.task.law for step in result.steps], dtype=object)[result.table.step]
    ks = np.array([step.task.k for step in result.steps], dtype=np.int64)[result.table.step]
    for law in result.laws:
        for k in result.ks:
            yield law, k, chosen & (laws == law) & (ks == k)


# -- coverage ----------------------------------------------------------------------------------------------------------


def coverage(result: Backtest, *, by_decades: bool, by_observation: bool) -> list[dict[str, Any]]:
    """See `Backtest.coverage`."""
    table = result.table
    bins = _bins(table, None) if by_decades else [(0.0, inf)]
    by_law: dict[str, Mask] = {law: np.zeros(len(table.step), dtype=bool) for law in result.laws}
    parts: list[tuple[str, int | None, Mask]] = []
    for law, k, chosen in _parts(result, table.has_interval):
        by_law[law] |= chosen
        parts.append((law, k, chosen))
    together = [(law, None, chosen) for law, chosen in by_law.items()] if len(result.ks) > 1 else []
    found = []
    for law, at, chosen in (*parts, *together):
        for held, those in _observed(result, chosen, by_observation):
            for low, high in bins:
                part = those & (table.decades_held_out > low) & (table.decades_held_out <= high)
                if part.any():
                    ends = {"decades_lo": low, "decades_hi": high} if by_decades else {}
                    found.append({"law": law, "k": at} | held | ends | _coverage(table.inside[part], table.target[part]))
    return found


def _coverage(inside: Mask, target: Any) -> dict[str, Any]:
    models, index = np.unique(target, return_inverse=True)
    count, share = len(inside), float(inside.mean())
    sums = np.bincount(index, inside - share)
    clustered = sqrt(float((sums**2).sum()) * len(models) / (len(models) - 1)) / count if len(models) > 1 else None
    return {
        "n": count,
        "n_targets": len(models),
        "inside": int(inside.sum()),
        "coverage": share,
        "se": sqrt(share * (1.0 - share) / count),
        "se_by_target": clustered,
    }


# -- stability ---------------------------------------------------------------------------------------------------------


def stability(result: Backtest) -> list[dict[str, Any]]:
    """See `Backtest.stability`."""
    found = []
    for law in result.laws:
        for k in result.ks:
            steps = result.at(law, k)[::-1]
            if steps and steps[0].task.final and not steps[0].failed:
                found += [
                    {"law": law, "k": k, "coefficient": name} | _stability(result, steps, name) for name in steps[0].coefficients
                ]
    return found


def _stability(result: Backtest, steps: Sequence[Step], name: str) -> dict[str, Any]:
    final, plan = steps[0], result.plans[steps[0].task.law]
    ends = final.final_interval(name, result.level)
    if ends is None or not final.converged:
        none = dict.fromkeys(("value", "lo", "hi", "stable_decades", "overlap_decades", "stable_censored", "overlap_censored"))
        return none | {"of_decades": _down(plan.place, steps, lambda step: True)[0]}
    low, high = ends

    def stays(step: Step) -> bool:
        return step.converged and name not in step.undetermined and low <= step.coefficients[name] <= high

    def overlaps(step: Step) -> bool:
        if not step.converged:
            return False
        own = step.own_interval(name, result.level)
        return own[0] <= high and own[1] >= low

    stable, always = _down(plan.place, steps, stays)
    overlapping, still = _down(plan.place, steps, lambda step: step is final or overlaps(step))
    return {
        "value": final.coefficients[name],
        "lo": low,
        "hi": high if isfinite(high) else None,
        "stable_decades": stable,
        "overlap_decades": overlapping,
        "stable_censored": always,
        "overlap_censored": still,
        "of_decades": _down(plan.place, steps, lambda step: True)[0],
    }


def _down(place: Callable[[float], float], steps: Sequence[Step], holds: Callable[[Step], bool]) -> tuple[float, bool]:
    """Decades from the final cutoff down to the last one in a row for which something holds (0: for none); whether for all."""
    reached, always = place(steps[0].task.cutoff), True
    for step in steps:
        if not holds(step):
            always = False
            break
        reached = place(step.task.cutoff)
    return max(0.0, place(steps[0].task.cutoff) - reached), always


# -- what was left out -------------------------------------------------------------------------------------------------


def failures(result: Backtest) -> list[dict[str, Any]]:
    """See `Backtest.failures`."""
    found: Counter[tuple[str, int, str]] = Counter()
    for step in result.steps:
        if step.failed:
            found[step.task.law, step.task.k, f"no fit: {step.failed}"] += 1
    table = result.table
    for index in np.flatnonzero(~table.has_interval):
        step = result.steps[table.step[index]]
        how = result.observed[step.task.k].how[table.target[index]]
        if not np.isfinite(table.observed[index]):
            found[step.task.law, step.task.k, f"target not observed: {how}"] += 1
        else:
            found[step.task.law, step.task.k, _doubt(step)] += 1
    return [{"law": law, "k": k, "reason": reason, "n": n} for (law, k, reason), n in found.items()]


def _doubt(step: Step) -> str:
    """Why the predictions of a fit have no part."""
    if not step.converged:
        return NOT_CONVERGED
    return OPEN.format(names=", ".join(step.undetermined)) if step.undetermined else NO_INTERVAL
