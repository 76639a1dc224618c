"""A fit for a reader, at most 100 columns wide."""

from __future__ import annotations

from math import floor, isfinite, log10
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from isoflop.numeric.fit.summary import DEFAULT_LEVEL, FIXED, Figure, Summary, summarise
from isoflop.numeric.runs import those_dropped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isoflop.numeric.fit.bootstrap import Bootstrap
    from isoflop.numeric.fit.intervals import Interval
    from isoflop.numeric.fit.result import Fit

__all__ = ["fit_text", "number", "profile_text", "summary_text", "table"]

WIDTH, GAP = 100, "  "
#: Numbers from here to there are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e6
UNKNOWN = "-"
#: What is drawn again and again, by kind of resample.
DRAWN = {"cases": "runs", "groups": "groups of runs", "residuals": "residuals"}

#: A certificate below this is shown as such.
ROUNDING = 1e-12


def fit_text(
    fit: Fit,
    bootstrap: Bootstrap | None = None,
    level: float = DEFAULT_LEVEL,
    compute: float | None = None,
    ratio: float | None = None,
) -> str:
    """The law, the runs, the objective, tables of the coefficients and of what follows, how sure it is, and every warning.

    Parameters
    ----------
    fit : Fit
    bootstrap : Bootstrap, optional
        Where standard errors and intervals come from; else the sandwich covariance.
    level : float
        Nominal coverage of the intervals.
    compute, ratio : float, optional
        Add the optimum at this compute (FLOP), and the penalty at this overtraining ratio.
    """
    return summary_text(summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio))


def summary_text(summary: Summary) -> str:
    """The text of what was gathered."""
    fit = summary.fit
    head = [
        ("law", f"L = {fit.model}"),
        ("runs", _runs(fit)),
        ("objective", f"{_objective(fit)}: {number(fit.objective_value, 10)}"),
        ("optimum", _convergence(fit)),
    ]
    shown = f"{100 * summary.level:.4g} % interval"
    columns = ("coefficient", "value", "std. error", shown, "")
    lines = [*_pairs(head), "", *table(columns, [_row(figure) for figure in summary.coefficients])]
    if summary.followed:
        lines += ["", *table(("derived", *columns[1:]), [_row(figure) for figure in summary.followed])]
    tail = [("intervals", _intervals(summary)), ("residuals", _residuals(fit))]
    lines += ["", *_pairs(tail)]
    lines += [line for text in summary.warnings for line in wrap(f"warning: {clean(text)}", WIDTH, subsequent_indent="  ")]
    return "\n".join(lines)


def profile_text(intervals: Sequence[Interval]) -> str:
    """Profile intervals as a table, and what they rest on."""
    rows = [
        (each.name, number(each.value, 6), _end(each.low), _end(each.high), f"{100 * each.level:.4g} %") for each in intervals
    ]
    notes = dict.fromkeys(each.note for each in intervals if each.note)
    lines = table(("profile", "value", "from", "to", "level"), rows)
    return "\n".join([*lines, *(line for note in notes for line in wrap(note, WIDTH))])


def _end(value: float | None) -> str:
    return "no end" if value is None else _number(value, 5)


# -- sentences ---------------------------------------------------------------------------------------------------------


def _runs(fit: Fit) -> str:
    runs = fit.runs
    lost = [f"{runs.left_out} left out by the condition"] if runs.left_out else []
    lost += [those_dropped(runs.dropped)] if runs.dropped else []
    text = f"{len(runs)} from {runs.source}"
    if runs.group is not None:
        text += f", in {len(set(runs.group.tolist()))} groups"
    if runs.weight is not None:
        text += ", weighted"
    return clean(f"{text} (of {runs.n_rows} rows, {'; '.join(lost)})" if lost else text)


def _objective(fit: Fit) -> str:
    return f"{fit.objective.name}, {str(fit.objective)[0].lower()}{str(fit.objective)[1:]}".replace(", huber", ", Huber")


def _convergence(fit: Fit) -> str:
    solution = fit.solution
    # Below this it is rounding, which differs from machine to machine.
    share = f"below {ROUNDING:g}" if solution.certificate < ROUNDING else number(solution.certificate, 2)
    ended = f"{solution.agreeing} of {solution.starts} starts end{'s' if solution.agreeing == 1 else ''} there"
    if fit.objective.is_sharp:
        proof = f"its least subgradient has relative size {share}"
    else:
        proof = f"the share by which a Newton step would lower the objective is {share}"
    if fit.converged:
        return f"reached; {proof}, {ended}"
    return f"NOT REACHED; the best point that was found is no certified minimum: {proof}, {ended}"


def _intervals(summary: Summary) -> str:
    boot = summary.bootstrap
    if boot is not None:
        share = "" if not boot.failed else f", {boot.failed} without a certified minimum"
        return (
            f"bootstrap: standard deviations and percentiles of {len(boot) + boot.failed} resamples of {DRAWN[boot.kind]}, "
            f"seed {boot.seed}{share}"
        )
    if summary.kind == "none":
        return "none"
    scores = ", scores summed by group" if summary.fit.runs.group is not None else ""
    logs = [name for name in summary.fit.model.coefficients if f"log {name}" in summary.fit.model.coordinates]
    symmetric = f"; those of {' and '.join(logs)} symmetric in the logarithm" if logs else ""
    return f"sandwich covariance{scores}, normal approximation{symmetric}"


def _residuals(fit: Fit) -> str:
    residuals = fit.residuals
    what = "log law - log observed" if fit.objective.in_logs else "law - observed"
    worst = int(np.argmax(np.abs(residuals)))
    middle, mean = float(np.median(np.abs(residuals))), float(np.sqrt(np.mean(residuals**2)))
    sizes = f"median size {number(middle, 3)}, root mean square {number(mean, 3)}"
    text = f"{what}: {sizes}, largest {number(float(residuals[worst]), 3)} (row {fit.runs.row[worst]})"
    if fit.objective.name == "huber-log":
        text += f"; {int(np.count_nonzero(np.abs(residuals) <= fit.objective.delta))} of {len(residuals)} within delta"
    return text


# -- tables ------------------------------------------------------------------------------------------------------------


def _row(figure: Figure) -> tuple[str, str, str, str, str]:
    if figure.note == FIXED:
        return (figure.label, number(figure.value, 6), UNKNOWN, UNKNOWN, figure.note)
    ends = (figure.lo, figure.hi)
    interval = UNKNOWN if None in ends else " to ".join(_number(end, 5) for end in ends)
    unit = "" if figure.unit == "1" else figure.unit
    return (figure.label, number(figure.value, 6), _number(figure.se, 3), interval, ", ".join(filter(None, (figure.note, unit))))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows under their headings, the first and the last column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    last = len(widths) - 1

    def line(cells: Sequence[str]) -> str:
        placed = [
            cell.ljust(width) if index in (0, last) else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(placed).rstrip()

    return [line(columns), "-" * min(WIDTH, sum(widths) + len(GAP) * last), *map(line, rows)]


def _pairs(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Names and values under each other, long values broken."""
    column = max(len(name) for name, _ in entries) + len(GAP)
    lines = []
    for name, value in entries:
        first, *rest = wrap(value, WIDTH - column) or [""]
        lines += [f"{name.ljust(column)}{first}".rstrip(), *(" " * column + more for more in rest)]
    return lines


def _number(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None or not isfinite(value) else number(value, digits)


def number(value: float, digits: int) -> str:
    """A number to so many significant digits.

    >>> number(0.3473104974, 6), number(2143.417, 3), number(1.8e21, 4), number(0.0, 3), number(0.5, 3)
    ('0.347310', '2143', '1.800e21', '0', '0.500')
    """
    if value == 0.0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    if not SMALLEST_PLAIN <= abs(rounded) < LARGEST_PLAIN:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{rounded if digits > floor(log10(abs(rounded))) + 1 else value:.{max(0, digits - 1 - floor(log10(abs(rounded))))}f}"


def clean(text: str) -> str:
    """Text from a file for the terminal: what cannot be printed is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
