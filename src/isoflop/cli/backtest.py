"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes
from .domains import one_of, positive, resamples, whole
from .errors import DONE, NO_VERDICT, UsageError, shown
from .evaluation_options import asked, declare_guessing
from .render import TABLES, draw, written
from .streams import is_terminal
from .tables import columns, counts, declare_evaluations, declare_models, table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Options

SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
HELP = """\
isoflop backtest TABLE [--law LAW ...] [--hold-out CONDITION | --rolling AXIS | --sweep]

TABLE holds runs with a loss, evaluations of runs on benchmarks (--benchmark says so where
the columns do not), or counts of samples and correct ones by model and problem.
The laws are fitted to some rows and predict others: those of a condition (--hold-out);
from each cutoff the most expensive row, of evaluations those up to the next cutoff
(--rolling; by default in compute); or from each cutoff all beyond it (--sweep).
Exit status 3: no prediction could be compared with an observation.

examples:
  isoflop backtest counts.csv --models models.csv --k 1 100
  isoflop backtest counts.csv --models models.csv --sweep --plot backtest.png
  isoflop backtest runs.csv --plot backtest.png
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'
"""
FORMATS = ("text", "json", "csv", *TABLES)
AXES = ("compute", "params", "tokens", "gold")
#: Options that only tables of one kind have.
ONLY = {
    "evaluations": ("--benchmark", "--small-runs", "--average", "--proxy", "--random-baseline"),
    "counts": ("--k", "--by", "--models", "--gold"),
}
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
    names = f"of a loss {', '.join(MODELS)}, or an expression; of pass@k {', '.join(KINDS)}; of "
    names += f"accuracy {', '.join(OF_ACCURACY)}; default: those with columns"
    takes(group, "--law", "LAW", names, form="words", sets="laws law model")
    proxy = "the loss or other metric that two-stage laws of accuracy go by; default: the only one"
    takes(group, "--proxy", "COLUMN", proxy)
    held_out = "predict these rows from all others, such as 'compute > 6e21'"
    takes(group, "--hold-out", "CONDITION", held_out)
    cutoffs = f"cutoffs in this; default: {AXES[0]}"
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
    from ..numeric.hold_out import backtest
    from ..numeric.plot.backtest import plot_backtest

    result = backtest(
        **_data(options),
        laws=_laws(options),
        hold_out=options["--hold-out"],
        axis=options["--rolling"],
        targets="all" if "--sweep" in options else None,
        cutoffs=_cutoffs(options),
        resamples=options["--bootstrap"],
        seed=options["--seed"],
        progress=is_terminal(sys.stderr),
    )
    draw(options, lambda: plot_backtest(result))
    text = written(options["--format"], result)
    return text, DONE if result.has_verdict else NO_VERDICT


def _data(options: Options) -> dict[str, Any]:
    """The table as what it holds, with what is asked of such a table alone."""
    from ..numeric.data.metrics import kind_of
    from ..numeric.data.runs import Runs
    from ..numeric.fit.models import form_of

    held = table(options)
    kind = kind_of(held, columns(options))
    kind = "evaluations" if options.given(*ONLY["evaluations"][:-1]) else kind
    for other, own in ONLY.items():
        for option in options.given(*own) if other != kind else ():
            given = f"{option} {shown(options.spelt(option))}"
            raise UsageError(f"{given}: is for {other}, not for {kind}")
    if kind == "evaluations":
        read, guessing = asked(options, held)
        how = {"benchmarks": read.benchmarks, "baselines": guessing, "proxy": options["--proxy"]}
        return {"table": read, **how}
    if kind == "counts":
        return {"table": counts(options, held), "k": options["--k"]}
    if kind != "runs":
        neither = "has neither counts of samples (n_samples, n_correct) nor a loss of runs"
        raise UsageError(f"{held.source}: {neither}; the columns are {', '.join(held.names)}")
    names = {name for law in _laws(options) or () for name in form_of(law).names}
    return {"table": view(options, Runs, held, require=("loss",), names=names)}


def _laws(options: Options) -> list[str] | None:
    """Names of laws, and formulas, which may hold spaces."""
    words = options.words("--law")
    laws = ([x] if OPERATORS & {*x} else x.replace(",", " ").split() or [x] for x in words)
    return [law for several in laws for law in several] or None


def _cutoffs(options: Options) -> int | list[float] | None:
    """One small whole number is how many."""
    values = options["--cutoffs"]
    if values is None:
        return None
    is_count = len(values) == 1 and values[0] == int(values[0]) and values[0] <= 1e4
    return int(values[0]) if is_count and options["--rolling"] != "gold" else values
