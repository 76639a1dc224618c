"""The table that a command reads: its file, its columns, which rows, and what they hold."""

from __future__ import annotations

from contextlib import contextmanager

from .arguments import POSITIONAL, takes_one, takes_pairs, takes_several
from .domains import columns, guess
from .errors import with_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.runs import Runs
    from ..numeric.data.table import Table
    from .arguments import Group, Options, Parser

FORMATS = "CSV, JSON or JSON lines file of {}; Parquet where pyarrow is installed"
USUAL = "repeatable; usual names are recognised"
COLUMNS = "NAME=COLUMN"
#: Options of fits to counts that other fits do not have, and columns that other tables do not have.
OF_COUNTS = (
    "--k",
    "--models",
    "--gold",
    "--method",
    "--cluster",
    "n_samples",
    "n_correct",
)
#: Options that set an argument of the readers under another name.
OPTION_OF = {
    "columns": "--column",
    "small": "--small-runs",
    "benchmarks": "--average",
}


# -- declarations ----------------------------------------------------------------------------------


def _declare(parser: Parser, metavar: str, noun: str, quantities: str, example: str) -> Group:
    """The file, and the options of any table."""
    parser.add_argument(POSITIONAL, metavar=metavar, nargs="*", help=FORMATS.format(noun))
    parser.file = f"{metavar} is missing: name a CSV or JSON file of {noun}"
    group = parser.add_argument_group(noun)
    meaning = f"the column, or expression, that holds {quantities}; {USUAL}"
    takes_pairs(group, "--column", COLUMNS, meaning)
    takes_one(group, "--where", "CONDITION", f"only these rows, such as {example}")
    return group


def declare_runs(parser: Parser) -> None:
    """The file of runs and the options that tell how to read it."""
    quantities = (
        "params, tokens, compute, loss, accuracy, weight or group, or a name of an expression"
    )
    group = _declare(parser, "RUNS", "runs", quantities, "\"loss < 4.5 and `data set` == 'c4'\"")
    guessing = "accuracy of guessing; then -log((Q - Qr)/(1 - Qr)) is fitted"
    takes_one(group, "--random-baseline", "SHARE", guessing, guess)


def declare_counts(parser: Parser) -> None:
    """The file of counts and the options that tell how to read it."""
    quantities = "problem, n_samples, n_correct, model, benchmark, params, tokens, compute or gold"
    example = "\"benchmark == 'gsm8k' and n_samples >= 128\""
    declare_models(_declare(parser, "COUNTS", "counts", quantities, example))


def declare_models(group: Group) -> None:
    """What makes a model of counts, and what is known of each."""
    by = "columns whose values make a group; default: benchmark and model, as far as there are"
    takes_one(group, "--by", "COLUMN,...", by, columns)
    models = "file with params, tokens or compute of each model; two of them give the third"
    takes_one(group, "--models", "TABLE", models)
    gold = "file with the -log probability of the gold solutions, in nats, by model or by problem"
    takes_one(group, "--gold", "TABLE", gold)


def declare_evaluations(
    parser: Parser,
    *,
    guessing: bool = True,
    benchmarks: str = "only these benchmarks; default: all",
    metavar: str = "RUNS",
) -> None:
    """The file of evaluations and the options that tell how to read it, and what guessing scores
    where that plays a part.
    """
    chance = "random_baseline, " if guessing else ""
    quantities = (
        f"run, benchmark, metric_type, score, {chance}params, tokens or compute, or in a table "
        f"with a row for each run the benchmark NAME; NAME= puts one aside"
    )
    example = "\"score < 1 and metric_type != 'f1'\""
    group = _declare(parser, metavar, "evaluations", quantities, example)
    takes_several(group, "--benchmark", "NAME", benchmarks, distinct=True)


def names_counts(words: Sequence[str]) -> bool:
    """Whether the words of a command name a table of counts, or options that only fits to counts
    have.
    """
    from pathlib import Path

    from ..numeric.data.metrics import kind_of
    from ..numeric.data.table import table_of

    if any(word.partition("=")[0] in OF_COUNTS for word in words):
        return True
    for word in words:
        try:
            is_file = not word.startswith("-") and Path(word).is_file()
            if is_file and kind_of(table_of(word)) == "counts":
                return True
        except (OSError, ValueError):  # whoever reads the table will say what is wrong
            continue
    return False


# -- what was asked --------------------------------------------------------------------------------


class TableOptions:
    """A table and the options that say how to read it.

    Attributes
    ----------
    path : str
    columns : dict of str to str or None
        What --column says.
    where : str or None
    """

    def __init__(self, options: Options, table: Table | None = None) -> None:
        """`table`: the file, if it was read."""
        (self.path,), self.options, self._table = options.words(POSITIONAL), options, table
        self.columns = {name: held or None for name, held in (options["--column"] or {}).items()}
        self.where = options["--where"]

    @contextmanager
    def in_options(self) -> Iterator[None]:
        """Errors of the library come in the words of the options."""
        from ..numeric.errors import ArgumentError

        try:
            yield
        except ArgumentError as error:
            raise with_options(error, self.options, OPTION_OF) from None

    def table(self) -> Table:
        """The table as it is, read once: a pipe gives nothing twice."""
        from ..numeric.data.table import table_of

        if self._table is None:
            with self.in_options():
                self._table = table_of(self.path)
        return self._table

    def runs(self, *needed: str, names: Collection[str] = ()) -> Runs:
        """The runs, each with these quantities; `names`: those of an expression, which may have
        columns of their own.
        """
        from ..numeric.data.runs import Runs

        baseline = self.options["--random-baseline"]
        return self._view(Runs, require=needed, random_baseline=baseline, names=names)

    def counts(self) -> Counts:
        """The counts."""
        from ..numeric.data.counts import Counts

        how = {name: self.options[f"--{name}"] for name in ("by", "models", "gold")}
        return self._view(Counts, **how)

    def impossible(self) -> list[dict[str, Any]]:
        """The impossible values of a table that holds pass@k rather than counts."""
        from ..numeric.passk.inequalities import impossible

        how: dict[str, Any] = {"columns": self.columns or None, "where": self.where}
        with self.in_options():
            return impossible(self.table(), by=self.options["--by"], **how)

    def evaluations(self) -> Evaluations:
        """All evaluations of the file."""
        from ..numeric.data.evaluations import Evaluations

        return self._view(Evaluations)

    def _view(self, view: Any, **how: Any) -> Any:
        table = self.table()
        with self.in_options():
            return view.read(table, columns=self.columns or None, where=self.where, **how)
