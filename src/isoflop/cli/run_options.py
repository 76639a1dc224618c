"""Options that commands on a table of runs share: the file, its columns, which rows; and how such commands fail."""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, takes_one
from .errors import UsageError, one_line, outside, shown
from .numerals import parse, parse_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from ..numeric.data.runs import Runs
    from ..numeric.data.table import Table
    from .arguments import Options, Parser

OBJECTIVES = ("huber-log", "absolute-log", "least-squares-log", "least-squares", "pinball-log")
SHARE = "a number between 0 and 1"


def declare_runs(parser: Parser) -> None:
    """The file of runs and the options that tell how to read it."""
    parser.add_argument(
        POSITIONAL, metavar="RUNS", nargs="*", help="CSV, JSON or JSON lines file of runs; Parquet where pyarrow is installed"
    )
    data = parser.add_argument_group("runs")
    quantities = "params, tokens, compute, loss, accuracy, weight or group"
    takes_one(
        data,
        "--column",
        "NAME=COLUMN",
        f"the column that holds {quantities}, or a name of an expression; repeatable; usual names are recognised",
    )
    takes_one(data, "--where", "CONDITION", "only these rows, such as \"loss < 4.5 and `data set` == 'c4'\"")
    takes_one(data, "--random-baseline", "SHARE", "accuracy of guessing; then -log((Q - Qr)/(1 - Qr)) is fitted")


class RunTable:
    """The table of runs that was asked for, its options checked before any work is done."""

    def __init__(self, options: Options, lists: Sequence[str] = ()) -> None:
        """`lists`: options that take all the words after them."""
        words = options.words(POSITIONAL)
        if words is None:
            after = "".join(f", in front of {option}, which takes all that follows it" for option in options.given(*lists)[:1])
            raise UsageError(f"RUNS is missing: name a CSV or JSON file of runs{after}")
        if len(words) > 1:
            raise UsageError(f"unexpected argument {shown(words[1])}: one file of runs at a time")
        self.path = words[0]
        self.typed = options.words("--column") or []
        self.columns = columns(options)
        self.where = options.one("--where")
        self.baseline = share(options, "--random-baseline", zero=True)

    def read(self, *needed: str, names: Collection[str] = (), table: Table | None = None) -> Runs:
        """The runs, each with these quantities; `names`: those of an expression, which may have columns of their own.

        `table`: what the file holds, where it was read before; a pipe can be read once.
        """
        from ..numeric.data.runs import Runs

        try:
            return Runs.read(
                self.path if table is None else table,
                columns=self.columns or None,
                where=self.where,
                require=needed,
                random_baseline=self.baseline,
                names=names,
            )
        except ValueError as error:
            if self.typed and (blamed := self._of_column(str(error))):
                raise UsageError(blamed) from None
            given = (("where=", "--where", self.where), ("random_baseline=", "--random-baseline", self.baseline))
            raise of_option(error, *given) from None

    def _of_column(self, message: str) -> str:
        """The error with the --column that it is about in front; "" where it is about none."""
        for word in self.typed:
            name, _, column = word.partition("=")
            bare = message.removeprefix("columns: ")
            about = f"no column {column.strip()!r} for " in message or (
                bare != message and (repr(name.strip()) in bare or repr(column.strip()) in bare)
            )
            if about:
                return f"--column {shown(word)}: {bare}"
        return ""


def columns(options: Options) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for word in options.words("--column") or ():
        name, column = assigned("--column", word, "NAME=COLUMN, such as params='Model Size'")
        if name in found:
            raise UsageError(f"--column {shown(word)}: {name} is given twice")
        found[name] = column or None
    return found


def assigned(option: str, word: str, domain: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name.strip():
        raise outside(option, word, domain)
    return name.strip(), value.strip()


def share(options: Options, option: str, *, zero: bool = False) -> float | None:
    text = options.one(option)
    if text is None:
        return None
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, text.strip(), SHARE, str(error)) from None
    if not (0.0 < value < 1.0 or (zero and value == 0.0)):
        raise outside(option, text.strip(), "a number from 0 to less than 1" if zero else SHARE)
    return value


def whole(options: Options, option: str, *, least: int | None) -> int | None:
    """A whole number of at least so much, or where there is no least one, other than 0."""
    text = options.one(option)
    if text is None:
        return None
    domain = "a whole number other than 0" if least is None else f"a whole number of at least {least}"
    try:
        value = parse_whole(text)
    except ValueError as error:
        raise outside(option, text.strip(), domain, str(error)) from None
    if not (abs(value) <= 2**53 and value == int(value) and (value != 0 if least is None else value >= least)):
        raise outside(option, text.strip(), domain)
    return int(value)


def target(options: Options, option: str) -> str | None:
    """A file to write, refused before the work where it cannot be one."""
    path = options.one(option)
    if path is None:
        return None
    from pathlib import Path

    target = Path(path)
    if not path or target.is_dir():
        raise UsageError(f"{option} {shown(path)}: must be a file to write, not a directory")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{option} {shown(path)}: cannot be written (No such directory)")
    return path


def check_figure(path: str, option: str = "--plot") -> None:
    from ..numeric.plot.panels import FORMATS as ENDINGS

    if not path.lower().endswith(ENDINGS):
        raise UsageError(f"{option} {shown(path)}: must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")


def of_option(error: ValueError, *known: tuple[str, str, Any]) -> UsageError:
    """The error in the user's words where it begins with an argument that has an option; else as it is."""
    message = str(error)
    for start, option, value in known:
        if value is None:
            continue
        for named in (f"{start}{value!r}: ", f"{value!r}: ", start):
            if message.startswith(named):
                return UsageError(f"{option} {shown(str(value))}: {_without_number(message.removeprefix(named), value)}")
    return UsageError(message)


def _without_number(complaint: str, value: Any) -> str:
    """The complaint without the number in front of it where that is what the user typed, in another spelling.

    >>> _without_number("1000.0: no run is near", "1k"), _without_number("1000.0: no run is near", "7")
    ('no run is near', '1000.0: no run is near')
    """
    head, colon, rest = complaint.partition(": ")
    try:
        return rest if colon and isinstance(value, str) and float(head) == parse(value) else complaint
    except ValueError:
        return complaint


def is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def say_interrupted(text: str) -> None:
    """One line on the standard error."""
    from contextlib import suppress

    if sys.stderr is not None:
        with suppress(OSError):
            print("isoflop: interrupted:", one_line(text), file=sys.stderr)
