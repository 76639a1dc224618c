r"""From the successes of a law over thresholds to T50, above which success is the rule, with its interval.

Neighbouring thresholds of one benchmark share most of their runs, so their successes are no independent trials, and an interval
from the curvature of the likelihood would be far too narrow. Benchmarks are the independent units: with four or more of them the
interval of T50 comes from resamples of whole benchmarks. Where one has no finite fit, what it says of T50 is a range, whose far
end the interval takes. In 200 simulations of benchmarks with thresholds of their own, 90 % intervals held the truth in 87 % with
12 benchmarks and 79 % with five; resamples of single cells, as if these were independent, in 57 % and 52 %.

Fewer benchmarks than four have too few different resamples. Their interval is that of the profile likelihood, in which thresholds
that part the runs alike count once and others as independent trials. It is of these benchmarks alone: in the simulations above
90 % intervals of one, two and three held the threshold of benchmarks at large in 42 %, 47 % and 52 %, and with trials that were
indeed independent in 84 %, 89 % and 87 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .logistic import FALLING, REVERSED, Logistic, fit_logistic, midpoints
from .logistic_profile import profile_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .thresholds import Cell

    Floats = NDArray[np.float64]

__all__ = ["FEW_BENCHMARKS", "LEAST_BENCHMARKS", "PROFILE", "RESAMPLED", "Threshold", "shared_cells", "thresholds_of"]

#: How an interval came about.
RESAMPLED, PROFILE = "benchmarks resampled", "profile likelihood"
#: Outcomes of the regression without a T50 above which success is the rule.
NO_THRESHOLD = (FALLING, REVERSED)
#: Fewer benchmarks have too few different resamples for percentiles.
LEAST_BENCHMARKS = 4
#: With fewer than this the intervals are too narrow.
FEW_BENCHMARKS = 10


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The threshold above which a law's extrapolation succeeds as a rule.

    Attributes
    ----------
    law : str
    regression : Logistic or None
        Of success on log10 T; None where no cell has a fit.
    low, high : float or None
        Interval of T50 in FLOP; None for an end that the data do not bound.
    interval : str
        How the interval came about: `RESAMPLED` or `PROFILE`; "" where there is none.
    without_interval : str
        Why there is no interval; "" where there is one.
    n_benchmarks : int
        With at least one fit.
    n_cells, n_success, n_unfitted : int
        Cells with a fit, successes among them, and cells without.
    resampled : dict
        Outcome of the regression (a key of `isoflop.numeric.accuracy.logistic.MEANINGS`) -> how many resamples had it.
    """

    law: str
    regression: Logistic | None
    low: float | None
    high: float | None
    interval: str
    without_interval: str
    n_benchmarks: int
    n_cells: int
    n_success: int
    n_unfitted: int
    resampled: dict[str, int]

    @property
    def T50(self) -> float | None:
        """FLOP; None where the regression does not give a number."""
        if self.regression is None or self.regression.midpoint is None:
            return None
        return _power_of_ten(self.regression.midpoint)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """What the regression alone tells of T50: twice the same where it is fitted, None for no bound."""
        if self.regression is None:
            return None, None
        return _power_of_ten(self.regression.low), _power_of_ten(self.regression.high)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        regression = self.regression
        return {
            "law": self.law,
            "T50": self.T50,
            "T50_low": self.low,
            "T50_high": self.high,
            "outcome": None if regression is None else regression.outcome,
            "bounds": list(self.bounds),
            "intercept": None if regression is None else regression.intercept,
            "slope": None if regression is None else regression.slope,
            "interval": self.interval,
            "without_interval": self.without_interval,
            "n_benchmarks": self.n_benchmarks,
            "n_cells": self.n_cells,
            "n_success": self.n_success,
            "n_unfitted": self.n_unfitted,
            "resampled": self.resampled,
        }


def thresholds_of(names: Sequence[str], cells: Sequence[Cell], resamples: int, seed: int, level: float) -> tuple[Threshold, ...]:
    return tuple(_threshold(name, [each for each in cells if each.law == name], resamples, seed, level) for name in names)


def shared_cells(names: Sequence[str], cells: Sequence[Cell]) -> list[Cell]:
    """The cells of benchmarks and thresholds at which every law has a fit; none where these are all that have one."""
    fitted = [each for each in cells if each.success is not None]
    counts = Counter((each.benchmark, each.threshold) for each in fitted)
    found = [each for each in fitted if counts[each.benchmark, each.threshold] == len(names)]
    return [] if len(found) == len(fitted) else found


def _threshold(law: str, cells: Sequence[Cell], resamples: int, seed: int, level: float) -> Threshold:
    fitted = [cell for cell in cells if cell.success is not None]
    names = list(dict.fromkeys(cell.benchmark for cell in fitted))
    counts: dict[str, Any] = {
        "n_benchmarks": len(names),
        "n_cells": len(fitted),
        "n_success": sum(bool(cell.success) for cell in fitted),
        "n_unfitted": len(cells) - len(fitted),
    }
    found: dict[str, Any] = {"low": None, "high": None, "interval": "", "without_interval": "", "resampled": {}}
    if not fitted:
        return Threshold(law=law, regression=None, **found | {"without_interval": "no fit"}, **counts)
    x, won = np.log10([cell.threshold for cell in fitted]), np.array([bool(cell.success) for cell in fitted])
    regression = fit_logistic(x, won)
    if regression.outcome in NO_THRESHOLD:
        found["without_interval"] = "success does not get likelier with T"
    elif len(names) < LEAST_BENCHMARKS:
        ends = profile_interval(x, won, _once(fitted), level)
        found |= {"low": _power_of_ten(ends[0]), "high": _power_of_ten(ends[1]), "interval": PROFILE}
    elif not resamples:
        found["without_interval"] = "no resamples were asked for"
    else:
        found |= _of_benchmarks(x, won, _drawn(fitted, names, resamples, seed), level) | {"interval": RESAMPLED}
    return Threshold(law=law, regression=regression, **found, **counts)


def _once(cells: Sequence[Cell]) -> Floats:
    """Weights (n,): thresholds between the same runs part them alike and share a fit, and count as one."""
    partitions = [(cell.benchmark, cell.n_train, cell.n_held_out) for cell in cells]
    counts = Counter(partitions)
    return np.array([1.0 / counts[each] for each in partitions])


def _drawn(cells: Sequence[Cell], names: Sequence[str], resamples: int, seed: int) -> Floats:
    """How often each cell is drawn (K, n), whole benchmarks at a time."""
    of = np.array([names.index(cell.benchmark) for cell in cells])
    counts = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1.0 / len(names)), size=resamples)
    return np.asarray(counts[:, of], dtype=np.float64)


def _of_benchmarks(x: Floats, won: Any, weights: Floats, level: float) -> dict[str, Any]:
    """Percentiles of T50 in FLOP over weightings (K, n), and the outcomes of these."""
    found = midpoints(x, won, weights)
    part = 0.5 * (1.0 - level)
    # No interpolation: an end may be infinite.
    low, high = np.quantile(found.low, part, method="lower"), np.quantile(found.high, 1.0 - part, method="higher")
    kinds, counts = np.unique(found.outcome.astype(str), return_counts=True)
    outcomes = dict(zip(kinds.tolist(), counts.tolist(), strict=True))
    return {"low": _power_of_ten(float(low)), "high": _power_of_ten(float(high)), "resampled": outcomes}


def _power_of_ten(exponent: float) -> float | None:
    """10^x; None where no float holds it."""
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.power(10.0, exponent))
    return value if 0.0 < value < np.inf else None
