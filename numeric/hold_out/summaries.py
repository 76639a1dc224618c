"""What a table of predictions comes to: errors, coverage, and by how much coefficients move.

The tables that these take are `Backtest.table`.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

    from .judge import Judged

__all__ = ["coverage", "errors", "stability"]


def errors(
    table: DataFrame, by: Sequence[str], *, by_decades: bool = False
) -> list[dict[str, Any]]:
    """Errors of the usable predictions, group by group.

    Parameters
    ----------
    table : DataFrame
    by : sequence of str
        Columns that make a group.
    by_decades : bool
        Apart by decades held out, in bins of whole numbers.

    Returns
    -------
    list of dict
        The group, decades_lo and decades_hi (with `by_decades`), n (predictions), n_targets
        (different rows), mae, median_error and mean_error (of the absolute relative error),
        median_bias (of the signed one, predicted less observed), share_above (of predictions above
        the observation).
    """
    return [
        place
        | {
            "n": len(group),
            "n_targets": group["target"].nunique(),
            "mae": float(group["error"].abs().mean()),
            "median_error": float(group["relative_error"].abs().median()),
            "mean_error": float(group["relative_error"].abs().mean()),
            "median_bias": float(group["relative_error"].median()),
            "share_above": float((group["error"] > 0.0).mean()),
        }
        for place, group in _groups(table[table["usable"]], by, by_decades=by_decades)
    ]


def coverage(
    table: DataFrame, by: Sequence[str], *, by_decades: bool = False
) -> list[dict[str, Any]]:
    """How often the observation lies in the prediction interval, group by group.

    Returns
    -------
    list of dict
        The group, n, n_targets, inside, coverage, se (binomial, as if predictions were independent)
        and se_by_target (from the scatter of the targets' shares: predictions of one row stand or
        fall together; None for one target).
    """
    told = table[table["usable"] & table["inside"].notna()]
    found = []
    for place, group in _groups(told, by, by_decades=by_decades):
        inside = group["inside"].astype(bool)
        count, share = len(inside), float(inside.mean())
        sums = (inside - share).groupby(group["target"]).sum()
        targets = len(sums)
        variance = float((sums**2).sum()) * targets / (targets - 1) if targets > 1 else None
        found.append(
            place
            | {
                "n": count,
                "n_targets": targets,
                "inside": int(inside.sum()),
                "coverage": share,
                "se": float(np.sqrt(share * (1.0 - share) / count)),
                "se_by_target": None if variance is None else float(np.sqrt(variance)) / count,
            }
        )
    return found


def _groups(
    rows: DataFrame, by: Sequence[str], *, by_decades: bool
) -> list[tuple[dict[str, Any], DataFrame]]:
    """The rows by these columns and by bins of decades held out, in the order of the table."""
    import pandas as pd

    keys = list(by)
    if rows.empty:
        return []
    if by_decades:
        decades = rows["decades_held_out"]
        bins = range(min(0, ceil(decades.min()) - 1), ceil(decades.max()) + 1)
        rows = rows.assign(decades=pd.cut(decades, list(bins)))
        keys.append("decades")
    found = []
    for values, group in rows.groupby(keys, observed=True, sort=by_decades):
        place = dict(zip(keys, values, strict=True))
        if by_decades:
            bin_ = place.pop("decades")
            place |= {"decades_lo": float(bin_.left), "decades_hi": float(bin_.right)}
        found.append((place, group))
    return found


def stability(fits: Sequence[Judged], beyond: Sequence[float]) -> list[dict[str, Any]]:
    """Over how many decades every coefficient of one law stays where the final fit has it.

    Parameters
    ----------
    fits : sequence of Judged
        Of one law on one subject, from the final one, of all training rows, backwards.
    beyond : sequence of float
        How many decades the most expensive row lies beyond the cutoff of each.

    Returns
    -------
    list of dict
        coefficient, value, lo, hi (of the final fit), stable_decades (so far down the estimate stays
        within lo to hi), stable_censored (whether it does at every cutoff, so that this is a lower
        limit), of_decades (from the final cutoff to the first). A fit that leaves a coefficient open
        ends the row. All but of_decades are None where the final fit tells no interval.
    """
    final = fits[0]
    if final.fitted is None:
        return []
    down = [max(0.0, float(far - beyond[0])) for far in beyond]
    found = []
    for name in final.fitted.estimates:
        row: dict[str, Any] = {"coefficient": name} | dict.fromkeys(
            ("value", "lo", "hi", "stable_decades", "stable_censored")
        )
        estimate = final.fitted.final(name) if final.converged else None
        if estimate is not None:
            stays = [
                fit.is_sound and not estimate.excludes(fit.fitted.estimates[name].value)
                for fit in fits
            ]
            count = stays.index(False) if not all(stays) else len(stays)
            row |= estimate.as_dict("value", "lo", "hi")
            row["stable_decades"], row["stable_censored"] = down[max(0, count - 1)], all(stays)
        found.append(row | {"of_decades": down[-1]})
    return found
