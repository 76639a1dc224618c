"""The rows of a table under the names of quantities: what follows from C = 6ND, which rows can be
used, and why the others cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted, shown
from .columns import ALL_LETTERS, BUDGET, NUMBERS, POSITIVE, WHOLE, Kind
from .table import SourceTable, in_backticks, number_in, table_of, texts
from .where import holds

if TYPE_CHECKING:
    from pandas import DataFrame

#: The relative difference within which rows agree on a number: that of printed digits.
AGREEMENT = 1e-6
#: How many rejected rows a message shows.
MOST_SHOWN = 3
#: The usual range of a quantity, and how to correct a column whose numbers lie outside of it: they
#: are most likely in other units, or are another quantity.
UNITS = "of millions say --column {0}='{1}*1e6', of billions {0}='{1}*1e9'"
USUAL = {
    "params": (1e3, 1e16, UNITS),
    "tokens": (1e3, 1e18, UNITS),
    "compute": (1e6, 1e30, "of units of 1e18 say --column {0}='{1}*1e18', of a log {0}='10**{1}'"),
    "loss": (0.0, 20.0, "of a perplexity say --column {0}='log({1})'"),
}


class Dropped(NamedTuple):
    """A rejected row: its number in the source (the first row of data is 1), and the reason."""

    row: int
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


def lost_rows(left_out: int, dropped: Sequence[Dropped]) -> str:
    """A note on the rows of a table that are not used: how many there are, and the first rejected
    ones.

    >>> lost_rows(2, (Dropped(3, "loss is missing"),))
    '2 rows left out by the condition; 1 dropped: row 3: loss is missing'
    """
    first, rest = ", ".join(map(str, dropped[:MOST_SHOWN])), len(dropped) - MOST_SHOWN
    parts = [f"{counted(left_out, 'row')} left out by the condition"] if left_out else []
    more = f" and {rest} more" if rest > 0 else ""
    return "; ".join([*parts, *([f"{len(dropped)} dropped: {first}{more}"] if dropped else [])])


class FrameColumn:
    """An attribute that is a column of the frame of a view, as an array; None without the column."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, view: Any, owner: type | None = None) -> Any:
        return view.frame[self.name].to_numpy() if self.name in view.frame else None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class View:
    """The usable rows of a table.

    Attributes
    ----------
    frame : DataFrame
        The rows in use, by their number in the source (the first row of data is 1): quantities
        under their names, and the other columns as they are.
    columns : dict of str to str
        Quantity -> the column of the source that held it.
    source : str
        What messages call the table.
    n_rows, left_out : int
        The number of rows in the source, and of those that did not satisfy ``where``.
    dropped : tuple of Dropped
        The rejected rows, each with its reason.
    warnings : tuple of str
        What is doubtful about the table.
    """

    frame: Any
    columns: dict[str, str] = field(default_factory=dict)
    source: str = "data"
    n_rows: int = 0
    left_out: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, data: Any, *, columns: Mapping[str, str | None] | None = None, where: str | None = None
    ) -> Self:
        """The rows of a file, or of anything that ``pandas.DataFrame`` accepts, as the class says; a
        view is returned as it is. For `columns` and `where` see `Runs.read`.

        Raises
        ------
        ValueError
            Naming file, row and column: where the table lacks a column, or what it holds cannot be.
        """
        if isinstance(data, cls):
            return data.unread(columns=columns, where=where)
        return cls._read(table_of(data), columns, where)

    @classmethod
    def _read(
        cls, table: SourceTable, columns: Mapping[str, str | None] | None, where: str | None
    ) -> Self:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        lost = lost_rows(self.left_out, self.dropped)
        return f"<{type(self).__name__}: {len(self)} from {self.source}{lost and f' ({lost})'}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings, and a note on the rejected rows."""
        return (*self.warnings, *filter(None, [lost_rows(0, self.dropped)]))

    @property
    def row(self) -> Any:
        """The number of each row in the source, int64."""
        return self.frame.index.to_numpy(np.int64)

    def subset(self, index: Any) -> Self:
        """The rows at a boolean mask or at indices (with repetitions, as a bootstrap draws them)."""
        places = np.arange(len(self.frame))[np.asarray(index, None if np.size(index) else int)]
        return replace(self, frame=self.frame.iloc[places])

    def named(self) -> DataFrame:
        """The rows with a column for each name that a condition may use."""
        return named(self.frame, self.columns)

    def mask(self, condition: str, argument: str = "where") -> Any:
        """The mask of the rows that satisfy a condition on any of the columns, see
        `isoflop.numeric.data.where.holds`.
        """
        return holds(condition, self.named(), self.source, argument)

    def unread(self, **options: Any) -> Self:
        """The view itself; an error where an option says how to read a table."""
        for name in [name for name, value in options.items() if value is not None]:
            complaint = f"these are {type(self).__name__} already, not a table to be read"
            raise ArgumentError(name, options[name], complaint=complaint)
        return self

    def error(self, complaint: str, *rows: int, column: str | None = None) -> TableError:
        """The error about some rows of the table."""
        return TableError(self.source, complaint, rows=tuple(map(int, rows)), column=column)

    def refuse(self, quantity: str, bad: Any, domain: str) -> None:
        """Raise a TableError for the first row at which a number is bad."""
        for row, value in self.frame[quantity][bad].items():
            complaint = f"{quantity}={value:.16g} must be {domain}"
            raise self.error(complaint, row, column=self.columns[quantity])

    def refuse_several(self, quantity: str, by: Any, noun: str) -> None:
        """Raise a TableError where rows with the same `by` hold different numbers."""
        each = self.frame.groupby(by)[quantity]
        least, most = each.transform("min"), each.transform("max")
        for place in np.flatnonzero(most > least * (1.0 + AGREEMENT))[:1]:
            span = f"{least.iloc[place]:.10g} to {most.iloc[place]:.10g}"
            complaint = f"{quantity} is from {span} in rows of one {noun}; must be one number"
            column = self.columns.get(quantity)
            raise self.error(complaint, self.frame.index[place], column=column)


def refuse_twice(view: View, rows: DataFrame, by: Sequence[str], complaint: str) -> None:
    """Raise a TableError for the first two rows that have the same values of `by`."""
    for row, key in rows.loc[rows.duplicated([*by]), [*by]].iterrows():
        same = (rows[[*by]] == key).all(axis=1)
        raise view.error(complaint, rows.index[same][0], row)


def named(frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
    """The frame with a column for each name that a condition may use: a quantity, its letter or its
    column goes before other columns of that name.
    """
    held = {name: frame[name] for name in (*columns, *BUDGET) if name in frame}
    own = {columns.get(name, name): values for name, values in held.items()}
    letters = {x: held[name] for x, name in ALL_LETTERS.items() if name in held}
    return frame.copy().assign(**own | letters | held)


def read_rows(
    table: SourceTable,
    column_of: Mapping[str, str],
    kind: Kind,
    needed: Collection[str],
    where: str | None,
) -> View:
    """The rows of a table that satisfy a condition and hold the numbers that they must. A row is
    rejected where a quantity that is `needed` is missing, a cell of a number holds
    something else, or a number that must be positive and finite is not.

    `column_of`: quantity -> its column; `kind`: the quantities that the table may hold.
    """
    import pandas as pd

    raw, reasons = table.frame, pd.Series("", table.frame.index)

    def reject(bad: Any, reason: Any) -> None:
        """Reject the bad rows that are not rejected yet, for a reason, or each for its own."""
        reasons.mask((reasons == "") & bad, reason, inplace=True)

    cells: dict[str, Any] = {}
    for name, column in column_of.items():
        cells[name] = raw[column]
        if name in NUMBERS:
            cells[name] = raw[column].map(number_in).astype(np.float64)
            wrong = cells[name].isna() & ~texts(raw[column]).str.lower().isin(["", "nan"])
            reject(wrong, f"{name}=" + raw[column].map(shown) + " is not a number")
    held, warnings = _filled(pd.DataFrame(cells, raw.index))
    for name in [name for name in POSITIVE if name in held]:
        x = held[name]
        bad = x.notna() & ~((x > 0.0) & np.isfinite(x))
        reject(bad, f"{name}=" + x.map(repr) + ": must be above 0 and finite")
    for name in [name for name in needed if name in held]:
        empty = held[name].isna() if name in NUMBERS else texts(held[name]) == ""
        reject(empty, f"{name} is missing")
    chosen = np.ones(len(raw), dtype=bool)
    if where is not None:
        chosen = holds(where, named(raw.assign(**held), column_of), table.source, "where")
    taken = {*held, *kind.quantities, *column_of.values()}
    frame = raw.drop(columns=[name for name in raw if name in taken]).assign(**held)
    rejected = reasons[chosen & (reasons != "")]
    view = View(
        frame=frame[chosen & (reasons == "")],
        columns=dict(column_of),
        source=table.source,
        n_rows=len(frame),
        left_out=int((~chosen).sum()),
        dropped=tuple(Dropped(int(row), reason) for row, reason in rejected.items()),
        warnings=tuple(warnings),
    )
    if not len(view):
        what = lost_rows(view.left_out, view.dropped)
        raise view.error(f"none of {counted(view.n_rows, 'row')} is usable ({what})")
    for name, least in WHOLE.items():
        if name in held:
            x = view.frame[name]
            bad = (x != np.floor(x)) | (x < least) | (x > 2.0**53)  # floats do not hold more
            view.refuse(name, bad, f"a whole number from {least} to 2^53")
    return view


def _filled(frame: DataFrame) -> tuple[DataFrame, list[str]]:
    """The quantities with what follows from C = 6ND where two of the three are positive and finite
    (infinite or 0 beyond the range of floats), and warnings about gaps that this closed.
    """
    known = {name: frame.get(name, np.nan) for name in BUDGET}
    N, D, C = (np.where(np.isfinite(x) & (x > 0.0), x, np.nan) for x in known.values())
    with np.errstate(over="ignore", under="ignore"):
        found = dict(zip(BUDGET, (C / (6.0 * D), C / (6.0 * N), 6.0 * D * N), strict=True))
    warnings = []
    for name in [name for name in BUDGET if {*BUDGET} - {name} <= {*frame.columns}]:
        if name not in frame:
            frame[name] = found[name]
        elif gaps := int((frame[name].isna() & ~np.isnan(found[name])).sum()):
            where = f"{counted(gaps, 'row')} with the other two"
            warnings.append(f"{name} is missing in {where}: computed by C = 6ND")
            frame[name] = frame[name].where(frame[name].notna(), found[name])
    return frame, warnings


def doubts(frame: DataFrame, given: Mapping[str, str]) -> list[str]:
    """Warnings about numbers in unlikely units, and about compute that is not 6ND.

    `frame` has params, tokens, compute and loss as far as they are known; `given` maps those with a
    column of their own to that column.
    """
    warnings = []
    for name in [name for name in USUAL if name in frame and name in given]:
        x, (low, high, cure) = frame[name], USUAL[name]
        if n := int(((x < low) | (x > high)).sum()):
            most = f"from {x.min():.4g} to {x.max():.4g}"
            span = f"{name} outside {low:g} to {high:g} in {n} of {len(x)} runs, {most}"
            cured = cure.format(name, in_backticks(given[name]))
            warnings.append(f"{span}: is it in other units? {cured}")
    if {*BUDGET} <= {*given} & {*frame}:
        ratio = frame["compute"] / (6.0 * frame["tokens"] * frame["params"])
        if off := int(((ratio - 1.0).abs() > 0.1).sum()):
            what = f"compute off 6ND by more than 10 % in {off} of {len(ratio)} runs"
            span = f"C/(6ND) is {ratio.min():.4g} to {ratio.max():.4g}"
            warnings.append(f"{what}: {span}; compute is taken as given")
    return warnings
