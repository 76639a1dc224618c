"""Training runs: params, tokens, compute and loss of each, read from a table, checked, and every
row that is left out named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted, listed
from .columns import (
    BUDGET,
    OUTCOME,
    RUNS,
    Columns,
    chosen_columns,
    columns_like,
    may_be,
    name_it,
    quantity_named,
    recognise,
)
from .rows import (
    Dropped,
    Reading,
    View,
    chosen_rows,
    lost_rows,
    names_in_conditions,
)
from .scale import checked_baseline, neg_log_accuracy
from .table import Table, table_of
from .units import doubts, refuse_losses
from .where import Where

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Dropped", "Runs"]

REQUIRABLE = (*BUDGET, "loss", "weight", "group")
AS_CHECKPOINTS = (
    "where these are checkpoints, say columns={{'group': {0!r}}} (--column group={0!r})"
)


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
    row : ndarray of int64
        Number of the row in the source; the first row of data is 1.
    extra : dict of str to ndarray
        The other columns as they are, None or NaN where a cell is empty.
    metric : {"loss", "accuracy"}
    random_baseline : float or None
        Accuracy of guessing Q_r, where the metric is accuracy.
    source : str
        Where the runs come from, as messages say it.
    columns : dict of str to str
        Quantity -> column of the source that held it.
    derived : str or None
        The one of params, tokens and compute that was computed from the other two by C = 6ND.
    n_rows : int
        Rows in the source.
    left_out : int
        Rows that did not satisfy ``where``.
    dropped : tuple of Dropped
        Rows that are no usable runs, each with its reason.
    warnings : tuple of str
    """

    params: Any
    tokens: Any
    compute: Any
    loss: Any
    weight: Any = None
    group: Any = None
    row: Any
    extra: dict[str, Any] = field(default_factory=dict)
    metric: str = "loss"
    random_baseline: float | None = None
    source: str = "data"
    columns: dict[str, str] = field(default_factory=dict)
    derived: str | None = None
    n_rows: int = 0
    left_out: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, values in (*self._quantities().items(), *self.extra.items()):
            if len(values) != len(self.loss):
                raise ValueError(
                    f"{name}: has {len(values)} entries, loss has {len(self.loss)}; must be as many"
                )
        super().__post_init__()

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
            source; None says that the table has no column for it. Other quantities are recognised
            by name: their own, a letter (N, D, C, L), or a usual spelling (``Model Size``,
            ``flops``, ``val_loss``), without regard to case, spaces and underscores; an empty
            column after every filled one. Numbers are taken as they stand: a unit in a heading, as
            in ``params (B)``, is refused.
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
            if name not in REQUIRABLE:
                raise ArgumentError(
                    "require", require, complaint=f"{name!r} must be one of {', '.join(REQUIRABLE)}"
                )
        condition = None if where is None else Where.parse(where)
        if not isinstance(data, Runs):
            return _read(table_of(data), columns, condition, require, random_baseline, names)
        for name, value in (("columns", columns), ("random_baseline", random_baseline)):
            if value is not None:
                raise ArgumentError(
                    name, value, complaint="these are Runs already, not a table to be read"
                )
        data.having(*require)
        return data if condition is None else data._filtered(condition)

    def _filtered(self, condition: Where) -> Runs:
        known = {name: values for name, values in self._quantities().items() if name != "row"}
        if self.metric == "accuracy":
            known["accuracy"] = self.extra[self.columns["accuracy"]]
        truth = condition.evaluate(
            *names_in_conditions(known, self.columns, self.extra), len(self), self.source
        )
        if not truth.true.any():
            raise condition.error(f"leaves none of {counted(len(self), 'run')} of {self.source}")
        chosen = self.subset(truth.true)
        return replace(chosen, left_out=self.left_out + len(self) - len(chosen))

    # -- use ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.loss)

    def subset(self, index: Any) -> Runs:
        """The runs at a boolean mask or at indices (with repetitions, as a bootstrap draws them)."""
        chosen = chosen_rows(index, len(self))
        try:
            taken = {name: values[chosen] for name, values in self._quantities().items()}
        except IndexError as error:
            raise ValueError(f"index: {error}; must be from 0 to {len(self) - 1}") from None
        return replace(
            self, **taken, extra={name: values[chosen] for name, values in self.extra.items()}
        )

    def require(self, n: int, for_what: str) -> None:
        """Raise where there are fewer than n runs."""
        if len(self) < n:
            usable = counted(len(self), "usable run")
            raise TableError(
                self.source, f"has {usable}; must be at least {n} for {for_what}{self._lost()}"
            )

    def having(self, *quantities: str) -> None:
        """Raise where the runs lack one of the quantities."""
        for name in quantities:
            if getattr(self, name) is None:
                complaint = f"the runs have no {name}; read them with require=({name!r}, ...)"
                raise TableError(self.source, complaint)

    def to_frame(self) -> DataFrame:
        """A pandas frame with a column for every quantity and every other column, indexed by row."""
        import pandas as pd

        frame = {name: values for name, values in self._quantities().items() if name != "row"}
        frame |= {
            name if name not in frame else f"{name} (source)": values
            for name, values in self.extra.items()
        }
        return pd.DataFrame(frame, index=pd.Index(self.row, name="row"))

    # -- text --------------------------------------------------------------------------------------

    def summary(self) -> str:
        """How many runs there are, over what ranges, and what was left out."""
        lines = [f"{counted(len(self), 'run')} from {self.source}"]
        outcome = "loss" if self.metric == "loss" else "-log accuracy"
        ranges = [
            ("params", self.params),
            ("tokens", self.tokens),
            ("compute", self.compute),
            (outcome, self.loss),
        ]
        if self.params is not None and self.tokens is not None:
            ranges.insert(3, ("tokens per param", self.tokens / self.params))
        for name, values in ranges:
            if values is not None and len(values):
                note = "  (from C = 6ND)" if name == self.derived else ""
                lines.append(f"  {name:<17}{values.min():>10.4g}  to {values.max():>10.4g}{note}")
        if self.group is not None:
            lines.append(f"  {'groups':<17}{len(set(self.group.tolist())):>10}")
        if self.left_out or self.dropped:
            lines.append(f"of {counted(self.n_rows, 'row')}{self._lost()}")
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        held = [name for name in self._quantities() if name != "row"]
        return f"<{len(self)} Runs from {self.source}: {', '.join(held)}>"

    # -- inside ------------------------------------------------------------------------------------

    def _quantities(self) -> dict[str, Any]:
        held = {name: getattr(self, name) for name in (*BUDGET, "loss", "weight", "group", "row")}
        return {name: values for name, values in held.items() if values is not None}

    def _lost(self) -> str:
        lost = lost_rows(self.left_out, self.dropped)
        return f" ({'; '.join(lost)})" if lost else ""


# -- reading ---------------------------------------------------------------------------------------


def _read(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: Where | None,
    require: Collection[str],
    random_baseline: float | None,
    names: Collection[str],
) -> Runs:
    """See `Runs.read`."""
    aliases: dict[str, str | None] = {}
    if names and isinstance(columns, Mapping):
        aliases = {
            key: name
            for key, name in columns.items()
            if key in names and quantity_named(key) is None
        }
        columns = {key: name for key, name in columns.items() if key not in aliases}
    table = table.also_called(aliases)
    chosen, _ = chosen_columns(table.source, table.names, RUNS, columns)
    known = _recognised(table, chosen, require, table.empty())
    reading = _Reading(table, known, where, require, random_baseline)
    if where is not None and reading.selected.any():
        again = _recognised(table, chosen, require, table.empty(reading.selected))
        if again.of != known.of:  # a column is empty in the rows that are selected
            reading = _Reading(table, again, where, require, random_baseline)
    reading.require_rows(where, "is a usable run")
    return reading.runs(aliases, propose="group" not in chosen)


def _recognised(
    table: Table, chosen: Mapping[str, str | None], require: Collection[str], empty: Collection[str]
) -> Columns:
    """The columns of a table of runs, with what is required."""
    columns = recognise(table.source, table.names, RUNS, chosen, empty)
    if "loss" in columns.of and "accuracy" in columns.of:
        if chosen.get("loss") and chosen.get("accuracy"):
            raise ArgumentError(
                "columns", dict(chosen), complaint="choose loss or accuracy, not both"
            )
        other = "loss" if chosen.get("accuracy") else "accuracy"
        columns = replace(
            columns, of={name: column for name, column in columns.of.items() if name != other}
        )
    two_known = sum(name in columns.of for name in BUDGET) >= 2
    missing = [
        name for name in require if name not in columns.of and not (name in BUDGET and two_known)
    ]
    missing = [name for name in missing if not (name == "loss" and "accuracy" in columns.of)]
    kin = {name for group in (BUDGET, OUTCOME) if {*group} & {*missing} for name in group}
    columns.settle(*kin, *missing)
    if missing:
        raise TableError(table.source, _missing(columns, missing[0], empty))
    return columns


def _missing(columns: Columns, quantity: str, empty: Collection[str]) -> str:
    """The complaint that a quantity has no column, with those that might be meant."""
    wanted = OUTCOME if quantity == "loss" else (quantity,)
    free = [name for name in columns.names if name not in empty and name not in columns.of.values()]
    alike = [(what, name) for what in wanted for name in columns_like(what, free)] or [
        (quantity, "NAME")
    ]
    tied = (
        " (it would follow from the other two of params, tokens and compute)"
        if quantity in BUDGET
        else ""
    )
    which = f"the columns are {listed(name for name in columns.names if name not in empty)}"
    if alike[0][1] != "NAME":
        which = f"perhaps {listed(name for _, name in alike)}"
    return f"no column for {' or '.join(wanted)}{tied}; {which}; {name_it(*alike[0])}"


class _Reading(Reading):
    """The rows of a table of runs."""

    def __init__(
        self,
        table: Table,
        columns: Columns,
        where: Where | None,
        require: Collection[str],
        random_baseline: float | None,
    ) -> None:
        super().__init__(table, columns)
        if random_baseline is not None and "accuracy" not in columns.of:
            complaint = f"is for accuracy, and {table.source} has loss"
            raise ArgumentError("random_baseline", random_baseline, complaint=complaint)
        for name in columns.of:
            if name not in ("group", "accuracy"):
                self.read_positive(name, optional=name not in (*require, *OUTCOME))
        self.fill_budget()
        self.baseline = None
        if "accuracy" in columns.of:
            self.baseline = 0.0 if random_baseline is None else random_baseline
            self.take_logarithm(checked_baseline("random_baseline", self.baseline))
        required = {*require, "loss", "weight"} & self.numbers.keys()
        self.drop_missing(name for name in (*BUDGET, "loss", "weight") if name in required)
        # Of accuracy, the loss is a figure of ours: a condition is on accuracy.
        numbers = {
            name: values
            for name, values in self.numbers.items()
            if self.baseline is None or name != "loss"
        }
        self.select(where, *names_in_conditions(numbers, columns.of, table.columns))

    def take_logarithm(self, baseline: float) -> None:
        """The loss of accuracy: the negative logarithm of what exceeds guessing."""
        self.read("accuracy", optional=False)
        values, column = self.numbers["accuracy"], self.columns.of["accuracy"]
        outside = np.flatnonzero((values < 0.0) | (values > 1.0))
        if len(outside):
            complaint = f"accuracy={float(values[outside[0]])!r} must be a number from 0 to 1 (divide percentages by 100)"
            raise self.error(complaint, outside[0], column=column)
        above, below = values > baseline, values < 1.0
        level = f"the random baseline {baseline!r}" if baseline else "0"
        for index in np.flatnonzero(~above & ~np.isnan(values)).tolist():
            self.drop({index: f"accuracy={float(values[index])!r}: must be above {level}"})
        self.drop_where(
            values == 1.0, "accuracy=1.0: must be below 1 (-log 1 = 0 is no positive loss)"
        )
        self.drop_where(np.isnan(values), "accuracy is missing")
        loss = np.full(len(values), np.nan)
        loss[above & below] = neg_log_accuracy(values[above & below], baseline)
        self.numbers["loss"] = loss

    def runs(self, aliases: Mapping[str, str | None], *, propose: bool) -> Runs:
        """The rows that are kept."""
        kept, of = self.kept, self.columns.of
        taken = {
            name: self.numbers[name] for name in (*BUDGET, "loss", "weight") if name in self.numbers
        }
        for name in BUDGET:
            if name in taken and (n := int(np.count_nonzero(np.isnan(taken[name][kept])))):
                del taken[name]
                self.warnings.append(
                    f"{name} is missing in {counted(n, 'run')}; it is not required, and left out "
                    f"for all"
                )
                self.derived = None if self.derived == name else self.derived
        self.numbers = {
            name: values
            for name, values in self.numbers.items()
            if name not in BUDGET or name in taken
        }
        before = [*self._unsettled(), *self.other_columns()]
        if propose and "group" not in of:
            before += self.proposed_groups(np.flatnonzero(kept), "row", AS_CHECKPOINTS)
        outcome = {} if self.baseline is None else {of["accuracy"]: self.numbers["accuracy"]}
        if outcome:
            self._warn_of_selection()
        else:
            refuse_losses(self.table.source, taken["loss"][kept])
        others = self.table.columns | outcome
        used = {*of.values()} - outcome.keys()
        doubtful = {
            name: values[kept] for name, values in taken.items() if not (outcome and name == "loss")
        }
        groups = self._groups()
        return Runs(
            **{
                name: taken[name][kept] if name in taken else None
                for name in (*BUDGET, "loss", "weight")
            },
            group=groups,
            row=np.flatnonzero(kept) + 1,
            extra={name: values[kept] for name, values in others.items() if name not in used},
            metric="accuracy" if outcome else "loss",
            random_baseline=self.baseline,
            source=self.table.source,
            columns=of | {name: str(column) for name, column in aliases.items()},
            derived=self.derived,
            n_rows=self.table.rows,
            left_out=self.left_out,
            dropped=self.dropped,
            warnings=(*before, *self.warnings, *doubts(doubtful, frozenset(of)), *self.copies()),
        )

    def _unsettled(self) -> list[str]:
        return [
            f"{may_be(names, quantity)}: none is taken; {name_it(quantity, names[0])}"
            for quantity, names in self.columns.unsettled.items()
            if not (quantity == "accuracy" and "loss" in self.columns.of)
        ]

    def _warn_of_selection(self) -> None:
        beneath = self.numbers["accuracy"] <= self.baseline
        if n := int(np.count_nonzero(beneath & self.selected)):
            self.warnings.append(
                f"{counted(n, 'row')} with an accuracy at or below that of guessing cannot be "
                f"used: the others are selected by "
                "their outcome, and a fit to them is biased"
            )

    def _groups(self) -> Any:
        """Labels of groups; a run without one is a group of its own."""
        if "group" not in self.columns.of:
            return None
        rows = np.flatnonzero(self.kept)
        cells = self.table.columns[self.columns.of["group"]][rows].tolist()
        labels = np.empty(len(rows), dtype=object)
        whole = all(
            isinstance(cell, float) and (cell != cell or cell.is_integer()) for cell in cells
        )
        missing = 0
        for place, cell in enumerate(cells):
            if cell is None or cell != cell:
                labels[place] = f"row {rows[place] + 1}"
                missing += 1
            elif isinstance(cell, (list, dict)):
                labels[place] = str(cell)  # as it would be in CSV
            else:
                labels[place] = int(cell) if whole else cell  # seed 3, not 3.0
        if missing:
            self.warnings.append(
                f"group is missing in {counted(missing, 'run')}, each a group of its own"
            )
        return labels
