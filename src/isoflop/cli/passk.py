"""isoflop passk: pass@k and -log pass@k from counts of samples."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, add_list, add_output, whole
from .output import DONE, NO_VERDICT, json_text, say
from .tables import add_table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "pass@k from counts of samples"
HELP = """\
isoflop passk COUNTS [--k K ...]

For each model and k: the mean over its problems of the unbiased estimate of pass@k, its standard
error, -log of it, the number of problems, of those without a correct sample, and of those that
were refused because they have fewer than k samples. Exit status 3: there is no estimate at any k.

examples:
  isoflop passk counts.csv
  isoflop passk counts.csv --k 1 10 100 --column benchmark= --format json
  isoflop passk counts.csv --k 1 10 100 --where 'n_samples >= 100' --format csv
"""
HEADINGS = {"pass_at_k": "pass@k", "neg_log": "-log\npass@k"}
HEADINGS |= {"n_problems": "problems", "n_unsolved": "unsolved", "n_refused": "refused"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    quantities, example = "problem, n_samples, n_correct, model or benchmark", "'n_samples >= 128'"
    add_table(built, "COUNTS", "counts", quantities, example)
    group = built.add_argument_group("pass@k")
    usual = "draws; default: 1, 2, 4, ... up to the fewest samples of any problem"
    add_list(group, "--k", "K", usual, whole(1), dest="ks")
    add_output(built, "text", "json", "csv")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status: 3 where no k has an estimate."""
    from ..numeric.data.counts import Counts
    from ..numeric.passk.curve import curve, stopped
    from ..numeric.results import records

    read = view(args, Counts)
    powers = [2**power for power in range(int(read.n.min()).bit_length())]
    found = curve(read, powers if args.ks is None else args.ks)
    status = DONE if found.n_problems.any() else NO_VERDICT
    notes = [*read.notes, *(f"{reason}: estimates are too high" for reason in stopped(read))]
    if args.format != "text":
        say("note", *notes)
        data = json_text(records(found)) if args.format == "json" else found.to_csv(index=False)
        return data, status
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    columns = [
        Column(
            name,
            HEADINGS.get(name, name),
            format=Shortest(4),
            align="left" if name in read.by else "right",
        )
        for name in found
    ]
    if (found.n_refused > 0).any():
        notes.append("refused: problems with fewer than k samples; the mean is over the others")
    shown = Table(columns, records(found)).text()
    return "\n".join([shown, *(f"note: {clean(note)}" for note in notes)]), status
