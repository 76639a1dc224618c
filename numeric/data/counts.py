"""Counts: how many samples of each model at each problem, and how many of them were correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import counted, listed
from .columns import BUDGET, COUNTS, PASS_AT_K, quantity_named, recognise, require
from .rows import Column, View, doubts, named, read_rows
from .table import Table, table_of, texts

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Counts", "PassTable"]

#: What makes a group, what a group may have besides, and which of that each other table holds.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
BESIDE = {"models": BUDGET, "gold": ("gold",)}
NEEDED = ("n_samples", "n_correct")
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
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`.
    """

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    covariates: dict[str, Any] = field(default_factory=dict)

    group, problem, n, c = Column(), Column(), Column(), Column()

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
            gold) -> column or expression, in the table that has it, as of `Runs.read`.
        where : str, optional
            Condition on a row of `data`, as in ``"benchmark == 'gsm8k' and n_samples >= 100"``.
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
        if isinstance(data, Counts):
            return data.unread(columns=columns, where=where, by=by, models=models, gold=gold)
        sides = {"models": models, "gold": gold}
        return _read(
            data, columns or {}, where, by, {n: x for n, x in sides.items() if x is not None}
        )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The values of each group on one line; ``all`` where no columns make groups."""
        return tuple(" ".join(label) or "all" for label in self.labels)

    def per_group(self, g: int) -> tuple[Any, Any]:
        """n and c of the problems of a group, in order of the source."""
        return self.n[self.group == g], self.c[self.group == g]

    def named(self) -> DataFrame:
        """The groups, with a column for each name that a condition may have."""
        import pandas as pd

        labels = pd.DataFrame(self.labels, columns=[*self.by], dtype=object)
        return named(labels.assign(**self.covariates), {name: name for name in self.covariates})

    def subset(self, index: Any) -> Counts:
        """The groups at a boolean mask or at indices, each at most once, in that order."""
        places = np.arange(len(self))[index]
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        frame = self.frame.assign(group=new[self.group])
        covariates = {name: values[places] for name, values in self.covariates.items()}
        return replace(
            self,
            frame=frame[frame["group"] >= 0].sort_values("group", kind="stable"),
            labels=tuple(self.labels[place] for place in places),
            covariates={n: v for n, v in covariates.items() if np.isfinite(v).any()},
        )


def _read(
    data: Any,
    columns: Mapping[str, str | None],
    where: str | None,
    by: str | Sequence[str] | None,
    sides: Mapping[str, Any],
) -> Counts:
    """See `Counts.read`; `sides`: the tables of models and of gold references."""
    import pandas as pd

    elsewhere = {name: side for side in sides for name in BESIDE[side]}
    said: dict[str, dict[str, str | None]] = {side: {} for side in ("", *sides)}
    for key, column in columns.items():
        said[elsewhere.get(quantity_named(key, COUNTS) or "", "")][key] = column
    wanted = {name: spelt for name, spelt in COUNTS.items() if name not in elsewhere}
    table, of = _as_samples(*recognise(table_of(data), wanted, said[""])[:2])
    require(table, of, *NEEDED)
    view, by, labels = _grouped(table, of, COUNTS, by, (*NEEDED, "problem"), where)
    frame, warnings = view.frame, [*view.warnings]
    n, c = frame["n_samples"], frame["n_correct"]
    view.refuse("n_samples", ~is_whole(n, 1), "a whole number from 1 to 2^53")
    view.refuse("n_correct", ~is_whole(c, 0), "a whole number from 0 to 2^53")
    view.refuse("n_correct", c > n, "at most n_samples")
    if "problem" not in of:
        warnings.append("no column for problem: every row is taken as a problem of its own")
    problem = texts(frame["problem"]) if "problem" in of else frame.index.astype(str)
    own = _one_each(view, frame, ["group"])
    frame = frame[["group"]].assign(problem=problem, n=n.astype(np.int64), c=c.astype(np.int64))
    if of["n_samples"] == A_SAMPLE:
        keys, rows = ["group", "problem"], counted(len(frame), "row")
        summed = frame.groupby(keys, sort=False)[["n", "c"]].transform("sum")
        frame = frame.assign(**summed)[~frame.duplicated(keys)]
        warnings.append(f"{rows} taken as samples of {counted(len(frame), 'problem')}")
    view = replace(view, frame=frame)
    cure = "hold the same problem of the same group: by= (--by) makes groups"
    view.refuse_twice(["group", "problem"], cure)
    names = pd.DataFrame(labels, columns=[*by])
    for side, other in sides.items():
        found, more = _beside(of, names, side, other, said[side])
        own, warnings = own.join(found), warnings + more
    for name in own:
        lacking = [" ".join(label) for label, x in zip(labels, own[name], strict=True) if x != x]
        if lacking:
            what = f"{counted(len(lacking), 'group')} of {len(labels)} ({listed(lacking)})"
            warnings.append(f"no {name} for {what}")
    known = own[[name for name in COVARIATES if name in own]].dropna(axis=1, how="all")
    warnings += doubts(known, {name: name for name in known})
    covariates = {name: known[name].to_numpy() for name in known}
    fields = vars(replace(view, warnings=tuple(warnings)))
    return Counts(by=by, labels=labels, covariates=covariates, **fields)


def _grouped(
    table: Table,
    of: Mapping[str, str],
    kind: Mapping[str, str],
    by: str | Sequence[str] | None,
    needed: Sequence[str],
    where: str | None,
) -> tuple[View, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows with the number of their group; the columns that make groups, by default those for
    benchmark and model; and what these hold in each group, in order of first appearance.
    """
    usual = [of[name] for name in GROUPING if name in of]
    given = usual if by is None else [by] if isinstance(by, str) else [*by]
    for name in [name for name in given if name not in table.names]:
        hint = f"{close_matches(name, table.names)}; {table.source} has {listed(table.names)}"
        raise ArgumentError("by", by, complaint=f"no column {name!r}{hint}")
    of = {name: x for name, x in of.items() if name not in COVARIATES or x not in given}
    quantities = {column: name for name, column in of.items()}
    own = {quantities.get(column, column): column for column in given}
    view = read_rows(table, {**of, **own}, kind, (*needed, *own), where)
    labels = [*zip(*(texts(view.frame[name]) for name in own), strict=True)] or [()] * len(view)
    index = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    frame = view.frame.assign(group=np.array([index[label] for label in labels], dtype=np.int64))
    return replace(view, frame=frame, columns=of), tuple(given), tuple(index)


def _as_samples(table: Table, of: dict[str, str]) -> tuple[Table, dict[str, str]]:
    """The same with a column of numbers of samples, 1 each, where a table has a row for each sample:
    a problem, whether the sample is correct (true or false; 1 or 0 where a problem has several
    rows), and no number of samples.
    """
    if "n_samples" in of or not {"problem", "n_correct"} <= of.keys():
        return table, of
    said = texts(table.frame[of["n_correct"]]).str.lower()
    problems = table.frame[[of[name] for name in (*GROUPING, "problem") if name in of]]
    is_sample = problems.duplicated().any() or said.isin(["true", "false"]).any()
    if not is_sample or not said.isin([*TRUTHS]).all():
        return table, of
    frame = table.frame.assign(**{of["n_correct"]: said.map(TRUTHS), A_SAMPLE: 1.0})
    return replace(table, frame=frame), of | {"n_samples": A_SAMPLE}


def is_whole(values: Any, least: int) -> Any:
    """Which numbers are whole, at least so much, and not so large that floats do not hold them."""
    return (values == np.floor(values)) & (values >= least) & (values <= 2.0**53)


def _one_each(view: View, frame: DataFrame, keys: Sequence[str]) -> DataFrame:
    """The covariates of the rows that have the same keys: the mean of gold; of others the one that
    all of them have.
    """
    names = [name for name in COVARIATES if name in frame]
    each = frame.groupby([*keys], sort=False)
    for name in [name for name in names if name != "gold"]:
        for row in frame.index[each[name].transform("nunique") > 1][:1]:
            what = f"{name} is not the same in all rows of its group; must be one"
            raise view.error(what, row, column=view.columns.get(name))
    return each.agg({name: "mean" if name == "gold" else "first" for name in names})


def _beside(
    of: Mapping[str, str],
    names: DataFrame,
    side: str,
    data: Any,
    columns: Mapping[str, str | None],
) -> tuple[DataFrame, list[str]]:
    """What another table knows of the groups, by the columns that it has in common with their names,
    and what is said of its rows.
    """
    wanted = {name: COUNTS[name] for name in (*GROUPING, *BESIDE[side])}
    table, theirs, _ = recognise(table_of(data, side), wanted, columns)
    there = [name for name in BESIDE[side] if name in theirs]
    require(table, theirs, *([] if there else BESIDE[side]))
    alike = {of[name]: theirs[name] for name in GROUPING if {name} <= of.keys() & theirs.keys()}
    shared = {name: alike.get(name, name) for name in names if alike.get(name, name) in table.names}
    if not shared:
        raise TableError(
            table.source, f"has no column in common with the groups, by {listed(names)}"
        )
    for name in [name for name in names if name not in shared and side == "gold"]:
        if len(several := names[name].unique()) > 1:
            what = f"has no column {name!r}, and the counts hold several: {listed(several)}"
            raise TableError(table.source, what)
    held = read_rows(table, {name: theirs[name] for name in there}, wanted, there, None)
    keys = {name: texts(table.frame[column])[held.frame.index] for name, column in shared.items()}
    known = _one_each(held, held.frame.assign(**keys), [*shared])
    found = names.join(known, on=[*shared])[[*known]]
    return found, [f"{table.source}: {what}" for what in held.notes]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassTable(View):
    """pass@k by group and k; read with :meth:`PassTable.read`. `by`, `labels`: see `Counts`."""

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def read(
        cls,
        data: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        where: str | None = None,
        by: str | Sequence[str] | None = None,
    ) -> PassTable:
        """A table of pass@k, from a file or from memory; one that is read already as it is.

        `columns`, `where`, `by`: see `Counts.read`; the quantities are k, pass_at_k, model and
        benchmark. A ValueError where the table cannot be read or lacks a column, a k is no whole
        number of at least 1, or comes twice in a group.
        """
        if isinstance(data, PassTable):
            return data.unread(columns=columns, where=where, by=by)
        table, of, _ = recognise(table_of(data), PASS_AT_K, columns)
        require(table, of, "k", "pass_at_k")
        view, by, labels = _grouped(table, of, PASS_AT_K, by, ("k", "pass_at_k"), where)
        view.refuse("k", ~is_whole(view.frame["k"], 1), "a whole number from 1 to 2^53")
        cure = "hold the same k of the same group: by= (--by) makes groups"
        view.refuse_twice(["group", "k"], cure)
        return cls(by=by, labels=labels, **vars(view))

    def groups(self) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
        """Of each group, in order of appearance, what its columns hold; and in order of k the values
        of k, int64, those of pass@k, as they stand in the source, and their rows.
        """
        for index, part in self.frame.sort_values("k").groupby("group"):
            label = dict(zip(self.by, self.labels[index], strict=True))
            k, values = part["k"].to_numpy(np.int64), part["pass_at_k"].to_numpy()
            yield label, k, values, part.index.to_numpy()
