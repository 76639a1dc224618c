r"""From how much compute on do laws extrapolate: a sweep of the threshold between fitted and
held-out runs.

For each benchmark, law and threshold T the law is fitted to the runs with C <= T and judged on
those with C > T by its mean absolute and mean relative error. A relative error below 10 % is a
success; per law a logistic regression of success on log10 T, pooled over benchmarks, gives T50,
above which success is the rule. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C.

Neighbouring thresholds of one benchmark share most of their runs, so that their successes are no
independent trials. Benchmarks are: with four or more of them the interval of T50 comes from
resamples of whole benchmarks. Where a resample has no finite fit, what it says of T50 is a range,
whose far end the interval takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..data.sample import above_guessing
from ..errors import outside, positive_array, positive_number, whole_number
from ..fit.hold_out import NOT_FINITE, Split, Trial, judge
from ..results import checked_level
from .accuracies import AccuracyLaw, distinct_laws, strictest_margin
from .logistic import FALLING, REVERSED, Logistic, fit_logistic, midpoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...theory.typeset.table import Table
    from ..accuracy.kind import Kind
    from ..data.sample import Sample
    from ..fit.hold_out import Judged

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["RESAMPLED", "Cell", "Sweep", "Threshold", "sweep_thresholds"]

#: The paper's range of thresholds in FLOP, and how many are tried, evenly in log T.
LOWEST, HIGHEST, COUNT = 6e19, 5e22, 24
SUCCESS, LEAST_TRAIN, LEAST_HELD_OUT = 0.10, 6, 3
RESAMPLES, LEVEL = 2000, 0.9
#: How an interval of T50 came about.
RESAMPLED = "benchmarks resampled"
#: Fewer benchmarks have too few different resamples for percentiles.
LEAST_BENCHMARKS = 4


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One benchmark, law and threshold.

    Attributes
    ----------
    benchmark, law : str
    threshold : float
        FLOP.
    n_train, n_held_out : int
        Runs fitted and predicted.
    mae, mre : float or None
        Mean |Q - law| and mean |Q - law|/Q over the predicted runs; None where there is no fit.
    success : bool or None
        Whether the mean relative error is below the limit.
    reason : str
        Why there is no fit; "" where there is.
    """

    benchmark: str
    law: str
    threshold: float
    n_train: int
    n_held_out: int
    mae: float | None = None
    mre: float | None = None
    success: bool | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


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
    without_interval : str
        Why there is no interval; "" where there is one.
    n_benchmarks : int
        With at least one fit.
    n_cells, n_success, n_unfitted : int
        Cells with a fit, successes among them, and cells without.
    resampled : dict
        Outcome of the regression (a key of `isoflop.numeric.backtest.logistic.MEANINGS`) -> how
        many resamples had it.
    """

    law: str
    regression: Logistic | None
    low: float | None
    high: float | None
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
        """What the regression alone says of T50: twice the same where it is fitted, None for no
        bound.
        """
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
            "interval": "" if self.without_interval else RESAMPLED,
            "without_interval": self.without_interval,
            "n_benchmarks": self.n_benchmarks,
            "n_cells": self.n_cells,
            "n_success": self.n_success,
            "n_unfitted": self.n_unfitted,
            "resampled": self.resampled,
        }


@dataclass(frozen=True, kw_only=True)
class Sweep(Shown):
    """Errors of extrapolation over thresholds.

    Attributes
    ----------
    benchmarks, laws : tuple of str
    thresholds : tuple of float
        FLOP, increasing.
    cells : tuple of Cell
    found : tuple of Threshold
        One a law, from all its cells.
    shared : tuple of Threshold
        The same from the cells at which every law has a fit, for a comparison: a law that needs
        runs above guessing has no cell at low thresholds of a hard benchmark, where others fail.
        Empty where the laws have the same cells.
    success : float
        A relative error below this is a success.
    least_train, least_held_out : int
    margin : float
        Predicted runs exceed guessing by more than this.
    level : float
        Nominal coverage of the intervals.
    resamples, seed : int
    left_out : dict
        Benchmark -> why it has no cell.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    benchmarks: tuple[str, ...]
    laws: tuple[str, ...]
    thresholds: tuple[float, ...]
    cells: tuple[Cell, ...]
    found: tuple[Threshold, ...]
    shared: tuple[Threshold, ...]
    success: float
    least_train: int
    least_held_out: int
    margin: float
    level: float
    resamples: int
    seed: int
    left_out: dict[str, str]
    interrupted: bool = False

    def curve(self, benchmark: str, law: str) -> list[Cell]:
        """The cells with a fit, by threshold."""
        return [
            cell
            for cell in self.cells
            if (cell.benchmark, cell.law) == (benchmark, law) and cell.mre is not None
        ]

    def of(self, law: str) -> Threshold:
        """T50 of a law."""
        for threshold in self.found:
            if threshold.law == law:
                return threshold
        raise outside("law", law, f"one of {', '.join(self.laws)}")

    def tables(self) -> tuple[Table, ...]:
        """T50 of every law, then the errors of each over the thresholds."""
        from .sweep_tables import tables_of

        return tables_of(self)

    def rows(self) -> list[dict[str, Any]]:
        """A record for every cell."""
        return [cell.as_dict() for cell in self.cells]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        apart = ("benchmarks", "laws", "thresholds", "cells", "found", "shared")
        plain = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in apart
        }
        plain |= {name: list(getattr(self, name)) for name in apart[:3]}
        return plain | {
            name: [one.as_dict() for one in getattr(self, name)]
            for name in ("found", "shared", "cells")
        }


def sweep_thresholds(
    samples: Iterable[Sample],
    kinds: Sequence[Kind],
    *,
    thresholds: Any = None,
    success: float = SUCCESS,
    least_train: int = LEAST_TRAIN,
    least_held_out: int = LEAST_HELD_OUT,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    jobs: int = 1,
    progress: bool = False,
) -> Sweep:
    """Fit below every threshold, predict above it, and find from where on that succeeds.

    Parameters
    ----------
    samples : iterable of Sample
        One a benchmark; compute must be known. A law is fitted to the runs that exceed guessing by
        more than its own margin, if it needs the proxy to those that have it (the others hold NaN),
        and all laws are judged on the same runs, those that exceed guessing by more than the
        strictest margin.
    kinds : sequence of Kind
        Laws of different names.
    thresholds : array_like, optional
        T in FLOP, > 0; by default 24 from 6e19 to 5e22, evenly in log T. Those at which nothing can
        be fitted are left out.
    success : float
        Largest mean relative error that is a success, > 0.
    least_train, least_held_out : int
        Fewer runs are not fitted or judged; and a law needs more runs than it has coefficients.
    resamples : int
        Of benchmarks, for the intervals, where there are at least four; 0: none.
    seed : int
    level : float
        Nominal coverage of the intervals.
    jobs, progress
        As in `isoflop.numeric.fit.hold_out.hold_out`.

    Returns
    -------
    Sweep
        Partial, and marked so, where Ctrl-C ended it.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or no cell has enough runs.
    """
    by_name = {sample.benchmark: sample for sample in samples}
    distinct_laws(kinds)
    if not by_name:
        raise outside("samples", list(by_name), "at least one benchmark")
    usual = np.geomspace(LOWEST, HIGHEST, COUNT)
    grid = usual if thresholds is None else np.unique(positive_array("thresholds", thresholds))
    limit = positive_number("success", success)
    least = (
        whole_number("least_train", least_train, 1),
        whole_number("least_held_out", least_held_out, 1),
    )
    draws = (
        whole_number("resamples", resamples, 0),
        whole_number("seed", seed, 0),
        checked_level(level),
    )
    margin = strictest_margin(kinds)

    curves = [
        Curve.of(sample, kind, grid, margin, least) for sample in by_name.values() for kind in kinds
    ]
    trials = [trial for curve in curves for trial in curve.trials()]
    held = judge(trials, jobs=jobs, progress=progress)
    judged = {id(trial.split): one for trial, one in zip(trials, held.judged, strict=False)}
    cells = [cell for curve in curves for cell in curve.cells(judged, limit)]

    used = sorted({cell.threshold for cell in cells if cell.mre is not None})
    if not used and not held.interrupted:
        raise ValueError(
            f"thresholds={grid[0]:.4g} to {grid[-1]:.4g}: no law has {least[0]} runs to fit and "
            f"{least[1]} "
            f"to predict at any of them: {_reasons(cells)}"
        )
    kept = tuple(cell for cell in cells if used and used[0] <= cell.threshold <= used[-1])
    fitted = {cell.benchmark for cell in kept if cell.mre is not None}
    names = tuple(kind.name for kind in kinds)
    common = _shared(names, kept)
    return Sweep(
        benchmarks=tuple(name for name in by_name if name in fitted),
        laws=names,
        thresholds=tuple(float(T) for T in grid if used and used[0] <= T <= used[-1]),
        cells=kept,
        found=_thresholds(names, kept, *draws),
        shared=_thresholds(names, common, *draws) if common else (),
        success=limit,
        least_train=least[0],
        least_held_out=least[1],
        margin=margin,
        level=draws[2],
        resamples=draws[0],
        seed=draws[1],
        left_out={
            name: _reasons([cell for cell in cells if cell.benchmark == name])
            for name in by_name
            if name not in fitted
        },
        interrupted=held.interrupted,
    )


# -- cells -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Curve:
    """A law on a benchmark: thresholds that part the runs alike share a split.

    Attributes
    ----------
    splits : tuple of Split
        One a threshold.
    reasons : tuple of str
        Why a split is not fitted; "" where it is.
    """

    sample: Sample
    kind: Kind
    thresholds: Floats
    splits: tuple[Split, ...]
    reasons: tuple[str, ...]

    @classmethod
    def of(
        cls, sample: Sample, kind: Kind, grid: Floats, margin: float, least: tuple[int, int]
    ) -> Curve:
        """The splits of a grid of thresholds; fewer runs than `least` are not fitted or judged."""
        compute = sample.at.column("compute")
        usable = above_guessing(sample.accuracy, sample.baseline, kind.margin)
        if "proxy" in kind.needs and sample.at.proxy is not None:
            usable &= np.isfinite(sample.at.proxy)
        judged = above_guessing(sample.accuracy, sample.baseline, margin)
        needed = max(least[0], len(kind.coefficients) + 1)
        distinct: dict[bytes, Split] = {}
        splits, reasons = [], []
        for T in grid.tolist():
            train, test = usable & (compute <= T), judged & (compute > T)
            key = train.tobytes() + test.tobytes()
            splits.append(distinct.setdefault(key, Split(f"up to {T:.6g}", train, test, T)))
            if train.sum() < needed:
                reasons.append(f"fewer than {needed} runs up to the threshold")
            elif test.sum() < least[1]:
                reasons.append(f"fewer than {least[1]} runs above the threshold")
            else:
                reasons.append("")
        return cls(sample, kind, grid, tuple(splits), tuple(reasons))

    def trials(self) -> list[Trial]:
        """One for each way to part the runs."""
        law, sample = AccuracyLaw(self.kind), self.sample
        fitted = {
            id(split): split
            for split, reason in zip(self.splits, self.reasons, strict=True)
            if not reason
        }
        return [
            Trial(law, sample, split, sample.accuracy, sample.benchmark)
            for split in fitted.values()
        ]

    def cells(self, judged: dict[int, Judged], success: float) -> list[Cell]:
        """The cells that were reached, by threshold."""
        cells = []
        for T, split, reason in zip(
            self.thresholds.tolist(), self.splits, self.reasons, strict=True
        ):
            known: dict[str, Any] = {
                "benchmark": self.sample.benchmark,
                "law": self.kind.name,
                "threshold": T,
                "n_train": int(split.train.sum()),
                "n_held_out": int(split.test.sum()),
            }
            one = judged.get(id(split))
            if reason:
                cells.append(Cell(**known, reason=reason))
            elif one is not None and one.failed:
                why = (
                    "a prediction that is not finite"
                    if one.failed == NOT_FINITE
                    else f"no fit: {one.failed}"
                )
                cells.append(Cell(**known, reason=why))
            elif one is not None:
                error = np.abs(one.error)
                mre = float(np.mean(error / one.observed))
                cells.append(
                    Cell(**known, mae=float(np.mean(error)), mre=mre, success=mre < success)
                )
        return cells


def _reasons(cells: Sequence[Cell]) -> str:
    return "; ".join(dict.fromkeys(cell.reason for cell in cells if cell.reason))


# -- T50 -------------------------------------------------------------------------------------------


def _shared(names: Sequence[str], cells: Sequence[Cell]) -> list[Cell]:
    """The cells of benchmarks and thresholds at which every law has a fit; none where these are all
    that have one.
    """
    fitted = [cell for cell in cells if cell.success is not None]
    counts = Counter((cell.benchmark, cell.threshold) for cell in fitted)
    shared = [cell for cell in fitted if counts[cell.benchmark, cell.threshold] == len(names)]
    return [] if len(shared) == len(fitted) else shared


def _thresholds(
    names: Sequence[str], cells: Sequence[Cell], resamples: int, seed: int, level: float
) -> tuple[Threshold, ...]:
    return tuple(
        _threshold(name, [cell for cell in cells if cell.law == name], resamples, seed, level)
        for name in names
    )


def _threshold(
    law: str, cells: Sequence[Cell], resamples: int, seed: int, level: float
) -> Threshold:
    fitted = [cell for cell in cells if cell.success is not None]
    names = list(dict.fromkeys(cell.benchmark for cell in fitted))
    x = np.log10([cell.threshold for cell in fitted])
    won = np.array([bool(cell.success) for cell in fitted])
    regression = fit_logistic(x, won) if fitted else None
    interval: dict[str, Any] = {"low": None, "high": None, "without_interval": "", "resampled": {}}
    if regression is None:
        interval["without_interval"] = "no fit"
    elif regression.outcome in (FALLING, REVERSED):
        interval["without_interval"] = "success does not get likelier with T"
    elif len(names) < LEAST_BENCHMARKS:
        interval["without_interval"] = (
            f"fewer than {LEAST_BENCHMARKS} benchmarks cannot be resampled"
        )
    elif not resamples:
        interval["without_interval"] = "no resamples were asked for"
    else:
        interval |= _of_benchmarks(x, won, _drawn(fitted, names, resamples, seed), level)
    return Threshold(
        law=law,
        regression=regression,
        n_benchmarks=len(names),
        n_cells=len(fitted),
        n_success=int(won.sum()),
        n_unfitted=len(cells) - len(fitted),
        **interval,
    )


def _drawn(cells: Sequence[Cell], names: Sequence[str], resamples: int, seed: int) -> Floats:
    """How often each cell is drawn (K, n), whole benchmarks at a time."""
    of = np.array([names.index(cell.benchmark) for cell in cells])
    equal = np.full(len(names), 1.0 / len(names))
    counts = np.random.default_rng(seed).multinomial(len(names), equal, size=resamples)
    return np.asarray(counts[:, of], dtype=np.float64)


def _of_benchmarks(x: Floats, won: Mask, weights: Floats, level: float) -> dict[str, Any]:
    """Percentiles of T50 in FLOP over weightings (K, n), and the outcomes of these."""
    drawn = midpoints(x, won, weights)
    part = 0.5 * (1.0 - level)
    # No interpolation: an end may be infinite.
    low = np.quantile(drawn.low, part, method="lower")
    high = np.quantile(drawn.high, 1.0 - part, method="higher")
    outcomes = Counter(map(str, sorted(drawn.outcome)))
    return {
        "low": _power_of_ten(float(low)),
        "high": _power_of_ten(float(high)),
        "resampled": dict(outcomes),
    }


def _power_of_ten(exponent: float) -> float | None:
    """10^x; None where no float holds it."""
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.power(10.0, exponent))
    return value if 0.0 < value < np.inf else None
