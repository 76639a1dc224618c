r"""From how much compute on do laws extrapolate: a sweep of the threshold between fitted and
held-out runs.

For each benchmark, law and threshold T the law is fitted to the runs with C <= T and judged on
those with C > T. A mean relative error below 10 % is a success; per law a logistic regression of
success on log10 T, pooled over benchmarks, gives T50, above which success is the rule. Source:
Krajewski et al. 2025, arXiv 2512.08894, Appendix C.

Neighbouring thresholds of one benchmark share most of their runs, so that their successes are no
independent trials. Benchmarks are: with four or more of them the interval of T50 comes from
resamples of whole benchmarks. Where a resample has no finite fit, what it says of T50 is a range,
whose far end the interval takes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Places, Significant
from ...theory.typeset.table import Column, Table
from ..accuracy.benchmark import Benchmark
from ..accuracy.points import InHundreds
from ..data.sample import above_guessing
from ..errors import outside, positive_array, positive_number, whole_number
from ..fit.fitted import DEFAULT_LEVEL
from ..fit.hold_out import HeldOut, judge, up_to
from ..fit.resample import LEAST_GROUPS
from ..results import checked_level
from ..words import counted
from .logistic import MEANINGS, Logistic, fit_logistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..accuracy.law import Law
    from ..data.sample import Sample
    from ..fit.hold_out import Judged, Split, Trial

    Floats = NDArray[np.float64]

__all__ = ["Sweep", "Threshold", "sweep_thresholds"]

#: The paper's thresholds in FLOP, evenly in log T.
LOWEST, HIGHEST, COUNT = 6e19, 5e22, 24
#: The relative error below which an extrapolation succeeds.
SUCCESS = 0.10
#: Fewer runs are not fitted or judged; and a law needs more runs than it has coefficients.
LEAST_TRAIN, LEAST_HELD_OUT = 6, 3
RESAMPLES = 2000
RESAMPLED = "benchmarks resampled"
#: With fewer benchmarks than this intervals are too narrow: simulated 90 % ones of five held T50 in
#: 79 %.
FEW_BENCHMARKS = 10
UNSURE = "few benchmarks: 90 % intervals of five held in 79 %"
#: A share, without the sign; from ten times on with two digits.
IN_PERCENT = InHundreds(inner=Places(1, largest=1e3))
#: So many thresholds are shown, spread evenly; JSON has all.
SHOWN = 8
#: A bound that is a threshold comes back from its logarithm to this.
ROUNDING = 1e-9
#: What the outcomes of the regression are called in the table.
CALLED = {
    "fitted": "",
    "separated": "separated",
    "falling": "falling",
    "all": "all succeed",
    "none": "none succeeds",
    "reversed": "falling",
    "unknown": "one threshold",
}


@dataclass(frozen=True, kw_only=True)
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
    n_benchmarks : int
        With at least one fit.
    n_cells, n_success, n_unfitted : int
        Benchmarks and thresholds with a fit, successes among them, and those without.
    resampled : dict
        Outcome of the regression -> how many resamples had it.
    """

    law: str
    regression: Logistic | None
    low: float | None = None
    high: float | None = None
    without_interval: str = ""
    n_benchmarks: int
    n_cells: int
    n_success: int
    n_unfitted: int
    resampled: dict[str, int]

    @property
    def outcome(self) -> str | None:
        """Of the regression, a key of `isoflop.numeric.backtest.logistic.MEANINGS`."""
        return None if self.regression is None else str(self.regression.outcome[0])

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """What the regression alone says of T50: twice the same where it is fitted, None for no
        bound.
        """
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
        if self.outcome in ("fitted", "falling"):
            assert self.regression is not None
            intercept, slope = self.regression.coefficients[0].tolist()
        return {
            "law": self.law,
            "T50": self.T50,
            "T50_low": self.low,
            "T50_high": self.high,
            "outcome": self.outcome,
            "bounds": list(self.bounds),
            "intercept": intercept,
            "slope": slope,
            "interval": "" if self.without_interval else RESAMPLED,
            "without_interval": self.without_interval,
            "n_benchmarks": self.n_benchmarks,
            "n_cells": self.n_cells,
            "n_success": self.n_success,
            "n_unfitted": self.n_unfitted,
            "resampled": self.resampled,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Sweep(HeldOut):
    """Errors of extrapolation over thresholds: every law on every benchmark at every threshold.

    Attributes
    ----------
    asked : tuple of str
        The laws.
    thresholds : tuple of float
        FLOP, increasing.
    found : tuple of Threshold
        One a law, from all that was judged.
    shared : tuple of Threshold
        The same from the benchmarks and thresholds at which every law has a fit, for a comparison;
        empty where that is so at all of them.
    success : float
        A relative error below this is a success.
    margin : float
        Predicted runs exceed guessing by more than this.
    level : float
        Nominal coverage of the intervals.
    resamples, seed : int
    left_out : dict
        Benchmark -> why it has no fit.
    """

    asked: tuple[str, ...]
    thresholds: tuple[float, ...]
    found: tuple[Threshold, ...]
    shared: tuple[Threshold, ...]
    success: float
    margin: float
    level: float
    resamples: int
    seed: int
    left_out: dict[str, str]

    @property
    def laws(self) -> tuple[str, ...]:
        """Those that were asked for."""
        return self.asked

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Those with a fit at some threshold."""
        return tuple(name for name in self.subjects if name not in self.left_out)

    def curve(self, benchmark: str, law: str) -> list[Judged]:
        """What a law says of a benchmark, by threshold, where it has a fit."""
        return [one for one in self.of(benchmark, law) if not one.failed]

    def threshold(self, law: str) -> Threshold:
        """T50 of a law."""
        for found in self.found:
            if found.law == law:
                return found
        raise outside("law", law, f"one of {', '.join(self.laws)}")

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        settings = ("success", "margin", "level", "resamples", "seed")
        return {
            "benchmarks": list(self.benchmarks),
            "laws": list(self.laws),
            "thresholds": list(self.thresholds),
            "cells": [self._record(one) for one in self.judged],
            "found": [one.as_dict() for one in self.found],
            "shared": [one.as_dict() for one in self.shared],
            **{name: getattr(self, name) for name in settings},
            "least_train": LEAST_TRAIN,
            "least_held_out": LEAST_HELD_OUT,
            "left_out": self.left_out,
            "interrupted": self.interrupted,
        }

    def _record(self, one: Judged) -> dict[str, Any]:
        return {
            "benchmark": one.subject,
            "law": one.law,
            "threshold": one.split.at,
            "n_train": one.n_train,
            "n_held_out": len(one.observed),
            "mae": one.errors["mae"],
            "mre": one.errors["mre"],
            "success": None if one.failed else is_success(one, self.success),
            "reason": reason_of(one),
        }

    # -- tables ------------------------------------------------------------------------------------

    def tables(self) -> tuple[Table, ...]:
        """T50 of every law, then the errors of each over the thresholds."""
        tables = [self._of_laws(self.found, self._title(), list(self._notes()))]
        if self.shared:
            title = "On the benchmarks and thresholds at which every law has a fit"
            tables.append(self._of_laws(self.shared, title))
        return (*tables, *(self._errors(law) for law in self.laws if self.threshold(law).n_cells))

    def _title(self) -> str:
        first, last = (self.thresholds[0], self.thresholds[-1]) if self.thresholds else (None, None)
        return (
            f"Fitted to runs with C <= T, judged on those with C > T; "
            f"{counted(len(self.thresholds), 'threshold')} T, {_three(first)} to {_three(last)} "
            f"FLOP; {counted(len(self.benchmarks), 'benchmark')}. Success: a mean relative error "
            f"below {100.0 * self.success:g} %. At least {LEAST_TRAIN} runs to fit (and more "
            f"than coefficients) and {LEAST_HELD_OUT} to predict; predicted runs exceed "
            f"guessing by more than {self.margin:g}."
        )

    def _of_laws(self, rows: Sequence[Threshold], title: str, notes: Sequence[str] = ()) -> Table:
        level = f"{100.0 * self.level:g} % interval"
        columns = [
            Column("law", align="left"),
            Column("T50", "T50 (FLOP)", of=self.midpoint),
            Column("interval", level, of=self._interval),
            Column("n_success", "successes"),
            Column("n_cells", "of fits"),
            Column("n_unfitted", "unfitted"),
            Column("outcome", " ", of=lambda one: CALLED.get(one.outcome, ""), align="left"),
        ]
        return Table(columns, rows, title=title, notes=notes)

    def _errors(self, law: str) -> Table:
        """Mean relative errors of a law, a row a benchmark."""
        places = np.unique(np.linspace(0, len(self.thresholds) - 1, SHOWN).round().astype(int))
        chosen = [self.thresholds[i] for i in places]
        rows: list[dict[Any, Any]] = []
        for benchmark in self.benchmarks:
            errors = {one.split.at: one.errors["mre"] for one in self.curve(benchmark, law)}
            rows.append({"benchmark": benchmark} | {T: errors.get(T) for T in chosen})
        columns = [Column("benchmark", f"{law}: MRE in %, T =", align="left")]
        columns += [Column(T, Significant(2).text(T), format=IN_PERCENT) for T in chosen]
        return Table(columns, rows)

    def midpoint(self, one: Threshold) -> str | None:
        """T50, or what bounds it; None where nothing does."""
        low, high = one.bounds
        if one.T50 is not None:
            return self._end(one.T50)
        if low is not None and high is not None:
            return f"{_three(low)} to {_three(high)}"
        if high is not None:
            return f"<= {_three(high)}"
        return None if low is None else f">= {_three(low)}"

    def _interval(self, one: Threshold) -> str | None:
        """Both ends, or the side on which all of it lies."""
        if one.without_interval:
            return None
        low, high = self._end(one.low), self._end(one.high)
        if low == high or (one.low is None and high[0] == "<"):
            return high
        return low if one.high is None and low[0] == ">" else f"{low} to {high}"

    def _end(self, value: float | None) -> str:
        """What lies beyond the thresholds is an extrapolation: only its side is told."""
        if value is None:
            return "no end"
        first, last = self.thresholds[0], self.thresholds[-1]
        if first * (1.0 - ROUNDING) <= value <= last * (1.0 + ROUNDING):
            return _three(value)
        return f"< {_three(first)}" if value < first else f"> {_three(last)}"

    def _notes(self) -> Iterator[str]:
        for one in self.found:
            if one.outcome not in (None, "fitted"):
                meaning = MEANINGS[one.outcome].replace("x50", "T50").replace(" x", " T")
                yield f"note: {one.law}: {meaning}"
            loose = {name: n for name, n in one.resampled.items() if name != "fitted"}
            if loose:
                outcomes = ", ".join(f"{CALLED[name]} {n}" for name, n in loose.items())
                yield (
                    f"note: {one.law}: resamples without a finite fit: {outcomes}; the interval "
                    f"takes the far end of what they say"
                )
        reasons = dict.fromkeys(one.without_interval for one in self.found if one.without_interval)
        if reasons:
            yield f"note: no interval: {', '.join(reasons)}"
        with_interval = [one.n_benchmarks for one in self.found if not one.without_interval]
        if with_interval:
            yield (
                f"note: intervals: {RESAMPLED}, {self.resamples} times, seed {self.seed}; "
                f"thresholds of one benchmark share their runs and are no independent trials"
            )
            if min(with_interval) < FEW_BENCHMARKS:
                yield f"note: {UNSURE}"
        for name, why in self.left_out.items():
            yield f"note: {name}: no fit at any threshold: {why}"
        for reason, n in Counter(map(reason_of, self.failed)).items():
            yield f"note: unfitted: {reason}: {n}"
        if self.interrupted:
            yield "note: interrupted: fits that were not reached are left out"


def _three(value: float | None) -> str:
    return Significant(3).text(value)


# -- the sweep -------------------------------------------------------------------------------------


def sweep_thresholds(
    samples: Iterable[Sample],
    kinds: Sequence[Law],
    *,
    thresholds: int | ArrayLike | None = None,
    success: float = SUCCESS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = DEFAULT_LEVEL,
    jobs: int = 1,
    progress: bool = False,
) -> Sweep:
    """Fit below every threshold, predict above it, and find from where on that succeeds.

    Parameters
    ----------
    samples : iterable of Sample
        One a benchmark; compute must be known. A law is fitted to the runs that exceed guessing by
        more than its own margin, if it needs the proxy to those that have it (the others hold NaN),
        and all laws are judged on the runs that exceed guessing by more than the strictest margin.
    kinds : sequence of Law
        Laws of different names.
    thresholds : int or array_like, optional
        T in FLOP, > 0; or how many from 6e19 to 5e22, evenly in log T, by default 24. Those at
        which nothing can be fitted are left out.
    success : float
        Largest mean relative error that is a success, > 0.
    resamples : int
        Of benchmarks, for the intervals, where there are at least four; 0: none.
    seed : int
    level : float
        Nominal coverage of the intervals.
    jobs, progress
        As in `isoflop.numeric.fit.repeat.repeat`.

    Returns
    -------
    Sweep
        Partial, and marked so, where Ctrl-C ended it.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or nothing has enough runs.
    """
    data = [Benchmark(runs=sample, kinds=tuple(kinds)) for sample in samples]
    if not data:
        raise outside("samples", [], "at least one benchmark")
    if thresholds is None or isinstance(thresholds, int):
        grid = np.geomspace(LOWEST, HIGHEST, thresholds or COUNT)
    else:
        grid = np.unique(positive_array("thresholds", thresholds))
    limit, level = positive_number("success", success), checked_level(level)
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)

    trials: dict[Any, Trial] = {}  # thresholds that part the runs alike are one trial
    places: list[tuple[Any, Split]] = []
    for benchmark in data:
        for kind in kinds:
            for split in _splits(benchmark, kind, grid):
                masks = (split.train.tobytes(), split.test.tobytes())
                key = benchmark.name, kind.name, split.lacks, *masks
                trials.setdefault(key, benchmark.trial(kind, split))
                places.append((key, split))
    held = judge(list(trials.values()), jobs=jobs, progress=progress)
    made = dict(zip(trials, held.judged, strict=False))
    judged = [replace(made[key], split=split) for key, split in places if key in made]

    used = sorted({float(one.split.at or 0.0) for one in judged if not one.failed})
    if not used and not held.interrupted:
        raise ValueError(
            f"thresholds={grid[0]:.4g} to {grid[-1]:.4g}: no law has {LEAST_TRAIN} runs to fit and "
            f"{LEAST_HELD_OUT} to predict at any of them: {_reasons(judged)}"
        )
    kept = [one for one in judged if used and used[0] <= (one.split.at or 0.0) <= used[-1]]
    fitted = {one.subject for one in kept if not one.failed}
    laws = tuple(kind.name for kind in kinds)
    common = _shared(laws, kept)
    rest = (limit, resamples, seed, level)
    return Sweep(
        judged=tuple(kept),
        interrupted=held.interrupted,
        asked=laws,
        thresholds=tuple(float(T) for T in grid if used and used[0] <= T <= used[-1]),
        found=tuple(threshold_of(law, kept, *rest) for law in laws),
        shared=tuple(threshold_of(law, common, *rest) for law in laws if common),
        success=limit,
        margin=data[0].margin,
        level=level,
        resamples=resamples,
        seed=seed,
        left_out={
            each.name: _reasons(one for one in judged if one.subject == each.name)
            for each in data
            if each.name not in fitted
        },
    )


def _splits(data: Benchmark, kind: Law, grid: Floats) -> Iterator[Split]:
    """At every threshold, with what it lacks to be fitted and judged."""
    runs = data.runs
    usable = data.has_proxy(kind) & above_guessing(runs.accuracy, runs.baseline, kind.margin)
    needed = max(LEAST_TRAIN, len(kind.coefficients) + 1)
    compute = runs.at.column("compute")
    for split in up_to(compute, grid.tolist(), train=usable, test=data.is_judged(runs)):
        lacks = ""
        if split.train.sum() < needed:
            lacks = f"fewer than {needed} runs up to the threshold"
        elif split.test.sum() < LEAST_HELD_OUT:
            lacks = f"fewer than {LEAST_HELD_OUT} runs above the threshold"
        yield replace(split, lacks=lacks)


def is_success(one: Judged, limit: float) -> bool:
    """Whether the mean relative error is below the limit."""
    error = one.errors["mre"]
    return error is not None and error < limit


def reason_of(one: Judged) -> str:
    """Why there is no fit; "" where there is."""
    return one.split.lacks or (f"no fit: {one.failed}" if one.failed else "")


def _reasons(judged: Iterable[Judged]) -> str:
    return "; ".join(dict.fromkeys(reason_of(one) for one in judged if one.failed))


def _shared(laws: Sequence[str], judged: Sequence[Judged]) -> list[Judged]:
    """Those on benchmarks and at thresholds at which every law has a fit; none where these are all
    that have one.
    """
    fitted = [one for one in judged if not one.failed]
    counts = Counter((one.subject, one.split.at) for one in fitted)
    shared = [one for one in fitted if counts[one.subject, one.split.at] == len(laws)]
    return [] if len(shared) == len(fitted) else shared


def threshold_of(
    law: str, judged: Sequence[Judged], limit: float, resamples: int, seed: int, level: float
) -> Threshold:
    """T50 of a law, from its successes."""
    own = [one for one in judged if one.law == law]
    fitted = [one for one in own if not one.failed]
    benchmarks = list(dict.fromkeys(one.subject for one in fitted))
    n_benchmarks = len(benchmarks)
    x = np.log10([float(one.split.at or 0.0) for one in fitted])
    won = np.array([is_success(one, limit) for one in fitted])
    regression = fit_logistic(x, won) if fitted else None
    known: dict[str, Any] = {"resampled": {}}
    if regression is None:
        known["without_interval"] = "no fit"
    elif regression.outcome[0] in ("falling", "reversed"):
        known["without_interval"] = "success does not get likelier with T"
    elif n_benchmarks < LEAST_GROUPS:
        known["without_interval"] = f"fewer than {LEAST_GROUPS} benchmarks cannot be resampled"
    elif not resamples:
        known["without_interval"] = "no resamples were asked for"
    else:
        even = np.full(n_benchmarks, 1.0 / n_benchmarks)
        times = np.random.default_rng(seed).multinomial(n_benchmarks, even, size=resamples)
        of = [benchmarks.index(one.subject) for one in fitted]
        drawn = fit_logistic(x, won, times[:, of])
        # No interpolation: an end may be infinite.
        low = np.quantile(drawn.low, 0.5 * (1.0 - level), method="lower")
        high = np.quantile(drawn.high, 0.5 * (1.0 + level), method="higher")
        known |= {"low": _power_of_ten(low), "high": _power_of_ten(high)}
        known["resampled"] = dict(Counter(sorted(drawn.outcome)))
    return Threshold(
        law=law,
        regression=regression,
        n_benchmarks=n_benchmarks,
        n_cells=len(fitted),
        n_success=int(won.sum()),
        n_unfitted=len(own) - len(fitted),
        **known,
    )


def _power_of_ten(exponent: Any) -> float | None:
    """10^x; None where no float holds it."""
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.power(10.0, exponent))
    return value if 0.0 < value < np.inf else None
