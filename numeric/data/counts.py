"""Counts: how many samples of each model at each problem, and how many of them were correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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
)
from .rows import Rows, View, chosen_rows, unusable
from .table import Table, table_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Counts"]

#: What makes a group, and what a group may have besides.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
NEEDED = ("n_samples", "n_correct")
LETTERS = letters_of(COUNTS)
#: Whether a sample is correct, as it is spelt, and the column that says that a row is one sample.
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": np.nan}
A_SAMPLE = "one sample a row"
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
            problem, of which the mean counts. Groups without one have NaN, and a warning.

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
        beside = {"models": models, "gold": gold}
        beside = {name: table_of(held, name) for name, held in beside.items() if held is not None}
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
        return self._at(
            rows,
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
        return tuple(columns.of[name] for name in GROUPING if name in columns.of)
    names, chosen = columns.table.names, list[str]()
    for name in (by,) if isinstance(by, str) or not isinstance(by, Sequence) else by:
        if not isinstance(name, str):
            raise ArgumentError("by", by, "the name of a column, or several")
        column = name if name in names else columns.of.get(name, "") if name in GROUPING else ""
        if not column or column in chosen:
            there = f"{close_matches(name, names)}; {columns.table.source} has {listed(names)}"
            complaint = f"{name!r} is given twice" if column else f"no column {name!r}{there}"
            raise ArgumentError("by", by, complaint=complaint)
        chosen.append(column)
    return tuple(chosen)


def grouped(rows: Rows, by: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], Any]:
    """The groups of the rows in use, in order of first appearance, and the index of its group for
    each row in use.
    """
    labels, index = rows.table.labels(by), dict[tuple[str, ...], int]()
    of_row = [index.setdefault(labels[row], len(index)) for row in rows.rows]
    return tuple(index), np.array(of_row, dtype=np.int64)


def _read(
    table: Table,
    columns: Mapping[str, str | None] | None,
    where: str | None,
    by: str | Sequence[str] | None,
    beside: Mapping[str, Table],
) -> Counts:
    """See `Counts.read`; `beside`: the tables of models and of gold references."""
    import pandas as pd

    (table, *others), chosen, _ = chosen_columns([table, *beside.values()], COUNTS, columns)
    table, known = _as_samples(table, recognise(table, COUNTS, chosen))
    known.require(*((name,) for name in NEEDED))
    by, rows, of = grouping(known, by), Rows(table, known), known.of
    used = {*by, *(of.get(name) for name in (*NEEDED, "problem"))}
    own = tuple(name for name in COVARIATES if name in of and of[name] not in used)
    rows.read(*NEEDED, *own, needed=NEEDED)
    rows.drop_missing(*NEEDED)
    rows.select(where, "has counts", rows.numbers, letters=LETTERS)
    rows.refuse_fractions("n_samples", 1)
    rows.refuse_fractions("n_correct", 0)
    n, c = (rows.numbers[name] for name in NEEDED)
    rows.refuse("n_correct", c > n, "at most n_samples")
    for name in filter(None, (*by, of.get("problem"))):
        rows.refuse_empty(name, "the group or the problem")
    problem = table.frame.index.astype(str).to_numpy(object)
    if "problem" in of:
        problem = table.texts(of["problem"])
    else:
        rows.warnings.append("no column for problem: every row is taken as a problem of its own")
    groups, group = grouped(rows, by)
    frame = pd.DataFrame({"group": group, "row": rows.rows, "n": n[rows.rows], "c": c[rows.rows]})
    frame["problem"] = pd.Series(problem[rows.rows], dtype=object)
    if of["n_samples"] == A_SAMPLE:
        summed = frame.groupby(["group", "problem"], sort=False, as_index=False)
        frame = summed.agg(row=("row", "first"), n=("n", "sum"), c=("c", "sum"))
        what = f"{counted(len(group), 'row')} taken as samples of {counted(len(frame), 'problem')}"
        rows.warnings.append(what)
    elif twice := rows.repeated([*zip(table.labels(by), problem, strict=True)]):
        what = " ".join((*table.labels(by)[twice[1]], f"problem {problem[twice[1]]}"))
        free = [name for name in table.names if name not in {*used, *map(of.get, own)}]
        differ = [name for name in free if len({*table.texts(name)[[*twice]]}) > 1]
        cure = f"; they differ in {differ[0]!r}: add it to by= (--by)" if differ else ""
        raise rows.error(f"hold the same problem of the same group ({shown(what)}){cure}", *twice)
    named = pd.DataFrame(list(groups), columns=list(by), dtype=object)
    sources: list[tuple[Columns, Sequence[str], pd.DataFrame]] = []
    for name, other in zip(beside, others, strict=True):
        wanted = BUDGET if name == "models" else ("gold",)
        held = recognise(other, {name: COUNTS[name] for name in wanted}, chosen)
        sources.append((held, wanted, _pairs(held, wanted, named)))
    sources.append((known, own, pd.DataFrame({"row": rows.rows, "group": group})))
    covariates, warnings = _covariates(sources, [" ".join(label) for label in groups])
    return Counts(
        by=by,
        labels=groups,
        problem=frame["problem"].to_numpy(object),
        **{name: frame[name].to_numpy(np.int64) for name in ("group", "n", "c")},
        row=frame["row"].to_numpy(np.int64) + 1,
        covariates=covariates,
        **rows.origin(*rows.warnings, *warnings),
    )


def _as_samples(table: Table, columns: Columns) -> tuple[Table, Columns]:
    """The same with a column of numbers of samples, 1 each, where a table has a row for each sample:
    a problem, whether the sample is correct (true or false; 1 or 0 where a problem has several
    rows), and no number of samples.
    """
    of = columns.of
    if "n_samples" in of or not {"problem", "n_correct"} <= of.keys():
        return table, columns
    texts = [text.lower() for text in table.texts(of["n_correct"])]
    keys = table.labels(of[name] for name in (*GROUPING, "problem") if name in of)
    repeated = len({*keys}) < len(keys) or not {"true", "false"}.isdisjoint(texts)
    if not ({*texts} <= TRUTHS.keys() and repeated):
        return table, columns
    correct = [TRUTHS[text] for text in texts]
    table = replace(table, frame=table.frame.assign(**{of["n_correct"]: correct, A_SAMPLE: 1.0}))
    return table, replace(columns, table=table, of=of | {"n_samples": A_SAMPLE})


# -- what is known of the groups -------------------------------------------------------------------


def _pairs(columns: Columns, wanted: Sequence[str], groups: pd.DataFrame) -> pd.DataFrame:
    """Each row of a table with some of the columns that make a group, and a group that it is of.

    `groups`: the values of these columns, a row a group.
    """
    import pandas as pd

    table = columns.table
    own = {role(name): name for name in reversed(table.names)}
    shared = [name for name in groups if role(name) in own]
    if not shared:
        there = f"({', '.join(map(repr, groups)) or 'there are none'})"
        which = f"has no column in common with the groups {there}; it has {listed(table.names)}"
        raise TableError(table.source, which)
    for name in groups.columns.difference(shared) if "gold" in wanted else ():
        if len(values := sorted({*groups[name]})) > 1:
            several = f"and the counts hold several ({listed(values)}); take one by where="
            raise TableError(table.source, f"has no column {name!r}, {several}")
    columns.require(wanted)
    rows = pd.DataFrame({name: table.texts(own[role(name)]) for name in shared}, dtype=object)
    pairs = rows.reset_index(names="row").merge(groups.reset_index(names="group"), on=shared)
    if pairs.empty:
        raise TableError(table.source, f"none of its rows is of a group in the counts by {shared}")
    return pairs


def _of_groups(columns: Columns, name: str, pairs: pd.DataFrame, groups: Sequence[str]) -> Any:
    """One value a group: the mean for gold, else the one that all of its rows have."""
    table, column = columns.table, columns.of[name]
    cells = pairs.assign(value=table.numbers(column)[pairs["row"]])
    for row, reason in zip(cells["row"], unusable(name, cells["value"].to_numpy()), strict=True):
        if reason:
            raise TableError(table.source, reason, rows=(row + 1,), column=column)
    by_group = cells.dropna(subset="value").groupby("group", sort=False)["value"]
    several = by_group.nunique() > 1
    if name != "gold" and several.any():
        one = cells[cells["group"] == several.idxmax()].drop_duplicates("value").dropna()
        both = " and ".join(f"{c.value:.10g} in row {c.row + 1}" for c in one[:2].itertuples())
        what = f"{name} of {groups[several.idxmax()]!r} is {both}; must be one for a group"
        raise TableError(table.source, what, column=column)
    values = by_group.first().where(~several, by_group.mean())
    return values.reindex(range(len(groups))).to_numpy(np.float64)


def _covariates(
    sources: Sequence[tuple[Columns, Sequence[str], pd.DataFrame]], groups: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The covariates of all tables, with what follows from C = 6ND, and warnings: a table that
    comes later fills what an earlier one leaves open.
    """
    known: dict[str, Any] = {}
    warnings: list[str] = []
    for columns, wanted, pairs in sources:
        for name in [name for name in wanted if name in columns.of]:
            values = _of_groups(columns, name, pairs, groups)
            gaps = int(np.isnan(columns.table.numbers(columns.of[name])[pairs["row"]]).sum())
            if name == "gold" and gaps:
                what = f"gold is missing in {counted(gaps, 'row')}; the mean is over the others"
                warnings.append(f"{columns.table.source}: {what}")
            held = known.get(name, values)
            if n := int(np.sum(np.abs(held - values) > AGREEMENT * np.abs(held))):
                what = f"{name} of {counted(n, 'group')} differs between two tables"
                warnings.append(f"{what}; that of {columns.table.source} is not taken")
            known[name] = np.where(np.isnan(held), values, held)
    budget, _, filled = fill(known, "group")
    every = known | budget
    covariates = {n: every[n] for n in COVARIATES if n in every and not np.isnan(every[n]).all()}
    sizes = {name: values for name, values in covariates.items() if name in BUDGET}
    full = ~np.isnan([*sizes.values()]).any(axis=0)
    at_full = {name: values[full] for name, values in sizes.items() if full.any()}
    warnings += [*filled, *(doubts(at_full, {name: name for name in known}) if at_full else ())]
    for name, values in covariates.items():
        lacking = [groups[g] for g in np.flatnonzero(np.isnan(values)).tolist()]
        if lacking:
            what = f"{counted(len(lacking), 'group')} of {len(groups)} ({listed(lacking)})"
            warnings.append(f"no {name} for {what}")
    return covariates, warnings
