"""The table that a command reads: its file, its columns, which rows, and what they hold."""

from __future__ import annotations

from .arguments import POSITIONAL, takes
from .domains import column_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.runs import Runs
    from ..numeric.data.table import Table
    from .arguments import Group, Options, Parser

FORMATS = "CSV, JSON or JSON lines file of {}; Parquet where pyarrow is installed"
USUAL = "repeatable; usual names are recognised"
COLUMNS = "NAME=COLUMN"


# -- declarations ----------------------------------------------------------------------------------


def _declare(parser: Parser, metavar: str, noun: str, quantities: str, example: str) -> Group:
    """The file, and the options of any table."""
    parser.add_argument(POSITIONAL, metavar=metavar, nargs="*", help=FORMATS.format(noun))
    parser.file = f"{metavar} is missing: name a CSV or JSON file of {noun}"
    group = parser.add_argument_group(noun)
    meaning = f"the column, or expression, that holds {quantities}; {USUAL}"
    takes(group, "--column", COLUMNS, meaning, form="pairs", sets="columns")
    takes(group, "--where", "CONDITION", f"only these rows, such as {example}")
    return group


def declare_runs(parser: Parser) -> None:
    """The file of runs and the options that tell how to read it."""
    quantities = "params, tokens, compute, loss, weight or group, or a name of an expression"
    _declare(parser, "RUNS", "runs", quantities, "\"loss < 4.5 and `data set` == 'c4'\"")


def declare_counts(parser: Parser) -> None:
    """The file of counts and the options that tell how to read it."""
    quantities = "problem, n_samples, n_correct, model, benchmark, params, tokens, compute or gold"
    example = "\"benchmark == 'gsm8k' and n_samples >= 128\""
    declare_models(_declare(parser, "COUNTS", "counts", quantities, example))


def declare_models(group: Group) -> None:
    """What makes a model of counts, and what is known of each."""
    by = "columns whose values make a group; default: benchmark and model, as far as there are"
    takes(group, "--by", "COLUMN,...", by, column_names)
    models = "file with params, tokens or compute of each model; two of them give the third"
    takes(group, "--models", "TABLE", models)
    gold = "file with the -log probability of the gold solutions, in nats, by model or by problem"
    takes(group, "--gold", "TABLE", gold)


def declare_evaluations(
    parser: Parser,
    *,
    benchmarks: str = "only these benchmarks; default: all",
    metavar: str = "RUNS",
) -> None:
    """The file of evaluations and the options that tell how to read it."""
    quantities = (
        "run, benchmark, metric_type, score, random_baseline, params, tokens or compute, or in a "
        "table with a row for each run the benchmark NAME; NAME= puts one aside"
    )
    example = "\"score < 1 and metric_type != 'f1'\""
    group = _declare(parser, metavar, "evaluations", quantities, example)
    takes(group, "--benchmark", "NAME", benchmarks, form="words", distinct=True)


# -- reading ---------------------------------------------------------------------------------------


def table(options: Options) -> Table:
    """The table as it is: a pipe gives nothing twice."""
    from ..numeric.data.table import table_of

    return table_of(options.words(POSITIONAL)[0])


def columns(options: Options) -> dict[str, str | None]:
    """What ``--column`` says: quantity -> column, None where there is none."""
    return {name: column or None for name, column in (options["--column"] or {}).items()}


def view(options: Options, kind: Any, held: Table | None = None, **how: Any) -> Any:
    """The table as a kind of view, `Runs`, `Counts` or `Evaluations`; `held`: the table, if it was
    read.
    """
    read = table(options) if held is None else held
    return kind.read(read, columns=columns(options) or None, where=options["--where"], **how)


def runs(
    options: Options, *needed: str, names: Collection[str] = (), held: Table | None = None
) -> Runs:
    """The runs, each with these quantities; `names`: those of an expression, which may have columns
    of their own.
    """
    from ..numeric.data.runs import Runs

    found: Runs = view(options, Runs, held, require=needed, names=names)
    return found


def counts(options: Options, held: Table | None = None) -> Counts:
    """The counts."""
    from ..numeric.data.counts import Counts

    how = {name: options[f"--{name}"] for name in ("by", "models", "gold")}
    found: Counts = view(options, Counts, held, **how)
    return found


def evaluations(options: Options, held: Table | None = None) -> Evaluations:
    """All evaluations of the file."""
    from ..numeric.data.evaluations import Evaluations

    found: Evaluations = view(options, Evaluations, held)
    return found
