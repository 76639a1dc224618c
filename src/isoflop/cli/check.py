"""isoflop check: the derived envelope against compute laws that were fitted directly, on runs or in
the published tables.
"""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_output, takes_one
from .errors import DONE, INTERRUPTED, NEGATIVE, NO_VERDICT, UsageError, blamed
from .render import TABLES, written
from .run_options import (
    check_figure,
    is_terminal,
    say_interrupted,
    share,
    target,
    whole,
)
from .tables import TableOptions, declare_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Options

#: Argument of the library -> option, where they are not called alike.
OPTION_OF = {"draws": "--bootstrap"}
SUMMARY = "the derived envelope against compute laws fitted directly: your runs, or tables"
FORMATS = ("text", "json", *TABLES)
STATUSES = {"consistent": DONE, "inconsistent": NEGATIVE, "cannot tell": NO_VERDICT}
OF_RUNS = (
    *("--column", "--where", "--random-baseline", "--bootstrap", "--seed", "--tolerance"),
    *("--compute", "--explain"),
)


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop check",
        [
            "RUNS [--column NAME=COLUMN] ... [--where CONDITION] [--plot FILE]",
            "RUNS [--tolerance SHARE] [--bootstrap N --seed S] ...",
            "[--plot FILE]",
        ],
        "With RUNS: fits the params+tokens law, derives its envelope and sets it beside every "
        "compute law\n"
        "that the same runs allow: the frontier of the runs, isoFLOP minima, runs at a fixed D/N "
        "(there\n"
        "beside the law's own ray); and tests whether the law fits its runs at all. Exit status 0:\n"
        "consistent, 1: inconsistent, 3: cannot tell.\n"
        "Without: for each of 12 published benchmarks the exponent of the envelope that follows "
        "from the\n"
        "params+tokens law, the local exponent of that law at the tokens per param of the runs, "
        "and the\n"
        "compute law that was fitted to the runs directly, with the largest difference in "
        "accuracy.",
        [
            "isoflop check runs.csv",
            "isoflop check runs.csv --where 'loss < 4.5' --tolerance 2% --plot check.pdf",
            "isoflop check runs.csv --compute 1e24 --explain",
            "isoflop check runs.csv --bootstrap 2000 --seed 1 --format json",
            "isoflop check",
        ],
    )
    declare_runs(built)
    group = built.add_argument_group("check of runs")
    for option, metavar, said in (
        ("--bootstrap", "N", "resamples, at least 20; default: 1000"),
        ("--seed", "S", "of the resamples; default: 0"),
        (
            "--tolerance",
            "SHARE",
            "largest relative difference in loss that counts as agreement; default: 1%",
        ),
        ("--compute", "C", "FLOP at which N*, D* and L* are given; default: the largest"),
    ):
        takes_one(group, option, metavar, said)
    group.add_argument("--explain", action="store_true", help="say what the columns mean")
    declare_output(
        built, *FORMATS, plot="draw the laws against compute, and with RUNS the isoFLOP profiles"
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form, path = options.chosen("--format", FORMATS), target(options, "--plot")
    if path is not None:
        check_figure(path)
    if options.words(POSITIONAL) is None:
        return _of_tables(options, form, path), DONE  # these describe, they judge nothing
    result = _of_runs(options)
    if path is not None:
        _draw(result.plot(), path)
    explains = form == "text" and "--explain" in options
    text = result.explained() if explains else written(form, result, result.as_dict())
    if result.interrupted:
        say_interrupted("the bands are of the resamples that were done")
        return text, INTERRUPTED
    return text, STATUSES[result.verdict]


def _of_tables(options: Options, form: str, path: str | None) -> str:
    """The check of the published tables."""
    for option in options.given(*OF_RUNS):
        raise UsageError(f"{option}: is for a check of RUNS; name a file of runs")
    from ..numeric.check.published import check_published

    result = check_published()
    if path is not None:
        from ..numeric.plot.check import plot_check

        _draw(plot_check(result), path)
    return written(form, result, result.as_dict())


def _of_runs(options: Options) -> Any:
    """The check of a file of runs."""
    table = TableOptions(options, "runs")
    settings: dict[str, Any] = {
        "draws": whole(options, "--bootstrap", least=20),
        "seed": whole(options, "--seed", least=0),
        "tolerance": share(options, "--tolerance"),
        "compute": options.positive("--compute"),
    }
    runs = table.runs("params", "tokens", "loss")
    from ..numeric.check.runs import check

    given = {name: value for name, value in settings.items() if value is not None}
    return check(runs, progress=is_terminal(sys.stderr), **given)


def _draw(figure: Any, path: str) -> None:
    from ..numeric.plot.panels import save

    try:
        save(figure, path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
