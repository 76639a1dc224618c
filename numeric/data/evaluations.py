"""Evaluations: the accuracy of runs on benchmarks, read from a table and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import listed
from .columns import BUDGET, EVALUATIONS, how_to_choose, recognise, require
from .metrics import is_accuracy, passes
from .rows import FrameColumn, View, doubts, read_rows, refuse_twice
from .sample import Points
from .table import SourceTable, in_backticks, texts
from .where import holds

if TYPE_CHECKING:
    from pandas import DataFrame

#: What tells a score.
OF_SCORES = ("run", "benchmark", "metric_type", "score")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluations(View):
    """Runs and their accuracy on benchmarks; read with :meth:`Evaluations.read`.

    The table has a row for each score, with columns for the benchmark (``benchmark``, ``task``, ...),
    the score (``score``, ``accuracy``, ...) and, optionally, the metric (``metric_type``, ...), the
    accuracy of guessing (``random_baseline``, ...), params, tokens and compute, and the run
    (``run``, ``name``, ...; without it the rows of equal params, tokens and compute are one run). A
    table with a row for each run is first turned by ``DataFrame.melt``. It is refused where an
    accuracy is outside [0, 1], a metric is unknown, or a run has two scores of one benchmark and
    metric.

    There are M runs. A *key* is a benchmark, or ``"benchmark metric"`` where it was scored by several
    metrics, or ``"benchmark pass@k"`` for k > 1.

    Attributes
    ----------
    run : ndarray of object, (M,)
        The names of the runs, all different.
    params, tokens, compute : ndarray of float64 or None, (M,)
        N, D and C (FLOP); > 0. Two give the third by C = 6ND. None where the table does not have it.
    metric_types : dict of str to str or None
        Key -> metric, as in the source.
    table_baselines : dict of str to float
        Key -> the accuracy of guessing, in [0, 1), where the table has it.
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`; ``frame`` has the first row of each run: quantities, other columns that are the
        same in all rows of a run, and a column for each key.

    Examples
    --------
    >>> wide = {"N": [1e8, 1e9], "D": [2e9, 2e10], "piqa": [0.6, 0.7], "sciq": [0.5, 0.8]}
    >>> from pandas import DataFrame
    >>> rows = DataFrame(wide).melt(["N", "D"], var_name="benchmark", value_name="score")
    >>> runs = Evaluations.read(rows)
    >>> runs.benchmarks, runs.compute.tolist(), runs.scores["sciq"].tolist()
    (('piqa', 'sciq'), [1.2e+18, 1.2e+20], [0.5, 0.8])
    """

    metric_types: dict[str, str | None] = field(default_factory=dict)
    table_baselines: dict[str, float] = field(default_factory=dict)

    run, params = FrameColumn(), FrameColumn()
    tokens, compute = FrameColumn(), FrameColumn()

    @classmethod
    def _read(
        cls, table: SourceTable, columns: Mapping[str, str | None] | None, where: str | None
    ) -> Self:
        table, column_of = recognise(table, EVALUATIONS, columns)
        hint = "; columns of benchmarks are first turned into rows by DataFrame.melt"
        require(table, column_of, "benchmark", "score", hint=hint)
        view = read_rows(table, column_of, EVALUATIONS, (*BUDGET, *OF_SCORES), where)
        runs = _runs(view)
        scores = _scores(view, view.frame.assign(run=runs["index"]))
        metrics = scores.drop_duplicates("key").set_index("key")["metric_type"]
        first = runs.drop_duplicates("index").drop(columns="index")
        for key in metrics.index.intersection(["run", *BUDGET]):
            raise view.error(f"a benchmark may not be called {key!r}")
        held = scores.pivot(index="run", columns="key", values="score")
        frame = first.assign(**{key: held[key].to_numpy() for key in metrics.index})
        warnings = (*view.warnings, *doubts(first, view.columns))
        return cls(
            metric_types={key: metric or None for key, metric in metrics.items()},
            table_baselines=_baselines(view, scores),
            **vars(replace(view, frame=frame, warnings=warnings)),
        )

    @property
    def scores(self) -> dict[str, Any]:
        """Key -> raw accuracy in [0, 1], (M,); NaN where the run was not evaluated."""
        return {x: self.frame[x].to_numpy() for x, m in self.metric_types.items() if is_accuracy(m)}

    @property
    def proxies(self) -> dict[str, Any]:
        """Key -> loss or another metric that is not an accuracy, (M,), NaN where it is missing."""
        others = [key for key in self.metric_types if key not in self.scores]
        return {key: self.frame[key].to_numpy() for key in others}

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The keys of accuracies, except pass@k with k > 1."""
        return tuple(key for key in self.scores if passes(self.metric_types.get(key)) in (None, 1))

    def benchmark_of(self, key: str) -> str:
        """The benchmark of a key of a score or proxy."""
        return key.removesuffix(f" {self.metric_types.get(key)}")

    def family(self, benchmark: str) -> dict[int, str]:
        """k -> the key of pass@k of a benchmark, ordered by k; empty where there is none."""
        is_first = passes(self.metric_types.get(benchmark)) == 1
        name = self.benchmark_of(benchmark) if is_first else benchmark
        keys = [key for key in self.scores if self.benchmark_of(key) == name]
        return dict(sorted((k, x) for x in keys if (k := passes(self.metric_types.get(x)))))

    def only(self, benchmarks: Sequence[str]) -> Evaluations:
        """The evaluations on these benchmarks alone, each with its pass@k, in this order."""
        keys = dict.fromkeys(x for name in benchmarks for x in (name, *self.family(name).values()))
        for name in [name for name in benchmarks if not self.family(name)]:
            self.require(name)
        kept = [*filter(self.scores.__contains__, keys), *self.proxies]
        baselines = {key: x for key, x in self.table_baselines.items() if key in kept}
        metrics = {key: self.metric_types[key] for key in kept}
        return replace(self, metric_types=metrics, table_baselines=baselines)

    def require(self, benchmark: str, argument: str = "benchmark") -> None:
        """Raise where ``scores`` has no such key; the error names the argument that gave it."""
        self._entry(self.scores, benchmark, argument, "benchmark")

    def proxy(self, name: str) -> Any:
        """A key, or any other column of numbers, by its name, (M,)."""
        held = self.frame.drop(columns=["run", *BUDGET], errors="ignore").select_dtypes("number")
        return self._entry(held, name, "proxy", "column").to_numpy(np.float64)

    def _entry(self, held: Any, name: str, argument: str, noun: str) -> Any:
        """The entry of a name; an error for the argument that gave it where there is none."""
        if name not in held:
            hint = f"{close_matches(name, held)}; it has {listed(held) or 'none'}"
            complaint = f"{self.source} has no such {noun}{hint}"
            raise ArgumentError(argument, name, complaint=complaint)
        return held[name]

    def held_out(self, sample: Points, condition: str) -> Any:
        """The mask of the runs of a sample that satisfy a condition, (n,). The condition may name
        ``k``, which is 1 in a sample without it.
        """
        frame = self.named().iloc[sample.index].assign(k=1.0 if sample.k is None else sample.k)
        return holds(condition, frame, self.source, "hold_out")

    def sample(self, benchmark: str, baseline: float, *, in_k: bool = False) -> Points:
        """The runs that have a score on a benchmark, a key of ``scores``, with the accuracy of
        guessing, in [0, 1); with `in_k` the pass@k of every run at every k, by k and then by run.
        """
        keys = self.family(benchmark) if in_k else {}
        if not keys:
            self.require(benchmark)
        scores = self.frame[[*keys.values()] or [benchmark]].to_numpy().T
        place, index = np.nonzero(~np.isnan(scores))
        at = {x: v[index] for x in BUDGET if (v := getattr(self, x)) is not None}
        lacks = "a score" if not len(index) else "params, tokens or compute" if not at else ""
        if lacks or (in_k and not keys):
            complaint = f"no run of {self.source} has {lacks or 'a pass@k of it'}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        k = np.array([*keys])[place] if keys else None
        seen: dict[str, Any] = {"benchmark": benchmark, "baseline": baseline, "index": index}
        return Points(**at, **seen, k=k, accuracy=scores[place, index])


def _runs(view: View) -> DataFrame:
    """The rows with the number of their run, `index`, its name, and the columns that are the same in
    all its rows. The rows of a run have the same name in the column `run`, or without that column
    the same params, tokens and compute.
    """
    frame, budget = view.frame, [name for name in BUDGET if name in view.frame]
    by = ["run"] if "run" in frame else budget
    if not by:
        raise view.error(f"no column tells which run a score is of; {how_to_choose('run')}")
    index = frame[by].apply(texts).groupby(by, sort=False).ngroup()
    for name in budget:
        view.refuse_several(name, index, "run")
    free = [name for name in frame if name not in EVALUATIONS.quantities]
    is_one = frame[free].apply(texts).groupby(index).nunique().max() <= 1
    names = texts(frame["run"]) if "run" in frame else "row " + frame.index.astype(str)
    kept = frame[[*budget, *is_one.index[is_one]]]
    return kept.assign(run=np.array(names, dtype=object), index=index)


def _scores(view: View, rows: DataFrame) -> DataFrame:
    """The scores, each with its `key` (the benchmark, with the metric where several score it) and
    whether it is an accuracy. A TableError unless a run has one score of each key, accuracies are
    shares, and other metrics are finite.
    """
    metrics = texts(rows["metric_type"]) if "metric_type" in rows else [""] * len(rows)
    metrics = [f"pass@{k}" if (k := passes(metric)) else metric for metric in metrics]
    scores = rows.assign(benchmark=texts(rows["benchmark"]), metric_type=metrics)
    kinds = scores[["benchmark", "metric_type"]].drop_duplicates()
    of_accuracy = kinds["metric_type"].map(is_accuracy)
    for row, metric in kinds.loc[of_accuracy.isna(), "metric_type"].items():
        column = view.columns["metric_type"]
        option = f'--where "{in_backticks(column)} != {metric!r}"'
        complaint = f"metric {metric!r} is not known: leave it out by {option}"
        raise view.error(complaint, row, column=column)
    kinds["is_accuracy"] = of_accuracy.astype(bool)
    if not kinds["is_accuracy"].any():
        raise view.error(f"no score is an accuracy; its metrics are {listed(sorted({*metrics}))}")
    is_first = kinds["metric_type"].map(passes).fillna(1) == 1
    rivals = (kinds["is_accuracy"] & is_first).groupby(kinds["benchmark"])
    n_rivals = rivals.transform("sum").where(kinds["is_accuracy"], rivals.transform("size"))
    own = kinds["benchmark"] + " " + kinds["metric_type"]
    kinds["key"] = kinds["benchmark"].where(is_first & (n_rivals == 1), own)
    scores = scores.merge(kinds, "left").set_axis(scores.index)
    hint = f"take one by where= (--where), or say what tells runs apart; {how_to_choose('run')}"
    refuse_twice(view, scores, ["run", "key"], f"hold two scores of the same run: {hint}")
    is_share, is_finite = scores["score"].between(0.0, 1.0), np.isfinite(scores["score"])
    for row, score in scores[~is_share.where(scores["is_accuracy"], is_finite)][:1].iterrows():
        column = view.columns["score"]
        hint = f"of percent say --column score='{in_backticks(column)}/100'"
        domain = f"a number from 0 to 1; {hint}" if score.is_accuracy else "finite"
        raise view.error(f"{score.key}={score.score:.16g} must be {domain}", row, column=column)
    return scores


def _baselines(view: View, scores: DataFrame) -> dict[str, float]:
    """Key -> the accuracy of guessing, one number in [0, 1), where the table has a column of it."""
    if "random_baseline" not in scores:
        return {}
    held = scores.loc[scores["is_accuracy"], ["key", "random_baseline"]].dropna().drop_duplicates()
    is_one = ~held.duplicated("key") & held["random_baseline"].between(0, 1, "left")
    for key in held["key"][~is_one][:1]:
        complaint = f"{key}: random_baseline must be one number of at least 0 and below 1"
        raise view.error(complaint, column=view.columns["random_baseline"])
    return dict(held.itertuples(index=False))
