"""The rows of a table: their numbers, which of them are in use, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .budget import fill
from .columns import BUDGET, LETTERS, Columns, put_aside
from .table import Table
from .where import holds

__all__ = ["Dropped", "Rows", "View", "lost_rows", "names_in_conditions", "those_dropped"]

#: How many dropped rows a message shows.
MOST_SHOWN = 3
#: Quantities of which a row must have a positive and finite number.
POSITIVE = (*BUDGET, "loss", "weight")
#: Whole numbers that floats hold exactly.
LARGEST = 2.0**53


class Dropped(NamedTuple):
    """A row that cannot be used, by its number in the source (the first row of data is 1), and why."""

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


def lost_rows(left_out: int, dropped: Sequence[Dropped], by: str = "the condition") -> str:
    """What became of the rows of a table that are not in use.

    >>> lost_rows(2, ())
    '2 rows left out by the condition'
    """
    parts = [f"{counted(left_out, 'row')} left out by {by}"] if left_out else []
    return "; ".join(parts + ([those_dropped(dropped)] if dropped else []))


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
        lead, rows = self.aligned[0], len(getattr(self, self.aligned[0]))
        for name in self.aligned:
            value = getattr(self, name)
            for key, array in (value if isinstance(value, dict) else {name: value}).items():
                if array is not None and len(array) != rows:
                    complaint = f"has {len(array)} entries, {lead} has {rows}; must be as many"
                    raise ArgumentError(str(key), complaint=complaint)
        for part in fields(self):
            object.__setattr__(self, part.name, _mapped(getattr(self, part.name), _locked))

    def _at(self, chosen: Any, **changed: Any) -> Self:
        """The rows at a mask or at indices, with other fields changed."""
        taken = {name: getattr(self, name) for name in self.aligned if name not in changed}
        try:
            rows = {name: _mapped(value, lambda a: a[chosen]) for name, value in taken.items()}
        except IndexError as error:
            raise ArgumentError("index", complaint=str(error)) from None
        return replace(self, **rows, **changed)

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
        return self._at(truth, left_out=self.left_out + int(np.sum(~truth)))

    def __repr__(self) -> str:
        n = len(getattr(self, self.aligned[0]))
        lost = lost_rows(self.left_out, self.dropped)
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


class Rows:
    """The rows of a table under the names of quantities.

    `numbers`: quantity -> its values, (rows,); `reasons`: why a row cannot be used, "" for others;
    `selected`: whether it satisfies the condition; `derived`: the one of params, tokens and compute
    that was computed from the other two.
    """

    def __init__(self, table: Table, columns: Columns) -> None:
        self.table, self.of = table, columns.of
        self.numbers: dict[str, Any] = {}
        self.reasons = np.full(len(table), "", dtype=object)
        self.selected = np.ones(len(table), dtype=bool)
        self.warnings: list[str] = []
        self.derived: str | None = None

    @property
    def kept(self) -> Any:
        """Which rows are in use, a mask."""
        return self.selected & (self.reasons == "")

    @property
    def rows(self) -> Any:
        """The indices of the rows that are in use."""
        return np.flatnonzero(self.kept)

    def read(self, *quantities: str, needed: Collection[str] = ()) -> None:
        """Read quantities as numbers; rows where one that must be positive and finite is not are
        dropped. A column of text that is not `needed` may be put aside.
        """
        for name in quantities:
            remedy = "" if name in needed else put_aside(name)
            values = self.numbers[name] = self.table.numbers(self.of[name], remedy)
            if name in POSITIVE:
                self.drop(unusable(name, values))

    def fill_budget(self) -> None:
        """Compute what follows from C = 6ND, and drop the rows where that is beyond the floats."""
        values, self.derived, warnings = fill(self.numbers, "row")
        for name, column in values.items():
            if column is not self.numbers.get(name):
                self.drop(unusable(name, column))
        self.numbers |= values
        self.warnings += warnings

    def drop(self, reasons: Any, rows: Any = True) -> None:
        """Note why rows cannot be used, one reason or one a row; the first one stays."""
        self.reasons = np.where((self.reasons == "") & rows, reasons, self.reasons)

    def drop_missing(self, *quantities: str) -> None:
        """Drop rows without a number that they must have."""
        for name in quantities:
            self.drop(f"{name} is missing", np.isnan(self.numbers[name]))

    def select(
        self,
        where: str | None,
        what: str,
        quantities: Mapping[str, Any],
        *,
        letters: Mapping[str, str] = LETTERS,
        others: Mapping[str, Any] | None = None,
    ) -> None:
        """Select the rows of a condition on quantities, `others` and the columns; an error where none
        is left, which says `what` none of them is or has.
        """
        if where is not None:
            own = {self.of[name]: v for name, v in quantities.items() if name in self.of}
            columns = self.table.columns | dict(others or {}) | own
            every = names_in_conditions(quantities, columns, letters)
            self.selected = holds(where, every, self.table.source)
        if not self.kept.any():
            origin = self.origin()
            lost = lost_rows(origin["left_out"], origin["dropped"], f"the condition {where!r}")
            raise self.error(f"none of {counted(len(self.table), 'row')} {what} ({lost})")

    def origin(self, *warnings: str) -> dict[str, Any]:
        """The fields of every view."""
        dropped = np.flatnonzero(self.selected & (self.reasons != "")).tolist()
        return {
            "source": self.table.source,
            "n_rows": len(self.table),
            "left_out": int(np.sum(~self.selected)),
            "dropped": tuple(Dropped(index + 1, self.reasons[index]) for index in dropped),
            "warnings": warnings,
        }

    def error(self, complaint: str, *indices: int, column: str | None = None) -> TableError:
        """What is wrong with rows, by their indices."""
        rows = tuple(int(index) + 1 for index in indices)
        return TableError(self.table.source, complaint, rows=rows, column=column)

    def refuse(self, quantity: str, bad: Any, domain: str) -> None:
        """TableError for the first row in use at which a number is bad."""
        rows = np.flatnonzero(bad & self.kept)
        if len(rows):
            more = f" ({counted(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
            value = f"{quantity}={self.numbers[quantity][rows[0]]:.16g}"
            raise self.error(f"{value} must be {domain}{more}", rows[0], column=self.of[quantity])

    def refuse_fractions(self, quantity: str, least: int) -> None:
        """TableError for the first row in use that is no whole number of at least so much."""
        values = self.numbers[quantity]
        whole = (values >= least) & (values <= LARGEST) & (values == np.floor(values))
        self.refuse(quantity, ~whole, f"a whole number from {least} to 2^53")

    def refuse_empty(self, column: str, what: str) -> None:
        """TableError for the first row in use without a text; `what`: what the column names."""
        for index in np.flatnonzero((self.table.texts(column) == "") & self.kept)[:1]:
            raise self.error(f"is empty; must name {what}", index, column=column)

    def repeated(self, keys: Sequence[Any]) -> tuple[int, int] | None:
        """The first row in use whose key an earlier one has: that one, and the row."""
        first: dict[Any, int] = {}
        for index in self.rows.tolist():
            if (earlier := first.setdefault(keys[index], index)) != index:
                return earlier, index
        return None


def unusable(quantity: str, values: Any) -> Any:
    """Why cells with a number in them are no positive finite number; "" for others."""
    reasons = np.full(len(values), "", dtype=object)
    bad = ~np.isnan(values) & ~((values > 0.0) & np.isfinite(values))
    for index in np.flatnonzero(bad).tolist():
        domain = "finite (the largest float is 1.8e308)" if np.isinf(values[index]) else "above 0"
        reasons[index] = f"{quantity}={float(values[index])!r}: must be {domain}"
    return reasons
