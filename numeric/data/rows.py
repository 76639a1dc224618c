"""The rows of a table: their numbers, which of them are in use, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import counted, listed
from .budget import fill
from .columns import LETTERS, RUN_NAMES, Columns, may_be, plain, put_aside
from .table import UNNAMED, Table, is_missing, numbers
from .units import refuse_units
from .where import Where

__all__ = ["Dropped", "Reading", "View", "lost_rows", "those_dropped"]

#: How many dropped rows a message shows.
MOST_SHOWN = 3
#: How many of a column's values tell how many different ones it has.
SAMPLE = 1000


@dataclass(frozen=True)
class Dropped:
    """A row that cannot be used, and why.

    Attributes
    ----------
    row : int
        Its number in the source; the first row of data is 1.
    reason : str
    """

    row: int
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


def those_dropped(dropped: Sequence[Dropped]) -> str:
    """How many rows were dropped, and the first of them.

    >>> those_dropped((Dropped(3, "loss is missing"),))
    '1 dropped: row 3: loss is missing'
    """
    rest = len(dropped) - MOST_SHOWN
    first = ", ".join(map(str, dropped[:MOST_SHOWN]))
    return f"{len(dropped)} dropped: {first}{f' and {rest} more' if rest > 0 else ''}"


def lost_rows(left_out: int, dropped: Sequence[Dropped], by: str = "the condition") -> list[str]:
    """What became of the rows of a table that are not in use: a part a reason.

    >>> lost_rows(2, ())
    ['2 rows left out by the condition']
    """
    parts = [f"{counted(left_out, 'row')} left out by {by}"] if left_out else []
    return parts + ([those_dropped(dropped)] if dropped else [])


class View:
    """A frozen data class with arrays among its fields, which cannot be written to."""

    def __post_init__(self) -> None:
        for name, value in self._fields().items():
            if isinstance(value, dict):
                value = {
                    key: locked(part) if isinstance(part, np.ndarray) else part
                    for key, part in value.items()
                }
            elif isinstance(value, np.ndarray):
                value = locked(value)
            object.__setattr__(self, name, value)

    def _fields(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Callable[..., View], tuple[type[View], dict[str, Any]]]:
        return _rebuilt, (type(self), self._fields())


def _rebuilt(kind: type[View], parts: dict[str, Any]) -> View:
    return kind(**parts)


def locked(values: Any) -> Any:
    """The same array for reading only; the caller's own stays as it is."""
    view = np.asarray(values).view()
    view.setflags(write=False)
    return view


def chosen_rows(index: Any, rows: int, argument: str = "index") -> Any:
    """A boolean mask or indices, checked."""
    chosen = np.asarray(index, dtype=None if np.size(index) else np.int64)
    mask = chosen.dtype.kind == "b"
    if chosen.dtype.kind not in "biu" or chosen.ndim != 1 or (mask and len(chosen) != rows):
        domain = f"must be a mask of {rows} or indices"
        raise ValueError(f"{argument} of {chosen.dtype} and shape {chosen.shape}: {domain}")
    return chosen


def names_in_conditions(
    quantities: Mapping[str, Any],
    columns: Mapping[str, str],
    others: Mapping[str, Any],
    letters: Mapping[str, str] = LETTERS,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a plain name and what a name in backticks means in a condition.

    A plain name is a quantity or its letter before it is a column; in backticks it is the column of
    the source.
    """
    quoted = {
        **others,
        **{
            name: quantities[quantity]
            for quantity, name in columns.items()
            if quantity in quantities
        },
    }
    by_letter = {letter: quantities[name] for letter, name in letters.items() if name in quantities}
    return {**quoted, **by_letter, **quantities}, quoted


class Reading:
    """A table on its way to a view.

    Attributes
    ----------
    table : Table
    columns : Columns
    numbers : dict of str to ndarray of float64
        The quantities that were read as numbers, on all rows.
    selected, usable, kept : ndarray of bool
        The rows that the condition selects, those that nothing speaks against, and those that are
        both.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two.
    warnings : list of str
    """

    def __init__(self, table: Table, columns: Columns) -> None:
        self.table, self.columns = table, columns
        self.numbers: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.derived: str | None = None
        self.selected = np.ones(table.rows, dtype=bool)
        self._reasons: dict[int, str] = {}

    # -- numbers -----------------------------------------------------------------------------------

    def read(self, quantity: str, *, optional: bool = True) -> dict[int, str]:
        """Read a quantity as numbers; the cells that no float comes near, with the reason."""
        column = self.columns.of[quantity]
        values, reasons = numbers(self.table, column, put_aside(quantity) if optional else "")
        refuse_units(self.table.source, column, quantity, values)
        self.numbers[quantity] = values
        return reasons

    def read_positive(self, quantity: str, *, optional: bool = True) -> None:
        """Read a quantity that must be positive and finite, and drop the rows where it is not."""
        reasons = self.read(quantity, optional=optional)
        self.drop(unusable(quantity, self.numbers[quantity], reasons))

    def read_exactly(self, quantity: str, *, optional: bool = True) -> None:
        """Read a quantity that no row may have beyond the floats."""
        for index, reason in self.read(quantity, optional=optional).items():
            raise self.error(reason, index, column=self.columns.of[quantity])

    def fill_budget(self) -> None:
        """Compute what follows from C = 6ND, and drop the rows where that is beyond the floats."""
        budget = fill(self.numbers)
        for name, values in budget.values.items():
            if values is not self.numbers.get(name):
                self.drop(unusable(name, values, {}))
        self.numbers |= budget.values
        self.derived = budget.derived
        self.warnings += budget.warnings("row")

    # -- rows --------------------------------------------------------------------------------------

    def drop(self, reasons: Mapping[int, str]) -> None:
        """Note why rows cannot be used; the first reason stays."""
        self._reasons = {**reasons, **self._reasons}

    def drop_where(self, rows: Any, reason: str) -> None:
        """Note one reason for the rows of a mask."""
        self.drop(dict.fromkeys(np.flatnonzero(rows).tolist(), reason))

    def drop_missing(self, quantities: Iterable[str]) -> None:
        """Drop rows without a number that they must have."""
        for name in quantities:
            self.drop_where(np.isnan(self.numbers[name]), f"{name} is missing")

    @property
    def usable(self) -> Any:
        usable = np.ones(self.table.rows, dtype=bool)
        usable[list(self._reasons)] = False
        return usable

    @property
    def kept(self) -> Any:
        return self.selected & self.usable

    @property
    def left_out(self) -> int:
        """How many rows the condition does not select."""
        return self.table.rows - int(np.count_nonzero(self.selected))

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """The selected rows that cannot be used."""
        return tuple(
            Dropped(i + 1, self._reasons[i]) for i in sorted(self._reasons) if self.selected[i]
        )

    def select(
        self, where: Where | None, bare: Mapping[str, Any], quoted: Mapping[str, Any]
    ) -> None:
        """Select the rows of a condition, and those where it depends on what makes them unusable."""
        if where is not None:
            truth = where.evaluate(bare, quoted, self.table.rows, self.table.source)
            self.selected = truth.true | (truth.unknown & ~self.usable)

    def require_rows(self, where: Where | None, what: str) -> None:
        """Raise where no row is kept; `what`: what none of them is or has."""
        if not self.kept.any():
            by = "" if where is None else f"the condition {where.text!r}"
            lost = "; ".join(lost_rows(self.left_out, self.dropped, by))
            raise self.error(f"none of {counted(self.table.rows, 'row')} {what} ({lost})")

    def error(self, complaint: str, *indices: int, column: str | None = None) -> TableError:
        """What is wrong with rows, by their indices."""
        rows = tuple(int(index) + 1 for index in indices)
        return TableError(self.table.source, complaint, rows=rows, column=column)

    # -- warnings ----------------------------------------------------------------------------------

    def other_columns(self) -> list[str]:
        """Warnings that name other columns that may be a quantity as well, and the empty ones."""
        empty = self.table.empty(self.kept)
        warnings = []
        for quantity, weaker in self.columns.weaker.items():
            column = self.columns.of[quantity]
            filled = [
                name
                for name in weaker
                if name not in empty and not self._says_the_same(quantity, column, name)
            ]
            if filled:
                which = "the other" if len(filled) == 1 else "another"
                cure = f"--column {quantity}={filled[0]!r} takes {which}"
                warnings.append(
                    f"{may_be([column, *filled], quantity)}: {column!r} is taken; {cure}"
                )
            nothing = [name for name in weaker if name in empty]
            if nothing and column not in empty:
                which = (
                    f"column {listed(nothing)} is"
                    if len(nothing) == 1
                    else f"columns {listed(nothing)} are"
                )
                warnings.append(f"{which} empty: {column!r} is taken as {quantity}")
        return warnings

    def _says_the_same(self, quantity: str, one: str, other: str) -> bool:
        if quantity == "group":
            first, second = (codes(self.table.columns[name][self.kept]) for name in (one, other))
            return bool((first == second).all())
        try:
            first, second = (numbers(self.table, name)[0][self.kept] for name in (one, other))
        except TableError:  # text, which is no number of anything
            return True
        return bool(np.array_equal(first, second, equal_nan=True))

    def proposed_groups(self, rows: Any, what: str, how: str) -> list[str]:
        """A warning where rows may be checkpoints of one run: of one name and size, not of one D.

        `rows` are indices; `what` is what one of them is, and `how` says what to do about a column.
        """
        if not {"params", "tokens"} <= self.numbers.keys():
            return []
        params, tokens = self.numbers["params"][rows], self.numbers["tokens"][rows]
        for name in self.table.names:
            cells = self.table.columns[name][rows]
            if (
                plain(name) not in RUN_NAMES
                or name in self.columns.of.values()
                or any(map(is_missing, cells))
            ):
                continue
            names = codes(cells)
            _, first = np.unique(names, return_index=True)
            if (params == params[first][names]).all() and (tokens != tokens[first][names]).any():
                some = f"{counted(len(names), what)} of {len(first)} different {name!r}"
                return [f"{some}, each of one size at several tokens: {how.format(name)}"]
        return []

    def copies(self) -> list[str]:
        """A warning that counts rows that are in the table more than once."""
        kept, columns = self.kept, self.table.columns.items()
        n = repetitions([values[kept] for name, values in columns if not name.startswith(UNNAMED)])
        return [f"{counted(n, 'row')} copied exactly from another row; all are kept"] if n else []


def unusable(quantity: str, values: Any, reasons: Mapping[int, str]) -> dict[int, str]:
    """Why cells with a number in them are no positive finite number, by index."""
    bad = np.flatnonzero(~np.isnan(values) & ~((values > 0.0) & np.isfinite(values))).tolist()
    why = {index: f"{quantity}={float(values[index])!r}: must be above 0" for index in bad}
    for index in bad:
        if index in reasons:
            why[index] = f"{quantity}: {reasons[index]}"
        elif np.isinf(values[index]):
            why[index] = (
                f"{quantity}={float(values[index])!r}: must be finite (the largest float is "
                f"1.8e308)"
            )
    return why


def codes(values: Any) -> Any:
    """Integers from 0 that are equal where the values are."""
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1]
    known: dict[Any, int] = {}
    return np.array(
        [known.setdefault((type(value), str(value)), len(known)) for value in values.tolist()],
        dtype=np.int64,
    )


def repetitions(columns: Sequence[Any]) -> int:
    """How many rows are equal to an earlier row in all columns.

    >>> repetitions([np.array([1.0, 2.0, 1.0, 1.0]), np.array(["a", "a", "a", "b"], dtype=object)])
    1
    """
    rows = np.arange(len(columns[0]))
    classes = np.zeros(len(rows), dtype=np.int64)
    for column in sorted(columns, key=_variety, reverse=True):
        labels = codes(column[rows])
        _, classes, sizes = np.unique(
            classes * (labels.max() + 1) + labels, return_inverse=True, return_counts=True
        )
        shared = sizes[classes] > 1
        rows, classes = rows[shared], classes[shared]
        if not len(rows):
            return 0
    return len(rows) - len(np.unique(classes))


def _variety(column: Any) -> int:
    """How many different values a column begins with: where they all differ, no other column
    matters.
    """
    return len(set(map(str, column[:SAMPLE].tolist())))
