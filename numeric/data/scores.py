"""The scores of a table by benchmark and metric, each checked: shares from 0 to 1, percent where it
was said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted, listed
from .metrics import Metric

__all__ = ["Cell", "Scores"]

#: How many benchmarks a warning names.
MOST_NAMED = 3
CURE = "; say percent=True (--percent) if the table holds percent"


@dataclass(frozen=True)
class Cell:
    """A score as it stands in the table."""

    run: int
    benchmark: str
    metric: Metric
    value: float
    row: int
    column: str
    baseline: float = float("nan")
    baseline_column: str = ""


class Scores:
    """The scores by key, checked."""

    def __init__(self, source: str, cells: list[Cell], percent: bool) -> None:
        self.source, self.percent, self.scale = source, percent, 100.0 if percent else 1.0
        self.n = 1 + max((cell.run for cell in cells), default=-1)
        self.warnings: list[str] = []
        metrics: dict[str, set[Metric]] = {}
        for cell in cells:
            metrics.setdefault(cell.benchmark, set()).add(cell.metric)
        self.key = {
            (name, metric): _key(name, metric, every)
            for name, every in metrics.items()
            for metric in every
        }
        self.cells: dict[str, list[Cell]] = {}
        for cell in cells:
            self.cells.setdefault(self.key[cell.benchmark, cell.metric], []).append(cell)
        self.metric = {key: held[0].metric for key, held in self.cells.items()}
        self.benchmark = {
            key: held[0].benchmark for key, held in self.cells.items() if held[0].benchmark != key
        }
        self.columns = {
            key: held[0].column
            for key, held in self.cells.items()
            if len({c.column for c in cells}) > 1
        }
        self._check_accuracies([cell for cell in cells if cell.metric.is_accuracy])
        self._check_proxies([cell for cell in cells if not cell.metric.is_accuracy])
        self.baselines = self._baselines()
        self._count_ones()

    def _error(self, cell: Cell, complaint: str, column: str = "") -> TableError:
        """What is wrong with a score, or with the accuracy of guessing beside it."""
        what = "" if cell.column == cell.benchmark else f"{self.key[cell.benchmark, cell.metric]}: "
        rows, at = (cell.row + 1,), column or cell.column
        return TableError(self.source, f"{what}{complaint}", rows=rows, column=at)

    def _check_accuracies(self, cells: list[Cell]) -> None:
        if not cells:
            metrics = listed(sorted({metric.name or "loss" for metric in self.metric.values()}))
            raise TableError(self.source, f"no score is an accuracy; its metrics are {metrics}")
        bad = [cell for cell in cells if not 0.0 <= cell.value <= self.scale]
        for cell in bad[:1]:
            others = f" ({counted(len(bad) - 1, 'more row')})" if len(bad) > 1 else ""
            domain = f"a number from 0 to {'100 (percent)' if self.percent else '1'}"
            cure = CURE if 1.0 < cell.value <= 100.0 and not self.percent else ""
            if cell.metric.name is None:
                cure += "; if it is no accuracy, say so in a column metric_type"
            value = f"accuracy={cell.value:.16g}"
            raise self._error(cell, f"{value} must be {domain}{others}{cure}")
        if not self.percent:
            return
        highest = max(cells, key=lambda cell: cell.value)
        if highest.value <= 1.0:
            where = f"(the highest is {highest.value:.6g}, row {highest.row + 1})"
            complaint = f"no accuracy of {self.source} is above 1 {where}: leave percent=True (--percent) out"
            raise ArgumentError("percent", True, complaint=complaint)
        highest_of = {
            key: max(cell.value for cell in held)
            for key, held in self.cells.items()
            if self.metric[key].is_accuracy
        }
        if low := [key for key, value in highest_of.items() if 0.0 < value <= 1.0]:
            what = f"no score of {_some(low)} is above 1 %: are these in percent as well?"
            self.warnings.append(what)

    def _check_proxies(self, cells: list[Cell]) -> None:
        for cell in cells:
            if not np.isfinite(cell.value):
                what = f"{cell.metric.name or 'loss'}={cell.value!r}"
                raise self._error(cell, f"{what} must be finite")

    def _baselines(self) -> dict[str, float]:
        """The accuracy of guessing that the table holds."""
        baselines: dict[str, float] = {}
        for key, cells in self.cells.items():
            given = [c for c in cells if c.metric.is_accuracy and not np.isnan(c.baseline)]
            for cell in given:
                self._check_baseline(cell)
                if cell.baseline != given[0].baseline:
                    values = f"{key}: random_baseline={given[0].baseline:g} and {cell.baseline:g}"
                    complaint = f"{values}; must be one number for a benchmark"
                    rows, column = (given[0].row + 1, cell.row + 1), cell.baseline_column
                    raise TableError(self.source, complaint, rows=rows, column=column)
                baselines[key] = cell.baseline / self.scale
        return baselines

    def _check_baseline(self, cell: Cell) -> None:
        complaint = ""
        if not 0.0 <= cell.baseline < self.scale:
            complaint = f"must be at least 0 and below {self.scale:g}"
            complaint += CURE if 1.0 < cell.baseline <= 100.0 and not self.percent else ""
        elif self.percent and 0.0 < cell.baseline < 1.0:
            complaint = "must be in percent as the scores are (percent=True), such as 25"
        if complaint:
            value = f"random_baseline={cell.baseline:.16g}"
            raise self._error(cell, f"{value} {complaint}", cell.baseline_column)

    def _count_ones(self) -> None:
        ones = {
            key: n
            for key, cells in self.cells.items()
            if self.metric[key].is_accuracy
            and (n := sum(cell.value == self.scale for cell in cells))
        }
        if ones:
            what = f"{counted(sum(ones.values()), 'score')} ({_some(ones)})"
            ends = "-log 1 = 0, and laws of -log accuracy leave them out"
            self.warnings.append(f"accuracy is exactly 1 in {what}: {ends}")

    def parts(self) -> dict[str, Any]:
        """The fields of `Evaluations` that are about scores."""
        arrays: dict[bool, dict[str, Any]] = {True: {}, False: {}}
        for key, cells in self.cells.items():
            is_accuracy = self.metric[key].is_accuracy
            values = np.full(self.n, np.nan)
            values[[cell.run for cell in cells]] = [cell.value for cell in cells]
            arrays[is_accuracy][key] = values / (self.scale if is_accuracy else 1.0)
        return {
            "scores": arrays[True],
            "proxies": arrays[False],
            "metric_types": {key: metric.name for key, metric in self.metric.items()},
            "benchmark_names": self.benchmark,
            "table_baselines": self.baselines,
        }


def _key(benchmark: str, metric: Metric, metrics: Iterable[Metric]) -> str:
    """What a benchmark by a metric is called: the metric is named where it must be."""
    if metric.k is not None and metric.k > 1:
        return f"{benchmark} {metric.name}"
    alike = [
        other
        for other in metrics
        if not metric.is_accuracy or (other.is_accuracy and (other.k or 1) == 1)
    ]
    return benchmark if len(alike) == 1 else f"{benchmark} {metric.name or 'accuracy'}"


def _some(names: Iterable[str]) -> str:
    every = list(names)
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
