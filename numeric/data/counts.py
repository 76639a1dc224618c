"""Counts: how many samples of each model at each problem, and how many of them were correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, TableError
from ..words import counted
from .counts_reading import COVARIATES, read_counts
from .rows import View, chosen_rows, lost_rows, range_line
from .table import table_of
from .where import Where

__all__ = ["Counts"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(View):
    """Samples and correct ones by group and problem; read with :meth:`Counts.read`.

    A group is a model, or a model on a benchmark.

    The arrays cannot be written to. R rows, G groups.

    Attributes
    ----------
    by : tuple of str
        The columns whose values make a group.
    labels : tuple of tuple of str
        Their values for each of the G groups, in order of first appearance.
    group : ndarray of int64, (R,)
        Index into ``labels``.
    problem : ndarray of object, (R,)
        Different within a group.
    n, c : ndarray of int64, (R,)
        Samples, at least 1, and correct ones among them.
    covariates : dict of str to ndarray of float64, (G,)
        params, tokens, compute (FLOP) and gold (mean -log probability of the gold reference
        solution, in nats); NaN where a group has none. Without the key where no group has any.
    row, source, n_rows, left_out, dropped, warnings
        Where the counts come from, see `View`: ``dropped`` holds the rows without a number of
        samples or of correct ones.
    """

    aligned = ("group", "problem", "n", "c", "row")

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    group: Any
    problem: Any
    n: Any
    c: Any
    covariates: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("group", "n", "c", "row"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int64))
        object.__setattr__(self, "problem", np.asarray(self.problem, dtype=object))
        values = {name: np.asarray(v, dtype=np.float64) for name, v in self.covariates.items()}
        object.__setattr__(self, "covariates", values)
        super().__post_init__()
        for name, column in values.items():
            if name not in COVARIATES or len(column) != len(self):
                domain = f"one of {', '.join(COVARIATES)} with {len(self)} entries"
                raise ArgumentError("covariates", f"{name} with {len(column)} entries", domain)
        if len(self.group) and not (self.group.min() >= 0 and self.group.max() < len(self)):
            raise ArgumentError("group", complaint=f"must be from 0 to {len(self) - 1}")
        for index in np.flatnonzero((self.n < 1) | (self.c < 0) | (self.c > self.n))[:1]:
            complaint = f"n={self.n[index]}, c={self.c[index]}: must be 0 <= c <= n, n >= 1"
            raise TableError(self.source, complaint, rows=(int(self.row[index]),))

    # -- reading -----------------------------------------------------------------------------------

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        by: str | Sequence[str] | None = None,
        models: Any = None,
        gold: Any = None,
    ) -> Counts:
        """Counts from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            A row for each group and problem, with columns for the problem (``problem``,
            ``prompt_idx``, ``task_id``, ...), the samples (``n_samples``, ``n``, ...) and the
            correct ones (``n_correct``, ``c``, ...). CSV, JSON, JSON lines or Parquet with pyarrow.
            Counts are returned as they are.
        columns : mapping, optional
            Quantity (problem, n_samples, n_correct, model, benchmark, params, tokens, compute,
            gold) -> column, in whichever of the tables has it; None: there is no such column.
            Others are recognised by name.
        where : str, optional
            Condition on a row of `data`, as in ``"benchmark == 'gsm8k' and n_samples >= 100"``;
            see :mod:`isoflop.numeric.data.where`.
        by : str or sequence of str, optional
            Columns whose values make a group; by default those for benchmark and model, as far as
            `data` has them.
        models : path or table, optional
            params, tokens and compute of each group, joined on the columns of `by` that it has;
            repeated rows must agree. A group that is not in it has NaN, and a warning says so. Of
            the three, two give the third by C = 6ND. `data` may have these columns itself, constant
            within a group.
        gold : path or table, optional
            -log probability of the gold reference solution in nats, > 0, one value a group or one a
            problem: the mean over the problems of the table counts, whether or not the problem is
            in `data`. Groups without one have NaN, and a warning.

        Returns
        -------
        Counts

        Raises
        ------
        ValueError
            Naming file, row and column: where a table cannot be read or lacks a column, a count is
            negative, fractional or beyond the samples, samples are 0, the same problem comes twice
            in a group, a covariate differs within one, or tables have no column in common.

        Examples
        --------
        >>> counts = Counts.read(
        ...     {"model": ["a", "a", "b"], "problem": [1, 2, 1], "n": [10, 10, 20], "c": [0, 3, 20]}
        ... )
        >>> counts.names, counts.n.tolist(), counts.per_group(0)[1].tolist()
        (('a', 'b'), [10, 10, 20], [0, 3])
        """
        if isinstance(data, Counts):
            data._refuse_reading(columns=columns, where=where, by=by, models=models, gold=gold)
            return data
        tables = {"models": models, "gold": gold}
        return cls(
            **read_counts(
                table_of(data),
                columns,
                None if where is None else Where.parse(where),
                by,
                {name: table_of(held, name) for name, held in tables.items() if held is not None},
            )
        )

    # -- use ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The values of each group on one line; ``all`` where no columns make groups."""
        return tuple(" ".join(label) or "all" for label in self.labels)

    @property
    def n_problems(self) -> Any:
        """Problems of each group, int64 (G,)."""
        return np.bincount(self.group, minlength=len(self))

    def per_group(self, g: int) -> tuple[Any, Any]:
        """n and c of the problems of a group, in order of the source."""
        if not 0 <= g < len(self):
            raise ArgumentError("g", g, f"from 0 to {len(self) - 1}, an index of a group")
        rows = self.group == g
        return self.n[rows], self.c[rows]

    def pairs(self) -> tuple[Any, Any, Any]:
        """The different pairs (n, c), (U,) each, and the index into them of every row, (R,)."""
        n, samples = np.unique(self.n, return_inverse=True)
        c, correct = np.unique(self.c, return_inverse=True)
        codes, index = np.unique(samples * len(c) + correct, return_inverse=True)
        return n[codes // len(c)], c[codes % len(c)], index

    def subset(self, groups: Any) -> Counts:
        """The groups at a boolean mask or at indices, each at most once, in that order."""
        chosen = chosen_rows(groups, len(self), "groups")
        places = np.flatnonzero(chosen) if chosen.dtype.kind == "b" else chosen.astype(np.int64)
        if not {*places.tolist()} <= {*range(len(self))} or len({*places.tolist()}) < len(places):
            domain = f"different and from 0 to {len(self) - 1}"
            raise ArgumentError("groups", places.tolist(), domain)
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        order = np.argsort(new[self.group], kind="stable")
        rows = order[np.searchsorted(new[self.group][order], 0) :]
        covariates = {name: values[places] for name, values in self.covariates.items()}
        return replace(
            self._at(rows),
            labels=tuple(self.labels[place] for place in places),
            group=new[self.group[rows]],
            covariates={n: v for n, v in covariates.items() if np.isfinite(v).any()},
        )

    # -- text --------------------------------------------------------------------------------------

    def summary(self) -> str:
        """How many groups and problems there are, over what ranges, and what was left out."""
        by = f" ({', '.join(self.by)})" if self.by else ""
        lines = [
            f"{counted(len(self.n), 'problem')} in {counted(len(self), 'group')}{by} from "
            f"{self.source}"
        ]
        ranges = {"samples": self.n, "correct": self.c, "problems a group": self.n_problems}
        for name, values in (*ranges.items(), *self.covariates.items()):
            known = values[~np.isnan(values)]
            missing = len(values) - len(known)
            note = f"  ({counted(missing, 'group')} without)" if missing else ""
            if len(known):
                lines.append(range_line(name, known, note))
        return self._lines(*lines, *lost_rows(self.left_out, self.dropped))

    def __repr__(self) -> str:
        return f"<Counts of {counted(len(self), 'group')} and {counted(len(self.n), 'row')} from {self.source}>"
