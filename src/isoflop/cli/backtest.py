"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes
from .domains import one_of, positive, resamples, whole
from .errors import DONE, NO_VERDICT, UsageError, shown
from .evaluation_options import asked, declare_guessing
from .render import TABLES, draw, written
from .streams import is_terminal
from .tables import columns, counts, declare_evaluations, declare_models, runs, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.data.table import Table
    from .arguments import Options

SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
HELP = """\
isoflop backtest TABLE [--law LAW ...] [--hold-out CONDITION | --rolling AXIS | --sweep]

TABLE holds runs with a loss, evaluations of runs on benchmarks, or counts of samples and
correct ones by model and problem; the columns tell which, or --of does.
The laws are fitted to some rows and predict others: those of a condition (--hold-out);
from each cutoff the most expensive row, of evaluations those up to the next cutoff
(--rolling); or from each cutoff all beyond it (--sweep). Without any of these the laws of
accuracy are fitted to all runs, and runs and counts have cutoffs in compute.
Exit status 3: no prediction could be compared with an observation, or where no row is
held out a law has no certified fit; 2: no fit could be made at all.

examples:
  isoflop backtest counts.csv --models models.csv --k 1 100
  isoflop backtest counts.csv --models models.csv --sweep --plot backtest.png
  isoflop backtest runs.csv --plot backtest.png
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'
"""
FORMATS = ("text", "json", "csv", *TABLES)
#: What a table is of, by what --of calls it.
EVALUATIONS = "evaluations"
OF = {"loss": "runs", "accuracy": EVALUATIONS, "pass@k": "counts"}
AXES = ("compute", "params", "tokens", "gold")
OF_COUNTS = ("--k", "--by", "--models", "--gold")
#: Options that only evaluations have.
OF_EVALUATIONS = ("--benchmark", "--small-runs", "--average", "--proxy")
#: A law with one of these is a formula.
OPERATORS = frozenset("+*/^(")


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.accuracy.laws import LAWS as OF_ACCURACY
    from ..numeric.fit.models import MODELS
    from ..numeric.passk.fit_at_k import KINDS

    built = Parser(HELP)
    declare_evaluations(built, metavar="TABLE")
    built.file = "TABLE is missing: name a CSV or JSON file"
    declare_guessing(built)
    of_counts = built.add_argument_group("counts")
    declare_models(of_counts)
    usual = "default: 1, 10, 100, ... up to 10,000"
    takes(of_counts, "--k", "K", usual, whole(1), "list", distinct=True)
    group = built.add_argument_group("backtest")
    of = "what the laws are of; default: what the columns tell"
    takes(group, "--of", "|".join(OF), of, one_of(tuple(OF)))
    names = f"of a loss {', '.join(MODELS)}, or an expression; of pass@k {', '.join(KINDS)}; of "
    names += f"accuracy {', '.join(OF_ACCURACY)}; default: those with columns"
    takes(group, "--law", "LAW", names, form="words", sets="laws law model")
    proxy = "the loss or other metric that two-stage laws of accuracy go by; default: the only one"
    takes(group, "--proxy", "COLUMN", proxy)
    held_out = "predict these rows from all others, such as 'compute > 6e21'"
    takes(group, "--hold-out", "CONDITION", held_out)
    cutoffs = f"cutoffs in this; of runs and counts by default {AXES[0]}"
    takes(group, "--rolling", "|".join(AXES), cutoffs, one_of(AXES), sets="axis")
    sweep = "from each cutoff predict all rows beyond it; evaluations: from where on that succeeds"
    group.add_argument("--sweep", action="store_true", help=sweep)
    many = "so many, evenly spread, or these values; default: every model's; of evaluations 6, and "
    many += "with --sweep 24 from 6e19 to 5e22 FLOP"
    takes(group, "--cutoffs", "N|VALUE,...", many, positive, "list")
    behind = "resamples behind intervals; default: 200, of evaluations 0: none"
    takes(group, "--bootstrap", "N", behind, resamples)
    takes(group, "--seed", "S", "of the resamples; default: 0", whole(0), value=0)
    drawn = "draw the errors; of evaluations the laws, or the successes of a sweep"
    declare_output(built, *FORMATS, plot=drawn)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where nothing could be compared."""
    from ..numeric.hold_out.backtest import backtest, kind_of_table

    what = OF.get(options["--of"])
    if what is None and options.given(*OF_EVALUATIONS):
        what = EVALUATIONS
    held = None
    if what is None:
        held = table(options)
        what = kind_of_table(held, columns(options))
    settings = _settings(options, what)
    result = backtest(**_data(options, what, held, settings), **settings)
    from ..numeric.plot.backtest import plot_backtest

    draw(options, lambda: plot_backtest(result))
    text = written(options["--format"], result)
    return text, DONE if result.has_verdict else NO_VERDICT


def _settings(options: Options, what: str) -> dict[str, Any]:
    """The rule that holds out rows, and how laws are fitted."""
    _refuse_foreign(options, what)
    rule = options.given("--rolling", "--sweep", "--cutoffs")
    if "--hold-out" in options and rule:
        raise UsageError(f"--hold-out: is a rule of its own, not to be joined with {rule[0]}")
    return {
        "laws": _laws(options),
        "hold_out": options["--hold-out"],
        "axis": options["--rolling"],
        "targets": "all" if "--sweep" in options else None,
        "cutoffs": _cutoffs(options),
        "resamples": options["--bootstrap"],
        "seed": options["--seed"],
        "progress": is_terminal(sys.stderr),
    }


def _refuse_foreign(options: Options, what: str) -> None:
    """Options for tables of another kind."""
    foreign = {
        "counts": (*OF_EVALUATIONS, "--random-baseline"),
        "runs": (*OF_EVALUATIONS, "--random-baseline", *OF_COUNTS),
        EVALUATIONS: OF_COUNTS,
    }[what]
    for option in options.given(*foreign):
        others = "counts" if option in OF_COUNTS else EVALUATIONS
        raise UsageError(
            f"{option} {shown(options.spelt(option))}: is for {others}, not for {what}"
        )


def _data(
    options: Options, what: str, held: Table | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """The table as its view, with what is asked of such a table alone."""
    if what == EVALUATIONS:
        read, guessing = asked(options, held)
        how = {"benchmarks": read.benchmarks, "baselines": guessing, "proxy": options["--proxy"]}
        return {"data": read, **how}
    if what == "counts":
        return {"data": counts(options, held), "k": options["--k"]}
    from ..numeric.fit.models import form_of

    names = {name for law in settings["laws"] or () for name in form_of(law).names}
    return {"data": runs(options, "loss", names=names, held=held)}


def _laws(options: Options) -> list[str] | None:
    """Names of laws, and formulas, which may hold spaces."""
    words = options.words("--law")
    if not words:
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
    values = options["--cutoffs"]
    if values is None:
        return None
    is_count = len(values) == 1 and values[0] == int(values[0]) and values[0] <= 1e4
    return int(values[0]) if is_count and options["--rolling"] != "gold" else values
