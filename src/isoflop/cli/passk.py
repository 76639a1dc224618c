"""isoflop passk: pass@k and -log pass@k from counts of samples, and a check of tables of pass@k."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, add_list, add_output, add_switch, whole
from .output import DONE, NEGATIVE, NO_VERDICT, json_text, say
from .tables import add_table, table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    Rows = list[dict[str, Any]]

SUMMARY = "pass@k from counts of samples, and whether a table of pass@k is possible"
HELP = """\
isoflop passk COUNTS [--k K ...]
isoflop passk COUNTS|ESTIMATES --check ...

For each model and k: the mean over its problems of the unbiased estimate of pass@k, its standard
error, -log of it, the number of problems, of those without a correct sample, and of those that
were refused because they have fewer than k samples. With --check: the values of pass@k, from counts
or in a table of k and pass@k, that no distribution of success rates can produce. Exit status 0:
there are none, 1: there are some; without --check 3: there is no estimate at any k.

examples:
  isoflop passk counts.csv --k 1 10 100 --column benchmark= --format json
  isoflop passk counts.csv --k 1 10 100 --where 'n_samples >= 100' --format csv
  isoflop passk pass_at_k.csv --check
"""
HEADINGS = {"pass_at_k": "pass@k", "neg_log": "-log\npass@k", "excess": "off by"}
HEADINGS |= {"n_problems": "problems", "n_unsolved": "unsolved", "n_refused": "refused"}
#: The most entries that --check shows as text, and their columns.
MOST_SHOWN = 20
ENTRY = ("row", "inequality", "k", "pass_at_k", "bound", "excess")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    quantities, example = "problem, n_samples, n_correct, model or benchmark", "'n_samples >= 128'"
    add_table(built, "COUNTS", "counts", quantities, example)
    group = built.add_argument_group("pass@k")
    usual = "draws; default: 1, 2, 4, ... up to the fewest samples of any problem"
    add_list(group, "--k", "K", usual, whole(1), dest="ks")
    add_switch(group, "--check", "list the values that are not possible")
    add_output(built, "text", "json", "csv")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status: 1 where --check finds a value that is not possible, 3
    where no k has an estimate.
    """
    from ..numeric.data.columns import kind_of
    from ..numeric.data.counts import Counts, PassTable
    from ..numeric.passk.curve import curve, impossible, stopped
    from ..numeric.results import records

    held = table(args)
    if kind_of(held, args.columns) == "pass@k":
        if not args.check:
            complaint = f"{held.source}: holds pass@k already and no counts"
            raise ValueError(f"{complaint}; --check tells whether its values are possible")
        if args.ks:
            raise ValueError(f"ks={args.ks}: is for counts, not for pass@k")
        estimates = view(args, PassTable, held)
        say("note", *estimates.notes)
        return _checked(impossible(estimates), held.source, args.format)
    read = view(args, Counts, held)
    powers = [2**power for power in range(int(read.n.min()).bit_length())]
    found = curve(read, powers if args.ks is None else args.ks)
    if args.check:
        return _checked(impossible(found), held.source, args.format)
    status = DONE if found.n_problems.any() else NO_VERDICT
    notes = [*read.notes, *(f"{reason}: estimates are too high" for reason in stopped(read))]
    rows = records(found)
    if args.format == "text":
        few = "refused: problems with fewer than k samples; the mean is over the others"
        notes += [few] if (found.n_refused > 0).any() else []
        return _text(read.by, rows, notes), status
    say("note", *notes)
    return (json_text(rows) if args.format == "json" else found.to_csv(index=False)), status


def _checked(rows: Rows, source: str, form: str) -> tuple[str, int]:
    """The entries that are not possible; as text, those that are farthest off."""
    from ..numeric.passk.curve import STATEMENTS

    status = NEGATIVE if rows else DONE
    if form == "json":
        return json_text(rows), status
    if form == "csv":
        from pandas import DataFrame

        columns = [*rows[0]] if rows else ENTRY
        return DataFrame(rows, columns=columns).to_csv(index=False), status
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
    """The rows as a table with notes below it; the columns of `left` are aligned to the left."""
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    columns = []
    for name in rows[0]:
        align: Any = "left" if name in left else "right"
        columns.append(Column(name, HEADINGS.get(name, name), format=Shortest(4), align=align))
    shown = Table(columns, rows, title).text()
    return "\n".join([shown, *(f"note: {clean(note)}" for note in notes)])
