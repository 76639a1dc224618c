"""Counts: how many samples of each model at each problem, and how many of them were correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed
from .columns import BUDGET, COUNTS, PASS_AT_K, quantity_named, recognise, require
from .rows import Rows, View, doubts, lost_rows, repeated
from .table import Table, table_of

__all__ = ["Counts", "pass_groups"]

#: What makes a group, what a group may have besides, and which of that each other table holds.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
BESIDE = {"models": BUDGET, "gold": ("gold",)}
NEEDED, WHOLE = ("n_samples", "n_correct"), "a whole number from {} to 2^53"
#: Whether a sample is correct, as it is spelt, and the column that says that a row is one sample.
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": np.nan}
A_SAMPLE = "one sample a row"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(View):
    """Samples and correct ones by group and problem; read with :meth:`Counts.read`.

    A group is a model, or a model on a benchmark. R rows, G groups.

    Attributes
    ----------
    by, labels : tuple of str, tuple of tuple of str
        The columns whose values make a group, and the values of each of the G groups.
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
        See `View`.
    """

    aligned = ("group", "problem", "n", "c", "row")

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    group: Any
    problem: Any
    n: Any
    c: Any
    covariates: dict[str, Any] = field(default_factory=dict)

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
            gold) -> column or expression, in the table that has it; None: there is none. Others are
            recognised by name.
        where : str, optional
            Condition on a row of `data`, as in ``"benchmark == 'gsm8k' and n_samples >= 100"``; see
            :mod:`isoflop.numeric.data.where`.
        by : str or sequence of str, optional
            Columns whose values make a group; by default those for benchmark and model.
        models, gold : path or table, optional
            params, tokens and compute of each group, two of which give the third by C = 6ND, and
            the -log probability of the gold reference solution in nats, of each group or problem
            (then the mean counts), joined on the columns of `by` that both tables have. Without
            these tables `data` may have such columns itself.

        Raises
        ------
        ValueError
            Naming file, row and column: where a table lacks a column, a count is no whole number or
            beyond the samples, a problem comes twice in a group, or a covariate differs within one.

        Examples
        --------
        >>> counts = Counts.read(
        ...     {"model": ["a", "a", "b"], "problem": [1, 2, 1], "n": [10, 10, 20], "c": [0, 3, 20]}
        ... )
        >>> counts.names, counts.n.tolist(), counts.per_group(0)[1].tolist()
        (('a', 'b'), [10, 10, 20], [0, 3])
        """
        beside = {"models": models, "gold": gold}
        if isinstance(data, Counts):
            return data._unread(columns=columns, where=where, by=by, **beside)
        return _read(data, columns or {}, where, by, beside)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The values of each group on one line; ``all`` where no columns make groups."""
        return tuple(" ".join(label) or "all" for label in self.labels)

    def per_group(self, g: int) -> tuple[Any, Any]:
        """n and c of the problems of a group, in order of the source."""
        return self.n[self.group == g], self.c[self.group == g]

    def pairs(self) -> tuple[Any, Any, Any]:
        """The different pairs (n, c), (U,) each, and the index into them of every row, (R,)."""
        pairs, index = np.unique(np.stack([self.n, self.c]), axis=1, return_inverse=True)
        n, c = np.ascontiguousarray(pairs)
        return n, c, index.ravel()

    def subset(self, groups: Any) -> Counts:
        """The groups at a boolean mask or at indices, each at most once, in that order."""
        places = np.arange(len(self))[groups]
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


def _read(
    data: Any,
    columns: Mapping[str, str | None],
    where: str | None,
    by: str | Sequence[str] | None,
    beside: Mapping[str, Any],
) -> Counts:
    """See `Counts.read`; `beside`: the tables of models and of gold references."""
    import pandas as pd

    sides = {side: held for side, held in beside.items() if held is not None}
    elsewhere = {name for side in sides for name in BESIDE[side]}
    wanted = {name: spelt for name, spelt in COUNTS.items() if name not in elsewhere}
    quantity = {key: quantity_named(key, COUNTS) for key in columns}
    own = {key: column for key, column in columns.items() if quantity[key] not in elsewhere}
    table, of = _as_samples(*recognise(table_of(data), wanted, own)[:2])
    require(table, of, *NEEDED)
    by, rows = _grouping(table, of, by), Rows(table, of)
    rows.read([*NEEDED, *(n for n in COVARIATES if n in of and of[n] not in by)], NEEDED)
    rows.drop_empty(*by, *(["problem"] if "problem" in of else []))
    rows.select(where, "has counts")
    for side, other in sides.items():
        theirs = {key: column for key, column in columns.items() if quantity[key] in BESIDE[side]}
        rows.numbers |= _joined(rows, by, side, other, theirs)
    rows.complete()
    n, c = (rows.numbers[name] for name in NEEDED)
    rows.refuse("n_samples", is_fraction(n) | (n < 1), WHOLE.format(1))
    rows.refuse("n_correct", is_fraction(c) | (c < 0), WHOLE.format(0))
    rows.refuse("n_correct", c > n, "at most n_samples")
    has_problems = "problem" in of
    problem = table.texts(of["problem"]) if has_problems else table.frame.index.astype(str)
    if not has_problems:
        rows.warnings.append("no column for problem: every row is taken as a problem of its own")
    group, labels = rows.grouped(by)
    frame = pd.DataFrame({"problem": problem, "n": n, "c": c}).iloc[rows.rows]
    frame = frame.assign(group=group, row=rows.rows)
    if of["n_samples"] == A_SAMPLE:
        summed = frame.groupby(["group", "problem"], sort=False, as_index=False)
        frame = summed.agg(n=("n", "sum"), c=("c", "sum"), row=("row", "first"))
        what = f"{counted(len(group), 'row')} taken as samples of {counted(len(frame), 'problem')}"
        rows.warnings.append(what)
    if twice := repeated(frame, ["group", "problem"]):
        free = {*table.names} - {*by, *(of.get(name) for name in (*NEEDED, "problem"))}
        differ = [name for name in free if len({*table.texts(name)[twice]}) > 1]
        cure = f"by= (--by) makes groups{f'; they differ in {listed(differ)}' if differ else ''}"
        raise rows.error(f"hold the same problem of the same group: {cure}", *twice)
    held = _covariates(rows, group, labels)
    for name, values in held.items():
        lacking = [" ".join(label) for label, x in zip(labels, values, strict=True) if np.isnan(x)]
        if lacking:
            what = f"{counted(len(lacking), 'group')} of {len(labels)} ({listed(lacking)})"
            rows.warnings.append(f"no {name} for {what}")
    return Counts(
        by=by,
        labels=labels,
        problem=frame["problem"].to_numpy(object),
        **{name: frame[name].to_numpy(np.int64) for name in ("group", "n", "c")},
        row=frame["row"].to_numpy(np.int64) + 1,
        covariates={name: held[name] for name in COVARIATES if name in held},
        **rows.origin(*doubts(held, {name: name for name in held})),
    )


def _grouping(
    table: Table, of: Mapping[str, str], by: str | Sequence[str] | None
) -> tuple[str, ...]:
    """The columns that make a group; by default those for benchmark and model."""
    if by is None:
        return tuple(of[name] for name in GROUPING if name in of)
    given = (by,) if isinstance(by, str) else tuple(by)
    for name in given:
        if name not in table.names:
            hint = f"{close_matches(name, table.names)}; {table.source} has {listed(table.names)}"
            raise ArgumentError("by", by, complaint=f"no column {name!r}{hint}")
    return given


def _as_samples(table: Table, of: dict[str, str]) -> tuple[Table, dict[str, str]]:
    """The same with a column of numbers of samples, 1 each, where a table has a row for each sample:
    a problem, whether the sample is correct (true or false; 1 or 0 where a problem has several
    rows), and no number of samples.
    """
    if "n_samples" in of or not {"problem", "n_correct"} <= of.keys():
        return table, of
    texts = [text.lower() for text in table.texts(of["n_correct"])]
    keys = table.labels(of[name] for name in (*GROUPING, "problem") if name in of)
    is_repeated = len({*keys}) < len(keys) or not {"true", "false"}.isdisjoint(texts)
    if not ({*texts} <= TRUTHS.keys() and is_repeated):
        return table, of
    correct = [TRUTHS[text] for text in texts]
    frame = table.frame.assign(**{of["n_correct"]: correct, A_SAMPLE: 1.0})
    return replace(table, frame=frame), of | {"n_samples": A_SAMPLE}


def is_fraction(values: Any) -> Any:
    """Which numbers are not whole, or so large that floats do not hold them exactly."""
    return ~((values == np.floor(values)) & (np.abs(values) <= 2.0**53))


def _joined(
    rows: Rows, by: Sequence[str], side: str, data: Any, columns: Mapping[str, str | None]
) -> dict[str, Any]:
    """What another table knows of the group of each row, joined on the columns that both have."""
    import pandas as pd

    wanted = {name: COUNTS[name] for name in (*GROUPING, *BESIDE[side])}
    other, theirs, _ = recognise(table_of(data, side), wanted, columns)
    there = [name for name in BESIDE[side] if name in theirs]
    require(other, theirs, *([] if there else BESIDE[side]))
    alike = {rows.of[n]: theirs[n] for n in GROUPING if n in rows.of and n in theirs}
    shared = {name: alike.get(name, name) for name in by if alike.get(name, name) in other.names}
    if not shared:
        raise TableError(other.source, f"has no column in common with the groups, by {listed(by)}")
    for name in [name for name in by if name not in shared and side == "gold"]:
        if len(several := dict.fromkeys(rows.table.texts(name)[rows.rows])) > 1:
            what = f"has no column {name!r}, and the counts hold several: {listed(several)}"
            raise TableError(other.source, what)
    on, held = [*shared], Rows(other, theirs)
    held.read(there, there)
    lost = lost_rows(0, held.origin()["dropped"])
    rows.warnings += [f"{other.source}: {what}" for what in (*held.warnings, lost) if what]
    known = pd.DataFrame({name: other.texts(column) for name, column in shared.items()})
    known = known.assign(**{f"{name} of {side}": held.numbers[name] for name in there})
    known = known.iloc[held.rows]
    known = known.groupby(on, as_index=False).mean() if side == "gold" else known.drop_duplicates()
    groups = pd.DataFrame({name: rows.table.texts(name) for name in on})
    try:
        joined = groups.merge(known, "left", on=on, validate="many_to_one")
    except pd.errors.MergeError:
        what = f"holds several {' or '.join(there)} of one group, by {listed(on)}"
        raise TableError(other.source, what) from None
    values: dict[str, Any] = {n: joined[f"{n} of {side}"].to_numpy() for n in there}
    if all(np.isnan(numbers).all() for numbers in values.values()):
        what = f"none of its rows is of a group in the counts, by {listed(on)}"
        raise TableError(other.source, what)
    return values


def _covariates(rows: Rows, group: Any, labels: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """Quantities of the groups, (G,) each, as far as any group has one: the mean for gold, else the
    one that all rows of the group have. `group`: of each row in use.
    """
    import pandas as pd

    held: dict[str, Any] = {}
    for name in [name for name in COVARIATES if name in rows.numbers]:
        by_group = pd.Series(rows.numbers[name][rows.rows]).groupby(group)
        if name != "gold" and ((several := by_group.nunique()) > 1).any():
            which = " ".join(labels[int(several.idxmax())])
            what = f"{name} of {which!r} is not the same in all rows; must be one for a group"
            raise TableError(rows.table.source, what, column=rows.of.get(name))
        values = (by_group.mean() if name == "gold" else by_group.first()).to_numpy(np.float64)
        held |= {} if np.isnan(values).all() else {name: values}
    return held


def pass_groups(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    by: str | Sequence[str] | None = None,
) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
    """Of each group of a table of pass@k, in order of appearance, what its columns hold; and in order
    of k the values of k, int64, those of pass@k, as they stand in the source, and their rows.

    `columns`, `where`, `by`: see `Counts.read`; the quantities are k, pass_at_k, model and
    benchmark. A ValueError where the table cannot be read or lacks a column, a k is no whole number
    of at least 1, or comes twice in a group.
    """
    import pandas as pd

    table, of, _ = recognise(table_of(data), PASS_AT_K, columns)
    require(table, of, "k", "pass_at_k")
    by, rows = _grouping(table, of, by), Rows(table, of)
    rows.read(("k", "pass_at_k"), ("k", "pass_at_k"))
    rows.select(where, "has k and pass@k")
    k = rows.numbers["k"]
    rows.refuse("k", is_fraction(k) | (k < 1), WHOLE.format(1))
    group, labels = rows.grouped(by)
    frame = pd.DataFrame(rows.numbers).iloc[rows.rows].assign(group=group, row=rows.rows)
    if twice := repeated(frame, ["group", "k"]):
        hint = "name the columns that make a group by by= (--by)"
        raise rows.error(f"hold the same k of the same group; {hint}", *twice)
    for index, part in frame.sort_values("k").groupby("group"):
        label = dict(zip(by, labels[index], strict=True))
        values, row = part["pass_at_k"].to_numpy(), part["row"].to_numpy() + 1
        yield label, part["k"].to_numpy(np.int64), values, row
