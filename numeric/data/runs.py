"""Training runs: params, tokens, compute and loss of each, read from a table, checked, and every
row that is left out named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .budget import doubts, refuse_losses
from .columns import (
    BUDGET,
    OUTCOME,
    RUN_NAME,
    RUNS,
    Columns,
    chosen_columns,
    is_spelt,
    may_hold,
    recognise,
    suggested,
)
from .rows import Dropped, Rows, View, chosen_rows, lost_rows, names_in_conditions
from .scale import checked_baseline, neg_log_accuracy
from .table import Table, table_of

__all__ = ["Dropped", "Runs"]

GROUPED = "taken as its checkpoints; columns={'group': None} (--column group=) takes them singly"
QUANTITIES = (*BUDGET, "loss", "weight", "group")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Runs(View):
    """Training runs, one an element; read with :meth:`Runs.read`.

    The arrays cannot be written to.

    Attributes
    ----------
    params : ndarray of float64 or None
        Number of parameters N; > 0. None where the table has none and none was required.
    tokens : ndarray of float64 or None
        Number of training tokens D; > 0.
    compute : ndarray of float64 or None
        Training compute C; FLOP, > 0.
    loss : ndarray of float64
        Loss L; > 0. Where the metric is accuracy, y = -log((Q - Q_r)/(1 - Q_r)) of accuracy Q and
        random baseline Q_r.
    weight : ndarray of float64 or None
        Weight of each run in a fit; > 0. None where every run counts once.
    group : ndarray of object or None
        What runs have in common (seed, run id) where they are no independent draws.
    extra : dict of str to ndarray
        The other columns as they are, None or NaN where a cell is empty.
    metric : {"loss", "accuracy"}
    random_baseline : float or None
        Accuracy of guessing Q_r, where the metric is accuracy.
    columns : dict of str to str
        Quantity -> column of the source that held it.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two by C = 6ND.
    row, source, n_rows, left_out, dropped, warnings
        Where the runs come from, see `View`: ``dropped`` holds the rows that are no usable runs.
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

    # -- reading -----------------------------------------------------------------------------------

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        require: Collection[str] = ("params", "tokens", "loss"),
        random_baseline: float | None = None,
        names: Collection[str] = (),
    ) -> Runs:
        """Runs from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            CSV (comma, semicolon or tab), JSON, JSON lines, or Parquet where pandas has an engine
            for it. UTF-8. Runs are returned as they are, but for ``where``.
        columns : mapping, optional
            Quantity (params, tokens, compute, loss, accuracy, weight, group) -> column as in the
            source, or an expression on columns such as ``tokens_B*1e9`` or ``log(perplexity)``;
            None says that the table has no column for it. Other quantities are recognised by name:
            their own, a letter (N, D, C, L), or a usual spelling (``Model Size``, ``flops``,
            ``val_loss``, ``train/loss``), without regard to case, spaces and underscores; an empty
            column after every filled one. Numbers are taken as they stand: for a unit in a heading,
            as in ``params (B)``, the error gives the expression. Rows of one ``run_name`` at
            several tokens are one group.
        where : str, optional
            Condition on a row, as in ``"loss < 4.5 and source == 'train'"``; other columns in
            backticks. See :mod:`isoflop.numeric.data.where`.
        require : collection of str
            The quantities that every run must have. Of params, tokens and compute, two give the
            third: C = 6ND.
        random_baseline : float, optional
            Accuracy of guessing, in [0, 1); by default 0. Only for accuracy.
        names : collection of str
            What `columns` may name besides the quantities: each such column is then in ``extra``
            under that name as well.

        Returns
        -------
        Runs
            Rows that are no usable run (an empty cell, a number that is not positive and finite)
            are in ``dropped``.

        Raises
        ------
        ValueError
            Where the file cannot be read, a required quantity has no column or several, a cell
            holds no number, or no run remains. The message names file, row and column.

        Examples
        --------
        >>> runs = Runs.read({"N": [1e8, 1e9, 1e9], "D": [2e9, 2e10, 4e10], "loss": [3.2, 2.6, None]})
        >>> len(runs), runs.compute, str(runs.dropped[0])
        (2, array([1.2e+18, 1.2e+20]), 'row 3: loss is missing')
        """
        for name in require:
            if name not in QUANTITIES:
                complaint = f"{name!r} must be one of {', '.join(QUANTITIES)}"
                raise ArgumentError("require", require, complaint=complaint)
        if not isinstance(data, Runs):
            return _read(data, columns, where, require, random_baseline, names)
        for name in require:
            if getattr(data, name) is None:
                complaint = f"the runs have no {name}; read them with require=({name!r}, ...)"
                raise TableError(data.source, complaint)
        return data._read_again(where, columns=columns, random_baseline=random_baseline)

    # -- use ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.loss)

    def subset(self, index: Any) -> Runs:
        """The runs at a boolean mask or at indices (with repetitions, as a bootstrap draws them)."""
        return self._at(chosen_rows(index, len(self)))

    def require(self, n: int, for_what: str) -> None:
        """Raise where there are fewer than n runs."""
        if len(self) < n:
            lost = lost_rows(self.left_out, self.dropped)
            few = f"has {counted(len(self), 'usable run')}; must be at least {n} for {for_what}"
            raise TableError(self.source, f"{few} ({lost})" if lost else few)

    def named(self) -> dict[str, Any]:
        """What each name means in a condition."""
        held = {name: getattr(self, name) for name in QUANTITIES}
        known = {name: values for name, values in held.items() if values is not None}
        if self.metric == "accuracy":
            known["accuracy"] = self.extra[self.columns["accuracy"]]
        own = {self.columns[name]: v for name, v in known.items() if name in self.columns}
        return names_in_conditions(known, {**self.extra, **own})


# -- reading ---------------------------------------------------------------------------------------


def _read(
    data: Any,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    require: Collection[str],
    random_baseline: float | None,
    names: Collection[str],
) -> Runs:
    """See `Runs.read`."""
    (table,), chosen, aliases = chosen_columns([table_of(data)], RUNS, columns, names)
    also = {name: table.frame[column] for name, column in aliases.items()}
    table = replace(table, frame=table.frame.assign(**also))
    known = _recognised(table, chosen, require)
    of, rows = {**known.of}, Rows(table, known)
    is_accuracy = "accuracy" in of
    if random_baseline is not None and not is_accuracy:
        complaint = f"is for accuracy, and {table.source} has loss"
        raise ArgumentError("random_baseline", random_baseline, complaint=complaint)
    baseline = checked_baseline("random_baseline", random_baseline or 0.0) if is_accuracy else None
    rows.read(*(name for name in of if name != "group"), needed=(*require, *OUTCOME))
    rows.fill_budget()
    measured = dict(rows.numbers)
    if baseline is not None:
        rows.numbers["loss"] = _neg_log(rows, baseline)
    required = {*require, "loss", "weight"} & rows.numbers.keys()
    rows.drop_missing(*(name for name in QUANTITIES if name in required))
    rows.select(where, "is a usable run", measured)
    if is_accuracy and (n := int(np.sum((measured["accuracy"] <= baseline) & rows.selected))):
        rows.warnings.append(
            f"{counted(n, 'row')} with an accuracy at or below that of guessing cannot be used: the "
            "others are selected by their outcome, and a fit to them is biased"
        )
    for name in [name for name in BUDGET if name in rows.numbers and name not in require]:
        if n := int(np.sum(np.isnan(rows.numbers[name][rows.kept]))):
            del rows.numbers[name]
            rows.derived = None if rows.derived == name else rows.derived
            what = f"{name} is missing in {counted(n, 'run')}"
            rows.warnings.append(f"{what}; it is not required, and left out for all")
    values = {name: rows.numbers[name][rows.rows] for name in QUANTITIES if name in rows.numbers}
    if baseline is None:
        refuse_losses(table.source, values["loss"])
    if "group" not in {*chosen, *of} and (name := _checkpoints(rows)):
        of["group"] = name
    groups = _groups(rows, of["group"]) if "group" in of else None
    extra = {name: cells for name, cells in table.columns.items() if name not in of.values()}
    if is_accuracy:
        extra[of["accuracy"]] = rows.numbers["accuracy"]
    warnings = [
        *rows.warnings,
        *_in_other_units(of, [*extra]),
        *doubts({name: v for name, v in values.items() if name in measured}, of),
    ]
    held: dict[str, Any] = dict.fromkeys(QUANTITIES) | values | {"group": groups}
    return Runs(
        **held,
        row=rows.rows + 1,
        extra={name: cells[rows.rows] for name, cells in extra.items()},
        metric="accuracy" if is_accuracy else "loss",
        random_baseline=baseline,
        columns=of | {name: str(column) for name, column in aliases.items()},
        derived=rows.derived,
        **rows.origin(*warnings),
    )


def _recognised(
    table: Table, chosen: Mapping[str, str | None], require: Collection[str]
) -> Columns:
    """The columns of a table of runs, with what is required: loss or accuracy, and two of the
    budget for the third. Where there is a loss, accuracy is not looked for.
    """
    if chosen.get("loss") and chosen.get("accuracy"):
        complaint = "choose loss or accuracy, not both"
        raise ArgumentError("columns", dict(chosen), complaint=complaint)
    has_loss = not chosen.get("accuracy") and may_hold(table, "loss", RUNS, chosen)
    other = "accuracy" if has_loss else "loss"
    wanted = {name: spellings for name, spellings in RUNS.items() if name != other}
    columns = recognise(table, wanted, chosen)
    two_known = len({*BUDGET} & columns.of.keys()) >= 2
    needed = [name for name in require if not (name in BUDGET and two_known)]
    columns.require(*(OUTCOME if name == "loss" else (name,) for name in needed))
    return columns


def _neg_log(rows: Rows, baseline: float) -> Any:
    """-log of what accuracy exceeds guessing by, (rows,); rows where it does not exist are dropped."""
    Q = rows.numbers["accuracy"]
    shares = "a number from 0 to 1 (divide percentages by 100)"
    rows.refuse("accuracy", (Q < 0.0) | (Q > 1.0), shares)
    low = [f"accuracy={value!r}: must be above {baseline or 0}" for value in Q.tolist()]
    rows.drop(np.array(low, dtype=object), baseline >= Q)
    rows.drop("accuracy=1.0: must be below 1 (-log 1 = 0)", Q == 1.0)
    rows.drop("accuracy is missing", np.isnan(Q))
    y, usable = np.full(len(Q), np.nan), (baseline < Q) & (Q < 1.0)
    y[usable] = neg_log_accuracy(Q[usable], baseline)
    return y


def _in_other_units(of: Mapping[str, str], unread: Sequence[str]) -> list[str]:
    """What takes a column of params, tokens or compute that is in other units."""
    texts = {name: suggested(name, unread) for name in BUDGET if name not in of}
    return [
        f"no column is read as {name}; --column {name}={text!r} takes one"
        for name, text in texts.items()
        if "*1e" in text
    ]


def _checkpoints(rows: Rows) -> str:
    """A column that names the run of which rows are checkpoints: of one name and size at several
    tokens. "" where there is none.
    """
    if not {"params", "tokens"} <= rows.numbers.keys():
        return ""
    params, tokens = (rows.numbers[name][rows.kept] for name in ("params", "tokens"))
    for name in rows.table.names:
        if is_spelt(name, RUN_NAME) and name not in rows.of.values():
            labels = rows.table.texts(name)[rows.kept]
            runs, sizes = {*labels}, {*zip(labels, params, strict=True)}
            points = {*zip(labels, tokens, strict=True)}
            if "" not in runs and len(runs) == len(sizes) < len(points):
                what = f"{counted(len(labels), 'row')} of {counted(len(runs), 'run')} by {name!r}"
                rows.warnings.append(f"{what}, of one size at several tokens: {GROUPED}")
                return name
    return ""


def _groups(rows: Rows, column: str) -> Any:
    """Labels of groups; a run without one is a group of its own."""
    cells = rows.table.frame[column][rows.kept]
    if cells.dtype.kind == "f" and (cells.dropna() % 1 == 0).all():
        cells = cells.astype("Int64")  # seed 3, not 3.0
    missing = cells.isna().to_numpy()
    labels = np.array([None, *cells.tolist()], dtype=object)[1:]
    labels[missing] = [f"row {row}" for row in cells.index[missing]]
    if missing.any():
        what = f"group is missing in {counted(int(missing.sum()), 'run')}"
        rows.warnings.append(f"{what}, each a group of its own")
    return labels
