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

    from .arguments import Options

    Rows = list[dict[str, Any]]

SUMMARY = "pass@k from counts of samples, and whether a table of pass@k is possible"
HELP = """\
isoflop passk COUNTS [--k K ...] [--by COLUMN,...] [--models TABLE] [--se problems|samples]
isoflop passk COUNTS|ESTIMATES --check ...

For each model and k: the mean over its problems of the unbiased estimate of pass@k, its standard
error (of samples for k up to half of them), -log of it, how many problems it is of, how many of
these have no correct sample, and how many were refused: those with fewer than k samples. With
--check: which values of pass@k, from counts or in a table of k and pass@k, no distribution of
success rates can produce. Exit status 0: none, 1: some; without --check 3: no estimate at any k.

examples:
  isoflop passk counts.csv --k 1 10 100 --by model --format json
  isoflop passk counts.csv --k 1 10 100 --where 'n_samples >= 100' --format csv
  isoflop passk pass_at_k.csv --check
"""
HEADINGS = {"pass_at_k": "pass@k", "neg_log": "-log\npass@k", "excess": "off by"}
HEADINGS |= {"n_problems": "problems", "n_unsolved": "unsolved", "n_refused": "refused"}
#: Entries that --check shows as text, and the columns of them.
MOST_SHOWN = 20
ENTRY = ("row", "inequality", "k", "pass_at_k", "bound", "excess")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    declare_counts(built)
    asked = built.add_argument_group("pass@k")
    usual = "draws; default: 1, 2, 4, ... up to the fewest samples of any problem"
    takes(asked, "--k", "K", usual, whole(1), "list", distinct=True)
    of_what = "standard error for other problems of their kind, or for these problems"
    takes_choice(asked, "--se", ("problems", "samples"), of_what)
    asked.add_argument("--check", action="store_true", help="which values are not possible")
    declare_output(built, "text", "json", "csv")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 1 where --check finds a value that is not possible, 3
    where no k has an estimate.
    """
    from ..numeric.data.metrics import kind_of
    from ..numeric.data.rows import lost_rows
    from ..numeric.passk.curve import curve, impossible, stopped

    form, draws, error = (options[name] for name in ("--format", "--k", "--se"))
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
        return _checked(impossible(data, where=options["--where"], **how), data.source, form)
    read = counts(options, data)
    powers = [2**power for power in range(int(read.n.min()).bit_length())]
    found = curve(read, powers if draws is None else draws, se=error)
    if is_check:
        return _checked(impossible(found, by=read.by), data.source, form)
    if options.given("--models", "--gold"):
        ks = found.k.nunique()
        found = found.assign(**{name: x.repeat(ks) for name, x in read.covariates.items()})
    status = DONE if found.n_problems.any() else NO_VERDICT
    notes = [*read.warnings, *filter(None, [lost_rows(0, read.dropped)])]
    notes += [f"{said}: estimates are too high" for said in stopped(read)]
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    if form == "text":
        few = "refused: problems with fewer than k samples; the mean is over the others"
        notes += [few] if (found.n_refused > 0).any() else []
        return _text(read.by, rows, notes), status
    say("note", *notes)
    return (json_text(rows) if form == "json" else csv_text(rows)), status


def _checked(rows: Rows, source: str, form: str) -> tuple[str, int]:
    """The entries that are not possible; as text those that are farthest off."""
    from ..numeric.passk.curve import STATEMENTS

    status = NEGATIVE if rows else DONE
    if form == "json":
        return json_text(rows), status
    if form == "csv":
        return csv_text(rows, None if rows else ENTRY), status
    if not rows:
        return f"every value of pass@k from {source} is possible", status
    largest = sorted(rows, key=lambda row: -float(row["excess"]))[:MOST_SHOWN]
    notes = [
        f"{name}: {STATEMENTS[name]}" for name in dict.fromkeys(row["inequality"] for row in rows)
    ]
    groups = [name for name in rows[0] if name not in ENTRY]
    title = f"Values that are not possible, the largest of {len(rows)}"
    return _text((*groups, "inequality"), largest, notes, title), status


def _text(left: Sequence[str], rows: Rows, notes: Sequence[str], title: str = "") -> str:
    """The rows as a table, these columns to the left, and notes below."""
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    columns = []
    for name in rows[0]:
        align: Any = "left" if name in left else "right"
        columns.append(Column(name, HEADINGS.get(name, name), format=Shortest(4), align=align))
    shown = Table(columns, rows, title).text()
    return "\n".join([shown, *(f"note: {clean(note)}" for note in notes)])
