"""What a table holds, as its columns say: counts, estimates of pass@k, evaluations, or runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .columns import (
    COUNTS,
    EVALUATIONS,
    OUTCOME,
    PASS_AT_K,
    RUNS,
    Quantity,
    quantity_named,
    recognise,
)
from .metrics import benchmark_and_metric, is_benchmark, metric_of
from .table import Table

__all__ = ["kind_of"]


def kind_of(table: Table, columns: Mapping[str, str | None] | None = None) -> str | None:
    """ "counts", "pass@k", "evaluations" or "runs"; None where the columns tell none of these.

    Parameters
    ----------
    table : Table
    columns : mapping, optional
        Quantity -> column, as far as the user says.
    """

    def has(quantities: Sequence[Quantity], *names: str) -> bool:
        chosen = {quantity_named(key, quantities): name for key, name in (columns or {}).items()}
        here = {str(quantity): name for quantity, name in chosen.items() if quantity is not None}
        known = recognise(table.source, table.names, quantities, here, table.empty())
        return known.of.keys() | known.unsettled.keys() >= {*names}

    if has(COUNTS, "n_samples", "n_correct"):
        return "counts"
    if has(PASS_AT_K, "k", "pass_at_k"):
        return "pass@k"
    if has(EVALUATIONS, "benchmark", "score"):
        return "evaluations"
    if any(has(RUNS, outcome) for outcome in OUTCOME):
        return "runs"
    return "evaluations" if any(map(_is_accuracy, table.names)) else None


def _is_accuracy(column: str) -> bool:
    """Whether a column is called as the accuracy on a benchmark is."""
    parts = benchmark_and_metric(column, {})
    metric = metric_of(parts[1], {}) if parts else None
    return is_benchmark(column) or (metric is not None and metric.is_accuracy)
