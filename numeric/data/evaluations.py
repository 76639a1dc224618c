"""Evaluations: the accuracy of runs on benchmarks, read from a table and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .columns import BUDGET
from .metrics import passes
from .rows import View, chosen_rows, names_in_conditions
from .sample import Points, Sample
from .scale import checked_baseline
from .scores import read_evaluations
from .table import table_of
from .where import holds

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
    columns : dict of str to str
        Quantity, key or proxy -> column of the source that held it.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two by C = 6ND.
    row, source, n_rows, left_out, dropped, warnings
        Where the evaluations come from, see `View`; ``row`` is the first one of each run, (M,).
    """

    aligned = ("run", *BUDGET, "scores", "proxies", "extra", "row")

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
    columns: dict[str, str] = field(default_factory=dict)
    derived: str | None = None

    # -- reading -----------------------------------------------------------------------------------

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
            (``metric_type``, ``metric``, ...) and the accuracy of guessing (``random_baseline``,
            ...); or a row for each run, with columns such as ``acc_hellaswag``,
            ``arc_easy_acc_norm`` and ``loss_c4``. CSV, JSON, JSON lines; Parquet with pyarrow.
            Evaluations are returned as they are, but for ``where``.
        columns : mapping, optional
            Quantity (run, benchmark, metric_type, score, random_baseline, params, tokens,
            compute) -> column or expression; None: there is none. In a table with a row for each
            run any other name is that of a benchmark. Others are recognised by name.
        where : str, optional
            Condition on a row, as in ``"benchmark == 'lbpp' and score < 1"``; see
            :mod:`isoflop.numeric.data.where`.

        Returns
        -------
        Evaluations
            Rows of one score belong to the same run where their column ``run`` (``run_id``, ...) is
            equal; where there is none, where model, params, tokens and compute are.

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
            return data._read_again(where, columns=columns)
        return cls(**read_evaluations(table_of(data), columns, where))

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
        keys: dict[str, None] = {}
        for name in benchmarks:
            family = tuple(self.family(name).values())
            if not family:
                self.require(name)
            keys |= dict.fromkeys(key for key in (name, *family) if key in self.scores)
        baselines = {key: v for key, v in self.table_baselines.items() if key in keys}
        scores = {key: self.scores[key] for key in keys}
        return replace(self, scores=scores, table_baselines=baselines)

    def require(self, benchmark: str, argument: str = "benchmark") -> None:
        """Raise where there is no such key of ``scores``; `argument`: where the name is from."""
        if benchmark in self.scores:
            return
        keys = [key for key in self.scores if self.benchmark_of(key) == benchmark]
        there = f"there are {listed(self.benchmarks or self.scores)}"
        complaint = f"has no such benchmark{close_matches(benchmark, self.scores)}; {there}"
        if keys:
            complaint = f"has it as {listed(keys)}; name one of these"
        raise ArgumentError(argument, benchmark, complaint=f"{self.source} {complaint}")

    def subset(self, index: Any) -> Evaluations:
        """The runs at a boolean mask or at indices, each at most once."""
        chosen = self._at(chosen_rows(index, len(self)))
        if len({*chosen.run}) < len(chosen):
            raise ArgumentError("index", complaint="a run is there twice; must be different")
        return chosen

    def held_out(self, sample: Sample, condition: str) -> Mask:
        """Which runs of a sample satisfy a condition, (n,); it may be on ``k`` as well.

        Raises
        ------
        ValueError
            Where it cannot be read, or names a column that is empty at a run of the sample: such a
            run is neither held out nor not.
        """
        at = np.arange(len(self)) if sample.index is None else sample.index
        named = {name: values[at] for name, values in self.named().items()}
        if sample.at.k is not None:
            named["k"] = sample.at.k
        mask: Mask = holds(condition, named, self.source, "hold_out", everywhere=True)
        return mask

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
        beside = np.zeros(len(self)) if proxy is None else self.proxy(proxy)
        at = np.flatnonzero(~np.isnan(self.scores[benchmark] + beside))
        more = {} if proxy is None else {"proxy": beside[at]}
        return self._sample(benchmark, baseline, self.scores[benchmark][at], at, **more)

    def pairs(self, benchmark: str, baseline: float = 0.0) -> Sample:
        """pass@k of a benchmark at every run and k that was evaluated, by k and then by run."""
        keys = self.family(benchmark)
        if not keys:
            self.require(benchmark)
            metric = self.metric_types.get(benchmark) or "a score without a metric"
            complaint = f"has no pass@k in {self.source}, but {metric}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        scores = np.array([self.scores[key] for key in keys.values()])
        place, index = np.nonzero(~np.isnan(scores))
        k = np.array([*keys], dtype=float)[place]
        return self._sample(benchmark, baseline, scores[place, index], index, k=k)

    def _sample(
        self, benchmark: str, baseline: float, accuracy: Any, at: Any, **more: Any
    ) -> Sample:
        if not len(at):
            what = " and proxy" if "proxy" in more else ""
            complaint = f"no run of {self.source} has a score{what}"
            raise ArgumentError("benchmark", benchmark, complaint=complaint)
        held = {name: values[at] for name, values in self._budget().items()}
        if not held and not more:
            what = "has no params, tokens or compute of the runs; a law needs some"
            raise TableError(self.source, what)
        chance = checked_baseline("baseline", baseline)
        points = Points(**held, **more)
        return Sample(benchmark=benchmark, accuracy=accuracy, baseline=chance, at=points, index=at)

    def proxy(self, name: str) -> Floats:
        """A proxy, or any other column of numbers, by its name or by that of its column, (M,)."""
        keys = {*self.proxies, *self.scores}
        columns = {column: key for key, column in self.columns.items() if key in keys}
        numeric = {key: values for key, values in self.extra.items() if values.dtype.kind in "iuf"}
        for held in (self.proxies, numeric, self.scores):
            for key in {name, columns.get(name, name)} & held.keys():
                return np.asarray(held[key], dtype=np.float64)
        every = (*self.proxies, *numeric)
        there = f"it has {listed(every) or 'no numbers beside its scores'}"
        complaint = f"{self.source} has no such column{close_matches(name, every)}; {there}"
        if name in self.extra:
            complaint = "the column holds text; must be numbers"
        raise ArgumentError("proxy", name, complaint=complaint)

    def _budget(self) -> dict[str, Any]:
        return {name: values for name in BUDGET if (values := getattr(self, name)) is not None}

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        others = {"run": self.run, **self.scores, **self.proxies}
        others |= {column: others[key] for key, column in self.columns.items() if key in others}
        budget = self._budget()
        own = {self.columns[name]: v for name, v in budget.items() if name in self.columns}
        return names_in_conditions(budget, {**others, **self.extra, **own})
