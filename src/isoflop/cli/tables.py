"""The table that a command reads: the options of its file, columns and rows, and its views."""

from __future__ import annotations

from .arguments import add, guess, pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.data.table import SourceTable
    from .arguments import Group, Parser


def add_table(
    parser: Parser, metavar: str, noun: str, quantities: str, example: str, **more: Any
) -> Group:
    """Add the argument of the file, and the options of any table."""
    meaning = f"CSV, JSON or JSON lines file of {noun}; Parquet where pyarrow is installed"
    parser.add_argument("table", metavar=metavar, help=meaning, **more)
    group = parser.add_argument_group(noun)
    column = f"the column, or expression, that holds {quantities}; repeatable; usual names are "
    column += "recognised; NAME= puts one aside"
    named = pair(lambda name: name or None, "NAME=COLUMN")
    add(group, "--column", "NAME=COLUMN", column, named, dest="columns")
    add(group, "--where", "CONDITION", f"only these rows, such as {example}")
    return group


def baseline(word: str) -> float | dict[str, float]:
    """Read an accuracy of guessing: one for all benchmarks, or NAME=SHARE."""
    return pair(guess, "NAME=SHARE")(word) if "=" in word else guess(word)


def refuse_others(args: Namespace, kind: str, kinds: Sequence[str]) -> None:
    """Raise a ValueError if an option is given that belongs to another kind of table."""
    for other in kinds:
        for name in args.typed[other] if other != kind else ():
            raise ValueError(f"{name}={getattr(args, name)!r}: is for {other}, not for {kind}")


def table(args: Namespace) -> SourceTable:
    """The table that the command reads, once, as it may come from a pipe."""
    from ..numeric.data.table import table_of

    return table_of(args.table)


def view(args: Namespace, kind: Any, held: SourceTable | None = None, **how: Any) -> Any:
    """The table as `Runs`, `Counts` or `Evaluations`; `held`: the table, if it was read already."""
    read = table(args) if held is None else held
    return kind.read(read, columns=args.columns, where=args.where, **how)


def runs(args: Namespace, held: SourceTable, model: str) -> Any:
    """The table as runs for a model, with their loss, or with the -log of normalised accuracy on the
    benchmark that ``--benchmark`` names.
    """
    from ..numeric.accuracy.baselines import resolve
    from ..numeric.accuracy.law import runs_of
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.runs import Runs
    from ..numeric.fit.fit import form_of

    form, name = form_of(model), args.benchmark
    if name is not None:
        read = view(args, Evaluations, held)
        baselines = resolve(read, args.random_baseline, benchmarks=[name])
        return runs_of(read, name, baselines[name], form.requires)
    if args.random_baseline is not None:
        raise ValueError("--random-baseline: is for evaluations; name one by --benchmark")
    return view(args, Runs, held, require=(*form.requires, "loss"), names=form.names)
