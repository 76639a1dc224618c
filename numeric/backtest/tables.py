"""The tables of a backtest over cutoffs."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Format, Places, Shortest
from ...theory.typeset.table import WIDTH, Column, Table
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import Backtest

__all__ = ["tables_of", "text_of"]

#: More bins of decades than these have no room.
MOST_BINS = 8
NUMBER = re.compile(r"\d+")
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}
VALUE = Shortest(4)


class InPercent(Format):
    """A share in per cent, without the sign.

    >>> InPercent().text(0.1234), InPercent().text(12.34)
    ('12.3', '1234')
    """

    def finite(self, value: float) -> str:
        return f"{100 * value:.1f}" if value < 9.995 else VALUE.finite(100 * value)

    def finite_latex(self, value: float) -> str:
        return f"{100 * value:.1f}" if value < 9.995 else VALUE.finite_latex(100 * value)


def text_of(result: Backtest) -> str:
    """What was done, errors, coverage, stability, and what was left out."""
    tables = [table.text() for table in tables_of(result)]
    if not result.table["usable"].any():
        tables.insert(0, "No prediction could be compared with an observation.")
    return "\n\n".join(part for part in (_head(result), *tables, _failures(result)) if part)


def tables_of(result: Backtest) -> tuple[Table, ...]:
    """Errors and coverage; over cutoffs also by decades held out, and the stability of
    coefficients.
    """
    is_apart = result.what == "counts"
    quantity = _quantity(result)
    errors = _errors(result, result.errors(by_decades=False, by_observation=is_apart))
    coverage = _coverage(result, result.coverage(by_observation=is_apart))
    if result.hold_out is not None:
        return tuple(table for table in (errors, coverage) if len(table))
    by_decades = f"by decades of {result.axis} from cutoff to target"
    tables = (
        errors,
        _by_decades(
            result,
            f"Median relative error of {quantity} in %, {by_decades}",
            result.errors(by_observation=is_apart),
            "median_error",
        ),
        coverage,
        _by_decades(
            result,
            f"The same {by_decades}",
            result.coverage(by_decades=True, by_observation=is_apart),
            "coverage",
        ),
        _stability(result),
    )
    return tuple(table for table in tables if len(table))


# -- words around them -----------------------------------------------------------------------------


def _head(result: Backtest) -> str:
    noun = "model" if result.what == "counts" else "run"
    what = "-log pass@k" if result.what == "counts" else "loss"
    rows = counted(len(result.names), noun)
    lines = [f"Backtest of {what} on {rows} of {result.source}, fits by {result.method}"]
    for law, cutoffs in result.cutoffs.items():
        targets = [result.names[g] for g in np.flatnonzero(cutoffs.targets)]
        which = targets[0] if len(targets) == 1 else counted(len(targets), noun)
        if cutoffs.at:
            first, last = (VALUE.text(cutoffs.at[i]) for i in (0, -1))
            span = (
                f"{counted(len(cutoffs.at), 'cutoff')} from {first} to {last} {UNITS[result.axis]}"
            )
        else:
            span = f"fitted to {counted(int(cutoffs.trainable.sum()), noun)}"
        lines.append(f"  {law}: {span}, predicting {which}")
    if len(result) < result.planned:
        lines.append(f"  only {len(result)} of {counted(result.planned, 'fit')} were made")
    if result.hold_out is not None:
        lines.insert(1, f"  held out: {result.hold_out}")
    return _wrapped(lines)


def _failures(result: Backtest) -> str:
    merged: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in result.failures():
        merged.setdefault((row["law"], NUMBER.sub("#", row["reason"])), []).append(row)
    lines = []
    for (law, _), alike in merged.items():
        reasons = list(dict.fromkeys(row["reason"] for row in alike))
        at = f" at {len({row['k'] for row in alike})} k" if result.what == "counts" else ""
        count = sum(row["n"] for row in alike)
        times = "once" if count == 1 else f"{count} times"
        such = ", such as: " if len(reasons) > 1 else ": "
        lines.append(f"  {law}: {times}{at}{such}{reasons[0]}")
    return _wrapped(["Left out of errors and coverage", *lines]) if lines else ""


def _wrapped(lines: Sequence[str]) -> str:
    parts = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        parts += wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(parts)


# -- tables ----------------------------------------------------------------------------------------


def _quantity(result: Backtest) -> str:
    return "-log pass@k" if result.what == "counts" else "the loss"


def _places(result: Backtest, *, is_observed: bool = True) -> list[Column]:
    """What a row is of: its law, and of counts k and how targets were observed."""
    law = Column("law", align="left")
    if result.what == "runs":
        return [law]
    k = Column("k", of=lambda row: "all" if row["k"] is None else row["k"])
    return [k, law, *([Column("how_observed", "observed by", align="left")] if is_observed else [])]


def _by_k(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """In the order of k, those of all k last."""
    return sorted(rows, key=lambda row: (row["k"] is None, row["k"] or 0))


def _shares(**headings: str) -> list[Column]:
    return [Column(key, heading, format=InPercent()) for key, heading in headings.items()]


COUNTED = [Column("n", "predictions"), Column("n_targets", "targets")]


def _errors(result: Backtest, rows: Sequence[dict[str, Any]]) -> Table:
    columns = [*_places(result), *COUNTED]
    columns += _shares(median_error="error", median_bias="signed", share_above="above")
    quantity = _quantity(result)
    note = (
        f"error, signed: medians of the relative error of {quantity} without and with its sign; "
        f"above: "
        "share of predictions above the observation"
    )
    notes = [note]
    if result.what == "counts":
        columns += _shares(median_error_pass="pass@k", median_bias_pass="signed")
        notes = [
            f"{note}; pass@k, signed: the same medians for pass@k",
            "observed by: the unbiased estimate, or the likelihood of the counts where some "
            "problem has fewer than k samples",
        ]
    return Table(columns, _by_k(rows), f"Relative errors of predictions of {quantity} in %", notes)


def _coverage(result: Backtest, rows: Sequence[dict[str, Any]]) -> Table:
    columns = [*_places(result), *COUNTED]
    columns += _shares(coverage="inside", se="se", se_by_target="by target")
    title = f"Coverage of the {100 * result.level:g} % prediction intervals in %"
    note = "se: as if predictions were independent; by target: those of one target stand or fall together"
    return Table(columns, _by_k(rows), title, [note])


def _by_decades(result: Backtest, title: str, rows: Sequence[dict[str, Any]], name: str) -> Table:
    """A row a law, k and way of observing, a column a bin of decades."""
    bins = sorted({(row["decades_lo"], row["decades_hi"]) for row in rows})[:MOST_BINS]
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _by_k(rows):
        place = {key: row.get(key) for key in ("k", "law", "how_observed")}
        bare = place | dict.fromkeys(map(_bin, bins))
        here = merged.setdefault(tuple(place.values()), bare)
        here[_bin((row["decades_lo"], row["decades_hi"]))] = row[name]
    shares = [Column(key, format=InPercent()) for key in map(_bin, bins)]
    return Table([*_places(result), *shares], list(merged.values()), title)


def _bin(ends: tuple[float, float]) -> str:
    return f"{ends[0]:g}-{ends[1]:g}"


def _stability(result: Backtest) -> Table:
    columns = [
        *_places(result, is_observed=False),
        Column("coefficient", align="left"),
        Column("value", "final", format=VALUE),
        Column("lo", format=VALUE),
        Column("hi", format=VALUE),
        *(
            Column(name, heading, of=_decades(name))
            for name, heading in (("stable", "inside"), ("overlap", "overlap"))
        ),
        Column("of_decades", "of", format=Places(1)),
    ]
    note = (
        f"inside: so many decades of {result.axis} may be cut off with the estimate within the "
        f"final "
        "interval; overlap: with its own interval overlapping it; of: decades there are, >= where "
        "none of "
        "their cutoffs breaks it. -: the final fit leaves the coefficient, or the end of its "
        "interval, open"
    )
    title = f"Stability of coefficients against their final {100 * result.level:g} % interval"
    return Table(columns, _by_k(result.stability()), title, [note])


def _decades(name: str) -> Any:
    """Decades, with the sign of a lower limit where all of them hold."""

    def of(row: dict[str, Any]) -> str | None:
        value, censored = row[f"{name}_decades"], row[f"{name}_censored"]
        return None if value is None else f"{'>= ' if censored else ''}{value:.1f}"

    return of
