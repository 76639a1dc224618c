"""Evaluations: the accuracy of runs on benchmarks, read from a table and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed
from .columns import BUDGET
from .evaluations_reading import read_evaluations
from .metrics import checked_metrics, passes
from .rows import Dropped, View, chosen_rows, lost_rows, names_in_conditions
from .sample import Points, Sample
from .scale import checked_baseline
from .table import table_of
from .where import Where

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Evaluations"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluations(View):
    """Runs and their accuracy on benchmarks; read with :meth:`Evaluations.read`.

    The arrays cannot be written to. M runs. A *key* is a benchmark, or ``"benchmark metric"`` where
    it was scored by several metrics, or ``"benchmark pass@k"`` for k > 1.

    Attributes
    ----------
    run : ndarray of object, (M,)
        Different names.
    params, tokens, compute : ndarray of float64 or None, (M,)
        N, D and C (FLOP); > 0. Two give the third by C = 6ND. None where the table does not tell.
    scores : dict of str to ndarray of float64, (M,)
        Key -> raw accuracy in [0, 1]; NaN where the run was not evaluated.
    metric_types : dict of str to str or None
        Key or proxy -> its metric, as in the source.
    benchmark_names : dict of str to str
        Key or proxy -> its benchmark, where that is not the key itself.
    proxies : dict of str to ndarray of float64, (M,)
        Losses and other metrics that are no accuracy; NaN where a run has none.
    table_baselines : dict of str to float
        Key -> accuracy of guessing, in [0, 1), where the table has it.
    extra : dict of str to ndarray, (M,)
        The other columns that belong to the run, None or NaN where a cell is empty.
    row : ndarray of int64, (M,)
        Number of the run's first row in the source; the first row of data is 1.
    source : str
        Where the evaluations come from, as messages say it.
    columns : dict of str to str
        Quantity, key or proxy -> column of the source that held it.
    told_apart_by : tuple of str
        The columns by which rows belong to the same run; empty where every row is a run.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two by C = 6ND.
    n_rows, left_out : int
        Rows in the source, and those of them that did not satisfy ``where``.
    dropped : tuple of Dropped
        Rows that are of no use, each with its reason.
    warnings : tuple of str
    """

    run: Any
    params: Any = None
    tokens: Any = None
    compute: Any = None
    scores: dict[str, Any]
    metric_types: dict[str, str | None] = field(default_factory=dict)
    benchmark_names: dict[str, str] = field(default_factory=dict)
    proxies: dict[str, Any] = field(default_factory=dict)
    table_baselines: dict[str, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    row: Any = None
    source: str = "data"
    columns: dict[str, str] = field(default_factory=dict)
    told_apart_by: tuple[str, ...] = ()
    derived: str | None = None
    n_rows: int = 0
    left_out: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = np.empty(len(self.run), dtype=object)
        names[:] = list(self.run)
        rows = (
            np.arange(1, len(names) + 1)
            if self.row is None
            else np.asarray(self.row, dtype=np.int64)
        )
        parts: dict[str, Any] = {"run": names, "row": rows}
        parts |= {
            name: np.asarray(values, dtype=np.float64) for name, values in self._budget().items()
        }
        for name in ("scores", "proxies"):
            parts[name] = {
                key: np.asarray(values, dtype=np.float64)
                for key, values in getattr(self, name).items()
            }
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        super().__post_init__()
        self._check()

    def _check(self) -> None:
        held = {"row": self.row, **self._budget(), **self.scores, **self.proxies, **self.extra}
        for name, values in held.items():
            if len(values) != len(self):
                raise ValueError(
                    f"{name}: has {len(values)} entries, run has {len(self)}; must be as many"
                )
        if len(set(self.run.tolist())) < len(self):
            names = self.run.tolist()
            raise ValueError(
                f"run: {next(n for n in names if names.count(n) > 1)!r} is there twice; must be "
                f"different names"
            )
        for key, values in self.scores.items():
            bad = np.flatnonzero(~(np.isnan(values) | ((values >= 0.0) & (values <= 1.0))))
            if len(bad):
                cell = f"run {self.run[bad[0]]!r}, {key}: accuracy={float(values[bad[0]])!r}"
                raise ValueError(f"{self.source}, {cell} must be a number from 0 to 1")

    # -- reading -----------------------------------------------------------------------------------

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        percent: bool = False,
        metrics: Mapping[str, str] | None = None,
    ) -> Evaluations:
        """Evaluations from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            Either a row for each score, with columns for the benchmark (``benchmark``, ``task``,
            ...), the score (``score``, ``accuracy``, ...) and, if there are, the metric
            (``metric_type``, ``metric``, ...), the accuracy of guessing (``random_baseline``, ...)
            and k of pass@k (``k``); or a row for each run, with columns such as ``acc_hellaswag``,
            ``arc_easy_acc_norm`` and ``loss_c4``. CSV, JSON, JSON lines; Parquet with pyarrow.
            Evaluations are returned as they are, but for ``where``.
        columns : mapping, optional
            Quantity (run, benchmark, metric_type, score, random_baseline, k, params, tokens,
            compute) -> column; None: there is none. In a table with a row for each run any other
            name is that of a benchmark. Others are recognised by name.
        where : str, optional
            Condition on a row, as in ``"benchmark == 'lbpp' and score < 1"``; see
            :mod:`isoflop.numeric.data.where`.
        percent : bool
            Whether accuracy (and the accuracy of guessing, in the table) is in percent.
        metrics : mapping, optional
            Metric type -> ``"accuracy"`` or ``"proxy"``, for those that are not known by name
            (``f1``, ``mc2``, ...).

        Returns
        -------
        Evaluations
            Rows of one score belong to the same run where their column ``run`` (``run_id``, ...) is
            equal; where there is none, where model, params, tokens, compute and all other columns
            are equal that do not vary with the benchmark.

        Raises
        ------
        ValueError
            Naming file, row, column and value: where the table cannot be read or lacks a column, an
            accuracy is outside [0, 1] or looks like percent, a metric is unknown, a run has two
            scores of the same benchmark and metric, or nothing is left.

        Examples
        --------
        >>> rows = {"N": [1e8, 1e9], "D": [2e9, 2e10], "acc_piqa": [0.6, 0.7], "loss_c4": [3.3, 2.7]}
        >>> runs = Evaluations.read(rows)
        >>> runs.benchmarks, runs.compute.tolist(), runs.proxies["c4"].tolist()
        (('piqa',), [1.2e+18, 1.2e+20], [3.3, 2.7])
        """
        if isinstance(data, Evaluations):
            for name, given in (
                ("columns", columns),
                ("percent", percent or None),
                ("metrics", metrics),
            ):
                if given is not None:
                    complaint = "these are Evaluations already, not a table to be read"
                    raise ArgumentError(name, given, complaint=complaint)
            return data if where is None else data._filtered(where)
        if not isinstance(percent, bool):
            raise ArgumentError("percent", percent, "True or False")
        settled, condition = checked_metrics(metrics), None if where is None else Where.parse(where)
        return cls(**read_evaluations(table_of(data), columns, condition, percent, settled))

    def _filtered(self, where: str) -> Evaluations:
        mask = self.mask(where)
        if not mask.any():
            complaint = f"leaves none of {counted(len(self), 'run')} of {self.source}"
            raise ArgumentError("where", where, complaint=complaint)
        return replace(self.subset(mask), left_out=self.left_out + int(np.count_nonzero(~mask)))

    # -- use ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.run)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The keys of accuracy, but for pass@k with k > 1."""
        return tuple(key for key in self.scores if (self._k(key) or 1) == 1)

    def family(self, benchmark: str) -> dict[int, str]:
        """k -> key of the pass@k of a benchmark, in order of k; empty where there is none."""
        name = self.benchmark_of(benchmark) if self._k(benchmark) == 1 else benchmark
        keys = {
            k: key for key in self.scores if (k := self._k(key)) and self.benchmark_of(key) == name
        }
        return dict(sorted(keys.items()))

    def benchmark_of(self, key: str) -> str:
        """The benchmark of a key or proxy."""
        return self.benchmark_names.get(key, key)

    def _k(self, key: str) -> int | None:
        return passes(self.metric_types.get(key))

    def only(self, benchmarks: Sequence[str]) -> Evaluations:
        """The same with these benchmarks alone, each with its pass@k, in this order."""
        kept: dict[str, Any] = {}
        for name in benchmarks:
            if not self.family(name):
                self.require(name)
            kept |= {
                key: self.scores[key]
                for key in (name, *self.family(name).values())
                if key in self.scores
            }
        return replace(
            self,
            scores=kept,
            table_baselines={k: v for k, v in self.table_baselines.items() if k in kept},
        )

    def require(self, benchmark: str, argument: str = "benchmark") -> None:
        """Raise where there is no such key of ``scores``; `argument`: where the name is from."""
        if benchmark in self.scores:
            return
        keys = [*self.family(benchmark).values()] or [
            key for key in self.scores if self.benchmark_of(key) == benchmark
        ]
        if keys:
            complaint = f"{self.source} has it as {listed(keys)}; name one of these"
            raise ArgumentError(argument, benchmark, complaint=complaint)
        every = self.benchmarks or tuple(self.scores)
        what = f"{self.source} has no such benchmark{close_matches(benchmark, self.scores)}; there are {listed(every)}"
        raise ArgumentError(argument, benchmark, complaint=what)

    def subset(self, index: Any) -> Evaluations:
        """The runs at a boolean mask or at indices, each at most once."""
        chosen = chosen_rows(index, len(self))
        budget: dict[str, Any] = {name: values[chosen] for name, values in self._budget().items()}
        return replace(
            self,
            run=self.run[chosen],
            row=self.row[chosen],
            scores={key: values[chosen] for key, values in self.scores.items()},
            proxies={key: values[chosen] for key, values in self.proxies.items()},
            extra={key: values[chosen] for key, values in self.extra.items()},
            **budget,
        )

    def mask(self, condition: str, argument: str = "where") -> Mask:
        """Which runs satisfy a condition on any of the columns, (M,).

        A condition that hangs on an empty cell is not satisfied.
        """
        return np.asarray(
            Where.parse(condition, argument).evaluate(*self._named(), len(self), self.source).true
        )

    def held_out(self, sample: Sample, condition: str) -> Mask:
        """Which runs of a sample satisfy a condition, (n,); it may be on ``k`` as well.

        Raises
        ------
        ValueError
            Where it cannot be read, or hangs on an empty cell of a run of the sample: such a run is
            neither held out nor not.
        """
        at = np.arange(len(self)) if sample.index is None else sample.index
        bare, quoted = (
            {name: values[at] for name, values in part.items()} for part in self._named()
        )
        own = {} if sample.at.k is None else {"k": sample.at.k}
        truth = Where.parse(condition, "hold_out").evaluate(
            {**bare, **own}, {**quoted, **own}, len(sample), self.source
        )
        if truth.unknown.any():
            first = self.run[at[int(np.flatnonzero(truth.unknown)[0])]]
            n = int(np.count_nonzero(truth.unknown))
            what = f"hangs on an empty cell in {n} of {counted(len(sample), 'run')} (run {first!r})"
            domain = f"must be true or false for each run of {sample.benchmark}"
            raise ArgumentError("hold_out", condition, complaint=f"{what}; {domain}")
        return np.asarray(truth.true)

    def sample(self, benchmark: str, baseline: float, *, proxy: str | None = None) -> Sample:
        """A benchmark at the runs that have a score, and the proxy where one is asked for.

        Parameters
        ----------
        benchmark : str
            A key of ``scores``.
        baseline : float
            Accuracy of guessing, in [0, 1).
        proxy : str, optional
            A proxy, or any column of numbers.
        """
        self.require(benchmark)
        values = self.scores[benchmark]
        beside = None if proxy is None else self.proxy(proxy)
        has = ~np.isnan(values) if beside is None else ~np.isnan(values) & ~np.isnan(beside)
        if not has.any():
            what = f" and proxy {proxy!r}" if proxy is not None else ""
            complaint = f"no run of {self.source} has a score{what}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        at = np.flatnonzero(has)
        points = self._points(at, proxy=None if beside is None else beside[at])
        return Sample(
            benchmark=benchmark,
            accuracy=values[at],
            baseline=checked_baseline("baseline", baseline),
            at=points,
            index=at,
        )

    def pairs(self, benchmark: str, baseline: float = 0.0) -> Sample:
        """pass@k of a benchmark at every run and k that was evaluated, by k and then by run."""
        keys = self.family(benchmark)
        if not keys:
            self.require(benchmark)
            metric = self.metric_types.get(benchmark)
            complaint = (
                f"has no pass@k in {self.source}, but {metric or 'a score without a metric'}"
            )
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        at = {k: np.flatnonzero(~np.isnan(self.scores[key])) for k, key in keys.items()}
        index = np.concatenate(list(at.values()))
        if not len(index):
            complaint = f"no run of {self.source} has a score"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        accuracy = np.concatenate([self.scores[keys[k]][places] for k, places in at.items()])
        ks = np.concatenate([np.full(len(places), float(k)) for k, places in at.items()])
        points = self._points(index, k=ks)
        return Sample(
            benchmark=benchmark,
            accuracy=accuracy,
            baseline=checked_baseline("baseline", baseline),
            at=points,
            index=index,
        )

    def proxy(self, name: str) -> Floats:
        """A proxy, or any other column of numbers, by its name or by that of its column, (M,)."""
        columns = {
            column: key
            for key, column in self.columns.items()
            if key in self.proxies or key in self.scores
        }
        numeric = {key: values for key, values in self.extra.items() if values.dtype.kind in "iuf"}
        for held in (self.proxies, numeric, self.scores):
            for key in (name, columns.get(name, "")):
                if key in held:
                    return np.asarray(held[key], dtype=np.float64)
        if name in self.extra:
            raise ArgumentError("proxy", name, complaint="the column holds text; must be numbers")
        every = (*self.proxies, *numeric)
        there = (
            f"it has {listed(every)}"
            if every
            else "it has no losses or other numbers beside its scores"
        )
        complaint = f"{self.source} has no such column{close_matches(name, every)}; {there}"
        raise ArgumentError("proxy", name, complaint=complaint)

    def _points(self, at: Any, **more: Any) -> Points:
        held = {name: values[at] for name, values in self._budget().items()}
        if not held and all(values is None for values in more.values()):
            raise TableError(
                self.source, "has no params, tokens or compute of the runs; a law needs some"
            )
        return Points(**held, **more)

    def _budget(self) -> dict[str, Any]:
        return {name: values for name in BUDGET if (values := getattr(self, name)) is not None}

    def _named(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a plain name and what a name in backticks means in a condition."""
        others = {"run": self.run, **self.scores, **self.proxies}
        others |= {column: others[key] for key, column in self.columns.items() if key in others}
        budget = {name: column for name, column in self.columns.items() if name in BUDGET}
        return names_in_conditions(self._budget(), budget, {**others, **self.extra})

    # -- text --------------------------------------------------------------------------------------

    def to_table(self) -> dict[str, list[Any]]:
        """Columns of a table with a row for each score, as :meth:`read` takes it."""
        held = {**self._budget(), **self.extra}
        names = (
            "run",
            *held,
            "benchmark",
            "metric_type",
            "score",
            *(("random_baseline",) if self.table_baselines else ()),
        )
        rows: list[tuple[Any, ...]] = []
        for index in range(len(self)):
            own = (str(self.run[index]), *(_plain(values[index]) for values in held.values()))
            for key, values in (*self.scores.items(), *self.proxies.items()):
                if not np.isnan(values[index]):
                    metric = self.metric_types.get(key) or (
                        "accuracy" if key in self.scores else "loss"
                    )
                    base = (self.table_baselines.get(key),) if self.table_baselines else ()
                    rows.append((*own, self.benchmark_of(key), metric, float(values[index]), *base))
        return {
            name: list(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)
        }

    def summary(self) -> str:
        """How many runs there are, over what ranges, their benchmarks, and what was left out."""
        lines = [f"{counted(len(self), 'run')} from {self.source}"]
        if self.told_apart_by:
            lines[0] += f", told apart by {', '.join(self.told_apart_by)}"
        for name, values in self._budget().items():
            note = "  (from C = 6ND)" if name == self.derived else ""
            lines.append(f"  {name:<17}{values.min():>10.4g}  to {values.max():>10.4g}{note}")
        for key in self.benchmarks:
            known = self.scores[key][~np.isnan(self.scores[key])]
            metric = self.metric_types.get(key)
            more = [k for k in self.family(key) if k > 1]
            note = "".join(
                (
                    f"  {metric}" if metric else "",
                    f", also k = {', '.join(map(str, more))}" if more else "",
                )
            )
            if len(known):
                lines.append(
                    f"  {key:<24} {len(known):>4} runs  {known.min():>7.4f}  to "
                    f"{known.max():>7.4f}{note}"
                )
        if self.proxies:
            lines.append(f"  proxies: {listed(self.proxies)}")
        lines += lost_rows(self.left_out, self.dropped)
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Evaluations of {counted(len(self), 'run')} on {counted(len(self.benchmarks), 'benchmark')} from {self.source}>"


def _plain(cell: Any) -> Any:
    """A cell as Python has it; None where it is empty."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    return None if value is None or value != value else value
