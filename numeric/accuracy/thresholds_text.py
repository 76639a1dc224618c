"""A sweep of thresholds for a reader, at most 100 columns wide."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from ..errors import outside
from ..fit.text import WIDTH, clean, number, table
from ..words import counted
from .logistic import FITTED, MEANINGS
from .thresholds_found import FEW_BENCHMARKS, LEAST_BENCHMARKS, PROFILE, RESAMPLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .thresholds import Sweep, Threshold

__all__ = ["coverage_of", "thresholds_text"]

#: So many thresholds are shown, spread evenly; JSON and CSV have all.
#: Relative errors from here on have two digits.
LARGE = 10.0
SHOWN = 8
#: A bound that is a threshold comes back from its logarithm to this.
ROUNDING = 1e-9
#: How often simulated 90 % intervals held T50: by profile likelihood, and from resamples of five benchmarks.
HELD, HELD_OF_FIVE = "42 to 52 %", "79 %"
UNKNOWN, NO_END = "-", "no end"
#: What errors are called.
ERRORS = {"mre": "MRE in %", "mae": "MAE in points"}
#: What the outcomes of the regression are called in the table.
CALLED = {"all": "all succeed", "none": "none succeeds", "reversed": "falling", "unknown": "one threshold"}


def thresholds_text(sweep: Sweep, figure: str = "mre") -> str:
    """T50 of every law with its interval, errors over thresholds ("mre" or "mae"), and what was left out."""
    if figure not in ERRORS:
        raise outside("figure", figure, f"one of {', '.join(ERRORS)}")
    parts = [_head(sweep), _found(sweep), *(_errors(sweep, law, figure) for law in sweep.laws), _notes(sweep)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(sweep: Sweep) -> list[str]:
    span = f"{number(sweep.thresholds[0], 3)} to {number(sweep.thresholds[-1], 3)} FLOP" if sweep.thresholds else "none"
    text = (
        f"Fitted to runs with C <= T, judged on those with C > T; {counted(len(sweep.thresholds), 'threshold')} T, {span}; "
        f"{counted(len(sweep.benchmarks), 'benchmark')}. Success: a mean relative error below {100.0 * sweep.success:g} %. "
        f"At least {sweep.least_train} runs to fit (and more than coefficients) and {sweep.least_held_out} to predict; predicted "
        f"runs exceed guessing by more than {sweep.margin:g}."
    )
    return wrap(text, WIDTH)


def _found(sweep: Sweep) -> list[str]:
    """T50: above it success is the rule."""
    lines = _table(sweep, sweep.found)
    if sweep.shared:
        lines += ["", "On the benchmarks and thresholds at which every law has a fit", *_table(sweep, sweep.shared)]
    return lines


def _table(sweep: Sweep, found: Sequence[Threshold]) -> list[str]:
    heading = ("law", "T50 (FLOP)", f"{100.0 * sweep.level:g} % interval", "successes", "of fits", "unfitted", "")
    rows = []
    for each in found:
        interval = UNKNOWN if each.without_interval else _interval(each, sweep)
        counts = (str(each.n_success), str(each.n_cells), str(each.n_unfitted))
        rows.append((each.law, _midpoint(each, sweep), interval, *counts, _outcome(each)))
    return table(heading, rows)


def coverage_of(each: Threshold) -> str:
    """How often such 90 % intervals held T50 in simulations, for the legend of a figure; "" where as often as they say."""
    if each.interval == PROFILE:
        return f"(of these benchmarks; at large 90 % ones held in {HELD})"
    if each.interval == RESAMPLED and each.n_benchmarks < FEW_BENCHMARKS:
        return f"(few benchmarks: 90 % ones of five held in {HELD_OF_FIVE})"
    return ""


def _midpoint(each: Threshold, sweep: Sweep) -> str:
    if each.T50 is not None:
        return _end(each.T50, sweep)
    low, high = each.bounds
    if low is not None and high is not None:
        return f"{number(low, 3)} to {number(high, 3)}"
    if high is not None:
        return f"<= {number(high, 3)}"
    return UNKNOWN if low is None else f">= {number(low, 3)}"


def _outcome(each: Threshold) -> str:
    if each.regression is None or each.regression.outcome == FITTED:
        return ""
    return CALLED.get(each.regression.outcome, each.regression.outcome)


def _interval(each: Threshold, sweep: Sweep) -> str:
    """Both ends, or the side on which all of it lies."""
    low, high = (_end(end, sweep) for end in (each.low, each.high))
    if low == high or (low == NO_END and high[0] == "<"):
        return high
    return low if high == NO_END and low[0] == ">" else f"{low} to {high}"


def _end(value: float | None, sweep: Sweep) -> str:
    """What lies beyond the thresholds is an extrapolation of the curve: only the side is told."""
    if value is None:
        return NO_END
    first, last = sweep.thresholds[0], sweep.thresholds[-1]
    if first * (1.0 - ROUNDING) <= value <= last * (1.0 + ROUNDING):
        return number(value, 3)
    return f"< {number(first, 3)}" if value < first else f"> {number(last, 3)}"


def _percent(error: float) -> str:
    return f"{100.0 * error:.1f}" if error < LARGE else number(100.0 * error, 2)


def _errors(sweep: Sweep, law: str, figure: str) -> list[str]:
    """Errors of a law, a row a benchmark."""
    if not sweep.thresholds:
        return []
    chosen = [sweep.thresholds[i] for i in np.unique(np.linspace(0, len(sweep.thresholds) - 1, SHOWN).round().astype(int))]
    rows = []
    for benchmark in sweep.benchmarks:
        errors = {cell.threshold: getattr(cell, figure) for cell in sweep.curve(benchmark, law)}
        cells = [UNKNOWN if (error := errors.get(T)) is None else _percent(error) for T in chosen]
        rows.append((clean(benchmark), *cells, ""))
    if not any(cell != UNKNOWN for _, *cells, _ in rows for cell in cells):
        return []
    lines = table((f"{ERRORS[figure]}, T =", *(number(T, 2) for T in chosen), ""), rows)
    return [f"{law}", *lines]


def _notes(sweep: Sweep) -> list[str]:
    texts = []
    for each in sweep.found:
        if each.regression is not None and each.regression.outcome != FITTED:
            meaning = MEANINGS[each.regression.outcome].replace("x50", "T50").replace(" x", " T")
            texts.append(f"{each.law}: {meaning}")
        loose = {name: n for name, n in each.resampled.items() if name != FITTED}
        if loose:
            told = ", ".join(f"{CALLED.get(name, name)} {n}" for name, n in loose.items())
            texts.append(f"{each.law}: resamples without a finite fit: {told}; the interval takes the far end of what they say")
    how = {each.interval for each in sweep.found}
    if reasons := {each.without_interval: None for each in sweep.found if each.without_interval}:
        texts.append(f"no interval: {', '.join(reasons)}")
    if RESAMPLED in how:
        texts.append(
            f"intervals: percentiles of {sweep.resamples} resamples of whole benchmarks, seed {sweep.seed}; thresholds of one "
            "benchmark share their runs and are no independent trials"
        )
    if PROFILE in how:
        texts.append(
            f"intervals by profile likelihood, for fewer than {LEAST_BENCHMARKS} benchmarks cannot be resampled; thresholds that "
            "part the runs alike count once. They are of these benchmarks alone: simulated 90 % ones of one to three held the "
            f"T50 of benchmarks at large in {HELD}"
        )
    few = [each.n_benchmarks for each in sweep.found if each.n_benchmarks < FEW_BENCHMARKS and each.interval == RESAMPLED]
    if few:
        narrow = f"90 % ones of five held the truth in {HELD_OF_FIVE}"
        texts.append(f"with {min(few)} benchmarks these intervals tend to be narrow: {narrow}")
    texts += [f"{clean(name)}: no fit at any threshold: {reason}" for name, reason in sweep.left_out.items()]
    unfitted: dict[str, int] = {}
    for cell in sweep.cells:
        if cell.reason:
            unfitted[cell.reason] = unfitted.get(cell.reason, 0) + 1
    texts += [f"unfitted: {reason}: {n}" for reason, n in unfitted.items()]
    if sweep.interrupted:
        texts.append("interrupted: curves that were not reached are left out")
    return [line for text in texts for line in wrap(f"note: {clean(text)}", WIDTH, subsequent_indent="  ")]
