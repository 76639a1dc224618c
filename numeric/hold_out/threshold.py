r"""From how much compute on do laws extrapolate: the threshold T50 above which success is the rule.

A law fitted to the runs with C <= T and judged on those with C > T succeeds where its mean relative
error is below 10 %. Per law a logistic regression of success on x = log10 T, pooled over benchmarks,

.. math:: P(\text{success} \mid x) = \frac{1}{1 + e^{-(a + b x)}}, \qquad x_{50} = -a/b,

gives T50. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C. A finite maximum of the
likelihood exists only where failures and successes overlap; where a point separates them, x50 lies
between the two (Albert and Anderson 1984, Biometrika 71, 1).

Neighbouring thresholds of one benchmark share most of their runs, so that their successes are no
independent trials. Benchmarks are: with four or more of them the interval of T50 comes from
resamples of whole benchmarks. Where a resample has no finite fit, what it says of T50 is a range,
whose far end the interval takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..fit.resample import LEAST_GROUPS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]

__all__ = [
    "MEANINGS",
    "SUCCESS",
    "THRESHOLDS",
    "Logistic",
    "fit_logistic",
    "successes",
    "threshold",
]

#: The paper's thresholds in FLOP: from, to and how many, evenly in log T.
THRESHOLDS = (6e19, 5e22, 24)
#: The relative error below which an extrapolation succeeds, and the fewest rows that tell.
SUCCESS, LEAST_HELD_OUT = 0.10, 3
RESAMPLES = 2000
#: What is known of T50, by outcome.
MEANINGS = {
    "fitted": "a finite maximum of the likelihood",
    "separated": "every failure lies below every success: T50 lies between them",
    "falling": "success does not get likelier with T: there is no T50 above which it is the rule",
    "reversed": "every success lies below every failure: there is no T50",
    "all": "all succeed: T50 lies at or below the least T",
    "none": "none succeeds: T50 lies at or above the greatest T",
    "unknown": "failures and successes at a single T: nothing is known of T50",
}
#: Newton's steps; the last but one left a decrement of less than this per point.
STEPS, NEAR = 200, 1e-13


class Logistic(NamedTuple):
    """Logistic regressions of the same points under K weightings.

    Attributes
    ----------
    outcome : ndarray of str
        (K,): a key of `MEANINGS`.
    coefficients : ndarray
        (K, 2): intercept a and slope b; NaN where the likelihood has no finite maximum.
    low, high : ndarray
        (K,): x50 lies between these; equal where it is fitted, infinite where there is no bound.
    """

    outcome: Any
    coefficients: Floats
    low: Floats
    high: Floats


def fit_logistic(x: ArrayLike, success: ArrayLike, weights: ArrayLike | None = None) -> Logistic:
    """The logistic regression of success on x.

    Parameters
    ----------
    x : array_like of shape (n,)
    success : array_like of bool, of shape (n,)
    weights : array_like of shape (K, n), optional
        How often each point counts in each of K regressions; by default once, in one regression.

    Examples
    --------
    >>> fit = fit_logistic([1.0, 2.0, 3.0, 4.0], [False, True, False, True])
    >>> print(fit.outcome[0], fit.low.round(9))
    fitted [2.5]
    """
    places, won = np.asarray(x, dtype=np.float64), np.asarray(success, dtype=bool)
    drawn = np.ones((1, len(places))) if weights is None else np.asarray(weights, dtype=np.float64)

    def ends(chosen: Any) -> tuple[Floats, Floats]:
        """Least and greatest x of the points that are drawn; inf and -inf where none is."""
        here = (drawn > 0.0) & chosen
        lowest = np.where(here, places, np.inf).min(axis=1)
        return lowest, np.where(here, places, -np.inf).max(axis=1)

    (fail_min, fail_max), (won_min, won_max) = ends(~won), ends(won)
    known = {
        "none": np.isinf(won_min),
        "all": np.isinf(fail_min),
        "unknown": (fail_min == won_max) & (fail_max == won_min),
        "separated": fail_max <= won_min,
        "reversed": won_max <= fail_min,
    }
    outcome = np.select([*known.values()], [*known], "fitted").astype(object)
    low = np.where(np.isin(outcome, ["none", "separated"]), fail_max, -np.inf)
    high = np.where(np.isin(outcome, ["all", "separated"]), won_min, np.inf)
    coefficients = np.full((len(drawn), 2), np.nan)
    overlap = np.flatnonzero(outcome == "fitted")
    if len(overlap):
        coefficients[overlap] = _maximum(places, won, drawn[overlap])
        intercept, slope = coefficients[overlap].T
        outcome[overlap[slope <= 0.0]] = "falling"
        rising = overlap[slope > 0.0]
        low[rising] = high[rising] = (-intercept / slope)[slope > 0.0]
    return Logistic(outcome, coefficients, low, high)


def _maximum(x: Floats, won: Any, weights: Floats) -> Floats:
    """Coefficients (K, 2) by damped Newton steps: the likelihood is strictly concave where failures
    and successes overlap.
    """
    centre, scale = x.mean(), x.std()
    design = np.stack([np.ones_like(x), (x - centre) / scale])

    def likelihood(theta: Floats) -> Floats:
        eta = theta @ design
        return np.asarray((weights * (won * eta - np.logaddexp(0.0, eta))).sum(axis=1))

    theta = np.zeros((len(weights), 2))
    for _ in range(STEPS):
        p = np.exp(-np.logaddexp(0.0, -(theta @ design)))
        slope = (weights * (won - p)) @ design.T
        curvature = np.einsum("kn,in,jn->kij", weights * p * (1.0 - p), design, design)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        decrement = (step * slope).sum(axis=1)
        value = likelihood(theta)
        settled = decrement <= NEAR * weights.sum(axis=1)
        while not settled.all() and (worse := (likelihood(theta + step) < value) & ~settled).any():
            step[worse] *= 0.5
        theta += step
        if settled.all():
            break
    else:
        raise RuntimeError(f"logistic regression: has not settled in {STEPS} steps")
    return np.column_stack([theta[:, 0] - theta[:, 1] * centre / scale, theta[:, 1] / scale])


def successes(table: DataFrame) -> DataFrame:
    """A row for every subject, law and cutoff with at least three usable predictions: n, mre,
    success; from a table as `Backtest.table`.
    """
    usable = table[table["usable"].astype(bool)]
    groups = usable.assign(off=usable["relative_error"].abs()).groupby(
        ["subject", "law", "cutoff"], observed=True, sort=False
    )["off"]
    cells = groups.agg(n="size", mre="mean").reset_index()
    cells = cells[cells["n"] >= LEAST_HELD_OUT]
    return cells.assign(success=cells["mre"] < SUCCESS)


def threshold(cells: DataFrame, law: str, *, seed: int, level: float) -> dict[str, Any]:
    """T50 of a law, from its successes; `seed` is that of the resamples of benchmarks.

    Returns
    -------
    dict
        law; outcome, a key of `MEANINGS`, None without a fit; T50 (FLOP), None where the regression
        gives no number; bounds, what it says of T50; intercept, slope; T50_low, T50_high, the
        interval, None for an end that the data do not bound; without_interval, why there is none,
        "" where there is one; n_benchmarks, n_cells, n_success.
    """
    own = cells[cells["law"] == law]
    x, won = np.log10(own["cutoff"].to_numpy(dtype=float)), own["success"].to_numpy(dtype=bool)
    subjects, of = np.unique(own["subject"].astype(str), return_inverse=True)
    count, found = len(subjects), {"law": law, "n_cells": len(own), "n_success": int(won.sum())}
    found |= {"n_benchmarks": count, "bounds": [None, None], "without_interval": "no fit"}
    found |= dict.fromkeys(("outcome", "T50", "T50_low", "T50_high", "intercept", "slope"))
    if own.empty:
        return found
    regression = fit_logistic(x, won)
    outcome = str(regression.outcome[0])
    low, high = _power_of_ten(regression.low[0]), _power_of_ten(regression.high[0])
    found |= {"outcome": outcome, "bounds": [low, high], "T50": low if low == high else None}
    if outcome in ("fitted", "falling"):
        found["intercept"], found["slope"] = regression.coefficients[0].tolist()
    if outcome in ("falling", "reversed"):
        return found | {"without_interval": "success does not get likelier with T"}
    if count < LEAST_GROUPS:
        few = f"fewer than {LEAST_GROUPS} benchmarks cannot be resampled"
        return found | {"without_interval": few}
    even = np.full(count, 1.0 / count)
    times = np.random.default_rng(seed).multinomial(count, even, size=RESAMPLES)
    drawn = fit_logistic(x, won, times[:, of])
    # No interpolation: an end may be infinite.
    least = np.quantile(drawn.low, 0.5 * (1.0 - level), method="lower")
    most = np.quantile(drawn.high, 0.5 * (1.0 + level), method="higher")
    found |= {"T50_low": _power_of_ten(least), "T50_high": _power_of_ten(most)}
    return found | {"without_interval": ""}


def _power_of_ten(exponent: Any) -> float | None:
    """10^x; None where no float holds it."""
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.power(10.0, exponent))
    return value if 0.0 < value < np.inf else None
