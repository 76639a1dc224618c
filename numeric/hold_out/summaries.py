"""What a table of predictions comes to: errors with coverage, and by how much coefficients move.

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

__all__ = ["errors", "stability"]


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
        the observation), n_intervals (predictions with one), coverage (share of these observations
        inside; None without any) and coverage_se (binomial, as if predictions were independent,
        though those of one row stand or fall together).
    """
    import pandas as pd

    rows, keys = table[table["usable"]], list(by)
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
            ends = place.pop("decades")
            place |= {"decades_lo": float(ends.left), "decades_hi": float(ends.right)}
        size, inside = group["relative_error"].abs(), group["inside"].dropna().astype(bool)
        share = float(inside.mean()) if len(inside) else None
        place |= {
            "n": len(group),
            "n_targets": group["target"].nunique(),
            "mae": float(group["error"].abs().mean()),
            "median_error": float(size.median()),
            "mean_error": float(size.mean()),
            "median_bias": float(group["relative_error"].median()),
            "share_above": float((group["error"] > 0.0).mean()),
            "n_intervals": len(inside),
            "coverage": share,
            "coverage_se": None
            if share is None
            else float(inside.std(ddof=0) / len(inside) ** 0.5),
        }
        found.append(place)
    return found


def stability(
    fits: Sequence[Judged], beyond: Sequence[float], least_draws: int = 0
) -> list[dict[str, Any]]:
    """Over how many decades every coefficient of one law stays where the final fit has it.

    Parameters
    ----------
    fits : sequence of Judged
        Of one law on one subject, from the final one, of all training rows, backwards.
    beyond : sequence of float
        How many decades the most expensive row lies beyond the cutoff of each.
    least_draws : int
        With fewer resamples of the final fit its intervals tell nothing.

    Returns
    -------
    list of dict
        coefficient, value, lo, hi (of the final fit), stable_decades (so far down the estimate stays
        within lo to hi), stable_censored (whether it does at every cutoff, so that this is a lower
        limit), of_decades (from the final cutoff to the first). A fit that leaves a coefficient open
        ends the row. All but of_decades are None where the final fit tells no interval.
    """
    final = fits[0]
    down = [max(0.0, float(far - beyond[0])) for far in beyond]
    sure = final.converged and (not least_draws or len(final.fit.drawn) >= least_draws)
    found = []
    for name, estimate in final.estimates.items():
        row: dict[str, Any] = {"coefficient": name} | dict.fromkeys(
            ("value", "lo", "hi", "stable_decades", "stable_censored")
        )
        if sure and estimate.has_interval:
            stays = [
                fit.is_sound and not estimate.excludes(fit.estimates[name].value) for fit in fits
            ]
            count = int(np.argmin([*stays, False]))
            row |= estimate.as_dict("value", "lo", "hi")
            row["stable_decades"], row["stable_censored"] = down[max(0, count - 1)], all(stays)
        found.append(row | {"of_decades": down[-1]})
    return found
