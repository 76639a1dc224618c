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
    RUNS,
    Columns,
    chosen_columns,
    may_be,
    name_it,
    no_quantity,
    plain,
    put_aside,
    recognise,
)
from .metrics import OF_ERRORS, PASS_AT_K, Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import Reading, names_in_conditions
from .scores import Cell, Scores
from .table import UNNAMED, Table, numbers, spelt
from .units import doubts
from .where import Where

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: A column of no larger numbers is taken for a rate of learning or the like, not for an accuracy.
LEAST_SHARE = 0.05
#: How many columns name a run at most.
MOST_NAMED = 3
#: Columns that name a model, at one or at many points of its training.
MODELS = frozenset(
    (
        "name",
        "model",
        "modelname",
        "modelid",
        "checkpoint",
        "checkpointname",
        "checkpointid",
        "ckpt",
    )
)
#: Columns of losses by no benchmark's name.
LOSSES = next(quantity for quantity in RUNS if quantity.name == "loss").plain_names
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
    chosen, benchmarks = chosen_columns(
        table.source, table.names, EVALUATIONS, columns, others=True
    )
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
        self.require_rows(where, "is of use")

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
        tries = [self._of_runs(name, first) for name in self.naming]
        if len(tries) > 1:
            tries.append([" ".join(parts) for parts in zip(*tries, strict=True)])
        texts = [
            name
            for name in by
            if name in self.free() and self.table.columns[name].dtype.kind == "O"
        ]
        words = [self._of_runs(name, first) for name in texts[:MOST_NAMED]]
        letters = [("N", "params"), ("D", "tokens"), ("C", "compute")]
        budget = [
            (letter, self.numbers[name][first]) for letter, name in letters if name in self.numbers
        ]
        for digits in (4, 8, 17) if budget or words else ():
            sizes = [
                [f"{letter}={value:.{digits}g}" for value in values]
                for letter, values in budget[:2]
            ]
            tries.append(
                [" ".join(filter(None, parts)) for parts in zip(*words, *sizes, strict=True)]
            )
        for names in tries:
            if len(set(names)) == len(names) and all(names):
                return names
        return [f"row {index + 1}" for index in first]

    def _of_runs(self, name: str, first: Any) -> list[str]:
        """The cells of a column in the first row of each run, as text."""
        return spelt(self.table.columns[name][first])

    def evaluations(self, runs: _Runs, scores: Scores) -> dict[str, Any]:
        """The fields of `Evaluations`."""
        of, first = self.columns.of, runs.first
        budget = {name: self.numbers[name][first] for name in BUDGET if name in self.numbers}
        named_run = {of["run"]} - {"run"} if "run" in of else set()
        extra = {*self.free(runs.aside), *named_run}
        return {
            "run": runs.names,
            **budget,
            **scores.parts(),
            "extra": {
                name: values[first] for name, values in self.table.columns.items() if name in extra
            },
            "row": first + 1,
            "source": self.table.source,
            "columns": {**of, **scores.columns},
            "told_apart_by": runs.told_apart_by,
            "derived": self.derived,
            "n_rows": self.table.rows,
            "left_out": self.left_out,
            "dropped": self.dropped,
            "warnings": (
                *self._unsettled(),
                *self.warnings,
                *self.other_columns(),
                *_set_aside(runs.aside),
                *self.unnamed_scores(),
                *self.proposed_groups(first, "run", AS_CHECKPOINTS),
                *scores.warnings,
                *doubts(budget, frozenset(of)),
            ),
        }

    def _unsettled(self) -> list[str]:
        return [
            f"{may_be(names, quantity)}: none is taken; {name_it(quantity, names[0])}"
            for quantity, names in self.columns.unsettled.items()
            if quantity in BUDGET
        ]

    def unnamed_scores(self) -> list[str]:
        return []


def _set_aside(columns: Sequence[str]) -> list[str]:
    """A warning about columns that vary within a run."""
    if not columns:
        return []
    vary = (
        f"column {listed(columns)} varies"
        if len(columns) == 1
        else f"columns {listed(columns)} vary"
    )
    return [f"{vary} within a run: set aside"]


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
        aside = {*benchmarks, *(column for column in benchmarks.values() if column is not None)}
        free = [name for name in self.free() if name not in aside]
        for benchmark, column in benchmarks.items():
            if column is not None:
                parts = benchmark_and_metric(column, settled)
                metric = metric_of(parts[1], settled) if parts else None
                self.note(
                    benchmark,
                    metric if metric and metric.is_accuracy else Metric(None, True),
                    column,
                )
        for column in free:
            if plain(column) in LOSSES:
                self.note(column, Metric(None, False), column)
            elif (parts := benchmark_and_metric(column, settled)) and benchmarks.get(
                parts[0], ""
            ) is not None:
                self.note(parts[0], metric_of(parts[1], settled), column)
        known = {plain(benchmark) for benchmark, metric in self.measured if metric.is_accuracy}
        for column in self.free(aside):
            if (
                is_benchmark(column)
                and plain(column) not in known
                and self.holds_shares(column, most)
            ):
                self.note(column, Metric(None, True), column)
        if not any(metric.is_accuracy for _, metric in self.measured):
            for column in self.free(aside):  # a table of one benchmark that does not say which
                metric = metric_of(column.strip(), settled)
                if column in ("score", "accuracy") or (metric is not None and metric.is_accuracy):
                    self.note(column, metric or Metric(None, True), column)
        for name in settled.keys() - {metric.name for _, metric in self.measured}:
            complaint = f"{name!r} is no metric of {self.table.source}; no column is called like {name}_hellaswag"
            raise ArgumentError("metrics", {name: settled[name]}, complaint=complaint)
        if not any(metric.is_accuracy for _, metric in self.measured):
            how = f"{name_it('hellaswag')}, or have columns benchmark and score"
            raise self.error(
                f"no column of accuracy, such as acc_hellaswag; the columns are "
                f"{listed(self.table.names)}; {how}"
            )

    def note(self, benchmark: str, metric: Metric | None, column: str) -> None:
        assert metric is not None
        if (benchmark, metric) in self.measured:
            both = may_be([self.measured[benchmark, metric], column], benchmark)
            raise self.error(
                f"{both}; put one aside with columns={{{column!r}: None}} (--column {column}=)"
            )
        self.measured[benchmark, metric] = column

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
        others = [
            name
            for name in self.table.names
            if name not in self.measured.values() and not name.startswith(UNNAMED)
        ]
        run = self.columns.of.get("run")
        if run is not None:
            self.require_names(run)
        keys = self.cells(others if run is None else (run,))
        seen: dict[Any, int] = {}
        for index in first.tolist():
            if (earlier := seen.setdefault(keys[index], index)) != index:
                what = (
                    f"the same {', '.join(others) or 'run'}"
                    if run is None
                    else f"the same {run} {shown(keys[index][0])}"
                )
                cure = "a run comes once; give runs different names in a column run, or take one by where="
                raise self.error(f"hold {what}: {cure}", earlier, index)
        return _Runs(of_row, first, self.named(first, others))

    def unnamed_scores(self) -> list[str]:
        """Columns of shares that do not say what they are shares of."""
        warnings = []
        for name in self.free(self.naming):
            cells = self.table.columns[name]
            if OF_ERRORS.search(name) or cells.dtype.kind != "f":
                continue
            values = cells[self.kept & np.isfinite(cells)]
            if (
                len(values)
                and values.min() >= 0.0
                and LEAST_SHARE < values.max() <= 1.0
                and (values % 1.0 != 0.0).any()
            ):
                cure = f"--column {name}={name} makes it a benchmark"
                warnings.append(
                    f"column {name!r} holds numbers from 0 to 1 and is no score by its name "
                    f"({cure})"
                )
        return warnings

    def scores(self, runs: _Runs) -> list[Cell]:
        """Every cell with a score."""
        names = [quantity.name for quantity in EVALUATIONS]
        cells = []
        for (benchmark, metric), column in self.measured.items():
            close = (
                close_matches(benchmark, names)
                if metric.name is None and benchmark != column
                else ""
            )
            hint = (
                f" (column {column!r} is taken as that of the benchmark {benchmark!r}{close})"
                if close
                else ""
            )
            values = self.scored[column][runs.first]
            for run in np.flatnonzero(~np.isnan(values)).tolist():
                row = int(runs.first[run])
                cells.append(
                    Cell(run, benchmark, metric, float(values[run]), row, column, hint=hint)
                )
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
        told = by if len(by) == 1 else self.needed(by, keys)
        return _Runs(of_row, first, self.named(first, by), told or by[:1], tuple(aside))

    def metrics(self) -> list[Metric | None]:
        """The metric of each kept row."""
        source, column = self.table.source, self.columns.of.get("metric_type")
        texts = spelt(self.table.columns[column]) if column is not None else [""] * self.table.rows
        kept = np.flatnonzero(self.kept).tolist()
        metrics: list[Metric | None] = [None] * self.table.rows
        for index in kept:
            text = texts[index]
            if not text and any(texts):
                raise self.error(
                    "is empty; must name the metric of the score", index, column=column
                )
            at_k = plain(text) in PASS_AT_K and "k" in self.columns.of
            metric = metric_of(None if at_k or not text else text, self.settled)
            if metric is None:
                say = f"metrics={{{text!r}: 'accuracy'}} or 'proxy' (--metric {text}=accuracy, --metric {text}=proxy)"
                what = f"metric {text!r} is not known: is it an accuracy (a share of right answers, from 0 to 1)?"
                raise self.error(
                    f"{what} Say {say}, or leave it out by where= (--where)", index, column=column
                )
            metrics[index] = metric
        if "k" in self.columns.of:
            self.read("k")
            for index in kept:
                metrics[index] = self.at_k(metrics[index], float(self.numbers["k"][index]), index)
        for name in self.settled:
            if name not in texts:
                every = dict.fromkeys(filter(None, texts))
                complaint = f"{name!r} is no metric of {source}{close_matches(name, every)}; it has {listed(every)}"
                raise ArgumentError("metrics", {name: self.settled[name]}, complaint=complaint)
        return metrics

    def at_k(self, metric: Metric | None, k: float, index: int) -> Metric | None:
        """pass@k of a row with its k in a column of its own, where the metric says so or nothing."""
        if (
            metric is None
            or not metric.is_accuracy
            or not (metric.name is None or metric.k is not None)
            or np.isnan(k)
        ):
            return metric
        if not (k >= 1.0 and k == np.floor(k) and k <= 2.0**53):
            complaint = f"k={k:g} must be a whole number of at least 1"
            raise self.error(complaint, index, column=self.columns.of["k"])
        return Metric(f"pass@{int(k)}", True, int(k))

    def also_of_runs(self, by: Sequence[str]) -> tuple[str, ...]:
        """Further columns that tell runs apart: they vary, but not with the benchmark.

        A value of such a column comes with most of the benchmarks of those rows; a standard error
        or a time does not, and a column with one value for each benchmark and metric is about
        these.
        """
        kept = np.flatnonzero(self.kept).tolist()
        keys = self.cells(by)
        benchmarks = _sets((keys[index], self.benchmark[index]) for index in kept)
        telling = []
        for name in self.free(by):
            cells = self.cells((name,))
            values = _sets((keys[index], cells[index]) for index in kept)
            of_test = _sets(
                ((self.benchmark[index], self.metric[index]), cells[index]) for index in kept
            )
            if all(len(some) == 1 for some in values.values()) or all(
                len(some) == 1 for some in of_test.values()
            ):
                continue
            with_value = _sets(
                ((keys[index], cells[index]), self.benchmark[index]) for index in kept
            )
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
        for name, values in self.numbers.items():
            off = np.flatnonzero(np.abs(values[kept] - values[ahead]) > AGREEMENT * values[ahead])
            if name in BUDGET and len(off):
                one, two = int(ahead[off[0]]), int(kept[off[0]])
                run = (
                    spelt(self.table.columns[self.columns.of["run"]])[one]
                    if "run" in self.columns.of
                    else ""
                )
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise self.error(f"run {run!r} has {what}; must be one number", one, two)
        varying = []
        for name in self.free():
            cells = spelt(self.table.columns[name])
            if any(
                cells[one] != cells[two]
                for one, two in zip(kept.tolist(), ahead.tolist(), strict=True)
            ):
                varying.append(name)
        return varying

    def needed(self, by: Sequence[str], keys: Sequence[Any]) -> tuple[str, ...]:
        """The columns without which runs would be fewer; the last of `by` goes first."""
        kept = np.flatnonzero(self.kept).tolist()
        n, left = len({keys[index] for index in kept}), list(by)
        for name in reversed(by):
            rest = [other for other in left if other != name]
            cells = self.cells(rest)
            if rest and len({cells[index] for index in kept}) == n:
                left = rest
        return tuple(left)

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
                what = " ".join(part for part in (cell.benchmark, metric.name) if part)
                complaint = f"hold two scores of the same run ({runs.names[run]}) on {what}"
                raise self.error(f"{complaint}{self._cure(first, cell)}", first.row, index)
        return list(cells.values())

    def _cure(self, first: Cell, second: Cell) -> str:
        """How to tell two rows apart."""
        for name in self.free(self.naming):
            if self.table.columns[name][first.row] != self.table.columns[name][second.row]:
                return f"; they differ in {name!r}: take one by where= (--where), or name runs in a column run"
        same = (
            "the rows are equal"
            if first.value == second.value
            else f"the scores are {first.value:g} and {second.value:g}"
        )
        return f"; {same}: remove one, or name runs in a column run (columns={{'run': 'NAME'}}, --column run=NAME)"


def _sets(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, set[Any]]:
    """The values of each key."""
    values: dict[Any, set[Any]] = {}
    for key, value in pairs:
        values.setdefault(key, set()).add(value)
    return values
