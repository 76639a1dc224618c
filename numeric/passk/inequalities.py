"""Whether a table of pass@k is possible: from 0 to 1, rising and concave in k.

For any success rates of the problems pass@k is the mean of 1 - (1 - p)^k, which rises and is
concave in k from pass@0 = 0 on (`isoflop.derivations.passk.fail_at_k_is_completely_monotone`).
The unbiased estimates themselves obey this, as long as they are of the same problems at every k.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.pass_table import PassTable
from ..data.rows import those_dropped
from ..errors import nonnegative_number
from ..words import counted
from .curve import Curve

__all__ = ["STATEMENTS", "Violation", "Violations", "pass_table", "violations"]

Floats = NDArray[np.float64]

#: In pass@k: ample for a table printed to ten digits.
TOLERANCE = 1e-9
#: What the bounds themselves are computed to.
ROUNDING = 1e-14
MOST_SHOWN = 20
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

    def __str__(self) -> str:
        side = "at most" if self.inequality == UNIT and self.bound else "at least"
        others = f" (k = {', '.join(map(str, self.others))})" if self.others else ""
        sure = (
            ""
            if np.isnan(self.standard_errors)
            else f", {self.standard_errors:.3g} standard errors"
        )
        value = f"k = {self.k}: {self.pass_at_k:.6g} must be {side} {self.bound:.6g}{others}"
        where = " ".join((*self.label, f"row {self.rows[0]}"))
        return f"{where}, {self.inequality}: {value}; off by {self.excess:.3g}{sure}"


@dataclass(frozen=True, kw_only=True)
class Violations:
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
        parts = (
            "inequality",
            "k",
            "others",
            "rows",
            "pass_at_k",
            "bound",
            "excess",
            "standard_errors",
        )
        return [
            dict(zip(self.by, one.label, strict=True))
            | {name: getattr(one, name) for name in parts}
            | {"others": list(one.others), "rows": list(one.rows)}
            for one in self.violations
        ]

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
        largest = sorted(self.violations, key=lambda one: -one.excess)[:MOST_SHOWN]
        lines.append(f"largest{f' {MOST_SHOWN}' if len(self) > MOST_SHOWN else ''} in pass@k:")
        return "\n".join([*lines, *(f"  {one}" for one in largest)])


def violations(
    data: Any,
    *,
    tolerance: float = TOLERANCE,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    by: str | Sequence[str] | None = None,
) -> Violations:
    """The entries of a table of pass@k that no distribution of success rates can produce.

    Parameters
    ----------
    data : Curve, PassTable, path, or anything that ``pandas.DataFrame`` accepts
        A row for each group and k.
    tolerance : float
        How far each entry may be off by rounding, in pass@k.
    columns, where, by
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
    if isinstance(data, (Curve, PassTable)):
        for name, value in (("columns", columns), ("where", where), ("by", by)):
            if value is not None:
                raise ValueError(
                    f"{name}={value!r}: this is a {type(data).__name__} already, not a table to be "
                    f"read"
                )
        table = pass_table(data) if isinstance(data, Curve) else data
    else:
        table = PassTable.read(data, columns=columns, where=where, by=by)
    starts = np.flatnonzero(np.diff(table.group, prepend=-1))
    stops = [*starts[1:], len(table.group)]
    return Violations(
        violations=tuple(
            violation
            for start, stop in zip(starts, stops, strict=True)
            for violation in _of_group(table, slice(int(start), int(stop)), tolerance)
        ),
        by=table.by,
        source=table.source,
        n_values=len(table.k),
        n_groups=len(starts),
        tolerance=tolerance,
        notes=(those_dropped(table.dropped),) if table.dropped else table.warnings,
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


def _of_group(table: PassTable, part: slice, tolerance: float) -> Iterator[Violation]:
    """Entries beyond [0, 1] break that inequality and bound no others."""
    label, x = table.labels[table.group[part.start]], table.pass_at_k[part]
    k, row, se = table.k[part], table.row[part], table.se[part]
    usable = (x >= 0.0) & (x <= 1.0)
    for place in np.flatnonzero(~usable):
        value, bound = float(x[place]), float(x[place] > 0.0)
        if abs(value - bound) > tolerance:
            yield Violation(
                label,
                UNIT,
                int(k[place]),
                (),
                (int(row[place]),),
                value,
                bound,
                abs(value - bound),
                np.nan,
            )
    # Rows, values and standard errors with pass@0 = 0 in front, which is exact.
    k, row, x, se = (np.concatenate([[0], values[usable]]) for values in (k, row, x, se))
    at = np.arange(1, len(k))
    highest = np.maximum.accumulate(x)[:-1]
    before = np.array(
        [int(np.argmax(x[:place] == top)) for place, top in zip(at, highest, strict=True)],
        dtype=np.intp,
    )
    share = (k[1:-1] - k[:-2]) / (k[2:] - k[:-2])
    checks = (
        (RISING, at, ((before, np.ones(len(at))),)),
        (CONCAVE, at[:-1], ((at[:-1] - 1, 1.0 - share), (at[:-1] + 1, share))),
    )
    for name, bounded, chord in checks:
        excess = sum((weight * x[other] for other, weight in chord), -x[bounded])
        rounding = tolerance * (1.0 + sum(weight * (k[other] > 0) for other, weight in chord))
        errors = se[bounded] + sum(weight * se[other] for other, weight in chord)
        for place in np.flatnonzero(excess - rounding > ROUNDING):
            index, others = (
                int(bounded[place]),
                [int(other[place]) for other, _ in chord if k[other[place]] > 0],
            )
            yield Violation(
                label=label,
                inequality=name,
                k=int(k[index]),
                others=tuple(int(k[other]) for other in others),
                rows=(int(row[index]), *(int(row[other]) for other in others)),
                pass_at_k=float(x[index]),
                bound=float(x[index] + excess[place]),
                excess=float(excess[place]),
                standard_errors=float(excess[place] / errors[place]) if errors[place] else np.inf,
            )
