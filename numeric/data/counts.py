"""Counts: how many samples of each model at each problem, and how many of them were correct; and
tables of pass@k.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TableError
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
TWICE = "hold the same {} of the same group: --column model= says what makes a group"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(View):
    """Samples and correct ones by group and problem; read with :meth:`Counts.read`.

    A group is a model, or a model on a benchmark. R rows, G groups.

    Attributes
    ----------
    by, labels : tuple of str, tuple of tuple of str
        Of benchmark and model those that there are; the values of each of the G groups.
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
        models, gold : path or table, optional
            params, tokens and compute of each group, two of which give the third by C = 6ND, and
            the -log probability of the gold reference solution in nats, of each group or problem
            (then the mean counts), joined on those of model and benchmark that both tables have.
            Without these tables `data` may have such columns itself.

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
            return data.unread(columns=columns, where=where, models=models, gold=gold)
        sides = {"models": models, "gold": gold}
        sides = {name: side for name, side in sides.items() if side is not None}
        return _read(data, columns or {}, where, sides)

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
        labels = named(labels, {name: self.columns[name] for name in self.by})
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
    data: Any, columns: Mapping[str, str | None], where: str | None, sides: Mapping[str, Any]
) -> Counts:
    """See `Counts.read`; `sides`: the tables of models and of gold references."""
    elsewhere = {name: side for side in sides for name in BESIDE[side]}
    said: dict[str, dict[str, str | None]] = {side: {} for side in ("", *sides)}
    for key, column in columns.items():
        said[elsewhere.get(quantity_named(key, COUNTS) or "", "")][key] = column
    table, of, _ = recognise(table_of(data), COUNTS.without(elsewhere), said[""])
    table, of = _as_samples(table, of)
    require(table, of, *NEEDED)
    view, by, labels = _grouped(
        read_rows(table, of, COUNTS, (*NEEDED, "problem", *GROUPING), where)
    )
    frame, warnings = view.frame, [*view.warnings]
    n, c = frame["n_samples"], frame["n_correct"]
    view.refuse("n_correct", c > n, "at most n_samples")
    if "problem" not in of:
        warnings.append("no column for problem: every row is taken as a problem of its own")
    problem = texts(frame["problem"]) if "problem" in of else frame.index.astype(str)
    own = _one_each(view, ["group"])
    frame = frame[["group"]].assign(problem=problem, n=n.astype(np.int64), c=c.astype(np.int64))
    if of["n_samples"] == A_SAMPLE:
        keys, rows = ["group", "problem"], counted(len(frame), "row")
        summed = frame.groupby(keys, sort=False)[["n", "c"]].transform("sum")
        frame = frame.assign(**summed)[~frame.duplicated(keys)]
        warnings.append(f"{rows} taken as samples of {counted(len(frame), 'problem')}")
    view = replace(view, frame=frame)
    view.refuse_twice(["group", "problem"], TWICE.format("problem"))
    for side, other in sides.items():
        found, more = _beside({name: of[name] for name in by}, labels, side, other, said[side])
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


def _grouped(view: View) -> tuple[View, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows with the number of their group; what makes groups; and what these are called, in order
    of first appearance.
    """
    by = tuple(name for name in GROUPING if name in view.columns)
    labels = [*zip(*(texts(view.frame[name]) for name in by), strict=True)] or [()] * len(view)
    index = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    group = np.array([index[label] for label in labels], dtype=np.int64)
    return replace(view, frame=view.frame.assign(group=group)), by, tuple(index)


def _one_each(view: View, keys: Sequence[str]) -> DataFrame:
    """The covariates of the rows that have the same keys: the mean of gold; of others the one that
    all of them have.
    """
    names = [name for name in COVARIATES if name in view.frame]
    each = view.frame.groupby([*keys], sort=False)
    for name in [name for name in names if name != "gold"]:
        view.refuse_several(name, [view.frame[key] for key in keys], "group")
    return each.agg({name: "mean" if name == "gold" else "first" for name in names})


def _beside(
    by: Mapping[str, str],
    labels: Sequence[tuple[str, ...]],
    side: str,
    data: Any,
    columns: Mapping[str, str | None],
) -> tuple[DataFrame, list[str]]:
    """What another table knows of the groups, by what both have of benchmark and model, and what is
    said of its rows. `by`: quantity -> its column in the table of counts, which may be in both.
    """
    import pandas as pd

    kind = COUNTS.without([x for x in COUNTS.quantities if x not in (*GROUPING, *BESIDE[side])])
    table = table_of(data, side)
    same = {name: column for name, column in by.items() if column in table.names}
    table, of, _ = recognise(table, kind, {**same, **columns})
    there = [name for name in BESIDE[side] if name in of]
    require(table, of, *([] if there else BESIDE[side]))
    shared, groups = [name for name in by if name in of], pd.DataFrame(labels, columns=[*by])
    if not shared:
        known = "no column in common with the groups"
        raise TableError(table.source, f"has {known}, by {listed(by)}")
    for name in [name for name in by if name not in shared and side == "gold"]:
        if len(several := groups[name].unique()) > 1:
            what = f"has no column {name!r}, and the counts hold several: {listed(several)}"
            raise TableError(table.source, what)
    held = read_rows(table, of, kind, there, None)
    keys = {name: texts(held.frame[name]) for name in shared}
    known = _one_each(replace(held, frame=held.frame.assign(**keys)), shared)
    found = groups.join(known, on=shared)[[*known]]
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
    ) -> PassTable:
        """A table of pass@k, from a file or from memory; one that is read already as it is.

        `columns`, `where`: see `Counts.read`; the quantities are k, pass_at_k, model and benchmark.
        A ValueError where the table cannot be read or lacks a column, a k is no whole number of at
        least 1, or comes twice in a group.
        """
        if isinstance(data, PassTable):
            return data.unread(columns=columns, where=where)
        table, of, _ = recognise(table_of(data), PASS_AT_K, columns)
        require(table, of, "k", "pass_at_k")
        rows = read_rows(table, of, PASS_AT_K, ("k", "pass_at_k", *GROUPING), where)
        view, by, labels = _grouped(rows)
        view.refuse_twice(["group", "k"], TWICE.format("k"))
        return cls(by=by, labels=labels, **vars(view))

    def groups(self) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
        """Of each group, in order of appearance, what its columns hold; and in order of k the values
        of k, int64, those of pass@k, as they stand in the source, and their rows.
        """
        for index, part in self.frame.sort_values("k").groupby("group"):
            label = dict(zip(self.by, self.labels[index], strict=True))
            k, values = part["k"].to_numpy(np.int64), part["pass_at_k"].to_numpy()
            yield label, k, values, part.index.to_numpy()
