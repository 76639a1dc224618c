"""Training runs: their params, tokens, compute and loss, read from a table and checked, with every
rejected row named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import TableError
from ..words import counted
from .columns import BUDGET, RUNS, is_spelt, recognise, suggested
from .columns import require as require_columns
from .rows import FrameColumn, View, doubts, lost_rows, read_rows
from .table import table_of, texts

if TYPE_CHECKING:
    from pandas import DataFrame

#: The columns that name the run of which a row is a checkpoint.
RUN_NAME = r"(training)?runname|wandb(id|name|run|runid)"
GROUPED = "taken as its checkpoints; columns={'group': None} (--column group=) takes them singly"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Runs(View):
    """Training runs; read with :meth:`Runs.read`.

    Attributes
    ----------
    params, tokens, compute : ndarray of float64 or None
        N, D and C (FLOP); > 0. None where the table has no such column.
    loss : ndarray of float64
        L; > 0. If the metric is accuracy, y = -log((Q - Q_r)/(1 - Q_r)) of the accuracy Q, where Q_r
        is the accuracy of guessing, the `random_baseline`.
    group : ndarray of object or None
        What runs that are not independent draws have in common (seed, run id).
    metric : {"loss", "accuracy"}
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`.
    """

    metric: str = "loss"
    random_baseline: float | None = None

    params, tokens, compute = FrameColumn(), FrameColumn(), FrameColumn()
    loss, group = FrameColumn(), FrameColumn()

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
        """Read runs from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            CSV (comma, semicolon or tab), JSON, JSON lines, or Parquet where pandas has an engine
            for it. UTF-8. Runs are returned as they are.
        columns : mapping, optional
            Quantity (params, tokens, compute, loss, group) -> column, or expression such as
            ``tokens_B*1e9``, ``log(perplexity)`` or ``number(size)``, which reads 7B as 7e9; None:
            the table has none. The others are recognised by name: their own, a letter (N, D, C, L),
            or a usual spelling (``Model Size``, ``val_loss``, ``train/loss``). Numbers are taken as
            they stand: for a unit in a heading, as in ``params (B)``, the error gives the
            expression. Rows of one ``run_name`` at several tokens are one group.
        where : str, optional
            Condition on a row, as in ``"loss < 4.5 and source == 'train'"``; see
            :mod:`isoflop.numeric.data.where`.
        require : collection of str
            The quantities that every run must have besides a loss. Two of params, tokens and
            compute give the third: C = 6ND.
        names : collection of str
            Other names that `columns` may have: such a column is in ``extra`` under that name.

        Raises
        ------
        ValueError
            Where a required quantity has no column or several, or no row is usable. (A row whose
            cell is empty, or holds no number that is positive and finite, is in ``dropped``.)

        Examples
        --------
        >>> runs = Runs.read({"N": [1e8, 1e9, 1e9], "D": [2e9, 2e10, 4e10], "loss": [3.2, 2.6, None]})
        >>> len(runs), runs.compute.tolist(), str(runs.dropped[0])
        (2, [1.2e+18, 1.2e+20], 'row 3: loss is missing')
        """
        wanted = tuple(dict.fromkeys((*require, "loss")))
        if not isinstance(data, Runs):
            return _read(data, columns, where, wanted, names)
        for name in [name for name in wanted if getattr(data, name) is None]:
            complaint = f"the runs have no {name}; read them with require=({name!r}, ...)"
            raise TableError(data.source, complaint)
        return data.unread(columns=columns, where=where)

    @property
    def extra(self) -> dict[str, Any]:
        """The other columns as they are, with None or NaN for an empty cell."""
        return {
            name: self.frame[name].to_numpy() for name in self.frame if name not in RUNS.quantities
        }

    @property
    def derived(self) -> str | None:
        """The one of params, tokens and compute that was computed from the other two by C = 6ND."""
        computed = [x for x in BUDGET if x in self.frame and x not in self.columns]
        return computed[0] if computed and self.columns else None

    def require(self, n: int, for_what: str) -> None:
        """Raise a TableError where there are fewer than n runs."""
        if len(self) < n:
            lost = lost_rows(self.left_out, self.dropped)
            few = f"has {counted(len(self), 'usable run')}; must be at least {n} for {for_what}"
            raise TableError(self.source, f"{few} ({lost})" if lost else few)


def _read(
    data: Any,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    needed: Sequence[str],
    names: Collection[str],
) -> Runs:
    """Read runs; see `Runs.read`."""
    table, column_of = recognise(table_of(data), RUNS, columns, names)
    is_filled = len({*BUDGET} & column_of.keys()) >= 2
    require_columns(
        table, column_of, *(name for name in needed if not (name in BUDGET and is_filled))
    )
    view = read_rows(table, column_of, RUNS, (*needed, *BUDGET), where)
    frame, warnings = view.frame, [*view.warnings]
    if "group" not in {*(columns or {}), *column_of}:
        for name in _checkpoints(frame):
            column_of = {**column_of, "group": name}
            frame = frame.rename(columns={name: "group"})
            what = f"{counted(len(frame), 'row')} of {counted(frame.group.nunique(), 'run')}"
            warnings.append(f"{what} by {name!r}, of one size at several tokens: {GROUPED}")
    for name in [name for name in BUDGET if name not in column_of]:
        if "*1e" in (text := suggested(name, [x for x in frame if x not in RUNS.quantities])):
            warnings.append(f"no column is read as {name}; --column {name}={text!r} takes one")
    if "group" in column_of:
        labels = texts(frame["group"])
        if n := int((labels == "").sum()):
            what = f"group is missing in {counted(n, 'run')}"
            warnings.append(f"{what}, each a group of its own")
        alone = [f"row {row}" for row in frame.index]
        frame = frame.assign(group=labels.where(labels != "", alone))
    warnings += doubts(frame, column_of)
    column_of |= {name: str(x) for name, x in (columns or {}).items() if name in names}
    return Runs(**vars(replace(view, frame=frame, warnings=(*warnings,), columns=column_of)))


def _checkpoints(frame: DataFrame) -> list[str]:
    """The first column that names the runs of which the rows are checkpoints, in a list, empty where
    none does: rows with the same name have the same params, and some of them other tokens.
    """
    names = [name for name in frame if is_spelt(name, RUN_NAME)]
    for name in names if {"params", "tokens"} <= {*frame} else ():
        n = frame[["params", "tokens"]].groupby(texts(frame[name])).nunique()
        if "" not in n.index and (n["params"] == 1).all() and (n["tokens"] > 1).any():
            return [name]
    return []
