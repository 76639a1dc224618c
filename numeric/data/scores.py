"""From a table to scores: a table with a row for each run is melted into one with a row for each
score; rows are joined to runs, every score is checked, and a pivot has a row for each run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
    for name in BUDGET:
        if name in of:
            rows.read(name, positive=True)
    rows.fill_budget()
    rows.drop_missing(name for name in BUDGET if name in rows.numbers)
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
    rows.select(where, "is of use", others=others | scored)
    scores = pd.DataFrame(scored)[rows.kept].rename_axis("row").reset_index()
    scores = scores.melt("row", var_name="column", value_name="value").dropna(subset="value")
    if is_long:
        scores = scores.assign(**_described(rows, scores["row"]))
    else:
        meant = scores["column"].map(measured)
        scores = scores.assign(benchmark=meant.str[0], metric=meant.str[1], baseline=np.nan)
    return _checked(rows, _joined(rows, {*measured} - {*of.values()}, is_long), scores)


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


# -- what each score is of -------------------------------------------------------------------------


def _measured(
    table: Table,
    columns: Columns,
    benchmarks: Mapping[str, str | None],
) -> dict[str, tuple[str, Metric]]:
    """Column -> benchmark and metric, in a table with a row for each run."""
    found: dict[str, tuple[str, Metric]] = {}
    aside = {*benchmarks, *filter(None, benchmarks.values()), *columns.of.values()}
    free = [name for name in table.names if name not in aside and not name.startswith(UNNAMED)]

    def note(column: str, benchmark: str, metric: Metric) -> None:
        if twins := [name for name, meant in found.items() if meant == (benchmark, metric)]:
            both = f"{may_be([twins[0], column], benchmark)}{put_aside(column)}"
            raise TableError(table.source, both)
        found[column] = benchmark, metric

    def parts(column: str) -> tuple[str, Metric | None]:
        name, metric = benchmark_and_metric(column) or ("", None)
        return name, metric_of(metric) if name else None

    for benchmark, column in benchmarks.items():
        if column is not None:
            metric = parts(column)[1]
            note(column, benchmark, metric if metric and metric.is_accuracy else AN_ACCURACY)
    for column in free:
        name, metric = parts(column)
        if is_spelt(column, SPELLINGS["loss"]):
            note(column, column, Metric(None, False))
        elif metric is not None and name not in benchmarks:
            note(column, name, metric)
    known = {plain(benchmark) for benchmark, metric in found.values() if metric.is_accuracy}
    for column in free:
        if column not in found and is_benchmark(column) and plain(column) not in known:
            values = table.numbers_or_none(column)
            held = np.empty(0) if values is None else values[~np.isnan(values)]
            if len(held) and held.min() >= 0.0 and held.max() <= 1.0:
                note(column, column, AN_ACCURACY)
    if not any(metric.is_accuracy for _, metric in found.values()):
        for column in free:  # a table of one benchmark that does not say which
            metric = metric_of(column.strip())
            if column in ("score", "accuracy") or (metric is not None and metric.is_accuracy):
                note(column, column, metric or AN_ACCURACY)
    if not any(metric.is_accuracy for _, metric in found.values()):
        which = f"the columns are {listed(table.names)}; {name_it('hellaswag')}"
        raise TableError(table.source, f"no column of accuracy, such as acc_hellaswag; {which}")
    return found


def _described(rows: Rows, at: Any) -> dict[str, Any]:
    """Benchmark, metric and accuracy of guessing of the scores in rows `at`, a score each."""
    table, of = rows.table, rows.columns.of
    held = {
        name: table.numbers(of[name], put_aside(name))[at]
        if name in of
        else np.full(len(at), np.nan)
        for name in ("random_baseline", "k")
    }
    texts = table.texts(of["metric_type"])[at] if "metric_type" in of else [""] * len(at)
    every = dict.fromkeys(filter(None, texts))
    metrics = []
    for index, text, k in zip(at, texts, held["k"], strict=True):
        if every and not text:
            complaint = "is empty; must name the metric of the score"
            raise rows.error(complaint, index, column=of["metric_type"])
        at_k = "k" in of and plain(text) in SPELT_PASS_AT_K
        metric = metric_of(None if at_k or not text else text)
        if metric is None:
            named = spelt_in(of["metric_type"])
            out, alone = (f'--where "{named} {sign} {text!r}"' for sign in ("!=", "=="))
            how = f"leave it out by {out}, or read it alone by {alone} --column metric_type="
            complaint = f"metric {text!r} is not known: {how}"
            raise rows.error(complaint, index, column=of["metric_type"])
        if metric.is_accuracy and (metric.name is None or metric.k is not None) and k == k:
            if not (1.0 <= k <= 2.0**53 and k == int(k)):
                complaint = f"k={k:g} must be a whole number of at least 1"
                raise rows.error(complaint, index, column=of["k"])
            metric = Metric(f"pass@{int(k)}", True, int(k))
        metrics.append(metric)
    benchmarks = table.texts(of["benchmark"])[at]
    return {"benchmark": benchmarks, "metric": metrics, "baseline": held["random_baseline"]}


# -- runs ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Runs:
    """The run of each row, -1 where it is not in use; the columns that name the model of a row, and
    those that vary within a run; and the fields of `Evaluations` but for the scores.
    """

    index: Any
    naming: Sequence[str]
    varying: Sequence[str]
    fields: dict[str, Any]


def _joined(rows: Rows, scores: Collection[str], is_long: bool) -> _Runs:
    """Rows of one run have the same name in the column `run`. Without one, they have the same
    model, params, tokens and compute, or where each row is a run, the same in all columns but the
    scores.
    """
    table, of, at = rows.table, rows.columns.of, rows.rows
    taken = {*scores, *of.values()}
    free = [name for name in table.names if name not in taken and not name.startswith(UNNAMED)]
    naming = [of["run"]] if "run" in of else [name for name in free if is_spelt(name, MODELS)]
    by = naming
    if "run" in of:
        rows.refuse_empty(of["run"], "the run")
    else:
        by = [*(naming if is_long else free), *(of[name] for name in BUDGET if name in of)]
    if not by and is_long:
        raise rows.error(f"no column tells which run a score is of; {name_it('run')}")
    labels, places = table.labels(by), dict[tuple[str, ...], int]()
    run = np.array([places.setdefault(labels[row], len(places)) for row in at])
    first = at[np.unique(run, return_index=True)[1]]
    index, ahead = np.full(len(table), -1), first[run]
    index[at] = run
    for name, values in rows.numbers.items():
        off = np.abs(values[at] - values[ahead]) > AGREEMENT * values[ahead]
        for one, two in zip(ahead[off][:1], at[off][:1], strict=True):
            called = table.texts(naming[0])[one] if naming else ""
            what = f"{name}={values[one]:.10g} and {values[two]:.10g}; must be one number"
            raise rows.error(f"run {called!r} has {what}", one, two)
    texts = {name: table.texts(name) for name in {*free, *naming}}
    varying = [name for name in free if (texts[name][at] != texts[name][ahead]).any()]
    words = [name for name in by if name in free and table.frame[name].dtype == object]
    budget = {name: rows.numbers[name][first] for name in BUDGET if name in rows.numbers}
    sizes = [
        [f"{letter}={value:.4g}" for value in budget[name]]
        for letter, name in LETTERS.items()
        if name in budget
    ]
    names = [f"row {row + 1}" for row in first]
    # A name for each run: that in the table, else what the run is, else its row.
    for columns, more in (
        (naming[:1], []),
        (naming[:MOST_NAMED], []),
        (words[:MOST_NAMED], sizes[:2]),
    ):
        parts = [*(texts[name][first] for name in columns), *more]
        called = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
        if len({*called}) == len(first) and all(called):
            names = called
            break
    extra = {*free, *({of["run"]} - {"run"} if "run" in of else ())} - {*varying}
    vary = "column {} varies" if len(varying) == 1 else "columns {} vary"
    settled = of.keys() | {"run", *LONG, "random_baseline", "k"}
    warnings = (
        *rows.columns.unsettled_warnings(but=settled),
        *rows.warnings,
        *(text for name, text in rows.columns.others.items() if name in BUDGET),
        *([f"{vary.format(listed(varying))} within a run: set aside"] if varying else ()),
        *doubts(budget, of),
    )
    fields = {
        "run": np.array(names, dtype=object),
        **budget,
        "extra": {name: cells[first] for name, cells in table.columns.items() if name in extra},
        "row": first + 1,
        "columns": dict(of),
        "derived": rows.derived,
        **rows.origin(*warnings),
    }
    return _Runs(index, naming, varying, fields)


# -- scores ----------------------------------------------------------------------------------------


def _checked(rows: Rows, runs: _Runs, scores: Any) -> dict[str, Any]:
    """The fields of `Evaluations`, of scores that are checked: accuracies are shares, others are
    finite, a run has one of each, and a benchmark one accuracy of guessing.
    """
    scores = scores.assign(
        run=runs.index[scores["row"]],
        key=_keys(scores),
        accuracy=[metric.is_accuracy for metric in scores["metric"]],
    )
    source, table, of = rows.table.source, rows.table, rows.columns.of
    for score in scores[scores.duplicated(["run", "key"])].head(1).itertuples():
        same = (scores["run"] == score.run) & (scores["key"] == score.key)
        first = next(scores[same].itertuples())
        what = " ".join(filter(None, (score.benchmark, score.metric.name)))
        cure = "remove one, take one by where= (--where), or name runs in a column run"
        if "run" not in of:
            texts = {name: table.texts(name) for name in runs.varying}
            differ = [name for name, text in texts.items() if text[first.row] != text[score.row]]
            which = " + ".join(map(spelt_in, (*runs.naming, *differ[:1]))) or "NAME"
            cure += f", as by columns={{'run': {which!r}}} (--column run={which!r})"
        name = runs.fields["run"][score.run]
        values = f"({name}) on {what}, {first.value:g} and {score.value:g}"
        raise rows.error(f"hold two scores of the same run {values}: {cure}", first.row, score.row)
    known, others = scores[scores["accuracy"]], scores[~scores["accuracy"]]
    if known.empty:
        metrics = listed(sorted({metric.name or "loss" for metric in scores["metric"]}))
        raise TableError(source, f"no score is an accuracy; its metrics are {metrics}")
    bad = known[~known["value"].between(0.0, 1.0)]
    for score in bad.head(1).itertuples():
        more = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
        name = "score" if "score" in of else score.benchmark
        cure = f"; of percent say --column {name}='{spelt_in(score.column)}/100'"
        cure = cure if 1.0 < score.value <= 100.0 else ""
        if score.metric.name is None:
            cure += "; if it is no accuracy, say so in a column metric_type"
        what = f"accuracy={score.value:.16g} must be a number from 0 to 1{more}{cure}"
        raise _error(rows, score, what, score.column)
    for score in others[~np.isfinite(others["value"])].head(1).itertuples():
        what = f"{score.metric.name or 'loss'}={score.value!r} must be finite"
        raise _error(rows, score, what, score.column)
    given, column = known[known["baseline"].notna()], of.get("random_baseline", "")
    for score in given[~given["baseline"].between(0.0, 1.0, inclusive="left")].itertuples():
        value = f"random_baseline={score.baseline:.16g}"
        cure = f"; of percent say --column random_baseline='{spelt_in(column)}/100'"
        raise _error(rows, score, f"{value} must be at least 0 and below 1{cure}", column)
    ahead = given.groupby("key", sort=False)[["row", "baseline"]].transform("first")
    for score in given[given["baseline"] != ahead["baseline"]].head(1).itertuples():
        row, value = ahead.loc[score.Index]
        values = f"{score.key}: random_baseline={value:g} and {score.baseline:g}"
        what = f"{values}; must be one number for a benchmark"
        raise rows.error(what, int(row), score.row, column=column)
    warnings = runs.fields["warnings"]
    if len(ones := known.loc[known["value"] == 1.0, "key"]):
        what = f"{counted(len(ones), 'score')} ({_some(ones.unique())})"
        ends = "-log 1 = 0, and laws of -log accuracy leave them out"
        warnings = (*warnings, f"accuracy is exactly 1 in {what}: {ends}")
    firsts = scores.drop_duplicates("key").set_index("key")
    values = scores.pivot(index="run", columns="key", values="value")
    held = {key: values[key].to_numpy() for key in firsts.index}
    columns = firsts["column"].to_dict() if scores["column"].nunique() > 1 else {}
    return runs.fields | {
        "scores": {key: held[key] for key in firsts.index[firsts["accuracy"]]},
        "proxies": {key: held[key] for key in firsts.index[~firsts["accuracy"]]},
        "metric_types": {key: metric.name for key, metric in firsts["metric"].items()},
        "benchmark_names": {k: name for k, name in firsts["benchmark"].items() if name != k},
        "table_baselines": given.drop_duplicates("key").set_index("key")["baseline"].to_dict(),
        "columns": of | columns,
        "warnings": warnings,
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


def _error(rows: Rows, score: Any, complaint: str, column: str) -> TableError:
    """What is wrong with a score, or with the accuracy of guessing beside it."""
    what = "" if score.column == score.benchmark else f"{score.key}: "
    return rows.error(f"{what}{complaint}", score.row, column=column)


def _some(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
