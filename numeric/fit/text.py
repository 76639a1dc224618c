"""A fit for a reader, at most 100 columns wide."""

from __future__ import annotations

import re
from math import floor, isfinite, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Significant
from ...theory.typeset.table import Column, Table
from ..results import Estimate
from ..words import counted
from .summary import DEFAULT_LEVEL, FIXED, Figure, Summary, columns_read, outcome, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ..data.rows import Dropped
    from .intervals import Interval as ProfileInterval
    from .resample import Draws
    from .result import Fit

__all__ = ["fit_text", "number", "profile_text", "summary_text", "table", "tables"]

WIDTH, GAP = 100, "  "
#: Numbers from here to there are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e6
UNKNOWN = "-"
#: What is drawn again and again, by kind of resample.
DRAWN = {"cases": "runs", "groups": "groups of runs", "residuals": "residuals"}
#: So many rows are listed for a reason why they are no runs; JSON has them all.
ROWS_LISTED = 12
#: A source whose first line is a header.
HEADED = re.compile(r"\.(csv|tsv|txt)'?$", re.IGNORECASE)
#: The value in a reason: "accuracy=0.2: must be above 0.25".
VALUE = re.compile(r"^(\w+)=[^:]*: ")
SHARP = "by absolute deviations 90 % ones held the truth in 85 to 93 % of simulations; a bootstrap (--bootstrap) is preferable"

#: A certificate below this is shown as such.
ROUNDING = 1e-12


def fit_text(
    fit: Fit,
    bootstrap: Draws | None = None,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> str:
    """The law, the runs, the objective, tables of the coefficients and of what follows, how sure it
    is, and every warning.

    Parameters
    ----------
    fit : Fit
    bootstrap : Draws, optional
        Where standard errors and intervals come from; else the sandwich covariance.
    level : float
        Nominal coverage of the intervals.
    compute, ratio : float or sequence of float, optional
        Add the optimum at each compute (FLOP), and the penalty at each overtraining ratio.
    """
    return summary_text(summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio))


def summary_text(summary: Summary) -> str:
    """The text of what was gathered."""
    fit = summary.fit
    head = [
        ("law", f"L = {fit.model}{f', L = {outcome(fit)} of accuracy Q' if outcome(fit) else ''}"),
        ("runs", _runs(fit)),
        *([("columns", columns)] if (columns := _columns(fit)) else []),
        ("objective", f"{_objective(fit)}: {number(fit.objective_value, 10)}"),
        ("optimum", _optimum(summary)),
    ]
    lines = _pairs(head)
    for described in tables(summary):
        lines += ["", *described.lines()]
    tail = [("intervals", _intervals(summary)), ("residuals", _residuals(fit))]
    lines += ["", *_pairs(tail)]
    lines += [
        line
        for text in summary.warnings
        for line in wrap(f"warning: {clean(text)}", WIDTH, subsequent_indent="  ")
    ]
    return "\n".join(lines)


def tables(summary: Summary) -> tuple[Table, ...]:
    """The coefficients, and what follows from them where something does: value, standard error,
    interval, note and unit.
    """
    columns = (
        Column("value", format=Significant(6), missing=UNKNOWN),
        Column("se", "std. error", format=Significant(3), missing=UNKNOWN),
        Column(
            "interval",
            f"{100 * summary.level:.4g} % interval",
            show="interval",
            interval=Interval(Significant(5), "", " to ", ""),
            keys=("", "lo", "hi"),
            missing=UNKNOWN,
        ),
        Column("note", " ", align="left"),
    )
    groups = (("coefficient", summary.coefficients), ("derived", summary.followed))
    return tuple(
        Table((Column("label", kind, align="left"), *columns), [_row(figure) for figure in figures])
        for kind, figures in groups
        if figures
    )


def profile_text(intervals: Sequence[ProfileInterval]) -> str:
    """Profile intervals as a table, and what they rest on."""
    rows = [
        (
            each.name,
            number(each.value, 6),
            _end(each.low),
            _end(each.high),
            f"{100 * each.level:.4g} %",
        )
        for each in intervals
    ]
    notes = dict.fromkeys(each.note for each in intervals if each.note)
    lines = table(("profile", "value", "from", "to", "level"), rows)
    return "\n".join(
        [*lines, *(line for note in notes for line in wrap(f"profile intervals: {note}", WIDTH))]
    )


def _end(value: float | None) -> str:
    return "no end" if value is None else _number(value, 5)


# -- sentences ---------------------------------------------------------------------------------------------------------


def _runs(fit: Fit) -> str:
    runs = fit.runs
    lost = [f"{runs.left_out} left out by the condition"] if runs.left_out else []
    lost += [_dropped(runs.dropped)] if runs.dropped else []
    first = "the first after the header" if HEADED.search(runs.source) else "the first"
    text = f"{len(runs)} from {runs.source}, where row 1 is {first}"
    if runs.group is not None:
        text += f"; in {counted(len(set(runs.group.tolist())), 'group')}"
    if runs.weight is not None:
        text += "; weighted"
    return clean(f"{text} (of {counted(runs.n_rows, 'row')}, {'; '.join(lost)})" if lost else text)


def _dropped(dropped: Sequence[Dropped]) -> str:
    """The rows that are no runs, by reason."""
    by_reason: dict[str, list[int]] = {}
    for entry in dropped:
        by_reason.setdefault(VALUE.sub(r"\1 ", entry.reason), []).append(entry.row)
    return f"{len(dropped)} dropped: {', '.join(f'{reason} ({_rows(rows)})' for reason, rows in by_reason.items())}"


def _rows(rows: Sequence[int]) -> str:
    listed, rest = rows[:ROWS_LISTED], len(rows) - ROWS_LISTED
    text = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, listed))}"
    return f"{text} and {rest} more" if rest > 0 else text


def _columns(fit: Fit) -> str:
    """What was read from where, unless the columns have the names of the quantities."""
    is_general = fit.model.is_expression
    read = columns_read(fit)
    if not is_general and all(name == column for name, column in read.items()):
        return ""
    text = ", ".join(f"{name} {column!r}" for name, column in read.items() if column is not None)
    text += "".join(f"; {name} from C = 6ND" for name, column in read.items() if column is None)
    return clean(
        f"{text}; coefficients {', '.join(fit.model.coefficients)}" if is_general else text
    )


def _objective(fit: Fit) -> str:
    return f"{fit.objective.name}, {str(fit.objective)[0].lower()}{str(fit.objective)[1:]}".replace(
        ", huber", ", Huber"
    )


def _optimum(summary: Summary) -> str:
    """How the minimum is certified, and what it does not determine."""
    fit = summary.fit
    text = ", ".join([_certificate(fit), *([ended] if (ended := _starts(fit)) else [])])
    if not fit.converged:
        return f"NOT REACHED; the best point that was found is no certified minimum: {text}"
    if not fit.undetermined:
        return f"reached; {text}"
    following = [figure.label for figure in summary.followed if figure.is_open]
    are, them = ("is", "it") if len(fit.undetermined) == 1 else ("are", "them")
    also = f", nor what follows from {them}: {', '.join(following)}" if following else ""
    return f"reached, but {', '.join(fit.undetermined)} {are} NOT DETERMINED by these runs{also}; {text}"


def _certificate(fit: Fit) -> str:
    found = fit.solution.certificate
    if not isfinite(found):
        return "no certificate could be computed"
    # Below this it is rounding, which differs from machine to machine.
    share = f"below {ROUNDING:g}" if found < ROUNDING else number(found, 2)
    if fit.objective.is_sharp:
        return f"its least subgradient has relative size {share}"
    return f"the share by which a Newton step would lower the objective is {share}"


def _starts(fit: Fit) -> str:
    """What the search for other minima found; nothing where there was none."""
    solution, given = fit.solution, {*fit.design.given}
    sought = getattr(fit.model, "exponents", fit.model.coefficients)
    if {*sought} <= given:
        return ""
    if fit.objective.is_sharp:
        followed = solution.agreeing + len(solution.others)
        if followed == 1:
            return "the only minimum that was found"
        return f"the best of {followed} minima that were followed to the end"
    if solution.starts == 1:
        return "the scan of exponents shows one basin" if not fit.model.is_expression else ""
    return f"{solution.agreeing} of {solution.starts} starts end{'s' if solution.agreeing == 1 else ''} there"


def _intervals(summary: Summary) -> str:
    boot, fit = summary.bootstrap, summary.fit
    if boot is not None:
        share = "" if not boot.failed else f", {boot.failed} without a certified minimum"
        return (
            f"bootstrap: standard deviations and percentiles of {counted(boot.done, 'resample')} "
            f"of "
            f"{DRAWN[boot.kind]}, seed {boot.seed}{share}"
        )
    if summary.kind == "none" or not any(
        figure.se for figure in (*summary.coefficients, *summary.derived)
    ):
        return "none"
    leverage = "scores summed by group, each seen from the others (CR3)"
    if fit.runs.group is None:
        leverage = "each run seen from the others (HC3)"
    how = f"sandwich covariance, {leverage}, Student's t with {counted(fit.degrees_of_freedom, 'degree')} of freedom"
    logs = "" if fit.model.is_expression else "; all but E and losses on a log or log-odds scale"
    return f"{how}{logs}{f'; {SHARP}' if fit.objective.is_sharp else ''}"


def _residuals(fit: Fit) -> str:
    residuals = fit.residuals
    what = "log observed - log law" if fit.objective.in_logs else "observed - law"
    worst = int(np.argmax(np.abs(residuals)))
    middle, mean = float(np.median(np.abs(residuals))), float(np.sqrt(np.mean(residuals**2)))
    sizes = f"median size {number(middle, 3)}, root mean square {number(mean, 3)}"
    text = (
        f"{what}: {sizes}, largest {number(float(residuals[worst]), 3)} (row {fit.runs.row[worst]})"
    )
    if fit.objective.name == "huber-log":
        text += f"; {int(np.count_nonzero(np.abs(residuals) <= fit.objective.delta))} of {len(residuals)} within delta"
    return text


# -- tables ------------------------------------------------------------------------------------------------------------


def _row(figure: Figure) -> dict[str, Any]:
    value, se = (
        number if number is None or isfinite(number) else None
        for number in (figure.value, figure.se)
    )
    unit = "" if figure.unit in ("", "1") else figure.unit
    row: dict[str, Any] = {
        "label": figure.label,
        "value": value,
        "se": se,
        "interval": None,
        "note": figure.note,
    }
    if figure.note == FIXED or figure.is_open:
        return row | {"se": None}
    exact = figure.se == 0.0 and figure.lo == figure.hi
    interval = (
        None
        if figure.lo is None or figure.hi is None or exact
        else Estimate(figure.value, figure.lo, figure.hi)
    )
    return row | {"interval": interval, "note": ", ".join(filter(None, (figure.note, unit)))}


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows under their headings, the first and the last column to the left, the others to the
    right.

    A heading may have several lines.
    """
    headings = [column.split("\n") for column in columns]
    height = max(map(len, headings))
    heads = list(
        zip(*([""] * (height - len(heading)) + heading for heading in headings), strict=True)
    )
    widths = [max(map(len, column)) for column in zip(*heads, *rows, strict=True)]
    last = len(widths) - 1

    def line(cells: Sequence[str]) -> str:
        placed = [
            cell.ljust(width) if index in (0, last) else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return GAP.join(placed).rstrip()

    above, below = list(map(line, heads)), list(map(line, rows))
    return [*above, "-" * min(WIDTH, max(map(len, (*above, *below)))), *below]


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
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
