"""The rows of a table: their numbers, which of them are in use, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .budget import fill
from .columns import ALL_LETTERS, BUDGET
from .table import Table
from .where import holds

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dropped", "Rows", "View", "lost_rows", "names_in_conditions", "those_dropped"]

#: How many dropped rows a message shows.
MOST_SHOWN = 3
#: Quantities of which a row must have a positive and finite number.
POSITIVE = (*BUDGET, "loss", "weight", "gold")


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


def lost_rows(left_out: int, dropped: Sequence[Dropped]) -> str:
    """What became of the rows of a table that are not in use.

    >>> lost_rows(2, ())
    '2 rows left out by the condition'
    """
    parts = [f"{counted(left_out, 'row')} left out by the condition"] if left_out else []
    return "; ".join(parts + ([those_dropped(dropped)] if dropped else []))


def names_in_conditions(
    quantities: Mapping[str, Any], others: Mapping[str, Any], of: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What each name means in a condition: a quantity, its letter or its column (`of`) before other
    columns.
    """
    letters = {each: quantities[name] for each, name in ALL_LETTERS.items() if name in quantities}
    own = {(of or {}).get(name, name): values for name, values in quantities.items()}
    return {**others, **own, **letters, **quantities}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class View:
    """What a table was read into.

    Attributes
    ----------
    row : ndarray of int64
        Number of the row in the source; the first row of data is 1.
    source : str
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

    def __len__(self) -> int:
        return len(getattr(self, self.aligned[0]))

    def _at(self, index: Any, **changed: Any) -> Self:
        """The rows at a mask or at indices, with other fields changed."""

        def taken(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: taken(part) for key, part in value.items()}
            return None if value is None else value[index]

        return replace(
            self, **{name: taken(getattr(self, name)) for name in self.aligned} | changed
        )

    def _unread(self, **options: Any) -> Self:
        """The same; an error where an option says how to read a table."""
        for name, value in options.items():
            if value is not None:
                complaint = f"these are {type(self).__name__} already, not a table to be read"
                raise ArgumentError(name, value, complaint=complaint)
        return self

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        raise NotImplementedError

    def mask(self, condition: str, argument: str = "where") -> Any:
        """Which rows satisfy a condition on any of the columns, a mask; a comparison with an empty
        cell is false.
        """
        return holds(condition, self.named(), self.source, argument)

    def __repr__(self) -> str:
        lost = lost_rows(self.left_out, self.dropped)
        return f"<{type(self).__name__}: {len(self)} from {self.source}{lost and f' ({lost})'}>"


class Rows:
    """The rows of a table under the names of quantities.

    `of`: quantity -> its column; `numbers`: quantity -> its values, (rows,); `reasons`: why a row
    cannot be used, "" for others; `selected`: whether it satisfies the condition.
    """

    def __init__(self, table: Table, of: Mapping[str, str]) -> None:
        self.table, self.of = table, dict(of)
        self.numbers: dict[str, Any] = {}
        self.reasons = np.full(len(table.frame), "", dtype=object)
        self.selected = np.ones(len(table.frame), dtype=bool)
        self.warnings: list[str] = []

    @property
    def rows(self) -> Any:
        """The indices of the rows that are in use."""
        return np.flatnonzero(self.selected & (self.reasons == ""))

    def read(self, quantities: Sequence[str], needed: Sequence[str]) -> str | None:
        """Read quantities as numbers and compute what follows from C = 6ND; the one of the three that
        was computed everywhere.

        Rows are dropped where a number that must be positive and finite is not, or one that is
        `needed` is missing.
        """
        self.numbers = {name: self.table.numbers(self.of[name]) for name in quantities}
        values, derived, self.warnings = fill(self.numbers)
        self.numbers |= values
        for name in [name for name in POSITIVE if name in self.numbers]:
            numbers = self.numbers[name]
            reasons = [f"{name}={float(x)!r}: must be above 0 and finite" for x in numbers]
            bad = ~np.isnan(numbers) & ~((numbers > 0.0) & np.isfinite(numbers))
            self.drop(np.array(reasons, dtype=object), bad)
        for name in [name for name in needed if name in self.numbers]:
            self.drop(f"{name} is missing", np.isnan(self.numbers[name]))
        return derived

    def drop(self, reasons: Any, rows: Any) -> None:
        """Note why rows cannot be used, one reason or one a row; the first one stays."""
        self.reasons = np.where((self.reasons == "") & rows, reasons, self.reasons)

    def drop_empty(self, *quantities: str) -> None:
        """Drop the rows that have no text in a column."""
        for name in quantities:
            self.drop(f"{name} is missing", self.table.texts(self.of.get(name, name)) == "")

    def select(self, where: str | None, what: str, others: Mapping[str, Any] | None = None) -> None:
        """Select the rows of a condition on quantities, `others` and the columns; an error where none
        is left, which says `what` none of them is or has.
        """
        if where is not None:
            columns = self.table.columns | dict(others or {})
            named = names_in_conditions(self.numbers, columns, self.of)
            self.selected = holds(where, named, self.table.source)
        if not len(self.rows):
            lost = lost_rows(self.origin()["left_out"], self.origin()["dropped"])
            raise self.error(f"none of {counted(len(self.table.frame), 'row')} {what} ({lost})")

    def grouped(self, by: Sequence[str]) -> tuple[Any, tuple[tuple[str, ...], ...]]:
        """The index of its group for each row in use, and the texts in some columns that make the
        groups, in order of first appearance.
        """
        labels, index = self.table.labels(by), dict[tuple[str, ...], int]()
        of_row = [index.setdefault(labels[row], len(index)) for row in self.rows]
        return np.array(of_row, dtype=np.int64), tuple(index)

    def origin(self, *warnings: str) -> dict[str, Any]:
        """The fields of every view, but for the rows in use."""
        dropped = np.flatnonzero(self.selected & (self.reasons != "")).tolist()
        return {
            "source": self.table.source,
            "n_rows": len(self.table.frame),
            "left_out": int(np.sum(~self.selected)),
            "dropped": tuple(Dropped(index + 1, self.reasons[index]) for index in dropped),
            "warnings": (*self.warnings, *warnings),
        }

    def error(self, complaint: str, *indices: int, column: str | None = None) -> TableError:
        """What is wrong with rows, by their indices."""
        rows = tuple(int(index) + 1 for index in indices)
        return TableError(self.table.source, complaint, rows=rows, column=column)

    def refuse(self, quantity: str, bad: Any, domain: str) -> None:
        """TableError for the first row in use at which a number is bad."""
        for row in self.rows[bad[self.rows]][:1]:
            value = f"{quantity}={self.numbers[quantity][row]:.16g} must be {domain}"
            raise self.error(value, row, column=self.of[quantity])


def repeated(frame: pd.DataFrame, by: Sequence[str]) -> list[int]:
    """The rows of the first entry whose values in some columns an earlier one has: that one's, and its
    own; or none.
    """
    twice = frame[frame.duplicated([*by])].head(1)[[*by]].merge(frame, on=[*by])
    return list(twice["row"][:2])
