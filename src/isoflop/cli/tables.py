"""The table that a command reads: its file, its columns, which rows, and what they hold."""

from __future__ import annotations

from contextlib import contextmanager

from .arguments import POSITIONAL, takes_one, takes_several
from .errors import UsageError, outside, shown, with_options
from .numerals import parse_whole
from .run_options import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.pass_table import PassTable
    from ..numeric.data.runs import Runs
    from ..numeric.data.table import Table
    from .arguments import Options, Parser

FORMATS = "CSV, JSON or JSON lines file of {}; Parquet where pyarrow is installed"
USUAL = "repeatable; usual names are recognised"
DRAWS = "a whole number of at least 1 (and at most 2^53)"
KINDS = "NAME=accuracy or NAME=proxy, such as f1=proxy"
#: Options of fits to counts that other fits do not have, and columns that other tables do not have.
OF_COUNTS = (
    "--k",
    "--models",
    "--gold",
    "--method",
    "--cluster",
    "--coupled",
    "--loss-law",
    "n_samples",
    "n_correct",
)
#: Options that set an argument of the readers under another name.
OPTION_OF = {
    "columns": "--column",
    "metrics": "--metric",
    "small": "--small-runs",
    "benchmarks": "--average",
}


# -- declarations ----------------------------------------------------------------------------------


def _declare(parser: Parser, metavar: str, noun: str, columns: str, example: str) -> Any:
    """The file, and the options of any table."""
    parser.add_argument(POSITIONAL, metavar=metavar, nargs="*", help=FORMATS.format(noun))
    group = parser.add_argument_group(noun)
    takes_one(group, "--column", "NAME=COLUMN", f"the column that holds {columns}; {USUAL}")
    takes_one(group, "--where", "CONDITION", f"only these rows, such as {example}")
    return group


def declare_runs(parser: Parser) -> None:
    """The file of runs and the options that tell how to read it."""
    quantities = (
        "params, tokens, compute, loss, accuracy, weight or group, or a name of an expression"
    )
    group = _declare(parser, "RUNS", "runs", quantities, "\"loss < 4.5 and `data set` == 'c4'\"")
    takes_one(
        group,
        "--random-baseline",
        "SHARE",
        "accuracy of guessing; then -log((Q - Qr)/(1 - Qr)) is fitted",
    )


def declare_counts(parser: Parser) -> None:
    """The file of counts and the options that tell how to read it."""
    quantities = "problem, n_samples, n_correct, model, benchmark, params, tokens, compute or gold"
    group = _declare(
        parser, "COUNTS", "counts", quantities, "\"benchmark == 'gsm8k' and n_samples >= 128\""
    )
    takes_one(
        group,
        "--by",
        "COLUMN,...",
        "columns whose values make a group; default: benchmark and model, as far as there are",
    )
    takes_one(
        group,
        "--models",
        "TABLE",
        "file with params, tokens or compute of each model; two of them give the third",
    )
    takes_one(
        group,
        "--gold",
        "TABLE",
        "file with the -log probability of the gold solutions, in nats, by model or by problem",
    )


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
    quantities = f"run, benchmark, metric_type, score, {'random_baseline, ' if guessing else ''}params, tokens or compute"
    wide = "or in a table with a row for each run the benchmark NAME; NAME= puts one aside"
    group = _declare(
        parser,
        metavar,
        "evaluations",
        f"{quantities}, {wide}",
        "\"score < 1 and metric_type != 'f1'\"",
    )
    takes_several(group, "--benchmark", "NAME", benchmarks)
    group.add_argument("--percent", action="store_true", help="accuracy is in percent")
    takes_one(
        group,
        "--metric",
        "NAME=KIND",
        "accuracy or proxy, for a metric that is not known by its name; repeatable",
    )


def names_counts(words: Sequence[str]) -> bool:
    """Whether the words of a command name a table of counts, or options that only fits to counts
    have.
    """
    from pathlib import Path

    from ..numeric.data.kinds import kind_of
    from ..numeric.data.table import table_of

    if any(word.partition("=")[0] in OF_COUNTS for word in words):
        return True
    for word in words:
        try:
            if (
                not word.startswith("-")
                and Path(word).is_file()
                and kind_of(table_of(word)) == "counts"
            ):
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
        metavar = "COUNTS" if noun == "counts" else "RUNS"
        words = options.words(POSITIONAL)
        if words is None:
            after = "".join(
                f", in front of {option}, which takes all that follows it"
                for option in options.given(*lists)[:1]
            )
            raise UsageError(f"{metavar} is missing: name a CSV or JSON file of {noun}{after}")
        if len(words) > 1:
            raise UsageError(f"unexpected argument {shown(words[1])}: one file of {noun} at a time")
        self.options, self.path = options, words[0]
        self.columns = {
            name: column or None for name, column in assignments(options, "--column").items()
        }
        self.where = options.one("--where")
        self.metrics, self.by = _metrics(options), _by(options)
        self.random_baseline = (
            None if noun == "evaluations" else share(options, "--random-baseline", zero=True)
        )
        self._table = table

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

        baseline = self.random_baseline
        with self.in_options():
            return Runs.read(
                self.table(),
                **self._reading(),
                require=needed,
                random_baseline=baseline,
                names=names,
            )

    def counts(self) -> Counts:
        """The counts."""
        from ..numeric.data.counts import Counts

        models, gold = self.options.one("--models"), self.options.one("--gold")
        with self.in_options():
            return Counts.read(
                self.table(), **self._reading(), by=self.by, models=models, gold=gold
            )

    def pass_at_k(self) -> PassTable:
        """The values of pass@k in a table that holds these rather than counts."""
        from ..numeric.data.pass_table import PassTable

        with self.in_options():
            return PassTable.read(self.table(), **self._reading(), by=self.by)

    def evaluations(self) -> Evaluations:
        """All evaluations of the file."""
        from ..numeric.data.evaluations import Evaluations

        percent, metrics = "--percent" in self.options, self.metrics
        with self.in_options():
            return Evaluations.read(
                self.table(), **self._reading(), percent=percent, metrics=metrics or None
            )

    def _reading(self) -> dict[str, Any]:
        return {"columns": self.columns or None, "where": self.where}


def assignments(
    options: Options, option: str, domain: str = "NAME=COLUMN, such as params='Model Size'"
) -> dict[str, str]:
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


def _metrics(options: Options) -> dict[str, str]:
    metrics = assignments(options, "--metric", KINDS)
    for name, kind in metrics.items():
        if kind not in ("accuracy", "proxy"):
            raise outside("--metric", f"{name}={kind}", KINDS)
    return metrics


def _by(options: Options) -> tuple[str, ...] | None:
    """The columns that make a group."""
    by = options.several("--by")
    if by is not None and not all(by):
        words = " ".join(options.words("--by") or ())
        raise UsageError(f"--by {shown(words)}: must be names of columns, such as model")
    return None if by is None else tuple(dict.fromkeys(by))


def draws_of(options: Options, option: str = "--k") -> list[int] | None:
    """The values of --k, or of another option for such; None where it was not given."""
    entries = options.several(option)
    if entries is None:
        return None
    draws: list[int] = []
    for entry in entries:
        try:
            value = parse_whole(entry)
        except ValueError as error:
            raise outside(option, entry, DRAWS, str(error)) from None
        if not (1.0 <= value <= 2.0**53 and value == int(value)):
            raise outside(option, entry, DRAWS)
        if int(value) in draws:
            raise UsageError(f"{option} {shown(entry)}: is given twice")
        draws.append(int(value))
    return draws
