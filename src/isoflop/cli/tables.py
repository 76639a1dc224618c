"""The table that a command reads: its file, its columns, which rows, and what they hold."""

from __future__ import annotations

from contextlib import contextmanager

from .arguments import POSITIONAL, takes_one, takes_several
from .errors import UsageError, outside, shown, with_options
from .run_options import share, whole_of

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
COLUMNS = "NAME=COLUMN, such as params='Model Size' or tokens='tokens_B*1e9'"
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


def _declare(parser: Parser, metavar: str, noun: str, columns: str, example: str) -> Any:
    """The file, and the options of any table."""
    parser.add_argument(POSITIONAL, metavar=metavar, nargs="*", help=FORMATS.format(noun))
    group = parser.add_argument_group(noun)
    takes_one(
        group,
        "--column",
        "NAME=COLUMN",
        f"the column, or expression, that holds {columns}; {USUAL}",
    )
    takes_one(group, "--where", "CONDITION", f"only these rows, such as {example}")
    return group


def declare_runs(parser: Parser) -> None:
    """The file of runs and the options that tell how to read it."""
    quantities = (
        "params, tokens, compute, loss, accuracy, weight or group, or a name of an expression"
    )
    group = _declare(parser, "RUNS", "runs", quantities, "\"loss < 4.5 and `data set` == 'c4'\"")
    guessing = "accuracy of guessing; then -log((Q - Qr)/(1 - Qr)) is fitted"
    takes_one(group, "--random-baseline", "SHARE", guessing)


def declare_counts(parser: Parser) -> None:
    """The file of counts and the options that tell how to read it."""
    quantities = "problem, n_samples, n_correct, model, benchmark, params, tokens, compute or gold"
    example = "\"benchmark == 'gsm8k' and n_samples >= 128\""
    declare_models(_declare(parser, "COUNTS", "counts", quantities, example))


def declare_models(group: Group) -> None:
    """What makes a model of counts, and what is known of each."""
    by = "columns whose values make a group; default: benchmark and model, as far as there are"
    takes_one(group, "--by", "COLUMN,...", by)
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
    takes_several(group, "--benchmark", "NAME", benchmarks)


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
    """A table and the options that say how to read it, checked before any work is done.

    Attributes
    ----------
    path : str
    columns : dict of str to str or None
        What --column says.
    where : str or None
    """

    def __init__(
        self, options: Options, noun: str, lists: Sequence[str] = (), table: Table | None = None
    ) -> None:
        """`noun`: what the file holds; `lists`: options that take all the words after them;
        `table`: the file, if it was read.
        """
        words = options.words(POSITIONAL)
        if words is None:
            after = [
                f", in front of {option}, which takes all that follows it"
                for option in options.given(*lists)[:1]
            ]
            metavar = "COUNTS" if noun == "counts" else "RUNS"
            what = f"{metavar} is missing: name a CSV or JSON file of {noun}"
            raise UsageError("".join((what, *after)))
        if len(words) > 1:
            raise UsageError(f"unexpected argument {shown(words[1])}: one file of {noun} at a time")
        self.options, self.path, self._table = options, words[0], table
        columns = assignments(options, "--column", COLUMNS)
        self.columns = {name: column or None for name, column in columns.items()}
        self.where = options.one("--where")
        by = options.several("--by")
        if by is not None and not all(by):
            raise outside("--by", " ".join(options.words("--by") or ()), "names of columns")
        self.by = None if by is None else tuple(dict.fromkeys(by))
        self.random_baseline = None
        if noun != "evaluations":
            self.random_baseline = share(options, "--random-baseline", zero=True)

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

        return self._view(Runs, require=needed, random_baseline=self.random_baseline, names=names)

    def counts(self) -> Counts:
        """The counts."""
        from ..numeric.data.counts import Counts

        models, gold = self.options.one("--models"), self.options.one("--gold")
        return self._view(Counts, by=self.by, models=models, gold=gold)

    def impossible(self) -> list[dict[str, Any]]:
        """The impossible values of a table that holds pass@k rather than counts."""
        from ..numeric.passk.inequalities import impossible

        reading: dict[str, Any] = {
            "columns": self.columns or None,
            "where": self.where,
            "by": self.by,
        }
        with self.in_options():
            return impossible(self.table(), **reading)

    def evaluations(self) -> Evaluations:
        """All evaluations of the file."""
        from ..numeric.data.evaluations import Evaluations

        return self._view(Evaluations)

    def _view(self, view: Any, **how: Any) -> Any:
        table = self.table()
        with self.in_options():
            return view.read(table, columns=self.columns or None, where=self.where, **how)


def assignments(options: Options, option: str, domain: str) -> dict[str, str]:
    """NAME=VALUE of an option that may be repeated."""
    values: dict[str, str] = {}
    for word in options.words(option) or ():
        name, value = assigned(option, word, domain)
        if name in values:
            raise UsageError(f"{option} {shown(word)}: {name} is given twice")
        values[name] = value
    return values


def assigned(option: str, word: str, domain: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE."""
    name, equals, value = word.partition("=")
    if not equals or not name.strip():
        raise outside(option, word, domain)
    return name.strip(), value.strip()


def draws_of(options: Options, option: str = "--k") -> list[int] | None:
    """The values of --k, or of another option for such; None where it was not given."""
    entries = options.several(option)
    if entries is None:
        return None
    draws = [whole_of(option, entry, 1) for entry in entries]
    for entry, value in zip(entries, draws, strict=True):
        if draws.count(value) > 1:
            raise UsageError(f"{option} {shown(entry)}: is given twice")
    return draws
