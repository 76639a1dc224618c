"""isoflop passk: pass@k and -log pass@k from counts of samples, and whether a table of them is
possible.
"""

from __future__ import annotations

import math

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, NEGATIVE, NO_VERDICT, UsageError, shown
from .render import csv_text, json_text
from .run_options import say_notes, target
from .tables import TableOptions, declare_counts, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.passk.curve import Curve
    from .arguments import Options

SUMMARY = "pass@k from counts of samples, and whether a table of pass@k is possible"
FORMATS = ("text", "json", "csv")
ERRORS = ("problems", "samples")
LISTS = ("--k",)
#: What the rows of the output hold after the columns that name the group, with its heading.
COLUMNS = {
    "k": "k",
    "pass_at_k": "pass@k",
    "se": "se",
    "neg_log": "-log\npass@k",
    "n_problems": "problems",
    "n_unsolved": "unsolved",
    "n_refused": "refused",
}
#: What a value is, for readers that are no people; the text table shows it in its numbers.
STATUS = "status"
#: The values that have an error.
WITH_ERROR = "estimate"
#: Entries that --check shows as text, and what a record of one holds after its group.
MOST_SHOWN = 20
ENTRY = ("row", "inequality", "k", "pass_at_k", "bound", "excess", "others")
#: Groups that one note names.
MOST_NAMED = 3


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop passk",
        [
            "COUNTS [--k K ...] [--by COLUMN,...] [--se problems|samples] ...",
            "COUNTS [--models TABLE] [--column NAME=COLUMN] ... [--where CONDITION]",
            "COUNTS|ESTIMATES --check [--tolerance NUMBER] ...",
        ],
        "COUNTS has a row for each model and problem: how many samples were drawn, and how many "
        "were correct.\n"
        "For each model and k: the mean over its problems of the unbiased estimate of pass@k, its "
        "standard\n"
        "error, -log of it, how many problems it is of, how many of these have no correct sample "
        "(they count,\n"
        "with pass@k = 0), and how many were refused: those with fewer than k samples, for which "
        "there is no\n"
        "unbiased estimate. JSON and CSV have besides a status: estimate, no success (pass@k = 0, "
        "its -log\n"
        "is inf in CSV and null in JSON), all solved (pass@k = 1), or refused (no problem has k "
        "samples);\n"
        "only estimates have a standard error.\n"
        "With --check: which values no distribution of success rates can produce. ESTIMATES may "
        "then be a\n"
        "table of k and pass@k instead of counts. Exit status 0: none, 1: some; without --check 3: "
        "at no k\n"
        "that was asked for is there an estimate.",
        [
            "isoflop passk counts.csv",
            "isoflop passk counts.csv --k 1,10,100 --by model --format json",
            "isoflop passk counts.csv --k 1 10 100 --where 'n_samples >= 100' --format csv",
            "isoflop passk counts.csv --se samples --models models.csv",
            "isoflop passk pass_at_k.csv --check",
        ],
    )
    declare_counts(built)
    asked = built.add_argument_group("pass@k")
    takes_several(
        asked, "--k", "K", "draws; default: 1, 2, 4, ... up to the fewest samples of any problem"
    )
    takes_one(
        asked,
        "--se",
        "|".join(ERRORS),
        "standard error with the problems as a sample of more of their kind (default), or for "
        "these problems",
    )
    asked.add_argument(
        "--check",
        action="store_true",
        help="which values are not from 0 to 1, rising and concave in k",
    )
    takes_one(
        asked,
        "--tolerance",
        "NUMBER",
        "rounding in each value that --check allows, in pass@k; default: 1e-9",
    )
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 1 where --check finds a value that is not possible, 3
    where no k has an estimate.
    """
    from ..numeric.passk.curve import stopped

    form = options.chosen("--format", FORMATS)
    file = TableOptions(options, "counts", LISTS)
    draws = draws_of(options)
    error = options.chosen("--se", ERRORS)
    tolerance = options.nonnegative("--tolerance")
    target(options, "--output")
    if "--check" in options:
        if "--se" in options:
            raise UsageError(f"--se {shown(error)}: is for estimates, without --check")
        return _checked(options, file, draws, tolerance, form)
    if tolerance is not None:
        raise UsageError(f"--tolerance {shown(str(options.one('--tolerance')))}: is for --check")
    data = file.table()
    _refuse_estimates(file, data)
    counts = file.counts()
    curve = _curve(counts, draws)
    rows = _rows(curve, error, covariates=bool(options.given("--models", "--gold")))
    status = DONE if curve.n_problems.any() else NO_VERDICT
    doubts = [f"{said}: estimates are too high" for said in stopped(counts)]
    if form == "text":
        notes = [*counts.warnings, *_lost(counts), *_notes(curve, error)]
        above = [f"warning: {clean(doubt)}" for doubt in doubts]
        return "\n".join(
            [*above, *_lines(curve, rows), *(f"note: {clean(note)}" for note in notes)]
        ), status
    say_notes([*doubts, *counts.warnings, *_lost(counts)])
    return (json_text(rows) if form == "json" else csv_text(rows)), status


# -- what was asked --------------------------------------------------------------------------------


def _curve(counts: Counts, draws: list[int] | None) -> Curve:
    from ..numeric.passk.curve import curve

    powers = [2**power for power in range(int(counts.n.min()).bit_length())]
    return curve(counts, powers if draws is None else draws)


def _has_counts(file: TableOptions, data: Any) -> bool:
    """Whether the table holds counts; else it may hold estimates."""
    from ..numeric.data.metrics import kind_of

    return kind_of(data, file.columns) != "pass@k"


def _refuse_estimates(file: TableOptions, data: Any) -> None:
    if not _has_counts(file, data):
        raise UsageError(
            f"{data.source}: holds pass@k already and no counts; --check tells whether its values "
            f"are possible"
        )


# -- the check -------------------------------------------------------------------------------------


def _checked(
    options: Options,
    file: TableOptions,
    draws: list[int] | None,
    tolerance: float | None,
    form: str,
) -> tuple[str, int]:
    from ..numeric.passk.inequalities import STATEMENTS, TOLERANCE, impossible

    data = file.table()
    if _has_counts(file, data):
        values: Any = _curve(file.counts(), draws)
    else:
        for option in options.given("--k", "--models", "--gold"):
            raise UsageError(
                f"{option} {shown(' '.join(options.words(option) or ()))}: is for counts; "
                f"{data.source} holds pass@k"
            )
        values = file.pass_at_k()
    rows = impossible(values, tolerance=TOLERANCE if tolerance is None else tolerance)
    status = NEGATIVE if rows else DONE
    if form == "json":
        return json_text(rows), status
    if form == "csv":
        cells = [row | {"others": " ".join(map(str, row["others"]))} for row in rows]
        return csv_text(cells, None if cells else ENTRY), status
    if not rows:
        return f"every value of pass@k from {data.source} is possible", status
    notes = [f"{name}: {STATEMENTS[name]}" for name in {row["inequality"]: None for row in rows}]
    return _violations(rows, notes), status


def _violations(rows: Sequence[dict[str, Any]], notes: Sequence[str]) -> str:
    """The entries that are farthest off, and how many there are."""
    from ..theory.typeset.numbers import Significant
    from ..theory.typeset.table import Column, Table

    largest = sorted(rows, key=lambda row: -float(row["excess"]))[:MOST_SHOWN]
    six, three = Significant(6), Significant(3)
    columns = [Column(name, align="left") for name in rows[0] if name not in ENTRY]
    columns += [
        Column("row"),
        Column("inequality", align="left"),
        Column("k"),
        Column("pass_at_k", "pass@k", format=six),
        Column("bound", format=six),
        Column("others", "by k", of=lambda row: ", ".join(map(str, row["others"]))),
        Column("excess", "off by", format=three),
    ]
    title = f"Values that are not possible, the largest of {len(rows)}"
    return Table(columns, largest, title, notes).text()


# -- rows ------------------------------------------------------------------------------------------


def _rows(curve: Curve, error: str, *, covariates: bool) -> list[dict[str, Any]]:
    """The rows with None for what is unknown; status tells why."""
    counts = curve.counts
    rows = curve.rows()
    if error == "samples":
        for row, value in zip(rows, curve.se_sampling.ravel().tolist(), strict=True):
            row["se"] = value if row[STATUS] == WITH_ERROR else None
    if covariates:
        for index, row in enumerate(rows):
            group = index // len(curve.ks)
            row |= {name: float(held[group]) for name, held in counts.covariates.items()}
    return [
        {name: value if value == math.inf else _known(value) for name, value in row.items()}
        for row in rows
    ]


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(curve: Curve, rows: Sequence[dict[str, Any]]) -> list[str]:
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    groups = curve.counts.by
    others = [name for name in rows[0] if name not in (*groups, *COLUMNS, STATUS)]
    columns = [Column(name, align="left") for name in groups]
    columns += [
        Column(name, COLUMNS.get(name, name), format=Shortest(4)) for name in (*COLUMNS, *others)
    ]
    return Table(columns, rows).lines()


def _lost(counts: Counts) -> list[str]:
    from ..numeric.data.rows import those_dropped

    return [those_dropped(counts.dropped)] if counts.dropped else []


def _notes(curve: Curve, error: str) -> list[str]:
    """What is unknown or infinite, and why."""
    import numpy as np

    from ..numeric.words import counted

    counts, notes = curve.counts, []
    for place, k in enumerate(curve.ks.tolist()):
        nobody = [
            name for name, n in zip(counts.names, curve.n_problems[:, place], strict=True) if not n
        ]
        if len(nobody) == len(counts):
            notes.append(
                f"k = {k}: every problem has fewer samples, the most being {int(counts.n.max())}; "
                f"nothing can be said"
            )
        elif nobody:
            notes.append(
                f"k = {k}: every problem has fewer samples in {counted(len(nobody), 'group')} "
                f"({_some(nobody)})"
            )
    alone = [name for name, n in zip(counts.names, counts.n_problems, strict=True) if n == 1]
    if alone and error == "problems":
        notes.append(
            f"se is unknown for one problem ({_some(alone)}); --se samples gives that of its "
            f"samples"
        )
    correct, samples = (
        np.bincount(counts.group, each, len(counts)) for each in (counts.c, counts.n)
    )
    for is_so, what in (
        (correct == 0, "no correct sample: pass@k = 0 and -log pass@k = inf"),
        (correct == samples, "every sample correct"),
    ):
        if found := [name for name, so in zip(counts.names, is_so, strict=True) if so]:
            notes.append(f"{counted(len(found), 'group')} with {what} ({_some(found)})")
    if (curve.n_refused > 0).any():
        notes.append(
            "refused: problems with fewer than k samples; the mean is over the others, which need "
            "not be like them"
        )
    return notes


def _some(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
