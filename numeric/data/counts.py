"""Counts: how many samples of each model at each problem, and how many of them were correct."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed, shown
from .budget import doubts, fill
from .columns import (
    BUDGET,
    COUNTS,
    Columns,
    chosen_columns,
    is_spelt,
    letters_of,
    plain,
    recognise,
    with_expressions,
)
from .rows import RowReader, View, chosen_rows, unusable
from .table import Table, table_of

__all__ = ["Counts"]

Label = tuple[str, ...]
#: What makes a group, and what a group may have besides.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
NEEDED = ("n_samples", "n_correct")
LETTERS = letters_of(COUNTS)
#: Whether a sample is correct, as it is spelt, and the column that says that a row is one sample.
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": np.nan}
A_SAMPLE = "one sample a row"
#: Counts that floats hold exactly.
LARGEST = 2.0**53
#: Relative difference within which two tables agree on a covariate: that of printed digits.
AGREEMENT = 1e-6


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
        super().__post_init__()
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
            correct ones (``n_correct``, ``c``, ...), or a row for each sample, with the problem and
            whether it is correct (``correct``, ``passed``, ...). Counts are returned as they are.
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
            options = {"columns": columns, "where": where, "by": by, "models": models, "gold": gold}
            return data._read_again(None, **options)
        tables = {"models": models, "gold": gold}
        beside = {name: table_of(held, name) for name, held in tables.items() if held is not None}
        return _read(table_of(data), columns, where, by, beside)

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


# -- reading ---------------------------------------------------------------------------------------


def role(name: str) -> str:
    """What two columns must share to be joined: the quantity that groups, else the plain spelling.

    >>> role("Model Name"), role("model"), role("suite")
    ('model', 'model', 'suite')
    """
    return next((each for each in GROUPING if is_spelt(name, COUNTS[each])), plain(name))


def grouping(columns: Columns, by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns that make a group; by default those for benchmark and model."""
    if by is None:
        columns.settle(*GROUPING)
        return tuple(columns.of[name] for name in GROUPING if name in columns.of)
    names = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, Sequence) else (by,)
    chosen: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError("by", by, "the name of a column, or several")
        is_quantity = name in GROUPING and name not in columns.names
        column = columns.of.get(name, name) if is_quantity else name
        if column not in columns.names:
            hint = close_matches(name, columns.names)
            there = f"{columns.source} has {listed(columns.names)}"
            raise ArgumentError("by", by, complaint=f"no column {name!r}{hint}; {there}")
        if column in chosen:
            raise ArgumentError("by", by, complaint=f"{name!r} is given twice")
        chosen.append(column)
    return tuple(chosen)


class GroupedReader(RowReader):
    """Rows that belong to groups by the text in some of their columns."""

    def __init__(self, table: Table, columns: Columns, by: tuple[str, ...]) -> None:
        super().__init__(table, columns)
        self.by, self.labels = by, table.labels(by)

    def groups(self) -> tuple[tuple[Label, ...], Any]:
        """The groups that are kept, in order of first appearance, and the index of its group for
        each kept row.
        """
        index: dict[Label, int] = {}
        of_row = [index.setdefault(self.labels[row], len(index)) for row in self.rows]
        return tuple(index), np.array(of_row, dtype=np.int64)


def _read(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    by: str | Sequence[str] | None,
    beside: Mapping[str, Table],
) -> Counts:
    """See `Counts.read`; `beside`: the tables of models and of gold references."""
    table = with_expressions(table, columns)
    beside = {name: with_expressions(one, columns) for name, one in beside.items()}
    every = dict.fromkeys(name for one in (table, *beside.values()) for name in one.names)
    chosen, _ = chosen_columns(table.source, every, COUNTS, columns)
    table, known = _as_samples(table, recognise(table, COUNTS, chosen))
    reader = _CountReader(table, known, grouping(known, by), where)
    groups, group = reader.groups()
    covariates = _Covariates(groups, reader.by)
    for name, other in beside.items():
        wanted = BUDGET if name == "models" else ("gold",)
        covariates.join(other, recognise(other, COUNTS, chosen), wanted)
    for name in COVARIATES:
        if name in reader.numbers:
            values, column = reader.numbers[name], known.of[name]
            covariates.add(name, table, column, values, group, reader.rows)
    values = covariates.filled()
    problems = reader.by_problem(group)
    return Counts(
        by=reader.by,
        labels=groups,
        **{name: problems[name].to_numpy() for name in Counts.aligned},
        covariates=values,
        **reader.origin(*reader.warnings, *covariates.warnings, *covariates.lacking(values)),
    )


def _as_samples(table: Table, columns: Columns) -> tuple[Table, Columns]:
    """The same with a column of numbers of samples, 1 each, where a table has a row for each sample:
    a problem, whether the sample is correct (true or false; 1 or 0 where a problem has several
    rows), and no number of samples.
    """
    of, unsettled = columns.of, columns.unsettled
    if "n_samples" in {*of, *unsettled} or not {"problem", "n_correct"} <= of.keys():
        return table, columns
    texts = [text.lower() for text in table.texts(of["n_correct"])]
    keys = table.labels(of[name] for name in (*GROUPING, "problem") if name in of)
    are_truths = {*texts} <= TRUTHS.keys() and (
        not {"true", "false"}.isdisjoint(texts) or len({*keys}) < len(keys)
    )
    if not are_truths:
        return table, columns
    correct = [TRUTHS[text] for text in texts]
    frame = table.frame.assign(**{of["n_correct"]: correct, A_SAMPLE: 1.0})
    return replace(table, frame=frame), replace(columns, of=of | {"n_samples": A_SAMPLE})


class _CountReader(GroupedReader):
    """The rows of a table of counts that satisfy a condition and have both counts, checked."""

    def __init__(
        self, table: Table, columns: Columns, by: tuple[str, ...], where: str | None
    ) -> None:
        super().__init__(table, columns, by)
        columns.settle("problem", *COVARIATES)
        for name in NEEDED:
            columns.require((name,))
            self.read(name, optional=False)
        problem = columns.of.get("problem")
        if problem is None:
            self.problems = np.array([str(row) for row in range(1, len(table) + 1)], dtype=object)
            what = "no column for problem: every row is taken as a problem of its own"
            self.warnings.append(what)
        else:
            self.problems = table.texts(problem)
        self.are_samples = columns.of["n_samples"] == A_SAMPLE
        used = {*by, problem, *(columns.of[name] for name in NEEDED)}
        for name in COVARIATES:
            if columns.of.get(name, problem) not in used:
                self.read(name)
        self.drop_missing(NEEDED)
        self.select(where, letters=LETTERS)
        self.require_rows("has counts")
        self._check_counts()
        self.warnings += self.other_columns(self.numbers)
        for name in (*by, *filter(None, [problem])):
            self.refuse_empty(name, "the group or the problem")
        if not self.are_samples:
            self._check_repeated({*by, problem, *(columns.of[name] for name in self.numbers)})

    def by_problem(self, group: Any) -> Any:
        """A row for each group and problem: group, problem, n, c, and the first row of the table."""
        import pandas as pd

        rows = self.rows
        counts = {"n": self.numbers["n_samples"][rows], "c": self.numbers["n_correct"][rows]}
        problems = pd.DataFrame({"group": group, "problem": self.problems[rows], "row": rows + 1})
        problems = problems.astype({"problem": object}).assign(
            **{name: values.astype(np.int64) for name, values in counts.items()}
        )
        if not self.are_samples:
            return problems
        summed = problems.groupby(["group", "problem"], sort=False, as_index=False)
        summed = summed.agg(row=("row", "first"), n=("n", "sum"), c=("c", "sum"))
        what = f"{counted(len(rows), 'row')} taken as samples of {counted(len(summed), 'problem')}"
        self.warnings.append(what)
        return summed.astype({"problem": object})

    def _check_counts(self) -> None:
        n, c = self.numbers["n_samples"], self.numbers["n_correct"]
        for name, values in (("n_samples", n), ("n_correct", c)):
            self.refuse(name, values < 0.0, "must be at least 0")
            whole = (values == np.floor(values)) & (values <= LARGEST)
            self.refuse(name, ~whole & ~np.isnan(values), "must be a whole number (at most 2^53)")
        self.refuse("n_samples", n == 0.0, "must be at least 1; leave out problems without samples")
        for index in np.flatnonzero((c > n) & self.kept)[:1]:
            self.refuse("n_correct", c > n, f"must be at most n_samples={n[index]:.0f}")

    def _check_repeated(self, used: Collection[str | None]) -> None:
        """No group has a problem twice; `used`: the columns that cannot tell two rows apart."""
        for first, index in self.repeated(list(zip(self.labels, self.problems, strict=True))):
            what = shown(" ".join((*self.labels[index], f"problem {self.problems[index]}")))
            free = (item for item in self.table.columns.items() if item[0] not in used)
            differ = [name for name, cells in free if cells[first] != cells[index]]
            cure = f"; they differ in {differ[0]!r}: add it to by= (--by)" if differ else ""
            complaint = f"hold the same problem of the same group ({what}){cure}"
            raise self.error(complaint, first, index)


class _Covariates:
    """params, tokens, compute and gold of the groups, from as many tables as there are.

    Attributes
    ----------
    known : dict of str to ndarray
        NaN where a group has none.
    origin : dict of str to str
        The table that each is from.
    """

    def __init__(self, groups: tuple[Label, ...], by: tuple[str, ...]) -> None:
        self.groups, self.by = groups, by
        self.known: dict[str, Any] = {}
        self.origin: dict[str, str] = {}
        self.warnings: list[str] = []

    def join(self, table: Table, columns: Columns, wanted: Sequence[str]) -> None:
        """From a table with some of the columns that make a group; a row may serve several."""
        import pandas as pd

        own = {role(name): name for name in reversed(table.names)}
        shared = [name for name in self.by if role(name) in own]
        if not shared:
            there = f"({', '.join(map(repr, self.by)) or 'there are none'})"
            which = f"has no column in common with the groups {there}; it has {listed(table.names)}"
            raise TableError(table.source, which)
        groups = pd.DataFrame(self.groups, columns=list(self.by), dtype=object)
        for name in groups.columns.difference(shared):
            values = sorted({*groups[name]})
            if len(values) > 1 and "gold" in wanted:
                several = f"and the counts hold several ({listed(values)}); take one by where="
                raise TableError(table.source, f"has no column {name!r}, {several}")
        columns.require(wanted)
        rows = pd.DataFrame({name: table.texts(own[role(name)]) for name in shared}, dtype=object)
        pairs = rows.reset_index(names="_row").merge(groups.reset_index(names="_group"), on=shared)
        if pairs.empty:
            first, other = (" ".join(some[shared].iloc[0]) for some in (groups, rows))
            both = f"({first!r} there, {other!r} here)"
            raise TableError(table.source, f"none of its rows is of a group in the counts {both}")
        for name in wanted:
            if (column := columns.of.get(name)) is not None:
                values = table.numbers(column)
                self.add(name, table, column, values, pairs["_group"], pairs["_row"])

    def add(
        self, name: str, table: Table, column: str, values: Any, groups: Any, rows: Any
    ) -> None:
        """One value a group: the mean for gold, else the one that all of its rows have. A table
        that comes later fills what an earlier one leaves open.
        """
        import pandas as pd

        rows = np.asarray(rows)
        for place, reason in unusable(name, values[rows]).items():
            raise TableError(table.source, reason, rows=(int(rows[place]) + 1,), column=column)
        cells = pd.DataFrame({"group": groups, "row": rows, "value": values[rows]})
        given = cells.dropna()
        if name == "gold" and len(given) < len(cells):
            gaps = counted(len(cells) - len(given), "row")
            what = f"{table.source}: gold is missing in {gaps}; the mean is over the others"
            self.warnings.append(what)
        first = given.groupby("group").transform("first")
        different = given[given["value"] != first["value"]]
        for cell in different.head(1).itertuples() if name != "gold" else ():
            earlier, label = first.loc[cell.Index], " ".join(self.groups[cell.group])
            one = f"{earlier['value']:.10g} in row {earlier['row'] + 1:.0f}"
            complaint = f"{name} of {label!r} is {one} and {cell.value:.10g} in row {cell.row + 1}"
            raise TableError(table.source, f"{complaint}; must be one for a group", column=column)
        of_group = np.full(len(self.groups), np.nan)
        of_group[given["group"]] = first["value"]
        varied = different["group"].unique()
        total = np.bincount(given["group"], weights=given["value"], minlength=len(self.groups))
        of_group[varied] = total[varied] / np.bincount(given["group"])[varied]
        known = self.known.get(name, of_group)
        if n := int(np.count_nonzero(np.abs(known - of_group) > AGREEMENT * np.abs(known))):
            both = f"{self.origin[name]}, which is taken, and {table.source}"
            self.warnings.append(f"{name} of {counted(n, 'group')} differs between {both}")
        self.known[name] = np.where(np.isnan(known), of_group, known)
        self.origin.setdefault(name, table.source)

    def filled(self) -> dict[str, Any]:
        """The covariates, with what follows from C = 6ND."""
        budget, _, warnings = fill(self.known, "group")
        every = self.known | budget
        values = {
            name: every[name]
            for name in COVARIATES
            if name in every and not np.isnan(every[name]).all()
        }
        self.warnings += warnings
        sizes = {name: values[name] for name in BUDGET if name in values}
        full = ~np.isnan([*sizes.values()]).any(axis=0)
        if full.any() and sizes:
            known = {name: column[full] for name, column in sizes.items()}
            self.warnings += doubts(known, {name: name for name in self.known})
        return values

    def lacking(self, values: Mapping[str, Any]) -> list[str]:
        """A warning for each set of groups that lack a covariate."""
        lacked: dict[tuple[str, ...], list[str]] = {}
        for name, column in values.items():
            missing = tuple(" ".join(self.groups[g]) for g in np.flatnonzero(np.isnan(column)))
            if missing:
                lacked.setdefault(missing, []).append(name)
        return [
            f"no {', '.join(names)} for {counted(len(missing), 'group')} of {len(self.groups)} "
            f"({listed(missing)})"
            for missing, names in lacked.items()
        ]
