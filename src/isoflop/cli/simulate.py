"""isoflop simulate: tables of a known truth to try every other command on."""

from __future__ import annotations

import sys

from ..theory.data.notation import close_matches
from .arguments import POSITIONAL, Parser, declare_file, takes
from .domains import nonnegative, whole
from .errors import DONE, UsageError, shown
from .streams import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Options

SUMMARY = "tables of a known truth to try the other commands on"
HELP = """\
isoflop simulate [downstream] [--noise NUMBER] ...
isoflop simulate runs [--law NAME] [--noise NUMBER] ...
isoflop simulate counts ...

downstream: accuracy on 12 benchmarks, and two losses, of the 150 runs of Krajewski et al. 2025
(Tables 7-9; those that name two data sets twice), a row for each score. The truth is their Table
12; noise: a finite number of questions, and runs off the law.
runs: params, tokens and loss of 96 runs on isoFLOP budgets, for fit and check. The truth is --law.
counts: samples of 48 models on 64 problems, with params, tokens and -log probability of the gold
solutions of each, for passk, fit and backtest. The truth is
  -log pass@1 = E0 + N0 N^-beta + D0 D^-gamma,
  {truth},
with 3 % scatter of models about it; examples/simulate_counts.py draws other samples of the same.

examples:
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop simulate runs --law hoffmann2022 --noise 0.01 --output runs.csv
  isoflop simulate counts --output counts.csv
"""
#: Table -> the options that are not for every one.
TABLES = {"downstream": ("--noise",), "runs": ("--law", "--noise"), "counts": ()}


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.simulate.counts import PASS_LAW

    truth = ", ".join(f"{name} = {value:g}" for name, value in PASS_LAW.items())
    built = Parser(HELP.format(truth=truth))
    tables = "downstream (default), runs or counts"
    built.add_argument(POSITIONAL, metavar="TABLE", nargs="*", help=tables)
    seed = "of everything that is drawn, the same in every run with the same NumPy; default: 0"
    takes(built, "--seed", "S", seed, whole(0), value=0)
    noise = "standard deviation of log(-log Q'), default 0.02, or of log loss, default 0.004"
    takes(built, "--noise", "NUMBER", noise, nonnegative, sets="run_noise")
    law = "published law of loss (isoflop laws); default: besiroglu2024"
    of_runs = built.add_argument_group("runs")
    takes(of_runs, "--law", "NAME", law, value="besiroglu2024", sets="name")
    declare_file(built)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    table, *others = options.words(POSITIONAL) or ["downstream"]
    if others:
        raise UsageError(f"unexpected argument {shown(others[0])}: one table at a time")
    if table not in TABLES:
        hint = close_matches(table, TABLES)
        raise UsageError(f"TABLE {shown(table)}: must be one of {', '.join(TABLES)}{hint}")
    for option in options.given("--law", "--noise"):
        if option not in TABLES[table]:
            which = " and ".join(other for other, own in TABLES.items() if option in own)
            raise UsageError(f"{option}: is for {which}, not for {table}")
    if "--output" not in options and is_terminal(sys.stdout):
        raise UsageError("--output is missing: name a file to write; the table is long")
    return _drawn(table, options).to_csv(index=False, lineterminator="\n"), DONE


def _drawn(table: str, options: Options) -> Any:
    """The table as a frame."""
    from ..numeric.simulate import LOSS_NOISE, simulate_counts, simulate_losses
    from ..numeric.simulate.evaluations import RUN_NOISE, simulate

    seed, noise = options["--seed"], options["--noise"]
    if table == "counts":
        return simulate_counts(seeds=(3 * seed, 3 * seed + 1, 3 * seed + 2))
    if table == "runs":
        noise = LOSS_NOISE if noise is None else noise
        return simulate_losses(seed=seed, law=options["--law"], noise=noise)
    return simulate(seed=seed, run_noise=RUN_NOISE if noise is None else noise)
