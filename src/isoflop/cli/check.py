"""isoflop check: the derived envelope against compute laws that were fitted directly, on runs or in
the published tables.
"""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_output, takes
from .domains import flop, share, whole
from .errors import DONE, INTERRUPTED, NEGATIVE, NO_VERDICT, UsageError, shown
from .render import TABLES, draw, written
from .streams import is_terminal, say
from .tables import declare_runs, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import Options

SUMMARY = "the derived envelope against compute laws fitted directly: your runs, or tables"
HELP = """\
isoflop check RUNS [--column NAME=COLUMN] ... [--where CONDITION] [--plot FILE]
isoflop check RUNS [--tolerance SHARE] [--bootstrap N --seed S] ...
isoflop check [--plot FILE]

With RUNS: fits the params+tokens law, derives its envelope and sets it beside every compute law
that the same runs allow: the frontier of the runs, isoFLOP minima, runs at a fixed D/N (there
beside the law's own ray); and tests whether the law fits its runs at all. Exit status 0:
consistent, 1: inconsistent, 3: cannot tell.
Without: for each of 12 published benchmarks the exponent of the envelope that follows from the
params+tokens law, the local exponent of that law at the tokens per param of the runs, and the
compute law that was fitted to the runs directly, with the largest difference in accuracy.

examples:
  isoflop check runs.csv
  isoflop check runs.csv --where 'loss < 4.5' --tolerance 2% --plot check.pdf
  isoflop check runs.csv --compute 1e24 --explain
  isoflop check runs.csv --bootstrap 2000 --seed 1 --format json
  isoflop check
"""
FORMATS = ("text", "json", *TABLES)
STATUSES = {"consistent": DONE, "inconsistent": NEGATIVE, "cannot tell": NO_VERDICT}
#: Argument of the library -> option.
SETTINGS = {"draws": "--bootstrap"}
SETTINGS |= {name: f"--{name}" for name in ("seed", "tolerance", "compute")}
OF_RUNS = (*SETTINGS.values(), "--column", "--where", "--explain")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    declare_runs(built)
    built.file = ""  # without one the published tables are checked
    group = built.add_argument_group("check of runs")
    many = "resamples, at least 61; default: 1000"
    takes(group, "--bootstrap", "N", many, whole(61), sets="draws")
    takes(group, "--seed", "S", "of the resamples; default: 0", whole(0))
    agreement = "largest relative difference in loss that counts as agreement; default: 1%"
    takes(group, "--tolerance", "SHARE", agreement, share)
    at = "FLOP at which N*, D* and L* are given; default: the largest"
    takes(group, "--compute", "C", at, flop)
    group.add_argument("--explain", action="store_true", help="say what the columns mean")
    declare_output(
        built, *FORMATS, plot="draw the laws against compute, and with RUNS the isoFLOP profiles"
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options["--format"]
    tables = options.words(POSITIONAL)
    if len(tables) > 1:
        raise UsageError(f"unexpected argument {shown(tables[1])}: one file at a time")
    if not tables:
        return _of_tables(options, form), DONE  # these describe, they judge nothing
    settings = {name: options[option] for name, option in SETTINGS.items() if option in options}
    read = runs(options, "params", "tokens", "loss")
    from ..numeric.check.runs import check

    result = check(read, progress=is_terminal(sys.stderr), **settings)
    draw(options, result.plot)
    explains = form == "text" and "--explain" in options
    text = result.explained() if explains else written(form, result)
    if 0 < result.done < result.draws:
        say("interrupted", "the bands are of the resamples that were done")
        return text, INTERRUPTED
    return text, STATUSES[result.verdict]


def _of_tables(options: Options, form: str) -> str:
    """The check of the published tables."""
    for option in options.given(*OF_RUNS):
        raise UsageError(f"{option}: is for a check of RUNS; name a file of runs")
    from ..numeric.check.published import check_published

    result = check_published()
    draw(options, result.plot)
    return written(form, result)
