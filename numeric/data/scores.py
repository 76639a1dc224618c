"""From a table to scores: a row for each score or for each run, rows joined to runs, and every score
checked: shares from 0 to 1, percent where it was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed, shown
from .budget import doubts
from .columns import (
    BUDGET,
    EVALUATIONS,
    LETTERS,
    LOSS,
    ColumnKind,
    Columns,
    chosen_columns,
    may_be,
    name_it,
    no_quantity,
    plain,
    put_aside,
    recognise,
)
from .metrics import SPELT_PASS_AT_K, Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import RowReader
from .table import UNNAMED, RawTable

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: How many columns name a run at most, and how many benchmarks a warning names.
MOST_NAMED = 3
#: Columns that name a model, at one or at many points of its training.
MODELS = ColumnKind(
    "model", "name modelname modelid checkpoint checkpointname checkpointid ckpt"
).plain_names
#: Columns of losses by no benchmark's name.
LOSSES = LOSS.plain_names
LONG = ("benchmark", "score", "metric_type")
AS_CHECKPOINTS = "where these are checkpoints of one training run, they are no independent runs"
CURE = "; say percent=True (--percent) if the table holds percent"


class Score(NamedTuple):
    """A score as it stands in the table; `baseline`: the accuracy of guessing beside it."""

    run: int
    benchmark: str
    metric: Metric
    value: float
    row: int
    column: str
    baseline: float = float("nan")


def read_evaluations(
    table: RawTable,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    percent: bool,
    settled: Mapping[str, str],
) -> dict[str, Any]:
    """The fields of `Evaluations`."""
    chosen, benchmarks = chosen_columns(table.source, table.names, EVALUATIONS, columns, None)
    known = recognise(table, EVALUATIONS, chosen)
    known.settle(*LONG)
    of = {
        name: names[0] for name, names in known.unsettled.items() if name not in BUDGET
    } | known.of
    if "k" not in chosen and not ("metric_type" in of or "pass" in plain(of.get("score", ""))):
        of.pop("k", None)  # of few shots, perhaps
    weaker = {name: names for name, names in known.weaker.items() if name in BUDGET}
    reader: _LongReader | _WideReader
    if chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys():
        for name in benchmarks:
            complaint = f"{no_quantity(name, EVALUATIONS)} (the table has a row for each score)"
            raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
        known.require(("score",))
        reader = _LongReader(table, replace(known, of=of, weaker=weaker), settled)
    else:
        kept = {*chosen, "run", *BUDGET}
        of = {name: column for name, column in of.items() if name in kept}
        known = replace(known, of=of, weaker=weaker)
        reader = _WideReader(table, known, benchmarks, settled, percent)
    reader.select_rows(where)
    reader.join()
    return reader.evaluations(_CheckedScores(reader, reader.scores(), percent))


class _ScoreReader(RowReader):
    """The rows of a table of evaluations, with params, tokens and compute.

    Attributes
    ----------
    measured : dict of (str, Metric) to str
        In a table with a row for each run: benchmark (or what the loss is of) and metric -> column.
    scored : dict of str to ndarray
        The scores as they stand in the table, by column.
    run : ndarray of int64
        The index of its run for each kept row.
    first : ndarray of int64
        The first row of each run.
    names : list of str
        Of the runs.
    told_apart_by, aside : sequence of str
        The columns by which rows belong to the same run, and those that vary within one.
    """

    run: Any
    first: Any
    names: list[str]
    told_apart_by: tuple[str, ...] = ()
    aside: Sequence[str] = ()

    def __init__(self, table: RawTable, columns: Columns) -> None:
        super().__init__(table, columns)
        self.measured: dict[tuple[str, Metric], str] = {}
        self.scored: dict[str, Any] = {}
        for name in BUDGET:
            if name in columns.of:
                self.read_positive(name)
        self.fill_budget()
        self.drop_missing(name for name in BUDGET if name in self.numbers)
        models = [name for name in self.free() if plain(name) in MODELS]
        #: The columns that by themselves say which run a row is of, or at least of which model.
        self.naming = (columns.of["run"],) if "run" in columns.of else tuple(models)

    def select_rows(self, where: str | None) -> None:
        """Keep the rows of the condition that nothing speaks against."""
        names = {name: column for name, column in self.columns.of.items() if name not in BUDGET}
        names |= {benchmark: column for (benchmark, _), column in self.measured.items()}
        self.select(where, scored=self.scored, names=names)
        self.require_rows("is of use")

    def free(self, used: Iterable[str] = ()) -> list[str]:
        """The columns that have a name and are no quantity."""
        taken = {*used, *self.columns.of.values(), *self.measured.values()}
        return [
            name for name in self.table.names if name not in taken and not name.startswith(UNNAMED)
        ]

    def named(self, by: Sequence[str]) -> list[str]:
        """A name for each run: that in the table, else what the run is, else its row."""
        free = self.free()
        texts = [name for name in by if name in free and self.table.columns[name].dtype == object]
        sizes = [
            [f"{letter}={value:.4g}" for value in self.numbers[name][self.first]]
            for letter, name in LETTERS.items()
            if name in self.numbers
        ]
        names, words = (
            [self.table.texts(name)[self.first] for name in some[:MOST_NAMED]]
            for some in (self.naming, texts)
        )
        for parts in (names[:1], names, [*words, *sizes[:2]]):
            called = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
            if len({*called}) == len(self.first) and all(called):
                return called
        return [f"row {index + 1}" for index in self.first]

    def evaluations(self, scores: _CheckedScores) -> dict[str, Any]:
        """The fields of `Evaluations`."""
        of, first = self.columns.of, self.first
        budget = {name: self.numbers[name][first] for name in BUDGET if name in self.numbers}
        own_run = {of["run"]} - {"run"} if "run" in of else set()
        extra = {*self.free(self.aside), *own_run}
        vary = "column {} varies" if len(self.aside) == 1 else "columns {} vary"
        aside = [f"{vary.format(listed(self.aside))} within a run: set aside"]
        name, _ = self.checkpoints(first)
        points = f"{counted(len(first), 'run')} by {name!r}, of one size at several tokens"
        checkpoints = [f"{points}: {AS_CHECKPOINTS}"]
        warnings = (
            *self.columns.unsettled_warnings(
                but=of.keys() | {"run", *LONG, "random_baseline", "k"}
            ),
            *self.warnings,
            *self.other_columns(),
            *(aside if self.aside else ()),
            *(checkpoints if name else ()),
            *scores.warnings,
            *doubts(budget, of),
        )
        return {
            "run": np.array(self.names, dtype=object),
            **budget,
            **scores.fields(len(first)),
            "extra": {n: column[first] for n, column in self.table.columns.items() if n in extra},
            "row": first + 1,
            "columns": {**of, **scores.columns},
            "told_apart_by": self.told_apart_by,
            "derived": self.derived,
            **self.origin(*warnings),
        }


# -- a row for each run ----------------------------------------------------------------------------


class _WideReader(_ScoreReader):
    """Columns of scores, one a benchmark and metric."""

    def __init__(
        self,
        table: RawTable,
        columns: Columns,
        benchmarks: Mapping[str, str | None],
        settled: Mapping[str, str],
        percent: bool,
    ) -> None:
        super().__init__(table, columns)
        self.measure(benchmarks, settled, 100.0 if percent else 1.0)
        for column in self.measured.values():
            self.scored[column], reasons = table.numbers(column, put_aside(column))
            for index, reason in reasons.items():
                raise self.error(reason, index, column=column)
        missing = np.all([np.isnan(values) for values in self.scored.values()], axis=0)
        self.drop_where(missing, "every score is missing")

    def measure(
        self, benchmarks: Mapping[str, str | None], settled: Mapping[str, str], most: float
    ) -> None:
        """Find the benchmark and the metric of each column that has one."""
        aside = {*benchmarks, *filter(None, benchmarks.values())}
        an_accuracy = Metric(None, True)

        def parts(column: str) -> tuple[str, Metric | None]:
            name, metric = benchmark_and_metric(column, settled) or ("", None)
            return name, metric_of(metric, settled) if name else None

        free = self.free(aside)
        for benchmark, column in benchmarks.items():
            if column is not None:
                metric = parts(column)[1]
                is_accuracy = metric is not None and metric.is_accuracy
                self.note(benchmark, metric if metric and is_accuracy else an_accuracy, column)
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
            values, reasons = self.table.numbers(column)
        except TableError:
            return False
        known = values[~np.isnan(values)]
        return bool(len(known) and not reasons and known.min() >= 0.0 and known.max() <= most)

    def join(self) -> None:
        """Every row is a run: none may be there twice."""
        self.first = self.rows
        used = {*self.free(), *self.columns.of.values()}
        others = [name for name in self.table.names if name in used]
        run = self.columns.of.get("run")
        if run is not None:
            self.refuse_empty(run, "the run")
        keys = self.table.labels(others if run is None else (run,))
        for both in self.repeated(keys):
            same = ", ".join(others) or "run"
            same = same if run is None else f"{run} {shown(keys[both[0]][0])}"
            cure = "name runs in a column run, or take one by where="
            raise self.error(f"hold the same {same}: a run comes once; {cure}", *both)
        self.names = self.named(others)

    def scores(self) -> list[Score]:
        """Every cell with a score."""
        return [
            Score(run, benchmark, metric, float(self.scored[column][row]), row, column)
            for (benchmark, metric), column in self.measured.items()
            for run, row in enumerate(self.first.tolist())
            if not np.isnan(self.scored[column][row])
        ]


# -- a row for each score --------------------------------------------------------------------------


class _LongReader(_ScoreReader):
    """Columns of benchmarks, metrics and scores."""

    def __init__(self, table: RawTable, columns: Columns, settled: Mapping[str, str]) -> None:
        super().__init__(table, columns)
        self.settled, of = settled, columns.of
        self.benchmark = table.texts(of["benchmark"])
        self.read_exactly("score", optional=False)
        self.values = self.scored[of["score"]] = self.numbers.pop("score")
        self.baseline = np.full(table.rows, np.nan)
        if "random_baseline" in of:
            remedy = put_aside("random_baseline")
            self.baseline, _ = table.numbers(of["random_baseline"], remedy)
        self.drop_where(self.benchmark == "", "benchmark is missing")
        self.drop_where(np.isnan(self.values), "score is missing")

    def join(self) -> None:
        """Join rows to runs."""
        kept, of = self.rows, self.columns.of
        self.metric = self.metrics()
        by = self.naming
        if "run" in of:
            self.refuse_empty(by[0], "the run")
        else:
            by = (*by, *(of[name] for name in BUDGET if name in of))
            by = (*by, *self.also_of_runs(by))
            if not by:
                raise self.error(f"no column tells which run a score is of; {name_it('run')}")
        places: dict[tuple[str, ...], int] = {}
        run = np.array([places.setdefault(key, len(places)) for key in self.labels(by)])
        self.told_apart_by, self.run = by, run
        self.first = kept[np.unique(run, return_index=True)[1]]
        ahead = self.first[run]
        for name in BUDGET:
            values = self.numbers.get(name, np.zeros(self.table.rows))
            off = np.flatnonzero(np.abs(values[kept] - values[ahead]) > AGREEMENT * values[ahead])
            for place in off[:1]:
                one, two = int(ahead[place]), int(kept[place])
                called = self.table.texts(self.naming[0])[one] if self.naming else ""
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise self.error(f"run {called!r} has {what}; must be one number", one, two)
        texts = {name: self.table.texts(name) for name in self.free()}
        self.aside = [name for name, t in texts.items() if (t[kept] != t[ahead]).any()]
        self.names = self.named(by)

    def labels(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """The texts of some columns at the kept rows."""
        labels = self.table.labels(names)
        return [labels[index] for index in self.rows.tolist()]

    def metrics(self) -> list[Metric]:
        """The metric of each kept row."""
        column, has_k = self.columns.of.get("metric_type"), "k" in self.columns.of
        texts = [""] * self.table.rows if column is None else self.table.texts(column)
        every = dict.fromkeys(filter(None, texts))
        if has_k:
            self.read("k")
        metrics = []
        for index in self.rows.tolist():
            text = texts[index]
            if not text and every:
                complaint = "is empty; must name the metric of the score"
                raise self.error(complaint, index, column=column)
            at_k = has_k and plain(text) in SPELT_PASS_AT_K
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
            metrics.append(metric)
        for name in self.settled.keys() - every.keys():
            has = f"{close_matches(name, every)}; it has {listed(every)}"
            complaint = f"{name!r} is no metric of {self.table.source}{has}"
            raise ArgumentError("metrics", {name: self.settled[name]}, complaint=complaint)
        return metrics

    def also_of_runs(self, by: Sequence[str]) -> list[str]:
        """Further columns that tell runs apart: they vary, but not with the benchmark.

        A value of such a column comes with most of the benchmarks of those rows; a standard error
        or a time does not, and a column with one value for each benchmark and metric is about
        these.
        """
        keys, benchmark = self.labels(by), self.benchmark[self.kept]
        benchmarks = _sets(keys, benchmark)
        telling = []
        for name in self.free(by):
            cells = self.labels((name,))
            values = _sets(keys, cells)
            of_test = _sets(zip(benchmark, self.metric, strict=True), cells)
            if 1 in (max(map(len, values.values())), max(map(len, of_test.values()))):
                continue
            shares = [
                len(some) / len(benchmarks[key])
                for (key, _), some in _sets(zip(keys, cells, strict=True), benchmark).items()
                if len(values[key]) > 1 and (len(benchmarks[key]) > 1 or not self._fractional(name))
            ]
            if shares and np.mean(shares) > 0.5:
                telling.append(name)
        return telling

    def _fractional(self, name: str) -> bool:
        """Whether a column holds numbers that are not whole."""
        cells = self.table.columns[name]
        return bool(cells.dtype.kind == "f" and (cells[np.isfinite(cells)] % 1.0 != 0.0).any())

    def scores(self) -> list[Score]:
        """Every kept row; no run may have two scores of one kind."""
        column = self.columns.of["score"]
        scores: dict[tuple[Any, ...], Score] = {}
        for run, metric, index in zip(self.run.tolist(), self.metric, self.rows, strict=True):
            benchmark, value = self.benchmark[index], float(self.values[index])
            chance = float(self.baseline[index])
            score = Score(run, benchmark, metric, value, int(index), column, chance)
            first = scores.setdefault(score[:3], score)
            if first is not score:
                what = " ".join(filter(None, (benchmark, metric.name)))
                complaint = f"hold two scores of the same run ({self.names[run]}) on {what}"
                values = f"{first.value:g} and {value:g}"
                cure = "remove one, take one by where= (--where), or name runs in a column run"
                raise self.error(f"{complaint}, {values}: {cure}", first.row, index)
        return list(scores.values())


def _sets(keys: Iterable[Any], values: Iterable[Any]) -> dict[Any, set[Any]]:
    """The values of each key."""
    sets: dict[Any, set[Any]] = {}
    for key, value in zip(keys, values, strict=True):
        sets.setdefault(key, set()).add(value)
    return sets


# -- scores ----------------------------------------------------------------------------------------


class _CheckedScores:
    """The scores by key, checked.

    Attributes
    ----------
    of : dict of str to list of Score
        Key -> its scores.
    metric : dict of str to Metric
    columns : dict of str to str
        Key -> column, where a table has several.
    baselines : dict of str to float
        Key -> the accuracy of guessing that the table holds.
    warnings : list of str
    """

    def __init__(self, reader: _ScoreReader, scores: list[Score], percent: bool) -> None:
        self.reader, self.percent, self.scale = reader, percent, 100.0 if percent else 1.0
        self.warnings: list[str] = []
        self.metrics = _sets(
            (score.benchmark for score in scores), (score.metric for score in scores)
        )
        self.of: dict[str, list[Score]] = {}
        for score in scores:
            self.of.setdefault(self.key(score), []).append(score)
        self.metric = {key: own[0].metric for key, own in self.of.items()}
        several = len({score.column for score in scores}) > 1
        self.columns = {key: own[0].column for key, own in self.of.items() if several}
        self.accurate = {k: own for k, own in self.of.items() if self.metric[k].is_accuracy}
        self.check_accuracies([score for score in scores if score.metric.is_accuracy])
        for score in scores:
            if not score.metric.is_accuracy and not np.isfinite(score.value):
                what = f"{score.metric.name or 'loss'}={score.value!r}"
                raise self.error(score, f"{what} must be finite")
        self.baselines = self.checked_baselines()
        counts = {k: sum(s.value == self.scale for s in own) for k, own in self.accurate.items()}
        if ones := {key: n for key, n in counts.items() if n}:
            what = f"{counted(sum(ones.values()), 'score')} ({_some(ones)})"
            ends = "-log 1 = 0, and laws of -log accuracy leave them out"
            self.warnings.append(f"accuracy is exactly 1 in {what}: {ends}")

    def key(self, score: Score) -> str:
        """What a benchmark by a metric is called: the metric is named where it must be."""
        benchmark, metric = score.benchmark, score.metric
        if metric.k is not None and metric.k > 1:
            return f"{benchmark} {metric.name}"
        alike = [
            other
            for other in self.metrics[benchmark]
            if not metric.is_accuracy or (other.is_accuracy and (other.k or 1) == 1)
        ]
        return benchmark if len(alike) == 1 else f"{benchmark} {metric.name or 'accuracy'}"

    def error(self, score: Score, complaint: str, column: str = "") -> TableError:
        """What is wrong with a score, or with the accuracy of guessing beside it."""
        what = "" if score.column == score.benchmark else f"{self.key(score)}: "
        return self.reader.error(f"{what}{complaint}", score.row, column=column or score.column)

    def check_accuracies(self, scores: list[Score]) -> None:
        """All are shares, or all are percent where that was said."""
        if not scores:
            metrics = listed(sorted({metric.name or "loss" for metric in self.metric.values()}))
            raise self.reader.error(f"no score is an accuracy; its metrics are {metrics}")
        bad = [score for score in scores if not 0.0 <= score.value <= self.scale]
        for score in bad[:1]:
            others = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
            domain = f"a number from 0 to {'100 (percent)' if self.percent else '1'}"
            cure = CURE if 1.0 < score.value <= 100.0 and not self.percent else ""
            if score.metric.name is None:
                cure += "; if it is no accuracy, say so in a column metric_type"
            value = f"accuracy={score.value:.16g}"
            raise self.error(score, f"{value} must be {domain}{others}{cure}")
        if not self.percent:
            return
        highest = max(scores, key=lambda score: score.value)
        if highest.value <= 1.0:
            where = f"(the highest is {highest.value:.6g}, row {highest.row + 1})"
            what = f"no accuracy of {self.reader.table.source} is above 1 {where}"
            complaint = f"{what}: leave percent=True (--percent) out"
            raise ArgumentError("percent", True, complaint=complaint)
        most = {key: max(score.value for score in own) for key, own in self.accurate.items()}
        if low := [key for key, value in most.items() if 0.0 < value <= 1.0]:
            what = f"no score of {_some(low)} is above 1 %: are these in percent as well?"
            self.warnings.append(what)

    def checked_baselines(self) -> dict[str, float]:
        column, baselines = self.reader.columns.of.get("random_baseline", ""), {}
        for key, own in self.accurate.items():
            given = [score for score in own if not np.isnan(score.baseline)]
            for score in given:
                self.check_baseline(score, column)
                if score.baseline != given[0].baseline:
                    values = f"{key}: random_baseline={given[0].baseline:g} and {score.baseline:g}"
                    complaint = f"{values}; must be one number for a benchmark"
                    raise self.reader.error(complaint, given[0].row, score.row, column=column)
                baselines[key] = score.baseline / self.scale
        return baselines

    def check_baseline(self, score: Score, column: str) -> None:
        complaint = ""
        if not 0.0 <= score.baseline < self.scale:
            complaint = f"must be at least 0 and below {self.scale:g}"
            complaint += CURE if 1.0 < score.baseline <= 100.0 and not self.percent else ""
        elif self.percent and 0.0 < score.baseline < 1.0:
            complaint = "must be in percent as the scores are (percent=True), such as 25"
        if complaint:
            value = f"random_baseline={score.baseline:.16g}"
            raise self.error(score, f"{value} {complaint}", column)

    def fields(self, runs: int) -> dict[str, Any]:
        """The fields of `Evaluations` that are about scores."""
        arrays: dict[bool, dict[str, Any]] = {True: {}, False: {}}
        for key, own in self.of.items():
            values = np.full(runs, np.nan)
            values[[score.run for score in own]] = [score.value for score in own]
            is_accuracy = key in self.accurate
            arrays[is_accuracy][key] = values / (self.scale if is_accuracy else 1.0)
        names = {key: own[0].benchmark for key, own in self.of.items()}
        return {
            "scores": arrays[True],
            "proxies": arrays[False],
            "metric_types": {key: metric.name for key, metric in self.metric.items()},
            "benchmark_names": {key: name for key, name in names.items() if name != key},
            "table_baselines": self.baselines,
        }


def _some(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
