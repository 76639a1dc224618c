"""From a table to evaluations: a row for each score or for each run, rows joined to runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed, shown
from .columns import (
    BUDGET,
    EVALUATIONS,
    LETTERS,
    LOSS,
    Columns,
    Quantity,
    chosen_columns,
    may_be,
    name_it,
    no_quantity,
    plain,
    put_aside,
    recognise,
)
from .metrics import PASS_AT_K, Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import Reading, names_in_conditions
from .scores import Cell, Scores
from .table import UNNAMED, Table, numbers, spelt
from .units import doubts
from .where import Where

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: How many columns name a run at most.
MOST_NAMED = 3
#: Columns that name a model, at one or at many points of its training.
MODELS = Quantity(
    "model", "name modelname modelid checkpoint checkpointname checkpointid ckpt"
).plain_names
#: Columns of losses by no benchmark's name.
LOSSES = LOSS.plain_names
LONG = ("benchmark", "score", "metric_type")
AS_CHECKPOINTS = "where these are checkpoints of one training run, they are no independent runs"

Measured = dict[tuple[str, Metric], str]


def read_evaluations(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: Where | None,
    percent: bool,
    settled: Mapping[str, str],
) -> dict[str, Any]:
    """The fields of `Evaluations`."""
    chosen, benchmarks = chosen_columns(table.source, table.names, EVALUATIONS, columns, None)
    known = recognise(table.source, table.names, EVALUATIONS, chosen, table.empty())
    known.settle(*LONG)
    of = {
        name: names[0] for name, names in known.unsettled.items() if name not in BUDGET
    } | known.of
    if "k" not in chosen and not ("metric_type" in of or "pass" in plain(of.get("score", ""))):
        of.pop("k", None)  # of few shots, perhaps
    weaker = {name: names for name, names in known.weaker.items() if name in BUDGET}
    known = replace(known, of=of, weaker=weaker)
    reading: _Long | _Wide
    if chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys():
        for name in benchmarks:
            complaint = f"{no_quantity(name, EVALUATIONS)} (the table has a row for each score)"
            raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
        known.require("score")
        reading = _Long(table, known, settled)
    else:
        of = {
            name: column
            for name, column in of.items()
            if name in chosen or name in ("run", *BUDGET)
        }
        reading = _Wide(table, replace(known, of=of), benchmarks, settled, percent)
    reading.select_rows(where)
    runs = reading.runs()
    return reading.evaluations(runs, Scores(table.source, reading.scores(runs), percent))


@dataclass(frozen=True)
class _Runs:
    """The run of each kept row.

    `of_row` (rows,): index of the run, -1 where the row is not kept. `first` (M,): the first row of
    each. `aside`: columns that vary within a run.
    """

    of_row: Any
    first: Any
    names: list[str]
    told_apart_by: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


class _Rows(Reading):
    """The rows of a table of evaluations, with params, tokens and compute.

    Attributes
    ----------
    measured : dict of (str, Metric) to str
        In a table with a row for each run: benchmark (or what the loss is of) and metric -> column.
    scored : dict of str to ndarray
        The scores as they stand in the table, by column.
    """

    def __init__(self, table: Table, columns: Columns) -> None:
        super().__init__(table, columns)
        self.measured: Measured = {}
        self.scored: dict[str, Any] = {}
        for name in BUDGET:
            if name in columns.of:
                self.read_positive(name)
        self.fill_budget()
        self.drop_missing(name for name in BUDGET if name in self.numbers)
        names = [
            name
            for name in table.names
            if plain(name) in MODELS and name not in columns.of.values()
        ]
        #: The columns that by themselves say which run a row is of, or at least of which model.
        self.naming = (columns.of["run"],) if "run" in columns.of else tuple(names)

    def select_rows(self, where: Where | None) -> None:
        """Keep the rows of the condition that nothing speaks against."""
        columns, of = {**self.table.columns, **self.scored}, self.columns.of
        other = {name: columns[column] for name, column in of.items() if name not in BUDGET}
        other |= {benchmark: columns[column] for (benchmark, _), column in self.measured.items()}
        budget = {name: column for name, column in of.items() if name in BUDGET}
        bare, quoted = names_in_conditions(self.numbers, budget, columns)
        self.select(where, {**other, **bare}, {**other, **quoted})
        self.require_rows("is of use")

    def free(self, used: Iterable[str] = ()) -> list[str]:
        """The columns that have a name and are no quantity."""
        taken = {*used, *self.columns.of.values(), *self.measured.values()}
        return [
            name for name in self.table.names if name not in taken and not name.startswith(UNNAMED)
        ]

    def require_names(self, column: str) -> None:
        names = spelt(self.table.columns[column])
        for index in np.flatnonzero(self.kept).tolist():
            if not names[index]:
                raise self.error("is empty; must name the run", index, column=column)

    def cells(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """The cells of some columns as text, row by row; "" where one is empty."""
        parts = [spelt(self.table.columns[name]) for name in names]
        return list(zip(*parts, strict=True)) if parts else [()] * self.table.rows

    def named(self, first: Any, by: Sequence[str]) -> list[str]:
        """A name for each run: that in the table, else what the run is, else its row."""
        free = self.free()
        texts = [name for name in by if name in free and self.table.columns[name].dtype == object]
        sizes = {
            letter: [f"{letter}={value:.4g}" for value in self.numbers[name][first]]
            for letter, name in LETTERS.items()
            if name in self.numbers
        }
        names, words = (
            [spelt(self.table.columns[name][first]) for name in some[:MOST_NAMED]]
            for some in (self.naming, texts)
        )
        for parts in ([*names[:1]], names, [*words, *[*sizes.values()][:2]]):
            called = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
            if len({*called}) == len(first) and all(called):
                return called
        return [f"row {index + 1}" for index in first]

    def evaluations(self, runs: _Runs, scores: Scores) -> dict[str, Any]:
        """The fields of `Evaluations`."""
        of, first = self.columns.of, runs.first
        budget = {name: self.numbers[name][first] for name in BUDGET if name in self.numbers}
        own_run = {of["run"]} - {"run"} if "run" in of else set()
        extra = {*self.free(runs.aside), *own_run}
        vary = "varies" if len(runs.aside) == 1 else "vary"
        plural = "" if len(runs.aside) == 1 else "s"
        aside = [f"column{plural} {listed(runs.aside)} {vary} within a run: set aside"]
        warnings = (
            *self.columns.unsettled_warnings(
                but=of.keys() | {"run", *LONG, "random_baseline", "k"}
            ),
            *self.warnings,
            *self.other_columns(),
            *(aside if runs.aside else ()),
            *self.proposed_groups(first, "run", AS_CHECKPOINTS),
            *scores.warnings,
            *doubts(budget, frozenset(of)),
        )
        return {
            "run": runs.names,
            **budget,
            **scores.parts(),
            "extra": {n: cells[first] for n, cells in self.table.columns.items() if n in extra},
            "row": first + 1,
            "columns": {**of, **scores.columns},
            "told_apart_by": runs.told_apart_by,
            "derived": self.derived,
            **self.origin(*warnings),
        }


# -- a row for each run ----------------------------------------------------------------------------


class _Wide(_Rows):
    """Columns of scores, one a benchmark and metric."""

    def __init__(
        self,
        table: Table,
        columns: Columns,
        benchmarks: Mapping[str, str | None],
        settled: Mapping[str, str],
        percent: bool,
    ) -> None:
        super().__init__(table, columns)
        self.measure(benchmarks, settled, 100.0 if percent else 1.0)
        for column in self.measured.values():
            values, reasons = numbers(table, column, put_aside(column))
            for index, reason in reasons.items():
                raise self.error(reason, index, column=column)
            self.scored[column] = values
        self.drop_where(
            np.all([np.isnan(values) for values in self.scored.values()], axis=0),
            "every score is missing",
        )

    def measure(
        self, benchmarks: Mapping[str, str | None], settled: Mapping[str, str], most: float
    ) -> None:
        """Find the benchmark and the metric of each column that has one."""
        aside = {*benchmarks, *filter(None, benchmarks.values())}
        an_accuracy = Metric(None, True)

        def parts(column: str) -> tuple[str, Metric | None]:
            name, metric = benchmark_and_metric(column, settled) or ("", None)
            return name, metric_of(metric, settled) if name else None

        free = [name for name in self.free() if name not in aside]
        for benchmark, column in benchmarks.items():
            if column is not None:
                metric = parts(column)[1]
                self.note(
                    benchmark, metric if metric and metric.is_accuracy else an_accuracy, column
                )
        for column in free:
            name, metric = parts(column)
            if plain(column) in LOSSES:
                self.note(column, Metric(None, False), column)
            elif metric is not None and benchmarks.get(name, "") is not None:
                self.note(name, metric, column)
        known = {plain(benchmark) for benchmark, metric in self.measured if metric.is_accuracy}
        for column in self.free(aside):
            usual = is_benchmark(column) and plain(column) not in known
            if usual and self.holds_shares(column, most):
                self.note(column, an_accuracy, column)
        if not any(metric.is_accuracy for _, metric in self.measured):
            for column in self.free(aside):  # a table of one benchmark that does not say which
                metric = metric_of(column.strip(), settled)
                if column in ("score", "accuracy") or (metric is not None and metric.is_accuracy):
                    self.note(column, metric or an_accuracy, column)
        for name in settled.keys() - {metric.name for _, metric in self.measured}:
            complaint = f"{name!r} is no metric of a column of {self.table.source}"
            raise ArgumentError("metrics", {name: settled[name]}, complaint=complaint)
        if not any(metric.is_accuracy for _, metric in self.measured):
            which = f"the columns are {listed(self.table.names)}; {name_it('hellaswag')}"
            raise self.error(f"no column of accuracy, such as acc_hellaswag; {which}")

    def note(self, benchmark: str, metric: Metric, column: str) -> None:
        earlier = self.measured.setdefault((benchmark, metric), column)
        if earlier != column:
            both = may_be([earlier, column], benchmark)
            raise self.error(f"{both}{put_aside(column)}")

    def holds_shares(self, column: str, most: float) -> bool:
        """Whether a column holds numbers from 0 to 1, or to 100 in percent."""
        try:
            values, reasons = numbers(self.table, column)
        except TableError:
            return False
        known = values[~np.isnan(values)]
        return bool(len(known) and not reasons and known.min() >= 0.0 and known.max() <= most)

    def runs(self) -> _Runs:
        """Every row a run: none may be there twice."""
        first = np.flatnonzero(self.kept)
        of_row = np.full(self.table.rows, -1)
        of_row[first] = np.arange(len(first))
        others = self.free()
        others += [name for name in self.columns.of.values() if name not in others]
        others = [name for name in self.table.names if name in others]
        run = self.columns.of.get("run")
        if run is not None:
            self.require_names(run)
        keys = self.cells(others if run is None else (run,))
        seen: dict[Any, int] = {}
        for index in first.tolist():
            if (earlier := seen.setdefault(keys[index], index)) != index:
                same = ", ".join(others) or "run"
                same = same if run is None else f"{run} {shown(keys[index][0])}"
                cure = "name runs in a column run, or take one by where="
                complaint = f"hold the same {same}: a run comes once; {cure}"
                raise self.error(complaint, earlier, index)
        return _Runs(of_row, first, self.named(first, others))

    def scores(self, runs: _Runs) -> list[Cell]:
        """Every cell with a score."""
        cells = []
        for (benchmark, metric), column in self.measured.items():
            values = self.scored[column][runs.first]
            for run in np.flatnonzero(~np.isnan(values)).tolist():
                row, value = int(runs.first[run]), float(values[run])
                cells.append(Cell(run, benchmark, metric, value, row, column))
        return cells


# -- a row for each score --------------------------------------------------------------------------


class _Long(_Rows):
    """Columns of benchmarks, metrics and scores."""

    def __init__(self, table: Table, columns: Columns, settled: Mapping[str, str]) -> None:
        super().__init__(table, columns)
        self.settled, of = settled, columns.of
        self.benchmark = spelt(table.columns[of["benchmark"]])
        self.read_exactly("score", optional=False)
        self.values = self.scored[of["score"]] = self.numbers.pop("score")
        self.baseline = np.full(table.rows, np.nan)
        if "random_baseline" in of:
            self.baseline, _ = numbers(table, of["random_baseline"], put_aside("random_baseline"))
        self.drop(
            {index: "benchmark is missing" for index, name in enumerate(self.benchmark) if not name}
        )
        self.drop_where(np.isnan(self.values), "score is missing")

    def runs(self) -> _Runs:
        """Rows joined to runs."""
        self.metric = self.metrics()
        by = self.naming
        if "run" in self.columns.of:
            self.require_names(by[0])
        else:
            by = (*by, *(self.columns.of[name] for name in BUDGET if name in self.columns.of))
            by = (*by, *self.also_of_runs(by))
            if not by:
                raise self.error(f"no column tells which run a score is of; {name_it('run')}")
        keys = self.cells(by)
        places: dict[Any, int] = {}
        of_row = np.full(self.table.rows, -1)
        kept = np.flatnonzero(self.kept)
        of_row[kept] = [places.setdefault(keys[index], len(places)) for index in kept.tolist()]
        first = kept[np.unique(of_row[kept], return_index=True)[1]]
        aside = self.aside(of_row, first)
        return _Runs(of_row, first, self.named(first, by), by, tuple(aside))

    def metrics(self) -> list[Metric | None]:
        """The metric of each kept row."""
        source, column = self.table.source, self.columns.of.get("metric_type")
        texts = spelt(self.table.columns[column]) if column is not None else [""] * self.table.rows
        has_k = "k" in self.columns.of
        if has_k:
            self.read("k")
        metrics: list[Metric | None] = [None] * self.table.rows
        for index in np.flatnonzero(self.kept).tolist():
            text = texts[index]
            if not text and any(texts):
                complaint = "is empty; must name the metric of the score"
                raise self.error(complaint, index, column=column)
            at_k = has_k and plain(text) in PASS_AT_K
            metric = metric_of(None if at_k or not text else text, self.settled)
            if metric is None:
                what = (
                    f"metric {text!r} is not known: say metrics={{{text!r}: 'accuracy'}} or 'proxy'"
                )
                how = f"(--metric {text}=accuracy, --metric {text}=proxy)"
                raise self.error(f"{what} {how}", index, column=column)
            k = float(self.numbers["k"][index]) if has_k else np.nan
            of_k = metric.is_accuracy and (metric.name is None or metric.k is not None)
            if of_k and not np.isnan(k):
                if not (1.0 <= k <= 2.0**53 and k == int(k)):
                    complaint = f"k={k:g} must be a whole number of at least 1"
                    raise self.error(complaint, index, column=self.columns.of["k"])
                metric = Metric(f"pass@{int(k)}", True, int(k))
            metrics[index] = metric
        for name in self.settled.keys() - {*texts}:
            every = dict.fromkeys(filter(None, texts))
            has = f"{close_matches(name, every)}; it has {listed(every)}"
            complaint = f"{name!r} is no metric of {source}{has}"
            raise ArgumentError("metrics", {name: self.settled[name]}, complaint=complaint)
        return metrics

    def also_of_runs(self, by: Sequence[str]) -> tuple[str, ...]:
        """Further columns that tell runs apart: they vary, but not with the benchmark.

        A value of such a column comes with most of the benchmarks of those rows; a standard error
        or a time does not, and a column with one value for each benchmark and metric is about
        these.
        """
        kept = np.flatnonzero(self.kept).tolist()
        keys = self.cells(by)
        benchmarks = _sets((keys[row], self.benchmark[row]) for row in kept)
        telling = []
        for name in self.free(by):
            cells = self.cells((name,))
            values = _sets((keys[row], cells[row]) for row in kept)
            of_test = _sets(((self.benchmark[row], self.metric[row]), cells[row]) for row in kept)
            if 1 in (max(map(len, values.values())), max(map(len, of_test.values()))):
                continue
            with_value = _sets(((keys[row], cells[row]), self.benchmark[row]) for row in kept)
            shares = [
                len(some) / len(benchmarks[key])
                for (key, _), some in with_value.items()
                if len(values[key]) > 1 and (len(benchmarks[key]) > 1 or not self._fractional(name))
            ]
            if shares and np.mean(shares) > 0.5:
                telling.append(name)
        return tuple(telling)

    def _fractional(self, name: str) -> bool:
        """Whether a column holds numbers that are not whole."""
        cells = self.table.columns[name]
        return bool(cells.dtype.kind == "f" and (cells[np.isfinite(cells)] % 1.0 != 0.0).any())

    def aside(self, of_row: Any, first: Any) -> list[str]:
        """Columns that vary within a run; params, tokens and compute must not."""
        kept = np.flatnonzero(of_row >= 0)
        ahead = first[of_row[kept]]
        for name in BUDGET:
            values = self.numbers.get(name, np.zeros(self.table.rows))
            off = np.flatnonzero(np.abs(values[kept] - values[ahead]) > AGREEMENT * values[ahead])
            for place in off[:1]:
                one, two = int(ahead[place]), int(kept[place])
                run = spelt(self.table.columns[self.naming[0]])[one] if self.naming else ""
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise self.error(f"run {run!r} has {what}; must be one number", one, two)
        varying = []
        for name in self.free():
            cells = np.array(spelt(self.table.columns[name]), dtype=object)
            if (cells[kept] != cells[ahead]).any():
                varying.append(name)
        return varying

    def scores(self, runs: _Runs) -> list[Cell]:
        """Every kept row."""
        column, baseline = self.columns.of["score"], self.columns.of.get("random_baseline", "")
        cells: dict[Any, Cell] = {}
        for index in np.flatnonzero(runs.of_row >= 0).tolist():
            run, metric = int(runs.of_row[index]), self.metric[index]
            assert metric is not None
            value, chance = float(self.values[index]), float(self.baseline[index])
            cell = Cell(run, self.benchmark[index], metric, value, index, column, chance, baseline)
            first = cells.setdefault((run, cell.benchmark, metric), cell)
            if first is not cell:
                what = " ".join(filter(None, (cell.benchmark, metric.name)))
                complaint = f"hold two scores of the same run ({runs.names[run]}) on {what}"
                values = f"{first.value:g} and {value:g}"
                cure = "remove one, take one by where= (--where), or name runs in a column run"
                raise self.error(f"{complaint}, {values}: {cure}", first.row, index)
        return list(cells.values())


def _sets(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    """The values of each key."""
    values: dict[Any, set[Any]] = {}
    for key, value in pairs:
        values.setdefault(key, set()).add(value)
    return values
