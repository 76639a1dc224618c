"""isoflop simulate: tables of a known truth to try every other command on."""

from __future__ import annotations

import sys

from .arguments import Parser, add, add_file, nonnegative, one_of, whole
from .output import DONE, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

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
KINDS = ("downstream", "runs", "counts")


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.simulate.counts import PASS_LAW

    truth = ", ".join(f"{name} = {value:g}" for name, value in PASS_LAW.items())
    built = Parser(HELP.format(truth=truth))
    kinds = "downstream (default), runs or counts"
    built.add_argument("kind", type=one_of(KINDS), metavar="KIND", nargs="?", help=kinds)
    seed = "of everything that is drawn, the same in every run with the same NumPy; default: 0"
    add(built, "--seed", "S", seed, whole(0), default=0)
    noise = "standard deviation of log(-log Q'), default 0.02, or of log loss, default 0.004"
    add(built, "--noise", "NUMBER", noise, nonnegative)
    law = "of runs: a published law of loss (isoflop laws); default: besiroglu2024"
    add(built, "--law", "NAME", law)
    add_file(built)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    if args.law is not None and args.kind != "runs":
        raise ValueError("--law: is for runs")
    if args.noise is not None and args.kind == "counts":
        raise ValueError("--noise: is for downstream and runs, not for counts")
    if args.output is None and is_terminal(sys.stdout):
        raise ValueError("--output is missing: name a file to write; the table is long")
    from ..numeric.simulate import simulate_counts, simulate_losses
    from ..numeric.simulate.evaluations import simulate

    seed = args.seed
    if args.kind == "counts":
        table = simulate_counts(seeds=(3 * seed, 3 * seed + 1, 3 * seed + 2))
    elif args.kind == "runs":
        given = {name: x for name in ("law", "noise") if (x := getattr(args, name)) is not None}
        table = simulate_losses(seed=seed, **given)
    else:
        table = simulate(seed=seed, **({} if args.noise is None else {"run_noise": args.noise}))
    return table.to_csv(index=False, lineterminator="\n"), DONE
