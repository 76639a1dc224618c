"""A table of pass@k: a value for each group and k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..words import shown
from .columns import PASS_AT_K, chosen_columns, recognise
from .counts import grouped, grouping
from .rows import Rows
from .table import table_of

__all__ = ["pass_groups"]

NEEDED = ("k", "pass_at_k")


def pass_groups(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    by: str | Sequence[str] | None = None,
) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
    """Of each group of a table of pass@k, in order of appearance, what its columns hold; and in order
    of k the values of k, int64, those of pass@k, as they stand in the source, and their rows.

    Parameters
    ----------
    data : path, or anything that ``pandas.DataFrame`` accepts
        A row for each group and k, with columns for k and pass@k (``pass_at_k``, ``pass@k``, ...).
        Rows without either are left out.
    columns, where, by
        See `Counts.read`; the quantities are k, pass_at_k, model and benchmark.

    Raises
    ------
    ValueError
        Naming file, row and column: where the table cannot be read or lacks a column, a k is no
        whole number of at least 1, or a k comes twice in a group.
    """
    (table,), chosen, _ = chosen_columns([table_of(data)], PASS_AT_K, columns)
    known = recognise(table, PASS_AT_K, chosen)
    columns_by, rows = grouping(known, by), Rows(table, known)
    known.require(("k",), ("pass_at_k",))
    rows.read(*NEEDED, needed=NEEDED)
    rows.drop_missing(*NEEDED)
    rows.select(where, "has k and pass@k", rows.numbers)
    rows.refuse_fractions("k", 1)
    k, labels = rows.numbers["k"], table.labels(columns_by)
    if both := rows.repeated([*zip(labels, k, strict=True)]):
        what = shown(" ".join((*labels[both[0]], f"k={k[both[0]]:.0f}")))
        hint = "name the columns that make a group by by= (--by)"
        raise rows.error(f"hold the same k of the same group ({what}); {hint}", *both)
    groups, group = grouped(rows, columns_by)
    for index, label in enumerate(groups):
        at = rows.rows[group == index]
        at = at[np.argsort(k[at])]
        named = dict(zip(columns_by, label, strict=True))
        yield named, k[at].astype(np.int64), rows.numbers["pass_at_k"][at], at + 1
