"""A backtest as tables of at most 100 columns."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.runs_cells import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from isoflop.numeric.passk.backtest.result import Backtest

WIDTH = 100
#: More bins of decades than these have no room.
MOST_BINS, COVERAGE_BINS = 8, 5
UNKNOWN = "-"
NUMBER = re.compile(r"\d+")
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}


def backtest_text(result: Backtest) -> str:
    """What was done, errors, coverage, stability, and what was left out."""
    parts = [_head(result), _errors(result), _coverage(result), _stability(result), _failures(result)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(result: Backtest) -> list[str]:
    what = "-log pass@k" if result.what == "counts" else "loss"
    noun = "model" if result.what == "counts" else "run"
    lines = [f"Backtest of {what} on {counted(len(result.names), noun)} of {result.source}, fits by {result.method}"]
    for law, plan in result.plans.items():
        targets = [result.names[g] for g in np.flatnonzero(plan.targets)]
        which = targets[0] if len(targets) == 1 else counted(len(targets), noun)
        first, last = plan.cutoffs[0], plan.cutoffs[-1]
        cutoffs = f"{counted(len(plan.cutoffs), 'cutoff')} from {_short(first)} to {_short(last)} {UNITS[result.axis]}"
        lines.append(f"  {law}: {cutoffs}, predicting {which}")
    if len(result.steps) < result.planned:
        lines.append(f"  only {len(result.steps)} of {counted(result.planned, 'fit')} were made")
    return _wrapped(lines)


# -- tables ------------------------------------------------------------------------------------------------------------


def _errors(result: Backtest) -> list[str]:
    rows = result.errors()
    if not rows:
        return ["No prediction could be compared with an observation."]
    shares = {(row["law"], row["k"], row["decades_lo"]): row["median_error"] for row in rows}
    numbers = {(row["law"], row["k"]): 0 for row in rows}
    for row in rows:
        numbers[row["law"], row["k"]] += row["n"]
    bins = _bins(rows)
    body = [
        [*_at(result, k), law, str(numbers[law, k]), *(_percent(shares.get((law, k, low))) for low, _ in bins)]
        for k in result.ks
        for law in result.laws
        if (law, k) in numbers
    ]
    quantity = "-log pass@k" if result.what == "counts" else "the loss"
    columns = [*_k(result), "law", "predictions", *(f"{low:g}-{high:g}" for low, high in bins)]
    title = f"Median relative error of {quantity} in %, by decades of {result.axis} from cutoff to target"
    return [title, *_table(columns, body, left=("law",))]


def _coverage(result: Backtest) -> list[str]:
    rows = sorted(result.coverage(), key=_order)
    if not rows:
        return []
    held = result.coverage(by_decades=True)
    shares = {(row["law"], row["k"], row["decades_lo"]): row["coverage"] for row in held}
    bins = _bins(held)[:COVERAGE_BINS]
    body = [
        [
            *([] if result.what == "runs" else ["all" if row["k"] is None else str(row["k"])]),
            row["law"],
            str(row["n"]),
            str(row["n_targets"]),
            _percent(row["coverage"]),
            *(_percent(row[name]) for name in ("se", "se_by_target")),
            *(_percent(shares.get((row["law"], row["k"], low))) for low, _ in bins),
        ]
        for row in rows
    ]
    columns = [
        *_k(result),
        "law",
        "predictions",
        "targets",
        "inside",
        "se",
        "by target",
        *(f"{low:g}-{high:g}" for low, high in bins),
    ]
    note = (
        "se: as if predictions were independent; by target: those of one target stand or fall together; "
        "then the share inside by decades from cutoff to target"
    )
    title = f"Coverage of the {100 * result.level:g} % prediction intervals in %"
    return [title, *_table(columns, body, left=("law",)), *_wrapped([note])]


def _order(row: dict[str, Any]) -> tuple[bool, int]:
    return row["k"] is None, row["k"] or 0


def _bins(rows: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    return sorted({(row["decades_lo"], row["decades_hi"]) for row in rows})[:MOST_BINS]


def _stability(result: Backtest) -> list[str]:
    rows = result.stability()
    if not rows:
        return []
    body = [
        [
            *_at(result, row["k"]),
            row["law"],
            row["coefficient"],
            *(_short(row[name]) for name in ("value", "lo", "hi")),
            *(
                UNKNOWN if row[name] is None else f"{row[name]:.1f}"
                for name in ("stable_decades", "overlap_decades", "of_decades")
            ),
        ]
        for row in sorted(rows, key=lambda row: row["k"])
    ]
    columns = [*_k(result), "law", "coefficient", "final", "lo", "hi", "inside", "overlap", "of"]
    notes = [
        f"inside: so many decades of {result.axis} may be cut off with the estimate within the final interval; overlap: with "
        f"its own interval overlapping it; of: decades there are. {UNKNOWN}: the final fit leaves the coefficient open"
    ]
    title = f"Stability of coefficients against their final {100 * result.level:g} % interval"
    return [title, *_table(columns, body, left=("law", "coefficient")), *_wrapped(notes)]


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


def _k(result: Backtest) -> list[str]:
    return ["k"] if result.what == "counts" else []


def _at(result: Backtest, k: int) -> list[str]:
    return [str(k)] if result.what == "counts" else []


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
