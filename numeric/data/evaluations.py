"""Evaluations: the accuracy of runs on benchmarks, read from a table and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .columns import (
    BUDGET,
    EVALUATIONS,
    SPELLINGS,
    is_spelt,
    name_it,
    recognise,
    require,
    spelt_in,
)
from .metrics import benchmark_and_metric, is_accuracy, passes
from .rows import Column, View, doubts, named, read_rows
from .sample import Points
from .table import Table, table_of, texts
from .where import holds

if TYPE_CHECKING:
    from pandas import DataFrame

#: What says which column of a table with a row for each run a score is from.
SCORED = "column of the score"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluations(View):
    """Runs and their accuracy on benchmarks; read with :meth:`Evaluations.read`.

    M runs. A *key* is a benchmark, or ``"benchmark metric"`` where it was scored by several
    metrics, or ``"benchmark pass@k"`` for k > 1.

    Attributes
    ----------
    run : ndarray of object, (M,)
        Different names.
    params, tokens, compute : ndarray of float64 or None, (M,)
        N, D and C (FLOP); > 0. Two give the third by C = 6ND. None where the table does not tell.
    scores, proxies : dict of str to ndarray of float64, (M,)
        Key -> raw accuracy in [0, 1], and key -> loss or another metric that is no accuracy; NaN
        where the run was not evaluated.
    metric_types : dict of str to str or None
        Key -> its metric, as in the source.
    table_baselines : dict of str to float
        Key -> accuracy of guessing, in [0, 1), where the table has it.
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`; the rows in ``frame`` are the first ones of each run, and of the other columns
        it has those that belong to the run.
    """

    scores: dict[str, Any]
    metric_types: dict[str, str | None] = field(default_factory=dict)
    proxies: dict[str, Any] = field(default_factory=dict)
    table_baselines: dict[str, float] = field(default_factory=dict)

    run, params, tokens, compute = Column(), Column(), Column(), Column()

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
    ) -> Evaluations:
        """Evaluations from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            Either a row for each score, with columns for the benchmark (``benchmark``, ``task``,
            ...), the score (``score``, ``accuracy``, ...) and, if there are, the metric
            (``metric_type``, ...), the accuracy of guessing (``random_baseline``, ...) and the run
            (``run``, ``name``, ...; without it rows of one params, tokens and compute are one run);
            or a row for each run, with columns such as ``acc_hellaswag``, ``arc_easy_acc_norm`` and
            ``loss_c4``. Evaluations are returned as they are.
        columns : mapping, optional
            Quantity (run, benchmark, metric_type, score, random_baseline, params, tokens,
            compute) -> column or expression, as of `Runs.read`. In a table with a row for each run
            any other name is that of a benchmark.
        where : str, optional
            Condition on a row, as in ``"benchmark == 'lbpp' and score < 1"``.

        Raises
        ------
        ValueError
            Naming file, row and column: where the table lacks a column, an accuracy is outside
            [0, 1], a metric is unknown, or a run has two scores of one benchmark and metric.

        Examples
        --------
        >>> rows = {"N": [1e8, 1e9], "D": [2e9, 2e10], "acc_piqa": [0.6, 0.7], "loss_c4": [3.3, 2.7]}
        >>> runs = Evaluations.read(rows)
        >>> runs.benchmarks, runs.compute.tolist(), runs.proxies["c4"].tolist()
        (('piqa',), [1.2e+18, 1.2e+20], [3.3, 2.7])
        """
        if isinstance(data, Evaluations):
            return data.unread(columns=columns, where=where)
        return _read(data, dict(columns or {}), where)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The keys of accuracy, but for pass@k with k > 1."""
        return tuple(key for key in self.scores if passes(self.metric_types.get(key)) in (None, 1))

    def benchmark_of(self, key: str) -> str:
        """The benchmark of a key or proxy."""
        return key.removesuffix(f" {self.metric_types.get(key)}")

    def family(self, benchmark: str) -> dict[int, str]:
        """k -> key of the pass@k of a benchmark, in order of k; empty where there is none."""
        is_first = passes(self.metric_types.get(benchmark)) == 1
        name = self.benchmark_of(benchmark) if is_first else benchmark
        keys = [key for key in self.scores if self.benchmark_of(key) == name]
        return dict(sorted((k, x) for x in keys if (k := passes(self.metric_types.get(x)))))

    def only(self, benchmarks: Sequence[str]) -> Evaluations:
        """The same with these benchmarks alone, each with its pass@k, in this order."""
        keys = dict.fromkeys(x for name in benchmarks for x in (name, *self.family(name).values()))
        for name in [name for name in benchmarks if not self.family(name)]:
            self.require(name)
        scores = {key: self.scores[key] for key in keys if key in self.scores}
        baselines = {key: x for key, x in self.table_baselines.items() if key in scores}
        return replace(self, scores=scores, table_baselines=baselines)

    def require(self, benchmark: str, argument: str = "benchmark") -> None:
        """Raise where there is no such key of ``scores``; `argument`: where the name is from."""
        if benchmark not in self.scores:
            keys = [key for key in self.scores if self.benchmark_of(key) == benchmark]
            hint = "" if keys else close_matches(benchmark, self.scores)
            there = f"there are {listed(keys or self.benchmarks or self.scores)}"
            complaint = f"{self.source} has no such benchmark{hint}; {there}"
            raise ArgumentError(argument, benchmark, complaint=complaint)

    def subset(self, index: Any) -> Evaluations:
        """The runs at a boolean mask or at indices."""
        scores, proxies = (
            {key: values[index] for key, values in held.items()}
            for held in (self.scores, self.proxies)
        )
        return replace(super().subset(index), scores=scores, proxies=proxies)

    def named(self) -> DataFrame:
        """The runs with a column for each name that a condition may have."""
        held = {**self.scores, **self.proxies}
        more = {name: values for name, values in held.items() if name not in self.frame}
        return named(self.frame.assign(**more), self.columns)

    def held_out(self, sample: Points, condition: str) -> Any:
        """Which runs of a sample satisfy a condition, (n,); it may be on ``k``, without which it is 1.
        An error where it names a column that is empty at one: it is neither held out nor not.
        """
        frame = self.named().iloc[sample.index].assign(k=1.0 if sample.k is None else sample.k)
        return holds(condition, frame, self.source, "hold_out", everywhere=True)

    def sample(self, benchmark: str, baseline: float, *, in_k: bool = False) -> Points:
        """A benchmark, a key of ``scores``, at the runs that have a score, with the accuracy of
        guessing, in [0, 1); or `in_k`, pass@k at every run and k, by k and then by run.
        """
        keys = self.family(benchmark) if in_k else {}
        if not keys:
            self.require(benchmark)
        scores = np.array([self.scores[key] for key in keys.values() or [benchmark]])
        place, index = np.nonzero(~np.isnan(scores))
        at = {x: v[index] for x in BUDGET if (v := getattr(self, x)) is not None}
        lacks = "a score" if not len(index) else "params, tokens or compute" if not at else ""
        if lacks or (in_k and not keys):
            complaint = f"no run of {self.source} has {lacks or 'a pass@k of it'}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        k = np.array([*keys])[place] if keys else None
        seen: dict[str, Any] = {"benchmark": benchmark, "baseline": baseline, "index": index}
        return Points(**at, **seen, k=k, accuracy=scores[place, index])

    def proxy(self, name: str) -> Any:
        """A proxy, or any other column of numbers, by its name, (M,)."""
        own = self.frame.drop(columns=["run", *self.columns], errors="ignore").select_dtypes(
            "number"
        )
        if name not in (held := {**self.scores, **own, **self.proxies}):
            every = [*self.proxies, *own]
            there = listed(every) or "no numbers beside its scores"
            hint = f"{close_matches(name, every)}; it has {there}"
            complaint = f"{self.source} has no such column{hint}"
            raise ArgumentError("proxy", name, complaint=complaint)
        return np.asarray(held[name], dtype=np.float64)


def _read(data: Any, given: Mapping[str, str | None], where: str | None) -> Evaluations:
    """See `Evaluations.read`."""
    table, of, benchmarks = recognise(table_of(data), EVALUATIONS, given, None)
    if given.get("benchmark") or {"benchmark", "score"} <= of.keys():
        require(table, of, "score")
        for name in [*benchmarks][:1]:
            complaint = f"{name!r} is no quantity of a table with a row for each score"
            raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
        every = of
    else:
        of = {name: of[name] for name in of if name in (*given, "run", *BUDGET)}
        table, more = _a_row_a_score(table, of, benchmarks)
        every = of | more
    needed = (*BUDGET, "run", "benchmark", "metric_type", "score")
    view = read_rows(table, every, EVALUATIONS, needed, where)
    runs, index, varying = _runs(view)
    scores = _scores(replace(view, frame=view.frame.assign(run=index)))
    kinds = scores.drop_duplicates("key").set_index("key")
    held = scores.pivot(index="run", columns="key", values="score")[kinds.index]
    is_accuracy = kinds["is_accuracy"]
    said = f"set aside, as they vary within a run: columns {listed(varying)}"
    warnings = (*view.warnings, *([said] if varying else []), *doubts(runs, of))
    return Evaluations(
        scores={key: held[key].to_numpy() for key in held if is_accuracy[key]},
        proxies={key: held[key].to_numpy() for key in held if not is_accuracy[key]},
        metric_types={key: metric or None for key, metric in kinds["metric_type"].items()},
        table_baselines=_baselines(view, scores),
        **vars(replace(view, frame=runs, columns=of, warnings=warnings)),
    )


def _a_row_a_score(
    table: Table, of: Mapping[str, str], benchmarks: Mapping[str, str | None]
) -> tuple[Table, dict[str, str]]:
    """A table with a row for each run as one with a row for each score, and what columns it has more;
    rows keep their number. `benchmarks`: the benchmarks of columns whose names do not say so.
    """
    found: dict[str, tuple[str, str | None]] = {}
    for benchmark, column in benchmarks.items():
        if column is not None:
            metric = (benchmark_and_metric(column) or ("", None))[1]
            found[column] = benchmark, metric if is_accuracy(metric) else None
    for column in [name for name in table.names if name not in {*benchmarks, *found, *of.values()}]:
        benchmark, metric = benchmark_and_metric(column) or ("", None)
        if is_spelt(column, SPELLINGS["loss"]):
            found[column] = column, "loss"
        elif benchmark and benchmark not in benchmarks:
            found[column] = benchmark, metric
    if not any(is_accuracy(metric) for _, metric in found.values()):
        which = f"the columns are {listed(table.names)}; {name_it('hellaswag')}"
        raise TableError(table.source, f"no column of accuracy, such as acc_hellaswag; {which}")
    numbers = table.frame[[]].assign(**{name: table.numbers(name) for name in found})
    long = numbers.melt(var_name=SCORED, value_name="score", ignore_index=False)
    rows = (
        table.frame.drop(columns=[*found])
        .loc[long.index]
        .assign(
            **long,
            benchmark=[found[name][0] for name in long[SCORED]],
            metric_type=[found[name][1] or "acc" for name in long[SCORED]],
        )
    )
    names = {name: name for name in ("benchmark", "metric_type", "score")}
    if "run" not in of:
        names["run"] = "run"
        rows["run"] = [f"row {row}" for row in rows.index]
    return replace(table, frame=rows.sort_index(kind="stable")), names


def _runs(view: View) -> tuple[DataFrame, Any, list[str]]:
    """The first row of each run, with its name; the number of its run for each row; and the columns
    that vary within a run. Rows of one run have the same name in the column `run`; without one, the
    same params, tokens and compute.
    """
    frame, budget = view.frame, [name for name in BUDGET if name in view.frame]
    by = ["run"] if "run" in frame else budget
    if not by:
        raise view.error(f"no column tells which run a score is of; {name_it('run')}")
    index = frame[by].apply(texts).groupby(by, sort=False).ngroup().to_numpy()
    runs = frame.iloc[np.unique(index, return_index=True)[1]]
    names = texts(runs["run"]) if "run" in frame else "row " + runs.index.astype(str)
    for name in budget:
        view.refuse_several(name, index, "run")
    free = [name for name in frame if name not in {*EVALUATIONS.quantities, SCORED}]
    different = frame[free].apply(texts).groupby(index).nunique().max() > 1
    varying = [*different.index[different]]
    of_runs = [name for name in (*budget, *free) if name not in varying]
    return runs[of_runs].assign(run=np.array(names, dtype=object)), index, varying


def _scores(view: View) -> DataFrame:
    """The scores, with what each benchmark by its metric is called, its `key`: the metric is named
    where it must be; and whether it is an accuracy. A run has one score of each key, accuracies are
    shares, and others are finite.
    """
    scores = view.frame.assign(benchmark=texts(view.frame["benchmark"]))
    metrics = [*texts(scores["metric_type"])] if "metric_type" in scores else [""] * len(scores)
    for row, metric in zip(scores.index, metrics, strict=True):
        if is_accuracy(metric) is None:
            column = view.columns["metric_type"]
            out = f'--where "{spelt_in(column)} != {metric!r}"'
            complaint = f"metric {metric!r} is not known: leave it out by {out}"
            raise view.error(complaint, row, column=column)
    metrics = [f"pass@{k}" if (k := passes(metric)) else metric for metric in metrics]
    pairs = [*zip(scores["benchmark"], metrics, strict=True)]
    keys = {}
    for name, metric in {*pairs}:
        rivals = {x for other, x in {*pairs} if other == name}
        if is_accuracy(metric):
            rivals = {x for x in rivals if is_accuracy(x) and passes(x) in (None, 1)}
        is_alone = len(rivals) == 1 and passes(metric) in (None, 1)
        keys[name, metric] = name if is_alone else f"{name} {metric}"
    known = np.array([bool(is_accuracy(metric)) for metric in metrics])
    named_by = [keys[pair] for pair in pairs]
    scores = scores.assign(metric_type=metrics, is_accuracy=known, key=named_by)
    cure = f"take one by where= (--where), or say what tells runs apart; {name_it('run')}"
    of_scores = replace(view, frame=scores)
    of_scores.refuse_twice(["run", "key"], f"hold two scores of the same run: {cure}")
    if not known.any():
        raise view.error(f"no score is an accuracy; its metrics are {listed(sorted({*metrics}))}")
    is_share, is_finite = scores["score"].between(0.0, 1.0), np.isfinite(scores["score"])
    for row, score in scores[~np.where(known, is_share, is_finite)][:1].iterrows():
        column = score.get(SCORED, view.columns["score"])
        cure = f"--column {score.key if SCORED in scores else 'score'}='{spelt_in(column)}/100'"
        domain = f"a number from 0 to 1; of percent say {cure}" if score.is_accuracy else "finite"
        raise view.error(f"{score.key}={score.score:.16g} must be {domain}", row, column=column)
    return scores


def _baselines(view: View, scores: DataFrame) -> dict[str, float]:
    """Key -> accuracy of guessing, one number in [0, 1), where the table has a column of it."""
    if "random_baseline" not in scores:
        return {}
    held = scores.loc[scores["is_accuracy"], ["key", "random_baseline"]].dropna().drop_duplicates()
    is_one = ~held.duplicated("key") & held["random_baseline"].between(0, 1, "left")
    for key in held["key"][~is_one][:1]:
        what = f"{key}: random_baseline must be one number of at least 0 and below 1"
        raise view.error(what, column=view.columns["random_baseline"])
    return dict(held.itertuples(index=False))
