"""Counts: the numbers of samples of each model at each problem, and of the correct ones among them;
and tables of pass@k.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TableError
from ..words import counted, listed
from .columns import BUDGET, COUNTS, PASS_AT_K, quantity_named, recognise, require
from .rows import FrameColumn, View, doubts, named, read_rows
from .table import SourceTable, table_of, texts

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Counts", "PassTable"]

#: The quantities that make a group, those that a group may have, and those of each side table.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
SIDE_TABLES = {"models": BUDGET, "gold": ("gold",)}
NEEDED = ("n_samples", "n_correct")
#: How cells spell whether a sample is correct, and the name of the added column of 1 sample a row.
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": np.nan}
ONE_SAMPLE = "one sample a row"
TWICE = "hold the same {} of the same group: --column model= says what makes a group"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(View):
    """Numbers of samples and of correct ones by group and problem; read with :meth:`Counts.read`.

    A group is a model, or a model on a benchmark. There are R rows and G groups.

    Attributes
    ----------
    by, labels : tuple of str, tuple of tuple of str
        The columns that make groups, of benchmark and model; their values for each of the G groups.
    group : ndarray of int64, (R,)
        The group of each row, an index into ``labels``.
    problem : ndarray of object, (R,)
        The problem of each row, which no other row of the group has.
    n, c : ndarray of int64, (R,)
        The number of samples, at least 1, and of the correct ones among them.
    covariates : dict of str to ndarray of float64, (G,)
        params, tokens, compute (FLOP) and gold (mean -log probability of the gold reference
        solution, in nats); NaN where a group has none. A key that no group has is absent.
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`.
    """

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    covariates: dict[str, Any] = field(default_factory=dict)

    group, problem = FrameColumn(), FrameColumn()
    n, c = FrameColumn(), FrameColumn()

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
        """Read counts from a file or from a table in memory.

        Parameters
        ----------
        data : path, or anything that ``pandas.DataFrame`` accepts
            A row for each group and problem, with columns for the problem (``problem``,
            ``prompt_idx``, ``task_id``, ...), the samples (``n_samples``, ``n``, ...) and the
            correct ones (``n_correct``, ``c``, ...), or a row for each sample, with the problem and
            whether it is correct (``correct``, ``passed``, ...). Counts are returned as they are.
        columns : mapping, optional
            Quantity (problem, n_samples, n_correct, model, benchmark, params, tokens, compute,
            gold) -> column or expression, in the table that has it, as in `Runs.read`.
        where : str, optional
            Condition on a row of `data`, as in ``"benchmark == 'gsm8k' and n_samples >= 100"``.
        models, gold : path or table, optional
            A table with params, tokens and compute of each group, two of which give the third by
            C = 6ND; and one with the -log probability of the gold reference solution in nats, of
            each group or problem (its mean is taken). They are joined on model and benchmark, as
            far as both tables have them. Without these tables `data` may have such columns itself.

        Raises
        ------
        ValueError
            Naming file, row and column: where a table lacks a column, a count is not a whole number
            or exceeds the samples, a problem comes twice in a group, or a covariate differs within
            one.

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
        """The name of each group; ``all`` where no columns make groups."""
        return tuple(" ".join(label) or "all" for label in self.labels)

    def per_group(self, g: int) -> tuple[Any, Any]:
        """n and c of the problems of a group, in the order of the source."""
        return self.n[self.group == g], self.c[self.group == g]

    def named(self) -> DataFrame:
        """The groups, with a column for each name that a condition may use."""
        import pandas as pd

        labels = pd.DataFrame(self.labels, columns=[*self.by], dtype=object)
        labels = named(labels, {name: self.columns[name] for name in self.by})
        return named(labels.assign(**self.covariates), {name: name for name in self.covariates})

    def subset(self, index: Any) -> Counts:
        """The groups at a boolean mask or at indices, in that order, each at most once."""
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
    """Read counts, see `Counts.read`; `sides`: the side tables by name."""
    elsewhere = {name: side for side in sides for name in SIDE_TABLES[side]}
    given: dict[str, dict[str, str | None]] = {side: {} for side in ("", *sides)}
    for key, column in columns.items():
        given[elsewhere.get(quantity_named(key, COUNTS) or "", "")][key] = column
    table, column_of, _ = recognise(table_of(data), COUNTS.without(elsewhere), given[""])
    table, column_of = _as_samples(table, column_of)
    require(table, column_of, *NEEDED)
    needed = (*NEEDED, "problem", *GROUPING)
    view, by, labels = _grouped(read_rows(table, column_of, COUNTS, needed, where))
    frame, warnings = view.frame, [*view.warnings]
    n, c = frame["n_samples"], frame["n_correct"]
    view.refuse("n_correct", c > n, "at most n_samples")
    if "problem" not in column_of:
        warnings.append("no column for problem: every row is taken as a problem of its own")
    problem = texts(frame["problem"]) if "problem" in column_of else frame.index.astype(str)
    covariates = _covariates_by(view, ["group"])
    frame = frame[["group"]].assign(problem=problem, n=n.astype(np.int64), c=c.astype(np.int64))
    if column_of["n_samples"] == ONE_SAMPLE:
        keys, rows = ["group", "problem"], counted(len(frame), "row")
        summed = frame.groupby(keys, sort=False)[["n", "c"]].transform("sum")
        frame = frame.assign(**summed)[~frame.duplicated(keys)]
        warnings.append(f"{rows} taken as samples of {counted(len(frame), 'problem')}")
    view = replace(view, frame=frame)
    view.refuse_twice(["group", "problem"], TWICE.format("problem"))
    for side, other in sides.items():
        grouping = {name: column_of[name] for name in by}
        found, more = _joined(grouping, labels, side, other, given[side])
        covariates, warnings = covariates.join(found), warnings + more
    for name, values in covariates.items():
        lacking = [" ".join(label) for label, x in zip(labels, values, strict=True) if x != x]
        if lacking:
            groups = f"{counted(len(lacking), 'group')} of {len(labels)} ({listed(lacking)})"
            warnings.append(f"no {name} for {groups}")
    known = covariates.filter(COVARIATES).dropna(axis=1, how="all")
    warnings += doubts(known, {name: name for name in known})
    return Counts(
        by=by,
        labels=labels,
        covariates={name: known[name].to_numpy() for name in known},
        **vars(replace(view, warnings=tuple(warnings))),
    )


def _as_samples(
    table: SourceTable, column_of: dict[str, str]
) -> tuple[SourceTable, dict[str, str]]:
    """The table with a column of the number of samples, 1 each, if it has a row for each sample: a
    problem, whether the sample is correct (true or false; 1 or 0 where a problem has several rows),
    and no number of samples. Other tables are returned as they are.
    """
    if "n_samples" in column_of or not {"problem", "n_correct"} <= column_of.keys():
        return table, column_of
    is_correct = texts(table.frame[column_of["n_correct"]]).str.lower()
    keys = [column_of[name] for name in (*GROUPING, "problem") if name in column_of]
    has_truths = is_correct.isin(["true", "false"]).any()
    is_sample = table.frame[keys].duplicated().any() or has_truths
    if not is_sample or not is_correct.isin([*TRUTHS]).all():
        return table, column_of
    added = {column_of["n_correct"]: is_correct.map(TRUTHS), ONE_SAMPLE: 1.0}
    return replace(table, frame=table.frame.assign(**added)), column_of | {"n_samples": ONE_SAMPLE}


def _grouped(view: View) -> tuple[View, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows with the number of their group, the columns that make groups, and the labels of the
    groups in the order of their first appearance.
    """
    by = tuple(name for name in GROUPING if name in view.columns)
    labels = [*zip(*(texts(view.frame[name]) for name in by), strict=True)] or [()] * len(view)
    index = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    group = np.array([index[label] for label in labels], dtype=np.int64)
    return replace(view, frame=view.frame.assign(group=group)), by, tuple(index)


def _covariates_by(view: View, keys: Sequence[str]) -> DataFrame:
    """The covariates of the rows with the same keys: the mean of gold, and the one value of each
    other covariate, on which these rows must agree.
    """
    names = [name for name in COVARIATES if name in view.frame]
    each = view.frame.groupby([*keys], sort=False)
    for name in [name for name in names if name != "gold"]:
        view.refuse_several(name, [view.frame[key] for key in keys], "group")
    return each.agg({name: "mean" if name == "gold" else "first" for name in names})


def _joined(
    by: Mapping[str, str],
    labels: Sequence[tuple[str, ...]],
    side: str,
    data: Any,
    columns: Mapping[str, str | None],
) -> tuple[DataFrame, list[str]]:
    """The covariates of the groups in a side table, joined on those of benchmark and model that both
    tables have, and warnings about its rows. `by`: quantity -> its column in the table of counts,
    which the side table may have too.
    """
    import pandas as pd

    wanted = SIDE_TABLES[side]
    kind = COUNTS.without({*COUNTS.quantities} - {*GROUPING, *wanted})
    table = table_of(data, side)
    same = {name: column for name, column in by.items() if column in table.names}
    table, column_of, _ = recognise(table, kind, {**same, **columns})
    present = [name for name in wanted if name in column_of]
    require(table, column_of, *([] if present else wanted))
    shared = [name for name in by if name in column_of]
    groups = pd.DataFrame(labels, columns=[*by])
    if not shared:
        complaint = f"has no column in common with the groups, by {listed(by)}"
        raise TableError(table.source, complaint)
    for name in [name for name in by if name not in shared and side == "gold"]:
        if len(several := groups[name].unique()) > 1:
            complaint = f"has no column {name!r}, and the counts hold several: {listed(several)}"
            raise TableError(table.source, complaint)
    view = read_rows(table, column_of, kind, present, None)
    keys = {name: texts(view.frame[name]) for name in shared}
    known = _covariates_by(replace(view, frame=view.frame.assign(**keys)), shared)
    found = groups.join(known, on=shared)[[*known]]
    return found, [f"{table.source}: {note}" for note in view.notes]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassTable(View):
    """Values of pass@k by group and k; read with :meth:`PassTable.read`. `by`, `labels`: see
    `Counts`.
    """

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
        """Read a table of pass@k from a file or from memory; a PassTable is returned as it is.

        `columns`, `where`: see `Counts.read`; the quantities are k, pass_at_k, model and benchmark.
        A ValueError where the table cannot be read or lacks a column, or a k is not a whole number
        of at least 1, or comes twice in a group.
        """
        if isinstance(data, PassTable):
            return data.unread(columns=columns, where=where)
        table, column_of, _ = recognise(table_of(data), PASS_AT_K, columns)
        require(table, column_of, "k", "pass_at_k")
        rows = read_rows(table, column_of, PASS_AT_K, ("k", "pass_at_k", *GROUPING), where)
        view, by, labels = _grouped(rows)
        view.refuse_twice(["group", "k"], TWICE.format("k"))
        return cls(by=by, labels=labels, **vars(view))

    def groups(self) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
        """The groups in the order of their appearance: the labels by column; and, ordered by k, the
        values of k, int64, those of pass@k as they stand in the source, and the rows.
        """
        for index, part in self.frame.sort_values("k").groupby("group"):
            label = dict(zip(self.by, self.labels[index], strict=True))
            k, values = part["k"].to_numpy(np.int64), part["pass_at_k"].to_numpy()
            yield label, k, values, part.index.to_numpy()
