"""From a table to scores: a table with a row for each run is melted into one with a row for each
score; rows are joined to runs, every score is checked, and a pivot has a row for each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed
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
)
from .metrics import SPELT_PASS_AT_K, Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import Rows
from .table import UNNAMED, Table

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: How many columns name a run at most.
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
    """The fields of `Evaluations`; `settled`: what the user says of metrics."""
    (table,), chosen, benchmarks = chosen_columns([table], EVALUATIONS, columns, None)
    known, is_long = _recognised(table, chosen)
    if is_long and benchmarks:
        name = next(iter(benchmarks))
        complaint = f"{no_quantity(name, EVALUATIONS)} (the table has a row for each score)"
        raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
    rows, of = Rows(table, known), known.of
    for name in BUDGET:
        if name in of:
            rows.read(name, positive=True)
    rows.fill_budget()
    rows.drop_missing(name for name in BUDGET if name in rows.numbers)
    scale = 100.0 if percent else 1.0
    if is_long:
        known.require(("score",))
        measured = {of["score"]: ("", AN_ACCURACY)}
    else:
        measured = _measured(table, known, benchmarks, settled, scale)
    scored = {
        column: table.numbers(column, put_aside(column) * (not is_long)) for column in measured
    }
    if is_long:
        rows.drop("benchmark is missing", table.texts(of["benchmark"]) == "")
    missing = np.all([np.isnan(values) for values in scored.values()], axis=0)
    rows.drop("score is missing" if is_long else "every score is missing", missing)
    names = {name: column for name, column in of.items() if name not in BUDGET}
    names |= {benchmark: column for column, (benchmark, _) in measured.items()}
    others = {name: (table.columns | scored)[column] for name, column in names.items()}
    rows.select(where, "is of use", others=others | scored)
    scores = _long(rows, scored, settled) if is_long else _melted(rows, measured, scored)
    used = {*measured} - {*of.values()}
    runs = _Runs(rows, used, is_long)
    return runs.fields() | _scores(rows, runs, scores, scale)


def _recognised(table: Table, chosen: Mapping[str, str | None]) -> tuple[Columns, bool]:
    """The columns of a table of evaluations, and whether it has a row for each score."""
    known = recognise(table, EVALUATIONS, chosen)
    known.settle(*LONG)
    first = {name: some[0] for name, some in known.unsettled.items() if name not in BUDGET}
    of = first | known.of
    if "k" not in chosen and not ("metric_type" in of or "pass" in plain(of.get("score", ""))):
        of.pop("k", None)  # of few shots, perhaps
    is_long = chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys()
    if not is_long:
        of = {name: of[name] for name in of.keys() & {*chosen, "run", *BUDGET}}
    return replace(known, of=of), is_long


# -- a row for each score --------------------------------------------------------------------------


def _measured(
    table: Table,
    columns: Columns,
    benchmarks: Mapping[str, str | None],
    settled: Mapping[str, str],
    most: float,
) -> dict[str, tuple[str, Metric]]:
    """Column -> benchmark and metric, in a table with a row for each run."""
    found: dict[str, tuple[str, Metric]] = {}
    aside = {*benchmarks, *filter(None, benchmarks.values()), *columns.of.values()}
    free = [name for name in table.names if name not in aside and not name.startswith(UNNAMED)]

    def note(column: str, benchmark: str, metric: Metric) -> None:
        twins = [name for name, meant in found.items() if meant == (benchmark, metric)]
        if twins and twins != [column]:
            both = f"{may_be([twins[0], column], benchmark)}{put_aside(column)}"
            raise TableError(table.source, both)
        found[column] = benchmark, metric

    def parts(column: str) -> tuple[str, Metric | None]:
        name, metric = benchmark_and_metric(column, settled) or ("", None)
        return name, metric_of(metric, settled) if name else None

    for benchmark, column in benchmarks.items():
        if column is not None:
            metric = parts(column)[1]
            note(column, benchmark, metric if metric and metric.is_accuracy else AN_ACCURACY)
    for column in free:
        name, metric = parts(column)
        if is_spelt(column, SPELLINGS["loss"]):
            note(column, column, Metric(None, False))
        elif metric is not None and benchmarks.get(name, "") is not None:
            note(column, name, metric)
    known = {plain(benchmark) for benchmark, metric in found.values() if metric.is_accuracy}
    for column in free:
        if column not in found and is_benchmark(column) and plain(column) not in known:
            values = table.numbers_or_none(column)
            held = np.empty(0) if values is None else values[~np.isnan(values)]
            if len(held) and held.min() >= 0.0 and held.max() <= most:
                note(column, column, AN_ACCURACY)
    if not any(metric.is_accuracy for _, metric in found.values()):
        for column in free:  # a table of one benchmark that does not say which
            metric = metric_of(column.strip(), settled)
            if column in ("score", "accuracy") or (metric is not None and metric.is_accuracy):
                note(column, column, metric or AN_ACCURACY)
    _refuse_unused(settled, [metric.name for _, metric in found.values()], table.source)
    if not any(metric.is_accuracy for _, metric in found.values()):
        which = f"the columns are {listed(table.names)}; {name_it('hellaswag')}"
        what = f"no column of accuracy, such as acc_hellaswag; {which}"
        raise TableError(table.source, what)
    return found


def _melted(
    rows: Rows, measured: Mapping[str, tuple[str, Metric]], scored: Mapping[str, Any]
) -> Any:
    """The scores of a table with a row for each run, as `_long` has them."""
    import pandas as pd

    scores = pd.DataFrame(scored, copy=False)[rows.kept].rename_axis("row").reset_index()
    scores = scores.melt("row", var_name="column", value_name="value").dropna(subset="value")
    meant = scores["column"].map(measured)
    return scores.assign(benchmark=meant.str[0], metric=meant.str[1], baseline=np.nan)


def _long(rows: Rows, scored: Mapping[str, Any], settled: Mapping[str, str]) -> Any:
    """row, column, value, benchmark, metric, and the accuracy of guessing, of each score in use."""
    import pandas as pd

    (column, values), at, of = next(iter(scored.items())), rows.rows, rows.columns.of
    table, empty = rows.table, np.full(len(rows.table), np.nan)
    baseline = of.get("random_baseline")
    chance = empty if baseline is None else table.numbers(baseline, put_aside("random_baseline"))
    scores = pd.DataFrame({"row": at, "column": column, "value": values[at]})
    scores = scores.assign(benchmark=table.texts(of["benchmark"])[at], baseline=chance[at])
    texts = table.texts(of["metric_type"]) if "metric_type" in of else np.full(len(table), "")
    ks = table.numbers(of["k"], put_aside("k")) if "k" in of else empty
    every = dict.fromkeys(filter(None, texts))
    metrics = []
    for index in at.tolist():
        text, k = texts[index], ks[index]
        if every and not text:
            complaint = "is empty; must name the metric of the score"
            raise rows.error(complaint, index, column=of["metric_type"])
        at_k = "k" in of and plain(text) in SPELT_PASS_AT_K
        metric = metric_of(None if at_k or not text else text, settled)
        if metric is None:
            what = f"metric {text!r} is not known: say metrics={{{text!r}: 'accuracy'}} or 'proxy'"
            how = f"(--metric {text}=accuracy, --metric {text}=proxy)"
            raise rows.error(f"{what} {how}", index, column=of["metric_type"])
        of_k = metric.is_accuracy and (metric.name is None or metric.k is not None)
        if of_k and not np.isnan(k):
            if not (1.0 <= k <= 2.0**53 and k == int(k)):
                complaint = f"k={k:g} must be a whole number of at least 1"
                raise rows.error(complaint, index, column=of["k"])
            metric = Metric(f"pass@{int(k)}", True, int(k))
        metrics.append(metric)
    _refuse_unused(settled, every, table.source)
    return scores.assign(metric=metrics)


def _refuse_unused(settled: Mapping[str, str], metrics: Iterable[str | None], source: str) -> None:
    """ArgumentError for a metric that the user settles and no score has."""
    known = [name for name in metrics if name is not None]
    for name in settled.keys() - {*known}:
        has = f"{close_matches(name, known)}; it has {listed(known)}"
        complaint = f"{name!r} is no metric of {source}{has}"
        raise ArgumentError("metrics", {name: settled[name]}, complaint=complaint)


# -- runs ------------------------------------------------------------------------------------------


class _Runs:
    """The runs that scores are of.

    Rows of one run have the same name in the column `run`. Without one, they have the same model,
    params, tokens and compute, or where each row is a run, the same in all columns but the scores.

    Attributes
    ----------
    rows : Rows
    naming : list of str
        The columns that by themselves say which run a row is of, or at least of which model.
    index : ndarray of int64
        The run of each row; -1 where it is not in use.
    first : ndarray of int64
        The first row of each run.
    varying : list of str
        The columns that vary within a run.
    names : list of str
    """

    def __init__(self, rows: Rows, scores: set[str], is_long: bool) -> None:
        table, of, at = rows.table, rows.columns.of, rows.rows
        taken = scores | {*of.values()}
        self.rows = rows
        self.free = [n for n in table.names if n not in taken and not n.startswith(UNNAMED)]
        models = [name for name in self.free if is_spelt(name, MODELS)]
        self.naming = [of["run"]] if "run" in of else models
        by = self.naming if is_long or "run" in of else self.free
        if "run" in of:
            rows.refuse_empty(of["run"], "the run")
        else:
            by = [*by, *(of[name] for name in BUDGET if name in of)]
        if not by and is_long:
            raise rows.error(f"no column tells which run a score is of; {name_it('run')}")
        labels, places = table.labels(by), dict[tuple[str, ...], int]()
        self.index = np.full(len(table), -1)
        self.index[at] = [places.setdefault(labels[row], len(places)) for row in at]
        self.first = at[np.unique(self.index[at], return_index=True)[1]]
        ahead = self.first[self.index[at]]
        for name, values in rows.numbers.items():
            off = np.abs(values[at] - values[ahead]) > AGREEMENT * values[ahead]
            for one, two in zip(ahead[off][:1], at[off][:1], strict=True):
                called = table.texts(self.naming[0])[one] if self.naming else ""
                what = f"{name}={values[one]:.10g} and {values[two]:.10g}"
                raise rows.error(f"run {called!r} has {what}; must be one number", one, two)
        texts = {name: table.texts(name) for name in self.free}
        self.varying = [name for name, t in texts.items() if (t[at] != t[ahead]).any()]
        self.names = self._names(
            [texts[n] for n in by if table.frame[n].dtype == object and n in texts]
        )

    def _names(self, words: Sequence[Any]) -> list[str]:
        """A name for each run: that in the table, else what the run is, else its row."""
        held = [(letter, self.rows.numbers.get(name)) for letter, name in LETTERS.items()]
        sizes = [
            [f"{n}={v:.4g}" for v in values[self.first]] for n, values in held if values is not None
        ]
        named = [self.rows.table.texts(name)[self.first] for name in self.naming[:MOST_NAMED]]
        words = [texts[self.first] for texts in words[:MOST_NAMED]]
        for parts in (named[:1], named, [*words, *sizes[:2]]):
            called = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
            if len({*called}) == len(self.first) and all(called):
                return called
        return [f"row {index + 1}" for index in self.first]

    def fields(self) -> dict[str, Any]:
        """The fields of `Evaluations` but for the scores."""
        rows, of = self.rows, self.rows.columns.of
        budget = {n: rows.numbers[n][self.first] for n in BUDGET if n in rows.numbers}
        own = [] if of.get("run", "run") == "run" else [of["run"]]
        extra = [n for n in rows.table.names if n in {*self.free, *own} - {*self.varying}]
        vary = "column {} varies" if len(self.varying) == 1 else "columns {} vary"
        aside = [f"{vary.format(listed(self.varying))} within a run: set aside"]
        settled = of.keys() | {"run", *LONG, "random_baseline", "k"}
        warnings = (
            *rows.columns.unsettled_warnings(but=settled),
            *rows.warnings,
            *(text for name, text in rows.columns.others.items() if name in BUDGET),
            *(aside if self.varying else ()),
            *doubts(budget, of),
        )
        return {
            "run": np.array(self.names, dtype=object),
            **budget,
            "extra": {name: rows.table.columns[name][self.first] for name in extra},
            "row": self.first + 1,
            "columns": dict(of),
            "derived": rows.derived,
            **rows.origin(*warnings),
        }


# -- scores ----------------------------------------------------------------------------------------


def _scores(rows: Rows, runs: _Runs, scores: Any, scale: float) -> dict[str, Any]:
    """The fields of `Evaluations` that are about scores, checked."""
    scores = scores.assign(
        run=runs.index[scores["row"]],
        key=_keys(scores),
        accuracy=[metric.is_accuracy for metric in scores["metric"]],
    )
    _refuse_two_scores(rows, runs, scores)
    known, proxies = scores[scores["accuracy"]], scores[~scores["accuracy"]]
    warnings = _checked_accuracies(rows, scores, known, scale)
    for score in proxies[~np.isfinite(proxies["value"])].itertuples():
        what = f"{score.metric.name or 'loss'}={score.value!r}"
        raise _error(rows, score, f"{what} must be finite")
    baselines = _baselines(rows, known, scale)
    ones = known.loc[known["value"] == scale, "key"]
    if len(ones):
        what = f"{counted(len(ones), 'score')} ({_some(ones.unique())})"
        ends = "-log 1 = 0, and laws of -log accuracy leave them out"
        warnings.append(f"accuracy is exactly 1 in {what}: {ends}")
    firsts = scores.drop_duplicates("key")
    table = scores.pivot(index="run", columns="key", values="value")
    table = table.reindex(index=range(len(runs.first)), columns=firsts["key"])
    is_accuracy = dict(zip(firsts["key"], firsts["accuracy"], strict=True))
    several = scores["column"].nunique() > 1
    return {
        "scores": {key: table[key].to_numpy() / scale for key in table if is_accuracy[key]},
        "proxies": {key: table[key].to_numpy() for key in table if not is_accuracy[key]},
        "metric_types": {s.key: s.metric.name for s in firsts.itertuples()},
        "benchmark_names": {
            s.key: s.benchmark for s in firsts.itertuples() if s.benchmark != s.key
        },
        "table_baselines": baselines,
        "columns": dict(rows.columns.of)
        | ({s.key: s.column for s in firsts.itertuples()} if several else {}),
        "warnings": (*runs.fields()["warnings"], *warnings),
    }


def _keys(scores: Any) -> list[str]:
    """What each benchmark by each metric is called: the metric is named where it must be."""
    pairs = list(zip(scores["benchmark"], scores["metric"], strict=True))
    metrics: dict[str, set[Metric]] = {}
    for benchmark, metric in pairs:
        metrics.setdefault(benchmark, set()).add(metric)

    def key(benchmark: str, metric: Metric) -> str:
        if (metric.k or 1) > 1:
            return f"{benchmark} {metric.name}"
        every = metrics[benchmark]
        rivals = {m for m in every if m.is_accuracy and (m.k or 1) == 1}
        alone = len(rivals if metric.is_accuracy else every) == 1
        return benchmark if alone else f"{benchmark} {metric.name or 'accuracy'}"

    keys = {pair: key(*pair) for pair in dict.fromkeys(pairs)}
    return [keys[pair] for pair in pairs]


def _refuse_two_scores(rows: Rows, runs: _Runs, scores: Any) -> None:
    """TableError for the first score of a benchmark and metric that its run has already."""
    for score in scores[scores.duplicated(["run", "key"])].head(1).itertuples():
        same = (scores["run"] == score.run) & (scores["key"] == score.key)
        first = next(scores[same].itertuples())
        what = " ".join(filter(None, (score.benchmark, score.metric.name)))
        values = f"{first.value:g} and {score.value:g}"
        cure = "remove one, take one by where= (--where), or name runs in a column run"
        if "run" not in rows.columns.of:
            texts = {name: rows.table.texts(name) for name in runs.varying}
            differ = [name for name, text in texts.items() if text[first.row] != text[score.row]]
            which = " + ".join(map(spelt_in, (*runs.naming, *differ[:1]))) or "NAME"
            cure += f", as by columns={{'run': {which!r}}} (--column run={which!r})"
        complaint = f"hold two scores of the same run ({runs.names[score.run]}) on {what}, {values}"
        raise rows.error(f"{complaint}: {cure}", first.row, score.row)


def _error(rows: Rows, score: Any, complaint: str, column: str = "") -> Exception:
    """What is wrong with a score, or with the accuracy of guessing beside it."""
    what = "" if score.column == score.benchmark else f"{score.key}: "
    return rows.error(f"{what}{complaint}", score.row, column=column or score.column)


def _checked_accuracies(rows: Rows, scores: Any, known: Any, scale: float) -> list[str]:
    """Warnings; all accuracies are shares, or all are percent where that was said."""
    if known.empty:
        metrics = listed(sorted({metric.name or "loss" for metric in scores["metric"]}))
        raise rows.error(f"no score is an accuracy; its metrics are {metrics}")
    bad = known[~known["value"].between(0.0, scale)]
    for score in bad.head(1).itertuples():
        others = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
        domain = f"a number from 0 to {'1' if scale == 1.0 else '100 (percent)'}"
        cure = CURE if scale < score.value <= 100.0 else ""
        if score.metric.name is None:
            cure += "; if it is no accuracy, say so in a column metric_type"
        raise _error(rows, score, f"accuracy={score.value:.16g} must be {domain}{others}{cure}")
    if scale == 1.0:
        return []
    highest = known.loc[known["value"].idxmax()]
    if highest["value"] <= 1.0:
        where = f"(the highest is {highest['value']:.6g}, row {highest['row'] + 1})"
        what = f"no accuracy of {rows.table.source} is above 1 {where}"
        complaint = f"{what}: leave percent=True (--percent) out"
        raise ArgumentError("percent", True, complaint=complaint)
    most = known.groupby("key", sort=False)["value"].max()
    low = _some(most.index[most.between(0.0, 1.0, inclusive="right")])
    return [f"no score of {low} is above 1 %: are these in percent as well?"] if low else []


def _baselines(rows: Rows, known: Any, scale: float) -> dict[str, float]:
    """Key -> the accuracy of guessing that the table holds; one number for each."""
    column, given = rows.columns.of.get("random_baseline", ""), known[known["baseline"].notna()]
    for score in given[~given["baseline"].between(0.0, scale, inclusive="left")].itertuples():
        cure = CURE if scale < score.baseline <= 100.0 else ""
        domain = f"must be at least 0 and below {scale:g}{cure}"
        raise _error(rows, score, f"random_baseline={score.baseline:.16g} {domain}", column)
    for score in given[given["baseline"].between(0.0, scale / 100.0, "neither")].itertuples():
        if scale == 100.0:
            what = "must be in percent as the scores are (percent=True), such as 25"
            raise _error(rows, score, f"random_baseline={score.baseline:.16g} {what}", column)
    first = given.groupby("key", sort=False)[["row", "baseline"]].transform("first")
    for score in given[given["baseline"] != first["baseline"]].head(1).itertuples():
        row, value = first.loc[score.Index]
        values = f"{score.key}: random_baseline={value:g} and {score.baseline:g}"
        what = f"{values}; must be one number for a benchmark"
        raise rows.error(what, int(row), score.row, column=column)
    return dict(zip(given["key"], given["baseline"] / scale, strict=True))


def _some(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
