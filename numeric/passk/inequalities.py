"""What every table of pass@k obeys, whatever the success rates of the problems are: which rows do not, and by how much.

fail@k = 1 - pass@k is the mean of (1 - p)^k over the problems, a completely monotone sequence with fail@0 = 1
(`isoflop.derivations.passk.fail_at_k_is_completely_monotone`, `fail_at_k_is_log_convex`, `pass_at_k_bounds_from_pass_at_1`).
Every inequality here is a bound on one entry, increasing in the others, and is meant for any list of k:
ratios of k need not be whole, and neighbours need not be at the same distance.

Two kinds are told apart. The linear ones hold for the unbiased estimates themselves, as long as these are of the same problems at
every k. Those with products of fail@k hold for the true values, and for estimates up to their error: the estimates from n = 10
samples with 5 correct are fail@1 = 1/2 and fail@2 = 2/9 < 1/4. There a violation counts only beyond the standard errors, where
those are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.pass_table import PassTable
from ..errors import nonnegative_number
from ..words import counted
from .curve import Curve

__all__ = ["INEQUALITIES", "Inequality", "Violation", "Violations", "violations"]

Floats = NDArray[np.float64]
Indices = tuple[NDArray[np.int64], ...]

#: In pass@k: ample for a table printed to ten digits.
TOLERANCE = 1e-9
ERRORS = 2.0
#: What the bounds themselves are computed to.
ROUNDING = 1e-14
#: Halvings of the interval for the number of standard errors.
HALVINGS = 60
MOST_ERRORS = 1e6
MOST_SHOWN = 20


@dataclass(frozen=True)
class Inequality:
    """A bound on pass@k from other entries of the same group.

    Attributes
    ----------
    name, statement : str
    upper : bool
        Whether pass@k must be at most the bound; else at least.
    linear : bool
        Whether it holds for unbiased estimates themselves, not only for true values.
    """

    name: str
    statement: str
    upper: bool
    linear: bool
    #: Sorted k, with 0 in front -> index of the bounded entries, and of those that bound them.
    choose: Callable[[Any], tuple[Any, Indices]]
    #: k of the bounded entries, k and pass@k of the others -> bound.
    bound: Callable[[Any, Sequence[Any], Sequence[Any]], Any]


@dataclass(frozen=True)
class Violation:
    """An entry that breaks an inequality.

    Attributes
    ----------
    label : tuple of str
        Its group.
    inequality : str
    k : int
    others : tuple of int
        The k of the entries that bound it; of several that do, those that it exceeds most.
    rows : tuple of int
        Rows in the source: its own, then those of the others.
    pass_at_k, bound : float
    excess : float
        Distance from the bound, in pass@k.
    standard_errors : float
        The least number of standard errors by which all entries together must move until the inequality holds: a cautious figure,
        as errors across k hardly conspire. NaN where they are not known.
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


@dataclass(frozen=True, kw_only=True)
class Violations:
    """The violations in a table, the largest excess of each entry and inequality; falsy where there is none.

    Attributes
    ----------
    violations : tuple of Violation
        In order of group, inequality and k.
    by : tuple of str
    source : str
    n_values, n_groups : int
        What was checked.
    tolerance : float
        Rounding that each entry may have.
    errors : float
        Standard errors that each entry may be off where the inequality is between products.
    notes : tuple of str
        What was left out or cannot be told.
    """

    violations: tuple[Violation, ...]
    by: tuple[str, ...]
    source: str
    n_values: int
    n_groups: int
    tolerance: float
    errors: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.violations)

    def counts(self) -> dict[str, int]:
        """How many entries violate each inequality; those that none violates are left out."""
        found = dict.fromkeys((one.name for one in INEQUALITIES), 0)
        for violation in self.violations:
            found[violation.inequality] += 1
        return {name: n for name, n in found.items() if n}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each violation, with the columns of ``by``."""
        return [
            dict(zip(self.by, one.label, strict=True))
            | {"inequality": one.inequality, "k": one.k, "others": list(one.others), "rows": list(one.rows)}
            | {name: getattr(one, name) for name in ("pass_at_k", "bound", "excess", "standard_errors")}
            for one in self.violations
        ]

    def __str__(self) -> str:
        checked = f"{counted(self.n_values, 'value')} of pass@k in {counted(self.n_groups, 'group')} from {self.source}"
        allowed = f"rounding of {self.tolerance:g} in each is allowed"
        lines = [checked, *(f"note: {note}" for note in self.notes)]
        if not self.violations:
            return "\n".join([*lines, f"no inequality is violated ({allowed})"])
        groups = len({one.label for one in self.violations})
        lines.append(f"{counted(len(self), 'violation')} in {counted(groups, 'group')} ({allowed}):")
        statements = {one.name: one.statement for one in INEQUALITIES}
        lines += [f"  {n:>6}  {name}: {statements[name]}" for name, n in self.counts().items()]
        largest = sorted(self.violations, key=lambda one: -one.excess)[:MOST_SHOWN]
        more = len(self) > MOST_SHOWN
        lines.append(f"largest{f' {MOST_SHOWN}' if more else ''} in pass@k:")
        return "\n".join([*lines, *(_line(one) for one in largest)])


def _line(one: Violation) -> str:
    side = "at most" if _by_name(one.inequality).upper else "at least"
    others = f" (k = {', '.join(map(str, one.others))})" if one.others else ""
    sure = "" if np.isnan(one.standard_errors) else f", {one.standard_errors:.3g} standard errors"
    what = f"k = {one.k}: {one.pass_at_k:.6g} must be {side} {one.bound:.6g}{others}; off by {one.excess:.3g}{sure}"
    return f"  {' '.join((*one.label, ''))}row {one.rows[0]}, {one.inequality}: {what}"


def violations(
    data: Any,
    *,
    tolerance: float = TOLERANCE,
    errors: float = ERRORS,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    by: str | Sequence[str] | None = None,
) -> Violations:
    """The entries of a table of pass@k that no distribution of success rates over the problems can produce.

    Parameters
    ----------
    data : Curve, PassTable, path, or anything that ``pandas.DataFrame`` accepts
        A row for each group and k.
    tolerance : float
        How far each entry may be off by rounding, in pass@k; every one is moved by it in the direction that helps.
    errors : float
        Likewise in standard errors, where those are known, for inequalities between products of fail@k.
    columns, where, by
        How to read a table; see `PassTable.read`.

    Returns
    -------
    Violations

    Examples
    --------
    >>> found = violations({"k": [1, 2, 4], "pass_at_k": [0.1, 0.3, 0.25]})
    >>> [(one.inequality, one.k, round(one.excess, 4)) for one in found.violations][:2]
    [('at most k pass@1', 2, 0.1), ('at most 1 - (1 - pass@1)^k', 2, 0.11)]
    """
    tolerance, errors = nonnegative_number("tolerance", tolerance), nonnegative_number("errors", errors)
    if isinstance(data, (Curve, PassTable)):
        for name, value in (("columns", columns), ("where", where), ("by", by)):
            if value is not None:
                raise ValueError(f"{name}={value!r}: this is a {type(data).__name__} already, not a table to be read")
        table = PassTable.of(data) if isinstance(data, Curve) else data
    else:
        table = PassTable.read(data, columns=columns, where=where, by=by)
    found: list[Violation] = []
    starts = np.flatnonzero(np.diff(table.group, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(table.group)], strict=True):
        found += _Group(table, slice(int(start), int(stop))).violations(tolerance, errors)
    return Violations(
        violations=tuple(found),
        by=table.by,
        source=table.source,
        n_values=len(table.k),
        n_groups=len(starts),
        tolerance=tolerance,
        errors=errors,
        notes=table.notes,
    )


class _Group:
    """The entries of one group with pass@0 = 0 in front, which is exact."""

    def __init__(self, table: PassTable, part: slice) -> None:
        self.label = table.labels[table.group[part.start]]
        values = table.pass_at_k[part]
        #: Entries beyond [0, 1] break that inequality, and bound no others.
        usable = (values >= 0.0) & (values <= 1.0)
        self.beyond = [(int(k), int(row), float(x)) for k, row, x in zip(*self._at(table, part, ~usable), strict=True)]
        k, row, x = self._at(table, part, usable)
        se = table.se[part][usable]
        self.k, self.row = np.concatenate([[0], k]), np.concatenate([[0], row])
        self.x, self.se = np.concatenate([[0.0], x]), np.concatenate([[0.0], se])

    @staticmethod
    def _at(table: PassTable, part: slice, mask: Any) -> tuple[Any, Any, Any]:
        return table.k[part][mask], table.row[part][mask], table.pass_at_k[part][mask]

    def violations(self, tolerance: float, errors: float) -> list[Violation]:
        found = [
            Violation(self.label, UNIT.name, k, (), (row,), x, float(x > 0.0), abs(x - float(x > 0.0)), float("nan"))
            for k, row, x in self.beyond
            if abs(x - float(x > 0.0)) > tolerance
        ]
        for one in INEQUALITIES[1:]:
            found += self._of(one, tolerance, errors)
        return found

    def _of(self, one: Inequality, tolerance: float, errors: float) -> list[Violation]:
        at, others = one.choose(self.k)
        if not len(at):
            return []
        rounding = np.where(self.k > 0, tolerance, 0.0)
        move = rounding if one.linear else rounding + errors * np.nan_to_num(self.se)
        broken = np.flatnonzero(self._excess(one, at, others, move) > ROUNDING)
        if not len(broken):
            return []
        at, others = at[broken], tuple(index[broken] for index in others)
        excess = self._excess(one, at, others, rounding, 0.0)
        worst = [max(np.flatnonzero(at == index).tolist(), key=lambda place: float(excess[place])) for index in np.unique(at)]
        at, others, excess = at[worst], tuple(index[worst] for index in others), excess[worst]
        how_many = self._standard_errors(one, at, others)
        sign = 1.0 if one.upper else -1.0
        return [
            Violation(
                label=self.label,
                inequality=one.name,
                k=int(self.k[index]),
                others=tuple(int(self.k[other[place]]) for other in others if self.k[other[place]]),
                rows=(int(self.row[index]), *(int(self.row[other[place]]) for other in others if self.k[other[place]])),
                pass_at_k=float(self.x[index]),
                bound=float(self.x[index] - sign * excess[place]),
                excess=float(excess[place]),
                standard_errors=float(how_many[place]),
            )
            for place, index in enumerate(at.tolist())
        ]

    def _excess(self, one: Inequality, at: Any, others: Indices, move: Any, times: Any = 1.0) -> Any:
        """By how much entries exceed their bounds when all move so far to the better; every bound increases in the others."""
        sign = 1.0 if one.upper else -1.0
        inputs = [np.clip(self.x[index] + sign * times * move[index], 0.0, 1.0) for index in others]
        bound = one.bound(self.k[at], [self.k[index] for index in others], inputs)
        return sign * (self.x[at] - bound) - times * move[at]

    def _standard_errors(self, one: Inequality, at: Any, others: Indices) -> Any:
        known = np.isfinite(self.se[at]) & np.all([np.isfinite(self.se[index]) for index in others], axis=0)
        low, high = np.zeros(len(at)), np.full(len(at), MOST_ERRORS)
        move = np.nan_to_num(self.se)
        for _ in range(HALVINGS if known.any() else 0):
            middle = (low + high) / 2.0
            broken = self._excess(one, at, others, move, middle) > 0.0
            low, high = np.where(broken, middle, low), np.where(broken, high, middle)
        return np.where(known, np.where(low > MOST_ERRORS / 2.0, np.inf, high), np.nan)


# -- which entries bound which -----------------------------------------------------------------------------------------


def _by_first(k: Any) -> tuple[Any, Indices]:
    """All that follow pass@1, by it."""
    if len(k) < 2 or k[1] != 1:
        return np.empty(0, dtype=np.int64), ()
    at = np.arange(2, len(k))
    return at, (np.ones(len(at), dtype=np.int64),)


def _by_smaller(k: Any) -> tuple[Any, Indices]:
    """Each by each at a smaller k."""
    smaller, at = np.triu_indices(len(k), 1)
    return at[smaller > 0], (smaller[smaller > 0],)


def _by_neighbours(k: Any) -> tuple[Any, Indices]:
    """Each by the one before, which may be k = 0, and the one after."""
    at = np.arange(1, len(k) - 1)
    return at, (at - 1, at + 1)


def _by_parts(k: Any) -> tuple[Any, Indices]:
    """Each by all pairs whose k add up to its own."""
    first, second = np.triu_indices(len(k))
    first, second = first[first > 0], second[first > 0]
    at = np.searchsorted(k, k[first] + k[second])
    exact = at < len(k)
    exact[exact] = k[at[exact]] == (k[first] + k[second])[exact]
    return at[exact], (first[exact], second[exact])


def _share(k: Any, others: Sequence[Any]) -> Any:
    """Where k lies from the one to the other, from 0 to 1."""
    return (k - others[0]) / (others[1] - others[0])


def _power(x: Any, exponent: Any) -> Any:
    """1 - (1 - x)^exponent, to full relative precision for small x."""
    with np.errstate(divide="ignore"):
        return -np.expm1(exponent * np.log1p(-x))


def _log_interpolated(k: Any, others: Sequence[Any], x: Sequence[Any]) -> Any:
    share = _share(k, others)
    with np.errstate(divide="ignore"):
        return -np.expm1((1.0 - share) * np.log1p(-x[0]) + share * np.log1p(-x[1]))


UNIT = Inequality(
    "from 0 to 1",
    "0 <= pass@k <= 1",
    True,
    True,
    lambda k: (np.empty(0, dtype=np.int64), ()),
    lambda k, others, x: np.ones(len(k)),
)
INEQUALITIES = (
    UNIT,
    Inequality("at least pass@1", "pass@1 <= pass@k", False, True, _by_first, lambda k, others, x: x[0]),
    Inequality(
        "at most k pass@1", "pass@k <= min(1, k pass@1)", True, True, _by_first, lambda k, others, x: np.minimum(1.0, k * x[0])
    ),
    Inequality(
        "at most 1 - (1 - pass@1)^k",
        "pass@k <= 1 - (1 - pass@1)^k",
        True,
        False,
        _by_first,
        lambda k, others, x: _power(x[0], k),
    ),
    Inequality("non-decreasing", "pass@j <= pass@k for j < k", False, True, _by_smaller, lambda k, others, x: x[0]),
    Inequality(
        "concave",
        "pass@k is at or above the chord of its neighbours, k = 0 being one",
        False,
        True,
        _by_neighbours,
        lambda k, others, x: x[0] + _share(k, others) * (x[1] - x[0]),
    ),
    Inequality(
        "proportion",
        "pass@k <= (k/j) pass@j for j < k",
        True,
        True,
        _by_smaller,
        lambda k, others, x: k / others[0] * x[0],
    ),
    Inequality(
        "log-convex fail@k",
        "log fail@k is at or below the chord of its neighbours, k = 0 being one",
        False,
        False,
        _by_neighbours,
        _log_interpolated,
    ),
    Inequality(
        "power",
        "fail@k >= fail@j^(k/j) for j < k",
        True,
        False,
        _by_smaller,
        lambda k, others, x: _power(x[0], k / others[0]),
    ),
    Inequality(
        "product",
        "fail@(i + j) >= fail@i fail@j",
        True,
        False,
        _by_parts,
        lambda k, others, x: x[0] + x[1] - x[0] * x[1],
    ),
)


def _by_name(name: str) -> Inequality:
    return next(one for one in INEQUALITIES if one.name == name)
