"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_output, takes_one, takes_several
from .backtest_accuracy import OF_EVALUATIONS, declare_accuracy
from .backtest_accuracy import run as run_accuracy
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, outside, shown
from .evaluation_options import LISTS as OF_EVALUATION_LISTS
from .evaluation_options import declare_guessing
from .numerals import parse
from .render import csv_text, json_text
from .run_options import (
    OBJECTIVES,
    check_figure,
    is_terminal,
    say_interrupted,
    share,
    target,
    whole,
)
from .tables import TableOptions, declare_evaluations, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.backtest.result import Backtest
    from ..numeric.data.table import Table
    from .arguments import Options

#: Argument of the library -> option, where they are not called alike.
OPTION_OF = {"laws": "--law"}
SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
FORMATS = ("text", "json", "csv", "latex")
#: What a table is of, by what --of calls it.
OF = {"loss": "runs", "accuracy": "evaluations", "pass@k": "counts"}
LAWS = ("compute", "params-tokens", "gold")
AXES = ("compute", "params", "tokens", "gold")
LIKELIHOOD, SQUARES = "likelihood", "least-squares-log"
#: By what the table is of; the first is the default. A quantile is not what a prediction of the
#: loss estimates.
METHODS = {
    "counts": (LIKELIHOOD, SQUARES),
    "runs": (SQUARES, *(name for name in OBJECTIVES if name not in (SQUARES, "pinball-log"))),
}
LISTS = ("--law", "--k", "--cutoffs", "--plot-k", "--threshold", *OF_EVALUATION_LISTS)
ALL = "all"
OF_COUNTS = ("--k", "--by", "--models", "--gold", "--cluster", "--plot-k")
OF_CUTOFFS = ("--targets", "--cutoffs", "--method")
#: So many have room in a figure; without --k these are there.
MOST_DRAWN, POWERS = 4, (1, 10, 100, 1000, 10_000)
LEVEL, RESAMPLES = 0.9, 200
#: What models are drawn together by: "auto" leaves it to the models, "none" draws them one by one.
AUTO, ALONE = "auto", "none"
CLUSTERS = ("params", "tokens", ALONE)
#: How the library calls what an option sets.
OPTIONS = {
    "laws": "--law",
    "law": "--law",
    "axis": "--rolling",
    "targets": "--targets",
    "cutoffs": "--cutoffs",
    "k": "--k",
    "cluster": "--cluster",
    "jobs": "--jobs",
    "method": "--method",
}


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.accuracy.laws import LAWS as OF_ACCURACY

    built = Parser(
        "isoflop backtest",
        [
            "TABLE [--law LAW ...] [--rolling AXIS] [--targets N|all] [--cutoffs N|...]",
            "EVALUATIONS [--law LAW ...] [--hold-out CONDITION] [--rolling AXIS]",
            "EVALUATIONS [--sweep] [--threshold C ...] [--ceiling] [--proxies]",
        ],
        "TABLE holds runs with a loss, evaluations of runs on benchmarks, or counts of samples and "
        "correct\n"
        "ones by model and problem; the columns tell which, or --of does.\n"
        "Runs and counts: for every cutoff the laws are fitted to the models up to it and predict "
        "the most\n"
        "expensive ones: relative errors by decades held out, the coverage of prediction "
        "intervals, and\n"
        "over how many decades every coefficient stays within its final interval.\n"
        "Evaluations: laws of accuracy side by side, fitted to the runs that are not held out and "
        "judged on\n"
        "those that are; from cutoff to cutoff (--rolling compute), or at every threshold "
        "(--sweep).\n"
        "Exit status 3: no prediction could be compared with an observation, or a law of accuracy "
        "has no\n"
        "certified fit; 2: no fit could be made at all.",
        [
            "isoflop backtest counts.csv --models models.csv --k 1 100",
            "isoflop backtest counts.csv --models models.csv --targets all --plot backtest.png",
            "isoflop backtest runs.csv --targets 10% --plot backtest.png",
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'",
        ],
    )
    declare_evaluations(built, metavar="TABLE")
    declare_guessing(built)
    counts = built.add_argument_group("counts")
    takes_one(
        counts,
        "--by",
        "COLUMN,...",
        "columns whose values make a group; default: benchmark and model",
    )
    takes_one(
        counts,
        "--models",
        "TABLE",
        "file with params, tokens or compute of each model; two of them give the third",
    )
    takes_one(
        counts,
        "--gold",
        "TABLE",
        "file with the -log probability of the gold solutions, by model or by problem",
    )
    takes_several(
        counts,
        "--k",
        "K",
        "default: 1, 10, 100, ... up to 10,000, or to the fewest samples (least squares)",
    )
    takes_one(
        counts,
        "--cluster",
        "|".join(CLUSTERS),
        "draw models with the same params (or tokens) together, or one by one; default: params, "
        "where sizes repeat",
    )
    takes_several(counts, "--plot-k", "K", "one to four k to draw; default: the first")
    asked = built.add_argument_group("backtest")
    takes_one(asked, "--of", "|".join(OF), "what the laws are of; default: what the columns tell")
    takes_several(
        asked,
        "--law",
        "LAW",
        f"of a loss or pass@k {', '.join(LAWS)}; of accuracy {', '.join(OF_ACCURACY)}; default: "
        f"those with columns",
    )
    takes_one(
        asked,
        "--rolling",
        "|".join(AXES),
        f"cutoffs in this; of runs and counts by default {AXES[0]}",
    )
    takes_one(
        asked,
        "--targets",
        "N|SHARE|all",
        "what is predicted and never trained on: models at the N highest values, or a share of the "
        "models; all: from every "
        "cutoff all models beyond it; default: 1",
    )
    takes_several(
        asked,
        "--cutoffs",
        "N|VALUE,...",
        "so many, evenly spread, or these values; default: every model's",
    )
    takes_one(
        asked,
        "--method",
        "NAME",
        f"of counts {', '.join(METHODS['counts'])}; of runs {', '.join(METHODS['runs'])}; default: "
        f"the first",
    )
    takes_one(asked, "--level", "SHARE", f"nominal coverage of intervals; default: {LEVEL}")
    takes_one(
        asked,
        "--bootstrap",
        "N",
        f"resamples behind intervals of coefficients; default: {RESAMPLES}, of evaluations 0: none",
    )
    takes_one(asked, "--seed", "S", "of the resamples; default: 0")
    takes_one(asked, "--jobs", "J", "processes, -1 for all; needs joblib; default: 1")
    declare_accuracy(built)
    declare_output(
        built, *FORMATS, plot="draw errors and coefficients; of evaluations the laws, or the sweep"
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where nothing could be compared, 130 where Ctrl-C
    left a part undone.
    """
    if options.words(POSITIONAL) is None:
        after = "".join(
            f", in front of {option}, which takes all that follows it"
            for option in options.given(*LISTS)[:1]
        )
        raise UsageError(f"TABLE is missing: name a CSV or JSON file{after}")
    what = OF[options.chosen("--of", tuple(OF))] if "--of" in options else None
    if what == "evaluations" or (what is None and options.given(*OF_EVALUATIONS)):
        return _of_evaluations(options)
    file = TableOptions(options, "evaluations", LISTS)
    form = options.chosen("--format", FORMATS)
    from ..numeric.backtest.trials import kind_of_table

    table = file.table()
    what = what or kind_of_table(table, file.columns)
    if what == "evaluations":
        return _of_evaluations(options, table)
    settings = _settings(options)
    path = target(options, "--plot")
    target(options, "--output")
    if path is not None:
        check_figure(path)
    drawn = _drawn(options, settings["k"])
    result = _tested(options, settings, table, what)
    if path is not None:
        from ..numeric.plot.backtest import plot_backtest
        from ..numeric.plot.panels import save

        save(plot_backtest(result, k=drawn), path)
    written = {
        "text": lambda: str(result),
        "json": lambda: json_text(result.as_dict()),
        "csv": lambda: csv_text(list(result.rows())),
        "latex": result.to_latex,
    }
    text = written[form]()
    if result.interrupted:
        say_interrupted(
            f"{len(result)} of {result.planned} fits are made; what was not reached is left out"
        )
        return text, INTERRUPTED
    return text, DONE if result.table["usable"].any() else NO_VERDICT


def _of_evaluations(options: Options, table: Table | None = None) -> tuple[str, int]:
    for option in options.given(*OF_COUNTS, *OF_CUTOFFS):
        raise UsageError(f"{option}: is for counts or runs, not for evaluations")
    return run_accuracy(options, table)


# -- what was asked ----------------------------------------------------------------------------------------------------


def _settings(options: Options) -> dict[str, Any]:
    """What needs no table to be checked."""
    found: dict[str, Any] = {
        "axis": options.chosen("--rolling", AXES),
        "targets": _targets(options),
        "cutoffs": _cutoffs(options),
    }
    laws = options.several("--law")
    for law in laws or ():
        if law not in LAWS:
            raise outside("--law", law, f"one of {', '.join(LAWS)}")
    found["laws"] = None if laws is None else list(dict.fromkeys(laws))
    found["k"] = draws_of(options)
    found["level"] = share(options, "--level") or LEVEL
    repeats = whole(options, "--bootstrap", least=0)
    found["resamples"] = RESAMPLES if repeats is None else repeats
    found["seed"] = whole(options, "--seed", least=0) or 0
    word = options.chosen("--cluster", CLUSTERS) if "--cluster" in options else AUTO
    found["cluster"] = None if word == ALONE else word
    found["jobs"] = whole(options, "--jobs", least=None) or 1
    every = tuple(dict.fromkeys((*METHODS["counts"], *METHODS["runs"])))
    found["method"] = options.chosen("--method", every) if "--method" in options else None
    return found


def _drawn(options: Options, ks: list[int] | None) -> list[int] | None:
    """The k to be drawn."""
    found = draws_of(options, "--plot-k")
    if found is None:
        return None
    typed, held = shown(" ".join(options.words("--plot-k") or ())), ks or POWERS
    if "--plot" not in options:
        raise UsageError(f"--plot-k {typed}: needs --plot FILE")
    if len(found) > MOST_DRAWN:
        raise UsageError(
            f"--plot-k {typed}: must be at most {MOST_DRAWN} values, which are drawn beside each "
            f"other"
        )
    for each in found:
        if each not in held:
            raise UsageError(
                f"--plot-k {typed}: {each} is not fitted; must be of {', '.join(map(str, held))}"
            )
    return found


def _targets(options: Options) -> int | float | str:
    text = options.one("--targets")
    if text is None:
        return 1
    if text.strip() == ALL:
        return ALL
    domain = "all, a whole number of at least 1, or a share between 0 and 1"
    try:
        value = parse(text)
    except ValueError as error:
        raise outside("--targets", text, domain, str(error)) from None
    if 0.0 < value < 1.0:
        return value
    if "%" in text or (value == 1.0 and "." in text):  # of all models, not one of them
        note = (
            "nothing would be left to fit; all predicts from every cutoff" if value == 1.0 else ""
        )
        raise outside("--targets", text.strip(), domain, note)
    if not (1.0 <= value < 2.0**53 and value == int(value)):
        raise outside("--targets", text, domain)
    return int(value)


def _cutoffs(options: Options) -> int | list[float] | None:
    """One small whole number is how many."""
    found = options.positives("--cutoffs")
    if found is None:
        return None
    values = [value for _, value in found]
    if (
        len(values) == 1
        and values[0] == int(values[0])
        and values[0] <= 1e4
        and options.chosen("--rolling", AXES) != "gold"
    ):
        return int(values[0])
    return values


def _tested(options: Options, settings: dict[str, Any], table: Table, what: str) -> Backtest:
    from ..numeric.backtest import backtest

    for option in options.given(*(("--random-baseline",) if what == "counts" else OF_COUNTS)):
        for_what = "runs with an accuracy" if what == "counts" else "counts of correct samples"
        raise UsageError(
            f"{option} {shown(' '.join(options.words(option) or ()))}: is for {for_what}; "
            f"{table.source} has {what}"
        )
    method = settings["method"]
    if method is not None and method not in METHODS[what]:
        raise UsageError(
            f"--method {shown(method)}: must be one of {', '.join(METHODS[what])} for {what}"
        )
    file = TableOptions(options, what, LISTS, table)
    data: Any = file.counts() if what == "counts" else file.runs("loss")
    try:
        return backtest(data, progress=is_terminal(sys.stderr), **settings)
    except ValueError as error:
        raise _of_option(error, options) from None


def _of_option(error: ValueError, options: Options) -> UsageError:
    """The error in the user's words where it begins with an argument that has an option."""
    name, equals, rest = str(error).partition("=")
    value, colon, complaint = rest.partition(": ")
    if not (equals and colon and name in OPTIONS):
        return UsageError(str(error))
    option = OPTIONS[name]
    typed = value.strip("'\"")
    if name == "law" and "--targets" in options and "to be predicted" in complaint:
        return UsageError(
            f"--targets {shown(str(options.one('--targets')))}: law {typed}: {complaint}"
        )
    return UsageError(
        f"{option} {shown(typed)}: {complaint}"
        if option in options or name == "law"
        else f"{option} {typed}: {complaint}"
    )
