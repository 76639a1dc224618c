r"""From how much compute on do laws extrapolate: the threshold T50 above which success is the rule.

A law fitted to the runs with C <= T and judged on those with C > T succeeds where its mean relative
error is below 10 %. Per law a logistic regression of success on log10 T, pooled over benchmarks,
gives T50. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C.

Neighbouring thresholds of one benchmark share most of their runs, so that their successes are no
independent trials. Benchmarks are: with four or more of them the interval of T50 comes from
resamples of whole benchmarks. Where a resample has no finite fit, what it says of T50 is a range,
whose far end the interval takes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.resample import LEAST_GROUPS
from .logistic import fit_logistic

if TYPE_CHECKING:
    from pandas import DataFrame

    from .logistic import Logistic

__all__ = ["SUCCESS", "THRESHOLDS", "Threshold", "successes", "threshold"]

#: The paper's thresholds in FLOP: from, to and how many, evenly in log T.
THRESHOLDS = (6e19, 5e22, 24)
#: The relative error below which an extrapolation succeeds, and the fewest rows that tell.
SUCCESS, LEAST_HELD_OUT = 0.10, 3
RESAMPLES = 2000
#: With fewer benchmarks than this intervals are too narrow: simulated 90 % ones of five held T50 in
#: 79 %.
FEW_BENCHMARKS = 10
UNSURE = "few benchmarks: 90 % intervals of five held in 79 %"


@dataclass(frozen=True, kw_only=True, eq=False)
class Threshold:
    """The threshold above which a law's extrapolation succeeds as a rule.

    Attributes
    ----------
    law : str
    regression : Logistic or None
        Of success on log10 T; None where nothing was judged.
    low, high : float or None
        Interval of T50 in FLOP; None for an end that the data do not bound.
    without_interval : str
        Why there is no interval; "" where there is one.
    n_benchmarks, n_cells, n_success : int
        Benchmarks with a fit; benchmarks and thresholds with one; successes among these.
    resampled : dict
        Outcome of the regression -> how many resamples had it.
    """

    law: str
    regression: Logistic | None = None
    low: float | None = None
    high: float | None = None
    without_interval: str = ""
    n_benchmarks: int = 0
    n_cells: int = 0
    n_success: int = 0
    resampled: Any = None

    @property
    def outcome(self) -> str | None:
        """Of the regression, a key of `isoflop.numeric.hold_out.logistic.MEANINGS`."""
        return None if self.regression is None else str(self.regression.outcome[0])

    @property
    def caution(self) -> str:
        """How far the interval is to be trusted; "" where there is none, or it is."""
        is_sure = self.without_interval or self.n_benchmarks >= FEW_BENCHMARKS
        return "" if is_sure else UNSURE

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """What the regression says of T50: twice the same where it is fitted, None for no bound."""
        if self.regression is None:
            return None, None
        return _power_of_ten(self.regression.low[0]), _power_of_ten(self.regression.high[0])

    @property
    def T50(self) -> float | None:
        """FLOP; None where the regression does not give a number."""
        low, high = self.bounds
        return low if low == high else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        intercept = slope = None
        if self.regression is not None and self.outcome in ("fitted", "falling"):
            intercept, slope = self.regression.coefficients[0].tolist()
        names = ("n_benchmarks", "n_cells", "n_success")
        return {
            "law": self.law,
            "T50": self.T50,
            "T50_low": self.low,
            "T50_high": self.high,
            "outcome": self.outcome,
            "bounds": list(self.bounds),
            "intercept": intercept,
            "slope": slope,
            "without_interval": self.without_interval,
            **{name: getattr(self, name) for name in names},
            "resampled": self.resampled or {},
        }


def successes(table: DataFrame) -> DataFrame:
    """A row for every subject, law and cutoff with at least three usable predictions: mre, success.

    Parameters
    ----------
    table : DataFrame
        As `Backtest.table`.
    """
    usable = table[table["usable"]]
    groups = usable.assign(off=usable["relative_error"].abs()).groupby(
        ["subject", "law", "cutoff"], observed=True, sort=False
    )["off"]
    cells = groups.agg(n="size", mre="mean").reset_index()
    cells = cells[cells["n"] >= LEAST_HELD_OUT]
    return cells.assign(success=cells["mre"] < SUCCESS)


def threshold(cells: DataFrame, law: str, *, seed: int, level: float) -> Threshold:
    """T50 of a law, from its successes.

    Parameters
    ----------
    cells : DataFrame
        As of `successes`.
    law : str
    seed : int
        Of the resamples of benchmarks.
    level : float
        Nominal coverage of the interval.
    """
    own = cells[cells["law"] == law]
    if own.empty:
        return Threshold(law=law, without_interval="no fit")
    x, won = np.log10(own["cutoff"].to_numpy()), own["success"].to_numpy()
    subjects, of = np.unique(own["subject"].astype(str), return_inverse=True)
    count, regression = len(subjects), fit_logistic(x, won)
    known: dict[str, Any] = {}
    if regression.outcome[0] in ("falling", "reversed"):
        known["without_interval"] = "success does not get likelier with T"
    elif count < LEAST_GROUPS:
        known["without_interval"] = f"fewer than {LEAST_GROUPS} benchmarks cannot be resampled"
    else:
        even = np.full(count, 1.0 / count)
        times = np.random.default_rng(seed).multinomial(count, even, size=RESAMPLES)
        drawn = fit_logistic(x, won, times[:, of])
        # No interpolation: an end may be infinite.
        low = np.quantile(drawn.low, 0.5 * (1.0 - level), method="lower")
        high = np.quantile(drawn.high, 0.5 * (1.0 + level), method="higher")
        known = {"low": _power_of_ten(low), "high": _power_of_ten(high)}
        known["resampled"] = dict(Counter(sorted(drawn.outcome)))
    return Threshold(
        law=law,
        regression=regression,
        n_benchmarks=count,
        n_cells=len(own),
        n_success=int(won.sum()),
        **known,
    )


def _power_of_ten(exponent: Any) -> float | None:
    """10^x; None where no float holds it."""
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.power(10.0, exponent))
    return value if 0.0 < value < np.inf else None
