"""isoflop check: the derived envelope against compute laws that were fitted directly, on runs or in
the published tables.
"""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NEGATIVE, NO_VERDICT, UsageError, blamed, shown
from .render import TABLES, json_text, tables_text
from .run_options import (
    OBJECTIVES,
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
OPTION_OF = {"ratios": "--ratio"}
SUMMARY = "the derived envelope against compute laws fitted directly: your runs, or tables"
FORMATS = ("text", "json", *TABLES)
#: A quantile is not what minima and frontiers estimate.
STATUSES = {"consistent": DONE, "inconsistent": NEGATIVE, "cannot tell": NO_VERDICT}
OF_RUNS = ("--column", "--where", "--random-baseline")
OF_CHECK = (
    *("--objective", "--bootstrap", "--seed", "--level", "--tolerance", "--ratio", "--compute"),
    "--explain",
)


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop check",
        [
            "RUNS [--column NAME=COLUMN] ... [--where CONDITION] [--plot FILE]",
            "RUNS [--objective NAME] [--tolerance SHARE] [--bootstrap N --seed S] ...",
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
            "isoflop check runs.csv --ratio 20 --compute 1e24 --explain",
            "isoflop check runs.csv --bootstrap 2000 --seed 1 --format json",
            "isoflop check",
        ],
    )
    declare_runs(built)
    fitting = built.add_argument_group("check of runs")
    takes_one(
        fitting,
        "--objective",
        "NAME",
        f"of the params+tokens fit: {', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}",
    )
    takes_one(fitting, "--bootstrap", "N", "resamples, at least 20; default: 1000")
    takes_one(fitting, "--seed", "S", "of the resamples; default: 0")
    takes_one(fitting, "--level", "SHARE", "coverage of intervals and bands; default: 0.9")
    takes_one(
        fitting,
        "--tolerance",
        "SHARE",
        "largest relative difference in loss that counts as agreement; default: 1%",
    )
    takes_several(
        fitting,
        "--ratio",
        "R",
        "the D/N whose runs are compared with their ray; default: of those that a tenth of the "
        "runs share, the nearest to the D*/N* of the fitted law",
    )
    takes_one(
        fitting, "--compute", "C", "FLOP at which N*, D* and L* are given; default: the largest"
    )
    fitting.add_argument("--explain", action="store_true", help="say what the columns mean")
    declare_output(
        built, *FORMATS, plot="draw the laws against compute, and with RUNS the isoFLOP profiles"
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    on_runs = options.words(POSITIONAL) is not None
    for option in () if on_runs else options.given(*OF_RUNS, *OF_CHECK):
        given = shown(" ".join(options.words(option) or ()))
        raise UsageError(f"{option} {given}: is for a check of RUNS; name a file of runs")
    path = target(options, "--plot")
    if path is not None:
        check_figure(path)
    result = _of_runs(options) if on_runs else _of_tables()
    if path is not None:
        _draw(result, path, on_runs=on_runs)
    if form == "json":
        text = json_text(result.as_dict())
    else:
        page = result.explained() if "--explain" in options else str(result)
        text = tables_text(result.tables(), form) if form in TABLES else page
    if not on_runs:
        return text, DONE  # the verdicts on the tables describe, they judge nothing
    if result.interrupted:
        say_interrupted("the bands are of the resamples that were done")
        return text, INTERRUPTED
    return text, STATUSES[result.verdict]


def _of_tables() -> Any:
    from ..numeric.check.published import check_published

    return check_published()


def _of_runs(options: Options) -> Any:
    table = TableOptions(options, "runs")
    ratios = options.positives("--ratio")
    settings: dict[str, Any] = {
        "objective": options.chosen("--objective", OBJECTIVES),
        "bootstrap": whole(options, "--bootstrap", least=20),
        "seed": whole(options, "--seed", least=0),
        "level": share(options, "--level"),
        "tolerance": share(options, "--tolerance"),
        "ratios": None if ratios is None else [value for _, value in ratios],
        "compute": options.positive("--compute"),
    }
    runs = table.runs("params", "tokens", "loss")
    from ..numeric.check.runs import check

    given = {name: value for name, value in settings.items() if value is not None}
    return check(runs, progress=is_terminal(sys.stderr), **given)


def _draw(result: Any, path: str, *, on_runs: bool) -> None:
    from ..numeric.plot import check
    from ..numeric.plot.panels import save

    try:
        save(check.plot_check_runs(result) if on_runs else check.plot_check(result), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
