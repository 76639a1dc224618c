"""Training runs: params, tokens, compute and loss of each, read from a table, checked, and every row that is left out named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .runs_cells import counted
from .runs_columns import BUDGET, LETTERS
from .where import Where

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Dropped", "Runs"]

REQUIRABLE = (*BUDGET, "loss", "weight", "group")
#: How many dropped rows an error shows.
MOST_SHOWN = 3


@dataclass(frozen=True)
class Dropped:
    """A row that is no usable run, and why.

    Attributes
    ----------
    row : int
        Its number in the source; the first row of data is 1.
    reason : str
    """

    row: int
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Runs:
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
        Loss L; > 0. Where the metric is accuracy, y = -log((Q - Q_r)/(1 - Q_r)) of accuracy Q and random baseline Q_r.
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
        held = self._quantities()
        for name, values in (*held.items(), *self.extra.items()):
            if len(values) != len(self.loss):
                raise ValueError(f"{name}: has {len(values)} entries, loss has {len(self.loss)}; must be as many")
        for name, values in held.items():
            object.__setattr__(self, name, locked(values))
        object.__setattr__(self, "extra", {name: locked(values) for name, values in self.extra.items()})

    # -- reading -------------------------------------------------------------------------------------------------------

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
            CSV (comma, semicolon or tab), JSON, JSON lines, or Parquet where pandas has an engine for it. UTF-8. Runs are
            returned as they are, but for ``where``.
        columns : mapping, optional
            Quantity (params, tokens, compute, loss, accuracy, weight, group) -> column as in the source; None says that the table
            has no column for it. Other quantities are recognised by name: their own, a letter (N, D, C, L), or a usual
            spelling (``Model Size``, ``flops``, ``val_loss``), without regard to case, spaces and underscores; an empty column
            after every filled one. Numbers are taken as they stand: a unit in a heading, as in ``params (B)``, is refused.
        where : str, optional
            Condition on a row, as in ``"loss < 4.5 and source == 'train'"``; other columns in backticks. See
            :mod:`isoflop.numeric.data.where`.
        require : collection of str
            The quantities that every run must have. Of params, tokens and compute, two give the third: C = 6ND.
        random_baseline : float, optional
            Accuracy of guessing, in [0, 1); by default 0. Only for accuracy.
        names : collection of str
            What `columns` may name besides the quantities: each such column is then in ``extra`` under that name as well.

        Returns
        -------
        Runs
            Rows that are no usable run (an empty cell, a number that is not positive and finite) are in ``dropped``.

        Raises
        ------
        ValueError
            Where the file cannot be read, a required quantity has no column or several, a cell holds no number, or no run
            remains. The message names file, row and column.

        Examples
        --------
        >>> runs = Runs.read({"N": [1e8, 1e9, 1e9], "D": [2e9, 2e10, 4e10], "loss": [3.2, 2.6, None]})
        >>> len(runs), runs.compute, str(runs.dropped[0])
        (2, array([1.2e+18, 1.2e+20]), 'row 3: loss is missing')
        """
        for name in require:
            if name not in REQUIRABLE:
                raise ValueError(f"require={require!r}: {name!r} must be one of {', '.join(REQUIRABLE)}")
        condition = None if where is None else Where.parse(where)
        if isinstance(data, Runs):
            for name, given in (("columns", columns), ("random_baseline", random_baseline)):
                if given is not None:
                    raise ValueError(f"{name}={given!r}: these are Runs already, not a table to be read")
            data.having(*require)
            return data if condition is None else data._filtered(condition)
        from .runs_file import Table, table_of
        from .runs_reading import read_table

        table = data if isinstance(data, Table) else table_of(data)
        return read_table(table, columns, condition, require, random_baseline, names)

    def _filtered(self, condition: Where) -> Runs:
        held = {name: getattr(self, name) for name in (*BUDGET, "loss", "weight", "group")}
        held = {name: values for name, values in held.items() if values is not None}
        if self.metric == "accuracy":
            held["accuracy"] = self.extra[self.columns["accuracy"]]
        truth = condition.evaluate(*named(held, self.columns, self.extra), len(self), self.source)
        left_out = len(self) - int(np.count_nonzero(truth.true))
        if left_out == len(self):
            raise ValueError(f"{self.source}: where={condition.text!r} leaves none of {counted(len(self), 'run')}")
        return replace(self.subset(truth.true), left_out=self.left_out + left_out)

    # -- use -----------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.loss)

    def subset(self, index: Any) -> Runs:
        """The runs at a boolean mask or at indices (with repetitions, as a bootstrap draws them)."""
        chosen = np.asarray(index, dtype=None if np.size(index) else np.int64)
        if chosen.dtype.kind not in "biu" or chosen.ndim != 1 or (chosen.dtype.kind == "b" and len(chosen) != len(self)):
            raise ValueError(f"index of {chosen.dtype} and shape {chosen.shape}: must be a mask of {len(self)} or indices")
        try:
            taken = {name: values[chosen] for name, values in self._quantities().items()}
        except IndexError as error:
            raise ValueError(f"index: {error}; must be from 0 to {len(self) - 1}") from None
        return replace(self, **taken, extra={name: values[chosen] for name, values in self.extra.items()})

    def require(self, n: int, for_what: str) -> None:
        """Raise where there are fewer than n runs."""
        if len(self) < n:
            usable = counted(len(self), "usable run")
            raise ValueError(f"{self.source}: has {usable}; must be at least {n} for {for_what}{self._lost()}")

    def having(self, *quantities: str) -> None:
        """Raise where the runs lack one of the quantities."""
        for name in quantities:
            if getattr(self, name) is None:
                raise ValueError(f"{self.source}: the runs have no {name}; read them with require=({name!r}, ...)")

    def to_frame(self) -> DataFrame:
        """A pandas frame with a column for every quantity and every other column, indexed by row."""
        import pandas as pd

        frame = {name: values for name, values in self._quantities().items() if name != "row"}
        frame |= {name if name not in frame else f"{name} (source)": values for name, values in self.extra.items()}
        return pd.DataFrame(frame, index=pd.Index(self.row, name="row"))

    # -- text ----------------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """How many runs there are, over what ranges, and what was left out."""
        lines = [f"{counted(len(self), 'run')} from {self.source}"]
        outcome = "loss" if self.metric == "loss" else "-log accuracy"
        ranges = [("params", self.params), ("tokens", self.tokens), ("compute", self.compute), (outcome, self.loss)]
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

    # -- inside --------------------------------------------------------------------------------------------------------

    def _quantities(self) -> dict[str, Any]:
        held = {name: getattr(self, name) for name in (*BUDGET, "loss", "weight", "group", "row")}
        return {name: values for name, values in held.items() if values is not None}

    def _lost(self) -> str:
        parts = lost_rows(self.left_out, self.dropped)
        return f" ({'; '.join(parts)})" if parts else ""

    def __reduce__(self) -> tuple[Callable[..., Runs], tuple[dict[str, Any]]]:
        return _rebuilt, ({part.name: getattr(self, part.name) for part in fields(self)},)


def locked(values: Any) -> Any:
    """The same array for reading only; the caller's own stays as it is."""
    view = np.asarray(values).view()
    view.setflags(write=False)
    return view


def _rebuilt(state: dict[str, Any]) -> Runs:
    return Runs(**state)


def those_dropped(dropped: tuple[Dropped, ...]) -> str:
    """How many rows were dropped, and the first of them.

    >>> those_dropped((Dropped(3, "loss is missing"),))
    '1 dropped: row 3: loss is missing'
    """
    rest = len(dropped) - MOST_SHOWN
    first = ", ".join(map(str, dropped[:MOST_SHOWN]))
    return f"{len(dropped)} dropped: {first}{f' and {rest} more' if rest > 0 else ''}"


def lost_rows(left_out: int, dropped: tuple[Dropped, ...]) -> list[str]:
    """What became of the rows of a table that are not in use: a part a reason.

    >>> lost_rows(2, ())
    ['2 rows left out by the condition']
    """
    parts = [f"{counted(left_out, 'row')} left out by the condition"] if left_out else []
    return parts + ([those_dropped(dropped)] if dropped else [])


def named(
    quantities: Mapping[str, Any], columns: Mapping[str, str], others: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a plain name and what a name in backticks means in a condition.

    A plain name is a quantity or its letter before it is a column; in backticks it is the column of the source.
    """
    quoted = {**others, **{name: quantities[quantity] for quantity, name in columns.items() if quantity in quantities}}
    letters = {letter: quantities[quantity] for letter, quantity in LETTERS.items() if quantity in quantities}
    return {**quoted, **letters, **quantities}, quoted
