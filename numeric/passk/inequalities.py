"""Whether a table of pass@k is possible: from 0 to 1, rising and concave in k.

For any success rates of the problems pass@k is the mean of 1 - (1 - p)^k, which rises and is
concave in k from pass@0 = 0 on (`isoflop.derivations.passk.fail_at_k_is_completely_monotone`).
The unbiased estimates themselves obey this, as long as they are of the same problems at every k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..data.pass_table import PassTable
from ..data.rows import those_dropped
from ..errors import nonnegative_number
from ..words import counted
from .curve import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["STATEMENTS", "Violation", "Violations", "pass_table", "violations"]

#: In pass@k: ample for a table printed to ten digits.
TOLERANCE = 1e-9
#: What the bounds themselves are computed to.
ROUNDING = 1e-14
MOST_SHOWN = 20
SIX, THREE = Significant(6), Significant(3)
UNIT, RISING, CONCAVE = "from 0 to 1", "non-decreasing", "concave"
STATEMENTS = {
    UNIT: "0 <= pass@k <= 1",
    RISING: "pass@j <= pass@k for j < k",
    CONCAVE: "pass@k is at or above the chord of its neighbours, k = 0 being one",
}


@dataclass(frozen=True)
class Violation:
    """An entry that breaks an inequality.

    Attributes
    ----------
    label : tuple of str
        Its group.
    inequality : str
        A key of `STATEMENTS`.
    k : int
    others : tuple of int
        The k of the entries that bound it, without k = 0.
    rows : tuple of int
        Rows in the source: its own, then those of the others.
    pass_at_k, bound : float
    excess : float
        Distance from the bound, in pass@k.
    standard_errors : float
        The least number of standard errors by which all entries together must move until the
        inequality holds: a cautious figure. NaN where they are not known.
    """

    label: tuple[str, ...]
    inequality: str
    k: int
    others: tuple[int, ...]
    rows: tuple[int, ...]
    pass_at_k: float
    bound: float
    excess: float
    standard_errors: float


#: What a record of a violation holds after the columns that name the group.
PARTS = tuple(name for name in Violation.__dataclass_fields__ if name != "label")


@dataclass(frozen=True, kw_only=True)
class Violations(Shown):
    """The violations in a table, one for each entry and inequality; falsy where there is none.

    Attributes
    ----------
    violations : tuple of Violation
        In the order of the groups, inequalities and k.
    by : tuple of str
    source : str
    n_values, n_groups : int
        What was checked.
    tolerance : float
        Rounding that each entry may have.
    notes : tuple of str
        What was left out or cannot be checked.
    """

    violations: tuple[Violation, ...]
    by: tuple[str, ...]
    source: str
    n_values: int
    n_groups: int
    tolerance: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.violations)

    def counts(self) -> dict[str, int]:
        """How many entries break each inequality, for those that some entry breaks."""
        names = [one.inequality for one in self.violations]
        return {name: names.count(name) for name in STATEMENTS if name in names}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each violation, with the columns of ``by``."""
        rows = []
        for one in self.violations:
            record = dict(zip(self.by, one.label, strict=True)) | asdict(one)
            del record["label"]
            rows.append(record | {"others": list(one.others), "rows": list(one.rows)})
        return rows

    def tables(self) -> list[Table]:
        """The violations that are largest in pass@k."""
        largest = sorted(self.rows(), key=lambda row: -row["excess"])[:MOST_SHOWN]
        columns = [Column(name, align="left") for name in self.by]
        columns += [
            Column("row", of=lambda row: row["rows"][0]),
            Column("inequality", align="left"),
            Column("k"),
            Column("pass_at_k", "pass@k", format=SIX),
            Column("bound", "must be", of=_bound),
            Column("others", "by k", of=lambda row: ", ".join(map(str, row["others"]))),
            Column("excess", "off by", format=THREE),
            Column("standard_errors", "std.\nerrors", format=THREE),
        ]
        rest = f"the largest {MOST_SHOWN} of {len(self)}" if len(self) > MOST_SHOWN else ""
        return [Table(columns, largest, notes=[rest] if rest else [])]

    def __str__(self) -> str:
        groups = counted(self.n_groups, "group")
        lines = [f"{counted(self.n_values, 'value')} of pass@k in {groups} from {self.source}"]
        lines += [f"note: {note}" for note in self.notes]
        allowed = f"rounding of {self.tolerance:g} in each is allowed"
        if not self.violations:
            return "\n".join([*lines, f"no inequality is violated ({allowed})"])
        groups = counted(len({one.label for one in self.violations}), "group")
        lines.append(f"{counted(len(self), 'violation')} in {groups} ({allowed}):")
        lines += [f"  {n:>6}  {name}: {STATEMENTS[name]}" for name, n in self.counts().items()]
        return "\n".join([*lines, "", super().__str__()])


def _bound(row: dict[str, Any]) -> str:
    side = "at most" if row["inequality"] == UNIT and row["bound"] else "at least"
    return f"{side} {SIX.text(row['bound'])}"


def violations(data: Any, *, tolerance: float = TOLERANCE, **reading: Any) -> Violations:
    """The entries of a table of pass@k that no distribution of success rates can produce.

    Parameters
    ----------
    data : Curve, PassTable, path, or anything that ``pandas.DataFrame`` accepts
        A row for each group and k.
    tolerance : float
        How far each entry may be off by rounding, in pass@k.
    **reading
        How to read a table; see `PassTable.read`.

    Returns
    -------
    Violations

    Examples
    --------
    >>> found = violations({"k": [1, 2, 4], "pass_at_k": [0.1, 0.3, 0.25]})
    >>> [(one.inequality, one.k, round(one.excess, 4)) for one in found.violations]
    [('non-decreasing', 4, 0.05), ('concave', 1, 0.05)]
    """
    tolerance = nonnegative_number("tolerance", tolerance)
    if isinstance(data, Curve):
        data = pass_table(data)
    if not isinstance(data, PassTable):
        data = PassTable.read(data, **reading)
    elif reading:
        name, value = next(iter(reading.items()))
        raise ValueError(f"{name}={value!r}: is for a table to be read, and this is one already")
    starts = np.flatnonzero(np.diff(data.group, prepend=-1))
    parts = np.split(np.arange(len(data.group)), starts[1:]) if len(starts) else []
    return Violations(
        violations=tuple(one for part in parts for one in _of_group(data, part, tolerance)),
        by=data.by,
        source=data.source,
        n_values=len(data.k),
        n_groups=len(starts),
        tolerance=tolerance,
        notes=(those_dropped(data.dropped),) if data.dropped else data.warnings,
    )


def pass_table(curve: Curve) -> PassTable:
    """The means of a curve with their standard errors of sampling: the problems are the same at
    every k.

    Where some problems have n < k they are not, and a note says for how many of the means.
    """
    at = np.nonzero(np.isfinite(curve.pass_at_k))
    order = np.lexsort((curve.ks[at[1]], at[0]))
    group, column = at[0][order], at[1][order]
    partial = int(np.count_nonzero(curve.n_refused[group, column]))
    empty = curve.pass_at_k.size - len(group)
    notes = []
    if partial:
        what = f"{partial} of {counted(len(group), 'mean')} leave out problems with n < k"
        notes.append(
            f"{what}: they are over other problems than those at smaller k, and need not obey"
        )
    if empty:
        notes.append(f"{counted(empty, 'mean')} of no problem (n < k for all) cannot be checked")
    return PassTable(
        by=curve.counts.by,
        labels=curve.counts.labels,
        group=group,
        k=curve.ks[column],
        pass_at_k=curve.pass_at_k[group, column],
        se=curve.se_sampling[group, column],
        row=group * len(curve.ks) + column + 1,
        source=f"pass@k of {curve.counts.source}",
        warnings=tuple(notes),
    )


def _of_group(table: PassTable, part: Any, tolerance: float) -> Iterator[Violation]:
    """Entries beyond [0, 1] break that inequality and bound no others."""
    label, x = table.labels[table.group[part[0]]], table.pass_at_k[part]
    k, row, se = table.k[part], table.row[part], table.se[part]
    usable = (x >= 0.0) & (x <= 1.0)
    for place in np.flatnonzero(~usable):
        value, end = float(x[place]), float(x[place] > 0.0)
        if (off := abs(value - end)) > tolerance:
            rows = (int(row[place]),)
            yield Violation(label, UNIT, int(k[place]), (), rows, value, end, off, np.nan)
    # Rows, values and standard errors with pass@0 = 0 in front, which is exact.
    columns: Any = (np.concatenate([[0], values[usable]]) for values in (k, row, x, se))
    k, row, x, se = columns
    for name, at, chord in _chords(k, x):
        excess = float(sum(weight * x[other] for other, weight in chord) - x[at])
        rounding = tolerance * (1.0 + sum(weight for other, weight in chord if k[other] > 0))
        if excess - rounding > ROUNDING:
            error = float(se[at] + sum(weight * se[other] for other, weight in chord))
            others = [other for other, _ in chord if k[other] > 0]
            yield Violation(
                label=label,
                inequality=name,
                k=int(k[at]),
                others=tuple(int(k[other]) for other in others),
                rows=tuple(int(row[other]) for other in (at, *others)),
                pass_at_k=float(x[at]),
                bound=float(x[at] + excess),
                excess=excess,
                standard_errors=excess / error if error else np.inf,
            )


def _chords(k: Any, x: Floats) -> Iterator[tuple[str, int, list[tuple[int, float]]]]:
    """Each inequality with the place that it bounds from below, and the places of the bound with
    their weights: the greatest value before, and the neighbours on either side.
    """
    for at in range(1, len(k)):
        yield RISING, at, [(int(np.argmax(x[:at])), 1.0)]
    for at in range(1, len(k) - 1):
        share = float(k[at] - k[at - 1]) / float(k[at + 1] - k[at - 1])
        yield CONCAVE, at, [(at - 1, 1.0 - share), (at + 1, share)]
