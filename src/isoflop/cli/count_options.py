"""Options that commands on counts of samples share: the table, its columns, which rows, and what makes a group."""

from __future__ import annotations

from .arguments import POSITIONAL, takes_one
from .errors import UsageError, outside, shown
from .numerals import parse_whole
from .run_options import columns, of_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.data.counts import Counts
    from ..numeric.data.pass_table import PassTable
    from ..numeric.data.runs_file import Table
    from .arguments import Options, Parser

DRAWS = "a whole number of at least 1 (and at most 2^53)"
#: The columns that make a table one of counts.
COUNTED = ("n_samples", "n_correct")
#: Options of fits to counts that other fits do not have.
OF_COUNTS = ("--k", "--models", "--gold", "--method", "--cluster", "--coupled", "--loss-law")
LONGEST_HEADER = 100_000
QUANTITIES = "problem, n_samples, n_correct, model, benchmark, params, tokens, compute or gold"


def declare_counts(parser: Parser) -> None:
    """The file of counts and the options that tell how to read it."""
    parser.add_argument(
        POSITIONAL, metavar="COUNTS", nargs="*", help="CSV, JSON or JSON lines file of counts; Parquet where pyarrow is installed"
    )
    data = parser.add_argument_group("counts")
    takes_one(
        data,
        "--column",
        "NAME=COLUMN",
        f"the column that holds {QUANTITIES}; repeatable; usual names are recognised",
    )
    takes_one(data, "--where", "CONDITION", "only these rows, such as \"benchmark == 'gsm8k' and n_samples >= 128\"")
    takes_one(data, "--by", "COLUMN,...", "columns whose values make a group; default: benchmark and model, as far as there are")
    takes_one(data, "--models", "TABLE", "file with params, tokens or compute of each model; two of them give the third")
    takes_one(data, "--gold", "TABLE", "file with the -log probability of the gold solutions, in nats, by model or by problem")


class CountTable:
    """The table of counts that was asked for, its options checked before any work is done."""

    def __init__(self, options: Options, lists: Sequence[str] = ()) -> None:
        """`lists`: options that take all the words after them."""
        words = options.words(POSITIONAL)
        if words is None:
            after = "".join(f", in front of {option}, which takes all that follows it" for option in options.given(*lists)[:1])
            raise UsageError(f"COUNTS is missing: name a CSV or JSON file of counts{after}")
        if len(words) > 1:
            raise UsageError(f"unexpected argument {shown(words[1])}: one file of counts at a time")
        self.path = words[0]
        self.typed = options.words("--column") or []
        self.columns = columns(options)
        self.where = options.one("--where")
        by = options.several("--by")
        if by is not None and not all(by):
            raise UsageError(f"--by {shown(' '.join(options.words('--by') or ()))}: must be names of columns, such as model")
        self.by = None if by is None else tuple(dict.fromkeys(by))
        self.models, self.gold = options.one("--models"), options.one("--gold")

    def table(self) -> Table:
        """The table as it is."""
        from ..numeric.data.runs_file import table_of

        return self._blamed(lambda: table_of(self.path))

    def read(self, table: Table | None = None) -> Counts:
        """The counts."""
        from ..numeric.data.counts import Counts

        data = self.path if table is None else table
        return self._blamed(lambda: Counts.read(data, **self._options(), models=self.models, gold=self.gold))

    def read_pass_at_k(self, table: Table | None = None) -> PassTable:
        """The values of pass@k in a table that holds these rather than counts."""
        from ..numeric.data.pass_table import PassTable

        return self._blamed(lambda: PassTable.read(self.path if table is None else table, **self._options()))

    def _options(self) -> dict[str, Any]:
        return {"columns": self.columns or None, "where": self.where, "by": self.by}

    def _blamed(self, read: Any) -> Any:
        try:
            return read()
        except ValueError as error:
            message = str(error)
            for word in self.typed:
                name, _, column = word.partition("=")
                bare = message.removeprefix("columns: ")
                if f"no column {column.strip()!r} for " in message or (bare != message and repr(name.strip()) in bare):
                    raise UsageError(f"--column {shown(word)}: {bare}") from None
            raise of_option(error, ("where=", "--where", self.where), ("by=", "--by", self.by)) from None


def names_counts(words: Sequence[str]) -> bool:
    """Whether the words of a command name a table of counts, columns of one, or options that only counts have."""
    if any(word.partition("=")[0] in (*COUNTED, *OF_COUNTS) for word in words):
        return True
    return any(_holds_counts(word) for word in words if not word.startswith("-"))


def _holds_counts(path: str) -> bool:
    """Whether a file has columns of samples and of correct ones; of a text table its first line tells."""
    from pathlib import Path

    from ..numeric.data.counts_columns import Choice

    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            first = file.readline(LONGEST_HEADER).decode(errors="replace").strip()
        names = [name.strip(" \"'\ufeff") for name in first.split(",")]
        if first[:1] in ("{", "[") or first.startswith("PAR1"):
            from ..numeric.data.runs_file import table_of

            names = list(table_of(path).names)
        return all(Choice({}).column(name, path, names) is not None for name in COUNTED)
    except (OSError, ValueError):  # whoever reads the table will say what is wrong
        return False


def draws_of(options: Options, option: str = "--k") -> list[int] | None:
    """The values of --k, or of another option for such; None where it was not given."""
    entries = options.several(option)
    if entries is None:
        return None
    found: list[int] = []
    for entry in entries:
        try:
            value = parse_whole(entry)
        except ValueError as error:
            raise outside(option, entry, DRAWS, str(error)) from None
        if not (1.0 <= value <= 2.0**53 and value == int(value)):
            raise outside(option, entry, DRAWS)
        if int(value) in found:
            raise UsageError(f"{option} {shown(entry)}: is given twice")
        found.append(int(value))
    return found
