"""The rows of a table: their numbers, what follows from C = 6ND, which of them are in use, and why the
others are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .columns import ALL_LETTERS, BUDGET, spelt_in
from .table import Table
from .where import holds

if TYPE_CHECKING:
    import pandas as pd

#: How many dropped rows a message shows.
MOST_SHOWN = 3
#: Quantities of which a row must have a positive and finite number.
POSITIVE = (*BUDGET, "loss", "weight", "gold")
#: Each of the three from the other two; infinite or 0 beyond the floats.
FROM_OTHERS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "params": ("compute", "tokens", lambda C, D: C / (6.0 * D)),
    "tokens": ("compute", "params", lambda C, N: C / (6.0 * N)),
    "compute": ("params", "tokens", lambda N, D: 6.0 * D * N),
}
#: Numbers outside are more likely in other units, or something else; what is said then of a column.
UNITS = "of millions say --column {0}='{1}*1e6', of billions {0}='{1}*1e9'"
USUAL = {
    "params": (1e3, 1e16, UNITS),
    "tokens": (1e3, 1e18, UNITS),
    "compute": (1e6, 1e30, "of units of 1e18 say --column {0}='{1}*1e18', of a log {0}='10**{1}'"),
    "loss": (0.0, 20.0, "of a perplexity say --column {0}='log({1})'"),
}
#: With a median of D/N outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)


class Dropped(NamedTuple):
    """A row that cannot be used, by its number in the source (the first row of data is 1), and why."""

    row: int
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


def lost_rows(left_out: int, dropped: Sequence[Dropped]) -> str:
    """What became of the rows of a table that are not in use: how many, and the first dropped ones.

    >>> lost_rows(2, (Dropped(3, "loss is missing"),))
    '2 rows left out by the condition; 1 dropped: row 3: loss is missing'
    """
    first, rest = ", ".join(map(str, dropped[:MOST_SHOWN])), len(dropped) - MOST_SHOWN
    parts = [f"{counted(left_out, 'row')} left out by the condition"] if left_out else []
    more = f" and {rest} more" if rest > 0 else ""
    return "; ".join([*parts, *([f"{len(dropped)} dropped: {first}{more}"] if dropped else [])])


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
        return self.complete(needed)

    def complete(self, needed: Sequence[str] = ()) -> str | None:
        """The same for numbers that are there."""
        derived = self._fill_budget()
        for name in [name for name in POSITIVE if name in self.numbers]:
            numbers = self.numbers[name]
            reasons = [f"{name}={float(x)!r}: must be above 0 and finite" for x in numbers]
            bad = ~np.isnan(numbers) & ~((numbers > 0.0) & np.isfinite(numbers))
            self.drop(np.array(reasons, dtype=object), bad)
        for name in [name for name in needed if name in self.numbers]:
            self.drop(f"{name} is missing", np.isnan(self.numbers[name]))
        return derived

    def _fill_budget(self) -> str | None:
        """Compute what follows where two of the three are positive and finite: infinite or 0 beyond the
        floats.
        """
        held = {name: self.numbers[name] for name in BUDGET if name in self.numbers}
        valid = {n: np.where((v > 0.0) & np.isfinite(v), v, np.nan) for n, v in held.items()}
        derived = None
        for target, (first, second, function) in FROM_OTHERS.items():
            if {first, second} <= valid.keys():
                with np.errstate(over="ignore", under="ignore"):
                    computed = function(valid[first], valid[second])
                given = held.get(target, np.full(len(computed), np.nan))
                gaps = np.isnan(given) & ~np.isnan(computed)
                self.numbers[target] = np.where(gaps, computed, given)
                if target not in held:
                    derived = target
                elif n := int(np.sum(gaps)):
                    where = f"{counted(n, 'row')} with {first} and {second}"
                    self.warnings.append(f"{target} is missing in {where}: computed by C = 6ND")
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
            columns = self.table.columns
            named = {name: columns[column] for name, column in self.of.items()}
            named = names_in_conditions(self.numbers, columns | named | dict(others or {}), self.of)
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


def doubts(quantities: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Warnings about numbers in unlikely units, about D/N, and about compute that is not 6ND.

    `quantities`: params, tokens, compute and loss of the runs that are kept, as far as there are;
    `given`: those with a column of their own -> that column.
    """
    warnings = []
    for name in [name for name in USUAL if name in quantities and name in given]:
        values, (low, high, cure) = quantities[name], USUAL[name]
        if n := int(np.sum((values < low) | (values > high))):
            most = f"from {np.nanmin(values):.4g} to {np.nanmax(values):.4g}"
            span = f"{name} outside {low:g} to {high:g} in {n} of {len(values)} runs, {most}"
            cured = cure.format(name, spelt_in(given[name]))
            warnings.append(f"{span}: is it in other units? {cured}")
    if {"params", "tokens"} <= quantities.keys():
        ratio = quantities["tokens"] / quantities["params"]
        middle, (low, high) = float(np.median(ratio[~np.isnan(ratio)])), TOKENS_PER_PARAM
        if middle < low or middle > high:
            warnings.append(f"tokens per param have median {middle:.4g}: are units the same?")
    if {*BUDGET} <= given.keys() & quantities.keys():
        ratio = quantities["compute"] / (6.0 * quantities["tokens"] * quantities["params"])
        if off := int(np.sum(np.abs(ratio - 1.0) > 0.1)):
            what = f"compute off 6ND by more than 10 % in {off} of {len(ratio)} runs"
            span = f"C/(6ND) is {np.nanmin(ratio):.4g} to {np.nanmax(ratio):.4g}"
            warnings.append(f"{what}: {span}; compute is taken as given")
    return warnings
