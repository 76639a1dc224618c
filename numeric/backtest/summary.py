"""What a backtest comes to: errors by decades held out, coverage of intervals, stability of
coefficients, what was left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..fit.hold_out import Judged
    from ..results import Estimate
    from .result import Backtest

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

NOT_CONVERGED = "the fit is not certified as a minimum"
OPEN = "the models leave {names} open"
NO_INTERVAL = "the models leave no error of the prediction"


@dataclass(frozen=True, eq=False)
class Predictions:
    """A prediction an element.

    Attributes
    ----------
    fit, target : ndarray of int
        Indices into the fits and the names of the backtest.
    decades_held_out : ndarray
        From the cutoff to the target.
    observed, measured, predicted, lo, hi : ndarray
        -log pass@k or the loss; NaN where it was not observed. `measured` is in the logarithm.
    relative_error, relative_error_pass : ndarray
        (predicted - observed)/observed, of the above and of pass@k.
    usable : ndarray of bool
        Whether the fit is certified, all its coefficients are determined, and the target is
        observed.
    has_interval : ndarray of bool
        Whether besides the interval has ends.
    inside : ndarray of bool
        Whether the observation lies in it.
    """

    fit: Any
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


def predictions(result: Backtest) -> Predictions:
    """Every prediction of a backtest, from cheap targets to expensive ones in each fit."""
    parts = [
        _of_fit(result, index, fit)
        for index, fit in enumerate(result.judged)
        if fit.fitted is not None
    ]
    columns = tuple(Predictions.__dataclass_fields__)
    if not parts:
        none = {name: np.empty(0, dtype=bool) for name in ("usable", "has_interval", "inside")}
        none |= {name: np.empty(0, dtype=np.int64) for name in ("fit", "target")}
        return Predictions(**{name: none.get(name, np.empty(0)) for name in columns})
    return Predictions(**{name: np.concatenate([part[name] for part in parts]) for name in columns})


def _of_fit(result: Backtest, index: int, fit: Judged) -> dict[str, Any]:
    cutoffs = result.cutoffs[fit.model]
    order = np.argsort(cutoffs.position[fit.rows], kind="stable")
    target, observed, predicted = fit.rows[order], fit.observed[order], fit.predicted[order]
    unknown = np.full(len(order), np.nan)
    lo, hi = (unknown if end is None else end[order] for end in (fit.low, fit.high))
    usable = (
        np.isfinite(observed) & np.isfinite(predicted) & (fit.converged and not fit.undetermined)
    )
    has_interval = usable & np.isfinite(hi)
    return {
        "fit": np.full(len(order), index),
        "target": target,
        "decades_held_out": cutoffs.position[target] - cutoffs.place(float(fit.split.at or 0.0)),
        "observed": observed,
        "measured": result.observed[int(fit.subject)].measured[target],
        "predicted": predicted,
        "lo": lo,
        "hi": hi,
        "relative_error": predicted / observed - 1.0,
        "relative_error_pass": np.expm1(observed - predicted),
        "usable": usable,
        "has_interval": has_interval,
        "inside": has_interval & (lo <= observed) & (observed <= hi),
    }


# -- errors ------------------------------------------------------------------------------------------------------------


def errors(
    result: Backtest, edges: Sequence[float] | None, *, by_decades: bool, by_observation: bool
) -> list[dict[str, Any]]:
    """See `Backtest.errors`."""
    table = result.predictions
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
    ways = [result.observed[int(fit.subject)].how for fit in result.judged]
    table = result.predictions
    how = np.array(
        [ways[fit][target] for fit, target in zip(table.fit, table.target, strict=True)],
        dtype=object,
    )
    for way in sorted(set(how[chosen])):
        yield {"how_observed": way}, chosen & (how == way)


def _errors(result: Backtest, part: Mask) -> dict[str, Any]:
    table = result.predictions
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
        row |= {
            "median_error_pass": float(np.median(np.abs(of_pass))),
            "mean_error_pass": float(np.mean(np.abs(of_pass))),
        }
        row |= {"median_bias_pass": float(np.median(of_pass))}
    return row


def _bins(table: Predictions, edges: Sequence[float] | None) -> list[tuple[float, float]]:
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
    laws = np.array([fit.model for fit in result.judged], dtype=object)[result.predictions.fit]
    ks = np.array([fit.subject for fit in result.judged], dtype=np.int64)[result.predictions.fit]
    for law in result.laws:
        for k in result.ks:
            yield law, k, chosen & (laws == law) & (ks == k)


# -- coverage ----------------------------------------------------------------------------------------------------------


def coverage(result: Backtest, *, by_decades: bool, by_observation: bool) -> list[dict[str, Any]]:
    """See `Backtest.coverage`."""
    table = result.predictions
    bins = _bins(table, None) if by_decades else [(0.0, inf)]
    by_law: dict[str, Mask] = {law: np.zeros(len(table.fit), dtype=bool) for law in result.laws}
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
                    found.append(
                        {"law": law, "k": at}
                        | held
                        | ends
                        | _coverage(table.inside[part], table.target[part])
                    )
    return found


def _coverage(inside: Mask, target: Any) -> dict[str, Any]:
    models, index = np.unique(target, return_inverse=True)
    count, share = len(inside), float(inside.mean())
    sums = np.bincount(index, inside - share)
    clustered = (
        sqrt(float((sums**2).sum()) * len(models) / (len(models) - 1)) / count
        if len(models) > 1
        else None
    )
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
    return [
        {"law": law, "k": k, "coefficient": name} | _stability(result, law, k, name)
        for law in result.laws
        for k in result.ks
        if (final := result.final(law, k)) is not None and final.fitted is not None
        for name in final.fitted.coefficients
    ]


def _stability(result: Backtest, law: str, k: int, name: str) -> dict[str, Any]:
    final, *earlier = result.at(law, k)[::-1]
    place = [result.cutoffs[law].place(float(fit.split.at or 0.0)) for fit in (final, *earlier)]
    estimate = final.fitted.final(name)
    of_decades = {"of_decades": place[0] - place[-1]}
    if estimate is None or not final.converged:
        unknown = (
            "value",
            "lo",
            "hi",
            "stable_decades",
            "overlap_decades",
            "stable_censored",
            "overlap_censored",
        )
        return dict.fromkeys(unknown) | of_decades
    stable = _down(place, [_stays(fit, name, estimate) for fit in (final, *earlier)])
    overlapping = _down(place, [True, *(_overlaps(fit, name, estimate) for fit in earlier)])
    return {
        **estimate.as_dict("value", "lo", "hi"),
        "stable_decades": stable[0],
        "overlap_decades": overlapping[0],
        "stable_censored": stable[1],
        "overlap_censored": overlapping[1],
        **of_decades,
    }


def _stays(fit: Judged, name: str, final: Estimate) -> bool:
    """Whether the coefficient lies within its final interval."""
    return (
        fit.converged
        and name not in fit.undetermined
        and not final.excludes(fit.fitted.coefficients[name])
    )


def _overlaps(fit: Judged, name: str, final: Estimate) -> bool:
    """Whether the coefficient's own interval overlaps the final one."""
    if not fit.converged:
        return False
    own = fit.fitted.estimate(name)
    return bool(
        own.low <= (inf if final.high is None else final.high) and own.high >= (final.low or -inf)
    )


def _down(place: Sequence[float], holds: Sequence[bool]) -> tuple[float, bool]:
    """Decades from the first place down to the last one in a row for which something holds (0: for
    none); whether for all.
    """
    always = all(holds)
    count = len(holds) if always else list(holds).index(False)
    return max(0.0, place[0] - place[max(count - 1, 0)]), always


# -- what was left out -------------------------------------------------------------------------------------------------


def failures(result: Backtest) -> list[dict[str, Any]]:
    """See `Backtest.failures`."""
    counts: Counter[tuple[str, int, str]] = Counter()
    for fit in result.judged:
        if fit.fitted is None:
            counts[fit.model, int(fit.subject), f"no fit: {fit.failed}"] += 1
    table = result.predictions
    for index in np.flatnonzero(~table.has_interval):
        fit = result.judged[table.fit[index]]
        k = int(fit.subject)
        if not np.isfinite(table.observed[index]):
            counts[
                fit.model, k, f"target not observed: {result.observed[k].how[table.target[index]]}"
            ] += 1
        else:
            counts[fit.model, k, _doubt(fit)] += 1
    return [
        {"law": law, "k": k, "reason": reason, "n": n} for (law, k, reason), n in counts.items()
    ]


def _doubt(fit: Judged) -> str:
    """Why the predictions of a fit have no part."""
    if not fit.converged:
        return NOT_CONVERGED
    return (
        OPEN.format(names=", ".join(fit.undetermined))
        if fit.undetermined
        else fit.failed or NO_INTERVAL
    )
