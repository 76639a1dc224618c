r"""The compute T50 from which on a law extrapolates as a rule.

A law that is fitted to the runs with C <= T and judged on those with C > T succeeds if its mean
relative error is below 10 %. For each law, a logistic regression of success on x = log10 T, pooled
over benchmarks,

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-(a + b x)}}, \qquad x_{50} = -a/b,

gives T50. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C. The likelihood has a finite
maximum only where failures and successes overlap; if a point separates them, x50 lies between the
two (Albert and Anderson 1984, Biometrika 71, 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from pandas import DataFrame

#: The paper's thresholds: the first and the last in FLOP, and their number, evenly in log T.
THRESHOLDS = (6e19, 5e22, 24)
#: The relative error below which an extrapolation succeeds, and the fewest rows to judge it by.
SUCCESS, LEAST_HELD_OUT = 0.10, 3
#: The most steps of Newton's method, which stops at a decrement of less than this per point.
STEPS, NEAR = 100, 1e-13


class Logistic(NamedTuple):
    """A logistic regression: the bounds between which x50 lies, and intercept and slope."""

    outcome: str
    low: float = -np.inf
    high: float = np.inf
    intercept: float = np.nan
    slope: float = np.nan


def logistic(x: ArrayLike, success: ArrayLike) -> Logistic:
    """The logistic regression of success on x, (n,) each.

    The outcome is "fitted" (low = high), "separated" (every failure lies below every success), "all
    succeed" (x50 is at most the least x), "none succeeds" (x50 is at least the greatest) or "not
    rising" (success does not become likelier with x: there is no x50).
    """
    places, won = np.asarray(x, dtype=np.float64), np.asarray(success, dtype=bool)
    above, below = places[won], places[~won]
    if won.all():
        return Logistic("all succeed", high=float(above.min()))
    if not won.any():
        return Logistic("none succeeds", low=float(below.max()))
    if above.max() <= below.min():
        return Logistic("not rising")
    if below.max() <= above.min():
        return Logistic("separated", float(below.max()), float(above.min()))
    # Newton's method: the likelihood is strictly concave where failures and successes overlap.
    centre, scale, sign = places.mean(), places.std(), np.where(won, -1.0, 1.0)
    design, theta = np.stack([np.ones_like(places), (places - centre) / scale]), np.zeros(2)
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-(theta @ design)))
        gradient = design @ (won - p)
        step = np.linalg.solve((p * (1.0 - p) * design) @ design.T, gradient)
        cost = design[0] @ np.logaddexp(0.0, sign * (theta @ design))
        while design[0] @ np.logaddexp(0.0, sign * ((theta + step) @ design)) > cost:
            step = 0.5 * step
        theta = theta + step
        if step @ gradient <= NEAR * len(places):
            break
    height, slope = theta / (1.0, scale)
    intercept = height - slope * centre
    if slope <= 0.0:
        return Logistic("not rising", intercept=intercept, slope=slope)
    return Logistic("fitted", -intercept / slope, -intercept / slope, intercept, slope)


def successes(table: DataFrame) -> DataFrame:
    """The mean relative error and the success of every subject, law and cutoff with at least three
    usable predictions, from a table as `Backtest.table`: n, mre, success.
    """
    usable = table[table["usable"]]
    keys = [usable[name] for name in ("subject", "law", "cutoff")]
    cells = usable["relative_error"].abs().groupby(keys, sort=False)
    found = cells.agg(n="size", mre="mean").query(f"n >= {LEAST_HELD_OUT}").reset_index()
    return found.assign(success=found["mre"] < SUCCESS)


def thresholds(cells: DataFrame) -> DataFrame:
    """T50 of every law from the `successes`, a frame of law; outcome, see `logistic`; T50 (FLOP), NaN
    unless it is fitted; its bounds at_least and at_most, 0 or infinite where the data give none;
    intercept, slope; n_benchmarks, n_fits, n_success.
    """
    from pandas import DataFrame

    rows = []
    for law, own in cells.groupby("law", sort=False):
        fit = logistic(np.log10(own["cutoff"].to_numpy()), own["success"].to_numpy())
        row = {"law": law, "outcome": fit.outcome}
        row |= {"T50": 10.0**fit.low if fit.outcome == "fitted" else np.nan}
        row |= {"at_least": 10.0**fit.low, "at_most": 10.0**fit.high}
        row |= {"intercept": fit.intercept, "slope": fit.slope}
        row |= {"n_benchmarks": own["subject"].nunique(), "n_fits": len(own)}
        rows.append(row | {"n_success": int(own["success"].sum())})
    return DataFrame(rows)
