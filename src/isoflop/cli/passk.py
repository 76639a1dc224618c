"""isoflop passk: pass@k and -log pass@k from counts of samples, and whether a table of them is
possible.
"""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes, takes_choice
from .domains import whole
from .errors import DONE, NEGATIVE, NO_VERDICT, UsageError, shown
from .render import csv_text, json_text
from .streams import say
from .tables import columns, counts, declare_counts, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.passk.curve import Curve
    from ..theory.typeset.table import Table
    from .arguments import Options

SUMMARY = "pass@k from counts of samples, and whether a table of pass@k is possible"
HELP = """\
isoflop passk COUNTS [--k K ...] [--by COLUMN,...] [--models TABLE] [--se problems|samples]
isoflop passk COUNTS|ESTIMATES --check ...

For each model and k: the mean over its problems of the unbiased estimate of pass@k, its standard
error, -log of it, how many problems it is of, how many of these have no correct sample, and how
many were refused: those with fewer than k samples. JSON and CSV have besides a status: estimate,
no success, all solved, or refused. With --check: which values of pass@k, from counts or in a
table of k and pass@k, no distribution of success rates can produce. Exit status 0: none, 1:
some; without --check 3: no estimate at any k.

examples:
  isoflop passk counts.csv --k 1,10,100 --by model --format json
  isoflop passk counts.csv --k 1 10 100 --where 'n_samples >= 100' --format csv
  isoflop passk pass_at_k.csv --check
"""
FORMATS = ("text", "json", "csv")
ERRORS = ("problems", "samples")
#: Columns of the text after those that name the group, with their headings.
COLUMNS = {
    "k": "k",
    "pass_at_k": "pass@k",
    "se": "se",
    "neg_log": "-log\npass@k",
    "n_problems": "problems",
    "n_unsolved": "unsolved",
    "n_refused": "refused",
}
#: Entries that --check shows as text, what a record of one holds after its group, and groups that
#: one note names.
MOST_SHOWN, MOST_NAMED = 20, 3
ENTRY = ("row", "inequality", "k", "pass_at_k", "bound", "excess", "others")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    declare_counts(built)
    asked = built.add_argument_group("pass@k")
    usual = "draws; default: 1, 2, 4, ... up to the fewest samples of any problem"
    takes(asked, "--k", "K", usual, whole(1), "list", distinct=True)
    of_what = "standard error for other problems of their kind, or for these problems"
    takes_choice(asked, "--se", ERRORS, of_what)
    shape = "which values are not from 0 to 1, rising and concave in k"
    asked.add_argument("--check", action="store_true", help=shape)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 1 where --check finds a value that is not possible, 3
    where no k has an estimate.
    """
    from ..numeric.data.metrics import kind_of
    from ..numeric.data.rows import those_dropped
    from ..numeric.passk.curve import curve, stopped
    from ..numeric.passk.inequalities import impossible

    form = options["--format"]
    draws, error = options["--k"], options["--se"]
    data, is_check = table(options), "--check" in options
    if is_check and "--se" in options:
        raise UsageError(f"--se {shown(error)}: is for estimates, without --check")
    if kind_of(data, columns(options)) == "pass@k":
        if not is_check:
            there = f"{data.source}: holds pass@k already and no counts"
            raise UsageError(f"{there}; --check tells whether its values are possible")
        for option in options.given("--k", "--models", "--gold"):
            words = shown(options.spelt(option))
            raise UsageError(f"{option} {words}: is for counts; {data.source} holds pass@k")
        how: Any = {"columns": columns(options) or None, "by": options["--by"]}
        wrong = impossible(data, where=options["--where"], **how)
        return _checked(wrong, data.source, form)
    read = counts(options, data)
    powers = [2**power for power in range(int(read.n.min()).bit_length())]
    found = curve(read, powers if draws is None else draws)
    if is_check:
        return _checked(impossible(found), data.source, form)
    rows = _rows(found, error, covariates=bool(options.given("--models", "--gold")))
    status = DONE if found.n_problems.any() else NO_VERDICT
    doubts = [f"{said}: estimates are too high" for said in stopped(read)]
    about = [*read.warnings, *([those_dropped(read.dropped)] if read.dropped else [])]
    if form == "text":
        notes = [f"note: {clean(note)}" for note in (*about, *_notes(found, error))]
        above = [f"warning: {doubt}" for doubt in doubts]
        return "\n".join([*above, *_table(read.by, rows).lines(), *notes]), status
    say("note", *doubts, *about)
    return (json_text(rows) if form == "json" else csv_text(rows)), status


def _checked(rows: list[dict[str, Any]], source: str, form: str) -> tuple[str, int]:
    """The entries that are not possible; as text those that are farthest off."""
    from ..numeric.passk.inequalities import STATEMENTS
    from ..theory.typeset.numbers import Significant
    from ..theory.typeset.table import Column, Table

    status = NEGATIVE if rows else DONE
    if form == "json":
        return json_text(rows), status
    if form == "csv":
        cells = [row | {"others": " ".join(map(str, row["others"]))} for row in rows]
        return csv_text(cells, None if cells else ENTRY), status
    if not rows:
        return f"every value of pass@k from {source} is possible", status
    largest = sorted(rows, key=lambda row: -float(row["excess"]))[:MOST_SHOWN]
    six, three = Significant(6), Significant(3)
    columns = [Column(name, align="left") for name in rows[0] if name not in ENTRY]
    columns += [Column("row"), Column("inequality", align="left"), Column("k")]
    columns += [Column("pass_at_k", "pass@k", format=six), Column("bound", format=six)]
    columns += [Column("others", "by k", of=lambda row: ", ".join(map(str, row["others"])))]
    columns += [Column("excess", "off by", format=three)]
    title = f"Values that are not possible, the largest of {len(rows)}"
    notes = [f"{name}: {STATEMENTS[name]}" for name in {row["inequality"]: None for row in rows}]
    return Table(columns, largest, title, notes).text(), status


def _rows(curve: Curve, error: str, *, covariates: bool) -> list[dict[str, Any]]:
    """The rows with None for what is unknown; status tells why."""
    rows = curve.rows()
    if error == "samples":
        for row, value in zip(rows, curve.se_sampling.ravel().tolist(), strict=True):
            row["se"] = value if row["status"] == "estimate" else None
    for index, row in enumerate(rows if covariates else ()):
        group = index // len(curve.ks)
        row |= {name: float(held[group]) for name, held in curve.counts.covariates.items()}
    return [
        {name: None if value != value else value for name, value in row.items()}  # NaN
        for row in rows
    ]


def _table(groups: Sequence[str], rows: Sequence[dict[str, Any]]) -> Table:
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    columns, four = [Column(name, align="left") for name in groups], Shortest(4)
    shown = dict.fromkeys((*COLUMNS, *(name for name in rows[0] if name != "status")))
    names = (name for name in shown if name not in groups)
    columns += [Column(name, COLUMNS.get(name, name), format=four) for name in names]
    return Table(columns, rows)


def _notes(curve: Curve, error: str) -> list[str]:
    """What is unknown or infinite, and why."""
    counts, notes = curve.counts, []
    unknown = [str(k) for k, n in zip(curve.ks, curve.n_problems.T, strict=True) if not n.any()]
    if unknown:
        most = f"every problem has fewer samples, the most being {int(counts.n.max())}"
        notes.append(f"k = {', '.join(unknown)}: {most}; nothing can be said")
    elif (curve.n_refused > 0).any():
        others = "the mean is over the others, which need not be like them"
        notes.append(f"refused: problems with fewer than k samples; {others}")
    status, alone = curve.status, (counts.n_problems == 1) & (error == "problems")
    for is_so, what in (
        ((status == "no success").any(axis=1), "no success: pass@k = 0 and -log pass@k = inf"),
        ((status == "all solved").any(axis=1), "pass@k = 1"),
        (alone, "one problem; --se samples has the error of its samples"),
    ):
        if some := [name for name, so in zip(counts.names, is_so, strict=True) if so]:
            rest = f" and {len(some) - MOST_NAMED} more" if len(some) > MOST_NAMED else ""
            notes.append(f"{', '.join(some[:MOST_NAMED])}{rest}: {what}")
    return notes
