r"""The compute T50 from which on a law extrapolates as a rule.

A law that is fitted to the runs with C <= T and judged on those with C > T succeeds if its mean
relative error is below 10 %. For each law, a logistic regression of success on x = log10 T, pooled
over benchmarks,

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-(a + b x)}}, \qquad x_{50} = -a/b,

gives T50. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C. The likelihood has a finite
maximum only where failures and successes overlap; if a point separates them, x50 lies between the
two (Albert and Anderson 1984, Biometrika 71, 1).

Neighbouring thresholds of a benchmark share most of their runs: with four or more benchmarks the
interval of T50 comes from resamples of whole benchmarks. A resample without a finite fit gives a
range of T50, and the interval extends to its far end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fit.resample import LEAST_GROUPS, case_weights
from ..results import DEFAULT_LEVEL

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from pandas import DataFrame

#: The paper's thresholds: the first and the last in FLOP, and their number, evenly in log T.
THRESHOLDS = (6e19, 5e22, 24)
#: The relative error below which an extrapolation succeeds, and the fewest rows to judge it by.
SUCCESS, LEAST_HELD_OUT = 0.10, 3
RESAMPLES = 500
#: The quantities of compute in the frame of thresholds.
POWERS = ("T50", "at_least", "at_most", "lo", "hi")
#: The most steps of Newton's method, which stops at a decrement of less than this per point.
STEPS, NEAR = 100, 1e-13


class Logistic(NamedTuple):
    """A logistic regression: the bounds between which x50 lies, and intercept and slope."""

    outcome: str
    low: float = -np.inf
    high: float = np.inf
    intercept: float = np.nan
    slope: float = np.nan


def logistic(x: ArrayLike, success: ArrayLike, weights: ArrayLike = 1.0) -> Logistic:
    """The logistic regression of success on x, (n,) each; `weights` (n,): how often a point counts.

    The outcome is "fitted" (low = high), "separated" (every failure lies below every success), "all
    succeed" (x50 is at most the least x), "none succeeds" (x50 is at least the greatest) or "not
    rising" (success does not become likelier with x: there is no x50).
    """
    times = np.broadcast_to(np.asarray(weights, dtype=np.float64), np.shape(x))
    drawn = times > 0.0
    places, won, times = np.asarray(x)[drawn], np.asarray(success)[drawn], times[drawn]
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
        gradient, information = design @ (times * (won - p)), times * p * (1.0 - p)
        step = np.linalg.solve((information * design) @ design.T, gradient)
        cost = times @ np.logaddexp(0.0, sign * (theta @ design))
        while times @ np.logaddexp(0.0, sign * ((theta + step) @ design)) > cost:
            step = 0.5 * step
        theta = theta + step
        if step @ gradient <= NEAR * times.sum():
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


def thresholds(cells: DataFrame, seed: int) -> DataFrame:
    """T50 of every law from the `successes`, a frame of law; outcome, see `logistic`; T50 (FLOP), NaN
    unless it is fitted; its bounds at_least and at_most; its interval lo to hi, NaN without one;
    intercept, slope; n_benchmarks, n_fits, n_success. An end that the data do not bound is 0 or
    infinite.
    """
    from pandas import DataFrame

    rows, shares = [], (0.5 * (1.0 - DEFAULT_LEVEL), 0.5 * (1.0 + DEFAULT_LEVEL))
    for law, own in cells.groupby("law", sort=False):
        x, won = np.log10(own["cutoff"].to_numpy()), own["success"].to_numpy()
        fit, count, low, high = logistic(x, won), own["subject"].nunique(), np.nan, np.nan
        if count >= LEAST_GROUPS and fit.outcome != "not rising":
            random = np.random.default_rng(seed)
            weights = case_weights(own["subject"].to_numpy(), len(x), RESAMPLES, random)
            drawn = [logistic(x, won, times) for times in weights]
            # No interpolation: an end may be infinite.
            low = np.quantile([each.low for each in drawn], shares[0], method="lower")
            high = np.quantile([each.high for each in drawn], shares[1], method="higher")
        T50 = fit.low if fit.outcome == "fitted" else np.nan
        powers = dict(
            zip(POWERS, 10.0 ** np.array([T50, fit.low, fit.high, low, high]), strict=True)
        )
        numbers = {"n_benchmarks": count, "n_fits": len(x), "n_success": int(won.sum())}
        line = {"intercept": fit.intercept, "slope": fit.slope}
        rows.append({"law": law, "outcome": fit.outcome, **powers, **line, **numbers})
    return DataFrame(rows)
