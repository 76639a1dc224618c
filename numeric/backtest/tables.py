"""A backtest as tables of at most 100 columns."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .result import Backtest

WIDTH = 100
#: More bins of decades than these have no room.
MOST_BINS = 8
#: Columns of words.
LEFT = ("law", "observed by", "coefficient")
UNKNOWN = "-"
NUMBER = re.compile(r"\d+")
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}


def backtest_text(result: Backtest) -> str:
    """What was done, errors, coverage, stability, and what was left out."""
    parts = [_head(result), _errors(result), _errors_by_decades(result), _coverage(result), _coverage_by_decades(result)]
    parts += [_stability(result), _failures(result)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(result: Backtest) -> list[str]:
    what = "-log pass@k" if result.what == "counts" else "loss"
    noun = "model" if result.what == "counts" else "run"
    lines = [f"Backtest of {what} on {counted(len(result.names), noun)} of {result.source}, fits by {result.method}"]
    for law, each in result.cutoffs.items():
        targets = [result.names[g] for g in np.flatnonzero(each.targets)]
        which = targets[0] if len(targets) == 1 else counted(len(targets), noun)
        first, last = each.at[0], each.at[-1]
        cutoffs = f"{counted(len(each.at), 'cutoff')} from {_short(first)} to {_short(last)} {UNITS[result.axis]}"
        lines.append(f"  {law}: {cutoffs}, predicting {which}")
    if len(result.judged) < result.planned:
        lines.append(f"  only {len(result.judged)} of {counted(result.planned, 'fit')} were made")
    return _wrapped(lines)


# -- tables ------------------------------------------------------------------------------------------------------------


def _errors(result: Backtest) -> list[str]:
    rows = sorted(result.errors(by_decades=False, by_observation=_apart(result)), key=_order)
    if not rows:
        return ["No prediction could be compared with an observation."]
    of_pass = ("median_error_pass", "median_bias_pass") if result.what == "counts" else ()
    names = ("median_error", "median_bias", "share_above", *of_pass)
    body = [[*_at(result, row), str(row["n"]), str(row["n_targets"]), *(_percent(row[name]) for name in names)] for row in rows]
    columns = [*_heading(result), "predictions", "targets", "error", "signed", "above", *("pass@k", "signed")[: len(of_pass)]]
    notes = [
        f"error, signed: medians of the relative error of {_quantity(result)} without and with its sign; above: share of "
        "predictions above the observation" + ("; pass@k, signed: the same medians for pass@k" if of_pass else "")
    ]
    if of_pass:
        notes.append(
            "observed by: the unbiased estimate, or the likelihood of the counts where some problem has fewer than k samples"
        )
    return [f"Relative errors of predictions of {_quantity(result)} in %", *_table(columns, body, left=LEFT), *_wrapped(notes)]


def _errors_by_decades(result: Backtest) -> list[str]:
    title = f"Median relative error of {_quantity(result)} in %, by decades of {result.axis} from cutoff to target"
    return _by_decades(result, title, result.errors(by_observation=_apart(result)), "median_error")


def _coverage(result: Backtest) -> list[str]:
    rows = sorted(result.coverage(by_observation=_apart(result)), key=_order)
    if not rows:
        return []
    names = ("coverage", "se", "se_by_target")
    body = [[*_at(result, row), str(row["n"]), str(row["n_targets"]), *(_percent(row[name]) for name in names)] for row in rows]
    columns = [*_heading(result), "predictions", "targets", "inside", "se", "by target"]
    note = "se: as if predictions were independent; by target: those of one target stand or fall together"
    title = f"Coverage of the {100 * result.level:g} % prediction intervals in %"
    return [title, *_table(columns, body, left=LEFT), *_wrapped([note])]


def _coverage_by_decades(result: Backtest) -> list[str]:
    title = f"The same by decades of {result.axis} from cutoff to target"
    return _by_decades(result, title, result.coverage(by_decades=True, by_observation=_apart(result)), "coverage")


def _by_decades(result: Backtest, title: str, rows: Sequence[dict[str, Any]], name: str) -> list[str]:
    """A row a law, k and way of observing, a column a bin of decades."""
    if not rows:
        return []
    bins = sorted({(row["decades_lo"], row["decades_hi"]) for row in rows})[:MOST_BINS]
    held: dict[tuple[str, ...], dict[float, float]] = {}
    for row in sorted(rows, key=_order):
        held.setdefault(tuple(_at(result, row)), {})[row["decades_lo"]] = row[name]
    body = [[*at, *(_percent(shares.get(low)) for low, _ in bins)] for at, shares in held.items()]
    return [title, *_table([*_heading(result), *(f"{low:g}-{high:g}" for low, high in bins)], body, left=LEFT)]


def _apart(result: Backtest) -> bool:
    """Whether targets are observed in more than one way."""
    return result.what == "counts"


def _quantity(result: Backtest) -> str:
    return "-log pass@k" if result.what == "counts" else "the loss"


def _heading(result: Backtest) -> list[str]:
    return ["k", "law", "observed by"] if result.what == "counts" else ["law"]


def _at(result: Backtest, row: dict[str, Any]) -> list[str]:
    if result.what == "runs":
        return [row["law"]]
    return ["all" if row["k"] is None else str(row["k"]), row["law"], row["how_observed"]]


def _order(row: dict[str, Any]) -> tuple[bool, int]:
    return row["k"] is None, row["k"] or 0


def _stability(result: Backtest) -> list[str]:
    rows = result.stability()
    if not rows:
        return []
    body = [
        [
            *([str(row["k"])] if result.what == "counts" else []),
            row["law"],
            row["coefficient"],
            *(_short(row[name]) for name in ("value", "lo", "hi")),
            *(_decades(row[f"{name}_decades"], row[f"{name}_censored"]) for name in ("stable", "overlap")),
            f"{row['of_decades']:.1f}",
        ]
        for row in sorted(rows, key=lambda row: row["k"])
    ]
    columns = [*(["k"] if result.what == "counts" else []), "law", "coefficient", "final", "lo", "hi", "inside", "overlap", "of"]
    notes = [
        f"inside: so many decades of {result.axis} may be cut off with the estimate within the final interval; overlap: with "
        f"its own interval overlapping it; of: decades there are, >= where none of their cutoffs breaks it. {UNKNOWN}: the final "
        "fit leaves the coefficient, or the end of its interval, open"
    ]
    title = f"Stability of coefficients against their final {100 * result.level:g} % interval"
    return [title, *_table(columns, body, left=LEFT), *_wrapped(notes)]


def _failures(result: Backtest) -> list[str]:
    rows = result.failures()
    if not rows:
        return []
    merged: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        merged.setdefault((row["law"], NUMBER.sub("#", row["reason"])), []).append(row)
    lines = []
    for (law, _), found in merged.items():
        reasons = list(dict.fromkeys(row["reason"] for row in found))
        at = f" at {len({row['k'] for row in found})} k" if result.what == "counts" else ""
        such = ", such as: " if len(reasons) > 1 else ": "
        lines.append(f"  {law}: {sum(row['n'] for row in found)} times{at}{such}{reasons[0]}")
    return ["Left out of errors and coverage", *_wrapped(lines)]


# -- cells -------------------------------------------------------------------------------------------------------------


def _decades(value: float | None, censored: bool | None) -> str:
    """Decades, with the sign of a lower limit where all of them hold.

    >>> _decades(1.6, True), _decades(1.6, False), _decades(None, None)
    ('>= 1.6', '1.6', '-')
    """
    return UNKNOWN if value is None else f"{'>= ' if censored else ''}{value:.1f}"


def _table(columns: Sequence[str], body: Sequence[Sequence[str]], *, left: Sequence[str]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(columns, *body, strict=True)]

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for cell, width, column in zip(cells, widths, columns, strict=True)
        )
        return "  ".join(placed).rstrip()

    return [line(columns), "-" * (sum(widths) + 2 * (len(widths) - 1)), *map(line, body)]


def _wrapped(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        found += wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)
    return found


def _percent(share: float | None) -> str:
    """A share in percent, without the sign.

    >>> _percent(0.1234), _percent(12.34), _percent(None)
    ('12.3', '1234', '-')
    """
    if share is None:
        return UNKNOWN
    return f"{100 * share:.1f}" if share < 9.995 else f"{100 * share:.4g}".replace("e+0", "e").replace("e+", "e")


def _short(value: float | None) -> str:
    """A number to four digits.

    >>> _short(5.76e23), _short(0.25), _short(None)
    ('5.76e23', '0.25', '-')
    """
    return UNKNOWN if value is None else f"{value:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
