"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import sys

from ..numeric.errors import ArgumentError
from .arguments import POSITIONAL, Parser, declare_output, takes_one, takes_several
from .errors import DONE, NO_VERDICT, UsageError, shown, with_options
from .evaluation_options import LISTS as OF_EVALUATION_LISTS
from .evaluation_options import EvaluationTable, declare_guessing
from .render import TABLES, csv_text, written
from .run_options import check_figure, is_terminal, target, whole
from .tables import TableOptions, declare_evaluations, declare_models, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.data.table import Table
    from .arguments import Options

SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
FORMATS = ("text", "json", "csv", *TABLES)
#: What a table is of, by what --of calls it.
EVALUATIONS = "evaluations"
OF = {"loss": "runs", "accuracy": EVALUATIONS, "pass@k": "counts"}
AXES = ("compute", "params", "tokens", "gold")
LISTS = ("--law", "--k", "--cutoffs", *OF_EVALUATION_LISTS)
OF_COUNTS = ("--k", "--by", "--models", "--gold")
#: Options that only evaluations have.
OF_EVALUATIONS = ("--benchmark", "--small-runs", "--average", "--proxy")
#: A law with one of these is a formula.
OPERATORS = frozenset("+*/^(")
#: Argument of the library -> option, where they are not called alike.
OPTION_OF = {
    "laws": "--law",
    "law": "--law",
    "model": "--law",
    "axis": "--rolling",
}


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.accuracy.laws import LAWS as OF_ACCURACY
    from ..numeric.fit.models import MODELS
    from ..numeric.passk.kinds import KINDS

    built = Parser(
        "isoflop backtest",
        ["TABLE [--law LAW ...] [--hold-out CONDITION | --rolling AXIS | --sweep]"],
        "TABLE holds runs with a loss, evaluations of runs on benchmarks, or counts of samples and\n"
        "correct ones by model and problem; the columns tell which, or --of does.\n"
        "The laws are fitted to some rows and predict others: those of a condition (--hold-out);\n"
        "from each cutoff the most expensive row, of evaluations those up to the next cutoff\n"
        "(--rolling); or from each cutoff all beyond it (--sweep). Without any of these the laws of\n"
        "accuracy are fitted to all runs, and runs and counts have cutoffs in compute.\n"
        "Exit status 3: no prediction could be compared with an observation, or where no row is\n"
        "held out a law has no certified fit; 2: no fit could be made at all.",
        [
            "isoflop backtest counts.csv --models models.csv --k 1 100",
            "isoflop backtest counts.csv --models models.csv --sweep --plot backtest.png",
            "isoflop backtest runs.csv --plot backtest.png",
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'",
        ],
    )
    declare_evaluations(built, metavar="TABLE")
    declare_guessing(built)
    counts = built.add_argument_group("counts")
    declare_models(counts)
    takes_several(counts, "--k", "K", "default: 1, 10, 100, ... up to 10,000")
    asked = built.add_argument_group("backtest")
    takes_one(asked, "--of", "|".join(OF), "what the laws are of; default: what the columns tell")
    takes_several(
        asked,
        "--law",
        "LAW",
        f"of a loss {', '.join(MODELS)}, or an expression; of pass@k {', '.join(KINDS)}; of "
        f"accuracy {', '.join(OF_ACCURACY)}; default: those with columns",
    )
    takes_one(
        asked,
        "--proxy",
        "COLUMN",
        "the loss or other metric that two-stage laws of accuracy go by; default: the only one "
        "there is",
    )
    held_out = "predict these rows from all others, such as 'compute > 6e21'"
    takes_one(asked, "--hold-out", "CONDITION", held_out)
    takes_one(
        asked,
        "--rolling",
        "|".join(AXES),
        f"cutoffs in this; of runs and counts by default {AXES[0]}",
    )
    asked.add_argument(
        "--sweep",
        action="store_true",
        help="from each cutoff predict all rows beyond it; evaluations: from where on that succeeds",
    )
    takes_several(
        asked,
        "--cutoffs",
        "N|VALUE,...",
        "so many, evenly spread, or these values; default: every model's; of evaluations 6, and "
        "with --sweep 24 from 6e19 to 5e22 FLOP",
    )
    takes_one(
        asked,
        "--bootstrap",
        "N",
        "resamples behind intervals; default: 200, of evaluations 0: none",
    )
    takes_one(asked, "--seed", "S", "of the resamples; default: 0")
    drawn = "draw the errors; of evaluations the laws, or the successes of a sweep"
    declare_output(built, *FORMATS, plot=drawn)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where nothing could be compared."""
    from ..numeric.hold_out.backtest import backtest, kind_of_table

    if options.words(POSITIONAL) is None:
        after = "".join(
            f", in front of {option}, which takes all that follows it"
            for option in options.given(*LISTS)[:1]
        )
        raise UsageError(f"TABLE is missing: name a CSV or JSON file{after}")
    what = OF[options.chosen("--of", tuple(OF))] if "--of" in options else None
    if what is None and options.given(*OF_EVALUATIONS):
        what = EVALUATIONS
    table = None
    if what is None:
        file = TableOptions(options, EVALUATIONS, LISTS)
        table = file.table()
        what = kind_of_table(table, file.columns)
    plot, form = target(options, "--plot"), options.chosen("--format", FORMATS)
    if plot is not None:
        check_figure(plot)
    settings = _settings(options, what)
    try:
        result = backtest(**_table(options, what, table, settings), **settings)
    except ArgumentError as error:
        raise with_options(error, options, OPTION_OF) from None
    if plot is not None:
        from ..numeric.plot.backtest import plot_backtest
        from ..numeric.plot.panels import save

        save(plot_backtest(result), plot)
    text = (
        csv_text(result.rows())
        if form == "csv"
        else written(form, result, result.as_dict() if form == "json" else None)
    )
    return text, DONE if result.has_verdict else NO_VERDICT


def _settings(options: Options, what: str) -> dict[str, Any]:
    """The rule that holds out rows, and how laws are fitted."""
    _refuse_foreign(options, what)
    rule = options.given("--rolling", "--sweep", "--cutoffs")
    if "--hold-out" in options and rule:
        raise UsageError(f"--hold-out: is a rule of its own, not to be joined with {rule[0]}")
    resamples = whole(options, "--bootstrap", least=0)
    if resamples == 1:
        raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
    return {
        "laws": _laws(options),
        "hold_out": options.one("--hold-out"),
        "axis": options.chosen("--rolling", AXES) if "--rolling" in options else None,
        "targets": "all" if "--sweep" in options else None,
        "cutoffs": _cutoffs(options),
        "resamples": resamples,
        "seed": whole(options, "--seed", least=0) or 0,
        "progress": is_terminal(sys.stderr),
    }


def _refuse_foreign(options: Options, what: str) -> None:
    """Options for tables of another kind."""
    foreign = {
        "counts": (*OF_EVALUATIONS, "--random-baseline"),
        "runs": (*OF_EVALUATIONS, *OF_COUNTS),
        EVALUATIONS: OF_COUNTS,
    }[what]
    for option in options.given(*foreign):
        others = "counts" if option in OF_COUNTS else EVALUATIONS
        typed = " ".join(options.words(option) or ())
        raise UsageError(f"{option} {shown(typed)}: is for {others}, not for {what}")


def _table(
    options: Options, what: str, table: Table | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """The table as its view, with what is asked of such a table alone."""
    if what == EVALUATIONS:
        evaluations = EvaluationTable(options, LISTS, table)
        read = evaluations.read()
        return {
            "data": read,
            "benchmarks": read.benchmarks,
            "baselines": evaluations.baselines(),
            "proxy": options.one("--proxy"),
        }
    file = TableOptions(options, what, LISTS, table)
    if what == "counts":
        return {"data": file.counts(), "k": draws_of(options)}
    from ..numeric.fit.models import form_of

    columns = {name for law in settings["laws"] or () for name in form_of(law).names}
    return {"data": file.runs("loss", names=columns)}


def _laws(options: Options) -> list[str] | None:
    """Names of laws, and formulas, which may hold spaces."""
    words = options.words("--law")
    if words is None:
        return None
    laws = [
        law
        for word in words
        for law in ([word] if OPERATORS & {*word} else word.replace(",", " ").split() or [word])
    ]
    for law in laws:
        if laws.count(law) > 1:
            raise UsageError(f"--law {shown(law)}: is given twice")
    return laws


def _cutoffs(options: Options) -> int | list[float] | None:
    """One small whole number is how many."""
    typed = options.positives("--cutoffs")
    if typed is None:
        return None
    values = [value for _, value in typed]
    is_count = len(values) == 1 and values[0] == int(values[0]) and values[0] <= 1e4
    return int(values[0]) if is_count and options.one("--rolling") != "gold" else values
