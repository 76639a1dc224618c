"""isoflop check: the derived envelope against compute laws that were fitted directly, on runs or in
the published tables.
"""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NEGATIVE, NO_VERDICT, UsageError, blamed, shown, typed
from .render import json_text
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

    from ..numeric.check.published import PublishedCheck
    from ..numeric.check.runs_result import RunsCheck
    from .arguments import Options

#: Argument of the library -> option, where they are not called alike.
OPTION_OF = {"ratios": "--ratio"}
SUMMARY = "the derived envelope against compute laws fitted directly: your runs, or tables"
FORMATS = ("text", "json")
#: A quantile is not what minima and frontiers estimate.
CENTRAL = tuple(name for name in OBJECTIVES if name != "pinball-log")
STATUSES = {"consistent": DONE, "inconsistent": NEGATIVE, "cannot tell": NO_VERDICT}
OF_TABLES = ("--compute-range",)
OF_RUNS = (
    "--column",
    "--where",
    "--random-baseline",
    "--objective",
    "--delta",
    "--bootstrap",
    "--seed",
    "--level",
    "--tolerance",
    "--budget-tolerance",
    "--ratio-tolerance",
    "--ratio",
)


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop check",
        [
            "RUNS [--column NAME=COLUMN] ... [--where CONDITION] [--plot FILE]",
            "RUNS [--objective NAME] [--tolerance SHARE] [--bootstrap N --seed S] ...",
            "[--compute-range LO HI] [--plot FILE]",
        ],
        "With RUNS: fits the params+tokens law, derives its envelope and sets it beside every "
        "compute law\n"
        "that the same runs allow: the frontier of the runs, isoFLOP minima, runs at a fixed D/N "
        "(there\n"
        "beside the law's own ray). Exit status 0: consistent, 1: inconsistent, 3: cannot tell.\n"
        "Without: for each of 12 published benchmarks the exponent of the envelope that follows "
        "from the\n"
        "params+tokens law, the local exponent of that law at the tokens per param of the runs, "
        "and the\n"
        "compute law that was fitted to the runs directly, with the largest difference in "
        "accuracy.",
        [
            "isoflop check runs.csv",
            "isoflop check runs.csv --where 'loss < 4.5' --tolerance 2% --plot check.pdf",
            "isoflop check runs.csv --ratio 10 20",
            "isoflop check runs.csv --bootstrap 2000 --seed 1 --format json",
            "isoflop check",
            "isoflop check --compute-range 1e20 1e24 --format json",
        ],
    )
    declare_runs(built)
    fitting = built.add_argument_group("check of runs")
    takes_one(
        fitting,
        "--objective",
        "NAME",
        f"of the params+tokens fit: {', '.join(CENTRAL)}; default: {CENTRAL[0]}",
    )
    takes_one(fitting, "--delta", "NUMBER", "where Huber's function turns linear; default: 1e-3")
    takes_one(
        fitting,
        "--bootstrap",
        "N",
        "resamples behind intervals and bands, at least 20; default: 1000",
    )
    takes_one(fitting, "--seed", "S", "of the resamples; default: 0")
    takes_one(fitting, "--level", "SHARE", "coverage of intervals and bands; default: 0.9")
    takes_one(
        fitting,
        "--tolerance",
        "SHARE",
        "largest relative difference in loss that counts as agreement; default: 1%",
    )
    takes_one(
        fitting,
        "--budget-tolerance",
        "SHARE",
        "spread of compute within one isoFLOP budget; default: 10%",
    )
    takes_one(fitting, "--ratio-tolerance", "SHARE", "spread of D/N within one ratio; default: 10%")
    takes_several(
        fitting,
        "--ratio",
        "R",
        "the D/N whose runs are compared with their ray; default: three at most of those that a "
        "tenth of the runs share, the "
        "nearest to the D*/N* of the fitted law at the geometric mean of the runs' compute, then "
        "those above, then those below, "
        "on either side those with the most runs first, of as many runs the nearest to the optimum",
    )
    tables = built.add_argument_group("check of the published tables")
    takes_several(
        tables,
        "--compute-range",
        "C",
        "two budgets in FLOP; default: the range of the published runs",
    )
    declare_output(
        built, *FORMATS, plot="draw the laws against compute, and with RUNS the isoFLOP profiles"
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    on_runs = options.words(POSITIONAL) is not None
    for option in options.given(*(OF_TABLES if on_runs else OF_RUNS)):
        what = (
            "the published tables, without RUNS"
            if on_runs
            else "a check of RUNS; name a file of runs"
        )
        raise UsageError(f"{option} {shown(' '.join(options.words(option) or ()))}: is for {what}")
    path = target(options, "--plot")
    if path is not None:
        check_figure(path)
    if on_runs:
        return _of_runs(options, form, path)
    return _of_tables(options, form, path)


def _of_tables(options: Options, form: str, path: str | None) -> tuple[str, int]:
    """Here the verdicts describe, they judge nothing."""
    result = _published(options)
    if path is not None:
        from ..numeric.plot.check import plot_check

        _draw(plot_check, result, path)
    return json_text(result.as_dict()) if form == "json" else str(result), DONE


def _of_runs(options: Options, form: str, path: str | None) -> tuple[str, int]:
    result = _checked(options)
    if path is not None:
        from ..numeric.plot.check import plot_check_runs

        _draw(plot_check_runs, result, path)
    text = json_text(result.as_dict()) if form == "json" else str(result)
    if result.interrupted:
        say_interrupted("the bands are of the resamples that were done")
        return text, INTERRUPTED
    return text, STATUSES[result.verdict]


def _checked(options: Options) -> RunsCheck:
    table = TableOptions(options, "runs")
    objective = options.chosen("--objective", CENTRAL)
    if "--delta" in options and objective != "huber-log":
        raise UsageError(
            f"--delta {shown(str(options.one('--delta')))}: is for --objective huber-log"
        )
    settings: dict[str, Any] = {
        "bootstrap": whole(options, "--bootstrap", least=20),
        "seed": whole(options, "--seed", least=0),
        "level": share(options, "--level"),
        "tolerance": share(options, "--tolerance"),
        "budget_tolerance": options.positive("--budget-tolerance"),
        "ratio_tolerance": options.positive("--ratio-tolerance"),
    }
    asked = options.positives("--ratio")
    settings["ratios"] = None if asked is None else [value for _, value in asked]
    delta = options.positive("--delta")
    runs = table.runs("params", "tokens", "loss")
    from ..numeric.check.runs import check_runs
    from ..numeric.fit.objective import Objective

    chosen = Objective(name=objective) if delta is None else Objective(name=objective, delta=delta)
    given = {name: value for name, value in settings.items() if value is not None}
    return check_runs(runs, objective=chosen, progress=is_terminal(sys.stderr), **given)


def _published(options: Options) -> PublishedCheck:
    bounds = options.positives("--compute-range")
    if bounds is not None and (len(bounds) != 2 or not bounds[0][1] < bounds[1][1]):
        given = typed(("--compute-range", " ".join(text for text, _ in bounds)))
        raise UsageError(
            f"{given}: must be two positive finite numbers, the first below the second"
        )
    from ..numeric.check.published import check_published

    return check_published(compute_range=None if bounds is None else (bounds[0][1], bounds[1][1]))


def _draw(plot: Any, result: Any, path: str) -> None:
    from ..numeric.plot.panels import save

    try:
        save(plot(result), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
