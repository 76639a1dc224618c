"""A table of pass@k: a value for each group and k, read from a file or made of a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..words import shown
from .columns import PASS_AT_K, chosen_columns, recognise
from .counts import grouped, grouping
from .rows import Rows, View
from .table import table_of

__all__ = ["PassTable"]

NEEDED = ("k", "pass_at_k")


@dataclass(frozen=True, eq=False, kw_only=True)
class PassTable(View):
    """pass@k of each group at each k, one an element, sorted by group and k.

    Attributes
    ----------
    by : tuple of str
    labels : tuple of tuple of str
        The values of the columns ``by`` for each group, in order of first appearance.
    group : ndarray of int64, (R,)
    k : ndarray of int64, (R,)
        At least 1; different within a group.
    pass_at_k : ndarray of float64, (R,)
        As it stands in the source, also outside [0, 1].
    se : ndarray of float64, (R,)
        Standard errors; NaN where there is none.
    row, source, n_rows, left_out, dropped, warnings
        Where the values come from, see `View`: ``dropped`` holds the rows without k or pass@k.
    """

    aligned = ("group", "k", "pass_at_k", "se", "row")

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    group: Any
    k: Any
    pass_at_k: Any
    se: Any

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        by: str | Sequence[str] | None = None,
    ) -> PassTable:
        """A table from a file or from memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            A row for each group and k, with columns for k, pass@k (``pass_at_k``, ``pass@k``, ...)
            and, if there is one, the standard error (``se``, ``stderr``, ...).
        columns, where, by
            See `Counts.read`; the quantities are k, pass_at_k, se, model and benchmark.

        Raises
        ------
        ValueError
            Naming file, row and column: where the table cannot be read or lacks a column, a k is no
            whole number of at least 1, or a k comes twice in a group.
        """
        (table,), chosen, _ = chosen_columns([table_of(data)], PASS_AT_K, columns)
        known = recognise(table, PASS_AT_K, chosen)
        known.settle("se")
        columns_by, rows = grouping(known, by), Rows(table, known)
        known.require(("k",), ("pass_at_k",))
        rows.read(*NEEDED, *({"se"} & known.of.keys()), needed=NEEDED)
        rows.drop_missing(*NEEDED)
        rows.select(where, "has k and pass@k", rows.numbers)
        rows.refuse_fractions("k", 1)
        k, labels = rows.numbers["k"], table.labels(columns_by)
        if both := rows.repeated([*zip(labels, k, strict=True)]):
            what = shown(" ".join((*labels[both[0]], f"k={k[both[0]]:.0f}")))
            hint = "name the columns that make a group by by= (--by)"
            raise rows.error(f"hold the same k of the same group ({what}); {hint}", *both)
        groups, group = grouped(rows, columns_by)
        order = np.lexsort((k[rows.rows], group))
        at = rows.rows[order]
        se = rows.numbers.get("se", np.full(len(table), np.nan))[at]
        return cls(
            by=columns_by,
            labels=groups,
            group=group[order],
            k=k[at].astype(np.int64),
            pass_at_k=rows.numbers["pass_at_k"][at],
            se=np.where(np.isfinite(se) & (se >= 0.0), se, np.nan),
            row=at + 1,
            **rows.origin(),
        )
