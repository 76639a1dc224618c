"""Training runs: params, tokens, compute and loss of each, read from a table, checked, and every
row that is left out named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import counted
from .columns import BUDGET, RUNS, is_spelt, recognise, suggested
from .columns import require as require_columns
from .rows import Dropped, Rows, View, doubts, lost_rows, names_in_conditions
from .table import table_of

__all__ = ["Dropped", "Runs"]

#: Columns that name the run that a row is a checkpoint of.
RUN_NAME = r"(training)?runname|wandb(id|name|run|runid)"
GROUPED = "taken as its checkpoints; columns={'group': None} (--column group=) takes them singly"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Runs(View):
    """Training runs, one an element; read with :meth:`Runs.read`.

    Attributes
    ----------
    params, tokens, compute : ndarray of float64 or None
        N, D and C (FLOP); > 0. None where the table has none and none was required.
    loss : ndarray of float64
        L; > 0. Where the metric is accuracy, y = -log((Q - Q_r)/(1 - Q_r)) of accuracy Q and of the
        accuracy of guessing Q_r, the `random_baseline`.
    weight : ndarray of float64 or None
        Weight of each run in a fit; > 0. None where every run counts once.
    group : ndarray of object or None
        What runs have in common (seed, run id) where they are no independent draws.
    extra : dict of str to ndarray
        The other columns as they are, None or NaN where a cell is empty.
    metric : {"loss", "accuracy"}
    columns : dict of str to str
        Quantity -> column of the source that held it.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two by C = 6ND.
    row, source, n_rows, left_out, dropped, warnings
        See `View`.
    """

    aligned = ("loss", *BUDGET, "weight", "group", "row", "extra")

    params: Any
    tokens: Any
    compute: Any
    loss: Any
    weight: Any = None
    group: Any = None
    extra: dict[str, Any] = field(default_factory=dict)
    metric: str = "loss"
    random_baseline: float | None = None
    columns: dict[str, str] = field(default_factory=dict)
    derived: str | None = None

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        require: Collection[str] = ("params", "tokens", "loss"),
        names: Collection[str] = (),
    ) -> Runs:
        """Runs from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            CSV (comma, semicolon or tab), JSON, JSON lines, or Parquet where pandas has an engine
            for it. UTF-8. Runs are returned as they are.
        columns : mapping, optional
            Quantity (params, tokens, compute, loss, weight, group) -> column, or expression such as
            ``tokens_B*1e9`` or ``log(perplexity)``; None: the table has none. Others are recognised
            by name: their own, a letter (N, D, C, L), or a usual spelling (``Model Size``,
            ``val_loss``, ``train/loss``). Numbers are taken as they stand: for a unit in a heading,
            as in ``params (B)``, the error gives the expression. Rows of one ``run_name`` at
            several tokens are one group.
        where : str, optional
            Condition on a row, as in ``"loss < 4.5 and source == 'train'"``; see
            :mod:`isoflop.numeric.data.where`.
        require : collection of str
            What every run must have besides a loss. Of params, tokens and compute, two give the
            third: C = 6ND.
        names : collection of str
            What `columns` may name besides: such a column is then in ``extra`` under that name.

        Raises
        ------
        ValueError
            Naming file, row and column: where a required quantity has no column or several, or a
            cell holds no number. (A row with an empty cell, or a number that is not positive and
            finite, is in ``dropped``.)

        Examples
        --------
        >>> runs = Runs.read({"N": [1e8, 1e9, 1e9], "D": [2e9, 2e10, 4e10], "loss": [3.2, 2.6, None]})
        >>> len(runs), runs.compute.tolist(), str(runs.dropped[0])
        (2, [1.2e+18, 1.2e+20], 'row 3: loss is missing')
        """
        wanted = tuple(dict.fromkeys((*require, "loss")))
        if not isinstance(data, Runs):
            return _read(data, columns, where, wanted, names)
        for name in wanted:
            if getattr(data, name) is None:
                complaint = f"the runs have no {name}; read them with require=({name!r}, ...)"
                raise TableError(data.source, complaint)
        return data._unread(columns=columns, where=where)

    def subset(self, index: Any) -> Runs:
        """The runs at a boolean mask or at indices (with repetitions, as a bootstrap draws them)."""
        return self._at(np.asarray(index, dtype=None if np.size(index) else np.int64))

    def require(self, n: int, for_what: str) -> None:
        """Raise where there are fewer than n runs."""
        if len(self) < n:
            lost = lost_rows(self.left_out, self.dropped)
            few = f"has {counted(len(self), 'usable run')}; must be at least {n} for {for_what}"
            raise TableError(self.source, f"{few} ({lost})" if lost else few)

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        held = {name: getattr(self, name) for name in RUNS}
        known = {name: values for name, values in held.items() if values is not None}
        return names_in_conditions(known, self.extra, self.columns)


def _read(
    data: Any,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    needed: Sequence[str],
    names: Collection[str],
) -> Runs:
    """See `Runs.read`."""
    table, of, aliases = recognise(table_of(data), RUNS, columns, names)
    also = {name: table.frame[column] for name, column in aliases.items()}
    table = replace(table, frame=table.frame.assign(**also))
    is_filled = len({*BUDGET} & of.keys()) >= 2
    require_columns(table, of, *(name for name in needed if not (name in BUDGET and is_filled)))
    rows = Rows(table, of)
    derived = rows.read([name for name in of if name != "group"], (*needed, "weight"))
    rows.select(where, "is a usable run")
    numbers = {name: values[rows.rows] for name, values in rows.numbers.items()}
    for name in [name for name in BUDGET if name in numbers]:
        if n := int(np.sum(np.isnan(numbers[name]))):
            del numbers[name]
            derived = None if derived == name else derived
            what = f"{name} is missing in {counted(n, 'run')}"
            rows.warnings.append(f"{what}; it is not required, and left out for all")
    if "group" not in {*(columns or {}), *of} and (name := _checkpoints(rows)):
        of["group"] = name
    held: dict[str, Any] = dict.fromkeys(BUDGET) | numbers
    extra = {name: cells for name, cells in table.columns.items() if name not in of.values()}
    texts = {name: suggested(name, extra) for name in BUDGET if name not in of}
    unread = [
        f"no column is read as {name}; --column {name}={text!r} takes one"
        for name, text in texts.items()
        if "*1e" in text
    ]
    return Runs(
        **held,
        group=_groups(rows, of["group"]) if "group" in of else None,
        row=rows.rows + 1,
        extra={name: cells[rows.rows] for name, cells in extra.items()},
        columns=of | {name: str(column) for name, column in aliases.items()},
        derived=derived,
        **rows.origin(*unread, *doubts(numbers, of)),
    )


def _checkpoints(rows: Rows) -> str:
    """A column that names the run of which rows are checkpoints: of one name and size at several
    tokens. "" where there is none.
    """
    import pandas as pd

    held: dict[str, Any] = {n: rows.numbers[n] for n in BUDGET[:2] if n in rows.numbers}
    columns = [name for name in rows.table.names if is_spelt(name, RUN_NAME)]
    for name in columns if len(held) == 2 else ():
        frame = pd.DataFrame(held | {"run": rows.table.texts(name)}).iloc[rows.rows]
        n = frame.groupby("run").nunique()
        if "" not in n.index and (n["params"] == 1).all() and (n["tokens"] > 1).any():
            what = f"{counted(len(frame), 'row')} of {counted(len(n), 'run')} by {name!r}"
            rows.warnings.append(f"{what}, of one size at several tokens: {GROUPED}")
            return name
    return ""


def _groups(rows: Rows, column: str) -> Any:
    """Labels of groups; a run without one is a group of its own."""
    cells = rows.table.frame[column].iloc[rows.rows]
    if cells.dtype.kind == "f" and (cells.dropna() % 1 == 0).all():
        cells = cells.astype("Int64")  # seed 3, not 3.0
    missing = cells.isna().to_numpy()
    labels = cells.to_numpy(object, copy=True)
    labels[missing] = [f"row {row}" for row in cells.index[missing]]
    if missing.any():
        what = f"group is missing in {counted(int(missing.sum()), 'run')}"
        rows.warnings.append(f"{what}, each a group of its own")
    return labels
