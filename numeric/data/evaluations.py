"""Evaluations: the accuracy of runs on benchmarks, read from a table and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .columns import (
    BUDGET,
    EVALUATIONS,
    LETTERS,
    SPELLINGS,
    is_spelt,
    name_it,
    recognise,
    require,
    spelt_in,
)
from .metrics import benchmark_and_metric, is_accuracy, passes
from .rows import Rows, View, doubts, names_in_conditions, repeated
from .sample import Points, Sample
from .table import Table, table_of
from .where import holds

if TYPE_CHECKING:
    import pandas as pd

#: Relative difference within which two rows agree on a number of their run: that of printed digits.
AGREEMENT = 1e-6
#: Columns that name a model, at one or at many points of its training.
MODELS = r"(model|checkpoint)(name|id)?|name|ckpt"


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
    extra : dict of str to ndarray, (M,)
        The other columns that belong to the run, None or NaN where a cell is empty.
    columns : dict of str to str
        Quantity -> column of the source that held it.
    row, source, n_rows, left_out, dropped, warnings
        See `View`; ``row`` is the first one of each run, (M,).
    """

    aligned = ("run", *BUDGET, "scores", "proxies", "extra", "row")

    run: Any
    params: Any = None
    tokens: Any = None
    compute: Any = None
    scores: dict[str, Any]
    metric_types: dict[str, str | None] = field(default_factory=dict)
    proxies: dict[str, Any] = field(default_factory=dict)
    table_baselines: dict[str, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)

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
            (``run``, ...; without it rows of one model, params, tokens and compute are one run); or
            a row for each run, with columns such as ``acc_hellaswag``, ``arc_easy_acc_norm`` and
            ``loss_c4``. Evaluations are returned as they are.
        columns : mapping, optional
            Quantity (run, benchmark, metric_type, score, random_baseline, params, tokens,
            compute) -> column or expression; None: there is none. In a table with a row for each
            run any other name is that of a benchmark. Others are recognised by name.
        where : str, optional
            Condition on a row, as in ``"benchmark == 'lbpp' and score < 1"``; see
            :mod:`isoflop.numeric.data.where`.

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
            return data._unread(columns=columns, where=where)
        return _read(data, columns, where)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The keys of accuracy, but for pass@k with k > 1."""
        return tuple(key for key in self.scores if (self._k(key) or 1) == 1)

    def family(self, benchmark: str) -> dict[int, str]:
        """k -> key of the pass@k of a benchmark, in order of k; empty where there is none."""
        name = self.benchmark_of(benchmark) if self._k(benchmark) == 1 else benchmark
        keys = [key for key in self.scores if self.benchmark_of(key) == name]
        return dict(sorted((k, key) for key in keys if (k := self._k(key))))

    def benchmark_of(self, key: str) -> str:
        """The benchmark of a key or proxy."""
        return key.removesuffix(f" {self.metric_types.get(key)}")

    def _k(self, key: str) -> int | None:
        return passes(self.metric_types.get(key))

    def only(self, benchmarks: Sequence[str]) -> Evaluations:
        """The same with these benchmarks alone, each with its pass@k, in this order."""
        families = {name: self.family(name).values() for name in benchmarks}
        for name in [name for name, family in families.items() if not family]:
            self.require(name)
        keys = dict.fromkeys(key for name in families for key in (name, *families[name]))
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
        """The runs at a boolean mask or at indices, each at most once."""
        return self._at(index)

    def held_out(self, sample: Sample, condition: str) -> Any:
        """Which runs of a sample satisfy a condition, (n,); it may be on ``k`` as well. An error where
        it names a column that is empty at one: such a run is neither held out nor not.
        """
        named = {name: values[sample.index] for name, values in self.named().items()}
        named |= {} if sample.at.k is None else {"k": sample.at.k}
        return holds(condition, named, self.source, "hold_out", everywhere=True)

    def sample(self, benchmark: str, baseline: float) -> Sample:
        """A benchmark, a key of ``scores``, at the runs that have a score; `baseline`: accuracy of
        guessing, in [0, 1).
        """
        self.require(benchmark)
        return self._sample(benchmark, baseline, {0: benchmark})

    def pairs(self, benchmark: str, baseline: float = 0.0) -> Sample:
        """pass@k of a benchmark at every run and k that was evaluated, by k and then by run."""
        keys = self.family(benchmark)
        if not keys:
            self.require(benchmark)
            metric = self.metric_types.get(benchmark) or "a score without a metric"
            complaint = f"has no pass@k in {self.source}, but {metric}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        return self._sample(benchmark, baseline, keys)

    def _sample(self, benchmark: str, baseline: float, keys: Mapping[int, str]) -> Sample:
        """The scores under some keys, by k; k is 0 where it plays no part."""
        scores, budget = np.array([self.scores[key] for key in keys.values()]), self._budget()
        place, index = np.nonzero(~np.isnan(scores))
        if not len(index) or not budget:
            what = "params, tokens or compute" if len(index) else "score"
            complaint = f"no run of {self.source} has a {what}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        k = np.array([*keys], dtype=float)[place]
        at = {name: values[index] for name, values in budget.items()} | (
            {"k": k} if k.any() else {}
        )
        held: dict[str, Any] = {"at": Points(**at), "index": index, "baseline": baseline}
        return Sample(benchmark=benchmark, accuracy=scores[place, index], **held)

    def proxy(self, name: str) -> Any:
        """A proxy, or any other column of numbers, by its name, (M,)."""
        numeric = {key: v for key, v in self.extra.items() if v.dtype.kind in "iuf"}
        held = {**self.scores, **numeric, **self.proxies}
        if name not in held:
            every = (*self.proxies, *numeric)
            complaint = f"{self.source} has no such column{close_matches(name, every)}; "
            complaint += f"it has {listed(every) or 'no numbers beside its scores'}"
            raise ArgumentError("proxy", name, complaint=complaint)
        return np.asarray(held[name], dtype=np.float64)

    def _budget(self) -> dict[str, Any]:
        return {name: values for name in BUDGET if (values := getattr(self, name)) is not None}

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        others = {"run": self.run, **self.scores, **self.proxies, **self.extra}
        return names_in_conditions(self._budget(), others, self.columns)


def _read(data: Any, columns: Mapping[str, str | None] | None, where: str | None) -> Evaluations:
    """See `Evaluations.read`."""
    given = dict(columns or {})
    table, of, benchmarks = recognise(table_of(data), EVALUATIONS, given, None)
    is_long = bool(given.get("benchmark")) or {"benchmark", "score"} <= of.keys()
    if is_long:
        require(table, of, "score")
        for name in [*benchmarks][:1]:
            complaint = f"{name!r} is no quantity of a table with a row for each score"
            raise ArgumentError("columns", {name: benchmarks[name]}, complaint=complaint)
        meant: dict[str, tuple[str, str | None]] = {of["score"]: ("", None)}
    else:
        of = {name: of[name] for name in of if name in (*given, "run", *BUDGET)}
        meant = _measured(table, of, benchmarks)
    rows = Rows(table, of)
    rows.read([name for name in BUDGET if name in of], BUDGET)
    rows.drop_empty(*(name for name in ("run", "benchmark", "metric_type") if name in of))
    scored = {name: table.numbers(name) for name in meant}
    missing = np.all([np.isnan(values) for values in scored.values()], axis=0)
    rows.drop("score is missing" if is_long else "every score is missing", missing)
    rows.select(where, "is of use", {name: scored[column] for column, (name, _) in meant.items()})
    index, first, names, extra = _runs(rows, {*meant} - {*of.values()}, is_long)
    scores = _scores(rows, scored, meant, is_long).assign(run=lambda held: index[held["row"]])
    _check(rows, scores, names)
    budget = {name: rows.numbers[name][first] for name in BUDGET if name in rows.numbers}
    kinds = scores.drop_duplicates("key").set_index("key")
    values = scores.pivot(index="run", columns="key", values="value")
    held = {key: values[key].to_numpy() for key in kinds.index}
    return Evaluations(
        run=names,
        **budget,
        scores={key: held[key] for key in kinds.index[kinds["is_accuracy"]]},
        proxies={key: held[key] for key in kinds.index[~kinds["is_accuracy"]]},
        metric_types=kinds["metric"].to_dict(),
        table_baselines=_baselines(rows, scores),
        extra={name: table.columns[name][first] for name in extra},
        row=first + 1,
        columns=of,
        **rows.origin(*doubts(budget, of)),
    )


def _measured(
    table: Table, of: Mapping[str, str], benchmarks: Mapping[str, str | None]
) -> dict[str, tuple[str, str | None]]:
    """Column -> benchmark and metric, in a table with a row for each run."""
    parts = {name: benchmark_and_metric(name) or ("", None) for name in table.names}
    found: dict[str, tuple[str, str | None]] = {}
    for benchmark, column in benchmarks.items():
        if column is not None:
            metric = parts.get(column, ("", None))[1]
            found[column] = benchmark, metric if is_accuracy(metric) else None
    aside = {*benchmarks, *found, *of.values()}
    for column in [name for name in table.names if name not in aside]:
        benchmark, metric = parts[column]
        if is_spelt(column, SPELLINGS["loss"]):
            found[column] = column, "loss"
        elif benchmark and benchmark not in benchmarks:
            found[column] = benchmark, metric
    if not any(is_accuracy(metric) for _, metric in found.values()):
        which = f"the columns are {listed(table.names)}; {name_it('hellaswag')}"
        raise TableError(table.source, f"no column of accuracy, such as acc_hellaswag; {which}")
    return found


def _runs(rows: Rows, scores: set[str], is_long: bool) -> tuple[Any, Any, Any, list[str]]:
    """The run of each row, the first row of each run, its name, and the columns of runs.

    Rows of one run have the same name in the column `run`. Without one, they have the same model,
    params, tokens and compute where a row is a score; else each row is a run.
    """
    import pandas as pd

    table, of, at = rows.table, rows.of, rows.rows
    free = [name for name in table.names if name not in {*scores, *of.values()}]
    naming = [of["run"]] if "run" in of else [name for name in free if is_spelt(name, MODELS)]
    by = naming if "run" in of else [*naming, *(of[name] for name in BUDGET if name in of)]
    if is_long and not by:
        raise rows.error(f"no column tells which run a score is of; {name_it('run')}")
    index = np.full(len(table.frame), -1)
    index[at] = rows.grouped(by)[0] if is_long or "run" in of else range(len(at))
    first = at[np.unique(index[at], return_index=True)[1]]
    names = _names(rows, first, naming)
    for name in [name for name in BUDGET if name in rows.numbers]:
        values = pd.Series(rows.numbers[name][at]).groupby(index[at])
        for run in np.flatnonzero(values.max() / values.min() - 1.0 > AGREEMENT)[:1]:
            span = f"{values.min()[run]:.10g} to {values.max()[run]:.10g}"
            raise rows.error(f"run {names[run]!r} has {name} from {span}; must be one number")
    texts = pd.DataFrame({name: table.texts(name) for name in free}, range(len(table.frame)))
    different = texts.iloc[at].groupby(index[at]).nunique().max() > 1
    varying = [*different.index[different]]
    if varying:
        rows.warnings.append(f"set aside, as they vary within a run: columns {listed(varying)}")
    extra = [name for name in (*free, *naming) if name not in (*varying, "run")]
    return index, first, names, [*dict.fromkeys(extra)]


def _names(rows: Rows, first: Any, naming: Sequence[str]) -> Any:
    """A name for each run: that in the table, with its size where it is not alone, else its row."""
    letters = [letter for letter, name in LETTERS.items() if name in rows.numbers][:2]
    sizes = {letter: rows.numbers[LETTERS[letter]][first] for letter in letters}
    own = [rows.table.texts(name)[first] for name in naming]
    more = [[f"{letter}={x:.4g}" for x in values] for letter, values in sizes.items()]
    for parts in (own[:1], own, [*own, *more]):
        names = [" ".join(filter(None, some)) for some in zip(*parts, strict=True)]
        if len({*names}) == len(first) and all(names):
            return np.array(names, dtype=object)
    return np.array([f"row {row + 1}" for row in first], dtype=object)


def _scores(
    rows: Rows,
    scored: Mapping[str, Any],
    meant: Mapping[str, tuple[str, str | None]],
    is_long: bool,
) -> pd.DataFrame:
    """A row for each score: the row of the table, column, benchmark, metric, value, whether it is an
    accuracy, and what the benchmark by that metric is called.
    """
    import pandas as pd

    table, of, at = rows.table, rows.of, rows.rows
    scores = pd.DataFrame(scored).iloc[at].assign(row=at).melt("row", var_name="column")
    scores = scores.dropna(subset="value")
    pairs = [meant[column] for column in scores["column"]]
    if is_long:
        none = [None] * len(table.frame)
        metrics = table.texts(of["metric_type"]) if "metric_type" in of else none
        names = table.texts(of["benchmark"])
        pairs = [(names[row], metrics[row]) for row in scores["row"]]
    for row, (_, metric) in zip(scores["row"], pairs, strict=True):
        if is_accuracy(metric) is None:
            out = f'--where "{spelt_in(of["metric_type"])} != {metric!r}"'
            complaint = f"metric {metric!r} is not known: leave it out by {out}"
            raise rows.error(complaint, row, column=of["metric_type"])
    pairs = [(name, f"pass@{k}" if (k := passes(metric)) else metric) for name, metric in pairs]
    each = {name: {metric for other, metric in {*pairs} if other == name} for name, _ in {*pairs}}
    return scores.assign(
        metric=pd.Series([metric for _, metric in pairs], scores.index, dtype=object),
        is_accuracy=[bool(is_accuracy(metric)) for _, metric in pairs],
        key=[_key(name, metric, each[name]) for name, metric in pairs],
    )


def _key(benchmark: str, metric: str | None, metrics: Collection[str | None]) -> str:
    """What a benchmark by a metric is called: the metric is named where it must be."""
    rivals = [each for each in metrics if is_accuracy(each) and (passes(each) or 1) == 1]
    is_alone = len(rivals if is_accuracy(metric) else metrics) == 1
    return benchmark if is_alone and (passes(metric) or 1) == 1 else f"{benchmark} {metric}"


def _check(rows: Rows, scores: pd.DataFrame, names: Any) -> None:
    """A run has one score of each key, accuracies are shares, and others are finite."""
    if twice := repeated(scores, ["run", "key"]):
        one = scores[scores["row"] == twice[0]].iloc[0]
        cure = f"take one by where= (--where), or say what tells runs apart; {name_it('run')}"
        what = f"{one['key']} of {names[one['run']]!r}"
        raise rows.error(f"hold two scores of the same run, {what}: {cure}", *twice)
    known = scores[scores["is_accuracy"]]
    if known.empty:
        metrics = listed(sorted({*scores["metric"]}))
        raise TableError(rows.table.source, f"no score is an accuracy; its metrics are {metrics}")
    for score in known[~known["value"].between(0.0, 1.0)].head(1).itertuples():
        name = "score" if "score" in rows.of else score.key
        cure = f"of percent say --column {name}='{spelt_in(score.column)}/100'"
        what = f"{score.key}: accuracy={score.value:.16g} must be a number from 0 to 1; {cure}"
        raise rows.error(what, score.row, column=score.column)
    for score in scores[~np.isfinite(scores["value"])].head(1).itertuples():
        what = f"{score.key}={score.value!r} must be finite"
        raise rows.error(what, score.row, column=score.column)


def _baselines(rows: Rows, scores: pd.DataFrame) -> dict[str, float]:
    """Key -> accuracy of guessing, one number in [0, 1), where the table has a column of it."""
    if (column := rows.of.get("random_baseline")) is None:
        return {}
    held = scores.assign(guess=rows.table.numbers(column)[scores["row"]])[scores["is_accuracy"]]
    held = held[["key", "guess"]].dropna().drop_duplicates()
    for key in held[held.duplicated("key") | ~held["guess"].between(0, 1, "left")]["key"][:1]:
        what = f"{key}: random_baseline must be one number of at least 0 and below 1"
        raise rows.error(what, column=column)
    return dict(held.itertuples(index=False))
