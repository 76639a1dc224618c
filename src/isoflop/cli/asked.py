"""The runs that penalty and allocate are asked about, and what is doubtful about them."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import takes
from .domains import flop, positive
from .errors import UsageError, blamed, typed
from .in_accuracy import IN_ACCURACY, accuracy_of
from .render import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Group, Options

    #: Arguments of the library, and the options with their values as they were typed.
    Asked = tuple[dict[str, float], tuple[tuple[str, str], ...]]

OF_A_RUN = ("--params", "--tokens", "--compute", "--tokens-per-param", "--loss")
#: Fewer params or tokens are taken for a slip: 7 for 7B.
FEW = 1e4


def declare_run(group: Group, *, loss: str) -> None:
    """The options that give a run, two of them together."""
    takes(group, "--params", "N", "params", positive, "list")
    takes(group, "--tokens", "D", "training tokens", positive, "list")
    takes(group, "--compute", "C", "training compute in FLOP", flop, "list")
    takes(group, "--tokens-per-param", "T", "tokens per param", positive, "list")
    takes(group, "--loss", "L", loss, positive, "list")


def asked(options: Options, names: Sequence[str]) -> list[Asked]:
    """The values of options that belong to each other; one value goes with all of the other's."""
    columns = [list(zip(options.entries(name), options[name], strict=True)) for name in names]
    size = max(map(len, columns), default=0)
    if any(len(column) not in (1, size) for column in columns):
        counts = " and ".join(str(len(column)) for column in columns)
        raise UsageError(
            f"{listed(options, names)}: must be as many of one as of the other, got {counts}"
        )
    full = [column * size if len(column) == 1 else column for column in columns]
    return [
        (
            {argument(name): value for name, (_, value) in zip(names, row, strict=True)},
            tuple((name, text) for name, (text, _) in zip(names, row, strict=True)),
        )
        for row in zip(*full, strict=True)
    ]


def argument(option: str) -> str:
    """The argument that an option sets.

    >>> argument("--tokens-per-param")
    'tokens_per_param'
    """
    return option.removeprefix("--").replace("-", "_")


def listed(options: Options, given: Iterable[str]) -> str:
    """Options with their lists as they were typed."""
    return typed(*((option, " ".join(options.entries(option))) for option in given))


def each(
    laws: Sequence[Law],
    points: Sequence[Asked],
    result: Callable[[Law, dict[str, float]], Any],
) -> list[Any]:
    """The results of all laws at all points; UsageError with the options that led to a figure which
    no float holds.
    """
    found = []
    for law in laws:
        for arguments, words in points:
            try:
                found.append(result(law, arguments))
                found[-1].as_dict()
            except ValueError as error:
                raise blamed(error, *words) from None
    return found


def names_of(laws: Sequence[Law]) -> str | list[str]:
    """The name of the one law, or those of several, for JSON."""
    names = [law.name for law in laws]
    return names[0] if len(names) == 1 else names


def tables_of(
    rows: Sequence[Any],
    known: Mapping[str, float],
    spelling: Notation,
) -> list[Table]:
    """A table of the laws of loss and one of the laws of accuracy, which are known, each with that
    of its intervals.
    """
    from ..numeric.law.tables import result_tables

    tables: list[Table] = []
    for is_accuracy in (False, True):
        some = [row for row in rows if (row.law.name in known) == is_accuracy]
        if some:
            names = IN_ACCURACY if is_accuracy else {}
            more = {"accuracy": lambda row: accuracy_of(row, known)} if is_accuracy else {}
            more = more if some[0].view == "allocations" else {}
            tables += result_tables(some, names, spelling, more=more)
    return tables


def doubts(rows: Sequence[Any]) -> list[str]:
    """Runs of hardly any params or tokens, and runs far beyond those that their law was fitted to; a
    run has params, tokens and compute.
    """
    from ..numeric.law.file import beyond

    texts = []
    for row in rows:
        texts += [
            f"{name} {count(value)}: fewer than {FEW:,.0f}; in billions it is typed {count(value)}B"
            for name, value in (("params", row.params), ("tokens", row.tokens))
            if value < FEW
        ]
        known = row.law.ranges or {}
        if far := beyond(known, params=row.params, tokens=row.tokens, compute=row.compute):
            name = clean(row.law.name)
            texts.append(f"{name} at {count(row.compute)} FLOP is far beyond its runs: {far}")
    return list(dict.fromkeys(texts))
