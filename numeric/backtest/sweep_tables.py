"""The tables of a sweep of thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.table import Column, Table
from ..words import counted
from .logistic import FITTED, MEANINGS
from .sweep import RESAMPLED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .sweep import Sweep, Threshold

__all__ = ["UNSURE", "tables_of"]

#: So many thresholds are shown, spread evenly; JSON and frame have all.
SHOWN = 8
#: Relative errors from here on have two digits.
LARGE = 10.0
#: A bound that is a threshold comes back from its logarithm to this.
ROUNDING = 1e-9
#: With fewer benchmarks than this intervals are too narrow: simulated 90 % ones of five held T50 in
#: 79 %.
FEW_BENCHMARKS = 10
UNSURE = "few benchmarks: 90 % intervals of five held in 79 %"
NO_END = "no end"
#: What the outcomes of the regression are called in the table.
CALLED = {
    "all": "all succeed",
    "none": "none succeeds",
    "reversed": "falling",
    "unknown": "one threshold",
}


def tables_of(sweep: Sweep) -> tuple[Table, ...]:
    """T50 of every law with its interval, and the mean relative errors of each over thresholds."""
    main = _of_laws(sweep, sweep.found, _title(sweep), list(_notes(sweep)))
    tables = [main]
    if sweep.shared:
        title = "On the benchmarks and thresholds at which every law has a fit"
        tables.append(_of_laws(sweep, sweep.shared, title))
    return (*tables, *(table for law in sweep.laws for table in _errors(sweep, law)))


def _title(sweep: Sweep) -> str:
    span = "none"
    if sweep.thresholds:
        first, last = (_three(sweep.thresholds[i]) for i in (0, -1))
        span = f"{first} to {last} FLOP"
    return (
        f"Fitted to runs with C <= T, judged on those with C > T; "
        f"{counted(len(sweep.thresholds), 'threshold')} "
        f"T, {span}; {counted(len(sweep.benchmarks), 'benchmark')}. Success: a mean relative error "
        f"below "
        f"{100.0 * sweep.success:g} %. At least {sweep.least_train} runs to fit (and more than "
        f"coefficients) "
        f"and {sweep.least_held_out} to predict; predicted runs exceed guessing by more than "
        f"{sweep.margin:g}."
    )


def _of_laws(
    sweep: Sweep, found: Sequence[Threshold], title: str, notes: Sequence[str] = ()
) -> Table:
    columns = [
        Column("law", align="left"),
        Column("T50", "T50", unit="FLOP", of=lambda one: _midpoint(one, sweep)),
        Column(
            "interval", f"{100.0 * sweep.level:g} % interval", of=lambda one: _interval(one, sweep)
        ),
        Column("n_success", "successes"),
        Column("n_cells", "of fits"),
        Column("n_unfitted", "unfitted"),
        Column("outcome", " ", of=_outcome, align="left"),
    ]
    return Table(columns, found, title=title, notes=notes)


def _errors(sweep: Sweep, law: str) -> list[Table]:
    """Errors of a law, a row a benchmark; none where it has no fit."""
    places = np.unique(np.linspace(0, len(sweep.thresholds) - 1, SHOWN).round().astype(int))
    chosen = [sweep.thresholds[i] for i in places] if sweep.thresholds else []
    rows: list[dict[Any, Any]] = []
    for benchmark in sweep.benchmarks:
        errors = {cell.threshold: cell.mre for cell in sweep.curve(benchmark, law)}
        rows.append({"benchmark": benchmark} | {T: _percent(errors.get(T)) for T in chosen})
    if not any(row[T] is not None for row in rows for T in chosen):
        return []
    columns = [Column("benchmark", f"{law}: MRE in %, T =", align="left")]
    columns += [Column(T, Significant(2).text(T)) for T in chosen]
    return [Table(columns, rows)]


def _midpoint(one: Threshold, sweep: Sweep) -> str | None:
    if one.T50 is not None:
        return _end(one.T50, sweep)
    low, high = one.bounds
    if low is not None and high is not None:
        return f"{_three(low)} to {_three(high)}"
    if high is not None:
        return f"<= {_three(high)}"
    return None if low is None else f">= {_three(low)}"


def _outcome(one: Threshold) -> str:
    if one.regression is None or one.regression.outcome == FITTED:
        return ""
    return CALLED.get(one.regression.outcome, one.regression.outcome)


def _interval(one: Threshold, sweep: Sweep) -> str | None:
    """Both ends, or the side on which all of it lies."""
    if one.without_interval:
        return None
    low, high = (_end(end, sweep) for end in (one.low, one.high))
    if low == high or (low == NO_END and high[0] == "<"):
        return high
    return low if high == NO_END and low[0] == ">" else f"{low} to {high}"


def _end(value: float | None, sweep: Sweep) -> str:
    """What lies beyond the thresholds is an extrapolation of the curve: only its side is said."""
    if value is None:
        return NO_END
    first, last = sweep.thresholds[0], sweep.thresholds[-1]
    if first * (1.0 - ROUNDING) <= value <= last * (1.0 + ROUNDING):
        return _three(value)
    return f"< {_three(first)}" if value < first else f"> {_three(last)}"


def _notes(sweep: Sweep) -> Iterator[str]:
    for one in sweep.found:
        if one.regression is not None and one.regression.outcome != FITTED:
            meaning = MEANINGS[one.regression.outcome].replace("x50", "T50").replace(" x", " T")
            yield f"note: {one.law}: {meaning}"
        loose = {name: n for name, n in one.resampled.items() if name != FITTED}
        if loose:
            outcomes = ", ".join(f"{CALLED.get(name, name)} {n}" for name, n in loose.items())
            yield (
                f"note: {one.law}: resamples without a finite fit: {outcomes}; the interval takes "
                f"the far end of what they say"
            )
    if reasons := dict.fromkeys(
        one.without_interval for one in sweep.found if one.without_interval
    ):
        yield f"note: no interval: {', '.join(reasons)}"
    with_interval = [one.n_benchmarks for one in sweep.found if not one.without_interval]
    if with_interval:
        yield (
            f"note: intervals: {RESAMPLED}, {sweep.resamples} times, seed {sweep.seed}; thresholds "
            f"of one "
            "benchmark share their runs and are no independent trials"
        )
        if min(with_interval) < FEW_BENCHMARKS:
            yield f"note: {UNSURE}"
    yield from (
        f"note: {name}: no fit at any threshold: {why}" for name, why in sweep.left_out.items()
    )
    unfitted: dict[str, int] = {}
    for cell in sweep.cells:
        if cell.reason:
            unfitted[cell.reason] = unfitted.get(cell.reason, 0) + 1
    yield from (f"note: unfitted: {reason}: {n}" for reason, n in unfitted.items())
    if sweep.interrupted:
        yield "note: interrupted: fits that were not reached are left out"


def _three(value: float) -> str:
    return Significant(3).text(value)


def _percent(error: float | None) -> str | None:
    if error is None:
        return None
    return f"{100.0 * error:.1f}" if error < LARGE else Significant(2).text(100.0 * error)
