"""From a table to evaluations: a row for each score or for each run, rows joined to runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from .evaluations import Evaluations
from .evaluations_columns import (
    OF_ERRORS,
    PASS_AT_K,
    QUANTITIES,
    Columns,
    Metric,
    checked_metrics,
    metric_of,
)
from .evaluations_scores import Cell, Scores
from .runs import Dropped, named, those_dropped
from .runs_cells import counted, is_missing, label, numbers, shown, unusable
from .runs_columns import BUDGET, Recognised, listed, plain
from .runs_file import UNNAMED, Table, table_of
from .runs_reading import BY_BUDGET, empty_columns, positive, seconds
from .runs_units import doubts, refuse_units
from .where import Where

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: A column of no larger numbers is taken for a rate of learning or the like, not for an accuracy.
LEAST_SHARE = 0.05
#: How many columns name a run at most.
MOST_NAMED = 3


def read_evaluations(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    percent: bool,
    metrics: Mapping[str, str] | None,
) -> Evaluations:
    """See `Evaluations.read`."""
    if not isinstance(percent, bool):
        raise ValueError(f"percent={percent!r}: must be True or False")
    settled = checked_metrics(metrics)
    condition = None if where is None else Where.parse(where)
    table = data if isinstance(data, Table) else table_of(data)
    found = Columns.among(table.source, table.names, columns, settled, empty_columns(table))
    rows = _Rows(table, found)
    reading = _Long(rows, settled) if found.long else _Wide(rows)
    rows.select(condition, reading.lacking(), reading.numbers())
    runs = reading.runs()
    scores = Scores(table.source, reading.scores(runs), percent)
    return rows.evaluations(runs, scores)


# -- rows --------------------------------------------------------------------------------------------------------------


class _Rows:
    """The rows of the table with params, tokens and compute, and which of them are kept."""

    def __init__(self, table: Table, found: Columns) -> None:
        self.table, self.found, self.source = table, found, table.source
        self.reasons: dict[int, str] = {}
        self.warnings: list[str] = list(found.warnings)
        self.derived: str | None = None
        self.kept = np.ones(table.rows, dtype=bool)
        self.left_out = 0
        self.budget: dict[str, Any] = {}
        for quantity in BUDGET:
            if (column := found.of.get(quantity)) is not None:
                remedy = f"; columns={{{quantity!r}: None}} (--column {quantity}=) puts the column aside"
                values, odd = numbers(self.source, column, table.columns[column], remedy)
                refuse_units(self.source, column, quantity, values)
                self.budget[quantity] = values
                self.drop(unusable(quantity, values, odd))
        self._fill()

    def drop(self, reasons: Mapping[int, str]) -> None:
        """Note why rows are of no use; the first reason stays."""
        self.reasons = {**reasons, **self.reasons}

    def _fill(self) -> None:
        """Compute what follows from C = 6ND: a whole quantity, or its empty cells."""
        valid = {name: positive(values) for name, values in self.budget.items()}
        for target, (function, (first, second)) in BY_BUDGET.items():
            if first not in valid or second not in valid:
                continue
            empty = valid[first] & valid[second]
            values = np.full(self.table.rows, np.nan)
            if target in valid:
                values = self.budget[target].copy()
                empty &= np.isnan(values)
                if n := int(np.count_nonzero(empty)):
                    what = f"{target} is missing in {counted(n, 'row')} with {first} and {second}"
                    self.warnings.append(f"{what}: computed by C = 6ND")
            else:
                self.derived = target
            if empty.any():
                values[empty] = function(self.budget[first][empty], self.budget[second][empty])
            self.budget[target] = values
        for name in BUDGET:
            if name in self.budget:
                self.drop({int(i): f"{name} is missing" for i in np.flatnonzero(np.isnan(self.budget[name]))})

    def select(self, condition: Where | None, lacking: Mapping[int, str], values: Mapping[str, Any]) -> None:
        """Keep the rows of the condition that nothing speaks against; `values`: what was read as numbers, by column."""
        self.drop(lacking)
        usable = np.ones(self.table.rows, dtype=bool)
        usable[list(self.reasons)] = False
        candidates = self.kept
        if condition is not None:
            truth = condition.evaluate(*self._named(values), self.table.rows, self.source)
            candidates = truth.true | (truth.unknown & ~usable)
        self.left_out = self.table.rows - int(np.count_nonzero(candidates))
        self.dropped = tuple(Dropped(i + 1, self.reasons[i]) for i in sorted(self.reasons) if candidates[i])
        self.kept = candidates & usable
        if not self.kept.any():
            why = [f"{self.left_out} left out by where={condition.text!r}"] if condition is not None and self.left_out else []
            why += [those_dropped(self.dropped)] if self.dropped else []
            raise ValueError(f"{self.source}: none of {counted(self.table.rows, 'row')} is of use ({'; '.join(why)})")

    def _named(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a plain name and what a name in backticks means in the condition; scores are as they stand in the table."""
        columns = {**self.table.columns, **values}
        held = {name: columns[column] for name, column in self.found.of.items() if name not in BUDGET}
        held |= {benchmark: columns[column] for (benchmark, _), column in self.found.measured.items()}
        budget = {name: column for name, column in self.found.of.items() if name in BUDGET}
        bare, quoted = named(self.budget, budget, columns)
        return {**held, **bare}, {**held, **quoted}

    def names_of_runs(self) -> tuple[str, ...]:
        """The columns that by themselves say which run a row is of, or at least of which model."""
        run = self.found.of.get("run")
        return (run,) if run is not None else self.found.names

    def evaluations(self, runs: _Runs, scores: Scores) -> Evaluations:
        """The rows as runs with scores."""
        first = runs.first
        used = {*self.found.of.values(), *self.found.measured.values()}
        used -= {self.found.of["run"]} if "run" in self.found.of and self.found.of["run"] != "run" else set()
        extra = {name: values[first] for name, values in self.table.columns.items() if name not in used | runs.aside}
        budget = {name: values[first] for name, values in self.budget.items()}
        second = seconds(self.table, Recognised(self.found.of, (), self.found.rivals), self.kept)
        warnings = (*self.warnings, *second, *runs.warnings, *scores.warnings, *doubts(budget, frozenset(self.found.of)))
        held = {name: self.found.of[name] for name in self.found.of}
        return Evaluations(
            run=runs.names,
            params=budget.get("params"),
            tokens=budget.get("tokens"),
            compute=budget.get("compute"),
            **scores.parts(),
            extra={name: values for name, values in extra.items() if not name.startswith(UNNAMED)},
            row=first + 1,
            source=self.source,
            columns={**held, **scores.columns},
            told_apart_by=runs.told_apart_by,
            derived=self.derived,
            n_rows=self.table.rows,
            left_out=self.left_out,
            dropped=self.dropped,
            warnings=warnings,
        )


@dataclass(frozen=True)
class _Runs:
    """The run of each kept row.

    `of_row` (rows,): index of the run, -1 where the row is not kept. `first` (M,): the first row of each. `aside`: columns that
    vary within a run.
    """

    of_row: Any
    first: Any
    names: list[str]
    told_apart_by: tuple[str, ...]
    aside: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


# -- a row for each run ------------------------------------------------------------------------------------------------


class _Wide:
    def __init__(self, rows: _Rows) -> None:
        self.rows, self.table = rows, rows.table
        self.values: dict[tuple[str, Metric], Any] = {}
        for key, column in rows.found.measured.items():
            remedy = f"; columns={{{column!r}: None}} (--column {column}=) puts the column aside"
            values, odd = numbers(rows.source, column, self.table.columns[column], remedy)
            for index, reason in odd.items():
                raise ValueError(f"{rows.source}, row {index + 1}, column {column!r}: {reason}")
            self.values[key] = values

    def numbers(self) -> dict[str, Any]:
        """The scores by column."""
        return {self.rows.found.measured[key]: values for key, values in self.values.items()}

    def lacking(self) -> dict[int, str]:
        """Why rows are of no use."""
        none = np.all([np.isnan(values) for values in self.values.values()], axis=0)
        return {int(index): "every score is missing" for index in np.flatnonzero(none)}

    def runs(self) -> _Runs:
        """Every row a run: none may be there twice."""
        first = np.flatnonzero(self.rows.kept)
        of_row = np.full(self.table.rows, -1)
        of_row[first] = np.arange(len(first))
        measured = set(self.rows.found.measured.values())
        others = [name for name in self.table.names if name not in measured and not name.startswith(UNNAMED)]
        run = self.rows.found.of.get("run")
        keys = _cells(self.table, (run,) if run is not None else others)
        if run is not None:
            _require_names(self.rows, run)
        seen: dict[Any, int] = {}
        for index in first.tolist():
            if (earlier := seen.setdefault(keys[index], index)) != index:
                what = f"the same {run} {shown(keys[index][0])}" if run is not None else f"the same {', '.join(others) or 'run'}"
                cure = "a run comes once; give runs different names in a column run, or take one by where="
                raise ValueError(f"{self.rows.source}, rows {earlier + 1} and {index + 1}: hold {what}: {cure}")
        return _Runs(of_row, first, _names(self.rows, first, others), (), warnings=tuple(self._unnamed(others)))

    def _unnamed(self, others: Sequence[str]) -> Iterator[str]:
        """Columns of shares that do not say what they are shares of."""
        known = {*self.rows.found.of.values(), *self.rows.found.names}
        for name in others:
            cells = self.table.columns[name]
            if name in known or OF_ERRORS.search(name) or cells.dtype.kind != "f":
                continue
            values = cells[self.rows.kept & np.isfinite(cells)]
            if len(values) and values.min() >= 0.0 and LEAST_SHARE < values.max() <= 1.0 and (values % 1.0 != 0.0).any():
                how = f"columns={{{name!r}: {name!r}}}, --column {name}={name}"
                yield f"column {name!r} holds numbers from 0 to 1 and is no score by its name ({how} makes it a benchmark)"

    def scores(self, runs: _Runs) -> list[Cell]:
        """Every cell with a score."""
        found = []
        for (benchmark, metric), values in self.values.items():
            column = self.rows.found.measured[benchmark, metric]
            close = close_matches(benchmark, QUANTITIES) if metric.name is None and benchmark != column else ""
            hint = f" (column {column!r} is taken as that of the benchmark {benchmark!r}{close})" if close else ""
            for run, row in enumerate(runs.first.tolist()):
                if not np.isnan(values[row]):
                    found.append(Cell(run, benchmark, metric, float(values[row]), row, column, hint=hint))
        return found


# -- a row for each score ----------------------------------------------------------------------------------------------


class _Long:
    def __init__(self, rows: _Rows, settled: Mapping[str, str]) -> None:
        self.rows, self.table, self.settled = rows, rows.table, settled
        self.columns = rows.found.of
        table, source = self.table, rows.source
        self.benchmark = [_text(cell) for cell in table.columns[self.columns["benchmark"]].tolist()]
        self.values, odd = numbers(source, self.columns["score"], table.columns[self.columns["score"]])
        for index, reason in odd.items():
            raise ValueError(f"{source}, row {index + 1}, column {self.columns['score']!r}: {reason}")
        self.baseline = np.full(table.rows, np.nan)
        if (column := self.columns.get("random_baseline")) is not None:
            remedy = "; columns={'random_baseline': None} (--column random_baseline=) puts the column aside"
            self.baseline, _ = numbers(source, column, table.columns[column], remedy)

    def numbers(self) -> dict[str, Any]:
        """The scores by column."""
        return {self.columns["score"]: self.values}

    def lacking(self) -> dict[int, str]:
        """Why rows are of no use."""
        reasons = {index: "benchmark is missing" for index, name in enumerate(self.benchmark) if not name}
        return {**{int(index): "score is missing" for index in np.flatnonzero(np.isnan(self.values))}, **reasons}

    def runs(self) -> _Runs:
        """Rows joined to runs."""
        self.metric = self._metrics()
        by = self.rows.names_of_runs()
        if "run" in self.columns:
            _require_names(self.rows, by[0])
        else:
            by = (*by, *(self.columns[name] for name in BUDGET if name in self.columns))
            by = (*by, *self._also_of_runs(by))
            if not by:
                how = "name one with columns={'run': 'NAME'} (--column run=NAME)"
                raise ValueError(f"{self.rows.source}: no column tells which run a score is of; {how}")
        keys = _cells(self.table, by)
        places: dict[Any, int] = {}
        of_row = np.full(self.table.rows, -1)
        first: list[int] = []
        for index in np.flatnonzero(self.rows.kept).tolist():
            run = places.setdefault(keys[index], len(places))
            if run == len(first):
                first.append(index)
            of_row[index] = run
        aside = self._aside(of_row, np.array(first))
        warnings = (f"{_columns(aside)} within a run: set aside",) if aside else ()
        told = by if len(by) == 1 else tuple(name for name in by if name not in self._determined(by, keys))
        names = _names(self.rows, np.array(first), by)
        return _Runs(of_row, np.array(first), names, told or by[:1], frozenset(aside), warnings)

    def _metrics(self) -> list[Metric | None]:
        """The metric of each kept row."""
        source, column = self.rows.source, self.columns.get("metric_type")
        texts: list[str | None] = [None] * self.table.rows
        if column is not None:
            texts = [_text(cell) or None for cell in self.table.columns[column].tolist()]
        empty = all(text is None for text in texts)
        kept = np.flatnonzero(self.rows.kept).tolist()
        found: list[Metric | None] = [None] * self.table.rows
        known: dict[str | None, Metric | None] = {}
        for index in kept:
            text = texts[index]
            if text is None and not empty:
                raise ValueError(f"{source}, row {index + 1}, column {column!r}: is empty; must name the metric of the score")
            if text not in known:
                at_k = text is not None and plain(text) in PASS_AT_K and "k" in self.columns
                known[text] = metric_of(None if at_k else text, self.settled)
            if known[text] is None:
                what = f"metric {text!r} is not known: is it an accuracy (a share of right answers, from 0 to 1)?"
                say = f"metrics={{{text!r}: 'accuracy'}} or 'proxy' (--metric {text}=accuracy, --metric {text}=proxy)"
                cure = f"Say {say}, or leave it out by where= (--where)"
                raise ValueError(f"{source}, row {index + 1}, column {column!r}: {what} {cure}")
            found[index] = known[text]
        if (ks := self.columns.get("k")) is not None:
            values, _ = numbers(source, ks, self.table.columns[ks])
            for index in kept:
                found[index] = self._pass_at(found[index], float(values[index]), index, ks)
        for name in self.settled:
            if name not in texts:
                every = dict.fromkeys(text for text in texts if text)
                raise ValueError(
                    f"metrics: {name!r} is no metric of {source}{close_matches(name, every)}; it has {listed(every)}"
                )
        return found

    def _pass_at(self, metric: Metric | None, k: float, index: int, column: str) -> Metric | None:
        """pass@k of a row with its k in a column of its own, where the metric is none or says pass@k."""
        if metric is None or not metric.is_accuracy or not (metric.name is None or metric.k is not None) or np.isnan(k):
            return metric
        if not (k >= 1.0 and k == np.floor(k) and k <= 2.0**53):
            raise ValueError(
                f"{self.rows.source}, row {index + 1}, column {column!r}: k={k:g} must be a whole number of at least 1"
            )
        return Metric(f"pass@{int(k)}", True, int(k))

    def _also_of_runs(self, by: Sequence[str]) -> tuple[str, ...]:
        """Further columns that tell runs apart: they vary among rows that agree so far, but not with the benchmark.

        A value of such a column comes with most of the benchmarks of those rows; a standard error or a time does not, and a
        column with one value for each benchmark and metric is about these.
        """
        kept = np.flatnonzero(self.rows.kept).tolist()
        keys, tests = _cells(self.table, by), [(self.benchmark[index], self.metric[index]) for index in range(self.table.rows)]
        alike: dict[Any, set[str]] = {}
        for index in kept:
            alike.setdefault(keys[index], set()).add(self.benchmark[index])
        found = []
        for name in self._free(by):
            cells = _cells(self.table, (name,))
            values: dict[Any, set[Any]] = {}
            benchmarks: dict[Any, set[str]] = {}
            of_test: dict[Any, set[Any]] = {}
            for index in kept:
                values.setdefault(keys[index], set()).add(cells[index])
                benchmarks.setdefault((keys[index], cells[index]), set()).add(self.benchmark[index])
                of_test.setdefault(tests[index], set()).add(cells[index])
            if all(len(several) == 1 for several in values.values()) or all(len(one) == 1 for one in of_test.values()):
                continue
            shares = [
                len(some) / len(alike[key])
                for (key, _), some in benchmarks.items()
                if len(values[key]) > 1 and (len(alike[key]) > 1 or not self._fractional(name))
            ]
            if shares and np.mean(shares) > 0.5:
                found.append(name)
        return tuple(found)

    def _free(self, by: Sequence[str]) -> list[str]:
        used = {*by, *self.columns.values()}
        return [name for name in self.table.names if name not in used and not name.startswith(UNNAMED)]

    def _fractional(self, name: str) -> bool:
        """Whether a column holds numbers that are not whole."""
        cells = self.table.columns[name]
        return bool(cells.dtype.kind == "f" and (cells[np.isfinite(cells)] % 1.0 != 0.0).any())

    def _aside(self, of_row: Any, first: Any) -> list[str]:
        """Columns that vary within a run; params, tokens and compute must not."""
        kept = np.flatnonzero(of_row >= 0)
        ahead = first[of_row[kept]]
        for name, values in self.rows.budget.items():
            off = np.flatnonzero(np.abs(values[kept] - values[ahead]) > AGREEMENT * values[ahead])
            if len(off):
                one, two = int(ahead[off[0]]), int(kept[off[0]])
                run = _text(self.table.columns[self.columns["run"]][one]) if "run" in self.columns else ""
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise ValueError(f"{self.rows.source}, rows {one + 1} and {two + 1}: run {run!r} has {what}; must be one number")
        found = []
        for name in self._free(()):
            cells = _cells(self.table, (name,))
            if any(cells[one] != cells[two] for one, two in zip(kept.tolist(), ahead.tolist(), strict=True)):
                found.append(name)
        return found

    def _determined(self, by: Sequence[str], keys: Sequence[Any]) -> set[str]:
        """Columns that the others of `by` make superfluous, from the last to the first."""
        kept = np.flatnonzero(self.rows.kept).tolist()
        n, left = len({keys[index] for index in kept}), list(by)
        for name in reversed(by):
            rest = [other for other in left if other != name]
            if rest:
                cells = _cells(self.table, rest)
                if len({cells[index] for index in kept}) == n:
                    left = rest
        return set(by) - set(left)

    def scores(self, runs: _Runs) -> list[Cell]:
        """Every kept row."""
        column, base = self.columns["score"], self.columns.get("random_baseline", "")
        found = []
        for index in np.flatnonzero(runs.of_row >= 0).tolist():
            metric = self.metric[index]
            assert metric is not None
            value, baseline = float(self.values[index]), float(self.baseline[index])
            run = int(runs.of_row[index])
            found.append(Cell(run, self.benchmark[index], metric, value, index, column, baseline, base))
        self._refuse_repeated(found, runs)
        return found

    def _refuse_repeated(self, cells: Iterable[Cell], runs: _Runs) -> None:
        seen: dict[Any, Cell] = {}
        for cell in cells:
            first = seen.setdefault((cell.run, cell.benchmark, cell.metric), cell)
            if first is cell:
                continue
            what = " ".join(part for part in (cell.benchmark, cell.metric.name) if part)
            where = f"{self.rows.source}, rows {first.row + 1} and {cell.row + 1}"
            raise ValueError(
                f"{where}: hold two scores of the same run ({runs.names[cell.run]}) on {what}{self._cure(first, cell)}"
            )

    def _cure(self, first: Cell, second: Cell) -> str:
        """How to tell two rows apart."""
        used = {*self.rows.names_of_runs(), *self.columns.values()}
        for name, cells in self.table.columns.items():
            if name not in used and not name.startswith(UNNAMED) and cells[first.row] != cells[second.row]:
                return f"; they differ in {name!r}: take one by where= (--where), or name runs in a column run"
        same = "the rows are equal" if first.value == second.value else f"the scores are {first.value:g} and {second.value:g}"
        return f"; {same}: remove one, or name runs in a column run (columns={{'run': 'NAME'}}, --column run=NAME)"


# -- names of runs -----------------------------------------------------------------------------------------------------


def _text(cell: Any) -> str:
    """A name: whole numbers without a point, "" for an empty cell."""
    if is_missing(cell) and not isinstance(cell, str):
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _cells(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The cells of some columns, row by row, None where one is empty."""
    parts = [
        [None if not isinstance(cell, str) and is_missing(cell) else label(cell) for cell in table.columns[name].tolist()]
        for name in names
    ]
    return list(zip(*parts, strict=True)) if parts else [()] * table.rows


def _require_names(rows: _Rows, column: str) -> None:
    for index in np.flatnonzero(rows.kept).tolist():
        if not _text(rows.table.columns[column][index]):
            raise ValueError(f"{rows.source}, row {index + 1}, column {column!r}: is empty; must name the run")


def _names(rows: _Rows, first: Any, by: Sequence[str]) -> list[str]:
    """A name for each run: that in the table where it is one, else what the run is, else the number of its row."""
    table = rows.table
    tries: list[list[str]] = [[_text(table.columns[name][index]) for index in first] for name in rows.names_of_runs()]
    if len(tries) > 1:
        tries.append([" ".join(parts) for parts in zip(*tries, strict=True)])
    also = [name for name in by if name not in rows.found.of.values() and _is_text(table.columns[name])]
    also = [name for name in also if name not in rows.found.measured.values()][:MOST_NAMED]
    letters = {"N": rows.budget.get("params"), "D": rows.budget.get("tokens"), "C": rows.budget.get("compute")}
    held = {letter: values for letter, values in letters.items() if values is not None}
    for digits in (4, 8, 17) if held or also else ():
        shown_budget = [f"{letter}={{:.{digits}g}}" for letter in list(held)[:2]]
        tries.append([
            " ".join(
                [text for name in also if (text := _text(table.columns[name][index]))]
                + [form.format(values[index]) for form, values in zip(shown_budget, held.values(), strict=False)]
            )
            for index in first
        ])  # fmt: skip
    for names in tries:
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"row {index + 1}" for index in first]


def _is_text(cells: Any) -> bool:
    return bool(cells.dtype.kind == "O")


def _columns(names: Sequence[str]) -> str:
    return f"column {listed(names)} varies" if len(names) == 1 else f"columns {listed(names)} vary"
