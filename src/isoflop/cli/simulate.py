"""isoflop simulate: tables of known laws to try the other commands on."""

from __future__ import annotations

import sys

from .arguments import Parser, add, add_file, one_of, whole
from .output import DONE, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "tables of known laws to try the other commands on"
HELP = """\
isoflop simulate [downstream | runs | counts] [--seed S] [--output FILE]

downstream: accuracy on 12 benchmarks, and two losses, of the 150 runs of Krajewski et al. 2025
(Tables 7-9; runs that name two data sets are there twice), a row for each score. The laws are
those of their Table 12; the noise is a finite number of questions, and runs off the law.
runs: params, tokens and loss of 96 runs on isoFLOP budgets, for fit and check. The law is
besiroglu2024, about which log loss scatters by 0.004.
counts: samples of 48 models on 64 problems, with params, tokens and the -log probability of the
gold solutions of each model, for passk, fit and backtest. The law is
  -log pass@1 = E0 + N0 N^-beta + D0 D^-gamma,
  {truth},
about which models scatter by 3 %; examples/simulate_counts.py draws other samples of it.

examples:
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop simulate runs --output runs.csv
  isoflop simulate counts --output counts.csv
"""
KINDS = ("downstream", "runs", "counts")


def parser() -> Parser:
    """The parser of this command."""
    from ..numeric.simulate.counts import PASS_LAW

    truth = ", ".join(f"{name} = {value:g}" for name, value in PASS_LAW.items())
    built = Parser(HELP.format(truth=truth))
    kinds = "downstream (default), runs or counts"
    built.add_argument("kind", type=one_of(KINDS), metavar="KIND", nargs="?", help=kinds)
    seed = "seed of all draws; the same seed and NumPy give the same table; default: 0"
    add(built, "--seed", "S", seed, whole(0), default=0)
    add_file(built)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The output and the exit status of the command."""
    if args.output is None and is_terminal(sys.stdout):
        raise ValueError("--output is missing: name a file to write; the table is long")
    from ..numeric.simulate import simulate_counts, simulate_losses
    from ..numeric.simulate.evaluations import simulate

    seed = args.seed
    if args.kind == "counts":
        table = simulate_counts(seeds=(3 * seed, 3 * seed + 1, 3 * seed + 2))
    else:
        table = simulate_losses(seed=seed) if args.kind == "runs" else simulate(seed=seed)
    return table.to_csv(index=False, lineterminator="\n"), DONE
