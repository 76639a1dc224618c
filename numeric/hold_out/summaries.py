"""What predictions come to: errors with coverage, and by how much coefficients move."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

    from .fold import Fold
    from .splits import Rule

__all__ = ["errors", "stability"]


#: Of the frame of stability.
COLUMNS = ["subject", "law", "coefficient", "value", "lo", "hi"]
COLUMNS += ["stable_decades", "stable_censored", "of_decades"]


def errors(table: DataFrame, *, by_decades: bool = False) -> DataFrame:
    """Errors of the usable predictions by subject and law.

    Parameters
    ----------
    table : DataFrame
        As `Backtest.table`.
    by_decades : bool
        Apart by decades held out, in bins of whole numbers.

    Returns
    -------
    DataFrame
        subject, law, decades_lo and decades_hi (with `by_decades`), n (predictions), n_targets
        (different rows), mae, median_error and mean_error (of the absolute relative error),
        median_bias (of the signed one, predicted less observed), share_above (of predictions above
        the observation), n_intervals (predictions with one) and coverage (share of these
        observations inside; NA without any).
    """
    import pandas as pd

    rows, keys = table[table["usable"].astype(bool)], ["subject", "law"]
    rows = rows.assign(
        off=rows["error"].abs(), size=rows["relative_error"].abs(), above=rows["error"] > 0.0
    )
    if by_decades:
        decades, keys = rows["decades_held_out"], [*keys, "decades"]
        ends = (decades.min(), decades.max()) if len(rows) else (0.0, 1.0)
        bins = range(min(0, ceil(ends[0]) - 1), max(1, ceil(ends[1])) + 1)
        rows = rows.assign(decades=pd.cut(decades, list(bins)))
    found = (
        rows.groupby(keys, observed=True, sort=by_decades)
        .agg(
            n=("error", "size"),
            n_targets=("target", "nunique"),
            mae=("off", "mean"),
            median_error=("size", "median"),
            mean_error=("size", "mean"),
            median_bias=("relative_error", "median"),
            share_above=("above", "mean"),
            n_intervals=("inside", "count"),
            coverage=("inside", "mean"),
        )
        .reset_index()
    )
    if by_decades:
        at, bins_of = len(keys) - 1, found.pop("decades")
        found.insert(at, "decades_lo", [float(one.left) for one in bins_of])
        found.insert(at + 1, "decades_hi", [float(one.right) for one in bins_of])
    return found


def stability(folds: Sequence[Fold], rule: Rule) -> DataFrame:
    """Over how many decades every coefficient stays where the final fit has it.

    Parameters
    ----------
    folds : sequence of Fold
        Of every task from the final one backwards.
    rule : Rule
        Without cutoffs there is nothing to compare.

    Returns
    -------
    DataFrame
        subject, law, coefficient, value, lo, hi (of the final fit), stable_decades (so far down the
        estimate stays within lo to hi), stable_censored (whether it does at every cutoff, so that
        this is a lower limit), of_decades (from the final cutoff to the first). A fit that leaves a
        coefficient open ends the row. All but of_decades are None where the final fit tells no
        interval.
    """
    from pandas import DataFrame

    found: list[dict[str, Any]] = []
    for final in folds:
        if not final.is_final or final.split.lacks or rule.hold_out is not None:
            continue
        own = [one for one in folds if one.task is final.task and not one.split.lacks]
        beyond = [float(np.nanmax(rule.decades(final.task, one.split))) for one in own]
        down = [max(0.0, far - beyond[0]) for far in beyond]
        for name, estimate in final.estimates.items():
            row: dict[str, Any] = {"subject": final.task.subject, "law": final.task.law}
            row |= {"coefficient": name, "value": None, "lo": None, "hi": None}
            row |= {"stable_decades": None, "stable_censored": None, "of_decades": down[-1]}
            if final.converged and estimate.has_interval:
                stays = [
                    one.converged
                    and not one.undetermined
                    and not estimate.excludes(one.estimates[name].value)
                    for one in own
                ]
                count = int(np.argmin([*stays, False]))
                row |= estimate.as_dict("value", "lo", "hi")
                row |= {"stable_decades": down[max(0, count - 1)], "stable_censored": all(stays)}
            found.append(row)
    return DataFrame(found, columns=COLUMNS)
