"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import re
import sys

from .arguments import (
    Parser,
    add,
    add_list,
    add_output,
    add_switch,
    one_of,
    positive,
    resamples,
    several,
    whole,
)
from .output import DONE, NO_VERDICT, answer, is_terminal
from .tables import add_table, baseline, refuse_others, table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ..numeric.data.table import SourceTable

SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
HELP = """\
isoflop backtest TABLE [--law LAW ...] [--hold-out CONDITION | --rolling AXIS | --sweep]

TABLE holds runs with a loss, evaluations of runs on benchmarks, or counts of samples and
correct ones by model and problem.
The laws are fitted to some rows and predict others: those of a condition (--hold-out);
from each cutoff the most expensive row (--rolling; by default in compute); or from
each cutoff all beyond it (--sweep).
Exit status 3: no prediction could be compared with an observation.

examples:
  isoflop backtest counts.csv --k 1 100
  isoflop backtest counts.csv --sweep --plot backtest.png
  isoflop backtest runs.csv --plot backtest.png
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'
"""


def parser() -> Parser:
    """The parser of this command."""
    from ..numeric.accuracy.laws import LAWS as LAWS_OF_ACCURACY
    from ..numeric.fit.fit import MODELS
    from ..numeric.hold_out.tasks import AXES
    from ..numeric.passk.fit_at_k import KINDS

    built = Parser(HELP)
    quantities = "run, benchmark, metric_type, score, random_baseline, loss, n_samples, n_correct, "
    quantities += "params, tokens or compute"
    add_table(built, "TABLE", "rows", quantities, "\"metric_type != 'f1'\"")
    of = built.add_argument_group("evaluations")
    add(of, "--benchmark", "NAME", "only these benchmarks; default: all", nargs="+")
    guessing = "accuracy of guessing: NAME=SHARE for some benchmarks, or one SHARE for all"
    add(of, "--random-baseline", "NAME=SHARE", guessing, baseline, nargs="+")
    small = "estimate it from these, with its error, such as 'compute < 1e17'"
    add(of, "--small-runs", "CONDITION", small, dest="small")
    average = "add the mean of normalised accuracy over these benchmarks; none named: all"
    add(of, "--average", "NAME", average, nargs="*")
    proxy = "the loss or other metric that two-stage laws of accuracy go by; default: the only one"
    add(of, "--proxy", "COLUMN", proxy)
    of_counts = built.add_argument_group("counts")
    add_list(of_counts, "--k", "K", "default: 1, 10, 100, ... up to 10,000", whole(1))
    group = built.add_argument_group("backtest")
    names = f"of a loss {', '.join(MODELS)}, or an expression; of pass@k {', '.join(KINDS)}; of "
    names += f"accuracy {', '.join(LAWS_OF_ACCURACY)}; default: those with columns"
    add(group, "--law", "LAW", names, _laws, dest="laws", nargs="+")
    add(group, "--hold-out", "CONDITION", "predict these from all others, such as 'compute > 6e21'")
    cutoffs = f"cutoffs in this; default: {AXES[0]}"
    add(group, "--rolling", "|".join(AXES), cutoffs, one_of(AXES), dest="axis", default=AXES[0])
    sweep = "from each cutoff predict all rows beyond it; evaluations: from where on that succeeds"
    add_switch(group, "--sweep", sweep)
    many = "so many, evenly spread, or these values; default: every model's; of evaluations 6, and "
    many += "with --sweep 24 from 6e19 to 5e22 FLOP"
    add_list(group, "--cutoffs", "N|VALUE,...", many, positive)
    behind = "resamples behind intervals; default: 200, of evaluations 0: none"
    add(group, "--bootstrap", "N", behind, resamples, dest="resamples")
    drawn = "draw the errors; of evaluations the laws, or the successes of a sweep"
    add_output(built, "text", "json", "latex", plot=drawn)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The output and the exit status of the command, 3 if nothing could be compared."""
    from ..numeric.hold_out import backtest

    names = ("laws", "hold_out", "axis", "resamples")
    result = backtest(
        **_data(args),
        **{name: getattr(args, name) for name in names},
        sweep=args.sweep,
        cutoffs=_cutoffs(args),
        progress=is_terminal(sys.stderr),
    )
    return answer(args, result), DONE if result.has_verdict else NO_VERDICT


def _data(args: Namespace) -> dict[str, Any]:
    """The arguments of `backtest` for the table: it as its kind, and the options of that kind."""
    from ..numeric.data.columns import kind_of
    from ..numeric.data.counts import Counts
    from ..numeric.data.runs import Runs
    from ..numeric.fit.fit import form_of

    held = table(args)
    kind = kind_of(held, args.columns)
    if kind is None:
        neither = "has neither benchmark and score, nor counts of samples (n_samples, n_correct), "
        neither += f"nor a loss of runs; the columns are {', '.join(held.names)}"
        raise ValueError(f"{held.source}: {neither}")
    refuse_others(args, kind, ("evaluations", "counts"))
    if kind == "evaluations":
        return {**_evaluations(args, held), "proxy": args.proxy}
    if kind == "counts":
        return {"table": view(args, Counts, held), "k": args.k}
    names = {name for law in args.laws or () for name in form_of(law).names}
    return {"table": view(args, Runs, held, require=("loss",), names=names)}


def _evaluations(args: Namespace, held: SourceTable) -> dict[str, Any]:
    """The evaluations on the benchmarks of --benchmark, with their average if --average is given, and
    the accuracy of guessing on each.
    """
    from ..numeric.accuracy.averages import AVERAGE, averaged
    from ..numeric.accuracy.baselines import Baseline, resolve
    from ..numeric.data.evaluations import Evaluations

    read, given = view(args, Evaluations, held), args.random_baseline or ()
    pairs = [entry for entry in given if isinstance(entry, dict)]
    shares = {name: share for entry in pairs for name, share in entry.items()}
    if len(given) > 1 and len(shares) != len(given):
        raise ValueError(f"random_baseline={given}: must be NAME=SHARE, each once, or one for all")
    if given and not shares and args.small is not None:
        raise ValueError("--small-runs and --random-baseline: one of them is enough")
    wanted = tuple(args.benchmark or read.benchmarks)
    if not wanted:
        raise ValueError(f"{read.source}: has pass@k with k > 1 alone; name one by --benchmark")
    members = () if args.average is None else tuple(args.average) or wanted
    for member in members:
        read.require(member, "average")
    names = tuple(dict.fromkeys((*wanted, *members)))
    guessing = shares or (given[0] if given else None)
    known = resolve(read, guessing, args.small, benchmarks=names)
    if members:
        read = averaged(read, known, benchmarks=members)
        known[AVERAGE] = Baseline(0.0, how="0 for a mean of normalised accuracy")
        wanted = (*wanted, AVERAGE)
    found = read.only(wanted)
    known = {key: known[key] for key in found.scores}
    return {"table": found, "benchmarks": found.benchmarks, "baselines": known}


def _laws(word: str) -> tuple[str, ...]:
    """Read names of laws, or a formula, which may hold spaces."""
    return (word,) if re.search(r"[+*/^(]", word) else several(str)(word) or (word,)


def _cutoffs(args: Namespace) -> int | list[float] | None:
    """The cutoffs: a single small whole number is their number, others are values."""
    values: list[float] | None = args.cutoffs
    if values is None or len(values) > 1 or args.axis == "gold":
        return values
    return int(values[0]) if values[0] == int(values[0]) and values[0] <= 1e4 else values
