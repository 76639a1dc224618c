"""From a table to runs: quantities recognised, filled in by C = 6ND, filtered and checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from .. import formulas
from ..accuracy.scale import neg_log_accuracy
from .runs import Dropped, Runs, named, those_dropped
from .runs_cells import counted, is_missing, label, numbers, unusable
from .runs_columns import (
    BUDGET,
    OUTCOME,
    RUN_NAMES,
    Recognised,
    listed,
    plain,
    quantity_named,
    recognise,
    second_choice,
)
from .runs_file import UNNAMED, Table
from .runs_units import doubts, refuse_losses, refuse_units
from .where import Where

#: Each of the three from the other two, by C = 6ND.
BY_BUDGET: dict[str, tuple[Callable[..., Any], tuple[str, str]]] = {
    "params": (formulas.params_given_tokens, ("compute", "tokens")),
    "tokens": (formulas.tokens_given_params, ("compute", "params")),
    "compute": (formulas.compute, ("params", "tokens")),
}
NUMERIC = (*BUDGET, "loss", "accuracy", "weight")
#: How many of a column's values tell how many different ones it has.
SAMPLE = 1000


def read_table(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: Where | None,
    require: Collection[str],
    random_baseline: float | None,
    names: Collection[str] = (),
) -> Runs:
    """See `Runs.read`."""
    aliases: dict[str, Any] = {}
    if names and isinstance(columns, Mapping):
        aliases = {name: column for name, column in columns.items() if name in names and quantity_named(name) is None}
        table = _with_aliases(table, aliases)
        columns = {name: column for name, column in columns.items() if name not in aliases}
    known = recognise(table.source, table.names, columns, require, empty_columns(table))
    reading, candidates = _read(table, known, where, require, random_baseline)
    if where is not None and candidates.any():
        again = recognise(table.source, table.names, columns, require, empty_columns(table, candidates))
        if again.columns != known.columns:
            known = again
            reading, candidates = _read(table, known, where, require, random_baseline)
    reading.give_up_incomplete(candidates)
    proposed = () if columns is not None and {"group"} & columns.keys() else reading.proposed_groups(candidates)
    runs = reading.runs(candidates, where, (*known.warnings, *seconds(table, known, candidates), *proposed))
    return replace(runs, columns={**runs.columns, **aliases}) if aliases else runs


def _read(
    table: Table, known: Recognised, where: Where | None, require: Collection[str], random_baseline: float | None
) -> tuple[_Reading, Any]:
    """The quantities of the table, and the rows that the condition selects."""
    if random_baseline is not None and "accuracy" not in known.columns:
        raise ValueError(f"random_baseline={random_baseline!r}: is for accuracy, and {table.source} has loss")
    reading = _Reading(table, known.columns, require)
    reading.fill()
    reading.take_logarithm(0.0 if random_baseline is None else random_baseline)
    reading.drop_missing(require)
    return reading, reading.candidates(where)


def empty_columns(table: Table, rows: Any = slice(None)) -> frozenset[str]:
    """The columns without a value in these rows."""
    return frozenset(name for name, cells in table.columns.items() if _holds_nothing(cells[rows]))


def _holds_nothing(cells: Any) -> bool:
    return bool(np.isnan(cells).all()) if cells.dtype.kind == "f" else all(map(is_missing, cells))


def seconds(table: Table, known: Recognised, rows: Any = slice(None)) -> list[str]:
    """Warnings that name the columns that may be a quantity as well and say something else, and those that are empty."""
    empty = empty_columns(table, rows)
    found = []
    for quantity, names in known.rivals.items():
        taken = known.columns[quantity]
        others = [name for name in names if name not in empty and not _says_the_same(table, quantity, taken, name, rows)]
        found += [second_choice(quantity, taken, others)] if others else []
        nothing = [name for name in names if name in empty]
        found += [second_choice(quantity, taken, nothing, empty=True)] if nothing and taken not in empty else []
    return found


def _says_the_same(table: Table, quantity: str, one: str, other: str, rows: Any) -> bool:
    first, second = (table.columns[name][rows] for name in (one, other))
    if quantity != "group":
        try:
            first, second = (numbers(table.source, name, table.columns[name])[0][rows] for name in (one, other))
        except ValueError:  # text, which is no number of anything
            return True
        return bool(np.array_equal(first, second, equal_nan=True))
    return bool((_codes(first) == _codes(second)).all())


def _with_aliases(table: Table, aliases: Mapping[str, str | None]) -> Table:
    """The table with some columns under other names as well."""
    added = {}
    for name, column in aliases.items():
        if column not in table.columns:
            hint = close_matches(str(column), table.names)
            raise ValueError(f"{table.source}: no column {column!r} for {name}{hint}; it has {listed(table.names)}")
        added[name] = table.columns[column]
    return replace(table, columns={**table.columns, **added}) if added else table


class _Reading:
    """The quantities of a table on all its rows, and what is wrong with which row."""

    def __init__(self, table: Table, columns: Mapping[str, str], require: Collection[str]) -> None:
        self.table, self.columns = table, dict(columns)
        self.quantities: dict[str, Any] = {}
        self.reasons: dict[int, str] = {}
        self.warnings: list[str] = []
        self.derived: str | None = None
        self.baseline: float | None = None
        self.beneath: Any = np.zeros(table.rows, dtype=bool)
        for quantity, name in columns.items():
            if quantity in NUMERIC:
                optional = quantity not in (*require, *OUTCOME)
                remedy = f"; columns={{{quantity!r}: None}} (--column {quantity}=) puts the column aside" if optional else ""
                values, odd = numbers(table.source, name, table.columns[name], remedy)
                refuse_units(table.source, name, quantity, values)
                self.quantities[quantity] = values
                if quantity != "accuracy":
                    self.drop(unusable(quantity, values, odd))

    def drop(self, reasons: Mapping[int, str]) -> None:
        """Note why rows are no usable runs; the first reason stays."""
        self.reasons = {**reasons, **self.reasons}

    @property
    def usable(self) -> Any:
        """The rows that nothing speaks against."""
        usable = np.ones(self.table.rows, dtype=bool)
        usable[list(self.reasons)] = False
        return usable

    def fill(self) -> None:
        """Compute what follows from C = 6ND: a whole quantity, or its empty cells."""
        valid = {name: positive(self.quantities[name]) for name in BUDGET if name in self.quantities}
        for target, (function, (first, second)) in BY_BUDGET.items():
            if first not in valid or second not in valid:
                continue
            empty = valid[first] & valid[second]
            values = np.full(self.table.rows, np.nan)
            if target in valid:
                values = self.quantities[target].copy()
                empty &= np.isnan(values)
                if n := int(np.count_nonzero(empty)):
                    self.warnings.append(
                        f"{target} is missing in {counted(n, 'row')} with {first} and {second}: computed by C = 6ND"
                    )
            else:
                self.derived = target
            values[empty] = _finite_or_infinite(function, self.quantities[first][empty], self.quantities[second][empty])
            self.quantities[target] = values
            self.drop(unusable(target, values, {}))

    def take_logarithm(self, baseline: float) -> None:
        """The loss of accuracy: the negative logarithm of what exceeds guessing."""
        if "accuracy" not in self.quantities:
            return
        values, name = self.quantities["accuracy"], self.columns["accuracy"]
        outside = np.flatnonzero((values < 0.0) | (values > 1.0))
        if len(outside):
            cell = f"{self.table.source}, row {outside[0] + 1}, column {name!r}: accuracy={float(values[outside[0]])!r}"
            raise ValueError(f"{cell} must be a number from 0 to 1 (divide percentages by 100)")
        neg_log_accuracy(1.0, baseline)  # checks the baseline
        low, high = values <= baseline, values == 1.0
        level = f"the random baseline {baseline!r}" if baseline else "0"
        self.drop({int(i): f"accuracy={float(values[i])!r}: must be above {level}" for i in np.flatnonzero(low)})
        self.drop({int(i): "accuracy=1.0: must be below 1 (-log 1 = 0 is no positive loss)" for i in np.flatnonzero(high)})
        self.drop({int(i): "accuracy is missing" for i in np.flatnonzero(np.isnan(values))})
        self.baseline, self.beneath = baseline, low
        fine = (values > baseline) & ~high
        loss = np.full(len(values), np.nan)
        loss[fine] = neg_log_accuracy(values[fine], baseline)
        self.quantities["loss"] = loss

    def drop_missing(self, require: Collection[str]) -> None:
        """Drop rows without a number that they must have."""
        for name in {*require, "loss", "weight"} & self.quantities.keys():
            self.drop({int(index): f"{name} is missing" for index in np.flatnonzero(np.isnan(self.quantities[name]))})

    def candidates(self, where: Where | None) -> Any:
        """The rows that the condition selects, and those where it hangs on the very number that makes the row unusable."""
        if where is None:
            return np.ones(self.table.rows, dtype=bool)
        # Of accuracy, the loss is a figure of ours: a condition is on accuracy.
        known = {name: values for name, values in self.quantities.items() if "accuracy" not in self.quantities or name != "loss"}
        truth = where.evaluate(*named(known, self.columns, self.table.columns), self.table.rows, self.table.source)
        return truth.true | (truth.unknown & ~self.usable)

    def give_up_incomplete(self, candidates: Any) -> None:
        """A quantity that nobody requires is none where some runs lack it."""
        kept = candidates & self.usable
        for name in BUDGET:
            n = int(np.count_nonzero(np.isnan(self.quantities[name][kept]))) if name in self.quantities else 0
            if n:
                del self.quantities[name]
                self.warnings.append(f"{name} is missing in {counted(n, 'run')}; it is not required, and left out for all")
                self.derived = None if self.derived == name else self.derived

    def runs(self, candidates: Any, where: Where | None, warnings: tuple[str, ...]) -> Runs:
        """The rows that are candidates and usable."""
        source, rows = self.table.source, self.table.rows
        kept = candidates & self.usable
        dropped = tuple(Dropped(index + 1, self.reasons[index]) for index in sorted(self.reasons) if candidates[index])
        left_out = rows - int(np.count_nonzero(candidates))
        if not kept.any():
            why = [f"{left_out} left out by where={where.text!r}"] if where is not None and left_out else []
            why += [those_dropped(dropped)] if dropped else []
            raise ValueError(f"{source}: none of {counted(rows, 'row')} is a usable run ({'; '.join(why)})")
        if n := int(np.count_nonzero(self.beneath & candidates)):
            self.warnings.append(
                f"{counted(n, 'row')} with an accuracy at or below that of guessing cannot be used: the others are selected by "
                "their outcome, and a fit to them is biased"
            )
        if "accuracy" not in self.quantities:
            refuse_losses(source, self.quantities["loss"][kept])
        chosen = {name: values[kept] for name, values in self.quantities.items() if name != "accuracy"}
        accuracy = {self.columns["accuracy"]: self.quantities["accuracy"]} if "accuracy" in self.quantities else {}
        used = set(self.columns.values()) - accuracy.keys()
        extra = {name: values[kept] for name, values in (self.table.columns | accuracy).items() if name not in used}
        group = self.group(kept)
        doubtful = chosen if not accuracy else {name: values for name, values in chosen.items() if name != "loss"}
        return Runs(
            **{name: chosen.get(name) for name in (*BUDGET, "loss", "weight")},
            group=group,
            row=np.flatnonzero(kept) + 1,
            extra=extra,
            metric="accuracy" if accuracy else "loss",
            random_baseline=self.baseline,
            source=source,
            columns=self.columns,
            derived=self.derived,
            n_rows=rows,
            left_out=left_out,
            dropped=dropped,
            warnings=(*warnings, *self.warnings, *doubts(doubtful, frozenset(self.columns)), *self.repeated(kept)),
        )

    def group(self, kept: Any) -> Any:
        """Labels of groups; a run without one is a group of its own."""
        if "group" not in self.columns:
            return None
        cells = self.table.columns[self.columns["group"]][kept]
        if cells.dtype.kind == "O":
            cells = np.array([*map(label, cells.tolist()), None], dtype=object)[:-1]
        missing = np.array([cell is None or cell != cell for cell in cells.tolist()])
        if cells.dtype.kind == "f" and (np.trunc(cells) == cells)[~missing].all():
            cells = np.where(missing, 0.0, cells).astype(np.int64)  # seed 3, not 3.0
        labels = cells.astype(object)
        labels[missing] = [f"row {row + 1}" for row in np.flatnonzero(kept)[missing]]
        if n := int(np.count_nonzero(missing)):
            self.warnings.append(f"group is missing in {counted(n, 'run')}, each a group of its own")
        return labels

    def proposed_groups(self, candidates: Any) -> list[str]:
        """A warning where several rows may be checkpoints of one run: they share a name and a size, and differ in tokens."""
        kept = candidates & self.usable
        if "group" in self.columns or not {"params", "tokens"} <= self.quantities.keys():
            return []
        params, tokens = self.quantities["params"][kept], self.quantities["tokens"][kept]
        for name in self.table.names:
            if plain(name) not in RUN_NAMES or name in self.columns.values():
                continue
            cells = self.table.columns[name][kept]
            if any(map(is_missing, cells)):
                continue
            codes = _codes(cells)
            n = int(codes.max()) + 1
            first = np.empty(n, dtype=np.int64)
            first[codes[::-1]] = np.arange(len(codes))[::-1]
            if (params == params[first][codes]).all() and (tokens != tokens[first][codes]).any():
                what = f"{counted(len(codes), 'row')} of {n} different {name!r}"
                how = f"columns={{'group': {name!r}}} (--column group={name!r})"
                return [f"{what}, each of one size at several tokens: where these are checkpoints, say {how}"]
        return []

    def repeated(self, kept: Any) -> list[str]:
        """A warning that counts rows that are in the table more than once."""
        n = repetitions([values[kept] for name, values in self.table.columns.items() if not name.startswith(UNNAMED)])
        return [f"{counted(n, 'row')} copied exactly from another row; all are kept"] if n else []


def positive(values: Any) -> Any:
    """Where the values are positive and finite."""
    return (values > 0.0) & np.isfinite(values)


def _finite_or_infinite(function: Callable[..., Any], first: Any, second: Any) -> Any:
    """The function of two arrays, infinite at those elements where it exceeds the largest float."""
    try:
        return function(first, second)
    except ValueError:
        if len(first) == 1:
            return np.array([np.inf])
        half = len(first) // 2
        parts = (_finite_or_infinite(function, first[part], second[part]) for part in (slice(half), slice(half, None)))
        return np.concatenate(list(parts))


def repetitions(columns: Sequence[Any]) -> int:
    """How many rows are equal to an earlier row in all columns.

    >>> repetitions([np.array([1.0, 2.0, 1.0, 1.0]), np.array(["a", "a", "a", "b"], dtype=object)])
    1
    """
    rows = np.arange(len(columns[0]))
    classes = np.zeros(len(rows), dtype=np.int64)
    for column in sorted(columns, key=_variety, reverse=True):
        codes = _codes(column[rows])
        classes, sizes = _classes(classes * (codes.max() + 1) + codes if classes.any() else codes)
        shared = sizes[classes] > 1
        rows, classes = rows[shared], classes[shared]
        if not len(rows):
            return 0
    return len(rows) - len(np.unique(classes))


def _classes(codes: Any) -> tuple[Any, Any]:
    """The codes numbered from 0 without gaps, and how many there are of each."""
    _, classes, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return classes, sizes


def _variety(column: Any) -> int:
    """How many different values a column begins with: where they all differ, no other column matters."""
    return len(set(map(str, column[:SAMPLE].tolist())))


def _codes(values: Any) -> Any:
    """Integers that are equal where the values are."""
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1]
    found: dict[Any, int] = {}
    return np.array([found.setdefault((type(value), str(value)), len(found)) for value in values.tolist()], dtype=np.int64)
