"""isoflop check: the derived envelope against compute laws that were fitted directly, on runs or in
the published tables.
"""

from __future__ import annotations

import sys

from .arguments import MOST_RESAMPLES, Parser, add, add_output, add_switch, flop, share, whole
from .output import DONE, NEGATIVE, NO_VERDICT, answer, is_terminal
from .tables import add_table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "the derived envelope against compute laws fitted directly: your runs, or tables"
HELP = """\
isoflop check RUNS [--column NAME=COLUMN] ... [--where CONDITION] [--plot FILE]
isoflop check RUNS [--tolerance SHARE] [--bootstrap N] [--compute C] ...
isoflop check

With RUNS: fits the params+tokens law, derives its envelope and compares it with every compute law
that the same runs allow: the frontier of the runs, isoFLOP minima, and runs at a fixed D/N (which
are compared with the law's own ray); and tests whether the law fits its runs at all. Exit status
0: consistent, 1: inconsistent, 3: cannot tell.
Without RUNS: for each of 12 published benchmarks the exponent of the envelope that follows from
the params+tokens law, the local exponent of that law at the tokens per param of the runs, and that
of the compute law fitted to the runs directly, with the largest difference in accuracy.

examples:
  isoflop check runs.csv
  isoflop check runs.csv --where 'loss < 4.5' --tolerance 2% --plot check.pdf
  isoflop check runs.csv --compute 1e24 --explain
  isoflop check runs.csv --bootstrap 2000 --format json
  isoflop check
"""
STATUSES = {"consistent": DONE, "inconsistent": NEGATIVE, "cannot tell": NO_VERDICT}
SETTINGS = ("draws", "tolerance", "compute")


def parser() -> Parser:
    """The parser of this command."""
    built = Parser(HELP)
    quantities = "params, tokens, compute, loss or group"
    add_table(built, "RUNS", "runs", quantities, "'loss < 4.5'", nargs="?")
    group = built.add_argument_group("check of runs")
    many = "resamples, at least 61; default: 1000"
    add(group, "--bootstrap", "N", many, whole(61, MOST_RESAMPLES), dest="draws")
    agreement = "largest relative difference in loss that counts as agreement; default: 1%"
    add(group, "--tolerance", "SHARE", agreement, share)
    at = "FLOP at which N*, D* and L* are given; default: the largest"
    add(group, "--compute", "C", at, flop)
    add_switch(group, "--explain", "explain the columns")
    plot = "draw the laws against compute and the isoFLOP profiles"
    add_output(built, "text", "json", "latex", plot=plot)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The output and the exit status of the command."""
    settings = {name: x for name in SETTINGS if (x := getattr(args, name)) is not None}
    if args.table is None:  # the check of published tables has no verdict
        others = ("columns", "where", "explain", "plot")
        given = [*settings, *(x for x in others if getattr(args, x))]
        for name in given:
            raise ValueError(f"{name}={getattr(args, name)}: is for a check of RUNS; name a file")
        from ..numeric.check.published import check_published

        return answer(args, check_published()), DONE
    from ..numeric.check.runs import check
    from ..numeric.data.runs import Runs

    runs = view(args, Runs, require=("params", "tokens", "loss"))
    result = check(runs, progress=is_terminal(sys.stderr), **settings)
    text = answer(args, result)
    if args.explain and args.format == "text":
        text = result.explained()
    return text, STATUSES[result.verdict]
