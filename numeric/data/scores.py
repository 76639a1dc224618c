"""From a table to scores: a table with a row for each run is melted into one with a row for each
score; rows are joined to runs, every score is checked, and a pivot has a row for each run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
    name_it,
    no_quantity,
    plain,
    put_aside,
    recognise,
    spelt_in,
)
from .metrics import Metric, benchmark_and_metric, is_benchmark, metric_of
from .rows import Rows
from .table import Table

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: Columns that name a model, at one or at many points of its training.
MODELS = r"(model|checkpoint)(name|id)?|name|ckpt"
AN_ACCURACY = Metric(None, True)


def read_evaluations(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: str | None,
) -> dict[str, Any]:
    """The fields of `Evaluations`."""
    import pandas as pd

    (table,), chosen, benchmarks = chosen_columns([table], EVALUATIONS, columns, None)
    known, is_long = _recognised(table, chosen)
    if is_long and benchmarks:
        name = next(iter(benchmarks))
        complaint = f"{no_quantity(name, EVALUATIONS)} (the table has a row for each score)"
        raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
    rows, of = Rows(table, known), known.of
    rows.read(*(name for name in BUDGET if name in of))
    rows.fill_budget()
    rows.drop_missing(*(name for name in BUDGET if name in rows.numbers))
    if is_long:
        known.require(("score",))
        measured = {of["score"]: ("", AN_ACCURACY)}
        rows.drop("benchmark is missing", table.texts(of["benchmark"]) == "")
    else:
        measured = _measured(table, known, benchmarks)
    scored = {name: table.numbers(name, "" if is_long else put_aside(name)) for name in measured}
    missing = np.all([np.isnan(values) for values in scored.values()], axis=0)
    rows.drop("score is missing" if is_long else "every score is missing", missing)
    names = {name: column for name, column in of.items() if name not in BUDGET}
    names |= {benchmark: column for column, (benchmark, _) in measured.items() if benchmark}
    others = {name: (table.columns | scored)[column] for name, column in names.items()}
    rows.select(where, "is of use", rows.numbers, others=others | scored)
    scores = pd.DataFrame(scored)[rows.kept].rename_axis("row").reset_index()
    scores = scores.melt("row", var_name="column", value_name="value").dropna(subset="value")
    if is_long:
        scores = scores.assign(**_described(rows, scores["row"]))
    else:
        meant = scores["column"].map(measured)
        scores = scores.assign(benchmark=meant.str[0], metric=meant.str[1], baseline=np.nan)
    runs = _joined(rows, {*measured} - {*of.values()}, is_long)
    return _checked(rows, runs, scores, (*rows.warnings, *runs.warnings))


def _recognised(table: Table, chosen: Mapping[str, str | None]) -> tuple[Columns, bool]:
    """The columns of a table of evaluations, and whether it has a row for each score."""
    known = recognise(table, EVALUATIONS, chosen)
    of = known.of
    is_long = chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys()
    if not is_long:
        of = {name: of[name] for name in of.keys() & {*chosen, "run", *BUDGET}}
    return replace(known, of=of), is_long


# -- what each score is of -------------------------------------------------------------------------


def _measured(
    table: Table, columns: Columns, benchmarks: Mapping[str, str | None]
) -> dict[str, tuple[str, Metric]]:
    """Column -> benchmark and metric, in a table with a row for each run."""
    parts = {name: benchmark_and_metric(name) or ("", "") for name in table.names}
    metrics = {name: metric_of(metric) for name, (_, metric) in parts.items() if metric}
    found: dict[str, tuple[str, Metric]] = {}
    for benchmark, column in benchmarks.items():
        if column is not None:
            metric = metrics.get(column)
            found[column] = benchmark, metric if metric and metric.is_accuracy else AN_ACCURACY
    aside = {*benchmarks, *found, *columns.of.values()}
    free = [name for name in table.names if name not in aside]
    for column in free:
        if is_spelt(column, SPELLINGS["loss"]):
            found[column] = column, Metric(None, False)
        elif (metric := metrics.get(column)) and parts[column][0] not in benchmarks:
            found[column] = parts[column][0], metric
    known = {plain(benchmark) for benchmark, metric in found.values() if metric.is_accuracy}
    for column in free:
        if column not in found and is_benchmark(column) and plain(column) not in known:
            values = table.numbers_or_none(column)
            held = np.empty(0) if values is None else values[~np.isnan(values)]
            if len(held) and held.min() >= 0.0 and held.max() <= 1.0:
                found[column] = column, AN_ACCURACY
    if not any(metric.is_accuracy for _, metric in found.values()):
        for column in free:  # a table of one benchmark that does not say which
            alone = AN_ACCURACY if column == "score" else metric_of(column.strip())
            if alone is not None and alone.is_accuracy:
                found[column] = column, alone
    if not any(metric.is_accuracy for _, metric in found.values()):
        which = f"the columns are {listed(table.names)}; {name_it('hellaswag')}"
        raise TableError(table.source, f"no column of accuracy, such as acc_hellaswag; {which}")
    return found


def _described(rows: Rows, at: Any) -> dict[str, Any]:
    """Benchmark, metric and accuracy of guessing of the scores in rows `at`, a score each."""
    table, of = rows.table, rows.of
    texts = table.texts(of["metric_type"])[at] if "metric_type" in of else [""] * len(at)
    if any(texts):
        rows.refuse_empty(of["metric_type"], "the metric of the score")
    metrics = [metric_of(text or None) for text in texts]
    for index, text in [(i, t) for i, t, m in zip(at, texts, metrics, strict=True) if m is None][
        :1
    ]:
        named = spelt_in(of["metric_type"])
        out, alone = (f'--where "{named} {sign} {text!r}"' for sign in ("!=", "=="))
        how = f"leave it out by {out}, or read it alone by {alone} --column metric_type="
        complaint = f"metric {text!r} is not known: {how}"
        raise rows.error(complaint, index, column=of["metric_type"])
    baseline = np.full(len(at), np.nan)
    if "random_baseline" in of:
        name = of["random_baseline"]
        baseline = table.numbers(name, put_aside("random_baseline"))[at]
    return {"benchmark": table.texts(of["benchmark"])[at], "metric": metrics, "baseline": baseline}


# -- runs ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Runs:
    """The run of each row, -1 where it is not in use; the first row of each; its name; and the
    columns that belong to runs.
    """

    index: Any
    first: Any
    names: Any
    extra: Collection[str]
    warnings: Sequence[str]


def _joined(rows: Rows, scores: Collection[str], is_long: bool) -> _Runs:
    """Rows of one run have the same name in the column `run`. Without one, they have the same
    model, params, tokens and compute where a row is a score; else each row is a run.
    """
    table, of, at = rows.table, rows.of, rows.rows
    free = [name for name in table.names if name not in {*scores, *of.values()}]
    naming = [of["run"]] if "run" in of else [name for name in free if is_spelt(name, MODELS)]
    by = [*naming, *(of[name] for name in BUDGET if name in of and "run" not in of)]
    if "run" in of:
        rows.refuse_empty(of["run"], "the run")
    if not by and is_long:
        raise rows.error(f"no column tells which run a score is of; {name_it('run')}")
    index = np.full(len(table), -1)
    index[at] = range(len(at))
    if is_long or "run" in of:
        labels, places = table.labels(by), dict[tuple[str, ...], int]()
        index[at] = [places.setdefault(labels[row], len(places)) for row in at]
    first = at[np.unique(index[at], return_index=True)[1]]
    ahead = first[index[at]]
    texts = {name: table.texts(name) for name in {*free, *naming}}
    for name in [name for name in BUDGET if name in rows.numbers]:
        values = rows.numbers[name]
        off = np.abs(values[at] - values[ahead]) > AGREEMENT * values[ahead]
        for one, two in zip(ahead[off][:1], at[off][:1], strict=True):
            called = texts[naming[0]][one] if naming else ""
            what = f"{name}={values[one]:.10g} and {values[two]:.10g}; must be one number"
            raise rows.error(f"run {called!r} has {what}", one, two)
    varying = [name for name in free if (texts[name][at] != texts[name][ahead]).any()]
    vary = "column {} varies" if len(varying) == 1 else "columns {} vary"
    extra = {*free, *({of["run"]} - {"run"} if "run" in of else ())} - {*varying}
    warning = f"{vary.format(listed(varying))} within a run: set aside"
    return _Runs(index, first, _names(rows, first, naming), extra, [warning] if varying else [])


def _names(rows: Rows, first: Any, naming: Sequence[str]) -> Any:
    """A name for each run: that in the table, with its size where it is not alone, else its row."""
    known = [(letter, name) for letter, name in LETTERS.items() if name in rows.numbers][:2]
    sizes = [[f"{letter}={x:.4g}" for x in rows.numbers[name][first]] for letter, name in known]
    own = [rows.table.texts(name)[first] for name in naming]
    for parts in (own[:1], own, [*own, *sizes]):
        names = np.array(
            [" ".join(filter(None, some)) for some in zip(*parts, strict=True)], object
        )
        if len({*names}) == len(first) and all(names):
            return names
    return np.array([f"row {row + 1}" for row in first], dtype=object)


# -- scores ----------------------------------------------------------------------------------------


def _checked(rows: Rows, runs: _Runs, scores: Any, warnings: Sequence[str]) -> dict[str, Any]:
    """The fields of `Evaluations`, of scores that are checked: accuracies are shares, others are
    finite, a run has one of each, and a benchmark one accuracy of guessing.
    """
    of = rows.of
    is_accuracy = [metric.is_accuracy for metric in scores["metric"]]
    scores = scores.assign(run=runs.index[scores["row"]], key=_keys(scores), accuracy=is_accuracy)
    twice = scores[scores.duplicated(["run", "key"], keep=False)]
    for one, two in zip(twice.head(1).itertuples(), twice[1:].head(1).itertuples(), strict=True):
        two = next(s for s in twice[1:].itertuples() if (s.run, s.key) == (one.run, one.key))
        what = f"({runs.names[one.run]}) on {one.key}, {one.value:g} and {two.value:g}"
        cure = f"take one by where= (--where), or say what tells runs apart; {name_it('run')}"
        raise rows.error(f"hold two scores of the same run {what}: {cure}", one.row, two.row)
    known, others = scores[scores["accuracy"]], scores[~scores["accuracy"]]
    if known.empty:
        metrics = listed(sorted({metric.name or "loss" for metric in scores["metric"]}))
        raise TableError(rows.table.source, f"no score is an accuracy; its metrics are {metrics}")
    bad = known[~known["value"].between(0.0, 1.0)]
    for score in bad.head(1).itertuples():
        more = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
        name = "score" if "score" in of else score.benchmark
        cure = f"of percent say --column {name}='{spelt_in(score.column)}/100'"
        cure += ", and if it is no accuracy, what it is in a column metric_type"
        what = (
            f"{score.key}: accuracy={score.value:.16g} must be a number from 0 to 1{more}; {cure}"
        )
        raise rows.error(what, score.row, column=score.column)
    for score in others[~np.isfinite(others["value"])].head(1).itertuples():
        what = f"{score.key}={score.value!r} must be finite"
        raise rows.error(what, score.row, column=score.column)
    given, column = known[known["baseline"].notna()], of.get("random_baseline", "")
    for score in given[~given["baseline"].between(0.0, 1.0, inclusive="left")].itertuples():
        cure = f"of percent say --column random_baseline='{spelt_in(column)}/100'"
        what = f"random_baseline={score.baseline:.16g} must be at least 0 and below 1; {cure}"
        raise rows.error(what, score.row, column=column)
    ahead = given.groupby("key", sort=False)[["row", "baseline"]].transform("first")
    for score in given[given["baseline"] != ahead["baseline"]].head(1).itertuples():
        row, value = ahead.loc[score.Index]
        values = f"{score.key}: random_baseline={value:g} and {score.baseline:g}"
        what = f"{values}; must be one number for a benchmark"
        raise rows.error(what, int(row), score.row, column=column)
    budget = {name: rows.numbers[name][runs.first] for name in BUDGET if name in rows.numbers}
    warnings = [*warnings, *doubts(budget, of)]
    if len(ones := known.loc[known["value"] == 1.0, "key"]):
        what = f"{counted(len(ones), 'score')} ({listed(ones.unique())})"
        ends = "-log 1 = 0, and laws of -log accuracy leave them out"
        warnings.append(f"accuracy is exactly 1 in {what}: {ends}")
    firsts = scores.drop_duplicates("key").set_index("key")
    values = scores.pivot(index="run", columns="key", values="value")
    held = {key: values[key].to_numpy() for key in firsts.index}
    columns = firsts["column"].to_dict() if scores["column"].nunique() > 1 else {}
    return {
        "run": runs.names,
        **budget,
        "extra": {
            n: cells[runs.first] for n, cells in rows.table.columns.items() if n in runs.extra
        },
        "row": runs.first + 1,
        "derived": rows.derived,
        "scores": {key: held[key] for key in firsts.index[firsts["accuracy"]]},
        "proxies": {key: held[key] for key in firsts.index[~firsts["accuracy"]]},
        "metric_types": {key: metric.name for key, metric in firsts["metric"].items()},
        "benchmark_names": {k: name for k, name in firsts["benchmark"].items() if name != k},
        "table_baselines": given.drop_duplicates("key").set_index("key")["baseline"].to_dict(),
        "columns": of | columns,
        **rows.origin(*warnings),
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
