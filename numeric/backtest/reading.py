"""What a backtest is given: counts or runs, told apart by their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.columns import name_it
from ..data.counts import Counts
from ..data.counts_reading import role
from ..data.kinds import kind_of
from ..data.runs import Runs
from ..data.table import table_of
from ..errors import TableError
from ..fit.objective import Objective
from ..passk.cautions import AUTO, cluster_of
from ..passk.laws import METHODS, Data, clusters, ks_of
from ..words import listed
from .counts import OfCounts
from .losses import OfRuns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .extrapolation import Subject

OF_COUNTS = ("n_samples", "n_correct")
POWERS = (1, 10, 100, 1000, 10_000)


def subject_of(
    data: Any,
    k: Sequence[int] | None,
    method: str | None,
    cluster: str | None,
    reading: Mapping[str, Any],
) -> Subject:
    """What a table holds: counts, or runs with a loss.

    Raises
    ------
    ValueError
        Where the table is neither, cannot be read, or an argument is for the other.
    """
    if kind_of_table(data, reading["columns"]) == "counts":
        return _counts(data, k, method, cluster, reading)
    if cluster not in (AUTO, None):
        raise ValueError(
            f"cluster={cluster!r}: is for counts of correct samples; runs are drawn together by "
            f"their group"
        )
    for name, value in (("k", k), *((name, reading[name]) for name in ("by", "models", "gold"))):
        if value is not None:
            raise ValueError(
                f"{name}={value!r}: is for counts of correct samples; these are runs with a loss"
            )
    chosen = Objective(name=method or "least-squares-log")
    given = {name: reading[name] for name in ("columns", "where", "random_baseline")}
    return OfRuns(Runs.read(data, **given, require=("loss",)), chosen)


def kind_of_table(data: Any, columns: Mapping[str, str | None] | None = None) -> str:
    """Whether a table holds "counts" (columns of samples and of correct ones), "evaluations"
    (benchmarks) or "runs" (a loss).

    Raises
    ------
    ValueError
        Where there is neither.
    """
    if isinstance(data, (Counts, Runs)):
        return "counts" if isinstance(data, Counts) else "runs"
    table = table_of(data)
    kind = kind_of(table, columns)
    if kind in (None, "pass@k"):
        which = f"the columns are {listed(table.names)}; {name_it('n_correct')}"
        neither = f"has neither counts of samples ({', '.join(OF_COUNTS)}) nor a loss of runs"
        raise TableError(table.source, f"{neither}; {which}")
    return str(kind)


def _counts(
    data: Any,
    k: Sequence[int] | None,
    method: str | None,
    cluster: str | None,
    reading: Mapping[str, Any],
) -> Subject:
    if reading["random_baseline"] is not None:
        raise ValueError(
            f"random_baseline={reading['random_baseline']!r}: is for runs with an accuracy; these "
            f"are counts"
        )
    if method not in (None, *METHODS):
        raise ValueError(f"method={method!r}: must be one of {', '.join(METHODS)} for counts")
    chosen = method or METHODS[0]
    counts = Counts.read(
        data, **{name: reading[name] for name in ("columns", "where", "by", "models", "gold")}
    )
    _one_benchmark(counts)
    clusters(counts, cluster_of(counts, cluster))
    ks = ks_of(counts, _powers(counts, chosen) if k is None else k, chosen)
    return OfCounts(Data(counts, ks), chosen, cluster)


def _powers(counts: Counts, method: str) -> list[int]:
    most = max(POWERS) if method == METHODS[0] else int(counts.n.min())
    return [k for k in POWERS if k <= most]


def _one_benchmark(counts: Counts) -> None:
    for index, name in enumerate(counts.by):
        found = dict.fromkeys(label[index] for label in counts.labels)
        if role(name) == "benchmark" and len(found) > 1:
            first = next(iter(found))
            raise ValueError(
                f"{counts.source}: has {len(found)} benchmarks ({listed(found)}); choose one with "
                f"where=\"{name} == '{first}'\""
            )
