"""Counts: the numbers of samples of each model at each problem, and of the correct ones among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..words import counted, listed
from .columns import BUDGET, COUNTS, recognise, require
from .rows import FrameColumn, View, doubts, named, read_rows, refuse_twice
from .table import SourceTable, texts

if TYPE_CHECKING:
    from pandas import DataFrame

#: The quantities that make a group, and those that a group may have.
GROUPING, COVARIATES = ("benchmark", "model"), (*BUDGET, "gold")
NEEDED = ("n_samples", "n_correct")
#: How cells spell whether a sample is correct, and the name of the added column of 1 sample a row.
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "": np.nan}
ONE_SAMPLE = "one sample a row"
TWICE = "hold the same problem of the same group: --column model= says what makes a group"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Counts(View):
    """Numbers of samples and of correct ones by group and problem; read with :meth:`Counts.read`. A
    group is a model, or a model on a benchmark; there are G of them.

    The table has a row for each group and problem, with columns for the problem (``problem``,
    ``prompt_idx``, ``task_id``, ...), the samples (``n_samples``, ``n``, ...) and the correct ones
    (``n_correct``, ``c``, ...), or a row for each sample, with the problem and whether it is correct
    (``correct``, ``passed``, ...); and where they are known model, benchmark and the params, tokens
    and compute of the group, two of which give the third by C = 6ND, and gold, the -log probability
    of the gold reference solution in nats (the mean over rows is taken). It is refused where a count
    is not a whole number or exceeds the samples, a problem comes twice in a group, or the size of a
    group differs between its rows.

    Attributes
    ----------
    group : ndarray of int64, (R,)
        The group of each of the R rows, numbered in order of appearance.
    problem : ndarray of object, (R,)
        The problem of each row, which no other row of the group has.
    n, c : ndarray of int64, (R,)
        The number of samples, at least 1, and of the correct ones among them.
    frame, row, columns, source, n_rows, left_out, dropped, warnings
        See `View`.

    Examples
    --------
    >>> counts = Counts.read(
    ...     {"model": ["a", "a", "b"], "problem": [1, 2, 1], "n": [10, 10, 20], "c": [0, 3, 20]}
    ... )
    >>> counts.names, counts.n.tolist(), counts.per_group(0)[1].tolist()
    (('a', 'b'), [10, 10, 20], [0, 3])
    """

    group, problem = FrameColumn(), FrameColumn()
    n, c = FrameColumn(), FrameColumn()

    @classmethod
    def _read(
        cls, table: SourceTable, columns: Mapping[str, str | None] | None, where: str | None
    ) -> Self:
        table, column_of = _as_samples(*recognise(table, COUNTS, columns))
        require(table, column_of, *NEEDED)
        needed = (*NEEDED, "problem", *GROUPING)
        counts = cls(**vars(read_rows(table, column_of, COUNTS, needed, where)))
        frame, by, warnings = counts.frame, [*counts.by], [*counts.warnings]
        counts.refuse("n_correct", frame["n_correct"] > frame["n_samples"], "at most n_samples")
        if "problem" not in column_of:
            warnings.append("no column for problem: every row is taken as a problem of its own")
        problem = texts(frame["problem"]) if "problem" in column_of else frame.index.astype(str)
        labels = frame[by].apply(texts)
        group = labels.groupby(by, sort=False).ngroup() if by else frame.assign(group=0)["group"]
        covariates = [name for name in COVARIATES if name in frame]
        for name in [name for name in covariates if name != "gold"]:
            counts.refuse_several(name, group, "group")
        each = frame[covariates].groupby(group)
        of_groups = each.first().assign(**each[["gold"]].mean() if "gold" in covariates else {})
        names = {"n_samples": "n", "n_correct": "c"}
        rows = frame[[*names]].rename(columns=names).astype(np.int64)
        rows = labels.assign(group=group, problem=problem).join(rows)
        if column_of["n_samples"] == ONE_SAMPLE:
            keys, taken = ["group", "problem"], counted(len(rows), "row")
            summed = rows.groupby(keys, sort=False)[["n", "c"]].transform("sum")
            rows = rows.assign(**summed)[~rows.duplicated(keys)]
            warnings.append(f"{taken} taken as samples of {counted(len(rows), 'problem')}")
        refuse_twice(counts, rows, ["group", "problem"], TWICE)
        counts = replace(counts, frame=rows.join(of_groups, on="group"))
        for name in covariates:
            missing = of_groups[name].isna()
            if lacking := [counts.names[place] for place in missing.index[missing]]:
                groups = f"{counted(len(lacking), 'group')} of {len(counts)} ({listed(lacking)})"
                warnings.append(f"no {name} for {groups}")
        known = counts.covariates
        warnings += doubts(counts.groups[[*known]], {name: name for name in known})
        return replace(counts, warnings=tuple(warnings))

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that make groups, of benchmark and model."""
        return tuple(name for name in GROUPING if name in self.columns)

    @cached_property
    def groups(self) -> DataFrame:
        """The first row of each of the G groups, by the number of the group."""
        return self.frame.drop_duplicates("group").set_index("group").sort_index()

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The values of the columns `by` of each group."""
        return tuple(map(tuple, self.groups[[*self.by]].to_numpy()))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each group; ``all`` where no columns make groups."""
        return tuple(" ".join(label) or "all" for label in self.labels)

    @property
    def covariates(self) -> dict[str, Any]:
        """params, tokens, compute (FLOP) and gold (mean -log probability of the gold reference
        solution, in nats) of each group, float64, (G,); NaN where a group has none. A key that no
        group has is absent.
        """
        known = self.groups.filter(COVARIATES).dropna(axis=1, how="all")
        return {name: known[name].to_numpy() for name in known}

    def per_group(self, g: int) -> tuple[Any, Any]:
        """n and c of the problems of a group, in the order of the source."""
        return self.n[self.group == g], self.c[self.group == g]

    def named(self) -> DataFrame:
        """The groups, with a column for each name that a condition may use."""
        groups = self.groups[[*self.by, *self.covariates]]
        return named(groups, {name: self.columns.get(name, name) for name in groups})

    def subset(self, index: Any) -> Counts:
        """The groups at a boolean mask or at indices, in that order, each at most once."""
        new = {group: place for place, group in enumerate(np.arange(len(self))[index])}
        frame = self.frame[self.frame["group"].isin(new)]
        frame = frame.assign(group=frame["group"].map(new))
        return replace(self, frame=frame.sort_values("group", kind="stable"))


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
