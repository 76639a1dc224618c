"""From a table to scores: a row for each score or for each run, rows joined to runs, and every score
checked: shares from 0 to 1, percent where it was said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import counted, listed, shown
from .budget import doubts
from .columns import (
    BUDGET,
    EVALUATIONS,
    LETTERS,
    SPELLINGS,
    Columns,
    chosen_columns,
    is_spelt,
    may_be,
    name_it,
    no_quantity,
    plain,
    put_aside,
    recognise,
    spelt_in,
    with_expressions,
)
from .metrics import SPELT_PASS_AT_K, Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import RowReader
from .table import UNNAMED, Table

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: How many columns name a run at most, and how many benchmarks a warning names.
MOST_NAMED = 3
#: Columns that name a model, at one or at many points of its training.
MODELS = r"(model|checkpoint)(name|id)?|name|ckpt"
LONG = ("benchmark", "score", "metric_type")
CURE = "; say percent=True (--percent) if the table holds percent"
AN_ACCURACY = Metric(None, True)


def read_evaluations(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    percent: bool,
    settled: Mapping[str, str],
) -> dict[str, Any]:
    """The fields of `Evaluations`."""
    table = with_expressions(table, columns)
    chosen, benchmarks = chosen_columns(table.source, table.names, EVALUATIONS, columns, None)
    known = recognise(table, EVALUATIONS, chosen)
    known.settle(*LONG)
    of = {
        name: names[0] for name, names in known.unsettled.items() if name not in BUDGET
    } | known.of
    if "k" not in chosen and not ("metric_type" in of or "pass" in plain(of.get("score", ""))):
        of.pop("k", None)  # of few shots, perhaps
    is_long = chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys()
    if not is_long:
        of = {name: of[name] for name in of.keys() & {*chosen, "run", *BUDGET}}
    weaker = {name: names for name, names in known.weaker.items() if name in BUDGET}
    known = replace(known, of=of, weaker=weaker)
    reader: _LongReader | _WideReader
    if is_long:
        for name in benchmarks:
            complaint = f"{no_quantity(name, EVALUATIONS)} (the table has a row for each score)"
            raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
        known.require(("score",))
        reader = _LongReader(table, known, settled)
    else:
        reader = _WideReader(table, known, benchmarks, settled, 100.0 if percent else 1.0)
    names = {name: column for name, column in of.items() if name not in BUDGET}
    names |= {benchmark: column for (benchmark, _), column in reader.measured.items()}
    scored = {**table.columns, **reader.scored}
    others = {**{name: scored[column] for name, column in names.items()}, **reader.scored}
    reader.select(where, others=others)
    reader.require_rows("is of use")
    cells = reader.cells()
    fields = reader.joined()
    return fields | _scores(reader, cells, fields, percent)


class _ScoreReader(RowReader):
    """The rows of a table of evaluations, with params, tokens and compute.

    Attributes
    ----------
    measured : dict of (str, Metric) to str
        In a table with a row for each run: benchmark (or what the loss is of) and metric -> column.
    scored : dict of str to ndarray
        The scores as they stand in the table, by column.
    run : ndarray of int64
        The index of its run for each row; -1 where it is not kept.
    aside : sequence of str
        The columns that vary within a run.
    """

    run: Any
    aside: Sequence[str] = ()

    def __init__(self, table: Table, columns: Columns) -> None:
        super().__init__(table, columns)
        self.measured: dict[tuple[str, Metric], str] = {}
        self.scored: dict[str, Any] = {}
        for name in BUDGET:
            if name in columns.of:
                self.read_positive(name)
        self.fill_budget()
        self.drop_missing(name for name in BUDGET if name in self.numbers)
        models = [name for name in self.free() if is_spelt(name, MODELS)]
        #: The columns that by themselves say which run a row is of, or at least of which model.
        self.naming = (columns.of["run"],) if "run" in columns.of else tuple(models)

    def free(self, used: Iterable[str] = ()) -> list[str]:
        """The columns that have a name and are no quantity."""
        taken = {*used, *self.columns.of.values(), *self.measured.values()}
        return [
            name for name in self.table.names if name not in taken and not name.startswith(UNNAMED)
        ]

    def named(self, by: Sequence[str], first: Any) -> list[str]:
        """A name for each run: that in the table, else what the run is, else its row."""
        free = self.free()
        texts = [name for name in by if name in free and self.table.frame[name].dtype == object]
        sizes = [
            [f"{letter}={value:.4g}" for value in self.numbers[name][first]]
            for letter, name in LETTERS.items()
            if name in self.numbers
        ]
        names, words = (
            [self.table.texts(name)[first] for name in some[:MOST_NAMED]]
            for some in (self.naming, texts)
        )
        for parts in (names[:1], names, [*words, *sizes[:2]]):
            called = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
            if len({*called}) == len(first) and all(called):
                return called
        return [f"row {index + 1}" for index in first]

    def fields(self, by: Sequence[str]) -> dict[str, Any]:
        """The fields of `Evaluations` but for the scores, of runs told apart by some columns."""
        of, run = self.columns.of, self.run[self.kept]
        first = self.rows[np.unique(run, return_index=True)[1]]
        budget = {name: self.numbers[name][first] for name in BUDGET if name in self.numbers}
        own_run = {of["run"]} - {"run"} if "run" in of else set()
        extra = {*self.free(self.aside), *own_run}
        vary = "column {} varies" if len(self.aside) == 1 else "columns {} vary"
        aside = [f"{vary.format(listed(self.aside))} within a run: set aside"]
        settled = of.keys() | {"run", *LONG, "random_baseline", "k"}
        warnings = (
            *self.columns.unsettled_warnings(but=settled),
            *self.warnings,
            *self.other_columns(),
            *(aside if self.aside else ()),
            *doubts(budget, of),
        )
        return {
            "run": np.array(self.named(by, first), dtype=object),
            **budget,
            "extra": {n: column[first] for n, column in self.table.columns.items() if n in extra},
            "row": first + 1,
            "columns": dict(of),
            "derived": self.derived,
            **self.origin(*warnings),
        }


class _WideReader(_ScoreReader):
    """A row for each run, with columns of scores, one a benchmark and metric."""

    def __init__(
        self,
        table: Table,
        columns: Columns,
        benchmarks: Mapping[str, str | None],
        settled: Mapping[str, str],
        most: float,
    ) -> None:
        super().__init__(table, columns)
        self.measure(benchmarks, settled, most)
        for column in self.measured.values():
            self.scored[column] = table.numbers(column, put_aside(column))
        missing = np.all([np.isnan(values) for values in self.scored.values()], axis=0)
        self.drop_where(missing, "every score is missing")

    def measure(
        self, benchmarks: Mapping[str, str | None], settled: Mapping[str, str], most: float
    ) -> None:
        """Find the benchmark and the metric of each column that has one."""
        aside = {*benchmarks, *filter(None, benchmarks.values())}

        def parts(column: str) -> tuple[str, Metric | None]:
            name, metric = benchmark_and_metric(column, settled) or ("", None)
            return name, metric_of(metric, settled) if name else None

        free = self.free(aside)
        for benchmark, column in benchmarks.items():
            if column is not None:
                metric = parts(column)[1]
                is_accuracy = metric is not None and metric.is_accuracy
                self.note(benchmark, metric if metric and is_accuracy else AN_ACCURACY, column)
        for column in free:
            name, metric = parts(column)
            if is_spelt(column, SPELLINGS["loss"]):
                self.note(column, Metric(None, False), column)
            elif metric is not None and benchmarks.get(name, "") is not None:
                self.note(name, metric, column)
        known = {plain(benchmark) for benchmark, metric in self.measured if metric.is_accuracy}
        for column in self.free(aside):
            usual = is_benchmark(column) and plain(column) not in known
            if usual and self.holds_shares(column, most):
                self.note(column, AN_ACCURACY, column)
        if not any(metric.is_accuracy for _, metric in self.measured):
            for column in self.free(aside):  # a table of one benchmark that does not say which
                metric = metric_of(column.strip(), settled)
                if column in ("score", "accuracy") or (metric is not None and metric.is_accuracy):
                    self.note(column, metric or AN_ACCURACY, column)
        _refuse_unused(settled, [metric.name for _, metric in self.measured], self.table.source)
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
        if not self.table.holds_numbers(column):
            return False
        values = self.table.numbers(column)
        known = values[~np.isnan(values)]
        return bool(len(known) and known.min() >= 0.0 and known.max() <= most)

    def cells(self) -> Any:
        """Every cell with a score."""
        import pandas as pd

        parts = []
        for (benchmark, metric), column in self.measured.items():
            rows = np.flatnonzero(self.kept & ~np.isnan(self.scored[column]))
            part = pd.DataFrame({"row": rows, "value": self.scored[column][rows]})
            cells = {"benchmark": benchmark, "column": column, "baseline": np.nan}
            parts.append(part.assign(metric=[metric] * len(rows), **cells))
        return pd.concat(parts, ignore_index=True)

    def joined(self) -> dict[str, Any]:
        """Every row is a run: none may be there twice."""
        self.run = np.full(len(self.table), -1)
        self.run[self.rows] = np.arange(len(self.rows))
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
        return self.fields(others)


class _LongReader(_ScoreReader):
    """A row for each score, with columns of benchmarks, metrics and scores."""

    def __init__(self, table: Table, columns: Columns, settled: Mapping[str, str]) -> None:
        super().__init__(table, columns)
        self.settled, of = settled, columns.of
        self.benchmark = table.texts(of["benchmark"])
        self.read("score", optional=False)
        self.scored[of["score"]] = self.numbers.pop("score")
        self.baseline = np.full(len(table), np.nan)
        if "random_baseline" in of:
            remedy = put_aside("random_baseline")
            self.baseline = table.numbers(of["random_baseline"], remedy)
        self.drop_where(self.benchmark == "", "benchmark is missing")
        self.drop_where(np.isnan(self.scored[of["score"]]), "score is missing")

    def cells(self) -> Any:
        """Every kept row."""
        import pandas as pd

        rows, column = self.rows, self.columns.of["score"]
        cells = {"row": rows, "benchmark": self.benchmark[rows], "column": column}
        numbers = {"value": self.scored[column][rows], "baseline": self.baseline[rows]}
        return pd.DataFrame(cells).assign(metric=self.metrics(), **numbers)

    def joined(self) -> dict[str, Any]:
        """Rows of one run have the same name in the column `run`; without one, the same model,
        params, tokens and compute.
        """
        of, rows = self.columns.of, self.rows
        by = self.naming
        if "run" in of:
            self.refuse_empty(by[0], "the run")
        else:
            by = (*by, *(of[name] for name in BUDGET if name in of))
        if not by:
            raise self.error(f"no column tells which run a score is of; {name_it('run')}")
        labels = self.table.labels(by)
        places: dict[tuple[str, ...], int] = {}
        self.run = np.full(len(self.table), -1)
        self.run[rows] = [places.setdefault(labels[row], len(places)) for row in rows]
        ahead = rows[np.unique(self.run[rows], return_index=True)[1]][self.run[rows]]
        for name in BUDGET:
            values = self.numbers.get(name, np.zeros(len(self.table)))
            off = np.flatnonzero(np.abs(values[rows] - values[ahead]) > AGREEMENT * values[ahead])
            for place in off[:1]:
                one, two = int(ahead[place]), int(rows[place])
                called = self.table.texts(self.naming[0])[one] if self.naming else ""
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise self.error(f"run {called!r} has {what}; must be one number", one, two)
        texts = {name: self.table.texts(name) for name in self.free()}
        self.aside = [name for name, t in texts.items() if (t[rows] != t[ahead]).any()]
        return self.fields(by)

    def metrics(self) -> list[Metric]:
        """The metric of each kept row."""
        column, has_k = self.columns.of.get("metric_type"), "k" in self.columns.of
        texts = [""] * len(self.table) if column is None else self.table.texts(column)
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
        _refuse_unused(self.settled, every, self.table.source)
        return metrics


def _refuse_unused(settled: Mapping[str, str], metrics: Iterable[str | None], source: str) -> None:
    """ArgumentError for a metric that the user settles and no score has."""
    known = [name for name in metrics if name is not None]
    for name in settled.keys() - {*known}:
        has = f"{close_matches(name, known)}; it has {listed(known)}"
        complaint = f"{name!r} is no metric of {source}{has}"
        raise ArgumentError("metrics", {name: settled[name]}, complaint=complaint)


# -- scores ----------------------------------------------------------------------------------------


def _scores(
    reader: _ScoreReader, cells: Any, fields: dict[str, Any], percent: bool
) -> dict[str, Any]:
    """The fields of `Evaluations` that are about scores, checked.

    `cells`: a row for each score, with its row in the table, benchmark, metric, value, column, and
    the accuracy of guessing beside it.
    """
    scale, runs = 100.0 if percent else 1.0, fields["run"]
    cells = cells.assign(
        run=reader.run[cells["row"]],
        key=_keys(cells),
        accuracy=[metric.is_accuracy for metric in cells["metric"]],
    )
    _refuse_two_scores(reader, cells, runs)
    known = cells[cells["accuracy"]]
    warnings = _checked_accuracies(reader, cells, known, percent)
    for score in cells[~cells["accuracy"] & ~np.isfinite(cells["value"])].itertuples():
        what = f"{score.metric.name or 'loss'}={score.value!r}"
        raise _error(reader, score, f"{what} must be finite")
    baselines = _baselines(reader, known, percent)
    ones = known.loc[known["value"] == scale, "key"]
    if len(ones):
        what = f"{counted(len(ones), 'score')} ({_some(dict.fromkeys(ones))})"
        ends = "-log 1 = 0, and laws of -log accuracy leave them out"
        warnings.append(f"accuracy is exactly 1 in {what}: {ends}")
    firsts = cells.drop_duplicates("key")
    several = cells["column"].nunique() > 1
    arrays: dict[bool, dict[str, Any]] = {True: {}, False: {}}
    for key, own in cells.groupby("key", sort=False):
        column = np.full(len(runs), np.nan)
        is_accuracy = bool(own["accuracy"].iloc[0])
        column[own["run"]] = own["value"] / (scale if is_accuracy else 1.0)
        arrays[is_accuracy][str(key)] = column
    return {
        "scores": arrays[True],
        "proxies": arrays[False],
        "metric_types": {s.key: s.metric.name for s in firsts.itertuples()},
        "benchmark_names": {
            s.key: s.benchmark for s in firsts.itertuples() if s.benchmark != s.key
        },
        "table_baselines": baselines,
        "columns": fields["columns"]
        | ({s.key: s.column for s in firsts.itertuples()} if several else {}),
        "warnings": (*fields["warnings"], *warnings),
    }


def _keys(cells: Any) -> list[str]:
    """What each benchmark by each metric is called: the metric is named where it must be."""
    metrics: dict[str, set[Metric]] = {}
    for benchmark, metric in zip(cells["benchmark"], cells["metric"], strict=True):
        metrics.setdefault(benchmark, set()).add(metric)

    def key(benchmark: str, metric: Metric) -> str:
        if metric.k is not None and metric.k > 1:
            return f"{benchmark} {metric.name}"
        alike = [
            other
            for other in metrics[benchmark]
            if not metric.is_accuracy or (other.is_accuracy and (other.k or 1) == 1)
        ]
        return benchmark if len(alike) == 1 else f"{benchmark} {metric.name or 'accuracy'}"

    return [key(*pair) for pair in zip(cells["benchmark"], cells["metric"], strict=True)]


def _refuse_two_scores(reader: _ScoreReader, cells: Any, runs: Any) -> None:
    """TableError for the first score of a benchmark and metric that its run has already."""
    for score in cells[cells.duplicated(["run", "key"])].head(1).itertuples():
        first = next(cells[(cells["run"] == score.run) & (cells["key"] == score.key)].itertuples())
        what = " ".join(filter(None, (score.benchmark, score.metric.name)))
        values = f"{first.value:g} and {score.value:g}"
        cure = "remove one, take one by where= (--where), or name runs in a column run"
        if "run" not in reader.columns.of:
            texts = {name: reader.table.texts(name) for name in reader.aside}
            differ = [name for name, text in texts.items() if text[first.row] != text[score.row]]
            which = " + ".join(map(spelt_in, (*reader.naming, *differ[:1]))) or "NAME"
            cure += f", as by columns={{'run': {which!r}}} (--column run={which!r})"
        complaint = f"hold two scores of the same run ({runs[score.run]}) on {what}, {values}"
        raise reader.error(f"{complaint}: {cure}", first.row, score.row)


def _error(reader: _ScoreReader, score: Any, complaint: str, column: str = "") -> Exception:
    """What is wrong with a score, or with the accuracy of guessing beside it."""
    what = "" if score.column == score.benchmark else f"{score.key}: "
    return reader.error(f"{what}{complaint}", score.row, column=column or score.column)


def _checked_accuracies(reader: _ScoreReader, cells: Any, known: Any, percent: bool) -> list[str]:
    """Warnings; all accuracies are shares, or all are percent where that was said."""
    if known.empty:
        metrics = listed(sorted({metric.name or "loss" for metric in cells["metric"]}))
        raise reader.error(f"no score is an accuracy; its metrics are {metrics}")
    bad = known[~known["value"].between(0.0, 100.0 if percent else 1.0)]
    for score in bad.head(1).itertuples():
        others = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
        domain = f"a number from 0 to {'100 (percent)' if percent else '1'}"
        cure = CURE if 1.0 < score.value <= 100.0 and not percent else ""
        if score.metric.name is None:
            cure += "; if it is no accuracy, say so in a column metric_type"
        raise _error(reader, score, f"accuracy={score.value:.16g} must be {domain}{others}{cure}")
    if not percent:
        return []
    highest = known.loc[known["value"].idxmax()]
    if highest["value"] <= 1.0:
        where = f"(the highest is {highest['value']:.6g}, row {highest['row'] + 1})"
        what = f"no accuracy of {reader.table.source} is above 1 {where}"
        complaint = f"{what}: leave percent=True (--percent) out"
        raise ArgumentError("percent", True, complaint=complaint)
    most = known.groupby("key", sort=False)["value"].max()
    low = [str(key) for key, value in most.items() if 0.0 < value <= 1.0]
    return [f"no score of {_some(low)} is above 1 %: are these in percent as well?"] if low else []


def _baselines(reader: _ScoreReader, known: Any, percent: bool) -> dict[str, float]:
    """Key -> the accuracy of guessing that the table holds; one number for each."""
    column, baselines = reader.columns.of.get("random_baseline", ""), {}
    scale = 100.0 if percent else 1.0
    for key, own in known[known["baseline"].notna()].groupby("key", sort=False):
        first = next(own.itertuples())
        for score in own.itertuples():
            complaint = ""
            if not 0.0 <= score.baseline < scale:
                complaint = f"must be at least 0 and below {scale:g}"
                complaint += CURE if 1.0 < score.baseline <= 100.0 and not percent else ""
            elif percent and 0.0 < score.baseline < 1.0:
                complaint = "must be in percent as the scores are (percent=True), such as 25"
            if complaint:
                value = f"random_baseline={score.baseline:.16g}"
                raise _error(reader, score, f"{value} {complaint}", column)
            if score.baseline != first.baseline:
                values = f"{key}: random_baseline={first.baseline:g} and {score.baseline:g}"
                complaint = f"{values}; must be one number for a benchmark"
                raise reader.error(complaint, first.row, score.row, column=column)
        baselines[str(key)] = first.baseline / scale
    return baselines


def _some(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
