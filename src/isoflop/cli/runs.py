"""The runs that are given to penalty and allocate: their options, their output, and warnings."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Count
from .arguments import add_list, flop, positive
from .output import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.law.result import Result
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Group

#: The names of figures of loss for a law of y = -log Q'.
IN_ACCURACY = {
    "loss": "-log\nQ'",
    "reducible_loss": "reducible\n-log\nQ'",
    "loss_penalty": "penalty",
}
#: Fewer params or tokens than this look like a slip, such as 7 for 7B.
FEW = 1e4

count = Count().text


def add_run(group: Group, *, loss: str) -> None:
    """Add the options that give a run, two of them together."""
    add_list(group, "--params", "N", "params", positive)
    add_list(group, "--tokens", "D", "training tokens", positive)
    add_list(group, "--compute", "C", "training compute in FLOP", flop)
    add_list(group, "--tokens-per-param", "T", "tokens per param", positive)
    add_list(group, "--loss", "L", loss, positive)


def points(args: Namespace, names: Sequence[str]) -> list[dict[str, float]]:
    """The values of several options, paired; a single value goes with each one of another option."""
    given = {name: getattr(args, name) for name in names if getattr(args, name)}
    size = max(map(len, given.values()), default=0)
    if any(len(values) not in (1, size) for values in given.values()):
        typed = " and ".join(f"{name}={values}" for name, values in given.items())
        counts = " and ".join(str(len(values)) for values in given.values())
        raise ValueError(f"{typed}: must be as many of one as of the other, got {counts}")
    full = [values * size if len(values) == 1 else values for values in given.values()]
    return [dict(zip(given, row, strict=True)) for row in zip(*full, strict=True)]


def data_of(rows: Sequence[Result], laws: Sequence[Law], **more: Any) -> dict[str, Any]:
    """The data for JSON: the laws, and the rows, with intervals for laws from data."""
    names = [law.name for law in laws]
    found = [{"law": row.law.name, **row.as_dict(), **row.intervals()} for row in rows]
    return {"law": names[0] if len(names) == 1 else names, **more, "rows": found}


def with_warnings(data: dict[str, Any], warnings: Sequence[str]) -> str:
    """The JSON of the data, with the warnings if there are any."""
    return json_text(data | ({"warnings": list(warnings)} if warnings else {}))


def baselines(laws: Sequence[Law]) -> dict[str, float]:
    """Law -> accuracy of guessing, for the published laws of -log accuracy."""
    from ..theory.data.published import LAWS

    known = {law.name: LAWS[law.name].random_baseline for law in laws if law.name in LAWS}
    return {name: float(value) for name, value in known.items() if value is not None}


def tables_of(
    rows: Sequence[Result], known: Mapping[str, float], spelling: Notation
) -> tuple[list[Table], list[Table]]:
    """The tables of the laws of loss, and those of the laws of accuracy, whose accuracies of guessing
    are `known`: the rows, and their intervals if there are any.
    """
    from ..numeric.law.result import result_tables

    of_loss = [row for row in rows if row.law.name not in known]
    of_accuracy = [row for row in rows if row.law.name in known]
    return (
        [*result_tables(of_loss, {}, spelling)] if of_loss else [],
        [*result_tables(of_accuracy, IN_ACCURACY, spelling)] if of_accuracy else [],
    )


def doubts(rows: Sequence[Result]) -> list[str]:
    """Warnings about runs of hardly any params or tokens, about runs far beyond those to which their
    law was fitted, and about a loss that some draws do not reach. Each row has params, tokens and compute.
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
        is_drawn = row.law.draws is not None and "loss" in row.given
        if is_drawn and row.estimate("compute").low is None:
            why = "no run has this loss under some draws of the law"
            texts.append(
                f"{clean(row.law.name)} at loss {row.given['loss']:g}: no intervals, as {why}"
            )
    return list(dict.fromkeys(texts))
