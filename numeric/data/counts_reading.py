"""From tables to counts: rows checked, covariates joined from further tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed, shown
from .budget import fill
from .columns import BUDGET, COUNTS, Columns, Quantity, chosen_columns, plain, recognise
from .rows import Reading, names_in_conditions, unusable
from .table import Table, numbers, spelt
from .units import doubts
from .where import Where

Label = tuple[str, ...]
#: What makes a group, and what a group may have besides.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
NEEDED = ("n_samples", "n_correct")
LETTERS = {quantity.letter: quantity.name for quantity in COUNTS if quantity.letter}
#: Counts that floats hold exactly.
LARGEST = 2.0**53
#: Relative difference within which two tables agree on a covariate: that of printed digits.
AGREEMENT = 1e-6


def read_counts(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: Where | None,
    by: str | Sequence[str] | None,
    beside: Mapping[str, Table],
) -> dict[str, Any]:
    """The fields of `Counts`; `beside`: the tables of models and of gold references."""
    every = dict.fromkeys(name for one in (table, *beside.values()) for name in one.names)
    chosen, _ = chosen_columns(table.source, every, COUNTS, columns)
    known = columns_of(table, COUNTS, chosen)
    reading = _Counts(table, known, grouping(known, by))
    reading.select_rows(where)
    groups = reading.groups()
    covariates = _Covariates(groups, reading.by)
    for name, other in beside.items():
        wanted = BUDGET if name == "models" else ("gold",)
        covariates.join(other, columns_of(other, COUNTS, chosen), wanted)
    covariates.own(reading)
    values = covariates.filled()
    return {
        "by": reading.by,
        "labels": groups,
        **reading.arrays(groups),
        "covariates": values,
        **reading.origin(*reading.warnings, *covariates.warnings, *covariates.lacking(values)),
    }


def columns_of(
    table: Table, quantities: Sequence[Quantity], chosen: Mapping[str, str | None]
) -> Columns:
    """The columns of one of several tables; a column that was chosen may be in another."""
    here = {
        name: column for name, column in chosen.items() if column is None or column in table.names
    }
    return recognise(table.source, table.names, quantities, here, table.empty())


def role(name: str) -> str:
    """What two columns must share to be joined: the quantity that groups, else the plain spelling.

    >>> role("Model Name"), role("model"), role("suite")
    ('model', 'model', 'suite')
    """
    named = (
        quantity.name
        for quantity in COUNTS
        if plain(name) in quantity.plain_names and quantity.name in GROUPING
    )
    return next(named, plain(name))


def grouping(columns: Columns, by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns that make a group; by default those for benchmark and model."""
    if by is None:
        columns.settle(*GROUPING)
        return tuple(columns.of[name] for name in GROUPING if name in columns.of)
    names = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, Sequence) else (by,)
    chosen: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError("by", by, "the name of a column, or several")
        column = columns.of.get(name, name) if name in GROUPING else name
        column = name if name in columns.names else column
        complaint = ""
        if column not in columns.names:
            hint = close_matches(name, columns.names)
            complaint = f"no column {name!r}{hint}; {columns.source} has {listed(columns.names)}"
        elif column in chosen:
            complaint = f"{name!r} is given twice"
        if complaint:
            raise ArgumentError("by", by, complaint=complaint)
        chosen.append(column)
    return tuple(chosen)


class Grouped(Reading):
    """Rows that belong to groups by the text in some of their columns."""

    def __init__(self, table: Table, columns: Columns, by: tuple[str, ...]) -> None:
        super().__init__(table, columns)
        self.by = by
        self.labels: list[Label] = (
            list(zip(*(spelt(table.columns[name]) for name in by), strict=True))
            or [()] * table.rows
        )

    def groups(self) -> tuple[Label, ...]:
        """The groups that are kept, in order of first appearance."""
        return tuple(dict.fromkeys(self.labels[index] for index in np.flatnonzero(self.kept)))

    def group_of_rows(self, groups: Sequence[Label]) -> Any:
        """The index of its group for each kept row."""
        index = {label: place for place, label in enumerate(groups)}
        return np.array(
            [index[self.labels[row]] for row in np.flatnonzero(self.kept)], dtype=np.int64
        )

    def refuse(self, quantity: str, bad: Any, domain: str) -> None:
        """TableError for the first kept row at which a number is bad."""
        rows = np.flatnonzero(bad & self.kept)
        if len(rows):
            more = f" ({counted(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
            value = f"{quantity}={self.numbers[quantity][rows[0]]:.16g}"
            raise self.error(f"{value} {domain}{more}", rows[0], column=self.columns.of[quantity])


class _Counts(Grouped):
    """The table of counts."""

    def __init__(self, table: Table, columns: Columns, by: tuple[str, ...]) -> None:
        super().__init__(table, columns, by)
        columns.settle("problem", *COVARIATES)
        for name in NEEDED:
            columns.require(name)
            self.read_exactly(name, optional=False)
        self.problem = columns.of.get("problem")
        if self.problem is None:
            self.problems = [str(row) for row in range(1, table.rows + 1)]
            what = "no column for problem: every row is taken as a problem of its own"
            self.warnings.append(what)
        else:
            self.problems = spelt(table.columns[self.problem])
        used = {*by, self.problem, *(columns.of[name] for name in NEEDED)}
        for name in COVARIATES:
            if columns.of.get(name, self.problem) not in used:
                self.read_exactly(name)

    def select_rows(self, where: Where | None) -> None:
        """Keep the rows of the condition with both counts, and check them."""
        self.drop_missing(NEEDED)
        of = {name: self.columns.of[name] for name in self.numbers}
        self.select(where, *names_in_conditions(self.numbers, of, self.table.columns, LETTERS))
        self.require_rows("has counts")
        n, c = self.numbers["n_samples"], self.numbers["n_correct"]
        for name, values in (("n_samples", n), ("n_correct", c)):
            self.refuse(name, values < 0.0, "must be at least 0")
            whole = (values == np.floor(values)) & (values <= LARGEST)
            self.refuse(name, ~whole & ~np.isnan(values), "must be a whole number (at most 2^53)")
        self.refuse("n_samples", n == 0.0, "must be at least 1; leave out problems without samples")
        for index in np.flatnonzero((c > n) & self.kept)[:1]:
            self.refuse("n_correct", c > n, f"must be at most n_samples={n[index]:.0f}")
        self.warnings += self.other_columns(self.numbers)
        for name in (*self.by, *filter(None, [self.problem])):
            empty = np.array([not cell for cell in spelt(self.table.columns[name])])
            for index in np.flatnonzero(empty & self.kept)[:1]:
                what = "is empty; must name the group or the problem"
                raise self.error(what, index, column=name)
        self._check_repeated()

    def _check_repeated(self) -> None:
        seen: dict[tuple[Label, str], int] = {}
        used = {*self.by, self.problem, *(self.columns.of[name] for name in self.numbers)}
        for index in np.flatnonzero(self.kept).tolist():
            first = seen.setdefault((self.labels[index], self.problems[index]), index)
            if first == index:
                continue
            what = shown(" ".join((*self.labels[index], f"problem {self.problems[index]}")))
            differ = [
                name
                for name, cells in self.table.columns.items()
                if name not in used and cells[first] != cells[index]
            ]
            cure = f"; they differ in {differ[0]!r}: add it to by= (--by)" if differ else ""
            complaint = f"hold the same problem of the same group ({what}){cure}"
            raise self.error(complaint, first, index)

    def arrays(self, groups: tuple[Label, ...]) -> dict[str, Any]:
        """The fields of `Counts` with an entry for each row."""
        rows = np.flatnonzero(self.kept)
        return {
            "group": self.group_of_rows(groups),
            "problem": np.array(self.problems, dtype=object)[rows],
            "n": self.numbers["n_samples"][rows].astype(np.int64),
            "c": self.numbers["n_correct"][rows].astype(np.int64),
            "row": rows + 1,
        }


# -- covariates ------------------------------------------------------------------------------------


class _Covariates:
    """params, tokens, compute and gold of the groups, from as many tables as there are.

    Attributes
    ----------
    known : dict of str to ndarray
        NaN where a group has none.
    origin : dict of str to str
        The table that each is from.
    """

    def __init__(self, groups: tuple[Label, ...], by: tuple[str, ...]) -> None:
        self.groups, self.by = groups, by
        self.known: dict[str, Any] = {}
        self.origin: dict[str, str] = {}
        self.warnings: list[str] = []

    def own(self, reading: _Counts) -> None:
        """From the table of counts itself."""
        rows, groups = np.flatnonzero(reading.kept), reading.group_of_rows(self.groups)
        for name in COVARIATES:
            if name in reading.numbers:
                values = reading.numbers[name]
                self._add(name, reading.table, reading.columns.of[name], values, groups, rows)

    def join(self, table: Table, columns: Columns, wanted: Sequence[str]) -> None:
        """From a table with some of the columns that make a group."""
        names = {role(name): name for name in reversed(table.names)}
        shared = {
            index: names[role(name)] for index, name in enumerate(self.by) if role(name) in names
        }
        if not shared:
            there = f"({', '.join(map(repr, self.by)) or 'there are none'})"
            which = f"has no column in common with the groups {there}; it has {listed(table.names)}"
            raise TableError(table.source, which)
        for index, name in enumerate(self.by):
            values = sorted({label[index] for label in self.groups})
            if index not in shared and len(values) > 1 and "gold" in wanted:
                several = f"and the counts hold several ({listed(values)}); take one by where="
                raise TableError(table.source, f"has no column {name!r}, {several}")
        columns.require(*wanted)
        rows, groups = self._matched(table, shared)
        for name in wanted:
            if (column := columns.of.get(name)) is not None:
                values, reasons = numbers(table, column)
                for row, reason in unusable(name, values, reasons).items():
                    raise TableError(table.source, reason, rows=(row + 1,), column=column)
                self._add(name, table, column, values, groups, rows)

    def _matched(self, table: Table, shared: Mapping[int, str]) -> tuple[Any, Any]:
        """Rows of the table and the group of each; a row may serve several groups."""
        of: dict[Label, list[int]] = {}
        for place, label in enumerate(self.groups):
            of.setdefault(tuple(label[index] for index in shared), []).append(place)
        keys = list(zip(*(spelt(table.columns[name]) for name in shared.values()), strict=True))
        pairs = [(row, place) for row, key in enumerate(keys) for place in of.get(key, ())]
        if not pairs:
            first, other = (" ".join(next(iter(labels))) for labels in (of, keys))
            both = f"({first!r} there, {other!r} here)"
            raise TableError(table.source, f"none of its rows is of a group in the counts {both}")
        rows, groups = np.array(pairs, dtype=np.int64).T
        return rows, groups

    def _add(
        self, name: str, table: Table, column: str, values: Any, groups: Any, rows: Any
    ) -> None:
        """One value a group: the mean for gold, else the one that all rows have."""
        values = values[rows]
        for index, reason in unusable(name, values, {}).items():
            raise TableError(table.source, reason, rows=(int(rows[index]) + 1,), column=column)
        present = ~np.isnan(values)
        if name == "gold" and not present.all():
            n = counted(int(np.count_nonzero(~present)), "row")
            what = f"{table.source}: gold is missing in {n}; the mean is over the others"
            self.warnings.append(what)
        values, groups, rows = values[present], groups[present], rows[present]
        filled, first = np.unique(groups, return_index=True)
        of_group = np.full(len(self.groups), np.nan)
        of_group[filled] = values[first]
        different = np.flatnonzero(values != of_group[groups])
        if len(different) and name != "gold":
            index = int(different[0])
            earlier = int(rows[first[filled == groups[index]]][0])
            label, value = " ".join(self.groups[groups[index]]), of_group[groups[index]]
            both = f"{value:.10g} in row {earlier + 1} and {values[index]:.10g} in row {rows[index] + 1}"
            complaint = f"{name} of {label!r} is {both}; must be one for a group"
            raise TableError(table.source, complaint, column=column)
        varied = np.unique(groups[different])
        total = np.bincount(groups, weights=values, minlength=len(self.groups))
        of_group[varied] = total[varied] / np.bincount(groups, minlength=len(self.groups))[varied]
        self._merge(name, table.source, of_group)

    def _merge(self, name: str, source: str, values: Any) -> None:
        """A table that comes later fills what an earlier one leaves open."""
        known = self.known.get(name, values)
        apart = np.abs(known - values) > AGREEMENT * np.abs(known)
        if n := int(np.count_nonzero(apart)):
            both = f"{self.origin[name]}, which is taken, and {source}"
            self.warnings.append(f"{name} of {counted(n, 'group')} differs between {both}")
        self.known[name] = np.where(np.isnan(known), values, known)
        self.origin.setdefault(name, source)

    def filled(self) -> dict[str, Any]:
        """The covariates, with what follows from C = 6ND."""
        budget, _, warnings = fill(self.known, "group")
        every = self.known | budget
        values = {
            name: every[name]
            for name in COVARIATES
            if name in every and not np.isnan(every[name]).all()
        }
        self.warnings += warnings
        sizes = {name: values[name] for name in BUDGET if name in values}
        full = ~np.isnan([*sizes.values()]).any(axis=0)
        if full.any() and sizes:
            known = {name: column[full] for name, column in sizes.items()}
            self.warnings += doubts(known, frozenset(self.known))
        return values

    def lacking(self, values: Mapping[str, Any]) -> list[str]:
        """A warning for each set of groups that lack a covariate."""
        lacked: dict[tuple[str, ...], list[str]] = {}
        for name, column in values.items():
            missing = tuple(" ".join(self.groups[g]) for g in np.flatnonzero(np.isnan(column)))
            if missing:
                lacked.setdefault(missing, []).append(name)
        return [
            f"no {', '.join(names)} for {counted(len(missing), 'group')} of {len(self.groups)} "
            f"({listed(missing)})"
            for missing, names in lacked.items()
        ]
