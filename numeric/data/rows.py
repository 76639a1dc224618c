"""The rows of a table: their numbers, which of them are in use, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .budget import fill
from .columns import LETTERS, RUN_NAME, Columns, is_spelt, may_be, put_aside
from .table import UNNAMED, Table
from .where import holds

__all__ = ["Dropped", "RowReader", "View", "lost_rows", "those_dropped"]

#: How many dropped rows a message shows.
MOST_SHOWN = 3


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


# -- views -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class View:
    """What a table was read into: arrays that cannot be written to, and where they come from.

    Attributes
    ----------
    row : ndarray of int64
        Number of the row in the source; the first row of data is 1.
    source : str
        Where the rows come from, as messages say it.
    n_rows, left_out : int
        Rows in the source, and those of them that did not satisfy ``where``.
    dropped : tuple of Dropped
        Rows that are of no use, each with its reason.
    warnings : tuple of str
    """

    #: The fields with an entry for each row, the first one always there; a dictionary has several.
    aligned: ClassVar[tuple[str, ...]] = ()

    row: Any = None
    source: str = "data"
    n_rows: int = 0
    left_out: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lead = self.aligned[0]
        rows = len(getattr(self, lead))
        for name in self.aligned:
            value = getattr(self, name)
            for key, array in value.items() if isinstance(value, dict) else ((name, value),):
                if array is not None and len(array) != rows:
                    complaint = f"has {len(array)} entries, {lead} has {rows}; must be as many"
                    raise ArgumentError(str(key), complaint=complaint)
        for name, value in self._fields().items():
            object.__setattr__(self, name, _mapped(value, _locked))

    def _fields(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _at(self, chosen: Any) -> Self:
        """The rows at a mask or at indices."""
        taken = {name: getattr(self, name) for name in self.aligned}
        try:
            rows = {name: _mapped(value, lambda a: a[chosen]) for name, value in taken.items()}
        except IndexError as error:
            raise ArgumentError("index", complaint=str(error)) from None
        return replace(self, **rows)

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        raise NotImplementedError

    def mask(self, condition: str, argument: str = "where") -> Any:
        """Which rows satisfy a condition on any of the columns, a mask; a comparison with an empty
        cell is false.
        """
        return holds(condition, self.named(), self.source, argument)

    def _read_again(self, where: str | None, /, **options: Any) -> Self:
        """The rows that satisfy a condition; an error where an option says how to read a table."""
        for name, value in options.items():
            if value is not None:
                complaint = f"these are {type(self).__name__} already, not a table to be read"
                raise ArgumentError(name, value, complaint=complaint)
        if where is None:
            return self
        truth = self.mask(where)
        if not truth.any():
            complaint = f"leaves none of {counted(len(truth), 'run')} of {self.source}"
            raise ArgumentError("where", where, complaint=complaint)
        return replace(self._at(truth), left_out=self.left_out + int(np.count_nonzero(~truth)))

    def __repr__(self) -> str:
        n = len(getattr(self, self.aligned[0]))
        lost = "; ".join(lost_rows(self.left_out, self.dropped))
        return f"<{type(self).__name__}: {n} from {self.source}{lost and f' ({lost})'}>"


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A value with every array in it changed."""
    if isinstance(value, dict):
        return {key: _mapped(part, function) for key, part in value.items()}
    return function(value) if isinstance(value, np.ndarray) else value


def _locked(values: Any) -> Any:
    """The same array for reading only; the caller's own stays as it is."""
    view = values.view()
    view.setflags(write=False)
    return view


def chosen_rows(index: Any, rows: int, argument: str = "index") -> Any:
    """A boolean mask or indices, checked."""
    chosen = np.asarray(index, dtype=None if np.size(index) else np.int64)
    mask = chosen.dtype.kind == "b"
    if chosen.dtype.kind not in "biu" or chosen.ndim != 1 or (mask and len(chosen) != rows):
        complaint = f"must be a mask of {rows} or indices"
        raise ArgumentError(f"{argument} of {chosen.dtype}", complaint=complaint)
    return chosen


def names_in_conditions(
    quantities: Mapping[str, Any],
    others: Mapping[str, Any],
    letters: Mapping[str, str] = LETTERS,
) -> dict[str, Any]:
    """What each name means in a condition: a quantity or its letter before a column."""
    by_letter = {letter: quantities[name] for letter, name in letters.items() if name in quantities}
    return {**others, **by_letter, **quantities}


# -- reading ---------------------------------------------------------------------------------------


class RowReader:
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
        self.where: str | None = None
        self.selected = np.ones(len(table), dtype=bool)
        self._reasons: dict[int, str] = {}

    def read(self, quantity: str, *, optional: bool = True) -> None:
        """Read a quantity as numbers."""
        remedy = put_aside(quantity) if optional else ""
        self.numbers[quantity] = self.table.numbers(self.columns.of[quantity], remedy)

    def read_positive(self, quantity: str, *, optional: bool = True) -> None:
        """Read a quantity that must be positive and finite, and drop the rows where it is not."""
        self.read(quantity, optional=optional)
        self.drop(unusable(quantity, self.numbers[quantity]))

    def fill_budget(self) -> None:
        """Compute what follows from C = 6ND, and drop the rows where that is beyond the floats."""
        values, self.derived, warnings = fill(self.numbers, "row")
        for name, column in values.items():
            if column is not self.numbers.get(name):
                self.drop(unusable(name, column))
        self.numbers |= values
        self.warnings += warnings

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
        usable = np.ones(len(self.table), dtype=bool)
        usable[list(self._reasons)] = False
        return usable

    @property
    def kept(self) -> Any:
        return self.selected & self.usable

    @property
    def rows(self) -> Any:
        """The indices of the rows that are kept."""
        return np.flatnonzero(self.kept)

    def origin(self, *warnings: str) -> dict[str, Any]:
        """The fields of every view."""
        reasons = sorted(self._reasons.items())
        return {
            "source": self.table.source,
            "n_rows": len(self.table),
            "left_out": len(self.table) - int(np.count_nonzero(self.selected)),
            "dropped": tuple(Dropped(i + 1, why) for i, why in reasons if self.selected[i]),
            "warnings": warnings,
        }

    def select(
        self,
        where: str | None,
        *,
        but: Collection[str] = (),
        letters: Mapping[str, str] = LETTERS,
        others: Mapping[str, Any] | None = None,
    ) -> None:
        """Select the rows of a condition.

        Parameters
        ----------
        where : str, optional
        but : collection of str
            Quantities that a condition does not know.
        letters : mapping
            Letter -> quantity.
        others : mapping, optional
            What further names mean.
        """
        self.where = where
        if where is None:
            return
        numbers = {name: values for name, values in self.numbers.items() if name not in but}
        own = {self.columns.of[name]: v for name, v in numbers.items() if name in self.columns.of}
        every = {**self.table.columns, **(others or {}), **own}
        self.selected = holds(
            where, names_in_conditions(numbers, every, letters), self.table.source
        )

    def require_rows(self, what: str) -> None:
        """Raise where no row is kept; `what`: what none of them is or has."""
        if not self.kept.any():
            by = "" if self.where is None else f"the condition {self.where!r}"
            origin = self.origin()
            lost = "; ".join(lost_rows(origin["left_out"], origin["dropped"], by))
            raise self.error(f"none of {counted(len(self.table), 'row')} {what} ({lost})")

    def error(self, complaint: str, *indices: int, column: str | None = None) -> TableError:
        """What is wrong with rows, by their indices."""
        rows = tuple(int(index) + 1 for index in indices)
        return TableError(self.table.source, complaint, rows=rows, column=column)

    def refuse(self, quantity: str, bad: Any, domain: str) -> None:
        """TableError for the first kept row at which a number is bad."""
        rows = np.flatnonzero(bad & self.kept)
        if len(rows):
            more = f" ({counted(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
            value = f"{quantity}={self.numbers[quantity][rows[0]]:.16g}"
            raise self.error(f"{value} {domain}{more}", rows[0], column=self.columns.of[quantity])

    def refuse_empty(self, column: str, what: str) -> None:
        """TableError for the first kept row without a text in a column; `what`: what it names."""
        for index in np.flatnonzero((self.table.texts(column) == "") & self.kept)[:1]:
            raise self.error(f"is empty; must name {what}", index, column=column)

    def repeated(self, keys: Sequence[Any]) -> Iterator[tuple[int, int]]:
        """The kept rows whose key an earlier one has: the first of these, and the row."""
        first: dict[Any, int] = {}
        for index in self.rows.tolist():
            if (earlier := first.setdefault(keys[index], index)) != index:
                yield earlier, index

    # -- warnings ----------------------------------------------------------------------------------

    def other_columns(self, quantities: Iterable[str] | None = None) -> list[str]:
        """Warnings that name other columns that may be a quantity as well."""
        empty = self.table.empty(self.kept)
        warnings = []
        for quantity in self.columns.weaker if quantities is None else quantities:
            column = self.columns.of[quantity]
            others = [
                name
                for name in self.columns.weaker.get(quantity, ())
                if name not in empty and not self._says_the_same(column, name)
            ]
            if others:
                cure = f"--column {quantity}={others[0]!r} takes another"
                both = may_be([column, *others], quantity)
                warnings.append(f"{both}: {column!r} is taken; {cure}")
        return warnings

    def _says_the_same(self, one: str, other: str) -> bool:
        try:
            first, second = (self.table.numbers(name)[self.kept] for name in (one, other))
        except TableError:  # text, which is no number of anything
            return True
        return bool(np.array_equal(first, second, equal_nan=True))

    def checkpoints(self, rows: Any) -> str:
        """A column that names the run of which rows are checkpoints: of one name and size at
        several tokens. "" where there is none.
        """
        if not {"params", "tokens"} <= self.numbers.keys():
            return ""
        params, tokens = self.numbers["params"][rows], self.numbers["tokens"][rows]
        for name in self.table.names:
            if not is_spelt(name, RUN_NAME) or name in self.columns.of.values():
                continue
            labels = self.table.texts(name)[rows]
            runs, sizes = {*labels}, {*zip(labels, params, strict=True)}
            points = {*zip(labels, tokens, strict=True)}
            if "" not in runs and len(runs) == len(sizes) < len(points):
                return name
        return ""

    def copies(self) -> list[str]:
        """A warning that counts rows that are in the table more than once."""
        rows = self.table.frame[self.kept]
        named = [name for name in rows if not name.startswith(UNNAMED)]
        n = int(rows[named].astype(str).duplicated().sum())
        return [f"{counted(n, 'row')} copied exactly from another row; all are kept"] if n else []


def unusable(quantity: str, values: Any) -> dict[int, str]:
    """Why cells with a number in them are no positive finite number, by index."""
    bad = ~np.isnan(values) & ~((values > 0.0) & np.isfinite(values))
    why = {}
    for index in np.flatnonzero(bad).tolist():
        domain = "finite (the largest float is 1.8e308)" if np.isinf(values[index]) else "above 0"
        why[index] = f"{quantity}={float(values[index])!r}: must be {domain}"
    return why
