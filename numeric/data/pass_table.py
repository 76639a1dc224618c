"""A table of pass@k: a value for each group and k, with or without standard errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .counts_columns import Choice
from .counts_reading import grouping, spelt
from .runs import Dropped, named, those_dropped
from .runs_cells import counted, numbers, shown
from .runs_file import Table, table_of
from .runs_reading import empty_columns
from .where import Where

__all__ = ["PassTable"]

NEEDED = ("k", "pass_at_k")


@dataclass(frozen=True, eq=False, kw_only=True)
class PassTable:
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
    row : ndarray of int64, (R,)
        Number of the row in the source; the first row of data is 1.
    source : str
    left_out : int
        Rows that did not satisfy ``where``.
    dropped : tuple of Dropped
        Rows without k or pass@k.
    notes : tuple of str
    """

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    group: Any
    k: Any
    pass_at_k: Any
    se: Any
    row: Any
    source: str = "data"
    left_out: int = 0
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

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
            A row for each group and k, with columns for k and pass@k (``pass_at_k``, ``mean_pass_at_k``, ``pass@k``, ...) and, if
            there is one, the standard error (``se``, ``stderr``, ...).
        columns : mapping, optional
            Quantity (k, pass_at_k, se, model, benchmark) -> column; others are recognised by name.
        where : str, optional
            Condition on a row; see :mod:`isoflop.numeric.data.where`.
        by : str or sequence of str, optional
            Columns whose values make a group; by default those for benchmark and model, as far as there are.

        Raises
        ------
        ValueError
            Naming file, row and column: where the table cannot be read or lacks a column, a k is no whole number of at least 1,
            or a k comes twice in a group.
        """
        condition = None if where is None else Where.parse(where)
        table = data if isinstance(data, Table) else table_of(data)
        choice = Choice.of(columns, table.source, table.names, empty_columns(table))
        held = {name: choice.required(name, table.source, table.names) for name in NEEDED}
        if (column := choice.column("se", table.source, table.names)) is not None:
            held["se"] = column
        values = {name: numbers(table.source, column, table.columns[column])[0] for name, column in held.items()}
        by = grouping(table, choice, by)
        kept, left_out, dropped = _selected(table, held, values, condition)
        _check_ks(table, held["k"], values["k"], kept)
        keys = list(zip(*(spelt(table.columns[name]) for name in by), strict=True)) or [()] * table.rows
        labels = tuple(dict.fromkeys(keys[index] for index in kept))
        places = {label: place for place, label in enumerate(labels)}
        group = np.array([places[keys[index]] for index in kept], dtype=np.int64)
        k = values["k"][kept].astype(np.int64)
        order = np.lexsort((k, group))
        _check_repeated(table, labels, group[order], k[order], kept[order])
        se = values.get("se", np.full(table.rows, np.nan))[kept][order]
        return cls(
            by=by,
            labels=labels,
            group=group[order],
            k=k[order],
            pass_at_k=values["pass_at_k"][kept][order],
            se=np.where(np.isfinite(se) & (se >= 0.0), se, np.nan),
            row=kept[order] + 1,
            source=table.source,
            left_out=left_out,
            dropped=dropped,
            notes=(those_dropped(dropped),) if dropped else (),
        )


def _selected(table: Table, held: Mapping[str, str], values: Mapping[str, Any], condition: Where | None) -> tuple[Any, int, Any]:
    """Rows of the condition with k and pass@k, how many others there are, and those without one."""
    missing = np.isnan(values["k"]) | np.isnan(values["pass_at_k"])
    candidates = np.ones(table.rows, dtype=bool)
    if condition is not None:
        truth = condition.evaluate(*named(values, held, table.columns), table.rows, table.source)
        candidates = truth.true | (truth.unknown & missing)
    dropped = tuple(
        Dropped(int(index) + 1, f"{'k' if np.isnan(values['k'][index]) else 'pass_at_k'} is missing")
        for index in np.flatnonzero(candidates & missing)
    )
    kept = np.flatnonzero(candidates & ~missing)
    left_out = table.rows - int(np.count_nonzero(candidates))
    if not len(kept):
        why = [f"{left_out} left out by the condition"] if left_out else []
        why += [those_dropped(dropped)] if dropped else []
        raise ValueError(f"{table.source}: none of {counted(table.rows, 'row')} has k and pass@k ({'; '.join(why)})")
    return kept, left_out, dropped


def _check_ks(table: Table, column: str, k: Any, kept: Any) -> None:
    bad = kept[~((k[kept] >= 1.0) & (k[kept] <= 2.0**53) & (k[kept] == np.floor(k[kept])))]
    if len(bad):
        cell = f"{table.source}, row {bad[0] + 1}, column {column!r}: k={k[bad[0]]:g}"
        raise ValueError(f"{cell} must be a whole number of at least 1")


def _check_repeated(table: Table, labels: Any, group: Any, k: Any, row: Any) -> None:
    twice = np.flatnonzero((np.diff(group) == 0) & (np.diff(k) == 0))
    if len(twice):
        index = int(twice[0])
        first, second = sorted((int(row[index]) + 1, int(row[index + 1]) + 1))
        what = shown(" ".join((*labels[group[index]], f"k={k[index]}")))
        hint = "name the columns that make a group by by= (--by)"
        raise ValueError(f"{table.source}, rows {first} and {second}: hold the same k of the same group ({what}); {hint}")
