"""From tables to counts: columns recognised, rows checked, covariates joined from tables of models and of gold references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from .counts import Counts
from .counts_columns import GROUPING, LETTERS, Choice, role
from .runs import Dropped, named, those_dropped
from .runs_cells import counted, numbers, shown, unusable
from .runs_columns import BUDGET, Recognised, listed
from .runs_file import Table, table_of
from .runs_reading import BY_BUDGET, empty_columns, seconds
from .runs_units import doubts, refuse_units
from .where import Where

Label = tuple[str, ...]
#: Counts that floats hold exactly.
LARGEST = 2.0**53
#: Relative difference within which two tables agree on a covariate: that of printed digits.
AGREEMENT = 1e-6


def read_counts(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    by: str | Sequence[str] | None,
    models: Any,
    gold: Any,
) -> Counts:
    """See `Counts.read`."""
    condition = None if where is None else Where.parse(where)
    table = data if isinstance(data, Table) else table_of(data)
    beside = {"models": models, "gold": gold}
    others = {name: _table(name, value) for name, value in beside.items() if value is not None}
    tables = (table, *others.values())
    every = dict.fromkeys(column for one in tables for column in one.names)
    empty = {name for name in every if all(name not in one.columns or name in empty_columns(one) for one in tables)}
    choice = Choice.of(columns, table.source, list(every), empty)
    reading = _Reading(table, choice, grouping(table, choice, by))
    reading.select(condition)
    groups = reading.groups()
    covariates = _Covariates(groups, reading.by)
    for name, other in others.items():
        covariates.join(other, choice, BUDGET if name == "models" else ("gold",))
    covariates.own(reading)
    values = covariates.filled()
    return Counts(
        by=reading.by,
        labels=groups,
        **reading.arrays(groups),
        covariates=values,
        source=table.source,
        left_out=reading.left_out,
        dropped=reading.dropped,
        warnings=(*reading.warnings, *covariates.warnings, *covariates.lacking(values)),
    )


def _table(name: str, value: Any) -> Table:
    """The table in an argument; one in memory is called as the argument is."""
    try:
        found = table_of(value)
    except ValueError as error:
        raise ValueError(str(error).replace("data: ", f"{name}: ", 1)) from None
    return Table(name, found.columns, found.rows) if found.source == "data" else found


def grouping(table: Table, choice: Choice, by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns that make a group."""
    if by is None:
        found = (choice.column(name, table.source, table.names) for name in GROUPING)
        return tuple(name for name in found if name is not None)
    names = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, Sequence) else ()
    if not (isinstance(by, (str, Sequence)) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"by={by!r}: must be the name of a column, or several")
    columns = []
    for name in names:
        column = name if name in table.names else choice.column(name, table.source, table.names) if name in GROUPING else None
        if column is None:
            raise ValueError(
                f"{table.source}: no column {name!r} (by){close_matches(name, table.names)}; it has {listed(table.names)}"
            )
        if column in columns:
            raise ValueError(f"by={names!r}: {name!r} is given twice")
        columns.append(column)
    return tuple(columns)


# -- the table of counts -----------------------------------------------------------------------------------------------


class _Reading:
    """The table of counts, and which of its rows are kept."""

    def __init__(self, table: Table, choice: Choice, by: tuple[str, ...]) -> None:
        self.table, self.choice, self.by = table, choice, by
        self.columns = {name: choice.required(name, table.source, table.names) for name in ("n_samples", "n_correct")}
        problem = choice.column("problem", table.source, table.names)
        self.warnings = [] if problem is not None else ["no column for problem: every row is taken as a problem of its own"]
        self.problems = spelt(table.columns[problem]) if problem is not None else [str(row) for row in range(1, table.rows + 1)]
        self.problem = problem
        self.numbers = {name: self._numbers(name, column) for name, column in self.columns.items()}
        for name in (*BUDGET, "gold"):
            column = choice.column(name, table.source, table.names)
            if column is not None and column not in (*by, problem, *self.columns.values()):
                self.numbers[name] = self._numbers(name, column)
                self.columns[name] = column
        self.kept = np.ones(table.rows, dtype=bool)
        self.left_out = 0
        self.dropped: tuple[Dropped, ...] = ()
        self.cells = {name: spelt(table.columns[name]) for name in by}
        self.all_labels: list[Label] = list(zip(*self.cells.values(), strict=True)) or [()] * table.rows

    def _numbers(self, name: str, column: str) -> Any:
        optional = name not in ("n_samples", "n_correct")
        remedy = f"; columns={{{name!r}: None}} (--column {name}=) puts the column aside" if optional else ""
        values, self_reasons = numbers(self.table.source, column, self.table.columns[column], remedy)
        refuse_units(self.table.source, column, name, values)
        for index, reason in self_reasons.items():
            raise ValueError(f"{self.table.source}, row {index + 1}, column {column!r}: {reason}")
        return values

    def select(self, condition: Where | None) -> None:
        """Keep the rows of the condition with both counts, and check them."""
        missing = np.isnan(self.numbers["n_samples"]) | np.isnan(self.numbers["n_correct"])
        candidates = self.kept
        if condition is not None:
            truth = condition.evaluate(*self._named(), self.table.rows, self.table.source)
            candidates = truth.true | (truth.unknown & missing)
            self.left_out = self.table.rows - int(np.count_nonzero(candidates))
        lacking = ((index, name) for index in np.flatnonzero(candidates & missing) for name in self._missing(int(index)))
        reasons: dict[int, str] = {}
        for index, name in lacking:
            reasons.setdefault(int(index), f"{name} is missing")
        self.dropped = tuple(Dropped(index + 1, reason) for index, reason in reasons.items())
        self.kept = candidates & ~missing
        if not self.kept.any():
            why = [f"{self.left_out} left out by where={condition.text!r}"] if condition is not None and self.left_out else []
            why += [those_dropped(self.dropped)] if self.dropped else []
            raise ValueError(f"{self.table.source}: none of {counted(self.table.rows, 'row')} has counts ({'; '.join(why)})")
        self._check_counts()
        rivals = {name: self.choice.rivals(name, self.table.names) for name in self.columns}
        self.warnings += seconds(self.table, Recognised(self.columns, (), rivals), self.kept)
        self._check_labels()
        self._check_repeated()

    def _named(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a plain name and what a name in backticks means in the condition."""
        bare, quoted = named(self.numbers, self.columns, self.table.columns)
        return {**bare, **{letter: self.numbers[name] for letter, name in LETTERS.items() if name in self.numbers}}, quoted

    def _missing(self, index: int) -> list[str]:
        return [name for name in ("n_samples", "n_correct") if np.isnan(self.numbers[name][index])]

    def _check_counts(self) -> None:
        n, c = self.numbers["n_samples"], self.numbers["n_correct"]
        for name, values in (("n_samples", n), ("n_correct", c)):
            self._refuse(name, values, (values < 0.0), "must be at least 0")
            self._refuse(
                name, values, (values != np.floor(values)) | (values > LARGEST), "must be a whole number (and at most 2^53)"
            )
        self._refuse("n_samples", n, n == 0.0, "must be at least 1; leave out problems without samples")
        over = self.kept & (c > n)
        if over.any():
            index = int(np.flatnonzero(over)[0])
            where = f"column {self.columns['n_correct']!r}: n_correct={c[index]:.0f}"
            raise ValueError(f"{self._at(index)}, {where} must be at most n_samples={n[index]:.0f}{self._others(over)}")

    def _refuse(self, name: str, values: Any, bad: Any, domain: str) -> None:
        bad = bad & self.kept
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            cell = f"{self._at(index)}, column {self.columns[name]!r}: {name}={values[index]:.16g}"
            raise ValueError(f"{cell} {domain}{self._others(bad)}")

    def _at(self, index: int) -> str:
        return f"{self.table.source}, row {index + 1}"

    def _others(self, bad: Any) -> str:
        more = int(np.count_nonzero(bad)) - 1
        return f" ({counted(more, 'more row')})" if more else ""

    def _check_labels(self) -> None:
        for name, cells in (*self.cells.items(), (self.problem, self.problems)):
            for index in np.flatnonzero(self.kept).tolist() if "" in cells else ():
                if cells[index] == "":
                    raise ValueError(f"{self._at(index)}, column {name!r}: is empty; must name the group or the problem")

    def _check_repeated(self) -> None:
        seen: dict[tuple[Label, str], int] = {}
        for index in np.flatnonzero(self.kept).tolist():
            first = seen.setdefault((self.all_labels[index], self.problems[index]), index)
            if first != index:
                what = " ".join((*self.all_labels[index], f"problem {self.problems[index]}"))
                raise ValueError(
                    f"{self.table.source}, rows {first + 1} and {index + 1}: hold the same problem of the same group "
                    f"({shown(what)}){self._distinguished(first, index)}"
                )

    def _distinguished(self, first: int, second: int) -> str:
        """A hint at a column of text, or of few values, that tells the two rows apart."""
        used = {*self.by, self.problem, *self.columns.values()}
        for name, cells in self.table.columns.items():
            if name not in used and cells[first] != cells[second]:
                by = (*self.by, name)
                return f"; they differ in {name!r}: by={by!r} (--by {','.join(by)}) tells them apart, or where= takes one"
        return "; a problem comes once in a group"

    def groups(self) -> tuple[Label, ...]:
        """The groups that are kept, in order of first appearance."""
        return tuple(dict.fromkeys(self.all_labels[index] for index in np.flatnonzero(self.kept)))

    def arrays(self, groups: tuple[Label, ...]) -> dict[str, Any]:
        """The fields of `Counts` with an entry for each row."""
        index = {label: place for place, label in enumerate(groups)}
        rows = np.flatnonzero(self.kept)
        problems = np.empty(len(rows), dtype=object)
        problems[:] = [self.problems[row] for row in rows]
        return {
            "group": np.array([index[self.all_labels[row]] for row in rows], dtype=np.int64),
            "problem": problems,
            "n": self.numbers["n_samples"][rows].astype(np.int64),
            "c": self.numbers["n_correct"][rows].astype(np.int64),
            "row": rows + 1,
        }


def spelt(cells: Any) -> list[str]:
    """Labels as text: whole numbers without a point, "" for an empty cell."""
    if cells.dtype.kind == "f":
        return ["" if cell != cell else str(int(cell)) if cell.is_integer() else repr(cell) for cell in cells.tolist()]
    return ["" if cell is None or cell != cell else str(cell).strip() for cell in cells.tolist()]


# -- covariates --------------------------------------------------------------------------------------------------------


@dataclass
class _Column:
    """A covariate of each group, NaN where it is unknown, and the table that it is from."""

    source: str
    values: Any


class _Covariates:
    """params, tokens, compute and gold of the groups, from as many tables as there are."""

    def __init__(self, groups: tuple[Label, ...], by: tuple[str, ...]) -> None:
        self.groups, self.by = groups, by
        self.known: dict[str, _Column] = {}
        self.warnings: list[str] = []

    def own(self, reading: _Reading) -> None:
        """From the table of counts itself."""
        place = {label: index for index, label in enumerate(self.groups)}
        rows = np.flatnonzero(reading.kept)
        groups = np.array([place[reading.all_labels[row]] for row in rows], dtype=np.int64)
        for name in (*BUDGET, "gold"):
            if name in reading.columns:
                source = (reading.table.source, reading.columns[name])
                self._add(name, source, reading.numbers[name][rows], groups, rows)

    def join(self, table: Table, choice: Choice, wanted: Sequence[str]) -> None:
        """From a table with some of the columns that make a group."""
        names = {role(name): name for name in table.names if role(name) in {role(one) for one in self.by}}
        shared = [(index, names[role(name)]) for index, name in enumerate(self.by) if role(name) in names]
        if not shared:
            what = f"has no column in common with the groups ({', '.join(map(repr, self.by)) or 'there are none'})"
            raise ValueError(f"{table.source}: {what}; it has {listed(table.names)}")
        for index, name in enumerate(self.by):
            values = sorted({label[index] for label in self.groups})
            if name and index not in dict(shared) and len(values) > 1 and "gold" in wanted:
                some = f"{listed(values)}"
                raise ValueError(
                    f"{table.source}: has no column {name!r}, and the counts hold several ({some}); take one by where="
                )
        found = {name: choice.column(name, table.source, table.names) for name in wanted}
        if not any(found.values()):
            raise ValueError(f"{table.source}: no column for {' or '.join(wanted)}; the columns are {listed(table.names)}")
        rows, groups = self._matched(table, shared)
        for name, column in found.items():
            if column is not None:
                values, odd = numbers(table.source, column, table.columns[column])
                refuse_units(table.source, column, name, values)
                for row, reason in unusable(name, values, odd).items():
                    raise ValueError(f"{table.source}, row {row + 1}, column {column!r}: {reason}")
                self._add(name, (table.source, column), values[rows], groups, rows)

    def _matched(self, table: Table, shared: Sequence[tuple[int, str]]) -> tuple[Any, Any]:
        """Rows of the table and the group of each; a row may serve several groups."""
        of: dict[Label, list[int]] = {}
        for place, label in enumerate(self.groups):
            of.setdefault(tuple(label[index] for index, _ in shared), []).append(place)
        keys = list(zip(*(spelt(table.columns[name]) for _, name in shared), strict=True))
        pairs = [(row, place) for row, key in enumerate(keys) for place in of.get(key, ())]
        if not pairs:
            what = " and ".join(repr(name) for _, name in shared)
            first, other = (" ".join(next(iter(keys))) for keys in (of, keys))
            raise ValueError(
                f"{table.source}: none of its rows is of a group in the counts (by {what}: {first!r} there, {other!r} here)"
            )
        rows, groups = np.array(pairs, dtype=np.int64).T
        return rows, groups

    def _add(self, name: str, source: tuple[str, str], values: Any, groups: Any, rows: Any) -> None:
        """One value a group: the mean for gold, else the one that all rows have."""
        for row in rows[~np.isnan(values) & ~((values > 0.0) & np.isfinite(values))]:
            index = int(np.flatnonzero(rows == row)[0])
            raise ValueError(
                f"{source[0]}, row {row + 1}, column {source[1]!r}: {name}={values[index]:g} must be above 0 and finite"
            )
        present = ~np.isnan(values)
        values, groups, rows = values[present], groups[present], rows[present]
        if name == "gold" and (n := int(np.count_nonzero(~present))):
            self.warnings.append(f"{source[0]}: gold is missing in {counted(n, 'row')}; the mean is over the others")
        first = np.full(len(self.groups), -1)
        first[groups[::-1]] = np.arange(len(groups))[::-1]
        found = np.full(len(self.groups), np.nan)
        found[first >= 0] = values[first[first >= 0]]
        different = values != found[groups]
        if different.any() and name != "gold":
            index = int(np.flatnonzero(different)[0])
            earlier = int(rows[first[groups[index]]])
            label = " ".join(self.groups[groups[index]])
            both = f"{found[groups[index]]:.10g} in row {earlier + 1} and {values[index]:.10g} in row {rows[index] + 1}"
            raise ValueError(f"{source[0]}, column {source[1]!r}: {name} of {label!r} is {both}; must be one for a group")
        if different.any():
            size = np.bincount(groups, minlength=len(self.groups))
            mean = np.bincount(groups, weights=values, minlength=len(self.groups)) / np.where(size, size, 1)
            varied = np.bincount(groups[different], minlength=len(self.groups)) > 0
            found[varied] = mean[varied]
        self._merge(name, _Column(source[0], found))

    def _merge(self, name: str, column: _Column) -> None:
        """A table that comes later fills what an earlier one leaves open."""
        known = self.known.setdefault(name, column)
        if known is column:
            return
        apart = np.abs(known.values - column.values) > AGREEMENT * np.abs(known.values)
        if n := int(np.count_nonzero(apart)):
            self.warnings.append(
                f"{name} of {counted(n, 'group')} differs between {known.source}, which is taken, and {column.source}"
            )
        known.values = np.where(np.isnan(known.values), column.values, known.values)

    def filled(self) -> dict[str, Any]:
        """The covariates, with what follows from C = 6ND."""
        values = {name: column.values for name, column in self.known.items()}
        given = frozenset(values)
        for target, (function, (one, other)) in BY_BUDGET.items():
            if one in values and other in values:
                held = values.get(target, np.full(len(self.groups), np.nan))
                empty = np.isnan(held) & ~np.isnan(values[one]) & ~np.isnan(values[other])
                held = held.copy()
                held[empty] = function(values[one][empty], values[other][empty]) if empty.any() else held[empty]
                if empty.any() and target in given:
                    what = f"{counted(int(empty.sum()), 'group')} with {one} and {other}"
                    self.warnings.append(f"{target} is missing in {what}: computed by C = 6ND")
                values[target] = held
        values = {name: values[name] for name in (*BUDGET, "gold") if name in values and not np.isnan(values[name]).all()}
        known = [values[name] for name in BUDGET if name in values]
        if known:
            full = ~np.isnan(np.stack(known)).any(axis=0)
            if full.any():
                self.warnings += doubts({name: values[name][full] for name in BUDGET if name in values}, given)
        return values

    def lacking(self, values: Mapping[str, Any]) -> list[str]:
        """A warning for each covariate that some groups lack."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, column in values.items():
            missing = tuple(" ".join(self.groups[index]) for index in np.flatnonzero(np.isnan(column)))
            if missing:
                found.setdefault(missing, []).append(name)
        return [
            f"no {', '.join(names)} for {counted(len(missing), 'group')} of {len(self.groups)} ({listed(missing)})"
            for missing, names in found.items()
        ]
